"""Point Five on the pages: the six places of every board, the call, the chance to bust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from companion.rules import point_five as rules
from companion.rules import point_five_odds as odds
from companion.rules.dice import Symbol
from companion.rules.model import Line, Offer, Table
from companion.rules.point_five_state import TARGET, Board, End, Outcome, Phase, Play

from . import pot
from .common import SeatView, key
from .offers import OfferView, offer_view
from .pages import Pages

SHOWN = frozenset({"call_turn", "throw_again"})
LADDER = ("½", "×1", "×2", "×3", "×4", "★")  # what each throw counts; the sixth wins
OUTCOMES = {
    Outcome.CALLED: key("called"),
    Outcome.BUST: key("bust"),
    Outcome.SKIPPED: key("skipped"),
    Outcome.WON: key("all six"),
}
ENDS = {
    End.SIX_SYMBOLS: key("All six symbols"),
    End.HUNDRED: key("A hundred points"),
    End.MOST_POINTS: key("Most points"),
    End.LAST_PLAYER: key("Last player"),
    End.VOID: key("The game is void"),
}


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One symbol of a board; ``throw`` is the throw that showed it, 0 when none has."""

    on: str
    colour: str
    throw: int = 0
    bust: bool = False


@dataclass(frozen=True, slots=True)
class BoardView:
    """One player's board."""

    seat: SeatView
    points: int
    places: tuple[PlaceView, ...]
    on_turn: bool
    outcome: str
    gained: int
    retired: bool


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of the ladder that says what each throw counts."""

    label: str
    reached: bool
    now: bool


@dataclass(frozen=True, slots=True)
class PointFiveView:
    """The whole game. ``now`` is the board played on; ``bust`` is in percent, None when hidden."""

    boards: tuple[BoardView, ...]
    now: BoardView | None
    throw: int
    worth: int
    may_call: bool
    bust: Fraction | None
    ladder: tuple[StepView, ...]
    end: str
    winner: SeatView | None
    target: int = TARGET


@dataclass(frozen=True, slots=True)
class MyPointFive:
    """A phone's part: the whole game, the own board and what may be done."""

    game: PointFiveView
    mine: BoardView | None
    call: OfferView | None
    again: OfferView | None
    may_throw: bool


def view(table: Table) -> PointFiveView:
    """The game as everybody may see it."""
    play: Play = table.play
    running = play.phase is not Phase.IDLE
    boards = tuple(
        _board(table, board, running and n == play.turn) for n, board in enumerate(play.boards)
    )
    shown = len(play.board.thrown) if running else 0
    return PointFiveView(
        boards=boards,
        now=boards[play.turn] if running else None,
        throw=shown + 1,
        worth=rules.call_worth(table) if running else 0,
        may_call=play.phase is Phase.CHOICE,
        bust=100 * odds.bust_chance(shown) if running and table.options["advice"] else None,
        ladder=tuple(StepView(label, n < shown, n == shown - 1) for n, label in enumerate(LADDER)),
        end=ENDS[play.ended] if play.ended else "",
        winner=pot.seat_of(table, play.winner),
    )


def _board(table: Table, board: Board, on_turn: bool) -> BoardView:
    seat = pot.seat_of(table, board.seat)
    assert seat is not None
    return BoardView(
        seat=seat,
        points=board.points,
        places=tuple(_place(board, symbol) for symbol in Symbol),
        on_turn=on_turn,
        outcome=OUTCOMES[board.outcome] if board.outcome else "",
        gained=board.gained,
        retired=board.retired,
    )


def _place(board: Board, symbol: Symbol) -> PlaceView:
    throw = board.thrown.index(symbol) + 1 if symbol in board.thrown else 0
    bust = board.outcome is Outcome.BUST and board.thrown[-1] is symbol
    return PlaceView(symbol.value, symbol.colour.value, throw, bust)


def my_view(table: Table, seat: int, offers: Sequence[Offer]) -> MyPointFive:
    """The game on the phone of ``seat``."""
    game = view(table)
    found = {offer.kind: offer_view(offer) for offer in offers}
    mine = next((board for board in game.boards if board.seat.number == seat), None)
    on_turn = mine is not None and mine.on_turn
    due = rules.POINT_FIVE.expects(table) is not None
    return MyPointFive(
        game, mine, found.get("call_turn"), found.get("throw_again"), on_turn and due
    )


def headline(table: Table, seat: int) -> Line | None:
    """What this player does or waits for; None where the game's own status says it."""
    play: Play = table.play
    board = play.board_of(seat)
    if play.phase is Phase.IDLE or board is None or board.retired:
        return pot.waits(table, seat)
    if play.board.seat != seat:
        return None
    if play.phase is Phase.THROW:
        return Line("Your turn: throw the die.")
    return Line("Call for {points}, or throw again?", {"points": rules.call_worth(table)})


def next_hint(table: Table, kind: str) -> str | Line:
    """What a call is worth, beside the button that makes it."""
    if kind == rules.Call.kind:
        return Line("for {points}, or throw again", {"points": rules.call_worth(table)})
    return pot.NEXT_HINTS.get(kind, "")


PAGES = Pages(
    folder="point_five",
    shown=SHOWN,
    void=pot.VOID,
    board=view,
    my_board=my_view,
    figures=pot.figures,
    room_figures=pot.figures,
    owed=pot.owed,
    net=pot.net,
    my_headline=headline,
    missing=pot.missing,
    next_hint=next_hint,
    hints=odds.hint,
)
