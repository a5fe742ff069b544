"""How much of a machine the reader takes: watching, reading, enrolling, decoding."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import cv2
import numpy as np

from vision.patch import Image, Quad
from vision.pipeline import read_burst
from vision.reader import Watcher
from vision.reading import Expect
from vision.recording import from_recording, is_recording
from vision.station import Station, read_image
from vision.symbols import FaceBank

SIZE = (1280, 960)  # width, height: what a station's camera sends
FPS = 30.0
NOISE = 2.0  # grey levels, as a webcam has in good light
PICTURES = 6  # with different noise, shown in turn
JPEG_QUALITY = 90  # as webcams send


@dataclass(frozen=True, slots=True)
class Throw:
    """A recorded throw to be read."""

    picture: Image
    expect: Expect


@dataclass(frozen=True, slots=True)
class Watch:
    """``cpu_percent`` of one core that watching a still tray took for ``seconds``."""

    seconds: float
    cpu_percent: float


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of ``n`` runs; ``cpu`` is the processor's time, whatever else is running."""

    n: int
    median: float
    p95: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Bench:
    """What was measured; what could not be is None. ``bursts`` by the number of dice."""

    size: tuple[int, int]
    fps: float
    frames: int  # of a burst
    watch_empty: Watch
    watch_read: Watch | None
    bursts: dict[int, Timing]
    enrol: Timing | None
    decode: Timing
    live_picture: Timing


def measure(folder: Path, station: Station, seconds: float, throws: int = 4) -> Bench:
    """Measure on ``station``, which was made from ``folder``.

    A folder without recorded throws gives no readings. Raises StationError.
    """
    factor = SIZE[0] / station.tray.frame_size[0], SIZE[1] / station.tray.frame_size[1]
    large = scaled(station, factor)
    known = _throws(folder, throws)
    empty = large.tray.picture
    shown = cv2.imencode(".jpg", empty, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    first = next((group[0] for group in known.values()), None)
    return Bench(
        size=SIZE,
        fps=FPS,
        frames=large.tray.settings.burst,
        watch_empty=_watch(large, [empty], None, seconds),
        watch_read=_watch(large, [empty, _sized(first.picture)], first.expect, seconds)
        if first
        else None,
        bursts={dice: _bursts(large, group, seconds) for dice, group in known.items()},
        enrol=_enrolment(folder, station, seconds),
        decode=_timed(lambda: cv2.imdecode(shown, cv2.IMREAD_COLOR), seconds / 4),
        live_picture=_timed(lambda: cv2.imencode(".jpg", empty), seconds / 4),
    )


def machine() -> dict[str, str | int]:
    """The processor and the libraries that make a difference."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "numpy": np.__version__,
        "opencv": cv2.__version__,
        "opencv_threads": int(cv2.getNumThreads()),
        "load": f"{os.getloadavg()[0]:.1f}",
    }


def scaled(station: Station, factor: tuple[float, float]) -> Station:
    """The station seen by a camera with ``factor`` times as many pixels across and down."""
    tray = station.tray
    width, height = tray.frame_size
    size = (round(width * factor[0]), round(height * factor[1]))

    def there(points: Quad) -> Quad:
        return np.asarray((points + 0.5) * np.array(factor) - 0.5, np.float32)

    edge = None if tray.edge is None else there(tray.edge)
    picture = np.asarray(cv2.resize(tray.picture, size, interpolation=cv2.INTER_CUBIC), np.uint8)
    return replace(
        station, tray=replace(tray, corners=there(tray.corners), edge=edge, picture=picture)
    )


def _throws(folder: Path, most: int) -> dict[int, list[Throw]]:
    """Recorded throws of three and five dice, or of as many as there are."""
    truth = folder / "truth.jsonl"
    if not truth.exists():
        return {}
    lines = [json.loads(line) for line in truth.read_text(encoding="utf-8").splitlines()]
    groups: dict[int, list[Throw]] = {}
    for line in lines:
        dice = sum(line["expect"].values())
        group = groups.setdefault(dice, []) if line["scene"] == "throw" and dice >= 3 else None
        if group is not None and len(group) < most:
            group.append(Throw(read_image(folder / line["image"]), line["expect"]))
    return dict(sorted(groups.items()))


def _sized(picture: Image) -> Image:
    return np.asarray(cv2.resize(picture, SIZE, interpolation=cv2.INTER_CUBIC), np.uint8)


def _noisy(picture: Image, count: int) -> list[Image]:
    noise = np.random.default_rng(1977)
    return [
        np.clip(picture + noise.normal(0, NOISE, picture.shape), 0, 255).astype(np.uint8)
        for _ in range(count)
    ]


def _watch(
    station: Station, scenes: Sequence[Image], expect: Expect | None, seconds: float
) -> Watch:
    """Show the scenes until each is known, then measure the last in real time."""
    watcher = Watcher(station, live=True)
    films = [_noisy(scene, PICTURES) for scene in scenes]
    number = 0
    for film in films:
        for _ in range(round(2 * FPS)):
            watcher.feed(film[number % PICTURES], number / FPS, expect)
            number += 1
    began, cpu = time.perf_counter(), time.process_time()
    for step in range(max(1, round(seconds * FPS))):
        time.sleep(max(0.0, began + step / FPS - time.perf_counter()))
        watcher.feed(films[-1][number % PICTURES], number / FPS, expect)
        number += 1
    wall = max(time.perf_counter() - began, 1 / FPS)
    return Watch(round(wall, 2), round(100 * (time.process_time() - cpu) / wall, 1))


def _bursts(station: Station, throws: Sequence[Throw], seconds: float) -> Timing:
    bursts = [(_noisy(_sized(t.picture), station.tray.settings.burst), t.expect) for t in throws]
    turn = iter(range(10**9))

    def read() -> None:
        frames, expect = bursts[next(turn) % len(bursts)]
        read_burst(frames, station, expect)

    return _timed(read, seconds, least=len(bursts))


def _enrolment(folder: Path, station: Station, seconds: float) -> Timing | None:
    """A whole recording calibrated and enrolled; of other stations the banks are made anew."""
    if is_recording(folder):
        return _timed(lambda: from_recording(folder, per_face=1), 0.0, warm=True)
    held = [
        kind.exemplars for kind in station.dice.kinds.values() if isinstance(kind.bank, FaceBank)
    ]
    return _timed(lambda: [FaceBank.enrol(faces) for faces in held], seconds / 4) if held else None


def _timed(
    work: Callable[[], object], seconds: float, least: int = 1, *, warm: bool = False
) -> Timing:
    """Run ``work`` for some seconds, at least so many times; once more beforehand if not ``warm``.

    It is ``warm`` where the like was done just now, as a station is made to be measured on.
    """
    if not warm:
        work()
    walls: list[float] = []
    began, cpu = time.perf_counter(), time.process_time()
    while len(walls) < least or time.perf_counter() - began < seconds:
        start = time.perf_counter()
        work()
        walls.append(1000 * (time.perf_counter() - start))
    spent = 1000 * (time.process_time() - cpu) / len(walls)
    p95 = float(np.percentile(walls, 95))
    return Timing(len(walls), round(median(walls), 2), round(p95, 2), round(spent, 2))


def _cpu() -> str:
    """The processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    facts = {name.strip(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    return facts.get("model name") or facts.get("Model") or platform.machine()
