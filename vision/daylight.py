"""The empty tray in another light: daylight that comes and goes, a lamp that is switched.

The empty picture only ever changes by a smooth factor, bounded, of the calibrated
one, and only while the tray is seen to be empty. A die or a coin is smaller than
what such a factor can draw, so neither can become part of the floor, however
slowly it appears.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from vision.patch import Floats, Image
from vision.segment import objects
from vision.settings_watch import GuardSettings
from vision.tray import Tray

SHRINK = 16  # the factor is smooth, so that a small picture of it does
STEPS = 80  # of a light as it was


def is_clear(tray: Tray, frame: Image, face: float) -> bool:
    """Whether a still frame shows nothing on the tray, in full resolution.

    ``face`` is the area of the smallest die's face in rectified pixels.
    """
    tray, frame = tray.without_noise(frame)
    changed = tray.floor.changed(tray.rectify(frame))
    return not objects(changed, tray.settings.least_area * face)


def relit(tray: Tray, frame: Image, settings: GuardSettings) -> Tray:
    """The calibrated empty ``tray`` put into the light of ``frame``, as far as that is smooth."""
    return _times(tray, light_on(tray, frame, settings))


def relit_around(tray: Tray, frame: Image, settings: GuardSettings) -> Tray:
    """The same for a ``frame`` of a tray with dice in it, by what is seen around them."""
    return _times(tray, light_around(tray, frame, settings))


def _times(tray: Tray, factor: Floats) -> Tray:
    """The tray with its empty picture brighter by ``factor`` (h / 16, w / 16, 3)."""
    height, width = tray.picture.shape[:2]
    whole = cv2.resize(factor, (width, height), interpolation=cv2.INTER_LINEAR)
    picture = np.clip(np.rint(tray.picture * whole), 0, 255).astype(np.uint8)
    return replace(tray, picture=picture)


def light_on(tray: Tray, frame: Image, settings: GuardSettings) -> Floats:
    """The light of ``frame`` over the calibrated one, (h / 16, w / 16, 3), smooth and bounded."""
    seen, empty = _small(frame), _small(tray.picture)
    inside = np.zeros(seen.shape[:2], np.float32)
    cv2.fillConvexPoly(inside, np.rint(tray.outline / SHRINK).astype(np.int32), (1.0,))
    sigma = _smoothness(tray, settings)
    now, before = (_spread(small, inside, sigma) for small in (seen, empty))
    return np.asarray(np.clip((now + 1) / (before + 1), *settings.gain), np.float32)


def light_around(tray: Tray, frame: Image, settings: GuardSettings) -> Floats:
    """The same by what most of each neighbourhood says: dice in it do not count."""
    ratio = (_small(frame) + 1) / (_small(tray.picture) + 1)
    steps = np.clip(np.rint(ratio * STEPS), 1, 255).astype(np.uint8)
    window = 2 * round(1.25 * _smoothness(tray, settings)) + 1
    usual = cv2.medianBlur(steps, window).astype(np.float32) / STEPS
    return np.asarray(np.clip(usual, *settings.gain), np.float32)


def _small(picture: Image) -> Floats:
    height, width = picture.shape[:2]
    shape = (width // SHRINK, height // SHRINK)
    return cv2.resize(picture, shape, interpolation=cv2.INTER_AREA).astype(np.float32)


def _smoothness(tray: Tray, settings: GuardSettings) -> float:
    """Within how many pixels of a small picture light is even."""
    px_per_mm = float(np.linalg.norm(tray.corners[1] - tray.corners[0]) / tray.size_mm[0])
    return settings.smooth * px_per_mm / SHRINK


def _spread(small: Floats, inside: Floats, sigma: float) -> Floats:
    """The floor's smooth brightness, carried on beyond its edges."""
    weight = cv2.GaussianBlur(inside, (0, 0), sigma) + 1e-4
    mean = small[inside > 0].mean(axis=0)  # far from the floor nothing else is known
    total = cv2.GaussianBlur(small * inside[..., None], (0, 0), sigma) + 1e-4 * mean
    return np.asarray(total / weight[..., None], np.float32)


def is_unusual(tray: Tray, frame: Image, settings: GuardSettings) -> bool:
    """Whether the light is much stronger, weaker or of another colour than at calibration."""
    gains = light_on(tray, frame, settings).reshape(-1, 3).mean(axis=0)
    whole = float(gains.mean())
    low, high = settings.usual
    cast = float(max((gains / whole).max(), (whole / gains).max()))
    return not low < whole < high or cast > settings.cast
