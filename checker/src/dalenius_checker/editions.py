"""Figures of several editions of a table: a spell of one person's history, hidden by who came, who left, who changed.

People of a *stratum* are in the same cells of every edition in which they are there, 1..m. From one edition to the next
a value is drawn anew from its law with a stated probability, and stays otherwise. Two histories of a person differ in
the editions l to r, where one has a throughout and the other b, so that the published vector moves by d[l, r], where d
is what b adds more than a. Two bounds, of which the smaller counts:

*At once.* Everybody's history adds a vector to the numbers of all editions; the law of the sum of all others, worked
out, against itself moved by d[l, r].

*Coins.* d[l, r] is d[l, m], less d[r + 1, m] if r < m. A coin of node l is a person, unknown and not the one in
question, with two histories between which the numbers change by d[l, m]: who came at l and is still there, a or b
throughout; who was there before and still is, x before l, and from l on a or b. And by d[l, m] - d[1, m]: who was there
from 1 to l - 1, b or a. Histories that never change are shared out among the nodes, so that no mass is used twice.
Reveal which coins everybody is, and the histories of those who are none. With K and K' coins of the nodes l and r + 1
that fell, B and B' of them of people who left, the numbers tell, at most, K and K', one of them with one more and the
other with one less in the other world; and given these, B + B', which differs by at most one (sums of coins have
log-concave laws) and is hidden by *hub* coins, those who were there in all editions with a or b throughout. So the
curves of K, K' and, if there are people who left among the coins, of the hub compose.

*Noise.* If all editions after the first k have noise on every number: the first k hide the spell as above; given what
they tell, one coin more or less is at b in the later ones, which is what the person changes there, and noise hides it.

Different columns are independent: epsilon is shared equally, and deltas add up.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import ceil, prod
from types import SimpleNamespace
from typing import Any

from dalenius_checker import laws
from dalenius_checker.cells import weight
from dalenius_checker.document import known_of_all, require
from dalenius_checker.groups import FINE, Examiner, Part
from dalenius_checker.laws import ONE, ZERO, Law, Vector, small
from dalenius_checker.topics import beside

LARGEST_BOX = 1 << 20  # values of the numbers of all editions at once
MOST_HISTORIES = 4096  # of one person
MOST_STEPS = 10_000  # of the calendar, from one edition to the next
HUB = Fraction(1, 16)  # of histories that never change: for the hub
LEVELS = (Fraction(1, 1000), ZERO)  # how often there may be fewer coins; and never but for MISS of what is wanted
MISS, MISSED = Fraction(1, 64), 6  # the latter in hundredths, of histories of which only a part is known


def check(c: Any) -> None:
    """RefusedError unless the strata are the people who are in just these numbers, as many, with the same laws. Who is
    in no number at all changes nothing.
    """
    series, shown = c.series, c.series.shown
    words, cells, number_of = dict[int, Any](), dict[Any, Any](), dict[Any, int]()
    lists = [(shown.figures, c.figures), (shown.people, c.groups), (series.groups, c.groups)]
    lists += [(shown.quantities, series.strata), (shown.when, range(series.editions))]
    fine = all(len(one) == len(two) for one, two in lists) and all(kind.evidence.method == "series" for kind in c.kinds)
    require(fine, "editions are told of other figures, groups or strata")
    small(max(shown.apart, default=0) <= MOST_STEPS, f"editions are more than {MOST_STEPS} steps apart")
    c.place = {at: tuple(place) for at, place in enumerate(shown.figures) if place is not None}
    for at, figure in enumerate(c.figures):
        require((at in c.place) == bool(figure.confidential), f"{figure.name}: it is of an edition, or should be")
        for edition, quantity in [c.place[at]] if at in c.place else []:
            words_of = shown.when[edition - 1] if edition <= series.editions else ""
            fits = bool(words_of) and f" and {figure.where}".endswith(f" and {words_of}")
            require(fits, f"{figure.name}: its condition is that of another edition")
            rest = figure.where.removesuffix(words_of).removesuffix(" and ")
            cut = str(getattr(figure, "truncated", None))
            one = figure.confidential, figure.kind, figure.column, figure.unit, figure.by, cut, rest
            require(words.setdefault(quantity, one) == one, f"{figure.name}: it adds up something else in this edition")
    require(len({*shown.when}) == len(shown.when), "two editions have the same condition")
    for at, (stratum, quantities) in enumerate(zip(series.strata, shown.quantities, strict=True)):
        used = [words[quantity][0] for quantity in quantities]
        fine = len({*quantities}) == len(quantities) > 0 and all(one == used[0] for one in used) and len(used[0]) == 1
        stratum.about, stratum.quantities, stratum.all = c.about[used[0][0]], quantities, series.editions
        stratum.facts = [*map(tuple, stratum.facts)]
        stratum.steps = [tuple(map(Fraction, one)) for one in stratum.steps]
        stratum.laws = [tuple((tuple(v), Fraction(chance)) for v, chance in law) for law in stratum.laws]
        fine = fine and len(stratum.steps) == series.editions - 1 and all(0 <= a <= b <= 1 for a, b in stratum.steps)
        stays = [1 - Fraction(rate) for rate in vars(shown.changes).get(used[0][0], ("0", "0"))]
        fine = fine and stratum.steps == [tuple(1 - one**steps for one in stays) for steps in shown.apart]
        fine = fine and {len(fact) for fact in stratum.facts} == {len(quantities)}
        fine = fine and (c.secret != "presence" or (0,) * len(quantities) in stratum.facts)
        for law in stratum.laws:
            chances = dict(law)
            fine = fine and len(chances) == len(law) and chances.keys() <= {*stratum.facts}
            fine = fine and min(chances.values()) >= 0 and sum(chances.values()) <= 1
        stratum.exact = series.editions if getattr(stratum, "exact", None) is None else stratum.exact
        late = [place for place, (when, what) in c.place.items() if what in quantities and when > stratum.exact]
        noisy = {(place, quantities.index(c.place[place][1])) for place in late}
        fine = fine and noisy == {*map(tuple, getattr(stratum, "noise", ()))}
        stratum.noise = [(c.figures[place].noise, axis) for place, axis in sorted(noisy)]
        require(fine and all(noise for noise, _ in stratum.noise), f"stratum {at}: what is said of it does not fit")
    grouped, stayed, said, meant = (Counter[Any]() for _ in range(4))
    for (kind_at, numbers), rows, people in zip(c.groups, series.groups, shown.people, strict=True):
        kind = c.kinds[kind_at]
        mine = frozenset(at for at in kind.figures if at in c.place)
        require(len(rows) == len(people) and sum(people) == kind.people, "rows of a group do not have its people")
        for row, many in zip(rows, people, strict=True):
            parts = [_inside(c, at, mine) for at in row]
            apart = sum(map(len, parts)) == len(mine) and mine == frozenset().union(*parts)
            apart = apart and len({series.strata[at].about for at in row}) == len(row) <= series.topics
            require(apart, "figures of a group are not those of its strata, one for each column")
            for at, inside in zip(row, parts, strict=True):
                grouped[at, inside] += many if inside else 0
                for number in numbers:
                    figure, cell = c.numbers[number]
                    if figure in inside:
                        number_of[at, figure] = number
                        same = cells.setdefault((at, c.place[figure][1]), cell) == cell
                        require(same, "people of a stratum are in different cells")
        for part in kind.parts:
            own, axes = mine.intersection(part.figures), [c.place.get(at, (0, -1))[1] for at in part.figures]
            require(not part.also, "several scenarios are not judged over editions")
            for law, many in part.least if own else ():
                said[own, _narrowed(law, axes)] += many
            for at in {at for row in rows for at in row if own and _inside(c, at, own) == own}:
                compared = _facts(series.strata[at].facts, [q if q in axes else -1 for q in shown.quantities[at]])
                require(_facts(part.domain, axes) <= compared, "not all that a record may add is compared")
    for at, stratum in enumerate(series.strata):
        for first, last, law, many, known in stratum.stays:
            require(1 <= first <= last <= series.editions and many, f"stratum {at}: somebody is there in no edition")
            inside = frozenset(one for one in _inside(c, at, c.place) if first <= c.place[one][0] <= last)
            if not inside:
                continue
            axes = [q if any(c.place[one][1] == q for one in inside) else -1 for q in stratum.quantities]
            stayed[at, inside] += many
            meant[inside, _narrowed(stratum.laws[law], axes)] += many
            most = known_of_all(c)
            if c.attacker.in_every_group and c.knows < 1:
                sizes = (c.covered[number_of[at, one]] for one in inside if (at, one) in number_of)
                most = min([most, *(ceil(c.knows * size) for size in sizes)])
            require(known >= min(many - 1, most), f"stratum {at}: more may be known than is said")
    same = grouped == stayed and said == meant
    require(same, "strata have other people, or other laws, than the groups in the same numbers")


def _inside(c: Any, stratum: int, figures: Any) -> frozenset[int]:
    """Those of the figures whose quantity a stratum is about."""
    return frozenset(at for at in figures if at in c.place and c.place[at][1] in c.series.strata[stratum].quantities)


def _narrowed(law: Any, quantities: Sequence[int]) -> frozenset[tuple[Vector, Fraction]]:
    """What is added to each quantity, in order, with its probability; -1 is none that counts."""
    found = dict[Vector, Fraction]()
    for vector, chance in law:
        adds = {quantity: step for quantity, step in zip(quantities, vector, strict=True) if quantity >= 0}
        same = all(adds.get(quantity, step) == step for quantity, step in zip(quantities, vector, strict=True))
        require(same, "a record adds something else to figures of one quantity")
        key = tuple(adds[quantity] for quantity in sorted(adds))
        found[key] = found.get(key, ZERO) + chance
    return frozenset((vector, chance) for vector, chance in found.items() if chance)


def _facts(vectors: Any, quantities: Sequence[int]) -> set[Vector]:
    return {vector for vector, _ in _narrowed(((vector, ONE) for vector in vectors), quantities)}


def upper(c: Any, group: int, bits: int) -> Fraction:
    """Delta of a group, at most: by the strata of its topics, worst over its public tuples."""
    kind = c.kinds[c.groups[group][0]]
    if c.secret == "presence" and any(len(part.domain) == 1 and any(part.domain[0]) for part in kind.parts):
        return ONE  # a number to which everybody adds the same tells who is there
    epsilon, wanted = (number / max(1, c.series.topics) for number in (c.epsilon, c.wanted))
    found = ZERO
    for row in c.series.groups[group]:
        strata = [c.series.strata[at] for at in row]
        for stratum in strata:
            if not hasattr(stratum, "delta"):
                stratum.delta = _delta(Examiner(c, kind, bits), stratum, epsilon, wanted)
        found = max(found, sum((stratum.delta for stratum in strata), ZERO))
    return min(ONE, found)


def _delta(examiner: Examiner, stratum: Any, epsilon: Fraction, wanted: Fraction) -> Fraction:
    """Of the people of a stratum: by people alone, or with noise on the later editions."""
    exact, pairs, found = stratum.exact, combinations(stratum.facts, 2), ONE
    if exact:
        found = Speller(examiner, stratum, stratum.all, epsilon, wanted).upper(at_once=True)
    if found <= wanted or exact == stratum.all:
        return found
    far = [[(noise, abs(one[at] - two[at])) for noise, at in stratum.noise if one[at] != two[at]] for one, two in pairs]
    moved = [one for one in far if one]
    if not exact:
        return max((examiner.hidden(one, epsilon) for one in moved), default=ZERO)

    def told(at: Fraction) -> Fraction:
        return Speller(examiner, stratum, exact, at, wanted).upper()

    return min(found, beside(examiner, told, moved, epsilon))


@dataclass
class Speller:
    """The people of a stratum in its first editions, at one epsilon, in numbers of so many bits."""

    examiner: Examiner
    stratum: Any
    last: int
    epsilon: Fraction
    enough: Fraction
    nodes: dict[Any, tuple[list[Law], Fraction]] = field(default_factory=dict)

    def upper(self, *, at_once: bool = False) -> Fraction:
        """Over all spells and pairs of facts: by coins, and where these are not enough, by all histories `at_once`.
        (Beside noise it must be coins: it is one of these that differs in the later editions.)
        """
        self.stays = [
            (first, min(last, self.last), self.stratum.laws[law], people, known)
            for first, last, law, people, known in self.stratum.stays
            if first <= self.last
        ]
        ends = combinations(range(1, self.last + 2), 2)
        spells = (self._spell(pair, end) for pair, end in product(combinations(self.stratum.facts, 2), ends))
        found = ZERO
        for one in spells:
            found = max(found, one)
            if one > self.examiner.certificate.wanted:  # what others are is not looked at
                found = ONE
                break
        return min(found, self._at_once()) if at_once and found > self.enough else found

    def _spell(self, pair: tuple[Vector, Vector], ends: Vector) -> Fraction:
        """One spell: as many coins as are nearly always there, and else as many as are there but for a MISS."""
        best = ONE
        for left in (False, True):
            few, rare = self._composed(pair, ends, left=left, level=1)
            best = min(best, few + rare)
            if best > self.enough and few < 1:
                most, often = self._composed(pair, ends, left=left, level=0)
                best = min(best, most + often * few + rare)
            if best <= self.enough:
                break
        return best

    def _composed(self, pair: Any, ends: Vector, *, left: bool, level: int) -> tuple[Fraction, Fraction]:
        nodes = tuple(node for node in ends if node <= self.last)
        each = [self._node((pair, node, nodes, left), level) for node in (*nodes, *([0] if left else []))]
        outputs, missed = [some for some, _ in each], sum((lost for _, lost in each), ZERO)
        return laws.composed(outputs, self.epsilon, FINE[0], self.examiner.bits), missed

    def _node(self, about: Any, level: int) -> tuple[list[Law], Fraction]:
        """The losses of the coins of a node against one more, both ways round; and how often there are fewer."""
        if (about, level) not in self.nodes:
            kinds, coins, missed, bits = self._coins(*about), [], ZERO, self.examiner.bits
            miss = (LEVELS[level] or self.enough * MISS) / max(1, 3 * len(kinds))
            for (low, high), people in kinds:
                rate = (high / (low + high)).limit_denominator(10**9)
                if 0 < rate < 1:
                    number, fewer = laws.certain(((weight((low, high), rate), people),), 0, miss, bits)
                    coins.append((laws.coin(rate), number))
                    missed += fewer
            law = laws.total(tuple(coins), [None], (1,), bits)
            both = [laws.pair(law, Law(law.start + step, law.mass)) for step in (1, -1)]
            self.nodes[about, level] = [laws.losses(one, self.epsilon, FINE[0], bits) for one in both], missed
        return self.nodes[about, level]

    def _coins(self, pair: Any, node: int, nodes: Vector, left: Any) -> list[tuple[tuple[Fraction, Fraction], int]]:
        """Who has one of two histories that differ by d from this edition on (or, for node 0, the hub): the least
        chances of both; those of one law, one value before and one share of who never changes together.
        """
        found = defaultdict[Any, list[tuple[Fraction, Fraction, int]]](list)
        for first, last, law, people, known in self.stays:
            number, both, before = people - known - 1, _standing(dict(law), pair), [()]
            hub = HUB if left and (first, last) == (1, self.last) else ZERO
            share = (1 - hub) / max(1, sum(other >= first for other in nodes))
            if number <= 0 or both is None:
                continue
            if hub and not node:
                kind, share = "hub", hub
            elif node and last == self.last and first <= node:
                before = [(x,) * (node - first) for x, _ in law] if first < node else before
                kind, share = "there", Fraction(first == node) if first > 1 and first in nodes else share
            elif left and (first, last) == (1, node - 1):
                kind, share, both = "left", ONE, both[::-1]
            else:
                continue
            for some in before:
                ways = [(*some, *(end,) * (last - first + 1 - len(some))) for end in both]
                low, high = (self._chance(law, first, one) * (share if len({*one}) == 1 else 1) for one in ways)
                if low and high:
                    found[law, kind, some[:1], share].append((low, high, number))
        return [
            ((min(low for low, *_ in some), min(high for _, high, _ in some)), sum(number for *_, number in some))
            for some in found.values()
        ]

    def _chance(self, law: Any, first: int, history: Sequence[Vector]) -> Fraction:
        """How likely somebody of this law has a history, from an edition on, at least."""
        chances = dict(law)
        found: Fraction = chances[history[0]]
        for (low, high), (one, two) in zip(self.stratum.steps[first - 1 :], pairwise(history), strict=False):
            found *= 1 - high * (1 - chances[two]) if one == two else low * chances[two]
        return found

    def _at_once(self) -> Fraction:
        """The law of the numbers of all editions, worst over whose stay the person has; 1 if it has too many values."""
        facts, size = self.stratum.facts, self.last
        reach = [max(axis) - min(axis) for axis in zip(*facts, strict=True)]
        everybody = sum(people for *_, people, _ in self.stays)
        box = prod(everybody * step + 1 for step in reach) ** size
        if box > LARGEST_BOX or len(facts) ** size > MOST_HISTORIES:
            return ONE
        types = [self._histories(first, last, law) for first, last, law, *_ in self.stays]
        domain = tuple(fact * size for fact in facts)
        c = SimpleNamespace(
            **{**vars(self.examiner.certificate), "epsilon": self.epsilon, "wanted": MISSED * self.enough}
        )
        whole, found = Whole(c, self.examiner.kind, self.examiner.bits), ZERO
        whole.spells = {*_spells(facts, size)}
        for place in range(len(self.stays)):
            counts = [
                people - known - (at == place or known >= people - 1)
                for at, (*_, people, known) in enumerate(self.stays)
            ]
            others = tuple((law, count) for law, count in zip(types, counts, strict=True) if count > 0)
            part = Part(domain, others, (None,) * len(domain[0]), 1)
            whole.terms = 0
            found = max(found, whole._summed(part, others, self.enough).upper)
        return found

    def _histories(self, first: int, last: int, law: Any) -> Any:
        """What all histories add to the numbers of all editions, with their chances, at least."""
        nothing, found = (0,) * len(law[0][0]), dict[Vector, Fraction]()
        for history in product([vector for vector, _ in law], repeat=last - first + 1):
            adds = [nothing] * (first - 1) + [*history] + [nothing] * (self.last - last)
            found[sum(adds, ())] = found.get(sum(adds, ()), ZERO) + self._chance(law, first, history)
        return tuple((vector, chance) for vector, chance in found.items() if chance)


@dataclass
class Whole(Examiner):
    """The law of the numbers of all editions, moved by spells."""

    spells: set[Vector] = field(default_factory=set)

    def _moves(self, part: Part) -> set[Vector]:
        return self.spells


def _spells(facts: Sequence[Vector], size: int) -> Iterator[Vector]:
    """By how much two histories differ, both ways round."""
    for one, two in product(facts, repeat=2):
        far = tuple(b - a for a, b in zip(one, two, strict=True))
        for first, after in combinations(range(size + 1), 2):
            if any(far):
                yield (0,) * (len(far) * first) + far * (after - first) + (0,) * (len(far) * (size - after))


def _standing(law: dict[Vector, Fraction], pair: tuple[Vector, Vector]) -> tuple[Vector, Vector] | None:
    """Two values of others that differ as these facts do: these, or the two that are likeliest; None if none do."""
    far = tuple(b - a for a, b in zip(*pair, strict=True))
    both = [(a, b) for a, b in ((a, tuple(x + y for x, y in zip(a, far, strict=True))) for a in law) if b in law]
    return pair if pair in both else max(both, key=lambda some: min(law[some[0]], law[some[1]]), default=None)
