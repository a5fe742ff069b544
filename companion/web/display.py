"""The room's screen; open to every browser in the room, as the table itself is."""

from __future__ import annotations

from flask import Blueprint

from . import context
from .context import web
from .entry import join_host
from .presenters.display import display_view

bp = Blueprint("display", __name__)


@bp.get("/display")
def screen() -> str:
    """The room's screen."""
    snapshot = web().service.snapshot()
    view = display_view(
        snapshot.history,
        web().settings.table_name,
        join_host(),
        web().tokens.generation,
        web().wifi,
    )
    return context.render("display.html", v=view, version=snapshot.version)
