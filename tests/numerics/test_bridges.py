"""Stretches of chains between known records: laws, what they contain, and the worst way to cut a chain."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.numerics.bridges import RATES, Bridges, Currency, Hiding, contained, currencies, lengths
from dalenius.numerics.chain import MarkovChain
from oracle import chains

F = Fraction
STICKY = ((F(4, 5), F(1, 5)), (F(3, 10), F(7, 10)))
THREE = ((F(1, 2), F(1, 2), F(0)), (F(1, 4), F(1, 4), F(1, 2)), (F(1, 3), F(1, 3), F(1, 3)))
CHAINS = [MarkovChain((F(1, 2), F(1, 2)), STICKY, (0, 1), 40), MarkovChain((F(1), F(0), F(0)), THREE, (0, 1, 3), 40)]


@pytest.mark.slow
@pytest.mark.parametrize("chain", CHAINS, ids=["two", "three"])
def test_a_stretch_has_the_law_that_listing_finds(chain: MarkovChain) -> None:
    bridges = Bridges.of(chain, 4)
    for unknown, one, two in itertools.product(range(5), range(chain.size), range(chain.size)):
        start = tuple(F(int(state == one)) for state in range(chain.size))
        listed = chains.Chain(start, chain.moves, chain.adds, unknown + 2).given({unknown + 1: two})
        ends = chain.adds[one] + chain.adds[two]
        expected = listed[ends : ends + unknown * max(chain.adds) + 1]
        assert bridges.masses[unknown][one, two] == pytest.approx(expected, rel=1e-13, abs=1e-300)


def hockey(one: np.ndarray, two: np.ndarray, factor: float) -> float:
    return float(np.maximum(one - factor * two, 0.0).sum())


def moved(law: np.ndarray, by: int) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([law, np.zeros(by)]), np.concatenate([np.zeros(by), law])


@pytest.mark.slow
@given(
    chain=st.sampled_from(CHAINS),
    unknown=st.integers(1, 14),
    currency=st.sampled_from(currencies(8)),
    factor=st.sampled_from([1.0, 1.5, 3.0]),
    by=st.integers(1, 3),
)
@settings(max_examples=60)
def test_what_a_stretch_contains_bounds_how_well_it_hides(
    chain: MarkovChain, unknown: int, currency: Currency, factor: float, by: int
) -> None:
    """A stretch that is j draws and something independent hides a shift at least as well as its draws do on average."""
    masses = Bridges.of(chain, unknown).masses[unknown].reshape(chain.size**2, -1)
    kept = contained(masses, currency)
    base = np.array([float(chance) for chance in currency.law().values()])
    for row, mass in enumerate(masses):
        whole = mass.sum()
        if not whole:
            continue
        bound = whole - sum(weight[row] for weight in kept.values())
        assert bound >= 0
        for draws, weight in kept.items():
            law = np.ones(1)
            for _ in range(draws):
                law = np.convolve(law, base)
            bound += weight[row] * hockey(*moved(law, by), factor)
        assert hockey(*moved(mass, by), factor) <= bound * (1 + 1e-12) + 1e-15


def test_coins_are_found_where_records_are_coins() -> None:
    row = (F(1, 2), F(1, 2))
    bridges = Bridges.of(MarkovChain(row, (row, row), (0, 1), 20), 7)
    kept = contained(bridges.masses[7].reshape(4, -1), Currency.of(1, 1))
    found = sum(draws * weight for draws, weight in kept.items()) / bridges.chances(7).reshape(-1)
    assert (found >= 7 - 1e-6).all() and (found <= 7).all()


@pytest.mark.slow
@pytest.mark.parametrize("chain", CHAINS, ids=["two", "three"])
@pytest.mark.parametrize("currency", [Currency.of(1, 1), Currency.of(4, 1)], ids=["coin", "wider"])
def test_no_cut_of_a_chain_contains_fewer_draws(chain: MarkovChain, currency: Currency) -> None:
    """Every way to spread 18 unknown records over four stretches, the ends in their worst states, and each stretch cut
    in every way: the bound never claims more than that.
    """
    bridges = Bridges.of(chain, 40)
    matrices, logs = [], []
    for unknown in range(19):
        whole = bridges.chances(unknown)
        best = np.repeat(whole[None], len(RATES), axis=0)
        for draws, weight in (contained(bridges.masses[unknown].reshape(chain.size**2, -1), currency)).items():
            best = best - (1 - np.exp(-RATES * draws))[:, None, None] * weight.reshape(whole.shape) * (unknown > 0)
        for one in range(unknown):
            best = np.minimum(best, matrices[one] @ matrices[unknown - 1 - one])
        matrices.append(best)
        logs.append(np.log((best[:, whole > 0] / whole[whole > 0]).max(axis=1)))
    worst = np.full(len(RATES), -np.inf)
    for cut in itertools.combinations_with_replacement(range(19), 3):
        sizes = [cut[0], cut[1] - cut[0], cut[2] - cut[1], 18 - cut[2]]
        worst = np.maximum(worst, np.sum([logs[size] for size in sizes], axis=0))
    hiding = Hiding.of(bridges, currency, 31)
    found = hiding.exponents(18, 4)
    assert (found <= -worst * (1 + 1e-9) + 1e-10).all()
    assert (hiding.exponents(18, 5) <= found).all() and (hiding.exponents(17, 4) <= found).all()


@pytest.mark.slow
@pytest.mark.parametrize("unknown", [9, 30])
def test_the_slopes_cover_every_way_to_spread_the_records(unknown: int) -> None:
    """exp(-exponent) is at least the product of φ over the stretches, whatever their lengths: by listing."""
    hiding = Hiding.of(Bridges.of(CHAINS[0], 40), Currency.of(1, 1), 31)
    slopes, most = hiding.lines[0]
    # log φ_s ≤ min over ν of (most - νs), the concave envelope that the lines know
    envelope = [np.min(most - slopes * s, axis=1) for s in range(unknown + 1)]
    for cut in itertools.combinations_with_replacement(range(unknown + 1), 2):
        sizes = [cut[0], cut[1] - cut[0], unknown - cut[1]]
        product = np.sum([envelope[s] for s in sizes], axis=0)
        assert (np.max(slopes * unknown - 3 * most, axis=1) <= -product + 1e-9).all()


def test_levels_are_chernoff_bounds() -> None:
    hiding = Hiding.of(Bridges.of(CHAINS[0], 40), Currency.of(1, 1), 31)
    exponents = hiding.exponents(400, 5)
    for found in hiding.levels(400, 5, [0.1, 1e-3, 1e-9]):
        assert list(found) == sorted(found, reverse=True)
        # one c for all numbers of a table: K depends on it
        assert any(
            all(c * (number - 1) - e <= math.log(chance) for number, chance in found.items())
            for c, e in zip(RATES, exponents, strict=True)
        )
    assert hiding.levels(3, 200, [1e-9]) == [{}]


def test_lengths_are_closed_under_cutting_in_half() -> None:
    found = lengths(127)
    assert found[:12] == list(range(1, 13)) and found[-1] == 127
    assert all((length - 1) / 2 in found for length in found if length > 12)


def test_memory_is_the_largest_cross_ratio() -> None:
    bridges = Bridges.of(CHAINS[0], 6)
    power = np.linalg.matrix_power(np.array(STICKY, dtype=float), 3)
    ratio = math.log(power[0, 0] * power[1, 1] / (power[0, 1] * power[1, 0]))
    assert bridges.forgotten(3, np.zeros(2, dtype=np.int64)) == pytest.approx(ratio, rel=1e-8)
    assert bridges.forgotten(3, np.zeros(2, dtype=np.int64)) >= ratio
    assert Bridges.of(CHAINS[1], 6).forgotten(1, np.zeros(3, dtype=np.int64)) == math.inf
