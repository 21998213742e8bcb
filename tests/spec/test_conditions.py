"""Conditions in words: what they mean, compared with a reading of their own; what they refuse; what never gets out."""

import contextlib
import operator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.basics.errors import InputError, SpecError
from dalenius.desk.spec.conditions import where_of
from dalenius.facts.records import Between, Categories, Either, Numbers, OneOf, Where

PUBLIC = {"region": Categories(("north", "south", "far east")), "age": Numbers(Fraction(1), Fraction(0), Fraction(9))}
PRIVATE = {"smoker": Categories(("yes", "no")), "x": Numbers(Fraction(1, 2), Fraction(-2), Fraction(2))}
COLUMNS = {**PUBLIC, **PRIVATE}


def where(text, public=PUBLIC, private=PRIVATE) -> Where:
    return where_of(text, public, private, "Figure f")


def rows(names):
    for values in product(*(COLUMNS[name].values for name in names)):
        yield dict(zip(names, values, strict=True))


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("age between 3 and 6", lambda r: 3 <= r["age"] <= 6),
        ("not age between 3 and 6", lambda r: not 3 <= r["age"] <= 6),
        ("age not between 3 and 6", lambda r: not 3 <= r["age"] <= 6),
        ("age != 4", lambda r: r["age"] != 4),
        ("not age != 4", lambda r: r["age"] == 4),
        ("age not in (0, 3, 4, 9)", lambda r: r["age"] not in (0, 3, 4, 9)),
        ("x < 1/2", lambda r: r["x"] < Fraction(1, 2)),
        ("x > 0.25 and x <= 1.5", lambda r: Fraction(1, 4) < r["x"] <= Fraction(3, 2)),
        ("not x >= 0.3", lambda r: r["x"] < Fraction(3, 10)),
        ("smoker = yes or x < 0", lambda r: r["smoker"] == "yes" or r["x"] < 0),
        ("not (smoker = yes or x < 0)", lambda r: r["smoker"] == "no" and r["x"] >= 0),
        ("not (smoker = yes and not x < 0)", lambda r: r["smoker"] == "no" or r["x"] < 0),
        ('region = "far east" and age >= 2', lambda r: r["region"] == "far east" and r["age"] >= 2),
        ("region != 'far east' AND NOT region = south", lambda r: r["region"] == "north"),
        (
            "age <= 2 or region in (north) and age ≥ 8 or (age=5)",
            lambda r: r["age"] <= 2 or (r["region"] == "north" and r["age"] >= 8) or r["age"] == 5,
        ),
        ("(smoker = yes) and region = north", lambda r: r["smoker"] == "yes" and r["region"] == "north"),
        ("not (region = north or smoker = yes)", lambda r: r["smoker"] == "no" and r["region"] != "north"),
    ],
)
def test_a_condition_means_what_it_says(text, means):
    found = where(text)
    for row in rows(sorted(found.columns)):
        assert found.holds(row) == means(row), row
        public, private = found.on(frozenset(PUBLIC)), found.on(frozenset(PRIVATE))
        assert found.holds(row) == (public.holds(row) and private.holds(row))
    again = where(str(found))
    assert all(again.holds(row) == found.holds(row) for row in rows(sorted(found.columns)))


def test_words_and_keys_give_the_same_condition():
    assert where("smoker = yes and age >= 3") == where({"smoker": "yes", "age": _at_least(3)})
    assert where("smoker in (yes)") == where("not smoker = no") == Where((("smoker", OneOf(("yes",))),))
    assert where("age > 2") == where("age >= 3") == Where((("age", Between(lower=Fraction(3))),))


def _at_least(number):
    from dalenius.desk.spec.model import RangeModel

    return RangeModel(at_least=number)


SIGNS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@st.composite
def conditions(draw, depth=3):
    """A text, and what it means, written down independently."""
    if depth == 0 or draw(st.booleans()):
        kind = draw(st.sampled_from(["sign", "in", "between", "label"]))
        no = draw(st.sampled_from(["", "not "]))
        if kind == "label":
            value = draw(st.sampled_from(["yes", "no"]))
            return f"{no}smoker = '{value}'", lambda r: (r["smoker"] == value) != bool(no)
        numbers = sorted(draw(st.lists(st.integers(-3, 3), min_size=2, max_size=2, unique=True)))
        low, high = (Fraction(number, 2) for number in numbers)
        if kind == "in":
            return f"x {no}in ({low}, {high})", lambda r: (r["x"] in (low, high)) != bool(no)
        if kind == "between":
            return f"{no}x between {low} and {high}", lambda r: (low <= r["x"] <= high) != bool(no)
        sign = draw(st.sampled_from(sorted(SIGNS)))
        return f"{no}x {sign} {low}", lambda r: SIGNS[sign](r["x"], low) != bool(no)
    (one, first), (two, second) = draw(conditions(depth=depth - 1)), draw(conditions(depth=depth - 1))
    no = draw(st.sampled_from(["", "not "]))
    if draw(st.booleans()):
        return f"{no}({one} and {two})", lambda r: (first(r) and second(r)) != bool(no)
    return f"{no}({one} or {two})", lambda r: (first(r) or second(r)) != bool(no)


