"""A plan with all its alternatives, as text and for machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never, final

from dalenius.enclosure.outward import float_after
from dalenius.facts.records import Cell
from dalenius.judge.risk import risk_from
from dalenius.plan import AddNoise, Alternative, Coarsen, Plan, Publish, Question, Refuse, Undecided
from dalenius.plan.alternative import Change
from dalenius.plan.exposure import Exposure, exposure
from dalenius.plan.part import cells_of
from dalenius.show.layout import item, table, wrapped
from dalenius.show.risk import risk_json, risk_line
from dalenius.show.text import definition, goal, stopped_line, worst_line
from dalenius.tables.figures import Figure

SCHEMA = "dalenius/plan/1"
SHORT = 60  # characters of a change
CONVENTION = (
    "Error: the expected absolute error of a published number (of a rounding, if every place between two multiples is "
    "equally likely), and beside it that error if differential privacy alone had to do it; of several figures the "
    "largest. Cost: the errors of all figures, each divided by what one person can move the figure, added up. Changes "
    "that leave four fifths of the numbers exact come before all others, those that leave half of them exact before "
    "the rest; then those that lose no numbers, the least cost first; then the fewest numbers lost. "
    "Certified: the changed figures were judged again from scratch, and passed."
)
BAR = 20  # marks of a picture
SHORTER = {"leaving out and noise": "out and noise", "truncation and noise": "cut and noise"}  # in a narrow table
KEY = "  # exact, ~ changed, . not published any more"
WORTH = (
    "Nothing that was tried loses as few numbers at as small a cost as one of these (take another one with --write "
    "FILE --take N):"
)


def answer(plan: Plan) -> str:
    """The plan in one line."""
    match plan:
        case Publish():
            return "PUBLISH: the figures may go out as they are."
        case Coarsen():
            return "COARSEN: the figures may go out after this change."
        case AddNoise():
            return "ADD NOISE: the figures may go out after this change."
        case Refuse():
            return f"REFUSE: no change was found{_in_time(plan)} that lets the figures go out."
        case Undecided():
            return f"UNDECIDED: no bound passes, no witness fails, and no certified change was found{_in_time(plan)}."
        case _:
            assert_never(plan)


def _in_time(plan: Refuse | Undecided) -> str:
    return " in the time that was given" if plan.untried else ""


def plan_text(plan: Plan, question: Question, figures: Sequence[Figure], *, seconds: float | None = None) -> str:
    """The answer, what changes, every alternative with its cost, what is met, what to measure. `seconds`: how long was
    looked for all that.
    """
    parts = [wrapped(answer(plan)), wrapped(goal(question)), ""]
    if plan.findings:
        groups = len(plan.findings)
        who = f"Of {groups} groups of people the worst" if groups > 1 else "The only group of people"
        parts.append(wrapped(worst_line(plan, who)))
        found = exposure(plan, question)
        parts += ["", wrapped(risk_line(found, question))] if found is not None else []
    if isinstance(plan, Publish):
        return "\n".join([*parts, "", *_released(figures, question)]) + "\n"
    if isinstance(plan, Coarsen | AddNoise):
        parts += ["", "Change this:", *_chosen(plan.alternatives), *picture(plan, question, figures)]
        met = Exposure(risk_from([(question.target.epsilon, min(1.0, float_after(float(question.target.delta))))]))
        parts += ["", wrapped(f"Then, at most: {risk_line(met, question).removeprefix('Risk: ')}")]
    if plan.alternatives:
        parts += ["", "Everything that was tried:", *_table(plan.alternatives), "", *_reasons(plan.alternatives)]
        parts += [*_frontier(plan.alternatives), "", wrapped(CONVENTION)]
    if isinstance(plan, Refuse) and plan.nearest:
        parts += ["", "The nearest that is met:", *(item(near.words) for near in plan.nearest)]
    if isinstance(plan, Undecided):
        parts += ["", wrapped(f"Undecided because {plan.reason}. {plan.next}".rstrip())]
    elif plan.advice.words and isinstance(plan, Refuse):
        parts += ["", wrapped(plan.advice.words)]
    if plan.untried and seconds is not None:
        parts += ["", wrapped(stopped_line(seconds, plan.untried))]
    if isinstance(plan, Coarsen | AddNoise):
        parts += ["", *_released(plan.figures, question)]
    return "\n".join(parts) + "\n"


def _released(figures: Sequence[Figure], question: Question) -> list[str]:
    return ["The figures then:", *(item(definition(figure, question)) for figure in figures)]


def _chosen(alternatives: Sequence[Alternative]) -> list[str]:
    return [
        item(f"{change.figure}: {change.line}{_off(change.error)}")
        for way in alternatives
        if way.chosen
        for change in way.changes
    ]


def _off(error: float) -> str:
    return f" (then off by about {error:,.3g})" if error else ""


def _frontier(alternatives: Sequence[Alternative]) -> list[str]:
    """What else is worth a thought: numbers lost against error."""
    found = [(place, way) for place, way in enumerate(alternatives, 1) if way.frontier]
    if len(found) < 2:
        return []
    rows = [("", "numbers lost", "cost", "way")]
    for place, way in sorted(found, key=lambda one: (one[1].loss, one[1].cost)):
        rows.append((f"{place}{'*' if way.chosen else ''}", str(way.lost), f"{way.cost:,.3g}", f"{way.way}"))
    return ["", wrapped(WORTH), *table(rows, right=(1, 2), rule=False)]


def picture(plan: Coarsen | AddNoise, question: Question, figures: Sequence[Figure]) -> list[str]:
    """What becomes of the numbers of each figure that is changed, before and after, a mark each: exact, changed, or not
    there any more; and how far off numbers are then, beside differential privacy by itself.
    """
    before = {figure.name: figure for figure in figures}
    lines = []
    for change in (change for way in plan.alternatives if way.chosen for change in way.changes):
        whole = before[change.figure]
        count = len(cells_of(whole, question.frame))
        exact = sum(len(cells_of(new, question.frame)) for new in change.becomes if new.channel.exact)
        rough = sum(len(cells_of(new, question.frame)) for new in change.becomes if not new.channel.exact)
        plain = whole.channel.exact
        lines += [
            wrapped(change.figure),
            f"    before  {_marks(*((count, 0) if plain else (0, count)), count, count)}",
            f"    after   {_marks(exact, rough, count, max(count, exact + rough))}",
        ]
        if change.error and change.alone:
            most = max(change.error, change.alone)
            for name, error in (("error", change.error), ("DP alone", change.alone)):
                lines.append(f"    {name:8} {'=' * max(1, round(BAR * error / most))} {error:,.3g}")
    return ["", *lines, KEY] if lines else []


def _marks(exact: int, rough: int, before: int, whole: int) -> str:
    """A mark a number; of many, a mark for several."""
    several = -(-whole // BAR) or 1
    gone = max(0, before - exact - rough)
    marks = "".join(mark * -(-number // several) for mark, number in (("#", exact), ("~", rough), (".", gone)))
    return f"{marks}  {exact} exact" + (f", {rough} changed" if rough else "") + (f", {gone} fewer" if gone else "")


@final
@dataclass(frozen=True, slots=True)
class TableAfter:
    """Figures that are split by the same columns, as they are after a change: what becomes of each number, as a kind
    (exact, rough, merged, gone) and in words; None where there is no number. `beside`: numbers that are new.
    """

    by: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[Cell, tuple[tuple[str, str] | None, ...]], ...]
    beside: tuple[str, ...]

    def _repr_html_(self) -> str:
        """In a notebook."""
        from dalenius.show.html.notebook import after_fragment

        return after_fragment(self)


def tables_after(figures: Sequence[Figure], way: Alternative, question: Question) -> tuple[TableAfter, ...]:
    """The tables after one of the alternatives. Only public columns are looked at."""
    changes = {change.figure: change for change in way.changes}
    split: dict[tuple[str, ...], list[Figure]] = {}
    for figure in figures:
        split.setdefault(figure.by, []).append(figure)
    found = []
    for by, mine in split.items():
        became = [_became(figure, changes.get(figure.name), question) for figure in mine]
        every = dict.fromkeys(cell for numbers, _ in became for cell in numbers)
        rows = tuple((cell, tuple(numbers.get(cell) for numbers, _ in became)) for cell in every)
        beside = tuple(name for _, names in became for name in names)
        found.append(TableAfter(by, tuple(figure.name for figure in mine), rows, beside))
    return tuple(found)


def _became(
    figure: Figure, change: Change | None, question: Question
) -> tuple[dict[Cell, tuple[str, str]], tuple[str, ...]]:
    """What becomes of each number of a figure, and what is published beside them."""
    after = (figure,) if change is None else change.becomes
    same = [(new, cells_of(new, question.frame)) for new in after if new.by == figure.by]
    others = tuple(new.name for new in after if new.by != figure.by)
    numbers = {}
    for cell in cells_of(figure, question.frame):
        new = next((new for new, cells in same if cell in cells), None)
        if new is not None:
            numbers[cell] = _published(new, change)
        else:
            numbers[cell] = ("merged", "merged") if others else ("gone", "left out")
    return numbers, others


def _published(figure: Figure, change: Change | None) -> tuple[str, str]:
    if figure.channel.exact:
        return "exact", "exact"
    if change is None:
        return "rough", "as it was"
    if change.most and not figure.channel.random:
        return "rough", f"within {float(change.most):,.3g}"
    return "rough", f"± {change.error:,.3g}"


def _table(alternatives: Sequence[Alternative]) -> list[str]:
    rows = [("", "way", "change", "error", "DP alone", "cost", "lost", "certified")]
    for place, way in enumerate(alternatives, 1):
        alone = [change.alone for change in way.changes if change.alone is not None]
        rows.append(
            (
                f"{place}{'*' if way.chosen else ''}",
                SHORTER.get(way.way, way.way),
                _changes(way),
                f"{max(one.error for one in way.changes):,.3g}" if way.changes else "-",
                f"{max(alone):,.3g}" if alone else "-",
                f"{way.cost:,.3g}" if way.changes else "-",
                str(way.lost) if way.changes else "-",
                "yes" if way.certified else "no",
            )
        )
    return table(rows, fold=2, rule=False)


def _changes(way: Alternative) -> str:
    """The first change of a way, and how many more there are."""
    if not way.changes:
        return "-"
    more = f" (and {len(way.changes) - 1} more)" if len(way.changes) > 1 else ""
    told = f"{way.changes[0].figure}: {way.changes[0].line}"
    return (told if len(told) <= SHORT else f"{told[: SHORT - 3]}...") + more


def _reasons(alternatives: Sequence[Alternative]) -> list[str]:
    return [item(way.why, f"{place}. ") for place, way in enumerate(alternatives, 1) if way.why]


def plan_json(plan: Plan, question: Question, figures: Sequence[Figure], *, version: str) -> dict[str, Any]:
    """The same for machines."""
    after = plan.figures if isinstance(plan, Coarsen | AddNoise) else figures if isinstance(plan, Publish) else ()
    return {
        "schema": SCHEMA,
        "software": f"dalenius {version}",
        "plan": type(plan).__name__,
        "answer": answer(plan),
        "target": {"epsilon": str(question.target.epsilon), "delta": str(question.target.delta)},
        "delta_at_most": max((finding.delta.upper for finding in plan.findings), default=0.0),
        "risk": None if (found := exposure(plan, question)) is None else risk_json(found),
        "figures": [definition(figure, question) for figure in after],
        "alternatives": [] if isinstance(plan, Publish) else [_alternative(way) for way in plan.alternatives],
        "nearest": [_near(near.epsilon, near.delta, near.words) for near in plan.nearest]
        if isinstance(plan, Refuse)
        else [],
        "next": plan.next if isinstance(plan, Undecided) else "",
        "untried": [] if isinstance(plan, Publish) else list(plan.untried),
        "convention": CONVENTION,
    }


def _near(epsilon: object, delta: object, words: str) -> dict[str, Any]:
    return {
        "epsilon": None if epsilon is None else str(epsilon),
        "delta": None if delta is None else str(delta),
        "words": words,
    }


def _alternative(way: Alternative) -> dict[str, Any]:
    return {
        "way": way.way,
        "figures": list(way.concerns),
        "changes": [
            {
                "figure": change.figure,
                "line": change.line,
                "expected_error": change.error,
                "differential_privacy_alone": change.alone,
            }
            for change in way.changes
        ],
        "cost": way.cost,
        "numbers_lost": way.lost,
        "certified": way.certified,
        "frontier": way.frontier,
        "chosen": way.chosen,
        "why": way.why,
    }
