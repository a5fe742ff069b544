"""A crop of one die in one shade of grey: where its pips may be, and what speaks against them.

A pattern of pips is doubted where another mark could be a pip of it, where something as bright
as a pip may hide one, and where a pip may be another die's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.marks import Mark, find_marks
from vision.patch import Floats, Image, Quad, scaled
from vision.pip_patterns import ROUND, Pattern, Spots, find_patterns
from vision.settings_pips import PipSettings

Channel = Literal["least", "most"]  # of the three colours of a pixel
SQUARE = np.array([-1 - 1j, 1 - 1j, 1 + 1j, -1 + 1j])
FACE = 1.9  # spacings from the middle to a side of the face, about as makers place pips


@dataclass(frozen=True, eq=False)
class Plane:
    """A crop in grey (h, w), brought to one size, in which pips are bright."""

    grey: Floats
    picture: Floats  # its colours (h, w, 3)
    scale: float  # of the crop
    settings: PipSettings

    @staticmethod
    def of(crop: Image, channel: Channel, dark: bool, settings: PipSettings) -> Plane:
        """A crop (h, w, 3) by one of its channels, turned over where pips are ``dark``."""
        resized, scale = scaled(crop, settings.size)
        picture = cv2.GaussianBlur(resized, (0, 0), settings.blur).astype(np.float32)
        grey = picture.min(axis=2) if channel == "least" else picture.max(axis=2)
        return Plane(255 - grey if dark else grey, picture, scale, settings)

    @cached_property
    def marks(self) -> list[Mark]:
        """All round marks."""
        return find_marks(self.grey)

    def size(self, pattern: Pattern) -> float:
        """Of a pip: the root of its area, as a part of the longer side."""
        return float(np.sqrt(pattern.area) / max(self.grey.shape))

    def corners(self, pattern: Pattern) -> Quad:
        """The corners (4, 2) of a pattern's face in pixels of the crop."""
        seen = pattern.in_picture(pattern.middle + FACE * pattern.turn * SQUARE)
        return np.asarray((seen + 0.5) / self.scale - 0.5, np.float32)

    def tops(self, spacings: tuple[float, float]) -> list[Pattern]:
        """The patterns that may be the top face's, the largest pips first.

        The top lies in the middle of the crop, is seen from above and, so, its pips are
        rounder and larger than those of the sides.
        """
        patterns = [
            pattern
            for pattern in find_patterns(self.marks, spacings, self.settings)
            if pattern.roundness > self.settings.top and self._is_central(pattern)
        ]
        least = self.settings.nearly * max((p.area for p in patterns), default=0.0)
        return sorted((p for p in patterns if p.area > least), key=lambda p: -p.area)

    def _spacing(self, pattern: Pattern) -> float:
        """Of pips, as a part of the longer side."""
        return pattern.spacing * self.size(pattern) / float(np.sqrt(np.pi))

    def _is_central(self, pattern: Pattern) -> bool:
        """Whether a pattern lies where the top of the crop's die may; one of two pips does not."""
        off = float(self._off(pattern, pattern.middle))
        if pattern.count == 1:
            return off < self.settings.lone * self._spacing(pattern)
        return off < self.settings.off

    def _off(self, pattern: Pattern, spots: Any) -> Any:
        """How far spots of the face lie off the crop's middle, of its longer side."""
        middle = (np.array(self.grey.shape[::-1]) - 1) / 2
        gaps = pattern.in_picture(np.asarray(spots)) - middle
        return np.linalg.norm(gaps, axis=-1) / max(self.grey.shape)

    def is_doubted(self, pattern: Pattern) -> bool:
        """Whether there may be other pips than a pattern's, seen or hidden."""
        return self._unexplained(pattern) or self._mixed(pattern) or self._hides(pattern)

    def _unexplained(self, pattern: Pattern) -> bool:
        """Whether a mark that is none of a pattern's pips could be one, or hide one."""
        chosen = self.settings
        near = chosen.alone * pattern.spacing
        for mark in self._others(pattern):
            like_a_pip = mark.roundness > chosen.round
            large = mark.area > chosen.unexplained * pattern.area
            apart = abs(pattern.on_face([mark])[0] - pattern.middle)
            if like_a_pip and large and apart < near:
                return True
            if mark.area > chosen.foreign * pattern.area and pattern.within(mark, chosen.inside):
                return True
        return False

    def _mixed(self, pattern: Pattern) -> bool:
        """Whether two pips may be a one and a pip beside the die: one lies in the crop's middle."""
        if pattern.count != 2:
            return False
        off = self._off(pattern, pattern.on_face(pattern.marks))
        return bool(off.min() < self.settings.central * self._spacing(pattern))

    def _others(self, pattern: Pattern) -> list[Mark]:
        return [mark for mark in self.marks if mark not in pattern.marks]

    def _hides(self, pattern: Pattern) -> bool:
        """Whether a further pip may be hidden: a spot is bright, or shows no body.

        Around a one there may be another, too, and this be one of two.
        """
        chosen = self.settings
        bright = self._brightness(pattern)
        reach = np.arange(-chosen.alone, chosen.alone, 0.5 / pattern.spacing)
        x, y = np.meshgrid(reach, reach)
        grid = (x + 1j * y).ravel()
        spots = pattern.middle + pattern.turn * grid
        low, high = _shown(bright, pattern, spots[self._on_face(pattern, grid)])
        if high.max() > chosen.hidden or low.min() < -chosen.washed:
            return True
        if pattern.count > 1:
            return False
        _, high = _shown(bright, pattern, spots[self._of_two(pattern, grid)])
        return bool(high.size and high.max() > chosen.surely)

    def _on_face(self, pattern: Pattern, grid: Spots) -> NDArray[np.bool_]:
        """Which spots (n,), in spacings from the middle, lie on the face between its pips."""
        square = np.maximum(abs(grid.real), abs(grid.imag)) < self.settings.face
        inside = abs(grid) < self.settings.round_face if pattern.count == 1 else square
        pips = (pattern.on_face(pattern.marks) - pattern.middle) / pattern.turn
        apart = abs(grid[:, None] - pips).min(axis=1) * pattern.spacing
        return np.asarray(inside & (apart > self.settings.between))

    def _of_two(self, pattern: Pattern, grid: Spots) -> NDArray[np.bool_]:
        """At which spots (n,) a one would have its twin, on a face in the middle of the crop."""
        apart = abs(grid) / np.sqrt(8)
        middles = pattern.middle + pattern.turn * grid / 2
        central = self._off(pattern, middles) < self.settings.rival_off
        return np.asarray((apart > 0.87) & (apart < 1.11) & central)

    def body(self, pattern: Pattern) -> Floats:
        """The colour (CIE L*a*b*) that is seen between a pattern's pips."""
        around = self._around(pattern) > 0
        lab = cv2.cvtColor((self.picture / 255).astype(np.float32), cv2.COLOR_BGR2LAB)
        shown = lab[around] if around.any() else lab.reshape(-1, 3)
        return np.asarray(np.median(shown, axis=0))

    def _around(self, pattern: Pattern) -> NDArray[np.uint8]:
        """Where the face's body is seen between the pips (1 or 0)."""
        body = np.zeros(self.grey.shape, np.uint8)
        reach = self.settings.inside
        if pattern.count == 1:
            pattern.marks[0].disc(body, ROUND * reach * pattern.spacing, 1)
        else:
            square = pattern.in_picture(pattern.middle + reach * pattern.turn * SQUARE)
            cv2.fillConvexPoly(body, np.rint(square).astype(np.int32), 1)
        for mark in self.marks:
            mark.disc(body, 1.35, 0)
        return body

    def _brightness(self, pattern: Pattern) -> Floats:
        """The plane (h, w) with 0 where the body is seen between pips, and 1 in the pips.

        Marks beside the face are painted over: pips of the sides explain themselves.
        """
        pips, beside = np.zeros((2, *self.grey.shape), np.uint8)
        for mark in pattern.marks:
            mark.disc(pips, 0.7, 1)
        for mark in self._others(pattern):
            if not pattern.within(mark, self.settings.inside):
                mark.disc(beside, 1.15, 1)
        level = _median(self.grey, self._around(pattern), float(np.percentile(self.grey, 20)))
        contrast = max(_median(self.grey, pips, 255.0) - level, 1.0)
        return np.where(beside > 0, 0, (self.grey - level) / contrast).astype(np.float32)


def _median(grey: Floats, where: NDArray[np.uint8], otherwise: float) -> float:
    return float(np.median(grey[where > 0])) if where.any() else otherwise


def _disc() -> Spots:
    x, y = np.meshgrid(np.linspace(-0.8, 0.8, 7), np.linspace(-0.8, 0.8, 7))
    spots = (x + 1j * y).ravel()
    return np.asarray(spots[abs(spots) <= 0.81])


_DISC = _disc()
_DIM_PART = 15  # percentile: nearly all of a pip must be bright


def _shown(bright: Floats, pattern: Pattern, spots: Spots) -> tuple[Floats, Floats]:
    """What most of a disc exceeds in brightness, and stays below, at ``spots`` (n,) of the face."""
    x, y = np.moveaxis(np.rint(pattern.in_picture(spots[:, None] + _DISC)).astype(int), -1, 0)
    height, width = bright.shape
    inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
    seen = bright[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    seen = np.where(inside, seen, 0.0)  # a crop shows the whole die
    high, low = np.percentile(seen, [_DIM_PART, 100 - _DIM_PART], axis=-1)
    return np.asarray(low), np.asarray(high)
