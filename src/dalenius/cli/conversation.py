"""The interview on a terminal: a wrong answer is asked for again, and no answer is lost."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

import typer
import yaml

from dalenius.errors import InputError, OutputError, SpecError
from dalenius.interview import Ask, Preset, Question, preset_named
from dalenius.interview.phrases import belief
from dalenius.interview.preset import PLAIN
from dalenius.spec.load import load_keys

BACK = "back"


class _BackError(Exception):
    """Somebody wants to answer the question before once more."""


@final
class Conversation:
    """Asks what is not answered yet. Answers are kept as they were given, by question, and in a file if there is one:
    it is an answers file.
    """

    def __init__(self, keep: Path | None, preset: str | None) -> None:
        self.keep = keep
        self.given: dict[str, Any] = load_keys(keep, "answers file") if keep is not None and keep.exists() else {}
        named = self.given.pop("preset", None)
        if named is not None and preset is not None and named != preset:
            raise SpecError(f"One preset is needed, but {keep} says {named!r} and --preset {preset!r}. Keep one.")
        self.preset: Preset = preset_named(str(preset or named)) if preset or named else PLAIN
        self.asked: list[str] = []  # in this round

    def hold(self, interview: Callable[[Ask], object]) -> None:
        """Ask until the interview comes to its end. Where answers do not go together, one of them is asked for again.

        If the input ends, SpecError says how to go on; the interview itself has written nothing then.
        """
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

    def ask(self, question: Question) -> Any:
        """The answer that was given before, or one that is typed now."""
        self.asked.append(question.key)
        if question.key in self.given:
            try:
                return question.answered(self.given[question.key])
            except InputError as error:
                typer.echo(f"\n{error}")
                del self.given[question.key]
        typer.echo(f"\n{question.ask}\n  {question.why}")
        for choice in question.choices:
            typer.echo(f"  - {choice.word}" + (f": {choice.means}" if choice.means else ""))
        while True:
            with _told():
                typed = self._typed(question)
                found = question.answered(typed)
                self._remember(question.key, typed)
                return found

    def _typed(self, question: Question) -> Any:
        """What is typed. Questions with several entries are asked for one after the other, and each is checked."""
        match question.key:
            case "confidential":
                return self._columns(question)
            case "beliefs":
                return {choice.word: self._belief(question, choice.word) for choice in question.choices}
            case "figures":
                return self._figures(question)
            case "sizes" if question.choices:
                return {choice.word: self._size(choice.word) for choice in question.choices}
        return self._prompt(" ", question.default)

    def _columns(self, question: Question) -> dict[str, str]:
        found: dict[str, str] = {}
        while name := self._prompt("  column to hide (empty to go on)", ""):
            if name not in [choice.word for choice in question.choices] or name in found:
                typer.echo(
                    f"  Needed one of the columns above, each once, but got {name!r}. Write it as it stands there."
                )
                continue
            while name not in found:
                with _told():
                    values = self._prompt(f"  what may {name} contain? (no, yes; or 0 to 60)")
                    question.answered({**found, name: values})
                    found[name] = values
        return found

    def _figures(self, question: Question) -> list[str]:
        lines: list[str] = []
        while line := self._prompt("  figure (empty to go on)", ""):
            with _told():
                question.answered([*lines, line])
                lines.append(line)
        return lines

    def _belief(self, question: Question, name: str) -> dict[str, Any]:
        while True:
            with _told():
                about = belief(
                    question, self._prompt(f"  about {name} (counts FILE.csv by COLUMN; or yes 0.1, no rest)")
                )
                found = {**about, "source": self._prompt("  where can one read that?").strip()}
                if question.entry is not None:
                    question.entry(question, name, found)
                return found

    def _size(self, group: str) -> str:
        while not (typed := self._prompt(f"  {group}").strip()).isdecimal():
            typer.echo(f"  Needed a whole number, but got {typed!r}. A round one that is certainly not too large.")
        return typed

    def _prompt(self, text: str, default: str | None = None) -> str:
        typed = str(typer.prompt(text, default=default, show_default=bool(default)))
        if typed.strip() == BACK and len(self.asked) > 1:
            self.given.pop(self.asked[-2], None)
            raise _BackError
        return typed

    def _remember(self, key: str, typed: Any) -> None:
        self.given[key] = typed
        if self.keep is not None:
            self._write(self.keep)

    def _write(self, path: Path) -> None:
        """All answers so far; the file is replaced in one step."""
        content = {"preset": self.preset.name, **self.given} if self.preset.name else self.given
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
        self.given.pop(key, None)

    def _stopped(self) -> str:
        """What to do when the input has ended, or was interrupted. On a terminal the answers may still be kept."""
        where = self.asked[-1] if self.asked else "the first"
        typer.echo("")
        if self.keep is None and self.given and sys.stdin.isatty():
            try:
                name = typer.prompt("Keep the answers so far? File name (empty: no)", default="", show_default=False)
            except typer.Abort:
                name = ""
            if name and Path(name).exists():
                typer.echo(f"{name} is there already and stays as it is.")
            elif name:
                self.keep = Path(name)
                self._write(self.keep)
        head = f"Question {where}: an answer is needed, but the interview was stopped. No specification was written."
        if self.keep is not None and self.given:
            return f"{head} The answers so far are in {self.keep}: the same command with --keep {self.keep} goes on."
        return (
            f"{head} Answer on a terminal (with --keep FILE one can stop and go on), or name a file of answers with "
            "--answers."
        )


@contextmanager
def _told() -> Iterator[None]:
    """What is wrong with an answer is said, and not raised."""
    try:
        yield
    except InputError as error:
        if isinstance(error, OutputError):
            raise
        typer.echo(f"  {error}")
