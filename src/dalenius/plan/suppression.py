r"""Cell suppression: the fewest numbers to leave out so that all the others may go out exactly.

Which cells are left out depends on sizes and beliefs only, so that what is missing tells nothing about anybody.

**What is looked for.** A group of people does not pass because the published numbers that cover them show a change of
one of their records. Let z be whole numbers, one for each group of people and each quantity that is added up: 1 for
the group that is to be hidden, and for every other group how much others would have to change beside it. A number e
that covers the groups G_e shows the change unless \sum_{g in G_e} z_g = 0; numbers that show it are left out. The
classical secondary cells (a rectangle in a table with margins) are such z. Least is

$$ \min_z \sum_e w_e \Big| \sum_{g \in G_e} z_g \Big| + \sum_g c_g |z_g| $$

where w_e is 1, and a little more for numbers about many, while a number is published, and nearly 0 once it is left out;
the sum must be 0 for what is out for good; c_g is small for large groups, in which there are many who could have
changed instead. This is a linear program, and it is only a search: **whatever it proposes is judged**, with everything
that stays published, and where that does not pass, it is asked again for what is still open; at last everything about
a group is left out. Then numbers are put back, one after the other, as long as all pass.

**The fewest** of tables that are not large (`_Fewest`). A combination of published numbers in which a group that does
not pass is counted, and otherwise only such groups, shows it nearly as if it were published by itself. There is none if
and only if some z as above, of groups that pass and this one alone, is shown by no published number. So an integer
program chooses the numbers to leave out, and for each such group a z that only these show; z goes from -1 to 1, as
those of tables with margins do that are not sums of others. What it proposes is judged. Where the judge refuses what is
left of a set of numbers, one of the others must go too: leaving out more never tells more. That is a cut, and it is
asked again. The first proposal that passes is the least; after so many turns the search above goes on from the last.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import final

import numpy as np

from dalenius.claims import Verdict
from dalenius.facts.records import Cell
from dalenius.mechanisms import Chain
from dalenius.mechanisms.registry import ROWS
from dalenius.numerics.least import halfway, least, scan
from dalenius.plan.alternative import Alternative, Change, Way
from dalenius.plan.calibration import expected_error
from dalenius.plan.calibration.noise import shortened, told
from dalenius.plan.examination import examine
from dalenius.plan.finding import Finding
from dalenius.plan.part import Desk, Part
from dalenius.plan.sharing import shares
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Cover, Entry

ROUNDS = 8  # how often what was proposed is judged, and completed
NEAR = 12  # groups of each published number that are thought of as those who could have changed instead
MOST_GROUPS = 600  # of one linear program
MOST_EXACT = 120  # groups of people of a part of which the fewest numbers are looked for
MOST_OPEN = 30  # of which so many do not pass
MOST_JUDGED = 100  # sets of numbers that are judged for it
MOST_NODES = 1000  # of one integer program
MOST_BACK = 60  # numbers that are tried to be put back one by one,
LEAST_BACK = 8  # and of very large tables
LARGE = 2000  # groups of people from which on fewer things are tried
WEIGHTS = (1.0, 0.0)  # how much more a number about everybody costs, in two searches
CROWD = 20.0  # people of a group from which on it costs less and less to rely on them
RELIANCE = 0.25  # what it costs to rely on one record of a group of a few, in numbers left out
AGAIN = 20.0  # how much more, if that was not enough
OTHERS = 40  # groups that are relied on before everything about somebody is left out
FACTORS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(4), Fraction(8))  # of noise that hides a person by itself
CLOSER = Fraction(21, 20)  # how closely the least factor is looked for
BESIDE = "the smallest cells left out, and noise in those that would bring them back; all others stay exact"
INSTEAD = "in the cells that would have to be left out; all others stay exact"
SPENT = 1e-3  # what a number costs that is left out already
SEEN = 1e-6  # a change that is not a rounding error of the program


def suppression(part: Part, desk: Desk) -> Iterator[Alternative]:
    """The numbers to leave out, as one way to change the figures of a part.

    Cost: a linear program for each group that does not pass, and the judge once a round and once for each number that
    is put back.
    """
    desk.progress("looking for cells to leave out", 0, 1)
    names = part.names
    part = replace(part, new=tuple(sorted(part.new, key=lambda figure: figure.name)))  # ties fall alike in any order
    if not any(figure.by for figure in part.new):
        yield Alternative("leaving out", names, why="no figure has cells that could be left out by themselves")
        return
    weights = WEIGHTS if len(part.atoms) <= LARGE else WEIGHTS[:1]
    found = [one for weight in weights if (one := _Search(part, desk, weight).found()) is not None]
    if len(part.atoms) <= MOST_EXACT and (fewer := _Fewest.of(part, desk).found(found)) is not None:
        found.append(fewer)
    if not found:
        yield Alternative("leaving out", names, why="no cells were found without which the others pass")
        return
    search, gone = _Search(part, desk, 0.0), min(found, key=len)
    changes = tuple(search.changes(gone))
    if sum(map(desk.numbers, part.new)) == len(gone) and len(part.new) == len(desk.figures):
        yield Alternative("leaving out", names, why="nothing would be left")
    else:
        certified = not search.failing(gone)
        yield Alternative("leaving out", names, changes, 0.0, len(gone), certified)
    if not part.single:
        yield from _noise_instead(search, gone, names)


def _noise_instead(search: "_Search", gone: frozenset[Entry], names: tuple[str, ...]) -> Iterator[Alternative]:
    """Noise in the cells that would be left out: the least, in the proportion that costs least, with which all pass;
    what hides a person by itself in all of them that cover them, or a few times that, since the exact numbers beside
    them have a part of epsilon too. Or in some of them, and the smallest that cover whoever does not pass left out.
    """
    sizes = search.desk.sizes
    covering = ([entry for entry in one.atom.entries if entry in gone] for one in search.part.findings if _open(one))
    smallest = {min(some, key=lambda entry: (sizes.get(entry, 0), _place_of(entry))) for some in covering if some}
    several = len(search.part.atoms) <= LARGE
    for out in dict.fromkeys((frozenset[Entry](), frozenset(smallest) if several else frozenset[Entry]())):
        if out < gone:
            yield from _noisy_cells(search, gone - out, out, names)


def _open(finding: Finding) -> bool:
    return finding.verdict != Verdict.PASS


def _noisy_cells(
    search: "_Search", cells: frozenset[Entry], out: frozenset[Entry], names: tuple[str, ...]
) -> Iterator[Alternative]:
    """Noise in some cells, while others are left out: nothing if no noise is found with which all pass."""
    part, desk, docket = search.part, search.desk, search.desk.docket
    base = _proportion(search, cells) if docket.epsilon else {}
    if not base:
        return

    def changed(factor: Fraction) -> tuple[list[Change], float]:
        changes, cost = [], 0.0
        for figure in part.new:
            left = _cells(figure, out)
            if figure.name in base:
                scale = shortened(factor * base[figure.name] / docket.epsilon)
                change, error = _noisy(figure, _cells(figure, cells), scale, desk, left)
                changes.append(change)
                cost += float(desk.wishes.weight(figure.name)) * error / docket.reach(figure)
            elif left:
                changes += search.changes(frozenset(entry for entry in out if entry.figure == figure))
        return changes, cost

    def enough(factor: Fraction) -> bool:
        desk.check_time()
        becomes = {change.figure: change.becomes for change in changed(factor)[0]}
        return search.passes([new for figure in part.new for new in becomes.get(figure.name, (figure,))])

    below, factor = scan(enough, Fraction(1, 2), FACTORS)
    if factor is None:
        return
    closer = CLOSER if len(part.atoms) <= LARGE else FACTORS[-1]
    factor = least(enough, below, factor, middle=halfway, close=lambda low, high: high <= low * closer)[1]
    changes, cost = changed(factor)
    way: Way = "leaving out and noise" if out else "data and noise"
    why = BESIDE if out else INSTEAD
    yield Alternative(way, names, tuple(changes), cost, len(out), certified=True, why=why)


def _proportion(search: "_Search", gone: frozenset[Entry]) -> dict[str, Fraction]:
    """Scales of geometric noise at epsilon 1, by figure, that cost least if these cells alone had to hide a person."""
    part, desk, docket = search.part, search.desk, search.desk.docket
    moves = {figure.name: far for figure in part.new if (far := docket.reach(figure)) and _cells(figure, gone)}
    names = list(moves)
    seen = {
        tuple(
            sorted(
                {
                    names.index(entry.figure.name)
                    for entry in atom.entries
                    if entry in gone and entry.figure.name in moves
                }
            )
        )
        for atom in part.atoms
    }
    rows = [{at: moves[names[at]] for at in places} for places in sorted(seen) if places]
    if not rows:
        return {}
    costs = [
        float(desk.wishes.weight(figure.name)) * len(_cells(figure, gone)) / desk.numbers(figure) / moves[figure.name]
        for figure in part.new
        if figure.name in moves
    ]
    return dict(zip(names, map(Fraction, shares(rows, costs, 1)), strict=True))


def _noisy(
    figure: Figure, cells: Sequence[Cell], scale: Fraction, desk: Desk, out: Sequence[Cell] = ()
) -> tuple[Change, float]:
    """The figure with noise in these cells, and its expected error times the share of cells that have it; without those
    that are left `out`.
    """
    channel, many = Chain((ROWS["geometric"].made(scale),)), desk.numbers(figure)
    error, line = expected_error(channel), f"noise: {{geometric: {told(scale)}}}"
    if len(cells) == many:
        becomes: tuple[Figure, ...] = (replace(figure, channel=channel),)
    else:
        name = desk.free(f"{figure.name}, with noise")
        noisy = replace(figure.only(cells), channel=channel, name=name)
        exact = () if len(cells) + len(out) == many else (figure.without([*cells, *out]),)
        becomes = (*exact, noisy)
        line += f" in {len(cells)} of {many} cells"
    if out:
        line += f", leave_out: [{', '.join(_told(figure, cell) for cell in out)}]"
    people = min((desk.sizes[Entry(figure, cell)] for cell in cells), default=1)
    worth = float(figure.unit(desk.docket.columns)) / (people if figure.kind == "mean" else 1)
    return Change(figure.name, becomes, line, error * worth), error * len(cells) / many


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """Numbers of new figures that are left out, and how the rest fares."""

    part: Part
    desk: Desk
    weight: float  # how much more a number costs that is about everybody

    def found(self, gone: frozenset[Entry] = frozenset()) -> frozenset[Entry] | None:
        """Numbers without which all the others pass, these among them; None if there are none."""
        failing = self.failing(gone) if gone else [one for one in self.part.findings if one.verdict != Verdict.PASS]
        if not failing:
            return self.put_back(gone)
        programs = _Programs.of(self.part, self.desk, self.weight)
        for _ in range(ROUNDS):
            self.desk.check_time()
            more = set(gone)
            for finding in sorted(failing, key=lambda one: (one.atom.size, _name_of(one.atom))):
                more |= programs.hiding(finding.atom, frozenset(more))
            if more == gone:
                return None
            gone = frozenset(more)
            failing = self.failing(gone)
            if not failing:
                return self.put_back(gone)
        return None

    def failing(self, gone: frozenset[Entry]) -> list[Finding]:
        """Who does not pass without these numbers."""
        return self._failing(self.figures(gone))

    def passes(self, figures: Sequence[Figure]) -> bool:
        """Whether these pass, with all that is out."""
        return not self._failing(figures)

    def _failing(self, figures: Sequence[Figure]) -> list[Finding]:
        if not (*self.part.old, *figures):
            return []
        every, question = (*self.part.old, *figures), self.desk.question
        found = examine(every, question, lambda _what, _done, _of: None, witnesses=False)
        return [one for one in found.findings if one.verdict != Verdict.PASS]

    def put_back(self, gone: frozenset[Entry]) -> frozenset[Entry]:
        """Without those that need not be left out: halves first, where there are many."""
        tries = [min(MOST_BACK, max(LEAST_BACK, MOST_BACK * LARGE // (4 * len(self.part.atoms))))]

        def tried(some: Sequence[Entry], kept: frozenset[Entry]) -> frozenset[Entry]:
            if not some or not tries[0] or not self.desk.left():
                return kept
            tries[0] -= 1
            less = kept - frozenset(some)
            if less != kept and not self.failing(less):
                return less
            if len(some) == 1:
                return kept
            middle = len(some) // 2
            return tried(some[middle:], tried(some[:middle], kept))

        order = sorted(gone, key=lambda entry: (-self.desk.sizes.get(entry, 0), _place_of(entry)))
        each = [order] if len(order) > tries[0] else [[entry] for entry in order]
        for some in each:
            gone = tried(some, gone)
        return gone

    def figures(self, gone: frozenset[Entry]) -> list[Figure]:
        """The new figures without these numbers."""
        return [new for figure in self.part.new for new in self._without(figure, gone)]

    def _without(self, figure: Figure, gone: Iterable[Entry]) -> tuple[Figure, ...]:
        cells = _cells(figure, gone)
        if not cells:
            return (figure,)
        if len(cells) == self.desk.numbers(figure):
            return ()
        return (figure.without(cells),)

    def changes(self, gone: frozenset[Entry]) -> Iterator[Change]:
        """What becomes of each figure that loses numbers."""
        for figure in self.part.new:
            cells = _cells(figure, gone)
            if cells:
                becomes = self._without(figure, gone)
                line = f"leave_out: [{', '.join(_told(figure, cell) for cell in cells)}]" if becomes else "leave it out"
                yield Change(figure.name, becomes, line)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Fewest:
    """The fewest numbers to leave out, by cuts that each of them must meet."""

    search: _Search
    programs: "_Programs"
    open_: tuple[int, ...]  # groups that do not pass
    cuts: dict[frozenset[Entry], None] = field(default_factory=dict)
    judged: list[int] = field(default_factory=lambda: [0])

    @classmethod
    def of(cls, part: Part, desk: Desk) -> "_Fewest":
        """The search, with nothing found yet."""
        programs = _Programs.of(part, desk, 0.0)
        failing = {cell for one in part.findings if _open(one) for cell, _ in one.atom.groups}
        places = [at for at, atom in enumerate(programs.cover.atoms) if any(cell in failing for cell, _ in atom.groups)]
        return cls(_Search(part, desk, 0.0), programs, tuple(places))

    def found(self, others: Sequence[frozenset[Entry]]) -> frozenset[Entry] | None:
        """Fewer numbers than others found; None if there are none, or nothing better was found in time."""
        if not 0 < len(self.open_) <= MOST_OPEN:
            return None
        most = min(map(len, others), default=len(self.programs.covering) + 1)
        gone = self._least()
        while gone is not None and len(gone) < most:
            self.search.desk.check_time()
            if not self._refused(gone):
                return self.search.put_back(gone)
            if self.judged[0] >= MOST_JUDGED:
                return self.search.found(gone)
            self.cuts[self._core(gone)] = None
            gone = self._least() if all(self.cuts) else None
        return None

    def _refused(self, gone: frozenset[Entry]) -> bool:
        self.judged[0] += 1
        return bool(self.search.failing(gone))

    def _core(self, gone: frozenset[Entry]) -> frozenset[Entry]:
        """Numbers one of which must go besides: all others may go, and it is refused all the same."""
        entries = [entry for entry in sorted(self.programs.covering, key=_place_of) if entry not in gone]
        less = gone

        def grow(some: Sequence[Entry]) -> None:
            nonlocal less
            if not some:
                return
            self.search.desk.check_time()
            if self._refused(less.union(some)):
                less = less.union(some)
            elif len(some) > 1:
                middle = len(some) // 2
                grow(some[:middle])
                grow(some[middle:])

        grow([entry for entry in entries if entry in self.programs.fixed])
        grow([entry for entry in entries if entry not in self.programs.fixed])
        return frozenset(self.programs.covering) - less - self.programs.fixed

    def _least(self) -> frozenset[Entry] | None:
        """The numbers that cost least, meet all cuts, and hide each group that does not pass among those that do."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        programs, sizes = self.programs, self.search.desk.sizes
        keys = sorted((entry for entry in programs.covering if entry.figure.channel.exact), key=_place_of)
        at, people = {entry: place for place, entry in enumerate(keys)}, max(1, self.search.desk.question.frame.size)
        cost = [programs.matters[entry] + SPENT * sizes.get(entry, 0) / people for entry in keys]
        low, high = [0.0] * len(keys), [float(entry not in programs.fixed) for entry in keys]
        rows, least = list[tuple[int, int, float]](), list[float]()  # what is added up to at least so much
        for cut in self.cuts:
            rows += [(len(least), at[entry], 1.0) for entry in cut if entry in at]
            least.append(1.0)
        weak = set(self.open_)
        for place in self.open_:
            for quantity in sorted(
                {programs.quantity[entry.figure.name] for entry in programs.cover.atoms[place].entries}
            ):
                first = len(low)
                low += [float(group == place) if group in weak else -1.0 for group in range(len(programs.cover.atoms))]
                high += [float(group == place) if group in weak else 1.0 for group in range(len(programs.cover.atoms))]
                for entry in keys:
                    if programs.quantity[entry.figure.name] != quantity:
                        continue
                    for sign in (1.0, -1.0):
                        rows += [(len(least), first + group, sign) for group in programs.covering[entry]]
                        rows.append((len(least), at[entry], 1.0))
                        least.append(0.0)
        if not rows:
            return None
        lines, places, values = zip(*rows, strict=True)
        whole = np.arange(len(low)) < len(keys)
        solved = milp(
            np.concatenate([cost, np.zeros(len(low) - len(keys))]),
            constraints=LinearConstraint(csr_array((values, (lines, places)), (len(least), len(low))), least, np.inf),
            integrality=whole.astype(int),
            bounds=Bounds(low, high),
            options={"node_limit": MOST_NODES},
        )
        if solved.x is None:
            return None
        return frozenset(entry for entry, gone in zip(keys, solved.x.tolist(), strict=False) if gone > 0.5)


