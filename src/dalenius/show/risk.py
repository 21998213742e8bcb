"""Risk as people say it, in sentences and for machines."""

from fractions import Fraction
from typing import Any

from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.formats import at_least, at_most, percent, upwards
from dalenius.enclosure.outward import amply_up
from dalenius.facts.secret import partly
from dalenius.plan.exposure import Exposure
from dalenius.plan.question import Question

ALARMS = Fraction(1, 100)  # false alarms of a test
GUESSES = (2, 4, 10)  # equally likely values to guess among
NAMED = 4  # figures whose price is told one by one


def risk_line(found: Exposure, question: Question) -> str:
    """Cases found by a test, guesses, advantage; each with what it would be without looking."""
    alike = partly(question.secret)
    whom = f"two values of {_about(question)} that must look alike" if alike else f"two facts about {_about(question)}"
    return (
        f"Risk: whoever tells {whom} apart by these figures, with 10 false alarms in 1,000, finds {tested(found)} of "
        f"1,000 (10 without looking); of two values that seemed equally likely they guess the right one with a chance "
        f"of {guessed(found)} (50 % without looking)."
    )


def _about(question: Question) -> str:
    return "a person" if question.frame.together is None else "a household"


def tested(found: Exposure) -> str:
    """Of a thousand cases, how many are found with ten false alarms."""
    share = found.found(ALARMS)
    upper = upwards(1000 * share.upper)
    lower = at_least(1000 * share.lower)
    return f"at most {upper}" if share.lower <= amply_up(float(ALARMS)) else f"{_span(lower, upper)}"


def guessed(found: Exposure) -> str:
    """The chance to guess one of two values."""
    chance = found.guessed(2)
    upper, lower = percent(Fraction(chance.upper), up=True), percent(Fraction(chance.lower))
    return f"at most {upper}" if chance.lower <= amply_up(0.5) else _span(lower.removesuffix(" %"), upper)


def _span(lower: str, upper: str) -> str:
    return upper if lower == upper.removesuffix(" %") else f"{lower} to {upper}"


def price_line(found: Exposure) -> str:
    """What differential privacy by itself would put into the same figures; nothing if that is not known."""
    if not found.prices:
        return ""
    errors = [error for _, error in found.prices]
    if len(errors) > NAMED:
        low, high = upwards(min(errors)), upwards(max(errors))
        told = f"{low} to {high} into each number" if low != high else f"{low} into each number"
    else:
        told = " and ".join(f'{upwards(error)} into each number of "{name}"' for name, error in found.prices)
    return (
        "Differential privacy by itself, with the same epsilon and delta, which needs no belief, would put errors of "
        f"about {told} instead."
    )


def risk_json(found: Exposure) -> dict[str, Any]:
    """For machines: brackets, and the expected errors of differential privacy by figure."""
    return {
        "advantage": _ends(found.advantage),
        "found": {"false_alarms": str(ALARMS), "share": _ends(found.found(ALARMS))},
        "guessed": {str(values): _ends(found.guessed(values)) for values in GUESSES},
        "differential_privacy_alone": dict(found.prices),
    }


def _ends(bracket: Bracket) -> list[float]:
    return [bracket.lower, bracket.upper]


def advantage_text(found: Exposure) -> str:
    """From 0, blind, to 1, certain."""
    one = found.advantage
    upper = at_most(one.upper)
    return f"at most {upper}" if one.lower <= 0 else _span(at_least(one.lower), upper)
