"""Camera and box moved until their lines lie on the picture's edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_box import Array, Box, Camera, Edge, corners
from vision.outline_edges import offsets, strongest
from vision.outline_steps import steps
from vision.settings_outline import OutlineSettings

SIDES = ((3, 0), (0, 1), (1, 2), (2, 3))  # left, top, right, bottom as pairs of corners


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


def pack(camera: Camera, box: Box) -> Array:
    """All eleven numbers in one vector."""
    rest = [np.log(camera.focal), camera.barrel, *box.rim, box.shrink, box.wall]
    return np.array([*camera.turn, *rest], np.float64)


def unpack(numbers: Array) -> tuple[Camera, Box]:
    camera = Camera(numbers[:3], float(np.exp(numbers[3])), float(numbers[4]))
    return camera, Box(numbers[5:9], float(numbers[9]), float(numbers[10]))


@dataclass(frozen=True, slots=True)
class Lines:
    """Points of the box's visible edges: ``edge`` and ``side`` (n,) name them.

    ``right`` and ``down`` (n,) are the points' places between left and right, top and bottom.
    """

    edge: NDArray[np.intp]
    side: NDArray[np.intp]
    right: Array
    down: Array


EDGES = (Edge.FLOOR, Edge.RIM, Edge.OUTER)


def visible(box: Box, settings: OutlineSettings) -> Lines:
    """Points on every edge that a camera above the tray sees."""
    hidden = box.hidden()
    kept = [
        (e, s) for e in range(3) for s in range(4) if not (EDGES[e] is Edge.FLOOR and hidden[s])
    ]
    shares = np.linspace(settings.margin, 1 - settings.margin, settings.samples)
    edge, side = np.repeat(np.array(kept), len(shares), axis=0).T
    share = np.tile(shares, len(kept))
    right = np.choose(side, [np.zeros_like(share), share, np.ones_like(share), 1 - share])
    down = np.choose(side, [1 - share, np.zeros_like(share), share, np.ones_like(share)])
    return Lines(edge, side, right, down)


def on_plane(box: Box, lines: Lines) -> Array:
    """The points in plane coordinates (n, 2)."""
    low_x, low_y, high_x, high_y = np.array([box.rectangle(edge) for edge in EDGES])[lines.edge].T
    x = low_x + lines.right * (high_x - low_x)
    y = low_y + lines.down * (high_y - low_y)
    return np.column_stack([x, y])


def place(numbers: Array, lines: Lines) -> Array:
    """Where the points of ``lines`` are in the picture, (n, 2), in picture widths."""
    camera, box = unpack(numbers)
    return camera.see(on_plane(box, lines))


def corners_of(camera: Camera, box: Box, edge: Edge) -> Array:
    """(4, 2) corners of a box's edge in the picture, in picture widths."""
    return camera.see(corners(box.rectangle(edge)))


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
    return _judged(level, numbers, settings)


def lens_doubt(level: NDArray[np.float32], fit: Fit, settings: OutlineSettings) -> float:
    """How far the logarithm of a fitted focal length may be off.

    Points of one line are off alike, so each line tells as much as two of them. Rounded edges
    give another box, and that does not fit to a hair.
    """
    least = settings.well if fit.residual <= settings.exact else settings.hardly
    numbers = pack(fit.camera, fit.box)
    lines, across, _, weights = _measure(level, numbers, settings.windows[-1], settings)
    slopes = _slopes(numbers, lines, across) * level.shape[1]
    off = max(fit.residual, least.line)
    told = slopes.T @ (slopes * weights[:, None]) * (2 / settings.samples / off**2)
    bend = _prior(numbers, settings)(numbers)[1]
    doubt = np.sqrt(np.linalg.inv(told + bend.T @ bend)[3, 3])
    return float(np.hypot(doubt, least.focal))


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
    width = level.shape[1]
    lines = visible(unpack(numbers)[1], settings)
    points = place(numbers, lines)
    across = normals(points, lines)
    pixels = _pixels(level, points)
    share = 1.0 if window > settings.windows[1] else 0.5
    looked = np.minimum(window, _room(numbers, lines, width, share))
    found, strength = offsets(level, pixels, across, looked, settings)
    weights = _weights(found, strength, window, settings)
    return lines, across, np.nan_to_num(found), weights


def _pixels(level: NDArray[np.float32], points: Array) -> Array:
    """Picture coordinates (n, 2) in pixels of the picture."""
    height, width = level.shape[:2]
    return np.asarray(points * width + [(width - 1) / 2, (height - 1) / 2])


