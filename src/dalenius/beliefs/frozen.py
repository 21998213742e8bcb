"""A thing that is what it was made of: frozen, compared by value, shown as it was written."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from decimal import Decimal
from fractions import Fraction
from functools import wraps
from inspect import signature
from types import MappingProxyType
from typing import Any, Self

import numpy as np

LABELS = frozenset({"domain"})  # parameters that list labels, where "1" is not 1


class Frozen:
    """What is given to the constructor is all that there is: `==` compares that, numbers by what they are (1/10 and
    "0.1" are one), and `repr` writes it down again. Nothing can be set afterwards.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__init__" in cls.__dict__:
            cls.__init__ = _noting(cls.__init__)  # type: ignore[method-assign] # every constructor notes what it is given

    def __setattr__(self, name: str, value: object) -> None:
        if self.__dict__.get("_given") is not None:
            raise AttributeError(f"{type(self).__name__} is a value, and {name} cannot be set. Make another one.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is a value, and {name} cannot be taken out. Make another one.")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Frozen) and type(self) is type(other) and self._key() == other._key()

    def __hash__(self) -> int:
        if "_hash" not in self.__dict__:
            self.__dict__["_hash"] = hash((type(self).__name__, self._key()))
        return int(self.__dict__["_hash"])

    def __repr__(self) -> str:
        given = {**(self.__dict__.get("_given") or {}), **self.__dict__.get("_instead", {})}
        taken = given.pop("fitted", False) if "fitted" in self.__dict__.get("_instead", {}) else False
        shown = f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"
        return f"fitted({shown})" if taken else shown

    def _changed(self, attributes: Mapping[str, object], given: Mapping[str, object] | None = None) -> Self:
        """The same but for these attributes, which do not change what is remembered (who is known, and the like);
        `given`: how the constructor would have been told, if not so.
        """
        other = copy(self)
        other.__dict__.pop("_hash", None)
        other.__dict__.update(attributes)
        told = attributes if given is None else given
        other.__dict__["_instead"] = {**self.__dict__.get("_instead", {}), **told}
        return other

    def _key(self) -> object:
        names = {**(self.__dict__.get("_all") or {}), **self.__dict__.get("_instead", {})}
        if "known" in names:  # a share of the records, or their number
            names["known"] = self.__dict__.get("known")
        return frozenset((name, (_label if name in LABELS else _same)(value)) for name, value in names.items())


def _noting(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor that notes what it was given; the outermost one does."""
    names = signature(init)

    @wraps(init)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            bound = names.bind(self, *args, **kwargs)
        except TypeError:
            init(self, *args, **kwargs)  # which says it in Python's own words
            raise
        given = {name: _kept(value) for name, value in list(bound.arguments.items())[1:]}
        bound.arguments.update(given)
        outermost = "_given" not in self.__dict__
        if outermost:
            self.__dict__["_given"] = None
        try:
            init(*bound.args, **bound.kwargs)
        except BaseException:
            self.__dict__.pop("_given", None)
            raise
        if outermost:
            self.__dict__.update({name: _closed(value) for name, value in self.__dict__.items() if name[0] != "_"})
            bound.apply_defaults()
            self.__dict__["_all"] = dict(list(bound.arguments.items())[1:])
            self.__dict__["_given"] = given

    return made


def _kept(value: Any) -> Any:
    """A copy, all the way down: an iterator can be gone through once, and a list changed later."""
    match value:
        case Iterator():
            return tuple(map(_kept, value))
        case dict():
            return {key: _kept(one) for key, one in value.items()}
        case list():
            return list(map(_kept, value))
        case tuple() if type(value) is tuple:
            return tuple(map(_kept, value))
        case np.ndarray():
            return _closed(value.copy())
        case _:
            return value


def _closed(value: Any) -> Any:
    """The same, as what cannot be changed."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
        return value
    if type(value) is list:
        return tuple(value)
    return MappingProxyType(value) if type(value) is dict else value


def _same(value: Any) -> Any:
    """A key under which what means the same meets; texts are numbers where they can be."""
    match value:
        case bool() | None:
            return type(value).__name__, value
        case str() | int() | float() | Decimal() | Fraction() | np.number():
            return _number(value)
        case np.ndarray():
            return "numbers", tuple(map(_same, value.tolist())) if value.dtype == object else _array(value)
        case Mapping():
            return frozenset((_label(key), _same(one)) for key, one in value.items())
        case Sequence():
            return tuple(map(_same, value))
        case set() | frozenset():
            return frozenset(map(_same, value))
        case _:
            return value


def _array(value: Any) -> Any:
    return value.shape, value.dtype.str, value.tobytes()


def _number(value: Any) -> Any:
    try:
        return "number", Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return "text", str(value)


def _label(value: Any) -> Any:
    """Labels are told from numbers: "1" is not 1."""
    match value:
        case str():
            return "text", value
        case tuple() | list():
            return tuple(map(_label, value))
        case _:
            return _same(value)
