"""The least rounding of a declared ladder."""

from collections.abc import Callable, Sequence

from dalenius.mechanisms import Chain, Rounded
from dalenius.numerics.least import scan
from dalenius.plan.calibration.figure import LADDER, FigureSetting

COARSEST = 10  # a base of more than a tenth of what a group can add up to says nothing any more


def least_rounding(
    setting: FigureSetting,
    ladder: Sequence[int] = LADDER,
    *,
    tried: Callable[[int], None] = lambda _base: None,
) -> int | None:
    """The smallest base of the ladder that makes every case safe; None if there is none.

    Coarser may leak more, so each base is certified by itself, and the answer is minimal on the ladder only. Columns of
    very many values are not tried: every place between two multiples would have to be judged with every move.
    """
    if setting.wide:
        return None
    largest = setting.smallest * max(1, setting.move) // COARSEST

    def holds(base: int) -> bool:
        tried(base)
        channel, enough = Chain((Rounded(base),)), setting.docket.enough
        return setting.most(channel, few=True) <= enough and setting.most(channel) <= enough

    return scan(holds, 0, (base for base in ladder if base <= largest))[1]
