"""Random worlds for sums with a uniform part and for histograms of samples; every probability by hand."""

import functools
import itertools
import math
from fractions import Fraction

from dalenius.papers.theorems import find
from theorems.brute import apart, exp
from theorems.trial import law, level, trial

TINY = Fraction(1, 10**30)
GRAIN = 4  # places in a cell


@functools.cache
def promised(key, **given):
    """Parameters come from short lists, so that what the theorem says is computed once for each."""
    return find(key)[0](**given)


def same(number):
    """A float or an exact number, as a fraction; the trials add TINY where e^ε was rounded."""
    return Fraction(number)


# -- sums: each record is uniform on one of a few cells of [-1, 1] -----------------------------------------------------


@functools.cache
def below(count):
    """P(sum of `count` uniform numbers ≤ j/GRAIN), j = 0, 1, ..., by the alternating sum."""

    def value(x):
        terms = ((-1) ** k * math.comb(count, k) * max(x - k, 0) ** count for k in range(count + 1))
        return Fraction(sum(terms)) / math.factorial(count)

    return [value(Fraction(j, GRAIN)) for j in range(GRAIN * count + 1)]


def record(dice, cells, weight):
    """The chances of the cells: at least `weight` spread evenly, the rest anyhow."""
    rest = law(dice, cells)
    return [weight / cells + (1 - weight) * part for part in rest]


def spread(records, cells):
    """P(sum ≤ place) at all places of the grid, for records that are uniform in a random cell each."""
    whole = [Fraction(1)]
    for one in records:
        made = [Fraction(0)] * (len(whole) + cells - 1)
        for (i, p), (j, q) in itertools.product(enumerate(whole), enumerate(one)):
            made[i + j] += p * q
        whole = made
    rise = below(len(records)) if records else [Fraction(1)]
    last = len(rise) - 1
    return [
        sum(mass * rise[min(last, max(0, at - GRAIN * k))] for k, mass in enumerate(whole) if at >= GRAIN * k)
        for at in range(GRAIN * (len(whole) - 1) + last + 1)
    ]


def steps(rising, moved, before, after):
    """Probabilities of the pieces between places, of the sum after a move; with room on both sides."""
    whole = [Fraction(0)] * (before + moved) + rising + [Fraction(1)] * (after - moved)
    return [whole[0], *(b - a for a, b in itertools.pairwise(whole)), 1 - whole[-1]]


def moved_sums(dice, others, weight, moves):
    """The sum of the others, mixed over two beliefs, after each of two moves: laws on the pieces of the grid.

    To look at pieces only can make laws more alike, so what is found is at most the truth.
    """
    cells, share = 4, Fraction(dice.randint(0, 4), 4)
    parts = [spread([record(dice, cells, weight) for _ in range(others)], cells) for _ in range(2)]
    mixed = [share * a + (1 - share) * b for a, b in zip(*parts, strict=True)]
    room = max(map(abs, moves))
    return [steps(mixed, move, room, room) for move in moves]


CELL = Fraction(1, 2)  # of [-1, 1]; a place is CELL/GRAIN
SMALL = (Fraction(0), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(3))
WEIGHTS = (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(1))


def sums(dice, key, farthest, *, known=0, simulated=True):
    """The worst values are tried often; a move of the whole range is 16 places."""
    others, weight, at = dice.randint(0, 3), dice.choice(WEIGHTS), dice.choice(SMALL)
    found = promised(
        key, n=others + 1 + known, density=weight / 2, epsilon=at, **({"known": known} if key == "CW-T9" else {})
    )
    move = dice.choice([farthest, farthest, -farthest, dice.randint(-farthest, farthest)])
    laws = moved_sums(dice, others, weight, (move, 0))
    assert apart(*laws, at) <= same(found.delta.upper) + TINY
    assert simulated or found.notion == "noiseless privacy"


@trial("CW-T8")
def exact_sum(dice):
    sums(dice, "CW-T8", 8)


@trial("CW-T9")
def exact_sum_with_known(dice):
    sums(dice, "CW-T9", 8, known=dice.randint(0, 2))


@trial("CW-T17")
def exact_sum_by_value(dice):
    sums(dice, "CW-T17", 16, simulated=False)


# -- sizes of samples --------------------------------------------------------------------------------------------------


LAST = "last"  # the record with the largest number


def present(sizes, person):
    """The law of the number of others, given that the person (named, or with this record) is in the sample."""
    least = 1 if person == "named" else person
    weights = {n - 1: p * (n if person == "named" else 1) for n, p in sizes.items() if n >= least}
    whole = sum(weights.values())
    return {n: weight / whole for n, weight in weights.items()}


def aligned(one, other):
    keys = sorted({*one, *other})
    return [one.get(key, 0) for key in keys], [other.get(key, 0) for key in keys]


def shifted(one):
    return {n + 1: p for n, p in one.items()}


