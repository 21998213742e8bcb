"""All entries, and how they are looked up."""

import re
from importlib import import_module

from dalenius.basics.errors import InputError
from dalenius.papers.theorems.papers import PAPERS
from dalenius.papers.theorems.theorem import CATALOGUE, Status, Theorem

MODULES = (
    "ks",
    "ks_beliefs",
    "ch",
    "gk",
    "gk_limits",
    "cw",
    "cw_relations",
    "cw_sums",
    "cw_samples",
    "cw_mechanisms",
    "km",
    "km_mechanisms",
    "km_secrets",
    "km_conditions",
    "since",
)


def catalogue(*, status: Status | str | None = None, paper: str | None = None) -> tuple[Theorem, ...]:
    """Every entry, in the order of the papers; those of one status or one paper only, if asked.

    >>> {entry.status.value for entry in catalogue(status="repaired")}
    {'repaired'}
    """
    for module in MODULES:
        import_module(f"dalenius.papers.theorems.{module}")
    kept = list(CATALOGUE.values())
    if status is not None:
        wanted = _status(status)
        kept = [found for found in kept if found.status is wanted]
    if paper is not None:
        known = {one.key: one for one in PAPERS}
        if paper.upper() not in known:
            listed = ", ".join(f"{one.key} ({one.authors})" for one in PAPERS)
            raise InputError(f"A paper is one of {listed}, but got {paper!r}. Choose one of them.")
        kept = [found for found in kept if found.paper.key == paper.upper()]
    return tuple(kept)


def _status(given: Status | str) -> Status:
    try:
        return Status(given)
    except ValueError:
        raise InputError(
            f"A status is one of {', '.join(Status)}, but got {str(given)!r}. Choose one of them."
        ) from None


def find(name: str) -> tuple[Theorem, ...]:
    """The entries that a name means: a key (KS-2.2), or the number of a statement (CW-10, "CW Theorem 10").

    >>> [entry.key for entry in find("ks 2.2")]
    ['KS-2.2', 'KS-2.2-converse']
    """
    whole = catalogue()
    exactly = tuple(entry for entry in whole if entry.key.upper() == name.strip().upper())
    numbered = tuple(entry for entry in whole if _means(name, entry))
    found = tuple(dict.fromkeys((*exactly, *numbered)))
    if not found:
        raise InputError(
            f"There is no statement {name!r}. Write the paper and the number, as in KS-2.2 or CW-10; "
            "`dalenius theorems` lists all."
        )
    return found


def _means(name: str, entry: Theorem) -> bool:
    """Whether the paper and the number agree, and the kind of statement if one is named."""
    parts = re.fullmatch(r"\s*([A-Za-z]+)[\s-]+(?:([A-Za-z]{2,})[\s.-]*)?([A-Z]?[\d.]*\d(?:\(\d+\))?)\s*", name)
    if parts is None or parts[1].upper() != entry.paper.key:
        return False
    kind, number = (parts[2] or "").lower(), parts[3].upper()
    return any(
        re.search(rf"(?<![\w.]){re.escape(number)}(?![\w]|\.\d)", covered.upper())
        and covered.lower().startswith(kind[:3])
        for covered in entry.covers
    )
