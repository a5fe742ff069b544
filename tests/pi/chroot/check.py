"""Runs in the chroot: the production camera class on the real picamera2 and libcamera.

libcamera's virtual camera plays a recorded throw. It has one NV12 stream and no controls;
`Tray` adapts just that, and everything else is the library's own: opening, requests,
jobs that time out, cancelling, closing, opening anew.
"""

from __future__ import annotations

import itertools
import mmap
import sys
import time
from pathlib import Path
from unittest.mock import MagicMock

sys.modules["kms"] = sys.modules["pykms"] = MagicMock()  # screens; imported unasked

import cv2  # noqa: E402
import libcamera  # noqa: E402
import numpy as np  # noqa: E402
import picamera2  # noqa: E402
from picamera2.allocators import LibcameraAllocator  # noqa: E402
from picamera2.allocators.allocator import Sync  # noqa: E402

WIDTH, HEIGHT = 1152, 864
FPS = 15.0
STATION = Path("/opt/station")
HELD = {"ExposureTime": 10_000, "AnalogueGain": 2.0, "ColourGains": (1.5, 2.0)}


class MappedSync(Sync):
    """Maps a request's memory; the library's own needs a real dma-buf."""

    def __init__(self, allocator, fb, write):
        self.fb, self.memory = fb, None

    def __enter__(self):
        length = sum(plane.length for plane in self.fb.planes)
        self.memory = mmap.mmap(self.fb.planes[0].fd, length, mmap.MAP_SHARED)
        return self.memory

    def __exit__(self, *_):
        if self.memory is not None:
            self.memory.close()


class Request:
    """A real request whose one NV12 picture is shown as the streams a Pi would give."""

    keep = False  # keep every buffer: the camera starves and sends nothing any more

    def __init__(self, real):
        self.real = real

    def make_array(self, name):
        nv12 = self.real.make_array("main").reshape(HEIGHT * 3 // 2, WIDTH)
        luma = nv12[:HEIGHT]
        if name == "lores":
            small = cv2.resize(luma, LUMA, interpolation=cv2.INTER_AREA)
            return np.vstack([small, small[: len(small) // 2]])
        chroma = nv12[HEIGHT:].reshape(HEIGHT // 2, WIDTH // 2, 2)
        blue, red = (cv2.resize(chroma[..., n], (WIDTH, HEIGHT)) for n in (0, 1))
        return cv2.cvtColor(cv2.merge([luma, red, blue]), cv2.COLOR_YCrCb2BGR)

    def get_metadata(self):
        return {**self.real.get_metadata(), **HELD}

    def release(self):
        if not Request.keep:
            self.real.release()


class Job:
    def __init__(self, real):
        self.real = real

    def get_result(self, timeout=None):
        return Request(self.real.get_result(timeout=timeout))


class Tray(picamera2.Picamera2):
    """The virtual camera as picamera2's class."""

    def __init__(self, number=0):
        allocator = LibcameraAllocator(None)
        allocator.sync = MappedSync
        super().__init__(number, allocator=allocator)
        allocator.camera = self.camera

    def _get_raw_modes(self):
        wanted = [libcamera.StreamRole.VideoRecording]
        formats = self.camera.generate_configuration(wanted).at(0).formats
        sizes = [(f, s) for f in formats.pixel_formats for s in formats.sizes(f)]
        return [{"format": str(f), "size": (s.width, s.height)} for f, s in sizes]

    def create_video_configuration(self, main=None, lores=None, controls=None, **more):
        if main is None:  # the library's own call while opening
            return super().create_video_configuration(**more)
        main = {"size": (WIDTH, HEIGHT), "format": "NV12"}
        return super().create_video_configuration(main=main, **more)

    def set_controls(self, controls):
        pass

    def capture_request(self, wait=None, **more):
        return Job(super().capture_request(wait=wait, **more))


picamera2.Picamera2 = Tray

from hardware.camera import CameraLost, open_camera  # noqa: E402
from hardware.picamera import LUMA, PiCamera  # noqa: E402
from vision.reader import Watcher  # noqa: E402
from vision.reading import TrayState  # noqa: E402
from vision.recording import from_recording  # noqa: E402


def opens_closes_and_opens_anew():
    numbers = []
    camera = open_camera("picamera2", lambda: None)
    for _ in range(3):
        running = camera.frames()
        frames = list(itertools.islice(running, 30))
        running.close()
        numbers += [frame.seq for frame in frames]
        assert all(frame.bgr.shape == (HEIGHT, WIDTH, 3) for frame in frames)
        assert frames[0].luma.shape == LUMA[::-1]
    assert numbers == sorted(set(numbers))


def shows_the_recorded_picture():
    film = [cv2.imread(str(path)) for path in sorted(Path("/opt/film").glob("*.jpg"))]
    frame = next(PiCamera().frames()).bgr.astype(int)
    best = min(float(np.abs(frame - picture).mean()) for picture in film)
    assert best < 3.0, best  # colours halved in size by NV12; blue and red exchanged give more


def lost(frames):
    """What is said when the frames end; empty when they do not within a hundred."""
    try:
        list(itertools.islice(frames, 100))
    except CameraLost as fault:
        return str(fault)
    return ""


def hangs_are_noticed_and_survived():
    camera = PiCamera(hang_s=1.0)
    running = camera.frames()
    next(running)
    Request.keep = True
    began = time.monotonic()
    assert "sent no picture" in lost(running)
    assert time.monotonic() - began < 30
    Request.keep = False
    next(camera.frames())


def a_camera_in_use_or_missing_is_said():
    running = PiCamera().frames()
    next(running)
    assert "is used by another program" in lost(PiCamera().frames())
    assert "is not there" in lost(PiCamera(7).frames())
    running.close()


def a_throw_is_read_once():
    watcher = Watcher(from_recording(STATION))
    readings = []
    for frame in itertools.islice(PiCamera().frames(), 400):
        t = frame.seq / FPS  # the virtual camera does not keep time
        events = watcher.feed(frame.bgr, t, {"spike": 3}, frame.luma)
        readings += [event for event in events if event.state is TrayState.READ and event.reading]
        if readings:
            break
    (event,) = readings
    print("   ", event.reading.verdict, event.reading.faces("spike"))
    assert sorted(map(str, event.reading.faces("spike"))) == sorted(sys.argv[1].split(","))


for check in (
    opens_closes_and_opens_anew,
    shows_the_recorded_picture,
    hangs_are_noticed_and_survived,
    a_camera_in_use_or_missing_is_said,
    a_throw_is_read_once,
):
    print(check.__name__.replace("_", " "), flush=True)
    check()
print("all well")
