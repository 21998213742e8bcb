"""Random worlds for coupled-worlds privacy: two bits and auxiliary information, every law by hand."""

import itertools
from fractions import Fraction

from dalenius.papers.theorems import find
from theorems.brute import apart
from theorems.trial import law, level, near, trial
from theorems.trials_ks import failing_outputs, flattened, two_joints

TINY = Fraction(1, 10**30)
DATA = list(itertools.product((0, 1), repeat=2))


def apply(key, **given):
    return find(key)[0](**given)


def mixture(weights, rows):
    whole = sum(weights)
    return [sum(w * row[t] for w, row in zip(weights, rows, strict=True)) / whole for t in range(len(rows[0]))]


def model(dice):
    """A belief on (x_1, x_2, z), rows of a release on x, and rows of a simulator on x_2."""
    belief = dict(zip(itertools.product((0, 1), repeat=3), law(dice, 8), strict=True))
    base = law(dice, 3)
    rows = {x: dice.choice([near(dice, base), near(dice, base), law(dice, 3)]) for x in DATA}
    simulator = {b: dice.choice([near(dice, base), mixture([1, 1], [rows[0, b], rows[1, b]])]) for b in (0, 1)}
    return belief, rows, simulator


def worlds(belief, rows, simulator, sides=(0, 1), side=lambda z: z):
    """For each x_1 = a and side that are possible: the law of the release, and that of the simulator."""
    for a, s in itertools.product((0, 1), sides):
        cell = {(x, y, z): m for (x, y, z), m in belief.items() if x == a and side(z) == s and m}
        if cell:
            real = mixture(list(cell.values()), [rows[x, y] for x, y, _ in cell])
            yield (a, s), real, mixture(list(cell.values()), [simulator[y] for _, y, _ in cell])


def delta_of(belief, rows, simulator, at, **given):
    return max(
        (apart(real, ideal, at) for _, real, ideal in worlds(belief, rows, simulator, **given)), default=Fraction(0)
    )


def least(number):
    return min(number + TINY, Fraction(1))


@trial("CW-D5")
def as_coupled(dice):
    """Private is x_1 and the alternative is x_2: one pair of functions, the same laws."""
    (belief, rows, simulator), at = model(dice), level(dice)
    delta = delta_of(belief, rows, simulator, at)
    assert delta <= Fraction(apply("CW-D5", epsilon=at, delta=delta).delta.upper)


@trial("CW-Gehrke")
def for_all_beliefs(dice):
    """Forth: the simulator puts 0 for the record. Back: point beliefs are among all beliefs."""
    (belief, rows, simulator), at = model(dice), level(dice)
    if dice.random() < 0.5:
        delta = max(apart(rows[0, b], rows[1, b], at) for b in (0, 1))
        promised = apply("CW-Gehrke", epsilon=at, delta=delta)
        default = {b: rows[0, b] for b in (0, 1)}
        assert delta_of(belief, rows, default, at) <= Fraction(promised.delta.upper) + TINY
        return
    delta = least(max(apart(rows[a, b], simulator[b], at) for a, b in DATA))
    promised = apply("CW-Gehrke", epsilon=at, delta=delta, back=True)
    truth = max(apart(rows[0, b], rows[1, b], Fraction(promised.epsilon.upper)) for b in (0, 1))
    assert truth <= Fraction(promised.delta.upper) + TINY


@trial("CW-T2")
def inference(dice):
    """Joint laws of two private facts with their outputs; failures of either count."""
    facts, at = [two_joints(dice) for _ in range(dice.randint(1, 2))], level(dice)
    delta = least(max(apart(flattened(real), flattened(ideal), at) for real, ideal in facts))
    d = dice.choice([None, Fraction(1, 20), Fraction(1, 3)])
    promised = apply("CW-T2", epsilon=at, delta=delta, pairs=len(facts), posterior_delta=d)
    limit = Fraction(promised.delta.upper) if d is None else d
    failing = sum(failing_outputs(real, ideal, lambda p, q: apart(p, q, 2 * at) > limit) for real, ideal in facts)
    assert min(failing, 1) <= Fraction(promised.delta.upper) + TINY


@trial("CW-L1")
def posteriors(dice):
    (real, ideal), at = two_joints(dice), level(dice)
    delta = least(apart(flattened(real), flattened(ideal), at))
    d = dice.choice([Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)])
    failing = failing_outputs(real, ideal, lambda p, q: apart(p, q, 2 * at) > d)
    promised = apply("CW-L1", epsilon=at, delta=delta, posterior_delta=d)
    assert min(failing, 1) <= Fraction(promised.delta.upper) + TINY


