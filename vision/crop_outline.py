"""Where the top face of a die lies in a crop of that die alone.

No tray tells the size of a face or from where it is seen: near-square outlines of
all sizes, places and rotations are tried, and the likeliest moved side by side.
Points are in pixels, x first, with the centre of the top left pixel at (0, 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats, Image, Quad, cut, off_centre


@dataclass(frozen=True, slots=True)
class FindSettings:
    """How `find_faces` looks for the outline of a top face in a crop of one die."""

    size: int = 48  # the crop's longer side is brought to this many pixels for the search
    angle_step: float = 4.5  # degrees between the tried rotations
    smallest: float = 0.38  # side of the smallest tried face, of the crop's longer side
    aspects: tuple[float, ...] = (0.82, 0.91, 1.0, 1.10, 1.22)
    ring: int = 2  # pixels inside the outline where the body's colour is looked at
    ring_weight: float = 3.0  # of the unevenness of the body's rim against edge strength
    plain_weight: float = 4.0  # of a rim less even than what lies outside: print inside a body
    size_weight: float = 2.0  # preference for the larger of two outlines alike
    centre_weight: float = 0.6  # preference for an outline near the crop's centre
    candidates: int = 3  # best outlines of different rotations that are refined
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
class Outline:
    """Where a top face may lie: ``corners`` (4, 2), and how likely beside others of the crop."""

    corners: Quad
    score: float

    def apart(self, other: Outline) -> float:
        """The largest distance of their corners in sides, whichever they begin with."""
        side = np.linalg.norm(self.corners - np.roll(self.corners, 1, axis=0), axis=1).mean()
        turns = (np.roll(other.corners, n, axis=0) - self.corners for n in range(4))
        return float(min(np.linalg.norm(gaps, axis=1).max() for gaps in turns) / side)


def find_faces(crop: Image, settings: FindSettings | None = None) -> list[Outline]:
    """The outlines that may be the top face's in a crop of one die, likeliest first.

    The die is expected near the middle with some background around it; side
    faces may show. The outline sought is a near square with an edge all round
    and an even rim of body colour inside that edge, its print in the middle.
    """
    settings = settings or FindSettings()
    quads = _coarse_outlines(*_scaled(crop, settings.size, 0.7), settings)
    if not len(quads):
        return []
    image, scale = _scaled(crop, settings.fine, 1.0)
    fine = (quads + 0.5) * scale - 0.5
    middle = fine.mean(axis=1, keepdims=True)
    grown = np.concatenate([(fine - middle) * grow + middle for grow in settings.growth])
    climbed, scores = _climb(image, np.asarray(grown, np.float32), settings.fine, settings)
    seen = [_is_seen(image, quad, settings) for quad in climbed]
    corners = np.asarray((climbed[seen] + 0.5) / scale - 0.5, np.float32)
    likely = scores[seen] - np.array([_unlikely(crop, quad, settings) for quad in corners])
    ranked = [Outline(corners[i], float(likely[i])) for i in np.argsort(-likely)]
    distinct: list[Outline] = []
    for outline in ranked:
        if all(outline.apart(other) > settings.distinct for other in distinct):
            distinct.append(outline)
    return distinct


def _unlikely(crop: Image, corners: Quad, settings: FindSettings) -> float:
    """What speaks against an outline by its shape and place, and by where its print lies.

    A top together with a side of the die is longer than wide, and its print off the middle.
    """
    sides = np.roll(corners, -1, axis=0) - corners
    length = np.linalg.norm(sides, axis=1)
    long = abs(np.log((length[0] + length[2]) / (length[1] + length[3])))
    nexts = np.roll(sides, -1, axis=0)
    crooked = np.abs((sides * nexts).sum(axis=1) / (length * np.roll(length, -1))).max()
    middle = (np.array(crop.shape[1::-1]) - 1) / 2
    aside = np.linalg.norm(corners.mean(axis=0) - middle) / max(crop.shape[:2])
    shape = settings.shape_weight * (long + crooked) + settings.aside_weight * aside
    return float(shape + settings.print_weight * off_centre(cut(crop, corners)))


def _scaled(crop: Image, size: int, blur: float) -> tuple[Floats, float]:
    """The crop with its longer side brought to ``size`` pixels and smoothed, and the factor."""
    scale = size / max(crop.shape[:2])
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    small = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=interpolation)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), blur)), scale


def _coarse_outlines(image: Floats, scale: float, settings: FindSettings) -> Floats:
    """The likeliest outlines (n, 4, 2) of the whole crop, in the crop's own pixels."""
    canvas = int(settings.size * 1.35)
    tried = _outlines(canvas, settings.size, settings)
    found: list[tuple[float, Floats]] = []
    for degrees in np.arange(0, 90, settings.angle_step):
        turned, matrix = _turn(image, float(degrees), canvas)
        back = np.array(cv2.invertAffineTransform(matrix))
        scores = _score_turned(turned, tried, settings)
        scores[tried.beyond(back, image.shape, settings.beyond * settings.size)] = -np.inf
        top = int(np.argmax(scores))
        x0, x1, y0, y1 = (edge[top] for edge in tried.edges)
        corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
        if np.isfinite(scores[top]):
            found.append((float(scores[top]), corners @ back[:, :2].T + back[:, 2]))
    found.sort(key=lambda item: -item[0])
    best = [corners for _, corners in found[: settings.candidates]]
    return (np.reshape(best, (-1, 4, 2)).astype(np.float32) + 0.5) / scale - 0.5


