"""The fewest numbers that are left out: an integer program proposes, and what the judge refuses is a cut."""

import pytest
from benchmarks.leaving_out import failing, figures, question

from dalenius.plan import plan
from dalenius.tables.history import History

FEWEST = 8  # by an exhaustive search of its own: a hitting set of all maximal sets of numbers that are refused


@pytest.mark.slow
def test_no_fewer_numbers_of_a_small_table_would_do() -> None:
    """A search group by group leaves out nine: it does not see that groups can be hidden together."""
    asked = question(4)
    found = plan(tuple(figures()), History(), asked)
    best = min(
        (way for way in found.alternatives if way.way == "leaving out" and way.possible), key=lambda way: way.lost
    )
    becomes = {change.figure: change.becomes for change in best.changes}
    left = [new for figure in figures() for new in becomes.get(figure.name, (figure,))]
    assert not failing(left, asked)
    assert sum(len(figure.left_out) for figure in left) == best.lost == FEWEST
