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

from dalenius.basics.limits import LARGEST_PEOPLE, LARGEST_ROUNDING
from dalenius.record.certificate.written import sealed as sealed_certificate
from dalenius.record.ledger.entry import sealed
from edges.desk import people, spec
from interview.test_interview import ANSWERS

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


PRINTED = ("name",)  # what somebody calls a policy or a figure stands in every report, whatever it looks like


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
                key = dice.choice(["extra", "name", "by", "where", "cells", "<<", "1"])
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


def bad_specification(dice: random.Random, stage: Stage) -> tuple:
    content = spec(data=str(stage["people.csv"]))
    if dice.random() < 0.3:
        stage["bad.yaml"].write_text(as_yaml(at_an_end(content, dice)), encoding="utf-8")
        return (dice.choice(["check", "check", "check", "plan"]), stage["bad.yaml"], "--json")
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
    return ("check", stage["bad.yaml"], "--json")


def bad_policy(dice: random.Random, stage: Stage) -> tuple:
    good = {"name": "office", "epsilon": "1", "delta": "1e-3", "known": "0.05", "safe_threshold": 5}
    text = as_yaml(changed(good, dice, ATOMS))
    stage["bad.yaml"].write_bytes(scrambled(text.encode(), dice) if dice.random() < 0.3 else text.encode())
    return ("check", stage["release.yaml"], "--json", "--policy", stage["bad.yaml"])


def bad_answers(dice: random.Random, stage: Stage) -> tuple:
    text = as_yaml(changed(ANSWERS, dice, ATOMS, dice.randint(1, 2)))
    raw = text.encode("utf-8", "surrogatepass")
    stage["answers.yaml"].write_bytes(scrambled(raw, dice) if dice.random() < 0.2 else raw)
    stage["new.yaml"].unlink(missing_ok=True)
    return ("new", stage["people.csv"], "-o", stage["new.yaml"], "--answers", stage["answers.yaml"])


def bad_table(dice: random.Random, stage: Stage) -> tuple:
    """The canary is in cells, in persons, in names of columns, and in a first line that is a record."""
    table = {name: list(map(str, cells)) for name, cells in people(30).items()}
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
    return (dice.choice(["check", "check", "plan"]), stage["release.yaml"], "--data", path, "--json")


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
    return ("check", stage["bad.yaml"], "--json")


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
    raw = stage["out/certificate.json"].read_bytes()
    if dice.random() < 0.7:
        atoms = [atom for atom in ATOMS if not (isinstance(atom, str) and "\ud800" in atom)]
        document = changed(json.loads(raw), dice, atoms)
        raw = sealed_certificate(document) if dice.random() < 0.6 else json.dumps(document).encode()
    else:
        raw = scrambled(raw, dice)
    stage["bad.json"].write_bytes(raw)
    if dice.random() < 0.2:
        return ("sign", stage["bad.json"], "--key", stage["key"], "-o", stage["folder"] / f"{dice.random()}.sig")
    figures = stage["out/figures.csv"].read_bytes()
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
            (number,),
            ("check",),
            ("release", good),
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
    "option": bad_option,
}
