"""The rows of docs/released.md: what the five papers have, and the words of a specification that release it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import yaml

HERE = Path(__file__).parent
FILES = ("beliefs.yaml", "mechanisms.yaml", "definitions.yaml")
KINDS = ("definition", "belief", "secret", "mechanism", "algorithm")
COUNTS = "smoker,count\nyes,3000\nno,7000\n"  # of the belief that is made of counts
PEOPLE = 400
PAPERS = ("noiseless", "coupled worlds", "pufferfish", "side information", "chapter")


@final
@dataclass(frozen=True)
class Row:
    """`words`: keys of a specification; none of a definition on finite worlds, which is for teaching (`finite`).
    `size`: how large it can be. `confirmed`: whether the independent checker confirms the certificate, or says which
    part it leaves open. `always`: released in every run of the tests; the others where there is time.
    """

    id: str
    papers: tuple[str, ...]
    kind: str
    name: str
    tests: tuple[str, ...]
    size: str
    words: str = ""
    finite: bool = False
    confirmed: bool = True
    always: bool = False

    @property
    def keys(self) -> Mapping[str, Any]:
        """The words as keys of a specification."""
        found: Mapping[str, Any] = yaml.safe_load(self.words)
        return found

    @property
    def specification(self) -> dict[str, Any]:
        """The whole specification."""
        base: dict[str, Any] = yaml.safe_load((HERE / "base.yaml").read_text(encoding="utf-8"))
        return {**base, **self.keys}


def rows() -> list[Row]:
    """All rows, by kind."""
    given = [row for name in FILES for row in yaml.safe_load((HERE / name).read_text(encoding="utf-8"))]
    found = [Row(**{**row, "papers": tuple(row["papers"]), "tests": tuple(row["tests"])}) for row in given]
    return sorted(found, key=lambda row: KINDS.index(row.kind))


def table() -> dict[str, list[Any]]:
    """The same people for every row; nothing depends on what is in them."""
    every = range(PEOPLE)
    return {
        "id": list(every),
        "region": [("north", "south")[k % 2] for k in every],
        "home": [f"h{k // 4}" for k in every],
        "place": list(every),
        "smoker": [("yes", "no", "no")[k % 3] for k in every],
        "diagnosis": [("flu", "none")[k % 7 > 1] for k in every],
        "income": [k % 41 for k in every],
    }
