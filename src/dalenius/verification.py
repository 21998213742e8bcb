"""verify(mechanism, definition): how much a release reveals, at worst, as a Guarantee."""

from fractions import Fraction

from dalenius.beliefs.belief import FITTED, Belief
from dalenius.beliefs.one_of import OneOfTheModels
from dalenius.beliefs.wide import WideCurve
from dalenius.beliefs.worst import WorstCurve
from dalenius.claims import Notion
from dalenius.definitions import Definition, DifferentialPrivacy, DistributionalPrivacy, NoiselessPrivacy
from dalenius.errors import InputError
from dalenius.guarantees import Evidence, Guarantee, Witness
from dalenius.guarantees.composed import stated_guarantee, whole_curve
from dalenius.guarantees.histograms import histogram_curve, histogram_guarantee, model_guarantee
from dalenius.guarantees.resonance import resonance, wide_witness
from dalenius.guarantees.witness import Telling, plain, witness
from dalenius.mechanisms import Chain, Mechanism
from dalenius.mechanisms.choice import Threshold
from dalenius.mechanisms.chosen import chosen_curve
from dalenius.mechanisms.histogram_release import HistogramRelease
from dalenius.mechanisms.stated import Stated
from dalenius.numerics.bracket import around
from dalenius.numerics.curve import Between, Constant, Curve
from dalenius.numerics.least import last_below
from dalenius.numerics.rounding import ASSUMPTIONS
from dalenius.records import exact
from dalenius.secret import Facts, Secret, Value
from dalenius.statistics import Count, Mean, Statistic, Sum

SOURCES = (
    "Bhaskar et al. 2011, Noiseless database privacy",
    "Grining and Klonowski 2017, Definitions 1 to 3 (repaired: both directions, added record independent)",
)


def curve(
    mechanism: Mechanism | Statistic | Stated | HistogramRelease,
    definition: Definition | DistributionalPrivacy | Belief,
    *,
    enough: Fraction | None = None,
) -> Curve:
    """The whole trade-off δ(ε), worst over all persons, all pairs of facts, both directions and what the attacker
    knows. A belief stands for noiseless privacy.
    """
    asked = NoiselessPrivacy(definition) if isinstance(definition, Belief) else definition
    if isinstance(mechanism, Stated):
        return whole_curve(mechanism, asked)
    if isinstance(mechanism, HistogramRelease):
        return histogram_curve(mechanism, asked)
    mechanism, definition = _checked(mechanism, asked)
    statistic, channel = mechanism.statistic, mechanism.channel
    facts = definition.belief.facts(statistic, definition.secret)
    if channel.choice is not None:
        return _chosen(mechanism, definition)
    if isinstance(definition, DifferentialPrivacy):
        crowd = definition.belief.crowd(statistic)
        others = frozenset(statistic.contribution(value) for value in definition.belief.domain())
        return WorstCurve(crowd, facts.pairs, channel, 0, enough, others, anywhere=facts.anywhere)
    belief = definition.belief
    return belief.curve(statistic, facts, channel, known=belief.known, enough=enough)


def _chosen(mechanism: Mechanism, definition: Definition) -> Curve:
    """A choice. Under differential privacy it is at least as safe as the noisy figure that it is a function of."""
    if not isinstance(definition, DifferentialPrivacy):
        return chosen_curve(mechanism, definition.belief, definition.secret, known=definition.belief.known)
    before = Mechanism(mechanism.statistic, mechanism.channel.links[:-1])
    by_total = isinstance(mechanism.channel.choice, Threshold) or isinstance(definition.secret, Value)
    return Between(Constant(0.0), curve(before, definition) if before.channel.random and by_total else Constant(1.0))


