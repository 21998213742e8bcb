"""A fresh desk for every test."""

import pytest

from edges.desk import Desk


@pytest.fixture
def desk(tmp_path) -> Desk:
    return Desk(tmp_path)
