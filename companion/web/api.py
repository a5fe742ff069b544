"""The table as JSON: the pages' views and actions for the same roles, described in openapi.py.

A client signs in as a browser does: it keeps the cookie that login or join sets, and sends
the ``csrf_token`` of /api/session as the header ``X-CSRFToken`` with every post.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, jsonify, make_response, request, session
from flask_babel import gettext
from flask_wtf.csrf import generate_csrf
from werkzeug.exceptions import BadRequest

from companion.auth import Actor, Role
from companion.exports import What, export
from companion.rules.actions import ActionFormatError, JoinSeat, from_json
from companion.rules.dice import CUBE_KIND, SPIKE_KIND
from companion.rules.errors import Refusal
from companion.table import Refused, Result

from . import context
from .api_views import figures_view, role_view, table_view
from .context import Ticket, web
from .openapi import document
from .security import JOIN_LIMIT, PIN_LIMIT, limiter
from .statistics import figures
from .text import say

bp = Blueprint("api", __name__, url_prefix="/api")
LONG = 12  # digits of a log entry's number


@bp.get("/openapi.json")
def openapi() -> Response:
    """The description of this interface."""
    return jsonify(document())


# Who asks


@bp.get("/session")
def who() -> Response:
    """Role, seat and the token that every post must carry."""
    actor = _actor()
    return jsonify(role=actor.role.value, seat=actor.seat, csrf_token=generate_csrf())


@bp.post("/login")
@limiter.limit(PIN_LIMIT)
def login() -> Response:
    """Become the dealer with the PIN."""
    _json()
    if refusal := web().pin.check(context.field("pin")):
        return _refused(refusal.code, say(refusal.line), 403)
    seat = session.get("seat")
    session.clear()  # a fresh session, as on the page
    session.update(dealer=web().pin.stamp(), **({"seat": seat} if seat else {}))
    return who()


@bp.post("/logout")
def logout() -> Response:
    """Forget the PIN; a seat stays."""
    session.pop("dealer", None)
    return who()


@bp.post("/join")
@limiter.limit(JOIN_LIMIT)
def join() -> Response:
    """Take an empty seat with the token of the code, or one's own with its short code."""
    _json()
    if code := context.field("code"):
        return _with_code(code.strip().upper())
    if not web().tokens.accepts(context.field("token")):
        return _refused("old_code", gettext("This code is no longer valid."), 403)
    if held := context.other_seat():
        return _refused(held.code, say(held.line), 422)
    action = from_json({**_object("player"), "kind": JoinSeat.kind})
    assert isinstance(action, JoinSeat)
    try:
        web().service.submit(action, context.JOINER, request_id=context.ticket().request_id)
    except Refused as refused:
        return _refused(refused.refusal.code, say(refused.refusal.line), 422)
    return _seated(action.seat)


def _with_code(code: str) -> Response:
    """A second device of a seat, by the short code its first one shows."""
    if held := context.other_seat(web().codes.seat_of(code)):
        return _refused(held.code, say(held.line), 422)
    found = web().codes.redeem(code)
    if isinstance(found, Refusal):
        status = 429 if found.code == "locked" else 403
        return _refused(found.code, say(found.line), status)
    seat = web().tokens.seat_of(found, web().service.snapshot())
    if seat is None:
        return _refused("seat_given_up", gettext("This seat was given up meanwhile."), 403)
    return _seated(seat)


def _seated(seat: int) -> Response:
    session["seat"] = web().tokens.seat_token(seat, web().service.snapshot())
    return jsonify(role=_actor().role.value, seat=seat, csrf_token=generate_csrf())


# Views


@bp.get("/table")
def table() -> Response:
    """What the room's screen shows."""
    return jsonify(table_view(web().service.snapshot()))


@bp.get("/view")
def view() -> Response:
    """What this client may see and do beyond that: its offers, its hand; the dealer's tray."""
    return jsonify(role_view(_actor()))


@bp.get("/statistics")
def statistics() -> Response:
    """Dice, players and the bank in figures, as far as this client's pages show them."""
    return jsonify(figures_view(figures(web().service.snapshot()), _actor()))


@bp.get("/<any(log, ledger, rolls):what>")
def rows(what: str) -> Response:
    """Rows of the log, the ledger or the rolls above ``after``, for the dealer."""
    context.dealer()
    after = request.args.get("after", "0")
    if not after.isascii() or not after.isdigit() or len(after) > LONG:
        raise BadRequest(gettext("after must be the number of a log entry."))
    return jsonify(rows=export(web().service, What(what), int(after)))


# Actions


@bp.post("/act")
def act() -> Response:
    """One action as the log stores it, for the dealer or for the seat this client holds."""
    _json()
    actor = context.dealer() if context.is_dealer() else context.player()[0]

    def submit(ticket: Ticket) -> Result:
        return web().service.submit(
            from_json(_object("action")),
            actor,
            expected_version=ticket.expected_version,
            request_id=ticket.request_id,
        )

    return _carry_out(submit)


@bp.post("/confirm")
def confirm() -> Response:
    """Confirm the reading named, as read or with other faces."""
    _json()
    actor = context.dealer()

    def record(ticket: Ticket) -> Result:
        return web().desk.confirm(
            actor,
            _faces(),
            reading=context.field("reading"),
            expected_version=ticket.expected_version,
            request_id=ticket.request_id,
        )

    return _carry_out(record)


@bp.post("/dismiss")
def dismiss() -> Response:
    """Void the reading named; the dice must be thrown again."""
    _json()
    actor = context.dealer()

    def drop(_: Ticket) -> Result:
        web().desk.dismiss(actor, context.field("reading"))
        return Result(web().service.version)

    return _carry_out(drop)


def _carry_out(do: Any) -> Response:
    return context.carry_out(do, back="/api/table", page=str)


def _json() -> None:
    """Only JSON: a form cannot carry what these posts need."""
    if not request.is_json or not isinstance(request.get_json(), dict):
        raise BadRequest(gettext("Send a JSON object."))


def _object(name: str) -> Mapping[str, Any]:
    found = request.get_json().get(name)
    if not isinstance(found, dict):
        raise ActionFormatError("The post needs {name}, an object.", name=repr(name))
    return found


def _faces() -> dict[str, list[str]] | None:
    """The faces entered, by kind of die; None when the reading is confirmed as it is."""
    found = request.get_json().get("faces")
    if found is None:
        return None
    kinds = {SPIKE_KIND, CUBE_KIND}
    if not isinstance(found, dict) or not set(found) <= kinds:
        raise ActionFormatError("{where} must hold lists named spike and cube.", where="faces")
    if not all(isinstance(f, list) and all(isinstance(x, str) for x in f) for f in found.values()):
        raise ActionFormatError("{where} must hold lists of names.", where="faces")
    return found


def _refused(code: str, sentence: str, status: int) -> Response:
    return make_response(jsonify(code=code, sentence=sentence), status)


def _actor() -> Actor:
    """Whoever asks; a browser that gave the PIN is the dealer even where it holds a seat."""
    if context.is_dealer():
        return context.dealer()
    if context.has_seat():
        return context.player()[0]
    return Actor(Role.VIEWER, None, "viewer")
