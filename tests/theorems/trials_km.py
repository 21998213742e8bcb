"""Random worlds for Pufferfish: small datasets listed, every law by hand."""

import itertools
import math
from fractions import Fraction

from dalenius.papers.definitions import instances
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.theorems import find
from dalenius.papers.theorems.km_conditions import delta_enough
from dalenius.papers.worlds import Finite
from theorems.brute import apart, exp, ln
from theorems.trial import law, level, near, trial

TINY = Fraction(1, 10**25)


def apply(key, **given):
    return find(key)[0](**given)


def ratio(p, q):
    """The largest ratio of two laws without zeros."""
    return max(max(a / b, b / a) for a, b in zip(p, q, strict=True))


def rows_on(dice, data):
    base = law(dice, 3, zeros=False)
    return {x: dice.choice([near(dice, base), law(dice, 3, zeros=False)]) for x in data}


def release(world, rows):
    return FiniteMechanism.random(lambda x: dict(enumerate(rows[x])), world)


def mixed(weights, rows):
    whole = sum(weights.values())
    return [sum(w * rows[x][t] for x, w in weights.items()) / whole for t in range(3)]


def worst(beliefs, rows, pairs):
    """Over beliefs and pairs of secrets (as sets of datasets) that are possible."""
    found = Fraction(1)
    for belief in beliefs:
        for one, other in pairs:
            cells = [{x: m for x, m in belief.items() if m and secret(x)} for secret in (one, other)]
            if all(cells):
                found = max(found, ratio(*(mixed(cell, rows) for cell in cells)))
    return found


def holds(found, promised):
    assert ln(found, up=False) <= Fraction(promised) + TINY


@trial("KM-T3.1")
def no_free_lunch(dice):
    """Any belief about two bits; a value of a record against the other."""
    data = list(itertools.product((0, 1), repeat=2))
    world, rows = Finite.product([{0: "1/2", 1: "1/2"}] * 2), rows_on(dice, data)
    belief = dict(zip(data, law(dice, 4), strict=True))
    pairs = [(lambda x, i=i: x[i] == 0, lambda x, i=i: x[i] == 1) for i in range(2)]
    holds(worst([belief], rows, pairs), apply("KM-T3.1", mechanism=release(world, rows), world=world).epsilon.upper)


@trial("KM-T5.1")
def axioms(dice):
    """Two releases given two secrets; a random choice between them, and then a channel."""
    p, r = law(dice, 3, zeros=False), law(dice, 3, zeros=False)
    q, s = near(dice, p), near(dice, r)
    at = ln(max(ratio(p, q), ratio(r, s)), up=True)
    share, channel = Fraction(dice.randint(0, 4), 4), [law(dice, 2) for _ in range(6)]
    after = []
    for first, second in ((p, r), (q, s)):
        both = [share * m for m in first] + [(1 - share) * m for m in second]
        after.append([sum(m * row[t] for m, row in zip(both, channel, strict=True)) for t in range(2)])
    assert apart(*after, Fraction(apply("KM-T5.1", epsilon=at).epsilon.upper)) <= TINY


@trial("KM-T6.1")
def from_differential(dice):
    """Independent records, absent or with a value; a value against absence."""
    values = (None, "t", "u")
    data = list(itertools.product(values, repeat=2))
    rows, at = rows_on(dice, data), level(dice)
    neighbours = [(x, y) for x in data for y in data if sum(a != b for a, b in zip(x, y, strict=True)) == 1]
    appears = [(x, y) for x, y in neighbours if x.count(None) == y.count(None) + 1]
    delta = max(apart(rows[x], rows[y], at) for x, y in appears)
    laws = [dict(zip(values, law(dice, 3), strict=True)) for _ in range(2)]
    belief = {x: laws[0][x[0]] * laws[1][x[1]] for x in data}
    promised = Fraction(apply("KM-T6.1", epsilon=at, delta=delta).delta.upper)
    for i, value in itertools.product(range(2), ("t", "u")):
        cells = [{x: m for x, m in belief.items() if m and x[i] == fact} for fact in (value, None)]
        if all(cells):
            assert apart(*(mixed(cell, rows) for cell in cells), at) <= promised + TINY


def counted_data(people, counted):
    return [x for x in itertools.product((None, "t", "u"), repeat=people) if counted(x)]


def given_the_constraint(dice, data):
    laws = [dict(zip((None, "t", "u"), law(dice, 3), strict=True)) for _ in range(len(data[0]))]
    return {x: math.prod((one[v] for one, v in zip(laws, x, strict=True)), start=Fraction(1)) for x in data}


