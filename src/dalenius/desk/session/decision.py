"""From a specification to a decision, and from a decision to a folder of published figures.

The plan sees the specification and the public columns, nothing else; confidential values are first read when the
decision to publish has been made.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, isqrt, prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from dalenius.basics.errors import DataError, InputError, SpecError
from dalenius.basics.limits import LARGEST_ROUNDED
from dalenius.basics.patience import Left, TimeUpError, always
from dalenius.claims import Verdict
from dalenius.data import Request, Table, open_table
from dalenius.data.engine import LARGEST_SUM
from dalenius.data.lattice import reach
from dalenius.desk.past import Past, fingerprint, fingerprint_columns, remembered, same_rows
from dalenius.desk.session.believed import check_believed, drawn_frame
from dalenius.desk.session.budget import Budget
from dalenius.desk.session.dataset import check_clash, with_dataset
from dalenius.desk.session.place import find_ledger
from dalenius.desk.session.reading import read_spec
from dalenius.desk.spec import Prepared, SpecModel, build
from dalenius.desk.spec.persons import EACH_ROW, assumed
from dalenius.desk.spec.stances import order_columns
from dalenius.enclosure.formats import nearly
from dalenius.facts.near import OfHousehold
from dalenius.facts.records import Cell, Column, Label, Numbers, reading
from dalenius.facts.secret import Hidden, Household, hides_presence
from dalenius.mechanisms import DiscreteGaussian, RoundedGaussian
from dalenius.mechanisms.compared import comparison
from dalenius.plan import (
    AddNoise,
    Assessment,
    Coarsen,
    Plan,
    Progress,
    Publish,
    Question,
    Refuse,
    Spreader,
    Undecided,
    assess,
    verdict_of,
)
from dalenius.plan.calibration import LADDER, checked_ladder
from dalenius.plan.grounds import used_beliefs
from dalenius.plan.promise import BY_NOISE, broken_promise
from dalenius.plan.wishes import NOTHING_SPECIAL
from dalenius.record.ledger import Ledger, Memory
from dalenius.show.cell_bar import silent, watched
from dalenius.show.layout import item, laid_out, wrapped
from dalenius.show.text import advice_lines, ground_lines, share_of, stopped_line, verdict_lines
from dalenius.tables.computed import NAMED, ComputedNumber, compute, covered_people
from dalenius.tables.figures import ColumnBelief, Figure, Frame, Together

if TYPE_CHECKING:
    from dalenius.claims import Guarantee
    from dalenius.desk.curves import Measured
    from dalenius.desk.policy import Policy
    from dalenius.desk.session.approval import Approval
    from dalenius.plan.exposure import Exposure
    from dalenius.plan.margins.weakest import Weakest
    from dalenius.plan.wishes import Wishes
    from dalenius.record.ledger import Fingerprint
    from dalenius.show.imprint import Imprint
    from dalenius.tables.published import Published


KNOWN = "how many records the attacker may know"
TURNING = (
    "The figures would pass as they are, if one of these were so (certified: the least that one would have to assume, "
    "to be written under beliefs with a source):"
)
ENOUGH = "It is enough to assume this (certified; to be written under beliefs with a source):"
LAW_WIDTH, NOISE_WIDTH = 17, 28  # of a law and of its noise, in half ranges of one value and in scales
FEW_VALUES, FEW_GROUPS = 50, 1000  # of a column, of people: up to which the limits of assumptions are part of an answer

NO_OUTLOOK = "There was no time to look ahead at the editions that are announced (--seconds, or seconds= in Python)."
HALF = 0.5  # of the time, for the weakest belief where it is looked for before any change


@final
@dataclass(slots=True)
class _Late:
    """What is worked out after the verdict, when it is first asked for."""

    plan: Plan | None = None
    known: tuple[int | None] | None = None
    margins: tuple[str, ...] | None = None
    untried: tuple[str, ...] = ()
    measured: "Measured | None" = None
    ahead: tuple[str, ...] | None = None
    weakest: "tuple[Weakest, ...] | None" = None
    exposure: "tuple[Exposure | None] | None" = None
    untried_beliefs: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, with all that is needed to explain it and to carry it out.

    The verdict is there at once. What comes after it is worked out when it is first asked for, and then kept: the
    least change (`plan`), how many records may be known (`largest_known`), how far assumptions may be wrong (`story`),
    charts (`html`). Within the seconds of its budget, if it has one; what was not tried is named.

    >>> import dalenius as dl
    >>> from importlib.resources import files
    >>> dl.decide(files("dalenius.desk.examples") / "release.yaml")
    <Decision: pass>
    """

    prepared: Prepared
    table: Table
    question: Question
    as_specified: Plan  # the answer about the figures as they are: no change was looked for
    assessment: Assessment
    version: str
    ledger: Ledger
    asked: Prepared  # the specification by itself, without what is already out
    past: Past
    fingerprint: "Fingerprint | None"
    policies: "tuple[Policy, ...]" = ()
    persons: "Fingerprint | None" = None  # of the whole table; None where presence is secret
    ladder: tuple[int, ...] = LADDER
    progress: Progress = field(default=silent, repr=False, compare=False)
    budget: Budget = field(default_factory=Budget, repr=False, compare=False)
    wishes: "Wishes" = NOTHING_SPECIAL
    author: str = ""  # who stands for it; whoever runs this, if nobody is named
    _late: _Late = field(default_factory=_Late, init=False, repr=False, compare=False)

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
        """How columns were read, and what was released about the same persons and not judged with these figures."""
        found = () if self.persons is None else self.past.memory.elsewhere(self.persons)
        columns = {**self.prepared.public, **self.prepared.confidential}
        read = [] if self.prepared.per_person is None else self.prepared.per_person.notes
        read += [line for name, column in columns.items() for line in reading(name, column)]
        read += self._answer_errors()
        return read + [
            f"Mind that the dataset {name!r} has the same persons as {self.asked.dataset!r}: what was released from it "
            f"({', '.join(one.id for one in found if one.dataset == name)}) was not judged with these figures. Write "
            "the same dataset if it is the same data."
            for name in dict.fromkeys(one.dataset for one in found)
        ]

    def _answer_errors(self) -> list[str]:
        """How far off estimates from randomised answers are, and of how many they would be closer."""
        kept = {belief.column: belief.answered for belief in self.question.beliefs if belief.answered is not None}
        if not kept:
            return []
        from dalenius.mechanisms.randomized_response import RandomizedResponse

        found = []
        for figure in self.prepared.figures:
            used = [name for name in figure.confidential(self.question.columns) if name in kept]
            people = covered_people(figure, self.question.frame)
            if figure.kind != "count" or len(used) != 1 or not people:
                continue
            survey = RandomizedResponse(keep=kept[used[0]])
            few, many = (survey.rmse(max(size, 1)).upper for size in (min(people.values()), max(people.values())))
            off = nearly(few) if few == many else f"{nearly(few)} to {nearly(many)}"
            found.append(
                f"{figure.name!r} counts randomised answers: what it says of the true ones is off by about {off} (root "
                f"mean square), whatever they are; for a share to within 1 % {survey.sample_size('0.01')} answers are "
                "needed."
            )
        return found

    @property
    def verdict(self) -> str:
        return verdict_of(self.as_specified)

    @property
    def guarantees(self) -> "tuple[Guarantee, ...]":
        """What is certified about each group of people, in the order of the findings."""
        from dalenius.plan.guarantees import guarantee_of

        figures = (*self.prepared.history.figures, *self.prepared.figures)
        doubts = tuple(self.past.doubts.values())
        return tuple(guarantee_of(finding, self.question, figures, doubts) for finding in self.as_specified.findings)

    @property
    def plan(self) -> Plan:
        """The least change that lets the figures go out, if they may not as they are; looked for once."""
        return self.look_for_change()

    def look_for_change(self) -> Plan:
        """The plan, found now if it is not there yet."""
        if self._late.plan is None:
            if self.assessment.settled or self.past.doubts:  # nothing is needed, or nothing can be certified
                return self.as_specified
            from dalenius.plan.change import least_change

            with self.budget.running() as left:
                found = least_change(
                    self.assessment, ladder=self.ladder, progress=self.progress, left=left, wishes=self.wishes
                )
            self._late.plan = found
            if self.question.promise and isinstance(found, Coarsen | AddNoise):  # which must keep what is promised, too
                again = assess(found.figures, self.prepared.history, self.question).answer
                self._late.plan = self.as_specified if broken_promise(again, self.question) else found
        return self._late.plan

    @property
    def largest_known(self) -> int | None:
        """How many records an attacker may know such that the figures still pass, however long that takes; None if they
        do not, or pass by moves.
        """
        return self._most_known(always)

    def _most_known(self, left: Left) -> int | None:
        from dalenius.plan import largest_known

        if self._late.known is None:
            answer, most = self.as_specified, None
            if isinstance(answer, Publish) and answer.findings:
                self.progress("looking for the largest number of known records", 0, 1)
                most = largest_known(answer, self.question, left)
            self._late.known = (most,)
        return self._late.known[0]

    def _most_known_in_time(self) -> tuple[int | None, tuple[str, ...]]:
        """The same within the budget; and what was not tried to the end."""
        try:
            with self.budget.running() as left:
                return self._most_known(left), ()
        except TimeUpError:
            return None, (KNOWN,)

    def wishing(self, wishes: "Wishes") -> "Decision":
        """The same decision, for whose changes some figures or cells are to be kept, or matter more."""
        return replace(self, wishes=wishes)

    def search(self) -> None:
        """Look for the least change, and for how many records may be known: what `margins=False` leaves out."""
        self.look_for_change()
        self._most_known_in_time()

    def within(self, seconds: float | None, *, progress: Progress = silent) -> "Decision":
        """The same decision with so many seconds for what comes after the verdict; nothing of that is there yet."""
        return replace(self, budget=Budget(seconds), progress=progress)

    def made_by(self, user: str) -> "Decision":
        """The same decision of somebody who came through a page, and runs nothing here themselves."""
        return self if user == self.author else replace(self, author=user)

    def story(self) -> str:
        """The whole story, in plain words; told anew, but worked out once."""
        return "\n".join(self.parts()) + "\n"

    def brief(self) -> str:
        """The verdict with all that is needed to read it, and what it rests on: nothing is looked for."""
        from dalenius.plan.exposure import exposure

        told = [self._answer(), *self._risk_lines(exposure(self.as_specified, self.question)), *self._grounds()]
        return "\n".join(told) + "\n"

    def parts(self) -> Iterator[str]:
        """The lines of the story, each as soon as it is known: the verdict before all that has to be looked for."""
        figures = self.prepared.figures
        yield self._answer()
        turned = self.verdict != "pass" and any(not belief.stated for belief in self._used())
        if turned:  # nobody has a belief: what one would have to assume comes before any change
            yield from self.weakest_lines()
        yield from self._risk_lines(self.exposure())
        yield from advice_lines(self.plan, figures)
        yield from (f"\n{wrapped(line)}" for line in self.outlook())
        if not turned:
            yield from self.weakest_lines()
        begun = False
        for line in self._margins():
            yield laid_out(line) if begun else f"\n{laid_out(line)}"
            begun = True
        yield from (f"\n{wrapped(line)}" for line in self._stopped(self._untried()))
        yield from self._grounds()

    def _stopped(self, untried: Sequence[str]) -> list[str]:
        """That time was up, if it was."""
        seconds = self.budget.seconds
        return [stopped_line(seconds, untried)] if untried and seconds is not None else []

    def _answer(self) -> str:
        return "\n".join(verdict_lines(self.as_specified, self.question, self.prepared.figures, self.notes))

    def _grounds(self) -> list[str]:
        held = [f"\nHeld to {policy.name}: {'; '.join(policy.demands)}." for policy in self.policies]
        figures, history = self.prepared.figures, self.prepared.history.figures
        computed = self.prepared.computed
        return [*ground_lines(self.as_specified, self.question, figures, history, computed), *held]

    def exposure(self) -> "Exposure | None":
        """How well anybody tells two facts about one person apart by the figures as they are, and what differential
        privacy by itself would cost instead; within the budget, worked out once. None if nobody is concerned, or if
        nothing can be certified.
        """
        if self._late.exposure is None:
            from dalenius.plan.exposure import exposure_closely

            examined, figures = self.assessment.examined, self.prepared.figures
            self.progress("looking how well anybody is told apart", 0, 1)
            with self.budget.running() as left:
                found = exposure_closely(self.as_specified, self.question, examined, figures, left)
            self._late.exposure = (found,)
        return self._late.exposure[0]

    def _risk_lines(self, found: "Exposure | None") -> list[str]:
        """Risk as people say it, after a blank line; nothing beside releases that cannot be judged with it."""
        from dalenius.show.risk import price_line, risk_line

        if found is None or self.past.doubts:
            return []
        lines = [risk_line(found, self.question), price_line(found)]
        return [f"\n{wrapped(' '.join(filter(None, lines)))}"]

    def weigh(self) -> None:
        """Work out how far what was assumed may be wrong, and what charts show: once, within the budget. But how many
        records may be known stands in certificates, and none of them depends on the speed of a machine.
        """
        self._most_known(always)
        for _ in self._margins():
            pass
        self._measure()

    def _measure(self) -> "Measured":
        from dalenius.desk.curves import measured

        if self._late.measured is None:
            figures, (known, _) = self.prepared.figures, self._most_known_in_time()
            with self.budget.running() as left:
                self._late.measured = measured(self.as_specified, self.question, figures, known, left)
        return self._late.measured

    def outlook(self) -> tuple[str, ...]:
        """What the editions to come will need, in a line, if a series is announced; worked out once."""
        if self._late.ahead is None:
            self._late.ahead = self._look_ahead()
        return self._late.ahead

    def _look_ahead(self) -> tuple[str, ...]:
        from dalenius.plan.editions import outlook

        if self.question.series is None or not isinstance(self.as_specified, Publish):
            return ()
        self.progress("looking ahead at the editions that are announced", 0, 1)
        try:
            with self.budget.running() as left:
                found = outlook(self.prepared.figures, self.prepared.history.figures, self.question, left)
        except TimeUpError:
            return (NO_OUTLOOK,)
        return () if found is None else (str(found),)

    def _untried(self) -> tuple[str, ...]:
        """What was not tried to the end, because no time was left: of the search for a change, and of the margins."""
        changes = () if isinstance(self.plan, Publish) else self.plan.untried
        return (*changes, *self._late.untried_beliefs, *self._late.untried)

    def weakest(self) -> "tuple[Weakest, ...]":
        """The weakest beliefs under which the figures pass as they are, where people have none, or may differ from what
        is stated; within the budget, looked for once.
        """
        if self._late.weakest is None:
            found: list[Weakest] = []
            figures = (*self.prepared.history.figures, *self.prepared.figures)
            open_ = any(not belief.stated or belief.differ for belief in self._used())
            open_ = open_ and self.question.promise not in BY_NOISE
            if open_ and not self.past.doubts and self.question.over_editions(figures) is None:
                from dalenius.plan.margins.weakest import LESS, WEAKEST, weakest_of

                self.progress("looking for the weakest belief", 0, 1)
                try:
                    first = self._late.plan is None and self.verdict != "pass"
                    with self.budget.running() as last, self.budget.running(share=HALF if first else 1.0) as left:
                        found.extend(weakest_of(self, left, last))
                except TimeUpError:
                    self._late.untried_beliefs = (LESS if found else WEAKEST,)
            self._late.weakest = tuple(found)
        return self._late.weakest

    def _used(self) -> Sequence[ColumnBelief]:
        """The beliefs that the figures rest on, and those that are out."""
        return used_beliefs(self.question, (*self.prepared.history.figures, *self.prepared.figures))

    def weakest_lines(self) -> list[str]:
        """The same in words: a head, and a line each; or a sentence that there is none."""
        found = self.weakest()
        lines = [item(one.words) for one in found if one.assumption != "nothing"]
        none = [
            f"\n{wrapped(f'{one.words[0].upper()}{one.words[1:]}.')}" for one in found if one.assumption == "nothing"
        ]
        head = ENOUGH if self.verdict == "pass" else TURNING
        return [*none, *([f"\n{wrapped(head)}", *lines] if lines else [])]

    @property
    def untried_beliefs(self) -> tuple[str, ...]:
        """What there was no time for, when the weakest belief was looked for."""
        return self._late.untried_beliefs

    def _margins(self) -> Iterator[str]:
        """How far what was assumed may be wrong, in a few lines, each as soon as it is found."""
        if self._late.margins is not None:
            yield from self._late.margins
            return
        lines, untried = list[str](), list[str]()
        for line in self._look(untried):
            lines.append(line)
            yield line
        self._late.margins, self._late.untried = tuple(lines), tuple(untried)

    def _look(self, untried: list[str]) -> Iterator[str]:
        """The lines of the margins; where they take long, only how much may be known."""
        known, late = self._most_known_in_time()
        untried += late
        if known is not None:
            yield share_of(known, self.question.frame.size)
        columns, figures = self.question.columns, (*self.prepared.history.figures, *self.prepared.figures)
        used = used_beliefs(self.question, figures)
        quick = all(prod(columns[name].size for name in belief.columns) <= FEW_VALUES for belief in used)
        quick = quick and len(self.as_specified.findings) <= FEW_GROUPS
        one = self.question.over_editions(figures) is None  # over several, only the verdict is certified
        one = one and self.question.frame.together is None and not self.question.special
        if quick and one and not self.past.doubts:  # no assumption cures these
            from dalenius.plan.margins.lines import margins

            self.progress("looking how far what was assumed may be wrong", 0, 1)
            with self.budget.running() as left:
                yield from margins(self, known=known is None and not late, left=left, untried=untried.append)

    def imprint(self, release: str = "", entry: int = 0, certificate: str = "") -> "Imprint":
        """When and by whom a report is made now, about which people; and about which release, if there is one."""
        from dalenius.data.completion import now, who
        from dalenius.show.imprint import Imprint

        edition = "" if self.asked.edition is None else str(self.asked.edition)
        author = self.author or who()
        return Imprint(now(), author, self.asked.dataset, self.ledger.shown, edition, release, entry, certificate)

    def html(
        self,
        published: "Sequence[Published] | None" = None,
        sha256: str = "",
        *,
        imprint: "Imprint | None" = None,
        approval: "Approval | None" = None,
    ) -> bytes:
        """The report for the person who signs: one page that needs nothing else; with the figures, if they are out, and
        with the release that they are (by default: none). `approval`: by whom they were let out, if persons decided.
        """
        from dalenius.show.html import Account, Policed, report_html

        prepared = self.prepared
        charts, learning, undrawn = self._measure()
        known, late = self._most_known_in_time()
        return report_html(
            Account(
                self.plan,
                self.question,
                prepared.figures,
                prepared.history.figures,
                prepared.public,
                self.version,
                known,
                published,
                sha256,
                tuple(Policed(held.name, tuple(held.demands), tuple(held.unused)) for held in self.policies),
                charts,
                learning,
                (
                    *self.notes,
                    *self.outlook(),
                    *self._risk_notes(),
                    *(f"Least assumption: {one.words}." for one in self.weakest()),
                    *self._stopped((*late, *undrawn)),
                ),
                prepared.computed,
                None if published is None else computed_numbers(self, published),
                approved="" if approval is None else approval.words,
                imprint=imprint or self.imprint(),
            )
        )

    def _risk_notes(self) -> list[str]:
        from dalenius.show.risk import price_line, risk_line

        found = None if self.past.doubts else self.exposure()
        return [] if found is None else [*filter(None, (risk_line(found, self.question), price_line(found)))]

    def __repr__(self) -> str:
        return f"<Decision: {self.verdict}>"

    def _repr_html_(self) -> str:
        """In a notebook: the answer, and how much each number tells. Nothing is looked for."""
        from dalenius.plan.words import headline
        from dalenius.show.cells import shown_tables
        from dalenius.show.html.notebook import decision_fragment
        from dalenius.show.text import goal

        figures = self.prepared.figures
        tables = shown_tables(self.as_specified.findings, figures, self.question, self.prepared.public)
        return decision_fragment(headline(self.as_specified, figures), self.verdict, goal(self.question), tables)

    def json(self, *, margins: bool = True) -> dict[str, Any]:
        """The same for machines; without `margins`, only what is there with the verdict."""
        from dalenius.record.decision import decision_json

        known, late = self._most_known_in_time() if margins else (None, ())
        plan = self.plan if margins else self.as_specified
        found = decision_json(
            plan,
            self.question,
            self.prepared.figures,
            self.prepared.history.figures,
            version=self.version,
            largest_known=known,
            margins=margins,
            untried=(*(() if isinstance(plan, Publish) else plan.untried), *late),
        )
        found["remarks"] += [*self.notes, *(self.outlook() if margins else ())]
        found["risk"] = self._risk_json(margins=margins)
        if margins and self.weakest():
            found["weakest"] = [one.json() for one in self.weakest()]
        if margins:
            found["untried"] += self._late.untried_beliefs
        if self.prepared.computed:
            found["computed"] = [one.json() for one in self.prepared.computed]
        return {**found, "policies": [policy.json() for policy in self.policies]} if self.policies else found

    def _risk_json(self, *, margins: bool) -> dict[str, Any] | None:
        from dalenius.plan.exposure import exposure
        from dalenius.show.risk import risk_json

        found = self.exposure() if margins else exposure(self.as_specified, self.question)
        return None if found is None or self.past.doubts else risk_json(found)

    def summary(self) -> dict[str, Any]:
        """The same in brief: without the groups of people, and without what is already out."""
        from dalenius.record.decision import summary_json

        prepared = self.prepared
        return summary_json(self.as_specified, self.question, prepared.figures, prepared.history.figures)

    def certificate(self, figures: bytes) -> bytes:
        """The certificate of a decision to publish, bound to the file of the figures."""
        from dalenius.record.certificate.written import certificate

        return certificate(
            self.as_specified,
            self.question,
            self.prepared.figures,
            self.prepared.history.figures,
            version=self.version,
            largest_known=self.largest_known,
            table=figures,
            policies=[policy.limits() for policy in self.policies],
            computed=self.prepared.computed,
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
    progress: Progress = silent,
    spread: Spreader | None = None,
    margins: bool = True,
    seconds: float | None = None,
) -> Decision:
    """May the figures of this specification go out? `spec` is a file, or the same keys as a dict; `data` is a path, the
    address of a database, a Spark session or a pandas, polars or arrow frame, by default the spec's own. `policy` is a
    file of what an organisation demands, besides what the specification and the environment variable DALENIUS_POLICY
    name: all of them must be met. `spread` shares the work out: `dl.data.on_cores()`, `dl.data.on_spark(session)`.

    `ladder` are the roundings that are tried if they may not. Reads the public columns (and checks that the table is
    what the specification declares), and the ledger: figures are judged together with all that is out. `ledger` is a
    file or a URL; by default what the specification names, then the environment variable DALENIUS_LEDGER, then
    dalenius-ledger.sqlite beside the specification. `ledger_keys` are files of keys, or those that DALENIUS_LEDGER_KEYS
    names: with them, entries are signed and must be. Nothing is written. Confidential values decide nothing.

    `margins=False` stops when the verdict is known: what comes after it (the least change, how many records may be
    known) is then looked for when it is first asked of the decision. `seconds` is how long all of that may take; by
    default as long as it needs. The verdict never depends on it.

    >>> import dalenius as dl
    >>> from importlib.resources import files
    >>> print(dl.decide(files("dalenius.desk.examples") / "differencing.yaml").verdict)
    fail
    """
    progress = watched(progress)
    budget, steps = Budget(seconds), checked_ladder(ladder)
    base = Path(spec).parent if isinstance(spec, str | Path) else Path()
    spec, policies = read_spec(spec, base, policy)
    prepared = build(spec, base)
    table = table_of(spec, data, base)
    place = find_ledger(ledger, spec.ledger, base, ledger_keys)
    prepared, memory = with_dataset(prepared, spec, data, place)
    found = judged(prepared, table, place, memory=memory, policies=policies, progress=progress, spread=spread)
    found = replace(found, ladder=steps, budget=budget)
    if margins:
        found.search()
    return found


