"""What the charts show: certified numbers at other epsilons, other attackers, other noise.

All points are upper bounds, worst over all groups of people where there are few, else over those that are worst at the
target (the charts say which).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left, TimeUpError, always, go_on
from dalenius.claims.conversions import pointwise_from_indistinguishability
from dalenius.enclosure.formats import at_most, nearly, percent, short, upwards
from dalenius.enclosure.outward import float_after, float_up
from dalenius.facts.records import exact
from dalenius.facts.secret import partly
from dalenius.judge.odds import odds_from
from dalenius.numerics.least import doubled, least, scan
from dalenius.plan import Finding, Plan, Publish, Question, Target
from dalenius.plan.calibration import CellCase, FigureSetting
from dalenius.plan.calibration.noise import least_noise
from dalenius.plan.finding import entry_sizes, known_in, stands_alone
from dalenius.plan.judging import docket_of
from dalenius.plan.views import View, apart, views
from dalenius.show.chart import Axis, Chart, Line
from dalenius.show.html.account import Learning
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Attacker, Figure
from dalenius.tables.history import Atom, Entry, atoms_of

PRIORS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))  # how likely something is held to be before
FEW = 12  # groups that are all looked at; of more of them the worst three
WIDE = 400  # values that a record can add: beyond, a chart would take minutes
WIDE_NOISE = 120  # what a record can move a figure by, in units: beyond, it takes minutes
LARGEST_NOISE = 10_000  # units: beyond, laws with noise are long
LEAST = Fraction(1, 10**30)  # of a delta: beyond, nothing is shown
CHARTS = "the points of all charts"
LEARNING = "how often an attacker learns more than the promise says"
STEPS_OF_CHANCE = 4  # times ten each, from the wanted delta on, but for which odds are bounded
TELLING = Fraction(1, 10**6)  # of the delta that is wanted: a chart shows no less


@final
@dataclass(frozen=True, slots=True, eq=False)
class Gauge:
    """δ at any ε and for any attacker's share, for the groups that are looked at."""

    docket: Docket
    question: Question
    findings: tuple[Finding, ...]
    every: bool  # whether these are all groups
    atoms: tuple[Atom, ...]
    sizes: Mapping[Entry, int]  # of the published numbers, where it matters how many of each are known
    left: Left = always
    _seen: dict[tuple[Fraction, Fraction | int], float] = field(default_factory=dict)

    @property
    def whom(self) -> str:
        rough = any(self.docket.heavy(finding.atom) for finding in self.findings)
        how = ", by a quick bound that is larger than need be" if rough else ""
        if self.every:
            return f"worst over all groups of people{how}"
        one = len(self.findings) == 1
        return f"for the {'group of people that is' if one else 'groups that are'} worst{how}"

    @property
    def narrowed(self) -> "Gauge":
        """Only the group of people that is worst at the target: many attackers are tried on it."""
        return replace(self, findings=self.findings[:1], every=len(self.findings) == 1 and self.every, _seen={})

    def delta(self, epsilon: Fraction, known: Fraction | int | None = None) -> float:
        """The largest upper bound at this ε, for an attacker who knows this much (or as much as stated)."""
        share = self.question.attacker.known if known is None else known
        key = (epsilon, share if isinstance(share, int) else exact(share, name="known"))
        if key not in self._seen:
            go_on(self.left)
            docket = self.docket.at(epsilon)
            asked = replace(self.question, attacker=replace(self.question.attacker, known=share))
            self._seen[key] = max(
                _upper(
                    docket,
                    finding.atom,
                    known_in(finding.atom, self.sizes, asked),
                    alone=stands_alone(finding.atom, self.atoms),
                )
                for finding in self.findings
            )
        return self._seen[key]

    def epsilon(self, known: Fraction | int) -> float | None:
        """The least ε to 2 % (from above) at which δ is what is wanted; None if there is none up to 20."""
        target = self.question.target

        def hides(at: Fraction) -> bool:
            return self.delta(at, known) <= target.delta

        low, high = scan(hides, Fraction(0), doubled(target.epsilon or Fraction(1, 2), Fraction(20)))
        if high is None:
            return None
        return float(
            least(
                hides,
                low,
                high,
                middle=lambda low, high: Fraction(math.ceil(1000 * (low + high) / 2), 1000),
                close=lambda low, high: high <= max(low * Fraction(51, 50), Fraction(1, 1000)),
            )[1]
        )


