"""The square top faces of dice: every place and rotation tried by box filters.

In the rectified tray a face that lies level is a square of one known size,
whatever its place. Turning the picture makes its sides upright and level, so
that four shifted box filters over edge strength score every centre at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.distinct import distinct
from vision.patch import Floats, Image, clearest, nearest, slopes
from vision.segment import Mask, disc
from vision.settings import SceneSettings
from vision.window import Area, Window


@dataclass(frozen=True, slots=True)
class Square:
    """A square in the rectified tray: centre and side in pixels, rotation in degrees."""

    x: float
    y: float
    side: float
    turn: float
    edge: float  # strength of its outline, 0 to 1

    @staticmethod
    def about(corners: NDArray[Any], edge: float) -> Square:
        """The square that four corners (4, 2), clockwise, are about those of."""
        x, y = corners.mean(axis=0)
        sides = np.roll(corners, -1, axis=0) - corners
        turn = np.rad2deg(np.arctan2(sides[0, 1] - sides[2, 1], sides[0, 0] - sides[2, 0]))
        side = np.linalg.norm(sides, axis=1).mean()
        return Square(float(x), float(y), float(side), float(turn) % 90, edge)

    @property
    def corners(self) -> NDArray[np.float32]:
        """(4, 2), clockwise."""
        angle = np.deg2rad(self.turn)
        cos, sin = np.cos(angle) * self.side / 2, np.sin(angle) * self.side / 2
        arms = [(-cos + sin, -sin - cos), (cos + sin, sin - cos), (cos - sin, sin + cos)]
        arms.append((-cos - sin, -sin + cos))
        return np.array([(self.x + dx, self.y + dy) for dx, dy in arms], np.float32)

    def apart(self, other: Square) -> float:
        """Pixels between the two centres."""
        return float(np.hypot(self.x - other.x, self.y - other.y))

    def moved(self, dx: float, dy: float) -> Square:
        """It ``dx`` pixels further right and ``dy`` further down."""
        return replace(self, x=float(self.x + dx), y=float(self.y + dy))


class SquareSearch:
    """Looks for squares of any size on one changed region of the rectified tray.

    ``seen`` (h, w, 3) is the rectified tray, ``mask`` (h, w) the region looked at.
    """

    def __init__(self, seen: Image, mask: Mask, settings: SceneSettings) -> None:
        x, y, width, height = cv2.boundingRect(mask)
        rim = round(settings.beyond * settings.scale) + 2
        self._settings = settings
        self._origin = (max(x - rim, 0), max(y - rim, 0))
        left, top = self._origin
        part = np.s_[top : y + height + rim, left : x + width + rim]
        near = cv2.dilate(mask[part], disc(2 * settings.beyond * settings.scale))
        self._least = min(width, height) + rim
        lifted = cv2.LUT(seen[part], _LIFTED)
        self._smooth = np.asarray(cv2.GaussianBlur(lifted, (0, 0), 1.0), np.uint8)
        self._near = np.asarray(near, np.uint8)
        # Dice are looked for again where another look at the same region found none for certain.
        self._found: dict[tuple[float, float, int], list[Square]] = {}

    def find(
        self, side: float, slack: float | None = None, keep: int | None = None
    ) -> list[Square]:
        """The best ``keep`` squares of ``side`` pixels, within ``slack`` of it; best first."""
        settings = self._settings
        within = settings.size_slack if slack is None else slack
        most = settings.keep if keep is None else keep
        if (side, within, most) not in self._found:
            self._found[side, within, most] = self._looked_for(side, within, most)
        return list(self._found[side, within, most])

    def _looked_for(self, side: float, slack: float, most: int) -> list[Square]:
        settings = self._settings
        if self._least < settings.inside * side:
            return []
        starts = self._peaks(side, most)
        found = _refined(self._outlines, starts, side, slack, settings.turn / 2)
        left, top = self._origin
        moved = [square.moved(left, top) for square in found]
        return sorted(moved, key=lambda square: -square.edge)

    def near(self, square: Square) -> Square:
        """The strongest outline about where ``square`` lies, of its size within the usual slack."""
        left, top = self._origin
        start = np.array([[square.x - left, square.y - top, square.side, square.turn]], np.float32)
        slack, turn = self._settings.size_slack, self._settings.turn
        found = _refined(self._outlines, start, square.side, slack, turn)[0]
        return found.moved(left, top)

    @cached_property
    def _outlines(self) -> Outlines:
        return Outlines(self._smooth, self._settings)

    @cached_property
    def _turned(self) -> list[Turned]:
        region = Region.of(self._outlines.slopes, self._near, self._settings)
        turns = np.arange(0, 90, self._settings.turn)
        return [Turned.of(region, float(turn)) for turn in turns]

    def _peaks(self, side: float, keep: int) -> Floats:
        """Starting squares (n, 4) of the best distinct places and rotations."""
        settings = self._settings
        tried: list[tuple[float, float, float, float]] = []
        for turned in self._turned:
            centres = turned.centres(side, settings)
            if centres.window.empty:
                continue
            scores, window = turned.scores(centres, side, settings), centres.window
            for _ in range(2):
                _, score, _, (px, py) = cv2.minMaxLoc(scores)
                if score < settings.least_edge / 2:
                    break
                x, y = turned.back @ (px + window.left, py + window.top, 1.0)
                tried.append((float(score), float(x), float(y), turned.turn))
                cv2.circle(scores, (px, py), max(1, round(side * 0.15)), (0.0,), -1)
        return _distinct(sorted(tried, reverse=True), side, keep)


@dataclass(frozen=True)
class Region:
    """A part of a picture that is looked at: its slopes (h, w) each, where, and the outline."""

    right: Floats  # in parts of a clear edge's, of the clearest colour
    down: Floats
    mask: Mask
    hull: Floats  # (n, 2)

    @staticmethod
    def of(steep: tuple[Floats, Floats], mask: Mask, settings: SceneSettings) -> Region:
        """The pixels of a picture whose slopes are ``steep`` (h, w, 3) each, on ``mask`` (h, w)."""
        rims, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        hull = cv2.convexHull(np.concatenate(rims)) if rims else np.zeros((0, 2))
        right, down = (slope / np.float32(settings.cap) for slope in clearest(*steep))
        return Region(right, down, mask, np.asarray(hull, np.float32).reshape(-1, 2))

    def reached(self, matrix: Floats) -> Window:
        """The least window and 3 pixels more that holds the region seen through (2, 3)."""
        seen = np.rint(self.hull @ matrix[:, :2].T + matrix[:, 2]).astype(np.int32)
        return Window.around(seen).grown(3, 3)


@dataclass(frozen=True)
class Turned:
    """A region turned so that squares of one rotation stand upright."""

    turn: float
    back: Floats  # (2, 3) to the region's own pixels
    across: Mask  # (h, w) strength of upright edges, 0 to CLEAR, widened by a pixel
    along: Mask  # the same of level ones
    covered: Mask  # 1 on the region
    window: Window  # of the region

    @classmethod
    def of(cls, region: Region, turn: float) -> Turned:
        """Turn ``region`` by ``turn`` degrees."""
        height, width = region.mask.shape
        canvas = int(np.ceil(np.hypot(height, width))) | 1
        middle = (width / 2 - 0.5, height / 2 - 0.5)
        matrix = np.asarray(cv2.getRotationMatrix2D(middle, turn, 1.0), np.float64)
        matrix[:, 2] += (canvas / 2 - width / 2, canvas / 2 - height / 2)
        near, across, along = (np.zeros((canvas, canvas), np.uint8) for _ in range(3))
        shown = region.reached(matrix).within(Window.of(near))
        if not shown.empty:
            moved = matrix - np.array([[0, 0, shown.left], [0, 0, shown.top]])
            planes = (region.mask, region.right, region.down)
            mask, right, down = (_warped(plane, moved, shown) for plane in planes)
            part = shown.part
            near[part] = cv2.threshold(mask, 127, 1, cv2.THRESH_BINARY)[1]
            across[part] = _edges(right, down, matrix[0], _WIDE) * near[part]
            along[part] = _edges(right, down, matrix[1], _TALL) * near[part]
        window = Window.around(near)
        back = np.asarray(cv2.invertAffineTransform(matrix), np.float64)
        return cls(turn, back, across, along, near, window)

    def centres(self, side: float, settings: SceneSettings) -> Area:
        """Where there are centres of squares of ``side`` pixels that the region covers."""
        half, wide = round(side / 2), _covering(side)
        least = int((settings.inside - 0.5) * wide)  # a centre lies at least so far inside
        inner = Window.of(self.covered).grown(-half, -half)
        window = self.window.grown(-least, -least).within(inner)
        if window.empty:
            return Area.nowhere()
        cover = _sums(self.covered, window, wide, wide)
        return Area.where(cover >= settings.inside * wide * wide, window)

    def scores(self, centres: Area, side: float, settings: SceneSettings) -> Floats:
        """Outline strength (h, w) of the upright square round each of ``centres``, 0 beside them.

        (h, w) is the size of their window.
        """
        window, half, long = centres.window, round(side / 2), _straight(side, settings)
        upright = _sums(self.across, window.grown(half, 0), 1, long)
        level = _sums(self.along, window.grown(0, half), long, 1)
        left, right = upright[:, : window.width], upright[:, 2 * half :]
        top, bottom = level[: window.height], level[2 * half :]
        weakest = np.minimum(np.minimum(left, right), np.minimum(top, bottom))
        score = 0.15 * (left + right + top + bottom) + 0.4 * weakest
        score *= centres.mask > 0
        return np.asarray(score / (long * CLEAR), np.float32)


def _covering(side: float) -> int:
    """Side in pixels of the square round a centre that must be covered."""
    return round(side * 0.75) | 1


def _straight(side: float, settings: SceneSettings) -> int:
    """Length in pixels of a side without its round corners."""
    return round(side * (1 - 2 * settings.corner)) | 1


def _sums(plane: Mask, window: Window, width: int, height: int) -> Floats:
    """Sums over the ``width`` x ``height`` pixels, both odd, round every pixel of ``window``."""
    x, y = width // 2, height // 2
    part = plane[window.grown(x, y).part]
    sums = cv2.boxFilter(part, cv2.CV_32F, (width, height), normalize=False)
    return np.asarray(sums[y : y + window.height, x : x + window.width], np.float32)


CLEAR = 255.0  # how an edge is written that is as good as any

# Dark bodies and bodies in shadow have faint edges: their grey levels are spread, much as the
# logarithm spreads them, and the bright ones no less than a power does.
_GREY = np.arange(256)
SPREAD = np.maximum(0.6 * ((_GREY + 0.5) / 255) ** -0.4, 97.3 / (_GREY + 20))
_LIFTED = np.rint(255 * np.cumsum(SPREAD) / SPREAD.sum()).astype(np.uint8)
_WIDE, _TALL = np.ones((1, 3), np.uint8), np.ones((3, 1), np.uint8)


def _warped(plane: NDArray[Any], matrix: Floats, window: Window) -> NDArray[Any]:
    """A plane (h, w) seen through ``matrix`` (2, 3) in a window's size: each the nearest pixel.

    Slopes of neighbouring pixels may be of two colours and point to opposite ways: mixed, an
    edge would vanish.
    """
    size = (window.width, window.height)
    return np.asarray(cv2.warpAffine(plane, matrix, size, flags=cv2.INTER_NEAREST))


def _edges(right: Floats, down: Floats, way: Floats, widened: Mask) -> Mask:
    """Strength, 0 to CLEAR, of the edges that slope along ``way`` (2,).

    Widened: one side of a square may be off by the rounding of its centre.
    """
    steep = cv2.addWeighted(right, way[0], down, way[1], 0)
    return np.asarray(cv2.dilate(cv2.convertScaleAbs(steep, alpha=CLEAR), widened), np.uint8)


def _distinct(tried: list[tuple[float, float, float, float]], side: float, keep: int) -> Floats:
    """The best of ``tried`` (score, x, y, turn) that differ, as squares (n, 4)."""
    kept = islice(distinct(tried, lambda one, other: not _alike(one, other, side)), keep)
    return np.array([(x, y, side, turn) for _, x, y, turn in kept], np.float32).reshape(-1, 4)


def _alike(
    one: tuple[float, float, float, float], other: tuple[float, float, float, float], side: float
) -> bool:
    near = np.hypot(one[1] - other[1], one[2] - other[2]) < 0.12 * side
    return bool(near and turned_apart(one[3], other[3]) < 12)


def turned_apart(one: float, other: float) -> float:
    """Degrees between two rotations of a square, at most 45."""
    apart = abs(one - other) % 90
    return min(apart, 90 - apart)


class Outlines:
    """Scores single squares by how strong the picture's edges are along their sides.

    Squares (n, 4) are given as x, y, side, turn.
    """

    def __init__(self, smooth: Image, settings: SceneSettings) -> None:
        self._settings = settings
        self.slopes = slopes(smooth.astype(np.float32))  # (h, w, 3) along x and y
        ends = 0.5 - settings.corner
        along = np.linspace(-ends, ends, settings.samples)
        out = np.full_like(along, 0.5)
        sides = [(out, along), (along, out), (-out, along), (along, -out)]
        x, y = np.array(sides, np.float32).transpose(1, 2, 0).reshape(2, -1)
        self._points = np.stack([x, y, np.ones_like(x)], axis=1)  # (samples * 4, 3)

    def sides(self, squares: Floats) -> Floats:
        """Strength (4, n) of each side of the squares."""
        x, y, side, turn = squares.T.astype(np.float32)
        cos, sin = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
        placed = np.array([[side * cos, side * sin], [-side * sin, side * cos], [x, y]])
        spots = self._points @ placed.transpose(0, 2, 1).reshape(3, -1)
        spots = spots.reshape(-1, len(squares), 2)
        dx, dy = (nearest(slope, spots) for slope in self.slopes)
        out = np.array([[cos, -sin, -cos, sin], [sin, cos, -sin, -cos]]).repeat(3, axis=2)
        shape = (-1, 4, 3 * len(squares))  # samples, sides, squares with their colours
        steep = np.abs(dx.reshape(shape) * out[0] + dy.reshape(shape) * out[1])
        steep = np.maximum(np.maximum(steep[..., 0::3], steep[..., 1::3]), steep[..., 2::3])
        steep = steep / self._settings.cap
        # The small part without a limit keeps squares on the middle of a strong, blurred edge.
        strength = 0.9 * np.minimum(steep, 1.0) + 0.1 * steep / (steep + 4)
        return np.asarray(strength.mean(axis=0), np.float32)

    def score(self, squares: Floats) -> Floats:
        """Outline strength (n,) of the squares."""
        by_side = self.sides(squares)
        return np.asarray(0.6 * by_side.mean(axis=0) + 0.4 * by_side.min(axis=0), np.float32)


def _refined(
    outlines: Outlines, starts: Floats, side: float, slack: float, turn: float
) -> list[Square]:
    """Each of ``starts`` (n, 4) moved, turned and resized a little to the strongest outline."""
    best, edges = starts, np.zeros(len(starts), np.float32)
    steps = np.array([1.5, 1.5, side * slack / 2, turn], np.float32)
    for _ in range(4 if len(starts) else 0):
        near = best[:, None] + _AROUND * steps
        near[..., 2] = np.clip(near[..., 2], side * (1 - slack), side * (1 + slack))
        scores = outlines.score(near.reshape(-1, 4)).reshape(len(best), -1)
        best, edges = near[np.arange(len(best)), scores.argmax(axis=1)], scores.max(axis=1)
        steps = steps * np.float32(0.6)
    return [
        Square(float(x), float(y), float(size), float(angle) % 90, float(edge))
        for (x, y, size, angle), edge in zip(best, edges, strict=True)
    ]


_AROUND = np.stack(np.meshgrid(*[[-1, 0, 1]] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
_AROUND = _AROUND.astype(np.float32)
