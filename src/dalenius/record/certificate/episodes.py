"""Groups that are judged over several editions: the strata that a certificate states, written and judged again."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dalenius.beliefs.belief import known_records
from dalenius.facts.records import Where
from dalenius.facts.secret import Value
from dalenius.judge.engine import Judge
from dalenius.judge.group import Group, Rows, first_noise
from dalenius.plan import Finding, Question
from dalenius.plan.finding import episodes_of
from dalenius.plan.judging import docket_of
from dalenius.record.certificate.document import CertificateModel, KindModel, SeriesEvidence, StratumModel
from dalenius.record.certificate.editions import ToldEditions
from dalenius.record.codec import channel_of
from dalenius.record.codec.runs import vectors
from dalenius.tables.figures import Figure
from dalenius.tables.history import Cover
from dalenius.tables.series import ROUNDING, Episodes, beside
from dalenius.tables.spells import Spells, Stay, Stratum

DRAWN = (
    "from one edition to the next every value is drawn anew from its law with the stated probability, and stays "
    "otherwise; the laws of kinds are those of any one edition"
)
SPELL = "compared are any two histories of a person that differ in one spell of editions, with one value throughout"
SERIES = (DRAWN, SPELL)


def series_json(findings: Sequence[Finding], question: Question, figures: Sequence[Figure]) -> dict[str, Any] | None:
    """The strata of all groups; None if the figures are of one edition."""
    if question.over_editions(figures) is None:
        return None
    judge = episodes_of(Cover.of(figures, question.frame, question.columns), docket_of(question), question)
    number_of = {figure: number for number, figure in enumerate(figures)}
    place_of = {(atom.entries, atom.groups): place for place, atom in enumerate(judge.cover.atoms)}
    places: dict[tuple[int, int], int] = {}
    groups, people = [], []
    for finding in findings:
        atom = place_of[finding.atom.entries, finding.atom.groups]
        rows: Counter[tuple[int, ...]] = Counter()
        for row, (_, count) in zip(judge.strata(atom), finding.atom.groups, strict=True):
            rows[tuple(places.setdefault(key, len(places)) for key in row)] += count
        groups.append([list(row) for row in rows])
        people.append(list(rows.values()))
    return {
        "editions": len(judge.months),
        "topics": len(judge.topics),
        "strata": [{**_stratum(*judge.stated(*key)), **_noise(judge, key, number_of)} for key in places],
        "groups": groups,
        "shown": {
            "when": [_when(judge, month) for month in judge.months],
            "figures": [judge.shown(figure) for figure in figures],
            "quantities": [judge.quantities(*key) for key in places],
            "people": people,
            "changes": {
                topic.column: [str(rate) for rate in judge.series.changed(topic.column, 1)] for topic in judge.topics
            },
            "apart": [later - month for month, later in pairwise(judge.months)],
        },
    }


def _when(judge: Episodes, month: int) -> str:
    """The condition of an edition, in words."""
    series = judge.series
    figure = next(one for one in judge.cover.figures if one.name in series.months and series.month(one) == month)
    return str(Where(figure.where.tests[len(series.base(figure).where.tests) :]))


def _stratum(stratum: Stratum, facts: Sequence[tuple[int, ...]]) -> dict[str, Any]:
    laws = list(dict.fromkeys(stay.law for stay in stratum.stays))
    return {
        "facts": [list(fact) for fact in facts],
        "steps": [[str(low), str(high)] for low, high in stratum.steps],
        "laws": [[[list(vector), str(chance)] for vector, chance in law] for law in laws],
        "stays": [[stay.first, stay.last, laws.index(stay.law), stay.people, stay.known] for stay in stratum.stays],
    }


def _noise(judge: Episodes, key: tuple[int, int], number_of: Mapping[Figure, int]) -> dict[str, Any]:
    """The figures with noise that people of a stratum are in, if the last editions have noise on all of theirs."""
    exact, found = judge.noise_of(*key)
    if exact == len(judge.months):
        return {}
    return {"exact": exact, "noise": [[number_of[figure], place] for figure, place in found]}


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
    topics = max(1, series.topics)  # there are none where no confidential column is used
    judges = _Judges(wanted / topics)
    each = [_upper(document, stratum, judges, (epsilon / topics, wanted)) for stratum in series.strata]
    return [
        min(1.0, max((math.fsum(each[place] for place in row) for row in rows), default=0.0) * (1 + ROUNDING))
        for rows in series.groups
    ]


class _Judges(dict[Fraction, Spells]):
    """One for each epsilon, so that nothing is worked out twice."""

    def __init__(self, enough: Fraction) -> None:
        super().__init__()
        self.enough = enough

    def __missing__(self, epsilon: Fraction) -> Spells:
        self[epsilon] = Spells(epsilon, self.enough)
        return self[epsilon]


def _upper(
    document: CertificateModel, model: StratumModel, judges: _Judges, wanted: tuple[Fraction, Fraction]
) -> float:
    """Delta of the people of a stratum, at most: by people alone, or with noise on the last editions."""
    stratum, facts = restored(model), [tuple(fact) for fact in model.facts]
    if model.exact is None:
        return judges[wanted[0]].upper(stratum, facts)
    found = [judges[wanted[0]].upper(stratum, facts)] if model.exact else []
    vectors = tuple(tuple(fact[place] for _, place in model.noise) for fact in facts)
    reach = tuple(max(axis) - min(axis) for axis in zip(*vectors, strict=True))
    rows = Rows(tuple(range(len(model.noise))), vectors, reach)
    channels = tuple(channel_of(document.figures[figure].channel) for figure, _ in model.noise)
    noise = Judge(Value(), *wanted).noise(Group((), channels, 0, rows=(rows,)))
    return min([*found, beside(judges.__getitem__, stratum, model.exact, facts, noise, wanted)])


def problems(document: CertificateModel) -> list[str]:
    """What contradicts itself in the strata: who is in them, how many are known, what is no probability."""
    series = document.series
    if series is None:
        return []
    found = []
    if len(series.groups) != len(document.groups):
        return ["the strata are not those of the groups"]
    if any(kind.evidence.method != "series" for kind in document.kinds):
        return ["what is told over editions is not told by the numbers of a group alone"]
    for (kind, _), rows in zip(document.groups, series.groups, strict=True):
        found += _noise_left_out(document, series.strata, document.kinds[kind], rows)
        found += _too_few(document, series, document.kinds[kind], rows)
        if any(len(row) > series.topics for row in rows):
            found.append("a group is in more strata than there are topics")
    for place, stratum in enumerate(series.strata):
        found += [f"stratum {place}: {why}" for why in _wrong(stratum, series.editions, document)]
    if found or series.shown is not None:
        return found or ToldEditions.problems_of(document)
    return _people_of_older(document, series)


def _people_of_older(document: CertificateModel, series: SeriesEvidence) -> list[str]:
    """Where it is not said who is in which edition: a stratum has the people of its groups, each in one of a topic."""
    found, people = list[str](), Counter[int]()
    for (kind, _), rows in zip(document.groups, series.groups, strict=True):
        if len({tuple(row) for row in rows}) > 1:
            found.append("a group is in one stratum of each topic")
        for place in rows[0] if rows else ():
            people[place] += document.kinds[kind].people
    for place, stratum in enumerate(series.strata):
        if sum(stay[3] for stay in stratum.stays) != people[place]:
            found.append(f"stratum {place}: its people are not those of its groups")
    return found


def _noise_left_out(
    document: CertificateModel, strata: Sequence[StratumModel], kind: KindModel, rows: Sequence[Sequence[int]]
) -> list[str]:
    """Figures with noise that a group is in stand in each of its strata that rest on noise; each as its domain says."""
    absent = {0} if document.secret == "presence" else set()
    adds = {
        figure: set(axis) | absent
        for part in kind.parts
        for figure, axis in zip(part.figures, zip(*vectors(document.domains[part.domain]), strict=True), strict=True)
    }
    for row in rows:
        mine = [strata[place] for place in row]
        listed = {figure: {fact[place] for fact in one.facts} for one in mine for figure, place in one.noise}
        noisy = {figure for figure in kind.figures if _random(document, figure) and len(adds[figure]) > 1}
        resting = any(one.exact is not None for one in mine)
        if (resting and noisy - listed.keys()) or any(adds[figure] != listed[figure] for figure in noisy & {*listed}):
            return ["a figure with noise is not in the strata of the people whom it covers"]
    return []


def _too_few(
    document: CertificateModel, series: SeriesEvidence, kind: KindModel, rows: Sequence[Sequence[int]]
) -> list[str]:
    """A group is in no more exact numbers than there are places in the vectors of all exact editions."""
    exact = [document.figures[figure] for figure in kind.figures if not _random(document, figure)]
    there = {(one.kind, one.column, one.where, tuple(one.by), one.truncated) for one in exact if one.confidential}
    for row in rows:
        mine = [series.strata[place] for place in row]
        if len(there) > sum(len(one.facts[0]) * (series.editions if one.exact is None else one.exact) for one in mine):
            return ["a group is in more exact figures than its strata have"]
    return []


def _random(document: CertificateModel, figure: int) -> bool:
    return any(name != "round" for name, _ in document.figures[figure].channel)


def _wrong(stratum: StratumModel, editions: int, document: CertificateModel) -> list[str]:
    found = []
    if document.secret == "presence" and [0] * len(stratum.facts[0]) not in stratum.facts:
        found.append("absence is not one of the facts")
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
    older = document.series is not None and document.series.shown is None  # else it is known which figures these are
    if stratum.exact is not None and (stratum.exact >= editions or (older and not stratum.noise)):
        found.append("its later editions have no noise")
    if any(not first_noise(channel_of(document.figures[figure].channel)).random for figure, _ in stratum.noise):
        found.append("a figure is said to have noise, and has none")
    if stratum.exact is None and stratum.noise:
        found.append("noise is listed that nothing rests on")
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
