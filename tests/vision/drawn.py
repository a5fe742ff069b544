"""Single dice drawn as a camera would see them, for cutting and for finding outlines."""

import cv2
import numpy as np

from vision.patch import clockwise

FELT, BODY, SIDE, INK = (60, 90, 40), (200, 215, 225), (110, 125, 135), (40, 35, 30)


def picture(quad, side_quad=None, size=(120, 120), framed=False, side=SIDE):
    """A die with its top face at ``quad``, drawn large and averaged down; ink off its centre."""
    big = np.full((size[1] * 4, size[0] * 4, 3), FELT, np.uint8)
    scaled = [None if q is None else np.rint((np.array(q) + 0.5) * 4) for q in (side_quad, quad)]
    for corners, colour in zip(scaled, (side, BODY), strict=True):
        if corners is not None:
            cv2.fillPoly(big, [corners.astype(np.int32)], colour, cv2.LINE_AA)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    to_face = cv2.getPerspectiveTransform(unit, scaled[1].astype(np.float32))
    ink = [[0.14, 0.14], [0.86, 0.14], [0.86, 0.86], [0.14, 0.86]] if framed else None
    for marks in (ink, [[0.25, 0.2], [0.6, 0.2], [0.6, 0.45], [0.25, 0.45]]):
        if marks is not None:
            spots = cv2.perspectiveTransform(np.array([marks], np.float32), to_face)
            colour = INK if marks is ink or not framed else BODY
            cv2.fillPoly(big, [np.rint(spots).astype(np.int32).reshape(-1, 2)], colour)
    return cv2.resize(big, size, interpolation=cv2.INTER_AREA)


def pipped(degrees, side=72.0, radius=0.1, at=0.28):
    """A dark die of ``side`` px that shows a six near its rim, and its outline.

    The pips' ``radius`` and how far ``at`` they are off the middle are parts of the side.
    """
    quad = turned(side=side, degrees=degrees)
    shown = np.full((480, 480, 3), FELT, np.uint8)
    corners = np.rint((quad + 0.5) * 4).astype(np.int32)
    cv2.fillPoly(shown, [corners], (60, 44, 40), cv2.LINE_AA)
    across, down = (quad[1] - quad[0]), (quad[3] - quad[0])
    for x, y in ((x, y) for x in (-at, at) for y in (-at, 0, at)):
        spot = np.rint((quad.mean(axis=0) + x * across + y * down + 0.5) * 4).astype(int)
        cv2.circle(shown, tuple(map(int, spot)), int(radius * side * 4), (235, 235, 235), -1)
    return cv2.resize(shown, (120, 120), interpolation=cv2.INTER_AREA), quad


def turned(side=60.0, degrees=0.0, centre=(60.0, 60.0)):
    angle = np.radians(degrees + np.array([225, 315, 45, 135]))
    return np.stack([np.cos(angle), np.sin(angle)], 1) * side / np.sqrt(2) + centre


def worst_corner(found, true):
    """Largest distance of matching corners, whichever corner comes first."""
    found, true = clockwise(found), clockwise(true)
    gaps = [np.abs(np.roll(found, k, 0) - true).max() for k in range(4)]
    return min(gaps)
