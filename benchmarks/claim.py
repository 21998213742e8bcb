"""A claim, what was measured, and whether that bears the claim out."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `ok` is None where there was nothing to measure."""

    claim: str
    measured: str
    limit: str
    ok: bool | None


def at_most(claim: str, measured: float, limit: float, unit: str = "", *, note: str = "") -> Row:
    """The claim that a number stays within a limit."""
    return Row(claim, f"{measured:.3g}{unit}" + (f" ({note})" if note else ""), f"≤ {limit:g}{unit}", bool(measured <= limit))


def seen(claim: str, measured: str) -> Row:
    """A number that stands beside the claims, and that nothing is claimed about."""
    return Row(claim, measured, "", ok=True)


def skipped(claim: str, why: str) -> Row:
    """A claim that cannot be measured yet."""
    return Row(claim, why, "", None)
