"""What can go wrong, as a tree.

    DaleniusError
    ├── InputError              what the caller gave cannot be used (exit code 2)
    │   ├── SpecError           the specification: a key, a value, a contradiction
    │   ├── DataError           the table: missing, unreadable, outside its declared bounds
    │   ├── OutputError         the output folder cannot be written
    │   └── LedgerError         the ledger cannot be reached, was edited, or is of a newer kind
    └── PreconditionError       a theorem was asked about a case that it does not cover
        └── CombinationError    releases that must not be about the same records

Every message says what was needed, what came, and what to do next. No message carries a
confidential value.
"""


class DaleniusError(Exception):
    """Anything that dalenius raises on purpose."""


class InputError(DaleniusError, ValueError):
    """The caller gave something that cannot be used."""


class SpecError(InputError):
    """The specification of a release is wrong."""


class DataError(InputError):
    """The confidential table is missing, unreadable, or not what the specification declares."""


class OutputError(InputError):
    """The output folder cannot be written."""


class LedgerError(InputError):
    """The ledger cannot be read or written, was edited, or comes from a newer dalenius."""


class PreconditionError(DaleniusError):
    """A theorem does not cover the case."""


class CombinationError(PreconditionError):
    """Releases that must not be combined: each may hold by itself, but no bound holds for both."""


def require(holds: bool, needed: str, *, got: object, remedy: str = "") -> None:  # noqa: FBT001 - reads as an assertion
    """Raise `InputError` saying what was needed, what came and what to do, unless it holds."""
    if not holds:
        raise InputError(f"Needed {needed}, but got {got!r}." + (f" {remedy}" if remedy else ""))
