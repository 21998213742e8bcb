"""A certificate, computed again by this program from the certificate alone: no data, no specification."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any, final

from pydantic import ValidationError

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.basics.limits import LARGEST_CERTIFICATE
from dalenius.beliefs.belief import known_records
from dalenius.enclosure.formats import upwards
from dalenius.enclosure.outward import float_after
from dalenius.judge.risk import risk_from
from dalenius.judge.verdict import SOURCES
from dalenius.mechanisms.registry import COMPARES, HIDES, NOISES
from dalenius.mechanisms.registry import HIDING as HIDING_NAMES
from dalenius.plan.grounds import broken_by
from dalenius.plan.words import (
    CHOOSING,
    COMPARING,
    EARNING,
    HIDING,
    MODELLING,
    NOISE,
    ORDERING,
    ROUNDING,
    TRUNCATED,
    may_go_out,
)
from dalenius.record.certificate import episodes, table
from dalenius.record.certificate.again import Again, people_of
from dalenius.record.certificate.computed import unfit
from dalenius.record.certificate.document import (
    OLDER,
    SCHEMA,
    CertificateModel,
    CertifiedFigure,
    KindModel,
    PartModel,
    ScenarioLaws,
)
from dalenius.record.certificate.signing import read_file, read_key, signature_fits
from dalenius.record.certificate.special import (
    SCENARIOS,
    all_special,
    forms_of,
    special_breaks,
    special_lines,
    wrongly_special,
)
from dalenius.record.certificate.written import RECORDS, certain_assumptions, extremes, own_hash
from dalenius.record.codec.runs import vectors
from dalenius.tables.contributions import independent_axes

CONTRADICTIONS = (InputError, LookupError, ValueError, ZeroDivisionError)
LARGEST_LIST = 1_000_000  # vectors of all laws and domains together
WAS = (
    "It was written as version 4, where presence meant each value against absence, and not values against each other. "
    "Presence means both now"
)
# What certificates said before they named only the changes that are there.
CHANGED = may_go_out([NOISE, ROUNDING])
CUT = "YES: these figures may go out, with what is specified for them: truncated values, noise, rounding."


@final
@dataclass(frozen=True, slots=True)
class Recheck:
    """What became of a certificate: why it is refused, and what could not be computed."""

    document: CertificateModel
    refused: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    signed: bool = False
    figures: bool = False  # whether the published table was compared

    @property
    def older(self) -> bool:
        """Whether it was written when its secret meant less."""
        return self.document.schema_ == OLDER and self.document.secret == "presence"

    @property
    def code(self) -> int:
        """0: it holds; 1: refused; 3: not all of it could be computed."""
        return 1 if self.refused else 3 if self.skipped else 0

    @property
    def _about(self) -> str:
        """What is told apart."""
        who = "a person" if self.document.together is None else "a household"
        return f"two values of {who} that must look alike" if self.document.near else f"two facts about {who}"

    def text(self) -> str:
        """In plain words."""
        claim = self.document.claim
        if self.refused:
            lines = [f"  - {why}" for why in self.refused]
            older = [f"{WAS}. Release the figures again to learn what they tell."] if self.older else []
            return "\n".join(["REFUSED: this certificate does not hold.", *lines, *older])
        if self.skipped:
            lines = [f"  - {what}" for what in self.skipped]
            older = [f"{WAS}."] if self.older else []
            return "\n".join(["UNDECIDED: not all of this certificate could be computed again.", *lines, *older])
        nobody = [figure.name for figure in self.document.figures if figure.least is None]
        signed = f" It says that nobody is in {', '.join(nobody)}." if nobody else ""
        signed += " It was made for this file of figures." if self.figures else ""
        signed += " The signature fits." if self.signed else ""
        signed += f" {WAS}, and it holds for both." if self.older else ""
        risk = risk_from([(Fraction(claim.epsilon), min(1.0, float_after(float(claim.delta_at_most))))])
        most = upwards(1000 * risk.found(Fraction(1, 100)).upper)
        told = (
            f" From these two numbers alone it follows that whoever tells {self._about} apart by these figures, with "
            f"10 false alarms in 1,000, finds at most {most} of 1,000 (10 without looking)."
        )
        return (
            f"HOLDS: delta is at most {claim.delta_at_most} at epsilon {claim.epsilon}, computed again for "
            f"{len(self.document.groups)} group{'s' * (len(self.document.groups) != 1)} of people.{told}{signed}"
        )

    def json(self) -> dict[str, Any]:
        """The same for machines."""
        verdict = {0: "holds", 1: "refused", 3: "undecided"}[self.code]
        return {
            "verdict": verdict,
            "refused": list(self.refused),
            "skipped": list(self.skipped),
            "signed": self.signed,
            "presence_meant_less": self.older,
        }


def read_certificate(content: bytes) -> dict[str, Any]:
    """The document, if it is a certificate of this version; InputError otherwise."""
    if len(content) > LARGEST_CERTIFICATE:
        raise InputError(
            f"A certificate has at most {LARGEST_CERTIFICATE} bytes, but this file has {len(content)}. Check it."
        )
    try:
        document = json.loads(
            content.decode(), parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_once
        )
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"Needed a certificate in JSON, but this file is none ({_wrong(error)}). Give the certificate.json of a "
            "release."
        ) from None
    schema = document.get("schema") if isinstance(document, dict) else None
    version = re.fullmatch("dalenius/certificate/([0-9]{1,6})", schema) if isinstance(schema, str) else None
    if version is None:
        raise InputError(
            "Needed a certificate of dalenius, but there is no schema dalenius/certificate/... in this file."
        )
    if schema not in (OLDER, SCHEMA):
        newer = int(version[1]) > int(SCHEMA.rpartition("/")[2])
        advice = "Install a newer dalenius." if newer else "Release the figures again."
        raise InputError(
            f"This dalenius reads certificates of version 4 and 5, but this one has version {version[1]}. {advice}"
        )
    return dict(document)


def _wrong(error: Exception) -> str:
    """In words, without what Python says of bytes and recursion."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not text"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno} cannot be read"
    return str(error)[:200]


