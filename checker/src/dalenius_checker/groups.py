"""How much the published numbers tell about one person of a group: bounds on delta, from the certificate alone.

The target and the records that the attacker knows are taken out of the group; the others, and noise, hide the target.
The upper bound is what counts. A lower bound is given where nothing was left out, so that a delta may be called false.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, pairwise, permutations, product
from math import ceil, prod
from typing import Any

from flint import fmpq_mat, fmpz_poly

from dalenius_checker import laws, tails
from dalenius_checker.cells import pairs_of_cells, tell_all_cells
from dalenius_checker.document import people, require, window
from dalenius_checker.laws import ONE, ZERO, Bounds, Law, Packed, Pair, TooLargeError, Types, Vector, small

MOST_TERMS = 100_000_000  # of all pairs of one kind of group: half a minute
FINE = (500, 8000)  # steps of a loss to one epsilon; if the first do not confirm it, the second
SMOOTH = 14  # binary digits to which a law must rise and then fall, compared with delta
POWERS = [
    Fraction(step, 64) for step in (1, 2, 3, *range(4, 129, 4), 160, 192, 256, 384, 512, 768, 1024)
]  # of ratios between two models
MOST_GAPS = 2_000_000  # pairs of values in order, and numbers of known records
MOST_KNOWN = 200_000  # pairs of numbers of known records below two values in order, for all values
MOST_FACTS = 2_000_000  # pairs of facts about a person
Bound = Callable[[Types], Bounds]
MOST_CHOICES = 300  # different moves of noisy numbers
Moved = tuple[tuple[str, Fraction], int]  # the noise of a number, and how far it is moved


@dataclass(frozen=True)
class Part:
    """What records add to some figures of a group: all vectors that are possible, how many people have which law (its
    mass is below one where only a part of it is known), the noise of each figure, and to what the total is rounded.
    """

    domain: tuple[Vector, ...]
    types: Types
    noises: tuple[Law | None, ...]
    base: int
    hide: tuple[int, bool] | None = None  # counts below which are hidden, and whether zeros are
    earned: tuple[Fraction, Fraction, Fraction] | None = None  # the rule by which a count is exact, if there is one
    rates: tuple[Fraction, ...] = ()  # of which the likeliest is told, if only that is
    changes: tuple[int, ...] | None = None  # of one number: by how much facts differ, if not any two are compared

    @property
    def exact(self) -> bool:
        """Whether the totals are published as they are."""
        return self.base == 1 and all(noise is None for noise in self.noises)

    @property
    def whole(self) -> bool:
        """Whether the laws are known, and not only parts of them."""
        return all(mass_of(law) == 1 for law, _ in self.types)


@dataclass
class Examiner:
    """Bounds on the delta of one kind of group, in numbers of so many bits."""

    certificate: Any
    kind: Any
    bits: int
    terms: int = 0
    fine: int = FINE[0]

    def bounds(self, known: int, enough: Fraction) -> Bounds:
        """Bounds on delta, for an attacker who knows the worst `known` records; as close as is needed to see that it
        is at most `enough`: by records as if there were no noise, by noise as if all others were known, or by both.
        Only the last has a lower bound, unless there is rounding that does not count since the number covers others.
        """
        keeps = [getattr(part, "answered", None) for part in self.kind.parts]
        if any(keeps):
            return self._answered(keeps, known, enough)
        figures = [self.certificate.figures[at] for at in self.kind.figures]
        several, noisy = len(figures) > 1, any(figure.noise for figure in figures)
        rules = [figure.base > 1 or figure.hide or figure.earned or figure.rates for figure in figures]
        told = self.kind.alone or not any(rules)
        told = told and not any(figure.among for figure in figures)  # the counts tell more than which is the largest

        def both() -> Bounds:
            found = self._records(known, enough, noisy=noisy)
            return found if told else Bounds(ZERO, found.upper)

        ways: list[Callable[[], Bounds]] = [both]
        ways = [lambda: Bounds(ZERO, self.noise(self.certificate.epsilon)), *ways] if noisy else ways
        if noisy and several:
            ways = [lambda: Bounds(ZERO, self._records(known, enough, noisy=False).upper), *ways]
        found, left = Bounds(ZERO, ONE), None
        for fine, way in product(FINE if several else FINE[:1], ways):
            self.fine, self.terms = fine, 0
            if left is not None and fine > FINE[0]:
                break
            try:
                one = way()
                found = Bounds(max(found.lower, one.lower), min(found.upper, one.upper))
            except TooLargeError as error:
                left = error
            if found.upper <= enough:
                return found
        if self.kind.alone and any(figure.among for figure in figures) and found.upper > enough:
            found = self._named(found, known)
        if left is not None and found.upper > self.certificate.wanted:
            raise left
        return found

    def _answered(self, keeps: Sequence[str | None], known: int, enough: Fraction) -> Bounds:
        """Answers that went through a coin: what is told of those that came out, and if nothing else is, of the true
        ones. With a = k - e^epsilon (1 - k) and b = e^epsilon k - (1 - k) that is a times delta at ln(b / a).
        """
        kind, certificate = copy(self.kind), copy(self.certificate)
        kind.parts = [copy(part) for part in kind.parts]
        for part in kind.parts:
            part.answered = None
        keep, whole = Fraction(keeps[0] or 1), ONE
        (first, *more) = kind.parts
        chances = [dict(law).get(vector, ZERO) for law, _ in first.types for vector in first.domain]
        fine = Fraction(1, 2) < keep < 1 and len(first.domain) == len(("yes", "no")) and min(chances) >= 1 - keep
        require(fine or more, "laws are none of answers that went through such a coin")
        if not more and certificate.secret == "value" and getattr(first, "changes", None) is None:
            up = laws.ball(certificate.epsilon, self.bits).exp()
            kept, flipped = laws.ball(keep, self.bits), laws.ball(1 - keep, self.bits)
            a, b = kept - up * flipped, up * kept - flipped
            if not a > 0:
                small(a < 0 or a <= 0, "a coin hides all but what rounding leaves")
                return Bounds(ZERO, ZERO)
            scale = 1 << self.bits
            whole = min(ONE, Fraction(laws.floor(a, self.bits) + 2, scale))
            level = Fraction(laws.floor((b / a).log(), self.bits), scale)
            certificate.epsilon = max(certificate.epsilon, level.limit_denominator(10**9) - Fraction(1, 10**8))
        inner = Examiner(certificate, kind, self.bits).bounds(known, min(ONE, enough / whole))
        return Bounds(ZERO, min(ONE, inner.upper * whole))

    def _records(self, known: int, enough: Fraction, *, noisy: bool) -> Bounds:
        """By the records of the group; of several independent parts, so many of each law are taken out."""
        parts = [part for part in (self.essential(part, noisy=noisy) for part in self.kind.parts) if part.domain[0]]
        parts = [part for part in parts if part.changes != ()]
        counts = [tuple(count for _, count in part.types) for part in parts]
        if len(parts) == 1:
            box = (0,) * len(counts[0]), counts[0]
            return worst(parts[0].types, known + 1, box, lambda some: self._output(parts[0], some, enough), enough)
        taken = [tuple(min(count, known + 1) for count in some) for some in counts]
        left = [without(part.types, some) for part, some in zip(parts, taken, strict=True)]
        return self.outputs(parts, left, self.certificate.epsilon)

    def _named(self, shown: Bounds, known: int) -> Bounds:
        """A value that is named by the counts of all values, which are not published: no more than the counts tell.

        The value at a place of all records in order, by itself, of records of one law: it is at most v if as many of
        them are as the place says. How many of those are whom nobody knows is binomial, so that the chance that it is v
        depends on the target only by whether they are below v, at v or above, and on the known records only by how many
        are below v and at most v. Where some are known, the worst is taken for each v by itself, and there is no lower
        bound.
        """
        certificate, part, several = self.certificate, self.kind.parts[0], len(self.kind.parts) > 1
        figures = [certificate.figures[at] for at in self.kind.figures]
        place, many, size = figures[0].place, len(figures), self.kind.people
        order = [part.figures.index(at) for at in self.kind.figures if at in part.figures]
        facts = [tuple(vector[axis] for axis in order) for vector in part.domain]
        values = [tuple(int(axis == value) for axis in range(many)) for value in range(many)]
        models = () if several or certificate.secret == "presence" else figures[0].models
        if models and {*facts} <= {*values, (0,) * many}:
            return Bounds(ZERO, min(shown.upper, self._modelled(models, values, order, known)))
        whole = len(part.least) == 1 and sum(chance for _, chance in part.least[0][0]) == 1
        fits = whole and getattr(part, "changes", None) is None and sorted(facts) == sorted(values) and not several
        if place is None or not fits or certificate.secret == "presence":
            small(shown.upper <= certificate.wanted, "the value that is named of several counts is not worked out here")
            return shown
        small(many * (known + 1) ** 2 <= MOST_KNOWN, f"{known} records are known, anywhere among {many} values")
        chances = {tuple(vector[axis] for axis in order): chance for vector, chance in part.least[0][0]}
        rank, shares = max(1, ceil(place * size)), [ZERO]
        for value in values:
            shares.append(shares[-1] + chances.get(value, ZERO))
        reached = [self._reached(share, size - 1 - known, rank, known) for share in shares]
        scale = figures[0].moved
        if scale is not None:
            found = self._by_gaps(reached, shares, scale, rank) if known else self._in_noise(reached, scale)
            return Bounds(ZERO, min(found, shown.upper))
        gains = [self._gains(one, two, known) for one, two in pairwise(reached)]
        worst = truth = 0
        for one, two in permutations(range(many), 2):
            sides = [((one >= value) + (one > value), (two >= value) + (two > value)) for value in range(many)]
            sums = [sum(gain[side][end] for gain, side in zip(gains, sides, strict=True)) for end in (0, 1)]
            worst, truth = max(worst, sums[0]), max(truth, sums[1])
        lower, upper = (Fraction(number, 1 << 2 * self.bits) for number in (0 if known else truth, worst))
        return Bounds(min(lower, shown.upper), min(upper, shown.upper))

    def _modelled(
        self, models: tuple[tuple[Fraction, ...], ...], values: list[Vector], order: list[int], known: int
    ) -> Fraction:
        """Which of some models the values speak for, for whatever laws they have: another than a model only if that is
        beaten by some other one, for which the product of the ratios of the two must reach 1. By Markov's inequality
        for its powers; of the known records and the target the ratio is the largest, and the factors of the others are
        all but the least ones.
        """
        part, nowhere = self.kind.parts[0], {(0,) * len(values): ONE}
        chances = [{**nowhere, **dict(zip(values, model, strict=True))} for model in models]
        types = [([(tuple(v[axis] for axis in order), p) for v, p in law], count) for law, count in part.least]
        facts = [tuple(vector[axis] for axis in order) for vector in part.domain]
        ways = (((one, other) for other in chances if other is not one) for one in chances)
        pairs = ([{fact: other[fact] / one[fact] for fact in facts} for one, other in way] for way in ways)
        return min(ONE, *(sum((self._beaten(ratios, types, known) for ratios in way), ZERO) for way in pairs))

    def _beaten(self, ratios: dict[Vector, Fraction], types: Any, known: int) -> Fraction:
        """At most the chance that one model is as likely as another, by the best of some powers."""
        least, most, scale = ONE, max(ratios.values()), 1 << self.bits
        for power in (laws.ball(step, self.bits) for step in POWERS):
            powers = {fact: (power * laws.ball(ratio, self.bits).log()).exp() for fact, ratio in ratios.items()}
            top, factors = (power * laws.ball(most, self.bits).log()).exp(), []
            for law, count in types:
                rest = laws.ball(1 - sum(p for _, p in law), self.bits) * top
                mean = sum((laws.ball(p, self.bits) * powers[fact] for fact, p in law), rest)
                factors.append((Fraction(laws.floor(mean.log().upper(), self.bits) + 2, scale), count))
            gone, whole = known + 1, top.log() * (known + 1)
            for log, count in sorted(factors):
                whole += laws.ball(log * (count - min(gone, count)), self.bits)
                gone -= min(gone, count)
            if whole < 0:
                least = min(least, Fraction(laws.floor(whole.exp().upper(), self.bits) + 2, scale))
        return least

    def _by_gaps(
        self, reached: list[list[tuple[int, int]]], shares: list[Fraction], scale: Fraction, rank: int
    ) -> Fraction:
        """The same where some are known: whatever the target's value is, the one that is named lies between two others
        next to each other in order, and noise hides a shift by the gap between them. It is as large only if from some
        value on none of the others is in it, and just one less than the rank are before.
        """
        many, known = len(reached) - 1, len(reached[0]) - 2
        others = self.kind.people - 1 - known
        small(many * many * known <= MOST_GAPS, f"{known} records are known among {many} values, and noise is added")
        masses, hidden, total = laws.noise("geometric", scale, self.bits).mass, ZERO, ZERO
        for far in range(1, many):
            points = zip([0] * far + masses, masses + [0] * far, strict=True)
            before, hidden = hidden, laws.delta(points, self.certificate.epsilon, self.bits)
            chance = 0
            for row in [0] if rank == 1 else range(1, many - far + 1):
                last = far if rank == 1 else row + far - 1
                left = 1 - shares[row]
                passed = laws.ball((1 - shares[last]) / left if left else ONE, self.bits)
                chance += max(
                    max(0, reached[row][seen + 1][1] - reached[row][seen][0])
                    * (laws.floor(passed ** max(0, others - (rank - 1 - seen)), self.bits) + 1)
                    for seen in range(known + 1)
                )
            total += max(ZERO, hidden - before) * min(ONE, Fraction(chance, 1 << 2 * self.bits))
        return total

    def _in_noise(self, reached: list[list[tuple[int, int]]], scale: Fraction) -> Fraction:
        """The same where the value is moved among the values by noise, and to the first or the last where it would go
        beyond: by the law of what is published given each fact.
        """
        many, noise = len(reached) - 1, laws.noise("geometric", scale, self.bits)
        moved = [[0] * many for _ in range(many)]
        for value, by in product(range(many), range(len(noise.mass))):
            moved[value][min(max(value + noise.start + by, 0), many - 1)] += noise.mass[by]
        given = []
        for fact in range(many):
            sides = [(fact >= value) + (fact > value) for value in range(many)]
            named = [
                max(0, upto[side < 2][0] - before[side == 0][1])
                for (before, upto), side in zip(pairwise(reached), sides, strict=True)
            ]
            told = (sum(named[value] * moved[value][out] for value in range(many)) for out in range(many))
            given.append([mass >> self.bits for mass in told])
        epsilon = self.certificate.epsilon
        return max(laws.delta(zip(one, two, strict=True), epsilon, self.bits) for one, two in permutations(given, 2))

    def _gains(
        self, before: list[tuple[int, int]], upto: list[tuple[int, int]], known: int
    ) -> dict[tuple[int, int], tuple[int, int]]:
        """How much likelier it is that one value is named if the target is at one side of it (below, at it, above) than
        at another, at most and, where nobody is known, at least.
        """
        least = laws.exponential(self.certificate.epsilon, self.bits)
        found = {(one, two): (0, 0) for one in range(3) for two in range(3)}
        for some in range(known + 1):
            for more in range(some, known + 1):
                ends = [(upto[more + (side < 2)], before[some + (side == 0)]) for side in range(3)]
                chances = [(max(0, last[0] - first[1]), max(0, last[1] - first[0])) for last, first in ends]
                for one, two in permutations(range(3), 2):
                    p, q = chances[one], chances[two]
                    most, sure = (p[1] << self.bits) - least * q[0], (p[0] << self.bits) - (least + 1) * q[1]
                    found[one, two] = max(found[one, two][0], most), max(found[one, two][1], sure)
        return found

    def _reached(self, share: Fraction, others: int, rank: int, known: int) -> list[tuple[int, int]]:
        """Bounds on the chance that `rank` records are among these, if so many of those who are known are, or the
        target besides.
        """
        law = laws.total((((((0,), 1 - share), ((1,), share)), others),), [None], (1,), self.bits)
        lost = (1 << self.bits) - sum(law.mass)
        tails = [sum(law.mass[max(0, rank - counted - law.start) :]) for counted in range(known + 2)]
        return [(tail, tail + lost) for tail in tails]

    def essential(self, part: Any, *, noisy: bool) -> Part:
        """The part without coordinates that are linear combinations of exact ones (and of one, if presence is no
        secret: the number of records is known then). These tell nothing new. Rounding protects only if the number
        covers nobody else.
        """
        figures, size = [self.certificate.figures[place] for place in part.figures], len(part.domain)
        exact = [figure.noise is None or not noisy for figure in figures]
        kept: list[int] = []
        rows: list[list[int]] = [] if self.certificate.secret == "presence" else [[1] * size]
        for axis in sorted(range(len(figures)), key=lambda axis: not exact[axis]):
            more = [*rows, [vector[axis] for vector in part.domain]]
            if fmpq_mat(len(more), size, [step for row in more for step in row]).rank() == len(more):
                kept.append(axis)
                rows = more if exact[axis] else rows

        kept.sort(key=lambda axis: len({vector[axis] for vector in part.domain}))  # the one with most moves last

        def fewer(vector: Vector) -> Vector:
            return tuple(vector[axis] for axis in kept)

        types = tuple((tuple((fewer(vector), chance) for vector, chance in law), count) for law, count in part.least)
        noises = tuple(None if exact[axis] else laws.noise(*figures[axis].noise, self.bits) for axis in kept)
        some = None if getattr(part, "changes", None) is None or len(kept) != 1 else _along(part, kept)
        base, hide, earned, rates = 1, None, None, ()
        if self.kind.alone:
            base, hide, earned, rates = figures[0].base, figures[0].hide, figures[0].earned, figures[0].rates
        return Part(tuple(map(fewer, part.domain)), types, noises, base, hide, earned, rates, some)

    def outputs(self, parts: list[Part], left: list[Types], epsilon: Fraction) -> Bounds:
        """Independent parts, each with the records that are left of it; only from above."""
        outputs, missed = list[Iterable[Pair]](), ZERO
        for part, types in zip(parts, left, strict=True):
            try:
                output, lost = (
                    (self._cells(part, types), ZERO) if self._by_cells(part) else self._before_and_after(part, types)
                )
            except TooLargeError:
                output, lost = self._cells(part, types), ZERO
            outputs.append(output)
            missed += lost
        return Bounds(ZERO, min(ONE, laws.largest(outputs, epsilon, self.fine, self.bits) + missed))

    def _output(self, part: Part, types: Types, enough: Fraction) -> Bounds:
        """One part, with the records that are left of it: by pairs of cells if these tell all, else by the tails of its
        law, or all of it; if that is too large, as if it was not rounded, and by pairs of cells.
        """
        if part.hide is not None:
            return self._hidden(part, part.hide, types, enough)
        if part.rates:
            return self._chosen(part, part.rates, types, enough)
        if part.earned is not None:
            return self._earned(part, part.earned, types, enough)
        if self._by_cells(part):
            return self._counted(part, types, enough)
        try:
            return self._by_tails(part, types) or (
                self._summed(part, types, enough) if part.base == 1 else self._rounded(part, types)
            )
        except TooLargeError:
            if part.base > 1:
                return Bounds(ZERO, self._output(replace(part, base=1), types, enough).upper)
            return Bounds(ZERO, self._counted(part, types, enough).upper)

    def _by_tails(self, part: Part, types: Types) -> Bounds | None:
        """One exact number whose records have log-concave laws, if it is one: see `tails`."""
        if not (part.exact and part.whole and len(part.domain[0]) == 1):
            return None
        furthest = max((move for (move,) in self._moves(part)), default=0)
        return tails.bounds(types, furthest, self.certificate.epsilon, self.bits)

    def _hidden(self, part: Part, hide: tuple[int, bool], types: Types, enough: Fraction) -> Bounds:
        """A count of which small ones are hidden: a function of the count; by itself, the law of what is published.
        The more known records are counted, the fewer counts are hidden; a zero is one only if none of them is.
        """
        upper = self._output(replace(part, hide=None), types, enough).upper
        if upper <= enough or not part.whole or self.certificate.secret == "presence":
            return Bounds(ZERO, upper)
        (found, missed), epsilon, worst = self._laws(part, types), self.certificate.epsilon, ZERO
        for known in {0, people(part.types) - people(types) - 1}:
            ways = [[laws.hidden(one.law, *hide, known + more) for one in found] for more in (0, 1)]
            for one, two in (ways, ways[::-1]):
                points = chain.from_iterable(laws.pair(a, b) for a, b in zip(one, two, strict=True))
                worst = max(worst, laws.delta(points, epsilon, self.bits))
        return Bounds(ZERO, min(upper, worst + missed))

    def _chosen(self, part: Part, rates: tuple[Fraction, ...], types: Types, enough: Fraction) -> Bounds:
        """Which of some rates a count speaks for: a function of the count, and of how many people there are. Whatever
        known records make of the count, its law is moved.
        """
        upper = self._output(replace(part, rates=()), types, enough).upper
        if upper <= enough or not part.whole or self.certificate.secret == "presence":
            return Bounds(ZERO, upper)
        size, known = people(part.types), people(part.types) - people(types) - 1
        (found, missed), epsilon, worst = self._laws(part, types), self.certificate.epsilon, ZERO
        starts = laws.turns(rates, size, self.bits)
        small(known * len(starts) <= MOST_TERMS // 1000, f"a choice beside {known} known records")
        for counted in range(known + 1):
            ways = [[laws.between(one.law, starts, counted + more) for one in found] for more in (0, 1)]
            for one, two in (ways, ways[::-1]):
                points = chain.from_iterable(zip(a, b, strict=True) for a, b in zip(one, two, strict=True))
                worst = max(worst, laws.delta(points, epsilon, self.bits))
        return Bounds(ZERO, min(upper, worst + missed))

    def _earned(
        self, part: Part, earned: tuple[Fraction, Fraction, Fraction], types: Types, enough: Fraction
    ) -> Bounds:
        """A count that may be exact within a window: a random function of the count. Noisy counts of neighbours look
        alike to within 1/scale, so that from there on only exact ones tell anything: each with the largest chance that
        it can have, wherever known records put it.
        """
        upper, scale = self._output(replace(part, earned=None), types, enough).upper, earned[2]
        wide = self.certificate.epsilon * scale >= 1
        if upper <= enough or not wide or not part.whole or self.certificate.secret == "presence":
            return Bounds(ZERO, upper)
        size, known, bits = people(part.types), people(part.types) - people(types) - 1, self.bits
        low, high = window(earned, size)
        (found, missed), least, worst = self._laws(part, types), laws.exponential(self.certificate.epsilon, bits), 0
        for way in (0, 1):
            gain = 0
            for one in found:
                for place, (p, q) in enumerate(laws.beside(one.law, way), one.law.start):
                    more = (p << bits) - least * q
                    if more > 0 and low - known <= place <= high:
                        middle = min(max((low + high) // 2, low, place), high, place + known)
                        gain += (more * laws.exactly(middle - low + 1, high - middle + 1, scale, bits) >> bits) + 1
            worst = max(worst, gain)
        lost = 1 - Fraction(sum(sum(one.law.mass) for one in found), 1 << bits)
        return Bounds(ZERO, min(upper, Fraction(worst, 1 << 2 * bits) + lost + missed))

    def _by_cells(self, part: Part) -> bool:
        """Whether the numbers tell how many records are at each vector, and all have one law: see `cells`."""
        facts = self._facts(part)
        return part.exact and len(part.types) == 1 and len(facts) <= len(facts[0]) + 1 and tell_all_cells(facts)

    def _cells(self, part: Part, types: Types, *, most: bool = False) -> Iterable[Pair]:
        """Pairs of facts by pairs of cells; TooLargeError if there is noise or rounding, which is not counted there."""
        small(part.exact, "the joint law of noisy or rounded numbers has too many points")
        return pairs_of_cells(self._facts(part), types, self.fine, self.bits, most=most)

    def _counted(self, part: Part, types: Types, enough: Fraction) -> Bounds:
        """By pairs of cells: an equality where they tell all, but for how many coins there are, which is not told to
        the last one.
        """
        epsilon, bits = self.certificate.epsilon, self.bits
        upper = max(laws.delta(points, epsilon, bits) for points in self._cells(part, types))
        if upper <= enough or not (self._by_cells(part) and part.whole):
            return Bounds(ZERO, upper)
        return Bounds(
            max(laws.bounds(points, epsilon, bits).lower for points in self._cells(part, types, most=True)), upper
        )

    def _laws(self, part: Part, types: Types) -> tuple[list[Packed], Fraction]:
        """The laws of the total, one for each case; and what is added to delta since strides may be too short."""
        found, missed, last = list[Packed](), ZERO, len(part.domain[0]) - 1
        reach = tuple(max(axis) - min(axis) for axis in zip(*self._facts(part), strict=True))
        for chance, draws in cases(types, self.certificate.wanted / 100, self.bits, every=part.base == 1):
            strides, lost = laws.strides_for(draws, part.noises, reach, self.bits)
            law = laws.total(draws, part.noises, strides, self.bits)
            row = laws.coordinate(draws, part.noises, last, self.bits) if last else law
            if chance < 1 << self.bits:
                law = Law(law.start, [mass * chance >> self.bits for mass in law.mass])
            found.append(Packed(law, strides, row))
            missed += lost
        return found, missed * (1 + 3 ** ceil(self.certificate.epsilon))  # e is below 3

    def _facts(self, part: Part) -> list[Vector]:
        """What a person may add; who is absent adds nothing, if that is secret."""
        absent = [(0,) * len(part.domain[0])] if self.certificate.secret == "presence" else []
        return [*dict.fromkeys([*part.domain, *absent])]

    def _summed(self, part: Part, types: Types, enough: Fraction) -> Bounds:
        """By the law of totals that are not rounded, for every move. Moves that differ in the last coordinate only are
        bounded at once, if each row of the law rises and then falls: the least of what lies between two places of such
        a row is at one of the two. Ranges of moves are halved until that is at most `enough`.
        """
        (found, missed), epsilon, bits = self._laws(part, types), self.certificate.epsilon, self.bits
        ridges = [one.ridged() for one in found]
        whole, smooth = (sum(sum(one.law.mass) for one in some) for some in (found, ridges))
        ranges = _rows(self._moves(part))
        if (whole - smooth) << SMOOTH <= enough * (1 << bits):
            found, whole = ridges, smooth
        else:
            ranges = [[move] for some in ranges for move in some]
        least, single, largest = laws.exponential(epsilon, bits), 0, 0
        while ranges:
            some = ranges.pop()
            self.terms += sum(len(one.law.mass) for one in found)
            small(self.terms <= MOST_TERMS, f"this takes more than {MOST_TERMS} terms")
            gain = sum(one.gain(some[0], some[-1], least, bits) for one in found)
            if len(some) == 1:
                single = max(single, gain)
            elif gain > single and laws.bounds_of(gain, whole, epsilon, bits).upper + missed > enough:
                ranges += [some[: len(some) // 2], some[len(some) // 2 :]]
                continue
            largest = max(largest, gain)
        lower = max(ZERO, laws.bounds_of(single, whole, epsilon, bits).lower - missed)
        upper = min(ONE, laws.bounds_of(largest, whole, epsilon, bits).upper + missed)
        return Bounds(lower if part.whole else ZERO, upper)

    def _rounded(self, part: Part, types: Types) -> Bounds:
        """By the law of a total that is rounded, for every move from every place; of people with different laws it is
        not told which of them the known records are that put it there, so that there is no lower bound.
        """
        pairs, missed = self._before_and_after(part, types)
        each = [laws.bounds(points, self.certificate.epsilon, self.bits) for points in pairs]
        lower, upper = max(one.lower for one in each), max(one.upper for one in each)
        told = part.whole and len(part.types) == 1
        return Bounds(max(ZERO, lower - missed) if told else ZERO, min(ONE, upper + missed))

    def _before_and_after(self, part: Part, types: Types) -> tuple[Iterable[Pair], Fraction]:
        """What is published before and after every move from every place; and what has to be added to delta."""
        found, missed = self._laws(part, types)
        places = self._places(part, people(part.types) - people(types) - 1)
        self.terms += len(places) * sum(len(one.law.mass) for one in found)
        small(self.terms <= MOST_TERMS, f"this takes more than {MOST_TERMS} terms")
        return _pairs(found, places, part.base), missed

    def _moves(self, part: Part) -> set[Vector]:
        """What one person may move the sums by: the differences of every two facts, both ways round."""
        facts = self._facts(part)
        if part.changes is not None:
            return {(sign * move,) for move in part.changes for sign in (1, -1)}
        if len(facts[0]) == 1:
            return {(sign * move,) for move in differences([fact[0] for fact in facts]) if move for sign in (1, -1)}
        small(len(facts) ** 2 <= MOST_FACTS, f"there are {len(facts)} facts about a person")
        pairs = ((one, two) for one, two in product(facts, repeat=2) if one != two)
        return {tuple(y - x for x, y in zip(one, two, strict=True)) for one, two in pairs}

    def _places(self, part: Part, known: int) -> set[tuple[int, Vector]]:
        """What one person may move the sums by: both orders of every two facts; and from where, modulo the base of
        rounding, wherever the `known` records may put the total: they may add what the domain allows, likely or not.
        """
        base, presence = part.base, self.certificate.secret == "presence"
        if base == 1:
            return {(0, move) for move in self._moves(part)}
        if part.changes is not None:
            return {(offset, move) for move in self._moves(part) for offset in range(base)}
        adds = sorted({vector[0] % base for vector in part.domain})
        sure = not presence and all(mass_of(law) == 1 for law, _ in part.types)
        offsets = new = {known * adds[0] % base} if sure else {*range(base)}
        while known and new and len(part.domain) ** 2 * len(offsets) <= MOST_FACTS:  # each adds the least, or more
            known, new = known - 1, {(one + other - adds[0]) % base for one in new for other in adds} - offsets
            offsets = offsets | new
        small(len(part.domain) ** 2 * len(offsets) <= MOST_FACTS, f"there are {len(part.domain)} facts about a person")
        pairs = ((one, two) for one, two in product(self._facts(part), repeat=2) if one != two)
        moves = {(one[0], tuple(y - x for x, y in zip(one, two, strict=True))) for one, two in pairs}
        return {((start + offset) % base, move) for start, move in moves for offset in offsets}

    def noise(self, epsilon: Fraction) -> Fraction:
        """Noise on every number, as if all other records were known; 1 if a number has none. Only numbers in which two
        facts about a person differ count; the worst pair of facts does: two values or, if presence is secret, a value
        and absence. Geometric noise: the losses are at most move / scale each.
        """
        found, presence = ZERO, self.certificate.secret == "presence"
        for absent in (False, True)[: 1 + presence]:
            parts = [
                self._moved(part, [(0,) * len(part.figures)] if absent else part.domain) for part in self.kind.parts
            ]
            small(prod(map(len, parts)) <= MOST_CHOICES, f"facts differ in more than {MOST_CHOICES} ways")
            for choice in product(*parts):
                found = max(found, self.hidden([moved for part in choice for moved in part], epsilon))
        return found

    def _moved(self, part: Any, others: Sequence[Vector]) -> list[tuple[Moved, ...]]:
        """What two facts may move at once, each with its noise. Log-concave noise hides a smaller move better: what
        another pair of facts moves as far is left out. Of too many facts, or ways, all largest moves as if at once.
        """
        noises = [self.certificate.figures[place].noise or ("none", ZERO) for place in part.figures]
        ends = [(min(some), max(some)) for some in zip(*part.domain, *others, strict=True)]
        if getattr(part, "changes", None) is not None:
            low, high = min(part.domain), max(part.domain)
            whole, most = next(b - a for a, b in zip(low, high, strict=True) if a != b), max(part.changes, default=0)
            ends = [(0, (b - a) * most // whole) for a, b in zip(low, high, strict=True)]
            return [_ordered((noise, abs(far)) for noise, (_, far) in zip(noises, ends, strict=True))]
        facts: Iterable[tuple[Vector, Vector]] = product(part.domain, others)
        if len(part.domain) * len(others) > MOST_FACTS or (len(noises) == 1 and others == part.domain):
            facts = [tuple(zip(*ends, strict=True))]  # type: ignore[list-item] # of two vectors
        ways = {_ordered((noise, abs(a - b)) for noise, a, b in zip(noises, *both, strict=True)) for both in facts}
        if len(ways) > MOST_CHOICES:
            ways = {_ordered(zip(noises, (high - low for low, high in ends), strict=True))}
        return [one for one in ways if not any(one != other and _exceeds(other, one) for other in ways)]

    def hidden(self, moved: Sequence[Moved], epsilon: Fraction) -> Fraction:
        """Delta of independent noises, each against itself moved: the largest of F(t) - e^epsilon F(t + move) over t, F
        being the probability of more than t. What follows noise is a function of it.
        """
        if any(link == "none" for (link, _), _ in moved):
            return ONE
        pure = all(link == "geometric" for (link, _), _ in moved)
        if pure and sum(move / scale for (_, scale), move in moved) <= epsilon:
            return ZERO
        found = [(move, laws.noise(link, scale, self.bits)) for (link, scale), move in moved]
        outputs = [[laws.pair(law, Law(law.start + move, law.mass))] for move, law in found]
        return laws.largest(outputs, epsilon, self.fine, self.bits)


def _along(part: Any, kept: Sequence[int]) -> tuple[int, ...]:
    """By how much facts that are compared differ in the one coordinate that is kept."""
    low, high = min(part.domain), max(part.domain)
    whole = next(b - a for a, b in zip(low, high, strict=True) if a != b)
    return tuple(abs(high[kept[0]] - low[kept[0]]) * change // whole for change in part.changes)


def _ordered(moved: Iterable[Moved]) -> tuple[Moved, ...]:
    """What is moved at all, of each noise the largest move first."""
    return tuple(sorted(((noise, move) for noise, move in moved if move), key=lambda one: (one[0], -one[1])))


def _exceeds(one: tuple[Moved, ...], two: tuple[Moved, ...]) -> bool:
    """Whether all that the second moves is, one to one, moved at least as far in the first, with the same noise."""
    for noise in {noise for noise, _ in two}:
        first, second = ([move for mine, move in some if mine == noise] for some in (one, two))
        if len(first) < len(second) or any(a < b for a, b in zip(first, second, strict=False)):
            return False
    return True


def _pairs(found: list[Packed], places: set[tuple[int, Vector]], base: int) -> Iterator[Pair]:
    """For every move from a place: what is published before it, and after. It is revealed which law is the case."""
    for offset, move in places:
        steps = [(one.law, one.step(move)) for one in found]
        pairs = (laws.pair(laws.rounded(law, base, offset), laws.rounded(law, base, offset + n)) for law, n in steps)
        yield chain.from_iterable(pairs)


def _rows(moves: set[Vector]) -> list[list[Vector]]:
    """Moves that differ in the last coordinate only, in order."""
    rows: dict[Vector, list[Vector]] = {}
    for move in sorted(moves):
        rows.setdefault(move[:-1], []).append(move)
    return list(rows.values())


def differences(numbers: Sequence[int]) -> list[int]:
    """By how much one of the numbers may be above another: where a product of two polynomials is not 0."""
    low, high = min(numbers), max(numbers)
    small(high - low < laws.LARGEST, f"one record may add {high - low} steps more than another")
    there = [0] * (high - low + 1)
    for number in numbers:
        there[number - low] = 1
    pairs = (fmpz_poly(there) * fmpz_poly(there[::-1])).coeffs()[high - low :]
    return [move for move, count in enumerate(pairs) if count != 0]


def mass_of(law: laws.Letters) -> Fraction:
    """One, or less if only a part of the law is known."""
    return sum((chance for _, chance in law), ZERO)


def without(types: Types, taken: Vector) -> Types:
    """The records that are left."""
    return tuple((law, count - some) for (law, count), some in zip(types, taken, strict=True) if count > some)


def worst(types: Types, removed: int, box: tuple[Vector, Vector], bound: Bound, enough: Fraction) -> Bounds:
    """Bounds on the largest delta over all ways to take `removed` records out, of each law a number within the box;
    `bound` has those for the records that are left. To take out more never makes delta smaller, since it reveals
    records that are independent of all others. So all choices of a box are bounded by what they take out together; the
    box is halved until that is at most `enough`, or there is nothing left to choose: then it is a choice, and the lower
    bound holds as well.
    """
    spare, lacking = removed - sum(box[0]), sum(box[1]) - removed
    if min(spare, lacking) < 0:
        return Bounds(ZERO, ZERO)
    low = tuple(max(a, b - lacking) for a, b in zip(*box, strict=True))
    high = tuple(min(b, a + spare) for a, b in zip(*box, strict=True))
    found = bound(without(types, high))
    if low == high:
        return found
    if found.upper <= enough:
        return Bounds(ZERO, found.upper)
    axis = max(range(len(low)), key=lambda place: high[place] - low[place])
    middle = (low[axis] + high[axis]) // 2
    more, less = (*low[:axis], middle + 1, *low[axis + 1 :]), (*high[:axis], middle, *high[axis + 1 :])
    found = worst(types, removed, (more, high), bound, enough)
    if found.upper > enough:
        return found
    return max(found, worst(types, removed, (low, less), bound, enough), key=lambda one: one.upper)


def cases(types: Types, miss: Fraction, bits: int, *, every: bool) -> list[tuple[int, Types]]:
    """Records of which only a part of the law is known: with the probability of that part each is a draw from it, else
    it is revealed. How many of each type are draws, and with which probability (in 2^-bits): delta is at most the mean
    over all cases. Of one type and one number that is not rounded `every` case; else one, but for a probability of
    `miss`. (What is revealed moves a rounded total to a place that may depend on the case: it is no mean over these.)
    """
    types = tuple((law, count) for law, count in types if law)
    known = [mass_of(law) for law, _ in types]
    if all(mass == 1 for mass in known):
        return [(1 << bits, types)]
    whole = [
        (tuple((vector, chance / mass) for vector, chance in law), count)
        for (law, count), mass in zip(types, known, strict=True)
    ]
    draws = [
        laws.mixture(((mass, count),), 0, laws.COARSE, bits) for (_, count), mass in zip(types, known, strict=True)
    ]
    if every and len(types) == 1 and len(types[0][0][0][0]) == 1:
        return [(mass, ((whole[0][0], number),)) for number, _, mass in draws[0]]
    fewer, numbers = 0, []  # the probability that there are fewer
    for some in draws:
        below, place = (1 << bits) - sum(mass for *_, mass in some), 0
        while place < len(some) - 1 and below + some[place][2] <= miss / len(types) * (1 << bits):
            below, place = below + some[place][2], place + 1
        fewer += below
        numbers.append(some[place][0])
    return [(max(0, (1 << bits) - fewer), tuple((law, n) for (law, _), n in zip(whole, numbers, strict=True)))]
