"""One frame prepared for reading, and what its squares read as dice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from vision.align import Poses
from vision.colours import CubeBank
from vision.faces import FaceReading, read_face
from vision.foreshortening import Foreshortening
from vision.halo import filled
from vision.patch import MARGIN, Floats, Image, cut
from vision.reading import DieReading, Reason
from vision.relight import relit
from vision.segment import Beside, Mask, grown, solid
from vision.settings import SceneSettings
from vision.squares import Square, SquareSearch, turned_apart
from vision.station import Body, Station
from vision.symbols import FaceBank
from vision.tray import Tray
from vision.window import Area, Window


@dataclass(frozen=True)
class Found:
    """A die in the rectified tray: its top face and what it reads."""

    square: Square
    die: DieReading
    fit: float  # how believable it is that a die lies there
    stretch: float  # how much longer than wide its print is seen; 1 where there is none
    pose: Poses | None = None  # (3, 3): where in the patch of the square its print lies

    def doubted(self, reason: Reason) -> Found:
        """It with one more reason not to believe it."""
        return replace(self, die=self.die.doubted(reason))


@dataclass(frozen=True)
class Seen:
    """One frame prepared for reading."""

    frame: Image
    rectified: Image
    beside: Beside  # the empty tray
    station: Station
    # Later looks at a region try what earlier ones tried: each is searched and read once.
    _searches: dict[tuple[Window, bytes], SquareSearch] = field(default_factory=dict)
    _judged: dict[tuple[Square, str], Found] = field(default_factory=dict)
    _outlines: dict[tuple[Square, str], Area] = field(default_factory=dict)
    _measured: dict[tuple[Square, str], Foreshortening | None] = field(default_factory=dict)

    @property
    def mask(self) -> Mask:
        """What changed against the empty tray."""
        return self.beside.changed

    @property
    def shadowy(self) -> Mask:
        """Where the change may be a shadow (1 or 0)."""
        return self.beside.shadowy

    @cached_property
    def solid(self) -> Mask:
        """The change that is plainly there and no shadow."""
        return solid(self.beside.plainly, self.shadowy)

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
        window = Window.around(mask)
        name = window, mask[window.part].tobytes()
        if name not in self._searches:
            self._searches[name] = SquareSearch(self.rectified, mask, self.settings)
        return self._searches[name]

    def judged(self, square: Square, kind: str) -> Found:
        """``square`` read as a die of ``kind``; the fit says how believable that is."""
        if (square, kind) not in self._judged:
            self._judged[square, kind] = _judged(square, kind, self)
        return self._judged[square, kind]

    @property
    def cluttered(self) -> bool:
        """Whether so much was read that no throw is worth reading more."""
        return len(self._judged) > self.settings.most_read

    def outline(self, item: Found) -> Area:
        """The die with its visible sides."""
        name = item.square, item.die.kind
        if name not in self._outlines:
            self._outlines[name] = _outlined(*name, self)
        return self._outlines[name]

    def top(self, item: Found) -> Area:
        """The die's top face."""
        corners = self.station.bodies[item.die.kind].true_top(item.square, self.station.tray)
        return filled(self.mask, corners, self.settings.body_slack * self.settings.scale)

    def foreshortening(self, item: Found) -> Foreshortening | None:
        """How a die's print is seen beside that of a flat die; None without one.

        By its strokes, which shades on the body do not change, and by all of it, which blur and
        noise make no smaller; and where the print shows the face to lie: an outline may take in
        a side, and a part of the print lie beyond it.
        """
        name = item.square, item.die.kind
        if name not in self._measured:
            self._measured[name] = self._foreshortened(item)
        return self._measured[name]

    def _foreshortened(self, item: Found) -> Foreshortening | None:
        face, views = item.die.face, self._prints(item.die.kind)
        if face is None or not views:
            return None
        shown = item.square if item.pose is None else recentred(item.square, item.pose)
        patch = relit(cut(self.frame, self.station.tray.to_frame(shown.corners)))
        onto = _onto_tray(shown, self.station.bodies[item.die.kind])
        return Foreshortening.agreed([view.foreshortening(patch, face, onto) for view in views])

    def _prints(self, kind: str) -> list[FaceBank]:
        """The views in which a kind's print can be measured, or its mark."""
        known = self.station.dice.kinds[kind]
        if kind in self.station.marks.marked:
            return [known.mark, known.mark_by_colour]
        return [view for view in (known.bank, known.strokes) if isinstance(view, FaceBank)]

    def is_plain(self, kind: str) -> bool:
        """Whether a kind has no print, only its colour."""
        return isinstance(self.station.dice.kinds[kind].bank, CubeBank)

    @property
    def face(self) -> float:
        """Area in pixels of the smallest kind's face."""
        return self.station.face


