"""Linked tables of each verdict: passed by atoms, passed by moves, refused with a witness, to be reviewed."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.claims import Verdict
from dalenius.facts.records import Categories, Numbers, OneOf, Where
from dalenius.facts.secret import Presence, Value
from dalenius.mechanisms import Chain, DiscreteGaussian, TwoSidedGeometric
from dalenius.plan import Publish, Question, Target, assess, plan, verdict_of
from dalenius.show.text import reveals
from dalenius.tables.algebra import Algebra
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import Cover, History
from judgement.worlds import World, truth
from linked.tables import YES, table, world, yes_no

F = Fraction
MARGINS = [table("rows", "r"), table("columns", "c")]


def asked(small: World, delta: str, known: int | Fraction = 0, **more: object) -> Question:
    return replace(small.question(F(delta)), attacker=Attacker(known, **more))


def grid(rows: int, columns: int, people: int) -> dict[tuple[object, ...], int]:
    return {(r, c): people for r in range(rows) for c in range(columns)}


def test_large_cells_pass_by_themselves():
    small = world(grid(3, 3, 400), [*MARGINS, table("cells", "r", "c")])
    found = plan(small.figures, History(), asked(small, "1e-3", 20))
    assert isinstance(found, Publish)
    assert not any("moves" in finding.because for finding in found.findings)


@pytest.mark.slow
def test_small_cells_of_large_margins_pass_by_moves_only():
    small = world(grid(10, 10, 10), MARGINS, epsilon="1")
    found = plan(small.figures, History(), asked(small, "1e-3"))
    assert isinstance(found, Publish)
    assert all("(moves)" in finding.because for finding in found.findings)
    full = assess([*small.figures, table("cells", "r", "c")], History(), asked(small, "1e-3"))
    assert Verdict.FAIL in {finding.verdict for finding in full.findings}


@pytest.mark.slow
def test_the_attackers_records_count_wherever_they_are():
    small = world(grid(10, 10, 10), MARGINS, epsilon="1")
    many = assess(small.figures, History(), asked(small, "1e-3", 60))
    assert {finding.verdict for finding in many.findings} != {Verdict.PASS}
    share = assess(small.figures, History(), asked(small, "1e-3", F(1, 50), in_every_group=True))
    anywhere = assess(small.figures, History(), asked(small, "1e-3", F(1, 50)))
    assert max(f.delta.upper for f in share.findings) <= max(f.delta.upper for f in anywhere.findings)


@pytest.mark.slow
def test_a_suppressed_cell_is_worked_out_from_its_margins():
    cells = [
        table(f"cell {r} {c}", where=Where((("r", OneOf((r,))), ("c", OneOf((c,))), *YES.tests)))
        for r in range(3)
        for c in range(3)
        if (r, c) != (1, 1)
    ]
    sizes = grid(3, 3, 300) | {(1, 1): 4}
    small = world(sizes, [*MARGINS, *cells])
    found = plan(small.figures, History(), asked(small, "1e-3"))
    assert verdict_of(found) == "fail"
    (failed,) = [finding for finding in found.findings if finding.verdict == Verdict.FAIL]
    assert failed.atom.groups == (((1, 1), 4),)
    told = reveals(failed.reveals)
    assert told in {
        '"rows (r 1) − cell 1 0 − cell 1 2"',
        '"columns (c 1) − cell 0 1 − cell 2 1"',
    }


def test_several_suppressed_cells_need_elimination():
    """Two cells are left out in each of two rows and columns: nothing gives one away, but with a diagonal all are."""
    holes = {(0, 0), (0, 1), (1, 0), (1, 1)}
    cells = [
        table(f"cell {r} {c}", where=Where((("r", OneOf((r,))), ("c", OneOf((c,))), *YES.tests)))
        for r in range(3)
        for c in range(3)
        if (r, c) not in holes
    ]
    diagonal = table("pair", where=Where((("d", OneOf((1,))), *YES.tests)))
    groups = {
        (r, c, int((r, c) in {(0, 0), (1, 1)})): 5 if (r, c) in holes else 500 for r in range(3) for c in range(3)
    }
    small = world(groups, [*MARGINS, *cells, diagonal], names=("r", "c", "d"))
    for figures, revealed in ((small.figures[:-1], False), (small.figures, True)):
        cover = Cover.of(figures, small.frame, small.columns)
        few = {at for at, atom in enumerate(cover.atoms) if atom.size == 5}
        found = Algebra(cover).revealing(range(len(cover.atoms)), figures[0])
        assert few & set(found) == (few if revealed else set())
    assert any(weight.denominator == 2 for weight, _ in found[min(few)])


@pytest.mark.slow
def test_the_same_table_a_month_later_with_one_person_more():
    before = table("march/smokers", "r", where=Where((("month", OneOf((1,))), *YES.tests)))
    after = table("april/smokers", "r")
    small = world({(0, 1): 400, (1, 1): 400, (1, 2): 1}, [before, after], names=("r", "month"))
    found = plan([after], History((before,)), asked(small, "1e-3"))
    assert verdict_of(found) == "fail"
    failed = next(finding for finding in found.findings if finding.verdict == Verdict.FAIL)
    assert reveals(failed.reveals) == '"april/smokers (r 1) − march/smokers (r 1)"'
    assert failed.delta.lower == 1


def test_overlapping_filters_that_differ_by_a_few():
    first = table("a/adults", where=Where((("r", OneOf((0, 1))), *YES.tests)))
    second = table("b/adults", where=Where((("r", OneOf((0, 1, 2))), *YES.tests)))
    small = world({(0,): 500, (1,): 500, (2,): 3}, [first, second], names=("r",))
    found = plan([second], History((first,)), asked(small, "1e-3"))
    assert verdict_of(found) == "fail"
    failed = next(finding for finding in found.findings if finding.verdict == Verdict.FAIL)
    assert reveals(failed.reveals) == '"b/adults − a/adults"'


@pytest.mark.slow
def test_neither_bound_nor_witness_names_the_tables_to_drop():
    """Margins are large enough, but there are too few moves; nothing gives a cell away."""
    small = world(grid(5, 5, 20), [table("by row", "r"), table("by column", "c")], epsilon="1")
    found = plan(small.figures, History(), asked(small, "1e-5"))
    assert verdict_of(found) == "review"
    assert not any(finding.verdict == Verdict.FAIL for finding in found.findings)
    assert found.advice.words.startswith("Without by column the other figures pass together; they were judged again.")
    assert isinstance(assess([small.figures[0]], History(), asked(small, "1e-5")).answer, Publish)


def mixed_total(noise: Chain) -> tuple[list[Figure], Question]:
    """Two groups add 7 or 11 each with an even chance, a third person 1: their total, and a noisy count of sevens."""
    values = Numbers(F(1), F(0), F(11))
    half = F(1, 2)
    laws = {
        ("a",): ((F(0), half), (F(7), half)),
        ("b",): ((F(0), half), (F(11), half)),
        ("c",): ((F(0), half), (F(1), half)),
    }
    belief = ColumnBelief("x", laws, "test", ("g",))
    frame = Frame(("g",), {("a",): 20_000, ("b",): 20_000, ("c",): 1})
    sevens = Figure("A", "count", None, Where((("x", OneOf((F(7),))),)), (), noise)
    target = Target(F(7, 10), F(1, 10))
    return [Figure("total", "sum", "x"), sevens], Question(frame, {"x": values}, (belief,), Attacker(), Value(), target)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [TwoSidedGeometric(F(2)), DiscreteGaussian(F(3))])
def test_noise_beside_an_exact_total_does_not_add_up(noise: object):
    """7A + 11B beside a noisy A: by adding curves nearly nothing is told, in truth delta is 0.22 at 0.7."""
    figures, question = mixed_total(Chain((noise,)))
    assert not isinstance(assess(figures, History(), question).answer, Publish)
    # the same total through two figures, of which neither is the total
    parts = [
        Figure("one", "sum", "x", Where((("g", OneOf(("a", "c"))),))),
        Figure("two", "sum", "x", Where((("g", OneOf(("b",))),))),
    ]
    assert not isinstance(assess([*parts, figures[1]], History(), question).answer, Publish)


def noisy(scales: list[str], people: int, epsilon: str, secret: object = None) -> World:
    figures = [
        Figure(f"{place}/yes", "count", None, YES, (), Chain((DiscreteGaussian(F(scale)),)))
        for place, scale in enumerate(scales)
    ]
    return world({(): people}, figures, names=(), rate="1/3", epsilon=epsilon, secret=secret)


@pytest.mark.slow
@pytest.mark.parametrize("scales", [["1", "1"], ["1/2", "1"], ["3/4", "5/4"]])
@pytest.mark.parametrize("epsilon", ["0.3", "1"])
def test_two_noisy_releases_of_one_sum_are_one_with_less_noise(scales: list[str], epsilon: str):
    small = noisy(scales, 4, epsilon)
    exact = truth(small)
    (finding,) = plan(small.figures, History(), small.question(F(1))).findings
    assert exact <= finding.delta.upper + 1e-9
    assert finding.delta.upper <= 1.2 * exact
    assert "as one with less noise" in finding.because


@pytest.mark.slow
def test_less_noise_is_between_the_exact_sum_and_one_noisy_release():
    deltas = [
        plan(small.figures, History(), small.question(F(1))).findings[0].delta.upper
        for small in (noisy(["2"], 60, "0.3"), noisy(["2", "2"], 60, "0.3"), noisy(["2"] * 4, 60, "0.3"))
    ]
    assert deltas == sorted(deltas)
    one = noisy(["1"], 60, "0.3")  # four of scale 2 are one of scale 1
    assert deltas[2] == pytest.approx(
        plan(one.figures, History(), one.question(F(1))).findings[0].delta.upper, rel=0.05
    )


@pytest.mark.slow
def test_presence_is_hidden_by_moves_too_but_not_beside_a_number_of_persons():
    small = world(grid(10, 10, 10), MARGINS, epsilon="1", secret=Presence())
    assert isinstance(plan(small.figures, History(), asked(small, "1e-3")), Publish)
    counted = Figure("persons", "count")
    assert not isinstance(assess([*small.figures, counted], History(), asked(small, "1e-3")).answer, Publish)


@pytest.mark.slow
def test_columns_that_are_independent_are_judged_together():
    columns, beliefs = yes_no()
    more = Categories(("no", "yes"))
    beliefs = (*beliefs, ColumnBelief("y", {(): (("no", F(1, 2)), ("yes", F(1, 2)))}, "test"))
    other = Where((("y", OneOf(("yes",))),))
    figures = [*MARGINS, *(Figure(f"y by {c}", "count", None, other, (c,)) for c in "rc")]
    frame = Frame(("r", "c"), grid(10, 10, 10))
    question = Question(frame, {**columns, "y": more}, beliefs, Attacker(), Value(), Target(F(2), F(1, 1000)))
    one = plan(MARGINS, History(), question)
    both = plan(figures, History(), question)
    assert isinstance(both, Publish)
    assert max(f.delta.upper for f in one.findings) < max(f.delta.upper for f in both.findings)
