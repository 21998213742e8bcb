"""A specification for each way to declare data, beliefs and figures, with a table that fits it."""

import copy
from dataclasses import dataclass
from functools import cache

import numpy as np

from edges.desk import people, spec
from releasable.rows import rows, table

ABOUT = {
    "person": "id",
    "attacker": {"knows": "0.05", "source": "the largest employer"},
    "target": {"epsilon": "1", "delta": "1e-3"},
}
SMOKER = {"probabilities": {"yes": "0.3", "no": "rest"}, "source": "a survey"}


@dataclass(frozen=True)
class Specimen:
    """A specification without `data`, and the table that it is about."""

    keys: dict
    table: dict[str, list]


def _plain() -> Specimen:
    return Specimen(spec(data=None), people())


def _visits() -> Specimen:
    """Several rows a person."""
    dice = np.random.default_rng(2)
    who = sorted(dice.integers(0, 300, 700).tolist())
    region = dice.choice(["north", "south"], 300)
    keys = {
        "public": {"region": ["north", "south"]},
        "rows": {
            "cost": {"unit": 25, "bounds": [0, 250], "round": "nearest"},
            "fever": ["no", "yes"],
            "day": {"unit": "day", "bounds": ["2024-01-01", "2024-03-31"]},
        },
        "per_person": {
            "visits": {"take": "number of rows", "limits": [1, 9], "bins": [1, 2, 4, 9]},
            "fevers": {"take": "number of rows", "where": "fever = yes", "limits": [0, 3]},
            "spent": {"take": "sum", "of": "cost", "limits": [0, 500], "unit": 50},
            "ever": {"take": "any", "where": {"cost": {"at_least": 200}}},
            "always": {"take": "all", "where": "cost <= 200 and fever = no"},
            "dearest": {"take": "largest", "of": "cost"},
            "begun": {"take": "first", "of": "fever", "by": "day"},
        },
        "beliefs": {
            "spent": {"probabilities": {"0 to 500": 1}, "source": "last year"},
            "visits": {
                "probabilities": {"1 to under 2": "1/2", "2 to under 4": "1/4", "4 to 9": "rest"},
                "source": "x",
            },
            "ever": {"probabilities": {"yes": "1/3", "no": "2/3"}, "source": "x", "weight": "0.9"},
        },
        "figures": [
            {"name": "spent", "kind": "mean", "column": "spent", "by": "region"},
            {"name": "visits", "kind": "count", "by": ["visits"]},
            {"name": "ever", "kind": "percentage", "of": {"ever": "yes"}, "where": {"region": ["north"]}},
        ],
    }
    table = {
        "id": [f"P{one}" for one in who],
        "region": [str(region[one]) for one in who],
        "cost": dice.integers(0, 251, len(who)).tolist(),
        "fever": dice.choice(["no", "yes"], len(who)).tolist(),
        "day": [f"2024-0{1 + day // 28}-{1 + day % 28:02d}" for day in dice.integers(0, 84, len(who)).tolist()],
    }
    return Specimen({**ABOUT, **keys}, table)


