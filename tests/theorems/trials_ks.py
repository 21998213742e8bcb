"""Random worlds for the statements about side information."""

import math
from fractions import Fraction

from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.theorems import find
from dalenius.papers.worlds import Finite
from theorems.brute import apart, bad_mass, distance, ln
from theorems.trial import law, level, near, trial

TINY = Fraction(1, 10**30)  # what the brute force may lose by rounding e^ε


def two_laws(dice):
    size = dice.randint(2, 5)
    p = law(dice, size)
    return p, dice.choice([law(dice, size), near(dice, p)])


def apply(key, **given):
    return find(key)[0](**given)


@trial("KS-3.3.1")
def pointwise_is_enough(dice):
    (p, q), at = two_laws(dice), level(dice)
    delta = bad_mass(p, q, at)
    promised = apply("KS-3.3.1", epsilon=at, delta=delta)
    assert apart(p, q, at) <= Fraction(promised.delta.upper)


@trial("KS-3.3.2")
def pointwise(dice):
    (p, q), at = two_laws(dice), level(dice)
    above = at + dice.choice([Fraction(1, 100), Fraction(1, 2), at + 1])
    delta = min(apart(p, q, at) + TINY, Fraction(1))
    promised = apply("KS-3.3.2", epsilon=at, delta=delta, above=above)
    assert bad_mass(p, q, above) <= Fraction(promised.delta.upper)


@trial("KS-3.3.3")
def joint(dice):
    _jointly(dice, "KS-3.3.3", exceptions=0)


@trial("KS-3.3.4")
def mostly_joint(dice):
    _jointly(dice, "KS-3.3.4", exceptions=1)


def _jointly(dice, key, exceptions):
    """(X, A(X)) and (X, A'(X)) listed in full; the last values of X may be exceptions."""
    count, at = dice.randint(1 + exceptions, 3), level(dice)
    chances = law(dice, count)
    rows = [two_laws(dice) for _ in range(count)]
    first = [chance * a for chance, (p, _) in zip(chances, rows, strict=True) for a in p]
    second = [chance * b for chance, (_, q) in zip(chances, rows, strict=True) for b in q]
    kept = rows[: count - exceptions]
    delta = min(max(apart(p, q, at) for p, q in kept) + TINY, Fraction(1))
    given = {"epsilon": at, "delta": delta}
    if exceptions:
        given["exceptions"] = sum(chances[count - exceptions :], Fraction(0))
    assert apart(first, second, at) <= Fraction(apply(key, **given).delta.upper)


@trial("KS-3.3.6")
def variation(dice):
    (p, q), at = two_laws(dice), level(dice)
    delta = min(apart(p, q, at) + TINY, Fraction(1))
    assert distance(p, q) <= Fraction(apply("KS-3.3.6", epsilon=at, delta=delta).delta.upper)


def rows_on_two_bits(dice):
    """P(output | dataset) for the four datasets of two bits, and the least ε by which neighbours are alike."""
    rows = [law(dice, 3, zeros=False) for _ in range(4)]
    if dice.random() < 0.5:
        rows = [near(dice, rows[0]) for _ in range(4)]
    ratio = max(max(a / b, b / a) for i, j in NEIGHBOURS for a, b in zip(rows[i], rows[j], strict=True))
    return rows, ratio


PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
NEIGHBOURS = [(0, 1), (0, 2), (1, 3), (2, 3)]


def posterior(belief, column):
    whole = sum(b * c for b, c in zip(belief, column, strict=True))
    return [b * c / whole for b, c in zip(belief, column, strict=True)] if whole else None


def largest_shift(rows, belief):
    """Over outputs and records: the posterior given A(x) against that given A(x with the record set to 0)."""
    found = Fraction(0)
    for t, i in ((t, i) for t in range(3) for i in range(2)):
        real = [row[t] for row in rows]
        without = [rows[PLACES.index(tuple(0 if j == i else bit for j, bit in enumerate(x)))][t] for x in PLACES]
        found = max(found, distance(posterior(belief, real), posterior(belief, without)))
    return found


@trial("KS-2.2")
def semantic(dice):
    rows, ratio = rows_on_two_bits(dice)
    at = ln(ratio, up=True)
    belief = dice.choice([law(dice, 4), [Fraction(0), Fraction(0), Fraction(1, 2), Fraction(1, 2)]])
    assert largest_shift(rows, belief) <= Fraction(apply("KS-2.2", epsilon=at).epsilon.upper)


