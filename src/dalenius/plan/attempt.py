"""Ways to change figures, tried one after the other as long as there is time."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import final

from dalenius.basics.patience import Left, TimeUpError, go_on
from dalenius.plan.alternative import Alternative, Way

TIME_UP = "not tried to the end: the time that was given for it was up"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A way to try: what is looked for in words, and the search. `first`: it takes little time and nearly always leads
    somewhere, so it comes before all others.
    """

    way: Way
    what: str
    search: Callable[[], Iterable[Alternative]]
    first: bool = False


def try_all(
    ways: Sequence[Attempt | Alternative], names: tuple[str, ...], left: Left
) -> tuple[list[Alternative], list[str]]:
    """What came of each way, in their order; and what was not tried to the end, because no time was left. Ways that
    need no search are given as what came of them.
    """
    came = {place: [way] for place, way in enumerate(ways) if isinstance(way, Alternative)}
    attempts = {place: way for place, way in enumerate(ways) if isinstance(way, Attempt)}
    untried: dict[int, str] = {}
    for place, attempt in sorted(attempts.items(), key=lambda one: not one[1].first):
        try:
            go_on(left)
            came[place] = list(attempt.search())
        except TimeUpError:
            came[place] = [Alternative(attempt.way, names, why=TIME_UP)]
            untried[place] = attempt.what
    every = [way for place in range(len(ways)) for way in came[place]]
    return every, [untried[place] for place in sorted(untried)]
