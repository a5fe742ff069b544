"""The mat of Crown & Spike: bets by symbol and colour, what is owed, runs at risk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.rules import crown_and_spike as rules
from companion.rules.dice import Colour, Roll, Symbol
from companion.rules.model import Line, Offer, Table

from .common import ChipCount, Chips, PotView, SeatView, chips, seat_views
from .offers import OfferView, offer_view

PLAYER_KINDS = frozenset({"place_bet", "change_bet", "take_back", "press", "take"})


@dataclass(frozen=True, slots=True)
class BetView:
    """One stake on a place of the mat."""

    seat: SeatView
    stake: int
    state: str = ""  # "lost" once the roll has taken it


@dataclass(frozen=True, slots=True)
class SpotView:
    """One place of the mat, for everybody."""

    on: str
    label: str
    colour: str
    total: int
    bets: tuple[BetView, ...]
    matches: int = 0  # how often the last roll showed it


@dataclass(frozen=True, slots=True)
class MatView:
    """The whole mat; ``rolled`` while its bets are those of the last roll."""

    spots: tuple[SpotView, ...]
    colours: tuple[SpotView, ...]
    rolled: bool


@dataclass(frozen=True, slots=True)
class OwedView:
    """One line of the payout list."""

    seat: SeatView
    amount: int
    chips: tuple[ChipCount, ...]
    on: str = ""
    colour: str = ""
    tag: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class MySpot:
    """One place of the mat on a phone."""

    on: str
    label: str
    colour: str
    mine: int
    others: int
    open: bool
    matches: int = 0


@dataclass(frozen=True, slots=True)
class RunView:
    """A win on a phone that may be taken or pressed."""

    on: str
    colour: str
    headline: Line
    winnings: int
    doubled: int
    take: OfferView | None = None
    press: OfferView | None = None
    why_not: str = ""
