"""The dice in a rectified tray, and whatever else lies there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np

from vision.align import Poses
from vision.colours import CubeBank
from vision.faces import read_face
from vision.halo import explained, filled
from vision.leaning import Standing
from vision.patch import MARGIN, Floats, Image, cut, uneven
from vision.reading import DieReading, Quad, Reason
from vision.segment import Beside, Mask, disc, grown, objects
from vision.settings import SceneSettings
from vision.squares import Square, SquareSearch, turned_apart
from vision.standing import Evidence, clearances
from vision.station import Body, Station
from vision.tray import Tray
from vision.window import Area

MOST_DICE = 12


@dataclass(frozen=True)
class Found:
    """A die in the rectified tray: its top face and what it reads."""

    square: Square
    die: DieReading
    fit: float  # how believable it is that a die lies there
    stretch: float  # how much longer than wide its print is seen; 1 where there is none
    pose: Poses | None = None  # (3, 3): where in the patch of the square its print lies


@dataclass(frozen=True)
class Seen:
    """One frame prepared for reading."""

    frame: Image
    rectified: Image
    beside: Beside  # the empty tray
    station: Station
    # Later looks at a region try what earlier ones tried: each is searched and read once.
    _searches: dict[bytes, SquareSearch] = field(default_factory=dict)
    _judged: dict[tuple[Square, str], Found] = field(default_factory=dict)
    _outlines: dict[tuple[Square, str], Area] = field(default_factory=dict)

    @property
    def mask(self) -> Mask:
        """What changed against the empty tray."""
        return self.beside.changed

    @property
    def shadowy(self) -> Mask:
        """Where the change may be a shadow (1 or 0)."""
        return self.beside.shadowy

    @cached_property
    def wide(self) -> Mask:
        """The change with all that is darker around it: a dark body may pass for its shadow."""
        return grown(self.mask, self.beside.darkened)

    @property
    def settings(self) -> SceneSettings:
        """The scene reader's thresholds."""
        return self.station.tray.settings

    def search(self, mask: Mask) -> SquareSearch:
        """The search for squares on a part of the change."""
        name = mask.tobytes()
        if name not in self._searches:
            self._searches[name] = SquareSearch(self.rectified, mask, self.settings)
        return self._searches[name]

    def judged(self, square: Square, kind: str) -> Found:
        """``square`` read as a die of ``kind``; the fit says how believable that is."""
        if (square, kind) not in self._judged:
            self._judged[square, kind] = _judged(square, kind, self)
        return self._judged[square, kind]

    def outline(self, item: Found) -> Area:
        """The die with its visible sides."""
        name = item.square, item.die.kind
        if name not in self._outlines:
            self._outlines[name] = _outlined(*name, self)
        return self._outlines[name]

    def is_plain(self, kind: str) -> bool:
        """Whether a kind has no print, only its colour."""
        return isinstance(self.station.dice.kinds[kind].bank, CubeBank)

    @property
    def face(self) -> float:
        """Area in pixels of the smallest kind's face."""
        return min(body.side for body in self.station.bodies.values()) ** 2


def scene(frame: Image, station: Station) -> tuple[list[Found], set[Reason]]:
    """Every die on the tray with its reading, and what is wrong with the scene."""
    tray, settings = station.tray, station.tray.settings
    rectified = tray.rectify(frame)
    if rectified.mean() < settings.dark * tray.empty.mean():
        return [], {Reason.DARK}
    seen = Seen(frame, rectified, tray.floor.beside(rectified), station)
    if cv2.countNonZero(seen.mask) > settings.flood * seen.mask.size:
        return [], {Reason.MOVED}
    found, reasons = _dice(seen)
    left = _left_things(seen, found)
    while True:  # what is left may hold dice that are not clear
        more = _doubtful(seen, left, found)
        if more is None or len(found) >= MOST_DICE:
            break
        found.append(more)
        left = _left_things(seen, found)
    reasons |= _strangers(seen, left)
    found = _standing(seen, found)
    if any(_off_floor(item.square, station) for item in found):
        reasons.add(Reason.EDGE)
    if not found and not reasons:
        reasons.add(Reason.NO_DICE)
    return sorted(found, key=lambda item: (item.die.kind, item.square.x)), reasons