@given(conditions())
def test_any_condition_means_what_it_says_and_reads_back(made):
    text, means = made
    found = where(text)
    again = where(str(found))
    for row in rows(["smoker", "x"]):
        assert found.holds(row) == again.holds(row) == means(row), (text, row)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("region = north or smoker = yes", "chooses between both (region: public; smoker: confidential)"),
        ("not (region = north and smoker = yes)", "Publish one figure for each public case"),
        ("age < 3 and (region = north or x = 1)", "joined by and"),
    ],
)
def test_a_choice_between_public_and_confidential_is_refused(text, part):
    with pytest.raises(SpecError, match=r"Figure f: where needs") as caught:
        where(text)
    assert part in str(caught.value)


def test_a_mixed_choice_from_python_is_never_cut_in_half():
    mixed = Where((Either((Where((("region", OneOf(("north",))),)), Where((("smoker", OneOf(("yes",))),)))),))
    for columns in (PUBLIC, PRIVATE):
        with pytest.raises(InputError, match="all public, or all confidential"):
            mixed.on(frozenset(columns))
    with pytest.raises(InputError, match="two conditions or more"):
        Either((Where(),))


@pytest.mark.parametrize(
    ("text", "needed", "at"),
    [
        ("smoker = yes; drop table people", "got ';'", 13),
        ("smoker = yes -- and x = 1", "got '-'", 14),
        ("smoker = yes /* x */", "got '/'", 14),
        ("smoker = 'yes' or '1' = '1", 'got "\'"', 25),
        ("smoker = yes or 1 = 1", "needs a column", 17),
        ("1=1", "needs a column", 1),
        ("smoker = (select 1)", "needs a value", 10),
        ("smoker = yes union select x", "needs and, or, or the end", 14),
        ("smoker = ‘yes’", "got '‘'", 10),
        ("smoker ＝ yes", "got '＝'", 8),
        ("smoker\u200b = yes", r"'\u200b'", 7),
        ("smoker\u00a0= yes", r"'\xa0'", 7),
        ("smoker = yes\x00", r"'\x00'", 13),
        ("smoker == yes", "needs a value", 9),
        ("`smoker` = yes", "got '`'", 1),
        ("smoker = yes and", "got the end", 17),
        ("(smoker = yes", "got the end", 14),
        ("smoker in yes", "needs (", 11),
        ("smoker in ()", "needs a value", 12),
        ("age between 3, 6", "needs and, and the upper limit", 14),
        ("3 <= age <= 6", "needs a column", 1),
        ("age <= 3 <= 6", "or the end", 10),
        ("smoker not = yes", "needs in or between after not", 12),
        ("smoker yes", "needs a comparison after smoker", 8),
        ("smoker = in", "needs a value", 10),
        ("age = 3x", "got '3'", 7),
        ("age = 1e999", "got '1'", 7),
    ],
)
def test_what_does_not_belong_there_is_shown_with_its_place(text, needed, at):
    with pytest.raises(SpecError) as caught:
        where(text)
    message = str(caught.value)
    assert needed in message
    assert f"at character {at}." in message
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("smokr = yes", "Did you mean 'smoker'?"),
        ("smoker = maybe", "needs one of yes, no, but got 'maybe'"),
        ("smoker < yes", "has labels, so < does not apply"),
        ("not smoker in (yes, no)", "no value satisfies it"),
        ("age between 6 and 3", "Swap them"),
        ("age not between 6 and 3", "Swap them"),
        ("age > 9", "no value satisfies it"),
        ("not age between 0 and 9", "no value satisfies it"),
        ("age = 2.5", "not a multiple of 1"),
        ("age < soon", "must be a finite number"),
        ("x = 'x''; drop table people'", "must be a finite number"),
        ("(" * 60 + "age = 1" + ")" * 60, "fewer parentheses"),
        ("not " * 60 + "age = 1", "fewer parentheses"),
        ("age = 1 " + " " * 20_000, "Shorten it"),
        ("age not in (" + ", ".join(["1"] * 1001) + ")", "Write ranges"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, part):
    with pytest.raises(InputError) as caught:
        where(text)
    assert part in str(caught.value)


@pytest.mark.slow
@given(st.text(max_size=40))
def test_any_text_is_a_condition_or_an_error(text):
    with contextlib.suppress(InputError):
        assert isinstance(where(text), Where)
