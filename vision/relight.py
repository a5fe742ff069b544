"""The hard edge of a shadow across a face, found and taken away as if the lamp reached all of it.

Window bars, the tray's wall and other dice throw shadows with straight edges. One that crosses a
face is a stronger line than most print, and one picture a face may have it too. In logarithms
such a shadow is one step, alike in all colours up to the tint of the other lamps, that goes from
rim to rim of the face; what is printed ends before the rim.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import PATCH, Floats, Image
from vision.settings_faces import FaceSettings, ShadowSettings

Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]

_DARK = FaceSettings().dark
_LOGS = np.log(np.arange(256) + _DARK).astype(np.float32)

_SMALL = 32  # side of the picture on which edges are looked for
_FINER = PATCH // _SMALL  # patch pixels to one of that picture's
_BORDER, _RIM = 3, 3  # of its pixels: left out, and the face's rim inside of that
_LEAST = 0.18  # of a face, that lies on each side: a line nearer to the rim is the face's own
_SHIFT, _TURN = 1.5, np.deg2rad(4)  # first step of the refinement, in patch pixels
_BAR = 4  # lines apart that the edges of a bar's shadow are at least
_WITHIN = 8.0  # of the middle, in small pixels, that both are
_NEAR, _FEW = 16.0, 30  # patch pixels from the edge that are compared, and how many at least
_SOFT = (0.8, 1.5, 3.0, 5.0)  # widths of half-shadows in patch pixels


def _grid(side: int) -> tuple[Floats, Floats]:
    """How far (side, side) right of and below the middle each pixel is."""
    along = np.arange(side) - (side - 1) / 2
    x, y = np.meshgrid(along, along)
    return x, y


def _inside(side: int, border: int) -> Bools:
    x, y = _grid(side)
    return np.asarray(np.maximum(np.abs(x), np.abs(y)) < side / 2 - border, np.bool_)


@dataclass(frozen=True)
class _Lines:
    """Parallel lines at many turns over the small picture, as edges of shadows to try.

    Two of them bound the shadow of a bar; the last of each turn lies beyond the picture, so
    that with it the other is the only edge.
    """

    turns: Floats  # (t,) in radians, of the way across the lines
    shifts: Floats  # (d,) from the middle along that way, in small pixels
    beyond: Floats  # (t, d, p): 1 for each pixel inside the border that lies beyond
    share: Floats  # (t, d): of the pixels, that do
    inside: Bools  # (s, s): the p pixels inside the border
    rim: Bools  # (p,): which of them are the face's rim

    @staticmethod
    def all() -> _Lines:
        x, y = _grid(_SMALL)
        inside = _inside(_SMALL, _BORDER)
        turns, shifts = np.deg2rad(np.arange(0, 180, 7.5)), np.append(np.arange(-10, 10.5), np.inf)
        across = np.outer(np.cos(turns), x[inside]) + np.outer(np.sin(turns), y[inside])
        beyond = (across[:, None] > shifts[:, None]).astype(np.float32)
        rim = ~_inside(_SMALL, _BORDER + _RIM)[inside]
        return _Lines(turns, shifts, beyond, beyond.mean(axis=2), inside, rim)

    def explained(self, total: Floats, first: Ints, last: Ints) -> Floats:
        """How much of the variance one step between two lines (n,) of each turn explains, (t, n).

        ``total`` (t, d) is the sum beyond each line of brightness less its mean.
        """
        between = self.share[:, first] - self.share[:, last]
        step = (total[:, first] - total[:, last]) ** 2
        even = np.clip(between * (1 - between), 1e-6, None)
        clear = (between > _LEAST) & (between < 1 - _LEAST)
        return np.asarray(clear * step / even / len(self.rim) ** 2)

    def between(self, turn: int, first: int, last: int) -> Bools:
        """Which pixels (p,) lie between two lines."""
        return np.asarray(self.beyond[turn, first] > self.beyond[turn, last])


def _pairs(shifts: Floats) -> Sequence[tuple[Ints, Ints]]:
    """Lines that bound a shadow, first and last: one edge in the picture; then both."""
    last = len(shifts) - 1
    one = np.arange(last)
    first, second = np.triu_indices(last, _BAR)
    whole = (np.abs(shifts[first]) <= _WITHIN) & (np.abs(shifts[second]) <= _WITHIN)
    return (one, np.full_like(one, last)), (first[whole], second[whole])


@dataclass(frozen=True)
class _Edge:
    """A shadow's edge in a patch: across it, at ``turn`` radians, the light changes by ``step``."""

    turn: float
    shift: float  # from the middle, in patch pixels
    step: float  # in logarithms; beyond the edge is brighter where it is positive
    reach: float  # patch pixels on both sides of which there is no other edge
    soft: float = 1.5

    def across(self) -> Floats:
        """How far (P, P) beyond the edge each pixel lies."""
        x, y = _XY
        return np.asarray(np.cos(self.turn) * x + np.sin(self.turn) * y - self.shift)

    def share(self) -> Floats:
        """How much (P, P) of the step each pixel has."""
        across = np.clip(2 * self.across() / self.soft, -30, 30)
        return np.asarray(1 / (1 + np.exp(-across)), np.float32)


