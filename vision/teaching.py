"""One die held to the camera, before it is learnt: is it there, still, clear, and new?

`vision.enrolment` learns from pictures that were taken; this module looks at the living
picture beforehand, so that a person hears at once what would make a bad example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import distance, opponent
from vision.diceset import White, names_colours
from vision.die_size import VISIBLE
from vision.patch import Floats, Image, cut, glare, off_centre, washed_out
from vision.patch import Quad as CornersPx
from vision.segment import Beside, Mask
from vision.settings_faces import ColourSettings, FaceSettings
from vision.settings_light import TeachSettings
from vision.squares import Square
from vision.symbols import FaceBank
from vision.topface import Shot, lone_face
from vision.tray import Tray

_THIS = "?"


class Doubt(StrEnum):
    """Why a picture is not one to learn from."""

    EMPTY = "empty"
    HAND = "hand"
    SEVERAL = "several"
    UNCLEAR = "unclear"
    OUTSIDE = "outside"
    DARK = "dark"
    GLARE = "glare"
    WASHED_OUT = "washed_out"
    TWO_FACES = "two_faces"


@dataclass(frozen=True)
class Glimpse:
    """A die as it would be learnt: ``quad`` (4, 2) in the frame, ``patch`` its rectified face."""

    doubts: tuple[Doubt, ...]
    square: Square | None = None
    quad: CornersPx | None = None
    patch: Image | None = None


def still(frames: Sequence[Image], settings: TeachSettings | None = None) -> bool:
    """Whether nothing moves from the first to the last of these pictures."""
    chosen = settings or TeachSettings()
    small = [_small(frame, chosen.width) for frame in frames]
    moved = [np.abs(a - b) > chosen.moving for a, b in pairwise(small)]
    return len(frames) > 1 and all(float(each.mean()) <= chosen.few for each in moved)


def _small(frame: Image, width: int) -> Floats:
    height = round(frame.shape[0] * width / frame.shape[1])
    small = cv2.resize(frame, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)


def glimpse(
    tray: Tray,
    frame: Image,
    dice_mm: float,
    settings: TeachSettings | None = None,
    *,
    printed: bool = True,
) -> Glimpse:
    """Look for one die of ``dice_mm`` on the tray in ``frame`` (h, w, 3).

    A face that is not ``printed`` may be white all over.
    """
    chosen = settings or TeachSettings()
    tray, frame = tray.without_noise(frame)
    side = tray.top_side(dice_mm)
    seen = tray.rectify(frame)
    beside = tray.floor.beside(seen)
    things = beside.things(chosen.crumb * side**2)
    if not things:
        return Glimpse((Doubt.EMPTY,))
    if cv2.countNonZero(things[0]) > chosen.hand * side**2:
        return Glimpse((Doubt.HAND,))
    if len(things) > 1:
        return Glimpse((Doubt.SEVERAL,))
    square = _top_face(tray, frame, seen, beside, things[0], dice_mm, chosen.slack)
    if square is None or square.edge < chosen.edge:
        return Glimpse((Doubt.UNCLEAR,))
    quad = tray.to_frame(square.corners)
    patch = cut(frame, quad)
    doubts = _doubts(tray, things[0], square, patch, printed, chosen)
    return Glimpse(doubts, square, quad, patch)


def _top_face(
    tray: Tray, frame: Image, seen: Image, beside: Beside, mask: Mask, dice_mm: float, slack: float
) -> Square | None:
    """The likeliest top face of a lone die of about ``dice_mm`` before its kind is learnt.

    ``seen`` is the rectified ``frame``, ``beside`` it beside the empty tray, ``mask`` what changed
    on it; ``slack`` is how far the visible face may differ from the size of the die.
    """
    side = tray.top_side(dice_mm) * VISIBLE
    if cv2.countNonZero(mask) < tray.settings.least_area * side**2:
        return None
    return lone_face(tray, Shot.on("", frame, seen, beside, mask, side), side, dice_mm, slack)


def _doubts(
    tray: Tray, thing: Mask, square: Square, patch: Image, printed: bool, settings: TeachSettings
) -> tuple[Doubt, ...]:
    grey = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY)
    floor = cv2.cvtColor(tray.empty, cv2.COLOR_BGR2GRAY)
    here, usual = float(floor[thing > 0].mean()), float(np.median(floor))
    said = {
        Doubt.OUTSIDE: not _inside(tray, square),
        Doubt.DARK: here < settings.dark * usual,
        Doubt.GLARE: glare(patch) > settings.glare,
        Doubt.TWO_FACES: _printed(grey) and off_centre(patch) > settings.off_centre,
        Doubt.WASHED_OUT: printed and washed_out(patch),
    }
    return tuple(doubt for doubt, there in said.items() if there)


def _printed(grey: NDArray[Any]) -> bool:
    """Whether a face carries anything whose place could be judged."""
    inner = grey[12:-12, 12:-12]
    return float(inner.std()) > 0.08 * (float(inner.mean()) + 10)


def _inside(tray: Tray, square: Square) -> bool:
    """Whether the whole face lies over the floor."""
    rim, scale = tray.settings.rim, tray.settings.scale
    limit = np.array(tray.size_mm) * scale
    points = square.corners - rim * scale
    return bool((points > 0).all() and (points < limit).all())


def turned(
    now: Square, patch: Image, before: Square, old: Image, settings: TeachSettings | None = None
) -> bool:
    """Whether a die was moved or turned since its last picture, so that a new one adds to it."""
    chosen = settings or TeachSettings()
    apart = abs(now.turn - before.turn) % 90
    far = now.apart(before) > chosen.moved * now.side
    other = float(cv2.absdiff(cv2.blur(patch, (5, 5)), cv2.blur(old, (5, 5))).mean())
    return bool(far or min(apart, 90 - apart) > chosen.turned or other > chosen.same)


def resembles(
    patch: Image,
    taken: Mapping[str, Sequence[Image]],
    face: str,
    white_bgr: White,
    settings: TeachSettings | None = None,
) -> str | None:
    """Another face, already taken, that ``patch`` looks like; None when it looks like none."""
    chosen = settings or TeachSettings()
    others = {name: patches for name, patches in taken.items() if name != face and patches}
    if not others:
        return None
    if names_colours([*taken, face]):
        return _same_colour(patch, others, white_bgr, chosen)
    bank = FaceBank.enrol({**others, _THIS: [patch]}, FaceSettings(look_alike=chosen.alike))
    pairs = (pair for pair in bank.look_alikes() if _THIS in pair[:2])
    return next((one if other == _THIS else other for one, other, _ in pairs), None)


def _same_colour(
    patch: Image, others: Mapping[str, Sequence[Image]], white: White, settings: TeachSettings
) -> str | None:
    here = opponent(patch, white)
    gaps = {
        name: min(distance(here, opponent(old, white), ColourSettings()) for old in patches)
        for name, patches in others.items()
    }
    nearest = min(gaps, key=lambda name: gaps[name])
    return nearest if gaps[nearest] < settings.one_colour else None
