"""The plane of the tray's floor as a camera sees it: between its frames and the rectified tray.

It is apart from what the floor looks like: trays in any light, with their noise or without it,
share one plane, and with it the maps by which pictures are rectified, which take longer to make
than to use.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.bend import Bend
from vision.patch import Image, Quad
from vision.segment import Mask
from vision.walls import Walls

PixelMaps = tuple[NDArray[Any], NDArray[Any]]  # as `cv2.remap` takes them
_KEPT = 4  # planes: of the camera in use, of one before it or beside it


def grid(width: int, height: int) -> NDArray[np.float64]:
    """The pixels (width * height, 2) of a picture, row by row."""
    rows, columns = np.mgrid[:height, :width]
    return np.stack([columns.ravel(), rows.ravel()], axis=1).astype(np.float64)


def pixel_maps(spots: NDArray[Any], size: tuple[int, int]) -> PixelMaps:
    """Where each pixel of a picture of ``size`` (width, height) is taken from: ``spots`` (n, 2)."""
    x, y = np.asarray(spots, np.float32).reshape(size[1], size[0], 2).transpose(2, 0, 1)
    return cv2.convertMaps(x, y, cv2.CV_16SC2)


@dataclass(frozen=True)
class Plane:
    """``corners`` of the floor (x, y four times) in pixels of frames of ``frame`` (width, height),
    its ``size_mm``, the lens's ``barrel``; of the rectified tray the ``scale`` in pixels a
    millimetre and the ``rim`` round the floor in millimetres. ``edge``: where in frames a floor
    that is no rectangle ends (x, y of each corner of it), and ``corners`` go round that."""

    corners: tuple[float, ...]
    size_mm: tuple[float, float]
    frame: tuple[int, int]
    barrel: float
    scale: float
    rim: float
    edge: tuple[float, ...] = ()

    @property
    def _bend(self) -> Bend:
        return Bend(self.barrel, self.frame)

    @cached_property
    def _back(self) -> NDArray[np.float64]:
        """From the rectified tray to the frame, were its lines not bent."""
        width, height = self.size_mm
        quad = self._bend.straightened(np.reshape(self.corners, (4, 2)))
        floor = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) + self.rim
        there = cv2.getPerspectiveTransform(quad.astype(np.float32), floor * np.float32(self.scale))
        return np.asarray(np.linalg.inv(np.asarray(there, np.float64)))

    @cached_property
    def view(self) -> NDArray[np.float64]:
        """From millimetres of the floor to the frame, were its lines not bent: (3, 3)."""
        rim, scale = self.rim, self.scale
        to_px = np.array([[scale, 0, rim * scale], [0, scale, rim * scale], [0, 0, 1]])
        return np.asarray(self._back @ to_px)

    @cached_property
    def _pixels(self) -> PixelMaps:
        """Where in the frame each pixel of the rectified tray is seen."""
        return pixel_maps(self.to_frame(grid(*self.shape)), self.shape)

    @property
    def shape(self) -> tuple[int, int]:
        """Width and height of the rectified tray in pixels."""
        width, height = (round((side + 2 * self.rim) * self.scale) for side in self.size_mm)
        return width, height

    def rectify(self, frame: Image) -> Image:
        """The frame seen from straight above, black beyond the rim of the floor."""
        seen = np.asarray(cv2.remap(frame, *self._pixels, cv2.INTER_LINEAR), np.uint8)
        return np.asarray(cv2.bitwise_and(seen, seen, mask=self._seen)) if self.edge else seen

    @cached_property
    def walls(self) -> Walls:
        """Where the floor ends, in its millimetres."""
        if not self.edge:
            return Walls.rectangle(*self.size_mm)
        return Walls(self.to_floor(np.reshape(self.edge, (-1, 2))).astype(np.float32))

    @cached_property
    def inside(self) -> Mask:
        """Where the rectified tray shows the floor (255)."""
        return self._within(0.0)

    @cached_property
    def _seen(self) -> Mask:
        """Where it shows the floor or its rim (255)."""
        return self._within(-self.rim)

    @cached_property
    def bounds(self) -> NDArray[np.bool_]:
        """The outermost pixels of what it shows."""
        within = cv2.copyMakeBorder(self._seen, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=(0.0,))
        inner = cv2.erode(within, np.ones((3, 3), np.uint8))[1:-1, 1:-1]
        return np.asarray((self._seen > 0) & (inner == 0))

    def _within(self, room: float) -> Mask:
        """Where the middle of a pixel is ``room`` mm or more from the walls (255)."""
        spots = ((grid(*self.shape) + 0.5) / self.scale - self.rim).astype(np.float32)
        near = self.walls.room(spots).reshape(self.shape[::-1]) >= room
        return np.asarray(near * np.uint8(255))

    def to_floor(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Pixels (n, 2) of the frame in millimetres of the floor."""
        return self._from_frame(points, np.linalg.inv(self.view))

    def to_rectified(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Pixels (n, 2) of the frame in those of the rectified tray."""
        return self._from_frame(points, np.linalg.inv(self._back))

    def _from_frame(self, points: NDArray[Any], matrix: NDArray[Any]) -> NDArray[np.float64]:
        """Pixels (n, 2) of the frame, straightened, through ``matrix`` (3, 3)."""
        straight = self._bend.straightened(np.asarray(points, np.float64)).reshape(-1, 1, 2)
        return np.asarray(cv2.perspectiveTransform(straight, matrix).reshape(-1, 2), np.float64)

    def to_frame(self, points: NDArray[Any]) -> Quad:
        """Points (n, 2) of the rectified tray in pixels of the frame."""
        shaped = np.asarray(points, np.float64).reshape(-1, 1, 2)
        straight = cv2.perspectiveTransform(shaped, self._back).reshape(-1, 2)
        return self._bend.bent(straight).astype(np.float32)


plane = lru_cache(_KEPT)(Plane)
