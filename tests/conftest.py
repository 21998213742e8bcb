"""How hard Hypothesis tries: HYPOTHESIS_PROFILE=fast, default or deep; and a clock that stands still."""

import os

import pytest
from hypothesis import HealthCheck, settings

# In CI every run tries the same examples, so that a red build is red again when it is repeated.
CI = bool(os.environ.get("CI"))

for name, examples in {"fast": 10, "default": 20, "thorough": 100, "deep": 10_000}.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        derandomize=CI,
        database=None if CI else settings.default.database,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# Scripts that made the golden values: they are run by hand, not collected for doctests.
collect_ignore_glob = ["golden/*"]


@pytest.fixture(autouse=True)
def no_budget_ends(monkeypatch):
    """What is told does not depend on how busy the machine is: the time for searches never runs out."""
    monkeypatch.setattr("dalenius.desk.session.budget.monotonic", lambda: 0.0)