def _no_float(text: str) -> None:
    raise ValueError(f"numbers are whole ones or text, but got {text[:40]}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def verify_certificate(
    certificate: Path, figures: Path | None = None, key: Path | None = None, signature: Path | None = None
) -> Recheck:
    """A certificate with the files that belong to it; the signature is looked for beside it."""
    content = read_file(certificate)
    if signature is not None and key is None:
        raise InputError(
            f"A signature is checked with a public key, but only the signature {signature} was given. Add --key "
            "KEYFILE.pub."
        )
    if key is not None:
        made = read_key(signature or certificate.with_suffix(".sig"))
        if not signature_fits(content, made, read_key(key)):
            found = recheck(content, None if figures is None else read_file(figures))
            why = "the signature does not fit: another key, or the certificate was changed"
            return replace(found, refused=(why, *found.refused))
    found = recheck(content, None if figures is None else read_file(figures))
    return replace(found, signed=key is not None, figures=figures is not None)


def recheck(content: bytes, figures: bytes | None = None) -> Recheck:
    """Everything that follows from the stated laws, computed again and compared; `figures` is the published table."""
    raw, document = _read(content)
    try:
        problems = _at_first_sight(raw, document)
        problems += [] if figures is None else table.compared(document, figures)
        if problems:
            return Recheck(document, tuple(problems))
        refused, skipped = Again.of(document).compared()
    except CONTRADICTIONS as error:
        return Recheck(document, (f"it contradicts itself: {error}",))
    except (PreconditionError, OverflowError) as error:
        return Recheck(document, (), (f"a number is too large or too small: {error}",))
    return Recheck(document, tuple(refused), tuple(skipped))


def faults_of(content: bytes) -> list[str]:
    """What is wrong with a certificate at first sight: all but the numbers that take long to compute again. InputError
    if it is none.
    """
    raw, document = _read(content)
    try:
        return _at_first_sight(raw, document)
    except (*CONTRADICTIONS, PreconditionError, OverflowError) as error:
        return [f"it contradicts itself: {error}"]


