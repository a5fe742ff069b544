"""A real table in a folder of its own."""

from __future__ import annotations

import pytest

from companion.bootstrap import build
from companion.config import Settings

PIN = "483920"


@pytest.fixture
def services(tmp_path):
    """Everything behind the pages, on a real database, with the dealer's PIN chosen."""
    station = build(Settings(data_dir=tmp_path / "data", table_name="Docking Bay 94"))
    station.services.pin.set(PIN)
    yield station.services
    station.close()