def _checked(mechanism: object, definition: object) -> tuple[Mechanism, Definition]:
    """The mechanism that was meant, if both are what they must be."""
    if not isinstance(mechanism, Mechanism | Statistic):
        raise InputError(
            f"A mechanism is a statistic, or statistic >> channel, but got {mechanism!r}. Write dl.Count()."
        )
    if isinstance(definition, DistributionalPrivacy):
        raise InputError(
            f"Distributional privacy is computed for truncated histograms, modes and likeliest models, but got "
            f"{mechanism}. Ask under dl.noiseless(...), or publish Histogram(...) >> Truncated(k)."
        )
    if not isinstance(definition, Definition):
        raise InputError(
            f"A definition is noiseless(belief) or differential_privacy(), but got {definition!r}. Write "
            "dl.noiseless(belief)."
        )
    return (Mechanism(mechanism) if isinstance(mechanism, Statistic) else mechanism), definition


def verify(
    mechanism: Mechanism | Statistic | Stated | HistogramRelease,
    definition: Definition | DistributionalPrivacy | Belief | Notion | str | None = None,
    *,
    epsilon: float | str | Fraction | None = None,
    delta: float | str | Fraction | None = None,
) -> Guarantee:
    """What the mechanism guarantees under the definition.

    With `epsilon`: δ. With `delta`: ε. With both: δ at ε, a verdict, and the largest number of records that the
    attacker may know while it still holds.

    A belief stands for noiseless privacy. A mechanism with a theorem of its own (`Stated`) needs no definition: then
    its main guarantee is returned. Asked for another, it answers if its theorem does, and refuses otherwise.
    """
    at, target = checked_target(epsilon, delta)
    if isinstance(definition, Belief):
        definition = NoiselessPrivacy(definition)
    if isinstance(mechanism, Stated):
        return stated_guarantee(mechanism, definition, at, target)
    if isinstance(mechanism, HistogramRelease):
        _asked_something(at, target)
        return histogram_guarantee(mechanism, definition, at, target)
    if isinstance(definition, NoiselessPrivacy | DistributionalPrivacy) and isinstance(
        definition.belief, OneOfTheModels
    ):
        shown = (
            mechanism.channels if isinstance(mechanism, Mechanism) and isinstance(mechanism.statistic, Count) else ()
        )
        return model_guarantee(shown[0] if len(shown) == 1 else None, mechanism, definition, at, target)
    return _verified(mechanism, definition, at, target)


def _asked_something(at: Fraction | None, target: Fraction | None) -> None:
    if at is None and target is None:
        raise InputError("verify needs epsilon=..., delta=... or both. Give epsilon=0.5 to learn δ at ε = 0.5.")


def _verified(
    mechanism: Mechanism | Statistic, definition: object, at: Fraction | None, target: Fraction | None
) -> Guarantee:
    mechanism, definition = _checked(mechanism, definition)
    _asked_something(at, target)
    whole = curve(mechanism, definition, enough=target if at is not None else None)
    wanted = target or Fraction(0)
    least = around(at, at) if at is not None else whole.epsilon(wanted)
    bracket = whole.delta(at) if at is not None else around(wanted, wanted)
    shown = at if at is not None else Fraction(least.lower if least.lower < 700 else 0)
    return Guarantee(
        definition=str(definition),
        hides=str(definition.secret),
        attacker=attacker_of(definition),
        release=str(mechanism),
        epsilon=least,
        delta=bracket,
        target_epsilon=at,
        target_delta=target,
        because=_because(definition.belief.facts(mechanism.statistic, definition.secret), _unit(mechanism.statistic))
        + resonance(whole, shown, _telling(mechanism.statistic)),
        assumes=assumptions(definition),
        breaks=breaks(definition, mechanism.channel),
        witness=_witness(whole, shown, _telling(mechanism.statistic)),
        largest_known=_largest_known(mechanism, definition, at, target),
        evidence=Evidence.HEURISTIC if definition.belief.fitted else Evidence.COMPUTED,
        sources=(*SOURCES, *definition.belief.sources),
        notion=definition.notion,
    )


def _witness(whole: Curve, epsilon: Fraction, telling: Telling) -> Witness | None:
    if isinstance(whole, WideCurve):
        return wide_witness(whole, epsilon, telling)
    return witness(whole, epsilon, telling) if isinstance(whole, WorstCurve) else None


