"""What lies on the tray besides the dice found, and what of it is only their shadow or light."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from vision.halo import FAINT, SHADE, explained, filled, foretold
from vision.patch import Floats, glare
from vision.reading import Reason
from vision.seen import Found, Seen
from vision.segment import Mask, disc, objects, solid, without_specks
from vision.settings import SceneSettings
from vision.squares import Square
from vision.texture import hidden
from vision.window import Area, Window, widened


def left_things(seen: Seen, found: Sequence[Found]) -> list[Mask]:
    """What is left of the size of something, and no light or shadow of the dice."""
    settings = seen.settings
    least = settings.stranger * seen.face
    bits = _foretold(seen, found)
    free, shaded = untaken(found, seen.mask, seen.outline), explained(seen.shadowy, bits)
    left = without_specks(free & ~shaded, settings)
    if not objects(left, least):
        return []
    dark = seen.shadowy * np.uint8(255)
    goes_on = seen.beside.lit_like(free & shaded & dark) & dark  # a shadow, a little further
    things = objects(without_specks(left & ~goes_on & ~_faint(seen, bits), settings), least)
    shade = np.where((bits & SHADE) > 0, np.uint8(255), np.uint8(0))
    return [
        thing
        for thing in things
        if not (found and (_on_walls(seen, thing, found) or _only_shade(seen, thing, shade, free)))
    ]


def full_of_edges(seen: Seen, found: Sequence[Found]) -> list[Mask]:
    """Places beside the dice found where a face's size changed and is as full of edges as a print.

    The edges are those that the empty tray does not show there.
    """
    s, face = seen.settings, (round(np.sqrt(seen.face)),) * 2
    free = floor_beside(seen, found)
    # Outlines of dice are off a little, and their own edges are sharp.
    beside = np.asarray(cv2.erode(free, disc(2 * s.print_beside * s.scale)), np.uint8)
    edges, changed = (
        cv2.blur(np.asarray(which & beside), face) for which in (seen.beside.new_edges, seen.mask)
    )
    full = (edges > 255 * s.print_edges) & (changed > 255 * s.print_changed)
    return objects(full.astype(np.uint8) * np.uint8(255), 4)


def strangers(seen: Seen, left: Sequence[Mask]) -> set[Reason]:
    """What lies there besides dice; a die that mirrors a lamp all over looks like none."""
    reasons: set[Reason] = set()
    for thing in left:
        large = cv2.countNonZero(thing) > seen.settings.hand_area * seen.face
        hand = large or thing[seen.station.tray.bounds].mean() / 255 > 0.01
        reasons.add(Reason.HAND if hand else Reason.FOREIGN)
        part = Window.around(thing).part
        if not hand and glare(seen.rectified[part], thing[part]) > seen.settings.dazzling:
            reasons.add(Reason.GLARE)
    return reasons


def like_the_floor(seen: Seen, found: Sequence[Found]) -> bool:
    """Whether something of the floor's own colours lies beside the dice: it hides its texture.

    Where dice keep light off, they hide the pattern of that light, too: window bars, walls' shade.
    """
    s = seen.settings
    shaded = np.where(_foretold(seen, found) > 0, seen.beside.darkened, 0)
    beside = untaken(found, seen.station.tray.inside, seen.outline) & ~shaded
    return bool(objects(hidden(seen.beside, beside), s.texture_hidden * seen.face))


def floor_beside(seen: Seen, found: Sequence[Found]) -> Mask:
    """All of the picture (255) that none of the dice found takes, be it changed or not."""
    return untaken(found, np.full_like(seen.mask, 255), seen.outline)


def untaken(found: Sequence[Found], mask: Mask, taken: Callable[[Found], Area]) -> Mask:
    """``mask`` without what is ``taken`` by each of the dice found."""
    left = mask.copy()
    for item in found:
        taken(item).take_off(left)
    return left


def in_shadow(seen: Seen, square: Square, found: Sequence[Found]) -> bool:
    """Whether ``square`` shows only the floor in the shadow of dice already found."""
    inside = filled(seen.mask, square.corners, 0.5)
    if inside.share(seen.shadowy) < seen.settings.shadow_share:
        return False
    shaded = explained(seen.shadowy, _foretold(seen, found))
    return inside.share(shaded) > seen.settings.shadow_share


def _near(thing: Mask, settings: SceneSettings) -> Mask:
    """A ``thing`` and what lies right beside it (255)."""
    return widened(thing, disc(2 * settings.speck * settings.scale))


def _on_walls(seen: Seen, thing: Mask, found: Sequence[Found]) -> bool:
    """Whether a change lies beyond the floor and is no more than what dice do to the light there.

    Walls and what lies behind them catch a little of the dice's colour, and their shade; more of
    it the nearer a die is that is full of light. People's shadows fall there, too, however large.
    """
    settings, tray = seen.settings, seen.station.tray
    around = Window.around(thing)
    part, here = around.part, Area(around, thing[around.part])
    # Walls begin a little inside.
    floor = np.asarray(cv2.erode(tray.inside, disc(settings.speck * settings.scale)), np.uint8)
    if here.common(floor):
        return False
    if here.share(seen.shadowy) > settings.shadow_share:
        return True
    if cv2.countNonZero(here.mask) > seen.face:
        return False
    apart = cv2.absdiff(seen.rectified[part], tray.empty[part])[here.mask > 0]
    beyond = (apart - _light_near(seen, here, found)).max(axis=1)
    return float(np.percentile(beyond, 95)) <= settings.wall_light


def _light_near(seen: Seen, thing: Area, found: Sequence[Found]) -> Floats:
    """How much light (n, 3) each pixel of a ``thing`` on a wall may catch from the dice near it.

    Of each die's own light, at its most, as the die is seen in size from there.
    """
    places = np.argwhere(thing.mask > 0)
    light = np.zeros((len(places), 3))
    for item in found:
        top = seen.top(item)
        shown = seen.rectified[top.window.part][top.mask > 0]
        if not len(shown):
            continue
        at = top.window.seen_from(thing.window)
        last = at.top + at.height - 1, at.left + at.width - 1
        nearest = np.clip(places, (at.top, at.left), last)
        apart = ((places - nearest) ** 2).sum(axis=1) / len(shown)  # in faces
        caught = np.median(shown, axis=0) * (seen.settings.wall_share / (1 + apart))[:, None]
        light = np.maximum(light, caught)
    return light


def _only_shade(seen: Seen, thing: Mask, shade: Mask, free: Mask) -> bool:
    """Whether a small change is where the dice found keep light off, and no more than that does.

    One die's shadow may be too faint to be a change, and be one where another die's or the wall's
    crosses it. ``free`` is what changed beside the dice: a thing that shows anything else there
    than shade is more than that.
    """
    s = seen.settings
    area = cv2.countNonZero(thing)
    if area > s.shade_most * seen.face or cv2.countNonZero(thing & shade) < s.shade_share * area:
        return False
    if seen.beside.dimness(thing) < s.darker:
        return False
    near = _near(thing, s)
    return not solid(np.asarray(near & free, np.uint8), seen.shadowy).any()


def _foretold(seen: Seen, found: Sequence[Found]) -> Mask:
    """What shadows and glints of the dice found may change: bits of the halo (h, w)."""
    centres = [(item.square.x, item.square.y) for item in found]
    return foretold(seen.mask.shape, seen.station.halo, centres)


def _faint(seen: Seen, bits: Mask) -> Mask:
    """Where it is hardly changed (255) by what hardly changed it at enrolment."""
    hardly = ~seen.beside.changed_by(1 + seen.settings.faint)
    return np.asarray(np.where((bits & FAINT) > 0, hardly, 0), np.uint8)
