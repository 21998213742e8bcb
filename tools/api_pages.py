"""The Python reference: every public name, what it is called with, what it says of itself."""

import dataclasses
import enum
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import dalenius
from dalenius.basics.homes import SPACES, TOP

INTRO = """# Python

Generated from the docstrings by `make docs`; every example is run by the tests. `import dalenius as dl` loads nothing
heavy: each name is loaded when it is first used. What most people need is on this page; the rest is in namespaces.
Refusals are all `dl.DaleniusError`s and say what was needed, what came and what to do.
"""
SHOWN_METHODS = 30


def api_pages() -> dict[str, str]:
    """The pages by name."""
    top = sorted((name for names in TOP.values() for name in names), key=_order)
    parts = [INTRO, *(_entry("dl", name, getattr(dalenius, name)) for name in top)]
    parts.append(
        "## Namespaces\n\n" + "\n".join(f"- [`dl.{space}`]({space}.md): {_about(space)}" for space in sorted(SPACES))
    )
    pages = {"index": "\n".join([*parts, ""])}
    for space, homes in SPACES.items():
        module = getattr(dalenius, space)
        names = sorted((name for found in homes.values() for name in found), key=_order)
        body = "\n".join(_entry(f"dl.{space}", name, getattr(module, name)) for name in names)
        pages[space] = f"# dl.{space}\n\n{_about(space)}\n\n{body}\n"
    return pages


def public_names() -> Iterator[tuple[str, Any]]:
    """Every public name with what it names."""
    for names in TOP.values():
        yield from ((f"dl.{name}", getattr(dalenius, name)) for name in names)
    for space, homes in SPACES.items():
        module = getattr(dalenius, space)
        yield from ((f"dl.{space}.{name}", getattr(module, name)) for found in homes.values() for name in found)


def _order(name: str) -> tuple[bool, str]:
    return name.endswith("Error"), name.lower()


def _about(space: str) -> str:
    return (getattr(dalenius, space).__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")


def _entry(home: str, name: str, thing: Any) -> str:
    called = f"{home}.{name}{_signature(thing)}"
    lines = [f"## {home}.{name}\n", f"```python\n{_folded(called)}\n```\n"] if not isinstance(thing, ModuleType) else []
    lines.append(_text(thing))
    if inspect.isclass(thing):
        lines += _members(thing)
    return "\n".join(lines)


def _members(thing: type) -> Iterator[str]:
    if issubclass(thing, enum.Enum):
        yield "Values: " + ", ".join(f"`{member.name}`" for member in thing) + "\n"
        return
    if issubclass(thing, Exception):
        return
    found = [
        (key, member)
        for key, member in inspect.getmembers(thing)
        if not key.startswith("_") and _ours(member) and key not in _fields(thing) and _is_new(thing, key)
    ]
    rows = [f"| `{key}{_signature(_function(member), bound=True)}` | {_first(member)} |" for key, member in found]
    if rows:
        yield "\n".join(["| | |", "|---|---|", *rows[:SHOWN_METHODS], ""])


def _is_new(thing: type, key: str) -> bool:
    """Whether it is the class's own, and not something that every class of its kind has."""
    return key in vars(thing) and not any(key in vars(base) for base in thing.__mro__[1:])


def _fields(thing: type) -> set[str]:
    return {field.name for field in dataclasses.fields(thing)} if dataclasses.is_dataclass(thing) else set()


def _function(member: Any) -> Any:
    return None if isinstance(member, property) or not callable(member) else member


def _ours(member: Any) -> bool:
    inner = getattr(member, "fget", None) or getattr(member, "func", None) or member
    return (getattr(inner, "__module__", None) or "").startswith("dalenius") and bool(inspect.getdoc(inner))


def _first(member: Any) -> str:
    said = (inspect.getdoc(member) or "").split("\n\n")[0].replace("\n", " ").split(" >>> ")[0]
    return said.replace("|", "\\|")


def _signature(thing: Any, *, bound: bool = False) -> str:
    if thing is None or (inspect.isclass(thing) and issubclass(thing, enum.Enum | Exception)):
        return ""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    kept = [
        parameter.replace(annotation=inspect.Parameter.empty, default=_plain(parameter.default))
        for at, parameter in enumerate(found.parameters.values())
        if not (bound and at == 0 and parameter.name == "self") and not parameter.name.startswith("_")
    ]
    return re.sub(r"<([^<>]*)>", r"\1", str(found.replace(parameters=kept, return_annotation=inspect.Signature.empty)))


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def _plain(default: Any) -> Any:
    """A default as somebody would write it, the same on every machine."""
    if default is inspect.Parameter.empty or isinstance(default, str | int | float | bool | type(None) | tuple):
        return default
    return _Named("…")


def _folded(called: str) -> str:
    if len(called) <= 100:
        return called
    head, _, rest = called.partition("(")
    inner = re.split(r", (?![^(\[]*[)\]])", rest.removesuffix(")"))
    return "\n".join([f"{head}(", *(f"    {part}," for part in inner), ")"])


def _text(thing: Any) -> str:
    """A docstring as Markdown: examples in fences."""
    lines, inside = [], False
    for line in (inspect.getdoc(thing) or "").split("\n"):
        if line.startswith(">>> ") and not inside:
            lines += [*([""] if lines and lines[-1] else []), "```pycon"]
            inside = True
        if inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join([*lines, *(["```"] if inside else []), ""])
