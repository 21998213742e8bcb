"""Long work: it shows how far it is, goes on without anybody looking, and ends when it is cancelled."""

import threading
import time

import pytest

from web.bench import Visitor, served


@pytest.mark.slow
def test_long_work_shows_how_far_it_is_and_can_be_cancelled(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text("id,region\nP1,north\n", encoding="utf-8")
    begun, looked = threading.Event(), threading.Event()

    def judge(_bench, _work, progress, _user):
        progress("judging <b>groups</b>", 3, 7)
        begun.set()
        looked.wait(30)
        for _ in range(3000):
            progress("judging on", 4, 7)
            time.sleep(0.01)

    monkeypatch.setattr("dalenius.web.pages.Bench.decide", judge)
    with served(tmp_path) as client:
        me = Visitor(client)
        me.enter()
        me.post("/begin", **{"from": "file", "name": "people.csv", "header": "yes"})
        draft = me.draft
        text = "person: id\nfigures: [{name: all, kind: count}]\nattacker: {knows: 0, source: x}\n"
        me.get(f"{draft}/yaml")
        csrf = me.csrf
        client.post(f"{draft}/yaml", data={"csrf": csrf, "text": text + "target: {epsilon: 1, delta: '1e-3'}\n"})
        page = client.get(f"{draft}/verdict")
        assert begun.wait(30)
        page = client.get(page.url.path)
        assert 'http-equiv="refresh"' in page.text and "(3 of 7)" in page.text and "<b>groups" not in page.text
        assert '<progress value="3" max="7"' in page.text
        client.post(page.url.path, data={"csrf": csrf, "do": "cancel"})
        looked.set()
        for _ in range(300):
            page = client.get(page.url.path)
            if 'http-equiv="refresh"' not in page.text:
                break
            time.sleep(0.05)
        assert "Cancelled. Nothing was released." in page.text and f"{draft}/columns" in page.text


def test_what_runs_ends_with_the_session(tmp_path):
    from dalenius.web.jobs import Jobs

    jobs, over = Jobs(), threading.Event()

    def work(progress):
        try:
            while True:
                progress("on and on", 0, 0)
                time.sleep(0.005)
        finally:
            over.set()

    job = jobs.start("Work", "/after", "/before", work)
    job.cancelled = True
    assert over.wait(30) or job.error
    assert job.finished.wait(30) and job.error.startswith("Cancelled")
    jobs.close()
