"""The camera thread: frames into the watcher, its events to the desk."""

from __future__ import annotations

import logging
import threading

import cv2

from companion.rolls import RollDesk
from hardware.camera import Camera, CameraError, Frame
from vision.reader import Watcher

log = logging.getLogger(__name__)
LIVE_QUALITY = 75
LIVE_EVERY_S = 0.25  # between live pictures


class Watching:
    """Runs until closed. A camera fault is shown on the station, never fatal to the table."""

    def __init__(self, camera: Camera, watcher: Watcher, desk: RollDesk) -> None:
        self._camera = camera
        self._watcher = watcher
        self._desk = desk
        self._live: bytes | None = None
        self._live_at = float("-inf")
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._camera.close()
        self._thread.join(timeout=5)

    def live_frame(self) -> bytes | None:
        """The newest picture as JPEG."""
        return self._live

    def _run(self) -> None:
        try:
            for frame in self._camera.frames():
                self._take(frame)
        except CameraError as fault:
            log.error("%s", fault)
            self._desk.camera_trouble(f"{fault}. The table goes on; enter rolls by hand.")
        except Exception:  # a reader fault must not look like an empty tray
            log.exception("the reader stopped")
            self._desk.camera_trouble("The reader stopped; enter rolls by hand and restart.")

    def _take(self, frame: Frame) -> None:
        for event in self._watcher.feed(frame.bgr, frame.t, self._desk.expect()):
            self._desk.on_event(event)
        if frame.t - self._live_at >= LIVE_EVERY_S:
            self._live_at = frame.t
            ok, jpeg = cv2.imencode(".jpg", frame.bgr, [cv2.IMWRITE_JPEG_QUALITY, LIVE_QUALITY])
            self._live = jpeg.tobytes() if ok else self._live
