"""The tray at a glance: a small grey picture, and what two of them tell. No state here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats, Image
from vision.plane import PixelMaps, grid, pixel_maps
from vision.settings_watch import GlanceSettings
from vision.tray import Tray

Changed = NDArray[np.bool_]
COARSE = 4  # pixels that are one where only light matters
STEPS = 80  # of a light as it was


@dataclass(frozen=True)
class Glance:
    """One look: ``grey`` (h, w) float32, the rectified tray, a little blurred."""

    grey: Floats
    settings: GlanceSettings

    @cached_property
    def coarse(self) -> Floats:
        """The look once more as small, (h / 4, w / 4)."""
        height, width = self.grey.shape
        shape = (width // COARSE, height // COARSE)
        return np.asarray(cv2.resize(self.grey, shape, interpolation=cv2.INTER_AREA), np.float32)

    @cached_property
    def level(self) -> float:
        """Usual brightness of the tray, whatever lies in a small part of it."""
        return max(float(np.median(self.coarse)), 1.0)


class Glancer:
    """Makes glances of camera frames (BGR uint8) without rectifying the whole frame."""

    def __init__(self, tray: Tray, settings: GlanceSettings) -> None:
        height, width = tray.empty.shape[:2]
        self._settings = settings
        self._shape = (settings.width, round(height * settings.width / width))
        across, down = tray.frame_size
        step = max(1, int(_px_across(tray) / settings.width))
        self._frame = (across, down)
        self._shrunk = (across // step, down // step)
        shrunk = np.array([width, height]) / self._shape
        self._spots = tray.to_frame((grid(*self._shape) + 0.5) * shrunk - 0.5)
        self._pixels: dict[tuple[int, int], PixelMaps] = {}

    def see(self, frame: Image, luma: Image | None = None) -> Glance:
        """The frame at a glance; ``luma`` (h, w) is the camera's own small grey one of it."""
        grey = small_grey(frame, self._shrunk) if luma is None else luma
        seen = cv2.remap(grey, *self._seen_in(grey.shape[1], grey.shape[0]), cv2.INTER_LINEAR)
        return Glance(np.asarray(cv2.blur(seen.astype(np.float32), (3, 3))), self._settings)

    def _seen_in(self, width: int, height: int) -> PixelMaps:
        """Where each pixel of a look is seen in a whole frame shrunk to ``width`` x ``height``."""
        size = width, height
        if size not in self._pixels:
            spots = (self._spots + 0.5) * (np.array(size) / self._frame) - 0.5
            self._pixels[size] = pixel_maps(spots, self._shape)
        return self._pixels[size]


def small_grey(frame: Image, size: tuple[int, int]) -> Image:
    """A frame (BGR uint8) in grey, ``size`` (width, height) pixels large."""
    shrunk = cv2.resize(frame, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(shrunk, cv2.COLOR_BGR2GRAY), np.uint8)


def _px_across(tray: Tray) -> float:
    """How many frame pixels the rectified tray is wide, at least."""
    height, width = tray.empty.shape[:2]
    corners = tray.to_frame(np.array([[0, 0], [width, 0], [width, height], [0, height]]))
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return float(min(sides[0], sides[2], sides[1] * width / height, sides[3] * width / height))


def gain(now: Glance, before: Glance) -> float:
    """How much brighter the tray is than before."""
    return now.level / before.level


def motion(now: Glance, before: Glance) -> float:
    """Share of pixels that changed from one look to the next, flicker of lamps aside."""
    s = now.settings
    ratio = float(now.grey.mean()) / max(float(before.grey.mean()), 1.0)
    steady = before.grey * np.float32(np.clip(ratio, 1 - s.flicker, 1 + s.flicker))
    return _share(np.abs(now.grey - steady) > s.moving)


def unlike(now: Glance, before: Glance, differs: float) -> float:
    """Share of pixels that differ by ``differs`` from ``before`` put into the light of ``now``.

    In dimmer light things differ less.
    """
    whole = gain(now, before)
    least = differs * float(np.clip(whole, now.settings.dark, 1.0))
    return _share(np.abs(now.grey - light(now, before) * before.grey) > least)


def light(now: Glance, before: Glance) -> Floats:
    """How much brighter (h, w) each place is, by what most of its neighbourhood says."""
    s, whole = now.settings, gain(now, before)
    ratio = (now.coarse + 1) / (before.coarse + 1) / whole
    steps = np.clip(ratio * STEPS, 1, 255).astype(np.uint8)
    usual = cv2.medianBlur(steps, s.wide).astype(np.float32) / STEPS
    even = np.clip(usual, 1 / s.uneven, s.uneven) * np.float32(whole)
    height, width = now.grey.shape
    return np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_LINEAR))


def drift(now: Glance, before: Glance) -> float:
    """Mean difference in grey levels."""
    return float(np.abs(now.grey - before.grey).mean())


def repeated(frame: Image, before: Image) -> bool:
    """Whether two frames are the very same picture; two pictures of a camera never are."""
    step = 2 * COARSE
    return bool(np.array_equal(frame[::step, ::step], before[::step, ::step]))


def _share(changed: Changed) -> float:
    return float(np.count_nonzero(changed)) / changed.size
