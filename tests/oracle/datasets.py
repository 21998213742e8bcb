"""Noiseless privacy by listing every dataset: slow, literal, and sharing nothing clever.

It has its own e^epsilon (a Taylor series in Fractions) and its own hockey stick, so that
it checks the ball arithmetic as well. For at most about four records.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from flint import arb

from .balls import ball, between, precise, upper
from .laws import BallLaw
from .noiseless import ABSENT, Case, Problem, Worst

Dataset = tuple[Any, ...]
Masses = dict[Any, Fraction]


def by_datasets(problem: Problem, epsilon: Fraction) -> Worst:
    """The same number as `worst_delta`, from P(output | X_i = a, known = z) literally."""
    low, high = exponential_bracket(epsilon)
    found = []
    for case, p, q in _conditional_laws(problem):
        slack = _slack(problem, high, len(p) + len(q))
        found.append((_excess(p, q, high) - slack, _excess(p, q, low) + slack, case))
    if not found:
        raise ValueError("there is no attack to try: too many known records or a tiny domain")
    bottom = max(Fraction(0), *(below for below, _, _ in found))
    _, top, case = max(found, key=lambda item: item[1])
    return Worst(_ball_between(bottom, top), case)


def _conditional_laws(problem: Problem) -> Iterator[tuple[Case, Masses, Masses]]:
    """For every attack the law of the output in both worlds."""
    for person in problem.persons:
        joint = list(_datasets(problem, person))
        others = [j for j in range(len(problem.marginals)) if j != person]
        for known in itertools.combinations(others, problem.known):
            seen = {tuple(data[j] for j in known) for data, mass in joint if mass > 0}
            for values, pair in itertools.product(seen, _pairs(problem)):
                facts = [{person: x, **dict(zip(known, values, strict=True))} for x in pair]
                p, q = (_given(problem, joint, fact) for fact in facts)
                yield Case(person, known, values, pair), p, q


def _pairs(problem: Problem) -> list[tuple[Any, Any]]:
    """Two values, or a value and absence, or both, in every order."""
    choices = [*problem.domain, ABSENT]
    compared = {"value": {False}, "presence only": {True}, "presence": {False, True}}[problem.secret]
    return [(a, b) for a, b in itertools.product(choices, repeat=2) if a != b and (ABSENT in (a, b)) in compared]


def _datasets(problem: Problem, person: int) -> Iterator[tuple[Dataset, Fraction]]:
    """Every dataset with its probability.

    The target's own law cannot matter once we condition on its value, so it is uniform on
    the domain and absence: every secret then has positive probability.
    """
    choices = [*problem.domain, ABSENT]
    laws = [dict(law) for law in problem.marginals]
    laws[person] = {x: Fraction(1, len(choices)) for x in choices}
    for rows in itertools.product(*(law.items() for law in laws)):
        mass = Fraction(1)
        for _, each in rows:
            mass *= each
        yield tuple(value for value, _ in rows), mass


def _given(problem: Problem, joint: list[tuple[Dataset, Fraction]], facts: dict[int, Any]) -> Masses:
    """P(output | facts) by adding up the datasets that agree with the facts."""
    output: Masses = defaultdict(Fraction)
    condition = Fraction(0)
    for data, mass in joint:
        if all(data[j] == value for j, value in facts.items()):
            condition += mass
            for published, chance in _published(problem, data).items():
                output[published] += mass * chance
    return {published: mass / condition for published, mass in output.items()}


def _published(problem: Problem, data: Dataset) -> Masses:
    """The law of the output for one dataset."""
    figure = _figure(problem, data)
    if isinstance(problem.channel, BallLaw):
        return {figure + k: upper(mass) for k, mass in problem.channel.masses.items()}
    published = problem.channel(figure)
    return published if isinstance(published, dict) else {published: Fraction(1)}


def _figure(problem: Problem, data: Dataset) -> Any:
    """The sum of the contributions of everybody who is present."""
    rows = [problem.contribution(value) for value in data if value != ABSENT]
    if isinstance(problem.zero, tuple):
        return tuple(sum(column) for column in zip(problem.zero, *rows, strict=True))
    return sum(rows)


def _excess(p: Masses, q: Masses, alpha: Fraction) -> Fraction:
    """The sum of max(0, P - alpha Q)."""
    zero = Fraction(0)
    return sum((max(zero, mass - alpha * q.get(k, zero)) for k, mass in p.items()), zero)


def _slack(problem: Problem, alpha: Fraction, outcomes: int) -> Fraction:
    """How far noise masses, rounded up and cut off, can move the sum."""
    if not isinstance(problem.channel, BallLaw):
        return Fraction(0)
    radius = max(upper(mass.rad()) for mass in problem.channel.masses.values())
    each = 2 * radius + upper(problem.channel.missing)
    return (1 + alpha) * outcomes * each


def exponential_bracket(number: Fraction, digits: int = 70) -> tuple[Fraction, Fraction]:
    """Rationals just below and above e^number, for number >= 0, from the Taylor series.

    After the term t_k with k > 2 number the rest is at most 2 t_k; all terms are positive.
    """
    if number == 0:
        return Fraction(1), Fraction(1)
    term, series, k = Fraction(1), Fraction(1), 0
    while k <= 2 * number or term > Fraction(1, 10**digits):
        k += 1
        term = term * number / k
        series += term
    scale = 10 ** (digits + 5)
    low, high = int(series * scale), int((series + 2 * term) * scale) + 1
    return Fraction(low, scale), Fraction(high, scale)


@precise
def _ball_between(low: Fraction, high: Fraction) -> arb:
    return between(ball(low), ball(high))
