"""The least change that lets figures go out which do not pass as they are."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dalenius.basics.patience import Left, TimeUpError, always
from dalenius.claims import Verdict
from dalenius.plan.advice import Advice, advice_of, taken_back
from dalenius.plan.alternative import Alternative
from dalenius.plan.assessment import OPEN, Assessment
from dalenius.plan.attempt import Attempt, try_all
from dalenius.plan.calibration import LADDER, checked_ladder
from dalenius.plan.dropping import with_drops
from dalenius.plan.editions import noise_over_editions
from dalenius.plan.examination import Examination, certified, examine
from dalenius.plan.fewer import fewer_ways
from dalenius.plan.nearest import measure_next, nearest_of
from dalenius.plan.outcome import AddNoise, Coarsen, Plan, Refuse, Undecided
from dalenius.plan.part import Desk, Part, parts_of
from dalenius.plan.question import Progress, Question
from dalenius.plan.shared import shared_ways
from dalenius.plan.single import single_ways
from dalenius.plan.wishes import NOTHING_SPECIAL, Wishes
from dalenius.tables.figures import Figure
from dalenius.tables.history import History

NOTHING = "No noise reaches epsilon 0. Allow a positive epsilon, or leave figures out."
DROPS, NEAREST, MEASURED = (
    "without which figures the others pass",
    "the nearest target that the figures meet as they are",
    "what to measure next",
)


def least_change(
    assessed: Assessment,
    *,
    ladder: Sequence[int] = LADDER,
    progress: Progress = lambda _what, _done, _of: None,
    left: Left = always,
    wishes: Wishes = NOTHING_SPECIAL,
) -> Plan:
    """The least change that lets figures go out; the answer itself where none is needed, or none can help.

    Changes are looked for in each part of the release, that is figures that share people: rounding on the `ladder`,
    truncation, merging, leaving out, noise. Each one that is offered was judged again from scratch; the cheapest is
    chosen: those that touch nothing that is to be kept (`wishes`) and leave four fifths of the numbers exact before all
    others, those that leave half of them exact before the rest; then by how many numbers are lost, then by the expected
    error. The whole changed release is judged once more. When no time is `left`, what is certified by then is what is
    chosen from, and the plan says what was not tried; whether the figures pass as they are never depends on it.
    """
    if assessed.settled:
        return assessed.answer
    if assessed.question.over_editions((*assessed.history.figures, *assessed.figures)) is not None:
        return noise_over_editions(assessed, progress, left)
    figures, history, question, examined = assessed.figures, assessed.history, assessed.question, assessed.examined
    found = examined.findings
    wishes.check(figures)
    judge, rungs = examined.docket.less_close(), checked_ladder(ladder)
    desk = Desk(question, judge, examined.sizes, figures, rungs, progress, left, wishes)
    fresh, out = tuple(figure for figure in figures if figure.name not in history.again), history.beside(figures)
    whole = parts_of(fresh, out.figures, examined)
    parts = [part for part in whole if not part.safe]
    alternatives, untried, complete = list[Alternative](), list[str](), True
    for part in parts:
        every, not_tried = try_all(_ways(part, desk), part.names, left)
        ways = _weighed(every, part, desk)
        complete = complete and any(way.chosen for way in ways)
        alternatives += ways
        untried += not_tried
    changed = _changed(figures, alternatives)
    progress("judging the changed figures from scratch", 0, 1)
    advice = _advice(parts, alternatives, examined, out, question)
    if untried and not advice.remedies:  # that nothing was found says nothing
        advice = Advice()
    # where there is one part only, it is the whole release, and was judged from scratch with the change that was chosen
    if complete and changed and (len(whole) == 1 or certified((*history.figures, *changed), question)):
        if left():
            advice = with_drops(advice, fresh, out, found, question)
        else:
            untried.append(DROPS)
        kind = AddNoise if _noisier(figures, alternatives) else Coarsen
        return kind(found, changed, tuple(alternatives), advice, tuple(untried))
    none = tuple(replace(way, chosen=False) for way in alternatives)
    return _no_change(none, advice, assessed, fresh, out, untried, left)


def _no_change(
    alternatives: tuple[Alternative, ...],
    advice: Advice,
    assessed: Assessment,
    figures: Sequence[Figure],
    history: History,
    untried: Sequence[str],
    left: Left,
) -> Plan:
    """No change makes the whole release safe."""
    examined, question, found = assessed.examined, assessed.question, assessed.findings
    if any(finding.verdict == Verdict.FAIL for finding in found):
        try:
            return Refuse(found, advice, alternatives, nearest_of(examined, question, left), tuple(untried))
        except TimeUpError:
            return Refuse(found, advice, alternatives, (), (*untried, NEAREST))
    if not left():
        return Undecided(found, advice, OPEN, alternatives, "", (*untried, DROPS, MEASURED))
    advice = with_drops(advice, figures, history, found, question)
    try:
        return Undecided(found, advice, OPEN, alternatives, measure_next(examined, question, left), tuple(untried))
    except TimeUpError:
        return Undecided(found, advice, OPEN, alternatives, "", (*untried, MEASURED))


def _ways(part: Part, desk: Desk) -> list[Attempt | Alternative]:
    """Everything that was thought of for a part; nothing can be done about figures that are already out."""
    if not part.new:
        return []
    if part.single:
        return [*single_ways(part, desk), *fewer_ways(part, desk)]
    return [*shared_ways(part, desk), *fewer_ways(part, desk)]


def _weighed(ways: Sequence[Alternative], part: Part, desk: Desk) -> list[Alternative]:
    """The cheapest certified one is chosen; each says why, or why not. Those that leave most numbers exact come before
    all others.
    """
    ways = [_asked(replace(way, rough=_roughens(way, part, desk)), part, desk) for way in ways]
    possible = [way for way in ways if way.possible]
    if not possible:
        return ways
    # Noise in some numbers that costs more than noise in all of them leaves the others exact at too high a price.
    enough = min((way.cost for way in possible if way.way == "noise alone"), default=float("inf"))
    ways = [replace(way, rough=2) if way.rough and way.cost > enough else way for way in ways]
    ways = [replace(way, frontier=_undominated(way, possible)) for way in ways]
    best = min((way for way in ways if way.possible), key=lambda way: way.rank)
    return [_reasoned(way, best) for way in ways]


def _undominated(way: Alternative, possible: Sequence[Alternative]) -> bool:
    """Whether nothing else that is possible loses no more numbers at no larger cost, and less of one of the two."""
    mine = way.loss, way.cost
    return way.possible and not any(
        one.loss <= way.loss and one.cost <= way.cost and (one.loss, one.cost) != mine for one in possible
    )


def _asked(way: Alternative, part: Part, desk: Desk) -> Alternative:
    """What is lost as it matters; nothing that is to be kept may be touched."""
    becomes = {change.figure: change.becomes for change in way.changes}
    touched = [f.name for f in part.new if f.name in becomes and desk.wishes.broken(f, becomes[f.name])]
    if touched:
        return replace(way, certified=False, why=f"changes {' and '.join(touched)}, which is to be kept")
    lost = Fraction(way.lost)
    for figure in part.new:
        weight = desk.wishes.weight(figure.name)
        if figure.name in becomes and weight != 1:
            left = sum(desk.numbers(new) for new in becomes[figure.name])
            lost += (weight - 1) * max(0, desk.numbers(figure) - left)
    return replace(way, loss=float(lost))


def _roughens(way: Alternative, part: Part, desk: Desk) -> int:
    """1 if fewer than four fifths of the numbers stay exact that are, 2 if fewer than half, or half of them and others
    are lost; a truncated sum is not the exact one.
    """
    cut = {figure.name: figure.truncated for figure in part.new}
    exact = {figure.name: desk.numbers(figure) for figure in part.new if figure.channel.exact}
    kept = dict(exact)
    for change in way.changes:
        if change.figure in exact:
            left = (new for new in change.becomes if new.channel.exact and new.truncated == cut[change.figure])
            kept[change.figure] = sum(map(desk.numbers, left))
    left_exact, most = sum(min(kept[name], exact[name]) for name in exact), sum(exact.values())
    return int(5 * left_exact < 4 * most) + int(2 * left_exact < most + (way.lost > 0))


def _reasoned(way: Alternative, best: Alternative) -> Alternative:
    if way is best:
        kept = "keeps every number" if not way.lost else f"loses {_numbered(way.lost)}, the fewest"
        return replace(way, chosen=True, why="; ".join(filter(None, [f"chosen: {kept}, at the least cost", way.why])))
    if not way.possible:
        return way
    if way.rough > best.rough and best.rough and way.changes and way.way in ("data and noise", "leaving out and noise"):
        why = "costs more than noise in all of them, or leaves fewer than half of the numbers exact"
    elif way.rough > best.rough:
        why = f"leaves fewer than {'half' if way.rough == 2 and best.rough else 'four fifths'} of the numbers exact"
    elif way.loss > best.loss:
        why = f"loses {_numbered(way.lost, published=True)}"
    elif way.rank[2] > best.rank[2]:
        ratio = way.cost / best.cost if best.cost else float("inf")
        why = f"costs {ratio:.2f} times as much"
    else:
        why = "costs as much, and rests on more" if way.rank > best.rank else "costs as much"
    return replace(way, why="; ".join(filter(None, [why, way.why])))


def _numbered(lost: int, *, published: bool = False) -> str:
    """How many numbers, in words."""
    return f"{lost} {'published ' if published else ''}number{'s' if lost != 1 else ''}"


def _changed(figures: Sequence[Figure], alternatives: Sequence[Alternative]) -> tuple[Figure, ...]:
    """The release after the chosen changes."""
    becomes = {change.figure: change.becomes for way in alternatives if way.chosen for change in way.changes}
    return tuple(new for figure in figures for new in becomes.get(figure.name, (figure,)))


def _noisier(figures: Sequence[Figure], alternatives: Sequence[Alternative]) -> bool:
    """Whether a chosen change is noise, not only a figure that had it before."""
    before = {figure.name: figure.channel for figure in figures}
    changes = [change for way in alternatives if way.chosen for change in way.changes]
    return any(new.channel.random and new.channel != before[one.figure] for one in changes for new in one.becomes)


def _advice(
    parts: Sequence[Part],
    alternatives: Sequence[Alternative],
    examined: Examination,
    history: History,
    question: Question,
) -> Advice:
    """In short: what to add to each figure."""
    if examined.docket.epsilon == 0:
        return Advice(words=NOTHING)
    shared = any(not part.single for part in parts)
    advice = advice_of(alternatives, shared=shared)
    if history.figures and not advice.remedies:
        return Advice(words=taken_back(examine(history.figures, question, lambda _what, _done, _of: None).findings))
    return advice
