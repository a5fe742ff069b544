"""What may be done at Crown & Spike, and its house rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .actions import Action, action
from .options import ADVICE, Toggle


@action("open_round")
@dataclass(frozen=True)
class OpenRound(Action):
    """Open the bets of a new round; Crown Pot antes are paid now."""


@action("place_bet")
@dataclass(frozen=True)
class PlaceBet(Action):
    """Stake credits on a symbol or colour not yet bet on by this seat."""

    by_player: ClassVar[bool] = True
    local: ClassVar[bool] = True
    seat: int
    on: str
    stake: int


@action("change_bet")
@dataclass(frozen=True)
class ChangeBet(Action):
    """Put another stake in the place of one already laid."""

    by_player: ClassVar[bool] = True
    local: ClassVar[bool] = True
    seat: int
    on: str
    stake: int


@action("take_back")
@dataclass(frozen=True)
class TakeBack(Action):
    """Take a stake back before bets close."""

    by_player: ClassVar[bool] = True
    local: ClassVar[bool] = True
    seat: int
    on: str


@action("close_bets")
@dataclass(frozen=True)
class CloseBets(Action):
    """No more bets; the dice are due."""


@action("void_round")
@dataclass(frozen=True)
class VoidRound(Action):
    """Give every stake and ante of an unthrown round back."""


@action("press")
@dataclass(frozen=True)
class Press(Action):
    """Go Double or Nothing with a won symbol."""

    by_player: ClassVar[bool] = True
    local: ClassVar[bool] = True
    seat: int
    on: str


@action("take")
@dataclass(frozen=True)
class Take(Action):
    """Take stake and winnings of a won symbol."""

    by_player: ClassVar[bool] = True
    local: ClassVar[bool] = True
    seat: int
    on: str


@action("settle_offers")
@dataclass(frozen=True)
class SettleOffers(Action):
    """Pay everyone who did not press; the pressed runs are thrown for."""


TOGGLES = (
    Toggle(
        "at_risk",
        "stake_and_payout",
        "What Double or Nothing puts at risk.",
        ("stake_and_payout", "winnings_only"),
    ),
    Toggle("run_limit", 5, "Doublings after which a run is paid out.", least=1, most=10),
    Toggle("colour_bets", False, "Bets on the colour that two chance cubes call."),
    Toggle("double_odds", "11:4", "What red and blue pay.", ("11:4", "5:2", "3:1")),
    Toggle("mixed_odds", "4:5", "What green pays.", ("4:5", "3:4", "1:1")),
    Toggle("crown_pot", "off", "How the Crown Pot is filled.", ("off", "ante", "bank_share")),
    Toggle("crown_ante", 5, "Ante to the Crown Pot, credits a player a round.", least=1, most=1000),
    Toggle("crown_share", 10, "Percent of the bank's take for the Crown Pot.", least=1, most=100),
    ADVICE,
)
