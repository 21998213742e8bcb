"""Certificates of several editions: both programs judge them, and see which figure is of which edition."""

import copy
import json
from fractions import Fraction
from types import SimpleNamespace

import pandas as pd
import pytest
from tests.amount import repetitions

import dalenius as dl
from certificates.tampering import resealed
from dalenius.basics.errors import InputError
from dalenius.record.certificate.recheck import recheck
from dalenius.tables.spells import Spells
from dalenius_checker.__main__ import run
from dalenius_checker.editions import Speller
from dalenius_checker.groups import Examiner
from linked.test_spells import ALMOST, compared, compared_with_absence, many_people


def register(months, people, each):
    """Everybody who was ever there, by ward; `each` join and leave from month to month."""
    rows = [[at, 1, 99, "ab"[at % 2], "no", "x"] for at in range(people)]
    for month in range(2, months + 1):
        start = (month - 2) * each
        for row in rows[start : start + each]:
            row[2] = month - 1
        rows += [[len(rows) + at, month, 99, "ab"[at % 2], "yes", "y"] for at in range(each)]
    return pd.DataFrame(rows, columns=["id", "since", "until", "ward", "ill", "job"])


ILL = {"name": "ill", "kind": "count", "where": {"ill": "yes"}}
BY_WARD = {"name": "in wards", "kind": "count", "where": {"ill": "yes"}, "by": "ward"}
JOBS = {"name": "jobs", "kind": "count", "by": ["job"]}
EVERYBODY = {"name": "everybody", "kind": "count"}
SPEC = {
    "person": "id",
    "public": {"since": {"bounds": [1, 99]}, "until": {"bounds": [1, 99]}, "ward": ["a", "b"]},
    "confidential": {"ill": ["no", "yes"], "job": ["x", "y", "z"]},
    "beliefs": {
        "ill": {"probabilities": {"yes": "0.4", "no": "rest"}, "source": "a survey"},
        "job": {
            "one_of": [{"x": "0.3", "y": "0.3", "z": "rest"}, {"x": "0.4", "y": "0.3", "z": "rest"}],
            "source": "b",
        },
    },
    "attacker": {"knows": 3, "source": "the ward"},
    "target": {"epsilon": 1, "delta": "1e-2"},
    "series": {"editions": 3, "changes": {"ill": "0.05", "job": ["0.2", "0.3"]}, "source": "last year"},
}
NOISY = [{**BY_WARD, "noise": {"geometric": 4}}]
MONTHS = {  # of each month what is asked for
    "two columns": ([ILL, JOBS], [ILL, JOBS]),
    "a breakdown that comes later": ([ILL], [BY_WARD]),
    "noise on a part at last": ([ILL], [{**ILL, "where": {"ill": "yes", "ward": "a"}, "noise": {"geometric": 4}}]),
    "noise at last": ([BY_WARD], [BY_WARD], NOISY),
    "noise on all": (NOISY, NOISY),
    "nothing confidential": ([EVERYBODY], [EVERYBODY]),
    "something confidential once": ([EVERYBODY], [ILL]),
}


def released(folder, months, people=3000, each=60, **more):
    """The certificate of the last month, and the figures of it."""
    for month, figures in enumerate(months, 1):
        keys = copy.deepcopy({**SPEC, "edition": {"now": month, "since": "since", "until": "until"}, **more})
        keys["figures"] = copy.deepcopy(figures)
        table = register(month, people, each)
        decision = dl.decide(keys, table, ledger=folder / "ledger.sqlite", margins=False, seconds=0)
        assert decision.verdict == "pass"
        dl.release_folder(decision, folder / str(month))
    return folder / str(len(months))


@pytest.mark.slow
@pytest.mark.parametrize("name", MONTHS)
def test_both_programs_confirm_what_is_released(name, tmp_path):
    folder = released(tmp_path, MONTHS[name])
    code, words = run([str(folder / "certificate.json"), "--figures", str(folder / "figures.csv")])
    assert code == 0, words
    again = recheck((folder / "certificate.json").read_bytes())
    assert again.code == 0, again.text()


