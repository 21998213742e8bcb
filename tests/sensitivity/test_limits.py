"""How far assumptions may be wrong: what is returned holds, a little more does not, and rounding is scanned."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.facts.secret import Presence
from dalenius.mechanisms import Chain, Rounded
from dalenius.plan import largest_known, plan
from dalenius.plan.margins import sensitivity
from dalenius.plan.margins.case import knowing, off_by, off_by_share, rarer, resized
from dalenius.plan.margins.limits import (
    household_limit,
    known_limit,
    largest_radius,
    least_factor,
    radius_limit,
    radius_of,
    rate_limit,
    round_radius,
    size_limit,
)
from dalenius.plan.margins.traces import traces
from dalenius.tables.figures import Attacker, ColumnBelief, Frame
from dalenius.tables.history import History
from sensitivity.test_case import COUNT, SUM, question, setting

ASKED = question([6, 3, 1], 900, known=45, delta="1e-4")
FAILING = question([6, 3, 1], 200, known=10, delta="1e-4")


def test_one_record_more_than_may_be_known_fails():
    found = setting([SUM], ASKED)
    limit = known_limit(found)
    known = int(limit.until * 900)
    assert known == largest_known(plan([SUM], History(), ASKED), ASKED)
    assert found.case(knowing(ASKED, known)).holds and not found.case(knowing(ASKED, known + 1)).holds
    assert limit.change == Fraction(known - 45, 855) and f"({known} of 900 records)" in limit.told


def test_a_share_of_every_group_is_searched_as_one():
    asked = replace(ASKED, attacker=Attacker(Fraction(1, 20), in_every_group=True))
    found = setting([SUM], asked)
    until = known_limit(found).until
    assert found.case(knowing(asked, until)).holds
    assert not found.case(knowing(asked, until + Fraction(1, 1000))).holds


def test_where_no_error_is_certified_the_stated_probabilities_carry_the_verdict(monkeypatch):
    monkeypatch.setattr(
        "dalenius.plan.margins.limits.radius_of", lambda some: Fraction(0) if some.case().holds else None
    )
    limit = radius_limit(setting([SUM], ASKED))
    assert limit.change == limit.until == 0 and limit.told == "no error is certified, not even a small one"
    assert radius_limit(setting([SUM], FAILING)).told == "not even if they are exactly as stated"


@pytest.mark.slow
def test_a_few_people_less_than_needed_fail():
    found = setting([SUM], ASKED)
    limit = size_limit(found)
    assert found.case(resized(ASKED, limit.until)).holds
    assert not found.case(resized(ASKED, limit.until * Fraction(97, 100))).holds
    more = size_limit(setting([SUM], FAILING))
    assert 1 < more.until < 5 and more.change == more.until - 1
    assert setting([SUM], FAILING).case(resized(FAILING, more.until)).holds


@pytest.mark.slow
def test_a_larger_radius_than_the_prior_radius_is_not_certified():
    found = setting([SUM], ASKED)
    limit = radius_limit(found)
    assert limit.until == radius_of(found) and found.case(off_by(ASKED, limit.until)).holds
    assert not found.case(off_by(ASKED, limit.until * Fraction(103, 100))).holds
    assert found.case(off_by_share(ASKED, limit.change)).holds
    assert not found.case(off_by_share(ASKED, limit.change * Fraction(103, 100))).holds
    assert round_radius(found) <= limit.until and found.case(off_by(ASKED, round_radius(found))).holds
    assert radius_of(setting([SUM], FAILING)) is None and round_radius(setting([SUM], FAILING)) == 0


def test_rates_and_households():
    found = setting([COUNT], ASKED)
    limit = rate_limit(found)
    assert found.case(rarer(ASKED, limit.until)).holds
    assert not found.case(rarer(ASKED, limit.until * Fraction(97, 100))).holds
    homes = household_limit(setting([COUNT], question([1, 1, 2], 4000, delta="1e-3")))
    assert homes.until >= 2
    assert household_limit(setting([SUM], replace(ASKED, secret=Presence()))) is None


@pytest.mark.slow
def test_rounding_is_scanned_and_not_taken_for_monotone():
    """A single person's count, rounded to fives, tells nothing; hundreds do not hide a person at every size."""
    rounded = replace(COUNT, channel=Chain((Rounded(5),)))
    asked = question([4, 3, 3], 400, known=20, delta="1e-3")
    found = setting([rounded], asked)
    limit = size_limit(found)
    assert found.case(resized(asked, limit.until)).holds and limit.until > Fraction(1, 10)
    assert "in steps of 5 %" in limit.told

    def holds(factor):
        return found.case(resized(asked, factor)).holds

    assert limit.until == least_factor(holds, Fraction(1, 400), Fraction(1000), scan=True)


