"""Changes that publish fewer numbers: coarser groups, small cells merged, figures left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from dalenius.basics.errors import InputError
from dalenius.claims import Verdict
from dalenius.facts.records import Cell, Label, OneOf, Where
from dalenius.numerics.least import climb, scan
from dalenius.plan.alternative import Alternative, Change
from dalenius.plan.attempt import Attempt
from dalenius.plan.examination import holds, mixed
from dalenius.plan.finding import known_in
from dalenius.plan.part import Desk, Part, cells_of
from dalenius.plan.suppression import suppression
from dalenius.tables.figures import Figure
from dalenius.tables.history import Atom, Entry

KINDS = 64  # kinds of records in a merged cell that are judged one by one; of more, by a cheap bound only
GROWTH = 1.5  # by how many values more are merged when the merged cell does not pass
MOST_MERGED = 1000  # values of a column among which the smallest are looked for
MOST_DROPPED = 12  # figures that are left out one by one before several are


def fewer_ways(part: Part, desk: Desk) -> list[Attempt | Alternative]:
    """Coarser groups by each column; the smallest cells merged; figures left out. Sizes and beliefs decide, no data."""
    split = [figure for figure in part.new if figure.by]
    ways: list[Attempt | Alternative] = []
    if not split:
        ways.append(Alternative("merging", part.names, why="the figures are not split by any column"))
    for figure in split:
        for column in figure.by:
            what = f'"{figure.name}" without {column}'
            ways.append(Attempt("merging", what, partial(_coarser, part, desk, figure, column)))
    if not part.single:
        for column in dict.fromkeys(column for figure in split for column in figure.by):
            what = f"values of {column} merged in all figures"
            ways.append(Attempt("merging", what, partial(_merged_everywhere, part, desk, column)))
    for column in dict.fromkeys(column for figure in split for column in figure.by if column in desk.question.within):
        what = f"values of {column} merged within {desk.question.within[column]}"
        ways.append(Attempt("merging", what, partial(_merged_within, part, desk, column)))
    ways.append(Attempt("leaving out", "which cells to leave out", lambda: suppression(part, desk)))
    ways.append(Attempt("leaving out", "which figures to leave out", lambda: [_left_out(part, desk)]))
    return ways


def _coarser(part: Part, desk: Desk, figure: Figure, column: str) -> Iterator[Alternative]:
    desk.progress(f"merging cells of {figure.name}", 0, 1)
    yield _without_column(part, desk, figure, column)
    if part.single:
        yield _smallest_merged(part, desk, figure, column)


def _without_column(part: Part, desk: Desk, figure: Figure, column: str) -> Alternative:
    rest = tuple(name for name in figure.by if name != column)
    coarser = replace(figure, by=rest)
    line = f"by: [{', '.join(rest)}]" if rest else "without by"
    certified = desk.confirmed(part, {figure.name: (coarser,)}, kinds=KINDS)
    lost = desk.numbers(figure) - len(cells_of(coarser, desk.question.frame))
    why = "" if certified else f"without {column} no bound was found that passes"
    change = Change(figure.name, (coarser,), line)
    return Alternative("merging", part.names, (change,), 0.0, lost, certified, why=why)


def _smallest_merged(part: Part, desk: Desk, figure: Figure, column: str) -> Alternative:
    """The values of a column whose cells do not pass, and the smallest others until it does, as one."""
    if column in figure.where.columns:
        why = f"values of {column} are chosen by a condition already; merge them there"
        return Alternative("merging", part.names, why=why)
    at = figure.by.index(column)
    sizes: dict[Label, int] = {}
    for cell, count in cells_of(figure, desk.question.frame).items():
        sizes[_label(cell, at)] = sizes.get(_label(cell, at), 0) + count
    if len(sizes) > MOST_MERGED:
        why = f"not tried: {column} has {len(sizes)} values, and a condition would have to list those that stay"
        return Alternative("merging", part.names, why=why)
    failing = {_label(finding.atom.entries[0].cell, at) for finding in part.findings if finding.verdict != Verdict.PASS}
    order = sorted(sizes, key=lambda value: (value not in failing, sizes[value], str(value)))
    number = _enough_merged(part, desk, figure, at, order, max(2, len(failing)))
    if number is None:
        why = f"the smallest cells by {column} do not pass even if all but one are merged"
        return Alternative("merging", part.names, why=why)
    merged = order[:number]
    kept = [value for value in sizes if value not in set(merged)]
    becomes = _two(desk, figure, column, kept, merged)
    lost = desk.numbers(figure) - sum(len(cells_of(new, desk.question.frame)) for new in becomes)
    certified = desk.confirmed(part, {figure.name: becomes}, kinds=KINDS)
    line = _merging(column, merged)
    why = "" if certified else "judged again from scratch it does not pass"
    return Alternative("merging", part.names, (Change(figure.name, becomes, line),), 0.0, lost, certified, why=why)


def _merged_everywhere(part: Part, desk: Desk, column: str) -> Iterator[Alternative]:
    """The same values of a column merged in all figures that are split by it: those whose cells do not pass, and the
    smallest others until all figures pass together.
    """
    using = [figure for figure in part.new if column in figure.by and column not in figure.where.columns]
    place = desk.question.frame.columns.index(column)
    sizes: dict[Label, int] = {}
    for cell, count in desk.question.frame.groups.items():
        sizes[_label(cell, place)] = sizes.get(_label(cell, place), 0) + count
    if not using or len(sizes) > MOST_MERGED:
        return
    failing = _failing_values(part, place)
    order = sorted(sizes, key=lambda value: (value not in failing, sizes[value], str(value)))

    def becomes(number: int) -> dict[str, tuple[Figure, ...]]:
        merged = order[:number]
        kept = [value for value in sizes if value not in set(merged)]
        return {figure.name: _two(desk, figure, column, kept, merged) for figure in using}

    def enough(number: int) -> bool:
        desk.progress(f"merging {column} in all figures", number, len(order))
        return desk.confirmed(part, becomes(number), kinds=KINDS)

    least = max(2, len(failing))
    numbers = climb(least, lambda number: max(number + 1, int(number * GROWTH)), lambda number: number >= len(order))
    number = scan(enough, 0, (number for number in numbers if number < len(order)))[1]
    if number is None:
        why = f"the smallest values of {column} do not pass even if all but one are merged in all figures"
        yield Alternative("merging", part.names, why=why)
        return
    found, line = becomes(number), _merging(column, order[:number])
    changes = tuple(Change(name, new, line) for name, new in found.items())
    then = sum(len(cells_of(new, desk.question.frame)) for some in found.values() for new in some)
    lost = sum(map(desk.numbers, using)) - then
    yield Alternative("merging", part.names, changes, 0.0, lost, certified=True)


def _merged_within(part: Part, desk: Desk, column: str) -> Iterator[Alternative]:
    """Values of a column merged within those of a wider one (municipalities in counties), in all figures that are split
    by it: those whose cells do not pass, with the smallest one beside them; else with all beside them; else all.
    """
    wider, frame = desk.question.within[column], desk.question.frame
    using = [one for one in part.new if column in one.by and not {column, wider} & one.where.columns]
    if not using or wider not in frame.columns:
        return
    place, above = frame.columns.index(column), frame.columns.index(wider)
    sizes, parent = dict[Label, int](), dict[Label, Label]()
    for cell, count in frame.groups.items():
        value = _label(cell, place)
        sizes[value] = sizes.get(value, 0) + count
        if parent.setdefault(value, _label(cell, above)) != _label(cell, above):
            raise InputError(
                f"within says that each {column} lies in one {wider}, but one of them has people in several. Correct "
                "the table, or leave it out of within."
            )
    failing = _failing_values(part, place)
    inside: dict[Label, list[Label]] = {}
    for value in sorted(sizes, key=lambda value: (value not in failing, sizes[value], str(value))):
        inside.setdefault(parent[value], []).append(value)
    touched = [some for some in inside.values() if failing & set(some)]
    few = [some[: max(2, len(failing & set(some)))] for some in touched]
    for groups in (few, touched, list(inside.values())):
        merged = [value for some in groups for value in some]
        kept = [value for value in sizes if value not in set(merged)]
        becomes = {one.name: _within_wider(desk, one, column, wider, kept, merged) for one in using}
        desk.progress(f"merging {column} within {wider}", 0, 1)
        if merged and desk.confirmed(part, becomes, kinds=KINDS):
            line = f"{_merging(column, merged).removesuffix(' into one')} within {wider}"
            changes = tuple(Change(name, new, line) for name, new in becomes.items())
            then = sum(len(cells_of(new, frame)) for some in becomes.values() for new in some)
            lost = sum(map(desk.numbers, using)) - then
            yield Alternative("merging", part.names, changes, 0.0, lost, certified=True)
            return
    why = f"no values of {column} were found that pass when they are merged within {wider}"
    yield Alternative("merging", part.names, why=why)


def _within_wider(
    desk: Desk, figure: Figure, column: str, wider: str, kept: Sequence[Label], merged: Sequence[Label]
) -> tuple[Figure, ...]:
    """The figure for the values that are kept, and for the others by the wider column."""
    by = tuple(dict.fromkeys(wider if one == column else one for one in figure.by))
    if not kept:
        return (replace(figure, by=by),)
    name = desk.free(f"{figure.name}, by {wider}")
    return _where(figure, column, kept, figure.by, figure.name), _where(figure, column, merged, by, name)


def _failing_values(part: Part, place: int) -> set[Label]:
    """The values of a public column whose people do not pass, where all of a group have the same one."""
    return {
        _label(cell, place)
        for finding in part.findings
        if finding.verdict != Verdict.PASS and len({_label(cell, place) for cell, _ in finding.atom.groups}) == 1
        for cell, _ in finding.atom.groups
    }


def _merging(column: str, merged: Sequence[Label]) -> str:
    shown = ", ".join(map(str, merged[:6])) + (f" and {len(merged) - 6} more" if len(merged) > 6 else "")
    return f"merge {column} {shown} into one"


def _two(
    desk: Desk, figure: Figure, column: str, kept: Sequence[Label], merged: Sequence[Label]
) -> tuple[Figure, Figure]:
    """The figure for the values that are kept, and for the others as one."""
    rest, name = tuple(one for one in figure.by if one != column), desk.free(f"{figure.name}, other {column}")
    return _where(figure, column, kept, figure.by, figure.name), _where(figure, column, merged, rest, name)


def _enough_merged(part: Part, desk: Desk, figure: Figure, at: int, order: Sequence[Label], least: int) -> int | None:
    """How many of the values must be merged; more are taken until all merged cells pass."""
    by_value: dict[Label, list[Atom]] = {}
    for atom in part.atoms:
        by_value.setdefault(_label(atom.entries[0].cell, at), []).append(atom)

    def enough(number: int) -> bool:
        desk.check_time()
        return all(_passes(desk, figure, at, atoms) for atoms in _merged(by_value, order[:number], at))

    numbers = climb(least, lambda number: max(number + 1, int(number * GROWTH)), lambda number: number >= len(order))
    return scan(enough, 0, (number for number in numbers if number < len(order)))[1]


def _merged(by_value: dict[Label, list[Atom]], values: Sequence[Label], at: int) -> list[list[Atom]]:
    """Atoms that become one: those that differ in the merged column only."""
    found: dict[Cell, list[Atom]] = {}
    for value in values:
        for atom in by_value.get(value, []):
            cell = atom.entries[0].cell
            found.setdefault((*cell[:at], *cell[at + 1 :]), []).append(atom)
    return list(found.values())


def _passes(desk: Desk, figure: Figure, at: int, atoms: Sequence[Atom]) -> bool:
    rest = tuple(name for place, name in enumerate(figure.by) if place != at)
    cell = atoms[0].entries[0].cell
    entry = Entry(replace(figure, by=rest), (*cell[:at], *cell[at + 1 :]))
    whole = Atom((entry,), tuple(group for atom in atoms for group in atom.groups))
    known = known_in(whole, {entry: whole.size}, desk.question)
    if mixed(desk.docket, whole, known) <= desk.docket.enough:
        return True
    if len(whole.groups) > KINDS:
        return False
    return holds(desk.docket, whole, known, alone=True)


def _label(cell: Cell, at: int) -> Label:
    value = cell[at]
    return value if isinstance(value, str | bool | int) else str(value)


def _where(figure: Figure, column: str, values: Sequence[Label], by: tuple[str, ...], name: str) -> Figure:
    tests = (*figure.where.tests, (column, OneOf(tuple(values))))
    return replace(figure, where=Where(tests), by=by, name=name)


def _left_out(part: Part, desk: Desk) -> Alternative:
    """The fewest figures that must go: each by itself is tried, then the one in most failing groups is taken away."""
    if len(part.new) == len(desk.figures) == 1:
        return Alternative("leaving out", part.names, why="nothing would be left")
    gone: list[Figure] = []
    by_name = sorted(part.new, key=lambda figure: figure.name)  # so that ties fall alike in any order
    if len(part.new) > 1:
        for figure in sorted(by_name[:MOST_DROPPED], key=desk.numbers):
            if desk.confirmed(part, {figure.name: ()}):
                gone = [figure]
                break
    failing = [finding for finding in part.findings if finding.verdict != Verdict.PASS]
    while not gone or not desk.confirmed(part, {figure.name: () for figure in gone}):
        left = [figure for figure in by_name if figure not in gone]
        if not left:
            return Alternative("leaving out", part.names, why="what is already out does not pass by itself")
        gone.append(max(left, key=lambda one: sum(_in(one, finding.atom) for finding in failing)))
    if len(gone) == len(desk.figures):
        return Alternative("leaving out", part.names, why="nothing would be left")
    changes = tuple(Change(figure.name, (), "leave it out") for figure in gone)
    lost = sum(desk.numbers(figure) for figure in gone)
    return Alternative("leaving out", part.names, changes, 0.0, lost, certified=True)


def _in(figure: Figure, atom: Atom) -> bool:
    return any(entry.figure == figure for entry in atom.entries)
