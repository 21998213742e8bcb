"""What can be done about figures that share people: noise on all of them, with the uncertainty of the data where their
joint law is known, or as differential privacy composes it. Scales differ between figures so that all errors together
are least (`sharing.py`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import chain, product

from dalenius.basics.errors import InputError
from dalenius.claims import Verdict
from dalenius.mechanisms import Chain
from dalenius.mechanisms.registry import ROWS
from dalenius.plan.alternative import Alternative, Change, Way
from dalenius.plan.attempt import Attempt
from dalenius.plan.calibration import expected_error
from dalenius.plan.calibration.noise import LEAST, least_between, least_from, shortened, told
from dalenius.plan.examination import alone as alone_in
from dalenius.plan.finding import Finding
from dalenius.plan.part import Desk, Part
from dalenius.plan.sharing import enough, shares
from dalenius.plan.truncating import truncation
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
MOST_PAIRS = 20_000  # of facts about a person, among which noise is shared out so that it costs least
ZERO = Fraction(0)


def shared_ways(part: Part, desk: Desk) -> list[Attempt | Alternative]:
    """Noise of one kind on every new figure, as much in each as costs least; and why nothing else."""
    pure = _pure_scales(part, desk, "geometric")
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
        start = pure if kind == "geometric" else _pure_scales(part, desk, kind)
        return _least(part, desk, kind, start)

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


def _pure_scales(part: Part, desk: Desk, kind: str) -> dict[str, Fraction]:
    """Scales of geometric noise at which the worst pair of facts about anybody keeps epsilon, beside what is spent
    already; none if nothing is left of it, or if everybody is in exact figures that are out. In proportion to how far
    one person moves each figure, or (if that is cheaper) so that noise of this kind costs least.
    """
    docket = desk.docket
    reach = {figure.name: far for figure in part.new if (far := docket.reach(figure))}
    combinations = list({tuple(entry.figure for entry in atom.entries): None for atom in _hidden(part)})
    bases = (dict(zip(reach, map(Fraction, reach.values()), strict=True)), _proportion(combinations, desk, reach, kind))
    some = [scales for base in bases if (scales := enough(docket, combinations, base))]
    if not some:
        return {}
    even = _error(some[0], desk, reach)
    best = min(some, key=lambda scales: _error(scales, desk, reach))
    return best if _error(best, desk, reach) < SAVED * even else some[0]


def _error(scales: Mapping[str, Fraction], desk: Desk, reach: Mapping[str, int]) -> Fraction:
    return sum((desk.wishes.weight(name) * scale / reach[name] for name, scale in scales.items()), ZERO)


def _proportion(
    combinations: Sequence[tuple[Figure, ...]], desk: Desk, reach: Mapping[str, int], kind: str
) -> dict[str, Fraction]:
    """Scales that cost least together, up to a factor; none where pairs of facts are too many to compare."""
    names, docket = list(reach), desk.docket
    place = {name: at for at, name in enumerate(names)}
    apart = dict[tuple[tuple[int, int], ...], None]()
    for figures in combinations:
        parts = docket.records.linked(figures)
        moved = [
            {
                tuple(sorted((place[part[at].name], far) for at, far in one if part[at].name in place))
                for world in docket.apart(part)
                for one in world
            }
            for part in parts
        ]
        if math.prod(max(1, len(some)) for some in moved) > MOST_PAIRS or len(apart) > MOST_PAIRS:
            return {}
        apart |= dict.fromkeys(tuple(chain.from_iterable(one)) for one in product(*moved))
    rows = [dict(one) for one in apart if one]
    if not rows or len({at for row in rows for at in row}) < len(names):
        return {}
    costs = [float(desk.wishes.weight(name)) / reach[name] for name in names]
    found = shares(rows, costs, 1 if kind == "geometric" else 2)
    return {name: shortened(Fraction(scale)) for name, scale in zip(names, found, strict=True)}


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
        cost += float(desk.wishes.weight(before.name)) * error / max(1, desk.docket.move(before))
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
