"""How far above the truth the bounds are: random small worlds with several columns, exact, rounded and noisy figures,
all by brute force. Prints how many are below the truth (none may be), and the ratio of bound to truth.

    PYTHONPATH=src:tests python tools/sharpness.py 2000
"""

import sys
from fractions import Fraction

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from judgement.strategies import BOTH, EXACT, NOISY, ROUNDED, worlds
from judgement.worlds import CLOSE, World, truth

try:
    from dalenius.plan.examination import examine
except ImportError:  # the house before it was put in the order of the pipeline
    from dalenius.planning.examination import examine  # type: ignore[import-not-found,no-redef]

CHECKS = list(HealthCheck)
SMALL = 1e-9  # truths that are compared with it would measure the brute force


def measured(many: int) -> list[tuple[float, float, bool]]:
    """Truth and bound of so many worlds, and whether a figure is rounded. Where several figures are about the same
    people, or presence is secret, rounding is not counted.
    """
    found: list[tuple[float, float, bool]] = []

    @seed(18)
    @settings(
        max_examples=many,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(world=worlds([EXACT, EXACT, *ROUNDED, *NOISY, *NOISY, *BOTH], most=4, figures_at_most=3))
    def judged(world: World) -> None:
        exact = truth(world, declared=True)
        wanted = Fraction(min(1.0, 0.9 * exact)).limit_denominator(10**6)
        rounded = any(figure.channel.period for figure in world.figures)
        findings = examine(world.figures, world.question(wanted), lambda *_: None).findings
        found.append((exact, max((finding.delta.upper for finding in findings), default=0.0), rounded))

    judged()
    return found


def main(many: int) -> int:
    """How sharp the bounds are; 1 if one of them is too small."""
    found = measured(many)
    below = [pair for pair in found if pair[1] < pair[0] - CLOSE]
    print(f"{len(found)} worlds, {len(below)} bounds below the truth")
    for words, some in (("all", found), ("nothing rounded", [one for one in found if not one[2]])):
        ratios = np.array([upper / exact for exact, upper, _ in some if exact > SMALL])
        zeros = [upper for exact, upper, _ in some if exact <= SMALL]
        told = ", ".join(f"{share:.0%} {np.quantile(ratios, share):.6g}" for share in (0.5, 0.9, 0.95, 0.99, 1))
        print(f"{words}: bound / truth {told}; within 1 %: {np.mean(ratios < 1.01):.1%}")
        above = sum(upper > SMALL for upper in zeros)
        print(f"  where nothing is told, {above} of {len(zeros)} have a bound above 0")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
