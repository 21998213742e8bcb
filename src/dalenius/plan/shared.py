"""What can be done about figures that share people: noise on all of them, with the uncertainty of the data where their
joint law is known, or as differential privacy composes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.claims import Verdict
from dalenius.judge.noise import Difference
from dalenius.mechanisms import Chain
from dalenius.mechanisms.registry import ROWS
from dalenius.plan.alternative import Alternative, Change, Way
from dalenius.plan.attempt import Attempt
from dalenius.plan.calibration import expected_error
from dalenius.plan.calibration.noise import LEAST, least_between, least_from, shortened, told
from dalenius.plan.examination import alone as alone_in
from dalenius.plan.finding import Finding
from dalenius.plan.part import Desk, Part
from dalenius.plan.truncating import truncation
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Entry

ROUNDING = "rounding hides a number only from those whose people are in no other number, and these share theirs"
TAKEN = "figures that are already out are exact, and noise hides nobody who is in exact figures too"
MORE = ", for those who are in new figures only; whoever is in exact ones that are out is hidden as before"
COMPOSED = "composed as differential privacy: no belief about the data is used"
BESIDE = "by the law of the total and the noise, where somebody is in one sum, or in one sum several times"
TOGETHER = (
    "beside other noisy figures about the same people, {kind} noise is judged as differential privacy composes it: the "
    "uncertainty of the data saves nothing here"
)
SAVED = Fraction(99, 100)  # of noise alone, above which nothing is saved
FEW = 3  # groups of people by which the least noise is looked for first
MOST_SCALE = 100_000
ZERO = Fraction(0)


def shared_ways(part: Part, desk: Desk) -> list[Attempt | Alternative]:
    """Noise of one kind on every new figure, in proportion to what one person can move it; and why nothing else."""
    pure = _pure_scales(part, desk)
    by_itself = _noisy(part, desk, "geometric", pure)
    alone = {one.name: _alone(part, desk, one) for one in by_itself if one.name in pure}
    figures = f"{len(part.new)} figures together"
    ways: list[Attempt | Alternative] = [
        Alternative("rounding", part.names, why=ROUNDING),
        Attempt("truncation", f"values of {figures} cut off", lambda: [truncation(part, desk, alone)]),
    ]
    if not pure:
        spent = "what is already out leaves nothing of it" if part.old else "no noise reaches it"
        why = f"epsilon is {float(desk.docket.epsilon):g}, and {spent}" if _hidden(part) else TAKEN
        return [*ways, Alternative("noise alone", part.names, why=why)]

    @cache
    def scales(kind: str) -> dict[str, Fraction] | None:
        desk.progress(f"looking for the least {kind} noise of {figures}", 0, 1)
        return _least(part, desk, kind, pure)

    def beside(kind: str) -> Iterator[Alternative]:
        found = scales(kind)
        if found is not None:
            yield _beside(part, desk, kind, found, by_itself)

    def composed(kind: str) -> Iterator[Alternative]:
        found = scales(kind)
        if found is None:
            why = f"no {kind} noise was found that reaches this target"
            yield Alternative("noise alone", part.names, why=why)
        else:
            yield _found(part, desk, "noise alone", kind, found, by_itself, why=COMPOSED)

    for kind in ("geometric", "gaussian"):
        what = f"the least {kind} noise of {figures}"
        ways.append(Attempt("data and noise", f"{what} beside the data", partial(beside, kind)))
        ways.append(Attempt("noise alone", f"{what} by itself", partial(composed, kind), first=True))
    return ways


def _pure_scales(part: Part, desk: Desk) -> dict[str, Fraction]:
    """Scales of geometric noise, in proportion to how far one person moves each figure, at which the worst pair of
    facts about anybody keeps epsilon, beside what is spent already; none if nothing is left of it, or if everybody is
    in exact figures that are out.
    """
    docket, names = desk.docket, frozenset(part.names)
    moves = {figure.name: far for figure in part.new if (far := docket.reach(figure))}
    combinations = {tuple(entry.figure for entry in atom.entries) for atom in _hidden(part)}
    spending = [_Spending.of(docket, figures, {name: moves.get(name, 0) for name in names}) for figures in combinations]
    factors = [some.factor(docket.epsilon) for some in spending]
    if any(factor is None for factor in factors):
        return {}
    most = max(filter(None, factors), default=Fraction(0))
    return {name: far * most for name, far in moves.items()} if most else {}


Spent: TypeAlias = tuple[Fraction, Fraction]  # of epsilon: in figures that are out; in new ones, divided by a factor f


@final
@dataclass(frozen=True, slots=True)
class _Spending:
    """What pairs of facts about a person spend, if every new figure has geometric noise of f times how far one person
    moves it: for both kinds of pairs (see `NoiseAlone`), for each independent part of a record.
    """

    worlds: tuple[tuple[tuple[Spent, ...], ...], ...]

    @classmethod
    def of(cls, docket: Docket, figures: Sequence[Figure], moves: Mapping[str, int]) -> "_Spending":
        parts = docket.records.linked(figures)

        def spent(part: Sequence[Figure], apart: Difference) -> Spent:
            before, now = Fraction(0), Fraction(0)
            for figure, far in ((part[place], far) for place, far in apart):
                pure = figure.channel.pure(far)
                if figure.name in moves:
                    now += Fraction(far, moves[figure.name])
                else:  # noise that is out and never hides completely leaves nothing
                    before += docket.epsilon + 1 if pure is None else pure
            return before, now

        apart = [[{spent(part, one) for one in some} for some in docket.apart(part)] for part in parts]
        return cls(tuple(tuple(tuple(some) for some in world) for world in zip(*apart, strict=True)))

    def most(self, rate: Fraction) -> Spent:
        """What the pair of facts spends that spends most, at this 1/f."""
        chosen = [
            [max(some, key=lambda one: (one[0] + one[1] * rate, one[1])) for some in parts if some]
            for parts in self.worlds
        ]
        whole = [(sum((one[0] for one in some), ZERO), sum((one[1] for one in some), ZERO)) for some in chosen]
        return max(whole, key=lambda one: (one[0] + one[1] * rate, one[1]), default=(ZERO, ZERO))

    def factor(self, epsilon: Fraction) -> Fraction | None:
        """The least f at which no pair of facts spends more than epsilon; 0 if none spends anything, None if there is
        no such f. From a large 1/f downwards: what is spent is convex in it, so Newton's steps end at the solution.
        """
        rate = max(
            (epsilon / one[1] for parts in self.worlds for some in parts for one in some if one[1]), default=ZERO
        )
        while True:
            before, now = self.most(rate)
            if before + now * rate <= epsilon:
                return 1 / rate if rate else ZERO
            if not now or before >= epsilon:
                return None
            rate = (epsilon - before) / now


def _hidden(part: Part) -> list[Atom]:
    """Those whom noise can hide: they are in no exact figure that is out; nobody if none of them is in a new figure.
    Whether the others pass is judged at last.
    """
    old = frozenset(figure.name for figure in part.old)
    found = [
        atom
        for atom in part.atoms
        if not any(entry.figure.name in old and not entry.figure.channel.random for entry in atom.entries)
    ]
    return found if any(entry.figure.name not in old for atom in found for entry in atom.entries) else []


def _noisy(part: Part, desk: Desk, kind: str, scales: Mapping[str, Fraction]) -> tuple[Figure, ...]:
    """The new figures with noise of these scales; those that nobody changes stay as they are."""
    return tuple(
        replace(figure, channel=Chain((ROWS[kind].made(Fraction(told(scales[figure.name]))),)))
        if figure.name in scales
        else figure
        for figure in part.new
    )


def _least(part: Part, desk: Desk, kind: str, pure: Mapping[str, Fraction]) -> dict[str, Fraction] | None:
    """The scales, all by one factor less than those of pure noise (or more, for Gaussian noise), by bisection."""
    wanted = desk.docket.enough
    if wanted == 0:
        return dict(pure) if kind == "geometric" else None
    combinations = {tuple(entry.figure.name for entry in atom.entries) for atom in _hidden(part)}
    old = {figure.name: figure for figure in part.old}

    def most(factor: Fraction) -> float:
        desk.check_time()
        scales = {name: factor * scale for name, scale in pure.items()}
        if max(scales.values()) > MOST_SCALE:
            return 0.0 if kind == "geometric" and factor >= 1 else 1.0
        named = {**old, **{figure.name: figure for figure in _noisy(part, desk, kind, scales)}}
        return max(desk.docket.noise_alone([named[name] for name in names]) for names in combinations)

    factor = least_from(most, wanted, Fraction(1), MOST_SCALE / max(pure.values()))
    return None if factor is None else {name: factor * scale for name, scale in pure.items()}


def _beside(
    part: Part, desk: Desk, kind: str, alone: Mapping[str, Fraction], by_itself: Sequence[Figure]
) -> Alternative:
    """The same noise beside the uncertainty of the data: the least part of what noise alone needs, by the joint law of
    all that covers a person as far as that is known. Of one sum with discrete Gaussian noise several times it is;
    numbers that somebody is in by themselves have their own law; all else composes as noise alone does.
    """
    failing = sorted((one for one in part.findings if one.verdict != Verdict.PASS), key=lambda one: -one.delta.upper)

    def most(factor: Fraction, some: Sequence[Finding]) -> float:
        desk.check_time()
        figures = {one.name: one for one in _noisy(part, desk, kind, {name: factor * s for name, s in alone.items()})}
        return max((_delta(desk, finding, figures) for finding in some), default=0.0)

    wanted, factor = desk.docket.enough, Fraction(1)
    several = (one.atom for one in failing if len(one.atom.entries) > 1)
    known = all(kind == "gaussian" and len(atom.figures) == 1 for atom in several)
    if wanted and known and most(Fraction(1), failing) <= wanted:
        factor = least_between(lambda at: most(at, failing[:FEW]), wanted, LEAST, Fraction(1))
        if most(factor, failing) > wanted:
            factor = least_between(lambda at: most(at, failing), wanted, factor, Fraction(1))
    if factor > SAVED:
        return Alternative("data and noise", part.names, why=TOGETHER.format(kind=kind))
    scales = {name: shortened(factor * scale) for name, scale in alone.items()}
    return _found(part, desk, "data and noise", kind, scales, by_itself, why=BESIDE)


def _delta(desk: Desk, finding: Finding, figures: Mapping[str, Figure]) -> float:
    """A bound on what a group's numbers tell with noise; 1 if it is too much to compute."""
    atom = finding.atom
    entries = tuple(Entry(figures.get(entry.figure.name, entry.figure), entry.cell) for entry in atom.entries)
    told = tuple(figures.get(figure.name, figure) for figure in atom.told)
    try:
        noisy = Atom(entries, atom.groups, told)
        return desk.docket.atom(noisy, finding.known, alone=alone_in(atom, desk.sizes)).delta.upper
    except InputError:
        return 1.0