def table_of(spec: SpecModel, data: object | None, base: Path) -> Table:
    """The table that is given, or else the one that the specification names."""
    if data is not None:
        return open_table(data, spec.table)
    if spec.data is None:
        raise SpecError("data: this key is needed, but it is not there. Name a CSV or Parquet file, or pass a table.")
    return open_table(spec.data, spec.table, base)


@final
@dataclass(frozen=True, slots=True)
class Situation:
    """A specification with all that is out, as a question to the judge: nothing is judged yet."""

    past: Past
    table: Table
    question: Question
    fingerprint: "Fingerprint | None"
    persons: "Fingerprint | None"


def question_of(asked: Prepared, table: Table, ledger: Ledger, *, memory: Memory | None = None) -> Situation:
    """What is asked of these figures and of all that the ledger knows (or, if given, `memory`)."""
    past = remembered(asked, memory or ledger.memory(asked.dataset), table.columns())
    prepared = past.prepared
    home = (*(() if asked.together is None else (asked.together.column,)), *order_columns(asked.beliefs))
    table, person = records_table(asked, table, (*prepared.public, *asked.confidential, *home)), person_of(asked)
    table.check(person=person, public=prepared.public, confidential=asked.confidential)
    if prepared.sample is not None:
        frame, mine, past = drawn_frame(prepared, table), None, same_rows(past, asked, "", None)
        persons = None
    elif prepared.sizes is not None:
        frame, mine, past = Frame(prepared.frame_columns, prepared.sizes), None, same_rows(past, asked, "", None)
        persons = None
    else:  # who is in the data is public
        method, marks = table.marks(prepared.frame_columns, person=person, public=prepared.public)
        frame = Frame(prepared.frame_columns, {cell: people for cell, (people, _) in marks.items()})
        mine = fingerprint(prepared, method, marks, fingerprint_columns(prepared, asked), asked.edition)
        persons = None if person is None else fingerprint(prepared, method, marks, (), None)
        check_clash(asked, past.memory, persons)
        past = same_rows(past, asked, method, marks)
    prepared = past.prepared
    frame, secret = _with_households(prepared, frame, table)
    check_believed(prepared, frame, table)
    question = Question(
        frame,
        prepared.confidential,
        _asked_beliefs(prepared),
        prepared.attacker,
        secret,
        prepared.target,
        _records(prepared),
        series=prepared.series,
        within=prepared.within,
        promise=prepared.promise,
    )
    _check_known(question)
    return Situation(past, table, question, mine, persons)