def presence_and_value(people):
    """Value against another value, and value against absence, of the same person."""
    for i in range(people):
        for one, other in (("t", "u"), ("t", None), ("u", None)):
            yield (lambda x, i=i, v=one: x[i] == v), (lambda x, i=i, v=other: x[i] == v)


@trial("KM-S6.2")
def public_size(dice):
    """Independent records given how many are there: presence and absence of the same person."""
    people = dice.randint(2, 3)
    data = counted_data(people, lambda x: x.count(None) == 1)
    world, rows = Finite.table(dict.fromkeys(data, Fraction(1, len(data)))), rows_on(dice, data)
    belief = given_the_constraint(dice, data)
    found = worst([belief], rows, list(presence_and_value(people)))
    holds(found, apply("KM-S6.2", mechanism=release(world, rows), world=world).epsilon.upper)


def laplace_excess(first, second, scale, at):
    """The largest |ln| of the ratio of two mixtures of Laplace densities, on a fine grid around the points."""
    grid = [Fraction(k, 4) for k in range(-8, 60)]
    best = 0.0
    for z in grid:
        p, q = (sum(float(m) * math.exp(-abs(float(z - x)) / scale) for x, m in mix.items()) for mix in (first, second))
        best = max(best, abs(math.log(p / q)))
    assert best <= at + 1e-9


@trial("KM-L8.1")
def to_within(dice):
    """Any law on [y - k, y + k) against any on [y + k, y + 3k), with Laplace noise."""
    k, scale = dice.randint(1, 3), dice.choice([1, 2, 5])
    first = dict(zip(range(2 * k), law(dice, 2 * k), strict=True))
    second = dict(zip(range(2 * k, 4 * k), law(dice, 2 * k), strict=True))
    laplace_excess(first, second, scale, apply("KM-L8.1", k=k, scale=scale).epsilon.upper)


@trial("KM-S8.1.2")
def to_within_share(dice):
    """Values in [c³y, cy) against [cy, y/c), on the logarithm."""
    c, scale = dice.choice([Fraction(9, 10), Fraction(1, 2)]), dice.choice([Fraction(1, 10), Fraction(1)])
    step = -math.log(c)
    points = [step * j / 3 for j in range(12)]
    first = dict(zip(points[:6], law(dice, 6), strict=True))
    second = dict(zip(points[6:], law(dice, 6), strict=True))
    promised = apply("KM-S8.1.2", c=c, scale=scale).epsilon.upper
    for z in (-1.0, 0.0, 0.7, step, 2 * step, 3 * step, 5.0):
        p, q = (sum(float(m) * math.exp(-abs(z - x) / float(scale)) for x, m in mix.items()) for mix in (first, second))
        assert abs(math.log(p / q)) <= promised + 1e-9


@trial("KM-T9.1-DP")
def together(dice):
    p, r = law(dice, 3, zeros=False), law(dice, 3, zeros=False)
    q, s = near(dice, p), near(dice, r)
    both = [[a * b for a in one for b in two] for one, two in ((p, r), (q, s))]
    found = apply("KM-T9.1-DP", first=ln(ratio(p, q), up=True), second=ln(ratio(r, s), up=True))
    holds(ratio(*both), found.epsilon.upper)


@trial("KM-T9.1-parallel")
def apart_in_parts(dice):
    """Neighbours differ in one part: the law of the other is the same."""
    p, r = law(dice, 3, zeros=False), law(dice, 3, zeros=False)
    q, s = near(dice, p), near(dice, r)
    found = apply("KM-T9.1-parallel", first=ln(ratio(p, q), up=True), second=ln(ratio(r, s), up=True))
    for one, two in (((p, r), (q, r)), ((p, r), (p, s))):
        both = [[a * b for a in first for b in second] for first, second in (one, two)]
        holds(ratio(*both), found.epsilon.upper)


PEOPLE = Finite.product([{None: "1/2", "t": "1/2"}] * 2)
INDEPENDENT = instances.independent(PEOPLE)


@trial("KM-T9.1")
def composes(dice):
    """All known but one: both releases at once, on two neighbouring datasets."""
    data = list(itertools.product((None, "t"), repeat=2))
    one, two = rows_on(dice, data), rows_on(dice, data)
    pairs = [(x, y) for x, y in itertools.combinations(data, 2) if sum(a != b for a, b in zip(x, y, strict=True)) == 1]
    parts = [ln(max(ratio(rows[x], rows[y]) for x, y in pairs), up=True) for rows in (one, two)]
    both = {x: [a * b for a in one[x] for b in two[x]] for x in data}
    promised = apply("KM-T9.1", definition=INDEPENDENT, first=parts[0], second=parts[1])
    holds(max(ratio(both[x], both[y]) for x, y in pairs), promised.epsilon.upper)


