"""Where the tray is, from pictures of it empty: the four corners of its floor.

The tray is a box: outer rim, inner rim and floor are rectangles in parallel
planes, so few numbers of camera and box place all their edges. The picture's
straight lines tell the directions, the edges seen from straight above tell the
box, and a fit to the edges moves both into place. A near wall hides the floor's
corners behind it; the box still knows where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from vision.distinct import distinct
from vision.outline_box import (
    Array,
    Box,
    Camera,
    Edge,
    best_focal,
    orientation,
    refocused,
)
from vision.outline_boxes import EDGES, SIDES
from vision.outline_fit import Fit, corners_of, lens_doubt, refine
from vision.outline_lines import levelled, segments, split, vanishing_points
from vision.outline_search import Hypothesis, Rectified, rectified, search
from vision.outline_surfaces import all_of_floor
from vision.patch import Image, scaled, usual
from vision.settings_outline import OutlineSettings


@dataclass(frozen=True, slots=True)
class Outline:
    """``corners`` (4, 2): the floor's corners in pixels of the picture, clockwise from top left,
    the centre of the top left pixel at (0, 0); None when nothing like a tray was seen.

    ``quality`` in [0, 1] is about 0.8 and more when every side was seen clearly. ``reasons`` are
    sentences for the dealer; with any of them the corners are a guess to be corrected by hand.
    ``ratio`` is the floor's width over its height and ``focal`` the lens in picture widths,
    ``doubt`` how far its logarithm may be off, ``barrel`` how it bends straight lines
    (`vision.bend`).
    """

    corners: NDArray[np.float32] | None
    quality: float
    reasons: tuple[str, ...]
    ratio: float | None = None
    focal: float | None = None
    barrel: float = 0.0
    doubt: float | None = None

    @property
    def found(self) -> bool:
        """The corners can be used as they are."""
        return self.corners is not None and not self.reasons


OUTLINE_TEXT: dict[str, str] = {
    "dark": "it is too dark to see the tray: give it more light, then take the pictures again",
    "unclear": "the tray's rim is not clear; mark the corners yourself",
    "look": "the tray's rim is not clear; look at the corners and mark them yourself",
    "shapes": "the pictures of the empty tray are not all of one size; take them again",
    "left": "the left wall is not in the picture: turn or raise the camera",
    "far": "the far wall is not in the picture: turn or raise the camera",
    "right": "the right wall is not in the picture: turn or raise the camera",
    "near": "the near wall is not in the picture: turn or raise the camera",
}
DARK, UNCLEAR = OUTLINE_TEXT["dark"], OUTLINE_TEXT["unclear"]
LOOK, SHAPES = OUTLINE_TEXT["look"], OUTLINE_TEXT["shapes"]
_SIDES = ("left", "far", "right", "near")


def find_outline(frames: Sequence[Image], settings: OutlineSettings | None = None) -> Outline:
    """The floor of the tray in one or more pictures (h, w, 3) BGR of it empty.

    Raises ValueError without a picture.
    """
    chosen = settings or OutlineSettings()
    if not frames:
        raise ValueError("finding the tray needs at least one picture of the empty tray")
    if len({frame.shape for frame in frames}) > 1:
        return Outline(None, 0.0, (SHAPES,))
    picture = usual(frames[: chosen.frames])
    if np.percentile(picture.max(axis=2), 95) < chosen.night:
        return Outline(None, 0.0, (DARK,))
    small, _ = scaled(picture, min(chosen.longest, max(picture.shape)))
    level = levelled(small, chosen)
    fits = fitted(level, chosen)
    if not fits:
        return Outline(None, 0.0, (UNCLEAR,))
    found = _outline(fits, small, picture.shape, chosen)
    return replace(found, doubt=lens_doubt(level, fits[0], chosen))


def _outline(
    fits: list[Fit], small: Image, shape: tuple[int, ...], settings: OutlineSettings
) -> Outline:
    best, (height, width) = fits[0], small.shape[:2]
    pixels = floor_of(best) * width + np.array([width, height]) / 2
    points = pixels * np.array([shape[1] / width, shape[0] / height]) - 0.5
    good = quality(fits, settings)
    reasons = _missing(points, shape)
    if not reasons and (good < settings.clear or all_of_floor(small, best, settings)):
        reasons = (UNCLEAR,)
    focal, barrel = best.camera.focal, best.camera.barrel
    return Outline(points.astype(np.float32), good, reasons, best.box.ratio, focal, barrel)


def _missing(points: Array, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Sides of which less than half is in the picture."""
    limit = np.array([shape[1] - 1, shape[0] - 1])
    share = np.linspace(0, 1, 21)[:, None]
    lost = []
    for name, (first, second) in zip(_SIDES, SIDES, strict=True):
        spots = points[first] * (1 - share) + points[second] * share
        if ((spots < 0) | (spots > limit)).any(axis=1).mean() > 0.5:
            lost.append(OUTLINE_TEXT[name])
    return tuple(lost)


def quality(fits: list[Fit], settings: OutlineSettings) -> float:
    """How far the best fit can be trusted, in [0, 1].

    It counts its weakest side, the outer edge that is seen worst of those in the picture, all its
    lines, how near they lie to the edges seen, what a rounded rim may hide, and how far behind
    the next different box is.
    """
    best = fits[0]
    inner = np.nan_to_num(inner_support(best))
    outer = np.nan_to_num(best.support[Edge.OUTER], nan=1.0)
    everything = np.nanmean(np.concatenate([best.support[edge] for edge in EDGES]))
    # By all lines, too: one that seems to part no surfaces may be an edge that is hardly seen.
    leads = [min(best.score - fit.score, best.parted - fit.parted) for fit in fits[1:]]
    lead = min(leads, default=np.inf)
    parts = (
        inner.min() / settings.side,
        outer.min() / settings.outermost,
        everything / settings.lines,
        settings.near / max(best.residual, 1e-6),
        settings.tie + lead,
        settings.hidden / max(best.unseen, 1e-6),
    )
    return float(np.prod([min(1.0, float(part)) for part in parts]))


