"""The slate of Sika: who called what, what each throw scored, who is still in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from .dice import Colour, Roll

CUBES = 3
THROWS = 3  # in a full turn
ROUNDS = 3
PER_FACE = 2
MISSED = -3  # no face of the called colour
CALLS = (Colour.RED, Colour.BLUE)


class Phase(StrEnum):
    """Where the game stands."""

    IDLE = "idle"
    CALLING = "calling"  # colours are called, by all or by the player on turn
    THROW = "throw"


class End(StrEnum):
    """How a game ended."""

    MOST_POINTS = "most_points"
    TIE_BROKEN = "tie_broken"
    LAST_PLAYER = "last_player"  # everybody else was retired
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Row:
    """One player's row: the points of each throw, turn by turn; a skipped turn ends early."""

    seat: int
    call: Colour | None = None
    turns: tuple[tuple[int, ...], ...] = ()
    retired: bool = False

    @property
    def total(self) -> int:
        """Points so far; may be negative."""
        return sum(map(sum, self.turns))


@dataclass(frozen=True, slots=True)
class Play:
    """The state of the game; ``rows`` in playing order, the first player first.

    ``field`` holds the positions that play this round, all of them until a tie is
    played out.
    """

    phase: Phase = Phase.IDLE
    game_no: int = 0
    rows: tuple[Row, ...] = ()
    round_no: int = 1
    field: tuple[int, ...] = ()
    turn: int = 0
    ended: End | None = None
    winner: int | None = None
    last_roll: Roll | None = None

    @property
    def row(self) -> Row:
        """The row of the player on turn."""
        return self.rows[self.turn]

    @property
    def playing(self) -> tuple[int, ...]:
        """Positions of the players not retired."""
        return tuple(n for n, row in enumerate(self.rows) if not row.retired)

    @property
    def thrown(self) -> tuple[int, ...]:
        """Points of the throws of the turn now played."""
        return self.row.turns[-1] if self.row.turns else ()

    def row_of(self, seat: int) -> Row | None:
        """The row of ``seat``."""
        return next((row for row in self.rows if row.seat == seat), None)

    def with_row(self, row: Row) -> Play:
        """The same game with the row of ``row.seat`` exchanged."""
        return replace(self, rows=tuple(row if r.seat == row.seat else r for r in self.rows))


def throw_points(roll: Roll, call: Colour) -> int:
    """What a throw of three cubes scores for the colour called."""
    faces = roll.cubes.count(call)
    return PER_FACE * faces if faces else MISSED


def leaders(play: Play) -> tuple[int, ...]:
    """Positions with the highest total among those who played this round."""
    field = [n for n in play.field if not play.rows[n].retired]
    best = max((play.rows[n].total for n in field), default=0)
    return tuple(n for n in field if play.rows[n].total == best)
