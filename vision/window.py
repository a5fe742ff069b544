"""Parts of pictures: most of what is looked at is much smaller than the tray."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.segment import Mask


@dataclass(frozen=True, slots=True)
class Window:
    """An upright part of a picture, in pixels; empty without width or height."""

    left: int
    top: int
    width: int
    height: int

    @staticmethod
    def of(picture: NDArray[Any]) -> Window:
        """The whole picture (h, w, ...)."""
        return Window(0, 0, picture.shape[1], picture.shape[0])

    @staticmethod
    def around(shape: NDArray[Any]) -> Window:
        """The least part that holds all of a mask (h, w), or all points (n, 2) of whole pixels."""
        return Window(*cv2.boundingRect(shape))

    @property
    def part(self) -> tuple[slice, slice]:
        """Rows and columns."""
        return np.s_[self.top : self.top + self.height, self.left : self.left + self.width]

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        return self.width <= 0 or self.height <= 0

    def grown(self, x: int, y: int) -> Window:
        """With ``x`` more columns on the left and right, ``y`` more rows above and below."""
        return Window(self.left - x, self.top - y, self.width + 2 * x, self.height + 2 * y)

    def within(self, other: Window) -> Window:
        """What lies in both."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right = min(self.left + self.width, other.left + other.width)
        bottom = min(self.top + self.height, other.top + other.height)
        return Window(left, top, max(right - left, 0), max(bottom - top, 0))

    def moved(self, x: int, y: int) -> Window:
        """``x`` pixels further right and ``y`` further down."""
        return Window(self.left + x, self.top + y, self.width, self.height)

    def seen_from(self, outer: Window) -> Window:
        """The same part in pixels of a picture that shows only ``outer``."""
        return self.moved(-outer.left, -outer.top)


@dataclass(frozen=True, slots=True)
class Area:
    """A set of pixels of a picture: ``mask`` (255 or 0) in ``window``, nothing beyond it."""

    window: Window
    mask: Mask

    @staticmethod
    def nowhere() -> Area:
        """No pixels."""
        return Area(Window(0, 0, 0, 0), np.zeros((0, 0), np.uint8))

    @staticmethod
    def where(true: NDArray[np.bool_], window: Window) -> Area:
        """The pixels of ``window`` that are ``true`` there, in the least window."""
        mask = true.astype(np.uint8) * np.uint8(255)
        least = Window.around(mask)
        return Area(least.moved(window.left, window.top), mask[least.part])

    def common(self, mask: Mask) -> int:
        """How many of its pixels are set (not 0) in ``mask`` (h, w) of the whole picture."""
        return cv2.countNonZero(np.asarray(self.mask & mask[self.window.part]))

    def beyond(self, mask: Mask) -> int:
        """How many of its pixels are not set (255) in ``mask`` (h, w) of the whole picture."""
        return cv2.countNonZero(np.asarray(self.mask & ~mask[self.window.part]))

    def share(self, mask: Mask) -> float:
        """Share of its pixels that are set in ``mask`` (h, w) of the whole picture."""
        return self.common(mask) / max(cv2.countNonZero(self.mask), 1)

    def take_off(self, mask: Mask) -> None:
        """Clear the pixels of this area in ``mask`` (h, w) of the whole picture."""
        mask[self.window.part] &= ~self.mask

    def taken_off(self, mask: Mask) -> Mask:
        """``mask`` (h, w) of the whole picture without the pixels of this area."""
        left = mask.copy()
        self.take_off(left)
        return left


def widened(mask: Mask, brush: Mask) -> Mask:
    """``mask`` (h, w) dilated by a ``brush``, looking only where that may reach.

    With a brush as large as a die the whole tray would take ten times as long.
    """
    reach = brush.shape[0] // 2
    near = Window.around(mask).grown(reach, reach).within(Window.of(mask))
    wide = np.zeros_like(mask)
    if not near.empty:
        wide[near.part] = cv2.dilate(mask[near.part], brush)
    return wide
