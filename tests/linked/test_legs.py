"""A change hidden in parts: never below the truth of small worlds; written down, judged again and not forged."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from amount import worlds as amount
from certificates.tampering import resealed
from dalenius.facts.secret import Presence
from dalenius.plan import Publish, plan
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import certificate
from dalenius.tables.history import History
from dalenius.tables.moves import Moves
from dalenius.tables.packing import Detour
from dalenius_checker.__main__ import examined
from dalenius_checker.document import RefusedError, read
from judgement.worlds import World, truth
from linked.tables import moves, table, world, worlds

F = Fraction
MARGINS = [table("rows", "r"), table("columns", "c")]
HAIR = 1e-12


def square(first: int, *others: int) -> dict[tuple[object, ...], int]:
    return dict(zip([(0, 0), (0, 1), (1, 0), (1, 1)], (first, *others), strict=True))


def in_parts(found: Moves, place: int) -> float | None:
    """The bound by parts alone, worst over changes; None where some change has none."""
    target = int(np.flatnonzero(found.cover.member == place)[0])
    topics = [topic for topic in found._all_topics() if found._covering(topic, target)]
    if len(topics) != 1 or found.docket.certain(found.cover.atoms[place].figures):
        return None
    changes = topics[0].changes(found._covering(topics[0], target), presence=found.docket.presence)
    tried = [found._in_parts(topics[0], target, change) for change in changes]
    if not all(tried):
        return None
    return max(hidden.delta(found.docket.epsilon).upper for some in tried for hidden, _, _ in some)


@pytest.mark.slow
@settings(max_examples=amount(60, 2000))
@given(small=worlds(most=8))
def test_parts_are_never_below_the_truth(small: World):
    found = moves(small)
    for place, atom in enumerate(found.cover.atoms):
        upper = in_parts(found, place)
        assert upper is None or truth(small, atom) <= upper + HAIR


@pytest.mark.slow
@settings(max_examples=amount(15, 300))
@given(sizes=st.lists(st.integers(1, 3), min_size=4, max_size=4), data=st.data())
def test_parts_of_a_square_are_never_below_the_truth(sizes: list[int], data: st.DataObject):
    """Each cell with a law of its own, so that records of one part differ; known records; presence."""
    rate = data.draw(st.sampled_from(["1/10", "1/3", "1/2", "4/5"]))
    known, secret = data.draw(st.integers(0, 2)), data.draw(st.sampled_from([None, Presence()]))
    small = world(square(*sizes), MARGINS, rate=rate, epsilon="1", known=known, secret=secret)
    found = moves(small)
    upper = in_parts(found, 0)
    assert (upper is None) == (min(sizes[1:]) <= known)  # then a part may be known altogether
    assert upper is None or truth(small, found.cover.atoms[0]) <= upper + HAIR


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "most"), [("1/20", 0.0032), ("1/3", 6.7e-7)])
def test_rare_answers_hide_in_parts_where_moves_are_too_rare(rate: str, most: float):
    """A corner of three people: a move of three records is in the right states with probability rate (1 - rate)² ρ."""
    small = world(square(3, 400, 400, 400), MARGINS, rate=rate, epsilon="1")
    assert moves(small).judged(0, 2).delta.upper <= most


def test_parts_are_near_the_truth_of_cells_in_a_row():
    """Corner by itself: three cells in a row hide like their resistances, 1/(1/9 + 1/9 + 1/9) of one."""
    small = world(square(1, 9, 9, 9), MARGINS, rate="1/4", epsilon="1/2")
    found = moves(small)
    upper, exact = in_parts(found, 0), truth(small, found.cover.atoms[0])
    assert exact <= upper <= 1.5 * exact


@pytest.mark.slow
def test_a_share_known_in_every_number_bounds_what_is_undone_of_each_part():
    small = world(square(2, 60, 60, 60), MARGINS, rate="1/5", epsilon="1")
    found = moves(small)
    shared = Moves(found.cover, found.docket, 50, F(1, 100))
    everywhere = Moves(found.cover, found.docket, 50)
    none = Moves(found.cover, found.docket, 0)
    told = [in_parts(one, 0) for one in (none, shared, everywhere)]
    assert told[0] < told[1] < told[2]
    # a hundredth of 62 people is one of them, of 120 two: of the two parts in the first row or column one is undone
    one, two = (in_parts(Moves(found.cover, found.docket, some), 0) for some in (1, 2))
    assert one < told[1] < two


def written(*, known: int = 0, rate: str = "1/20") -> dict[str, object]:
    small = world(square(3, 400, 400, 400), MARGINS, rate=rate, epsilon="1", known=known)
    question = small.question(F(1, 100))
    found = plan(small.figures, History(), question)
    assert isinstance(found, Publish)
    assert any(isinstance(way, Detour) for finding in found.findings for way in finding.ways)
    content = certificate(found, question, small.figures, (), version="0", largest_known=None, table=b"")
    return json.loads(content)


def legs(document: dict[str, object]) -> list[dict[str, object]]:
    return next(way["legs"] for way in document["moves"][0]["ways"] if "legs" in way)


@pytest.mark.slow
@pytest.mark.parametrize("known", [0, 3])
def test_both_programs_confirm_what_hides_in_parts(known: int):
    content = json.dumps(written(known=known)).encode()
    assert recheck(content).code == 0
    assert examined(read(content)) == []


FORGED = {
    "a part is missing": lambda d: legs(d).pop(),
    "a part turns round": lambda d: legs(d)[2].update(against=False),
    "more records than there are": lambda d: legs(d)[0]["records"][0].__setitem__(0, 401),
    "a record in two parts": lambda d: legs(d)[0]["records"].append([1, *legs(d)[1]["records"][0][1:]]),
    "the person's own group": lambda d: legs(d)[0]["records"][0].__setitem__(1, d["moves"][0]["group"]),
    "a rate that is none": lambda d: legs(d)[0].update(rate="3/2"),
    "moves and parts at once": lambda d: d["moves"][0]["ways"][1].update(rate="1/2", packing=0),
    "neither moves nor parts": lambda d: d["moves"][0]["ways"][1].pop("legs"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", FORGED.values(), ids=FORGED.keys())
def test_forged_parts_are_refused_by_both(change):
    document = written()
    change(document)
    content = resealed(document)
    assert recheck(content).code == 1
    with pytest.raises(RefusedError):
        examined(read(content))


@pytest.mark.slow
def test_a_claim_that_its_parts_do_not_bear_is_not_confirmed():
    """A rate far from that of the coins hides less than is claimed."""
    document = written()
    for leg in legs(document):
        leg["rate"] = "1/2"
    assert recheck(resealed(document)).code == 1
