"""A decision explained: what a person has to fear from it, and on which assumptions it rests how much."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, final

from dalenius.basics.errors import InputError
from dalenius.basics.patience import TimeUpError, always
from dalenius.beliefs.belief import known_records
from dalenius.beliefs.crowd import crowd_of
from dalenius.desk.session.budget import Budget
from dalenius.enclosure.formats import at_most, plain, short
from dalenius.facts.secret import Pair, hides_presence, partly, wide
from dalenius.judge.odds import Odds, Points, odds_from
from dalenius.judge.posterior import compared, outcomes
from dalenius.judge.risk import risk_from
from dalenius.plan import Finding, Plan, Progress, Publish, Question, Target, worst_of
from dalenius.plan.exposure import Exposure, tests_of
from dalenius.plan.grounds import breaks
from dalenius.plan.margins import MarginLimit, Row, Sensitivity, Setting, sensitivity
from dalenius.plan.margins.limits import AS_STATED, ATTACKER, PEOPLE, PROBABILITIES
from dalenius.plan.margins.lines import Decided
from dalenius.plan.margins.table import shown_epsilon
from dalenius.plan.margins.traces import traces
from dalenius.plan.views import apart, views
from dalenius.plan.words import headline
from dalenius.show.charts import check_charts, draw
from dalenius.show.layout import item, table, wrapped
from dalenius.show.subject import Subject, Typical
from dalenius.show.text import NOBODY, reveals

LEVELS = tuple(Fraction(step, 8) for step in (2, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 64))  # times the target's epsilon
STEEP = (Fraction(0), Fraction(1, 100), Fraction(1, 20), Fraction(1, 10), *map(Fraction, (1, 2, 4, 8, 16, 32, 64)))
FAILURES = (Fraction(1, 10**6), Fraction(1, 1000), Fraction(1, 20))  # tried where the target's δ promises nothing


@final
@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision, explained to a data subject and to an output checker. Printing it tells all."""

    answer: str
    question: Question
    holds: bool
    subject: Subject | None
    sensitivity: Sensitivity | None
    broken_by: tuple[str, ...]
    setting: Setting | None
    seconds: float | None = None  # that it was given

    def text(self) -> str:
        """Both answers, in plain words."""
        if self.subject is None:
            return f"{self.answer}\n{NOBODY}\n"
        told = [self.answer, "", "WHAT COULD SOMEBODY LEARN ABOUT ME?"]
        told += ["", *_paragraphs(self.subject.lines())]
        told += ["", "WHICH ASSUMPTION CARRIES THE VERDICT, AND HOW FAR CAN IT BE WRONG?", ""]
        if self.sensitivity is not None:
            found = self.sensitivity
            told += [wrapped(carried(found, holds=self.holds)), ""] if found.whole else []
            told += [wrapped(FOLLOWED.format(groups=found.groups)), ""] if found.groups else []
            told += [wrapped(BY_MOVES), ""] if self.setting is not None and self.setting.moves else []
            told += limit_lines(found.limits, holds=self.holds) if found.limits or found.whole else []
            told += ["", *sensitivity_table(found, self.question)] if found.rows else []
            told += [] if found.whole else ["", wrapped(NO_TIME.format(seconds=f"{self.seconds:g}"))]
        else:
            together = self.question.frame.together is not None
            told += [wrapped(SPECIAL if self.question.special else MOVING if together else EDITIONS)]
        told += ["", "It would be broken by:", *map(item, self.broken_by)]
        return "\n".join(told) + "\n"

    def __str__(self) -> str:
        return self.text()

    def json(self) -> dict[str, Any]:
        """The same for machines."""
        found = self.sensitivity
        carrying = found.carried_by if found is not None and found.whole else None
        return {
            "answer": self.answer,
            "subject": None if self.subject is None else self.subject.json(),
            "carried_by": None if carrying is None else carrying.assumption,
            "limits": [] if found is None else [_limit_json(limit) for limit in found.limits],
            "sensitivity": [] if found is None else [_row_json(row) for row in found.rows],
            "whole": found is None or found.whole,
            "groups_followed": "all" if found is None or not found.groups else found.groups,
            "broken_by": list(self.broken_by),
        }


