"""The five papers on worlds that can be listed: definitions, theorems with their status, counterexamples, attacks."""

from importlib import import_module
from typing import TYPE_CHECKING

from dalenius.basics.homes import SPACES, lazily

if TYPE_CHECKING:
    from dalenius.papers.finite import *  # noqa: F403 - for type checkers: all of its names, and no list of them twice

_FOUND, _NAMES = lazily("dalenius.papers", SPACES["papers"])


def __getattr__(name: str) -> object:
    if name.startswith("__"):
        raise AttributeError(f"module 'dalenius.papers' has no attribute {name!r}")
    finite = import_module("dalenius.papers.finite")
    return getattr(finite, name) if name in finite.__all__ else _FOUND(name)


def __dir__() -> list[str]:
    return sorted({*_NAMES(), *import_module("dalenius.papers.finite").__all__})
