"""What somebody believes of one person of a stated group: before figures come out, after the same figures without that
person's record, and after the figures with it.

*With it.* Odds between the fact and its opposite move by at most the factor of the promise, whatever else is learned:
the laws that are compared are those under the attacker's whole belief, given the fact and given its opposite.

*Without it.* Where records are independent, nothing moves. Where all records follow the same one of several laws and
nobody knows which, given that law the person's record is independent of the others, so that what is believed
afterwards is a mean of what the laws say: between the least and the largest of their probabilities. In an order, the
others' records tell of the first record what the second one does: between the least and the largest of its
probabilities given what follows it. (Whoever smokes learns from a study of others, too.)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.facts.records import Cell, Label, OneOf
from dalenius.plan.grounds import used_beliefs
from dalenius.plan.question import Question
from dalenius.tables.figures import Chances, ColumnBelief, Figure
from dalenius.tables.stances import Ordered, Scenarios

MOST = 6  # stated groups that are told one by one; of more, the rarest and the most common


@final
@dataclass(frozen=True, slots=True)
class View:
    """A fact about one person of a group, how likely it is held to be, and between what it is held to be after the same
    figures without that person's record.
    """

    fact: str
    before: Fraction
    least: Fraction
    most: Fraction

    @classmethod
    def still(cls, fact: str, before: Fraction) -> "View":
        """Of records that are independent: what others say tells nothing."""
        return cls(fact, before, before, before)

    @property
    def moved(self) -> bool:
        """Whether the figures tell something of the person without their record."""
        return self.least < self.most


def apart(question: Question, figures: Sequence[Figure]) -> bool:
    """Whether the records of others say nothing about a person. Where a public number of people was drawn, those who
    were say that others were not.
    """
    if question.frame.sample is not None and question.frame.sample.design == "simple":
        return False
    stances = (belief.stance for belief in used_beliefs(question, figures))
    return all(stance is None or stance.independent for stance in stances)


def views(question: Question, figures: Sequence[Figure]) -> list[View]:
    """Facts that figures count, for each group of people of which something is stated."""
    found: list[View] = []
    if question.frame.sample is not None:  # what is true of the members may be known to anybody
        return found
    for belief in used_beliefs(question, figures):
        facts = [(name, value) for figure in figures for name, value in _counted(figure) if name in belief.columns]
        for name, value in dict.fromkeys(facts):
            found += _of(belief, name, value) if belief.stated else []
    return found


def _of(belief: ColumnBelief, name: str, value: Label | Fraction) -> list[View]:
    place = belief.columns.index(name)
    fact = f"{name} = {value}"

    def chance(law: Chances) -> Fraction:
        came = sum((p for row, p in law if belief.row(row)[place] == value), Fraction(0))
        if belief.answered is None:
            return came
        return (came + belief.answered - 1) / (2 * belief.answered - 1)  # of the true answer, before its coin

    match belief.stance:
        case Scenarios(parts=parts):
            mean = sum((weight * chance(law) for weight, law in parts), Fraction(0))
            each = [chance(law) for _, law in parts]
            return [View(fact, mean, min(each), max(each))]
        case Ordered(known_at=()) as stance:
            return [_first(stance, value, fact)]
        case None:
            return [View.still(words, p) for words, p in _cells(belief, fact, chance) if 0 < p < 1]
        case _:
            return []


def _first(stance: Ordered, value: Label | Fraction, fact: str) -> View:
    """Of the first record in an order, given the second one."""
    start, moves = dict(stance.start), dict(stance.moves)
    before, given = start.get(value, Fraction(0)), list[Fraction]()
    for follower in moves:
        each = {state: p * dict(moves[state]).get(follower, Fraction(0)) for state, p in start.items()}
        if whole := sum(each.values(), Fraction(0)):
            given.append(each.get(value, Fraction(0)) / whole)
    return View(f"{fact}, of the first record", before, min(given, default=before), max(given, default=before))


def _cells(belief: ColumnBelief, fact: str, chance_of: Callable[[Chances], Fraction]) -> Iterator[tuple[str, Fraction]]:
    """The stated groups, by their public values; and of several scenarios each."""
    tables = (belief.table, *belief.scenarios)
    for number, table in enumerate(tables, 1):
        scenario = f", in scenario {number}" if len(tables) > 1 else ""
        if len(table) <= MOST:
            for cell, law in table.items():
                yield f"{fact}{_where(belief, cell)}{scenario}", chance_of(law)
            continue
        chances = [chance_of(law) for law in table.values()]
        yield f"{fact}, where it is rarest{scenario}", min(chances)
        yield f"{fact}, where it is most common{scenario}", max(chances)


def _where(belief: ColumnBelief, cell: Cell) -> str:
    return "".join(f", {name} {value}" for name, value in zip(belief.by, cell, strict=True))


def _counted(figure: Figure) -> list[tuple[str, Label | Fraction]]:
    plain = [item for item in figure.where.tests if isinstance(item, tuple)]
    return [(name, test.values[0]) for name, test in plain if isinstance(test, OneOf) and len(test.values) == 1]
