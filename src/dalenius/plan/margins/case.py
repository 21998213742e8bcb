"""One set of assumptions, and how much the figures reveal under it: what all of sensitivity is made of."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias, final

from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left, always, go_on
from dalenius.beliefs.coins import Coins
from dalenius.enclosure.brackets import Bracket
from dalenius.enclosure.outward import float_after
from dalenius.numerics.least import FalsePosition, climb, least, outwards
from dalenius.plan import Finding, Question
from dalenius.plan.finding import apart_of, entry_sizes, known_in, moves_of, stands_alone
from dalenius.plan.judging import docket_of
from dalenius.tables.apart import Apart
from dalenius.tables.docket import Docket
from dalenius.tables.figures import ColumnBelief, Figure, Frame
from dalenius.tables.history import Atom, Cover, Entry, History, atoms_of
from dalenius.tables.moves import Moves

NOTHING, ANYTHING = Bracket(0.0, 0.0), Bracket(0.0, 1.0)
MANY = 24  # groups of people that are followed; of more, those that fare worst
MOVED = 3  # the same, where some pass by moves, which takes long to see
CLOSE = 1.005  # relative precision of an epsilon
STEEPEST = 64  # epsilon above which none is looked for
Groups: TypeAlias = frozenset[tuple[Entry, ...]]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Figures, judged under one question: each atom with how many of its records the attacker knows. `cover`: who is in
    which number, if atoms that do not pass by their own numbers are to be judged by moves.
    """

    question: Question
    atoms: tuple[Atom, ...]
    known: tuple[int, ...]
    alone: tuple[bool, ...]
    docket: Docket
    cover: Cover | None = None
    left: Left = always
    _found: dict[Fraction, Bracket] = field(default_factory=dict, repr=False)
    _coins: Coins = field(default_factory=Coins, repr=False)

    @classmethod
    def of(
        cls,
        figures: Sequence[Figure],
        history: History,
        question: Question,
        groups: Groups | None = None,
        *,
        moves: bool = False,
        close: bool = False,
    ) -> "Case":
        """All atoms of the release, or only those with the entries named by `groups`; `moves`: by moves too; `close`:
        with a search for the worst of all probabilities that are left open.
        """
        cover = Cover.of((*history.figures, *figures), question.frame, question.columns)
        atoms = cover.atoms
        sizes = entry_sizes(atoms)
        some = tuple(atom for atom in atoms if groups is None or atom.entries in groups)
        if not some:
            raise InputError("There is nobody in the groups that were to be judged. Check who is in the data.")
        docket = docket_of(question) if close else docket_of(question).less_close()
        known = tuple(known_in(atom, sizes, question) for atom in some)
        apart = tuple(stands_alone(atom, atoms) for atom in some)
        return cls(question, some, known, apart, docket, cover if moves else None)

    def delta(self, epsilon: Fraction | None = None) -> Bracket:
        """The worst δ of all atoms, by default at the target's ε; [0, 1] where it cannot be computed.

        The lower end is that of numbers that cover nobody else. Cost: one law a kind of atom, once; then one pass.
        """
        at = self.question.target.epsilon if epsilon is None else epsilon
        if at not in self._found:
            go_on(self.left)
            try:
                self._found[at] = self._worst(self.docket.at(at))
            except InputError:
                self._found[at] = ANYTHING
        return self._found[at]

    def _worst(self, docket: Docket) -> Bracket:
        worst, moves, apart = NOTHING, list[Moves](), list[Apart]()
        for atom, known, alone in zip(self.atoms, self.known, self.alone, strict=True):
            go_on(self.left)
            if docket.pure([entry.figure for entry in atom.entries]) <= docket.epsilon:
                continue  # the noise hides a record by itself, whatever is believed of it
            found = docket.atom(atom, known, alone=alone).delta
            if self.cover is not None and found.upper > docket.enough:
                place = self.cover.atoms.index(atom)
                apart = apart or [apart_of(self.cover, docket, self.question)]
                if apart[0].helps:
                    found = Bracket(0.0, min(found.upper, apart[0].judged(place).delta.upper))
                if found.upper > docket.enough:
                    moves = moves or [moves_of(self.cover, docket, self.question, self._coins)]
                    found = Bracket(0.0, min(found.upper, moves[0].judged(place, known).delta.upper))
            worst = worst.join(found if alone else Bracket(0.0, found.upper))
        return worst

    @property
    def holds(self) -> bool:
        """Whether the target is certainly met; what is too much to compute does not meet it."""
        if self.cover is not None or self._found:
            return self.delta().certainly_at_most(self.question.target.delta)
        docket = self.docket
        try:
            for atom, known, alone in zip(self.atoms, self.known, self.alone, strict=True):
                go_on(self.left)
                hidden = docket.pure([entry.figure for entry in atom.entries]) <= docket.epsilon
                if not hidden and not docket.passes(atom, known, alone=alone):
                    return False
        except InputError:
            return False
        return True

    def epsilon(self) -> float:
        """An ε at which the target's δ is certainly met, the least within half a percent; infinite if there is none
        up to `STEEPEST`. It is meant as it is written: 0.3 is three tenths.
        """
        target = self.question.target
        return least_epsilon(lambda at: self.delta(at).upper, target.delta, target.epsilon)


