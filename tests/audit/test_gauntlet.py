"""Audits of files beside all tables that fit them, and forged proofs; more: `python -m benchmarks.audit_gauntlet`."""

import pytest
from benchmarks.audit_gauntlet import main

from amount import repetitions


@pytest.mark.slow
def test_no_audit_of_a_file_is_wrong_and_no_forged_proof_is_confirmed():
    assert main(repetitions(60, 2000), repetitions(30, 500)) == 0
