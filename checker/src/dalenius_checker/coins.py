"""Records, or sets of records, of which only a part is known: with some probability each is a coin (or a draw from a
law that all share), else it is revealed.

The number of coins is random, and delta falls with it: if it is at least m, but for a probability f, delta is at most
f + delta(m); over all numbers k it is at most the mean of delta(k).
"""

from fractions import Fraction
from functools import lru_cache

from dalenius_checker.laws import Law, Letters, Types, Vector, hockey_stick, moved, repeated, total
from dalenius_checker.losses import Losses, losses

FINE = 64  # numbers of coins are told apart up to twice this; above, by this part of them
GRID = 1 << 20  # weights are rounded down to multiples of its inverse
ZERO, ONE = Fraction(0), Fraction(1)
Weights = tuple[tuple[Fraction, int], ...]  # how likely each is a coin, and how many are
Mixture = tuple[tuple[int, Fraction], ...]  # at least so many coins, with at most such a probability


def coin(rate: Fraction) -> Letters:
    """A record that adds one with this probability."""
    return (((0,), 1 - rate), ((1,), rate)) if rate < 1 else (((1,), ONE),)


def cases(types: Types, miss: Fraction, bits: int) -> list[tuple[Fraction, Types]]:
    """How many records of each type are draws from their known part, made a law, with at most such a probability. Of
    one type, and one number, all cases; else a number of each that is there but for a probability of about `miss`.
    """
    types = tuple((letters, count) for letters, count in types if letters)
    weights = [sum((chance for _, chance in letters), ZERO) for letters, _ in types]
    laws = [tuple((v, p / weight) for v, p in letters) for (letters, _), weight in zip(types, weights, strict=True)]
    if len(types) == 1 and len(laws[0][0][0]) == 1:
        return [(mass, ((laws[0], k),)) for k, mass in mixture(((weights[0], types[0][1]),), 0, bits)]
    missed, sure = ZERO, []
    for law, weight, (_, count) in zip(laws, weights, types, strict=True):
        number, lost = _at_least(repeated(coin(weight), (1,), count, bits), miss / len(types))
        missed += lost
        sure.append((law, number))
    return [(missed, ()), (ONE, tuple(sure))]


def _at_least(law: Law, miss: Fraction) -> tuple[int, Fraction]:
    """The largest m such that P(K < m) is certainly at most `miss`, and what it is at most; 0 if there is none."""
    below, number, lost = law.missing, 0, ZERO
    for place, mass in enumerate(law.mass):
        if below > miss:
            break
        number, lost = law.start + place, below
        below += Fraction(mass, 1 << law.bits)
    return (number, lost) if number > 0 else (0, ZERO)


@lru_cache(maxsize=4096)
def mixture(weights: Weights, removed: int, bits: int) -> Mixture:
    """How many coins there are, if the likeliest `removed` are known."""
    rest: list[tuple[Letters, int]] = []
    for weight, count in sorted(weights, reverse=True):
        taken = min(removed, count)
        removed -= taken
        short = min(ONE, Fraction(int(weight * GRID), GRID))
        if short and count > taken:
            rest.append((coin(short), count - taken))
    law = total(tuple(rest), bits)
    found = {0: law.missing}
    for place, mass in enumerate(law.mass, law.start):
        step = max(1, place // FINE)
        number = place // step * step
        found[number] = found.get(number, ZERO) + Fraction(mass, 1 << bits)
    return tuple(found.items())


@lru_cache(maxsize=4096)
def coins_delta(number: int, rate: Fraction, epsilon: Fraction, bits: int) -> Fraction:
    """So many coins against the same and one more, in the worse direction; from above."""
    law = repeated(coin(rate), (1,), number, bits)
    return max(hockey_stick(law.mass, moved(law, move), law.missing, epsilon, bits) for move in (1, -1))


def mean_delta(mixed: Mixture, rate: Fraction, epsilon: Fraction, bits: int) -> Fraction:
    """The mean over the number of coins."""
    return min(ONE, sum((mass * coins_delta(k, rate, epsilon, bits) for k, mass in mixed if mass), ZERO))


@lru_cache(maxsize=64)
def coins_losses(mixed: Mixture, rate: Fraction, epsilon: Fraction, bits: int) -> tuple[Losses, Losses]:
    """The losses of these coins against the same and one more, and against one less."""
    laws = [(mass, repeated(coin(rate), (1,), number, bits)) for number, mass in mixed]
    one, two = (
        losses(((mass, law.mass, moved(law, move), law.missing) for mass, law in laws), epsilon, bits)
        for move in (1, -1)
    )
    return one, two


def ends(law: Letters, change: Vector, rate: Fraction) -> tuple[Fraction, Fraction]:
    """How much of the law lies at the lower, and at the upper end of a change: of the only pair of vectors that differ
    by it; or of all such pairs, made into coins of one rate along each chain, so that no mass is used twice.
    """
    masses = dict(law)

    def after(vector: Vector, sign: int) -> Vector:
        return tuple(a + sign * b for a, b in zip(vector, change, strict=True))

    lows = [vector for vector in masses if after(vector, 1) in masses]
    if len(lows) == 1:
        return masses[lows[0]], masses[after(lows[0], 1)]
    taken: dict[Vector, Fraction] = {}
    for low in sorted(lows, key=lambda vector: sum(a * b for a, b in zip(vector, change, strict=True))):
        spent = taken.get(after(low, -1), ZERO) * rate
        taken[low] = max(ZERO, min((masses[low] - spent) / (1 - rate), masses[after(low, 1)] / rate))
    whole = sum(taken.values(), ZERO)
    return whole * (1 - rate), whole * rate