def _found(
    part: Part,
    desk: Desk,
    way: Way,
    kind: str,
    scales: Mapping[str, Fraction],
    by_itself: Sequence[Figure],
    *,
    why: str,
) -> Alternative:
    """Noise on all of them, judged again from scratch."""
    becomes = _noisy(part, desk, kind, scales)
    changes, cost = [], 0.0
    pure = {figure.name: figure.channel for figure in by_itself}
    for before, after in zip(part.new, becomes, strict=True):
        if before.channel == after.channel:
            continue
        error = expected_error(after.channel)
        cost += error / max(1, desk.docket.move(before))
        worth = _worth(part, desk, before)
        line = f"noise: {{{kind}: {told(scales[before.name])}}}"
        changes.append(Change(before.name, (after,), line, error * worth, expected_error(pure[before.name]) * worth))
    certified = desk.confirmed(part, {figure.name: (figure,) for figure in becomes})
    beside = len(_hidden(part)) < len(part.atoms)
    failed = f"judged again from scratch it does not pass: {TAKEN if beside else 'the arithmetic is at its limit'}"
    said = f"{why}{MORE}" if beside else why
    return Alternative(way, part.names, tuple(changes), cost, 0, certified, why=said if certified else failed)


def _alone(part: Part, desk: Desk, noisy: Figure) -> float:
    """The expected error of noise alone."""
    (before,) = [figure for figure in part.new if figure.name == noisy.name]
    return expected_error(noisy.channel) * _worth(part, desk, before)


def _worth(part: Part, desk: Desk, figure: Figure) -> float:
    """What one unit of the total is worth in the published number; of a mean, in the smallest of its groups."""
    people = min(
        (desk.sizes[entry] for atom in part.atoms for entry in atom.entries if entry.figure == figure), default=1
    )
    return float(figure.unit(desk.docket.columns)) / (people if figure.kind == "mean" else 1)
