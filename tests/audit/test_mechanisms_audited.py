"""`dl.audit_mechanism`: bad mechanisms are refuted, true claims as rarely as is stated, and the bounds come close."""

import itertools
import json
import math
import pickle
import random
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.amount import ALL, repetitions
from tests.audit.bad_mechanisms import (
    BAD,
    TRUE,
    Case,
    binomial_delta,
    count_of,
    geometric,
    geometric_delta,
    normal_delta,
)
from typer.testing import CliRunner

import dalenius as dl
from dalenius.audit.mechanism.outputs import described, joined
from dalenius.audit.mechanism.wealth import DeltaWealth, EpsilonWealth, Tally
from dalenius.basics.errors import InputError
from dalenius.cli import app
from dalenius.data import Command, DrawnData, InBatches
from dalenius.data.datasets import pairs_under

SLOWER = ("told", "ten given")  # sparse vectors of which many draws are needed


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in BAD if ALL or not case.name.endswith(SLOWER)], ids=lambda case: case.name
)
def test_bad_mechanisms_are_refuted_within_a_minute(case):
    started = time.process_time()
    found = case.audit(1, confidence="0.99", seconds=600)
    assert found.refuted, found.text()
    assert time.process_time() - started < 60
    assert found.answer.startswith("Refuted: ")


@pytest.mark.slow
def test_true_claims_are_refuted_as_rarely_as_stated():
    """At a confidence of 0.8, so that a bound that is wrong would show: false alarms are binomial at most."""
    runs, confidence, draws = repetitions(15, 1000), 0.8, 3_000
    alarms = 0
    for run, case in zip(range(runs), itertools.cycle(TRUE), strict=False):
        amount = draws // 4 if "sparse" in case.name else draws
        alarms += case.audit(run, confidence=str(confidence), draws=amount).refuted
    assert alarms <= stats.binom.ppf(0.999, runs, 1 - confidence), f"{alarms} of {runs}"


@pytest.mark.slow
@pytest.mark.parametrize("case", TRUE[:4] if not ALL else TRUE, ids=lambda case: case.name)
def test_lower_bounds_stay_below_the_truth_to_the_last_draw(case):
    found = case.audit(5, confidence="0.999", draws=2_000 if "sparse" in case.name else 20_000, until="done")
    assert found.delta <= float(Fraction(case.claim["delta"]))
    assert found.epsilon <= float(Fraction(case.claim["epsilon"]))