def _room(numbers: Array, lines: Lines, width: int, share: float) -> Array:
    """How far in pixels an edge may be sought before it is the neighbouring line's."""
    camera, box = unpack(numbers)
    quads = [corners_of(camera, box, edge) * width for edge in EDGES]
    gaps = np.full((3, 4), np.inf)
    for inner, outer in ((0, 1), (1, 2)):
        apart = _gaps(quads[inner], quads[outer])
        gaps[inner] = np.minimum(gaps[inner], apart)
        gaps[outer] = np.minimum(gaps[outer], apart)
    return np.maximum(share * gaps[lines.edge, lines.side], 1.5)


def _behind_rim(camera: Camera, box: Box, width: int) -> Array:
    """How far in pixels (4,) the floor's sides are seen from the rim's."""
    floor, rim = (corners_of(camera, box, edge) * width for edge in (Edge.FLOOR, Edge.RIM))
    return _gaps(floor, rim)


def _gaps(inner: Array, outer: Array) -> Array:
    """Distances (4,) between the sides of two nested quadrilaterals (4, 2)."""
    apart = []
    for first, second in SIDES:
        along = outer[second] - outer[first]
        across = np.array([-along[1], along[0]]) / (np.linalg.norm(along) + 1e-12)
        apart.append(abs((inner[[first, second]] - outer[[first, second]]).mean(axis=0) @ across))
    return np.array(apart)


def _weights(found: Array, strength: Array, window: float, settings: OutlineSettings) -> Array:
    """Points that agree with their line and lie on a clear edge count."""
    each = found.reshape(-1, settings.samples)
    lost = np.isnan(each)
    usable = lost.mean(axis=1) <= settings.lost
    filled = np.where(lost & usable[:, None], np.nan, np.nan_to_num(each))
    off = (filled - np.nanmedian(filled, axis=1, keepdims=True)) / (
        settings.tukey * max(1.0, window / 3)
    )
    robust = np.where(np.abs(off) < 1, (1 - off**2) ** 2, 0) * usable[:, None]
    clear = strength / (strength + settings.least_step * 2)
    return np.asarray(np.nan_to_num(robust).ravel() * clear)


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
        and box.wall > settings.thinnest
        and bool((box.rim[2:] > box.rim[:2]).all())
    )


def _slopes(numbers: Array, lines: Lines, across: Array) -> Array:
    """Derivatives (n, 11) of the points' offsets across their lines."""
    camera, box = unpack(numbers)
    plane = on_plane(box, lines)
    upright = np.column_stack([plane, np.ones(len(plane))])
    rotation, turning = cv2.Rodrigues(camera.turn)
    rays = upright @ rotation.T
    flat = camera.focal * rays[:, :2] / rays[:, 2:]
    # How a small step of a ray, then of the undistorted point, shows across the line.
    bent = 1 + camera.barrel * (flat**2).sum(axis=1)
    tilted = 2 * camera.barrel * (flat * across).sum(axis=1)
    by_flat = bent[:, None] * across + tilted[:, None] * flat
    by_ray = np.column_stack([camera.focal * by_flat, -(by_flat * flat).sum(axis=1)]) / rays[:, 2:]
    by_turn = np.einsum("ni,kij,nj->nk", by_ray, turning.reshape(3, 3, 3), upright)
    by_focal = (by_flat * flat).sum(axis=1)
    by_barrel = (flat * across).sum(axis=1) * (flat**2).sum(axis=1)
    return np.column_stack([by_turn, by_focal, by_barrel, _by_box(box, lines, by_ray @ rotation)])


def _by_box(box: Box, lines: Lines, by_plane: Array) -> Array:
    """Derivatives (n, 6) by the rim's four sides, shrink and wall."""
    floor = lines.edge == EDGES.index(Edge.FLOOR)
    scale = np.where(floor, box.shrink, 1.0)
    x, y = by_plane[:, 0] * scale, by_plane[:, 1] * scale
    rim = [x * (1 - lines.right), y * (1 - lines.down), x * lines.right, y * lines.down]
    inner = on_plane(box, lines) / box.shrink
    shrink = np.where(floor, (by_plane[:, :2] * inner).sum(axis=1), 0)
    out = by_plane[:, 0] * (2 * lines.right - 1) + by_plane[:, 1] * (2 * lines.down - 1)
    wall = np.where(lines.edge == EDGES.index(Edge.OUTER), out, 0)
    return np.column_stack([*rim, shrink, wall])


