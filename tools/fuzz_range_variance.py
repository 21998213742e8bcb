"""Compare the bound from range and variance with exact lattice laws plus normal noise, on many random cases.

    PYTHONPATH=tests python tools/fuzz_range_variance.py 10000

Prints the number of violations and the least ratio of the bound to the exact value, overall and where the noise alone
would not do as well.
"""

import sys
from fractions import Fraction

import numpy as np

from dalenius.numerics.gaussian import GaussianCurve
from dalenius.numerics.range_variance import RangeVarianceCurve
from oracle.normal_mixture import CLOSE, random_case


def main(cases: int, seed: int = 2024) -> None:
    """Run that many cases and print what was found."""
    rng = np.random.default_rng(seed)
    violations, told, ratios, helped = 0, 0, [np.inf], [np.inf]
    for _ in range(cases):
        case = random_case(rng)
        variance = Fraction(case.variance * (1 - 1e-12))
        bound = RangeVarianceCurve(variance, case.shift, case.tau).delta(case.epsilon).upper
        alone = GaussianCurve(case.shift / case.tau).delta(case.epsilon).upper
        exact = case.delta()
        violations += bound < exact * (1 - CLOSE) - 1e-13
        if bound < 1 and exact > 1e-11:
            told += 1
            ratios.append(bound / exact)
            if bound < 0.99 * alone:
                helped.append(bound / exact)
    print(f"{cases} cases, {violations} violations; {told} with a bound below 1 and delta above 1e-11")
    print(f"least ratio {min(ratios):.4f}; {len(helped) - 1} where the variance helps, least ratio {min(helped):.4f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
