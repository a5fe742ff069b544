"""Where the floor's own texture is not to be seen: something lies there, be it of its colours.

Felt, wood, leather and printed mats look alike, spot by spot, in every picture of them, in shade
and in any light; what lies on them hides that. It is told only where their texture stands out
from the noise: not on a smooth floor, and nowhere where the camera moved a little.
"""

from __future__ import annotations

from itertools import pairwise, product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats
from vision.segment import Beside, Mask

TILES = 4  # each way, in which the noise is looked at by itself
SPARSELY = np.s_[::3, ::3]  # which pixels tell it: neighbours are much alike


def hidden(beside: Beside, floor: Mask) -> Mask:
    """Where (255) on a part of the ``floor`` (255) its texture ought to be seen and is not.

    Only where nothing but that part is near.
    """
    s = beside.floor.settings
    side = round(s.texture_window * s.scale) | 1
    window = np.ones((side, side), np.uint8)
    near = cv2.erode(floor, window, borderType=cv2.BORDER_CONSTANT, borderValue=(0.0,))
    on = np.asarray(near, np.uint8) > 0
    if not on.any():
        return np.zeros_like(floor)
    now, before = beside.fine, beside.floor.fine

    def around(products: Floats) -> Floats:
        return np.asarray(cv2.blur(products, (side, side)) + 1e-6)

    there, common, seen = around(before * before), around(now * before), around(now * now)
    share = common / there  # of the empty tray's texture, 1 where it is as it was
    noise = _by_tiles(seen - share * common, on)
    lit = np.clip(beside.factor, 0, 1)
    told = lit * lit * there > s.texture_told * noise
    unlike = (common < s.texture_seen * np.sqrt(there * seen)) & (share < s.texture_seen * lit)
    found = np.asarray((on & told & unlike) * np.uint8(255), np.uint8)
    # Along the edge of a hard shadow no texture is seen either: what is narrow tells nothing.
    return np.asarray(cv2.morphologyEx(found, cv2.MORPH_OPEN, window), np.uint8)


def _by_tiles(values: Floats, on: NDArray[np.bool_]) -> Floats:
    """The median of ``values`` (h, w) on a part of each tile, or on all of it where that is more.

    A camera that turns or warms up moves one corner of its picture more than the others.
    """
    few, on = values[SPARSELY], on[SPARSELY]
    usual = np.full((TILES, TILES), np.median(few[on]) if on.any() else np.inf, np.float32)
    rows, columns = (pairwise(np.linspace(0, n, TILES + 1).astype(int)) for n in few.shape)
    for tile, (y, x) in enumerate(product(rows, columns)):
        part = np.s_[slice(*y), slice(*x)]
        if on[part].any():
            usual.flat[tile] = max(usual.flat[tile], np.median(few[part][on[part]]))
    size = values.shape[::-1]
    return np.asarray(cv2.resize(usual, size, interpolation=cv2.INTER_NEAREST), np.float32)
