"""How unlike the two sides of a line are.

An edge of the tray parts two surfaces, or one surface in two lights. A printed frame and the seam
between two planks are as straight and as clear, but the same floor lies on either side of them.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.outline_box import Array
from vision.settings_outline import OutlineSettings

_USUAL = 96.0  # grey levels of a levelled picture (`vision.outline_lines.levelled`)


def steps(
    level: NDArray[np.float32], pixels: Array, across: Array, settings: OutlineSettings
) -> Array:
    """How unlike (m,) the surfaces beside each of m lines are, in parts of the local light.

    ``pixels`` (m * samples, 2) are their points in a levelled picture (h, w, 3), ``across`` unit
    vectors across them. Where it differs along a line, what is usual counts.
    """
    apart = [side * off * across for side in (-1, 1) for off in settings.beside]
    spots = (pixels + np.array(apart)).astype(np.float32)
    seen = cv2.remap(
        level, spots[..., 0], spots[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    one, other = np.asarray(seen).reshape(2, len(settings.beside), -1, 3).mean(axis=1)
    usual = np.median((other - one).reshape(-1, settings.samples, 3), axis=1)
    return np.asarray(np.sqrt((usual**2).mean(axis=1)) / _USUAL)
