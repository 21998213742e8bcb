"""Laws that cover groups of records of a chain: whatever is wrong by what it says, they cover the truth."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.enclosure import matrices
from dalenius.enclosure.floats import LIBM, UNIT
from dalenius.numerics import chainspectrum, chaintilt, chainworlds
from dalenius.numerics.chain import MarkovChain
from dalenius.numerics.chainspectrum import ChainRecords, Points, ends, interior
from dalenius.numerics.chainworlds import _Group, _OnRung
from dalenius.numerics.law import Floats, Law

F = Fraction
LOST = 0.999 * UNIT  # what is lost when it is added to one
STAYS = MarkovChain((F(1, 2), F(1, 2)), ((F(9, 10), F(1, 10)), (F(1, 5), F(4, 5))), (0, 1), 150)
TURNS = MarkovChain((F(1, 3), F(2, 3)), ((F(0), F(1)), (F(1), F(0))), (0, 1), 21)


def points(of: MarkovChain, **changes: object) -> Points:
    return replace(Points.of(of, chaintilt.rungs(of, 1e-9, 10**9)[0]), **changes)


@pytest.mark.parametrize("of", [STAYS, replace(STAYS, adds=(0, 3))])
def test_a_product_of_n_matrices_counts_its_entries_and_its_sums(of: MarkovChain) -> None:
    found = points(of)
    for start, rung in zip(found.starts, found.rungs, strict=False):
        units = of.n * (chaintilt.entry_of(of, rung.tilt.theta) / UNIT + of.size + 7.9)
        assert found.slip[start] >= math.expm1(units * UNIT)


def longer(of: MarkovChain, by: float, units: float, monkeypatch: pytest.MonkeyPatch) -> Points:
    """Rows that are too long, of entries that are off by so many units."""
    found = chaintilt.rungs(of, 1e-9, 10**9)[0]
    grown = [replace(rung, tilt=replace(rung.tilt, moves=rung.tilt.moves * by)) for rung in found]
    monkeypatch.setattr(chainspectrum, "entry_of", lambda *_: units * UNIT)
    return Points.of(of, grown)


def test_rows_that_are_too_long_grow_and_their_slip_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    slip = 1e-3
    found = longer(STAYS, 1.001, slip / 150 / UNIT, monkeypatch)
    assert (found.slip >= slip).all()
    assert (found.growth >= 1.001**150 * (1 + slip) ** 1.9 * (1 - 1e-9)).all()


def test_what_is_lost_below_the_smallest_floats_grows_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice: before a record and after it. A power of Q is off by 20 n states² times the smallest float."""
    found = longer(STAYS, 1.001, 0.0, monkeypatch)
    smallest = 20 * 150 * 4 * 5e-324
    sizes = np.abs(found.first).sum(axis=1) * np.abs(found.last).max(axis=1)
    assert (found.sunk >= smallest * sizes * 1.001**300).all()
    assert (found.sunk >= 1e-300 * sizes * 1.001**300 * (1 - 1e-9)).all()


def test_a_first_state_may_itself_be_lost_below_the_smallest_floats() -> None:
    """All first entries are tiny, so that nothing relative to them speaks for what they have lost."""
    found = chaintilt.rungs(STAYS, 1e-9, 10**9)[0]
    small = [replace(rung, tilt=replace(rung.tilt, first=rung.tilt.first * 1e-80)) for rung in found]
    of = Points.of(STAYS, small)
    assert (of.sunk >= STAYS.size * 5e-324 * np.abs(of.last).max(axis=1)).all()


