"""One frame to one reading, and several still frames to one verdict."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.colours import CubeBank
from vision.patch import Image, cut
from vision.reading import DieReading, Expect, Quad, Reading, Reason, Verdict
from vision.segment import Mask, Outlines, Square, candidates, changed, objects
from vision.settings import SceneSettings
from vision.station import Station
from vision.symbols import FaceBank, FaceScores

REFUSING = frozenset(
    {Reason.HAND, Reason.FOREIGN, Reason.DARK, Reason.MOVED, Reason.EDGE, Reason.NO_DICE}
    | {Reason.TOO_FEW, Reason.TOO_MANY}
)


@dataclass(frozen=True)
class Found:
    """A die in the rectified tray: its top face and what it reads."""

    square: Square
    die: DieReading
    fit: float  # how well the face matches, for choosing among candidate squares


def read_frame(frame: Image, station: Station, expect: Expect | None = None) -> Reading:
    """Read a settled tray. ``frame`` is BGR uint8 of the station's camera."""
    return read_burst([frame], station, expect)


def read_burst(frames: Sequence[Image], station: Station, expect: Expect | None = None) -> Reading:
    """Find the dice in the middle frame, read them in every frame, and let the frames vote."""
    start = time.perf_counter()
    middle = frames[len(frames) // 2]
    found, reasons = find_dice(middle, station)
    others = [frame for frame in frames if frame is not middle]
    dice = tuple(_voted(item, others, station) for item in found)
    reasons |= _miscounted(dice, expect)
    reasons |= {reason for die in dice for reason in die.reasons}
    ms = (time.perf_counter() - start) * 1000
    return Reading(verdict_of(reasons), dice, tuple(sorted(reasons)), ms, dict(expect or {}))


def verdict_of(reasons: Iterable[Reason]) -> Verdict:
    """Accept only without any doubt; refuse what no confirmation can mend."""
    said = set(reasons)
    if said & REFUSING:
        return Verdict.REFUSE
    return Verdict.ASK if said else Verdict.ACCEPT


def find_dice(frame: Image, station: Station) -> tuple[list[Found], set[Reason]]:
    """Every die on the tray with its reading, and what is wrong with the scene."""
    tray, settings = station.tray, station.tray.settings
    seen = tray.rectify(frame)
    if seen.mean() < settings.dark * tray.empty.mean():
        return [], {Reason.DARK}
    mask = changed(seen, tray.empty, settings)
    if mask.mean() / 255 > settings.flood:
        return [], {Reason.MOVED}
    side = min(station.sides.values())
    outlines = Outlines(seen, settings)
    found: list[Found] = []
    reasons: set[Reason] = set()
    for thing in objects(mask, settings.least_area * side**2):
        if _is_hand(thing, side, settings.hand_area):
            reasons.add(Reason.HAND)
            continue
        dice, rest = _explained(thing, frame, outlines, station)
        found += dice
        if rest:
            reasons.add(Reason.FOREIGN)
    if any(_off_floor(item.square, station) for item in found):
        reasons.add(Reason.EDGE)
    if not found and not reasons:
        reasons.add(Reason.NO_DICE)
    return sorted(found, key=lambda item: (item.die.kind, item.square.x)), reasons


def _is_hand(thing: Mask, side: float, area: float) -> bool:
    """A hand or sleeve is larger than any throw's clump, or reaches in from outside."""
    border = np.concatenate([thing[0], thing[-1], thing[:, 0], thing[:, -1]])
    return bool(cv2.countNonZero(thing) > area * side**2 or border.mean() / 255 > 0.01)


def _off_floor(square: Square, station: Station) -> bool:
    tray = station.tray
    rim = (tray.settings.rim - 3.0) * tray.settings.scale
    height, width = tray.empty.shape[:2]
    return not (rim < square.x < width - rim and rim < square.y < height - rim)


def _explained(
    thing: Mask, frame: Image, outlines: Outlines, station: Station
) -> tuple[list[Found], bool]:
    """The dice that make up a changed region, and whether something else is left of it."""
    settings = station.tray.settings
    side = min(station.sides.values())
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (round(side * 0.4) | 1,) * 2)
    left = thing
    found: list[Found] = []
    for _ in range(6):
        rest = cv2.morphologyEx(left, cv2.MORPH_OPEN, kernel)
        if cv2.countNonZero(rest) < settings.least_area * side**2:
            return found, not found
        best = _best_die(left, frame, outlines, station)
        if best is None:
            return found, True
        found.append(best)
        grown = replace(best.square, side=best.square.side * settings.explained)
        left = left.copy()
        cv2.fillConvexPoly(left, np.rint(grown.corners).astype(np.int32), 0)
    return found, True