@trial("KS-2.2-converse")
def differential(dice):
    """The best belief on two neighbours is a lower bound on the semantic level; with it the theorem gives the ratio."""
    rows, ratio = rows_on_two_bits(dice)
    shift = Fraction(0)
    for x in ((0, 1), (1, 0), (1, 1)):
        for i in (i for i in range(2) if x[i]):
            y = tuple(0 if j == i else bit for j, bit in enumerate(x))
            shift = max(shift, *(two_point_shift(rows[PLACES.index(x)][t], rows[PLACES.index(y)][t]) for t in range(3)))
    promised = apply("KS-2.2-converse", shift=min(shift, 1 - TINY))
    assert ln(ratio, up=False) <= Fraction(promised.epsilon.upper)


def two_point_shift(a, b):
    """How far the belief (u, 1 - u) on a dataset and the one without the record can move, at u = 1 / (1 + √c)."""
    c = max(a / b, b / a)
    root = Fraction(math.isqrt(int(c * 10**80)), 10**40)
    u = 1 / (1 + root)
    return distance(posterior([u, 1 - u], [c, Fraction(1)]), [u, 1 - u]) + TINY


@trial("KS-3.3.5")
def processed(dice):
    (p, q), at = two_laws(dice), level(dice)
    channel = [law(dice, 3) for _ in p]
    after = [[sum(m * row[t] for m, row in zip(masses, channel, strict=True)) for t in range(3)] for masses in (p, q)]
    promised = apply("KS-3.3.5", epsilon=at, delta=apart(p, q, at))
    assert apart(*after, at) <= Fraction(promised.delta.upper) + TINY


# -- joint laws of a secret and an output ------------------------------------------------------------------------------


def two_joints(dice):
    """Two joint laws on (secret, output), as rows of masses: far apart, near, or equal but for one output."""
    size, outputs = dice.randint(2, 3), dice.randint(1, 4)
    flat = law(dice, size * outputs)
    other = dice.choice([law(dice, size * outputs), near(dice, flat), near(dice, flat)])
    return [[masses[a::size] for a in range(size)] for masses in (flat, other)]


def flattened(joint):
    return [mass for row in joint for mass in row]


def failing_outputs(real, ideal, fails):
    """The larger mass of the outputs t (under either law) whose posteriors fail; an undefined one does."""
    outputs = range(len(real[0]))
    columns = [[[row[t] for row in joint] for t in outputs] for joint in (real, ideal)]
    bad = []
    for t in outputs:
        p, q = (sum(columns[k][t]) for k in (0, 1))
        if p == 0 and q == 0:
            continue
        if p == 0 or q == 0 or fails([m / p for m in columns[0][t]], [m / q for m in columns[1][t]]):
            bad.append(t)
    return max(sum((sum(column[t]) for t in bad), Fraction(0)) for column in columns)


@trial("KS-4.1")
def posteriors(dice):
    (real, ideal), at = two_joints(dice), level(dice)
    delta = min(apart(flattened(real), flattened(ideal), at) + TINY, Fraction(1))
    d = dice.choice([Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)])
    failing = failing_outputs(real, ideal, lambda p, q: apart(p, q, 2 * at) > d)
    assert min(failing, 1) <= Fraction(apply("KS-4.1", epsilon=at, delta=delta, posterior_delta=d).delta.upper) + TINY


@trial("KS-4.2")
def close_posteriors(dice):
    (real, ideal), at = two_joints(dice), level(dice)
    delta = min(apart(flattened(real), flattened(ideal), at) + TINY, Fraction(1))
    promised = apply("KS-4.2", epsilon=at, delta=delta, above=dice.choice([None, "1/100", "1/5"]))
    limit = Fraction(promised.epsilon.upper)
    assert failing_outputs(real, ideal, lambda p, q: distance(p, q) > limit) <= Fraction(promised.delta.upper) + TINY


# -- mechanisms on two bits --------------------------------------------------------------------------------------------


def without(x, i):
    return tuple(0 if j == i else bit for j, bit in enumerate(x))


def shifted_too_far(rows, belief, limit):
    """The outputs that shift the belief by more than `limit` for some record, or whose posterior is undefined."""
    bad = set()
    for t, i in ((t, i) for t in range(3) for i in range(2)):
        real = posterior(belief, [row[t] for row in rows])
        ideal = posterior(belief, [rows[PLACES.index(without(x, i))][t] for x in PLACES])
        if (real is None) != (ideal is None) or (real and distance(real, ideal) > limit):
            bad.add(t)
    return bad


def mechanism(dice):
    """Rows on two bits with zeros, and δ at a random ε over all neighbours."""
    rows = [law(dice, 3) for _ in range(4)]
    if dice.random() < 0.7:
        rows = [near(dice, rows[0]) for _ in range(4)]
    at = level(dice)
    return rows, at, min(max(apart(rows[i], rows[j], at) for i, j in NEIGHBOURS) + TINY, Fraction(1))


