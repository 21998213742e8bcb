"""Records that move together: what is asked about a person is asked about the whole household, and one member of every
other household is the coin that hides it.

What is assumed: households are independent of each other, and given the rest of their household a record still follows
its stated law with weight at least w. Fix one member of each household, its *coin*, by what anybody knows. Reveal all
other members of the other households: that never helps privacy. Given them, the coins are independent, and each follows
its law with weight at least w. So the totals are sums of independent records of which masses are known that no
probability is below, plus what is revealed; the target's household moves them by any difference of two of its states.

**One number** (one independent part of the records, one coordinate): a household of s members may add any sum of s
contributions. Two of its states differ as two vectors of the s-fold sums do.

**Several numbers at once.** The change of a household is the sum of its members' changes, and a member's is the sum of
those of its independent columns. If the coins are shared out, so that each of these changes has coins of its own, then
given everything else what is published is a function of independent sums, one for each share, and each is moved by one
change. So δ is at most the composition of the curves of one change each. A coin is of use for one share only: of the
others' columns given that it follows its law nothing more is needed, since then they are independent, and are revealed.

**Members in several groups.** If the members of a household are in at most J groups of people (who are in exactly the
same numbers), their states are changed group by group, each to within (ε/J, δ_j); groups may share noise. Step by
step, δ(ε) is at most the sum of e^{(j-1) ε/J} δ_j over j from 1 to J, with the worst δ_j.

**Presence.** If it is secret who of a household is there, a member may also add nothing.

**A property of a household.** Where only one property of a household is secret (a total, how many have something), the
laws given two of its values are mixtures of the laws given states that have them; by joint convexity only differences
of two such states count. It is the only secret: a household's columns may depend on each other.

**Known records** are coins at worst: each of them takes one away.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.secret import Household, wide
from dalenius.judge.engine import Judge, Judgement
from dalenius.judge.group import Group, Laws, Rows, Types, Vector, records_told
from dalenius.numerics.decimals import decimal, evaluated

TOGETHER = "one member of each household"
MOST_ROWS = 20_000  # sums of what the members of a household add, in several numbers: beyond, the largest of each count


def of_household(judge: Judge, household: Household, group: Group, *, quick: bool = False) -> Judgement:
    """How much is told of a whole household, from above. The judge is asked at an equal share of epsilon and delta for
    each group of people that a household may be in.
    """
    people, whole = records_told(group.size, group.known), grown(group, household)
    try:
        found = None if whole is None else judge.judged(whole, quick=quick)
        why = "no household is left that could hide another"
    except InputError:
        found, why = None, "what households add is too much to compute"
    if whole is None or found is None:
        upper = times_up(noise_of_household(judge, household, group), household.groups, judge.epsilon)
        return Judgement(
            Bracket(0.0, upper), f"{people}; {why if upper == 1 else 'their noise alone hides them'}", TOGETHER
        )
    coins = sum(count for others in group.others[:1] if isinstance(others, Laws) for _, count in _coins(others))
    words = f"{people}; hidden by one member of each of {coins} household{'s' * (coins != 1)}"
    words += f", in {len(whole.others)} shares" if len(whole.others) > 1 else ""
    return Judgement(Bracket(0.0, times_up(found.delta.upper, household.groups, judge.epsilon)), words, TOGETHER)


def noise_of_household(judge: Judge, household: Household, group: Group) -> float:
    """A bound on δ by the noise of all numbers of one group, whatever is known and believed."""
    return judge.noise_alone(replace(group, rows=tuple(summed(rows, household) for rows in group.rows)))


def times_up(delta: float, times: int, epsilon: Fraction) -> float:
    """A bound after so many steps of this epsilon each, rounded up."""
    if times == 1:
        return delta
    return evaluated(lambda: decimal(Fraction(delta)) * decimal(steps(times, epsilon)), most=1.0).upper


def share_of(epsilon: Fraction, enough: Fraction, times: int) -> tuple[Fraction, Fraction]:
    """What each of so many steps may take, so that all of them together are within (epsilon, enough)."""
    share = epsilon / times
    return share, enough / steps(times, share)


@cache
def steps(times: int, epsilon: Fraction) -> Fraction:
    """At least the sum of e^(j epsilon) over j from 0 to one below the number of steps; the number itself if one."""
    if times == 1:
        return Fraction(1)
    whole = evaluated(lambda: sum((decimal(step * epsilon).exp() for step in range(times)), Decimal(0)))
    return Fraction(whole.upper)


def grown(group: Group, household: Household) -> Group | None:
    """The group as a question about one of many independent records, each of which is the coin of a household, and may
    add what a household of this size can; None if no coin is left. The bound from above is what it is good for.
    """
    size = household.size
    parts = [others for others in group.others if isinstance(others, Laws)]
    if any(len(_coins(part)) == 0 for part in parts if part.domain[0]):
        return None
    rows = tuple(summed(rows, household) for rows in group.rows)
    if household.presence:  # who is absent adds nothing
        parts = [replace(part, domain=with_nobody(part.domain)) for part in parts]
    live = [part for part in parts if part.domain[0]]
    if not live:
        return replace(group, rows=rows)
    if len(live) == 1 and len(live[0].domain[0]) == 1:
        (part,) = live
        coins = _coins(part)
        if sum(count for _, count in coins) <= group.known:
            return None
        rest = [others for others in parts if not others.domain[0]]
        whole = _asked(part, line(part.domain, size), coins)
        return replace(group, others=(whole, *rest), rows=rows)
    changes: list[Laws] = []
    for part in live:
        one = len(part.domain[0]) == 1
        changes += [replace(part, domain=line(part.domain, size))] if one else [part] * size
    shares = [_share(part, group.known + 1, len(changes)) for part in changes]
    found = [share for share in shares if share is not None]
    return None if len(found) < len(shares) else replace(group, others=tuple(found), known=0, rows=rows)


def _asked(part: Laws, sums: tuple[Vector, ...], coins: Types) -> Laws:
    """The coins, and by how much a household moves the number; a coin itself adds what one record may. Of too many sums
    it is as if each coin could add all of them.
    """
    changes = part.changes
    if changes is None and not wide([vector[0] for vector in sums]):
        changes = differences([vector[0] for vector in sums])
    return Laws(_laws(coins), sums if changes is None else part.domain, coins, changes)


def differences(sums: Sequence[int]) -> tuple[int, ...]:
    """By how much two of these numbers differ, above 0, rising.

    >>> differences([1, 3, 7])
    (2, 4, 6)
    """
    return tuple(sorted({abs(one - other) for one, other in combinations(sums, 2)} - {0}))


def _coins(part: Laws) -> Types:
    """The records of which a law is known in part."""
    return tuple((law, count) for law, count in part.least if law)


def _laws(coins: Types) -> Types:
    """The masses as laws: what the coins are if nothing else is ever done."""
    found = []
    for law, count in coins:
        weight = sum((chance for _, chance in law), Fraction(0))
        found.append((tuple((vector, chance / weight) for vector, chance in law), count))
    return tuple(found)


def _share(part: Laws, removed: int, shares: int) -> Laws | None:
    """One of equal shares of the coins, after so many of each law are taken out, and with the target."""
    left = [(law, (count - removed) // shares) for law, count in _coins(part)]
    left = [(law, count) for law, count in left if count > 0]
    if not left:
        return None
    (law, count), *more = left
    coins = ((law, count + 1), *more)
    return Laws(_laws(coins), part.domain, coins)


def line(domain: Sequence[Vector], size: int) -> tuple[Vector, ...]:
    """What `size` members add to one number, moved so that it is what one of them adds if all others add the least.

    >>> line([(1,), (3,)], 3)
    ((1,), (3,), (5,), (7,))
    """
    adds = sorted(vector[0] for vector in domain)
    steps = {two - one for one, two in pairwise(adds)}
    if len(steps) < 2:  # evenly spaced: so are the sums, however many there are
        return tuple(
            (adds[0] + place * max(steps, default=0),) for place in range(size * len(steps) * (len(adds) - 1) + 1)
        )
    least, whole = adds[0], 1
    for _ in range(size):
        sums = 0
        for add in adds:
            sums |= whole << (add - least)
        whole = sums
    return tuple((least + place,) for place in range(whole.bit_length()) if whole >> place & 1)


def with_nobody(domain: Sequence[Vector]) -> tuple[Vector, ...]:
    """What a member may add who may be absent."""
    return tuple(dict.fromkeys((*domain, (0,) * len(domain[0]))))


def summed(rows: Rows, household: Household) -> Rows:
    """What the members of a household add to several numbers; of too many sums, how far they reach."""
    if rows.whole:
        return rows
    size = household.size
    if household.presence and rows.vectors:
        rows = replace(rows, vectors=with_nobody(rows.vectors))
    reach = tuple(size * far for far in rows.reach)
    found: set[Vector] = {(0,) * len(rows.reach)}
    for _ in range(size):
        if len(found) * len(rows.vectors) > MOST_ROWS:
            found = set()
            break
        found = {tuple(map(sum, zip(one, other, strict=True))) for one in found for other in rows.vectors}
    return Rows(rows.numbers, tuple(sorted(found)), reach)
