"""Reading pictures that are crops of one die, with no tray around it.

The top face is found by its outline, unless glare on the enrolled crops makes
outlines that are not there: such dice are read from the whole crop, which shows
what lies beside them too, and are always asked about.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np

from vision.colours import CubeBank
from vision.diceset import DiceSet, Framing, Kind, names_colours
from vision.faces import read_colour, read_symbol
from vision.patch import Image, cut, find_face
from vision.patch import Quad as CornersPx
from vision.reading import DieReading, Expect, Quad, Reading, Reason, Verdict
from vision.station import StationError
from vision.symbols import FaceBank

LEAST = 12  # pixels: nothing can be told from less
TIGHT = 0.06  # of a crop left out at each side where no outline is seen
TURNS = (12.0, -25.0)  # degrees by which a crop is turned to see whether its outline turns along
STEADY = 0.15  # of a face's side by which a true outline's corners may then differ
MOSTLY = 0.75  # share of the enrolled crops whose outline must be a true one
WHITE = (255.0, 255.0, 255.0)  # a crop shows no white to compare with


@dataclass(frozen=True)
class Crop:
    """A picture (h, w, 3) of one die, in which the outline is looked for once at most."""

    picture: Image

    @cached_property
    def outline(self) -> CornersPx | None:
        """The top face's corners (4, 2) as they are found, true or not."""
        return find_face(self.picture)

    @cached_property
    def steady(self) -> CornersPx | None:
        """The top face's corners, if they stay on the die when the crop is turned."""
        found = self.outline
        if found is None:
            return None
        side = float(np.linalg.norm(found - np.roll(found, 1, axis=0), axis=1).mean())
        turned = (_found_turned(self.picture, turn) for turn in TURNS)
        return found if all(_apart(found, other) <= STEADY * side for other in turned) else None

    @cached_property
    def whole(self) -> CornersPx:
        """The corners of the crop itself, drawn in a little."""
        height, width = self.picture.shape[:2]
        x, y = TIGHT * width, TIGHT * height
        right, low = width - 1 - x, height - 1 - y
        return np.array([(x, y), (right, y), (right, low), (x, low)], np.float32)

    def top(self, framing: Framing) -> CornersPx:
        """Where the face is; without an outline the crop is taken to fit the die."""
        return self.whole if framing == "whole" or self.outline is None else self.outline


def learn_crops(
    dice: DiceSet, name: str, faces: Mapping[str, Sequence[Image]]
) -> tuple[DiceSet, tuple[str, ...]]:
    """The set with a kind learnt from crops of one die each, and the faces to take again.

    The latter keep the kind from being read by outlines; mostly there are none. Raises
    StationError naming a face.
    """
    for face, pictures in faces.items():
        if any(min(picture.shape[:2]) < LEAST for picture in pictures):
            raise StationError(
                "a crop of {face} is smaller than {least} pixels; take it again",
                face=face,
                least=LEAST,
            )
    shown = {face: [Crop(picture) for picture in pictures] for face, pictures in faces.items()}
    # A colour needs no outline, and glare may make a false one.
    by_colour = names_colours(faces)
    unclear = () if by_colour else _unclear(shown)
    framing: Framing = "whole" if by_colour or unclear else "outline"
    patches = {
        face: [cut(crop.picture, crop.top(framing)) for crop in crops]
        for face, crops in shown.items()
    }
    return dice.with_kind(replace(Kind.of(name, patches, WHITE), framing=framing)), unclear


def _unclear(shown: Mapping[str, Sequence[Crop]]) -> tuple[str, ...]:
    """The faces that show no true outline, where too few crops do to find faces by them."""
    steady = {face: [crop.steady is not None for crop in crops] for face, crops in shown.items()}
    seen = [one for crops in steady.values() for one in crops]
    if sum(seen) >= MOSTLY * len(seen):
        return ()
    return tuple(face for face, crops in steady.items() if not all(crops))


def _found_turned(crop: Image, turn: float) -> CornersPx | None:
    """The corners found in the turned crop, turned back."""
    height, width = crop.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), turn, 1.0)
    turned = cv2.warpAffine(crop, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    found = find_face(np.asarray(turned, np.uint8))
    if found is None:
        return None
    back = cv2.invertAffineTransform(matrix)
    return np.asarray(found @ back[:, :2].T + back[:, 2], np.float32)


def _apart(one: CornersPx, other: CornersPx | None) -> float:
    """The largest distance of two squares' corners, whichever they begin with; inf for none."""
    if other is None:
        return float("inf")
    gaps = (np.linalg.norm(np.roll(other, n, axis=0) - one, axis=1).max() for n in range(4))
    return float(min(gaps))


def read_crop(picture: Image, dice: DiceSet, expect: Expect | None = None) -> Reading:
    """Read a crop of one die as the likeliest of the kinds (of those in ``expect``)."""
    start = time.perf_counter()
    kinds = [kind for name, kind in dice.kinds.items() if not expect or expect.get(name)]
    crop = Crop(picture)
    tried = [_read(crop, kind) for kind in kinds] if min(picture.shape[:2]) >= LEAST else []
    ms = (time.perf_counter() - start) * 1000
    if not tried:
        return Reading(Verdict.REFUSE, (), (Reason.NO_DICE,), ms, dict(expect or {}))
    die, _ = max(tried, key=lambda pair: pair[1])
    verdict = Verdict.ASK if die.reasons else Verdict.ACCEPT
    return Reading(verdict, (die,), die.reasons, ms, dict(expect or {}))


def _read(crop: Crop, kind: Kind) -> tuple[DieReading, float]:
    """The crop as a die of ``kind``, and how well it fits that kind."""
    framing: Framing = "whole" if isinstance(kind.bank, CubeBank) else kind.framing
    quad = crop.top(framing)
    patch = cut(crop.picture, quad)
    corners: Quad = tuple((float(x), float(y)) for x, y in quad)  # type: ignore[assignment]
    match kind.bank:
        case CubeBank() as colours:
            die = read_colour(patch, kind, colours, WHITE)
            return replace(die, quad=corners), 0.5 * die.confidence
        case FaceBank() as symbols:
            die, scores = read_symbol(patch, kind, symbols)
            placed = framing == "outline" and crop.steady is not None
            if not placed and not die.reasons:  # what is beside the die may look like a face
                die = replace(die, reasons=(Reason.AMBIGUOUS,))
            return replace(die, quad=corners), scores.similarity