def judged(
    asked: Prepared,
    table: Table,
    ledger: Ledger,
    *,
    memory: Memory | None = None,
    policies: "tuple[Policy, ...]" = (),
    progress: Progress = silent,
    spread: Spreader | None = None,
) -> Decision:
    """The figures judged together with all that the ledger knows (or, if given, `memory`)."""
    from dalenius import __version__

    found = question_of(asked, table, ledger, memory=memory)
    past, question, prepared = found.past, found.question, found.past.prepared
    for held in policies:
        held.check(prepared.figures, question, prepared.public)
    _check_sums(prepared, question.frame)
    _check_roundings(prepared, question.frame)
    assessed = assess(prepared.figures, prepared.history, question, progress=progress, spread=spread)
    answer = _doubted(_promised(assessed.answer, question), past)
    return Decision(
        prepared,
        found.table,
        question,
        answer,
        assessed,
        __version__,
        ledger,
        asked,
        past,
        found.fingerprint,
        policies,
        found.persons,
        progress=progress,
    )


def _asked_beliefs(prepared: Prepared) -> tuple[ColumnBelief, ...]:
    """The beliefs; of those that no figure rests on one scenario will do."""
    figures = (*prepared.history.figures, *prepared.figures)
    used = frozenset().union(*(figure.confidential(prepared.confidential) for figure in figures))
    return tuple(
        belief if used.intersection(belief.columns) else replace(belief, scenarios=()) for belief in prepared.beliefs
    )


