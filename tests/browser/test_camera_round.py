"""A round from a recorded throw: camera, reader, desk, server, Chromium; no face is typed."""

from __future__ import annotations

import pytest

from companion import bootstrap
from companion.config import Settings
from companion.rules.actions import How, RecordRoll
from tests.recordings import RECORDING

from .conftest import DEALER_PIN, Table

pytestmark = pytest.mark.browser

READ_MS = 90_000  # a throw is filmed, comes to rest and is read


@pytest.fixture
def station(tmp_path):
    settings = Settings(data_dir=tmp_path, camera=f"replay:{RECORDING}", station=RECORDING)
    made = bootstrap.build(settings)
    made.services.pin.set(DEALER_PIN)
    made.start()
    yield made
    made.close()


def test_a_recorded_throw_is_seen_read_and_paid_on_dealer_and_two_phones(station, serve, open_page):
    table = Table(station.services, serve(station.web), open_page)
    table.begin()
    table.seat(1, "Nova")
    table.seat(2, "Rook")
    table.key("NumpadAdd")
    table.status("ets")
    table.bet("Nova", "crown", 2)
    table.bet("Rook", "sun", 1)
    before = table.credits()
    table.key("NumpadAdd")

    for name in ("Nova", "Rook"):
        table.phones[name].wait_for_selector(".result, [id^=run-]", timeout=READ_MS)
    rolls = [
        row.action for row in station.services.service.log() if isinstance(row.action, RecordRoll)
    ]
    assert len(rolls) == 1
    assert rolls[0].how is How.READ
    faces = [symbol.value for symbol in rolls[0].roll.spikes]
    won = 50 * faces.count("crown") or -50
    won += 25 * faces.count("sun") or -25
    assert table.credits()["bank"] == before["bank"] - won
    assert station.services.service.audit() == []
