"""Laws that cover groups of records of a chain: whatever is wrong by what it says, they cover the truth."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.numerics import chainspectrum, chaintilt, chainworlds
from dalenius.numerics.chain import Chain
from dalenius.numerics.chainspectrum import Points, Records, ends, interior
from dalenius.numerics.chainworlds import _Group, _OnRung
from dalenius.numerics.law import Floats
from dalenius.numerics.rounding import LIBM, UNIT

F = Fraction
LOST = 0.999 * UNIT  # what is lost when it is added to one
STAYS = Chain((F(1, 2), F(1, 2)), ((F(9, 10), F(1, 10)), (F(1, 5), F(4, 5))), (0, 1), 150)
TURNS = Chain((F(1, 3), F(2, 3)), ((F(0), F(1)), (F(1), F(0))), (0, 1), 21)


def points(of: Chain, **changes: object) -> Points:
    return replace(Points.of(of, chaintilt.rungs(of, 1e-9, 10**9)[0]), **changes)


@pytest.mark.parametrize("of", [STAYS, replace(STAYS, adds=(0, 3))])
def test_a_product_of_n_matrices_counts_its_entries_and_its_sums(of: Chain) -> None:
    found = points(of)
    for start, rung in zip(found.starts, found.rungs, strict=False):
        units = of.n * (chaintilt.entry_units(of, rung.tilt.theta) + of.size + 7.9)
        assert found.slip[start] >= math.expm1(units * UNIT)


def test_rows_that_are_too_long_grow_and_their_slip_counts() -> None:
    found = points(STAYS)
    longer = replace(found, moves=found.moves * 1.001, slip=np.full_like(found.slip, 1e-3))
    assert (chainspectrum._growth(STAYS, longer) >= 1.001**150 * (1 + 1e-3) ** 1.9).all()


@pytest.mark.parametrize(("slip", "unit"), [(1e-3, 0.0), (0.0, 1e-3)])
def test_a_block_that_is_off_by_its_slip_is_charged_in_all_three_places(
    slip: float, unit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Independent records: the block has rank one, and what is left of it is the slip of `memory` steps."""
    of = Chain((F(1, 8), F(7, 8)), ((F(1, 8), F(7, 8)),) * 2, (0, 1), 150)
    found = points(of)
    found = replace(found, slip=np.full_like(found.slip, slip))
    monkeypatch.setattr(chainspectrum, "UNIT", unit)
    memory = 50
    records = interior(of, found, 1, np.zeros(2, dtype=np.int64), memory)
    at = int(found.starts[found.centre])
    chances, off = np.array([1 / 8, 7 / 8]), slip * memory / of.n + 8 * unit
    # the block is (1, 1) times the chances, x is one and y the chances
    needed = off * (chances * 2 + 2 * chances + chances * 1)
    assert (records.loose[at, 0] >= (needed + slip * chances) * (1 - 1e-9)).all()
    assert (records.loose[at, 0] <= (needed + slip * chances) * 1.02 + 1e-9).all()


def test_what_grows_with_the_rows_counts_for_the_interior(monkeypatch: pytest.MonkeyPatch) -> None:
    found = points(STAYS)
    found, seen = replace(found, slip=np.zeros_like(found.slip)), []
    for grown in (1.0, 1.5):
        monkeypatch.setattr(chainspectrum, "_growth", lambda *_, by=grown: np.full(len(found.slip), by))
        seen.append(interior(STAYS, found, 1, np.zeros(2, dtype=np.int64), 5).loose)
    assert (seen[1] >= 1.5 * seen[0] * (1 - 1e-12)).all()
    assert seen[0].max() > 0


@pytest.mark.parametrize("seed", range(6))
def test_what_is_not_of_rank_one_is_charged(seed: int) -> None:
    """Records in the middle, by all products and by a memory that is far too short."""
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 9, (3, 3)) + 12 * np.eye(3, dtype=int)[rng.permutation(3)]
    rows = tuple(tuple(F(int(w), int(sum(row))) for w in row) for row in table)
    of = Chain((F(1, 2), F(1, 3), F(1, 6)), rows, (0, 1, 2), 24)
    found, memory = points(of), 2
    records = interior(of, found, 1, np.zeros(3, dtype=np.int64), memory)
    first, last = ends(of, found, of.n, 0), memory + 1
    for place in range(last, of.n - memory + 1):
        off = np.abs(first[0].values[:, place - 1] - records.values[:, 0])
        assert (off <= records.loose[:, 0] * (1 + 1e-9)).all()


