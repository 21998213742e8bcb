"""The small language of conditions: `age between 18 and 65 and (smoker = yes or region in (north, south))`.

    condition  = every { "or" every }
    every      = single { "and" single }
    single     = "not" single | "(" condition ")" | column test
    test       = ("=" | "!=" | "<" | "<=" | ">" | ">=") value
               | ["not"] "in" "(" value { "," value } ")"
               | ["not"] "between" value "and" value

A column is a word, a value a word or a number; anything else is put in quotes. What comes out is a tree of names and
values, which `dalenius.desk.spec.conditions` compares with the declared columns: no text of a condition ever reaches a
database.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias, final

from dalenius.basics.errors import SpecError
from dalenius.basics.limits import DEEPEST_CONDITION, LONGEST_CONDITION
from dalenius.facts.records import WORDS_OF_CONDITIONS

SIGNS = {"≤": "<=", "≥": ">=", "≠": "!="}

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<number>[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?(?![\w.-])
        |[+-]?(?:[0-9]+/[0-9]+|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?))(?![\w.])
      | (?P<word>[^\W\d]\w*)
      | (?P<quoted>'(?:[^']|'')*'|"(?:[^"]|"")*")
      | (?P<sign><=|>=|!=|[=<>≤≥≠(),])""",
    re.VERBOSE,
)


@final
@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, a quoted text or a sign, and the character that it begins at, counted from 1."""

    kind: str
    text: str
    at: int

    @property
    def keyword(self) -> str:
        """The word of the language that this is, or nothing."""
        text = self.text.casefold() if self.text.isascii() else ""
        return text if self.kind == "word" and text in WORDS_OF_CONDITIONS else ""


@final
@dataclass(frozen=True, slots=True)
class Compared:
    """One column against one or several values; `sign` is a comparison, "in" or "between", or one of these with "not"
    before it.
    """

    column: str
    sign: str
    values: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class Joined:
    """All of the parts, or at least one of them."""

    by: Literal["and", "or"]
    parts: "tuple[Expression, ...]"


@final
@dataclass(frozen=True, slots=True)
class Negated:
    """The opposite."""

    part: "Expression"


Expression: TypeAlias = Compared | Joined | Negated


def parse(text: str, what: str) -> Expression:
    """The condition as a tree; SpecError with the place of the first thing that does not belong there."""
    if len(text) > LONGEST_CONDITION:
        raise SpecError(
            f"{what} needs a condition of at most {LONGEST_CONDITION} characters, but got {len(text)}. Shorten it."
        )
    return _Reader(_tokens(text, what), what).whole()


def _tokens(text: str, what: str) -> list[Token]:
    found, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise SpecError(
                f"{what} needs columns, values, comparisons, and, or, not, in, between, but got {text[place]!r} at "
                f"character {place + 1}. A condition is not SQL; put a label with unusual characters in quotes."
            )
        kind, part = match.lastgroup or "", match.group()
        if kind == "quoted":
            part = part[1:-1].replace(part[0] * 2, part[0])
        if kind != "space":
            found.append(Token(kind, SIGNS.get(part, part), place + 1))
        place = match.end()
    return [*found, Token("end", "the end", len(text) + 1)]


@final
class _Reader:
    """Recursive descent, one token ahead."""

    __slots__ = ("_depth", "_place", "_tokens", "_what")

    def __init__(self, tokens: Sequence[Token], what: str) -> None:
        self._tokens, self._what = tokens, what
        self._place = self._depth = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _take(self) -> Token:
        token = self._next
        self._place += token.kind != "end"
        return token

    def _wrong(self, needed: str, remedy: str) -> NoReturn:
        token = self._next
        came = "the end" if token.kind == "end" else repr(token.text)
        raise SpecError(f"{self._what} needs {needed}, but got {came} at character {token.at}. {remedy}")

    def whole(self) -> Expression:
        found = self._joined("or")
        if self._next.kind != "end":
            self._wrong("and, or, or the end", "Join conditions by and or or; put labels of several words in quotes.")
        return found

    def _joined(self, by: Literal["and", "or"]) -> Expression:
        parts = [self._joined("and") if by == "or" else self._single()]
        while self._next.keyword == by:
            self._take()
            parts.append(self._joined("and") if by == "or" else self._single())
        return parts[0] if len(parts) == 1 else Joined(by, tuple(parts))

    def _single(self) -> Expression:
        self._depth += 1
        if self._depth > DEEPEST_CONDITION:
            self._wrong(f"at most {DEEPEST_CONDITION} conditions inside each other", "Write it with fewer parentheses.")
        found = self._inner()
        self._depth -= 1
        return found

    def _inner(self) -> Expression:
        if self._next.keyword == "not":
            self._take()
            return Negated(self._single())
        if self._sign("("):
            self._take()
            found = self._joined("or")
            self._expect(")", "Close the parenthesis.")
            return found
        if self._next.kind not in {"word", "quoted"} or self._next.keyword:
            self._wrong("a column", "Write the column first, as in age >= 18; put an unusual name in quotes.")
        return self._test(self._take().text)

    def _test(self, column: str) -> Expression:
        negated = "not " if self._next.keyword == "not" else ""
        if negated:
            self._take()
        if self._next.keyword == "in":
            self._take()
            return Compared(column, f"{negated}in", self._list())
        if self._next.keyword == "between":
            self._take()
            low = self._value()
            if self._next.keyword != "and":
                self._wrong("and, and the upper limit", "Write between 18 and 65; both limits are included.")
            self._take()
            return Compared(column, f"{negated}between", (low, self._value()))
        if negated:
            self._wrong("in or between after not", f"Write not {column} = ... for the opposite of a comparison.")
        if self._next.kind != "sign" or self._next.text in "(),":
            remedy = "Write =, !=, <, <=, >, >=, in (...) or between ... and ....; a name with spaces stands in quotes."
            self._wrong(f"a comparison after {column}", remedy)
        return Compared(column, self._take().text, (self._value(),))

    def _list(self) -> tuple[str, ...]:
        self._expect("(", "Write in (north, south).")
        values = [self._value()]
        while self._sign(","):
            self._take()
            values.append(self._value())
        self._expect(")", "Close the list, or put a comma between two values.")
        return tuple(values)

    def _value(self) -> str:
        if self._next.kind not in {"word", "number", "quoted"} or self._next.keyword:
            self._wrong("a value", "Write a number or a label; put unusual labels in quotes.")
        return self._take().text

    def _sign(self, sign: str) -> bool:
        return self._next.kind == "sign" and self._next.text == sign

    def _expect(self, sign: str, remedy: str) -> None:
        if not self._sign(sign):
            self._wrong(sign, remedy)
        self._take()
