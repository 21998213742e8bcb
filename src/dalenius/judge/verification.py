"""verify(mechanism, definition): how much a release reveals, at worst, as a Guarantee."""

from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import Belief
from dalenius.beliefs.one_of import OneOfTheModels
from dalenius.claims import Guarantee, Notion
from dalenius.facts.records import exact
from dalenius.facts.secret import Secret
from dalenius.facts.statistics import Count, Statistic
from dalenius.judge.composed import stated_guarantee, whole_curve
from dalenius.judge.definition import Definition, DistributionalPrivacy, NoiselessPrivacy
from dalenius.judge.engine import Judge
from dalenius.judge.group import Believed, Group, believed_rows
from dalenius.judge.histograms import histogram_curve, histogram_guarantee, model_guarantee
from dalenius.judge.verdict import guaranteed, most_known
from dalenius.mechanisms import Mechanism
from dalenius.mechanisms.histogram_release import HistogramRelease
from dalenius.mechanisms.stated import Stated
from dalenius.numerics.curve import Curve


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
    group = one_group(*_checked(mechanism, asked))
    judge = Judge(asked_secret(group), Fraction(0), enough or Fraction(0), decides=enough is not None)
    return judge.curve(group.others[0], group.known, group.release[0])


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
    checked = _checked(mechanism, definition)
    _asked_something(at, target)
    group = one_group(*checked)
    return guaranteed(group, asked_secret(group), at, target, release=str(checked[0]))


def one_group(mechanism: Mechanism, definition: Definition) -> Group:
    """A mechanism under a definition, as the judge is asked about it: everybody in one group, with one number."""
    others = Believed(definition, mechanism.statistic)
    others.facts  # noqa: B018 - what cannot be judged is refused here
    known = 0 if others.everybody else definition.belief.known
    return Group((others,), (mechanism.channel,), known, rows=believed_rows(others, mechanism.channel))


def asked_secret(group: Group) -> Secret:
    """What a group by a definition is to hide."""
    (others,) = group.others
    if not isinstance(others, Believed):
        raise InputError("Only a group by a definition says what is secret. Say it.")
    return others.definition.secret


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
    """
    group = one_group(mechanism, NoiselessPrivacy(belief, secret))
    return most_known(group, Judge(secret, epsilon, delta), belief.resolution)
