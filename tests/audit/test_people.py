"""Counts, means and medians of a few people, against everybody there can be."""

import json
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random
from statistics import median
from time import process_time

import pytest

from amount import repetitions
from audit.test_tampering import sealed
from dalenius.audit.people import People, Said, What, Who, people_that_fit, shared
from dalenius.audit.problem import ContradictionError
from dalenius.basics.errors import InputError
from dalenius.basics.patience import Left
from dalenius.record.proofs import people_json
from dalenius_checker import audit as checker
from dalenius_checker.people import RefusedError

F = Fraction
SEX, RACE, STATUS = ("sex", ("female", "male")), ("race", ("black", "white")), ("status", ("single", "married"))


def who(*labels, least=None, most=None):
    names = {label: name for name, labels in (SEX, RACE, STATUS) for label in labels}
    return Who(tuple((names[label], (label,)) for label in labels), least, most)


def published(name, group, count, middle, mean, slack=0):
    return (
        Said(What.COUNT, group, count, count, f"{name}: count"),
        Said(What.MEDIAN, group, middle, middle, f"{name}: median"),
        Said(What.MEAN, group, F(mean) - slack, F(mean) + slack, f"{name}: mean"),
    )


def block():
    """Seven people: what Garfinkel, Abowd and Martindale publish of them, fewer than three hidden."""
    hidden = {
        "single adults": who("single", least=18),
        "black men": who("black", "male"),
        "white men": who("white", "male"),
        "white women": who("white", "female"),
        "under 5": Who(most=4),
        "under 18": Who(most=17),
        "64 and over": Who(least=64),
    }
    said = (
        *published("all", Who(), 7, 30, 38),
        *published("women", who("female"), 4, 30, "33.5"),
        *published("men", who("male"), 3, 30, 44),
        *published("black", who("black"), 4, 51, "48.5"),
        *published("white", who("white"), 3, 24, 24),
        *published("married", who("married"), 4, 51, 54),
        *published("black women", who("black", "female"), 3, 36, "36.7", F(1, 20)),
        *(Said(What.COUNT, group, 0, 2, f"{name}: hidden") for name, group in hidden.items()),
        Said(What.COUNT, who("married", most=14), 0, 0, "nobody is married before 15"),
    )
    return People((SEX, RACE, STATUS), "age", 0, 125, said)


SEVEN = (
    (("female", "black", "married"), 36),
    (("female", "black", "married"), 66),
    (("female", "black", "single"), 8),
    (("female", "white", "single"), 24),
    (("male", "black", "married"), 84),
    (("male", "white", "married"), 30),
    (("male", "white", "single"), 18),
)


@pytest.mark.slow
def test_a_block_of_seven_people_is_known_by_its_statistics():
    before = process_time()
    found = people_that_fit(block())
    assert process_time() - before < 2
    assert found.known
    assert found.each == (SEVEN,)
    assert sum(shared(found).values()) == 7
    written = people_json(found).encode()
    assert checker.examined(checker.load(written)).startswith(
        "1 list(s) of people fit what is published, and no others"
    )


def test_people_who_are_forged_or_left_out_are_refused():
    said = (Said(What.COUNT, Who(), 2, 2, "two"), Said(What.MEAN, Who(), 2, 2, "mean"))
    document = json.loads(people_json(people_that_fit(People((), "age", 0, 4, said), most=9)))
    found = document["people"]["found"]
    assert len(found) == 3
    for forged in (found[:2], [*found, [[[], 1], [[], 4]]], [*found, found[0]], []):
        document["people"]["found"] = forged
        with pytest.raises(RefusedError):
            checker.examined(checker.load(sealed(document)))
    document["people"]["found"], document["people"]["complete"] = found[:2], False
    assert checker.examined(checker.load(sealed(document))).endswith("others may")


def everybody(people):
    """All crowds that fit, one by one."""
    kinds = list(product(*(labels for _, labels in people.variables)))
    persons = list(product(kinds, range(people.least, people.most + 1)))
    names = [name for name, _ in people.variables]
    for size in range(5):
        for crowd in combinations_with_replacement(sorted(persons), size):
            if all(holds(said, crowd, names) for said in people.said):
                yield crowd


def holds(said, crowd, names):
    own = [
        number
        for labels, number in crowd
        if all(labels[names.index(name)] in wanted for name, wanted in said.who.labels)
        and (said.who.least is None or number >= said.who.least)
        and (said.who.most is None or number <= said.who.most)
    ]
    if said.what == What.COUNT:
        value = F(len(own))
    elif said.what == What.SUM:
        value = F(sum(own))
    elif not own:
        return False
    else:
        value = F(sum(own), len(own)) if said.what == What.MEAN else F(median(map(F, own)))
    return (said.lower is None or value >= said.lower) and (said.upper is None or value <= said.upper)


def random_people(random):
    """At most four people with two labels and numbers up to 4, and what is published of them."""
    variables = (("sex", ("a", "b")),) if random.random() < 0.7 else ()
    crowd = [
        (tuple(random.choice(labels) for _, labels in variables), random.randint(0, 4))
        for _ in range(random.randint(1, 4))
    ]
    said = [Said(What.COUNT, Who(), len(crowd) - random.randint(0, 1), len(crowd), "all")]
    for _ in range(random.randint(1, 6)):
        labels = (("sex", (random.choice("ab"),)),) if variables and random.random() < 0.5 else ()
        ends = random.choice(((None, None), (None, None), (2, None), (None, 1), (1, 3)))
        group = Who(labels, *ends)
        what = random.choice(list(What))
        values = [
            F(each, 2) for each in range(33) if holds(Said(what, group, F(each, 2), F(each, 2), ""), crowd, ["sex"])
        ]
        if values:
            slack = random.choice((0, 0, F(1, 2)))
            said.append(Said(what, group, values[0] - slack, values[0] + slack, str(what)))
    return People(variables, "age", 0, 4, tuple(said))


def test_everybody_who_fits_is_found_and_nobody_else():
    for number in range(repetitions(25, 1500)):
        people = random_people(Random(number))
        found = people_that_fit(people, most=10**6)
        assert found.complete
        assert sorted(found.each) == sorted(everybody(people)), number
        checker.examined(checker.load(people_json(found).encode()))


def test_people_nobody_can_be_are_named():
    said = (
        Said(What.COUNT, Who(), 3, 3, "three people"),
        Said(What.MEDIAN, Who(), 4, 4, "of median 4"),
        Said(What.MEAN, Who(), 9, 9, "of mean 9"),
        Said(What.COUNT, Who(least=10), 0, 0, "nobody is ten"),
    )
    with pytest.raises(ContradictionError, match="contradict each other") as raised:
        people_that_fit(People((), "age", 0, 125, said))
    assert raised.value.sources == ("three people", "of median 4", "of mean 9", "nobody is ten")


def test_a_crowd_of_unknown_size_is_refused():
    with pytest.raises(InputError, match="how many people there are"):
        people_that_fit(People((), "age", 0, 125, (Said(What.MEAN, Who(), 3, 3, "mean"),)))
    with pytest.raises(InputError, match="labels of sex"):
        People((SEX,), "age", 0, 9, (Said(What.MEAN, Who((("sex", ("x",)),)), 3, 3, "mean"),))


def test_what_takes_too_long_is_not_complete():
    left: Left = iter([True] * 40 + [False] * 10**6).__next__
    assert not people_that_fit(block(), left=left).complete
