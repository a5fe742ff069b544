"""What changed on the tray: pixels that no change of light explains, and the objects they form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats, Image
from vision.settings import SceneSettings

Mask = NDArray[np.uint8]


@dataclass(frozen=True)
class Floor:
    """The rectified empty tray, prepared to be compared with."""

    before: Floats  # (h, w, 3) smoothed
    power: Floats  # (h, w) local energy
    slope: Floats  # (h, w, 3) strength of its edges
    window: int
    settings: SceneSettings

    @classmethod
    def of(cls, empty: Image, settings: SceneSettings) -> Floor:
        """Prepare ``empty`` (h, w, 3)."""
        before = _smooth(empty)
        window = max(3, round(settings.patch * settings.scale)) | 1
        power = cv2.blur(_total(before * before), (window, window)) + 30.0
        return cls(before, power, _slope(before), window, settings)

    def changed(self, seen: Image) -> Mask:
        """Where something lies on the tray (255), soft shadows left out."""
        s = self.settings
        now = _smooth(seen)
        factor = cv2.blur(_total(now * self.before), (self.window, self.window)) / self.power
        rest = _most(np.abs(now - self.before * factor[..., None]))
        level = _total(now - self.before) / 3
        lit = np.clip(factor, 0, 1)[..., None]
        edges = _most(np.abs(_slope(now) - self.slope * lit))
        found = (
            (rest > s.residual)
            | (edges > s.edge)
            | ((factor > s.brighter) & (level > s.residual))
            | ((factor < s.darker) & (level < -s.residual))
        )
        mask = cv2.morphologyEx(
            found.astype(np.uint8) * 255, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
        )
        return _filled(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, disc(s.close * s.scale)))

    def shadowy(self, seen: Image) -> Mask:
        """Where a change may be shadow: darker in every colour, and alike in all (1 or 0)."""
        low, high = self._ratios(seen)
        s = self.settings
        return np.asarray((high < s.shadow_lit) & (high < s.shadow_tint * low), np.uint8)

    def darkened(self, seen: Image) -> Mask:
        """Where every colour is darker (255): shadow, or a body darker than the floor."""
        _, high = self._ratios(seen)
        return np.asarray((high < self.settings.dimmed) * np.uint8(255), np.uint8)

    def _ratios(self, seen: Image) -> tuple[Floats, Floats]:
        """How bright the picture is over the empty tray: the least and the most of the colours."""
        b, g, r = cv2.split((_smooth(seen) + 4.0) / (self.before + 4.0))
        low, high = cv2.min(cv2.min(b, g), r), cv2.max(cv2.max(b, g), r)
        return np.asarray(low, np.float32), np.asarray(high, np.float32)


def disc(diameter: float) -> Mask:
    """A round structuring element of about ``diameter`` pixels."""
    size = max(1, round(diameter)) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def grown(seed: Mask, region: Mask) -> Mask:
    """The connected parts of ``region`` that meet ``seed``, and ``seed`` itself."""
    whole = np.asarray(seed | region, np.uint8)
    _, labels = cv2.connectedComponents(whole)
    met = np.unique(labels[seed > 0])
    return np.isin(labels, met[met > 0]).astype(np.uint8) * 255


def objects(mask: Mask, least: float) -> list[Mask]:
    """Separate changed regions of at least ``least`` pixels, largest first."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    found = [n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] >= least]
    found.sort(key=lambda n: -int(stats[n, cv2.CC_STAT_AREA]))
    return [(labels == n).astype(np.uint8) * 255 for n in found]


def _smooth(image: Image) -> Floats:
    return cv2.GaussianBlur(image, (0, 0), 1.0).astype(np.float32)


def _total(image: Floats) -> Floats:
    """Sum of the channels."""
    return np.asarray(cv2.transform(image, np.ones((1, 3), np.float32)), np.float32)


def _most(image: Floats) -> Floats:
    """The largest channel."""
    b, g, r = cv2.split(image)
    return np.asarray(cv2.max(cv2.max(b, g), r), np.float32)


def _slope(image: Floats) -> Floats:
    """Strength of the edges of each channel, in grey levels a pixel."""
    dx = cv2.Scharr(image, cv2.CV_32F, 1, 0, scale=1 / 16)
    dy = cv2.Scharr(image, cv2.CV_32F, 0, 1, scale=1 / 16)
    return np.sqrt(dx * dx + dy * dy)


def _filled(mask: Any) -> Mask:
    """``mask`` without holes."""
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros_like(mask)
    cv2.drawContours(whole, outlines, -1, 255, cv2.FILLED)
    return np.asarray(whole, np.uint8)
