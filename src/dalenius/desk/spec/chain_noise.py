"""Noise whose scale a theorem about records in an order gives: by Markov quilts, or by the distance of laws.

The scale is that of a chain of `LONG` records (quilts hardly depend on how many there are); what such noise hides of
the records that are there is worked out by the judge, as of any other noise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec.model import FigureModel
from dalenius.facts.records import Column
from dalenius.facts.statistics import Tabled
from dalenius.mechanisms import Chain
from dalenius.tables.figures import ColumnBelief, Figure

LONG: Mapping[str, int] = {"quilt": 2_000, "distance": 100}
Way = Literal["quilt", "distance"]


def with_chain_noise(
    figures: Sequence[Figure],
    models: Sequence[FigureModel],
    beliefs: Sequence[ColumnBelief],
    confidential: Mapping[str, Column],
) -> tuple[Figure, ...]:
    """The figures, with noise where a theorem is to say how much."""
    return tuple(
        figure if model.noise is None or model.noise.way is None else _noisy(figure, model, beliefs, confidential)
        for figure, model in zip(figures, models, strict=True)
    )


def _noisy(
    figure: Figure, model: FigureModel, beliefs: Sequence[ColumnBelief], confidential: Mapping[str, Column]
) -> Figure:
    from dalenius.data import representable
    from dalenius.mechanisms.correlated import markov_quilt, wasserstein  # heavy, and few figures need it
    from dalenius.mechanisms.registry import ROWS
    from dalenius.tables.stances import Ordered

    way = None if model.noise is None else model.noise.way
    used = figure.confidential(confidential)
    held = [belief for belief in beliefs if used.intersection(belief.columns)]
    stance = held[0].stance if len(held) == len(used) == 1 else None
    what = f"Figure {figure.name!r}: noise by {way}"
    if way is None or model.noise is None or not isinstance(stance, Ordered) or stance.known_at:
        raise SpecError(
            f"{what} is for a figure of one column whose belief is an order of which no record is known. Write noise: "
            "{geometric: 4}, or a belief with order."
        )
    (column,) = used
    states = [row for row, _ in stance.moves]
    adds = tuple(figure.contribution({column: state}, confidential) for state in states if not isinstance(state, tuple))
    epsilon = model.noise.quilt if way == "quilt" else model.noise.distance
    try:
        chain = stance.believed(states, adds, LONG[way], ()).belief
        hide = markov_quilt if way == "quilt" else wasserstein
        scale = hide(chain, Tabled(adds), epsilon=epsilon or 0).scale  # type: ignore[arg-type]  # a chain, as above
    except InputError as error:
        raise SpecError(f"{what}: {error}") from None
    if scale > ROWS["geometric"].largest:
        raise SpecError(
            f"{what} needs a scale of more than {ROWS['geometric'].largest} units. Choose a larger epsilon."
        )
    noise = ROWS["geometric"].made(representable(scale))
    return replace(figure, channel=Chain((noise, *figure.channel.links)))
