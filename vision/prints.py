"""How print on a face is seen: against the brightness around it, the body's colour, or as strokes.

Each view turns a patch (P, P, 3) into one picture (P, P) of about unit spread. A hard shadow
is a strong edge in brightness and hardly one in colour; thin dark lines are the other way
round, for cameras see colours less sharply; strokes are seen beside a shadow's edge, and broad
prints are not. So a face that one view cannot tell another may.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np

from vision.patch import PATCH, Floats, Image, blur
from vision.settings_faces import FaceSettings

_RIM = PATCH // 8
# Of the logarithms of blue, green and red: brightness, and two directions of colour.
_OPPONENT = np.array(
    [
        [1 / 3, 1 / 3, 1 / 3],
        [0.0, -(0.5**0.5), 0.5**0.5],
        [(2 / 3) ** 0.5, *[-((1 / 6) ** 0.5)] * 2],
    ],
    np.float32,
)


class PrintView(Protocol):
    """A way to see prints."""

    def __call__(self, patch: Image) -> Floats:
        """A patch (P, P, 3) as one picture (P, P) within [-2, 2]."""


@dataclass(frozen=True)
class Relief:
    """Brightness against its surroundings."""

    settings: FaceSettings

    def __call__(self, patch: Image) -> Floats:
        grey = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY).astype(np.float32)
        return _even(grey, 1.5, self.settings)


@dataclass(frozen=True, eq=False)
class UnlikeBody:
    """How far colour and brightness are from those around, as the body itself varies.

    ``weights`` (3,): what a deviation of the brightness and of two opponent colours counts.
    A body that is mottled or half in shadow varies in brightness; there colour counts more.
    """

    weights: Floats
    settings: FaceSettings

    @classmethod
    def of(cls, patches: Iterable[Image], settings: FaceSettings) -> UnlikeBody:
        """From the patches of all faces: their quieter half is body, whatever is printed."""
        shown = [inner(_opponents(patch, settings)) for patch in patches]
        aside = np.abs(np.concatenate([part.reshape(-1, 3) for part in shown]))
        spread = np.percentile(aside, 25, axis=0) * QUARTER + settings.grain
        return cls(np.asarray(1 / spread, np.float32), settings)

    def __call__(self, patch: Image) -> Floats:
        return _even(self.apart(patch), 1.0, self.settings)

    def apart(self, patch: Image) -> Floats:
        """How unlike the body each pixel (P, P) is, in the body's own deviations."""
        aside = _opponents(patch, self.settings) * self.weights
        # Deviations as large as the body's own hardly count.
        return np.asarray(np.sqrt((aside**2).sum(axis=2) + self.settings.usual**2), np.float32)


@dataclass(frozen=True)
class Strokes:
    """Brightness against the median around: that keeps a shadow's edge and drops thin print."""

    settings: FaceSettings

    def __call__(self, patch: Image) -> Floats:
        s = self.settings
        grey = np.log(patch.astype(np.float32) + s.dark).mean(axis=2)
        darkest, brightest = np.log(s.dark), np.log(255 + s.dark)
        steps = 255 * (grey - darkest) / (brightest - darkest)
        level = cv2.medianBlur(np.rint(steps).astype(np.uint8), s.stroke).astype(np.float32)
        return _contrasted(steps - blur(level, 1.0), 1.5, s)


QUARTER = 3.138  # standard deviations of a normal distribution in its 25th percentile from 0


def inner(picture: Floats) -> Floats:
    """A picture (P, P, ...) without its rim, where a body ends and what is beside it begins."""
    return picture[_RIM:-_RIM, _RIM:-_RIM]


def _opponents(patch: Image, settings: FaceSettings) -> Floats:
    """Brightness and colours (P, P, 3) against their surroundings, logarithmic: light is out."""
    logs = np.log(patch.astype(np.float32) + settings.dark) @ _OPPONENT.T
    return np.asarray(logs - blur(logs, settings.local), np.float32)


def _even(picture: Floats, least: float, settings: FaceSettings) -> Floats:
    """A picture against its surroundings and their contrast."""
    return _contrasted(picture - blur(picture, settings.local), least, settings)


def _contrasted(above: Floats, least: float, settings: FaceSettings) -> Floats:
    """What stands out of its surroundings against their contrast; ``least`` of that is none."""
    spread = np.sqrt(blur(above * above, settings.local))
    contrast = inner(above).std()
    even = above / (spread + settings.floor * contrast + least)
    return np.asarray(np.clip(blur(even, 0.8), -2, 2), np.float32)
