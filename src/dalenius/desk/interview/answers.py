"""Answers from a YAML file, for where there is no terminal."""

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dalenius.basics.errors import SpecError
from dalenius.desk.interview.preset import PLAIN, Preset, preset_named
from dalenius.desk.interview.question import Ask, Asking, offered
from dalenius.desk.interview.talk import KEYS
from dalenius.desk.spec.load import load_keys


def file_asker(path: Path, preset: str | None = None) -> tuple[Ask, Preset, "Leftover"]:
    """Who answers from this file, and the preset that it (or the caller) names; and what was not asked for yet."""
    given = load_keys(path, "answers file")
    given.pop("unfinished", None)  # parts of an answer on a terminal; the question says that it is not complete
    named = given.pop("preset", None)
    if named is not None and preset is not None and named != preset:
        raise SpecError(f"One preset is needed, but the answers say {named!r} and --preset says {preset!r}. Keep one.")
    usual = preset_named(str(preset or named)) if preset or named else PLAIN
    left = Leftover(dict(given))

    def ask(question: Asking) -> Any:
        left.asked.append(question.key)
        if question.key in left.keys:
            return question.answered(left.keys.pop(question.key))
        if question.key in usual.answers:
            return question.answered(usual.answers[question.key])
        if question.key in OPTIONAL:
            return question.answered(question.default)
        near = difflib.get_close_matches(question.key, [str(key) for key in left.keys if key not in KEYS], n=1)
        hint = f"There is {near[0]!r}: is that meant?" if near else f"Add {question.key}: ..."
        choices = f" The choices: {offered(question)}." if question.choices else ""
        raise SpecError(
            f"{question.named}: an answer is needed, but {path.name} has none.{choices} {hint} {question.why}"
        )

    return ask, usual, left


# Without the first no column is listed; everybody has one row; the preset or the policy says the next two; without the
# last nothing goes out.
OPTIONAL = (
    *("header", "rows", "epsilon", "delta", "household", "own", "margin"),
    *("design", "taking_part", "edition", "series"),
)


class Leftover:
    """Answers that no question asked for: a misspelt key must not be lost."""

    def __init__(self, keys: Mapping[str, Any]) -> None:
        self.keys = dict(keys)
        self.asked: list[str] = []

    def refuse(self) -> None:
        """SpecError if an answer is left over."""
        for key in self.keys:
            near = difflib.get_close_matches(str(key), self.asked, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The questions are {', '.join(self.asked)}."
            raise SpecError(f"The answers have {key!r}, but no question is called so. {hint}")
