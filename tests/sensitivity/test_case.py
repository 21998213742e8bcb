"""Moved assumptions against worlds that are listed: radius, households, rates; and what is asked under each."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalenius as dl
from dalenius.claims import Verdict
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.mechanisms import Chain, Rounded, TwoSidedGeometric
from dalenius.plan import Question, Target, plan, worst_of
from dalenius.plan.examination import examine
from dalenius.plan.margins import Case, Setting
from dalenius.plan.margins.case import knowing, least_epsilon, off_by, off_by_share, rarer, resized, rising
from dalenius.plan.margins.households import household_delta
from dalenius.plan.margins.limits import household_limit, known_limit
from dalenius.plan.margins.table import shown_epsilon
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History
from linked.tables import table, world

CLOSE = 1e-9
SUM = Figure("total", "sum", "u")
COUNT = Figure("yes", "count", None, Where((("u", OneOf((Fraction(2),))),)))
COLUMNS = {"u": Numbers(Fraction(1), Fraction(0), Fraction(2))}


def question(parts, n, *, known=0, epsilon="1/2", delta="1/10", secret=None):
    law = tuple((Fraction(v), Fraction(part, sum(parts))) for v, part in enumerate(parts))
    beliefs = (ColumnBelief("u", {(): law}, "a test"),)
    target = Target(Fraction(epsilon), Fraction(delta))
    return Question(Frame((), {(): n}), COLUMNS, beliefs, Attacker(known), secret or Value(), target)


def setting(figures, asked):
    return Setting.of(figures, History(), asked, plan(figures, History(), asked).findings)


def convolved(laws):
    found = {0: Fraction(1)}
    for law in laws:
        after = {}
        for (a, p), (b, q) in itertools.product(found.items(), law.items()):
            after[a + b] = after.get(a + b, Fraction(0)) + p * q
        found = after
    return found


def truth(laws, known, epsilon, adds=lambda v: v, times=1):
    """The exact δ of the sum of what records add, worst over target, known records and pairs of values 0, 1, 2."""
    steep, worst = Fraction(math.exp(epsilon)), Fraction(0)
    moved = [{adds(v) * times: Fraction(0) for v in range(3)} for _ in laws]
    for at, law in enumerate(laws):
        for v, chance in enumerate(law):
            moved[at][adds(v) * times] += chance
    for target in range(len(laws)):
        others = [place for place in range(len(laws)) if place != target]
        for seen in itertools.combinations(others, known):
            rest = convolved([moved[place] for place in others if place not in seen])
            for a, b in itertools.permutations({adds(v) * times for v in range(3)}, 2):
                stick = sum(max(chance - steep * rest.get(at + a - b, 0), 0) for at, chance in rest.items())
                worst = max(worst, stick)
    return float(worst)


parts = st.lists(st.integers(1, 9), min_size=3, max_size=3)


@pytest.mark.slow
@given(
    parts=parts,
    n=st.integers(2, 6),
    known=st.integers(0, 1),
    hundredths=st.integers(0, 30),
    moves=st.lists(st.integers(-100, 100), min_size=18, max_size=18),
    share=st.booleans(),
)
@settings(deadline=None)
def test_a_bound_within_a_radius_holds_for_every_belief_in_it(parts, n, known, hundredths, moves, share):
    """Each person's own law, within the radius of the stated one (or short of it by at most that share)."""
    known, radius = min(known, n - 2), Fraction(hundredths, 100)
    asked, base = question(parts, n, known=known), [Fraction(part, sum(parts)) for part in parts]
    laws = []
    for person in range(n):
        least = [p * (1 - radius) if share else max(p - radius, Fraction(0)) for p in base]
        extra = [Fraction(abs(moves[3 * person + v])) for v in range(3)]
        free, whole = 1 - sum(least), sum(extra)
        laws.append(
            [low + free * (more / whole if whole else Fraction(1, 3)) for low, more in zip(least, extra, strict=True)]
        )
        assert share or all(p >= q - radius for p, q in zip(laws[-1], base, strict=True))
    moved = off_by_share(asked, radius) if share else off_by(asked, radius)
    for figure, adds in ((SUM, lambda v: v), (COUNT, lambda v: int(v == 2))):
        found = Case.of([figure], History(), moved).delta()
        assert truth(laws, known, asked.target.epsilon, adds) <= found.upper + CLOSE
        # every event is linear in each person's law: the worst laws are at corners of what is left open
        corners = [[low + free * (v == at) for v, low in enumerate(least)] for at in range(3)] if radius else [base]
        members = itertools.combinations_with_replacement(corners, n)
        most = max(truth(list(some), known, asked.target.epsilon, adds) for some in members)
        assert found.lower - CLOSE <= most <= found.upper + CLOSE


