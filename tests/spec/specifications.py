"""Random specifications of small tables, and what is true of them: every dataset is listed, nothing is shared.

Columns s (yes or no) and v (0 to 2, perhaps missing, in bins, or made of several rows a person); beliefs that have them
independent, together, by region, or that leave the law of s open; one or two figures of any kind.
"""

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from spec.kinds import FEW, KINDS, Figures, Row, each, many, over, quantile, total, yes

HALF = Fraction(1, 2)
BINS = ("0 to under 1", "1 to under 2", "2 to 3")
MISSING = "missing"
Law = Mapping[tuple[object, ...], Fraction]  # of the values of s and v


def there(rows: Sequence[Row]) -> list[Row]:
    """Those whose v is not missing."""
    return [row for row in rows if row["v"] != MISSING]


def numbers(rows: Sequence[Row], column: str) -> tuple[object, ...]:
    """How many have each value."""
    return tuple(sorted((repr(value), n) for value, n in _counted(row[column] for row in rows).items()))


def _counted(values: Sequence[object]) -> dict[object, int]:
    found: dict[object, int] = defaultdict(int)
    for value in values:
        found[value] += 1
    return found


def crosstab(rows: Sequence[Row], *columns: str) -> object:
    return tuple(sorted(_counted(tuple(map(repr, map(row.get, columns))) for row in rows).items()))


def left_out(rows: Sequence[Row]) -> object:
    some = there(rows)
    return total(some), len(some)


# What is said of labels, of bins and of missing values; what needs numbers is in KINDS.
LABELLED: dict[str, tuple[Mapping[str, object], Figures]] = {
    "count": ({"kind": "count", "where": {"s": "yes"}, "by": "region"}, lambda rows: each(rows, lambda a: len(yes(a)))),
    "by s": ({"kind": "count", "by": ["region", "s"]}, lambda rows: crosstab(rows, "region", "s")),
}
BINNED: dict[str, tuple[Mapping[str, object], Figures]] = {
    "by v": ({"kind": "count", "by": ["v"]}, lambda rows: numbers(rows, "v")),
    "by region and v": ({"kind": "count", "by": ["region", "v"]}, lambda rows: crosstab(rows, "region", "v")),
    "crosstab": ({"kind": "count", "by": ["s", "v"]}, lambda rows: crosstab(rows, "s", "v")),
    "margin beside": ({"kind": "count", "where": {"s": "yes"}, "by": ["v"]}, lambda rows: numbers(yes(rows), "v")),
}
PARTLY: dict[str, tuple[Mapping[str, object], Figures]] = {
    "sum": ({"kind": "sum", "column": "v"}, lambda rows: total(there(rows))),
    "sum of some": ({"kind": "sum", "column": "v", "where": {"s": "yes"}}, lambda rows: total(there(yes(rows)))),
    "sum by s": (
        {"kind": "sum", "column": "v", "by": ["s"]},
        lambda rows: (total(there(yes(rows))), total(there(rows))),
    ),
    "many": ({"kind": "count", "where": "v >= 1", "by": "region"}, lambda rows: each(rows, _many)),
    "percentage of those there": (
        {"kind": "percentage", "of": {"s": "yes"}, "where": "v >= 0"},
        lambda rows: (over(len(yes(there(rows))), len(there(rows)), 100), len(there(rows))),
    ),
    "median of those there": ({"kind": "median", "column": "v"}, lambda rows: quantile(there(rows), HALF)),
}
LEFT_OUT = ({"kind": "mean", "column": "v", "missing": "leave out of this figure"}, left_out)


def _many(rows: Sequence[Row]) -> int:
    return len(many(there(rows)))


@dataclass(frozen=True)
class Specified:
    """A specification, and all that its figures say of some rows."""

    keys: Mapping[str, object]
    people: tuple[tuple[str, str], ...]  # region and weight
    corners: Mapping[str, tuple[Law, ...]]  # by region: the laws that each person may follow
    says: Figures
    known: int
    epsilon: Fraction
    words: str

    def truth(self) -> float:
        """Delta: worst over persons, pairs of facts, laws that are left open, and known records with their values."""
        letters = list(dict.fromkeys(value for law in self.corners["n"] for value in law))
        rows = [[dict(zip(("s", "v"), letter, strict=True)) for letter in letters]] * len(self.people)
        told: dict[tuple[int, ...], object] = {}
        for data in itertools.product(range(len(letters)), repeat=len(self.people)):
            found = [
                {"region": person[0], "w": person[1], **rows[place][at]}
                for place, (person, at) in enumerate(zip(self.people, data, strict=True))
            ]
            told[data] = self.says(found)
        worst, factor = 0.0, math.exp(self.epsilon)
        for target in {person: place for place, person in enumerate(self.people)}.values():
            others = [place for place in range(len(self.people)) if place != target]
            for known in itertools.combinations(others, self.known):
                open_ = [place for place in others if place not in known]
                for laws in itertools.product(*(self.corners[self.people[place][0]] for place in open_)):
                    chances = [[float(law.get(letter, 0)) for letter in letters] for law in laws]
                    worst = max(
                        worst, self._excess(told, target, known, dict(zip(open_, chances, strict=True)), factor)
                    )
        return worst

    @staticmethod
    def _excess(
        told: Mapping[tuple[int, ...], object],
        target: int,
        known: tuple[int, ...],
        chances: Mapping[int, Sequence[float]],
        factor: float,
    ) -> float:
        outputs: dict[tuple[int, ...], dict[int, dict[object, float]]] = defaultdict(lambda: defaultdict(dict))
        for data, out in told.items():
            mass = math.prod(chances[place][data[place]] for place in chances)
            law = outputs[tuple(data[place] for place in known)][data[target]]
            law[out] = law.get(out, 0.0) + mass
        worst = 0.0
        for laws in outputs.values():
            for one, two in itertools.permutations(laws.values(), 2):
                excess = (mass - factor * two.get(out, 0.0) for out, mass in one.items())
                worst = max(worst, math.fsum(max(0.0, part) for part in excess))
        return worst


