"""Which of the dice found lie flat: those that touch something may lean on it or lie on it."""

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
from vision.standing import SURELY, Evidence, Polygon, clearances, foot


@dataclass(frozen=True)
class Touching:
    """A die so near to a wall or another die that it may lean on it."""

    item: Found
    standing: Standing
    gap: float  # millimetres to what it may lean on; negative: overlap

    @property
    def overlap(self) -> float:
        """Millimetres by which it would overlap what it may lean on, were both flat."""
        return max(0.0, -self.gap)

    @property
    def apart(self) -> float:
        """Sides by which it would be apart from what it may lean on, were both flat."""
        return max(0.0, self.gap) / self.standing.size_mm

    def evidence(self, gain: float, sight: float | None, leant: bool = False) -> Evidence:
        """What speaks for it leaning, were its print to show it plainly."""
        return Evidence(gain, PLAINLY, self.overlap, sight, leant, self.apart)


def touching(seen: Seen, found: Sequence[Found]) -> list[Touching]:
    """Those of the dice ``found`` that do not stand alone."""
    feet, bodies = _feet(seen, found), seen.station.bodies
    blocks = [
        Neighbour(own, bodies[item.die.kind].size_mm) for item, own in zip(found, feet, strict=True)
    ]
    near, walls = [], seen.station.tray.walls
    for item, own, room in zip(found, blocks, clearances(feet, walls), strict=True):
        if room.nearest <= seen.settings.apart * own.size_mm:
            beside = [other for other in blocks if other is not own]
            near.append(Touching(item, _stands(seen, item, beside), room.nearest))
    return near


def _feet(seen: Seen, found: Sequence[Found]) -> list[Polygon]:
    bodies, tray = seen.station.bodies, seen.station.tray
    return [foot(item.square, bodies[item.die.kind], tray) for item in found]


def as_standing(seen: Seen, found: Sequence[Found], counted: bool) -> list[Found]:
    """The dice, with those that may lean on a wall or lie on each other marked.

    Where nobody ``counted`` them, by their size also those that may lie on one they hide.
    """
    s, bodies = seen.settings, seen.station.bodies
    leaning = [near.item for near in touching(seen, found) if _leans(seen, near)]
    standing, walls = [], seen.station.tray.walls
    for item, room in zip(found, clearances(_feet(seen, found), walls), strict=True):
        marked = item
        if any(item is other for other in leaning):
            marked = marked.doubted(Reason.COCKED)
        overlaps = room.die < -s.stacked * bodies[item.die.kind].size_mm
        if overlaps or (not counted and _raised(seen, item)):
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


def _leans(seen: Seen, near: Touching) -> bool:
    """Whether a die that touches something looks unlike one that lies flat."""
    s = seen.settings
    # However surely it looks so, and its print shows it: both take time to tell.
    most = near.evidence(0.0, SURELY if network() else None)
    ways = near.standing.explained(max(most.lacks(s), s.surely_flat))
    return any(_leans_so(seen, near, way) for way in ways)


def _leans_so(seen: Seen, near: Touching, way: Explained) -> bool:
    """Whether it looks tipped one way rather than flat."""
    told = near.evidence(way.gain, sight(near.standing, way), way.leant)
    if told.lean(seen.settings) <= 0:
        return False
    return replace(told, shown=print_odds(seen, near, way)).lean(seen.settings) > 0


def print_odds(seen: Seen, near: Touching, way: Explained) -> float | None:
    """The log odds that its print gives a die being tipped one way; None without a print."""
    shown = seen.foreshortening(near.item)
    return None if shown is None else shown.odds(*near.standing.foretold(way.tipped))
