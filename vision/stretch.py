"""How surely a print is seen longer than wide: on a die that lies flat it never is.

The rectified tray shows every level face undistorted, wherever it lies. A print that is seen
stretched is on a die that leans, unless the measure is poor: few thin strokes, or wear and
grain that differ from die to die. So it is given with its standard error, which follows from
how much of the picture the fit leaves unexplained.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.align import (
    AFFINE,
    Floats,
    Poses,
    View,
    dots,
    even,
    refine,
    stretch,
    target,
    unit,
    without_perspective,
)
from vision.patch import PATCH
from vision.settings_faces import FaceSettings

ROUGHLY = 0.3  # of the stretch a tipped cube foretells: its tip is known no better


@dataclass(frozen=True, slots=True)
class Stretch:
    """How much longer than wide a print is seen, as a logarithm; 0 is not stretched at all."""

    log: float
    error: float  # its standard error

    @property
    def in_errors(self) -> float:
        """How surely it is seen stretched, in standard errors."""
        return self.log / self.error

    def short_of(self, log: float) -> float:
        """By how many errors it is seen less stretched than by ``log``; 0 where it is not."""
        return max(0.0, log - self.log) / float(np.hypot(self.error, ROUGHLY * log))


def print_stretch(
    picture: Floats, template: Floats, pose: Poses, settings: FaceSettings
) -> Stretch:
    """How far ``template`` (P, P) is seen stretched in ``picture`` (P, P).

    ``pose`` (3, 3) is about where.
    """
    start = even(without_perspective(pose))
    goal = target(template[None], PATCH, AFFINE, settings.stretch_damping, settings.stretch_reach)
    found = refine(picture, goal, start[None], settings.stretch_steps)
    view = View.through(found, PATCH)
    weights = goal.mask * view.inside()
    seen = unit(view.sample(picture), weights)
    explained = float(dots(seen * weights, goal.pictures)[0, 0])
    # Neighbouring pixels err alike: so many of them are one witness.
    witnesses = max(float(weights.sum()) / settings.stretch_alike, 1.0)
    spread = goal.inverse[0].astype(np.float64) * max(1 - explained**2, 0.0) / witnesses
    # Of the two ways to be longer than wide: along the picture's sides, and along its diagonals.
    straight = spread[0, 0] + spread[4, 4] - 2 * spread[0, 4]
    slanting = spread[1, 1] + spread[3, 3] + 2 * spread[1, 3]
    error = np.sqrt(max(straight, 0.0)) + np.sqrt(max(slanting, 0.0))
    whole = float(np.hypot(error, settings.stretch_error))
    return Stretch(float(np.log(stretch(found[0]))), whole)
