"""Where a die stands, and what speaks for its standing otherwise than flat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.settings import Lean, SceneSettings
from vision.squares import Square
from vision.station import Body
from vision.tray import Tray
from vision.walls import Walls

SURELY = 8.0  # log odds: a network that is surer than this says no more
_HARDLY_APART = 0.25  # sides by which most dice that lean would seem apart from what holds them


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a die leaning.

    ``gain`` of a tipped cube over a flat one (``vision.leaning``); ``shown``: the log odds
    that its print gives the tipped one (``vision.foreshortening``), None without one;
    ``overlap`` in millimetres with what it touches, were both flat, and how many sides ``apart``
    they would be; ``sight``: the log odds a network gives it (``vision.leaning_sight``), None where
    it was not asked. ``leant``: the tipped cube leans with its top and rests on nothing that is
    seen; ``unheld``: nothing that is seen would hold it.
    """

    gain: float
    shown: float | None
    overlap: float
    sight: float | None = None
    leant: bool = False
    apart: float = 0.0
    unheld: bool = False

    def counted(self) -> Lean:
        """Each piece as far as it counts, in the order of its weights."""
        return Lean(
            gain=min(max(self.gain, -0.5), 1.5),
            shown=self.shown or 0.0,
            overlap=min(max(self.overlap - 0.3, 0.0), 6.0),
            apart=max(self.apart - _HARDLY_APART, 0.0),
            sight=min(max(self.sight or 0.0, -SURELY), SURELY),
            unshown=float(self.shown is None),
            leant=float(self.leant),
            unheld=float(self.unheld),
            base=1.0,
        )

    def lean(self, settings: SceneSettings) -> float:
        """Above 0 where the die is taken for leaning: a logistic fit on drawn stations."""
        weights = self._weights(settings)
        return sum(weight * part for weight, part in zip(weights, self.counted(), strict=True))

    def lacks(self, settings: SceneSettings) -> float:
        """The gain above which the die would be taken for leaning, all else as it is."""
        even, weights = replace(self, gain=0.0).lean(settings), self._weights(settings)
        return -even / weights.gain

    def _weights(self, settings: SceneSettings) -> Lean:
        return settings.lean_unseen if self.sight is None else settings.lean


Polygon = NDArray[np.float32]  # (4, 2) millimetres of the floor


def foot(square: Square, body: Body, tray: Tray) -> Polygon:
    """Where a die whose top is seen at ``square`` stands if it lies flat."""
    settings, view = tray.settings, tray.viewpoint
    top = body.true_top(square, tray) / settings.scale - settings.rim
    below = np.array([view.x, view.y], np.float32)
    return np.asarray(below + (top - below) * (1 - body.size_mm / view.z), np.float32)


def gap(one: Polygon, other: Polygon) -> float:
    """Millimetres between two squares by separating axes, never too large; negative: overlap."""
    axes = [
        _unit(edge)
        for square in (one, other)
        for edge in (square[1] - square[0], square[2] - square[1])
    ]
    return max(_apart(one @ axis, other @ axis) for axis in axes)


def _unit(edge: Polygon) -> Polygon:
    return np.asarray(edge / max(float(np.linalg.norm(edge)), 1e-6), np.float32)


def _apart(a: Polygon, b: Polygon) -> float:
    return float(max(b.min() - a.max(), a.min() - b.max()))


class Clearance(NamedTuple):
    """Millimetres from a die's foot to the nearest wall and die; negative: it cannot be."""

    wall: float
    die: float

    @property
    def nearest(self) -> float:
        """To whichever is nearer."""
        return min(self)


def clearances(feet: Sequence[Polygon], walls: Walls) -> list[Clearance]:
    """What room each foot has, were all the dice flat on the floor."""
    return [
        Clearance(
            float(walls.room(mine).min()),
            min((gap(mine, other) for other in feet if other is not mine), default=np.inf),
        )
        for mine in feet
    ]
