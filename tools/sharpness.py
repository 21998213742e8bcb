"""How far above the truth the bounds are: random small worlds, all by brute force. Prints for each sort of worlds how
many bounds are below the truth (none may be), and the ratio of bound to truth.

    PYTHONPATH=src:tests python tools/sharpness.py 2000            # all sorts, so many worlds of each
    PYTHONPATH=src:tests python tools/sharpness.py 2000 missing    # one sort
"""

import random
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from dalenius.plan.examination import examine
from judgement.clamped import clamped_truth
from judgement.strategies import BOTH, EXACT, NOISY, ROUNDED, worlds
from judgement.test_joint_beliefs import joint_worlds
from judgement.worlds import CLOSE, World, truth
from linked.noisy_cells import worlds as noisy_cells
from spec import test_missing, test_persons
from spec.kinds import KINDS, Small
from spec.test_kinds_truth import certified

SMALL = 1e-9  # truths that are compared with it would measure the brute force
Pair = tuple[float, float]  # truth and bound


def drawn(strategy: st.SearchStrategy[object], compared: Callable[..., Pair], many: int) -> list[Pair]:
    """Truth and bound of so many worlds that a strategy makes."""
    found: list[Pair] = []

    @seed(18)
    @settings(
        max_examples=many,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(world=strategy)
    def judged(world: object) -> None:
        found.append(compared(world))

    judged()
    return found


def examined(world: World) -> Pair:
    """Several figures of several columns."""
    exact = truth(world, declared=True)
    wanted = Fraction(min(1.0, 0.9 * exact)).limit_denominator(10**6)
    findings = examine(world.figures, world.question(wanted), lambda *_: None).findings
    return exact, max((finding.delta.upper for finding in findings), default=0.0)


def beside_noise(world: World) -> Pair:
    """Cells with noise beside exact margins, or some of them."""
    exact = clamped_truth(world)
    wanted = Fraction(min(1.0, 0.9 * exact)).limit_denominator(10**6)
    findings = examine(world.figures, world.question(wanted), lambda *_: None).findings
    return exact, max((finding.delta.upper for finding in findings), default=0.0)


def kinds(many: int) -> list[Pair]:
    """Percentages, means of some, weighted totals, variances, medians and so on, in turn."""
    dice, found = random.Random(18), list[Pair]()
    for name in (list(KINDS) * many)[:many]:
        kind = KINDS[name]
        small = Small.random(dice, most=4 if len(kind.uses) > 1 else 5)
        found.append((small.truth(kind.says, kind.uses), certified(small, kind)))
    return found


def record(world: object) -> Pair:
    """One record a person, made of several rows."""
    exact, _, upper = test_persons.compared(world)
    return exact, upper


SORTS: dict[str, Callable[[int], list[Pair]]] = {
    "columns": lambda many: drawn(
        worlds([EXACT, EXACT, *ROUNDED, *NOISY, *NOISY, *BOTH], most=4, figures_at_most=3), examined, many
    ),
    "unrounded": lambda many: drawn(
        worlds([EXACT, EXACT, EXACT, *NOISY, *NOISY], most=4, figures_at_most=3), examined, many
    ),
    "kinds": kinds,
    "missing": lambda many: drawn(test_missing.worlds(), test_missing.compared, many),
    "persons": lambda many: drawn(test_persons.worlds(), record, many),
    "beside noise": lambda many: drawn(noisy_cells(most=7), beside_noise, many),
    "joint": lambda many: drawn(joint_worlds([EXACT, EXACT, *NOISY], most=4), examined, many),
}


def measured(name: str, many: int) -> bool:
    """Print how sharp the bounds are; whether none of them is too small."""
    found = SORTS[name](many)
    below = sum(upper < exact - CLOSE for exact, upper in found)
    ratios = np.array([upper / exact for exact, upper in found if exact > SMALL])
    zeros = [upper for exact, upper in found if exact <= SMALL]
    print(f"{name}: {len(found)} worlds, {below} bounds below the truth")
    print(
        f"  {len(zeros)} where nothing is told, of which {sum(upper > SMALL for upper in zeros)} have a bound above 0"
    )
    told = ", ".join(f"{share:.0%} {np.quantile(ratios, share):.6g}" for share in (0.5, 0.9, 0.95, 0.99, 1))
    print(f"  bound / truth: {told}; within 1 %: {np.mean(ratios < 1.01):.1%}", flush=True)
    return not below


def main(many: int, names: list[str]) -> int:
    """1 if a bound is too small."""
    sound = [measured(name, many) for name in names or SORTS]
    return 0 if all(sound) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, sys.argv[2:]))
