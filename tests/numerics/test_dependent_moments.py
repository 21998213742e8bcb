"""Dependent records: the repaired bound by Stein's method, the sharper one for blocks, and what is refused."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dalenius.basics.errors import InputError, PreconditionError
from dalenius.claims import Verdict
from dalenius.judge.thresholds import threshold_curve, threshold_guarantee
from dalenius.numerics.dependent_moments import BlockMoments, GraphMoments

F = Fraction
GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))
PAIRS = GOLDEN["T3_blocks"]["n=1e6, equal pairs of +-1"]


def near(found: float, golden: float) -> bool:
    return golden * (1 - 1e-13) <= found <= golden * (1 + 1e-12)


def test_equal_pairs_golden() -> None:
    """A million signs in equal pairs: by Stein's method, and as blocks."""
    n = 10**6
    assert near(GraphMoments(n, 2, F(2 * n), F(n), F(n)).distance, PAIRS["dK_stein_sqrt8"])
    assert near(BlockMoments(n // 2, 2, F(2 * n), F(n)).distance, PAIRS["dK_blocks_moment"])


def moving_average(n: int) -> dict[int, Fraction]:
    """The law of Σ (e_j + e_(j+1)) over a ring of n fair signs e: each depends on its two neighbours."""
    law: dict[int, Fraction] = {}
    for signs in itertools.product((-1, 1), repeat=n):
        total = sum(signs[j] + signs[(j + 1) % n] for j in range(n))
        law[total] = law.get(total, F(0)) + F(1, 2**n)
    return law


def kolmogorov(law: dict[int, Fraction], variance: float) -> float:
    worst, below = 0.0, 0.0
    for at in sorted(law):
        normal = 0.5 * math.erfc(-at / math.sqrt(2 * variance))
        worst = max(worst, abs(normal - below), abs(normal - below - float(law[at])))
        below += float(law[at])
    return worst


@pytest.mark.parametrize("n", [6, 10])
def test_the_graph_bound_covers_a_moving_average(n: int) -> None:
    """E|X|³ = 4, E X⁴ = 8, three neighbours, and the sum is twice the sum of the signs."""
    moments = GraphMoments(n, 3, F(4 * n), F(4 * n), F(8 * n))
    assert kolmogorov(moving_average(n), 4 * n) <= moments.distance


def test_the_printed_theorem_is_refuted_and_its_pairs_are_no_graph() -> None:
    """X_(2m-1) = e_m, X_2m = s e_m with one common sign s: each record is independent of all outside its pair, but
    pairs are not of each other. The sum is 0 with probability near 1/2, and the printed bound goes to 0.
    """
    for n, golden in ((10**8, "n=100000000"), (10**9, "n=1000000000")):
        case = GOLDEN["gk_thm3_def4_counterexample"][golden]
        atom = math.exp(math.lgamma(n // 2 + 1) - 2 * math.lgamma(n // 4 + 1) - n / 2 * math.log(2))  # P(Σe = 0)
        # B = (-∞, 0] for s = -1 surely, else by symmetry; adding 1 empties the first part
        at_most_0 = 0.5 + 0.5 * (0.5 + atom / 2)
        at_most_minus_1 = 0.5 * (0.5 - atom / 2)
        needed = at_most_0 - math.exp(case["eps"]) * at_most_minus_1
        assert needed == pytest.approx(case["needed_delta_halfline"], rel=1e-6)
        assert needed > case["delta_thm3"]
    # as a dependency graph all records are joined: nothing is claimed of them
    n = 10**4
    assert GraphMoments(n, n, F(n), F(n), F(n)).distance == 1


def test_pairs_of_pairs_depend_though_records_do_not() -> None:
    """The hypothesis of the printed theorem holds for the counterexample, by enumeration; that of a graph does not."""
    worlds = [(e[0], s * e[0], e[1], s * e[1]) for s in (-1, 1) for e in itertools.product((-1, 1), repeat=2)]

    def chance(**fixed: int) -> Fraction:
        hits = [row for row in worlds if all(row[int(place[1:])] == value for place, value in fixed.items())]
        return F(len(hits), len(worlds))

    for a, b, c in itertools.product((-1, 1), repeat=3):
        assert chance(x0=a, x2=b, x3=c) == chance(x0=a) * chance(x2=b, x3=c)
        assert chance(x1=a, x2=b, x3=c) == chance(x1=a) * chance(x2=b, x3=c)
    assert chance(x0=1, x1=1, x2=1, x3=-1) == 0 != chance(x0=1, x1=1) * chance(x2=1, x3=-1)


def test_a_graph_hides_constants_only() -> None:
    graph = GraphMoments(10**8, 3, F(4 * 10**8), F(4 * 10**8), F(8 * 10**8))
    with pytest.raises(PreconditionError, match=r"only a constant can be hidden.*a record's value.*BlockMoments"):
        threshold_guarantee(graph, shift=1, events="intervals", epsilon=0.1)
    found = threshold_guarantee(graph, shift=1, events="intervals", epsilon=0.1, delta=0.5, hides="an added constant")
    assert found.verdict is Verdict.REVIEW
    assert found.delta.upper < 0.2
    for words in ("independent, as sets", "a constant that is added", "Theorem 3 (repaired", "intervals"):
        assert words in str(found)
    with pytest.raises(PreconditionError, match="parity"):
        threshold_curve(graph, shift=1, events="all events")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="hides must be"):
        threshold_guarantee(graph, shift=1, events=2, epsilon=1, hides="everything")  # type: ignore[arg-type]


def test_blocks_hide_a_record_by_the_range_of_its_block() -> None:
    blocks = BlockMoments(500_000, 2, F(2 * 10**6), F(10**6))
    found = threshold_guarantee(blocks, shift=4, events="half-lines", epsilon=0.1, delta=0.01)
    assert found.delta.upper < 0.002
    for words in ("range of what the target's block adds", "every block with a known record", "0.56"):
        assert words in str(found)


def test_the_block_bound_covers_equal_pairs() -> None:
    """12 signs in 6 equal pairs: twice a sum of 6 signs."""
    law: dict[int, Fraction] = {}
    for signs in itertools.product((-2, 2), repeat=6):
        law[sum(signs)] = law.get(sum(signs), F(0)) + F(1, 64)
    assert kolmogorov(law, 24) <= BlockMoments(6, 2, F(24), F(12)).distance


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0, 1, 1, 1, 1), "at least one record"),
        ((10, 0, 1, 1, 1), "1 to n neighbours"),
        ((10, 11, 1, 1, 1), "10 records and 11"),
        ((10, 2, 0, 1, 1), "variance must be above 0, but got 0"),
        ((10, 2, 1, -1, 1), "third must be above 0"),
        ((10, 2, 1, 1, math.nan), "fourth must be a finite number, but got nan"),
        ((10, 2, 1, 100, 1), r"\(Σ E\|X\|³\)⁴ ≤ n \(Σ E X⁴\)³ always, but got third 100"),
        ((10, 2, 1000, 10, 10), "Var³ ≤ D³ n"),
    ],
)
def test_impossible_graphs_are_refused(numbers: tuple[Any, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        GraphMoments(*numbers)


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((0, 2, 1, 1), "got 0 blocks of 2"),
        ((5, -1, 1, 1), "got 5 blocks of -1"),
        ((5, 2, 1000, 1), "Σ E|X|³ ≥"),
        ((5, 2, "x", 1), "variance must be a finite number, but got 'x'"),
    ],
)
def test_impossible_blocks_are_refused(numbers: tuple[Any, ...], said: str) -> None:
    with pytest.raises(InputError, match=said.replace("|", r"\|").replace("³ ≥", "³ ≥")):
        BlockMoments(*numbers)
