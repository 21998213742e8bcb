"""What a page may name: files below one folder, and databases that were named when the server was started."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import final

from dalenius.basics.errors import InputError
from dalenius.desk.audit.acro_folder import is_acro
from dalenius.desk.audit.release_folder import is_release
from dalenius.show.ledger import masked

TABLES = (".csv", ".csv.gz", ".tsv", ".parquet", ".duckdb", ".ddb")
SPECS = (".yaml", ".yml")
MOST, DEEPEST = 500, 4  # files that are listed, folders inside each other


@final
@dataclass(frozen=True, slots=True)
class Places:
    """The folder below which files may be named, and the addresses of databases that may be."""

    root: Path
    databases: tuple[str, ...] = ()

    def tables(self) -> list[str]:
        """Files that may be tables, by their names below the folder."""
        return self._named(TABLES)

    def specifications(self) -> list[str]:
        """Files that may be specifications."""
        return self._named(SPECS)

    def folders(self) -> list[str]:
        """Folders below that hold what was made to go out, from ACRO or from here. An audit shows numbers as they stand
        in a table, so it opens no other: a confidential table may look like one of counts.
        """
        found = {Path(name).parent for name in self._named((".json",))}
        made = [one for one in found if is_acro(self.root / one) or is_release(self.root / one)]
        return sorted(one.as_posix() for one in made if one.parts)

    def _named(self, endings: tuple[str, ...]) -> list[str]:
        found: list[str] = []
        for path in self._walk():
            if path.name.lower().endswith(endings):
                found.append(path.relative_to(self.root).as_posix())
            if len(found) == MOST:
                break
        return sorted(found)

    def _walk(self) -> Iterator[Path]:
        for folder, folders, names in os.walk(self.root):
            here = Path(folder)
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            if len(here.relative_to(self.root).parts) >= DEEPEST:
                folders.clear()
            for name in sorted(names):
                path = here / name
                if not name.startswith(".") and path.resolve().is_relative_to(self.root) and path.is_file():
                    yield path

    def find(self, name: str) -> Path:
        """The file or folder of this name below the folder; InputError for anything else."""
        path: Path | None = None
        if name and "\0" not in name and "://" not in name and len(name) < 1000:
            path = (self.root / name).resolve()
        hidden = path is None or any(part.startswith(".") for part in Path(name).parts)
        if path is None or hidden or not path.is_relative_to(self.root) or not path.exists():
            raise InputError(
                "Needed a file below the folder that is served, but there is none of this name. Choose one."
            )
        return path

    def target(self, name: str) -> Path:
        """A new folder directly below the folder; InputError for any other name."""
        plain = name.strip()
        if not plain or not all(sign.isalnum() or sign in "-_ " for sign in plain) or len(plain) > 80:
            raise InputError(
                "Needed a name of letters, digits, blanks and - for a new folder, but got another. Change it."
            )
        return self.root / plain

    @property
    def shown(self) -> dict[str, str]:
        """The addresses of databases by what pages and specifications call them: without passwords."""
        found: dict[str, str] = {}
        for address in self.databases:
            words = str(masked(address))
            more = (f"{words} ({at})" for at in count(2))
            found[next(name for name in chain([words], more) if name not in found)] = address
        return found

    def name(self, data: str) -> str:
        """What pages call these data: of an address, the name without its password."""
        return next((name for name, address in self.shown.items() if address == data), data)

    def data(self, name: str) -> str | Path:
        """What the data of a specification are: a file below the folder, or one of the databases."""
        shown = self.shown
        return shown[name] if name in shown else self.find(name)
