"""Records that depend on each other as a Markov chain does: each one on the one before it."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Self, final

from dalenius.basics.errors import InputError
from dalenius.beliefs.answers import Answer, Inquiry, Proved
from dalenius.beliefs.belief import SHARE, Belief, Share, known_records, marginal_of, records_of
from dalenius.beliefs.markov_at import Places, all_cuts, checked_places, one_by_one, places_one_by_one, told_places
from dalenius.beliefs.markov_combs import Combs
from dalenius.beliefs.markov_known import KnownCurve, Stretches
from dalenius.beliefs.worst import Push
from dalenius.facts.records import Label
from dalenius.facts.secret import Facts
from dalenius.numerics.chain import MarkovChain, reduced
from dalenius.numerics.chainworlds import worlds
from dalenius.numerics.curve import Constant, Curve, Enclosed, Supremum
from dalenius.numerics.law import Law
from dalenius.numerics.withoutreplacement import spread
from dalenius.numerics.worlds import WorldsCurve

if TYPE_CHECKING:
    from dalenius.facts.statistics import Statistic

Chances = Mapping[Label | Fraction, float | str | Fraction]

LONGEST = 10_000_000
AT = "the attacker knows the records at the stated places, and nothing else about the rest"
CHAIN = "records form a Markov chain with the stated start and moves, and their order is known"


@final
class Markov(Belief):
    """n records in a known order, each of which depends on the one before it: a Markov chain.

    `start` has the chances of the first record's values, `moves` for each value the chances of the next record's. A
    value that is not listed has chance 0. The secret is the value of any one record, at any place in the chain.

    Given X_i = a the other records have other laws than given X_i = b, before and after it, so the two worlds are not
    shifts of each other: a record that its neighbours follow is betrayed by many records.

    >>> stay = Markov(start={0: "1/2", 1: "1/2"}, moves={0: {0: 0.9, 1: 0.1}, 1: {0: 0.1, 1: 0.9}}, n=100)
    >>> print(stay)
    a Markov chain of 2 values, n=100, attacker knows 0
    >>> from dalenius import Count, noiseless, verify
    >>> print(verify(Count(), noiseless(stay), epsilon=1).delta)
    [0.02976, 0.02977]

    Only values that a record can have, given what is known, are told apart: nothing follows from a value that is
    impossible. Of an attacker who knows records it is not assumed which ones, nor which values they have: δ is
    bracketed over all of that (`markov_known`). An attacker who knows nobody is always among them, since in a chain
    to know less may tell more: neighbours who are known no longer move with the target.

    With `known_at` it is stated which records are known, by their places 1, ..., n: then δ is exact. A list of places
    means the worst values that these records can have together, a mapping the stated ones. `target_at` states whose
    record is the secret; otherwise it is that of any unknown record.

    >>> print(verify(Count(), noiseless(stay.at((50, 60))), epsilon=1).delta)
    [0.04755, 0.04756]
    """

    def __init__(
        self,
        *,
        start: Chances,
        moves: Mapping[Label | Fraction, Chances],
        n: int,
        known: Share = 0,
        known_at: Places = (),
        target_at: int | None = None,
    ) -> None:
        n = records_of(n)
        if not 1 <= n <= LONGEST:
            raise InputError(f"Markov needs 1 to {LONGEST} records, but got n={n}. Correct the number of records.")
        self.states = tuple(dict.fromkeys(moves))
        self.start = _row(start, self.states, "The chances of the first record")
        self.moves = tuple(_row(moves[state], self.states, f"The chances after {state}") for state in self.states)
        self.n, self.known = n, known_records(known, n)
        self.known_at, self.target_at = self._checked(known_at, target_at)
        if self.known_at and self.known:
            raise InputError(
                f"The known records are given by their number or by their places, but got known={self.known} and "
                "known_at. Leave out known=: who is known follows from known_at."
            )
        self.known = self.known or len(self.known_at)
        self._curves: dict[object, Curve] = {}  # shared with those who know more or less
        self._stretches: dict[MarkovChain, Stretches | None] = {}

    def at(self, known_at: Places = (), target_at: int | None = None) -> Self:
        """The same chain, for an attacker who knows the records at these places, and for this target (or any)."""
        places, target = self._checked(known_at, target_at)
        now = {"known": len(places), "known_at": places, "target_at": target}
        return self._changed(now, {**now, "known_at": known_at})

    def knowing(self, known: int) -> Self:
        """The same chain, for an attacker who knows this many records, wherever they are."""
        now = {"known": known_records(known, self.n), "known_at": {}, "target_at": None}
        return self._changed(now, {**now, "known_at": ()})

    def _checked(self, known_at: Places, target_at: int | None) -> tuple[Mapping[int, int | None], int | None]:
        chain = MarkovChain(self.start, self.moves, (0,) * len(self.states), self.n)
        return checked_places(known_at, target_at, chain, self.states)

    @property
    def settled(self) -> bool:
        """Whether it is stated which records are known, or whose record is the secret."""
        return bool(self.known_at) or self.target_at is not None

    @property
    def assumes(self) -> tuple[str, ...]:
        return CHAIN, AT if self.known_at else SHARE

    @property
    def breaks(self) -> str:
        return "records that depend on more than the record before them, or persons with several records"

    def domain(self) -> Sequence[Label | Fraction]:
        return self.states

    @property
    def route(self) -> str:
        return "chain, cut at one record"

    def answer(self, statistic: "Statistic", asked: Inquiry) -> Answer:
        """Worst over all places in the chain and all pairs of values that are possible there, against an attacker who
        knows any records, up to `known` of them. The laws given each value of each record are covered by those of a few
        groups of records, which is a theorem of its own.
        """
        return Proved(self._curve(statistic, asked), self.route)

    def _curve(self, statistic: "Statistic", asked: Inquiry) -> Curve:
        facts, channel, known = asked.facts, asked.channel, asked.known
        adds = [statistic.contribution(state) for state in self.states]
        if facts.presence:
            raise InputError(
                "In a Markov chain the secret must be the value of a record, but got presence. Taking a "
                "record out of a chain has no meaning until somebody says what follows what: add a value such as "
                '"absent" to the chain, and hide the value.'
            )
        if self.settled and known == self.known:
            return self._known_there(statistic, facts, channel)
        key = (statistic, channel, facts.apart)
        if key not in self._curves:
            self._curves[key] = self._nobody_known(adds, facts, channel)
        if not known:
            return self._curves[key]
        whole = self._some_known(adds, channel, self._curves[key], known, asked.enough)
        # what is listed below is about all values, near or not; the upper end holds for all of them
        return whole if facts.apart is None else Enclosed(self._curves[key], whole)

    def _some_known(
        self, contributions: Sequence[int], channel: Push, nobody: Curve, known: int, enough: Fraction | None
    ) -> Curve:
        chain, least, step = self._chain(contributions)
        if not any(chain.adds):
            return nobody
        if chain not in self._stretches:
            self._stretches[chain] = Stretches.of(chain)
        combs = Combs(chain, known, partial(_published, least=least * self.n, step=step, channel=channel))
        return KnownCurve(nobody, self._stretches[chain], known, combs, enough if known != self.known else None)

    def _chain(self, contributions: Sequence[int]) -> tuple[MarkovChain, int, int]:
        """The chain of the values that can be reached, and the least and the step of what they add."""
        possible = _reachable(self.start, self.moves)
        adds, least, step = reduced([contributions[state] for state in possible])
        start = tuple(self.start[state] for state in possible)
        moves = tuple(tuple(self.moves[one][two] for two in possible) for one in possible)
        return MarkovChain(start, moves, adds, self.n), least, step

    def _nobody_known(self, contributions: Sequence[int], facts: Facts, channel: Push) -> Curve:
        chain, least, step = self._chain(contributions)
        if not any(chain.adds):
            return Constant(0.0)  # the sum is the same whatever the records are
        return self._judged(
            _worlds(chain), facts, partial(_published, least=least * self.n, step=step, channel=channel)
        )

    def _judged(self, groups: Sequence[Sequence[Law | None]], facts: Facts, published: Callable[[Law], Law]) -> Curve:
        laws = [[law and published(law) for law in states] for states in groups]
        values = [self.states[state] for state in _reachable(self.start, self.moves)]
        near = [(a, b) for a, b in combinations(range(len(values)), 2) if facts.allows(values[a], values[b])]
        if len(near) == math.comb(len(values), 2):
            return WorldsCurve.of(laws)
        return WorldsCurve.of([[states[a], states[b]] for states in laws for a, b in near]) if near else Constant(0.0)

    def _known_there(self, statistic: "Statistic", facts: Facts, channel: Push) -> Curve:
        """If the records at the stated places are known: the worst of their values, or those that are stated."""
        key = (statistic, channel, facts.apart, tuple(self.known_at.items()), self.target_at)
        if key not in self._curves:
            chain, least, step = self._chain([statistic.contribution(state) for state in self.states])
            if not any(chain.adds):
                return Constant(0.0)
            published = partial(_published, least=least * self.n, step=step, channel=channel)
            numbers = {None: None} | {state: at for at, state in enumerate(_reachable(self.start, self.moves))}
            wanted = {place: numbers[state] for place, state in self.known_at.items()}
            cuts, every = all_cuts(chain, wanted)
            parts = [groups for cut in cuts for groups in cut.groups(self.target_at, every=every)]
            worst: Curve = Supremum(tuple(self._judged(groups, facts, published) for groups in parts))
            if not every:  # then anybody may be known, as far as the upper end goes
                anywhere = self.knowing(self.known)
                worst = Enclosed(worst, anywhere.curve(statistic, facts, channel, known=self.known))
            self._curves[key] = worst
        return self._curves[key]

    def __str__(self) -> str:
        known = f"{self.known}" if not self.known_at else told_places(self.known_at, self.states)
        target = "" if self.target_at is None else f", secret is record {self.target_at}"
        return f"a Markov chain of {len(self.states)} values, n={self.n}, attacker knows {known}{target}"


def _row(chances: Chances, states: tuple[Label | Fraction, ...], of: str) -> tuple[Fraction, ...]:
    strays = [value for value in chances if value not in states]
    if strays:
        raise InputError(
            f"Each value of a chain needs its moves, but {strays[0]!r} has none. Add it to moves={{...}}; for a value "
            f"that is never left, write {{{strays[0]!r}: 1}}."
        )
    try:
        found = dict(marginal_of(chances))
    except InputError as problem:
        raise InputError(f"{of}: {problem}") from None
    return tuple(found.get(state, Fraction(0)) for state in states)


def _reachable(start: Sequence[Fraction], moves: Sequence[Sequence[Fraction]]) -> list[int]:
    """The values that some record may have."""
    found, fresh = set[int](), {state for state, chance in enumerate(start) if chance}
    while fresh:
        found |= fresh
        fresh = {two for one in fresh for two, chance in enumerate(moves[one]) if chance} - found
    return sorted(found)


def _worlds(chain: MarkovChain) -> Sequence[Sequence[Law | None]]:
    """Laws that cover each record given each of its values: one by one for short chains, in groups for long ones."""
    return places_one_by_one(chain) if one_by_one(chain) else worlds(chain).laws


def _published(law: Law, least: int, step: int, channel: Push) -> Law:
    """The law of what is published, where the sum is least + step · the law's integer."""
    if channel.exact:
        return law
    return channel.push(spread(law, step).shifted(least))