def _dice(seen: Seen) -> tuple[list[Found], set[Reason]]:
    """The dice that are plainly there: symbols first, for a shadow may look like a plain cube.

    A known symbol counts even where it is not certain which: no shadow shows one.
    """
    settings = seen.settings
    things = objects(seen.mask, settings.least_area * seen.face)
    most = settings.clump_area * seen.face
    reasons = {Reason.HAND for thing in things if cv2.countNonZero(thing) > most}
    found: list[Found] = []
    for look in (_clear_print, _known_print, _clear_plain):
        for thing in things:
            left = _untaken(seen, found, thing)
            while cv2.countNonZero(thing) <= most and len(found) < MOST_DICE:
                die = look(seen, left, found)
                if die is None:
                    break
                found.append(die)
                left = seen.outline(die).taken_off(left)
    return found, reasons


def _untaken(seen: Seen, found: Sequence[Found], mask: Mask) -> Mask:
    """``mask`` without the outlines of all dice found."""
    left = mask.copy()
    for item in found:
        seen.outline(item).take_off(left)
    return left


def _clear_print(seen: Seen, mask: Mask, found: Sequence[Found]) -> Found | None:
    """The clearest printed die on ``mask`` that is beyond doubt."""
    tried = _printed(seen, mask)
    return next((item for item in tried if item.die.face and not item.die.reasons), None)


def _known_print(seen: Seen, mask: Mask, found: Sequence[Found]) -> Found | None:
    """The likeliest printed die on ``mask`` that shows one of the enrolled faces."""
    least = seen.settings.surely_print
    tried = [item for item in _printed(seen, mask) if item.die.face and item.fit >= least]
    return max(tried, key=lambda item: item.fit, default=None)


def _clear_plain(seen: Seen, mask: Mask, found: Sequence[Found]) -> Found | None:
    """The clearest plain die on ``mask`` that is beyond doubt and no shadow of another."""
    kinds = [kind for kind in seen.station.bodies if seen.is_plain(kind)]
    for square, kind in _squares(seen, mask, kinds):
        if square.edge < seen.settings.clear_edge or _in_shadow(seen, square, found):
            continue
        item = seen.judged(square, kind)
        if not item.die.reasons:
            return item
    return None


def _printed(seen: Seen, mask: Mask) -> Iterator[Found]:
    """Squares of the printed kinds on ``mask``, clearest first, that are not plainly plain."""
    kinds = [kind for kind in seen.station.bodies if not seen.is_plain(kind)]
    for square, kind in _squares(seen, mask, kinds):
        if square.edge >= seen.settings.clear_edge and not _looks_plain(seen, square):
            yield seen.judged(square, kind)


def _looks_plain(seen: Seen, square: Square) -> bool:
    """Whether a square is surely unprinted, so that its print need not be looked for."""
    patch = cut(seen.frame, seen.station.tray.to_frame(square.corners))
    return uneven(patch) < seen.settings.plain / 2


def _in_shadow(seen: Seen, square: Square, found: Sequence[Found]) -> bool:
    """Whether ``square`` shows only the floor in the shadow of dice already found."""
    inside = filled(seen.mask, square.corners, 0.5)
    if inside.share(seen.shadowy) < seen.settings.shadow_share:
        return False
    return inside.share(_explained(seen, found)) > seen.settings.shadow_share


def _squares(seen: Seen, mask: Mask, kinds: Iterable[str]) -> list[tuple[Square, str]]:
    """Squares of ``kinds`` on ``mask``, clearest first; what may be shadow comes last."""
    if cv2.countNonZero(mask) < seen.settings.least_area * seen.face:
        return []
    search = seen.search(mask)
    tried = [
        (square, kind)
        for kind in kinds
        for square in search.find(seen.station.bodies[kind].side)
        if square.edge >= seen.settings.least_edge
    ]

    def rank(item: tuple[Square, str]) -> float:
        square, kind = item
        inside = filled(seen.mask, square.corners, 0.5)
        shadow = 0.5 * inside.share(seen.shadowy) if seen.is_plain(kind) else 0.0
        return shadow + missing(seen, square, kind) - square.edge

    return sorted(tried, key=rank)


