"""Choices from a histogram: the model that the records speak for, and the value that most of them have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError, PreconditionError, require
from dalenius.beliefs.belief import Marginal, marginal_of
from dalenius.enclosure.balls import Balls
from dalenius.facts.records import Label, Number, exact
from dalenius.facts.statistics import Histogram
from dalenius.mechanisms.choice import LikeliestRate, Ties, check_ties, check_weights
from dalenius.mechanisms.histogram_release import HistogramRelease, chosen_from
from dalenius.numerics.histograms import Counts
from dalenius.numerics.powers import exponents_in_base, sign


@final
@dataclass(frozen=True, slots=True)
class LikeliestModel:
    """The model that records speak for: the i with the largest weight_i · Π f_i(x_j), a MAP estimate.

    Each model is a law on the same values, all of them possible under every model. Of several with the same posterior
    probability the first (or the last) listed is chosen. Posteriors are compared exactly.
    """

    values: tuple[Label | Fraction, ...]
    models: tuple[tuple[Fraction, ...], ...]  # chances of the values, a row for each model
    weights: tuple[Fraction, ...]
    ties: Ties = "first"

    def __post_init__(self) -> None:
        check_weights(self.weights, len(self.models))
        check_ties(self.ties)
        for value, chances in zip(self.values, zip(*self.models, strict=True), strict=True):
            if min(chances) == 0 < max(chances):
                one, two = chances.index(max(chances)), chances.index(0)
                raise PreconditionError(
                    f"Choosing a model needs a bounded ratio, f_i(a) <= M f_j(a) for some M, but for the value {value} "
                    f"f_{one + 1}({value}) = {chances[one]} <= M · f_{two + 1}({value}) = M · 0 fails for every M: one "
                    "record with this value excludes a model for sure. Give it a small chance under every model."
                )

    @property
    def outputs(self) -> int:
        return len(self.models)

    def ratio(self, i: int, j: int) -> Fraction:
        """The largest f_i(a) / f_j(a)."""
        return max(p / q for p, q in zip(self.models[i], self.models[j], strict=True) if q)

    def place(self, value: Label | Fraction) -> int:
        """Where a value stands in the list."""
        require(value in self.values, f"one of the values {list(self.values)}", got=value)
        return self.values.index(value)

    def winners(self, rows: Counts) -> Counts:
        """The model chosen for each histogram: by floats where they are sure, else exactly."""
        columns = rows.T.astype(float)
        scores, off = np.zeros((2, len(self.models), len(rows)))
        for place, (model, weight) in enumerate(zip(self.models, self.weights, strict=True)):
            score = Balls.of(np.zeros(len(rows))) + Balls.of(weight).log()
            for counts, chance in zip(columns, model, strict=True):
                if chance:
                    score = score + Balls.of(chance).log() * counts
            scores[place], off[place] = score.middle, score.radius
        best = scores.max(axis=0)
        near = (scores >= best - 4 * off.max(axis=0)).T
        found = np.zeros(len(rows), dtype=np.int64)
        for place in range(1, len(self.models)):
            found[scores[place] == best] = place
        close = np.flatnonzero(near.sum(axis=1) > 1)
        if len(close):
            found[close] = self._settled(rows[close], near[close])
        return np.asarray(found, dtype=np.int64)

    def _settled(self, rows: Counts, near: NDArray[np.bool_]) -> Counts:
        """The winners where floats are not sure: ties by comparing exponents, the rest one by one."""
        numbers = [*self.weights, *(chance or Fraction(1) for model in self.models for chance in model)]
        table = exponents_in_base(numbers)
        size, cells = len(self.models), len(self.values)
        powers = table[size:].reshape(size, cells, -1)
        products = np.einsum("rc,mcb->rmb", rows, powers) + table[:size]
        leader = np.argmax(near, axis=1)
        same = (products == products[np.arange(len(rows)), leader][:, None]).all(axis=2)
        ties = (same | ~near).all(axis=1)
        last = size - 1 - np.argmax(near[:, ::-1], axis=1)
        found = leader if self.ties == "first" else last
        for place in np.flatnonzero(~ties).tolist():
            found[place] = self.winner(rows[place].tolist())
        return np.asarray(found, dtype=np.int64)

    def winner(self, row: Sequence[int]) -> int:
        """The model chosen for one histogram, exactly."""
        best = 0
        for other in range(1, len(self.models)):
            live = [(p / q, count) for p, q, count in zip(self.models[other], self.models[best], row, strict=True) if q]
            against = sign(
                [self.weights[other] / self.weights[best], *(r for r, _ in live)], [1, *(e for _, e in live)]
            )
            if against > 0 or (against == 0 and self.ties == "last"):
                best = other
        return best

    def as_rates(self) -> LikeliestRate | None:
        """The same choice as a function of the number of ones, where records have two values."""
        if len(self.values) != 2:
            return None
        return LikeliestRate(tuple(model[1] for model in self.models), self.weights, self.ties)

    def __rrshift__(self, figure: Histogram) -> HistogramRelease:
        return chosen_from(figure, self)

    def __str__(self) -> str:
        return f"which of {len(self.models)} models is the likeliest"


@final
@dataclass(frozen=True, slots=True)
class Mode:
    """The value that most records have; of several, the first (or the last) listed."""

    values: tuple[Label | Fraction, ...]
    ties: Ties = "first"

    def __post_init__(self) -> None:
        check_ties(self.ties)
        require(len(set(self.values)) == len(self.values) >= 2, "at least two different values", got=self.values)

    @property
    def outputs(self) -> int:
        return len(self.values)

    def place(self, value: Label | Fraction) -> int:
        """Where a value stands in the list."""
        require(value in self.values, f"one of the values {list(self.values)}", got=value)
        return self.values.index(value)

    def winners(self, rows: Counts) -> Counts:
        """The place of the largest count of each histogram."""
        if self.ties == "first":
            return np.asarray(np.argmax(rows, axis=1), dtype=np.int64)
        return np.asarray(rows.shape[1] - 1 - np.argmax(rows[:, ::-1], axis=1), dtype=np.int64)

    def wins_ties(self, one: int, two: int) -> bool:
        """Whether the first of two values is chosen when both are as frequent."""
        return one < two if self.ties == "first" else one > two

    def __rrshift__(self, figure: Histogram) -> HistogramRelease:
        return chosen_from(figure, self)

    def __str__(self) -> str:
        return f"which of {len(self.values)} values is the most frequent"


Chances = Mapping[Label | Fraction, Number]


def likeliest_model(*models: Chances, weights: Sequence[Number] | None = None, ties: Ties = "first") -> LikeliestModel:
    """The model with the largest posterior probability; weights are equal by default.

    >>> print(likeliest_model({"a": 0.2, "b": 0.8}, {"a": 0.5, "b": 0.5}))
    which of 2 models is the likeliest
    """
    found: list[Marginal] = [marginal_of(model) for model in models]
    values = tuple(dict.fromkeys(value for model in found for value, _ in model))
    if len(values) < 2:
        raise InputError("Choosing a model needs records of at least two values, but got one. Nothing can be learned.")
    rows = tuple(tuple(dict(model).get(value, Fraction(0)) for value in values) for model in found)
    given = [Fraction(1)] * len(rows) if weights is None else [exact(weight, name="weight") for weight in weights]
    return LikeliestModel(values, rows, tuple(given), ties)


def mode(*values: Label | Fraction, ties: Ties = "first") -> Mode:
    """The most frequent of these values.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.mode("red", "blue"))
    which of 2 values is the most frequent
    """
    return Mode(values, ties)
