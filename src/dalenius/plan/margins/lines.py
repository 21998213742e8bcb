"""How far what was assumed may be wrong, in a few lines for the end of an answer."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

from dalenius.basics.patience import Left, TimeUpError, always
from dalenius.plan import Plan, Publish, Question
from dalenius.plan.margins import MarginLimit, Setting
from dalenius.plan.margins.limits import known_limit, round_radius, size_limit
from dalenius.tables.contributions import linked
from dalenius.tables.figures import Figure
from dalenius.tables.history import History

WORST = 4  # groups up to which a short answer checks all of them
MOVED = 300  # groups up to which a short answer looks for moves again
ELSEWHERE = "How far what was assumed may be wrong: dalenius explain says it, for the groups that fare worst."
KNOWN = "how many records the attacker may know"
SIZE = "how many people are enough"
RADIUS = "how far every probability may be off"
Search: TypeAlias = tuple[str, Callable[[], str]]  # what is looked for; a line of a list, or nothing


class PreparedLike(Protocol):
    """What a specification asks for."""

    @property
    def figures(self) -> tuple[Figure, ...]: ...

    @property
    def history(self) -> History: ...


class Decided(Protocol):
    """A decision: what was asked, and what was found."""

    @property
    def prepared(self) -> PreparedLike: ...

    @property
    def question(self) -> Question: ...

    @property
    def as_specified(self) -> Plan: ...


def sensitivity_lines(decision: Decided, *, known: bool = True) -> list[str]:
    """How far what was assumed may be wrong; without `known`, not how many records may be known, if the figures pass.
    Cost: tenths of a second; of more than a few groups of people only the worst is followed, and the lines say so.
    """
    return list(margins(decision, known=known))


def margins(
    decision: Decided, *, known: bool = True, left: Left = always, untried: Callable[[str], object] = lambda _what: None
) -> Iterator[str]:
    """The same, each line as soon as it is found. `untried` is told what there was no time for."""
    plan, prepared = decision.as_specified, decision.prepared
    if not plan.findings or all(finding.delta.upper == 0 for finding in plan.findings):
        return
    setting = replace(Setting.of(prepared.figures, prepared.history, decision.question, plan.findings), left=left)
    few = len(plan.findings) <= WORST and setting.groups is None
    if not few:
        setting = replace(setting, groups=setting.worst)
    who = "" if few else ", for the group that fares worst"
    holds = isinstance(plan, Publish)
    if (setting.moves and len(plan.findings) > MOVED) or (not holds and (setting.moves or _joint(decision))):
        yield ELSEWHERE
        return
    if not holds:
        head, searches = f"The target would be met{who}, if one of these were so:", _turning(setting)
    elif setting.moves:  # the rest takes seconds, and is said by `dalenius explain`
        head = f"How far what was assumed may be wrong (certified{who}; dalenius explain says more):"
        searches = [(KNOWN, lambda: _known(setting))] if known else []
    else:
        head = f"How far what was assumed may be wrong (certified, one at a time{who}):"
        searches = [
            *([(KNOWN, lambda: _known(setting))] if known else []),
            (SIZE, lambda: _fewer(setting)),
            *([(RADIUS, lambda: _off(setting))] if setting.stated else []),
        ]
    yield from _lines(head, searches, untried)


def _lines(head: str, searches: Sequence[Search], untried: Callable[[str], object]) -> Iterator[str]:
    """The head before the first line that there is, and each line as soon as it is found."""
    begun = False
    for what, search in searches:
        try:
            line = search()
        except TimeUpError:
            untried(what)
            continue
        if line and not begun:
            yield head
            begun = True
        if line:
            yield f"  - {line}"


def _turning(setting: Setting) -> list[Search]:
    """What would have to be otherwise, for figures that do not pass."""

    def told(limit: MarginLimit) -> str:
        return f"{limit.assumption}: {limit.told}" if limit.until is not None else ""

    return [(KNOWN, lambda: told(known_limit(setting))), (SIZE, lambda: told(size_limit(setting)))]


def _known(setting: Setting) -> str:
    return f"the attacker may know up to {known_limit(setting).told}"


def _fewer(setting: Setting) -> str:
    told = size_limit(setting).told
    return f"there may be fewer people: {told} {'is' if told.startswith('one ') else 'are'} enough"


def _off(setting: Setting) -> str:
    radius = round_radius(setting)
    off = f"by {float(radius):g}" if radius else "not at all"
    return f"every probability may be off {off}, for each person in their own way"


def _joint(decision: Decided) -> bool:
    """Whether somebody is judged by the joint law of several sums: how many more people it takes is a long search."""
    question, findings = decision.question, decision.as_specified.findings
    parts = (linked(finding.atom.figures, question.columns, question.beliefs) for finding in findings)
    return any(len(part) > 1 for some in parts for part in some)
