"""Edges of a levelled picture, sought across a line to a fraction of a pixel."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_box import Array
from vision.settings_outline import OutlineSettings


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
    strip = profiles(level, points, across, reach)
    per_line = strip.reshape(-1, settings.samples, *strip.shape[1:])
    smooth = np.stack([_along(line) for line in per_line]).reshape(strip.shape)
    step = strongest(smooth[:, 4:] - smooth[:, :-4]) / 2  # grey levels a pixel
    where = reach[2:-2]
    far = np.abs(where) / windows[:, None]
    clear = step / (step + settings.plain)  # beyond it, a stronger edge is no better
    weighed = clear * np.where(_crests(step) & (far <= 1), np.exp(-settings.nearest * far**2), 0)
    best = np.clip(np.argmax(weighed, axis=1), 1, len(where) - 2)
    rows = np.arange(len(points))
    strength = step[rows, best]
    found = where[best] + 0.5 * _crest(step[rows, best - 1], strength, step[rows, best + 1])
    found = np.where(_outside(points, level.shape), np.nan, found)
    return found, np.where(weighed[rows, best] > 0, strength, 0)


def profiles(
    level: NDArray[np.float32], points: Array, across: Array, reach: Array
) -> NDArray[np.float32]:
    """What is seen (n, r, 3) ``reach`` (r,) pixels across lines from their points (n, 2)."""
    maps = (points[:, None] + reach[None, :, None] * across[:, None]).astype(np.float32)
    seen = cv2.remap(
        level, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(seen, np.float32)


def _crests(step: Array) -> NDArray[np.bool_]:
    """Where a step is no smaller than its neighbours: the flank of an edge is no edge."""
    inner = (step[:, 1:-1] >= step[:, :-2]) & (step[:, 1:-1] >= step[:, 2:])
    return np.asarray(np.pad(inner, ((0, 0), (1, 1))))


def _along(line: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.blur(line, (1, 5), borderType=cv2.BORDER_REPLICATE), np.float32)


def _crest(before: Array, at: Array, after: Array) -> Array:
    bend = before - 2 * at + after
    shift = 0.5 * (before - after) / np.where(np.abs(bend) < 1e-6, -1e-6, bend)
    return np.asarray(np.clip(shift, -1, 1))


def _outside(points: Array, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    low, high = np.array([2, 2]), np.array([shape[1] - 3, shape[0] - 3])
    return np.asarray(((points < low) | (points > high)).any(axis=1))


def strongest(steps: NDArray[np.float32]) -> NDArray[np.float32]:
    """The largest step of the three channels, (..., 3) to (...)."""
    size = np.abs(steps)
    return np.maximum(np.maximum(size[..., 0], size[..., 1]), size[..., 2])
