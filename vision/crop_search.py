"""Where in a crop of one die the search for its top face begins.

Near squares of all sizes, places and rotations are tried on a small picture, each
in constant time; what they score there only tells which are worth refining.
Points are in pixels, x first, with the centre of the top left pixel at (0, 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats


@dataclass(frozen=True, slots=True)
class FindSettings:
    """How `find_faces` looks for the outline of a top face in a crop of one die."""

    size: int = 48  # the crop's longer side is brought to this many pixels for the search
    angle_step: float = 4.5  # degrees between the tried rotations
    smallest: float = 0.38  # side of the smallest tried face, of the crop's longer side
    aspects: tuple[float, ...] = (0.82, 0.91, 1.0, 1.10, 1.22)
    ring: int = 2  # pixels inside the outline where the body's colour is looked at
    ring_weight: float = 3.0  # of the unevenness of the body's rim against edge strength
    printed_weight: float = 0.5  # the same where print may reach the rim, as large pips do
    plain_weight: float = 4.0  # of a rim less even than what lies outside: print inside a body
    size_weight: float = 2.0  # preference for the larger of two outlines alike
    centre_weight: float = 0.6  # preference for an outline near the crop's centre
    candidates: int = 3  # best outlines of different rotations that are refined
    sizes: int = 5  # ranges of size the best of which are looked at in every rotation
    others: int = 6  # of those that are refined
    distinct_start: float = 0.15  # of a side: outlines to begin with are further apart
    beyond: float = 0.05  # of the crop's longer side, that corners may lie outside of it
    fine: int = 96  # size at which outlines are refined
    least_area: float = 500.0  # of fine pixels: print may be smaller, a face hardly
    least_step: float = 1.5  # grey levels across a believable outline; noise makes half of it
    growth: tuple[float, ...] = (1.0, 1.14, 1.22, 1.3)  # a printed frame hides the body's edge
    rounds: tuple[float, ...] = (3.0, 2.0, 1.0, 0.5)  # steps of the refinement in fine pixels
    shape_weight: float = 4.5  # of a length (in logarithms) and corners unlike a square's
    aside_weight: float = 4.0  # of a middle off the crop's, of its longer side
    print_weight: float = 1.5  # of a print off the middle of the face
    distinct: float = 0.1  # of a side: outlines no further apart are one


@dataclass(frozen=True)
class Starts:
    """Outlines worth refining, in the pixels of the crop."""

    likeliest: Floats  # (n, 4, 2), of different rotations
    others: Floats  # (m, 4, 2): the likeliest of each size in every rotation


def find_starts(image: Floats, scale: float, settings: FindSettings) -> Starts:
    """The outlines to begin with in a crop whose longer side was brought to ``settings.size``.

    ``image`` (h, w, 3) is the crop enlarged by ``scale``.
    """
    height, width = image.shape[:2]
    found: list[tuple[float, Floats]] = []
    others: list[Floats] = []
    for turn in _turns(height, width, settings):
        tried = turn.tried
        plain, printed = _score_turned(turn.of(image), tried, settings)
        best = int(np.argmax(plain))
        found.append((float(plain[best]), tried.corners(best, turn.back)))
        for scores in (plain, printed):
            tops = (a + int(np.argmax(scores[a:b])) for a, b in pairwise(turn.sizes) if b > a)
            others += [tried.corners(top, turn.back) for top in tops]
    found.sort(key=lambda item: -item[0])
    likeliest = [corners for _, corners in found[: settings.candidates]]
    return Starts(_unscaled(likeliest, scale), _unscaled(others, scale))


def _unscaled(quads: Sequence[Floats], scale: float) -> Floats:
    """Quads (n, 4, 2) of a picture enlarged by ``scale``, in pixels of what it was made from."""
    return (np.reshape(quads, (-1, 4, 2)).astype(np.float32) + 0.5) / scale - 0.5


@dataclass(frozen=True, slots=True)
class _Outlines:
    """Axis-parallel outlines to try in a turned crop, by size: pixel rows and columns, (n,)."""

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    top: NDArray[np.intp]
    bottom: NDArray[np.intp]
    bonus: Floats

    @property
    def edges(self) -> tuple[NDArray[np.intp], ...]:
        return self.left, self.right, self.top, self.bottom

    def corners(self, which: int, back: NDArray[Any]) -> Floats:
        """The corners (4, 2) of one of them; ``back`` (2, 3) leads there from the turned crop."""
        x0, x1, y0, y1 = (edge[which] for edge in self.edges)
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
        return np.asarray(corners @ back[:, :2].T + back[:, 2], np.float32)

    def taken(self, some: NDArray[np.bool_]) -> _Outlines:
        """``some`` (n,) of them."""
        left, right, top, bottom = (np.asarray(edge[some], np.intp) for edge in self.edges)
        return _Outlines(left, right, top, bottom, np.asarray(self.bonus[some], np.float32))

    def beyond(self, back: NDArray[Any], shape: Sequence[int], reach: float) -> NDArray[np.bool_]:
        """Which (n,) lie over ``reach`` pixels outside of the picture (h, w, ...).

        ``back`` (2, 3) leads from the turned crop to it.
        """
        x = np.stack([self.left, self.right, self.right, self.left])
        y = np.stack([self.top, self.top, self.bottom, self.bottom])
        outside = np.zeros(len(self.left), bool)
        for (a, b, c), length in zip(back, shape[1::-1], strict=True):
            place = a * x + b * y + c
            outside |= (place < -reach).any(axis=0) | (place > length - 1 + reach).any(axis=0)
        return outside


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """One rotation of crops of one shape, and the outlines to try in it."""

    there: NDArray[np.float64]  # (2, 3), from the crop to the turned one
    back: NDArray[np.float64]  # (2, 3)
    canvas: int
    tried: _Outlines
    sizes: NDArray[np.intp]  # where ranges of size begin among those tried, and where the last ends

    def of(self, image: Floats) -> Floats:
        """``image`` turned about its centre onto a square canvas."""
        replicate, square = cv2.BORDER_REPLICATE, (self.canvas, self.canvas)
        turned = cv2.warpAffine(
            image, self.there, square, flags=cv2.INTER_LINEAR, borderMode=replicate
        )
        return np.asarray(turned, np.float32)


@lru_cache(maxsize=2)  # each is looked at in several ways, and takes some megabytes
def _turns(height: int, width: int, settings: FindSettings) -> list[_Turn]:
    """All rotations of crops of that shape in which an outline lies within."""
    canvas = int(settings.size * 1.35)
    every = _outlines(canvas, settings.size, settings)
    ranges = np.linspace(0, len(every.left), settings.sizes + 1).astype(int)
    centre = ((width - 1) / 2, (height - 1) / 2)
    turns = []
    for degrees in np.arange(0, 90, settings.angle_step):
        there = np.array(cv2.getRotationMatrix2D(centre, float(degrees), 1.0), np.float64)
        there[:, 2] += (canvas - 1) / 2 - np.array(centre)
        back = np.array(cv2.invertAffineTransform(there), np.float64)
        within = ~every.beyond(back, (height, width), settings.beyond * settings.size)
        if within.any():
            sizes = np.concatenate([[0], np.cumsum(within)])[ranges]
            turns.append(_Turn(there, back, canvas, every.taken(within), sizes))
    return turns


def _outlines(canvas: int, shown: float, settings: FindSettings) -> _Outlines:
    """All near-square outlines of a crop whose longer side is ``shown`` pixels."""
    sides = np.arange(settings.smallest * shown, shown, 1.7)
    shifts = np.arange(-0.26 * shown, 0.26 * shown + 0.1, 1.7)
    side, aspect, dx, dy = (
        axis.ravel()
        for axis in np.meshgrid(sides, np.array(settings.aspects), shifts, shifts, indexing="ij")
    )
    half_w, half_h = side * np.sqrt(aspect) / 2, side / np.sqrt(aspect) / 2
    middle = (canvas - 1) / 2
    edges = [middle + dx - half_w, middle + dx + half_w, middle + dy - half_h, middle + dy + half_h]
    columns = [np.rint(edge).astype(np.intp) for edge in edges]
    inside = (np.minimum(columns[0], columns[2]) >= 3) & (
        np.maximum(columns[1], columns[3]) < canvas - 3
    )
    off = np.hypot(dx, dy) / shown
    bonus = settings.size_weight * side / shown - settings.centre_weight * off
    kept = [column[inside] for column in columns]
    left, right, top, bottom = kept
    return _Outlines(left, right, top, bottom, np.asarray(bonus[inside], np.float32))


def _running(image: Floats) -> Floats:
    """Sums from the start of each row, with a leading zero."""
    return np.pad(np.cumsum(image, axis=1, dtype=np.float32), [(0, 0), (1, 0)])


class _Lines:
    """Mean of an image along stretches of its rows and columns, in constant time each."""

    def __init__(self, image: Floats) -> None:
        self._along_x = _running(image)
        self._along_y = _running(image.T)

    def rows(self, row: Any, start: Any, stop: Any) -> Floats:
        return _mean_of(self._along_x, row, start, stop)

    def columns(self, column: Any, start: Any, stop: Any) -> Floats:
        return _mean_of(self._along_y, column, start, stop)


def _mean_of(sums: Floats, row: Any, start: Any, stop: Any) -> Floats:
    """Mean between two places of rows, by the running ``sums`` (h, w + 1) along them."""
    at = row * sums.shape[1] + start  # `take` by one number is faster than indexing by two
    length = stop + 1 - start
    total = sums.take(at + length) - sums.take(at)
    return np.asarray(total / length, np.float32)


def _step(image: Floats, axis: int) -> Floats:
    """Strength of the colour step across ``axis`` at each pixel, in grey levels a pixel."""
    dx, dy = (1, 0) if axis == 1 else (0, 1)
    gradient = cv2.Scharr(image, cv2.CV_32F, dx, dy, scale=1 / 32)
    return np.asarray(np.sqrt((gradient**2).mean(axis=2)), np.float32)


def _score_turned(
    turned: Floats, tried: _Outlines, settings: FindSettings
) -> tuple[Floats, Floats]:
    """How well each outline in ``tried`` fits the turned crop (BGR float32).

    First as the top of a die whose rim is plain, then as one whose print may reach the rim.
    """
    across_x, across_y = _Lines(_step(turned, 1)), _Lines(_step(turned, 0))
    grey = turned.mean(axis=2)
    level, square = _Lines(grey), _Lines(grey**2)
    inset = 3  # corners of real dice are round
    x0, x1 = tried.left + inset, tried.right - inset
    y0, y1 = tried.top + inset, tried.bottom - inset
    edges = np.stack(
        [
            across_x.columns(tried.left, y0, y1),
            across_x.columns(tried.right, y0, y1),
            across_y.rows(tried.top, x0, x1),
            across_y.rows(tried.bottom, x0, x1),
        ]
    )
    r = settings.ring
    rims = [
        (
            lines.columns(tried.left + r, y0, y1),
            lines.columns(tried.right - r, y0, y1),
            lines.rows(tried.top + r, x0, x1),
            lines.rows(tried.bottom - r, x0, x1),
        )
        for lines in (level, square)
    ]
    mean, power = np.stack(rims[0]), np.stack(rims[1])
    uneven = np.sqrt(np.maximum(power - mean**2, 0)).mean(axis=0) + mean.std(axis=0)
    strength = np.sqrt(edges).mean(axis=0) ** 2
    scale = max(float(grey.std()), 1.0)
    seen, cost = strength * 4 / scale + tried.bonus, uneven / scale
    plain, printed = settings.ring_weight, settings.printed_weight
    return np.asarray(seen - plain * cost), np.asarray(seen - printed * cost)
