"""Where the camera is, from how it sees the tray's floor; what a standing die hides from it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats

FOCAL = 1.4  # of the image width: an everyday lens
BLUR = 0.01  # how far a pose may miss being a rotation by errors in the corners


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """The camera's place over the floor's plane in millimetres, z up, (0, 0) the first corner."""

    x: float
    y: float
    z: float

    def outline(self, top: NDArray[np.float32], height: float) -> NDArray[np.float32]:
        """What a box covers whose level top is seen at ``top`` (4, 2), in the floor's plane.

        ``height`` is the box's in millimetres; the outline is convex, (n, 2).
        """
        foot = np.array([self.x, self.y], np.float32)
        base = foot + (top - foot) * np.float32(1 - height / self.z)
        hull = cv2.convexHull(np.vstack([top, base]).astype(np.float32))
        return np.asarray(hull.reshape(-1, 2), np.float32)


@dataclass(frozen=True, slots=True)
class Lens:
    """How long a camera's lens was found to be: ``focal`` in widths of the picture.

    ``told`` is how much lying dice differ from what is expected of them through each of some
    lenses (``vision.lens``), the mean of as many ``dice``.
    """

    focal: float
    told: tuple[float, ...] = ()
    dice: int = 0


@dataclass(frozen=True, slots=True)
class Likely:
    """The lens that is likely before the view of the floor or dice tell more.

    ``focal`` is in widths of the picture, ``doubt`` how far its logarithm may be off.
    """

    focal: float
    doubt: float


EVERYDAY = Likely(FOCAL, 0.6)


def viewpoint(
    homography: NDArray[np.float64], image_size: tuple[int, int], focal: float
) -> Viewpoint:
    """The camera's place from ``homography`` (3, 3), floor millimetres to pixels.

    Square pixels and a centred lens are assumed; ``focal`` is its length in widths of the picture.
    """
    axes = _axes(homography, focal, image_size)
    scale = (np.linalg.norm(axes[:, 0]) + np.linalg.norm(axes[:, 1])) / 2
    first, second, origin = (axes / scale).T
    pose = np.stack([first, second, np.cross(first, second)], axis=1)
    x, y, z = -np.linalg.inv(pose) @ origin
    return Viewpoint(float(x), float(y), abs(float(z)))


def likely_focal(
    homography: NDArray[np.float64], image_size: tuple[int, int], likely: Likely
) -> float:
    """The focal length in widths of the picture that explains the view of the floor best.

    A camera straight above says nothing of it; then it is the ``likely`` one.
    """
    focals = np.exp(np.linspace(np.log(0.55), np.log(5.0), 90))
    costs = [misfit(homography, float(focal), image_size, likely) for focal in focals]
    return float(focals[int(np.argmin(costs))])


def _axes(homography: NDArray[np.float64], focal: float, size: tuple[int, int]) -> Floats:
    """The floor's axes and origin in the camera's frame, up to scale, (3, 3) by columns."""
    focal = focal * size[0]
    inward = np.array([[1 / focal, 0, -size[0] / 2 / focal], [0, 1 / focal, -size[1] / 2 / focal]])
    return np.asarray(np.vstack([inward, [0, 0, 1]]) @ homography)


def misfit(
    homography: NDArray[np.float64], focal: float, size: tuple[int, int], likely: Likely
) -> float:
    """How badly ``focal``, in widths of the picture, explains the view, as twice a log chance.

    The floor's axes must be square to each other and alike, and the lens about the ``likely`` one.
    """
    first, second, _ = _axes(homography, focal, size).T
    long = (np.linalg.norm(first) + np.linalg.norm(second)) / 2
    skew = first @ second / long**2
    uneven = (first @ first - second @ second) / long**2
    prior = np.log(focal / likely.focal) / likely.doubt
    return float((skew**2 + (uneven / 2) ** 2) / BLUR**2 + prior**2)
