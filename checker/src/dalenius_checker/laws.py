"""Laws of sums and of noise, and how well they tell two facts apart: in whole numbers that are never too large.

A `Law` says of each number k that its probability is *at least* mass[k - start] / 2^bits. Whatever is rounded is
rounded down, and what is cut off is cut off. Since all probabilities sum to one, it is known exactly what is missing.

A `Pair` has, for each result, the probabilities p and q under two facts, both at least what is written. The one
divergence of this program is `delta`, the sum of max(0, p - e^epsilon q): it falls with q, and what all p are short
of one counts in full. So nothing else has to be said about errors, wherever a pair comes from.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache, partial, reduce
from itertools import accumulate, chain, islice, product, repeat, takewhile
from math import ceil, isqrt, prod
from typing import NamedTuple

from flint import arb, ctx, fmpq, fmpz_poly

Vector = tuple[int, ...]
Letters = tuple[tuple[Vector, Fraction], ...]  # what one record adds, with probabilities
Types = tuple[tuple[Letters, int], ...]  # laws, and how many records have them
Pair = Iterable[tuple[int, int]]
Mixture = tuple[tuple[int, int, int], ...]  # at least, and at most so many, with this probability
LARGEST = 8_000_000  # points of a law, before its ends are cut off: a minute, and 2 GB
SPARE = 24  # binary digits of what may be cut off at either end of a law, for each record of it
MOST_RESULTS = 2_000_000  # of independent outputs that are combined one by one
MOST_WAYS = 2600  # to combine facts of several independent results
REACH = 12  # epsilons (or halves, if that is more): a loss above this counts as infinite
LARGEST_TIE = 100_000  # people among whom it is decided by whole numbers whether two rates are as likely
EVERY = 1 << 60  # numbers of events are told apart to the last one
COARSE = 64  # numbers of events are told apart to such a part of them
NORMAL_SLIP = Fraction(1, 2**49)  # see `noise`
ZERO, ONE = Fraction(0), Fraction(1)


class TooLargeError(Exception):
    """More work than this checker takes on."""


def small(holds: object, words: str) -> None:
    """TooLargeError unless it holds."""
    if not holds:
        raise TooLargeError(words)


class Law(NamedTuple):
    """Masses, in 2^-bits, at whole numbers from `start` on."""

    start: int
    mass: list[int]


class Bounds(NamedTuple):
    """What a delta is at least, and at most."""

    lower: Fraction
    upper: Fraction


def ball(number: Fraction, bits: int) -> arb:
    """A ball around an exact number; from here on all balls have far more than `bits` bits."""
    ctx.prec = 2 * bits + 256
    return arb(fmpq(number.numerator, number.denominator))


def floor(number: arb, bits: int) -> int:
    """The largest whole number that is certainly at most number x 2^bits."""
    whole = (number.lower() * arb(2) ** bits).floor().unique_fmpz()
    small(whole is not None, "a number needs more digits than are kept")
    return int(whole or 0)


def missing(law: Law, bits: int) -> Fraction:
    """The probability that a law does not account for."""
    return 1 - Fraction(sum(law.mass), 1 << bits)


def convolve(one: Law, two: Law, bits: int) -> Law:
    """The law of the sum of two independent numbers: a product of polynomials, rounded down and cut."""
    size = len(one.mass) + len(two.mass) - 1
    small(size <= LARGEST, f"the law of a sum needs {size} points, more than {LARGEST}")
    product = fmpz_poly(one.mass) * fmpz_poly(two.mass) // (1 << bits)
    return cut(Law(one.start + two.start, [int(number) for number in product.coeffs()]))


def cut(law: Law) -> Law:
    """Without the ends where nothing is."""
    inside = [place for place, some in enumerate(law.mass) if some]
    return Law(law.start + inside[0], law.mass[inside[0] : inside[-1] + 1]) if inside else Law(0, [0])


@lru_cache(maxsize=256)
def repeated(letters: Letters, strides: Vector, count: int, bits: int) -> Law:
    """The sum of `count` independent records of one law, in one number: each coordinate times its stride. A power of a
    polynomial, by squaring; at every step masses are rounded down, and a little is cut off at both ends.
    """
    if count == 0:
        return Law(0, [1 << bits])
    places = [sum(a * b for a, b in zip(vector, strides, strict=True)) for vector, _ in letters]
    start, size = min(places), max(places) - min(places) + 1
    small(size <= LARGEST, f"what one record adds needs {size} points, more than {LARGEST}")
    mass = [0] * size
    for place, (_, chance) in zip(places, letters, strict=True):
        mass[place - start] += (chance.numerator << bits) // chance.denominator
    one, power, first, records = fmpz_poly(mass), fmpz_poly([1 << bits]), 0, 0
    for digit in map(int, f"{count:b}"):
        longest = 2 * power.length() + digit * size
        small(longest <= LARGEST, f"the law of a sum needs {longest} points, more than {LARGEST}")
        more = power * one // (1 << bits) if digit else power
        square = power * more // (1 << bits)
        first, records = 2 * first + digit * start, 2 * records + digit
        begin, power = without_ends(square, records << SPARE)
        first += begin
    return Law(first, [int(number) for number in power.coeffs()] or [0])


def without_ends(masses: fmpz_poly, spare: int) -> tuple[int, fmpz_poly]:
    """A law without the longest ends that have at most `spare` each; and how much was cut off at the beginning."""
    size = masses.length()
    begin, end = (
        sum(1 for _ in takewhile(lambda some: some <= spare, accumulate(masses[place] for place in places)))
        for places in (range(size), reversed(range(size)))
    )
    return begin, masses.truncate(max(begin, size - end)).right_shift(begin)


def total(types: Types, noises: Sequence[Law | None], strides: Vector, bits: int) -> Law:
    """The sum of all these records, and of the noise that some coordinates have, in one number."""
    parts = [repeated(letters, strides, count, bits) for letters, count in types]
    for noisy, stride in zip(noises, strides, strict=True):
        if noisy is not None:
            small(len(noisy.mass) * stride <= LARGEST, f"noise on several figures needs more than {LARGEST} points")
            apart = [0] * ((len(noisy.mass) - 1) * stride + 1)
            apart[::stride] = noisy.mass
            parts.append(Law(noisy.start * stride, apart))
    return reduce(partial(convolve, bits=bits), parts) if parts else Law(0, [1 << bits])


def strides_for(types: Types, noises: Sequence[Law | None], reach: Vector, bits: int) -> tuple[Vector, Fraction]:
    """Strides under which one number tells as much as all coordinates do: whatever happens but with the probability
    that is returned, two sums that differ, or that a move by up to `reach` makes differ, have different numbers. The
    law of each coordinate by itself says how far its sums go.
    """
    strides, missed = [1], ZERO
    for axis in range(len(reach) - 1, 0, -1):
        law = coordinate(types, noises, axis, bits)
        strides.append(strides[-1] * (len(law.mass) + reach[axis]))
        missed += missing(law, bits)
    return tuple(reversed(strides)), missed


def coordinate(types: Types, noises: Sequence[Law | None], axis: int, bits: int) -> Law:
    """The law of one coordinate by itself."""
    alone = tuple((tuple(((vector[axis],), chance) for vector, chance in law), count) for law, count in types)
    return total(alone, [noises[axis]], (1,), bits)


class Packed(NamedTuple):
    """The law of several coordinates in one number, each times its stride; and that of the last one, which makes rows:
    each is as wide as that law, and one stride from the next; nothing lies between them but what is not accounted for.
    """

    law: Law
    strides: Vector
    row: Law

    def step(self, move: Vector) -> int:
        """By how much a move changes the number."""
        return sum(a * b for a, b in zip(move, self.strides, strict=True))

    def ridged(self) -> "Packed":
        """With masses that are nowhere larger, and that rise and then fall in each row."""
        (start, mass), width = self.law, len(self.row.mass)
        stride = self.strides[-2] if len(self.strides) > 1 else max(width, len(mass))
        before = (start - self.row.start) % stride if len(self.strides) > 1 else 0
        mass, found = [0] * before + mass, list[int]()
        for at in range(0, len(mass), stride):
            inside = mass[at : at + width]
            top = inside.index(max(inside))
            found += [*reversed([*accumulate(inside[top::-1], min)]), *accumulate(inside[top + 1 :], min)]
            found += [0] * (min(stride, len(mass) - at) - len(inside))
        return Packed(Law(start - before, found), self.strides, self.row)

    def gain(self, one: Vector, two: Vector, least: int, bits: int) -> int:
        """The sum of max(0, p - e^epsilon q), in 2^-(2 bits), where q is the law moved by the first or by the second,
        whichever is less; `least` is e^epsilon x 2^bits.
        """
        mass, steps = self.law.mass, (self.step(one), self.step(two))
        q, r = (chain(repeat(0, step), islice(mass, max(0, -step), None), repeat(0)) for step in steps)
        moved = q if one == two else map(min, q, r)
        return sum(more for a, b in zip(mass, moved, strict=False) if (more := (a << bits) - least * b) > 0)


@lru_cache(maxsize=64)
def noise(kind: str, scale: Fraction, bits: int) -> Law:
    """The law of symmetric, log-concave noise, until it is below 2^-bits.

    geometric: P(k) = (1 - x) / (1 + x) x^|k| with x = exp(-1 / scale). gaussian: P(k) proportional to exp(-k² / 2
    scale²); beyond c the sum of these is at most scale² / c of the last. normal: a normal variable, rounded; it is
    drawn as gaussian noise on a grid 2^-40 finer, at a scale that is at most 2^-50 larger, and then rounded, which
    changes a mass relatively by less than (1 + x²) 2^-49 at x standard deviations.
    """
    reach = int(scale * bits) + 2 if kind == "geometric" else isqrt(int(2 * bits * scale * scale)) + 2
    small(2 * reach <= LARGEST, f"the law of the noise needs {2 * reach} points, more than {LARGEST}")
    if kind == "geometric":
        x = (-ball(1 / scale, bits)).exp()
        half = [(1 - x) / (1 + x) * x**k for k in range(reach)]
    elif kind == "gaussian":
        weights = [(-ball(Fraction(k * k) / (2 * scale * scale), bits)).exp() for k in range(reach)]
        beyond = weights[-1] * ball(scale * scale / (reach - 1), bits)
        whole = weights[0] + 2 * (sum(weights[1:], arb(0)) + beyond)
        half = [weight / whole for weight in weights]
    else:
        root = arb(2).sqrt() * ball(scale, bits)
        tails = [(ball(Fraction(2 * k - 1, 2), bits) / root).erfc() / 2 for k in range(reach + 1)]
        kept = [1 - NORMAL_SLIP * (1 + (Fraction(2 * k + 1, 2) / scale) ** 2) for k in range(reach)]
        half = [(tails[k] - tails[k + 1]) * ball(max(kept[k], ZERO), bits) for k in range(reach)]
    mass = [max(0, floor(some, bits)) for some in half]
    return Law(1 - reach, mass[:0:-1] + mass)


def rounded(law: Law, base: int, offset: int) -> Law:
    """The law of the nearest multiple of `base`, in multiples, of the number plus `offset`; half way goes up."""
    low, skip = divmod(law.start + offset + base // 2, base)
    if base == 1:
        return Law(low, law.mass)
    padded = [0] * skip + law.mass
    return Law(low, [sum(padded[place : place + base]) for place in range(0, len(padded), base)])


def hidden(law: Law, below: int, zeros: int, offset: int) -> Law:
    """The law of a count plus `offset` of which those below a number are hidden, zeros too or (0) not: they are at the
    largest of them.
    """
    start, mass = law.start + offset, law.mass
    small(below <= LARGEST and start + len(mass) <= LARGEST, f"a count may be more than {LARGEST}")
    found = [0] * max(below, start + len(mass))
    for place, some in enumerate(mass, start):
        found[below - 1 if place < below and (zeros or place) else place] += some
    return Law(0, found)


def turns(rates: Sequence[Fraction], size: int, bits: int) -> list[int]:
    """The counts of so many people at which another of the rates becomes the likeliest; the first of several is."""
    ball(ONE, bits)
    logs = [(ball(rate, bits).log(), ball(1 - rate, bits).log()) for rate in rates]

    def better(one: int, two: int, ones: int) -> bool:
        gap = ones * (logs[one][0] - logs[two][0]) + (size - ones) * (logs[one][1] - logs[two][1])
        if gap > 0 or gap < 0:
            return bool(gap > 0)
        small(size <= LARGEST_TIE, "two rates are too close to each other to tell which is the likelier")
        p, q = rates[one], rates[two]
        return (p / q) ** ones * ((1 - p) / (1 - q)) ** (size - ones) > 1

    def winner(ones: int) -> int:
        best = 0
        for other in range(1, len(rates)):
            best = other if better(other, best, ones) else best
        return best

    found, waiting = list[int](), [(0, size, winner(0), winner(size))]
    while waiting:
        low, high, first, last = waiting.pop()
        if first != last and high == low + 1:
            found.append(high)
        elif first != last:
            middle = (low + high) // 2
            between_them = winner(middle)
            waiting += [(low, middle, first, between_them), (middle, high, between_them, last)]
    return sorted(found)


def between(law: Law, starts: Sequence[int], offset: int) -> list[int]:
    """How likely the number plus `offset` is below the first of these, from each to the next, and from the last on."""
    sums = [0, *accumulate(law.mass)]
    places = [min(max(start - offset - law.start, 0), len(law.mass)) for start in starts]
    return [sums[b] - sums[a] for a, b in zip([0, *places], [*places, len(law.mass)], strict=True)]


def beside(law: Law, way: int) -> Pair:
    """At each number of those who are counted beside somebody, from the least on: the masses if that person is not
    counted and if they are (0), or the other way round (1). It takes one number more than the law has.
    """
    without, counted = [*law.mass, 0], [0, *law.mass]
    return zip(counted, without, strict=True) if way else zip(without, counted, strict=True)


def exactly(left: int, right: int, scale: Fraction, bits: int) -> int:
    """The chance that a count is told exactly, at so many steps from both ends of its window, from above."""
    one, two = (1 - (-ball(steps / scale, bits)).exp() for steps in (left, right))
    return floor(one * two, bits) + 2


def pair(one: Law, two: Law) -> Pair:
    """Both laws at the points of the first."""
    shift = two.start - one.start
    other = chain(repeat(0, shift), islice(two.mass, max(0, -shift), None), repeat(0))
    return ((p, q) for p, q in zip(one.mass, other, strict=False) if p)


@lru_cache(maxsize=64)
def exponential(epsilon: Fraction, bits: int) -> int:
    """e^epsilon x 2^bits, from below."""
    return floor(ball(epsilon, bits).exp(), bits)


def delta(points: Pair, epsilon: Fraction, bits: int) -> Fraction:
    """An upper bound on the sum of max(0, p - e^epsilon q) over all results."""
    return bounds(points, epsilon, bits).upper


def bounds(points: Pair, epsilon: Fraction, bits: int) -> Bounds:
    """Both bounds, if the q are those of a law that is as short of one as the p."""
    least, gain, sure = exponential(epsilon, bits), 0, 0
    for p, q in points:
        sure += p
        gain += more if (more := (p << bits) - least * q) > 0 else 0
    return bounds_of(gain, sure, epsilon, bits)


def bounds_of(gain: int, sure: int, epsilon: Fraction, bits: int) -> Bounds:
    """From what is gained where p is the larger (in 2^-(2 bits)), and the sum of all p (in 2^-bits). What is missing of
    p counts in full from above; what is missing of q could take e^epsilon times as much away, where e is below 3.
    """
    gained, lost = Fraction(gain, 1 << 2 * bits), 1 - Fraction(sure, 1 << bits)
    away = 3 ** ceil(epsilon) * lost + Fraction(1, 1 << bits)
    return Bounds(max(ZERO, gained - away), min(ONE, gained + lost))


@lru_cache(maxsize=8)
def ratios(epsilon: Fraction, reach: int, fine: int, bits: int) -> list[int]:
    """exp(j step) x 2^bits from below, for j from -reach to reach; `fine` steps are one epsilon (at least 1/2)."""
    step = max(epsilon, Fraction(1, 2)) / fine
    factor, power, found = ball(step, bits).exp(), ball(-reach * step, bits).exp(), []
    for _ in range(2 * reach + 1):
        found.append(floor(power, bits))
        power *= factor
    return found


def losses(points: Pair, epsilon: Fraction, fine: int, bits: int) -> Law:
    """The law under p of the loss log(p / q), in steps and rounded up: q is made smaller, which makes no delta smaller,
    also not beside independent results. Where q is 0, or the loss is above REACH, the law is short of p.
    """
    steps, mass = ratios(epsilon, REACH * fine, fine, bits), [0] * (2 * REACH * fine + 1)
    for p, q in points:
        place = bisect_left(steps, -((-p << bits) // q)) if q else len(mass)
        if place < len(mass):
            mass[place] += p
    return cut(Law(-REACH * fine, mass))


def combined(one: Pair, two: Pair, bits: int) -> Pair:
    """Two independent results at once, from below."""
    return [(p * r >> bits, q * s >> bits) for p, q in one for r, s in two]


def largest(outputs: Sequence[Iterable[Pair]], epsilon: Fraction, fine: int, bits: int) -> Fraction:
    """Delta of independent outputs at once, worst over the pairs of facts that each may have: results are combined, or
    if that would be too many their losses are added up.
    """
    if len(outputs) < 2:
        return max((delta(points, epsilon, bits) for output in outputs for points in output), default=ZERO)
    lists = [[tuple(points) for points in output] for output in outputs]
    ways = prod(map(len, lists))
    small(ways <= MOST_WAYS, f"independent outputs have {ways} pairs of facts, more than {MOST_WAYS}")
    if prod(sum(map(len, output)) for output in lists) <= MOST_RESULTS:
        return max(delta(reduce(partial(combined, bits=bits), some), epsilon, bits) for some in product(*lists))
    return composed(
        [[losses(points, epsilon, fine, bits) for points in output] for output in lists], epsilon, fine, bits
    )


def composed(facts: Sequence[Sequence[Law]], epsilon: Fraction, fine: int, bits: int) -> Fraction:
    """Delta of independent outputs of which the laws of losses are given, worst over the pairs of facts of each."""
    reach, found = len(facts) * REACH * fine, ZERO
    for some in product(*facts):
        law = reduce(lambda one, two: convolve(one, two, bits), some)
        inverse = ratios(epsilon, reach, fine, bits)[reach - law.start :: -1]  # exp(-loss)
        points = ((p, p * shrink >> bits) for p, shrink in zip(law.mass, inverse, strict=False))
        found = max(found, delta(points, epsilon, bits))
    return found


def coin(rate: Fraction) -> Letters:
    """A record that adds one with this probability."""
    return (((0,), 1 - rate), ((1,), rate)) if rate < 1 else (((1,), ONE),)


@lru_cache(maxsize=4096)
def mixture(weights: tuple[tuple[Fraction, int], ...], removed: int, fine: int, bits: int) -> Mixture:
    """How many of independent events happen, so many of each probability, if the likeliest `removed` do not: at least
    this and at most that many, with this probability (in 2^-bits). All of these are short of one by what is not
    accounted for. Numbers are told apart to a part of them, of which one has `fine`.
    """
    rest = []
    for weight, count in sorted(weights, reverse=True):
        taken = min(removed, count)
        removed -= taken
        rest += [(coin(weight), count - taken)] if weight and count > taken else []
    law = total(tuple(rest), [None], (1,), bits)
    step, size = max(1, law.start // fine), len(law.mass)
    ends = [(place, min(place + step, size)) for place in range(0, size, step)]
    return tuple((law.start + a, law.start + b - 1, sum(law.mass[a:b])) for a, b in ends)


def certain(weights: tuple[tuple[Fraction, int], ...], removed: int, miss: Fraction, bits: int) -> tuple[int, Fraction]:
    """How many of independent events happen, but for a probability of at most `miss`; and that there are fewer."""
    fewer = ONE
    for least, _, chance in reversed(mixture(weights, removed, EVERY, bits)):
        fewer -= Fraction(chance, 1 << bits)
        if fewer <= miss:
            return least, max(ZERO, fewer)
    return 0, ZERO
