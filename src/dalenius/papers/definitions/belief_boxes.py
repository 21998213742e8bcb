"""Boxes of beliefs in the search for the worst one: which chance of failing no belief of a box exceeds, and beliefs
that come near it. The mathematics stands in `worst_belief`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.papers.definitions.semantic import spread

Exact: TypeAlias = list[list[Fraction]]
Floats: TypeAlias = NDArray[np.float64]
RULED_OUT = -1  # in place of a record: the belief holds the transcript impossible
STEEPEST = 1e7  # largest multiplier inside the floating-point program
MARGIN = Fraction(1, 10**8)  # by which a proposed belief should exceed the level, since its numbers are rounded


class Bad(NamedTuple):
    """The transcript fails by this record, with a share of Game 0 between low and high."""

    record: int
    low: Fraction
    high: Fraction


Node: TypeAlias = tuple[Bad | bool, ...]  # for each transcript: how it fails; True: not yet said; False: not counted


@final
@dataclass(frozen=True, slots=True, eq=False)
class BeliefBoxes:
    """Likelihoods of transcripts (rows) on kinds of datasets, in Game 0 and without each record, and the level ε.

    `realities`: the kinds that the truth may be of, whatever is believed; None if it is drawn from the belief.
    """

    real: Exact
    without: tuple[Exact, ...]
    level: Fraction
    realities: tuple[int, ...] | None

    @property
    def kinds(self) -> int:
        return len(self.real[0]) if self.real else 0

    def ways(self, t: int) -> list[Bad]:
        """How the transcript may fail at all, exactly: by which records, and in which range of the share s.

        Without an undefined posterior a shift above ε needs max r / min r > ((1 + ε) / (1 - ε))² (`worst_shift`).
        """
        found: list[Bad] = []
        for record, rows in enumerate(self.without):
            w, v = self.real[t], rows[t]
            wide = spread(w, v, range(self.kinds))
            if wide is None:
                continue
            if self.level >= 1:
                found += [Bad(record, Fraction(1), Fraction(1))] if wide.undefined else []
            elif wide.undefined or wide.ratio > ((1 + self.level) / (1 - self.level)) ** 2:
                shares = self.kinks(t, record)
                found.append(Bad(record, shares[0], shares[-1]))
        if self.realities is not None and not all(self.real[t]):
            found.append(Bad(RULED_OUT, Fraction(0), Fraction(0)))
        return found

    def kinks(self, t: int, record: int) -> list[Fraction]:
        """The shares w / (w + v) of the kinds, at which f changes sign."""
        pairs = zip(self.real[t], self.without[record][t], strict=True)
        return sorted({w / (w + v) for w, v in pairs if w + v})

    def rows(self, t: int, bad: Bad, level: Fraction) -> Exact:
        """The numbers f and g at the low end, then those at the high end, for every kind."""
        w = self.real[t]
        if bad.record == RULED_OUT:
            return [w, [Fraction(0)] * len(w)] * 2
        found: Exact = []
        for s in (bad.low, bad.high):
            f = [(1 - s) * a - s * b for a, b in zip(w, self.without[bad.record][t], strict=True)]
            found += [f, [max(Fraction(0), x) - level * (1 - s) * a for x, a in zip(f, w, strict=True)]]
        return found

    def gain(self, node: Node) -> list[Fraction]:
        """What a kind adds to the chance of failing, if all transcripts fail that the node does not leave out."""
        counted = [self.real[t] for t, state in enumerate(node) if state is not False]
        each = [sum(column, Fraction(0)) for column in zip(*counted, strict=True)] or [Fraction(0)] * self.kinds
        return each if self.realities is None else [max(each[k] for k in self.realities)] * self.kinds

    # -- certified ---------------------------------------------------------------------------------------------------

    def bound(self, node: Node) -> tuple[Fraction, Floats | None]:
        """A number that no belief of the node exceeds, and the belief at which the program saw it (none: no belief is
        in the node, as far as the program saw).
        """
        gain = self.gain(node)
        decided = [(t, state) for t, state in enumerate(node) if isinstance(state, Bad)]
        if not decided:
            best = max(range(self.kinds), key=gain.__getitem__)
            return gain[best], np.eye(self.kinds)[best] if self.realities is None else np.full(
                self.kinds, 1 / self.kinds
            )
        rows = [self.rows(t, bad, self.level) for t, bad in decided]
        multipliers, belief = _proposed(gain, rows)
        most = list(gain)
        for (f_low, g_low, f_high, g_high), y in zip(rows, multipliers, strict=True):
            for k in range(self.kinds):
                ends = y[0] * f_low[k] + y[2] * g_low[k], y[1] * f_high[k] + y[3] * g_high[k]
                middle = (y[0] * f_high[k] + y[1] * f_low[k] + y[2] * g_high[k] + y[3] * g_low[k]) / 2
                most[k] += max(*ends, middle)
        return max(Fraction(0), min(max(most), max(gain))), belief

    def reached(self, belief: Sequence[Fraction]) -> Fraction:
        """The chance of failing of a belief, exactly."""
        chance, truths = Fraction(0), [Fraction(0)] * self.kinds
        for t, w in enumerate(self.real):
            joint = [b * a for b, a in zip(belief, w, strict=True)]
            whole = sum(joint, Fraction(0))
            if whole == 0 and self.realities is None:
                continue
            if whole == 0 or any(self._shifts(belief, joint, whole, rows[t]) for rows in self.without):
                chance += whole
                truths = [a + b for a, b in zip(truths, w, strict=True)]
        return chance if self.realities is None else max(truths[k] for k in self.realities)

    def _shifts(self, belief: Sequence[Fraction], joint: list[Fraction], whole: Fraction, v: list[Fraction]) -> bool:
        other = [b * a for b, a in zip(belief, v, strict=True)]
        rest = sum(other, Fraction(0))
        if rest == 0:
            return True
        return sum((max(Fraction(0), a / whole - b / rest) for a, b in zip(joint, other, strict=True))) > self.level

    # -- proposals ---------------------------------------------------------------------------------------------------

    def improved(self, node: Node, belief: Floats) -> list[Fraction] | None:
        """The best belief in which the transcripts said to fail do so at the shares that this belief gives them."""
        from scipy.optimize import linprog

        equal, above = [np.ones(self.kinds)], []
        for t, bad in enumerate(node):
            if not isinstance(bad, Bad):
                continue
            share = bad.low if bad.record == RULED_OUT else self._share(t, bad, belief)
            rows = np.array(self.rows(t, Bad(bad.record, share, share), self.level + MARGIN), dtype=float)
            scale = np.abs(rows).max() or 1.0
            equal.append(rows[0] / scale)
            above.append(-rows[1] / scale)
        gain = np.array(self.gain(tuple(isinstance(state, Bad) for state in node)), dtype=float)
        sums = np.array([1.0] + [0.0] * (len(equal) - 1))
        limits = {"A_ub": np.array(above), "b_ub": np.zeros(len(above))} if above else {}
        found = linprog(-gain, A_eq=np.array(equal), b_eq=sums, method="highs", **limits)
        return exactly(found.x) if found.status == 0 else None

    def _share(self, t: int, bad: Bad, belief: Floats) -> Fraction:
        whole, rest = (float(belief @ np.array(rows[t], dtype=float)) for rows in (self.real, self.without[bad.record]))
        share = Fraction(whole / (whole + rest)) if whole + rest > 0 else bad.high
        return min(max(share, bad.low), bad.high)


def exactly(belief: Floats) -> list[Fraction] | None:
    """The belief as fractions with sum one; None if it is empty."""
    weights = [Fraction(value) if value > 1e-11 else Fraction(0) for value in belief.tolist()]
    whole = sum(weights, Fraction(0))
    return [weight / whole for weight in weights] if whole else None


def _proposed(gain: list[Fraction], rows: Sequence[Exact]) -> tuple[list[list[Fraction]], Floats | None]:
    """Multipliers y_f (low, high) and y_g (low, high) of each failing transcript, and the belief they answer to."""
    from scipy.optimize import linprog

    kinds, failing = len(gain), len(rows)
    above = np.zeros(((1 + 3 * failing) * kinds, 1 + failing * (4 + kinds)))
    above[:kinds, 0] = -1.0
    scales: list[float] = []
    for t, found in enumerate(rows):
        h = np.array(found, dtype=float)
        scales.append(float(np.abs(h).max()) or 1.0)
        f_low, g_low, f_high, g_high = h / scales[-1]
        y, m = 1 + t * (4 + kinds), slice(5 + t * (4 + kinds), 5 + t * (4 + kinds) + kinds)
        above[:kinds, m] = np.eye(kinds)
        start = kinds * (1 + 3 * t)
        parts = ((f_low, None, g_low, None), (None, f_high, None, g_high), (f_high, f_low, g_high, g_low))
        for place, part in enumerate(parts):
            block = slice(start + place * kinds, start + (place + 1) * kinds)
            above[block, m] = -np.eye(kinds)
            for column, values in enumerate(part):
                if values is not None:
                    above[block, y + column] = values / (2 if place == 2 else 1)
    limits = np.concatenate([-np.array(gain, dtype=float), np.zeros(3 * failing * kinds)])
    free = [(-STEEPEST, STEEPEST)] * 2 + [(0, STEEPEST)] * 2 + [(None, None)] * kinds
    cost = np.zeros(above.shape[1])
    cost[0] = 1.0
    solved = linprog(cost, A_ub=above, b_ub=limits, bounds=[(0, None), *(free * failing)], method="highs")
    if solved.status != 0:
        return [[Fraction(0)] * 4] * failing, np.full(kinds, 1 / kinds)
    multipliers = []
    for t, scale in enumerate(scales):
        y = solved.x[1 + t * (4 + kinds) :][:4] / scale
        multipliers.append([Fraction(value) for value in (*y[:2], *np.maximum(y[2:], 0.0))])
    belief = np.maximum(-np.asarray(solved.ineqlin.marginals[:kinds]), 0.0)
    return multipliers, belief / belief.sum() if belief.sum() > 1e-9 else None