def _place_of(entry: Entry) -> tuple[str, tuple[str, ...]]:
    """A number by its figure and cell, in whatever order figures and columns are listed."""
    cell = zip(entry.figure.by, entry.cell, strict=True)
    return entry.figure.name, tuple(sorted(f"{name} {value}" for name, value in cell))


def _name_of(atom: Atom) -> list[tuple[str, tuple[str, ...]]]:
    """A group of people by the numbers that they are in."""
    return sorted(map(_place_of, atom.entries))


def _cells(figure: Figure, gone: Iterable[Entry]) -> list[Cell]:
    return sorted((entry.cell for entry in gone if entry.figure == figure), key=lambda cell: [str(one) for one in cell])


def _told(figure: Figure, cell: Cell) -> str:
    """A cell as a specification writes it."""
    return "{" + ", ".join(f"{name}: {value}" for name, value in zip(figure.by, cell, strict=True)) + "}"


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Programs:
    """The groups of a part as columns, its exact numbers as rows, one program for each quantity that is added up."""

    cover: Cover
    fixed: frozenset[Entry]  # numbers that are out, or that are to be kept
    quantity: Mapping[str, int]  # what each figure adds up, by its name
    covering: Mapping[Entry, list[int]]  # the groups that a number covers, the largest first
    matters: Mapping[Entry, float]  # what each number costs
    relied: dict[int, list[int]] = field(default_factory=dict)  # for each group, on whom was relied to hide it

    @classmethod
    def of(cls, part: Part, desk: Desk, weight: float) -> "_Programs":
        """The programs of a part."""
        cover = Cover.of((*part.old, *part.new), desk.question.frame, desk.question.columns)
        quantity = {figure.name: int(at) for figure, at in zip(cover.figures, cover.quantity_of, strict=True)}
        covering: dict[Entry, list[int]] = {}
        names = list(map(_name_of, cover.atoms))
        for place in sorted(range(len(cover.atoms)), key=lambda place: (-cover.atoms[place].size, names[place])):
            for entry in cover.atoms[place].entries:
                covering.setdefault(entry, []).append(place)
        out, people, wishes = frozenset(figure.name for figure in part.old), desk.question.frame.size, desk.wishes
        fixed = frozenset(e for e in covering if e.figure.name in out or wishes.kept(e.figure.name, e.cell))
        matters = {
            entry: float(wishes.weight(entry.figure.name)) * (1 + weight * size / people)
            for entry, size in cover.sizes().items()
        }
        return cls(cover, fixed, quantity, covering, matters)

    def hiding(self, atom: Atom, gone: frozenset[Entry]) -> set[Entry]:
        """Further numbers to leave out so that a change in one of these people's records does not show. Where that was
        asked before, others are relied on; at last everything about these people is left out.
        """
        cells = {cell for cell, _ in atom.groups}
        mine = [place for place, one in enumerate(self.cover.atoms) if any(cell in cells for cell, _ in one.groups)]
        found: set[Entry] = set()
        for place in mine:
            entries = self.cover.atoms[place].entries
            if len(self.relied.get(place, ())) < OTHERS:
                for quantity in sorted({self.quantity[entry.figure.name] for entry in entries}):
                    found |= self._program(place, quantity, gone)
            if not found - gone:
                found |= {entry for entry in entries if entry not in self.fixed}
        return found - gone

    def _program(self, place: int, quantity: int, gone: frozenset[Entry]) -> set[Entry]:
        """The least numbers of one quantity that show a change in this group, whoever else changes beside it."""
        from scipy.optimize import linprog
        from scipy.sparse import bmat, csr_array, eye_array

        groups = sorted(self._near(place, quantity), key=lambda group: _name_of(self.cover.atoms[group]))
        column = {group: at for at, group in enumerate(groups)}
        rows: dict[Entry, list[int]] = {}
        for group in groups:
            for entry in self.cover.atoms[group].entries:
                if self.quantity[entry.figure.name] == quantity and entry.figure.channel.exact:
                    rows.setdefault(entry, []).append(column[group])
        if not rows:
            return set()
        entries, number, many = sorted(rows, key=_place_of), len(groups), len(rows)
        at = [row for row, entry in enumerate(entries) for _ in rows[entry]]
        shows = csr_array((np.ones(len(at)), (at, [one for entry in entries for one in rows[entry]])), (many, number))
        one, each = eye_array(number), eye_array(many)
        # variables: z, the absolute values of z, those of what each number shows
        above = bmat([[one, -one, None], [-one, -one, None], [shows, None, -each], [-shows, None, -each]])
        cost = [0.0] * number + [self._reliance(group, place) for group in groups]
        cost += [SPENT if entry in gone else self.matters[entry] for entry in entries]
        bounds: list[tuple[float | None, float | None]] = [(None, None)] * number + [(0, None)] * number
        bounds += [(0, 0) if entry in self.fixed else (0, None) for entry in entries]
        bounds[column[place]] = (1, 1)
        solved = linprog(cost, A_ub=above, b_ub=np.zeros(above.shape[0]), bounds=bounds, method="highs")
        if not solved.success:
            return set()
        change = solved.x[:number]
        self.relied.setdefault(place, []).extend(group for group in groups if abs(change[column[group]]) > SEEN)
        shown = shows @ change
        return {entry for row, entry in enumerate(entries) if abs(shown[row]) > SEEN and entry not in gone}

    def _reliance(self, group: int, place: int) -> float:
        """What it costs to rely on somebody of a group: less if there are many, much if it was not enough before."""
        before = AGAIN * self.relied.get(place, []).count(group) if group != place else 0
        return RELIANCE * (min(1.0, CROWD / self.cover.atoms[group].size) + before) + SPENT

    def _near(self, place: int, quantity: int) -> list[int]:
        """The group, and the largest ones that share numbers with it, or with these."""
        chosen, edge = {place: None}, [place]
        for _ in range(2):
            beyond: list[int] = []
            for group in edge:
                for entry in self.cover.atoms[group].entries:
                    if self.quantity[entry.figure.name] == quantity:
                        beyond += [other for other in self.covering[entry][:NEAR] if other not in chosen]
            edge = list(dict.fromkeys(beyond))[: MOST_GROUPS - len(chosen)]
            chosen |= dict.fromkeys(edge)
        return list(chosen)
