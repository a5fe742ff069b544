"""The square top faces of dice: every place and rotation tried by box filters.

In the rectified tray a face that lies level is a square of one known size,
whatever its place. Turning the picture makes its sides upright and level, so
that four shifted box filters over edge strength score every centre at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats, Image
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

    @property
    def corners(self) -> NDArray[np.float32]:
        """(4, 2), clockwise."""
        angle = np.deg2rad(self.turn)
        cos, sin = np.cos(angle) * self.side / 2, np.sin(angle) * self.side / 2
        arms = [(-cos + sin, -sin - cos), (cos + sin, sin - cos), (cos - sin, sin + cos)]
        arms.append((-cos - sin, -sin + cos))
        return np.array([(self.x + dx, self.y + dy) for dx, dy in arms], np.float32)


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
        self._stack = np.asarray(cv2.merge([self._smooth, near]), np.uint8)

    def find(
        self, side: float, slack: float | None = None, keep: int | None = None
    ) -> list[Square]:
        """The best ``keep`` squares of ``side`` pixels, within ``slack`` of it; best first."""
        settings = self._settings
        if self._least < settings.inside * side:
            return []
        within = settings.size_slack if slack is None else slack
        found = [
            _refined(self._outlines, start, side, within, settings.turn / 2)
            for start in self._peaks(side, settings.keep if keep is None else keep)
        ]
        left, top = self._origin
        moved = [replace(square, x=square.x + left, y=square.y + top) for square in found]
        return sorted(moved, key=lambda square: -square.edge)

    def near(self, square: Square) -> Square:
        """The strongest outline about where ``square`` lies, of its size within the usual slack."""
        left, top = self._origin
        start = np.array([square.x - left, square.y - top, square.side, square.turn], np.float32)
        slack, turn = self._settings.size_slack, self._settings.turn
        found = _refined(self._outlines, start, square.side, slack, turn)
        return replace(found, x=found.x + left, y=found.y + top)

    @cached_property
    def _outlines(self) -> Outlines:
        return Outlines(self._smooth, self._settings)

    @cached_property
    def _turned(self) -> list[Turned]:
        turns = np.arange(0, 90, self._settings.turn)
        return [Turned.of(self._stack, float(turn), self._settings) for turn in turns]

    def _peaks(self, side: float, keep: int) -> list[Floats]:
        """Starting squares (x, y, side, turn) of the best distinct places and rotations."""
        settings = self._settings
        tried: list[tuple[float, float, float, float]] = []
        for turned in self._turned:
            centres = turned.centres(side, settings)
            if centres.window.empty:
                continue
            scores = turned.scores(centres, side, settings)
            for _ in range(2):
                _, score, _, (px, py) = cv2.minMaxLoc(scores)
                if score < settings.least_edge / 2:
                    break
                x, y = turned.back @ (px + centres.window.left, py + centres.window.top, 1.0)
                tried.append((float(score), float(x), float(y), turned.turn))
                cv2.circle(scores, (px, py), max(1, round(side * 0.15)), (0.0,), -1)
        return _distinct(sorted(tried, reverse=True), side, keep)


@dataclass(frozen=True)
class Turned:
    """A region turned so that squares of one rotation stand upright: its edges.

    They and the centres of squares are only looked for where the region is: the canvas that
    it turns in is more than twice as large.
    """

    turn: float
    back: Floats  # (2, 3) to the region's own pixels
    across: Floats  # (h, w) strength of upright edges, 0 to 1, widened by a pixel
    along: Floats  # the same of level ones
    near: Floats  # 1 on the region
    window: Window  # of the region

    @classmethod
    def of(cls, stack: Image, turn: float, settings: SceneSettings) -> Turned:
        """Turn ``stack`` (h, w, 4), a picture and its mask, by ``turn`` degrees."""
        height, width = stack.shape[:2]
        canvas = int(np.ceil(np.hypot(height, width))) | 1
        matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), turn, 1.0)
        matrix[:, 2] += (canvas / 2 - width / 2, canvas / 2 - height / 2)
        turned = cv2.warpAffine(stack, matrix, (canvas, canvas), flags=cv2.INTER_LINEAR)
        _, covered = cv2.threshold(cv2.extractChannel(turned, 3), 127, 1, cv2.THRESH_BINARY)
        near = covered.astype(np.float32)
        window = Window.around(np.asarray(covered, np.uint8))
        across, along = np.zeros_like(near), np.zeros_like(near)
        reach = window.grown(2, 2).within(Window.of(near))  # as far as edges tell of each other
        if not window.empty:
            part = reach.part
            picture = np.asarray(cv2.cvtColor(turned[part], cv2.COLOR_BGRA2BGR), np.uint8)
            # Widened: one side may be off by the rounding of the centre.
            across[part] = _edges(picture, 1, 0, _WIDE, settings) * near[part]
            along[part] = _edges(picture, 0, 1, _TALL, settings) * near[part]
        back = np.asarray(cv2.invertAffineTransform(matrix), np.float64)
        return cls(turn, back, across, along, near, window)

    def centres(self, side: float, settings: SceneSettings) -> Area:
        """Where the centres of squares of ``side`` pixels lie that the region covers."""
        half, wide = round(side / 2), round(side * 0.75) | 1
        whole = Window.of(self.near)
        tried = whole.grown(-half, -half).within(self.window)
        if tried.empty:
            return Area.nowhere()
        around = tried.grown(wide, wide).within(whole)
        cover = cv2.blur(self.near[around.part], (wide, wide))[tried.seen_from(around).part]
        return Area.where(cover >= settings.inside, tried)

    def scores(self, centres: Area, side: float, settings: SceneSettings) -> Floats:
        """Outline strength (h, w) of the upright square round every centre in their window."""
        half, length = round(side / 2), round(side * (1 - 2 * settings.corner)) | 1
        window, reach = centres.window, length // 2
        upright, level = window.grown(half, reach).part, window.grown(reach, half).part
        across = cv2.blur(self.across[upright], (1, length))[reach : reach + window.height]
        along = cv2.blur(self.along[level], (length, 1))[:, reach : reach + window.width]
        left, right = across[:, : window.width], across[:, 2 * half :]
        top, bottom = along[: window.height], along[2 * half :]
        weakest = np.minimum(np.minimum(left, right), np.minimum(top, bottom))
        score = 0.15 * (left + right + top + bottom) + 0.4 * weakest
        score[centres.mask == 0] = 0
        return np.asarray(score, np.float32)


# Dark bodies have faint edges: their grey levels are spread at the cost of the bright ones.
_LIFTED = np.rint(255 * (np.arange(256) / 255) ** 0.6).astype(np.uint8)
_WIDE, _TALL = np.ones((1, 3), np.uint8), np.ones((3, 1), np.uint8)


def _edges(picture: Image, dx: int, dy: int, widened: Mask, settings: SceneSettings) -> Floats:
    """Edge strength in one direction, 0 to 1, of the clearest channel, widened."""
    b, g, r = cv2.split(np.abs(cv2.Scharr(picture, cv2.CV_16S, dx, dy)))
    clearest = cv2.dilate(cv2.max(cv2.max(b, g), r), widened).astype(np.float32)
    return np.asarray(np.minimum(clearest * np.float32(1 / 16 / settings.cap), 1.0), np.float32)


def _distinct(
    tried: list[tuple[float, float, float, float]], side: float, keep: int
) -> list[Floats]:
    """The best of ``tried`` (score, x, y, turn) that differ in place or rotation."""
    kept: list[tuple[float, float, float, float]] = []
    for item in tried:
        if not any(_alike(item, other, side) for other in kept):
            kept.append(item)
        if len(kept) == keep:
            break
    return [np.array([x, y, side, turn], np.float32) for _, x, y, turn in kept]


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
    """Scores single squares by how strong the picture's edges are along their sides."""

    def __init__(self, smooth: Image, settings: SceneSettings) -> None:
        self._settings = settings
        picture = smooth.astype(np.float32)
        dx = cv2.Scharr(picture, cv2.CV_32F, 1, 0, scale=1 / 16)
        dy = cv2.Scharr(picture, cv2.CV_32F, 0, 1, scale=1 / 16)
        self._shape = smooth.shape[:2]
        # A plane for each direction and channel: pixels are taken by one index a point.
        self._slopes = np.stack([*cv2.split(dx), *cv2.split(dy)]).reshape(6, -1)
        ends = 0.5 - settings.corner
        along = np.linspace(-ends, ends, settings.samples)
        out = np.full_like(along, 0.5)
        sides = [(out, along), (along, out), (-out, along), (along, -out)]
        self._points = np.array(sides, np.float32)  # (4, 2, n) of a unit square
        self._normals = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], np.float32)

    def sides(self, squares: Floats) -> Floats:
        """Strength (n, 4) of each side of squares (n, 4) given as x, y, side, turn."""
        x, y, side, turn = squares.T.astype(np.float32)
        cos, sin = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
        px, py = self._points[None, :, 0], self._points[None, :, 1]
        c, s, k = cos[:, None, None], sin[:, None, None], side[:, None, None]
        col = np.rint(x[:, None, None] + k * (c * px - s * py))
        row = np.rint(y[:, None, None] + k * (s * px + c * py))
        nx = cos[:, None] * self._normals[:, 0] - sin[:, None] * self._normals[:, 1]
        ny = sin[:, None] * self._normals[:, 0] + cos[:, None] * self._normals[:, 1]
        slopes = self._slopes.take(self._index(col, row), axis=1)
        across = np.abs(slopes[:3] * nx[..., None] + slopes[3:] * ny[..., None])
        steep = np.maximum(np.maximum(across[0], across[1]), across[2]) / self._settings.cap
        # The small part without a limit keeps squares on the middle of a strong, blurred edge.
        strength = 0.9 * np.minimum(steep, 1.0) + 0.1 * steep / (steep + 4)
        return np.asarray(strength.mean(axis=2), np.float32)

    def _index(self, col: Floats, row: Floats) -> NDArray[np.intp]:
        """Places in a plane of the pixels nearest to columns and rows."""
        height, width = self._shape
        col, row = np.clip(col, 0, width - 1), np.clip(row, 0, height - 1)
        return np.asarray(row.astype(np.intp) * width + col.astype(np.intp))

    def score(self, squares: Floats) -> Floats:
        """Outline strength (n,) of squares (n, 4)."""
        by_side = self.sides(squares)
        return np.asarray(0.6 * by_side.mean(axis=1) + 0.4 * by_side.min(axis=1), np.float32)


def _refined(outlines: Outlines, start: Floats, side: float, slack: float, turn: float) -> Square:
    """``start`` moved, turned and resized a little to the strongest outline."""
    best, edge = start, 0.0
    steps = np.array([1.5, 1.5, side * slack / 2, turn], np.float32)
    for _ in range(4):
        near = best + _AROUND * steps
        near[:, 2] = np.clip(near[:, 2], side * (1 - slack), side * (1 + slack))
        scores = outlines.score(near)
        strongest = int(np.argmax(scores))
        best, edge = near[strongest], float(scores[strongest])
        steps = steps * np.float32(0.6)
    return Square(float(best[0]), float(best[1]), float(best[2]), float(best[3]) % 90, edge)


_AROUND = np.stack(np.meshgrid(*[[-1, 0, 1]] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
_AROUND = _AROUND.astype(np.float32)
