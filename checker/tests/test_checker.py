"""The checker by itself: its laws against plain enumeration, and input that it must not swallow."""

import ast
import json
import sys
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, exp
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

import pytest

from dalenius_checker import __main__ as program
from dalenius_checker import laws
from dalenius_checker.__main__ import OpenError, confirm, run
from dalenius_checker.cells import coins
from dalenius_checker.document import RefusedError, check, own_hash, read
from dalenius_checker.groups import Examiner, Part, cases, worst
from dalenius_checker.laws import (
    Bounds,
    Law,
    bounds,
    coin,
    delta,
    largest,
    missing,
    mixture,
    noise,
    pair,
    rounded,
    strides_for,
    total,
)
from dalenius_checker.moves import ends

F = Fraction
BITS = 120
YES = (((0,), F(3, 4)), ((1,), F(1, 4)))
ODD = (((0,), F(1, 2)), ((1,), F(1, 3)), ((4,), F(1, 6)))
PAIR = (((0, 0), F(1, 2)), ((1, 0), F(1, 3)), ((1, 2), F(1, 6)))
SQUARE = tuple((vector, F(1, 4)) for vector in product((0, 1), repeat=2))


def listed(types):
    """The law of the sum, in fractions, by going through all outcomes."""
    records = [letters for letters, count in types for _ in range(count)]
    law: dict[tuple[int, ...], F] = {}
    for outcome in product(*records):
        at = tuple(map(sum, zip(*(vector for vector, _ in outcome), strict=True)))
        mass = F(1)
        for _, chance in outcome:
            mass *= chance
        law[at] = law.get(at, F(0)) + mass
    return law


def stick(law, move, ratio):
    def at(place):
        return law.get(tuple(a - b for a, b in zip(place, move, strict=True)), F(0))

    return sum(max(F(0), mass - ratio * at(place)) for place, mass in law.items())


@pytest.mark.parametrize(
    ("types", "move"),
    [
        (((YES, 5),), (1,)),
        (((ODD, 5),), (3,)),
        (((YES, 3), (ODD, 2)), (-4,)),
        (((PAIR, 4),), (1, -2)),
        (((PAIR, 4),), (0, 2)),
        (((SQUARE, 4),), (0, 1)),
    ],
)
def test_bounds_hold_the_truth_and_are_narrow(types, move):
    none = [None] * len(move)
    strides, missed = strides_for(types, none, tuple(map(abs, move)), BITS)
    law = total(types, none, strides, BITS)
    upper = delta(shifted(law, sum(a * b for a, b in zip(move, strides, strict=True))), F(1, 2), BITS) + 3 * missed
    exactly = stick(listed(types), move, F(exp(0.5)))
    assert exactly - F(1, 10**15) <= upper <= exactly + F(1, 10**15)
    assert 0 <= missing(law, BITS) < F(1, 10**25) and 0 <= missed < F(1, 10**25)


def test_it_is_said_how_often_one_number_does_not_tell_two_sums_apart():
    strides, missed = strides_for(((SQUARE, 60),), [None, None], (1, 1), 44)
    width = strides[0] - 1  # so many values of the second sum are told apart
    inside = max(sum(comb(60, k) for k in range(low, low + width)) for low in range(60)) / 2**60
    assert 0 < 1 - inside <= missed < 0.01


def shifted(law, step):
    return list(pair(law, Law(law.start + step, law.mass)))


def test_masses_are_never_too_large():
    law = total(((ODD, 4),), [None], (1,), BITS)
    truth = listed(((ODD, 4),))
    for place, mass in enumerate(law.mass):
        exactly = truth.get((law.start + place,), F(0))
        assert exactly - F(1, 2**100) <= F(mass, 1 << BITS) <= exactly


@pytest.mark.parametrize("kind", ["geometric", "gaussian", "normal"])
def test_noise_is_never_too_large_and_nearly_complete(kind):
    law = noise(kind, F(3), BITS)
    assert 0 <= missing(law, BITS) < F(1, 10**14)
    middle = -law.start
    if kind == "geometric":
        x = exp(-1 / 3)
        assert abs(law.mass[middle + 2] / 2**BITS - (1 - x) / (1 + x) * x**2) < 1e-15
    if kind == "gaussian":
        whole = sum(exp(-k * k / 18) for k in range(-60, 61))
        assert abs(law.mass[middle + 2] / 2**BITS - exp(-4 / 18) / whole) < 1e-15


