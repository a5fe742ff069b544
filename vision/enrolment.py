"""From pictures of single dice to a station that can read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from vision.diceset import Kind
from vision.die_size import Pictures, measured_tray, seen_size
from vision.halo import Left, filled, learn_halo
from vision.lens import learnt_lens
from vision.noise import quiet
from vision.patch import Floats, Image, cut, off_centre, uneven, washed_out
from vision.segment import Beside, Mask, grown, without_specks
from vision.squares import Square
from vision.station import Body, Station, StationError
from vision.tints import learn_tints, taken
from vision.topface import Choice, Shot, Weighed, top_faces, visible_side
from vision.tray import Tray
from vision.tray_shape import shaped_by_dice
from vision.viewpoint import Lens

DOUBTFUL = 0.2  # more doubt than most pictures of the same die: to be taken again
TORN = 0.03  # nor more doubt of another place: chance decides between the two
UNEVENLY = 1.5  # times the usual difference of a body's colour between a face's edges
OFF_CENTRE = 0.3  # of half a face: few makers print so far off the middle
USUAL_MM = 16.0  # where nothing tells the size of the first dice
SAME = 0.09  # of a size: what is seen is off by less, most often
PERHAPS = 0.15  # it is hardly ever off by more
LARGER = (1.0, 1.1, 1.21)  # times what is seen: a frame on the top, or a foot, may be seen instead
USUALLY_SEEN = 0.96  # of a sharp-edged top's side
FEW = 3  # faces by which a further kind of dice is measured
SEEN_SO = (0.9, 0.975)  # of a sharp-edged top's side, of most dice
HARDLY_ROUNDED = 0.94  # of it, from which on the whole top may be larger than it may seem
ENOUGH = 4  # faces that tell whether a tray of another size is better
SMALLER = 0.94  # of a tray's size, that is tried next
BETTER = 0.02  # less doubt by which a tray of another size is better
NO_WORSE = 0.1  # doubt by which a size is as good as another
ANOTHER = 0.25  # of a focal length: dice are found anew through such another lens


class Flaw(StrEnum):
    """Why a picture of a face should be taken again, though the face was learnt."""

    UNCLEAR = "unclear"  # one edge of the face hardly shows
    SHADOW = "shadow"  # the face is lit otherwise at one edge than at the others
    GLARE = "glare"  # a lamp mirrored by the whole face: any face in glare would look like it
    WASHED_OUT = "washed_out"  # so much light fell on the face that its print is hardly seen
    TWO_PLACES = "two_places"  # the face may as well lie in another place
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
    tray = replace(seen, picture=station.tray.picture, settings=station.tray.settings)
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
    halo, shades = _surroundings(tray, body, shots, squares)
    seen = tray.settings.tint_seen * len(shots) * body.side**2
    learnt = replace(
        station,
        tray=replace(tray, tints=learn_tints(shades, seen, tray.tints, tray.settings)),
        dice=station.dice.with_kind(kind),
        bodies={**station.bodies, name: body},
        halo=np.asarray(station.halo | halo, np.uint8),
    )
    flaws = _flaws(shots, tops, shown, plain=kind.reads == "colour")
    for face in learnt.sheens[name].faces if name in learnt.sheens else ():
        flaws[face] = (*flaws.get(face, ()), Flaw.GLARE)
    left_out = lying.left_out(faces)
    for face in left_out:
        flaws[face] = (Flaw.NO_DIE, *flaws.get(face, ()))
    return Learnt(learnt, flaws, left_out)


def likely_size(station: Station, name: str, faces: Pictures) -> float:
    """The size in mm of a kind of dice of which nobody told it.

    Before the tray's size is known, what was said when it was calibrated, or a usual size. Then as
    it is seen beside the tray; where that is about a size that was told or the size of another
    kind, and dice of that size would be seen so, it is that: sets are mostly made in one size, and
    what is seen is less exact.
    """
    told = station.told_mm
    if not station.size_known:
        return told or USUAL_MM
    own = station.bodies.get(name)
    others = [body.size_mm for kind, body in station.bodies.items() if kind != name]
    known = [size for size in (own and own.size_mm, told, *others) if size]
    about = seen_size(station, faces)
    if about is None:
        return known[0] if known else USUAL_MM
    seen = _by_tops(station, name, faces, about)
    nearest = min(known, key=lambda size: abs(np.log(size / seen)), default=None)
    return nearest if nearest and _seen_so(station, name, faces, nearest, seen) else seen


def _by_tops(station: Station, name: str, faces: Pictures, about: float) -> float:
    """The size in mm of dice that seem ``about`` so large, by where their tops are found.

    Of too small a die the top explains less of what is seen, of a larger one as much: then the
    top is seen the smaller.
    """
    few = {face: frames[:1] for face, frames in list(faces.items())[:FEW]}

    def measured(*sizes: float) -> float:
        tried = [_found(station, name, few, size) for size in sizes]
        best = min(tried, key=lambda lying: lying.doubt)
        return station.tray.size_of_top(best.body.side / USUALLY_SEEN)

    try:
        return measured(measured(*(about * times for times in LARGER)))
    except StationError:
        return about


def _seen_so(station: Station, name: str, faces: Pictures, size_mm: float, seen: float) -> bool:
    """Whether dice of ``size_mm`` may be ``seen`` as so large, and their tops as most dice's are.

    Where those sizes are further apart, their tops must be no larger than they may be seen, either,
    and be found as well.
    """
    apart = abs(np.log(size_mm / seen))
    if apart > PERHAPS:
        return False
    try:
        lying = _found(station, name, faces, size_mm)
        if lying.share < SEEN_SO[0]:
            return False
        if apart < SAME:
            return True
        doubt = _found(station, name, faces, seen).doubt
    except StationError:
        return False
    return lying.share <= SEEN_SO[1] and lying.doubt <= doubt + NO_WORSE


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

    @property
    def share(self) -> float:
        """How much of a sharp-edged top's side is seen."""
        return self.body.side / self.station.tray.top_side(self.dice_mm)

    @property
    def doubt(self) -> float:
        """What speaks against a face, on average."""
        return float(np.mean([top.doubt for top in self.tops]))

    def seen_on(self, tray: Tray) -> dict[int, Square]:
        """Where the faces lie on another ``tray`` of the same pictures, by the frames' numbers."""
        own = self.station.tray
        return {
            id(shot.frame): Square.about(
                tray.to_rectified(own.to_frame(square.corners)), square.edge
            )
            for shot, square in zip(self.shots, self.squares, strict=True)
        }

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
    return _again(lying, lambda: _seen_as(_through(station, lens), name, faces, dice_mm, lying))


