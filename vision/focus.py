"""How sharp a picture is, by the width of its sharpest edges.

Not by contrast, so that what is plain and what is printed are judged alike: a known blur
weakens a sharp edge more than a soft one (Zhuo and Sim, "Defocus map estimation from a single
image", 2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.align import Poses, sample
from vision.patch import PATCH, Floats, Image, clearest, slopes
from vision.settings_faces import FaceSettings

_FIRST = 0.8  # sigma that takes the noise off before slopes are compared
_AGAIN = 1.5  # sigma of the known blur that edges are compared with
_FAINT = 2.0  # grey levels or per cent a pixel: below this there is no edge to judge by
_FEW, _FEW_IN_COMMON = 50, 40  # pixels of edges in a picture, and of two prints
_STRONGEST = 80.0  # percentile of a face's slopes: its print's, or a shadow's
_RIM = 8  # of a face's sides that is left out
_PER_CENT = (100 * np.log(np.arange(256) + FaceSettings().dark)).astype(np.float32)


@dataclass(frozen=True)
class Edges:
    """How steep a picture is (..., 2), in its units a pixel: as it is, and blurred once more.

    Of a picture in colour by the colour that shows an edge best.
    """

    steep: Floats

    @classmethod
    def of(cls, picture: NDArray[Any]) -> Edges:
        """Those of a picture (h, w) or (h, w, 3)."""
        smooth = _blurred(picture.astype(np.float32), _FIRST)
        return cls(np.stack([_slope(smooth), _slope(_blurred(smooth, _AGAIN))], axis=-1))

    @classmethod
    def of_face(cls, patch: Image) -> Edges:
        """Those of a face (PATCH, PATCH, 3), as strong in the shade as in the light."""
        return cls.of(_PER_CENT[patch])

    def strong(self, percentile: float) -> NDArray[np.bool_]:
        """Where it is steeper than ``percentile`` of it, and not hardly steep at all."""
        steep = self.steep[..., 0]
        return np.asarray(steep >= max(float(np.percentile(steep, percentile)), _FAINT))

    def width(self, part: NDArray[np.bool_], few: int) -> float | None:
        """Sigma in pixels of the blur in ``part``; None where that is less than ``few`` pixels."""
        steep, softer = self.steep[part].T
        if len(steep) < few:
            return None
        ratio = np.maximum(steep / np.maximum(softer, 1e-3), 1.0001)
        return float(np.median(_AGAIN / np.sqrt(ratio * ratio - 1)))

    def inner(self) -> Edges:
        """Those of a face (PATCH, PATCH, 2) without its rim."""
        return Edges(self.steep[_RIM:-_RIM, _RIM:-_RIM])

    def seen_through(self, pose: Poses) -> Edges:
        """Those of a patch where an enrolled picture lies in it (`vision.align`)."""
        seen = sample(self.steep, pose[None].astype(np.float32), PATCH)
        return Edges(seen.reshape(PATCH, PATCH, 2))


def edge_width(picture: NDArray[Any], strongest: float) -> float | None:
    """Sigma in pixels of the blur on the strongest edges of a picture; None where it has none.

    ``strongest`` is the percentile of all slopes from which one counts.
    """
    edges = Edges.of(picture)
    return edges.width(edges.strong(strongest), _FEW)


def softer(patch: Image, enrolled: Sequence[Edges], pose: Poses) -> float:
    """How many times as soft the print of a patch (PATCH, PATCH, 3) is as the enrolled one.

    Only edges that both have tell it: shadows have edges, too. ``enrolled`` are pictures of the
    face that is seen through ``pose`` (3, 3); the one counts that has most edges in common with
    it. 0 where none has any to speak of.
    """
    seen = Edges.of_face(patch).seen_through(pose).inner()
    strong = seen.strong(_STRONGEST)
    common = [(edges, strong & edges.strong(_STRONGEST)) for edges in enrolled]
    edges, both = max(common, key=lambda one: int(np.count_nonzero(one[1])))
    now, then = (one.width(both, _FEW_IN_COMMON) for one in (seen, edges))
    return now / then if now and then else 0.0


def _blurred(picture: Floats, sigma: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.float32)


def _slope(picture: Floats) -> Floats:
    """How steep a picture (h, w) or (h, w, 3) is, in its units a pixel."""
    right, down = slopes(picture, 2.0)
    return np.asarray(np.hypot(*((right, down) if right.ndim == 2 else clearest(right, down))))
