"""Marks on plain dice: what all faces of a cube show on their colour, if anything.

A mark tells that a die is a cube where printed dice have its body; it never names a colour.
It is told by brightness, as print is. Where a lamp's mirror image lies on a dark body, brightness
shows neither mark nor print, and the mark's colour still stands out of the body's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vision.diceset import Kind
from vision.patch import Image
from vision.relight import relit
from vision.settings import SceneSettings
from vision.symbols import FaceBank


@dataclass(frozen=True)
class CubeMarks:
    """The ``plain`` kinds, by name, those ``marked`` plainly among them, and the ``printed``."""

    plain: Mapping[str, Kind]
    marked: Mapping[str, Kind]
    printed: tuple[Kind, ...]
    settings: SceneSettings

    def shows(self, patch: Image, kind: str) -> bool:
        """Whether a patch shows the mark of a plain ``kind``, and rather than any print."""
        if kind not in self.marked:
            return False
        lit, known = relit(patch), self.marked[kind]
        return self._by_brightness(lit, known) or self._by_colour(lit, known)

    def repeats(self, patch: Image, kind: str) -> bool:
        """Whether a patch shows what little an enrolled face of a plain ``kind`` shows.

        Rather than any print: a frame's edge, say, that was hardly seen when it was enrolled.
        """
        return self._by_brightness(relit(patch), self.plain[kind])

    def is_rather(self, patch: Image, likeness: float) -> bool:
        """Whether a patch so like a print is still more like the mark of some plain kind."""
        least = self._least(likeness)
        if least > 1 or not self.marked:
            return False
        lit = relit(patch)
        return any(_like(lit, [kind.mark]) >= least for kind in self.marked.values())

    def _by_brightness(self, lit: Image, kind: Kind) -> bool:
        likeness = _like(lit, [kind.mark])
        if likeness < self._least(0.0):
            return False
        return likeness >= self._least(_like(lit, self._prints()))

    def _by_colour(self, lit: Image, kind: Kind) -> bool:
        """Less like will do, for colours are seen coarsely, but far more so than any print."""
        settings, likeness = self.settings, _like(lit, [kind.mark_by_colour])
        if likeness < settings.mark_hued:
            return False
        return likeness >= settings.hued_lead + _like(lit, [*self._prints(), *self._by_hue()])

    def _least(self, likeness: float) -> float:
        """Likeness to a mark from which a face so like a print shows the mark instead."""
        return max(self.settings.surely_alike, likeness + self.settings.mark_lead)

    def _prints(self) -> Iterable[FaceBank]:
        return (kind.bank for kind in self.printed if isinstance(kind.bank, FaceBank))

    def _by_hue(self) -> Iterable[FaceBank]:
        return (view for kind in self.printed for view in kind.views[:1])


def _like(lit: Image, banks: Iterable[FaceBank]) -> float:
    """How like the likeliest face of ``banks`` a patch is, in [-1, 1]; 0 where there is none."""
    return max((bank.score(lit).similarity for bank in banks), default=0.0)
