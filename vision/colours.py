"""Which enrolled colour a cube shows, judged under the white the tray shows.

A patch is divided by the white reference and summed up as one colour in an
opponent plane (red-green, yellow-blue) with its lightness. Glare, printed
pips and dark pixels weigh little: the weight of a pixel is its colourfulness
times its brightness. Colours are compared by hue first, so that a cube washed
out by light or lying in shadow keeps its name; one that lies between two
enrolled colours is like neither and must be asked about. So must one that
shows hardly anything but glare or darkness: these have hues, too. Glare is
white in the picture, and so bluer than a warm light's white.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.patch import Image
from vision.settings_faces import ColourSettings

Floats = NDArray[np.float64]
Part = NDArray[np.bool_]  # where a patch is looked at


@dataclass(frozen=True, slots=True)
class ColourScore:
    """One enrolled colour: ``distance`` in opponent units (0 = same), ``probability`` in [0, 1]."""

    colour: str
    distance: float
    probability: float


@dataclass(frozen=True, slots=True)
class ColourScores:
    """What colour a cube may have, likeliest first; ``sure`` only when no other comes near."""

    ranked: tuple[ColourScore, ...]
    sure: bool

    @property
    def colour(self) -> str:
        return self.ranked[0].colour

    @property
    def confidence(self) -> float:
        return self.ranked[0].probability

    @property
    def alternatives(self) -> tuple[tuple[str, float], ...]:
        """The other colours with their probabilities, likeliest first."""
        return tuple((score.colour, score.probability) for score in self.ranked[1:])


@dataclass(frozen=True, slots=True)
class _Pixels:
    """The middle of a patch: its n colours (n, 3) over the white's, blue first."""

    relative: Floats
    dazzling: Part  # (n,) where a channel had more light than it can show: no colour

    @staticmethod
    def of(
        patch: Image, white_bgr: ArrayLike, settings: ColourSettings, part: Part | None = None
    ) -> _Pixels:
        """Those of the whole middle, or where ``part`` (h, w) holds if it does anywhere there.

        Raises ValueError when the white reference is not three positive numbers.
        """
        white = _checked(white_bgr)
        values = _middle(patch).reshape(-1, 3).astype(np.float64)
        inside = None if part is None else _middle(part).reshape(-1)
        if inside is not None and inside.any():
            values = values[inside]
        relative, clipped = values / white, values >= settings.clipped
        short = relative < settings.short * relative.max(axis=1, keepdims=True)
        return _Pixels(relative, clipped.all(axis=1) | (clipped & short).any(axis=1))

    def summed_up(self, settings: ColourSettings) -> Floats:
        """One colour (red-green, yellow-blue, lightness) for all of them."""
        b, g, r = self.relative.T
        total = r + g + b + 1e-6
        plane = _plane(b, g, r, total)
        light = total / 3
        weights = np.linalg.norm(plane, axis=0) * np.minimum(light, 1.0) + settings.least_weight
        weights[light < settings.dark] *= 0.05
        weights[self.dazzling] = settings.least_weight * 0.05
        mean = (plane * weights).sum(axis=1) / weights.sum()
        return np.array([*mean, np.average(light, weights=weights)])

    def told(self, darkest: float) -> float:
        """Share of them that tell a colour: none dazzles or is darker than ``darkest``."""
        return float((~self.dazzling & (self.relative.mean(axis=1) >= darkest)).mean())


def opponent(patch: Image, white_bgr: ArrayLike, settings: ColourSettings | None = None) -> Floats:
    """One colour (red-green, yellow-blue, lightness) for a patch (h, w, 3) under ``white_bgr``.

    Raises ValueError when the white reference is not three positive numbers.
    """
    settings = settings or ColourSettings()
    return _Pixels.of(patch, white_bgr, settings).summed_up(settings)


def _checked(white_bgr: ArrayLike) -> Floats:
    """The white reference (3,); ValueError when it is not three positive numbers."""
    white = np.asarray(white_bgr, np.float64).reshape(-1)
    if white.shape != (3,) or not (white > 0).all():
        raise ValueError("the white reference must be three positive numbers, blue first")
    return white


def likely_light(white_bgr: ArrayLike, settings: ColourSettings) -> Floats:
    """The likeliest colour (3,) of the lamps where a white reference is ``white_bgr``.

    It is what is brightest on the tray, which may be the tray's own colour: a sheen does not
    take that on. Light is seldom tinted as strongly as things are.
    """
    white = _checked(white_bgr)
    return np.asarray(np.maximum(white, settings.tinted * white.max()))


def body_hue(patch: Image, white_bgr: ArrayLike) -> Floats:
    """The usual colour (red-green, yellow-blue) of a face: its body's, whatever print it has."""
    rim = patch.shape[0] // 8
    return np.asarray(np.median(hues_of(patch[rim:-rim, rim:-rim], white_bgr), axis=0))


def hues_of(patch: Image, white_bgr: ArrayLike) -> Floats:
    """The colours (h w, 2) of a patch, red-green and yellow-blue; what is black has none."""
    white = np.asarray(white_bgr, np.float64).reshape(3)
    b, g, r = (patch.reshape(-1, 3) / white).T
    return _plane(b, g, r, b + g + r + _BLACK).T