def test_a_few_people_are_confirmed_by_the_law_of_all_editions(tmp_path):
    more = {"attacker": {"knows": 0, "source": "nobody"}, "target": {"epsilon": 2, "delta": "0.02"}}
    more["series"] = {"editions": 2, "changes": {"ill": "0.4"}, "source": "last year"}
    folder = released(tmp_path, ([ILL], [ILL]), people=60, each=6, **more)
    assert run([str(folder / "certificate.json")])[0] == 0
    assert recheck((folder / "certificate.json").read_bytes()).code == 0


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    folder = released(tmp_path_factory.mktemp("editions"), ([BY_WARD], [BY_WARD], NOISY), attacker=SHARE)
    return json.loads((folder / "certificate.json").read_bytes())


SHARE = {"knows": "0.01", "in_every_group": True, "source": "the ward"}


def answers(document, folder):
    """What the checker says, and the engine."""
    (folder / "certificate.json").write_bytes(resealed(document))
    try:
        engine = recheck(resealed(document)).code
    except InputError:
        engine = 2
    return run([str(folder / "certificate.json")])[0], engine


def swapped(document):
    """The figures of the first two editions change places."""
    figures = document["series"]["shown"]["figures"]
    figures[0][0], figures[1][0] = figures[1][0], figures[0][0]


def consistently(document):
    """The same, and the conditions of the editions too."""
    swapped(document)
    when = document["series"]["shown"]["when"]
    when[0], when[1] = when[1], when[0]


def moved(document):
    document["series"]["shown"]["figures"][0][0] = 2


def all_of_one(document):
    for figure in document["series"]["shown"]["figures"]:
        figure[0] = 3


def other_quantity(document):
    document["series"]["shown"]["figures"][1][1] = 1


def slower(document):
    """Fewer values change."""
    document["series"]["shown"]["changes"]["ill"] = ["1/500", "1/500"]
    other_steps(document)


def other_steps(document):
    for stratum in document["series"]["strata"]:
        stratum["steps"] = [["1/500", "1/500"] for _ in stratum["steps"]]


def further_apart(document):
    document["series"]["shown"]["apart"][0] = 2


def faster_somewhere(document):
    document["series"]["strata"][0]["steps"] = [["1/10", "1/10"] for _ in document["series"]["strata"][0]["steps"]]


def none_changes_for_sure(document):
    document["series"]["strata"][0]["steps"][0] = ["0", "2"]


def stays(change):
    def forge(document):
        for stratum in document["series"]["strata"]:
            for stay in stratum["stays"]:
                change(stay)

    return forge


def longer(stay):
    stay[0] = 1


def more_people(stay):
    stay[3] += 50


def fewer_known(stay):
    stay[4] -= 1


def likelier(document):
    for stratum in document["series"]["strata"]:
        stratum["laws"][0] = [[vector, "1/2"] for vector, _ in stratum["laws"][0]]


def fewer_facts(document):
    for stratum in document["series"]["strata"]:
        stratum["facts"] = stratum["facts"][:1]
        stratum["laws"] = [[one for one in law if one[0] in stratum["facts"]] for law in stratum["laws"]]


def no_noise(document):
    for stratum in document["series"]["strata"]:
        stratum["noise"] = []


def earlier_noise(document):
    for stratum in document["series"]["strata"]:
        stratum["exact"] = 1


def other_people(document):
    people = document["series"]["shown"]["people"]
    people[0], people[-1] = [people[0][0] + 5], [people[-1][0] - 5]


def other_stratum(document):
    document["series"]["groups"][0] = [[1 - document["series"]["groups"][0][0][0]]]


def no_stratum(document):
    document["series"]["groups"][0] = [[]]


def no_rows(document):
    document["series"]["groups"][0], document["series"]["shown"]["people"][0] = [], []


def shorter(document):
    document["series"]["shown"]["when"].pop()


def by_itself(document):
    """As if nobody's value ever changed."""
    document["kinds"][0]["evidence"] = {"method": "atom"}


FORGED = (
    by_itself,
    other_steps,
    further_apart,
    swapped,
    consistently,
    moved,
    all_of_one,
    other_quantity,
    faster_somewhere,
    none_changes_for_sure,
)
FORGED += (stays(longer), stays(more_people), stays(fewer_known), likelier, fewer_facts, no_noise, earlier_noise)
FORGED += (other_people, other_stratum, no_stratum, no_rows, shorter)


@pytest.mark.parametrize("forge", FORGED)
def test_what_contradicts_itself_is_refused_by_both(forge, genuine, tmp_path):
    document = copy.deepcopy(genuine)
    assert answers(document, tmp_path) == (0, 0)
    forge(document)
    assert answers(document, tmp_path) == (1, 1)


