"""plan(figures, history, ...): may these figures go out together, and if not, what is the least change that lets them?
Pure: it never sees a confidential value.
"""

from collections.abc import Sequence
from dataclasses import replace

from dalenius.calibration import LADDER, checked_ladder
from dalenius.figures import Figure
from dalenius.guarantees import Verdict
from dalenius.history import History
from dalenius.planning.advice import Advice, advice_of, taken_back
from dalenius.planning.alternative import Alternative
from dalenius.planning.dropping import with_drops
from dalenius.planning.examination import Examination, examine, passes, reviewed
from dalenius.planning.fewer import fewer_ways
from dalenius.planning.judging import Spreader
from dalenius.planning.nearest import measure_next, nearest_of
from dalenius.planning.outcome import AddNoise, Coarsen, Plan, Publish, Refuse, Undecided
from dalenius.planning.part import Desk, Part, parts_of
from dalenius.planning.question import Progress, Question, check
from dalenius.planning.shared import shared_ways
from dalenius.planning.single import single_ways

FITTED = (
    "a belief was fitted to the confidential data, which makes every number heuristic; take it from a public source"
)
NOTHING = "No noise reaches epsilon 0. Allow a positive epsilon, or leave figures out."
OPEN = "no bound passes, and no combination of the figures is known to reveal too much"


def plan(
    figures: Sequence[Figure],
    history: History,
    question: Question,
    *,
    ladder: Sequence[int] = LADDER,
    progress: Progress = lambda _what, _done, _of: None,
    spread: Spreader | None = None,
) -> Plan:
    """Judge the figures together with each other and with all that is already out; if they do not pass, look for the
    least change that lets them.

    Persons in exactly the same published numbers form an atom; under independent records the release is at least as
    safe as its worst atom. An atom fails if its own numbers can be worked out from the published ones and reveal too
    much, or if a published number by itself does. Cost: one law for each different kind of atom.

    Changes are looked for in each part of the release, that is figures that share people: rounding on the `ladder`,
    truncation, merging, leaving out, noise. Each one that is offered was judged again from scratch; the cheapest is
    chosen, first by how many numbers are lost, then by the expected error. The whole changed release is judged once
    more.
    """
    figures, ladder = tuple(figures), checked_ladder(ladder)
    together = (*history.figures, *figures)
    check(together, question)
    examined = examine(together, question, progress, spread)
    found = examined.findings
    if any(belief.fitted for belief in question.beliefs):
        return Undecided(reviewed(found), reason=FITTED, next="Take the belief from a public source.")
    if all(finding.verdict == Verdict.PASS for finding in found):
        return Publish(found)
    desk = Desk(question, examined.judge, examined.sizes, figures, ladder, progress)
    fresh, out = tuple(figure for figure in figures if figure.name not in history.again), history.beside(figures)
    whole = parts_of(fresh, out.figures, examined)
    parts = [part for part in whole if not part.safe]
    alternatives, complete = [], True
    for part in parts:
        ways = _weighed(_ways(part, desk))
        complete = complete and any(way.chosen for way in ways)
        alternatives += ways
    changed = _changed(figures, alternatives)
    progress("judging the changed figures from scratch", 0, 1)
    # where there is one part only, it is the whole release, and was judged from scratch with the change that was chosen
    if complete and changed and (len(whole) == 1 or passes((*history.figures, *changed), question)):
        advice = with_drops(_advice(parts, alternatives, examined, out, question), fresh, out, found, question)
        return (AddNoise if _noisier(figures, alternatives) else Coarsen)(found, changed, tuple(alternatives), advice)
    return _none(parts, tuple(replace(way, chosen=False) for way in alternatives), examined, question, out, fresh)


def _none(
    parts: Sequence[Part],
    alternatives: tuple[Alternative, ...],
    examined: Examination,
    question: Question,
    history: History,
    figures: Sequence[Figure],
) -> Plan:
    """No change makes the whole release safe."""
    found, advice = examined.findings, _advice(parts, alternatives, examined, history, question)
    if any(finding.verdict == Verdict.FAIL for finding in found):
        return Refuse(found, advice, alternatives, nearest_of(examined, question))
    advice = with_drops(advice, figures, history, found, question)
    return Undecided(found, advice, OPEN, alternatives, measure_next(examined, question))


def _ways(part: Part, desk: Desk) -> list[Alternative]:
    """Everything that was thought of for a part; nothing can be done about figures that are already out."""
    if not part.new:
        return []
    if part.single:
        return [*single_ways(part, desk), *fewer_ways(part, desk)]
    return [*shared_ways(part, desk), *fewer_ways(part, desk)]


def _weighed(ways: Sequence[Alternative]) -> list[Alternative]:
    """The cheapest certified one is chosen; each says why, or why not."""
    certified = [way for way in ways if way.certified]
    if not certified:
        return list(ways)
    best = min(certified, key=lambda way: way.rank)
    return [_reasoned(way, best) for way in ways]


def _reasoned(way: Alternative, best: Alternative) -> Alternative:
    if way is best:
        kept = "keeps every number" if not way.lost else f"loses {way.lost} numbers, the fewest"
        return replace(way, chosen=True, why="; ".join(filter(None, [f"chosen: {kept}, at the least cost", way.why])))
    if not way.certified:
        return way
    if way.lost > best.lost:
        why = f"loses {way.lost} published number{'s' if way.lost > 1 else ''}"
    elif way.rank[1] > best.rank[1]:
        ratio = way.cost / best.cost if best.cost else float("inf")
        why = f"costs {ratio:.2f} times as much"
    else:
        why = "costs as much, and rests on more" if way.rank > best.rank else "costs as much"
    return replace(way, why="; ".join(filter(None, [why, way.why])))


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
    if examined.judge.epsilon == 0:
        return Advice(words=NOTHING)
    shared = any(not part.single for part in parts)
    advice = advice_of(alternatives, shared=shared)
    if history.figures and not advice.remedies:
        return Advice(words=taken_back(examine(history.figures, question, lambda _what, _done, _of: None).findings))
    return advice