@pytest.mark.parametrize(("slip", "unit"), [(1e-3, 0.0), (0.0, 1e-3)])
def test_a_block_that_is_off_by_its_slip_is_charged_in_all_three_places(
    slip: float, unit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Independent records: the block has rank one, and what is left of it is the slip of `memory` steps."""
    of = MarkovChain((F(1, 8), F(7, 8)), ((F(1, 8), F(7, 8)),) * 2, (0, 1), 150)
    found = points(of)
    found = replace(found, slip=np.full_like(found.slip, slip))
    monkeypatch.setattr(matrices, "UNIT", unit)
    memory = 50
    records = interior(of, found, 1, np.zeros(2, dtype=np.int64), memory)
    at = int(found.starts[found.centre])
    chances, off = np.array([1 / 8, 7 / 8]), slip * memory / of.n + 8 * unit
    # the block is (1, 1) times the chances, x is one and y the chances
    needed = off * (chances * 2 + 2 * chances + chances * 1)
    assert (records.loose[at, 0] >= (needed + slip * chances) * (1 - 1e-9)).all()
    assert (records.loose[at, 0] <= (needed + slip * chances) * 1.02 + 1e-9).all()


def test_what_grows_with_the_rows_counts_for_the_interior() -> None:
    found = points(STAYS)
    none, seen = np.zeros_like(found.slip), []
    for grown in (1.0, 1.5):
        planted = replace(found, slip=none, growth=none + grown)
        seen.append(interior(STAYS, planted, 1, np.zeros(2, dtype=np.int64), 5).loose)
    assert (seen[1] >= 1.5 * seen[0] * (1 - 1e-12)).all()
    assert seen[0].max() > 0
    with pytest.raises(InputError, match="too uneven"):
        interior(STAYS, replace(found, growth=none + 2.0), 1, np.zeros(2, dtype=np.int64), 5)


def test_what_is_lost_below_the_smallest_floats_counts_in_the_interior(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry of a power may have lost so much, at a growth of up to two, in all three places of the rest."""
    of = MarkovChain((F(1, 8), F(7, 8)), ((F(1, 8), F(7, 8)),) * 2, (0, 1), 150)
    found, sunk = points(of), 1e-3
    found = replace(found, slip=np.zeros_like(found.slip))
    monkeypatch.setattr(chainspectrum, "SUNK", sunk)
    monkeypatch.setattr(matrices, "SUNK", sunk)
    monkeypatch.setattr(matrices, "UNIT", 0.0)
    records = interior(of, found, 1, np.zeros(2, dtype=np.int64), 50)
    chances = np.array([1 / 8, 7 / 8])
    needed = 2 * sunk * (chances * 4 + 2 + chances * 2)
    assert (records.loose[int(found.starts[found.centre]), 0] >= needed * (1 - 1e-9)).all()


@pytest.mark.parametrize("seed", range(6))
def test_what_is_not_of_rank_one_is_charged(seed: int) -> None:
    """Records in the middle, by all products and by a memory that is far too short."""
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 9, (3, 3)) + 12 * np.eye(3, dtype=int)[rng.permutation(3)]
    rows = tuple(tuple(F(int(w), int(sum(row))) for w in row) for row in table)
    of = MarkovChain((F(1, 2), F(1, 3), F(1, 6)), rows, (0, 1, 2), 24)
    found, memory = points(of), 2
    records = interior(of, found, 1, np.zeros(3, dtype=np.int64), memory)
    first, last = ends(of, found, of.n, 0), memory + 1
    for place in range(last, of.n - memory + 1):
        off = np.abs(first[0].values[:, place - 1] - records.values[:, 0])
        assert (off <= records.loose[:, 0] * (1 + 1e-9)).all()


def integers(of: Points, number: int) -> NDArray[np.int64]:
    """All that a rung answers for."""
    return np.arange(of.rungs[number].first, of.rungs[number].last + 1)


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
    rung = _OnRung.of(TURNS, found, found.centre, 0.3, integers(found, found.centre))
    truth = rung._inverted(part.values[rung.where][:, :1] / chance[:1])[0] * rung.scale
    assert truth.max() == pytest.approx(1.0)
    lower, upper = rung.masses(group)
    assert (lower <= truth + 1e-12).all()
    assert (truth - 1e-12 <= upper).all()


