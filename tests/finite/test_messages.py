"""What is said when something cannot be used, and what results say of themselves: in words, in a line or two."""

import numpy as np
import pytest

import dalenius as dl
from dalenius.papers.finite import (
    CoupledWorlds,
    Finite,
    FiniteMechanism,
    Games,
    Neighbours,
    Outcomes,
    Pufferfish,
    Simulator,
    as_function,
    axioms,
    best_simulator,
    canonical,
    composition,
    distributional,
    factored,
    indistinguishability,
    instances,
    largest_shift,
    noiseless_by_presence,
    pointwise_indistinguishability,
    record,
    value_pairs,
    worst_failure,
    worst_shift,
)

COINS = Finite.product([{0: "1/2", 1: "1/2"}] * 2)
NOISY = dl.Count() >> dl.mechanisms.rational_geometric("1/3")


def parity(row):
    return sum(row) % 2


WORLDS = distributional([COINS], records=[0]).worlds(parity)
REFUSED = {
    "thirds in decimals": (
        lambda: Finite.product([{0: 0.3333333333333333, 1: 0.6666666666666666}]),
        r"sums to 1 - 1e-16 \(a third is '1/3'",
    ),
    "thirds in a table": (lambda: Finite.table({(0,): 1 / 3, (1,): 2 / 3}), "sum to 1 - 1e-16"),
    "thirds in a row": (lambda: FiniteMechanism.matrix([[1 / 3, 2 / 3]]), "sums to 1 - 1e-16"),
    "a dict where an output is due": (
        lambda: FiniteMechanism.of(lambda row: {row[0]: 1}, COINS),
        "returned the dict .* use FiniteMechanism.random",
    ),
    "an output where a dict is due": (
        lambda: FiniteMechanism.random(lambda row: row[0], COINS),
        "returned 0. For a function that returns the output use FiniteMechanism.of",
    ),
    "no function at all": (lambda: FiniteMechanism.of(3, COINS), "a function of the dataset.* 'int'"),
    "games of a tabulated mechanism": (
        lambda: Games.of(FiniteMechanism.of(parity, COINS), COINS, default=0),
        "use Games.on",
    ),
    "noiseless privacy of a tabulated mechanism": (
        lambda: noiseless_by_presence(FiniteMechanism.of(parity, COINS), COINS, 0, added=[]),
        "a function of the dataset, or statistic >> channel",
    ),
    "a value that the function does not know": (
        lambda: noiseless_by_presence(as_function(NOISY, COINS), COINS, 0, added=[5]),
        "values of the belief, but got 5. List the value in the belief",
    ),
    "too many records": (lambda: as_function(NOISY, COINS)((1, 1, 1, 1)), "at most 3 records.* but got 4"),
    "a belief where a tuple is due": (lambda: Pufferfish(value_pairs(COINS), COINS), r"write \(belief,\)"),
    "nothing within a factor": (
        lambda: instances.relative_error([Finite.product([{1: "1/2", 1000: "1/2"}])], "0.9"),
        r"got \[1, 1000\]. Take a smaller c",
    ),
    "a simulator that reads what alt removed": (
        lambda: Simulator.of(lambda alt: sum(alt) % 2, WORLDS.alts),
        r"here \(None, 0\), where None stands for one, but it failed: .* use factored",
    ),
    "a canonical simulator that cannot": (lambda: canonical(parity, WORLDS), "skip None"),
    "a simulator that depends on what alt removed": (
        lambda: factored(parity, distributional([COINS], records=[0])),
        "answers differently on two datasets that look alike",
    ),
    "a function that fails": (
        lambda: canonical(3, WORLDS),
        "a function of the dataset, or statistic >> channel, but got 'int'",
    ),
    "laws of other lengths": (lambda: indistinguishability([1], ["1/2", "1/2"], epsilon=0), "on the same outcomes"),
    "a law that sums to two": (lambda: indistinguishability([1, 1], [1, 0], epsilon=0), "sums to 2"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_words(name):
    make, said = REFUSED[name]
    with pytest.raises(dl.InputError, match=said):
        make()


def test_an_error_of_the_function_itself_is_not_hidden():
    with pytest.raises(TypeError, match="can only concatenate"):
        Simulator.of(lambda alt: alt + 1, [(0, 1), "x"])


def test_a_simulator_written_for_the_whole_dataset():
    definition = distributional([COINS], records=[0])
    sim = factored(lambda row: row[1], definition)
    assert dict(zip(sim.alts, sim.rows.tolist(), strict=True)) == {(None, 0): [1, 0], (None, 1): [0, 1]}


def test_lists_of_fractions_are_laws():
    fair, unfair = ["1/2", "1/2"], ["1/8", "7/8"]
    assert str(indistinguishability(fair, unfair, epsilon=0)) == "0.375"
    assert str(pointwise_indistinguishability(fair, unfair, epsilon=1)) == "0.5"
    floats = pointwise_indistinguishability(Outcomes(np.array([0.5, 0.5])), unfair, epsilon=1)
    assert floats.lower < 0.5 < floats.upper


def test_results_print_in_a_line_or_two():
    games = Games.of(lambda x: {x[0]: "3/4", 1 - x[0]: "1/4"}, COINS, default=0)
    check = axioms.post_processing(WORLDS, Simulator.of(lambda _: 0, WORLDS.alts), str, epsilon=0)
    three = Finite.table({(0, 0): "1/4", (0, 1): "1/4", (1, 0): "1/2"})
    shown = {
        "belief": COINS,
        "informed belief": COINS.knowing(parity),
        "neighbours": Neighbours.replace(COINS),
        "best": best_simulator(WORLDS, epsilon=1),
        "shift": largest_shift(games),
        "worst shift": worst_shift(games),
        "endless shift": largest_shift(Games.of(lambda x: {x: 1}, COINS, default="gone")),
        "failure": worst_failure(games, "0.3"),
        "composition": composition(Pufferfish(value_pairs(three)[:1], (three,))),
        "check": check,
        "leak": Pufferfish(value_pairs(COINS), (COINS,)).delta(FiniteMechanism.of(dl.Count(), COINS), epsilon="1/2"),
    }
    for name, one in shown.items():
        lines = str(one).splitlines()
        assert len(lines) <= 2 and all(len(line) < 160 for line in lines), name
        assert "array" not in str(one) and "Finite(" not in str(one), name
    assert str(shown["belief"]) == "4 datasets of 2 records: (0, 0) 1/4, (0, 1) 1/4, (1, 0) 1/4, ..."
    assert str(shown["informed belief"]).endswith("; one of 2 things is known besides")
    assert str(shown["neighbours"]) == "replace one: 4 pairs of neighbours among 4 datasets"
    assert str(shown["best"]).startswith("δ = ")
    assert "cannot occur without record" in str(shown["endless shift"])
    assert str(shown["composition"]).startswith("ε does not add up: two runs")
    assert str(check).startswith("Theorem 3: post-processing holds: δ = ")
    assert "at output 0 odds 1 before, inf after" in str(shown["leak"])
    sim = Simulator.of(lambda _: {0: "1/2", 1: "1/2"}, WORLDS.alts)
    both = axioms.compose_coupled(CoupledWorlds((COINS,), (record(0),)), (parity, parity), (sim, sim), epsilons=(0, 0))
    assert "Theorem 6: composition" in str(both) and len(str(both)) < 160


def test_a_fact_is_made_of_a_predicate_and_a_world() -> None:
    with pytest.raises(dl.InputError, match=r"Write Fact.of\('a', predicate, world\)"):
        dl.papers.Fact("a", lambda _: True)
