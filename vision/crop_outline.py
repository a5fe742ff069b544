"""Where the top face of a die lies in a crop of that die alone.

No tray tells the size of a face or from where it is seen: near-square outlines of
all sizes, places and rotations are tried, and the likeliest moved side by side.
Points are in pixels, x first, with the centre of the top left pixel at (0, 0).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import islice

import numpy as np

from vision.crop_search import FindSettings, Starts, find_starts
from vision.distinct import distinct
from vision.patch import Floats, Image, Quad, between, blur, cut, off_centre, scaled


@dataclass(frozen=True)
class Outline:
    """Where a top face may lie: ``corners`` (4, 2), and how likely beside others of the crop."""

    corners: Quad
    score: float

    @property
    def foreshortened(self) -> float:
        """The narrowest over the widest of the square it shows: 1 from straight above."""
        a, b, c, d = self.corners
        wide, narrow = np.linalg.svd(np.stack([b - a + c - d, d - a + c - b]), compute_uv=False)
        return float(narrow / wide)

    @property
    def side(self) -> float:
        """The mean of its four sides, in pixels."""
        sides = self.corners - np.roll(self.corners, 1, axis=0)
        return float(np.linalg.norm(sides, axis=1).mean())

    def apart(self, other: Outline) -> float:
        """The largest distance of their corners in sides, whichever they begin with."""
        turns = (np.roll(other.corners, n, axis=0) - self.corners for n in range(4))
        return float(min(np.linalg.norm(gaps, axis=1).max() for gaps in turns) / self.side)


@dataclass(frozen=True)
class Faces:
    """Where the top face may lie in a ``crop`` of one die, each way to look gone once at most.

    The die is expected near the middle with some background around it; side
    faces may show. The outline sought is a near square with an edge all round
    and an even rim of body colour inside that edge, its print in the middle.
    """

    crop: Image
    settings: FindSettings = field(default_factory=FindSettings)

    @cached_property
    def plain(self) -> list[Outline]:
        """The outlines with a plain rim, likeliest first, as far as those alone are looked for."""
        return self._outlines(*self._climbed_plain)

    @cached_property
    def every(self) -> list[Outline]:
        """The outlines with a plain rim, and with print that may reach the rim, likeliest first."""
        if not len(self._starts.likeliest):
            return []
        others = _best_others(self.crop, self._starts, *self._fine, self.settings)
        both = self._climbed_plain, self._climbed([each.corners for each in others])
        quads, scores = (np.concatenate(parts) for parts in zip(*both, strict=True))
        return self._outlines(quads, scores)

    @cached_property
    def _starts(self) -> Starts:
        return find_starts(*_smooth(self.crop, self.settings.size, 0.7), self.settings)

    @cached_property
    def _fine(self) -> tuple[Floats, float]:
        """The crop in which outlines are refined, and how much it is enlarged."""
        return _smooth(self.crop, self.settings.fine, 1.0)

    @cached_property
    def _climbed_plain(self) -> tuple[Floats, Floats]:
        """The likeliest to begin with, refined in several sizes, and their scores."""
        likeliest = self._starts.likeliest
        middle = likeliest.mean(axis=1, keepdims=True)
        begun = [(likeliest - middle) * grow + middle for grow in self.settings.growth]
        return self._climbed(np.concatenate(begun))

    def _climbed(self, begun: Sequence[Quad] | Floats) -> tuple[Floats, Floats]:
        """Outlines (n, 4, 2) refined, in pixels of the fine crop, and their scores (n,)."""
        quads = np.asarray(begun, np.float32).reshape(-1, 4, 2)
        if not len(quads):
            return quads, np.zeros(0, np.float32)
        image, scale = self._fine
        return _climb(image, (quads + 0.5) * scale - 0.5, self.settings.fine, self.settings)

    def _outlines(self, climbed: Floats, scores: Floats) -> list[Outline]:
        """Those that are seen and differ, likeliest first."""
        image, scale = self._fine
        seen = [_is_seen(image, quad, self.settings) for quad in climbed]
        corners = np.asarray((climbed[seen] + 0.5) / scale - 0.5, np.float32)
        ranked = _ranked(self.crop, corners, scores[seen], self.settings)
        return list(_distinct(ranked, self.settings.distinct))


def _best_others(
    crop: Image, starts: Starts, image: Floats, scale: float, settings: FindSettings
) -> Iterator[Outline]:
    """Those unlike the likeliest that score best in ``image``, the crop enlarged by ``scale``."""
    fine = np.asarray((starts.others + 0.5) * scale - 0.5, np.float32)
    scores = _outline_scores(image, fine, settings.fine, settings)
    ranked = _ranked(crop, starts.others, scores, settings)
    besides = [Outline(quad, np.inf) for quad in starts.likeliest]
    return islice(_distinct(ranked, settings.distinct_start, besides), settings.others)


def _ranked(
    crop: Image, quads: Floats, scores: Floats, settings: FindSettings
) -> Iterator[Outline]:
    """Quads (n, 4, 2) with what they score by their edges and rim (n,), likeliest first.

    Where print lies only speaks against them: it is looked at as their turn may come.
    """
    most = scores - _misshapen(crop, quads, settings)
    waiting = [(-float(score), i, False) for i, score in enumerate(most)]
    heapify(waiting)
    while waiting:
        against, i, looked_at = heappop(waiting)
        if looked_at:
            yield Outline(quads[i], -against)
        else:
            aside = settings.print_weight * off_centre(cut(crop, quads[i]))
            heappush(waiting, (against + aside, i, True))


def _distinct(
    outlines: Iterable[Outline], apart: float, besides: Sequence[Outline] = ()
) -> Iterator[Outline]:
    """Those further than ``apart`` from all before them, and from all ``besides``."""
    return distinct(outlines, lambda one, other: one.apart(other) > apart, besides)


def _misshapen(crop: Image, quads: Floats, settings: FindSettings) -> Floats:
    """What speaks against outlines (n, 4, 2) by their shape and place, (n,).

    A top together with a side of the die is longer than wide, and its print off the middle.
    """
    sides = np.roll(quads, -1, axis=1) - quads
    length = np.linalg.norm(sides, axis=2)
    long = np.abs(np.log((length[:, 0] + length[:, 2]) / (length[:, 1] + length[:, 3])))
    turned = (sides * np.roll(sides, -1, axis=1)).sum(axis=2)
    crooked = np.abs(turned / (length * np.roll(length, -1, axis=1))).max(axis=1)
    middle = (np.array(crop.shape[1::-1]) - 1) / 2
    aside = np.linalg.norm(quads.mean(axis=1) - middle, axis=1) / max(crop.shape[:2])
    shape = settings.shape_weight * (long + crooked)
    return np.asarray(shape + settings.aside_weight * aside)


def _smooth(crop: Image, size: int, sigma: float) -> tuple[Floats, float]:
    """The crop with its longer side brought to ``size`` pixels and smoothed, and the factor."""
    resized, scale = scaled(crop, size)
    return blur(resized.astype(np.float32), sigma), scale


def _outline_scores(image: Floats, quads: Floats, shown: float, settings: FindSettings) -> Floats:
    """How well each of ``quads`` (n, 4, 2) outlines a face in ``image`` (h, w, 3)."""
    inner = _along(image, quads, -1.6)
    outer = _along(image, quads, 1.6)
    rim = _along(image, quads, -4.0)
    step = inner - outer
    strength = np.sqrt(np.linalg.norm(step.mean(axis=0), axis=-1) + 1e-3)
    beyond = _along(image, quads, 4.0)
    side_mean, spread = rim.mean(axis=0), rim.std(axis=0)
    uneven = spread.mean(axis=(1, 2)) + side_mean.std(axis=1).mean(axis=1)
    plain = np.maximum(spread - beyond.std(axis=0), 0).mean(axis=(1, 2))
    uneven = uneven + settings.plain_weight * plain
    scale = max(float(image.std()), 1.0)
    edges = 0.5 * strength.mean(axis=1) + 0.5 * np.sort(strength, axis=1)[:, :2].mean(axis=1)
    size = np.sqrt(np.maximum(_areas(quads), 1.0)) / shown
    rim_cost = settings.ring_weight * uneven / scale
    return np.asarray(edges**2 / scale - rim_cost + settings.size_weight * size)


def _is_seen(image: Floats, quad: Floats, settings: FindSettings) -> bool:
    """Whether an outline has an area and steps in colour at three sides; one may lie at the rim."""
    if _areas(quad[None])[0] < settings.least_area:
        return False
    step = _along(image, quad[None], -1.6) - _along(image, quad[None], 1.6)
    return bool(np.sort(np.abs(step).mean(axis=(0, 3))[0])[1] >= settings.least_step)


def _areas(quads: Floats) -> Floats:
    """Areas of quads (n, 4, 2) by the cross product of their diagonals."""
    a, b = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    return np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2


_ALONG = np.linspace(0.1, 0.9, 20, dtype=np.float32)[:, None, None, None]


def _along(image: Floats, quads: Floats, offset: float) -> Floats:
    """Colours (20, n, 4, 3) along the sides of quads, ``offset`` pixels outside of them.

    Places along a side come first: numpy reduces the first axis fastest.
    """
    start, stop = quads, np.roll(quads, -1, axis=1)
    side = stop - start
    normal = np.stack([side[..., 1], -side[..., 0]], axis=-1)
    normal = normal / np.maximum(np.linalg.norm(side, axis=-1, keepdims=True), 1e-6)
    spots = start + side * _ALONG + offset * normal
    flat = np.ascontiguousarray(spots.reshape(len(spots), -1, 2), np.float32)
    return between(image, flat).reshape(*spots.shape[:3], 3)


def _moves() -> Floats:
    """Unit moves (16, 4, 2) of the sides of a square: each shifted or tilted both ways."""
    moves = []
    for side in range(4):
        out = np.array([[0, -1], [1, 0], [0, 1], [-1, 0]][side], np.float32)
        for ends in ((1, 1), (1, -1)):
            move = np.zeros((4, 2), np.float32)
            move[side], move[(side + 1) % 4] = out * ends[0], out * ends[1]
            moves += [move, -move]
    return np.stack(moves)


_MOVES = _moves()


def _climb(
    image: Floats, quads: Floats, shown: float, settings: FindSettings
) -> tuple[Floats, Floats]:
    """Quads (n, 4, 2) moved side by side to better outlines, and their scores (n,)."""
    scores = _outline_scores(image, quads, shown, settings)
    for step in settings.rounds:
        for _ in range(3):
            top = quads[:, 1] - quads[:, 0]
            turn = np.arctan2(top[:, 1], top[:, 0])
            c, s = np.cos(turn), np.sin(turn)
            frame = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], axis=1)
            moved = quads[:, None] + step * np.einsum("mij,njk->nmik", _MOVES, frame)
            tried = _outline_scores(image, moved.reshape(-1, 4, 2), shown, settings)
            tried = tried.reshape(len(quads), -1)
            best = tried.argmax(axis=1)
            gain = tried.max(axis=1) > scores
            if not gain.any():
                break
            quads = np.where(gain[:, None, None], moved[np.arange(len(quads)), best], quads)
            scores = np.maximum(scores, tried.max(axis=1))
    return quads, scores
