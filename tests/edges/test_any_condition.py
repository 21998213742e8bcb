"""What `check` passes, `release` releases, whatever the conditions are; and the numbers are those of the rows."""

import os
import random
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

from dalenius.basics.errors import SpecError
from dalenius.desk.session import Decision, decide, publish
from edges.desk import Desk, people, spec

REGIONS, SEXES = ["north", "south", "east"], ["f", "m"]
PUBLIC = {"region": REGIONS, "sex": SEXES, "age": {"unit": 1, "bounds": [0, 9]}}
TARGET = {"epsilon": "3", "delta": "0.999"}  # which all but single people meet
SEEDS = 60 if os.environ.get("HYPOTHESIS_PROFILE") == "deep" else 3
Row = dict[str, object]


def rows() -> dict[str, list]:
    """Nobody lives in the east."""
    dice, table = random.Random(4), people(300)
    table["sex"] = [dice.choice(SEXES) for _ in table["id"]]
    table["age"] = [dice.randint(0, 9) for _ in table["id"]]
    return table


def condition(dice: random.Random, depth: int) -> tuple[str, object]:
    """A condition on public columns, in words and as a function of a row."""
    if depth == 0 or dice.random() < 0.4:
        kind = dice.choice(["region", "sex", "age"])
        if kind == "age":
            at = dice.randint(1, 9)
            return dice.choice(
                [(f"age >= {at}", lambda row: row["age"] >= at), (f"age < {at}", lambda row: row["age"] < at)]
            )
        value = dice.choice(REGIONS if kind == "region" else SEXES)
        if dice.random() < 0.3:
            return f"not {kind} = {value}", lambda row: row[kind] != value
        return f"{kind} = {value}", lambda row: row[kind] == value
    (one, first), (two, second) = condition(dice, depth - 1), condition(dice, depth - 1)
    if dice.random() < 0.5:
        return f"({one} and {two})", lambda row: first(row) and second(row)
    return f"({one} or {two})", lambda row: first(row) or second(row)


def expected(by: list[str], holds: object, table: dict[str, list]) -> dict[tuple[str, ...], int]:
    found: dict[tuple[str, ...], int] = {}
    for values in zip(*table.values(), strict=True):
        row = dict(zip(table, values, strict=True))
        if holds(row):
            cell = tuple(row[name] for name in by)
            found[cell] = found.get(cell, 0) + (row["smoker"] == "yes")
    return found


def possible(by: list[str], holds: object) -> set[tuple[str, ...]]:
    """The cells that some public row satisfies."""
    rows = (dict(zip(PUBLIC, some, strict=True)) for some in product(REGIONS, SEXES, range(10)))
    return {tuple(row[name] for name in by) for row in rows if holds(row)}


def decided(figure: dict[str, object], data: pa.Table) -> Decision | None:
    """The decision; None if no cell is left."""
    nobody = {"knows": 0, "source": "nobody knows anybody"}
    try:
        return decide(
            spec(data=None, public=PUBLIC, figures=[figure], target=TARGET, attacker=nobody), data, margins=False
        )
    except SpecError as error:
        if "no value satisfies" not in str(error):
            raise
        return None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_check_passes_is_published(seed: int) -> None:
    dice, table = random.Random(seed), rows()
    data = pa.table(table)
    for _ in range(3):
        text, holds = condition(dice, 3)
        by = dice.sample(["region", "sex"], dice.randint(1, 2))
        figure = {"name": "smokers", "kind": "count", "where": f"{text} and smoker = yes", "by": by}
        decision = decided(figure, data)
        if decision is None:
            assert not possible(by, holds), text
            continue
        assert decision.verdict == "pass", text
        told = {item.cell: item.value for item in publish(decision)}
        true = expected(by, holds, table)
        assert {cell: value for cell, value in told.items() if value or cell in true} == true, text
        assert possible(by, holds) <= told.keys(), text


@pytest.mark.slow
def test_a_choice_between_public_columns_is_published_by_one_of_them() -> None:
    figure = {"name": "smokers", "kind": "count", "by": "region"}
    figure["where"] = "(region = north or age >= 7) and smoker = yes"
    table = rows()
    decision = decided(figure, pa.table(table))
    assert decision is not None
    told = {item.cell: item.value for item in publish(decision)}
    true = expected(["region"], lambda row: row["region"] == "north" or row["age"] >= 7, table)
    assert told == {("north",): true["north",], ("south",): true["south",], ("east",): 0}


def test_a_figure_of_which_no_cell_is_left_is_refused_by_check_and_release(tmp_path: Path) -> None:
    figure = {"name": "smokers", "kind": "count", "by": ["region", "sex"]}
    figure["where"] = "region = north and (region = south or region = east) and smoker = yes"
    message = Desk(tmp_path).refusal(spec(public=PUBLIC, figures=[figure], target=TARGET), rows())
    assert "Figure 'smokers': where needs to leave some region, by which the figure is split" in message
    assert "Correct the condition, or leave the figure out" in message
