"""What a mechanism with a theorem of its own guarantees under the definition that was asked for, and no other.

A stated mechanism answers for the attackers and secrets that its theorem speaks of. Differential privacy holds
whatever the attacker believes, so it also answers where the catalogue has an implication. All else is refused.
"""

from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.beliefs.belief import Belief, Marginals
from dalenius.claims import Guarantee, Notion
from dalenius.enclosure.brackets import Bracket, around
from dalenius.enclosure.formats import at_most
from dalenius.facts.secret import Value
from dalenius.judge.definition import Definition, DifferentialPrivacy, DistributionalPrivacy, NoiselessPrivacy
from dalenius.mechanisms.stated import Answer, Stated
from dalenius.numerics.curve import Curve
from dalenius.numerics.pure import PureCurve

Asked: TypeAlias = Definition | DistributionalPrivacy | Belief | Notion | str | None


def stated_guarantee(mechanism: Stated, asked: Asked, at: Fraction | None, target: Fraction | None) -> Guarantee:
    """The mechanism's own guarantee if nothing is asked; else what it guarantees of that, at this ε or δ."""
    answers = _answers(mechanism)
    if asked is None:
        return _at(answers[0], at, target)
    wanted = NoiselessPrivacy(asked) if isinstance(asked, Belief) else asked
    if isinstance(wanted, str):
        return _of_notion(answers, _notion(wanted), at, target)
    if isinstance(wanted, DifferentialPrivacy) and isinstance(wanted.secret, Value):
        found = [answer for answer in answers if answer[0].notion == Notion.DIFFERENTIAL]
        if found:
            return _at(found[0], at, target)
    if isinstance(wanted, NoiselessPrivacy):
        answer = None if wanted.belief.fitted else mechanism.answers(wanted.belief, wanted.secret)
        if answer is not None:
            return _at(answer, at, target)
        if isinstance(wanted.belief, Marginals) and isinstance(wanted.secret, Value) and not wanted.belief.fitted:
            from_noise = [answer for answer in answers if answer[0].notion == Notion.DIFFERENTIAL]
            if from_noise:
                facts = {"n": wanted.belief.n, "independent": True}
                found_here = _implied(from_noise[0], Notion.NOISELESS, at, target, facts)
                return replace(found_here, attacker=str(wanted.belief), hides=str(wanted.secret))
    raise PreconditionError(
        f"This rests on {answers[0][0].definition}, for an attacker who {_who(answers[0][0].attacker)}, but it was "
        f"asked under {wanted}{_for(wanted)}. Leave the definition out to see what it does guarantee."
    )


def _who(attacker: str) -> str:
    return attacker if attacker.split(maxsplit=1)[0] in ("believes", "knows") else f"believes in {attacker}"


def _for(wanted: object) -> str:
    belief = wanted.belief if isinstance(wanted, NoiselessPrivacy | DistributionalPrivacy) else None
    return "" if belief is None else f" for {belief}"


def _answers(mechanism: Stated) -> list[Answer]:
    """Each guarantee with its curve: of all but the first only the level is known."""
    first, *others = mechanism.guarantees()
    alone = mechanism.curve().alone
    return [(first, mechanism.curve()), *((one, PureCurve(Fraction(one.epsilon.upper), alone)) for one in others)]


def _notion(wanted: str) -> Notion:
    try:
        return Notion(wanted)
    except ValueError:
        raise InputError(
            f"A definition is one of {', '.join(Notion)}, but got {wanted!r}. Choose one of them."
        ) from None


def _of_notion(answers: list[Answer], notion: Notion, at: Fraction | None, target: Fraction | None) -> Guarantee:
    """The guarantee of this notion, or what one of the others implies of it for the attacker that it speaks of."""
    for answer in answers:
        if answer[0].notion == notion:
            return _at(answer, at, target)
    problems: list[PreconditionError] = []
    for answer in answers:
        try:
            return _implied(answer, notion, at, target, {})
        except PreconditionError as problem:
            problems.append(problem)
    raise problems[0]


def _at(answer: Answer, at: Fraction | None, target: Fraction | None) -> Guarantee:
    """The guarantee at this ε, or at this δ."""
    found, curve = answer
    if at is not None:
        return replace(found, epsilon=around(at, at), delta=curve.delta(at), target_epsilon=at, target_delta=target)
    if target is None or around(target, target) == found.delta:
        return found
    return replace(
        found, epsilon=curve.epsilon(target), delta=around(target, target), target_epsilon=None, target_delta=target
    )


def _implied(
    answer: Answer, notion: Notion, at: Fraction | None, target: Fraction | None, facts: dict[str, int | bool]
) -> Guarantee:
    """What follows at this ε or δ; upper bounds only."""
    here = _at(answer, at, target)
    path = here.implies(notion, **facts)
    if at is not None and path.epsilon.upper > around(at, at).upper:
        raise PreconditionError(
            f"At ε = {float(at):g} this implies {notion} only with ε up to {at_most(path.epsilon.upper)}. Ask at "
            "that ε, or by delta=..."
        )
    if at is None and target is not None and path.delta.upper > around(target, target).upper:
        raise PreconditionError(
            f"At δ = {float(target):g} this implies {notion} only with δ up to {at_most(path.delta.upper)}. Ask at a "
            "smaller delta."
        )
    steps = ", ".join(step.theorem for step in path.steps)
    return replace(
        here,
        definition=str(notion),
        epsilon=here.epsilon if at is not None else Bracket(0.0, path.epsilon.upper),
        delta=Bracket(0.0, path.delta.upper),
        because=f"{here.because}; {here.definition} implies it ({steps})",
        notion=notion,
    )


def whole_curve(mechanism: Stated, asked: Asked) -> Curve:
    """δ(ε) of what is asked, where the mechanism answers for it directly."""
    if asked is None:
        return mechanism.curve()
    wanted = NoiselessPrivacy(asked) if isinstance(asked, Belief) else asked
    if isinstance(wanted, DifferentialPrivacy) and isinstance(wanted.secret, Value) and mechanism.differential:
        return mechanism.curve()
    if isinstance(wanted, NoiselessPrivacy) and not wanted.belief.fitted:
        answer = mechanism.answers(wanted.belief, wanted.secret)
        if answer is not None:
            return answer[1]
    raise PreconditionError(
        f"This has no curve under {wanted}{_for(wanted)}: {mechanism.told()}. Use verify(...), or mechanism.curve()."
    )
