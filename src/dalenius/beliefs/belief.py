"""Beliefs: what the attacker thinks the records are before anything is published."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Self, TypeAlias, TypeVar, final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import Answer, Crowded, Inquiry
from dalenius.beliefs.crowd import Crowd, crowd_of, yes_no
from dalenius.beliefs.frozen import Frozen
from dalenius.beliefs.interpreter import interpret
from dalenius.beliefs.worst import Push
from dalenius.enclosure.formats import apart
from dalenius.facts.records import Label, exact, is_integer, whole
from dalenius.facts.secret import Facts, Secret, hides_presence
from dalenius.numerics.curve import Curve
from dalenius.numerics.law import Floats

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Marginal: TypeAlias = tuple[tuple[Label | Fraction, Fraction], ...]  # value and probability
Share: TypeAlias = int | float | str | Fraction


def known_records(known: Share, n: int) -> int:
    """How many records an attacker knows: a whole number as it stands, a share of `n` rounded up; at least one stays
    unknown.

    >>> known_records(0.2, 1001), known_records(3, 1001)
    (201, 3)
    """
    people, number = records_of(n), number_known(known)
    if isinstance(number, int):
        if not 0 <= number < people:
            raise InputError(
                f"The attacker may know 0 to {people - 1} of {people} records, but got {number}. Somebody must stay "
                "unknown: against an attacker who knows everybody else, use differential_privacy(...) and noise."
            )
        return number
    share = exact(number, name="The share of known records")
    if not 0 <= share < 1:
        raise InputError(
            f"The share of known records must be at least 0 and below 1, but got {known}. Write 0.2 for a fifth; "
            "against an attacker who knows everybody else, use differential_privacy(...) and noise."
        )
    return min(people - 1, ceil(share * people))


def records_of(n: object) -> int:
    """A number of records, as Python's own whole number."""
    return whole(n, name="The number of records", remedy="Write n=1000.")


def number_known(known: Share) -> Share:
    """What is known of the records: a whole number as Python's own, which is a number of records, or else a share."""
    if isinstance(known, bool | np.bool_):
        raise InputError(
            f"What the attacker knows is a number of records or a share of them, but got {known!r}. Write known=5 or "
            "known=0.2."
        )
    return int(known) if is_integer(known) else known


def marginal_of(chances: Mapping[Label | Fraction, float | str | Fraction]) -> Marginal:
    """Checked probabilities of a record's values: each at least 0, together exactly 1."""
    found = tuple((value, exact(chance, name=f"The probability of {value}")) for value, chance in chances.items())
    total = sum((chance for _, chance in found), Fraction(0))
    for value, chance in found:
        if not 0 <= chance <= 1:
            raise InputError(f"Probabilities must lie between 0 and 1, but {value} has {apart(chance, 1)}. Correct it.")
    if total != 1:
        raise InputError(
            f'Probabilities must sum to 1, but they sum to {apart(total, 1)}. Correct them; write thirds as "1/3".'
        )
    return found


INDEPENDENCE = "records are independent, and have the stated probabilities before anything is published"
FITTED = "the belief was taken from the confidential data itself, so that every number is a heuristic, for review"
SHARE = "the attacker knows no more records than stated, and nothing else about the rest"
ABSENCE = "it is secret whether a person is in the data, and so is how many there are"


