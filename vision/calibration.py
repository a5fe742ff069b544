"""A station from pictures of the empty tray: outline, size, background, white."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.bend import Bend
from vision.floor_edge import FloorEdge
from vision.floor_size import find_markers, floor_size
from vision.outline import LOOK, Outline, find_outline
from vision.patch import Image
from vision.station import Station, StationError
from vision.tray import Tray
from vision.viewpoint import EVERYDAY, Likely

UNTOLD_MM = 190.0  # width of a tray of which nothing tells the size, until a die does
SURE = 0.5  # quality of an outline that needs no second look
SAME = 0.02  # of the picture's width: corners that differ by less are those of one floor
TOLD = 0.2  # doubt of a lens: where an outline has more, dice on a floor of known size do as well


@dataclass(frozen=True)
class Calibration:
    """A bare station and how well its tray was seen, 0 to 1.

    ``source`` says what told the size; ``doubts`` are sentences for the dealer: with any of
    them the outline is a guess that a person should look at.
    """

    station: Station
    quality: float
    source: str
    doubts: tuple[str, ...] = ()


def calibrate(
    frames: Sequence[Image],
    corners: NDArray[np.float32] | FloorEdge | None = None,
    size_mm: tuple[float, float] | None = None,
    marker_mm: float | None = None,
    outline: Outline | None = None,
    dice_mm: float | None = None,
) -> Calibration:
    """From pictures of the empty tray; corners and size are found where they are not given.

    ``corners`` are a rectangle's (4, 2), or the edge of a floor that is none: its size is then
    that of the rectangle around it, and nothing tells how the lens bends straight lines.
    ``outline`` is what `find_outline` made of these pictures, where that is known already; with
    corners from a person it still tells how the lens bends straight lines, and without a size how
    long it is. ``dice_mm`` is how large the dice to be enrolled are said to be. Raises StationError
    saying what to do when the tray cannot be outlined.
    """
    if isinstance(corners, FloorEdge):
        place = _Place(corners.corners, edge=corners)
    elif corners is not None:
        seen = outline or find_outline(frames)
        place = _marked(corners, seen, frames[0].shape[1], size_mm is not None)
    else:
        place = _found(outline or find_outline(frames))
    height, width = frames[0].shape[:2]
    bend = Bend(place.barrel, (width, height))
    markers = find_markers(frames[0], marker_mm)[0] if marker_mm else ()
    straight = [replace(each, corners=bend.straightened(each.corners)) for each in markers]
    flat = bend.straightened(place.corners)
    size = floor_size(flat, bend.size, straight, size_mm, place.focal)
    ratio, edge = (place.edge.ratio, place.edge.points) if place.edge else (size.ratio, None)
    millimetres = size.mm or (UNTOLD_MM, UNTOLD_MM / ratio)
    tray = Tray.calibrate(
        frames, place.corners, millimetres, barrel=bend.barrel, edge=edge, likely=place.likely
    )
    station = Station.bare(tray, size_known=size.mm is not None, told_mm=dice_mm)
    return Calibration(station, place.quality, size.source, place.doubts)


@dataclass(frozen=True)
class _Place:
    """Where a floor's ``corners`` are, and what its outline told besides."""

    corners: NDArray[np.float32]
    quality: float = 1.0
    focal: float | None = None
    barrel: float = 0.0
    doubts: tuple[str, ...] = ()
    edge: FloorEdge | None = None
    likely: Likely = EVERYDAY


def _marked(corners: NDArray[np.float32], outline: Outline, width: int, sized: bool) -> _Place:
    """The floor with these corners (4, 2) in pictures so wide, and what its outline tells besides.

    An outline that is not certain is made so by a person who marks the same floor.
    Where its size is told, too (``sized``), dice tell the lens as well as an outline does that
    does not fit to a hair (docs/reader-leaning.md).
    """
    surely = outline.doubt is not None and outline.doubt < TOLD
    told = (surely or not sized) and _same(outline, corners, width)
    likely = _likely(outline) if told else EVERYDAY
    return _Place(corners, barrel=outline.barrel, likely=likely)


def _found(outline: Outline) -> _Place:
    if outline.corners is None:
        why = "; ".join(outline.reasons) or "the tray is not clear"
        raise StationError("the tray was not found: {why}", why=why)
    doubts = outline.reasons
    if outline.quality < SURE and not doubts:
        doubts = (LOOK,)
    return _Place(
        outline.corners,
        outline.quality,
        outline.focal,
        outline.barrel,
        doubts,
        likely=_likely(outline),
    )


def _likely(outline: Outline) -> Likely:
    """The lens that an outline tells."""
    if outline.focal is None or outline.doubt is None:
        return EVERYDAY
    return Likely(outline.focal, min(outline.doubt, EVERYDAY.doubt))


def _same(outline: Outline, corners: NDArray[np.float32], width: int) -> bool:
    """Whether an outline, be it certain or not, is of the floor with these corners (4, 2)."""
    if outline.corners is None:
        return False
    apart = np.linalg.norm(outline.corners - np.reshape(corners, (4, 2)), axis=1)
    return bool(apart.max() < SAME * width)
