"""How much the published numbers tell about one person of a group: bounds on delta, from the certificate alone.

The target and the records that the attacker knows are taken out of the group; the others hide the target.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd

from flint import fmpq_mat

from dalenius_checker.choices import FEW, Evaluate, all_choices, left, number_of_choices, worst
from dalenius_checker.document import Certificate, Figure, Kind, Part, Types
from dalenius_checker.laws import Law, TooLargeError, Vector, convolve, hockey_stick, moved, total
from dalenius_checker.live import live, two_cells
from dalenius_checker.losses import Losses, envelope, losses, together
from dalenius_checker.noise import noise, rounded

Bounds = tuple[Fraction, Fraction]
Channel = tuple[tuple[str, Fraction], ...]
MOST_TERMS = 300_000_000  # of all hockey sticks together: a minute or two
MOST_MOVES = 20_000
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass
class Examiner:
    """Bounds on the delta of every kind of group of a certificate."""

    certificate: Certificate
    bits: int
    terms: int = 0
    _seen: dict[tuple[int, int], Bounds] = field(default_factory=dict)

    @classmethod
    def of(cls, certificate: Certificate) -> "Examiner":
        """With as many bits as the smallest claim needs."""
        claims = [certificate.wanted, *(kind.delta[1] for kind in certificate.kinds)]
        small = min((claim for claim in claims if claim > 0), default=ONE)
        depth = min(1200, small.denominator.bit_length() - small.numerator.bit_length() + 1)
        if certificate.epsilon > 1000:
            raise TooLargeError(f"epsilon is {float(certificate.epsilon):g}")
        return cls(certificate, 64 + depth + 2 * int(certificate.epsilon) + certificate.people.bit_length())

    def bounds(self, place: int, known: int) -> Bounds:
        """Bounds on delta, for an attacker who knows the worst `known` records of the group."""
        if (place, known) not in self._seen:
            self._seen[place, known] = self._bounds(self.certificate.kinds[place], known)
        return self._seen[place, known]

    def _bounds(self, kind: Kind, known: int) -> Bounds:
        figures = [self.certificate.figures[place] for place in kind.figures]
        if len(figures) == 1:
            return self._single(kind, figures[0], known)
        composed = self._noise_only(kind)
        if composed <= self.certificate.wanted:
            return ZERO, composed
        lower, upper = self._exact(kind, known)
        plain = not any(figure.channel for figure in figures)
        if min(upper, composed) > self.certificate.wanted and not plain:
            raise TooLargeError("several noisy figures, of which neither noise nor people alone hide enough")
        return (lower if plain else ZERO), min(upper, composed)

    # One number ---------------------------------------------------------------------------------------------------

    def _single(self, kind: Kind, figure: Figure, known: int) -> Bounds:
        """One number by itself. Rounding protects only if the number covers nobody else; noise always does."""
        channel = figure.channel if kind.alone else tuple(link for link in figure.channel[:1] if link[0] != "round")
        if not channel:
            lower, upper = self._exact(kind, known)
            return (ZERO if figure.channel and not kind.alone else lower), upper
        part = essential(kind.parts[0], presence=self.certificate.presence)
        if not part.domain[0]:
            return ZERO, ZERO
        composed = self._noise_only(kind)
        if composed == 0:
            return ZERO, ZERO
        try:
            lower, upper = self._hidden(part, known, channel)
        except TooLargeError:
            if composed > self.certificate.wanted:
                raise
            return ZERO, composed
        return (lower if channel == figure.channel else ZERO), min(upper, composed)

    def _hidden(self, part: Part, known: int, channel: Channel) -> Bounds:
        """The worst choice of known records, for one number that goes through a channel."""

        def evaluate(types: Types, *, exactly: bool) -> Bounds:
            law = total(types, 1, self.bits)
            base = 0
            for name, size in channel:
                if name == "round":
                    base = int(size)
                else:
                    law = convolve(law, noise(name, size, self.bits))
            if not base:
                return self._sticks(((law.mass, moved(law, move)) for move in self._moves(part)), law.missing)
            return self._rounded(part, law, base, known if exactly else None)

        return self._searched(part, known, evaluate)

    def _rounded(self, part: Part, law: Law, base: int, known: int | None) -> Bounds:
        """A rounded total, wherever the known records may put it: what they add up to matters modulo the base."""
        adds = [vector[0] for vector in part.domain]
        anywhere = known is None or self.certificate.presence
        offsets = set(range(base)) if anywhere else _residues(part, known or 0, base)
        if self.certificate.presence:
            pairs = {(a, b) for add in adds if add for a, b in ((0, add), (add, 0))}
        else:
            pairs = {(a, b) for a in adds for b in adds if a != b}
        places = {((offset + a) % base, b - a) for offset in offsets for a, b in pairs}
        if len(places) > MOST_MOVES:
            raise TooLargeError(f"a rounded figure has {len(places)} cases, more than {MOST_MOVES}")
        pushed: dict[int, Law] = {}

        def push(offset: int) -> Law:
            if offset not in pushed:
                self._spend(len(law.mass))
                pushed[offset] = rounded(law, base, offset)
            return pushed[offset]

        lower, upper = self._sticks((_aligned(push, place, move, base) for place, move in places), law.missing)
        attained = not anywhere and (known == 0 or len(part.types) == 1)
        return (lower if attained else ZERO), upper

    # Several numbers ----------------------------------------------------------------------------------------------

    def _exact(self, kind: Kind, known: int) -> Bounds:
        """All numbers of the group, as exact ones: noise beside exact figures may be worked out."""
        parts = [essential(part, presence=self.certificate.presence) for part in kind.parts]
        active = [on_lattice(part, presence=self.certificate.presence) for part in parts if part.domain[0]]
        if not active:
            return ZERO, ZERO
        if len(active) > 1:
            profiles = [envelope(self._profiles(part, known)) for part in active]
            return ZERO, together(profiles).delta(self.certificate.epsilon)
        part = active[0]
        moves = self._moves(part)

        def evaluate(types: Types, *, exactly: bool) -> Bounds:
            law = total(types, len(part.domain[0]), self.bits)
            return self._sticks(((law.mass, moved(law, move)) for move in moves), law.missing)

        try:
            return self._searched(part, known, evaluate)
        except TooLargeError:
            if self.certificate.presence or len(part.domain[0]) == 1:
                raise
            upper = two_cells(part, known + 1, self.certificate.epsilon, self.certificate.wanted, self.bits)
            if upper > self.certificate.wanted:
                raise
            return ZERO, upper

    def _profiles(self, part: Part, known: int) -> Iterator[Losses]:
        """The losses of one part, for every choice of known records and every move."""
        types = part.types if part.least is None else part.least
        removed, counts = known + 1, [count for _, count in types]
        few = number_of_choices(counts, removed) <= FEW
        for choice in all_choices(counts, removed) if few else [tuple(min(count, removed) for count in counts)]:
            rest, lost = left(types, choice), ZERO
            if part.least is not None:
                rest, lost = live(rest, self.certificate.wanted / 100, self.bits)
            law = total(rest, len(part.domain[0]), self.bits)
            for move in self._moves(part):
                self._spend(8 * len(law.mass) + 100_000)
                yield losses(law.mass, moved(law, move), law.missing + lost, self.certificate.epsilon, self.bits)

    def _noise_only(self, kind: Kind) -> Fraction:
        """Noise on every number, as if all other records were known; 1 if a number has none.

        Log-concave noise hides a smaller move better: delta is the largest of F(t) - e^epsilon F(t + move) over t, F
        being the probability of more than t. What follows noise is a function of it.
        """
        found, pure, epsilon = [], ZERO, self.certificate.epsilon
        for part in kind.parts:
            for axis, place in enumerate(part.figures):
                adds = [vector[axis] for vector in part.domain]
                move = max(map(abs, adds)) if self.certificate.presence else max(adds) - min(adds)
                channel = self.certificate.figures[place].channel
                if not move:
                    continue
                if not channel or channel[0][0] == "round":
                    return ONE
                name, scale = channel[0]
                pure += move / scale if name == "geometric" else epsilon + 1
                found.append((name, scale, move))
        if pure <= epsilon:
            return ZERO  # P(K = k) / P(K = k + move) is at most exp(move / scale)
        try:
            laws = [(noise(name, scale, self.bits), move) for name, scale, move in found]
            curves = [losses(law.mass, moved(law, (move,)), law.missing, epsilon, self.bits) for law, move in laws]
            return together([envelope([curve]) for curve in curves]).delta(epsilon)
        except TooLargeError:
            return ONE

    # All of them --------------------------------------------------------------------------------------------------

    def _searched(self, part: Part, known: int, evaluate: Evaluate) -> Bounds:
        """The worst choice of known records. Where laws are only estimated: at least that of the estimate, at most
        that of what all laws share.
        """
        wanted = self.certificate.wanted
        if part.least is None:
            return worst(part.types, known + 1, evaluate, wanted)
        lower = ZERO
        if len(part.types) == 1:
            lower = worst(part.types, known + 1, evaluate, wanted)[0]

        def shared(types: Types, *, exactly: bool) -> Bounds:
            first, missed = live(types, wanted / 100, self.bits)
            second, more = live(types, wanted / 8, self.bits)
            upper = (
                missed
                + max(ZERO, more - missed) * evaluate(first, exactly=False)[1]
                + evaluate(second, exactly=False)[1]
            )
            return ZERO, min(ONE, upper)

        return lower, worst(part.least, known + 1, shared, wanted)[1]

    def _moves(self, part: Part) -> list[Vector]:
        """What one person may move the sums by: both orders of every two facts."""
        domain = part.domain
        if self.certificate.presence:
            found = set(domain) | {tuple(-one for one in vector) for vector in domain}
        elif len(domain) ** 2 > 100 * MOST_MOVES:
            steps = {b[0] - a[0] for a, b in zip(sorted(domain), sorted(domain)[1:], strict=False)}
            if len(domain[0]) > 1 or len(steps) > 1:
                raise TooLargeError(f"a domain of {len(domain)} vectors has too many pairs")
            (step,) = steps
            found = {(sign * times * step,) for times in range(1, len(domain)) for sign in (1, -1)}
        else:
            found = {tuple(b - a for a, b in zip(one, two, strict=True)) for one in domain for two in domain}
        found -= {(0,) * len(domain[0])}
        if len(found) > MOST_MOVES:
            raise TooLargeError(f"a person can move the figures in {len(found)} ways, more than {MOST_MOVES}")
        return sorted(found)

    def _sticks(self, pairs: Iterable[tuple[list[int], list[int]]], missing: Fraction) -> Bounds:
        lower, upper = ZERO, ZERO
        for one, two in pairs:
            self._spend(len(one))
            found = hockey_stick(one, two, missing, self.certificate.epsilon, self.bits)
            lower, upper = max(lower, found[0]), max(upper, found[1])
        return lower, upper

    def _spend(self, terms: int) -> None:
        self.terms += terms
        if self.terms > MOST_TERMS:
            raise TooLargeError(f"this takes more than {MOST_TERMS} terms")


def essential(part: Part, *, presence: bool) -> Part:
    """The part without coordinates that are linear combinations of others (and of one, if presence is no secret): the
    number of records is known then. These tell nothing new.
    """
    kept: list[int] = []
    rows: list[list[int]] = [] if presence else [[1] * len(part.domain)]
    for axis in range(len(part.figures)):
        more = [*rows, [vector[axis] for vector in part.domain]]
        if fmpq_mat(len(more), len(part.domain), [one for row in more for one in row]).rank() == len(more):
            rows = more
            kept.append(axis)
    return _mapped(part, lambda vector: tuple(vector[axis] for axis in kept))


def on_lattice(part: Part, *, presence: bool) -> Part:
    """The same with the smallest steps: what is published exactly tells the same in any unit."""
    axes = range(len(part.domain[0]))
    base = (0,) * len(axes) if presence else part.domain[0]
    steps = [gcd(*(vector[axis] - base[axis] for vector in part.domain)) or 1 for axis in axes]
    return _mapped(part, lambda vector: tuple((vector[axis] - base[axis]) // steps[axis] for axis in axes))


def _mapped(part: Part, change: Callable[[Vector], Vector]) -> Part:
    def types(some: Types) -> Types:
        return tuple((tuple((change(vector), chance) for vector, chance in law), count) for law, count in some)

    least = None if part.least is None else types(part.least)
    return Part(part.figures, tuple(change(vector) for vector in part.domain), types(part.types), least)


def _residues(part: Part, known: int, base: int) -> set[int]:
    """What `known` records may add up to, modulo the base."""
    single = {vector[0] % base for law, _ in part.types for vector, _ in law}
    found = {0}
    while known:
        if known & 1:
            found = {(a + b) % base for a in found for b in single}
        known >>= 1
        single = {(a + b) % base for a in single for b in single}
    return found


def _aligned(push: Callable[[int], Law], place: int, move: int, base: int) -> tuple[list[int], list[int]]:
    """The rounded total at a place between multiples, and the one that is moved on, both on the first one's box."""
    one, two = push(place), push((place + move) % base)
    shift = two.start[0] + (place + move) // base - one.start[0]
    mass = two.mass[max(0, -shift) :]
    mass = [0] * max(0, shift) + mass
    size = len(one.mass)
    return one.mass, (mass + [0] * size)[:size]