@dataclass(frozen=True, slots=True)
class _Outlines:
    """Axis-parallel outlines to try in a turned crop: pixel rows and columns, all (n,)."""

    left: NDArray[np.intp]
    right: NDArray[np.intp]
    top: NDArray[np.intp]
    bottom: NDArray[np.intp]
    bonus: Floats

    @property
    def edges(self) -> tuple[NDArray[np.intp], ...]:
        return self.left, self.right, self.top, self.bottom

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


def _running(image: Floats, axis: int) -> Floats:
    """Sums from the start along ``axis``, with a leading zero."""
    pad = [(0, 0), (0, 0)]
    pad[axis] = (1, 0)
    return np.pad(np.cumsum(image, axis=axis, dtype=np.float32), pad)


class _Lines:
    """Mean of an image along stretches of its rows and columns, in constant time each."""

    def __init__(self, image: Floats) -> None:
        self._along_x = _running(image, 1)
        self._along_y = _running(image, 0)

    def rows(self, row: Any, start: Any, stop: Any) -> Floats:
        total = self._along_x[row, stop + 1] - self._along_x[row, start]
        return np.asarray(total / (stop + 1 - start), np.float32)

    def columns(self, column: Any, start: Any, stop: Any) -> Floats:
        total = self._along_y[stop + 1, column] - self._along_y[start, column]
        return np.asarray(total / (stop + 1 - start), np.float32)


def _step(image: Floats, axis: int) -> Floats:
    """Strength of the colour step across ``axis`` at each pixel, in grey levels a pixel."""
    dx, dy = (1, 0) if axis == 1 else (0, 1)
    gradient = cv2.Scharr(image, cv2.CV_32F, dx, dy, scale=1 / 32)
    return np.asarray(np.sqrt((gradient**2).mean(axis=2)), np.float32)


def _score_turned(turned: Floats, tried: _Outlines, settings: FindSettings) -> Floats:
    """How well each outline in ``tried`` fits the turned crop (BGR float32)."""
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
    return np.asarray(
        strength * 4 / scale - settings.ring_weight * uneven / scale + tried.bonus, np.float32
    )


