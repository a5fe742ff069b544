"""The exact place of one top face: its own four edges, and its body's colour inside each.

A die seen aslant shows two outlines that are both clear: its top's, and that of the
top with a side face. The side face is lit otherwise than the top, so the body's
colour just inside the wrong edge is another than inside the other three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats, Image, slopes
from vision.segment import Mask
from vision.settings_enrol import FitSettings
from vision.squares import SPREAD, Square
from vision.window import Window


@dataclass(frozen=True)
class Fit:
    """A square as a top face, and how its outline and its body look."""

    square: Square
    rims: Floats  # (4, 3) the body's colour inside each side: L, a, b
    score: float  # a clear outline less other colours inside one side
    clear: float  # of the least clear side, 0 to 1
    steep: float  # mean steepness of the outline in grey levels a pixel
    apart: float  # how far the body inside one side is from the others in colour, 1: clearly


@dataclass(frozen=True)
class Around:
    """The rectified picture about one die: how steep it is, and its colours (L, a, b)."""

    left: int
    top: int
    slopes: Floats  # (6, h, w): along x of B, G, R, then along y
    lab: Floats  # (h, w, 3)
    settings: FitSettings

    @staticmethod
    def of(seen: Image, mask: Mask, margin: float, settings: FitSettings | None = None) -> Around:
        """Of what lies within ``margin`` pixels of the change ``mask`` (h, w)."""
        near = Window.around(mask).grown(round(margin), round(margin)).within(Window.of(seen))
        part = cv2.GaussianBlur(np.ascontiguousarray(seen[near.part]), (0, 0), 0.8)
        picture = np.asarray(cv2.LUT(part, _SPREAD), np.float32)
        dx, dy = slopes(picture)
        even = np.asarray(cv2.GaussianBlur(part, (0, 0), 1.2), np.uint8)  # of print and grain
        lab = cv2.cvtColor(even, cv2.COLOR_BGR2LAB).astype(np.float32)
        steep = np.stack([*cv2.split(dx), *cv2.split(dy)])
        return Around(near.left, near.top, steep, lab, settings or FitSettings())

    def fitted(self, starts: Sequence[Square], near_by: bool = False) -> list[Fit]:
        """Each start moved and turned a little to where four edges and one body agree best.

        ``near_by``: the starts are fits already, of nearly the same side.
        """
        if not starts:
            return []
        best = np.array([(s.x, s.y, s.side, s.turn) for s in starts], np.float32)
        side = float(best[:, 2].mean())
        steps = np.array([0.03 * side, 0.03 * side, 0.0, self.settings.turn], np.float32)
        steps *= self.settings.near_by if near_by else 1.0
        steepest = np.zeros((len(best), 1, 4), np.float32)
        for _ in range(self.settings.rounds - (3 if near_by else 0)):
            near = best[:, None] + _AROUND * steps
            edges = [e.reshape(*near.shape[:2], 4) for e in self.edges(near.reshape(-1, 4))]
            steepest = np.maximum(steepest, edges[1].max(axis=1, keepdims=True))
            placed = _outline(edges[0]) + _outline(edges[1] / np.maximum(steepest, 1.0))
            scores = placed - self.other(near.reshape(-1, 4)).reshape(near.shape[:2])
            best = near[np.arange(len(best)), scores.argmax(axis=1)]
            steps = steps * np.float32(0.7)
        clear, steep = self.edges(best)
        apart = self.apart(best).max(axis=1) / self.settings.same_body
        values = (self.scores(best), clear.min(axis=1), steep.mean(axis=1), apart)
        squares = [_moved(start, place) for start, place in zip(starts, best, strict=True)]
        told = zip(squares, self.rims(best), np.stack(values, axis=1).tolist(), strict=True)
        return [Fit(square, rims, *numbers) for square, rims, numbers in told]

    def scores(self, squares: Floats) -> Floats:
        """(n,) of squares (n, 4) as x, y, side, turn: clear edges less other colours inside."""
        clear, steep = self.edges(squares)
        strong = steep / (steep + self.settings.strong)
        return _outline(0.5 * clear + 0.5 * strong) - self.other(squares)

    def other(self, squares: Floats) -> Floats:
        """What speaks (n,) against squares by the colour just inside one of their sides."""
        beyond = self.apart(squares).max(axis=1) / self.settings.same_body - 1
        return np.asarray(self.settings.rim_weight * np.clip(beyond / 2, 0, 1), np.float32)

    def edges(self, squares: Floats) -> tuple[Floats, Floats]:
        """Of each side (n, 4): how much of it is an edge, and its steepness in grey levels."""
        spots, nx, ny = self._along(squares, 0.0)
        # `take`, as indexing by rows and columns takes eight times as long.
        here = self.slopes.reshape(6, -1).take(spots, axis=1)  # (6, n, 4, samples)
        across = np.abs(here[:3] * nx[..., None] + here[3:] * ny[..., None]).max(axis=0)
        clear = np.minimum(across / self.settings.cap, 1.0).mean(axis=2)
        return clear, across.mean(axis=2)

    def steepness(self, spots: Floats, normal: Floats) -> Floats:
        """How steep the picture is along ``normal`` (2,) at ``spots`` (..., 2), counted from
        `left` and `top`, in grey levels a pixel: of the channel that is steepest."""
        across, down = (np.moveaxis(self.slopes[part], 0, -1) for part in (np.s_[:3], np.s_[3:]))
        steep = np.ascontiguousarray(across * normal[0] + down * normal[1], np.float32)
        places = np.asarray(spots, np.float32)
        found = cv2.remap(steep, places[..., 0], places[..., 1], cv2.INTER_LINEAR)
        return np.asarray(np.abs(found).max(axis=-1), np.float32)

    def rims(self, squares: Floats) -> Floats:
        """The body's colour (n, 4, 3) just inside each side."""
        spots, _, _ = self._along(squares, -self.settings.rim)
        return _median(self.lab.reshape(-1, 3).take(spots, axis=0), axis=2)

    def apart(self, squares: Floats) -> Floats:
        """How far (n, 4) the colour inside each side is from that inside the others."""
        rims = self.rims(squares)
        usual = _median(rims, axis=1)[:, None]
        return np.asarray(np.linalg.norm((rims - usual) * _WEIGHTS, axis=2), np.float32)

    def _along(self, squares: Floats, out: float) -> tuple[NDArray[np.intp], Floats, Floats]:
        """Pixels (n, 4, samples), counted row by row, along the sides and ``out`` sides outside of
        them; normals (n, 4)."""
        x, y, side, turn = squares.T.astype(np.float32)
        cos, sin = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
        reach = np.linspace(-self.settings.reach, self.settings.reach, self.settings.samples)
        along, far = reach.astype(np.float32), np.full(len(reach), 0.5 + out, np.float32)
        sides = [(far, along), (along, far), (-far, along), (along, -far)]
        spots = np.array(sides, np.float32)  # (4, 2, samples) of a unit square
        px, py = spots[None, :, 0], spots[None, :, 1]
        c, s, k = cos[:, None, None], sin[:, None, None], side[:, None, None]
        col = np.rint(x[:, None, None] - self.left + k * (c * px - s * py))
        row = np.rint(y[:, None, None] - self.top + k * (s * px + c * py))
        height, width = self.lab.shape[:2]
        nx = cos[:, None] * _NORMALS[:, 0] - sin[:, None] * _NORMALS[:, 1]
        ny = sin[:, None] * _NORMALS[:, 0] + cos[:, None] * _NORMALS[:, 1]
        columns = np.clip(col, 0, width - 1).astype(np.intp)
        rows = np.clip(row, 0, height - 1).astype(np.intp)
        return rows * width + columns, nx, ny


