"""Reading pictures that are crops of one die, with no tray around it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.colours import CubeBank
from vision.diceset import DiceSet, Kind, names_colours
from vision.faces import read_colour, read_symbol
from vision.patch import Image, cut, find_face
from vision.patch import Quad as CornersPx
from vision.reading import DieReading, Expect, Quad, Reading, Reason, Verdict
from vision.station import StationError
from vision.symbols import FaceBank

LEAST = 12  # pixels: nothing can be told from less
TIGHT = 0.06  # of a crop left out at each side where no outline is seen
WHITE = (255.0, 255.0, 255.0)  # a crop shows no white to compare with


def enrol_crops(dice: DiceSet, name: str, faces: Mapping[str, Sequence[Image]]) -> DiceSet:
    """The set with a kind learnt from crops of one die each. Raises StationError naming a face."""
    plain = names_colours(faces)  # a colour needs no outline, and glare may make a false one
    patches: dict[str, list[Image]] = {}
    for face, crops in faces.items():
        for crop in crops:
            if min(crop.shape[:2]) < LEAST:
                raise StationError(
                    f"a crop of {face} is smaller than {LEAST} pixels; take it again"
                )
            quad = _whole(crop) if plain else _top(crop)
            patches.setdefault(face, []).append(cut(crop, quad))
    return dice.with_kind(Kind.of(name, patches, WHITE))


def read_crop(crop: Image, dice: DiceSet, expect: Expect | None = None) -> Reading:
    """Read a crop of one die as the likeliest of the kinds (of those in ``expect``)."""
    start = time.perf_counter()
    kinds = [kind for name, kind in dice.kinds.items() if not expect or expect.get(name)]
    tried = [_read(crop, kind) for kind in kinds] if min(crop.shape[:2]) >= LEAST else []
    ms = (time.perf_counter() - start) * 1000
    if not tried:
        return Reading(Verdict.REFUSE, (), (Reason.NO_DICE,), ms, dict(expect or {}))
    die, _ = max(tried, key=lambda pair: pair[1])
    verdict = Verdict.ASK if die.reasons else Verdict.ACCEPT
    return Reading(verdict, (die,), die.reasons, ms, dict(expect or {}))


def _top(crop: Image) -> CornersPx:
    """The top face's corners; without an outline the crop is taken to fit the die."""
    found = find_face(crop)
    return _whole(crop) if found is None else found


def _whole(crop: Image) -> CornersPx:
    """The corners of the crop itself, drawn in a little."""
    height, width = crop.shape[:2]
    x, y = TIGHT * width, TIGHT * height
    corners = [(x, y), (width - 1 - x, y), (width - 1 - x, height - 1 - y), (x, height - 1 - y)]
    return np.array(corners, np.float32)


def _read(crop: Image, kind: Kind) -> tuple[DieReading, float]:
    """The crop as a die of ``kind``, and how well it fits that kind."""
    quad = _whole(crop) if isinstance(kind.bank, CubeBank) else _top(crop)
    patch = cut(crop, quad)
    corners: Quad = tuple((float(x), float(y)) for x, y in quad)  # type: ignore[assignment]
    match kind.bank:
        case CubeBank() as colours:
            die = read_colour(patch, kind, colours, WHITE)
            return replace(die, quad=corners), 0.5 * die.confidence
        case FaceBank() as symbols:
            die, scores = read_symbol(patch, kind, symbols)
            return replace(die, quad=corners), scores.similarity