def _upper(docket: Docket, atom: Atom, known: int, *, alone: bool) -> float:
    """A bound on δ; where laws are long, a rough one."""
    if docket.heavy(atom):
        return min(1.0, float_after(float(docket.roughly(atom, known))))
    return docket.atom(atom, known, alone=alone).delta.upper


def gauge(plan: Plan, question: Question, left: Left = always) -> Gauge | None:
    """What can be drawn; None if nobody is in the figures, if charts would take too long, or if it was not the law of
    a group's own numbers by which the figures pass: the curves of that law would contradict the verdict.
    """
    docket = docket_of(question).less_close()
    findings = sorted(plan.findings, key=lambda finding: -finding.delta.upper)
    if not findings:
        return None
    figures = {figure for finding in findings for figure in finding.atom.figures}
    if any(len(docket.laws(Atom((), ()), [figure]).domain) > WIDE for figure in figures):
        return None
    kept = tuple(findings if len(findings) <= FEW else findings[:3])
    atoms = tuple(finding.atom for finding in findings)
    sizes = entry_sizes(atoms) if question.attacker.in_every_group else {}
    found = Gauge(docket, question, kept, len(kept) == len(findings), atoms, sizes, left)
    other = isinstance(plan, Publish) and found.delta(question.target.epsilon) > question.target.delta
    return None if other else found


def chance_of_more(measure: Gauge, epsilon: Fraction) -> float:
    """How likely the odds between any two facts about a person move by more than e^ε, at most, whichever holds.

    From the curve at smaller ε′: where one law exceeds e^ε times the other, it exceeds e^ε′ times it by so much that
    the mass there is at most δ(ε′) (1 + e^-ε) / (1 - e^(ε′ - ε)). Any ε′ will do; some are tried. By convexity it holds
    for facts that are several values, too.
    """
    return min(
        pointwise_from_indistinguishability(at, Fraction(measure.delta(at)), above=epsilon).upper
        for at in (epsilon * Fraction(part, 100) for part in (50, 65, 75, 83, 90, 95))
    )


def sure_epsilon(measure: Gauge) -> tuple[Fraction, float]:
    """How far odds can move but for a chance of the wanted δ, and that chance: the first of a ladder from the wanted ε
    to three times it; else the wanted ε with its chance.
    """
    target = measure.question.target
    for part in range(20, 62, 2):
        epsilon = target.epsilon * Fraction(part, 20)
        chance = chance_of_more(measure, epsilon)
        if chance <= target.delta:
            return epsilon, chance
    return target.epsilon, chance_of_more(measure, target.epsilon)


def charts(measure: Gauge, largest: int | None) -> tuple[tuple[Chart, ...], bool]:
    """The curves of a decision, and whether there was time for all of them."""
    drawn: tuple[Chart, ...] = ()
    try:
        drawn = (failing(measure),)
        if measure.question.special:  # another number of known records, or less noise, is another question
            return drawn, True
        drawn = (*drawn, *_sharing(measure.narrowed, largest))
        return (*drawn, *_noise(measure)), True
    except InputError:  # a law that is too large for one of the points
        return (), True
    except TimeUpError:
        return drawn, False


def failing(measure: Gauge) -> Chart:
    """δ against ε; words only, where too little is left over to be seen."""
    target = measure.question.target
    title, least = "How do the two numbers of the promise trade off?", max(LEAST, TELLING * target.delta)
    at = [(target.epsilon or Fraction(1, 2)) * Fraction(part, 8) for part in range(2, 15)]
    found = falling(measure, sorted({*at, target.epsilon}))
    above = [(epsilon, delta) for epsilon, delta in found if delta > least]
    left = dict(found)[target.epsilon]
    told = (
        f"The larger the factor that is allowed (e to the epsilon), the less is left (delta). At the wanted epsilon "
        f"of {short(target.epsilon)}, delta is at most {at_most(left, target.delta)}, {measure.whom}; at most "
        f"{short(target.delta)} is wanted."
    )
    if len(above) < 2:
        shown = f"less than {short(least)}" if any(delta for _, delta in found) else "nothing"
        none = f" There is no curve to draw: from an epsilon of {short(found[len(above)][0])} on, {shown} is left."
        return Chart(title, told + none if len(above) < len(found) else told)
    points = [(float(epsilon), max(float(least), delta)) for epsilon, delta in found[: len(above) + 1]]
    told += f" The curve ends where less than {short(least)} is left." if len(above) < len(found) else ""
    wanted = Line(float(max(LEAST, target.delta)), f"wanted: at most {short(target.delta)}")
    return Chart(
        title,
        told,
        Axis("factor that is allowed, on the log scale (epsilon)"),
        Axis("what is left over (delta, at most)", log=True),
        (tuple(points),),
        (wanted,) if target.delta else (),
        (Line(float(target.epsilon), f"wanted: {short(target.epsilon)}"),),
    )


