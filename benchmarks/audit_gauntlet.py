"""`python -m benchmarks.audit_gauntlet [TABLES] [TAMPERED]`: audits of random small tables beside all tables there are.

Each case is a few CSV files as somebody publishes them: crosstabs and lists of two or three variables with margins and
nested labels, numbers hidden at random or because they are small, ranges, rounding of four kinds, with rules, zeros and
a coalition of one known or not. They are audited as files, and what is said is compared with every way to put people
into the cells (written down here from the text of the files alone). The independent checker reads each audit.json; then
single numbers in them are changed, and it must refuse, or what is said must be true all the same.
"""

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np

import dalenius as dl
from dalenius.audit.findings import CellStatus
from dalenius.desk.audit.auditing import Audit
from dalenius.desk.audit.writing import document
from dalenius.record.codec import canonical, digest
from dalenius_checker import audit as checker
from dalenius_checker.people import NoAuditError, RefusedError

VARIABLES = {"colour": ("amber", "blue", "crimson", "dun"), "shape": ("oval", "square"), "taste": ("sour", "sweet")}
COARSE = "warm"  # amber or blue
SHAPES = ((2, 2, 1), (3, 2, 1), (4, 2, 1), (2, 2, 2), (3, 1, 1))
TOTAL = "Total"
MOST = 6  # people
Group = dict[str, frozenset[str]]


@dataclass
class Case:
    """Files, how they are to be read, and what each number says: of a group, which counts go with it."""

    names: tuple[str, ...]
    labels: dict[str, tuple[str, ...]]
    people: int
    files: dict[str, str] = field(default_factory=dict)
    earlier: set[str] = field(default_factory=set)
    said: list[tuple[Group, Callable[[Any], Any]]] = field(default_factory=list)
    hidden: list[Group] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)

    def space(self) -> list[tuple[str, ...]]:
        return list(product(*(self.labels[name] for name in self.names)))

    def counts(self, worlds: Any, group: Group) -> Any:
        """How many people of a group there are in each world."""
        inside = [
            at
            for at, own in enumerate(self.space())
            if all(own[self.names.index(name)] in labels for name, labels in group.items())
        ]
        return worlds[:, inside].sum(axis=1)


@cache
def spreads(people: int, cells: int) -> Any:
    """All ways to put exactly so many people into so many cells."""
    if cells == 1:
        return np.array([[people]], dtype=np.int64)
    return np.concatenate(
        [
            np.hstack([np.full((len(rest), 1), first), rest])
            for first in range(people + 1)
            for rest in [spreads(people - first, cells - 1)]
        ]
    )


def made(rng: random.Random) -> Case:
    """Random people, and a few tables of them."""
    sizes = rng.choice(SHAPES)
    labels = {name: VARIABLES[name][:size] for name, size in zip(VARIABLES, sizes, strict=True) if size > 1}
    names = tuple(labels)
    case = Case(names, labels, rng.randint(1, MOST))
    people = Counter(rng.choice(case.space()) for _ in range(case.people))
    nested = len(labels["colour"]) > 2 and rng.random() < 0.5
    rule = rng.choice((None, None, (1, 2), (0, 2)))
    zeros = rule is None and rng.random() < 0.25
    kind = rng.choice(("", "", "", "3", "5", "random 3", "midpoint 6"))
    sets = [each for size in (1, 2, 3) for each in combinations(names, size)]
    chosen = rng.sample(sets, min(len(sets), rng.randint(1, 3)))
    tables_file: dict[str, Any] = {"tables": {}}
    if nested:
        tables_file["variables"] = {"colour": {"nested": {COARSE: ["amber", "blue"]}}}
    for at, variables in enumerate(chosen):
        _publish(case, rng, people, f"table{at}.csv", variables, rule, tables_file, kind, zeros=zeros, nested=nested)
        if at and rng.random() < 0.2:
            case.earlier.add(f"table{at}.csv")
    if rng.random() < 0.2:  # somebody knows of one person
        own = rng.choice(list(people.elements()))
        name = rng.choice(sorted({name for variables in chosen for name in variables}))
        label = own[names.index(name)]
        tables_file["known"] = [{"group": {name: label}, "at_least": 1}]
        case.said.append(({name: frozenset((label,))}, lambda count: count >= 1))
    case.options = {"tables_file": tables_file, "zeros": "shown" if zeros else "hidden"}
    if rule is not None:
        case.options["rules"] = [f"x means {rule[0]} to {rule[1]}"]
    if rng.random() < 0.2:
        case.options["attacker"] = "member"
    return case


