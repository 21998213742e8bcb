"""What follows from other numbers of the certificate, computed again and compared."""

from collections import Counter
from fractions import Fraction
from math import ceil
from typing import Any

from dalenius_checker.document import LARGEST_NUMBER, RefusedError, item
from dalenius_checker.laws import TooLargeError


def require(holds: object, words: str) -> None:
    """RefusedError unless it holds."""
    if not holds:
        raise RefusedError(words)


def check(certificate: Any) -> None:
    """RefusedError unless all that is said twice, or follows, fits."""
    claim, knows, people = certificate.claim, certificate.attacker.knows, certificate.people.all
    require(claim.epsilon >= 0, "epsilon must be at least 0")
    require(0 <= claim.delta_wanted <= 1, "delta must be between 0 and 1")
    if people > LARGEST_NUMBER:
        raise TooLargeError(f"there are {people} people, more than {LARGEST_NUMBER}")
    known = 0 <= knows < 1 or (knows.denominator == 1 and 1 <= knows < people)
    require(known, "the attacker knows a share below 1, or a whole number below that of all people")
    for figure in certificate.figures:
        _channel(figure)
    for place, kind in enumerate(certificate.kinds):
        _kind(certificate, f"kind {place}", kind)
    _groups(certificate)
    _claim(certificate)
    for policy in certificate.policies:
        _policy(certificate, policy)


def _channel(figure: Any) -> None:
    require((figure.column is None) == (figure.kind == "count"), f"{figure.name}: a count has no column, others have")
    require(figure.unit > 0, f"{figure.name}: a unit must be above 0")
    rounds = [link == "round" for link, _ in figure.channel]
    fine = rounds in ([], [False], [True], [False, True])
    require(fine, f"{figure.name}: a channel is noise, rounding, or rounding after noise")
    for link, size in figure.channel:
        whole = link != "round" or size.denominator == 1
        require(size > 0 and whole, f"{figure.name}: {link} has the size {size}")
        if size > LARGEST_NUMBER or (link != "round" and size * 1024 < 1):
            raise TooLargeError(f"{figure.name}: {link} has the size {float(size):g}")


def _kind(certificate: Any, name: str, kind: Any) -> None:
    figures = sorted(figure for part in kind.parts for figure in part.figures)
    require(kind.figures and figures == sorted(kind.figures), f"{name}: its parts must have each figure once")
    require(len(set(figures)) == len(figures), f"{name}: a figure stands there twice")
    require(figures[0] >= 0 and figures[-1] < len(certificate.figures), f"{name}: there is no such figure")
    require(1 <= kind.people <= certificate.people.all, f"{name}: {kind.people} people cannot be")
    bracket = 0 <= kind.delta[0] <= kind.delta[1] <= certificate.claim.delta_wanted
    require(bracket, f"{name}: its delta must be a bracket that is at most the one that is wanted")
    for part in kind.parts:
        domain = set(part.domain)
        fine = domain and {*map(len, domain)} == {len(part.figures)} and len(domain) == len(part.domain)
        require(fine, f"{name}: a domain must have different vectors, with a coordinate for each figure")
        for types, whole in ((part.types, True), (part.least, False)):
            for law, count in types or ():
                mass, vectors = sum((chance for _, chance in law), Fraction(0)), {vector for vector, _ in law}
                fine = all(chance > 0 for _, chance in law) and (mass == 1 or (not whole and mass < 1))
                require(fine, f"{name}: probabilities must be above 0 and sum to one")
                require(vectors <= domain and len(vectors) == len(law), f"{name}: a law does not fit its domain")
                require(count >= 1, f"{name}: nobody has a law")
            people = kind.people if types is None else sum(count for _, count in types)
            require(people == kind.people, f"{name}: its laws must be those of {kind.people} people")


