"""What the people are called in the ledger, where a specification does not say: as their table is."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dalenius.basics.errors import SpecError
from dalenius.data.databases import file_of, is_address
from dalenius.data.files import CSV_SUFFIXES, PARQUET_SUFFIXES
from dalenius.desk.spec import Prepared, SpecModel
from dalenius.desk.spec.printable import check_name
from dalenius.record.ledger import Ledger, Memory

if TYPE_CHECKING:
    from dalenius.record.ledger import Fingerprint

UNNAMED = "data"  # of tables in memory; and of all tables, when releases were recorded by earlier versions
SUFFIXES = (*CSV_SUFFIXES, *PARQUET_SUFFIXES, ".duckdb", ".ddb")


def table_name(spec: SpecModel, data: object | None) -> str:
    """The name of a table: of the file, without what says its format, or of the table in a database.

    >>> from dalenius.desk.interview.trial import STAND_IN
    >>> [table_name(SpecModel.model_validate(STAND_IN), name) for name in ("here/survey.csv.gz", "a.duckdb?table=b.c")]
    ['survey', 'c']
    """
    place = spec.data if data is None else data
    if not isinstance(place, str | Path):
        return UNNAMED if spec.table is None else spec.table.rpartition(".")[2]
    text = str(place)
    if is_address(text):
        stated = text.partition("?table=")[2].partition("&")[0] or spec.table
        if stated:
            return _printable(_stem(stated.rpartition("/")[2]).rpartition(".")[2])
        file = file_of(text)
        return UNNAMED if file is None else _printable(_stem(Path(file[0]).name))
    return _printable(_stem(Path(text).name))


def _stem(name: str) -> str:
    ending = max((end for end in SUFFIXES if name.lower().endswith(end)), key=len, default="")
    return name[: len(name) - len(ending)]


def _printable(name: str) -> str:
    """A name that can be shown; otherwise the one of tables without."""
    try:
        check_name(name, "The dataset")
    except SpecError:
        return UNNAMED
    return name.strip() or UNNAMED


def with_dataset(asked: Prepared, spec: SpecModel, data: object | None, ledger: Ledger) -> tuple[Prepared, Memory]:
    """The specification with the name of its people, and what the ledger knows of them.

    A ledger in which earlier versions recorded releases of tables without a name keeps its meaning: where nothing is
    said, they are releases of this table, and are judged with it.
    """
    if spec.dataset is not None:
        return asked, ledger.memory(asked.dataset)
    name = table_name(spec, data)
    memory = ledger.memory(name)
    if name != UNNAMED and any(entry.dataset == UNNAMED for entry in memory.others):
        if memory.releases:
            raise SpecError(
                f"dataset: this key is needed, since the ledger {ledger.shown} has releases of {UNNAMED!r}, as all "
                f"tables without a name were called, and of {name!r}. Write the one that this table belongs to."
            )
        name, memory = UNNAMED, ledger.memory(UNNAMED)
    return replace(asked, dataset=name, named=False), memory


def check_clash(asked: Prepared, memory: Memory, persons: "Fingerprint | None") -> None:
    """SpecError if somebody has to say whether these are the people of another dataset: a copy of a table under another
    name must not go unnoticed.
    """
    if asked.named or persons is None:
        return
    found = memory.elsewhere(persons)
    if found:
        raise SpecError(
            f"dataset: this key is needed, since the table has exactly the persons of the dataset "
            f"{found[0].dataset!r}, from which {found[0].id} was released. Write dataset: {found[0].dataset} if it is "
            f"the same data, so that all is judged together; otherwise dataset: {asked.dataset}."
        )
