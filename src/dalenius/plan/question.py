"""All that a plan depends on but the figures, and what is wrong with a question before it is asked."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.facts.records import Column
from dalenius.facts.secret import Hidden
from dalenius.judge.group import Target
from dalenius.tables.contributions import same_value
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame

if TYPE_CHECKING:
    from dalenius.tables.series import Series

Progress: TypeAlias = Callable[[str, int, int], None]  # what is being done, how much of it, of how much


@final
@dataclass(frozen=True, slots=True)
class Question:
    """All that a plan depends on, but the figures: who is in the data, what is believed, who attacks, what is
    secret, the target.
    """

    frame: Frame
    columns: Mapping[str, Column]  # the confidential ones
    beliefs: tuple[ColumnBelief, ...]
    attacker: Attacker
    secret: Hidden
    target: Target
    records: tuple[str, ...] = ()  # what is assumed of how the rows of the table are records, if anything is
    series: "Series | None" = None  # if the figures are of editions of a table that changes
    within: Mapping[str, str] = field(default_factory=dict)  # public columns whose values lie within those of another
    promise: str = ""  # the word for the definition that is asked for (`plan.promise`), if one is

    @property
    def special(self) -> bool:
        """Whether people were drawn by chance, or something is believed of all records at once: then what is assumed is
        no list of probabilities that could be moved one by one. So it is where one of several scenarios holds for all.
        """
        return self.frame.sample is not None or any(
            belief.stance or belief.scenarios or belief.answered for belief in self.beliefs
        )

    def over_editions(self, figures: Sequence[Figure]) -> "Series | None":
        """The series, if the figures are of several editions of it."""
        return self.series if self.series is not None and self.series.several(figures) else None


def check(figures: Sequence[Figure], question: Question) -> None:
    """What the specification's own checks say already, for callers from Python."""
    names = Counter(figure.name for figure in figures)
    for name, times in names.items():
        if times > 1:
            raise InputError(f"Every figure needs a name of its own, but {name!r} is used twice. Rename one of them.")
    if not figures:
        raise InputError("A release needs at least one figure, but got none. Name a count, a sum or a mean.")
    if question.frame.size < 1:
        raise InputError("A release needs at least one person in the data, but the frame has none.")
    for figure in figures:
        check_columns(figure, question)
        figure.check_limits(question.columns)
        figure.check_number(question.columns, question.secret)
    held = Counter(name for belief in question.beliefs for name in belief.columns)
    for belief in question.beliefs:
        for name in belief.columns:
            if held[name] > 1:
                raise InputError(f"There are two beliefs about {name}. Keep one of them.")
        _check_belief(belief, question)


def check_columns(figure: Figure, question: Question) -> None:
    """InputError if a figure uses a column that is not there, which would be passed over."""
    public, private = frozenset(question.frame.columns), frozenset(question.columns)
    unknown = sorted(figure.where.columns - public - private) + sorted(frozenset(figure.by) - public)
    if figure.column is not None and figure.column not in private:
        unknown.append(figure.column)
    if unknown:
        raise InputError(
            f"Figure {figure.name!r} uses {unknown[0]}, which is neither a public column of the frame nor (where that "
            "is allowed) a confidential one. Declare it."
        )


def _check_belief(belief: ColumnBelief, question: Question) -> None:
    for name in belief.columns:
        if name not in question.columns:
            raise InputError(f"There is a belief about {name}, which is not a confidential column. Declare it.")
    domains = [frozenset(map(same_value, question.columns[name].values)) for name in belief.columns]
    for chances in (law for table in (belief.table, *belief.scenarios) for law in table.values()):
        if any(chance < 0 for _, chance in chances) or sum((chance for _, chance in chances), Fraction(0)) != 1:
            raise InputError(f"The belief about {belief} needs probabilities that sum to 1. Correct them.")
        for row in (belief.row(value) for value, chance in chances if chance):
            if len(row) != len(domains) or any(
                same_value(value) not in domain for value, domain in zip(row, domains, strict=True)
            ):
                raise InputError(f"The belief about {belief} has a value outside the column's domain. Correct it.")
