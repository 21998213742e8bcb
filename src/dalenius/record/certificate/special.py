"""What a certificate says where records are no independent ones of stated laws: beliefs about all of them at once."""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from dalenius.record.certificate.document import CertificateModel
from dalenius.tables.sample import KNOWN_MEMBERS, VOLUNTEERS
from dalenius.tables.stances import LESS_VARIED, LESS_WEIGHT, MORE_THAN_BEFORE, OTHER_LAW

SAMPLE, CHAIN, HIDDEN, HEDGED, MOMENTS = (
    "sample without replacement",
    "chain",
    "one law that nobody knows",
    "one law or another",
    "range and variance",
)
LINES = {
    CHAIN: "records stand in an order that is known, and each depends on the one before it only, with the stated moves",
    HIDDEN: "all records follow the same one of the stated laws, with the stated weights, and nobody knows which",
    HEDGED: "all records of a group follow one law, the stated one with at least the stated weight, or any other; that "
    "weight does not change with what is true of one person, or of another group",
    MOMENTS: "records are independent, within their bounds, and each varies at least as stated, whatever is known",
}
BREAKS = {CHAIN: MORE_THAN_BEFORE, HIDDEN: OTHER_LAW, HEDGED: LESS_WEIGHT, MOMENTS: LESS_VARIED}
SCENARIOS = "everybody follows the same one of the stated laws, whichever that is: the claim holds under each of them"
DESIGNS = {
    "simple": "every set of so many members of a stratum was equally likely to be drawn, and how many is public",
    "independent": "every member was drawn by a coin of their own, of the stated rate, and how many were is not public",
}


def forms_of(document: CertificateModel) -> list[str]:
    """The forms of belief that its groups rest on."""
    return sorted({one.form for one in document.believed})


def special_lines(forms: Iterable[str], design: str | None) -> list[str]:
    """What is assumed of records, instead of that they are independent."""
    drawn = [] if design is None else [DESIGNS[design], KNOWN_MEMBERS]
    return [*drawn, *(LINES[form] for form in sorted(set(forms)) if form in LINES)]


def special_breaks(forms: Iterable[str], design: str | None) -> list[str]:
    """What would make that wrong."""
    return sorted({*([] if design is None else [VOLUNTEERS]), *(BREAKS[form] for form in forms if form in BREAKS)})


def all_special(kinds: Sequence[Any], design: str | None) -> bool:
    """Whether nothing rests on independent records of stated laws; `kinds` as a certificate has them."""
    return design is not None or (bool(kinds) and all("believed" in part for kind in kinds for part in kind["parts"]))


def _wrongly_several(document: CertificateModel) -> list[str]:
    """Scenarios that are left out, or that belong to no belief."""
    number = prod(belief.scenarios for belief in document.beliefs)
    parts = [part for kind in document.kinds for part in kind.parts]
    if any(len(part.also) != number - 1 for part in parts):
        return ["the laws of a part are not those of all scenarios"]
    plain = all(kind.evidence.method == "atom" for kind in document.kinds) and document.series is None
    if number > 1 and not (plain and document.sample is None and not document.believed):
        return ["several scenarios are judged by the groups themselves, of independent records"]
    return []


def wrongly_special(document: CertificateModel) -> list[str]:
    """What is said of such beliefs, and does not belong there."""
    found = _wrongly_several(document)
    parts = [part for kind in document.kinds for part in kind.parts]
    used = {place for part in parts for place in part.believed or ()}
    if used != set(range(len(document.believed))):
        found.append("a belief about all records is not there, or not used")
        return found
    held = [part for part in parts if part.believed is not None]
    if held and (document.together is not None or document.series is not None or document.near):
        found.append("beliefs about all records are not judged with households, editions, or some of a column's values")
    if any(part.least is None or any(document.laws[law] for law, _ in part.least) for part in held):
        found.append("where something is believed of all records, nothing is said of the law of one")
    if any(len(part.believed or ()) != 1 for part in held) and document.sample is None:
        found.append("only a sample has strata")
    simple = document.sample is not None and document.sample.design == "simple"
    for kind in document.kinds:
        for part in kind.parts:
            if part.believed is None:
                continue
            some = [document.believed[place] for place in part.believed]
            if any((one.form == SAMPLE) != simple for one in some):
                found.append("a sample without replacement is one of the design, and only that is")
            if sum(one.size for one in some) != kind.people:
                found.append("what is believed of all records is not about the people of the group")
            secret = "secret" if document.secret == "presence" else "known"
            if simple and any(one.taking_part != secret for one in some):
                found.append("whether taking part is secret is told in two ways")
    if document.sample is not None and document.sample.design == "independent" and document.secret != "presence":
        found.append("where members are drawn by coins of their own, whether they were is one of the facts")
    return found
