"""How each group of people fares: a bound that passes, a witness that fails, or neither."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import known_records
from dalenius.claims import Verdict, Witness
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Cell, exact
from dalenius.judge.engine import Judgement
from dalenius.mechanisms import Chain
from dalenius.plan.judging import AtomCase, Spreader, judged_by_many
from dalenius.plan.question import Progress, Question
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Combination, Cover, Entry

if TYPE_CHECKING:
    from dalenius.beliefs.coins import Coins
    from dalenius.tables.apart import Apart
    from dalenius.tables.moves import Moves
    from dalenius.tables.packing import Detour, Way
    from dalenius.tables.series import Episodes

STEP = 256  # atoms between two reports, of those that are found already
MOST_ROUNDED = 300  # atoms for which rounded numbers are judged together
MANY = 24  # atoms from which on not each is judged by itself


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """How one atom fares: δ at the target's ε, and where it fails the numbers that reveal it."""

    atom: Atom
    delta: Bracket
    verdict: Verdict
    known: int
    witness: Witness | None = None
    reveals: Combination | None = None
    because: str = ""
    method: str = "atom"  # by what it passes: the joint law of its own numbers, each independent part, or moves
    ways: "tuple[Way | Detour, ...]" = field(default=(), compare=False, repr=False)  # these moves
    route: str = field(default="", compare=False)  # by which theorem the judge found it


def known_in(atom: Atom, sizes: Mapping[Entry, int], question: Question) -> int:
    """How many records the attacker knows inside an atom: all that are known, as far as they fit.

    If the share holds in every published group, no more than that share of any published number that covers the atom.
    """
    attacker, size = question.attacker, question.frame.size
    known = known_records(attacker.known, size) if size > 1 else 0
    if attacker.in_every_group and not isinstance(attacker.known, int):
        share = exact(attacker.known, name="known")
        known = min([known, *(ceil(share * sizes[entry]) for entry in atom.entries)])
    return min(atom.size - 1, known)


def moves_of(cover: Cover, docket: Docket, question: Question, coins: "Coins | None" = None) -> "Moves":
    """A judge by moves, of the same release; `coins`: what was computed of coins before, at any ε."""
    from dalenius.beliefs.coins import Coins
    from dalenius.tables.moves import Moves

    return Moves(cover, docket, *known_anywhere(question), Coins() if coins is None else coins)


def apart_of(cover: Cover, docket: Docket, question: Question) -> "Apart":
    """A judge who takes each independent part of a record by itself, of the same release."""
    from dalenius.tables.apart import Apart

    return Apart(cover, docket, *known_anywhere(question))


def episodes_of(cover: Cover, docket: Docket, question: Question) -> "Episodes":
    """A judge over all editions of a table that changes."""
    from dalenius.tables.series import Episodes

    if question.series is None:
        raise InputError("Figures of several editions need what is said of the series, but there is none. State it.")
    return Episodes(cover, docket, question.series, *known_anywhere(question))


def known_anywhere(question: Question) -> tuple[int, Fraction | None]:
    """How many records are known, wherever they are; and the share of every number, if no more of any is."""
    attacker, size = question.attacker, question.frame.size
    known = known_records(attacker.known, size) if size > 1 else 0
    whole = isinstance(attacker.known, int) or not attacker.in_every_group
    return known, None if whole else exact(attacker.known, name="known")


def entry_sizes(atoms: Sequence[Atom]) -> dict[Entry, int]:
    """How many persons each published number covers."""
    sizes: defaultdict[Entry, int] = defaultdict(int)
    for atom in atoms:
        size = atom.size
        for entry in atom.entries:
            sizes[entry] += size
    return dict(sizes)


