"""A round floor in a picture: where it ends, and how the camera looks down on it.

A circle is seen as an ellipse, the same from two sides: which of them it is, the rim of the walls
around it tells. The pose of a circle: Kanatani and Liu, "3D interpretation of conics and
orthogonality" (1993).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.faults import ToldError
from vision.floor_size import moved
from vision.patch import Image, between
from vision.viewpoint import FOCAL

Array = NDArray[np.float64]

OFF = 0.03  # of its radius, that a mark may be off where the floor's shape has it
EDGE_TEXT: dict[str, str] = {
    "no_circle": "the marks are on the edge of no round floor; put them where the floor ends, one"
    " after the other round it",
}
_LARGE = 1000.0  # OpenCV fits ellipses so large more exactly than those of size 1
_RISES = np.linspace(1.005, 1.2, 40)  # how much nearer than the floor the rim of walls may be
_WIDER = np.linspace(1.0, 1.15, 16)  # and its outer edge be than its inner one
_BESIDE = 0.006  # of the radius, to both sides of a rim, where the picture differs
_ARCS = 12  # parts of a rim; within each the picture differs one way
_TURNS = 2 * np.pi * np.arange(5 * _ARCS) / (5 * _ARCS)
_UNIT = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)  # a polygon as good as a circle


def round_floor(marks: Array, picture: Image) -> tuple[Array, Array]:
    """Points (n, 2) of its circle and the corners (4, 2) of the square around it, in pixels.

    ``marks`` (n, 2) on its edge are in pixels of a ``picture`` (h, w, 3) of it empty, through a
    lens that is taken for an everyday one. Raises ToldError where no ellipse is near them all.
    """
    to_pixels = _lens(picture)
    to_ellipse = _ellipse(moved(marks, np.asarray(np.linalg.inv(to_pixels), np.float64)))
    views = [_View.of(to_ellipse, level, to_pixels) for level in _levels(to_ellipse)]
    best = max(views, key=lambda view: view.rim(picture))
    return best.seen(best.circle), best.seen(best.square)


@dataclass(frozen=True)
class _View:
    """A circular floor one unit below the camera: its ``middle`` (2,) and ``radius``.

    ``way`` (3, 3) leads from that plane, in which the camera is above (0, 0), to pixels.
    """

    middle: Array
    radius: float
    way: Array

    @classmethod
    def of(cls, to_ellipse: Array, level: Array, to_pixels: Array) -> _View:
        """By ``level``, the turn (3, 3) after which the camera would look straight down."""
        points = moved(moved(_UNIT, to_ellipse), level)
        terms = np.column_stack([2 * points, np.ones(len(points))])
        x, y, rest = np.linalg.lstsq(terms, (points**2).sum(axis=1), rcond=None)[0]
        return cls(np.array([x, y]), float(np.sqrt(rest + x * x + y * y)), to_pixels @ level.T)

    @property
    def circle(self) -> Array:
        return self.middle + self.radius * _UNIT

    @property
    def square(self) -> Array:
        return self.middle + self.radius * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])

    def seen(self, points: Array) -> Array:
        """Points (n, 2) of the plane in pixels."""
        return moved(points, self.way)

    def rim(self, picture: Image) -> float:
        """How clearly the inner or outer rim of level walls is seen that stand on the circle."""
        beside = np.array([1 - _BESIDE, 1 + _BESIDE])[:, None, None, None, None]
        rings = self.middle + beside * _WIDER[:, None, None] * self.radius * _UNIT
        spots = self.seen((_RISES[:, None, None, None] * rings).reshape(-1, 2)).astype(np.float32)
        shown = between(picture, spots.reshape(-1, len(_UNIT), 2))
        within, beyond = shown.astype(np.float64).reshape(2, -1, _ARCS, len(_UNIT) // _ARCS, 3)
        return float(np.abs((beyond - within).mean(axis=2)).mean(axis=(1, 2)).max())


def _lens(picture: Image) -> Array:
    """From points one unit before an everyday lens to pixels (3, 3)."""
    height, width = picture.shape[:2]
    focal = FOCAL * width
    return np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])


def _ellipse(points: Array) -> Array:
    """From the unit circle to the ellipse through points (n, 2), without a turn: (3, 3)."""
    (x, y), axes, degrees = cv2.fitEllipseDirect((points * _LARGE).astype(np.float32))
    turn = np.deg2rad(degrees)
    ways = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    found = np.eye(3)
    found[:2, :2] = ways @ np.diag(np.array(axes) / 2 / _LARGE) @ ways.T
    found[:2, 2] = x / _LARGE, y / _LARGE
    if np.isfinite(found).all() and abs(np.linalg.det(found)) >= 1e-9:
        apart = moved(points, np.asarray(np.linalg.inv(found), np.float64))
        if np.abs(np.linalg.norm(apart, axis=1) - 1).max() <= OFF:
            return found
    raise ToldError(EDGE_TEXT["no_circle"])


def _levels(to_ellipse: Array) -> Iterator[Array]:
    """The two turns (3, 3) by which a circle that is seen as an ellipse would lie level."""
    back = np.linalg.inv(to_ellipse)
    values, axes = np.linalg.eigh(back.T @ np.diag([1.0, 1.0, -1.0]) @ back)
    least, small, large = values  # below 0, and two above
    across = np.sqrt(max(large - small, 0.0) / (large - least))
    along = np.sqrt((small - least) / (large - least))
    for sign in (-1, 1):
        normal = sign * across * axes[:, 2] + along * axes[:, 0]
        yield _turn_upright(normal * np.sign(normal[2]))


def _turn_upright(normal: Array) -> Array:
    """The least turn (3, 3) that makes ``normal`` look along the lens."""
    axis = np.cross(normal, [0.0, 0.0, 1.0])
    sine = float(np.linalg.norm(axis))
    if sine < 1e-9:
        return np.eye(3)
    turn, _ = cv2.Rodrigues(axis / sine * np.arctan2(sine, normal[2]))
    return np.asarray(turn)
