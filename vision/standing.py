"""Whether a die can lean at all: only one that touches something stands otherwise than flat."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.squares import Square
from vision.station import Body
from vision.tray import Tray

Polygon = NDArray[np.float32]  # (n, 2) millimetres of the floor


def foot(square: Square, body: Body, tray: Tray) -> Polygon:
    """Where a die whose top is seen at ``square`` stands if it lies flat, (4, 2)."""
    settings, view = tray.settings, tray.viewpoint
    top = body.true_top(square, tray) / settings.scale - settings.rim
    below = np.array([view.x, view.y], np.float32)
    return np.asarray(below + (top - below) * (1 - body.size_mm / view.z), np.float32)


def wall_gap(polygon: Polygon, size_mm: tuple[float, float]) -> float:
    """Millimetres from a polygon to the nearest wall; negative when it reaches into one."""
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    return float(min(*low, size_mm[0] - high[0], size_mm[1] - high[1]))


def gap(one: Polygon, other: Polygon) -> float:
    """Millimetres between two convex polygons; 0 when they overlap."""
    overlap, _ = cv2.intersectConvexConvex(one, other)
    if overlap > 0:
        return 0.0
    return min(_nearest(one, other), _nearest(other, one))


def _nearest(points: Polygon, polygon: Polygon) -> float:
    shape = polygon.reshape(-1, 1, 2)
    return min(
        max(0.0, -cv2.pointPolygonTest(shape, (float(x), float(y)), True)) for x, y in points
    )


def clearances(dice: Sequence[tuple[Square, Body]], tray: Tray) -> list[float]:
    """For each die the gap in millimetres to the nearest die or wall."""
    feet = [foot(square, body, tray) for square, body in dice]
    return [
        min(
            wall_gap(mine, tray.size_mm),
            *(gap(mine, other) for j, other in enumerate(feet) if j != i),
        )
        if len(feet) > 1
        else wall_gap(mine, tray.size_mm)
        for i, mine in enumerate(feet)
    ]