@trial("CW-T3")
def processed(dice):
    (belief, rows, simulator), at = model(dice), level(dice)
    channel = [law(dice, 2) for _ in range(3)]
    after = [{key: mixture(row, channel) for key, row in table.items()} for table in (rows, simulator)]
    promised = apply("CW-T3", epsilon=at, delta=delta_of(belief, rows, simulator, at))
    assert delta_of(belief, *after, at) <= Fraction(promised.delta.upper) + TINY


@trial("CW-T4")
def mixed(dice):
    (one, rows, simulator), at = model(dice), level(dice)
    other = dict(zip(one, law(dice, 8), strict=True))
    weight = Fraction(dice.randint(0, 10), 10)
    both = {key: weight * one[key] + (1 - weight) * other[key] for key in one}
    delta = max(delta_of(belief, rows, simulator, at) for belief in (one, other))
    assert delta_of(both, rows, simulator, at) <= Fraction(apply("CW-T4", epsilon=at, delta=delta).delta.upper) + TINY


@trial("CW-T5")
def weakened(dice):
    """The side is forgotten."""
    (belief, rows, simulator), at = model(dice), level(dice)
    promised = apply("CW-T5", epsilon=at, delta=delta_of(belief, rows, simulator, at))
    truth = delta_of(belief, rows, simulator, at, sides=(0,), side=lambda _: 0)
    assert truth <= Fraction(promised.delta.upper) + TINY


@trial("CW-T6")
def composed(dice):
    """F private for whoever knows Sim_G, G private for whoever knows F, both given x_1 and z; then both at once."""
    belief, f_rows, f_sim = model(dice)
    _, g_rows, g_sim = model(dice)
    e_f, e_g = level(dice), level(dice)
    d_f = d_g = truth = Fraction(0)
    for a, z in itertools.product((0, 1), repeat=2):
        cell = [(y, m) for (x, y, s), m in belief.items() if x == a and s == z and m]
        if cell:
            f = {y: f_rows[a, y] for y, _ in cell}
            g = {y: g_rows[a, y] for y, _ in cell}
            d_f = max(d_f, given_the_other(cell, g_sim, f, f_sim, e_f))
            d_g = max(d_g, given_the_other(cell, f, g, g_sim, e_g))
            truth = max(truth, apart(at_once(cell, f, g), at_once(cell, f_sim, g_sim), e_f + e_g))
    promised = apply("CW-T6", first=(e_f, least(d_f)), second=(e_g, least(d_g)))
    assert truth <= Fraction(promised.delta.upper) + TINY


def given_the_other(cell, known, real, ideal, at):
    """The worst divergence between a release and its simulator, given what another said."""
    found = Fraction(0)
    for said in range(3):
        weights = [m * known[y][said] for y, m in cell]
        if sum(weights):
            laws = [mixture(weights, [table[y] for y, _ in cell]) for table in (real, ideal)]
            found = max(found, apart(*laws, at))
    return found


def at_once(cell, first, second):
    whole = sum(m for _, m in cell)
    return [sum(m * first[y][u] * second[y][v] for y, m in cell) / whole for u in range(3) for v in range(3)]


@trial("CW-D7")
def as_pufferfish(dice):
    p, q, at = law(dice, 3), law(dice, 3), level(dice)
    delta = apart(p, q, at)
    assert delta <= Fraction(apply("CW-D7", epsilon=at, delta=delta).delta.upper)


@trial("CW-T7")
def posterior(dice):
    """The law of the output given yes and given no: how often is the posterior off?"""
    size, at = dice.randint(1, 4), level(dice)
    yes = law(dice, size)
    no = dice.choice([law(dice, size), near(dice, yes)])
    pi = dice.choice([Fraction(1, 2), Fraction(1, 10), Fraction(1, 10**6)])
    delta = least(apart(yes, no, at))
    d = dice.choice([None, Fraction(1, 20), Fraction(1, 3)])
    promised = apply("CW-T7", epsilon=at, delta=delta, chance=pi, posterior_delta=d)
    limit = Fraction(promised.delta.upper) if d is None else d
    failing = Fraction(0)
    for p, q in zip(yes, no, strict=True):
        whole = pi * p + (1 - pi) * q
        if whole and apart([pi * p / whole, (1 - pi) * q / whole], [pi, 1 - pi], at) > limit:
            failing += whole
    assert failing <= Fraction(promised.delta.upper) + TINY


