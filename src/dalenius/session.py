"""From a specification to a decision, and from a decision to a folder of published figures.

The plan sees the specification and the public columns, nothing else; confidential values are first read when the
decision to publish has been made.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any, final

from dalenius.errors import DataError, InputError, OutputError, SpecError
from dalenius.figures import Figure, Frame
from dalenius.mechanisms import DiscreteGaussian, Rounded, RoundedGaussian, TwoSidedGeometric
from dalenius.planning import Plan, Progress, Publish, Question, Spreader, largest_known, plan
from dalenius.records import Cell, Numbers
from dalenius.release import Request, Table, add_noise, open_table, write_folder
from dalenius.release.engine import LARGEST_SUM
from dalenius.release.lattice import reach
from dalenius.report.certificate import certificate, decision_json
from dalenius.report.figures import Published, figures_csv
from dalenius.report.text import share_of, story
from dalenius.spec import Prepared, SpecModel, build, load_spec, spec_of

__all__ = ["Decision", "check_folder", "decide", "publish", "release_folder"]


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

    @property
    def verdict(self) -> str:
        return str(self.json()["verdict"])

    def story(self) -> str:
        """The whole story, in plain words."""
        known = "" if self.largest_known is None else share_of(self.largest_known, self.question.frame.size)
        return story(
            self.plan, self.question, self.prepared.figures, self.prepared.history.figures, largest_known=known
        )

    def __repr__(self) -> str:
        return f"<Decision: {self.verdict}>"

    def json(self) -> dict[str, Any]:
        """The same for machines."""
        return decision_json(
            self.plan,
            self.question,
            self.prepared.figures,
            self.prepared.history.figures,
            version=self.version,
            largest_known=self.largest_known,
        )

    def __str__(self) -> str:
        return self.story()


def decide(
    spec: SpecModel | Mapping[str, Any] | str | Path,
    data: object | None = None,
    *,
    progress: Progress = lambda _what, _done, _of: None,
    spread: Spreader | None = None,
) -> Decision:
    """May the figures of this specification go out? `spec` is a file, or the same keys as a dict; `data` is a path, the
    address of a database, a Spark session or a pandas, polars or arrow frame, by default the spec's own. `spread`
    shares the work out: `dl.on_cores()`, `dl.on_spark(session)`.

    Reads the public columns (and checks that the table is what the specification declares). Confidential values
    decide nothing.
    """
    from dalenius import __version__

    base = Path()
    if isinstance(spec, str | Path):
        base = Path(spec).parent
        spec = load_spec(Path(spec))
    elif isinstance(spec, Mapping):
        spec = spec_of(spec)
    elif not isinstance(spec, SpecModel):
        raise SpecError(
            f"A specification is the path of a YAML file, or a dict with its keys, but got {type(spec).__name__}. "
            "See docs/spec.md."
        )
    prepared = build(spec, base)
    if data is None:
        if spec.data is None:
            raise SpecError(
                "data: this key is needed, but it is not there. Name a CSV or Parquet file, or pass a table."
            )
        table = open_table(spec.data, spec.table, base)
    else:
        table = open_table(data, spec.table)
    table.check(person=prepared.person, public=prepared.public, confidential=prepared.confidential)
    question = Question(
        _frame(prepared, table),
        prepared.confidential,
        prepared.beliefs,
        prepared.attacker,
        prepared.secret,
        prepared.target,
    )
    _check_known(question)
    _check_sums(prepared, question.frame)
    found = plan(prepared.figures, prepared.history, question, progress=progress, spread=spread)
    progress("looking for the largest number of known records", 0, 1)
    known = largest_known(found, question) if isinstance(found, Publish) and found.findings else None
    return Decision(prepared, table, question, found, known, __version__)


def _frame(prepared: Prepared, table: Table) -> Frame:
    """Who is in the data: public, so read from it, unless presence is secret."""
    if prepared.sizes is not None:
        return Frame(prepared.frame_columns, prepared.sizes)
    groups = table.groups(prepared.frame_columns, public=prepared.public)
    return Frame(prepared.frame_columns, groups)


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
                f"Figure {figure.name} needs sums below 2^62 units, but {frame.size} persons of up to {reach(column)} "
                f"units of {figure.column} may exceed that. Declare a coarser unit."
            )


def publish(decision: Decision) -> list[Published]:
    """Compute the figures, noise and rounding included. Only for a decision to publish."""
    if not isinstance(decision.plan, Publish):
        raise InputError(
            "Only figures that passed may be computed, but these did not. The decision says what would make them safe."
        )
    prepared = decision.prepared
    columns = {**prepared.public, **prepared.confidential}
    requests = [Request(figure.name, figure.by, figure.where, figure.column) for figure in prepared.figures]
    _check_sizes(prepared, decision.table)
    totals = decision.table.totals(requests, columns)
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
    """One number a cell of the declared domain, in its order; cells without anybody are zero."""
    public = decision.prepared.public
    cells = list(product(*(public[name].values for name in figure.by)))
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


def check_folder(target: Path) -> None:
    """OutputError unless the folder can be made: it is new, and its parent is there."""
    if os.path.lexists(target):
        raise OutputError(f"Needed a new folder, but {target} is there already. Choose another name, or remove it.")
    if not target.absolute().parent.is_dir():
        raise OutputError(
            f"Needed a folder {target.parent} to put {target.name} in, but there is none. Create it first."
        )
    if not os.access(target.absolute().parent, os.W_OK | os.X_OK):
        raise OutputError(
            f"Needed a folder to write in, but {target.parent} is not writable. Choose another, or ask for permission."
        )


def release_folder(decision: Decision, target: Path | str) -> list[Published]:
    """Write figures.csv, certificate.json and report.txt into a new folder: all of them, or nothing."""
    target = Path(target)
    check_folder(target)
    published = publish(decision)
    figures = figures_csv(published, decision.prepared.public, decision.prepared.confidential)
    write_folder(
        target,
        {
            "figures.csv": figures,
            "certificate.json": certificate(decision.json(), figures),
            "report.txt": decision.story().encode(),
        },
    )
    return published
