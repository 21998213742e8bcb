r"""Second-order bounds on a simplex of removals: δ of every sum in it at once.

Let x be a removal in the simplex of v_0 .. v_d, x = Σ λ_i v_i, and y the places of its values (see `tilts`). At a
tilt theta let H_r(y) = (1/N) Σ_j exp(-w_j y) Z_r(w_j) B(w_j), B(w) = 1 - exp(epsilon + ws), over the frequencies that
are kept. H_r is defined for all real r and y, and where r and k are whole it is f_r(k) - e^epsilon f_r(k - s) but for
the frequencies left out and what the window folds in.

Between removals. log Z_r is linear in r, with slopes A_t. By Taylor's theorem around x, at each v_i,

    Σ λ_i H_(v_i)(y) = H_x(y) + ½ Σ λ_i D²H(ξ_i)[v_i - x, v_i - x],

and |D²H(ξ)[u, u]| <= exp(-theta y) (1/N) Σ_j |u·A|² max_v |Z_v| |B|, since |Z_ξ| is the exponential of a linear
function. This is a positive quadratic form in u, for which Σ λ_i Q(v_i - x) = Σ_(i<j) λ_i λ_j Q(v_i - v_j) <=
d/(2(d + 1)) max_ij Q(v_i - v_j). So H_x <= Σ λ_i H_(v_i) + exp(-theta y) M, M = d/(4(d + 1)) max_ij Q(v_i - v_j).

Between places. The values of x stand at y = k + τ, where τ differs from removal to removal; H is taken at τ = a/J.
Between two of these, H_v(y) is at most its chord plus 1/(8J²) sup |H_v''|, and |H_v''| <= exp(-theta y) (1/N) Σ |w|²
|Z_v| |B|.

Together. max(0, ·) is convex and rises by at most what its argument does. With D_i(a) = Σ_k max(0, H_(v_i)(k + a/J)),

    delta(x) <= max_i max(D_i(a), D_i(a + 1)) + Σ_(cells in E) exp(-theta y) (M + ...) + tails,

where a/J <= τ <= (a + 1)/J, and a cell [y, y + 1] is in E unless all H_(v_i) there are so negative that the
corrections leave H_x negative. Since B is small at theta = -epsilon/s, which is where H changes its sign, and all terms
carry exp(-theta y), the correction is small relative to delta far into the tail.

Rounding. What a vertex's own numbers are off by is charged where they are made. Corrections are sums of positive terms,
each right to many digits: they are raised once, when all of them are there (`bounds_up`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.enclosure.linear import inverted_error, one_less, weighed_up, within_places
from dalenius.enclosure.outward import add_up, bounds_up, exp_up, exponential
from dalenius.enclosure.transforms import Complexes
from dalenius.numerics.law import Floats
from dalenius.numerics.tilts import Tilt, TiltedRecords, TiltFrame, chernoff, tilts

Vertex: TypeAlias = tuple[float, ...]  # a removal that need not be whole
FINE = 5e-7  # how far, relatively, places between those looked at may matter
COARSEST, FINEST = 4, 128  # places looked at in a cell
SURE = 1e-4  # how well Z(theta) must be known
STEEPEST = 700.0  # up to which exp(epsilon + theta s) is a number
LOOK = 4  # places looked at in a cell to see the sign
KEPT = 20_000_000  # cells of vertices remembered
PLACED = 1e-3  # how well a place must be known
ENDS = np.array([0.8, 0.9, 1.0, 1.1])  # tilts, of the last theta, at which the tails are bounded


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What one tilt says of one vertex, all relative to exp(scale), which is Z(theta) as computed."""

    scale: float
    size: Floats  # a bound on |Z|
    peaks: Floats  # the largest exp(theta y) H in each cell of the tilt's own
    error: float  # of exp(theta y) H
    folded: Floats  # logarithms of bounds on the mass folded in
    whole: float  # a bound on Z(theta)
    moved: float  # how far the places by this tilt's own c are from y

    def grown(self, by: float) -> "_Part":
        """The same relative to exp(scale - by)."""
        factor = math.exp(by)
        return replace(
            self, size=self.size * factor, error=self.error * factor, folded=self.folded + by, whole=self.whole * factor
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """One vertex: D at a = 0 .. J, its parts, and the logarithms of bounds on its tails."""

    sums: Floats
    parts: tuple[_Part, ...]
    tails: Floats


@final
@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """delta of the members of a simplex whose places are at a/J .. (a + 1)/J is at most steps[a]; `widest` is the edge
    that costs most.
    """

    steps: Floats
    widest: tuple[int, int]

    @property
    def most(self) -> float:
        return float(self.steps.max())


@final
@dataclass(frozen=True, slots=True, eq=False)
class Removals:
    """f_r against e^epsilon times f_r moved by `shift`, for all removals r."""

    frame: TiltFrame
    tilts: tuple[Tilt, ...]
    gaps: tuple[Complexes, ...]  # B at each tilt's frequencies
    gap_errors: tuple[Floats, ...]
    jumps: tuple[float, ...]  # 1 + exp(epsilon + theta s) >= |B|
    ends: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]  # the tails below and above, linear in the removal
    fine: int  # J
    _seen: dict[Vertex, _Seen] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, records: TiltedRecords, corners: Floats, shift: int, epsilon: Fraction, *, floor: float
    ) -> "Removals | None":
        """None if the sums or their places are not known well enough, or a move by `shift` is beyond numbers there."""
        if records.lost > PLACED:
            return None
        theta = -float(epsilon) / shift
        frame, found = tilts(records, corners, theta, floor=floor, shift=shift)
        if not all(tilt.usable[0] and tilt.slack < SURE for tilt in found) or not found[0].theta < 0 < found[-1].theta:
            return None
        if max(float(epsilon) + tilt.theta * shift for tilt in found) > STEEPEST:
            return None
        gaps = [one_less(float(epsilon + Fraction(tilt.theta) * shift), tilt.t, shift) for tilt in found]
        ends = []
        for tilt, edge in ((found[0], found[0].first), (found[-1], found[-1].last + 1)):
            at = tilt.theta * ENDS
            ends.append(chernoff(records, frame, corners, at, 0 * at, np.full(len(at), float(edge))))
        theta = min((tilt.theta for tilt in found), key=lambda at: abs(at - theta))
        variance = max(float((records.counts - frame.middle) @ records.moments(theta)[1]), 0.1)
        fine = min(FINEST, max(COARSEST, math.ceil(math.sqrt((theta**2 + 4 / variance) / (8 * FINE)))))
        jumps = tuple(1 + exponential(epsilon)[1] * math.exp(tilt.theta * shift) for tilt in found)
        values, errors = tuple(gap[0] for gap in gaps), tuple(gap[1] for gap in gaps)
        return cls(frame, tuple(found), values, errors, jumps, (ends[0], ends[1]), fine)

    def bound(self, vertices: Sequence[Vertex]) -> Bound:
        """An upper bound on delta of every whole removal in the simplex."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number counts as one
            return self._bound(vertices)

    def _bound(self, vertices: Sequence[Vertex]) -> Bound:
        seen = [self._vertex(vertex) for vertex in vertices]
        edges = [(i, j) for i in range(len(vertices)) for j in range(i)] or [(0, 0)]
        moves = np.array([np.subtract(vertices[i], vertices[j]) for i, j in edges])
        may = self._open(seen, moves)
        added, costs = 0.0, np.zeros(len(edges))
        for place, tilt in enumerate(self.tilts):
            more, cost = self._corrected(place, tilt, [one.parts[place] for one in seen], moves, may)
            added, costs = added + more, costs + cost
        tails = np.max([one.tails for one in seen], axis=0).reshape(2, -1).min(axis=1)
        sums = np.max([one.sums for one in seen], axis=0)
        added += float(np.exp(np.minimum(tails, 0.0)).sum())
        steps = add_up(np.maximum(sums[:-1], sums[1:]), bounds_up(added))
        steps = np.where(np.isfinite(steps), np.minimum(steps, 1.0), 1.0)
        return Bound(steps, edges[int(np.argmax(costs))])

    def offsets(self, points: Floats) -> tuple[Floats, Floats]:
        """The steps a within which the places of each whole removal stand: first and last, the same but at a border."""
        slack = self.frame.rounding(np.abs(points - self.frame.middle).max(axis=0))
        return within_places(-self.frame.moved(points), slack, self.fine)

    def _corrected(
        self, place: int, tilt: Tilt, parts: list[_Part], moves: Floats, may: NDArray[np.bool_]
    ) -> tuple[float, Floats]:
        """What this tilt's cells may add to the chord, and the cost of each edge."""
        top = max(part.scale for part in parts)
        plain = [part.grown(part.scale - top) for part in parts]  # relative to exp(top)
        forms, finer, lost = self._terms(place, tilt, plain, moves, tilt.slopes, tilt.theta)
        start = self.tilts[0].first
        above = may[tilt.first - start : tilt.last + 1 - start]
        heights = np.exp(top - tilt.theta * np.arange(tilt.first, tilt.last + 1)[above])
        weight = float(heights.sum()) * max(1.0, math.exp(-tilt.theta))
        return (float(forms.max()) + finer + lost) * weight, forms * weight

    def _open(self, seen: list[_Seen], moves: Floats) -> NDArray[np.bool_]:
        """The cells in which H_x may be positive for some x: no tilt sees that it is not.

        exp(theta y) H_x(y) / Z_x(theta) has the sign of H_x, and the logarithm of Z_r(w) / Z_r(theta) is linear in r as
        well: the same bounds hold, and its slopes are small if places are counted with c_t = -L_t'(theta), by which
        a cell of x moves as far as x does: between the least and the greatest move of a vertex.
        """
        cells = np.arange(self.tilts[0].first, self.tilts[-1].last + 1)
        may = np.ones(len(cells), dtype=bool)
        for place, tilt in enumerate(self.tilts):
            parts = [one.parts[place] for one in seen]
            slopes = tilt.slopes - tilt.slopes[:, :1] + 1j * np.multiply.outer(tilt.own, tilt.t)
            between, finer, lost = self._terms(place, tilt, parts, moves, slopes, 0.0)
            rise = bounds_up(float(between.max()) + finer * (self.fine / LOOK) ** 2 + lost)
            peaks = ~(np.max([part.peaks for part in parts], axis=0) + rise <= 0)
            counted = np.concatenate([[0], np.cumsum(peaks)])
            low = math.floor(min(part.moved for part in parts) - PLACED) - tilt.first + tilt.reach
            high = math.ceil(max(part.moved for part in parts) + PLACED) - tilt.first + tilt.reach
            first, last = max(cells[0], -low, tilt.first - tilt.reach), min(cells[-1], len(peaks) - 1 - high)
            known = np.arange(first, min(last, tilt.last + tilt.reach) + 1)
            may[known - cells[0]] &= counted[known + high + 1] > counted[known + low]
        return may

    def _terms(
        self, place: int, tilt: Tilt, parts: list[_Part], moves: Floats, slopes: Complexes, theta: float
    ) -> tuple[Floats, float, float]:
        """What is between removals, for each edge; between places; and lost."""
        dimension = len(parts) - 1
        gap = np.abs(self.gaps[place]) + self.gap_errors[place]
        size = np.max([part.size for part in parts], axis=0) * gap * (2 / tilt.length)
        steep = np.abs(moves @ slopes) + 2 * np.where(tilt.usable, tilt.error, 0.0)
        forms = dimension / (4 * (dimension + 1)) * (steep**2 * size).sum(axis=1)
        finer = float(((theta**2 + tilt.t**2) * size).sum()) / (8 * self.fine**2)
        fold = np.exp(np.minimum(np.max([part.folded for part in parts], axis=0), 700.0)).reshape(2, -1).min(axis=1)
        rest = max(part.whole for part in parts) * tilt.rest / tilt.length
        slip = max(part.error for part in parts)
        return forms, finer, self.jumps[place] * (float(fold.sum()) + rest) + slip

    def _vertex(self, vertex: Vertex) -> _Seen:
        if vertex not in self._seen:
            if len(self._seen) * sum(tilt.last - tilt.first + 2 * tilt.reach for tilt in self.tilts) >= KEPT:
                self._seen.clear()
            away = np.array(vertex) - self.frame.middle
            parts, sums = [], np.zeros(self.fine + 1)
            for place, tilt in enumerate(self.tilts):
                part, more = self._inverted(place, tilt, away)
                parts.append(part)
                sums = add_up(sums, more)
            tails = np.concatenate([base + away @ slopes for base, slopes in self.ends])
            self._seen[vertex] = _Seen(sums, tuple(parts), tails)
        return self._seen[vertex]

    def _inverted(self, place: int, tilt: Tilt, away: Floats) -> tuple[_Part, Floats]:
        scale, moved = float(tilt.base[0].real + away @ tilt.slopes[:, 0].real), float(away @ tilt.own)
        spectrum, gap = tilt.spectrum(away, scale), self.gaps[place]
        values = tilt.inverted(spectrum * gap, self.fine, 0)
        places = np.arange(tilt.first, tilt.last + 1) + np.arange(self.fine + 1)[:, None] / self.fine
        sums = weighed_up(values, scale, tilt.theta, places)
        peaks = tilt.inverted(spectrum * gap * np.exp(1j * tilt.t * moved), LOOK, tilt.reach).max(axis=0)
        loose = np.where(tilt.usable, tilt.error, 0.0)
        largest, error = inverted_error(spectrum, loose, gap, self.gap_errors[place], tilt.length)
        whole = exp_up(float(tilt.error[0]))
        return _Part(scale, largest, peaks, error, tilt.folded(away) - scale, whole, moved), sums
