"""Stands in for picamera2: the parts of its API that the back-end uses, with its habits.

Requests come from a small pool and their memory is used again after release; controls
take effect some pictures later; "RGB888" is blue first; rows may be padded; opening a
busy camera fails with a sentence that hides the cause; a hanging camera never answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

LAG = 3  # pictures until a control shows
POOL = 4
BLUE, GREEN, RED = 200, 100, 50


@dataclass
class Hardware:
    """The camera in front of the library: what a test can do to it."""

    cameras: int = 1
    lens: bool = True
    busy: bool = False
    hang_at: int | None = None  # from this picture on, none comes
    stuck: threading.Event | None = None  # close() waits for it
    exposure: float = 20_000.0  # what auto exposure is heading for
    settling: float = 0.5  # share of the way left after each picture
    grey: int = 97  # of the small picture; the large one has 96.5
    silent: tuple[str, ...] = ()  # metadata the camera does not send
    sent: int = 0
    opened: int = 0
    closed: int = 0
    given: list[dict] = field(default_factory=list)  # set_controls calls
    configuration: dict = field(default_factory=dict)
    out: list[FakeRequest] = field(default_factory=list)
    knocked: dict = field(default_factory=dict)  # shown instead, until controls are set again
    wander: Callable[[int], dict] = lambda picture: {}  # shown instead, whatever is set

    def module(self) -> SimpleNamespace:
        """What ``import picamera2`` finds."""
        hardware = self

        class Picamera2(FakePicamera2):
            def __init__(self, camera_num=0):
                super().__init__(hardware, camera_num)

            @staticmethod
            def global_camera_info():
                return [{"Num": n, "Model": "imx708"} for n in range(hardware.cameras)]

        return SimpleNamespace(Picamera2=Picamera2)


class FakeRequest:
    """One moment: its pictures live in the pool's memory."""

    def __init__(self, hardware: Hardware, metadata: dict, memory: np.ndarray):
        self.hardware, self.metadata, self.memory = hardware, metadata, memory
        self.released = False

    def make_array(self, name):
        assert not self.released
        stream = self.hardware.configuration[name]
        width, height = stream["size"]
        if stream["format"] == "RGB888":
            return self.memory[: height * width * 3].reshape(height, width, 3)
        assert stream["format"] == "YUV420"
        return np.full((height * 3 // 2, width + 64), self.hardware.grey, np.uint8)

    def get_metadata(self):
        assert not self.released
        return dict(self.metadata)

    def release(self):
        assert not self.released
        self.released = True
        self.memory[:] = 0  # the camera writes the next picture here
        self.hardware.out.remove(self)


class FakeJob:
    def __init__(self, take):
        self.take = take

    def get_result(self, timeout=None):
        request = self.take()
        if request is None:
            assert timeout is not None, "this would wait for ever"
            raise TimeoutError
        return request


class FakePicamera2:
    def __init__(self, hardware: Hardware, number: int):
        assert number < hardware.cameras
        try:
            if hardware.busy:
                raise RuntimeError("Failed to acquire camera: Device or resource busy")
        except RuntimeError:
            raise RuntimeError("Camera __init__ sequence did not complete.")  # noqa: B904
        self.hardware = hardware
        self.state = {"ExposureTime": 1000.0, "AnalogueGain": 4.0, "ColourGains": (1.5, 2.0)}
        self.modes = {}
        self.pending = []  # (picture from which it holds, controls)
        self.running = False
        hardware.opened += 1
        if hardware.lens:
            self.state["LensPosition"] = 3.0

    @property
    def camera_controls(self):
        known = {"ExposureTime": (1, 10**6, 20000), "AeEnable": (False, True, True)}
        return known | ({"LensPosition": (0.0, 15.0, 1.0)} if self.hardware.lens else {})

    def create_video_configuration(self, main, lores, controls, buffer_count, colour_space):
        assert buffer_count == POOL
        assert colour_space == "full range"
        return {"main": main, "lores": lores, "controls": controls}

    def configure(self, configuration):
        self.hardware.configuration = configuration
        self.set_controls(configuration["controls"], note=False)

    def start(self):
        self.running = True

    def set_controls(self, controls, note=True):
        assert self.hardware.lens or not {"LensPosition", "AfMode"} & set(controls)
        if note:
            self.hardware.given.append(dict(controls))
        self.pending.append((self.hardware.sent + LAG, dict(controls)))

    def capture_request(self, wait=True):
        assert wait is False
        return FakeJob(self._take)

    def _take(self):
        hardware = self.hardware
        if hardware.hang_at is not None and hardware.sent >= hardware.hang_at:
            return None
        assert self.running
        assert len(hardware.out) < POOL, "requests are not given back"
        hardware.sent += 1
        self._step()
        shown = {**self.state, **hardware.knocked, **hardware.wander(hardware.sent)}
        metadata = {name: v for name, v in shown.items() if name not in hardware.silent}
        width, height = hardware.configuration["main"]["size"]
        memory = np.tile(np.array([BLUE, GREEN, RED], np.uint8), width * height)
        request = FakeRequest(hardware, metadata, memory)
        hardware.out.append(request)
        return request

    def _step(self):
        due = [controls for at, controls in self.pending if at <= self.hardware.sent]
        self.pending = [item for item in self.pending if item[0] > self.hardware.sent]
        for controls in due:
            self.modes.update(controls)
            self.hardware.knocked = {}
            self.state.update({k: v for k, v in controls.items() if k in self.state})
        if self.modes.get("AeEnable", True):
            left = self.hardware.exposure - self.state["ExposureTime"]
            self.state["ExposureTime"] += left * (1 - self.hardware.settling)

    def cancel_all_and_flush(self):
        pass

    def stop(self):
        self.running = False

    def close(self):
        if self.hardware.stuck is not None:
            self.hardware.stuck.wait(30)
        self.hardware.closed += 1
