"""The interview on a terminal: a wrong answer is asked for again, and no answer is lost."""

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, final

import typer
import yaml

from dalenius.basics.errors import InputError, OutputError, SpecError
from dalenius.basics.inputs import path_of
from dalenius.desk.interview import Ask, Asking, Preset, preset_named
from dalenius.desk.interview.phrases import belief
from dalenius.desk.interview.preset import PLAIN
from dalenius.desk.spec.load import load_keys

BACK = "back"
HELP = "?"
WIDTH = 100  # of a paragraph, at most
EXAMPLES = "({yes: 0.1, no: rest}; FILE.csv by COLUMN; or unknown)"
CONTENTS = "(no, yes; 0 to 60; bins 0, 18, 65; 2020-01 to 2024-12; where some are missing, add: or missing)"
BEGIN = 'A "?" explains the question, "back" goes back to the one before; nothing that was answered is lost.'
UNFINISHED = "unfinished"  # the key of answers in several parts of which only some are given


NOTHING = ("none", "nothing")  # as much as an empty line, where nothing of that name is meant
PARTS = ("confidential", "row_columns", "figures", "per_person")
Parts = TypeVar("Parts", dict[str, Any], list[str])


class _BackError(Exception):
    """Somebody wants to answer the question before once more."""


@final
class Conversation:
    """Asks what is not answered yet. Answers are kept as they were given, by question, and in a file if there is one:
    it is an answers file.
    """

    def __init__(self, keep: Path | None, preset: str | None) -> None:
        self.keep = None if keep is None else path_of(keep, error=OutputError)
        self.given: dict[str, Any] = load_keys(keep, "answers file") if keep is not None and keep.exists() else {}
        begun = self.given.pop(UNFINISHED, None)
        self.begun: dict[str, Any] = begun if isinstance(begun, dict) else {}
        named = self.given.pop("preset", None)
        if named is not None and preset is not None and named != preset:
            raise SpecError(f"One preset is needed, but {keep} says {named!r} and --preset {preset!r}. Keep one.")
        self.preset: Preset = preset_named(str(preset or named)) if preset or named else PLAIN
        self.asked: list[str] = []  # in this round
        self.before: dict[str, Any] = {}  # answers that are given anew, and stay if nothing else is typed
        self.now: Asking | None = None  # what is being asked

    def hold(self, interview: Callable[[Ask], object]) -> None:
        """Ask until the interview comes to its end. Where answers do not go together, one of them is asked for again.

        If the input ends, SpecError says how to go on; the interview itself has written nothing then.
        """
        typer.echo(BEGIN)
        while True:
            self.asked = []
            try:
                interview(self.ask)
                return
            except _BackError:
                continue
            except typer.Abort:
                break
            except InputError as error:
                if not self.asked or isinstance(error, OutputError):
                    raise
                typer.echo(f"\n{error}")
            try:
                self._forget()
            except typer.Abort:
                break
        raise SpecError(self._stopped())

    def ask(self, question: Asking) -> Any:
        """The answer that was given before, or one that is typed now."""
        self.asked.append(question.key)
        if question.key in self.given:
            try:
                return question.answered(self.given[question.key])
            except InputError as error:
                typer.echo(f"\n{error}")
                self.before[question.key] = self.given.pop(question.key)
        self.now = question
        typer.echo(f"\n{question.place}. {question.ask}\n{_indented(question.why)}")
        for choice in question.choices:
            typer.echo(f"  - {choice.word}" + (f": {choice.means}" if choice.means else ""))
        while True:
            try:
                typed = self._typed(question)
                found = question.answered(typed)
            except InputError as error:
                _tell(error)
            else:
                self._remember(question.key, typed)
                return found
            parts = self.begun.pop(question.key, None)  # each was right, but they do not go together
            if parts:
                self.before[question.key] = parts

    def _typed(self, question: Asking) -> Any:
        """What is typed. Questions with several entries are asked for one after the other, and each is checked."""
        match question.key:
            case "confidential" | "row_columns":
                return self._columns(question)
            case "beliefs":
                return self._each(question, lambda name, usual: self._belief(question, name, usual))
            case "figures" | "per_person":
                return self._lines(question)
            case "sizes" if question.choices:
                return self._each(question, self._size)
        said = self.before.get(question.key)
        return self._prompt(" ", question.default if said is None else _written(said))

    def _each(self, question: Asking, one: Callable[[str, Any], Any]) -> dict[str, Any]:
        """An entry for each choice."""
        found: dict[str, Any] = {}
        begun = self._begun(question, dict)
        said = self.before.get(question.key)
        usual = said if isinstance(said, dict) else {}
        for choice in question.choices:
            word = choice.word
            found[word] = begun[word] if word in begun else one(word, usual.get(word))
            self._part(question.key, found)
        return found

    def _begun(self, question: Asking, kind: type[Parts]) -> Parts:
        """The parts that were given before the interview was stopped, if they are still an answer."""
        whole = question.key in PARTS  # which are shown as they were, to be added to or changed
        parts = self.begun.pop(question.key, None) or (self.before.get(question.key) if whole else None)
        if not isinstance(parts, kind) or not parts:
            return kind()
        with _told():
            if whole:
                question.answered(parts)
        typer.echo(f"  so far: {'; '.join(map(str, parts))}")
        return parts.copy()

    def _part(self, key: str, parts: Any) -> None:
        self.begun[key] = parts
        if self.keep is not None:
            self._write(self.keep)

    def _columns(self, question: Asking) -> dict[str, Any]:
        found: dict[str, Any] = self._begun(question, dict)
        while name := self._prompt("  column (empty to go on; - NAME takes one out)", ""):
            if self._taken_out(name, found):
                continue
            names = [choice.word for choice in question.choices]
            if name not in names and name.strip().lower() in NOTHING:
                break
            if name not in names:
                typer.echo(f"  Needed one of the columns above, but got {name!r}. Write it as it stands there.")
                continue
            values = None
            while values is None:
                with _told():
                    typed = self._prompt(f"  what may {name} contain? {CONTENTS}", _written(found.get(name)))
                    question.answered({name: typed})
                    values = found[name] = typed
                    self._part(question.key, found)
        return found

    def _lines(self, question: Asking) -> list[Any]:
        """Lines that begin with a name."""
        found: list[Any] = self._begun(question, list)
        what = "figure" if question.key == "figures" else "line"
        while line := self._prompt(f"  {what} (empty to go on; - NAME takes one out)", ""):
            named = {_name(one): one for one in found}
            if self._taken_out(line, named):
                found = list(named.values())
                continue
            with _told():
                question.answered([*found, line])
                found.append(line)
                self._part(question.key, found)
        return found

    @staticmethod
    def _taken_out(typed: str, found: dict[str, Any]) -> bool:
        """Whether an entry was to be taken out; it is then, if it is there."""
        if not typed.startswith("- "):
            return False
        name = typed.removeprefix("- ").strip()
        if found.pop(name, None) is None:
            typer.echo(f"  Needed the name of one of these, but got {name!r}: {', '.join(found) or 'there is none'}.")
        return True

    def _belief(self, question: Asking, name: str, usual: Any = None) -> dict[str, Any]:
        before = dict(usual) if isinstance(usual, dict) else {}
        source = before.pop("source", None)
        shown = "unknown" if before.get("unknown") is True else _written(before or None)
        while True:
            with _told():
                about = belief(question, self._prompt(f"  about {name} {EXAMPLES}", shown))
                if about.get("source"):
                    return about
                if question.entry is not None:  # before anybody looks up where it is from
                    question.entry(question, name, {**about, "source": "not asked yet"})
                return {**about, "source": self._prompt("  where can one read that?", source).strip()}

    def _size(self, group: str, usual: Any = None) -> str:
        while not (typed := self._prompt(f"  {group}", _written(usual)).strip()).isdecimal():
            typer.echo(f"  Needed a whole number, but got {typed!r}. A round one that is certainly not too large.")
        return typed

    def _prompt(self, text: str, default: str | None = None) -> str:
        """What is typed; where there is no default, something has to be."""
        while True:
            try:
                typed = str(typer.prompt(text, default=default or "", show_default=bool(default)))
            except OSError:  # nobody is there to type: the terminal is gone, or there never was one
                raise typer.Abort from None
            if typed.strip() == HELP and self.now is not None:
                typer.echo(_indented(self.now.help))
                continue
            if typed.strip() == BACK and len(self.asked) > 1:
                key = self.asked[-2]
                if key in self.given:
                    self.before[key] = self.given.pop(key)
                raise _BackError
            if default is not None or typed.strip():
                return typed
            typer.echo("  Needed an answer, but nothing was typed. Write one; back goes back, Ctrl-C stops.")

    def _remember(self, key: str, typed: Any) -> None:
        self.given[key] = typed
        self.begun.pop(key, None)
        self.before.pop(key, None)
        if self.keep is not None:
            self._write(self.keep)

    def _write(self, path: Path) -> None:
        """All answers so far; the file is replaced in one step."""
        answers = {**self.before, **self.given}
        content = {"preset": self.preset.name, **answers} if self.preset.name else answers
        content |= {UNFINISHED: self.begun} if self.begun else {}
        partial = path.with_name(f".{path.name}.partial")
        try:
            partial.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
            os.replace(partial, path)  # noqa: PTH105 - the same in one word
        except OSError as error:
            raise OutputError(
                f"Needed to keep the answers in {path}, but it cannot be written ({error.strerror}). Choose another "
                "place."
            ) from None

    def _forget(self) -> None:
        """Which answer is to be given anew: the specification does not come together as it is."""
        typer.echo(f"Which answer do you want to give anew? ({', '.join(self.asked)})")
        while (key := typer.prompt(" ", default=self.asked[-1])) not in self.asked:
            typer.echo(f"  Needed one of the questions above, but got {key!r}. Write its name.")
        if key in self.given:
            self.before[key] = self.given.pop(key)

    def _stopped(self) -> str:
        """What to do when the input has ended, or was interrupted. On a terminal the answers may still be kept."""
        where = self.asked[-1] if self.asked else "the first"
        typer.echo("")
        if self.keep is None and (self.given or self.begun) and sys.stdin.isatty():
            try:
                name = typer.prompt("Keep the answers so far? File name (empty: no)", default="", show_default=False)
            except typer.Abort:
                name = ""
            if name and path_of(name, error=OutputError).exists():
                typer.echo(f"{name} is there already and stays as it is.")
            elif name:
                self.keep = Path(name)
                self._write(self.keep)
        head = f"Question {where}: an answer is needed, but the interview was stopped. No specification was written."
        if self.keep is not None and (self.given or self.begun):
            return f"{head} The answers so far are in {self.keep}: the same command with --keep {self.keep} goes on."
        return (
            f"{head} Answer on a terminal (with --keep FILE one can stop and go on), or name a file of answers with "
            "--answers."
        )


def _indented(text: str) -> str:
    """A paragraph below a question."""
    width = min(WIDTH, shutil.get_terminal_size().columns)
    return textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ", break_long_words=False)


def _name(line: Any) -> str:
    """The name that a line begins with."""
    return str(next(iter(line))) if isinstance(line, dict) and line else str(line).split(":", 1)[0].strip()


def _written(given: Any) -> str | None:
    """An answer as somebody would type it."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, dict) and len(given) == 1 and all(isinstance(part, str) for part in given.values()):
        ((name, phrase),) = given.items()
        return f"{name}: {phrase}"
    return yaml.safe_dump(given, default_flow_style=True, allow_unicode=True, width=10**6, sort_keys=False).strip()


@contextmanager
def _told() -> Iterator[None]:
    """What is wrong with an answer is said, and not raised."""
    try:
        yield
    except InputError as error:
        _tell(error)


def _tell(error: InputError) -> None:
    if isinstance(error, OutputError):
        raise error
    typer.echo(f"  {error}")
