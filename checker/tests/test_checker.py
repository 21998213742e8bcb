"""The checker by itself: its laws against plain enumeration, and input that it must not swallow."""

import json
from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path

import pytest
from dalenius_checker.choices import all_choices, number_of_choices, worst

from dalenius_checker.__main__ import run
from dalenius_checker.document import own_hash
from dalenius_checker.laws import hockey_stick, moved, total
from dalenius_checker.losses import envelope, losses, together
from dalenius_checker.noise import noise, rounded

F = Fraction
BITS = 120
YES = (((0,), F(3, 4)), ((1,), F(1, 4)))
ODD = (((0,), F(1, 2)), ((1,), F(1, 3)), ((4,), F(1, 6)))
PAIR = (((0, 0), F(1, 2)), ((1, 0), F(1, 3)), ((1, 2), F(1, 6)))


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
    ],
)
def test_bounds_hold_the_truth_and_are_narrow(types, move):
    law = total(types, len(move), BITS)
    epsilon = F(1, 2)
    lower, upper = hockey_stick(law.mass, moved(law, move), law.missing, epsilon, BITS)
    truth = listed(types)
    assert lower <= stick(truth, move, F(exp(0.5))) + F(1, 10**15)
    assert upper >= stick(truth, move, F(exp(0.5))) - F(1, 10**15)
    assert upper - lower < F(1, 10**25)
    assert all(F(mass, 1 << BITS) <= 1 for mass in law.mass)


def test_masses_are_never_too_large():
    law = total(((ODD, 4),), 1, BITS)
    truth = listed(((ODD, 4),))
    for place, mass in enumerate(law.mass):
        exactly = truth.get((law.start[0] + place,), F(0))
        assert exactly - F(1, 2**100) <= F(mass, 1 << BITS) <= exactly


@pytest.mark.parametrize("kind", ["geometric", "gaussian", "normal"])
def test_noise_is_never_too_large_and_nearly_complete(kind):
    law = noise(kind, F(3), BITS)
    assert 0 <= law.missing < F(1, 10**14)
    middle = -law.start[0]
    if kind == "geometric":
        x = exp(-1 / 3)
        assert abs(law.mass[middle + 2] / 2**BITS - (1 - x) / (1 + x) * x**2) < 1e-15
    if kind == "gaussian":
        whole = sum(exp(-k * k / 18) for k in range(-60, 61))
        assert abs(law.mass[middle + 2] / 2**BITS - exp(-4 / 18) / whole) < 1e-15


def test_rounding_goes_to_the_nearest_multiple_half_way_up():
    law = total((((((7,), F(1)),), 1),), 1, BITS)
    assert [rounded(law, 5, offset).start[0] for offset in range(6)] == [1, 2, 2, 2, 2, 2]


def test_two_outputs_together_are_bounded_from_above_and_closely():
    law = total(((YES, 6),), 1, BITS)
    epsilon, truth = F(1, 2), listed(((YES, 6),))
    both = {(*a, *b): p * q for a, p in truth.items() for b, q in truth.items()}
    single = {s: losses(law.mass, moved(law, (s,)), law.missing, epsilon, BITS) for s in (1, -1)}
    for s, t in product((1, -1), repeat=2):
        exactly = stick(both, (s, t), F(exp(0.5)))
        found = together([envelope([single[s]]), envelope([single[t]])]).delta(epsilon)
        assert exactly <= found <= exactly * F(101, 100)
    worst_pair = envelope(single.values())
    for s, t in product((1, -1), repeat=2):
        assert stick(both, (s, t), F(exp(0.5))) <= together([worst_pair, worst_pair]).delta(epsilon) < 1
    for s in (1, -1):
        assert single[s].delta(epsilon) <= worst_pair.delta(epsilon)
        assert stick(truth, (s,), F(exp(0.5))) <= worst_pair.delta(epsilon)


def test_every_choice_of_known_records_is_gone_through_and_many_are_bounded():
    assert number_of_choices([3, 4], 5) == len(list(all_choices([3, 4], 5))) == 3
    seen = []

    def evaluate(types, *, exactly):
        left = sum(count for _, count in types)
        seen.append((left, exactly))
        return F(0), F(1, 1 + left)

    assert worst(((YES, 40), (ODD, 40)), 30, evaluate, F(1, 10)) == (F(0), F(1, 21))
    assert (20, False) in seen


def plain(**changes):
    """A certificate of one count, by hand: ten people, yes with probability one half."""
    document = {
        "schema": "dalenius/certificate/2",
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
        "people": {"all": 10, "in_no_figure": 0},
        "beliefs": [],
        "figures": [
            {
                "name": "smokers", "kind": "count", "column": None, "where": "", "by": [], "already_out": False,
                "unit": "1", "least": "0", "most": "1", "channel": [],
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


def test_a_certificate_by_hand(tmp_path):
    assert said(tmp_path, plain())[0] == 0


def part(**changes):
    return {**plain()["kinds"][0]["parts"][0], **changes}


def kind(**changes):
    return [{**plain()["kinds"][0], **changes}]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (b"", 2),
        (b'{"schema": "dalenius/certificate/2", ', 2),
        (b"[" * 100_000, 2),
        (b"\xff\xfe", 2),
        (b"[]", 2),
        ({"schema": "dalenius/certificate/3"}, 2),
        ({"schema": "dalenius/certificate/1"}, 2),
        ({"schema": 7}, 2),
        (plain(people={"all": 10.0, "in_no_figure": 0}), 2),
        (plain(people={"all": "10", "in_no_figure": 0}), 2),
        (plain(people={"all": True, "in_no_figure": 0}), 2),
        (plain(people={"all": -10, "in_no_figure": 0}), 1),
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
        (plain(laws=[[[[0, 0], [1], 2, "1/2"]]]), 2),
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
        (plain(attacker={**plain()["attacker"], "knows": "10"}), 1),
    ],
)
def test_what_is_wrong_is_not_swallowed(tmp_path, document, code):
    found, words = said(tmp_path, document)
    assert found == code, words
    assert words.split(":")[0] in ("REFUSES", "UNREADABLE", "TOO LARGE")


def test_floats_and_repeated_keys_are_unreadable(tmp_path):
    text = json.dumps({**plain(), "sha256": own_hash(plain())})
    for old, new in (('"all": 10', '"all": 1e999'), ('"all": 10', '"all": NaN'), ('"all": 10', '"all": 10, "all": 9')):
        assert said(tmp_path, text.replace(old, new, 1).encode())[0] == 2


def test_a_changed_certificate_is_refused_by_its_hash(tmp_path):
    document = {**plain(), "sha256": own_hash(plain()), "answer": "YES!"}
    assert said(tmp_path, document, seal=False) == (1, said(tmp_path, document, seal=False)[1])


def test_groups_that_are_not_known_are_named(tmp_path):
    code, words = said(tmp_path, plain(kinds=kind(evidence={"method": "moves"})))
    assert code == 3
    assert "kind 0 (10 people)" in words and "moves" in words
