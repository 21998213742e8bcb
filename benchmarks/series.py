"""`python -m benchmarks series`: twelve months of a register, each judged with all before it."""

import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import dalenius as dl
from benchmarks.claim import Row, at_most, remark

PEOPLE = 20_000
MONTHS, SHARE, LONGEST = 12, 0.01, 5.0


def register(people: int) -> "list[pd.DataFrame]":
    """The table of each month: one in a hundred joins, leaves and is drawn anew."""
    dice = np.random.default_rng(1)
    table = pd.DataFrame({"id": np.arange(people), "since": 1, "until": 99, "ill": dice.random(people) < 0.18})
    tables = [table]
    for month in range(2, MONTHS + 1):
        table, few = table.copy(), int(people * SHARE)
        left = dice.choice(np.flatnonzero(table["until"] == 99), few, replace=False)
        table.loc[left, "until"] = month - 1
        again = dice.random(len(table)) < SHARE
        table.loc[again, "ill"] = dice.random(int(again.sum())) < 0.18
        came = {
            "id": np.arange(len(table), len(table) + few),
            "since": month,
            "until": 99,
            "ill": dice.random(few) < 0.18,
        }
        table = pd.concat([table, pd.DataFrame(came)], ignore_index=True)
        tables.append(table)
    return [table.assign(ill=np.where(table["ill"], "yes", "no")) for table in tables]


def spec(month: int) -> dict[str, object]:
    """A count a month."""
    return {
        "person": "id",
        "public": {"since": {"bounds": [1, 99]}, "until": {"bounds": [1, 99]}},
        "confidential": {"ill": ["no", "yes"]},
        "beliefs": {"ill": {"probabilities": {"yes": "0.18", "no": "rest"}, "source": "a survey"}},
        "attacker": {"knows": "0.05", "source": "the largest employer"},
        "target": {"epsilon": 1, "delta": "1e-6"},
        "edition": {"now": month, "since": "since", "until": "until"},
        "series": {
            "editions": 12,
            "changes": {"ill": "0.01"},
            "joins": "0.01",
            "leaves": "0.01",
            "source": "last year",
        },
        "figures": [{"name": "ill", "kind": "count", "where": {"ill": "yes"}}],
    }


def series() -> list[Row]:
    """Seconds of the slowest month, and of the first, which loads everything."""
    folder, seconds, verdicts = Path(tempfile.mkdtemp()), list[float](), list[str]()
    for month, table in enumerate(register(PEOPLE), 1):
        start = time.monotonic()
        decision = dl.decide(spec(month), table, ledger=folder / "ledger.sqlite", margins=False)
        seconds.append(time.monotonic() - start)
        verdicts.append(decision.verdict)
        if decision.verdict == "pass":
            dl.release_folder(decision, folder / str(month))
    exact = f"{verdicts.count('pass')} of {MONTHS} exactly"
    return [
        at_most(
            "twelve months of 20,000 people: months that do not go out exactly", MONTHS - verdicts.count("pass"), 0
        ),
        at_most("each month judged with all before it", max(seconds[1:]), LONGEST, " s", note=exact),
        remark("the first month", f"{seconds[0]:.1f} s"),
    ]
