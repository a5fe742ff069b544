"""The top face in pictures of one die each: where least speaks against it.

A die is alone in such a picture and there is time, so more is asked than of a
throw: a clear outline, a body that covers what changed and no more, print in
the middle, and the same body colour in all pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product

import cv2
import numpy as np

from vision.distinct import distinct
from vision.facefit import Around, Fit
from vision.halo import filled
from vision.patch import Floats, Image, cut, off_centre
from vision.segment import FAINTLY, Beside, Mask, disc, grown, solid
from vision.squares import Square, SquareSearch, turned_apart
from vision.tray import Tray
from vision.window import widened

KEEP = 8  # squares tried as the top face
FITTED = 12  # of them and what lies beside them that are weighed
LIKELY = 4  # of those that are tried in every size
SIZES = np.arange(0.84, 1.001, 0.02)  # of a sharp-edged top: rounded ones only look smaller
ELSEWHERE = 0.12  # sides from which another square would be another face's place
UNSURE = 0.04  # more doubt a picture: a side less likely by a factor e
OTHERWISE = (0.06, 6.0)  # sides and degrees within which the clearer of two stands for both
STEEP = 0.4  # of the doubt taken off for the steepest outline in a picture
FITTING = 0.5  # pixels by which an outline is grown to cover its rim's pixels
SURELY = 2.0  # times as much what can be no shadow speaks against a body that leaves it out
SOUGHT = (0.89, 0.97)  # of it, at which outlines are looked for
PLACES = np.arange(-0.32, 0.321, 0.16)  # of a side, about the middle of what changed
TURNS = np.arange(0, 90, 9.0)
APART = (0.15, 10.0)  # sides and degrees that such squares differ by at least
LIKE = 2  # of the squares there whose bodies are most like what changed
FINER = (0.08, 0.04, 0.02)  # of a side, and of a quarter turn's degrees, in which they are moved
QUARTER = 90.0
NEARBY = np.array([-0.1, 0.0, 0.1])  # of a side from those, where their edges are looked for
COVERING = 8  # of what is found there that is weighed
_AS_IT_IS = np.zeros(1)  # degrees: not turned


@dataclass(frozen=True)
class Shot:
    """A picture of one die on the tray: the frame, rectified, and what changed."""

    face: str
    frame: Image
    seen: Image
    mask: Mask
    wide: Mask  # with what may be shadow, or a body darker than the floor or hardly unlike it
    sure: Mask  # without what may be shadow
    shadowy: Mask  # where that is, anywhere in the picture (1 or 0)

    @staticmethod
    def of(tray: Tray, face: str, frame: Image, side: float) -> Shot | None:
        """The picture's largest change; None where nothing as large as a face lies."""
        seen = tray.rectify(frame)
        beside = tray.floor.beside(seen)
        things = beside.things(tray.settings.least_area * side**2)
        return Shot.on(face, frame, seen, beside, things[0], side) if things else None

    @staticmethod
    def on(face: str, frame: Image, seen: Image, beside: Beside, mask: Mask, side: float) -> Shot:
        """The picture with a change already found: ``seen`` rectified, ``mask`` what changed.

        ``beside`` is ``seen`` beside the empty tray.
        """
        near = widened(mask, disc(2 * side))
        perhaps = beside.darkened | beside.changed_by(FAINTLY)
        wide = grown(mask, np.asarray(perhaps & near, np.uint8))
        sure = solid(mask, beside.shadowy)
        return Shot(face, frame, seen, mask, wide, sure, beside.shadowy)

    def unlike(self, body: Floats, slack: float = FITTING) -> float:
        """What speaks in pixels against the outline (n, 2) of a ``body`` by what changed.

        It covers what did not change, or leaves out by more than ``slack`` pixels what did and
        can be no shadow.
        """
        missing = filled(self.mask, body, FITTING).beyond(self.wide)
        left = self._surely - filled(self.mask, body, slack).common(self.sure)
        return missing + SURELY * left

    @cached_property
    def _surely(self) -> int:
        """How many pixels can be no shadow."""
        return cv2.countNonZero(self.sure)


