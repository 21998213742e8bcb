"""How each group of people fares: a bound that passes, a witness that fails, or neither."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import final

from dalenius.beliefs.belief import known_records
from dalenius.guarantees import Verdict, Witness
from dalenius.history import Atom, Combination, Entry, quantity, revealing
from dalenius.judgement import Judge, Judgement
from dalenius.numerics.bracket import Bracket
from dalenius.planning.question import Question
from dalenius.records import exact


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


def judged_atom(
    atom: Atom, atoms: Sequence[Atom], sizes: Mapping[Entry, int], judge: Judge, question: Question
) -> Finding:
    """The atom passes by a bound on all its numbers, or fails by one that can be worked out and tells too much."""
    known, target, alone = known_in(atom, sizes, question), question.target, stands_alone(atom, atoms)
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


def stands_alone(atom: Atom, atoms: Sequence[Atom]) -> bool:
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
            yield entry, judge.single(atom, entry.figure, known, alone=stands_alone(atom, atoms))


def failing_numbers(
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
