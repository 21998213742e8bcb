"""Records of which only a part is known: with some probability each is a draw from a law that all share, else revealed.

The number of draws is random, and delta falls with it: if it is at least m, but for a probability f, delta is at most
f + delta(m), and for cuts m_1 < m_2 < ... at most f_1 + sum over j of (f_(j+1) - f_j) delta(m_j).
"""

from fractions import Fraction
from itertools import combinations

from dalenius_checker.document import Part, Types
from dalenius_checker.laws import Law, TooLargeError, hockey_stick, moved, repeated, total

CUTS = 24
MOST_PAIRS = 2000
ZERO, ONE = Fraction(0), Fraction(1)


def coin(rate: Fraction) -> tuple[tuple[tuple[int], Fraction], ...]:
    """A record that adds one with this probability, which is neither 0 nor 1."""
    return (((0,), 1 - rate), ((1,), rate))


def live(types: Types, miss: Fraction, bits: int) -> tuple[Types, Fraction]:
    """So many records of each type are draws from their known part, made a law; and a bound on the probability, of at
    most about `miss`, that fewer are.
    """
    found, missed = [], ZERO
    for letters, count in types:
        weight = sum((chance for _, chance in letters), ZERO)
        if not weight:
            continue
        number, lost = (
            (count, ZERO) if weight == 1 else _at_least(repeated(coin(weight), count, bits), miss / len(types))
        )
        missed += lost
        if number:
            found.append((tuple((vector, chance / weight) for vector, chance in letters), number))
    return tuple(found), missed


def _at_least(law: Law, miss: Fraction) -> tuple[int, Fraction]:
    """The largest m such that P(K < m) is certainly at most `miss`, and what it is at most; 0 if there is none."""
    below, number, lost = law.missing, 0, ZERO
    for place, mass in enumerate(law.mass):
        if below > miss:
            break
        number, lost = law.start[0] + place, below
        below += Fraction(mass, 1 << law.bits)
    return (number, lost) if number > 0 else (0, ZERO)


def two_cells(part: Part, removed: int, epsilon: Fraction, wanted: Fraction, bits: int) -> Fraction:
    """An upper bound for any figures whatsoever: for a target who has one of two vectors, look only at records that
    have one of the two, and reveal all others. What is left is a number of coins, each of which every type contains.
    """
    types = part.types if part.least is None else part.least
    pairs = list(combinations(part.domain, 2))
    if len(pairs) > MOST_PAIRS:
        raise TooLargeError(f"a domain of {len(part.domain)} vectors has too many pairs")
    upper = ZERO
    for one, two in pairs:
        masses = [(dict(law).get(one, ZERO), dict(law).get(two, ZERO), count) for law, count in types]
        whole = sum((a + b for a, b, _ in masses), ZERO)
        if not whole:
            return ONE
        rate = Fraction(sum((b for _, b, _ in masses), ZERO) / whole).limit_denominator(1000)
        rate = min(max(rate, Fraction(1, 1000)), Fraction(999, 1000))
        weights = sorted(((min(b / rate, a / (1 - rate)), count) for a, b, count in masses), reverse=True)
        upper = max(upper, _coins(weights, rate, removed, epsilon, wanted, bits))
        if upper > wanted:
            break
    return upper


def _coins(
    weights: list[tuple[Fraction, int]], rate: Fraction, removed: int, epsilon: Fraction, wanted: Fraction, bits: int
) -> Fraction:
    """The mean, over the number K of live coins, of a number of coins against itself and one more; the likeliest
    `removed` coins are known.
    """
    rest: list[tuple[Fraction, int]] = []
    for weight, count in weights:
        taken = min(removed, count)
        removed -= taken
        if weight and count > taken:
            rest.append((weight, count - taken))
    number = total(tuple((coin(weight) if weight < 1 else (((1,), ONE),), count) for weight, count in rest), 1, bits)
    first, _ = _at_least(number, wanted / 1000)
    last, _ = _at_least(number, Fraction(1, 2))
    cuts = sorted({first + (last - first) * step // CUTS for step in range(CUTS + 1)})
    risks = [_below(number, cut) for cut in cuts]
    upper = risks[0]
    for place, cut in enumerate(cuts):
        law = repeated(coin(rate), cut, bits)
        found = max(hockey_stick(law.mass, moved(law, (move,)), law.missing, epsilon, bits)[1] for move in (1, -1))
        following = risks[place + 1] if place + 1 < len(cuts) else ONE
        upper += max(ZERO, following - risks[place]) * found
    return min(ONE, upper)


def _below(law: Law, cut: int) -> Fraction:
    """An upper bound on P(K < cut)."""
    return law.missing + Fraction(sum(law.mass[: max(0, cut - law.start[0])]), 1 << law.bits)
