"""A recorded station as a camera."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hardware.frames import FPS, CameraError, Frame, Image


@dataclass(frozen=True, slots=True)
class Throw:
    """A recorded throw: pictures up to rest, and those that clear the tray again."""

    expect: Mapping[str, int]
    thrown: tuple[Path, ...]
    cleared: tuple[Path, ...]


class ReplayCamera:
    """Plays a recorded station: a throw whenever one is due, the empty tray between.

    ``due`` gives the dice that are waited for, or None; ``done`` counts the throws that
    the table has recorded or dropped. A throw stays in the tray until it is done, though
    the next one may be due at once; then it is cleared.
    """

    def __init__(
        self,
        recording: Path,
        due: Callable[[], Mapping[str, int] | None],
        done: Callable[[], int] = lambda: 0,
        *,
        fps: float = FPS,
        hold_s: float = 2.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._empty = sorted((recording / "empty").glob("*.jpg"))
        self._throws = recorded_throws(recording)
        if not self._empty or not self._throws:
            raise CameraError(f"{recording} holds no empty tray and throws to play")
        self._due = due
        self._done = done
        self._fps = fps
        self._hold = round(hold_s * fps)
        self._sleep = sleep
        self._closed = False

    def frames(self) -> Generator[Frame, None, None]:
        """Paced at ``fps``; time counts frames, so a slow machine sees the same film."""
        for seq, path in enumerate(self._film()):
            if self._closed:
                return
            yield Frame(_picture(path), seq / self._fps, seq)
            self._sleep(1 / self._fps)

    def close(self) -> None:
        """Stop after the present frame."""
        self._closed = True

    def _film(self) -> Iterator[Path]:
        resting = itertools.cycle(self._empty)
        reels = {id(throw): throw for throw in self._throws}
        order = itertools.cycle(reels.values())
        while True:
            yield from itertools.islice(resting, 8)
            wanted = self._due()
            throw = self._next(order, wanted) if wanted else None
            if throw is None:
                continue
            before = self._done()
            yield from throw.thrown
            lying = throw.thrown[-1]
            while self._due() is not None and self._done() == before:
                yield lying
            yield from itertools.repeat(lying, self._hold)
            yield from throw.cleared

    def _next(self, order: Iterator[Throw], wanted: Mapping[str, int]) -> Throw | None:
        tried = itertools.islice(order, len(self._throws))
        return next((throw for throw in tried if dict(throw.expect) == dict(wanted)), None)


def recorded_throws(recording: Path) -> tuple[Throw, ...]:
    """The clips of a recorded station, then its still throws. Raises CameraError."""
    try:
        lines = (recording / "truth.jsonl").read_text(encoding="utf-8").splitlines()
        truth = [json.loads(line) for line in lines]
    except (OSError, ValueError) as fault:
        raise CameraError(f"{recording} is no recorded station ({fault})") from fault
    clips: dict[str, list[dict[str, Any]]] = {}
    for line in truth:
        if line["scene"] == "clip":
            clips.setdefault(str(Path(line["image"]).parent), []).append(line)
    moving = [_clip(recording, lines) for lines in clips.values()]
    stills = [
        Throw(line["expect"], (recording / line["image"],), ())
        for line in truth
        if line["scene"] == "throw"
    ]
    return (*moving, *stills)


def _clip(recording: Path, lines: list[dict[str, Any]]) -> Throw:
    paths = tuple(recording / line["image"] for line in lines)
    rest = max(n for n, line in enumerate(lines) if line["state"] == "settled") + 1
    return Throw(lines[rest - 1]["expect"], paths[:rest], paths[rest:])


def _picture(path: Path) -> Image:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise CameraError(f"{path} cannot be read; restore it from the repository")
    return np.asarray(image, np.uint8)
