"""How many pips the top face of a die shows, in a crop of that die alone.

Dice whose faces are named by numbers and show as many pips are read by where their pips lie,
whatever the body looks like: glass, glare or pips that reach the rim hide the face's outline,
but pips stay round marks of one size in one of six patterns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import get_args

import numpy as np

from vision.patch import Floats, Image, Quad
from vision.pip_patterns import LAYOUTS
from vision.pip_plane import Channel, Plane
from vision.settings_pips import PipSettings

_WORDS = ("one", "two", "three", "four", "five", "six")
_WAYS = tuple(product(get_args(Channel), (False, True)))  # pips may be seen, and be dark
COUNTS = {str(count): count for count in LAYOUTS} | dict(zip(_WORDS, LAYOUTS, strict=True))


@dataclass(frozen=True)
class PipReading:
    """What a crop shows: how many pips, and where the face's corners (4, 2) are about.

    The corners of a one are turned at random. ``likeness`` of the body's colour to the kind's
    is 1 for the same, 0 for the most unlike.
    """

    count: int
    corners: Quad
    likeness: float
    is_certain: bool


@dataclass(frozen=True)
class Pips:
    """How the pips of a kind look.

    In which plane of a crop they are bright, their spacing in pip radii (middle to corner along
    a side), their size (root of the area) as a part of the crop's longer side, and the body's
    colour between them (CIE L*a*b*).
    """

    channel: Channel
    dark: bool
    spacing: float
    size: float
    body: tuple[float, float, float]
    settings: PipSettings = field(default=PipSettings(), repr=False)

    @staticmethod
    def learn(
        faces: Mapping[str, Sequence[Image]], settings: PipSettings | None = None
    ) -> Pips | None:
        """How the pips look in crops (h, w, 3) of faces named 1 to 6, or one to six.

        None for other dice.
        """
        counts = {COUNTS.get(face) for face in faces}
        if None in counts or len(counts) < len(faces) or not any(faces.values()):
            return None
        settings = settings or PipSettings()
        crops = [(COUNTS[face], crop) for face, group in faces.items() for crop in group]
        learnt = [
            (share, pips)
            for channel, dark in _WAYS
            for share, pips in _learnt(crops, channel, dark, settings)
        ]
        share, pips = max(learnt, key=lambda pair: pair[0], default=(0.0, None))
        return pips if share >= settings.mostly else None

    def read(self, crop: Image) -> PipReading | None:
        """What a crop (h, w, 3) shows; None without a pattern of pips."""
        plane = Plane.of(crop, self.channel, self.dark, self.settings)
        low, high = 1 - self.settings.slack, 1 + self.settings.slack
        patterns = [
            pattern
            for pattern in plane.tops((low * self.spacing, high * self.spacing))
            if 1 / self.settings.sizes <= plane.size(pattern) / self.size <= self.settings.sizes
        ]
        if not patterns:
            return None
        first = patterns[0]
        apart = _colour_distance(np.array(self.body), plane.body(first))
        doubted = len(patterns) > 1 or plane.is_doubted(first)
        likeness = max(0.0, 1 - apart / self.settings.unlike)
        return PipReading(first.count, plane.corners(first), likeness, is_certain=not doubted)


def bear_pips(crops: Sequence[Image], settings: PipSettings | None = None) -> bool:
    """Whether dice in crops (h, w, 3) bear pips, whatever their faces are called."""
    settings = settings or PipSettings()
    for channel, dark in _WAYS:
        planes = (Plane.of(crop, channel, dark, settings) for crop in crops)
        several = sum(
            top.count > 1 for plane in planes for top in plane.tops(settings.spacings)[:1]
        )
        if several >= settings.some * len(crops):
            return True
    return False


def _learnt(
    crops: Sequence[tuple[int, Image]], channel: Channel, dark: bool, settings: PipSettings
) -> Iterator[tuple[float, Pips]]:
    """The share of crops that show their count in a plane, and how the pips look; once or never."""
    planes = [(count, Plane.of(crop, channel, dark, settings)) for count, crop in crops]
    shown = [
        next((p for p in plane.tops(settings.spacings) if p.count == count), None)
        for count, plane in planes
        if count > 1
    ]
    spacings = [pattern.spacing for pattern in shown if pattern]
    if not spacings:
        return
    spacing = float(np.median(spacings))
    near = (spacing * (1 - settings.slack), spacing * (1 + settings.slack))
    sizes, bodies = [], []
    for count, plane in planes:
        tops = plane.tops(near)
        if tops and all(top.count == count for top in tops):
            sizes.append(plane.size(tops[0]))
            bodies.append(plane.body(tops[0]))
    if sizes:
        light, a, b = (float(value) for value in np.median(bodies, axis=0))
        look = float(np.median(sizes)), (light, a, b)
        yield len(sizes) / len(planes), Pips(channel, dark, spacing, *look, settings)


def _colour_distance(one: Floats, other: Floats) -> float:
    """Between two colours (CIE L*a*b*); the light changes lightness most."""
    return float(np.linalg.norm((one - other) * (0.3, 1.0, 1.0)))