def _with_households(prepared: Prepared, frame: Frame, table: Table) -> tuple[Frame, Hidden]:
    """The people with those whose records move together, if any do; and what is secret then."""
    moving, secret = prepared.together, prepared.secret
    if moving is None:
        return frame, secret
    if hides_presence(secret):  # then it is declared
        return replace(frame, together=moving), Household(moving.largest or 1, moving.groups, presence=True)
    found = table.households(moving.column, frame.columns, public=prepared.public)
    only = secret if isinstance(secret, OfHousehold) else None
    if only is not None:
        _check_totals(only, prepared.confidential[only.column], found.largest)
    household = Household(found.largest, found.groups, only=only)
    return replace(frame, together=replace(moving, coins=found.coins)), household


def _check_totals(only: OfHousehold, column: Column, size: int) -> None:
    """SpecError unless the property can be said of households of so many members."""
    try:
        only.check(column, size)
    except InputError as error:
        raise SpecError(f"{error} (A household has up to {size} members.)") from None


def person_of(asked: Prepared) -> str | None:
    """The column that names the person; None where each row is one."""
    return None if asked.person == EACH_ROW else asked.person


def records_table(asked: Prepared, table: Table, columns: Sequence[str]) -> Table:
    """The table of one record a person: as it is, or made of several rows a person. `columns` are those of it."""
    if asked.per_person is None:
        return table
    constant = [name for name in dict.fromkeys(columns) if name not in asked.per_person.derived]
    return table.per_person(asked.per_person, person=asked.person, constant=constant)