class Belief(Frozen, ABC):
    """What the attacker thinks of n records, the target's among them, some of which they know.

    >>> import dalenius as dl
    >>> isinstance(dl.IID(p="0.3", n=100), dl.Belief)
    True
    """

    n: int
    known: int
    independent: bool = False  # whether records are, whatever else is left open: then noise by itself hides one of them
    fitted: bool = False  # to the confidential data: then nothing that follows from it is more than a heuristic

    @abstractmethod
    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        """What is uncertain about the other records, in nodes of `beliefs.answers`: the worst person, and the worst
        records that the attacker may know.
        """

    @final
    def curve(
        self, statistic: "Statistic", facts: Facts, channel: Push, *, known: int, enough: Fraction | None = None
    ) -> Curve:
        """δ(ε) of the worst person and pair of facts, against an attacker who knows the worst `known` of the others.

        A search may stop once it is decided whether δ is at most `enough`.
        """
        asked = Inquiry(facts, channel, known, enough)
        return interpret(self.answer(statistic, asked), asked)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What a number that is computed from this belief rests on."""
        return INDEPENDENCE, SHARE

    @property
    def settled(self) -> bool:
        """Whether it is stated which records are known, so that to ask how many may be has no meaning."""
        return False

    @property
    def resolution(self) -> int:
        """To within how many records the largest number that may be known is looked for."""
        return 1

    @property
    def sources(self) -> tuple[str, ...]:
        """What is cited besides the definitions."""
        return ()

    @property
    def route(self) -> str:
        """By which theorem a number is computed from this belief, in a few words."""
        return "law of the number, worst known records"

    @property
    def breaks(self) -> str:
        """What in the data would make a number that is computed from this belief wrong."""
        return "records that move together (households, repeated visits)"

    @abstractmethod
    def domain(self) -> Sequence[Label | Fraction]:
        """The values that the target may have, whether or not the belief gives them mass."""

    def secret_number(self, secret: Secret) -> str:
        """Why the number of records is not public where this is secret; nothing if it is public."""
        return ABSENCE if hides_presence(secret) else ""

    @final
    def facts(self, statistic: "Statistic", secret: Secret) -> Facts:
        """What the secret says about what one person adds to the statistic; InputError if the statistic cannot be
        judged for it.
        """
        statistic.check_number(self.secret_number(secret))
        return self.pairs_of(statistic, secret)

    def pairs_of(self, statistic: "Statistic", secret: Secret) -> Facts:
        """The pairs of what one person may add, by this secret."""
        values = self.domain()
        statistic.check(values)
        return Facts.of(secret, [statistic.contribution(value) for value in values], values)

    def knowing(self, known: int) -> Self:
        """The same belief, for an attacker who knows this many records."""
        return self._changed({"known": known_records(known, self.n)})


Some = TypeVar("Some", bound=Belief)


def fitted(belief: Some) -> Some:
    """The same belief, marked as taken from the confidential data itself: its guarantees are heuristic, for review.

    Whoever knows the data knows more than any belief that was fitted to it, so such a number proves nothing.

    >>> import dalenius as dl
    >>> guess = fitted(IID(p=0.1, n=10_000))
    >>> print(dl.verify(dl.Count(), dl.noiseless(guess), epsilon=1, delta=1e-6).verdict)
    review
    """
    return belief._changed({"fitted": True})


class Marginals(Belief):
    """Independent records with known marginals."""

    independent = True

    @abstractmethod
    def crowd(self, statistic: "Statistic") -> Crowd:
        """Everybody's contribution to the statistic."""

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        crowds: dict[Statistic, Crowd] = self.__dict__.setdefault("_crowds", {})  # laws are remembered with their crowd
        if statistic not in crowds:
            crowds[statistic] = self.crowd(statistic)
        return Crowded(crowds[statistic])


def declared_domain(
    declared: Iterable[Label | Fraction] | None, marginals: Iterable[Marginal]
) -> tuple[Label | Fraction, ...]:
    """The declared domain, which must hold every value of the belief; by default the belief's own values."""
    used = dict.fromkeys(value for marginal in marginals for value, _ in marginal)
    if declared is None:
        return tuple(used)
    domain = tuple(dict.fromkeys(declared))
    outside = [value for value in used if value not in domain]
    if outside:
        raise InputError(
            f"The domain must hold every value of the belief, but {outside[0]} is missing from it. Add it."
        )
    return domain


@final
class Independent(Marginals):
    """Records that are independent, each with a marginal of its own.

    `groups` lists (marginal, how many); `rates` is short for yes/no records, an array of P(1) for each person.

    >>> Independent(rates=[0.1, 0.5, 0.5]).n
    3
    """

    def __init__(
        self,
        *,
        groups: Iterable[tuple[Mapping[Label | Fraction, float | str | Fraction], int]] | None = None,
        rates: "Iterable[float | str | Fraction] | Floats | None" = None,
        known: Share = 0,
        domain: Iterable[Label | Fraction] | None = None,
    ) -> None:
        if (groups is None) == (rates is None):
            raise InputError(
                "Independent needs either groups=[(marginal, count), ...] or rates=[...]. Give one of them."
            )
        if rates is not None:
            rates = rates if isinstance(rates, str | np.ndarray) or not isinstance(rates, Iterable) else list(rates)
            groups = _exact_rates(rates)
        self.rates = None if rates is None or groups else _checked_rates(rates)
        merged: dict[Marginal, int] = {}
        for marginal, given in groups or ():
            count = whole(given, name="The count of a group")
            if count < 0:
                raise InputError(f"A group needs a count of at least 0, but got {count}. Correct it.")
            key = marginal_of(marginal)
            merged[key] = merged.get(key, 0) + count
        self.groups = tuple((marginal, count) for marginal, count in merged.items() if count)
        self.n = len(self.rates) if self.rates is not None else sum(count for _, count in self.groups)
        if self.n < 1:
            raise InputError(
                "A belief needs at least one record, but got none. Without records there is nothing to hide."
            )
        yes_no: Marginal = ((0, Fraction(1, 2)), (1, Fraction(1, 2)))
        self._domain = declared_domain(
            domain, [yes_no] if self.rates is not None else [marginal for marginal, _ in self.groups]
        )
        self.known = known_records(known, self.n)

    def domain(self) -> Sequence[Label | Fraction]:
        return self._domain

    def crowd(self, statistic: "Statistic") -> Crowd:
        if self.rates is not None:
            return yes_no(statistic.contribution(0), statistic.contribution(1), self.rates)
        laws = [contributions(marginal, statistic) for marginal, _ in self.groups]
        return crowd_of(laws, [count for _, count in self.groups])

    def __str__(self) -> str:
        kinds = len(np.unique(self.rates)) if self.rates is not None else len(self.groups)
        return f"independent records, n={self.n}, {kinds} kinds of record, attacker knows {self.known}"


