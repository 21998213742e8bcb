"""A belief about what all records of a group add to one number, as a certificate has it, and back."""

from fractions import Fraction
from typing import TYPE_CHECKING

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import IID, Belief
from dalenius.beliefs.fixed_size import WithoutReplacement
from dalenius.beliefs.hedged import Hedged
from dalenius.beliefs.markov import Markov
from dalenius.beliefs.mixture import Mixture
from dalenius.beliefs.moments import RangeVariance
from dalenius.beliefs.sampled import Sampled
from dalenius.facts.secret import Presence, Value
from dalenius.facts.statistics import Statistic, Sum, Tabled
from dalenius.judge.definition import NoiselessPrivacy
from dalenius.judge.group import Believed
from dalenius.record.codec.form import Json
from dalenius.record.codec.numbers import number_of

if TYPE_CHECKING:
    from dalenius.facts.records import Label


def believed_json(others: Believed) -> dict[str, Json]:
    """By its form: all numbers are whole ones or exact ones in text."""
    belief, statistic = others.belief, others.statistic
    amounts = list(statistic.amounts) if isinstance(statistic, Tabled) else []
    match belief:
        case Sampled(design=WithoutReplacement(sizes=((size, _),))):
            return {
                "form": "sample without replacement",
                "members": [[int(str(add)), count] for add, count in belief.cells.items()],
                "facts": [int(str(add)) for add in belief.domain()],
                "drawn": size,
                "taking_part": "known"
                if isinstance(others.definition, NoiselessPrivacy) and isinstance(others.definition.secret, Value)
                else "secret",
            }
        case Markov():
            return {
                "form": "chain",
                "people": belief.n,
                "start": list(map(str, belief.start)),
                "moves": [list(map(str, row)) for row in belief.moves],
                "adds": amounts,
                "known_at": sorted(belief.known_at),
            }
        case Mixture():
            return {
                "form": "one law that nobody knows",
                "people": belief.n,
                "laws": [[str(weight), _whole(part, len(amounts))] for weight, part in belief.parts],
                "adds": amounts,
            }
        case Hedged():
            return {
                "form": "one law or another",
                "people": belief.n,
                "laws": [[str(belief.weight), _whole(belief.stated, len(amounts))]],
                "adds": amounts,
            }
        case RangeVariance():
            return {
                "form": "range and variance",
                "people": belief.n,
                "bounds": list(map(str, belief.bounds)),
                "variance": str(belief.variance),
            }
        case _:
            raise TypeError(type(belief).__name__)


def _whole(part: IID, values: int) -> list[str]:
    law = dict(part.marginal)
    return [str(law.get(value, Fraction(0))) for value in range(values)]


def believed_of(found: Json) -> Believed:
    """The belief behind its JSON; InputError where it is none."""
    states: list[Label | Fraction] = list(range(len(found.get("adds", ()))))
    match found.get("form"):
        case "sample without replacement":
            members: dict[Label | Fraction, int] = {int(add): int(count) for add, count in found["members"]}
            if len(members) != len(found["members"]) or found["taking_part"] not in ("known", "secret"):
                raise InputError("a sample has members of each kind once, and taking part is secret or known")
            secret = Value() if found["taking_part"] == "known" else Presence()
            return _held(Sampled(members, size=found["drawn"], domain=found["facts"]), Sum(), secret)
        case "chain":
            rows = [dict(zip(states, map(number_of, row), strict=True)) for row in (found["start"], *found["moves"])]
            moves = dict(zip(states, rows[1:], strict=True))
            belief = Markov(start=rows[0], moves=moves, n=found["people"], known_at=tuple(found["known_at"]))
            return _held(belief, Tabled(tuple(found["adds"])), Value())
        case "one law that nobody knows":
            n = found["people"]
            parts = [
                (number_of(weight), IID(values=dict(zip(states, map(number_of, law), strict=True)), n=n))
                for weight, law in found["laws"]
            ]
            return _held(Mixture(parts), Tabled(tuple(found["adds"])), Value())
        case "one law or another":
            ((weight, law),) = found["laws"]
            values = dict(zip(states, map(number_of, law), strict=True))
            hedged = Hedged(values, weight=number_of(weight), n=found["people"])
            return _held(hedged, Tabled(tuple(found["adds"])), Value())
        case "range and variance":
            low, high = map(number_of, found["bounds"])
            variance = number_of(found["variance"])
            return _held(RangeVariance(n=found["people"], bounds=(low, high), variance=variance), Sum(), Value())
        case _:
            raise InputError("a belief of a form that is not known here")


def _held(belief: Belief, statistic: Statistic, secret: Value | Presence) -> Believed:
    return Believed(NoiselessPrivacy(belief, secret), statistic)
