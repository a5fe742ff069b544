"""How large the tray's floor is, from its corners in the picture and one known length.

Shape from one view: Zhang and He, "Whiteboard scanning and image enhancement"
(2007): with square pixels and a centred lens, the corners of a rectangle tell
its ratio and the focal length, the better the more the camera is tilted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Image
from vision.settings_outline import SizeSettings

Array = NDArray[np.float64]

NO_MARKERS = (
    "this OpenCV has no marker reader (cv2.aruco): lay a die of known size, or give the size"
)
NO_SIZE = "nothing of known size is in the picture: lay a die in the tray, or give the floor's size"


@dataclass(frozen=True, slots=True)
class Marker:
    """A printed square marker lying on the floor: ``corners`` (4, 2) px, ``side`` mm."""

    corners: NDArray[Any]
    side: float


@dataclass(frozen=True, slots=True)
class FloorSize:
    """``mm``: the floor's width and height, None when nothing told it. ``ratio`` is width over
    height, ``focal`` the lens in picture widths where the view told it. ``source`` says what
    the size comes from: given, markers or nothing; ``reason`` what is missing."""

    ratio: float
    mm: tuple[float, float] | None
    focal: float | None
    source: str
    reason: str | None = None


def floor_size(
    corners: NDArray[Any],
    image_size: tuple[int, int],
    markers: Sequence[Marker] = (),
    known_mm: tuple[float, float] | None = None,
    focal: float | None = None,
    settings: SizeSettings | None = None,
) -> FloorSize:
    """Ratio and size of the floor with ``corners`` (4, 2) px, clockwise from top left.

    ``image_size`` is width and height in px, ``focal`` the lens in picture widths where it is
    known better than the corners tell (`vision.outline.Outline.focal`). A known size is
    believed before markers, markers before the shape alone. Raises ValueError when the
    corners are no convex quadrilateral.
    """
    quad = _checked(corners)
    if focal is None:
        ratio, focal = ratio_of_sides(quad, image_size, settings)
    else:
        ratio = ratio_for(*_sides(quad, image_size), focal)
    if known_mm is not None:
        return FloorSize(known_mm[0] / known_mm[1], known_mm, focal, "given")
    if markers:
        size = size_from_markers(quad, markers)
        return FloorSize(size[0] / size[1], size, focal, "markers")
    return FloorSize(ratio, None, focal, "nothing", NO_SIZE)


def _checked(corners: NDArray[Any]) -> Array:
    quad = np.asarray(corners, np.float64).reshape(4, 2)
    turns = np.cross(
        np.pad(np.roll(quad, -1, 0) - quad, ((0, 0), (0, 1))),
        np.pad(np.roll(quad, -2, 0) - np.roll(quad, -1, 0), ((0, 0), (0, 1))),
    )[:, 2]
    if not np.isfinite(quad).all() or turns.min() <= 0:
        raise ValueError("the floor's corners must be a convex quadrilateral, clockwise")
    return quad


def ratio_of_sides(
    corners: NDArray[Any], image_size: tuple[int, int], settings: SizeSettings | None = None
) -> tuple[float, float | None]:
    """Width over height, and the focal length in picture widths; None when the view is too
    nearly straight from above to tell it (a likely one is used for the ratio then)."""
    chosen = settings or SizeSettings()
    across, down = _sides(_checked(corners), image_size)
    told = _told_focal(across, down)
    tilted = min(_leaning(across), _leaning(down)) >= chosen.leaning
    sure = told is not None and tilted and chosen.focal_range[0] <= told <= chosen.focal_range[1]
    focal = told if sure and told is not None else chosen.focal
    return ratio_for(across, down, focal), focal if sure else None


def sides_through(
    corners: NDArray[Any], image_size: tuple[int, int], focal: float
) -> tuple[Array, Array]:
    """The floor's two sides (3,) before a lens of ``focal`` picture widths, up to one scale."""
    return _before(*_sides(_checked(corners), image_size), focal)


