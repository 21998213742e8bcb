"""Small worlds for kinds of figures, by brute force: every dataset is listed, and every figure worked out by hand.

Nothing here is shared with the program: figures are computed from the rows, as somebody would who has them.
"""

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

Row = Mapping[str, object]  # region, w (public); s, v (confidential)
Figures = Callable[[Sequence[Row]], object]
FEW = Fraction(1, 10**12)


@dataclass(frozen=True)
class Drawn:
    """What goes out where dice are rolled: the chances of each outcome."""

    chances: Mapping[object, float]


@dataclass(frozen=True)
class Kind:
    """A figure as a specification writes it, what it says of some rows, and the confidential columns that it uses."""

    keys: Mapping[str, object]
    says: Figures
    uses: str


def over(top: Fraction | int, below: Fraction | int, times: int = 1) -> Fraction | None:
    return Fraction(top) * times / below if below else None


def yes(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["s"] == "yes"]


def many(rows: Sequence[Row], least: int = 1) -> list[Row]:
    return [row for row in rows if row["v"] >= least]


def total(rows: Sequence[Row], column: str = "v") -> Fraction:
    return sum((Fraction(row[column]) for row in rows), Fraction(0))


def weighted(rows: Sequence[Row], column: str | None = None) -> Fraction:
    return sum((Fraction(row["w"]) * (Fraction(row[column]) if column else 1) for row in rows), Fraction(0))


def in_order(rows: Sequence[Row]) -> list[int]:
    return sorted(row["v"] for row in rows)


def quantile(rows: Sequence[Row], share: Fraction) -> object:
    """The least value such that at least this share of the rows do not exceed it."""
    values = in_order(rows)
    return next((value for value in values if sum(v <= value for v in values) >= share * len(values)), None)


def spread(rows: Sequence[Row]) -> Fraction | None:
    mean = over(total(rows), len(rows))
    squares = sum(((Fraction(row["v"]) - mean) ** 2 for row in rows), Fraction(0))
    return over(squares, len(rows) - 1) if len(rows) > 1 else None


def each(rows: Sequence[Row], says: Figures) -> tuple[object, ...]:
    """By region."""
    return tuple(says([row for row in rows if row["region"] == region]) for region in ("n", "s"))


def mode(rows: Sequence[Row]) -> object:
    values = in_order(rows)
    return max(sorted(set(values)), key=values.count, default=None)


HALF, MOST = Fraction(1, 2), Fraction(9, 10)
# Where what stands below the line is confidential, it is known with the quotient.
KINDS: dict[str, Kind] = {
    "percentage": Kind(
        {"kind": "percentage", "of": {"s": "yes"}, "by": "region"},
        lambda rows: each(rows, lambda some: over(len(yes(some)), len(some), 100)),
        "s",
    ),
    "percentage of some": Kind(
        {"kind": "percentage", "of": {"s": "yes"}, "where": "v >= 1"},
        lambda rows: (over(len(yes(many(rows))), len(many(rows)), 100), len(many(rows))),
        "sv",
    ),
    "percentage of a public label": Kind(
        {"kind": "percentage", "of": {"region": "n"}, "where": {"s": "yes"}},
        lambda rows: (over(sum(row["region"] == "n" for row in yes(rows)), len(yes(rows)), 100), len(yes(rows))),
        "s",
    ),
    "percentages of labels": Kind(
        {"kind": "percentage", "of": "s"},
        lambda rows: (over(len(yes(rows)), len(rows), 100), over(len(rows) - len(yes(rows)), len(rows), 100)),
        "s",
    ),
    "percentage by a confidential column": Kind(
        {"kind": "percentage", "of": "v = 2", "by": "s"},
        lambda rows: tuple(
            (over(len(many(some, 2)), len(some), 100), len(some))
            for some in (yes(rows), [row for row in rows if row["s"] == "no"])
        ),
        "sv",
    ),
    "rate": Kind({"kind": "rate", "column": "v"}, lambda rows: over(total(rows), len(rows), 1000), "v"),
    "rate of some": Kind(
        {"kind": "rate", "of": {"v": 2}, "where": {"s": "yes"}, "per": 10},
        lambda rows: (over(len(many(yes(rows), 2)), len(yes(rows)), 10), len(yes(rows))),
        "sv",
    ),
    "ratio": Kind(
        {"kind": "ratio", "of": {"v": 2}, "to": "v <= 1"},
        lambda rows: (over(len(many(rows, 2)), len(rows) - len(many(rows, 2))), len(rows) - len(many(rows, 2))),
        "v",
    ),
    "share of a total": Kind(
        {"kind": "ratio", "column": "v", "of": {"s": "yes"}, "to": "v"},
        lambda rows: (over(total(yes(rows)), total(rows)), total(rows)),
        "sv",
    ),
    "mean of some": Kind(
        {"kind": "mean", "column": "v", "where": {"s": "yes"}},
        lambda rows: (over(total(yes(rows)), len(yes(rows))), len(yes(rows))),
        "sv",
    ),
    "weighted count": Kind(
        {"kind": "count", "where": {"s": "yes"}, "weight": "w"}, lambda rows: weighted(yes(rows)), "s"
    ),
    "weighted sum": Kind({"kind": "sum", "column": "v", "weight": "w"}, lambda rows: weighted(rows, "v"), "v"),
    "weighted mean": Kind(
        {"kind": "mean", "column": "v", "weight": "w"}, lambda rows: over(weighted(rows, "v"), weighted(rows)), "v"
    ),
    "weighted percentage": Kind(
        {"kind": "percentage", "of": {"s": "yes"}, "weight": "w", "by": "region"},
        lambda rows: each(rows, lambda some: over(weighted(yes(some)), weighted(some), 100)),
        "s",
    ),
    "variance": Kind({"kind": "variance", "column": "v"}, spread, "v"),
    "standard deviation": Kind({"kind": "standard deviation", "column": "v"}, spread, "v"),
    "variance of some": Kind(
        {"kind": "variance", "column": "v", "where": {"s": "yes"}}, lambda rows: spread(yes(rows)), "sv"
    ),
    "median": Kind(
        {"kind": "median", "column": "v", "by": "region"},
        lambda rows: each(rows, lambda some: quantile(some, HALF)),
        "v",
    ),
    "quantile": Kind({"kind": "quantile", "at": "0.9", "column": "v"}, lambda rows: quantile(rows, MOST), "v"),
    "smallest": Kind({"kind": "smallest", "column": "v"}, lambda rows: min(in_order(rows), default=None), "v"),
    "largest of some": Kind(
        {"kind": "largest", "column": "v", "where": {"s": "yes"}},
        lambda rows: max(in_order(yes(rows)), default=None),
        "sv",
    ),
    "mode": Kind({"kind": "mode", "column": "v"}, mode, "v"),
}
VALUES: dict[str, tuple[object, ...]] = {"s": ("no", "yes"), "v": (0, 1, 2)}


