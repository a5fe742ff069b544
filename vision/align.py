"""Bring a patch into register with face templates: coarse search, then Gauss-Newton.

Coordinates are in half patches: (-1, -1) and (1, 1) are opposite corners of a
patch. A pose is a 3x3 homography from template to patch coordinates.
Source: inverse compositional alignment (Baker and Matthews, 2004) with the
brightness model of enhanced correlation (Evangelidis and Psarakis, 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Poses = NDArray[np.float64]  # (k, 3, 3)

REACH = 0.82  # of half a patch that shows the face: beyond lie its rim and what is beside it


@cache
def grid(side: int) -> Floats:
    """Homogeneous coordinates (3, side * side) of the pixels of a square template."""
    axis = (np.arange(side, dtype=np.float32) + 0.5) * 2 / side - 1
    x, y = np.meshgrid(axis, axis)
    return np.stack([x.ravel(), y.ravel(), np.ones(side * side, np.float32)])


@cache
def face_mask(side: int, reach: float = REACH) -> Floats:
    """Weights (side * side,) that fade out towards the rim and the round corners of a face."""
    x, y, _ = grid(side)
    radius = (np.abs(x) ** 6 + np.abs(y) ** 6) ** (1 / 6)
    return np.asarray(np.clip((reach - radius) * 8 + 0.5, 0, 1), np.float32)


@dataclass(frozen=True, slots=True)
class View:
    """Where the pixels of square templates lie in patches, each through its own pose (k, n)."""

    side: int
    x: Floats
    y: Floats
    depth: Floats

    @staticmethod
    def through(poses: Poses, side: int) -> View:
        """Through ``poses`` (k, 3, 3) with templates of ``side`` pixels."""
        spots = poses.astype(np.float32) @ grid(side)
        return View(side, spots[:, 0], spots[:, 1], np.maximum(spots[:, 2], 1e-3))

    def sample(self, image: Floats) -> Floats:
        """What is seen of ``image``: (k, side * side) or (k, side * side, channels)."""
        half_w, half_h = image.shape[1] / 2, image.shape[0] / 2
        x = self.x / self.depth * half_w + (half_w - 0.5)
        y = self.y / self.depth * half_h + (half_h - 0.5)
        shape = (len(x) * self.side, self.side)
        seen = cv2.remap(
            image,
            x.reshape(shape),
            y.reshape(shape),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        return np.asarray(seen, np.float32).reshape(*x.shape, *image.shape[2:])

    def inside(self) -> Floats:
        """1 where a template's pixel lies inside the patch, else 0: (k, side * side)."""
        far = np.maximum(np.abs(self.x), np.abs(self.y))
        return np.asarray(far <= self.depth, np.float32)


def sample(image: Floats, poses: Poses, side: int) -> Floats:
    """``image`` seen through each pose: (k, side * side) or (k, side * side, channels)."""
    return View.through(poses, side).sample(image)


def turned(angle: float, scale: float = 1.0, dx: float = 0.0, dy: float = 0.0) -> Poses:
    """The pose (3, 3) that turns by ``angle`` radians, then scales, then shifts."""
    c, s = np.cos(angle) * scale, np.sin(angle) * scale
    return np.array([[c, -s, dx], [s, c, dy], [0, 0, 1]])


def even(pose: Poses) -> Poses:
    """The affine pose (3, 3) with its stretch taken out: turn, size and place stay."""
    left, sizes, right = np.linalg.svd(pose[:2, :2])
    levelled = pose.copy()
    levelled[:2, :2] = left @ right * np.sqrt(sizes.prod())
    return levelled


def without_perspective(pose: Poses) -> Poses:
    """The affine pose (3, 3) that shows the middle of a picture as ``pose`` does."""
    affine = pose / pose[2, 2]
    affine[2, :2] = 0
    return np.asarray(affine)


def stretch(pose: Poses) -> float:
    """How much longer than wide a pose (3, 3) shows a square picture, 1 or more."""
    long, short = np.linalg.svd(pose[:2, :2], compute_uv=False)
    return float(long / max(short, 1e-6))


_CORNERS = np.array([[-1, 1, 1, -1], [-1, -1, 1, 1], [1, 1, 1, 1]], np.float64)
_QUARTERS = np.stack([np.roll(_CORNERS[:2], -k, axis=1) for k in range(4)])


def strain(poses: Poses) -> Floats:
    """How far poses (k, 3, 3) carry a face's corners from any quarter turn of the face, (k,).

    Root mean square in half patches: 0 for an exact quarter turn, about 0.14 for
    a tenth too large, 1.08 for an eighth of a turn.
    """
    moved = poses @ _CORNERS
    moved = moved[:, :2] / np.maximum(moved[:, 2:], 1e-3)
    off = ((moved[:, None] - _QUARTERS) ** 2).sum(axis=2).mean(axis=2)
    return np.asarray(np.sqrt(off.min(axis=1)))


def dots(a: Floats, b: Floats) -> Floats:
    """Scalar products (..., 1) of the rows of two arrays (..., n)."""
    return np.asarray((a[..., None, :] @ b[..., None])[..., 0])


def mean(rows: Floats, weights: Floats) -> Floats:
    """Weighted mean (..., 1) of each row (..., n)."""
    total = np.maximum(weights.sum(-1, keepdims=True), 1e-6)
    return np.asarray(dots(rows, weights) / total, np.float32)


