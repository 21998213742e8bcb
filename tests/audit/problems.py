"""Random small tables as somebody published them: two and three ways, margins, nested levels, hidden cells, rounding,
rules that are known or not; and cells, sums and differences that are asked about.
"""

from fractions import Fraction
from itertools import product
from random import Random

from dalenius.audit.problem import Problem, Sought, Statement, Unknown

SHAPES = ((2, 2), (2, 3), (3, 3), (2, 2, 2), (2, 4), (1, 4))
MOST = 9


def random_problem(random: Random) -> Problem:
    """A table of people, what is published of it, and what is asked. It fits its own table, so nothing contradicts."""
    shape = random.choice(SHAPES)
    cells = list(product(*map(range, shape)))
    people = dict.fromkeys(cells, 0)
    for _ in range(random.randint(1, MOST)):
        people[random.choice(cells)] += 1
    rule = random.choice((None, (1, 2), (1, 3), (0, 2)))
    base = random.choice((0, 0, 0, 3, 5))
    groups = _groups(random, shape)
    statements, hidden = [Statement(_terms(cells, cells), 0, MOST, "there are few")], []
    for name, inside in groups:
        count = sum(people[cell] for cell in inside)
        terms = _terms(cells, inside)
        within = rule is None or rule[0] <= count <= rule[1]
        if within and random.random() < 0.6:
            hidden.append(Sought(name, terms))
            if rule is not None:
                statements.append(Statement(terms, *rule, f"{name} is hidden"))
        elif base:
            middle = base * ((count + base // 2) // base)
            slack = Fraction(base, 2)
            statements.append(Statement(terms, middle - slack, middle + slack, f"{name} is about {middle}"))
        else:
            statements.append(Statement(terms, count, count, f"{name} is {count}"))
    targets = hidden[:6]
    if len(cells) > 1:
        one, other = random.sample(range(len(cells)), 2)
        targets.append(Sought("a difference", ((one, 1), (other, -1))))
    unknowns = tuple(Unknown(str(cell)) for cell in cells)
    return Problem(unknowns, tuple(statements), tuple(targets))


def _groups(random: Random, shape: tuple[int, ...]) -> list[tuple[str, list[tuple[int, ...]]]]:
    """Cells, margins, and where a variable has three labels or more, two of them as one coarser label."""
    labels: list[list[tuple[str, tuple[int, ...]]]] = []
    for size in shape:
        own = [(str(label), (label,)) for label in range(size)]
        own.append(("all", tuple(range(size))))
        if size > 2 and random.random() < 0.7:
            own.append(("0 or 1", (0, 1)))
        labels.append(own)
    kept = [each for each in product(*labels) if random.random() < 0.85]
    return [(" and ".join(name for name, _ in each), list(product(*(inside for _, inside in each)))) for each in kept]


def _terms(cells: list[tuple[int, ...]], inside: list[tuple[int, ...]]) -> tuple[tuple[int, int], ...]:
    return tuple((cells.index(cell), 1) for cell in inside)
