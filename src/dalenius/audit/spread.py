"""How people are believed to be spread over the cells of tables: each variable's probabilities, which may depend on
other variables. People are independent of each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import TypeAlias, final

from dalenius.audit.problem import Terms
from dalenius.basics.errors import InputError

MOST_RECORDS = 100_000  # combinations of all labels of all variables
Labels: TypeAlias = tuple[str, ...]


@final
@dataclass(frozen=True)
class VariableLaw:
    """How likely each label of a variable is, by the labels of the variables on which that depends."""

    variable: str
    given: Labels
    laws: Mapping[Labels, Mapping[str, Fraction]]
    source: str

    @property
    def family(self) -> frozenset[str]:
        """The variables that it is about."""
        return frozenset((self.variable, *self.given))


@final
@dataclass(frozen=True, slots=True)
class Persons:
    """What a belief says of one person: in which unknowns they count, with which probability, for every combination of
    labels that is possible; and how likely they are to be in each unknown. `everybody` is the sum of all people;
    `shared` are the sums that two tables have in common, `untold` the numbers that tables have and do not show.
    """

    records: Mapping[tuple[int, ...], Fraction]
    chances: tuple[Fraction, ...]
    everybody: Terms
    shared: tuple[tuple[Terms, Fraction], ...]
    untold: tuple[Terms, ...] = ()

    def chance(self, terms: Terms) -> Fraction:
        """How likely a person is to be counted in a sum of different cells of one table."""
        return sum((times * self.chances[place] for place, times in terms), Fraction(0))


def spread_out(
    laws: Sequence[VariableLaw], leaves: Mapping[str, Labels], other: str
) -> Iterator[tuple[Mapping[str, str], Fraction]]:
    """Every combination of finest labels that is possible, with its probability. `other` is the label of those whom no
    table lists: what is left over.
    """
    order = _ordered(laws, leaves)
    size = prod(len(leaves[law.variable]) for law in order)
    if size > MOST_RECORDS:
        raise InputError(
            f"A belief about people needs at most {MOST_RECORDS} combinations of labels, but these tables have {size}. "
            "Audit fewer of them at a time, or leave the beliefs out."
        )

    def further(at: int, chosen: dict[str, str], chance: Fraction) -> Iterator[tuple[Mapping[str, str], Fraction]]:
        if at == len(order):
            yield dict(chosen), chance
            return
        law = order[at]
        for label, own in _law(law, chosen, leaves[law.variable], other).items():
            if own:
                yield from further(at + 1, {**chosen, law.variable: label}, chance * own)

    yield from further(0, {}, Fraction(1))


def _law(law: VariableLaw, chosen: Mapping[str, str], leaves: Labels, other: str) -> Mapping[str, Fraction]:
    """The probabilities of a variable's finest labels, given those of the others."""
    given = tuple(chosen[name] for name in law.given)
    stated = law.laws.get(given)
    labels = ", ".join(f"{name} = {label}" for name, label in zip(law.given, given, strict=True))
    where = f"beliefs.{law.variable}{f' where {labels}' if labels else ''}"
    if stated is None:
        raise InputError(
            f"{where} needs probabilities, but there are none. Write under cells what {law.variable} is for each label "
            f"of {', '.join(law.given)}."
        )
    unknown = next((label for label in stated if label not in leaves), None)
    if unknown is not None:
        raise InputError(
            f"{where} has the label {unknown!r}, but the finest labels of the tables are {', '.join(leaves)[:200]}. "
            "Write a probability for each of these."
        )
    missing = next((label for label in leaves if label not in stated and label != other), None)
    if missing is not None:
        raise InputError(
            f"{where} needs a probability for each label of the tables, but has none for {missing!r}. Write 0 if "
            "nobody can have it."
        )
    left = 1 - sum(stated.values(), Fraction(0))
    if left < 0 or (left and (other not in leaves or other in stated)):
        raise InputError(
            f"{where} needs probabilities that sum to 1, but they sum to {float(1 - left):g}. Correct one of them."
        )
    return stated if other in stated or not left else {**stated, other: left}


def _ordered(laws: Sequence[VariableLaw], leaves: Mapping[str, Labels]) -> list[VariableLaw]:
    """Each after those on which it depends."""
    by_name = {law.variable: law for law in laws}
    for name in by_name:
        if name not in leaves:
            raise InputError(
                f"beliefs is about {name!r}, but the tables have {', '.join(leaves)[:200]}. Write one of these names."
            )
    absent = next((name for name in leaves if name not in by_name), None)
    if absent is not None:
        raise InputError(
            f"beliefs needs probabilities for each variable of the tables, but has none for {absent!r}. Say how likely "
            "each of its labels is."
        )
    found: list[VariableLaw] = []
    waiting = dict(by_name)
    while waiting:
        ready = [
            law for law in waiting.values() if not any(name in waiting for name in law.given) and law.variable in leaves
        ]
        unknown = next((name for law in waiting.values() for name in law.given if name not in leaves), None)
        if unknown is not None or not ready:
            raise InputError(
                "beliefs needs variables that depend on others of the tables, and not in a circle, but "
                f"{unknown or next(iter(waiting))!r} is not so. Correct by."
            )
        for law in ready:
            found.append(law)
            del waiting[law.variable]
    return found
