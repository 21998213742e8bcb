"""Records that move together: everybody lives in a household of one size, whose members all have the same values.

Then every figure is that size times the figure of one member of each household. An exact figure tells exactly as much
as the same figure of so many fewer people would, however many figures there are; the attacker's known records are, at
worst, in different households. So groups are divided, and judged as exact: for noisy and rounded figures that
is a bound (they are functions of the exact ones), and where a noisy figure stands by itself `Blocks` judges it sharply.
Households share their public values; what does not fill a household is left out. Whether a whole household is in the
data is another secret than whether a person is, so presence is not judged here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from dalenius.basics.errors import InputError
from dalenius.beliefs.blocks import Blocks
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Label
from dalenius.facts.secret import Facts
from dalenius.facts.statistics import Sum
from dalenius.judge.group import Laws
from dalenius.mechanisms import Chain
from dalenius.plan.margins.case import ANYTHING, NOTHING, Case
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Entry

EXACT = Chain(())
Joint: TypeAlias = Mapping[tuple[Label | Fraction, ...], float | str | Fraction]


def household_delta(case: Case, size: int, epsilon: Fraction | None = None) -> Bracket:
    """The worst δ of all atoms if everybody lives in a household of this size; 1 where a group has not even two of
    them.
    """
    if case.docket.presence:
        raise InputError(
            "Households are judged for the value of a record, but presence is secret: that a person is absent tells "
            "about the household. Hide the value instead."
        )
    at = case.question.target.epsilon if epsilon is None else epsilon
    docket, worst = case.docket.at(at), NOTHING
    try:
        for atom, known, alone in zip(case.atoms, case.known, case.alone, strict=True):
            found = _atom_delta(docket, atom, known, size, alone=alone)
            worst = worst.join(found if alone else Bracket(0.0, found.upper))
    except InputError:
        return ANYTHING
    return worst


def _atom_delta(docket: Docket, atom: Atom, known: int, size: int, *, alone: bool) -> Bracket:
    groups = tuple((cell, count // size) for cell, count in atom.groups if count // size)
    entries = tuple(Entry(replace(entry.figure, channel=EXACT), entry.cell) for entry in atom.entries)
    fewer = Atom(entries, groups)
    if not fewer.size:
        return ANYTHING
    whole = docket.atom(fewer, min(known, fewer.size - 1), alone=alone).delta
    figures = [entry.figure for entry in atom.entries]
    if all(figure.channel.exact for figure in figures):
        return whole
    sharper = _blocks(docket, fewer, figures, known, size)
    upper = whole.upper if sharper is None else min(whole.upper, sharper.upper)
    return Bracket(min(upper, sharper.lower) if sharper is not None else 0.0, upper)


def _blocks(docket: Docket, fewer: Atom, figures: Sequence[Figure], known: int, size: int) -> Bracket | None:
    """One noisy figure by itself, with its noise; None where that is not to be had."""
    figure = figures[0]
    kind = docket.laws(fewer, [figure])
    if len(figures) > 1 or figure.channel.folds or not _plain(kind):
        return None
    adds = [vector[0] for vector in kind.domain]
    blocks: list[tuple[Joint, int]] = [
        ({(vector[0],) * size: chance for vector, chance in law.items()}, count)
        for law, count in zip(kind.laws, kind.counts, strict=True)
    ]
    try:
        belief = Blocks(blocks, known=min(known, size * sum(kind.counts) - 1), domain=adds)
        facts = Facts.of(docket.secret, adds)
        return belief.curve(Sum(), facts, figure.channel, known=belief.known, enough=docket.enough).delta(
            docket.epsilon
        )
    except InputError:
        return None


def _plain(kind: Laws) -> bool:
    """Whether laws are known, and everybody may have every value of the domain: `Blocks` compares only possible
    ones.
    """
    return bool(kind.domain[0]) and not kind.least and all(set(law) == set(kind.domain) for law in kind.laws)
