"""`figure >> step`: what makes no sense, or is not covered, is refused with what to write instead."""

from collections.abc import Callable

import pytest

import dalenius as dl
from stated.test_compositions import CHAIN, HEDGED

NONSENSE: dict[str, tuple[Callable[[], object], str]] = {
    "a figure, then a mechanism of its own": (lambda: dl.Sum() >> HEDGED, "must be a channel"),
    "rounded, then hedged": (lambda: dl.Count() >> dl.Rounded(5) >> HEDGED, "must be a channel"),
    "rounded afterwards": (lambda: HEDGED >> dl.Rounded(5), "is the last step"),
    "a rounded histogram": (lambda: dl.Histogram("a", "b") >> dl.Rounded(5), "a figure that is one number"),
    "randomised sums": (
        lambda: dl.mechanisms.RandomizedResponse(epsilon=1) >> dl.Sum(),
        "number of those that are yes",
    ),
    "a truncated sum": (lambda: dl.Sum() >> dl.mechanisms.Truncated(5), "right after a histogram or a count"),
    "truncated at 0": (lambda: dl.mechanisms.Truncated(0), "at least 1, but got 0. Write"),
    "the mode of a count": (lambda: dl.Count() >> dl.mechanisms.mode("a", "b"), "right after a histogram"),
    "other cells": (lambda: dl.Histogram("a", "b", "c") >> dl.mechanisms.mode("a", "b"), "'c' is on one side only"),
    "a histogram, then more": (lambda: dl.Histogram("a", "b") >> dl.Exact() >> dl.Rounded(3), "is the last step"),
    "a sum of a count": (lambda: dl.Count() >> dl.Sum(), "A figure comes first"),
    "one cell": (lambda: dl.Histogram("a"), "at least two different values"),
    "quilts of a histogram": (
        lambda: dl.mechanisms.ChainNoise.by_quilts(CHAIN, dl.Histogram("a", "b"), epsilon=1),
        "a figure that is one number",
    ),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_what_makes_no_sense_is_refused(name: str) -> None:
    made, said = NONSENSE[name]
    with pytest.raises(dl.InputError) as problem:
        made()
    assert said in str(problem.value)


ASKED: dict[str, tuple[Callable[[], object], str]] = {
    "truncated, noiseless": (
        lambda: dl.verify(
            dl.Histogram("a", "b") >> dl.mechanisms.Truncated(3),
            dl.noiseless(dl.Sampled({"a": 9, "b": 9}, rate="0.1")),
            epsilon=1,
        ),
        "judged under distributional(Sampled(...))",
    ),
    "exact, presence": (
        lambda: dl.verify(
            dl.Histogram(0, 1) >> dl.Exact(), dl.noiseless(dl.IID(p="0.1", n=9), secret=dl.Presence()), epsilon=1
        ),
        "for the value of a record",
    ),
    "exact, other cells": (
        lambda: dl.verify(dl.Histogram(0, 1, 2) >> dl.Exact(), dl.IID(p="0.1", n=9), epsilon=1),
        "2 is on one side only",
    ),
    "a mode, differentially private": (
        lambda: dl.verify(dl.Histogram(0, 1) >> dl.mechanisms.mode(0, 1), dl.differential_privacy(), epsilon=1),
        "judged under noiseless(IID(...)) or distributional(IID(...))",
    ),
    "models under one law": (
        lambda: dl.verify(
            dl.Histogram(0, 1) >> dl.mechanisms.likeliest_model({0: "0.1", 1: "0.9"}, {0: "0.9", 1: "0.1"}),
            dl.IID(p="0.1", n=9),
            epsilon=1,
        ),
        "OneOfTheModels(n=...)",
    ),
    "a count under models": (
        lambda: dl.verify(dl.Count(), dl.noiseless(dl.beliefs.OneOfTheModels(n=9)), epsilon=1),
        "The likeliest model is judged",
    ),
    "a count of a sample, distributional": (
        lambda: dl.verify(dl.Count(), dl.distributional(dl.Sampled({0: 5, 1: 9}, size=4)), epsilon=1),
        "is computed for independent records",
    ),
    "nothing asked": (
        lambda: dl.verify(dl.Histogram(0, 1) >> dl.Exact(), dl.IID(p="0.1", n=9)),
        "verify needs epsilon=",
    ),
    "no belief": (lambda: dl.distributional(3), "needs a belief"),
    "a wrong prior": (lambda: dl.beliefs.OneOfTheModels(n=9, least_prior=2), "least_prior above 0"),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_not_covered_is_refused(name: str) -> None:
    asked, said = ASKED[name]
    with pytest.raises(dl.InputError) as problem:
        asked()
    assert said in str(problem.value)
