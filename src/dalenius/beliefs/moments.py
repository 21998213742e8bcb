"""Beliefs that say only how far records reach and how much they vary."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Protocol, final, runtime_checkable

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.beliefs.answers import NOTHING, Answer, Inquiry, Proved
from dalenius.beliefs.belief import SHARE, Belief, Share, known_records, records_of
from dalenius.enclosure.formats import apart, at_most
from dalenius.facts.records import Label, exact
from dalenius.facts.secret import Facts, Secret, Value, Within
from dalenius.facts.statistics import Count, Mean, Statistic, Sum
from dalenius.numerics.moments import Moments
from dalenius.numerics.range_variance import RangeVarianceCurve, least_tau

REFERENCE = Fraction(1, 2), Fraction(1, 10**6)  # epsilon and delta of the noise that a refusal names


@runtime_checkable
class Noisy(Protocol):
    """A channel that can say whether its output is a function of the figure plus normal noise."""

    def normal(self) -> tuple[Fraction, float] | None:
        """The scale of that noise, and how far what is drawn is from it."""


@final
class RangeVariance(Belief):
    """n independent records, each within `bounds`, about which only their variance is known to be at least so much.

    `variance` is a lower bound for each single record; `total` is one for the sum of all n records' variances, from
    which goes the most that the target and the known records can have, a quarter of the squared range each.

    No exact release can be certified from moments alone: if all records are even, an odd one shows. Normal noise of
    about half the range of one person, which does not grow with n, can be certified for all events.

    >>> print(RangeVariance(n=1001, bounds=(0, 1), variance=0.05, known=200))
    independent records from 0 to 1, each of variance at least 0.05, n=1001, attacker knows 200
    """

    independent = True

    def __init__(
        self,
        *,
        n: int,
        bounds: tuple[float | str | Fraction, float | str | Fraction],
        variance: float | str | Fraction | None = None,
        total: float | str | Fraction | None = None,
        known: Share = 0,
    ) -> None:
        n = records_of(n)
        if n < 1:
            raise InputError(
                f"RangeVariance needs at least one record, but got n={n}. Without records there is nothing to hide."
            )
        if (variance is None) == (total is None):
            raise InputError(
                "RangeVariance needs either variance=... of each record or total=... of all of them. Give one of them."
            )
        low, high = (exact(bound, name="A bound") for bound in bounds)
        if low >= high:
            raise InputError(f"Bounds must be (lower, upper), but got ({bounds[0]}, {bounds[1]}). Correct them.")
        self.n, self.bounds, self.known = n, (low, high), known_records(known, n)
        self._single = variance is not None
        self.variance = exact(variance if variance is not None else total or 0, name="The variance")
        self._check_variance()

    def _check_variance(self) -> None:
        most, times = self.quarter * (1 if self._single else self.n), "" if self._single else f"{self.n} · "
        if not 0 <= self.variance <= most:
            of = "a record" if self._single else f"{self.n} independent records"
            raise InputError(
                f"The variance of {of} from {float(self.bounds[0]):g} to {float(self.bounds[1]):g} lies between 0 and "
                f"{times}range²/4 = {apart(most, self.variance)}, but got {apart(self.variance, most)}. "
                "Correct the variance or the bounds."
            )

    @property
    def quarter(self) -> Fraction:
        """The most that the variance of one record can be."""
        return (self.bounds[1] - self.bounds[0]) ** 2 / 4

    @property
    def assumes(self) -> tuple[str, ...]:
        return (
            "records are independent and within their bounds",
            "the variance is at least what is stated, whatever the attacker knows, and not estimated from the data",
            "the target's record and the noise are independent of the other records",
            "no other figure about these records is published: what rests on uncertain data does not add up",
            SHARE,
        )

    @property
    def sources(self) -> tuple[str, ...]:
        return ("Goldstein 2010, Bounds on the constant in the mean central limit theorem (zero-bias coupling)",)

    def domain(self) -> Sequence[Label | Fraction]:
        """The ends: what lies between them moves a total by less."""
        return self.bounds

    def pairs_of(self, statistic: Statistic, secret: Secret) -> Facts:
        """Values may lie anywhere between the bounds, so two of them may be nearly 4k apart."""
        found = Facts.of(Value() if isinstance(secret, Within) else secret, [*map(statistic.contribution, self.bounds)])
        return replace(found, apart=secret.apart) if isinstance(secret, Within) else found

    def unknown_variance(self, known: int) -> Fraction:
        """What is left of the variance without the target and the worst `known` of the others."""
        if self._single:
            return (self.n - 1 - known) * self.variance
        return max(Fraction(0), self.variance - (1 + known) * self.quarter)

    @property
    def route(self) -> str:
        return "a range and a variance, with normal noise"

    def answer(self, statistic: Statistic, asked: Inquiry) -> Answer:
        facts, channel = asked.facts, asked.channel
        variance, spread = self._in_units(statistic, asked.known)
        shift = Fraction(facts.reach) / spread
        if facts.apart is not None:
            shift = min(shift, facts.apart / (self.bounds[1] - self.bounds[0]))
        if shift == 0:
            return NOTHING
        normal = channel.normal() if isinstance(channel, Noisy) else None
        if normal is None:
            raise PreconditionError(_refusal(variance, shift, spread, asked.enough))
        scale, gap = normal
        return Proved(RangeVarianceCurve(variance, shift, scale / spread, gap), self.route)

    def least_noise(
        self, statistic: Statistic, *, epsilon: float | str | Fraction, delta: float | str | Fraction
    ) -> Fraction | None:
        """The least scale of `rounded_gaussian`, within 1 %, that makes the value of a record safe; None if there is
        none. Cost: about 0.2 s.
        """
        variance, spread = self._in_units(statistic, self.known)
        tau = least_tau(exact(epsilon, name="epsilon"), exact(delta, name="delta"), variance)
        return None if tau is None else tau * spread

    def moments(self) -> Moments:
        """Of the records that are neither known nor the target's, for statements about thresholds and buckets."""
        spread = self.bounds[1] - self.bounds[0]
        return Moments.within(spread, records=self.n - 1 - self.known, variance=self.unknown_variance(self.known))

    def _in_units(self, statistic: Statistic, known: int) -> tuple[Fraction, Fraction]:
        """The unknown variance in units of the squared range, and the range in units of the statistic."""
        if not isinstance(statistic, Sum | Mean) and not (statistic == Count() and list(self.bounds) == [0, 1]):
            raise PreconditionError(
                f"Range and variance speak of a sum or a mean of the values, but the statistic is a {statistic}. Give "
                "bounds=(0, 1) and the variance of the yes/no record, and count those that are 1."
            )
        low, high = (statistic.contribution(bound) for bound in self.bounds)
        return self.unknown_variance(known) / (4 * self.quarter), Fraction(high - low)

    def __str__(self) -> str:
        low, high = (f"{float(bound):g}" for bound in self.bounds)
        kind = "each of variance at least" if self._single else "of total variance at least"
        return (
            f"independent records from {low} to {high}, {kind} {float(self.variance):g}, n={self.n}, attacker knows "
            f"{self.known}"
        )


def _refusal(variance: Fraction, shift: Fraction, spread: Fraction, enough: Fraction | None) -> str:
    """Why nothing but normal noise will do, and how much of it would."""
    epsilon, delta = REFERENCE[0], enough or REFERENCE[1]
    tau = least_tau(epsilon, delta, variance, shift)
    much = (
        f"At ε = {float(epsilon):g}, δ = {float(delta):g} the least is rounded_gaussian({at_most(float(tau * spread))})"
        if tau is not None
        else "No noise is enough for that"
    )
    return (
        "From range and variance only the figure plus rounded normal noise can be certified. No exact release can be "
        "certified from moments alone (parity: if all records are even, an odd one shows), nor a rounded one, nor "
        f"noise of another shape. {much}. Add it, or state the probabilities of values."
    )
