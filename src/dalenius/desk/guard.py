"""A guard before a query interface: may this figure still go out, beside all that is out? In milliseconds.

And the next question: which figure that looks harmless would give somebody away.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, final

from pydantic import ValidationError

from dalenius.basics.errors import SpecError, require
from dalenius.claims import Verdict
from dalenius.data.databases import file_of, is_address
from dalenius.desk.session.dataset import with_dataset
from dalenius.desk.session.decision import question_of, table_of
from dalenius.desk.session.place import find_ledger
from dalenius.desk.session.reading import read_spec
from dalenius.desk.spec import Prepared, build
from dalenius.desk.spec.build import figure_of
from dalenius.desk.spec.chain_noise import with_chain_noise
from dalenius.desk.spec.editions import within
from dalenius.desk.spec.load import in_numbers
from dalenius.desk.spec.model import FigureModel, SpecModel
from dalenius.facts.records import is_integer
from dalenius.plan.candidates import HARMLESS, NextQuestions, next_questions
from dalenius.plan.standing import Prospect, Standing
from dalenius.show.outlook import next_json, next_text, outlook_json, outlook_text
from dalenius.tables.figures import Figure

if TYPE_CHECKING:
    from dalenius.data import Table

Progress: TypeAlias = Callable[[str, int, int], None]

SECONDS = 60.0
SEVERAL = "it is {} numbers, about which a decision about everything together is needed"


@final
@dataclass(frozen=True, slots=True)
class GuardAnswer:
    """What a guard says of a figure: pass, fail, or review where only a decision about everything together says."""

    outlook: Prospect
    columns: tuple[str, ...]
    doubt: str = ""

    @property
    def verdict(self) -> str:
        """Pass, fail or review."""
        if self.doubt and self.outlook.verdict == Verdict.PASS:
            return str(Verdict.REVIEW)
        return str(self.outlook.verdict)

    def text(self) -> str:
        """In words, with the witness."""
        return outlook_text(self.outlook, self.columns, self.doubt)

    def json(self) -> dict[str, Any]:
        """For machines."""
        return outlook_json(self.outlook, self.columns) | {"verdict": self.verdict}

    def __str__(self) -> str:
        return self.text()


@final
class Guard:
    """May a figure still go out? `Guard(spec, data, ledger=...)` knows the table's public columns, what the
    specification declares, and everything that the ledger has; what the specification lists counts as out as well.

    `guard.may({"name": ..., "kind": "count", "where": {...}})` answers in milliseconds: *pass* and *fail* are what
    `decide` would say of it; *review* means that only `decide`, which looks further, can say. Nothing is recorded:
    whoever releases a figure does so by `dl.publish`, which judges again, and the guard sees it in the ledger.

    >>> import pyarrow as pa
    >>> guard = Guard(
    ...     {
    ...         "person": "each row",
    ...         "public": {"region": ["north", "south"]},
    ...         "confidential": {"smoker": ["no", "yes"]},
    ...         "beliefs": {"smoker": {"probabilities": {"yes": 0.3, "no": "rest"}, "source": "a survey"}},
    ...         "attacker": {"knows": 1, "source": "only oneself"},
    ...         "target": {"epsilon": 1, "delta": 0.01},
    ...         "figures": [{"name": "all", "kind": "count", "where": {"smoker": "yes"}}],
    ...     },
    ...     pa.table({"region": ["north"] * 500 + ["south"] * 2, "smoker": ["no", "yes"] * 251}),
    ... )
    >>> guard.may({"name": "the north", "kind": "count", "where": {"region": "north", "smoker": "yes"}}).verdict
    'fail'
    """

    def __init__(
        self,
        spec: SpecModel | Mapping[str, Any] | str | Path,
        data: object | None = None,
        *,
        ledger: str | Path | None = None,
        ledger_keys: Sequence[str | Path] | None = None,
        policy: Path | str | None = None,
    ) -> None:
        base = Path(spec).parent if isinstance(spec, str | Path) else Path()
        self._model, self._policies = read_spec(spec, base, policy)
        asked = build(self._model, base)
        self._place = (base, self._model.data) if data is None else (Path(), data)
        self._open: Callable[[], Table] = partial(table_of, self._model, data, base)
        self._ledger = find_ledger(ledger, self._model.ledger, base, ledger_keys)
        self._asked, _ = with_dataset(asked, self._model, data, self._ledger)
        self._read()

    def _read(self) -> None:
        """All that is out, as the ledger has it now, and who is in the table."""
        self._seen, self._written = self._ledger.coming(), _written(*self._place)
        found = question_of(_with_every_column(self._asked), self._open(), self._ledger)
        prepared = found.past.prepared
        # a further figure may rest on any of the beliefs
        self._question = replace(found.question, beliefs=prepared.beliefs)
        self._public, self._confidential = prepared.public, prepared.confidential
        edition = self._asked.edition
        self._tests = () if edition is None else edition.tests(self._asked.public)
        self._doubt = "; ".join(dict.fromkeys(found.past.doubts.values()))
        self._standing = Standing((*prepared.history.figures, *prepared.figures), self._question)

    @property
    def standing(self) -> Standing:
        """How everybody stands with what is out now; read again if the ledger has grown, or the file is another one."""
        if self._ledger.coming() != self._seen or _written(*self._place) != self._written:
            self._read()
        return self._standing

    def may(self, figure: FigureModel | Mapping[str, Any]) -> GuardAnswer:
        """May this figure go out, beside everything that is out? As in a specification, under `figures`."""
        standing = self.standing
        model = figure if isinstance(figure, FigureModel) else _model(figure)
        made = self._made(model)
        for held in self._policies:
            held.check(made, self._question, self._public)
        return GuardAnswer(_all_of(model.name, [standing.ask(one) for one in made]), self._columns, self._doubt)

    @property
    def _columns(self) -> tuple[str, ...]:
        return self._question.frame.columns

    def _made(self, model: FigureModel) -> tuple[Figure, ...]:
        """The numbers that a figure is judged by, of the people of this edition: as in a specification."""
        alone = self._model.model_copy(update={"figures": [model], "published": [], "computed": []})
        models = in_numbers(alone).figures
        asked = tuple(figure_of(one, self._public, self._confidential) for one in models)
        for one in asked:
            missing = sorted({*one.by, *one.where.columns}.intersection(self._public).difference(self._columns))
            if missing:
                raise SpecError(
                    f"Figure {one.name!r} is about {missing[0]}, but by that column nobody is counted: sizes (or "
                    f"sample) is by {', '.join(self._columns) or 'none'}. Add it there, or ask without it."
                )
        asked = with_chain_noise(asked, models, self._question.beliefs, self._confidential)
        return within(asked, self._tests)

    def next(
        self,
        *,
        harmless: int = HARMLESS,
        most: int = 20,
        seconds: float = SECONDS,
        progress: Progress = lambda *_: None,
    ) -> "Next":
        """Which figures that look harmless (they would pass by themselves, of `harmless` persons or more) would give
        somebody away beside what is out?
        """
        require(is_integer(harmless) and harmless >= 1, "harmless, a number of persons from 1 up", got=harmless)
        require(is_integer(most) and most >= 1, "most, a number of questions to name from 1 up", got=most)
        started = monotonic()
        found = next_questions(
            self.standing,
            of=self._tests,
            harmless=harmless,
            most=most,
            left=lambda: monotonic() - started < seconds,
            progress=progress,
        )
        return Next(found, self._columns, self._doubt)


@final
@dataclass(frozen=True, slots=True)
class Next:
    """The next questions, in words and for machines."""

    questions: NextQuestions
    columns: tuple[str, ...]
    doubt: str = ""

    def text(self) -> str:
        """Ranked, each with its witness."""
        return next_text(self.questions, self.columns, self.doubt)

    def json(self) -> dict[str, Any]:
        """For machines."""
        return next_json(self.questions, self.columns)

    def __str__(self) -> str:
        return self.text()


def _all_of(name: str, asked: Sequence[Prospect]) -> Prospect:
    """What becomes of a figure that is judged by these numbers: refused if one of them is; else, if there are several,
    not settled, since each was asked about by itself.
    """
    if len(asked) == 1:
        return asked[0]
    failing = next((one for one in asked if one.verdict == Verdict.FAIL), None)
    shown = asked[0] if failing is None else failing
    shown = replace(shown, figure=replace(shown.figure, name=name), people=min(one.people for one in asked))
    return shown if failing else replace(shown, verdict=Verdict.REVIEW, because=SEVERAL.format(len(asked)))


def _written(base: Path, place: object) -> tuple[int, int] | None:
    """When the file of a table was last written, and how long it is; None for tables in memory and on servers."""
    if not isinstance(place, str | Path):
        return None
    file = file_of(str(place)) if is_address(str(place)) else (str(place), None)
    try:
        found = None if file is None else (base / file[0]).stat()
    except (OSError, ValueError):
        return None
    return None if found is None else (found.st_mtime_ns, found.st_size)


def _with_every_column(asked: Prepared) -> Prepared:
    """People by all public columns, so that a figure may use any; where sizes or a sample are declared, by those."""
    if asked.sizes is not None or asked.sample is not None:
        return asked
    return replace(asked, frame_columns=tuple(asked.public))


def _model(figure: Mapping[str, Any]) -> FigureModel:
    try:
        return FigureModel.model_validate(dict(figure))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "figure"
        raise SpecError(
            f"figure: {where} cannot be read ({first['msg']}). Write it as under figures in a specification: "
            '{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}.'
        ) from None
