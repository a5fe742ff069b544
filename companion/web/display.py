"""The room's screen; open to every browser in the room, as the table itself is."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from flask import Blueprint, Response, current_app, request
from flask_babel import get_locale

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
ROOM = "companion-room"
OWN = 'name="csrf_token"'  # only a browser's own form has it
KEPT = 4  # languages, of the newest version
PARTS = ("roll", "turn", "pots", "seats")  # of the overlay


@dataclass(frozen=True, slots=True)
class Made:
    """A view as it is sent; ``packed`` for browsers that take gzip, empty when it has a form.

    What holds a form's secret is neither packed, whose length could give it away, nor shared.
    """

    text: str
    packed: bytes = b""


class Room:
    """The living part of the room's screen, made once for all who look at it.

    Everybody without a seat sees the same: at each event all of them ask at once, and
    whoever asks first makes it while the others wait. Nothing in it may belong to one
    browser: no form, no seat. With a form in it, each browser gets its own after all.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: dict[Hashable, Made] = {}

    def view(self, facts: Hashable, make: Callable[[], str]) -> Made:
        """The view made from ``facts``, which are all that it depends on."""
        with self._lock:
            if facts not in self._made:
                text = make()
                if OWN in text:
                    return Made(text)
                made = Made(text, gzip.compress(text.encode(), mtime=0))
                self._made = dict([*self._made.items(), (facts, made)][-KEPT:])
            return self._made[facts]


def _records(snapshot: Snapshot) -> tuple[Line, ...]:
    """What was best tonight, for the time between games."""
    games = snapshot.history.engine.games
    return record_lines(figures(snapshot).evening, games)


@bp.get("/display")
def screen() -> str | Response:
    """The room's screen."""
    snapshot, generation = web().service.snapshot(), web().tokens.generation
    if context.part() != "view":
        return _page(snapshot, generation)
    room: Room = current_app.extensions.setdefault(ROOM, Room())
    facts = (snapshot.version, web().table_name, generation, join_host(), str(get_locale()))
    made = room.view(facts, lambda: _page(snapshot, generation))
    if not made.packed or not request.accept_encodings.quality("gzip"):
        return made.text
    headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding, Cookie"}
    return Response(made.packed, mimetype="text/html", headers=headers)


def _page(snapshot: Snapshot, generation: int) -> str:
    return context.render(
        "display.html",
        v=_view(snapshot, generation),
        version=snapshot.version,
        call=newest_call(snapshot.history),
    )


def _view(snapshot: Snapshot, generation: int) -> DisplayView:
    return display_view(
        snapshot.history,
        web().table_name,
        join_host(),
        generation,
        () if snapshot.table.game else _records(snapshot),
        web().wifi,
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
        v=_view(snapshot, web().tokens.generation),
        version=snapshot.version,
        parts=parts,
        theme=theme,
        theme_sheets=theme_sheets(theme),
    )
