"""The table after each way of the plan: every number is there once, and as many are lost as the plan says."""

import pandas as pd
import pytest

import dalenius as dl
from dalenius.plan.part import cells_of
from dalenius.show.plan import tables_after
from edges.desk import people, spec

BY = {"name": "smokers", "kind": "count", "where": {"smoker": "yes"}, "by": ["region", "district"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    "figures", [[BY], [BY, {**BY, "name": "in the north", "where": {"smoker": "yes", "region": "north"}}]]
)
def test_each_number_is_exact_changed_merged_or_left_out(tmp_path, figures):
    rows = pd.DataFrame(people())
    rows["district"] = ["ABC"[min(place // 15, 2)] for place in range(len(rows))]
    public = {"region": ["north", "south"], "district": ["A", "B", "C"]}
    asked = spec(public=public, figures=figures, target={"epsilon": "1", "delta": "1e-3"})
    decision = dl.decide(asked, rows, ledger=tmp_path / "l.sqlite", margins=False)
    ways, frame = decision.plan.alternatives, decision.question.frame
    seen = set()
    for way in ways:
        if not way.possible:
            continue
        tables = tables_after(decision.prepared.figures, way, decision.question)
        assert {name for table in tables for name in table.names} == {one.name for one in decision.prepared.figures}
        numbers = [one for table in tables for _, row in table.rows for one in row if one is not None]
        kinds = [kind for kind, _ in numbers]
        assert len(kinds) == sum(len(cells_of(one, frame)) for one in decision.prepared.figures)
        by = {one.name: one.by for one in decision.prepared.figures}
        more = [new for change in way.changes for new in change.becomes if new.by != by[change.figure]]
        fewer = sum(kind in ("merged", "gone") for kind in kinds)
        assert fewer - sum(len(cells_of(new, frame)) for new in more) == way.lost
        assert way.noisy == any(words.startswith("±") for _, words in numbers)
        seen.update(kinds)
    assert seen >= {"exact", "rough", "gone"}
