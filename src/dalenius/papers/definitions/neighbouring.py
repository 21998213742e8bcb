"""How neighbouring datasets are found, and the two among them that a mechanism tells apart best, in worlds of millions
of datasets.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import exponential
from dalenius.numerics.law import Floats
from dalenius.numerics.outcomes import ROUNDING, Masses, Outcomes, both_ratios, both_ways, is_exact
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite

Rows: TypeAlias = NDArray[np.int64]
Kept: TypeAlias = Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.bool_]]
WIDEST = 2**62  # whole numbers below this can name a dataset
FEW_VALUES = 12
MOST_PAIRS = 30_000_000  # of datasets, or of states
FEW_PAIRED = 2_000  # datasets that are compared one by one
BLOCK = 2_000_000  # probabilities compared at once
MARGIN = 1e-9  # how far a first look, in plain floats, may be off
CANDIDATES = 4_096  # pairs that are looked at twice
MANY = 10_000  # outcomes
SURE = 1e-290  # floats above this are within a unit of the fraction that they stand for


# -- neighbours --------------------------------------------------------------------------------------------------------


def absent_code(world: Finite) -> int:
    """The code of a record that is absent; -1 if none can be."""
    return world.values.index(None) if None in world.values else -1


def one_apart(world: Finite, kept: Kept) -> tuple[Rows, Rows]:
    """Rows that differ in exactly one record, where `kept` accepts its presence in the two; each pair once.

    A dataset is a whole number in base |values|, so that changing a record adds a known number to it: the neighbour is
    looked up. Cost O(pairs) where most datasets are listed, else O(pairs log datasets). With many values, by sorting.
    """
    base = len(world.values)
    if base > FEW_VALUES or base**world.n >= WIDEST:
        return _one_apart_by_sorting(world, kept)
    names = np.zeros(world.size, dtype=np.int64)
    for column in world.codes.T:  # so that products come in order
        names = names * base + column
    order = np.argsort(names, kind="stable")
    ordered, codes = names[order], world.codes.T[:, order]
    if (ordered[1:] == ordered[:-1]).any():
        return _one_apart_by_sorting(world, kept)
    found: list[tuple[Rows, Rows]] = [(np.empty(0, dtype=np.int64),) * 2]
    look = _lookup(ordered, base**world.n)
    here = np.arange(base) != absent_code(world)
    for record in range(world.n):
        weight = base ** (world.n - 1 - record)
        for one in range(base):
            rows = np.flatnonzero(codes[record] == one)
            for other in range(one + 1, base):
                if bool(kept(here[[one]], here[[other]])[0]):
                    place, hit = look(ordered[rows] + (other - one) * weight)
                    found.append((order[rows[hit]], order[place[hit]]))
    return np.concatenate([first for first, _ in found]), np.concatenate([second for _, second in found])


class RecordChange(NamedTuple):
    """What a record is in one dataset and in the other, as codes; `appears` is 1 if it comes, -1 if it goes."""

    before: int
    after: int
    appears: int

    @property
    def stays(self) -> bool:
        """Whether the record is there in both."""
        return not self.appears

    @property
    def moves(self) -> int:
        """How many tuples are added or removed."""
        return 1 if self.appears else 2


def some_apart(world: Finite, records: int, kept: Callable[[Sequence[RecordChange]], bool]) -> tuple[Rows, Rows]:
    """Rows that differ in one to `records` records, where `kept` accepts the changes, which it must from either side;
    each pair once. Neighbours are looked up as in `one_apart`. Cost O(pairs).
    """
    base, absent = len(world.values), absent_code(world)
    if base**world.n >= WIDEST:
        return _some_apart_by_pairs(world, records, kept)
    names = np.zeros(world.size, dtype=np.int64)
    for column in world.codes.T:
        names = names * base + column
    order = np.argsort(names, kind="stable")
    ordered, codes = names[order], world.codes.T[:, order]
    if (ordered[1:] == ordered[:-1]).any():
        return _some_apart_by_pairs(world, records, kept)
    look = _lookup(ordered, base**world.n)
    several = [
        RecordChange(a, b, int(b != absent) - int(a != absent))
        for a, b in itertools.product(range(base), repeat=2)
        if a != b
    ]
    found: list[tuple[Rows, Rows]] = [(np.empty(0, dtype=np.int64),) * 2]
    many = 0
    for size in range(1, min(records, world.n) + 1):
        accepted = [
            one for one in itertools.product(several, repeat=size) if one[0].before < one[0].after and kept(one)
        ]
        for places in itertools.combinations(range(world.n), size):
            weights = [base ** (world.n - 1 - place) for place in places]
            for changes in accepted:
                here = codes[places[0]] == changes[0].before
                for place, change in zip(places[1:], changes[1:], strict=True):
                    here &= codes[place] == change.before
                rows = np.flatnonzero(here)
                if not len(rows):
                    continue
                step = sum((c.after - c.before) * w for c, w in zip(changes, weights, strict=True))
                there, hit = look(ordered[rows] + step)
                found.append((order[rows[hit]], order[there[hit]]))
                many += int(hit.sum())
                if many > MOST_PAIRS:
                    raise InputError(
                        f"At most {MOST_PAIRS} pairs of neighbours can be listed, but datasets that differ in up to "
                        f"{records} records make more. List fewer datasets, or let fewer records differ."
                    )
    return np.concatenate([first for first, _ in found]), np.concatenate([second for _, second in found])


def _some_apart_by_pairs(
    world: Finite, records: int, kept: Callable[[Sequence[RecordChange]], bool]
) -> tuple[Rows, Rows]:
    """The same for values or records that are too many to number datasets by, one dataset with all others at a time."""
    if world.size > FEW_PAIRED:
        raise InputError(
            f"At most {FEW_PAIRED} datasets of so many records and values can be compared, but got {world.size}. List "
            "fewer."
        )
    absent = absent_code(world)
    firsts, seconds = [], []
    for row in range(world.size):
        for other in range(row + 1, world.size):
            apart = np.flatnonzero(world.codes[row] != world.codes[other])
            if not 0 < len(apart) <= records:
                continue
            both = [(int(world.codes[row, i]), int(world.codes[other, i])) for i in apart.tolist()]
            if kept([RecordChange(a, b, int(b != absent) - int(a != absent)) for a, b in both]):
                firsts.append(row)
                seconds.append(other)
    return np.array(firsts, dtype=np.int64), np.array(seconds, dtype=np.int64)


def _lookup(ordered: Rows, names: int) -> Callable[[Rows], tuple[Rows, NDArray[np.bool_]]]:
    """Where each name stands among those in order, and whether it does: by a table if that is not much longer."""
    if names <= 8 * len(ordered):
        table = np.full(names, -1, dtype=np.int64)
        table[ordered] = np.arange(len(ordered))

        def read(wanted: Rows) -> tuple[Rows, NDArray[np.bool_]]:
            place = table[wanted]
            return place, place >= 0

        return read

    def search(wanted: Rows) -> tuple[Rows, NDArray[np.bool_]]:
        place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
        return place, ordered[place] == wanted

    return search


def _one_apart_by_sorting(world: Finite, kept: Kept) -> tuple[Rows, Rows]:
    """Sorted by the other records, rows that agree on them stand together. Cost O(records x datasets log datasets)."""
    firsts, seconds = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for record in range(world.n):
        key = _key_of_others(world.codes, record, len(world.values))
        order = np.argsort(key, kind="stable")
        key, here = key[order], (world.codes[:, record] != absent_code(world))[order]
        step = 1
        while step < len(key) and (same := key[step:] == key[:-step]).any():
            same &= kept(here[:-step], here[step:])
            firsts.append(order[:-step][same])
            seconds.append(order[step:][same])
            step += 1
    return np.concatenate(firsts), np.concatenate(seconds)


def _key_of_others(codes: Rows, record: int, base: int) -> Rows:
    """One whole number for each distinct row without this record."""
    if base ** codes.shape[1] < WIDEST:
        weights = base ** np.arange(codes.shape[1], dtype=np.int64)
        weights[record] = 0
        return np.asarray(codes @ weights, dtype=np.int64)
    others = np.delete(codes, record, axis=1)
    return np.asarray(np.unique(others, axis=0, return_inverse=True)[1].reshape(-1), dtype=np.int64)


# -- the worst two states ----------------------------------------------------------------------------------------------


def state_pairs(left: Rows, right: Rows, states: int) -> tuple[Rows, Rows]:
    """The pairs among these, the smaller state first, and each once if there are few states. Cost O(pairs)."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    if states * states > 8 * len(low) + 1_000_000:
        return low, high
    seen = np.zeros(states * states, dtype=bool)
    seen[low * states + high] = True
    names = np.flatnonzero(seen)
    return names // states, names % states


