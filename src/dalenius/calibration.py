"""The least change that makes a figure safe: noise by bisection, rounding by a scanned ladder."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import final

from dalenius.errors import InputError
from dalenius.figures import Figure
from dalenius.history import Atom
from dalenius.judgement import Judge
from dalenius.mechanisms import Chain, Rounded, TwoSidedGeometric
from dalenius.secret import wide

LADDER = (2, 3, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
COARSEST = 10  # a base of more than a tenth of what a group can add up to says nothing any more
CLOSE = Fraction(101, 100)


@final
@dataclass(frozen=True, slots=True)
class Remedy:
    """A certified change of one figure, as a line of its specification, and what it does to the published value."""

    figure: str
    channel: Chain
    line: str
    error: str

    def __str__(self) -> str:
        return f"{self.figure}: add {self.line} ({self.error})"


def _noise(judge: Judge, figure: Figure, scale: Fraction, people: int) -> Remedy:
    x = math.exp(-1 / float(scale))
    size = float(f"{2 * x / (1 - x * x) * _worth(judge, figure, people):.3g}")
    short = _short(scale)
    line = f"noise: {{geometric: {short}}}"
    return Remedy(
        figure.name, Chain((TwoSidedGeometric(Fraction(short)),)), line, f"the figure is then off by about {size:,.15g}"
    )


def _short(scale: Fraction) -> str:
    """The scale as a number of at most four digits that is not below it; more noise of this kind is never less safe."""
    power = Fraction(10) ** (math.floor(math.log10(float(scale))) - 3)
    up = math.ceil(scale / power) * power
    return f"{(Decimal(up.numerator) / Decimal(up.denominator)).normalize():f}"


def _rounding(judge: Judge, figure: Figure, base: int, people: int) -> Remedy:
    size = float(f"{base / 2 * _worth(judge, figure, people):.3g}")
    return Remedy(
        figure.name, Chain((Rounded(base),)), f"round: {base}", f"the figure is then off by at most {size:,.15g}"
    )


def _worth(judge: Judge, figure: Figure, people: int) -> float:
    """What one step of the total is worth in the published value."""
    return float(figure.unit(judge.columns)) / (people if figure.kind == "mean" else 1)


@final
@dataclass(frozen=True, slots=True)
class Case:
    """One atom of a figure, and how many of its records the attacker knows."""

    atom: Atom
    known: int


def _most(judge: Judge, figure: Figure, cases: Sequence[Case], channel: Chain) -> float:
    """The largest certified delta of all cases with this channel; what is too large to compute is 1."""
    changed = replace(figure, channel=channel)
    most = 0.0
    try:
        for case in cases:
            most = max(most, judge.single(case.atom, changed, case.known, alone=True).delta.upper)
            if most > judge.enough:
                break
    except InputError:
        return 1.0
    return most


def largest_move(judge: Judge, figure: Figure, atom: Atom) -> int:
    """How far one person can move the figure, in units."""
    ends = [vector[0] for vector in judge.kind(atom, [figure]).domain if vector]
    if not ends:
        return 0
    return max(abs(end) for end in ends) if judge.presence else max(ends) - min(ends)


def least_noise(judge: Judge, figure: Figure, cases: Sequence[Case]) -> Remedy | None:
    """Two-sided geometric noise of the least scale (to 1 %) that makes every case safe; None if epsilon is 0.

    More of this noise is less of it plus independent noise, so bisection finds it. It never needs to exceed what
    differential privacy needs, one person's move divided by epsilon. The worst cases are bisected, the answer is
    checked on all.
    """
    move = largest_move(judge, figure, cases[0].atom)
    if judge.epsilon == 0 or move == 0:
        return None
    enough = Fraction(move) / judge.epsilon
    worst = sorted(cases, key=lambda case: -judge.single(case.atom, figure, case.known, alone=True).delta.upper)[:3]

    def most(scale: Fraction, some: Sequence[Case]) -> float:
        return _most(judge, figure, some, Chain((TwoSidedGeometric(scale),)))

    scale = _least(lambda at: most(at, worst), judge.enough, enough / 1000, enough)
    if most(scale, cases) > judge.enough:
        scale = _least(lambda at: most(at, cases), judge.enough, scale, enough)
    return _noise(judge, figure, scale, min(case.atom.size for case in cases))


def _least(most: Callable[[Fraction], float], wanted: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """The least scale within 1 % at which `most` is at most what is wanted, with three digits, given that `high` will
    do: false position on logarithms, with a bisection every third time.
    """
    below, above, turn = -1.0, 1.0, 0  # log of most / wanted at the two ends, as far as known
    while high > low * CLOSE:
        share, turn = (0.5 if turn % 3 == 0 else min(max(above / (above - below), 0.02), 0.98)), turn + 1
        middle = Fraction(float(low) * (float(high) / float(low)) ** share)
        found = most(middle)
        distance = math.log(max(found, 1e-300)) - math.log(max(float(wanted), 1e-300))
        if found <= wanted:
            high, below = middle, min(distance, -1e-9)
        else:
            low, above = middle, max(distance, 1e-9)
    return _three_digits(high, lambda at: most(at) <= wanted)


def _three_digits(scale: Fraction, holds: Callable[[Fraction], bool]) -> Fraction:
    """A short number just above the scale, if it holds there too (it does unless the arithmetic is at its limit)."""
    power = Fraction(10) ** (math.floor(math.log10(float(scale))) - 2)
    short = math.ceil(scale / power) * power
    return short if holds(short) else scale


def least_rounding(
    judge: Judge, figure: Figure, cases: Sequence[Case], ladder: Sequence[int] = LADDER
) -> Remedy | None:
    """The smallest base of the ladder that makes every case safe. Coarser may leak more, so each is certified by
    itself. Columns of very many values are not tried: every place between two multiples would have to be judged with
    every move.
    """
    if wide([vector[0] for vector in judge.kind(cases[0].atom, [figure]).domain if vector]):
        return None
    largest = min(case.atom.size for case in cases) * max(1, largest_move(judge, figure, cases[0].atom)) // COARSEST
    for base in (base for base in ladder if base <= largest):
        if _most(judge, figure, cases, Chain((Rounded(base),))) <= judge.enough:
            return _rounding(judge, figure, base, min(case.atom.size for case in cases))
    return None


def shared_noise(
    judge: Judge, figures: Sequence[Figure], atoms: Sequence[Atom], before: Sequence[Figure] = ()
) -> tuple[Remedy, ...]:
    """Noise for every figure, where figures overlap: epsilon, less what noisy figures spent that are already out, is
    shared equally among the figures that cover one person. None if an exact figure is already out.
    """
    spent = judge.pure(before)
    left = judge.epsilon - spent if isinstance(spent, Fraction) else Fraction(0)
    if left <= 0:
        return ()
    most = max(sum(entry.figure in figures for entry in atom.entries) for atom in atoms)
    found = []
    for figure in figures:
        move = largest_move(judge, figure, atoms[0])
        if move:
            found.append(_noise(judge, figure, Fraction(move * most) / left, min(atom.size for atom in atoms)))
    return tuple(found)
