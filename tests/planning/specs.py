"""Random releases, as the planner sees them: seeded, small enough to judge in a moment."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from dalenius.beliefs.belief import IID, Independent
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Value
from dalenius.facts.statistics import Count, Sum
from dalenius.judge.definition import noiseless
from dalenius.judge.verification import verify
from dalenius.mechanisms import Chain, Rounded, TwoSidedGeometric
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.plan import Question, Target
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import Atom, History

BIT, POINTS = Categories(("no", "yes")), Numbers(Fraction(1), Fraction(0), Fraction(3))
YES = Where((("u", OneOf(("yes",))),))
SMOKERS, POINTED = Figure("smokers", "count", None, YES, ("r",)), Figure("points", "sum", "v", Where(), ("r",))


@dataclass(frozen=True)
class Release:
    figures: tuple[Figure, ...]
    history: History
    question: Question


def question(
    sizes: Mapping[str, int],
    rates: Mapping[str, str],
    *,
    known: object = 0,
    epsilon: str = "1/2",
    delta: str = "1e-4",
) -> Question:
    bits = {(cell,): (("no", 1 - Fraction(rate)), ("yes", Fraction(rate))) for cell, rate in rates.items()}
    points = tuple((Fraction(value), Fraction(1, 4)) for value in range(4))
    return Question(
        Frame(("r",), {(cell,): size for cell, size in sizes.items()}),
        {"u": BIT, "v": POINTS},
        (ColumnBelief("u", bits, "test", ("r",)), ColumnBelief("v", {(): points}, "test")),
        Attacker(known),
        Value(),
        Target(Fraction(epsilon), Fraction(delta)),
    )


def random_release(seed: int) -> Release:
    """One to three cells; counts, sums, totals that overlap, figures that are out, channels that are there already."""
    dice = random.Random(seed)
    cells = [f"c{place}" for place in range(dice.randint(1, 3))]
    asked = question(
        {cell: int(10 ** dice.uniform(0.5, 2.7)) for cell in cells},
        {cell: f"{dice.randint(1, 99)}/100" for cell in cells},
        known=dice.choice([0, 3, Fraction(1, 20), Fraction(1, 3)]),
        epsilon=dice.choice(["1/10", "1/2", "1", "2"]),
        delta=dice.choice(["1e-2", "1e-4", "1e-7"]),
    )
    asked = replace(asked, attacker=_fits(asked))
    pool = [
        SMOKERS,
        SMOKERS,
        POINTED,
        replace(SMOKERS, name="all smokers", by=()),
        replace(POINTED, name="all points", by=()),
    ]
    figures = _distinct(dice, pool, dice.choice([1, 1, 1, 1, 2]))
    if dice.random() < 0.15:
        links = dice.choice([Rounded(5), TwoSidedGeometric(Fraction(2))])
        figures[0] = replace(figures[0], channel=Chain((links,)))
    old = (
        History((replace(figures.pop(), name="out already"),))
        if len(figures) > 1 and dice.random() < 0.3
        else History()
    )
    return Release(tuple(figures), old, asked)


def _distinct(dice: random.Random, pool: list[Figure], number: int) -> list[Figure]:
    return list(dict.fromkeys(dice.sample(pool, number)))


def _fits(asked: Question) -> Attacker:
    known = asked.attacker.known
    return asked.attacker if not isinstance(known, int) else Attacker(min(known, asked.frame.size - 1))


def single_delta(atom: Atom, known: int, asked: Question) -> Fraction:
    """The certified δ of a number about an atom by `verify`, which knows nothing of planning."""
    (entry,) = atom.entries
    statistic = Count() if entry.figure.column is None else Sum()
    table = {belief.column: belief for belief in asked.beliefs}
    groups = []
    for cell, count in atom.groups:
        if entry.figure.column is None:
            rate = dict(table["u"].table[cell])["yes"]
            groups.append(({0: 1 - rate, 1: rate}, count))
        else:
            groups.append(({int(value): chance for value, chance in table["v"].table[()]}, count))
    belief = (
        Independent(groups=groups, known=known)
        if len(groups) > 1
        else IID(values=groups[0][0], n=atom.size, known=known)
    )
    release = Mechanism(statistic, entry.figure.channel.links or (Chain(()),))
    return Fraction(verify(release, noiseless(belief), epsilon=asked.target.epsilon).delta.upper)
