"""Several tables as one problem: who is in which number.

**Groups.** A cell of a table is about a group of people: for each variable some of its finest labels. Labels that are
nested, totals and what a table is restricted to are sets of finest labels; so two cells of any tables that are about
the same group are the same number, and no further rule about shared margins is needed.

**Unknowns.** If one common table of all variables were written down, each of its cells a whole number, every group
would be a sum of such cells. That is the exact problem, and it can be large. Take the variables as points and join
those that stand in one table; add joins until every circle of four or more has a chord. The greatest sets of variables
that are joined pairwise (cliques) form a tree in which neighbours share a set of variables (a separator). Then a
common table exists if and only if there is one for each clique and neighbours agree on what they share: people of one
are matched with as many people of the other who have the same labels, in any way. So the unknowns are the cells of the
cliques, with an equation for each group that two neighbours share, and nothing is lost.

Sums (of money) follow people, and people cannot be matched freely then: all variables form one clique. Where even the
cliques are too large, each table has cells of its own that agree on what tables share, pair by pair. That is less than
what is known: what follows then follows, but nothing is claimed to be open (`Linked.exact` is False).
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, product
from math import ceil, prod
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.audit.problem import Problem, Sought, Statement, Terms, Unknown
from dalenius.audit.spread import Persons, spread_out
from dalenius.audit.tables import (
    COUNT,
    SECONDARY,
    SHOWN,
    WITHDRAWN,
    Cell,
    Convention,
    MarkRule,
    Measure,
    PublishedTable,
    called,
    interval,
    number,
)
from dalenius.basics.errors import InputError

Group: TypeAlias = frozenset[tuple[str, frozenset[str]]]  # variables, each with those of its finest labels that count

OTHER = "any other"  # what people have whom no table lists: a table about some labels says nothing of the rest
SAME_PEOPLE = "the same people: "  # what is no published number, and holds of any two tables
MOST_UNKNOWNS = 100_000
MOST_TERMS = 20_000_000
MOST_FORMED = 5_000  # cells that no table lists, and that are asked about all the same
MOST_JOINT = 10_000  # the same, of variables that no table has together


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """What a target is: cells of tables that are about the same group (by table, place), or none if it is formed."""

    measure: str
    group: Group
    cells: tuple[tuple[str, Cell], ...] = ()

    @property
    def formed(self) -> bool:
        """Whether no table has it: it can only be formed from others."""
        return not self.cells

    @property
    def hidden(self) -> bool:
        """Whether a table hides it: other numbers matter only if they are small."""
        return any(cell.hidden for _, cell in self.cells)


@final
@dataclass(frozen=True, slots=True)
class Linked:
    """The problem of all tables, what each target is, and what was taken for granted. `rules` are statements that only
    an attacker knows who knows the rule by which cells were hidden; `known` is what else is known. `unasked` cells
    could be formed, and are too many to ask about.
    """

    problem: Problem
    asked: tuple[Asked, ...]
    rules: tuple[Statement, ...]
    known: tuple[Statement, ...]
    notes: tuple[str, ...]
    exact: bool
    unasked: int = 0
    persons: Persons | None = None  # what the beliefs say of one of them


def link(
    tables: Sequence[PublishedTable], convention: Convention | None = None, also: Iterable[tuple[str, Group]] = ()
) -> Linked:
    """One problem of tables that are about the same people. `also`: numbers that matter, whether or not a table hides
    them.

    >>> import dalenius as dl
    >>> text = "ward,young,old,Total north,x,41,44 south,28,52,80 Total,31,93,124".replace(" ", chr(10))
    >>> linked = dl.audit.link([dl.audit.read_table(text, "by age")])
    >>> len(linked.problem.targets)
    1
    """
    return _Linking(tuple(tables), convention or Convention(), also=tuple(also)).linked()


def group_of_cells(tables: Sequence[PublishedTable], convention: Convention) -> Callable[[PublishedTable, Cell], Group]:
    """Whom a cell is about."""
    linking = _Linking(tuple(tables), convention)
    linking.find_labels()
    return linking.of_cell


@dataclass
class _Linking:
    """What is found on the way."""

    tables: tuple[PublishedTable, ...]
    convention: Convention
    leaves: dict[str, tuple[str, ...]] = field(default_factory=dict)  # finest labels of each variable
    inside: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)  # label to finest labels
    notes: list[str] = field(default_factory=list)
    unasked: int = 0
    also: tuple[tuple[str, Group], ...] = ()

    def linked(self) -> Linked:
        self._named = {table.name: table for table in self.tables}
        if len(self._named) < len(self.tables):
            twice = next(name for name in self._named if sum(each.name == name for each in self.tables) > 1)
            raise InputError(f"Needed a name of its own for each table, but two are called {twice!r}. Rename one.")
        self.find_labels()
        measures = tuple(dict.fromkeys(table.measure for table in self.tables))
        if any(self.convention.measure(each).most is not None for each in measures if each != COUNT):
            measures = tuple(dict.fromkeys((COUNT, *measures)))
        for unit, name in ((self.convention.measure(each).unit, each) for each in measures):
            if unit != 1:
                self.notes.append(f"Numbers of {name} are given in units of {number(unit)}: 2 is {number(2 * unit)}.")
        self._check_absent()
        space, exact = self._space(measures)
        statements = [*space.agreements(), *self._bounded(space, measures), *self._published(space)]
        asked = self._asked(space)
        targets = tuple(
            Sought(self._name(each), space.terms(each.measure, each.group), self._width(each), _reach(each))
            for each in asked
        )
        problem = Problem(space.unknowns, tuple(statements), targets)
        rules, known = tuple(self._rules(space)), tuple(self._known(space))
        persons = self._persons(space, exact=exact) if self.convention.beliefs else None
        return Linked(problem, asked, rules, known, tuple(self.notes), exact, self.unasked, persons)

    def _persons(self, space: "_Space", *, exact: bool) -> Persons:
        """What the beliefs say of one person."""
        if any(table.measure != COUNT for table in self.tables):
            raise InputError(
                "Beliefs are about people who are counted, but a table adds up something else. Leave tables of sums "
                "out, or audit them without beliefs."
            )
        if not exact:
            raise InputError(
                "Beliefs need one table of all variables together, and here it would be too large. Audit fewer tables "
                "at a time, or leave the beliefs out."
            )
        records: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        for labels, chance in spread_out(self.convention.beliefs, self.leaves, OTHER):
            records[space.person(labels)] += chance
        chances = [Fraction(0)] * len(space.unknowns)
        for places, chance in records.items():
            for place in places:
                chances[place] += chance
        untold = tuple(dict.fromkeys(self._untold(space)))
        persons = Persons(dict(records), tuple(chances), space.terms(COUNT, frozenset()), (), untold)
        return replace(persons, shared=tuple((terms, persons.chance(terms)) for terms in space.separated()))

    def _untold(self, space: "_Space") -> Iterator[Terms]:
        """What the tables have and do not show, earlier ones among them: hidden cells, and lines that are missing."""
        for table in self.tables:
            groups = [self.of_cell(table, cell) for cell in table.cells if cell.hidden]
            if table.absent != "zero":
                for labels in product(*(self.leaves[variable] for variable in table.variables)):
                    own = ((name, (leaf,)) for name, leaf in zip(table.variables, labels, strict=True))
                    groups.append(self.group([*own, *table.where]))
            for group in groups:
                yield space.terms(COUNT, group)

    # Labels.

    def find_labels(self) -> None:
        """Note the finest labels of every variable, and which of them each label has inside."""
        names = dict.fromkeys(
            [
                *(variable for table in self.tables for variable in table.variables),
                *(variable for table in self.tables for variable, _ in table.where),
                *(variable for known in self.convention.known for variable, _ in known.group),
            ]
        )
        for variable in names:
            listed = dict.fromkeys(
                label
                for table in self.tables
                for label in (
                    *(table.labels(variable) if variable in table.variables else ()),
                    *(each for name, labels in table.where if name == variable for each in labels),
                )
            )
            nested = self.convention.nested.get(variable, {})
            inside = {label: _finest(label, nested, ()) for label in (*listed, *nested)}
            if not inside or not any(self._lists_all(table, variable) for table in self.tables):
                if len(inside) > 1:
                    self.notes.append(
                        f"There may be people whose {variable} is none of {', '.join(sorted(inside)[:6])}: no table "
                        f"lists all labels. If there are none, say known: [{{group: {{{variable}: {OTHER}}}, at_most: "
                        "0}] in the tables file."
                    )
                inside[OTHER] = frozenset((OTHER,))
            elif not any(self._lists_all(table, variable) and table.absent == "zero" for table in self.tables):
                self._note_lines(variable)
            inside |= {leaf: frozenset((leaf,)) for own in list(inside.values()) for leaf in own}
            self.inside[variable] = inside
            self.leaves[variable] = tuple(dict.fromkeys(leaf for label in inside for leaf in sorted(inside[label])))

    def _note_lines(self, variable: str) -> None:
        """Say that no label is taken to be missing, where a total may count people of lines that are."""
        if any(
            table.absent == "hidden" and table.totals != SHOWN for table in self.tables if variable in table.variables
        ):
            self.notes.append(
                f"Lines may be missing, but everybody's {variable} is taken to be one that some table lists. If there "
                "are others, write a line of them, with x."
            )

    def _lists_all(self, table: PublishedTable, variable: str) -> bool:
        """Whether everybody has one of the labels that a table lists: it is not about some of them only."""
        return variable in table.variables and all(name != variable for name, _ in table.where)

    def group(self, pairs: Iterable[tuple[str, Iterable[str]]]) -> Group:
        """People who have one of these labels in each of these variables; variables that leave nobody out are left
        out.
        """
        kept: dict[str, frozenset[str]] = {}
        for variable, labels in pairs:
            finest = frozenset(leaf for label in labels for leaf in self._inside(variable, label))
            kept[variable] = kept.get(variable, finest) & finest
        return frozenset(
            (variable, finest) for variable, finest in kept.items() if len(finest) < len(self.leaves[variable])
        )

    def _inside(self, variable: str, label: str) -> frozenset[str]:
        found = self.inside.get(variable, {}).get(label)
        if found is None:
            have = ", ".join(self.leaves.get(variable, ())[:10]) or "none"
            raise InputError(f"Needed a label of {variable} (there are {have}), but got {label!r}. Write one of these.")
        return found

    def of_cell(self, table: PublishedTable, cell: Cell) -> Group:
        """Whom a cell is about."""
        own = ((name, (label,)) for name, label in zip(table.variables, cell.labels, strict=True) if label is not None)
        return self.group([*own, *table.where])

    # Unknowns.

    def _space(self, measures: tuple[str, ...]) -> tuple["_Space", bool]:
        sets = [
            frozenset(variable for variable, _ in (*((each, ()) for each in table.variables), *table.where))
            for table in self.tables
        ]
        sets += [frozenset(variable for variable, _ in known.group) for known in self.convention.known]
        sets += [law.family for law in self.convention.beliefs if law.family <= set(self.leaves)]
        names = tuple(self.leaves)
        if len(measures) > 1 or measures != (COUNT,):
            cliques, tree = [frozenset(names)], []
        else:
            cliques = _cliques(sets, {name: len(self.leaves[name]) for name in names}) or [frozenset()]
            tree = _tree(cliques)
        size = sum(prod(len(self.leaves[name]) for name in clique) for clique in cliques) * len(measures)
        if size <= MOST_UNKNOWNS:
            return self._made(cliques, tree, measures), True
        cliques = [each for each in dict.fromkeys(sets) if not any(each < other for other in sets)]
        pairs = list(combinations(range(len(cliques)), 2))
        size = sum(prod(len(self.leaves[name]) for name in clique) for clique in cliques) * len(measures)
        if size > MOST_UNKNOWNS:
            raise InputError(
                f"Needed tables of together at most {MOST_UNKNOWNS} cells, all combinations of finest labels counted, "
                f"but these have {size}. Audit fewer of them at a time, or add up labels."
            )
        self.notes.append(
            "One table of all variables together would be too large. Each table was only compared with the others on "
            "what they share, so what follows does follow, but nothing is claimed not to."
        )
        return self._made(cliques, pairs, measures), False

    def _made(
        self, cliques: Sequence[frozenset[str]], tree: Sequence[tuple[int, int]], measures: tuple[str, ...]
    ) -> "_Space":
        ordered = tuple(tuple(name for name in self.leaves if name in clique) for clique in cliques)
        return _Space(self.leaves, ordered, tuple(tree), tuple(self.convention.measure(each) for each in measures))

    def _bounded(self, space: "_Space", measures: tuple[str, ...]) -> Iterator[Statement]:
        """What one person adds at least and at most, times people, encloses a sum."""
        for name in measures:
            measure = self.convention.measure(name)
            if name == COUNT or measure.most is None or measure.least is None:
                continue
            for (people, place), label in zip(space.pairs(COUNT, name), space.names(), strict=True):
                yield Statement(((place, 1), (people, -measure.most)), None, 0, f"at most {measure.most} each: {label}")
                yield Statement(
                    ((place, 1), (people, -measure.least)), 0, None, f"at least {measure.least} each: {label}"
                )

    # Statements.

    def _published(self, space: "_Space") -> Iterator[Statement]:
        for table in self.tables:
            for cell in table.cells:
                terms = self._terms(space, table, cell)
                if terms is not None and (cell.lower is not None or cell.upper is not None):
                    yield Statement(terms, cell.lower, cell.upper, source(table, cell))
            yield from self._absent(space, table)

    def _known(self, space: "_Space") -> Iterator[Statement]:
        for known in self.convention.known:
            terms = space.terms(known.measure, self.group(known.group))
            words = ", ".join(f"{name} = {' or '.join(labels)}" for name, labels in known.group)
            yield Statement(
                terms, known.lower, known.upper, f"known besides: {interval(known.lower, known.upper)} of {words}"
            )

    def _terms(self, space: "_Space", table: PublishedTable, cell: Cell) -> Terms | None:
        """What a cell adds up. A total of what is shown leaves the hidden cells of the table out."""
        if table.totals != SHOWN or None not in cell.labels:
            return space.terms(table.measure, self.of_cell(table, cell))
        if not cell.exact:
            return None  # the total of a line in which nothing is shown
        shown = [
            other
            for other in table.cells
            if None not in other.labels and other.exact and _within(other.labels, cell.labels)
        ]
        places: dict[int, int] = {}
        for other in shown:
            places |= dict(space.terms(table.measure, self.of_cell(table, other)))
        return tuple(sorted(places.items()))

    def _absent(self, space: "_Space", table: PublishedTable) -> Iterator[Statement]:
        """What a table does not list is nobody, unless it is said to be hidden."""
        if table.absent != "zero":
            return
        listed = {cell.labels for cell in table.cells}
        covered = [self._listed_leaves(table, variable) for variable in table.variables]
        for variable, have in zip(table.variables, covered, strict=True):
            for leaf in self.leaves[variable]:
                if leaf not in have:
                    group = self.group([(variable, (leaf,)), *table.where])
                    yield Statement(
                        space.terms(table.measure, group), 0, 0, f"{table.name} has no {variable} = {leaf}, so nobody"
                    )
        finest = [self._finest_listed(table, variable) for variable in table.variables]
        if prod(map(len, finest)) == sum(1 for cell in table.cells if _is_finest(cell, finest)):
            return
        for labels in product(*finest):
            if labels not in listed:
                cell = Cell(labels, Fraction(0), Fraction(0))
                words = f"{table.name} does not list {table.place(cell)}, so nobody"
                yield Statement(space.terms(table.measure, self.of_cell(table, cell)), 0, 0, words)

    def _check_absent(self) -> None:
        """InputError if a table does not list a label that others count people of: nobody knows what it means then."""
        counted = {
            (variable, *finest): table.name
            for table in self.tables
            for cell in table.cells
            if cell.lower is not None and cell.lower > 0
            for variable, finest in self.of_cell(table, cell)
            if len(finest) == 1
        }
        for table in self.tables:
            for variable in table.variables:
                for leaf in self.leaves[variable]:
                    other = counted.get((variable, leaf))
                    if other is None or table.absent != "zero" or leaf in self._listed_leaves(table, variable):
                        continue
                    raise InputError(
                        f"{table.name} has no {variable} = {leaf}, and {other} counts people there. Say in the tables "
                        f"file what {table.name} means: absent: hidden if its totals count them and only the line is "
                        f"missing; where: {{{variable}: [the labels it is about]}} if it is about the others alone; or "
                        "nested, if the label is inside another."
                    )

    def _finest_listed(self, table: PublishedTable, variable: str) -> list[str]:
        """The labels of a table that have no other of its labels inside."""
        inside = self.inside[variable]
        labels = table.labels(variable)
        return [label for label in labels if not any(inside[other] < inside[label] for other in labels)]

    def _listed_leaves(self, table: PublishedTable, variable: str) -> frozenset[str]:
        """The finest labels of which a table says something; all of them, if it has only totals of the variable."""
        if not table.labels(variable):
            return frozenset(self.leaves[variable])
        finest = self._finest_listed(table, variable)
        listed = frozenset(leaf for label in finest for leaf in self.inside[variable][label])
        elsewhere = [labels for name, labels in table.where if name == variable]
        outside = frozenset(self.leaves[variable]) - {
            leaf for labels in elsewhere for label in labels for leaf in self.inside[variable][label]
        }
        return listed | (outside if elsewhere else frozenset())

    def _rules(self, space: "_Space") -> Iterator[Statement]:
        for table in self.tables:
            if table.measure != COUNT:
                continue
            for cell in table.cells:
                if not cell.hidden or cell.mark == WITHDRAWN:
                    continue
                rule = MarkRule(cell.mark, 0, None)
                if cell.mark != SECONDARY:
                    rule = self.convention.rule(cell.mark) or rule
                least = max(rule.lower or 0, self.convention.least)
                terms = self._terms(space, table, cell)
                if terms is not None and (least > 0 or rule.upper is not None):
                    said = f"{cell.mark} means {interval(least, rule.upper)}"
                    yield Statement(terms, least, rule.upper, f"the rule, {said}: {source(table, cell)}")

    # Targets.

    def _asked(self, space: "_Space") -> tuple[Asked, ...]:
        cells: dict[tuple[str, Group], list[tuple[str, Cell]]] = defaultdict(list)
        told: set[tuple[str, Group]] = set()
        for table in self.tables:
            for cell in table.cells:
                key = table.measure, self.of_cell(table, cell)
                own = table.totals != SHOWN or None not in cell.labels
                if cell.exact and own:
                    told.add(key)
                elif own and not table.earlier and (cell.hidden or self._may_be_small(table, cell)):
                    cells[key].append((table.name, cell))
        besides = [Asked(*key) for key in self.also if key not in cells]
        have = told | set(cells) | set(self.also)
        formed: list[Asked] = []
        for some in (list(self._formed(have)), list(self._coarser(have))):
            if len(some) > MOST_FORMED:
                self.unasked += len(some)
            else:
                formed += some
        formed += self._joint(space, have)
        if self.unasked:
            self.notes.append(
                f"{self.unasked} cells that no table lists could be formed; that is more than are asked about one by "
                "one. Leave out tables that share no variable with the others, or add up labels."
            )
        return (*(Asked(*key, tuple(found)) for key, found in cells.items()), *besides, *formed)

    def _may_be_small(self, table: PublishedTable, cell: Cell) -> bool:
        """Whether a rounded number may be one that rounding is to protect."""
        return table.measure != COUNT or cell.lower is None or cell.lower < self.convention.threshold

    def _formed(self, have: set[tuple[str, Group]]) -> Iterator[Asked]:
        """Cells of the finest labels of a table's own variables that no table lists."""
        for table in self.tables:
            names = tuple(dict.fromkeys((*table.variables, *(variable for variable, _ in table.where))))
            if table.earlier or self._formless(table, names):
                continue
            size = prod(len(self.leaves[name]) for name in names)
            if size > MOST_FORMED * 10:
                self.unasked += size - len(table.cells)
                continue
            listed = {cell.labels for cell in table.cells}
            for labels in product(*(self.leaves[name] for name in names)):
                key = table.measure, self.group((name, (label,)) for name, label in zip(names, labels, strict=True))
                if key not in have and not self._absent_in(table, listed, names, labels):
                    have.add(key)
                    yield Asked(*key)

    def _coarser(self, have: set[tuple[str, Group]]) -> Iterator[Asked]:
        """Groups by a table's own variables that no table lists and that are coarser than its cells: labels that others
        have inside them, and totals that it leaves out. Those of which it shows every cell say nothing new.
        """
        for table in self.tables:
            if table.earlier or table.measure != COUNT:
                continue
            limits = dict(self.group(table.where))
            names = tuple(dict.fromkeys((*table.variables, *limits)))
            axes = [self._sets(name, limits if name in table.variables else {}) for name in names]
            size = prod(map(len, axes))
            if size > 10 * MOST_UNKNOWNS:
                self.unasked += size
                continue
            least, shown = _covered(table, [self._blocks(table, name, limits) for name in names], axes)
            for place in np.argwhere((least < self.convention.threshold) & ~shown):
                sets = [axis[at] for axis, at in zip(axes, place, strict=True)]
                key = COUNT, self.group(zip(names, sets, strict=True))
                if key[1] and key not in have and any(len(each) > 1 for each in sets):
                    have.add(key)
                    yield Asked(*key)

    def _sets(self, name: str, limits: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
        """The sets of finest labels of a variable that have a name, everybody's among them."""
        whole = frozenset(self.leaves[name])
        limit = limits.get(name, whole)
        return [each for each in dict.fromkeys(own & limit for own in (*self.inside[name].values(), whole)) if each]

    def _blocks(
        self, table: PublishedTable, name: str, limits: Mapping[str, frozenset[str]]
    ) -> dict[str | None, frozenset[str]]:
        """Labels of a table that have nobody in common, the finest first, each with its finest labels."""
        whole = limits.get(name, frozenset(self.leaves[name]))
        if name not in table.variables or not table.labels(name):
            return {None: whole}
        found: dict[str | None, frozenset[str]] = {}
        for label in sorted(table.labels(name), key=lambda each: len(self.inside[name][each])):
            own = self.inside[name][label] & whole
            if not any(own & other for other in found.values()):
                found[label] = own
        return found

    def _joint(self, space: "_Space", have: set[tuple[str, Group]]) -> Iterator[Asked]:
        """Cells of variables that no table has together, but that tables join in a circle: three tables of two of three
        variables each can tell what the table of all three would.
        """
        if all(table.measure != COUNT for table in self.tables):
            return
        for clique in space.cliques:
            new = [table for table in self.tables if not table.earlier and _variables(table) & set(clique)]
            if not new or any(set(clique) <= _variables(table) for table in self.tables):
                continue
            named = [self._sets(name, {}) for name in clique]
            finest = [[frozenset((leaf,)) for leaf in self.leaves[name]] for name in clique]
            axes = next((each for each in (named, finest) if prod(map(len, each)) <= MOST_JOINT), None)
            together = f"No table has {', '.join(clique[:-1])} and {clique[-1]} together"
            if axes is None:
                size = prod(map(len, finest))
                self.unasked += size
                self.notes.append(f"{together}: their {size} combinations were too many to be asked about.")
                continue
            if axes is finest:
                self.notes.append(f"{together}: of their combinations only the finest were asked about.")
            for sets in product(*axes):
                key = COUNT, self.group(zip(clique, sets, strict=True))
                names = {name for name, _ in key[1]}
                if key not in have and not any(
                    names <= _variables(table) for table in self.tables if not table.earlier
                ):
                    have.add(key)
                    yield Asked(*key)

    def _formless(self, table: PublishedTable, names: tuple[str, ...]) -> bool:
        """Whether the table itself lists all that could be formed of its variables."""
        lists = all(len(self.inside[name][label]) == 1 for name in table.variables for label in table.labels(name))
        full = prod(len(table.labels(name)) for name in names) if lists and len(names) == len(table.variables) else 0
        return (
            all(len(self.leaves[name]) == len(table.labels(name)) for name in table.variables)
            and full > 0
            and full == sum(1 for cell in table.cells if None not in cell.labels)
        )

    def _absent_in(
        self,
        table: PublishedTable,
        listed: Collection[tuple[str | None, ...]],
        names: tuple[str, ...],
        labels: tuple[str, ...],
    ) -> bool:
        """Whether the table says that nobody is there, by not listing it."""
        if table.absent != "zero":
            return False
        for name, label in zip(names, labels, strict=True):
            restricted = [each for variable, each in table.where if variable == name]
            if any(label not in frozenset().union(*(self.inside[name][one] for one in each)) for each in restricted):
                return False
        own = dict(zip(names, labels, strict=True))
        if tuple(own[variable] for variable in table.variables) in listed:
            return False  # and the label of what the table is about is finer
        return all(own[variable] in table.labels(variable) for variable in table.variables) or any(
            own[variable] not in self._listed_leaves(table, variable) for variable in table.variables
        )

    def _width(self, asked: Asked) -> int:
        """Numbers that were hidden only to protect others must not follow; more is asked of the others."""
        wanted = any(cell.mark not in (SECONDARY, WITHDRAWN) for _, cell in asked.cells)
        if not wanted or self.convention.width == 1:
            return 1
        return ceil(self.convention.width / self.convention.measure(asked.measure).unit)

    def _name(self, asked: Asked) -> str:
        if asked.cells:
            name, cell = asked.cells[0]
            return f"{name}: {self._named[name].place(cell)}"
        return f"formed: {words(asked.group)}"


def _covered(
    table: PublishedTable,
    blocks: Sequence[Mapping[str | None, frozenset[str]]],
    axes: Sequence[Sequence[frozenset[str]]],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Of each combination of sets of labels, how many people a table shows at least, and whether it shows all of its
    cells.
    """
    missing = 0.0 if table.absent == "zero" else 1.0
    least = np.zeros([len(each) for each in blocks])
    hidden = np.full(least.shape, missing)
    places = [{label: at for at, label in enumerate(each)} for each in blocks]
    for cell in table.cells:
        labels = (*cell.labels, *[None] * (len(blocks) - len(cell.labels)))
        if all(label in own for label, own in zip(labels, places, strict=True)):
            place = tuple(own[label] for label, own in zip(labels, places, strict=True))
            least[place] = float(cell.lower or 0)
            hidden[place] = 0.0 if cell.exact else 1.0
    for own, axis in zip(blocks, axes, strict=True):
        inside = np.array([[block <= each for block in own.values()] for each in axis], dtype=float)
        rest = [bool(each.difference(*(block for block in own.values() if block <= each))) for each in axis]
        # The first axis goes out, and its sums come in as the last: after all of them the order is the same again.
        least = np.tensordot(least, inside, axes=(0, 1))
        hidden = np.tensordot(hidden, inside, axes=(0, 1)) + np.array(rest, dtype=float)
    return least, hidden == 0


def _reach(asked: Asked) -> tuple[int, int] | None:
    """What must stay possible: all that any of its cells asks for."""
    wanted = [cell.reach for _, cell in asked.cells if cell.reach is not None]
    return (min(low for low, _ in wanted), max(high for _, high in wanted)) if wanted else None


def _variables(table: PublishedTable) -> frozenset[str]:
    return frozenset((*table.variables, *(variable for variable, _ in table.where)))


def words(group: Group) -> str:
    """A group of people, in words."""
    parts = [f"{called(name)}{' or '.join(sorted(labels))}" for name, labels in sorted(group, key=lambda each: each[0])]
    return ", ".join(parts) or "everybody"


def source(table: PublishedTable, cell: Cell) -> str:
    """Which published number it is, in words."""
    return f"{table.name}: {table.place(cell)} is {cell.words}"


def _within(labels: tuple[str | None, ...], line: tuple[str | None, ...]) -> bool:
    return all(wanted is None or label == wanted for label, wanted in zip(labels, line, strict=True))


def _is_finest(cell: Cell, finest: Sequence[Sequence[str]]) -> bool:
    return all(label in own for label, own in zip(cell.labels, finest, strict=True))


def _finest(label: str, nested: Mapping[str, tuple[str, ...]], above: tuple[str, ...]) -> frozenset[str]:
    if label in above:
        raise InputError(f"Needed labels inside others, but {label!r} is inside itself. Take it out under nested.")
    if label not in nested:
        return frozenset((label,))
    return frozenset(leaf for part in nested[label] for leaf in _finest(part, nested, (*above, label)))


@final
@dataclass(frozen=True, slots=True)
class _Space:
    """The unknowns: for each measure and each clique, the cells of its variables, the last of which runs fastest."""

    leaves: Mapping[str, tuple[str, ...]]
    cliques: tuple[tuple[str, ...], ...]
    tree: tuple[tuple[int, int], ...]
    measures: tuple[Measure, ...]

    def _size(self, clique: tuple[str, ...]) -> int:
        return prod(len(self.leaves[name]) for name in clique)

    def _start(self, measure: str, clique: int) -> int:
        each = sum(map(self._size, self.cliques))
        at = [own.name for own in self.measures].index(measure)
        return at * each + sum(map(self._size, self.cliques[:clique]))

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """All of them, in order."""
        return tuple(
            Unknown(
                name if measure.name == COUNT else f"{measure.name} of {name}",
                0 if measure.least is not None and measure.least >= 0 else None,
            )
            for measure in self.measures
            for name in self.names()
        )

    def names(self) -> Iterator[str]:
        """The cells of the cliques, in words."""
        for clique in self.cliques:
            for labels in product(*(self.leaves[name] for name in clique)):
                yield ", ".join(f"{name} = {label}" for name, label in zip(clique, labels, strict=True)) or "everybody"

    def pairs(self, first: str, second: str) -> Iterator[tuple[int, int]]:
        """The places of two measures of the same cells."""
        one, other = self._start(first, 0), self._start(second, 0)
        for place in range(sum(map(self._size, self.cliques))):
            yield one + place, other + place

    def terms(self, measure: str, group: Group) -> Terms:
        """A group as a sum of unknowns, in the smallest clique that has its variables."""
        names = {name for name, _ in group}
        fitting = [at for at, clique in enumerate(self.cliques) if names <= set(clique)]
        clique = min(fitting, key=lambda at: self._size(self.cliques[at]))
        return tuple((place, 1) for place in self._places(measure, clique, dict(group)))

    def _places(self, measure: str, clique: int, kept: Mapping[str, frozenset[str]]) -> list[int]:
        places = [self._start(measure, clique)]
        step = self._size(self.cliques[clique])
        for name in self.cliques[clique]:
            step //= len(self.leaves[name])
            own = [at for at, leaf in enumerate(self.leaves[name]) if name not in kept or leaf in kept[name]]
            places = [place + at * step for place in places for at in own]
        return places

    def person(self, labels: Mapping[str, str]) -> tuple[int, ...]:
        """The unknowns in which somebody with these labels counts."""
        kept = {name: frozenset((label,)) for name, label in labels.items()}
        return tuple(place for at in range(len(self.cliques)) for place in self._places(COUNT, at, kept))

    def separated(self) -> Iterator[Terms]:
        """Sums that neighbouring cliques share, as sums of the first one's cells."""
        for one, other in self.tree:
            shared = [name for name in self.cliques[one] if name in self.cliques[other]]
            for labels in product(*(self.leaves[name] for name in shared)):
                kept = {name: frozenset((label,)) for name, label in zip(shared, labels, strict=True)}
                yield tuple((place, 1) for place in self._places(COUNT, one, kept))

    def agreements(self) -> Iterator[Statement]:
        """Neighbouring cliques count the same people where they share variables."""
        for measure, (one, other) in product(self.measures, self.tree):
            shared = [name for name in self.cliques[one] if name in self.cliques[other]]
            for labels in product(*(self.leaves[name] for name in shared)):
                kept = {name: frozenset((label,)) for name, label in zip(shared, labels, strict=True)}
                terms = [(place, 1) for place in self._places(measure.name, one, kept)]
                terms += [(place, -1) for place in self._places(measure.name, other, kept)]
                group = ", ".join(f"{name} = {label}" for name, label in zip(shared, labels, strict=True))
                yield Statement(tuple(sorted(terms)), 0, 0, f"{SAME_PEOPLE}{group or 'everybody'}")


def _cliques(sets: Sequence[frozenset[str]], sizes: Mapping[str, int]) -> list[frozenset[str]]:
    """The greatest cliques of the graph in which variables of one table are joined, after chords are added: variables
    go out one by one, the one first whose neighbours need the smallest table.
    """
    near: dict[str, set[str]] = {name: set() for name in sizes}
    for each in sets:
        for one, other in combinations(each, 2):
            near[one].add(other)
            near[other].add(one)
    found: list[frozenset[str]] = []
    while near:
        name = min(near, key=lambda each: (_missing(near, each), prod(sizes[one] for one in near[each] | {each}), each))
        around = near.pop(name)
        for one in around:
            near[one] = (near[one] | around) - {one, name}
        clique = frozenset(around | {name})
        if not any(clique <= other for other in found):
            found.append(clique)
    return found


def _missing(near: Mapping[str, set[str]], name: str) -> int:
    """How many chords must be added before a variable can go out."""
    return sum(other not in near[one] for one, other in combinations(sorted(near[name]), 2))


def _tree(cliques: Sequence[frozenset[str]]) -> list[tuple[int, int]]:
    """Neighbours of a junction tree: a spanning tree with the largest separators."""
    joined = {0}
    edges = []
    while len(joined) < len(cliques):
        one, other = max(
            ((one, other) for one in joined for other in range(len(cliques)) if other not in joined),
            key=lambda pair: len(cliques[pair[0]] & cliques[pair[1]]),
        )
        edges.append((one, other))
        joined.add(other)
    return edges
