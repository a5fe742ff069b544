"""Noise of a camera in little light: blotches of colour, and how they are taken out.

In the dark a small camera's noise, once its own software has smoothed it, is mostly blotches
a few pixels wide that differ in colour and hardly in brightness. Brightness, which shows what
prints show, is left as it is.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.patch import Floats, Image

BLOTCH = 13  # pixels, odd: the median over so many outvotes a blotch and keeps a die's edges
_FINE, _COARSE = 1.0, 4.0  # sigma in pixels: blotches lie between
_MIDDLE = 1 / 3  # of width and height, in the middle, where a tray is sure to be


def noise(picture: Image) -> float:
    """Standard deviation in grey levels of the blotches of colour in ``picture`` (h, w, 3).

    By the median in the middle: dice and what is printed on a floor differ in fewer places.
    """
    height, width = picture.shape[:2]
    top, left = round(height * (1 - _MIDDLE) / 2), round(width * (1 - _MIDDLE) / 2)
    colours = _colours(picture[top : height - top, left : width - left])[1:]
    return max(_blotched(colour.astype(np.float32)) for colour in colours)


def quiet(picture: Image) -> Image:
    """The picture without blotches of colour."""
    brightness, *colours = _colours(picture)
    evened = [brightness, *(cv2.medianBlur(colour, BLOTCH) for colour in colours)]
    return np.asarray(cv2.cvtColor(cv2.merge(evened), cv2.COLOR_YCrCb2BGR), np.uint8)


def _colours(picture: Image) -> list[Image]:
    """Brightness and the two differences of colour from it, each (h, w)."""
    return [np.asarray(plane) for plane in cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2YCrCb))]


def _blotched(colour: Floats) -> float:
    fine, coarse = (cv2.GaussianBlur(colour, (0, 0), sigma) for sigma in (_FINE, _COARSE))
    return float(1.4826 * np.median(np.abs(fine - coarse)))
