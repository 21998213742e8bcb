"""Brute force for releases that choose: every dataset, in fractions, sharing no code with the engine."""

import itertools
import math
from fractions import Fraction


def spread(chances, count):
    """Histograms of `count` records as (counts, probability), by listing every dataset."""
    found = {}
    for data in itertools.product(range(len(chances)), repeat=count):
        row = tuple(data.count(value) for value in range(len(chances)))
        found[row] = found.get(row, Fraction(0)) + math.prod((chances[v] for v in data), start=Fraction(1))
    return found


def plus(row, *others):
    return tuple(map(sum, zip(row, *others, strict=True)))


def unit(size, at):
    return tuple(int(place == at) for place in range(size))


def rows(total, cells):
    if cells == 1:
        return [(total,)]
    return [(first, *rest) for first in range(total + 1) for rest in rows(total - first, cells - 1)]


def laws(pick, models, prior, *, n, seen, first, second):
    """The laws of pick(others + seen + first) and of pick(others + seen + second), given a record of value `first`."""
    known = sum(seen)
    weights = [
        w * m[first] * math.prod(p**c for p, c in zip(m, seen, strict=True)) for m, w in zip(models, prior, strict=True)
    ]
    found = {}, {}
    for model, weight in zip(models, weights, strict=True):
        for row, chance in spread(model, n - 1 - known).items():
            for law, more in zip(found, (first, second), strict=True):
                whole = plus(row, seen) if more is None else plus(row, seen, unit(len(model), more))
                output = pick(whole)
                law[output] = law.get(output, Fraction(0)) + chance * weight / sum(weights)
    return found


def excess(p, q, epsilon):
    """How far p exceeds e^epsilon q; the exponential as a float of which 1e-15 is nothing here."""
    factor = Fraction(math.exp(epsilon)) if epsilon else Fraction(1)
    return sum(
        (max(Fraction(0), value - factor * q.get(output, Fraction(0))) for output, value in p.items()), Fraction(0)
    )


def ratio(p, q):
    outputs = {*p, *q}
    if any((p.get(o, 0) == 0) != (q.get(o, 0) == 0) for o in outputs):
        return math.inf
    return max((abs(math.log(p[o] / q[o])) for o in outputs if p.get(o)), default=0.0)


def worlds(pick, models, *, n, known=0, priors=None, noiseless=False, values=None):
    """All pairs of laws that must look alike."""
    cells = len(models[0])
    priors = [unit(len(models), j) for j in range(len(models))] if priors is None else priors
    for seen in rows(known, cells):
        for prior in priors:
            for first in range(cells) if values is None else values:
                if noiseless:
                    for second in range(first):
                        yield laws(pick, models, prior, n=n, seen=seen, first=first, second=second)
                else:
                    yield laws(pick, models, prior, n=n, seen=seen, first=first, second=None)


def delta(pairs, epsilon):
    return float(max(max(excess(p, q, epsilon), excess(q, p, epsilon)) for p, q in pairs))


def epsilon(pairs):
    return max(ratio(p, q) for p, q in pairs)


def posterior(models, weights, row, *, last=False):
    """The place of the model with the largest posterior, in fractions."""
    scores = [w * math.prod(p**c for p, c in zip(m, row, strict=True)) for m, w in zip(models, weights, strict=True)]
    best = [place for place, score in enumerate(scores) if score == max(scores)]
    return best[-1] if last else best[0]


def corners(size, least):
    return [tuple(1 - (size - 1) * least if place == j else least for place in range(size)) for j in range(size)]
