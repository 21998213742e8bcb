"""What can be done about one figure whose people are in no other: rounding, and noise of several kinds."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import final

from dalenius.claims import Verdict
from dalenius.facts.secret import hides_presence
from dalenius.judge.group import Laws
from dalenius.mechanisms import Chain, Rounded
from dalenius.mechanisms.registry import ROWS
from dalenius.numerics.range_variance import least_tau
from dalenius.plan.alternative import Alternative, Change, Way
from dalenius.plan.attempt import Attempt
from dalenius.plan.calibration import CellCase, FigureSetting, alone, expected_error, least_noise, least_rounding
from dalenius.plan.calibration.noise import told
from dalenius.plan.narrower import narrower_secret
from dalenius.plan.part import Desk, Part
from dalenius.plan.truncating import least_cut, truncation
from dalenius.tables.figures import Figure

CUT = "the noise alone hides what is left of a value, which needs no belief; what is cut off is expected as believed"
LINKED = "records say something about each other, so that it is not enough to hide what one of them adds"
BUMP, ZERO = Fraction(101, 100), Fraction(0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Single:
    """One figure, the cases of it that do not pass, and what differential privacy by itself would need."""

    part: Part
    desk: Desk
    setting: FigureSetting
    scales: dict[str, Fraction]  # of noise alone, by kind

    @classmethod
    def of(cls, part: Part, desk: Desk) -> "Single":
        failing = [finding for finding in part.findings if finding.verdict != Verdict.PASS]
        failing.sort(key=lambda finding: -finding.delta.upper)
        figure, docket = part.new[0], desk.docket
        cases = tuple(CellCase(finding.atom, finding.known) for finding in failing)
        smallest = min(atom.size for atom in part.atoms)
        setting = FigureSetting(docket, replace(figure, channel=Chain(())), cases, smallest, desk.left)
        scales: dict[str, Fraction] = {}
        for kind in ("geometric", "gaussian") if docket.epsilon else ():
            if kind == "geometric" or not setting.wide:
                found = alone(kind, setting.move, docket.epsilon, docket.enough)
                scales |= {kind: found} if found is not None else {}
        return cls(part, desk, setting, scales)

    @property
    def figure(self) -> Figure:
        return self.part.new[0]

    @property
    def worth(self) -> Fraction:
        """What one unit of the total is worth in the published number."""
        return self.figure.unit(self.desk.docket.columns) / (self.setting.smallest if self.figure.kind == "mean" else 1)

    def alone(self) -> float | None:
        """The least expected error of differential privacy by itself."""
        errors = [expected_error(_chain(kind, scale)) for kind, scale in self.scales.items()]
        return min(errors) * float(self.worth) if errors else None

    @property
    def limit(self) -> str:
        """Why noise that should hide a record does not."""
        return "the arithmetic is at its limit" if self.desk.docket.noise_hides([self.figure]) else LINKED

    def changed(self, way: Way, channel: Chain, line: str, *, why: str = "") -> Alternative:
        """The figure with another channel in the cells that do not pass, judged again from scratch; those that pass
        stay as they are.
        """
        names, error = (self.figure.name,), expected_error(channel)
        becomes, (some, cells) = self._becomes(way, channel)
        most = max((link.base // 2 * self.worth for link in channel.links if isinstance(link, Rounded)), default=ZERO)
        if len(becomes) > 1:
            line = f"{line} in {some} of {cells} cells"
        change = Change(self.figure.name, becomes, line, error * float(self.worth), self.alone(), most)
        certified = self.desk.confirmed(self.part, {self.figure.name: becomes})
        failed = "" if certified else f"judged again from scratch it does not pass: {self.limit}"
        cost = float(self.desk.wishes.weight(self.figure.name)) * some / cells * error / max(1, self.setting.move)
        return Alternative(way, names, (change,), cost, 0, certified, why=failed or why)

    def _becomes(self, way: Way, channel: Chain) -> tuple[tuple[Figure, ...], tuple[int, int]]:
        """The figure, or two of it where some cells pass; and how many of its cells change."""
        failing = list(dict.fromkeys(case.atom.entries[0].cell for case in self.setting.cases))
        cells = self.desk.numbers(self.figure)
        if not self.figure.by or len(failing) == cells:
            return (replace(self.figure, channel=channel),), (1, 1)
        name = self.desk.free(f"{self.figure.name}, {'rounded' if way == 'rounding' else 'with noise'}")
        changed = replace(self.figure.only(failing), channel=channel, name=name)
        return (self.figure.without(failing), changed), (len(failing), cells)

    def no(self, way: Way, why: str) -> Alternative:
        """A way that does not lead anywhere."""
        return Alternative(way, (self.figure.name,), why=why)


def _chain(kind: str, scale: Fraction) -> Chain:
    return Chain((ROWS[kind].made(Fraction(told(scale))),))


def single_ways(part: Part, desk: Desk) -> list[Attempt]:
    """Rounding, truncation, and noise: with the uncertainty of the data, and by itself."""
    one = Single.of(part, desk)
    name = one.figure.name
    ways = [
        Attempt("rounding", f'roundings of "{name}"', lambda: [_rounding(one)]),
        Attempt("truncation", f'values of "{name}" cut off', lambda: [truncation(part, desk, {name: one.alone()})]),
    ]
    if one.figure.column is not None:
        cut, narrower = partial(_cut_and_noisy, one), partial(narrower_secret, part, desk)
        ways.insert(0, Attempt("a narrower secret", f'to within what range "{name}" hides', narrower))
        ways.append(Attempt("truncation and noise", f'values of "{name}" cut off, and noise', cut))
    for kind in ("geometric", "gaussian"):
        beside, alone_ = partial(_beside, one, kind), partial(_by_itself, one, kind)
        ways.append(Attempt("data and noise", f'the least {kind} noise of "{name}" beside the data', beside))
        ways.append(Attempt("noise alone", f'{kind} noise of "{name}" by itself', alone_, first=True))
    if one.setting.wide and desk.docket.epsilon and desk.docket.enough:
        what = f'normal noise of "{name}" by range and variance'
        ways.append(Attempt("range, variance and noise", what, lambda: [_range_and_variance(one)]))
    return ways


def _rounding(one: Single) -> Alternative:
    ladder = one.desk.ladder

    def tried(base: int) -> None:
        one.desk.progress(f"trying roundings of {one.figure.name}", ladder.index(base), len(ladder))

    base = least_rounding(one.setting, ladder, tried=tried)
    shown = ", ".join(map(str, ladder))
    if base is not None:
        why = f"the least base of the ladder {shown}; coarser may leak more, so each is judged by itself"
        return one.changed("rounding", Chain((Rounded(base),)), f"round: {base}", why=why)
    if one.setting.wide:
        return one.no(
            "rounding", "not tried: the column has too many values to judge every place between two multiples"
        )
    return one.no("rounding", f"no base of the ladder {shown} that says anything about groups of this size is enough")


def _beside(one: Single, kind: str) -> Iterator[Alternative]:
    """The least noise with the uncertainty of the data."""
    docket, by_itself = one.desk.docket, one.scales.get(kind)
    if by_itself is None:
        why = f"no useful {kind} noise reaches epsilon {float(docket.epsilon):g} and delta {float(docket.enough):g}"
        why = "not tried: the column has too many values" if one.setting.wide and kind == "gaussian" else why
        yield one.no("data and noise", why)
        return
    one.desk.progress(f"looking for the least {kind} noise of {one.figure.name}", 0, 1)
    scale = least_noise(one.setting, kind, by_itself)
    if scale is None:
        linked = f"is not enough: {LINKED}" if one.limit == LINKED else "is too much to compute"
        yield one.no("data and noise", f"{kind} noise of scale {told(by_itself)} {linked}")
        return
    found = one.changed("data and noise", _chain(kind, scale), _line(kind, scale))
    if not found.certified:
        more = scale * BUMP
        found = one.changed("data and noise", _chain(kind, more), _line(kind, more))
    yield found


def _by_itself(one: Single, kind: str) -> Iterator[Alternative]:
    """Noise as differential privacy needs it."""
    scale = one.scales.get(kind)
    if scale is not None:
        words = "needs no belief about the data"
        yield one.changed("noise alone", _chain(kind, scale), _line(kind, scale), why=words)


def _cut_and_noisy(one: Single) -> Iterator[Alternative]:
    """Values cut off, and noise that hides by itself what is left; the limits at which both together err least."""
    found = least_cut(one.part, one.desk)
    if found is None:
        return
    after, error, line = found
    way: Way = "truncation and noise"
    certified = one.desk.confirmed(one.part, {one.figure.name: (after,)})
    change = Change(one.figure.name, (after,), line, error, one.alone())
    cost = float(one.desk.wishes.weight(one.figure.name)) * error / float(one.worth) / max(1, one.setting.move)
    failed = "" if certified else "judged again from scratch it does not pass"
    yield Alternative(way, (one.figure.name,), (change,), cost, 0, certified, why=failed or CUT)


def _line(kind: str, scale: Fraction) -> str:
    return f"noise: {{{kind}: {told(scale)}}}"


def _range_and_variance(one: Single) -> Alternative:
    """Normal noise by a theorem that looks at nothing but how far records reach and how much they vary."""
    way: Way = "range, variance and noise"
    kinds = [one.desk.docket.laws(case.atom, [one.setting.figure]) for case in one.setting.cases]
    if any(kind.least for kind in kinds) or hides_presence(one.desk.question.secret):
        return one.no(way, "the theorem is about the value of records whose probabilities are stated")
    spread = one.setting.move
    variances = [_variance(kind, case.known + 1) for kind, case in zip(kinds, one.setting.cases, strict=True)]
    tau = least_tau(one.desk.docket.epsilon, one.desk.docket.enough, min(variances) / spread**2)
    if tau is None:
        return one.no(way, "the records vary too little for the theorem")
    scale = Fraction(told(tau * spread * BUMP))  # a hair for the gap between what is drawn and normal noise
    return one.changed(way, _chain("normal", scale), _line("normal", scale))


def _variance(kind: Laws, removed: int) -> Fraction:
    """The variance of a total without the records that vary most."""
    single = []
    for law, count in kind.types:
        mean = sum((chance * vector[0] for vector, chance in law), Fraction(0))
        single.append((sum((chance * (vector[0] - mean) ** 2 for vector, chance in law), Fraction(0)), count))
    whole = Fraction(0)
    for variance, count in sorted(single, reverse=True):
        taken = min(count, removed)
        removed -= taken
        whole += variance * (count - taken)
    return whole
