"""Which of the dice found lie flat: one may lean on what it touches, or on what it hides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.foreshortening import PLAINLY, logarithm
from vision.leaning import Explained, Standing
from vision.leaning_sight import network, sight
from vision.leaning_support import Neighbour
from vision.reading import Reason
from vision.seen import Found, Seen, printed_at
from vision.standing import SURELY, Clearance, Evidence, clearances, foot


@dataclass(frozen=True)
class Placed:
    """A die with what stands around it, and the ``room`` it has, were all dice flat."""

    item: Found
    standing: Standing
    room: Clearance

    @property
    def overlap(self) -> float:
        """Millimetres by which it would overlap what is nearest."""
        return max(0.0, -self.room.nearest)

    @property
    def apart(self) -> float:
        """Sides by which it would be apart from what is nearest."""
        return max(0.0, self.room.nearest) / self.standing.size_mm

    def evidence(
        self, gain: float, sight: float | None, *, held: bool = True, leant: bool = False
    ) -> Evidence:
        """What speaks for it leaning, were its print to show it plainly.

        How far it is from what may hold it tells only of one that is ``held`` by that.
        """
        apart = self.apart if held else 0.0
        return Evidence(gain, PLAINLY, self.overlap, sight, leant, apart, not held)


def placed(seen: Seen, found: Sequence[Found]) -> list[Placed]:
    """The dice ``found``, each with what stands around it."""
    bodies, tray = seen.station.bodies, seen.station.tray
    feet = [foot(item.square, bodies[item.die.kind], tray) for item in found]
    blocks = [
        Neighbour(own, bodies[item.die.kind].size_mm) for item, own in zip(found, feet, strict=True)
    ]
    rooms = clearances(feet, tray.walls)
    return [
        Placed(item, _stands(seen, item, [other for other in blocks if other is not own]), room)
        for item, own, room in zip(found, blocks, rooms, strict=True)
    ]


def as_standing(seen: Seen, found: Sequence[Found], counted: bool) -> list[Found]:
    """The dice, with those marked that may lean, or lie on each other.

    Where nobody ``counted`` them, by their size also those that may lie on one they hide.
    """
    s, standing = seen.settings, []
    for near in placed(seen, found):
        marked = near.item
        if _leans(seen, near):
            marked = marked.doubted(Reason.COCKED)
        overlaps = near.room.die < -s.stacked * near.standing.size_mm
        if overlaps or (not counted and _raised(seen, near.item)):
            marked = marked.doubted(Reason.STACKED)
        standing.append(marked)
    return standing


def _raised(seen: Seen, item: Found) -> bool:
    """Whether its print is seen as large as that of a die on another, which it then hides."""
    shown = seen.foreshortening(item)
    if shown is None:
        return False
    tray, bodies = seen.station.tray, seen.station.bodies
    own = bodies[item.die.kind].size_mm
    higher = np.array([tray.enlargement(own + below.size_mm) for below in bodies.values()])
    ways = (higher / tray.enlargement(own))[:, None, None] * np.eye(2)
    return shown.odds(logarithm(ways), np.ones(len(ways))) >= seen.settings.raised


def _stands(seen: Seen, item: Found, beside: Sequence[Neighbour]) -> Standing:
    """What is seen of a die that stands ``beside`` others."""
    body, tray = seen.station.bodies[item.die.kind], seen.station.tray
    shown = None if item.pose is None else printed_at(item.square, item.pose, body, tray)
    return Standing(
        seen.rectified,
        seen.mask,
        seen.solid,
        body.true_top(item.square, tray),
        shown,
        item.stretch,
        body.size_mm,
        tray,
        beside,
        seen.settings.leaning,
    )


def _leans(seen: Seen, near: Placed) -> bool:
    """Whether a die looks unlike one that lies flat."""
    s = seen.settings
    # However surely it looks so, and its print shows it: both take time to tell.
    surely = SURELY if network() else None
    lacking = min(near.evidence(0.0, surely, held=held).lacks(s) for held in (True, False))
    ways = near.standing.explained(max(lacking, s.surely_flat))
    return any(_leans_so(seen, near, way) for way in ways)


def _leans_so(seen: Seen, near: Placed, way: Explained) -> bool:
    """Whether it looks tipped one way rather than flat."""
    if not way.held and way.gain < seen.settings.surely_alone:
        return False
    saw = sight(near.standing, way)
    told = near.evidence(way.gain, saw, held=way.held, leant=way.leant)
    if told.lean(seen.settings) <= 0:
        return False
    return replace(told, shown=print_odds(seen, near, way)).lean(seen.settings) > 0


def print_odds(seen: Seen, near: Placed, way: Explained) -> float | None:
    """The log odds that its print gives a die being tipped one way; None without a print."""
    shown = seen.foreshortening(near.item)
    return None if shown is None else shown.odds(*near.standing.foretold(way.tipped))
