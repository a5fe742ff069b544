"""A lamp mirrored by a whole face, which makes it look like another such face.

Glossy dice mirror what is above them. A face that was pictured so looks like every face in such
a sheen, by the pale square around its print more than by that print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vision.align import grid
from vision.patch import Floats, Image

AROUND = (0.56, 0.76)  # of half a patch: inside its rim, mostly around its print
SHEEN = 2.0  # doublings of the darkest channel's light: no lamp lights one face so much more
GAMMA = 2.2
DARKEST = 0.004  # light of a black body: less is noise
ENOUGH = 3  # faces that tell how a kind's body looks


@dataclass(frozen=True)
class Sheen:
    """A kind's ``usual`` body (3,) as light, and the ``faces`` that were only seen in a sheen."""

    usual: Floats
    faces: frozenset[str]

    @classmethod
    def of(cls, exemplars: Mapping[str, Sequence[Image]]) -> Sheen:
        """From the pictures of each face. What several show alike is no sheen, but the body."""
        bodies = {face: [_body(patch) for patch in group] for face, group in exemplars.items()}
        usual = np.median([np.mean(group, axis=0) for group in bodies.values()], axis=0)
        single = {face: group[0] for face, group in bodies.items() if len(group) == 1}
        pale = {face for face, body in single.items() if _paler(body, usual)}
        return cls(usual, frozenset(pale if len(bodies) >= ENOUGH else ()))

    def hides(self, patch: Image, face: str) -> bool:
        """Whether a patch in a sheen is taken for a ``face`` that was only seen so, too."""
        return face in self.faces and _paler(_body(patch), self.usual)


def _body(patch: Image) -> Floats:
    """The light (3,) of what lies around the print of a patch (P, P, 3)."""
    x, y, _ = grid(len(patch))
    far = np.maximum(np.abs(x), np.abs(y))
    around = np.median(patch.reshape(-1, 3)[(far > AROUND[0]) & (far < AROUND[1])], axis=0)
    return np.asarray((around / 255.0) ** GAMMA + DARKEST)


def _paler(body: Floats, usual: Floats) -> bool:
    return bool(np.log2(body.min() / usual.min()) > SHEEN)
