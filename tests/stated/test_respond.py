"""dalenius respond: coins for answer sheets, and what the answers that come back say."""

import csv
import io
import json
from math import comb, log, sqrt
from pathlib import Path

import pytest

from edges.desk import dalenius


def test_coins_are_as_likely_as_stated(tmp_path: Path) -> None:
    said = dalenius("respond", "--keep", "3/4", "--people", "20000", "-o", tmp_path / "sheets.csv")
    assert said.code == 0, said
    assert "epsilon 1.09" in said.out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "sheets.csv").read_text())))
    assert [row["sheet"] for row in rows] == [str(place) for place in range(1, 20001)]
    true = sum(row["coin"] == "answer truthfully" for row in rows)
    assert {row["coin"] for row in rows} == {"answer truthfully", "answer the opposite"}
    assert abs(true - 15000) < 8 * sqrt(20000 * 3 / 16)  # wrong once in 10^14 runs


def test_the_total_behind_the_answers_by_hand() -> None:
    said = json.loads(dalenius("respond", "--keep", "3/4", "--people", "40", "--yes", "17", "--json").out)
    low, high = said["epsilon"]
    assert low <= log(3) <= high
    assert said["total"]["estimate"] == [14.0, 14.0]  # (17 - 40/4) * 2
    assert said["total"]["root_mean_square_error_at_most"] == pytest.approx(sqrt(40 * 3 / 16) * 2)

    def tail(ones: int, *, above: bool) -> float:
        """P(at least, or at most, 17 published) with so many true ones."""
        found = 0.0
        for kept in range(ones + 1):
            for flipped in range(40 - ones + 1):
                published = kept + flipped
                if (published >= 17) if above else (published <= 17):
                    mine = comb(ones, kept) * 0.75**kept * 0.25 ** (ones - kept)
                    found += mine * comb(40 - ones, flipped) * 0.25**flipped * 0.75 ** (40 - ones - flipped)
        return found

    fits = [ones for ones in range(41) if tail(ones, above=True) >= 0.025 and tail(ones, above=False) >= 0.025]
    assert said["total"]["interval"] == [fits[0], fits[-1]]


def test_how_many_to_ask() -> None:
    said = dalenius("respond", "--keep", "3/4", "--accuracy", "0.01")
    assert "7500 persons" in said.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "--epsilon or --keep"),
        (("--keep", "3/4", "--epsilon", "1"), "--epsilon or --keep"),
        (("--keep", "1/2"), "between 1/2 and 1"),
        (("--keep", "3/4", "--yes", "4"), "--people"),
        (("--keep", "3/4", "--people", "0"), "From 1 to"),
        (("--keep", "3/4", "--people", "ten"), "whole number"),
        (("--keep", "3/4", "--people", "10", "--yes", "11"), "between 0 and 10"),
        (("--keep", "3/4", "--people", "10", "--yes", "1", "--confidence", "2"), "between 0 and 1"),
        (("--keep", "3/4", "--accuracy", "2"), "between 0 and 1"),
    ],
)
def test_bad_input_is_told(given: tuple[str, ...], said: str) -> None:
    found = dalenius("respond", *given)
    assert found.code == 2
    assert said in found.err + found.out


def test_sheets_are_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "sheets.csv").write_text("mine")
    found = dalenius("respond", "--keep", "3/4", "--people", "10", "-o", tmp_path / "sheets.csv")
    assert found.code == 2
    assert (tmp_path / "sheets.csv").read_text() == "mine"