def test_one_sum_twice_with_noise_is_one_law_of_two_numbers():
    """Two noisy copies of one count, against brute force over the count and both noises."""
    both = tuple(((*v, *v), chance) for v, chance in YES)
    noises = [noise("geometric", F(1), 40)] * 2
    strides, missed = strides_for(((both, 3),), noises, (1, 1), 40)
    law = total(((both, 3),), noises, strides, 40)
    upper = float(delta(shifted(law, sum(strides)), F(1, 4), 40) + missed * 4)
    x = exp(-1)
    laplace = {k: (1 - x) / (1 + x) * x ** abs(k) for k in range(-30, 31)}
    count = {k[0]: float(mass) for k, mass in listed(((YES, 3),)).items()}
    seen = {}
    for k, p in count.items():
        for (one, a), (two, b) in product(laplace.items(), repeat=2):
            seen[k + one, k + two] = seen.get((k + one, k + two), 0) + p * a * b
    exactly = sum(max(0, p - exp(0.25) * seen.get((i - 1, j - 1), 0)) for (i, j), p in seen.items())
    assert exactly - 1e-9 <= upper <= exactly + 1e-6


def test_rounding_goes_to_the_nearest_multiple_half_way_up():
    law = total((((((7,), F(1)),), 1),), [None], (1,), BITS)
    assert [rounded(law, 5, offset).start for offset in range(6)] == [1, 2, 2, 2, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("results", "fine", "room"), [(1000, 500, F(1, 10**15)), (0, 500, F(1, 100)), (0, 8000, F(1, 1000))]
)
def test_two_outputs_together_are_bounded_from_above_and_closely(results, fine, room, monkeypatch):
    """All results one by one; or by their losses, which are rounded up to so many steps."""
    monkeypatch.setattr(laws, "MOST_RESULTS", results)
    law = total(((YES, 6),), [None], (1,), BITS)
    epsilon, truth = F(1, 2), listed(((YES, 6),))
    both = {(*a, *b): p * q for a, p in truth.items() for b, q in truth.items()}
    single = [shifted(law, step) for step in (1, -1)]
    exactly = max(stick(both, move, F(exp(0.5))) for move in product((1, -1), repeat=2))
    assert exactly <= largest([single, single], epsilon, fine, BITS) <= exactly * (1 + room)
    alone = max(stick(truth, (move,), F(exp(0.5))) for move in (1, -1))
    assert alone - F(1, 10**15) <= largest([single], epsilon, fine, BITS) <= alone + F(1, 10**15)


@pytest.mark.parametrize("results", [0, 1000])
def test_what_a_law_is_short_of_counts_in_full(results, monkeypatch):
    monkeypatch.setattr(laws, "MOST_RESULTS", results)
    law = total(((YES, 6),), [None], (1,), BITS)
    short = Law(law.start, [0, *law.mass[1:]])
    lost, epsilon = F(law.mass[0], 1 << BITS), F(1, 2)
    assert delta(pair(short, short), epsilon, BITS) >= lost
    whole = shifted(law, 1)
    assert largest([[pair(short, short)], [whole]], epsilon, 500, BITS) >= lost


def test_there_are_three_answers_to_a_stated_delta():
    """Confirmed; contradicted, at either end; or neither, since a delta may be less than a bound of it."""
    stated, most = [F(1, 1000), F(2, 1000)], F(22, 10000)
    confirm(Bounds(F(0), F(21, 10000)), stated, most, "delta")
    confirm(Bounds(F(0), F(15, 10000)), stated, most, "delta")
    with pytest.raises(OpenError, match="leaves open"):
        confirm(Bounds(F(22, 10000), F(1)), stated, most, "delta")
    with pytest.raises(RefusedError, match="at least"):
        confirm(Bounds(F(3, 1000), F(1)), stated, most, "delta")
    with pytest.raises(RefusedError, match="at most"):
        confirm(Bounds(F(0), F(9, 10000)), stated, most, "delta")


@pytest.mark.parametrize("points", [[], [5], [5, 3]])
def test_a_lower_bound_takes_away_what_may_be_missing(points):
    """A law of a few records with masses left out, against itself moved: the truth lies between."""
    law = total(((ODD, 3),), [None], (1,), BITS)
    short = Law(law.start, [0 if at in points else mass for at, mass in enumerate(law.mass)])
    found = bounds(shifted(short, 3), F(1, 2), BITS)
    exactly = stick(listed(((ODD, 3),)), (3,), F(exp(0.5)))
    assert found.lower - F(1, 10**15) <= exactly <= found.upper + F(1, 10**15)
    assert (found.upper - found.lower < F(1, 10**15)) == (not points)


