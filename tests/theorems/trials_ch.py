"""Random worlds for the fundamentals."""

import itertools
from fractions import Fraction

from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.theorems import find
from dalenius.papers.worlds import Finite
from theorems.brute import apart, distance, exp, ln
from theorems.trial import law, level, trial
from theorems.trials_ks import NEIGHBOURS, PLACES, TINY, posterior, rows_on_two_bits, without

BITS = Finite.product([{0: "1/2", 1: "1/2"}] * 2)


def apply(key, **given):
    return find(key)[0](**given)


@trial("CH-P3.2")
def randomised_response(dice):
    """All answers of up to three people, on two datasets that differ in one record."""
    n, at = dice.randint(1, 3), level(dice)
    right = exp(at, up=False) / (1 + exp(at, up=False))
    x = [dice.randrange(2) for _ in range(n)]
    y = [1 - x[0], *x[1:]]
    laws = []
    for data in (x, y):
        laws.append([])
        for answers in itertools.product((0, 1), repeat=n):
            chance = Fraction(1)
            for answer, bit in zip(answers, data, strict=True):
                chance *= right if answer == bit else 1 - right
            laws[-1].append(chance)
    promised = Fraction(apply("CH-P3.2", epsilon=at).epsilon.upper)
    assert apart(*laws, promised) <= TINY


@trial("CH-X3.3")
def by_output(dice):
    """Every event of three outputs, listed."""
    rows, _ = rows_on_two_bits(dice)
    release = FiniteMechanism.random(lambda x: dict(enumerate(rows[PLACES.index(x)])), BITS)
    limit = exp(Fraction(apply("CH-X3.3", mechanism=release, world=BITS).epsilon.upper), up=True)
    for i, j in NEIGHBOURS:
        for event in itertools.product((0, 1), repeat=3):
            p, q = (sum(m for m, inside in zip(rows[k], event, strict=True) if inside) for k in (i, j))
            assert p <= limit * q and q <= limit * p


@trial("CH-4.1")
def posterior_ratio(dice):
    rows, ratio = rows_on_two_bits(dice)
    belief = law(dice, 4)
    limit = exp(Fraction(apply("CH-4.1", epsilon=ln(ratio, up=True)).epsilon.upper), up=True)
    for t, i in ((t, i) for t in range(3) for i in range(2)):
        real = posterior(belief, [row[t] for row in rows])
        ideal = posterior(belief, [rows[PLACES.index(without(x, i))][t] for x in PLACES])
        assert all(a <= limit * b and b <= limit * a for a, b in zip(real, ideal, strict=True))


@trial("CH-additive")
def both(dice):
    """Two releases with coins of their own, as one joint law."""
    p, q, r, s = (law(dice, 3) for _ in range(4))
    together = [[a * b for a in first for b in second] for first, second in ((p, r), (q, s))]
    promised = apply("CH-additive", first=distance(p, q), second=distance(r, s))
    assert distance(*together) <= Fraction(promised.delta.upper)


@trial("CH-4.3")
def name_and_shame(dice):
    """All outputs of two people: each is named with the chance, or not."""
    chance = dice.choice([Fraction(0), Fraction(1, 1000), Fraction(1, 10), Fraction(1)])
    laws = []
    for x in ((0, 1), (1, 1)):
        each = [{bit: chance, None: 1 - chance} for bit in x]
        outputs = itertools.product((0, 1, None), repeat=2)
        laws.append([each[0].get(a, Fraction(0)) * each[1].get(b, Fraction(0)) for a, b in outputs])
    found = apply("CH-4.3", delta=chance).delta
    assert found.lower <= distance(*laws) <= Fraction(found.upper)
