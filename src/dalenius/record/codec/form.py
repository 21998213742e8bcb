"""What is written down, where: three documents say the same things, under names of their own."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias, TypeVar

Json: TypeAlias = Any
T = TypeVar("T")


class Form(Enum):
    """A kind of document. Ledgers are read again in full, certificates by whoever has neither the data nor this
    program, decisions by machines that want words.
    """

    LEDGER = "ledger"
    CERTIFICATE = "certificate"
    DECISION = "decision"


Keys: TypeAlias = Mapping[str, Callable[[T], Json]]  # what stands under each key, in this order
Table: TypeAlias = Mapping[Form, Keys[T]]  # one thing in each document; a key that is not listed there is not in it


def filled(table: Table[T], form: Form, thing: T) -> dict[str, Json]:
    """A thing as a document has it."""
    return {key: written(thing) for key, written in table[form].items()}
