"""Sika on the pages: the slate with calls, throws and totals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from companion.rules import sika as rules
from companion.rules import sika_odds as odds
from companion.rules.model import Line, Offer, Table
from companion.rules.sika_state import CALLS, ROUNDS, End, Phase, Play, Row

from . import pot
from .common import SeatView, key
from .offers import OfferView
from .pages import Pages

CALL = rules.CallColour.kind
ENDS = {
    End.MOST_POINTS: key("Most points"),
    End.TIE_BROKEN: key("The tie is broken"),
    End.LAST_PLAYER: key("Last player"),
    End.VOID: key("The game is void"),
}


@dataclass(frozen=True, slots=True)
class CallView:
    """A colour that may be called: one button."""

    colour: str
    offer: OfferView
    chosen: bool


@dataclass(frozen=True, slots=True)
class TurnView:
    """One player's turn of one round."""

    throws: tuple[int, ...]
    total: int | None  # None before the turn
    now: bool = False


@dataclass(frozen=True, slots=True)
class RowView:
    """One player's row of the slate; ``turns`` are the rounds, tie rounds together at the end."""

    seat: SeatView
    call: str
    turns: tuple[TurnView, ...]
    total: int
    on_turn: bool
    retired: bool
    leads: bool
    calls: tuple[CallView, ...]


@dataclass(frozen=True, slots=True)
class SlateView:
    """The whole slate."""

    rows: tuple[RowView, ...]
    round_no: int
    rounds: int
    tie: bool
    throw: int
    throws: int
    calling: bool
    now: RowView | None
    end: str
    winner: SeatView | None


@dataclass(frozen=True, slots=True)
class MySika:
    """A phone's part: the slate, the own row, the colours it may call."""

    game: SlateView
    mine: RowView | None
    calls: tuple[CallView, ...]


def view(table: Table) -> SlateView:
    """The slate as everybody may see it."""
    play: Play = table.play
    rows = tuple(_row(table, n) for n in range(len(play.rows)))
    throwing = play.phase is Phase.THROW
    return SlateView(
        rows=rows,
        round_no=play.round_no,
        rounds=ROUNDS,
        tie=play.round_no > ROUNDS,
        throw=len(play.thrown) + 1 if throwing else 0,
        throws=rules.throws_due(table),
        calling=play.phase is Phase.CALLING,
        now=rows[play.turn] if throwing else None,
        end=ENDS[play.ended] if play.ended else "",
        winner=pot.seat_of(table, play.winner),
    )


def _row(table: Table, position: int) -> RowView:
    play: Play = table.play
    row = play.rows[position]
    running = play.phase is not Phase.IDLE
    seat = pot.seat_of(table, row.seat)
    assert seat is not None
    best = max(other.total for other in play.rows if not other.retired)
    begun = any(any(other.turns) for other in play.rows)
    return RowView(
        seat=seat,
        call=row.call.value if row.call else "",
        turns=_turns(row, running and position == play.turn),
        total=row.total,
        on_turn=running and position == play.turn and play.phase is Phase.THROW,
        retired=row.retired,
        leads=begun and not row.retired and row.total == best,
        calls=_calls(table, row),
    )


def _turns(row: Row, on_turn: bool) -> tuple[TurnView, ...]:
    """The three rounds, and what the tie rounds brought together as a fourth when there are any."""
    last = len(row.turns) - 1
    played = [TurnView(turn, sum(turn), on_turn and n == last) for n, turn in enumerate(row.turns)]
    rounds = played[:ROUNDS] + [TurnView((), None)] * (ROUNDS - len(played))
    ties = [points for turn in row.turns[ROUNDS:] for points in turn]
    if len(row.turns) > ROUNDS:
        rounds.append(TurnView(tuple(ties[-ROUNDS:]), sum(ties), on_turn))
    return tuple(rounds)


def _calls(table: Table, row: Row) -> tuple[CallView, ...]:
    if row.seat not in rules.callers(table):
        return ()
    return tuple(
        CallView(colour.value, _call_offer(row.seat, colour.value), row.call is colour)
        for colour in CALLS
    )


def _call_offer(seat: int, colour: str) -> OfferView:
    """The colour is decided by the button, so the form asks for nothing more."""
    fields = json.dumps({"seat": seat, "colour": colour}, sort_keys=True)
    return OfferView(CALL, colour, fields, seat)


def my_view(table: Table, seat: int, offers: Sequence[Offer]) -> MySika:
    """The slate on the phone of ``seat``."""
    game = view(table)
    mine = next((row for row in game.rows if row.seat.number == seat), None)
    may_call = any(offer.kind == CALL for offer in offers)
    return MySika(game, mine, mine.calls if mine and may_call else ())


def headline(table: Table, seat: int) -> Line | None:
    """What this player does or waits for; None where the game's own status says it."""
    play: Play = table.play
    row = play.row_of(seat)
    if play.phase is Phase.IDLE or row is None or row.retired:
        return pot.waits(table, seat)
    if play.phase is Phase.CALLING:
        if seat not in rules.callers(table):
            return None
        return Line("The others still call.") if row.call else Line("Call a colour: red or blue?")
    if play.row.seat != seat:
        return None
    values = {"n": len(play.thrown) + 1, "of": rules.throws_due(table)}
    return Line("Your turn: throw {n} of {of}.", values)


def waiting(table: Table) -> str:
    """What the station waits for while there is no next step."""
    return key("Waiting for calls") if table.play.phase is Phase.CALLING else ""


PAGES = Pages(
    folder="sika",
    shown=frozenset({CALL}),
    void=pot.VOID,
    board=view,
    my_board=my_view,
    figures=pot.figures,
    room_figures=pot.figures,
    owed=pot.owed,
    net=pot.net,
    my_headline=headline,
    missing=pot.missing,
    next_hint=lambda table, kind: pot.NEXT_HINTS.get(kind, ""),
    waiting=waiting,
    hints=odds.hint,
)
