"""A server in a process of its own, that may be killed, and people who come to it over the network."""

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import yaml

from ledger.killing import child, ended
from ledger.stable import stable
from ledger.stand import rows, spec, up_to
from web.bench import Visitor

HEADER = "X-User"
REVIEW = {"by": ["anna", "ben"], "signatures": 2, "overrule": "fail"}
NOISE = {"noise": {"geometric": 3}}
PATIENCE = 120.0


def room(folder: Path) -> Path:
    """A folder with a small table and the rules of the house."""
    folder.mkdir()
    people = rows()
    lines = [",".join(people[0]), *(",".join(map(str, row.values())) for row in people)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "policy.yaml").write_text(yaml.safe_dump({"name": "Rules", "review": REVIEW}), encoding="utf-8")
    return folder


def serving(root: str, ledger: str, noted: str) -> None:
    """Serve, and note what is said, with the address."""
    from dalenius.web.serving import serve

    def say(line: str) -> None:
        with Path(noted).open("a", encoding="utf-8") as lines:
            lines.write(f"{line}\n")

    here = Path(root)
    serve(here, ledger=ledger, policy=here / "policy.yaml", proxy_header=HEADER, hosts=("desk.test",), say=say)


class Server:
    """A server of a folder, with what is recorded in a ledger."""

    def __init__(self, root: Path, ledger: str, number: int) -> None:
        stable().load("dalenius.web.app", "dalenius.desk.session", "dalenius.data.engine", "uvicorn", "ibis", "duckdb")
        self.noted = root.parent / f"said {number}"
        self.pid = child(partial(serving, str(root), ledger, str(self.noted)))
        self.address = self._address()

    def _address(self) -> str:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            said = self.noted.read_text(encoding="utf-8") if self.noted.exists() else ""
            if "users from the header" in said:
                return said.partition("proxy: ")[2].partition("/,")[0]
            time.sleep(0.01)
        raise AssertionError("the server did not begin to serve")

    @contextmanager
    def visiting(self, user: str) -> Iterator[Visitor]:
        """Somebody with a session of their own."""
        with httpx.Client(base_url=self.address, follow_redirects=True, timeout=PATIENCE) as client:
            found = Visitor(client, {HEADER: user})
            found.get("/")
            yield found

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        assert ended(self.pid) == -signal.SIGKILL


def specified(root: Path, name: str, figures: Iterable[dict] = (), **changes) -> str:
    """A specification in the folder, about people of a dataset of this name."""
    asked = spec([*figures] or [up_to(59, **NOISE)], data="people.csv", dataset=name, **changes)
    (root / f"{name}.yaml").write_text(yaml.safe_dump(asked), encoding="utf-8")
    return f"{name}.yaml"


def opened(visitor: Visitor, name: str) -> str:
    """A draft of it."""
    visitor.get("/")
    visitor.post("/begin", **{"from": "specification", "name": f"{name}.yaml"})
    return visitor.draft


def release(visitor: Visitor, name: str, submission: str = "") -> bool:
    """Let it out, into a folder of its name. Whether the page says that it is out."""
    draft = opened(visitor, name)
    visitor.get(f"{draft}/release")
    visitor.post(f"{draft}/release", do="release", folder=f"out {name}", submission=submission)
    return visitor.at == f"{draft}/release" and " is out" in visitor.text


def submit(visitor: Visitor, name: str) -> str:
    """Put it before reviewers: what it is called."""
    draft = opened(visitor, name)
    visitor.get(f"{draft}/release")
    visitor.post(f"{draft}/release", do="submit", words="the ministry asked")
    return visitor.at.rpartition("/")[2] if visitor.at.startswith("/desk/S") else ""


def decide(visitor: Visitor, case: str, verb: str) -> bool:
    """Approve or reject it, or comment on it."""
    visitor.get(f"/desk/{case}")
    return visitor.post(f"/desk/{case}", do=verb, words=f"{verb} of {case}").status_code == 200
