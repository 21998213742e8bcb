"""Two hundred random releases: the plan is never dominated, is confirmed from scratch, and is the least change."""

import os
from dataclasses import replace
from fractions import Fraction

import pytest

from amount import repetitions
from dalenius.mechanisms import Chain
from dalenius.plan import AddNoise, Alternative, Change, Coarsen, Plan, Publish, largest_known, plan
from dalenius.plan.examination import docket_of, passes
from dalenius.plan.suppression import INSTEAD
from dalenius.tables.figures import Attacker, Figure
from dalenius.tables.history import atoms_of
from planning.specs import Release, random_release, single_delta

QUICK, ALL = 12, 200 if os.environ.get("DALENIUS_FULL") else repetitions(24, 80)
LESS = Fraction(98, 100)  # minimal to 1 %, and a hair for the digits that are shown


def check_plan(seed: int) -> Plan:
    release = random_release(seed)
    found = plan(release.figures, release.history, release.question)
    if isinstance(found, Publish):
        check_published(found, release)
    else:
        check_alternatives(found)
    if isinstance(found, Coarsen | AddNoise):
        check_change(found, release)
    return found


def check_alternatives(found: Plan) -> None:
    assert not isinstance(found, Publish)
    chosen = [way for way in found.alternatives if way.chosen]
    for way in found.alternatives:
        assert way.why
        assert way.certified or not way.chosen
        assert not any(way.dominates(one) for one in chosen), (str(way), way.rank)
        if way.way == "data and noise" and way.certified and INSTEAD not in way.why:
            assert all(change.error <= _same_kind(way, change, found) for change in way.changes), str(way)
    if isinstance(found, Coarsen | AddNoise):
        assert {way.concerns for way in chosen} == {way.concerns for way in found.alternatives}


def _same_kind(way: Alternative, change: Change, found: Plan) -> float:
    """The error of the same kind of noise by itself."""
    kind = change.line.split(":")[1]
    others = [one for one in found.alternatives if one.way == "noise alone" and one.concerns == way.concerns]
    same = (one for other in others for one in other.changes if one.figure == change.figure and kind in one.line)
    return max((one.error for one in same), default=9e9)


def check_published(found: Publish, release: Release) -> None:
    """`verify` agrees, and one known record more than the largest number no longer passes."""
    target = release.question.target
    for finding in found.findings:
        assert finding.delta.upper <= target.delta
        if len(finding.atom.entries) == 1 and finding.atom.entries[0].figure.channel.period == 0:
            assert single_delta(finding.atom, finding.known, release.question) <= target.delta
    size = release.question.frame.size
    one_kind = all(len(finding.atom.groups) == len(finding.atom.entries) == 1 for finding in found.findings)
    most = largest_known(found, release.question) if one_kind else None
    if most is not None and most + 1 < size:
        together = (*release.history.figures, *release.figures)
        for known in (most, most + 1):
            assert passes(together, replace(release.question, attacker=Attacker(known))) == (known == most)


def check_change(found: Coarsen | AddNoise, release: Release) -> None:
    """The changed release passes, with a planner that remembers nothing; with less noise it does not."""
    assert isinstance(plan(found.figures, release.history, release.question), Publish)
    noisy = [way for way in found.alternatives if way.chosen and way.noisy]
    for way in noisy:
        names = {new.name for change in way.changes for new in change.becomes if new.channel.random}
        less = tuple(_less(figure) if figure.name in names else figure for figure in found.figures)
        if INSTEAD in way.why:  # enough, and not the least
            continue
        if way.way == "noise alone" and len(names) > 1:  # least by composition, which uses no belief
            assert _composed((*release.history.figures, *less), release) > release.question.target.delta, str(way)
        else:
            assert not passes((*release.history.figures, *less), release.question), str(way)


def _composed(figures: tuple[Figure, ...], release: Release) -> float:
    docket = docket_of(release.question)
    atoms = atoms_of(figures, release.question.frame, release.question.columns)
    return max(docket.noise_alone([entry.figure for entry in atom.entries]) for atom in atoms)


def _less(figure: Figure) -> Figure:
    (noise,) = figure.channel.links
    return replace(figure, channel=Chain((type(noise)(noise.scale * LESS),)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(QUICK))
def test_the_plan_is_the_least_change(seed: int) -> None:
    check_plan(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(QUICK, ALL, 47))
def test_the_plan_is_the_least_change_on_the_whole_grid(start: int) -> None:
    for seed in range(start, min(start + 47, ALL)):
        check_plan(seed)
