"""What the pages need to know of each game besides its rules; one entry a game.

A game's own part of the station, the phone and the room's screen lies in
``templates/games/<folder>/station.html``, ``phone.html`` and ``room.html``; they find
the game's board as ``v.board``. A game without an entry is played with plain buttons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.history import History
from companion.rules.model import Line, Offer, Table

from .common import ChipCount, Chips, PotView, SeatView, pots
from .history import LastRoll


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
class Missing:
    """What has to be arranged on a sheet before the game can go on; texts are keys."""

    sheet: str
    label: str
    hint: str


def _nothing(*_: Any) -> None:
    return None


def _empty(*_: Any) -> tuple[Any, ...]:
    return ()


def _none_won(*_: Any) -> int:
    return 0


def _no_words(*_: Any) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Pages:
    """One game's part of every page; what is not given stays empty."""

    folder: str = "plain"
    shown: frozenset[str] = frozenset()  # offers the boards themselves have buttons for
    void: str = ""  # the action of a long press

    board: Callable[[Table], Any] = _nothing
    my_board: Callable[[Table, int, Sequence[Offer]], Any] = _nothing
    figures: Callable[[Table], tuple[PotView, ...]] = pots
    room_figures: Callable[[Table], tuple[PotView, ...]] = pots
    owed: Callable[[History, Chips], tuple[OwedView, ...]] = _empty
    net: Callable[[LastRoll, int], int | None] = _nothing
    won: Callable[[Table, int], int] = _none_won  # by a seat when the last hand ended
    my_headline: Callable[[Table, int], Line | None] = _nothing
    room_headline: Callable[[Table], str] = _no_words
    missing: Callable[[Table], Missing | None] = _nothing
    next_hint: Callable[[Table, str], str | Line] = _no_words  # below the step of that kind
    waiting: Callable[[Table], str | Line] = _no_words
    hints: Callable[[Table, int], tuple[Line, ...]] = _empty

    def page(self, where: str) -> str:
        """The template of the game's part of a page: ``station``, ``phone`` or ``room``."""
        return f"games/{self.folder}/{where}.html"
