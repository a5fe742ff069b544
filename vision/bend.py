"""How a lens bends straight lines, and the way back.

One number tells it, ``barrel``: the part of its distance from the picture's middle by which a point
one width of the picture away is seen further out. Below 0 straight lines bow outward, as through
most short lenses; above it inward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

_ROUNDS = 6  # each leaves a tenth of what was off, through the strongest lenses


def bent(points: Points, barrel: float | Points) -> Points:
    """Where straight lines' points (..., 2) are seen, in widths from the picture's middle.

    By one lens, or each by its own (..., 1).
    """
    return np.asarray(points * (1 + barrel * _squared(points)))


def straightened(seen: Points, barrel: float) -> Points:
    """Where points seen (..., 2) would be seen through a lens that bends nothing."""
    flat = seen
    for _ in range(_ROUNDS if barrel else 0):
        flat = seen / (1 + barrel * _squared(flat))
    return flat


def _squared(points: Points) -> Points:
    return np.asarray((points * points).sum(axis=-1, keepdims=True))


@dataclass(frozen=True, slots=True)
class Bend:
    """The bend of a camera's lens for pixels of its pictures of ``size`` (width, height)."""

    barrel: float
    size: tuple[int, int]

    def bent(self, pixels: NDArray[Any]) -> Points:
        """Pixels (n, 2) of a picture that bends nothing, in those of the camera's."""
        return self._moved(pixels, bent)

    def straightened(self, pixels: NDArray[Any]) -> Points:
        """Pixels (n, 2) of the camera's picture, in those of one that bends nothing."""
        return self._moved(pixels, straightened)

    def _moved(self, pixels: NDArray[Any], way: Any) -> Points:
        width, height = self.size
        middle = np.array([width - 1, height - 1]) / 2
        points = (np.asarray(pixels, np.float64) - middle) / width
        return np.asarray(way(points, self.barrel) * width + middle)
