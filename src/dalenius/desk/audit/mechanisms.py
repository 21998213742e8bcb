"""An audit of somebody's mechanism: draws of it prove what it gives away at least."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import Any, Literal, TypeAlias, final

from dalenius.audit.mechanism.search import FEWEST, Claim, EventSearch, MechanismFound
from dalenius.basics.errors import InputError, require
from dalenius.basics.limits import LARGEST_EPSILON, MOST_DRAWS
from dalenius.data.datasets import WorldPair, pairs_under, world_pairs
from dalenius.data.drawing import Drawer, Release
from dalenius.enclosure.outward import float_after, lowered
from dalenius.facts.records import exact, is_integer
from dalenius.plan import Spreader
from dalenius.show.mechanism import answer_of, mechanism_json, mechanism_text

Progress: TypeAlias = Callable[[str, int, int], None]
Number: TypeAlias = int | float | str | Fraction

DRAWS = 1_000_000
SECONDS = 60.0
CONFIDENCE = "0.95"
LEAST_RISK = Fraction(1, 10**12)


@final
@dataclass(frozen=True)
class MechanismAudit:
    """What draws of a mechanism prove. With the stated confidence both lower bounds hold, at once."""

    found: MechanismFound
    pairs: tuple[str, ...]
    confidence: Fraction
    complete: bool  # whether all draws were made, or a refutation ended the audit

    @property
    def refuted(self) -> bool:
        """Whether the claim is proved false. That it is not, proves nothing."""
        return self.found.refuted

    @property
    def delta(self) -> float:
        """The least that δ is at the claimed ε."""
        return self.found.delta

    @property
    def epsilon(self) -> float:
        """The least that ε is at the claimed δ."""
        return self.found.epsilon

    @property
    def power(self) -> float:
        """A δ that would have been refuted nine times in ten."""
        return self.found.power

    @property
    def answer(self) -> str:
        """In a sentence."""
        return answer_of(self.found, self.confidence)

    def text(self) -> str:
        """In words, with the event that tells the worlds apart."""
        return mechanism_text(self.found, self.pairs, self.confidence, complete=self.complete)

    def json(self) -> dict[str, Any]:
        """For machines."""
        return mechanism_json(self.found, self.pairs, self.confidence, complete=self.complete)

    def __str__(self) -> str:
        return self.text()


def audit_mechanism(
    release: Release,
    pairs: Sequence[tuple[Any, Any]] | None = None,
    *,
    definition: object = None,
    epsilon: Number,
    delta: Number = 0,
    draws: int = DRAWS,
    confidence: Number = CONFIDENCE,
    until: Literal["refuted", "done"] = "refuted",
    seconds: float = SECONDS,
    spread: Spreader | None = None,
    progress: Progress | None = None,
) -> MechanismAudit:
    r"""Does a randomised release keep the (ε, δ) that is claimed of it? Draws of it may prove that it does not.

    `release(data)` gives one output: any function, such as a measurement of OpenDP; or `dalenius.data.InBatches(f)`
    with `f(data, count)`, or `dalenius.data.Command(line)`. What must look alike is given by `pairs` of data sets, or
    by a `definition` such as `dl.noiseless(dl.IID(p=0.1, n=100))`: then data sets are drawn from the belief, given each
    fact about one person, and a release without any noise can be audited, too.

    `draws` is how many are made of each world at most. Both bounds hold with probability `confidence`, however early it
    ends: it bets on events that it found in earlier draws, and a false bound would be a bet won by chance
    (`dalenius.audit.mechanism.wealth` has the theorem and its proof). It ends at the first refutation; with
    `until="done"` at the last draw, with the largest bounds. Not refuted is no proof that a claim is true.

    It rests on draws that are independent of each other. With `spread=dalenius.data.on_cores()` or
    `on_spark(session)` several processes draw; each must roll dice of its own.

    >>> import dalenius as dl
    >>> survey = dl.mechanisms.RandomizedResponse(keep="3/4")
    >>> coins = dl.data.InBatches(lambda answer, count: dl.data.randomized_answers(survey, [answer] * count))
    >>> found = audit_mechanism(coins, [(0, 1)], epsilon=0.5, draws=20_000)
    >>> found.refuted, 0.5 < found.epsilon < 1.11
    (True, True)
    """
    level = exact(epsilon, name="epsilon")
    rest = exact(delta, name="delta")
    require(0 <= level <= LARGEST_EPSILON / 4, "an epsilon from 0 to 25", got=str(level))
    require(0 <= rest < 1, "a delta from 0 to below 1", got=str(rest))
    sure = exact(confidence, name="The confidence")
    require(0 < 1 - sure < 1, "a confidence between 0 and 1", got=str(sure), remedy='Write confidence="0.95".')
    require(is_integer(draws) and FEWEST <= draws <= MOST_DRAWS, f"{FEWEST} to {MOST_DRAWS} draws", got=draws)
    require(until in ("refuted", "done"), 'until="refuted" or until="done"', got=until)
    if not callable(release) and not hasattr(release, "run") and not hasattr(release, "function"):
        raise InputError(f"Needed a release that can be called with data, but got {type(release).__name__}.")
    worlds = _worlds(pairs, definition)
    off = max(pair.off for pair in worlds) * draws
    risk = 1 - sure - off
    if risk < LEAST_RISK:
        raise InputError(
            f"So many draws of so many records leave less than {float(LEAST_RISK):g} of the risk that a confidence of "
            f"{sure} allows. Ask for less confidence, or for fewer draws."
        )
    started = monotonic()
    search = EventSearch(
        Drawer(release, worlds, spread),
        len(worlds),
        # a claim is compared with what is above it in any case
        Claim(float_after(float(level)), float(rest)),
        lowered(float(risk), 1000),
        int(draws),
        until == "refuted",
        lambda: monotonic() - started < seconds,
        progress or (lambda *_: None),
    )
    found = search.run()
    done = found.draws >= draws or (found.refuted and until == "refuted")
    return MechanismAudit(found, tuple(pair.name for pair in worlds), sure, done)


def _worlds(pairs: Sequence[tuple[Any, Any]] | None, definition: object) -> tuple[WorldPair, ...]:
    if (pairs is None) == (definition is None):
        raise InputError(
            "Needed either pairs=[(data, neighbour), ...] or a definition such as dl.noiseless(dl.IID(p=0.1, n=100)). "
            "Give one of them."
        )
    return pairs_under(definition) if pairs is None else world_pairs(pairs)