def _again(lying: _Lying, look: Callable[[], _Lying]) -> _Lying:
    """What another ``look`` finds: through the right lens dice that were found are found again."""
    try:
        again = look()
    except StationError:
        return lying
    return again if len(again.shots) >= len(lying.shots) else lying


def _through(station: Station, lens: Lens) -> Station:
    return replace(station, tray=replace(station.tray, lens=lens))


def _seen_as(
    station: Station, name: str, faces: Pictures, dice_mm: float, before: _Lying | None = None
) -> _Lying:
    """The dice found, once the tray's size is known; ``before`` as in `_found`."""
    if station.size_known:
        return _found(station, name, faces, dice_mm, before)
    tray = measured_tray(station.tray, faces, dice_mm)
    if tray is None:
        raise _no_die(name, faces)
    known = replace(station, tray=tray, size_known=True)
    lying = _sized(known, name, faces, dice_mm, before)
    shaped = shaped_by_dice(lying.station.tray, lying.shots, lying.squares)
    if shaped is lying.station.tray:
        return lying
    return _again(lying, lambda: _found(replace(known, tray=shaped), name, faces, dice_mm, lying))


def _sized(
    known: Station, name: str, faces: Pictures, dice_mm: float, before: _Lying | None
) -> _Lying:
    """The dice found on a tray of about the known size; ``before`` as in `_found`."""
    lying = _found(known, name, faces, dice_mm, before)
    # No top is seen larger than it is: the tray may be smaller. Of few faces chance would decide.
    while len(faces) >= ENOUGH and lying.share > HARDLY_ROUNDED:
        tried = _smaller(lying, name, faces)
        better = (other for other, gain in tried if other.doubt <= lying.doubt - gain)
        other = next(better, None)
        if other is None:
            break
        lying = other
    return lying


