"""Where protection fails on finite worlds: differential privacy on correlated records, Pufferfish on two releases."""

import itertools
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import require
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Number, exact
from dalenius.numerics.outcomes import is_exact, total
from dalenius.papers.definitions.pufferfish import Fact, Mask, Pair, Pufferfish, odds, restricted
from dalenius.papers.mechanisms.finite import FiniteMechanism
from dalenius.papers.worlds import Dataset, Finite


@final
@dataclass(frozen=True, slots=True, eq=False)
class CorrelationWitness:
    """A differentially private mechanism that tells an attacker more than e^ε about a record: `ratio` times the odds
    of the first secret of the pair against the second, when its output is 1.
    """

    pair: Pair
    mechanism: FiniteMechanism
    ratio: Fraction


def correlation_witness(belief: Finite, *, factor: Number) -> CorrelationWitness | None:
    """An ε-differentially private mechanism, e^ε = factor, that is not ε-Pufferfish for this attacker (Theorem 6.2).

    There is one if and only if, for some record and value that may be present and may be absent, the other records
    have another law given that value than given the absence. (As printed the theorem is false: it takes any
    correlation for such a one.) The output is e^ε times as likely on the others where absence is likelier, and e^ε
    times as likely without the record as with it. None: differential privacy protects against this attacker.
    """
    present = [value for value in belief.values if value is not None]
    return _witness(belief, factor, [(value, None) for value in present])


def value_correlation_witness(belief: Finite, *, factor: Number) -> CorrelationWitness | None:
    """The same for values, where presence is certain: an ε-differentially private mechanism (replace one record), e^ε =
    factor, that is not ε-Pufferfish for two values of a record.

    There is one if and only if, for some record and two possible values of it, the other records have another law given
    the one than given the other. Proof. If they never have, each law of the output given a value is the same mixture of
    M(rest, value), and these differ by at most e^ε. Otherwise the mechanism of Theorem 6.2 with the second value
    in the place of absence: its output 1 is e^ε times as likely on the others that the second value makes likelier,
    and e^ε times as likely with the second value as with any other; so replacing one record moves it by at most e^ε,
    and given the second value against the first by more.
    """
    present = [value for value in belief.values if value is not None]
    return _witness(belief, factor, list(itertools.permutations(present, 2)))


def _witness(belief: Finite, factor: Number, pairs: Sequence[tuple[Hashable, Hashable]]) -> CorrelationWitness | None:
    """Output 1 is likeliest where a record has the second value of a pair and the others are as that value has them."""
    rate = exact(factor, name="factor")
    require(rate > 1, "a factor e^ε above 1", got=factor)
    require(is_exact(belief.mass), "exact probabilities, since rounding looks like correlation", got="floats")
    for place in range(len(belief.sides)):
        if total(belief.mass * belief.side_is(place)):
            found = _witness_for(restricted(belief, belief.side_is(place)), rate, pairs)
            if found is not None:
                return found
    return None


def _witness_for(
    belief: Finite, rate: Fraction, pairs: Sequence[tuple[Hashable, Hashable]]
) -> CorrelationWitness | None:
    """The same for an attacker of whom it is said what they know besides."""
    rows = [(dataset, Fraction(chance)) for dataset, chance in belief.items()]
    for record, (one, two) in itertools.product(range(belief.n), pairs):
        yes, no = Fact.record_is(belief, record, one), Fact.record_is(belief, record, two)
        laws = [_others(rows, secret.where, record) for secret in (yes, no)]
        tilted = {rest for rest, chance in laws[1].items() if chance > laws[0].get(rest, 0)}
        if not all(laws) or not tilted:
            continue
        chances = []
        for dataset, _ in rows:
            chance = (rate if _without(dataset, record) in tilted else 1) / (1 + rate)
            chance = chance if dataset[record] == two else chance / rate
            chances.append([chance, 1 - chance])
        mechanism = FiniteMechanism.matrix(chances, (1, 2))
        return CorrelationWitness((no, yes), mechanism, Fraction(odds(mechanism, belief, (no, yes), 1).ratio))
    return None


def _without(dataset: Dataset, record: int) -> Dataset:
    return (*dataset[:record], *dataset[record + 1 :])


def _others(rows: Sequence[tuple[Dataset, Fraction]], where: Mask, record: int) -> dict[Dataset, Fraction]:
    """The law of the other records, given a fact; empty if it is impossible."""
    weight = sum((chance for (_, chance), is_so in zip(rows, where, strict=True) if is_so), Fraction(0))
    found: dict[Dataset, Fraction] = {}
    for (dataset, chance), is_so in zip(rows, where, strict=True):
        if is_so and chance:
            rest = _without(dataset, record)
            found[rest] = found.get(rest, Fraction(0)) + chance / weight
    return found


@final
@dataclass(frozen=True, slots=True, eq=False)
class Composition:
    """Whether ε adds up over releases: True, False with a mechanism that shows it, or None where neither is proved."""

    linear: bool | None
    because: str
    mechanism: FiniteMechanism | None = None
    alone: Bracket | None = None
    twice: Bracket | None = None

    def __str__(self) -> str:
        verdict = {True: "ε adds up", False: "ε does not add up", None: "undecided"}[self.linear]
        shown = "" if self.twice is None else f" (ε = {self.alone} once, {self.twice} twice)"
        return f"{verdict}: {self.because}{shown}"


def composition(definition: Pufferfish) -> Composition:
    """Does the definition compose linearly with itself (Definition 9.2)?

    Yes, if each secret of a pair leaves each attacker with one possible dataset (Corollary 9.4: such scenarios are
    universally composable). Otherwise the mechanisms that say, of a secret with several possible datasets, whether it
    is this one of them, and that toss a coin with the same bias elsewhere, are tried twice: for a single pair and
    attacker they show that the definition does not compose. The converse of Theorem 9.1 fails for several pairs.
    """
    candidates = list(_undetermined(definition))
    for belief, rows, place in candidates:
        mechanism = _singling_out(belief, rows, place)
        alone = definition.epsilon(mechanism).value
        twice = definition.epsilon(mechanism.beside(mechanism)).value
        if twice.lower > 2 * alone.upper:
            why = "two runs of a mechanism cost more than twice as much as one"
            return Composition(linear=False, because=why, mechanism=mechanism, alone=alone, twice=twice)
    if candidates:
        return Composition(linear=None, because="a secret has several datasets, and no failure was found")
    return Composition(linear=True, because="each attacker holds one dataset possible given a secret (Corollary 9.4)")


def _undetermined(definition: Pufferfish) -> Iterator[tuple[Finite, NDArray[np.int64], int]]:
    """Every secret that leaves an attacker with several datasets, and each of them in turn."""
    for _, belief, _, seen in definition.attackers():
        live = np.asarray(belief.mass != 0, dtype=bool) & seen
        for pair in definition.pairs:
            rows = [np.flatnonzero(live & secret.where) for secret in pair]
            if all(map(len, rows)):
                yield from ((belief, few, int(row)) for few in rows if len(few) > 1 for row in few)


def _singling_out(belief: Finite, several: NDArray[np.int64], place: int) -> FiniteMechanism:
    share = Fraction(belief.mass[place]) / Fraction(total(belief.mass[several]))
    heads = [share] * belief.size
    for row in several.tolist():
        for same in np.flatnonzero((belief.codes == belief.codes[row]).all(axis=1)).tolist():  # once for each Z
            heads[same] = Fraction(row == place)
    return FiniteMechanism.matrix([[chance, 1 - chance] for chance in heads])
