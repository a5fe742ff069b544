"""The room's screen."""

from __future__ import annotations

from dataclasses import dataclass

from companion.rules.dice import Roll, Symbol
from companion.rules.history import History
from companion.rules.model import Line

from . import crown_and_spike as mats
from .common import PotView, SeatView, bank, key, named, pots, ranking
from .history import LastRoll, last_roll

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
    mat: mats.MatView | None
    ranking: tuple[SeatView, ...]
    figures: tuple[PotView, ...]
    join_host: str
    code_version: int


def display_view(
    history: History, table_name: str, join_host: str, code_version: int
) -> DisplayView:
    """What the room may see: nothing that belongs to one seat alone."""
    table = history.table
    game = history.engine.game(table)
    last = last_roll(history)
    return DisplayView(
        table_name=table_name,
        game_title=game.title if game else "",
        status=game.status(table) if game else None,
        attract=game is None or not table.seats,
        headline=key("Bets are open") if mats.bets_open(table) else key("Take a seat"),
        faces=tuple(Symbol),
        roll=last.roll if last else None,
        roll_no=last.entry if last else 0,
        lines=_news(last),
        mat=mats.mat(table),
        ranking=ranking(table),
        figures=(*pots(table), bank(table)),
        join_host=join_host,
        code_version=code_version,
    )


def _news(last: LastRoll | None) -> tuple[Line, ...]:
    """What the last roll did, as far as it fits."""
    lines = last.done.lines[:NEWS] if last else ()
    return tuple(named(line, last.done.table) for line in lines) if last else ()
