"""From pictures of single dice to a station that can read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from vision.diceset import Kind
from vision.halo import Left, filled, learn_halo
from vision.lens import learnt_lens
from vision.noise import quiet
from vision.patch import Floats, Image, cut, off_centre, uneven
from vision.segment import Beside, Mask, grown, objects
from vision.squares import Square, SquareSearch
from vision.station import Body, Station, StationError
from vision.topface import Choice, Shot, Weighed, lone_face, top_faces, visible_side
from vision.tray import Tray
from vision.viewpoint import Lens

DOUBTFUL = 0.2  # more doubt than most pictures of the same die: to be taken again
UNEVENLY = 1.5  # times the usual difference of a body's colour between a face's edges
OFF_CENTRE = 0.3  # of half a face: few makers print so far off the middle
ANOTHER = 0.25  # of a focal length: dice are found anew through such another lens
LESS_CLEAR = 0.02  # of a square's edge: it counts less by a factor e
VISIBLE = 0.97  # of a die's side lies between the edges that are found
Pictures = Mapping[str, Sequence[Image]]  # of each face


class Flaw(StrEnum):
    """Why a picture of a face should be taken again, though the face was learnt."""

    UNCLEAR = "unclear"  # one edge of the face hardly shows
    SHADOW = "shadow"  # the face is lit otherwise at one edge than at the others
    OFF_CENTRE = "off_centre"  # the print lies off the middle: perhaps this is not the face
    NO_DIE = "no_die"  # no single die was found: the picture was left out


@dataclass(frozen=True)
class Learnt:
    """A station with a kind of dice learnt, and the faces that should be shown again.

    ``left_out``: which of a face's pictures showed no die, so that only its others count.
    """

    station: Station
    flaws: Mapping[str, tuple[Flaw, ...]]
    left_out: Mapping[str, tuple[int, ...]]


def enrol(station: Station, name: str, faces: Pictures, dice_mm: float) -> Station:
    """The station with a kind of dice learnt, as `learn` gives it."""
    return learn(station, name, faces, dice_mm).station


def learn(station: Station, name: str, faces: Pictures, dice_mm: float) -> Learnt:
    """Learn a kind of dice from tray pictures of one die each, that face up.

    ``dice_mm`` is the die's size. Raises StationError naming the faces of which no picture
    shows a die.
    """
    if not any(station.tray.is_noisy(frame) for frames in faces.values() for frame in frames):
        return _learn(station, name, faces, dice_mm)
    clear = {face: [quiet(frame) for frame in frames] for face, frames in faces.items()}
    learnt = _learn(station.quiet, name, clear, dice_mm)
    # Noise is of these pictures: others are to be looked at beside the tray as it was calibrated.
    seen = learnt.station.tray
    tray = replace(station.tray, size_mm=seen.size_mm, lens=seen.lens)
    return replace(learnt, station=replace(learnt.station, tray=tray))


def _learn(station: Station, name: str, faces: Pictures, dice_mm: float) -> Learnt:
    lying = _lying(station, name, faces, dice_mm)
    station, shots, tops = lying.station, lying.shots, lying.tops
    tray, squares = station.tray, lying.squares
    shown = [
        cut(shot.frame, tray.to_frame(square.corners))
        for shot, square in zip(shots, squares, strict=True)
    ]
    patches: dict[str, list[Image]] = {}
    for shot, patch in zip(shots, shown, strict=True):
        patches.setdefault(shot.face, []).append(patch)
    kind = Kind.of(name, patches, tray.white)
    body = replace(lying.body, spread=max(uneven(patch) for patch in shown))
    halo = _halo(tray, body, shots, squares)
    learnt = replace(
        station,
        dice=station.dice.with_kind(kind),
        bodies={**station.bodies, name: body},
        halo=np.asarray(station.halo | halo, np.uint8),
    )
    flaws = _flaws(shots, tops, shown, plain=kind.reads == "colour")
    left_out = lying.left_out(faces)
    for face in left_out:
        flaws[face] = (Flaw.NO_DIE, *flaws.get(face, ()))
    return Learnt(learnt, flaws, left_out)


@dataclass(frozen=True)
class _Lying:
    """A station, its pictures of one die each and the die's top face in each."""

    station: Station
    shots: Sequence[Shot]
    tops: Sequence[Weighed]
    dice_mm: float

    @property
    def squares(self) -> list[Square]:
        return [top.square for top in self.tops]

    @property
    def body(self) -> Body:
        side = float(np.median([square.side for square in self.squares]))
        return Body(side, self.dice_mm, 0.0)

    def left_out(self, faces: Pictures) -> dict[str, tuple[int, ...]]:
        """Which of the pictures given show no die, of the faces that have such."""
        used = {id(shot.frame) for shot in self.shots}
        lost = {
            face: tuple(n for n, frame in enumerate(frames) if id(frame) not in used)
            for face, frames in faces.items()
        }
        return {face: numbers for face, numbers in lost.items() if numbers}


def _lying(station: Station, name: str, faces: Pictures, dice_mm: float) -> _Lying:
    """The dice found, seen through the lens that they and those learnt before tell."""
    lying = _seen_as(station, name, faces, dice_mm)
    tray = lying.station.tray
    lens = learnt_lens(tray, lying.shots, lying.squares, lying.body)
    if abs(np.log(lens.focal / tray.focal)) < ANOTHER:
        return replace(lying, station=_through(lying.station, lens))
    try:
        again = _seen_as(_through(station, lens), name, faces, dice_mm)
    except StationError:
        return lying
    # Through the right lens dice that were found are found again.
    return again if len(again.shots) >= len(lying.shots) else lying