def unit(rows: Floats, weights: Floats) -> Floats:
    """Each row made weighted zero mean and unit length; flat rows become zeros."""
    centred = rows - mean(rows, weights)
    norm = np.sqrt(dots(centred, centred * weights))
    return np.asarray(centred / np.maximum(norm, 1e-6), np.float32)


@dataclass(frozen=True, slots=True)
class Target:
    """What `refine` needs to know of the templates: k of them, each side * side pixels."""

    side: int
    pictures: Floats  # (k, n) zero mean, unit length under the mask
    steepest: Floats  # (k, 8, n) masked change of the picture with each parameter
    inverse: Floats  # (k, 8, 8) inverse Gauss-Newton matrix
    mask: Floats  # (n,) how much each pixel counts

    def take(self, index: NDArray[np.intp]) -> Target:
        """Those of the templates at ``index``."""
        found = self.pictures[index], self.steepest[index], self.inverse[index]
        return Target(self.side, *found, self.mask)


# What poses may do: rows of changes (m, 8) to the numbers of a homography.
ANY = np.eye(8, dtype=np.float32)
AFFINE = ANY[:6]  # perspective stays as it is
EVEN = np.stack([ANY[0] + ANY[4], ANY[3] - ANY[1], ANY[2], ANY[5]])  # grow, turn, shift


def target(
    templates: Floats, side: int, moves: Floats = ANY, damping: float = 0.02, reach: float = REACH
) -> Target:
    """Prepare templates (k, S, S) to be refined by ``moves`` (m, 8) against at ``side`` pixels.

    What lies further than ``reach`` from the middle, in half patches, does not count.
    """
    small = np.stack([cv2.resize(t, (side, side), interpolation=cv2.INTER_AREA) for t in templates])
    mask = face_mask(side, reach)
    flat = unit(small.reshape(len(small), -1), mask)
    shaped = flat.reshape(-1, side, side)
    step = side / 2  # pixels in one unit of the coordinates
    gx = np.stack([cv2.Scharr(t, cv2.CV_32F, 1, 0, scale=step / 32) for t in shaped])
    gy = np.stack([cv2.Scharr(t, cv2.CV_32F, 0, 1, scale=step / 32) for t in shaped])
    gx, gy = gx.reshape(len(flat), -1), gy.reshape(len(flat), -1)
    x, y, one = grid(side)
    radial = gx * x + gy * y
    changes = [gx * x, gx * y, gx * one, gy * x, gy * y, gy * one, -radial * x, -radial * y]
    plain = np.stack(changes, axis=1)
    # A change that only rescales or lifts the brightness says nothing of the pose.
    base = np.stack([flat, np.broadcast_to(1 / np.sqrt(mask.sum()), flat.shape)], axis=1)
    plain = plain - (plain * mask) @ base.transpose(0, 2, 1) @ base
    matrix = (plain * mask) @ plain.transpose(0, 2, 1)
    ridge = np.eye(8) * damping * np.trace(matrix, axis1=1, axis2=2)[:, None, None] / 8
    ridge[:, 6:, 6:] *= 6  # perspective is small on a die
    steep = moves @ (matrix.astype(np.float64) + ridge) @ moves.T
    inverse = moves.T @ np.linalg.inv(steep + np.eye(len(moves)) * 1e-9) @ moves
    steepest = (plain * mask).astype(np.float32)
    return Target(side, flat, steepest, inverse.astype(np.float32), mask)


def _compose(poses: Poses, change: Floats) -> Poses:
    """Each pose followed (on the template's side) by the inverse of a small change."""
    a, b, c, d, e, f, g, h = change.T.astype(np.float64)
    a, e = a + 1, e + 1
    # The inverse of rows (a, b, c), (d, e, f), (g, h, 1) but for its scale.
    back = np.array(
        [
            [e - f * h, c * h - b, b * f - c * e],
            [f * g - d, a - c * g, c * d - a * f],
            [d * h - e * g, b * g - a * h, a * e - b * d],
        ]
    )
    moved = poses @ back.transpose(2, 0, 1)
    return np.asarray(moved / moved[:, 2:, 2:])


def unexplained(image: Floats, goal: Target, poses: Poses) -> Floats:
    """What of ``image`` (S, S) seen through each pose is unlike its template, (k, n)."""
    view = View.through(poses, goal.side)
    visible = view.inside()
    weights = goal.mask * visible
    seen = view.sample(image)
    seen -= mean(seen, weights)
    weighed = seen * weights
    length = np.maximum(np.sqrt(dots(seen, weighed)), 1e-6)
    gain = np.maximum(dots(weighed, goal.pictures) / length, 0.2)
    return np.asarray((seen / (length * gain) - goal.pictures) * visible)


def refine(image: Floats, goal: Target, poses: Poses, steps: int, limit: float = 0.12) -> Poses:
    """Improve one pose a template so that ``image`` (S, S) seen through it matches."""
    for _ in range(steps):
        error = unexplained(image, goal, poses)
        change = goal.inverse @ (goal.steepest @ error[..., None])
        largest = np.abs(change).max(1)
        step = change[..., 0] * np.minimum(1, limit / np.maximum(largest, 1e-9))
        poses = _compose(poses, step)
    return poses
