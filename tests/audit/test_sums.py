"""Tables of sums, in units: what their numbers, marks and roundings leave possible, against all that fits."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError

REGIONS = ("north", "south", "west")


def audited(tmp_path: Path, values: dict[str, str], *, unit: str, bounds: tuple[str, str] | None = None, **table):
    path = tmp_path / "sums.csv"
    path.write_text("\n".join(["region,value", *(f"{label},{text}" for label, text in values.items())]) + "\n")
    measure = {"unit": unit} | ({"bounds": list(bounds)} if bounds else {})
    known = table.pop("known", [])
    width = table.pop("width", 1)
    meaning = {
        "tables": {"sums.csv": {"measure": "income", **table}},
        "measures": {"income": measure},
        "known": known,
    }
    return dl.audit(path, tables_file=meaning, width=width, remedy=False)


def ends(found) -> dict[str, tuple[int | None, int | None]]:
    return {each["name"].rpartition(" = ")[2]: (each["low"], each["high"]) for each in found.json()["numbers"]}


@pytest.mark.parametrize(
    ("unit", "rounded", "told", "says"),
    [
        ("1/2", "5", 5, lambda value: abs(value - 5) <= Fraction(5, 2)),
        ("1/2", "random 3", 3, lambda value: abs(value - 3) < 3),
        ("1/2", "midpoint 4", 6, lambda value: 4 < value <= 8),
        ("2", "5", 10, lambda value: abs(value - 10) <= Fraction(5, 2)),
        ("1", "10", 0, lambda value: abs(value) <= 5),
    ],
)
def test_a_rounded_sum_is_rounded_as_it_is_written(tmp_path, unit, rounded, told, says):
    """Each value that is whole in the unit and rounds to what is told is possible, and no other."""
    step = Fraction(unit)
    found = audited(tmp_path, {"north": str(told), "south": "x"}, unit=str(float(step)), rounded=rounded)
    possible = [units for units in range(-100, 100) if units >= 0 and says(units * step)]
    assert ends(found)["north"] == (min(possible), max(possible))


def test_a_sum_that_may_be_negative_may_have_been_rounded_up_to_nothing(tmp_path):
    values = {"north": "0", "south": "x", "Total": "-5"}
    found = audited(tmp_path, values, unit="1", bounds=("-1000", "1000"), rounded="5")
    fits = [
        (north, total - north)
        for north, total in product(range(-20, 20), repeat=2)
        if abs(north) <= 2.5 and abs(total + 5) <= 2.5
    ]
    assert ends(found)["north"] == (min(fits)[0], max(fits)[0])
    souths = [south for _, south in fits]
    assert ends(found)["south"] == (min(souths), max(souths))
    with pytest.raises(InputError, match="cannot have been"):
        audited(tmp_path, {"north": "-3", "south": "x"}, unit="1", bounds=("-9", "9"), rounded="midpoint 6")


@pytest.mark.parametrize(
    ("unit", "mark", "says"),
    [
        ("0.01", "<10", lambda value: value < 10),
        ("0.01", ">10", lambda value: value > 10),
        ("0.3", "under 10", lambda value: value < 10),
        ("1000", "<9500", lambda value: value < 9500),
        ("1000", "over 9500", lambda value: value > 9500),
        ("0.5", "≤10", lambda value: value <= 10),
    ],
)
def test_less_than_ten_is_all_that_is_less(tmp_path, unit, mark, says):
    step = Fraction(unit)
    total = int(20_000 * step)
    found = audited(tmp_path, {"north": mark, "south": "x", "Total": str(total)}, unit=unit)
    possible = [units for units in range(20_001) if says(units * step)]
    assert ends(found)["north"] == (min(possible), max(possible))


def test_what_is_known_and_what_is_asked_are_in_the_numbers_as_they_are_written(tmp_path):
    values = {"north": "x", "south": "x", "Total": "3.00"}
    known = [{"group": {"region": "north"}, "measure": "income", "at_least": 1, "at_most": 2}]
    found = audited(tmp_path, values, unit="0.01", known=known)
    assert ends(found) == {"north": (100, 200), "south": (100, 200)}
    assert any("in units of 0.01" in note for note in found.notes)
    assert found.verdict == "pass"
    assert audited(tmp_path, values, unit="0.01", known=known, width=2).verdict == "fail"


def test_a_total_that_is_off_is_named_as_it_is_written(tmp_path):
    with pytest.raises(InputError, match=r"is 3\.5, but its 2 parts make 3\.25"):
        audited(tmp_path, {"north": "1.25", "south": "2.00", "Total": "3.50"}, unit="0.01")