def _records(prepared: Prepared) -> tuple[str, ...]:
    """What is assumed of how rows are records."""
    figures = (*prepared.history.figures, *prepared.figures)
    used = frozenset().union(*(figure.confidential(prepared.confidential) for figure in figures))
    return assumed(prepared.person, prepared.per_person, used)


def _promised(found: Plan, question: Question) -> Plan:
    """For review, where the definition that was asked for does not follow from what is certified."""
    reason = broken_promise(found, question)
    if not reason:
        return found
    return Undecided(tuple(replace(finding, verdict=Verdict.REVIEW) for finding in found.findings), reason=reason)


def _doubted(found: Plan, past: Past) -> Plan:
    """Nothing passes beside releases that cannot be judged with it, changed or not; what fails, fails."""
    from dalenius.plan import Advice

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
        if figure.channel.hides or not figure.channel.period:
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


def publish(decision: Decision) -> "list[Published]":
    """Compute the figures, noise and rounding included. Only for a decision to publish.

    >>> import dalenius as dl
    >>> from importlib.resources import files
    >>> figures = dl.publish(dl.decide(files("dalenius.desk.examples") / "release.yaml"))
    >>> len(figures)
    4
    """
    if not isinstance(decision.as_specified, Publish):
        raise InputError(
            "Only figures that passed may be computed, but these did not. The decision says what would make them safe."
        )
    return draw(decision)


