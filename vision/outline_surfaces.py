"""Whether the walls' tops look like the floor, side by side, in a picture of the empty tray.

Nested frames printed on a mat stand where a box has edges; but what lies between them, where the
tops of its walls would be, is the mat.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.outline_box import Array, Edge
from vision.outline_boxes import SIDES
from vision.outline_fit import Fit, corners_of
from vision.patch import Image
from vision.settings_outline import OutlineSettings

_ALONG = np.linspace(0.1, 0.9, 40)[:, None]  # of a side: corners are left out
_NOISE = 8.0  # grey levels added before the logarithm: noise in the dark says nothing


def all_of_floor(picture: Image, fit: Fit, settings: OutlineSettings) -> bool:
    """Whether the tops of all walls in the ``picture`` (h, w, 3) look like the floor inside them.

    Of one hue and about as light; light falls otherwise on floor and tops. Fewer than three tops
    in the picture do not tell.
    """
    floor, rim, outer = (_quad(picture, fit, edge) for edge in Edge)
    middle = floor.mean(axis=0)
    apart = np.array([_side(picture, floor, middle, i, settings.inside) for i in range(4)])
    apart -= [_side(picture, rim, outer, i, settings.on_top) for i in range(4)]
    shown = apart[~np.isnan(apart).any(axis=1)]
    light = shown.mean(axis=1, keepdims=True)
    alike = (np.abs(light) < settings.as_light) & (np.abs(shown - light) < settings.one_hue)
    return len(shown) >= 3 and bool(alike.all())


def _quad(picture: Image, fit: Fit, edge: Edge) -> Array:
    """The corners (4, 2) of a box's edge in pixels."""
    height, width = picture.shape[:2]
    seen = corners_of(fit.camera, fit.box, edge)
    return np.asarray(seen * width + np.array([width, height]) / 2)


def _side(picture: Image, start: Array, end: Array, side: int, shares: tuple[float, ...]) -> Array:
    """The usual colour (3,) as logarithms, along a side, ``shares`` of the way to ``end``.

    That is another quadrilateral (4, 2), or a point (2,). NaN where most is not in the picture.
    """
    first, second = SIDES[side]
    quads = (start + share * (end - start) for share in shares)
    points = np.concatenate([quad[first] + _ALONG * (quad[second] - quad[first]) for quad in quads])
    inside = ((points >= 0) & (points <= np.array(picture.shape[1::-1]) - 1)).all(axis=1)
    if inside.mean() < 0.5:
        return np.full(3, np.nan)
    maps = points[inside].astype(np.float32)
    seen = cv2.remap(picture, maps[:, :1], maps[:, 1:], cv2.INTER_LINEAR)
    return np.asarray(np.log(np.median(seen.reshape(-1, 3), axis=0) + _NOISE))
