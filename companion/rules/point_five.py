"""Point Five: six different symbols in one turn, or a hundred points, win the pot.

Mechanics after the rule sheet designed by Kevin Van Ryswyck (www.gamesofthegalaxy.com).
House readings: throwing the die again is the decision to go on, unless the table
wants it said; with equal turns the six symbols still win at once, a skipped turn
counts as one, and a tie is played on by everyone; who is left alone wins the pot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from .actions import Action, EndGame, RecordRoll, action
from .dice import SPIKE_KIND, Expect, Symbol
from .errors import Refusal
from .model import Line, Offer, Step, Table
from .options import ADVICE, Toggle
from .point_five_state import ALL, TARGET, Board, End, Outcome, Phase, Play, leaders, worth
from .pot_game import (
    SCOREKEEPER,
    OpenGame,
    Retire,
    SkipTurn,
    VoidGame,
    ante_toggle,
    antes_back,
    opening,
    pot_won,
    why_not_open,
)
from .transfers import POT
from .words import key

__all__ = ["POINT_FIVE", "Board", "Call", "End", "Outcome", "Phase", "Play", "ThrowAgain"]


@action("call_turn")
@dataclass(frozen=True)
class Call(Action):
    """End the turn and score by what lies on the board."""

    by_player: ClassVar[bool] = True
    seat: int


@action("throw_again")
@dataclass(frozen=True)
class ThrowAgain(Action):
    """Say that the die is thrown again, where the table wants it said."""

    by_player: ClassVar[bool] = True
    seat: int


TOGGLES = (
    ante_toggle(default=5, least=1),
    Toggle(
        "scoring",
        "last_throw",
        "Whether a call scores its last throw or all throws of the turn.",
        ("last_throw", "cumulative"),
    ),
    Toggle(
        "finish",
        "immediate",
        "Whether 100 points win at once or when all have had as many turns.",
        ("immediate", "equal_turns"),
    ),
    Toggle("declare", False, "Throwing again must be said before the die counts."),
    SCOREKEEPER,
    ADVICE,
)

_PHASES: dict[str, tuple[Phase, ...]] = {
    OpenGame.kind: (Phase.IDLE,),
    EndGame.kind: (Phase.IDLE,),
    RecordRoll.kind: (Phase.THROW, Phase.CHOICE),
    Call.kind: (Phase.CHOICE,),
    ThrowAgain.kind: (Phase.CHOICE,),
    SkipTurn.kind: (Phase.THROW, Phase.CHOICE),
    Retire.kind: (Phase.THROW, Phase.CHOICE),
    VoidGame.kind: (Phase.THROW, Phase.CHOICE),
}

_NOT_NOW = {
    Phase.IDLE: key("No game is being played."),
    Phase.THROW: key("The die has to be thrown first."),
    Phase.CHOICE: key("A game is being played; finish or void it first."),
}


class PointFive:
    """The game as the table's engine knows it."""

    key = "point_five"
    title = "Point Five"
    toggles: tuple[Toggle, ...] = TOGGLES
    version = 1
    ends = End

    def new(self, table: Table) -> Play:
        """No game begun yet; the scorekeeper's left will begin it."""
        return Play(after=table.options["scorekeeper"])

    def ended(self, table: Table) -> End | None:
        """How the last game ended; None before the first and while one is played."""
        play: Play = table.play
        return play.ended

    def expects(self, table: Table) -> Expect | None:
        """One Spike die while a turn runs."""
        match table.play.phase:
            case Phase.THROW:
                return {SPIKE_KIND: 1}
            case Phase.CHOICE if not table.options["declare"]:
                return {SPIKE_KIND: 1}
            case _:
                return None

    def status(self, table: Table) -> Line:
        """Whose throw it is, and what a call is worth."""
        play: Play = table.play
        match play.phase:
            case Phase.IDLE:
                return Line("Between games.")
            case Phase.THROW:
                values = {"seat": play.board.seat, "n": len(play.board.thrown) + 1}
                return Line("{seat} is on turn: throw {n}.", values)
            case Phase.CHOICE:
                values = {"seat": play.board.seat, "points": call_worth(table)}
                return Line("{seat} calls for {points}, or throws again.", values)

    def in_play(self, table: Table, seat: int) -> bool:
        """Whether a seat plays in the present game and is not retired."""
        play: Play = table.play
        board = play.board_of(seat)
        return play.phase is not Phase.IDLE and board is not None and not board.retired

    def why_not(self, table: Table, action: Action) -> Refusal | None:
        """Phase first, then the action's own conditions."""
        play: Play = table.play
        phases = _PHASES.get(action.kind)
        if phases is None:
            return Refusal("unknown_action", "Point Five has no {action}.", {"action": action.kind})
        if play.phase not in phases:
            return Refusal("not_now", _not_now(play, action))
        match action:
            case OpenGame():
                return why_not_open(table)
            case RecordRoll() if self.expects(table) is None:
                return Refusal("not_said", "Say first that the die is thrown again, or call.")
            case ThrowAgain() if not table.options["declare"]:
                return Refusal("not_asked", "At this table you simply throw again.")
            case Call(seat=seat) | ThrowAgain(seat=seat) | SkipTurn(seat=seat):
                return _why_not_turn(play, seat)
            case Retire(seat=seat) if not self.in_play(table, seat):
                return Refusal("not_playing", "This seat does not play in the present game.")
            case _:
                return None

    def apply(self, table: Table, action: Action) -> Step:
        """Do an action that ``why_not`` allows."""
        play: Play = table.play
        match action:
            case OpenGame():
                return _open(table)
            case RecordRoll(roll=roll):
                return _throw(table, replace(play, last_roll=roll), roll.spikes[0])
            case Call():
                return _call(table)
            case ThrowAgain(seat=seat):
                line = Line("{seat} throws again.", {"seat": seat})
                return Step(replace(play, phase=Phase.THROW), (), (line,))
            case SkipTurn(seat=seat):
                board = replace(play.board, outcome=Outcome.SKIPPED, gained=0)
                line = Line("{seat} is skipped.", {"seat": seat})
                return _pass(table, play.with_board(board), line)
            case Retire(seat=seat):
                return _retire(table, seat)
            case VoidGame():
                return _void(table)
            case _:
                return Step(None, (), (Line("Point Five ends."),))

    def legal_actions(self, table: Table, seat: int | None) -> tuple[Offer, ...]:
        """Every button: the dealer's (``seat`` None) or a seat's."""
        offers = _dealer_offers(table) if seat is None else _turn_offers(table, seat)
        return tuple(offers)


