"""Sessions of ACRO, each of three linked crosstabs of three columns of a sample, with small cells hidden.

The table has nursery's shape: all combinations of eight columns, 12,960 rows, and a ninth column that is made of them.
`run_acro.py FOLDER SESSIONS WAY` writes FOLDER/0, FOLDER/1, ...; with `attached` each has dalenius behind its check.
"""

import itertools
import json
import logging
import os
import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import acro  # noqa: E402 - after the warnings are off
import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402

COLUMNS = {
    "parents": ["usual", "pretentious", "great_pret"],
    "has_nurs": ["proper", "less_proper", "improper", "critical", "very_crit"],
    "form": ["complete", "completed", "incomplete", "foster"],
    "children": ["one", "two", "three", "more"],
    "housing": ["convenient", "less_conv", "critical"],
    "finance": ["convenient", "inconv"],
    "social": ["nonprob", "slightly_prob", "problematic"],
    "health": ["recommended", "priority", "not_recom"],
}


def nursery() -> pd.DataFrame:
    """All combinations, and a rare and a few common classes made of them."""
    table = pd.DataFrame(list(itertools.product(*COLUMNS.values())), columns=list(COLUMNS))
    score = sum(table[name].map({label: at for at, label in enumerate(COLUMNS[name])}) for name in COLUMNS)
    decided = np.select([score <= 2, score <= 5, score <= 9], ["recommend", "very_recom", "priority"], "spec_prior")
    table["recommend"] = np.where(table["health"] == "not_recom", "not_recom", decided)
    return table


def main(folder: Path, sessions: int, way: str) -> None:
    logging.disable(logging.CRITICAL)
    table = nursery()
    rng = np.random.default_rng(117)
    checks = []
    for number in range(sessions):
        sample = table.sample(700, random_state=int(rng.integers(1 << 30)))
        # Every other session has the column with rare labels; the others have hardly anything to hide.
        chosen = [*map(str, rng.choice([*COLUMNS], 3, replace=False))]
        columns = ["recommend", *chosen[:2]] if number % 2 == 0 else chosen
        session = acro.ACRO(suppress=True)
        if way == "attached":
            import dalenius.desk.acro

            dalenius.desk.acro.attach(session)
        for one, other in itertools.combinations(columns, 2):
            session.crosstab(sample[one], sample[other], margins=True)
        checks.append([record.fair["check_status"] for record in session.results.results.values()])
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            kept, sys.stdout = sys.stdout, nowhere
            session.finalise(str(folder / str(number)), "json")
            sys.stdout = kept
        truth = {"columns": columns, "rows": sample[columns].to_numpy().tolist()}
        (folder / str(number) / "truth.txt").write_text(json.dumps(truth), encoding="utf-8")
    print(json.dumps({"table": list(table.shape), "checks": checks}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
