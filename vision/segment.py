"""What changed on the tray: pixels that no change of light explains, and the objects they form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats, Image, slopes
from vision.settings import SceneSettings

Mask = NDArray[np.uint8]
Planes = tuple[Floats, ...]  # (h, w) of each colour: much faster than one (h, w, 3)
Tint = tuple[float, float, float]  # what share of each colour's light a lamp's shadow takes

FAINTLY = 0.5  # of what tells a change: may be a body hardly unlike the floor


@dataclass(frozen=True)
class Shade:
    """What a coloured lamp's shadow takes of the empty tray's light where it is deepest."""

    takes: Planes  # grey levels (h, w) of each colour
    power: Floats  # (h, w) local energy

    @staticmethod
    def of(before: Planes, tint: Tint, window: int) -> Shade:
        """Of a smoothed empty tray and a shadow's tint."""
        takes = tuple(plane * np.float32(part) for plane, part in zip(before, tint, strict=True))
        power = cv2.blur(_total(take * take for take in takes), (window, window)) + 1.0
        return Shade(takes, power)


@dataclass(frozen=True)
class Floor:
    """The rectified empty tray, prepared to be compared with."""

    before: Planes  # smoothed
    power: Floats  # (h, w) local energy
    slope: Planes  # strength of its edges
    window: int
    settings: SceneSettings
    tints: tuple[Tint, ...] = ()  # of shadows that coloured lamps throw (`vision.tints`)

    @classmethod
    def of(cls, empty: Image, settings: SceneSettings, tints: tuple[Tint, ...] = ()) -> Floor:
        """Prepare ``empty`` (h, w, 3)."""
        before = _smooth(empty)
        window = max(3, round(settings.patch * settings.scale)) | 1
        power = cv2.blur(_total(plane * plane for plane in before), (window, window)) + 30.0
        slope = tuple(_slope(plane) for plane in before)
        return cls(before, power, slope, window, settings, tints)

    @cached_property
    def level(self) -> Floats:
        """(h, w): how bright the tray is in its brightest colour."""
        return _most(self.before)

    @cached_property
    def fine(self) -> Floats:
        """(h, w): what of the tray's brightness varies within a few millimetres, its texture."""
        return _fine(self.before, self.settings)

    @cached_property
    def shades(self) -> list[Shade]:
        """The deepest shadow of each coloured lamp."""
        return [Shade.of(self.before, tint, self.window) for tint in self.tints]

    def unsure(self, factor: Floats) -> Floats:
        """What light ``factor`` (h, w) over the empty tray's may leave unexplained, (h, w).

        A shadow takes one lamp's light and leaves the tint of the others: the more, the deeper
        it is and the brighter the floor. Light that hardly fell has hardly changed its tint.
        """
        s = self.settings
        share = np.maximum(s.tint_drift, s.tint_shadow * (1 - factor))
        return np.asarray(np.clip(share * self.level, s.residual_least, s.residual), np.float32)

    def beside(self, seen: Image) -> Beside:
        """A rectified picture (h, w, 3) beside the empty tray."""
        return Beside(self, _smooth(seen))

    def changed(self, seen: Image) -> Mask:
        """Where something lies on the tray (255), soft shadows left out."""
        return self.beside(seen).changed

    def shadowy(self, seen: Image) -> Mask:
        """Where a change may be shadow (1 or 0), as `Beside.shadowy` tells it."""
        return self.beside(seen).shadowy