def _read(content: bytes) -> tuple[dict[str, Any], CertificateModel]:
    raw = read_certificate(content)
    try:
        return raw, CertificateModel.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"The certificate has a wrong entry at {where}: {first['msg']}. Ask for the original."
        ) from None


def _at_first_sight(raw: Mapping[str, Any], document: CertificateModel) -> list[str]:
    changed = own_hash(raw) != document.sha256
    told = ["it was changed after it was written: its own sha256 does not fit"] if changed else []
    return [*told, *_texts(document), *_structure(raw, document)]


def _texts(document: CertificateModel) -> list[str]:
    """Sentences that follow from the rest."""
    new = [figure for figure in document.figures if not figure.already_out]
    names = {name for figure in new for name, _ in figure.channel}
    cut, noisy, hidden = (
        any(figure.truncated for figure in new),
        bool(names & {*NOISES, "moved"}),
        bool(names & {*HIDING_NAMES}),
    )
    there = (
        (TRUNCATED, cut),
        (NOISE, noisy),
        (ROUNDING, "round" in names),
        (HIDING, hidden),
        (COMPARING, "compare" in names),
        (ORDERING, bool(names & {"order", "moved"})),
        (MODELLING, "model" in names),
        (CHOOSING, "choose" in names),
        (EARNING, "earned" in names),
    )
    answers = [may_go_out([change for change, is_there in there if is_there])]
    answers += [CUT] if cut else [CHANGED] if names else []
    estimated = any(part.least is not None for kind in document.kinds for part in kind.parts)
    together = document.together is not None
    design, forms = None if document.sample is None else document.sample.design, forms_of(document)
    if forms:
        parts = (part for kind in document.kinds for part in kind.parts)
        estimated = any(part.least is not None and part.believed is None for part in parts)
    if together:
        estimated = any(belief.differ or belief.confidence is not None for belief in document.beliefs)
    counted = any(belief.confidence is not None for belief in document.beliefs)
    several = any(belief.scenarios > 1 for belief in document.beliefs)
    presence, about = document.secret == "presence", [belief.columns for belief in document.beliefs]
    editions = any(kind.evidence.method == "series" for kind in document.kinds)
    fine = {
        "answer": document.answer in answers,
        "assumes": not document.kinds
        or _without_records(document.assumes)
        == certain_assumptions(
            presence=presence and design is None,
            estimated=estimated,
            counted=counted,
            about=about,
            editions=editions,
            together=together,
            special=[*special_lines(forms, design), *([SCENARIOS] if several else [])],
            all_special=all_special([kind.model_dump(exclude_none=True) for kind in document.kinds], design)
            if forms or design
            else False,
        ),
        "broken_by": document.broken_by
        == broken_by(noisy=noisy or "earned" in names, together=together, special=special_breaks(forms, design)),
        "sources": document.sources == list(SOURCES),
    }
    return [f"{name} is not what belongs to such a claim" for name, same in fine.items() if not same]


def _without_records(lines: Sequence[str]) -> list[str]:
    """The assumptions without what is said at their end of how rows are records, which follows from nothing else."""
    at = next((place for place, line in enumerate(lines) if line in RECORDS), len(lines))
    said = list(lines[at:])
    return list(lines[:at]) if said == [line for line in RECORDS if line in said] else list(lines)