def _unit(statistic: Statistic) -> Fraction:
    return statistic.unit if isinstance(statistic, Sum | Mean) else Fraction(1)


def _telling(statistic: Statistic) -> Telling:
    return Telling("the count" if isinstance(statistic, Count) else "the total", _unit(statistic))


def checked_target(
    epsilon: float | str | Fraction | None,
    delta: float | str | Fraction | None,
) -> tuple[Fraction | None, Fraction | None]:
    """The exact epsilon >= 0 and delta in [0, 1] that were meant."""
    at = None if epsilon is None else exact(epsilon, name="epsilon")
    target = None if delta is None else exact(delta, name="delta")
    if at is not None and at < 0:
        raise InputError(f"epsilon must be at least 0, but got {epsilon}. Typical values are 0.1 to 2.")
    if target is not None and not 0 <= target <= 1:
        raise InputError(f"delta must lie between 0 and 1, but got {delta}. Typical values are 1e-9 to 1e-3.")
    return at, target


def attacker_of(definition: Definition) -> str:
    """Who attacks, in one line."""
    if isinstance(definition, DifferentialPrivacy):
        return "knows every record but one"
    return str(definition.belief)


def assumptions(definition: Definition) -> tuple[str, ...]:
    """What the number rests on."""
    if isinstance(definition, DifferentialPrivacy):
        return ("the noise is drawn as stated", *ASSUMPTIONS)
    heuristic = (FITTED,) if definition.belief.fitted else ()
    return (*heuristic, *definition.belief.assumes, *ASSUMPTIONS)


def breaks(definition: Definition, channel: Chain) -> tuple[str, ...]:
    """What would make the number wrong."""
    if isinstance(definition, DifferentialPrivacy):
        return ("a person with more than one record",)
    found = [definition.belief.breaks, "more known records than stated"]
    if channel.exact or channel.choice is not None:
        found.append("another exact figure about overlapping records that is not judged together with this one")
    return tuple(found)


def _because(facts: Facts, unit: Fraction) -> str:
    if not facts.reach:
        return "no fact about a record changes the figure"
    if facts.grain:
        grain, reach = plain(facts.grain * unit), plain(facts.reach * unit)
        return (
            f"computed over all differences from {grain} to {reach} that one person's facts can have, both directions"
        )
    units = "1 unit" if facts.reach == 1 else f"{facts.reach} units"
    pairs = f"{len(facts.pairs)} pairs of facts, both directions"
    return f"computed over {pairs}; one person moves the figure by up to {units}"


def _largest_known(mechanism: Mechanism, definition: Definition, at: Fraction | None, target: Fraction | None) -> str:
    if at is None or target is None or isinstance(definition, DifferentialPrivacy) or definition.belief.settled:
        return ""
    most = largest_known(mechanism, definition.belief, definition.secret, epsilon=at, delta=target)
    n = definition.belief.n
    if most is None:
        return "not met even if the attacker knows nobody"
    about = "at least " if definition.belief.resolution > 1 else ""
    return f"holds up to {about}{most} of {n} records known"


def largest_known(
    mechanism: Mechanism,
    belief: Belief,
    secret: Secret,
    *,
    epsilon: Fraction,
    delta: Fraction,
) -> int | None:
    """The largest number of known records at which δ(ε) is certainly at most delta, to within the belief's resolution;
    None if not even 0. A number that is too much to judge counts as one at which it is not.

    Knowing more never helps privacy, so bisection finds it; the number returned has itself been certified.
    """
    facts = belief.facts(mechanism.statistic, secret)

    def most(known: int) -> float:
        if mechanism.channel.choice is not None:
            return chosen_curve(mechanism, belief, secret, known=known).delta(epsilon).upper
        try:
            whole = belief.curve(mechanism.statistic, facts, mechanism.channel, known=known, enough=delta)
        except InputError:  # nobody asked for so many: what cannot be judged is not certified
            return 1.0 + float(delta)
        return whole.delta_until(epsilon, delta).upper

    return last_below(most, delta, belief.n - 1, belief.resolution)