def missing(seen: Seen, square: Square, kind: str) -> float:
    """How much of a flat die's outline shows the empty tray, in faces."""
    tray, body = seen.station.tray, seen.station.bodies[kind]
    whole = filled(seen.mask, tray.body(square.corners, body.size_mm), 0.5)
    return float(whole.beyond(seen.mask)) / square.side**2


def _outlined(square: Square, kind: str, seen: Seen) -> Area:
    """A die lying flat with its visible sides."""
    tray = seen.station.tray
    body = seen.station.bodies[kind]
    whole = tray.body(body.true_top(square, tray), body.size_mm)
    return filled(seen.mask, whole, seen.settings.body_slack * seen.settings.scale)


def _left(seen: Seen, found: Sequence[Found], seam: float | None = None) -> Mask:
    """What changed that neither the dice nor their shadows explain.

    Leftovers narrower than ``seam`` mm, by default those of the dice's outlines, are taken off.
    """
    settings = seen.settings
    left = _untaken(seen, found, seen.mask) & ~_explained(seen, found)
    opening = disc((settings.speck if seam is None else seam) * settings.scale)
    return np.asarray(cv2.morphologyEx(left, cv2.MORPH_OPEN, opening), np.uint8)


def _left_things(seen: Seen, found: Sequence[Found]) -> list[Mask]:
    """What is left of the size of something."""
    return objects(_left(seen, found), seen.settings.stranger * seen.face)


def _explained(seen: Seen, found: Sequence[Found]) -> Mask:
    """Where the shadows and glints of the dice found account for the change."""
    centres = [(item.square.x, item.square.y) for item in found]
    return explained(seen.shadowy, seen.station.halo, centres)


def _doubtful(seen: Seen, left: Sequence[Mask], found: Sequence[Found]) -> Found | None:
    """The likeliest die that is not clear: it must explain something that is left.

    It is looked for on what changed; where that shows no face, on what is darker around it too.
    """
    best: Found | None = None
    for wider in (False, True) if left else ():
        free = _untaken(seen, found, seen.wide if wider else seen.mask)
        for item in _explaining(seen, left, free):
            if item.fit > (best.fit if best else seen.settings.believable):
                best = item
        if best is not None and best.die.face is not None:
            break
    return best


def _explaining(seen: Seen, left: Sequence[Mask], free: Mask) -> Iterator[Found]:
    """Dice on ``free`` that would account for something of what is ``left``."""
    settings = seen.settings
    for thing in left:
        if cv2.countNonZero(thing) > settings.hand_area * seen.face:
            continue
        reach = np.asarray(cv2.dilate(thing, disc(2.2 * np.sqrt(seen.face))), np.uint8)
        near = np.asarray(free & reach, np.uint8)
        for square, kind in _squares(seen, near, seen.station.bodies):
            item = seen.judged(square, kind)
            covers = seen.outline(item).common(thing)
            if covers >= 0.5 * min(cv2.countNonZero(thing), seen.face):
                yield item


def _standing(seen: Seen, found: Sequence[Found]) -> list[Found]:
    """The dice, with those that may lean on a wall or on each other marked as cocked."""
    bodies = seen.station.bodies
    placed = [(item.square, bodies[item.die.kind]) for item in found]
    gaps = clearances(placed, seen.station.tray)
    if all(gap > seen.settings.apart for gap in gaps):
        return list(found)
    beyond = _left(seen, found, seen.settings.fine_seam)
    return [
        _cocked(item) if gap <= seen.settings.apart and _leans(seen, item, gap, beyond) else item
        for item, gap in zip(found, gaps, strict=True)
    ]


def _cocked(item: Found) -> Found:
    reasons = tuple(sorted({*item.die.reasons, Reason.COCKED}))
    return replace(item, die=replace(item.die, reasons=reasons))


def _leans(seen: Seen, item: Found, gap: float, beyond: Mask) -> bool:
    """Whether a die that touches something looks unlike one that lies flat."""
    s = seen.settings
    body = seen.station.bodies[item.die.kind]
    around = filled(seen.mask, item.square.corners, 0.5 * body.side)
    tray = seen.station.tray
    shown = None if item.pose is None else printed_at(item.square, item.pose, body, tray)
    standing = Standing(
        seen.rectified, body.true_top(item.square, tray), shown, body.size_mm, tray, s.leaning
    )
    evidence = Evidence(
        gain=standing.gain(),
        stretch=item.stretch,
        excess=float(around.common(beyond)) / body.side**2,
        missing=missing(seen, item.square, item.die.kind),
        overlap=max(0.0, -gap),
    )
    return evidence.lean(s) > 0


