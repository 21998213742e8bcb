"""From YAML to a checked model, with errors that say what to do."""

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from dalenius.errors import SpecError
from dalenius.spec.complaints import complaints
from dalenius.spec.model import SpecModel
from dalenius.spec.unreadable import unreadable

_MERGE = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    """YAML in which yes and no are words, not truth values, 1e-6 is a number, and a key may stand only once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:  # noqa: FBT001, FBT002 - PyYAML's
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == _MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, Hashable):
                raise SpecError(
                    f"Line {key_node.start_mark.line + 1}: a key must be a word or a number, but got a list or braces. "
                    "Put it in quotes."
                )
            if key in seen:
                raise SpecError(
                    f"Line {key_node.start_mark.line + 1}: the key {key!r} stands twice. Remove one of them."
                )
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


_KEPT = ("tag:yaml.org,2002:null", _MERGE)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in _KEPT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
# Decimals stay text, so that 0.1 is one tenth; 010 stays text, so that it is not eight.
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^-?(?:0|[1-9][0-9]*)$"), list("-0123456789"))


def load_spec(path: Path) -> SpecModel:
    """Read a specification file."""
    return spec_of(load_keys(path))


def load_keys(path: Path, what: str = "specification") -> dict[str, Any]:
    """The keys of a YAML file: a specification, or another file in the same dialect."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SpecError(f"There is no {what} {path}. Check the path.") from None
    except IsADirectoryError:
        raise SpecError(f"Needed the {what} as a YAML file, but {path} is a folder. Name the file.") from None
    except (OSError, UnicodeDecodeError):
        raise SpecError(
            f"Needed the {what} {path} as a YAML file in UTF-8, but it cannot be read as text. Name such a file."
        ) from None
    return parse_keys(text, what)


def parse_spec(text: str) -> SpecModel:
    """Check the text of a specification."""
    return spec_of(parse_keys(text))


EXAMPLE = "There are examples in docs/spec.md and docs/tutorial.md."
KEYS = {
    "specification": "data, person, figures",
    "answers file": "secret, attacker, figures",
    "policy": "name, epsilon, delta, safe_threshold",
}


def parse_keys(text: str, what: str = "specification") -> dict[str, Any]:
    """The keys in a text, unchecked but for being keys."""
    try:
        content = yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise SpecError(unreadable(text, error, what)) from None
    except SpecError:
        raise
    except (ValueError, LookupError, AttributeError, RecursionError):  # PyYAML's own, for !!int abc or [[[[...
        raise SpecError(f"The {what} needs to be YAML, but something in it cannot be read. {EXAMPLE}") from None
    if not isinstance(content, dict):
        came = "is empty" if content is None else f"is a {'list' if isinstance(content, list) else 'single value'}"
        a = "An" if what[0] in "aeiou" else "A"
        raise SpecError(f"{a} {what} needs keys such as {KEYS[what]}, but it {came}. {EXAMPLE}")
    return content


def spec_of(content: Mapping[str, Any]) -> SpecModel:
    """Check the keys of a specification."""
    try:
        return SpecModel.model_validate(content)
    except ValidationError as error:
        raise SpecError("\n".join(complaints(SpecModel, error.errors()))) from None
