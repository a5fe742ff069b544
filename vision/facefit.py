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
    lab: Floats  # (3, h, w)
    settings: FitSettings

    @staticmethod
    def of(seen: Image, mask: Mask, margin: float, settings: FitSettings | None = None) -> Around:
        """Of what lies within ``margin`` pixels of the change ``mask`` (h, w)."""
        near = Window.around(mask).grown(round(margin), round(margin)).within(Window.of(seen))
        part = cv2.GaussianBlur(np.ascontiguousarray(seen[near.part]), (0, 0), 0.8)
        picture = np.asarray(cv2.LUT(part, _SPREAD), np.float32)
        dx, dy = slopes(picture)
        even = np.asarray(cv2.GaussianBlur(part, (0, 0), 1.2), np.uint8)  # of print and grain
        lab = np.stack(cv2.split(cv2.cvtColor(even, cv2.COLOR_BGR2LAB))).astype(np.float32)
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
        return self._fits(starts, best)

    def _fits(self, starts: Sequence[Square], best: Floats) -> list[Fit]:
        """The ``starts`` as they lie at ``best`` (n, 4), and how they look there."""
        clear, steep = self.edges(best)
        strong = steep / (steep + self.settings.strong)
        rims = self.rims(best)
        apart = self.apart(rims)
        scores = _outline(0.5 * clear + 0.5 * strong) - self._against(apart)
        values = np.stack([scores, clear.min(axis=1), steep.mean(axis=1), apart], axis=1)
        squares = [_moved(start, place) for start, place in zip(starts, best, strict=True)]
        told = zip(squares, rims.transpose(1, 2, 0), values.tolist(), strict=True)
        return [Fit(square, colours, *numbers) for square, colours, numbers in told]

    def other(self, squares: Floats) -> Floats:
        """What speaks (n,) against squares (n, 4) as x, y, side, turn by the colour just inside
        one of their sides."""
        return self._against(self.apart(self.rims(squares)))

    def _against(self, apart: Floats) -> Floats:
        """What that is (n,) of squares one of whose sides is so far ``apart`` (n,)."""
        beyond = np.clip((apart - 1) / 2, 0, 1)
        return np.asarray(self.settings.rim_weight * beyond, np.float32)

    def edges(self, squares: Floats) -> tuple[Floats, Floats]:
        """Of each side (n, 4) of squares (n, 4): how much of it is an edge, and its steepness in
        grey levels."""
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
        """The body's colour (3, n, 4) just inside each side."""
        spots, _, _ = self._along(squares, -self.settings.rim)
        return _median(self.lab.reshape(3, -1).take(spots, axis=1))

    def apart(self, rims: Floats) -> Floats:
        """How far (n,) the colour inside one side is from that inside the others, 1: clearly; of
        ``rims`` (3, n, 4)."""
        off = (rims - _median(rims)[..., None]) * _WEIGHTS
        far = np.sqrt((off * off).sum(axis=0)).max(axis=1)
        return np.asarray(far / self.settings.same_body, np.float32)

    def _along(self, squares: Floats, out: float) -> tuple[NDArray[np.intp], Floats, Floats]:
        """Pixels (n, 4, samples), counted row by row, along the sides and ``out`` sides outside of
        them; normals (n, 4)."""
        x, y, side, turn = squares.T.astype(np.float32)
        cos, sin = np.cos(np.deg2rad(turn))[:, None], np.sin(np.deg2rad(turn))[:, None]
        reach = np.linspace(-self.settings.reach, self.settings.reach, self.settings.samples)
        along, far = reach.astype(np.float32), np.float32(0.5 + out)
        a, b = cos * far, sin * far  # to the middle of a side
        p, q = cos * along, sin * along  # from there along it
        height, width = self.lab.shape[1:]
        columns = _pixels(x - self.left, side, [a - q, p - b, -a - q, p + b], width)
        rows = _pixels(y - self.top, side, [b + p, q + a, p - b, q - a], height)
        nx = np.concatenate([cos, -sin, -cos, sin], axis=1)
        ny = np.concatenate([sin, cos, -sin, -cos], axis=1)
        return rows * width + columns, nx, ny


def _pixels(middle: Floats, side: Floats, spots: Sequence[Floats], count: int) -> NDArray[np.intp]:
    """The nearest of ``count`` pixels to ``spots``, (n, samples) on each side of unit squares.

    (n, 4, samples), for squares (n,) of such a ``side`` about a ``middle``.
    """
    found = np.stack(spots, axis=1) * side[:, None, None] + middle[:, None, None]
    return np.clip(np.rint(found), 0, count - 1).astype(np.intp)


# Grey levels of dark bodies are spread, as where squares are looked for; bright ones stay.
_SPREAD = np.cumsum(np.maximum(SPREAD, 1.0)).astype(np.float32)
_WEIGHTS = np.array([0.35, 1.0, 1.0], np.float32)[:, None, None]  # light changes L first
_STEPS = np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1], [0], [-1, 0, 1], indexing="ij"), axis=-1)
_AROUND = _STEPS.reshape(-1, 4).astype(np.float32)


def _moved(start: Square, place: Floats) -> Square:
    x, y, _, turn = (float(value) for value in place)
    return replace(start, x=x, y=y, turn=turn % 90)


def _median(values: Floats) -> Floats:
    """Of rows (..., n), as `numpy.median`, which takes three times as long for many short ones."""
    rows, many = np.sort(values), values.shape[-1]
    return np.asarray((rows[..., (many - 1) // 2] + rows[..., many // 2]) / 2, np.float32)


def _outline(sides: Floats) -> Floats:
    """One measure (...) of four sides (..., 4): the weakest counts most."""
    return np.asarray(0.6 * sides.mean(axis=-1) + 0.4 * sides.min(axis=-1), np.float32)