def explain(
    decision: Decided, *, progress: Progress = lambda _what, _done, _of: None, seconds: float | None = None
) -> Explanation:
    """What somebody could learn about one person, and how much each assumption matters. Cost: seconds, and minutes
    where figures pass part by part or by moves; with `seconds`, what there is no time for is left out, and told.

    >>> import dalenius as dl
    >>> from importlib.resources import files
    >>> told = dl.explain(dl.decide(files("dalenius.desk.examples") / "release.yaml"), seconds=0)
    >>> "odds" in str(told)
    True
    """
    budget = Budget(seconds)
    if not hasattr(decision, "as_specified"):
        raise InputError(
            f"explain needs a decision, but got {type(decision).__name__}. Write dl.explain(dl.decide('release.yaml'))."
        )
    plan, question, prepared = decision.as_specified, decision.question, decision.prepared
    answer, broken = headline(plan, prepared.figures), tuple(breaks(prepared.figures, question))
    holds = isinstance(plan, Publish)
    if not plan.findings:
        return Explanation(answer, question, holds, None, None, broken, None)
    setting = Setting.of(prepared.figures, prepared.history, question, plan.findings)
    progress("looking what somebody could learn", 0, 1)
    with budget.running() as left:
        subject = _subject(replace(setting, left=left), plan)
        several = question.over_editions((*prepared.history.figures, *prepared.figures)) is not None
        moving = several or question.frame.together is not None or question.special
        found = None if moving else sensitivity(replace(setting, left=left), progress=progress)
    return Explanation(answer, question, holds, subject, found, broken, setting, budget.seconds)


def charted(
    explanation: Explanation, folder: Path, *, progress: Progress = lambda _what, _done, _of: None
) -> list[Path]:
    """Draw the charts of an explanation into a folder; which files were written. Nothing if nobody is concerned."""
    check_charts(folder)
    setting, found = explanation.setting, explanation.sensitivity
    if setting is None or found is None:
        return []
    limits = {limit.assumption: limit.until for limit in found.limits}
    known, radius = limits.get(ATTACKER), limits.get(PROBABILITIES)
    lines = traces(setting, known=known, radius=radius, size=limits.get(PEOPLE), progress=progress)
    shown = {"known": known, "radius": radius} if explanation.holds else {}
    return draw(folder, lines, explanation.question, limits=shown)


NO_TIME = (
    "Not all of this was looked at: {seconds} seconds were given for it. More time gives more rows (--seconds, or "
    "seconds= in Python); what is there is certified."
)
MOVING = (
    "Where records move together, only how many records may be known is looked for (dalenius check says it). Try "
    "another weight in the specification to see how much it carries."
)
EDITIONS = (
    "Over several editions the assumptions are not varied one by one. Try other numbers in the specification to see "
    "how much they carry."
)
SPECIAL = (
    "Where people were drawn by chance, or something is believed of all records at once, the assumptions are not "
    "varied one by one. Try other numbers in the specification to see how much they carry."
)
BY_MOVES = (
    "Some groups pass because other people's records can change all figures alike (moves): these were looked for again "
    "under each assumption, but not among households."
)
FOLLOWED = "All of this is about the {groups} groups of people that fare worst; with other assumptions others may."


# -- for a data subject ----------------------------------------------------------------------------------------------


