"""One seat's phone: only what that seat may see and do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.actions import SitOut
from companion.rules.dice import Roll
from companion.rules.history import History
from companion.rules.model import Line, Offer, Seat

from .common import ChipCount, Chips, PotView, SeatView, chips, named, seat_view
from .history import MyLine, last_roll, my_lines
from .offers import OfferView, game_offers
from .registry import pages_of


@dataclass(frozen=True, slots=True)
class PlayerView:
    """Everything on a phone."""

    table_name: str
    game_title: str
    me: SeatView
    headline: Line
    board: Any
    board_page: str
    hints: tuple[Line, ...]
    roll: Roll | None
    roll_no: int
    net: int | None  # what the last roll won or lost for this seat; None when it had no stake
    net_chips: tuple[ChipCount, ...]
    won_chips: tuple[ChipCount, ...]  # of the pots of the last hand
    result_lines: tuple[Line, ...]
    offers: tuple[OfferView, ...]
    sit: bool  # between rounds; no game offers it, for it is the table's own
    history: tuple[MyLine, ...]
    figures: tuple[PotView, ...]


def player_view(
    history: History, seat: Seat, offers: Sequence[Offer], table_name: str, values: Chips
) -> PlayerView:
    """The phone of ``seat``; ``offers`` are that seat's own."""
    table = history.table
    game = history.engine.game(table)
    pages = pages_of(table)
    last = last_roll(history)
    net = pages.net(last, seat.number) if last else None
    lines = last.done.lines if last else ()
    return PlayerView(
        table_name=table_name,
        game_title=game.title if game else "",
        me=seat_view(table, seat),
        headline=headline(history, seat),
        board=pages.my_board(table, seat.number, offers),
        board_page=pages.page("phone"),
        hints=pages.hints(table, seat.number),
        roll=last.roll if last else None,
        roll_no=last.entry if last else 0,
        net=net,
        net_chips=chips(net, values) if net and net > 0 else (),
        won_chips=chips(pages.won(table, seat.number), values),
        result_lines=tuple(
            named(line, table) for line in lines if line.values.get("seat") == seat.number
        ),
        offers=game_offers(offers, pages.shown),
        sit=history.why_not(SitOut(seat.number, not seat.out)) is None,
        history=my_lines(history, seat.number),
        figures=pages.room_figures(table),
    )


def headline(history: History, seat: Seat) -> Line:
    """What this player waits for or may do, in one sentence."""
    table = history.table
    game = history.engine.game(table)
    if game is None:
        return Line("Welcome. The dealer will choose a game.")
    if seat.out:
        return Line("You sit this one out.")
    if not table.credits(seat.number) and not game.in_play(table, seat.number):
        return Line("You have no credits. Ask the dealer for a buy-in.")
    return pages_of(table).my_headline(table, seat.number) or named(game.status(table), table)
