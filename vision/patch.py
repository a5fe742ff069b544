"""Cut the top face of a die out of a picture as a small upright square.

Every function takes and gives BGR uint8 images and points in pixels, x first,
with the centre of the top left pixel at (0, 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.floating[Any]]
Quad = NDArray[np.float32]  # (4, 2) corners in order round the face

PATCH = 64  # side of a patch in pixels
MARGIN = 0.06  # of the face's side, kept on every edge so that a loose quad loses nothing


def clockwise(quad: NDArray[Any]) -> Quad:
    """The corners of ``quad`` in clockwise order as seen, from its first corner on."""
    points = np.asarray(quad, np.float32).reshape(4, 2)
    arms = points - points.mean(axis=0)
    order = np.argsort(np.arctan2(arms[:, 1], arms[:, 0]))
    start = int(np.flatnonzero(order == 0)[0])
    return points[np.roll(order, -start)]


def _square(side: float) -> Quad:
    """Corners of the face inside a square of ``side`` pixels that keeps `MARGIN` around it."""
    rim = side * MARGIN / (1 + 2 * MARGIN)
    low, high = rim - 0.5, side - rim - 0.5
    return np.array([[low, low], [high, low], [high, high], [low, high]], np.float32)


def cut(frame: Image, quad: NDArray[Any]) -> Image:
    """Rectify the face with corners ``quad`` (4, 2) into a (PATCH, PATCH, 3) patch.

    The patch shows the face and `MARGIN` around it; its rotation follows the
    quad's first corner. Large faces are averaged down, so fine print does not
    alias. Raises ValueError when the quad has no area.
    """
    corners = clockwise(quad)
    area = cv2.contourArea(corners)
    if not np.isfinite(corners).all() or area < 4.0:
        raise ValueError("a face needs four corners that enclose an area")
    finer = int(np.clip(np.ceil(np.sqrt(area) * (1 + 2 * MARGIN) / PATCH), 1, 8))
    side = PATCH * finer
    homography = cv2.getPerspectiveTransform(corners, _square(side))
    patch = cv2.warpPerspective(
        frame, homography, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    if finer > 1:
        patch = cv2.resize(patch, (PATCH, PATCH), interpolation=cv2.INTER_AREA)
    return np.asarray(patch, np.uint8)


def blur(image: Floats, sigma: float) -> Floats:
    """``image`` (h, w) or (h, w, c) smoothed by a Gaussian of ``sigma`` pixels, float32."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.float32)


def usual(pictures: Sequence[Image]) -> Image:
    """What most pictures (h, w, 3) of a scene show: their median, pixel by pixel."""
    if len(pictures) == 3:  # as many as are mostly taken: a twentieth of numpy's time
        one, other, last = pictures
        dark, bright = cv2.min(one, other), cv2.max(one, other)
        return np.asarray(cv2.max(dark, cv2.min(bright, last)), np.uint8)
    return np.asarray(np.median(np.stack(pictures), axis=0), np.uint8)


def scaled(picture: Image, size: int) -> tuple[Image, float]:
    """``picture`` with its longer side brought to ``size`` pixels, and the factor."""
    scale = size / max(picture.shape[:2])
    interpolation = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    resized = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=interpolation)
    return np.asarray(resized, np.uint8), scale


_ALONE: Any = None  # a map of both coordinates needs no second one


def nearest(picture: Floats, spots: Floats) -> Floats:
    """Pixels (n, m, ...) of ``picture`` (h, w, ...) nearest to ``spots`` (n, m, 2), float32."""
    return _at(picture, spots, cv2.INTER_NEAREST)


def between(picture: Floats | Image, spots: Floats) -> Floats:
    """``picture`` (h, w, ...) between its pixels, at ``spots`` (n, m, 2): (n, m, ...), float32."""
    return _at(picture, spots, cv2.INTER_LINEAR)


def _at(picture: Floats | Image, spots: Floats, how: int) -> Floats:
    seen = cv2.remap(picture, spots, _ALONE, how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float32)


def slopes(picture: Floats, clear: float = 1.0) -> tuple[Floats, Floats]:
    """Slopes (h, w, ...) of a float32 picture along x and y.

    In ``clear`` grey levels over two pixels: 2.0 gives grey levels a pixel.
    """
    x, y = (
        np.asarray(cv2.Scharr(picture, cv2.CV_32F, dx, dy, scale=1 / 16 / clear), np.float32)
        for dx, dy in ((1, 0), (0, 1))
    )
    return x, y


def clearest(right: Floats, down: Floats) -> tuple[Floats, Floats]:
    """Slopes (h, w) along x and y of the colour that is steepest there, of those (h, w, c)."""
    best = (right * right + down * down).argmax(axis=2)[..., None]
    x, y = (np.take_along_axis(slope, best, axis=2)[..., 0] for slope in (right, down))
    return x, y


def off_centre(patch: Image) -> float:
    """How far the print of a face lies from its middle, 0 to 1: makers print on the middle."""
    grey = cv2.GaussianBlur(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY), (0, 0), 1.5)
    slope = np.hypot(cv2.Scharr(grey, cv2.CV_32F, 1, 0), cv2.Scharr(grey, cv2.CV_32F, 0, 1))
    rim = patch.shape[0] // 8
    energy = slope[rim:-rim, rim:-rim] ** 2
    x, y = (np.linspace(-1, 1, length) for length in energy.shape[::-1])
    total = float(energy.sum()) + 1e-6
    return float(np.hypot((energy.sum(axis=0) @ x) / total, (energy.sum(axis=1) @ y) / total))


def _slopes(side: int) -> NDArray[np.float64]:
    """An orthonormal basis (side * side, 3) of planes over a square."""
    y, x = np.mgrid[:side, :side].reshape(2, -1) - (side - 1) / 2
    planes = np.stack([np.ones(side * side), x, y], axis=1)
    return np.asarray(planes / np.linalg.norm(planes, axis=0))


_SLOPES = _slopes(16)


_CLIPPED = 250  # grey level from which a pixel is white beyond telling
_NEARLY = 225  # grey level from which print that is lighter yet can hardly be told


def glare(patch: Image, part: NDArray[np.uint8] | None = None) -> float:
    """Share of a face, or of a ``part`` (h, w) of a picture, that is white beyond telling."""
    white = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY) >= _CLIPPED
    return float((white if part is None else white[part > 0]).mean())


def washed_out(patch: Image) -> bool:
    """Whether a face (P, P, 3) is white nearly all over, print and all."""
    rim = len(patch) // 6
    inner = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY)[rim:-rim, rim:-rim]
    return float(np.percentile(inner, 5)) >= _NEARLY


def uneven(patch: Image) -> float:
    """How much the middle of a face varies in brightness or colour: robust spread over the mean.

    An even slope, as a near lamp makes it, does not count.
    """
    edge = patch.shape[0] // 5
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB)[edge:-edge, edge:-edge]
    small = cv2.resize(lab, (16, 16), interpolation=cv2.INTER_AREA).astype(np.float64)
    values = small.reshape(-1, 3)
    left = values - _SLOPES @ (_SLOPES.T @ values)
    low, high = np.percentile(left, [10, 90], axis=0)
    return float((high - low).max() / (lab[..., 0].mean() + 10.0))
