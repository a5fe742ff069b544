"""A real table in a folder of its own."""

from __future__ import annotations

from functools import partial

import pytest
from argon2 import PasswordHasher

from companion.bootstrap import build
from companion.config import Settings
from tests.recordings import RECORDING
from vision.recording import from_recording

PIN = "483920"
# Some 50 ms of work make a PIN hard to guess from its hash; hundreds of tests need none of that.
QUICK = partial(PasswordHasher, time_cost=1, memory_cost=64, parallelism=1)


@pytest.fixture
def services(tmp_path, monkeypatch):
    """Everything behind the pages, on a real database, with the dealer's PIN chosen."""
    monkeypatch.setattr("companion.auth.PasswordHasher", QUICK)
    station = build(Settings(data_dir=tmp_path / "data", table_name="Docking Bay 94"))
    station.services.pin.set(PIN)
    yield station.services
    station.close()


@pytest.fixture(scope="session")
def enrolled(tmp_path_factory):
    """The recorded table's station folder: its dice are enrolled once for all tests."""
    folder = tmp_path_factory.mktemp("enrolled")
    from_recording(RECORDING).save(folder)
    return folder