def _plane(b: Floats, g: Floats, r: Floats, total: Floats) -> Floats:
    """Red-green and yellow-blue (2, n) of colours (n,) whose light is ``total``."""
    return np.asarray(np.stack([1.5 * (r - g), 0.75 * (r + g) - 1.5 * b]) / total)


_BLACK = 0.02  # of the white reference: what is darker has no colour


def _middle(patch: NDArray[Any]) -> NDArray[Any]:
    """The patch without its rim, where the background may show."""
    height, width = patch.shape[:2]
    y, x = max(height // 6, 0), max(width // 6, 0)
    return patch[y : height - y, x : width - x]


def distance(a: Floats, b: Floats, settings: ColourSettings) -> float:
    """How far two summed-up colours are apart: hue in full, strength and lightness in part."""
    strength_a, strength_b = _strength(a), _strength(b)
    gap = float(((a[:2] - b[:2]) ** 2).sum())
    hue = max(gap - (strength_a - strength_b) ** 2, 0.0)
    strength = settings.strength_share * (strength_a - strength_b)
    light = settings.light_share * float(a[2] - b[2])
    return float(np.sqrt(hue + strength**2 + light**2))


def _strength(colour: Floats) -> float:
    """How colourful a summed-up colour is."""
    return float(np.hypot(colour[0], colour[1]))


_gap = itemgetter(0, 1)  # distance, then name: an enrolled colour itself has no order
Enrolled = tuple[tuple[str, tuple[Floats, ...]], ...]  # each colour's, summed up


@dataclass(frozen=True)
class CubeBank:
    """The enrolled colours of a kind of cube.

    ``exemplars`` under the likeliest light, ``under_white`` were the white reference the light.
    """

    exemplars: Enrolled
    under_white: Enrolled
    settings: ColourSettings

    @staticmethod
    def enrol(
        samples: Mapping[str, Sequence[Image]],
        white_bgr: ArrayLike,
        settings: ColourSettings | None = None,
    ) -> CubeBank:
        """A bank from patches of each colour, seen under ``white_bgr``; one a colour works.

        Raises ValueError when fewer than two colours are given or one has no patch.
        """
        settings = settings or ColourSettings()
        if len(samples) < 2:
            raise ValueError("a cube needs at least two different colours")
        empty = [name for name, patches in samples.items() if not patches]
        if empty:
            raise ValueError(f"no picture of colour {empty[0]!r}; show that side to the camera")
        likely, plain = (
            tuple(
                (name, tuple(opponent(patch, light, settings) for patch in patches))
                for name, patches in samples.items()
            )
            for light in (likely_light(white_bgr, settings), white_bgr)
        )
        return CubeBank(likely, plain, settings)

    def score(self, patch: Image, white_bgr: ArrayLike, part: Part | None = None) -> ColourScores:
        """Compare one patch, or ``part`` of it, seen under ``white_bgr`` with every colour.

        A colour is only sure that would be the nearest, and not pale, under the white, too.
        """
        s = self.settings
        light = likely_light(white_bgr, s)
        pixels = _Pixels.of(patch, light, s, part)
        seen = pixels.summed_up(s)
        near = self._nearest(seen, self.exemplars)
        chances = self._chances([gap for gap, *_ in near])
        sure = near[0][0] <= s.furthest and chances[0] >= s.sure
        sure = sure and self._shown(near[0][2], seen, pixels)
        if sure and (light != _checked(white_bgr)).any():
            plain = _Pixels.of(patch, white_bgr, s, part).summed_up(s)
            _, name, enrolled = self._nearest(plain, self.under_white)[0]
            sure = name == near[0][1] and not self._is_pale(plain, enrolled)
        pairs = zip(near, chances, strict=True)
        ranked = (ColourScore(name, gap, chance) for (gap, name, _), chance in pairs)
        return ColourScores(tuple(ranked), sure)

    def _nearest(self, seen: Floats, exemplars: Enrolled) -> list[tuple[float, str, Floats]]:
        """Each colour's nearest exemplar: how far it is, its name and itself; nearest first."""
        nearest = (
            min(((distance(seen, one, self.settings), name, one) for one in group), key=_gap)
            for name, group in exemplars
        )
        return sorted(nearest, key=_gap)

    def _shown(self, enrolled: Floats, seen: Floats, pixels: _Pixels) -> bool:
        """Whether a face shows enough of an enrolled colour, and by enough of its pixels."""
        s = self.settings
        darkest = min(s.dark, enrolled[2] / 2)  # a black cube is not in the dark
        return pixels.told(darkest) >= s.told and not self._is_pale(seen, enrolled)

    def _is_pale(self, seen: Floats, enrolled: Floats) -> bool:
        """Whether a face is much less colourful than enrolled: it may be tinted glare."""
        s = self.settings
        return _strength(seen) + s.grain < s.pale * _strength(enrolled)

    def _chances(self, gaps: list[float]) -> list[float]:
        """Probabilities from distances: equal distances share evenly, a far second has none."""
        worth = [(gap + self.settings.grain) ** -self.settings.steepness for gap in gaps]
        return [value / sum(worth) for value in worth]