_LINES = _Lines.all()
_PAIRS = _pairs(_LINES.shifts)
_XY = _grid(PATCH)
_MIDDLE = _inside(PATCH, _FINER * _BORDER)


def relit(patch: Image, settings: ShadowSettings | None = None) -> Image:
    """A patch (P, P, 3) without the shadows whose edges cross it; itself where there are none."""
    settings = settings or ShadowSettings()
    logs = seen = np.asarray(cv2.LUT(patch, _LOGS), np.float32)
    for _ in range(settings.most):
        edge = _found(logs, settings)
        bright = None if edge is None else _without(logs, _refined(logs.mean(axis=2), edge))
        if bright is None:
            break
        logs = bright
    if logs is seen:
        return patch
    # Both edges of a bar's shadow lift what they bound: as bright as it was is enough.
    lifted = np.percentile(logs[_MIDDLE], 90) - np.percentile(seen[_MIDDLE], 90)
    return np.asarray(np.clip(np.rint(np.exp(logs - lifted) - _DARK), 0, 255), np.uint8)


def _found(logs: Floats, settings: ShadowSettings) -> _Edge | None:
    """The edge whose step explains most of how a patch's brightness varies, if it is a shadow's."""
    small = cv2.resize(logs, (_SMALL, _SMALL), interpolation=cv2.INTER_AREA).mean(axis=2)
    seen = small[_LINES.inside]
    usual = np.sort(seen)[[len(seen) * 3 // 100, len(seen) * 97 // 100]]
    level = np.clip(seen, *usual)
    level = level - level.mean()
    total, enough = _LINES.beyond @ level, settings.explained * float((level**2).mean())
    for first, last in _PAIRS:
        explained = _LINES.explained(total, first, last)
        best = np.argsort(-explained, axis=None)[: settings.tried]
        for turn, pair in zip(*np.unravel_index(best, explained.shape), strict=True):
            if explained[turn, pair] < enough:
                break
            lines = int(turn), int(first[pair]), int(last[pair])
            step = _step(seen, _LINES.between(*lines), settings)
            if step is not None:
                return _edge(*lines, step)
    return None


def _edge(turn: int, first: int, last: int, step: float) -> _Edge:
    shifts = _LINES.shifts
    reach = min(_NEAR, _FINER * float(shifts[last] - shifts[first] - 1))
    return _Edge(float(_LINES.turns[turn]), _FINER * float(shifts[first]), step, reach)


def _step(seen: Floats, beyond: Bools, settings: ShadowSettings) -> float | None:
    """By how much (p,) is brighter ``beyond`` an edge; None where that is no shadow's.

    Medians, for print is the lesser part of both sides.
    """
    step = _median_apart(seen, beyond)
    if abs(step) < settings.least:
        return None
    even = seen - step * beyond
    rest = np.abs(even - np.median(even)).mean() / np.abs(seen - np.median(seen)).mean()
    at_rim = _median_apart(seen[_LINES.rim], beyond[_LINES.rim])
    return step if rest <= settings.left and at_rim / step >= settings.at_rim else None


def _median_apart(seen: Floats, beyond: Bools) -> float:
    if not 6 <= beyond.sum() <= len(beyond) - 6:
        return 0.0
    return float(np.median(seen[beyond]) - np.median(seen[~beyond]))


def _refined(grey: Floats, edge: _Edge) -> _Edge:
    """``edge`` moved, turned and softened so that least variation (P, P) is left without it."""
    border = _FINER * _BORDER
    for part in (1.0, 0.5, 0.25):
        tried = [
            replace(
                edge,
                turn=edge.turn + a * part * _TURN,
                shift=edge.shift + b * part * _SHIFT,
                soft=soft,
            )
            for a in (-1, 0, 1)
            for b in (-1, 0, 1)
            for soft in _SOFT
        ]
        left = grey - edge.step * np.stack([other.share() for other in tried])
        inner = left[:, border:-border, border:-border]
        variation = sum(np.abs(np.diff(inner, axis=axis)).sum(axis=(1, 2)) for axis in (1, 2))
        edge = tried[int(np.argmin(variation))]
    return edge


def _without(logs: Floats, edge: _Edge) -> Floats | None:
    """The logarithms (P, P, 3) with the darker side as bright as the other; None if too narrow."""
    across, clear = edge.across(), edge.soft + 0.5
    near = _MIDDLE & (np.abs(across) > clear) & (np.abs(across) < edge.reach)
    bright, dark = near & (across * edge.step > 0), near & (across * edge.step < 0)
    if min(bright.sum(), dark.sum()) < _FEW:
        return None
    fell = np.median(logs[bright], axis=0) - np.median(logs[dark], axis=0)
    share = edge.share()
    shaded = 1 - share if edge.step > 0 else share
    return np.asarray(logs + fell * shaded[..., None], np.float32)