def judged_atoms(
    cover: Cover,
    docket: Docket,
    question: Question,
    progress: Progress,
    given: Mapping[int, Finding] = MappingProxyType({}),
    spread: Spreader | None = None,
    *,
    witnesses: bool = True,
) -> tuple[Finding, ...]:
    """Every atom passes by a bound on all its numbers, fails by one that can be worked out and tells too much, or
    passes by moves; with neither a bound nor a witness it is to be reviewed. `given`: what is found already. Without
    `witnesses` none are looked for.
    """
    many = len(cover.atoms) > MANY and all(figure.channel.exact for figure in cover.figures)
    desk = _Desk(cover, docket, question, cover.sizes(), many)
    found, judged = dict(given), {}
    if spread is not None and not many:
        cases = {place: desk.case(place) for place in range(len(cover.atoms)) if place not in given}
        judged = judged_by_many(cases, question, progress, spread)
    smallest_first = sorted(range(len(cover.atoms)), key=lambda place: cover.atoms[place].size)
    for done, place in enumerate(smallest_first):
        if place not in given:
            found[place] = desk.bounded(place, judged.get(place))
        if place not in given or done % STEP == 0 or done + 1 == len(cover.atoms):
            progress("judging groups of people", done + 1, len(cover.atoms))
    if witnesses:
        open_ = [place for place, one in found.items() if one.verdict != Verdict.PASS and place not in given]
        found |= desk.witnessed(open_)
    left = [place for place, finding in found.items() if finding.verdict == Verdict.REVIEW]
    for place in left if len(left) <= MOST_ROUNDED else ():
        found[place] = desk.rounded(place, found[place])
    left = [place for place, finding in found.items() if finding.verdict == Verdict.REVIEW]
    for done, place in enumerate(left):
        found[place] = desk.taken_apart(place, found[place])
        progress("taking independent parts of records by themselves", done + 1, len(left))
    left = [place for place in left if found[place].verdict == Verdict.REVIEW]
    for done, place in enumerate(left):
        found[place] = desk.moved(place, found[place])
        progress("looking for moves", done + 1, len(left))
    return tuple(found[place] for place in range(len(cover.atoms)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Desk:
    """One release on the way to its findings."""

    cover: Cover
    docket: Docket
    question: Question
    sizes: Mapping[Entry, int]
    by_crowds: bool  # many atoms of exact figures: judged by what they have in common
    _passed: dict[tuple[object, ...], tuple[int, Judgement]] = field(default_factory=dict)
    _failed: dict[tuple[object, ...], int] = field(default_factory=dict)
    _alone: set[int] = field(default_factory=set)
    _moves: "list[Moves]" = field(default_factory=list)
    _apart: "list[Apart]" = field(default_factory=list)

    def __post_init__(self) -> None:
        atoms = enumerate(self.cover.atoms)
        some = [(place, atom) for place, atom in atoms if atom.alone(lambda _: True)]
        asked = {entry for _, atom in some for entry in atom.entries}
        every = (entry for atom in self.cover.atoms for entry in atom.entries) if some else ()
        covering = Counter(entry for entry in every if entry in asked)
        self._alone.update(place for place, atom in some if atom.alone(lambda entry: covering[entry] == 1))

    def case(self, place: int) -> AtomCase:
        """What is judged of an atom."""
        atom = self.cover.atoms[place]
        return AtomCase(atom, known_in(atom, self.sizes, self.question), place in self._alone)

    def bounded(self, place: int, judged: Judgement | None = None) -> Finding:
        """By the joint law of the atom's own numbers. Of many atoms of one kind, those that are larger than one that
        passed, or smaller than one that did not, are not judged again: more records of one law hide better.
        """
        atom, alone = self.cover.atoms[place], place in self._alone
        known = known_in(atom, self.sizes, self.question)
        crowd = self.docket.crowd(atom) if self.by_crowds else None
        if crowd is not None and crowd in self._passed and atom.size - known >= self._passed[crowd][0]:
            judged = self._passed[crowd][1]
            said = f"{atom.size} records, no fewer than others of their kind that pass"
            return Finding(
                atom, Bracket(0.0, judged.delta.upper), Verdict.PASS, known, because=said, route=judged.route
            )
        if crowd is not None and atom.size - known <= self._failed.get(crowd, 0):
            return Finding(
                atom, Bracket(0.0, 1.0), Verdict.REVIEW, known, because=f"{atom.size} records, fewer than do not pass"
            )
        judged = judged or self.docket.atom(atom, known, alone=alone, quick=crowd is not None)
        passes = judged.delta.certainly_at_most(self.question.target.delta)
        if crowd is not None and passes:
            self._passed[crowd] = (atom.size - known, judged)
        elif crowd is not None:
            self._failed[crowd] = atom.size - known
        # a lower bound is only one for the release if the atom's number is published by itself
        delta = judged.delta if passes and alone else Bracket(0.0, judged.delta.upper)
        verdict = Verdict.PASS if passes else Verdict.REVIEW
        return Finding(atom, delta, verdict, known, because=judged.because, route=judged.route)

    def witnessed(self, places: Sequence[int]) -> dict[int, Finding]:
        """Those that fail: a combination of exact numbers gives one quantity of the atom, and that tells too much."""
        if not places:
            return {}
        from dalenius.tables.algebra import Algebra

        algebra = Algebra(self.cover)
        asked: dict[Figure, list[tuple[int, Judgement]]] = {}
        for place in places:
            for figure in filter(algebra.publishes, self.cover.atoms[place].figures):
                single = self._exactly(place, figure)
                if single.delta.certainly_above(self.question.target.delta):
                    asked.setdefault(figure, []).append((place, single))
        found: dict[int, Finding] = {}
        # the quantity that tells most comes first, wherever it stands in the release
        for figure, cases in sorted(asked.items(), key=lambda item: -max(single.delta.lower for _, single in item[1])):
            fresh = [case for case in cases if case[0] not in found]
            combinations = algebra.revealing([place for place, _ in fresh], figure)
            for place, single in fresh:
                if place in combinations:
                    found[place] = self._refused(place, figure, single, combinations[place])
        return found

    def _exactly(self, place: int, figure: Figure) -> Judgement:
        """What the figure's quantity tells of the atom if it is known exactly, as a combination of exact numbers gives
        it; whatever becomes of the figure itself.
        """
        atom = self.cover.atoms[place]
        known = known_in(atom, self.sizes, self.question)
        return self.docket.single(atom, replace(figure, channel=Chain(())), known, alone=place in self._alone)

    def _refused(self, place: int, figure: Figure, single: Judgement, combination: Combination) -> Finding:
        atom = self.cover.atoms[place]
        known = known_in(atom, self.sizes, self.question)
        upper = max(single.delta.lower, self.docket.atom(atom, known, alone=place in self._alone).delta.upper)
        event = self.docket.witness(atom, replace(figure, channel=Chain(())), known, alone=place in self._alone)
        delta = Bracket(min(single.delta.lower, upper), upper)
        reveals = self._weighed(combination, figure)
        return Finding(atom, delta, Verdict.FAIL, known, event, reveals, single.because, route=single.route)

    def _weighed(self, combination: Combination, figure: Figure) -> Combination:
        """The combination of published numbers, where that of totals in steps is given: a mean counts as often as it
        has persons, and a number by what a step of the figure is worth in its own.
        """
        columns = self.question.columns
        units = {entry: figure.unit(columns) / entry.figure.unit(columns) for _, entry in combination}
        times = {entry: self.sizes[entry] if entry.figure.kind == "mean" else 1 for _, entry in combination}
        return tuple((weight * units[entry] * times[entry], entry) for weight, entry in combination)

    def rounded(self, place: int, finding: Finding) -> Finding:
        """By the law of all its numbers at once, where some that cover nobody else are rounded."""
        atom = self.cover.atoms[place]
        own = [self.sizes[entry] == atom.size for entry in atom.entries]
        judged = self.docket.jointly_rounded(atom, finding.known, own)
        return finding if judged is None else self._better(finding, judged, "rounded")

    def taken_apart(self, place: int, finding: Finding) -> Finding:
        """Each independent part of a record by itself; the finding as it was where that does not help, and where
        records move together.
        """
        if not self.docket.by_laws:
            return finding
        if not self._apart:
            self._apart.append(apart_of(self.cover, self.docket, self.question))
        if not self._apart[0].helps:
            return finding
        return self._better(finding, self._apart[0].judged(place), "apart")

    def moved(self, place: int, finding: Finding) -> Finding:
        """By moves among everybody else's records; the finding as it was where these do not help, and where records
        move together.
        """
        if len(self.cover.atoms) == 1 or not self.docket.by_laws:
            return finding
        if not self._moves:
            self._moves.append(moves_of(self.cover, self.docket, self.question))
        return self._better(finding, self._moves[0].judged(place, finding.known), "moves")

    def _better(self, finding: Finding, judged: Judgement, method: str) -> Finding:
        if judged.delta.upper >= finding.delta.upper:
            return finding
        passes = judged.delta.certainly_at_most(self.question.target.delta)
        verdict = Verdict.PASS if passes else Verdict.REVIEW
        said = judged.because
        found = replace(finding, delta=judged.delta, verdict=verdict, because=said, method=method, ways=judged.ways)
        return replace(found, route=judged.route)


def stands_alone(atom: Atom, atoms: Sequence[Atom]) -> bool:
    """Whether what is published of the atom covers nobody else, so that its rounding is its own."""
    return atom.alone(lambda entry: not any(other is not atom and entry in other.entries for other in atoms))


def failing_numbers(
    found: Sequence[Finding],
    atoms: Sequence[Atom],
    docket: Docket,
    question: Question,
) -> tuple[Finding, ...]:
    """Published numbers that reveal too much by themselves, among those that cover an atom that does not pass."""
    entries = dict.fromkeys(
        entry for finding in found if finding.verdict != Verdict.PASS for entry in finding.atom.entries
    )
    failing = []
    if not entries:
        return ()
    covered: dict[Entry, list[tuple[Cell, int]]] = {entry: [] for entry in entries}
    for atom in atoms:
        for entry in atom.entries:
            if entry in covered:
                covered[entry] += atom.groups
    for entry in entries:
        groups = tuple(covered[entry])
        whole = Atom((entry,), groups)
        known = known_in(whole, {entry: whole.size}, question)
        # if the share holds in every group, the worst of a share of all might lie in one group: claim nothing of it
        sure = 0 if question.attacker.in_every_group else known
        judged = docket.single(whole, entry.figure, sure, alone=True)
        if judged.delta.certainly_above(question.target.delta):
            most = docket.single(whole, entry.figure, known, alone=True).delta.upper
            upper = min(max(judged.delta.upper, most), docket.noise_alone([entry.figure]))
            delta = Bracket(min(judged.delta.lower, upper), upper)
            event = docket.witness(whole, entry.figure, sure, alone=True)
            reveals = ((Fraction(1), entry),)
            failing.append(
                Finding(whole, delta, Verdict.FAIL, known, event, reveals, judged.because, route=judged.route)
            )
    return tuple(failing)
