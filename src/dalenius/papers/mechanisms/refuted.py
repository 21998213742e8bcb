"""Published mechanisms that do not keep their promise, each with an output that breaks it.

They are kept so that nobody builds them again. Nothing here releases anything.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from scipy.special import gammaln

from dalenius.basics.errors import require
from dalenius.enclosure.formats import apart
from dalenius.enclosure.outward import amply_up
from dalenius.facts.records import exact
from dalenius.mechanisms.earned import Kernel, Window
from dalenius.mechanisms.hedging import corrected_window
from dalenius.mechanisms.single_prior import window_for_values

Number = float | str | Fraction


@final
@dataclass(frozen=True, slots=True)
class Violated:
    """An output whose log likelihood ratio between two secrets is beyond what was claimed."""

    mechanism: str
    output: str
    found: float
    claimed: float

    @property
    def refutes(self) -> bool:
        return abs(self.found) > amply_up(self.claimed)

    def __str__(self) -> str:
        sort = "refuted" if self.refutes else "not refuted"
        found, claimed = Fraction(abs(self.found)), Fraction(self.claimed)
        sign = "-" if self.found < 0 else ""
        return (
            f"{self.mechanism} is {sort}: {self.output} has a log likelihood ratio of {sign}{apart(found, claimed)}, "
            f"claimed is {apart(claimed, found)}"
        )


def printed_histogram(cells: Sequence[Number], *, n: int, epsilon: Number, exact_counts: Sequence[int]) -> Violated:
    """Pufferfish, Algorithm 2 (Theorem 7.2: 2ε), where all cells but the last come out exactly with these counts.

    Each count is in its cell's window, but the windows do not bound their sum m. Of a person in the last cell the
    output says (n - m) / (n (1 - q_T)), q_T being the chance of the exact cells, and the noise of one cell says
    nothing: its count is n - m in both worlds.

    >>> print(printed_histogram(["0.17"] * 4 + ["0.32"], n=5, epsilon="0.2", exact_counts=[1] * 4))
    Algorithm 2 as printed is refuted: exactly 1, 1, 1, 1 has a log likelihood ratio of -0.470004, claimed is 0.4
    """
    chances, at = [exact(cell, name="A chance") for cell in cells], exact(epsilon, name="epsilon")
    require(sum(chances) == 1 and min(chances) > 0, "positive chances that sum to 1", got=list(cells))
    require(len(exact_counts) == len(chances) - 1, "a count for each cell but the last", got=len(exact_counts))
    for chance, count in zip(chances, exact_counts, strict=False):
        window = window_for_values(chance, n, at)
        require(count in window, f"counts within their windows, {window}", got=count)
    left = Fraction(n - sum(exact_counts), n)
    require(left > 0, f"counts that leave some of the {n} records", got=list(exact_counts))
    said = f"exactly {', '.join(map(str, exact_counts))}"
    return Violated("Algorithm 2 as printed", said, math.log(left / chances[-1]), 2 * float(at))


def printed_hedging_window(q: Number, *, n: int, epsilon: Number, alpha: Number) -> Window:
    """The window of Algorithm 3 exactly as printed, with its upper end upside down: it is almost always empty."""
    rate, y = float(exact(q, name="q")), float(exact(epsilon, name="epsilon")) / 3
    share = float(exact(alpha, name="alpha"))
    spare = math.log((1 - share) / (share * math.expm1(y)))
    low, high = (math.exp(way) * rate / (math.exp(way) * rate + 1 - rate) for way in (-y, y))
    first = 1 + math.ceil((n - 1) * math.log((1 - low) / (1 - rate)) / y + spare / y)
    last = min(n - 1, math.ceil((n - 1) * math.log((1 - high) / (1 - rate)) / y - spare / y))
    return Window(first, last)


def printed_hedging_histogram(
    stated: Sequence[Number],
    other: Sequence[Number],
    *,
    n: int,
    epsilon: Number,
    alpha: Number,
    exact_count: int,
    noisy_counts: Sequence[int],
) -> Violated:
    """Pufferfish, Algorithm 4 (Theorem 7.3: 2ε), with corrected windows: the first cell of two or three exactly, the
    others noisy. The noisy cells tell the attacker which of the two laws to believe in, and the exact count does not
    have to be plausible under that one.

    Log likelihood ratio of "the person is in the first cell" against "is not among the records".
    """
    laws = [[exact(chance, name="A chance") for chance in law] for law in (stated, other)]
    at, share = exact(epsilon, name="epsilon"), exact(alpha, name="alpha")
    require(all(sum(law) == 1 for law in laws), "laws that sum to 1", got=(list(stated), list(other)))
    require(len(laws[0]) == len(laws[1]) == len(noisy_counts) + 1 <= 3, "two or three cells", got=len(laws[0]))
    window = corrected_window(laws[0][0], n, at, share)
    require(exact_count in window, f"an exact count within the window, {window}", got=exact_count)
    kernels = [Kernel(n, corrected_window(rate, n, at, share), 1 / at) for rate in laws[0][1:]]
    weights = (math.log(share), math.log1p(-float(share)))
    absent = [w + _likelihood(law, n, exact_count, kernels, noisy_counts) for w, law in zip(weights, laws, strict=True)]
    ratios = [math.log(exact_count / (n * float(law[0]))) for law in laws]
    present = [one + ratio for one, ratio in zip(absent, ratios, strict=True)]
    said = f"exactly {exact_count}, about {', about '.join(map(str, noisy_counts))}"
    found = float(np.logaddexp.reduce(present) - np.logaddexp.reduce(absent))
    return Violated("Algorithm 4 with corrected windows", said, found, 2 * float(at))


def _likelihood(
    law: Sequence[Fraction], n: int, exact_count: int, kernels: Sequence[Kernel], noisy: Sequence[int]
) -> float:
    """Log chance of the exact count in the first cell and the noisy ones in the rest, summed over how the rest lies,
    up to what is the same for every law.
    """
    left = n - exact_count
    first = np.arange(left + 1) if len(kernels) == 2 else np.array([left])
    counts = [first, left - first][: len(kernels)]
    total = np.full(len(first), exact_count * math.log(law[0]))
    for chance, count, kernel, told in zip(law[1:], counts, kernels, noisy, strict=True):
        seen = [int(kernel.exponents(int(k), np.array([told]))[0]) for k in count]
        total += count * math.log(chance) - gammaln(count + 1) - np.array(seen) / float(kernel.scale)
    return float(np.logaddexp.reduce(total))


def printed_literal_histogram() -> Violated:
    """Algorithm 4 to the letter, whose window is printed upside down: two records, chances 0.0005 and 0.9995 stated,
    while the attacker holds the first cell to be impossible.

    Exactly one of the two records is in the first cell. If the person is the one, both laws allow it; if not, only the
    stated law does, and it holds that to be rare.

    >>> print(printed_literal_histogram())
    Algorithm 4 as printed is refuted: exactly 1, the rest noisy has a log likelihood ratio of 7.62136, claimed is 6
    """
    share, rare, epsilon = Fraction(49, 100), Fraction(5, 10_000), Fraction(3)
    window = printed_hedging_window(rare, n=2, epsilon=epsilon, alpha=share)
    require(1 in window, "a printed window that holds 1", got=window)
    present = share * (1 - rare) + (1 - share)
    absent = share * 2 * rare * (1 - rare)
    return Violated(
        "Algorithm 4 as printed", "exactly 1, the rest noisy", math.log(present / absent), 2 * float(epsilon)
    )


def printed_noise_total(epsilon: Number) -> float:
    """What the chances of geometric noise sum to, as printed in section 7.1.2: e^-|r| with the constant of e^-ε|r|."""
    return math.tanh(float(exact(epsilon, name="epsilon")) / 2) / math.tanh(0.5)
