"""Floors that are no rectangles: hexagons, octagons and the like, and round ones.

A person marks where such a floor ends. Of a polygon with sides and angles all alike the marks
tell how the camera sees its plane; of a circle they hardly do (`vision.round_floor`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faults import ToldError
from vision.floor_size import moved
from vision.patch import Image, Quad
from vision.round_floor import OFF, round_floor

Array = NDArray[np.float64]

MARKS = (5, 24)  # of a floor that is no rectangle

EDGE_TEXT: dict[str, str] = {
    "order": "the marks do not go once round a floor; put one after the other round it, clockwise",
    "uneven": "these are no {many} corners of a floor whose sides are all of one length; put each"
    " mark on its own corner, one after the other round the floor",
    "many": "a floor is marked by its 4 corners, or by 5 to 24 marks",
}


@dataclass(frozen=True)
class FloorEdge:
    """``points`` (n, 2): where a floor ends, clockwise, in pixels of the picture.

    ``corners`` (4, 2) are those of the rectangle of its plane around it, as upright in the
    picture as it may be, and ``ratio`` is that one's width over its height.
    """

    points: Quad
    corners: Quad
    ratio: float


def floor_edge(
    marks: NDArray[Any], is_round: bool, picture: Image
) -> NDArray[np.float32] | FloorEdge:
    """What ``marks`` (n, 2) say of a floor: a rectangle's four corners, or where another ends.

    ``picture`` (h, w, 3) is of it empty. Raises ToldError where they go round no such floor.
    """
    points = np.asarray(marks, np.float32).reshape(-1, 2)
    if is_round:
        circle, square = round_floor(_clockwise(points), picture)
        return FloorEdge(circle.astype(np.float32), square.astype(np.float32), 1.0)
    return points if len(points) == 4 else polygon(points)


def polygon(marks: NDArray[Any]) -> FloorEdge:
    """The floor whose n corners (n, 2) were marked, a polygon with all sides and angles alike.

    Raises ToldError where they are no corners of such a floor.
    """
    points = _clockwise(marks)
    steps = 2 * np.pi * np.arange(len(points)) / len(points)
    there = np.stack([np.cos(steps), np.sin(steps)], axis=1)
    there = there @ _turned_like(there, points)
    way, _ = cv2.findHomography(there, points, 0)
    if way is None or _furthest(moved(there, np.asarray(way)), points) > OFF:
        raise ToldError(EDGE_TEXT["uneven"], many=len(points))
    return _around(points, there, np.asarray(way))


def _clockwise(marks: NDArray[Any]) -> Array:
    """The marks as points; raises ToldError where they do not go round a convex floor."""
    points = np.asarray(marks, np.float64).reshape(-1, 2)
    if not MARKS[0] <= len(points) <= MARKS[1]:
        raise ToldError(EDGE_TEXT["many"])
    steps = np.roll(points, -1, axis=0) - points
    following = np.roll(steps, -1, axis=0)
    turns = steps[:, 0] * following[:, 1] - steps[:, 1] * following[:, 0]
    once = np.arctan2(turns, (steps * following).sum(axis=1)).sum() < 3 * np.pi
    if not np.isfinite(points).all() or turns.min() <= 0 or not once:
        raise ToldError(EDGE_TEXT["order"])
    return points


def _turned_like(there: Array, points: Array) -> Array:
    """The rotation (2, 2) from the right by which points lie as those of the picture do."""
    seen = points - points.mean(axis=0)
    along, across = (
        (there * seen).sum(),
        (there[:, 0] * seen[:, 1] - there[:, 1] * seen[:, 0]).sum(),
    )
    c, s = np.array([along, across]) / np.hypot(along, across)
    return np.array([[c, s], [-s, c]])


def _furthest(found: Array, points: Array) -> float:
    """How far points are from where they were found at most, in radii."""
    radius = np.linalg.norm(points - points.mean(axis=0), axis=1).mean()
    return float(np.linalg.norm(found - points, axis=1).max() / radius)


def _around(points: Array, there: Array, way: Array) -> FloorEdge:
    (left, top), (right, bottom) = there.min(axis=0), there.max(axis=0)
    box = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    corners = moved(box, way).astype(np.float32)
    return FloorEdge(points.astype(np.float32), corners, float((right - left) / (bottom - top)))
