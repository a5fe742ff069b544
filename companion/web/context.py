"""The present request: who asks, what it carries, and how it is answered."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from flask import (
    Response,
    current_app,
    flash,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
    session,
)
from flask_babel import gettext
from werkzeug.exceptions import BadRequest, Forbidden

from companion.auth import Actor, Role
from companion.database import StorageError
from companion.rules.actions import ActionFormatError
from companion.rules.errors import Refusal
from companion.rules.model import Seat
from companion.rules.words import key
from companion.table import Refused, Result, Snapshot, Stale

from .services import WebServices
from .text import explained, say

Page = Callable[[], str]


def web() -> WebServices:
    """The services of this application."""
    return cast(WebServices, current_app.extensions["companion"])


JOINER = Actor(Role.DEALER, None, "join code")  # the dealer let them in by showing the code


def is_dealer() -> bool:
    """Whether this browser has given the dealer PIN."""
    return bool(session.get("dealer")) and session["dealer"] == web().pin.stamp()


def dealer() -> Actor:
    """The dealer, or 403."""
    if not is_dealer():
        raise Forbidden(gettext("Only the dealer may do that. Enter the PIN first."))
    return Actor(Role.DEALER, None, "dealer")


def held_seat(snapshot: Snapshot) -> Seat | None:
    """The seat this browser's cookie holds, if its player still sits there."""
    number = web().tokens.seat_of(session.get("seat", ""), snapshot)
    return snapshot.table.seat(number) if number is not None else None


def other_seat(wanted: int | None = None) -> Refusal | None:
    """Why this browser may not take seat ``wanted`` or a new one: it keeps another already.

    The seat would be left at the table with its credits and with nobody's phone.
    """
    seat = held_seat(web().service.snapshot())
    if seat is None or seat.number == wanted:
        return None
    text = key(
        "This phone already keeps seat {seat} for {name}. Let it go first, or take the other "
        "seat with another phone."
    )
    return Refusal("seat_held", text, {"seat": str(seat.number), "name": seat.name})


def has_seat() -> bool:
    """Whether this browser holds a seat."""
    return held_seat(web().service.snapshot()) is not None


def player() -> tuple[Actor, Seat, Snapshot]:
    """The seat this browser holds with the table it was checked against, or 403."""
    snapshot = web().service.snapshot()
    seat = held_seat(snapshot)
    if seat is None:
        raise Forbidden(gettext("This phone has no seat here. Scan the code to join."))
    return Actor(Role.PLAYER, seat.number, seat.name), seat, snapshot


def part() -> str:
    """Which part of a page the page's own script asks for; empty for a whole page."""
    return request.headers.get("X-Part", "")


def render(template: str, **values: Any) -> str:
    """A page, or only its living part when the page itself asks."""
    if part() == "view":
        template = template.replace(".html", "_view.html")
    return render_template(template, **values)


@dataclass(frozen=True, slots=True)
class Ticket:
    """What every post carries besides its action."""

    expected_version: int
    request_id: str


def ticket() -> Ticket:
    """Read the post's version and id; raises BadRequest in words."""
    version, request_id = field("expected_version"), field("request_id")
    if not version.isascii() or not version.isdigit() or len(version) > 12:
        raise BadRequest(gettext("The form has no version; reload the page."))
    if not re.fullmatch(r"[\w-]{8,64}", request_id, re.ASCII):
        raise BadRequest(gettext("The form has no request number; reload the page."))
    return Ticket(int(version), request_id)


def field(name: str) -> str:
    """A posted field as text, from a form or from JSON; empty when it is missing."""
    if request.is_json:
        body = request.get_json()
        value = body.get(name, "") if isinstance(body, dict) else ""
        return str(value)
    return request.form.get(name, "")


def wants_json() -> bool:
    """Whether a script asks, to be answered in JSON."""
    asked = request.is_json or request.accept_mimetypes.best == "application/json"
    return asked or request.path.startswith("/api/")


def new_request_id() -> str:
    """A fresh id for a form; a second press of the same form carries the same one."""
    return secrets.token_urlsafe(12)


def answer(sentence: str, *, status: int, back: str, page: Page, **facts: Any) -> Response:
    """The outcome of a post: JSON for a script; otherwise the way back, or the fresh page."""
    good = status < 400
    if wants_json():
        return make_response(jsonify(sentence=sentence, **facts), status)
    if sentence:
        flash(sentence, "good" if good else "bad")
    if good:
        return cast(Response, redirect(back, 303))
    return make_response(page(), status)


def carry_out(do: Callable[[Ticket], Result], *, back: str, page: Page) -> Response:
    """Do what a post asks and say how it went; every refusal leaves the table as it was."""
    try:
        result = do(ticket())
    except Stale as stale:
        text = gettext("The table has moved on; nothing was done. Look again and repeat it.")
        return answer(text, status=409, back=back, page=page, code="stale", version=stale.version)
    except Refused as refused:
        text = say(refused.refusal.line)
        return answer(text, status=422, back=back, page=page, code=refused.refusal.code)
    except StorageError as fault:
        return answer(explained(fault), status=507, back=back, page=page, code="storage")
    except ActionFormatError as fault:
        return answer(explained(fault), status=400, back=back, page=page, code="bad_form")
    return answer(
        "", status=200, back=back, page=page, version=result.version, repeated=result.repeated
    )
