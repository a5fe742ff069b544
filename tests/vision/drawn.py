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


def turned(side=60.0, degrees=0.0, centre=(60.0, 60.0)):
    angle = np.radians(degrees + np.array([225, 315, 45, 135]))
    return np.stack([np.cos(angle), np.sin(angle)], 1) * side / np.sqrt(2) + centre


def worst_corner(found, true):
    """Largest distance of matching corners, whichever corner comes first."""
    found, true = clockwise(found), clockwise(true)
    gaps = [np.abs(np.roll(found, k, 0) - true).max() for k in range(4)]
    return min(gaps)
