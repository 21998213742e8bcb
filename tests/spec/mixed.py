"""Random specifications that mix who attacks, what is secret and how it is released, beside each other and with what is
out already; and what is true of them: every dataset is listed, every chance worked out, nothing is shared with the
program.

Columns s (no or yes) and v (0 to 2) of a few people in two regions. What is believed of s, and what of v is secret, may
be written in any words; figures are exact, rounded, noisy, hidden if small, exact where earned, chosen rates, models,
winners.
"""

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from spec.kinds import Row, many, total, yes

Floats = NDArray[np.float64]
Law = Mapping[object, Fraction]
Told = Mapping[object, float]  # what goes out of some rows, and how likely it is
Person = tuple[str, str]
S, V = ("no", "yes"), (0, 1, 2)
FAR = 24  # noise beyond is left out: at most e^-24 of it
SMOKERS = {"kind": "count", "where": {"s": "yes"}}


@dataclass(frozen=True)
class Released:
    """A figure as a specification writes it, what goes out of some rows, and the columns that it uses."""

    keys: Mapping[str, object]
    told: Callable[[Sequence[Row]], Told]
    uses: str


def exactly(says: Callable[[Sequence[Row]], object]) -> Callable[[Sequence[Row]], Told]:
    return lambda rows: {says(rows): 1.0}


def by_region(says: Callable[[Sequence[Row]], Told]) -> Callable[[Sequence[Row]], Told]:
    """Each region's number, with dice of its own."""

    def told(rows: Sequence[Row]) -> Told:
        parts = [says([row for row in rows if row["region"] == region]) for region in "ns"]
        return {(a, b): p * q for (a, p), (b, q) in itertools.product(*(part.items() for part in parts))}

    return told


def noisy(count: int) -> Told:
    """Two-sided geometric noise of scale 1."""
    x = math.exp(-1)
    return {count + r: (1 - x) / (1 + x) * x ** abs(r) for r in range(-FAR, FAR + 1)}


def earned(count: int, people: int) -> Told:
    """Exact with the chance that is left where the count and the noisy one are both from 1/3 to 2/3 of the people."""
    if not people:
        return {"": 1.0}
    first, last, found = math.ceil(Fraction(people, 3)), math.floor(Fraction(2 * people, 3)), dict[object, float]()
    x = math.exp(-1)
    for shown, chance in noisy(count).items():
        kept = 1.0
        if first <= count <= last and first <= int(str(shown)) <= last:
            near = int(str(shown))
            kept = x ** (2 + min(near - first + count - first, last - near + last - count) - abs(near - count))
            found["exactly", count] = found.get(("exactly", count), 0.0) + chance * (1 - kept)
        found["about", shown] = chance * kept
    return found


def small(below: int, zeros: str) -> Callable[[Sequence[Row]], object]:
    def says(rows: Sequence[Row]) -> object:
        count = len(yes(rows))
        return count if count >= below or (count == 0 and zeros == "shown") else "small"

    return says


def likelier(rows: Sequence[Row]) -> object:
    """Whether 3/5 is likelier than 1/5; nothing is said of nobody."""
    count, size = len(yes(rows)), len(rows)
    one, two = (rate**count * (1 - rate) ** (size - count) for rate in (Fraction(1, 5), Fraction(3, 5)))
    return two > one if size else ""


def winner(rows: Sequence[Row]) -> object:
    counts = [sum(row["v"] == value for row in rows) for value in V]
    return counts.index(max(counts)) if rows else None


MODELS = {0: "1/5", 1: "3/10", 2: "1/2"}, {0: "1/2", 1: "1/4", 2: "1/4"}


def modelled(rows: Sequence[Row]) -> object:
    """Whether the second model is the likelier."""
    one, two = (math.prod((Fraction(law[int(str(row["v"]))]) for row in rows), start=Fraction(1)) for law in MODELS)
    return two > one if rows else None


