"""kill -9 of the server while people release, submit and decide: what a page said is recorded, and nothing is twice."""

import random
import threading
import time
from collections import Counter
from functools import partial

import httpx
import pytest

from amount import repetitions
from dalenius.data.folder import holds
from dalenius.record.ledger import open_ledger
from dalenius.show.ledger import verified
from ledger.killing import leftovers
from web.visits import Server, decide, release, room, specified, submit

KILLS = repetitions(2, 200)
GONE = (httpx.HTTPError, OSError, AttributeError, TypeError)  # a page that did not come has no draft in it


class Desk:
    """What was asked of all servers of one ledger, and what their pages said was done."""

    def __init__(self, root, place) -> None:
        self.root, self.place = root, place
        self.released, self.submitted, self.voted = set(), set(), set()
        self.ended = self.lost = 0

    @property
    def ledger(self):
        return open_ledger(self.place)

    def attempt(self, server, user, deed) -> None:
        """Do it, unless the server dies."""
        try:
            with server.visiting(user) as visitor:
                deed(visitor)
        except GONE:
            self.lost += 1
        self.ended += 1

    def release(self, name, submission, visitor) -> None:
        if release(visitor, name, submission):
            self.released.add(name)

    def submit(self, name, visitor) -> None:
        case = submit(visitor, name)
        if case:
            self.submitted.add((case, name))

    def vote(self, case, user, visitor) -> None:
        if decide(visitor, case, "approve"):
            self.voted.add((case, user))

    def deeds(self, number, waiting):
        """What happens at once: a release, a submission, votes about what waits, a release of what was approved."""
        specified(self.root, f"direct {number}")
        specified(self.root, f"asked {number}")
        yield "cleo", partial(self.release, f"direct {number}", "")
        yield "cleo", partial(self.submit, f"asked {number}")
        for one in waiting:
            if one.state == "approved":
                yield "cleo", partial(self.release, one.dataset, one.id)
            for user in ("anna", "ben"):
                if one.state == "open" and user not in {vote.user for vote in one.votes}:
                    yield user, partial(self.vote, one.id, user)

    def check(self) -> None:
        """Whatever a page said is there; nothing is there twice; every folder is a release, and whole."""
        ledger = self.ledger
        if not ledger.exists():
            assert not (self.released or self.submitted or self.voted)
            return
        releases, submissions = ledger.releases(), ledger.submissions()
        of = Counter(one.dataset for one in releases)
        assert self.released <= set(of) and max(of.values(), default=1) == 1, of
        cases = {(one.id, one.dataset) for one in submissions}
        assert self.submitted <= cases and len({name for _, name in cases}) == len(cases)
        votes = [(one.id, vote.user) for one in submissions for vote in one.votes]
        assert self.voted <= set(votes) and len(set(votes)) == len(votes)
        assert not ledger.pending() and leftovers(self.root) == []
        assert {path.name for path in self.root.glob("out *")} == {f"out {name}" for name in of}
        assert all(holds(self.root / f"out {one.dataset}", ledger.files(one)) for one in releases[-6:])
        assert all(one.release == "" or one.state == "released" for one in submissions)


@pytest.mark.slow
def test_a_server_that_is_killed_loses_nothing_and_does_nothing_twice(place, quick_path):
    """Killed when so many of those who came are done, and some time later: before, amid and after what they ask."""
    dice, desk = random.Random(5), Desk(room(quick_path / "room"), place)
    server, amid, unwritten, unsaid = Server(desk.root, place, 0), 0, 0, 0
    for number in range(1, KILLS + 1):
        there = desk.ledger.submissions() if desk.ledger.exists() else ()
        waiting = [one for one in there if one.state in ("open", "approved")]
        deeds = [partial(desk.attempt, server, user, deed) for user, deed in desk.deeds(number, waiting[:2])]
        threads = [threading.Thread(target=deed) for deed in deeds]
        first, lost, enough = desk.ended, desk.lost, dice.randrange(len(deeds))
        for one in threads:
            one.start()
        while desk.ended - first < enough:
            time.sleep(0.002)
        time.sleep(dice.choice([0, dice.uniform(0, 0.5), dice.uniform(0, 2)]))
        server.kill()
        for one in threads:
            one.join()
        amid += 0 < desk.lost - lost < len(deeds)
        if desk.ledger.exists():
            unwritten += len(desk.ledger.pending())
            unsaid += len({one.dataset for one in desk.ledger.releases()} - desk.released)
        server = Server(desk.root, place, number)  # which writes what was recorded
        desk.check()
    with server.visiting("cleo") as again:
        for name in {f"direct {number}" for number in range(1, KILLS + 1)} - desk.released:
            release(again, name)  # whoever does not know whether it is out, asks again
    desk.check()
    verified(desk.ledger)
    assert sum(one.dataset.startswith("direct") for one in desk.ledger.releases()) == KILLS
    said = len(desk.released), len(desk.submitted), len(desk.voted)
    print(
        f"{KILLS} kills, {amid} amid what was asked; {desk.lost} of {desk.ended} requests lost; folders that the next "
    )
    print(
        f"{KILLS} kills, {amid} amid what was asked; {desk.lost} of {desk.ended} requests lost; said to be done: {said}"
    )
    print(f"{unwritten} folders were written by the next server; recorded and not said: seen {unsaid} times")
    server.kill()
