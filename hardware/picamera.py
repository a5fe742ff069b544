"""A Raspberry Pi camera through picamera2: one request a frame, exposure held and verified.

The library is Raspberry Pi's own and comes from apt, so it is imported only when a
camera of this kind is asked for.
"""

from __future__ import annotations

import importlib
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hardware.exposure import LENS, CannotHold, ExposureLock, LockSettings, auto
from hardware.frames import FPS, SIZE, CameraError, CameraLost, CameraStuck, Frame, Image

log = logging.getLogger(__name__)
LUMA = (640, 480)  # width, height of the small grey picture for seeing motion
LUMA_OFF = 6.0  # grey levels by which it may differ from the large one
HANG_S = 3.0  # without a picture for this long, the camera hangs
BGR_TO_GREY = np.array((0.114, 0.587, 0.299))  # ITU-R BT.601, as sYCC and OpenCV have it
SHUT_S = 5.0  # for the driver to let go


class PiCamera:
    """Camera Module 2, 3 or HQ, by its number on the board."""

    def __init__(
        self,
        number: int = 0,
        lock: LockSettings | None = None,
        *,
        hang_s: float = HANG_S,
        shut_s: float = SHUT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._library = _library()
        self._number = number
        self._settings = lock or LockSettings()
        self._hang_s = hang_s
        self._shut_s = shut_s
        self._clock = clock
        self._seq = -1  # goes on after a re-opening
        self._closed = False

    def frames(self) -> Generator[Frame, None, None]:
        """Pictures whose own metadata shows the locked exposure, colours and focus."""
        if self._closed:
            return
        device = self._opened()
        try:
            yield from self._held_frames(device)
        except CameraError:
            raise
        except CannotHold as fault:
            raise CameraLost(
                "Camera {camera}: {fault}; it is opened anew", camera=self._name, fault=str(fault)
            ) from fault
        except Exception as fault:  # the library's faults are of many kinds
            raise CameraLost(
                "Camera {camera} failed ({fault}); it is opened anew",
                camera=self._name,
                fault=str(fault),
            ) from fault
        finally:
            self._shut(device)

    def close(self) -> None:
        """Stop after the present picture."""
        self._closed = True

    @property
    def _name(self) -> str:
        return f"picamera2:{self._number}"

    def _held_frames(self, device: Any) -> Iterator[Frame]:
        has_lens = LENS in device.camera_controls
        device.configure(_configuration(device, has_lens))
        device.start()
        lock = ExposureLock(has_lens, self._settings)
        small: bool | None = None  # whether the small picture can stand in for the large one
        while not self._closed:
            frame, metadata = self._capture(device)
            controls = lock.feed(metadata)
            if controls is not None:
                if lock.drift:
                    log.warning("%s drifted (%s); locked again", self._name, ", ".join(lock.drift))
                device.set_controls(controls)
            if lock.good:
                small = _alike(frame, self._name) if small is None else small
                yield frame if small else replace(frame, luma=None)

    def _capture(self, device: Any) -> tuple[Frame, dict[str, Any]]:
        """One request: pictures and metadata of the same moment, copied before its release."""
        try:
            request = device.capture_request(wait=False).get_result(timeout=self._hang_s)
        except TimeoutError:
            raise CameraLost(
                "Camera {camera} has sent no picture for {seconds} s; "
                "check its cable; it is opened anew",
                camera=self._name,
                seconds=f"{self._hang_s:g}",
            ) from None
        try:
            self._seq += 1
            bgr, luma = _bgr(request), _luma(request)
            return Frame(bgr, self._clock(), self._seq, luma), request.get_metadata()
        finally:
            request.release()

    def _opened(self) -> Any:
        found = self._library.global_camera_info()
        if self._number >= len(found):
            raise CameraLost(
                "Camera {camera} is not there ({found} found); "
                "check its ribbon cable at both ends with the power off",
                camera=self._name,
                found=len(found),
            )
        try:
            return self._library(self._number)
        except Exception as fault:
            raise _not_opened(self._name, fault) from fault

    def _shut(self, device: Any) -> None:
        """Let go of the device; a hanging driver must not hang the station with it."""
        letting_go = threading.Thread(target=_let_go, args=(device,), daemon=True)
        letting_go.start()
        letting_go.join(self._shut_s)
        if letting_go.is_alive():
            raise CameraStuck(
                "Camera {camera} hangs and cannot be closed; restart the station",
                camera=self._name,
            )


def _library() -> Any:
    try:
        return importlib.import_module("picamera2").Picamera2
    except ImportError as fault:
        raise CameraError(
            "camera: picamera2 is not installed; run `sudo apt install python3-picamera2` "
            "and make the environment with --system-site-packages"
        ) from fault


def _configuration(device: Any, has_lens: bool) -> Any:
    """Two pictures of each moment. The library's "RGB888" is blue first in memory: BGR.

    Its usual colour space for video would squeeze the small picture's greys into 16 to 235.
    """
    frame_us = round(1e6 / FPS)
    return device.create_video_configuration(
        main={"size": SIZE, "format": "RGB888"},
        lores={"size": LUMA, "format": "YUV420"},
        colour_space=importlib.import_module("libcamera").ColorSpace.Sycc(),
        controls={"FrameDurationLimits": (frame_us, frame_us), **auto(has_lens)},
        buffer_count=4,
    )


def _bgr(request: Any) -> Image:
    """The picture, (H, W, 3). Copied: the request's memory is the camera's again on release."""
    return np.array(request.make_array("main")[:, :, :3], np.uint8, order="C")


def _luma(request: Any) -> Image:
    """The grey part of the small YUV420 picture, without its row padding, copied."""
    width, height = LUMA
    return np.array(request.make_array("lores")[:height, :width], np.uint8, order="C")


def _alike(frame: Frame, camera: str) -> bool:
    """Whether both pictures have the same greys; else the small one is of no use."""
    if frame.luma is None:
        return False
    large = frame.bgr[::8, ::8] @ BGR_TO_GREY
    greys = (5, 50, 95)
    off = np.abs(np.percentile(large, greys) - np.percentile(frame.luma[::4, ::4], greys)).max()
    if off > LUMA_OFF:
        log.warning("%s: its small picture is off by %.0f grey levels; not used", camera, off)
    return bool(off <= LUMA_OFF)


def _not_opened(camera: str, fault: BaseException) -> CameraLost:
    """The library wraps every cause in one sentence; the cause is in its context."""
    causes: list[str] = []
    cause: BaseException | None = fault
    while cause is not None:
        causes.append(str(cause))
        cause = cause.__cause__ or cause.__context__
    if any("busy" in text.lower() or "in use" in text.lower() for text in causes):
        return CameraLost(
            "Camera {camera} is used by another program; "
            "close that one (rpicam-hello, a second station?)",
            camera=camera,
        )
    cause_said = causes[-1] or type(fault).__name__
    return CameraLost("Camera {camera} cannot be opened ({fault})", camera=camera, fault=cause_said)


def _let_go(device: Any) -> None:
    """Waiting jobs first: a stop would wait for the picture that never comes."""
    for step in ("cancel_all_and_flush", "stop", "close"):
        try:
            getattr(device, step)()
        except Exception:
            log.warning("the camera's %s failed", step, exc_info=True)
