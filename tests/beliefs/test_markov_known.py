"""Markov chains of which records are known: no attacker, whichever records they know, is worse than the bracket."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from beliefs.test_markov import belief, chains
from dalenius.beliefs.markov_combs import Combs, ways, ways_back
from dalenius.beliefs.markov_known import Stretches
from dalenius.numerics import chain as engine
from dalenius.numerics.bridges import Currency
from oracle.chains import Chain

F = Fraction
HALF = (F(1, 2), F(1, 2))


def switching(change: Fraction, n: int) -> Chain:
    return Chain(HALF, ((1 - change, change), (change, 1 - change)), (0, 1), n)


def two_states(start: str, zero: str, one: str, n: int) -> Chain:
    p, q = F(zero), F(one)
    return Chain((1 - F(start), F(start)), ((1 - p, p), (q, 1 - q)), (0, 1), n)


def bracket(chain: Chain, epsilon: Fraction, known: int) -> dl.Bracket:
    return dl.curve(dl.Sum(), dl.noiseless(belief(chain).knowing(known))).delta(epsilon)


@pytest.mark.slow
@given(chain=chains(longest=4), epsilon=st.sampled_from([F(0), F(1, 2), F(2)]), known=st.integers(0, 3))
@settings(max_examples=25)
def test_every_known_set_of_a_short_chain_is_in_the_bracket(chain: Chain, epsilon: Fraction, known: int) -> None:
    known = min(known, chain.n - 1)
    found, worst = bracket(chain, epsilon, known), 0.0
    for number, target in itertools.product(range(known + 1), range(chain.n)):
        for seen in itertools.combinations([place for place in range(chain.n) if place != target], number):
            for states in itertools.product(range(len(chain.start)), repeat=number):
                worst = max(worst, chain.known_delta(epsilon, dict(zip(seen, states, strict=True)), target))
    assert found.lower <= worst + 1e-12
    assert worst <= found.upper + 1e-12


ATTACKED = [
    (two_states("1/2", "1/2", "1/2", 120), F(1)),
    (two_states("1/2", "1/4", "1/4", 500), F(1)),
    (two_states("1/10", "1/5", "2/5", 400), F(1)),
    (two_states("1/2", "3/5", "7/10", 200), F(1)),
    (Chain((F(1), F(0)), ((F(1, 2), F(1, 2)), (F(1), F(0))), (0, 3), 300), F(1)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("chain", "epsilon"), ATTACKED, ids=range(len(ATTACKED)))
def test_no_attacker_is_worse_than_the_upper_end(chain: Chain, epsilon: Fraction) -> None:
    """Runs, combs and neighbours, with all values the same or alternating."""
    n, tight, attacker = chain.n, 0, belief(chain)
    for known in (1, 2, 12):
        upper = dl.curve(dl.Sum(), dl.noiseless(attacker.knowing(known))).delta(epsilon).upper
        tight += upper < 0.02
        step, middle = n // known, n // 2
        for seen in (
            [middle + 1 + j for j in range(known)],
            [middle - 1 - j * step // 2 for j in range(known // 2)]
            + [middle + 1 + j * step // 2 for j in range(known - known // 2)],
            [j * step for j in range(known)],
        ):
            for values in itertools.product((0, 1), repeat=2):
                fixed = {place: values[turn % 2] for turn, place in enumerate(seen) if place != middle}
                assert chain.known_delta(epsilon, fixed, middle) <= upper * (1 + 1e-9)
    assert tight >= 2


@pytest.fixture(scope="module")
def hundreds() -> dict[Fraction, float]:
    """δ of three chains of 150 if up to 6 records are known, at ε = 1, from above."""
    found = {}
    for change in (F(1, 2), F(1, 3), F(2, 3)):
        stretches = Stretches.of(engine.MarkovChain(HALF, switching(change, 150).moves, (0, 1), 150))
        assert stretches is not None
        found[change] = stretches.upper(6, F(1))
        assert found[change] < 0.02
    return found


@pytest.mark.slow
@given(
    change=st.sampled_from([F(1, 2), F(1, 3), F(2, 3)]),
    places=st.sets(st.integers(0, 149), min_size=1, max_size=6),
    values=st.lists(st.integers(0, 1), min_size=6, max_size=6),
    target=st.integers(0, 149),
)
@settings(max_examples=40)
def test_no_random_attacker_is_worse(
    hundreds: dict[Fraction, float], change: Fraction, places: set[int], values: list[int], target: int
) -> None:
    known = dict(zip(places - {target}, values, strict=False))
    assert switching(change, 150).known_delta(F(1), known, target) <= hundreds[change]


@pytest.mark.slow
def test_the_bracket_is_of_use_from_one_known_record_to_most_of_them() -> None:
    """Independent records in the form of a chain: there the truth is known."""
    row = {0: "1/2", 1: "1/2"}
    chain = dl.Markov(start=row, moves={0: row, 1: row}, n=2000)
    for known in (1, 200, 1000):
        found = dl.curve(dl.Count(), dl.noiseless(chain.knowing(known))).delta(F(1, 4))
        truth = dl.curve(dl.Count(), dl.noiseless(dl.IID(p="1/2", n=2000, known=known))).delta(F(1, 4))
        assert found.lower <= truth.upper and truth.lower <= found.upper
        assert math.log(found.upper) <= 0.7 * math.log(truth.upper)


@pytest.mark.slow
def test_who_knows_more_may_know_less() -> None:
    """Only the attacker who knows nobody sees the neighbours of a sticky record follow it."""
    sticky = switching(F(1, 10), 60)
    assert sticky.known_delta(F(1), {29: 0, 31: 0}, 30) < 0.9 * sticky.known_delta(F(1), {}, 30)
    deltas = [bracket(sticky, F(1), known) for known in (0, 1, 5)]
    assert deltas[0].lower <= deltas[1].lower <= deltas[2].lower
    assert deltas[0].upper <= deltas[1].upper <= deltas[2].upper


def test_everybody_else_known_leaves_nothing() -> None:
    assert bracket(switching(F(1, 3), 20), F(1), 19).lower >= 1 - 1e-12
    assert bracket(switching(F(1, 3), 20), F(1), 19).upper == 1


@pytest.mark.parametrize("moves", [((F(1), F(0)), (F(1, 2), F(1, 2))), ((F(1, 2), F(1, 2)), (F(0), F(1)))])
def test_nothing_is_claimed_of_values_that_die_out(moves: tuple[tuple[Fraction, ...], ...]) -> None:
    assert bracket(Chain(HALF, moves, (0, 1), 200), F(1), 3).upper == 1


@pytest.mark.slow
def test_a_periodic_chain_of_four_values_keeps_its_class() -> None:
    """Two classes that take turns: given one known record everybody's class is known, and inside it there is doubt."""
    half = (F(0), F(0), F(1, 2), F(1, 2))
    chain = Chain((F(1, 4),) * 4, (half, half, half[::-1], half[::-1]), (0, 1, 3, 4), 200)
    found = bracket(chain, F(1), 3)
    assert found.upper < 0.1
    assert chain.known_delta(F(1), {99: 2, 101: 3}, 100) <= found.upper


