"""Teaching dice: pictures taken one face at a time, learnt, tried out, then put in use."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2

from companion.auth import KeyValues
from companion.rules.model import Line
from companion.setup.lookout import Lookout
from companion.setup.model import (
    MOST_PER_FACE,
    PER_FACE,
    DiceDraft,
    DieLook,
    FaceState,
    SetupRefused,
    TryOut,
)
from companion.setup.tray import JPEG, Stations
from hardware.camera import Frame
from vision.diceset import names_colours
from vision.die_size import DICE_MM, measured_tray, other_size
from vision.enrolment import learn
from vision.patch import Image
from vision.pipeline import read_burst
from vision.reading import Quad, Reading
from vision.squares import Square
from vision.station import Station
from vision.symbols import FaceBank
from vision.teaching import Doubt, Glimpse, glimpse, resembles, still, turned
from vision.tray import Tray

STILL_FRAMES = 4
_LABEL = "dice_set."
_SAID: Mapping[Doubt, Line] = {
    Doubt.EMPTY: Line("Put one die in the tray, this face up."),
    Doubt.HAND: Line("Take the hand away."),
    Doubt.SEVERAL: Line("Leave only one die in the tray."),
    Doubt.UNCLEAR: Line("The die is not seen clearly; lay it flat, away from the wall."),
    Doubt.OUTSIDE: Line("Too near the wall; move it towards the middle."),
    Doubt.DARK: Line("Too dark here; move it into the light."),
    Doubt.GLARE: Line("Glare on the die; move it a little."),
    Doubt.WASHED_OUT: Line("Too bright, its print is hardly seen; turn the lamp down."),
    Doubt.TWO_FACES: Line("More than one face is seen? Lay the die flat, towards the middle."),
}
_MOVING = Line("Hold still…")
_TURN = Line("Good. Now turn it a little, or lay it somewhere else.")
_NEXT = Line("Good. Now lay it with this face up.")
_GOOD = Line("Good, hold on…")
_ENOUGH = Line("That is enough of this face.")
_ALL = Line("Every face has its pictures: learn them now.")
_READ = Line("All of it is read without doubt.")


@dataclass(frozen=True)
class _Taken:
    """One picture: the whole frame it is learnt from, and the face seen beforehand."""

    frame: Image
    square: Square
    patch: Image


@dataclass(frozen=True)
class _Draft:
    kind: str
    label: str
    dice_mm: int
    tray: Tray  # with a guess of its size, where no die has told it yet
    size_known: bool
    taken: Mapping[str, tuple[_Taken, ...]]
    wanted: Mapping[str, int]
    last: _Taken | None = None  # the newest picture of any face: the die may still lie there
    trial: Station | None = None
    alike: Mapping[str, tuple[str, ...]] | None = None
    looks_mm: int | None = None  # as learnt, where that is not as was said

    def patches(self) -> dict[str, list[Image]]:
        """The faces seen beforehand, by face."""
        return {face: [each.patch for each in group] for face, group in self.taken.items()}


@dataclass(frozen=True)
class _Seen:
    """The last look: what a picture would be taken of."""

    view: DieLook
    face: str
    frame: Image
    glimpse: Glimpse


class Dice:
    """One draft at a time, in memory; the dice in use stay until it is saved."""

    def __init__(self, stations: Stations, lookout: Lookout, store: KeyValues) -> None:
        self._stations = stations
        self._lookout = lookout
        self._store = store
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._draft: _Draft | None = None
        self._seen: _Seen | None = None
        self._tried: tuple[int, TryOut, Image] | None = None  # frame number, what was read, where

    def begin(self, kind: str, label: str, faces: Sequence[str], dice_mm: int) -> None:
        """Begin to teach a kind of dice. Raises SetupRefused."""
        station = self._stations.current
        if station is None:
            raise SetupRefused("no_tray", "Calibrate the tray first; dice are found in it.")
        if not 2 <= len(set(faces)) == len(faces) <= 6:
            raise SetupRefused("bad_faces", "Choose 2 to 6 different faces.")
        _check(dice_mm)
        with self._lock:
            self._seen = self._tried = None
            none: dict[str, tuple[_Taken, ...]] = dict.fromkeys(faces, ())
            wanted = dict.fromkeys(faces, PER_FACE)
            self._draft = _Draft(
                kind, label, dice_mm, station.tray, station.size_known, none, wanted
            )

    def draft(self) -> DiceDraft | None:
        """What is being taught."""
        draft = self._draft
        if draft is None:
            return None
        alike = draft.alike or {}
        faces = tuple(
            FaceState(face, len(group), draft.wanted[face], alike.get(face, ()))
            for face, group in draft.taken.items()
        )
        learnt = draft.trial is not None
        return DiceDraft(draft.kind, draft.label, draft.dice_mm, faces, learnt, draft.looks_mm)

    def look(self, face: str) -> DieLook:
        """What the camera makes of the die now, as a picture of ``face``. Raises SetupRefused."""
        with self._lock:
            draft = self._teaching(face)
            self._lookout.hold()
            frames = self._recent()
            if not still([frame.bgr for frame in frames]):
                return self._remember(face, frames[-1].bgr, Glimpse(()), _only(frames, _MOVING))
            picture = frames[-1].bgr
            draft = self._measured(draft, face, picture)
            printed = not names_colours(draft.taken)
            found = glimpse(draft.tray, picture, draft.dice_mm, printed=printed)
            return self._remember(face, picture, found, _judged(draft, face, picture, found))

    def now(self) -> bytes | None:
        """The picture that was looked at last, as JPEG."""
        if self._draft is not None and self._draft.trial is not None and self._tried:
            return _jpeg(self._tried[2])
        return _jpeg(self._seen.frame) if self._seen else None

    def crop(self) -> bytes | None:
        """The die's face in it as it would be learnt, as JPEG."""
        patch = self._seen.glimpse.patch if self._seen else None
        return _jpeg(patch) if patch is not None else None

    def take(self, face: str, number: int) -> None:
        """Take the picture of look ``number``. Raises SetupRefused."""
        with self._lock:
            draft, seen = self._teaching(face), self._seen
            if seen is None or seen.face != face or seen.view.number != number:
                raise SetupRefused("gone", "The picture has changed meanwhile; look again.")
            if not seen.view.can_take or not seen.glimpse.square or seen.glimpse.patch is None:
                raise SetupRefused("unfit", "This picture cannot be learnt from.")
            fresh = _Taken(seen.frame, seen.glimpse.square, seen.glimpse.patch)
            self._with(draft, face, (*draft.taken[face], fresh))

    def remove(self, face: str, index: int) -> None:
        """Take a picture out again. Raises SetupRefused."""
        with self._lock:
            draft = self._teaching(face)
            group = draft.taken[face]
            if not 0 <= index < len(group):
                raise SetupRefused("gone", "This picture is not there any more.")
            self._with(draft, face, (*group[:index], *group[index + 1 :]))

    def taken(self, face: str, index: int) -> bytes | None:
        """A picture that was taken, as learnt, as JPEG."""
        draft = self._draft
        if draft is None or not 0 <= index < len(draft.taken.get(face, ())):
            return None
        if draft.trial is not None:
            return _jpeg(draft.trial.dice.kinds[draft.kind].exemplars[face][index])
        return _jpeg(draft.taken[face][index].patch)

    def learn(self, dice_mm: int | None = None) -> None:
        """Learn the faces from their pictures, as dice of another size if it is told.

        Raises SetupRefused.
        """
        if dice_mm is not None:
            _check(dice_mm)
        with self._lock:
            draft, station = self._draft, self._stations.current
            if draft is None or station is None:
                raise SetupRefused("no_draft", "Show the faces to the camera first.")
            if not all(draft.taken.values()):
                raise SetupRefused("unshown", "Every face needs a picture at least.")
            self._lookout.hold()
            frames = {face: [t.frame for t in group] for face, group in draft.taken.items()}
            size = dice_mm or draft.dice_mm
            try:
                learnt = learn(station, draft.kind, frames, size)
            except ValueError as fault:
                raise SetupRefused("unlearnt", "{fault}.", fault=str(fault)) from fault
            taken = {
                face: _without(group, learnt.left_out.get(face, ()))
                for face, group in draft.taken.items()
            }
            alike = _alike(learnt.station, draft.kind)
            wanted = {
                face: max(n, len(taken[face]) + 1) if face in alike else n
                for face, n in draft.wanted.items()
            }
            looks = other_size(station, frames, size)
            self._draft = replace(
                draft,
                dice_mm=size,
                taken=taken,
                trial=learnt.station,
                alike=alike,
                wanted=wanted,
                looks_mm=None if looks is None else round(looks),
            )

    def try_out(self) -> TryOut:
        """Read what lies in the tray with what was learnt. Raises SetupRefused."""
        with self._lock:
            draft = self._draft
            if draft is None or draft.trial is None:
                raise SetupRefused("unlearnt", "Learn the dice first.")
            self._lookout.hold()
            frames = self._recent()
            if not still([frame.bgr for frame in frames]):
                return _tried(next(self._numbers), frames, None, (_MOVING,))
            if self._tried is None or not _same(self._tried[2], frames[-1].bgr):
                reading = read_burst([frame.bgr for frame in frames], draft.trial)
                lines = tuple(map(Line, reading.sentences())) or (_READ,)
                view = _tried(next(self._numbers), frames, reading, lines)
                self._tried = (frames[-1].seq, view, frames[-1].bgr)
            return self._tried[1]

    def save(self) -> None:
        """Use the dice from now on. Raises SetupRefused."""
        with self._lock:
            draft = self._draft
            if draft is None or draft.trial is None:
                raise SetupRefused("unlearnt", "Learn the dice first.")
            self._stations.save(draft.trial)
            self._store.set_setting(_LABEL + draft.kind, draft.label)
            self._draft = self._seen = self._tried = None

    def drop(self) -> None:
        """Forget what was taught and not saved."""
        with self._lock:
            self._draft = self._seen = self._tried = None

    def labels(self) -> dict[str, str]:
        """What people call the dice in use, by kind."""
        station = self._stations.current
        kinds = station.dice.kinds if station is not None else ()
        return {kind: self._store.get_setting(_LABEL + kind) or "" for kind in kinds}

    def _teaching(self, face: str) -> _Draft:
        if self._draft is None or face not in self._draft.taken:
            raise SetupRefused("no_draft", "These dice are not being taught any more.")
        return self._draft

    def _recent(self) -> list[Frame]:
        frames = self._lookout.newest()[-STILL_FRAMES:]
        if not frames:
            raise SetupRefused("no_picture", "The camera sends no picture; check its cable.")
        height, width = frames[-1].bgr.shape[:2]
        station = self._stations.current
        if station is not None and station.tray.frame_size != (width, height):
            raise SetupRefused("other_size", "Another camera than before: calibrate the tray anew.")
        return frames

    def _with(self, draft: _Draft, face: str, group: tuple[_Taken, ...]) -> None:
        """The draft with other pictures of a face; what was learnt is out of date."""
        taken = {**draft.taken, face: group}
        last = group[-1] if len(group) > len(draft.taken[face]) else draft.last
        self._draft = replace(draft, taken=taken, last=last, trial=None, alike=None)
        self._tried = None

    def _remember(self, face: str, frame: Image, found: Glimpse, view: DieLook) -> DieLook:
        numbered = replace(view, number=next(self._numbers))
        self._seen = _Seen(numbered, face, frame, found)
        return numbered

    def _measured(self, draft: _Draft, face: str, picture: Image) -> _Draft:
        """The draft with the size of its tray as this die tells it, where it is not known."""
        if draft.size_known or self._stations.current is None:
            return draft
        tray = measured_tray(self._stations.current.tray, {face: [picture]}, draft.dice_mm)
        if tray is None:
            return draft
        self._draft = replace(draft, tray=tray, size_known=True)
        return self._draft


