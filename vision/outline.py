"""Where the tray is, from pictures of it empty: the four corners of its floor.

The tray is a box: outer rim, inner rim and floor are rectangles in parallel
planes, so few numbers of camera and box place all their edges. The picture's
straight lines tell the directions, the edges seen from straight above tell the
box, and a fit to the edges moves both into place. A near wall hides the floor's
corners behind it; the box still knows where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_box import (
    Array,
    Box,
    Camera,
    Edge,
    best_focal,
    corners,
    orientation,
    refocused,
)
from vision.outline_fit import Fit, refine
from vision.outline_lines import levelled, segments, split, vanishing_points
from vision.outline_search import Hypothesis, rectified, search
from vision.patch import Image
from vision.settings_outline import OutlineSettings


def fitted(level: NDArray[np.float32], settings: OutlineSettings) -> list[Fit]:
    """Boxes fitted to a levelled picture, best first.

    The first search knows neither the lens nor its distortion; the second looks
    again through the best camera of the first.
    """
    first = _refined(level, _hypotheses(level, settings), settings)
    if not first:
        return []
    camera = first[0].camera
    again = [
        (_refocused(camera, each.factor), each)
        for each in search(rectified(level, camera, settings), camera, settings)
    ]
    second = [(other, refocused(camera, each.box, other)) for other, each in again]
    found = sorted(first + _refined(level, second, settings), key=lambda fit: -fit.score)
    kept = _distinct(found, level.shape[1], settings)
    full = [refine(level, fit.camera, fit.box, settings, settings.windows) for fit in kept]
    return sorted((fit for fit in full if fit), key=lambda fit: -fit.score)


def _distinct(fits: list[Fit], width: int, settings: OutlineSettings) -> list[Fit]:
    """The best few fits of which no two place the floor alike."""
    kept: list[Fit] = []
    for fit in fits:
        if all(_apart(fit, other) * width > settings.differ for other in kept):
            kept.append(fit)
    return kept[: settings.best]


def _apart(one: Fit, other: Fit) -> float:
    """Largest distance between floor corners, in picture widths."""
    return float(np.linalg.norm(floor_of(one) - floor_of(other), axis=1).max())


def floor_of(fit: Fit) -> Array:
    """(4, 2) corners of the floor in picture coordinates."""
    return fit.camera.see(corners(fit.box.rectangle(Edge.FLOOR)))


def _refined(
    level: NDArray[np.float32], found: list[tuple[Camera, Box]], settings: OutlineSettings
) -> list[Fit]:
    rough = [refine(level, camera, box, settings, settings.quick) for camera, box in found]
    return sorted((fit for fit in rough if fit), key=lambda fit: -fit.score)[: settings.best]


def _refocused(camera: Camera, factor: float) -> Camera:
    """The camera that sees the tray's sides run to nearly the same points through another lens."""
    scale = np.array([camera.focal, camera.focal, 1.0])
    across, down = camera.rotation[:, 0] * scale, camera.rotation[:, 1] * scale
    other = orientation(across, down, camera.focal * factor)
    return camera if other is None else replace(other, barrel=camera.barrel)


def _hypotheses(level: NDArray[np.float32], settings: OutlineSettings) -> list[tuple[Camera, Box]]:
    found: list[tuple[float, Camera, Box]] = []
    for across, down in _directions(level, settings):
        focal = _focal(across, down, settings)
        camera = orientation(across, down, focal)
        if camera is None or camera.tilt > settings.steepest:
            continue
        for each in search(rectified(level, camera, settings), camera, settings):
            other = _refocused(camera, each.factor)
            found.append((each.score, other, refocused(camera, each.box, other)))
    found.sort(key=lambda each: -each[0])
    return [(camera, box) for _, camera, box in found[: settings.hypotheses]]


def _directions(
    level: NDArray[np.float32], settings: OutlineSettings
) -> list[tuple[Array, Array]]:
    height, width = level.shape[:2]
    lines = segments(level, settings)
    lines = (lines - np.array([(width - 1) / 2, (height - 1) / 2] * 2)) / width
    rows, columns = split(lines, settings)
    across, down = vanishing_points(rows, settings), vanishing_points(columns, settings)
    return [(a, d) for a in across for d in down]


def _focal(across: Array, down: Array, settings: OutlineSettings) -> float:
    """What the directions tell of the lens, kept within the likely."""
    told = best_focal(across, down)
    return settings.focal if told is None else float(np.clip(told, *settings.focal_told))
