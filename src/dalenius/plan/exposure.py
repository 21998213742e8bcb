"""What an answer means in words that people use: how well anybody can tell two facts about one person apart by the
figures, and what differential privacy by itself would have cost instead.

*From above*, worst over all groups of people: every group has its certified delta at the target's epsilon, and where
there are few groups, at other ones too. *From below*: a group with a number of its own is told apart as well as its
curve says from below; and of whatever is refused, the witness is a test that somebody can make.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left, TimeUpError, always, go_on
from dalenius.claims import Verdict
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import lowered
from dalenius.facts.secret import wide
from dalenius.judge.risk import Risk, risk_from, risk_of
from dalenius.mechanisms import Chain
from dalenius.plan.examination import Examination, alone
from dalenius.plan.finding import Finding
from dalenius.plan.outcome import Plan
from dalenius.plan.question import Question
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure

LEVELS = tuple(map(Fraction, ("0", "1/4", "1/2", "1", "3/2", "2", "3", "5")))  # times the target's epsilon
FEW = 12  # groups of people that are all looked at closely
LONGEST = 200_000  # different totals of a number, up to which its curve is asked at some hundred places
WIDE_NOISE = 25  # how many scales of noise make the law longer
SIGNS = 8  # numbers that a pair of facts moves, from which on Gaussian noise may cost less
MOST_SCALE = Fraction(20_000)
MOST_COMPOSED = 200  # figures whose noise is composed to see what differential privacy needs


@final
@dataclass(frozen=True, slots=True)
class Exposure:
    """How well the best attacker tells two facts about one person apart, worst over all groups of people.

    `shared` holds for everybody; `own` are curves of groups with a number of their own, of `every` group or of some;
    `tests` are events of witnesses: how often each is seen under the one fact (at least) and under the other (at most).
    `prices`: the expected error, figure by figure, if differential privacy by itself had to reach the same target.
    """

    shared: Risk
    own: tuple[Risk, ...] = ()
    every: bool = False
    tests: tuple[tuple[float, float], ...] = ()
    prices: tuple[tuple[str, float], ...] = ()

    @property
    def advantage(self) -> Bracket:
        """The largest difference between the share of cases found and of false alarms: 0 is blind, 1 is certain."""
        seen = max((first - second for first, second in self.tests), default=0.0)
        return self._worst(
            self.shared.advantage, [risk.advantage for risk in self.own], lowered(seen, 1) if seen > 0 else seen
        )

    def found(self, alarms: Fraction) -> Bracket:
        """At a share of false alarms, the share of cases that are found."""
        rate = float(alarms)
        # an event that is seen too often under the other fact is reported only sometimes
        seen = (first * min(1.0, rate / second if second else 1.0) for first, second in self.tests)
        shared = self.shared.found(alarms)
        return self._worst(shared, [risk.found(alarms) for risk in self.own], lowered(max(seen, default=0.0), 1000))

    def guessed(self, values: int) -> Bracket:
        """The chance to guess one of so many values that were equally likely before."""
        seen = max((first - second for first, second in self.tests), default=0.0)
        least = lowered((1 + max(0.0, seen)) / values, 1000)
        return self._worst(self.shared.guessed(values), [risk.guessed(values) for risk in self.own], least)

    def _worst(self, shared: Bracket, own: Sequence[Bracket], seen: float) -> Bracket:
        upper = shared.upper
        if self.every and own:
            upper = min(upper, max(one.upper for one in own))
        lower = max([shared.lower, seen, *(one.lower for one in own)])
        return Bracket(min(lower, upper), upper)


def exposure(plan: Plan, question: Question) -> Exposure | None:
    """As the verdict tells it, without looking closer; None if nobody is concerned, or if nothing can be certified."""
    if not plan.findings or any(belief.fitted for belief in question.beliefs):
        return None
    worst = max(finding.delta.upper for finding in plan.findings)
    return Exposure(risk_from([(question.target.epsilon, worst)]), tests=tests_of(plan.findings))


def tests_of(findings: Sequence[Finding]) -> tuple[tuple[float, float], ...]:
    """Events to watch for: how likely each is under one fact (at least) and under the other (at most)."""
    found = (finding.witness for finding in findings if finding.verdict == Verdict.FAIL)
    return tuple((event.first, event.second) for event in found if event is not None)


def exposure_closely(
    plan: Plan, question: Question, examined: Examination, new: Sequence[Figure], left: Left = always
) -> Exposure | None:
    """The same from curves, as far as there is time; and what differential privacy would cost for the `new` figures."""
    found = exposure(plan, question)
    if found is None:
        return None
    try:
        found = replace(found, prices=tuple(prices(new, examined, question, left).items()))
        if len(plan.findings) <= FEW and all(finding.method == "atom" for finding in plan.findings):
            found = _closely(found, plan.findings, examined, left)
    except TimeUpError:
        return found
    return found


def _closely(found: Exposure, findings: Sequence[Finding], examined: Examination, left: Left) -> Exposure:
    docket, own = examined.docket, list[Risk]()
    points = list[tuple[Fraction, float]](found.shared.points_as_floats())
    for level in LEVELS:
        at = docket.at(level * docket.epsilon)
        if level != 1 and (bound := _bound(at, findings, examined, left)) is not None:
            points.append((at.epsilon, bound))
    for finding in findings:
        if docket.household is None and not docket.also and alone(finding.atom, examined.sizes):
            risk = _of_curve(docket, finding, left)
            own += [risk] if risk is not None else []
    return replace(found, shared=risk_from(points), own=tuple(own), every=len(own) == len(findings))


def _bound(docket: Docket, findings: Sequence[Finding], examined: Examination, left: Left) -> float | None:
    """The worst delta at another epsilon; None if that is too much to compute."""
    worst = 0.0
    for finding in findings:
        go_on(left)
        if docket.heavy(finding.atom):
            return None
        try:
            judged = docket.atom(finding.atom, finding.known, alone=alone(finding.atom, examined.sizes))
        except InputError:
            return None
        worst = max(worst, judged.delta.upper)
    return worst


def _of_curve(docket: Docket, finding: Finding, left: Left) -> Risk | None:
    """The curve of one number, where it can be asked often."""
    go_on(left)
    figure = finding.atom.entries[0].figure
    kind = docket.laws(finding.atom, [figure])
    adds = [vector[0] for vector in kind.domain if vector] or [0]
    if kind.least or docket.heavy(finding.atom) or wide(adds):
        return None
    noise = sum(float(getattr(link, "scale", 0)) for link in figure.channel.links)
    if finding.atom.size * (max(adds) - min(adds)) + WIDE_NOISE * noise > LONGEST:
        return None
    curve = docket.judge.whole(docket.group(finding.atom, finding.known, alone=True))
    return risk_of(curve)


# -- what differential privacy by itself would cost ------------------------------------------------------------------


def prices(
    figures: Sequence[Figure], examined: Examination, question: Question, left: Left = always
) -> Mapping[str, float]:
    """The expected error of each figure if noise alone had to reach the target, whoever knows whatever: geometric or
    discrete Gaussian, whichever costs less. Nothing where that is not known, or where no noise reaches it.
    """
    from dalenius.mechanisms.registry import ROWS
    from dalenius.plan.calibration import expected_error
    from dalenius.plan.calibration.noise import least_from, told
    from dalenius.plan.sharing import enough

    docket = examined.docket
    reach = {figure.name: Fraction(far) for figure in figures if (far := docket.reach(figure))}
    if not reach or not docket.epsilon:
        return {}
    groups = {tuple(one.figure for one in atom.entries if one.figure.name in reach): None for atom in examined.atoms}
    some = [group for group in groups if group]
    scales = enough(docket, some, reach)
    worth = _worth(figures, examined)
    geometric = {name: ROWS["geometric"].error(scale) * worth[name] for name, scale in scales.items()}
    times = max((scales[name] * docket.epsilon / reach[name] for name in scales), default=Fraction(0))
    if times < SIGNS or not question.target.delta or max(map(len, some)) > MOST_COMPOSED:
        return geometric

    def most(factor: Fraction) -> float:
        go_on(left)
        noises = {name: Chain((ROWS["gaussian"].made(Fraction(told(factor * far))),)) for name, far in reach.items()}
        noisy = ([replace(figure, channel=noises[figure.name]) for figure in group] for group in some)
        return max(map(docket.noise_alone, noisy))

    factor = least_from(most, question.target.delta, times, MOST_SCALE)
    if factor is None:
        return geometric
    gaussian = {
        name: expected_error(Chain((ROWS["gaussian"].made(Fraction(told(factor * far))),))) * worth[name]
        for name, far in reach.items()
    }
    return gaussian if sum(gaussian.values()) < sum(geometric.values()) else geometric


def _worth(figures: Sequence[Figure], examined: Examination) -> dict[str, float]:
    """What one unit of each total is worth in the published number; of a mean, in its smallest group."""
    found = {}
    for figure in figures:
        people = 1
        if figure.kind == "mean":
            people = min((size for entry, size in examined.sizes.items() if entry.figure == figure), default=1)
        found[figure.name] = float(figure.unit(examined.docket.columns)) / people
    return found
