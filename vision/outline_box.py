"""The tray as a box before a camera, and where its edges fall in the picture.

Plane coordinates are those of a plane one unit below the camera: the point
right below the camera is (0, 0), and a rectangle at height h is the floor's
rectangle scaled by the floor's depth over its own. Picture coordinates are
relative to the picture's centre, in units of its width.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.bend import bent, straightened

Array = NDArray[np.float64]


class Edge(StrEnum):
    """Which of the nested rectangles an edge belongs to."""

    FLOOR = "floor"
    RIM = "rim"
    OUTER = "outer"


@dataclass(frozen=True, slots=True)
class Camera:
    """``turn`` (3,): rotation vector from the tray's axes to the camera's; ``focal`` in picture
    widths; ``barrel``: how its lens bends straight lines (``vision.bend``)."""

    turn: Array
    focal: float
    barrel: float = 0.0

    @property
    def rotation(self) -> Array:
        return np.asarray(cv2.Rodrigues(np.asarray(self.turn, np.float64))[0], np.float64)

    @property
    def tilt(self) -> float:
        """Degrees between the optical axis and the plumb line."""
        return float(np.rad2deg(np.arccos(np.clip(self.rotation[2, 2], -1, 1))))

    def see(self, plane: Array) -> Array:
        """Plane coordinates (n, 2) to picture coordinates (n, 2)."""
        rays = np.column_stack([plane, np.ones(len(plane))]) @ self.rotation.T
        flat = self.focal * rays[:, :2] / rays[:, 2:]
        return bent(flat, self.barrel)

    def plane(self, seen: Array) -> Array:
        """Picture coordinates (n, 2) to plane coordinates (n, 2)."""
        flat = straightened(seen, self.barrel)
        rays = np.column_stack([flat / self.focal, np.ones(len(flat))]) @ self.rotation
        return np.asarray(rays[:, :2] / rays[:, 2:])


@dataclass(frozen=True, slots=True)
class Box:
    """``rim`` (4,): left, top, right, bottom of the walls' inner upper edges in plane coordinates.

    ``shrink`` is the floor's scale over the rim's, ``wall`` the walls' thickness.
    """

    rim: Array
    shrink: float
    wall: float

    def rectangle(self, edge: Edge) -> Array:
        """Left, top, right, bottom in plane coordinates."""
        match edge:
            case Edge.FLOOR:
                return self.rim * self.shrink
            case Edge.RIM:
                return self.rim
            case Edge.OUTER:
                return np.asarray(self.rim + self.wall * np.array([-1.0, -1.0, 1.0, 1.0]))

    def hidden(self) -> NDArray[np.bool_]:
        """(4,): which sides of the floor lie behind their own wall."""
        floor, rim = self.rectangle(Edge.FLOOR), self.rim
        return np.asarray((floor - rim) * np.array([1, 1, -1, -1]) <= 0)

    @property
    def ratio(self) -> float:
        """The floor's width over its height."""
        left, top, right, bottom = self.rim
        return float((right - left) / (bottom - top))


def corners(rectangle: Array) -> Array:
    """(4, 2), clockwise from top left."""
    left, top, right, bottom = rectangle
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]])


def orientation(across: Array, down: Array, focal: float) -> Camera | None:
    """The camera to which the tray's sides run to the points ``across`` and ``down`` (3,).

    None when the two directions cannot be at right angles at this focal length.
    """
    scale = np.array([1 / focal, 1 / focal, 1.0])
    axes = np.column_stack([_pointing(across * scale, 0), _pointing(down * scale, 1)])
    if abs(float(axes[:, 0] @ axes[:, 1])) > 0.35:
        return None
    left, _, right = np.linalg.svd(axes, full_matrices=False)
    axes = left @ right
    rotation = np.column_stack([axes, np.cross(axes[:, 0], axes[:, 1])])
    turn = np.asarray(cv2.Rodrigues(rotation)[0], np.float64).ravel()
    return Camera(turn, focal)


def _pointing(direction: Array, axis: int) -> Array:
    unit = direction / np.linalg.norm(direction)
    return np.asarray(unit if unit[axis] > 0 else -unit)


def best_focal(across: Array, down: Array) -> float | None:
    """Focal length at which the two vanishing points are at right angles, in picture widths."""
    product = float(across[:2] @ down[:2])
    depth = float(across[2] * down[2])
    if depth == 0 or product / depth >= 0:
        return None
    return float(np.sqrt(-product / depth))


def refocused(camera: Camera, box: Box, other: Camera) -> Box:
    """The box that looks to the ``other`` camera as ``box`` does to ``camera``."""
    seen = other.plane(camera.see(corners(box.rim)))
    left, right = seen[[0, 3], 0].mean(), seen[[1, 2], 0].mean()
    top, bottom = seen[[0, 1], 1].mean(), seen[[2, 3], 1].mean()
    growth = (right - left) / (box.rim[2] - box.rim[0])
    return Box(np.array([left, top, right, bottom]), box.shrink, box.wall * growth)
