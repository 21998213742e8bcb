"""How much a choice reveals: on which side of a threshold a total lies, which of some rates ones speak for.

Given what the attacker knows, the release in either world is a function of one total, that of the records they do not
know. The two differ only where that total is within one record of a change, so the curve comes from the probabilities
of a few short intervals (`numerics.coupling`), with small relative errors. With `PresenceOnly` for a secret this is
the canonical simulator of coupled worlds: the choice on all records but one.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from dalenius.basics.errors import InputError
from dalenius.beliefs.belief import Belief, Marginals
from dalenius.beliefs.crowd import Crowd, Types, YesNo
from dalenius.beliefs.markov import Markov
from dalenius.facts.secret import PresenceOnly, Secret, Within, hides_presence
from dalenius.mechanisms.choice import FARTHEST, Choice, ThresholdChoice
from dalenius.mechanisms.mechanism import Chain, Mechanism
from dalenius.numerics.coupling import Coupling, CouplingCurve, CouplingSteps, joint, pieces
from dalenius.numerics.curve import Constant, Curve, Enclosed
from dalenius.numerics.intervals import Intervals
from dalenius.numerics.law import Law
from dalenius.numerics.search import Removal

MANY = 64  # kinds of record that may be the target, one by one
FEW = 1_000  # totals of known records that are all kept
LARGEST_SUM = 4_000_000  # totals of known records that are gone through


def chosen_curve(mechanism: Mechanism, belief: Belief, secret: Secret, *, known: int) -> Curve:
    """δ(ε) of a mechanism that ends with a choice, worst over persons, facts, and what the known records add up to.

    Independent records of one law (or of up to 64 laws, if nobody is known) are judged by their exact law. For others
    the choice is bounded by the figure that it is a function of.
    """
    choice, before = mechanism.channel.choice, _before(mechanism)
    if choice is None:
        raise InputError(
            f"chosen_curve needs a mechanism that ends with a choice, but got {mechanism}. Use curve(...)."
        )
    if isinstance(secret, Within):
        raise InputError(f"A choice is judged for the whole value of a record, but got {secret}. Hide the value.")
    facts = belief.facts(mechanism.statistic, secret)
    if isinstance(belief, Markov):
        return belief.curve(mechanism.statistic, facts, Chain((*before.links, choice.among(belief.n))), known=known)
    if not isinstance(belief, Marginals):
        return belief.curve(mechanism.statistic, facts, mechanism.channel, known=known)  # which says what it covers
    adds = [mechanism.statistic.contribution(value) for value in belief.domain()]
    if max(map(abs, adds)) * belief.n >= FARTHEST:
        raise InputError(
            f"A choice needs totals below 2^60 units, but {belief.n} records may add up to more. Declare a coarser "
            "unit."
        )
    crowd = belief.crowd(mechanism.statistic)
    if facts.anywhere or not listable(crowd, known):
        if hides_presence(secret) and not isinstance(choice, ThresholdChoice):
            raise InputError(
                f"Whether somebody is in the data is judged, for {choice}, for records of one law only, or for up to "
                f"{MANY} laws if nobody is known. Use a threshold, or hide the value."
            )
        return Enclosed(Constant(0.0), belief.curve(mechanism.statistic, facts, before, known=known))
    return of_crowd(crowd, choice, before, secret, adds, belief.n, known=known)


def listable(crowd: Crowd, known: int) -> bool:
    """Whether everybody who may be the target is gone through: records of one law, or of some if nobody is known."""
    kinds = len(list(_targets(crowd, known)))
    return 0 < kinds <= (1 if known else MANY)


def of_crowd(
    crowd: Crowd, choice: Choice, before: Chain, secret: Secret, adds: Sequence[int], people: int, *, known: int
) -> Curve:
    """δ(ε) of a choice from what independent records add up to, exactly. `adds`: what a person may add; the known
    records, too, although a belief may hold some of it impossible.
    """
    changes = list(_changes(choice, secret, sorted(set(adds)), people))
    couplings, floor, partial = [], 0.0, False
    for removal in _targets(crowd, known):
        law, offsets = before.push(crowd.law(removal).spread_out()), _sums({*crowd.support, *adds}, known)
        floor = max(floor, law.tail)
        for first, second in changes:
            near = _near(law, first, second, offsets)
            partial |= len(near) < len(offsets)
            couplings.append(Coupling(*joint(Intervals.of(law), first, second, near, len(choice.outputs))))
    return CouplingCurve(tuple(couplings), floor, partial)


def _before(mechanism: Mechanism) -> Chain:
    """What happens to the figure before the choice: noise, or nothing."""
    links = mechanism.channel.links[:-1]
    if any(isinstance(link, Choice) or link.period for link in links):
        raise InputError(
            f"Before a choice there may be noise only, but got {mechanism.channel}. Choose from the figure as it is."
        )
    return Chain(links)


def _targets(crowd: Crowd, known: int) -> Iterator[Removal]:
    """One way to take out the target (and the known records) for each kind of record that the target may be."""
    counts = crowd.counts.tolist() if isinstance(crowd, YesNo | Types) else []
    for kind in range(len(counts)):
        if isinstance(crowd, YesNo):
            first = sum(counts[:kind])
            yield (first, first + known + 1)
        else:
            yield tuple((known + 1) * (place == kind) for place in range(len(counts)))


def _sums(adds: Collection[int], known: int) -> NDArray[np.int64]:
    """What the known records may add up to."""
    values = sorted(adds)
    if (values[-1] - values[0]) * known > LARGEST_SUM:
        raise InputError(
            f"The known records may add up to more than {LARGEST_SUM} different totals. Declare a coarser unit."
        )
    step = np.zeros(values[-1] - values[0] + 1, dtype=bool)
    step[np.array(values) - values[0]] = True
    reach, count = np.ones(1, dtype=bool), known
    while count:
        if count & 1:
            reach = _sumset(reach, step)
        count >>= 1
        if count:
            step = _sumset(step, step)
    return np.flatnonzero(reach) + values[0] * known


def _sumset(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Sums of elements: counts of ways come from an FFT, within less than a half of whole numbers up to 4e6."""
    from scipy.signal import fftconvolve  # heavy, and only known records need it

    return np.asarray(fftconvolve(first.astype(float), second.astype(float)) > 0.5)


def _changes(
    choice: Choice, secret: Secret, adds: list[int], people: int
) -> Iterator[tuple[CouplingSteps, CouplingSteps]]:
    """The release in both worlds, as functions of what all records but the target's add up to."""
    here = choice.steps(people)
    if hides_presence(secret):
        for add in adds:
            yield here.moved(add), choice.steps(people - 1)
    if not isinstance(secret, PresenceOnly):
        for one, two in permutations(adds, 2):
            if one < two:
                yield here.moved(one), here.moved(two)


def _near(law: Law, first: CouplingSteps, second: CouplingSteps, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The totals of the known records at which the two worlds may differ by more than the law's tail (or all few)."""
    near = np.full(len(offsets), len(offsets) <= FEW)
    for low, high, one, two in pieces(first, second):
        if one != two:
            above = True if high is None else high - offsets > law.start
            near |= above & (True if low is None else low - offsets < law.stop)
    return np.asarray(offsets[near])
