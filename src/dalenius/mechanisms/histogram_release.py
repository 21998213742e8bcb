"""What is published of a histogram: all of it, the large cells, the most frequent value, the likeliest model."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.facts.statistics import Count, Histogram

if TYPE_CHECKING:
    from dalenius.mechanisms.channel import Exact
    from dalenius.mechanisms.models import LikeliestModel, Mode

Shown: TypeAlias = "Exact | Truncated | LikeliestModel | Mode"


@final
@dataclass(frozen=True, slots=True)
class HistogramRelease:
    """`Histogram(...) >> what is shown of it`, or a count that is shown if it is large enough. `verify` judges it.

    >>> import dalenius as dl
    >>> print(dl.Histogram("red", "blue") >> dl.mechanisms.Truncated(10))
    histogram of 2 cells, counts of at least 10, others hidden
    """

    figure: Histogram | Count
    shown: Shown

    def __rshift__(self, step: object) -> NoReturn:
        raise InputError(
            f"What is shown of a histogram is the last step, but {step} came after {self}. Work on what is published: "
            "that tells no more."
        )

    def __str__(self) -> str:
        return f"{self.figure}, {self.shown}"


@final
@dataclass(frozen=True, slots=True)
class Truncated:
    """Counts of at least `least`; all others are hidden, zeros too.

    >>> import dalenius as dl
    >>> print(dl.mechanisms.Truncated(10))
    counts of at least 10, others hidden
    """

    least: int

    def __post_init__(self) -> None:
        if isinstance(self.least, bool) or self.least != int(self.least) or self.least < 1:
            raise InputError(
                f"Truncated needs a least count that is a whole number of at least 1, but got {self.least!r}. Write "
                "Truncated(10) to hide counts below 10."
            )

    def __rrshift__(self, figure: Histogram | Count) -> HistogramRelease:
        if not isinstance(figure, Histogram | Count):
            raise InputError(
                f"Truncated needs to come right after a histogram or a count, but it came after {figure}. Write "
                'Histogram("A", "B") >> Truncated(10).'
            )
        return HistogramRelease(figure, self)

    def __str__(self) -> str:
        return f"counts of at least {self.least}, others hidden"


def chosen_from(figure: Histogram, shown: "LikeliestModel | Mode") -> HistogramRelease:
    """A choice that a histogram makes, between values or models of the same values."""
    if not isinstance(figure, Histogram):
        raise InputError(
            f"A choice between values or models ({shown}) needs to come right after a histogram, but it came after "
            f"{figure}. Write Histogram({', '.join(map(repr, shown.values))}) >> ..."
        )
    figure.check(shown.values)
    return HistogramRelease(figure, shown)