def worst_states(
    mechanism: FiniteMechanism, first: Rows, second: Rows, epsilon: Fraction | None
) -> tuple[Bracket, tuple[int, int]]:
    """The largest δ at epsilon (or the largest ε, for None) over pairs of states, and the pair.

    All pairs are compared in plain floats; those that come within `MARGIN` of the largest, and within what a slack may
    move δ, are compared again, with brackets or exactly. Cost O(pairs x outputs), vectorised, plus the second look.
    """
    value, far, pair = Bracket(0.0, 0.0), (0.0, 0.0), (int(first[0]), int(second[0]))
    apart = first != second
    if not apart.any():
        return value, pair
    first, second = first[apart], second[apart]
    if mechanism.rows is None:
        size = math.inf if epsilon is None else 1.0
        return Bracket(size, size), (int(first[0]), int(second[0]))
    rough = _rough(mechanism, first, second, epsilon)
    off = MARGIN * (1 + min(float(rough.max()), 1e6))
    if epsilon is not None and mechanism.slack:
        off += mechanism.slack * (1 + exponential(epsilon)[1])
    near = np.flatnonzero(rough >= rough.max() - off)
    near = near[np.argsort(-rough[near], kind="stable")]
    pair = (int(first[near[0]]), int(second[near[0]]))
    for place in near[:CANDIDATES].tolist():
        here = told_apart(mechanism, int(first[place]), int(second[place]), epsilon)
        if (here.upper, here.lower) > far:
            pair, far = (int(first[place]), int(second[place])), (here.upper, here.lower)
        value = value.join(here)
        if value.lower == math.inf:
            return value, pair
    if len(near) > CANDIDATES:  # ties beyond counting: what the first look allows
        most = float(rough[near[CANDIDATES]]) + off
        value = value.join(Bracket(0.0, most if epsilon is None else min(1.0, most)))
    return value, pair