def test_the_worst_of_many_choices_is_bounded_by_boxes():
    seen = []

    def bound(types):
        seen.append(sum(count for _, count in types))
        return Bounds(F(1, 2 + seen[-1]), F(1, 1 + seen[-1]))

    assert worst(((YES, 40), (ODD, 40)), 30, ((0, 0), (40, 40)), bound, F(1, 10)) == (0, F(1, 21))
    assert seen[0] == 20
    assert worst(((YES, 4), (ODD, 4)), 3, ((0, 0), (4, 4)), bound, F(0)) == (F(1, 7), F(1, 6))


def test_every_box_of_choices_is_looked_at():
    def bound(types):
        left = dict(types)
        return Bounds(F(0), F(1, 2) if left.get(YES, 0) <= 1 else F(0))  # bad if nearly all of the first law are taken

    assert worst(((YES, 4), (ODD, 4)), 3, ((0, 0), (4, 4)), bound, F(0)).upper == F(1, 2)
    assert worst(((ODD, 4), (YES, 4)), 3, ((0, 0), (4, 4)), bound, F(0)).upper == F(1, 2)


def test_what_is_known_of_records_is_a_random_number_of_draws():
    half = tuple((vector, chance / 2) for vector, chance in YES)
    found = {types[0][1]: mass / 2**BITS for mass, types in cases(((half, 4),), F(1, 100), BITS, every=True)}
    assert all(abs(found[k] - n / 16) < 1e-15 for k, n in enumerate((1, 4, 6, 4, 1)))
    pairs = tuple(((v[0], 0), p) for v, p in half)
    for types, every in ((((half, 40),), False), (((pairs, 40),), True)):
        ((sure, ((law, number),)),) = cases(types, F(1, 100), BITS, every=every)
        assert sum(p for _, p in law) == 1
        assert 0.99 <= sure / 2**BITS < 1 and 10 < number < 20
        fewer = sum(n for n in (comb(40, k) for k in range(number))) / 2**40
        assert fewer <= 1 - sure / 2**BITS <= 0.01


def test_coins_lose_the_likeliest_and_never_count_more_than_there_are():
    mixed = mixture(((F(1, 2), 2), (F(1), 3)), 3, 64, BITS)
    assert {k: round(mass / 2**BITS, 9) for k, _, mass in mixed} == {0: 0.25, 1: 0.5, 2: 0.25}
    # none: 1, one: 1/2, two: 1/2 at most, at epsilon 0 of fair coins against one more
    upper = max(delta(coins(mixed, F(1, 2), step, BITS), F(0), BITS) for step in (1, -1))
    assert abs(upper - (F(1, 4) + F(1, 4) + F(1, 8))) < F(1, 10**20)
    assert 1 - sum(mass for *_, mass in mixture(((F(1, 3), 500),), 0, 64, BITS)) / 2**BITS < 1e-20
    assert coin(F(1)) == (((1,), F(1)),)


def test_no_mass_of_a_record_is_used_twice():
    third = tuple(((k,), F(1, 3)) for k in range(3))
    assert ends(third, (1,), F(1, 2)) == (F(1, 3), F(1, 3))
    assert ends(third, (2,), F(1, 5)) == (F(1, 3), F(1, 3))
    assert ends(third, (3,), F(1, 5)) == (0, 0)


@pytest.mark.parametrize("code", [0, 1, 3])
@pytest.mark.parametrize("place", ["/dev/full", None])
def test_the_exit_code_does_not_depend_on_where_it_prints(monkeypatch, code, place):
    monkeypatch.setattr(program, "run", lambda _: (code, "καλά"))
    with Path(place or "/dev/null").open("w", encoding="latin-1") as out:
        monkeypatch.setattr(sys, "stdout", out if place else None)
        with pytest.raises(SystemExit) as end:
            program.main()
    assert end.value.code == code


