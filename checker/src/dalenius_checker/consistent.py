"""What follows from other numbers of the certificate, computed again and compared."""

from collections import Counter
from fractions import Fraction

from dalenius_checker.document import LARGEST_GROUP, Certificate, Kind, Part, RefusedError, known_in, known_of_all
from dalenius_checker.laws import TooLargeError

NOISES = ("geometric", "gaussian", "normal")


def check(certificate: Certificate) -> None:
    """RefusedError unless all that is said twice, or follows, fits."""
    if certificate.epsilon < 0 or not 0 <= certificate.wanted <= 1:
        raise RefusedError("epsilon must be at least 0, and delta between 0 and 1")
    if certificate.people > LARGEST_GROUP:
        raise TooLargeError(f"there are {certificate.people} people, more than {LARGEST_GROUP}")
    knows = certificate.knows
    if knows < 0 or (knows >= 1 and (knows.denominator != 1 or knows >= certificate.people)):
        raise RefusedError("the attacker knows a share below 1, or a whole number below that of all people")
    for figure in certificate.figures:
        _channel(figure.name, figure.channel)
        if figure.unit <= 0:
            raise RefusedError(f"{figure.name}: a unit must be above 0")
    for place, kind in enumerate(certificate.kinds):
        _kind(certificate, place, kind)
    _groups(certificate)
    _claim(certificate)


def _channel(name: str, channel: tuple[tuple[str, Fraction], ...]) -> None:
    kinds = ["noise" if link in NOISES else link for link, _ in channel]
    if kinds not in ([], ["noise"], ["round"], ["noise", "round"]):
        raise RefusedError(f"{name}: a channel is noise, rounding, or rounding after noise, but got {kinds}")
    for link, size in channel:
        if size <= 0 or (link == "round" and size.denominator != 1):
            raise RefusedError(f"{name}: {link} has the size {size}")
        if size > LARGEST_GROUP or (link != "round" and size.numerator * 1024 < size.denominator):
            raise TooLargeError(f"{name}: {link} has the size {float(size):g}")


def _kind(certificate: Certificate, place: int, kind: Kind) -> None:
    if sorted(figure for part in kind.parts for figure in part.figures) != sorted(set(kind.figures)):
        raise RefusedError(f"kind {place}: its parts must have each of its figures once")
    if len(set(kind.figures)) != len(kind.figures) or not kind.figures:
        raise RefusedError(f"kind {place}: a figure stands there twice, or there is none")
    if not set(kind.figures) <= set(range(len(certificate.figures))):
        raise RefusedError(f"kind {place}: there is no such figure")
    if not 1 <= kind.people <= certificate.people or not 0 <= kind.known < kind.people:
        raise RefusedError(f"kind {place}: {kind.known} of {kind.people} people cannot be known")
    if not 0 <= kind.delta[0] <= kind.delta[1] <= certificate.wanted:
        raise RefusedError(f"kind {place}: its delta must be a bracket that is at most the one that is wanted")
    for part in kind.parts:
        _part(place, part, kind.people)


def _part(place: int, part: Part, people: int) -> None:
    domain = set(part.domain)
    if not domain or {len(vector) for vector in domain} != {len(part.figures)} or len(domain) != len(part.domain):
        raise RefusedError(f"kind {place}: a domain must have different vectors, with a coordinate for each figure")
    for types, whole in ((part.types, True), (part.least, False)):
        if types is None:
            continue
        if any(count < 1 for _, count in types) or sum(count for _, count in types) != people:
            raise RefusedError(f"kind {place}: its laws must be those of {people} people")
        for law, _ in types:
            mass = sum((chance for _, chance in law), Fraction(0))
            if any(chance <= 0 for _, chance in law) or (mass != 1 if whole else mass > 1):
                raise RefusedError(f"kind {place}: probabilities must be above 0 and sum to one")
            if not {vector for vector, _ in law} <= domain or len({vector for vector, _ in law}) != len(law):
                raise RefusedError(f"kind {place}: a law has a vector twice, or one outside the domain")


def _groups(certificate: Certificate) -> None:
    """Who is in which number: sizes, who stands alone, what is known."""
    covered: Counter[int] = Counter()  # persons
    times: Counter[int] = Counter()  # groups
    for place, numbers in certificate.groups:
        if not 0 <= place < len(certificate.kinds):
            raise RefusedError(f"there is no kind number {place}")
        kind = certificate.kinds[place]
        if any(not 0 <= number < len(certificate.numbers) for number in numbers):
            raise RefusedError(f"a group of kind {place} is in a number that is not listed")
        if [certificate.numbers[number] for number in numbers] != list(kind.figures):
            raise RefusedError(f"a group of kind {place} must be in one number of each of its figures")
        for number in numbers:
            covered[number] += kind.people
            times[number] += 1
    if len({frozenset(numbers) for _, numbers in certificate.groups}) != len(certificate.groups):
        raise RefusedError("two groups are in exactly the same numbers: they are one")
    if set(covered) != set(range(len(certificate.numbers))):
        raise RefusedError("a number is listed that covers nobody")
    if {place for place, _ in certificate.groups} != set(range(len(certificate.kinds))):
        raise RefusedError("a kind is listed that no group has")
    inside = sum(certificate.kinds[place].people for place, _ in certificate.groups)
    if inside + certificate.in_no_figure != certificate.people or certificate.in_no_figure < 0:
        raise RefusedError(f"{inside} people in groups and {certificate.in_no_figure} in none are not all of them")
    for place, numbers in certificate.groups:
        kind = certificate.kinds[place]
        if kind.alone != (len(numbers) == 1 and times[numbers[0]] == 1):
            raise RefusedError(f"kind {place}: whether its number covers others is told wrongly")
        known = known_in(certificate, kind, [covered[number] for number in numbers])
        if known != kind.known:
            raise RefusedError(f"kind {place}: {known} of its {kind.people} people are known, not {kind.known}")


def _claim(certificate: Certificate) -> None:
    """What is said of all groups, and of each figure."""
    worst = max((kind.delta[1] for kind in certificate.kinds), default=Fraction(0))
    if certificate.at_most != worst:
        raise RefusedError(f"delta_at_most must be the largest of all groups, {float(worst):.6g}")
    largest, people = certificate.largest_known, certificate.people
    nobody = people < 2 or not certificate.kinds
    if (largest is None) != nobody and all(kind.method == "atom" for kind in certificate.kinds):
        raise RefusedError("largest_known must be there, unless there is nobody who could be known")
    if largest is not None and not (known_of_all(certificate) <= largest < people or certificate.in_every_group):
        raise RefusedError("largest_known must be below the number of all people, and at least what the claim says")
    if largest is not None and not 0 <= largest < people:
        raise RefusedError("largest_known must be a number of records, below that of all people")
    for place, figure in enumerate(certificate.figures):
        adds = [
            vector[part.figures.index(place)]
            for kind in certificate.kinds
            for part in kind.parts
            if place in part.figures
            for vector in part.domain
        ]
        ends = (min(adds) * figure.unit, max(adds) * figure.unit) if adds else None
        if figure.ends != ends:
            raise RefusedError(f"{figure.name}: the least and the most that a record adds do not fit the domain")
        low, high = figure.truncated or ends or (0, 0)
        if ends is not None and (ends[0] < min(low, 0) or ends[1] > max(high, 0)):  # who is not counted adds 0
            raise RefusedError(f"{figure.name}: a record adds more than values that are truncated so can")
