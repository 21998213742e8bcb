"""Which single cells do exact linear figures give away? Exact linear algebra."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Vector = Sequence[int | Fraction]


def combination(rows: Sequence[Vector], target: Vector) -> list[Fraction] | None:
    """Rational coefficients c with sum of c_i rows_i = target, or None if there are none.

    Gauss elimination on the transposed system, one equation per atom.
    """
    unknowns = len(rows)
    equations = [[Fraction(row[j]) for row in rows] + [Fraction(target[j])] for j in range(len(target))]
    pivots = _eliminate(equations, unknowns)
    if any(equation[unknowns] != 0 for equation in equations[len(pivots) :]):
        return None
    solution = [Fraction(0)] * unknowns
    for equation, column in zip(equations, pivots, strict=False):
        solution[column] = equation[unknowns]
    return solution


def _eliminate(equations: list[list[Fraction]], unknowns: int) -> list[int]:
    """Bring the equations to reduced echelon form in place; return the pivot columns."""
    pivots: list[int] = []
    for column in range(unknowns):
        top = len(pivots)
        lead = next((i for i in range(top, len(equations)) if equations[i][column] != 0), None)
        if lead is None:
            continue
        equations[top], equations[lead] = equations[lead], equations[top]
        pivot = equations[top][column]
        equations[top] = [x / pivot for x in equations[top]]
        for i, row in enumerate(equations):
            if i != top and row[column] != 0:
                factor = row[column]
                equations[i] = [x - factor * y for x, y in zip(row, equations[top], strict=True)]
        pivots.append(column)
    return pivots


def unit(atoms: int, atom: int) -> list[int]:
    """The figure that is one atom alone."""
    return [int(j == atom) for j in range(atoms)]


def revealed_atoms(rows: Sequence[Vector], atoms: int) -> dict[int, list[Fraction]]:
    """Every atom that some combination of the figures isolates, with the coefficients."""
    found = {j: combination(rows, unit(atoms, j)) for j in range(atoms)}
    return {j: witness for j, witness in found.items() if witness is not None}


def combine(rows: Sequence[Vector], coefficients: Sequence[Fraction]) -> list[Fraction]:
    """The figure that the coefficients make of the rows."""
    return [
        sum((c * row[j] for c, row in zip(coefficients, rows, strict=True)), Fraction(0)) for j in range(len(rows[0]))
    ]
