"""What pictures of one die each tell of sizes: the tray's by the die's, or the die's by the tray's.

A camera alone knows no millimetres. The first kind of dice that is enrolled brings them, told by
a person or taken for usual; by the tray, which is then known, every further kind can be measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from vision.patch import Floats, Image
from vision.segment import objects
from vision.squares import Square, SquareSearch
from vision.station import Station
from vision.tray import Tray

DICE_MM = (8, 40)  # from the smallest dice that there are to the largest
OTHERWISE = 0.13  # of a size: it is hardly ever off by more
LESS_CLEAR = 0.02  # of a square's edge: it counts less by a factor e
WIDER = 1.06  # beside a top, the largest square about as clear: outlines are blurred
FRAMED = 1.15  # from where on the squares seen are a frame's on the top
VISIBLE = 0.97  # of a die's side lies between the edges that are found
Pictures = Mapping[str, Sequence[Image]]  # of each face


def measured_tray(tray: Tray, faces: Pictures, dice_mm: float) -> Tray | None:
    """The ``tray`` in the size told by dice of ``dice_mm``; None if none is seen."""
    side = _visible_side(tray, faces)
    return None if side is None else tray.resized(tray.top_side(dice_mm) * VISIBLE / side)


def other_size(station: Station, faces: Pictures, dice_mm: float) -> float | None:
    """How large dice look that are said to be ``dice_mm``, where that is plainly otherwise."""
    seen = seen_size(station, faces)
    return None if seen is None or abs(np.log(seen / dice_mm)) < OTHERWISE else seen


def seen_size(station: Station, faces: Pictures) -> float | None:
    """The size in mm of dice beside the tray; None before its size is known, or if none is seen."""
    side = _visible_side(station.tray, faces) if station.size_known else None
    return None if side is None else station.tray.size_of_top(side / VISIBLE)


def _visible_side(tray: Tray, faces: Pictures) -> float | None:
    """The side in rectified pixels of the top of dice in pictures of one each.

    What changed around a lone die is at least its top. Many squares have an edge all round: its
    top, its foot, both together, a frame on it. The middle of all pictures' squares is taken, each
    counting by how clear it is beside its picture's clearest; where those that are about as clear
    reach far beyond it, as around a frame or a plaque, the largest of these. None where no picture
    shows one.
    """
    found = [_outlined(tray, frame) for frames in faces.values() for frame in frames[:1]]
    found = [group for group in found if group]
    if not found:
        return None
    sides = [np.array([one.side for one in group]) for group in found]
    fainter = [
        max(one.edge for one in group) - np.array([one.edge for one in group]) for group in found
    ]
    clear = np.exp(-np.concatenate(fainter) / LESS_CLEAR)
    side = _middle(np.concatenate(sides), clear)
    largest = [
        float(group[faint <= LESS_CLEAR].max()) for group, faint in zip(sides, fainter, strict=True)
    ]
    whole = float(np.median(largest)) / WIDER
    return whole if whole > FRAMED * side else side


def _outlined(tray: Tray, frame: Image) -> list[Square]:
    """The clearest square of each size on the largest change of a picture."""
    tray, frame = tray.without_noise(frame)
    seen = tray.rectify(frame)
    things = objects(tray.floor.changed(seen), 30.0)
    if not things:
        return []
    search = SquareSearch(seen, things[0], tray.settings)
    rough = float(np.sqrt(cv2.countNonZero(things[0])))
    found = (search.find(rough * share, 0.04) for share in np.arange(0.55, 1.1, 0.05))
    return [squares[0] for squares in found if squares]


def _middle(values: Floats, weights: Floats) -> float:
    """The median of ``values`` (n,), each counting as often as its weight says."""
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(below, below[-1] / 2)])
