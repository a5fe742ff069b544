"""What the pages of the games for a pot share: the pot itself, who won it, who is missing."""

from __future__ import annotations

from companion.rules.history import History
from companion.rules.model import Line, Table
from companion.rules.pot_game import OpenGame, why_not_open
from companion.rules.transfers import POT

from .common import Chips, PotView, SeatView, chips, key, pots, seat_view
from .history import LastRoll
from .pages import Missing, OwedView

VOID = "void_game"
NEXT_HINTS = {OpenGame.kind: key("the antes go into the pot")}


def figures(table: Table) -> tuple[PotView, ...]:
    """The pot, shown even when it is empty, and any other that holds something."""
    others = (view for view in pots(table) if view.account != POT)
    return (PotView(POT, key("Pot"), table.balance(POT)), *others)


def missing(table: Table) -> Missing | None:
    """Too few players for a game."""
    if table.play.phase != "idle" or why_not_open(table) is None:
        return None
    return Missing("seats", key("Seat players"), key("two who can pay the ante"))


def seat_of(table: Table, number: int | None) -> SeatView | None:
    """A player of the present game, who may have left the table since."""
    seat = table.seat(number) if number is not None else None
    if seat is None:
        return SeatView(number, f"#{number}", "sand", 0) if number is not None else None
    return seat_view(table, seat)


def owed(history: History, values: Chips) -> tuple[OwedView, ...]:
    """The pot as it was paid out at the end of the last game."""
    head, found = history.heads[-1], []
    while head is not None and not isinstance(head.action, OpenGame) and head.table.game:
        found += [m for m in head.transfers if m.source == POT and m.reason == "pot"]
        head = head.previous
    paid = [(seat_of(history.table, int(m.target.removeprefix("seat:"))), m.amount) for m in found]
    return tuple(
        OwedView(seat, amount, chips(amount, values), tag=key("pot won"), tone="take")
        for seat, amount in paid
        if seat is not None
    )


def net(last: LastRoll, seat: int) -> int | None:
    """What the last roll brought a seat; None when it moved none of its credits."""
    before = last.done.previous.table.credits(seat) if last.done.previous else 0
    return (last.done.table.credits(seat) - before) or None


def waits(table: Table, seat: int) -> Line | None:
    """The headline of a player who does not play in the present game."""
    if table.play.phase == "idle":
        return Line("The dealer will start the next game.")
    return Line("You play in the next game.")
