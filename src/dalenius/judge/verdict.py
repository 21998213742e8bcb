"""judge(group, secret, target): how much a group's numbers reveal, at worst, as a guarantee."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import FITTED, INDEPENDENCE, SHARE, Belief
from dalenius.beliefs.worst import WorstCurve
from dalenius.claims import Evidence, Guarantee, Notion, notion_of
from dalenius.enclosure.brackets import around
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.enclosure.formats import plain
from dalenius.facts.secret import Facts, Presence, Secret, Value
from dalenius.facts.statistics import Count, Mean, Statistic, Sum
from dalenius.judge.engine import NOISE, Judge
from dalenius.judge.group import Believed, Group, Laws, Others, Target, checked
from dalenius.judge.witness import Telling
from dalenius.numerics.least import last_below

SOURCES = (
    "Bhaskar et al. 2011, Noiseless database privacy",
    "Grining and Klonowski 2017, Definitions 1 to 3 (repaired: both directions, added record independent)",
)
DIFFERENTIAL = "Dwork, McSherry, Nissim and Smith 2006, Calibrating noise to sensitivity in private data analysis"
DICE = "the noise is drawn as stated"
REDRAWN = "releasing the same figure once more with new noise: two draws tell more than one"
TOGETHER = "another exact figure about overlapping records that is not judged together with this one"
MOVING = "records that move together (households, repeated visits)"
MORE_KNOWN = "more known records than stated"


def judge(group: Group, secret: Secret, target: Target) -> Guarantee:
    """What the group's numbers guarantee at the target: a certified bracket of δ, the verdict, the event behind the
    lower end, what it rests on, what would break it, and the route by which it was found.

    Cost: one law for each independent part of a record; what is known is searched for the worst.

    >>> from fractions import Fraction
    >>> import dalenius as dl
    >>> others = dl.judge.Believed(dl.noiseless(dl.IID(p="0.3", n=1000)), dl.Count())
    >>> group = dl.judge.Group((others,), ((dl.Count() >> dl.Exact()).channel,), known=0)
    >>> print(dl.judge.judge(group, dl.Value(), dl.judge.Target(Fraction(1), Fraction(1, 10**6))).verdict)
    pass
    """
    found = checked(group)
    for others in found.others:
        if isinstance(others, Believed) and others.definition.secret != secret:
            raise InputError(f"The definition hides {others.definition.secret}, but asked is {secret}. Say one.")
        if isinstance(others, Laws) and not isinstance(secret, Value | Presence):
            raise InputError(f"Groups by their laws are judged for Value() or Presence(), but got {secret}.")
    return guaranteed(found, secret, target.epsilon, target.delta)


def guaranteed(
    group: Group, secret: Secret, at: Fraction | None, target: Fraction | None, *, release: str = ""
) -> Guarantee:
    """The same at an ε, at a δ, or at both; `release`: what is published, in words."""
    decides = at is not None and target is not None
    court = Judge(secret, at or Fraction(0), target or Fraction(0), decides=decides)
    wanted = target or Fraction(0)
    if at is not None:
        judged = court.judged(group)
        level, bracket, said, route = around(at, at), judged.delta, judged.because, judged.route
    else:
        level, bracket, said, route = court.whole(group).epsilon(wanted), around(wanted, wanted), "", court.route(group)
    shown = at if at is not None else Fraction(level.lower if level.lower < 700 else 0)
    return Guarantee(
        definition=_definition(group),
        hides=str(secret),
        attacker=_attacker(group),
        release=release or ", ".join(map(str, group.release)),
        epsilon=level,
        delta=bracket,
        target_epsilon=at,
        target_delta=target,
        because=_because(group, said) + _hidden_lattice(court, group, shown),
        assumes=_assumes(group),
        breaks=_breaks(group, route),
        witness=court.at(shown).witness(group, telling_of(group)) if len(group.release) == 1 else None,
        largest_known=_largest_known(group, court) if decides else "",
        evidence=Evidence.HEURISTIC if any(belief.fitted for belief in _beliefs(group)) else Evidence.COMPUTED,
        sources=(*_sources(group), *(source for belief in _beliefs(group) for source in belief.sources)),
        notion=_notion(group, secret),
        route=route,
    )


def most_known(group: Group, court: Judge, resolution: int = 1) -> int | None:
    """The largest number of known records at which the target is certainly met, to within the resolution; None if not
    even with none. A number that is too much to judge counts as one at which it is not.

    Knowing more never helps privacy, so bisection finds it; the number returned has itself been certified.
    """

    def most(known: int) -> float:
        try:
            return court.judged(replace(group, known=known), quick=True).delta.upper
        except InputError:  # nobody asked for so many: what cannot be judged is not certified
            return 1.0 + float(court.enough)

    return last_below(most, court.enough, group.size - 1, resolution)


def _largest_known(group: Group, court: Judge) -> str:
    beliefs = _beliefs(group)
    if any(others.everybody for others in _believed(group)) or any(belief.settled for belief in beliefs):
        return ""
    resolution = max((belief.resolution for belief in beliefs), default=1)
    most = most_known(group, court, resolution)
    if most is None:
        return "not met even if the attacker knows nobody"
    about = "at least " if resolution > 1 else ""
    return f"holds up to {about}{most} of {group.size} records known"


# -- in words ----------------------------------------------------------------------------------------------------------


def telling_of(group: Group) -> Telling:
    """How a witness speaks of the group's only number."""
    statistic = _statistic(group.others[0]) if group.others else None
    if statistic is None:
        return Telling("the number")
    return Telling("the count" if isinstance(statistic, Count) else "the total", _unit(statistic))


