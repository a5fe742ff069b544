"""Print that is pale beside darker print, and what it says.

Light that a face mirrors washes out what is printed under it. Pictures are compared by their
contrast, to which pale print beside dark print adds next to nothing: a four of which a lamp
leaves one pip dark looks like a two that was enrolled under that lamp. Seen here, print counts
alike, however pale, as soon as it stands out of the body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np

from vision.patch import Floats, Image, blur
from vision.prints import QUARTER, inner
from vision.settings_faces import PaleSettings
from vision.symbols import FaceBank


@dataclass(frozen=True)
class Contrast:
    """How far a face stands out of its body: ``above`` (P, P) grey levels, ``least`` to tell."""

    above: Floats
    least: float
    settings: PaleSettings

    @classmethod
    def of(cls, patch: Image, settings: PaleSettings) -> Contrast:
        """Of a patch (P, P, 3): its quieter half is body, whatever is printed."""
        grey = cv2.cvtColor(patch, cv2.COLOR_BGR2GRAY)
        body = cv2.medianBlur(grey, settings.around).astype(np.float32)
        above = blur(grey.astype(np.float32), 0.8) - blur(body, 1.5)
        quiet = float(np.percentile(inner(np.abs(above)), 25)) * QUARTER
        return cls(above, max(settings.stands_out * quiet, settings.least), settings)

    @property
    def evened(self) -> Floats:
        """All print alike (P, P), within [-2, 2]."""
        return np.asarray(2 * self.above / (np.abs(self.above) + self.least), np.float32)

    @property
    def pale(self) -> float:
        """Share of the face that is pale print, off the edges of the dark."""
        s, strength = self.settings, np.abs(self.above)
        dark = strength > s.dark * float(np.percentile(inner(strength), 98))
        near = cv2.dilate(dark.astype(np.uint8), np.ones((s.edge, s.edge), np.uint8)) > 0
        shown = ((strength > self.least) & ~near).astype(np.float32)
        return float(cv2.erode(inner(shown), np.ones((2, 2), np.uint8)).mean())


@dataclass(frozen=True)
class PalePrint:
    """The enrolled faces with all print alike, a witness against a face that explains too little.

    It never names a face: what varies in the body counts here as much as print.
    """

    samples: Mapping[str, Sequence[Image]] = field(repr=False)  # patches (P, P, 3) of each face
    settings: PaleSettings = field(default=PaleSettings(), repr=False)

    @cached_property
    def _bank(self) -> FaceBank:
        """Made when it is first asked: most dice never show pale print."""
        return FaceBank.enrol(self.samples, view=self._evened)

    def _evened(self, patch: Image) -> Floats:
        return Contrast.of(patch, self.settings).evened

    def objects(self, patch: Image, face: str) -> bool:
        """Whether a patch shows pale print, and with it surely another face than ``face``."""
        if Contrast.of(patch, self.settings).pale <= self.settings.share:
            return False
        return self._bank.score(patch).names_another(face)
