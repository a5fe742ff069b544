"""Where a tray's floor ends: its walls, in millimetres of the floor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vision.patch import Floats


@dataclass(frozen=True, eq=False)
class Walls:
    """Those round a convex floor with ``corners`` (n, 2), one after the other."""

    corners: Floats

    @classmethod
    def rectangle(cls, width: float, height: float) -> Walls:
        """Round a floor of this size."""
        return cls(np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32))

    def room(self, points: Floats) -> Floats:
        """How far points (..., 2) are from the nearest wall (...,); negative beyond it."""
        inward, start = self._sides
        return np.asarray((points @ inward.T - start).min(axis=-1))

    @cached_property
    def _sides(self) -> tuple[Floats, Floats]:
        """Of each wall the unit vector (n, 2) into the tray, and where along that it stands."""
        along = np.roll(self.corners, -1, axis=0) - self.corners
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        middle = self.corners.mean(axis=0) - self.corners
        across *= np.sign((across * middle).sum(axis=1, keepdims=True))
        return across, (across * self.corners).sum(axis=1)