CLOSE = [
    (Case("exact count", count_of(30, 0.5), {"epsilon": 0}, [(0, 1)]), binomial_delta(30, 0.5, 0.0)),
    (Case("exact count", count_of(30, 0.5), {"epsilon": "0.1"}, [(0, 1)]), binomial_delta(30, 0.5, 0.1)),
    (Case("exact count", count_of(60, 0.1), {"epsilon": "0.2"}, [(0, 1)]), binomial_delta(60, 0.1, 0.2)),
    *(
        (
            Case(
                "geometric",
                lambda dice: InBatches(lambda count, draws: count + geometric(dice, 0.5, draws)),
                {"epsilon": str(epsilon)},
                [(0, 1)],
            ),
            geometric_delta(0.5, epsilon),
        )
        for epsilon in (0.0, 0.1, 0.25)
    ),
    *(
        (
            Case(
                "Gaussian",
                lambda dice: InBatches(lambda count, draws: np.round((count + dice.normal(0, 2.0, draws)) * 2**20)),
                {"epsilon": str(epsilon)},
                [(0.0, 1.0)],
            ),
            normal_delta(2.0, epsilon),
        )
        for epsilon in (0.0, 0.1, 0.25)
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("place", range(len(CLOSE)))
def test_a_million_draws_bring_the_lower_bound_to_95_percent(place):
    if not ALL and place:
        pytest.skip("the deep profile tries them all")
    case, truth = CLOSE[place]
    draws, close = (1_000_000, 0.95) if ALL else (100_000, 0.88)
    found = case.audit(place, until="done", draws=draws, seconds=600)
    assert close * truth <= found.delta <= truth, (found.delta, truth)


EIGHTHS = st.integers(0, 8).map(lambda k: Fraction(k, 8))


@settings(max_examples=repetitions(8, 200))
@given(EIGHTHS, EIGHTHS, st.sampled_from([0.0, 0.25, 1.0]))
def test_the_wealth_is_no_better_than_a_fair_game(first, second, epsilon):
    """All outcomes of three rounds of one draw, in which the bet depends on what came before."""
    truth = max(0.0, float(first) - math.exp(epsilon) * float(second))
    mean_delta, mean_epsilon, crossed = 0.0, 0.0, 0.0
    draws = list(itertools.product((False, True), repeat=2))
    risk = 0.25
    for path in itertools.product(draws, repeat=3):
        chance = math.prod(float((first if x else 1 - first) * (second if y else 1 - second)) for x, y in path)
        for_delta = DeltaWealth(epsilon, risk=risk, horizon=3)
        for_epsilon = EpsilonWealth(truth, risk=risk, horizon=3)
        seen = [(0.5, 0.25)]
        for x, y in path:
            tally = Tally.of(np.array([x]), np.array([y]))
            guess = tuple(np.mean(seen, axis=0))  # of earlier draws alone
            for_delta.bet(tally, *guess)
            for_epsilon.bet(tally, *guess)
            seen.append((float(x), float(y)))
        mean_delta += chance * math.exp(for_delta.log_wealth(truth))
        mean_epsilon += chance * math.exp(for_epsilon.log_wealth(epsilon))
        crossed += chance * (for_delta.lower > truth + 1e-12)
    assert mean_delta <= 1 + 1e-9
    assert mean_epsilon <= 1 + 1e-9
    assert crossed <= risk


def test_the_wealth_does_win_where_there_is_something_to_win():
    wealth, sure = DeltaWealth(0.0, risk=0.05, horizon=100), EpsilonWealth(0.0, risk=0.05, horizon=1000)
    for _ in range(10):
        wealth.bet(Tally(0, 9, 0, 1), 0.9, 0.0)
        sure.bet(Tally(0, 90, 0, 10), 0.9, 0.0)
    assert 0.75 < wealth.lower < 0.9
    assert sure.lower > math.log(100)
    assert wealth.log_wealth(0.2) > wealth.log_wealth(0.5) > wealth.log_wealth(0.9)
    assert sure.log_wealth(1.0) >= sure.log_wealth(5.0) > sure.log_wealth(6.0)


OUTPUTS = [0, 1, -1, 2**60, 2**60 + 1, 0.5, -0.0, math.nan, math.inf, -math.inf, None, "", "a", b"a", (), (1,), (1, 2)]
OUTPUTS += [(1, None), {"a": 1}, {"a": 2}, (2, 1), 1e-300, list(range(40)), [*range(39), 41], Fraction(1, 3), ("1",)]


def test_outputs_of_any_kind_are_told_apart():
    rows = described(OUTPUTS)
    assert len(set(rows.whole.tolist())) == len(OUTPUTS)
    again = [described([output]) for output in OUTPUTS]
    assert joined(again).whole.tolist() == rows.whole.tolist()  # however wide the others are
    assert described(np.array([[1, 2], [3, 4]])).width == 6
    assert described(np.array([1.5, 2.5])).whole.tolist() == described([1.5, 2.5]).whole.tolist()


def test_worlds_are_drawn_as_the_belief_says():
    pairs = pairs_under(dl.noiseless(dl.IID(p="0.3", n=50, known=10)))
    assert [pair.name for pair in pairs] == [
        "the target 0, 10 known records 0 against 1",
        "the target 0, 10 known records 1 against 1",
    ]
    first, second = (side.draw(2000) for side in (pairs[1].first, pairs[1].second))
    assert first.shape == (2000, 50)
    assert set(first[:, 0]) == {0}
    assert set(second[:, 0]) == {1}
    assert (first[:, 40:] == 1).all()
    assert abs(first[:, 1:40].mean() - 0.3) < 0.02
    assert 0 < pairs[0].off < Fraction(1, 10**15)


def test_worlds_of_presence_labels_and_several_kinds_of_people():
    groups = [({"a": "0.5", "b": "0.5"}, 3), ({"a": 1, "b": 0}, 2)]
    pairs = pairs_under(dl.noiseless(dl.Independent(groups=groups), secret=dl.Presence()))
    assert [pair.name for pair in pairs] == [
        f"the target {fact}" for fact in ("a against b", "a against absent", "b against absent")
    ] * 2
    assert pairs[1].first.draw(7).shape == (7, 5)
    assert pairs[1].second.draw(7).shape == (7, 4)
    assert set(pairs[3].first.draw(1)[0][:2]) == {"a"}  # the target of the second kind, then the other of them
    values = dict.fromkeys(range(20), Fraction(1, 20))
    near = pairs_under(dl.noiseless(dl.IID(values=values, n=3), secret=dl.Within(1)))
    assert len(near) == 19
    with pytest.raises(InputError, match="Audit against members of it"):
        pairs_under(dl.noiseless(dl.AtLeast({0: "0.5", 1: "0.5"}, weight="0.5", n=10)))


def test_an_exact_count_is_not_refuted_against_the_belief_it_is_claimed_for():
    attacker = dl.noiseless(dl.IID(p="0.3", n=60))
    told = dl.verify(dl.Count(), attacker, epsilon="0.5")
    total = lambda people: int(people.sum())  # noqa: E731 - as a user would write it
    assert not dl.audit_mechanism(total, definition=attacker, epsilon="0.5", delta=told.delta.upper, draws=5000).refuted


def test_drawn_data_are_worlds_of_your_own():
    dice = np.random.default_rng(2)
    sides = [DrawnData(lambda rate=rate: dice.random(20) < rate) for rate in (0.2, 0.9)]
    found = dl.audit_mechanism(lambda data: int(data.sum()), [tuple(sides)], epsilon=1, draws=5000)
    assert found.refuted
    assert found.found.draws <= 2000  # it stops early


def test_copied_dice_are_noticed():
    def spread(work, tasks):
        return [
            work((InBatches(lambda data, count: np.random.default_rng(1).random(count)), *task[1:])) for task in tasks
        ]

    with pytest.raises(InputError, match="carries its own generator"):
        dl.audit_mechanism(InBatches(lambda data, count: [0.0] * count), [(0, 1)], epsilon=1, spread=spread)


SEEDED = """
import json, random, sys
random.seed(1)
for line in sys.stdin:
    print(json.loads(line) + round(random.expovariate(1)) - round(random.expovariate(1)), flush=True)
"""


@pytest.mark.slow
def test_a_program_that_begins_with_the_same_seed_is_noticed(tmp_path):
    """Else an event that was found in a round would be bet on in the same draws once more: true claims refuted."""
    (tmp_path / "seeded.py").write_text(SEEDED, encoding="utf-8")
    program = Command(f"{sys.executable} {tmp_path / 'seeded.py'}")
    with pytest.raises(InputError, match="same seed at each start"):
        dl.audit_mechanism(program, [(0, 1)], epsilon=3, draws=3000)
    # an exact count says the same each time, and has no dice
    assert dl.audit_mechanism(InBatches(lambda data, count: [data] * count), [(0, 1)], epsilon=1, draws=2000).refuted


RARE = """
import json, random, sys
random.seed(1)
for line in sys.stdin:
    print(int(random.random() < (0.008 if json.loads(line) else 0.004)), flush=True)
"""
REMEMBERS = """
import json, random, sys
said = {}
for line in sys.stdin:
    if line not in said:
        said[line] = json.loads(line) + round(random.expovariate(0.5)) - round(random.expovariate(0.5))
    print(said[line], flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("program", "words"), [(RARE, "same seed at each start"), (REMEMBERS, "not independent")])
def test_a_program_that_rolls_its_dice_once_is_noticed(program, words, tmp_path):
    """The same few ones among hundreds of zeros; one answer for all draws of a start."""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    release = Command(f"{sys.executable} {tmp_path / 'program.py'}")
    with pytest.raises(InputError, match=words):
        dl.audit_mechanism(release, [(0, 1)], epsilon=3, delta="0.9", draws=8000)


@pytest.mark.parametrize("most", [700, 1300])
def test_a_server_that_stops_answering_is_noticed(most):
    """What one world is told last, the other is not: a true claim was refuted."""
    dice, asked = np.random.default_rng(1), itertools.count()

    def server(count):
        return count + int(geometric(dice, 1.0, 1)[0]) if next(asked) < most else None

    with pytest.raises(InputError, match="how often it was asked"):
        dl.audit_mechanism(server, [(0, 1)], epsilon=1, draws=5000)


def test_many_hands_draw_what_one_does():
    def spread(work, tasks):
        assert len(tasks) > 2
        return [work(task) for task in tasks]

    assert BAD[0].audit(3, spread=spread).refuted


def coin_of_its_own(answer):
    """A mechanism that a process can be given: its dice are the operating system's."""
    return answer ^ (random.SystemRandom().random() < 0.25)


@pytest.mark.slow
def test_processes_draw_with_dice_of_their_own():
    spread = dl.data.on_cores(2, worth=0.0)
    found = dl.audit_mechanism(coin_of_its_own, [(0, 1)], epsilon="0.5", draws=1000, spread=spread)
    assert found.found.draws > 0


class Workers:
    """What a Spark session has of its cluster: tasks and results are pickled."""

    defaultParallelism = 2  # noqa: N815 - Spark's name

    def __init__(self):
        self.sparkContext, self.tasks = self, []

    def parallelize(self, tasks, slices):
        assert slices <= len(tasks)
        self.tasks = [pickle.dumps(task) for task in tasks]
        return self

    def map(self, work):
        self.tasks = [pickle.dumps(pickle.loads(pickle.dumps(work))(pickle.loads(task))) for task in self.tasks]
        return self

    def collect(self):
        return [pickle.loads(task) for task in self.tasks]


def test_workers_of_a_cluster_draw_too():
    spread = dl.data.on_spark(Workers())
    assert dl.audit_mechanism(coin_of_its_own, [(0, 1)], epsilon="0.5", draws=4000, spread=spread).refuted
    belief = dl.noiseless(dl.IID(p="0.5", n=5))
    assert dl.audit_mechanism(sum_of, definition=belief, epsilon="0.1", draws=4000, spread=spread).refuted


def sum_of(people):
    return int(people.sum())


def test_it_stops_when_the_time_is_over():
    found = BAD[0].audit(3, seconds=0)
    assert not found.complete
    assert "without any power" in found.answer
    assert "the time was over" in found.text()


@pytest.mark.slow
def test_power_falls_with_the_draws_and_is_no_promise_of_truth():
    few, many = (TRUE[1].audit(2, draws=draws) for draws in (2_000, 50_000))
    assert many.power < few.power / 3
    assert many.answer.startswith("Not refuted, with power to see δ of ")


@pytest.mark.slow
def test_opendp_is_audited_as_it_is():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    laplace = dp.m.make_laplace(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale=1.0)
    assert dl.audit_mechanism(laplace, [(3, 4)], epsilon="0.5", draws=5000).refuted
    assert not dl.audit_mechanism(laplace, [(3, 4)], epsilon=1, draws=5000).refuted


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"epsilon": -1}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"confidence": 1}, "confidence"),
        ({"draws": 0}, "draws"),
        ({"draws": 1}, "draws"),
        ({"until": "now"}, "until"),
        ({"pairs": None}, "either pairs"),
        ({"pairs": [1, 2]}, "pairs of data sets"),
        ({"pairs": None, "definition": dl.differential_privacy()}, "neighbouring data sets"),
        ({"pairs": None, "definition": 3}, "definition"),
        ({"release": 3}, "can be called"),
        ({"release": InBatches(lambda data, count: [1])}, "as many outputs"),
        ({"release": Command("no-such-program")}, "names no program"),
        ({"release": Command("cat 'it")}, "never closed"),
        ({"release": Command(f"{sys.executable} -c 'print(1)'")}, "answer every line"),
        ({"release": Command(f"{sys.executable} -c 'raise SystemExit(4)'")}, "exit code 4"),
        (
            {"release": Command(f"{sys.executable} -c 'import time; time.sleep(9)'", seconds=0.2)},
            "more than 0.2 seconds",
        ),
    ],
)
def test_what_cannot_be_audited_is_said(change, words):
    given = {"release": lambda data: data, "pairs": [(0, 1)], "epsilon": 1} | change
    with pytest.raises(InputError, match=words):
        dl.audit_mechanism(given.pop("release"), given.pop("pairs"), **given)


