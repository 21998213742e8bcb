"""Many people at one server over the network: nobody meets an error, and nobody sees what is another's."""

import re
import threading
import time

import pytest

from amount import repetitions
from dalenius.record.ledger import open_ledger
from ledger.stand import up_to
from web.visits import NOISE, Server, decide, opened, release, room, specified, submit

SESSIONS, SECONDS = repetitions(4, 20), repetitions(2, 60)


def own(visitor, number) -> bool:
    """Whether the page names figures of this visitor, and of nobody else."""
    return set(re.findall(r"figure of (\d+)\b", visitor.text)) == {str(number)}


def busy(server, root, number, until, wrong, done) -> None:
    """Judge, look, release, submit and comment, again and again."""
    with server.visiting(f"user{number}") as me:
        for again in range(10**6):
            if again and time.monotonic() > until:
                break
            name = f"set {number} {again}"
            specified(root, name, [up_to(59, f"figure of {number}", **NOISE)])
            draft = opened(me, name)
            for page in ("verdict", "verdict?cell=0", "beliefs", "yaml", "figures"):
                me.get(f"{draft}/{page}")
                if not own(me, number):
                    wrong.append((number, page, me.text[:2000]))
            if again % 2 == 0 and not release(me, name):
                wrong.append((number, "release", me.text))
            if again % 2:
                case = submit(me, name)
                if not (case and own(me, number) and decide(me, case, "comment")):
                    wrong.append((number, "submission", me.text))
        wrong.extend((number, one.url, one.status_code) for one in me.answers if one.status_code != 200)
        done.append((number, again, len(me.answers)))


@pytest.mark.slow
def test_many_sessions_at_once_are_not_mixed_up(quick_path):
    root, place = room(quick_path / "room"), str(quick_path / "ledger.sqlite")
    server, wrong, done = Server(root, place, 0), [], []
    until = time.monotonic() + SECONDS
    threads = [
        threading.Thread(target=busy, args=(server, root, number, until, wrong, done)) for number in range(SESSIONS)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == [] and len(done) == SESSIONS
    ledger = open_ledger(place)
    assert len(ledger.releases()) == sum((again + 1) // 2 for _, again, _ in done)
    for one in (*ledger.releases(), *ledger.submissions()):  # in the name of who did it
        assert one.body["user"] == f"user{one.dataset.split()[1]}"
    pages = sum(pages for _, _, pages in done)
    print(f"{SESSIONS} sessions, {SECONDS} seconds: {pages} pages, {len(ledger.releases())} releases, no error")
    server.kill()