@pytest.mark.slow
def test_what_would_tell_more_is_not_confirmed(genuine, tmp_path):
    """It contradicts nothing else: only its delta is larger. The checker has no lower bound, and leaves it open."""
    document = copy.deepcopy(genuine)
    slower(document)
    assert answers(document, tmp_path) == (3, 1)


def test_less_noise_than_was_added_is_not_confirmed(tmp_path):
    folder = released(tmp_path, MONTHS["noise on all"])
    document = json.loads((folder / "certificate.json").read_bytes())
    document["figures"][1]["channel"] = [["geometric", "1"]]
    assert answers(document, tmp_path) == (3, 1)


def as_one_edition(document, when):
    """As if all figures were of one edition: two numbers to which everybody in both adds the same."""
    series = document["series"]
    shown, (stratum,) = series["shown"], series["strata"]
    series |= {"editions": 1, "strata": [], "groups": [[[at]] for at in range(len(document["groups"]))]}
    shown |= {"when": [when], "figures": [[1, 0], [1, 1]], "quantities": []}
    for kind, _ in document["groups"]:
        figures, people = document["kinds"][kind]["figures"], document["kinds"][kind]["people"]
        both = [[step] * len(figures) for step in (0, 1)]
        law = [[vector, chance] for vector, (_, chance) in zip(both, stratum["laws"][0], strict=True)]
        more = {"facts": both, "laws": [law], "steps": [], "stays": [[1, 1, 0, people, 3]]}
        series["strata"].append({**stratum, **more})
        shown["quantities"].append(figures)
    for kind in document["kinds"]:
        kind["delta"][1] = "0.001"
    document["claim"]["delta_at_most"] = "0.001"


def test_two_editions_are_not_taken_for_one(tmp_path):
    """Nothing would be told by what changes from one to the other: an edition needs a whole condition of its own."""
    folder = released(tmp_path, ([ILL], [ILL]), series={"editions": 2, "changes": {"ill": "0.05"}, "source": "a"})
    content = (folder / "certificate.json").read_text(encoding="utf-8").replace("until ≥ 2", "until ≥ 11")
    for when in ("", "1"):
        document = json.loads(content)
        as_one_edition(document, when)
        assert answers(document, tmp_path) == (1, 1)


def test_older_certificates_keep_their_meaning(genuine, tmp_path):
    """They do not say which figure is of which edition: the engine judges the strata, the checker does not."""
    document = copy.deepcopy(genuine)
    del document["series"]["shown"]
    assert answers(document, tmp_path) == (3, 0)


class Checked(Spells):
    """The checker's bound, asked for as the engine's is."""

    def upper(self, stratum, facts):
        nobody = SimpleNamespace(figures=[], parts=[], alone=False)
        about = SimpleNamespace(epsilon=self.epsilon, wanted=self.enough, secret="value", figures=[])
        laws = list(dict.fromkeys(stay.law for stay in stratum.stays))
        stays = [(stay.first, stay.last, laws.index(stay.law), stay.people, stay.known) for stay in stratum.stays]
        told = SimpleNamespace(
            facts=list(facts), steps=stratum.steps, laws=laws, stays=stays, all=stratum.editions, exact=stratum.editions
        )
        speller = Speller(Examiner(about, nobody, 120), told, stratum.editions, self.epsilon, self.enough)
        found = [speller.upper(at_once=at_once) for at_once in (True, False)]
        assert found[0] <= found[1]
        return float(found[0]) + ALMOST


@pytest.mark.slow
def test_the_checker_is_never_below_the_truth_either(monkeypatch):
    monkeypatch.setattr("linked.test_spells.Spells", Checked)
    found = [compared(seed) for seed in (*range(repetitions(12, 1000)), 780)]
    assert all(max(spell, value) <= bound for spell, value, bound in found)
    found = [compared_with_absence(seed) for seed in range(repetitions(8, 600))]
    found += [many_people(seed, enough) for seed in range(repetitions(3, 200)) for enough in (None, Fraction(1, 10**6))]
    assert all(truth <= bound + 1e-9 for truth, bound in found)
    assert sum(bound <= truth * 1.01 + 1e-9 for truth, bound in found) > len(found) / 4
