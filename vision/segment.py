"""What changed on the tray, and the square top faces of the dice in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats, Image
from vision.settings import SceneSettings

Mask = NDArray[np.uint8]


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
        return _corners(self.x, self.y, self.side, self.turn)


def _corners(x: float, y: float, side: float, turn: float) -> NDArray[np.float32]:
    angle = np.deg2rad(turn)
    cos, sin = np.cos(angle) * side / 2, np.sin(angle) * side / 2
    arms = [(-cos + sin, -sin - cos), (cos + sin, sin - cos), (cos - sin, sin + cos)]
    arms.append((-cos - sin, -sin + cos))
    return np.array([(x + dx, y + dy) for dx, dy in arms], np.float32)


def changed(seen: Image, empty: Image, settings: SceneSettings) -> Mask:
    """Where something lies on the tray (255), shadows left out; both pictures rectified."""
    size = max(3, round(settings.patch * settings.scale)) | 1
    now = cv2.GaussianBlur(seen, (0, 0), 1.0).astype(np.float32)
    before = cv2.GaussianBlur(empty, (0, 0), 1.0).astype(np.float32)
    power = cv2.blur((before**2).sum(axis=2), (size, size)) + 30.0
    factor = cv2.blur((now * before).sum(axis=2), (size, size)) / power
    rest = np.abs(now - factor[..., None] * before).max(axis=2)
    level = now.mean(axis=2) - before.mean(axis=2)
    edges = np.abs(_slope(now) - np.clip(factor, 0, 1)[..., None] * _slope(before))
    object_ = (
        (rest > settings.residual)
        | (edges.max(axis=2) > settings.edge)
        | ((factor > settings.brighter) & (level > settings.residual))
        | ((factor < settings.darker) & (level < -settings.residual))
    )
    kernel = cv2.getStructuringElement(
        cv2.MORPH_ELLIPSE, (round(settings.close * settings.scale) | 1,) * 2
    )
    mask = object_.astype(np.uint8) * 255
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return _filled(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, kernel))


def _slope(image: Floats) -> Floats:
    """Strength of the edges of each channel, in grey levels a pixel."""
    dx = cv2.Scharr(image, cv2.CV_32F, 1, 0, scale=1 / 16)
    dy = cv2.Scharr(image, cv2.CV_32F, 0, 1, scale=1 / 16)
    return np.asarray(cv2.magnitude(dx, dy).reshape(image.shape), np.float32)


def _filled(mask: Any) -> Mask:
    """``mask`` without holes."""
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros_like(mask)
    cv2.drawContours(whole, outlines, -1, 255, cv2.FILLED)
    return np.asarray(whole, np.uint8)


def objects(mask: Mask, least: float) -> list[Mask]:
    """Separate changed regions of at least ``least`` pixels, largest first."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    found = [n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] >= least]
    found.sort(key=lambda n: -int(stats[n, cv2.CC_STAT_AREA]))
    return [(labels == n).astype(np.uint8) * 255 for n in found]


class Outlines:
    """Scores squares by how strong the picture's edges are along their sides."""

    def __init__(self, seen: Image, settings: SceneSettings) -> None:
        self._settings = settings
        smooth = cv2.GaussianBlur(seen, (0, 0), 1.2).astype(np.float32)
        self._dx = cv2.Scharr(smooth, cv2.CV_32F, 1, 0, scale=1 / 16)
        self._dy = cv2.Scharr(smooth, cv2.CV_32F, 0, 1, scale=1 / 16)
        ends = 0.5 - settings.corner
        along = np.linspace(-ends, ends, settings.samples)
        out = np.full_like(along, 0.5)
        sides = [(out, along), (along, out), (-out, along), (along, -out)]
        self._points = np.array(sides, np.float32)  # (4, 2, n) of a unit square
        self._normals = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], np.float32)

    def score(self, squares: Floats) -> Floats:
        """Outline strength (n,) of squares (n, 4) given as x, y, side, turn."""
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
        strength = np.minimum(np.abs(across).max(axis=3) / self._settings.cap, 1.0)
        by_side = strength.mean(axis=2)
        return np.asarray(0.6 * by_side.mean(axis=1) + 0.4 * by_side.min(axis=1), np.float32)


def candidates(
    outlines: Outlines, mask: Mask, side: float, settings: SceneSettings
) -> list[Square]:
    """The best squares of about ``side`` pixels that lie on ``mask``, best first."""
    tried = _grid(mask, side, settings)
    if not len(tried):
        return []
    scores = outlines.score(tried)
    found: list[Square] = []
    for index in np.argsort(-scores)[:60]:
        x, y = tried[index, :2]
        if any(np.hypot(x - s.x, y - s.y) < 0.12 * side and _near(tried[index], s) for s in found):
            continue
        found.append(_refined(outlines, tried[index], side, settings))
        if len(found) >= settings.keep:
            break
    return sorted(found, key=lambda square: -square.edge)


def _near(tried: Floats, square: Square) -> bool:
    apart = abs(float(tried[3]) - square.turn) % 90
    return min(apart, 90 - apart) < 12


def _grid(mask: Mask, side: float, settings: SceneSettings) -> Floats:
    """Centres on ``mask`` at which a square can lie, times rotations: (n, 4)."""
    step = max(2, round(settings.step * settings.scale))
    cover = cv2.blur(mask.astype(np.float32) / 255, (round(side * 0.75),) * 2)
    rows, cols = np.nonzero(cover[::step, ::step] >= settings.inside)
    turns = np.arange(0, 90, settings.turn)
    centres = np.stack([cols, rows], axis=1) * step
    if not len(centres):
        return np.empty((0, 4), np.float32)
    x, y = (np.repeat(axis, len(turns)) for axis in centres.T)
    return np.stack([x, y, np.full(len(x), side), np.tile(turns, len(centres))], axis=1).astype(
        np.float32
    )


def _refined(outlines: Outlines, start: Floats, side: float, settings: SceneSettings) -> Square:
    """``start`` moved, turned and resized a little to the strongest outline."""
    best = start.astype(np.float32)
    steps = np.array([3.0, 3.0, side * 0.03, 2.5], np.float32)
    offsets = np.stack(np.meshgrid(*[[-1, 0, 1]] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    slack = settings.size_slack * 2
    for _ in range(5):
        near = best + offsets * steps
        near[:, 2] = np.clip(near[:, 2], side * (1 - slack), side * (1 + slack))
        best = near[int(np.argmax(outlines.score(near)))]
        steps *= 0.6
    edge = float(outlines.score(best[None])[0])
    return Square(float(best[0]), float(best[1]), float(best[2]), float(best[3]) % 90, edge)
