"""What would become of one more figure, and which question comes next, in words."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dalenius.claims import Verdict
from dalenius.enclosure.formats import at_least, at_most, counted, plain
from dalenius.facts.records import shown_column
from dalenius.plan.candidates import NextQuestions, people_in
from dalenius.plan.standing import Prospect
from dalenius.show.layout import item, wrapped
from dalenius.tables.history import Atom, Combination

MOST_SHOWN = 4  # numbers of a witness that are named


def outlook_text(outlook: Prospect, columns: Sequence[str], doubt: str = "") -> str:
    """An answer about one figure."""
    name = outlook.figure.name
    if outlook.verdict == Verdict.FAIL:
        lines = [wrapped(f"NO: {name} would give somebody away."), *_witness(outlook, columns)]
    elif outlook.verdict == Verdict.PASS and not doubt:
        lines = [wrapped(f"YES: {name} may go out beside everything that is out.")]
    else:
        because = doubt or outlook.because
        lines = [wrapped(f"NOT SETTLED: {name}: {because}. `dalenius check` makes one.")]
    return "\n".join(lines)


def next_text(questions: NextQuestions, columns: Sequence[str], doubt: str = "") -> str:
    """The questions that would give somebody away, ranked."""
    lines = []
    unnamed, more_open = questions.more
    count, named = len(questions.found) + unnamed, len(questions.found)
    if count:
        are = "question that looks harmless gives" if count == 1 else "questions that look harmless give"
        only = f"; {named} of them are named" if unnamed else ""
        lines.append(wrapped(f"{count} {are} somebody away beside what is out, the worst first{only}."))
    else:
        lines.append("No question that was tried gives anybody away for sure.")
    for place, outlook in enumerate(questions.found, 1):
        lines += ["", wrapped(f"{place}. {outlook.figure.name} ({counted(outlook.people)} persons)")]
        lines += _witness(outlook, columns)
    lines.append("")
    if questions.open:
        lines.append(
            item(
                f"{len(questions.open) + more_open} more are not settled, such as {questions.open[0].figure.name}: "
                "`dalenius check`"
            )
        )
    if questions.closest:
        lines.append(item("as things are, of the smallest groups most is told of:", mark="- "))
        for atom, told in questions.closest:
            lines.append(f"      {_persons(atom, columns)}: δ at most {at_most(told)}")
    tried = "all that were to be tried" if questions.complete else "the time was over"
    lines.append(item(f"{counted(questions.tried)} questions were tried: {tried}"))
    if doubt:
        lines.append(item(f"in doubt: {doubt}"))
    return "\n".join(lines)


def _witness(outlook: Prospect, columns: Sequence[str]) -> list[str]:
    finding = outlook.finding
    if finding is None:
        return []
    lines = [item(f"{_told(finding.reveals)} is the number of {_persons(finding.atom, columns)} alone")]
    event = "" if finding.witness is None else f"; {finding.witness}"
    lines.append(item(f"δ is at least {at_least(finding.delta.lower)}: {finding.because}{event}"))
    return lines


def _told(combination: Combination | None) -> str:
    """A combination of numbers."""
    parts = []
    for weight, entry in (combination or ())[:MOST_SHOWN]:
        sign = "minus" if weight < 0 else "plus"
        times = "" if abs(weight) == 1 else f"{plain(abs(Fraction(weight)))} times "
        parts.append(f"{sign} {times}[{entry}]")
    more = len(combination or ()) - MOST_SHOWN
    return " ".join(parts).removeprefix("plus ") + (f" and {more} more numbers" if more > 0 else "")


def _persons(atom: Atom, columns: Sequence[str]) -> str:
    who = people_in(atom, columns)
    return f"{atom.size} person{'' if atom.size == 1 else 's'} ({who})"


def outlook_json(outlook: Prospect, columns: Sequence[str]) -> dict[str, Any]:
    """One answer for machines."""
    finding = outlook.finding
    return {
        "figure": outlook.figure.name,
        "verdict": str(outlook.verdict),
        "people": outlook.people,
        "because": outlook.because if finding is None else finding.because,
        "delta_at_least": outlook.certain,
        "witness": None
        if finding is None
        else {
            "numbers": [[str(weight), str(entry)] for weight, entry in finding.reveals or ()],
            "people": finding.atom.size,
            "who": [
                {shown_column(name): str(value) for name, value in zip(columns, cell, strict=True)} | {"people": count}
                for cell, count in finding.atom.groups
            ],
        },
    }


def next_json(questions: NextQuestions, columns: Sequence[str]) -> dict[str, Any]:
    """The next questions for machines."""
    return {
        "questions": [outlook_json(each, columns) for each in questions.found],
        "unsettled": [each.figure.name for each in questions.open],
        "closest": [
            {"people": atom.size, "who": people_in(atom, columns), "delta_at_most": told}
            for atom, told in questions.closest
        ],
        "not_named": {"questions": questions.more[0], "unsettled": questions.more[1]},
        "tried": questions.tried,
        "complete": questions.complete,
    }