def falling(measure: Gauge, at: Sequence[Fraction]) -> list[tuple[Fraction, float]]:
    """The largest δ at each ε, which rise: what is certified of one holds for all after it, and what the verdict rests
    on is among them.
    """
    epsilon = measure.question.target.epsilon
    judged = max(finding.delta.upper for finding in measure.findings)
    bounds = [min(measure.delta(one), judged if one == epsilon else 1.0) for one in at]
    return list(zip(at, accumulate(bounds, min), strict=True))


def _shares(measure: Gauge, largest: int | None) -> list[Fraction]:
    """Shares of known records from none to twice what still passes, the stated one among them."""
    size, attacker = measure.question.frame.size, measure.question.attacker
    stated = stated_share(attacker, size)
    top = min(Fraction(size - 1, size), max(2 * Fraction(largest or 0, size), 2 * stated, Fraction(1, 50)))
    return sorted({Fraction(0), stated, *(top * Fraction(part, 6) for part in range(1, 7))})


def _sharing(measure: Gauge, largest: int | None) -> list[Chart]:
    target, shares = measure.question.target, _shares(measure, largest)
    points = rising_points((share, found) for share in shares if (found := measure.epsilon(share)) is not None)
    if len(points) < 2:
        return []
    told = (
        "The more records an attacker knows, the larger the factor of the promise must be (on the log scale): at most "
        f"{upwards(points[0][1])} with none known, and at most {upwards(points[-1][1])} with {nearly(points[-1][0])} "
        f"per cent known, {measure.whom}. Wanted: at most {short(target.epsilon)}."
    )
    return [
        Chart(
            "What if the attacker knows more records?",
            told,
            Axis("share of the records that the attacker knows", unit=" %"),
            Axis("factor, on the log scale (epsilon, at most)"),
            (points,),
            (Line(float(target.epsilon), f"wanted: at most {short(target.epsilon)}"),),
            (_stated(measure),),
        )
    ]


def _stated(measure: Gauge) -> Line:
    attacker = measure.question.attacker
    share = stated_share(attacker, measure.question.frame.size)
    told = f"{attacker.known} records" if isinstance(attacker.known, int) else f"{short(100 * share)} %"
    return Line(float(100 * share), f"stated: {told}")


def stated_share(attacker: Attacker, size: int) -> Fraction:
    """The share of the records that the attacker is said to know."""
    if size < 2:
        return Fraction(0)
    return Fraction(attacker.known, size) if isinstance(attacker.known, int) else Fraction(attacker.known)


def rising_points(found: Iterable[tuple[Fraction, float]]) -> tuple[tuple[float, float], ...]:
    """What is needed at each share of known records, in per cent: what is enough for one is for all that are less."""
    places, needed = zip(*found, strict=True) if (found := list(found)) else ((), ())
    least = reversed(list(accumulate(reversed(needed), min)))
    return tuple((float(100 * share), enough) for share, enough in zip(places, least, strict=True))


def _telling_shares(measure: Gauge, atoms: Sequence[Atom]) -> list[Fraction]:
    """Shares of known records from none to where a whole group of people may be known, the stated one among them."""
    size, attacker = measure.question.frame.size, measure.question.attacker
    everywhere = attacker.in_every_group and not isinstance(attacker.known, int)
    group = size if everywhere else min(atom.size for atom in atoms)
    top = Fraction(max(0, min(group, size - 1)), size)
    return sorted({stated_share(attacker, size), *(top * Fraction(part, 8) for part in range(9))})