def draw(decision: Decision) -> "list[Published]":
    """The figures, noise and rounding included, whatever was decided: for those that passed, or that persons approved
    in their own name.
    """
    prepared = decision.prepared
    columns = {**prepared.public, **prepared.confidential}
    requests = [Request(fig.name, fig.by, fig.where, fig.column, fig.truncated) for fig in prepared.figures]
    _check_sizes(prepared, decision.table)
    totals = decision.table.totals(requests, columns)
    decision.table.confirm()
    named = _largest(prepared, dict(zip(prepared.figures, totals, strict=True)))
    return [
        item
        for figure, found in zip(prepared.figures, totals, strict=True)
        for item in (_named(figure, named, decision) if figure in named else _published(figure, found, decision))
    ]


def _largest(
    prepared: Prepared, totals: Mapping[Figure, Mapping[Cell, int]]
) -> dict[Figure, dict[Cell, Label | Fraction]]:
    """Of counts that are only compared, cell by cell, the value that is named; nothing where there is nobody."""
    found: dict[Figure, dict[Cell, Label | Fraction]] = {}
    figures = {figure.name: figure for figure in prepared.figures}
    for one in prepared.computed:
        if one.kind not in NAMED:
            continue
        parts = [figures[name] for name in one.parts]
        cells = {cell for part in parts for cell in totals[part]}
        values = {cell: one.value([Fraction(totals[part].get(cell, 0)) for part in parts], (), ()) for cell in cells}
        named = {cell: value for cell, value in values.items() if value is not None}
        link = comparison(parts[0].channel.links)
        if link is not None and link.moved is not None:
            named = _moved(named, one.values, link.moved)
        found |= dict.fromkeys(parts, named)
    return found


