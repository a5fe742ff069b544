"""Cameras and boxes moved until their lines lie on the picture's edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_box import Array, Box, Camera, Edge, corners
from vision.outline_boxes import (
    BARREL,
    EDGES,
    FOCAL,
    LINES,
    NUMBERS,
    SHRINK,
    SIDES,
    WALL,
    Boxes,
    Points,
)
from vision.outline_edges import normals, offsets, profiles, strongest
from vision.outline_steps import steps
from vision.settings_outline import OutlineSettings

Level = NDArray[np.float32]  # a levelled picture (h, w, 3)
_FLOOR, _RIM = EDGES.index(Edge.FLOOR), EDGES.index(Edge.RIM)
_MOST_BENT = 0.4  # barrel of a lens: none bends more
_BLURRED = np.arange(-12, 12.01, 0.5)  # pixels across a rim, in which it is seen to be soft


@dataclass(frozen=True, slots=True)
class Fit:
    """``support`` maps an edge to (4,): share of the points of each side that lie on an edge of
    the picture; NaN where it is hidden or outside. ``residual``: root mean
    square distance of edges from the box's, in pixels. ``score``: what all lines together say;
    ``parted``: what they say as far as each parts two surfaces.
    ``unseen``: how far in pixels the floor's hidden corners may be off, because a rounded rim
    looks lower and further out than it is."""

    camera: Camera
    box: Box
    support: dict[Edge, Array]
    residual: float
    score: float
    parted: float
    unseen: float = 0.0


def corners_of(camera: Camera, box: Box, edge: Edge) -> Array:
    """(4, 2) corners of a box's edge in the picture, in picture widths."""
    return camera.see(corners(box.rectangle(edge)))


def refine(
    level: Level,
    starts: Sequence[tuple[Camera, Box]],
    settings: OutlineSettings,
    windows: tuple[float, ...],
) -> list[Fit]:
    """Gauss-Newton on the offsets of the visible edges, outliers weighed down (Tukey).

    Of each start that its edges determine, in their order.
    """
    if not starts:
        return []
    boxes = Boxes.of(starts)
    likely = _Likely.near(boxes, settings)
    for window in windows:
        seen = _measured(level, boxes, window, settings)
        told = seen.weights.sum(axis=1) >= 2 * settings.samples
        if not told.any():
            return []
        boxes, likely, seen = Boxes(boxes.numbers[told]), likely.of(told), seen.of(told)
        boxes = _moved(boxes, _Pull.of(seen, likely, level.shape[1], settings), settings)
    return _judged(level, boxes, settings)


def lens_doubt(level: Level, fit: Fit, settings: OutlineSettings) -> float:
    """How far the logarithm of a fitted focal length may be off.

    Points of one line are off alike, so each line tells as much as two of them. Rounded edges
    give another box, and that does not fit to a hair.
    """
    least = settings.well if fit.residual <= settings.exact else settings.hardly
    boxes = Boxes.of([(fit.camera, fit.box)])
    seen = _measured(level, boxes, settings.windows[-1], settings)
    slopes = boxes.slopes(_points(settings), seen.across)[0] * level.shape[1]
    off = max(fit.residual, least.line)
    told = slopes.T @ (slopes * seen.weights[0, :, None]) * (2 / settings.samples / off**2)
    told += np.diag(_Likely.near(boxes, settings).sigma ** -2)
    doubt = np.sqrt(np.linalg.inv(told)[FOCAL, FOCAL])
    return float(np.hypot(doubt, least.focal))


def _points(settings: OutlineSettings) -> Points:
    return Points.along(settings.samples, settings.margin)


def _by_line(points: Array) -> Array:
    """What is known of all points (b, n, ...) of b boxes, by their lines (b * LINES, s, ...)."""
    lines = len(points) * LINES
    return points.reshape(lines, -1, *points.shape[2:])