def _sides(quad: Array, image_size: tuple[int, int]) -> tuple[Array, Array]:
    """The plane's two directions (3,) each, up to one common scale; Zhang and He's n2 and n3."""
    width, height = image_size
    points = (quad - [(width - 1) / 2, (height - 1) / 2]) / width
    one, two, four, three = np.column_stack([points, np.ones(4)])  # m1, m2; m3, m4 below them
    second = _triple(one, four, three) / _triple(two, four, three)
    third = _triple(one, four, two) / _triple(three, four, two)
    return second * two - one, third * three - one


def _triple(a: Array, b: Array, c: Array) -> float:
    return float(np.dot(np.cross(a, b), c))


def _told_focal(across: Array, down: Array) -> float | None:
    """The focal length at which the two directions are at right angles."""
    depth = across[2] * down[2]
    squared = -(across[:2] @ down[:2]) / depth if depth else -1.0
    return float(np.sqrt(squared)) if squared > 0 else None


def _leaning(direction: Array) -> float:
    """How much a side runs into depth, per picture width."""
    return float(abs(direction[2]) / np.hypot(direction[0], direction[1]))


def size_from_markers(corners: NDArray[Any], markers: Sequence[Marker]) -> tuple[float, float]:
    """Width and height of the floor in mm from markers lying on it.

    The floor is taken as a unit square first; the sides that make every marker a
    square of its size are the floor's. Raises ValueError without a marker.
    """
    if not markers:
        raise ValueError("no marker was seen on the floor")
    rows, lengths = [], []
    to_unit = _to_unit(_checked(corners))
    for marker in markers:
        quad = moved(np.asarray(marker.corners, np.float64).reshape(4, 2), to_unit)
        steps = np.roll(quad, -1, axis=0) - quad
        rows += [*(steps**2), *((quad[2:] - quad[:2]) ** 2)]
        lengths += [marker.side**2] * 4 + [2 * marker.side**2] * 2
    return _metric(np.array(rows), np.array(lengths))


def _metric(squares: Array, lengths: Array) -> tuple[float, float]:
    """Width and height with which steps of squared unit lengths (n, 2) have squared lengths (n,)"""
    solved = np.linalg.lstsq(squares, lengths, rcond=None)[0]
    if solved.min() <= 0:
        raise ValueError("the square seen does not lie flat on the floor")
    return float(np.sqrt(solved[0])), float(np.sqrt(solved[1]))


def _to_unit(quad: Array) -> Array:
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(quad.astype(np.float32), unit), np.float64)


def moved(points: Array, homography: Array) -> Array:
    """Points (n, 2) through a ``homography`` (3, 3)."""
    flat = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(flat[:, :2] / flat[:, 2:])


def ratio_for(across: Array, down: Array, focal: float) -> float:
    """Width over height of the rectangle with these directions through this lens."""
    wide, high = _before(across, down, focal)
    return float(np.linalg.norm(wide) / np.linalg.norm(high))


def _before(across: Array, down: Array, focal: float) -> tuple[Array, Array]:
    """The two directions (3,) before a lens of ``focal`` picture widths."""
    lens = np.array([focal, focal, 1.0])
    return across / lens, down / lens


def find_markers(
    picture: Image, side: float, dictionary: str = "DICT_4X4_50"
) -> tuple[tuple[Marker, ...], str | None]:
    """ArUco markers of ``side`` mm in a picture, and what a person should know when it cannot
    be looked for. Works with the interfaces before and after OpenCV 4.7."""
    aruco = getattr(cv2, "aruco", None)
    if aruco is None:
        return (), NO_MARKERS
    known = aruco.getPredefinedDictionary(getattr(aruco, dictionary))
    if hasattr(aruco, "ArucoDetector"):
        found = aruco.ArucoDetector(known).detectMarkers(picture)[0]
    else:
        found = aruco.detectMarkers(picture, known)[0]
    return tuple(Marker(np.asarray(each, np.float64).reshape(4, 2), side) for each in found), None
