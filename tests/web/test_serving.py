"""The command: what it prints, what it refuses, that it is this machine's only."""

import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from edges.desk import dalenius
from web.bench import served  # noqa: F401 - skips without the packages


@pytest.mark.slow
def test_it_prints_an_address_that_opens_and_stops_when_interrupted(tmp_path):
    command = [sys.executable, "-m", "dalenius", "serve", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", server.stdout.readline())[0]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(address.partition("?")[0], timeout=60)
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert "May this figure be published?" in opener.open(address, timeout=60).read().decode()
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) in (0, -signal.SIGTERM, 143)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("serve", "nowhere"), "Needed a folder to serve"),
        (("serve", ".", "--proxy-header", "X-User"), "--host"),
        (("serve", ".", "--policy", "none.yaml"), "policy"),
        (("serve", ".", "--ledger", "nowhere/ledger.sqlite"), "there is no folder"),
    ],
)
def test_what_cannot_be_served_is_said(tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    answer = dalenius(*words)
    assert answer.code == 2 and told in answer.err
