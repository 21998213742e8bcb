"""Counts exact where the data earn it: within a stated range of shares a count may go out exactly, else with noise."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError
from dalenius.enclosure.formats import percent, short
from dalenius.facts.records import exact
from dalenius.mechanisms.channel import Channel
from dalenius.numerics.exponentials import sign
from dalenius.numerics.law import Law
from dalenius.numerics.least import first_true, last_true

if TYPE_CHECKING:
    from dalenius.mechanisms.earned import Kernel, Window

DIGITS = 10**9  # steps of a share


@final
@dataclass(frozen=True, slots=True)
class ExactIfEarned(Channel):
    """A count of n people of whom from `low` to `high` (shares of n) are counted goes out exactly with some chance, and
    otherwise with two-sided geometric noise of this scale: the kernel of `dalenius.mechanisms.earned`.

    It is a random function of the count, with dice of its own: whatever else is published, it tells no more than the
    count itself. It is no noise: an exact count is told as one.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> dl.mechanisms.ExactIfEarned(Fraction(1, 10), Fraction(3, 10), Fraction(2)).window(100).low
    10
    """

    low: Fraction
    high: Fraction
    scale: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.high < 1:
            raise InputError(
                "A count may be exact between two shares above 0 and below 1, the first not above the second, but got "
                f"{self.low} and {self.high}. Write between: [0.1, 0.3]."
            )
        if self.scale <= 0:
            raise InputError(f"The noise of other counts needs a scale above 0, but got {self.scale}. Write scale: 2.")

    def window(self, people: int) -> "Window":
        """The counts of so many people that may go out exactly: none is 0, none is all of them."""
        from dalenius.mechanisms.earned import Window

        return Window(ceil(self.low * people), floor(self.high * people))

    def kernel(self, people: int) -> "Kernel":
        """What goes out of each count of so many people."""
        from dalenius.mechanisms.earned import Kernel

        return Kernel(people, self.window(people), self.scale)

    @property
    def period(self) -> int:
        """None: so every computation that rests on one refuses it."""
        raise InputError(
            "A count that is exact where that is earned is judged by itself, or as if it was exact, but not here. "
            "Publish it with noise, or as it is."
        )

    @property
    def random(self) -> bool:
        """It is no noise, which would hide a record whatever the others are."""
        return False

    @property
    def dice(self) -> bool:
        return True

    @property
    def hides(self) -> bool:
        return True

    def push(self, law: Law) -> Law:
        raise InputError(
            "What is told of a count that is exact where that is earned depends on how many people there are. Ask "
            "kernel(people) for the law of what goes out."
        )

    def told(self, unit: Fraction) -> str:
        return str(self)

    def __str__(self) -> str:
        return (
            f"exact with some chance if {percent(self.low)} to {percent(self.high)} are counted, otherwise plus "
            f"two-sided geometric noise of scale {short(self.scale)}"
        )


def earned_at(chance: Fraction, epsilon: Fraction) -> ExactIfEarned:
    """The widest shares, with nine digits, at which a count tells yes from no by at most epsilon, if each record is
    counted with this chance: from q e^-epsilon / (1 - q + q e^-epsilon) to the same with e^epsilon.

    >>> print(earned_at(Fraction(3, 10), Fraction(1, 2)))
    exact with some chance if 20.6 % to 41.4 % are counted, otherwise plus two-sided geometric noise of scale 2
    """
    from dalenius.mechanisms.stated import drawn_scale

    def enough(digit: int) -> bool:
        share = Fraction(digit, DIGITS)
        return sign([(share * (1 - chance), epsilon), (-(1 - share) * chance, 0)]) >= 0

    def few(digit: int) -> bool:
        share = Fraction(digit, DIGITS)
        return sign([((1 - share) * chance, epsilon), (-share * (1 - chance), 0)]) >= 0

    low, high = first_true(enough, 1, DIGITS - 1), last_true(few, 1, DIGITS - 1)
    return ExactIfEarned(Fraction(low, DIGITS), Fraction(high, DIGITS), drawn_scale(1 / epsilon))


def hedged_at(chance: Fraction, people: int, epsilon: Fraction, weight: Fraction) -> ExactIfEarned | None:
    """The shares of the window of a hedged count of so many people, which also serve more people; None if no count may
    be exact.
    """
    from dalenius.mechanisms.hedging import exact_window
    from dalenius.mechanisms.stated import drawn_scale

    window = exact_window(chance, people, epsilon, weight, "value")
    if window.empty:
        return None
    return ExactIfEarned(Fraction(window.low, people), Fraction(window.high, people), drawn_scale(1 / epsilon))


def exact_if_earned(
    low: float | str | Fraction, high: float | str | Fraction, *, scale: float | str | Fraction
) -> ExactIfEarned:
    """Counts exact with some chance between two shares of the people, and otherwise noisy.

    >>> exact_if_earned("0.2", "0.4", scale=2).window(50)
    Window(low=10, high=20)
    """
    from dalenius.mechanisms.stated import drawn_scale

    ends = exact(low, name="low"), exact(high, name="high")
    return ExactIfEarned(*ends, drawn_scale(exact(scale, name="scale")))
