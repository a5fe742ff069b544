"""Films composed from the committed recordings: what a camera would have sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from vision.reading import TrayEvent, TrayState
from vision.recording import from_recording
from vision.station import Station, read_image

SESSION = Path(__file__).parents[2] / "fixtures" / "sessions" / "cantina-felt"
TRUTH = [json.loads(line) for line in (SESSION / "truth.jsonl").read_text().splitlines()]
EXPECT = {"spike": 3}
RNG = np.random.default_rng(1138)
NOISE = [RNG.normal(0, 2, (864, 1152, 3)).astype(np.int16) for _ in range(3)]


@cache
def station() -> Station:
    """The recorded table, enrolled once with one picture a face."""
    return from_recording(SESSION, per_face=1)


def picture(name: str) -> np.ndarray:
    return read_image(SESSION / name)


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


def region(die: dict, grow: float = 2.2) -> np.ndarray:
    """A soft mask (h, w, 1) of a die with its shadow."""
    quad = np.array(die["quad"], np.float32)
    middle = quad.mean(axis=0)
    hull = np.rint((quad - middle) * grow + middle).astype(np.int32)
    mask = np.zeros(EMPTY.shape[:2], np.float32)
    cv2.fillConvexPoly(mask, hull, 1.0)
    return cv2.GaussianBlur(mask, (0, 0), 4)[..., None]


def mixed(under: np.ndarray, over: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.rint(under * (1 - mask) + over * mask).astype(np.uint8)


def without(seen: np.ndarray, die: dict, leaving: list[dict] | None = None) -> np.ndarray:
    """The picture with one die taken away; those it leaves stay whole."""
    taken = region(die)
    for other in leaving or []:
        taken = taken * (1 - region(other, 1.3))
    return mixed(seen, EMPTY, taken)


def nudged(seen: np.ndarray, die: dict, right: float, down: float) -> np.ndarray:
    """The picture with one die pushed along, in pixels."""
    step = np.float32([[1, 0, right], [0, 1, down]])
    size = seen.shape[1::-1]
    pushed, mask = cv2.warpAffine(seen, step, size), cv2.warpAffine(region(die, 1.7), step, size)
    return mixed(without(seen, die), pushed, mask[..., None])


def tipped(seen: np.ndarray, die: dict, like: dict) -> np.ndarray:
    """The picture with one die showing, where it lies, the face of another."""
    there, here = (np.array(d["quad"], np.float32) for d in (like, die))
    copy = cv2.warpPerspective(seen, cv2.getPerspectiveTransform(there, here), seen.shape[1::-1])
    return mixed(seen, copy, region(die, 0.95))


def shifted(seen: np.ndarray, right: float, down: float) -> np.ndarray:
    """The picture as a camera sees it that was pushed."""
    step = np.float32([[1, 0, right], [0, 1, down]])
    return cv2.warpAffine(seen, step, seen.shape[1::-1], borderMode=cv2.BORDER_REFLECT)


def lit(seen: np.ndarray, light: float, right: float | None = None) -> np.ndarray:
    """The picture in another light, from ``light`` at the left to ``right`` at the right."""
    end = light if right is None else right
    ramp = np.linspace(light, end, seen.shape[1], dtype=np.float32)[None, :, None]
    return np.clip(np.rint(seen * ramp), 0, 255).astype(np.uint8)


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
    for number in range(int(len(frames) * fps / 15)):
        yield noisy(frames[int(number * 15 / fps)], number)