def chance_of(bad, rows, belief):
    return sum((b * row[t] for b, row in zip(belief, rows, strict=True) for t in bad), Fraction(0))


@trial("KS-2.4")
def mostly_semantic(dice):
    rows, at, delta = mechanism(dice)
    belief = law(dice, 4)
    promised = apply("KS-2.4", epsilon=at, delta=delta, n=2, above=dice.choice([None, "1/50", "1/5"]))
    bad = shifted_too_far(rows, belief, Fraction(promised.epsilon.upper))
    assert chance_of(bad, rows, belief) <= Fraction(promised.delta.upper) + TINY


@trial("KS-2.4-converse")
def mostly_differential(dice):
    """Semantic privacy fails with at least the probability that it has under the proof's belief."""
    p, q = law(dice, 3), law(dice, 3)
    shift, even = dice.choice([Fraction(1, 20), Fraction(1, 5), Fraction(2, 5)]), dice.random() < 0.5
    root = Fraction(1) if even else (1 + shift) / (1 - shift)
    u = 1 / (1 + root)
    delta = Fraction(0)
    for a, b in ((p, q), (q, p)):
        for belief in ([u, 1 - u], [1 - u, u]):
            bad = [t for t in range(3) if b[t] == 0 < a[t] or moved(belief, a[t], b[t]) > shift]
            delta = max(delta, sum((belief[0] * a[t] + belief[1] * b[t] for t in bad), Fraction(0)))
    promised = apply("KS-2.4-converse", shift=shift, delta=delta, even=even)
    assert apart(p, q, Fraction(promised.epsilon.upper)) <= Fraction(promised.delta.upper) + TINY


def moved(belief, a, b):
    """How far an output with these two chances moves the belief on a dataset and the one without the record."""
    real = posterior(belief, [a, b])
    return Fraction(0) if real is None else distance(real, belief)


def _on_most(dice, key, *, pure):
    """A mechanism that is alike around the data of a set E only."""
    rows, at, _ = mechanism(dice)
    inside = {place for place in range(4) if dice.random() < 0.6}
    belief = law(dice, 4)
    around = [apart(rows[i], rows[j], at) for i, j in NEIGHBOURS if i in inside or j in inside]
    delta = min(max(around, default=Fraction(0)), Fraction(1))
    if pure and delta:
        return
    given = {} if pure else {"delta": min(delta + TINY, Fraction(1))}
    rest = sum((belief[place] for place in range(4) if place not in inside), Fraction(0))
    promised = apply(key, epsilon=at, exceptions=rest, n=2, above=dice.choice(["1/50", "1/5"]), **given)
    bad = shifted_too_far(rows, belief, Fraction(promised.epsilon.upper))
    assert chance_of(bad, rows, belief) <= Fraction(promised.delta.upper) + TINY


@trial("KS-5.1")
def on_most_data(dice):
    _on_most(dice, "KS-5.1", pure=False)


@trial("KS-5.2")
def local_noise(dice):
    _on_most(dice, "KS-5.2", pure=True)


@trial("KS-5-record")
def one_record(dice):
    """One of n records in clear: two datasets that differ in one record give laws exactly 1/n apart."""
    n = dice.randint(1, 4)
    world = Finite.product([{0: "1/2", 1: "1/2"}] * n)
    release = FiniteMechanism.random(lambda row: {(i, v): Fraction(1, n) for i, v in enumerate(row)}, world)
    found = apply("KS-5-record", mechanism=release, world=world)
    assert found.delta.lower <= Fraction(1, n) <= Fraction(found.delta.upper)


@trial("KS-A.3")
def informed(dice):
    """The belief is about one bit, the other is known; the real data agree with what is known."""
    rows, at, delta = mechanism(dice)
    i, other = dice.randrange(2), dice.randrange(2)
    line = [place for place, x in enumerate(PLACES) if x[1 - i] == other]
    weight = dice.choice([Fraction(1, 2), Fraction(1, 10**6), Fraction(1, 3)])
    belief = [Fraction(0)] * 4
    belief[line[0]], belief[line[1]] = weight, 1 - weight
    promised = apply("KS-A.3", epsilon=at, delta=delta, n=2, above=dice.choice(["1/50", "1/5"]))
    bad = shifted_too_far(rows, belief, Fraction(promised.epsilon.upper))
    for place in line:
        assert sum((rows[place][t] for t in bad), Fraction(0)) <= Fraction(promised.delta.upper) + TINY
