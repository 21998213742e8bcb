"""Public histograms over wide ranges: incomes, hidden lattices, secrets to within ±k."""

import math
import time
from fractions import Fraction
from itertools import pairwise

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.facts.records import Steps
from dalenius.facts.secret import Facts, Pair

F = Fraction
HALF, WHOLE = F(1, 2), F(1)
TARGET = {"epsilon": 0.5, "delta": 1e-6}
EXACT = dl.Sum() >> dl.Exact()
TOP = 10**7
Bracket = tuple[int, int, F, int]


def incomes(step: int = 1, share: F = WHOLE, brackets: int = 60) -> list[Bracket]:
    """About a lognormal law with median 30000, by brackets up to ten million."""

    def below(x: float) -> float:
        return 0.5 * (1 + math.erf(math.log(x / 30_000) / (0.8 * math.sqrt(2)))) if x else 0.0

    edges = sorted({0, *(1000 * round(2 * (TOP / 2000) ** (i / (brackets - 1))) for i in range(brackets))})
    weights = [F(round(1e12 * max(below(b) - below(a), 1e-12))) for a, b in pairwise(edges)]
    whole = sum(weights, F(0))
    return [(a, b - step, share * w / whole, step) for (a, b), w in zip(pairwise(edges), weights, strict=True)]


def soft(odd: F) -> list[Bracket]:
    return [*incomes(1000, 1 - odd), *incomes(1, odd)]


def told(belief: dl.Belief, secret: object = None, **more: object) -> dl.Guarantee:
    return dl.verify(EXACT, dl.noiseless(belief, secret=secret or dl.Within(1000)), **(more or TARGET))


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 0.1])
def test_a_hundred_thousand_incomes(known: float) -> None:
    belief = dl.beliefs.Brackets(incomes(), n=100_000, bounds=(0, TOP), known=known)
    start = time.perf_counter()
    near = told(belief)
    assert time.perf_counter() - start < 30  # about 3 s where nothing else runs
    assert near.verdict == "pass"
    assert near.delta.upper < 1e-20
    assert "at least" in near.largest_known
    whole = told(belief, dl.Value())
    assert whole.verdict == "fail"
    assert whole.delta.upper <= 1.002 * whole.delta.lower
    assert whole.witness is not None
    gain = whole.witness.first - math.exp(0.5) * whole.witness.second
    assert 0.9 * whole.delta.lower <= gain <= whole.delta.upper


def test_all_multiples_of_a_thousand_but_the_target() -> None:
    found = told(dl.beliefs.Brackets(incomes(1000), n=100_000, bounds=(0, TOP)))
    assert found.verdict == "fail"
    assert found.delta.lower == 1
    assert "the total is a multiple of 1000: probability at least 1 if a person adds 0" in str(found.witness)
    assert "resonance: all other values lie on a lattice of step 1000" in found.because
    assert any("heaped (multiples of 1000)" in line for line in found.breaks)


@pytest.mark.slow
@pytest.mark.parametrize(("odd", "verdict"), [(F(5), "fail"), (F(1), "fail"), (F(300), "pass")])
def test_a_few_odd_records(odd: F, verdict: str) -> None:
    """With λ odd records on average, all are multiples of 1000 with probability e^-λ: then a target who is not shows.
    Otherwise the remainder tells little: δ is about e^-λ less (e^ε - 1)/1000.
    """
    belief = dl.beliefs.Brackets(soft(odd / 100_000), n=100_001, bounds=(0, TOP))
    found = dl.curve(EXACT, dl.noiseless(belief, secret=dl.Within(1000))).delta(HALF)
    chance = float(1 - odd / 100_000) ** 100_000
    if verdict == "pass":
        assert found.upper < 1e-20
        return
    expected = chance - (math.exp(0.5) - 1) / 1000 * (1 - chance)
    assert found.lower <= expected * 1.01
    assert expected * 0.99 <= found.upper <= 1.01 * found.lower


