"""calibrate(...): one unknown of a release, solved for; certified on the safe side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR
from fractions import Fraction
from typing import Literal, TypeAlias, final, get_args

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.beliefs.belief import IID
from dalenius.beliefs.blocks import LONGEST, Blocks
from dalenius.enclosure.formats import digits, raised, short
from dalenius.facts.statistics import Statistic
from dalenius.judge.definition import Definition, NoiselessPrivacy, noiseless
from dalenius.judge.verification import checked_target, curve, largest_known
from dalenius.mechanisms import Mechanism, Rounded
from dalenius.mechanisms.registry import NOISES, ROWS
from dalenius.numerics.least import doubled, least, scan, whole_halfway
from dalenius.plan.calibration.figure import LADDER, checked_ladder
from dalenius.plan.calibration.noise import least_from, told
from dalenius.plan.rules import Attack, Threshold, threshold_needed

Unknown: TypeAlias = Literal["noise", "rounding", "threshold", "n", "known", "epsilon", "delta", "block size"]
Number: TypeAlias = float | str | Fraction
Family: TypeAlias = Callable[[int], Definition]
MOST_RECORDS = 10_000_000
MOST_NOISE = Fraction(100_000)


@final
@dataclass(frozen=True, slots=True)
class Calibrated:
    """The value of the unknown at which the target is certainly met, and its neighbour at which no bound meets it."""

    unknown: Unknown
    value: Fraction | int
    epsilon: Fraction
    delta: Fraction
    neighbour: Fraction | int | None  # None if there is none: no noise at all, or the end of what is possible
    minimal: str  # in which sense there is no better value
    release: str

    def __str__(self) -> str:
        delta, epsilon = (
            _shown(number) if name == self.unknown else short(number)
            for name, number in (("delta", self.delta), ("epsilon", self.epsilon))
        )
        met = f"δ = {delta} at ε = {epsilon}"
        return f"{self.unknown} = {_shown(self.value)} ({met}; {self.release}; {self.minimal})"


def _shown(value: Fraction | int) -> str:
    """Rounded up: noise, an epsilon or a delta that is larger is met too."""
    return str(value) if isinstance(value, int) else raised(value)


def _not_below(value: float) -> str:
    return f"certainly not below {digits(value, rounding=ROUND_FLOOR, places=6)}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """A mechanism, who attacks, and the target; what is unknown is put in by each solver."""

    mechanism: Mechanism
    definition: Definition | Family
    epsilon: Fraction
    delta: Fraction
    noise: str
    ladder: tuple[int, ...]

    def most(self, mechanism: Mechanism, definition: Definition) -> float:
        """The certified δ; 1 where a theorem does not apply."""
        try:
            return curve(mechanism, definition, enough=self.delta).delta(self.epsilon).upper
        except PreconditionError:
            return 1.0

    @property
    def fixed(self) -> Definition:
        if isinstance(self.definition, Definition):
            return self.definition
        raise InputError(
            "A function from a number to a definition is for unknown='n' and unknown='block size', but another unknown "
            "was asked for. Give the definition itself."
        )

    def solved(
        self, unknown: Unknown, value: Fraction | int, neighbour: Fraction | int | None, minimal: str, release: object
    ) -> Calibrated:
        return Calibrated(unknown, value, self.epsilon, self.delta, neighbour, minimal, str(release))


def calibrate(
    mechanism: Mechanism | Statistic | Threshold,
    definition: Definition | Family | Attack,
    unknown: Unknown,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    noise: Literal["geometric", "gaussian", "normal"] = "geometric",
    ladder: Sequence[int] = LADDER,
) -> Calibrated:
    """Solve for one unknown, given all the rest.

    `noise`: the least scale of this noise, to 1 %. `rounding`: the least base of the ladder (coarser may leak more, so
    this is minimal on the ladder only). `n`: the least number of records; `known`: the largest number of known
    records; `block size`: the largest size of blocks of equal records, up to which all smaller ones hold too.
    `epsilon`, `delta`: the least. `threshold`: the least k of a rule that hides counts below k (`rules.attack(...)`).

    For `n` and `block size` the definition may be a function of the number; an IID belief is turned into one: the share
    of known records is kept, and blocks are as many as fit.

    >>> import dalenius as dl
    >>> print(calibrate(dl.Count(), dl.noiseless(dl.IID(p=0.1, n=1000)), "n", epsilon="0.5", delta="1e-6").value)
    948
    """
    if unknown not in get_args(Unknown):
        known = ", ".join(get_args(Unknown))
        raise InputError(f"The unknown is one of {known}, but got {unknown!r}. Choose one of them.")
    at, wanted = _target(unknown, epsilon, delta)
    if isinstance(mechanism, Threshold) or isinstance(definition, Attack) or unknown == "threshold":
        return _threshold(mechanism, definition, unknown, at, wanted)
    if noise not in NOISES:
        raise InputError(f"Noise is one of {', '.join(NOISES)}, but got {noise!r}. Choose one of them.")
    if not isinstance(definition, Definition) and not callable(definition):
        raise InputError(f"A definition is noiseless(belief) or differential_privacy(), but got {definition!r}.")
    whole = Mechanism(mechanism) if isinstance(mechanism, Statistic) else mechanism
    problem = _Problem(whole, definition, at, wanted, noise, checked_ladder(ladder))
    return SOLVERS[unknown](problem)


def _target(unknown: Unknown, epsilon: Number | None, delta: Number | None) -> tuple[Fraction, Fraction]:
    """Both numbers of the target; the one that is unknown is 0 for now."""
    for name, given in (("epsilon", epsilon), ("delta", delta)):
        if unknown == name and given is not None:
            raise InputError(f"{name} is either given or unknown, but it is both: {given}. Leave {name}=... out.")
        if unknown != name and given is None:
            raise InputError(f"Solving for {unknown} needs {name}, but it is missing. Give {name}=...")
    at, wanted = checked_target(epsilon, delta)
    return at or Fraction(0), wanted or Fraction(0)


def _threshold(mechanism: object, definition: object, unknown: Unknown, at: Fraction, wanted: Fraction) -> Calibrated:
    if unknown != "threshold" or not isinstance(mechanism, Threshold) or not isinstance(definition, Attack):
        raise InputError(
            "A threshold is solved for with a rule and an attack, for unknown='threshold' only. Write "
            "calibrate(rules.Threshold(1), rules.attack(), 'threshold', epsilon=1, delta=1e-6)."
        )
    if not at or not wanted:
        raise InputError(f"A threshold needs epsilon and delta above 0, but got {at} and {wanted}. Allow a little.")
    least_k = threshold_needed(epsilon=at, delta=wanted, against=definition)
    minimal = "minimal to one: hiding below one less is not certified"
    told_ = f"counts below {least_k} hidden, zeros too"
    return Calibrated("threshold", least_k, at, wanted, least_k - 1 if least_k > 2 else None, minimal, told_)


def _noise(problem: _Problem) -> Calibrated:
    if any(channel.random for channel in problem.mechanism.channels):
        raise InputError(
            f"Solving for noise needs a release without noise, but got {problem.mechanism}. Leave its noise out."
        )
    make = ROWS[problem.noise].made
    after = tuple(channel for channel in problem.mechanism.channels if not channel.exact)

    def with_noise(scale: Fraction) -> Mechanism:
        return Mechanism(problem.mechanism.statistic, (make(Fraction(told(scale))), *after))

    def most(scale: Fraction) -> float:
        return problem.most(with_noise(scale), problem.fixed)

    if problem.most(problem.mechanism, problem.fixed) <= problem.delta:
        return problem.solved("noise", Fraction(0), None, "no noise is needed", problem.mechanism)
    reach = problem.fixed.belief.facts(problem.mechanism.statistic, problem.fixed.secret).reach
    high = Fraction(max(1, reach)) / problem.epsilon if problem.epsilon else Fraction(max(1, reach))
    scale = least_from(most, problem.delta, high, MOST_NOISE * max(1, reach))
    if scale is None:
        raise InputError(
            f"No {problem.noise} noise was found that keeps δ = {short(problem.delta)} at ε = "
            f"{short(problem.epsilon)}. Allow a larger epsilon or delta, or another kind of noise."
        )
    scale = Fraction(told(scale))  # as it was judged: not a hair less
    minimal = "minimal to 1 %: with 1 % less no bound is certified"
    return problem.solved("noise", scale, scale * Fraction(99, 100), minimal, with_noise(scale))


def _rounding(problem: _Problem) -> Calibrated:
    if any(not channel.exact for channel in problem.mechanism.channels):
        raise InputError(
            f"Solving for a rounding needs the exact figure, but got {problem.mechanism}. Leave it as it is."
        )

    def rounded(base: int) -> Mechanism:
        return Mechanism(problem.mechanism.statistic, (Rounded(base),))

    def holds(base: int) -> bool:
        return problem.most(rounded(base), problem.fixed) <= problem.delta

    before, base = scan(holds, 0, problem.ladder)
    tried = ", ".join(map(str, problem.ladder))
    if base is None:
        raise InputError(
            f"No base of the ladder {tried} keeps δ = {short(problem.delta)} at ε = {short(problem.epsilon)}. Try "
            "other bases, or noise."
        )
    minimal = f"minimal on the ladder {tried}, not beyond: coarser may leak more, so each base is judged by itself"
    return problem.solved("rounding", base, before or None, minimal, rounded(base))


def _n(problem: _Problem) -> Calibrated:
    family = _family(problem.definition, _of_size)

    def holds(n: int) -> bool:
        return problem.most(problem.mechanism, family(n)) <= problem.delta

    below, above = scan(holds, 1, doubled(2, MOST_RECORDS))
    if above is None:
        raise InputError(
            f"No number of records up to {MOST_RECORDS} keeps δ = {short(problem.delta)} at ε = "
            f"{short(problem.epsilon)}. Allow a larger epsilon or delta, or add noise."
        )
    low, high = least(holds, below, above, middle=whole_halfway)
    minimal = "minimal to one record"
    if problem.mechanism.channel.period:
        minimal = "one record less is not certified; with rounding more records may leak more, so check other numbers"
    return problem.solved("n", high, low, minimal, problem.mechanism)


def _known(problem: _Problem) -> Calibrated:
    definition = problem.fixed
    if not isinstance(definition, NoiselessPrivacy):
        raise InputError(
            "How many records may be known is asked of noiseless(belief): differential privacy allows all."
        )
    belief = definition.belief
    most = largest_known(problem.mechanism, belief, definition.secret, epsilon=problem.epsilon, delta=problem.delta)
    if most is None:
        raise InputError(
            f"δ = {short(problem.delta)} at ε = {short(problem.epsilon)} is not kept even if nobody is known. Allow a "
            "larger epsilon or delta, or add noise."
        )
    neighbour = most + belief.resolution if most + belief.resolution < belief.n else None
    return problem.solved("known", most, neighbour, f"maximal to {belief.resolution} of {belief.n}", problem.mechanism)


def _epsilon(problem: _Problem) -> Calibrated:
    found = curve(problem.mechanism, problem.fixed).epsilon(problem.delta)
    if found.upper == float("inf"):
        raise InputError(
            f"No epsilon keeps δ = {short(problem.delta)} with {problem.mechanism}. Allow a larger delta, or add noise."
        )
    value = Fraction(found.upper)
    minimal = _not_below(found.lower)
    return Calibrated("epsilon", value, value, problem.delta, Fraction(found.lower), minimal, str(problem.mechanism))


def _delta(problem: _Problem) -> Calibrated:
    found = curve(problem.mechanism, problem.fixed).delta(problem.epsilon)
    value = Fraction(found.upper)
    minimal = _not_below(found.lower)
    return Calibrated("delta", value, problem.epsilon, value, Fraction(found.lower), minimal, str(problem.mechanism))


def _block_size(problem: _Problem) -> Calibrated:
    family = _family(problem.definition, _in_blocks)

    def fails(size: int) -> bool:
        return problem.most(problem.mechanism, family(size)) > problem.delta

    largest, neighbour = scan(fails, 0, range(1, LONGEST + 1))
    if not largest:
        raise InputError(
            f"δ = {short(problem.delta)} at ε = {short(problem.epsilon)} is not kept even by single records. Allow a "
            "larger epsilon or delta, or add noise."
        )
    minimal = "maximal to one: every smaller size holds too" if largest < LONGEST else f"up to {LONGEST} are looked at"
    return problem.solved("block size", largest, neighbour, minimal, problem.mechanism)


def _family(given: Definition | Family, of_iid: Callable[[IID, NoiselessPrivacy], Family]) -> Family:
    if not isinstance(given, Definition):
        return given
    if isinstance(given, NoiselessPrivacy) and isinstance(given.belief, IID):
        return of_iid(given.belief, given)
    raise InputError(
        "Only an IID belief says how it goes on with another number. Give a function instead of the definition: "
        "lambda n: dl.noiseless(...)."
    )


def _of_size(belief: IID, definition: NoiselessPrivacy) -> Family:
    share = Fraction(belief.known, belief.n)

    def family(n: int) -> Definition:
        return noiseless(
            IID(n=n, values=dict(belief.marginal), known=share, domain=belief.domain()), secret=definition.secret
        )

    return family


def _in_blocks(belief: IID, definition: NoiselessPrivacy) -> Family:
    def family(size: int) -> Definition:
        sizes = {size: belief.n // size}
        rest = belief.n % size
        if rest:
            sizes[rest] = sizes.get(rest, 0) + 1
        blocks = Blocks(values=dict(belief.marginal), sizes=sizes, known=belief.known, domain=belief.domain())
        return noiseless(blocks, secret=definition.secret)

    return family


SOLVERS: dict[Unknown, Callable[[_Problem], Calibrated]] = {
    "noise": _noise,
    "rounding": _rounding,
    "n": _n,
    "known": _known,
    "epsilon": _epsilon,
    "delta": _delta,
    "block size": _block_size,
}
