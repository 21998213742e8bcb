"""README and docs are executed: this lets a Markdown fence close right after the expected output."""

import doctest
import itertools
import os
import re

import pytest

# A process for each core runs tests: more threads than that only wait for each other. Said before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class MarkdownParser(doctest.DocTestParser):
    """Reads a line that opens or closes a code fence as a blank line."""

    def parse(self, string, name="<string>"):
        return super().parse(re.sub(r"^[ \t]*```.*$", "", string, flags=re.MULTILINE), name)


# pytest makes its parser for text files from this name; docstrings keep the parser they have.
doctest.DocTestParser = MarkdownParser


def pytest_collection_modifyitems(items):
    """Pages of the documentation are slow tests: the README runs the whole demo."""
    for item in items:
        if item.path.suffix == ".md":
            item.add_marker("slow")


# Their examples are those of the docstrings, which are run where they stand.
collect_ignore_glob = ["docs/api/*"]

NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def own_ledger(tmp_path_factory, monkeypatch):
    """Every test, and every page, has a ledger of its own, unless it says otherwise."""
    monkeypatch.setenv("DALENIUS_LEDGER", str(tmp_path_factory.getbasetemp() / f"ledger-{next(NUMBERS)}.sqlite"))