def test_the_scale_of_a_rung_counts_its_logarithm_and_its_tilt() -> None:
    """Where λ^(n-1) and the tilt cancel, and where there is nothing but an exponential."""
    found = points(STAYS)
    rung, none = found.rungs[found.centre], np.zeros_like(found.slip)
    plain = _OnRung.of(STAYS, replace(found, slip=none), found.centre, 0.3, integers(found, found.centre))
    assert plain.relative >= 2 * LIBM * UNIT
    for first, scale in ((10**6, 0.0), (10**6, 7e3), (0, 7e3)):
        theta = 149 * scale / first if first and scale else 0.5
        tilt = replace(rung.tilt, theta=theta, log_scale=scale)
        far = replace(
            found, rungs=[replace(rung, tilt=tilt, first=first, last=first)], starts=found.starts[:2], slip=none
        )
        with np.errstate(over="ignore"):
            relative = _OnRung.of(STAYS, far, 0, 0.3, integers(far, 0)).relative
        assert relative >= (LIBM * 149 * scale + 3 * theta * first) * UNIT


def rung(outside: float = 0.0, slip: float = 0.0, relative: float = 0.0, frequencies: int = 1) -> _OnRung:
    """One integer; all frequencies are zero, and count as much together as one."""
    weights = np.full(frequencies, 1 / frequencies)
    table = np.concatenate([np.ones((frequencies, 1)), np.zeros((frequencies, 1))])
    return _OnRung(slice(0, frequencies), weights, table, np.ones(1), relative, slip, outside)


