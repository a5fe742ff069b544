"""The room's screen; open to every browser in the room, as the table itself is."""

from __future__ import annotations

from flask import Blueprint

from companion.rules.model import Line
from companion.table import Snapshot

from . import context
from .context import web
from .entry import join_host
from .presenters.display import display_view
from .presenters.statistics import record_lines
from .statistics import figures

bp = Blueprint("display", __name__)


def _records(snapshot: Snapshot) -> tuple[Line, ...]:
    """What was best tonight, for the time between games."""
    games = snapshot.history.engine.games
    return record_lines(figures(snapshot).evening, games)


@bp.get("/display")
def screen() -> str:
    """The room's screen."""
    snapshot = web().service.snapshot()
    view = display_view(
        snapshot.history,
        web().table_name,
        join_host(),
        web().tokens.generation,
        () if snapshot.table.game else _records(snapshot),
        web().wifi,
    )
    return context.render("display.html", v=view, version=snapshot.version)
