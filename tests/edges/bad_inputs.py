"""Bad input of every kind that a command reads, made by dice: the same number always makes the same case.

Where something confidential can stand, `CANARY` stands: it must not come out anywhere.
"""

import base64
import copy
import csv
import io
import json
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from pydantic import BaseModel

from dalenius.basics.limits import LARGEST_PEOPLE, LARGEST_ROUNDING
from dalenius.desk.policy import Policy
from dalenius.desk.spec import model as keys_of
from dalenius.record.certificate.written import sealed as sealed_certificate
from dalenius.record.ledger.entry import sealed
from edges.desk import as_csv, people, spec
from edges.specimens import Specimen, released, specimens
from interview.test_interview import ANSWERS
from releasable.rows import COUNTS
from releasable.rows import table as table_of_rows

CANARY = "canary7391"
ADDRESSES = [
    *(
        f"{kind}{rest}"
        for kind in ("postgresql://", "postgres://", "postgresql+psycopg://", "mysql://", "sqlite:///", "duckdb://")
        for rest in (
            f"u:{CANARY}@127.0.0.1:9/d",
            f"u@127.0.0.1:9/d?password={CANARY}",
            f"u:{CANARY}",
            f"u@127.0.0.1:{CANARY}/d",
            f"[{CANARY}/d",
            f"u:x/{CANARY}@127.0.0.1:9/d",
        )
    ),
    f"host=127.0.0.1 port=9 password={CANARY}",
    f"u:{CANARY}@127.0.0.1/d",
]
PATHS = [
    *("", ".", "..", "/", "-", "~nosuch/x", "~", "x\0y", "\0", "n" * 300, "a/" * 3000, "nowhere/x", "/dev/zero", "*"),
    *("/dev/null", "/proc/self/mem", "/dev/full", "people.csv/x", "pipe", "\ud800", "\udcff", "a\nb", "é" * 200, "{}"),
]
NUMBERS = [
    *("1e999999999", "-1e999999999", "1e-999999999", "1E+999999999", "1e309", "1e308", "1e-400", "nan", "inf", "-inf"),
    *(
        "1/0",
        "0/0",
        "1/3/4",
        "0x10",
        "1_000",
        "1_0e9_9_9_9_9_9",
        "١٢",
        "½",
        "²",
        "",
        " ",
        "9" * 5000,
        "0." + "1" * 5000,
    ),
    *(
        "-1",
        "0",
        "1e5",
        "1,5",
        "5 %",
        "1e1e1",
        "+",
        "-",
        ".",
        "1.",
        "NaN",
        "true",
        "9" * 20,
        str(2**63),
        "1/" + "9" * 999,
    ),
]


def deep(levels: int) -> object:
    """A list in a list in a list."""
    found: object = []
    for _ in range(levels):
        found = [found]
    return found


ATOMS = [
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**18, 10**400, [], {}, [[]], [None], {"a": None}, deep(30)),
    *(
        deep(80),
        deep(300),
        "a" * 20_000,
        ["x"] * 1200,
        {str(n): n for n in range(1200)},
        "\u202e",
        "\x1b[2J",
        "=1+1",
    ),
    *({"unit": "1e-300", "bounds": ["-1e300", "1e300"]}, {"bounds": [0, 10**9]}, {"bounds": [0, 5 * 10**7]}),
    *(*NUMBERS, *PATHS[:-10], *ADDRESSES[:4]),
]


@dataclass(frozen=True)
class Stage:
    """A folder with one of everything: a table, a specification, a release, its ledger, keys, answers."""

    folder: Path

    def __getitem__(self, name: str) -> Path:
        return self.folder / name


def places(tree: object, path: tuple = ()) -> Iterator[tuple]:
    """All places in a tree of keys and lists."""
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in items:
        yield from places(part, (*path, key))


def _models() -> list[type[BaseModel]]:
    """Everything that has keys in a specification."""
    every = [one for one in vars(keys_of).values() if isinstance(one, type) and issubclass(one, BaseModel)]
    return [one for one in every if one.model_fields]


KEYS = sorted({key for one in _models() for key in one.model_fields})
PRINTED = ("name", "source")  # what a policy or a figure is called, and where numbers come from, stands in every report


def atom_for(key: object, dice: random.Random, atoms: list) -> object:
    """Something to stand at a key; nothing that was planted where it may be printed."""
    atom = dice.choice(atoms)
    while key in PRINTED and isinstance(atom, str) and CANARY in atom:
        atom = dice.choice(atoms)
    return copy.deepcopy(atom)


def changed(tree: object, dice: random.Random, atoms: list, times: int = 1) -> object:
    """The tree with something else in some places, or with a key taken out, or put in."""
    tree = copy.deepcopy(tree)
    for _ in range(times):
        path = dice.choice([place for place in places(tree) if place])
        inner = tree
        for key in path[:-1]:
            inner = inner[key]
        match dice.randrange(8):
            case 0:
                del inner[path[-1]]
            case 1 if isinstance(inner, dict):
                key = dice.choice(["extra", "<<", "1", *KEYS])
                inner[key] = atom_for(key, dice, atoms)
            case 2 if isinstance(inner, list):
                inner.append(inner[path[-1]])
            case _:
                inner[path[-1]] = atom_for(path[-1], dice, atoms)
    return tree