POINT_FIVE = PointFive()


def call_worth(table: Table) -> int:
    """What the player on turn would score by calling now."""
    return worth(table.play.board.thrown, table.options["scoring"])


def _not_now(play: Play, action: Action) -> str:
    if isinstance(action, (OpenGame, EndGame)):
        return _NOT_NOW[Phase.CHOICE]
    return _NOT_NOW[play.phase]


def _why_not_turn(play: Play, seat: int) -> Refusal | None:
    if play.board.seat != seat:
        return Refusal("not_your_turn", "It is the turn of seat {seat}.", {"seat": play.board.seat})
    return None


def _open(table: Table) -> Step:
    play: Play = table.play
    number = play.game_no + 1
    begun = opening(table, play.after, number)
    boards = tuple(Board(seat) for seat in begun.order)
    fresh = Play(play.after, Phase.THROW, number, boards)
    return Step(fresh, begun.transfers, begun.lines)


def _throw(table: Table, play: Play, symbol: Symbol) -> Step:
    board = play.board
    shown = replace(board, thrown=(*board.thrown, symbol))
    values = {"seat": board.seat, "on": symbol.value}
    if symbol in board.thrown:
        bust = replace(shown, outcome=Outcome.BUST, gained=0)
        line = Line("{seat} throws a second {on} and busts.", values)
        return _pass(table, play.with_board(bust), line)
    line = Line("{seat} throws {on}.", values)
    if len(shown.thrown) == ALL:
        full = play.with_board(replace(shown, outcome=Outcome.WON))
        return _won(table, full, shown.seat, End.SIX_SYMBOLS, line)
    return Step(replace(play.with_board(shown), phase=Phase.CHOICE), (), (line,))