def _statistic(others: Others) -> Statistic | None:
    return others.statistic if isinstance(others, Believed) else None


def _unit(statistic: Statistic) -> Fraction:
    return statistic.unit if isinstance(statistic, Sum | Mean) else Fraction(1)


def _believed(group: Group) -> Sequence[Believed]:
    return [others for others in group.others if isinstance(others, Believed)]


def _beliefs(group: Group) -> Sequence[Belief]:
    return [others.belief for others in _believed(group)]


def _definition(group: Group) -> str:
    return next((str(others.definition) for others in _believed(group)), "noiseless privacy")


def _notion(group: Group, secret: Secret) -> Notion | None:
    if not _believed(group):
        return notion_of(secret)
    return next(others.definition.notion for others in _believed(group))


def _attacker(group: Group) -> str:
    """Who attacks, in one line."""
    for others in _believed(group):
        return "knows every record but one" if others.everybody else str(others.belief)
    return f"believes the stated probabilities of {group.size} independent records, and knows {group.known} of them"


def _assumes(group: Group) -> tuple[str, ...]:
    """What the number rests on."""
    if any(others.everybody for others in _believed(group)):
        return (DICE, *ASSUMPTIONS)
    heuristic = (FITTED,) if any(belief.fitted for belief in _beliefs(group)) else ()
    told = tuple(line for belief in _beliefs(group) for line in belief.assumes) or (INDEPENDENCE, SHARE)
    dice = (DICE,) if any(channel.dice for channel in group.release) else ()
    return (*heuristic, *told, *dice, *ASSUMPTIONS)


def _breaks(group: Group, route: str) -> tuple[str, ...]:
    """What would make the number wrong."""
    if any(others.everybody for others in _believed(group)):
        return ("a person with more than one record",)
    found = [belief.breaks for belief in _beliefs(group)] or [
        "records that move together (households, repeated visits)"
    ]
    found.append(MORE_KNOWN)
    if route != NOISE:  # it rests on what is uncertain about other records
        found.append(TOGETHER)
    if any(channel.dice for channel in group.release):
        found.append(REDRAWN)
    return tuple(found)


def _sources(group: Group) -> tuple[str, ...]:
    return (DIFFERENTIAL,) if any(others.everybody for others in _believed(group)) else SOURCES


def _because(group: Group, said: str) -> str:
    for others in _believed(group):
        return _pairs_told(others.facts, _unit(others.statistic))
    return said


def _pairs_told(facts: Facts, unit: Fraction) -> str:
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


def _hidden_lattice(court: Judge, group: Group, epsilon: Fraction) -> str:
    if len(group.release) > 1 or not _believed(group):
        return ""
    whole = court.whole(group)
    if isinstance(whole, WorstCurve):  # on a lattice that anybody can see
        return ""
    from dalenius.judge.resonance import resonance

    return resonance(whole, epsilon, telling_of(group))
