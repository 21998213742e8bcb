"""Figures that are computed from others, as a specification names them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec.model import ComputedModel, SpecModel
from dalenius.facts.records import Column, Label, exact
from dalenius.facts.secret import Hidden, hides_presence
from dalenius.mechanisms.compared import FEWEST_COMPARED, MOST_COMPARED, OnlyCompared, comparison
from dalenius.tables.computed import NAMED, OF_COUNTS, SPREADS, Computed
from dalenius.tables.figures import Figure


def computed_of(model: SpecModel, figures: Sequence[Figure], secret: Hidden) -> tuple[Computed, ...]:
    """The computed figures; SpecError unless each is made of figures that fit together."""
    known = {figure.name: figure for figure in figures}
    try:
        return tuple(_computed(item, known, secret) for item in model.computed)
    except InputError as error:
        raise SpecError(str(error)) from None


def check_compared(figures: Sequence[Figure], computed: Sequence[Computed], public: Mapping[str, Column]) -> None:
    """SpecError unless counts that are only compared are compared with others of the same people, all of them: so that
    somebody who is in one of them is in all, and in the counts of no other comparison that look the same. `figures` are
    all that are judged, `computed` those of the new ones.
    """
    kinds: dict[tuple[object, ...], list[Figure]] = {}
    for figure in figures:
        if comparison(figure.channel.links) is not None:
            kinds.setdefault(_about(figure, public), []).append(figure)
    for key, some in kinds.items():
        if len(some) % int(str(key[0])):
            raise SpecError(
                f"Figure {some[0].name!r}: {key[0]} counts of the same people are compared, but there are {len(some)}. "
                "Write kind: winner with the column whose values are counted."
            )
    by_name = {figure.name: figure for figure in figures}
    for one in computed:
        if one.kind in NAMED and len({_about(by_name[name], public) for name in one.parts}) > 1:
            raise SpecError(
                f"Computed figure {one.name!r} needs counts of the same people. Write the same public conditions, or "
                "kind: winner."
            )


def check_named(asked: Sequence[Figure], computed: Sequence[Computed]) -> None:
    """SpecError unless a value is named by all new counts that are only compared."""
    named = {name for one in computed if one.kind in NAMED for name in one.parts}
    for figure in asked:
        if comparison(figure.channel.links) is not None and figure.name not in named:
            raise SpecError(
                f"Figure {figure.name!r}: it is only compared, but no figure names the largest. Write kind: winner "
                "with the column whose values are counted."
            )


def _about(figure: Figure, public: Mapping[str, Column]) -> tuple[object, ...]:
    """With how many others a count is compared, and whom it is about, as anybody may know."""
    link = comparison(figure.channel.links)
    among, *how = (0, None, None, ()) if link is None else (link.among, link.at, link.moved, link.models)
    return among, *how, frozenset(map(repr, figure.where.on(frozenset(public)).tests)), frozenset(figure.by)


def _computed(model: ComputedModel, figures: dict[str, Figure], secret: Hidden) -> Computed:
    what = f"Computed figure {model.name!r}"
    used = []
    for name in (*model.parts, *model.over):
        if name not in figures:
            raise SpecError(
                f"{what} needs figures of this specification, but there is no {name!r}. Name figures, not what is "
                "computed from them."
            )
        used.append(figures[name])
    if any(set(figure.by) != set(used[0].by) for figure in used):
        raise SpecError(f"{what} needs figures that are split by the same columns. Write the same by for all of them.")
    found = Computed(
        model.name,
        model.kind,
        tuple(model.parts),
        tuple(model.over),
        tuple(exact(weight, name=f"{what}: a weight") for weight in model.weights),
        exact(model.times, name=f"{what}: times"),
        exact(model.at, name=f"{what}: at"),
        tuple(_value(value, model, what) for value in model.values),
    )
    _check(found, what)
    at = exact(model.at, name=f"{what}: at") if model.kind == "place" else None
    links = {comparison(figure.channel.links) for figure in used}
    alike = {link and replace(link, moved=None) for link in links}
    noise = {None if link is None else link.moved for link in links}
    if model.kind in NAMED and (len(links) > 1 or alike != {_comparison(found, at)}):
        place = "" if at is None else f" and at: {model.at}"
        raise SpecError(
            f"{what} names a value by counts that are only compared. Write compare: {len(model.parts)}{place} for each "
            "of them, or kind: winner (or kind: median with counts: hidden) with the column whose values are counted."
        )
    order = [[*figures].index(name) for name in model.parts]
    if model.kind in NAMED and order != sorted(order):
        raise SpecError(f"{what} needs its parts in the order in which they stand under figures. Sort them.")
    if model.kind not in NAMED and any(figure.channel.hides for figure in used):
        raise SpecError(
            f"{what} is computed from counts that are published, but one of them is hidden where it is small, or only "
            "compared. Publish it, or leave out what is computed from it."
        )
    if found.needs_people and hides_presence(secret):
        raise SpecError(
            f"{what} needs a figure under over, since where presence is secret there is no public number of people. "
            "Add the count, and name it."
        )
    (scale, *_) = noise
    return found if scale is None else replace(found, weights=(scale,))


def _comparison(found: Computed, at: Fraction | None) -> OnlyCompared | None:
    many = len(found.parts)
    if not FEWEST_COMPARED <= many <= MOST_COMPARED or (at is not None and not 0 <= at <= 1):
        return None
    return OnlyCompared(many, at, models=found.models)


def _value(value: Label | float, model: ComputedModel, what: str) -> Label | Fraction:
    """Numbers for what is calculated with them; other values are labels, as they stand."""
    if model.kind in SPREADS:
        return exact(value if not isinstance(value, bool) else "true", name=f"{what}: a value")
    return str(value) if isinstance(value, float) else value


def _check(found: Computed, what: str) -> None:
    """InputError unless it has what its kind needs, and nothing else."""
    counted = found.kind in OF_COUNTS or (found.kind in SPREADS and bool(found.values))
    if counted != bool(found.values) or (counted and len(found.values) != len(found.parts)):
        raise InputError(
            f"{what}: a {found.kind} needs {'one of values for each of parts' if counted else 'no values'}. Correct it."
        )
    if found.kind in SPREADS and not counted and (len(found.parts), len(found.over) > 1) != (2, False):
        raise InputError(
            f"{what}: a {found.kind} has two parts, a sum and a sum of squares, over one count. Name them."
        )
    if found.over and (counted or found.kind == "total"):
        raise InputError(f"{what}: a {found.kind} is not divided by other figures. Remove over.")
    weighted = found.kind in ("total", "quotient")
    if found.kind == "model":
        if not found.weights or len(found.weights) % len(found.parts):
            raise InputError(
                f"{what}: a model has a weight for each of parts, one model after the other. Correct them."
            )
    elif found.weights and not (weighted and len(found.weights) == len(found.parts) == len(found.over or found.parts)):
        raise InputError(f"{what}: weights are for a total or a quotient, one for each part. Correct them.")
    if found.kind == "place":
        if not 0 <= found.at <= 1:
            raise InputError(f"{what}: at is a share from 0 to 1. Write at: 0.5.")
    elif not 0 < found.at <= 1 or (found.at != Fraction(1, 2) and found.kind != "quantile"):
        raise InputError(f"{what}: at is for a quantile, above 0 and at most 1. Write at: 0.9.")
    if found.times <= 0 or (found.times != 1 and found.kind != "quotient"):
        raise InputError(f"{what}: times is for a quotient, and above 0. Write times: 100.")