@pytest.mark.slow
def test_a_far_record_costs_what_the_chain_remembers(monkeypatch: pytest.MonkeyPatch) -> None:
    stretches = Stretches.of(engine.MarkovChain(HALF, switching(F(1, 3), 6000).moves, (0, 1), 6000))
    assert stretches is not None
    free = stretches.upper(4, F(1, 2))
    assert free < 1e-8
    monkeypatch.setattr(Stretches, "near", lambda self, epsilon: {9: 0.2})
    dear = stretches.upper(4, F(1, 2))
    assert free * 1e6 < dear < 1e-1
    monkeypatch.setattr(Stretches, "near", lambda self, epsilon: {9: 0.5})
    assert stretches.upper(4, F(1, 2)) >= 1 - math.exp(-0.5)


def test_what_may_go_wrong_counts_as_told() -> None:
    """If K is below all that is counted on with chance p, δ is at least p."""
    stretches = Stretches.of(engine.MarkovChain(HALF, switching(F(1, 3), 50).moves, (0, 1), 50))
    assert stretches is not None
    for levels, least in (({}, 1.0), ({4000: 0.25}, 0.25), ({4000: 0.1, 3000: 0.01}, 0.01)):
        assert stretches._mean(Currency.of(1, 1), levels, 3, F(2), None) >= least


@pytest.mark.slow
def test_rounding_and_noise_are_bounded_by_the_exact_figure() -> None:
    attacker = belief(switching(F(1, 3), 500)).knowing(20)
    whole = dl.curve(dl.Count(), dl.noiseless(attacker)).delta(F(1, 2))
    for channel in (dl.Rounded(5), dl.two_sided_geometric(1)):
        found = dl.curve(dl.Count() >> channel, dl.noiseless(attacker)).delta(F(1, 2))
        assert 0 < found.lower <= whole.lower
        assert found.upper <= whole.upper


@pytest.mark.parametrize(("n", "known"), [(24, 6), (31, 5), (24, 23), (26, 2)])
def test_combs_are_attackers(n: int, known: int) -> None:
    """Their laws are those of the oracle, record by record."""
    chain, epsilon = two_states("1/3", "1/4", "2/5", n), F(1, 2)
    inner = engine.MarkovChain(chain.start, chain.moves, (0, 1), n)
    lower = Combs(inner, known, lambda law: law).delta(epsilon).lower
    worst = 0.0
    for beside in (0, 1, 3, 7):
        rest, gaps = n - 1 - 2 * beside - known, known - 2
        if rest < 0 or (rest and not gaps):
            continue
        sizes = [] if not gaps else [rest // gaps + (j < rest % gaps) for j in range(gaps)]
        places = [0, 2 * beside + 2]
        for size in sizes:
            places.append(places[-1] + size + 1)
        for state in (0, 1):
            worst = max(worst, chain.known_delta(epsilon, dict.fromkeys(places, state), beside + 1))
    assert lower == pytest.approx(worst, rel=1e-9)


def test_ways_are_counted_both_ways_round() -> None:
    inner = engine.MarkovChain(HALF, ((F(1, 3), F(2, 3)), (F(3, 4), F(1, 4))), (0, 1), 5)
    assert [found.tolist() for found in ways(inner, 0, 1)] == [[16, 72], [32, 24]]
    assert [found.tolist() for found in ways_back(inner, 0, 1)] == [[16, 72], [36, 27]]
