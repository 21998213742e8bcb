"""The certificate of a release: the claim, all its parameters, its assumptions. It carries no confidential value."""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalenius.basics.errors import InputError
from dalenius.enclosure.floats import ASSUMPTIONS
from dalenius.facts.derived import FROM_ROWS, ONE_ROW
from dalenius.facts.near import Near
from dalenius.facts.secret import Hidden, Household, hides_presence
from dalenius.judge.verdict import SOURCES
from dalenius.plan import Plan, Publish, Question
from dalenius.plan.grounds import broken_by, columns_apart, used_beliefs
from dalenius.plan.words import headline
from dalenius.record.certificate.document import SCHEMA
from dalenius.record.certificate.episodes import SERIES, series_json
from dalenius.record.certificate.kinds import grouped
from dalenius.record.certificate.special import SCENARIOS, all_special, special_breaks, special_lines
from dalenius.record.codec import Form, attacker_json, belief_json, claim_json, digest, figure_json, together_json
from dalenius.record.codec.beliefs import Limited
from dalenius.record.codec.figures import Described
from dalenius.tables.computed import Computed
from dalenius.tables.figures import Figure


def certificate(
    plan: Plan,
    question: Question,
    figures: tuple[Figure, ...],
    published: tuple[Figure, ...],
    *,
    version: str,
    largest_known: int | None,
    table: bytes,
    policies: Sequence[Mapping[str, Any]] = (),
    computed: Sequence[Computed] = (),
) -> bytes:
    """The certificate of figures that go out, bound to `table`, the file that holds them, by its hash.

    It has all that is needed to compute every delta again, and the limits of the policies that were kept to; nothing
    that follows from other numbers is written as text.
    """
    if not isinstance(plan, Publish):
        raise InputError("A certificate is for figures that passed, but these did not. Print the decision instead.")
    judged = (*published, *figures)
    found = grouped(plan.findings, question, judged)
    series = series_json(plan.findings, question, judged)
    adds = extremes(found["kinds"], found["domains"])
    used = used_beliefs(question, judged)
    size = question.frame.size
    forms = [one["form"] for one in found.get("believed", ())]
    design = None if question.frame.sample is None else question.frame.sample.design
    most = max((Fraction(kind["delta"][1]), kind["delta"][1]) for kind in found["kinds"])[1] if plan.findings else "0"
    document = {
        "schema": SCHEMA,
        "software": f"dalenius {version}",
        "verdict": "pass",
        "answer": headline(plan, figures),
        "claim": claim_json(question.target, most, evidence="computed"),
        "secret": "presence" if hides_presence(question.secret) else "value",
        **_near(question.secret),
        "attacker": attacker_json(Limited(question.attacker, largest_known), Form.CERTIFICATE),
        "policies": [dict(policy) for policy in policies],
        "people": {"all": size, "in_no_figure": size - sum(finding.atom.size for finding in plan.findings)},
        "beliefs": [belief_json(belief, Form.CERTIFICATE) for belief in used],
        "figures": [
            figure_json(Described(figure, question.columns, adds.get(place), place < len(published)), Form.CERTIFICATE)
            for place, figure in enumerate(judged)
        ],
        **({"computed": [one.json() for one in computed]} if computed else {}),
        **found,
        **_together(question),
        **_sample(question),
        **({} if series is None else {"series": series}),
        "assumes": certain_assumptions(
            presence=hides_presence(question.secret) and design is None,
            estimated=any(belief.least is not None and belief.stance is None for belief in used)
            or (design is None and question.frame.together is None and _left_open(found["kinds"])),
            counted=any(belief.confidence is not None for belief in used),
            about=[belief.columns for belief in used],
            editions=any(finding.method == "series" for finding in plan.findings),
            together=question.frame.together is not None,
            special=[*special_lines(forms, design), *([SCENARIOS] if any(one.scenarios for one in used) else [])],
            all_special=all_special(found["kinds"], design),
        )
        + [line for line in RECORDS if line in question.records],
        "broken_by": broken_by(
            noisy=any(figure.channel.dice for figure in figures),
            together=question.frame.together is not None,
            special=special_breaks(forms, design),
        ),
        "sources": list(SOURCES),
        "figures_sha256": digest(table),
    }
    return sealed(document)


def _left_open(kinds: Sequence[Mapping[str, Any]]) -> bool:
    """Whether some records need not have the stated laws: as where noise hides a part of those of whom something is
    believed all at once.
    """
    return any(part["least"] is not None and "believed" not in part for kind in kinds for part in kind["parts"])


