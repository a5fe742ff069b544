"""What one die does to the tray around it: shadows, glints and reflections, learnt at enrolment.

A tray's lamps stay where they are, so a die throws much the same shadow
wherever it lies and whichever way it is turned. The union of what changed
around every enrolled die therefore tells shadow from stranger.
"""

from __future__ import annotations

from collections.abc import Iterable
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


DARK, OTHER = 1, 2  # bits of a halo: darkened as by a shadow; changed in another way


def learn_halo(
    left: Iterable[tuple[Mask, Mask, tuple[float, float]]], settings: SceneSettings
) -> Mask:
    """The halo from what single dice leave unexplained.

    For each: the mask of what is left, where the picture is shadowy, the die's centre.
    """
    halo = empty_halo(settings)
    reach = halo.shape[0] // 2
    for mask, shadowy, (x, y) in left:
        kinds = np.where(mask > 0, np.where(shadowy > 0, DARK, OTHER), 0).astype(np.uint8)
        wide = cv2.copyMakeBorder(kinds, reach, reach, reach, reach, cv2.BORDER_CONSTANT)
        col, row = round(x), round(y)
        halo = np.bitwise_or(halo, wide[row : row + 2 * reach + 1, col : col + 2 * reach + 1])
    grown = disc(2 * settings.halo_slack * settings.scale)
    both = [cv2.dilate(np.bitwise_and(halo, bit), grown) for bit in (DARK, OTHER)]
    return np.asarray(np.bitwise_or(both[0], both[1]), np.uint8)


def explained(shadowy: Mask, halo: Mask, centres: Iterable[tuple[float, float]]) -> Mask:
    """Where dice at ``centres`` account for the change (255): their halo, of the kind seen."""
    reach = halo.shape[0] // 2
    height, width = shadowy.shape
    wide = np.zeros((height + 2 * reach, width + 2 * reach), np.uint8)
    for x, y in centres:
        col, row = round(x), round(y)
        part = wide[row : row + 2 * reach + 1, col : col + 2 * reach + 1]
        np.bitwise_or(part, halo, out=part)
    here = wide[reach : reach + height, reach : reach + width]
    dark = (here > 0) & (shadowy > 0)
    return np.where(dark | ((here & OTHER) > 0), 255, 0).astype(np.uint8)


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
    return Area(window, np.asarray(cv2.dilate(mask, brush), np.uint8))
