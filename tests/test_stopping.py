"""How the program ends when it is told to, and the streams with it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from itertools import islice
from types import SimpleNamespace

import pytest

from companion import cli
from companion.hub import QUEUED, Hub


@pytest.fixture
def signals_kept() -> Iterator[None]:
    kept = {stop: signal.getsignal(stop) for stop in cli.STOPS}
    yield
    for stop, handler in kept.items():
        signal.signal(stop, handler)


@pytest.mark.parametrize("second", cli.STOPS)
@pytest.mark.usefixtures("signals_kept")
def test_a_second_signal_does_not_break_into_the_end_of_the_first(second):
    told = []

    def stopping() -> None:
        told.append("begun")
        if told == ["begun"]:
            os.kill(os.getpid(), second)  # as by an impatient second Ctrl-C
        told.append("done")

    hub = Hub()
    events = hub.subscribe()
    services, notifier = SimpleNamespace(hub=hub), SimpleNamespace(stopping=stopping)
    station = SimpleNamespace(notifier=notifier, services=services)
    cli._on_stop(lambda: cli._interrupt(station))
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)
    assert told == ["begun", "done"]
    assert [event.kind for event in events] == ["closing"]


@pytest.mark.parametrize("after", [0, 1])
def test_a_screen_that_is_far_behind_is_still_told_that_its_stream_ends(after):
    hub = Hub(beat_s=0.01)
    events = hub.subscribe()
    for version in range(QUEUED + 5):
        hub.publish("table", version)
    hub.close()
    for version in range(after):
        hub.publish("table", version)
    seen = [event.kind for event in islice(events, QUEUED + 10)]
    assert seen == ["table"] * QUEUED + ["closing"]
