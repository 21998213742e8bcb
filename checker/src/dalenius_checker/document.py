"""A certificate as it is read: its shape by the JSON Schema that is shipped, and then all that follows from something
else in it, computed again and compared. Nothing may be left over, and nothing stands there twice.
"""

import csv
import hashlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from importlib.resources import files
from itertools import pairwise
from math import ceil, floor, prod
from types import SimpleNamespace
from typing import Any

import jsonschema

from dalenius_checker import computed
from dalenius_checker.laws import ZERO, Types, Vector, small

OLDER, VERSION = "dalenius/certificate/4", "dalenius/certificate/5"
LARGEST_FILE = 1 << 24
LARGEST_NUMBER = 1 << 30  # persons, or steps that a record adds
LARGEST_ALPHABET = 200_000  # vectors of one law or domain


class UnreadableError(Exception):
    """Not a certificate that this checker can read."""


class RefusedError(Exception):
    """A certificate that contradicts itself, or the computation."""


def require(holds: object, words: str) -> None:
    """RefusedError unless it holds."""
    if not holds:
        raise RefusedError(words)


def read(content: bytes) -> Any:
    """The certificate, its keys as attributes; RefusedError if its own hash is wrong."""
    small(len(content) <= LARGEST_FILE, f"the file has {len(content)} bytes, more than {LARGEST_FILE}")
    try:  # a float is no int
        document = json.loads(content.decode(), parse_float=int, parse_constant=int, object_pairs_hook=_once)
        json.dumps(document, ensure_ascii=False).encode()  # half a character is none
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"this is not JSON: {str(error)[:200]}") from None
    version = document.get("schema") if isinstance(document, dict) else None
    if version not in (OLDER, VERSION):
        raise UnreadableError(f"this checker reads versions {OLDER} and {VERSION}, not {str(version)[:40]!r}")
    shape = json.loads(files("dalenius_checker").joinpath("certificate.schema.json").read_text(encoding="utf-8"))
    for wrong in jsonschema.Draft202012Validator(shape).iter_errors(document):
        raise UnreadableError(f"{wrong.json_path} has a wrong entry: {wrong.message[:200]}")
    require(own_hash(document) == document["sha256"], "it was changed after it was written: its own sha256 differs")
    return json.loads(json.dumps(document), object_hook=lambda keys: SimpleNamespace(**keys))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def own_hash(document: dict[str, Any]) -> str:
    """SHA-256 of the document without its own hash: ASCII, keys sorted, no spaces."""
    rest = {key: value for key, value in document.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def check(c: Any) -> None:
    """RefusedError unless all that follows from something else fits. Exact numbers, laws, domains are written out."""
    c.epsilon, c.wanted, c.knows = map(Fraction, (c.claim.epsilon, c.claim.delta_wanted, c.attacker.knows))
    small(c.epsilon <= 1000 and c.people.all <= LARGEST_NUMBER, f"epsilon is above 1000, or people {LARGEST_NUMBER}")
    require(c.epsilon >= 0 and 0 <= c.wanted <= 1, "epsilon must be at least 0, and delta between 0 and 1")
    known = 0 <= c.knows < 1 or (c.knows.denominator == 1 and 1 <= c.knows < c.people.all)
    require(known, "the attacker knows a share below 1, or a whole number below that of all people")
    parts = [part for kind in c.kinds for part in kind.parts]
    for what, used in {
        "kinds": [kind for kind, _ in c.groups],
        "numbers": [number for _, numbers in c.groups for number in numbers],
        "domains": [part.domain for part in parts],
        "laws": [law for part in parts for some in _scenarios(part) for law, _ in (*(some.least or ()), *some.types)],
    }.items():
        fine = [*dict.fromkeys(used)] == [*range(len(getattr(c, what)))]
        require(fine, f"{what} must be listed in the order of their first use, and no others")
    shapes = {(tuple(part.figures), part.domain) for part in parts}
    domains = [[vector for vector, _ in _vectors((*run, "1") for run in runs)] for runs in c.domains]
    laws = [tuple(_vectors(runs)) for runs in c.laws]
    for part in parts:
        part.also = _scenarios(part)[1:]
        for one in (part, *part.also):
            _part(one, domains, laws)
    several = prod(getattr(belief, "scenarios", 1) for belief in c.beliefs)
    require(all(len(part.also) == several - 1 for part in parts), "the laws of a part are not those of all scenarios")
    require(len({figures for figures, _ in shapes}) == len(shapes), "the same figures must have the same domain")
    about = [(name, belief.column) for belief in c.beliefs for name in (belief.column, *getattr(belief, "beside", ()))]
    c.about = dict(about)  # the belief of each column, by the first that it is about
    require(len(c.about) == len(about), "a column must have one belief")
    for place, figure in enumerate(c.figures):
        steps = {frozenset(v[some.index(place)] for v in domains[at]) for some, at in shapes if place in some}
        require(len(steps) < 2, f"{figure.name}: what a record may add differs between kinds")
        _figure(c, figure, min(steps, default=frozenset()))
    said = getattr(c, "near", None) and c.secret == "value" and not hasattr(c, "series")
    require(said or all(part.changes is None for part in parts), "facts that are not compared belong to a secret")
    _groups(c)
    computed.check(c, require)
    for policy in c.policies:
        _policy(c, policy)
    worst = max((kind.delta[1] for kind in c.kinds), default=ZERO)
    require(Fraction(c.claim.delta_at_most) == worst, "delta_at_most must be the largest of all groups")
    most, plain = c.attacker.largest_known, all(kind.evidence.method == "atom" for kind in c.kinds)
    plain = plain and not getattr(c, "believed", None)  # nor is it looked for where something is believed of all
    said = c.people.all > 1 and c.kinds and plain  # moves that are not listed were not computed either
    require((most is not None) == bool(said) or not (plain or c.moves), "largest_known is missing, or out of place")
    least = 0 if c.attacker.in_every_group else known_of_all(c)
    require(most is None or least <= most < c.people.all, "largest_known is less than what the claim says, or too many")


def _vectors(runs: Any) -> Iterator[tuple[Vector, Fraction]]:
    """Vectors with their probabilities: a run is [first, step, how many, probability of each]."""
    listed = 0
    for first, step, count, chance in runs:
        listed += count
        fine = listed <= LARGEST_ALPHABET and max(map(abs, (*first, *step))) <= LARGEST_NUMBER
        small(fine, f"a law or a domain has more than {LARGEST_ALPHABET} vectors, or larger numbers")
        require(len(first) == len(step) and (count > 1) == any(step), "a run has a step if it has several vectors")
        for place in range(count):
            yield tuple(a + place * b for a, b in zip(first, step, strict=True)), Fraction(chance)


def _changes(part: Any) -> list[int] | None:
    """By how much facts that are compared differ, rising, where all vectors lie on a line; None if any two are."""
    runs = getattr(part, "changes", None)
    if runs is None:
        return None
    small(sum(many for *_, many in runs) <= LARGEST_ALPHABET, f"facts differ in more than {LARGEST_ALPHABET} ways")
    found = [first + place * step for first, step, many in runs for place in range(many)]
    require(all(a < b for a, b in pairwise(found)), "by how much facts differ must be written as rising numbers")
    low = min(part.domain)
    away = [[b - a for a, b in zip(low, vector, strict=True)] for vector in part.domain]
    far = max(away)
    at = next((place for place, step in enumerate(far) if step), 0)
    line = all(some[k] * far[at] == far[k] * some[at] for some in away for k in range(len(far)))
    require(line and far[at], "facts may only be left out where one number is told of a record")
    return found


def _scenarios(part: Any) -> list[Any]:
    """The part, and the same part in each further scenario."""
    also = getattr(part, "also", ())
    return [part, *(SimpleNamespace(**{**vars(part), **vars(one), "also": []}) for one in also)]


def _part(part: Any, domains: Any, laws: Any) -> None:
    """What records add to some figures: a domain, and laws on it. `least` has what is known of the laws, or all."""
    part.domain, part.estimated = domains[part.domain], part.least is not None
    listed = (part.types, part.least if part.estimated else part.types)
    part.types, part.least = (tuple((laws[law], count) for law, count in types) for types in listed)
    fine = {*map(len, part.domain)} == {len(part.figures)} and len({*part.domain}) == len(part.domain)
    require(fine, "a domain must have different vectors, with a coordinate for each figure")
    part.changes = _changes(part)
    for letters, count in (*part.types, *part.least):
        inside = {vector for vector, chance in letters if chance > 0} & {*part.domain}
        require(len(inside) == len(letters) and count, "a law must be one of people, above 0 and within its domain")
    whole, least = ([sum(chance for _, chance in law) for law, _ in types] for types in (part.types, part.least))
    fine = {*whole} == {1} and max(least, default=ZERO) <= 1 and people(part.types) == people(part.least)
    require(fine, "probabilities must sum to one, and be those of all people")
    room = Counter[Vector]()  # by which all probabilities together exceed what no probability is below
    for sign, types in ((1, part.types), (-1, part.least)) if part.estimated else ():
        for letters, count in types:
            for vector, chance in letters:
                room[vector] += sign * count * chance
    require(min(room.values(), default=0) >= 0, "laws are below the masses that no probability is below")


def _figure(c: Any, figure: Any, steps: frozenset[int]) -> None:
    """What a record may add to a figure, and what happens to the total: noise, then rounding. Every record adds the
    same exactly if the figure depends on no confidential column.
    """
    counts = figure.column is None and steps <= {0, 1} and Fraction(figure.unit) == 1
    public = c.secret != "presence" and {*figure.confidential} <= {figure.column}  # a mean tells how many there are
    adds = figure.column is not None and (figure.kind != "mean" or public)
    require(counts if figure.kind == "count" else adds, f"{figure.name}: a {figure.kind} is not made like this")
    used, constant = {*figure.confidential}, len(steps) < 2
    fine = used <= {*c.about} and (constant or figure.column in (None, *used))
    fine = fine and (not steps or constant != bool(used))
    require(fine, f"{figure.name}: it must depend on columns with a belief, or add the same for everybody")
    unit, ends = Fraction(figure.unit), [None if end is None else Fraction(end) for end in (figure.least, figure.most)]
    follows = [min(steps) * unit, max(steps) * unit] if steps else [None, None]
    require(unit > 0 and ends == follows, f"{figure.name}: the least and the most do not fit the domain")
    hull = [ZERO, *map(Fraction, getattr(figure, "truncated", None) or (end or 0 for end in ends))]
    within = all(min(hull) <= step * unit <= max(hull) for step in steps)  # who is not counted adds 0
    require(within, f"{figure.name}: a record adds more than values that are truncated so can")
    figure.hide, figure.earned, figure.rates = _hidden(figure), _earned(figure), _rates(figure)
    figure.among, figure.place, figure.moved, figure.models = _among(figure)
    links = [] if figure.hide or figure.among or figure.earned or figure.rates else figure.channel
    channel = {link == "round": (link, Fraction(size)) for link, size in links}
    figure.noise, (_, base) = channel.get(False), channel.get(True, ("round", Fraction(1)))
    fine = [*channel] == sorted(link == "round" for link, _ in links) and base.denominator == 1
    require(fine and all(size > 0 for _, size in channel.values()), f"{figure.name}: noise comes before rounding")
    figure.base, sizes = int(base), [size for _, size in channel.values()]
    small(all(1 <= 1024 * size <= LARGEST_NUMBER for size in sizes), f"{figure.name}: noise or rounding of such a size")


def _hidden(figure: Any) -> tuple[int, bool] | None:
    """Below which number counts are hidden, and whether zeros are; None if none is."""
    found = [(Fraction(size), link == "hide") for link, size in figure.channel if link.startswith("hide")]
    if not found:
        return None
    below, zeros = found[0]
    fine = len(figure.channel) == 1 and figure.kind == "count" and below.denominator == 1 and below >= 1
    require(fine, f"{figure.name}: small ones are hidden of counts as they are")
    small(below <= LARGEST_ALPHABET, f"{figure.name}: counts below {below} are hidden")
    return int(below), zeros


def _among(figure: Any) -> tuple[int, Fraction | None, Fraction | None, tuple[tuple[Fraction, ...], ...]]:
    """Of how many counts one value is named, if it is one of them, else 0; and at which place in order, if that of the
    largest is not; and the scale of the noise by which it is moved, if it is; and the chances of the values under each
    model, if it is the likeliest of these that is named.
    """
    wanted = ("compare", "order", "moved", "model")  # the first three with so many numbers more
    found = [[*map(Fraction, size.split())] for link, size in figure.channel if link in wanted]
    if not found:
        return 0, None, None, ()
    many, *at = found[0]
    fine = len(figure.channel) == 1 and figure.kind == "count" and many.denominator == 1 and many > 1
    require(fine, f"{figure.name}: counts as they are, at least two of them, are compared")
    if figure.channel[0][0] == "model":
        models = computed.models_of(int(many), at)
        whole = all(len(model) == many and min(model) > 0 and sum(model) == 1 for model in models)
        require(whole and len({*models}) == len(models) > 1, f"{figure.name}: models differ, and allow every value")
        return int(many), None, None, models
    place = len(at) == wanted.index(figure.channel[0][0]) and 0 <= sum(at[:1]) <= 1 and all(each > 0 for each in at[1:])
    require(place, f"{figure.name}: there is no such place")
    return int(many), at[0] if at else None, at[1] if at[1:] else None, ()


def _earned(figure: Any) -> tuple[Fraction, Fraction, Fraction] | None:
    """Between which shares a count may be exact, and the scale of the noise of others; None if that is not its rule."""
    found = [size for link, size in figure.channel if link == "earned"]
    if not found:
        return None
    low, high, scale = map(Fraction, found[0].split())
    fine = len(figure.channel) == 1 and figure.kind == "count" and 0 < low <= high < 1 and scale > 0
    require(fine, f"{figure.name}: counts as they are, between two shares, may be exact")
    small(1024 * scale >= 1, f"{figure.name}: noise of such a size")
    return low, high, scale


def _rates(figure: Any) -> tuple[Fraction, ...]:
    """The rates of which the likeliest is told; none if that is not its rule."""
    found = [size for link, size in figure.channel if link == "choose"]
    if not found:
        return ()
    rates = tuple(map(Fraction, found[0].split()))
    fine = len(figure.channel) == 1 and figure.kind == "count" and all(0 < rate < 1 for rate in rates)
    require(fine and len({*rates}) == len(rates) > 1, f"{figure.name}: different rates are chosen from, by a count")
    return rates


def window(earned: tuple[Fraction, Fraction, Fraction], size: int) -> tuple[int, int]:
    """The least and the most that a count of so many people may be to be exact."""
    return ceil(earned[0] * size), floor(earned[1] * size)


def _groups(c: Any) -> None:
    """Who is in which number: sizes, who stands alone, what is known, whose moves are listed."""
    c.covered, times = Counter[int](), Counter[int]()  # the people of each number, and its groups
    for kind, numbers in c.groups:
        c.covered.update(dict.fromkeys(numbers, c.kinds[kind].people))
        times.update(numbers)
    require(len({frozenset(n) for _, n in c.groups}) == len(c.groups), "two groups are in exactly the same numbers")
    fine = all(len(cell) == len(c.figures[figure].by) for figure, cell in c.numbers)
    fine = fine and len({(figure, repr(cell)) for figure, cell in c.numbers}) == len(c.numbers)
    require(fine, "numbers must differ, and have a value for each column that their figure is split by")
    fine = sum(c.kinds[kind].people for kind, _ in c.groups) + c.people.in_no_figure == c.people.all
    require(fine, "all groups, and those in none, are not all people")
    moving = [place for place, (kind, _) in enumerate(c.groups) if c.kinds[kind].evidence.method == "moves"]
    require([m.group for m in c.moves] in ([], moving), "moves must be listed of those groups whose evidence they are")
    for kind in c.kinds:
        kind.delta = [*map(Fraction, kind.delta)]
        require(0 <= kind.delta[0] <= kind.delta[1] <= c.wanted, "a delta is no bracket, or above what is wanted")
    for place, numbers in c.groups:
        kind, known, figures = c.kinds[place], known_of_all(c), [c.numbers[number][0] for number in numbers]
        if c.attacker.in_every_group and c.knows < 1:
            known = min([known, *(ceil(c.knows * c.covered[number]) for number in numbers)])
        own = [b for p in kind.parts for b in {c.about[s] for at in p.figures for s in c.figures[at].confidential}]
        require(len({*own}) == len(own), f"kind {place}: figures of one belief are in parts that are independent")
        mine, sizes = sorted(at for part in kind.parts for at in part.figures), {people(p.types) for p in kind.parts}
        fine = kind.figures == figures and mine == sorted(set(figures)) and len(mine) == len(figures)
        require(fine and sizes == {kind.people}, f"kind {place}: its figures or people are not those of its parts")
        one = len(numbers) == 1 or _one_comparison([c.figures[at] for at in figures])
        known, alone = min(kind.people - 1, known), one and all(times[number] == 1 for number in numbers)
        require((kind.known, kind.alone) == (known, alone), f"kind {place}: {known} are known, and alone is {alone}")


def _one_comparison(figures: list[Any]) -> bool:
    """Whether these are all the counts of which one value is named."""
    first = figures[0]
    alike = {(one.among, one.place, one.moved, one.models) for one in figures}
    return alike == {(len(figures), first.place, first.moved, first.models)}


def _policy(c: Any, policy: Any) -> None:
    """The claim is at least as strict as a policy demands."""
    share, least = Fraction(policy.known or 0), policy.safe_threshold or 0
    new = [n for number, n in c.covered.items() if not c.figures[c.numbers[number][0]].already_out]
    kept = c.epsilon <= Fraction(policy.epsilon or c.epsilon) and c.wanted <= Fraction(policy.delta or c.wanted)
    known = c.knows >= (share if c.knows < 1 else ceil(share * c.people.all)) and 0 <= share < 1
    known = known and not (share and c.attacker.in_every_group)  # a policy lets known records lie anywhere
    require(kept and known and min(new, default=least) >= least, f"{policy.name} demands more than the claim says")


def known_of_all(c: Any) -> int:
    """How many records the attacker knows."""
    return int(max(0, min(c.people.all - 1, ceil(c.knows * c.people.all if c.knows < 1 else c.knows))))


def people(types: Types) -> int:
    """How many people have these laws."""
    return sum(count for _, count in types)


def compare(c: Any, content: bytes) -> None:
    """RefusedError unless the published figures.csv is that of the certificate: no figure that it does not have, every
    number once; values that can come out of the channel, with ten decimals at most; exact only if it is.
    """
    require(hashlib.sha256(content).hexdigest() == c.figures_sha256, "figures.csv is another file, by its sha256")
    new, seen = {figure.name: figure for figure in c.figures if not figure.already_out}, set()
    sizes = {(c.figures[at].name, *map(str, cell)): c.covered[n] for n, (at, cell) in enumerate(c.numbers)}
    made = {one.name: new[one.parts[0]].by for one in computed.listed(c)}
    found, numbers = dict[tuple[str, ...], str](), dict[tuple[str, ...], Fraction | None]()
    table = csv.reader(io.StringIO(content.decode()), strict=True)
    header = [_text_of(cell) for cell in next(table, [])]
    for cells in table:
        require(len(cells) == len(header), "a row of figures.csv has another length than its header")
        row = dict(zip(header, map(_text_of, cells), strict=True))
        name, value, release = row.pop("figure"), row.pop("value"), row.pop("release")
        if name in made:
            key = (name, *(row.pop(column) for column in made[name]))
            require(key not in found and not any(row.values()), f"{name}: a number is there twice, or split otherwise")
            require(release.startswith("computed: "), f"{name}: it is released otherwise")
            found[key] = value
            continue
        require(name in new, f"the certificate has no new figure {name!r}")
        key = (name, *(row.pop(column) for column in new[name].by))
        require(key not in seen and not any(row.values()), f"{name}: a number is there twice, or split otherwise")
        seen.add(key)
        gone = key[1:] in {tuple(cell) for cell in getattr(new[name], "left_out", None) or ()}
        if gone or release == "left out":
            fits = gone and not value and release == "left out" and key not in sizes
            require(fits, f"{name}: other cells are left out, or a number stands in one of them")
            continue
        require(_possible(new[name], value, sizes.get(key, 0)), f"{name}: {value!r} cannot be published")
        numbers[key] = Fraction(value) if re.fullmatch(r"[-.0-9]+", value) else None
        require(release.endswith("exact") == (not new[name].channel), f"{name}: it is released otherwise")
    every = {(c.figures[at].name, *map(str, cell)) for at, cell in c.numbers if not c.figures[at].already_out}
    every |= {(name, *cell) for name, figure in new.items() for cell in getattr(figure, "left_out", None) or ()}
    require(every <= seen, "figures.csv does not have all numbers of the certificate")
    named, winners = (
        computed.winners(c, new, sizes),
        {one.name for one in computed.listed(c) if one.kind in computed.NAMED},
    )
    chosen = {key: value for key, value in found.items() if key[0] in winners}
    fine = all(value in named.get(key, [""]) for key, value in chosen.items()) and named.keys() <= chosen.keys()
    require(fine, "a winner is none of the values that are compared")
    found = {key: value for key, value in found.items() if key[0] not in winners}
    follows = found == computed.values(c, new, numbers, sizes)
    require(follows, "a computed figure is not what follows from the numbers that it is computed from")


def _text_of(cell: str) -> str:
    """Without the apostrophe that keeps spreadsheets from computing a text."""
    return re.sub("(^|;)'('*[-=+@\uff0d\uff1d\uff0b\uff20])", r"\1\2", cell)


def _possible(figure: Any, value: str, people: int) -> bool:
    """Whether it is a multiple of what is published; nothing where there is nobody and no noise."""
    if figure.among:
        return not value
    if figure.earned is not None:
        told = re.fullmatch(r"(exactly|about) (-?[0-9]{1,20})", value)
        low, high = window(figure.earned, people)
        return not value if not people else bool(told and (told[1] == "about" or low <= int(told[2]) <= high))
    if figure.rates:
        return bool(re.fullmatch(r"rate [0-9][-.0-9e]*", value)) if people else not value
    if figure.hide is not None:
        below, zeros = figure.hide
        hidden = range(0 if zeros else 1, below)
        return bool(
            value == f"<{below}"
            or (re.fullmatch("[0-9]{1,20}", value) and int(value) not in hidden and (people > 0 or value == "0"))
        )
    if (figure.kind == "mean" and not people) or not re.fullmatch(r"-?[0-9]+(\.[0-9]{1,10})?", value):
        return figure.kind == "mean" and not people and not value
    times, step = people if figure.kind == "mean" else 1, Fraction(figure.unit) * figure.base
    multiple = round(Fraction(value) * times / step) if people or figure.noise else 0
    return bool(abs(Fraction(value) * times - multiple * step) <= Fraction(times, 2 * 10**10))
