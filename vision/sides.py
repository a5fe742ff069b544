"""Sides of lying dice that are found as tops: far aslant a side is seen as large as a top.

Where one is seen so, a flat die whose top it were would show sides of its own beyond it; there the
empty tray is seen. And it lies where the die above it must show a side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from vision.halo import filled
from vision.patch import Floats
from vision.seen import Found, Seen
from vision.squares import Square
from vision.standing import foot


def without_sides(seen: Seen, found: Sequence[Found]) -> list[Found]:
    """The dice ``found`` but those that are the side of another that leaves no doubt."""
    return [item for item in found if not _is_side(seen, item, found)]


def missing(seen: Seen, square: Square, kind: str) -> float:
    """How much of a flat die's outline did not change, in faces: it shows the empty tray."""
    return _unchanged(seen, _outline(seen, square, kind)) / square.side**2


def _is_side(seen: Seen, item: Found, found: Sequence[Found]) -> bool:
    """Whether a die is a side of another: it shows too little of its own, and lies on one."""
    s, square = seen.settings, item.square
    outline = _outline(seen, square, item.die.kind)
    own = cv2.contourArea(outline) - square.side**2
    if _unchanged(seen, outline) < s.side_missing * own:
        return False
    certain = (other for other in found if other is not item and not other.die.reasons)
    return any(
        _alike(square.corners, side) >= s.side_alike
        for other in certain
        for side in _sides(seen, other)
    )


def _outline(seen: Seen, square: Square, kind: str) -> Floats:
    """The outline (n, 2) of a flat die whose top is seen at ``square``, in rectified pixels."""
    return seen.station.tray.body(square.corners, seen.station.bodies[kind].size_mm)


def _unchanged(seen: Seen, outline: Floats) -> int:
    """How many pixels of an ``outline`` (n, 2) show the empty tray."""
    return filled(seen.mask, outline, 0.5).beyond(seen.mask)


def _sides(seen: Seen, item: Found) -> Iterator[Floats]:
    """Where the four sides (4, 2) of a flat die lie in rectified pixels, seen or hidden."""
    tray, body = seen.station.tray, seen.station.bodies[item.die.kind]
    top = body.true_top(item.square, tray)
    below = (foot(item.square, body, tray) + tray.settings.rim) * tray.settings.scale
    for one, other in ((0, 1), (1, 2), (2, 3), (3, 0)):
        yield np.stack([top[one], top[other], below[other], below[one]])


def _alike(one: Floats, other: Floats) -> float:
    """Area in both of two convex outlines (n, 2), in parts of the area in either."""
    first, second = (cv2.convexHull(np.asarray(outline, np.float32)) for outline in (one, other))
    common, _ = cv2.intersectConvexConvex(first, second)
    either = cv2.contourArea(first) + cv2.contourArea(second) - common
    return float(common / max(either, 1e-6))
