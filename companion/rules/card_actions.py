"""What dealer and players do in both card games; each game adds its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .actions import Action, action


@action("open_hand")
@dataclass(frozen=True)
class OpenHand(Action):
    """Open a hand: dealer and first player move on, antes are paid."""


@action("deal_cards")
@dataclass(frozen=True)
class DealCards(Action):
    """The first cards lie in front of the players."""


@action("stand")
@dataclass(frozen=True)
class Stand(Action):
    """End the turn with the cards one has."""

    by_player: ClassVar[bool] = True
    seat: int


@action("enter_hand")
@dataclass(frozen=True)
class EnterHand(Action):
    """Enter the cards a seat holds, ``+7c -3t 0``; hidden until they are revealed.

    At Yarith Bespin the last card is the spike card. Entering again replaces.
    """

    by_player: ClassVar[bool] = True
    local: ClassVar[bool] = True
    seat: int
    cards: str


@action("muck")
@dataclass(frozen=True)
class Muck(Action):
    """Give up at the showdown without showing."""

    by_player: ClassVar[bool] = True
    seat: int


@action("reveal_hands")
@dataclass(frozen=True)
class RevealHands(Action):
    """Lay the entered hands open and pay the pots."""


@action("keep_hidden")
@dataclass(frozen=True)
class KeepHidden(Action):
    """The last seat takes the hand pot and shows nothing."""

    by_player: ClassVar[bool] = True
    seat: int


@action("blind_draw")
@dataclass(frozen=True)
class BlindDraw(Action):
    """The card a tied seat drew."""

    seat: int
    card: str


@action("void_hand")
@dataclass(frozen=True)
class VoidHand(Action):
    """Give everything staked in this hand back; the same dealer deals again."""
