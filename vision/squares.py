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
        self._smooth = np.asarray(cv2.GaussianBlur(_LIFTED[seen[part]], (0, 0), 1.0), np.uint8)
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
            scores = turned.scores(side, settings)
            reach = round(side / 2)
            for _ in range(2):
                _, score, _, (px, py) = cv2.minMaxLoc(scores)
                if score < settings.least_edge / 2:
                    break
                x, y = turned.back @ (px + reach, py + reach, 1.0)
                tried.append((float(score), float(x), float(y), turned.turn))
                cv2.circle(scores, (px, py), max(1, round(side * 0.15)), (0.0,), -1)
        return _distinct(sorted(tried, reverse=True), side, keep)


@dataclass(frozen=True)
class Turned:
    """A region turned so that squares of one rotation stand upright: its edges."""

    turn: float
    back: Floats  # (2, 3) to the region's own pixels
    across: Floats  # (h, w) strength of upright edges, 0 to 1, widened by a pixel
    along: Floats  # the same of level ones
    near: Floats  # 1 on the region

    @classmethod
    def of(cls, stack: Image, turn: float, settings: SceneSettings) -> Turned:
        """Turn ``stack`` (h, w, 4), a picture and its mask, by ``turn`` degrees."""
        height, width = stack.shape[:2]
        canvas = int(np.ceil(np.hypot(height, width))) | 1
        matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), turn, 1.0)
        matrix[:, 2] += (canvas / 2 - width / 2, canvas / 2 - height / 2)
        turned = np.asarray(
            cv2.warpAffine(stack, matrix, (canvas, canvas), flags=cv2.INTER_LINEAR), np.uint8
        )
        picture = turned[..., :3]
        near = (turned[..., 3] > 127).astype(np.float32)
        # Widened: one side may be off by the rounding of the centre.
        across = np.asarray(cv2.dilate(_edges(picture, 1, 0, settings), _WIDE) * near, np.float32)
        along = np.asarray(cv2.dilate(_edges(picture, 0, 1, settings), _TALL) * near, np.float32)
        back = np.asarray(cv2.invertAffineTransform(matrix), np.float64)
        return cls(turn, back, across, along, near)

    def scores(self, side: float, settings: SceneSettings) -> Floats:
        """Outline strength of the upright square round every centre, offset by half a side."""
        half, length = round(side / 2), round(side * (1 - 2 * settings.corner)) | 1
        if min(self.near.shape) < 2 * half + 3:
            return np.zeros((1, 1), np.float32)
        across = cv2.blur(self.across, (1, length))
        along = cv2.blur(self.along, (length, 1))
        inner, outer = np.s_[half:-half], (np.s_[: -2 * half], np.s_[2 * half :])
        left, right = across[inner, outer[0]], across[inner, outer[1]]
        top, bottom = along[outer[0], inner], along[outer[1], inner]
        weakest = np.minimum(np.minimum(left, right), np.minimum(top, bottom))
        score = 0.15 * (left + right + top + bottom) + 0.4 * weakest
        cover = cv2.blur(self.near, (round(side * 0.75) | 1,) * 2)[inner, inner]
        score[cover < settings.inside] = 0
        return np.asarray(score, np.float32)


# Dark bodies have faint edges: their grey levels are spread at the cost of the bright ones.
_LIFTED = np.rint(255 * (np.arange(256) / 255) ** 0.6).astype(np.uint8)
_WIDE, _TALL = np.ones((1, 3), np.uint8), np.ones((3, 1), np.uint8)


def _edges(picture: Image, dx: int, dy: int, settings: SceneSettings) -> Floats:
    """Edge strength in one direction, 0 to 1, of the clearest channel."""
    slopes = np.abs(cv2.Scharr(picture, cv2.CV_16S, dx, dy))
    b, g, r = cv2.split(slopes)
    clearest = cv2.max(cv2.max(b, g), r).astype(np.float32)
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
        self._dx = cv2.Scharr(picture, cv2.CV_32F, 1, 0, scale=1 / 16)
        self._dy = cv2.Scharr(picture, cv2.CV_32F, 0, 1, scale=1 / 16)
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
        col = np.rint(x[:, None, None] + k * (c * px - s * py)).astype(int)
        row = np.rint(y[:, None, None] + k * (s * px + c * py)).astype(int)
        height, width = self._dx.shape[:2]
        col, row = np.clip(col, 0, width - 1), np.clip(row, 0, height - 1)
        nx = cos[:, None] * self._normals[:, 0] - sin[:, None] * self._normals[:, 1]
        ny = sin[:, None] * self._normals[:, 0] + cos[:, None] * self._normals[:, 1]
        across = self._dx[row, col] * nx[..., None, None] + self._dy[row, col] * ny[..., None, None]
        steep = np.abs(across).max(axis=3) / self._settings.cap
        # The small part without a limit keeps squares on the middle of a strong, blurred edge.
        strength = 0.9 * np.minimum(steep, 1.0) + 0.1 * steep / (steep + 4)
        return np.asarray(strength.mean(axis=2), np.float32)

    def score(self, squares: Floats) -> Floats:
        """Outline strength (n,) of squares (n, 4)."""
        by_side = self.sides(squares)
        return np.asarray(0.6 * by_side.mean(axis=1) + 0.4 * by_side.min(axis=1), np.float32)


def _refined(outlines: Outlines, start: Floats, side: float, slack: float, turn: float) -> Square:
    """``start`` moved, turned and resized a little to the strongest outline."""
    best = start
    steps = np.array([1.5, 1.5, side * slack / 2, turn], np.float32)
    for _ in range(4):
        near = best + _AROUND * steps
        near[:, 2] = np.clip(near[:, 2], side * (1 - slack), side * (1 + slack))
        best = near[int(np.argmax(outlines.score(near)))]
        steps = steps * np.float32(0.6)
    edge = float(outlines.score(best[None])[0])
    return Square(float(best[0]), float(best[1]), float(best[2]), float(best[3]) % 90, edge)


_AROUND = np.stack(np.meshgrid(*[[-1, 0, 1]] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
_AROUND = _AROUND.astype(np.float32)
