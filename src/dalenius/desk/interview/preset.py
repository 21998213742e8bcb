"""Answers that are usual for a kind of data: they change the defaults, and say why."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from dalenius.basics.errors import SpecError


@final
@dataclass(frozen=True, slots=True)
class Preset:
    """A kind of data: the answers that are usual for it, by question, and why."""

    name: str
    title: str
    why: str
    answers: Mapping[str, str]
    epsilon: str = "0.5"
    delta: str = "1e-6"


PRESETS = (
    Preset(
        "survey",
        "a sample survey of persons",
        "Who took part is taken as known, although it often is not: the careful reading, so that those who took part "
        "are everybody. The largest group that could pool its own answers is usually an employer or a school, with a "
        "few per cent.",
        {"secret": "value", "attacker": "group", "knows": "5 %", "population": "everybody"},
    ),
    Preset(
        "register",
        "a hospital register, or another register of everybody",
        "Everybody knows who is in it, so the diagnosis is the secret and not the presence. A clinic or an insurer "
        "knows its own patients. Several visits of one patient must be one record, or the numbers are wrong.",
        {"secret": "value", "attacker": "group", "knows": "5 %", "population": "everybody"},
    ),
    Preset(
        "insider",
        "an insider who knows a stated share of the records",
        "Somebody who works with the data, or an earlier leak. The share decides everything: a fifth is the default, "
        "and the report says up to which share the answer holds.",
        {"secret": "value", "attacker": "insider", "knows": "20 %", "population": "everybody"},
    ),
    Preset(
        "monthly",
        "the same table every month",
        "All months are about the same people and are judged together, so what went out before must be named (there is "
        "no default for that). The promise is for all of them at once, and delta is smaller, since it is given often.",
        {"secret": "value", "attacker": "group", "knows": "5 %", "population": "everybody"},
        delta="1e-7",
    ),
    Preset(
        "business",
        "a business survey with a dominant firm",
        "The secret is a firm's total, the attacker a competitor who knows its own record and those of partners. A "
        "firm that makes most of a total is not hidden by the others: expect that sums need noise, or leave its cell "
        "out. Firms of one owner must be one record.",
        {"secret": "total", "attacker": "competitor", "knows": "10 %", "population": "everybody"},
        epsilon="1",
    ),
)
PLAIN = Preset("", "", "", {})


def preset_named(name: str) -> Preset:
    """The preset of this name."""
    for preset in PRESETS:
        if preset.name == name:
            return preset
    names = [preset.name for preset in PRESETS]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"Did you mean {near[0]}?" if near else "Choose one, or none."
    told = "; ".join(f"{preset.name} ({preset.title})" for preset in PRESETS)
    raise SpecError(f"A preset is one of: {told}; but got {name!r}. {hint}")
