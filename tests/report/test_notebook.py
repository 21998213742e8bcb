"""In a notebook values show themselves: escaped, without scripts, with a sign for each number."""

import pandas as pd

import dalenius as dl
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
