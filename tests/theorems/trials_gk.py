"""Random worlds for noiseless privacy."""

import itertools
import math
from fractions import Fraction

from dalenius.beliefs.belief import Independent
from dalenius.numerics.moments import Moments
from dalenius.papers.theorems import find
from theorems.brute import apart, excess, exp
from theorems.trial import law, level, near, trial

TINY = Fraction(1, 10**40)


def apply(key, **given):
    return find(key)[0](**given)


def counted(rates):
    """The law of the number of yes."""
    found = [Fraction(1)]
    for rate in rates:
        found = [a * (1 - rate) + b * rate for a, b in zip([*found, Fraction(0)], [Fraction(0), *found], strict=True)]
    return found


def shifted(masses):
    """Without the record, and with it."""
    return [*masses, Fraction(0)], [Fraction(0), *masses]


def rate(dice):
    return Fraction(dice.choice(["1/2", "1/10", "1/3", "999/1000", "1/100000", "7/10", "2/5"]))


@trial("GK-R1")
def from_differential(dice):
    """Any mechanism on three bits: its δ over neighbours bounds the δ between two values of a record."""
    data = list(itertools.product((0, 1), repeat=3))
    base = law(dice, 3)
    rows = {x: dice.choice([near(dice, base), law(dice, 3)]) for x in data}
    at, rates = level(dice), [rate(dice) for _ in range(2)]
    pairs = [(x, y) for x, y in itertools.combinations(data, 2) if sum(a != b for a, b in zip(x, y, strict=True)) == 1]
    delta = max(apart(rows[x], rows[y], at) for x, y in pairs)
    worlds = []
    for value in (0, 1):
        world = [Fraction(0)] * 3
        for others in itertools.product((0, 1), repeat=2):
            chance = math.prod((r if bit else 1 - r for r, bit in zip(rates, others, strict=True)), start=Fraction(1))
            world = [m + chance * row for m, row in zip(world, rows[(value, *others)], strict=True)]
        worlds.append(world)
    assert apart(*worlds, at) <= Fraction(apply("GK-R1", epsilon=at, delta=delta).delta.upper) + TINY


@trial("GK-F5")
def processed(dice):
    p, q, at = law(dice, 4), law(dice, 4), level(dice)
    channel = [law(dice, 3) for _ in range(4)]
    after = [[sum(m * row[t] for m, row in zip(masses, channel, strict=True)) for t in range(3)] for masses in (p, q)]
    promised = apply("GK-F5", epsilon=at, delta=apart(p, q, at))
    assert apart(*after, at) <= Fraction(promised.delta.upper) + TINY


@trial("GK-L1")
def near_the_mean(dice):
    """All neighbours within λ of the mean, and the mass outside."""
    n, p = dice.randint(2, 30), Fraction(dice.choice(["1/2", "1/4", "1/3", "7/10", "2/5"]))
    far = n * min(p, 1 - p) * Fraction(dice.choice(["1/10", "1/2", "9/10", "99/100"]))
    promised = apply("GK-L1", n=n, p=p, within=far)
    masses = counted([p] * n)
    limit = exp(Fraction(promised.epsilon.upper), up=True)
    inside = [k for k in range(n + 1) if abs(k - n * p) <= far]
    for k in inside:
        assert all(masses[k] <= limit * masses[v] for v in (k - 1, k + 1) if 0 <= v <= n)
    assert 1 - sum((masses[k] for k in inside), Fraction(0)) <= Fraction(promised.delta.upper)


@trial("GK-T1")
def exact_count(dice):
    """The exact profile, both ways; and it is attained."""
    n, p, at = dice.randint(1, 25), rate(dice), level(dice)
    found = apply("GK-T1", n=n, p=p, epsilon=at).delta
    truth = apart(*shifted(counted([p] * n)), at)
    assert Fraction(found.lower) - TINY <= truth <= Fraction(found.upper)


@trial("GK-T2")
def by_moments(dice):
    """Every interval of a sum of yes/no records, in both orders."""
    rates = [Fraction(dice.choice(["1/2", "1/3", "2/5", "7/10"])) for _ in range(dice.randint(2, 12))]
    variance = sum(r * (1 - r) for r in rates)
    third = sum(r * (1 - r) * (r * r + (1 - r) ** 2) for r in rates)
    at = Fraction(dice.choice(["0", "1/10", "1", "3"]))
    moments = Moments(records=len(rates), variance=variance, third=third)
    promised = Fraction(apply("GK-T2", moments=moments, shift=1, epsilon=at).delta.upper)
    first, second = shifted(counted(rates))
    ends = range(len(first) + 1)
    for low, high in itertools.combinations(ends, 2):
        p, q = sum(first[low:high]), sum(second[low:high])
        assert excess([p], [q], at) <= promised and excess([q], [p], at) <= promised


@trial("GK-O1")
def knowing(dice):
    """Every set of known records of the stated size, the target apart."""
    rates, at = [rate(dice) for _ in range(dice.randint(2, 6))], level(dice)
    known = dice.randint(0, len(rates) - 1)
    truth = Fraction(0)
    for target in range(len(rates)):
        others = [*rates[:target], *rates[target + 1 :]]
        for kept in itertools.combinations(others, len(others) - known):
            truth = max(truth, apart(*shifted(counted(kept)), at))
    found = apply("GK-O1", belief=Independent(rates=rates, known=known), epsilon=at).delta
    assert Fraction(found.lower) - TINY <= truth <= Fraction(found.upper)


@trial("GK-F1")
def normal_noise(dice):
    """Pieces of a grid instead of all events: what is found is at most the truth, and near it."""
    sigma, shift, at = dice.choice([0.5, 1, 3, 20]), dice.choice([0.1, 1, 2]), dice.choice([0, 0.1, 1, 3, 10])
    step = sigma / 20
    edges = [step * k for k in range(-200, 201)]
    p, q = ([0.5 * math.erfc(-(x - m) / sigma / math.sqrt(2)) for x in edges] for m in (shift, 0))
    pieces = [(b - a, d - c) for (a, b), (c, d) in zip(itertools.pairwise(p), itertools.pairwise(q), strict=True)]
    truth = sum(max(a - math.exp(at) * b, 0) for a, b in pieces)
    found = apply("GK-F1", sigma=sigma, sensitivity=shift, epsilon=at).delta
    assert truth <= found.upper + 1e-12 and found.lower <= 1.02 * truth + 1e-3
