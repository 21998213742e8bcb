"""A specification with other figures, as YAML. Comments and the order of keys are not kept."""

import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from dalenius.basics.errors import OutputError
from dalenius.basics.inputs import path_of
from dalenius.data.databases import SPARK
from dalenius.desk.spec.model import FigureModel, SpecModel
from dalenius.enclosure.formats import nearly, plain
from dalenius.facts.records import Cell, Combinations, Where
from dalenius.mechanisms import Channel, Rounded
from dalenius.mechanisms.choice import LikeliestRate
from dalenius.mechanisms.compared import OnlyCompared
from dalenius.mechanisms.earned_count import ExactIfEarned
from dalenius.mechanisms.registry import row_of
from dalenius.mechanisms.small_counts import SmallCountsHidden
from dalenius.tables.figures import Figure

HEAD = "# Written by dalenius plan: the figures with the least change that lets them go out. Comments were not kept.\n"


def changed_spec(model: SpecModel, before: Sequence[Figure], becomes: Mapping[str, Sequence[Figure]]) -> SpecModel:
    """The specification with figures replaced: what `becomes` does not name stays as it is."""
    old = {figure.name: figure for figure in before}
    figures = [
        new
        for item in model.figures
        for new in (
            [_changed(item, old[item.name], figure) for figure in becomes[item.name]]
            if item.name in becomes
            else [item]
        )
    ]
    split = {figure.name: {figure.by} if isinstance(figure.by, str) else set(figure.by) for figure in figures}
    computed = [one for one in model.computed if _fit([split.get(name) for name in (*one.parts, *one.over)])]
    return model.model_copy(update={"figures": figures, "computed": computed})


def _fit(split: Sequence[set[str] | None]) -> bool:
    """Whether figures are all there, and split alike, so that something can be computed from them."""
    return None not in split and all(one == split[0] for one in split)


def _changed(item: FigureModel, before: Figure, after: Figure) -> FigureModel:
    """The keys of one figure, changed where the figure is."""
    keys: dict[str, Any] = {"name": after.name, "by": list(after.by)}
    if after.channel != before.channel:
        keys |= {
            "round": None,
            "noise": None,
            "hide": None,
            "compare": None,
            "earned": None,
            "choose": None,
            "models": None,
        }
        keys |= {"at": None} if item.compare is not None else {}
        for link in after.channel.links:
            keys |= _key(link)
    if after.truncated is not None and after.truncated != before.truncated:
        keys["truncate"] = [_number(limit) for limit in after.truncated]
    more = after.where.tests[len(before.where.tests) :]
    gone = [test for test in more if isinstance(test, Combinations) and test.left_out]
    if gone:
        keys["leave_out"] = [*item.leave_out, *(_cell(test, cell) for test in gone for cell in test.cells)]
    if len(more) > len(gone):
        asked = [test for test in after.where.tests if not isinstance(test, Combinations) or not test.left_out]
        keys["where"] = str(Where(tuple(asked)))
    return FigureModel.model_validate({**item.model_dump(exclude_defaults=True), **keys})


def _key(link: Channel) -> dict[str, object]:
    """How a channel stands in a specification."""
    match link:
        case Rounded(base):
            return {"round": base}
        case SmallCountsHidden(below, zeros):
            return {"hide": {"below": below, "zeros": zeros}}
        case LikeliestRate(rates):
            return {"choose": [_number(rate) for rate in rates]}
        case ExactIfEarned(low, high):
            return {"earned": {"between": [_number(low), _number(high)], "scale": _scale(link)}}
        case OnlyCompared(among, models=models) if models:
            return {"compare": among, "models": [[_number(chance) for chance in model] for model in models]}
        case OnlyCompared(among, at, moved):
            noise = {"noise": {"geometric": _drawn(moved)}} if moved is not None else {}
            return {"compare": among} if at is None else {"compare": among, "at": _number(at), **noise}
        case _:
            name = row_of(link).name
            return {name: _scale(link)} if name in FigureModel.model_fields else {"noise": {name: _scale(link)}}


def _cell(test: Combinations, cell: Cell) -> dict[str, object]:
    return {
        name: _number(value) if isinstance(value, Fraction) else value
        for name, value in zip(test.names, cell, strict=True)
    }


def _number(limit: Fraction) -> int | str:
    return int(limit) if limit.denominator == 1 else plain(limit)


def _scale(link: object) -> str:
    return _drawn(getattr(link, "scale", Fraction(0)))


def _drawn(scale: Fraction) -> str:
    """A scale of noise, so that what is read is no less."""
    return nearly(scale, 17) if Fraction(nearly(scale, 17)) >= scale else str(scale)


def check_new(target: Path) -> None:
    """OutputError unless a new file can be made there."""
    target = path_of(target, error=OutputError)
    if os.path.lexists(target):
        raise OutputError(f"Needed a new file, but {target} is there already. Choose another name, or remove it.")
    if not target.absolute().parent.is_dir():
        raise OutputError(f"Needed a folder {target.parent} to write {target.name} in, but there is none. Create it.")


def write_spec(model: SpecModel, source: Path, target: Path, without: Sequence[str] = ()) -> None:
    """Write the specification to a new file; names of files in it are made relative to where it stands. `without` are
    figures that cannot be computed any more: it says so.
    """
    check_new(target)
    content = _plain(model.model_dump(exclude_defaults=True))
    here, there = source.absolute().parent, target.absolute().parent
    for key in ("data", "policy", "ledger"):
        if key in content:
            content[key] = _moved(content[key], here, there)
    for name, belief in model.beliefs.items():
        if belief.counts is not None:
            content["beliefs"][name]["counts"] = _moved(belief.counts, here, there)
    lost = f"# Without {', '.join(without)}: what that is computed from does not go out alike.\n" if without else ""
    text = HEAD + lost + yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
    target.write_text(text, encoding="utf-8")


def _moved(name: str, here: Path, there: Path) -> str:
    """A path, seen from another folder; addresses of databases stay what they are."""
    if SPARK.fullmatch(name) or "://" in name or path_of(name).is_absolute():
        return name
    return os.path.relpath(here / name, there)


def _plain(content: Any) -> Any:
    """Tuples as lists, so that every reader of YAML understands them."""
    if isinstance(content, Mapping):
        return {key: _plain(value) for key, value in content.items()}
    return [_plain(value) for value in content] if isinstance(content, list | tuple) else content
