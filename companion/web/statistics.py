"""Pages of figures: for the dealer, for a phone, and one evening to print."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from flask import current_app, render_template, url_for
from flask_babel import gettext

from companion.rules.history import History
from companion.statistics import Statistics, statistics
from companion.table import LogRow, Snapshot

from . import context, dealer, player
from .context import web
from .presenters.statistics import StatsView, balance_chart, player_row, stats_view


class _Kept:
    """The figures last made, for everybody who asks before the table moves on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: History | None = None
        self._made: Statistics | None = None

    def get(self, snapshot: Snapshot, rows: Sequence[LogRow]) -> Statistics:
        with self._lock:  # who comes second waits, and is spared the work
            if self._made is None or self._of is not snapshot.history:
                self._made = statistics(snapshot.history, rows)
                self._of = snapshot.history
            return self._made


def figures(snapshot: Snapshot) -> Statistics:
    """The figures of a snapshot, of its own part of the log and no later one."""
    kept: _Kept = current_app.extensions.setdefault("figures", _Kept())
    return kept.get(snapshot, web().service.log()[: snapshot.version])


def _view(snapshot: Snapshot) -> StatsView:
    games = snapshot.history.engine.games
    return stats_view(figures(snapshot), games, web().table_name)


def _page(template: str, title: str, snapshot: Snapshot, back: str, **values: object) -> str:
    return render_template(
        template, title=title, back=url_for(back), version=snapshot.version, **values
    )


@dealer.bp.get("/statistics")
def station_statistics() -> str:
    """Dice, players and the bank."""
    snapshot = web().service.snapshot()
    title, view = gettext("Statistics"), _view(snapshot)
    return _page("statistics.html", title, snapshot, "dealer.station", v=view)


@dealer.bp.get("/summary")
def summary() -> str:
    """Tonight on one sheet of paper."""
    snapshot = web().service.snapshot()
    title, view = gettext("Tonight"), _view(snapshot)
    return _page("summary.html", title, snapshot, "dealer.station_statistics", v=view)


@player.bp.get("/statistics")
def my_statistics() -> str:
    """The own balance over the evening, and the table's dice."""
    _, seat, snapshot = context.player()
    found = figures(snapshot)
    view = stats_view(found, snapshot.history.engine.games, web().table_name)
    mine = [p for p in found.evening.players if p.seat == seat.number and p.here]
    return _page(
        "statistics_mine.html",
        gettext("My figures"),
        snapshot,
        "player.seat_page",
        v=view,
        mine=player_row(mine[0]) if mine else None,
        chart=balance_chart(found, mine),
    )
