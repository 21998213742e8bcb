"""What the exact answer is where people are few: read off a question's description, by the oracle alone.

Nothing of the library is used. A truth is two balls: the worst over known records with values that can occur, which no
lower end may exceed, and the worst over known records with any declared values, which no upper end may be below.
"""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import arb

from oracle import noise
from oracle.balls import ball, between, largest, lower, precise, upper
from oracle.composition import composed_by_ratio, composed_copies
from oracle.laws import BallLaw, Law, add, hockey_stick, mixture, point, product, pushforward, shift, sum_of
from oracle.noise import shift_balls
from oracle.noiseless import ABSENT, Problem

Question = Mapping[str, Any]
Step = BallLaw | Callable[[Any], Any]
Truth = tuple[arb, arb]
World = dict[tuple[int, ...], Fraction]  # every dataset with its probability


def truths(name: str, question: Question) -> dict[str, Truth]:
    """The exact δ of every answer to a question, where an oracle knows it."""
    if question["take"] == "decision":
        return _released(name, question)
    found = _truth(question)
    return {} if found is None else {name: found}


def _truth(question: Question) -> Truth | None:
    match question["of"]:
        case {"name": "verify", "of": [{"pipe": [figure, *steps]}, {"name": "noiseless", "of": [belief], **more}]}:
            secret = more.get("with", {}).get("secret", {"name": "Value"})
            epsilon = Fraction(question["of"]["with"]["epsilon"])
            return _noiseless(figure, steps, belief, secret, epsilon)
        case {"name": "verify", "of": [{"pipe": [figure, step]}, {"name": "differential_privacy", **given}]}:
            return _differential(figure, step, given, Fraction(question["of"]["with"]["epsilon"]))
        case {"name": "DiscreteGaussianNoise", "of": [by], "with": {"scale": scale}}:
            law = noise.discrete_gaussian(Fraction(scale) ** 2)
            return _both(hockey_stick(law, shift_balls(law, by), Fraction(question["epsilon"])))
        case {"name": "RandomizedResponse", "with": {"keep": keep}} if "epsilon" in question:
            return _both(hockey_stick(*_response(keep), Fraction(question["epsilon"])))
        case {"name": "compose", "of": [{"of": parts}]} if "epsilon" in question:
            return _composed(parts, Fraction(question["epsilon"]))
    return None


def _both(value: arb) -> Truth:
    return value, value


# Steps: what happens to a total, one after the other.


def _steps(descriptions: Iterable[Mapping[str, Any]], people: int) -> list[Step] | None:
    made = [_step(description, people) for description in descriptions]
    return None if None in made else [step for step in made if step is not None]


