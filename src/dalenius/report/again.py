"""Every kind of group of a certificate, judged again by this program's own judge."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from dalenius.contributions import Vector, independent_axes, linked
from dalenius.errors import InputError
from dalenius.figures import Figure, Frame
from dalenius.history import Atom, Entry
from dalenius.judgement import EXACT, Judge, composed
from dalenius.kinds import Kind, Types
from dalenius.mechanisms import Chain, Channel, Rounded, discrete_gaussian, rounded_gaussian, two_sided_geometric
from dalenius.moves import Several
from dalenius.numerics.curve import Curve
from dalenius.planning.finding import MANY
from dalenius.records import Categories, OneOf, Where
from dalenius.report.document import CertificateModel, PartModel
from dalenius.report.moved import Hidden
from dalenius.secret import Presence, Value

NEAR = Fraction(1, 1000)  # by which a delta may differ relatively when it is computed on another machine


@final
@dataclass(frozen=True, slots=True)
class Again:
    """Every kind of group, judged again."""

    document: CertificateModel
    judge: Judge
    atoms: tuple[Atom, ...]
    hidden: Hidden

    @classmethod
    def of(cls, document: CertificateModel) -> "Again":
        """With the stated laws in the place of beliefs; a column stands for each part."""
        presence = document.secret == "presence"
        kinds: dict[tuple[object, ...], Kind] = {}
        atoms, wholes = [], []
        for place, stated in enumerate(document.kinds):
            figures = {
                figure: _figure(document, place, figure, part)
                for part, one in enumerate(stated.parts)
                for figure in one.figures
            }
            entries = tuple(Entry(figures[figure], ()) for figure in stated.figures)
            groups, told = (((str(place),), stated.people),), []
            wholes.append([_kind(document, one, stated.people) for one in stated.parts])
            for one, whole in zip(stated.parts, wholes[-1], strict=True):
                columns = [tuple(vector[axis] for vector in whole.domain) for axis in range(len(one.figures))]
                first = [axis for axis, column in enumerate(columns) if column not in columns[:axis]]
                told += [figures[one.figures[axis]] for axis in first]
                kept = _essential(whole, first, affine=not presence)
                kinds[(groups, *(figures[one.figures[axis]] for axis in first))] = kept
                for axis, figure in enumerate(one.figures):
                    single = _essential(whole, [axis], affine=not presence)
                    kinds[(groups, figures[figure])] = single
                    kinds[((), figures[figure])] = Kind((), single.domain)
            atoms.append(Atom(entries, groups, tuple(told)))
        most = max((len(kind.parts) for kind in document.kinds), default=0)
        judge = Judge(
            {f"part {part}": Categories((0,)) for part in range(most)},
            (),
            Frame((), {}),
            Presence() if presence else Value(),
            Fraction(document.claim.epsilon),
            Fraction(document.claim.delta_wanted),
        )
        hidden = Hidden(document, wholes, people_of(document), Several(judge.epsilon, judge.enough))
        return cls(document, judge.told(kinds), tuple(atoms), hidden)

    def upper(self, place: int, known: int) -> float:
        """Delta of a kind, at most."""
        kind = self.document.kinds[place]
        return self.judge.atom(self.atoms[place], min(kind.people - 1, known), alone=kind.alone).delta.upper

    def compared(self) -> tuple[list[str], list[str]]:
        """What differs, and what could not be computed."""
        refused, skipped = [], []
        listed = {moves.group for moves in self.document.moves}
        for place, kind in enumerate(self.document.kinds):
            if kind.evidence.method == "atom":
                refused += self._by_itself(place)
                continue
            about = f"kind {place} ({kind.people} people): evidence {kind.evidence.method!r}"
            groups = [group for group, (some, _) in enumerate(self.document.groups) if some == place]
            if kind.evidence.method != "moves":
                skipped.append(f"{about} is not known here")
            elif set(groups) <= listed:
                refused += [line for group in groups for line in self._moved(place, group)]
            else:
                skipped.append(f"{about} is not listed: there were too many moves")
        if not refused and not skipped:
            refused += self._largest(Fraction(self.document.claim.delta_wanted))
        return refused, skipped

    def _by_itself(self, place: int) -> list[str]:
        """By the joint law of the group's own numbers."""
        kind, wanted = self.document.kinds[place], Fraction(self.document.claim.delta_wanted)
        judged = self.judge.atom(self.atoms[place], kind.known, alone=kind.alone).delta
        lower, upper = Fraction(kind.delta[0]), Fraction(kind.delta[1])
        loose = len(self.document.groups) > MANY and upper >= judged.upper >= lower  # some by others
        same = loose or _near(upper, judged.upper, wanted)
        known_low = Fraction(judged.lower) if kind.alone else Fraction(0)
        narrow = loose or abs(lower - known_low) <= NEAR * max(lower, known_low)
        if judged.upper <= wanted and same and narrow:
            return []
        return [f"kind {place}: delta is {judged}, not [{kind.delta[0]}, {kind.delta[1]}]"]

    def _moved(self, place: int, group: int) -> list[str]:
        """By the moves that are listed."""
        kind, wanted = self.document.kinds[place], Fraction(self.document.claim.delta_wanted)
        found = self.moves_upper(group)
        if found <= wanted and _near(Fraction(kind.delta[1]), found, wanted) and not Fraction(kind.delta[0]):
            return []
        return [f"group {group}: delta is at most {found:.6g} by its moves, not in [{kind.delta[0]}, {kind.delta[1]}]"]

    def moves_upper(self, group: int) -> float:
        """Delta of a group by moves, at most."""
        place = self.document.groups[group][0]
        atom, known = self.atoms[place], self.document.kinds[place].known

        def own(figures: frozenset[int]) -> Curve:
            names = {f"{place}/{figure}" for figure in figures}
            parts = linked([figure for figure in atom.figures if figure.name in names], self.judge.columns)
            return composed([self.judge.curve(self.judge.kind(atom, part), known, EXACT) for part in parts])

        return self.hidden.upper(group, own)

    def _largest(self, wanted: Fraction) -> list[str]:
        """γ*: it still passes there, and no longer with one more. It is not said where people pass by moves."""
        most, people, kinds = self.document.attacker.largest_known, self.document.people.all, self.document.kinds
        nobody = people < 2 or not kinds or any(kind.evidence.method != "atom" for kind in kinds)
        if most is None or nobody:
            return [] if most is None and nobody else ["largest_known is missing, or out of place"]

        def passes(known: int) -> bool:
            return known < people and all(self.upper(place, known) <= wanted for place in range(len(kinds)))

        more = len(self.document.groups) <= MANY and passes(most + 1)
        return [] if passes(most) and not more else [f"largest_known is not {most}"]


