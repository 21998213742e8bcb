"""What can go wrong, as a tree.

    DaleniusError
    ├── InputError              what the caller gave cannot be used (exit code 2)
    │   ├── SpecError           the specification: a key, a value, a contradiction
    │   ├── DataError           the table: missing, unreadable, outside its declared bounds
    │   ├── OutputError         the output folder cannot be written
    │   └── LedgerError         the ledger cannot be reached, was edited, or is of a newer kind
    └── PreconditionError       a theorem was asked about a case that it does not cover
        └── CombinationError    releases that must not be about the same records

Every message says what was needed, what came, and what to do next. No message carries a
confidential value, nor a password.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

# None of these looks at a long word more than a few times: what stands before is looked back at, one character of it.
_LINE = re.compile(r"(?m)^[^\n]*@")  # up to its last @
_IN_ADDRESS = re.compile(r"([\w+.-]://[^\s:@/]*+):(?!//)[^\s@][^\n]*@")  # scheme://user:password@
_NO_PORT = re.compile(  # what stands where a port would, with a scheme, or what is left of an address without one
    r"(//[^\s:/'\"]*+|(?<=[^\s:/'\"@])@[^\s:/'\"@]++):(?!\*|//|\d{1,5}(?![^\s/?'\"),.;]))[^\s/'\"]+"
)
_WORD = re.compile(r"(?<!\S)\S+@")  # up to its last @
_BEFORE_HOST = re.compile(r"(?<=[^\s:@/'\"]):(?![\s/])[^\s@][^\s]*@")  # user:password@, without a scheme
_OPTIONS = re.compile(r"(?<!\S)((?>\S*?[\w+.-]:/)[^\s?]*+\?)\S+")  # scheme://host?password=...
_AS_OPTION = re.compile(r"(?i)(pass(?:word|wd|phrase)|pwd)(\s*=\s*)('[^'\n]*'|\"[^\"\n]*\"|[^&\s;,)]+)")


def without_passwords(text: str) -> str:
    """A text in which no address carries a password: for whatever somebody wrote and a message repeats.

    >>> without_passwords("postgresql://me:hunter2@host/people?sslpassword=hunter2 password=hunter2")
    'postgresql://me:***@host/people?*** password=***'
    >>> without_passwords("//me:hunter2 and me@host:hunter2/people, me@host:5432/people")
    '//me:*** and me@host:***/people, me@host:5432/people'
    """
    text = _LINE.sub(lambda line: _IN_ADDRESS.sub(r"\1:***@", line[0], count=1), text)
    text = _WORD.sub(lambda word: _BEFORE_HOST.sub(":***@", word[0], count=1), _NO_PORT.sub(r"\1:***", text))
    return _AS_OPTION.sub(r"\1\2***", _OPTIONS.sub(r"\1***", text))


class DaleniusError(Exception):
    """Anything that dalenius raises on purpose. Passwords in its message are masked, wherever it came from.

    >>> import dalenius as dl
    >>> try:
    ...     dl.IID(p=2, n=10)
    ... except dl.DaleniusError as error:
    ...     print(type(error).__name__)
    InputError
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(without_passwords(message))


class InputError(DaleniusError, ValueError):
    """The caller gave something that cannot be used.

    >>> import dalenius as dl
    >>> try:
    ...     dl.IID(p=2, n=10)
    ... except dl.InputError as error:
    ...     print("p" in str(error))
    True
    """


class SpecError(InputError):
    """The specification of a release is wrong.

    >>> import dalenius as dl
    >>> try:
    ...     dl.decide({"person": "id"})
    ... except dl.SpecError as error:
    ...     print("figures" in str(error))
    True
    """


class DataError(InputError):
    """The confidential table is missing, unreadable, or not what the specification declares.

    >>> import dalenius as dl
    >>> try:
    ...     dl.decide({"data": "not there.csv"})
    ... except dl.DaleniusError as error:
    ...     print(issubclass(dl.DataError, type(error).__mro__[1]))
    True
    """


class OutputError(InputError):
    """The output folder cannot be written.

    >>> import dalenius as dl
    >>> issubclass(dl.OutputError, dl.DaleniusError)
    True
    """


class LedgerError(InputError):
    """The ledger cannot be read or written, was edited, or comes from a newer dalenius.

    >>> import dalenius as dl
    >>> try:
    ...     dl.open_ledger("").entries()
    ... except dl.LedgerError as error:
    ...     print("ledger" in str(error))
    True
    """


class PreconditionError(DaleniusError):
    """A theorem does not cover the case.

    >>> import dalenius as dl
    >>> issubclass(dl.PreconditionError, dl.DaleniusError)
    True
    """


class CombinationError(PreconditionError):
    """Releases that must not be combined: each may hold by itself, but no bound holds for both.

    >>> import dalenius as dl
    >>> exact = dl.curve(dl.Count(), dl.IID(p="0.3", n=100))
    >>> try:
    ...     dl.compose([(exact, 2)])
    ... except dl.CombinationError as error:
    ...     print(str(error)[:50])
    Composition needs releases that hide a person by d
    """


def require(holds: bool, needed: str, *, got: object, remedy: str = "") -> None:  # noqa: FBT001 - reads as an assertion
    """Raise `InputError` saying what was needed, what came and what to do, unless it holds."""
    if not holds:
        raise InputError(f"Needed {needed}, but got {got!r}." + (f" {remedy}" if remedy else ""))


@contextmanager
def noting(words: str) -> Iterator[None]:
    """Whatever goes wrong inside says these words too: what was done by then, and what was not."""
    try:
        yield
    except Exception as error:
        error.add_note(words)
        raise