def _kinds() -> Specimen:
    """Figures of every kind."""
    dice = np.random.default_rng(3)
    keys = {
        "public": {"region": ["north", "south"], "weight": {"bounds": [1, 3]}},
        "confidential": {"smoker": ["no", "yes"], "children": {"bounds": [0, 3], "missing": "as a value"}},
        "beliefs": {
            "smoker": SMOKER,
            "children": {"probabilities": {"0 to 3": "0.9", "missing": "rest"}, "source": "a survey", "within": "0.01"},
        },
        "figures": [
            {"name": "all", "kind": "count", "by": "region"},
            {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}, "by": "region"},
            {"name": "smoking", "kind": "percentage", "of": "smoker", "by": ["region"]},
            {"name": "rate", "kind": "rate", "of": {"smoker": ["yes"]}, "per": 1000, "noise": {"geometric": 3}},
            {"name": "odds", "kind": "ratio", "of": {"smoker": "yes"}, "to": {"smoker": "no"}},
            {"name": "weighted", "kind": "mean", "column": "children", "weight": "weight", "truncate": [0, 2]},
            {"name": "there", "kind": "mean", "column": "children", "missing": "leave out of this figure"},
            {"name": "spread", "kind": "standard deviation", "column": "children"},
            {"name": "middle", "kind": "median", "column": "children", "by": "region"},
            {"name": "high", "kind": "quantile", "column": "children", "at": "0.9", "where": "region = north"},
            {"name": "most", "kind": "largest", "column": "children"},
            {"name": "often", "kind": "mode", "column": "smoker", "round": 5},
        ],
        "computed": [
            {"name": "share", "kind": "quotient", "parts": ["smokers"], "over": ["all"], "times": 100},
            {"name": "twice", "kind": "total", "parts": ["smokers", "all"], "weights": [1, "1/2"]},
            {"name": "place", "kind": "quantile", "parts": ["smokers"], "at": "0.5", "values": ["yes"]},
        ],
    }
    table = {
        "id": [f"P{place}" for place in range(300)],
        "region": dice.choice(["north", "south"], 300).tolist(),
        "weight": dice.integers(1, 4, 300).tolist(),
        "smoker": dice.choice(["yes", "no"], 300, p=[0.3, 0.7]).tolist(),
        "children": [one if one < 4 else "" for one in dice.integers(0, 5, 300).tolist()],
    }
    return Specimen({**ABOUT, **keys}, table)


def _dates() -> Specimen:
    """Dates, bins, what is missing, numbers that are rounded when they are read; every row a person."""
    dice = np.random.default_rng(4)
    keys = {
        "person": "each row",
        "public": {
            "born": {"unit": "year", "bins": [1940, 1970, 2000]},
            "since": {"unit": "day", "bounds": ["2020-01-01", "2020-12-31"], "missing": "as a value"},
        },
        "confidential": {
            "admitted": {"unit": "month", "bounds": ["2020-11", "2021-03"], "missing": "as a value"},
            "age": {"bounds": [0, 99], "bins": [0, 18, 65, 100], "missing": "as a value"},
            "weight": {"unit": "0.5", "bounds": [40, 60], "round": "nearest", "missing": "as a value"},
            "ill": {"values": ["no", "yes"], "missing": "as a value"},
        },
        "beliefs": {
            "admitted": {"probabilities": {"2020-11 to 2021-03": "0.9", "missing": "rest"}, "source": "x"},
            "age": {
                "by": "born",
                "cells": {
                    "1940 to 1969": {
                        "0 to under 18": 0,
                        "18 to under 65": "1/2",
                        "65 to 100": "1/4",
                        "missing": "rest",
                    },
                    "1970 to 2000": {"0 to under 18": "1/8", "18 to under 65": "rest", "65 to 100": 0, "missing": 0},
                },
                "source": "x",
            },
            "weight": {"probabilities": {"40 to 60": "0.9", "missing": "rest"}, "source": "x"},
            "ill": {"probabilities": {"yes": "0.2", "no": "0.7", "missing": "rest"}, "source": "x"},
        },
        "figures": [
            {"name": "early", "kind": "count", "where": "admitted < 2021 and since >= 2020-03-01", "by": "born"},
            {"name": "old", "kind": "count", "where": {"age": ["65 to 100", "missing"]}},
            {"name": "weight", "kind": "sum", "column": "weight", "missing": "leave out of this figure"},
            {"name": "ill", "kind": "count", "by": ["ill"]},
        ],
    }
    months = ["2020-11", "2020-12", "2021-01", "2021-02", "2021-03", ""]
    table = {
        "born": dice.integers(1940, 2001, 200).tolist(),
        "since": [f"2020-{1 + day // 28:02d}-{1 + day % 28:02d}" for day in dice.integers(0, 336, 200).tolist()],
        "admitted": dice.choice(months, 200).tolist(),
        "age": [age if age < 100 else "" for age in dice.integers(0, 110, 200).tolist()],
        "weight": [round(number, 2) for number in dice.uniform(40, 60, 200).tolist()],
        "ill": dice.choice(["no", "yes", ""], 200).tolist(),
    }
    return Specimen({**ABOUT, **keys}, table)


