"""Two facts about a person, and the records of others that are at one of the two: a pair of cells.

Whatever is published is a function of how many records are at each vector (of the histogram). A person may be at a or
at b. *Claim.* Let every record that is left be at a with a probability of at least x and at b of at least y (which may
differ from record to record), fix a rate r, and let w = min(x / (1 - r), y / r). Then

    delta <= E delta_K,     delta_k: Binomial(k, r) against itself moved by one, as the person goes from a to b or back,

where K is the number of independent events of the probabilities w. *Proof.* With probability w a record is a coin that
lies at b with probability r, else at a; with 1 - w it is something else. Reveal which records are coins, how many coins
there are, and where all others are: none of this depends on the person. The histogram is then a constant but for the
two cells, and these are K coins and the person: so many at b, the rest at a. Divergences are jointly convex: that of
what is published is at most the mean over what was revealed.

*It is an equality* if all records have one law, r = y / (x + y), and the published numbers tell the histogram: if the
vectors are affinely independent, the number of records being known (where presence is secret, with the vector of who is
absent, 0, among them: where others are at 0 they are counted as the rest). All cells but the two are then published,
and have one law given either fact; they tell K, which is binomial of rate x + y; and given K the count at b is
Binomial(K, r). The mean is over something that is published, so that it is the divergence itself.

*Only the least likely facts matter.* Records that are at a and b with larger probabilities contain those with smaller
ones: the claim bounds their delta by that of the smaller, also beside independent results. So a fact is never needed if
two others are as unlikely or less likely for every law: in a pair with it one of those two, whichever is not the other
fact of the pair, takes its place, and delta does not fall.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from flint import fmpq_mat

from dalenius_checker import laws
from dalenius_checker.laws import ZERO, Law, Mixture, Types, Vector

Points = list[tuple[int, int]]


def tell_all_cells(facts: Sequence[Vector]) -> bool:
    """Whether the number of records, and the sums of these vectors, tell how many records are at each of them."""
    rows = [[1] * len(facts), *map(list, zip(*facts, strict=True))]
    return bool(fmpq_mat(len(rows), len(facts), [step for row in rows for step in row]).rank() == len(facts))


def least_likely(facts: Sequence[Vector], types: Types) -> list[tuple[Fraction, ...]]:
    """The probabilities, law by law, of facts of which each two must be compared."""
    masses = [dict(law) for law, _ in types]
    chances = sorted((tuple(law.get(fact, ZERO) for law in masses) for fact in facts), key=sum)
    kept: list[tuple[Fraction, ...]] = []
    for mine in chances:
        less = sum(all(a <= b for a, b in zip(other, mine, strict=True)) for other in kept)
        kept += [mine] if less < 2 else []
    return kept


def pairs_of_cells(facts: Sequence[Vector], types: Types, fine: int, bits: int, *, most: bool = False) -> list[Points]:
    """For every two facts that matter, both ways round: coins against the same and one more. Numbers of coins are told
    apart to a part of `fine`; they are the least there may be, or the most, which makes no delta larger.
    """
    found = []
    for one, two in combinations(least_likely(facts, types), 2):
        ways = [(a, b, count) for a, b, (_, count) in zip(one, two, types, strict=True)]
        low, high = (sum(count * way[side] for *way, count in ways) for side in (0, 1))
        rate = high / (low + high) if low and high else Fraction(1, 2)
        weights = tuple(sorted((weight((a, b), rate), count) for a, b, count in ways))
        mixed = laws.mixture(weights, 0, fine, bits)
        found += [coins(mixed, rate, step, bits, most=most) for step in (1, -1)]
    return found


def weight(masses: tuple[Fraction, Fraction], rate: Fraction) -> Fraction:
    """How much of a law that has these masses at two ends is a coin of this rate."""
    return min(masses[0] / (1 - rate), masses[1] / rate)


@lru_cache(maxsize=64)
def coins(mixed: Mixture, rate: Fraction, step: int, bits: int, *, most: bool = False) -> Points:
    """So many coins, at least or at most, in each case, against the same and a step more."""
    found: Points = []
    for fewest, largest, chance in mixed:
        law = laws.repeated(laws.coin(rate), (1,), largest if most else fewest, bits)
        found += ((p * chance >> bits, q * chance >> bits) for p, q in laws.pair(law, Law(law.start + step, law.mass)))
    return found
