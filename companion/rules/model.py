"""The table's state and what a game must offer: the types everything else shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from .actions import Action
from .dice import Expect
from .errors import Refusal
from .options import Toggle
from .transfers import Accounts, Transfer, balance, seat_account
from .words import Line as Line  # the rules speak of it as a part of the model


@dataclass(frozen=True, slots=True)
class Ask:
    """A field the person must fill before an offer becomes an action."""

    name: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    step: int = 1


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that may be done now: one button."""

    kind: str  # the action's kind
    label: str  # English, the translation key
    fields: Mapping[str, Any] = field(default_factory=dict)  # already decided
    asks: tuple[Ask, ...] = ()  # still to be filled
    primary: bool = False  # the natural next step


@dataclass(frozen=True, slots=True)
class Seat:
    """A seated player. Seat numbers go clockwise: the next number sits to the left."""

    number: int
    name: str
    colour: str = ""
    out: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Everything the table is at one moment. ``play`` is the present game's own state."""

    seats: tuple[Seat, ...] = ()
    accounts: Accounts = field(default_factory=dict)
    game: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    play: Any = None

    def seat(self, number: int) -> Seat | None:
        """The player in seat ``number``."""
        return next((seat for seat in self.seats if seat.number == number), None)

    def credits(self, seat: int) -> int:
        """Credits in front of a seat."""
        return balance(self.accounts, seat_account(seat))

    def balance(self, account: str) -> int:
        """Credits in any account."""
        return balance(self.accounts, account)


@dataclass(frozen=True, slots=True)
class Step:
    """What one action did: the game's new state, credits moved, sentences for the history."""

    play: Any
    transfers: tuple[Transfer, ...] = ()
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """What one action did to the table."""

    table: Table
    transfers: tuple[Transfer, ...] = ()
    lines: tuple[Line, ...] = ()


class Game(Protocol):
    """One game's rules. Functions read ``table.play`` as their state and never change it."""

    key: str  # e.g. "crown_and_spike"
    title: str
    toggles: tuple[Toggle, ...]
    version: int  # raised when a rule changes, so that old logs replay by their own rules

    @property
    def ends(self) -> type[StrEnum]:
        """Every way a round, hand or game of it can end."""

    def new(self, table: Table) -> Any:
        """The state of a freshly chosen game; ``table.options`` are already complete."""

    def why_not(self, table: Table, action: Action) -> Refusal | None:
        """Why the game refuses ``action`` now; None when it may be done.

        Must refuse action kinds it does not know, and ``EndGame`` in mid-round.
        """

    def apply(self, table: Table, action: Action) -> Step:
        """Do an action that ``why_not`` allows."""

    def legal_actions(self, table: Table, seat: int | None) -> tuple[Offer, ...]:
        """What ``seat`` (None: the dealer) may do now."""

    def expects(self, table: Table) -> Expect | None:
        """The dice the next roll must show; None when no roll is due."""

    def status(self, table: Table) -> Line:
        """Where the game stands, in one sentence."""

    def ended(self, table: Table) -> StrEnum | None:
        """How the last round, hand or game ended; None before the first and during one."""

    def in_play(self, table: Table, seat: int) -> bool:
        """Whether a seat is bound by the present round (may not leave or cash out)."""
