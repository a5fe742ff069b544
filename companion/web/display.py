"""The room's screen; open to every browser in the room, as the table itself is."""

from __future__ import annotations

from flask import Blueprint, request

from companion.rules.model import Line
from companion.table import Snapshot

from . import context
from .context import web
from .entry import join_host
from .look import Theme, chosen_theme, theme_sheets
from .presenters.caller import newest_call
from .presenters.display import DisplayView, display_view
from .presenters.statistics import record_lines
from .statistics import figures

bp = Blueprint("display", __name__)
PARTS = ("roll", "turn", "pots", "seats")


def _records(snapshot: Snapshot) -> tuple[Line, ...]:
    """What was best tonight, for the time between games."""
    games = snapshot.history.engine.games
    return record_lines(figures(snapshot).evening, games)


def _view(snapshot: Snapshot) -> DisplayView:
    return display_view(
        snapshot.history,
        web().table_name,
        join_host(),
        web().tokens.generation,
        () if snapshot.table.game else _records(snapshot),
    )


@bp.get("/display")
def screen() -> str:
    """The room's screen."""
    snapshot = web().service.snapshot()
    return context.render(
        "display.html",
        v=_view(snapshot),
        version=snapshot.version,
        call=newest_call(snapshot.history),
    )


@bp.get("/overlay")
def overlay() -> str:
    """Plates on a transparent page, for streaming software; ``show`` chooses among PARTS."""
    snapshot = web().service.snapshot()
    wanted = request.args.get("show", "").split(",")
    parts = tuple(part for part in PARTS if part in wanted) or PARTS
    theme = chosen_theme() or Theme.CANTINA  # a stream has no reader whose wish could count
    return context.render(
        "overlay.html",
        v=_view(snapshot),
        version=snapshot.version,
        parts=parts,
        theme=theme,
        theme_sheets=theme_sheets(theme),
    )