@dataclass(frozen=True)
class Choice:
    """What may be the top face in one picture."""

    tray: Tray
    shot: Shot
    around: Around
    dice_mm: float
    squares: tuple[Square, ...]

    @staticmethod
    def of(
        tray: Tray, shot: Shot, guess: float, dice_mm: float, known: Square | None = None
    ) -> Choice:
        """``guess`` is the side of a sharp-edged top in pixels.

        ``known`` is where it was found when the tray was seen a little otherwise: of many squares
        about as likely few are kept, and chance decides which.
        """
        search = SquareSearch(shot.seen, shot.wide, tray.settings)
        found = [s for share in SOUGHT for s in search.find(share * guess, 0.04, KEEP)]
        choice = Choice.among(found, tray, shot, guess, dice_mm)
        if known is None or any(_close(one, known, *OTHERWISE) for one in choice.squares):
            return choice
        return replace(choice, squares=(*choice.squares, known))

    @staticmethod
    def among(
        found: Sequence[Square], tray: Tray, shot: Shot, side: float, dice_mm: float
    ) -> Choice:
        """The few of the squares ``found`` that least speaks against; ``side`` is about theirs."""
        around = Around.of(shot.seen, shot.wide, side / 2)
        return Choice(tray, shot, around, dice_mm, tuple(found))._likeliest(side)

    def _likeliest(self, side: float) -> Choice:
        """With the few that least speaks against, of them and of what covers the change."""
        starts = [one for square in self.squares for one in beside(square, self.tray, self.dice_mm)]
        other = covering(self.tray, self.shot, side, self.dice_mm)
        fits = [*self._clearest(starts, FITTED), *self._clearest(other, COVERING)]
        weighed = sorted(self._weighed(fits), key=lambda one: one.doubt)
        likely = _distinct([one.square for one in weighed], OTHERWISE, LIKELY)
        return replace(self, squares=tuple(likely))

    def _clearest(self, starts: Sequence[Square], most: int) -> list[Fit]:
        """The ``starts`` fitted, of those alike the one of the clearest outline."""
        fits = sorted(self.around.fitted(starts), key=lambda fit: -fit.score)
        apart = set(_distinct([fit.square for fit in fits], OTHERWISE, most))
        return [fit for fit in fits if fit.square in apart]

    def of_side(self, side: float, near_by: bool = False) -> list[Weighed]:
        """Them with sides of ``side`` pixels, weighed; ``near_by`` as in `Around.fitted`."""
        starts = [replace(square, side=side) for square in self.squares]
        return self._weighed(self.around.fitted(starts, near_by))

    def _weighed(self, fits: Sequence[Fit]) -> list[Weighed]:
        """``fits`` with what speaks against each: also the steeper outline of another."""
        steepest = max((fit.steep for fit in fits), default=0.0) or 1.0
        return [Weighed(fit, self._doubt(fit) - STEEP * fit.steep / steepest) for fit in fits]

    def _doubt(self, fit: Fit) -> float:
        """What speaks against ``fit`` of its outline, of the change, and of its print."""
        tray, shot, square = self.tray, self.shot, fit.square
        patch = cut(shot.frame, tray.to_frame(square.corners))
        body = tray.body(square.corners, self.dice_mm)
        slack = tray.settings.body_slack * tray.settings.scale
        unlike = shot.unlike(body, slack) / square.side**2
        return float(unlike + 0.5 * off_centre(patch) - fit.score)


def beside(square: Square, tray: Tray, dice_mm: float) -> list[Square]:
    """``square`` and where the top lies if one or two of its edges are a die's foot."""
    rim, scale = tray.settings.rim, tray.settings.scale
    x, y = square.x / scale - rim, square.y / scale - rim
    view = tray.viewpoint
    near = np.array([view.x - x, view.y - y]) * (dice_mm / view.z * scale)  # of foot to top
    angle = np.deg2rad(square.turn)
    axes = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    moves = [axis * (axis @ near) for axis in axes]
    shifts = [a * moves[0] + b * moves[1] for a in (0, -1) for b in (0, -1)]
    return [square.moved(dx, dy) for dx, dy in map(tuple, shifts)]


def covering(tray: Tray, shot: Shot, side: float, dice_mm: float) -> list[Square]:
    """Squares of ``side`` pixels whose bodies are like what changed, whatever edges they have.

    A hard shadow over a die shows clearer edges than the die itself does in its shade.
    """
    slack = tray.settings.body_slack * tray.settings.scale

    def unlike(square: Square) -> float:
        return shot.unlike(tray.body(square.corners, dice_mm), slack)

    there = np.argwhere(shot.sure if shot.sure.any() else shot.mask)
    x, y = there.mean(axis=0)[::-1]
    tried = []
    for turn in TURNS:
        upright = Square(float(x), float(y), side, float(turn), 0.0)
        body = tray.body(upright.corners, dice_mm)
        off = (body.min(axis=0) + body.max(axis=0)) / 2 - (x, y)  # of the body from its top
        tried += _moves(upright.moved(-off[0], -off[1]), PLACES * side)
    likely = _distinct(sorted(tried, key=unlike), APART, LIKE)
    for step in FINER:
        far, turned = np.array([-step, 0, step]) * side, np.array([-step, 0, step]) * QUARTER
        likely = [min(_moves(square, far, turned), key=unlike) for square in likely]
    return [near for one in likely for near in _moves(one, NEARBY * side)]


