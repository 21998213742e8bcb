"""What pydantic finds wrong with a specification, in words: where, what was needed, what came, what to do."""

import difflib
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import BaseModel

Path: TypeAlias = tuple[str | int, ...]
Finding: TypeAlias = Mapping[str, Any]

LONGEST = 60  # characters of what came that are shown

# Pydantic names the tried member of a union in the path, unless it is a container: then its name has a bracket.
MEMBERS = (
    "bool",
    "int",
    "float",
    "str",
    "constrained-str",
    "DomainModel",
    "RangeModel",
    "SecretModel",
    "TogetherModel",
)
WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "string": "text",
    "list": "a list",
    "tuple": "a list of two",
    "dict": "keys with values",
    "model": "keys with values",
}
# How the members of a union are called together.
TOGETHER = {
    frozenset({"a whole number", "a number", "text"}): "a number",
    frozenset({"true or false", "a whole number", "a number", "text"}): "a label",
    frozenset({"text", "a list"}): "the name of a column, or a list of them",
}


def complaints(model: type[BaseModel], found: Iterable[Finding]) -> list[str]:
    """One line a place. Where a value may be several things, the one that it came nearest to is told about."""
    places: dict[Path, list[Finding]] = {}
    for item in found:
        places.setdefault(_path(item["loc"]), []).append(item)
    deeper = {path[:length] for path in places for length in range(len(path))}
    return [_line(model, path, items) for path, items in places.items() if path not in deeper]


def _path(parts: Iterable[str | int]) -> Path:
    return tuple(part for part in parts if isinstance(part, int) or not (part in MEMBERS or "[" in part))


def _line(model: type[BaseModel], path: Path, items: Sequence[Finding]) -> str:
    kinds = {item["type"] for item in items}
    if "missing" in kinds:
        what = "one more entry is needed here" if isinstance(path[-1], int) else "this key is needed"
        return f"{_place(path)}: {what}, but it is not there. Add it.{_meaning(model, path)}"
    if "extra_forbidden" in kinds:
        keys = list(_owner(model, path[:-1]).model_fields)
        near = difflib.get_close_matches(str(path[-1]), keys, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]!r}?" if near else f"The keys here are {', '.join(keys)}."
        return f"{_place(path)}: there is no such key. {hint}"
    came = _shown(items[0]["input"])
    return f"{_place(path)} needs {_needed(items)}, but got {came}. Correct it.{_meaning(model, path)}"


def _place(path: Path) -> str:
    """The keys with dots between them; entries of a list are counted from one."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f", entry {part + 1}, "
        else:
            text += part if text.endswith(", ") or not text else f".{part}"
    return text.removesuffix(", ") or "The specification"


def _needed(items: Iterable[Finding]) -> str:
    words = dict.fromkeys(_word(item) for item in items)
    return TOGETHER.get(frozenset(words)) or " or ".join(words)


def _word(item: Finding) -> str:
    match item["type"]:
        case "too_short":
            return "at least one entry"
        case "too_long":
            return "fewer entries"
        case "string_too_short":
            return "some text"
        case "literal_error":
            return str(item["ctx"]["expected"])
        case "value_error":
            return str(item["ctx"]["error"])
        case kind:
            return WORDS.get(kind.partition("_")[0], "something else")


def _shown(value: object) -> str:
    text = "nothing" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _meaning(model: type[BaseModel], path: Path) -> str:
    """The description of the key that the path leads to, or of the one that it lies in."""
    for length in range(len(path), 0, -1):
        field = _owner(model, path[: length - 1]).model_fields.get(str(path[length - 1]))
        if field is not None:
            return f" It means: {field.description}." if field.description else ""
    return ""


def _owner(model: type[BaseModel], path: Path) -> type[BaseModel]:
    """The model whose keys stand at the end of the path."""
    for part in path:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = next(iter(_models(field.annotation)), model)
    return model


def _models(annotation: object) -> list[type[BaseModel]]:
    """The models inside a type expression."""
    inside = [model for part in typing.get_args(annotation) for model in _models(part)]
    return inside or ([annotation] if isinstance(annotation, type) and issubclass(annotation, BaseModel) else [])
