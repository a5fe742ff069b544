"""What one die does to the tray around it: shadows, glints and reflections, learnt at enrolment.

A tray's lamps stay where they are, so a die throws much the same shadow
wherever it lies and whichever way it is turned. The union of what changed
around every enrolled die therefore tells shadow from stranger.
"""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from vision.patch import Floats
from vision.segment import Mask, disc
from vision.settings import SceneSettings


def empty_halo(settings: SceneSettings) -> Mask:
    """A halo that explains nothing, (2 r + 1, 2 r + 1)."""
    side = 2 * round(settings.halo * settings.scale) + 1
    return np.zeros((side, side), np.uint8)


def learn_halo(left: Iterable[tuple[Mask, tuple[float, float]]], settings: SceneSettings) -> Mask:
    """The halo from what single dice leave unexplained: masks and the centres of the dice."""
    halo = empty_halo(settings)
    reach = halo.shape[0] // 2
    for mask, (x, y) in left:
        wide = cv2.copyMakeBorder(mask, reach, reach, reach, reach, cv2.BORDER_CONSTANT)
        col, row = round(x), round(y)
        halo |= wide[row : row + 2 * reach + 1, col : col + 2 * reach + 1]
    grown = cv2.dilate(halo, disc(2 * settings.halo_slack * settings.scale))
    return np.asarray(grown if halo.any() else halo, np.uint8)


def haloes(shape: tuple[int, int], halo: Mask, centres: Iterable[tuple[float, float]]) -> Mask:
    """Where on a tray of ``shape`` dice at ``centres`` may have changed the light."""
    reach = halo.shape[0] // 2
    height, width = shape
    wide = np.zeros((height + 2 * reach, width + 2 * reach), np.uint8)
    for x, y in centres:
        col, row = round(x), round(y)
        wide[row : row + 2 * reach + 1, col : col + 2 * reach + 1] |= halo
    return wide[reach : reach + height, reach : reach + width]


def filled(shape: tuple[int, ...], outline: Floats, grow: float) -> Mask:
    """A convex outline (n, 2) as a mask, grown by ``grow`` pixels."""
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.rint(outline).astype(np.int32), (255.0,))
    return np.asarray(cv2.dilate(mask, disc(2 * grow)), np.uint8)
