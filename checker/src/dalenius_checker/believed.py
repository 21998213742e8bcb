"""Beliefs about all records of a group at once: how much one exact number tells about one of them, at most.

A sample without replacement: the rest of the draws follows a hypergeometric law, whose masses are built from its mode
outwards by their ratios, rounded down; what they are divided by is rounded up. A chain: the law of the total given the
state at a place is a product of polynomials, of all that comes before it and of all that comes after. One of several
laws that nobody knows: given the target's value each has another weight. All of it for every target, every two facts,
and of a sample for everything that can be known of the known members.

What is done to the number after it was added up (noise, rounding) tells no more, and is not looked at. A chain or a law
that nobody knows of which some records are known, several strata with noise, and ranges with a variance are left open.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from flint import fmpz_poly

from dalenius_checker import laws
from dalenius_checker.document import require, window
from dalenius_checker.groups import Examiner
from dalenius_checker.laws import ONE, ZERO, Bounds, Law, TooLargeError, small

MOST_WORLDS = 400  # ways to know members of a sample
MOST_WORK = 40_000_000  # points of laws
LONGEST_WINDOW = 50_000  # counts that are looked at one by one
SPARE = 40  # binary digits beyond those of the result
Known = tuple[int, ...]


def check(c: Any) -> None:
    """RefusedError unless what is said of beliefs about all records fits the rest."""
    believed, sample = getattr(c, "believed", []), getattr(c, "sample", None)
    parts = [(kind, part) for kind in c.kinds for part in kind.parts]
    held = [(kind, part) for kind, part in parts if getattr(part, "believed", None) is not None]
    require(
        {at for _, part in held for at in part.believed} == {*range(len(believed))},
        "a belief is not used, or not there",
    )
    plain = not any(hasattr(c, key) for key in ("together", "series", "near"))
    require(plain or not (held or sample), "beliefs about all records are judged by themselves")
    for kind, part in held:
        some = [believed[at] for at in part.believed]
        require(part.estimated and not any(law for law, _ in part.least), "nothing is said of the law of one record")
        simple = sample is not None and sample.design == "simple"
        require(
            all((one.form == SAMPLE) == simple for one in some), "a sample without replacement is one of the design"
        )
        require(simple or len(some) == 1, "only a sample has strata")
        require(sum(map(_people, some)) == kind.people, "what is believed is not about the people of the group")
        told = {"presence": "secret", "value": "known"}[c.secret]
        require(not simple or all(one.taking_part == told for one in some), "taking part is told in two ways")


SAMPLE, HEDGED = "sample without replacement", "one law or another"


def _people(one: Any) -> int:
    return sum(count for _, count in one.members) if one.form == SAMPLE else one.people


class Believer:
    """Bounds on what is told of one person, by what is believed of all records; from above only."""

    def __init__(self, certificate: Any, kind: Any, bits: int) -> None:
        self.certificate, self.kind, self.bits, self.work = certificate, kind, bits + SPARE, 0

    def bounds(self, known: int, enough: Fraction) -> Bounds:
        """The worst of all strata."""
        held = [part for part in self.kind.parts if getattr(part, "believed", None) is not None]
        small(len(self.kind.parts) == 1, "other columns are told of beside what is believed of all records")
        (part,) = held
        amounts = self._amounts(part)
        upper = ZERO
        for at in part.believed:
            one = self.certificate.believed[at]
            if one.form == HEDGED:
                require({*one.adds} == amounts, "what is believed is about another number")
                upper = max(upper, self._hedged(one, known))
                continue
            facts = {"sample without replacement": self._sampled, "chain": self._chain}.get(one.form, self._hidden)
            if one.form == "range and variance":
                raise TooLargeError("a range and a variance are not judged here")
            told = {*one.facts} if one.form == SAMPLE else {*one.adds}
            require(told == amounts, "what is believed is about another number")
            for first, second in facts(one, min(known, _people(one) - 1)):
                self.work += len(first.mass) + len(second.mass)
                small(self.work <= MOST_WORK, f"this takes more than {MOST_WORK} terms")
                for two in ((first, second), (second, first)):
                    points = laws.pair(*two)
                    upper = max(upper, laws.delta(points, self.certificate.epsilon, self.bits))
        return Bounds(ZERO, min(ONE, upper))

    def _amounts(self, part: Any) -> set[int]:
        """What a record may add to the one number that is told of it: the first that is not the same for all. How many
        records there are is public.
        """
        axes = list(zip(*part.domain, strict=True))
        moving = [axis for axis in axes if len({*axis}) > 1]
        small(bool(moving), "nothing is told")
        first = moving[0]
        for axis in moving[1:]:
            a, b = first.index(min(first)), first.index(max(first))
            rise, run = axis[b] - axis[a], first[b] - first[a]
            line = all((y - axis[a]) * run == (x - first[a]) * rise for x, y in zip(first, axis, strict=True))
            small(run and line, "several numbers tell different things of one record")
        return {*first}

    # -- samples -------------------------------------------------------------------------------------------------------

    def _sampled(self, one: Any, known: int) -> Iterator[tuple[Law, Law]]:
        kinds = [(add, count) for add, count in one.members if count]
        size, drawn = _people(one), one.drawn
        small(len(kinds) == 2, "members of a sample add more than two different amounts")
        (low, ones), (high, others) = sorted(kinds)  # how many add the less, and the more
        require(0 < drawn < size, "a census is not a sample")
        pairs = list(combinations(sorted(one.facts), 2))
        ways = [(c, j) for c in range(known + 1) for j in range(known + 1)]
        small(len(ways) <= MOST_WORLDS, f"there are {len(ways)} ways to know {known} members of a sample")
        for more, inside in ways:  # of the known members so many add the more, and so many were drawn
            for target in (low, high):
                left = (ones - (known - more) - (target == low), others - more - (target == high))
                if min(left) < 0:
                    continue
                present = self._urn(left, drawn - inside - 1)
                absent = self._urn(left, drawn - inside)
                if present is None:
                    continue
                base = low * (drawn - inside - 1)
                inner = _spread(present, high - low)
                for a, b in pairs:
                    yield Law(base + a, inner), Law(base + b, inner)
                if one.taking_part == "secret" and absent is not None:
                    yield Law(base + target, inner), Law(base + low, _spread(absent, high - low))

    def _urn(self, left: tuple[int, int], draws: int) -> Law | None:
        """At least so likely: how many of so many draws are of the second kind; None if there are not so many."""
        ones, others = left
        if not 0 <= draws <= ones + others:
            return None
        least, most = max(0, draws - ones), min(draws, others)
        mode = min(most, max(least, (draws + 1) * (others + 1) // (ones + others + 2)))
        one = 1 << self.bits
        down, up = {mode: one}, {mode: one}
        for step, end in ((1, most), (-1, least)):
            for place in range(mode, end, step):
                a, b = (place, place + 1) if step == 1 else (place - 1, place)
                top, bottom = (others - a) * (draws - a), b * (ones - draws + b)
                if step == -1:
                    top, bottom = bottom, top
                down[place + step] = down[place] * top // bottom
                up[place + step] = -(-up[place] * top // bottom)
                if not down[place + step] and up[place + step] < 2:
                    rest = abs(end - place) * up[place + step]  # ratios fall from here on
                    up[place + step] += rest
                    break
        whole = sum(up.values())
        start, stop = min(down), max(down)
        return Law(start, [(down[place] << self.bits) // whole for place in range(start, stop + 1)])

    # -- chains --------------------------------------------------------------------------------------------------------

    def _chain(self, one: Any, known: int) -> Iterator[tuple[Law, Law]]:
        small(not known and not getattr(one, "known_at", None), "records of a chain are known")
        n, base = one.people, min(one.adds)
        adds = [add - base for add in one.adds]
        states = range(len(adds))
        length = n * max(adds) + 1
        small(len(adds) ** 2 * n * length <= 20 * MOST_WORK, f"a chain of {n} records and {len(adds)} values")
        chance = [[self._down(number) for number in row] for row in (one.start, *one.moves)]
        rows = [list(map(Fraction, row)) for row in (one.start, *one.moves)]
        require(all(sum(row) == 1 and min(row) >= 0 for row in rows), "probabilities must sum to one")
        fine = len(rows) == len(adds) + 1 and all(len(row) == len(adds) for row in rows)
        require(fine, "a chain has moves from every value to every value")
        step = [fmpz_poly([0] * add + [1]) for add in adds]

        def after(values: Sequence[fmpz_poly]) -> list[fmpz_poly]:
            """Of the records after one of each state, what they add, at least so likely."""
            return [
                sum((values[b] * step[b] * chance[1 + a][b] for b in states), fmpz_poly([])) // (1 << self.bits)
                for a in states
            ]

        def before(values: Sequence[fmpz_poly]) -> list[fmpz_poly]:
            """Of the records up to one of each state, with the probability of that state."""
            return [
                sum((values[a] * chance[1 + a][b] for a in states), fmpz_poly([])) * step[b] // (1 << self.bits)
                for b in states
            ]

        ahead = [[fmpz_poly([1 << self.bits])] * len(adds)]
        for _ in range(n - 1):
            ahead.append(after(ahead[-1]))
        back = [step[b] * chance[0][b] for b in states]
        real = rows[0]
        for place in range(n):
            given = list[Law]()
            for state in states:
                if not real[state]:
                    continue
                whole = back[state] * ahead[n - 1 - place][state] // (1 << self.bits)
                masses = [int(mass) for mass in whole.coeffs()] or [0]
                given.append(Law(0, [mass * real[state].denominator // real[state].numerator for mass in masses]))
            yield from combinations(given, 2)
            if place + 1 < n:
                back = before(back)
                real = [sum((real[a] * rows[1 + a][b] for a in states), ZERO) for b in states]
                real = [self._up(chance) for chance in real]

    # -- one law or another --------------------------------------------------------------------------------------------

    def _hedged(self, one: Any, known: int) -> Fraction:
        """What noise by itself tells; TooLargeError if there is none, unless one count that is exact within a window
        tells nothing at this epsilon, whatever law the attackers lean to. Noisy counts of neighbours look alike to
        within 1/scale. Of an exact count k of n, a person who is counted against one who is not, with m = n - 1: up to
        a factor that both have, the excess is

            f(p) = (k - L p) p^(k-1) (1-p)^(m-k),   L = k + e^epsilon (n - k),

        at a rate p, and its mean over the rates must not be above 0. It is largest where L m p² - k (L + m - 1) p +
        k (k - 1) = 0, at the smaller root. The other way round is the same for n - k and 1 - p.
        """
        ((weight, law),) = [(Fraction(some), list(map(Fraction, each))) for some, each in one.laws]
        fine = sum(law) == 1 and min(law) >= 0 and len(law) == len(one.adds) and 0 < weight < Fraction(1, 2)
        require(fine, "probabilities must sum to one, and a weight is below one half")
        figures = [self.certificate.figures[at] for at in self.kind.figures]
        if all(figure.noise for figure in figures):
            return Examiner(self.certificate, self.kind, self.bits).noise(self.certificate.epsilon)
        alone = len(figures) == 1 and self.kind.alone and figures[0].earned and self.kind.people == one.people
        small(alone and not known, "attackers who hedge are told one count by itself, and know nobody")
        small({*one.adds} <= {0, 1}, "a record adds more than one")
        rate = sum((chance for chance, add in zip(law, one.adds, strict=True) if add), ZERO)
        low, high = window(figures[0].earned, one.people)
        epsilon = self.certificate.epsilon
        small(epsilon * figures[0].earned[2] >= 1 and 0 < rate < 1, "its noise tells more than is wanted")
        small(high - low < LONGEST_WINDOW, f"more than {LONGEST_WINDOW} counts may be exact")
        for count in range(low, high + 1):
            both = ((count, rate), (one.people - count, 1 - rate))
            small(all(self._level(k, one.people, q, weight) for k, q in both), f"an exact {count} may tell too much")
        return ZERO

    def _level(self, k: int, n: int, q: Fraction, weight: Fraction) -> bool:
        """Whether the mean of f is certainly at most 0."""
        m, factor = n - 1, laws.ball(self.certificate.epsilon, self.bits).exp()
        top = k + factor * (n - k)
        gain = laws.ball(q, self.bits) * top - k
        if not 1 <= k < n or not gain > 0:
            return False
        middle = k * (top + m - 1)
        root = (middle - (middle * middle - 4 * top * m * k * (k - 1)).sqrt()) / (2 * top * m)
        if k == 1:  # f falls from 0 on
            loss, lean = laws.ball(Fraction(1), self.bits), laws.ball(Fraction(0), self.bits)
        else:
            loss, lean = k - top * root, (k - 1) * root.log() + (m - k) * (1 - root).log()
        if not loss > 0:
            return False
        odds = (laws.ball(weight, self.bits) / laws.ball(1 - weight, self.bits)).log()
        kept = (k - 1) * laws.ball(q, self.bits).log() + (m - k) * laws.ball(1 - q, self.bits).log()
        return bool(odds + gain.log() + kept >= loss.log() + lean)

    # -- one law that nobody knows -------------------------------------------------------------------------------------

    def _hidden(self, one: Any, known: int) -> Iterator[tuple[Law, Law]]:
        small(not known, "records that follow a law that nobody knows are known")
        weights = [Fraction(weight) for weight, _ in one.laws]
        each = [list(map(Fraction, law)) for _, law in one.laws]
        fine = sum(weights) == 1 and all(sum(law) == 1 and min(law) >= 0 for law in each)
        require(fine and all(len(law) == len(one.adds) for law in each), "probabilities must sum to one")
        totals = []
        for law in each:
            letters: dict[tuple[int, ...], Fraction] = {}
            for add, mass in zip(one.adds, law, strict=True):
                letters[add,] = letters.get((add,), ZERO) + mass
            live = tuple(sorted((add, mass) for add, mass in letters.items() if mass))
            totals.append(laws.repeated(live, (1,), one.people - 1, self.bits))
        given = []
        for value, add in enumerate(one.adds):
            joint = [weight * law[value] for weight, law in zip(weights, each, strict=True)]
            if not sum(joint):
                continue
            start = min(total.start for total in totals)
            stop = max(total.start + len(total.mass) for total in totals)
            masses = [0] * (stop - start)
            for share, total in zip(joint, totals, strict=True):
                scaled = self._down(share / sum(joint))
                for place, much in enumerate(total.mass):
                    masses[total.start - start + place] += much * scaled >> self.bits
            given.append(Law(start + add, masses))
        yield from combinations(given, 2)

    def _down(self, number: Any) -> int:
        share = Fraction(number)
        return (share.numerator << self.bits) // share.denominator

    def _up(self, share: Fraction) -> Fraction:
        """A fraction of few digits that is no smaller: what it divides only falls."""
        return Fraction(-(-(share.numerator << 2 * self.bits) // share.denominator), 1 << 2 * self.bits)


def _spread(law: Law, step: int) -> list[int]:
    """The masses at every `step`th place from 0 on."""
    masses = [0] * (step * (len(law.mass) - 1) + 1)
    masses[::step] = law.mass
    return [0] * (law.start * step) + masses
