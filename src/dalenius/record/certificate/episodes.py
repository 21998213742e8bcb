"""Groups that are judged over several editions: the strata that a certificate states, written and judged again."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dalenius.beliefs.belief import known_records
from dalenius.plan import Finding, Question
from dalenius.plan.finding import episodes_of
from dalenius.plan.judging import docket_of
from dalenius.record.certificate.document import CertificateModel, StratumModel
from dalenius.tables.figures import Figure
from dalenius.tables.history import Cover
from dalenius.tables.series import ROUNDING
from dalenius.tables.spells import Spells, Stay, Stratum

DRAWN = (
    "from one edition to the next every value is drawn anew from its law with the stated probability, and stays "
    "otherwise; the laws of kinds are those of any one edition"
)
SPELL = "compared are any two histories of a person that differ in one spell of editions, with one value throughout"
SERIES = (DRAWN, SPELL)


def series_json(findings: Sequence[Finding], question: Question, figures: Sequence[Figure]) -> dict[str, Any] | None:
    """The strata of all groups; None if the figures are of one edition, or some editions pass by their noise."""
    if question.over_editions(figures) is None:
        return None
    judge = episodes_of(Cover.of(figures, question.frame, question.columns), docket_of(question), question)
    if any(topic.exact < len(judge.months) for topic in judge.topics):
        return None
    place_of = {(atom.entries, atom.groups): place for place, atom in enumerate(judge.cover.atoms)}
    places: dict[tuple[int, int], int] = {}
    groups = []
    for finding in findings:
        atom = place_of[finding.atom.entries, finding.atom.groups]
        rows = judge.strata(atom)
        groups.append([[places.setdefault(key, len(places)) for key in row] for row in rows])
    return {
        "editions": len(judge.months),
        "topics": len(judge.topics),
        "strata": [_stratum(*judge.stated(*key)) for key in places],
        "groups": groups,
    }


def _stratum(stratum: Stratum, facts: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    laws = list(dict.fromkeys(stay.law for stay in stratum.stays))
    return {
        "facts": [list(fact) for fact in facts],
        "steps": [[str(low), str(high)] for low, high in stratum.steps],
        "laws": [[[list(vector), str(chance)] for vector, chance in law] for law in laws],
        "stays": [[stay.first, stay.last, laws.index(stay.law), stay.people, stay.known] for stay in stratum.stays],
    }


def restored(model: StratumModel) -> Stratum:
    """The stratum that is stated."""
    laws = [tuple((tuple(vector), Fraction(chance)) for vector, chance in law) for law in model.laws]
    stays = tuple(Stay(first, last, laws[law], people, known) for first, last, law, people, known in model.stays)
    return Stratum(stays, tuple((Fraction(low), Fraction(high)) for low, high in model.steps))


def uppers(document: CertificateModel) -> list[float]:
    """Delta of each group, at most, judged again by the strata that are stated."""
    series = document.series
    if series is None:
        return []
    epsilon, wanted = Fraction(document.claim.epsilon), Fraction(document.claim.delta_wanted)
    judge = Spells(epsilon / series.topics, wanted / series.topics)
    each = [judge.upper(restored(stratum), [tuple(fact) for fact in stratum.facts]) for stratum in series.strata]
    return [
        min(1.0, max((math.fsum(each[place] for place in row) for row in rows), default=0.0) * (1 + ROUNDING))
        for rows in series.groups
    ]


def problems(document: CertificateModel) -> list[str]:
    """What contradicts itself in the strata: who is in them, how many are known, what is no probability."""
    series = document.series
    if series is None:
        return []
    found = []
    if len(series.groups) != len(document.groups) or series.topics < 1 or series.editions < 2:
        return ["the strata are not those of the groups"]
    people: Counter[int] = Counter()
    for (kind, _), rows in zip(document.groups, series.groups, strict=True):
        if len(rows) > 1 and len({tuple(row) for row in rows}) > 1:
            found.append("a group is in one stratum of each topic")
        people.update(dict.fromkeys(rows[0] if rows else (), 0))
        for place in rows[0] if rows else ():
            people[place] += document.kinds[kind].people
        if any(len(row) > series.topics for row in rows):
            found.append("a group is in more strata than there are topics")
    for place, stratum in enumerate(series.strata):
        if sum(stay[3] for stay in stratum.stays) != people[place]:
            found.append(f"stratum {place}: its people are not those of its groups")
        found += [f"stratum {place}: {why}" for why in _wrong(stratum, series.editions, document)]
    return found


def _wrong(stratum: StratumModel, editions: int, document: CertificateModel) -> list[str]:
    found = []
    if len(stratum.steps) != editions - 1:
        found.append("it has another number of editions")
    if any(not 0 <= Fraction(low) <= Fraction(high) <= 1 for low, high in stratum.steps):
        found.append("a probability of change is none")
    for law in stratum.laws:
        masses = [Fraction(chance) for _, chance in law]
        if any(mass < 0 for mass in masses) or sum(masses, Fraction(0)) > 1:
            found.append("a law has more than the whole mass")
        if not {tuple(vector) for vector, _ in law} <= {tuple(fact) for fact in stratum.facts}:
            found.append("a law has facts that are not listed")
    for first, last, _, people, known in stratum.stays:
        if not 1 <= first <= last <= editions or people < 1:
            found.append("somebody is there in no edition")
        if known < _least_known(document, people):
            found.append("it is told wrongly how many are known")
    return found


def _least_known(document: CertificateModel, people: int) -> int:
    """No fewer are known among these people, wherever that share of all, or of a number that they are in, may be."""
    share, every = Fraction(document.attacker.knows), document.people.all
    whole = share.denominator == 1
    known = known_records(int(share) if whole else share, every) if every > 1 else 0
    if document.attacker.in_every_group and not (whole and share):
        known = min(known, math.ceil(share * people))
    return min(people - 1, known)
