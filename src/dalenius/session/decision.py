"""From a specification to a decision, and from a decision to a folder of published figures.

The plan sees the specification and the public columns, nothing else; confidential values are first read when the
decision to publish has been made.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, isqrt
from pathlib import Path
from typing import Any, final

from dalenius.calibration import LADDER
from dalenius.errors import DataError, InputError, SpecError
from dalenius.figures import Figure, Frame
from dalenius.guarantees import Verdict
from dalenius.ledger import Fingerprint, Ledger, Memory
from dalenius.limits import LARGEST_ROUNDED
from dalenius.mechanisms import DiscreteGaussian, Rounded, RoundedGaussian, TwoSidedGeometric
from dalenius.past import Past, fingerprint, fingerprint_columns, remembered, same_rows
from dalenius.planning import (
    Advice,
    Plan,
    Progress,
    Publish,
    Question,
    Refuse,
    Spreader,
    Undecided,
    largest_known,
    plan,
    verdict_of,
)
from dalenius.policy import Policy
from dalenius.records import Cell, Column, Numbers
from dalenius.release import Request, Table, add_noise, open_table
from dalenius.release.completion import now, who
from dalenius.release.engine import LARGEST_SUM
from dalenius.release.lattice import reach
from dalenius.report.certificate import certificate, decision_json, summary_json
from dalenius.report.explain import sensitivity_lines
from dalenius.report.figures import Published
from dalenius.report.grounds import used_beliefs
from dalenius.report.html import Account, Policed, report_html
from dalenius.report.html.account import Measured, measured
from dalenius.report.imprint import Imprint
from dalenius.report.text import share_of, story
from dalenius.session.place import find_ledger
from dalenius.session.reading import read_spec
from dalenius.spec import Prepared, SpecModel, build

LAW_WIDTH, NOISE_WIDTH = 17, 28  # of a law and of its noise, in half ranges of one value and in scales
FEW_VALUES, FEW_GROUPS = 50, 1000  # of a column, of people: up to which the limits of assumptions are part of an answer


@final
@dataclass(frozen=True, slots=True)
class Decision:
    """A plan, with all that is needed to explain it and to carry it out."""

    prepared: Prepared
    table: Table
    question: Question
    plan: Plan
    largest_known: int | None
    version: str
    ledger: Ledger
    asked: Prepared  # the specification by itself, without what is already out
    past: Past
    fingerprint: Fingerprint | None
    policies: tuple[Policy, ...] = ()
    persons: Fingerprint | None = None  # of the whole table; None where presence is secret
    _limited: list[list[str]] = field(default_factory=list, init=False, repr=False, compare=False)
    _measured: list[Measured] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def judged_with(self) -> str:
        """Which ledger was read, and what was in it."""
        count = len(self.past.memory.releases)
        if count:
            return f"Ledger: {self.ledger.shown} ({count} earlier release{'s' * (count > 1)} of {self.asked.dataset!r})"
        there = self.past.memory.others or self.ledger.database.there
        none = f"no earlier release of {self.asked.dataset!r}" if there else "not there yet: no earlier release"
        if self.ledger.database.emptied:
            none = (
                "the file is empty: nothing was recorded there, or all of it is lost; if it ever held releases, "
                "restore it from a backup before anything goes out"
            )
        names = sorted({repr(entry.dataset) for entry in self.past.memory.others})
        if names:
            shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            none += (
                f"; what is out of {shown} is not judged with it: write the same dataset if it is of the same people"
            )
        return f"Ledger: {self.ledger.shown} ({none})"

    @property
    def notes(self) -> list[str]:
        """What was released about the same persons, and not judged with these figures."""
        found = () if self.persons is None else self.past.memory.elsewhere(self.persons)
        return [
            f"Mind that the dataset {name!r} has the same persons as {self.asked.dataset!r}: what was released from it "
            f"({', '.join(one.id for one in found if one.dataset == name)}) was not judged with these figures. Write "
            "the same dataset if it is the same data."
            for name in dict.fromkeys(one.dataset for one in found)
        ]

    @property
    def verdict(self) -> str:
        return verdict_of(self.plan)

    def story(self) -> str:
        """The whole story, in plain words; told anew, but worked out once."""
        self.weigh(charts=False)
        held = "".join(f"\nHeld to {policy.name}: {'; '.join(policy.demands)}.\n" for policy in self.policies)
        figures, history = self.prepared.figures, self.prepared.history.figures
        told = story(self.plan, self.question, figures, history, limits=self._limited[0], notes=self.notes)
        return told + held

    def weigh(self, *, charts: bool) -> None:
        """Work out how far what was assumed may be wrong and, if there are to be charts, what they show: once."""
        if not self._limited:
            self._limited.append(self._limits())
        if charts and not self._measured:
            found = measured(self.plan, self.question, self.prepared.figures, self.largest_known)
            self._measured.append(found)

    def _limits(self) -> list[str]:
        """How far what was assumed may be wrong, in a few lines; where that takes long, only how much may be known."""
        columns, size = self.question.columns, self.question.frame.size
        known = [] if self.largest_known is None else [share_of(self.largest_known, size)]
        figures = (*self.prepared.history.figures, *self.prepared.figures)
        quick = all(columns[belief.column].size <= FEW_VALUES for belief in used_beliefs(self.question, figures))
        quick = quick and len(self.plan.findings) <= FEW_GROUPS and not self.past.doubts  # no assumption cures these
        return [*known, *(sensitivity_lines(self, known=not known) if quick else [])]

    def imprint(self, release: str = "", entry: int = 0, certificate: str = "") -> Imprint:
        """When and by whom a report is made now, about which people; and about which release, if there is one."""
        edition = "" if self.asked.edition is None else str(self.asked.edition)
        return Imprint(now(), who(), self.asked.dataset, self.ledger.shown, edition, release, entry, certificate)

    def html(
        self, published: Sequence[Published] | None = None, sha256: str = "", *, imprint: Imprint | None = None
    ) -> bytes:
        """The report for the person who signs: one page that needs nothing else; with the figures, if they are out, and
        with the release that they are (by default: none).
        """
        prepared = self.prepared
        self.weigh(charts=True)
        charts, learning = self._measured[0]
        return report_html(
            Account(
                self.plan,
                self.question,
                prepared.figures,
                prepared.history.figures,
                prepared.public,
                self.version,
                self.largest_known,
                published,
                sha256,
                tuple(Policed(held.name, tuple(held.demands), tuple(held.unused)) for held in self.policies),
                charts,
                learning,
                tuple(self.notes),
                imprint=imprint or self.imprint(),
            )
        )

    def __repr__(self) -> str:
        return f"<Decision: {self.verdict}>"

    def json(self) -> dict[str, Any]:
        """The same for machines."""
        found = decision_json(
            self.plan,
            self.question,
            self.prepared.figures,
            self.prepared.history.figures,
            version=self.version,
            largest_known=self.largest_known,
        )
        found["remarks"] += self.notes
        return {**found, "policies": [policy.json() for policy in self.policies]} if self.policies else found

    def summary(self) -> dict[str, Any]:
        """The same in brief: without the groups of people, and without what is already out."""
        prepared = self.prepared
        return summary_json(self.plan, self.question, prepared.figures, prepared.history.figures)

    def certificate(self, figures: bytes) -> bytes:
        """The certificate of a decision to publish, bound to the file of the figures."""
        return certificate(
            self.plan,
            self.question,
            self.prepared.figures,
            self.prepared.history.figures,
            version=self.version,
            largest_known=self.largest_known,
            table=figures,
            policies=[policy.limits() for policy in self.policies],
        )

    def __str__(self) -> str:
        return self.story()


def decide(
    spec: SpecModel | Mapping[str, Any] | str | Path,
    data: object | None = None,
    *,
    ladder: Sequence[int] = LADDER,
    policy: Path | str | None = None,
    ledger: str | Path | None = None,
    ledger_keys: Sequence[str | Path] | None = None,
    progress: Progress = lambda _what, _done, _of: None,
    spread: Spreader | None = None,
) -> Decision:
    """May the figures of this specification go out? `spec` is a file, or the same keys as a dict; `data` is a path, the
    address of a database, a Spark session or a pandas, polars or arrow frame, by default the spec's own. `policy` is a
    file of what an organisation demands, besides what the specification and the environment variable DALENIUS_POLICY
    name: all of them must be met. `spread` shares the work out: `dl.on_cores()`, `dl.on_spark(session)`.

    `ladder` are the roundings that are tried if they may not. Reads the public columns (and checks that the table is
    what the specification declares), and the ledger: figures are judged together with all that is out. `ledger` is a
    file or a URL; by default what the specification names, then the environment variable DALENIUS_LEDGER, then
    dalenius-ledger.sqlite beside the specification. `ledger_keys` are files of keys, or those that DALENIUS_LEDGER_KEYS
    names: with them, entries are signed and must be. Nothing is written. Confidential values decide nothing.
    """
    base = Path(spec).parent if isinstance(spec, str | Path) else Path()
    spec, policies = read_spec(spec, base, policy)
    prepared = build(spec, base)
    table = table_of(spec, data, base)
    place = find_ledger(ledger, spec.ledger, base, ledger_keys)
    return judged(prepared, table, place, policies=policies, ladder=ladder, progress=progress, spread=spread)


def table_of(spec: SpecModel, data: object | None, base: Path) -> Table:
    """The table that is given, or else the one that the specification names."""
    if data is not None:
        return open_table(data, spec.table)
    if spec.data is None:
        raise SpecError("data: this key is needed, but it is not there. Name a CSV or Parquet file, or pass a table.")
    return open_table(spec.data, spec.table, base)


def judged(
    asked: Prepared,
    table: Table,
    ledger: Ledger,
    *,
    memory: Memory | None = None,
    policies: tuple[Policy, ...] = (),
    ladder: Sequence[int] = LADDER,
    progress: Progress = lambda _what, _done, _of: None,
    spread: Spreader | None = None,
) -> Decision:
    """The figures judged together with all that the ledger knows (or, if given, `memory`)."""
    from dalenius import __version__

    past = remembered(asked, memory or ledger.memory(asked.dataset), table.columns())
    prepared = past.prepared
    table.check(person=asked.person, public=prepared.public, confidential=asked.confidential)
    if prepared.sizes is not None:
        frame, mine, past = Frame(prepared.frame_columns, prepared.sizes), None, same_rows(past, asked, "", None)
        persons = None
    else:  # who is in the data is public
        method, marks = table.marks(prepared.frame_columns, person=asked.person, public=prepared.public)
        frame = Frame(prepared.frame_columns, {cell: people for cell, (people, _) in marks.items()})
        mine = fingerprint(prepared, method, marks, fingerprint_columns(prepared, asked), asked.edition)
        persons = fingerprint(prepared, method, marks, (), None)
        past = same_rows(past, asked, method, marks)
    prepared = past.prepared
    question = Question(
        frame, prepared.confidential, prepared.beliefs, prepared.attacker, prepared.secret, prepared.target
    )
    _check_known(question)
    for held in policies:
        held.check(prepared.figures, question)
    _check_sums(prepared, question.frame)
    _check_roundings(prepared, question.frame)
    found = plan(prepared.figures, prepared.history, question, ladder=ladder, progress=progress, spread=spread)
    found = _doubted(found, past)
    progress("looking for the largest number of known records", 0, 1)
    known = largest_known(found, question) if isinstance(found, Publish) and found.findings else None
    return Decision(prepared, table, question, found, known, __version__, ledger, asked, past, mine, policies, persons)


def _doubted(found: Plan, past: Past) -> Plan:
    """Nothing passes beside releases that cannot be judged with it, changed or not; what fails, fails."""
    if not past.doubts:
        return found
    before = (found.reason,) if isinstance(found, Undecided) and found.reason else ()
    reason = "; ".join((*before, *_once(past.doubts)))
    if any(finding.verdict == Verdict.FAIL for finding in found.findings):
        return Refuse(found.findings, Advice(words=f"No change can be certified, because {reason}."))
    return Undecided(tuple(replace(finding, verdict=Verdict.REVIEW) for finding in found.findings), reason=reason)


def _once(doubts: Mapping[str, str]) -> list[str]:
    """Each doubt once, with the other releases that it is about too."""
    same: dict[str, list[str]] = {}
    for release, doubt in doubts.items():
        same.setdefault(doubt.replace(release, ""), []).append(release)
    return [doubts[first] + (f" (likewise {', '.join(others)})" if others else "") for first, *others in same.values()]


def _check_known(question: Question) -> None:
    known, size = question.attacker.known, question.frame.size
    if isinstance(known, int) and known >= size:
        raise SpecError(
            f"attacker.knows must be a number of records below {size}, the number of all of them, or a share, but got "
            f"{known}. Somebody must be unknown to the attacker; write 0.2 for a fifth."
        )


def _check_sums(prepared: Prepared, frame: Frame) -> None:
    """Sums that might not fit into 64 bits are refused at once, not when they are taken."""
    for figure in prepared.figures:
        column = prepared.confidential.get(figure.column or "")
        if isinstance(column, Numbers) and frame.size * reach(column) >= LARGEST_SUM:
            raise SpecError(
                f"Figure {figure.name!r} needs sums below 2^62 units, but {frame.size} persons of up to "
                f"{reach(column)} units of {figure.column} may exceed that. Declare a coarser unit."
            )


def _check_roundings(prepared: Prepared, frame: Frame) -> None:
    """A rounded figure is judged at every place that it may have between two multiples, so that the time grows with
    the rounding times the length of its law: what would take many minutes is refused at once.
    """
    largest: dict[tuple[str, ...], int] = {}
    for figure in prepared.figures:
        if not figure.channel.period:
            continue
        if figure.by not in largest:
            largest[figure.by] = _largest_group(figure.by, frame)
        points = _points(figure, prepared.confidential, largest[figure.by])
        if figure.channel.period * points > LARGEST_ROUNDED:
            raise SpecError(
                f"Figure {figure.name!r}: round, times the numbers that the figure has any chance to be before that, "
                f"needs to be at most {LARGEST_ROUNDED}, but {figure.channel.period} times about {points} is more. "
                "Round to a smaller number, declare a coarser unit or tighter bounds, or choose less noise."
            )


def _largest_group(by: tuple[str, ...], frame: Frame) -> int:
    """How many persons the largest of the groups has that a figure is split into."""
    places = [frame.columns.index(name) for name in by]
    people: Counter[Cell] = Counter()
    for cell, count in frame.groups.items():
        people[tuple(cell[place] for place in places)] += count
    return max(people.values(), default=0)


def _points(figure: Figure, columns: Mapping[str, Column], people: int) -> int:
    """About how many numbers the law of a figure has, noise included: at most what all can add up to, and no more
    standard deviations than laws are computed for.
    """
    column, span = columns.get(figure.column or ""), 1
    if isinstance(column, Numbers):
        low, high = figure.truncated or (column.lower, column.upper)
        span = int((max(high, Fraction(0)) - min(low, Fraction(0))) / column.unit)
    noise = sum(
        ceil(link.scale) for link in figure.channel.links if isinstance(link, DiscreteGaussian | RoundedGaussian)
    )
    return min(people * span, LAW_WIDTH * span * isqrt(people)) + NOISE_WIDTH * noise


def publish(decision: Decision) -> list[Published]:
    """Compute the figures, noise and rounding included. Only for a decision to publish."""
    if not isinstance(decision.plan, Publish):
        raise InputError(
            "Only figures that passed may be computed, but these did not. The decision says what would make them safe."
        )
    prepared = decision.prepared
    columns = {**prepared.public, **prepared.confidential}
    requests = [Request(fig.name, fig.by, fig.where, fig.column, fig.truncated) for fig in prepared.figures]
    _check_sizes(prepared, decision.table)
    totals = decision.table.totals(requests, columns)
    decision.table.confirm()
    return [
        item
        for figure, found in zip(prepared.figures, totals, strict=True)
        for item in _published(figure, found, decision)
    ]


def _check_sizes(prepared: Prepared, table: Table) -> None:
    """Where presence is secret, what was judged were the declared sizes: the data must have at least as many persons.

    More of them hide a person only better. Nobody may be in groups that were declared empty, which were not judged.
    """
    if prepared.sizes is None:
        return
    found = table.groups(prepared.frame_columns, public=prepared.public)
    for cell in {**prepared.sizes, **found}:
        declared, where = prepared.sizes.get(cell, 0), ", ".join(map(str, cell)) or "the data"
        if found.get(cell, 0) < declared:
            raise DataError(
                f"sizes declares at least {declared} persons in {where}, but there are fewer. Declare fewer: a round "
                "number that is certainly not too large. It is printed in the report and in the certificate."
            )
        if found.get(cell, 0) and not declared:
            raise DataError(
                f"sizes declares that nobody is in {where}, but somebody is. Declare the size of that group."
            )


def _published(figure: Figure, totals: Mapping[Cell, int], decision: Decision) -> Iterator[Published]:
    """One number a cell of the declared domain, in its order; cells without anybody are zero, and those that a
    condition excludes are not there.
    """
    cells = list(figure.cells(decision.prepared.public))
    values = [totals.get(cell, 0) for cell in cells]
    step = figure.unit(decision.prepared.confidential)
    for link in figure.channel.links:
        match link:
            case TwoSidedGeometric(scale):
                values = add_noise(values, "two_sided_geometric", scale)
            case DiscreteGaussian(scale):
                values = add_noise(values, "discrete_gaussian", scale)
            case RoundedGaussian(scale):
                values = add_noise(values, "rounded_gaussian", scale)
            case Rounded(base):
                values = [(value + base // 2) // base for value in values]
                step = step * base
            case _:
                raise InputError(f"There is no sampler for {link}. This is a defect: report it.")
    for cell, value in zip(cells, values, strict=True):
        yield Published(figure, cell, _final(figure, cell, value * step, decision.question.frame))


def _final(figure: Figure, cell: Cell, value: Fraction, frame: Frame) -> Fraction | None:
    """The total itself, or divided by the public number of persons."""
    if figure.kind != "mean":
        return value
    where = figure.where.on(frozenset(frame.columns))
    people = 0
    for values, count in frame.groups.items():
        row = dict(zip(frame.columns, values, strict=True))
        if where.holds(row) and tuple(row[name] for name in figure.by) == cell:
            people += count
    return value / people if people else None
