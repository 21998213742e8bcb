"""How much the published numbers tell about one person of a group: an upper bound on delta, from the certificate alone.

The target and the records that the attacker knows are taken out of the group; the others hide the target.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq_mat

from dalenius_checker import laws
from dalenius_checker.coins import ONE, ZERO, cases
from dalenius_checker.known import without, worst
from dalenius_checker.laws import Law, TooLargeError, Types, Vector, convolve, exponential, hockey_stick, moved
from dalenius_checker.losses import Losses, losses, together
from dalenius_checker.noise import noise, rounded

MOST_TERMS = 300_000_000  # of all hockey sticks together: a minute or two
MOST_MOVES = 20_000


@dataclass(frozen=True)
class Part:
    """What records add to some figures of a group: all vectors that are possible, and how many have each law (at least
    this mass everywhere, if it is `estimated`).
    """

    domain: tuple[Vector, ...]
    types: Types
    estimated: bool


@dataclass
class Examiner:
    """Bounds on the delta of groups, in numbers of so many bits."""

    figures: Any
    presence: bool
    epsilon: Fraction
    wanted: Fraction
    bits: int
    terms: int = 0

    @classmethod
    def of(cls, certificate: Any) -> "Examiner":
        """With as many bits as the smallest claim needs."""
        epsilon, wanted = certificate.claim.epsilon, certificate.claim.delta_wanted
        if epsilon > 1000:
            raise TooLargeError(f"epsilon is {float(epsilon):g}")
        small = min((d for d in (wanted, *(kind.delta[1] for kind in certificate.kinds)) if d > 0), default=ONE)
        depth = min(1200, small.denominator.bit_length() - small.numerator.bit_length() + 1)
        bits = 64 + depth + 2 * int(epsilon) + certificate.people.all.bit_length()
        return cls(certificate.figures, certificate.secret == "presence", epsilon, wanted, bits)

    @property
    def at(self) -> tuple[Fraction, int]:
        """Epsilon, and how many bits numbers have."""
        return self.epsilon, self.bits

    def upper(self, kind: Any, known: int, enough: Fraction) -> Fraction:
        """A bound on delta, for an attacker who knows the worst `known` records of the group; as close as is needed to
        see that it is at most `enough`. Several numbers count as exact, or, if each has noise, as noise alone.
        """
        channels = [self.figures[place].channel for place in kind.figures]
        by_noise = self._noise_only(kind)
        if by_noise <= (enough if len(channels) > 1 else 0):
            return by_noise
        # rounding protects only if the number covers nobody else
        channel = tuple(link for link in channels[0] if kind.alone or link[0] != "round") if len(channels) == 1 else ()
        parts = [part for part in (essential(part, presence=self.presence) for part in kind.parts) if part.domain[0]]
        try:
            if len(parts) > 1:
                found = together([self.own_losses(part, known) for part in parts], self.epsilon)
            else:
                found = max((self._alone(part, known, channel, enough) for part in parts), default=ZERO)
        except TooLargeError:
            if by_noise > self.wanted:
                raise
            return by_noise
        if min(found, by_noise) > self.wanted and any(channels) and len(channels) > 1:
            raise TooLargeError("several noisy figures, of which neither noise nor people alone hide enough")
        return min(found, by_noise)

    def slack(self, kind: Any) -> Fraction | None:
        """By which factor a bound that is found here may exceed what is stated; None where it may be far above it, and
        only what is wanted is confirmed: for normal noise, and several numbers or types of which a part is known.
        """
        links = [link for place in kind.figures for link, _ in self.figures[place].channel]
        if "normal" in links or any(part.least and len(part.least) * len(kind.figures) > 1 for part in kind.parts):
            return None
        return Fraction(11, 10) if len(kind.figures) > 1 else Fraction(1001, 1000)

    def _alone(self, part: Part, known: int, channel: Any, enough: Fraction) -> Fraction:
        """All numbers of one part; a single one may go through a channel."""

        def upper(types: Types) -> Fraction:
            law, steps, missed = self._law(part, types)
            for name, size in channel:
                if name == "round":
                    left = sum(count for _, count in types)
                    return self._rounded(part, law, int(size), sum(count for _, count in part.types) - left - 1)
                law = convolve(law, noise(name, size, self.bits))
            return self._sticks(((law.mass, moved(law, step)) for step in steps), law.missing + missed)

        def mean(types: Types) -> Fraction:
            found = (mass * upper(some) if some else mass for mass, some in self._cases(part, types))
            return min(ONE, sum(found, ZERO))

        return worst(part.types, known + 1, mean, enough)

    def _cases(self, part: Part, types: Types) -> list[tuple[Fraction, Types]]:
        return cases(types, self.wanted / 100, self.bits) if part.estimated and types else [(ONE, types)]

    def _rounded(self, part: Part, law: Law, base: int, known: int) -> Fraction:
        """A rounded total, wherever the known records may put it: what they add up to matters modulo the base."""
        adds = {vector[0] for vector in part.domain}
        anywhere = self.presence or part.estimated
        offsets = set(range(base)) if anywhere else _residues(part, known, base)
        pairs = {(a, b) for a in adds for b in adds}
        if self.presence:
            pairs = {(0, add) for add in adds} | {(add, 0) for add in adds}
        places = {((offset + a) % base, b - a) for offset in offsets for a, b in pairs if a != b}
        if len(places) > MOST_MOVES:
            raise TooLargeError(f"a rounded figure has {len(places)} cases, more than {MOST_MOVES}")
        self._spend(base * len(law.mass))
        pushed = [rounded(law, base, offset) for offset in range(base)]

        def pair(place: int, move: int) -> tuple[list[int], list[int]]:
            """The rounded total at a place between multiples, and where it is moved to, at the points of the first."""
            one, two = pushed[place], pushed[(place + move) % base]
            shift, size = two.start + (place + move) // base - one.start, len(one.mass)
            return one.mass, ([0] * max(0, shift) + two.mass[max(0, -shift) :] + [0] * size)[:size]

        return self._sticks((pair(*place) for place in places), law.missing)

    def own_losses(self, part: Part, known: int) -> list[Losses]:
        """The losses of one part by the group's own records, for every move; `known` of each type are known."""
        types = without(part.types, tuple(min(count, known + 1) for _, count in part.types))
        found = [(mass, *self._law(part, some)) for mass, some in self._cases(part, types)]
        self._spend(sum(8 * len(law.mass) * len(steps) for _, law, steps, _ in found))
        return [
            losses(
                [(p, law.mass, moved(law, steps[at]), law.missing + miss) for p, law, steps, miss in found], *self.at
            )
            for at in range(len(found[0][2]))
        ]

    def _law(self, part: Part, types: Types) -> tuple[Law, list[int], Fraction]:
        """The law of all sums in one number, what a person may move it by, and what to add to delta for that."""
        moves = self._moves(part)
        reach = [max(abs(move[axis]) for move in moves) for axis in range(len(part.domain[0]))]
        strides, missed = laws.strides_for(types, reach, self.bits)
        steps = [sum(a * b for a, b in zip(move, strides, strict=True)) for move in moves]
        most = Fraction(exponential(*self.at)[1], 1 << self.bits)
        return laws.total(types, self.bits, strides), steps, missed * (1 + most)

    def _noise_only(self, kind: Any) -> Fraction:
        """Noise on every number, as if all other records were known; 1 if a number has none.

        Log-concave noise hides a smaller move better: delta is the largest of F(t) - e^epsilon F(t + move) over t, F
        being the probability of more than t. What follows noise is a function of it.
        """
        found, pure = [], ZERO
        for axis, place, part in ((axis, place, p) for p in kind.parts for axis, place in enumerate(p.figures)):
            adds = [vector[axis] for vector in part.domain]
            move = max(map(abs, adds)) if self.presence else max(adds) - min(adds)
            channel = self.figures[place].channel
            if move and (not channel or channel[0][0] == "round"):
                return ONE
            if move:
                found.append((*channel[0], move))
                pure += move / channel[0][1] if channel[0][0] == "geometric" else self.epsilon + 1
        if pure <= self.epsilon:
            return ZERO  # P(K = k) / P(K = k + move) is at most exp(move / scale)
        try:
            pairs = [(noise(name, scale, self.bits), move) for name, scale, move in found]
            outputs = [[(ONE, law.mass, moved(law, move), law.missing)] for law, move in pairs]
            return together([[losses(output, *self.at)] for output in outputs], self.epsilon)
        except TooLargeError:
            return ONE

    def _moves(self, part: Part) -> list[Vector]:
        """What one person may move the sums by: both orders of every two facts."""
        zero = (0,) * len(part.domain[0])
        others = [zero] if self.presence else part.domain
        if len(part.domain) * len(others) > 200 * MOST_MOVES:
            raise TooLargeError(f"a domain of {len(part.domain)} vectors has too many pairs")
        found = {tuple(y - x for x, y in zip(a, b, strict=True)) for a in part.domain for b in others}
        found = (found | {tuple(-x for x in move) for move in found}) - {zero}
        if len(found) > MOST_MOVES:
            raise TooLargeError(f"a person can move the figures in {len(found)} ways, more than {MOST_MOVES}")
        return sorted(found)

    def _sticks(self, pairs: Iterable[tuple[list[int], list[int]]], missing: Fraction) -> Fraction:
        upper = ZERO
        for one, two in pairs:
            self._spend(len(one))
            upper = max(upper, hockey_stick(one, two, missing, *self.at))
        return upper

    def _spend(self, terms: int) -> None:
        self.terms += terms
        if self.terms > MOST_TERMS:
            raise TooLargeError(f"this takes more than {MOST_TERMS} terms")


def essential(part: Any, *, presence: bool) -> Part:
    """The part without coordinates that are linear combinations of others (and of one, if presence is no secret: the
    number of records is known then). These tell nothing new.
    """
    kept: list[int] = []
    rows: list[list[int]] = [] if presence else [[1] * len(part.domain)]
    for axis in range(len(part.domain[0])):
        more = [*rows, [vector[axis] for vector in part.domain]]
        if fmpq_mat(len(more), len(part.domain), [one for row in more for one in row]).rank() == len(more):
            rows = more
            kept.append(axis)

    def fewer(vector: Vector) -> Vector:
        return tuple(vector[axis] for axis in kept)

    types = part.types if part.least is None else part.least
    short = tuple((tuple((fewer(vector), chance) for vector, chance in law), count) for law, count in types)
    return Part(tuple(map(fewer, part.domain)), short, part.least is not None)


def _residues(part: Part, known: int, base: int) -> set[int]:
    """What `known` records may add up to, modulo the base."""
    single, found = {vector[0] % base for law, _ in part.types for vector, _ in law}, {0}
    while known:
        if known & 1:
            found = {(a + b) % base for a in found for b in single}
        known, single = known >> 1, {(a + b) % base for a in single for b in single}
    return found
