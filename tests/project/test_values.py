"""Classes of values are to everybody what the standard library would have made of them."""

import copy
import dataclasses
import inspect
import pickle
from abc import ABC, abstractmethod
from dataclasses import FrozenInstanceError, field, fields, replace
from fractions import Fraction
from typing import Any, ClassVar

import pytest

from dalenius.basics import values

MAKERS = {"here": values._made, "library": dataclasses.dataclass}


def place(make: Any) -> Any:
    @make(frozen=True, slots=True)
    class Place:
        """Somewhere."""

        shown: ClassVar[str] = "a place"
        name: str
        depth: Fraction = Fraction(1, 2)
        tags: list[str] = field(default_factory=list, repr=False, compare=False)
        sure: bool = field(default=True, compare=False)
        found: int = field(default=7, init=False)
        by: str = field(default="nobody", kw_only=True)

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("a name")

    return Place


@values.dataclass(frozen=True, slots=True)
class Here:
    """At the top of a module, so that it can be pickled."""

    name: str
    others: tuple["Here", ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class There(Here):
    """The standard library's, of one of ours."""

    far: int = 3


def shown(kind: Any) -> list[object]:
    """What can be seen of a class and of some of its objects."""
    some = [kind("a"), kind("a", Fraction(1, 2), ["x"], False), kind("b", depth=Fraction(1), by="me")]
    return [
        str(inspect.signature(kind)).replace(" -> None", ""),
        kind.__match_args__,
        kind.__doc__,
        kind.__slots__,
        kind.__qualname__,
        [(each.name, each.type, each.init, each.repr, each.compare, each.default) for each in fields(kind)],
        [repr(each).rpartition(".")[2] for each in some],
        [[one == other for one in some] for other in some],
        [hash(one) == hash(other) for one in some for other in some],
        [one == (one.name, one.depth) for one in some],
        [dataclasses.asdict(one) for one in some],
        [dataclasses.astuple(replace(one, name="c")) for one in some],
        [dataclasses.astuple(copy.copy(one)) for one in some],
        kind.__dataclass_params__.frozen,
        kind.__hash__ is not None,
    ]


def test_a_class_of_values_looks_as_the_library_makes_it() -> None:
    ours, theirs = (shown(place(make)) for make in MAKERS.values())
    assert ours == theirs


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_value_never_changes(make: Any) -> None:
    value = place(make)("a")
    for change in (lambda: setattr(value, "name", "b"), lambda: delattr(value, "name"), lambda: setattr(value, "x", 1)):
        with pytest.raises((FrozenInstanceError, TypeError)):
            change()
    assert value.name == "a"
    with pytest.raises(TypeError):
        place(make)()
    with pytest.raises(ValueError, match="a name"):
        place(make)("")


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_what_a_class_states_itself_stays(make: Any) -> None:
    @make(frozen=True)
    class Loud:  # noqa: PLW1641 - the library gives it one
        name: str

        def __repr__(self) -> str:
            return "loud"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Loud)

    @make(frozen=True, slots=True, eq=False)
    class Itself:
        name: str

    @make
    class Open:
        name: str
        seen: list[int] = field(default_factory=list)

    assert repr(Loud("a")) == "loud"
    assert Loud("a") == Loud("b")
    assert Itself("a") != Itself("a")
    assert len({Itself("a"), Itself("a")}) == 2
    changed = Open("a")
    changed.name = "b"
    assert changed == Open("b")
    assert Open.__hash__ is None  # type: ignore[comparison-overlap]
    assert changed.seen is not Open("b").seen
    match changed:
        case Open(name, seen):
            assert (name, seen) == ("b", [])


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_values_derive_from_each_other(make: Any) -> None:
    @make(frozen=True, slots=True)
    class Shape(ABC):
        name: str

        @property
        @abstractmethod
        def area(self) -> int: ...

    @make(frozen=True, slots=True)
    class Square(Shape):
        side: int = 1

        @property
        def area(self) -> int:
            return self.side**2

    assert Square("a", 3).area == 9
    assert Square.__slots__ == ("side",)
    with pytest.raises(TypeError, match="abstract"):
        Shape("a")  # type: ignore[abstract]
    with pytest.raises(TypeError):

        @make
        class Open(Shape):
            pass


def test_values_are_pickled_and_the_library_derives_from_them() -> None:
    for value in (Here("a", (Here("b"),)), There("a", far=4)):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(value, protocol)) == value  # what was pickled here
    assert repr(There("a")) == "There(name='a', others=(), far=3)"
    assert There("a") != Here("a")
    with pytest.raises(FrozenInstanceError):
        There("a").name = "b"  # type: ignore[misc]


def test_what_would_mean_something_else_here_is_refused() -> None:
    with pytest.raises(ValueError, match="default_factory"):

        @values._made(frozen=True)
        class Shared:
            names: Any = []  # noqa: RUF012

    with pytest.raises(TypeError, match="hash="):

        @values._made(frozen=True)
        class Hashed:
            name: str = field(hash=True)

    with pytest.raises(TypeError, match="__setattr__"):

        @values._made(frozen=True)
        class Setting:
            name: str

            def __setattr__(self, name: str, value: object) -> None: ...


class Doubled:
    def told(self) -> int:
        return 2


@values.dataclass(frozen=True, slots=True)
class More(Doubled):
    by: int

    def told(self) -> int:
        return super().told() + self.by

    @property
    def said(self) -> int:
        return super().told() * self.by


def test_a_method_of_a_class_with_slots_finds_the_one_above() -> None:
    """The class is made twice, and `super()` must mean the second."""
    assert (More(3).told(), More(3).said) == (5, 6)