def _joint() -> Specimen:
    """Columns that move together, one table keys inside keys, one a list of combinations."""
    dice = np.random.default_rng(5)
    listed = [
        {"drinker": "no", "age": 0, "probability": "0.2"},
        {"drinker": "no", "age": 1, "probability": "0.3"},
        {"drinker": "yes", "age": 0, "probability": "rest"},
        {"drinker": "yes", "age": "1", "probability": "0.1"},
    ]
    nested = {"flu": {"yes": "0.1", "no": "0.2"}, "none": {"yes": "0.1", "no": "rest"}}
    keys = {
        "public": {"region": ["north", "south"]},
        "confidential": {
            "diagnosis": ["flu", "none"],
            "smoker": ["no", "yes"],
            "drinker": ["no", "yes"],
            "age": {"bounds": [0, 1]},
        },
        "beliefs": [
            {"columns": ["diagnosis", "smoker"], "by": "region", "cells": {}, "source": "x"},
            {"columns": ["drinker", "age"], "probabilities": listed, "source": "x"},
        ],
        "figures": [
            {"name": "flu", "kind": "count", "where": "diagnosis = flu and smoker = yes", "by": "region"},
            {"name": "ages", "kind": "sum", "column": "age", "by": "drinker"},
        ],
    }
    keys["beliefs"][0]["cells"] = {"north": nested, "south": copy.deepcopy(nested)}
    table = {
        "id": [f"P{place}" for place in range(400)],
        "region": dice.choice(["north", "south"], 400).tolist(),
        "diagnosis": dice.choice(["flu", "none"], 400).tolist(),
        "smoker": dice.choice(["no", "yes"], 400).tolist(),
        "drinker": dice.choice(["no", "yes"], 400).tolist(),
        "age": dice.integers(0, 2, 400).tolist(),
    }
    return Specimen({**ABOUT, **keys}, table)


def _series() -> Specimen:
    """A table that comes every month."""
    dice = np.random.default_rng(6)
    keys = {
        "public": {"since": {"bounds": [1, 99]}, "until": {"bounds": [1, 99]}, "region": ["north", "south"]},
        "confidential": {"ill": ["no", "yes"]},
        "beliefs": {"ill": {"probabilities": {"yes": "0.2", "no": "rest"}, "source": "x"}},
        "edition": {"now": 3, "since": "since", "until": "until", "before": {"R1": 1}},
        "series": {"editions": 12, "changes": {"ill": ["0.01", "0.02"]}, "joins": "0.01", "leaves": 0, "source": "x"},
        "figures": [{"name": "ill", "kind": "count", "where": {"ill": "yes"}, "by": ["region"]}],
    }
    table = {
        "id": [f"P{place}" for place in range(400)],
        "since": dice.integers(1, 4, 400).tolist(),
        "until": [99] * 400,
        "region": dice.choice(["north", "south"], 400).tolist(),
        "ill": dice.choice(["no", "yes"], 400).tolist(),
    }
    return Specimen({**ABOUT, **keys}, table)


def _households() -> Specimen:
    """Records that move together, a belief that says little, and cells that are left out."""
    dice = np.random.default_rng(7)
    keys = {
        "public": {"region": ["north", "south"]},
        "confidential": {"smoker": ["no", "yes"], "drinker": ["no", "yes"]},
        "beliefs": {"smoker": SMOKER, "drinker": {"none_above": "0.9", "source": "x"}},
        "together": {"column": "home", "weight": "0.5", "source": "a survey of households"},
        "figures": [
            {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}},
            {"name": "drinkers", "kind": "count", "by": ["region"], "where": {"drinker": "yes"}},
        ],
    }
    keys["figures"][1]["leave_out"] = [{"region": "north"}]
    table = {
        "id": [f"P{place}" for place in range(600)],
        "home": [f"H{place // 2}" for place in range(600)],
        "region": ["north" if place < 300 else "south" for place in range(600)],
        "smoker": dice.choice(["no", "yes"], 600).tolist(),
        "drinker": dice.choice(["no", "yes"], 600).tolist(),
    }
    return Specimen({**ABOUT, **keys}, table)