def _call(table: Table) -> Step:
    play: Play = table.play
    gained = call_worth(table)
    points = play.board.points + gained
    board = replace(play.board, points=points, gained=gained, outcome=Outcome.CALLED)
    line = Line(
        "{seat} calls for {gained} and has {points} points.",
        {"seat": board.seat, "gained": gained, "points": points},
    )
    called = play.with_board(board)
    if points >= TARGET and table.options["finish"] == "immediate":
        return _won(table, called, board.seat, End.HUNDRED, line)
    return _pass(table, called, line)


def _pass(table: Table, play: Play, *lines: Line) -> Step:
    """The die goes to the left; at the end of a round equal turns are looked at."""
    following = play.next_turn()
    if following <= play.turn and table.options["finish"] == "equal_turns":
        best = leaders(play)
        if len(best) == 1:
            return _won(table, play, best[0].seat, End.MOST_POINTS, *lines)
        if best:
            tie = Line("A tie at {points} points is played on.", {"points": best[0].points})
            lines = (*lines, tie)
    turned = replace(play, turn=following, phase=Phase.THROW)
    fresh = replace(turned.board, thrown=(), outcome=None, gained=0)
    return Step(turned.with_board(fresh), (), lines)


_WON = {
    End.SIX_SYMBOLS: key("{seat} has all six symbols and wins the pot of {amount}."),
    End.HUNDRED: key("{seat} reaches a hundred and wins the pot of {amount}."),
    End.MOST_POINTS: key("{seat} has the most points and wins the pot of {amount}."),
    End.LAST_PLAYER: key("{seat} is the last player and wins the pot of {amount}."),
}


def _won(table: Table, play: Play, seat: int, end: End, *lines: Line) -> Step:
    over = replace(play, phase=Phase.IDLE, after=seat, ended=end, winner=seat)
    line = Line(_WON[end], {"seat": seat, "amount": table.balance(POT)})
    return Step(over, pot_won(table, seat), (*lines, line))


def _retire(table: Table, seat: int) -> Step:
    play: Play = table.play
    board = play.board_of(seat)
    assert board is not None  # why_not has looked
    left = play.with_board(replace(board, retired=True))
    line = Line("{seat} is retired; the ante stays in the pot.", {"seat": seat})
    if len(left.playing) == 1:
        last = left.boards[left.playing[0]].seat
        return _won(table, left, last, End.LAST_PLAYER, line)
    if play.board.seat == seat:
        return _pass(table, left, line)
    return Step(left, (), (line,))


def _void(table: Table) -> Step:
    play: Play = table.play
    moves = antes_back(table, (play.boards[n].seat for n in play.playing))
    over = replace(play, phase=Phase.IDLE, ended=End.VOID, winner=None)
    return Step(over, moves, (Line("The game is void; the antes go back."),))


def _dealer_offers(table: Table) -> Iterator[Offer]:
    play: Play = table.play
    if play.phase is Phase.IDLE:
        if why_not_open(table) is None:
            yield Offer(OpenGame.kind, "Start game", primary=True)
        return
    yield from _turn_offers(table, play.board.seat)
    yield Offer(SkipTurn.kind, "Skip the turn", {"seat": play.board.seat})
    for position in play.playing:
        yield Offer(Retire.kind, "Retire", {"seat": play.boards[position].seat})
    yield Offer(VoidGame.kind, "Void game")


def _turn_offers(table: Table, seat: int) -> Iterator[Offer]:
    play: Play = table.play
    if play.phase is Phase.CHOICE and play.board.seat == seat:
        yield Offer(Call.kind, "Call and score", {"seat": seat}, primary=True)
        if table.options["declare"]:
            yield Offer(ThrowAgain.kind, "Throw again", {"seat": seat})