# Grey levels of dark bodies are spread, as where squares are looked for; bright ones stay.
_SPREAD = np.cumsum(np.maximum(SPREAD, 1.0)).astype(np.float32)
_WEIGHTS = np.array([0.35, 1.0, 1.0], np.float32)  # light changes L first
_NORMALS = np.array([(1, 0), (0, 1), (-1, 0), (0, -1)], np.float32)
_STEPS = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1], [0], [-1, 0, 1], indexing="ij"), axis=-1)
_AROUND = _STEPS.reshape(-1, 4).astype(np.float32)


def _moved(start: Square, place: Floats) -> Square:
    x, y, _, turn = (float(value) for value in place)
    return replace(start, x=x, y=y, turn=turn % 90)


def _median(values: Floats, axis: int) -> Floats:
    """As `numpy.median`, which takes three times as long for many short rows."""
    many = values.shape[axis]
    middle = np.sort(values, axis=axis).take(((many - 1) // 2, many // 2), axis=axis)
    return np.asarray(middle.mean(axis=axis), np.float32)


def _outline(sides: Floats) -> Floats:
    """One measure (...) of four sides (..., 4): the weakest counts most."""
    return np.asarray(0.6 * sides.mean(axis=-1) + 0.4 * sides.min(axis=-1), np.float32)
