"""Films composed from the committed recordings: what a camera would have sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from fixtures.studio import film as composing
from fixtures.studio.film import lit, mixed, shifted, tipped
from tests.recordings import RECORDING
from tests.vision.taught import taught
from vision.reading import TrayEvent, TrayState
from vision.station import Station, read_image

__all__ = ["lit", "mixed", "shifted", "tipped"]

TRUTH = [json.loads(line) for line in (RECORDING / "truth.jsonl").read_text().splitlines()]
EXPECT = {"spike": 3}
RNG = np.random.default_rng(1138)
NOISE = [RNG.normal(0, 2, (864, 1152, 3)).astype(np.int16) for _ in range(3)]


def station() -> Station:
    """The recorded table, enrolled with one picture a face."""
    return taught(RECORDING.name, per_face=1)


def picture(name: str) -> np.ndarray:
    return read_image(RECORDING / name)


def clip(name: str) -> list[np.ndarray]:
    return [picture(t["image"]) for t in TRUTH if t["image"].startswith(f"clips/{name}/")]


EMPTY = picture("empty/000.jpg")
THROWS = [t for t in TRUTH if t["scene"] == "throw" and t["expect"] == EXPECT]


def throw(number: int) -> tuple[np.ndarray, list[dict]]:
    """A throw of three dice, its dice apart, and the truth about them."""
    line = THROWS[number]
    return picture(line["image"]), line["dice"]


def faces(line_dice: list[dict]) -> list[str]:
    return sorted(die["face"] for die in line_dice)


def region(die: dict, grow: float = composing.SHADOW) -> np.ndarray:
    return composing.region(die, EMPTY.shape, grow)


def without(seen: np.ndarray, die: dict, leaving: Sequence[dict] = ()) -> np.ndarray:
    return composing.without(seen, die, EMPTY, leaving)


def nudged(seen: np.ndarray, die: dict, right: float, down: float) -> np.ndarray:
    return composing.nudged(seen, die, right, down, EMPTY)


def noisy(seen: np.ndarray, number: int) -> np.ndarray:
    return cv2.add(seen, NOISE[number % len(NOISE)], dtype=cv2.CV_8U)


class Projector:
    """Feeds a watcher at a rate, keeps time, and remembers what it said."""

    def __init__(self, watcher, fps: float = 15.0, expect: dict | None = None) -> None:
        self.watcher = watcher
        self.fps = fps
        self.expect = expect or EXPECT
        self.t = 0.0
        self.shown = 0
        self.events: list[TrayEvent] = []

    def show(self, *scenes: tuple[np.ndarray, float]) -> list[TrayEvent]:
        """Show pictures for some seconds each, with noise; what was said meanwhile."""
        first = len(self.events)
        for seen, seconds in scenes:
            for _ in range(round(seconds * self.fps)):
                self.frame(noisy(seen, self.shown))
        return self.events[first:]

    def frame(self, seen: np.ndarray, after: float | None = None) -> None:
        self.events += self.watcher.feed(seen, self.t, self.expect)
        self.shown += 1
        self.t += 1 / self.fps if after is None else after

    @property
    def rolls(self) -> list[TrayEvent]:
        return [e for e in self.events if e.state is TrayState.READ and e.reading is not None]


def states(events: list[TrayEvent]) -> list[TrayState]:
    return [event.state for event in events]


def resampled(frames: list[np.ndarray], fps: float) -> Iterator[np.ndarray]:
    """A clip of 15 frames a second as a camera of another rate would have sent it."""
    for number, frame in enumerate(composing.resampled(frames, fps)):
        yield noisy(frame, number)
