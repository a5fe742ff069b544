"""Crops of single dice with pips, drawn with their sides, seen from any height."""

import cv2
import numpy as np

from vision.pip_patterns import LAYOUTS

FELT, RED, WHITE = (70, 90, 40), (50, 40, 130), (235, 235, 235)
CORNERS = 0.5 * np.array([(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)])
TEXTURE = 240


def pip_die(count, turn=20.0, tilt=20.0, size=88, body=RED, ink=WHITE, radius=0.1, floor=FELT):
    """A crop of ``size`` px of a die with ``count`` pips on top, seen ``tilt`` degrees aslant.

    Its sides show threes and fives; with it come the top's corners (4, 2).
    """
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    down, up = np.cos(np.radians(tilt)), np.sin(np.radians(tilt))
    seen = np.array([[cos, -sin, 0], [down * sin, down * cos, -up]])
    towards = np.array([up * sin, up * cos, down])
    large = np.full((size * 4, size * 4, 3), floor, np.uint8)
    x, y, z = np.eye(3)
    for normal, across, along, shown, light in (
        (-x, y, z, 5, 0.7),
        (x, y, z, 5, 0.7),
        (-y, x, z, 3, 0.7),
        (y, x, z, 3, 0.7),
        (z, x, y, count, 1.0),
    ):
        if normal @ towards > 0.02:
            face = _face(shown, tuple(int(light * c) for c in body), ink, radius)
            middle = (normal - across - along) / 2
            to_die = np.stack([across / TEXTURE, along / TEXTURE, middle], axis=1)
            matrix = 2.3 * size * seen @ to_die + [[0, 0, 2 * size]]
            cv2.warpAffine(
                face, matrix, large.shape[1::-1], large, borderMode=cv2.BORDER_TRANSPARENT
            )
    corners = (size - 1) / 2 + 0.575 * size * CORNERS @ seen.T
    return cv2.resize(large, (size, size), interpolation=cv2.INTER_AREA), corners


def _face(count, body, ink, radius):
    face = np.full((TEXTURE, TEXTURE, 3), body, np.uint8)
    for place in LAYOUTS[count]:
        spot = (int(120 + 62 * place.real), int(120 + 62 * place.imag))
        cv2.circle(face, spot, int(radius * TEXTURE), ink, -1, cv2.LINE_AA)
    return face


def enrolment(**look):
    """A crop of every face, each turned another way."""
    return {str(count): [pip_die(count, turn=37.0 * count, **look)[0]] for count in LAYOUTS}