def inner_support(fit: Fit) -> Array:
    """(4,): how well the innermost visible line of each side is seen."""
    floor, rim = fit.support[Edge.FLOOR], fit.support[Edge.RIM]
    return np.where(fit.box.hidden(), rim, floor)


def fitted(level: NDArray[np.float32], settings: OutlineSettings) -> list[Fit]:
    """Boxes fitted to a levelled picture, best first, no two placing the floor alike.

    The first search knows neither the lens nor its distortion; later ones look again through the
    best camera so far, until they find nothing better. What lines speak for is refined, and what
    those speak for that part two surfaces; these tell which is best.
    """
    found = _refined(level, _hypotheses(level, settings), settings)
    for _ in range(settings.looks):
        if not found:
            return []
        best = found[0].score
        again = _refined(level, _seen_through(found[0].camera, level, settings), settings)
        found = sorted(found + again, key=lambda fit: -fit.score)
        if found[0].score < best + settings.better or found[0].score > settings.plenty:
            break
    kept = _either(found, lambda fits: _distinct(fits, level.shape[1], settings))
    full = refine(level, [(fit.camera, fit.box) for fit in kept], settings, settings.windows)
    ranked = sorted(full, key=lambda fit: -fit.parted)
    return _distinct(ranked, level.shape[1], settings)


def _seen_through(
    camera: Camera, level: NDArray[np.float32], settings: OutlineSettings
) -> list[tuple[Camera, Box]]:
    """Boxes found in the picture that this camera's lens rectifies, of walls of every height."""
    seen = rectified(level, camera, settings)
    return [
        _placed(each)
        for shrinks in settings.shrinks
        for each in search(seen, camera, shrinks, settings)
    ]


def _placed(found: Hypothesis) -> tuple[Camera, Box]:
    """The camera with the lens that a box tells, and the box as that sees it."""
    other = _refocused(found.camera, found.factor)
    return other, refocused(found.camera, found.box, other)


def _distinct(fits: list[Fit], width: int, settings: OutlineSettings) -> list[Fit]:
    """The best few fits of which no two place the floor alike."""
    apart = distinct(fits, lambda one, other: _apart(one, other) * width > settings.differ)
    return list(islice(apart, settings.best))


def _apart(one: Fit, other: Fit) -> float:
    """Largest distance between floor corners, in picture widths."""
    return float(np.linalg.norm(floor_of(one) - floor_of(other), axis=1).max())


def floor_of(fit: Fit) -> Array:
    """(4, 2) corners of the floor in picture coordinates."""
    return corners_of(fit.camera, fit.box, Edge.FLOOR)


def _refined(
    level: NDArray[np.float32], found: list[tuple[Camera, Box]], settings: OutlineSettings
) -> list[Fit]:
    rough = refine(level, found, settings, settings.quick)
    kept = _either(rough, lambda fits: fits[: settings.best])
    return sorted(kept, key=lambda fit: -fit.score)


def _either(fits: list[Fit], best: Callable[[list[Fit]], list[Fit]]) -> list[Fit]:
    """The best of ``fits`` by all of their lines, and those by lines that part two surfaces."""
    first, second = (
        best(sorted(fits, key=order)) for order in (lambda fit: -fit.score, lambda fit: -fit.parted)
    )
    return first + [fit for fit in second if all(fit is not other for other in first)]


def _refocused(camera: Camera, factor: float) -> Camera:
    """The camera that sees the tray's sides run to nearly the same points through another lens."""
    scale = np.array([camera.focal, camera.focal, 1.0])
    across, down = camera.rotation[:, 0] * scale, camera.rotation[:, 1] * scale
    other = orientation(across, down, camera.focal * factor)
    return camera if other is None else replace(other, barrel=camera.barrel)


def _hypotheses(level: NDArray[np.float32], settings: OutlineSettings) -> list[tuple[Camera, Box]]:
    """The best boxes of walls of every height, in each direction the tray may lie."""
    kept: list[Hypothesis] = []
    views = list(_views(level, settings))
    for shrinks in settings.shrinks:
        found = [each for camera, seen in views for each in search(seen, camera, shrinks, settings)]
        kept += sorted(found, key=lambda each: -each.score)[: settings.hypotheses]
    return [_placed(each) for each in kept]


def _views(
    level: NDArray[np.float32], settings: OutlineSettings
) -> Iterator[tuple[Camera, Rectified]]:
    """Cameras that may have seen the tray, and what each would see from straight above."""
    for across, down in _directions(level, settings):
        camera = orientation(across, down, _focal(across, down, settings))
        if camera is not None and camera.tilt <= settings.steepest:
            yield camera, rectified(level, camera, settings)


def _directions(level: NDArray[np.float32], settings: OutlineSettings) -> list[tuple[Array, Array]]:
    height, width = level.shape[:2]
    lines = segments(level, settings)
    lines = (lines - np.array([(width - 1) / 2, (height - 1) / 2] * 2)) / width
    rows, columns = split(lines, settings)
    across, down = vanishing_points(rows, settings), vanishing_points(columns, settings)
    return [(a, d) for a in across for d in down]


def _focal(across: Array, down: Array, settings: OutlineSettings) -> float:
    """What the directions tell of the lens, kept within the likely."""
    told = best_focal(across, down)
    return settings.focal if told is None else float(np.clip(told, *settings.focal_told))
