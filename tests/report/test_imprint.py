"""What somebody signs says which release it is: date, author, dataset, entry of the ledger, certificate."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from dalenius.data.completion import who
from dalenius.desk.session import carry_out, decide
from dalenius.show.imprint import UNRELEASED, Imprint
from edges.desk import SMOKERS, Desk, dalenius, spec

EVIL = "<b>x</b>"


def reports(folder: Path) -> tuple[str, str]:
    """The two reports of a release, each in one line."""
    return tuple(
        " ".join((folder / name).read_text(encoding="utf-8").split()) for name in ("report.txt", "report.html")
    )


@pytest.mark.slow
def test_every_report_names_its_release_as_the_ledger_has_it(tmp_path):
    late = decide(
        Desk(tmp_path).put(spec(dataset="first")), margins=False
    )  # judged before another dataset's release is recorded
    (tmp_path / "other.yaml").write_text(yaml.safe_dump(spec(dataset=f"second {EVIL}", figures=[SMOKERS])))
    assert dalenius("release", tmp_path / "other.yaml", "-o", tmp_path / "out", "--seconds", 0).code == 0
    carry_out(late, tmp_path / "later")
    found = {entry.id: entry for entry in late.ledger.releases()}
    for folder, release, dataset in (("out", "R1", f"second {EVIL}"), ("later", "R2", "first")):
        entry, words = found[release], reports(tmp_path / folder)
        sealed = hashlib.sha256((tmp_path / folder / "certificate.json").read_bytes()).hexdigest()
        assert entry.dataset == dataset and entry.body["when"][:10] == datetime.now(UTC).date().isoformat()
        told = (release, f"entry {entry.number} of {late.ledger.shown}", entry.body["when"], who(), sealed)
        assert all(word in text for word in told for text in words)
        assert f"dataset: {dataset}" in words[0] and EVIL not in words[1]
        assert words[1].count(sealed) == 2  # at the top, and beside the signature


@pytest.mark.slow
def test_a_check_says_that_nothing_was_released(tmp_path):
    desk = Desk(tmp_path)
    path = desk.put(spec(figures=[SMOKERS], dataset="people of 2026"))
    ledger = tmp_path / "ledger.sqlite"
    assert dalenius("check", path, "--report", tmp_path / "report.html", "--ledger", ledger, "--quick").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert UNRELEASED in page and "people of 2026" in page and who() in page and "SHA-256" not in page
    assert f"{ledger}, read and not changed" in page and not ledger.exists()


def test_an_edition_is_named_with_its_dataset():
    rows = dict(Imprint("now", "somebody", "register", "ledger.sqlite", "2026-03", "R7", 12, "ab" * 32).rows)
    assert rows["dataset"] == "register, edition 2026-03" and rows["ledger"] == "entry 12 of ledger.sqlite"
    assert next(iter(rows)) == "release" and rows["release"] == "R7" and rows["made by"] == "somebody"
