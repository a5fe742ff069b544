"""The camera thread: frames into the watcher, its events to the desk."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Protocol

import cv2

from companion.rolls import RollDesk
from companion.rules.words import Line, key
from hardware.camera import Camera, CameraError, CameraLost, CameraStuck, Frame
from vision.patch import Image
from vision.reading import Expect, TrayEvent
from vision.station import StationError

log = logging.getLogger(__name__)
LIVE_QUALITY = 75
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 10.0  # before a lost camera is tried again, doubling
OPENING_S = 60.0  # a camera may take to open, settle and lock
SILENCE_S = 20.0  # without a frame; then nobody vouches for this thread any more


def _nobody(seconds: float) -> None:
    """Stands in for the watchdog where there is none."""


class Reads(Protocol):
    """What frames are fed to."""

    def feed(
        self, frame: Image, t: float, expect: Expect | None = None, luma: Image | None = None
    ) -> list[TrayEvent]:
        """Take one frame (BGR uint8) at time ``t``, small and grey in ``luma``; what changed."""

    def interrupted(self) -> None:
        """Frames stopped coming."""


class Watching:
    """Runs until closed. A camera fault is shown on the station, never fatal to the table.

    A camera that is lost is opened again and again. ``vouch(seconds)`` is told for how
    long this thread can be believed to be well.
    """

    def __init__(
        self,
        camera: Camera,
        watcher: Reads,
        desk: RollDesk,
        vouch: Callable[[float], None] = _nobody,
        wait: Callable[[float], object] | None = None,
    ) -> None:
        self._camera = camera
        self._watcher = watcher
        self._desk = desk
        self._vouch = vouch
        self._closed = threading.Event()
        self._wait = wait or self._closed.wait
        self._wait_s = FIRST_WAIT_S
        self._lost = False
        self._newest: Frame | None = None
        self._live: tuple[Frame | None, bytes | None] = (None, None)  # the last that was shown
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()
        self._camera.close()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def live_frame(self) -> bytes | None:
        """The newest picture as JPEG, made when someone looks; None when no camera sends any."""
        frame, (shown, jpeg) = self._newest, self._live
        if frame is None:
            return None
        if frame is not shown:
            jpeg = _jpeg(frame)
            self._live = frame, jpeg
        return jpeg

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self._watch()
                return
            except CameraLost as fault:
                self._later(fault)
            except CameraError as fault:
                self._never(fault)
                return
            except StationError as fault:
                log.error("%s", fault)
                text = key("The reader stopped: {fault}. Enter rolls by hand meanwhile.")
                self._blind(Line(text, {"fault": Line(fault.text, fault.values)}))
                self._vouch(float("inf"))
                return
            except Exception:  # a reader fault must not look like an empty tray
                log.exception("the reader stopped")
                self._blind(Line("The reader stopped; enter rolls by hand and restart."))
                self._vouch(float("inf"))
                return

    def _watch(self) -> None:
        self._vouch(OPENING_S)
        with closing(self._camera.frames()) as frames:
            for frame in frames:
                self._vouch(SILENCE_S)
                self._found()
                self._take(frame)

    def _later(self, fault: CameraLost) -> None:
        """Say that the camera is lost, and wait before it is tried again."""
        if not self._lost:
            log.warning("%s", fault)
        self._lost = True
        text = key("{fault}. The table goes on; enter rolls by hand meanwhile.")
        self._blind(Line(text, {"fault": Line(fault.text, fault.values)}))
        self._vouch(OPENING_S + self._wait_s)
        self._wait(self._wait_s)
        self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)

    def _never(self, fault: CameraError) -> None:
        """Say that no picture will come; only a stuck driver is worth a restart."""
        log.error("%s", fault)
        text = key("{fault}. The table goes on; enter rolls by hand.")
        self._blind(Line(text, {"fault": Line(fault.text, fault.values)}))
        self._vouch(0.0 if isinstance(fault, CameraStuck) else float("inf"))

    def _blind(self, message: Line) -> None:
        self._newest = None
        self._watcher.interrupted()
        self._desk.camera_trouble(message)

    def _found(self) -> None:
        self._wait_s = FIRST_WAIT_S
        if self._lost:
            self._lost = False
            log.warning("the camera is back")
            self._desk.camera_trouble("")

    def _take(self, frame: Frame) -> None:
        for event in self._watcher.feed(frame.bgr, frame.t, self._desk.expect(), frame.luma):
            self._desk.on_event(event)
        self._newest = frame


def _jpeg(frame: Frame) -> bytes | None:
    ok, jpeg = cv2.imencode(".jpg", frame.bgr, [cv2.IMWRITE_JPEG_QUALITY, LIVE_QUALITY])
    return jpeg.tobytes() if ok else None
