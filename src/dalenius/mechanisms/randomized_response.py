"""Randomised response: every person answers a yes/no question truthfully with a known chance, else the opposite."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, final

import numpy as np

from dalenius.basics.errors import InputError, require
from dalenius.beliefs.crowd import law_of_rates
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.balls import Balls
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.excess import mass_above
from dalenius.enclosure.formats import short
from dalenius.enclosure.outward import BELOW_ONE, add_up
from dalenius.facts.records import exact
from dalenius.mechanisms.stated import Stated, checked_epsilon, drawn_scale, pure
from dalenius.numerics.exponentials import logarithm, sign, value
from dalenius.numerics.law import Law, point
from dalenius.numerics.least import climb, first_true, outwards
from dalenius.numerics.pure import ResponseCurve

if TYPE_CHECKING:
    from dalenius.mechanisms.response_total import LocalCount

SOURCE = "Warner 1965; The Fundamentals of Differential Privacy, Algorithm 2 (corrected), Propositions 2.3 and 3.2"


@final
class RandomizedResponse(Stated):
    """The answer φ(x) ∈ {0, 1} to any question, kept with a chance above one half, else flipped.

    State the chance (`keep`, 3/4 in the basic version) or ε = ln(keep/(1 - keep)). Given ε, answers are drawn at the
    ε' = 1/scale that a float can hold, which is never above.

    >>> basic = RandomizedResponse(keep="3/4")
    >>> print(basic.estimate(yes=420, n=1000), basic.rmse(100))
    340 [8.66, 8.661]
    """

    differential = True
    named = True

    def __rshift__(self, step: object) -> "LocalCount":
        from dalenius.mechanisms.response_total import LocalCount  # which is made of answers

        return LocalCount(self, step)

    def __init__(
        self, *, epsilon: float | str | Fraction | None = None, keep: float | str | Fraction | None = None
    ) -> None:
        if (epsilon is None) == (keep is None):
            raise InputError(
                "RandomizedResponse needs either epsilon=... or keep=... (3/4 is basic). Give one of them."
            )
        self.scale: Fraction | None = None
        self.keep: Fraction | None = None
        if keep is not None:
            self.keep = exact(keep, name="keep")
            if not Fraction(1, 2) < self.keep < 1:
                raise InputError(
                    f"The chance of a true answer must lie between 1/2 and 1, but got {keep}. With 1/2 answers tell "
                    "nothing, with 1 they hide nothing."
                )
        else:
            self.scale = drawn_scale(1 / checked_epsilon(epsilon or 0))

    # -- the law ------------------------------------------------------------------------------------------------------

    def chances(self) -> tuple[Fraction, Fraction]:
        """Bounds on the chance of a true answer: equal if it was stated, else 1 / (1 + e^-ε) with some forty digits."""
        if self.scale is None:
            return self.keep or Fraction(0), self.keep or Fraction(0)
        low, high = value([(1, 0), (1, -1 / self.scale)])
        return 1 / high, 1 / low

    def is_below_chance(self, number: Fraction) -> bool:
        """Whether a number is at most the chance of a true answer, decided exactly: u ≤ 1/(1 + e^-ε) if
        u + u e^-ε - 1 ≤ 0.
        """
        if self.scale is None:
            return number <= (self.keep or Fraction(0))
        return sign([(number, 0), (number, -1 / self.scale), (-1, 0)]) <= 0

    def level(self) -> Bracket:
        """ε, which is exact: ln(keep / (1 - keep))."""
        if self.scale is not None:
            return around(1 / self.scale, 1 / self.scale)
        low, high = self.chances()
        return logarithm(low / (1 - low), high / (1 - high))

    def law(self, answer: int) -> tuple[Bracket, Bracket]:
        """The chances of publishing "no" and "yes" where the true answer is 0 or 1."""
        require(answer in (0, 1), "a true answer, 0 or 1", got="something else")
        low, high = self.chances()
        kept, flipped = around(low, high), around(1 - high, 1 - low)
        return (flipped, kept) if answer else (kept, flipped)

    def rate(self, p: float | str | Fraction) -> Bracket:
        """The chance that a record which is "yes" with chance p is published as "yes"."""
        low, high = (bounds for bounds in self._rate(exact(p, name="p")))
        return around(low, high)

    def _rate(self, p: Fraction) -> tuple[Fraction, Fraction]:
        require(0 <= p <= 1, "a chance between 0 and 1", got=p)
        ends = [keep * p + (1 - keep) * (1 - p) for keep in self.chances()]
        return min(ends), max(ends)

    def total(self, ones: int, n: int) -> Law:
        """The law of the number of published "yes" among n answers of which `ones` are truly "yes"."""
        require(0 <= ones <= n, f"between 0 and {n} true answers", got="another number")
        return self.counts([(Fraction(1), ones), (Fraction(0), n - ones)])

    def counts(self, groups: list[tuple[Fraction, int]]) -> Law:
        """The law of the number of published "yes", for independent records in groups (chance of a true "yes", how
        many). Chances are rounded once, which the law allows for, but not to certainty.
        """
        groups = [(p, count) for p, count in groups if count]
        if not groups:
            return point(0)
        rates = np.array([min(float(sum(self._rate(p)) / 2), BELOW_ONE) for p, _ in groups])
        return law_of_rates(rates, np.array([count for _, count in groups], dtype=np.int64))

    # -- what is learned ----------------------------------------------------------------------------------------------

    def estimate(self, *, yes: int, n: int) -> Bracket:
        """The unbiased estimate (yes - n(1 - keep)) / (2 keep - 1) of how many are truly "yes". It may leave [0, n]."""
        require(0 <= yes <= n, f"between 0 and {n} published answers", got=yes)
        ends = [(yes - n * (1 - keep)) / (2 * keep - 1) for keep in self.chances()]
        return around(min(ends), max(ends))

    def rmse(self, n: int) -> Bracket:
        """The root mean square error of the estimate: √(n keep (1 - keep)) / (2 keep - 1), whatever the data."""
        require(n >= 1, "at least one answer", got=n)
        low, high = self.chances()
        least, most = n * high * (1 - high) / (2 * high - 1) ** 2, n * low * (1 - low) / (2 * low - 1) ** 2
        return Bracket(float(Balls.of(least).sqrt().lower), float(Balls.of(most).sqrt().upper))

    def sample_size(self, accuracy: float | str | Fraction) -> int:
        """The least n at which the estimated share has a root mean square error of at most `accuracy`; exact.

        >>> RandomizedResponse(epsilon="0.5").sample_size("0.01"), RandomizedResponse(keep="3/4").sample_size("0.01")
        (39177, 7500)
        """
        wanted = exact(accuracy, name="accuracy")
        require(0 < wanted < 1, "an accuracy between 0 and 1, a share", got=accuracy)
        if self.keep is not None:
            return math.ceil(self.keep * (1 - self.keep) / ((2 * self.keep - 1) * wanted) ** 2)
        step, square = 1 / (self.scale or Fraction(1)), wanted * wanted
        last = math.ceil(1 / (step * wanted) ** 2) + 1  # 2 sinh(ε/2) >= ε

        def enough(n: int) -> bool:
            return sign([(n * square, 2 * step), (-2 * n * square - 1, step), (n * square, 0)]) >= 0

        return first_true(enough, 1, last)

    def tail_bound(self, t: float) -> float:
        """A bound on the chance that the published "yes" are t√n or more off their mean, for all data and n: 2 exp(-c
        t²) with c = ε coth(ε/2) >= 2 (Kearns and Saul 1998). The estimate is then off by t√n coth(ε/2).
        """
        require(t > 0, "t above 0", got=t)
        level = Balls.of(self.level().lower)
        least = level * ((-level).exp() + 1) / -(-level).expm1()  # ε coth(ε/2)
        return min(1.0, float((2 * (-least * Balls.of(t) ** 2).exp()).upper))

    def interval(self, *, yes: int, n: int, confidence: float | str | Fraction = "0.95") -> tuple[int, int]:
        """The numbers of true "yes" that the published ones do not refute: with at least this confidence, whatever the
        data, the true one is among them. Exact binomial tails, each at half of the risk (Clopper and Pearson 1934).

        The number of published "yes" grows stochastically with the true number, so each end is found by bisection, from
        a normal guess. If no number fits, the first end is above the last. Cost: about ten laws of n answers.
        """
        require(n >= 1 and 0 <= yes <= n, f"between 0 and {n} published answers", got=yes)
        sure = exact(confidence, name="confidence")
        require(0 < sure < 1, "a confidence between 0 and 1", got=confidence)
        half = float((1 - sure) / 2)

        def low_enough(ones: int) -> bool:  # not refuted by so many "yes"
            return _mass(self.total(ones, n), yes, n) >= half

        def high_enough(ones: int) -> bool:  # refuted by so few
            return _mass(self.total(ones, n), 0, yes) < half

        centre = self.estimate(yes=yes, n=n)
        spread = 2 * self.rmse(n).upper * math.sqrt(-2 * math.log(half))
        first = _bracketed(low_enough, math.floor(centre.lower - spread / 2), n)
        last = _bracketed(high_enough, math.ceil(centre.upper + spread / 2), n) - 1
        return first, last

    # -- what is hidden -----------------------------------------------------------------------------------------------

    def told(self) -> str:
        if self.keep is not None:
            return f"each answer, true with chance {short(self.keep)}, else flipped"
        return f"each answer, flipped with chance 1/(1 + e^{short(1 / (self.scale or Fraction(1)))})"

    def curve(self) -> ResponseCurve:
        """δ(ε) of one answer: exact."""
        return ResponseCurve(*self.chances())

    def guarantees(self) -> tuple[Guarantee, ...]:
        return (
            pure(
                self,
                definition="differential privacy (local: before anything is collected)",
                hides="a person's answer, to every question about their record",
                attacker="knows every record but one, and sees every published answer",
                epsilon=self.level(),
                because="the chances of an answer differ by the factor keep / (1 - keep), and no other answer changes",
                assumes=("the coins are drawn as stated", "a person answers once"),
                breaks=("a person who answers several questions: their ε add up",),
                sources=(SOURCE,),
                notion=Notion.DIFFERENTIAL,
            ),
        )

    def answer(self, question: Callable[[object], bool], record: object) -> int:
        """The true answer φ(x) of a record: what is flipped or kept. Flipping the record instead hides nothing of a
        question with φ(x) = φ(1 - x).
        """
        return int(bool(question(record)))


def _mass(law: Law, first: int, last: int) -> float:
    """An upper bound on the mass of first, ..., last."""
    return min(1.0, add_up(mass_above(law.over(first, last + 1)), law.tail))


def _bracketed(holds: Callable[[int], bool], guess: int, n: int) -> int:
    """`first_true` on [0, n], n + 1 if never, by steps that double from a guess, then bisection."""
    step, start = max(1, round(math.sqrt(n)) // 8), min(max(guess, 0), n)
    far = list(climb(step, lambda one: 2 * one + step, lambda one: 2 * one + step > n))
    below, above = (start - one for one in far if one <= start), (start + one for one in far if one <= n - start)
    low, high = outwards(holds, start, down=below, up=above)
    return first_true(holds, 0 if low is None else low + 1, n if high is None else high - 1)