def _publish(
    case: Case,
    rng: random.Random,
    people: Counter[tuple[str, ...]],
    file: str,
    variables: tuple[str, ...],
    rule: tuple[int, int] | None,
    tables_file: dict[str, Any],
    kind: str,
    *,
    zeros: bool,
    nested: bool,
) -> None:
    """One table: what stands in it, and what that says."""
    rounding = kind if rng.random() < 0.6 else ""
    by_size = rule is not None or zeros or rng.random() < 0.4
    lines = []
    for name in variables:
        own = [(label, frozenset((label,))) for label in case.labels[name]]
        if nested and name == "colour":
            own.append((COARSE, frozenset(("amber", "blue"))))
        lines.append([*own, (TOTAL, frozenset(case.labels[name]))])
    texts = {}
    for labels in product(*lines):
        group = {name: leaves for name, (_, leaves) in zip(variables, labels, strict=True)}
        whole = all(label == TOTAL for label, _ in labels)
        count = sum(
            number
            for own, number in people.items()
            if all(own[case.names.index(name)] in leaves for name, leaves in group.items())
        )
        small = zeros <= count <= 2 if rule is None else rule[0] <= count <= rule[1]
        if not whole and (small if by_size else rng.random() < 0.45):
            text, says = _hidden(rng, count, rule, by_size=by_size, zeros=zeros)
            case.hidden.append(group)
        else:
            text, says = _shown(rng, count, rounding)
        texts[tuple(label for label, _ in labels)] = text
        case.said.append((group, says))
    spec: dict[str, Any] = {"rounded": rounding} if rounding else {}
    if len(variables) == 2 and rng.random() < 0.6:  # a crosstab
        above = [label for label, _ in lines[1]]
        rows = [",".join([variables[0], *above])]
        rows += [",".join([label, *(texts[label, other] for other in above)]) for label, _ in lines[0]]
        spec |= {"form": "wide", "columns": [variables[1]]}
    else:
        rows = [",".join([*variables, "count"])]
        rows += [",".join([*labels, text]) for labels, text in texts.items()]
        spec |= {"form": "long", "value": "count"}
    case.files[file] = "\n".join(rows) + "\n"
    tables_file["tables"][file] = spec


def _hidden(
    rng: random.Random, count: int, rule: tuple[int, int] | None, *, by_size: bool, zeros: bool
) -> tuple[str, Callable[[Any], Any]]:
    """What stands there instead of a count, and what it says."""
    if rule is not None:
        low, high = rule
        return "x", lambda counts: (counts >= low) & (counts <= high)
    if by_size or rng.random() < 0.6:
        return "x", lambda counts: counts >= int(zeros)
    more, less = count + rng.randint(1, 3), max(0, count - rng.randint(0, 2))
    text, low, high = rng.choice(
        (
            (f"<{more}", 0, more - 1),
            (f"≤{more}", 0, more),
            (f"{less}-{more}", less, more),
            (f"{max(less, 1)}+", max(less, 1), 10**6),
        )
        if count
        else ((f"<{more}", 0, more - 1), (f"≤{more}", 0, more))
    )
    return text, lambda counts: (counts >= max(low, int(zeros))) & (counts <= high)


