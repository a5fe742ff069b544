"""From pictures of single dice to a station that can read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.diceset import Kind
from vision.halo import filled, learn_halo
from vision.patch import Floats, Image, cut, off_centre, uneven
from vision.segment import Mask, objects
from vision.squares import Square, SquareSearch, visible_side
from vision.station import Body, Station, StationError
from vision.tray import Tray

VISIBLE = 0.97  # of a die's side lies between the edges that are found
_NO_DIE = (
    "No single {name} die was found in a picture of {faces}; "
    "put one die near the middle of the tray and take it again"
)


@dataclass(frozen=True)
class Shot:
    """A picture of one die on the tray: the frame, rectified, and what changed."""

    face: str
    frame: Image
    seen: Image
    mask: Mask


def enrol(
    station: Station, name: str, faces: Mapping[str, Sequence[Image]], dice_mm: float
) -> Station:
    """The station with a kind of dice learnt from tray pictures of one die each, that face up.

    ``dice_mm`` is the die's size. Raises StationError naming the faces to be taken again.
    """
    station = station if station.size_known else measured(station, faces, dice_mm)
    tray = station.tray
    guess = dice_mm * tray.enlargement(dice_mm) * tray.settings.scale
    shots = _shots(tray, name, faces, guess)
    firsts = [next(shot for shot in shots if shot.face == face) for face in faces]
    side = visible_side([(shot.seen, shot.mask) for shot in firsts], guess, tray.settings)
    squares = _top_faces(tray, name, shots, side, dice_mm)
    patches: dict[str, list[Image]] = {}
    for shot, square in zip(shots, squares, strict=True):
        patch = cut(shot.frame, tray.to_frame(square.corners))
        patches.setdefault(shot.face, []).append(patch)
    kind = Kind.of(name, patches, tray.white)
    spread = max(uneven(patch) for group in patches.values() for patch in group)
    body = Body(side, dice_mm, spread)
    halo = _halo(tray, body, shots, squares)
    return replace(
        station,
        dice=station.dice.with_kind(kind),
        bodies={**station.bodies, name: body},
        halo=np.asarray(station.halo | halo, np.uint8),
    )


def measured(station: Station, faces: Mapping[str, Sequence[Image]], dice_mm: float) -> Station:
    """The station with its tray's size told by dice of ``dice_mm``, whose bodies fill their sides.

    What changed around a lone die is at least its top; the middle of all pictures is taken.
    """
    tray = station.tray
    sides = []
    for frame in (frame for frames in faces.values() for frame in frames[:1]):
        seen = tray.rectify(frame)
        things = objects(tray.floor.changed(seen), 30.0)
        if not things:
            continue
        search = SquareSearch(seen, things[0], tray.settings)
        rough = float(np.sqrt(cv2.countNonZero(things[0])))
        tried = [
            max(search.find(rough * share, 0.04), key=lambda s: s.edge, default=None)
            for share in np.arange(0.55, 1.1, 0.05)
        ]
        best = max((s for s in tried if s), key=lambda s: s.edge, default=None)
        if best is not None:
            sides.append(best.side)
    if not sides:
        raise StationError(_NO_DIE.format(name="such", faces=", ".join(faces)))
    shown = dice_mm * tray.enlargement(dice_mm) * tray.settings.scale * VISIBLE
    factor = shown / float(np.median(sides))
    bare = Station.bare(tray.resized(factor))
    return replace(bare, dice=station.dice)


def _shots(tray: Tray, name: str, faces: Mapping[str, Sequence[Image]], side: float) -> list[Shot]:
    """Every picture with its largest change; refuses pictures on which nothing lies."""
    shots, missing = [], []
    for face, frames in faces.items():
        for frame in frames:
            seen = tray.rectify(frame)
            things = objects(tray.floor.changed(seen), tray.settings.least_area * side**2)
            if things:
                shots.append(Shot(face, frame, seen, things[0]))
            else:
                missing.append(face)
    if missing or not shots:
        raise StationError(_NO_DIE.format(name=name, faces=", ".join(sorted(set(missing)))))
    return shots


def _top_faces(
    tray: Tray, name: str, shots: Sequence[Shot], side: float, dice_mm: float
) -> list[Square]:
    """The top face in every picture: clear outlines whose body colours agree with each other.

    A hard shadow has a clear outline too, but not the colour that all pictures share.
    """
    tried = [SquareSearch(shot.seen, shot.mask, tray.settings).find(side) for shot in shots]
    missing = {shot.face for shot, squares in zip(shots, tried, strict=True) if not squares}
    if missing:
        raise StationError(_NO_DIE.format(name=name, faces=", ".join(sorted(missing))))
    weighed = [
        [_weighed(tray, shot, square, dice_mm) for square in squares]
        for shot, squares in zip(shots, tried, strict=True)
    ]
    usual = np.median([min(group, key=lambda w: w.doubt).colour for group in weighed], axis=0)
    return [min(group, key=lambda w: w.against(usual)).square for group in weighed]


def top_face(
    tray: Tray, frame: Image, seen: Image, mask: Mask, dice_mm: float, slack: float
) -> Square | None:
    """The likeliest top face of a lone die of about ``dice_mm`` before its kind is learnt.

    ``seen`` is the rectified ``frame``, ``mask`` what changed on it; ``slack`` is how far the
    visible face may differ from the size of the die.
    """
    side = dice_mm * tray.enlargement(dice_mm) * tray.settings.scale * VISIBLE
    shot = Shot("", frame, seen, mask)
    squares = SquareSearch(seen, mask, tray.settings).find(side, slack)
    weighed = [_weighed(tray, shot, square, dice_mm) for square in squares]
    best = min(weighed, key=lambda each: each.doubt, default=None)
    return None if best is None else best.square


@dataclass(frozen=True)
class Weighed:
    """A square as the top face of an enrolled die, and what speaks against it."""

    square: Square
    colour: Floats  # of the body
    doubt: float  # weak outline, a body that would stick out of what changed, print off centre

    def against(self, usual: Floats) -> float:
        """The doubt with that of a body of another colour than the other pictures show."""
        apart = np.abs(self.colour - usual) * (0.5, 1.0, 1.0)
        return self.doubt + 0.02 * float(np.linalg.norm(apart))


def _weighed(tray: Tray, shot: Shot, square: Square, dice_mm: float) -> Weighed:
    patch = cut(shot.frame, tray.to_frame(square.corners))
    body = tray.body(square.corners, dice_mm)
    missing = filled(shot.mask.shape, body, 0.5) & ~shot.mask
    doubt = cv2.countNonZero(missing) / square.side**2 + 0.5 * off_centre(patch) - square.edge
    return Weighed(square, _body_colour(patch), float(doubt))


def _body_colour(patch: Image) -> Floats:
    """Median colour (3,) of the rim of a face, where the body shows: L, a, b."""
    lab = cv2.cvtColor(patch, cv2.COLOR_BGR2LAB).astype(np.float32)
    size = patch.shape[0]
    rim, inner = size // 9, size // 5
    keep = np.zeros(patch.shape[:2], bool)
    keep[rim:-rim, rim:-rim] = True
    keep[inner:-inner, inner:-inner] = False
    return np.asarray(np.median(lab[keep], axis=0), np.float32)


def _halo(tray: Tray, body: Body, shots: Sequence[Shot], squares: Sequence[Square]) -> Mask:
    """What the dice changed beyond their own outlines."""
    grow = tray.settings.body_slack * tray.settings.scale
    left = []
    for shot, square in zip(shots, squares, strict=True):
        whole = filled(shot.mask.shape, tray.body(body.true_top(square, tray), body.size_mm), grow)
        beyond = np.asarray(shot.mask & ~whole, np.uint8)
        left.append((beyond, tray.floor.shadowy(shot.seen), (square.x, square.y)))
    return learn_halo(left, tray.settings)
