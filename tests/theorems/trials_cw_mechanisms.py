"""Random worlds for stable functions and for the likeliest model; every law by hand."""

import functools
import itertools
import math
import random
from fractions import Fraction

import dalenius as dl
from dalenius.basics.errors import PreconditionError
from dalenius.papers.theorems import find
from theorems.brute import apart, distance
from theorems.trial import ROUNDS, law, trial

TINY = Fraction(1, 10**30)


# -- stable functions --------------------------------------------------------------------------------------------------


def functions(dice):
    """A belief about three bits, a function of them, and one of any two of them; they often agree."""
    belief = dict(zip(itertools.product((0, 1), repeat=3), law(dice, 8), strict=True))
    outputs = dice.randint(1, 3)
    whole = {data: dice.randrange(outputs) for data in belief}
    if dice.random() < 0.5:
        whole = {data: min(outputs - 1, sum(data)) for data in belief}
    common = {rest: max(whole[0, *rest], whole[1, *rest]) for rest in itertools.product((0, 1), repeat=2)}
    return belief, outputs, whole, common


def coupled(belief, whole, rest, record, value):
    """The joint law of the function with the record and without it, given its value; none if that is impossible."""
    joint, total = {}, sum((m for data, m in belief.items() if data[record] == value), Fraction(0))
    for data, mass in belief.items():
        if data[record] == value and mass:
            pair = whole[data], rest[data[:record] + data[record + 1 :]]
            joint[pair] = joint.get(pair, Fraction(0)) + mass / total
    return joint


def cases(dice):
    """What Theorems 11 and 12 ask about: all records and values that are possible."""
    belief, outputs, whole, rest = functions(dice)
    found = []
    for record, value in itertools.product(range(3), (0, 1)):
        joint = coupled(belief, whole, rest, record, value)
        if joint:
            real, ideal = (
                [sum(m for pair, m in joint.items() if pair[k] == t) for t in range(outputs)] for k in (0, 1)
            )
            found.append((sum((m for (a, b), m in joint.items() if a != b), Fraction(0)), real, ideal))
    return found


@trial("CW-T11")
def stable(dice):
    found = cases(dice)
    promised = find("CW-T11")[0](disagreement=max(change for change, _, _ in found))
    assert max(distance(real, ideal) for _, real, ideal in found) <= Fraction(promised.delta.upper)


@trial("CW-T12")
def stable_and_spread(dice):
    """Worlds of three bits, or two laws of which all is known."""
    if dice.random() < 0.5:
        found = cases(dice)
    else:
        real = law(dice, 2)
        step = min(real) * Fraction(dice.randint(0, 9), 10)
        found = [(step, real, [real[0] - step, real[1] + step])]
    change, least = max(c for c, _, _ in found), min(min(real) for _, real, _ in found)
    if change < least:
        promised = find("CW-T12")[0](least=least, disagreement=change)
        most = Fraction(promised.epsilon.upper)
        assert max(apart(real, ideal, most) for _, real, ideal in found) <= TINY


# -- the likeliest model -----------------------------------------------------------------------------------------------

RATES = [Fraction(*pair) for pair in ((1, 100), (1, 10), (1, 4), (1, 2), (3, 4), (19, 20), (999, 1000))]


POOL = 6 if ROUNDS <= 200 else 60  # families; what the theorems say of each is computed once


def family(dice):
    """Models of two values (many records) or of three (few), with weights; one of a pool."""
    return made(dice.randrange(POOL))


@functools.cache
def made(number):
    dice = random.Random(f"family {number}")
    if dice.random() < 0.7:
        models = [(1 - p, p) for p in dice.sample(RATES, dice.randint(2, 3))]
    else:
        models = [tuple(law(dice, 3, zeros=False)) for _ in range(2)]
        models[1] = models[1] if models[1] != models[0] else tuple(reversed(models[0]))
    weights = [Fraction(dice.choice([1, 1, 4, 20])) for _ in models]
    return models, weights


@functools.cache
def histograms(total, cells):
    if cells == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in histograms(total - first, cells - 1)]


def chance(model, counts):
    ways = math.factorial(sum(counts))
    return math.prod((Fraction(1, math.factorial(c)) * p**c for p, c in zip(model, counts, strict=True)), start=ways)


def winner(models, weights, counts):
    """The first with the largest posterior."""
    scores = [
        w * math.prod((p**c for p, c in zip(model, counts, strict=True)), start=Fraction(1))
        for model, w in zip(models, weights, strict=True)
    ]
    return scores.index(max(scores))


def plus(counts, value):
    return tuple(c + (place == value) for place, c in enumerate(counts))


def choice_of(models, weights):
    return dl.mechanisms.likeliest_model(*(dict(enumerate(model)) for model in models), weights=weights)


def added(one, other):
    return tuple(a + b for a, b in zip(one, other, strict=True))


