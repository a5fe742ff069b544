"""Patterns of pips: which marks of a picture lie as the pips of one face do.

Marks on one face are circles seen alike aslant. The map that makes a mark round again makes
the face square, with lengths in pip radii: there a pattern is only turned and moved. Points
of a face are complex numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vision.marks import Mark, to_circle
from vision.patch import Floats
from vision.settings_pips import PipSettings

Spots = NDArray[np.complex128]

LAYOUTS: dict[int, Spots] = {  # in spacings from the middle of the face; corners first
    1: np.array([0j]),
    2: np.array([-1 - 1j, 1 + 1j]),
    3: np.array([-1 - 1j, 1 + 1j, 0j]),
    4: np.array([-1 - 1j, 1 + 1j, 1 - 1j, -1 + 1j]),
    5: np.array([-1 - 1j, 1 + 1j, 1 - 1j, -1 + 1j, 0j]),
    6: np.array([-1 - 1j, 1 + 1j, 1 - 1j, -1 + 1j, -1 + 0j, 1 + 0j]),
}
ROUND = 1.15  # a circle so much larger has about a square's area; a one's is not known better


@dataclass(frozen=True, eq=False)
class Pattern:
    """Marks that lie as so many pips do: at ``middle + turn * LAYOUTS[count]`` on the face.

    ``flat`` (2, 2) maps pixels to the face. A one does not tell its ``turn``; its spacing is
    the kind's.
    """

    count: int
    marks: tuple[Mark, ...]
    flat: Floats
    middle: complex
    turn: complex

    @property
    def spacing(self) -> float:
        """From the middle to the corner pips along a side, in pip radii."""
        return abs(self.turn)

    @property
    def area(self) -> float:
        """Of a pip, in square pixels."""
        return float(np.mean([mark.area for mark in self.marks]))

    @property
    def roundness(self) -> float:
        """How wide its pips are seen, of their length."""
        return float(np.mean([mark.roundness for mark in self.marks]))

    def on_face(self, marks: Sequence[Mark]) -> Spots:
        """Where ``marks`` lie on the face."""
        return on_face(marks, self.flat)

    def in_picture(self, spots: Spots) -> Floats:
        """Where ``spots`` (...) of the face are seen, (..., 2) pixels."""
        places = np.stack([spots.real, spots.imag], axis=-1)
        return np.asarray(places @ np.linalg.inv(self.flat).T)

    def within(self, mark: Mark, reach: float) -> bool:
        """Whether a mark lies in the square that goes ``reach`` spacings from the middle.

        In a circle about as large for a one.
        """
        place = complex(self.on_face([mark])[0] - self.middle) / self.turn
        if self.count == 1:
            return abs(place) < ROUND * reach
        return max(abs(place.real), abs(place.imag)) < reach


def on_face(marks: Sequence[Mark], flat: Floats) -> Spots:
    """Where marks lie once ``flat`` (2, 2) has made pips round."""
    places = np.array([mark.at for mark in marks]) @ flat.T
    return np.asarray(places[:, 0] + 1j * places[:, 1])


def find_patterns(
    marks: Sequence[Mark], spacings: tuple[float, float], settings: PipSettings
) -> list[Pattern]:
    """All patterns among ``marks`` whose spacing is in the range; no other mark lies among them.

    A lone mark tells no spacing: it is taken for the middle of the range.
    """
    round_ones = [mark for mark in marks if mark.roundness > settings.round]
    found: dict[tuple[int, frozenset[int]], Pattern] = {}
    for mark in round_ones:
        flat = to_circle(mark.spread)
        alike = [mark, *(m for m in round_ones if m is not mark and _alike(m, flat, settings))]
        flat = to_circle(np.mean([other.spread for other in alike], axis=0))
        for pattern in _around(alike, flat, spacings, settings):
            found.setdefault((pattern.count, frozenset(map(id, pattern.marks))), pattern)
    return list(found.values())


def _alike(mark: Mark, flat: Floats, settings: PipSettings) -> bool:
    """Whether a mark is about a circle of radius 1 under ``flat``."""
    narrow, wide = np.linalg.eigvalsh(4 * flat @ mark.spread @ flat.T)
    return bool(1 / settings.alike < narrow and wide < settings.alike)


def _around(
    alike: Sequence[Mark], flat: Floats, spacings: tuple[float, float], settings: PipSettings
) -> Iterator[Pattern]:
    """The patterns with the first mark at a corner, or alone."""
    spots = on_face(alike, flat)
    low, high = spacings
    free = settings.alone * (low + high) / 2
    if (abs(spots[1:] - spots[0]) >= free).all():
        yield Pattern(1, (alike[0],), flat, complex(spots[0]), complex((low + high) / 2))
    for count, layout in LAYOUTS.items():
        for corner, spot in product(layout[1:], spots[1:]):
            turn = complex((spot - spots[0]) / (corner - layout[0]))
            if low <= abs(turn) <= high:
                pattern = _fitted(count, spots, turn, settings)
                if pattern and low <= abs(pattern.turn) <= high:
                    marks = tuple(alike[i] for i in pattern.which)
                    yield Pattern(count, marks, flat, pattern.middle, pattern.turn)


class _Fit(NamedTuple):
    which: list[int]  # spots that are the pips, in the order of the layout
    middle: complex
    turn: complex


def _fitted(count: int, spots: Spots, turn: complex, settings: PipSettings) -> _Fit | None:
    """The pattern with the first spot at its first corner, moved to fit all of its pips.

    None where a pip is missing or another mark lies among them.
    """
    layout = LAYOUTS[count]
    wanted = spots[0] + turn * (layout - layout[0])
    off = abs(spots[None] - wanted[:, None])
    which = off.argmin(axis=1)
    if len(set(which)) < count or off.min(axis=1).max() > 1.6 * settings.tolerance:
        return None
    seen = spots[which]
    arms = layout - layout.mean()
    turn = complex((np.conj(arms) * (seen - seen.mean())).sum() / (abs(arms) ** 2).sum())
    middle = complex(seen.mean() - turn * layout.mean())
    place = (spots - middle) / turn
    inside = np.maximum(abs(place.real), abs(place.imag)) < settings.reach
    if abs(seen - middle - turn * layout).max() > settings.tolerance or inside.sum() > count:
        return None
    return _Fit([int(i) for i in which], middle, turn)
