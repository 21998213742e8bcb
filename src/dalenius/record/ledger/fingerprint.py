"""Of which table figures were released: not its rows, but a hash by which it is known again."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The public side of a table when figures left it: a hash of how many persons, and which, had each combination of
    these public columns. `method` says how persons were marked.
    """

    columns: tuple[str, ...]
    method: str
    sha256: str
