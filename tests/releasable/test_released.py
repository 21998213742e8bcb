"""Everything in the five papers can be released: each row of docs/released.md, from the command line to a certificate
that this program and the independent checker confirm.
"""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from amount import ALL
from dalenius.desk.spec import build, spec_of
from dalenius_checker.__main__ import run
from edges.desk import dalenius
from releasable.rows import COUNTS, KINDS, PAPERS, Row, rows, table

ROOT = Path(__file__).parents[2]
ROWS = rows()


@pytest.fixture(scope="module")
def people():
    return pd.DataFrame(table())


def test_rows_are_complete():
    assert len({row.id for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert row.kind in KINDS
        assert set(row.papers) <= set(PAPERS), row.id
        assert row.size, row.id
        assert row.finite != bool(row.words), f"{row.id} needs words of a specification"
        assert not row.finite or row.kind == "definition", f"{row.id} cannot be released"
        for test in row.tests:
            path, _, name = test.partition("::")
            assert (ROOT / path).exists(), test
            assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test


@pytest.mark.parametrize("row", [row for row in ROWS if row.words], ids=lambda row: row.id)
def test_the_words_are_a_specification(row: Row, tmp_path):
    (tmp_path / "counts.csv").write_text(COUNTS, encoding="utf-8")
    build(spec_of(row.specification), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("row", [row for row in ROWS if row.words and (ALL or row.always)], ids=lambda row: row.id)
def test_from_the_command_line_to_the_confirmed_certificate(row: Row, people, tmp_path):
    people.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "counts.csv").write_text(COUNTS, encoding="utf-8")
    place = tmp_path / "release.yaml"
    place.write_text(yaml.safe_dump(row.specification, sort_keys=False, allow_unicode=True), encoding="utf-8")
    told = dalenius("release", place, "-o", tmp_path / "out")
    assert told.code == 0, told.out + told.err
    files = [tmp_path / "out" / name for name in ("certificate.json", "figures.csv")]
    verified = dalenius("verify", files[0], "--figures", files[1])
    assert verified.code == 0, verified.out
    code, words = run([str(files[0]), "--figures", str(files[1])])
    assert (code, "UNDECIDED" in words) == ((0, False) if row.confirmed else (3, True)), words