def _told() -> Specimen:
    """Figures that tell less than a count, beliefs of which one of several is true, answers of which some are false."""
    dice = np.random.default_rng(8)
    keys = {
        "public": {"region": ["north", "south"]},
        "confidential": {
            "smoker": ["no", "yes"],
            "said": ["no", "yes"],
            "pay": {"bounds": [0, 9]},
            "party": ["a", "b", "c"],
        },
        "beliefs": {
            "smoker": {**SMOKER, "hedged": "0.001"},
            "said": {"probabilities": {"yes": "0.4", "no": "rest"}, "answered": "0.75", "source": "x"},
            "pay": {"probabilities": {"0 to 9": 1}, "source": "x"},
            "party": {"scenarios": [{"a": "0.5", "b": "0.3", "c": "rest"}, {"a": "1/3", "b": "1/3", "c": "rest"}]},
        },
        "figures": [
            {
                "name": "earned",
                "kind": "count",
                "where": {"smoker": "yes"},
                "earned": {"chance": "0.3", "epsilon": "0.5", "hedged": "0.001", "people": 300},
            },
            {"name": "chosen", "kind": "count", "where": {"pay": {"at_most": 4}}, "choose": ["0.1", "0.5", "0.9"]},
            {"name": "middle", "kind": "median", "column": "pay", "counts": "hidden"},
            {"name": "truly", "kind": "answers", "of": {"said": "yes"}, "by": "region"},
            {"name": "won", "kind": "winner", "column": "party"},
            {
                "name": "follow",
                "kind": "model",
                "column": "pay",
                "models": [{"0 to 9": "1"}, {"0 to 4": "0.2", "5 to 9": "rest"}],
            },
            {"name": "few", "kind": "count", "by": ["party"], "hide": {"below": 10, "zeros": "hidden"}},
        ],
    }
    keys["beliefs"]["party"]["source"] = "x"
    table = {
        "id": [f"P{place}" for place in range(800)],
        "region": dice.choice(["north", "south"], 800).tolist(),
        "smoker": dice.choice(["no", "yes"], 800, p=[0.7, 0.3]).tolist(),
        "said": dice.choice(["no", "yes"], 800).tolist(),
        "pay": dice.integers(0, 10, 800).tolist(),
        "party": dice.choice(["a", "b", "c"], 800).tolist(),
    }
    return Specimen({**ABOUT, **keys}, table)


def _sampled() -> Specimen:
    """Who was drawn is unknown, and what is promised has a name."""
    dice = np.random.default_rng(9)
    keys = {
        "confidential": {"smoker": ["no", "yes"]},
        "beliefs": {"smoker": SMOKER},
        "sample": {"of": 9000, "design": "simple", "source": "the protocol", "taking_part": "known"},
        "promise": "noiseless",
        "figures": [{"name": "smokers", "kind": "count", "where": {"smoker": "yes"}}],
    }
    table = {"id": [f"P{place}" for place in range(600)], "smoker": dice.choice(["no", "yes"], 600).tolist()}
    return Specimen({**ABOUT, **keys}, table)


@cache
def specimens() -> dict[str, Specimen]:
    """All of them, by what is special about them."""
    makers = {"plain": _plain, "visits": _visits, "kinds": _kinds, "dates": _dates, "joint": _joint, "series": _series}
    makers |= {"households": _households, "told": _told, "sampled": _sampled}
    return {name: maker() for name, maker in makers.items()}


@cache
def released() -> dict[str, Specimen]:
    """What the page of all that can be released shows, by the name of its row: every key has its words there."""
    found = {
        row.id: {key: value for key, value in row.specification.items() if key != "data"} for row in rows() if row.words
    }
    return {name: Specimen(keys, table()) for name, keys in found.items()}
