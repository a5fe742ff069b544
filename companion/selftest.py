"""`companion selftest`: looks at this machine's camera, light, box, disk and heat.

Each check measures one thing and says in a sentence what a person can do about it. What
was measured is in the report, so that it can be pasted into an issue.
"""

from __future__ import annotations

import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from companion.auth import Actor, Role
from companion.database import Database, StorageError, file_fault
from companion.games import GAMES
from companion.hub import Hub
from companion.rules.actions import FundBank
from companion.rules.engine import Engine
from companion.table import TableService

Picture = NDArray[np.uint8]
FRAMES = 30
SLOWEST_FPS = 5.0
RESTLESS, UNSTEADY = 0.02, 0.08  # change of the brightness over the pictures, of the brightness
UNEVEN = 0.5  # darkest ninth of the picture, of the brightest
CLIPPED = 0.02  # share of pixels that are white beyond telling
SOFT = 0.6  # sharpness, of the sharpness when the station was calibrated
FLUSHES = 20
PRESS_S = 15.0  # for a person to find the button that is asked for
SLOW_FLUSH_MS, UNBELIEVABLE_MS, SLOW_DECISION_MS = 60.0, 0.02, 100.0
WARM, HOT = 70.0, 80.0  # °C; a Pi slows itself down from 80 on
MEMORY_DISKS = ("tmpfs", "ramfs")
THROTTLED = {0: "too little voltage", 1: "clock capped", 2: "throttled", 3: "heat limit"}


class Outcome(StrEnum):
    """How a check went; only ``FAIL`` fails the test."""

    OK = "ok"
    LOOK = "look"  # works, but a person should look at it
    FAIL = "FAIL"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report."""

    name: str
    outcome: Outcome
    said: str


class Shot(Protocol):
    """A camera's frame, as far as it is looked at here."""

    @property
    def bgr(self) -> Picture:
        """(H, W, 3)."""

    @property
    def t(self) -> float:
        """Seconds."""


def report(checks: Iterable[Check], facts: Mapping[str, str]) -> Iterator[str]:
    """The lines of the report."""
    for name, value in facts.items():
        yield f"{name:10} {value}"
    for check in checks:
        yield f"{check.outcome:5} {check.name:10} {check.said}"


def failed(checks: Iterable[Check]) -> bool:
    """Whether the machine is not fit for a table."""
    return any(check.outcome is Outcome.FAIL for check in checks)


def facts(version: str, root: Path = Path("/")) -> dict[str, str]:
    """What this machine is; nothing that tells whose."""
    model = _text(root / "proc/device-tree/model").rstrip("\0")
    return {
        "companion": version,
        "machine": model or platform.machine(),
        "system": _os_name(root),
        "python": platform.python_version(),
    }


def _os_name(root: Path) -> str:
    lines = _text(root / "etc/os-release").splitlines()
    named = [line.partition("=")[2].strip('"') for line in lines if line.startswith("PRETTY_NAME=")]
    return named[0] if named else platform.system()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


# The camera


@dataclass(frozen=True, slots=True)
class Before:
    """The station as calibrated: how to cut the tray out of a frame, and its empty floor."""

    rectify: Callable[[Picture], Picture]
    empty: Picture


def camera_checks(shots: Sequence[Shot], before: Before | None) -> list[Check]:
    """What some pictures of the empty tray tell."""
    cut = before.rectify if before else lambda picture: picture
    grey = [_grey(cut(shot.bgr)) for shot in shots]
    sharp_before = sharpness(_grey(before.empty)) if before else None
    return [pace(shots), steadiness(grey), focus(grey[-1], sharp_before), light(grey[-1])]


def pace(shots: Sequence[Shot]) -> Check:
    """Pictures a second."""
    height, width = shots[-1].bgr.shape[:2]
    lasted = shots[-1].t - shots[0].t
    fps = (len(shots) - 1) / lasted if lasted > 0 else 0.0
    said = f"{width}×{height}, {fps:.1f} pictures a second"
    if fps < SLOWEST_FPS:
        return Check("camera", Outcome.FAIL, f"{said}; too slow to see a throw end")
    return Check("camera", Outcome.OK, said)


