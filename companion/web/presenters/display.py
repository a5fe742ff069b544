"""The room's screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.rules.dice import Roll, Symbol
from companion.rules.history import History
from companion.rules.model import Line
from companion.wifi import Wifi

from .common import PotView, SeatView, key, named, ranking
from .history import LastRoll, last_roll
from .registry import pages_of

NEWS = 5


@dataclass(frozen=True, slots=True)
class DisplayView:
    """Everything on the room's screen; ``attract`` when there is no game to show."""

    table_name: str
    game_title: str
    status: Line | None
    attract: bool
    headline: str
    faces: tuple[str, ...]
    roll: Roll | None
    roll_no: int
    lines: tuple[Line, ...]
    board: Any
    board_page: str
    ranking: tuple[SeatView, ...]
    figures: tuple[PotView, ...]
    join_host: str
    code_version: int
    records: tuple[Line, ...] = ()  # of the evening, shown between games
    wifi: Wifi | None = None


def display_view(
    history: History,
    table_name: str,
    join_host: str,
    code_version: int,
    records: tuple[Line, ...] = (),
    wifi: Wifi | None = None,
) -> DisplayView:
    """What the room may see: nothing that belongs to one seat alone."""
    table = history.table
    game = history.engine.game(table)
    pages = pages_of(table)
    last = last_roll(history)
    return DisplayView(
        table_name=table_name,
        game_title=game.title if game else "",
        status=named(game.status(table), table) if game else None,
        attract=game is None or not table.seats,
        headline=pages.room_headline(table) or key("Take a seat"),
        faces=tuple(Symbol),
        roll=last.roll if last else None,
        roll_no=last.entry if last else 0,
        lines=_news(last),
        board=pages.board(table),
        board_page=pages.page("room"),
        ranking=ranking(table),
        figures=pages.room_figures(table),
        join_host=join_host,
        code_version=code_version,
        records=records,
        wifi=wifi,
    )


def _news(last: LastRoll | None) -> tuple[Line, ...]:
    """What the last roll did, as far as it fits."""
    lines = last.done.lines[:NEWS] if last else ()
    return tuple(named(line, last.done.table) for line in lines) if last else ()