def _strangers(seen: Seen, left: Sequence[Mask]) -> set[Reason]:
    """What lies there besides dice."""
    reasons: set[Reason] = set()
    for thing in left:
        large = cv2.countNonZero(thing) > seen.settings.hand_area * seen.face
        border = np.concatenate([thing[0], thing[-1], thing[:, 0], thing[:, -1]])
        hand = large or border.mean() / 255 > 0.01
        reasons.add(Reason.HAND if hand else Reason.FOREIGN)
    return reasons


def _off_floor(square: Square, station: Station) -> bool:
    tray = station.tray
    rim = (tray.settings.rim - 3.0) * tray.settings.scale
    height, width = tray.empty.shape[:2]
    return not (rim < square.x < width - rim and rim < square.y < height - rim)


def _judged(square: Square, kind: str, seen: Seen) -> Found:
    """``square`` read as a die of ``kind``, moved to where its print shows the face to lie."""
    item, pose = _read_at(square, kind, seen)
    if pose is None:
        return item
    meant = recentred(square, pose)
    if not _elsewhere(square, meant, seen.settings):
        return item
    body = seen.station.bodies[kind]
    moved, _ = _read_at(seen.search(seen.mask).near(replace(meant, side=body.side)), kind, seen)
    worse = moved.die.reasons and not item.die.reasons
    return moved if not worse and moved.fit > item.fit + seen.settings.better else item


def _elsewhere(square: Square, other: Square, settings: SceneSettings) -> bool:
    """Whether two squares differ by more than outlines are off."""
    apart = np.hypot(square.x - other.x, square.y - other.y) > settings.off * square.side
    turned = turned_apart(square.turn, other.turn) > settings.crooked
    return bool(apart or turned)


def recentred(square: Square, pose: Poses) -> Square:
    """Where a face lies whose print is seen in the patch of ``square`` through ``pose`` (3, 3)."""
    level = pose / pose[2, 2]
    half = square.side / 2 * (1 + 2 * MARGIN)
    cos, sin = np.cos(np.deg2rad(square.turn)), np.sin(np.deg2rad(square.turn))
    x = square.x + half * (cos * level[0, 2] - sin * level[1, 2])
    y = square.y + half * (sin * level[0, 2] + cos * level[1, 2])
    turn = square.turn + np.rad2deg(np.arctan2(level[1, 0], level[0, 0]))
    return replace(square, x=float(x), y=float(y), turn=float(turn) % 90)


def printed_at(square: Square, pose: Poses, body: Body, tray: Tray) -> Floats:
    """Corners (4, 2) of the sharp-edged top where a face lies whose print ``pose`` shows."""
    level, margin = pose / pose[2, 2], 1 + 2 * MARGIN
    sharp = body.size_mm * tray.enlargement(body.size_mm) * tray.settings.scale / body.side
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sharp / margin
    seen = (corners @ level[:2, :2].T + level[:2, 2]) * square.side / 2 * margin
    cos, sin = np.cos(np.deg2rad(square.turn)), np.sin(np.deg2rad(square.turn))
    turned = seen @ np.array([[cos, sin], [-sin, cos]])
    return np.asarray(turned + np.array([square.x, square.y]), np.float32)


def _read_at(square: Square, kind: str, seen: Seen) -> tuple[Found, Poses | None]:
    """``square`` read as a die of ``kind``, and where in its patch the print lies."""
    corners = seen.station.tray.to_frame(square.corners)
    face = read_face(cut(seen.frame, corners), kind, seen.station)
    quad: Quad = tuple((float(x), float(y)) for x, y in corners)  # type: ignore[assignment]
    die = replace(face.die, quad=quad)
    doubtful = square.edge < seen.settings.sure_edge
    if doubtful and face.likeness < seen.settings.surely_alike and not die.reasons:
        unsure = Reason.COLOUR_UNSURE if seen.is_plain(kind) else Reason.AMBIGUOUS
        die = replace(die, reasons=(unsure,))
    shown = face.pose if die.face is not None else None
    found = Found(square, die, face.likeness + 0.5 * square.edge, face.stretch, shown)
    return found, face.pose
