"""The averaging attack, against draws by hand, exact convolutions and all tables of small sizes."""

import itertools
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest

from dalenius.basics.errors import InputError
from dalenius.papers.attacks.averaging import Averaging
from dalenius.papers.definitions.pufferfish import Fact, Pufferfish
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Finite

F = Fraction
SUMS = json.loads((Path(__file__).parents[1] / "golden" / "sums.json").read_text(encoding="utf-8"))


def test_every_noisy_cell_says_something_about_the_first() -> None:
    dice = random.Random(5)
    for k in (1, 2, 5, 8):
        cells = [dice.randrange(50) for _ in range(k)]
        sums = [a + b for a, b in itertools.pairwise(cells)]
        assert set(Averaging(k, 1).estimates(sums, cells)) == {cells[0]}
        noise = [dice.randrange(-9, 9) for _ in range(k)]
        noisy = [a + b for a, b in zip(cells, noise, strict=True)]
        assert Averaging(k, 1).estimate(sums, noisy) - cells[0] == F(
            sum(z * (-1) ** place for place, z in enumerate(noise)), k
        )


def test_the_attack_on_many_cells_has_the_variance_that_is_printed() -> None:
    """The noise is Laplace on a fine lattice: 2/(kε²) in the limit; and the golden value."""
    golden = SUMS["pf_sec6_3_2"]["k=100,eps=1: variance of averaged estimate"]
    fine = 1_000
    variance = Averaging(cells=100, scale=fine).variance()
    assert variance.upper / fine**2 == pytest.approx(golden, rel=1 / fine)
    x = math.exp(-1)
    assert Averaging(100, 1).variance().upper == pytest.approx(2 * x / (1 - x) ** 2 / 100)


@pytest.mark.parametrize(("k", "scale"), [(1, "1/2"), (2, 1), (5, 1), (9, 2)])
def test_the_chance_of_a_hit_is_that_of_an_exact_convolution(k: int, scale: str) -> None:
    x = math.exp(-1 / float(F(scale)))
    noise = {j: (1 - x) / (1 + x) * x ** abs(j) for j in range(-90, 91)}
    law = {0: 1.0}
    for _ in range(k):
        after: dict[int, float] = {}
        for a, p in law.items():
            for b, q in noise.items():
                if abs(a + b) <= 90:
                    after[a + b] = after.get(a + b, 0.0) + p * q
        law = after
    truth = math.fsum(p for total, p in law.items() if 2 * abs(total) < k)
    hit = Averaging(k, scale).hit()
    assert hit.lower - 1e-9 <= truth <= hit.upper + 1e-9
    assert hit.width < 1e-9


@pytest.mark.slow
def test_a_thousand_cells_leave_nothing_to_guess() -> None:
    """One cell at scale 5 is hit one time in ten; a thousand whose sums are out, nearly always."""
    assert Averaging(1, 5).hit().upper < 0.1
    assert Averaging(1_000, 5).hit().lower > 0.97


def test_what_sums_add_is_what_pufferfish_finds_on_all_tables() -> None:
    """Three cells of 0 to 2, geometric noise of ratio 1/2 on each; given the sums, the first cell is told to 3 ln 2."""
    tables = [t for t in itertools.product(range(3), repeat=3) if (t[0] + t[1], t[1] + t[2]) == (2, 2)]
    world = Finite.table({t: F(1, len(tables)) for t in tables})

    def noise(value: int) -> dict[int, Fraction]:
        """Cut to 0..2 by lumping what is beyond, which loses no ratio."""
        law = {j: F(1, 3) * F(1, 2) ** abs(j - value) for j in range(3)}
        law[0] += F(1, 3) * F(1, 2) ** value
        law[2] += F(1, 3) * F(1, 2) ** (2 - value)
        return law

    def release(table: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
        laws = [noise(cell) for cell in table]
        return {
            tuple(out): math.prod((law[j] for law, j in zip(laws, out, strict=True)), start=F(1))
            for out in itertools.product(range(3), repeat=3)
        }

    pair = (Fact.record_is(world, 0, 0), Fact.record_is(world, 0, 1))
    told = Pufferfish((pair,), (world,)).epsilon(FiniteMechanism.random(release, world)).value
    assert told.lower <= Averaging(3, 1).epsilon() * math.log(2) <= told.upper


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Averaging(0, 1),
        lambda: Averaging(3, 0),
        lambda: Averaging(3, 1).estimate([1, 2], [1]),
        lambda: Averaging(3, 1).estimate([1], [1, 2, 3]),
    ],
)
def test_what_is_no_attack_is_refused(wrong: object) -> None:
    with pytest.raises(InputError):
        wrong()  # type: ignore[operator]
