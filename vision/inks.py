"""The colour of the print against the body: a second word on which face is seen.

It knows nothing of shapes, so it fails where correlation does not. It only
ever objects: print of one colour on all faces says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.patch import Floats, Image
from vision.settings_faces import InkSettings


def ink(patch: Image, settings: InkSettings | None = None) -> Floats:
    """How the print differs from the body of a face (h, w, 3): L, a, b offsets (3,)."""
    settings = settings or InkSettings()
    lab = cv2.cvtColor(patch.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    size = patch.shape[0]
    rim = size // 8
    face = lab[rim:-rim, rim:-rim]
    body = np.median(face.reshape(-1, 3), axis=0)
    apart = cv2.GaussianBlur(face, (0, 0), 1.0) - body.astype(np.float32)
    far = np.sqrt(apart**2 @ np.array([settings.light_share, 1, 1], np.float32))
    most = float(np.percentile(far, 98))
    chosen = apart[far >= settings.share * most]
    return np.asarray(chosen.mean(axis=0), np.float32)


@dataclass(frozen=True)
class InkBank:
    """The inks of the enrolled faces."""

    inks: Mapping[str, Floats]  # (k, 3) of each face
    settings: InkSettings

    @classmethod
    def enrol(
        cls, samples: Mapping[str, Sequence[Image]], settings: InkSettings | None = None
    ) -> InkBank:
        """From patches of each face."""
        chosen = settings or InkSettings()
        inks = {
            face: np.stack([ink(patch, chosen) for patch in patches])
            for face, patches in samples.items()
        }
        return cls(inks, chosen)

    def objects(self, patch: Image, face: str) -> bool:
        """Whether the print of ``patch`` has another face's colour rather than that of ``face``."""
        seen = ink(patch, self.settings)
        gaps = {name: self._gap(seen, known) for name, known in self.inks.items()}
        own = gaps.pop(face)
        s = self.settings
        return own > s.alike and own > s.clearly * min(gaps.values())

    def _gap(self, seen: Floats, known: Floats) -> float:
        scale = np.array([np.sqrt(self.settings.light_share), 1, 1], np.float32)
        return float(np.linalg.norm((known - seen) * scale, axis=1).min())
