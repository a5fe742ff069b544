"""How unlike the two sides of a line are.

An edge of the tray parts two surfaces, or one surface in two lights. A printed frame and the seam
between two planks are as straight and as clear, but the same floor lies on either side of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.outline_box import Array
from vision.outline_edges import profiles
from vision.outline_lines import LEVEL
from vision.settings_outline import OutlineSettings


def steps(
    level: NDArray[np.float32], pixels: Array, across: Array, settings: OutlineSettings
) -> Array:
    """How unlike (k,) the surfaces beside each of k lines are, in parts of the local light.

    ``pixels`` (k, s, 2) are their points in a levelled picture (h, w, 3), ``across`` unit vectors
    across them. Where it differs along a line, what is usual counts.
    """
    reach = np.outer((-1, 1), settings.beside)
    seen = profiles(level, pixels, across, reach.ravel())
    beside = seen.reshape(*pixels.shape[:2], *reach.shape, 3).mean(axis=3)
    usual = np.median(beside[:, :, 1] - beside[:, :, 0], axis=1)
    return np.asarray(np.sqrt((usual**2).mean(axis=1)) / LEVEL)
