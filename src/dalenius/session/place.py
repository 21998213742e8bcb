"""Which ledger is meant."""

import os
from pathlib import Path

from dalenius.errors import LedgerError
from dalenius.ledger import Ledger, open_ledger

LEDGER = "dalenius-ledger.sqlite"
LEDGER_VARIABLE = "DALENIUS_LEDGER"


def find_ledger(given: str | Path | None, named: str | None, base: Path) -> Ledger:
    """The ledger that is meant: given by the caller, named in the specification, in the environment, or the default.
    It need not be there, but the folder that it is in must be.
    """
    if given is not None:
        found = open_ledger(given)
    elif named is not None:
        found = open_ledger(named, base=base)
    elif os.environ.get(LEDGER_VARIABLE):
        found = open_ledger(os.environ[LEDGER_VARIABLE])
    else:
        found = open_ledger(LEDGER, base=base)
    file = found.database.file
    if file is not None and not file.parent.is_dir():
        raise LedgerError(
            f"Needed a ledger at {found.shown}, but there is no folder {file.parent}. Check the name; a ledger that is "
            "not found hides what is out already."
        )
    return found