@dataclass(frozen=True)
class Small:
    """Persons by region and weight, the laws of their columns, who attacks, and epsilon."""

    people: tuple[tuple[str, str], ...]
    laws: Mapping[str, tuple[Fraction, ...]]
    known: int
    epsilon: Fraction

    @classmethod
    def random(cls, dice: random.Random, most: int = 5) -> "Small":
        people = [(dice.choice("ns"), dice.choice("12")) for _ in range(dice.randint(3, most))]
        laws = {}
        for name, values in VALUES.items():
            weights = [dice.randint(1, 6) for _ in values]
            laws[name] = tuple(Fraction(weight, sum(weights)) for weight in weights)
        return cls(tuple(sorted(people)), laws, dice.choice([0, 0, 1]), Fraction(dice.choice([0, 1, 2, 4]), 2))

    def specification(self, kind: Kind) -> dict[str, object]:
        """As somebody writes it; `delta` so small that every bound is worked out."""
        beliefs = {
            name: {"probabilities": dict(zip(map(str, VALUES[name]), map(str, law), strict=True)), "source": "?"}
            for name, law in self.laws.items()
        }
        return {
            "person": "id",
            "public": {"region": ["n", "s"], "w": {"bounds": [1, 2]}},
            "confidential": {"s": ["no", "yes"], "v": {"bounds": [0, 2]}},
            "beliefs": beliefs,
            "attacker": {"knows": str(self.known), "source": "?"},
            "target": {"epsilon": str(self.epsilon), "delta": str(FEW)},
            "figures": [{"name": "figure", **kind.keys}],
        }

    def truth(self, says: Figures, uses: str) -> float:
        """The exact delta: worst over persons, pairs of facts, and known records with their values. `says` tells what
        goes out, or how likely each outcome is.
        """
        letters = list(itertools.product(*(VALUES[name] for name in uses)))
        chances = [
            math.prod(some, start=Fraction(1)) for some in itertools.product(*(self.laws[name] for name in uses))
        ]
        worst, factor = 0.0, math.exp(self.epsilon)
        for target in {person: place for place, person in enumerate(self.people)}.values():
            others = [place for place in range(len(self.people)) if place != target]
            for known in itertools.combinations(others, self.known):
                outputs: dict[object, dict[object, dict[object, float]]] = defaultdict(lambda: defaultdict(dict))
                for data in itertools.product(range(len(letters)), repeat=len(self.people)):
                    mass = math.prod((chances[data[p]] for p in others if p not in known), start=Fraction(1))
                    rows = [
                        {"region": person[0], "w": person[1], **dict(zip(uses, letters[at], strict=True))}
                        for person, at in zip(self.people, data, strict=True)
                    ]
                    law = outputs[tuple(data[p] for p in known)][data[target]]
                    told = says(rows)
                    for out, chance in told.chances.items() if isinstance(told, Drawn) else ((told, 1.0),):
                        law[out] = law.get(out, 0.0) + float(mass) * chance
                for laws in outputs.values():
                    for one, two in itertools.permutations(laws.values(), 2):
                        excess = (mass - factor * two.get(out, 0.0) for out, mass in one.items())
                        worst = max(worst, math.fsum(max(0.0, part) for part in excess))
        return worst
