r"""What moments say of a sum of dependent records: a dependency graph (Stein's method), or independent blocks.

*A dependency graph* joins records so that any two disjoint sets without an edge between them are independent as sets
(it is not enough that each record is independent of those that are not its neighbours: see the test that refutes it).
Let D be the largest number of neighbours, a record itself counted; X_i centred, s² = Var ΣX_i. Then for W = ΣX_i / s

$$ d_W(W, N) \le \frac{D^2}{s^3} \sum E|X_i|^3 + \frac{\sqrt 8\, D^{3/2}}{\sqrt\pi\, s^2} \sqrt{\sum E X_i^4},
   \qquad d_K \le (2/\pi)^{1/4} \sqrt{d_W}. $$

Proof. Stein's equation has a solution with ‖f'‖ ≤ √(2/π), ‖f''‖ ≤ 2, and with T = Σ_i X_i Σ_{j in N_i} X_j, E T = s²,

|E f'(W) - W f(W)| ≤ ‖f'‖ E|1 - T/s²| + (‖f''‖/2) Σ E|X_i (Σ_{N_i} X_j)²| / s³.

In the last sum |x_i x_j x_k| ≤ (|x_i|³ + |x_j|³ + |x_k|³)/3, each index counted at most D² times. For the first,
Cov(X_i X_j, X_k X_l) is 0 unless k or l is among the neighbours of i or j, which for given (i, j) leaves at most 4D² of
the pairs (k, l in N_k), and is at most a quarter of the four fourth moments: Var T ≤ 4 D³ Σ E X_i⁴. The second bound is
that of a law with density at most 1/√(2π).

*Independent blocks* of at most D records: the sums of blocks are independent, and Σ_b E|B_b|³ ≤ D² Σ_i E|X_i|³ (power
means), so the Berry-Esseen bound applies to them: a distance of order n^{-1/2} instead of n^{-1/4}.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.basics.errors import InputError
from dalenius.enclosure.balls import PI, Balls
from dalenius.numerics.moments import Moments


def _checked(records: int, neighbours: int, **numbers: object) -> dict[str, Fraction]:
    if records < 1 or not 1 <= neighbours <= records:
        raise InputError(
            f"Dependent records need at least one record, each with 1 to n neighbours (itself counted), but got "
            f"{records} records and {neighbours}. Correct the numbers."
        )
    found = {}
    for name, number in numbers.items():
        try:
            found[name] = Fraction(str(number))  # 0.1 is one tenth
        except (ValueError, ZeroDivisionError):
            raise InputError(f"{name} must be a finite number, but got {number!r}. Correct it.") from None
        if found[name] <= 0:
            raise InputError(f"{name} must be above 0, but got {number!r}. A sum that does not vary hides nobody.")
    return found


def _root(number: Fraction) -> Balls:
    """The square root of a number that has no unit: moments of small numbers may be below all floats."""
    return Balls.of(number).sqrt()


@final
@dataclass(frozen=True, slots=True)
class GraphMoments:
    """A sum of records with a dependency graph: its variance, Σ E|X|³ and Σ E X⁴ of the centred records, and the
    largest number of neighbours, the record itself counted.

    Only for secrets that add a constant to the sum and leave the law of these records as it is: given the value of a
    record, its neighbours, and theirs, have other laws.

    >>> import dalenius as dl
    >>> graph = dl.numerics.GraphMoments(records=10**6, neighbours=2, variance=2 * 10**6, third=10**6, fourth=10**6)
    >>> print(f"{graph.distance:.4f}")
    0.0541
    """

    records: int
    neighbours: int
    variance: Fraction
    third: Fraction
    fourth: Fraction

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in ("variance", "third", "fourth")}
        for name, number in _checked(self.records, self.neighbours, **given).items():
            object.__setattr__(self, name, number)
        # power means, and Var ΣX ≤ D Σ E X² since 2|E X_i X_j| ≤ E X_i² + E X_j²
        if self.third**4 > self.records * self.fourth**3:
            raise InputError(
                f"No {self.records} records have these moments: (Σ E|X|³)⁴ ≤ n (Σ E X⁴)³ always, but got third "
                f"{float(self.third):g} and fourth {float(self.fourth):g}. Correct them."
            )
        if self.variance**3 > self.neighbours**3 * self.records * self.third**2:
            raise InputError(
                f"No {self.records} records with {self.neighbours} neighbours have these moments: Var³ ≤ D³ n "
                f"(Σ E|X|³)² always, but got variance {float(self.variance):g} and third {float(self.third):g}. "
                "Correct them."
            )

    @property
    def wasserstein(self) -> float:
        """An upper bound on the Wasserstein distance between the standardised sum and the normal law."""
        first = _root(self.neighbours**4 * self.third**2 / self.variance**3)
        second = _root(8 * self.neighbours**3 * self.fourth / self.variance**2) / PI.sqrt()
        return float((first + second).upper)

    @property
    def distance(self) -> float:
        """An upper bound on the largest difference between the two distribution functions."""
        return min(1.0, float(((2 / PI).sqrt() * self.wasserstein).sqrt().upper))

    def __str__(self) -> str:
        return (
            f"n={self.records} with a dependency graph of up to {self.neighbours} neighbours, total variance "
            f"{float(self.variance):g}"
        )


@final
@dataclass(frozen=True, slots=True)
class BlockMoments:
    """Independent blocks of at most `size` records: the variance of their sum, and Σ E|X|³ of the centred records, all
    without the block of the target and without each block that holds a known record.

    >>> BlockMoments(blocks=500_000, size=2, variance=Fraction(2_000_000), third=Fraction(1_000_000)).distance < 8e-4
    True
    """

    blocks: int
    size: int
    variance: Fraction
    third: Fraction

    def __post_init__(self) -> None:
        if self.blocks < 1 or self.size < 1:
            raise InputError(
                f"Blocks need a number and a size of at least 1, but got {self.blocks} blocks of {self.size}. Correct "
                "them; single records are blocks of size 1."
            )
        given = {name: getattr(self, name) for name in ("variance", "third")}
        for name, number in _checked(self.blocks * self.size, self.size, **given).items():
            object.__setattr__(self, name, number)
        Moments(self.blocks, self.variance, self.size**2 * self.third)  # refuses what no blocks have

    @property
    def sums(self) -> Moments:
        """The moments of the sums of blocks."""
        return Moments(self.blocks, self.variance, self.size**2 * self.third)

    @property
    def distance(self) -> float:
        """An upper bound on the largest difference between the distribution functions of the sum and the normal law."""
        return self.sums.distance

    def __str__(self) -> str:
        return f"{self.blocks} independent blocks of up to {self.size} records, total variance {float(self.variance):g}"
