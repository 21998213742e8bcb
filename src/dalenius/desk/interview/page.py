"""A specification as a page with comments, that says the same when it is read again."""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dalenius.basics.errors import SpecError
from dalenius.basics.inputs import path_of
from dalenius.data.databases import file_of, is_address
from dalenius.data.folder import check_new_file, write_new_file
from dalenius.desk.interview.preset import Preset
from dalenius.desk.interview.question import Ask
from dalenius.desk.interview.schema import schema_of
from dalenius.desk.interview.talk import Talk, talk
from dalenius.desk.spec import build, parse_spec, spec_of

_PLAIN = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9_ ./%()+-]*$")
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n", "~", "")
ABOUT = {
    "data": "",
    "table": "",
    "person": "",
    "rows": "columns of a row that per_person reads, and what they may be at most; nobody looked at the values",
    "per_person": "what is taken of a person's rows: one record each",
    "public": "what anybody may know about a person; the values were listed from the data",
    "confidential": "what must stay hidden, and what it may be at most; nobody looked at the values",
    "beliefs": "what an attacker may think beforehand, and where that can be read",
    "attacker": "",
    "secret": "",
    "sizes": "how many persons there are at least, as anybody may know",
    "population": "",
    "sample": "how those in the table were drawn",
    "edition": "which edition of the table this is",
    "series": "what changes from one edition to the next",
    "together": "",
    "target": "whatever comes out is at most e^epsilon times as likely under one fact as under another, plus delta",
    "policy": "what the organisation demands at least",
    "figures": "what is to be published",
    "published": "what is already out about the same people, and is judged with it",
}


def new_spec(
    data: str | Path,
    output: Path,
    ask: Ask,
    preset: Preset,
    *,
    base: Path | None = None,
    target: Mapping[str, str] | None = None,
    finish: Callable[[], None] = lambda: None,
) -> str:
    """Ask the questions about the table `data`, and write the specification to `output`, which must not be there yet.

    Only names and types are looked at, and the values of columns that the answers declare public. `base` is the folder
    that the answers' paths are relative to; `target` is what a policy says about epsilon and delta; `finish` may refuse
    answers that are left over. Nothing is written unless all answers make a specification. Returns the
    text.

    >>> import pathlib, tempfile
    >>> import dalenius as dl
    >>> try:
    ...     dl.new_spec("not there.csv", pathlib.Path(tempfile.mkdtemp()) / "release.yaml", print, {})
    ... except dl.DaleniusError as error:
    ...     print("not there.csv" in str(error))
    True
    """
    check_new_file(output)
    base = base or Path()
    found = talk(schema_of(str(data)), ask, preset, base=base, target=target or {})
    finish()
    keys = {**_place(str(data), output), **found.keys}
    keys["beliefs"] = {name: _moved(belief, base, output) for name, belief in keys.get("beliefs", {}).items()}
    text = page(keys, found, preset)
    spec = spec_of(keys)
    if parse_spec(text) != spec:
        raise SpecError(
            "The answers need names that can be written down, but some cannot. This is a defect: report it."
        )
    build(spec, output.parent)
    write_new_file(output, text.encode())
    return text


def _place(data: str, output: Path) -> dict[str, str]:
    """Where the table is, as it is written into a file: an address as it is, a path relative to that file's folder."""
    if not is_address(data):
        return {"data": _from(Path(data), output)}
    file = file_of(data)
    if file is None:
        return {"data": data}
    path, table = file
    return {"data": _from(Path(path), output), **({"table": table} if table else {})}


def _from(path: Path, output: Path) -> str:
    """A path as it is written into a file: relative to that file's folder where that is shorter."""
    whole = str(path_of(path).absolute())
    try:
        near = os.path.relpath(whole, output.absolute().parent)
    except ValueError:
        return whole
    return near if len(near) <= len(whole) else whole


def _moved(belief: Mapping[str, Any], base: Path, output: Path) -> dict[str, Any] | str:
    """A belief as it is written: the file of counts seen from there; in one word if nobody knows."""
    if belief.get("unknown") is True:
        return "unknown"
    counts = belief.get("counts")
    return {**belief, "counts": _from(base / counts, output)} if isinstance(counts, str) else dict(belief)


def page(keys: Mapping[str, Any], found: Talk, preset: Preset) -> str:
    """The specification in YAML, a comment above each part."""
    lines = ["# Written by `dalenius new`. Read it, correct it, then: dalenius check FILE"]
    if preset.name:
        lines.append(f"# Preset {preset.name}: {preset.title}. {preset.why}")
    for key in (key for key in ABOUT if key in keys):
        note = found.notes.get(key) or ABOUT[key]
        lines += ["", f"# {note}"] if note else [""]
        lines += _block(key, keys[key])
    return "\n".join(lines) + "\n"


def _block(key: str, value: Any) -> list[str]:
    if isinstance(value, list):
        return [f"{key}:", *(f"  - {_flow(item)}" for item in value)]
    if isinstance(value, Mapping) and key != "target" and value:
        return [f"{key}:", *(f"  {_flow(name)}: {_flow(item)}" for name, item in value.items())]
    return [f"{key}: {_flow(value)}"]


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    text = str(value)
    whole = re.fullmatch(r"-?(?:0|[1-9][0-9]*)", text)  # would be read as a number
    if _PLAIN.match(text) and text == text.strip() and text.lower() not in _WORDS and not whole:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())
