"""Seats, buy-ins and the dealer's bankroll: the rules every game shares."""

from __future__ import annotations

from dataclasses import replace

from .actions import (
    Action,
    BuyIn,
    CashOut,
    DrawBank,
    FundBank,
    JoinSeat,
    LeaveSeat,
    SitOut,
)
from .errors import Refusal
from .model import Applied, Game, Line, Seat, Table
from .transfers import BANK, HOUSE, Transfer, post, seat_account
from .words import key

SEATS = range(1, 9)
NAME_LENGTH = 24
MOST_AT_ONCE = 1_000_000  # credits; a slip of the finger is caught, a real stack is not

_KINDS = (JoinSeat, LeaveSeat, SitOut, BuyIn, CashOut, FundBank, DrawBank)


def handles(action: Action) -> bool:
    """Whether this module decides on ``action``."""
    return isinstance(action, _KINDS)


def why_not(table: Table, action: Action, game: Game | None) -> Refusal | None:
    """Why a seating action is refused; None when it may be done."""
    match action:
        case JoinSeat():
            return _why_not_join(table, action)
        case LeaveSeat(seat=seat) | SitOut(seat=seat):
            return _why_not_seated(table, seat) or _why_not_free(table, seat, game)
        case BuyIn(seat=seat, amount=amount):
            return _why_not_seated(table, seat) or _why_not_amount(amount)
        case CashOut(seat=seat, amount=amount):
            return (
                _why_not_seated(table, seat)
                or _why_not_amount(amount)
                or _why_not_free(table, seat, game)
                or _why_not_covered(table.credits(seat), amount)
            )
        case FundBank(amount=amount):
            return _why_not_amount(amount)
        case DrawBank(amount=amount):
            return _why_not_amount(amount) or _why_not_draw(table, amount, game)
        case _:
            return Refusal(
                "unknown_action", "{action} is no seating action.", {"action": action.kind}
            )


def apply(table: Table, action: Action) -> Applied:
    """Do an action that ``why_not`` allows."""
    match action:
        case JoinSeat(seat=number, name=name, colour=colour):
            seats = (*table.seats, Seat(number, name.strip(), colour))
            ordered = tuple(sorted(seats, key=lambda seat: seat.number))
            return Applied(replace(table, seats=ordered), (), (_line("{seat} sits down.", number),))
        case LeaveSeat(seat=number):
            return _leave(table, number)
        case SitOut(seat=number, out=out):
            seats = tuple(replace(s, out=out) if s.number == number else s for s in table.seats)
            text = key("{seat} sits out.") if out else key("{seat} is back in.")
            return Applied(replace(table, seats=seats), (), (_line(text, number),))
        case BuyIn(seat=number, amount=amount):
            move = Transfer(HOUSE, seat_account(number), amount, "buy_in")
            return _moved(table, move, _line("{seat} buys in for {amount}.", number, amount))
        case CashOut(seat=number, amount=amount):
            move = Transfer(seat_account(number), HOUSE, amount, "cash_out")
            return _moved(table, move, _line("{seat} cashes out {amount}.", number, amount))
        case FundBank(amount=amount):
            move = Transfer(HOUSE, BANK, amount, "fund_bank")
            return _moved(table, move, Line("The bank grows by {amount}.", {"amount": amount}))
        case DrawBank(amount=amount):
            move = Transfer(BANK, HOUSE, amount, "draw_bank")
            return _moved(table, move, Line("{amount} leaves the bank.", {"amount": amount}))
        case _:
            raise TypeError(f"{action.kind} is no seating action")


def _leave(table: Table, number: int) -> Applied:
    credits = table.credits(number)
    seats = tuple(seat for seat in table.seats if seat.number != number)
    name = next(seat.name for seat in table.seats if seat.number == number)
    line = Line("{name} leaves with {amount}.", {"name": name, "amount": credits})
    gone = replace(table, seats=seats)
    if not credits:
        return Applied(gone, (), (line,))
    return _moved(gone, Transfer(seat_account(number), HOUSE, credits, "cash_out"), line)


def _moved(table: Table, move: Transfer, line: Line) -> Applied:
    return Applied(replace(table, accounts=post(table.accounts, (move,))), (move,), (line,))


def _line(text: str, seat: int, amount: int | None = None) -> Line:
    values = {"seat": seat} if amount is None else {"seat": seat, "amount": amount}
    return Line(text, values)


def _why_not_join(table: Table, action: JoinSeat) -> Refusal | None:
    name = action.name.strip()
    if action.seat not in SEATS:
        return Refusal(
            "no_such_seat",
            "Seats are numbered {first} to {last}.",
            {"first": SEATS[0], "last": SEATS[-1]},
        )
    if table.seat(action.seat):
        return Refusal("seat_taken", "Seat {seat} is taken.", {"seat": action.seat})
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        return Refusal(
            "bad_name", "A name has 1 to {most} printable characters.", {"most": NAME_LENGTH}
        )
    if any(seat.name.casefold() == name.casefold() for seat in table.seats):
        return Refusal("name_taken", "{name} already sits at this table.", {"name": name})
    return None


def _why_not_seated(table: Table, seat: int) -> Refusal | None:
    if table.seat(seat) is None:
        return Refusal("nobody_there", "Nobody sits in seat {seat}.", {"seat": seat})
    return None


def _why_not_free(table: Table, seat: int, game: Game | None) -> Refusal | None:
    if game is not None and game.in_play(table, seat):
        return Refusal("in_play", "This seat is still in the present round; finish it first.")
    return None


def _why_not_amount(amount: int) -> Refusal | None:
    if not 1 <= amount <= MOST_AT_ONCE:
        return Refusal(
            "bad_amount", "An amount is 1 to {most} whole credits.", {"most": MOST_AT_ONCE}
        )
    return None


def _why_not_covered(held: int, amount: int) -> Refusal | None:
    if amount > held:
        return Refusal(
            "not_enough", "Only {n} credits are there.", {"n": held}, "Only {n} credit is there."
        )
    return None


def _why_not_draw(table: Table, amount: int, game: Game | None) -> Refusal | None:
    if game is not None and any(game.in_play(table, seat.number) for seat in table.seats):
        return Refusal("in_play", "The bank covers open bets; finish the round first.")
    return _why_not_covered(table.balance(BANK), amount)
