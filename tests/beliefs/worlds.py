"""The same question put to the engine and to the oracle."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dalenius.beliefs.belief import Independent
from dalenius.beliefs.worst import WorstCurve
from dalenius.facts.secret import Presence, PresenceOnly, Value, pairs
from dalenius.facts.statistics import Sum
from dalenius.mechanisms import Chain, Channel, DiscreteGaussian, Exact, Rounded, TwoSidedGeometric
from oracle import channels, noise
from oracle.noiseless import Problem, Secret

Records = Sequence[Mapping[int, Fraction]]
SECRETS = {"value": Value(), "presence": Presence(), "presence only": PresenceOnly()}

RELEASES: dict[str, tuple[Channel, channels.Channel]] = {
    "exact": (Exact(), channels.exact),
    "geometric 1/2": (TwoSidedGeometric(Fraction(1, 2)), noise.two_sided_geometric(Fraction(2))),
    "geometric 1": (TwoSidedGeometric(Fraction(1)), noise.two_sided_geometric(Fraction(1))),
    "gaussian 1/3": (DiscreteGaussian(Fraction(1, 3)), noise.discrete_gaussian(Fraction(1, 9))),
    "gaussian 2": (DiscreteGaussian(Fraction(2)), noise.discrete_gaussian(Fraction(4))),
    "rounded 2": (Chain((Rounded(2),)), channels.rounded_half_up(2)),
    "rounded 3": (Chain((Rounded(3),)), channels.rounded_half_up(3)),
    "rounded 4": (Chain((Rounded(4),)), channels.rounded_half_up(4)),
    "rounded 5": (Chain((Rounded(5),)), channels.rounded_half_up(5)),
}


def engine(
    records: Records, domain: Sequence[int], release: str, *, known: int = 0, secret: Secret = "value"
) -> WorstCurve:
    """What the library says about these records, one person each."""
    belief = Independent(groups=[(record, 1) for record in records], known=known, domain=domain)
    facts = pairs(SECRETS[secret], list(domain))
    return WorstCurve(belief.crowd(Sum()), tuple(facts), RELEASES[release][0], known, adds=frozenset(domain))


def problem(
    records: Records,
    domain: Sequence[int],
    release: str,
    *,
    known: int = 0,
    secret: Secret = "value",
    declared: bool = False,
) -> Problem:
    """The same for the oracle; `declared`: known records may have any value of the domain."""
    channel = RELEASES[release][1]
    return Problem(records, domain=domain, channel=channel, known=known, secret=secret, declared=declared)
