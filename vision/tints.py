"""Shadows in coloured light: what one lamp's shadow takes of each colour, learnt from lying dice.

Where lamps of several colours light a tray, the shadow in one lamp's light is lit by the others
alone, and shows their colour: the floor there looks painted. A die pictured to be learnt throws
just those shadows, so their tints are learnt with it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats
from vision.segment import Planes, Tint
from vision.settings import SceneSettings

_TRIED = 400  # of the pixels: so many tell the usual tints


def taken(shares: Planes, part: NDArray[np.bool_]) -> Floats:
    """What share of each colour's light (n, 3) is taken in a ``part`` (h, w) of a picture.

    ``shares``: how bright the picture is over the empty tray, for each colour.
    """
    return np.asarray(1 - np.stack([share[part] for share in shares], axis=1), np.float32)


def learn_tints(
    shades: Floats, least: float, known: Iterable[Tint], settings: SceneSettings
) -> tuple[Tint, ...]:
    """The tints ``known`` and those of ``shades`` (n, 3): what share of each colour they take.

    A tint counts if at least ``least`` of the shades have it. Each is as deep as the deepest of
    them, but for one in twenty.
    """
    found = list(known)
    left = np.maximum(shades, 0)
    left = left[_depth(left) > 0]
    while len(left) >= max(least, 1):
        some = _ways(left[:: -(-len(left) // _TRIED)])
        near = _alike(some, some, settings)
        alike = _alike(_ways(left), some[[near.sum(axis=0).argmax()]], settings)[:, 0]
        own = left[alike]
        if len(own) < least:
            break
        way = _ways(_ways(own).mean(axis=0)[None])
        if not found or not _alike(way, _ways(np.array(found)), settings).any():
            deepest = float(np.percentile(_depth(own), 95))
            blue, green, red = (float(value) for value in way[0] * deepest)
            found.append((blue, green, red))
        left = left[~alike]
    return tuple(found)


def _depth(shades: Floats) -> Floats:
    return np.asarray(np.linalg.norm(shades, axis=1))


def _ways(shades: Floats) -> Floats:
    """Shades (n, 3) of the same tints, each of length 1."""
    return np.asarray(shades / np.linalg.norm(shades, axis=1, keepdims=True))


def _alike(ways: Floats, others: Floats, settings: SceneSettings) -> NDArray[np.bool_]:
    """Which of tints (n, 3) are about the same as others (m, 3), of length 1: (n, m)."""
    return np.asarray(ways @ others.T >= np.cos(np.deg2rad(settings.tint_alike)))