def _noise(measure: Gauge) -> list[Chart]:
    """The least noise of one figure against the attacker's share: of the worst group's last, as if it were alone."""
    docket, target = measure.docket, measure.question.target
    if not measure.findings or not target.epsilon:
        return []
    figure = measure.findings[0].atom.entries[-1].figure
    figure = replace(figure, channel=type(figure.channel)(()))
    every = atoms_of((figure,), measure.question.frame, measure.question.columns)
    worst = {(entry.figure.name, entry.cell) for finding in measure.findings for entry in finding.atom.entries}
    mine = every if len(every) <= FEW else [atom for atom in every if (figure.name, atom.entries[0].cell) in worst]
    alone = "" if all(len(finding.atom.entries) == 1 for finding in measure.findings) else " by itself"
    move = docket.move(figure)
    if not move or move > LARGEST_NOISE * target.epsilon or move > WIDE_NOISE:
        return []
    points = rising_points((share, _least(measure, figure, mine, share)) for share in _telling_shares(measure, mine))
    limit = float(Fraction(move) / target.epsilon)
    where = "" if len(mine) == len(every) else " in its worst groups"
    told = (
        f'The least noise that makes "{figure.name}"{alone} safe{where}: '
        f"{upwards(points[0][1])} units with no record known, {upwards(points[-1][1])} with {nearly(points[-1][0])} "
        f"per cent known. Noise of {upwards(limit)} units is enough whatever the attacker knows."
    )
    return [
        Chart(
            f'How much noise would "{figure.name}" need{alone}?',
            told,
            Axis("share of the records that the attacker knows", unit=" %"),
            Axis("least scale of the noise, in units"),
            (points,) if any(needed for _, needed in points) else (),
            (Line(limit, f"always enough: {upwards(limit)}"),),
            (_stated(measure),),
        )
    ]


def _least(measure: Gauge, figure: Figure, atoms: Sequence[Atom], share: Fraction) -> float:
    """The scale of the least noise that was found; 0 if none is needed, and never more than is always enough."""
    go_on(measure.left)
    sizes = entry_sizes(atoms)
    asked = replace(measure.question, attacker=replace(measure.question.attacker, known=share))
    cases = [CellCase(atom, known_in(atom, sizes, asked)) for atom in atoms]
    plainly = max(measure.docket.single(case.atom, figure, case.known, alone=True).delta.upper for case in cases)
    if plainly <= measure.question.target.delta:
        return 0.0
    order = sorted(
        cases, key=lambda case: -measure.docket.single(case.atom, figure, case.known, alone=True).delta.upper
    )
    setting = FigureSetting(measure.docket, figure, tuple(order), min(case.atom.size for case in cases))
    always = Fraction(setting.move) / measure.question.target.epsilon
    return float(min(always, least_noise(setting, "geometric", always) or always))


Measured: TypeAlias = tuple[tuple[Chart, ...], Learning | None, tuple[str, ...]]


def measured(
    plan: Plan, question: Question, figures: Sequence[Figure], largest: int | None, left: Left = always
) -> Measured:
    """The charts of a decision (none where they would take too long), and what an attacker could learn if the figures
    go out: certified where all groups of people can be looked at. Last, what there was no time for.
    """
    untried: list[str] = []
    measure, drawn = None, tuple[Chart, ...]()
    try:
        measure = gauge(plan, question, left)
        drawn, whole = charts(measure, largest) if measure else ((), True)
        untried += [] if whole else [CHARTS]
    except TimeUpError:
        untried.append(CHARTS)
    epsilon = question.target.epsilon
    if not isinstance(plan, Publish) or not plan.findings or not epsilon:
        return drawn, None, tuple(untried)
    sure = None
    if measure is not None and measure.every:
        try:
            sure = sure_epsilon(measure)
        except TimeUpError:
            untried.append(LEARNING)
    sure = sure or _from_findings(plan.findings, question.target)
    if sure is None:
        return drawn, None, tuple(untried)
    alike, others = partly(question.secret), apart(question, figures)
    what = "one of two values that must look alike," if alike else "anything"
    usual = [View.still(f"{what} held to be {percent(p)} likely", p) for p in PRIORS] if others else []
    rows = (*(() if alike else views(question, figures)), *usual)  # of some values nothing is promised
    return drawn, Learning(*sure, rows, apart=others, alike=alike), tuple(untried)


def _from_findings(findings: Sequence[Finding], target: Target) -> tuple[Fraction, float] | None:
    """How far odds can move, and but for which chance, by what was found at the wanted ε alone: the least of some
    chances from the wanted δ on for which that is at most three times ε; else what holds for the largest.
    """
    point = target.epsilon, max(finding.delta.upper for finding in findings)
    found = None
    for step in range(STEPS_OF_CHANCE):
        chance = target.delta * 10**step
        odds = odds_from([point], chance) if chance < 1 else None
        if odds is not None:
            found = odds.log, float_up(odds.failure)
            if odds.log <= 3 * target.epsilon:
                break
    return found
