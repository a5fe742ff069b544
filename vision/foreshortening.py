"""How a print is seen foreshortened: on a die that lies flat it is not.

The rectified tray shows every level face of a kind as large as any other, wherever it lies, and
undistorted. The top of a die that leans is seen shorter one way; tipped towards a camera that
looks aslant, even longer; that of a die on another larger. A cube that stands so foretells how,
so what is seen is weighed: is it rather as a flat cube's top or as that one's? Measures are given
with their covariance, which follows from what the fit leaves unexplained, place by place: wear and
grain come in spots. Some are off by far more, so they err as Student's t distribution does.
Sources: Hencky's logarithmic strain; White's covariance, by clusters (Liang and Zeger, 1986).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.align import (
    AFFINE,
    Floats,
    Poses,
    Target,
    even,
    refine,
    target,
    unexplained,
    without_perspective,
)
from vision.patch import PATCH
from vision.settings_faces import FaceSettings

FREEDOM = 2.0  # degrees of freedom of Student's distribution: its tails are long
PLAINLY = 4.0  # log odds: a print that is plainer than this says no more
SPOT = 8  # pixels of a patch: what is left unexplained errs alike within a square as wide
# Of the numbers of a homography what makes a face larger, longer along x, along a diagonal.
_PARTS = np.zeros((3, 8))
_PARTS[0, [0, 4]] = _PARTS[1, 0] = _PARTS[2, [1, 3]] = 0.5
_PARTS[1, 4] = -0.5


@dataclass(frozen=True, slots=True)
class Foreshortening:
    """How a print is seen beside that of a flat die.

    ``log`` (3,): how much larger it is seen, longer one way than across, and so on the diagonal
    (`logarithm`); ``spread`` (3, 3) is the covariance of its errors.
    """

    log: Floats
    spread: Floats

    @staticmethod
    def agreed(views: Sequence[Foreshortening]) -> Foreshortening:
        """What several views of one print tell: by how much they differ, they are wrong."""
        logs, spreads = (np.stack([getattr(v, name) for v in views]) for name in ("log", "spread"))
        mean = logs.mean(axis=0)
        apart = logs - mean
        return Foreshortening(mean, spreads.mean(axis=0) + apart.T @ apart / len(views))

    def odds(self, foretold: Floats, likely: Floats) -> float:
        """The log odds that it is as one of those ``foretold`` rather than as a flat die's.

        Of a die that stands otherwise it may be as any of them (n, 3), each as ``likely`` (n,).
        """
        otherwise = float(self._chance(foretold) @ likely / likely.sum())
        flat = float(self._chance(np.zeros((1, 3)))[0])
        return float(np.clip(np.log(otherwise / flat), -PLAINLY, PLAINLY))

    def _chance(self, true: Floats) -> Floats:
        """How likely (n,) it is to be measured where it is ``true`` (n, 3), but for a factor."""
        off = self.log - true
        square = (off @ np.linalg.inv(self.spread) * off).sum(axis=1)
        return np.asarray((1 + square / FREEDOM) ** (-(FREEDOM + off.shape[1]) / 2))


def logarithm(ways: Floats) -> Floats:
    """Of linear maps (..., 2, 2) the logarithms (..., 3) of what they do to a circle.

    How much larger they make it, longer along x than along y, and along one diagonal than along
    the other; each by so much more as its parts are apart from their mean.
    """
    metric = ways @ np.swapaxes(ways, -1, -2)
    half = (metric[..., 0, 0] - metric[..., 1, 1]) / 2
    apart = np.hypot(half, metric[..., 0, 1])
    mean = (metric[..., 0, 0] + metric[..., 1, 1]) / 2
    long, short = np.log(mean + apart), np.log(np.maximum(mean - apart, 1e-6))
    shape = (long - short) / 4 / np.maximum(apart, 1e-12)
    return np.stack([(long + short) / 4, shape * half, shape * metric[..., 0, 1]], axis=-1)


def measured(
    picture: Floats, template: Floats, pose: Poses, onto: Floats, settings: FaceSettings
) -> Foreshortening:
    """How ``template`` (P, P) is seen in ``picture`` (P, P), beginning from ``pose`` (3, 3).

    ``onto`` (2, 2) leads from there to where a flat die's print is as it was enrolled, turned.
    """
    start = even(without_perspective(pose))
    goal = target(template[None], PATCH, AFFINE, settings.measured_damping, settings.measured_reach)
    found = refine(picture, goal, start[None], settings.measured_steps)
    way = onto @ found[0, :2, :2]
    turned = _shape_turned(np.arctan2(way[1, 0] - way[0, 1], way[0, 0] + way[1, 1])) @ _PARTS
    floor = np.diag([settings.size_error, settings.shape_error, settings.shape_error]) ** 2
    return Foreshortening(logarithm(way), turned @ _spread(picture, goal, found) @ turned.T + floor)


def _shape_turned(angle: float) -> Floats:
    """What a turn of the picture does (3, 3) to logarithms: a shape turns by twice as much."""
    cos, sin = np.cos(2 * angle), np.sin(2 * angle)
    return np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])


def _spread(picture: Floats, goal: Target, found: Poses) -> Floats:
    """The covariance (8, 8) of the pose ``found`` (1, 3, 3)."""
    pulls = goal.steepest[0] * unexplained(picture, goal, found)[0]
    spots = pulls.reshape(8, PATCH // SPOT, SPOT, PATCH // SPOT, SPOT).sum(axis=(2, 4))
    moved = goal.inverse[0].astype(np.float64) @ spots.reshape(8, -1)
    return np.asarray(moved @ moved.T)
