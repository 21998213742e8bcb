"""plan(figures, history, ...): may these figures go out together as they stand? Pure: it never sees a confidential
value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from typing import TypeAlias, final

from dalenius.beliefs.belief import known_records
from dalenius.calibration import Case, Remedy, least_noise, least_rounding, shared_noise
from dalenius.errors import InputError
from dalenius.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.guarantees import Verdict, Witness
from dalenius.history import Atom, Combination, Entry, History, atoms_of, quantity, revealing
from dalenius.judgement import Judge, Judgement, same_value
from dalenius.numerics.bracket import Bracket
from dalenius.records import Column, exact
from dalenius.secret import Secret
from dalenius.verification import last_below

Progress: TypeAlias = Callable[[str, int, int], None]  # what is being done, how much of it, of how much


@final
@dataclass(frozen=True, slots=True)
class Target:
    """What is wanted: delta at epsilon."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        if self.epsilon < 0:
            raise InputError(
                f"epsilon must be at least 0, but got {float(self.epsilon):g}. Typical values are 0.1 to 2."
            )
        if not 0 <= self.delta <= 1:
            raise InputError(
                f"delta must lie between 0 and 1, but got {float(self.delta):g}. Typical values are 1e-9 to 1e-3."
            )


@final
@dataclass(frozen=True, slots=True)
class Question:
    """All that a plan depends on, but the figures: who is in the data, what is believed, who attacks, what is
    secret, the target.
    """

    frame: Frame
    columns: Mapping[str, Column]  # the confidential ones
    beliefs: tuple[ColumnBelief, ...]
    attacker: Attacker
    secret: Secret
    target: Target


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


@final
@dataclass(frozen=True, slots=True)
class Advice:
    """Certified changes, one of which for each figure makes all of them safe; and what else there is to say."""

    remedies: tuple[Remedy, ...] = ()
    words: str = ""


@final
@dataclass(frozen=True, slots=True)
class Publish:
    """The figures may go out as they are."""

    findings: tuple[Finding, ...]


@final
@dataclass(frozen=True, slots=True)
class Refuse:
    """The figures may not go out: the findings that fail come with a witness."""

    findings: tuple[Finding, ...]
    advice: Advice = field(default_factory=Advice)


@final
@dataclass(frozen=True, slots=True)
class Undecided:
    """Neither a bound that passes nor a witness: somebody has to look."""

    findings: tuple[Finding, ...]
    advice: Advice = field(default_factory=Advice)
    reason: str = ""


Plan: TypeAlias = Publish | Refuse | Undecided


def worst_of(plan: Plan) -> Finding:
    """The finding with the largest certified δ."""
    return max(plan.findings, key=lambda finding: (finding.delta.upper, finding.delta.lower))


def plan(
    figures: Sequence[Figure],
    history: History,
    question: Question,
    *,
    progress: Progress = lambda _what, _done, _of: None,
) -> Plan:
    """Judge the figures together with each other and with all that is already out.

    Persons in exactly the same published numbers form an atom; under independent records the release is at least as
    safe as its worst atom. An atom fails if its own numbers can be worked out from the published ones and reveal too
    much, or if a published number by itself does. Cost: one law for each different kind of atom.
    """
    together = (*history.figures, *figures)
    _check(together, question)
    atoms = atoms_of(together, question.frame)
    judge = Judge(
        question.columns,
        question.beliefs,
        question.frame,
        question.secret,
        question.target.epsilon,
        question.target.delta,
    )
    sizes, findings = entry_sizes(atoms), []
    for done, atom in enumerate(atoms):
        findings.append(_finding(atom, atoms, sizes, judge, question))
        progress("judging groups of people", done + 1, len(atoms))
    found = tuple(findings)
    if not any(finding.verdict == Verdict.FAIL for finding in found):
        failing = _failing_numbers(found, atoms, judge, question)
        again = {(failed.atom.entries, failed.atom.groups) for failed in failing}
        kept = (finding for finding in found if (finding.atom.entries, finding.atom.groups) not in again)
        found = (*kept, *failing)
    return _decided(found, question, lambda: _advice(figures, history, found, atoms, judge, progress))


FITTED = (
    "a belief was fitted to the confidential data, which makes every number heuristic; take it from a public source"
)


def _decided(found: tuple[Finding, ...], question: Question, advice: Callable[[], Advice]) -> Plan:
    if any(belief.fitted for belief in question.beliefs):
        return Undecided(tuple(replace(finding, verdict=Verdict.REVIEW) for finding in found), reason=FITTED)
    if any(finding.verdict == Verdict.FAIL for finding in found):
        return Refuse(found, advice())
    if all(finding.verdict == Verdict.PASS for finding in found):
        return Publish(found)
    reason = "no bound passes, and no combination of the figures is known to reveal too much"
    return Undecided(found, advice(), reason)