@pytest.mark.slow
def test_a_soft_lattice_is_named() -> None:
    found = told(dl.beliefs.Brackets(soft(F(3, 100_000)), n=100_000, bounds=(0, TOP)))
    assert found.verdict == "fail"
    assert "the total is a multiple of 1000" in str(found.witness)
    assert "all other values lie on a lattice of step 1000" in found.because
    assert found.witness is not None
    assert found.witness.first - math.exp(0.5) * found.witness.second > 0.04


@pytest.mark.slow
@pytest.mark.parametrize("secret", [dl.Within(20), dl.Value(), dl.Presence()])
@pytest.mark.parametrize("known", [0, 40])
def test_wide_and_listed_agree(
    secret: dl.Within | dl.Value | dl.Presence, known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same belief by its points and by smooth functions."""
    histogram = [(0, 299, "0.5"), (300, 799, "0.3"), (0, 800, "0.2", 8)]
    belief = dl.beliefs.Brackets(histogram, n=300, known=known)
    listed = dl.curve(EXACT, dl.noiseless(belief, secret=secret))
    monkeypatch.setattr("dalenius.beliefs.brackets.NARROW", 0)
    smooth = dl.curve(EXACT, dl.noiseless(dl.beliefs.Brackets(histogram, n=300, known=known), secret=secret))
    assert type(listed) is not type(smooth)
    for epsilon in (F(0), F(1, 20), HALF):
        one, two = listed.delta(epsilon), smooth.delta(epsilon)
        assert two.lower <= one.upper
        assert one.lower <= two.upper
        assert two.upper <= 1.01 * one.upper + 1e-20


@pytest.mark.slow
def test_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two types of record: the worst to know, by branch and bound, against the listed law."""
    groups = [([(0, 299, 1)], 60), ([(0, 99, "0.5"), (400, 499, "0.5")], 40)]
    listed = dl.curve(EXACT, dl.noiseless(dl.beliefs.Brackets(groups=groups, known=5))).delta(HALF)
    monkeypatch.setattr("dalenius.beliefs.brackets.NARROW", 0)
    smooth = dl.curve(EXACT, dl.noiseless(dl.beliefs.Brackets(groups=groups, known=5))).delta(HALF)
    assert smooth.lower <= listed.upper
    assert listed.lower <= smooth.upper <= 1.5 * listed.upper


def test_knowing_everybody_on_the_fine_lattice() -> None:
    """If the odd records can all be known, the rest is on a lattice."""
    groups = [(incomes(1000), 50_000), (incomes(), 100)]
    assert dl.curve(EXACT, dl.noiseless(dl.beliefs.Brackets(groups=groups, known=100))).delta(HALF).lower == 1


@pytest.mark.slow
def test_channels_are_post_processing() -> None:
    belief = dl.beliefs.Brackets(incomes(), n=100_000, bounds=(0, TOP))
    secret = dl.noiseless(belief, secret=dl.Within(250_000))
    exact = dl.curve(EXACT, secret).delta(F(1, 10))
    rounded = dl.curve(dl.Sum() >> dl.Rounded(1000), secret).delta(F(1, 10))
    assert rounded.lower == 0
    assert rounded.upper == exact.upper
    noisy = dl.noiseless(dl.beliefs.Brackets(incomes(1000), n=100, bounds=(0, TOP)), secret=dl.Within(1000))
    assert dl.curve(dl.Sum() >> dl.two_sided_geometric(8000), noisy).delta(HALF).upper == 0
    some = dl.curve(dl.Sum() >> dl.discrete_gaussian(8000), noisy).delta(HALF)
    assert 1e-6 < some.upper < 0.2


@pytest.mark.slow
def test_counts_means_and_units() -> None:
    belief = dl.beliefs.Brackets([(0, 4999, "0.4"), (5000, 99_999, "0.6")], n=2000)
    count = dl.Count(of=frozenset({1, 2, F(3), 200_000, 0.5}))
    found = dl.curve(count >> dl.Exact(), dl.noiseless(belief, secret=dl.Within(1))).delta(HALF)
    same = dl.curve(dl.Count() >> dl.Exact(), dl.noiseless(dl.IID(p=F(3, 5000) * F(2, 5), n=2000))).delta(HALF)
    assert found == same
    cents = dl.beliefs.Brackets([("0", "49.99", "0.4"), (50, "999.99", "0.6")], n=2000, unit="0.01")
    mean = dl.curve(dl.Mean(unit=F(1, 100)) >> dl.Exact(), dl.noiseless(cents, secret=dl.Within(100)))
    finer = dl.curve(dl.Sum(unit=F(1, 200)) >> dl.Exact(), dl.noiseless(cents, secret=dl.Within(100)))
    assert mean.delta(HALF) == finer.delta(HALF)
    with pytest.raises(InputError, match="finer unit"):
        dl.curve(dl.Sum() >> dl.Exact(), dl.noiseless(cents))


@pytest.mark.slow
def test_nothing_to_see() -> None:
    belief = dl.beliefs.Brackets([(0, 99_999, 1)], n=2000)
    assert dl.curve(dl.Count(of=frozenset({-1})), dl.noiseless(belief)).delta(F(0)).upper == 0
    few = dl.beliefs.Brackets([(0, 99_999, 1)], n=2)
    assert dl.curve(EXACT, dl.noiseless(few)).delta(HALF).upper == 1


def test_facts_of_a_long_lattice() -> None:
    steps = Steps(F(10), F(5), 1_000_000)
    assert (len(steps), steps[0], steps[-1], steps[1:3]) == (1_000_000, 10, 5_000_005, (15, 20))
    with pytest.raises(IndexError):
        steps[1_000_000]
    whole = Facts.every(dl.Value(), steps, F(5))
    assert (whole.pairs[0], whole.grain) == (Pair(2, 1_000_001), 1)
    near = Facts.every(dl.Within(10), steps, F(1))
    assert (near.pairs[0], near.grain, near.reach) == (Pair(10, 45), 5, 35)
    assert Facts.every(dl.Within("10.01"), steps, F(1)).reach == 40
    for secret in (dl.Presence(), dl.PresenceOnly()):
        assert Facts.every(secret, steps, F(5)).pairs[0] == Pair(0, 1_000_001)
    around = Steps(F(-20), F(5), 11)  # -20 to 30
    assert Facts.every(dl.Presence(), around, F(5)).pairs[0] == Pair(-4, 6)
    assert Facts.every(dl.PresenceOnly(), around, F(5)).pairs[0] == Pair(0, 6)
    with pytest.raises(InputError, match=r"the nearest are 5 apart\. Give a larger k"):
        Facts.every(dl.Within("1.25"), steps, F(5))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"histogram": [(0, 9, "0.5"), (10, 19, "0.4")], "n": 5}, "sum to 0.9. Correct them"),
        ({"histogram": [(0, 10, 1, 3)], "n": 5}, "0 to 10 in steps of 3. Write"),
        ({"histogram": [(9, 0, 1)], "n": 5}, "9 to 0 in steps of 1"),
        ({"histogram": [(0, 9, 1)], "n": 5, "unit": 2}, "multiples of the unit 2"),
        ({"histogram": [(0, 9, 1)]}, "either a histogram and n=..., or groups"),
        ({"histogram": [(0, 9, 1)], "n": 0}, "at least one record, but got 0"),
        ({"groups": [([(0, 9, 1)], 0)]}, "at least one record, but got none"),
        ({"histogram": [(0, 9, "1.5"), (10, 19, "-0.5")], "n": 5}, "between 0 and 1, but 0 to 9 has 1.5"),
        ({"histogram": [(0, 9)], "n": 5}, "A bracket is"),
        ({"histogram": [(0, 9, 1)], "n": 5, "bounds": (1, 20)}, "must hold all brackets, which reach from 0 to 9"),
        ({"histogram": [(0, 10**8, 1)], "n": 5}, "at most 50000000 values"),
        ({"histogram": [(0, 9, 1)], "n": 5, "known": 5}, "may know 0 to 4 of 5"),
    ],
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        dl.beliefs.Brackets(**arguments)