QUICK_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def as_yaml(tree: object) -> str:
    """The tree as text. What is deep needs a deep stack; half a character is written by the slow writer only."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        return yaml.dump(tree, Dumper=QUICK_DUMPER, sort_keys=False)
    except UnicodeEncodeError:
        return yaml.safe_dump(tree, sort_keys=False)
    finally:
        sys.setrecursionlimit(before)


def scrambled(content: bytes, dice: random.Random) -> bytes:
    """Bytes with a part cut out, doubled, or replaced."""
    found = bytearray(content)
    for _ in range(dice.randint(1, 4)):
        at, length = dice.randrange(len(found) + 1), dice.choice([1, 1, 2, 10, 100])
        match dice.randrange(5):
            case 0:
                del found[at : at + length]
            case 1:
                found[at:at] = bytes(dice.randrange(256) for _ in range(length))
            case 2:
                found[at:at] = found[at : at + 50] * dice.choice([1, 2, 50])
            case 3:
                found[at : at + 1] = dice.choice(
                    [b"\0", b"\xff", b'"', b"\r", b"{", b"[" * 3000, b"&a ", b"*a", b"<<: ", b"- " * 500]
                )
            case 4:
                found = found[: at or 1]
    return bytes(found)


BOMB = "a: &a {x: 1}\n" + "".join(
    f"{name}: &{name} {{k{name}: *{before}, j{name}: *{before}, i{name}: *{before}}}\n"
    for before, name in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True)
)
MERGES = (
    "a: &a {"
    + ", ".join(f"k{n}: 1" for n in range(500))
    + "}\n"
    + "".join(
        f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 20)}]}}\n"
        for before, name in zip("abcdefghi", "bcdefghij", strict=True)
    )
)
TEXTS = [
    BOMB,
    MERGES,
    "&a [*a]",
    "a: &a\n  b: *a\n",
    "[" * 5000,
    "{" * 5000,
    "- " * 3000,
    "a: !!int x",
    "a: !!python/object x",
]
TEXTS += [
    "%YAML 9.9\n---\na",
    "\ufeff",
    "a: |\n",
    "? [a]\n: b",
    "!!binary x",
    "!!timestamp 2001-99-99",
    "a: 'x",
    "--- a\n--- b",
]


# What a specification may say, at its ends: judged, or refused in words.
ENDS: dict[tuple, list] = {
    ("target", "epsilon"): ["0", "1e-300", "1e-9", "99.99", "100", "100.1"],
    ("target", "delta"): ["0", "1e-300", "1e-12", "0.999999999", "1"],
    ("attacker", "knows"): ["0", "1e-300", "0.9975", "0.99999", 399, 400, 10**12],
    ("figures", 0, "round"): [1, 2, 399, 9999, LARGEST_ROUNDING + 1],
    ("figures", 0, "noise"): [
        {kind: scale}
        for kind in ("geometric", "gaussian", "normal")
        for scale in ("1e-300", "1e-9", "0.1", "3", "1e5", "1e5", "1099511627776", "1e300")
    ],
    ("beliefs", "smoker", "probabilities"): [
        {"yes": yes, "no": "rest"} for yes in ("0", "1", "1e-300", "1e-17", "1/3", "0." + "9" * 300, "1e-400")
    ],
    ("beliefs", "smoker", "weight"): ["1", "1e-300", "0", "0.5"],
    ("beliefs", "smoker", "within"): ["1", "1e-300", "0", "0.29999"],
    ("confidential", "income"): [
        {"unit": unit, "bounds": bounds}
        for unit, bounds in (("1e-9", [0, 1]), ("1e300", [0, "1e300"]), (1, [0, 0]), (1, [-(2**62), -(2**62) + 1]))
    ],
    ("figures", 0, "by"): [[], ["region", "region"], "smoker"],
    ("sizes",): [{"cells": cells} for cells in (0, 1, 10**6, 10**8, LARGEST_PEOPLE + 1, 2**63, -1)],
}


DATES = ["2024-02-30", "2024-13", "0001-01-01", "9999-12-31", "10000-01-01", 2024, "2024-1-1", "20240101", "٢٠٢٤-01-01"]
BINS = [[], [0], [0, 0], [1, 0], [0, "1e300"], ["1e-300", "2e-300"], list(range(300)), [0, 1, "x"], [0, "1/3", "2/3"]]
LIMITS = [[0, 0], [3, 0], [-1, 1], [0, 10**9], [0, "1e300"], [0, "0.5"], [0, 25 * 10**7], [25, 75]]
CONDITIONS = [
    *("fever = maybe", "cost > 100 and day < 2024-02", "day between 2024-01 and 2024", "nothing = 1", "id = 'P1'", ""),
    *("cost != 0 or fever = no", "not (cost in (0, 25))", "fever = 'no", "visits >= 1", {"cost": {}}, {}),
    *({"day": {"at_least": "2024-02-30"}}, {"fever": []}, {"fever": ["no", "no"]}, {"cost": {"at_most": "1e300"}}),
]
DOMAINS = [
    *({"bins": bins, "missing": "as a value"} for bins in BINS),
    *({"unit": unit, "bins": dates} for unit in ("day", "month", "year") for dates in (DATES[:2], [2020, 2021])),
    *({"unit": unit, "bounds": DATES[2:4]} for unit in ("day", "month", "year", "week", "hour")),
    *({"values": values, "missing": "as a value"} for values in ([], ["missing"], ["Missing", ""], [1, True], ["a"])),
    *({"bounds": [0, 1], key: value} for key, value in (("round", "up"), ("values", ["a"]), ("bins", [5, 9]))),
    *({"unit": unit, "bounds": [0, 1], "round": "nearest"} for unit in ("1e-9", "1/3", "7", 0, -1, "1e300")),
    *({"unit": 1, "bounds": [2**53, 2**53 + 1], "missing": "as a value"}, {"unit": "year", "bounds": [2020, 2020]}),
]
KINDS_OF_FIGURES = [
    *("percentage", "rate", "ratio", "variance", "standard deviation", "median", "quantile", "smallest", "largest"),
    *(
        "mode",
        "mean",
        "sum",
        "count",
        "average",
        "Weighted mean",
        "answers",
        "winner",
        "model",
        "survival",
        "MEDIAN",
        "standard_deviation",
    ),
]
FIGURE_KEYS = {
    "kind": KINDS_OF_FIGURES,
    "of": [*CONDITIONS, "smoker", "children", "region", "weight", "ill", "flu", {"smoker": "yes"}, {"region": "north"}],
    "to": [*CONDITIONS, "smoker", "children", "weight", {"smoker": []}, {"smoker": ["yes", "no"]}],
    "per": NUMBERS,
    "at": ["0", "1", "1e-300", "0.999999999", "-0.1", "1.1", "nan", *NUMBERS],
    "weight": ["weight", "region", "smoker", "children", "id", "nothing", "since", "born"],
    "missing": ["leave out of this figure", "as a value", "leave out"],
    "column": ["children", "weight", "smoker", "spent", "visits", "age", "admitted", "ever", "region", "ill", "begun"],
    "by": [[], "smoker", ["region", "smoker"], ["visits", "ever"], "spent", "children", ["weight"], "admitted", "born"],
    "truncate": [[0, 0], [1, 0], [0, "1e300"], [-5, 5], ["0.5", 1], [0, 1, 2]],
    "round": [1, 2, 3, 0, -1, 10**6, "2.5"],
    "noise": [
        {kind: scale}
        for kind in ("geometric", "gaussian", "normal", "quilt", "distance")
        for scale in ("1e-300", "3", "1e300")
    ],
    "where": CONDITIONS,
    "leave_out": [
        *(
            [],
            [{}],
            [{"region": "north"}],
            [{"region": "nowhere"}],
            [{"smoker": "yes"}],
            [{"region": ["north"]}],
            "north",
        ),
        *([{"region": "north"}] * 2, [{"region": "north"}, {"region": "south"}], [{"region": "north", "extra": 1}]),
    ],
}
FIGURE_KEYS |= {
    "counts": ["hidden", "shown", None, 10],
    "choose": [[], ["0.1"], ["0.1", "0.1"], ["0.2", "0.1"], ["0", "1"], ["1e-300", "0.5"], ["1/3"] * 300, "0.5", [2]],
    "earned": [
        *({"chance": chance, "epsilon": "0.5"} for chance in ("0.3", "0", "1", "2", "1e-300")),
        *({"chance": "0.3", "epsilon": epsilon} for epsilon in ("0", "1e-9", "1e300", "-1")),
        *({"between": between, "scale": 2} for between in (["0.2", "0.4"], ["0.4", "0.2"], [0, 1], ["0.3"], [])),
        *({"between": ["0.2", "0.4"], "scale": scale} for scale in ("0", "1e300", "1e-300")),
        *({"chance": "0.3", "epsilon": "0.5", "hedged": hedged, "people": 9} for hedged in ("0", "1", "1e-300", "0.1")),
        *({}, {"chance": "0.3"}, {"people": 10**30, "hedged": "0.1"}, {"scale": 2}, {"between": ["0.2", "0.4"]}),
    ],
    "models": [
        *([], [{}], [{"yes": "0.5", "no": "0.5"}], [{"yes": "0.5", "no": "rest"}, {"yes": "1e-300", "no": "rest"}]),
        *([{"yes": "rest", "no": "rest"}] * 2, [{"yes": 1}, {"no": 1}], [["0.5", "0.5"], ["0.1", "0.9"]], [[]], "yes"),
        *([{"0 to 9": 1}, {"0 to 9": "0.5", "0": "rest"}], [{"nobody": 1}, 3], [{"yes": "0.5", "no": "0.6"}] * 30),
    ],
    "compare": [2, 1, 0, -1, 201, True, "2.5", 10**30],
    "hide": [
        *({"below": below, "zeros": "hidden"} for below in (1, 2, 10, 0, -1, 10**9, 2**70, True, "x")),
        *({}, {"below": 5}, {"below": 5, "zeros": "never"}, {"zeros": "shown"}),
    ],
}
COMPUTED_KEYS = {
    "kind": [
        "winner",
        "model",
        "place",
        "total",
        "quotient",
        "variance",
        "standard deviation",
        "quantile",
        "smallest",
        "largest",
        "mode",
        "median",
    ],
    "parts": [[], ["nothing"], ["share"], ["smokers"], ["smokers", "smokers"], ["all", "rate"], ["smokers"] * 300],
    "over": [[], ["nothing"], ["all"], ["smokers", "all"], ["twice"]],
    "weights": [[], [0], ["1e300"], ["-1"], [1, 2, 3], ["1/3", "1e-300"]],
    "times": NUMBERS,
    "at": NUMBERS,
    "values": [[], ["yes"], [1, 2], ["yes", "yes"], [True], ["1e300"], ["a" * 3000]],
}
RECORD_KEYS = {
    "take": ["number of rows", "sum", "any", "all", "largest", "smallest", "first", "last", "mean"],
    "of": ["cost", "fever", "day", "visits", "region", "id", "nothing"],
    "where": CONDITIONS,
    "by": ["day", "cost", "fever", "nothing"],
    "limits": LIMITS,
    "unit": [25, 50, 75, "0.1", 0, -25, "1e300"],
    "bins": [*BINS, [0, 100, 500], [1, 5, 9]],
}
BELIEF_KEYS = {
    "columns": [[], "smoker", ["smoker", "smoker"], ["smoker", "nothing"], ["region"], ["spent", "ever"], ["a"] * 300],
    "probabilities": [
        *(
            {"missing": 1},
            {"missing": "rest"},
            {},
            [],
            [{"probability": 1}],
            [[]],
            {"flu": {"yes": "rest", "no": "rest"}},
        ),
        *({"flu": 1, "none": {"yes": 1}}, {"yes": {"yes": 1}}, {"0 to 1": {"yes": 1}}, {"2020-11 to 2021-03": 1}),
        *({"2021": 1}, {"2021-02-30": 1}, {"0 to 9": "1e300"}, {"yes": "-1", "no": 2}, {"40 to 60": "1/3"}),
    ],
    "by": ["born", "since", "region", ["region", "region"], "smoker", "nothing"],
    "cells": [{}, {"north": {}}, {"1940 to 1969": {}}, [], {"north": {"flu": {"yes": 1}}}],
    "weight": ["0", "1", "1e-300", "0.5"],
    "within": ["0", "1", "1e-300", "0.1"],
    "counts": ["nowhere.csv", "people.csv", "/dev/zero"],
    "confidence": ["0.999", "1", "0"],
    "fitted": [True, "maybe"],
    "none_above": ["0.97", "1", "0.5", "0", "1e-300", "2"],
    "none_below": ["0.004", "0", "0.5", "0.6", "1e-300", "1"],
    "unknown": [True, False, "yes"],
    "one_of": [[], [{}], [[]], [{"yes": "0.3", "no": "rest"}, {"yes": "0.4", "no": "rest"}], [{"yes": 1}] * 300],
    "source": ["", " ", "x"],
    "order": [
        *("id", "region", "nothing", {}, {"column": "id"}),
        *({"column": "id", "known": known} for known in ([0], [1, 1], [10**9], [1], ["x"], list(range(500)))),
    ],
    "start": [{}, {"yes": "0.3", "no": "rest"}, {"yes": 1}, {"maybe": 1}, {"yes": "1e300"}],
    "moves": [
        {},
        {"yes": {"yes": "0.5", "no": "rest"}, "no": {"yes": "0.1", "no": "rest"}},
        {"yes": {}},
        {"maybe": {}},
    ],
    "nobody_knows": [
        *([], [{}], [{"weight": 1, "probabilities": {"yes": "0.3", "no": "rest"}}]),
        *(
            [{"weight": weight, "probabilities": {"yes": "0.3", "no": "rest"}}] * 2
            for weight in ("1/2", "0", "1e300", "-1")
        ),
    ],
    "variance": ["0", "1", "1e-300", "1e300", "-1", "nan"],
    "scenarios": [
        *([], [{}], [[]], [{"yes": "0.3", "no": "rest"}] * 2, [{"yes": "0.3", "no": "rest"}, {"yes": 1}]),
        *([{"yes": "0.3", "no": "rest"}] * 300, [{"maybe": 1}], [{"yes": "1e300"}, {"no": 1}], "yes"),
    ],
    "answered": ["0.75", "0.5", "1", "0.3", "1e-300", "0.5000000001", "nan"],
    "hedged": ["0.001", "0", "1", "1e-300", "2", "-1"],
}
TOGETHER_KEYS = {
    "column": ["home", "region", "id", "smoker", "nothing", ""],
    "weight": ["0.5", "0", "1", "1e-300", "2", None],
    "households": [
        {"cells": 9},
        {"by": "region", "cells": {"north": 9, "south": 9}},
        {"cells": 0},
        9,
        {},
        LARGEST_PEOPLE,
    ],
    "largest": [1, 2, 0, -1, 10**9, "2.5"],
    "in_groups": [1, 2, 0, -1, 10**9, "2.5"],
}
SAMPLE_KEYS = {
    "of": [600, 601, 10**9, 0, -1, "1e300", {"north": 9000}, {}, None],
    "by": ["region", "smoker", [], "nothing"],
    "design": ["simple", "stratified", "Bernoulli", "Poisson", "whatever"],
    "rate": ["0.1", "0", "1", "1e-300", {"north": "0.1"}, {}],
    "taking_part": ["secret", "known", "maybe"],
}
SECRET_KEYS = {
    "of": ["record", "household", "nobody"],
    "share": [
        *({"income": {"points": points, "others": 10**6}} for points in (1, 0, -1, "1e-300", "1e300", 100)),
        *({"income": {"points": 1, "others": others}} for others in (0, -1, "1e300", "1e-300", "1/3")),
        *({name: {"points": 1, "others": 10**6}} for name in ("smoker", "nothing", "children")),
        *({}, {"income": {}}, {"income": 1}),
    ],
    "members": [
        *({"smoker": {"having": having, "pairs": [[0, 1]]}} for having in ("yes", ["yes"], ["yes", "no"], [], "maybe")),
        *({"smoker": {"having": "yes", "pairs": pairs}} for pairs in ([], [[0, 0]], [[0, 10**9]], [[-1, 1]], [[1]])),
        *({"smoker": {"having": "yes", "intervals": ends}} for ends in ([0, 1, 9], [], [1, 0], [0, "1e300"])),
        *({"smoker": {"having": "yes", "within": within}} for within in (1, 0, "1e300", "1e-300")),
        *({"income": {"having": 1000, "within": 1}}, {"smoker": {"having": "yes"}}, {"smoker": {}}, {}),
    ],
    "within": [{"income": 1000}, {"spent": 0}, {"nothing": 1}],
}
SERIES_KEYS = {
    "editions": [0, 1, 2, 120, 121, 10**9, -1, "2.5"],
    "changes": [
        {},
        {"ill": "1"},
        {"ill": ["0.5", "0.1"]},
        {"ill": 0},
        {"region": "0.1"},
        {"ill": ["0.1"]},
        {"ill": "2"},
    ],
    "joins": ["0", "1", "1e-300", "0.5", "2", "-1"],
    "leaves": ["0", "1", "1e-300", "0.5", "2", "-1"],
}
EDITION_KEYS = {
    "now": [1, 2, 99, 100, 0, "3", "x", True, "1e300"],
    "since": ["since", "until", "region", "ill", "id", "nothing"],
    "until": ["since", "until", "region", "ill", "id", "nothing"],
    "before": [{}, {"R1": 2}, {"R9": 1}, {"R1": "x"}, {"": 1}],
}
TOP_KEYS = {
    "person": ["each row", "id", "region", "smoker", "nothing", "cost"],
    "secret": [
        *("presence", "value", {}, {"percent": {"smoker": 10}}, {"pairs": {"smoker": [["no", "yes"]]}}, {"pairs": {}}),
        *(
            {"within": {name: number}}
            for name in ("income", "spent", "children", "nothing")
            for number in (1, 0, "1e300")
        ),
        *({"of": of, "share": {"income": {"points": 1, "others": 10**6}}} for of in ("record", "household")),
        *({"of": of, "members": {"smoker": {"having": "yes", "pairs": [[0, 1]]}}} for of in ("record", "household")),
        *({"percent": {name: number}} for name in ("income", "spent", "weight") for number in (10, 0, 100, "1e-300")),
        *({"intervals": {name: ends}} for name in ("income", "spent", "smoker") for ends in BINS[:6]),
        *({"pairs": {"smoker": pairs}} for pairs in ([], [["no", "no"]], [["no", "maybe"]], [["no"]])),
    ],
    "sizes": [{"cells": 200}, {"by": "region", "cells": {"north": 200, "south": 200}}, {"by": "born", "cells": {}}],
    "together": [
        *("households", "nobody", {"column": "home", "source": "x"}, {"column": "", "weight": "0.5", "source": "x"}),
        *({"column": name, "weight": "0.5", "source": "x"} for name in ("home", "region", "id", "smoker", "nothing")),
        *({"column": "home", "weight": weight, "source": "x"} for weight in ("0", "1", "1e-300", "2", "-1", "nan")),
    ],
    "population": ["sample", "everybody"],
    "promise": ["noiseless", "Pufferfish", "distributional", "coupled worlds", "semantic", "differential", "none", 1],
    "sample": [
        *(
            {"of": of, "design": "simple", "source": "x"}
            for of in (1000, 0, -1, 10, LARGEST_PEOPLE + 1, "1e300", {"north": 9000, "south": 9000}, {}, None)
        ),
        *(
            {"of": 9000, "design": design, "rate": rate, "source": "x", "taking_part": part}
            for design, rate, part in (
                ("Bernoulli", "0.1", "known"),
                ("Bernoulli", "0", "secret"),
                ("Poisson", {"north": "0.1"}, "secret"),
                ("stratified", None, "maybe"),
                ("whatever", "1e-300", "known"),
            )
        ),
        *(
            {"of": {"north": 9000, "south": 9000}, "by": by, "design": "stratified", "source": "x"}
            for by in ("region", [])
        ),
    ],
    "beliefs": [
        {"smoker": "unknown"},
        {"smoker": {"unknown": True}},
        [],
        [{}],
        [{"columns": []}],
        [{"columns": "smoker"}] * 2,
        {},
    ],
    "rows": [{}, {"cost": ["a"]}, {"region": ["north", "south"]}],
    "per_person": [{}, {"smoker": {"take": "any"}}, {"visits": {"take": "number of rows"}}],
    "published": [[{"name": "out", "kind": kind, "column": "children"} for kind in ("median", "sum", "nothing")]],
    "dataset": ["x", "", "a\nb", "x" * 5000],
    "within": [
        {},
        {"region": "region"},
        {"region": "nothing"},
        {"smoker": "region"},
        {"home": "region"},
        {"region": 5},
    ],
}
# What may nearly stand at a key, by the keys under which it stands.
NEARLY: dict[str, dict[str, list]] = {
    "figures": FIGURE_KEYS,
    "published": FIGURE_KEYS,
    "computed": COMPUTED_KEYS,
    "per_person": RECORD_KEYS,
    "beliefs": BELIEF_KEYS,
    "series": SERIES_KEYS,
    "edition": EDITION_KEYS,
    "together": TOGETHER_KEYS,
    "sample": SAMPLE_KEYS,
    "secret": SECRET_KEYS,
}
ONE = ("series", "edition", "together", "sample", "secret")  # there is one of these; of others there are several


def nearly(content: dict, dice: random.Random) -> None:
    """Put something that could nearly be meant in one place of the specification."""
    section = dice.choice(["public", "confidential", "rows", "", *NEARLY, *NEARLY])
    if section in ("public", "confidential", "rows"):
        columns = content.get(section, {})
        columns[dice.choice([*columns, "extra"])] = copy.deepcopy(dice.choice(DOMAINS))
        return
    if section == "secret" and not isinstance(content.get("secret"), dict):
        content["secret"] = {"of": "record"}
    if section not in NEARLY or not content.get(section):
        key = dice.choice(sorted(TOP_KEYS))
        content[key] = copy.deepcopy(dice.choice(TOP_KEYS[key]))
        return
    inside = content[section]
    if section not in ONE:
        inside = dice.choice(list(inside.values() if isinstance(inside, dict) else inside))
    if not isinstance(inside, dict):  # spoiled already
        return
    key = dice.choice(sorted(NEARLY[section]))
    if dice.random() < 0.15:
        inside.pop(key, None)
    else:
        inside[key] = copy.deepcopy(dice.choice(NEARLY[section][key]))


def fewer(specimen: Specimen, dice: random.Random) -> dict:
    """The specification with one or two of its figures: judging all of them would take too long."""
    keys = copy.deepcopy(specimen.keys)
    kept = dice.sample(keys["figures"], min(len(keys["figures"]), dice.choice([1, 1, 2])))
    if keys.get("computed") and dice.random() < 0.8:
        keys["computed"] = []
    if keys.get("computed"):
        kept = keys["figures"][:2]
        keys["computed"] = dice.sample(keys["computed"], dice.choice([1, 2]))
    return keys | {"figures": kept}


def at_an_end(content: dict, dice: random.Random) -> dict:
    """The specification with something in it that is hardly possible."""
    for path in dice.sample(sorted(ENDS, key=str), dice.choice([1, 1, 2])):
        inner = content
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = copy.deepcopy(dice.choice(ENDS[path]))
        if path == ("sizes",):
            content |= {"secret": "presence"}
            content["figures"][0].pop("by", None)
    return content


ROWS = "rows.csv"  # the table of what the page of all that can be released shows


def bad_specimen(dice: random.Random, stage: Stage) -> tuple:
    """Any way to declare data, beliefs and figures, with something that is wrong, or nearly right."""
    among, table = (specimens(), "") if dice.random() < 0.5 else (released(), ROWS)
    name = dice.choice(sorted(among))
    content = {"data": str(stage[table or f"{name}.csv"]), **fewer(among[name], dice)}
    if dice.random() < 0.7:
        for _ in range(dice.choice([1, 1, 2, 3])):
            nearly(content, dice)
    else:
        content = changed(content, dice, ATOMS, dice.randint(1, 2))
    stage["bad.yaml"].write_bytes(as_yaml(content).encode("utf-8", "surrogatepass"))
    command = dice.choice(["check"] * 6 + ["plan", "explain"])
    quick = {"check": dice.choice([("--quick",), ("--seconds", "1")]), "plan": ("--seconds", "1")}
    return (command, stage["bad.yaml"], *quick.get(command, ("--seconds", "1")))


def soon(dice: random.Random) -> tuple:
    """Mostly, what follows the verdict is not waited for: it takes most of the time, and is what it always is."""
    return ("--seconds", "1") if dice.random() < 0.9 else ()


def bad_specification(dice: random.Random, stage: Stage) -> tuple:
    if dice.random() < 0.6:
        return bad_specimen(dice, stage)
    content = spec(data=str(stage["people.csv"]))
    if dice.random() < 0.3:
        stage["bad.yaml"].write_text(as_yaml(at_an_end(content, dice)), encoding="utf-8")
        return (dice.choice(["check", "check", "check", "plan"]), stage["bad.yaml"], "--json", *soon(dice))
    if dice.random() < 0.15:
        content["edition"] = {"now": dice.choice(ATOMS), "since": dice.choice(["region", "nowhere", None])}
    if dice.random() < 0.15:
        content |= {"secret": "presence", "sizes": {"by": "region", "cells": {"north": 200, "south": 200}}}
    if dice.random() < 0.1:
        content["published"] = copy.deepcopy(content["figures"])
    if dice.random() < 0.1:
        content["figures"][0]["where"] = dice.choice(
            ["smoker = yes", "not " * 100, "(" * 500, "a = 1e999999999", "x in ("]
        )
    text = as_yaml(changed(content, dice, ATOMS, dice.randint(1, 2)))
    if dice.random() < 0.15:
        text = dice.choice(TEXTS) if dice.random() < 0.7 else dice.choice(TEXTS) + "\n" + text
    raw = text.encode("utf-8", "surrogatepass")
    stage["bad.yaml"].write_bytes(scrambled(raw, dice) if dice.random() < 0.25 else raw)
    return ("check", stage["bad.yaml"], "--json", *soon(dice))


def bad_policy(dice: random.Random, stage: Stage) -> tuple:
    good = {"name": "office", "epsilon": "1", "delta": "1e-3", "known": "0.05", "safe_threshold": 5}
    if dice.random() < 0.4:
        key = dice.choice(sorted(Policy.model_fields))
        good[key] = atom_for(key, dice, ATOMS)
    if dice.random() < 0.3:
        good["check_missing_values"] = dice.choice([True, False, "yes", 1])
    text = as_yaml(changed(good, dice, ATOMS))
    stage["bad.yaml"].write_bytes(scrambled(text.encode(), dice) if dice.random() < 0.3 else text.encode())
    about = "release.yaml" if dice.random() < 0.7 else "dates.yaml"
    return ("check", stage[about], "--json", "--quick", "--policy", stage["bad.yaml"])


PHRASES = [
    *(
        "percentage of smoker = yes by region",
        "median of income",
        "mode of smoker",
        "variance of income where",
        "mode of",
    ),
    *(
        "standard deviation of income by region by region",
        "percentage of smoker",
        "percentage of (smoker",
        "largest of x",
    ),
    *("smallest of 'income", "median of income where income in (1e999999999)", "sum of income where smoker = 'yes"),
    *("percentage of smoker = yes where region = north by region", "count " * 3000, "median of " + "a" * 3000),
]
CONTENTS = [
    *(
        "2020-01 to 2020-12",
        "2020-01-01 to 2019-01-01",
        "2020-13 to 2021-01",
        "2020-01 to 2020-01-31",
        "0001-01 to 9999-12",
    ),
    *(
        "0 to 9000 by 0",
        "1e300 to 2e300",
        "a, a",
        ",",
        "0 to",
        None,
        {"bins": [0, 1]},
        {"unit": "day", "bounds": [1, 2]},
    ),
    *({"values": ["no", "yes"], "missing": "as a value"}, {"bounds": [0, 9000], "round": "nearest", "unit": 1000}),
]


def bad_answers(dice: random.Random, stage: Stage) -> tuple:
    good = copy.deepcopy(ANSWERS)
    if dice.random() < 0.3:
        good["figures"] = [f"figure: {dice.choice(PHRASES)}"]
    if dice.random() < 0.3:
        good["confidential"][dice.choice(["smoker", "income"])] = dice.choice(CONTENTS)
    if dice.random() < 0.1:
        good["person"] = "each row"
    text = as_yaml(changed(good, dice, ATOMS, dice.randint(1, 2)) if dice.random() < 0.7 else good)
    raw = text.encode("utf-8", "surrogatepass")
    stage["answers.yaml"].write_bytes(scrambled(raw, dice) if dice.random() < 0.2 else raw)
    stage["new.yaml"].unlink(missing_ok=True)
    return ("new", stage["people.csv"], "-o", stage["new.yaml"], "--answers", stage["answers.yaml"])


def bad_table(dice: random.Random, stage: Stage) -> tuple:
    """The canary is in cells, in persons, in names of columns, and in a first line that is a record."""
    about = dice.choice(["plain", "plain", *specimens()])
    whole = people(30) if about == "plain" else specimens()[about].table
    table = {name: list(map(str, cells)) for name, cells in whole.items()}
    for _ in range(dice.randint(1, 3)):
        name = dice.choice(list(table))
        wrong = dice.choice(
            [
                CANARY,
                f"{CANARY} é",
                "",
                "nan",
                "1e999999999",
                "1e400",
                "9" * 400,
                "\x00",
                '"',
                "=cmd",
                CANARY * 20_000,
                " ",
                "-1",
                "0.5",
                "2024-02-30",
                "2024-01",
                "missing",
                "12.5",
            ]
        )
        match dice.randrange(7):
            case 0:
                table[CANARY + name] = table.pop(name)
            case 1 if len(table) > 1:
                del table[name]
            case 2:
                table[dice.choice([name.upper(), f" {name}", CANARY, ""])] = table[name]
            case 3:
                table[name] = [wrong] * len(table[name])
            case _:
                table[name][dice.randrange(len(table[name]))] = wrong
    if dice.random() < 0.2:
        path = stage["bad.parquet"]
        pq.write_table(pa.table(table), path)
        if dice.random() < 0.3:
            path.write_bytes(scrambled(path.read_bytes(), dice))
    else:
        path = stage[dice.choice(["bad.csv", "bad.tsv"])]
        text = io.StringIO()
        writer = csv.writer(text, delimiter=dice.choice([",", ";", "\t", "|"]))
        if dice.random() < 0.7:
            writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
        raw = text.getvalue().encode(dice.choice(["utf-8", "utf-8", "utf-16", "latin-1"]))
        path.write_bytes(scrambled(raw, dice) if dice.random() < 0.3 else raw)
    if about == "plain":
        command = dice.choice(["check", "check", "plan"])
        return (command, stage["release.yaml"], "--data", path, "--json", *soon(dice))
    return ("check", stage[f"{about}.yaml"], "--data", path, "--json", "--quick")


def bad_counts(dice: random.Random, stage: Stage) -> tuple:
    rows = [["region", "smoker", "count"]]
    rows += [[region, answer, "1000"] for region in ("north", "south") for answer in ("yes", "no")]
    for _ in range(dice.randint(1, 2)):
        row = dice.choice(rows)
        row[dice.randrange(len(row))] = dice.choice(
            [CANARY, "", "-1", "1e9", "9" * 19, CANARY * 20_000, "\0", '"', "nan", "1.5", "²"]
        )
    raw = "\n".join(",".join(row) for row in rows).encode()
    name = dice.choice(["counts.csv"] * 60 + [path for path in PATHS if path] + [str(stage["people.csv"])])
    if name == "counts.csv":
        stage[name].write_bytes(scrambled(raw, dice) if dice.random() < 0.3 else raw)
    belief = {"counts": name, "confidence": dice.choice(["0.999"] * 150 + NUMBERS), "by": "region", "source": "x"}
    text = as_yaml(spec(data=str(stage["people.csv"]), beliefs={"smoker": belief}))
    stage["bad.yaml"].write_bytes(text.encode("utf-8", "surrogatepass"))
    return ("check", stage["bad.yaml"], "--json", *soon(dice))


def bad_ledger(dice: random.Random, stage: Stage) -> tuple:
    """An entry that somebody rewrote, and sealed again; or a file that is no ledger."""
    path = stage["bad.sqlite"]
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(stage["ledger.sqlite"])) as good, closing(sqlite3.connect(path)) as bad:
        good.backup(bad)
        bad.execute("PRAGMA synchronous = OFF")
        for (name,) in bad.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            bad.execute(f"DROP TRIGGER {name}")
        keys = ("number", "kind", "release", "dataset", "body", "previous")
        row = bad.execute(f"SELECT {', '.join(keys)} FROM dalenius_entries WHERE number = 1").fetchone()
        entry = dict(zip(keys, row, strict=True))
        atoms = [atom for atom in ATOMS if not (isinstance(atom, str) and "\ud800" in atom)]
        if dice.random() < 0.75:
            body = changed(json.loads(entry["body"]), dice, atoms)
            entry["body"] = json.dumps(body, ensure_ascii=False)
        elif dice.random() < 0.5:
            entry["body"] = dice.choice(
                ["", "null", "[]", "1", '"x"', "[" * 5000, "{", '{"a":' * 3000, "NaN", "1e999999999"]
            )
        else:
            entry[dice.choice(keys[1:5])] = dice.choice([b"\xff", 5, 2.5, "x", ""])
        texts = {key: value if isinstance(value, str | int) else "x" for key, value in entry.items()}
        seal = sealed(**texts)
        marks = ", ".join(f"{key} = ?" for key in keys)
        bad.execute(f"UPDATE dalenius_entries SET {marks}, hash = ? WHERE number = 1", (*entry.values(), seal))
        if dice.random() < 0.8:
            bad.execute("DELETE FROM dalenius_entries WHERE number > 1")
        bad.commit()
    if dice.random() < 0.1:
        path.write_bytes(scrambled(path.read_bytes(), dice))
    place = ("--ledger", path)
    return dice.choice(
        [
            ("ledger", "list", *place),
            ("ledger", "list", "--json", *place),
            ("ledger", "show", "R1", *place),
            ("ledger", "verify", *place),
            ("ledger", "complete", "R1", "-o", stage["folder"] / str(dice.random()), *place),
            ("check", stage["release.yaml"], "--json", *place),
        ]
    )


def bad_certificate(dice: random.Random, stage: Stage) -> tuple:
    out = dice.choice(["out", "out", *(f"{name}-out" for name in RELEASED)])
    raw = stage[f"{out}/certificate.json"].read_bytes()
    if dice.random() < 0.7:
        atoms = [atom for atom in ATOMS if not (isinstance(atom, str) and "\ud800" in atom)]
        document = changed(json.loads(raw), dice, atoms)
        raw = sealed_certificate(document) if dice.random() < 0.6 else json.dumps(document).encode()
    else:
        raw = scrambled(raw, dice)
    stage["bad.json"].write_bytes(raw)
    if dice.random() < 0.2:
        return ("sign", stage["bad.json"], "--key", stage["key"], "-o", stage["folder"] / f"{dice.random()}.sig")
    figures = stage[f"{out}/figures.csv"].read_bytes()
    stage["bad.csv"].write_bytes(scrambled(figures, dice))
    return ("verify", stage["bad.json"], *dice.choice([(), ("--json",), ("--figures", stage["bad.csv"])]))


def _pem(key) -> tuple[bytes, bytes]:
    plain = serialization.NoEncryption()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return private, key.public_key().public_bytes(serialization.Encoding.PEM, form)


OTHER_KEYS = [_pem(key) for key in (ed448.Ed448PrivateKey.generate(), ec.generate_private_key(ec.SECP256R1()))]
OTHER_KEYS.append(_pem(rsa.generate_private_key(65537, 1024)))


def bad_key(dice: random.Random, stage: Stage) -> tuple:
    certificate, good = stage["out/certificate.json"], dice.random()
    private, public = stage["key"].read_bytes(), stage["key.pub"].read_bytes()
    side = dice.choice(["private", "public", "signature"])
    raw = {"private": private, "public": public, "signature": stage["out/certificate.sig"].read_bytes()}[side]
    if good < 0.3 and side != "signature":
        raw = dice.choice(OTHER_KEYS)[side == "public"]
    elif good < 0.45:
        kind = b"PRIVATE" if side == "private" else b"PUBLIC"
        inner = bytearray(base64.b64decode(b"".join(raw.splitlines()[1:-1]) if side != "signature" else raw))
        inner[dice.randrange(len(inner))] = dice.randrange(256)
        raw = b"-----BEGIN " + kind + b" KEY-----\n" + base64.b64encode(inner) + b"\n-----END " + kind + b" KEY-----\n"
    else:
        raw = scrambled(raw, dice)
    stage["bad.key"].write_bytes(raw)
    if side == "private":
        return ("sign", certificate, "--key", stage["bad.key"], "-o", stage["folder"] / f"{dice.random()}.sig")
    if side == "public":
        return ("verify", certificate, "--key", stage["bad.key"])
    return ("verify", certificate, "--key", stage["key.pub"], "--signature", stage["bad.key"])


def bad_option(dice: random.Random, stage: Stage) -> tuple:
    path = dice.choice([name for name in PATHS if name not in ("~", "*", "a\nb", "{}", "-")])
    number, address = dice.choice(NUMBERS), dice.choice(ADDRESSES + PATHS)
    good, certificate, key = stage["release.yaml"], stage["out/certificate.json"], stage["key"]
    ledger = ("--ledger", stage["ledger.sqlite"])
    fails = path if path not in ("\ud800", "\udcff", "é" * 200) else "nowhere/x"  # for what would take long
    return dice.choice(
        [
            ("check", path),
            ("check", good, "--json", "--data", address),
            ("check", good, "--json", "--policy", fails or "/dev/zero"),
            ("check", good, "--json", "--ledger", dice.choice(ADDRESSES)),
            ("check", good, "--report", fails),
            ("plan", path),
            ("plan", good, "--ladder", number if number not in ("1e5", "") else "0"),
            ("plan", good, "--write", fails),
            ("explain", path),
            ("explain", good, "--charts", fails or "/dev/null"),
            ("release", path, "-o", stage["never"]),
            ("release", good, "-o", fails, "--ledger", stage["ledger.sqlite"]),
            ("release", good, "-o", stage["never"], "--data", dice.choice(ADDRESSES)),
            ("verify", path),
            ("verify", certificate, "--figures", path or "/dev/zero"),
            ("verify", certificate, "--key", path),
            ("verify", certificate, "--key", stage["key.pub"], "--signature", path),
            ("sign", path, "--key", key),
            ("sign", certificate, "--key", path),
            ("sign", certificate, "--key", key, "-o", path),
            ("key", "new", path),
            ("key", "new", path, "extra"),
            ("ledger", dice.choice(["list", "verify", "export", "complete", "nothing"]), "--ledger", address),
            ("ledger", "show", dice.choice(NUMBERS), *ledger),
            ("ledger", "verify", "--holds", dice.choice([*NUMBERS, "0" * 64]), *ledger),
            ("ledger", "complete", dice.choice(["R1", "R9", ""]), "-o", fails, *ledger),
            ("rules", "--threshold", number),
            ("rules", "--round", number),
            ("rules", "--epsilon", number, "--threshold", "3"),
            ("rules", "--delta", number, "--threshold", "3"),
            ("rules", "--rate", number, "--threshold", "3"),
            ("rules", "--known", number, "--threshold", "3"),
            ("rules", "--secret", number),
            ("rules", "--zeros", number),
            (
                "rules",
                "--threshold",
                "3",
                "--chart",
                dice.choice(["", "x", "x.pdf", "nowhere/x.svg", "n" * 300 + ".svg", "x\0.svg"]),
            ),
            ("theorems", dice.choice(NUMBERS)),
            ("theorems", "--status", number),
            ("theorems", "--paper", number),
            ("demo", "-o", dice.choice(["/dev/null", "n" * 300, "x\0y", "nowhere/x", "a/" * 3000, "."])),
            ("new", address, "-o", stage["never.yaml"]),
            ("new", stage["people.csv"], "-o", fails, "--answers", stage["good-answers.yaml"]),
            ("new", stage["people.csv"], "-o", stage["never.yaml"], "--answers", path),
            ("new", stage["people.csv"], "-o", stage["never.yaml"], "--preset", number),
            ("plan", good, "--write", stage["folder"] / "taken.yaml", "--take", number),
            ("release", good, "-o", stage["never"], "--acro", number),
            ("check", good, "--desk", fails, "--quick"),
            ("audit", fails or "/dev/zero", "--seconds", "1"),
            (number,),
            ("check",),
            ("release", good),
        ]
    )


FEW = {"kinds": slice(3), "visits": slice(1, 2)}  # figures, so that releasing them is quick
RELEASED = ("visits", "kinds", "joint", "series")  # what else has a certificate


def set_up(stage: Stage) -> Iterator[tuple]:
    """Put one of everything there, and name the commands that have to be run for the rest."""
    stage["people.csv"].write_text(as_csv(people()), encoding="utf-8")
    stage["release.yaml"].write_text(yaml.safe_dump(spec()), encoding="utf-8")
    stage["good-answers.yaml"].write_text(yaml.safe_dump(ANSWERS), encoding="utf-8")
    stage[ROWS].write_text(as_csv(table_of_rows()), encoding="utf-8")
    stage["counts.csv"].write_text(COUNTS, encoding="utf-8")
    stage["folder"].mkdir()
    yield ("release", stage["release.yaml"], "-o", stage["out"], "--seconds", 0, "--ledger", stage["ledger.sqlite"])
    yield ("key", "new", stage["key"])
    yield ("review", "submit", stage["release.yaml"], "--words", "to see", "--ledger", stage["review.sqlite"])
    yield ("sign", stage["out/certificate.json"], "--key", stage["key"])
    for name, specimen in specimens().items():
        stage[f"{name}.csv"].write_text(as_csv(specimen.table), encoding="utf-8")
        keys = {"data": f"{name}.csv", **specimen.keys, "computed": specimen.keys.get("computed", [])[:2]}
        keys["figures"] = specimen.keys["figures"][FEW.get(name, slice(1))]
        stage[f"{name}.yaml"].write_text(yaml.safe_dump(keys, sort_keys=False), encoding="utf-8")
        if name in RELEASED:
            ledger = stage[f"{name}.sqlite"]
            yield ("release", stage[f"{name}.yaml"], "-o", stage[f"{name}-out"], "--seconds", 0, "--ledger", ledger)


AUDITED = {
    "ages.csv": "region,young,old,Total\nnorth,12,<10,17\nsouth,30,[c],41\nTotal,42,16,58\n",
    "list.csv": "region,sex,count,status\nnorth,f,3,u\nnorth,m,20,s\nsouth,f,11,x\nsouth,m,9,s\nTotal,Total,43,s\n",
}
TABLES_FILE = {
    "tables": {"ages.csv": {"form": "wide", "rows": ["region"], "columns": ["age"], "rounded": 5, "totals": "all"}},
    "variables": {"region": {"total": ["Total"], "nested": {"north": ["a", "b"]}, "labels": {"n": "north"}}},
    "measures": {"money": {"unit": "0.01", "bounds": [0, 5000]}},
    "hidden": ["[c]"],
    "zero": ["-"],
    "rules": ["hidden means 1 to 9"],
    "known": [{"group": {"region": "north"}, "at_least": 1, "at_most": 40}],
    "same": {"sex": "gender"},
}


PEOPLE = ["age 0 to 125", "age 0 to 1", "age 5 to 4", "money -999999999 to 999999999", "age", "", "age 0 to 9" * 50]
STATISTICS = """sex,status,age from,age to,count,mean,median
,,,,6,30.0,30
f,,,,3,20.0,[c]
m,,,17,[c],[c],[c]
,single,18,,4,,31
another,,,,x,,
"""


def bad_statistics(dice: random.Random, stage: Stage) -> tuple:
    """Counts, means and medians of a few people, in one file or two."""
    paths = []
    for number in range(dice.choice([1, 1, 2])):
        rows = [line.split(",") for line in STATISTICS.splitlines()[: dice.choice([2, 3, 4, 5, 6])]]
        for _ in range(dice.choice([0, 1, 2])):
            row = dice.choice(rows)
            row[dice.randrange(len(row))] = dice.choice(
                ["", "-5", "1e9", "9" * 30, "60", "[c]", "Total", "½", "another", "0", "12.3456", "age from"]
            )
        if dice.random() < 0.1:
            rows = rows * dice.choice([2, 500])
        raw = "\n".join(",".join(row) for row in rows).encode()
        path = stage["audited"] / str(number) / "people.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(scrambled(raw, dice) if dice.random() < 0.3 else raw)
        paths.append(path)
    more = dice.choice([(), (), ("--rule", "[c] means at most 2"), ("--json",), ("-o", "nowhere/x.json")])
    return ("audit", *paths, "--people", dice.choice(PEOPLE[:1] * 6 + PEOPLE), *more, "--seconds", "1")


def bad_audit(dice: random.Random, stage: Stage) -> tuple:
    """Tables that are already made, and what is said of them; what stands in them is out, so nothing is planted."""
    if dice.random() < 0.2:
        return bad_statistics(dice, stage)
    folder = stage["audited"]
    folder.mkdir(exist_ok=True)
    for name, text in AUDITED.items():
        rows = [line.split(",") for line in text.splitlines()]
        for _ in range(dice.choice([0, 1, 2])):
            row = dice.choice(rows)
            row[dice.randrange(len(row))] = dice.choice(
                ["", "-5", "1e9", "9" * 30, "<", "<10", "[c]", "Total", "½", "x", "0"]
            )
        raw = "\n".join(",".join(row) for row in rows).encode()
        (folder / name).write_bytes(scrambled(raw, dice) if dice.random() < 0.3 else raw)
    said: tuple = ()
    if dice.random() < 0.6:
        plain_atoms = [atom for atom in ATOMS if not (isinstance(atom, str) and CANARY in atom)]
        content = changed(TABLES_FILE, dice, plain_atoms, dice.choice([1, 1, 2]))
        stage["tables.yaml"].write_bytes(as_yaml(content).encode("utf-8", "surrogatepass"))
        said = ("--tables", stage["tables.yaml"])
    number = dice.choice(NUMBERS)
    more = dice.choice(
        [
            *((), (), ("--rule", number), ("--rule", "hidden means 9 to 1"), ("--zeros", "shown"), ("--zeros", number)),
            *(("--rounded", number), ("--rounded", "random 3"), ("--threshold", number), ("--width", number)),
            *(("--attacker", "member"), ("--earlier", dice.choice(PATHS) or "x"), ("--annotate",), ("--no-remedy",)),
            *(("--page", "nowhere/x.html"), ("-o", "nowhere/x.json"), ("--json",)),
        ]
    )
    place = dice.choice([folder, folder, folder / "ages.csv", folder / "list.csv", dice.choice(PATHS)])
    return ("audit", place, *said, *more, "--seconds", "2")


WORDS = ["", " ", "x" * 30_000, "a\0b", "\x1b[2J", "\ud800", "=1+1", "y"]


def bad_command(dice: random.Random, stage: Stage) -> tuple:
    """What the other commands take: coins, questions, reviews, keys of the ledger, rules with dice, engines."""
    number, path, words = dice.choice(NUMBERS), dice.choice([one for one in PATHS if one]), dice.choice(WORDS)
    address, other = dice.choice(ADDRESSES + PATHS), dice.choice(NUMBERS)
    good, ledger = stage["release.yaml"], ("--ledger", stage["ledger.sqlite"])
    fails = path if path not in ("\ud800", "\udcff", "é" * 200, "~", "*", "{}", "-") else "nowhere/x"
    review = ("--ledger", stage["review.sqlite"])
    submission = dice.choice(["S1", "S9", *NUMBERS])
    return dice.choice(
        [
            ("respond", "--epsilon", number, "--people", "100"),
            ("respond", "--keep", number, "--people", "100", "--yes", "30"),
            ("respond", "--keep", "3/4", "--people", number, "--yes", other),
            ("respond", "--keep", "3/4", "--people", "100", "--yes", number, "--confidence", other),
            ("respond", "--epsilon", "0.5", "--accuracy", number),
            ("respond", "--keep", "3/4", "--people", dice.choice(["100", "9" * 20]), "-o", fails),
            ("next", fails, "--seconds", "1"),
            ("next", good, "--harmless", number, "--most", "1", "--seconds", "1", *ledger),
            ("next", good, "--most", number, "--seconds", "1", *ledger),
            ("next", good, "--seconds", number if number not in ("1e5", "9" * 20, "1e308") else "-1", *ledger),
            ("next", good, "--data", address, "--seconds", "1", *ledger),
            ("review", "show", submission, *review),
            ("review", "show", "S1", "--report", fails, *review),
            ("review", "comment", submission, "--words", words, *review),
            ("review", dice.choice(["approve", "reject"]), submission, "--because", words, *review),
            ("review", dice.choice(["approve", "reject"]), "S1", "--because", "x", "--policy", fails, *review),
            ("review", "submit", fails, "--words", "x", *review),
            ("review", "submit", good, "--words", dice.choice(["", " ", "a\0b", "\x1b[2J"]), *review),
            ("review", "list", "--ledger", address),
            ("release", good, "-o", stage["never"], "--submission", submission, *review),
            ("release", good, "-o", stage["never"], "--ledger-key", fails, *ledger),
            ("ledger", "sign", "--holds", number, "--ledger-key", stage["key"], *ledger),
            ("ledger", "sign", "--holds", "0" * 64, "--ledger-key", fails, *ledger),
            ("ledger", "verify", "--ledger-key", fails, *ledger),
            ("ledger", "verify", "--ledger-key", stage["key"], "--holds", other, *ledger),
            (
                "ledger",
                "list",
                "--ledger-key",
                stage[dice.choice(["key", "people.csv", "release.yaml", "folder"])],
                *ledger,
            ),
            ("plan", good, "--keep", words, "--seconds", "1"),
            ("plan", good, "--weight", f"smokers={number}", "--seconds", "1"),
            ("plan", good, "--weight", dice.choice([*NUMBERS, "=", "=3", "smokers", "other=3"]), "--seconds", "1"),
            ("check", good, "--quick", "--acro", number, "--desk", fails),
            ("check", good, "--quick", "--desk", fails),
            ("check", good, "--ledger-key", fails, "--quick", *ledger),
            ("new", stage["people.csv"], "-o", stage["never.yaml"], "--keep", fails, "--preset", "survey"),
            ("new", stage["people.csv"], "-o", stage["never.yaml"], "--policy", fails),
            ("doctor", "--ledger", address),
            ("doctor", "--policy", fails),
            ("schema", words or number),
            (
                "audit-mechanism",
                dice.choice(["", "false", "true", "nosuchprogram x", "'", "\0"]),
                "--seconds",
                "1",
                "--people",
                "3",
            ),
            ("audit-mechanism", "true", "--people", number, "--seconds", "1"),
            ("audit-mechanism", "true", "--people", "3", "--epsilon", number, "--delta", other, "--seconds", "1"),
            ("audit-mechanism", "true", "--people", "3", "--draws", number, "--confidence", other, "--seconds", "1"),
            ("audit-mechanism", "true", "--first", fails, "--second", stage["people.csv"], "--seconds", "1"),
            ("audit-mechanism", "true", "--people", "3", "--rate", number, "--known", other, "--seconds", "1"),
            ("serve", stage[dice.choice(["people.csv", "nowhere", "pipe"])]),
            ("serve", stage["folder"], "--port", dice.choice(["-1", "65536", "9" * 20, "1e5", "x", "", "½"])),
            ("rules", "--midpoint", number),
            ("rules", "--random-round", number, "--epsilon", "1"),
            ("rules", "--table", fails),
            ("rules", "--table", stage[dice.choice(["people.csv", "counts.csv", "release.yaml", "key"])]),
            ("rules", "--design", number, "--delta", "1e-3", "--epsilon", "1"),
            ("rules", "--random-round", "3", "--cells", number, "--times", other, "--epsilon", "1"),
            ("rules", "--known", number, "--rate", other, "--round", "5", "--epsilon", "1"),
        ]
    )


KINDS: dict[str, Callable[[random.Random, Stage], tuple]] = {
    "specification": bad_specification,
    "policy": bad_policy,
    "answers": bad_answers,
    "table": bad_table,
    "counts": bad_counts,
    "ledger": bad_ledger,
    "certificate": bad_certificate,
    "key": bad_key,
    "audit": bad_audit,
    "option": bad_option,
    "command": bad_command,
}
