"""Attacks on published figures, each in a few lines: against a rule of thumb, against noise, and against dalenius.

Somebody wants to know one yes/no fact about one person, of which they think beforehand that either is as likely. Each
attack is played many times, with other people's answers drawn anew; what is returned is how often the guess was right.
A half is what guessing without any figure gives. What dalenius does is asked of dalenius: it decides by what is
declared, never by the data, so where it refuses it refuses always. The dice are those of whoever plays.
"""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, final

import numpy as np
import pyarrow as pa

import dalenius as dl

Dice: TypeAlias = np.random.Generator

EPSILON, DELTA = "0.5", "1e-3"  # the target throughout, and the whole budget of the noise


@final
@dataclass(frozen=True, slots=True)
class Played:
    """How often the guess was right, by defence."""

    attack: str
    rule: float
    noise: float
    dalenius: float

    def line(self) -> str:
        """As a row of a table."""
        return f"| {self.attack} | {self.rule:.0%} | {self.noise:.0%} | {self.dalenius:.0%} |"


def _geometric(dice: Dice, scale: float, count: int) -> Any:
    """Two-sided geometric noise."""
    chance = 1 - np.exp(-1 / scale)
    return dice.geometric(chance, count) - dice.geometric(chance, count)


def _right(guess: Any, fact: Any) -> float:
    return float(np.mean(np.asarray(guess).astype(bool) == np.asarray(fact).astype(bool)))


def _facts(dice: Dice, runs: int) -> Any:
    return dice.integers(0, 2, runs)


def _answered(passes: bool, seen: Any, dice: Dice, runs: int) -> Any:  # noqa: FBT001 - a verdict
    """The guess from what was published; a coin where nothing was."""
    return seen if passes else _facts(dice, runs)


def threshold(dice: Dice, runs: int) -> Played:
    """Counts below ten are hidden. The attacker knows nine others in the cell: shown means that you are in it, too."""
    fact = _facts(dice, runs)
    count = 9 + fact
    noisy = count + _geometric(dice, 1 / float(EPSILON), runs)
    attacker = dl.noiseless(dl.IID(p="0.5", n=10, known=9))
    passes = bool(dl.verify(dl.Count(), attacker, epsilon=EPSILON, delta=DELTA).verdict == "pass")
    return Played(
        "threshold",
        _right(count >= 10, fact),
        _right(noisy > 9.5, fact),
        _right(_answered(passes, count >= 10, dice, runs), fact),
    )


def narrowing(dice: Dice, runs: int) -> Played:
    """A query interface answers about ten persons or more. How many smokers are in the town? How many, but for who is
    older than 90?
    """
    fact = _facts(dice, runs)
    others = dice.binomial(399, 0.3, runs)
    noise = _geometric(dice, 2 / float(EPSILON), runs) - _geometric(dice, 2 / float(EPSILON), runs)
    rows = {"town": ["a"] * 400 + ["b"] * 400, "over_90": ["no"] * 399 + ["yes"] + ["no"] * 400}
    smokers = {"kind": "count", "where": {"smoker": "yes"}}
    guard = _guard({"town": ["a", "b"], "over_90": ["no", "yes"]}, rows, {"name": "town", "by": "town", **smokers})
    where = {"town": "a", "over_90": "no", "smoker": "yes"}
    passes = guard.may({"name": "but for one", "kind": "count", "where": where}).verdict == "pass"
    seen = (others + fact) - others
    return Played(
        "narrowing filter",
        _right(seen, fact),
        _right(seen + noise > 0.5, fact),
        _right(_answered(passes, seen, dice, runs), fact),
    )