def _failing_numbers(
    found: Sequence[Finding],
    atoms: Sequence[Atom],
    judge: Judge,
    question: Question,
) -> tuple[Finding, ...]:
    """Published numbers that reveal too much by themselves, among those that cover an atom that does not pass."""
    entries = dict.fromkeys(
        entry for finding in found if finding.verdict != Verdict.PASS for entry in finding.atom.entries
    )
    failing = []
    for entry in entries:
        groups = tuple(group for atom in atoms if entry in atom.entries for group in atom.groups)
        whole = Atom((entry,), groups)
        # if the share holds in every group, the worst of a share of all might lie in one group: claim nothing of it
        known = 0 if question.attacker.in_every_group else known_in(whole, {entry: whole.size}, question)
        judged = judge.single(whole, entry.figure, known, alone=True)
        if judged.delta.certainly_above(question.target.delta):
            event = judge.witness(whole, entry.figure, known, alone=True)
            failing.append(
                Finding(whole, judged.delta, Verdict.FAIL, known, event, ((Fraction(1), entry),), judged.because)
            )
    return tuple(failing)


def _advice(
    figures: Sequence[Figure],
    history: History,
    found: Sequence[Finding],
    atoms: Sequence[Atom],
    judge: Judge,
    progress: Progress,
) -> Advice:
    """What would make the figures safe. Where numbers overlap, only noise on all of them will do."""
    if judge.epsilon == 0:
        return Advice(words="No noise reaches epsilon 0. Allow a positive epsilon, or leave figures out.")
    if history.figures:
        changes = shared_noise(judge, figures, atoms, history.figures)
        return Advice(changes, "" if changes else _taken_back(found, history))
    if any(len(atom.entries) > 1 for atom in atoms):
        words = "Or leave figures out, until no two of them differ by a small group."
        return Advice(shared_noise(judge, figures, atoms), words)
    remedies, none = [], []
    for place, figure in enumerate(figures):
        progress("looking for the least change of each figure", place, len(figures))
        mine = [finding for finding in found if finding.atom.entries[0].figure == figure]
        if any(finding.verdict != Verdict.PASS for finding in mine):
            cases = [Case(finding.atom, finding.known) for finding in mine]
            ways = [least_noise(judge, figure, cases), least_rounding(judge, figure, cases)]
            remedies += [way for way in ways if way is not None]
            none += [] if any(ways) else [figure.name]
    words = f"No noise and no rounding was found for {' and '.join(none)}: leave it out." if none else ""
    return Advice(tuple(remedies), words)


def _taken_back(found: Sequence[Finding], history: History) -> str:
    """What to do where figures that are already out stand in the way."""
    old = [finding for finding in found if finding.verdict != Verdict.PASS]
    alone = [finding for finding in old if all(entry.figure in history.figures for entry in finding.atom.entries)]
    names = " and ".join(dict.fromkeys(entry.figure.name for finding in alone for entry in finding.atom.entries))
    if alone:
        return (
            f"What is already out ({names}) does not meet this target by itself, and cannot be taken back: nothing "
            "that is added can mend that. Judge the new figures without it only if it concerns other people."
        )
    return (
        "What is already out cannot be taken back or changed, and beside exact figures noise hides nothing. Leave out "
        "the new figures that share some, but not all, of their people with it."
    )


def _check(figures: Sequence[Figure], question: Question) -> None:
    """What the specification's own checks say already, for callers from Python."""
    names = [figure.name for figure in figures]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Every figure needs a name of its own, but {name!r} is used twice. Rename one of them.")
    if not figures:
        raise InputError("A release needs at least one figure, but got none. Name a count, a sum or a mean.")
    if question.frame.size < 1:
        raise InputError("A release needs at least one person in the data, but the frame has none.")
    for figure in figures:
        _check_columns(figure, question)
    held = [belief.column for belief in question.beliefs]
    for belief in question.beliefs:
        if held.count(belief.column) > 1:
            raise InputError(f"There are two beliefs about {belief.column}. Keep one of them.")
        _check_belief(belief, question)


def _check_columns(figure: Figure, question: Question) -> None:
    public, private = frozenset(question.frame.columns), frozenset(question.columns)
    unknown = sorted(figure.where.columns - public - private) + sorted(frozenset(figure.by) - public)
    if figure.column is not None and figure.column not in private:
        unknown.append(figure.column)
    if unknown:
        raise InputError(
            f"Figure {figure.name} uses {unknown[0]}, which is neither a public column of the frame nor (where that is "
            "allowed) a confidential one. Declare it."
        )


