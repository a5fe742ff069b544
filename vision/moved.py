"""Has the camera or the tray moved since the empty tray was pictured?

The tray's edges are looked for again, block by block along the sides of the
floor. Blocks hidden by dice, a hand or a new shadow disagree with the rest and
are left out; what the others agree on is the movement.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_lines import levelled
from vision.patch import Image, between
from vision.settings_outline import MovedSettings, OutlineSettings

Array = NDArray[np.float64]


class Rim:
    """The tray's rim as it was when the empty tray was pictured; made ready once.

    ``empty_frame`` is (h, w, 3) BGR, ``outline`` (n, 2) are the floor's corners in its pixels.
    """

    def __init__(
        self, empty_frame: Image, outline: NDArray[Any], settings: MovedSettings | None = None
    ) -> None:
        self._settings = settings or MovedSettings()
        self._shape = empty_frame.shape
        self._shrink = min(1.0, self._settings.longest / max(self._shape))
        self._before = _prepared(empty_frame, self._shrink)
        self._outline = np.asarray(outline, np.float64).reshape(-1, 2) * self._shrink

    def moved(self, frame: Image) -> float:
        """How far in px the floor's corners have moved in ``frame`` (h, w, 3).

        The largest of its corners' movements. NaN when too little of the rim is seen
        to tell, as under a hand or in the dark; infinite when the pictures differ in size.
        """
        if frame.shape != self._shape:
            return float("inf")
        now = _prepared(frame, self._shrink)
        start = _whole_shift(now, self._before, self._settings)
        found = _motion(now, self._before, self._outline, start, self._settings)
        if found is None and np.hypot(*start) > 0:
            found = _motion(now, self._before, self._outline, np.zeros(2), self._settings)
        if found is None:
            return float("nan")
        far = np.linalg.norm(_displaced(self._outline, self._outline.mean(0), found), axis=1).max()
        return float(far / self._shrink)


def _prepared(picture: Image, shrink: float) -> NDArray[np.float32]:
    small = cv2.resize(picture, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    grey = levelled(np.asarray(small, np.uint8), OutlineSettings()) @ np.array(
        [0.3, 0.4, 0.3], np.float32
    )
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), 1.0), np.float32)


def _whole_shift(
    now: NDArray[np.float32], before: NDArray[np.float32], settings: MovedSettings
) -> Array:
    """Shift (2,) of the whole picture in px, zero where it is small or unsure."""
    small = [
        cv2.resize(each, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        for each in (before, now)
    ]
    slopes = [
        np.hypot(cv2.Sobel(s, cv2.CV_32F, 1, 0), cv2.Sobel(s, cv2.CV_32F, 0, 1)) for s in small
    ]
    window = cv2.createHanningWindow(slopes[0].shape[::-1], cv2.CV_32F)
    (x, y), response = cv2.phaseCorrelate(slopes[0], slopes[1], window)
    shift = 4 * np.array([x, y])
    sure = response >= settings.response and np.hypot(x, y) * 4 >= settings.reach / 3
    return shift if sure else np.zeros(2)


def _motion(
    now: NDArray[np.float32],
    before: NDArray[np.float32],
    outline: Array,
    start: Array,
    settings: MovedSettings,
) -> Array | None:
    """Shift and turn (3,) that most blocks of the rim agree on; None when too few do."""
    spots, across = _blocks(outline, settings)
    widest = settings.reach + settings.around
    reach = np.arange(-widest, widest + 1)
    old = _strips(before, spots, across, reach)
    new = _strips(now, spots + start, across, reach)
    offsets, likeness = _shifts(old, new, settings)
    middle = outline.mean(0)
    at, normal = spots[:, settings.block // 2], across[:, settings.block // 2]
    terms = _terms(at - middle, normal)
    known = likeness >= settings.likeness
    if known.sum() < settings.enough * len(known):
        return None
    target = offsets + normal @ start
    motion, agreed = _agreed(terms[known], target[known], settings)
    many = len(outline)
    sides = np.repeat(np.arange(many), len(at) // many)[known][agreed]
    both = len(set(sides % (many // 2))) > 1  # those opposite each other tell of one way alone
    return motion if both and agreed.sum() >= settings.enough * len(known) else None


def _blocks(outline: Array, settings: MovedSettings) -> tuple[Array, Array]:
    """Points (b, block, 2) along the sides and their normals (b, block, 2)."""
    blocks = -(-4 * settings.blocks // len(outline))  # of a side: as many in all, or hardly more
    count = blocks * settings.block
    share = np.linspace(settings.margin, 1 - settings.margin, count)[:, None]
    spots, normals = [], []
    for first, second in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        along = (second - first) / np.linalg.norm(second - first)
        spots.append(first * (1 - share) + second * share)
        normals.append(np.tile([-along[1], along[0]], (count, 1)))
    shape = (-1, settings.block, 2)
    return np.concatenate(spots).reshape(shape), np.concatenate(normals).reshape(shape)


def _strips(
    picture: NDArray[np.float32], spots: Array, across: Array, reach: NDArray[np.intp]
) -> NDArray[np.float32]:
    """Slopes (b, r) across the rim, each the mean along its block."""
    places = spots[:, :, None] + reach[None, None, :, None] * across[:, :, None]
    maps = places.reshape(-1, len(reach), 2).astype(np.float32)
    lines = between(picture, maps).reshape(len(spots), -1, len(reach)).mean(axis=1)
    return np.asarray(np.gradient(lines, axis=1), np.float32)


def _shifts(
    old: NDArray[np.float32], new: NDArray[np.float32], settings: MovedSettings
) -> tuple[Array, Array]:
    """For each block the shift (b,) in px at which the pictures agree best, and how well (b,)."""
    reach = settings.reach
    core = old[:, reach:-reach]
    size = core.shape[1]
    scores = []
    for shift in range(-reach, reach + 1):
        there = new[:, reach + shift : reach + shift + size]
        power = np.sqrt((core**2).sum(1) * (there**2).sum(1)) + settings.faint
        scores.append((core * there).sum(1) / power)
    table = np.array(scores).T
    best = np.clip(np.argmax(table, axis=1), 1, table.shape[1] - 2)
    rows = np.arange(len(table))
    low, top, high = (table[rows, best + step] for step in (-1, 0, 1))
    bend = np.minimum(low - 2 * top + high, -1e-6)
    return best - reach + np.clip(0.5 * (low - high) / bend, -1, 1), top


def _terms(arms: Array, normal: Array) -> Array:
    """How shift x, shift y and turn show across the rim, (b, 3)."""
    turned = np.column_stack([-arms[:, 1], arms[:, 0]])
    return np.column_stack([normal, (turned * normal).sum(1)])


def _agreed(
    terms: Array, target: Array, settings: MovedSettings
) -> tuple[Array, NDArray[np.bool_]]:
    """The motion most blocks agree on and which do; tolerance narrows step by step."""
    scale = np.array([1, 1, 1 / np.abs(terms[:, 2]).max()])
    scaled = terms * scale
    weights = np.ones(len(target))
    solved = np.zeros(3)
    for tolerance in settings.tolerances:
        for _ in range(3):
            normal = scaled.T @ (scaled * weights[:, None]) + np.diag([1e-6, 1e-6, 0.3])
            solved = np.linalg.solve(normal, scaled.T @ (weights * target))
            off = target - scaled @ solved
            weights = 1 / (1 + (off / tolerance) ** 2) ** 2
    return solved * scale, np.abs(off) <= 2 * settings.tolerances[-1]


def _displaced(points: Array, middle: Array, motion: Array) -> Array:
    """Displacements (n, 2) of ``points``."""
    arms = points - middle
    turned = np.column_stack([-arms[:, 1], arms[:, 0]])
    return np.asarray(motion[:2] + motion[2] * turned)
