"""The dice in a rectified tray, and whatever else lies there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import cv2
import numpy as np

from vision.halo import filled
from vision.leftovers import (
    floor_beside,
    full_of_edges,
    in_shadow,
    left_things,
    like_the_floor,
    strangers,
    untaken,
)
from vision.lying import as_standing
from vision.patch import Image
from vision.reading import Reason
from vision.seen import Found, Seen, settles
from vision.segment import Mask, disc, objects
from vision.settings import SceneSettings
from vision.sides import missing, without_sides
from vision.squares import Square
from vision.standing import foot
from vision.station import Station
from vision.window import Window, widened

MOST_DICE = 12


def scene(frame: Image, station: Station, counted: bool) -> tuple[list[Found], set[Reason]]:
    """Every die on the tray with its reading, and what is wrong with the scene.

    Where nobody ``counted`` them, none is known to be missing below another.
    """
    seen = looked_at(frame, station)
    if isinstance(seen, Reason):
        return [], {seen}
    found, reasons = dice(seen)
    found = as_standing(seen, found, counted)
    if any(_off_floor(item, station) for item in found):
        reasons.add(Reason.EDGE)
    if not found and not reasons:
        reasons.add(Reason.NO_DICE)
    clear = not reasons and not any(item.die.reasons for item in found)
    if clear and like_the_floor(seen, found):
        reasons.add(Reason.FOREIGN)
    return sorted(found, key=lambda item: (item.die.kind, item.square.x)), reasons


def looked_at(frame: Image, station: Station) -> Seen | Reason:
    """A frame prepared for reading, or why nothing in it can be read."""
    tray, settings = station.tray, station.tray.settings
    rectified = tray.rectify(frame)
    if rectified.mean() < settings.dark * tray.empty.mean():
        return Reason.DARK
    seen = Seen(frame, rectified, tray.floor.beside(rectified), station)
    flooded = cv2.countNonZero(seen.mask) > settings.flood * seen.mask.size
    return Reason.MOVED if flooded else seen


def dice(seen: Seen) -> tuple[list[Found], set[Reason]]:
    """Every die on the tray, were all flat, and what else is wrong with the scene."""
    plain, reasons = _plain_to_see(seen)
    found = without_sides(seen, plain)
    left = left_things(seen, found)
    while True:  # what is left may hold dice that are not clear
        if left:
            more = _hiding_plain(seen, left, found) or _doubtful(seen, left, found)
        else:
            more = _overlooked(seen, found)
        # Amid clutter not every rival was read: what is left stays strange, and the scene refused.
        if more is None or seen.cluttered or len(found) >= MOST_DICE:
            break
        kept = without_sides(seen, [*found, more])
        if kept[-1] is not more:  # the same would be found again
            break
        found = kept
        left = left_things(seen, found)
    if more is not None:
        reasons.add(Reason.FOREIGN)
    return found, reasons | strangers(seen, left)


def _plain_to_see(seen: Seen) -> tuple[list[Found], set[Reason]]:
    """The dice that are plainly there: symbols first, for a shadow may look like a plain cube.

    A known symbol counts even where it is not certain which: no shadow shows one.
    """
    settings = seen.settings
    things = objects(seen.mask, settings.least_area * seen.face)
    most = settings.clump_area * seen.face
    reasons = {Reason.HAND for thing in things if cv2.countNonZero(thing) > most}
    found: list[Found] = []
    for look in (_clear_print, _known_print, _clear_plain):
        # A nearer die may hide the sides of one that was found: only its top is surely taken.
        taken = seen.top if look is _clear_print else seen.outline
        for thing in things:
            left = untaken(found, thing, taken)
            while cv2.countNonZero(thing) <= most and len(found) < MOST_DICE:
                die = look(seen, left, found)
                if die is None:
                    break
                die = _seen_best(seen, die, found)
                found.append(die)
                left = taken(die).taken_off(left)
    return found, reasons


def _clear_print(seen: Seen, mask: Mask, found: Sequence[Found]) -> Found | None:
    """The clearest printed die on ``mask`` that is beyond doubt.

    A poor outline may show a doubtful face for certain: it is no witness against a better one.
    """
    doubted: list[Found] = []
    for item in _printed(seen, mask, found):
        if item.die.face is None:
            continue
        if item.die.reasons:
            doubted.append(item)
        elif all(settles(item, other, seen.settings) for other in doubted):
            return item
    return None


def _known_print(seen: Seen, mask: Mask, found: Sequence[Found]) -> Found | None:
    """The likeliest printed die on ``mask`` that shows one of the enrolled faces."""
    return _surest_print(seen, _printed(seen, mask, found))


def _surest_print(seen: Seen, tried: Iterable[Found]) -> Found | None:
    """The likeliest of dice ``tried`` that surely show one of the enrolled faces."""
    least = seen.settings.surely_print
    shown = (item for item in tried if item.die.face and item.fit >= least)
    return max(shown, key=lambda item: item.fit, default=None)


def _clear_plain(seen: Seen, mask: Mask, found: Sequence[Found]) -> Found | None:
    """The clearest plain die on ``mask`` that is beyond doubt and no shadow of another."""
    return _plain(seen, mask, found, seen.settings.clear_edge)


def _hiding_plain(seen: Seen, left: Sequence[Mask], found: Sequence[Found]) -> Found | None:
    """A plain die about what is ``left`` whose top may hide sides of the dice ``found``.

    Its top lies beside theirs, as no side of theirs does whole, and its outline leaves no doubt.
    """
    free = untaken(found, seen.mask, seen.top)
    spots = (_about(seen, thing, free) for thing in left if not _is_hand(seen, thing))
    tried = (_plain(seen, spot, found, seen.settings.sure_edge) for spot in spots)
    return next((die for die in tried if die is not None), None)


def _plain(seen: Seen, mask: Mask, found: Sequence[Found], edge: float) -> Found | None:
    """The clearest plain die on ``mask`` of such an ``edge``, and no shadow of another."""
    kinds = [kind for kind in seen.station.bodies if seen.is_plain(kind)]
    for square, kind in _squares(seen, mask, kinds):
        if square.edge < edge or in_shadow(seen, square, found):
            continue
        item = seen.judged(square, kind)
        if not item.die.reasons:
            return item
    return None


def _printed(seen: Seen, mask: Mask, found: Sequence[Found]) -> Iterator[Found]:
    """Squares of the printed kinds on ``mask``, clearest first, as they read.

    No two dice lie in one place: beside the top of a die read for certain, its sides and its
    shadow are left, and reading those takes longer than reading the dice.
    """
    certain = [item.square for item in found if not item.die.reasons]
    for square, kind in _squares(seen, mask, _prints(seen)):
        if square.edge < seen.settings.clear_edge:
            continue
        if not any(_overlap(square, other, seen.settings) for other in certain):
            yield seen.judged(square, kind)


def _prints(seen: Seen) -> list[str]:
    """The kinds that have a print."""
    return [kind for kind in seen.station.bodies if not seen.is_plain(kind)]


def _overlap(one: Square, other: Square, settings: SceneSettings) -> bool:
    """Whether two squares are too near to each other to be the tops of two dice."""
    return one.apart(other) < settings.two_tops * (one.side + other.side) / 2


def _squares(
    seen: Seen, mask: Mask, kinds: Iterable[str], keep: int | None = None
) -> list[tuple[Square, str]]:
    """Squares of ``kinds`` on ``mask``, clearest first; what may be shadow comes last."""
    if cv2.countNonZero(mask) < seen.settings.least_area * seen.face:
        return []
    search = seen.search(mask)
    tried = [
        (square, kind)
        for kind in kinds
        for square in search.find(seen.station.bodies[kind].side, keep=keep)
        if square.edge >= seen.settings.least_edge
    ]

    def rank(item: tuple[Square, str]) -> float:
        square, kind = item
        inside = filled(seen.mask, square.corners, 0.5)
        shadow = 0.5 * inside.share(seen.shadowy) if seen.is_plain(kind) else 0.0
        return shadow + missing(seen, square, kind) - square.edge

    return sorted(tried, key=rank)


def _seen_best(seen: Seen, item: Found, found: Sequence[Found]) -> Found:
    """A printed die as it is seen best about there, where its outline leaves a doubt.

    Its top may be no other than the floor: then no square on what changed need be it.
    """
    s = seen.settings
    if item.square.edge >= s.sure_edge or seen.is_plain(item.die.kind):
        return item
    free = floor_beside(seen, found)
    half = round(item.square.side / 2)
    around = Window.around(np.rint(item.square.corners).astype(np.int32)).grown(half, half)
    near = np.zeros_like(free)
    part = around.within(Window.of(free)).part
    near[part] = free[part]
    squares = _squares(seen, near, _prints(seen), s.keep_on_floor)
    here = [(other, kind) for other, kind in squares if _overlap(other, item.square, s)]
    tried = [seen.judged(other, kind) for other, kind in here if _newly_printed(seen, other)]
    shown = [item, *(one for one in tried if one.die.face)]
    return _unless_gainsaid(seen, max(shown, key=lambda one: one.fit), shown)


def _doubtful(seen: Seen, left: Sequence[Mask], found: Sequence[Found]) -> Found | None:
    """The likeliest die that is not clear: it must explain something that is left.

    It is looked for on what changed; where that shows no whole die with a face, on what is
    darker around it too: squares on a part of a dark body read what they happen to cut. Where
    that shows none either, a top may be no other than the floor beside its print and its edges.
    """
    tried: list[Found] = []
    best: Found | None = None
    for look in (_on_change, _on_darker, _on_floor) if left else ():
        tried.extend(look(seen, left, found))
        best = max(tried, key=lambda item: item.fit, default=None)
        if best is not None and best.die.face is not None and _whole(seen, best):
            break
    return _unless_gainsaid(seen, best, tried) if best is not None else None


def _unless_gainsaid(seen: Seen, best: Found, tried: Iterable[Found]) -> Found:
    """The likeliest of dice ``tried``, in doubt where another face is about as likely there."""
    against = (item for item in tried if _gainsays(item, best))
    if best.die.reasons or all(settles(best, item, seen.settings) for item in against):
        return best
    return best.doubted(Reason.AMBIGUOUS)


def _on_change(seen: Seen, left: Sequence[Mask], found: Sequence[Found]) -> Iterator[Found]:
    return _among(seen, left, untaken(found, seen.mask, seen.outline))


def _on_darker(seen: Seen, left: Sequence[Mask], found: Sequence[Found]) -> Iterator[Found]:
    return _among(seen, left, untaken(found, seen.wide, seen.outline))


def _among(seen: Seen, left: Sequence[Mask], free: Mask) -> Iterator[Found]:
    return _explaining(seen, left, free, seen.station.bodies, seen.settings.keep_doubtful)


def _on_floor(seen: Seen, left: Sequence[Mask], found: Sequence[Found]) -> Iterator[Found]:
    """Printed dice whose tops may not have changed at all, but for a print that is new."""
    free = floor_beside(seen, found)
    keep = seen.settings.keep_on_floor
    tried = _explaining(seen, left, free, _prints(seen), keep)
    return (item for item in tried if _newly_printed(seen, item.square))


def _newly_printed(seen: Seen, square: Square) -> bool:
    """Whether a square is as full of edges as a print, and the empty tray shows none there."""
    inside = filled(seen.mask, square.corners, 0)
    return inside.share(seen.beside.new_edges) >= seen.settings.print_edges


def _overlooked(seen: Seen, found: Sequence[Found]) -> Found | None:
    """The likeliest die with a known print where there seemed to be only light and shadow.

    A body of its floor's tint, and no brighter, passes for a shadow; but no shadow is printed.
    """
    free = untaken(found, seen.wide, seen.outline)
    spots = (_about(seen, spot, free) for spot in full_of_edges(seen, found))
    return _surest_print(seen, chain(*(_printed(seen, spot, found) for spot in spots)))


def _whole(seen: Seen, item: Found) -> bool:
    """Whether what changed shows about all of a die, as it does where the outline is right."""
    return missing(seen, item.square, item.die.kind) <= seen.settings.unchanged


def _gainsays(other: Found, item: Found) -> bool:
    """Whether ``other`` shows a face, and another one than ``item`` or not for certain."""
    same = (other.die.kind, other.die.face) == (item.die.kind, item.die.face)
    return other.die.face is not None and (bool(other.die.reasons) or not same)


def _explaining(
    seen: Seen, left: Sequence[Mask], free: Mask, kinds: Iterable[str], keep: int
) -> Iterator[Found]:
    """Dice of ``kinds`` on ``free`` that would account for something of what is ``left``."""
    settings = seen.settings
    for thing in left:
        if _is_hand(seen, thing):
            continue
        near = _about(seen, thing, free)
        for square, kind in _squares(seen, near, kinds, keep):
            if seen.cluttered:
                return
            item = seen.judged(square, kind)
            if item.fit <= settings.believable:
                continue
            covers = seen.outline(item).common(thing)
            if covers >= 0.5 * min(cv2.countNonZero(thing), seen.face):
                yield item


def _is_hand(seen: Seen, thing: Mask) -> bool:
    """Whether a ``thing`` is too large to be dice that were missed."""
    return cv2.countNonZero(thing) > seen.settings.hand_area * seen.face


def _about(seen: Seen, thing: Mask, free: Mask) -> Mask:
    """What of ``free`` a die may cover that covers something of ``thing``."""
    return np.asarray(free & widened(thing, disc(2.2 * np.sqrt(seen.face))), np.uint8)


def _off_floor(item: Found, station: Station) -> bool:
    """Whether a die stands beyond a wall, as most of it does on one; its top may seem to be."""
    stands = foot(item.square, station.bodies[item.die.kind], station.tray)
    return bool(station.tray.walls.room(stands.mean(axis=0)) < 0)
