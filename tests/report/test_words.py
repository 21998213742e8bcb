"""What a report says in words: what an answer rests on, names of groups, tables that fit the paper."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest

from dalenius.facts.records import Where
from dalenius.mechanisms import Chain, DiscreteGaussian, Rounded, TwoSidedGeometric
from dalenius.plan import Publish, plan, verdict_of
from dalenius.plan.grounds import grounds
from dalenius.plan.margins.lines import sensitivity_lines
from dalenius.record.decision import decision_json
from dalenius.show.factor import factor_of
from dalenius.show.layout import NARROWEST, WIDTH, paper, table
from dalenius.show.plan import plan_text
from dalenius.show.text import AtomNames, headline, known_among, left_out, places, story
from dalenius.tables.figures import Figure
from dalenius.tables.history import History
from planning.specs import POINTED, SMOKERS, YES, question

ASKED = question({"north": 800, "south": 900}, {"north": "3/10", "south": "2/5"}, known=20)
NOISE, LITTLE = Chain((TwoSidedGeometric(Fraction(2)),)), Chain((TwoSidedGeometric(Fraction(1)),))


def told(*figures: Figure) -> tuple[str, str]:
    """What the answer about these figures rests on, and what is idle."""
    found = grounds(plan(figures, History(), ASKED), ASKED, figures, figures)
    return " | ".join(found.needed), " | ".join(found.idle)


# What an answer rests on ----------------------------------------------------------------------------------------------


def test_beliefs_are_not_listed_where_noise_alone_is_enough() -> None:
    needed, idle = told(replace(SMOKERS, channel=NOISE))
    assert "independent before anything" in needed and "one record" in needed
    assert "probabilities of u" not in needed and "attacker knows" not in needed
    assert "probabilities of u" in idle and "attacker knows" in idle


def test_rounding_after_noise_and_plain_counts_of_people_change_nothing() -> None:
    rounded = replace(SMOKERS, channel=Chain((*NOISE.links, Rounded(5))))
    assert "probabilities of u" in told(rounded, Figure("heads", "count", None, Where(), ("r",)))[1]


@pytest.mark.parametrize("channel", [Chain(()), LITTLE, Chain((Rounded(5),))])
def test_beliefs_are_listed_where_noise_alone_is_not_enough(channel: Chain) -> None:
    needed, idle = told(replace(SMOKERS, channel=channel))
    assert "probabilities of u" in needed and "attacker knows" in needed and not idle


@pytest.mark.slow
def test_only_the_beliefs_of_groups_that_noise_alone_hides_are_idle() -> None:
    north = replace(SMOKERS, name="n", by=(), channel=NOISE)
    needed, idle = told(north, replace(POINTED, channel=Chain((TwoSidedGeometric(Fraction(1, 2)),))))
    assert "probabilities of u" in needed and not idle  # the same people are in both, and the second's noise is little


def test_a_smaller_delta_that_rests_on_beliefs_says_so() -> None:
    figure = replace(SMOKERS, channel=Chain((DiscreteGaussian(Fraction(12)),)))
    found = plan((figure,), History(), ASKED)
    text = " ".join(story(found, ASKED, (figure,)).split())
    assert "not needed for the answer, since the noise alone hides everybody, with a delta of at most" in text
    assert "smaller ones that are printed do rest on these lines" in text
    assert "probabilities that are far from the stated ones" not in text
    told = decision_json(found, ASKED, (figure,), (), version="0", largest_known=None)
    assert len(told["not_needed"]) == 2 and not set(told["not_needed"]) & set(told["assumes"])


# Names and tables -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_cell_is_named_once_and_figures_are_quoted_in_sentences() -> None:
    figures = (SMOKERS, POINTED)
    found = plan(figures, History(), ASKED)
    assert set(map(AtomNames(found.findings).__getitem__, map(id, found.findings))) == {
        "smokers and points (both r north)",
        "smokers and points (both r south)",
    }
    assert '"smokers" and "points" (both r ' in story(found, ASKED, figures)


@pytest.mark.slow
def test_a_group_in_several_numbers_is_called_by_their_cells_if_its_name_is_long() -> None:
    long = replace(SMOKERS, name="people who smoke, or did so at any time in the last twelve months")
    found = plan((long, POINTED), History(), ASKED)
    assert set(places(found.findings).values()) == {"r north (in 2 numbers)", "r south (in 2 numbers)"}
    assert "\nr north (in 2 numbers) " in story(found, ASKED, (long, POINTED))
    assert places((*found.findings, *(replace(finding) for finding in found.findings))) == {}


@pytest.mark.slow
def test_tables_fit_the_paper() -> None:
    long = replace(SMOKERS, name="people who smoke, or did so at any time in the last twelve months, as they say")
    total = replace(long, name="all of them, wherever they live, and whatever they do", by=())
    small = question({"north": 80, "south": 90}, {"north": "3/10", "south": "2/5"}, known=20)
    figures = (long, total)
    found = plan(figures, History(), small)
    for columns in (20, 72, WIDTH, 300):
        with paper(columns):
            for text in (story(found, small, figures), plan_text(found, small, figures)):
                assert max(map(len, text.splitlines())) <= max(NARROWEST, columns), text
                assert "twelve months" in " ".join(text.split())


def test_the_paper_is_as_wide_as_a_file_again() -> None:
    with paper(90):
        assert max(map(len, table([("a", "b"), ("x " * 100, "1")]))) <= 90
    assert 90 < max(map(len, table([("a", "b"), ("x " * 100, "1")]))) <= WIDTH


@pytest.mark.slow
def test_a_plan_shows_the_largest_error_and_the_cost_that_is_compared() -> None:
    few = question({"north": 60}, {"north": "3/10"}, known=0)
    figures = (replace(SMOKERS, by=()), replace(POINTED, by=()), Figure("again", "count", None, YES))
    found = plan(figures, History(), few)
    for way in found.alternatives:
        if len(way.changes) > 1 and way.certified:
            row = next(line for line in plan_text(found, few, figures).splitlines() if way.way in line)
            assert f"{max(change.error for change in way.changes):,.3g}" in row
            assert f"{way.cost:,.3g}" in row
            break
    else:
        pytest.fail("no way changes several figures")


# Numbers in words -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1e-300", "1e-9", "0.0001", "0.0123", "0.0953", "0.0954", "0.1", "0.5", "3", "40"])
def test_the_factor_is_an_upper_bound_and_close(epsilon: str) -> None:
    term, above = Fraction(1), Fraction(0)
    for k in range(1, 200):  # e^x - 1 to far more digits than are shown
        term *= Fraction(epsilon) / k
        above += term
        if term < above / 10**40:
            break
    assert above < Fraction(factor_of(Fraction(epsilon))) - 1 <= max(above * Fraction(111, 100), Fraction(2, 10**12))


@pytest.mark.slow
def test_no_long_search_follows_a_refusal_of_linked_sums() -> None:
    few = question({"north": 60}, {"north": "3/10"}, known=0)
    both = Figure("points of smokers", "sum", "v", YES, ("r",))
    for figures, told in (((SMOKERS, both), "dalenius explain says it"), ((SMOKERS,), "The target would be met")):
        found = plan(figures, History(), few)
        assert verdict_of(found) != "pass"
        asked = SimpleNamespace(figures=figures, history=History())
        assert told in sensitivity_lines(SimpleNamespace(prepared=asked, question=few, as_specified=found))[0]


# What is said of groups and figures -----------------------------------------------------------------------------------

CUT = Figure("income", "sum", "income", truncated=(Fraction(0), Fraction(2)))
ROUND = Chain((Rounded(5),))


@pytest.mark.parametrize(
    ("figures", "how"),
    [
        ((SMOKERS,), " exactly as they are."),
        ((replace(SMOKERS, channel=ROUND),), ", with the rounding that is specified for them."),
        ((replace(SMOKERS, channel=NOISE),), ", with the noise that is specified for them."),
        ((CUT,), ", with the truncated values that are specified for them."),
        ((SMOKERS, replace(CUT, channel=NOISE)), ", with the truncated values and noise that are specified for them."),
        (
            (replace(CUT, channel=NOISE), replace(SMOKERS, channel=ROUND)),
            ", with the truncated values, noise and rounding that are specified for them.",
        ),
    ],
)
def test_only_the_changes_that_are_there_are_named(figures: tuple[Figure, ...], how: str) -> None:
    assert headline(Publish(()), figures) == f"YES: these figures may go out{how}"


@pytest.mark.slow
def test_groups_that_are_left_out_of_a_table_are_safer_only_if_they_pass() -> None:
    sizes = {f"r{place}": 2000 if place < 3 else 20 for place in range(20)}
    asked = question(sizes, dict.fromkeys(sizes, "3/10"), known=0, delta="1e-3")
    found = plan((replace(SMOKERS, by=("r",)),), History(), asked).findings
    assert left_out(found, 12) == ["8 more groups of people: 5 fail, 3 pass"]
    assert left_out(found, 17) == ["3 safer groups of people, which pass"]
    assert left_out(found, 19) == ["1 safer group of people, which passes"] and left_out(found, 20) == []


@pytest.mark.slow
def test_known_records_that_could_be_anywhere_are_said_to_be_so() -> None:
    """Not "61 records, of which the attacker knows 60": nobody said so."""
    figure = replace(SMOKERS, by=("r",))
    asked = question({"north": 61, "south": 9939}, {"north": "3/10", "south": "2/5"}, known=Fraction(1, 100))
    found = plan((figure,), History(), asked)
    small, large = sorted(found.findings, key=lambda finding: finding.atom.size)
    assert small.because == "61 records, of which the attacker could know all but one"
    assert known_among(small, asked) == "all but one of whom could be among the 100 known records"
    assert known_among(large, asked) == "among whom all 100 known records could be"
    offer = "All 100 known records could be in any one of these groups"
    text = " ".join(story(found, asked, (figure,)).split())
    assert offer in text and "write in_every_group: true under attacker" in text
    spread = replace(asked, attacker=replace(asked.attacker, in_every_group=True))
    other = plan((figure,), History(), spread)
    least = min(other.findings, key=lambda finding: finding.atom.size)
    assert known_among(least, spread) == "of whom the attacker knows at most 1"
    assert "could be in any one" not in " ".join(story(other, spread, (figure,)).split())
    nobody = replace(asked, attacker=replace(asked.attacker, known=0))
    assert known_among(plan((figure,), History(), nobody).findings[0], nobody) == "none of whom the attacker knows"


def test_a_table_gives_way_in_other_columns_too_and_breaks_no_word() -> None:
    rows = [
        ("release", "when", "figures", "state"),
        ("R1", "2026-11-19T20:10:39Z", "smokers " * 6, "released as R1 " * 3),
    ]
    with paper(NARROWEST):
        lines = table(rows, fold=2)
    assert max(map(len, lines)) <= NARROWEST and len(lines) > 3
    assert sorted(" ".join(lines[2:]).split()) == sorted(" ".join(rows[1]).split())