def _structure(raw: Mapping[str, Any], document: CertificateModel) -> list[str]:
    """Numbers that follow from others, but for the deltas."""
    problems, kinds = [], document.kinds
    listed = sum(count for runs in document.domains for _, _, count in runs)
    listed += sum(count for runs in document.laws for _, _, count, _ in runs)
    if listed > LARGEST_LIST:
        raise InputError(f"its laws and domains have {listed} vectors, more than {LARGEST_LIST}")
    if Fraction(document.claim.epsilon) < 0 or not 0 <= Fraction(document.claim.delta_wanted) <= 1:
        problems.append("epsilon must be at least 0, and delta between 0 and 1")
    rows = [run[:3] for runs in document.domains for run in runs] + [run[:3] for law in document.laws for run in law]
    if any((count == 1) == any(step) or len(first) != len(step) for first, step, count in rows):
        problems.append("a run has a step exactly if it has more than one vector")
    if any(sorted(f for part in kind.parts for f in part.figures) != sorted(set(kind.figures)) for kind in kinds):
        problems.append("the parts of a kind must have each of its figures once")
    problems += _columns(document)
    if any(not 0 <= Fraction(kind.delta[0]) <= Fraction(kind.delta[1]) for kind in kinds):
        problems.append("a delta is not written as [at least, at most]")
    if any((figure.column is None) != (figure.kind == "count") for figure in document.figures):
        problems.append("a count has no column, a sum and a mean have one")
    if document.secret == "presence" and any(figure.kind == "mean" for figure in document.figures):
        problems.append("a mean has a public number of records, and where presence is secret there is none")
    if any(figure.kind == "mean" and {*figure.confidential} - {figure.column} for figure in document.figures):
        problems.append("a mean has a public number of records, and not one that a confidential column decides")
    problems += [problem for figure in document.figures for problem in _channel(figure)]
    problems += unfit(document)
    problems += _unused(document)
    problems += _domains(document)
    worst = max((Fraction(kind.delta[1]) for kind in kinds), default=Fraction(0))
    if Fraction(document.claim.delta_at_most) != worst:
        problems.append("delta_at_most is not the largest delta of all groups")
    if any(Fraction(kind.delta[1]) > Fraction(document.claim.delta_wanted) for kind in kinds):
        problems.append("a group's delta is above the one that is wanted")
    adds = extremes(raw["kinds"], raw["domains"])
    for place, figure in enumerate(document.figures):
        ends, unit = adds.get(place), Fraction(figure.unit)
        stated = (
            None if figure.least is None or figure.most is None else (Fraction(figure.least), Fraction(figure.most))
        )
        if stated != (None if ends is None else (ends[0] * unit, ends[1] * unit)) or unit <= 0:
            problems.append(f"{figure.name}: the least and the most that a record adds do not fit its domain")
        low, high = (Fraction(end) for end in figure.truncated or stated or (0, 0))
        if stated and (
            stated[0] < min(low, Fraction(0)) or stated[1] > max(high, Fraction(0))
        ):  # who is not counted adds 0
            problems.append(f"{figure.name}: a record adds more than values that are truncated so can")
    problems += _groups(document)
    problems += _policies(document)
    problems += _together(document)
    problems += wrongly_special(document)
    problems += _near(document)
    problems += episodes.problems(document)
    return problems


def _channel(figure: CertifiedFigure) -> list[str]:
    """What happens to a number: noise, rounding, or rounding after noise; or a rule says how counts are shown."""
    names = [name for name, _ in figure.channel]
    if any(name in HIDES for name in names):
        fine = len(names) == 1 and figure.kind == "count"
        return [] if fine else [f"{figure.name}: a rule for what is shown is for counts as they are"]
    orders: tuple[list[bool], ...] = ([], [False], [True], [False, True])
    fine = [name == "round" for name in names] in orders
    return [] if fine else ["a channel is noise, rounding, or rounding after noise"]


def _columns(document: CertificateModel) -> list[str]:
    """What figures depend on: each column is believed something of, and is in one of the parts that are independent."""
    found, held = [], {name: belief.column for belief in document.beliefs for name in belief.columns}
    uses = [frozenset(figure.confidential) for figure in document.figures]
    if len(held) != sum(len(belief.columns) for belief in document.beliefs) or any(some - {*held} for some in uses):
        found.append("a figure depends on a column that no belief, or more than one, is about")
        return found
    for kind in document.kinds:
        own = [about for part in kind.parts for about in {held[name] for at in part.figures for name in uses[at]}]
        if len(set(own)) != len(own):
            found.append("figures of one column, or of one belief, are in parts of a kind that are independent")
    return found