def steadiness(grey: Sequence[NDArray[Any]]) -> Check:
    """Whether exposure is really held: an empty tray must not change its brightness."""
    levels = [float(picture.mean()) for picture in grey]
    change = (max(levels) - min(levels)) / max(median(levels), 1.0)
    said = f"brightness changes by {change:.1%}"
    if change > RESTLESS:
        outcome = Outcome.FAIL if change > UNSTEADY else Outcome.LOOK
        return Check("lock", outcome, f"{said}; exposure is not held, or the light flickers")
    return Check("lock", Outcome.OK, said)


def focus(grey: NDArray[Any], before: float | None) -> Check:
    """Sharpness against that of the day the station was calibrated."""
    now = sharpness(grey)
    if before is None:
        return Check("focus", Outcome.SKIP, f"sharpness {now:.1f}; no station to compare with")
    said = f"sharpness {now:.1f}, {now / max(before, 0.1):.0%} of when it was calibrated"
    if now < SOFT * before:
        return Check("focus", Outcome.FAIL, f"{said}; focus again, or clean the lens")
    return Check("focus", Outcome.OK, said)


def sharpness(grey: NDArray[Any]) -> float:
    """Mean size of the second differences of a grey picture (H, W), in grey levels."""
    g = grey.astype(np.float32)
    bend = 4 * g[1:-1, 1:-1] - g[:-2, 1:-1] - g[2:, 1:-1] - g[1:-1, :-2] - g[1:-1, 2:]
    return float(np.abs(bend).mean())


def light(grey: NDArray[Any]) -> Check:
    """Evenness over ninths of the picture, and glare."""
    bands = [np.array_split(band, 3, axis=1) for band in np.array_split(grey, 3, axis=0)]
    levels = [float(np.median(cell)) for band in bands for cell in band]
    even = min(levels) / max(*levels, 1.0)
    clipped = float((grey >= 254).mean())
    said = f"darkest ninth {even:.0%} of the brightest, {clipped:.1%} glare"
    if clipped > CLIPPED or even < UNEVEN:
        return Check("light", Outcome.LOOK, f"{said}; spread the light or move the lamp")
    return Check("light", Outcome.OK, said)


def _grey(bgr: Picture) -> NDArray[Any]:
    return np.asarray(bgr.mean(axis=2))


# The box


def buttons_check(held: Mapping[str, bool]) -> Check:
    """No button may be down while nobody presses one."""
    down = [name for name, is_down in held.items() if is_down]
    if not held:
        return Check("buttons", Outcome.SKIP, "none in the settings")
    if down:
        said = f"{', '.join(down)} down at rest; check the wire, or what lies on it"
        return Check("buttons", Outcome.FAIL, said)
    return Check("buttons", Outcome.OK, f"{', '.join(held)} at rest")


def presses_check(
    names: Iterable[str],
    heard: Callable[[float], str | None],
    ask: Callable[[str], None] | None,
) -> Check:
    """Ask for every button in turn and watch which one is heard; only a person can press.

    ``heard(seconds)`` gives the next press, or None when there was none for so long.
    """
    named = tuple(names)
    if not named:
        return Check("presses", Outcome.SKIP, "no buttons in the settings")
    if ask is None:
        return Check("presses", Outcome.SKIP, "not asked: run this in a terminal to be asked")
    faults = [fault for name in named if (fault := _pressed(name, heard, ask))]
    if faults:
        return Check("presses", Outcome.FAIL, "; ".join(faults))
    return Check("presses", Outcome.OK, f"{', '.join(named)} heard")


def _pressed(
    name: str, heard: Callable[[float], str | None], ask: Callable[[str], None]
) -> str | None:
    while heard(0.0) is not None:
        pass  # pressed before it was asked for
    ask(f"Press {name} now ({PRESS_S:.0f} s) ...")
    found = heard(PRESS_S)
    if found is None:
        return f"{name} was not heard; check its wire, pin and ground"
    if found != name:
        return f"{found} was heard when {name} was asked for; are two wires exchanged?"
    return None


# The disk


