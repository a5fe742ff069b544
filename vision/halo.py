"""What one die does to the tray around it: shadows, glints and reflections, learnt at enrolment.

A tray's lamps stay where they are, so a die throws much the same shadow
wherever it lies and whichever way it is turned. The union of what changed
around every enrolled die therefore tells shadow from stranger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats
from vision.segment import Mask, disc
from vision.settings import SceneSettings
from vision.window import Area, Window


def empty_halo(settings: SceneSettings) -> Mask:
    """A halo that explains nothing, (2 r + 1, 2 r + 1)."""
    side = 2 * round(settings.halo * settings.scale) + 1
    return np.zeros((side, side), np.uint8)


# Bits of a halo: darkened as by a shadow; changed in another way; hardly changed; darkened, be it
# a change or not.
DARK, OTHER, FAINT, SHADE = 1, 2, 4, 8


@dataclass(frozen=True)
class Left:
    """What a single die leaves unexplained in a picture.

    ``changed`` and ``hinted`` (255) are what changed beyond its outline, plainly and hardly,
    ``shadowy`` (1 or 0) where that may be shadow, ``centre`` the die's, in pixels. ``shade`` (255)
    is where it takes light, be it a change or not.
    """

    changed: Mask
    hinted: Mask
    shadowy: Mask
    centre: tuple[float, float]
    shade: Mask

    def kinds(self) -> Mask:
        """The bits of each pixel."""
        plain = np.where(self.shadowy > 0, DARK, OTHER)
        hint = np.where(self.hinted > 0, FAINT, 0)
        shade = np.where(self.shade > 0, SHADE, 0)
        return np.asarray(np.where(self.changed > 0, plain, hint) | shade, np.uint8)


def learn_halo(left: Iterable[Left], settings: SceneSettings) -> Mask:
    """The halo from what single dice leave unexplained."""
    halo = empty_halo(settings)
    for one in left:
        around, shown = _around(one.centre, halo, one.changed)
        halo[shown.seen_from(around).part] |= one.kinds()[shown.part]
    brush = disc(2 * settings.halo_slack * settings.scale)
    grown = (cv2.dilate(np.bitwise_and(halo, bit), brush) for bit in (DARK, OTHER, FAINT, SHADE))
    return np.asarray(reduce(np.bitwise_or, grown), np.uint8)


def foretold(shape: tuple[int, ...], halo: Mask, centres: Iterable[tuple[float, float]]) -> Mask:
    """What dice at ``centres`` may do to each pixel of a picture of ``shape``: bits (h, w).

    A centre may lie beyond the picture, where a die is cut off by its edge.
    """
    bits = np.zeros(shape[:2], np.uint8)
    for centre in centres:
        around, shown = _around(centre, halo, bits)
        bits[shown.part] |= halo[shown.seen_from(around).part]
    return bits


def _around(centre: tuple[float, float], halo: Mask, picture: Mask) -> tuple[Window, Window]:
    """The halo's window round a die, and what of it the picture (h, w) shows."""
    reach = halo.shape[0] // 2
    around = Window(round(centre[0]), round(centre[1]), 1, 1).grown(reach, reach)
    return around, around.within(Window.of(picture))


def explained(shadowy: Mask, bits: Mask) -> Mask:
    """Where ``bits`` account for the change (255), by its kind."""
    dark = ((bits & DARK) > 0) & (shadowy > 0)
    return np.where(dark | ((bits & OTHER) > 0), 255, 0).astype(np.uint8)


def filled(picture: NDArray[Any], outline: Floats, grow: float) -> Area:
    """What a convex outline (n, 2) encloses of a picture (h, w, ...), grown by ``grow`` pixels."""
    brush = disc(2 * grow)
    corners = np.rint(outline).astype(np.int32)
    rim = brush.shape[0] // 2
    window = Window.around(corners).grown(rim, rim).within(Window.of(picture))
    mask = np.zeros((window.height, window.width), np.uint8)
    if window.empty:
        return Area(window, mask)
    origin = np.array([window.left, window.top], np.int32)
    cv2.fillConvexPoly(mask, corners - origin, (255.0,))
    return Area(window, np.asarray(cv2.dilate(mask, brush), np.uint8) if rim else mask)