def _outlined(square: Square, kind: str, seen: Seen) -> Area:
    """A die lying flat with its visible sides."""
    tray = seen.station.tray
    body = seen.station.bodies[kind]
    whole = tray.body(body.true_top(square, tray), body.size_mm)
    return filled(seen.mask, whole, seen.settings.body_slack * seen.settings.scale)


def _judged(square: Square, kind: str, seen: Seen) -> Found:
    """``square`` read as a die of ``kind``, moved to where its print shows the face to lie."""
    item, pose = read_at(square, kind, seen)
    if pose is None:
        return item
    meant = recentred(square, pose)
    if not _elsewhere(square, meant, seen.settings):
        return item
    body = seen.station.bodies[kind]
    moved, _ = read_at(seen.search(seen.mask).near(replace(meant, side=body.side)), kind, seen)
    unread = moved.die.face is None and not item.die.reasons
    return moved if not unread and moved.fit > item.fit + seen.settings.better else item


def settles(item: Found, doubted: Found, settings: SceneSettings) -> bool:
    """Whether ``item``, read for certain, leaves nothing of the doubt in which another was read.

    It lies elsewhere, or is the more believable of the two.
    """
    elsewhere = item.square.apart(doubted.square) > settings.same_place * doubted.square.side
    return bool(elsewhere or item.fit > doubted.fit + settings.better)


def _elsewhere(square: Square, other: Square, settings: SceneSettings) -> bool:
    """Whether two squares differ by more than outlines are off."""
    apart = square.apart(other) > settings.off * square.side
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


def _onto_tray(square: Square, body: Body) -> Floats:
    """From half patches of a square onto the tray (2, 2), in halves of the kind's own face."""
    return np.asarray(_spin(square) * square.side / body.side)


def _spin(square: Square) -> Floats:
    """How a square is turned (2, 2)."""
    cos, sin = np.cos(np.deg2rad(square.turn)), np.sin(np.deg2rad(square.turn))
    return np.array([[cos, -sin], [sin, cos]])


def printed_at(square: Square, pose: Poses, body: Body, tray: Tray) -> Floats:
    """Corners (4, 2) of the sharp-edged top where a face lies whose print ``pose`` shows."""
    level, margin = pose / pose[2, 2], 1 + 2 * MARGIN
    sharp = tray.top_side(body.size_mm) / body.side
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sharp / margin
    seen = (corners @ level[:2, :2].T + level[:2, 2]) * square.side / 2 * margin
    return np.asarray(seen @ _spin(square).T + np.array([square.x, square.y]), np.float32)


def _surely_alike(patch: Image, face: FaceReading, edge: float, seen: Seen) -> bool:
    """Whether a face is as like the enrolled one, seen any way, as no wrong outline makes it.

    Less will do where its own outline shows by its ``edge``, if not for certain, and no blur is
    why it does not: bodies may be hardly unlike their floor.
    """
    settings, kind = seen.settings, seen.station.dice.kinds[face.die.kind]
    least = settings.surely_alike
    if face.likeness >= least:
        return True
    if edge >= settings.clear_edge and face.die.face and face.pose is not None:
        blur = kind.blur(patch, face.die.face, face.pose)
        least = settings.alike if 0 < blur <= settings.as_sharp else least
    if face.likeness >= least:
        return True
    lit = relit(patch)
    others = (view.score(lit) for view in kind.views)
    return any(other.face == face.die.face and other.similarity >= least for other in others)


def read_at(square: Square, kind: str, seen: Seen) -> tuple[Found, Poses | None]:
    """``square`` read as a die of ``kind``, and where in its patch the print lies."""
    corners = seen.station.tray.to_frame(square.corners)
    patch = cut(seen.frame, corners)
    face = read_face(patch, kind, seen.station)
    die = face.die.at(corners)
    doubtful = square.edge < seen.settings.sure_edge and not die.reasons
    if doubtful and not _surely_alike(patch, face, square.edge, seen):
        unsure = Reason.COLOUR_UNSURE if seen.is_plain(kind) else Reason.AMBIGUOUS
        die = replace(die, reasons=(unsure,))
    shown = face.pose if die.face is not None else None
    found = Found(square, die, face.likeness + 0.5 * square.edge, face.stretch, shown)
    return found, face.pose
