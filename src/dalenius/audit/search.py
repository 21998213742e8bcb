"""Linear programs by HiGHS, in floats: where to look for tables that fit, and for proofs. Nothing that it says is
believed.

The solver is the one inside scipy. Asked for the largest value of one sum after another, it goes on from where it
was, if scipy lets us at that (its door is not a public one); otherwise each program is solved anew.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

Floats: TypeAlias = NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True)
class Optimum:
    """Where a sum is largest, its value there, and how much of each row shows that it is no larger. Without a place,
    the rows show that nothing fits.
    """

    at: Floats | None
    value: float
    rows: Floats


@final
@dataclass(frozen=True, slots=True)
class Program:
    """Rows between ends and columns between ends, as floats; an open end is infinite."""

    matrix: Any
    row_lower: Floats
    row_upper: Floats


class Search:
    """The largest values of sums over one polyhedron, one after the other."""

    def __init__(self, program: Program, lower: Floats, upper: Floats) -> None:
        self.program = program
        self._solver = _warm(program, lower, upper) or _Cold(program)

    def largest(self, sum_of: Floats, lower: Floats, upper: Floats, seconds: float) -> Optimum | None:
        """Where a sum is largest between these ends, or rows by which nothing fits; None if the solver does not say."""
        found = self._solver.largest(sum_of, lower, upper, min(max(seconds, 0.01), 1e6))
        if found is None and self.program.matrix.shape[0] and not isinstance(self._solver, _Cold):
            found = _Cold(self.program).largest(sum_of, lower, upper, min(max(seconds, 0.01), 1e6))
        return found


PRIMAL, DUAL = 4, 1  # HiGHS's own numbers for its two simplex methods


class _Warm:
    """HiGHS itself: it keeps its basis from one program to the next. Where only the sum is another one, the last place
    still fits, and the primal method goes on from there; where ends are others, it may not, and the dual one does.
    """

    def __init__(self, core: Any, program: Program, lower: Floats, upper: Floats) -> None:
        self._core = core
        rows, columns = program.matrix.shape
        lp = core.HighsLp()
        lp.num_col_, lp.num_row_ = columns, rows
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.zeros(columns), lower, upper
        lp.row_lower_, lp.row_upper_ = program.row_lower, program.row_upper
        lp.a_matrix_.format_ = core.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_ = program.matrix.indptr, program.matrix.indices
        lp.a_matrix_.value_ = program.matrix.data.astype(float)
        lp.a_matrix_.num_col_, lp.a_matrix_.num_row_ = columns, rows
        self._highs = core._Highs()
        for option, value in (("output_flag", False), ("threads", 1), ("random_seed", 0)):
            self._highs.setOptionValue(option, value)
        self._highs.passModel(lp)
        self._columns = np.arange(columns, dtype=np.int32)
        self._ends = lower.copy(), upper.copy()

    def largest(self, sum_of: Floats, lower: Floats, upper: Floats, seconds: float) -> Optimum | None:
        highs, count = self._highs, len(self._columns)
        highs.setOptionValue("time_limit", highs.getRunTime() + seconds)
        same = np.array_equal(self._ends[0], lower) and np.array_equal(self._ends[1], upper)
        highs.setOptionValue("simplex_strategy", PRIMAL if same else DUAL)
        if not same:
            highs.changeColsBounds(count, self._columns, lower, upper)
            self._ends = lower.copy(), upper.copy()
        highs.changeColsCost(count, self._columns, -sum_of)
        highs.run()
        status = highs.getModelStatus()
        if status == self._core.HighsModelStatus.kOptimal:
            solution = highs.getSolution()
            at = np.array(solution.col_value)
            return Optimum(at, float(sum_of @ at), -np.array(solution.row_dual))
        return None


def _warm(program: Program, lower: Floats, upper: Floats) -> "_Warm | None":
    """HiGHS inside scipy, if it is where it was, and does what it did."""
    if not program.matrix.shape[0]:
        return None
    try:
        core = import_module("scipy.optimize._highspy._core")
        return _Warm(core, program, lower, upper)
    except (ImportError, AttributeError, TypeError):
        return None


class _Cold:
    """Each program anew, through scipy's public door."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._upper_rows = np.flatnonzero(np.isfinite(program.row_upper))
        self._lower_rows = np.flatnonzero(np.isfinite(program.row_lower))
        self._matrix = sparse.vstack([program.matrix[self._upper_rows], -program.matrix[self._lower_rows]]).tocsr()
        self._ends = np.concatenate([program.row_upper[self._upper_rows], -program.row_lower[self._lower_rows]])

    def largest(self, sum_of: Floats, lower: Floats, upper: Floats, seconds: float) -> Optimum | None:
        """Like its namesake. Where nothing fits, rows are found by what it costs to let every row be missed."""
        bounds = np.stack([lower, upper], axis=1)
        options = {"time_limit": seconds}
        if not len(self._ends):
            at = np.where(sum_of > 0, upper, lower)
            return Optimum(at, float(sum_of @ at), np.zeros(self._program.matrix.shape[0]))
        found = linprog(-sum_of, A_ub=self._matrix, b_ub=self._ends, bounds=bounds, method="highs", options=options)
        if found.status == 0:
            return Optimum(found.x, float(-found.fun), self._combined(-found.ineqlin.marginals))
        if found.status != 2:
            return None
        missed = sparse.hstack([self._matrix, -sparse.identity(len(self._ends))]).tocsr()
        cost = np.concatenate([np.zeros(len(lower)), np.ones(len(self._ends))])
        both = np.concatenate([bounds, np.tile([0.0, np.inf], (len(self._ends), 1))])
        found = linprog(cost, A_ub=missed, b_ub=self._ends, bounds=both, method="highs", options=options)
        return Optimum(None, 0.0, self._combined(-found.ineqlin.marginals)) if found.status == 0 else None

    def _combined(self, weights: Floats) -> Floats:
        """Weights of the two ends of each row, as one multiple."""
        rows = np.zeros(self._program.matrix.shape[0])
        np.add.at(rows, self._upper_rows, weights[: len(self._upper_rows)])
        np.add.at(rows, self._lower_rows, -weights[len(self._upper_rows) :])
        return rows
