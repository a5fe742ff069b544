"""Round marks in a picture: pips, seen as ellipses, whatever their size and slant.

The picture is cut at many levels of brightness; what keeps its place and size through
several of them and has the shape of an ellipse is a mark. Points are in pixels, x first,
with the centre of the top left pixel at (0, 0).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats
from vision.settings_pips import MarkSettings


@dataclass(frozen=True, eq=False)
class Mark:
    """An ellipse: its middle ``at`` (2,) and the ``spread`` (2, 2) of its area, in px²."""

    at: Floats
    spread: Floats

    @property
    def area(self) -> float:
        """In square pixels."""
        return float(4 * np.pi * np.sqrt(np.linalg.det(self.spread)))

    @property
    def roundness(self) -> float:
        """How wide it is, of its length."""
        narrow, wide = np.linalg.eigvalsh(self.spread)
        return float(np.sqrt(narrow / wide))

    def distance(self, other: Mark) -> float:
        """From middle to middle, in pixels."""
        return float(np.hypot(*(self.at - other.at)))

    def disc(self, plane: NDArray[np.uint8], times: float, value: int) -> None:
        """Draw the ellipse, enlarged so many ``times``, into ``plane`` (h, w)."""
        squares, axes = np.linalg.eigh(self.spread)
        narrow, wide = 4 * times * np.sqrt(squares)
        angle = float(np.degrees(np.arctan2(axes[1, 1], axes[0, 1])))
        middle = (float(self.at[0]), float(self.at[1]))
        cv2.ellipse(plane, (middle, (float(wide), float(narrow)), angle), value, -1)


def to_circle(spread: Floats) -> Floats:
    """The map (2, 2) under which an ellipse of this ``spread`` is a circle of radius 1."""
    squares, axes = np.linalg.eigh(spread)
    return np.asarray(axes @ np.diag(1 / (2 * np.sqrt(squares))) @ axes.T)


def find_marks(plane: Floats, settings: MarkSettings | None = None) -> list[Mark]:
    """The round marks brighter than what surrounds them in ``plane`` (h, w), surest first."""
    settings = settings or MarkSettings()
    low, high = np.percentile(plane, [settings.darkest, settings.brightest])
    levels = np.linspace(low, high, settings.levels + 2)[1:-1]
    chains: list[list[Mark]] = []
    for erosion in settings.erosions:
        chains += _chains((_blobs(plane > level, erosion, settings) for level in levels), settings)
    steady = sorted((c for c in chains if len(c) >= settings.stay), key=len, reverse=True)
    found: list[Mark] = []
    for mark in (chain[len(chain) // 2] for chain in steady):
        if all(mark.distance(other) > _reach(mark, other, settings) for other in found):
            found.append(mark)
    return found


def _reach(mark: Mark, other: Mark, settings: MarkSettings) -> float:
    return settings.apart * float(np.sqrt(max(mark.area, other.area) / np.pi))


def _chains(layers: Iterator[list[Mark]], settings: MarkSettings) -> list[list[Mark]]:
    """Marks that keep their place and size from level to level, each with those it was before."""
    ended: list[list[Mark]] = []
    growing: list[list[Mark]] = []
    for layer in layers:
        free, growing = growing, []
        for mark in layer:
            before = next((c for c in free if _continues(mark, c[-1], settings)), [])
            free = [chain for chain in free if chain is not before]
            growing.append([*before, mark])
        ended += free
    return ended + growing


def _continues(mark: Mark, before: Mark, settings: MarkSettings) -> bool:
    """Whether a mark is the one of the level below it, about as large and in the same place."""
    near = mark.distance(before) < settings.drift * np.sqrt(before.area)
    return bool(near and mark.area > settings.shrink * before.area)


def _blobs(bright: NDArray[np.bool_], erosion: int, settings: MarkSettings) -> list[Mark]:
    """The parts of a mask (h, w) that are ellipses once ``erosion`` pixels are taken off."""
    mask = bright.astype(np.uint8)
    if erosion:
        shape = (2 * erosion + 1, 2 * erosion + 1)
        kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, shape)
        mask = np.asarray(cv2.erode(mask, kernel, borderValue=0), np.uint8)
    contours, tree = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    marks = []
    for contour, (_, _, hole, parent) in zip(
        contours, () if tree is None else tree[0], strict=True
    ):
        if parent < 0 and not _at_rim(contour, mask.shape, erosion):
            mark = _ellipse(contour, erosion, mask.size, settings)
            if mark and (hole < 0 or _is_full(contour, mask, settings)):
                marks.append(mark)
    return marks


def _at_rim(contour: NDArray[Any], shape: Sequence[int], erosion: int) -> bool:
    x, y, width, height = cv2.boundingRect(contour)
    beyond = x + width >= shape[1] - erosion or y + height >= shape[0] - erosion
    return beyond or min(x, y) <= erosion


def _ellipse(
    contour: NDArray[Any], erosion: int, pixels: int, settings: MarkSettings
) -> Mark | None:
    """The ellipse with the moments of a contour, grown by what was taken off; None if unlike."""
    moments = cv2.moments(contour)
    area = moments["m00"]
    if area < settings.seed_area:
        return None
    across = moments["mu11"]
    spread = np.array([[moments["mu20"], across], [across, moments["mu02"]]]) / area
    even = np.linalg.det(spread)
    if even <= 0 or area < settings.oval * 4 * np.pi * np.sqrt(even):
        return None
    squares, axes = np.linalg.eigh(spread)
    half = np.sqrt(squares) + (erosion + 0.5) / 2  # a contour runs through its outer pixels
    middle = np.array([moments["m10"], moments["m01"]]) / area
    mark = Mark(middle, axes @ np.diag(half**2) @ axes.T)
    return mark if settings.least_area <= mark.area / pixels <= settings.most_area else None


def _is_full(contour: NDArray[Any], mask: NDArray[np.uint8], settings: MarkSettings) -> bool:
    """Whether holes take little of what a contour encloses."""
    inside = np.zeros_like(mask)
    cv2.drawContours(inside, [contour], -1, 1, -1)
    return bool(mask[inside > 0].mean() >= settings.full)