def some_sizes(dice):
    most = dice.randint(1, 5)
    kind = dice.randrange(3)
    if kind == 0:
        chances = law(dice, most + 1)
    else:
        steep = dice.choice([Fraction(1), Fraction(3, 2), Fraction(5, 2), Fraction(20)])
        weights = [steep ** (n if kind == 1 else abs(n - most // 2)) for n in range(most + 1)]
        chances = [weight / sum(weights) for weight in weights]
    sizes = dict(enumerate(chances))
    if not any(p for n, p in sizes.items() if n):
        sizes = {0: Fraction(1, 2), most: Fraction(1, 2)}
    return {n: p for n, p in sizes.items() if p}


@trial("CW-D9")
def uncertain_size(dice):
    sizes, at, person = some_sizes(dice), level(dice), dice.choice(["named", 1, LAST])
    person = max(sizes) if person == LAST else person
    others = present(sizes, person)
    found = find("CW-D9")[0](sizes=sizes, epsilon=at, person=person)
    assert apart(*aligned(others, shifted(others)), at) <= same(found.delta.upper) + TINY


def poisson(mean, most):
    """Masses up to `most`, e^-λ rounded down: what is found is at most the truth, to 60 digits."""
    first = 1 / exp(mean, up=True)
    masses = [first]
    for n in range(1, most + 1):
        masses.append(masses[-1] * mean / n)
    return masses


MEANS = (Fraction(1, 10), Fraction(1), Fraction(5, 2), Fraction(7), Fraction(20))


@trial("CW-L2")
def poisson_size(dice):
    mean, at = dice.choice(MEANS), dice.choice([Fraction(1, 100), *SMALL])
    others = dict(enumerate(poisson(mean, 60)))
    found = promised("CW-L2", mean=mean, epsilon=at)
    one, two = aligned(others, shifted(others))
    most = 60  # the last place of the shifted law has no counterpart
    assert apart(one[:most], two[:most], at) <= same(found.delta.upper) + TINY


def binomial(n, p):
    return {k: math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


@trial("CW-L2-binomial")
def binomial_size(dice):
    n, rate, at = dice.randint(1, 12), Fraction(dice.choice([1, 10, 50, 90, 99]), 100), level(dice)
    others = binomial(n - 1, rate)
    found = find("CW-L2-binomial")[0](n=n, rate=rate, epsilon=at)
    assert apart(*aligned(others, shifted(others)), at) <= same(found.delta.upper) + TINY


# -- histograms --------------------------------------------------------------------------------------------------------


def pushed(joint, release):
    made = {}
    for key, mass in joint.items():
        out = release(key)
        made[out] = made.get(out, 0) + mass
    return made


def hidden(counts, least):
    return tuple(count if count >= least else 0 for count in counts)


def seen_and_simulated(others, least):
    """The truncated histogram with the person in the first cell, and without."""
    real = pushed(others, lambda counts: hidden((counts[0] + 1, *counts[1:]), least))
    return aligned(real, pushed(others, lambda counts: hidden(counts, least)))


def multinomial(sizes, chances):
    """Histograms of independent draws into three cells, as many as a random size says."""
    joint = {}
    for s, p in sizes.items():
        for a, b in itertools.product(range(s + 1), repeat=2):
            if a + b <= s:
                ways = math.comb(s, a) * math.comb(s - a, b)
                mass = p * ways * chances[0] ** a * chances[1] ** b * chances[2] ** (s - a - b)
                joint[a, b, s - a - b] = joint.get((a, b, s - a - b), 0) + mass
    return joint


@trial("CW-T10")
def truncated_histogram(dice):
    """ε from 1/2 on: for so few records nothing is promised below."""
    sizes, person = some_sizes(dice), dice.choice(["named", 1, LAST])
    at, least = dice.choice([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3), Fraction(10)]), dice.randint(1, 5)
    chances, person = law(dice, 3, zeros=False), max(sizes) if person == LAST else person
    found = find("CW-T10")[0](least=least, sizes=sizes, epsilon=at, person=person)
    laws = seen_and_simulated(multinomial(present(sizes, person), chances), least)
    assert apart(*laws, 3 * at) <= same(found.delta.upper) + TINY


@trial("CW-T10-poisson")
def poisson_cells(dice):
    """One cell, since cells are independent; sometimes its mean is told."""
    mean, at, least = dice.choice(MEANS), dice.choice(SMALL[1:]), dice.randint(1, 12)
    told = {} if dice.random() < 0.7 else {"means": (mean,)}
    found = promised("CW-T10-poisson", least=least, epsilon=at, **told)
    others = {(n,): p for n, p in enumerate(poisson(mean, 60))}
    real, ideal = seen_and_simulated(others, least)
    assert apart(real[:-1], ideal[:-1], at) <= same(found.delta.upper) + TINY


@trial("CW-T10-bernoulli")
def bernoulli_cells(dice):
    """Two cells, the person in either."""
    members = [dice.randint(1, 4), dice.randint(1, 4)]
    rate, at, least = Fraction(dice.choice([1, 3, 5, 9]), 10), dice.choice(SMALL), dice.randint(1, 4)
    found = promised("CW-T10-bernoulli", least=least, members=tuple(sorted(members)), rate=rate, epsilon=at)
    inside, outside = binomial(members[0] - 1, rate), binomial(members[1], rate)
    others = {(a, b): p * q for (a, p), (b, q) in itertools.product(inside.items(), outside.items())}
    assert apart(*seen_and_simulated(others, least), at) <= same(found.delta.upper) + TINY


@trial("CW-S3B-drawn")
def drawn_histogram(dice):
    """A cell of any size, of which all but one are known."""
    rate, least = Fraction(dice.choice([1, 3, 5]), 10), dice.randint(1, 4)
    at, members = dice.choice([Fraction(1), Fraction(2), Fraction(3)]), dice.randint(1, 9)
    found = promised("CW-S3B-drawn", least=least, rate=rate, epsilon=at)
    people, others = binomial(members, rate), binomial(members - 1, rate)
    laws = []
    for law_ in (people, others):
        shown = [sum((p for n, p in law_.items() if n < least), Fraction(0))]
        laws.append(shown + [law_.get(n, Fraction(0)) for n in range(least, members + 1)])
    assert apart(*laws, at) <= same(found.delta.upper) + TINY