def _check(dice_mm: int) -> None:
    if not DICE_MM[0] <= dice_mm <= DICE_MM[1]:
        raise SetupRefused("bad_size", "Dice measure 8 to 40 mm.")


def _without(group: tuple[_Taken, ...], left_out: tuple[int, ...]) -> tuple[_Taken, ...]:
    return tuple(each for number, each in enumerate(group) if number not in left_out)


def _judged(draft: _Draft, face: str, picture: Image, found: Glimpse) -> DieLook:
    """What to say of a still picture, and whether it may be taken."""
    height, width = picture.shape[:2]
    view = DieLook(0, (width, height), tuple(_SAID[doubt] for doubt in found.doubts))
    if found.patch is None or found.square is None or found.quad is None:
        return view
    a, b, c, d = ((float(x), float(y)) for x, y in found.quad)
    quad: Quad = (a, b, c, d)
    view = replace(view, quad=quad)
    group = draft.taken[face]
    if len(group) >= MOST_PER_FACE:
        return replace(view, lines=(_ENOUGH,))
    if all(len(each) >= draft.wanted[name] for name, each in draft.taken.items()):
        return replace(view, lines=(_ALL,), can_take=True)
    last = draft.last
    if last and not turned(found.square, found.patch, last.square, last.patch):
        return replace(view, lines=(_TURN if group else _NEXT,))
    view = replace(view, can_take=True)
    if other := resembles(found.patch, draft.patches(), face, draft.tray.white):
        lines = (*view.lines, _alike_line(other))
        return replace(view, lines=lines, looks_like=other)
    return view if found.doubts else replace(view, lines=(_GOOD,), ready=True)


def _alike_line(face: str) -> Line:
    return Line(
        "This looks like {face}, which was shown already. Is it really this face?", {"face": face}
    )


def _only(frames: Sequence[Frame], said: Line) -> DieLook:
    height, width = frames[-1].bgr.shape[:2]
    return DieLook(0, (width, height), (said,))


def _tried(
    number: int, frames: Sequence[Frame], reading: Reading | None, lines: tuple[Line, ...]
) -> TryOut:
    height, width = frames[-1].bgr.shape[:2]
    return TryOut(number, (width, height), lines, reading)


def _same(one: Image, other: Image) -> bool:
    """Whether two pictures show the same still tray."""
    return one is other or still([one, other])


def _alike(station: Station, kind: str) -> dict[str, tuple[str, ...]]:
    """Faces of ``kind`` that resemble each other, each with those it resembles."""
    bank = station.dice.kinds[kind].bank
    pairs = bank.look_alikes() if isinstance(bank, FaceBank) else []
    found: dict[str, tuple[str, ...]] = {}
    for one, other, _ in pairs:
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    return found


def _jpeg(picture: Image) -> bytes | None:
    done, coded = cv2.imencode(".jpg", picture, JPEG)
    return coded.tobytes() if done else None