def least_epsilon(delta: Callable[[Fraction], float], target: Fraction, near: Fraction) -> float:
    """Where a falling δ meets the target, within half a percent and from above; it is met at what is returned, as that
    is written.

    From a guess, outwards, then by false position on the logarithm with a bisection every third time.
    """
    search = FalsePosition(delta, target, turn=1, ahead=0.02, margin=0.05)
    start, lowest = near or Fraction(1, 10), (near or 1) / Fraction(32)
    low, high = outwards(
        search.holds,
        start,
        down=climb(start / 2, lambda at: at / 2, lambda at: at < lowest),
        up=climb(2 * start, lambda at: 2 * at, lambda at: at > STEEPEST),
    )
    if high is None:
        return math.inf
    if low is None:
        return 0.0 if search.holds(Fraction(0)) else _written(high)

    def middle(low: Fraction, high: Fraction) -> Fraction:
        return low + (high - low) * Fraction(search.share(low, high)).limit_denominator(1000)

    def close(low: Fraction, high: Fraction) -> bool:
        return high <= low * Fraction(CLOSE)

    return _written(least(search.holds, low, high, middle=middle, close=close)[1])


def _written(number: Fraction) -> float:
    """The least float, or the one before it, that reads as no less than this number: for 3/10 it is 0.3."""
    near = float(number)
    return near if Fraction(repr(near)) >= number else float_after(near)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A decision whose assumptions are varied: the figures, what was asked, and how each group of people fared.

    Of very many groups only those that fared worst are followed (`groups`; None: all of them). `moves`: some of them
    pass by moves. `left`: whether there is time for another case.
    """

    figures: tuple[Figure, ...]
    history: History
    question: Question
    groups: Groups | None
    worst: Groups
    moves: bool = False
    left: Left = always
    close: bool = False  # it takes a search for the worst of all probabilities that are left open to see that they pass

    @classmethod
    def of(
        cls, figures: Sequence[Figure], history: History, question: Question, findings: Sequence[Finding]
    ) -> "Setting":
        """Beliefs about columns that no figure uses are left out: they cannot be wrong."""
        everything = (*history.figures, *figures)
        atoms = {atom.entries for atom in atoms_of(everything, question.frame, question.columns)}
        found = [finding for finding in findings if finding.atom.entries in atoms]
        if not found:
            raise InputError("No person is in any of the figures, so no assumption matters. Check who is in the data.")
        used = frozenset().union(*(figure.confidential(question.columns) for figure in everything))
        beliefs = tuple(belief for belief in question.beliefs if used.intersection(belief.columns))
        order = sorted(found, key=lambda finding: (-finding.delta.upper, finding.atom.size))
        smallest = min(found, key=lambda finding: finding.atom.size)
        moves = any(finding.method != "atom" for finding in found)
        many = MOVED if moves else MANY
        few = (*order[: many - 1], smallest) if len(atoms) > many else ()
        groups = frozenset(finding.atom.entries for finding in few) if few else None
        worst = frozenset({order[0].atom.entries})
        whole = cls(tuple(figures), history, replace(question, beliefs=beliefs), groups, worst, moves)
        open_ = any(belief.least is not None for belief in beliefs)
        return replace(whole, close=open_ and not whole.case(worst=True).holds)

    @property
    def stated(self) -> bool:
        """Whether some probabilities are stated, so that they may be wrong."""
        return any(belief.stated for belief in self.question.beliefs)

    def case(self, question: Question | None = None, *, worst: bool = False) -> Case:
        """All that is followed under another question, or only the group that fared worst. TimeUpError if no time is
        left.
        """
        go_on(self.left)
        asked = self.question if question is None else question
        some = self.worst if worst else self.groups
        found = Case.of(self.figures, self.history, asked, some, moves=self.moves, close=self.close)
        return replace(found, left=self.left)

    def search(
        self,
        find: Callable[[Callable[[Fraction], bool]], Fraction | None],
        moved: Callable[[Fraction], Question | None],
        last: Left | None = None,
    ) -> Fraction | None:
        """The number that `find` finds for "the target is met when the question is moved by so much".

        Found on the group that fares worst, then checked on all (`last`: whether there is time left for that), and
        found again on all if it does not hold there.
        """

        def holds(setting: Setting, amount: Fraction, *, worst: bool) -> bool:
            question = moved(amount)
            return question is not None and setting.case(question, worst=worst).holds

        found = find(lambda amount: holds(self, amount, worst=True))
        if found is None or holds(replace(self, left=last or self.left), found, worst=False):
            return found
        return find(lambda amount: holds(self, amount, worst=False))


def rising(found: Sequence[Bracket]) -> list[Bracket]:
    """Brackets of numbers that rise, as close as they make each other: an upper bound holds for all before it, a lower
    bound for all after it.
    """
    lower = accumulate((one.lower for one in found), max)
    upper = accumulate((one.upper for one in reversed(found)), min)
    return [Bracket(low, high) for low, high in zip(lower, reversed(list(upper)), strict=True)]


# -- other assumptions -----------------------------------------------------------------------------------------------


def resized(question: Question, factor: Fraction) -> Question:
    """The same question about so many times as many people: every group by itself, rounded down, nobody left out. A
    number of known records stays what it is, as far as there are so many others.
    """
    groups = {cell: max(int(count * factor), min(count, 1)) for cell, count in question.frame.groups.items()}
    together, attacker = question.frame.together, question.attacker
    if together is not None:  # as many of them as are sure
        coins = {cell: int(count * min(factor, Fraction(1))) for cell, count in together.coins.items()}
        together = replace(together, coins=coins)
    frame = Frame(question.frame.columns, groups, together)
    if isinstance(attacker.known, int):
        attacker = replace(attacker, known=max(0, min(attacker.known, frame.size - 1)))
    return replace(question, frame=frame, attacker=attacker)


def knowing(question: Question, known: int | Fraction) -> Question:
    """The same question to an attacker who knows another number, or share, of the records."""
    return replace(question, attacker=replace(question.attacker, known=known))


def off_by(question: Question, radius: Fraction) -> Question:
    """Nobody's probability of any value is below the stated one by more than the radius; each person's in its own way.

    So it covers every belief whose probabilities all are within the radius of the stated ones; those alone, if it is 0.
    """
    return _with_least(question, lambda chance: max(chance - radius, Fraction(0))) if radius else question


def off_by_share(question: Question, share: Fraction) -> Question:
    """Nobody's probability of any value is below the stated one by more than this share of it."""
    return _with_least(question, lambda chance: chance * (1 - share)) if share else question


