"""Whether there is light enough, evenly, and whether the picture is sharp."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from vision.focus import edge_width
from vision.patch import Image
from vision.patch import Quad as CornersPx
from vision.settings_light import LightSettings

Spot = tuple[int, int, int, int]  # left, top, width, height in pixels of the picture


class Trouble(StrEnum):
    """What is wrong with light or focus."""

    DARK = "dark"
    BRIGHT = "bright"
    UNEVEN = "uneven"
    GLARE = "glare"
    BLURRED = "blurred"


@dataclass(frozen=True, slots=True)
class Light:
    """What one picture tells.

    ``level`` 0 to 255 is the brightness of the tray's brightest parts, ``ratio`` how much
    brighter ``brighter`` (left, right, far or near) is than the side opposite, ``width`` the
    sharpest edges' in pixels, None without an edge. ``spots`` are patches of glare.
    """

    level: int
    brighter: str
    ratio: float
    width: float | None
    spots: tuple[Spot, ...]
    troubles: tuple[Trouble, ...]


def look(
    frame: Image, corners: CornersPx | None = None, settings: LightSettings | None = None
) -> Light:
    """Judge a picture (h, w, 3) BGR; only the tray in ``corners`` (4, 2) where they are known."""
    chosen = settings or LightSettings()
    grey = np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
    tray = _tray(grey, corners)
    level = float(np.percentile(tray, 95))
    brighter, ratio = brighter_side(tray)
    width = edge_width(grey, chosen.edges)
    spots = glare(grey, corners, chosen)
    said = {
        Trouble.DARK: level < chosen.dark,
        Trouble.BRIGHT: float(np.median(tray)) > chosen.bright,
        Trouble.UNEVEN: ratio > chosen.uneven,
        Trouble.GLARE: bool(spots),
        Trouble.BLURRED: width is not None and width > chosen.blurred,
    }
    found = tuple(trouble for trouble, there in said.items() if there)
    return Light(round(level), brighter, ratio, width, spots, found)


def _tray(grey: Image, corners: CornersPx | None) -> Image:
    """The floor of the tray seen from above; the whole picture where it is not known."""
    if corners is None:
        return grey
    target = np.array([[0, 0], [320, 0], [320, 240], [0, 240]], np.float32)
    seen = cv2.getPerspectiveTransform(np.asarray(corners, np.float32), target)
    return np.asarray(cv2.warpPerspective(grey, seen, (320, 240)), np.uint8)


def brighter_side(tray: Image) -> tuple[str, float]:
    """The side (a fifth of the picture) that outshines the one opposite most, and how much."""
    height, width = tray.shape
    across, down = width // 5, height // 5
    sides = {
        "left": tray[:, :across],
        "right": tray[:, -across:],
        "far": tray[:down],
        "near": tray[-down:],
    }
    mean = {name: float(part.mean()) + 1.0 for name, part in sides.items()}
    pairs = (("left", "right"), ("right", "left"), ("far", "near"), ("near", "far"))
    ratios = {one: mean[one] / mean[other] for one, other in pairs}
    most = max(ratios, key=lambda name: ratios[name])
    return most, ratios[most]


def glare(grey: Image, corners: CornersPx | None, settings: LightSettings) -> tuple[Spot, ...]:
    """The largest patches on the tray that are white beyond telling."""
    white = (grey >= settings.clipped).astype(np.uint8)
    inside = np.ones_like(white)
    if corners is not None:
        inside = np.zeros_like(white)
        cv2.fillConvexPoly(inside, np.rint(corners).astype(np.int32).reshape(-1, 1, 2), 1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(white & inside)
    least = settings.glare * float(np.count_nonzero(inside))
    rows = sorted(stats[1:count].tolist(), key=lambda row: -int(row[cv2.CC_STAT_AREA]))
    big = [row for row in rows if row[cv2.CC_STAT_AREA] >= least]
    return tuple((row[0], row[1], row[2], row[3]) for row in big[: settings.spots])
