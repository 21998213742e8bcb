"""Groups that pass topic by topic, judged again from a certificate: each independent part of a record by itself.

Nothing more has to be listed for that: who is in the same numbers of a topic follows from which numbers cover which
group, and the laws of a topic's people are those of their groups together.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import known_records
from dalenius.beliefs.coins import Coins
from dalenius.judge.engine import EXACT, Judge, composed
from dalenius.judge.group import Group, Laws, Types, first_noise
from dalenius.judge.noise import NoiseCurve
from dalenius.mechanisms import Channel
from dalenius.mechanisms.registry import NOISES
from dalenius.numerics.curve import Constant, Curve
from dalenius.numerics.mixing import Guarded
from dalenius.record.certificate.document import CertificateModel, PartModel
from dalenius.record.certificate.restored import Restored, essential
from dalenius.tables.apart import Look, beside, together

Numbers: TypeAlias = frozenset[int]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Topics:
    """The topics of a certificate, with what is stated of each kind's parts."""

    stage: Restored
    stated: Sequence[Sequence[Laws]]
    sizes: Mapping[int, int]  # how many people each number covers
    judge: Judge
    coins: Coins = field(default_factory=Coins)
    _curves: dict[tuple[frozenset[int], Numbers], Curve] = field(default_factory=dict)
    _together: dict[tuple[int, ...], float] = field(default_factory=dict)

    @property
    def document(self) -> CertificateModel:
        return self.stage.document

    def upper(self, group: int) -> float:
        """Delta of a group, at most."""
        place, numbers = self.document.groups[group]
        if self.judge.presence and any(len(kind.domain) == 1 for kind in self.stated[place]):
            return 1.0  # a number that everybody adds the same to tells who is there
        curves = []
        for topic in self._topics():
            mine = self._numbers(topic, numbers)
            if not mine:
                continue
            if (topic, mine) not in self._curves:
                self._curves[topic, mine] = self._fresh(group, topic, mine)
            curves.append(self._curves[topic, mine])
        return together(curves, self.judge, self._together)

    def _topics(self) -> list[frozenset[int]]:
        """Figures of different topics are independent: no part has figures of two. One to which every record adds the
        same is in none.
        """
        topics: list[frozenset[int]] = []
        for place, kind in enumerate(self.document.kinds):
            for part, stated in zip(kind.parts, self.stated[place], strict=True):
                if len(stated.domain) == 1:
                    continue
                some = frozenset(part.figures)
                touching = [topic for topic in topics if topic & some]
                topics = [topic for topic in topics if not topic & some] + [some.union(*touching)]
        return sorted(topics, key=min)

    def _numbers(self, figures: frozenset[int], numbers: Sequence[int]) -> Numbers:
        return frozenset(number for number in numbers if self.document.numbers[number][0] in figures)

    def _exact(self, figure: int) -> bool:
        return not any(name in NOISES for name, _ in self.document.figures[figure].channel)

    def _fresh(self, group: int, topic: frozenset[int], mine: Numbers) -> Curve:
        place = self.document.groups[group][0]
        inside = [figure for figure in self.document.kinds[place].figures if figure in topic]
        rows = self.stage.rows(self.document.kinds[place], self.stated[place], inside)
        noise = self.judge.noise(Group((), tuple(map(self.stage.channel, inside)), 0, rows=rows))
        plain = [self._exact(self.document.numbers[number][0]) for number in mine]
        found: list[Curve] = [self._as_exact(group, topic, mine)] if any(plain) else []
        if not any(plain) or noise.upper(self.judge.epsilon) < 1:
            found.append(NoiseCurve(noise))
        if any(plain) and not all(plain):
            found.append(self._beside(group, topic))
        return found[0] if len(found) == 1 else Guarded(tuple(found))

    def _alike(self, topic: frozenset[int], mine: Numbers) -> list[int]:
        """The groups that are in exactly these numbers of the figures."""
        groups = enumerate(self.document.groups)
        return [group for group, (_, numbers) in groups if self._numbers(topic, numbers) == mine]

    def _parts(self, group: int, topic: frozenset[int]) -> list[tuple[PartModel, Laws]]:
        place = self.document.groups[group][0]
        pairs = zip(self.document.kinds[place].parts, self.stated[place], strict=True)
        return [(part, kind) for part, kind in pairs if topic & frozenset(part.figures)]

    def _as_exact(self, group: int, topic: frozenset[int], mine: Numbers) -> Curve:
        """The people of all groups in the same numbers of the topic, as one."""
        others = self._alike(topic, mine)
        people = sum(self.document.kinds[self.document.groups[other][0]].people for other in others)
        known = self._known(mine, people)
        curves = []
        for place, (part, kind) in enumerate(self._parts(group, topic)):
            types: Types = ()
            least: Types = ()
            for other in others:
                also, more = self._parts(other, topic)[place]
                if also.figures != part.figures or more.domain != kind.domain:
                    raise InputError("groups in the same numbers of a topic have parts that differ")
                types, least = (*types, *more.types), (*least, *more.least)
            whole = Laws(types, kind.domain, least)
            short = essential(whole, range(len(part.figures)), affine=not self.judge.presence)
            curves.append(self.judge.less_close().curve(short, known, EXACT))
        return composed(curves)

    def _beside(self, group: int, topic: frozenset[int]) -> Curve:
        """Noise beside exact figures: everybody in the same exact numbers."""
        plain = frozenset(figure for figure in topic if self._exact(figure))
        mine = self._numbers(plain, self.document.groups[group][1])
        others = self._alike(plain, mine)
        noises: dict[int, Channel] = {}
        looks: list[Look] = []
        own: list[Look] = []
        for other in others:
            parts = self._parts(other, topic)
            if len(parts) != 1:
                return Constant(1.0)
            looks += (some := self._looks(other, *parts[0], noises))
            own += some[:1] if other == group else []
        ((_, kind),) = self._parts(group, topic)
        people = sum(look.count for look in looks)
        order = self._order(self._parts(group, topic)[0][0])
        facts = list(dict.fromkeys(tuple(vector[axis] for axis in order) for vector in kind.domain))
        facts += [(0,) * len(order)] if self.judge.presence and (0,) * len(order) not in facts else []
        return beside(looks, own[0], facts, noises, self._known(mine, people), self.coins)

    def _order(self, part: PartModel) -> list[int]:
        return sorted(range(len(part.figures)), key=part.figures.__getitem__)

    def _looks(self, group: int, part: PartModel, kind: Laws, noises: dict[int, Channel]) -> list[Look]:
        """The people of a group by their laws, in the coordinates of its figures in order."""
        place, numbers = self.document.groups[group]
        number_of = {self.document.numbers[number][0]: number for number in numbers}
        order = self._order(part)
        plain = tuple(at for at, axis in enumerate(order) if self._exact(part.figures[axis]))
        noisy = tuple(
            (at, number_of[part.figures[axis]]) for at, axis in enumerate(order) if not self._exact(part.figures[axis])
        )
        for figure in self.document.kinds[place].figures:
            noises[number_of[figure]] = first_noise(self.stage.channel(figure))
        found = []
        for law, count in kind.least or kind.types:
            short = tuple((tuple(vector[axis] for axis in order), chance) for vector, chance in law)
            found.append(Look(tuple(sorted(short)), plain, noisy, count))
        return found

    def _known(self, mine: Numbers, people: int) -> int:
        """As `planning.finding.known_in` has it."""
        share, everybody = Fraction(self.document.attacker.knows), self.document.people.all
        whole = share.denominator == 1
        known = known_records(int(share) if whole else share, everybody) if everybody > 1 else 0
        if self.document.attacker.in_every_group and not (whole and share):
            known = min([known, *(math.ceil(share * self.sizes[number]) for number in mine)])
        return min(people - 1, known)
