"""Less that is secret: to within what range a number of a person is hidden, if the figure goes out as it is.

Nobody is asked to publish less; what is promised is less. So it is offered beside other changes, and never chosen.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from dalenius.enclosure.formats import plain
from dalenius.facts.near import Near, WithinRange
from dalenius.facts.records import Numbers
from dalenius.facts.secret import Value
from dalenius.numerics.least import least
from dalenius.plan.alternative import Alternative, Way
from dalenius.plan.examination import passes
from dalenius.plan.part import Desk, Part

CLOSE = Fraction(21, 20)  # how closely the widest range is looked for
WAY: Way = "a narrower secret"
OFFERED = (
    "{how}, if what is secret of {column} is to within ±{k} (any two values less than {apart} apart must look alike, "
    "others may be told apart): write secret: {{within: {{{column}: {k}}}}}. It promises less, so it is never chosen "
    "for you"
)
NONE = "not even values that are {unit} apart look alike in the figure as it is"


def narrower_secret(part: Part, desk: Desk) -> Iterator[Alternative]:
    """The widest range, to 5 %, to within which the column of a single figure is hidden as it is.

    What passes with a range passes with a narrower one: fewer values are compared. Cost: all groups of the part are
    judged about ten times.
    """
    question, (figure,) = desk.question, part.new
    column = question.columns.get(figure.column or "")
    if not isinstance(column, Numbers) or column.steps < 3 or figure.column is None:
        return
    if not isinstance(question.secret, Value) or question.frame.together is not None or question.series is not None:
        return
    name = figure.column

    def enough(steps: int) -> bool:
        """Whether values that are up to so many units apart look alike."""
        desk.check_time()
        desk.progress(f"looking to within what range {name} is hidden", 0, 1)
        near = Near(((name, WithinRange((steps + 1) * column.unit / 4)),))
        return passes((*part.old, *part.new), replace(question, secret=near))

    if not enough(1):
        yield Alternative(WAY, part.names, why=NONE.format(unit=plain(column.unit)))
        return
    low, _ = least(
        lambda steps: not enough(steps),
        1,
        column.steps,
        middle=lambda low, high: max(low + 1, min(high - 1, round((low * high) ** 0.5))),
        close=lambda low, high: high <= low * CLOSE,
    )
    k, apart = (low + 1) * column.unit / 4, (low + 1) * column.unit
    how = "as it is" if figure.channel.links else "exact"
    told = OFFERED.format(how=how, column=name, k=plain(k), apart=plain(apart))
    yield Alternative(WAY, part.names, certified=True, why=told)
