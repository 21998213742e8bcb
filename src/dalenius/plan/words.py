"""What a plan says, in one sentence."""

from collections.abc import Sequence
from typing import assert_never

from dalenius.facts.secret import partly
from dalenius.mechanisms.channel import Channel
from dalenius.mechanisms.compared import OnlyCompared
from dalenius.plan.outcome import AddNoise, Coarsen, Plan, Publish, Refuse, Undecided, verdict_of
from dalenius.plan.question import Question
from dalenius.tables.figures import Figure


def headline(plan: Plan, figures: Sequence[Figure]) -> str:
    """The answer, in one line."""
    match plan:
        case Publish():
            return may_go_out(changes(figures))
        case Coarsen() | AddNoise() | Refuse() if verdict_of(plan) == "fail":
            return "NO: these figures may not go out as they stand."
        case Coarsen() | AddNoise() | Refuse() | Undecided():
            return "REVIEW: neither certified as safe nor shown to be unsafe; a person must decide."
        case _:
            assert_never(plan)


TRUNCATED, NOISE, ROUNDING, HIDING = "truncated values", "noise", "rounding", "hiding of small counts"
COMPARING = "naming of the largest count"
ORDERING = "naming of a value by its place"
MODELLING = "choice of the likeliest model"
EARNING, CHOOSING = "choice between exact and noisy counts", "choice of the likeliest rate"


def changes(figures: Sequence[Figure]) -> list[str]:
    """What happens to some of the figures before they go out, of the nine things that can."""
    links = [link for figure in figures for link in figure.channel.links]
    there = {
        TRUNCATED: any(figure.truncated is not None for figure in figures),
        NOISE: any(link.random or (isinstance(link, OnlyCompared) and link.dice) for link in links),
        ROUNDING: any(not link.random and not link.exact and not link.hides for link in links),
    }
    rules = [link for link in links if link.hides]
    return [name for name, is_there in there.items() if is_there] + (_decided(rules) if rules else [])


def _decided(rules: Sequence[Channel]) -> list[str]:
    """What of it the data decide."""
    from dalenius.mechanisms.choice import LikeliestRate
    from dalenius.mechanisms.earned_count import ExactIfEarned
    from dalenius.mechanisms.small_counts import SmallCountsHidden

    there = {
        HIDING: any(isinstance(link, SmallCountsHidden) for link in rules),
        COMPARING: any(isinstance(link, OnlyCompared) and link.at is None and not link.models for link in rules),
        ORDERING: any(isinstance(link, OnlyCompared) and link.at is not None for link in rules),
        MODELLING: any(isinstance(link, OnlyCompared) and bool(link.models) for link in rules),
        CHOOSING: any(isinstance(link, LikeliestRate) for link in rules),
        EARNING: any(isinstance(link, ExactIfEarned) for link in rules),
    }
    return [name for name, is_there in there.items() if is_there]


def may_go_out(changed: Sequence[str]) -> str:
    """The sentence that figures may go out, exactly or with these changes.

    >>> may_go_out([]), may_go_out([ROUNDING])
    ('YES: these figures may go out exactly as they are.', \
'YES: these figures may go out, with the rounding that is specified for them.')
    """
    return f"YES: these figures may go out{',' if changed else ''} {how(changed)}."


def how(changed: Sequence[str]) -> str:
    """How figures may go out: exactly, or with these changes."""
    if not changed:
        return "exactly as they are"
    every = " and ".join([*([", ".join(changed[:-1])] if changed[1:] else []), changed[-1]])
    one = list(changed) in ([NOISE], [ROUNDING], [HIDING], [COMPARING], [ORDERING], [MODELLING], [EARNING], [CHOOSING])
    return f"with the {every} that {'is' if one else 'are'} specified for them"


def whom(question: Question) -> str:
    """About whom two facts are compared."""
    if partly(question.secret):
        who = "a person" if question.frame.together is None else "a household"
        return f"{who} that must look alike"
    return "a person" if question.frame.together is None else "all records of a household"


def remarks(question: Question) -> list[str]:
    """What a reader of the target should know."""
    near = [f"Secret is {question.secret}."] if partly(question.secret) else []
    asked = [f"Promised is to be: {question.promise} privacy."] if question.promise else []
    return [*near, *asked, *_promise(question)]


def _promise(question: Question) -> list[str]:
    """That it is none, where delta is too large for so many people."""
    if question.target.delta * question.frame.size < 1:
        return []
    size = question.frame.size
    told = f"Mind that delta times the {size} people is not below 1: such a promise may fail for somebody."
    return [f"{told} Take a delta far below one divided by their number."]