def _through(station: Station, lens: Lens) -> Station:
    return replace(station, tray=replace(station.tray, lens=lens))


def _seen_as(station: Station, name: str, faces: Pictures, dice_mm: float) -> _Lying:
    """The dice found, once the tray's size is known."""
    station = station if station.size_known else measured(station, faces, dice_mm)
    tray = station.tray
    guess = tray.top_side(dice_mm)
    tried = [Shot.of(tray, face, frame, guess) for face in faces for frame in faces[face]]
    shots = [shot for shot in tried if shot is not None]
    choices = [Choice.of(tray, shot, guess, dice_mm) for shot in shots]
    tops = top_faces(choices, visible_side(choices, guess))
    found = [(shot, top) for shot, top in zip(shots, tops, strict=True) if top is not None]
    missing = set(faces) - {shot.face for shot, _ in found}
    if missing:
        raise _no_die(name, sorted(missing))
    return _Lying(station, [shot for shot, _ in found], [top for _, top in found], dice_mm)


def _flaws(
    shots: Sequence[Shot], tops: Sequence[Weighed], shown: Sequence[Image], plain: bool
) -> dict[str, tuple[Flaw, ...]]:
    """What is wrong with the pictures that are much more doubtful than most of the same die."""
    limit = float(np.median([top.doubt for top in tops])) + DOUBTFUL
    found: dict[str, tuple[Flaw, ...]] = {}
    for shot, top, patch in zip(shots, tops, shown, strict=True):
        if top.doubt > limit:
            flaw = _flaw(top, patch, plain)
            found[shot.face] = tuple(dict.fromkeys((*found.get(shot.face, ()), flaw)))
    return found


def _flaw(top: Weighed, patch: Image, plain: bool) -> Flaw:
    if top.fit.apart > UNEVENLY:
        return Flaw.SHADOW
    return Flaw.OFF_CENTRE if not plain and off_centre(patch) > OFF_CENTRE else Flaw.UNCLEAR


def measured(station: Station, faces: Pictures, dice_mm: float) -> Station:
    """The station with its tray's size told by dice of ``dice_mm``, whose bodies fill their sides.

    What changed around a lone die is at least its top. Many squares have an edge all round: its
    top, its foot, both together. The middle of all pictures' squares is taken, each counting
    by how clear it is beside its picture's clearest.
    """
    tray = station.tray
    found = [_outlined(tray, frame) for frames in faces.values() for frame in frames[:1]]
    if not any(found):
        raise _no_die("such", faces)
    sides = np.array([one.side for group in found for one in group])
    edges = [np.array([one.edge for one in group]) for group in found if group]
    likely = np.concatenate([np.exp((each - each.max()) / LESS_CLEAR) for each in edges])
    side = _middle(sides, likely)
    bare = Station.bare(tray.resized(tray.top_side(dice_mm) * VISIBLE / side))
    return replace(bare, dice=station.dice)


def _outlined(tray: Tray, frame: Image) -> list[Square]:
    """The clearest square of each size on the largest change of a picture."""
    tray, frame = tray.without_noise(frame)
    seen = tray.rectify(frame)
    things = objects(tray.floor.changed(seen), 30.0)
    if not things:
        return []
    search = SquareSearch(seen, things[0], tray.settings)
    rough = float(np.sqrt(cv2.countNonZero(things[0])))
    found = (search.find(rough * share, 0.04) for share in np.arange(0.55, 1.1, 0.05))
    return [squares[0] for squares in found if squares]


def _middle(values: Floats, weights: Floats) -> float:
    """The median of ``values`` (n,), each counting as often as its weight says."""
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(below, below[-1] / 2)])


def top_face(
    tray: Tray,
    frame: Image,
    seen: Image,
    beside: Beside,
    mask: Mask,
    dice_mm: float,
    slack: float,
) -> Square | None:
    """The likeliest top face of a lone die of about ``dice_mm`` before its kind is learnt.

    ``seen`` is the rectified ``frame``, ``beside`` it beside the empty tray, ``mask`` what changed
    on it; ``slack`` is how far the visible face may differ from the size of the die.
    """
    side = tray.top_side(dice_mm) * VISIBLE
    if cv2.countNonZero(mask) < tray.settings.least_area * side**2:
        return None
    return lone_face(tray, Shot.on("", frame, seen, beside, mask, side), side, dice_mm, slack)


def _halo(tray: Tray, body: Body, shots: Sequence[Shot], squares: Sequence[Square]) -> Mask:
    """What the dice changed beyond their own outlines."""
    grow = tray.settings.body_slack * tray.settings.scale
    left = []
    for shot, square in zip(shots, squares, strict=True):
        whole = filled(shot.mask, tray.body(body.true_top(square, tray), body.size_mm), grow)
        hinted = grown(shot.mask, tray.floor.beside(shot.seen).changed_by(1 - tray.settings.faint))
        beyond, beside = whole.taken_off(shot.mask), whole.taken_off(hinted)
        left.append(Left(beyond, beside, shot.shadowy, (square.x, square.y)))
    return learn_halo(left, tray.settings)


def _no_die(name: str, faces: Iterable[str]) -> StationError:
    return StationError(
        "No single {name} die was found in the pictures of {faces}; "
        "put one die near the middle of the tray and take them again",
        name=name,
        faces=", ".join(faces),
    )