def _best_die(mask: Mask, frame: Image, outlines: Outlines, station: Station) -> Found | None:
    """The likeliest die on ``mask``: candidate squares of every kind, judged by their faces."""
    tried: list[Found] = []
    for kind, side in station.sides.items():
        for square in candidates(outlines, mask, side, station.tray.settings):
            tried.append(_judged(square, kind, frame, station))
    return max(tried, key=lambda item: item.fit, default=None)


def _judged(square: Square, kind: str, frame: Image, station: Station) -> Found:
    """``square`` read as a die of ``kind``; the fit says how believable that is."""
    corners = station.tray.to_frame(square.corners)
    die, likeness = read_face(cut(frame, corners), kind, station)
    quad: Quad = tuple((float(x), float(y)) for x, y in corners)  # type: ignore[assignment]
    reasons = set(die.reasons)
    settings = station.tray.settings
    off_size = abs(square.side / station.sides[kind] - 1) > settings.size_slack
    if off_size or square.edge < settings.least_edge:
        reasons.add(Reason.COCKED)
    fit = likeness + 0.5 * square.edge - (0.5 if off_size else 0.0)
    return Found(square, replace(die, quad=quad, reasons=tuple(sorted(reasons))), fit)


_NOWHERE: Quad = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


def read_face(patch: Image, kind: str, station: Station) -> tuple[DieReading, float]:
    """What a rectified face patch shows as a ``kind``, and its likeness to that kind, about 0-1."""
    bank = station.dice.kinds[kind].bank
    match bank:
        case FaceBank():
            scores = bank.score(patch)
            reasons = _face_doubts(scores, station.tray.settings)
            face = scores.face if scores.known else None
            sure, ranked = scores.confidence, tuple(scores.alternatives)
            likeness = scores.similarity if scores.known else 0.2
        case CubeBank():
            colours = bank.score(patch, station.tray.white())
            plain = _spread(patch) <= station.tray.settings.plain
            certain = colours.sure and plain
            reasons = () if certain else (Reason.COLOUR_UNSURE,)
            face, sure = colours.colour, colours.confidence if plain else 0.0
            ranked = tuple(colours.alternatives)
            likeness = 0.8 * colours.confidence if plain else 0.1
    return DieReading(kind, face, _NOWHERE, float(sure), ranked, reasons), float(likeness)


def _face_doubts(scores: FaceScores, settings: SceneSettings) -> tuple[Reason, ...]:
    """Doubts about a symbol: unknown, not certain, or printed on a face that does not lie flat."""
    if not scores.known:
        return (Reason.UNKNOWN_FACE,)
    doubts = () if scores.sure else (Reason.AMBIGUOUS,)
    return (*doubts, Reason.COCKED) if _leans(scores, settings) else doubts


def _leans(scores: FaceScores, settings: SceneSettings) -> bool:
    """Whether the print is seen at a slant: the rectified tray shows flat faces as squares."""
    pose = scores.pose / scores.pose[2, 2]
    linear = pose[:2, :2] - np.outer(pose[:2, 2], pose[2, :2])
    long, short = np.linalg.svd(linear, compute_uv=False)
    skew = abs((scores.rotation + 45) % 90 - 45)
    slant = float(np.hypot(pose[2, 0], pose[2, 1]))
    return bool(slant > settings.leaning or long > settings.stretch * short or skew > settings.skew)


def _spread(patch: Image) -> float:
    """How much the middle of a face varies: the robust spread of its grey levels."""
    edge = patch.shape[0] // 5
    grey = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY)[edge:-edge, edge:-edge]
    return float(np.subtract(*np.percentile(grey, [90, 10]))) / 2.56


def _voted(item: Found, frames: Sequence[Image], station: Station) -> DieReading:
    """The die read again in the other frames: one dissent and it is unstable."""
    quad = np.array(item.die.quad, np.float32)
    others = [read_face(cut(frame, quad), item.die.kind, station)[0] for frame in frames]
    reasons = set(item.die.reasons).union(*(other.reasons for other in others))
    if any(other.face != item.die.face for other in others):
        reasons.add(Reason.UNSTABLE)
    sure = min([item.die.confidence, *(other.confidence for other in others)])
    return replace(item.die, confidence=sure, reasons=tuple(sorted(reasons)))


def _miscounted(dice: Sequence[DieReading], expect: Expect | None) -> set[Reason]:
    if expect is None:
        return set()
    reasons = set()
    for kind in {*expect, *(die.kind for die in dice)}:
        more = sum(die.kind == kind for die in dice) - expect.get(kind, 0)
        if more:
            reasons.add(Reason.TOO_MANY if more > 0 else Reason.TOO_FEW)
    return reasons
