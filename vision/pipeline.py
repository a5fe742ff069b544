"""One frame to one reading, and several still frames to one verdict."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import median_low

import cv2
import numpy as np

from vision.faces import read_face
from vision.finding import scene
from vision.noise import quiet
from vision.patch import Image, cut, glare
from vision.reading import DieReading, Expect, Reading, Reason, Verdict
from vision.seen import Found
from vision.station import Station, StationError

REFUSING = frozenset(
    {Reason.HAND, Reason.FOREIGN, Reason.DARK, Reason.MOVED, Reason.EDGE, Reason.NO_DICE}
    | {Reason.TOO_FEW, Reason.TOO_MANY}
)
_UNREAD = frozenset({Reason.UNKNOWN_FACE, Reason.AMBIGUOUS, Reason.DISAGREE, Reason.COLOUR_UNSURE})


def read_frame(frame: Image, station: Station, expect: Expect | None = None) -> Reading:
    """Read a settled tray. ``frame`` is BGR uint8 of the station's camera."""
    return read_burst([frame], station, expect)


def read_burst(frames: Sequence[Image], station: Station, expect: Expect | None = None) -> Reading:
    """Find the dice in the middle frame, read them in every frame, and let the frames vote.

    Raises StationError when the frames are not of the size the station was calibrated at.
    """
    start = time.perf_counter()
    middle = frames[len(frames) // 2]
    check_size(middle, station)
    others = [frame for frame in frames if frame is not middle]
    if station.tray.is_noisy(middle):
        station, middle, others = station.quiet, quiet(middle), [quiet(frame) for frame in others]
    found, reasons = scene(middle, station, counted=expect is not None)
    voted = (_voted(item, middle, others, station) for item in found)
    dice = tuple(_dazzling(die, middle, station) for die in voted)
    reasons |= _miscounted(dice, expect)
    if _blurred(found, middle, station):
        reasons.add(Reason.BLURRED)
    reasons |= {reason for die in dice for reason in die.reasons}
    ms = (time.perf_counter() - start) * 1000
    return Reading(verdict_of(reasons), dice, tuple(sorted(reasons)), ms, dict(expect or {}))


def check_size(frame: Image, station: Station) -> None:
    """Raises StationError when the frame is not of the size the station was calibrated at."""
    height, width = frame.shape[:2]
    if (width, height) != station.tray.frame_size:
        across, down = station.tray.frame_size
        raise StationError(
            "the picture has {width}x{height} pixels, the station was calibrated at "
            "{across}x{down}; set the camera back or calibrate again",
            width=width,
            height=height,
            across=across,
            down=down,
        )


def verdict_of(reasons: Iterable[Reason]) -> Verdict:
    """Accept only without any doubt; refuse what no confirmation can mend."""
    said = set(reasons)
    if said & REFUSING:
        return Verdict.REFUSE
    return Verdict.ASK if said else Verdict.ACCEPT


def doubted(reading: Reading, reason: Reason) -> Reading:
    """The reading with one reason more."""
    reasons = {*reading.reasons, reason}
    return replace(reading, verdict=verdict_of(reasons), reasons=tuple(sorted(reasons)))


def _voted(item: Found, middle: Image, frames: Sequence[Image], station: Station) -> DieReading:
    """The die in the other frames: one dissent and it is unstable.

    A frame that shows the same picture is no new witness; only one that differs is read.
    """
    if item.die.face is None:
        return item.die
    quad = np.array(item.die.quad, np.float32)
    patch = cut(middle, quad)
    fresh = [other for other in (cut(frame, quad) for frame in frames) if not _same(patch, other)]
    others = [read_face(other, item.die.kind, station).die for other in fresh]
    reasons = set(item.die.reasons).union(*(other.reasons for other in others))
    if any(other.face != item.die.face for other in others):
        reasons.add(Reason.UNSTABLE)
    sure = min([item.die.confidence, *(other.confidence for other in others)])
    return replace(item.die, confidence=sure, reasons=tuple(sorted(reasons)))


def _blurred(found: Iterable[Found], frame: Image, station: Station) -> bool:
    """Whether prints are much softer than enrolled: the picture is out of focus, or shaken.

    Most of them: one may be worn, or was enrolled beside a shadow's edge. Alone it takes more.
    """
    kinds, settings = station.dice.kinds, station.tray.settings
    blurs = [
        kinds[item.die.kind].blur(cut(frame, np.array(item.die.quad)), item.die.face, item.pose)
        for item in found
        if item.die.face is not None and item.pose is not None
    ]
    limit = settings.blurred if len(blurs) > 1 else settings.blurred_alone
    return bool(blurs) and median_low(blurs) > limit


def _dazzling(die: DieReading, frame: Image, station: Station) -> DieReading:
    """The die as read; where it is in doubt what it shows and glare may be why, that is said.

    Glare on a face that is in no doubt hid none of its print: bodies alone may be white, too.
    """
    if _UNREAD.isdisjoint(die.reasons):
        return die
    if glare(cut(frame, np.array(die.quad, np.float32))) <= station.tray.settings.glare:
        return die
    return die.doubted(Reason.GLARE)


def _same(one: Image, other: Image) -> bool:
    """Whether two patches differ by no more than noise."""
    gap = cv2.absdiff(cv2.blur(one, (5, 5)), cv2.blur(other, (5, 5)))
    return int(gap.max()) <= 12


def _miscounted(dice: Sequence[DieReading], expect: Expect | None) -> set[Reason]:
    if expect is None:
        return set()
    reasons = set()
    for kind in {*expect, *(die.kind for die in dice)}:
        more = sum(die.kind == kind for die in dice) - expect.get(kind, 0)
        if more:
            reasons.add(Reason.TOO_MANY if more > 0 else Reason.TOO_FEW)
    return reasons