def _near(stated: Fraction, found: float, wanted: Fraction) -> bool:
    """Equal but for rounding; an upper end that would be rounded above what is wanted is written as that."""
    return abs(stated - Fraction(found)) <= NEAR * stated or stated == wanted >= found >= wanted * (1 - NEAR)


def people_of(document: CertificateModel) -> Counter[int]:
    """How many people each number covers."""
    covered: Counter[int] = Counter()
    for place, numbers in document.groups:
        for number in numbers:
            covered[number] += document.kinds[place].people
    return covered


def _figure(document: CertificateModel, kind: int, place: int, part: int) -> Figure:
    links: list[Channel] = []
    makers = {"geometric": two_sided_geometric, "gaussian": discrete_gaussian, "normal": rounded_gaussian}
    for name, size in document.figures[place].channel:
        if name == "round" and Fraction(size).denominator != 1:
            raise InputError(f"rounding needs a whole number of steps, but got {size}")
        links.append(Rounded(int(Fraction(size))) if name == "round" else makers[name](Fraction(size)))
    where = Where(((f"part {part}", OneOf((0,))),))
    return Figure(f"{kind}/{place}", "count", None, where, (), Chain(tuple(links)))


def _kind(document: CertificateModel, part: PartModel, people: int) -> Kind:
    domain = tuple(_vectors(document.domains[part.domain]))

    def types(stated: Sequence[tuple[int, int]], *, whole: bool) -> Types:
        if sum(count for _, count in stated) != people:
            raise InputError(f"its laws are not those of {people} people")
        found = []
        for place, count in stated:
            runs = document.laws[place]
            chances = [Fraction(chance) for _, _, many, chance in runs for _ in range(many)]
            law = tuple(sorted(zip(_vectors(runs), chances, strict=True)))
            mass = sum(chances, Fraction(0))
            if any(chance <= 0 for chance in chances) or (mass != 1 if whole else mass > 1):
                raise InputError("probabilities are not above 0, or do not sum to one")
            if len(dict(law)) != len(law) or not {vector for vector, _ in law} <= set(domain):
                raise InputError("a law has a vector twice, or one outside its domain")
            found.append((law, count))
        return tuple(found)

    if len(set(domain)) != len(domain) or {len(vector) for vector in domain} != {len(part.figures)}:
        raise InputError("a domain has a vector twice, or not one coordinate for each figure")
    least = () if part.least is None else types(part.least, whole=False)
    return Kind(types(part.types, whole=True), domain, least)


def _essential(kind: Kind, axes: Sequence[int], *, affine: bool) -> Kind:
    """The kind with these coordinates, but without those that are (affine) linear combinations of earlier ones."""
    some = [tuple(vector[axis] for axis in axes) for vector in kind.domain]
    kept = [axes[place] for place in independent_axes(some, affine=affine)]

    def fewer(types: Types) -> Types:
        found: Counter[tuple[tuple[Vector, Fraction], ...]] = Counter()
        for law, count in types:
            masses: dict[Vector, Fraction] = {}
            for vector, chance in law:
                at = tuple(vector[axis] for axis in kept)
                masses[at] = masses.get(at, Fraction(0)) + chance
            found[tuple(sorted(masses.items()))] += count
        return tuple(found.items())

    domain = tuple(dict.fromkeys(tuple(vector[axis] for axis in kept) for vector in kind.domain))
    return Kind(fewer(kind.types), domain, fewer(kind.least))


def _vectors(runs: Sequence[tuple[Any, ...]]) -> list[Vector]:
    return [
        tuple(a + at * b for a, b in zip(first, step, strict=True))
        for first, step, count, *_ in runs
        for at in range(count)
    ]