@dataclass(frozen=True)
class _Likely:
    """Where numbers are likely that edges do not tell: ``middle`` (b, NUMBERS).

    ``sigma`` (NUMBERS,) is how far from there they may be.
    """

    middle: Array
    sigma: Array

    @staticmethod
    def near(boxes: Boxes, settings: OutlineSettings) -> _Likely:
        """A usual lens, and walls as the boxes have them."""
        middle = boxes.numbers.copy()
        middle[:, FOCAL], middle[:, BARREL] = np.log(settings.focal), 0.0
        sigma = np.full(NUMBERS, 1e3)
        sigma[FOCAL], sigma[BARREL] = settings.focal_sigma, settings.barrel_sigma * 4
        sigma[[SHRINK, WALL]] = 0.05
        return _Likely(middle, sigma)

    def of(self, kept: NDArray[np.bool_]) -> _Likely:
        """Of the boxes ``kept`` (b,)."""
        return _Likely(self.middle[kept], self.sigma)

    def off(self, boxes: Boxes) -> Array:
        """How far (b, NUMBERS) boxes are from there."""
        return np.asarray((boxes.numbers - self.middle) / self.sigma)


@dataclass(frozen=True)
class _Measured:
    """Where edges are ``found`` (b, n) ``across`` (b, n, 2) the lines of boxes, in pixels.

    ``placed`` (b, n, 2) is where the points of those lines are seen, in picture widths;
    ``weights`` (b, n) is how far each counts; beyond ``soft`` pixels it counts ever less.
    """

    placed: Array
    across: Array
    found: Array
    weights: Array
    soft: float

    def of(self, kept: NDArray[np.bool_]) -> _Measured:
        """Of the boxes ``kept`` (b,)."""
        placed, across = self.placed[kept], self.across[kept]
        return _Measured(placed, across, self.found[kept], self.weights[kept], self.soft)


def _measured(level: Level, boxes: Boxes, window: float, settings: OutlineSettings) -> _Measured:
    placed = boxes.place(_points(settings))
    across = normals(_by_line(placed))
    share = 1.0 if window > settings.windows[1] else 0.5
    looked = np.minimum(window, _room(boxes, level.shape[1], share)).ravel()
    pixels = _pixels(level, _by_line(placed))
    found, strength = offsets(level, pixels, across, looked, settings)
    weights = _weights(found, strength, window, settings)
    shown = np.ones((len(placed), LINES), np.bool_)
    shown[:, :4] = ~boxes.hidden
    weights *= shown.reshape(-1, 1)
    shape = placed.shape[:2]
    seen = np.nan_to_num(found).reshape(shape)
    sideways = across.reshape(placed.shape)
    return _Measured(placed, sideways, seen, weights.reshape(shape), window / 3)


def _pixels(level: Level, points: Array) -> Array:
    """Picture coordinates (..., 2) in pixels of the picture."""
    height, width = level.shape[:2]
    return np.asarray(points * width + [(width - 1) / 2, (height - 1) / 2])


def _room(boxes: Boxes, width: int, share: float) -> Array:
    """How far in pixels (b, LINES) an edge may be sought before it is the neighbouring line's."""
    floor, rim, outer = boxes.corners.transpose(1, 0, 2, 3) * width
    within, beyond = _gaps(floor, rim), _gaps(rim, outer)
    gaps = np.concatenate([within, np.minimum(within, beyond), beyond], axis=1)
    return np.maximum(share * gaps, 1.5)


def _behind_rim(boxes: Boxes, width: int) -> Array:
    """How far in pixels (b, 4) the floor's sides are seen from the rim's."""
    corners = boxes.corners * width
    return _gaps(corners[:, _FLOOR], corners[:, _RIM])


def _gaps(inner: Array, outer: Array) -> Array:
    """Distances (b, 4) between the sides of two nested quadrilaterals (b, 4, 2)."""
    sides = np.array(SIDES)
    ends, others = outer[:, sides], inner[:, sides]  # (b, 4, 2, 2)
    across = normals(ends)[:, :, 0]
    return np.asarray(np.abs(((others - ends).mean(axis=2) * across).sum(axis=-1)))


def _weights(found: Array, strength: Array, window: float, settings: OutlineSettings) -> Array:
    """(k, s): points that agree with their line and lie on a clear edge count."""
    lost = np.isnan(found)
    usable = (lost.mean(axis=1) <= settings.lost)[:, None]
    filled = np.where(lost & usable, np.nan, np.nan_to_num(found))
    off = (filled - _median(filled)) / (settings.tukey * max(1.0, window / 3))
    robust = np.where(np.abs(off) < 1, (1 - off**2) ** 2, 0) * usable
    clear = strength / (strength + settings.least_step * 2)
    return np.asarray(np.nan_to_num(robust) * clear)