def _moves(square: Square, far: Floats, turned: Floats = _AS_IT_IS) -> list[Square]:
    """``square`` moved by each of ``far`` pixels both ways, and turned by ``turned`` degrees."""
    return [
        replace(square.moved(dx, dy), turn=float(square.turn + by) % 90)
        for dx, dy, by in product(far, far, turned)
    ]


def visible_side(choices: Sequence[Choice], guess: float) -> float:
    """The side in pixels at which top faces are seen, of dice whose sharp top has ``guess``.

    Rounded edges make a face look smaller than the die; how much depends on the
    die and the light, so it is measured once, on all pictures together. Of a few pictures
    the best side is a matter of chance: it is the mean of all, by how likely they are.
    """

    def doubt(side: float) -> float:
        tried = (choice.of_side(side, near_by=True) for choice in choices)
        return sum(min((one.doubt for one in group), default=1.0) for group in tried)

    sides = guess * SIZES
    doubts = np.array([doubt(side) for side in sides]) / max(len(choices), 1)
    likely = np.exp((doubts.min() - doubts) / UNSURE)
    return float(sides @ likely / likely.sum())


def top_faces(choices: Sequence[Choice], side: float) -> list[Weighed | None]:
    """The top face of ``side`` pixels in every picture: clear outlines, bodies of one colour.

    A hard shadow has a clear outline too, but not the colour that all pictures share.
    """
    weighed = [choice.of_side(side) for choice in choices]
    likely = [min(group, key=lambda one: one.doubt).colour for group in weighed if group]
    usual = np.median(likely, axis=0) if likely else np.zeros(3)
    told = [[replace(one, doubt=one.against(usual)) for one in group] for group in weighed]
    return [_least_doubtful(group, side) for group in told]


def _least_doubtful(group: Sequence[Weighed], side: float) -> Weighed | None:
    """The one that least speaks against, with how far it is ahead of the best elsewhere."""
    best = min(group, key=lambda one: one.doubt, default=None)
    if best is None:
        return None
    apart = (one for one in group if one.square.apart(best.square) > ELSEWHERE * side)
    return replace(best, ahead=min((one.doubt for one in apart), default=np.inf) - best.doubt)


def lone_face(tray: Tray, shot: Shot, side: float, dice_mm: float, slack: float) -> Square | None:
    """The likeliest top face in one picture, its size within ``slack`` of ``side`` pixels."""
    search = SquareSearch(shot.seen, shot.wide, tray.settings)
    likely = Choice.among(search.find(side, slack, KEEP), tray, shot, side, dice_mm).squares
    return replace(likely[0], edge=search.near(likely[0]).edge) if likely else None


@dataclass(frozen=True)
class Weighed:
    """A square as the top face of an enrolled die, and what speaks against it."""

    fit: Fit
    doubt: float  # weak outline, a body unlike what changed, print off centre
    ahead: float = np.inf  # more doubt of the best that lies elsewhere

    @property
    def square(self) -> Square:
        """Where it lies."""
        return self.fit.square

    @property
    def colour(self) -> Floats:
        """The body's (3,): L, a, b."""
        return np.asarray(np.median(self.fit.rims, axis=0), np.float32)

    def against(self, usual: Floats) -> float:
        """The doubt with that of a body of another colour than the other pictures show."""
        apart = np.abs(self.colour - usual) * (0.5, 1.0, 1.0)
        return self.doubt + 0.02 * float(np.linalg.norm(apart))


def _distinct(squares: Iterable[Square], within: tuple[float, float], most: int) -> list[Square]:
    """The first ``most`` not ``within`` so many sides and degrees of one before them."""
    apart = distinct(squares, lambda one, other: not _close(one, other, *within))
    return list(islice(apart, most))


def _close(one: Square, other: Square, far: float, turned: float) -> bool:
    near = one.apart(other) < far * one.side
    return bool(near and turned_apart(one.turn, other.turn) < turned)