def _near(secret: Hidden) -> dict[str, Any]:
    """What is secret of some columns or of a household, where not all of it is."""
    if isinstance(secret, Near):
        return {"near": secret.words}
    if isinstance(secret, Household) and secret.only is not None:
        return {"near": [secret.only.words]}
    return {}


def _sample(question: Question) -> dict[str, Any]:
    """How people were drawn, if that hides them."""
    sample = question.frame.sample
    if sample is None:
        return {}
    return {"sample": {"design": sample.design, "by": list(sample.by), "source": sample.source}}


def _together(question: Question) -> dict[str, Any]:
    """Whose records move together, if any do."""
    if question.frame.together is None or not isinstance(question.secret, Household):
        return {}
    size = {"largest": question.secret.size, "groups": question.secret.groups}
    return {"together": {**together_json(question.frame.together), **size}}


def sealed(document: Mapping[str, Any]) -> bytes:
    """The document with its own hash, one line for each item of a list."""
    whole = {**document, "sha256": own_hash(document)}
    return ("{\n" + ",\n".join(f"{_line(key)}: {_laid_out(value)}" for key, value in whole.items()) + "\n}\n").encode()


def own_hash(document: Mapping[str, Any]) -> str:
    """SHA-256 of the document without its own hash: ASCII, keys sorted, no spaces."""
    rest = {key: value for key, value in document.items() if key != "sha256"}
    return digest(json.dumps(rest, sort_keys=True, separators=(",", ":")))


def _laid_out(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"  {_line(item)}" for item in value) + "\n]"
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"  {_line(key)}: {_line(item)}" for key, item in value.items()) + "\n}"
    return _line(value)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# What may be assumed of how the rows of a table are records, in this order.
RECORDS = (ONE_ROW, FROM_ROWS)


HOUSEHOLDS = (
    "households are independent of each other before anything is published, and who is in which is known to anybody",
    "whatever the rest of its household says, a record follows its law with at least the stated weight",
)


def certain_assumptions(
    *,
    presence: bool,
    estimated: bool,
    counted: bool,
    about: Sequence[Sequence[str]],
    editions: bool = False,
    together: bool = False,
    special: Sequence[str] = (),
    all_special: bool = False,
) -> list[str]:
    """What the claim rests on. Numbers stand where they are used, and are not repeated here."""
    apart = [
        "records are independent before anything is published"
        if estimated
        else "records are independent, and have the stated laws before anything is published"
    ]
    lines = [
        *(HOUSEHOLDS if together else () if all_special else apart),
        *special,
        "the attacker knows no more records than stated, and nothing else about the rest",
        *columns_apart(about),
        "which figures to publish was chosen without looking at the data or at earlier figures",
        "every person has one record",
    ]
    if editions:
        lines += SERIES
    if presence:
        lines.append("the groups have at least the sizes that are stated")
    if estimated:
        lines.append("nobody's law has less mass anywhere than the stated ends")
    if counted:
        lines.append("the public counts are an independent sample of the same population, and not a misleading one")
    return [*lines, *ASSUMPTIONS]


def extremes(kinds: Sequence[Mapping[str, Any]], domains: Sequence[Any]) -> dict[int, tuple[int, int]]:
    """The least and the most that one record adds to each figure, in steps; those that cover nobody are not there."""
    axes = [_axes(domain) for domain in domains]
    seen: dict[tuple[int, int], set[int]] = {}
    for kind in kinds:
        for part in kind["parts"]:
            figures = part["figures"]
            for ends, places in axes[part["domain"]].items():
                mine = figures if len(places) == len(figures) else [figures[place] for place in places]
                seen.setdefault(ends, set()).update(mine)
    found: dict[int, tuple[int, int]] = {}
    for (low, high), covered in seen.items():
        for figure in covered:
            least, most = found.get(figure, (low, high))
            found[figure] = min(least, low), max(most, high)
    return found


def _axes(domain: Sequence[Any]) -> dict[tuple[int, int], list[int]]:
    """Coordinates of vectors that are written as runs, by the least and the most that stand there."""
    corners = [
        [a + at * b for a, b in zip(first, step, strict=True)] for first, step, count in domain for at in (0, count - 1)
    ]
    found: dict[tuple[int, int], list[int]] = {}
    for place, axis in enumerate(zip(*corners, strict=True)):
        found.setdefault((min(axis), max(axis)), []).append(place)
    return found