def _median(rows: Array) -> Array:
    """As `numpy.nanmedian` of each row, (k, 1), which takes ten times as long for short ones."""
    ordered = np.sort(rows, axis=1)  # what is not a number comes last
    known = np.count_nonzero(~np.isnan(rows), axis=1)
    middle = np.stack([(known - 1) // 2, known // 2], axis=1)
    return np.asarray(np.take_along_axis(ordered, middle, axis=1).mean(axis=1, keepdims=True))


@dataclass(frozen=True)
class _Pull:
    """What draws boxes: edges that were measured once, and where numbers are likely.

    ``target`` (b, n, 2) is where ``points`` of their lines should be seen, in pixels of a picture
    so wide, as far as each was measured ``across`` its line.
    """

    points: Points
    target: Array
    seen: _Measured
    likely: _Likely
    width: int

    @staticmethod
    def of(seen: _Measured, likely: _Likely, width: int, settings: OutlineSettings) -> _Pull:
        """By edges ``seen`` beside the lines of boxes in a picture so wide."""
        target = seen.placed * width + seen.found[..., None] * seen.across
        return _Pull(_points(settings), target, seen, likely, width)

    def off(self, boxes: Boxes) -> Array:
        """How far in pixels (b, n) edges lie from the boxes' lines."""
        apart = self.target - boxes.place(self.points) * self.width
        return np.asarray((apart * self.seen.across).sum(axis=-1))

    def cost(self, boxes: Boxes, off: Array) -> Array:
        """How much (b,) speaks against boxes; the farther an edge, the less by each pixel more."""
        bent = self.seen.soft**2 * np.log1p((off / self.seen.soft) ** 2)
        apart = self.likely.off(boxes) ** 2
        return np.asarray((self.seen.weights * bent).sum(axis=1) + apart.sum(axis=1))

    def step(self, boxes: Boxes, off: Array, damping: Array) -> Array:
        """By how much (b, NUMBERS) boxes should move; ``damping`` (b,) makes it less."""
        slopes = boxes.slopes(self.points, self.seen.across) * self.width
        robust = self.seen.weights / (1 + (off / self.seen.soft) ** 2)
        turned, sigma = slopes.transpose(0, 2, 1), self.likely.sigma
        normal = turned @ (slopes * robust[..., None]) + np.diag(sigma**-2)
        right = turned @ (off * robust)[..., None] - (self.likely.off(boxes) / sigma)[..., None]
        damped = normal * (1 + damping[:, None, None] * np.eye(NUMBERS))
        return np.asarray(np.linalg.solve(damped, right)[..., 0], np.float64)


def _moved(boxes: Boxes, pull: _Pull, settings: OutlineSettings) -> Boxes:
    """Cameras and boxes where they are drawn to (Levenberg-Marquardt)."""
    damping, off = np.full(len(boxes.numbers), 1e-2), pull.off(boxes)
    now = pull.cost(boxes, off)
    for _ in range(settings.steps):
        moved = boxes.numbers + pull.step(boxes, off, damping)
        sound = _sound(Boxes(moved), settings)[:, None]
        trial = Boxes(np.where(sound, moved, boxes.numbers))
        off_then = pull.off(trial)
        then = pull.cost(trial, off_then)
        better = then < now
        boxes = Boxes(np.where(better[:, None], trial.numbers, boxes.numbers))
        now, off = np.where(better, then, now), np.where(better[:, None], off_then, off)
        damping = np.where(better, damping / 5, damping * 10)
    return boxes


def _sound(boxes: Boxes, settings: OutlineSettings) -> NDArray[np.bool_]:
    """Which (b,) are cameras above a box whose floor lies below its rim."""
    low, high = settings.focal_range
    _, rim, _ = boxes.rectangles.transpose(1, 0, 2)
    shrink = boxes.numbers[:, SHRINK]
    return np.asarray(
        np.isfinite(boxes.numbers).all(axis=1)
        & (np.abs(boxes.numbers[:, BARREL]) <= _MOST_BENT)
        & (low <= boxes.focal)
        & (boxes.focal <= high)
        & (boxes.rotation[:, 2, 2] >= np.cos(np.deg2rad(settings.steepest)))
        & (settings.deepest < shrink)
        & (shrink < settings.shallowest)
        & (boxes.numbers[:, WALL] > settings.thinnest)
        & (rim[:, 2:] > rim[:, :2]).all(axis=1)
    )


def _judged(level: Level, boxes: Boxes, settings: OutlineSettings) -> list[Fit]:
    """How well the lines of each box lie on the picture's edges."""
    seen = _measured(level, boxes, settings.windows[-1], settings)
    pixels = _pixels(level, _by_line(seen.placed))
    across, weights, found = map(_by_line, (seen.across, seen.weights, seen.found))
    good = np.exp(-0.5 * (found / settings.sharp) ** 2) * weights
    support = np.where(weights.any(axis=1), good.mean(axis=1), np.nan)
    parting = np.minimum(1.0, steps(level, pixels, across, settings) / settings.parting)
    gain = support - settings.expected
    partly = gain * np.where(gain > 0, parting, 1.0)
    score, parted = (_score(each, boxes, level.shape[1], settings) for each in (gain, partly))
    total = np.maximum(seen.weights.sum(axis=1), 1e-9)
    scatter = np.sqrt((seen.weights * seen.found**2).sum(axis=1) / total)
    unseen = _unseen(level, boxes, pixels, across, settings)
    sides = (dict(zip(EDGES, each, strict=True)) for each in support.reshape(-1, 3, 4))
    numbers = np.stack([scatter, score, parted, unseen], axis=1).tolist()
    told = zip(boxes.each(), sides, numbers, strict=True)
    return [Fit(camera, box, side, *each) for (camera, box), side, each in told]


def _unseen(
    level: Level, boxes: Boxes, pixels: Array, across: Array, settings: OutlineSettings
) -> Array:
    """Softness of the rim times the width of the widest strip of floor it hides (b,), in pixels."""
    soft = (settings.crisp - _sharpness(level, pixels, across, settings)) / settings.crisp
    widest = np.where(boxes.hidden, _behind_rim(boxes, level.shape[1]), 0).max(axis=1)
    return np.asarray(np.clip(soft, 0, 1) * widest)


def _sharpness(level: Level, pixels: Array, across: Array, settings: OutlineSettings) -> Array:
    """Slope across the rim over its slope when blurred: about 3 for a knife's edge, 1 for a ball.

    (b,), by ``pixels`` and ``across`` (b * LINES, s, 2) of all lines. A near wall's rim stands out
    against the floor however round it is, so the softest two of the four sides tell.
    """
    rims = np.arange(len(pixels)) % LINES // 4 == _RIM
    strip = profiles(level, pixels[rims], across[rims], _BLURRED)
    strip = strip.reshape(-1, *strip.shape[2:])
    fine, coarse = (_slope(strip, sigma) for sigma in settings.blurs)
    sharp = (fine / (coarse + settings.least_step)).reshape(-1, len(SIDES), settings.samples)
    return np.asarray(np.sort(np.median(sharp, axis=2), axis=1)[:, :2].mean(axis=1))


def _slope(strip: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """Steepest slope (n,) within 1.5 pixels of the middle of each profile (n, r, 3)."""
    smooth = cv2.GaussianBlur(strip, (0, 0), sigmaX=sigma, sigmaY=0.01)
    steps = strongest(np.asarray(smooth[:, 2:] - smooth[:, :-2], np.float32))
    middle = steps.shape[1] // 2
    return np.asarray(steps[:, middle - 3 : middle + 4].max(axis=1))


def _score(gains: Array, boxes: Boxes, width: int, settings: OutlineSettings) -> Array:
    """What a box's lines speak for it (b,); lines as good as on another's place are not counted.

    ``gains`` (b * LINES,) are what each line speaks for it by itself.
    """
    floor, rim, outer = gains.reshape(-1, len(EDGES), len(SIDES)).transpose(1, 0, 2)
    floor = np.where(_behind_rim(boxes, width) < settings.apart, np.nan, floor)
    inner = np.where(np.isnan(floor), rim, floor)
    total = np.nansum(np.stack([floor, rim, outer, inner]), axis=(0, 2))
    odd = np.log(boxes.focal / settings.focal) / settings.focal_sigma
    return np.asarray(total - 0.1 * odd**2)
