"""kill -9 at every step of a release: afterwards it is recorded, and the next start completes it, or it never was."""

import itertools
import random
import time
from functools import partial

import pytest

from dalenius.data import complete
from dalenius.data.folder import holds
from dalenius.record.ledger import open_ledger
from ledger.killing import child, ended, shot, steps
from ledger.site import Site
from ledger.stand import FULL

KILLS = 500 if FULL else 12
EACH = 20  # attempts on one ledger; the first of them makes it
pytestmark = pytest.mark.usefixtures("without_charts")


@pytest.fixture
def sites(places, quick_path):
    """Ledgers that are not there yet, each with a folder of its own."""

    def fresh(number):
        folder = quick_path / f"site {number}"
        folder.mkdir()
        return Site(next(places), folder)

    return map(fresh, itertools.count())


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing(sites):
    """A third around crucial calls, a third at any event of the interpreter (some of them while charts are drawn), a
    third at any time.
    """
    dice, first, site = random.Random(1), next(sites), next(sites).done("warm")
    making = {crucial: next(sites).counted("made", crucial=crucial) for crucial in (True, False)}
    going = {crucial: site.counted(f"counted {crucial}", crucial=crucial) for crucial in (True, False)}
    drawing = site.counted("drawn", crucial=False, charts=True) if FULL else 0
    begun = time.monotonic()
    first.recorded += ended(child(partial(first.release, "timed"))) == 0
    lasts = time.monotonic() - begun
    killed = recorded = number = 0
    while killed < KILLS:
        number += 1
        if number % EACH == 0:
            site.check_all()
            site = next(sites)
        new, third, charts = number % EACH == 0, number % 3, bool(drawing) and number % 24 == 2

        work = partial(site.release, number, charts=charts)
        if third == 0:
            code = shot(child(work), dice.uniform(0, 1.1 * lasts))
        else:
            most = drawing if charts else (making if new else going)[third == 1]
            code = ended(child(work, dice.randrange(most), crucial=third == 1))
        assert code in (0, -9), code
        there = site.check(number, code)
        killed, recorded = killed + (code == -9), recorded + (code == -9 and there)
    site.check_all()
    assert not FULL or 0.1 < recorded / killed < 0.9  # the kills fell on both sides of the moment that counts
    print(f"{killed} kills of {number} releases; {recorded} of them after the moment of recording")


@pytest.mark.slow
@pytest.mark.parametrize("new", [False, True], ids=["going on", "the first"])
def test_a_kill_around_every_crucial_call(sites, new):
    """Of a release beside others, and of the first one, which makes the ledger."""
    site = next(sites).done("warm")
    most = (next(sites) if new else site).counted("counted", crucial=True)
    chosen = range(most)
    if not FULL:
        where = next(sites) if new else site
        chosen = steps(partial(where.release, "stepped"))[:: 4 if new else 1]
        where.recorded += 1
    recorded = 0
    for at, number in enumerate(chosen):
        if new or at % EACH == EACH - 1:
            site.check_all()
            site = next(sites) if new else next(sites).done("warm")
        code = ended(child(partial(site.release, number), number, crucial=True))
        assert code in (0, -9), code
        recorded += site.check(number, code)
    site.check_all()
    print(f"{len(chosen)} kills around {most} crucial events; {recorded} of them after the moment of recording")


@pytest.mark.slow
def test_the_same_command_after_a_crash_completes_the_same_draw(tmp_path):
    site = Site(str(tmp_path / "ledger.sqlite"), tmp_path).done("warm")
    number = site.counted("counted", crucial=True)
    ledger = open_ledger(site.place)
    while not ledger.pending():  # the last crucial event after which the folder is not yet written
        number -= 4
        ended(child(partial(site.release, number), number, crucial=True))
    (lost,) = ledger.pending()
    files = ledger.files(lost)
    (done,) = complete(ledger)
    assert done.release == lost and not done.problem
    assert holds(done.folder, files)
    assert complete(ledger) == ()
