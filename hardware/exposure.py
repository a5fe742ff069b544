"""Holding a Pi camera's picture still: let it settle, lock what it found, check that it stays.

Works on the metadata that comes with every picture, as plain numbers: ``ExposureTime`` in
microseconds, ``AnalogueGain``, ``ColourGains`` (red, blue), ``LensPosition`` in dioptres.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Metadata = Mapping[str, Any]
Controls = dict[str, Any]
AF_MANUAL, AF_CONTINUOUS = 0, 2  # libcamera's AfMode
LENS = "LensPosition"


class Phase(StrEnum):
    """Where the lock stands."""

    SETTLING = "settling"  # the camera's automatisms are at work
    CHECKING = "checking"  # told to hold; the pictures on their way were begun before that
    HELD = "held"


class CannotHold(Exception):  # noqa: N818 - an answer
    """The camera goes on changing its picture; the message names what."""


@dataclass(frozen=True, slots=True)
class LockSettings:
    """How long to wait and how exact to be."""

    steady: int = 8  # pictures in a row that must agree before the lock
    patience: int = 90  # pictures to settle in at most; then what there is, is locked
    delay: int = 12  # pictures until a control must have taken effect
    misses: int = 3  # pictures in a row off the lock that count as drift
    relocks: int = 5  # in a row, without `calm` pictures between, before giving up
    calm: int = 150
    # Sensors step exposure by their line time and gain by register steps: never exact.
    exposure_us: float = 150.0
    relative: float = 0.05
    colour: float = 0.04
    lens: float = 0.1


def auto(has_lens: bool) -> Controls:
    """The controls that let the camera find its own picture."""
    focus = {"AfMode": AF_CONTINUOUS} if has_lens else {}
    return {"AeEnable": True, "AwbEnable": True, **focus}


def held(found: Metadata, has_lens: bool) -> Controls:
    """The controls that keep what ``found`` says. Raises CannotHold when it says too little."""
    try:
        wanted: Controls = {
            "AeEnable": False,
            "AwbEnable": False,
            "ExposureTime": int(found["ExposureTime"]),
            "AnalogueGain": float(found["AnalogueGain"]),
            "ColourGains": tuple(float(gain) for gain in found["ColourGains"]),
        }
    except (KeyError, TypeError) as fault:
        raise CannotHold(f"the pictures come without {fault}") from fault
    if has_lens and found.get(LENS) is not None:
        wanted |= {"AfMode": AF_MANUAL, LENS: float(found[LENS])}
    return wanted


def differing(wanted: Metadata, found: Metadata, settings: LockSettings) -> tuple[str, ...]:
    """The names of what ``found`` does not show as ``wanted``; missing counts as differing."""
    return tuple(
        name
        for name in ("ExposureTime", "AnalogueGain", "ColourGains", LENS)
        if name in wanted and not _near(name, wanted[name], found.get(name), settings)
    )


def _near(name: str, wanted: Any, found: Any, settings: LockSettings) -> bool:
    pairs = _pairs(_numbers(wanted), _numbers(found))
    return all(abs(was - now) <= _tolerated(name, was, settings) for was, now in pairs)


def _tolerated(name: str, value: float, settings: LockSettings) -> float:
    match name:
        case "ExposureTime":
            return settings.exposure_us + settings.relative * value
        case "AnalogueGain":
            return settings.relative * value
        case "ColourGains":
            return settings.colour * value
        case _:
            return settings.lens


def _numbers(value: Any) -> Sequence[float]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _pairs(wanted: Sequence[float], found: Sequence[Any]) -> list[tuple[float, float]]:
    """Values side by side; what is missing is nowhere near."""
    if len(found) != len(wanted) or None in found:
        return [(value, float("inf")) for value in wanted]
    return list(zip(wanted, found, strict=True))


class ExposureLock:
    """Feed it the metadata of every picture; it gives the controls to set, if any."""

    def __init__(self, has_lens: bool, settings: LockSettings | None = None) -> None:
        self.phase = Phase.SETTLING
        self.relocks = 0  # since the camera was opened
        self.drift: tuple[str, ...] = ()  # what differed at the last relock
        self._settings = settings or LockSettings()
        self._has_lens = has_lens
        self._seen: deque[Metadata] = deque(maxlen=self._settings.steady)
        self._count = 0  # pictures in this phase
        self._wanted: Controls = {}
        self._off = 0  # pictures in a row off the lock
        self._strikes = 0  # relocks without calm between

    @property
    def good(self) -> bool:
        """Whether the picture just fed shows the lock, so that it may be read."""
        return self.phase is Phase.HELD and self._off == 0

    def feed(self, metadata: Metadata) -> Controls | None:
        """Take the metadata of one picture. Raises CannotHold after too many relocks."""
        self._count += 1
        match self.phase:
            case Phase.SETTLING:
                return self._settling(metadata)
            case Phase.CHECKING:
                return self._checking(metadata)
            case Phase.HELD:
                return self._holding(metadata)

    def _settling(self, metadata: Metadata) -> Controls | None:
        self._seen.append(metadata)
        if self._count < self._settings.patience and not self._steady():
            return None
        self._wanted = held(metadata, self._has_lens)
        self._enter(Phase.CHECKING)
        return dict(self._wanted)

    def _steady(self) -> bool:
        if len(self._seen) < self._settings.steady:
            return False
        try:
            first = held(self._seen[0], self._has_lens)
        except CannotHold:
            return False
        return not any(differing(first, seen, self._settings) for seen in self._seen)

    def _checking(self, metadata: Metadata) -> Controls | None:
        if self._count < self._settings.delay:
            return None  # it may still be the automatism that happens to show these values
        off = differing(self._wanted, metadata, self._settings)
        if off:
            return self._again(off)
        self._enter(Phase.HELD)
        return None

    def _holding(self, metadata: Metadata) -> Controls | None:
        off = differing(self._wanted, metadata, self._settings)
        self._off = self._off + 1 if off else 0
        if self._count >= self._settings.calm:
            self._strikes = 0
        return self._again(off) if self._off >= self._settings.misses else None

    def _again(self, off: tuple[str, ...]) -> Controls:
        self.relocks += 1
        self._strikes += 1
        self.drift = off
        if self._strikes > self._settings.relocks:
            raise CannotHold(f"it does not keep {', '.join(off)}")
        self._enter(Phase.CHECKING)
        return dict(self._wanted)

    def _enter(self, phase: Phase) -> None:
        self.phase = phase
        self._count = self._off = 0
