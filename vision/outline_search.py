"""The box that most straight edges of the rectified picture speak for."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_box import Array, Box, Camera
from vision.outline_fit import strongest
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
    flat = cv2.remap(level, maps, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside = (maps >= 0).all(axis=2) & (maps[..., 0] < width) & (maps[..., 1] < height)
    flat = cv2.GaussianBlur(flat, (0, 0), settings.blur)
    return _summed(flat, inside.astype(np.float32), low, scale, settings)


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


def candidate_lines(seen: Rectified, upright: bool, settings: OutlineSettings) -> Array:
    """Positions in pixels of the strongest lines, over the middle of the picture."""
    sums = seen.down.T if upright else seen.across
    known = seen.known_down.T if upright else seen.known_across
    total = sums[:, -1]
    length = np.maximum(known[:, -1], 0.3 * known[:, -1].max())
    profile = (total / length).astype(np.float32)
    reach = 2 * settings.peak_gap + 1
    crest = profile >= cv2.dilate(profile[:, None], np.ones((reach, 1), np.uint8))[:, 0]
    found = np.flatnonzero(crest & (profile > 0))
    return np.asarray(found[np.argsort(-profile[found])][: 2 * settings.peaks], np.float64)


def rims(seen: Rectified, settings: OutlineSettings) -> tuple[Array, Array]:
    """Candidate rims (n, 4) in pixels and the supports of their sides (n, 4), best first."""
    columns = np.sort(candidate_lines(seen, True, settings))
    rows = np.sort(candidate_lines(seen, False, settings))
    left, right = _pairs(columns, settings.least_side * len(seen.across[0]))
    top, bottom = _pairs(rows, settings.least_side * len(seen.across))
    i, j = (index.ravel() for index in np.indices((len(left), len(top))))
    boxes = np.column_stack([left[i], top[j], right[i], bottom[j]])
    wide = (boxes[:, 2] - boxes[:, 0]) / (boxes[:, 3] - boxes[:, 1])
    boxes = boxes[(wide < settings.widest) & (wide > 1 / settings.widest)]
    supports = sides_support(seen, boxes)
    order = np.argsort(-np.nansum(supports - settings.expected, axis=1))[: settings.rims]
    return boxes[order], supports[order]


def _pairs(lines: Array, least: float) -> tuple[Array, Array]:
    i, j = np.triu_indices(len(lines), 1)
    apart = lines[j] - lines[i] >= least
    return lines[i[apart]], lines[j[apart]]


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


_OUT = np.array([-1.0, -1.0, 1.0, 1.0])


def best_floor(
    seen: Rectified, boxes: Array, nadir: Array, settings: OutlineSettings
) -> tuple[Array, Array]:
    """For rims (n, 4): the best shrink about ``nadir`` (2,) in pixels, and its score, (n,) each."""
    low, high, steps = settings.shrinks
    shrinks = np.linspace(low, high, steps)
    centre = np.tile(nadir, 2)
    floors = centre + (boxes - centre)[:, None] * shrinks[:, None]
    gaps = (boxes[:, None] - floors) * _OUT
    supports = sides_support(seen, floors.reshape(-1, 4)).reshape(floors.shape)
    gain = np.where(gaps >= settings.apart, supports - settings.expected, 0)
    scores = np.nansum(gain, axis=2)
    best = np.argmax(scores, axis=1)
    return shrinks[best], scores[np.arange(len(best)), best]


def best_wall(seen: Rectified, boxes: Array, settings: OutlineSettings) -> tuple[Array, Array]:
    """For rims (n, 4): the best thickness in pixels and its score, (n,) each."""
    low, high, steps = settings.walls
    shorter = np.minimum(boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1])
    walls = np.linspace(low, high, steps) * shorter[:, None]
    outer = boxes[:, None] + walls[..., None] * _OUT
    supports = sides_support(seen, outer.reshape(-1, 4)).reshape(outer.shape)
    scores = np.nansum(supports - settings.expected, axis=2)
    best = np.argmax(scores, axis=1)
    rows = np.arange(len(best))
    return walls[rows, best], scores[rows, best]


def search(seen: Rectified, camera: Camera, settings: OutlineSettings) -> list[Hypothesis]:
    """The best box for every focal length tried, best first.

    Another focal length moves the point below the camera, along the tilt; the plane's
    own picture hardly changes.
    """
    boxes, supports = rims(seen, settings)
    if not len(boxes):
        return []
    base = np.nansum(supports - settings.expected, axis=1)
    walls, wall_scores = best_wall(seen, boxes, settings)
    middle = camera.plane(np.zeros((1, 2)))[0]
    found: list[Hypothesis] = []
    for factor in settings.focal_factors:
        if not settings.focal_range[0] <= camera.focal * factor <= settings.focal_range[1]:
            continue
        nadir = seen.origin + middle * seen.scale * (1 - factor**2)
        shrinks, floor_scores = best_floor(seen, boxes, nadir, settings)
        score = base + wall_scores + floor_scores
        for i in np.argsort(-score)[: settings.rims // 10]:
            rim = (boxes[i] - np.tile(seen.origin, 2)) / seen.scale
            box = Box(rim, float(shrinks[i]), float(walls[i] / seen.scale))
            found.append(Hypothesis(camera, box, float(score[i]), factor))
    return different(sorted(found, key=lambda each: -each.score), seen.scale, settings)


def different(
    found: list[Hypothesis], scale: float, settings: OutlineSettings
) -> list[Hypothesis]:
    """The best few of which no two have rim and floor in common."""
    kept: list[Hypothesis] = []
    for each in found:
        lines = _lines(each)
        if all(np.abs(lines - _lines(other)).max() * scale > settings.differ for other in kept):
            kept.append(each)
        if len(kept) == settings.hypotheses:
            break
    return kept


def _lines(each: Hypothesis) -> Array:
    return np.concatenate([each.box.rim, each.box.rim * each.box.shrink])
