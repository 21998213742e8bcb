"""A claim, what was measured, and whether that bears the claim out."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `ok` is None where nothing is claimed, or nothing can be measured yet."""

    claim: str
    measured: str
    limit: str
    ok: bool | None


def at_most(claim: str, measured: float, limit: float, unit: str = "", *, note: str = "") -> Row:
    """The claim that a number stays within a limit."""
    shown = f"{measured:.3g}{unit} ({note})" if note else f"{measured:.3g}{unit}"
    return Row(claim, shown, f"≤ {limit:g}{unit}", bool(measured <= limit))


def remark(claim: str, text: str) -> Row:
    """Something to read beside the claims: a number about which nothing is claimed, or why a claim was not measured."""
    return Row(claim, text, "", None)