def _step(step: Mapping[str, Any], people: int) -> Step | None:
    given, named = step.get("of", []), step.get("with", {})
    match step["name"]:
        case "Exact":
            return lambda total: total
        case "Rounded":
            return lambda total: (total + given[0] // 2) // given[0]
        case "two_sided_geometric":
            return noise.two_sided_geometric(1 / Fraction(given[0]))
        case "discrete_gaussian":
            return noise.discrete_gaussian(Fraction(given[0]) ** 2)
        case "rational_geometric":
            return _rational(Fraction(given[0]))
        case "rounded_gaussian":
            return _normal(Fraction(given[0]))
        case "threshold":
            return lambda total: sum(total >= limit for limit in given)
        case "majority":
            ties = named.get("ties", "yes") == "yes"
            return lambda total: 2 * total >= people if ties else 2 * total > people
        case "mode":
            return lambda cells: _winner(cells, named.get("ties", "first"))
    return None


def _winner(cells: Sequence[int], ties: str) -> int:
    best = [place for place, count in enumerate(cells) if count == max(cells)]
    return best[0] if ties == "first" else best[-1]


@precise
def _rational(ratio: Fraction) -> BallLaw:
    end = int(160 / -math.log(ratio)) + 1
    peak = (1 - ratio) / (1 + ratio)
    masses = {k: ball(peak * ratio ** abs(k)) for k in range(-end, end + 1)}
    return BallLaw(masses, ball(2 * ratio ** (end + 1) / (1 + ratio)).upper())


@precise
def _normal(scale: Fraction) -> BallLaw:
    """Normal noise, rounded to whole numbers: P(k) = Φ((k + 1/2)/σ) - Φ((k - 1/2)/σ)."""
    unit = ball(scale) * arb(2).sqrt()
    end = math.ceil(18 * scale) + 1
    beyond = [(ball(Fraction(2 * k + 1, 2)) / unit).erfc() / 2 for k in range(-end - 1, end + 1)]
    masses = {k: beyond[place] - beyond[place + 1] for place, k in enumerate(range(-end, end + 1))}
    return BallLaw(masses, (2 * beyond[-1]).upper())


@precise
def publish(law: Law | BallLaw, steps: Sequence[Step]) -> Law | BallLaw:
    """The law of what is published of a total."""
    for step in steps:
        if isinstance(step, BallLaw):
            law = _plus(law, step)
        elif isinstance(law, BallLaw):
            masses: dict[Any, arb] = {}
            for at, mass in law.masses.items():
                masses[step(at)] = masses.get(step(at), arb(0)) + mass
            # what is missing may belong to any outcome
            law = BallLaw({at: mass + between(arb(0), law.missing) for at, mass in masses.items()}, law.missing)
        else:
            images: dict[Any, Fraction] = defaultdict(Fraction)
            for at, mass in law.items():
                images[step(at)] += mass
            law = dict(images)
    return law


def _plus(law: Law | BallLaw, added: BallLaw) -> BallLaw:
    if isinstance(law, BallLaw):
        raise TypeError("noise comes before everything else, or after what is exact")
    return noise.add_noise(law, added)


# Beliefs.


@dataclass(frozen=True)
class Asked:
    """What is done to a total, which pairs of facts count, and ε."""

    steps: Sequence[Step]
    epsilon: Fraction
    apart: Fraction | None = None
    shifts: bool = False  # whether moving the total moves what is published alike

    def worst(self, laws: Iterable[tuple[Any, Law, Law]]) -> arb:
        """The largest hockey stick over pairs of laws; each law is published once, and each pair compared once."""
        shown: dict[Any, Law | BallLaw] = {}
        pairs = {}
        for pair, *both in laws:
            if self.apart is None or abs(pair[0] - pair[1]) < self.apart:
                names = tuple(map(_frozen, both))
                for name, law in zip(names, both, strict=True):
                    if name not in shown:
                        shown[name] = publish(law, self.steps)
                pairs[names] = None
        found = [hockey_stick(shown[one], shown[two], self.epsilon) for one, two in pairs]
        return largest([ball(0), *found])


def _frozen(law: Law) -> frozenset[tuple[Any, Fraction]]:
    return frozenset(law.items())


def _noiseless(
    figure: Mapping[str, Any], steps: list[Any], belief: Mapping[str, Any], secret: Mapping[str, Any], epsilon: Fraction
) -> Truth | None:
    given = belief.get("with", {})
    people = _people(belief)
    known = given.get("known", 0)
    if people is None or people > 12 or not isinstance(known, int):
        return None
    made = _steps(steps, people)
    adds = _adds(figure)
    secrets = {"Value": "value", "Presence": "presence", "PresenceOnly": "presence only", "Within": "value"}
    if made is None or adds is None or (steps[-1]["name"] == "majority" and secret["name"] != "Value"):
        return None
    apart = 4 * Fraction(secret["of"][0]) if secret["name"] == "Within" else None
    shifts = not {step["name"] for step in steps} & {"Rounded", "threshold", "majority", "mode"}
    asked = Asked(made, epsilon, apart, shifts)
    if belief["name"] == "Sampled":
        return _sampled(belief, adds, asked, secrets[secret["name"]], known)
    worlds = _joint(belief)
    if worlds is not None:
        return _both(_by_datasets(worlds, adds, asked, belief, known)) if secret["name"] == "Value" else None
    families = _families(belief)
    if families is None:
        return None
    found = []
    for family in families:
        domain = given.get("domain", sorted({value for law in family for value in law}, key=str))
        problem = Problem(family, domain=domain, contribution=adds, secret=secrets[secret["name"]], known=known)
        found.append(_independent(problem, asked))
    return largest(one for one, _ in found), largest(two for _, two in found)


def _independent(problem: Problem, asked: Asked) -> Truth:
    """Which values known records have matters only where a step is no shift of what comes out."""
    first = asked.worst(_attacks(problem, asked))
    if not problem.known:
        return _both(first)
    return first, asked.worst(_attacks(replace(problem, declared=True), asked))


def _attacks(problem: Problem, asked: Asked) -> Iterator[tuple[Any, Law, Law]]:
    """The laws of the total in both worlds, for every target and every set of known records; those of the same laws
    once.
    """
    totals = [pushforward(law, problem.contribution) for law in problem.marginals]
    names = [_frozen(law) for law in totals]
    tried = set()
    for target in problem.persons:
        others = [place for place in range(len(totals)) if place != target]
        for known in itertools.combinations(others, problem.known):
            key = names[target], frozenset(Counter(names[place] for place in known).items())
            if key in tried:
                continue
            tried.add(key)
            rest = sum_of([totals[place] for place in others if place not in known], zero=problem.zero)
            for base in _known_sums(problem, [totals[place] for place in known], asked):
                for pair in problem.pairs():
                    yield pair, *(shift(rest, add(base, _of(problem, fact))) for fact in pair)


def _known_sums(problem: Problem, laws: Sequence[Law], asked: Asked) -> set[Any]:
    if asked.shifts:
        return {problem.zero}
    declared = dict.fromkeys(map(problem.contribution, problem.domain))
    found = {problem.zero}
    for law in laws:
        found = {add(at, more) for at in found for more in (declared if problem.declared else law)}
    return found


def _of(problem: Problem, fact: Any) -> Any:
    return problem.zero if fact == ABSENT else problem.contribution(fact)


def _adds(figure: Mapping[str, Any]) -> Callable[[Any], Any] | None:
    match figure:
        case {"name": "Count"} if "of" not in figure:
            return lambda value: int(value == 1)
        case {"name": "Sum" | "Mean"} if "with" not in figure:
            return lambda value: value
        case {"name": "Histogram", "of": cells}:
            return lambda value: tuple(int(value == cell) for cell in cells)
    return None


def _law(description: Mapping[str, Any]) -> dict[Any, Fraction]:
    found = {tuple(key) if isinstance(key, list) else key: Fraction(value) for key, value in description["map"]}
    return {key: mass for key, mass in found.items() if mass}


def _yes(rate: str | Fraction) -> Law:
    return {at: mass for at, mass in ((0, 1 - Fraction(rate)), (1, Fraction(rate))) if mass}


def _people(belief: Mapping[str, Any]) -> int | None:
    given = belief.get("with", {})
    match belief["name"]:
        case "Independent":
            return len(given["rates"]) if "rates" in given else sum(count for _, count in given["groups"])
        case "Blocks" if "sizes" in given:
            return sum(size * count for size, count in given["sizes"]["map"])
        case "Blocks":
            return sum(len(block["map"][0][0]) * count for block, count in belief["of"][0])
        case "Mixture":
            return int(belief["of"][0][0][1]["with"]["n"])
        case "Sampled":
            return sum(count for _, count in belief["of"][0]["map"])
    return given.get("n")


def _families(belief: Mapping[str, Any]) -> list[list[Law]] | None:
    """Independent records: every choice of extreme laws, since δ is convex in each record's law."""
    given = belief["with"]
    match belief["name"]:
        case "IID":
            return [[_law(given["values"]) if "values" in given else _yes(given["p"])] * given["n"]]
        case "Independent" if "rates" in given:
            return [[_yes(rate) for rate in given["rates"]]]
        case "Independent":
            return [[_law(law) for law, count in given["groups"] for _ in range(count)]]
        case "Brackets":
            spread: dict[int, Fraction] = {}
            for low, high, weight in belief["of"][0]:
                spread |= {k: Fraction(weight) / (high - low + 1) for k in range(low, high + 1)}
            return [[spread] * given["n"]]
    corners = _corners(belief)
    if corners is None:
        return None
    return [list(laws) for laws in itertools.combinations_with_replacement(corners, given["n"])]


def _corners(belief: Mapping[str, Any]) -> list[Law] | None:
    given = belief["with"]
    match belief["name"]:
        case "Rates":
            return [_yes(rate) for rate in given["between"]]
        case "Hull":
            return [_law(law) for law in belief["of"][0]]
        case "AtLeast":
            law, weight = _law(belief["of"][0]), Fraction(given["weight"])
            return [mixture([weight, 1 - weight], [law, point(at)]) for at in law]
        case "Around":
            law, radius = _law(belief["of"][0]), Fraction(belief["of"][1])
            pairs = itertools.permutations(law, 2)
            return [{**law, one: law[one] - radius, two: law[two] + radius} for one, two in pairs]
    return None


def _joint(belief: Mapping[str, Any]) -> World | None:
    """Records that move together: all datasets."""
    given = belief.get("with", {})
    match belief["name"]:
        case "Blocks":
            if "sizes" in given:
                law = _law(given["values"])
                sizes = [size for size, count in given["sizes"]["map"] for _ in range(count)]
                blocks = [{(value,) * size: mass for value, mass in law.items()} for size in sizes]
            else:
                blocks = [_law(block) for block, count in belief["of"][0] for _ in range(count)]
            return _joined(blocks)
        case "Mixture":
            whole: World = defaultdict(Fraction)
            for weight, part in belief["of"][0]:
                for row, mass in product([_yes(part["with"]["p"])] * part["with"]["n"]).items():
                    whole[row] += Fraction(weight) * mass
            return dict(whole)
        case "Markov":
            moves = {state: _law(law) for state, law in given["moves"]["map"]}
            rows = {(state,): mass for state, mass in _law(given["start"]).items()}
            for _ in range(given["n"] - 1):
                rows = {(*row, to): p * q for row, p in rows.items() for to, q in moves[row[-1]].items()}
            return rows
    return None


def _joined(blocks: Sequence[World]) -> World:
    whole: World = {(): Fraction(1)}
    for block in blocks:
        whole = {(*a, *b): p * q for (a, p), (b, q) in itertools.product(whole.items(), block.items())}
    return whole


def _by_datasets(world: World, adds: Callable[[Any], Any], asked: Asked, belief: Mapping[str, Any], known: int) -> arb:
    """Every target, every set of at most so many known records (or the stated ones), and what they can be."""
    given = belief.get("with", {})
    n = len(next(iter(world)))
    stated, values = given.get("known_at", []), {}
    if isinstance(stated, dict):
        values = {place - 1: value for place, value in stated["map"]}
        stated = [place + 1 for place in values]
    targets = [given["target_at"] - 1] if "target_at" in given else range(n)
    return asked.worst(_conditional(world, adds, targets, [place - 1 for place in stated], values, known))


def _conditional(
    world: World,
    adds: Callable[[Any], Any],
    targets: Iterable[int],
    stated: Sequence[int],
    values: Mapping[int, int],
    known: int,
) -> Iterator[tuple[Any, Law, Law]]:
    n = len(next(iter(world)))
    for target in targets:
        others = [place for place in range(n) if place != target]
        sets = (
            [tuple(stated)]
            if stated
            else [s for size in range(known + 1) for s in itertools.combinations(others, size)]
        )
        for seen in sets:
            laws: dict[Any, dict[Any, dict[Any, Fraction]]] = {}
            for row, mass in world.items():
                if target in seen or any(row[place] != value for place, value in values.items()):
                    continue
                law = laws.setdefault(tuple(row[place] for place in seen), {}).setdefault(row[target], {})
                total = sum(map(adds, row))
                law[total] = law.get(total, Fraction(0)) + mass
            for worlds in laws.values():
                for one, two in itertools.permutations(worlds, 2):
                    yield (one, two), _normalised(worlds[one]), _normalised(worlds[two])


def _normalised(law: Mapping[Any, Fraction]) -> Law:
    whole = sum(law.values(), Fraction(0))
    return {at: mass / whole for at, mass in law.items()}


# Samples of a population.


def _sampled(
    belief: Mapping[str, Any], adds: Callable[[Any], Any], asked: Asked, secret: str, known: int
) -> Truth | None:
    """Every sample that can be drawn; designs in which members are drawn once."""
    given = belief["with"]
    if "poisson" in given or given.get("replace") or ("sizes" in given and known):
        return None
    cells = belief["of"][0]["map"]
    values = [value for value, count in cells for _ in range(count)]
    domain = [value for value, _ in cells]
    samples = list(_samples(len(values), given))
    secrets = ["value", "presence only"] if secret == "presence" else [secret]
    if given.get("participation") == "secret":
        secrets = ["population"]
    pairs = itertools.chain(*(_drawn(values, domain, samples, adds, one, known) for one in secrets))
    return _both(asked.worst(pairs))


def _samples(people: int, given: Mapping[str, Any]) -> Iterator[tuple[frozenset[int], Fraction]]:
    sizes = _law(given["sizes"]) if "sizes" in given else {given.get("size"): Fraction(1)}
    for number in range(people + 1):
        for chosen in itertools.combinations(range(people), number):
            if "rate" in given:
                rate = Fraction(given["rate"])
                yield frozenset(chosen), rate**number * (1 - rate) ** (people - number)
            elif number in sizes:
                yield frozenset(chosen), sizes[number] / math.comb(people, number)


def _drawn(
    values: Sequence[int],
    domain: Sequence[int],
    samples: Sequence[tuple[frozenset[int], Fraction]],
    adds: Callable[[Any], Any],
    secret: str,
    known: int,
) -> Iterator[tuple[Any, Law, Law]]:
    for target in range(len(values)):
        others = [who for who in range(len(values)) if who != target]
        for seen in itertools.combinations(others, known):
            for drawn in itertools.product([True, False], repeat=known):
                status = dict(zip(seen, drawn, strict=True))
                laws = {}
                if secret == "presence only":
                    for here in (True, False):
                        laws[here] = _total(list(map(adds, values)), samples, {**status, target: here})
                else:
                    more = {target: True} if secret == "value" else {}
                    for value in domain:
                        row = [adds(value if who == target else has) for who, has in enumerate(values)]
                        laws[value] = _total(row, samples, {**status, **more})
                for one, two in itertools.permutations([fact for fact, law in laws.items() if law], 2):
                    yield (int(one), int(two)), laws[one], laws[two]


def _total(adds: Sequence[int], samples: Sequence[tuple[frozenset[int], Fraction]], status: Mapping[int, bool]) -> Law:
    law: dict[int, Fraction] = defaultdict(Fraction)
    for chosen, chance in samples:
        if all((who in chosen) == drawn for who, drawn in status.items()):
            law[sum(adds[who] for who in chosen)] += chance
    return _normalised(law) if law else {}


# Noise by itself, and several releases.


def _differential(
    figure: Mapping[str, Any], step: Mapping[str, Any], given: Mapping[str, Any], epsilon: Fraction
) -> Truth | None:
    domain = given.get("of", [[0, 1]])[0]
    adds, steps = _adds(figure), _steps([step], 0)
    if adds is None or steps is None:
        return None
    values = [adds(value) for value in domain]
    compared = [0] if given.get("with", {}).get("neighbours") == "add or remove" else values
    (law,) = steps
    return _both(largest(hockey_stick(law, shift_balls(law, one - two), epsilon) for one in values for two in compared))


def _response(keep: str | Fraction) -> tuple[Law, Law]:
    chance = Fraction(keep)
    return {0: chance, 1: 1 - chance}, {0: 1 - chance, 1: chance}


def _composed(parts: Sequence[Any], epsilon: Fraction) -> Truth | None:
    """Answers at random, and geometric noise that is rational: its ratios are those of an answer."""
    pairs = []
    for part, count in parts:
        match part:
            case {"name": "curve of", "of": [{"with": {"keep": keep}}]}:
                pairs += [_response(keep)] * count
            case {"name": "curve", "of": [{"pipe": [_, {"name": "rational_geometric", "of": [ratio]}]}, _]}:
                pairs += [_response(1 / (1 + Fraction(ratio)))] * count
            case _:
                return None
    if all(pair == pairs[0] for pair in pairs):
        return _both(composed_copies(*pairs[0], len(pairs), epsilon))
    return _both(composed_by_ratio(pairs, epsilon))


# Releases: what every record adds to all the published numbers, as a vector.


def _released(name: str, question: Question) -> dict[str, Truth]:
    """The worst of everybody, and of everybody who is in the same published numbers."""
    spec = question["specification"]
    if isinstance(question["table"], Mapping):
        return {}  # too many people for an oracle
    people = [cell for cell, count in question["table"] for _ in range(count)]
    if "sizes" in spec:
        people = [[]] * spec["sizes"]["cells"] if isinstance(spec["sizes"]["cells"], int) else people
    known = spec["attacker"]["knows"]
    if len(people) > 12 or isinstance(spec["beliefs"], list):
        return {}
    plain = all("probabilities" in belief or "cells" in belief for belief in spec["beliefs"].values())
    if not plain or not isinstance(known, int) or "before" in question:
        return {}
    release = Release.of(spec)
    steps = [release.rounded]
    shifts = not any("round" in figure for figure in spec["figures"])
    asked = Asked(steps, Fraction(spec["target"]["epsilon"]), shifts=shifts)
    laws = [release.law(cell) for cell in people]
    secret = "presence" if spec.get("secret") == "presence" else "value"
    by_cell: dict[tuple[str, ...], Truth] = {}
    for target, cell in enumerate(people):
        if tuple(cell) not in by_cell:
            domain = list(dict.fromkeys(release.vectors(cell)))
            problem = Problem(laws, domain=domain, known=known, targets=[target], secret=secret)
            alike = all(set(release.vectors(other)) == set(domain) for other in people)
            found = _independent(problem, asked) if alike else _both(asked.worst(_attacks(problem, asked)))
            by_cell[tuple(cell)] = found
    return {name: _worse(by_cell.values())} | _by_number(name, people, release, by_cell)


def _by_number(
    name: str, people: list[list[str]], release: "Release", by_cell: Mapping[tuple[str, ...], Truth]
) -> dict[str, Truth]:
    """Groups are called by the numbers that they are in, and by their size. Who is in one number at least is no group,
    but what is said from below of a number by itself is said of them.
    """
    groups: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    numbers: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for cell in people:
        inside = tuple(sorted(release.names(cell)))
        groups[inside].append(cell)
        for number in inside:
            numbers[number,].append(cell)
    found = {}
    for members, whole in ((numbers, False), (groups, True)):
        for inside, cells in members.items():
            worst, any_values = _worse(by_cell[tuple(cell)] for cell in cells)
            key = f"{name} | {' & '.join(inside)}: {len(cells)}"
            found[key] = worst, any_values if whole else ball(0)
    return found


def _worse(truths: Iterable[Truth]) -> Truth:
    listed = list(truths)
    return largest(one for one, _ in listed), largest(two for _, two in listed)


@dataclass(frozen=True)
class Release:
    """The figures of a specification, read off its words; `numbers` are figures with a cell each."""

    spec: Mapping[str, Any]
    numbers: tuple[tuple[Mapping[str, Any], tuple[str, ...]], ...]

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> "Release":
        numbers = []
        for figure in (*spec.get("published", []), *spec["figures"]):
            domains = [spec["public"][column] for column in _columns(figure)]
            numbers += [(figure, cell) for cell in itertools.product(*domains)]
        return cls(spec, tuple(numbers))

    def rows(self, cell: Sequence[str]) -> Iterator[tuple[dict[str, Any], Fraction]]:
        """Everything that a record of this cell may say, with its probability."""
        public = dict(zip(self.spec["public"], cell, strict=True))
        columns = self.spec["confidential"]
        for values in itertools.product(*(_domain(column) for column in columns.values())):
            row = dict(zip(columns, values, strict=True))
            chance = Fraction(1)
            for column, value in row.items():
                chance *= _chance(self.spec["beliefs"][column], value, public)
            yield {**public, **row}, chance

    def vectors(self, cell: Sequence[str]) -> list[tuple[int, ...]]:
        return [self.vector(row) for row, _ in self.rows(cell)]

    def law(self, cell: Sequence[str]) -> Law:
        law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for row, chance in self.rows(cell):
            if chance:
                law[self.vector(row)] += chance
        return dict(law)

    def vector(self, row: Mapping[str, Any]) -> tuple[int, ...]:
        return tuple(self.adds(figure, cell, row) for figure, cell in self.numbers)

    def adds(self, figure: Mapping[str, Any], cell: tuple[str, ...], row: Mapping[str, Any]) -> int:
        if not self.covers(figure, cell, row) or not all(_holds(row[c], t) for c, t in figure.get("where", {}).items()):
            return 0
        if figure["kind"] == "count":
            return 1
        low, high = figure.get("truncate", [-math.inf, math.inf])
        return int(min(max(row[figure["column"]], low), high))

    def covers(self, figure: Mapping[str, Any], cell: tuple[str, ...], row: Mapping[str, Any]) -> bool:
        tests = {column: test for column, test in figure.get("where", {}).items() if column in self.spec["public"]}
        public = all(_holds(row[column], test) for column, test in tests.items())
        return public and tuple(row[column] for column in _columns(figure)) == cell

    def names(self, cell: Sequence[str]) -> Iterator[str]:
        """The published numbers that cover somebody."""
        row = dict(zip(self.spec["public"], cell, strict=True))
        for figure, at in self.numbers:
            if self.covers(figure, at, row):
                split = ", ".join(f"{column} {value}" for column, value in zip(_columns(figure), at, strict=True))
                yield f"{figure['name']} ({split})" if split else figure["name"]

    def rounded(self, totals: tuple[int, ...]) -> tuple[int, ...]:
        bases = [figure.get("round", 1) for figure, _ in self.numbers]
        return tuple((total + base // 2) // base for total, base in zip(totals, bases, strict=True))


def _columns(figure: Mapping[str, Any]) -> list[str]:
    by = figure.get("by", [])
    return [by] if isinstance(by, str) else list(by)


def _domain(column: Any) -> list[Any]:
    return column if isinstance(column, list) else list(range(column["bounds"][0], column["bounds"][1] + 1))


def _holds(value: Any, test: Any) -> bool:
    if isinstance(test, dict):
        return test.get("at_least", value) <= value <= test.get("at_most", value)
    return value in test if isinstance(test, list) else value == test


def _chance(belief: Mapping[str, Any], value: Any, public: Mapping[str, Any]) -> Fraction:
    stated = belief["cells"][public[belief["by"]]] if "cells" in belief else belief["probabilities"]
    told = {key: Fraction(chance) for key, chance in stated.items() if chance != "rest"}
    if stated.get(value) == "rest":
        return 1 - sum(told.values(), Fraction(0))
    return told.get(value, Fraction(0))


# As text.


def text(value: arb) -> str:
    """Thirty digits, and how far off they may be."""
    low, high = lower(value), upper(value)
    middle = (low + high) / 2
    shown = Fraction(round(middle * 10**40), 10**40)
    error = max(high - shown, shown - low, Fraction(1, 10**45))
    places = math.ceil(-math.log10(error)) - 1
    return f"{_decimal(shown)} +- 1e-{places}"


def _decimal(number: Fraction) -> str:
    whole, rest = divmod(abs(number.numerator) * 10**40 // number.denominator, 10**40)
    return f"{'-' * (number < 0)}{whole}.{rest:040d}"


def ends(written: str) -> tuple[Fraction, Fraction]:
    """The least and the greatest number that a text stands for."""
    middle, error = written.split(" +- ")
    return Fraction(middle) - Fraction(error), Fraction(middle) + Fraction(error)
