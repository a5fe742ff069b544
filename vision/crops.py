"""Reading pictures that are crops of one die, with no tray around it.

The top face is found by its outline, unless glare on the enrolled crops makes
outlines that are not there: such dice are read from the whole crop, which shows
what lies beside them too, and are asked about. Where faces are so many pips, these
are counted as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.colours import CubeBank
from vision.crop_outline import Faces, Outline
from vision.diceset import DiceSet, Framing, Kind, names_colours
from vision.faces import in_place, read_colour, read_symbol
from vision.patch import Image, cut
from vision.pips import COUNTS, PipReading, Pips, bear_pips
from vision.reading import DieReading, Expect, Reading, Reason, Verdict
from vision.settings import SceneSettings
from vision.station import StationError
from vision.symbols import FaceBank, FaceScores

LEAST = 12  # pixels: nothing can be told from less
TIGHT = 0.06  # of a crop left out at each side where no outline is seen
TURNS = (12.0, -25.0)  # degrees by which a crop is turned to see whether its outline turns along
STEADY = 0.2  # of a face's side by which a true outline's corners may then differ
SLANTED = 0.75  # of its width: narrower faces are sides, the top is narrower from 42 degrees on
RIVAL = 0.15  # of likeness: another face shown for certain and so much less alike is a part's
TWINS = 0.1  # of likeness: kinds with pips are told apart from there on
COUNTED = 0.99  # chance of a count of pips that nothing speaks against
MOSTLY = 0.75  # share of the enrolled crops whose outline must be a true one
HALF = 0.5  # share that is enough where all faces are about as large a part of their crops
ONE_SIZE = 0.17  # standard deviation of that part's logarithm
_SCENE = SceneSettings()  # a print's place in the outline counts as on a tray
WHITE = (255.0, 255.0, 255.0)  # a crop shows no white to compare with


_Back = Callable[[Sequence[Outline]], list[Outline]]


@dataclass(frozen=True)
class Crop:
    """A picture (h, w, 3) of one die."""

    picture: Image

    @cached_property
    def outlines(self) -> list[Outline]:
        """Where the top face may lie, likeliest first; what is seen at a slant is a side."""
        return [each for each in self._faces.every if each.foreshortened >= SLANTED]

    @cached_property
    def whole(self) -> Outline:
        """The crop itself, drawn in a little."""
        height, width = self.picture.shape[:2]
        x, y = TIGHT * width, TIGHT * height
        right, low = width - 1 - x, height - 1 - y
        return Outline(np.array([(x, y), (right, y), (right, low), (x, low)], np.float32), 0.0)

    def tops(self, framing: Framing) -> list[Outline]:
        """Where the face may be; without an outline the crop is taken to fit the die."""
        return (self.outlines if framing == "outline" else []) or [self.whole]

    def shown(self, framing: Framing) -> Outline:
        """The face of a crop to learn from: the likeliest outline however the crop is turned."""
        if framing == "whole" or not self.outlines:
            return self.whole
        return max(self.outlines, key=self._stands)

    def around(self, seen: PipReading) -> Outline:
        """The outline of the face on which pips are seen; about there, where none is found."""
        about = Outline(seen.corners, 0.0)
        return _among(about, self.outlines) or about

    @property
    def is_clear(self) -> bool:
        """Whether the likeliest outline with a plain rim is so however the crop is turned.

        Glare and large pips make others, which may well turn along.
        """
        first = self._faces.plain[:1]
        turned = (back(faces.plain[:1]) for faces, back in self._turned)
        return bool(first) and all(_among(first[0], found) for found in turned)

    def is_steady(self, outline: Outline) -> bool:
        """Whether an outline is seen in the crop and in it turned."""
        return all(_among(outline, found) for found in self._views)

    def _stands(self, outline: Outline) -> tuple[int, float]:
        """In how many views an outline is found, and how likely it is there."""
        same = [_among(outline, found) for found in self._views]
        scores = [other.score for other in same if other]
        return len(scores), float(np.mean(scores))

    @cached_property
    def _views(self) -> list[list[Outline]]:
        return [self.outlines, *(back(faces.every) for faces, back in self._turned)]

    @cached_property
    def _faces(self) -> Faces:
        return Faces(self.picture)

    @cached_property
    def _turned(self) -> list[tuple[Faces, _Back]]:
        return [_turned(self.picture, turn) for turn in TURNS]


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
    pips = Pips.learn(faces)
    unclear = () if by_colour else _unclear(shown, counted=pips is not None)
    framing: Framing = "whole" if by_colour or unclear else "outline"
    patches = {
        face: [cut(crop.picture, crop.shown(framing).corners) for crop in crops]
        for face, crops in shown.items()
    }
    kind = replace(Kind.of(name, patches, WHITE), framing=framing, pips=pips)
    return dice.with_kind(kind), () if pips else unclear


def _unclear(shown: Mapping[str, Sequence[Crop]], counted: bool) -> tuple[str, ...]:
    """The faces that show no true outline, where too few crops do to find faces by them.

    Squares between pips turn along, too, and may all be of one size: where they are not
    ``counted``, nothing but faces that are all clear will do.
    """
    clear = {face: [crop.is_clear for crop in crops] for face, crops in shown.items()}
    share = float(np.mean([one for crops in clear.values() for one in crops]))
    crops = [crop for group in shown.values() for crop in group]
    if counted:
        enough = share >= MOSTLY
    elif share >= HALF and bear_pips([crop.picture for crop in crops]):
        enough = share == 1.0 and _of_one_size(crops)
    else:
        enough = share >= MOSTLY or (share >= HALF and _of_one_size(crops))
    if enough:
        return ()
    return tuple(face for face, seen in clear.items() if not all(seen)) or tuple(clear)


def _of_one_size(crops: Sequence[Crop]) -> bool:
    """Whether all faces turn along and are about as large a part of each crop.

    What glare makes are parts of any size.
    """
    faces = [(crop, crop.shown("outline")) for crop in crops]
    parts = [face.side / max(crop.picture.shape[:2]) for crop, face in faces]
    steady = all(crop.is_steady(face) for crop, face in faces)
    return steady and float(np.std(np.log(parts))) <= ONE_SIZE


def _among(outline: Outline, found: Sequence[Outline]) -> Outline | None:
    """The likeliest of those found that is as good as the same outline."""
    return next((other for other in found if outline.apart(other) <= STEADY), None)


def _turned(crop: Image, degrees: float) -> tuple[Faces, _Back]:
    """The crop turned, to look for outlines in, and the way back to the crop for them."""
    height, width = crop.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2 - 0.5, height / 2 - 0.5), degrees, 1.0)
    turned = cv2.warpAffine(crop, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
    back = cv2.invertAffineTransform(matrix)
    return Faces(np.asarray(turned, np.uint8)), lambda found: [_moved(each, back) for each in found]


def _moved(outline: Outline, matrix: NDArray[Any]) -> Outline:
    """An outline under an affine map (2, 3)."""
    corners = outline.corners @ matrix[:, :2].T + matrix[:, 2]
    return replace(outline, corners=np.asarray(corners, np.float32))


def read_crop(picture: Image, dice: DiceSet, expect: Expect | None = None) -> Reading:
    """Read a crop of one die as the likeliest of the kinds (of those in ``expect``)."""
    start = time.perf_counter()
    kinds = [kind for name, kind in dice.kinds.items() if not expect or expect.get(name)]
    crop = Crop(picture)
    tried = [_read(crop, kind) for kind in kinds] if min(picture.shape[:2]) >= LEAST else []
    ms = (time.perf_counter() - start) * 1000
    if not tried:
        return Reading(Verdict.REFUSE, (), (Reason.NO_DICE,), ms, dict(expect or {}))
    die = _likeliest(tried, dice)
    verdict = Verdict.ASK if die.reasons else Verdict.ACCEPT
    return Reading(verdict, (die,), die.reasons, ms, dict(expect or {}))


def _likeliest(tried: Sequence[tuple[DieReading, float]], dice: DiceSet) -> DieReading:
    """Of a crop read as several kinds, the one it fits best.

    Kinds with the same pips differ in the body's colour alone: if two fit alike, it is asked about.
    """
    (die, fits), *others = sorted(tried, key=lambda pair: -pair[1])
    alike = [dice.kinds[other.kind] for other, fit in others if fit > fits - TWINS]
    if dice.kinds[die.kind].pips and any(kind.pips for kind in alike) and not die.reasons:
        return replace(die, reasons=(Reason.AMBIGUOUS,))
    return die


def _read(crop: Crop, kind: Kind) -> tuple[DieReading, float]:
    """The crop as a die of ``kind``, and how well it fits that kind."""
    match kind.bank:
        case CubeBank() as colours:
            die = read_colour(cut(crop.picture, crop.whole.corners), kind, colours, WHITE)
            return die.at(crop.whole.corners), 0.5 * die.confidence
        case FaceBank() as symbols:
            die, likeness = _read_print(crop, kind, symbols)
            seen = kind.pips.read(crop.picture) if kind.pips else None
            return _counted(die, seen, likeness, kind, crop) if seen else (die, likeness)


def _counted(
    die: DieReading, seen: PipReading, likeness: float, kind: Kind, crop: Crop
) -> tuple[DieReading, float]:
    """A die read by its print, once its pips are counted: either is believed where it is certain.

    Both certain must agree. The kind is then told by the colour of the body.
    """
    face = next((named for named in kind.faces if COUNTS.get(named) == seen.count), None)
    if not die.reasons:
        if die.face == face:
            return die, seen.likeness
        return replace(die, reasons=(Reason.DISAGREE,)), likeness
    if face is None:
        return die, likeness
    chance = COUNTED if seen.is_certain else 0.5
    others = [item for item in ((die.face, die.confidence), *die.alternatives) if item[0] != face]
    total = sum(share for _, share in others) or 1.0
    ranked = tuple((f, (1 - chance) * share / total) for f, share in others if f is not None)
    reasons = () if seen.is_certain else (Reason.AMBIGUOUS,)
    counted = replace(die, face=face, confidence=chance, alternatives=ranked, reasons=reasons)
    return counted.at(crop.around(seen).corners), seen.likeness


_Tried = tuple[Outline, DieReading, float]  # an outline, what it shows and how like that face


def _read_print(crop: Crop, kind: Kind, symbols: FaceBank) -> tuple[DieReading, float]:
    """The likest face of those that an outline shows for certain, or else of all.

    What lies beside the die may look like a face, and so may a part of one: the outline must
    be a true one, and none may be more like another face, or show it for certain as well.
    """
    tried: list[_Tried] = []
    for top in crop.tops(kind.framing):
        die, scores = read_symbol(cut(crop.picture, top.corners), kind, symbols, _displaced)
        tried.append((top, die, scores.similarity))
    certain = [item for item in tried if not item[1].reasons]
    likest, die, likeness = max(certain or tried, key=lambda item: item[2])
    shown = [outline for outline, other, _ in certain if other.face == die.face]
    where = None if kind.framing == "whole" else _true_outline(crop, die, likeness, shown, tried)
    if certain and where is None:
        die = replace(die, reasons=(Reason.AMBIGUOUS,))
    return die.at((where or (shown or [likest])[0]).corners), likeness


def _true_outline(
    crop: Crop, die: DieReading, likeness: float, shown: list[Outline], tried: list[_Tried]
) -> Outline | None:
    """Where the face lies: the likeliest outline that shows it and turns along.

    None where others speak for another face. Whether an outline turns along takes longest to
    tell, and only matters to what is certain.
    """
    rivals = [item for item in tried if item[1].face != die.face]
    nearly = (
        other.face is not None and alike > likeness - (0 if other.reasons else RIVAL)
        for _, other, alike in rivals
    )
    if any(nearly):
        return None
    # However like it is, a face seen as plainly may be the top where this one is a side's.
    if any(not other.reasons and crop.is_steady(outline) for outline, other, _ in rivals):
        return None
    return next((outline for outline in shown if crop.is_steady(outline)), None)


def _displaced(scores: FaceScores) -> Sequence[Reason]:
    """A print that is not where and as large as it was enrolled: the outline is another's."""
    return () if in_place(scores, _SCENE) else (Reason.AMBIGUOUS,)
