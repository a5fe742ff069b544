"""The shape of a tray's floor of which nobody told the size, by dice that lie on it.

Where a camera leans, its lens and the floor's shape trade against each other: what is seen as a
rectangle through one lens is a longer one through another where it leans along a pair of sides,
and a slanted one where it leans along a diagonal. The tray's walls tell which lens it is, but
rounded ones hardly. Dice do: their tops are as long as wide, whichever way they are turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vision.facefit import Around
from vision.outline_edges import crest
from vision.patch import Floats
from vision.squares import Square
from vision.topface import Shot
from vision.tray import Tray

FOCALS = np.geomspace(0.55, 5.0, 67)  # widths of the picture
TELLING = 0.003  # of a shape's logarithm: what is off by less so is told by the outline
SLANTED = -3.0  # log odds that the floor is as slanted as another lens has it

NEAR = 0.10  # of a top's side, to both sides of where it was found: its edges are sought there
ALONG = np.linspace(-0.32, 0.32, 25)  # of the side, the points whose mean steepness is taken
STEEP = 30.0  # grey levels a pixel: an edge so steep is half as clear as any can be
EDGES = 3  # the clearest of a side that are kept
SIZES = np.linspace(-0.10, 0.08, 46)  # tried, as logarithms beside the side found
ERROR = 0.012  # of a length between the right edges
WRONG = 0.4  # of all lengths are between others, of which one is as likely as another
OTHERS = 0.3  # how far such lengths spread, as logarithms
ALIKE = 0.01  # of a shape's logarithm: by so much dice of one kind in one light are off alike


def shaped_by_dice(tray: Tray, shots: Sequence[Shot], tops: Sequence[Square]) -> Tray:
    """The ``tray`` in the shape by which dice are most likely as long as wide.

    ``tops`` are where their faces are seen in ``shots``, one in each. Only shapes are tried that
    the corners have through some lens. Of few dice the best is a matter of chance, so it is the
    mean of all, by how likely they are.
    """
    strains = np.array([tray.strain_through(float(focal)) for focal in FOCALS])
    own, off = int(np.hypot(*strains.T).argmin()), tray.likely.doubt
    far = 2 * np.hypot(*(strains - strains[own]).T) * np.sign(FOCALS - FOCALS[own])
    usual = np.ptp(np.interp(FOCALS[own] * np.exp([-off, off]), FOCALS, far)) / 2
    seen = [one for shot, top in zip(shots, tops, strict=True) for one in _lengths(shot, top)]
    if usual < TELLING or not seen:
        return tray
    # Mostly corners are found as wrong as the lens, and the floor is no more slanted than it seems.
    stretched, slanted = np.tile(strains.T, 2)
    slanted[len(FOCALS) :] = 0.0
    odds = _blurred(_agreement(seen, stretched, slanted).reshape(2, -1), far)
    odds -= (np.log(FOCALS / FOCALS[own]) / off) ** 2 / 2
    odds[0] += SLANTED
    likely = np.exp(odds - odds.max()).ravel()
    likely /= likely.sum()
    return tray.strained(float(likely @ stretched), float(likely @ slanted))


def _blurred(odds: Floats, far: Floats) -> Floats:
    """Log odds (k, n) of shapes so ``far`` (n,) from the outline's, as dice may be off alike.

    Dice that seem to lie in a shape beyond the last are as unlikely as can be.
    """
    near = np.exp(-((np.subtract.outer(far, far) / (2 * ALIKE)) ** 2) / 2)
    chances = np.exp(odds - odds.max()) @ (np.gradient(far)[:, None] * near)
    return np.asarray(np.log(np.maximum(chances, np.finfo(float).tiny)))


class _Length(NamedTuple):
    """How long a top may be one way, as logarithms (n,) beside its side, and how ``likely`` each.

    ``turn`` is the way along the floor, in radians.
    """

    lengths: Floats
    likely: Floats
    turn: float


def _lengths(shot: Shot, top: Square) -> list[_Length]:
    """How long a top may be each way, between the edges that are seen near its sides."""
    edges = _edges(shot, top)
    found = []
    for one, other, turn in ((edges[0], edges[2], 0.0), (edges[1], edges[3], 90.0)):
        apart = np.add.outer(one[0], other[0]).ravel()
        clear = np.multiply.outer(one[1], other[1]).ravel() ** 2
        if len(clear):
            way = float(np.deg2rad(top.turn + turn))
            found.append(_Length(np.log1p(apart), clear / clear.sum(), way))
    return found


def _edges(shot: Shot, top: Square) -> list[tuple[Floats, Floats]]:
    """Of each side the clearest edges: how far out they are in sides, and how clear (n,)."""
    around = Around.of(shot.seen, shot.wide, top.side / 2)
    angle = np.deg2rad(top.turn)
    along = np.array([np.cos(angle), np.sin(angle)])
    up = np.array([-along[1], along[0]])
    middle = np.array([top.x - around.left, top.y - around.top])
    out = np.arange(-NEAR, NEAR + 1e-6, 0.5 / top.side)
    found = []
    for normal, side in ((along, up), (up, along), (-along, up), (-up, along)):
        reach = (0.5 + out[:, None, None]) * normal + ALONG[:, None] * side
        steep = around.steepness(middle + top.side * reach, normal)
        found.append(_crests((steep * STEEP / (steep + STEEP)).mean(axis=1), out))
    return found


def _crests(steep: Floats, out: Floats) -> tuple[Floats, Floats]:
    """Where a profile (n,) is steeper than beside, and by how much than it mostly is."""
    smooth = np.convolve(steep, (0.25, 0.5, 0.25), "same")
    inner = smooth[1:-1]
    crests = 1 + np.flatnonzero((inner >= smooth[:-2]) & (inner > smooth[2:]))
    best = crests[np.argsort(-smooth[crests])][:EDGES]
    before, at, beyond = (smooth[best + by] for by in (-1, 0, 1))
    places = out[best] + crest(before, at, beyond) * (out[1] - out[0])
    return places, np.maximum(at - np.median(smooth), 0.1)


def _agreement(seen: Sequence[_Length], stretched: Floats, slanted: Floats) -> Floats:
    """The log chance (n,) of all lengths, were the floor strained so; one size suits all tops."""
    total = np.zeros((len(SIZES), len(stretched)))
    for one in seen:
        longer = stretched * np.cos(2 * one.turn) + slanted * np.sin(2 * one.turn)
        off = (one.lengths[:, None, None] - (SIZES[:, None] - longer)) / ERROR
        bells = np.exp(-(off**2) / 2) / (ERROR * np.sqrt(2 * np.pi))
        between = np.tensordot(one.likely, bells, axes=1)
        total += np.log((1 - WRONG) * between + WRONG / OTHERS)
    best = total.max(axis=0)
    return np.asarray(best + np.log(np.exp(total - best).sum(axis=0)))
