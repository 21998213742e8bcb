"""A tiny register without a data engine, so that releases take milliseconds and processes can be forked at will."""

import os
from collections.abc import Iterable
from pathlib import Path

from dalenius.desk.session import Decision
from dalenius.desk.session.decision import judged
from dalenius.desk.spec import build, spec_of
from dalenius.record.ledger import open_ledger

PEOPLE = 60
FULL = bool(os.environ.get("DALENIUS_FULL"))  # the numbers that the documentation claims, instead of a quick look


class Register:
    """Stands in for dalenius.data.Table: the same questions, answered from rows in memory."""

    embedded = False

    def __init__(self, rows: Iterable[dict]) -> None:
        self.rows = list(rows)

    def columns(self):
        return tuple(self.rows[0])

    def check(self, **_):
        pass

    def marks(self, columns, *, person, public):
        found = {}
        for row in self.rows:
            cell = tuple(row[name] for name in columns)
            people, total = found.get(cell, (0, 0))
            found[cell] = people + 1, total + sum(str(row[person]).encode())
        return "bytes", found

    def confirm(self):
        pass

    def groups(self, columns, *, public):
        return {cell: people for cell, (people, _) in self.marks(columns, person="id", public=public)[1].items()}

    def totals(self, requests, columns):
        return [self._total(request) for request in requests]

    def _total(self, request):
        found = {}
        for row in self.rows:
            cell = tuple(row[name] for name in request.by)
            adds = (1 if request.term is None else int(row[request.term])) if request.where.holds(row) else 0
            found[cell] = found.get(cell, 0) + adds
        return found


def rows(people: int = PEOPLE, **more) -> list[dict]:
    """People with a public rank and a confidential answer."""
    return [
        {"id": f"P{place}", "rank": place, "answer": "yes" if place % 3 else "no", **more} for place in range(people)
    ]


def spec(figures, **changes) -> dict:
    content = {
        "person": "id",
        "public": {"rank": {"unit": 1, "bounds": [0, 999]}},
        "confidential": {"answer": ["no", "yes"]},
        "beliefs": {"answer": {"probabilities": {"yes": "1/2", "no": "1/2"}, "source": "a survey"}},
        "attacker": {"knows": 0, "source": "nobody knows any"},
        "target": {"epsilon": 1, "delta": "1e-3"},
        "figures": figures,
        **changes,
    }
    return {key: value for key, value in content.items() if value is not None}


def up_to(rank: int, name: str = "yes", **more) -> dict:
    """How many of those up to a rank said yes."""
    return {"name": name, "kind": "count", "where": {"answer": "yes", "rank": {"at_most": rank}}, **more}


def decided(ledger, figures, register=None, **changes) -> Decision:
    """What `decide` does, without a file and without DuckDB, and without time for margins."""
    prepared = build(spec_of(spec(figures, **changes)))
    place = open_ledger(ledger) if isinstance(ledger, str | Path) else ledger
    return judged(prepared, register or Register(rows()), place).within(0)