def _with_least(question: Question, lowered: Callable[[Fraction], Fraction]) -> Question:
    beliefs = []
    for belief in question.beliefs:
        if not belief.stated:  # there is nothing that could be off
            beliefs.append(belief)
            continue
        before = belief.table if belief.least is None else belief.least
        table = {cell: tuple((value, lowered(chance)) for value, chance in law) for cell, law in before.items()}
        beliefs.append(replace(belief, least=table))
    return replace(question, beliefs=tuple(beliefs))


def rarer(question: Question, factor: Fraction) -> Question | None:
    """All values but each group's likeliest are so many times as likely; None if that is more than certain."""
    beliefs = [_rarer(belief, factor) for belief in question.beliefs]
    if any(belief is None for belief in beliefs):
        return None
    return replace(question, beliefs=tuple(belief for belief in beliefs if belief is not None))


def _rarer(belief: ColumnBelief, factor: Fraction) -> ColumnBelief | None:
    if not belief.stated:
        return belief
    table, lowest = {}, {}
    for cell, law in belief.table.items():
        likeliest = max(range(len(law)), key=lambda at: law[at][1])
        moved = [chance * factor for _, chance in law]
        moved[likeliest] = 1 - sum(moved[:likeliest] + moved[likeliest + 1 :], Fraction(0))
        if moved[likeliest] < 0:
            return None
        table[cell] = tuple((value, chance) for (value, _), chance in zip(law, moved, strict=True))
        if belief.least is not None:  # what may be missing of each probability stays what it was, in proportion
            kept = dict(belief.least[cell])
            lost = [1 - kept.get(value, Fraction(0)) / chance if chance else Fraction(0) for value, chance in law]
            lowest[cell] = tuple(
                (value, chance * (1 - less)) for (value, chance), less in zip(table[cell], lost, strict=True)
            )
    return replace(belief, table=table, least=lowest if belief.least is not None else None)