def _domains(document: CertificateModel) -> list[str]:
    """A record may add the same to a figure wherever the figure covers somebody, and to several at once."""
    found, sets = [], dict[frozenset[int], int]()  # each by number: there may be thousands of kinds with long ones
    steps = [
        [sets.setdefault(frozenset(axis), len(sets)) for axis in zip(*vectors(runs), strict=True)]
        for runs in document.domains
    ]
    whole, adds, every = dict[tuple[int, ...], int](), dict[int, int](), list(sets)
    for part in (part for kind in document.kinds for part in kind.parts):
        same = whole.setdefault(tuple(part.figures), part.domain) == part.domain
        each = zip(part.figures, steps[part.domain], strict=True)
        if not same or any(adds.setdefault(figure, some) != some for figure, some in each):
            found.append("what a record may add to a figure differs between kinds")
    for place, figure in enumerate(document.figures):
        may = every[adds[place]] if place in adds else frozenset()
        if may and (len(may) > 1) != bool(figure.confidential):
            found.append(f"{figure.name}: every record adds the same exactly if no confidential column is used")
        if len(may) > 1 and figure.column not in (None, *figure.confidential):
            found.append(f"{figure.name}: it does not depend on the column that it adds up")
        if figure.kind == "count" and (not may <= {0, 1} or Fraction(figure.unit) != 1):
            found.append(f"{figure.name}: a record counts once, or not")
    return found


def _all_laws(parts: Sequence[PartModel]) -> list[PartModel | ScenarioLaws]:
    """What is said of the laws of these parts, in every scenario."""
    return [*parts, *(other for part in parts for other in part.also)]


def _unused(document: CertificateModel) -> list[str]:
    """Laws and domains that nobody has; numbers that stand there twice, or with too many values."""
    parts = [part for kind in document.kinds for part in kind.parts]
    said = _all_laws(parts)
    laws = {law for some in said for law, _ in (*some.types, *(some.least or ()))}
    found = []
    if laws != set(range(len(document.laws))) or {part.domain for part in parts} != set(range(len(document.domains))):
        found.append("a law or a domain is missing, or is listed and nobody has it")
    if len({(figure, repr(cell)) for figure, cell in document.numbers}) != len(document.numbers):
        found.append("a number is listed twice")
    if any(len(cell) != len(document.figures[figure].by) for figure, cell in document.numbers):
        found.append("a number does not have a value for each column that its figure is split by")
    return found


def _together(document: CertificateModel) -> list[str]:
    """Records that move together: only what is proved of them."""
    one, found = document.together, []
    if one is None:
        return []
    weight = Fraction(one.weight)
    if not 0 < weight < 1 or not one.groups <= one.largest <= document.people.all:
        found.append("the weight of records that move together, or the size of a household, is out of place")
    if document.series is not None or any(kind.evidence.method != "atom" for kind in document.kinds):
        found.append("where records move together, only one edition is judged, by the groups themselves")
    masses = [sum((Fraction(chance) * many for _, _, many, chance in law), Fraction(0)) for law in document.laws]
    parts = [part for kind in document.kinds for part in kind.parts]
    said = _all_laws(parts)
    if any(some.least is None or any(masses[law] > weight for law, _ in some.least) for some in said):
        found.append("more is said of a record than its weight, given the rest of its household")
    return found


def _near(document: CertificateModel) -> list[str]:
    """Where not any two facts are compared: only what one number tells of a record, and only if that is said."""
    parts = [part for kind in document.kinds for part in kind.parts if part.changes is not None]
    found = []
    if parts and (not document.near or document.secret != "value" or document.series):
        found.append("facts that are not compared belong to a secret that says so")
    lines = {part.domain for part in parts}
    if any(len(independent_axes(list(vectors(document.domains[place])), affine=True)) != 1 for place in lines):
        found.append("facts may only be left out where one number is told of a record")
    return found