def told_apart(mechanism: FiniteMechanism, s: int, t: int, epsilon: Fraction | None) -> Bracket:
    """How far apart the laws of the output are in two states of a mechanism with rows."""
    p, q = state_law(mechanism, s), state_law(mechanism, t)
    return both_ratios(p, q) if epsilon is None else both_ways(p, q, epsilon)


def state_law(mechanism: FiniteMechanism, state: int) -> Outcomes:
    """The law of the output in a state of a mechanism with rows."""
    rows = np.asarray(mechanism.rows)
    return Outcomes(rows[state], 0.0 if is_exact(rows) else ROUNDING, mechanism.slack)


def _rough(mechanism: FiniteMechanism, first: Rows, second: Rows, epsilon: Fraction | None) -> Floats:
    """How far apart the states of each pair are, in plain floats, within `MARGIN`: by logarithms, which hold chances of
    any size. With a slack, which is more than such chances, by ratios.
    """
    given = np.asarray(mechanism.rows)
    rows = given.astype(float)
    logs = rows if epsilon is None and mechanism.slack else _logarithms(given, rows)
    if epsilon is not None:
        with np.errstate(over="ignore"):
            steep = np.exp(logs + float(epsilon))
    found, step = np.empty(len(first)), max(1, BLOCK // rows.shape[1])
    for start in range(0, len(first), step):
        s, t = first[start : start + step], second[start : start + step]
        if epsilon is not None:
            forth, back = (np.maximum(rows[a] - steep[b], 0.0).sum(axis=1) for a, b in ((s, t), (t, s)))
            found[start : start + step] = np.maximum(forth, back)
        elif mechanism.slack:
            found[start : start + step] = _log_ratio(rows[s], rows[t], mechanism.slack)
        else:
            with np.errstate(invalid="ignore"):
                found[start : start + step] = np.nanmax(np.abs(logs[s] - logs[t]), axis=1)
    return found


def _logarithms(given: Masses, rows: Floats) -> Floats:
    """The logarithm of each probability, to a relative error of a few units; -∞ for none."""
    with np.errstate(divide="ignore"):
        logs = np.log(rows)
    if is_exact(given):
        for place in zip(*np.nonzero((given != 0) & (rows < SURE)), strict=True):
            logs[place] = math.log(given[place].numerator) - math.log(given[place].denominator)
    return np.asarray(logs)


def _log_ratio(p: Floats, q: Floats, slack: float) -> Floats:
    ratios = [((a - slack) / (b + slack)).max(axis=1) for a, b in ((p, q), (q, p))]
    return np.asarray(np.log(np.maximum(np.maximum(*ratios), 1.0)))


def telling_output(mechanism: FiniteMechanism, pair: tuple[int, int], epsilon: Fraction | None) -> Hashable:
    """The output that tells two states apart best."""
    if mechanism.rows is None:
        return mechanism.outputs[pair[0]]
    first, second = (state_law(mechanism, state) for state in pair)
    return mechanism.outputs[telling_outcome(first, second, epsilon=epsilon)]


def telling_outcome(first: Outcomes, second: Outcomes, *, epsilon: Fraction | None = None) -> int:
    """The outcome whose probabilities differ by the largest factor or, given epsilon, the one with the largest excess
    of one probability over e^epsilon times the other.
    """
    if len(first.mass) > MANY:
        return _telling_float(first.mass.astype(float), second.mass.astype(float), epsilon)
    chances = list(zip(map(Fraction, first.mass.tolist()), map(Fraction, second.mass.tolist()), strict=True))
    if epsilon is not None:
        factor = Fraction(exponential(epsilon)[0])
        return max(range(len(chances)), key=lambda k: max(chances[k]) - factor * min(chances[k]))
    return max(range(len(chances)), key=lambda k: _factor(*chances[k]))


def _telling_float(p: Floats, q: Floats, epsilon: Fraction | None) -> int:
    """The same for many outcomes, in plain floats: it names an example, and no number rests on it."""
    most, least = np.maximum(p, q), np.minimum(p, q)
    if epsilon is not None:
        return int((most - exponential(epsilon)[0] * least).argmax())
    alone = (least == 0) & (most > 0)
    if alone.any():
        return int(np.where(alone, most, -1.0).argmax())
    return int(np.divide(most, least, out=np.zeros_like(most), where=least > 0).argmax())


def _factor(p: Fraction, q: Fraction) -> tuple[bool, Fraction]:
    """How many times the larger of two chances is the smaller; (True, chance) if it is infinitely many times."""
    if not min(p, q):
        return max(p, q) > 0, max(p, q)
    return False, max(p / q, q / p)
