"""What became of the dice that were read: compares two readings, not two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist

from vision.reading import DieReading, Point, Quad, Reading, Reason, Verdict
from vision.settle import Outcome


def outcome_of(before: Reading | None, now: Reading, *, gone: bool, place: float) -> Outcome:
    """What a reading of the still tray means after ``before`` (None: it was empty).

    ``gone``: the tray looked empty in between, if only for a moment. ``place``: of its
    side by which a die may seem to move. Dice taken away leave the others what they were.
    """
    if Reason.HAND in now.reasons:
        return Outcome.HAND
    if before is None:
        return Outcome.THROWN
    if _tells_nothing_new(before, now, place):
        return Outcome.SAME
    known = before.dice or before.before  # dice that were read and may lie there still
    if not known or (gone and before.dice and not _left(before.dice, now.dice, place)):
        return Outcome.THROWN
    return Outcome.TOUCHED


def _tells_nothing_new(before: Reading, now: Reading, place: float) -> bool:
    """Whether nothing but dice were taken away. A refused scene that changed is news."""
    was = set(before.reasons) - {Reason.CHANGED}
    if before.verdict is Verdict.REFUSE and set(now.reasons) != was:
        return False
    if not before.dice or not now.dice:
        return before.dice == now.dice
    return len(_left(before.dice, now.dice, place)) == len(now.dice)


def _left(
    before: Sequence[DieReading], now: Sequence[DieReading], place: float
) -> list[DieReading]:
    """The dice of ``now`` that lie where one lay ``before`` and show the same."""
    return [die for die in now if any(_same(die, other, place) for other in before)]


def _same(one: DieReading, other: DieReading, place: float) -> bool:
    slack = place * dist(other.quad[0], other.quad[1])
    near = dist(_middle(one.quad), _middle(other.quad)) <= slack
    return near and (one.kind, one.face) == (other.kind, other.face)


def _middle(quad: Quad) -> Point:
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4
