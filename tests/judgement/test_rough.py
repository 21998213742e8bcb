"""Where laws are long, coins inside the records decide if they can: a rougher bound, and never below the truth."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalenius.beliefs import crowd
from dalenius.claims import Verdict
from dalenius.enclosure.brackets import Bracket
from dalenius.facts.records import Numbers, Where
from dalenius.facts.secret import Presence, Secret, Value
from dalenius.judge.engine import COINS
from dalenius.plan import Finding, Publish, Question, Target, largest_known, plan
from dalenius.tables.docket import Docket
from dalenius.tables.figures import Attacker, ColumnBelief, Figure, Frame
from dalenius.tables.history import History, atoms_of

F = Fraction
LAW = tuple((F(value), F(1, 5)) for value in range(5))
AGE, INCOME = (Figure(name, "sum", name, Where()) for name in ("age", "income"))
COLUMNS = dict.fromkeys(("age", "income"), Numbers(F(1), F(0), F(4)))
BELIEFS = tuple(ColumnBelief(name, {(): LAW}, "test") for name in COLUMNS)


def docket(n: int, delta: str = "1e-9", secret: Secret | None = None) -> Docket:
    return Docket.of(COLUMNS, BELIEFS, Frame((), {(): n}), secret or Value(), F(1, 2), F(delta))


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every law of a sum is taken to be long."""
    monkeypatch.setattr(crowd, "HEAVY", 0)


@pytest.mark.parametrize("figures", [(AGE,), (AGE, INCOME)])
@pytest.mark.usefixtures("long")
def test_a_long_law_is_judged_by_coins_where_they_are_plenty(figures: tuple[Figure, ...], monkeypatch) -> None:
    (atom,) = atoms_of(figures, Frame((), {(): 12_000}), COLUMNS)
    found = docket(12_000).atom(atom, 100, alone=True)
    assert COINS in found.because and 0 < found.delta.upper < 1e-12 and found.delta.lower == 0
    monkeypatch.setattr(crowd, "HEAVY", 10**9)
    closely = docket(12_000).atom(atom, 100, alone=True)
    assert COINS not in closely.because and closely.delta.upper <= found.delta.upper


@pytest.mark.parametrize("figures", [(AGE,), (AGE, INCOME)])
@pytest.mark.usefixtures("long")
def test_where_coins_do_not_decide_the_law_does(figures: tuple[Figure, ...]) -> None:
    (atom,) = atoms_of(figures, Frame((), {(): 300}), COLUMNS)
    found = docket(300).atom(atom, 0, alone=True)
    assert COINS not in found.because and found.delta.upper < docket(300).roughly(atom, 0)
    assert not docket(300).passes(atom, 0, alone=True)
    assert docket(300, "0.9").passes(atom, 0, alone=True)


def test_a_count_of_persons_hides_nobody_whatever_the_coins() -> None:
    people = Figure("people", "count", None, Where())
    (atom,) = atoms_of((AGE, people), Frame((), {(): 60_000}), COLUMNS)
    assert docket(60_000, secret=Presence()).roughly(atom, 0) == 1
    assert docket(60_000).roughly(atom, 0) < 1e-9


def test_nobody_is_hidden_by_few_coins() -> None:
    (atom,) = atoms_of((AGE,), Frame((), {(): 3}), COLUMNS)
    assert docket(3).roughly(atom, 2) == 1


def asked(n: int) -> Question:
    return Question(Frame((), {(): n}), COLUMNS, BELIEFS, Attacker(0), Value(), Target(F(1, 2), F(1, 10**9)))


def test_a_rough_bound_that_is_a_hair_above_the_target_is_not_one_that_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The float next to a millionth is below it, so that rounding to the nearest would let all records be known."""
    target, question = F(1, 10**6), asked(50)
    assert F(float(target)) < target
    (atom,) = atoms_of((AGE, INCOME), question.frame, COLUMNS)
    rough = {0: target / 2}
    monkeypatch.setattr(Docket, "roughly", lambda _, __, known: rough.get(known, target + F(1, 10**30)))
    monkeypatch.setattr(Docket, "heavy", lambda *_: True)
    published = Publish((Finding(atom, Bracket(0.0, 0.0), Verdict.PASS, 0),))
    assert largest_known(published, replace(question, target=Target(F(1, 2), target))) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("long")
def test_the_largest_known_is_that_of_the_law_where_coins_do_not_decide() -> None:
    found = plan((AGE,), History(), asked(1500))
    assert isinstance(found, Publish) and docket(1500).roughly(found.findings[0].atom, 0) > F(1, 10**9)
    most = largest_known(found, asked(1500))
    assert most is not None
    assert docket(1500).atom(found.findings[0].atom, most, alone=True).delta.upper <= 1e-9
    assert docket(1500).atom(found.findings[0].atom, most + 1, alone=True).delta.upper > 1e-9


@pytest.mark.slow
def test_the_largest_known_is_certified_and_not_far_off_where_laws_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    found = plan((AGE,), History(), asked(20_000))
    assert isinstance(found, Publish)
    closely = largest_known(found, asked(20_000))
    monkeypatch.setattr(crowd, "HEAVY", 0)
    rough = largest_known(found, asked(20_000))
    assert closely is not None and rough is not None
    assert 0.6 * closely < rough < closely
    (atom,) = atoms_of((AGE,), Frame((), {(): 20_000}), COLUMNS)
    monkeypatch.setattr(crowd, "HEAVY", 10**9)
    assert docket(20_000).atom(atom, closely, alone=True).delta.upper <= 1e-9
    assert docket(20_000).atom(atom, closely + 1, alone=True).delta.upper > 1e-9
