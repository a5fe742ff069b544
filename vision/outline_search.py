"""The box that most straight edges of the rectified picture speak for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.distinct import distinct
from vision.outline_box import Array, Box, Camera
from vision.outline_edges import strongest
from vision.patch import between, blur
from vision.settings_outline import OutlineSettings


@dataclass(frozen=True, slots=True)
class Rectified:
    """How likely each pixel lies on a straight edge along the rows or the columns.

    ``across`` and ``down`` (h + 1, w + 1) are sums from the top left in their own
    direction; ``origin`` and ``scale`` take plane coordinates to pixels.
    """

    across: NDArray[np.float32]  # (h, w + 1), summed along x
    down: NDArray[np.float32]  # (h + 1, w), summed along y
    known_across: NDArray[np.float32]
    known_down: NDArray[np.float32]
    origin: Array
    scale: float

    def support(self, lines: Array, starts: Array, ends: Array, upright: bool) -> Array:
        """Mean evidence (n,) on straight lines; NaN where the picture does not show them.

        ``lines`` (n,) is the constant coordinate, ``starts`` and ``ends`` the range of the other.
        """
        sums = self.down.T if upright else self.across
        known = self.known_down.T if upright else self.known_across
        row = np.rint(lines).astype(np.intp)
        low, high = np.rint(starts).astype(np.intp), np.rint(ends).astype(np.intp)
        inside = (row >= 0) & (row < sums.shape[0])
        row = np.clip(row, 0, sums.shape[0] - 1)
        low, high = (np.clip(v, 0, sums.shape[1] - 1) for v in (low, high))
        shown = np.where(inside, known[row, high] - known[row, low], 0)
        total = sums[row, high] - sums[row, low]
        seen = shown >= 0.4 * np.maximum(ends - starts, 1)
        return np.where(seen, total / np.maximum(shown, 1), np.nan)


def rectified(level: NDArray[np.float32], camera: Camera, settings: OutlineSettings) -> Rectified:
    """The picture seen from straight above, its straight edges marked."""
    height, width = level.shape[:2]
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    bounds = camera.plane((frame - [(width - 1) / 2, (height - 1) / 2]) / width)
    scale = camera.focal * width
    low, high = bounds.min(0), bounds.max(0)
    size = np.minimum(np.ceil((high - low) * scale), 1.6 * max(height, width)).astype(int)
    maps = _maps(level.shape[:2], camera, low, scale, (int(size[0]), int(size[1])))
    inside = (maps >= 0).all(axis=2) & (maps[..., 0] < width) & (maps[..., 1] < height)
    smooth = blur(between(level, maps), settings.blur)
    return _summed(smooth, inside.astype(np.float32), low, scale, settings)


def _maps(
    shape: tuple[int, int], camera: Camera, low: Array, scale: float, size: tuple[int, int]
) -> NDArray[np.float32]:
    """For each rectified pixel its place in the picture, worked out on a coarse grid."""
    coarse = 8
    columns, rows = (np.arange(-coarse, n + 2 * coarse, coarse) for n in size)
    grid = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)
    seen = camera.see(low + grid / scale) * shape[1] + [(shape[1] - 1) / 2, (shape[0] - 1) / 2]
    places = seen.reshape(len(rows), len(columns), 2).astype(np.float32)
    stretch = np.array([[coarse, 0, -coarse], [0, coarse, -coarse]], np.float32)
    return np.asarray(cv2.warpAffine(places, stretch, size), np.float32)


def _summed(
    flat: NDArray[np.float32],
    known: NDArray[np.float32],
    low: Array,
    scale: float,
    settings: OutlineSettings,
) -> Rectified:
    across = _evidence(flat, known, settings)
    down = _evidence(flat.transpose(1, 0, 2), known.T, settings).T
    return Rectified(
        np.pad(np.cumsum(across * known, axis=1, dtype=np.float32), ((0, 0), (1, 0))),
        np.pad(np.cumsum(down * known, axis=0, dtype=np.float32), ((1, 0), (0, 0))),
        np.pad(np.cumsum(known, axis=1, dtype=np.float32), ((0, 0), (1, 0))),
        np.pad(np.cumsum(known, axis=0, dtype=np.float32), ((1, 0), (0, 0))),
        -low * scale,
        scale,
    )


def _evidence(
    flat: NDArray[np.float32], known: NDArray[np.float32], settings: OutlineSettings
) -> NDArray[np.float32]:
    """In [0, 1]: a line along the rows passes here. Averaging along it drowns grain and noise."""
    smooth = cv2.blur(np.ascontiguousarray(flat), (settings.along, 1))
    step = strongest(smooth[2:] - smooth[:-2]) / 2
    step = np.pad(step, ((1, 1), (0, 0))) * known
    crest = np.where(step >= cv2.dilate(step, np.ones((3, 1), np.uint8)), step, 0)
    usual = max(settings.noise * float(np.median(step[known > 0])), settings.least_step)
    likely = crest**2 / (crest**2 + usual**2)
    return np.asarray(cv2.dilate(likely, np.ones((3, 1), np.uint8)), np.float32)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A box and the evidence for it: supports (4,) of floor, rim and outer lines, NaN unseen."""

    camera: Camera
    box: Box
    score: float
    factor: float = 1.0  # of the camera's focal length