@dataclass(frozen=True)
class Beside:
    """A picture beside the empty tray, smoothed once for all that is asked of it."""

    floor: Floor
    now: Planes

    @cached_property
    def changed(self) -> Mask:
        """Where something lies on the tray (255), soft shadows left out."""
        return self.changed_by(1.0)

    @cached_property
    def plainly(self) -> Mask:
        """What of that is so clear that no light of any tint explains it (255)."""
        return self._found(self.floor.settings.residual)

    def changed_by(self, share: float) -> Mask:
        """What changed (255), were the differences that tell it ``share`` of the usual ones."""
        return self._found(share * self.floor.unsure(self.factor), share)

    @property
    def fine(self) -> Floats:
        """(h, w): what of the picture's brightness varies within a few millimetres."""
        return _fine(self.now, self.floor.settings)

    @cached_property
    def new_edges(self) -> Mask:
        """Where edges are seen that no local light on the empty tray explains (255)."""
        return np.asarray((self._edges > self.floor.settings.edge) * np.uint8(255), np.uint8)

    def things(self, least: float) -> list[Mask]:
        """Separate things (255) of which at least ``least`` pixels changed, largest first.

        A body hardly unlike the floor changes it in pieces: where none is as large as that,
        those are one thing that hardly changed places join.
        """
        if cv2.countNonZero(self.changed) < least:
            return []
        return objects(self.changed, least) or self._joined(least)

    def _joined(self, least: float) -> list[Mask]:
        def changed(thing: Mask) -> int:
            return cv2.countNonZero(thing & self.changed)

        whole = grown(self.changed, self.changed_by(FAINTLY))
        large = [thing for thing in objects(whole, least) if changed(thing) >= least]
        return sorted(large, key=changed, reverse=True)

    @cached_property
    def factor(self) -> Floats:
        """How bright (h, w) the picture is over the empty tray around each pixel."""
        products = _total(now * before for now, before in self._both)
        return np.asarray(cv2.blur(products, (self.floor.window,) * 2) / self.floor.power)

    @cached_property
    def _rest(self) -> Floats:
        """Grey levels (h, w) that the local light leaves unexplained, be it one lamp's."""
        factor = self.factor
        rest = _most(cv2.absdiff(now, before * factor) for now, before in self._both)
        for shade in self.floor.shades:
            rest = np.asarray(cv2.min(rest, self._rest_in(shade)), np.float32)
        return rest

    def _rest_in(self, shade: Shade) -> Floats:
        """What is left (h, w) where a coloured lamp's shadow takes the light."""
        missing = _total(
            (before - now) * take
            for (now, before), take in zip(self._both, shade.takes, strict=True)
        )
        depth = cv2.blur(missing, (self.floor.window,) * 2) / shade.power
        depth = np.clip(depth, 0, self.floor.settings.tint_deeper)
        return _most(
            cv2.absdiff(now, before - depth * take)
            for (now, before), take in zip(self._both, shade.takes, strict=True)
        )

    @cached_property
    def _level(self) -> Floats:
        """By how many grey levels (h, w) the picture is brighter than the empty tray."""
        return np.asarray(_total(now - before for now, before in self._both) / 3)

    @cached_property
    def _edges(self) -> Floats:
        """How far (h, w) the edges differ from the empty tray's under the local light."""
        pairs = zip(self.now, self.floor.slope, strict=True)
        lit = np.clip(self.factor, 0, 1)
        return _most(cv2.absdiff(_slope(now), slope * lit) for now, slope in pairs)

    @property
    def _both(self) -> Iterable[tuple[Floats, Floats]]:
        """The picture and the empty tray, colour by colour."""
        return zip(self.now, self.floor.before, strict=True)

    def _found(self, unsure: Floats | float, share: float = 1.0) -> Mask:
        """Where more differs than the local light and ``unsure`` grey levels explain (255).

        ``share``: of what else tells a change: edges, and light that rose or fell.
        """
        s, factor, level = self.floor.settings, self.factor, self._level
        found = (
            (self._rest > unsure)
            | (self._edges > share * s.edge)
            | ((factor > 1 + share * (s.brighter - 1)) & (level > share * s.residual))
            | ((factor < 1 - share * (1 - s.darker)) & (level < -share * s.residual))
        )
        mask = cv2.morphologyEx(
            found.astype(np.uint8) * 255, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
        )
        return _filled(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, disc(s.close * s.scale)))

    @cached_property
    def shadowy(self) -> Mask:
        """Where a change may be shadow (1 or 0): darker in every colour, and alike in all.

        Or unlike as in the shadow that one of the tray's coloured lamps throws.
        """
        low, high = self._ratios
        s = self.floor.settings
        so: NDArray[Any] = high < s.shadow_tint * low
        if self.floor.tints:
            so |= self._tinted()
        return np.asarray((high < s.shadow_lit) & so, np.uint8)

    def _tinted(self) -> NDArray[np.bool_]:
        """Where colours lack light as in a coloured lamp's shadow, and no more of it (h, w)."""
        s = self.floor.settings
        taken = [np.maximum(1 - share, 0) for share in self.shares]
        depth = np.sqrt(_total(share * share for share in taken))
        so = np.zeros(depth.shape, np.bool_)
        for tint in self.floor.tints:
            deepest = float(np.linalg.norm(tint))
            along = _total(part / deepest * share for share, part in zip(taken, tint, strict=True))
            alike = along >= np.cos(np.deg2rad(s.tint_alike)) * depth
            so |= alike & (depth <= s.tint_deeper * deepest)
        return so

    @property
    def dyed(self) -> Mask:
        """Where every colour is darker, but not alike (255): shadow of a coloured lamp, if any."""
        low, high = self._ratios
        s = self.floor.settings
        so = (high < s.shadow_lit) & (high >= s.tint_least * low)
        return np.asarray(so * np.uint8(255), np.uint8)

    @cached_property
    def darkened(self) -> Mask:
        """Where every colour is darker (255): shadow, or a body darker than the floor."""
        _, high = self._ratios
        return np.asarray((high < self.floor.settings.dimmed) * np.uint8(255), np.uint8)

    @cached_property
    def shade(self) -> Mask:
        """Where every colour is darker, and as in a shadow (255), be it a change or not."""
        return np.asarray(self.darkened * self.shadowy, np.uint8)

    def lit_like(self, part: Mask) -> Mask:
        """Where each colour keeps the share of the floor's that ``part`` (255) shows nearby (255).

        So a shadow goes on: what else lies there would have to be of the floor's own colours.
        """
        s = self.floor.settings
        window = (2 * round(s.goes_on * s.scale) + 1,) * 2
        inside = (part > 0).astype(np.float32)
        weight = cv2.blur(inside, window)
        alike = weight * window[0] ** 2 > 1.5
        for shares in self.shares:
            near = cv2.blur(shares * inside, window) / np.maximum(weight, 1e-6)
            alike &= np.abs(shares - near) < s.same_light * near
        return np.asarray(alike * np.uint8(255), np.uint8)

    def dimness(self, part: Mask) -> float:
        """How bright ``part`` (255) is over the empty tray, where it is darkest but for specks."""
        return float(np.percentile(self.factor[part > 0], 10))

    @cached_property
    def shares(self) -> Planes:
        """How bright the picture is over the empty tray, for each colour."""
        return tuple((now + 4.0) / (before + 4.0) for now, before in self._both)

    @cached_property
    def _ratios(self) -> tuple[Floats, Floats]:
        """The least and the most of the colours of how bright the picture is over the tray."""
        shares: tuple[Any, ...] = self.shares
        return reduce(cv2.min, shares), _most(shares)


