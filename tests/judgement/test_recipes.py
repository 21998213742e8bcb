"""The recipes of CONTRIBUTING, followed in a copy of the package: a toy belief, a toy channel and a toy statistic."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dalenius as dl

HERE = Path(dl.__file__).parent

BELIEF = '''
"""Everybody tosses the same fair coin, alone."""

from typing import final

from dalenius.beliefs.belief import Marginals, contributions, known_records
from dalenius.beliefs.crowd import crowd_of
from fractions import Fraction


@final
class FairCoins(Marginals):
    def __init__(self, *, n, known=0):
        self.n, self.known = n, known_records(known, n)

    def domain(self):
        return (0, 1)

    def crowd(self, statistic):
        return crowd_of([contributions(((0, Fraction(1, 2)), (1, Fraction(1, 2))), statistic)], [self.n])

    def __str__(self):
        return f"fair coins, n={self.n}"
'''

CHANNEL = '''

@final
@dataclass(frozen=True, slots=True)
class Floored(Channel):
    """The largest multiple of `base` that is not above the figure."""

    base: int

    @property
    def period(self) -> int:
        return self.base

    def push(self, law: Law) -> Law:
        turns, place = divmod(law.start, self.base)
        return law.pushed(np.arange(place, place + len(law.mass)) // self.base).shifted(turns)

    def __str__(self) -> str:
        return f"rounded down to a multiple of {self.base}"
'''

ROW = """            ChannelRow(
                "floor",
                "floored",
                Floored,
                lambda size: Floored(int(size)),
                lambda link: Fraction(link.base),
                lambda size: float(size) / 2,
                2**60,
                apply=lambda total, link: total // link.base,
            ),
            ChannelRow("round","""

STATISTIC = '''

@final
@dataclass(frozen=True, slots=True)
class Opposite(Statistic):
    """How many are not one."""

    def contribution(self, value: "Label | Fraction") -> int:
        return 1 - int(value)

    def __str__(self) -> str:
        return "how many are not one"
'''

SCRIPT = """
import json
from dataclasses import replace
from fractions import Fraction as F

import dalenius as dl
from certificates.genuine import asked, certified, counted
from dalenius.facts.secret import Value
from dalenius.mechanisms import Chain
from dalenius.mechanisms.channel import Floored
from dalenius.plan.calibration.error import expected_error
from dalenius.record.certificate.again import Again
from dalenius.record.certificate.document import CertificateModel
from dalenius.record.codec import figure_json, figure_of

coins = dl.beliefs.FairCoins(n=400, known=3)
assert coins == dl.beliefs.FairCoins(n=400, known=3) and "FairCoins(n=400, known=3)" == repr(coins)
plain = dl.verify(dl.Count(), coins, epsilon="1/2", delta="1e-3")
assert plain.delta == dl.verify(dl.Count(), dl.IID(p="1/2", n=400, known=3), epsilon="1/2", delta="1e-3").delta
opposite = dl.verify(dl.facts.Opposite(), coins, epsilon="1/2", delta="1e-3")
assert opposite.delta == plain.delta and opposite.verdict == plain.verdict == dl.Verdict.PASS
floored = dl.verify(dl.Count() >> Floored(5), coins, epsilon="1/2")
assert 0 < floored.delta.lower <= floored.delta.upper <= plain.delta.upper * (1 + 1e-9)

figure = counted("ill", "ill", F(1), channel=Chain((Floored(5),)))
assert expected_error(figure.channel) == 2.5
assert figure_of(figure_json(figure)) == figure
question = asked({("a",): 400}, F(1, 2), "1/2", "1e-3")
made = json.loads(certified((figure,), question))
assert made["figures"][0]["channel"] == [["floor", "5"]]
assert Again.of(CertificateModel.model_validate_json(json.dumps(made))).compared() == ([], [])
forged = json.loads(json.dumps(made))
forged["kinds"][0]["delta"][1] = str(F(forged["kinds"][0]["delta"][1]) / 2)
assert Again.of(CertificateModel.model_validate_json(json.dumps(forged))).compared()[0]
print("all that the recipes promise")
"""


def edited(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, f"{path.name} has {old!r} {text.count(old)} times"
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_a_belief_a_channel_and_a_statistic_are_added_by_the_recipes(tmp_path: Path) -> None:
    copy = tmp_path / "dalenius"
    shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "beliefs/fair_coins.py").write_text(BELIEF.lstrip(), encoding="utf-8")
    homes = (
        '        "beliefs.brackets": ("Brackets",),\n',
        '        "beliefs.brackets": ("Brackets",),\n        "beliefs.fair_coins": ("FairCoins",),\n',
    )
    named = (
        '        "facts.statistics": (',
        '        "facts.statistics": ("Opposite", ',
    )
    edited(copy / "basics/homes.py", homes, named)
    for file, more in (("mechanisms/channel.py", CHANNEL), ("facts/statistics.py", STATISTIC)):
        (copy / file).write_text((copy / file).read_text(encoding="utf-8") + more, encoding="utf-8")
    edited(
        copy / "mechanisms/registry.py",
        ("import Channel, DiscreteGaussian,", "import Channel, DiscreteGaussian, Floored,"),
        ('            ChannelRow("round",', ROW),
    )
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(tests)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "all that the recipes promise\n"
