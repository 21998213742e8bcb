"""The oracle reproduces golden values that were computed elsewhere."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import arb

from oracle import balls, binomial, noise
from oracle import laws as lw
from oracle.noiseless import Problem, pairs_of_worlds, worst_delta

pytestmark = pytest.mark.slow

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))


def parse(case: str) -> dict[str, Fraction]:
    """Read "n=100,p=0.5,eps=0.1"."""
    return {k: Fraction(v) for k, v in (item.split("=") for item in case.split(","))}


def agrees(value: arb, golden: float, *, absolute: float = 0.0) -> bool:
    """Whether a double computed elsewhere is the oracle's number to nine digits."""
    low, high = float(balls.lower(value)), float(balls.upper(value))
    assert high - low <= max(1e-15 * high, absolute)
    return math.isclose(high, golden, rel_tol=1e-9, abs_tol=absolute)


def bernoullis(rates: list[float]) -> list[lw.Law]:
    """Yes/no records with declared decimal rates."""
    return [lw.bernoulli(Fraction(str(p))) for p in rates]


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN["gk_thm1_exact_binomial"])
def test_exact_binomial(case: str) -> None:
    golden, given = GOLDEN["gk_thm1_exact_binomial"][case], parse(case)
    n, p, epsilon = int(given["n"]), given["p"], given["eps"]
    law = lw.binomial(n, p)
    others = {
        "S+1": lw.shift(law, 1),
        "S-rec": lw.binomial(n - 1, p),
        "S+iid": lw.binomial(n + 1, p),
    }
    for name, other in others.items():
        assert agrees(lw.hockey_stick(law, other, epsilon), golden[f"S||{name}"])
        assert agrees(lw.hockey_stick(other, law, epsilon), golden[f"{name}||S"])
    ways = [binomial.shift_profile, binomial.closed_form_profile]
    for first, second in (way(n, p, epsilon) for way in ways):
        assert agrees(first, golden["S||S+1"])
        assert agrees(second, golden["S+1||S"])


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN["gk_thm1_exact_eps"])
def test_exact_epsilon(case: str) -> None:
    golden, given = GOLDEN["gk_thm1_exact_eps"][case], parse(case)
    law = lw.binomial(int(given["n"]), given["p"])
    assert agrees(lw.curve_epsilon(law, lw.shift(law, 1), given["delta"]), golden)


def test_exact_sum_of_three_types_of_records() -> None:
    (golden,) = GOLDEN["T1_T2"].values()
    types = [(30, ["0.7", "0.3"]), (20, ["0.5", "0.25", "0.25"]), (5, ["0.1", "0", "0.9"])]
    laws = [lw.power(dict(enumerate(map(Fraction, masses))), n) for n, masses in types]
    law = lw.sum_of(laws)
    for epsilon, delta in golden["exact"].items():
        assert agrees(lw.both_ways(law, lw.shift(law, 1), Fraction(epsilon)), delta)


def test_overlap_bound_of_three_types_of_records() -> None:
    (golden,) = GOLDEN["T1_T2"].values()
    counts = zip((30, 20, 5), golden["overlaps"], strict=True)
    active = lw.sum_of([lw.binomial(n, Fraction(str(u))) for n, u in counts])
    for epsilon, delta in golden["t2"].items():
        bound = overlap_bound(active, Fraction(epsilon))
        assert agrees(bound, delta)


@balls.precise
def overlap_bound(active: lw.Law, epsilon: Fraction) -> arb:
    """The mean over K of the profile of Bin(K, 1/2)."""
    half = Fraction(1, 2)
    return balls.total(balls.ball(mass) * binomial.shift_profile(k, half, epsilon)[0] for k, mass in active.items())


