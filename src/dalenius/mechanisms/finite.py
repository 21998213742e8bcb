"""Mechanisms on finite worlds: a row of output probabilities for each dataset."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.beliefs.finite import Dataset, Finite, Number
from dalenius.errors import InputError
from dalenius.numerics.outcomes import Masses, Outcomes, collected, divided, fractions, is_exact, total
from dalenius.records import exact

ROUNDING = 2.0**-40  # relative error charged for sums over up to millions of datasets in floating point


@final
@dataclass(frozen=True, slots=True, eq=False)
class FiniteMechanism:
    """Dataset r of a belief is in state `state[r]`, and a state's row of `rows` has the probability of each output.

    `rows` is None for a deterministic mechanism: then the state is the output.
    """

    outputs: tuple[Hashable, ...]
    state: NDArray[np.int64]
    rows: Masses | None = None  # states x outputs

    @classmethod
    def of(cls, function: Callable[[Dataset], Hashable], belief: Finite) -> "FiniteMechanism":
        """A deterministic function of the dataset."""
        found = [function(dataset) for dataset in belief.datasets()]
        outputs = tuple(dict.fromkeys(found))
        places = {output: place for place, output in enumerate(outputs)}
        return cls(outputs, np.array([places[output] for output in found], dtype=np.int64))

    @classmethod
    def random(cls, function: Callable[[Dataset], Mapping[Hashable, Number]], belief: Finite) -> "FiniteMechanism":
        """A randomised function: for each dataset the probabilities of the outputs, which must sum to one. Exact."""
        laws = [
            tuple(
                sorted(
                    ((repr(out), out, exact(p, name="A probability")) for out, p in function(d).items()),
                    key=lambda x: x[0],
                )
            )
            for d in belief.datasets()
        ]
        return cls._stacked([{out: p for _, out, p in law} for law in laws])

    @classmethod
    def matrix(cls, rows: Sequence[Sequence[Number]], outputs: Sequence[Hashable] | None = None) -> "FiniteMechanism":
        """A stochastic matrix, one row for each dataset of the belief, in its order."""
        names = tuple(outputs) if outputs is not None else tuple(range(len(rows[0])))
        if any(len(row) != len(names) for row in rows):
            raise InputError(f"Every row needs {len(names)} probabilities, one for each output.")
        return cls._stacked(
            [{out: exact(p, name="A probability") for out, p in zip(names, row, strict=True)} for row in rows]
        )

    @classmethod
    def _stacked(cls, laws: Sequence[Mapping[Hashable, Fraction]]) -> "FiniteMechanism":
        outputs = tuple(dict.fromkeys(output for law in laws for output in law))
        rows = np.empty((len(laws), len(outputs)), dtype=object)
        for place, law in enumerate(laws):
            if min(law.values()) < 0 or sum(law.values(), Fraction(0)) != 1:
                whole = float(sum(law.values(), Fraction(0)))
                raise InputError(
                    f"Every row of output probabilities must sum to 1, but row {place} sums to {whole:.12g}."
                )
            rows[place] = [law.get(output, Fraction(0)) for output in outputs]
        return cls(outputs, np.arange(len(laws)), rows)

    def law(self, belief: Finite, where: NDArray[np.bool_]) -> Outcomes | None:
        """The law of the output given that the dataset is one of those marked; None if the belief holds that
        impossible.
        """
        mass = belief.mass[where]
        weight = total(mass)
        if weight == 0:
            return None
        size = len(self.outputs) if self.rows is None else len(self.rows)
        states = collected(self.state[where], mass, size)
        if self.rows is not None:
            states = _pushed(states, self.rows)
        return Outcomes(divided(states, weight), 0.0 if is_exact(states) else ROUNDING)

    def row(self, dataset: int) -> Masses:
        """The probability of each output on the dataset at this place."""
        state = int(self.state[dataset])
        if self.rows is None:
            return fractions([Fraction(place == state) for place in range(len(self.outputs))])
        return np.asarray(self.rows[state])

    def likelihood(self, output: int) -> Masses:
        """The probability of the output at this place, on each dataset."""
        if self.rows is None:
            return fractions([Fraction(state == output) for state in self.state.tolist()])
        return np.asarray(self.rows[self.state, output])

    def posterior(self, belief: Finite, output: int) -> Masses | None:
        """What is believed of each dataset once the output at this place is seen; None if it cannot be seen."""
        if self.rows is None:
            joint = belief.mass.copy()
            joint[self.state != output] *= 0
        elif is_exact(belief.mass) and is_exact(self.rows):
            joint = np.asarray(belief.mass * self.rows[self.state, output])
        else:
            joint = np.asarray(belief.mass.astype(float) * self.rows[self.state, output].astype(float))
        weight = total(joint)
        return divided(joint, weight) if weight > 0 else None

    def moved(self, origin: NDArray[np.int64]) -> "FiniteMechanism":
        """The same mechanism for rows that come from these datasets."""
        return FiniteMechanism(self.outputs, self.state[origin], self.rows)

    def draws(self, mass: Masses) -> tuple[NDArray[np.int64], NDArray[np.int64], Masses]:
        """Every dataset with every output that it may have: the dataset, the output, and the mass of both."""
        if self.rows is None:
            return np.arange(len(mass)), self.state, mass
        origin, output = np.nonzero(self.rows[self.state])
        chances = self.rows[self.state[origin], output]
        if is_exact(mass) and is_exact(chances):
            return origin, output, np.asarray(mass[origin] * chances)
        return origin, output, np.asarray(mass[origin].astype(float) * chances.astype(float))

    def beside(self, other: "FiniteMechanism") -> "FiniteMechanism":
        """Both outputs, with independent coins."""
        outputs = tuple((one, two) for one in self.outputs for two in other.outputs)
        first, second = (_explicit(made) for made in (self, other))
        pairs, state = np.unique(np.stack([self.state, other.state]), axis=1, return_inverse=True)
        kind = object if is_exact(first) and is_exact(second) else float
        rows = np.array([np.multiply.outer(first[a], second[b]).ravel() for a, b in pairs.T], dtype=kind)
        return FiniteMechanism(outputs, state.ravel(), rows)


def _explicit(made: FiniteMechanism) -> Masses:
    """The rows, also of a deterministic mechanism."""
    if made.rows is not None:
        return made.rows
    rows = np.full((len(made.outputs), len(made.outputs)), Fraction(0), dtype=object)
    np.fill_diagonal(rows, Fraction(1))
    return rows


def _pushed(states: Masses, rows: Masses) -> Masses:
    if is_exact(states) and is_exact(rows):
        live = [place for place, value in enumerate(states.tolist()) if value]
        return fractions([sum((states[s] * rows[s, o] for s in live), Fraction(0)) for o in range(rows.shape[1])])
    return np.asarray(states.astype(float) @ rows.astype(float))
