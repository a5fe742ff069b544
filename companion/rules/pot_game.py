"""What games for a pot share: antes, who begins, and putting a player or a game off.

A retired player's ante stays in the pot. When the game is then voided, that ante
waits in the pot for the next winner; only those still playing get theirs back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .actions import Action, action
from .errors import Refusal
from .model import Line, Table
from .options import Toggle
from .transfers import POT, Transfer, seat_account
from .words import key

LEAST_PLAYERS = 2
SCOREKEEPER = Toggle(
    "scorekeeper",
    0,
    "Seat that keeps score, its left begins; 0 is the dealer, before seat 1.",
    least=0,
    most=8,
)


@action("open_game")
@dataclass(frozen=True)
class OpenGame(Action):
    """Collect the antes and begin a game for the pot."""


@action("void_game")
@dataclass(frozen=True)
class VoidGame(Action):
    """Break the game off; everyone still playing gets the ante back."""


@action("skip_turn")
@dataclass(frozen=True)
class SkipTurn(Action):
    """End the turn of a player who does not go on with it."""

    seat: int


@action("retire")
@dataclass(frozen=True)
class Retire(Action):
    """Take a player out of the present game; the ante stays in the pot."""

    seat: int


@dataclass(frozen=True, slots=True)
class Opening:
    """Who plays, the first player first, with what they pay and what is said about it."""

    order: tuple[int, ...]
    transfers: tuple[Transfer, ...]
    lines: tuple[Line, ...]


def ante_toggle(default: int, least: int) -> Toggle:
    """The ante of a game; a ``least`` of 0 lets the table play without one."""
    meaning = (
        key("Ante to the pot, credits a player a game.")
        if least
        else key("Ante to the pot, credits a player a game. 0: no ante.")
    )
    return Toggle("ante", default, meaning, least=least, most=100_000)


def clockwise(seats: Iterable[int], after: int) -> tuple[int, ...]:
    """Seats in playing order, the first to the left of ``after``.

    >>> clockwise([1, 3, 6], 3)
    (6, 1, 3)
    """
    return tuple(sorted(seats, key=lambda seat: (seat <= after, seat)))


def able(table: Table) -> tuple[int, ...]:
    """The seats that are dealt in and can pay the ante."""
    ante = table.options["ante"]
    return tuple(s.number for s in table.seats if not s.out and table.credits(s.number) >= ante)


def why_not_open(table: Table) -> Refusal | None:
    """Why no game can begin with the players there are."""
    if len(able(table)) < LEAST_PLAYERS:
        text = key("A game needs at least {least} players who can pay the ante of {ante}.")
        values = {"least": LEAST_PLAYERS, "ante": table.options["ante"]}
        return Refusal("too_few_players", text, values)
    return None


def opening(table: Table, after: int, number: int) -> Opening:
    """Game ``number``, begun by the left of seat ``after``."""
    order = clockwise(able(table), after)
    ante = table.options["ante"]
    moves = tuple(Transfer(seat_account(s), POT, ante, "ante") for s in order) if ante else ()
    begins = Line("Game {n}: {seat} begins.", {"n": number, "seat": order[0]})
    short = key("{seat} cannot pay the ante of {amount} and sits this game out.")
    left = (s.number for s in table.seats if not s.out and s.number not in order)
    lines = tuple(Line(short, {"seat": seat, "amount": ante}) for seat in left)
    return Opening(order, moves, (begins, *lines))


def antes_back(table: Table, playing: Iterable[int]) -> tuple[Transfer, ...]:
    """The antes of those still playing, out of the pot."""
    ante = table.options["ante"]
    if not ante:
        return ()
    return tuple(Transfer(POT, seat_account(seat), ante, "void") for seat in playing)


def pot_won(table: Table, seat: int) -> tuple[Transfer, ...]:
    """The whole pot for ``seat``; nothing moves when the table plays without an ante."""
    pot = table.balance(POT)
    return (Transfer(POT, seat_account(seat), pot, "pot"),) if pot else ()
