"""Whether answers can be parts of one specification, before all of them are there."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dalenius.desk.interview.question import Asking, chosen
from dalenius.desk.spec import Prepared, build, spec_of

# What is not answered yet: parts that go with any others.
STAND_IN = {
    "person": "person",
    "figures": [{"name": "figure", "kind": "count"}],
    "attacker": {"knows": "0", "source": "none yet"},
    "target": {"epsilon": "0.5", "delta": "1e-6"},
}


def read_rows(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of rows that records are made of, and no others; nothing where there are none."""
    texts = [str(text) for one in keys.get("per_person", {}).values() for text in one.values()]
    read = {name: column for name, column in keys.get("rows", {}).items() if any(name in text for text in texts)}
    return {"rows": read} if keys.get("rows") else {}


def so_far(keys: Mapping[str, Any], base: Path) -> Prepared:
    """The specification that the answers make so far, with what goes with any others for the rest."""
    return build(spec_of({**STAND_IN, **keys, **read_rows(keys)}), base)


def tried(question: Asking, part: str, keys: Mapping[str, Any], base: Path) -> Asking:
    """The question, whose answers are refused also where, as this part of a specification, they do not go with `keys`.

    So a wrong answer is found when it is given, and not when all are there.
    """
    read, entry = question.read or chosen, question.entry

    def reading(self: Asking, given: Any) -> Any:
        found = read(self, given)
        now = {**STAND_IN, **keys}
        own = found
        if part in ("attacker", "target"):
            own = {**now[part], self.key: found}
        more = {"secret": "presence"} if part == "sizes" else {}
        so_far({**keys, part: own, **more}, base)
        return found

    def entering(self: Asking, name: str, given: Any) -> Any:
        found = entry(self, name, given) if entry is not None else given
        so_far({**keys, part: {name: found}}, base)
        return found

    return replace(question, read=reading, entry=None if entry is None else entering)
