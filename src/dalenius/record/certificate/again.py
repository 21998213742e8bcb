"""Every kind of group of a certificate, judged again by this program's own judge."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.basics.errors import InputError
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import at_most, upwards
from dalenius.facts.secret import Household, Presence, Value
from dalenius.judge.engine import EXACT, Judge, composed
from dalenius.judge.group import Group
from dalenius.judge.households import of_household, share_of
from dalenius.numerics.curve import Curve
from dalenius.plan.finding import MANY
from dalenius.record.certificate.document import CertificateModel
from dalenius.record.certificate.episodes import uppers
from dalenius.record.certificate.moved import Hidden
from dalenius.record.certificate.restored import Restored
from dalenius.record.certificate.topics import Topics
from dalenius.tables.jointly_rounded import bases_of, jointly_rounded
from dalenius.tables.moves import Several

MOST_PEOPLE = 10**12
NEAR = Fraction(1, 1000)  # by which a delta may be larger relatively when it is computed on another machine


@final
@dataclass(frozen=True, slots=True)
class Again:
    """Every kind of group, judged again."""

    document: CertificateModel
    judge: Judge
    groups: tuple[tuple[Group, ...], ...]  # of each kind: one, or of a sample one for each stratum
    hidden: Hidden
    topics: Topics
    _episodes: list[float] = field(default_factory=list)  # deltas of groups over several editions
    _least: dict[tuple[object, ...], float] = field(default_factory=dict)  # deltas of crowds of people, so far

    @classmethod
    def of(cls, document: CertificateModel) -> "Again":
        """With the stated laws. Cost: a look-up for each figure of each kind; laws of its own for each kind."""
        secret = Presence() if document.secret == "presence" else Value()
        shared = 1 if document.together is None else document.together.groups
        claim = document.claim
        judge = Judge(secret, *share_of(Fraction(claim.epsilon), Fraction(claim.delta_wanted), shared))
        stage = Restored(document, judge.presence)
        wholes = [[stage.laws(part, kind.people) for part in kind.parts] for kind in document.kinds]
        groups = tuple(stage.groups(kind, whole) for kind, whole in zip(document.kinds, wholes, strict=True))
        sizes = people_of(document)
        hidden = Hidden(stage, wholes, sizes, Several(judge.epsilon, judge.enough))
        return cls(document, judge, groups, hidden, Topics(stage, wholes, sizes, judge))

    def upper(self, place: int, known: int) -> float:
        """Delta of a kind, at most."""
        return self._judged(self._knowing(place, known), self.judge).upper

    def _judged(self, groups: Sequence[Group], judge: Judge) -> Bracket:
        """Delta of a group, or of a household in it and in others; of strata from above, of scenarios the worst."""
        if len(groups) > 1:
            found = [self._judged((group,), judge) for group in groups]
            strata = self.document.sample is not None  # of several scenarios each is about all
            lower = 0.0 if strata else max(one.lower for one in found)
            return Bracket(lower, max(one.upper for one in found))
        (group,) = groups
        if self.document.together is None:
            return judge.judged(group).delta
        together, presence = self.document.together, self.judge.presence
        household = Household(together.largest, together.groups, presence=presence)
        return of_household(judge, household, group).delta

    def _knowing(self, place: int, known: int) -> tuple[Group, ...]:
        most = min(self.document.kinds[place].people - 1, known)
        return tuple(replace(group, known=min(group.size - 1, most)) for group in self.groups[place])

    def _one(self, place: int) -> Group:
        """The group of a kind that has no strata."""
        (group,) = self.groups[place]
        return group

    def compared(self) -> tuple[list[str], list[str]]:
        """What differs, and what could not be computed."""
        refused, skipped = [], []
        listed = {moves.group for moves in self.document.moves}
        alone = self._by_themselves()
        for place, kind in enumerate(self.document.kinds):
            if kind.evidence.method == "atom":
                refused += alone[place]
                continue
            about = f"kind {place} ({kind.people} people): evidence {kind.evidence.method!r}"
            groups = [group for group, (some, _) in enumerate(self.document.groups) if some == place]
            if kind.evidence.method == "series" and self.document.series is not None:
                refused += [line for group in groups for line in self._over_editions(place, group)]
            elif kind.evidence.method == "series":
                skipped.append(f"{about} is not listed")
            elif kind.evidence.method == "rounded":
                refused += self._rounded(place)
            elif kind.evidence.method == "apart":
                refused += [line for group in groups for line in self._apart(place, group)]
            elif kind.evidence.method != "moves":
                skipped.append(f"{about} is not known here")
            elif set(groups) <= listed:
                refused += [line for group in groups for line in self._moved(place, group)]
            else:
                skipped.append(f"{about} is not listed: there were too many moves")
        if not refused and not skipped:
            refused += self._largest(Fraction(self.document.claim.delta_wanted))
        return refused, skipped

    def _over_editions(self, place: int, group: int) -> list[str]:
        """What differs of a group that is judged over several editions."""
        if not self._episodes:
            self._episodes.extend(uppers(self.document))
        stated, found = Fraction(self.document.kinds[place].delta[1]), self._episodes[group]
        if found <= Fraction(self.document.claim.delta_wanted) and _confirms(found, stated):
            return []
        return [
            f"kind {place}: delta over all editions is found to be at most {upwards(found, 6)}, and stated as {stated}"
        ]

    def _by_themselves(self) -> dict[int, list[str]]:
        """What differs of each kind, by the joint law of its own numbers; those with the fewest people first."""
        kinds = self.document.kinds
        mine = [place for place, kind in enumerate(kinds) if kind.evidence.method == "atom"]
        by_crowds = self._by_crowds
        order = sorted(mine, key=lambda place: kinds[place].people - kinds[place].known)
        return {place: self._by_itself(place, self._crowd(place) if by_crowds else None) for place in order}

    @property
    def _by_crowds(self) -> bool:
        """Whether groups of exact figures may rest on smaller ones: more records of one law hide better."""
        return len(self.document.groups) > MANY and not any(figure.channel for figure in self.document.figures)

    def _crowd(self, place: int) -> tuple[object, ...] | None:
        plain = self.document.together is None and len(self.groups[place]) == 1
        return self.judge.crowd(self._one(place)) if plain else None

    def _by_itself(self, place: int, crowd: tuple[object, ...] | None) -> list[str]:
        """One kind; if it is of a crowd, then no smaller ones of that are left."""
        kind, wanted = self.document.kinds[place], Fraction(self.document.claim.delta_wanted)
        lower, upper = Fraction(kind.delta[0]), Fraction(kind.delta[1])
        least = 1.0 if crowd is None else self._least.get(crowd, 1.0)
        if least <= upper <= wanted and not lower:
            return []
        judged = self._judged(self.groups[place], self.judge)
        if self.document.together is not None:  # what is told of one member of a household is not computed again
            lower = Fraction(0)
        least = min(least, judged.upper)
        if crowd is not None:
            self._least[crowd] = least
        known_low = Fraction(judged.lower) if kind.alone else Fraction(0)
        many = len(self.document.groups) > MANY and lower <= least  # of many groups lower ends are found otherwise
        if least <= wanted and _confirms(least, upper) and (many or lower <= known_low * (1 + NEAR)):
            return []
        return [f"kind {place}: delta is {judged}, not [{kind.delta[0]}, {kind.delta[1]}]"]

    def _apart(self, place: int, group: int) -> list[str]:
        """Topic by topic."""
        kind, wanted = self.document.kinds[place], Fraction(self.document.claim.delta_wanted)
        found = self.topics.upper(group)
        if found <= wanted and _confirms(found, Fraction(kind.delta[1])) and not Fraction(kind.delta[0]):
            return []
        return [
            f"group {group}: delta is at most {at_most(found)} by topics, not in [{kind.delta[0]}, {kind.delta[1]}]"
        ]

    def _rounded(self, place: int) -> list[str]:
        """By the law of all the numbers at once, of which some are rounded and cover nobody else in any group."""
        kind, wanted = self.document.kinds[place], Fraction(self.document.claim.delta_wanted)
        times = Counter(number for _, numbers in self.document.groups for number in numbers)
        mine = [numbers for some, numbers in self.document.groups if some == place]
        own = [all(times[numbers[at]] == 1 for numbers in mine) for at in range(len(kind.figures))]
        stage, at = self.topics.stage, {figure: place for place, figure in enumerate(kind.figures)}
        bases = bases_of([stage.channel(figure) for figure in kind.figures], own)
        plain = not self.judge.presence and self.document.together is None and self.document.sample is None
        plain = plain and not any(part.believed or part.also for part in kind.parts)
        laws = [(stage.laws(part, kind.people), [at[figure] for figure in part.figures]) for part in kind.parts]
        found = jointly_rounded(laws, bases, kind.known, self.judge.epsilon) if plain else None
        if found is None:
            return [f"kind {place}: what is rounded of it cannot be judged as it is stated"]
        if found <= wanted and _confirms(found, Fraction(kind.delta[1])) and not Fraction(kind.delta[0]):
            return []
        stated = f"[{kind.delta[0]}, {kind.delta[1]}]"
        return [f"kind {place}: delta is at most {at_most(found)} by rounded numbers, not in {stated}"]

    def _moved(self, place: int, group: int) -> list[str]:
        """By the moves that are listed."""
        kind, wanted = self.document.kinds[place], Fraction(self.document.claim.delta_wanted)
        found = self.moves_upper(group)
        if found <= wanted and _confirms(found, Fraction(kind.delta[1])) and not Fraction(kind.delta[0]):
            return []
        return [
            f"group {group}: delta is at most {at_most(found)} by its moves, not in [{kind.delta[0]}, {kind.delta[1]}]"
        ]

    def moves_upper(self, group: int) -> float:
        """Delta of a group by moves, at most."""
        place = self.document.groups[group][0]
        whole, judge = self._one(place), self.judge.less_close()

        def own(figures: frozenset[int]) -> Curve:
            parts = zip(self.document.kinds[place].parts, whole.others, strict=True)
            mine = [others for part, others in parts if figures.intersection(part.figures)]
            return composed([judge.curve(others, whole.known, EXACT) for others in mine])

        return self.hidden.upper(group, own)

    def _worst(self, known: int) -> list[int]:
        """The kinds that decide whether all pass: of a crowd the one with the fewest people whom nobody knows."""
        unknown = [kind.people - min(kind.people - 1, known) for kind in self.document.kinds]
        found: dict[object, int] = {}
        by_crowds = self._by_crowds
        for place in sorted(range(len(unknown)), key=unknown.__getitem__):
            found.setdefault((self._crowd(place) if by_crowds else None) or place, place)
        return sorted(found.values())

    def _largest(self, wanted: Fraction) -> list[str]:
        """γ*: it still passes there, and no longer with one more, unless a rough bound had to do. It is not said where
        people pass by moves.
        """
        most, people, kinds = self.document.attacker.largest_known, self.document.people.all, self.document.kinds
        nobody = people < 2 or not kinds or any(kind.evidence.method != "atom" for kind in kinds)
        nobody = nobody or bool(self.document.believed)
        if most is None or nobody:
            return [] if most is None and nobody else ["largest_known is missing, or out of place"]

        def passes(known: int, judge: Judge) -> bool:
            return known < people and all(self._passes(judge, place, known, wanted) for place in self._worst(known))

        rough = self.document.together is None and any(
            self.judge.heavy(group) for some in self.groups for group in some
        )
        more = len(self.document.groups) <= MANY and not rough and passes(most + 1, self.judge.less_close())
        return [] if passes(most, self.judge) and not more else [f"largest_known is not {most}"]

    def _passes(self, judge: Judge, place: int, known: int, wanted: Fraction) -> bool:
        groups = self._knowing(place, known)
        plain = self.document.together is None
        return (plain and all(judge.roughly(group) <= wanted for group in groups)) or self._judged(
            groups, judge
        ).upper <= wanted


def _confirms(found: float, stated: Fraction) -> bool:
    """Whether a bound is at most the one that is stated, but for rounding. One that is smaller confirms it too."""
    return Fraction(found) <= stated * (1 + NEAR)


def people_of(document: CertificateModel) -> Counter[int]:
    """How many people each number covers."""
    if document.people.all > MOST_PEOPLE:
        raise InputError(f"it is about {document.people.all} people, more than {MOST_PEOPLE}")
    covered, touched = np.zeros(len(document.numbers), dtype=np.int64), np.zeros(len(document.numbers), dtype=bool)
    for place, numbers in document.groups:
        np.add.at(covered, numbers, min(document.kinds[place].people, document.people.all + 1))
        touched[numbers] = True
    return Counter({number: int(covered[number]) for number in np.flatnonzero(touched).tolist()})
