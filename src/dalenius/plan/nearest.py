"""What the figures do meet as they are, and what to measure where nothing is decided."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left, always, go_on
from dalenius.claims import Verdict
from dalenius.enclosure.formats import at_most
from dalenius.enclosure.outward import float_after
from dalenius.judge.group import Target
from dalenius.numerics.least import climb, last_below, least, scan
from dalenius.plan.examination import Examination, alone
from dalenius.plan.finding import Finding
from dalenius.plan.judging import docket_of
from dalenius.plan.outcome import Nearest
from dalenius.plan.question import Question
from dalenius.tables.figures import Attacker

LARGEST = 100  # epsilon that is looked for
STEP = Fraction(1, 1000)
WORST = 5  # groups by which an epsilon is looked for, before all are checked


def nearest_of(examined: Examination, question: Question, left: Left = always) -> tuple[Nearest, ...]:
    """The least δ at the wanted ε, and the least ε at the wanted δ, that all figures meet as they are; certified."""
    epsilon, delta = question.target.epsilon, question.target.delta
    found = max((finding.delta.upper for finding in examined.findings), default=0.0)
    at_epsilon = Nearest(epsilon, None, f"at epsilon {float(epsilon):g} no delta below 1 is met without a change")
    if found < 1:
        words = f"at epsilon {float(epsilon):g} the least delta that is met as they are is {at_most(found)}"
        at_epsilon = Nearest(epsilon, Fraction(float_after(found)), words)
    least = _least_epsilon(examined, question, left)
    words = (
        f"at delta {float(delta):g} no epsilon up to {LARGEST} is met without a change"
        if least is None
        else f"at delta {float(delta):g} the least epsilon that is met as they are is {float(least):g}"
    )
    return at_epsilon, Nearest(least, delta, words)


def _least_epsilon(examined: Examination, question: Question, left: Left) -> Fraction | None:
    """To a thousandth: bisected on the worst groups, then checked on all that do not pass; raised until it holds."""
    failing = sorted(
        (finding for finding in examined.findings if finding.verdict != Verdict.PASS),
        key=lambda finding: -finding.delta.upper,
    )
    start, last = int(question.target.epsilon / STEP), int(LARGEST / STEP)

    def likely(steps: int) -> bool:
        go_on(left)
        return _meets(failing[:WORST], examined, question, steps * STEP)

    def certainly(steps: int) -> bool:
        go_on(left)
        return _meets(failing, examined, question, steps * STEP)

    def middle(low: int, high: int) -> int:
        """Upwards in growing steps as long as none is known to do but the last."""
        half = (low + high) // 2
        return min(low + max(1, low // 2 + 64), half) if high == last else half

    if not likely(last):
        return None
    near = least(likely, start, last, middle=middle)[1]
    raised = climb(near, lambda steps: steps + max(1, steps // 50), lambda steps: steps + max(1, steps // 50) > last)
    found = scan(certainly, start, raised)[1]
    return None if found is None else found * STEP


def _meets(some: Sequence[Finding], examined: Examination, question: Question, epsilon: Fraction) -> bool:
    docket = docket_of(replace(question, target=Target(epsilon, question.target.delta))).less_close()
    try:
        return all(
            docket.atom(finding.atom, finding.known, alone=_alone(finding, examined)).delta.certainly_at_most(
                question.target.delta
            )
            for finding in some
        )
    except InputError:
        return False


def _alone(finding: Finding, examined: Examination) -> bool:
    return alone(finding.atom, examined.sizes)


def measure_next(examined: Examination, question: Question, left: Left = always) -> str:
    """What knowledge would decide: fewer known records, if that is enough; else a better law of the records."""
    failing = [finding for finding in examined.findings if finding.verdict != Verdict.PASS]
    known = max((finding.known for finding in failing), default=0)
    names = ", ".join(dict.fromkeys(str(finding.atom.entries[0]) for finding in failing[:3]))

    def most(number: int) -> float:
        go_on(left)
        some = replace(question, attacker=Attacker(number))
        docket = docket_of(some).less_close()
        return max(
            docket.atom(one.atom, min(one.known, number), alone=_alone(one, examined)).delta.upper for one in failing
        )

    enough = last_below(most, question.target.delta, known) if known else None
    if enough is not None and enough < known:
        return (
            f"Measure how many records an attacker can know in the groups that are open ({names}): with at most "
            f"{enough} instead of {known} all of them pass."
        )
    return (
        f"Fewer known records would not decide it. Measure the law of the values in the groups that are open "
        f"({names}), or publish figures that do not overlap there."
    )
