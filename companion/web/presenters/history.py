"""What happened, for the dealer's column, the display and a player's own list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from companion.rules.actions import How, RecordRoll
from companion.rules.dice import Roll
from companion.rules.history import Done, History
from companion.rules.model import Line, Table

from .common import named


class Logged(Protocol):
    """What a page needs of a log row."""

    @property
    def no(self) -> int: ...
    @property
    def lines(self) -> Sequence[Line]: ...
    @property
    def in_force(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class LineView:
    """One sentence; ``in_force`` is False when it has been taken back."""

    line: Line
    in_force: bool


@dataclass(frozen=True, slots=True)
class MyLine:
    """One sentence about a player, and what it did to the player's credits."""

    line: Line
    amount: int


@dataclass(frozen=True, slots=True)
class LastRoll:
    """The newest roll in force and the log entry that recorded it."""

    entry: int
    roll: Roll
    how: How
    evidence: str | None
    done: Done


def line_views(history: History, rows: Iterable[Logged], limit: int = 40) -> tuple[LineView, ...]:
    """The newest sentences first, each with the names of its own time."""
    found = [
        LineView(named(line, _table_at(history, row.no, line)), row.in_force)
        for row in rows
        for line in row.lines
    ]
    return tuple(found[::-1][:limit])


def _table_at(history: History, entry: int, line: Line) -> Table:
    """The table around ``entry`` that knows the player the line speaks of."""
    seat = line.values.get("seat")
    for no in (entry, entry - 1):
        head = history.heads[no] if 0 <= no < len(history.heads) else None
        if head and isinstance(seat, int) and head.table.seat(seat):
            return head.table
    return history.table


def my_lines(history: History, seat: int, limit: int = 12) -> tuple[MyLine, ...]:
    """The newest sentences about a seat since its player sat down, newest first."""
    found: list[MyLine] = []
    head = history.heads[-1]
    while head is not None and len(found) < limit and head.table.seat(seat):
        before = head.previous.table.credits(seat) if head.previous else 0
        mine = [line for line in head.lines if line.values.get("seat") == seat]
        change = head.table.credits(seat) - before
        found += [
            MyLine(named(line, head.table), change if i == 0 else 0)
            for i, line in enumerate(reversed(mine))
        ]
        head = head.previous
    return tuple(found[:limit])


def last_roll(history: History) -> LastRoll | None:
    """The newest roll of the present game that is in force."""
    head = history.heads[-1]
    game = history.table.game
    while head is not None and game is not None and head.table.game == game:
        if isinstance(head.action, RecordRoll):
            action = head.action
            return LastRoll(head.no, action.roll, action.how, action.evidence, head)
        head = head.previous
    return None


def roll_at(history: History, entry: int) -> LastRoll | None:
    """The roll recorded as log entry ``entry``, if it is in force."""
    for done in reversed(history.in_force()):
        if done.no == entry and isinstance(done.action, RecordRoll):
            action = done.action
            return LastRoll(entry, action.roll, action.how, action.evidence, done)
    return None
