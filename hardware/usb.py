"""A webcam through Video4Linux: settled, locked, and opened anew after it was unplugged."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hardware.frames import SIZE, CameraLost, Frame

log = logging.getLogger(__name__)

# Video4Linux numbers its exposure modes; OpenCV passes them through unchanged.
EXPOSURE_BY_HAND = 1


@dataclass(frozen=True, slots=True)
class Locking:
    """One automatism: the property that switches it, its off value, and what it drives."""

    name: str
    switch: int
    off: float
    drives: int
    common: bool = True  # a webcam without this control is likely to run it by itself


LOCKS = (
    Locking("exposure", cv2.CAP_PROP_AUTO_EXPOSURE, EXPOSURE_BY_HAND, cv2.CAP_PROP_EXPOSURE),
    Locking("white balance", cv2.CAP_PROP_AUTO_WB, 0, cv2.CAP_PROP_WB_TEMPERATURE),
    Locking("focus", cv2.CAP_PROP_AUTOFOCUS, 0, cv2.CAP_PROP_FOCUS, False),
)


def _video_device(number: int) -> Any:
    if not Path(f"/dev/video{number}").exists():
        return cv2.VideoCapture()  # opening it would only fill the journal at every try
    return cv2.VideoCapture(number, cv2.CAP_V4L2)


class UsbCamera:
    """``/dev/videoN``. The first ``settle`` pictures are for the camera's own automatisms."""

    def __init__(
        self,
        number: int,
        open_: Callable[[int], Any] = _video_device,
        *,
        settle: int = 30,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.unlocked: tuple[str, ...] = ()  # automatisms this device would not let go of
        self._number = number
        self._open = open_
        self._settle = settle
        self._clock = clock
        self._seq = -1  # goes on after a re-opening
        self._closed = False

    def frames(self) -> Generator[Frame, None, None]:
        """Pictures from when exposure, white balance and focus are held still."""
        if self._closed:
            return
        device = self._opened()
        try:
            _shape(device)
            for _ in range(self._settle):
                self._read(device)
            self.unlocked = lock(device)
            while not self._closed:
                yield self._read(device)
        finally:
            device.release()

    def close(self) -> None:
        """Stop after the present picture; releasing here would pull the device from a read."""
        self._closed = True

    def _opened(self) -> Any:
        device = self._open(self._number)
        if device.isOpened():
            return device
        device.release()
        raise CameraLost(
            "Camera {camera} cannot be opened; "
            "check that it is plugged in and that no other program uses it",
            camera=f"usb:{self._number}",
        )

    def _read(self, device: Any) -> Frame:
        ok, image = device.read()
        if not ok or image is None:
            raise CameraLost(
                "Camera {camera} is disconnected; check its cable", camera=f"usb:{self._number}"
            )
        self._seq += 1
        return Frame(np.asarray(image, np.uint8), self._clock(), self._seq)


def _shape(device: Any) -> None:
    """Ask for the size that is read, newest picture first; a device may give another."""
    device.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    device.set(cv2.CAP_PROP_FRAME_WIDTH, SIZE[0])
    device.set(cv2.CAP_PROP_FRAME_HEIGHT, SIZE[1])
    device.set(cv2.CAP_PROP_BUFFERSIZE, 1)


def lock(device: Any) -> tuple[str, ...]:
    """Hold what the automatisms have found; gives the names of those that go on by themselves."""
    running = tuple(locking.name for locking in LOCKS if not _locked(device, locking))
    if running:
        log.warning("the webcam keeps its own %s; readings may ask more often", ", ".join(running))
    return running


def _locked(device: Any, locking: Locking) -> bool:
    """Whether the automatism is off, and its last value kept where the device tells it."""
    if not locking.common and device.get(locking.switch) < 0:
        return True
    found = device.get(locking.drives)
    switched = device.set(locking.switch, locking.off)
    if found > 0:  # OpenCV says 0 or -1 for what it does not know
        device.set(locking.drives, found)
    return bool(switched) and device.get(locking.switch) == locking.off