# -- one rung -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
def test_chances_and_products_that_are_off_by_their_slip_are_forgiven(sign: int) -> None:
    """The sum is known given any record, so that nothing else hides it: products too large, chances too small."""
    slip = 1e-6
    found = points(TURNS)
    found = replace(found, slip=np.full_like(found.slip, slip))
    part = ends(TURNS, found, TURNS.n, 0)[0]
    chance = part.values[int(found.starts[found.centre])].real
    blurred = replace(part, values=part.values * (1 + sign * slip))
    group = _Group(blurred, chance * (1 - sign * slip), chance[0] > 0, chance[0] < 0, [(0,)], 0.0)
    rung = _OnRung.of(TURNS, found, found.centre, 0.3)
    truth = rung._inverted(part.values[rung.where][:, :1] / chance[:1])[0] * rung.scale
    assert truth.max() == pytest.approx(1.0)
    lower, upper = rung.masses(group)
    assert (lower <= truth + 1e-12).all()
    assert (truth - 1e-12 <= upper).all()


def test_the_scale_of_a_rung_counts_its_logarithm_and_its_tilt() -> None:
    """Where λ^(n-1) and the tilt cancel, and where there is nothing but an exponential."""
    found = points(STAYS)
    rung, none = found.rungs[found.centre], np.zeros_like(found.slip)
    plain = _OnRung.of(STAYS, replace(found, slip=none), found.centre, 0.3)
    assert plain.relative >= 2 * LIBM * UNIT
    for first, scale in ((10**6, 0.0), (10**6, 7e3), (0, 7e3)):
        theta = 149 * scale / first if first and scale else 0.5
        tilt = replace(rung.tilt, theta=theta, log_scale=scale)
        far = replace(
            found, rungs=[replace(rung, tilt=tilt, first=first, last=first)], starts=found.starts[:2], slip=none
        )
        with np.errstate(over="ignore"):
            relative = _OnRung.of(STAYS, far, 0, 0.3).relative
        assert relative >= (LIBM * 149 * scale + 3 * theta * first) * UNIT


def rung(outside: float = 0.0, slip: float = 0.0, relative: float = 0.0, frequencies: int = 1) -> _OnRung:
    """One integer; all frequencies are zero, and count as much together as one."""
    weights = np.full(frequencies, 1 / frequencies)
    table = np.concatenate([np.ones((frequencies, 1)), np.zeros((frequencies, 1))])
    return _OnRung(slice(0, frequencies), weights, table, np.ones(1), relative, slip, outside)


def group(values: Floats, loose: Floats | None = None, doubt: float = 0.0) -> _Group:
    """One block of records of a single state, which is sure."""
    shape = (1, len(values), 1)
    part = Records(
        np.arange(len(values)), values.reshape(shape) + 0j, np.zeros(shape) if loose is None else loose.reshape(shape)
    )
    return _Group(
        part,
        np.ones((len(values), 1)),
        np.ones(1, dtype=bool),
        np.zeros(1, dtype=bool),
        [tuple(range(len(values)))],
        doubt,
    )


def bounds(one: _OnRung, of: _Group) -> tuple[float, float]:
    lower, upper = one.masses(of)
    return float(lower[0, 0]), float(upper[0, 0])


def test_the_records_of_a_block_are_between_its_ends_and_what_each_may_be_off() -> None:
    lower, upper = bounds(rung(), group(np.array([0.25, 0.5])))
    assert lower <= 0.25
    assert upper >= 0.5
    for loose in ([0.0, 0.125], [0.125, 0.0]):
        lower, upper = bounds(rung(), group(np.array([0.25, 0.5]), np.array(loose)))
        assert lower <= 0.125
        assert upper >= 0.625
    lower, upper = bounds(rung(outside=0.125), group(np.array([0.5])))
    assert lower <= 0.375
    assert upper >= 0.625
    lower, upper = bounds(rung(slip=0.125), group(np.array([0.5])))
    assert lower <= 0.4375
    assert upper >= 0.5625
    for one, of in ((rung(relative=0.125), group(np.array([0.5]))), (rung(), group(np.array([0.5]), None, 0.125))):
        lower, upper = bounds(one, of)
        assert lower <= 0.5 / 1.125
        assert upper >= 0.5 / 0.875