def _policies(document: CertificateModel) -> list[str]:
    """The claim is at least as strict as every policy demands."""
    if not document.policies:
        return []
    claim, attacker, people = document.claim, document.attacker, document.people.all
    knows, covered = Fraction(attacker.knows), people_of(document)
    new = [n for place, n in covered.items() if not document.figures[document.numbers[place][0]].already_out]
    found = []
    for policy in document.policies:
        share = Fraction(policy.known or 0)
        kept = [
            policy.epsilon is None or Fraction(claim.epsilon) <= Fraction(policy.epsilon),
            policy.delta is None or Fraction(claim.delta_wanted) <= Fraction(policy.delta),
            (knows >= share if knows < 1 else knows >= ceil(share * people)) and 0 <= share < 1,
            not (share and attacker.in_every_group),
            min(new, default=policy.safe_threshold or 0) >= (policy.safe_threshold or 0),
        ]
        if not all(kept):
            found.append(f"the claim is less strict than {policy.name} demands")
    return found


def _groups(document: CertificateModel) -> list[str]:
    """Who is in which number: sizes, who stands alone, what is known."""
    covered, times = people_of(document), Counter[int]()
    problems = []
    for place, numbers in document.groups:
        kind = document.kinds[place]
        figures = [document.numbers[number][0] for number in numbers]
        if figures != kind.figures or len(set(figures)) != len(figures):
            problems.append(f"a group of kind {place} is not in one number of each of its figures")
        times.update(numbers)
    if len({tuple(numbers) for _, numbers in document.groups}) != len(document.groups):
        problems.append("two groups are in exactly the same numbers")
    if len(covered) != len(document.numbers) or {place for place, _ in document.groups} != set(
        range(len(document.kinds))
    ):
        problems.append("a number or a kind is listed that belongs to nobody")
    moving = [group for group, (place, _) in enumerate(document.groups) if _by_moves(document, place)]
    listed = [moves.group for moves in document.moves]
    if listed and listed != moving:
        problems.append("moves must be listed of those groups whose evidence they are")
    problems += [
        f"group {moves.group}: a list of moves is not there, or not used"
        for moves in document.moves
        if {way.packing for way in moves.ways if way.packing is not None} != set(range(len(moves.packings)))
    ]
    if not all(way.whole for moves in document.moves for way in moves.ways):
        problems.append("a way has moves, with their rate, or parts, and not both")
    inside = sum(document.kinds[place].people for place, _ in document.groups)
    if inside + document.people.in_no_figure != document.people.all:
        problems.append("the people of all groups, and those in no figure, are not all people")
    shown = [frozenset(document.numbers[number][0] for number in numbers) for _, numbers in document.groups]
    alone = [document.kinds[place].alone for place, _ in document.groups]
    compared = {some for some, single in zip(shown, alone, strict=True) if single and len(some) > 1}
    if any(some & other and not some <= other for some in compared for other in shown):
        problems.append("counts are compared with each other that are not about the same people")
    for place, numbers in document.groups:
        kind = document.kinds[place]
        links = [document.figures[document.numbers[number][0]].channel for number in numbers]
        one = len(numbers) == 1 or _one_comparison(links)
        if kind.alone != (one and all(times[number] == 1 for number in numbers)):
            problems.append(f"kind {place}: whether its number covers others is told wrongly")
        if kind.known != _known(document, kind, [covered[number] for number in numbers]):
            problems.append(f"kind {place}: it is told wrongly how many of its people are known")
    return problems


def _one_comparison(links: Sequence[Sequence[tuple[str, str]]]) -> bool:
    """Whether numbers are all the counts of which one value is named."""
    alike = len(links[0]) == 1 and all(each == links[0] for each in links)
    return alike and links[0][0][0] in COMPARES and links[0][0][1].split()[0] == str(len(links))


def _by_moves(document: CertificateModel, place: int) -> bool:
    return document.kinds[place].evidence.method == "moves"


def _known(document: CertificateModel, kind: KindModel, sizes: Sequence[int]) -> int:
    """As `planning.finding.known_in` has it."""
    share, people = Fraction(document.attacker.knows), document.people.all
    whole = share.denominator == 1
    known = known_records(int(share) if whole else share, people) if people > 1 else 0
    if document.attacker.in_every_group and not (whole and share):
        known = min([known, *(ceil(share * size) for size in sizes)])
    return min(kind.people - 1, known)
