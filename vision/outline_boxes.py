"""Many trays before their cameras at once, as numbers that a fit moves.

For all together places and slopes take little longer than for one: of a few hundred points
most time goes into asking, not into counting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.bend import bent
from vision.outline_box import Array, Box, Camera, Edge

EDGES = (Edge.FLOOR, Edge.RIM, Edge.OUTER)
SIDES = ((3, 0), (0, 1), (1, 2), (2, 3))  # left, top, right, bottom as pairs of corners
LINES = len(EDGES) * len(SIDES)  # of a box: the sides of its floor, then of its rim, ...

NUMBERS = (
    11  # the camera's turn (3), logarithm of focal and barrel; the box's rim (4), shrink, wall
)
TURN, FOCAL, BARREL, RIM, SHRINK, WALL = slice(3), 3, 4, slice(5, 9), 9, 10

_OUT = np.array([-1.0, -1.0, 1.0, 1.0])
_CORNERS = np.array([(0, 1), (2, 1), (2, 3), (0, 3)])  # of a rectangle's numbers, as `corners`


@dataclass(frozen=True)
class Points:
    """Points along the lines of a box, one line after another.

    ``edge`` (n,) counts EDGES; ``right`` and ``down`` (n,) are the points' places between left
    and right, top and bottom.
    """

    edge: NDArray[np.intp]
    right: Array
    down: Array

    @staticmethod
    def along(many: int, margin: float) -> Points:
        """``many`` on each line; corners are left out by ``margin`` of a side."""
        share = np.linspace(margin, 1 - margin, many)
        none, whole = np.zeros(many), np.ones(many)
        right = np.concatenate([none, share, whole, 1 - share])
        down = np.concatenate([1 - share, none, share, whole])
        edge = np.repeat(np.arange(len(EDGES)), len(right))
        return Points(edge, np.tile(right, len(EDGES)), np.tile(down, len(EDGES)))


@dataclass(frozen=True)
class Boxes:
    """``numbers`` (b, NUMBERS) of b cameras, each with the box it sees."""

    numbers: Array

    @staticmethod
    def of(seen: Sequence[tuple[Camera, Box]]) -> Boxes:
        """The numbers of cameras and boxes, one at least."""
        rows = [
            (*camera.turn, np.log(camera.focal), camera.barrel, *box.rim, box.shrink, box.wall)
            for camera, box in seen
        ]
        return Boxes(np.array(rows, np.float64))

    def each(self) -> list[tuple[Camera, Box]]:
        """They one by one."""
        return [
            (
                Camera(row[TURN], float(np.exp(row[FOCAL])), float(row[BARREL])),
                Box(row[RIM], float(row[SHRINK]), float(row[WALL])),
            )
            for row in self.numbers
        ]

    @cached_property
    def focal(self) -> Array:
        """(b,) in picture widths."""
        return np.exp(self.numbers[:, FOCAL])

    @cached_property
    def rotation(self) -> Array:
        """(b, 3, 3), from the tray's axes to the camera's."""
        return np.array([cv2.Rodrigues(turn)[0] for turn in self.numbers[:, TURN]])

    @cached_property
    def rectangles(self) -> Array:
        """(b, 3, 4): left, top, right, bottom of EDGES in plane coordinates."""
        rim, wall = self.numbers[:, RIM], self.numbers[:, WALL, None]
        floor = rim * self.numbers[:, SHRINK, None]
        return np.stack([floor, rim, rim + wall * _OUT], axis=1)

    @cached_property
    def hidden(self) -> NDArray[np.bool_]:
        """(b, 4): which sides of the floor lie behind their own wall."""
        floor, rim, _ = self.rectangles.transpose(1, 0, 2)
        return np.asarray((floor - rim) * _OUT >= 0)

    @cached_property
    def corners(self) -> Array:
        """(b, 3, 4, 2): the corners of EDGES as they are seen, in picture widths."""
        plane = self.rectangles[..., _CORNERS]
        return self._seen(plane.reshape(len(plane), -1, 2)).reshape(plane.shape)

    def place(self, points: Points) -> Array:
        """Where ``points`` are seen, (b, n, 2), in picture widths from the picture's middle."""
        return self._seen(self._on_plane(points))

    def _on_plane(self, points: Points) -> Array:
        """``points`` (b, n, 2) in plane coordinates."""
        left, top, right, bottom = self.rectangles[:, points.edge].transpose(2, 0, 1)
        x, y = left + points.right * (right - left), top + points.down * (bottom - top)
        return np.stack([x, y], axis=-1)

    def _seen(self, plane: Array) -> Array:
        return bent(self._flat(self._rays(plane)), self.numbers[:, BARREL, None, None])

    def _rays(self, plane: Array) -> Array:
        """(b, n, 3): from the camera to points (b, n, 2) of the plane."""
        turned = self.rotation.transpose(0, 2, 1)
        return np.asarray(plane @ turned[:, :2] + turned[:, 2:])

    def _flat(self, rays: Array) -> Array:
        """(b, n, 2): where they would be seen through a lens that bends nothing."""
        return np.asarray(self.focal[:, None, None] * rays[..., :2] / rays[..., 2:])

    def slopes(self, points: Points, across: Array) -> Array:
        """How far (b, n, NUMBERS) ``points`` move ``across`` (b, n, 2) their lines, by each number.

        The derivatives of `place`, in picture widths.
        """
        plane = self._on_plane(points)
        rays = self._rays(plane)
        flat, barrel = self._flat(rays), self.numbers[:, BARREL, None]
        # How a small step of a ray, then of the undistorted point, shows across the line.
        squared, along = (flat**2).sum(axis=-1), (flat * across).sum(axis=-1)
        bending = (1 + barrel * squared)[..., None] * across
        by_flat = bending + (2 * barrel * along)[..., None] * flat
        by_focal = (by_flat * flat).sum(axis=-1)
        focal = self.focal[:, None, None]
        by_ray = np.concatenate([focal * by_flat, -by_focal[..., None]], axis=-1) / rays[..., 2:]
        camera = [*self._by_turn(plane, by_ray), by_focal, along * squared]
        by_plane = (by_ray @ self.rotation)[..., :2]
        return np.stack([*camera, *self._by_box(points, plane, by_plane)], axis=-1)

    def _by_turn(self, plane: Array, by_ray: Array) -> list[Array]:
        """The derivatives (b, n) by the three numbers of the camera's turn."""
        turning = np.array([cv2.Rodrigues(turn)[1] for turn in self.numbers[:, TURN]])
        by_each = turning.reshape(-1, 3, 3, 3).transpose(1, 0, 2, 3)  # three times (b, 3, 3)
        upright = np.concatenate([plane, np.ones_like(plane[..., :1])], axis=-1)
        return [((by_ray @ turned) * upright).sum(axis=-1) for turned in by_each]

    def _by_box(self, points: Points, plane: Array, by_plane: Array) -> list[Array]:
        """The derivatives (b, n) by the rim's four sides, shrink and wall."""
        on_floor, on_top = (points.edge == EDGES.index(edge) for edge in (Edge.FLOOR, Edge.OUTER))
        shrink = self.numbers[:, SHRINK, None]
        scale = np.where(on_floor, shrink, 1.0)
        x, y = by_plane[..., 0] * scale, by_plane[..., 1] * scale
        right, down = points.right, points.down
        by_shrink = np.where(on_floor, (by_plane * plane).sum(axis=-1) / shrink, 0)
        outward = by_plane[..., 0] * (2 * right - 1) + by_plane[..., 1] * (2 * down - 1)
        by_wall = np.where(on_top, outward, 0)
        return [x * (1 - right), y * (1 - down), x * right, y * down, by_shrink, by_wall]
