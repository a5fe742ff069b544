"""The top face in pictures of one die each: where least speaks against it.

A die is alone in such a picture and there is time, so more is asked than of a
throw: a clear outline, a body that covers what changed and no more, print in
the middle, and the same body colour in all pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.halo import filled
from vision.patch import Floats, Image, cut, off_centre
from vision.segment import Mask, disc, grown, objects, solid
from vision.squares import Square, SquareSearch
from vision.tray import Tray

KEEP = 8  # squares tried as the top face
SIZES = np.arange(0.84, 1.041, 0.02)  # of the guessed side


@dataclass(frozen=True)
class Shot:
    """A picture of one die on the tray: the frame, rectified, and what changed."""

    face: str
    frame: Image
    seen: Image
    mask: Mask
    wide: Mask  # with what may be shadow or a body darker than the floor
    sure: Mask  # without what may be shadow
    shadowy: Mask  # where that is, anywhere in the picture (1 or 0)

    @staticmethod
    def of(tray: Tray, face: str, frame: Image, side: float) -> Shot | None:
        """The picture's largest change; None where nothing as large as a face lies."""
        seen = tray.rectify(frame)
        things = objects(tray.floor.changed(seen), tray.settings.least_area * side**2)
        return Shot.on(tray, face, frame, seen, things[0], side) if things else None

    @staticmethod
    def on(tray: Tray, face: str, frame: Image, seen: Image, mask: Mask, side: float) -> Shot:
        """The picture with a change already found: ``seen`` rectified, ``mask`` what changed."""
        near = np.asarray(cv2.dilate(mask, disc(2 * side)), np.uint8)
        beside = tray.floor.beside(seen)
        wide = grown(mask, np.asarray(beside.darkened & near, np.uint8))
        sure = solid(mask, beside.shadowy)
        return Shot(face, frame, seen, mask, wide, sure, beside.shadowy)


def visible_side(tray: Tray, shots: Sequence[Shot], guess: float, dice_mm: float) -> float:
    """The side in pixels, about ``guess``, of top faces of dice of ``dice_mm`` that fits best.

    Rounded edges make a face look smaller than the die; how much depends on the
    die and the light, so it is measured once, on one picture of every face.
    """
    slack = float(SIZES[1] - SIZES[0]) / 2
    searches = [SquareSearch(shot.seen, shot.wide, tray.settings) for shot in shots]

    def doubt(side: float) -> float:
        tried = [search.find(side, slack, KEEP) for search in searches]
        return sum(
            min((_weighed(tray, shot, square, dice_mm).doubt for square in squares), default=1.0)
            for shot, squares in zip(shots, tried, strict=True)
        )

    return float(min(guess * SIZES, key=doubt))


def top_faces(
    tray: Tray, shots: Sequence[Shot], side: float, dice_mm: float
) -> list[Square | None]:
    """The top face in every picture: clear outlines whose body colours agree with each other.

    A hard shadow has a clear outline too, but not the colour that all pictures share.
    """
    tried = [
        SquareSearch(shot.seen, shot.wide, tray.settings).find(side, keep=KEEP) for shot in shots
    ]
    weighed = [
        [_weighed(tray, shot, square, dice_mm) for square in squares]
        for shot, squares in zip(shots, tried, strict=True)
    ]
    likely = [min(group, key=lambda w: w.doubt).colour for group in weighed if group]
    usual = np.median(likely, axis=0) if likely else np.zeros(3)
    best = (min(group, key=lambda w: w.against(usual), default=None) for group in weighed)
    return [None if one is None else one.square for one in best]


def lone_face(tray: Tray, shot: Shot, side: float, dice_mm: float, slack: float) -> Square | None:
    """The likeliest top face in one picture, its size within ``slack`` of ``side`` pixels."""
    squares = SquareSearch(shot.seen, shot.wide, tray.settings).find(side, slack, KEEP)
    weighed = [_weighed(tray, shot, square, dice_mm) for square in squares]
    best = min(weighed, key=lambda one: one.doubt, default=None)
    return None if best is None else best.square


@dataclass(frozen=True)
class Weighed:
    """A square as the top face of an enrolled die, and what speaks against it."""

    square: Square
    colour: Floats  # of the body
    doubt: float  # weak outline, a body unlike what changed, print off centre

    def against(self, usual: Floats) -> float:
        """The doubt with that of a body of another colour than the other pictures show."""
        apart = np.abs(self.colour - usual) * (0.5, 1.0, 1.0)
        return self.doubt + 0.02 * float(np.linalg.norm(apart))


def _weighed(tray: Tray, shot: Shot, square: Square, dice_mm: float) -> Weighed:
    patch = cut(shot.frame, tray.to_frame(square.corners))
    body = tray.body(square.corners, dice_mm)
    missing = filled(shot.mask, body, 0.5).beyond(shot.wide)
    whole = filled(shot.mask, body, tray.settings.body_slack * tray.settings.scale)
    beyond = missing + cv2.countNonZero(shot.sure) - whole.common(shot.sure)
    doubt = beyond / square.side**2 + 0.5 * off_centre(patch) - square.edge
    return Weighed(square, _body_colour(patch), float(doubt))


def _body_colour(patch: Image) -> Floats:
    """Median colour (3,) of the rim of a face, where the body shows: L, a, b."""
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    size = patch.shape[0]
    rim, inner = size // 9, size // 5
    keep = np.zeros(patch.shape[:2], bool)
    keep[rim:-rim, rim:-rim] = True
    keep[inner:-inner, inner:-inner] = False
    return np.asarray(np.median(lab[keep], axis=0), np.float32)