def group(values: Floats, loose: Floats | None = None, doubt: float = 0.0) -> _Group:
    """One block of records of a single state, which is sure."""
    shape = (1, len(values), 1)
    part = ChainRecords(
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
    _, upper = bounds(rung(outside=0.5), group(np.array([0.0]), np.array([LOST / 2])))
    assert F(upper) >= F(1, 2) + F(LOST) / 2


def test_a_scale_below_the_smallest_floats_is_anything_up_to_them() -> None:
    """A state may be so unlikely that the rest makes up for it."""
    for scale in (0.0, 5e-324, 1e-310):
        lower, upper = bounds(replace(rung(), scale=np.array([scale])), group(np.array([1e299])))
        assert lower == 0.0
        assert upper >= 0.09


@pytest.mark.parametrize("frequencies", [1, 500])
def test_a_sum_over_frequencies_counts_its_terms_and_their_turns(frequencies: int) -> None:
    """Both parts of each frequency are added up; a cosine, an angle of up to 2π in three roundings, and products."""
    one = rung(frequencies=frequencies)
    units = (2 * frequencies + LIBM + 6 * math.pi + 6) * UNIT
    assert one._units >= units
    part = ChainRecords(np.arange(1), np.full((frequencies, 1, 1), 0.5 + 0j), np.zeros((frequencies, 1, 1)))
    lower, upper = bounds(
        one, _Group(part, np.ones((1, 1)), np.ones(1, dtype=bool), np.zeros(1, dtype=bool), [(0,)], 0.0)
    )
    assert lower <= 0.5 - units * 0.45
    assert upper >= 0.5 + units * 0.45


def test_how_far_a_block_is_off_its_line_is_itself_rounded() -> None:
    straight, bent = group(np.ones(3)), group(np.array([0.0, 1.0, 0.0]))
    assert rung(slip=0.125)._off(straight, (0, 1, 2)) >= 0.25
    assert rung()._off(straight, (0, 1, 2)) >= 2 * rung()._units
    assert rung()._off(bent, (0, 1, 2)) >= 1.0
    assert bounds(rung(), bent)[1] >= 1.0


def both(outside: float, least: float) -> tuple[Law | None, ...]:
    """The laws of two states at one rung."""
    found = points(STAYS)
    found = replace(found, rungs=found.rungs[:1], starts=found.starts[:2])
    several = replace(group(np.ones(1)), possible=np.ones(2, dtype=bool), rare=np.zeros(2, dtype=bool))
    (laws,) = chainworlds._laws(STAYS, found, [several], outside, least)
    return laws


@pytest.mark.parametrize("seed", range(4))
def test_a_law_reaches_from_the_least_to_the_largest_mass(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of two bounds, which is rounded; and never to nothing."""
    rng = np.random.default_rng(seed)
    lower = rng.uniform(0, 1, (2, 50)) * 10.0 ** rng.integers(-9, 0, 50)
    upper = lower * (1 + rng.uniform(0, 1, (2, 50)) * 10.0 ** rng.integers(-15, 9, 50))
    lower[:, 0] = upper[:, 0] = 0.0
    monkeypatch.setattr(_OnRung, "masses", lambda *_: (lower, upper))
    one, two = both(0.0, 0.3)
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
    with monkeypatch.context() as local:
        local.setattr(chainworlds, "_laws", lambda _, __, ___, outside, least: seen.append((outside, least)) or ())
        chainworlds.worlds(STAYS)
    ((outside, least),) = seen
    assert 0 < least <= 0.75 / 3  # the second state has a third, in the long run
    assert outside >= 0.01
    assert all(law.tail >= outside / least for state in chainworlds.worlds(STAYS).laws for law in state)
    dropped = replace(found.rungs[0], dropped=found.rungs[0].length * 0.5, alias=0.25)
    for sunk in (0.0, 0.125):
        planted = replace(found, rungs=[dropped], sunk=np.full_like(found.sunk, sunk))
        charged = _OnRung.of(STAYS, planted, 0, 0.3, integers(planted, 0)).outside
        assert charged >= (0.75 + 4 * sunk) / 0.3 * (1 - 1e-12)


def test_what_is_left_out_as_faint_is_charged_at_each_sum_and_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quotient is off by at most so much of the least chance."""
    none = np.zeros((2, 50))
    monkeypatch.setattr(_OnRung, "masses", lambda *_: (none, none))
    monkeypatch.setattr(chainworlds, "unlikely", lambda _: 1e-3)
    for law in both(0.01, 0.3):
        assert law is not None
        assert law.error.min() >= 1e-3 / 0.3
        assert law.tail >= 0.011 / 0.3


# -- chances ------------------------------------------------------------------------------------------------------


def groups(of: MarkovChain, monkeypatch: pytest.MonkeyPatch) -> list[_Group]:
    """The groups of all records."""
    seen: list[_Group] = []
    with monkeypatch.context() as local:
        local.setattr(chainworlds, "_laws", lambda _, __, found, *___: seen.extend(found) or ())
        chainworlds.worlds(of)
    return seen


def test_what_a_chance_may_be_off_is_in_doubt_and_never_more_than_a_quarter(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(part: ChainRecords, by: float) -> ChainRecords:
        return replace(part, loose=np.abs(part.values) * by)

    monkeypatch.setattr(chainworlds, "ends", lambda *args: [off(part, 0.2) for part in ends(*args)])
    assert all(group.doubt >= 0.2 * (1 - 1e-12) for group in groups(STAYS, monkeypatch))
    monkeypatch.setattr(chainworlds, "ends", lambda *args: [off(part, 0.3) for part in ends(*args)])
    with pytest.raises(InputError, match="remembers more"):
        groups(STAYS, monkeypatch)


def test_a_state_that_is_rare_at_one_record_is_rare_in_all_its_group(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first half of the records; the sixtieth is somewhere in a block."""

    def planted(of: MarkovChain, found: Points, left: int, right: int) -> list[ChainRecords]:
        first, *rest = ends(of, found, left, right)
        values = first.values.copy()
        values[int(found.starts[found.centre]), 60, 1] = 1e-260
        return [replace(first, values=values), *rest]

    monkeypatch.setattr(chainworlds, "ends", planted)
    found = [group for group in groups(STAYS, monkeypatch) if 61 in group.records]
    assert found
    assert all(group.rare.tolist() == [False, True] for group in found)
    assert all(group.possible.all() for group in found)
    assert any(len(group.records) > 1 for group in found)