@final
class IID(Marginals):
    """n independent records with one marginal: P(1) = p, or `values` with their probabilities.

    >>> print(IID(p=0.1, n=1000, known=0.2))
    independent records with P(1) = 0.1, n=1000, attacker knows 200
    """

    def __init__(
        self,
        p: float | str | Fraction | None = None,
        *,
        n: int,
        values: Mapping[Label | Fraction, float | str | Fraction] | None = None,
        known: Share = 0,
        domain: Iterable[Label | Fraction] | None = None,
    ) -> None:
        if (p is None) == (values is None):
            raise InputError(
                "IID needs either p=... for yes/no records or values={value: probability}. Give one of them."
            )
        n = records_of(n)
        if n < 1:
            raise InputError(f"IID needs at least one record, but got n={n}. Without records there is nothing to hide.")
        if p is not None:
            rate = exact(p, name="p")
            if not 0 <= rate <= 1:
                raise InputError(f"p must lie between 0 and 1, but got {p}. Write 0.1 for one in ten.")
            values = {0: 1 - rate, 1: rate}
        self.marginal = marginal_of(values or {})
        self.p, self.n, self.known = p, n, known_records(known, n)
        self._domain = declared_domain(domain, [self.marginal])

    def domain(self) -> Sequence[Label | Fraction]:
        return self._domain

    def crowd(self, statistic: "Statistic") -> Crowd:
        return crowd_of([contributions(self.marginal, statistic)], [self.n])

    def __str__(self) -> str:
        kind = f"P(1) = {self.p}" if self.p is not None else f"{len(self.marginal)} values"
        return f"independent records with {kind}, n={self.n}, attacker knows {self.known}"


def contributions(marginal: Marginal, statistic: "Statistic") -> dict[int, Fraction]:
    """What a record with this marginal adds, with probabilities."""
    law: dict[int, Fraction] = {}
    for value, chance in marginal:
        at = statistic.contribution(value)
        law[at] = law.get(at, Fraction(0)) + chance
    return law


def _exact_rates(rates: object) -> list[tuple[dict[Label | Fraction, Fraction], int]] | None:
    """Groups of equal rates, if some are fractions or words: floats would not hold what is left of one."""
    listed = rates.tolist() if isinstance(rates, np.ndarray) and rates.dtype.kind in "OU" else rates
    if not isinstance(listed, list) or not any(isinstance(rate, str | Fraction | Decimal) for rate in listed):
        return None
    shares = Counter(exact(rate, name="A rate") for rate in listed)
    return [({0: 1 - share, 1: share}, count) for share, count in shares.items()]


def _checked_rates(rates: object) -> Floats:
    if isinstance(rates, str) or not isinstance(rates, Iterable):
        raise InputError(
            f"rates needs one rate for each record, but got {rates!r}. Write rates=[0.1, 0.5, 0.5]; for n records of "
            "one rate, use IID(p=0.3, n=...)."
        )
    try:
        array = np.asarray(rates, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            "Rates must be one list of numbers between 0 and 1, but some are no numbers. Correct them."
        ) from None
    if array.ndim != 1 or not np.isfinite(array).all() or (len(array) and (array.min() < 0 or array.max() > 1)):
        raise InputError("Rates must be one list of numbers between 0 and 1. Correct the first that is not.")
    return array
