"""Write the demo's register and the public tables beside it: `python tools/make_register.py`.

Everything is invented. The register has 20,000 patients of six districts; the public tables are counts from a survey of
other people who follow the same rates. Seeded, so that every run writes the same bytes.
"""

import csv
import gzip
import io
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent.parent / "src" / "dalenius" / "desk" / "examples"
SEED = 20_260_101
PATIENTS = 20_000
ASKED = 20_000  # people of the survey in each district
DISTRICTS = ("Ashford", "Brookvale", "Coldstream", "Dunmore", "Eastmere", "Fairhaven")
SHARES = (0.20, 0.19, 0.18, 0.16, 0.14, 0.13)
DIABETES = (0.08, 0.10, 0.07, 0.12, 0.09, 0.11)
READMITTED = (0.14, 0.12, 0.15, 0.13, 0.16, 0.12)
LONGEST = 30  # nights


def register(dice: np.random.Generator) -> str:
    """One row a patient: district, sex, diabetes, whether they came back within 30 days, nights in hospital."""
    place = dice.choice(len(DISTRICTS), PATIENTS, p=SHARES)
    sex = dice.choice(["f", "m"], PATIENTS)
    diabetes = dice.random(PATIENTS) < np.array(DIABETES)[place]
    back = dice.random(PATIENTS) < np.array(READMITTED)[place]
    nights = np.minimum(dice.geometric(0.25, PATIENTS), LONGEST)
    rows = [
        (f"H{number:05d}", DISTRICTS[at], one, _yes(sick), _yes(again), stay)
        for number, (at, one, sick, again, stay) in enumerate(
            zip(place, sex, diabetes, back, nights, strict=True), start=1
        )
    ]
    return _csv([("patient", "district", "sex", "diabetes", "readmitted", "nights"), *rows])


def survey(dice: np.random.Generator, column: str, rates: tuple[float, ...]) -> str:
    """How many of those asked said yes and no, in each district."""
    rows: list[tuple[object, ...]] = [("district", column, "count")]
    for district, rate in zip(DISTRICTS, rates, strict=True):
        yes = int(dice.binomial(ASKED, rate))
        rows += [(district, "yes", yes), (district, "no", ASKED - yes)]
    return _csv(rows)


def _yes(holds: object) -> str:
    return "yes" if holds else "no"


def _csv(rows: list[tuple[object, ...]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def files() -> dict[str, bytes]:
    """The files by name."""
    dice = np.random.default_rng(SEED)
    packed = gzip.compress(register(dice).encode(), compresslevel=9, mtime=0)
    return {
        "register.csv.gz": packed,
        "diabetes-survey.csv": survey(dice, "diabetes", DIABETES).encode(),
        "readmission-survey.csv": survey(dice, "readmitted", READMITTED).encode(),
    }


if __name__ == "__main__":
    for name, content in files().items():
        (HERE / name).write_bytes(content)
        print(f"{HERE / name}: {len(content)} bytes")
