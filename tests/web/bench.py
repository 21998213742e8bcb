"""A workbench without a network: a folder, a browser that follows forms, and a table full of canaries."""

import re
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="pages need dalenius[web]")
pytest.importorskip("python_multipart", reason="pages need dalenius[web]")
pytest.importorskip("jinja2", reason="pages need dalenius[web]")

from starlette.testclient import TestClient

from dalenius.web.app import application
from dalenius.web.guard import Entrance
from dalenius.web.pages import Bench
from dalenius.web.places import Places

TOKEN = "a-token-for-the-tests"
HOST = "127.0.0.1:8000"


def served(root: Path, policy: Path | None = None, header: str = "", databases=()) -> TestClient:
    """The application, as a browser on this machine reaches it."""
    bench = Bench(Places(root.resolve(), tuple(databases)), root / "dalenius-ledger.sqlite", (), policy)
    entrance = Entrance(frozenset({HOST}), TOKEN, "cleo", header, frozenset({"testclient"}))
    return TestClient(application(bench, entrance), base_url=f"http://{HOST}", follow_redirects=True)


@dataclass
class Visitor:
    """Somebody with a browser without scripts, who looks at pages and sends forms; every answer is kept."""

    client: TestClient
    headers: dict = field(default_factory=dict)
    answers: list = field(default_factory=list)
    at: str = "/"
    text: str = ""

    def enter(self):
        return self.get(f"/?token={TOKEN}")

    def get(self, place, **more):
        return self._keep(self.client.get(place, headers=self.headers, **more))

    def post(self, place, files=None, **form):
        data = {"csrf": self.csrf, **form}
        return self._keep(self.client.post(place, data=data, files=files, headers=self.headers))

    def _keep(self, answer):
        for _ in range(600):
            if not answer.url.path.startswith("/job/") or 'http-equiv="refresh"' not in answer.text:
                break
            import time

            time.sleep(0.1)
            answer = self.client.get(str(answer.url.path), headers=self.headers)
        self.answers.append(answer)
        self.at, self.text = answer.url.path, answer.text
        return answer

    @property
    def csrf(self):
        found = re.search(r'name="csrf" value="([^"]+)"', self.text)
        return unescape(found[1]) if found else ""

    @property
    def draft(self):
        return re.search(r"/draft/[^/]+", self.at)[0]
