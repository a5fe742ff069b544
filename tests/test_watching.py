"""The camera thread: what the station shows when the camera goes and comes back."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.database import Database
from companion.evidence import EvidenceStore
from companion.games import GAMES
from companion.hub import Hub
from companion.rolls import RollDesk
from companion.rules.engine import Engine
from companion.table import TableService
from companion.watching import FIRST_WAIT_S, LONGEST_WAIT_S, OPENING_S, SILENCE_S, Watching
from hardware.camera import CameraError, CameraLost, CameraStuck, Frame
from vision.reader import Watcher
from vision.reading import TrayEvent, TrayState
from vision.station import Station, StationError
from vision.tray import Tray

GREY = np.full((60, 80, 3), 99, np.uint8)


class ScriptedCamera:
    """Plays one line of the script each time it is opened: numbers are frames, faults raised."""

    def __init__(self, *script):
        self.script = list(script)
        self.seq = 0
        self.let_go = 0

    def frames(self):
        try:
            for item in self.script.pop(0) if self.script else ():
                if isinstance(item, Exception):
                    raise item
                self.seq += 1
                yield Frame(GREY, item, self.seq)
        finally:
            self.let_go += 1

    def close(self):
        self.script.clear()


class ScriptedWatcher:
    """Sees an empty tray in every first frame; remembers what it was told."""

    def __init__(self, fails=False):
        self.state = TrayState.OFFLINE
        self.interruptions = 0
        self.lumas = []
        self.fails = fails

    def feed(self, frame, t, expect, luma):
        self.lumas.append(luma)
        if self.fails:
            raise ValueError("a fault in the reader")
        if self.state is TrayState.EMPTY:
            return []
        self.state = TrayState.EMPTY
        return [TrayEvent(0, TrayState.EMPTY)]

    def interrupted(self):
        self.interruptions += 1
        self.state = TrayState.OFFLINE


@pytest.fixture
def desk(tmp_path):
    database = Database.in_folder(tmp_path)
    service = TableService(database, Engine(GAMES), Hub())
    yield RollDesk(service, EvidenceStore(tmp_path / "evidence", 10**6), Hub())
    database.close()


class Run:
    """The thread's work done in the test's own thread, noting what a dealer would have seen."""

    def __init__(self, desk, *script, watcher=None):
        self.desk = desk
        self.waits, self.vouched, self.shown = [], [], []
        self.camera = ScriptedCamera(*script)
        self.watcher = watcher or ScriptedWatcher()
        self.watching = Watching(self.camera, self.watcher, desk, self.vouched.append, self.wait)
        self.watching._run()

    def wait(self, seconds):
        self.waits.append(seconds)
        state = self.desk.state()
        self.shown.append((state.camera, state.tray, self.watching.live_frame()))


LOST = CameraLost("Camera usb:0 is disconnected; check its cable")


def test_a_lost_camera_is_said_tried_again_and_forgotten_when_back(desk):
    run = Run(desk, [0.0, 0.1, LOST], [LOST], [1.0, 1.1])
    assert [camera.english for camera, *_ in run.shown] == 2 * [
        "Camera usb:0 is disconnected; check its cable. "
        "The table goes on; enter rolls by hand meanwhile."
    ]
    assert [(tray, live) for _, tray, live in run.shown] == 2 * [(TrayState.OFFLINE, None)]
    state = desk.state()
    assert (state.camera, state.tray) == ("", TrayState.EMPTY)
    assert run.watching.live_frame() is not None
    assert run.watcher.interruptions == 2
    assert run.camera.let_go == 3


def test_the_cameras_small_picture_goes_to_the_reader(desk):
    class Small(ScriptedCamera):
        def frames(self):
            for frame in super().frames():
                yield replace(frame, luma=GREY[..., 0])

    watcher = ScriptedWatcher()
    Watching(Small([0.0, 0.1]), watcher, desk, wait=lambda seconds: None)._run()
    assert [small.shape for small in watcher.lumas] == 2 * [(60, 80)]


def test_the_wait_doubles_to_a_limit_and_starts_anew_after_a_picture(desk):
    run = Run(desk, *[[LOST]] * 7, [0.0, LOST], [1.0])
    doubling = [FIRST_WAIT_S * 2**n for n in range(7)]
    assert run.waits == [*(min(wait, LONGEST_WAIT_S) for wait in doubling), FIRST_WAIT_S]


def test_an_unplugged_camera_is_vouched_for_and_a_silent_one_only_shortly(desk):
    run = Run(desk, [0.0, LOST], [1.0])
    assert run.vouched == [
        OPENING_S, SILENCE_S, OPENING_S + FIRST_WAIT_S, OPENING_S, SILENCE_S
    ]  # fmt: skip


def test_a_stuck_driver_is_left_to_the_watchdog_at_once(desk):
    run = Run(desk, [CameraStuck("it hangs and cannot be closed; restart the station")], [1.0])
    assert run.vouched[-1] == 0.0
    assert run.waits == []
    assert desk.state().camera.english.startswith("it hangs")


@pytest.mark.parametrize("fault", [CameraError("no such recording"), None])
def test_a_hopeless_camera_or_reader_does_not_restart_the_table(desk, fault):
    watcher = None if fault else ScriptedWatcher(fails=True)
    run = Run(desk, [fault or 0.0], [1.0], watcher=watcher)
    assert run.vouched[-1] == float("inf")
    assert len(run.camera.script) == 1  # not opened again
    assert run.camera.let_go == 1
    assert "enter rolls by hand" in desk.state().camera.english


def test_closing_ends_the_wait_for_a_lost_camera(desk):
    camera = ScriptedCamera(*[[LOST]] * 1000)
    watching = Watching(camera, ScriptedWatcher(), desk)
    watching.start()
    watching.close()
    assert not watching._thread.is_alive()


def test_the_live_picture_is_made_only_when_someone_looks(desk, monkeypatch):
    made = []
    real = cv2.imencode
    monkeypatch.setattr(cv2, "imencode", lambda *args: made.append(1) or real(*args))
    run = Run(desk, [n / 15 for n in range(30)])
    assert made == []
    first = run.watching.live_frame()
    assert first is not None
    assert run.watching.live_frame() is first
    assert len(made) == 1
    run.watching._newest = Frame(GREY, 9.0, 99)
    run.watching.live_frame()
    assert len(made) == 2


def test_a_camera_that_does_not_fit_the_station_is_said_in_words(desk):
    class Misfit(ScriptedWatcher):
        def feed(self, frame, t, expect, luma):
            raise StationError("the picture has 80x60 pixels; calibrate again")

    run = Run(desk, [0.0], watcher=Misfit())
    assert "80x60 pixels; calibrate again" in desk.state().camera.english
    assert run.vouched[-1] == float("inf")


def test_an_interrupted_watcher_mixes_no_pictures_from_before_and_after():
    """The same still tray, seen again after a gap, must be still for its full time again."""
    square = np.array([[4, 4], [75, 4], [75, 55], [4, 55]], np.float32)
    watcher = Watcher(Station.bare(Tray.calibrate([GREY], square, (100.0, 72.0))))
    seen = [watcher.feed(GREY, t / 10) for t in range(30)]
    assert [e.state for events in seen for e in events][-1] is TrayState.EMPTY
    watcher.interrupted()
    assert watcher.state is TrayState.OFFLINE
    first = watcher.feed(GREY, 60.0)
    assert [e.state for e in first if e.state is TrayState.EMPTY] == []
    later = [watcher.feed(GREY, 60 + t / 10) for t in range(1, 30)]
    assert TrayState.EMPTY in [e.state for events in later for e in events]
