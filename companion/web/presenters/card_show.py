"""How a hand of cards ended: the ranking, why it was won, what is paid."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.card_game import CardGame
from companion.rules.card_state import End, Outcome, Phase, Play
from companion.rules.history import History
from companion.rules.model import Line, Table

from . import pot
from .cards import CardView, card_views
from .common import Chips, SeatView, chips, key
from .pages import OwedView

ENDS = {
    End.UNSHOWN: key("Everyone else is out"),
    End.SHOWN: key("Everyone else is out"),
    End.SHOWN_SABACC: key("Sabacc! Both pots are won"),
    End.HAND_POT: key("The hand pot is won"),
    End.BOTH_POTS: key("Sabacc! Both pots are won"),
    End.SIDE_POTS: key("Different hands win the pots"),
    End.SPLIT: key("The pot is split"),
    End.BLIND_DRAW: key("The blind draw decides"),
    End.VOID: key("The hand is void"),
}


@dataclass(frozen=True, slots=True)
class ShownView:
    """One hand of the showdown. Equal hands share their ``place``, which counts from 1."""

    place: int
    seat: SeatView
    cards: tuple[CardView, ...]
    name: str
    total: int
    why: Line
    won: int


@dataclass(frozen=True, slots=True)
class WonView:
    """A seat that took something."""

    seat: SeatView
    amount: int


@dataclass(frozen=True, slots=True)
class EndView:
    """The end of the last hand."""

    title: str
    shown: tuple[ShownView, ...]
    won: tuple[WonView, ...]


def end_view(table: Table, game: CardGame) -> EndView | None:
    """How the last hand ended; None before the first and during one."""
    play: Play = table.play
    if play.phase is not Phase.IDLE or play.outcome is None:
        return None
    won = tuple(WonView(_seat(table, seat), n) for seat, n in play.outcome.won.items())
    return EndView(ENDS[play.outcome.end], _ranking(table, game, play.outcome), won)


def _ranking(table: Table, game: CardGame, outcome: Outcome) -> tuple[ShownView, ...]:
    """Best hand first; after a blind draw its winner before those who tied with it."""
    if not outcome.shown:
        return ()
    ranked = game.compare([shown.cards for shown in outcome.shown], table.options).hands
    strengths = [
        (hand.key, shown.seat in outcome.won)
        for hand, shown in zip(ranked, outcome.shown, strict=True)
    ]
    rows = [
        ShownView(
            place=1 + sum(other > strength for other in strengths),
            seat=_seat(table, shown.seat),
            cards=card_views(shown.cards),
            name=shown.name,
            total=hand.total,
            why=shown.why,
            won=outcome.won.get(shown.seat, 0),
        )
        for hand, shown, strength in zip(ranked, outcome.shown, strengths, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: row.place))


def _seat(table: Table, number: int) -> SeatView:
    found = pot.seat_of(table, number)
    assert found is not None
    return found


def owed(history: History, values: Chips) -> tuple[OwedView, ...]:
    """The pots as they were paid out at the end of the last hand."""
    table = history.table
    play: Play = table.play
    if play.phase is not Phase.IDLE or play.outcome is None:
        return ()
    return tuple(
        OwedView(_seat(table, seat), amount, chips(amount, values), tag=key("won"), tone="take")
        for seat, amount in play.outcome.won.items()
    )


def won(table: Table, seat: int) -> int:
    """Credits a seat took from the pots of the last hand."""
    play: Play = table.play
    return play.outcome.won.get(seat, 0) if play.phase is Phase.IDLE and play.outcome else 0