def _moved(
    named: Mapping[Cell, Label | Fraction], values: Sequence[Label | Fraction], scale: Fraction
) -> dict[Cell, Label | Fraction]:
    """Each value moved among the values by noise of its own, and to the first or the last where it would go beyond."""
    from dalenius.data import add_noise

    places = add_noise([values.index(value) for value in named.values()], "two_sided_geometric", scale)
    last = len(values) - 1
    return {cell: values[min(max(place, 0), last)] for cell, place in zip(named, places, strict=True)}


def _named(
    figure: Figure, named: Mapping[Figure, Mapping[Cell, Label | Fraction]], decision: Decision
) -> "Iterator[Published]":
    from dalenius.tables.published import Published

    for cell in figure.cells(decision.prepared.public):
        yield Published(figure, cell, None, largest=named[figure].get(cell))


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
    if prepared.together is not None:
        _check_homes(prepared, prepared.together, table)


def _check_homes(prepared: Prepared, together: Together, table: Table) -> None:
    """The same of households: at least as many as are declared, and none that is larger, or in more groups."""
    found = table.households(together.column, prepared.frame_columns, public=prepared.public)
    for cell, homes in together.coins.items():
        if found.coins.get(cell, 0) < homes:
            where = ", ".join(map(str, cell)) or "the data"
            raise DataError(
                f"together.households declares at least {homes} households in {where}, but there are fewer. Declare "
                "fewer: a round number that is certainly not too large."
            )
    for key, declared, there in (
        ("largest", together.largest or 1, found.largest),
        ("in_groups", together.groups, found.groups),
    ):
        if there > declared:
            raise DataError(
                f"together.{key} declares at most {declared}, but some household has more. Declare a number that is "
                "certainly large enough."
            )


