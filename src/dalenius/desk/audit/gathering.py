"""From paths to tables: files, folders, folders of ACRO and of releases, and what was published before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import final

from dalenius.audit.alike import check_alike, name_columns
from dalenius.audit.margins import check_margins
from dalenius.audit.marks import Rounding
from dalenius.audit.reading import Hints, read_table
from dalenius.audit.tables import Convention, MarkRule, PublishedTable
from dalenius.basics.errors import InputError
from dalenius.basics.inputs import path_of, read_bytes
from dalenius.basics.limits import LARGEST_AUDITED, MOST_AUDITED, MOST_TABLES
from dalenius.desk.audit.acro_folder import is_acro, read_acro
from dalenius.desk.audit.argus import Nested, is_argus, read_argus
from dalenius.desk.audit.release_folder import FIGURES, is_ledger, is_release, read_ledger, read_release
from dalenius.desk.audit.tables_file import TablesModel, hints_of

ENDINGS = (".csv", ".tsv", ".txt", ".tab")
UNREAD = (".xlsx", ".xls", ".ods", ".pdf", ".docx", ".html", ".parquet")  # what may have tables, and is not read
WHAT = "a table, a CSV file,"


@final
@dataclass(frozen=True, slots=True)
class Gathered:
    """The tables, what was taken for granted about them, and outputs that were not read."""

    tables: tuple[PublishedTable, ...]
    notes: tuple[str, ...]
    unread: tuple[str, ...]
    rule: MarkRule | None  # that a folder's own configuration states
    outputs: Mapping[str, str]  # of an ACRO folder: table to output
    contents: Mapping[str, bytes]  # the files, by the names of their tables
    nested: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)  # that files state


def gather(
    places: Sequence[str | Path | PublishedTable],
    earlier: Sequence[str | Path | PublishedTable],
    model: TablesModel,
    rounded: Rounding | None,
    convention: Convention,
) -> Gathered:
    """Read every table that is named, or in a folder that is named."""
    found: list[PublishedTable] = []
    unread: list[str] = []
    outputs: dict[str, str] = {}
    contents: dict[str, bytes] = {}
    rule: MarkRule | None = None
    nested: Nested = {}
    for before, place in [*((False, each) for each in places), *((True, each) for each in earlier)]:
        if isinstance(place, PublishedTable):
            found.append(replace(place, earlier=before, name=_free(place.name, found, Path("again"))))
            continue
        path = path_of(place)
        if path.is_dir() and is_acro(path):
            folder = read_acro(path, hints_of(model, "", rounded))
            unread += [f"{uid} in {path}" for uid in folder.others]
            for each in folder.tables:
                own = hints_of(model, each.file, rounded) if each.file in model.tables else each.hints
                name = _free(each.file, found, path)
                contents[name] = _bytes(path / each.file)
                found.append(replace(_read(contents[name], name, own), earlier=before))
                if not before:
                    outputs[name] = each.uid
            if folder.threshold is not None and not before:
                rule = MarkRule("blank", 0, folder.threshold - 1)
        elif path.is_dir() and is_release(path):
            released, others = read_release(path)
            unread += others
            found += [replace(each, earlier=before, name=_free(each.name, found, path)) for each in released]
            contents[_free(f"{path.name}/{FIGURES}", found, path)] = _bytes(path / FIGURES)
        elif is_ledger(path):
            released, others = read_ledger(path)
            unread += others
            found += [replace(each, earlier=before, name=_free(each.name, found, path)) for each in released]
        else:
            unread += _unread(path)
            for file in _files(path):
                name = _free(file.name, found, file.parent)
                contents[name] = _bytes(file)
                hints = hints_of(model, file.name, rounded)
                if is_argus(file):
                    argus = read_argus(file, hints)
                    table = read_table(argus.text, name, argus.hints)
                    table = replace(table, remarks=(*table.remarks, *argus.remarks))
                    nested |= argus.nested
                else:
                    try:
                        table = _read(contents[name], name, hints)
                    except InputError as error:
                        if file == path or file.suffix.lower() != ".txt" or "at least two columns" not in str(error):
                            raise
                        unread.append(f"{file.name} (no table)")
                        continue
                found.append(replace(table, earlier=before))
    convention = replace(convention, nested={**nested, **convention.nested})
    tables, notes = _checked(found, model, convention, places)
    unread += [each for table in tables for each in table.left_out]
    return Gathered(tables, notes, tuple(unread), rule, outputs, contents, nested)


def _checked(
    found: Sequence[PublishedTable], model: TablesModel, convention: Convention, places: Sequence[object]
) -> tuple[tuple[PublishedTable, ...], tuple[str, ...]]:
    if not found:
        where = ", ".join(str(place) for place in places)[:200]
        raise InputError(
            f"Needed tables of counts in {where or 'the command'}, but there are none. Name CSV files, a folder with "
            f"some, or a folder that ACRO wrote."
        )
    if len(found) > MOST_TABLES or sum(len(table.cells) for table in found) > MOST_AUDITED:
        raise InputError(
            f"Needed at most {MOST_TABLES} tables with {MOST_AUDITED} cells together, but there are more. Audit those "
            "that share variables."
        )
    unknown = sorted(set(model.tables) - {table.name for table in found} - {_file(table.name) for table in found})
    if unknown:
        raise InputError(
            f"The tables file is about {unknown[0]!r}, but the tables are {', '.join(t.name for t in found)[:200]}. "
            "Write the name of the file."
        )
    tables, notes = name_columns([_renamed(table, model) for table in found])
    check_alike(tables, convention)
    for table in tables:
        check_margins(table, convention)
    return tables, (*(remark for table in tables for remark in table.remarks), *notes)


def _unread(path: Path) -> list[str]:
    """Files of a folder that may have tables in them, and are not read."""
    if not path.is_dir():
        return []
    return [f"{each.name} (save its tables as CSV)" for each in sorted(path.iterdir()) if each.suffix.lower() in UNREAD]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        files = sorted(each for each in path.iterdir() if each.suffix.lower() in ENDINGS and each.is_file())
    except OSError as error:
        raise InputError(f"Needed a folder of tables at {path}, but it cannot be read ({error.strerror}).") from None
    if len(files) > MOST_TABLES:
        raise InputError(f"Needed at most {MOST_TABLES} tables in {path}, but there are more. Name those that matter.")
    return files


def _bytes(path: Path) -> bytes:
    return read_bytes(path, LARGEST_AUDITED, WHAT)


def _read(content: bytes, name: str, hints: Hints) -> PublishedTable:
    """A table in UTF-8, in UTF-16 (what spreadsheets call Unicode), or in the Western code page of Windows."""
    marked = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = _decoded(content, "utf-16" if marked else "utf-8-sig")
    if text is None and not marked and b"\0" not in content:
        text = _decoded(content, "cp1252")
    if text is None:
        raise InputError(f"Needed a table in UTF-8, but {name} cannot be read as text. Save it as CSV in UTF-8.")
    return read_table(text, name, hints)


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _free(name: str, found: Sequence[PublishedTable], folder: Path) -> str:
    """A name that no other table has."""
    taken = {table.name for table in found}
    if name not in taken:
        return name
    longer = f"{folder.name or folder.absolute().name}/{name}"
    number = 2
    while longer in taken:
        longer = f"{folder.name}/{name} ({number})"
        number += 1
    return longer


def _file(name: str) -> str:
    return name.rpartition("/")[2]


def _renamed(table: PublishedTable, model: TablesModel) -> PublishedTable:
    """With the names of variables and labels that are meant."""
    names = tuple(str(model.same.get(name, name)) for name in table.variables)
    labels = {
        name: {str(one): str(other) for one, other in model.variables[name].labels.items()}
        for name in names
        if name in model.variables
    }
    cells = tuple(
        replace(
            cell,
            labels=tuple(
                None if label is None else labels.get(name, {}).get(label, label)
                for name, label in zip(names, cell.labels, strict=True)
            ),
        )
        for cell in table.cells
    )
    return replace(table, variables=names, cells=cells)