@trial("CW-T16")
def chained(dice):
    """Given z, the two values of x_1; the simulator's outputs differ as x_2 depends on x_1."""
    (belief, rows, simulator), at = model(dice), level(dice)
    between = level(dice)
    cells = {key: (real, ideal) for key, real, ideal in worlds(belief, rows, simulator)}
    for z in (0, 1):
        if (0, z) not in cells or (1, z) not in cells:
            continue
        (real_0, ideal_0), (real_1, ideal_1) = cells[0, z], cells[1, z]
        delta = least(max(apart(real_0, ideal_0, at), apart(real_1, ideal_1, at)))
        promised = apply(
            "CW-T16", epsilon=at, delta=delta, between=between, apart=least(apart(ideal_0, ideal_1, between))
        )
        assert apart(real_0, real_1, 2 * at + between) <= Fraction(promised.delta.upper) + TINY


def independent(dice):
    _, rows, simulator = model(dice)
    return [Fraction(dice.randint(1, 9), 10) for _ in range(2)], rows, simulator


@trial("CW-C2")
def noiseless(dice):
    (rates, rows, simulator), at = independent(dice), level(dice)
    weights = [1 - rates[1], rates[1]]
    real = [mixture(weights, [rows[a, b] for b in (0, 1)]) for a in (0, 1)]
    ideal = mixture(weights, [simulator[b] for b in (0, 1)])
    delta = least(max(apart(one, ideal, at) for one in real))
    assert apart(*real, 2 * at) <= Fraction(apply("CW-C2", epsilon=at, delta=delta).delta.upper) + TINY


@trial("CW-C2-back")
def simulated(dice):
    (rates, rows, _), at = independent(dice), level(dice)
    weights = [1 - rates[1], rates[1]]
    real = [mixture(weights, [rows[a, b] for b in (0, 1)]) for a in (0, 1)]
    ideal = mixture([1 - rates[0], rates[0]], real)
    delta = apart(*real, at)
    promised = Fraction(apply("CW-C2-back", epsilon=at, delta=delta).delta.upper)
    assert max(apart(one, ideal, at) for one in real) <= promised + TINY


@trial("CW-D7-presence")
def with_absence(dice):
    """Laws given two values and given absence: the worst pair is what presence hides, and pairs are what others do."""
    one, two, absent = (law(dice, 3) for _ in range(3))
    at = level(dice)
    delta = max(apart(p, q, at) for p, q in itertools.permutations((one, two, absent), 2))
    promised = Fraction(apply("CW-D7-presence", epsilon=at, delta=delta).delta.upper)
    assert apart(one, two, at) <= promised and apart(one, absent, at) <= promised


@trial("CW-D5-absence")
def left_out(dice):
    """What is published without x_1 is what the simulator publishes, given any value of x_1 and any side about x_2."""
    (rates, rows, simulator), at = independent(dice), level(dice)
    beside = [law(dice, 2) for _ in (0, 1)]  # z given x_2
    belief = {
        (a, b, z): [1 - rates[0], rates[0]][a] * [1 - rates[1], rates[1]][b] * beside[b][z]
        for a, b, z in itertools.product((0, 1), repeat=3)
    }
    delta = Fraction(0)
    for z in (0, 1):
        weights = [[1 - rates[1], rates[1]][b] * beside[b][z] for b in (0, 1)]
        if sum(weights):
            absent = mixture(weights, [simulator[b] for b in (0, 1)])
            present = [mixture(weights, [rows[a, b] for b in (0, 1)]) for a in (0, 1)]
            delta = max([delta, *(apart(one, absent, at) for one in present)])
    promised = Fraction(apply("CW-D5-absence", epsilon=at, delta=least(delta)).delta.upper)
    assert delta_of(belief, rows, simulator, at) <= promised + TINY


@trial("CW-C2-absence")
def through_absence(dice):
    one, two, absent = (law(dice, 3) for _ in range(3))
    at = level(dice)
    delta = least(max(apart(*pair, at) for law_ in (one, two) for pair in ((law_, absent), (absent, law_))))
    promised = Fraction(apply("CW-C2-absence", epsilon=at, delta=delta).delta.upper)
    assert max(apart(one, two, 2 * at), apart(two, one, 2 * at)) <= promised + TINY
