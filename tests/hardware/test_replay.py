"""The recorded camera: which throw lies in the tray, and for how long."""

import itertools
import json

import cv2
import numpy as np
import pytest

from hardware.camera import CameraError, open_camera
from hardware.replay import ReplayCamera

EMPTY, FIRST, SECOND = 0, 100, 200  # how bright each picture is


@pytest.fixture
def recording(tmp_path):
    """An empty tray and two throws of a single die."""
    (tmp_path / "empty").mkdir()
    for name, grey in (("empty/0.jpg", EMPTY), ("first.jpg", FIRST), ("second.jpg", SECOND)):
        cv2.imwrite(str(tmp_path / name), np.full((16, 16, 3), grey, np.uint8))
    truth = [
        {"image": f"{name}.jpg", "scene": "throw", "expect": {"spike": 1}}
        for name in ("first", "second")
    ]
    (tmp_path / "truth.jsonl").write_text("\n".join(map(json.dumps, truth)))
    return tmp_path


class Table:
    """What the camera is told, and what is seen through it."""

    def __init__(self, recording):
        self.expected = {"spike": 1}
        self.throws = 0
        self.camera = ReplayCamera(
            recording, lambda: self.expected, lambda: self.throws, hold_s=0.2, sleep=lambda _: None
        )
        self.frames = self.camera.frames()

    def until(self, grey: int) -> int:
        """Frames until the tray looks like ``grey``."""
        seen = (int(frame.bgr.mean()) for frame in itertools.islice(self.frames, 60))
        return next(n for n, mean in enumerate(seen, 1) if abs(mean - grey) < 10)


def test_a_throw_lies_until_it_is_done_though_the_next_is_due_at_once(recording):
    """As in Point Five and Sika, where the table waits for dice all the time."""
    table = Table(recording)
    table.until(FIRST)
    lying = [round(frame.bgr.mean(), -1) for frame in itertools.islice(table.frames, 50)]
    assert set(lying) == {FIRST}
    table.throws += 1
    assert table.until(EMPTY) <= 5  # held for a moment, then cleared
    assert table.until(SECOND) <= 9


def test_a_throw_lies_until_nothing_is_due_any_more(recording):
    table = Table(recording)
    table.until(FIRST)
    table.expected = None
    assert table.until(EMPTY) <= 5
    with pytest.raises(StopIteration):
        table.until(SECOND)


def test_a_recording_without_throws_is_refused(recording):
    (recording / "truth.jsonl").write_text("")
    with pytest.raises(CameraError, match="no empty tray and throws"):
        open_camera(f"replay:{recording}", lambda: None)
