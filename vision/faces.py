"""What one rectified face shows: its symbol or colour, and what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.colours import CubeBank
from vision.patch import Image, uneven
from vision.reading import DieReading, Quad, Reason
from vision.settings import SceneSettings
from vision.station import Station
from vision.symbols import FaceBank, FaceScores

_NOWHERE: Quad = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


@dataclass(frozen=True, slots=True)
class FaceReading:
    """A die by its face alone.

    ``likeness`` to its kind is about 0 to 1; ``stretch`` is how much longer than
    wide the print is seen, 1 for a kind without print.
    """

    die: DieReading
    likeness: float
    stretch: float


def read_face(patch: Image, kind: str, station: Station) -> FaceReading:
    """What a rectified face patch (PATCH, PATCH, 3) shows as a ``kind``."""
    stretch = 1.0
    bank = station.dice.kinds[kind].bank
    match bank:
        case FaceBank():
            scores = bank.score(patch)
            stretch = _stretch(scores)
            reasons = _face_doubts(scores, stretch, station.tray.settings)
            face = scores.face if scores.known else None
            inks = station.dice.kinds[kind].inks
            if face is not None and inks is not None and inks.objects(patch, face):
                reasons = (*reasons, Reason.DISAGREE)
            sure, ranked = scores.confidence, tuple(scores.alternatives)
            likeness = scores.similarity if scores.known else 0.2
        case CubeBank():
            colours = bank.score(patch, station.tray.white())
            settings = station.tray.settings
            most = max(settings.plain, 2 * station.bodies[kind].spread)
            plain = uneven(patch) <= min(most, settings.printed)
            certain = colours.sure and plain
            reasons = () if certain else (Reason.COLOUR_UNSURE,)
            face, sure = colours.colour, colours.confidence if plain else 0.0
            ranked = tuple(colours.alternatives)
            likeness = (0.8 if plain else 0.4) * colours.confidence
    die = DieReading(kind, face, _NOWHERE, float(sure), ranked, reasons)
    return FaceReading(die, float(likeness), stretch)


def _face_doubts(scores: FaceScores, stretch: float, settings: SceneSettings) -> tuple[Reason, ...]:
    """Doubts about a symbol: unknown, not certain, or printed on a face that does not lie flat."""
    if not scores.known:
        return (Reason.UNKNOWN_FACE,)
    doubts = () if scores.sure else (Reason.AMBIGUOUS,)
    return (*doubts, Reason.COCKED) if stretch > settings.stretch else doubts


def _stretch(scores: FaceScores) -> float:
    """How much longer than wide a print is seen: the rectified tray shows flat faces as squares."""
    long, short = np.linalg.svd(scores.pose[:2, :2], compute_uv=False)
    return float(long / max(short, 1e-6))