@dataclass(frozen=True, slots=True)
class _Side:
    """One side's candidate rims ``at`` (c,) in pixels; ``out`` is -1 or 1, the way out of the
    tray; ``gain`` (n,) is what a line at each pixel of the axis speaks for a box."""

    at: Array
    out: int
    gain: NDArray[np.float32]

    def line(self, at: Array) -> NDArray[np.float32]:
        """What lines at ``at`` speak for a box."""
        index = np.rint(at).astype(np.intp)
        inside = (index >= 0) & (index < len(self.gain))
        return np.where(inside, self.gain[np.clip(index, 0, len(self.gain) - 1)], 0)


def _sides(seen: Rectified, camera: Camera, settings: OutlineSettings) -> list[_Side]:
    """Left, top, right, bottom; lines are judged by their middle part."""
    middle = seen.origin + camera.plane(np.zeros((1, 2)))[0] * seen.scale
    sides = []
    for out in (-1, 1):
        for axis in (0, 1):
            gain = _profile(seen, axis == 0, settings)
            near = settings.least_side / 2 * len(gain)
            span = (0, middle[axis] - near) if out < 0 else (middle[axis] + near, len(gain) - 1)
            sides.append(_Side(np.arange(span[0], span[1], settings.stride), out, gain))
    return sides


def _profile(seen: Rectified, upright: bool, settings: OutlineSettings) -> NDArray[np.float32]:
    sums = seen.down.T if upright else seen.across
    low, high = (share * (sums.shape[1] - 1) for share in settings.middle)
    lines = np.arange(len(sums), dtype=np.float64)
    support = seen.support(lines, np.full(len(lines), low), np.full(len(lines), high), upright)
    return np.nan_to_num(support - settings.expected).astype(np.float32)


@dataclass(frozen=True, slots=True)
class _Grid:
    """Floors (f, 2) as factor of the focal length and shrink, and walls (w,) in pixels."""

    floors: Array
    walls: Array


def _grid(
    seen: Rectified, camera: Camera, shrinks: tuple[float, float, int], settings: OutlineSettings
) -> _Grid:
    low, high = settings.focal_range
    factors = [f for f in settings.focal_factors if low <= camera.focal * f <= high] or [1.0]
    thin, thick, count = settings.walls
    floors = np.array([(f, s) for f in factors for s in np.linspace(*shrinks)])
    return _Grid(floors, np.linspace(thin, thick, count) * len(seen.across[0]))