def _subject(setting: Setting, plan: Plan) -> Subject:
    question = setting.question
    n = question.frame.size
    known = known_records(question.attacker.known, n) if n > 1 else 0
    others = "nobody else" if not known else f"{known} of the {n} people" if known > 1 else f"1 of the {n} people"
    worst = worst_of(plan)
    failing = next((finding for finding in plan.findings if finding.witness is not None), None)
    combined = ""
    if failing is not None and failing.reveals is not None and len(failing.reveals) > 1:
        combined = f" to {reveals(failing.reveals)}"
    everything = (*setting.history.figures, *setting.figures)
    used = frozenset().union(*(figure.confidential(question.columns) for figure in everything))
    columns = tuple(name for belief in question.beliefs for name in belief.columns if name in used)
    points = certified_points(setting, plan.findings)
    return Subject(
        presence=hides_presence(question.secret),
        about=columns,
        known=others,
        odds=odds_of(points, question.target),
        risk=Exposure(risk_from(points), tests=tests_of(plan.findings)),
        witness=failing.witness if failing is not None else None,
        combined=combined,
        typical=_typical(setting, worst),
        fitted=any(belief.fitted for belief in question.beliefs),
        views=tuple(views(question, setting.figures)),
        apart=apart(question, everything),
        household=question.frame.together is not None,
        near=str(question.secret) if partly(question.secret) else "",
    )


def odds_of(points: Points, target: Target) -> Odds | None:
    """How far the figures can move anybody's odds, but for the target's δ: the best of several places of the curve.

    If nothing holds but for that δ, but for a larger one.
    """
    at = tuple(points)
    failures = [min(failure, Fraction(999, 1000)) for failure in (target.delta, *FAILURES)]
    return next((odds for failure in failures if (odds := odds_from(at, failure)) is not None), None)


def certified_points(setting: Setting, findings: Sequence[Finding]) -> list[tuple[Fraction, float]]:
    """Places of the curve of everything that is published, each an upper bound for every group.

    Groups that are not followed are bounded by what was found of them at the target's ε, which holds from there on;
    where there are such groups, nothing is said below it.
    """
    target = setting.question.target
    here = [(target.epsilon, max(finding.delta.upper for finding in findings))]
    if any(finding.method != "atom" for finding in findings):
        return here
    levels = dict.fromkeys((*(times * target.epsilon for times in LEVELS), *STEEP, target.epsilon))
    rest = [
        finding.delta.upper
        for finding in findings
        if setting.groups is not None and finding.atom.entries not in setting.groups
    ]
    worst = max(rest, default=0.0)
    if rest:
        levels = dict.fromkeys(level for level in levels if level >= target.epsilon)
    try:
        case = setting.case()
        return [(at, max(case.delta(at).upper, worst)) for at in levels]
    except TimeUpError:  # what was found at the target's own ε says something, too
        return here


def _typical(setting: Setting, worst: Finding) -> Typical | None:
    """Exact posteriors, where the worst group is in one number that covers nobody else, and its law is known."""
    case = replace(setting, left=always).case(worst=True)
    atom, known = case.atoms[0], case.known[0]
    if case.docket.also or len(atom.entries) > 1 or not case.alone[0] or worst.atom.entries != atom.entries:
        return None
    figure = atom.entries[0].figure
    kind = case.docket.laws(atom, [figure])
    if (
        not kind.domain[0]
        or kind.least
        or kind.changes is not None
        or figure.channel.hides
        or kind.answered is not None
        or (figure.channel.period and known)
    ):
        return None
    adds = sorted({vector[0] for vector in kind.domain} | ({0} if case.docket.presence else set()))
    if len(adds) < 2 or wide(adds):
        return None
    high, low = adds[-1], adds[0]
    crowd = crowd_of([{vector[0]: chance for vector, chance in law.items()} for law in kind.laws], kind.counts)
    try:
        laws = compared(crowd, Pair(high, low), figure.channel, known, setting.question.target.epsilon)
        found = outcomes(*laws)
    except InputError:
        return None
    unit = figure.unit(setting.question.columns)
    step = math.prod((link.period or 1 for link in figure.channel.links), start=Fraction(1)) * unit
    one, other = f"you add {plain(high * unit)}", f"you add {plain(low * unit)}"
    if figure.column is None:
        one, other = "you are counted", "you are not"
    if case.docket.presence:  # who adds nothing is as if they were not there
        one = f"you took part, and {one}" if high else "you did not take part"
        other = f"you took part, and {other}" if low else "you did not take part"
    name = f"the total behind {atom.entries[0]}" if figure.kind == "mean" else str(atom.entries[0])
    return Typical(name, one, other, step, known, found)