def choices(models, weights, others, seen, value):
    """For each true model: the laws of the choice with the person's value, and without, beside what is known."""
    ways = [(added(c, seen), c) for c in histograms(others, len(models[0]))]
    chosen = [(winner(models, weights, plus(c, value)), winner(models, weights, c)) for c, _ in ways]
    for model in models:
        real, ideal = ([Fraction(0)] * len(models) for _ in range(2))
        for (with_it, without), (_, drawn) in zip(chosen, ways, strict=True):
            mass = chance(model, drawn)
            real[with_it] += mass
            ideal[without] += mass
        yield real, ideal


def mixed(parts, weights):
    total = sum(weights)
    return [
        [sum(w * part[k][t] for w, part in zip(weights, parts, strict=True)) / total for t in range(len(parts[0][0]))]
        for k in (0, 1)
    ]


def posterior(models, prior, counts):
    return [
        p * math.prod((q**c for q, c in zip(model, counts, strict=True)), start=Fraction(1))
        for model, p in zip(models, prior, strict=True)
    ]


def size_of(dice, models):
    return dice.choice([1, 5, 12]) if len(models[0]) == 2 else dice.choice([0, 1, 3])


def some_prior(dice, size, least):
    """At least `least` for each; corners are tried often."""
    rest = law(dice, size) if dice.random() < 0.4 else [Fraction(int(k == 0)) for k in range(size)]
    if dice.random() < 0.5:
        rest = rest[::-1]
    return [least + (1 - size * least) * part for part in rest]


def world(dice, known=0, least=Fraction(0)):
    """A family, a prior, what is known, and the two laws of the choice."""
    models, weights = family(dice)
    cells, others = len(models[0]), size_of(dice, models)
    seen = dice.choice([(known,) + (0,) * (cells - 1), (0,) * (cells - 1) + (known,), *histograms(known, cells)])
    value, prior = dice.randrange(cells), some_prior(dice, len(models), least)
    weight = posterior(models, prior, plus(seen, value))
    if not sum(weight):
        weight = [Fraction(1)] * len(models)
    parts = list(choices(models, weights, others, seen, value))
    return choice_of(models, weights), others + 1 + known, seen, *mixed(parts, weight)


def within(laws, found):
    """δ at ε = 0, or ratios within e^ε."""
    if found.epsilon.upper:
        return apart(*laws, Fraction(found.epsilon.upper)) <= TINY
    return distance(*laws) <= Fraction(found.delta.upper) + TINY


@functools.cache
def attempt(key, **given):
    """What the theorem says, or None where it says that it does not apply."""
    try:
        return find(key)[0](**given)
    except PreconditionError:
        return None


@trial("CW-T13")
def likeliest(dice):
    choice, n, _, *laws = world(dice)
    assert within(laws, attempt("CW-T13", choice=choice, n=n))


LEAST = (Fraction(1, 4), Fraction(1, 10), Fraction(1, 1000))


@trial("CW-T14")
def likeliest_purely(dice):
    least = dice.choice(LEAST)
    choice, n, _, *laws = world(dice, least=least)
    found = attempt("CW-T14", choice=choice, n=n, least_prior=least)
    assert found is None or within(laws, found)


@trial("CW-T15")
def likeliest_with_known(dice):
    """What is known is told, or at worst; a least prior, or any."""
    known, least = dice.choice([1, 3]), dice.choice([None, None, LEAST[0], LEAST[2]])
    choice, n, seen, *laws = world(dice, known, least or Fraction(0))
    told = {} if dice.random() < 0.5 else {"seen": seen}
    found = attempt("CW-T15", choice=choice, n=n, known=known, least_prior=least, **told)
    assert found is None or within(laws, found)


@trial("CW-T17-models")
def likeliest_by_value(dice):
    models, weights = family(dice)
    others = size_of(dice, models)
    found = attempt("CW-T17-models", choice=choice_of(models, weights), n=others + 1)
    one, two = dice.sample(range(len(models[0])), 2)
    pairs = zip(*(choices(models, weights, others, (0,) * len(models[0]), value) for value in (one, two)), strict=True)
    for (first, _), (second, _) in pairs:
        assert distance(first, second) <= Fraction(found.delta.upper) + TINY


@trial("CW-S3C")
def noisy_likeliest(dice):
    """One record against another, beside some others; the chances by powers of whole numbers."""
    models = [dict(enumerate(law(dice, 3, zeros=False))) for _ in range(dice.randint(2, 3))]
    power, rest = dice.randint(1, 3), [dice.randrange(3) for _ in range(dice.randint(0, 4))]
    weights = [dice.randint(1, 5) for _ in models]
    promised = find("CW-S3C")[0](models=models, scale=Fraction(1, power)).epsilon.upper
    chances = []
    for value in (0, 1):
        found = [
            (weight * math.prod((model[x] for x in [*rest, value]), start=Fraction(1))) ** power
            for weight, model in zip(weights, models, strict=True)
        ]
        chances.append([one / sum(found) for one in found])
    for one, two in zip(*chances, strict=True):
        assert abs(math.log(one) - math.log(two)) <= promised * (1 + 1e-9) + 1e-9
