"""Beliefs and attackers as JSON, and back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

from dalenius.facts.records import Cell, exact
from dalenius.record.codec.form import Form, Json, Keys, Table, filled
from dalenius.record.codec.numbers import cell_json, cell_of, number_of, number_or_none, text_or_none
from dalenius.record.codec.runs import marginal_json, marginal_of
from dalenius.record.codec.stances import stance_json, stance_of
from dalenius.tables.figures import Attacker, Chances, ColumnBelief, Together
from dalenius.tables.sample import DrawnBy


def _table_json(table: Mapping[Cell, Chances]) -> Json:
    return [[cell_json(cell), marginal_json(marginal)] for cell, marginal in table.items()]


def _cells(belief: ColumnBelief) -> Json:
    """In words, for machines that show them."""
    least = belief.least or {}
    return [
        {
            "cell": [str(value) for value in cell],
            "probabilities": _chances(belief, marginal),
            "at_least": _chances(belief, least.get(cell, ())),
        }
        for cell, marginal in belief.table.items()
    ]


def _chances(belief: ColumnBelief, chances: Chances) -> dict[str, str]:
    """Values with their probabilities; of several columns, with commas between them."""
    return {", ".join(map(str, belief.row(value))): str(chance) for value, chance in chances}


STATED: Keys[ColumnBelief] = {
    "column": lambda belief: belief.column,
    "by": lambda belief: list(belief.by),
    "source": lambda belief: belief.source,
}
FITTED: Keys[ColumnBelief] = {"fitted": lambda belief: belief.fitted}
SURE: Keys[ColumnBelief] = {"confidence": lambda belief: text_or_none(belief.confidence)}
DIFFER: Keys[ColumnBelief] = {"differ": lambda belief: belief.differ}
BELIEF: Table[ColumnBelief] = {
    Form.LEDGER: {
        **STATED,
        **FITTED,
        "table": lambda belief: _table_json(belief.table),
        "least": lambda belief: None if belief.least is None else _table_json(belief.least),
        **SURE,
        **DIFFER,
    },
    Form.CERTIFICATE: {**STATED, **SURE, **DIFFER},
    Form.DECISION: {**STATED, **FITTED, **SURE, "cells": _cells},
}


def belief_json(belief: ColumnBelief, form: Form = Form.LEDGER) -> dict[str, Json]:
    """A belief with its source. The laws that follow from it stand elsewhere in a certificate."""
    beside = {"beside": list(belief.beside)} if belief.beside else {}  # only beliefs about several columns have it
    stated = {} if belief.stated or form == Form.CERTIFICATE else {"stated": False}
    widened = {"widened": True} if belief.widened and form == Form.LEDGER else {}
    stance = {"stance": stance_json(belief.stance)} if belief.stance is not None and form != Form.CERTIFICATE else {}
    return (
        filled(BELIEF, form, belief) | beside | stated | widened | stance | _scenarios(belief, form) | _answered(belief)
    )


def _answered(belief: ColumnBelief) -> dict[str, Json]:
    """With which chance answers were kept; only beliefs about randomised answers have it."""
    return {} if belief.answered is None else {"answered": str(belief.answered)}


def _scenarios(belief: ColumnBelief, form: Form) -> dict[str, Json]:
    """The tables beside the first; in a certificate how many there are, where the laws stand with the groups."""
    if not belief.scenarios:
        return {}
    if form == Form.CERTIFICATE:
        return {"scenarios": len(belief.scenarios) + 1}
    if form == Form.DECISION:
        return {"scenarios": [_cells(replace(belief, table=table)) for table in belief.scenarios]}
    return {"scenarios": [_table_json(table) for table in belief.scenarios]}


def belief_of(found: Json) -> ColumnBelief:
    """The belief behind the JSON of a ledger."""
    return ColumnBelief(
        found["column"],
        _table_of(found["table"]),
        found["source"],
        tuple(found["by"]),
        found["fitted"],
        None if found["least"] is None else _table_of(found["least"]),
        number_or_none(found["confidence"]),
        found["differ"],
        tuple(found.get("beside", ())),
        found.get("stated", True),
        found.get("widened", False),
        stance_of(found["stance"]) if "stance" in found else None,
        tuple(map(_table_of, found.get("scenarios", ()))),
        number_of(found["answered"]) if "answered" in found else None,
    )


def _table_of(found: Json) -> dict[Cell, Chances]:
    return {cell_of(cell): marginal_of(runs) for cell, runs in found}


@final
@dataclass(frozen=True, slots=True)
class Limited:
    """An attacker, and how many records may be known such that the claim still holds; `looked` says whether anybody
    looked for that.
    """

    attacker: Attacker
    largest_known: int | None = None
    looked: bool = True


WHENCE: Keys[Limited] = {
    "in_every_group": lambda one: one.attacker.in_every_group,
    "source": lambda one: one.attacker.source,
}
MOST: Keys[Limited] = {"largest_known": lambda one: one.largest_known}
ATTACKER: Table[Limited] = {
    Form.LEDGER: {"knows": lambda one: _known(one.attacker), **WHENCE},
    Form.CERTIFICATE: {"knows": lambda one: str(exact(one.attacker.known, name="known")), **WHENCE, **MOST},
    Form.DECISION: {"knows": lambda one: str(one.attacker.known), **WHENCE, **MOST},
}


def _known(attacker: Attacker) -> int | str:
    return attacker.known if isinstance(attacker.known, int) else str(attacker.known)


def attacker_json(attacker: Attacker | Limited, form: Form = Form.LEDGER) -> dict[str, Json]:
    """Who attacks."""
    one = attacker if isinstance(attacker, Limited) else Limited(attacker)
    found = filled(ATTACKER, form, one)
    return found if one.looked else {key: part for key, part in found.items() if key != "largest_known"}


def together_json(together: Together) -> dict[str, Json]:
    """Whose records move together, and how much of each is its own."""
    return {"column": together.column, "weight": str(together.weight), "source": together.source}


def together_of(found: Json) -> Together:
    """The same, behind its JSON."""
    return Together(str(found["column"]), exact(found["weight"], name="weight"), str(found["source"]))


def sample_json(sample: DrawnBy) -> dict[str, Json]:
    """How people were drawn; not how many were, which the table says."""
    return {
        "design": sample.design,
        "by": list(sample.by),
        "members": [[cell_json(cell), count] for cell, count in sample.members.items()],
        "rates": [[cell_json(cell), str(rate)] for cell, rate in sample.rates.items()],
        "secret": sample.secret,
        "source": sample.source,
    }


def sample_of(found: Json) -> DrawnBy:
    """The same, behind its JSON."""
    if found["design"] not in ("simple", "independent"):
        raise ValueError("a design")
    return DrawnBy(
        found["design"],
        tuple(found["by"]),
        {cell_of(cell): int(count) for cell, count in found["members"]},
        str(found["source"]),
        {cell_of(cell): number_of(rate) for cell, rate in found["rates"]},
        bool(found["secret"]),
    )