def _smaller(lying: _Lying, name: str, faces: Pictures) -> Iterator[tuple[_Lying, float]]:
    """The dice found on trays one and two steps smaller, and what each must gain to be better.

    One step alone may gain next to nothing where the size is several steps off. None so small that
    less of a top would be seen than of most dice: larger bodies explain hard shadows, too.
    """
    station = lying.station
    for steps in (1, 2):
        smaller = replace(station, tray=station.tray.resized(SMALLER**steps))
        try:
            other = _found(smaller, name, faces, lying.dice_mm, lying)
        except StationError:
            return
        if other.share < SEEN_SO[0]:
            return
        yield other, steps * BETTER


def _found(
    station: Station, name: str, faces: Pictures, dice_mm: float, before: _Lying | None = None
) -> _Lying:
    """The dice found on a tray of known size.

    ``before``: where they were found when the tray was seen a little otherwise; they may lie there.
    """
    tray = station.tray
    known = before.seen_on(tray) if before else {}
    guess = tray.top_side(dice_mm)
    tried = [Shot.of(tray, face, frame, guess) for face in faces for frame in faces[face]]
    shots = [shot for shot in tried if shot is not None]
    choices = [Choice.of(tray, shot, guess, dice_mm, known.get(id(shot.frame))) for shot in shots]
    tops = top_faces(choices, visible_side(choices, guess))
    found = [(shot, top) for shot, top in zip(shots, tops, strict=True) if top is not None]
    missing = set(faces) - {shot.face for shot, _ in found}
    if missing:
        raise _no_die(name, sorted(missing))
    return _Lying(station, [shot for shot, _ in found], [top for _, top in found], dice_mm)


def _flaws(
    shots: Sequence[Shot], tops: Sequence[Weighed], shown: Sequence[Image], plain: bool
) -> dict[str, tuple[Flaw, ...]]:
    """What is wrong with pictures: more doubtful than most of this die, of two minds, too light."""
    limit = float(np.median([top.doubt for top in tops])) + DOUBTFUL
    found: dict[str, tuple[Flaw, ...]] = {}
    for shot, top, patch in zip(shots, tops, shown, strict=True):
        why = [Flaw.WASHED_OUT] if not plain and washed_out(patch) else []
        if top.ahead < TORN:
            why.append(Flaw.TWO_PLACES)
        elif top.doubt > limit:
            why.append(_flaw(top, patch, plain))
        if why:
            found[shot.face] = tuple(dict.fromkeys((*found.get(shot.face, ()), *why)))
    return found


def _flaw(top: Weighed, patch: Image, plain: bool) -> Flaw:
    if top.fit.apart > UNEVENLY:
        return Flaw.SHADOW
    return Flaw.OFF_CENTRE if not plain and off_centre(patch) > OFF_CENTRE else Flaw.UNCLEAR


def _surroundings(
    tray: Tray, body: Body, shots: Sequence[Shot], squares: Sequence[Square]
) -> tuple[Mask, Floats]:
    """The halo: what the dice changed beyond their own outlines. And the shades (n, 3) among it
    that have a tint (`vision.tints`).
    """
    grow = tray.settings.body_slack * tray.settings.scale
    left, shades = [], []
    for shot, square in zip(shots, squares, strict=True):
        whole = filled(shot.mask, tray.body(body.true_top(square, tray), body.size_mm), grow)
        light = tray.floor.beside(shot.seen)
        hinted = grown(shot.mask, light.changed_by(1 - tray.settings.faint))
        shade = _shade(shot, light, tray.settings.shade_widest * square.side**2)
        beyond, beside, dim = (whole.taken_off(mask) for mask in (shot.mask, hinted, shade))
        left.append(Left(beyond, beside, shot.shadowy, (square.x, square.y), dim))
        dyed = without_specks(beyond & light.dyed, tray.settings)  # a body's rim is no shade
        shades.append(taken(light.shares, dyed > 0))
    return learn_halo(left, tray.settings), np.concatenate(shades)


def _shade(shot: Shot, light: Beside, widest: float) -> Mask:
    """Where a die takes light (255); nowhere where light fell on more than ``widest`` pixels.

    Then a lamp was turned down since the empty tray was seen.
    """
    shade = grown(shot.mask, light.shade)
    return shade if cv2.countNonZero(shade) <= widest else np.zeros_like(shade)


def _no_die(name: str, faces: Iterable[str]) -> StationError:
    return StationError(
        "No single {name} die was found in the pictures of {faces}; "
        "put one die near the middle of the tray and take them again",
        name=name,
        faces=", ".join(faces),
    )
