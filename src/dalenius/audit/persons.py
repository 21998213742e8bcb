"""What tables say of one person, under a belief about all of them.

*As they came out*: how likely each value of a hidden number is, and how likely somebody of whom nothing else is known
is to be counted in it (its expected value, divided by the number of people), beside what the belief says of them
before anything is published. Exact, or between two fractions (`audit.likelihood`).

*Before they came out*: how well anybody can tell two facts about one person apart by tables of this form, by the judge
that answers for releases. A person adds a vector to the published numbers; numbers that follow from the others are left
out, and how many people there are is known. Rounded numbers are taken as exact, since rounding is a function of them.
That some numbers are hidden tells nothing more only if they were chosen without looking at them. However they were
chosen, tables with some hidden are a function of the tables with all of them shown, which are judged too.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias, final

from dalenius.audit.examination import Examined
from dalenius.audit.following import follow
from dalenius.audit.likelihood import Between, Likely, likely
from dalenius.audit.linking import SAME_PEOPLE, Asked
from dalenius.audit.problem import Sought, Terms
from dalenius.audit.spread import Persons
from dalenius.audit.tables import COUNT
from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left, TimeUpError, always, go_on
from dalenius.facts.secret import Value
from dalenius.judge.engine import Judge
from dalenius.judge.group import Group, Laws
from dalenius.judge.risk import Risk, risk_from
from dalenius.mechanisms import Chain

LEVELS = tuple(map(Fraction, ("0", "1/8", "1/4", "1/2", "3/4", "1", "3/2", "2", "3", "4", "6")))
MOST_KINDS = 200  # people whom the numbers tell apart, up to which they are judged
Vector: TypeAlias = tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class HiddenChances:
    """A hidden number: how likely its values are, and how likely a person is to be counted in it, before anything is
    published and after.
    """

    asked: Asked
    values: Likely
    before: Fraction
    after: Between


@final
@dataclass(frozen=True, slots=True)
class PersonalRisk:
    """How well two facts about a person are told apart by such tables: if what is hidden was chosen without looking at
    it (None if a rule is known by which it was chosen), and however it was chosen.
    """

    fixed: Risk | None
    chosen: Risk


@final
@dataclass(frozen=True, slots=True)
class BelievedNumbers:
    """What follows with a belief: hidden numbers in their order, those for which there was no time, and the risk of one
    person; None with the reason why it was not judged. `known`: whether something is known besides, of some of them.
    """

    people: int
    sources: tuple[str, ...]
    numbers: tuple[HiddenChances, ...]
    untried: tuple[Asked, ...]
    risk: PersonalRisk | None
    unjudged: str = ""
    known: bool = False


def believe(examined: Examined, left: Left = always) -> BelievedNumbers | None:
    """How likely hidden numbers are, to the attacker who knows most of these tables, and what that says of a person;
    None if no belief is stated.
    """
    persons = examined.linked.persons
    if persons is None:
        return None
    people = _people(examined, persons)
    problem = examined.attackers[-1].findings.problem
    hidden = [
        (place, asked)
        for place, asked in enumerate(examined.linked.asked)
        if asked.hidden and asked.measure == COUNT and people
    ]
    numbers, untried = [], []
    for place, asked in hidden:
        try:
            found = likely(problem, place, persons.chances, shared=persons.shared, left=left)
        except TimeUpError:
            untried.append(asked)
            continue
        after = found.mean[0] / people, found.mean[1] / people
        numbers.append(HiddenChances(asked, found, persons.chance(problem.targets[place].terms), after))
    sources = tuple(dict.fromkeys(law.source for law in examined.convention.beliefs))
    try:
        go_on(left)
        risk, why = _risk(examined, persons, people), ""
    except TimeUpError:
        risk, why = None, "the time was up"
    except InputError as error:
        risk, why = None, str(error)
    known = any(each.group for each in examined.convention.known)
    return BelievedNumbers(people, sources, tuple(numbers), tuple(untried), risk, why, known)


def _people(examined: Examined, persons: Persons) -> int:
    """How many people there are; InputError if that is not known."""
    problem = examined.attackers[-1].findings.problem
    everybody = replace(problem, targets=(Sought("everybody", persons.everybody),))
    found = follow(everybody).each[0]
    if found.low is None or found.low != found.high:
        raise InputError(
            "A belief needs to know how many people there are in all, but the tables do not say. State it in the "
            "tables file: known: [{group: {}, at_least: 100, at_most: 100}]."
        )
    return found.low


def _risk(examined: Examined, persons: Persons, people: int) -> PersonalRisk:
    linked = examined.linked
    # A range, and a number that is only said to be at least so many, tell less than the number itself.
    told = [each.terms for each in linked.problem.statements if not each.source.startswith(SAME_PEOPLE)]
    fixed = None if linked.rules else _judged(persons, people, told)
    return PersonalRisk(fixed, _judged(persons, people, [*told, *persons.untold]))


def _judged(persons: Persons, people: int, published: Sequence[Terms]) -> Risk:
    """The risk of one person, by numbers that count these people."""
    kinds: dict[Vector, Fraction] = defaultdict(Fraction)
    counted = [dict(terms) for terms in published]
    for places, chance in persons.records.items():
        kinds[tuple(sum(times.get(place, 0) for place in places) for times in counted)] += chance
    if len(kinds) > MOST_KINDS:
        raise InputError(
            f"the numbers tell {len(kinds)} kinds of people apart, and up to {MOST_KINDS} are judged together"
        )
    law: dict[Vector, Fraction] = dict(zip(_reduced(list(kinds)), kinds.values(), strict=True))
    if len(law) == 1:
        return risk_from([(Fraction(0), 0.0)])
    group = Group(
        (Laws(((tuple(sorted(law.items())), people),), tuple(sorted(law))),),
        tuple(Chain(()) for _ in next(iter(law))),
        0,
    )
    curve = Judge(Value(), Fraction(1), Fraction(0), decides=False).whole(group)
    return risk_from([(epsilon, curve.delta(epsilon).upper) for epsilon in LEVELS])


def _reduced(vectors: Sequence[Vector]) -> list[Vector]:
    """The same without numbers that follow from the others and from how many people there are."""
    kept: list[int] = []
    basis: list[list[Fraction]] = []
    for at in (-1, *range(len(vectors[0]))):
        row = [Fraction(1) if at < 0 else Fraction(vector[at]) for vector in vectors]
        for done in basis:
            lead = next(place for place, value in enumerate(done) if value)
            if row[lead]:
                times = row[lead] / done[lead]
                row = [one - times * other for one, other in zip(row, done, strict=True)]
        if any(row):
            basis.append(row)
            kept += [at] if at >= 0 else []
    return [tuple(vector[at] for at in kept) for vector in vectors]


def risks(found: BelievedNumbers) -> Iterable[tuple[str, Risk]]:
    """Under which assumption each risk holds, in words."""
    if found.risk is None:
        return
    if found.risk.fixed is not None:
        yield "if which numbers are hidden was decided without looking at them", found.risk.fixed
    yield "however it was decided by these numbers which of them are hidden", found.risk.chosen
