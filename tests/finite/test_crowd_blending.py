"""Crowd-blending privacy: the counterexample of the Pufferfish paper, and mechanisms that are and are not."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from dalenius.basics.errors import InputError
from dalenius.papers.definitions.crowd_blending import crowd_blending, never_below
from dalenius.papers.theorems import find

VALUES = ("Bob", "Eve", "Ann")


def everything(largest: int) -> list[tuple[str, ...]]:
    return [data for size in range(largest + 1) for data in combinations_with_replacement(VALUES, size)]


@pytest.mark.parametrize("k", [2, 3])
def test_who_knows_the_size_sees_bob(k: int) -> None:
    release = never_below(k)
    assert crowd_blending(release.on(VALUES, 5), VALUES, k=k, epsilon=0, largest=5).holds
    assert release(("Bob", "Eve", "Ann", "Ann")) != release(("Ann", "Eve", "Ann", "Ann"))
    (entry,) = find("KM-S4.1")
    assert entry.counterexample is not None and entry.counterexample().holds


def test_what_neither_blends_nor_can_be_left_out_is_found() -> None:
    """The count of one value: it blends with nobody else; with two of them in the data each has its own crowd."""
    release = {data: data.count("Bob") for data in everything(3)}
    found = crowd_blending(release, VALUES, k=2, epsilon=0, largest=3)
    assert not found.holds and found.record == "Bob" and found.dataset.count("Bob") == 1


def test_randomised_answers_blend_to_within_epsilon() -> None:
    def answer(data: tuple[str, ...]) -> dict[str, Fraction]:
        yes = Fraction(3 if "Bob" in data else 1, 4)
        return {"yes": yes, "no": 1 - yes}

    release = {data: answer(data) for data in everything(3)}
    assert crowd_blending(release, VALUES, k=2, epsilon="1.1", largest=3).holds
    assert not crowd_blending(release, VALUES, k=2, epsilon="1.09", largest=3).holds


def test_outputs_must_be_listed() -> None:
    with pytest.raises(InputError, match="every multiset"):
        crowd_blending({(): 0}, VALUES, k=2, epsilon=0, largest=2)