def specified(dice: random.Random) -> Specified:
    """A random one."""
    form = dice.choice(["plain", "plain", "missing", "bins", "rows"])
    values: tuple[object, ...] = {"bins": BINS, "missing": (0, 1, 2, MISSING)}.get(form, (0, 1, 2))
    people = sorted((dice.choice("ns"), dice.choice("12")) for _ in range(dice.randint(3, 4)))
    belief, corners, words = _belief(dice, values)
    figures, says, names = _figures(dice, form)
    known, epsilon = dice.choice([0, 0, 1]), Fraction(dice.choice([0, 1, 2, 4]), 2)
    keys: dict[str, object] = {
        "person": "id",
        "public": {"region": ["n", "s"], "w": {"bounds": [1, 2]}},
        "beliefs": belief,
        "attacker": {"knows": str(known), "source": "?"},
        "target": {"epsilon": str(epsilon), "delta": str(FEW)},
        "figures": figures,
    }
    if form == "rows":
        keys["rows"] = {"ill": ["no", "yes"]}
        keys["per_person"] = {
            "s": {"take": "any", "where": "ill = yes"},
            "v": {"take": "number of rows", "limits": [0, 2]},
        }
    else:
        column: dict[str, object] = {"bins": [0, 1, 2, 3]} if form == "bins" else {"bounds": [0, 2]}
        column |= {"missing": "as a value"} if form == "missing" else {}
        keys["confidential"] = {"s": ["no", "yes"], "v": column}
    return Specified(keys, tuple(people), corners, says, known, epsilon, f"{form}; {words}; {' + '.join(names)}")


def _figures(dice: random.Random, form: str) -> tuple[list[dict[str, object]], Figures, list[str]]:
    choices: dict[str, tuple[Mapping[str, object], Figures]] = dict(LABELLED)
    choices |= BINNED if form == "bins" else PARTLY
    if form == "missing":
        choices["mean left out"] = LEFT_OUT
    if form in ("plain", "rows"):
        choices |= {name: (kind.keys, kind.says) for name, kind in KINDS.items()}
    names = dice.sample(sorted(choices), dice.choice([1, 1, 2]))
    figures = [{"name": f"f{place}", **choices[name][0]} for place, name in enumerate(names)]
    return figures, lambda rows: tuple(choices[name][1](rows) for name in names), names


def _belief(dice: random.Random, values: Sequence[object]) -> tuple[object, dict[str, tuple[Law, ...]], str]:
    """What a specification says, the laws that each person may follow by region, and what it is called."""
    how = dice.choice(["apart", "apart", "by region", "together", "together", "left open", "unknown", "one of"])
    if how == "together":
        split = dice.choice([False, True])
        laws = {region: _law(dice, list(itertools.product(("no", "yes"), values))) for region in "ns"}
        laws = laws if split else dict.fromkeys("ns", laws["n"])

        def table(law: Law) -> list[dict[str, object]]:
            return [{"s": _said(s), "v": _said(v), "probability": str(chance)} for (s, v), chance in law.items()]

        if split:
            told: dict[str, object] = {"by": "region", "cells": {region: table(law) for region, law in laws.items()}}
        else:
            told = {"probabilities": table(laws["n"])}
        belief: object = [{"columns": ["s", "v"], **told, "source": "?"}]
        return belief, {region: (law,) for region, law in laws.items()}, "together by region" if split else how
    own = {name: _law(dice, [(value,) for value in some]) for name, some in (("s", ("no", "yes")), ("v", values))}
    far = dict(own) if how != "by region" else {"s": _law(dice, [("no",), ("yes",)]), "v": own["v"]}
    smoking: dict[str, object] = {"probabilities": _shown(own["s"])}
    open_ = [own["s"]]
    if how == "by region":
        smoking = {"by": "region", "cells": {"n": _shown(own["s"]), "s": _shown(far["s"])}}
    if how == "left open":
        most = Fraction(dice.choice([6, 7, 9]), 10)
        smoking = {"none_above": str(most)}
        open_ = [{("no",): a, ("yes",): 1 - a} for a in (most, 1 - most)]
    if how == "unknown":
        smoking, open_ = {"unknown": True}, [{("no",): Fraction(a), ("yes",): Fraction(1 - a)} for a in (0, 1)]
    if how == "one of":
        open_ = [own["s"], _law(dice, [("no",), ("yes",)])]
        smoking = {"one_of": [_shown(law) for law in open_]}
    beliefs = {
        "s": "unknown" if how == "unknown" else {**smoking, "source": "?"},
        "v": {"probabilities": _shown(own["v"]), "source": "?"},
    }
    found = {}
    for region, mine in (("n", open_), ("s", [far["s"]] if how == "by region" else open_)):
        found[region] = tuple(
            {(*a, *b): p * q for (a, p), (b, q) in itertools.product(law.items(), own["v"].items())} for law in mine
        )
    return beliefs, found, how


def _law(dice: random.Random, values: Sequence[tuple[object, ...]]) -> Law:
    weights = [dice.randint(1, 6) for _ in values]
    return {value: Fraction(weight, sum(weights)) for value, weight in zip(values, weights, strict=True)}


def _shown(law: Law) -> dict[str, str]:
    return {str(value): str(chance) for (value,), chance in law.items()}


def _said(value: object) -> object:
    return value if isinstance(value, str) else int(str(value))