@given(parts=parts, homes=st.integers(1, 4), size=st.sampled_from([2, 3]), known=st.integers(0, 2))
@settings(deadline=None)
def test_households_are_judged_as_they_are_listed(parts, homes, size, known):
    """One value a household: the known records reveal as many other households."""
    n = homes * size
    known = min(known, homes - 1)
    asked, base = question(parts, n, known=known), [Fraction(part, sum(parts)) for part in parts]
    found = household_delta(Case.of([SUM], History(), asked), size)
    exact = truth([base] * homes, known, asked.target.epsilon, times=size)
    assert found.lower - CLOSE <= exact <= found.upper + CLOSE and found.width < 1e-6


def test_households_agree_with_blocks():
    asked = question([7, 2, 1], 1200, known=60, delta="1e-6")
    for size in (2, 3):
        blocks = dl.Blocks(values={0: "0.7", 1: "0.2", 2: "0.1"}, sizes={size: 1200 // size}, known=60)
        whole = dl.verify(dl.Sum(), dl.noiseless(blocks), epsilon="1/2").delta
        found = household_delta(Case.of([SUM], History(), asked), size)
        assert found.lower <= whole.upper and whole.lower <= found.upper and found.width < 1e-3 * found.upper


def test_noise_counts_in_households_too():
    asked, noise = question([7, 2, 1], 300, known=20), Chain((TwoSidedGeometric(Fraction(8)),))
    exactly = household_delta(Case.of([SUM], History(), asked), 3)
    noisy = household_delta(Case.of([replace(SUM, channel=noise)], History(), asked), 3)
    assert noisy.upper < exactly.lower / 2
    blocks = dl.Blocks(values={0: "0.7", 1: "0.2", 2: "0.1"}, sizes={3: 100}, known=20)
    whole = dl.verify(dl.Sum() >> dl.two_sided_geometric(8), dl.noiseless(blocks), epsilon="1/2").delta
    assert noisy.lower <= whole.upper and whole.lower <= noisy.upper
    rounded = replace(SUM, channel=Chain((Rounded(2),)))
    assert household_delta(Case.of([rounded], History(), asked), 3).upper == exactly.upper
    tiny = Case.of([SUM], History(), question([1, 1, 1], 2))
    assert household_delta(tiny, 3).upper == 1


def test_households_are_no_matter_of_presence():
    case = Case.of([SUM], History(), question([1, 1, 1], 9, secret=Presence()))
    with pytest.raises(dl.InputError, match="presence is secret"):
        household_delta(case, 2)


@pytest.mark.slow
def test_a_case_is_what_the_plan_finds():
    asked = question([6, 3, 1], 400, known=20, delta="1e-4")
    found = worst_of(plan([SUM], History(), asked)).delta
    assert Case.of([SUM], History(), asked).delta() == found
    both = Case.of([SUM, COUNT], History(), asked).delta()
    assert both.upper == worst_of(plan([SUM, COUNT], History(), asked)).delta.upper and both.lower == 0


def test_noise_that_hides_by_itself_needs_no_belief():
    asked = question([6, 3, 1], 40, epsilon="1/2", delta="0")
    case = setting([replace(SUM, channel=Chain((TwoSidedGeometric(Fraction(4)),)))], asked).case(
        off_by(asked, Fraction(1, 5))
    )
    assert case.delta() == dl.Bracket(0.0, 0.0) and case.holds and case.epsilon() == pytest.approx(0.5, rel=0.01)


def test_epsilons_are_met_from_above():
    case = Case.of([SUM], History(), question([6, 3, 1], 400, delta="1e-4"))
    met = Fraction(repr(case.epsilon()))
    assert case.delta(met).upper <= Fraction("1e-4") < case.delta(met * Fraction(99, 100)).lower
    assert least_epsilon(lambda _: 1.0, Fraction(1, 2), Fraction(1, 2)) == math.inf
    assert least_epsilon(lambda _: 0.0, Fraction(0), Fraction(0)) == 0


@pytest.mark.parametrize("least", [Fraction(1, 3), Fraction(3, 10), Fraction(7, 10), Fraction(2, 3), Fraction(1, 49)])
def test_the_epsilon_that_is_written_is_one_at_which_the_target_is_met(least):
    """It is met from exactly there on, as with noise that hides by itself; the float next to it may be below."""

    def delta(at):
        return 0.0 if at >= least else 1.0

    for near in (least, 2 * least, 64 * least, least / 2):
        met = Fraction(repr(least_epsilon(delta, Fraction(1, 10**6), near)))
        assert least <= met <= least * Fraction(101, 100)


def test_an_epsilon_in_a_table_is_never_below_what_is_met():
    for thousandths in range(1, 3000):
        for epsilon in (thousandths / 1000, math.nextafter(thousandths / 1000, 9.0)):
            shown = Fraction(shown_epsilon(epsilon))
            assert 0 <= shown - Fraction(repr(epsilon)) < Fraction(1, 1000)


def test_questions_are_moved_as_they_say():
    asked = question([6, 3, 1], 40)
    assert resized(asked, Fraction(1, 100)).frame.size == 1 and resized(asked, Fraction(3, 2)).frame.size == 60
    assert knowing(asked, 7).attacker.known == 7
    assert dict(rarer(asked, Fraction(1, 2)).beliefs[0].table[()]) == {
        0: Fraction(4, 5),
        1: Fraction(3, 20),
        2: Fraction(1, 20),
    }
    assert rarer(asked, Fraction(3)) is None
    nearer = rarer(off_by_share(asked, Fraction(1, 4)), Fraction(1, 2)).beliefs[0]
    assert dict(nearer.least[()]) == {0: Fraction(3, 5), 1: Fraction(9, 80), 2: Fraction(3, 80)}
    assert dict(off_by(off_by(asked, Fraction(1, 10)), Fraction(1, 10)).beliefs[0].least[()])[2] == 0


def test_groups_without_anybody_are_told():
    with pytest.raises(dl.InputError, match="nobody in the groups"):
        Case.of([SUM], History(), question([1, 1, 1], 9), frozenset())
    with pytest.raises(dl.InputError, match="No person is in any of the figures"):
        Setting.of([SUM], History(), question([1, 1, 1], 9), [])


def test_of_very_many_groups_the_worst_are_followed():
    cells = [(f"c{place}",) for place in range(40)]
    frame = Frame(("c",), {cell: 50 + place for place, cell in enumerate(cells)})
    asked = replace(question([6, 3, 1], 1), frame=frame)
    columns = {"u": COLUMNS["u"], "x": Categories(("a", "b"))}
    unused = ColumnBelief("x", {(): (("a", Fraction(1, 2)), ("b", Fraction(1, 2)))}, "a test")
    asked = replace(asked, columns=columns, beliefs=(*asked.beliefs, unused))
    found = setting([replace(SUM, by=("c",))], asked)
    assert len(found.groups) == 23 and len(found.case().atoms) == 23  # the worst one is the smallest, too
    assert len(found.case(worst=True).atoms) == 1
    assert [belief.column for belief in found.question.beliefs] == ["u"]
    assert found.case().delta() == Case.of([replace(SUM, by=("c",))], History(), asked).delta()


def test_what_cannot_be_computed_is_not_taken_for_safe(monkeypatch):
    def refuse(*_, **__):
        raise dl.InputError("too much")

    case = Case.of([SUM], History(), question([6, 3, 1], 400))
    monkeypatch.setattr(Docket, "atom", refuse)
    assert case.delta() == household_delta(case, 2) == dl.Bracket(0.0, 1.0) and not case.holds


def test_bounds_of_what_rises_hold_for_all_before_and_after():
    found = rising([Bracket(0.1, 0.5), Bracket(0.0, 0.3), Bracket(0.2, 0.9), Bracket(0.15, 0.4)])
    assert found == [Bracket(0.1, 0.3), Bracket(0.1, 0.3), Bracket(0.2, 0.4), Bracket(0.2, 0.4)]
    assert rising([]) == []


@pytest.mark.slow
def test_what_passes_by_moves_is_varied_by_moves():
    """Two margins of small cells: the table says what a plan with another attacker would find."""
    margins = [table("rows", "r"), table("columns", "c")]
    small = world({(r, c): 20 for r in range(5) for c in range(5)}, margins, epsilon="1")
    asked = replace(small.question(Fraction("1e-2")), attacker=Attacker(5))
    found = examine(small.figures, asked, lambda *_: None).findings
    assert {(finding.method, finding.verdict) for finding in found} == {("moves", Verdict.PASS)}
    tried = Setting.of(small.figures, History(), asked, found)
    assert tried.case().delta().upper == max(finding.delta.upper for finding in found)
    limit = known_limit(tried)
    most = int(limit.until * asked.frame.size)
    assert most > 5
    for known, passed in ((most, True), (most + 1, False)):
        again = examine(small.figures, knowing(asked, known), lambda *_: None).findings
        assert all(finding.verdict == Verdict.PASS for finding in again) == passed
    assert household_limit(tried) is None
