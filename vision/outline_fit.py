"""Camera and box moved until their lines lie on the picture's edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_box import Array, Box, Camera, Edge, corners
from vision.settings_outline import OutlineSettings

SIDES = ((3, 0), (0, 1), (1, 2), (2, 3))  # left, top, right, bottom as pairs of corners


@dataclass(frozen=True, slots=True)
class Fit:
    """``support`` maps an edge to (4,): share of the points of each side that lie on an edge of
    the picture; NaN where it is hidden or outside. ``spread`` (4, 2): how uncertain the floor's
    corners are, in pixels."""

    camera: Camera
    box: Box
    support: dict[Edge, Array]
    residual: float
    spread: Array
    score: float


def pack(camera: Camera, box: Box) -> Array:
    """All eleven numbers in one vector."""
    rest = [np.log(camera.focal), camera.barrel, *box.rim, box.shrink, box.wall]
    return np.array([*camera.turn, *rest], np.float64)


def unpack(numbers: Array) -> tuple[Camera, Box]:
    camera = Camera(numbers[:3], float(np.exp(numbers[3])), float(numbers[4]))
    return camera, Box(numbers[5:9], float(numbers[9]), float(numbers[10]))


@dataclass(frozen=True, slots=True)
class Lines:
    """Points of the box's visible edges: ``edge`` and ``side`` (n,) name them."""

    edge: NDArray[np.intp]
    side: NDArray[np.intp]
    share: Array  # (n,), position along the side


EDGES = (Edge.FLOOR, Edge.RIM, Edge.OUTER)


def visible(box: Box, settings: OutlineSettings) -> Lines:
    """Points on every edge that a camera above the tray sees."""
    hidden = box.hidden()
    kept = [
        (e, s) for e in range(3) for s in range(4) if not (EDGES[e] is Edge.FLOOR and hidden[s])
    ]
    shares = np.linspace(settings.margin, 1 - settings.margin, settings.samples)
    edge, side = np.repeat(np.array(kept), len(shares), axis=0).T
    return Lines(edge, side, np.tile(shares, len(kept)))


def place(numbers: Array, lines: Lines) -> Array:
    """Where the points of ``lines`` are in the picture, (n, 2), in picture widths."""
    camera, box = unpack(numbers)
    quads = np.array([corners(box.rectangle(edge)) for edge in EDGES])
    ends = np.array([[[quad[a], quad[b]] for a, b in SIDES] for quad in quads])
    pair = ends[lines.edge, lines.side]
    share = lines.share[:, None]
    return camera.see(pair[:, 0] * (1 - share) + pair[:, 1] * share)


def normals(points: Array, lines: Lines) -> Array:
    """Unit vectors (n, 2) across the lines."""
    group = lines.edge * 4 + lines.side
    along = np.gradient(points, axis=0)
    same = np.concatenate([[False], group[1:] == group[:-1]])
    last = np.concatenate([group[1:] != group[:-1], [True]])
    step = points[1:] - points[:-1]
    along[~same] = step[np.minimum(np.flatnonzero(~same), len(step) - 1)]
    along[last] = step[np.flatnonzero(last) - 1]
    across = np.column_stack([-along[:, 1], along[:, 0]])
    return np.asarray(across / (np.linalg.norm(across, axis=1, keepdims=True) + 1e-12))