def _tables(
    side: _Side, nadir: Array, grid: _Grid, settings: OutlineSettings
) -> NDArray[np.float32]:
    """(f, w, c): what each candidate of a side speaks for each floor and wall."""
    floor = nadir[:, None] + (side.at - nadir[:, None]) * grid.floors[:, 1:]
    shown = (side.at - floor) * side.out >= settings.apart
    floors = np.where(shown, side.line(floor), 0)
    walls = side.line(side.at + side.out * grid.walls[:, None])
    alone = side.line(side.at) + walls
    return np.asarray(floors[:, None] + alone[None], np.float32)


def search(
    seen: Rectified, camera: Camera, shrinks: tuple[float, float, int], settings: OutlineSettings
) -> list[Hypothesis]:
    """The best boxes over focal lengths, depths and walls, best first.

    ``shrinks``: the floor's scale over the rim's from, to and how many are tried.

    For a given floor and wall the four sides do not depend on each other but for their
    ends, so each takes its best place by itself. Another focal length moves the point
    below the camera along the tilt; the plane's own picture hardly changes.
    """
    grid = _grid(seen, camera, shrinks, settings)
    middle = camera.plane(np.zeros((1, 2)))[0]
    nadirs = seen.origin + middle * seen.scale * (1 - grid.floors[:, :1] ** 2)
    sides = _sides(seen, camera, settings)
    if not all(len(side.at) for side in sides):
        return []
    places, total = [], np.zeros((len(grid.floors), len(grid.walls)), np.float32)
    for i, side in enumerate(sides):
        table = _tables(side, nadirs[:, i % 2], grid, settings)
        best = np.argmax(table, axis=2)
        total += np.take_along_axis(table, best[..., None], axis=2)[..., 0]
        places.append(side.at[best])
    boxes = np.stack(places, axis=-1)  # (f, w, 4)
    order = np.argsort(-total, axis=None)[: settings.boxes]
    floor, wall = np.unravel_index(order, total.shape)
    return _judged(seen, camera, boxes[floor, wall], grid.floors[floor], grid.walls[wall], settings)


def _judged(
    seen: Rectified,
    camera: Camera,
    boxes: Array,
    floors: Array,
    walls: Array,
    settings: OutlineSettings,
) -> list[Hypothesis]:
    """Boxes scored along the whole length of their sides."""
    middle = camera.plane(np.zeros((1, 2)))[0] * seen.scale
    nadir = np.tile(seen.origin + middle * (1 - floors[:, :1] ** 2), 2)
    inner = nadir + (boxes - nadir) * floors[:, 1:]
    outer = boxes + walls[:, None] * _OUT
    gains = [sides_support(seen, each) - settings.expected for each in (inner, boxes, outer)]
    gains[0] = np.where((boxes - inner) * _OUT >= settings.apart, gains[0], 0)
    scores = np.nansum(np.concatenate(gains, axis=1), axis=1)
    found = []
    for i in np.argsort(-scores):
        rim = (boxes[i] - np.tile(seen.origin, 2)) / seen.scale
        box = Box(rim, float(floors[i, 1]), float(walls[i] / seen.scale))
        found.append(Hypothesis(camera, box, float(scores[i]), float(floors[i, 0])))
    return different(found, seen.scale, settings)


_OUT = np.array([-1.0, -1.0, 1.0, 1.0])


def sides_support(seen: Rectified, boxes: Array) -> Array:
    """(n, 4) for left, top, right, bottom of rectangles (n, 4) in pixels."""
    left, top, right, bottom = boxes.T
    return np.column_stack(
        [
            seen.support(left, top, bottom, True),
            seen.support(top, left, right, False),
            seen.support(right, top, bottom, True),
            seen.support(bottom, left, right, False),
        ]
    )


def different(found: list[Hypothesis], scale: float, settings: OutlineSettings) -> list[Hypothesis]:
    """The best few of which no two have rim and floor in common."""

    def differ(one: Hypothesis, other: Hypothesis) -> bool:
        return bool(np.abs(_lines(one) - _lines(other)).max() * scale > settings.differ)

    return list(islice(distinct(found, differ), settings.hypotheses))


def _lines(each: Hypothesis) -> Array:
    return np.concatenate([each.box.rim, each.box.rim * each.box.shrink])