def _groups(certificate: Any) -> None:
    """Who is in which number: sizes, who stands alone, what is known, whose moves are listed."""
    covered, times, inside, moving = people_of(certificate), Counter[int](), certificate.people.in_no_figure, []
    for place, (at, numbers) in enumerate(certificate.groups):
        kind = certificate.kinds[at]
        figures = tuple(certificate.numbers[number][0] for number in numbers)
        require(figures == kind.figures, f"a group of kind {at} must be in one number of each of its figures")
        times.update(numbers)
        inside += kind.people
        moving += [place] if kind.evidence.method == "moves" else []
    sets = {frozenset(numbers) for _, numbers in certificate.groups}
    require(len(sets) == len(certificate.groups), "two groups are in exactly the same numbers: they are one")
    require(set(covered) == set(range(len(certificate.numbers))), "a number is listed that covers nobody")
    names = {(figure, repr(cell)) for figure, cell in certificate.numbers}
    require(len(names) == len(certificate.numbers), "a number is listed twice")
    for figure, cell in certificate.numbers:
        fine = len(cell) == len(certificate.figures[figure].by) and all(isinstance(one, str | int) for one in cell)
        require(fine, "a number must have a value for each column that its figure is split by")
    kinds = {at for at, _ in certificate.groups}
    require(kinds == set(range(len(certificate.kinds))), "a kind is listed that no group has")
    require(inside == certificate.people.all, "the people of all groups, and those in none, are not all people")
    require(certificate.people.in_no_figure >= 0, "fewer than no people are in no figure")
    listed = [moves.group for moves in certificate.moves]
    require(not listed or listed == moving, "moves must be listed of those groups whose evidence they are")
    for at, numbers in certificate.groups:
        kind = certificate.kinds[at]
        alone = len(numbers) == 1 and times[numbers[0]] == 1
        require(kind.alone == alone, f"kind {at}: whether its number covers others is told wrongly")
        known = known_in(certificate, kind, [covered[number] for number in numbers])
        require(kind.known == known, f"kind {at}: {known} of its {kind.people} people are known, not {kind.known}")


def _claim(certificate: Any) -> None:
    """What is said of all groups, and of each figure."""
    worst = max((kind.delta[1] for kind in certificate.kinds), default=Fraction(0))
    require(certificate.claim.delta_at_most == worst, "delta_at_most must be the largest of all groups")
    most, people = certificate.attacker.largest_known, certificate.people.all
    plain = all(kind.evidence.method == "atom" for kind in certificate.kinds)
    unsaid = people < 2 or not certificate.kinds or not plain
    listed = plain or certificate.moves  # moves that are not listed were not computed either
    require(not listed or (most is None) == unsaid, "largest_known is missing, or said where it cannot be")
    require(most is None or 0 <= most < people, "largest_known must be below the number of all people")
    enough = most is None or certificate.attacker.in_every_group or most >= known_of_all(certificate)
    require(enough, "largest_known must be at least what the claim says")
    for place, figure in enumerate(certificate.figures):
        adds = {
            vector[part.figures.index(place)] * figure.unit
            for kind in certificate.kinds
            for part in kind.parts
            if place in part.figures
            for vector in part.domain
        }
        ends = (min(adds), max(adds)) if adds else (None, None)
        require((figure.least, figure.most) == ends, f"{figure.name}: the least and the most do not fit the domain")
        low, high = figure.truncated or (min(adds, default=0), max(adds, default=0))
        within = all(min(low, 0) <= add <= max(high, 0) for add in adds)  # who is not counted adds 0
        require(within, f"{figure.name}: a record adds more than values that are truncated so can")


def _policy(certificate: Any, policy: Any) -> None:
    """The claim is at least as strict as a policy demands."""
    claim, knows, share = certificate.claim, certificate.attacker.knows, policy.known or Fraction(0)
    least, figures = policy.safe_threshold or 0, certificate.figures
    new = [n for at, n in people_of(certificate).items() if not figures[certificate.numbers[at][0]].already_out]
    some = knows >= share if knows < 1 else knows >= ceil(share * certificate.people.all)
    require(policy.epsilon is None or claim.epsilon <= policy.epsilon, f"{policy.name} demands a smaller epsilon")
    require(policy.delta is None or claim.delta_wanted <= policy.delta, f"{policy.name} demands a smaller delta")
    require(some and 0 <= share < 1, f"{policy.name} demands an attacker who knows more")
    require(not (share and certificate.attacker.in_every_group), f"{policy.name} lets known records lie anywhere")
    require(min(new, default=least) >= least, f"{policy.name} demands at least {least} people behind every number")


def people_of(certificate: Any) -> Counter[int]:
    """How many people each number covers."""
    covered: Counter[int] = Counter()
    for place, numbers in certificate.groups:
        kind = item(certificate.kinds, place, "kind")
        for number in numbers:
            item(certificate.figures, item(certificate.numbers, number, "number")[0], "figure")
            covered[number] += kind.people
    return covered


def known_of_all(certificate: Any) -> int:
    """How many records the attacker knows."""
    share, people = certificate.attacker.knows, certificate.people.all
    return 0 if people < 2 else min(people - 1, ceil(share * people) if share < 1 else int(share))


def known_in(certificate: Any, kind: Any, sizes: list[int]) -> int:
    """How many records of a group the attacker knows: all that are known, as far as they fit; if the share holds in
    every published number, no more than that share of any that covers the group.
    """
    known, share = known_of_all(certificate), certificate.attacker.knows
    if certificate.attacker.in_every_group and share < 1:
        known = min([known, *(ceil(share * size) for size in sizes)])
    return int(min(kind.people - 1, known))
