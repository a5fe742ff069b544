"""How this one screen looks and sounds: its theme, its caller.

The theme is a cookie, so that the first byte of a page already knows it and nothing flashes.
Where none was chosen the style sheets carry the browser's own wish as their media condition.
Voice and sounds need a script and a tap in any case; they are kept by the script.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from flask import Blueprint, make_response, redirect, render_template, request, url_for
from flask_babel import gettext
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from .context import web
from .presenters.common import key

bp = Blueprint("look", __name__)
COOKIE = "theme"
KEPT_SECONDS = 400 * 24 * 3600  # the longest that browsers keep a cookie
BACK = {"display": "display.screen", "dealer": "dealer.station", "play": "player.seat_page"}


class Theme(StrEnum):
    """The looks a screen can have."""

    CANTINA = "cantina"
    BRIGHT = "bright"
    CONTRAST = "contrast"


LABELS: Mapping[Theme, str] = {
    Theme.CANTINA: key("Cantina dark"),
    Theme.BRIGHT: key("Bright hall"),
    Theme.CONTRAST: key("High contrast"),
}
FLOORS = {Theme.CANTINA: "#100e0c", Theme.BRIGHT: "#f4efe6", Theme.CONTRAST: "#000000"}
# Contrast asked for outweighs light or dark; a browser that wants neither gets the cantina.
WISHES = {
    Theme.BRIGHT: "(prefers-color-scheme: light) and (not (prefers-contrast: more))",
    Theme.CONTRAST: "(prefers-contrast: more)",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A theme's style sheet; ``media`` says when it counts, ``wish`` when nothing is chosen."""

    theme: Theme
    media: str
    wish: str
    floor: str


def theme_sheets(chosen: Theme | None) -> tuple[Sheet, ...]:
    """The style sheets on top of the cantina's, of which at most one counts.

    >>> [sheet.media for sheet in theme_sheets(Theme.BRIGHT)]
    ['all', 'not all']
    """

    def media(theme: Theme, wish: str) -> str:
        if chosen is None:
            return wish
        return "all" if theme is chosen else "not all"

    return tuple(
        Sheet(theme, media(theme, wish), wish, FLOORS[theme]) for theme, wish in WISHES.items()
    )


def chosen_theme() -> Theme | None:
    """The theme of this request: from its address, else from the cookie."""
    for name in (request.args.get("theme"), request.cookies.get(COOKIE)):
        if name in list(Theme):
            return Theme(name)
    return None


def page_values() -> dict[str, Any]:
    """What every page's head needs to look as this screen was told."""
    theme = chosen_theme()
    return {"theme": theme, "theme_sheets": theme_sheets(theme)}


@bp.get("/look")
def choose() -> str:
    """The sheet on which a screen chooses its theme and its caller."""
    back = BACK.get(request.args.get("from", ""), "entry.home")
    return render_template(
        "sheet_look.html",
        title=gettext("Screen and sound"),
        style="dealer",
        back=url_for(back),
        version=web().service.snapshot().version,
        labels=LABELS,
        chosen=chosen_theme(),
    )


@bp.post("/look")
def keep() -> Response:
    """Keep a theme in this browser's cookie; an empty one gives the choice back to the browser."""
    name = request.form.get("theme", "")
    if name and name not in list(Theme):
        raise BadRequest(gettext("There is no such theme; nothing was changed."))
    back = BACK.get(request.form.get("from", ""), "entry.home")
    response = make_response(redirect(url_for(back), 303))
    if not name:
        response.delete_cookie(COOKIE, samesite="Lax")
        return response
    # Not HttpOnly: the page's script writes the same cookie when a tile is tapped.
    response.set_cookie(
        COOKIE, name, max_age=KEPT_SECONDS, samesite="Lax", secure=request.is_secure
    )
    return response