@pytest.mark.parametrize("case", GOLDEN["Obs1_worst_subset"])
def test_worst_known_subset(case: str) -> None:
    golden = GOLDEN["Obs1_worst_subset"][case]
    listed, known = case.removeprefix("ps=").split(",g=")
    rates = json.loads(listed)
    target = len(rates)
    records = [*bernoullis(rates), lw.bernoulli(Fraction(1, 2))]
    problem = Problem(records, known=int(known.split(",")[0]), targets=[target])
    worst = worst_delta(problem, Fraction(1, 2))
    assert agrees(worst.delta, golden["exact_worst"])
    assert worst.case.known == tuple(golden["subset"])
    if problem.known == 0:
        overlaps = [2 * min(p, 1 - p) for p in map(Fraction, map(str, rates))]
        active = lw.sum_of([lw.bernoulli(u) for u in overlaps])
        assert agrees(overlap_bound(active, Fraction(1, 2)), golden["t2"])


def test_the_record_of_greatest_variance_is_not_the_worst_to_know() -> None:
    (golden,) = GOLDEN["Obs1_greatest_variance_counterexample"].values()
    records = [*bernoullis(golden["ps"]), lw.bernoulli(Fraction(1, 2))]
    epsilon = Fraction(str(golden["eps"]))
    found: dict[int, list[arb]] = {0: [], 1: [], 2: []}
    for case, p, q in pairs_of_worlds(Problem(records, known=1, targets=[3])):
        found[case.known[0]].append(lw.hockey_stick(p, q, epsilon))
    for index, delta in enumerate(golden["delta_by_known_index"]):
        assert agrees(balls.largest(found[index]), delta)
    assert golden["greatest_variance_index"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("case", GOLDEN["T6_exact_lattice_plus_noise"]["values"])
def test_exact_count_plus_noise(case: str) -> None:
    golden, given = GOLDEN["T6_exact_lattice_plus_noise"]["values"][case], parse(case)
    law = lw.binomial(int(given["n"]), given["p"])
    assert agrees(lw.both_ways(law, lw.shift(law, 1), given["eps"]), golden["none"])
    for name, value in golden.items():
        if "=" not in name or name.startswith("GK"):
            continue
        kind, scale = name.split("=")
        added = (
            noise.two_sided_geometric(1 / Fraction(scale))
            if kind == "dlap_b"
            else noise.discrete_gaussian(Fraction(scale) ** 2)
        )
        noisy = noise.add_noise(law, added)
        delta = lw.both_ways(noisy, noise.shift_balls(noisy, 1), given["eps"])
        assert agrees(delta, value, absolute=1e-18)


@balls.precise
def gaussian_profile(epsilon: Fraction, ratio: arb) -> arb:
    """Phi(r/2 - epsilon/r) - e^epsilon Phi(-r/2 - epsilon/r) for r = shift / sigma."""

    def phi(x: arb) -> arb:
        return (-x / arb(2).sqrt()).erfc() / 2

    e = balls.ball(epsilon)
    return phi(ratio / 2 - e / ratio) - e.exp() * phi(-ratio / 2 - e / ratio)


def test_gaussian_profiles() -> None:
    for case, delta in GOLDEN["gk_gauss_profile"].items():
        given = parse(case)
        ratio = balls.ball(given["shift/sigma"])
        assert agrees(gaussian_profile(given["eps"], ratio), delta)
    for case, sigma in GOLDEN["gauss_mech_sigma_shift1"].items():
        given = parse(case)
        reached = gaussian_profile(given["eps"], balls.ball(1 / Fraction(sigma)))
        assert agrees(reached, float(given["delta"]))


def test_parity_gives_the_shift_by_one_away() -> None:
    """Ten thousand other records in {0, 2} and a shift by 1: only some events notice.

    The total 2B has even outcomes, its shift odd ones. Half-lines compare B with B + 1; the best
    interval is the single most likely outcome; the event "even" tells the worlds apart.
    """
    golden, n, half = GOLDEN["gk_thm2_parity"], 10000, Fraction(1, 2)
    epsilon = Fraction(str(golden["n=10000"]["eps_thm2"]))
    even = {2 * k: mass for k, mass in lw.binomial(50, half).items()}
    everything = lw.hockey_stick(even, lw.shift(even, 1), epsilon)
    assert agrees(everything, golden["n=10000"]["true_delta_all_events"])
    restricted = golden["n=10000,restricted"]
    assert agrees(binomial.shift_profile(n, half, epsilon)[0], restricted["halflines"])
    assert agrees(binomial.pmf(n, half, n // 2), restricted["intervals"])
