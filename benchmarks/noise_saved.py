"""How much noise uncertain data save: our least noise, the one by range and variance alone, and differential privacy's.

`make bench` writes the table to docs/noise-saved.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import final

import dalenius as dl
from benchmarks.claim import Row, at_most, remark
from dalenius.mechanisms import Chain
from dalenius.mechanisms.registry import ROWS
from dalenius.plan.calibration import alone, expected_error
from dalenius.plan.calibration.solve import calibrate

PAGE = Path(__file__).parent.parent / "docs" / "noise-saved.md"
GRID = tuple(
    (n, rate, known, epsilon, delta)
    for n, rate in ((100, "0.5"), (100, "0.1"), (1000, "0.5"), (1000, "0.05"), (10_000, "0.01"), (100_000, "0.001"))
    for known in ("0", "0.5")
    for epsilon, delta in (("0.5", "1e-6"), ("0.2", "1e-3"), ("0.1", "1e-4"))
)
HEAD = """# Noise saved

Written by `make bench` (`benchmarks/noise_saved.py`); every number is certified, and minimal to 1 %.

A count of n yes/no records, each yes with probability `rate`; the attacker knows the share γ of them. How much noise
does δ at ε need? Columns: the least two-sided geometric and discrete Gaussian noise beside the uncertainty of the data
(the exact law of the count plus noise), the least normal noise if of the records only the range and the variance are
believed, and both noises by differential privacy alone, whose attacker knows everybody else. Given is the expected
absolute error of the published count; 0 is the exact figure.

| n | rate | γ | ε | δ | geometric | Gaussian | range and variance | DP geometric | DP Gaussian | saved |
|---|---|---|---|---|---|---|---|---|---|---|
"""
TAIL = """
"Saved" is one less the ratio of the cheapest of ours to the cheapest of differential privacy's; a dash: nothing is
certified. The change is steep: until the data by themselves are nearly enough, nearly all of the noise is needed, and
then none. Range and variance alone certify no exact
figure, so they always ask for some noise; where the records vary enough it does not grow with n.
"""


@final
@dataclass(frozen=True, slots=True)
class Saved:
    """One line of the table: expected absolute errors."""

    case: tuple[int, str, str, str, str]
    geometric: float
    gaussian: float
    moments: float | None
    dp_geometric: float
    dp_gaussian: float

    @property
    def saved(self) -> float:
        return 1 - min(self.geometric, self.gaussian) / min(self.dp_geometric, self.dp_gaussian)

    def line(self) -> str:
        n, rate, known, epsilon, delta = self.case
        moments = "-" if self.moments is None else f"{self.moments:.3g}"
        errors = " | ".join(f"{error:.3g}" for error in (self.geometric, self.gaussian))
        others = f"{self.dp_geometric:.3g} | {self.dp_gaussian:.3g}"
        case = f"| {n} | {rate} | {known} | {epsilon} | {delta} |"
        return f"{case} {errors} | {moments} | {others} | {100 * self.saved:.0f} % |"


def saved(case: tuple[int, str, str, str, str]) -> Saved:
    """The least noises of one case."""
    n, rate, known, epsilon, delta = case
    share, exact_rate = Fraction(known), Fraction(rate)
    definition = dl.noiseless(dl.IID(p=rate, n=n, known=share))
    errors = {}
    for kind in ("geometric", "gaussian"):
        found = calibrate(dl.Count(), definition, "noise", epsilon=epsilon, delta=delta, noise=kind)
        errors[kind] = _error(kind, Fraction(found.value))
        by_itself = alone(kind, 1, Fraction(epsilon), Fraction(delta))
        errors[f"dp {kind}"] = _error(kind, by_itself) if by_itself is not None else float("inf")
    belief = dl.beliefs.RangeVariance(n=n, bounds=(0, 1), variance=exact_rate * (1 - exact_rate), known=share)
    scale = belief.least_noise(dl.Count(), epsilon=epsilon, delta=delta)
    moments = None if scale is None else _error("normal", scale)
    return Saved(case, errors["geometric"], errors["gaussian"], moments, errors["dp geometric"], errors["dp gaussian"])


def _error(kind: str, scale: Fraction) -> float:
    return expected_error(Chain((ROWS[kind].made(scale),))) if scale else 0.0


def noise_saved() -> list[Row]:
    """Write the page, and claim that ours is never more than differential privacy's."""
    rows = [saved(case) for case in GRID]
    PAGE.write_text(HEAD + "\n".join(row.line() for row in rows) + "\n" + TAIL, encoding="utf-8")
    worst = max(max(row.geometric / row.dp_geometric, row.gaussian / row.dp_gaussian) for row in rows)
    moments = max(min(row.geometric, row.gaussian) / row.moments for row in rows if row.moments is not None)
    free = sum(min(row.geometric, row.gaussian) == 0 for row in rows)
    return [
        at_most("our least noise / differential privacy's, at worst", worst, 1.011),
        at_most("our least noise / that by range and variance, at worst", moments, 1.011),
        remark("cases that need no noise at all", f"{free} of {len(rows)}"),
    ]
