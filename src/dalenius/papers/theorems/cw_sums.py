"""Coupled worlds, continued: exact sums of numbers of whose laws only a uniform part is known."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from dalenius.basics.errors import require
from dalenius.beliefs.belief import Share
from dalenius.beliefs.uniform_part import UNIT_RANGE, simulated_sum, sum_by_value
from dalenius.claims import Guarantee, Notion
from dalenius.facts.records import Number, exact
from dalenius.numerics.decimals import decimal, evaluated
from dalenius.papers.theorems.cw import stated
from dalenius.papers.theorems.papers import CW
from dalenius.papers.theorems.theorem import Status, Violation, entry, proved, theorem

_entry = partial(entry, paper=CW)
_theorem = partial(theorem, paper=CW)
CLOSE = 1e-3  # how near to the mean over the number of uniform records a bound is taken
INDEPENDENT = "records are independent, each with a density of at least the stated one between the bounds"


def _level(epsilon: Number) -> Fraction:
    at = exact(epsilon, name="epsilon")
    require(at >= 0, "epsilon of at least 0", got=epsilon)
    return at


# -- a simulator -------------------------------------------------------------------------------------------------------


def _moved_away() -> Violation:
    """Ten records uniform on [10, 12], ε = 1; the simulator adds up the nine others. On [-1, 1] 0 is the midpoint."""
    at = Fraction(1)
    return Violation(
        "to translate all records changes neither ε nor δ, with the canonical simulator",
        "ten records uniform on [10, 12] instead of [-1, 1], ε = 1",
        simulated_sum(10, density="1/2", simulator="canonical").delta(at),
        simulated_sum(10, density="1/2", bounds=(10, 12), simulator="canonical").delta(at),
    )


_entry(
    "CW-S3A",
    "Section III-A, without loss of generality",
    Status.REPAIRED,
    covers=("Section III-A",),
    says="records in [a, b] may be moved to [-1, 1]: the sum is as private, with the canonical simulator",
    holds="scaling may be done; translation needs the simulator that adds the midpoint (a + b)/2 for the record",
    sketch="The canonical simulator's sum is off by x_i, and x_i is not near 0; after the move x_i - (a + b)/2 is.",
    counterexample=_moved_away,
    uses=("beliefs.uniform_part.simulated_sum",),
    tests=(
        "numerics/test_irwin_hall.py::test_golden_translation_needs_the_midpoint",
        "finite/test_simulator.py::test_for_sums_the_midpoint_beats_the_canonical_simulator",
    ),
)


@_theorem(
    "CW-T8",
    "Theorem 8",
    Status.SHARPENED,
    says="sums of n + 1 records with density at least η on [-1, 1] have δ = exp(-Ω((2/3) η min((2/3) η, ε²) n))",
    holds="δ ≤ E D(K, ε), K binomial (n, η (b - a)), D the curve of K uniform numbers against a shift of half a range",
    uses=("beliefs.uniform_part.simulated_sum", "numerics.irwin_hall.UniformSum"),
    tests=(
        "numerics/test_irwin_hall.py::test_golden_mixtures_in_blocks",
        "numerics/test_irwin_hall.py::test_golden_unit_shifts",
        "numerics/test_irwin_hall.py::test_golden_uniform_records",
    ),
    assumes=(INDEPENDENT,),
)
def exact_sum(n: int, *, density: Number, epsilon: Number, bounds: Sequence[Number] = UNIT_RANGE) -> Guarantee:
    """With weight η (b - a) a record is uniform. Reveal which are, and all others: by joint convexity δ is a mean of
    the curves of sums of uniform numbers. These are log-concave, so half-lines are the worst events, and the curve
    grows with the shift, which is at most half of the range from the midpoint.
    """
    at = _level(epsilon)
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=stated(epsilon, "epsilon"),
        delta=simulated_sum(n, density=density, bounds=bounds, close=CLOSE).delta(at),
        because=f"each of {n - 1} other records is uniform with a known weight",
        source="CW, Theorem 8, made explicit",
        assumes=(INDEPENDENT,),
        release=f"the exact sum of {n} records",
    )


def _constant_one() -> Violation:
    """201 records uniform on [-1, 1], η = ε = 1/2: the exact δ, beside the printed exponent without its Ω."""
    at, eta = Fraction(1, 2), Fraction(1, 2)
    slow = Fraction(2, 3) * eta
    exponent = slow * min(slow, at**2) * 200
    return Violation(
        "δ = exp(-(2/3) η min((2/3) η, ε²) n), the Ω left out",
        "201 records uniform on [-1, 1], ε = 1/2",
        evaluated(lambda: 1 / decimal(exponent).exp()),
        simulated_sum(201, density=eta).delta(at),
    )


_entry(
    "CW-T8-constant",
    "Theorem 8 with a constant of 1",
    Status.REFUTED,
    covers=("Theorem 8",),
    says="(a reading) the exponent of Theorem 8 may be used without its Ω",
    holds="for small ε the exponent is η ε² n/3 at most, half of what is printed; no closed form is used here",
    sketch="Uniform records have variance 1/3, and a normal law with shift 1 has exponent ε² n/6.",
    counterexample=_constant_one,
    uses=("beliefs.uniform_part.simulated_sum",),
    tests=("numerics/test_irwin_hall.py::test_the_constant_one_of_theorem_8_is_false",),
)


@_theorem(
    "CW-T9",
    "Theorem 9",
    Status.SHARPENED,
    says="the same for mixtures of such beliefs and L known records, with n - L for n",
    holds="the bound of Theorem 8 with n - L for n",
    uses=("beliefs.uniform_part.simulated_sum",),
    tests=("numerics/test_irwin_hall.py::test_golden_mixture_with_known_records_is_the_row_of_the_others",),
    assumes=("records are independent given what is mixed over, each with a density of at least the stated one",),
)
def exact_sum_with_known(
    n: int, *, known: Share, density: Number, epsilon: Number, bounds: Sequence[Number] = UNIT_RANGE
) -> Guarantee:
    """Known records are added on both sides. Given the person's value and the known ones, both worlds are mixed with
    the same weights; each part has the δ of Theorem 8 for the others.
    """
    at = _level(epsilon)
    return proved(
        Notion.DISTRIBUTIONAL,
        epsilon=stated(epsilon, "epsilon"),
        delta=simulated_sum(n, density=density, bounds=bounds, known=known, close=CLOSE).delta(at),
        because="what is known is added on both sides; mixtures are alike if their parts are",
        source="CW, Theorem 9, made explicit",
        release=f"the exact sum of {n} records",
    )


# -- two values --------------------------------------------------------------------------------------------------------


@_theorem(
    "CW-T17",
    "Theorem 17, sums",
    Status.SHARPENED,
    covers=("Theorem 17",),
    says="the sum is noiselessly private with (2ε, (1 + e^ε) δ) for the (ε, δ) of Theorem 8",
    holds="directly: the bound of Theorem 8 with a shift of the whole range, which is less",
    uses=("beliefs.uniform_part.sum_by_value",),
    tests=("numerics/test_irwin_hall.py::test_golden_uniform_records",),
    assumes=(INDEPENDENT,),
)
def exact_sum_by_value(
    n: int, *, density: Number, epsilon: Number, bounds: Sequence[Number] = UNIT_RANGE, known: Share = 0
) -> Guarantee:
    """Two values of the record move the sum by their difference, at most the range; the rest is as for Theorem 8."""
    at = _level(epsilon)
    return proved(
        Notion.NOISELESS,
        epsilon=stated(epsilon, "epsilon"),
        delta=sum_by_value(n, density=density, bounds=bounds, known=known, close=CLOSE).delta(at),
        because="two values of a record move the sum by at most the range",
        source="CW, Theorem 17, sharpened",
        assumes=(INDEPENDENT,),
        release=f"the exact sum of {n} records",
    )
