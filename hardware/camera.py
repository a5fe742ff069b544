"""Which camera: one setting names the back-end and the device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from hardware.frames import Camera, CameraError, CameraLost, CameraStuck, Frame
from hardware.picamera import PiCamera
from hardware.replay import ReplayCamera, Throw, recorded_throws
from hardware.usb import UsbCamera

__all__ = [
    "FORMS",
    "Camera",
    "CameraError",
    "CameraLost",
    "CameraStuck",
    "Frame",
    "PiCamera",
    "ReplayCamera",
    "Throw",
    "UsbCamera",
    "open_camera",
    "recorded_throws",
]

FORMS = "replay:FOLDER, usb:NUMBER, picamera2, picamera2:NUMBER or disabled"
Due = Callable[[], Mapping[str, int] | None]


def open_camera(setting: str, due: Due, done: Callable[[], int] = lambda: 0) -> Camera | None:
    """The camera that ``camera = "..."`` names; None when disabled.

    The device itself is opened by ``frames()``: a camera that is not plugged in yet
    is a state of the station, not a reason to refuse to start. A recording plays its
    throws by ``due`` and ``done``, as ReplayCamera says. Raises CameraError when the
    setting is wrong, the recording unusable or the library missing.
    """
    form, colon, rest = setting.partition(":")
    number = int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 4 else None
    match form:
        case "disabled" if not colon:
            return None
        case "replay" if rest:
            return ReplayCamera(Path(rest), due, done)
        case "usb" if number is not None:
            return UsbCamera(number)
        case "picamera2" if not colon:
            return PiCamera()
        case "picamera2" if number is not None:
            return PiCamera(number)
        case _:
            raise CameraError(f"camera: {setting!r} is not understood; use {FORMS}")
