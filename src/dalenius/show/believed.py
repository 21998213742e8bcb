"""What follows from tables with a belief, in words and for machines: how likely hidden numbers are, and one person."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from dalenius.audit.examination import name_of
from dalenius.audit.likelihood import Between
from dalenius.audit.persons import BelievedNumbers, HiddenChances, risks
from dalenius.audit.tables import PublishedTable
from dalenius.enclosure.brackets import around
from dalenius.enclosure.formats import percent
from dalenius.judge.risk import Risk
from dalenius.plan.exposure import Exposure
from dalenius.show.risk import guessed, risk_json, tested

MOST_TOLD = 12  # hidden numbers whose chances are told
MOST_VALUES = 4  # of one of them


def believed_lines(found: BelievedNumbers, tables: Sequence[PublishedTable]) -> Iterator[str]:
    """The belief, what it makes of hidden numbers, and the risk of one person."""
    yield (
        f"With the stated belief (source: {'; '.join(found.sources)}), {found.people} people independent of each "
        "other, and if which numbers are hidden tells nothing but what was stated:"
    )
    if found.known:
        yield (
            "  What is known besides is taken as numbers that somebody counted, not as persons whom the attacker knows."
        )
    open_ = [each for each in found.numbers if len(each.values.values) > 1 or not each.values.exact]
    for each in open_[:MOST_TOLD]:
        yield f"  - {_chances(each, tables)}"
    if len(open_) > MOST_TOLD:
        yield f"  - and {len(open_) - MOST_TOLD} more."
    if len(open_) < len(found.numbers):
        yield f"  - {len(found.numbers) - len(open_)} hidden numbers are known without it."
    if found.untried:
        yield f"  - For {len(found.untried)} hidden numbers there was no time (--seconds)."
    told = [(words, _risk(risk)) for words, risk in risks(found)]
    if len({line for _, line in told}) == 1:
        yield f"Risk of publishing tables of this form, {told[-1][0]}: {told[-1][1]}"
    else:
        yield from (f"Risk of publishing tables of this form, {words}: {line}" for words, line in told)
    if found.unjudged:
        yield f"The risk of one person was not judged: {found.unjudged}."


def _chances(each: HiddenChances, tables: Sequence[PublishedTable]) -> str:
    """The likeliest values of a number, and one person."""
    likeliest = sorted(each.values.values.items(), key=lambda one: -one[1][0])[:MOST_VALUES]
    values = ", ".join(f"{value} ({_between(chance)})" for value, chance in sorted(likeliest))
    left = 1 - sum((low for _, (low, _) in likeliest), Fraction(0))
    more = f", anything else (at most {percent(left, up=True)})" if left > 0 else ""
    return (
        f"{name_of(each.asked, tables)} is {values or 'not known any better'}{more}. Somebody of whom nothing else is "
        f"known is counted there with a chance of {_between(each.after)}, before of {_between((each.before,) * 2)}."
    )


def _between(chance: Between) -> str:
    low, high = percent(chance[0]), percent(chance[1], up=True)
    return high if low == high else f"{low.removesuffix(' %')} to {high}"


def _risk(risk: Risk) -> str:
    found = Exposure(risk)
    return (
        f"whoever knows none of these people and tells two facts about one of them apart by the tables, with 10 false "
        f"alarms in 1,000, finds {tested(found)} of 1,000 (10 without looking); of two values that seemed equally "
        f"likely they guess the right one with a chance of {guessed(found)} (50 % without looking)."
    )


def believed_json(found: BelievedNumbers, tables: Sequence[PublishedTable]) -> dict[str, Any]:
    """For machines: fractions as text, lower and upper ends."""
    return {
        "people": found.people,
        "sources": list(found.sources),
        "numbers": [
            {
                "name": name_of(each.asked, tables),
                "exact": each.values.exact,
                "values": {str(value): _ends(chance) for value, chance in each.values.values.items()},
                "other": _up(each.values.other),
                "person": {"before": _ends((each.before,) * 2), "after": _ends(each.after)},
            }
            for each in found.numbers
        ],
        "untried": [name_of(each, tables) for each in found.untried],
        "risk": {words: risk_json(Exposure(risk)) for words, risk in risks(found)},
        "unjudged": found.unjudged,
    }


def _ends(chance: Between) -> list[float]:
    return [_down(chance[0]), _up(chance[1])]


def _down(chance: Fraction) -> float:
    return around(chance, chance).lower


def _up(chance: Fraction) -> float:
    return around(chance, chance).upper
