"""What is assumed of floating-point arithmetic. Every error bound of the engine rests on these numbers.

- Arithmetic is IEEE double precision, rounded to nearest: each operation errs by at most `UNIT` relatively.
- Elementary functions (exp, expm1, log1p, sin, cos, arctan2) err by at most `LIBM` units, that is 4 ulp.
- Products, quotients, square roots and absolute values of complex numbers err by at most `COMPLEX` units, relative to
  their absolute value.
- The scaled complementary error function errs by at most `ERFCX` units, and by 8x² more at negative x.
- numpy's `sum` over a contiguous axis is pairwise: it errs by at most `pairwise(n)` units, relative to the
  sum of the absolute values.
- An FFT of length N errs, in the Euclidean norm, by at most `FFT` log2(N) units relative to the norm of its result.

The tests stress these against ball arithmetic; certificates print them as assumptions.
"""

import math

UNIT = 2.0**-53
LIBM = 8  # 4 ulp
COMPLEX = 4  # of products, quotients, square roots and absolute values of complex numbers
ERFCX = 32  # of scipy's scaled complementary error function
FFT = 4.0
GRID = 3  # units by which a frequency 2πj/N may be off as a float: π by 0.4, a quotient and a product
RAISED = 1.001  # by which a bound that was itself rounded to nearest is raised: far more than any of them loses
SMALLEST = 5e-324  # the smallest float: a product below it loses less than that
TINY = 1e-300  # below this, products may underflow; it is charged where that can happen

ASSUMPTIONS = (
    f"elementary functions err by at most {LIBM // 2} units in the last place",
    f"an FFT of length N errs by at most {FFT:g} log2(N) units relative to its Euclidean norm",
)


def pairwise(count: int) -> float:
    """Units of error of a pairwise sum of `count` terms: blocks of 128 in eight accumulators and up to seven terms
    after them, then a tree.
    """
    return 26.0 + max(0.0, math.log2(max(count, 1)) - 7.0)
