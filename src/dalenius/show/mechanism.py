"""An audit of a mechanism in words."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dalenius.audit.mechanism.search import MechanismFound
from dalenius.enclosure.formats import at_least, at_most, counted, nearly, percent
from dalenius.show.layout import item, wrapped


def answer_of(found: MechanismFound, confidence: Fraction) -> str:
    """Whether a claim is refuted, in a sentence."""
    claim, sure = found.claim, percent(confidence)
    level = nearly(claim.epsilon, 6)
    if found.delta > claim.delta:
        return (
            f"Refuted: δ is at least {at_least(found.delta, Fraction(claim.delta))} at ε = {level}, with {sure} "
            f"confidence; claimed was {nearly(claim.delta, 6)}."
        )
    if found.epsilon > claim.epsilon:
        return (
            f"Refuted: ε is at least {at_least(found.epsilon, Fraction(claim.epsilon))} at δ = "
            f"{nearly(claim.delta, 6)}, with {sure} confidence; claimed was {level}."
        )
    if not found.rounds:
        return "Not refuted, without any power: there were too few draws, or too little time, to test an event."
    return (
        f"Not refuted, with power to see δ of {at_most(found.power)} at ε = {level} nine times in ten, and less for "
        "rare events, if an event that was looked for has it."
    )


def mechanism_text(found: MechanismFound, pairs: Sequence[str], confidence: Fraction, *, complete: bool) -> str:
    """All of it."""
    bounds = (
        f"bounds: δ at least {at_least(found.delta)} at ε = {nearly(found.claim.epsilon, 6)}; ε at least "
        f"{at_least(found.epsilon)} at δ = {nearly(found.claim.delta, 6)}; both with {percent(confidence)} confidence"
    )
    lines = [wrapped(answer_of(found, confidence)), "", item(bounds)]
    seen = found.sighting
    if seen is not None:
        tally = seen.tally
        inside, beside = tally.both + tally.first, tally.both + tally.second
        where = ("second", "first") if seen.event.swapped else ("first", "second")
        lines.append(
            item(
                f"event: {seen.event}. It was chosen before {counted(seen.draws)} draws of {pairs[seen.pair]} "
                f"were made: {counted(inside)} of them were in it in the {where[0]} world, {counted(beside)} in the "
                f"{where[1]}"
            )
        )
    tried = f"{found.pairs} pair{'' if found.pairs == 1 else 's'} of worlds"
    untried = f"; {found.untried} not tried" if found.untried else ""
    bets = f"{found.rounds} bet{'' if found.rounds == 1 else 's'}"
    lines.append(item(f"searched: {tried}{untried}, {counted(found.draws)} draws of each world, {bets}"))
    if not complete:
        lines.append(item("the time was over before all draws were made; what is said holds all the same"))
    lines.append(
        item(
            "assumes: draws are independent of each other (no answer is remembered); each pair is one that the claim "
            "speaks of"
        )
    )
    return "\n".join(lines)


def mechanism_json(
    found: MechanismFound, pairs: Sequence[str], confidence: Fraction, *, complete: bool
) -> dict[str, Any]:
    """For machines."""
    seen = found.sighting
    return {
        "refuted": found.refuted,
        "answer": answer_of(found, confidence),
        "claim": {"epsilon": found.claim.epsilon, "delta": found.claim.delta},
        "confidence": float(confidence),
        "at_least": {"delta": found.delta, "epsilon": found.epsilon},
        "power": found.power,
        "draws": found.draws,
        "bets": found.rounds,
        "pairs": list(pairs),
        "untried": found.untried,
        "complete": complete,
        "event": None
        if seen is None
        else {
            "pair": pairs[seen.pair],
            "words": str(seen.event),
            "likelier_in": "second" if seen.event.swapped else "first",
            "draws": seen.draws,
            "both": seen.tally.both,
            "likelier_only": seen.tally.first,
            "other_only": seen.tally.second,
        },
    }