def averaging(dice: Dice, runs: int, *, questions: int = 200) -> Played:
    """A count is rounded to multiples of three, up or down by dice, anew for each question; the attacker knows all the
    others, asks often, and takes the mean. Noise has one budget for all questions. dalenius releases the count once,
    and exactly, to attackers who know a tenth of the people.
    """
    fact = _facts(dice, runs)
    count = 50 + fact
    rounded = 3 * (count // 3) + 3 * dice.binomial(questions, (count % 3) / 3) / questions
    scale = questions / float(EPSILON)
    noisy = count + np.array([_geometric(dice, scale, questions).mean() for _ in range(runs)])
    attacker = dl.noiseless(dl.IID(p="0.5", n=4000, known="0.1"))
    passes = bool(dl.verify(dl.Count(), attacker, epsilon=EPSILON, delta=DELTA).verdict == "pass")
    once = dice.binomial(3599, 0.5, runs) + fact  # of those whom the attacker does not know
    return Played(
        "averaging",
        _right(rounded > 50.5, fact),
        _right(noisy > 50.5, fact),
        _right(_answered(passes, once > 1800, dice, runs), fact),
    )


def differencing(dice: Dice, runs: int) -> Played:
    """Two tables of the same people, one by age up to 17, the other up to 18. Each cell has hundreds; one is 18."""
    fact = _facts(dice, runs)
    children = dice.binomial(300, 0.3, runs)
    noise = _geometric(dice, 2 / float(EPSILON), runs) - _geometric(dice, 2 / float(EPSILON), runs)
    rows = {"to_17": ["yes"] * 300 + ["no"] * 401, "to_18": ["yes"] * 301 + ["no"] * 400}
    smokers = {"kind": "count", "where": {"smoker": "yes"}}
    guard = _guard({"to_17": ["yes", "no"], "to_18": ["yes", "no"]}, rows, {"name": "one", "by": "to_17", **smokers})
    passes = guard.may({"name": "other", "by": "to_18", **smokers}).verdict == "pass"
    seen = (children + fact) - children
    return Played(
        "differencing",
        _right(seen, fact),
        _right(seen + noise > 0.5, fact),
        _right(_answered(passes, seen, dice, runs), fact),
    )


def missing_answers(dice: Dice, runs: int) -> Played:
    """A cell in which everybody gave the same answer is hidden, because it would tell everybody's. The attacker knows
    that the eleven others said yes: hidden means that you did, too.
    """
    fact = _facts(dice, runs)
    count = 11 + fact
    noisy = count + _geometric(dice, 1 / float(EPSILON), runs)
    attacker = dl.noiseless(dl.IID(p="0.5", n=12, known=11))
    passes = bool(dl.verify(dl.Count(), attacker, epsilon=EPSILON, delta=DELTA).verdict == "pass")
    hidden = count == 12
    return Played(
        "missing answers",
        _right(hidden, fact),
        _right(noisy > 11.5, fact),
        _right(_answered(passes, hidden, dice, runs), fact),
    )


def linked_tables(dice: Dice, runs: int) -> Played:
    """A small cell is hidden, and a second one so that the first does not follow; another table shows the second."""
    fact = _facts(dice, runs)
    women = 5 + fact
    men = dice.integers(40, 60, runs)
    seen = (women + men) - men
    scale = 3 / float(EPSILON)  # three numbers are about each
    noise = _geometric(dice, scale, runs) - _geometric(dice, scale, runs)
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder) / "one.csv", Path(folder) / "other.csv"
        cells = ("north,men,x", "north,women,x", "south,men,x", "south,women,x")
        totals = ("north,Total,57", "south,Total,90", "Total,men,83", "Total,women,64", "Total,Total,147")
        one.write_text("\n".join(("region,sex,count", *cells, *totals)) + "\n", encoding="utf-8")
        shown = ("north,men,51", "north,women,x", "south,men,32", "south,women,x", "Total,men,83", "Total,women,64")
        other.write_text("\n".join(("region,sex,count", *shown)) + "\n", encoding="utf-8")
        passes = dl.audit(one, other, remedy=False).verdict == "pass"
    return Played(
        "linked tables",
        _right(seen > 5, fact),
        _right(seen + noise > 5.5, fact),
        _right(_answered(passes, seen > 5, dice, runs), fact),
    )


def exam_queue(dice: Dice, runs: int) -> Played:
    """Each student starts when the one before has passed. Noise for one record does not hide who has: half of the queue
    moves the count by ten.
    """
    fact = _facts(dice, runs)
    passed = np.where(fact == 1, dice.integers(10, 21, runs), dice.integers(0, 10, runs))
    noisy = passed + _geometric(dice, 1 / float(EPSILON), runs)
    queue = dl.Markov(
        start={"pass": "0.5", "wait": "0.5"},
        moves={"pass": {"pass": "0.9", "wait": "0.1"}, "wait": {"pass": "0.001", "wait": "0.999"}},
        n=20,
    )
    counted = dl.Count(frozenset({"pass"})) >> dl.two_sided_geometric(2)
    passes = bool(dl.verify(counted, dl.noiseless(queue), epsilon=EPSILON, delta=DELTA).verdict == "pass")
    return Played(
        "exam queue",
        _right(passed >= 10, fact),
        _right(noisy > 9.5, fact),
        _right(_answered(passes, noisy > 9.5, dice, runs), fact),
    )


ATTACKS: tuple[Callable[[Dice, int], Played], ...] = (
    threshold,
    narrowing,
    averaging,
    differencing,
    missing_answers,
    linked_tables,
    exam_queue,
)


def _guard(public: Mapping[str, Any], rows: Mapping[str, Any], out: Mapping[str, Any]) -> dl.Guard:
    """A guard that stands where one table is out already."""
    size = len(next(iter(rows.values())))
    spec = {
        "person": "each row",
        "public": dict(public),
        "confidential": {"smoker": ["no", "yes"]},
        "beliefs": {"smoker": {"probabilities": {"yes": 0.3, "no": "rest"}, "source": "a survey"}},
        "attacker": {"knows": 2, "source": "no more than two can be known"},
        "target": {"epsilon": EPSILON, "delta": DELTA},
        "figures": [dict(out)],
    }
    table = pa.table({**rows, "smoker": ["no", "yes"] * (size // 2) + ["no"] * (size % 2)})
    with tempfile.TemporaryDirectory() as folder:
        return dl.Guard(spec, table, ledger=Path(folder) / "ledger.sqlite")
