"""Mechanisms that say themselves what they guarantee, and which of them may be released together."""

from abc import ABC, abstractmethod
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar, TypeAlias

from dalenius.basics.errors import CombinationError, InputError
from dalenius.beliefs.belief import Belief
from dalenius.claims import Evidence, Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.outward import float_up
from dalenius.facts.records import exact
from dalenius.facts.secret import Secret
from dalenius.numerics.curve import Curve
from dalenius.numerics.pure import PureCurve

Answer: TypeAlias = tuple[Guarantee, Curve]  # a claim, and its curve
LARGEST_EPSILON = 100


class Company(StrEnum):
    """What else may be released about the same records."""

    FREELY = "whatever composes by itself"
    NOISY = "differentially private releases, of the records as a multiset and with fresh dice"
    NOTHING = "none"


class Stated(ABC):
    """A mechanism whose guarantee is a theorem about it. Printing it tells what it releases and what that
    guarantees.

    >>> import dalenius as dl
    >>> isinstance(dl.mechanisms.DiscreteGaussianNoise(1, scale=5), dl.mechanisms.Stated)
    True
    """

    company: ClassVar[Company] = Company.FREELY
    differential: ClassVar[bool] = False  # whether the first guarantee is differential privacy
    named: ClassVar[bool] = False  # whether what is published says whose it is, and so who is among the records
    alone_because: ClassVar[str] = (
        "Another release, however noisy, changes what the attacker thinks of the laws it hedges between."
    )

    @abstractmethod
    def told(self) -> str:
        """What is released, in one line."""

    @abstractmethod
    def guarantees(self) -> tuple[Guarantee, ...]:
        """What holds, under each definition that the mechanism was made for. The first is what it is mainly for."""

    def curve(self) -> Curve:
        """δ(ε) of the first guarantee."""
        return PureCurve(Fraction(self.guarantees()[0].epsilon.upper), self.company is not Company.FREELY)

    def answers(self, belief: Belief, secret: Secret) -> Answer | None:
        """What is guaranteed for this attacker and this secret, if the theorem speaks of them; None if it does not."""
        return None

    def __rshift__(self, step: object) -> "Stated":
        raise InputError(
            f"A mechanism with a theorem of its own is the last step, but {step} came after {self.told()}. Publish "
            "it, and work on what is published: that tells no more."
        )

    def __str__(self) -> str:
        return "\n".join(map(str, self.guarantees()))


def pure(
    mechanism: Stated,
    *,
    definition: str,
    hides: str,
    attacker: str,
    epsilon: Bracket,
    because: str,
    assumes: tuple[str, ...],
    breaks: tuple[str, ...],
    sources: tuple[str, ...],
    notion: Notion | None = None,
    delta: Fraction = Fraction(0),
    evidence: Evidence = Evidence.PROVED,
) -> Guarantee:
    """A guarantee that a theorem gives at one δ, 0 unless stated; what may go beside the release is added to what
    breaks it.
    """
    company = mechanism.company
    beside = () if company is Company.FREELY else (f"other releases about the same records (allowed: {company})",)
    return Guarantee(
        definition=definition,
        hides=hides,
        attacker=attacker,
        release=mechanism.told(),
        epsilon=epsilon,
        delta=around(delta, delta),
        target_epsilon=None,
        target_delta=delta,
        because=because,
        assumes=assumes,
        breaks=(*beside, *breaks),
        evidence=evidence,
        sources=sources,
        notion=notion,
    )


def checked_epsilon(epsilon: float | str | Fraction, *, name: str = "epsilon") -> Fraction:
    """A positive ε of a reasonable size, exactly as meant."""
    found = exact(epsilon, name=name)
    if not 0 < found <= LARGEST_EPSILON:
        raise InputError(
            f"{name} must be above 0 and at most {LARGEST_EPSILON}, but got {epsilon}. Typical values are 0.1 to 2."
        )
    return found


def drawn_scale(scale: Fraction) -> Fraction:
    """The scale at which geometric noise is drawn: the least float that is not below it, since samplers take floats.

    >>> drawn_scale(Fraction(5, 2)), drawn_scale(Fraction(1, 10)) > Fraction(1, 10)
    (Fraction(5, 2), True)
    """
    return Fraction(float_up(scale))


def combine(*mechanisms: Stated) -> Bracket:
    """ε of releasing all of them about the same records, each with fresh dice: the sum of what each guarantees first.

    Differential privacy implies what the others guarantee, so it adds to them, for what they hide. That holds for an
    exact count too, if it is not hedged: given the count, two worlds still agree but for one record. A second exact
    count may not join, and a hedged one may go with nothing.

    >>> import dalenius as dl
    >>> one, other = dl.mechanisms.LaplaceNoise(1, epsilon="1/2"), dl.mechanisms.LaplaceNoise(1, epsilon="1/4")
    >>> print(dl.mechanisms.combine(one, other))
    [0.5, 0.75]
    """
    if len(mechanisms) < 1:
        raise InputError("combine needs at least one mechanism, but got none. Give those that are released.")
    for one in mechanisms:
        if not isinstance(one, Stated):
            raise InputError(
                f"combine needs mechanisms that state their own guarantee, such as LaplaceNoise(1, epsilon=1), but got "
                f"{one!r}. Judge figures that rest on uncertain records together, in one specification; the curves of "
                "noise under differential_privacy(...) go together with compose(...)."
            )
    earned = [one for one in mechanisms if one.company is not Company.FREELY]
    barred = [one for one in earned if one.company is Company.NOTHING]
    if len(mechanisms) > 1 and barred:
        raise CombinationError(
            f"This needs to be the only release about its records: {barred[0].told()}. {barred[0].alone_because} "
            "Publish it alone, or use BallCount for a count."
        )
    if len(earned) > 1:
        raise CombinationError(
            f"At most one exact count may be released about the same records, but got {len(earned)}: "
            f"{earned[0].told()}; {earned[1].told()}. Publish one of them with noise."
        )
    named = next((one for one in mechanisms if one.named), None)
    if earned and named is not None:
        raise CombinationError(
            f"An exact count may go with releases of the records as a multiset, but this one says who is among them: "
            f"{named.told()}. Publish a noisy total instead."
        )
    found = [one.guarantees()[0] for one in mechanisms]
    others = {one.guarantees()[0].hides: one for one in mechanisms if not one.differential}
    if len(others) > 1:
        first, second = list(others)[:2]
        raise CombinationError(
            f"Releases that are not differentially private must hide the same thing, but one hides {first}, another "
            f"{second}. Use differentially private noise for all but one of them."
        )
    with_delta = next((one for one in mechanisms if one.guarantees()[0].delta.upper > 0), None)
    if with_delta is not None and len(mechanisms) > 1 and with_delta.curve().alone:
        raise CombinationError(
            f"This rests on what is uncertain about the records, so that it must be the only release about them: "
            f"{with_delta.told()}. Publish it alone, or publish a noisy total."
        )
    if with_delta is not None:
        raise InputError(
            f"combine adds up pure guarantees, but got one with δ > 0: {with_delta.told()}. Put curves together: "
            "compose([(mechanism.curve(), 1), ...])."
        )
    lower = max(one.epsilon.lower for one in found)
    upper = sum((Fraction(one.epsilon.upper) for one in found), Fraction(0))
    return Bracket(lower, around(upper, upper).upper)
