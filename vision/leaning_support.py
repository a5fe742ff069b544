"""What may hold a tipped die: a wall or another die, under its raised edge or against its top.

A die stays tipped where its raised edge rests on something. One whose top leans against something
falls back flat by itself, and stays so only with something under its raised edge that is too small
to be seen, or in its shadow; but it reads as another face as easily, so that is tried, too. Such a
small thing may lie under a die that nothing else is near.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats
from vision.settings_leaning import LeaningSettings
from vision.walls import Walls

_ALONG = np.array([-0.45, 0.0, 0.45])  # of an edge, in sides: where it is looked at


@dataclass(frozen=True)
class Neighbour:
    """Another die that lies flat: its ``foot`` (4, 2) in mm of the floor, and its side."""

    foot: Floats
    size_mm: float

    @cached_property
    def _axes(self) -> tuple[Floats, Floats, float]:
        """Its foot's middle (2,), the ways (2, 2) along and across, and half of its side."""
        along = self.foot[1] - self.foot[0]
        side = float(np.linalg.norm(along))
        way = along / side
        return self.foot.mean(axis=0), np.array([[way[0], -way[1]], [way[1], way[0]]]), side / 2

    def gap(self, points: Floats) -> Floats:
        """How far points (..., 2) are beyond the nearest side of its foot; negative inside."""
        middle, ways, half = self._axes
        return np.asarray(np.abs((points - middle) @ ways).max(axis=-1) - half)


@dataclass(frozen=True)
class Support:
    """What stands around a die of ``size_mm``: the tray's ``walls`` and the dice ``beside`` it.

    Poses (n, 4) of a tipped die are x, y in mm of the floor, yaw and tip in radians.
    """

    size_mm: float
    walls: Walls
    beside: Sequence[Neighbour]
    settings: LeaningSettings

    def carries(self, poses: Floats) -> NDArray[np.bool_]:
        """Which tipped poses (n, 4) rest on something under their raised edge."""
        return np.asarray(self._room(self._raised(poses)) <= self.settings.touch_mm)

    def leans(self, poses: Floats) -> NDArray[np.bool_]:
        """Which tipped poses (n, 4) lean with their top against something."""
        against = self._room(self._leant(poses))
        within = -self.settings.within * self.size_mm
        return np.asarray((against <= self.settings.touch_mm) & (against >= within))

    def leaves_room(self, poses: Floats) -> NDArray[np.bool_]:
        """Which tipped poses (n, 4) have their raised edge in no other die.

        It may lie on one, or within it by as much as feet are seen wrong.
        """
        s, rise = self.settings, self.size_mm * np.sin(poses[:, 3])
        free = np.ones(len(poses), bool)
        for other, gap in zip(self.beside, self._gaps(self._raised(poses)), strict=True):
            above = rise > (1 - s.within) * other.size_mm
            free &= above | (-gap.min(axis=1) <= s.within * self.size_mm)
        return free

    def _raised(self, poses: Floats) -> Floats:
        """Three points (n, 3, 2) of the floor below the raised edge of tipped poses (n, 4)."""
        return self._edge(poses, np.cos(poses[:, 3]) - 0.5)

    def _leant(self, poses: Floats) -> Floats:
        """Three points (n, 3, 2) of the floor below the edge of the top that leans furthest out."""
        return self._edge(poses, -np.sin(poses[:, 3]) - 0.5)

    def _edge(self, poses: Floats, out: Floats) -> Floats:
        """Points (n, 3, 2) of the floor so far ``out`` (n,), in sides, the way poses tip up."""
        x, y, yaw, _ = poses.T[:, :, None]
        far, along = self.size_mm * out[:, None], self.size_mm * _ALONG
        across = x + far * np.cos(yaw) - along * np.sin(yaw)
        return np.stack([across, y + far * np.sin(yaw) + along * np.cos(yaw)], axis=2)

    def _room(self, edge: Floats) -> Floats:
        """How far edges (n, 3, 2) are from whatever stands nearest (n,)."""
        nearest = np.min([self.walls.room(edge), *self._gaps(edge)], axis=0)
        return np.asarray(nearest.min(axis=1))

    def _gaps(self, edge: Floats) -> list[Floats]:
        """How far points of the floor (n, 3, 2) are from the foot of each other die (n, 3)."""
        return [other.gap(edge) for other in self.beside]
