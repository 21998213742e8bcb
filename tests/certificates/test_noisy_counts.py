"""Counts of all labels of one column, each with noise: a pair of facts moves two of them, for all who check it."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from certificates.random_specs import FIGURES
from certificates.tampering import resealed
from dalenius.facts.secret import Presence, Secret, Value
from dalenius.mechanisms import Channel, DiscreteGaussian, TwoSidedGeometric
from dalenius.plan import Publish, largest_known, plan
from dalenius.record.certificate.recheck import recheck
from dalenius.record.certificate.written import certificate
from dalenius.tables.history import History
from dalenius_checker.__main__ import run
from dalenius_checker.document import check, read
from dalenius_checker.groups import Examiner
from judgement.test_noise_alone import histogram, question

F = Fraction


def made(labels: int, noise: Channel, *, delta: str, secret: Secret) -> bytes:
    asked = question(labels, delta=delta, secret=secret)
    figures = histogram(labels, [noise])
    found = plan(figures, History(), asked)
    assert isinstance(found, Publish)
    most = largest_known(found, asked)
    return certificate(found, asked, figures, (), version="0.1.0", largest_known=most, table=FIGURES)


SEVERAL = [(TwoSidedGeometric(F(2)), "0", 12), (TwoSidedGeometric(F(2)), "0", 3), (DiscreteGaussian(F(6)), "1e-5", 3)]


@pytest.mark.slow
@pytest.mark.parametrize("secret", [Value(), Presence()], ids=str)
@pytest.mark.parametrize(("noise", "delta", "labels"), SEVERAL, ids=str)
def test_everybody_who_checks_it_sees_two_counts_that_move(
    labels: int, noise: Channel, delta: str, secret: Secret, tmp_path: Path
) -> None:
    written = made(labels, noise, delta=delta, secret=secret)
    assert recheck(written).code == 0, recheck(written).text()
    (tmp_path / "certificate.json").write_bytes(written)
    assert run([str(tmp_path / "certificate.json")])[0] == 0


@pytest.mark.slow
def test_less_noise_than_two_counts_need_is_not_confirmed() -> None:
    document = json.loads(made(3, TwoSidedGeometric(F(2)), delta="0", secret=Value()))
    for figure in document["figures"]:
        figure["channel"] = [["geometric", "199/100"]]
    less = resealed(document)
    assert recheck(less).code == 1
    stated = read(less)
    check(stated)
    (kind,) = stated.kinds
    assert Examiner(stated, kind, 128).noise(stated.epsilon) > 0