def _judged(
    level: NDArray[np.float32],
    numbers: Array,
    settings: OutlineSettings,
) -> Fit:
    lines, across, found, weights = _measure(level, numbers, settings.windows[-1], settings)
    camera, box = unpack(numbers)
    parts = steps(level, _pixels(level, place(numbers, lines)), across, settings)
    support, parting = ({edge: np.full(4, np.nan) for edge in EDGES} for _ in range(2))
    for line, step in enumerate(parts):
        mine = np.s_[line * settings.samples : (line + 1) * settings.samples]
        edge, side = EDGES[lines.edge[mine.start]], lines.side[mine.start]
        parting[edge][side] = min(1.0, step / settings.parting)
        if weights[mine].any():
            good = np.exp(-0.5 * (found[mine] / settings.sharp) ** 2) * weights[mine]
            support[edge][side] = good.mean()
    scatter = float(np.sqrt((weights * found**2).sum() / max(weights.sum(), 1e-9)))
    gains = {edge: support[edge] - settings.expected for edge in EDGES}
    partly = {edge: gain * np.where(gain > 0, parting[edge], 1.0) for edge, gain in gains.items()}
    apart = _behind_rim(camera, box, level.shape[1])
    score, parted = (_score(each, apart, camera, settings) for each in (gains, partly))
    unseen = _unseen(level, numbers, lines, settings)
    return Fit(camera, box, support, scatter, score, parted, unseen)


def _unseen(
    level: NDArray[np.float32], numbers: Array, lines: Lines, settings: OutlineSettings
) -> float:
    """Softness of the rim times the width of the widest strip of floor it hides, in pixels."""
    camera, box = unpack(numbers)
    hidden = box.hidden()
    if not hidden.any():
        return 0.0
    apart = _behind_rim(camera, box, level.shape[1])
    soft = (settings.crisp - _sharpness(level, numbers, lines, settings)) / settings.crisp
    return float(np.clip(soft, 0, 1) * apart[hidden].max())


def _sharpness(
    level: NDArray[np.float32], numbers: Array, lines: Lines, settings: OutlineSettings
) -> float:
    """Slope across the rim over its slope when blurred: about 3 for a knife's edge, 1 for a ball.

    A near wall's rim stands out against the floor however round it is, so the softest two
    of the four sides tell.
    """
    points = place(numbers, lines)
    across = normals(points, lines)
    reach = np.arange(-12, 12.01, 0.5)
    pixels = _pixels(level, points)
    maps = (pixels[:, None] + reach[None, :, None] * across[:, None]).astype(np.float32)
    rim = maps[lines.edge == EDGES.index(Edge.RIM)]
    strip = np.asarray(cv2.remap(level, rim[..., 0], rim[..., 1], cv2.INTER_LINEAR), np.float32)
    fine, coarse = (_slope(strip, sigma) for sigma in settings.blurs)
    sides = np.median((fine / (coarse + settings.least_step)).reshape(4, -1), axis=1)
    return float(np.sort(sides)[:2].mean())


def _slope(strip: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """Steepest slope (n,) within 1.5 pixels of the middle of each profile (n, r, 3)."""
    smooth = cv2.GaussianBlur(strip, (0, 0), sigmaX=sigma, sigmaY=0.01)
    steps = strongest(np.asarray(smooth[:, 2:] - smooth[:, :-2], np.float32))
    middle = steps.shape[1] // 2
    return np.asarray(steps[:, middle - 3 : middle + 4].max(axis=1))


def _score(
    gains: dict[Edge, Array], apart: Array, camera: Camera, settings: OutlineSettings
) -> float:
    """What the box's lines speak for it; lines as good as on another's place are not counted.

    ``gains`` are what each side of an edge (4,) speaks for it by itself, ``apart`` (4,) how far
    the floor's sides are seen from the rim's, in pixels.
    """
    floor = np.where(apart < settings.apart, np.nan, gains[Edge.FLOOR])
    gains = {**gains, Edge.FLOOR: floor}
    inner = np.where(np.isnan(floor), gains[Edge.RIM], floor)
    total = sum(float(np.nansum(gain)) for gain in [*gains.values(), inner])
    odd = np.log(camera.focal / settings.focal) / settings.focal_sigma
    return total - 0.1 * float(odd**2)