def test_what_nobody_foresaw_is_no_refusal(monkeypatch, capsys):
    monkeypatch.setattr(program, "run", lambda _: 1 // 0)
    with pytest.raises(SystemExit) as end:
        program.main()
    assert end.value.code == 70 and "FAILED: a defect of this program (ZeroDivisionError)" in capsys.readouterr().out


MOST_LINES = 3100  # so that it can be read in an afternoon; for an audit, `audit.py` and `people.py` alone


def test_the_checker_stays_small():
    """Lines of code: neither blank, nor a comment, nor of a docstring."""
    code = 0
    for path in (Path(__file__).parents[1] / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        words = {
            line
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            for line in range(node.lineno, (node.end_lineno or 0) + 1)
        }
        code += sum(
            line not in words and bool(row.strip()) and not row.strip().startswith("#")
            for line, row in enumerate(text.splitlines(), 1)
        )
    assert code <= MOST_LINES


def plain(**changes):
    """A certificate of one count, by hand: ten people, yes with probability one half."""
    document = {
        "schema": "dalenius/certificate/4",
        "software": "by hand",
        "verdict": "pass",
        "answer": "YES",
        "claim": {
            "definition": "noiseless privacy",
            "events": "all events",
            "evidence": "computed",
            "epsilon": "1",
            "delta_wanted": "1/10",
            "delta_at_most": "0.1",
        },
        "secret": "value",
        "attacker": {"knows": "0", "in_every_group": False, "source": "x", "largest_known": 1},
        "policies": [],
        "people": {"all": 10, "in_no_figure": 0},
        "beliefs": [{"column": "smoker", "by": [], "source": "x", "confidence": None, "differ": ""}],
        "figures": [
            {
                "name": "smokers", "kind": "count", "column": None, "confidential": ["smoker"], "where": "smoker = yes",
                "by": [], "already_out": False, "unit": "1", "least": "0", "most": "1", "channel": [],
            }
        ],
        "numbers": [[0, []]],
        "domains": [[[[0], [1], 2]]],
        "laws": [[[[0], [1], 2, "1/2"]]],
        "kinds": [
            {
                "figures": [0],
                "parts": [{"figures": [0], "domain": 0, "types": [[0, 10]], "least": None}],
                "people": 10, "known": 0, "alone": True, "delta": ["0", "0.1"], "evidence": {"method": "atom"},
            }
        ],
        "groups": [[0, [0]]],
        "moves": [],
        "assumes": [], "broken_by": [], "sources": [], "figures_sha256": "0" * 64,
    }  # fmt: skip
    document.update(changes)
    return document


def said(tmp_path: Path, document, *, seal=True) -> tuple[int, str]:
    if isinstance(document, dict) and seal:
        document = {**document, "sha256": own_hash(document)}
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    (tmp_path / "c.json").write_bytes(content)
    return run([str(tmp_path / "c.json")])


@pytest.mark.parametrize(("secret", "known", "alone"), [("value", 0, True), ("value", 2, True), ("value", 0, False),
                                                        ("presence", 0, True)])  # fmt: skip
def test_a_rounded_total_may_lie_anywhere_between_multiples(secret, known, alone):
    """Against brute force over what known records add; for presence, over all that nobody said is not there."""
    document = plain(secret=secret, attacker={**plain()["attacker"], "knows": str(known), "largest_known": 2})
    document["figures"][0]["channel"], document["claim"]["epsilon"] = [["round", "4"]], "1/4"
    document["kinds"][0] |= {"known": known, "delta": ["0", "0.1"]}
    document["laws"] = [[[[0], [0], 1, "3/4"], [[1], [0], 1, "1/4"]]]
    certificate = read(json.dumps({**document, "sha256": own_hash(document)}).encode())
    check(certificate)
    certificate.kinds[0].alone = alone
    law, base, found = listed(((YES, 9 - known),)), 4 if alone else 1, F(0)
    for offset in range(4 if secret == "presence" else known + 1):
        for move in ((0, 1), (1, 0)):
            one, two = Counter(), Counter()
            for (total_,), mass in law.items():
                for where, add in ((one, move[0]), (two, move[1])):
                    where[(offset + total_ + add + base // 2) // base] += mass
            found = max(found, sum(max(F(0), mass - F(exp(0.25)) * two[at]) for at, mass in one.items()))
    upper = Examiner(certificate, certificate.kinds[0], BITS).bounds(known, F(0)).upper
    assert found - F(1, 10**14) <= upper <= found + F(1, 10**14)


def test_a_certificate_by_hand(tmp_path):
    assert said(tmp_path, plain())[0] == 0


def part(**changes):
    return {**plain()["kinds"][0]["parts"][0], **changes}


def kind(**changes):
    return [{**plain()["kinds"][0], **changes}]


def figure(**changes):
    return [{**plain()["figures"][0], **changes}]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b"", 2),
        (b'{"schema": "dalenius/certificate/4", ', 2),
        (b"[" * 100_000, 2),
        (b"\xff\xfe", 2),
        (b"[]", 2),
        ({"schema": "dalenius/certificate/4"}, 2),
        ({"schema": "dalenius/certificate/5"}, 2),
        ({"schema": "dalenius/certificate/2"}, 2),
        ({"schema": 7}, 2),
        (plain(people={"all": 10.0, "in_no_figure": 0}), 2),
        (plain(people={"all": "10", "in_no_figure": 0}), 2),
        (plain(people={"all": True, "in_no_figure": 0}), 2),
        (plain(people={"all": -10, "in_no_figure": 0}), 2),
        (plain(people={"all": 10**18, "in_no_figure": 10**18 - 10}), 3),
        (plain(extra=1), 2),
        ({key: value for key, value in plain().items() if key != "laws"}, 2),
        (plain(laws=[[[[0], [1], 2, "NaN"]]]), 2),
        (plain(laws=[[[[0], [1], 2, "1/0"]]]), 2),
        (plain(laws=[[[[0], [1], 2, "1e9999"]]]), 2),
        (plain(laws=[[[[0], [1], 2, "2/3"]]]), 1),
        (plain(laws=[[[[0], [1], 10**18, "1/2"]]]), 3),
        (plain(domains=[[[[0], [1], 10**18]]]), 3),
        (plain(laws=[[[[0], [10**18], 2, "1/2"]]]), 3),
        (plain(laws=[[[[0], [2], 2, "1/2"]]]), 1),
        (plain(laws=[[[[0, 0], [1], 2, "1/2"]]]), 1),
        (plain(beliefs=[]), 1),
        (plain(figures=figure(confidential=[])), 1),
        (plain(figures=figure(kind="sum")), 1),
        (plain(figures=figure(kind="sum", column="income")), 1),
        (plain(figures=figure(kind="mean", column="smoker"), secret="presence"), 1),
        (plain(figures=figure(unit="2", most="2")), 1),
        (plain(figures=figure(least="1"), domains=[[[[1], [0], 1]]], laws=[[[[1], [0], 1, "1"]]]), 1),
        (plain(groups=[[7, [0]]]), 1),
        (plain(groups=[[0, [5]]]), 1),
        (plain(kinds=kind(evidence={"method": "moves"})), 3),
        (plain(kinds=kind(known=3)), 1),
        (plain(kinds=kind(delta=["0", "0.01"])), 1),
        (plain(kinds=kind(delta=["0.09", "0.1"])), 1),
        (plain(kinds=kind(parts=[part(types=[[0, 11]])])), 1),
        (plain(kinds=kind(parts=[part(domain=4)])), 1),
        (plain(kinds=kind(alone=False)), 1),
        (plain(secret="what"), 2),
        (plain(verdict="fail"), 2),
        (plain(claim={**plain()["claim"], "epsilon": "1e999"}), 3),
        (plain(claim={**plain()["claim"], "epsilon": "-1"}), 1),
        (plain(claim={**plain()["claim"], "delta_wanted": "1/1000"}), 1),
        (plain(attacker={**plain()["attacker"], "largest_known": 9}), 1),
        (plain(attacker={**plain()["attacker"], "largest_known": None}), 1),
        ({key: value for key, value in plain().items() if key != "moves"}, 2),
        (plain(attacker={**plain()["attacker"], "knows": "10"}), 1),
    ],
)
def test_what_is_wrong_is_not_swallowed(tmp_path, document, code):
    found, words = said(tmp_path, document)
    assert found == code, words
    assert words.split(":")[0] in ("REFUSES", "UNREADABLE", "UNDECIDED")


def test_floats_and_repeated_keys_are_unreadable(tmp_path):
    sealed = {**plain(), "software": "1.5"}
    text = json.dumps({**sealed, "sha256": own_hash(sealed)})
    assert said(tmp_path, text.encode())[0] == 0
    for old, new in (
        ('"all": 10', '"all": 1e999'),
        ('"all": 10', '"all": NaN'),
        ('"all": 10', '"all": 10, "all": 9'),
        ('"1.5"', "1.5"),
    ):
        assert said(tmp_path, text.replace(old, new, 1).encode())[0] == 2


def test_half_characters_and_last_line_breaks_are_unreadable(tmp_path):
    for changes in ({"software": "\ud800"}, {"attacker": {**plain()["attacker"], "knows": "0\n"}}):
        assert said(tmp_path, plain(**changes))[0] == 2


@pytest.mark.parametrize("known", [0, 1, 3, 40])
def test_known_records_put_a_total_wherever_sums_of_them_lie(known):
    """Against all sums of so many numbers, one after the other."""
    thirds = (((1,), F(1, 3)), ((4,), F(1, 3)), ((10,), F(1, 3)))
    document = SimpleNamespace(secret="value")
    places = Examiner(document, None, BITS)._places(Part(((1,), (4,), (10,)), ((thirds, 60),), (None,), 12), known)
    offsets = {0}
    for _ in range(known):
        offsets = {(one + other) % 12 for one in offsets for other in (1, 4, 10)}
    moves = {(a, b - a) for a in (1, 4, 10) for b in (1, 4, 10) if a != b}
    assert places == {((start + offset) % 12, (move,)) for start, move in moves for offset in offsets}


@pytest.mark.slow
def test_a_million_known_records_take_no_longer(tmp_path):
    """A count of five million people that is rounded."""
    people, known = 5_000_000, 1_000_000
    document = plain(people={"all": people, "in_no_figure": 0}, figures=figure(channel=[["round", "250"]]))
    document["kinds"] = kind(people=people, known=known, delta=["0", "0"], parts=[part(types=[[0, people]])])
    document["attacker"] |= {"knows": str(known), "largest_known": known}
    document["claim"]["delta_at_most"] = "0"
    start = perf_counter()
    assert said(tmp_path, document)[0] == 0
    assert perf_counter() - start < 60


@pytest.mark.parametrize(("uses", "code"), [(["smoker"], 0), (["job", "smoker"], 1)])
def test_a_mean_has_a_number_of_records_that_no_confidential_column_decides(tmp_path, uses, code):
    document = plain()
    document["figures"][0] |= {"kind": "mean", "column": "smoker", "confidential": uses}
    document["beliefs"] += [document["beliefs"][0] | {"column": "job"}]
    assert said(tmp_path, document)[0] == code


def test_laws_of_which_nothing_is_known(tmp_path):
    """Of five people anything may hold: the others hide everybody. Of all: nobody."""
    document = plain(laws=[[], plain()["laws"][0]])
    document["attacker"]["largest_known"], document["claim"]["delta_wanted"] = 0, "1/5"
    for none, code in ((2, 0), (10, 3)):
        least = [[0, none], [1, 10 - none]] if none < 10 else [[0, 10]]
        document["kinds"] = kind(parts=[part(types=[[1, 10]], least=least)], delta=["0", "0.2"])
        document["claim"]["delta_at_most"] = "0.2"
        assert said(tmp_path, document)[0] == code
    assert said(tmp_path, plain(kinds=kind(parts=[part(least=[])])))[0] == 1


@pytest.mark.parametrize(
    ("scale", "secret", "link", "code"),
    [
        ("1", "value", "geometric", 0),
        ("0.99", "value", "geometric", 1),
        ("1", "value", "gaussian", 1),
        ("1", "presence", "geometric", 0),
    ],
)
def test_geometric_noise_alone_leaves_no_delta(tmp_path, scale, secret, link, code):
    document = plain(figures=figure(channel=[[link, scale], ["round", "2"]]), kinds=kind(delta=["0", "0"], alone=True))
    document["claim"] |= {"delta_wanted": "0", "delta_at_most": "0"}
    document["attacker"]["largest_known"] = 9
    document["secret"] = secret
    assert said(tmp_path, document)[0] == code


def test_losses_of_several_noisy_figures_add_up(tmp_path):
    document = margins(moves=[])
    document["figures"] = [{**one, "channel": [["geometric", "2"]]} for one in document["figures"]]
    document["kinds"] = [{**document["kinds"][0], "delta": ["0", "0"], "evidence": {"method": "atom"}}]
    document["claim"] |= {"delta_wanted": "0", "delta_at_most": "0"}
    document["attacker"]["largest_known"] = 39
    assert said(tmp_path, document)[0] == 0
    document["figures"][0]["channel"] = [["geometric", "1.99"]]
    assert said(tmp_path, document)[0] == 1


def test_a_changed_certificate_is_refused_by_its_hash(tmp_path):
    document = {**plain(), "sha256": own_hash(plain()), "answer": "YES!"}
    assert said(tmp_path, document, seal=False) == (1, said(tmp_path, document, seal=False)[1])


def margins(**changes):
    """A table of two rows and two columns with margins, ten people a cell, yes with probability one half: everybody is
    hidden by the others of the cell, and by ten moves over the corners.
    """
    base = plain()
    base["claim"]["delta_wanted"], base["claim"]["delta_at_most"] = "1/10", "0.028"
    base["attacker"] |= {"knows": "1", "largest_known": None}
    base["people"] = {"all": 40, "in_no_figure": 0}
    base["figures"] = [{**base["figures"][0], "name": name, "by": [name]} for name in ("row", "column")]
    base["numbers"] = [[0, [0]], [1, [0]], [1, [1]], [0, [1]]]  # in the order of their first use
    base["domains"], base["laws"] = [[[[0, 0], [1, 1], 2]]], [[[[0, 0], [1, 1], 2, "1/2"]]]
    base["kinds"] = [
        {
            "figures": [0, 1],
            "parts": [{"figures": [0, 1], "domain": 0, "types": [[0, 10]], "least": None}],
            "people": 10, "known": 1, "alone": False, "delta": ["0", "0.028"], "evidence": {"method": "moves"},
        }
    ]  # fmt: skip
    base["groups"] = [[0, [row, column]] for row in (0, 3) for column in (1, 2)]
    base["moves"] = [
        {
            "group": group,
            "ways": [{"change": [[0, 1], [1, 1]], "rate": "1/2", "packing": 0}],
            "packings": [[[10, [[group ^ 1, 0], [group ^ 2, 0]], [[group ^ 3, 0]]]]],
        }
        for group in range(4)
    ]
    return {**base, **changes}


def test_moves_by_hand(tmp_path):
    code, words = said(tmp_path, margins())
    assert code == 0, words
    # nine others and ten moves of weight 1/4 without the one that is known: E delta_K is 0.02707
    strict = margins(kinds=[{**margins()["kinds"][0], "delta": ["0", "0.024"]}])
    strict["claim"] = {**strict["claim"], "delta_at_most": "0.024"}
    assert said(tmp_path, strict)[0] == 1


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (("packings", 0, 0, 0), 11, 1),
        (("packings", 0, 0, 1, 0, 0), 3, 1),
        (("packings", 0, 0, 1, 0, 0), 0, 1),
        (("packings", 0, 0, 1, 0, 0), 4, 1),
        (("packings", 0, 0, 1, 0, 1), 1, 1),
        (("packings", 0, 0, 2), [], 1),
        (("packings", 0), [[1, [], []]], 1),
        (("ways", 0, "change", 0, 1), 2, 1),
        (("ways", 0, "change", 0, 1), 0, 1),
        (("ways", 0, "change", 0, 0), 2, 1),
        (("ways", 0, "change"), [[0, 1]], 1),
        (("ways", 0, "rate"), "1", 1),
        (("ways", 0, "rate"), "1/20", 1),
        (("ways", 0, "packing"), 1, 1),
        (("ways",), [], 2),
        (("group",), 1, 1),
    ],
)
def test_moves_that_are_none_are_not_swallowed(tmp_path, path, value, code):
    document = margins()
    inside = document["moves"][0]
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    found, words = said(tmp_path, document)
    assert found == code, words


def test_the_moves_of_every_group_are_looked_at(tmp_path):
    document = margins()
    document["moves"][3]["packings"][0][0][0] = 1
    assert said(tmp_path, document)[0] == 1


def test_groups_that_are_not_known_are_named(tmp_path):
    code, words = said(tmp_path, margins(moves=[]))
    assert code == 3
    assert "kind 0 (10 people)" in words and "moves" in words


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"epsilon": "1", "delta": "1/10", "known": "1/40", "safe_threshold": 20}, 0),
        ({"epsilon": "1/2"}, 1),
        ({"delta": "1/11"}, 1),
        ({"known": "1/20"}, 1),
        ({"safe_threshold": 21}, 1),
    ],
)
def test_a_claim_that_is_less_strict_than_a_policy_is_refused(tmp_path, limits, code):
    nothing = dict.fromkeys(("sha256", "epsilon", "delta", "known", "safe_threshold"))
    assert said(tmp_path, margins(policies=[{"name": "the office", **nothing, **limits}]))[0] == code