def _turn(image: Floats, degrees: float, canvas: int) -> tuple[Floats, NDArray[np.float64]]:
    """``image`` turned about its centre onto a square canvas, and the 2x3 map used."""
    height, width = image.shape[:2]
    centre = ((width - 1) / 2, (height - 1) / 2)
    matrix = np.array(cv2.getRotationMatrix2D(centre, degrees, 1.0), np.float64)
    matrix[:, 2] += (canvas - 1) / 2 - np.array(centre)
    turned = cv2.warpAffine(
        image, matrix, (canvas, canvas), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(turned, np.float32), matrix


def _outline_scores(image: Floats, quads: Floats, shown: float, settings: FindSettings) -> Floats:
    """How well each of ``quads`` (n, 4, 2) outlines a face in ``image`` (h, w, 3)."""
    inner = _along(image, quads, -1.6)
    outer = _along(image, quads, 1.6)
    rim = _along(image, quads, -4.0)
    step = inner - outer
    strength = np.sqrt(np.linalg.norm(step.mean(axis=2), axis=-1) + 1e-3)
    beyond = _along(image, quads, 4.0)
    side_mean = rim.mean(axis=2)
    uneven = rim.std(axis=2).mean(axis=(1, 2)) + side_mean.std(axis=1).mean(axis=1)
    plain = np.maximum(rim.std(axis=2) - beyond.std(axis=2), 0).mean(axis=(1, 2))
    uneven = uneven + settings.plain_weight * plain
    scale = max(float(image.std()), 1.0)
    edges = 0.5 * strength.mean(axis=1) + 0.5 * np.sort(strength, axis=1)[:, :2].mean(axis=1)
    size = np.sqrt(np.maximum(_areas(quads), 1.0)) / shown
    rim_cost = settings.ring_weight * uneven / scale
    return np.asarray(edges**2 / scale - rim_cost + settings.size_weight * size)


def _is_seen(image: Floats, quad: Floats, settings: FindSettings) -> bool:
    """Whether an outline has an area and steps in colour at three sides; one may lie at the rim."""
    if _areas(quad[None])[0] < settings.least_area:
        return False
    step = _along(image, quad[None], -1.6) - _along(image, quad[None], 1.6)
    return bool(np.sort(np.abs(step).mean(axis=(2, 3))[0])[1] >= settings.least_step)


def _areas(quads: Floats) -> Floats:
    """Areas of quads (n, 4, 2) by the cross product of their diagonals."""
    a, b = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    return np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2


_ALONG = np.linspace(0.1, 0.9, 20, dtype=np.float32)[:, None]


def _along(image: Floats, quads: Floats, offset: float) -> Floats:
    """Colours (n, 4, 20, 3) along the sides of quads, ``offset`` pixels outside of them."""
    start, stop = quads, np.roll(quads, -1, axis=1)
    side = stop - start
    normal = np.stack([side[..., 1], -side[..., 0]], axis=-1)
    normal = normal / np.maximum(np.linalg.norm(side, axis=-1, keepdims=True), 1e-6)
    spots = start[:, :, None] + side[:, :, None] * _ALONG + offset * normal[:, :, None]
    flat = np.ascontiguousarray(spots.reshape(len(quads), -1, 2), np.float32)
    seen = cv2.remap(
        image, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(seen, np.float32).reshape(*spots.shape[:3], 3)


def _moves() -> Floats:
    """Unit moves (16, 4, 2) of the sides of a square: each shifted or tilted both ways."""
    moves = []
    for side in range(4):
        out = np.array([[0, -1], [1, 0], [0, 1], [-1, 0]][side], np.float32)
        for ends in ((1, 1), (1, -1)):
            move = np.zeros((4, 2), np.float32)
            move[side], move[(side + 1) % 4] = out * ends[0], out * ends[1]
            moves += [move, -move]
    return np.stack(moves)


_MOVES = _moves()


def _climb(
    image: Floats, quads: Floats, shown: float, settings: FindSettings
) -> tuple[Floats, Floats]:
    """Quads (n, 4, 2) moved side by side to better outlines, and their scores (n,)."""
    scores = _outline_scores(image, quads, shown, settings)
    for step in settings.rounds:
        for _ in range(3):
            top = quads[:, 1] - quads[:, 0]
            turn = np.arctan2(top[:, 1], top[:, 0])
            c, s = np.cos(turn), np.sin(turn)
            frame = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], axis=1)
            moved = quads[:, None] + step * np.einsum("mij,njk->nmik", _MOVES, frame)
            tried = _outline_scores(image, moved.reshape(-1, 4, 2), shown, settings)
            tried = tried.reshape(len(quads), -1)
            best = tried.argmax(axis=1)
            gain = tried.max(axis=1) > scores
            if not gain.any():
                break
            quads = np.where(gain[:, None, None], moved[np.arange(len(quads)), best], quads)
            scores = np.maximum(scores, tried.max(axis=1))
    return quads, scores