def disk_checks(folder: Path, root: Path = Path("/")) -> list[Check]:
    """Whether what is acknowledged would survive the plug being pulled."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [memory_disk(folder, root), flushing(_flush_times(folder)), latency(folder)]
    except OSError as fault:
        return [Check("disk", Outcome.FAIL, f"{folder}: {file_fault(fault)}")]
    except StorageError as fault:
        return [Check("disk", Outcome.FAIL, f"{folder}: {fault}")]


def memory_disk(folder: Path, root: Path) -> Check:
    """The file system under ``folder``: the longest mount point that leads to it."""
    mounts = [line.split()[1:3] for line in _text(root / "proc/mounts").splitlines()]
    real = folder.resolve()
    over = [(point, kind) for point, kind in mounts if real.is_relative_to(point)]
    point, kind = max(over, key=lambda found: len(found[0]), default=("/", "unknown"))
    if kind in MEMORY_DISKS:
        said = f"{folder} is in memory ({kind} on {point}); everything is lost at power-off"
        return Check("disk", Outcome.FAIL, said)
    return Check("disk", Outcome.OK, f"{kind} on {point}")


def flushing(times_ms: Sequence[float]) -> Check:
    """Whether a flush takes the time that a real one takes."""
    usual, slowest = median(times_ms), max(times_ms)
    said = f"{usual:.2f} ms usually, {slowest:.0f} ms at most"
    if usual < UNBELIEVABLE_MS:
        return Check("flush", Outcome.LOOK, f"{said}; too fast to be true: a disk that lies?")
    if usual > SLOW_FLUSH_MS:
        return Check("flush", Outcome.LOOK, f"{said}; slow: every bet waits for it")
    return Check("flush", Outcome.OK, said)


def latency(folder: Path) -> Check:
    """From a decision to its being kept on disk, over a table of its own that is thrown away."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".selftest-") as scratch:
        database = Database.in_folder(Path(scratch))
        service = TableService(database, Engine(GAMES), Hub())
        times = [_submit_ms(service) for _ in range(FLUSHES)]
        database.close()
    said = f"a decision is kept after {median(times):.1f} ms, {max(times):.0f} ms at most"
    slow = median(times) > SLOW_DECISION_MS
    return Check("latency", Outcome.LOOK if slow else Outcome.OK, said)


def _submit_ms(service: TableService) -> float:
    began = time.perf_counter()
    service.submit(FundBank(1), Actor(Role.DEALER, None, "selftest"))
    return 1000 * (time.perf_counter() - began)


def _flush_times(folder: Path, clock: Callable[[], float] = time.perf_counter) -> list[float]:
    file = folder / ".selftest"
    times = []
    try:
        with file.open("wb") as written:
            for _ in range(FLUSHES):
                began = clock()
                written.write(os.urandom(4096))
                written.flush()
                os.fsync(written.fileno())
                times.append(1000 * (clock() - began))
    finally:
        file.unlink(missing_ok=True)
    return times


# Heat and power


def heat(root: Path = Path("/")) -> Check:
    """The processor's temperature."""
    text = _text(root / "sys/class/thermal/thermal_zone0/temp")
    if not text.isdigit():
        return Check("heat", Outcome.SKIP, "this machine does not tell its temperature")
    degrees = int(text) / 1000
    said = f"{degrees:.0f} °C"
    if degrees >= HOT:
        return Check("heat", Outcome.FAIL, f"{said}; it slows down: add a heat sink or a fan")
    outcome = Outcome.LOOK if degrees >= WARM else Outcome.OK
    return Check("heat", outcome, said)


def power(root: Path = Path("/")) -> Check:
    """What the Pi's firmware says of its supply: now (low bits) and since the start (bit 16 on)."""
    text = _text(root / "sys/devices/platform/soc/soc:firmware/get_throttled")
    try:
        bits = int(text, 16)
    except ValueError:
        return Check("power", Outcome.SKIP, "this machine does not tell")
    now = [word for bit, word in THROTTLED.items() if bits >> bit & 1]
    earlier = [word for bit, word in THROTTLED.items() if bits >> (bit + 16) & 1]
    if now:
        return Check("power", Outcome.FAIL, f"{', '.join(now)} now; use the Pi's own supply")
    if earlier:
        return Check("power", Outcome.LOOK, f"{', '.join(earlier)} since the start")
    return Check("power", Outcome.OK, "no complaints since the start")
