"""From YAML to a checked model, with errors that say what to do."""

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from dalenius.basics.errors import SpecError
from dalenius.basics.inputs import read_text
from dalenius.basics.limits import DEEPEST_NODE, LARGEST_TEXT, MOST_NODES
from dalenius.desk.spec.model import SpecModel
from dalenius.desk.spec.printable import check_printable

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
    return parse_keys(read_text(path, LARGEST_TEXT, f"the {what}, a YAML file,", error=SpecError), what)


def parse_spec(text: str) -> SpecModel:
    """Check the text of a specification."""
    return spec_of(parse_keys(text))


EXAMPLE = "There are examples in docs/spec.md and docs/tutorial.md."
KEYS = {
    "tables file": "tables, variables, rules",
    "specification": "data, person, figures",
    "answers file": "secret, attacker, figures",
    "policy": "name, epsilon, delta, safe_threshold",
}


def parse_keys(text: str, what: str = "specification") -> dict[str, Any]:
    """The keys in a text, unchecked but for being keys."""
    problem = ""
    try:
        content = _constructed(text, what)
    except yaml.YAMLError as error:
        from dalenius.desk.spec.unreadable import unreadable

        problem = unreadable(text, error, what)
    except SpecError:
        raise
    except (ValueError, LookupError, AttributeError, RecursionError):  # PyYAML's own, for !!int abc or [[[[...
        problem = f"The {what} needs to be YAML, but something in it cannot be read. {EXAMPLE}"
    if problem:  # not inside: PyYAML's errors hold the text, which may be a table that was named by mistake
        raise SpecError(problem)
    if not isinstance(content, dict):
        came = "is empty" if content is None else f"is a {'list' if isinstance(content, list) else 'single value'}"
        a = "An" if what[0] in "aeiou" else "A"
        raise SpecError(f"{a} {what} needs keys such as {KEYS[what]}, but it {came}. {EXAMPLE}")
    check_printable(content, what)
    return content


def _constructed(text: str, what: str) -> Any:
    """What the text says, if that is not too much: * and << can make a short text very long."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _weigh(node, what)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _weigh(top: yaml.Node, what: str) -> None:
    """SpecError if there are too many values, with all that is repeated, or too many inside each other."""
    weights: dict[int, int] = {}  # by node: how many values it has
    inside: set[int] = set()  # the nodes that are being weighed
    stack = [(top, False)]
    while stack:
        node, weighed = stack.pop()
        parts = _parts(node)
        if weighed:
            inside.discard(id(node))
            weights[id(node)] = 1 + sum(weights[id(part)] for part in parts)
            if weights[id(node)] > MOST_NODES:
                raise SpecError(
                    f"The {what} needs at most {MOST_NODES} values, but * and << repeat more. Write the values once."
                )
        elif id(node) not in weights:
            if id(node) in inside or len(inside) >= DEEPEST_NODE:
                raise SpecError(
                    f"The {what} needs at most {DEEPEST_NODE} lists and keys inside each other, but has more, or one "
                    "that is inside itself. Write it with fewer."
                )
            inside.add(id(node))
            stack.append((node, True))
            stack += [(part, False) for part in parts]


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def spec_of(content: Mapping[str, Any]) -> SpecModel:
    """Check the keys of a specification."""
    from dalenius.desk.spec.complaints import complaints

    check_printable(content, "specification")
    try:
        found = SpecModel.model_validate(content)
    except ValidationError as error:
        raise SpecError("\n".join(complaints(SpecModel, error.errors()))) from None
    return in_numbers(found)


def in_numbers(model: SpecModel) -> SpecModel:
    """The specification with every figure written out as the numbers that it is judged by."""
    from dalenius.desk.spec.crossed import crossed
    from dalenius.desk.spec.kinds import written_out
    from dalenius.desk.spec.left_out import without_missing

    return written_out(crossed(without_missing(model)))
