"""Whether a face is plain, also where a shadow's edge crosses it.

A shadow cast from afar changes a flat face by strips: what its light is at one point, it is
all along a straight line through that point. Print is no strip, for it ends short of the
body's rim. So a face is compared with the best strips of any direction, and what they cannot
explain is print. Where strips differ, both their light and their dark must show the same body.

A mottled body is no strip either, but one in hue: flecks of it are lighter or darker, purer or
somewhat paler, where print is of another colour, or of none.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.colours import hues_of
from vision.patch import Floats, Image

_SIDE = 24  # of the small picture that is compared, in pixels
_TURNS = 18  # directions of strips tried over half a turn
_TRIED = 2  # of them also compared in colour
_FAINT = 10.0  # grey levels: on a body darker than this nothing shows
_SHARE = 0.04  # of the face that the smallest print covers


def printed(patch: Image) -> float:
    """How strongly a face (h, w, 3) is printed: what no strips of light explain, of their light.

    It is the mean over the 4 % of the face that differ most: print may be small and thin.
    """
    values = _small(patch)
    by_light = _unexplained(values[:, :1], _strips())
    likely = np.argsort(by_light, kind="stable")[:_TRIED]
    return float(_unexplained(values, _strips()[likely]).min())


def strays(patch: Image, white_bgr: ArrayLike) -> float:
    """How far a face (h, w, 3) strays from its body's hue under a white, in parts of that.

    To be more of the same colour is not to stray, to be paler is. It is the mean over as much of
    the face as the smallest print covers; on a body that has no colour it is beyond all.
    """
    hues = hues_of(_shrunk(patch), white_bgr)
    body = np.median(hues, axis=0)
    strength = float(np.linalg.norm(body))
    if strength == 0:
        return np.inf
    way = body / strength
    across = hues @ np.array([-way[1], way[0]])
    paler = np.minimum(hues @ way - strength, 0)
    return float(_most(np.hypot(across, paler)[None])[0]) / strength


def lit_part(patch: Image) -> NDArray[np.bool_]:
    """Where a face (h, w, 3) is on the brighter of its two levels of light (h, w)."""
    light = np.asarray(cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY))
    level, _ = cv2.threshold(_middle(light), 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return np.asarray(light > level)


def _small(patch: Image) -> Floats:
    """The middle of a patch, small, as CIE L*a*b* (n, 3)."""
    return _shrunk(cv2.cvtColor(patch, cv2.COLOR_BGR2LAB)).reshape(-1, 3).astype(np.float32)


def _shrunk(patch: NDArray[Any]) -> NDArray[Any]:
    """The middle of a patch (h, w, 3), as small as faces are compared."""
    return np.asarray(cv2.resize(_middle(patch), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA))


def _middle(patch: NDArray[Any]) -> NDArray[Any]:
    """A patch (h, w, ...) without its rim."""
    edge = patch.shape[0] // 6
    return np.ascontiguousarray(patch[edge:-edge, edge:-edge])


@cache
def _strips() -> NDArray[np.intp]:
    """For each direction the pixels of the small picture, strip by strip (18, 24, 24)."""
    y, x = np.mgrid[:_SIDE, :_SIDE].reshape(2, -1) - (_SIDE - 1) / 2
    turns = np.pi * np.arange(_TURNS)[:, None] / _TURNS
    across = np.cos(turns) * x + np.sin(turns) * y
    return np.argsort(across, axis=1, kind="stable").reshape(_TURNS, _SIDE, _SIDE)


def _unexplained(values: Floats, strips: NDArray[np.intp]) -> Floats:
    """What strips in each direction (d, 24, 24) leave of ``values`` (n, c), (d,).

    A strip explains what lies between the levels of its neighbours: an edge is not quite sharp.
    """
    by_strip = np.sort(values[strips], axis=2)
    level = by_strip[:, :, _SIDE // 2 - 1 : _SIDE // 2 + 1].mean(axis=2)
    near = np.pad(level, ((0, 0), (1, 1), (0, 0)), mode="edge")
    three = np.stack([near[:, :-2], near[:, 1:-1], near[:, 2:]])
    low, high = three.min(axis=0)[:, :, None], three.max(axis=0)[:, :, None]
    beyond = np.maximum(low - by_strip, by_strip - high).max(axis=3)
    shares = np.maximum(beyond, 0) / (level[..., None, 0] + _FAINT)
    return _most(shares.reshape(len(strips), -1))


def _most(values: Floats) -> Floats:
    """The mean (d,) of the largest of ``values`` (d, n): as many as the smallest print covers."""
    most = max(1, round(_SHARE * values.shape[1]))
    return np.asarray(np.partition(values, -most, axis=1)[:, -most:].mean(axis=1))
