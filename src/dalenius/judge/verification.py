"""verify(mechanism, definition): how much a release reveals, at worst, as a Guarantee."""

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import IID, Belief
from dalenius.beliefs.one_of import OneOfTheModels
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.facts.records import exact
from dalenius.facts.secret import PresenceOnly, Secret
from dalenius.facts.statistics import Count, Statistic
from dalenius.judge.definition import Definition, DistributionalPrivacy, NoiselessPrivacy
from dalenius.judge.engine import Judge
from dalenius.judge.group import Believed, Group, believed_rows
from dalenius.judge.verdict import guaranteed, most_known
from dalenius.mechanisms import Mechanism
from dalenius.mechanisms.histogram_release import HistogramRelease
from dalenius.numerics.curve import Curve, Supremum
from dalenius.numerics.mixing import Guarded

if TYPE_CHECKING:
    from dalenius.mechanisms.stated import Stated

LEFT_OUT = "Bassily, Groce, Katz and Smith 2013, Coupled-worlds privacy, Definition 3 and Theorem 9"


def curve(
    mechanism: "Mechanism | Statistic | Stated | HistogramRelease",
    definition: Definition | DistributionalPrivacy | Belief,
    *,
    enough: Fraction | None = None,
) -> Curve:
    """The whole trade-off δ(ε), worst over all persons, all pairs of facts, both directions and what the attacker
    knows. A belief stands for noiseless privacy.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> dl.curve(dl.Count(), dl.IID(p="0.3", n=1000)).delta(Fraction(1)).upper < 1e-20
    True
    """
    asked = NoiselessPrivacy(definition) if isinstance(definition, Belief) else definition
    if not isinstance(mechanism, Mechanism | Statistic):  # of its own kind, with theorems that few questions need
        from dalenius.judge.composed import whole_curve
        from dalenius.judge.histograms import histogram_curve
        from dalenius.mechanisms.stated import Stated

        if isinstance(mechanism, Stated):
            return whole_curve(mechanism, asked)
        if isinstance(mechanism, HistogramRelease):
            return histogram_curve(mechanism, asked)
    if isinstance(asked, DistributionalPrivacy):
        parts = tuple(curve(mechanism, part, enough=enough) for part in _left_out(asked, mechanism))
        return parts[0] if len(parts) == 1 else Guarded((Supremum(parts),))
    group = one_group(*_checked(mechanism, asked))
    judge = Judge(asked_secret(group), Fraction(0), enough or Fraction(0), decides=enough is not None)
    return judge.curve(group.others[0], group.known, group.release[0])


def _checked(mechanism: object, definition: object) -> tuple[Mechanism, Definition]:
    """The mechanism that was meant, if both are what they must be."""
    if not isinstance(mechanism, Mechanism | Statistic):
        raise InputError(
            f"A mechanism is a statistic, or statistic >> channel, but got {mechanism!r}. Write dl.Count()."
        )
    if not isinstance(definition, Definition):
        raise InputError(
            f"A definition is noiseless(belief) or differential_privacy(), but got {definition!r}. Write "
            "dl.noiseless(belief)."
        )
    return (Mechanism(mechanism) if isinstance(mechanism, Statistic) else mechanism), definition


def verify(
    mechanism: "Mechanism | Statistic | Stated | HistogramRelease",
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

    >>> import dalenius as dl
    >>> found = dl.verify(dl.Count(), dl.noiseless(dl.IID(p="0.1", n=1000)), epsilon="1/2")
    >>> print(found.delta)
    [5.925e-7, 5.926e-7]
    """
    at, target = checked_target(epsilon, delta)
    if isinstance(definition, Belief):
        definition = NoiselessPrivacy(definition)
    if not isinstance(mechanism, Mechanism | Statistic):  # of its own kind, with theorems that few questions need
        from dalenius.judge.composed import stated_guarantee
        from dalenius.judge.histograms import histogram_guarantee
        from dalenius.mechanisms.stated import Stated

        if isinstance(mechanism, Stated):
            return stated_guarantee(mechanism, definition, at, target)
        if isinstance(mechanism, HistogramRelease):
            _asked_something(at, target)
            return histogram_guarantee(mechanism, definition, at, target)
    if isinstance(definition, NoiselessPrivacy | DistributionalPrivacy) and isinstance(
        definition.belief, OneOfTheModels
    ):
        from dalenius.judge.histograms import model_guarantee

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
    if isinstance(definition, DistributionalPrivacy):
        return _verified_left_out(mechanism, definition, at, target)
    checked = _checked(mechanism, definition)
    _asked_something(at, target)
    group = one_group(*checked)
    return guaranteed(group, asked_secret(group), at, target, release=str(checked[0]))


# -- distributional privacy of a figure --------------------------------------------------------------------------------


def _left_out(asked: DistributionalPrivacy, mechanism: object) -> tuple[NoiselessPrivacy, ...]:
    """Distributional privacy of a figure, with the simulator that leaves the record out, as noiseless privacy of who is
    in the data: the worst of these.

    For independent records it is the same: given any value of the record, the ideal world is the figure of the others,
    whose law does not depend on it. If records are independent given a hidden part, then given the record's value (and
    known ones) both worlds are mixed with the same weights, so that by joint convexity the worst part bounds δ: unlike
    noiseless privacy, what the record tells about the part does not count (coupled worlds, Theorem 9).
    """
    from dalenius.beliefs.mixture import Mixture

    match asked.belief:
        case Mixture(parts=parts, known=known):
            beliefs: list[Belief] = [IID(values=dict(part.marginal), n=part.n, known=known) for _, part in parts]
        case Belief(independent=True) as belief:
            beliefs = [belief]
        case belief:
            raise InputError(
                f"Distributional privacy of {mechanism} is computed for independent records, or for records that are "
                f"independent given a hidden part, but got: {belief}. Ask under dl.noiseless(...)."
            )
    return tuple(NoiselessPrivacy(belief, PresenceOnly()) for belief in beliefs)


def _verified_left_out(
    mechanism: Mechanism | Statistic, asked: DistributionalPrivacy, at: Fraction | None, target: Fraction | None
) -> Guarantee:
    parts = _left_out(asked, mechanism)
    several = [_verified(mechanism, part, at, target) for part in parts]
    worst = max(several, key=lambda one: (one.epsilon.upper, one.delta.upper))
    found = replace(
        worst,
        definition=str(asked),
        attacker=str(asked.belief),
        hides="whether a record was used",
        sources=(LEFT_OUT, *asked.belief.sources),
        notion=asked.notion,
    )
    if len(parts) == 1:
        return found
    return replace(  # a bound: how often each part is believed given the record does not enter
        found,
        epsilon=found.epsilon if at is not None else Bracket(0.0, found.epsilon.upper),
        delta=Bracket(0.0, found.delta.upper) if at is not None else found.delta,
        because="the worst of the parts, since both worlds are mixed with the same weights",
        assumes=(*asked.belief.assumes, *ASSUMPTIONS),
        witness=None,
        largest_known="",
    )


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
