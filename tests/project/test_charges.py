"""Outside `enclosure/` nobody adds a unit in the last place: neither the constants nor a literal factor such as 1 +
1e-12, nor one with a name. A few files of other folders still do the last: they are named here, and may only leave.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/dalenius"
BY_NAME = {  # files with a factor 1 + NAME, for a small number of that name: take off whichever has none any more
    "judge/hidden.py",
    "judge/order.py",
    "tables/apart.py",
    "tables/legs.py",
    "tables/moves.py",
    "tables/series.py",
    "tables/spells.py",
    "tables/veiled.py",
}
WORTH = re.compile(r"floats import|relative_loss|nextafter|1 [-+] |1\.0")  # a file without these charges nothing
NO_CHARGES = {"ASSUMPTIONS"}  # what may be imported: the words that certificates print
BY_HAND = {"relative_loss"}  # a number of roundings that somebody counted


def number(node: ast.expr) -> float:
    """A literal number, also `10.0**-9` and `2.0**-53`; 0 for anything else."""
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return float(node.value)  # type: ignore[arg-type]
        case ast.BinOp(left=ast.Constant(value=int() | float()), op=ast.Pow(), right=ast.UnaryOp(op=ast.USub())):
            base, power = number(node.left), number(node.right.operand)  # type: ignore[attr-defined]
            return base**-power
        case _:
            return 0.0


def charges(tree: ast.Module) -> Iterator[str]:
    """What a file does to charge rounding by hand."""
    named = {
        target.id: number(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def size(node: ast.expr) -> float:
        return named.get(node.id, 0.0) if isinstance(node, ast.Name) else number(node)

    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="dalenius.enclosure.floats"):
                yield from (f"imports {name.name}" for name in node.names if name.name not in NO_CHARGES)
            case ast.ImportFrom(module="dalenius.enclosure.outward"):
                yield from (f"imports {name.name}" for name in node.names if name.name in BY_HAND)
            case ast.ImportFrom(module="dalenius.enclosure"):
                yield from (f"imports {name.name}" for name in node.names if name.name == "floats")
            case ast.Attribute(attr="nextafter"):
                yield "nextafter"
            case ast.ImportFrom() if any(name.name == "nextafter" for name in node.names):
                yield "nextafter"
            case ast.BinOp(op=ast.Add() | ast.Sub()) if number(node.left) == 1 and 0 < size(node.right) <= 1e-8:
                yield ast.unparse(node)
            case ast.BinOp(op=ast.Mult()) if any(1 < size(side) <= 1.01 for side in (node.left, node.right)):
                yield ast.unparse(node)
            case _:
                pass


def charging() -> dict[str, list[str]]:
    """Every file that charges by hand, and how."""
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.parent != SOURCE / "enclosure" and WORTH.search(text):
            here = list(dict.fromkeys(charges(ast.parse(text))))
            if here:
                found[path.relative_to(SOURCE).as_posix()] = here
    return found


@pytest.mark.slow
def test_nobody_charges_rounding_by_hand() -> None:
    found = charging()
    new = {name: how for name, how in found.items() if name not in BY_NAME}
    assert not new, f"use dalenius.enclosure (Balls, kernels, directed rounding) instead: {new}"
    gone = sorted(BY_NAME - found.keys())
    assert not gone, f"these files charge nothing by hand any more: take them off {gone}"
    others = {name: [one for one in how if not one.startswith("1 ")] for name, how in found.items()}
    assert not any(others.values()), others


def test_charges_are_found() -> None:
    code = """
from dalenius.enclosure.floats import ASSUMPTIONS, UNIT
from dalenius.enclosure.outward import add_up, relative_loss
LARGE = 3
HAIR = 1e-9
x = y * (1 + HAIR) + (1 - LARGE)
x = y * (1 + 1e-12) + math.nextafter(z, 0.0)
x = 1.001 * y * (1 - 2.0**-53) + (1 - 0.25) + 1 / 12 + 1.5 * y
"""
    found = [
        "imports UNIT",
        "imports relative_loss",
        "1 + HAIR",
        "1 + 1e-12",
        "nextafter",
        "1.001 * y",
        "1 - 2.0 ** (-53)",
    ]
    assert sorted(charges(ast.parse(code))) == sorted(found)