@pytest.mark.parametrize("draws", [2, 3, 5])
def test_a_handful_of_draws_proves_nothing_and_is_no_error(draws):
    found = dl.audit_mechanism(lambda data: data, [(0, 1)] * 4, epsilon=1, draws=draws)
    assert not found.refuted
    assert found.found.untried == 4 - found.found.pairs


ECHO = """
import json, random, sys
for line in sys.stdin:
    data = json.loads(line)
    print(json.dumps(sum(data) + random.choice([-1, 0, 1])), flush=True)
"""


def command(folder, *words):
    program = folder / "noisy.py"
    program.write_text(ECHO, encoding="utf-8")
    for name, data in (("a", [1, 0, 0]), ("b", [1, 1, 0])):
        (folder / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    return CliRunner().invoke(app, ["audit-mechanism", f"{sys.executable} {program}", *words])


@pytest.mark.slow
def test_the_command_audits_a_program(tmp_path):
    files = ["--first", str(tmp_path / "a.json"), "--second", str(tmp_path / "b.json")]
    told = command(tmp_path, *files, "--epsilon", "1", "--delta", "1e-6", "--draws", "4000")
    assert told.exit_code == 1, told.output
    assert told.output.startswith("Refuted: δ is at least 0.")
    told = command(tmp_path, *files, "--epsilon", "1", "--delta", "0.34", "--draws", "3000", "--json")
    assert told.exit_code == 0
    assert not json.loads(told.output)["refuted"]
    told = command(tmp_path, "--people", "20", "--rate", "0.1", "--known", "10", "--epsilon", "0.1", "--draws", "4000")
    assert told.exit_code == 1


def test_the_command_says_what_it_needs(tmp_path):
    assert "Needed either --first" in str(command(tmp_path).exception)
    assert "--rate must lie between 0 and 1" in str(command(tmp_path, "--people", "9", "--rate", "3").exception)
    assert "Needed --rate" in str(command(tmp_path, "--people", "9").exception)
    one = ["--first", str(tmp_path / "a.json")]
    both = [*one, "--second", str(tmp_path / "b.json")]
    assert "--rate and --known" in str(command(tmp_path, *both, "--known", "1").exception)
    assert "as many --second" in str(command(tmp_path, *one).exception)
    (tmp_path / "c.json").write_text("{", encoding="utf-8")
    assert "as JSON" in str(command(tmp_path, *one, "--second", str(tmp_path / "c.json")).exception)