# -- for an output checker -------------------------------------------------------------------------------------------


def carried(found: Sensitivity, *, holds: bool) -> str:
    """Which assumption carries the verdict, in a sentence."""
    limit = found.carried_by
    if limit is None:
        return (
            "None of these assumptions turns the verdict by itself, as far as they were moved."
            if holds
            else "No single assumption, as far as they were moved, would turn the verdict."
        )
    if holds:
        return (
            f"The verdict rests most on {_plainly(limit)}: it is the assumption of which the smallest part, "
            f"{_part(limit)}, has to be wrong before the target is no longer certified. "
            f"{_stated(limit, 'certified until')}: {limit.told}."
        )
    return (
        f"The verdict would be turned first by {_plainly(limit)}: a change of {_part(limit)} is enough. "
        f"{_stated(limit, 'the target would be met at')}: {limit.told}. That is no advice to assume it: an assumption "
        "needs a source."
    )


def _stated(limit: MarginLimit, then: str) -> str:
    """What was stated, if that is a number, and what comes after it."""
    return then.capitalize() if limit.stated == AS_STATED else f"Stated: {limit.stated}; {then}"


def _part(limit: MarginLimit) -> str:
    """A relative change, rounded down: a smaller one does not turn the verdict."""
    if limit.change is None:
        return "-"
    return f"{math.floor(100 * limit.change)} %" if limit.change >= Fraction(1, 10) else _tenths(limit.change)


def _tenths(change: Fraction) -> str:
    return f"{math.floor(1000 * change) / 10:g} %"


def _plainly(limit: MarginLimit) -> str:
    return "the independence of people" if limit.assumption.startswith("people") else limit.assumption


def limit_lines(limits: Sequence[MarginLimit], *, holds: bool) -> list[str]:
    """A table: each assumption, what was stated, how far it may be wrong, and what happens then."""
    until = "still holds until" if holds else "would hold at"
    rows = [
        ("assumption", "stated", until, "wrong by"),
        *((limit.assumption, limit.stated, limit.told, _part(limit)) for limit in limits),
    ]
    beyond = [item(f"{limit.assumption}: {limit.beyond}") for limit in limits]
    return [*table(rows, fold=2), "", "What happens beyond:", *beyond]


def sensitivity_table(found: Sensitivity, question: Question) -> list[str]:
    """How ε and δ move with each assumption."""
    target = question.target
    who = f" (the {found.groups} groups of people that fare worst)" if found.groups else ""
    head = f"How the numbers move{who}; what was stated is marked *:"
    titles = ("", "", f"delta at epsilon {short(target.epsilon)}", f"epsilon at delta {short(target.delta)}", "")
    rows = [titles]
    before = ""
    for row in found.rows:
        name = row.assumption if row.assumption != before else ""
        before = row.assumption
        told = f"{row.told}{' *' if row.stated else ''}"
        rows.append(
            (
                name,
                told,
                at_most(row.delta.upper, target.delta),
                shown_epsilon(row.epsilon),
                "holds" if row.holds else "does not hold",
            )
        )
    return [head, "", *table(rows, fold=1)]


# -- layout ----------------------------------------------------------------------------------------------------------


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Tables as they are, with an empty line around them; the rest is wrapped."""
    told: list[str] = []
    before = False
    for line in lines:
        table = line.startswith("  ")
        if told and not (table and before):
            told.append("")
        told.append(line if table else wrapped(line))
        before = table
    return told


def _limit_json(limit: MarginLimit) -> dict[str, Any]:
    return {
        "assumption": limit.assumption,
        "stated": limit.stated,
        "until": None if limit.until is None else str(limit.until),
        "told": limit.told,
        "beyond": limit.beyond,
        "relative_change": None if limit.change is None else float(limit.change),
    }


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "assumption": row.assumption,
        "value": str(row.value),
        "told": row.told,
        "delta": [row.delta.lower, row.delta.upper],
        "epsilon_at_most": None if math.isinf(row.epsilon) else row.epsilon,
        "holds": row.holds,
        "stated": row.stated,
    }