def _shown(rng: random.Random, count: int, rounding: str) -> tuple[str, Callable[[Any], Any]]:
    """A number as it is published, and which counts are published so."""
    if rounding in ("3", "5"):
        base = int(rounding)
        told = base * ((2 * count + base) // (2 * base))
        return str(told), lambda counts: 2 * abs(counts - told) <= base
    if rounding == "random 3":
        told = count if count % 3 == 0 else rng.choice((count - count % 3, count - count % 3 + 3))
        return str(told), lambda counts: abs(counts - told) < 3
    if rounding == "midpoint 6":
        told = 6 * -(-count // 6) - 3 if count else 0
        return str(
            told
        ), lambda counts: (counts > told - 3) & (counts <= told + 3) & (counts > 0) if told else counts == 0
    return str(count), lambda counts: counts == count


def possible(case: Case) -> Any:
    """Every world that fits all that is said."""
    most = MOST + 6
    worlds = np.concatenate([spreads(number, len(case.space())) for number in range(most + 1)])
    for group, says in case.said:
        worlds = worlds[says(case.counts(worlds, group))]
        assert len(worlds), "the people themselves must fit"
    if worlds.sum(axis=1).max() >= most:
        raise OverflowError("there may be more people than were gone through")
    return worlds


def audited(case: Case, folder: Path) -> Audit:
    """The audit of the files."""
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    new = [folder / name for name in case.files if name not in case.earlier]
    old = [folder / name for name in case.earlier]
    return dl.audit(*new, earlier=old, remedy=False, seconds=None, **case.options)


def mistakes(case: Case, found: Audit, worlds: Any) -> Iterator[str]:
    """What is said and is not so."""
    convention = found.examined.convention
    conclusions = found.examined.conclusions
    everything = [(each, case.counts(worlds, dict(each.asked.group))) for each in conclusions]
    inside = [
        counts >= 1
        for each, counts in everything
        if convention.member and each.asked.hidden and bool((counts >= 1).any())
    ]
    asked = {frozenset(each.asked.group) for each in conclusions}
    fails = False
    for each, counts in everything:
        finding = each.finding
        # What no table hides matters if there is somebody, and if it is small.
        least, most = (0, np.inf) if each.asked.hidden else (1, convention.threshold - 1)
        told = any(
            counts[own].min() == counts[own].max() and least <= counts[own].min() <= most
            for own in (np.ones(len(counts), dtype=bool), *inside)
        )
        fails = fails or told
        plain = not any(name.startswith("a person who is in") for name in each.to)
        if plain and (finding.low, finding.high) != (counts.min(), counts.max()):
            yield f"{each.asked}: {finding.low} to {finding.high}, and it is {counts.min()} to {counts.max()}"
        if each.tells != told:
            yield f"{each.asked}: {each.status}, and the values are {sorted(set(counts))}"
    for group in _missed(case, asked):
        yield f"not asked about: {group}"
    if found.verdict != ("fail" if fails else "pass"):
        yield f"the answer is {found.verdict}"


def _missed(case: Case, asked: set[frozenset[Any]]) -> Iterator[Group]:
    """Hidden numbers of the tables that are audited, and that nobody asked about."""
    if case.earlier:
        return
    for group in case.hidden:
        own = frozenset((name, leaves) for name, leaves in group.items() if len(leaves) < len(case.labels[name]))
        if own not in asked and not any(
            says(np.arange(20)).sum() == 1 for other, says in case.said if _same(case, other, group)
        ):
            yield group


def _same(case: Case, one: Group, other: Group) -> bool:
    return all(
        one.get(name, frozenset(labels)) == other.get(name, frozenset(labels)) for name, labels in case.labels.items()
    )


def accepted(content: dict[str, Any]) -> bool:
    """Whether the checker confirms it, with a hash of its own that fits."""
    rest = {key: value for key, value in content.items() if key != "sha256"}
    try:
        checker.examined(checker.load(canonical({**rest, "sha256": digest(canonical(rest))}).encode()))
    except (RefusedError, NoAuditError, LookupError, ValueError):
        return False
    return True


def tampered(rng: random.Random, content: dict[str, Any]) -> dict[str, Any]:
    """The same with one number, end or status of what is said or of its proofs changed."""
    changed = deepcopy(content)
    places = list(_numbers(changed["audits"], ("audits",)))
    path = rng.choice(places)
    node: Any = changed
    for key in path[:-1]:
        node = node[key]
    was = node[path[-1]]
    if isinstance(was, str):
        node[path[-1]] = rng.choice([each for each in map(str, CellStatus) if each != was])
    else:
        node[path[-1]] = was + rng.choice((-2, -1, 1, 2))
    return changed


def _numbers(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if isinstance(node, dict | list):
        for key, inside in node.items() if isinstance(node, dict) else enumerate(node):
            yield from _numbers(inside, (*path, key))
    elif type(node) is int or (path[-1] == "status" and node in set(map(str, CellStatus))):
        yield path


def true_all_the_same(case: Case, found: Audit, worlds: Any, content: dict[str, Any]) -> bool:
    """Whether what each attacker is said to know holds of every world."""
    if found.examined.members or len(content["audits"]) != len(found.examined.attackers):
        return False
    for attacker, audit in zip(found.examined.attackers, content["audits"], strict=True):
        if attacker is not found.examined.attackers[-1]:
            continue  # weaker ones have other worlds
        for place, finding in zip(attacker.places, audit["findings"], strict=True):
            counts = case.counts(worlds, dict(found.examined.linked.asked[place].group))
            low, high = finding["low"], finding["high"]
            if (low is not None and counts.min() < low) or (high is not None and counts.max() > high):
                return False
            if not set(finding["seen"] or ()) <= set(counts.tolist()):
                return False
    return True


def main(tables: int = 2000, forged: int = 500) -> int:
    """A few lines of sums; 1 if anything is wrong."""
    started = time.process_time()
    sums: Counter[str] = Counter()
    wrong = 0
    number = 0
    while sums["tables"] < tables or sums["refused"] < forged:
        number += 1
        rng = random.Random(number)
        case = made(rng)
        try:
            worlds = possible(case)
        except OverflowError:
            sums["left out: too many people fit"] += 1
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = audited(case, Path(folder))
        said = list(mistakes(case, found, worlds))
        for line in said:
            print(f"WRONG, case {number}: {line}", flush=True)
        wrong += bool(said)
        content = json.loads(document(found))
        if not accepted(content):
            print(f"WRONG, case {number}: the checker refuses what is right", flush=True)
            wrong += 1
        sums["audits"] += 1
        sums["tables"] += len(case.files)
        for each in found.examined.conclusions:
            sums["numbers"] += 1
            sums[str(each.status)] += 1
        for _ in range(2 if sums["refused"] < forged else 0):
            changed = tampered(rng, content)
            if not accepted(changed):
                sums["refused"] += 1
            elif true_all_the_same(case, found, worlds, changed):
                sums["confirmed, and true all the same"] += 1
            else:
                told = [(one, two) for one, two in zip(content["audits"], changed["audits"], strict=True) if one != two]
                claims = [(one["findings"], two["findings"]) for one, two in told]
                if all(one == two for one, two in claims):
                    sums["confirmed: another way to prove the same"] += 1
                else:
                    print(f"WRONG, case {number}: the checker confirms what is not so", flush=True)
                    wrong += 1
    for name, value in sums.items():
        print(f"{value:6}  {name}")
    print(f"{wrong} wrong; {time.process_time() - started:.0f} s of one core")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
