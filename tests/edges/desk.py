"""A curator's desk for the tests: a specification and a table to change at will, and the real command line."""

import contextlib
import copy
import csv
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from dalenius.cli import main
from dalenius.desk.spec import SpecModel

Table = dict[str, list[Any]]
Content = dict[str, Any] | str | None
PEOPLE = 400
SPEC = {
    "data": "people.csv",
    "person": "id",
    "public": {"region": ["north", "south"]},
    "confidential": {"smoker": ["no", "yes"], "income": {"unit": 1000, "bounds": [0, 9000]}},
    "beliefs": {
        "smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"},
        "income": {"probabilities": {"0 to 9000": 1}, "source": "tax tables"},
    },
    "attacker": {"knows": "0.05", "source": "the largest employer"},
    "target": {"epsilon": "0.5", "delta": "1e-3"},
    "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}, "by": "region"}],
}
PATIENT = ("--seconds", 60)  # for what comes after the verdict: margins, charts, what would help
SMOKERS = {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}
INCOME = {"name": "income", "kind": "sum", "column": "income"}


def spec(**changes: object) -> dict[str, Any]:
    """The specification with other keys; None takes a key out."""
    return {key: value for key, value in copy.deepcopy({**SPEC, **changes}).items() if value is not None}


def model(**changes: object) -> SpecModel:
    return SpecModel.model_validate(spec(**changes))


def people(n: int = PEOPLE, seed: int = 1) -> Table:
    """Rows that keep to the specification."""
    dice = np.random.default_rng(seed)
    return {
        "id": [f"P{place:05d}" for place in range(n)],
        "region": dice.choice(["north", "south"], n).tolist(),
        "smoker": dice.choice(["yes", "no"], n, p=[0.3, 0.7]).tolist(),
        "income": (1000 * dice.integers(0, 10, n)).tolist(),
    }


@dataclass(frozen=True)
class Answer:
    code: object
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def dalenius(*arguments: object) -> Answer:
    """The command line, in this process."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["dalenius", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as end:
        # on a busy machine it says that it is still at work, which is no error
        said = [line for line in err.getvalue().splitlines(keepends=True) if not line.startswith("still ")]
        return Answer(end.code, out.getvalue(), "".join(said))
    finally:
        sys.argv = before
    raise AssertionError("main returned")


@dataclass(frozen=True)
class Desk:
    """A folder with a specification and a table."""

    folder: Path

    def put(self, content: Content = None, table: Table | str | None = None) -> Path:
        """Write both files; the specification's path."""
        path = self.folder / "release.yaml"
        text = yaml.safe_dump(content, sort_keys=False) if isinstance(content, dict) else content
        path.write_text(yaml.safe_dump(spec(), sort_keys=False) if text is None else text, encoding="utf-8")
        rows = people() if table is None else table
        (self.folder / "people.csv").write_text(rows if isinstance(rows, str) else as_csv(rows), encoding="utf-8")
        return path

    def files(self) -> set[str]:
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}

    def check(self, content: Content = None, table: Table | str | None = None, *more: object) -> Answer:
        """What `check` says. What comes after the verdict has no time, unless one is PATIENT."""
        return dalenius("check", self.put(content, table), "--seconds", 0, *more)

    def verdict(self, content: Content = None, table: Table | str | None = None, *more: object) -> Answer:
        """What `check` says for machines, and nothing that follows the verdict."""
        return self.check(content, table, "--json", "--quick", *more)

    def release(self, content: Content = None, table: Table | str | None = None, *more: object) -> Answer:
        """What `release` says. Margins and charts have no time, unless one is PATIENT."""
        return dalenius("release", self.put(content, table), "-o", self.folder / "out", "--seconds", 0, *more)

    def refusal(self, content: Content = None, table: Table | str | None = None) -> str:
        """What is said about bad input, by check and by release: exit code 2, nothing on paper, no traceback."""
        path = self.put(content, table)
        before = self.files()
        answers = [dalenius("check", path), dalenius("release", path, "-o", self.folder / "out")]
        for answer in answers:
            assert answer.code == 2, answer
            assert answer.out == ""
            assert all(line.startswith("Error: ") for line in answer.err.splitlines())
        assert self.files() == before
        assert answers[0].err == answers[1].err
        return answers[0].err

    def figures(self) -> list[dict[str, str]]:
        """What was released."""
        with (self.folder / "out" / "figures.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def as_csv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue()
