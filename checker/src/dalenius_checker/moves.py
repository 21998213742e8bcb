"""People who are hidden by the records of others: moves.

A person changes all published numbers by a. A *move* is a set of records of other people that, each going from one
state to another, together change every published number by exactly a. Moves that share no record are independent; each
contains, with some probability (its weight), a coin of a given rate that says whether it happened. Reveal everything
else: what is published is then a constant plus a times the number of coins that fell, and the person adds one more. An
attacker undoes no more moves than they know records; that these are the ones of largest weight is the worst.

*In parts.* Where a is a sum of changes, each of which some records can make by themselves, no record in two of them,
the numbers of coins that fell are independent, and all of them are one more: so the coins of all parts compose. With K
that fell in the own group and K_j in part j the numbers tell the K + K_j, all of which are one more: where composing is
not enough, the law of these is worked out (see `_told_at_once`). Several lists of parts may each complete the sum.

Each other person of the own group is a move of one record. Figures of different topics are independent, and compose.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, product
from math import ceil, prod
from typing import Any

from dalenius_checker import laws
from dalenius_checker.cells import Points, coins, weight
from dalenius_checker.document import known_of_all, require
from dalenius_checker.laws import ONE, ZERO, Bounds, Law, Letters, Mixture, Types, Vector, small

MOST_FACTS = 450  # about a person, by figures that are linked
MOST_KINDS = 64  # of records, one for each part of a change, that change different numbers with noise
FINE = 500  # steps of a loss to one epsilon
MISS = Fraction(1, 10_000)  # of what is wanted, that there are fewer coins
MORE_DIGITS = 24  # of masses that are divided
MOST_PLACES = 2_000_000  # results, times numbers of the own group's coins, times those of the noise
MOST_RESULTS = 4096  # of noise
Hidden = tuple[tuple[tuple[str, Fraction], int], ...]  # noise, and how far it has to move


@dataclass(frozen=True)
class Shown:
    """What is told of coins, part by part, and what noise has to hide besides (any of these).

    Given the number of coins that fell, which of them fell is uniform; the worlds differ by one of them, taken away at
    random, and by what the person changes. So each move is taken with equal probability, whatever the number is, and
    delta is the mean over them. `kinds`: how many leave the noise nothing to hide, and how many do; None where each is
    taken as one that does. To lose a coin of the first kind is worse (that of the second tells more, and both tell less
    if there are more of them): known are first those of the first kind, if none of the second weighs more.
    """

    outputs: list[list[Points]]
    hidden: list[Hidden]
    kinds: tuple[Mixture, Mixture] | None
    rate: Fraction
    own: tuple[Fraction, int] = (Fraction(1, 2), 0)  # rate and number of the coins of the own group
    parts: tuple[tuple[tuple[Fraction, int], ...], ...] = ()  # of each part; then lists of which each completes them
    missed: Fraction = ZERO  # that there are fewer
    steps: int = 0  # how many different changes noise may have to hide


@dataclass(frozen=True)
class Mover:
    """The moves that are listed for one group, in numbers of so many bits."""

    c: Any
    listed: Any
    bits: int

    def bounds(self, enough: Fraction) -> Bounds:
        """The delta of the group, at most: of every change of a person by the best of its ways. Where that is more than
        `enough`, and figures of one topic change: what these moves give at least.
        """
        kind, ways = self.c.kinds[self.c.groups[self.listed.group][0]], self.listed.ways
        told = [tuple(getattr(way, name, None) is not None for name in ("rate", "packing", "legs")) for way in ways]
        whole = [moves for *moves, _ in told] == [[not legs] * 2 for *_, legs in told]
        require(whole, "a way is told by moves, with their rate, or in parts")
        used = {way.packing for way, (*_, legs) in zip(ways, told, strict=True) if not legs}
        require(used == {*range(len(self.listed.packings))}, "a list of moves is not used")
        shown = [self._legs(way) if legs else self._pairs(way) for way, (*_, legs) in zip(ways, told, strict=True)]
        deltas = [self._least_of(one) for one in shown]
        topics: list[set[int]] = []  # figures that some group has in one part, or that change together
        parts = [part.figures for other in self.c.kinds for part in other.parts]
        for some in (*parts, *([figure for figure, _ in way.change] for way in ways)):
            touching = [topic for topic in topics if topic & set(some)]
            topics = [topic for topic in topics if topic not in touching] + [set(some).union(*touching)]
        chosen, fitting, choices, alone = [], set[int](), [], list[Fraction]()
        for topic in topics:
            best = list[int]()
            for change in self._changes([part for part in kind.parts if topic & {*part.figures}]):
                fits = [at for at, way in enumerate(ways) if _fits(dict(way.change), change)]
                veiled = all(self.c.figures[at].noise is not None for at, step in change.items() if step)
                by_noise = self._noise_alone(change) if veiled else ONE
                require(fits or veiled, "a change of a person has no moves that are listed")
                if not fits or by_noise <= min(deltas[at] for at in fits):
                    alone.append(by_noise)
                    fitting |= {*fits}
                    continue
                best.append(min(fits, key=deltas.__getitem__))
                fitting |= {*fits}
                choices.append(fits)
            chosen += [best] if best else []
        require(fitting == {*range(len(ways))}, "a way does not fit any change of a person")
        if len(chosen) < 2:
            upper = max([*alone, *(deltas[at] for best in chosen for at in best)], default=ZERO)
        else:
            some = [shown[at] for best in chosen for at in best]
            plain = not alone and all(len(one.outputs) == 1 and not one.hidden for one in some)
            small(plain, "parts of changes, or noise beside moves, in several topics")
            outputs = [[points for at in best for points in shown[at].outputs[0]] for best in chosen]
            upper = laws.largest(outputs, self.c.epsilon, FINE, self.bits)
        if upper <= enough or len(chosen) > 1 or alone or any(one.hidden or len(one.outputs) > 1 for one in shown):
            return Bounds(ZERO, upper)
        most = [self._pairs(way, most=True).outputs[0] for way in ways]
        least = [max(self._least(points) for points in points_of) for points_of in most]
        return Bounds(max((min(least[at] for at in fits) for fits in choices), default=ZERO), upper)

    def _least(self, points: Points) -> Fraction:
        return laws.bounds(points, self.c.epsilon, self.bits).lower

    def _changes(self, parts: list[Any]) -> Iterator[dict[int, int]]:
        """Everything that one person may change the figures of these parts by; one of each two opposite changes."""
        number = prod(len(part.domain) for part in parts)
        small(number <= MOST_FACTS, f"there are {number} facts about a person, more than {MOST_FACTS}")
        figures = [figure for part in parts for figure in part.figures]
        facts = [sum(vectors, ()) for vectors in product(*(part.domain for part in parts))]
        zero = (0,) * len(figures)
        facts += [zero] if self.c.secret == "presence" else []  # who is absent adds nothing
        found = {tuple(a - b for a, b in zip(one, two, strict=True)) for one in facts for two in facts} - {zero}
        for change in {max(change, tuple(-step for step in change)) for change in found}:
            yield dict(zip(figures, change, strict=True))

    def _least_of(self, shown: "Shown") -> Fraction:
        """Delta of one way, at most: composed, or where that is not enough, with all parts told at once."""
        found = self._delta(shown)
        return found if found <= self.c.wanted or not shown.parts else min(found, self._told_at_once(shown))

    def _told_at_once(self, shown: "Shown") -> Fraction:
        """K + K_j for each part j, against the same and one more; where lists complete them, K + S, with S the sum of
        the first numbers of all lists, and how far the others of a list are from its first.

        Noise: let T be K, and one more in the other world. Given what is told, and T, what noisy numbers are has one
        law in both; where T is one more, a coin of the own group stands for one of each part (numbers of coins are
        log-concave, so given their sum all grow with it, by one in all). So the law of T and the noise are compared:
        in runs of T, and in the other world at the same quantiles, which are at most one further on.
        """
        rich = replace(self, bits=self.bits + MORE_DIGITS * bool(shown.hidden))
        bits, spare = rich.bits, 1 << rich.bits
        types, reach = _coordinates(shown.own, shown.parts)
        strides, collide = laws.strides_for(types, [None] * len(reach), reach, bits)
        step, least = sum(a * b for a, b in zip(strides, reach, strict=True)), laws.exponential(self.c.epsilon, bits)
        own = laws.repeated(laws.coin(shown.own[0]), (1,), shown.own[1], bits) if shown.hidden else Law(0, [spare])
        law = laws.total(types[1:] if shown.hidden else types, [None] * len(reach), strides, bits)
        values, places = len(own.mass) + 1, len(law.mass) + len(own.mass) * step
        run, noises = values, [[[spare] * values]]
        for run in (values, 6, 4, 3, 2, 1) if shown.hidden else ():
            width = min(run + 1, values)
            noises = [rich._results(some, width) for some in shown.hidden] if run == 1 or shown.steps == 1 else [[]]
            if all(noises) and places * values * sum(map(len, noises)) <= MOST_PLACES:
                break
        small(
            all(noises) and places * values * sum(map(len, noises)) <= MOST_PLACES, "too many results of several parts"
        )
        gains, sure = [0, 0], [0, 0]
        for at in range(places):
            base = [law.mass[at - t * step] if 0 <= at - t * step < len(law.mass) else 0 for t in range(values)]
            if not any(base):
                continue
            one = [mass * some >> bits for mass, some in zip([*own.mass, 0], base, strict=True)]
            other = [mass * some >> bits for mass, some in zip([0, *own.mass], base, strict=True)]
            sure = [sure[0] + sum(one), sure[1] + sum(other)]
            for some, same in _runs(one, other, run):
                most = [0, 0]
                for results in noises:
                    found = [0, 0]
                    for chances in results:
                        p = sum(x * y for x, y in zip(some, chances, strict=False))
                        q = sum(x * y for x, y in zip(same, chances, strict=False))
                        found[0] += max(0, p - (least * q >> bits))
                        found[1] += max(0, q - (least * p >> bits))
                    most = [*map(max, most, found)]
                gains = [x + y for x, y in zip(gains, most, strict=True)]
            gains[1] += (sum(other) - sum(sum(same) for _, same in _runs(one, other, run))) << bits
        short = [spare - min(map(sum, zip(*results, strict=True))) for results in noises]
        lost = Fraction(spare - min(sure) + max(short), spare)
        apart: Fraction = 4 ** ceil(self.c.epsilon) * 2 * collide
        return min(ONE, Fraction(max(gains), 1 << 2 * bits) + lost + apart + shown.missed)

    def _results(self, hidden: Hidden, places: int) -> list[list[int]]:
        """Of geometric noise on numbers that take so many places, at equal distances: the probabilities at each place
        of every result, rounded down; results beyond the places as one with the outermost, and those with the same
        likelihoods but for a factor as one. None if there are too many.
        """
        found: dict[tuple[Fraction, ...], list[int]] = {(ZERO,) * places: [1 << self.bits] * places}
        for (kind, scale), far in hidden:
            small(kind == "geometric", "noise that is not geometric beside parts of changes")
            law, last, after = laws.noise(kind, scale, self.bits), far * (places - 1), dict[Any, list[int]]()
            below = [0, *accumulate(law.mass)]

            def up_to(end: int, below: list[int] = below, start: int = law.start) -> int:
                return below[max(0, min(len(below) - 1, end - start + 1))]

            for at in range(last + 1):
                moved = [at - far * place for place in range(places)]
                chances = [(up_to(x) if at < last else below[-1]) - (up_to(x - 1) if at else 0) for x in moved]
                for key, before in found.items() if len(found) * last < MOST_RESULTS else ():
                    loss = tuple(x + (abs(y) - at) / scale for x, y in zip(key, moved, strict=True))
                    more = [x * y >> self.bits for x, y in zip(before, chances, strict=True)]
                    after[loss] = [x + y for x, y in zip(after.get(loss, [0] * places), more, strict=True)]
            found = after
        return [*found.values()]

    def _delta(self, shown: "Shown") -> Fraction:
        """Delta of one way to hide a change; with noise the worst of what it has to hide, and where some moves leave it
        nothing to hide, the mean over which of them is taken away, as `Shown` has it.
        """
        if not shown.hidden:
            return laws.largest(shown.outputs, self.c.epsilon, FINE, self.bits)
        noises = [[[self._moved(*one)] for one in moved] for moved in shown.hidden]
        if shown.kinds is None:
            return max(self._at_once([*shown.outputs, *noise]) for noise in noises)
        first, second = shown.kinds
        free, veiled, found, sure = dict[int, Fraction](), dict[int, Fraction](), ZERO, ZERO
        for few, _, chance in first:
            for least, largest, other in second:
                number, mass = few + least, Fraction(chance * other, 1 << 2 * self.bits)
                sure += mass
                if number == 0:
                    found += mass
                    continue
                if number not in free:
                    pairs = [
                        coins(((number, number, 1 << self.bits),), shown.rate, step, self.bits) for step in (1, -1)
                    ]
                    free[number] = self._at_once([pairs])
                    veiled[number] = max(self._at_once([pairs, *noise]) for noise in noises)
                share = Fraction(largest, few + largest)
                found += mass * ((1 - share) * free[number] + share * max(free[number], veiled[number]))
        return min(ONE, found + 1 - sure)

    def _at_once(self, outputs: list[list[Points]]) -> Fraction:
        return laws.largest(outputs, self.c.epsilon, FINE, self.bits)

    def _noise_alone(self, change: dict[int, int]) -> Fraction:
        moved = [(self.c.figures[at].noise, abs(step)) for at, step in change.items() if step]
        return self._at_once([[self._moved(*one)] for one in moved])

    def _moved(self, noise: tuple[str, Fraction], far: int) -> Points:
        """Noise against itself moved. Results of geometric noise with one ratio of probabilities are taken as one."""
        law = laws.noise(*noise, self.bits)
        other = Law(law.start + far, law.mass)
        if noise[0] != "geometric":
            return list(laws.pair(law, other))
        found = dict[int, tuple[int, int]]()
        for some, side in ((law, 0), (other, 1)):
            for at, mass in enumerate(some.mass, some.start):
                place = max(0, min(far, at))
                both = found.get(place, (0, 0))
                found[place] = (both[0] + mass, both[1]) if side == 0 else (both[0], both[1] + mass)
        return list(found.values())

    def _hidden(self, total: Counter[int], wanted: dict[int, int]) -> tuple[tuple[tuple[str, Fraction], int], ...]:
        """What a change of numbers with noise leaves their noise to hide, beside that of the person."""
        left = Counter(total)
        left.subtract(wanted)
        noises = {number: self.c.figures[self.c.numbers[number][0]].noise for number, step in left.items() if step}
        return tuple(sorted((noise, abs(left[number])) for number, noise in noises.items() if noise is not None))

    def _noisy(self, number: int) -> bool:
        return self.c.figures[self.c.numbers[number][0]].noise is not None

    def _plain(self, total: dict[int, int]) -> dict[int, int]:
        """What changes in numbers without noise."""
        return {n: s for n, s in total.items() if s and not self._noisy(n)}

    def _pairs(self, way: Any, *, most: bool = False) -> "Shown":
        """The coins that hide a change, when the worst ones are undone, against the same and one more, and one less:
        as many as there are at least, or at most, where numbers are not told to the last one.
        RefusedError unless every move changes the published numbers without noise exactly as the person does, and no
        record is used twice.
        """
        rate, target, steps = Fraction(way.rate), self.listed.group, dict(way.change)
        fine = 0 < rate < 1 and len(steps) == len(way.change) and all(steps.values())
        require(fine and max(steps) < len(self.c.figures), "a way has a wrong rate, or changes a wrong figure")
        vector, types, wanted = self._group(target, steps)
        used = Counter[tuple[int, int]]()
        own = sorted((weight(ends(law, vector, rate), rate), count) for law, count in types)
        weights = Counter({own[-1][0]: -1})  # the person may be any of them
        veiled, hidden = Counter[Fraction](), set[tuple[tuple[tuple[str, Fraction], int], ...]]()
        for some, count in own:
            weights[some] += count
        for times, ahead, behind in self.listed.packings[way.packing]:
            numbers, low, high = Counter[int](), ONE, ONE
            for sign, group, place in [(1, *one) for one in ahead] + [(-1, *one) for one in behind]:
                require(group != target, "a move has records of the person's own group")
                vector, types, covering = self._group(group, steps)
                lower, upper = ends(types[place][0], vector, rate)[::sign]
                low, high = low * lower, high * upper
                numbers.update({number: sign * step for number, step in covering.items()})
                used[group, place] += times
                require(used[group, place] <= types[place][1], f"moves use more people of group {group} than there are")
            same = self._plain(numbers) == self._plain(wanted)
            require(same, f"a move does not change the published numbers as a person of group {target} does")
            left = self._hidden(numbers, wanted)
            (veiled if left else weights)[weight((low, high), rate)] += times
            hidden |= {left} if left else set()
        known = self._undone(used)
        mixed = self._mixed(weights + veiled, known)
        outputs = [[coins(mixed, rate, step, self.bits, most=most) for step in (1, -1)]]
        first = [some for some, count in weights.items() if count]
        if not hidden or (known and min(first, default=ONE) < max(veiled)):
            return Shown(outputs, [*hidden], None, rate)
        lost = min(known, weights.total())
        return Shown(outputs, [*hidden], (self._mixed(weights, lost), self._mixed(veiled, known - lost)), rate)

    def _mixed(self, weights: Counter[Fraction], known: int) -> Mixture:
        """How many of the moves of these weights are coins, without the likeliest that are undone."""
        return laws.mixture(tuple(sorted(weights.items())), known, laws.COARSE, self.bits)

    def _legs(self, way: Any) -> "Shown":
        """The coins of each part of a change, both ways round, when the worst ones are undone in every part.
        RefusedError unless the parts add up to what the person changes, with any of the lists beside them, and no
        record is used twice.
        """
        target, steps, taken = self.listed.group, dict(way.change), Counter[tuple[int, int]]()
        lists = [way.legs, *(getattr(way, "beside", None) or [])]
        fine = len(steps) == len(way.change) and all(steps.values()) and max(steps) < len(self.c.figures)
        fine = fine and all(lists[1:]) and len(lists) != 2 and len(way.legs) + len(lists[-1]) * (len(lists) > 1) > 1
        require(fine, "a way changes a wrong figure, or has one part only, or one list beside its parts")
        rate, many, missed = self._own(steps)
        own = rate, many
        told = list[tuple[list[list[Points]], list[tuple[Fraction, int]], Counter[int], list[list[dict[int, int]]]]]()
        for legs in lists:
            found, parts, whole, kinds = list[list[Points]](), list[tuple[Fraction, int]](), Counter[int](), []
            for leg in legs:
                rate, weights, used = Fraction(leg.rate), Counter[Fraction](), Counter[tuple[int, int]]()
                require(0 < rate < 1, "a way has a wrong rate")
                sign, same = -1 if leg.against else 1, list[dict[int, int]]()
                for times, group, place in leg.records:
                    vector, types, covering = self._group(group, steps)
                    require(
                        group != target and (group, place) not in used, "a part has a record twice, or the own group"
                    )
                    used[group, place] += times
                    taken[group, place] += times
                    enough = taken[group, place] <= types[place][1]
                    require(enough, f"parts of a change use more people of group {group} than there are")
                    weights[weight(ends(types[place][0], vector, rate), rate)] += times
                    same.append(covering)
                alike = all(self._plain(one) == self._plain(same[0]) for one in same)
                require(alike, "records of one part change the published numbers differently")
                whole.update({number: sign * step for number, step in self._plain(same[0]).items()})
                kinds.append(
                    [dict(one) for one in {tuple((n, sign * s) for n, s in sorted(one.items())) for one in same}]
                )
                undone = self._least_undone(_moving(used))
                mixed = self._mixed(weights, undone)
                found.append([coins(mixed, rate, step, self.bits) for step in (1, -1)])
                number, few = self._certain(weights, undone)
                missed += few
                parts.append((rate if sign > 0 else 1 - rate, number))
            told.append((found, parts, whole, kinds))
        wanted = self._group(target, steps)[2]
        (outputs, _, shared, first), *beside = told
        left = set[tuple[tuple[int, int], ...]]()
        for _, _, whole, kinds in beside or [([], [], Counter[int](), [])]:
            fits = self._plain(Counter(_added([shared, whole]))) == self._plain(wanted)
            require(fits, f"the parts of a change do not add up to what a person of group {target} changes")
            small(
                prod(map(len, first + kinds)) <= MOST_KINDS, "records of the parts of a change differ in too many ways"
            )
            apart = [_added([*some, {n: -s for n, s in wanted.items()}]) for some in product(*first, *kinds)]
            left |= {tuple(sorted((n, s) for n, s in one.items() if s and self._noisy(n))) for one in apart}
        hidden = {self._hidden(Counter(dict(one)), {}) for one in left} - {()}
        outputs = outputs + (beside[0][0] if beside else [])
        lists_of = tuple(tuple(parts) for _, parts, *_ in told)
        return Shown(outputs, [*hidden], None, Fraction(1, 2), own, lists_of, missed, len(left))

    def _own(self, steps: dict[int, int]) -> tuple[Fraction, int, Fraction]:
        """The coins of the others of the own group: their rate, how many there are, but for a probability."""
        vector, types, _ = self._group(self.listed.group, steps)
        halves = [(ends(law, vector, Fraction(1, 2)), count) for law, count in types]
        low, high = (sum(both[side] * count for both, count in halves) for side in (0, 1))
        if not low or not high:
            return Fraction(1, 2), 0, ZERO
        rate = high / (low + high)
        own = sorted((weight(ends(law, vector, rate), rate), count) for law, count in types)
        weights = Counter({own[-1][0]: -1})  # the person may be any of them
        for some, count in own:
            weights[some] += count
        return rate, *self._certain(+weights, self._undone(Counter()))

    def _certain(self, weights: Counter[Fraction], known: int) -> tuple[int, Fraction]:
        """How many coins there are, and a bound on the probability that there are fewer."""
        return laws.certain(tuple(sorted(weights.items())), known, MISS * self.c.wanted, self.bits)

    def _group(self, group: int, steps: dict[int, int]) -> tuple[Vector, Types, dict[int, int]]:
        """A group, in the coordinates of its part that changes: the change; laws, and how many have them; and what
        changes in the published numbers.
        """
        at, numbers = self.c.groups[group]
        kind = self.c.kinds[at]
        parts = [part for part in kind.parts if any(figure in steps for figure in part.figures)]
        require(parts, "a record moves that nothing covers of what changes")
        small(len(parts) == 1, "records change in several parts that are independent")
        vector = tuple(steps.get(figure, 0) for figure in parts[0].figures)
        return vector, parts[0].least, {n: steps[f] for f, n in zip(kind.figures, numbers, strict=True) if f in steps}

    def _undone(self, used: Counter[tuple[int, int]]) -> int:
        """How many moves the attacker can undo: as many as records are known. If a share holds in every number: no more
        than that share of each number of a figure, and everybody who moves and is in none, for any figure.
        """
        moving = _moving(used)
        moving[self.listed.group] += self.c.kinds[self.c.groups[self.listed.group][0]].people - 1
        return self._least_undone(moving)

    def _least_undone(self, moving: Counter[int]) -> int:
        c, share, known = self.c, self.c.knows, known_of_all(self.c)
        for figure in range(len(c.figures)) if share < 1 and c.attacker.in_every_group else ():
            inside = Counter[int]()
            for group, times in moving.items():
                inside[next((n for n in c.groups[group][1] if c.numbers[n][0] == figure), -1)] += times
            known = min(known, sum(n if at < 0 else min(n, ceil(share * c.covered[at])) for at, n in inside.items()))
        return known


def _coordinates(
    own: tuple[Fraction, int], parts: tuple[tuple[tuple[Fraction, int], ...], ...]
) -> tuple[Types, Vector]:
    """What a coin of the own group adds to what is told, then one of each part; and what a person adds. Of a list
    beside the parts the first number adds to S, and to how far each other is from it, to which these add where they did
    not fall.
    """
    first, *beside = parts
    outer = len(first) + bool(beside)
    size = outer + sum(len(some) - 1 for some in beside)
    reach = (1,) * outer + (0,) * (size - outer)
    added = [(rate, count, {at}) for at, (rate, count) in enumerate(first)]
    inner = outer
    for (rate, count), *others in beside:
        added.append((rate, count, {outer - 1, *range(inner, inner + len(others))}))
        added += [(1 - some, many, {inner + at}) for at, (some, many) in enumerate(others)]
        inner += len(others)
    every = [(*own, {*range(outer)}), *added]
    zero = (0,) * size
    return tuple(
        (((zero, 1 - rate), (tuple(int(at in places) for at in range(size)), rate)), count)
        for rate, count, places in every
    ), reach


def _runs(one: list[int], other: list[int], run: int) -> Iterator[tuple[list[int], list[int]]]:
    """Values in runs; and what there is at the same quantiles of the other, of one value more."""
    whole, many, before, behind = sum(one), sum(other), 0, 0
    for start in range(0, len(one), run):
        stop = min(start + run, len(one))
        low = before * many // whole if whole else 0
        before += sum(one[start:stop])
        top = many if stop == len(one) else before * many // whole if whole else 0
        same, at = list[int](), behind
        for mass in other[start : min(stop + 1, len(one))]:
            same.append(max(0, min(at + mass, top) - max(at, low)))
            at += mass
        behind += sum(other[start:stop])
        yield one[start:stop], same


def _moving(used: Counter[tuple[int, int]]) -> Counter[int]:
    """How many people of each group move."""
    found = Counter[int]()
    for (group, _), times in used.items():
        found[group] += times
    return found


def _added(some: Iterable[dict[int, int]]) -> Counter[int]:
    """Several changes at once; steps may be negative."""
    found = Counter[int]()
    for one in some:
        found.update(one)
    return found


def _fits(steps: dict[int, int], change: dict[int, int]) -> bool:
    """Whether a person's own figures change like this, or by the opposite."""
    return any(all(steps.get(figure, 0) == sign * step for figure, step in change.items()) for sign in (1, -1))


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