def disc(diameter: float) -> Mask:
    """A round structuring element of about ``diameter`` pixels."""
    size = max(1, round(diameter)) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def solid(mask: Mask, shadowy: Mask) -> Mask:
    """What of a change (255) can be no shadow (``shadowy`` 1 or 0), without specks."""
    sure = np.asarray(mask & ~(shadowy * np.uint8(255)), np.uint8)
    return np.asarray(cv2.morphologyEx(sure, cv2.MORPH_OPEN, disc(3)), np.uint8)


def without_specks(mask: Mask, settings: SceneSettings) -> Mask:
    """``mask`` without what is narrower than a speck, as beside the dice's outlines."""
    opening = disc(settings.speck * settings.scale)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, opening), np.uint8)


def grown(seed: Mask, region: Mask) -> Mask:
    """The connected parts of ``region`` that meet ``seed``, and ``seed`` itself."""
    whole = np.asarray(seed | region, np.uint8)
    count, labels = cv2.connectedComponents(whole)
    met = np.zeros(count, np.uint8)
    met[labels[seed > 0]] = 255
    return np.asarray(met[labels], np.uint8)


def objects(mask: Mask, least: float) -> list[Mask]:
    """Separate changed regions of at least ``least`` pixels, largest first."""
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return []
    part = np.s_[y : y + height, x : x + width]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask[part])
    found = [n for n in range(1, count) if stats[n, cv2.CC_STAT_AREA] >= least]
    found.sort(key=lambda n: -int(stats[n, cv2.CC_STAT_AREA]))
    things = [np.zeros_like(mask) for _ in found]
    for n, thing in zip(found, things, strict=True):
        thing[part][labels == n] = 255
    return things


def _smooth(image: Image) -> Planes:
    smooth = cv2.split(cv2.GaussianBlur(image, (0, 0), 1.0))
    return tuple(plane.astype(np.float32) for plane in smooth)


def _fine(planes: Planes, settings: SceneSettings) -> Floats:
    """What of the brightness in all colours together varies within a few millimetres."""
    light = np.asarray(_total(planes), np.float32)
    side = round(settings.texture_fine * settings.scale) | 1
    return np.asarray(light - cv2.blur(light, (side, side)), np.float32)


def _total(planes: Iterable[Floats]) -> Floats:
    """Sum of the colours."""
    return reduce(np.add, planes)


def _most(planes: Iterable[Any]) -> Floats:
    """The largest of the colours."""
    return np.asarray(reduce(cv2.max, planes), np.float32)


def _slope(plane: Floats) -> Floats:
    """Strength of the edges in grey levels a pixel."""
    dx, dy = slopes(plane)
    return np.sqrt(dx * dx + dy * dy)


def _filled(mask: Any) -> Mask:
    """``mask`` without holes."""
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = np.zeros_like(mask)
    cv2.drawContours(whole, outlines, -1, 255, cv2.FILLED)
    return np.asarray(whole, np.uint8)
