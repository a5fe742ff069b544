"""The line in `systemctl status`: what the station does, and nothing twice."""

import dataclasses
import queue

import pytest

from companion.hub import Hub
from companion.rolls import DeskState
from companion.status import StatusLine, status
from vision.reading import TrayState

WELL = DeskState(TrayState.EMPTY, None, None, None, "")


@pytest.mark.parametrize(
    ("desk", "watched", "begins"),
    [
        (WELL, True, "Watching the tray"),
        (dataclasses.replace(WELL, tray=TrayState.OFFLINE), True, "Opening the camera"),
        (dataclasses.replace(WELL, tray=TrayState.OFFLINE), False, "No camera; throws are"),
        (dataclasses.replace(WELL, camera="Camera usb:0 hangs"), True, "Camera usb:0 hangs"),
        (dataclasses.replace(WELL, tray=TrayState.MOVED), True, "The camera or the tray has moved"),
        (dataclasses.replace(WELL, tray=TrayState.DARK), True, "Too dark to see the tray"),
        (dataclasses.replace(WELL, tray=TrayState.FROZEN), True, "The camera repeats one picture"),
        (dataclasses.replace(WELL, pending=object()), True, "Waiting for the dealer's word"),
    ],
)
def test_the_line_says_what_the_station_does(desk, watched, begins):
    assert status(desk, watched).startswith(begins)


class Desk:
    now = WELL

    def state(self):
        return self.now


def test_a_line_is_told_once_until_it_changes():
    said, desk = [], Desk()
    line = StatusLine(desk, Hub(), said.append, "Spike table is open on port 80", lambda: True)
    line.update()
    line.update()
    desk.now = dataclasses.replace(WELL, camera="Camera lost")
    line.update()
    assert said == [
        "Watching the tray. Spike table is open on port 80",
        "Camera lost. Spike table is open on port 80",
    ]


def test_the_line_follows_the_table_until_the_hub_closes():
    said, desk, hub = [], Desk(), Hub()
    line = StatusLine(desk, hub, said.append, "Open", watched=lambda: True)
    line.start()
    desk.now = dataclasses.replace(WELL, camera="Camera lost")
    hub.publish("tray", 0)
    hub.close()
    line._following._thread.join(timeout=30)
    assert said == ["Watching the tray. Open", "Camera lost. Open"]


def test_a_line_that_cannot_be_told_does_not_end_the_following(caplog):
    said, desk, hub = queue.SimpleQueue(), Desk(), Hub()

    def tell(text):
        said.put(text)
        if text.startswith("one"):
            raise OSError("gone")

    line = StatusLine(desk, hub, tell, "Open", watched=lambda: True)
    line.start()
    assert said.get(timeout=30) == "Watching the tray. Open"
    for word in ("one", "two"):
        desk.now = dataclasses.replace(WELL, camera=word)
        hub.publish("tray", 0)
        assert said.get(timeout=30) == f"{word}. Open"
    hub.close()
    assert "could not be shown" in caplog.text


def test_a_camera_let_go_is_said_on_the_next_line():
    said, cameras = [], [True]
    line = StatusLine(Desk(), Hub(), said.append, "Open", watched=lambda: bool(cameras))
    line.update()
    cameras.clear()
    line.update()
    assert said == ["Watching the tray. Open", "No camera; throws are entered by hand. Open"]
