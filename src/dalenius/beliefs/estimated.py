"""Marginals estimated from a public sample: its sampling error makes a class of them, at a stated confidence."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import Adds
from dalenius.beliefs.around import TableClass
from dalenius.beliefs.belief import Share, known_records
from dalenius.enclosure.formats import short
from dalenius.facts.records import Label, exact, is_whole
from dalenius.numerics.proportions import least_shares, radius

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Value: TypeAlias = Label | Fraction
SUREST = 1 - Fraction(1, 10**30)
FAR = Fraction(1, 100)  # of the risk that a sample misleads: that of its distance, if there are more than two values
TWO = 2


def checked_confidence(confidence: float | str | Fraction) -> Fraction:
    """A confidence strictly between 0 and 1."""
    found = exact(confidence, name="The confidence")
    if not 0 < found <= SUREST:
        raise InputError(
            f"A confidence must lie above 0 and below 1 (at most 1 - 1e-30), but got {confidence}. Write 0.999 for one "
            "misleading sample in a thousand."
        )
    return found


def checked_counts(counts: Mapping[Value, int], what: str) -> dict[Value, int]:
    """How often each value occurred: whole numbers, not all of them 0."""
    for value, count in counts.items():
        if not is_whole(count):
            raise InputError(f"{what} needs whole numbers of at least 0, but {value} has {count!r}. Correct it.")
    if not any(counts.values()):
        raise InputError(f"{what} needs at least one record, but all counts are 0. Take another sample.")
    return {value: int(count) for value, count in counts.items()}


def misleads(confidence: Fraction) -> str:
    """What a confidence promises, in words."""
    return (
        f"the public counts are an independent sample of the same population, and not one of the at most "
        f"{short(100 * (1 - confidence))} % of samples that mislead (confidence {short(confidence)})"
    )


@final
class Estimated(TableClass):
    """Independent records whose laws are any that a public sample, with these counts of each value, leaves open.

    With probability `confidence` over the public sample the true probability of every value is at least its
    Clopper-Pearson lower end, at an equal part of the risk for each value; with more than two values a hundredth of
    the risk goes to the total variation distance between the sample's shares and the truth. The class is all laws that
    satisfy both: the lower ends are a common part of all of them, and the distance keeps fair coins whole, which counts
    where a small sample is spread over many values. Where records add one of two numbers, that is an interval of rates,
    and δ is exact. `domain` adds values that did not occur.

    `fitted=True`: the counts come from the confidential data itself. Then the guarantee is heuristic, and its verdict
    `review`, whatever the numbers.

    >>> import dalenius as dl
    >>> attacker = Estimated({0: 4100, 1: 900}, confidence="0.999", n=10_000, known=0.05)
    >>> print(attacker)
    independent records as in a public sample of 5000 (2 values, confidence 0.999), n=10000, attacker knows 500
    >>> print(dl.verify(dl.Count(), dl.noiseless(attacker), epsilon="0.2").delta)
    [1.471e-14, 1.472e-14]
    """

    def __init__(
        self,
        counts: Mapping[Value, int],
        *,
        confidence: float | str | Fraction,
        n: int,
        known: Share = 0,
        domain: Iterable[Value] | None = None,
        fitted: bool = False,
    ) -> None:
        from dalenius.beliefs.at_least import checked_size

        found = checked_counts(counts, "A public sample")
        self._domain = tuple(dict.fromkeys(domain)) if domain is not None else tuple(found)
        if missing := [value for value in found if value not in self._domain]:
            raise InputError(f"The domain must hold every value that was counted, but {missing[0]} is missing. Add it.")
        if len(self._domain) < TWO:
            raise InputError("A record needs at least two possible values, but got one. Name the others with domain.")
        self.confidence = checked_confidence(confidence)
        self.sample = {value: found.get(value, 0) for value in self._domain}
        self.n = checked_size(n, "Estimated")
        self.known = known_records(known, n)
        self.fitted = fitted
        self.ends_of, self.radius = region(self.sample, 1 - self.confidence)

    @property
    def assumes(self) -> tuple[str, ...]:
        return super().assumes if self.fitted else (*super().assumes, misleads(self.confidence))

    @property
    def breaks(self) -> str:
        return "a public sample of other people, or an unlucky one; records that move together (households)"

    def _shares(self, statistic: "Statistic") -> Adds:
        """The sample's own shares of what records add."""
        return _added(self.sample, statistic, Fraction(1, sum(self.sample.values())))

    def least(self, statistic: "Statistic") -> Adds:
        return _added(self.ends_of, statistic, Fraction(1))

    def coins(self, statistic: "Statistic", step: int) -> Fraction:
        from dalenius.beliefs.around import coin_part, shared

        least = self.least(statistic)
        weight = sum(least.values(), Fraction(0))
        common = weight * coin_part([shared(least, weight)], step) if weight else Fraction(0)
        return max(common, coin_part([_positive(self._shares(statistic))], step) - 2 * self.radius)

    def corners(self, statistic: "Statistic") -> Sequence[Adds]:
        """The sample's shares, moved towards one number as far as the ends and the distance allow."""
        from dalenius.beliefs.at_least import some_of

        shares, least = self._shares(statistic), self.least(statistic)
        return [_moved(shares, least, towards, self.radius) for towards in some_of(shares)]

    def __str__(self) -> str:
        return (
            f"independent records as in a public sample of {sum(self.sample.values())} ({len(self._domain)} values, "
            f"confidence {short(self.confidence)}), n={self.n}, attacker knows {self.known}"
        )


def region(sample: Mapping[Value, int], risk: Fraction) -> tuple[dict[Value, Fraction], Fraction]:
    """Lower ends for all probabilities, and a distance from the shares of the sample, together at this risk."""
    counts = list(sample.values())
    if len(counts) == TWO:
        return dict(zip(sample, least_shares(counts, risk), strict=True)), Fraction(1)
    far = risk * FAR  # the distance grows with the logarithm of its risk only, and the ends fall with that of theirs
    ends = dict(zip(sample, least_shares(counts, risk - far), strict=True))
    return ends, radius(len(counts), sum(counts), far)


def _added(masses: Mapping[Value, int | Fraction], statistic: "Statistic", scale: Fraction) -> dict[int, Fraction]:
    law: dict[int, Fraction] = {}
    for value, mass in masses.items():
        at = statistic.contribution(value)
        law[at] = law.get(at, Fraction(0)) + mass * scale
    return law


def _positive(law: Adds) -> Adds:
    return {at: chance for at, chance in law.items() if chance}


def _moved(shares: Adds, least: Adds, towards: int, most: Fraction) -> Adds:
    """The shares with mass moved to one number, the farthest first, none below its least and at most `most` of it."""
    left, found = most, dict(shares)
    for at in sorted(shares, key=lambda at: -abs(at - towards)):
        taken = Fraction(0) if at == towards else min(left, found[at] - least[at])
        left -= taken
        found[at] -= taken
        found[towards] += taken
    return _positive(found)