def offsets(
    level: NDArray[np.float32],
    points: Array,
    across: Array,
    windows: Array,
    settings: OutlineSettings,
) -> tuple[Array, Array]:
    """How far (n,) along ``across`` the strongest edge lies from each point, and its strength.

    ``windows`` (n,) is how far to look. All in pixels; NaN where the picture ends.
    """
    widest = np.ceil(windows.max()) + 1.5
    reach = np.arange(-widest, widest + 0.01, 0.5)
    spots = points[:, None] + reach[None, :, None] * across[:, None]
    maps = spots.astype(np.float32)
    strip = cv2.remap(level, maps, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    per_line = strip.reshape(-1, settings.samples, *strip.shape[1:])
    smooth = np.stack([_along(line) for line in per_line]).reshape(strip.shape)
    step = strongest(smooth[:, 4:] - smooth[:, :-4]) / 2  # grey levels a pixel
    where = reach[2:-2]
    far = np.abs(where) / windows[:, None]
    weighed = step * np.where(far <= 1, np.exp(-0.5 * far**2), 0)
    best = np.clip(np.argmax(weighed, axis=1), 1, len(where) - 2)
    rows = np.arange(len(points))
    strength = step[rows, best]
    found = where[best] + 0.5 * _crest(step[rows, best - 1], strength, step[rows, best + 1])
    found = np.where(_outside(points, level.shape), np.nan, found)
    return found, strength


def _along(line: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.blur(line, (1, 5), borderType=cv2.BORDER_REPLICATE), np.float32)


def _crest(before: Array, at: Array, after: Array) -> Array:
    bend = before - 2 * at + after
    shift = 0.5 * (before - after) / np.where(np.abs(bend) < 1e-6, -1e-6, bend)
    return np.asarray(np.clip(shift, -1, 1))


def _outside(points: Array, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    low, high = np.array([2, 2]), np.array([shape[1] - 3, shape[0] - 3])
    return np.asarray(((points < low) | (points > high)).any(axis=1))


def refine(
    level: NDArray[np.float32],
    camera: Camera,
    box: Box,
    settings: OutlineSettings,
    windows: tuple[float, ...],
) -> Fit | None:
    """Gauss-Newton on the offsets of the visible edges, outliers weighed down (Tukey).

    None when the edges leave the box undetermined.
    """
    numbers = pack(camera, box)
    prior = _prior(numbers, settings)
    for window in windows:
        taken = _step(level, numbers, prior, window, settings)
        if taken is None:
            return None
        numbers = taken
    return _judged(level, numbers, prior, settings)


def _prior(numbers: Array, settings: OutlineSettings) -> Callable[[Array], tuple[Array, Array]]:
    """Residuals and their derivatives that keep unseen numbers where they are likely."""
    centre = numbers.copy()
    centre[3], centre[4] = np.log(settings.focal), 0.0
    sigma = np.full(11, 1e3)
    sigma[3], sigma[4] = settings.focal_sigma, settings.barrel_sigma * 4
    sigma[9], sigma[10] = 0.05, 0.05

    def pull(now: Array) -> tuple[Array, Array]:
        return (now - centre) / sigma, np.diag(1 / sigma)

    return pull


def _measure(
    level: NDArray[np.float32], numbers: Array, window: float, settings: OutlineSettings
) -> tuple[Lines, Array, Array, Array]:
    height, width = level.shape[:2]
    lines = visible(unpack(numbers)[1], settings)
    points = place(numbers, lines)
    across = normals(points, lines)
    pixels = points * width + [(width - 1) / 2, (height - 1) / 2]
    looked = np.minimum(window, _room(numbers, lines, width))
    found, strength = offsets(level, pixels, across, looked, settings)
    weights = _weights(found, strength, window, lines, settings)
    return lines, across, np.nan_to_num(found), weights


def _room(numbers: Array, lines: Lines, width: int) -> Array:
    """How far in pixels an edge may be sought before it is the neighbouring line's."""
    camera, box = unpack(numbers)
    quads = [camera.see(corners(box.rectangle(edge))) * width for edge in EDGES]
    gaps = np.full((3, 4), np.inf)
    for inner, outer in ((0, 1), (1, 2)):
        for side, ends in enumerate(SIDES):
            apart = np.linalg.norm(quads[inner][list(ends)] - quads[outer][list(ends)], axis=1)
            gaps[[inner, outer], side] = np.minimum(gaps[[inner, outer], side], apart.mean())
    return np.maximum(0.5 * gaps[lines.edge, lines.side], 1.5)


def strongest(steps: NDArray[np.float32]) -> NDArray[np.float32]:
    """The largest step of the three channels, (..., 3) to (...)."""
    size = np.abs(steps)
    return np.maximum(np.maximum(size[..., 0], size[..., 1]), size[..., 2])


def _weights(
    found: Array, strength: Array, window: float, lines: Lines, settings: OutlineSettings
) -> Array:
    """Points that agree with their line and lie on a clear edge count."""
    weights = np.zeros(len(found))
    group = lines.edge * 4 + lines.side
    for each in np.unique(group):
        mine = group == each
        here = found[mine]
        if np.isnan(here).mean() > 0.6:
            continue
        off = (here - np.nanmedian(here)) / (settings.tukey * max(1.0, window / 3))
        robust = np.where(np.abs(off) < 1, (1 - off**2) ** 2, 0)
        clear = strength[mine] / (strength[mine] + settings.least_step * 2)
        weights[mine] = np.nan_to_num(robust) * clear
    return weights


def _step(
    level: NDArray[np.float32],
    numbers: Array,
    prior: Callable[[Array], tuple[Array, Array]],
    window: float,
    settings: OutlineSettings,
) -> Array | None:
    """Edges are measured once, then camera and box are moved to them (Levenberg-Marquardt)."""
    lines, across, found, weights = _measure(level, numbers, window, settings)
    if weights.sum() < 2 * settings.samples:
        return None
    width = level.shape[1]
    target = place(numbers, lines) * width + found[:, None] * across

    soft = window / 3

    def cost(at: Array) -> tuple[float, Array]:
        off = ((target - place(at, lines) * width) * across).sum(axis=1)
        bent = soft**2 * np.log1p((off / soft) ** 2)
        return float((weights * bent).sum() + (prior(at)[0] ** 2).sum()), off

    damping, (now, off) = 1e-2, cost(numbers)
    for _ in range(settings.steps):
        slopes = _slopes(numbers, lines, across) * width
        pull, bend = prior(numbers)
        robust = weights / (1 + (off / soft) ** 2)
        normal = slopes.T @ (slopes * robust[:, None]) + bend.T @ bend
        right = slopes.T @ (off * robust) - bend.T @ pull
        trial = numbers + np.linalg.solve(normal + damping * np.diag(np.diag(normal)), right)
        then, off_then = cost(trial) if _sound(trial, settings) else (np.inf, off)
        if then < now:
            numbers, now, off, damping = trial, then, off_then, damping / 5
        else:
            damping *= 10
    return numbers


def _sound(numbers: Array, settings: OutlineSettings) -> bool:
    """A camera above a box whose floor lies below its rim."""
    if not np.isfinite(numbers).all() or abs(numbers[4]) > 0.4:
        return False
    camera, box = unpack(numbers)
    low, high = settings.focal_range
    return (
        low <= camera.focal <= high
        and camera.tilt <= settings.steepest
        and settings.deepest < box.shrink < settings.shallowest
        and 0.002 < box.wall
        and bool((box.rim[2:] > box.rim[:2]).all())
    )


def _slopes(numbers: Array, lines: Lines, across: Array) -> Array:
    """Derivatives (n, 11) of the points' offsets across their lines."""
    columns = []
    base = place(numbers, lines)
    for i in range(len(numbers)):
        small = np.zeros(len(numbers))
        small[i] = 1e-6
        change = place(numbers + small, lines) - base
        columns.append((change * across).sum(axis=1) / 1e-6)
    return np.column_stack(columns)


def _judged(
    level: NDArray[np.float32],
    numbers: Array,
    prior: Callable[[Array], tuple[Array, Array]],
    settings: OutlineSettings,
) -> Fit:
    lines, across, found, weights = _measure(level, numbers, settings.windows[-1], settings)
    camera, box = unpack(numbers)
    support: dict[Edge, Array] = {}
    for e, edge in enumerate(EDGES):
        support[edge] = np.full(4, np.nan)
        for side in range(4):
            mine = (lines.edge == e) & (lines.side == side)
            if mine.any() and weights[mine].any():
                good = (np.abs(found[mine]) < 1.2) * weights[mine]
                support[edge][side] = good.mean()
    scatter = float(np.sqrt((weights * found**2).sum() / max(weights.sum(), 1e-9)))
    spread = _spread(numbers, lines, across, weights, prior, level)
    return Fit(camera, box, support, scatter, spread, _score(support, camera, box, level, settings))


def _score(
    support: dict[Edge, Array],
    camera: Camera,
    box: Box,
    level: NDArray[np.float32],
    settings: OutlineSettings,
) -> float:
    """What the box's lines speak for it; lines as good as on another's place are not counted."""
    floor, rim = (
        camera.see(corners(box.rectangle(edge))) * level.shape[1] for edge in (Edge.FLOOR, Edge.RIM)
    )
    apart = np.array([np.linalg.norm(floor[list(s)] - rim[list(s)], axis=1).mean() for s in SIDES])
    gains = {edge: support[edge] - settings.expected for edge in EDGES}
    gains[Edge.FLOOR] = np.where(apart < settings.apart, np.nan, gains[Edge.FLOOR])
    total = sum(float(np.nansum(gain)) for gain in gains.values())
    odd = np.log(camera.focal / settings.focal) / settings.focal_sigma
    return total - 0.1 * float(odd**2)


def _spread(
    numbers: Array,
    lines: Lines,
    across: Array,
    weights: Array,
    prior: Callable[[Array], tuple[Array, Array]],
    level: NDArray[np.float32],
) -> Array:
    """Standard deviation of the floor's corners when edges err by a pixel over a tenth of a side."""
    width = level.shape[1]
    slopes = _slopes(numbers, lines, across) * width
    _, bend = prior(numbers)
    inverse = np.linalg.inv(slopes.T @ (slopes * weights[:, None] / 5) + bend.T @ bend)
    at = np.zeros((4, 2, len(numbers)))
    for i in range(len(numbers)):
        small = np.zeros(len(numbers))
        small[i] = 1e-5
        at[..., i] = (floor_corners(numbers + small) - floor_corners(numbers - small)) / 2e-5
    at *= width
    return np.sqrt(np.einsum("cki,ij,ckj->ck", at, inverse, at))


def floor_corners(numbers: Array) -> Array:
    """(4, 2) in picture widths."""
    camera, box = unpack(numbers)
    return camera.see(corners(box.rectangle(Edge.FLOOR)))