def _published(figure: Figure, totals: Mapping[Cell, int], decision: Decision) -> "Iterator[Published]":
    """One number a cell of the declared domain, in its order; cells without anybody are zero, and those that a
    condition excludes are not there.
    """
    from dalenius.data import add_noise
    from dalenius.data.draws import told_by
    from dalenius.mechanisms.registry import row_of
    from dalenius.tables.published import Published

    cells = list(figure.cells(decision.prepared.public))
    values = [totals.get(cell, 0) for cell in cells]
    step = figure.unit(decision.prepared.confidential)
    for link in figure.channel.links:
        row = row_of(link)
        if row.drawn:
            values = add_noise(values, row.drawn, row.size(link))
        elif row.apply is not None:
            values, step = [row.apply(value, link) for value in values], step * link.step
    earning, hiding, choosing = figure.earning, figure.hiding, figure.choosing
    counted = figure.kind == "mean" or earning is not None or choosing is not None
    people = covered_people(figure, decision.question.frame) if counted else {}
    for cell, value in zip(cells, values, strict=True):
        if earning is not None:
            told = "" if not people.get(cell) else str(told_by(earning.kernel(people[cell]), value))
            yield Published(figure, cell, None, hidden=told)
        elif choosing is not None:
            some = people.get(cell, 0)
            yield Published(figure, cell, None, hidden=choosing.outputs[choosing.winner(value, some)] if some else "")
        elif hiding is not None and value == hiding.mark:
            yield Published(figure, cell, None, hidden=hiding.text)
        else:
            yield Published(figure, cell, _final(figure, value * step, people.get(cell, 0)))


def _final(figure: Figure, value: Fraction, people: int) -> Fraction | None:
    """The total itself, or divided by the public number of persons."""
    if figure.kind != "mean":
        return value
    return value / people if people else None


def computed_numbers(decision: Decision, published: "Sequence[Published]") -> list[ComputedNumber]:
    """What is computed from the figures that go out, and from who is there as anybody may know."""
    frame = decision.question.frame
    return compute(decision.prepared.computed, published, lambda figure: covered_people(figure, frame))
