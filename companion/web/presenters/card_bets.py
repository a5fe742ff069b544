"""The betting of a card game on the pages: what is to be called, quick raises, the pots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.rules import betting
from companion.rules.betting import Bet, RaiseBet
from companion.rules.card_state import Play, behind, dead, stacks_of
from companion.rules.model import Offer, Table
from companion.rules.transfers import HAND_POT, SABACC_POT

from . import pot
from .common import POTS, PotView, SeatView, key, pots
from .offers import AskView, OfferView, offer_view

RAISES = (RaiseBet.kind, Bet.kind)


@dataclass(frozen=True, slots=True)
class QuickView:
    """A quick button of the raise: its label and the amount it fills in."""

    label: str
    amount: int


@dataclass(frozen=True, slots=True)
class RaiseView:
    """The raise (or opening bet) of the seat on turn."""

    offer: OfferView
    ask: AskView
    quick: tuple[QuickView, ...]
    opening: bool


@dataclass(frozen=True, slots=True)
class BetView:
    """The betting bar of one seat."""

    to_call: int
    behind: int
    check: OfferView | None
    call: OfferView | None
    raise_: RaiseView | None
    all_in: OfferView | None
    fold: OfferView | None


@dataclass(frozen=True, slots=True)
class SidePot:
    """A main or side pot and who may win it; ``number`` 0 is the main pot."""

    number: int
    amount: int
    seats: tuple[SeatView, ...]


def bet_view(table: Table, seat: int, offers: Mapping[str, Offer]) -> BetView | None:
    """The bar of ``seat``, whose own ``offers`` are given by kind; None when nobody bets."""
    play: Play = table.play
    if play.betting is None or "fold" not in offers:
        return None
    found = {kind: offer_view(offer) for kind, offer in offers.items()}
    return BetView(
        to_call=min(betting.to_call(play.betting, seat), behind(play, seat)),
        behind=behind(play, seat),
        check=found.get("check"),
        call=found.get("call_bet"),
        raise_=_raise(table, seat, offers),
        all_in=found.get("all_in"),
        fold=found.get("fold"),
    )


def _raise(table: Table, seat: int, offers: Mapping[str, Offer]) -> RaiseView | None:
    offer = next((offers[kind] for kind in RAISES if kind in offers), None)
    if offer is None:
        return None
    view = offer_view(offer)
    opening = offer.kind == Bet.kind
    return RaiseView(view, view.asks[0], quick_raises(table, seat, view.asks[0]), opening)


def quick_raises(table: Table, seat: int, ask: AskView) -> tuple[QuickView, ...]:
    """Least, half the pot, the pot and everything, as far as they differ and are allowed.

    A raise of the pot's size is reckoned after the call: the level plus all that then lies there.
    """
    round_ = table.play.betting
    size = table.balance(HAND_POT) + betting.to_call(round_, seat)
    least, most = ask.least or 0, ask.most or 0
    wanted = (
        (key("Least"), least),
        (key("½ pot"), round_.level + size // 2),
        (key("Pot"), round_.level + size),
        (key("Most"), most),
    )
    found: dict[int, str] = {}
    for label, amount in wanted:
        found.setdefault(_allowed(amount, round_.level, least, most, ask.step), label)
    return tuple(QuickView(label, amount) for amount, label in found.items())


def _allowed(amount: int, level: int, least: int, most: int, step: int) -> int:
    """The nearest allowed amount at or below ``amount``."""
    return max(least, min(amount - (amount - level) % step, most))


def side_pots(table: Table) -> tuple[SidePot, ...]:
    """The pots of the finished betting rounds; nothing while there is only one."""
    play: Play = table.play
    found = betting.side_pots(stacks_of(play), dead(play))
    if len(found) < 2:
        return ()
    return tuple(
        SidePot(number, one.amount, tuple(filter(None, (pot.seat_of(table, n) for n in one.seats))))
        for number, one in enumerate(found)
    )


def figures(table: Table) -> tuple[PotView, ...]:
    """Hand pot and Sabacc pot, shown even when they are empty, and any other that holds some."""
    ours = [HAND_POT, SABACC_POT]
    if not table.options.get("sabacc_pot", True) and not table.balance(SABACC_POT):
        ours.remove(SABACC_POT)  # the house plays without one
    others = (view for view in pots(table) if view.account not in ours)
    return (*(PotView(account, POTS[account], table.balance(account)) for account in ours), *others)
