"""Edges of a levelled picture, sought across lines to a fraction of a pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.outline_box import Array
from vision.patch import between
from vision.settings_outline import OutlineSettings

_ALONG = 5  # points of a line over which what is seen across it is averaged


def normals(points: Array) -> Array:
    """Unit vectors (..., s, 2) across lines, from s points on each."""
    along = np.gradient(points, axis=-2)
    across = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    return np.asarray(across / (np.linalg.norm(across, axis=-1, keepdims=True) + 1e-12))


def offsets(
    level: NDArray[np.float32],
    points: Array,
    across: Array,
    windows: Array,
    settings: OutlineSettings,
) -> tuple[Array, Array]:
    """How far ``across`` (k, s, 2) lines the strongest edge lies from each of their ``points``.

    (k, s), and its strength as much; ``windows`` (k,) is how far to look. All in pixels; NaN
    where the picture ends.
    """
    widest = np.ceil(windows.max()) + 1.5
    reach = np.arange(-widest, widest + 0.01, 0.5)
    smooth = _along(profiles(level, points, across, reach))
    step = strongest(smooth[:, :, 4:] - smooth[:, :, :-4]) / 2  # grey levels a pixel
    where = reach[2:-2]
    far = np.abs(where) / windows[:, None]
    near = np.where(far <= 1, np.exp(-settings.nearest * far**2), 0).astype(np.float32)
    clear = step / (step + settings.plain)  # beyond it, a stronger edge is no better
    weighed = clear * _crests(step) * near[:, None]
    best = np.clip(np.argmax(weighed, axis=2), 1, len(where) - 2)
    before, strength, after = (_at(step, best + by) for by in (-1, 0, 1))
    found = where[best] + 0.5 * crest(before, strength, after)
    found = np.where(_outside(points, level.shape), np.nan, found)
    return found, np.where(_at(weighed, best) > 0, strength, 0)


def crest(before: Array, at: Array, after: Array) -> Array:
    """How far (...) from the middle of three values a parabola through them turns.

    In steps from one value to the next, one at most; it is highest there if the middle one is.
    """
    bend = before - 2 * at + after
    shift = 0.5 * (before - after) / np.where(np.abs(bend) < 1e-6, -1e-6, bend)
    return np.asarray(np.clip(shift, -1, 1))


def profiles(
    level: NDArray[np.float32], points: Array, across: Array, reach: Array
) -> NDArray[np.float32]:
    """What is seen (k, s, r, 3) ``reach`` (r,) pixels across lines from their points (k, s, 2)."""
    spots = points[:, :, None] + reach[:, None] * across[:, :, None]
    maps = spots.astype(np.float32).reshape(len(points), -1, 2)
    return between(level, maps).reshape(*spots.shape[:-1], 3)


def _at(values: Array, index: NDArray[np.intp]) -> Array:
    """Of ``values`` (k, s, r) those (k, s) at ``index`` (k, s)."""
    return np.asarray(np.take_along_axis(values, index[..., None], axis=2)[..., 0], np.float64)


def _crests(step: Array) -> NDArray[np.bool_]:
    """Where a step is no smaller than its neighbours: the flank of an edge is no edge."""
    middle = step[..., 1:-1]
    inner = (middle >= step[..., :-2]) & (middle >= step[..., 2:])
    return np.asarray(np.pad(inner, ((0, 0), (0, 0), (1, 1))))


def _along(seen: NDArray[np.float32]) -> NDArray[np.float32]:
    """Profiles (k, s, r, 3) averaged with their neighbours on the same line."""
    rim = _ALONG // 2
    padded = np.pad(seen, ((0, 0), (rim, rim), (0, 0), (0, 0)), mode="edge")
    many = seen.shape[1]
    total = sum(padded[:, by : by + many] for by in range(_ALONG))
    return np.asarray(total / np.float32(_ALONG), np.float32)


def _outside(points: Array, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    low, high = np.array([2, 2]), np.array([shape[1] - 3, shape[0] - 3])
    return np.asarray(((points < low) | (points > high)).any(axis=-1))


def strongest(steps: NDArray[np.float32]) -> NDArray[np.float32]:
    """The largest step of the three channels, (..., 3) to (...)."""
    size = np.abs(steps)
    return np.maximum(np.maximum(size[..., 0], size[..., 1]), size[..., 2])
