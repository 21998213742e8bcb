"""kill -9 at every step of a release: afterwards it is recorded, and the next start completes it, or it never was."""

import random
import time

import pytest

from dalenius.ledger import open_ledger
from dalenius.release import complete
from dalenius.release.folder import holds
from dalenius.report.ledger import verified
from dalenius.session import carry_out
from ledger.killing import child, ended, events, leftovers, shot, steps
from ledger.stand import FULL, decided, up_to

KILLS = 500 if FULL else 12
NOISE = {"noise": {"geometric": 3}}
pytestmark = pytest.mark.usefixtures("without_charts")


def release(place, folder, number):
    """A dataset of its own for each attempt, so that all may go out; noise, so that no two draws are alike."""
    decision = decided(place, [up_to(59, **NOISE)], dataset=f"set {number}")
    assert carry_out(decision, folder / f"out {number}").release is not None


def check(ledger, folder, number, code, before) -> int:
    """Nothing is lost, nothing is out that is not recorded, and completion leaves no traces of the crash."""
    target = folder / f"out {number}"
    releases = ledger.releases()
    assert len(releases) - before in (0, 1)
    mine = [found for found in releases if found.folder == str(target)]
    if target.exists():
        assert mine, "a figure is out that is not in the ledger"
        assert holds(target, ledger.files(mine[0])), "a half-written folder"
    if code == 0:
        assert mine and target.exists()
    drawn = [ledger.files(found) for found in mine]
    complete(ledger)
    assert target.exists() == bool(mine)
    for found, files in zip(mine, drawn, strict=True):
        assert holds(target, files)
        assert ledger.files(found) == files
    assert not ledger.pending()
    assert leftovers(folder) == []
    return len(releases)


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing(place, tmp_path):
    dice, ledger, before = random.Random(1), open_ledger(place), 1
    release(place, tmp_path, "warm")
    everywhere = events(lambda: release(place, tmp_path, "counted"), crucial=False)
    crucial = events(lambda: release(place, tmp_path, "counted too"), crucial=True)
    begun = time.monotonic()
    ended(child(lambda: release(place, tmp_path, "timed")))
    lasts = time.monotonic() - begun
    before, killed, recorded = 4, 0, 0
    number = 0
    while killed < KILLS:
        number += 1
        third = number % 3

        def work(number=number):
            release(place, tmp_path, number)

        if third == 0:
            code = shot(child(work), dice.uniform(0, 1.1 * lasts))
        else:
            most = crucial if third == 1 else everywhere
            code = ended(child(work, dice.randrange(most), crucial=third == 1))
        assert code in (0, -9), code
        after = check(ledger, tmp_path, number, code, before)
        killed, recorded, before = killed + (code == -9), recorded + (code == -9 and after > before), after
    assert verified(ledger)["entries"] == 2 * before
    assert not FULL or 0.1 < recorded / killed < 0.9  # the kills fell on both sides of the moment that counts
    print(f"{killed} kills of {number} releases; {recorded} of them after the moment of recording")
    assert len(list(tmp_path.glob("out *"))) == before


@pytest.mark.slow
def test_a_kill_around_every_crucial_call(place, tmp_path):
    ledger = open_ledger(place)
    release(place, tmp_path, "warm")
    most = events(lambda: release(place, tmp_path, "counted"), crucial=True)
    before = 2
    chosen = range(most) if FULL else steps(lambda: release(place, tmp_path, "stepped"))
    before += not FULL
    for number in chosen:
        code = ended(child(lambda number=number: release(place, tmp_path, number), number, crucial=True))
        assert code in (0, -9)
        before = check(ledger, tmp_path, number, code, before)
    print(f"{len(chosen)} kills around {most} crucial events")


@pytest.mark.slow
def test_the_same_command_after_a_crash_completes_the_same_draw(tmp_path):
    place = tmp_path / "ledger.sqlite"
    release(place, tmp_path, "warm")
    most = events(lambda: release(place, tmp_path, "counted"), crucial=True)
    ledger, number = open_ledger(place), most
    while not ledger.pending():  # the last crucial event after which the folder is not yet written
        number -= 4
        ended(child(lambda n=number: release(place, tmp_path, n), number, crucial=True))
    (lost,) = ledger.pending()
    files = ledger.files(lost)
    (done,) = complete(ledger)
    assert done.release == lost and not done.problem
    assert holds(done.folder, files)
    assert complete(ledger) == ()