def _check_belief(belief: ColumnBelief, question: Question) -> None:
    column = question.columns.get(belief.column)
    if column is None:
        raise InputError(f"There is a belief about {belief.column}, which is not a confidential column. Declare it.")
    domain = frozenset(map(same_value, column.values))
    for marginal in belief.table.values():
        if any(chance < 0 for _, chance in marginal) or sum((chance for _, chance in marginal), Fraction(0)) != 1:
            raise InputError(f"The belief about {belief.column} needs probabilities that sum to 1. Correct them.")
        if any(same_value(value) not in domain for value, chance in marginal if chance):
            raise InputError(f"The belief about {belief.column} has a value outside the column's domain. Correct it.")


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


def entry_sizes(atoms: Sequence[Atom]) -> dict[Entry, int]:
    """How many persons each published number covers."""
    sizes: dict[Entry, int] = {}
    for atom in atoms:
        for entry in atom.entries:
            sizes[entry] = sizes.get(entry, 0) + atom.size
    return sizes


def _finding(
    atom: Atom, atoms: Sequence[Atom], sizes: Mapping[Entry, int], judge: Judge, question: Question
) -> Finding:
    known, target, alone = known_in(atom, sizes, question), question.target, _alone(atom, atoms)
    judged = judge.atom(atom, known, alone=alone)
    if judged.delta.certainly_at_most(target.delta):
        # a lower bound is only one for the release if the atom's number is published by itself
        delta = judged.delta if alone else Bracket(0.0, judged.delta.upper)
        return Finding(atom, delta, Verdict.PASS, known, because=judged.because)
    public = frozenset(question.frame.columns)
    for entry, single in _singles(atom, atoms, judge, known, question):
        combination = revealing(atom, atoms, entry.figure, public)
        if combination and single.delta.certainly_above(target.delta):
            delta = Bracket(min(single.delta.lower, judged.delta.upper), judged.delta.upper)
            event = judge.witness(atom, entry.figure, known, alone=alone)
            return Finding(atom, delta, Verdict.FAIL, known, event, _weighed(combination, sizes), single.because)
    return Finding(atom, Bracket(0.0, judged.delta.upper), Verdict.REVIEW, known, because=judged.because)


def _weighed(combination: Combination, sizes: Mapping[Entry, int]) -> Combination:
    """The combination of published numbers, where that of totals is given: a mean counts as often as it has persons."""
    return tuple(
        (weight * (sizes[entry] if entry.figure.kind == "mean" else 1), entry) for weight, entry in combination
    )


def _alone(atom: Atom, atoms: Sequence[Atom]) -> bool:
    """Whether the atom's only number covers nobody else, so that its rounding is its own."""
    return len(atom.entries) == 1 and not any(other is not atom and atom.entries[0] in other.entries for other in atoms)


def _singles(
    atom: Atom,
    atoms: Sequence[Atom],
    judge: Judge,
    known: int,
    question: Question,
) -> Iterator[tuple[Entry, Judgement]]:
    """Each quantity that is published about the atom, judged by itself."""
    seen = set()
    for entry in atom.entries:
        key = quantity(entry.figure, frozenset(question.frame.columns))
        if key not in seen:
            seen.add(key)
            yield entry, judge.single(atom, entry.figure, known, alone=_alone(atom, atoms))


def largest_known(published: Publish, question: Question) -> int | None:
    """The largest number of known records at which every atom still passes, wherever the known ones are; certified
    as returned.

    Found on the worst atoms by bisection, then checked on all and lowered until it holds.
    """
    if question.frame.size < 2:
        return None
    epsilon, delta = question.target.epsilon, question.target.delta
    judge = Judge(question.columns, question.beliefs, question.frame, question.secret, epsilon, delta)
    atoms = [finding.atom for finding in published.findings]
    order = sorted(published.findings, key=lambda finding: -finding.delta.upper)
    worst = {
        id(finding.atom) for finding in [*order[:2], min(published.findings, key=lambda finding: finding.atom.size)]
    }

    def most(known: int, some: Sequence[Atom]) -> float:
        return max(judge.atom(atom, min(atom.size - 1, known), alone=_alone(atom, atoms)).delta.upper for atom in some)

    few = [atom for atom in atoms if id(atom) in worst]
    largest = last_below(lambda known: most(known, few), delta, question.frame.size - 1)
    if largest is None or most(largest, atoms) <= delta:
        return largest
    return last_below(lambda known: most(known, atoms), delta, largest)
