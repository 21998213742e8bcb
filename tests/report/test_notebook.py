"""In a notebook values show themselves: escaped, without scripts, with a sign for each number."""

import sys
from types import SimpleNamespace

import pandas as pd
import pytest

import dalenius as dl
from dalenius.show.cell_bar import CellBar, watched
from dalenius.show.cells import shown_tables
from dalenius.show.plan import tables_after
from edges.desk import people, spec

EVIL = "<script>alert(1)</script>"


def test_a_decision_shows_how_much_each_number_tells(tmp_path):
    rows = pd.DataFrame(people())
    figures = [{"name": f"smokers {EVIL}", "kind": "count", "where": {"smoker": "yes"}, "by": "region"}]
    for target, sign, head in (
        ({"epsilon": "1", "delta": "1e-3"}, "✓", "YES"),
        ({"epsilon": "0.01", "delta": "1e-9"}, "✗", "NO"),
    ):
        asked = spec(figures=figures, target=target)
        found = dl.decide(asked, rows, ledger=tmp_path / "ledger.sqlite", margins=False)
        text = found._repr_html_()
        assert head in text and text.count(sign) >= 2 and "north" in text and EVIL not in text
        assert "<script" not in text and "http" not in text


def test_an_audit_shows_its_page_in_a_frame_where_nothing_runs(tmp_path):
    (tmp_path / "t.csv").write_text(f"region,count\nnorth,10\n{EVIL},x\nTotal,15\n", encoding="utf-8")
    text = dl.audit(tmp_path / "t.csv")._repr_html_()
    assert text.startswith('<iframe sandbox=""') and EVIL not in text and text.count("<") == 2


def test_a_plan_shows_the_table_after_each_certified_way(tmp_path):
    figures = [{"name": f"smokers {EVIL}", "kind": "count", "where": {"smoker": "yes"}, "by": "region"}]
    asked = spec(figures=figures, target={"epsilon": "0.01", "delta": "1e-9"})
    rows = pd.DataFrame(people())
    found = dl.decide(asked, rows, ledger=tmp_path / "ledger.sqlite")
    way = next(way for way in found.plan.alternatives if way.possible)
    (after,) = tables_after(found.prepared.figures, way, found.question)
    (before,) = shown_tables(found.as_specified.findings, found.prepared.figures, found.question, found.prepared.public)
    from dalenius.desk.proposal import Proposal

    whole = Proposal(found, tmp_path / "release.yaml")._repr_html_()
    assert "±" in after._repr_html_() and "The table after" in whole and "±" in whole
    assert "✗" in before._repr_html_() and "tells too much" in before._repr_html_()
    for text in (whole, after._repr_html_(), before._repr_html_()):
        assert EVIL not in text and "north" in text and "http" not in text


@pytest.mark.parametrize(("epsilon", "colour"), [("0.3", "#14532d"), ("0.001", "#7f1d1d")])
def test_a_guarantee_shows_its_claim_and_what_it_rests_on(epsilon, colour):
    found = dl.verify(dl.Count(), dl.noiseless(dl.IID(p=0.1, n=1000)), epsilon=epsilon, delta="1e-3")
    text = found._repr_html_()
    assert colour in text and "attacker" in text and "assumes" in text and str(found.verdict) in text
    assert all(line.split(maxsplit=1)[0].split("=")[0] in text for line in str(found).splitlines()[1:])


class Notebook:
    """As much of IPython as a bar needs."""

    def __init__(self, monkeypatch):
        self.shown, self.hooks = [], []
        events = SimpleNamespace(register=self.register, unregister=self.unregister)
        shell = SimpleNamespace(kernel=object(), events=events)
        module = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=self.display))
        monkeypatch.setitem(sys.modules, "IPython", module)
        monkeypatch.setattr(CellBar, "LATE", 0.0)
        monkeypatch.setattr(CellBar, "OFTEN", 0.0)

    def register(self, event, hook):
        assert event == "post_run_cell"
        self.hooks.append(hook)

    def unregister(self, event, hook):
        assert event == "post_run_cell"
        self.hooks.remove(hook)

    def display(self, page, *, raw, display_id):
        assert raw and display_id
        self.shown.append(page["text/html"])
        return SimpleNamespace(update=lambda page, raw: self.shown.append(page["text/html"]))


def test_long_work_shows_a_bar_in_a_notebook_that_goes_with_the_cell(tmp_path, monkeypatch):
    notebook = Notebook(monkeypatch)
    found = dl.decide(spec(), pd.DataFrame(people()), ledger=tmp_path / "ledger.sqlite", margins=False)
    assert found.verdict and notebook.shown and len(notebook.hooks) == 1
    assert all(text.startswith("<div>") for text in notebook.shown)
    notebook.hooks[0]("result of the cell")
    assert notebook.shown[-1] == "" and notebook.hooks == []
    bar = watched(None)
    bar("judging <b>", 1, 4)
    assert '<progress value="1" max="4">' in notebook.shown[-1] and "<b>" not in notebook.shown[-1]


def test_nobody_watches_where_there_is_no_notebook(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not isinstance(watched(None), CellBar)
    mine = lambda *_: None  # noqa: E731 - what somebody gave
    assert watched(mine) is mine