def test_what_a_block_may_be_off_is_rounded_up() -> None:
    _, upper = bounds(rung(outside=1.0), group(np.array([0.0]), np.array([LOST])))
    assert F(upper) >= 1 + F(LOST)


@pytest.mark.parametrize("frequencies", [1, 500])
def test_a_sum_over_frequencies_counts_its_terms_and_their_turns(frequencies: int) -> None:
    """Both parts of each frequency are added up; a cosine, an angle of up to 2π in three roundings, and products."""
    one = rung(frequencies=frequencies)
    units = (2 * frequencies + LIBM + 6 * math.pi + 6) * UNIT
    assert one._units >= units
    part = Records(np.arange(1), np.ones((frequencies, 1, 1)) + 0j, np.zeros((frequencies, 1, 1)))
    lower, upper = bounds(
        one, _Group(part, np.ones((1, 1)), np.ones(1, dtype=bool), np.zeros(1, dtype=bool), [(0,)], 0.0)
    )
    assert lower <= 1 - units * 0.9
    assert upper >= 1 + units * 0.9


def test_how_far_a_block_is_off_its_line_is_itself_rounded() -> None:
    straight, bent = group(np.ones(3)), group(np.array([0.0, 1.0, 0.0]))
    assert rung(slip=0.125)._off(straight, (0, 1, 2)) >= 0.25
    assert rung()._off(straight, (0, 1, 2)) >= 2 * rung()._units
    assert rung()._off(bent, (0, 1, 2)) >= 1.0
    assert bounds(rung(), bent)[1] >= 1.0


@pytest.mark.parametrize("seed", range(4))
def test_a_law_reaches_from_the_least_to_the_largest_mass(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of two bounds, which is rounded; and never to nothing."""
    rng = np.random.default_rng(seed)
    lower = rng.uniform(0, 1, (2, 50)) * 10.0 ** rng.integers(-9, 0, 50)
    upper = lower * (1 + rng.uniform(0, 1, (2, 50)) * 10.0 ** rng.integers(-15, 9, 50))
    lower[:, 0] = upper[:, 0] = 0.0
    monkeypatch.setattr(_OnRung, "masses", lambda *_: (lower, upper))
    found = points(STAYS)
    found = replace(found, rungs=found.rungs[:1], starts=found.starts[:2])
    several = replace(group(np.ones(1)), possible=np.ones(2, dtype=bool))
    ((one, two),) = chainworlds._laws(STAYS, found, [several], 0.0, 0.3)
    for law, low, high in zip((one, two), lower, upper, strict=True):
        assert law is not None
        assert law.error.min() >= 1e-300
        for mass, error, least, most in zip(
            law.mass.tolist(), law.error.tolist(), low.tolist(), high.tolist(), strict=True
        ):
            assert F(mass) - F(error) <= F(least) <= F(most) <= F(mass) + F(error)


def test_mass_outside_is_relative_to_the_least_chance_that_a_state_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances may be off by a quarter."""
    found, seen = points(STAYS), []
    monkeypatch.setattr(chainworlds, "_affordable", lambda *_: (found, 0.01))
    monkeypatch.setattr(chainworlds, "_laws", lambda _, __, ___, tail, least: seen.append((tail, least)) or ())
    chainworlds.worlds(STAYS)
    ((tail, least),) = seen
    assert 0 < least <= 0.75 / 3  # the second state has a third, in the long run
    assert tail >= 0.01 / least
    dropped = replace(found.rungs[0], dropped=found.rungs[0].length * 0.5, alias=0.25)
    outside = _OnRung.of(STAYS, replace(found, rungs=[dropped]), 0, 0.3).outside
    assert outside >= 0.75 / 0.3 * (1 - 1e-12)
