"""The tray as a plane seen by one camera: rectification and the look of its empty floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.bend import Bend
from vision.floor_size import sides_through
from vision.noise import noise, quiet
from vision.patch import Image, Quad, usual
from vision.plane import Plane, plane
from vision.segment import Floor, Mask, Tint
from vision.settings import SceneSettings
from vision.viewpoint import EVERYDAY, Lens, Likely, Viewpoint, likely_focal, misfit, viewpoint
from vision.walls import Walls


@dataclass(frozen=True)
class Tray:
    """``corners`` (4, 2): the floor's corners in the frame, clockwise from top left, in pixels.

    ``size_mm`` is the floor's width and height, ``picture`` a frame of the empty
    tray. The top face of a die lying flat is an exact square in the rectified
    tray, wherever it lies: planes parallel to the floor differ by a similarity.
    ``lens`` is None until dice told it, ``barrel`` how it bends straight lines (`vision.bend`).
    ``edge`` (n, 2) is where a floor that is no rectangle ends, in the frame: convex, clockwise;
    ``corners`` are then those of a rectangle around it. ``tints``: what shadows of coloured lamps
    take of each colour, as dice threw them (`vision.tints`). ``likely`` is the lens by the tray's
    outline, or an everyday one.
    """

    corners: Quad
    size_mm: tuple[float, float]
    picture: Image
    settings: SceneSettings
    lens: Lens | None = None
    barrel: float = 0.0
    edge: Quad | None = None
    tints: tuple[Tint, ...] = ()
    likely: Likely = EVERYDAY

    @classmethod
    def calibrate(
        cls,
        frames: Sequence[Image],
        corners: NDArray[Any],
        size_mm: tuple[float, float],
        settings: SceneSettings | None = None,
        barrel: float = 0.0,
        edge: Quad | None = None,
        likely: Likely = EVERYDAY,
    ) -> Tray:
        """From pictures of the empty tray. Raises ValueError without one."""
        if not frames:
            raise ValueError("calibration needs at least one picture of the empty tray")
        quad = np.asarray(corners, np.float32).reshape(4, 2)
        scene = settings or SceneSettings()
        return cls(quad, size_mm, usual(frames), scene, None, barrel, edge, likely=likely)

    def resized(self, factor: float) -> Tray:
        """The same tray, known to be ``factor`` times as large."""
        width, height = self.size_mm
        return replace(self, size_mm=(width * factor, height * factor))

    def strain_through(self, focal: float) -> tuple[float, float]:
        """By how much the floor would be strained, were the lens ``focal`` picture widths long.

        Logarithms, as `strained` takes them: 0 where the floor is as it is.
        """
        bend = Bend(self.barrel, self.frame_size)
        across, down = sides_through(bend.straightened(self.corners), self.frame_size, focal)
        metric = np.array([across, down]) / np.reshape(self.size_mm, (2, 1))
        metric = metric @ metric.T
        values, ways = np.linalg.eigh(metric / np.sqrt(np.linalg.det(metric)))
        strain = ways * (np.log(values) / 2) @ ways.T
        return float(strain[0, 0]), float(strain[0, 1])

    def strained(self, stretched: float, slanted: float) -> Tray:
        """The tray of which the floor is longer than it was and slanted; it is as large as before.

        ``stretched``: by how much, as a logarithm, it is longer along and shorter up; ``slanted``:
        along one diagonal and along the other. Its corners stay near where they were.
        """
        strain = np.array([[stretched, slanted], [slanted, -stretched]])
        values, ways = np.linalg.eigh(strain)
        longer = ways * np.exp(values) @ ways.T
        size = np.array(self.size_mm) * np.diag(longer)
        size *= np.sqrt(np.prod(self.size_mm) / np.prod(size))
        around = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 * size
        floor = around @ np.linalg.inv(longer) + np.array(self.size_mm) / 2
        corners = self.to_frame((floor + self.settings.rim) * self.settings.scale)
        return replace(self, corners=corners, size_mm=(float(size[0]), float(size[1])))

    @property
    def frame_size(self) -> tuple[int, int]:
        """Width and height of the camera's frames."""
        height, width = self.picture.shape[:2]
        return width, height

    @cached_property
    def _plane(self) -> Plane:
        corners = tuple(float(each) for each in self.corners.ravel())
        scale, rim = self.settings.scale, self.settings.rim
        edge = () if self.edge is None else tuple(float(each) for each in self.edge.ravel())
        return plane(corners, self.size_mm, self.frame_size, self.barrel, scale, rim, edge)

    @cached_property
    def empty(self) -> Image:
        """The rectified empty tray."""
        return self.rectify(self.picture)

    @cached_property
    def floor(self) -> Floor:
        """The empty tray, prepared to be compared with."""
        return Floor.of(self.empty, self.settings, self.tints)

    @cached_property
    def quiet(self) -> Tray:
        """The tray beside which pictures are looked at whose noise was taken out."""
        s = self.settings
        coarser = replace(s, residual_least=s.noisy_residual_least, edge=s.noisy_edge)
        return replace(self, picture=quiet(self.picture), settings=coarser)

    def is_noisy(self, frame: Image) -> bool:
        """Whether a frame of the tray is so noisy that ``quiet`` pictures are compared."""
        return noise(frame) > self.settings.noise

    def without_noise(self, frame: Image) -> tuple[Tray, Image]:
        """The tray and a frame of it as they are to be compared: ``quiet`` both, or neither."""
        return (self.quiet, quiet(frame)) if self.is_noisy(frame) else (self, frame)

    @cached_property
    def viewpoint(self) -> Viewpoint:
        """The camera's place over the floor."""
        return viewpoint(self._plane.view, self.frame_size, self.focal)

    @cached_property
    def focal(self) -> float:
        """The lens's focal length in widths of the picture: as dice told it, or the likeliest."""
        if self.lens:
            return self.lens.focal
        return likely_focal(self._plane.view, self.frame_size, self.likely)

    def misfit(self, focal: float) -> float:
        """How badly a focal length in widths of the picture explains the view of the floor."""
        return misfit(self._plane.view, focal, self.frame_size, self.likely)

    def enlargement(self, height_mm: float) -> float:
        """How much larger than on the floor things are seen ``height_mm`` above it."""
        z = self.viewpoint.z
        return z / (z - height_mm)

    def top_side(self, size_mm: float) -> float:
        """The side in rectified pixels of the sharp-edged top of a die of ``size_mm``."""
        return size_mm * self.enlargement(size_mm) * self.settings.scale

    def size_of_top(self, side: float) -> float:
        """The size in mm of a die whose sharp-edged top has ``side`` rectified pixels."""
        wide, z = side / self.settings.scale, self.viewpoint.z
        return wide * z / (z + wide)

    def body(self, top: NDArray[np.float32], height_mm: float) -> NDArray[np.float32]:
        """Outline (n, 2) of a die lying flat whose top is at ``top`` (4, 2), rectified pixels."""
        rim, scale = self.settings.rim, self.settings.scale
        return (self.viewpoint.outline(top / scale - rim, height_mm) + rim) * scale

    def rectify(self, frame: Image) -> Image:
        """The frame seen from straight above, at ``settings.scale`` pixels a millimetre.

        What is further from the floor than its rim is black.
        """
        return self._plane.rectify(frame)

    @property
    def walls(self) -> Walls:
        """Where the floor ends, in its millimetres."""
        return self._plane.walls

    @property
    def bounds(self) -> NDArray[np.bool_]:
        """The outermost pixels of the rectified tray: what comes in from outside touches them."""
        return self._plane.bounds

    @property
    def inside(self) -> Mask:
        """Where the rectified tray shows the floor and not its rim (255)."""
        return self._plane.inside

    @property
    def outline(self) -> Quad:
        """Where the floor ends in the frame, (n, 2): its four corners, or its edge."""
        return self.corners if self.edge is None else self.edge

    def to_frame(self, points: NDArray[Any]) -> Quad:
        """Points (n, 2) of the rectified tray in pixels of the frame."""
        return self._plane.to_frame(points)

    def to_rectified(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Pixels (n, 2) of the frame in those of the rectified tray."""
        return self._plane.to_rectified(points)

    @cached_property
    def white(self) -> tuple[float, float, float]:
        """The light's colour as BGR: the grey of the brightest parts of the empty picture."""
        pixels = self.empty.reshape(-1, 3).astype(np.float32)
        bright = pixels[pixels.sum(axis=1) >= np.percentile(pixels.sum(axis=1), 99)]
        blue, green, red = (float(value) for value in bright.mean(axis=0))
        top = max(blue, green, red, 1.0)
        return 255 * blue / top, 255 * green / top, 255 * red / top
