"""What a network sees of a die that may lean: the picture, what changed, and both cubes.

The die is seen from above, turned so that the tipped cube's raised edge points to the right. The
cubes that explain it best, one flat and one tipped (``vision.leaning``), are drawn beside the
picture: which of them fits is easier to see than where to look.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.leaning import Explained, Standing
from vision.patch import Floats, Image

SIDE = 96  # pixels of a view
FACE = 40  # of them, a die's side
CHANNELS = 10
_DARK = 10.0  # grey levels added before the logarithm: noise in the dark says nothing
_MOST = 2.0  # of a logarithm
_TOP, _RAISED = 1.0, 0.6  # how the faces of a cube are drawn
_OTHER = 0.3
_FINE = 16  # parts of a pixel that corners are drawn to
_SHIFT = 4


@dataclass(frozen=True)
class _Frame:
    """Where a view lies in the rectified picture: ``way`` (2, 3) maps pixels into it."""

    way: Floats

    @classmethod
    def around(cls, die: Standing, flat: Floats, tipped: Floats) -> _Frame:
        """The middle of the flat cube in its middle, the tipped one's raised edge to the right."""
        whole = np.concatenate([corners for _, corners in die.faces(flat)])
        x, y = (whole.min(axis=0) + whole.max(axis=0)) / 2
        scale = FACE / (die.size_mm * die.tray.settings.scale)
        turned = np.rad2deg(float(tipped[2]))
        way = np.asarray(cv2.getRotationMatrix2D((float(x), float(y)), turned, scale))
        middle = np.array([[0, 0, x], [0, 0, y]])
        return cls(way + (np.array([[0, 0, 1], [0, 0, 1]]) * (SIDE - 1) / 2 - middle))

    def seen(self, picture: Image, how: int) -> Image:
        """A rectified picture (h, w, ...) in the view."""
        edge = cv2.BORDER_REPLICATE
        return np.asarray(
            cv2.warpAffine(picture, self.way, (SIDE, SIDE), flags=how, borderMode=edge), np.uint8
        )

    def drawn(self, faces: list[tuple[float, Floats]]) -> Floats:
        """Polygons (n, 2) of rectified pixels, each in its shade, (SIDE, SIDE)."""
        canvas = np.zeros((SIDE, SIDE), np.float32)
        for shade, corners in faces:
            moved = corners @ self.way[:, :2].T + self.way[:, 2]
            points = np.rint(moved * _FINE).astype(np.int32)
            cv2.fillConvexPoly(canvas, points, (shade,), cv2.LINE_8, _SHIFT)
        return canvas


def view(die: Standing, explained: Explained) -> Floats:
    """(CHANNELS, SIDE, SIDE) of a die and the cubes that explain it.

    The picture's logarithm in blue, green and red, 0 on average; that of its brightness over the
    empty tray's; what changed; what of it is no shadow; the flat cube; the tipped one; the other
    dice; and where the print shows the top.
    """
    frame = _Frame.around(die, explained.flat, explained.tipped)
    now = _logarithm(frame.seen(die.picture, cv2.INTER_LINEAR))
    before = _logarithm(frame.seen(die.tray.empty, cv2.INTER_LINEAR))
    masks = [frame.seen(mask, cv2.INTER_NEAREST) > 0 for mask in (die.changed, die.solid)]
    print_ = [] if die.shown is None else [(_TOP, die.shown)]
    planes = [
        *np.moveaxis(now - now.mean(), 2, 0),
        np.clip((now - before).mean(axis=2), -_MOST, _MOST),
        *masks,
        frame.drawn(_shaded(die, explained.flat)),
        frame.drawn(_shaded(die, explained.tipped)),
        frame.drawn([(_TOP, outline) for outline in die.others()]),
        frame.drawn(print_),
    ]
    return np.stack(planes).astype(np.float32)


def _logarithm(picture: Image) -> Floats:
    return np.asarray(np.log(picture.astype(np.float32) + _DARK))


def _shaded(die: Standing, pose: Floats) -> list[tuple[float, Floats]]:
    shades = {4: _TOP, 0: _RAISED}
    return [(shades.get(face, _OTHER), corners) for face, corners in die.faces(pose)]