def test_searches_return_what_they_tried():
    tried = []

    def above(number):
        tried.append(number)
        return number >= Fraction(3, 10)

    found = least_factor(above, Fraction(1, 100), Fraction(1000))
    assert found in tried and Fraction(3, 10) <= found <= Fraction(304, 1000)
    assert least_factor(lambda _: True, Fraction(1, 100), Fraction(9)) == Fraction(1, 100)
    assert least_factor(lambda _: False, Fraction(1, 100), Fraction(9)) is None
    up = least_factor(lambda number: number >= 7, Fraction(1, 100), Fraction(1000))
    assert 7 <= up <= Fraction(708, 100)
    gap = least_factor(
        lambda number: number < Fraction(1, 9) or number > Fraction(4, 5), Fraction(1, 100), Fraction(9), scan=True
    )
    assert Fraction(4, 5) < gap < Fraction(85, 100)
    inside = largest_radius(lambda number: number <= Fraction(1, 30), Fraction(1))
    assert Fraction(33, 1000) <= inside <= Fraction(1, 30)
    assert largest_radius(lambda _: True, Fraction(1, 2)) == Fraction(1, 2)
    assert largest_radius(lambda _: False, Fraction(1, 2)) is None
    assert largest_radius(lambda number: not number, Fraction(1, 2)) == 0


@pytest.mark.slow
def test_the_carrying_assumption_is_the_one_that_turns_first():
    found = sensitivity(setting([SUM], ASKED))
    carrying = found.carried_by
    assert carrying.change == min(limit.change for limit in found.limits if limit.change is not None)
    stated = [row for row in found.rows if row.stated]
    assert len({row.assumption for row in found.rows}) == 5 == len(stated)
    assert len({(row.delta.upper, row.holds) for row in stated}) == 1 and all(row.holds for row in stated)
    for row in found.rows:
        assert row.holds == (row.epsilon <= 0.5 * (1 + 1e-9)) or abs(row.epsilon - 0.5) < 0.005


@pytest.mark.slow
def test_traces_are_what_charts_need():
    found = setting([SUM], ASKED)
    lines = traces(found, known=known_limit(found).until, radius=radius_of(found), size=size_limit(found).until)
    assert [at for at, _ in lines.curve] == sorted(at for at, _ in lines.curve) and len(lines.curve) == 25
    deltas = [delta.upper for _, delta in lines.known]
    assert deltas == sorted(deltas) and deltas[-1] > 1e-4
    assert lines.radius[0][1].upper < 1e-4 < lines.radius[-1][1].upper
    assert lines.radius[0] == (0.0, found.case().delta())  # as the table has it: a radius of 0 is what was stated
    noise = [one.least for one in lines.noise]
    assert noise == sorted(noise, reverse=True) and noise[-1] == 0 < noise[0] <= lines.noise[0].alone
    nothing = question([6, 3, 1], 900, epsilon="0", delta="1e-1")
    assert traces(setting([SUM], nothing), known=None, radius=None).noise == ()


@pytest.mark.slow
@pytest.mark.parametrize("figures", [[SUM, COUNT], [replace(SUM, kind="mean")]])
def test_presence_and_several_figures_are_followed_too(figures):
    found = sensitivity(setting(figures, question([6, 3, 1], 40, delta="2e-1")))
    assert any(limit.until is not None for limit in found.limits)
    if figures[0].kind != "mean":
        hidden = sensitivity(setting([COUNT], replace(ASKED, secret=Presence())))
        assert not any(row.assumption.startswith("households") for row in hidden.rows)


def two_groups(sizes, rates):
    frame = Frame(("c",), {("a",): sizes[0], ("b",): sizes[1]})
    laws = {
        (name,): ((Fraction(0), 1 - Fraction(rate)), (Fraction(1), Fraction(0)), (Fraction(2), Fraction(rate)))
        for name, rate in zip("ab", rates, strict=True)
    }
    beliefs = (ColumnBelief("u", laws, "a test", ("c",)),)
    return replace(question([1, 1, 1], 1, delta="1e-3"), frame=frame, beliefs=beliefs)


@pytest.mark.slow
def test_a_group_that_fares_worse_elsewhere_is_not_forgotten():
    """The first group is the worst as stated; a radius hurts the second more, and so do known records."""
    figures = [replace(COUNT, by=("c",))]
    wide = setting(figures, two_groups((300, 3000), ("0.5", "0.05")))
    radius = radius_of(wide)
    assert next(iter(wide.worst))[0].cell == ("a",) and wide.case(off_by(wide.question, radius)).holds
    assert wide.case(off_by(wide.question, 2 * radius), worst=True).holds  # found on all, not on the worst as stated
    known = setting(figures, two_groups((600, 180), ("0.1", "0.5")))
    limit = int(known_limit(known).until * 780)
    assert next(iter(known.worst))[0].cell == ("a",) and known.case(knowing(known.question, limit)).holds
    assert known.case(knowing(known.question, limit + 5), worst=True).holds
    assert not known.case(knowing(known.question, limit + 1)).holds


def test_a_number_of_known_records_stays_where_there_are_fewer_people():
    """Of 900 people 800 are known: with fewer people than that nobody else is left to hide among."""
    asked = question([6, 3, 1], 900, known=800, delta="1/5")
    limit = size_limit(setting([COUNT], asked))
    assert limit.until is not None and 800 < limit.until * 900 < 900
    assert resized(asked, Fraction(1, 2)).attacker.known == 449
