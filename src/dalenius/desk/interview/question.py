"""A question: what is asked, why, what may be answered."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, final

from dalenius.basics.errors import SpecError
from dalenius.desk.interview.help import HELP


@final
@dataclass(frozen=True, slots=True)
class Offer:
    """One of the answers that a question offers."""

    word: str
    means: str


@final
@dataclass(frozen=True, slots=True)
class Asking:
    """A key of the answers file, the question itself, one sentence of explanation, the choices if there are any, and a
    default for the terminal. `read` turns an answer into what is meant, or says what is wrong with it.
    """

    key: str
    ask: str
    why: str
    choices: tuple[Offer, ...] = ()
    default: str | None = None
    read: Callable[["Asking", Any], Any] | None = None  # by default: one of the choices
    entry: Callable[["Asking", str, Any], Any] | None = None  # of an answer with an entry for each choice: one of them
    unlisted: str = ""  # what the choices are, where they are not listed: they may be what a record says
    place: str = ""  # which question it is, of how many: "3 of at most 16"
    called: str = ""  # what messages call it, if it is no question of the interview

    @property
    def named(self) -> str:
        return self.called or f"Question {self.key} ({self.ask})"

    @property
    def help(self) -> str:
        """More words, for those who ask for them."""
        return HELP.get(self.key, self.why)

    def answered(self, given: Any) -> Any:
        """What the answer means; SpecError with the question and its choices if it means nothing."""
        return (self.read or chosen)(self, given)

    def reading(self, read: Callable[["Asking", Any], Any]) -> "Asking":
        """The same question, with another way to read its answers."""
        return replace(self, read=read)


Ask: TypeAlias = Callable[[Asking], Any]  # puts a question, and returns what `answered` made of the answer


def offered(question: Asking) -> str:
    """The choices in one line."""
    return question.unlisted or "; ".join(
        f"{choice.word} ({choice.means})" if choice.means else choice.word for choice in question.choices
    )


def chosen(question: Asking, given: Any) -> str:
    """One of the choices, by its word."""
    words = [choice.word for choice in question.choices]
    came = _word(given)
    if came in words:
        return came
    near = [] if question.unlisted else difflib.get_close_matches(came, words, n=1)
    hint = f"Did you mean {near[0]}?" if near else "Choose one of them."
    raise SpecError(f"{question.named} needs one of: {offered(question)}; but got {shown(given)}. {hint}")


def text(question: Asking, given: Any) -> str:
    """Any text that is not empty."""
    if not isinstance(given, str) or not given.strip():
        raise SpecError(f"{question.named} needs some text, but got {shown(given)}. {question.why}")
    if knows_nothing(given):
        raise SpecError(
            f"{question.named} needs a reason that somebody else can check, but got {shown(given)}. Take a number that "
            "is certainly on the careful side, and say why it is."
        )
    return given.strip()


NOBODY_KNOWS = ("unknown", "i don't know", "don't know", "i do not know", "do not know", "dont know", "i dont know")


def knows_nothing(given: str) -> bool:
    """Whether an answer says that there is none.

    >>> knows_nothing(" I don\u2019t know "), knows_nothing("nobody knows more than the largest employer")
    (True, False)
    """
    return given.strip().lower().replace("\u2019", "'") in NOBODY_KNOWS


def several(question: Asking, given: Any) -> tuple[str, ...]:
    """Some of the choices, as a list or with commas between them; none is an answer too."""
    if given is None or (isinstance(given, str) and given.strip().lower() in ("", "none", "nothing")):
        return ()
    parts = given.split(",") if isinstance(given, str) else given
    if not isinstance(parts, list | tuple):
        raise SpecError(f"{question.named} needs a list of: {offered(question)}; but got {shown(given)}. Write [a, b].")
    words = {choice.word for choice in question.choices}
    found = tuple(str(part).strip() for part in parts)
    for word in found:
        if word not in words:
            near = [] if question.unlisted else difflib.get_close_matches(word, sorted(words), n=1)
            hint = f"Did you mean {near[0]}?" if near else "Choose among them."
            raise SpecError(f"{question.named} needs some of: {offered(question)}; but got {shown(word)}. {hint}")
        if found.count(word) > 1:
            raise SpecError(f"{question.named} needs each column once, but got {word} twice. Remove one.")
    return found


def shown(given: object) -> str:
    """What came, short enough for a message."""
    if given is None:
        return "no answer"
    told = str(given).lower() if isinstance(given, bool) else repr(given)
    return told if len(told) <= 60 else f"{told[:60]}..."


def _word(given: object) -> str:
    return given.strip() if isinstance(given, str) else str(given)
