"""Which ledger is meant."""

import os
from collections.abc import Sequence
from pathlib import Path

from dalenius.basics.errors import LedgerError
from dalenius.record.ledger import Ledger, open_ledger

LEDGER = "dalenius-ledger.sqlite"
LEDGER_VARIABLE = "DALENIUS_LEDGER"
KEYS_VARIABLE = "DALENIUS_LEDGER_KEYS"  # files, with the separator of PATH between them


def find_ledger(
    given: str | Path | None, named: str | None, base: Path, keys: Sequence[str | Path] | None = None
) -> Ledger:
    """The ledger that is meant: given by the caller, named in the specification, in the environment, or the default.
    It need not be there, but the folder that it is in must be. Its keys: given, or else named in the environment.
    """
    if keys is None or (isinstance(keys, list | tuple) and not keys):
        keys = [name for name in os.environ.get(KEYS_VARIABLE, "").split(os.pathsep) if name]
    if not isinstance(keys, list | tuple):
        raise LedgerError(f"Needed a list of files for the ledger's keys, but got {type(keys).__name__}. Write [...].")
    if given is not None:
        found = open_ledger(given, keys=keys)
    elif named is not None:
        found = open_ledger(named, base=base, keys=keys)
    elif os.environ.get(LEDGER_VARIABLE):
        found = open_ledger(os.environ[LEDGER_VARIABLE], keys=keys)
    else:
        found = open_ledger(LEDGER, base=base, keys=keys)
    file = found.database.file
    if file is not None and not file.parent.is_dir():
        raise LedgerError(
            f"Needed a ledger at {found.shown}, but there is no folder {file.parent}. Check the name; a ledger that is "
            "not found hides what is out already."
        )
    return found
