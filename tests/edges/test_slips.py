"""Small mistakes around a release: each is told, and nothing is done by halves."""

import json
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.basics.errors import InputError
from dalenius.record.certificate.recheck import verify_certificate
from dalenius.record.certificate.signing import new_key, sign
from edges.desk import SMOKERS, dalenius, people, spec

EXAMPLE = Path(dl.__file__).parent / "desk" / "examples"


def test_a_signature_without_a_key_is_not_taken_for_checked(tmp_path):
    file = tmp_path / "certificate.json"
    file.write_text("{}")
    with pytest.raises(InputError, match="Add --key"):
        verify_certificate(file, None, None, tmp_path / "no.sig")


@pytest.mark.parametrize("content", ["id,x\n1,2\n", json.dumps({"schema": "dalenius/certificate/4", "sha256": "0"})])
def test_only_certificates_as_they_were_written_are_signed(tmp_path, content):
    file, key = tmp_path / "people.csv", tmp_path / "key"
    file.write_text(content)
    new_key(key)
    with pytest.raises(InputError, match="certificate"):
        sign(file, key)
    assert not (tmp_path / "people.sig").exists()


def test_a_page_is_called_a_page(desk):
    answer = dalenius("check", desk.put(), "--report", desk.folder / "report.pdf")
    assert answer.code == 2 and "end with .html" in answer.err


def test_a_ledger_in_no_folder_is_no_empty_one(desk):
    said = desk.refusal(spec(ledger=str(desk.folder / "nowhere" / "ledger.sqlite")))
    assert "there is no folder" in said


def test_nothing_is_fetched(desk):
    assert "nothing is fetched" in desk.refusal(spec(data="https://example.org/people.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1e-30", "1e-9"])
def test_a_tiny_epsilon_is_answered(desk, epsilon):
    """The noise that it needs cannot be listed, nor drawn at last; other noise is offered."""
    content = spec(figures=[SMOKERS], target={"epsilon": epsilon, "delta": "1e-2"})
    answer = dalenius("check", desk.put(content, people(60)))
    assert answer.code == 1
    assert "gaussian" in answer.out


@pytest.mark.slow
def test_those_that_fail_stand_before_those_that_are_only_open(desk):
    """Cells of a rounded table are open, the smallest exact one fails."""
    figures = [
        {**SMOKERS, "by": "region", "round": 5},
        {**SMOKERS, "name": "south", "where": {"smoker": "yes", "region": "south"}},
    ]
    answer = dalenius("check", desk.put(spec(figures=figures), people(40)), "--quick")
    lines = [line for line in answer.out.splitlines() if line.endswith((" fail", " review"))]
    verdicts = [line.split()[-1] for line in lines]
    assert verdicts == sorted(verdicts)
    assert "fail" in verdicts


@pytest.mark.slow
def test_noise_that_hides_a_record_by_itself_needs_no_belief(desk):
    """Of one figure, as of several: whatever is unknown about the probabilities, and however many records are known."""
    nothing = {"smoker": {"probabilities": {"yes": "0.3", "no": "rest"}, "within": 1, "source": "a guess"}}
    content = spec(
        figures=[{**SMOKERS, "noise": {"geometric": 3}}],
        beliefs=nothing,
        target={"epsilon": 1, "delta": "1e-6"},
    )
    answer = desk.check(content)
    assert answer.code == 0, answer
    assert desk.release(content, None, "--seconds", 0).code == 0
    told = dalenius("verify", desk.folder / "out" / "certificate.json")
    assert told.code == 0, told
    exact = desk.check(spec(figures=[SMOKERS], beliefs=nothing))
    assert exact.code == 1, exact  # whoever may have any law may be certain


@pytest.mark.parametrize("of", [1, "yes", ["yes"]])
def test_a_count_needs_a_set_of_values(of):
    """Within a text, parts of it would be found: "y" is in "yes"."""
    with pytest.raises(InputError, match=r"Write Count\(frozenset"):
        dl.Count(of)