HIDE = {"below": 2, "zeros": "hidden"}, {"below": 3, "zeros": "shown"}
LARGE = {"kind": "count", "where": "v >= 1"}
RELEASED: dict[str, Released] = {
    "count": Released(SMOKERS, exactly(lambda rows: len(yes(rows))), "s"),
    "rounded": Released({**SMOKERS, "round": 2}, exactly(lambda rows: (len(yes(rows)) + 1) // 2), "s"),
    "noisy": Released({**SMOKERS, "noise": {"geometric": 1}}, lambda rows: noisy(len(yes(rows))), "s"),
    "hidden": Released({**SMOKERS, "hide": HIDE[0]}, exactly(small(2, "hidden")), "s"),
    "hidden but zeros": Released({**SMOKERS, "hide": HIDE[1]}, exactly(small(3, "shown")), "s"),
    "earned": Released(
        {**SMOKERS, "earned": {"between": ["1/3", "2/3"], "scale": "1"}},
        lambda rows: earned(len(yes(rows)), len(rows)),
        "s",
    ),
    "chosen": Released({**SMOKERS, "choose": ["1/5", "3/5"]}, exactly(likelier), "s"),
    "large": Released(LARGE, exactly(lambda rows: len(many(rows))), "v"),
    "large, noisy": Released({**LARGE, "noise": {"geometric": 1}}, lambda rows: noisy(len(many(rows))), "v"),
    "sum": Released({"kind": "sum", "column": "v"}, exactly(total), "v"),
    "noisy sum": Released(
        {"kind": "sum", "column": "v", "noise": {"geometric": 1}}, lambda rows: noisy(int(total(rows))), "v"
    ),
    "cut sum": Released({"kind": "sum", "column": "v", "truncate": [0, 1]}, exactly(lambda rows: len(many(rows))), "v"),
    "sum of some": Released(
        {"kind": "sum", "column": "v", "where": {"s": "yes"}}, exactly(lambda rows: total(yes(rows))), "sv"
    ),
    "model": Released({"kind": "model", "column": "v", "models": [*MODELS]}, exactly(modelled), "v"),
    "model of some": Released(
        {"kind": "model", "column": "v", "models": [*MODELS], "where": "v >= 1"},
        exactly(lambda rows: modelled(many(rows))),
        "v",
    ),
    "winner": Released({"kind": "winner", "column": "v"}, exactly(winner), "v"),
    "winner of some": Released(
        {"kind": "winner", "column": "v", "where": "v >= 1"}, exactly(lambda rows: winner(many(rows))), "v"
    ),
}
WITH_DICE = ("noisy", "earned", "large, noisy", "noisy sum")


@dataclass(frozen=True)
class Mixed:
    """A specification, how many of its figures are out already, and what is needed for the truth.

    `letters`: what one record may say. `worlds`: each attacker's chances of all datasets, for a target of whom nothing
    is assumed where records are independent. `compared`: the places of two letters that must look alike; -1 is absence.
    `told`: what goes out of some rows.
    """

    keys: Mapping[str, object]
    people: tuple[Person, ...]
    out: int
    letters: Sequence[Mapping[str, object]]
    worlds: Callable[[int], Sequence[Floats]]
    compared: Sequence[tuple[int, int]]
    told: Sequence[Callable[[Sequence[Row]], Told]]
    coin: Fraction | None
    known: int
    epsilon: Fraction
    words: str

    def truth(self) -> float:
        """The worst attacker, person, known records with their values, and two facts that are compared."""
        size, values = len(self.people), len(self.letters)
        data = np.array(list(itertools.product(range(values), repeat=size)))
        facts = {place for pair in self.compared for place in pair}
        outputs = self._outputs(data, list(range(size)) if -1 in facts else [])
        worst, factor = 0.0, math.exp(self.epsilon)
        for target, known in self._attacked():
            seen = data[:, known] @ values ** np.arange(len(known))
            for world, values_seen in itertools.product(self.worlds(target), np.unique(seen)):
                laws = {}
                for fact in facts:
                    here = (seen == values_seen) & ((data[:, target] == fact) | (fact < 0))
                    whole = world[here].sum()
                    if whole > 0:
                        laws[fact] = world[here] @ outputs[target if fact < 0 else -1][here] / whole
                for one, two in self.compared:
                    if one in laws and two in laws:
                        worst = max(worst, float(np.maximum(laws[one] - factor * laws[two], 0).sum()))
        return worst

    def _attacked(self) -> Iterator[tuple[int, list[int]]]:
        for target in range(len(self.people)):
            others = [place for place in range(len(self.people)) if place != target]
            for number in range(self.known + 1):  # who knows fewer may learn more, where records are not independent
                yield from ((target, list(known)) for known in itertools.combinations(others, number))

    def _rows(self, letters: Sequence[int], without: int = -1) -> list[Row]:
        return [
            {"region": region, "w": weight, **self.letters[letter]}
            for place, ((region, weight), letter) in enumerate(zip(self.people, letters, strict=True))
            if place != without
        ]

    def _outputs(self, data: NDArray[np.int64], absent: Sequence[int]) -> dict[int, Floats]:
        """For each dataset how likely each output is: of all people (-1), and without each of those `absent`."""
        columns: dict[object, int] = {}
        laws = {who: [self._told(self._rows(some, who), columns) for some in data.tolist()] for who in (-1, *absent)}
        tables = {}
        for who, found in laws.items():
            tables[who] = np.zeros((len(found), len(columns)))
            for row, law in enumerate(found):
                tables[who][row, list(law)] = list(law.values())
        return tables if self.coin is None else {who: self._flips(data) @ table for who, table in tables.items()}

    def _told(self, rows: Sequence[Row], columns: dict[object, int]) -> dict[int, float]:
        law: dict[int, float] = {}
        for parts in itertools.product(*(says(rows).items() for says in self.told)):
            place = columns.setdefault(tuple(out for out, _ in parts), len(columns))
            law[place] = law.get(place, 0.0) + math.prod(chance for _, chance in parts)
        return law

    def _flips(self, data: NDArray[np.int64]) -> Floats:
        """How likely each dataset of true answers becomes each other one: s is kept by a coin, all else stays."""
        assert self.coin is not None
        keep = float(self.coin)
        one = np.array([[self._flip(a, b, keep) for b in self.letters] for a in self.letters])
        found = np.ones((1, 1))
        for _ in range(data.shape[1]):
            found = np.kron(found, one)
        return found

    @staticmethod
    def _flip(true: Mapping[str, object], said: Mapping[str, object], keep: float) -> float:
        same = all(said[name] == value for name, value in true.items() if name != "s")
        return (keep if true["s"] == said["s"] else 1 - keep) if same else 0.0


def mixed(dice: random.Random) -> Mixed:
    """A random one."""
    names = dice.sample(sorted(RELEASED), dice.choice([1, 1, 2, 2, 3]))
    if sum(name in WITH_DICE for name in names) > 1:
        names = [name for name in names if name not in WITH_DICE] + [name for name in names if name in WITH_DICE][:1]
    uses = "".join(letter for letter in "sv" if any(letter in RELEASED[name].uses for name in names))
    figures, told = [], []
    for place, name in enumerate(names):
        split = dice.random() < (0.2 if name in WITH_DICE else 0.4)
        one = RELEASED[name]
        figures.append({"name": f"f{place}", **one.keys, **({"by": "region"} if split else {})})
        told.append(by_region(one.told) if split else one.told)
    most = {"s": 6, "v": 5, "sv": 4}[uses] - any(name in WITH_DICE for name in names)
    people = sorted((dice.choice("ns"), dice.choice("12")) for _ in range(dice.randint(max(2, most - 2), most)))
    letters = [
        dict(zip(uses, values, strict=True))
        for values in itertools.product(*({"s": S, "v": V}[letter] for letter in uses))
    ]
    secret, compared = _secret(dice, letters, uses)
    if secret == "presence" and ({"earned", "chosen"} & set(names) or len({region for region, _ in people}) == 1):
        secret, compared = "value", list(itertools.permutations(range(len(letters)), 2))  # a share of how many?
    how, believed, worlds, coin = _beliefs(dice, people, letters, uses)
    if how in ("order", "nobody knows"):
        secret, compared = "value", list(itertools.permutations(range(len(letters)), 2))
    known, epsilon = dice.choice([0, 0, 1]), Fraction(dice.choice([0, 1, 2, 3]), 2)
    keys: dict[str, object] = {
        "person": "id",
        "public": {"region": ["n", "s"], "w": {"bounds": [1, 2]}, "place": {"bounds": [0, 99]}},
        "confidential": {"s": list(S), "v": {"bounds": [0, 2]}},
        "beliefs": believed,
        "attacker": {"knows": str(known), "source": "?"},
        "secret": secret,
        "target": {"epsilon": str(epsilon), "delta": "1e-12"},
        "figures": figures,
    }
    if secret == "presence":
        split_up = how == "by region" or any("by" in figure for figure in figures)
        cells = {region: sum(person[0] == region for person in people) for region in "ns"}
        keys["sizes"] = {"by": "region", "cells": cells} if split_up else {"cells": len(people)}
    out = dice.choice([0, 0, *range(len(figures))])
    words = f"{how}; {secret if isinstance(secret, str) else next(iter(secret))}; {' + '.join(names)}; {out} out"
    return Mixed(keys, tuple(people), out, letters, worlds, compared, told, coin, known, epsilon, words)


def _secret(
    dice: random.Random, letters: Sequence[Mapping[str, object]], uses: str
) -> tuple[str | dict[str, object], list[tuple[int, int]]]:
    """The words, and which letters are compared."""
    kind = dice.choice(["value", "value", "presence", "within", "percent", "intervals", "pairs"])
    every = list(itertools.permutations(range(len(letters)), 2))
    if kind == "value":
        return kind, every
    if kind == "presence":
        return kind, [
            *every,
            *((place, -1) for place in range(len(letters))),
            *((-1, place) for place in range(len(letters))),
        ]
    near: Callable[[int, int], bool]
    match kind:
        case "within":
            said, near = "0.5", lambda a, b: abs(a - b) < 2
        case "percent":
            said, near = "10", lambda a, b: a * b > 0 and max(a, b) * Fraction(9, 10) ** 4 < min(a, b)
        case "intervals":
            said, near = [0, 2, 3], lambda a, b: (a < 2) != (b < 2)  # type: ignore[assignment]
        case _:
            said, near = [[0, 2]], lambda a, b: {a, b} == {0, 2}  # type: ignore[assignment]
    if kind == "percent":  # of 1 and 2 none are within 10 %
        said, near = "20", lambda a, b: a * b > 0 and max(a, b) * Fraction(4, 5) ** 4 < min(a, b)
    if "v" in uses:
        every = [
            (one, two)
            for one, two in every
            if letters[one]["v"] == letters[two]["v"] or near(int(str(letters[one]["v"])), int(str(letters[two]["v"])))
        ]
    return {kind: {"v": said}}, every


def _law(dice: random.Random, values: Sequence[object], least: int = 1) -> Law:
    weights = [dice.randint(least, 6) for _ in values]
    weights[dice.randrange(len(weights))] += 1
    return {value: Fraction(weight, sum(weights)) for value, weight in zip(values, weights, strict=True)}


def _shown(law: Law) -> dict[str, str]:
    return {str(value): str(chance) for value, chance in law.items()}


def _rest(least: Law) -> list[Law]:
    """The corners of all laws that are at least that."""
    left = 1 - sum(least.values())
    return [{value: chance + (left if value == at else 0) for value, chance in least.items()} for at in least]


HOWS = ["plain", "by region", "one of", "scenarios", "within", "weight", "none above", "unknown", "answered"]
OF_ALL = ["order", "nobody knows"]


def _beliefs(
    dice: random.Random, people: Sequence[Person], letters: Sequence[Mapping[str, object]], uses: str
) -> tuple[str, dict[str, object], Callable[[int], list[Floats]], Fraction | None]:
    """How the law of s is stated, the words for s and v, every attacker's chances of datasets, and the coin."""
    how = dice.choice(["plain", *HOWS, *(OF_ALL * (uses == "s"))])
    own, coin, size = _law(dice, S), None, len(people)
    spread = _law(dice, V)
    share = Fraction(dice.randint(1, 9), 10)
    keys: dict[str, object] = {"probabilities": _shown(own)}
    laws = {region: [own] for region in "ns"}
    together = False
    match how:
        case "by region":
            laws["s"] = [_law(dice, S)]
            keys = {"by": "region", "cells": {region: _shown(some) for region, (some,) in laws.items()}}
        case "one of" | "scenarios":
            some = [own, _law(dice, S, 0)]
            keys, laws = {how.replace(" ", "_"): [_shown(one) for one in some]}, dict.fromkeys("ns", some)
            together = how == "scenarios"
        case "within" | "weight":
            share = share / 3 if how == "within" else share
            least = {x: max(p - share, Fraction(0)) if how == "within" else p * share for x, p in own.items()}
            keys, laws = {**keys, how: str(share)}, dict.fromkeys("ns", _rest(least))
        case "none above":
            most = Fraction(dice.choice([6, 7, 9]), 10)
            keys = {"none_above": str(most)}
            ends = [{"no": a, "yes": 1 - a} for a in (most, 1 - most)]
            laws = dict.fromkeys("ns", ends)
        case "unknown":
            sure = [{"no": Fraction(a), "yes": Fraction(1 - a)} for a in (0, 1)]
            laws = dict.fromkeys("ns", sure)
        case "answered":
            keep = Fraction(dice.choice(["3/5", "3/4", "9/10"]))
            keys["answered"], coin = str(keep), keep if "s" in uses else None
    said: dict[str, object] = {"s": {}, "v": {"probabilities": _shown(spread), "source": "?"}}
    if how in OF_ALL:
        keys, world = _of_all(dice, how, own, size)
        return how, {**said, "s": {**keys, "source": "?"}}, lambda _target: [world], None

    def worlds(target: int) -> list[Floats]:
        choices = (
            [[laws[region][k] for region, _ in people] for k in range(len(laws["n"]))]
            if together
            else itertools.product(*(laws[region] for region, _ in people))
        )
        found = [_product(letters, some, spread, target) for some in choices]
        return list({world.tobytes(): world for world in found}.values())

    return how, {**said, "s": "unknown" if how == "unknown" else {**keys, "source": "?"}}, worlds, coin


def _product(letters: Sequence[Mapping[str, object]], laws: Sequence[Law], spread: Law, target: int) -> Floats:
    found = np.ones(1)
    for place, law in enumerate(laws):
        chances = [float(law.get(x.get("s"), 1)) * float(spread.get(x.get("v"), 1)) for x in letters]
        found = np.kron(found, np.array([1.0] * len(letters) if place == target else chances))
    return found


def _of_all(dice: random.Random, how: str, own: Law, size: int) -> tuple[dict[str, object], Floats]:
    if how == "order":
        moves = {value: _law(dice, S) for value in S}
        world = [
            float(own[row[0]] * math.prod((moves[a][b] for a, b in itertools.pairwise(row)), start=Fraction(1)))
            for row in itertools.product(S, repeat=size)
        ]
        said = {value: _shown(law) for value, law in moves.items()}
        return {"order": "place", "start": _shown(own), "moves": said}, np.array(world)
    parts = [(Fraction(2, 5), own), (Fraction(3, 5), _law(dice, S))]
    world = [
        float(sum(share * math.prod((law[x] for x in row), start=Fraction(1)) for share, law in parts))
        for row in itertools.product(S, repeat=size)
    ]
    told = [{"weight": str(share), "probabilities": _shown(law)} for share, law in parts]
    return {"nobody_knows": told}, np.array(world)
