"""Random counts that are exact where the data earn it, and the attackers that they are stated for."""

from fractions import Fraction

from dalenius.mechanisms.hedging import HedgedCount
from dalenius.mechanisms.single_prior import SinglePriorCount
from dalenius.papers.theorems import find
from stated import kernels
from theorems.brute import exp
from theorems.trial import trial

RATES = [Fraction(*pair) for pair in ((1, 100), (1, 10), (3, 10), (1, 2), (7, 10), (99, 100))]
LEVELS = [Fraction(*pair) for pair in ((1, 10), (1, 2), (1, 1), (3, 1))]


def leak(made, pairs, weights):
    """What the windows and the kernel of the paper tell, by enumeration."""
    x = (1 / exp(made.epsilon, up=True)).limit_denominator(10**9)
    found = kernels.worlds(made.n, (made.window.low, made.window.high), x, weights)
    return kernels.presence(found) if pairs == "presence" else kernels.values(found)


@trial("KM-T7.1")
def earned_count(dice):
    q, n, at, pairs = dice.choice(RATES), dice.randint(1, 4), dice.choice(LEVELS), dice.choice(["presence", "value"])
    promised = find("KM-T7.1")[0](q=q, n=n, epsilon=at, pairs=pairs).epsilon.upper
    truth = leak(SinglePriorCount(q, n=n, epsilon=at, pairs=pairs), pairs, [(1, q)])
    assert truth <= promised * (1 + 1e-12) and promised <= float(at) * (1 + 1e-12)


@trial("KM-T7.3")
def hedged_count(dice):
    """The attacker believes in any rate, certain ones too."""
    q, n, at, pairs = dice.choice(RATES), dice.randint(1, 4), dice.choice(LEVELS), dice.choice(["presence", "value"])
    alpha, other = dice.choice([Fraction(1, 1000), Fraction(1, 10), Fraction(49, 100)]), dice.choice([*RATES, 0, 1])
    promised = find("KM-T7.3")[0](q=q, n=n, epsilon=at, alpha=alpha, pairs=pairs).epsilon.upper
    made = HedgedCount(q, n=n, epsilon=at, alpha=alpha, pairs=pairs)
    assert leak(made, pairs, [(alpha, q), (1 - alpha, Fraction(other))]) <= promised * (1 + 1e-12)
