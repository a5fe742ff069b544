"""The boards of Point Five: what lies on each, what a call is worth, whose turn is next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from .dice import Roll, Symbol

TARGET = 100  # points that win the pot
ALL = len(Symbol)


class Phase(StrEnum):
    """Where the game stands."""

    IDLE = "idle"
    THROW = "throw"  # the player on turn has to throw
    CHOICE = "choice"  # the player on turn calls, or throws again


class Outcome(StrEnum):
    """How a turn ended."""

    CALLED = "called"
    BUST = "bust"
    SKIPPED = "skipped"
    WON = "won"


class End(StrEnum):
    """How a game ended."""

    SIX_SYMBOLS = "six_symbols"
    HUNDRED = "hundred"
    MOST_POINTS = "most_points"  # equal turns: the highest of those past the target
    LAST_PLAYER = "last_player"  # everybody else was retired
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Board:
    """One player's board. ``thrown`` stays to be seen until the player's next turn."""

    seat: int
    points: int = 0
    thrown: tuple[Symbol, ...] = ()  # in the order of the throws; a bust's last one comes twice
    outcome: Outcome | None = None  # of the last turn; None while it runs
    gained: int = 0  # by the last turn
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """The state of the game; ``boards`` in playing order, the first player first.

    ``after`` is the seat whose left begins the next game.
    """

    after: int
    phase: Phase = Phase.IDLE
    game_no: int = 0
    boards: tuple[Board, ...] = ()
    turn: int = 0  # whose board is played on
    ended: End | None = None
    winner: int | None = None
    last_roll: Roll | None = None

    @property
    def board(self) -> Board:
        """The board of the player on turn."""
        return self.boards[self.turn]

    @property
    def playing(self) -> tuple[int, ...]:
        """Positions of the players not retired."""
        return tuple(n for n, board in enumerate(self.boards) if not board.retired)

    def board_of(self, seat: int) -> Board | None:
        """The board of ``seat``."""
        return next((board for board in self.boards if board.seat == seat), None)

    def with_board(self, board: Board) -> Play:
        """The same game with the board of ``board.seat`` exchanged."""
        boards = tuple(board if b.seat == board.seat else b for b in self.boards)
        return replace(self, boards=boards)

    def next_turn(self) -> int:
        """The position whose turn follows; not above ``turn`` when a round is complete."""
        later = [n for n in self.playing if n > self.turn]
        return later[0] if later else self.playing[0]


def throw_points(number: int, symbol: Symbol) -> int:
    """What throw ``number`` (1 to 5) adds: half the value rounded up, then 1 to 4 times it."""
    return -(-symbol.points // 2) if number == 1 else (number - 1) * symbol.points


def worth(thrown: tuple[Symbol, ...], scoring: str) -> int:
    """Points for calling after ``thrown``, all different."""
    points = [throw_points(number, symbol) for number, symbol in enumerate(thrown, 1)]
    if scoring == "cumulative":
        return sum(points)
    return points[-1] if points else 0


def leaders(play: Play) -> tuple[Board, ...]:
    """The players with the most points, when that is enough to win; several when tied."""
    boards = [play.boards[n] for n in play.playing]
    most = max(board.points for board in boards)
    return tuple(board for board in boards if board.points == most >= TARGET)
