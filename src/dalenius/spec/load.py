"""From YAML to a checked model, with errors that say what to do."""

import difflib
import re
import typing
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from dalenius.errors import SpecError
from dalenius.spec.model import SpecModel


class _Loader(yaml.SafeLoader):
    """YAML in which yes and no are words, not truth values, 1e-6 is a number, and a key may stand only once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise SpecError(
                    f"Line {key_node.start_mark.line + 1}: the key {key!r} stands twice. Remove one of them."
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


_KEPT = ("tag:yaml.org,2002:null", "tag:yaml.org,2002:merge")
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _KEPT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
# Decimals stay text, so that 0.1 is one tenth; 010 stays text, so that it is not eight.
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?(?:0|[1-9][0-9]*)$"), list("-0123456789"))


def load_spec(path: Path) -> SpecModel:
    """Read a specification file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError(f"There is no specification {path}. Check the path.") from None
    except (OSError, UnicodeDecodeError):
        raise SpecError(f"The specification {path} cannot be read as text. It must be a YAML file in UTF-8.") from None
    return parse_spec(text)


def parse_spec(text: str) -> SpecModel:
    """Check the text of a specification."""
    try:
        content = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise SpecError(
            f"The specification is not YAML: {where}{getattr(error, 'problem', 'it cannot be parsed')}."
        ) from None
    if not isinstance(content, dict):
        raise SpecError(
            "A specification needs keys such as data, person, figures, but got none. See the example in the README."
        )
    try:
        return SpecModel.model_validate(content)
    except ValidationError as error:
        raise SpecError("\n".join(dict.fromkeys(_message(item) for item in error.errors()))) from None


def _message(item: Mapping[str, Any]) -> str:
    """One line for one of pydantic's findings: where, what was needed, what came."""
    path = [str(part) for part in item["loc"] if not _is_type_name(part)]
    where = ".".join(path)
    match item["type"]:
        case "missing":
            return f"{where}: this key is needed, but it is not there. Add it."
        case "extra_forbidden":
            near = difflib.get_close_matches(path[-1], _keys_near(path[:-1]), n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else f" The keys here are {', '.join(_keys_near(path[:-1]))}."
            return f"{where}: there is no such key.{hint}"
        case _:
            return f"{where}: {item['msg'][0].lower()}{item['msg'][1:]}, but got {item['input']!r}."


def _is_type_name(part: object) -> bool:
    """Pydantic puts the tried member of a union into the path."""
    return isinstance(part, str) and (part.endswith("Model") or "[" in part or part in ("int", "float", "str", "bool"))


def _keys_near(path: list[str]) -> list[str]:
    """The keys that the model at this path knows."""
    model: type[BaseModel] = SpecModel
    for part in path:
        if part in model.model_fields:
            model = next(iter(_models(model.model_fields[part].annotation)), model)
    return list(model.model_fields)


def _models(annotation: object) -> list[type[BaseModel]]:
    """The models inside a type expression."""
    inside = [model for part in typing.get_args(annotation) for model in _models(part)]
    return inside or ([annotation] if isinstance(annotation, type) and issubclass(annotation, BaseModel) else [])
