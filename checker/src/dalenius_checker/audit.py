"""An audit.json: do its proofs add up, and do its tables fit what is published? Whole numbers only; nothing is solved.

Unknowns are whole numbers between ends. A *statement* says that a sum of them lies between two ends; *row* -1 - k is
what step k has proved: a sum is at most a number. A step is checked with its own ends of the unknowns: those that the
problem states, and those that the steps on which it rests have proved. With them, whatever the multiples are,

    over · sum  ≤  Σ times · (upper end of the row; its lower end if times is negative)
                   + Σ rest · (upper end of the unknown; its lower end if the rest is negative),

where the rest is over · sum minus the rows, unknown by unknown; and a sum of whole numbers that is at most a fraction
is at most the whole number below it. That a target *can* have a value is shown by a table in which it has it.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

from dalenius_checker import people
from dalenius_checker.people import NoAuditError, require

SCHEMA = "dalenius/audit/1"
LARGEST_FILE = 1 << 28
Terms = dict[int, int]
End = int | None
Sides = dict[int, int]  # an unknown, and what it, or minus it, is at most


def claimed(content: bytes) -> bool:
    """Whether it says that it is an audit."""
    return f'"schema":"{SCHEMA}"'.encode() in content


def load(content: bytes) -> dict[str, Any]:
    """The document; RefusedError if its own hash is wrong."""
    if len(content) > LARGEST_FILE:
        raise NoAuditError(f"the file has {len(content)} bytes, more than {LARGEST_FILE}")
    try:
        document = json.loads(content.decode(), parse_float=int, parse_constant=int, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise NoAuditError(f"this is not JSON: {str(error)[:200]}") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise NoAuditError(f"this program reads {SCHEMA}, and this is something else")
    rest = {key: value for key, value in document.items() if key != "sha256"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    own = hashlib.sha256(text.encode()).hexdigest()
    require(own == document.get("sha256"), "it was changed after it was written: its own sha256 differs")
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    require(len({key for key, _ in pairs}) == len(pairs), "a key stands there twice")
    return dict(pairs)


def whole(value: Any, words: str) -> int:
    """A whole number; true and false are none."""
    require(type(value) is int, f"{words} is a whole number")
    return int(value)


def end(value: Any, words: str) -> End:
    """A whole number, or no end."""
    return None if value is None else whole(value, words)


def terms(found: Any, count: int) -> Terms:
    """A sum: unknowns, each once, and how often they count."""
    result: Terms = {}
    for each in found:
        place, times = each if isinstance(each, list) else (each, 1)
        require(0 <= whole(place, "a place") < count, "a sum is of unknowns that there are")
        require(place not in result, "a sum has each unknown once")
        result[place] = whole(times, "how often an unknown counts")
    return result


def published(found: Any, count: int) -> tuple[Terms, End, End]:
    """A statement: a sum of whole numbers, so that ends which are fractions go inwards."""
    ends = [each if each is None else Fraction(each) for each in (found["least"], found["most"])]
    low, high = ends
    return terms(found["sum"], count), None if low is None else ceil(low), None if high is None else floor(high)


class World:
    """What is published, as one attacker knows it: ends of unknowns, and statements."""

    def __init__(self, problem: Any, audit: Any) -> None:
        self.lower: list[End] = [end(each[1], "an end") for each in problem["unknowns"]]
        self.upper: list[End] = [end(each[2], "an end") for each in problem["unknowns"]]
        self.count = len(self.lower)
        for place, low, high in audit.get("ends", []):
            require(0 <= whole(place, "a place") < self.count, "ends are of unknowns that there are")
            was = self.lower[place], self.upper[place]
            require(was[0] is None or (low is not None and low >= was[0]), "an attacker who knows more has no less")
            require(was[1] is None or (high is not None and high <= was[1]), "an attacker who knows more has no less")
            self.lower[place], self.upper[place] = end(low, "an end"), end(high, "an end")
        self.statements = [
            published(each, self.count) for each in (*problem["statements"], *audit.get("statements", []))
        ]
        self.proved: list[tuple[Terms, int]] = []  # steps: a sum is at most a number
        self.sides: list[tuple[Sides, Sides]] = []  # what each step says of x, and of -x, for single unknowns

    def row(self, row: int) -> tuple[Terms, End, End]:
        """A statement, or what an earlier step has proved."""
        if row >= 0:
            return self.statements[row]
        require(-1 - row < len(self.proved), "a step rests on earlier ones")
        return self.proved[-1 - row][0], None, self.proved[-1 - row][1]

    def ends(self, rests: Iterable[int]) -> tuple[Sides, Sides]:
        """What x, and -x, are at most by these steps, where that is better than what is stated."""
        found: tuple[Sides, Sides] = {}, {}
        for step in rests:
            require(0 <= whole(step, "a step") < len(self.sides), "a step rests on earlier ones")
            for own, best in zip(self.sides[step], found, strict=True):
                for place, most in own.items():
                    best[place] = min(best.get(place, most), most)
        return found

    def at_most(self, place: int, sign: int, sides: tuple[Sides, Sides]) -> End:
        """The upper end of an unknown (sign 1), or of minus it."""
        if sign > 0:
            stated = self.upper[place]
        else:
            low = self.lower[place]
            stated = None if low is None else -low
        better = sides[sign < 0].get(place)
        return stated if better is None else better if stated is None else min(stated, better)

    def added(self, goal: Terms, over: int, rows: Any, sides: tuple[Sides, Sides]) -> int:
        """What over · sum is at most, by these rows and ends."""
        rest, total = {place: over * times for place, times in goal.items()}, 0
        for row, times in rows:
            inside, low, high = self.row(whole(row, "a row"))
            ending = high if whole(times, "a multiple") > 0 else low
            require(ending is not None or times == 0, "a row without an end bounds nothing")
            total += times * (ending or 0)
            for place, often in inside.items():
                rest[place] = rest.get(place, 0) - times * often
        for place, left in rest.items():
            if left:
                most = self.at_most(place, 1 if left > 0 else -1, sides)
                require(most is not None, "an unknown without an end bounds nothing")
                total += abs(left) * (most or 0)
        return total

    def take(self, step: Any) -> None:
        """A step more, if its proof adds up."""
        goal, most = terms(step["sum"], self.count), whole(step["most"], "what a step proves")
        sides, nodes = self.ends(step["rests"]), step["proof"]
        if nodes[-1][0] == "tight":
            require(len(nodes) == 1 and not goal, "a tight row proves ends of unknowns, and no sum")
            self.proved.append(({}, 0))
            self.sides.append(self.tight(nodes[0][1], sides))
            return
        self.walk(goal, most, nodes, sides)
        self.proved.append((goal, most))
        own: tuple[Sides, Sides] = {}, {}
        if len(goal) == 1:
            ((place, times),) = goal.items()
            if abs(times) == 1:
                own[times < 0][place] = most
        self.sides.append(own)

    def tight(self, row: Any, sides: tuple[Sides, Sides]) -> tuple[Sides, Sides]:
        """Unknowns of a row that cannot be less than its upper end: none can leave the end that makes it least."""
        inside, _, high = self.row(whole(row, "a row"))
        own: tuple[Sides, Sides] = {}, {}
        least = 0
        for place, times in inside.items():
            if times:
                most = self.at_most(place, -1 if times > 0 else 1, sides)
                require(most is not None, "an unknown without an end bounds nothing")
                least -= abs(times) * (most or 0)
                own[times < 0][place] = -(most or 0)
        require(high is not None and least >= high, "a row is tight only if it cannot be less than its upper end")
        return own

    def walk(self, goal: Terms, most: int, nodes: Any, sides: tuple[Sides, Sides]) -> None:
        """Every case of a proof, each with what is assumed in it."""
        waiting: list[tuple[int, tuple[Sides, Sides]]] = [(len(nodes) - 1, sides)]
        while waiting:
            place, ends = waiting.pop()
            kind, *inside = nodes[place]
            if kind == "add":
                over, rows = inside
                require(whole(over, "a divisor") >= 0, "a divisor is not negative")
                total = self.added(goal, over, rows, ends)
                fine = total < 0 if over == 0 else total // over <= most
                require(fine, f"a proof that a sum is at most {most} adds up to more")
                continue
            require(kind == "cases", "a proof adds up, or goes by cases")
            unknown, value, below, above = (whole(each, "a case") for each in inside)
            require(0 <= unknown < self.count and 0 <= below < place and 0 <= above < place, "cases are earlier nodes")
            upper, minus = ends
            less = {**upper, unknown: min(value, upper.get(unknown, value))}, minus
            more = upper, {**minus, unknown: min(-value - 1, minus.get(unknown, -value - 1))}
            waiting += [(below, less), (above, more)]


class Tables:
    """Complete tables: the first in full, the others by where they differ from it. All fit what is published."""

    def __init__(self, world: World, audit: Any) -> None:
        self.first = [whole(each, "a value") for each in audit["table"] or []]
        self.changes: list[Terms] = []
        if audit["table"] is None:
            require(not audit["changes"], "tables differ from a first one")
            return
        require(len(self.first) == world.count, "a table has a value for each unknown")
        for place, value in enumerate(self.first):
            _inside(value, world.lower[place], world.upper[place])
        sums = [sum(times * self.first[place] for place, times in inside.items()) for inside, _, _ in world.statements]
        for value, (_, low, high) in zip(sums, world.statements, strict=True):
            _inside(value, low, high)
        touching: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for row, (inside, _, _) in enumerate(world.statements):
            for place, times in inside.items():
                touching[place].append((row, times))
        for found in audit["changes"]:
            moved: Counter[int] = Counter()
            change = {whole(place, "a place"): whole(value, "a value") for place, value in found}
            require(len(change) == len(found), "a table has each unknown once")
            for place, value in change.items():
                require(0 <= place < world.count, "a table is of unknowns that there are")
                _inside(value, world.lower[place], world.upper[place])
                for row, times in touching[place]:
                    moved[row] += times * (value - self.first[place])
            for row, by in moved.items():
                _inside(sums[row] + by, world.statements[row][1], world.statements[row][2])
            self.changes.append(change)

    def value(self, goal: Terms, table: int) -> int:
        """A sum in a table: 0 is the first."""
        require(0 <= whole(table, "a table") <= len(self.changes) and self.first, "a table that there is")
        change = self.changes[table - 1] if table else {}
        return sum(times * change.get(place, self.first[place]) for place, times in goal.items())


def _inside(value: int, low: End, high: End) -> None:
    fits = (low is None or value >= low) and (high is None or value <= high)
    require(fits, "a table that is shown does not fit what is published")


def confirm(target: Any, finding: Any, world: World, tables: Tables) -> str:
    """The status of one target, if its ends are proved and its values are shown."""
    goal, name = terms(target["sum"], world.count), str(target["name"])[:200]
    for sign, key, step in zip((-1, 1), ("low", "high"), finding["proved"], strict=True):
        stated = end(finding[key], "an end")
        require((stated is None) == (step is None), f"{name}: an end has a proof")
        if stated is not None:
            require(0 <= whole(step, "a step") < len(world.proved), f"{name}: a proof that there is")
            sum_of, most = world.proved[step]
            same = sum_of == {place: sign * times for place, times in goal.items()}
            require(same and sign * stated == most, f"{name}: its proof is about something else")
    seen = None
    if finding["seen"] is not None:
        seen = [tables.value(goal, table) for table in finding["tables"]]
        require(seen == finding["seen"], f"{name}: the tables that are shown have {seen}")
    found = status(target, finding["low"], finding["high"], seen)
    require(found == finding["status"], f"{name}: it is {found}, and is said to be {str(finding['status'])[:20]}")
    return found


def status(target: Any, low: End, high: End, seen: Sequence[int] | None) -> str:
    """What proved ends and seen values say: one value follows; enough of them are seen; or the ends are too near."""
    width, reach = max(1, whole(target["width"], "a width")), target["reach"]
    if low is not None and low == high:
        return "follows"
    if seen is not None and seen[1] - seen[0] >= width and _reaches(reach, seen[0], seen[1]):
        return "open"
    near = low is not None and high is not None and high - low < width
    return "pinned" if near or not _reaches(reach, low, high) else "undecided"


def _reaches(reach: Any, low: End, high: End) -> bool:
    return reach is None or ((low is None or low <= reach[0]) and (high is None or high >= reach[1]))


def examined(document: dict[str, Any]) -> str:
    """What the audit says, in a line, if all of it is proved; RefusedError if not."""
    if "people" in document:
        return people.examined(document["people"])
    problem = document["problem"]
    if "contradiction" in document:
        world = World(problem, {})
        for step in document["contradiction"]:
            world.take(step)
        require(world.proved and world.proved[-1][0] == {} and world.proved[-1][1] < 0, "nothing contradicts itself")
        return f"no table of whole numbers fits these {len(world.statements)} statements"
    said = []
    for audit in document["audits"]:
        world = World(problem, audit)
        for step in audit["steps"]:
            world.take(step)
        tables = Tables(world, audit)
        require(all(whole(each, "a target") >= 0 for each in audit["targets"]), "a target that there is")
        asked = [problem["targets"][each] for each in audit["targets"]]
        require(len(audit["findings"]) == len(asked), "there is a finding for each target")
        found = Counter(confirm(*each, world, tables) for each in zip(asked, audit["findings"], strict=True))
        words = ", ".join(f"{count} {name}" for name, count in sorted(found.items())) or "nothing was asked"
        said.append(f"{str(audit['attacker'])[:200]}: {words}")
    return "; ".join(said)