@trial("KM-T10.1")
def necessary(dice):
    """Some product belief given the constraint is torn between two induced neighbours: the ratio is reached."""
    data = counted_data(2, lambda x: x.count("t") == 1)
    world, rows = Finite.table(dict.fromkeys(data, Fraction(1, len(data)))), rows_on(dice, data)
    needed = apply("KM-T10.1", mechanism=release(world, rows), world=world).epsilon.lower
    tiny = Fraction(1, 10**9)
    best = Fraction(1)
    for x, y in itertools.combinations(data, 2):
        laws = [dict.fromkeys((None, "t", "u"), tiny) for _ in range(2)]
        for one, a, b in zip(laws, x, y, strict=True):
            one[a] = one[b] = Fraction(1)
        belief = {d: laws[0][d[0]] * laws[1][d[1]] for d in data}
        best = max(best, worst([belief], rows, list(presence_and_value(2))))
    assert exp(Fraction(needed), up=False) <= best * (1 + Fraction(1, 10**6))


@trial("KM-T10.2")
def counted(dice):
    """Independent records given how many count."""
    people = dice.randint(2, 3)
    data = counted_data(people, lambda x: x.count("t") == 1)
    world, rows = Finite.table(dict.fromkeys(data, Fraction(1, len(data)))), rows_on(dice, data)
    belief = given_the_constraint(dice, data)
    found = worst([belief], rows, list(presence_and_value(people)))
    given = {"mechanism": release(world, rows), "world": world, "counts": lambda value: value == "t"}
    holds(found, apply("KM-T10.2", **given).epsilon.upper)


@trial("KM-S6.3.1")
def small_enough(dice):
    """Publishing each record with chance δ is (ε, δ)-private for every ε; a record that is out is certain."""
    at, n = dice.choice([Fraction(0), Fraction(1, 10), Fraction(1, 2)]), dice.choice([1, 2, 10, 1000])
    above, failing = dice.choice(["1/100", "1/10"]), dice.choice(["1/1000", "1/10", "1"])
    found = apply("KM-S6.3.1", epsilon=at, n=n, above=above, failing=failing)
    assert found.delta.upper <= float(Fraction(failing))
    delta = delta_enough(at, n=n, above=above, failing=failing)
    assert found.epsilon.upper < 0.5  # what a fair coin that comes out shifts a belief by
    assert 1 - (1 - delta) ** n <= Fraction(found.delta.upper) + TINY


@trial("KM-T10.2-cells")
def two_cells(dice):
    """Everybody is there, in one of two cells, of which one is counted."""
    people, cell = dice.randint(2, 3), dice.choice(["t", "tu"])
    data = [x for x in itertools.product("tuw", repeat=people) if sum(v in cell for v in x) == 1]
    world, rows = Finite.table(dict.fromkeys(data, Fraction(1, len(data)))), rows_on(dice, data)
    laws = [dict(zip("tuw", law(dice, 3, zeros=False), strict=True)) for _ in range(people)]
    belief = {x: math.prod((one[v] for one, v in zip(laws, x, strict=True)), start=Fraction(1)) for x in data}
    pairs = [
        ((lambda x, i=i, a=a: x[i] == a), (lambda x, i=i, b=b: x[i] == b))
        for i, (a, b) in itertools.product(range(people), itertools.combinations("tuw", 2))
    ]
    given = {"mechanism": release(world, rows), "world": world, "cell": cell.__contains__}
    holds(worst([belief], rows, pairs), apply("KM-T10.2-cells", **given).epsilon.upper)


@trial("KM-S10.3")
def noise_beside_a_count(dice):
    """Laplace noise, at a few places of what is released."""
    people, scale = dice.randint(2, 3), Fraction(dice.choice([1, 2, 5]))
    data = counted_data(people, lambda x: x.count("t") == 1)
    world = Finite.table(dict.fromkeys(data, Fraction(1, len(data))))
    scores = [{value: dice.randint(0, 4) for value in (None, "t", "u")} for _ in range(people)]

    def score(row):
        return sum(one[value] for one, value in zip(scores, row, strict=True))

    given = {"figure": score, "world": world, "counts": lambda value: value == "t", "scale": scale}
    promised = apply("KM-S10.3", **given).epsilon.upper
    belief = given_the_constraint(dice, data)
    for one, other in presence_and_value(people):
        cells = [{x: float(m) for x, m in belief.items() if m and fact(x)} for fact in (one, other)]
        if all(cells):
            for z in (-1.0, 0.5, 3.0, 20.0):
                p, q = (
                    sum(m * math.exp(-abs(z - score(x)) / float(scale)) for x, m in cell.items()) / sum(cell.values())
                    for cell in cells
                )
                assert abs(math.log(p / q)) <= promised + 1e-9
