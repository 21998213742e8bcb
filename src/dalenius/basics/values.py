"""Classes of values: `dataclass` as the standard library has it, in a quarter of the time.

Most of what a short command does is to load classes: there are hundreds, and `dataclasses` writes and compiles six
methods for each. Here only `__init__` is compiled; the other methods are closures over the names of the fields. What
comes out is a data class to everybody who asks: `fields`, `replace`, `match`, pickling and classes of the standard
library that derive from one see no difference. What is never used here is not there: order, `hash=`, `InitVar`.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, field
from functools import lru_cache
from inspect import get_annotations
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar, get_origin

__all__ = ["dataclass"]

FIELDS, PARAMETERS = "__dataclass_fields__", "__dataclass_params__"


class _Absent:
    """What stands in a signature where a value is made for each object."""

    def __repr__(self) -> str:
        return "<factory>"


ABSENT = _Absent()


def _made(
    cls: type | None = None, /, *, init: bool = True, eq: bool = True, frozen: bool = False, slots: bool = False
) -> Any:
    """A class of values, or what makes one of a class."""

    def of(each: type) -> type:
        return _value_class(each, init=init, eq=eq, frozen=frozen, slots=slots)

    return of if cls is None else of(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _made


def _value_class(cls: type, *, init: bool, eq: bool, frozen: bool, slots: bool) -> type:
    inherited: dict[str, Field[Any]] = {}
    for base in cls.__mro__[-1:0:-1]:
        if FIELDS in base.__dict__:
            inherited.update(base.__dict__[FIELDS])
            if base.__dict__[PARAMETERS].frozen != frozen:
                raise TypeError(f"{cls.__name__} and {base.__name__}: both are frozen, or neither.")
    fields = inherited | _own_fields(cls)
    stated = cls.__dict__
    added: dict[str, Any] = {FIELDS: fields, PARAMETERS: _parameters(init, eq, frozen)}
    if init:
        added["__init__"] = _init(cls, fields.values(), frozen=frozen, slots=slots)
    added["__repr__"] = _repr(tuple(each.name for each in fields.values() if each.repr))
    added["__match_args__"] = tuple(each.name for each in fields.values() if each.init and not each.kw_only)
    if eq:
        compared = _values_of(tuple(each.name for each in fields.values() if each.compare))
        added["__eq__"] = _eq(compared)
        added["__hash__"] = _hash(compared) if frozen else None
    own = {name for name in added if name in stated} - {FIELDS, PARAMETERS}
    if "__eq__" in own and stated.get("__hash__") is None:  # Python has written this None, not the class
        own.discard("__hash__")
    added = {name: value for name, value in added.items() if name not in own}
    if slots:
        cls = _with_slots(cls, fields, added, frozen=frozen)
    else:
        for name, value in added.items():
            setattr(cls, name, value)
    if frozen:
        _freeze(cls, frozenset(fields))
    return cls


def _own_fields(cls: type) -> dict[str, Field[Any]]:
    """The fields that this class states itself; their defaults are attributes of the class from now on."""
    found: dict[str, Field[Any]] = {}
    for name, kind in get_annotations(cls).items():
        if _of_class(kind):
            continue
        stated = cls.__dict__.get(name, MISSING)
        if isinstance(stated, Field):
            each: Field[Any] = stated
            if each.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, each.default)
        else:
            each = field(default=stated)
        if each.default is not MISSING and type(each.default).__hash__ is None:
            raise ValueError(
                f"{cls.__name__}.{name}: a default that changes is shared. Use field(default_factory=...)."
            )
        if each.hash is not None:
            raise TypeError(f"{cls.__name__}.{name}: hash= is not known here. Use dataclasses.dataclass.")
        each.name, each.type, each.kw_only = name, kind, each.kw_only is True
        each._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
        found[name] = each
    return found


def _of_class(kind: object) -> bool:
    """Whether an annotation says that something belongs to the class, and not to each object."""
    return kind.startswith("ClassVar") if isinstance(kind, str) else kind is ClassVar or get_origin(kind) is ClassVar


@lru_cache
def _parameters(init: bool, eq: bool, frozen: bool) -> object:  # noqa: FBT001 - as `dataclasses` has them
    """What a class of the standard library made in this way says of itself."""
    return getattr(dataclasses.dataclass(init=init, eq=eq, frozen=frozen)(type("Like", (), {})), PARAMETERS)


def _init(cls: type, fields: Iterable[Field[Any]], *, frozen: bool, slots: bool) -> Callable[..., None]:
    known: dict[str, Any] = {"put": object.__setattr__, "ABSENT": ABSENT}
    arguments, lines = [], []
    for each in sorted(fields, key=lambda each: each.kw_only is True):
        if each.kw_only and each.init and "*" not in arguments:
            arguments.append("*")
        name, default = each.name, f"default_{each.name}"
        value = name
        if each.default_factory is not MISSING:
            known[default] = each.default_factory
            value = f"{default}()" + (f" if {name} is ABSENT else {name}" if each.init else "")
            arguments += [f"{name}=ABSENT"] * each.init
        elif each.default is not MISSING:
            known[default] = each.default
            value = name if each.init else default
            arguments += [f"{name}={default}"] * each.init
        else:
            arguments += [name] * each.init
        if each.init or each.default_factory is not MISSING or (slots and each.default is not MISSING):
            lines.append(f"put(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n    ".join(lines or ["pass"])
    exec(f"def __init__(self, {', '.join(arguments)}):\n    {body}", known)  # noqa: S102 - names of fields, no input
    init: Callable[..., None] = known["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {each.name: each.type for each in fields if each.init} | {"return": None}
    return init


def _values_of(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """The values of these fields as a tuple; `attrgetter` gives one by one for a single name."""
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda value: (getattr(value, names[0]),)) if names else (lambda _: ())


def _eq(compared: Callable[[Any], Any]) -> Callable[[Any, object], bool]:
    def equal(self: Any, other: object) -> bool:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash(compared: Callable[[Any], Any]) -> Callable[[Any], int]:
    def hashed(self: Any) -> int:
        return hash(compared(self))

    return hashed


def _repr(names: tuple[str, ...]) -> Callable[[Any], str]:
    @recursive_repr()
    def shown(self: Any) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return shown


def _with_slots(cls: type, fields: Mapping[str, Field[Any]], added: Mapping[str, Any], *, frozen: bool) -> type:
    """The same class once more: slots are taken when a class is made, never later."""
    taken = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    body = {name: value for name, value in cls.__dict__.items() if name not in fields}
    body.pop("__dict__", None)
    body.pop("__weakref__", None)
    body["__slots__"] = tuple(name for name in fields if name not in taken)
    if frozen:  # what is pickled is put back by setting it, and that is forbidden
        body = {"__getstate__": _state, "__setstate__": _put_back} | body
    name, before = cls.__qualname__, cls
    cls = type(cls)(cls.__name__, cls.__bases__, body | dict(added))
    cls.__qualname__ = name
    _known_as(cls, before)
    return cls


def _known_as(cls: type, before: type) -> None:
    """Methods that say `super()` look in a cell which class they are of: in the class that was made first."""
    for value in list(cls.__dict__.values()):
        inside = (value, *(getattr(value, part, None) for part in ("fget", "fset", "fdel", "func", "__func__")))
        for cell in (cell for method in inside for cell in getattr(method, "__closure__", None) or ()):
            try:
                if cell.cell_contents is before:
                    cell.cell_contents = cls
            except ValueError:  # nothing is in it yet
                continue


def _state(value: Any) -> list[Any]:
    return [getattr(value, name) for name in getattr(value, FIELDS)]


def _put_back(value: Any, state: list[Any]) -> None:
    for name, each in zip(getattr(value, FIELDS), state, strict=True):
        object.__setattr__(value, name, each)


def _freeze(made: type, names: frozenset[str]) -> None:
    def put(self: Any, name: str, value: object) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)  # type: ignore[arg-type]  # mypy wants the class by its name

    def take(self: Any, name: str) -> None:
        if type(self) is made or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)  # type: ignore[arg-type]  # likewise

    for method, each in (("__setattr__", put), ("__delattr__", take)):
        if method in made.__dict__:
            raise TypeError(f"{made.__name__} has {method}, and is to be frozen: one of the two.")
        setattr(made, method, each)
