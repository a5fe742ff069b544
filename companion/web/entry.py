"""Ways in: the first page, the dealer PIN, joining by code, credits."""

from __future__ import annotations

import io
from urllib.parse import urlsplit

import segno
from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    flash,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask_babel import gettext
from werkzeug.wrappers import Response as BaseResponse

from companion.rules.actions import ActionFormatError, JoinSeat
from companion.rules.errors import Refusal
from companion.table import Refused

from . import context
from .context import web
from .forms import whole
from .presenters import common
from .security import JOIN_LIMIT, PIN_LIMIT, limiter
from .text import COOKIE, LANGUAGES, explained, say

bp = Blueprint("entry", __name__)
LANGUAGE_KEPT_S = 365 * 24 * 3600


@bp.get("/")
def home() -> BaseResponse | str:
    """Where a browser belongs: the station, its seat, or the ways in."""
    if context.is_dealer():
        return redirect(url_for("dealer.station"))
    if context.has_seat():
        return redirect(url_for("player.seat_page"))
    return _page("home.html")


@bp.post("/language")
def choose_language() -> BaseResponse:
    """What this display speaks from now on; it is kept on the display alone."""
    wanted = request.form.get("language", "")
    if wanted not in LANGUAGES:
        abort(400)
    here = urlsplit(request.referrer or "").path  # of another site only the path would be taken
    answer = redirect(here if here.startswith("/") and not here.startswith("//") else "/", 303)
    answer.set_cookie(
        COOKIE,
        wanted,
        max_age=LANGUAGE_KEPT_S,
        httponly=True,
        samesite="Lax",
        secure=bool(current_app.config["SESSION_COOKIE_SECURE"]),
    )
    return answer


@bp.get("/credits")
def credits() -> str:
    """Rules in short, and who made what."""
    return _page("credits.html")


@bp.get("/dealer/login")
def login() -> str:
    """The PIN pad."""
    return _page("login.html")


@bp.post("/dealer/login")
@limiter.limit(PIN_LIMIT)
def give_pin() -> BaseResponse | tuple[str, int]:
    """Open the station with the right PIN; wrong ones are counted and lock it for a while."""
    verdict = web().pin.check(request.form.get("pin", ""))
    if verdict is None:
        seat = session.get("seat")
        session.clear()  # a fresh session: nothing planted before is carried over
        session.update(dealer=web().pin.stamp(), **({"seat": seat} if seat else {}))
        session.permanent = True
        return redirect(url_for("dealer.station"), 303)
    flash(say(verdict.line), "bad")
    return _page("login.html"), 403


@bp.post("/logout")
def logout() -> BaseResponse:
    """Forget the PIN in this browser; a seat held by it stays."""
    session.pop("dealer", None)
    return redirect(url_for("entry.home"), 303)


@bp.get("/join")
@limiter.limit(JOIN_LIMIT)
def join() -> BaseResponse | str | tuple[str, int]:
    """Name, seat and colour for someone who scanned the code."""
    if context.has_seat():
        return redirect(url_for("player.seat_page"))
    token = request.args.get("t", "")
    if not web().tokens.accepts(token):
        return _old_code()
    return _join_page(token)


@bp.post("/join")
@limiter.limit(JOIN_LIMIT)
def take_seat() -> BaseResponse | str | tuple[str, int]:
    """Sit down; the seat is kept in this browser's cookie. Refused where it keeps one already."""
    token = request.form.get("token", "")
    if not web().tokens.accepts(token):
        return _old_code()
    if held := context.other_seat():
        return _held(held)
    try:
        number = whole(request.form.get("seat", ""), "seat")
        name, colour = request.form.get("name", ""), request.form.get("colour", "")
        action = JoinSeat(number, name, colour if colour in common.SEAT_COLOURS else "")
        ticket = context.ticket()
        web().service.submit(action, context.JOINER, request_id=ticket.request_id)
    except Refused as refused:
        flash(say(refused.refusal.line), "bad")
        return _join_page(token), 422
    except ActionFormatError as fault:
        flash(explained(fault), "bad")
        return _join_page(token), 400
    return _seated(number)


def _seated(number: int, back: str = "player.seat_page") -> BaseResponse:
    session["seat"] = web().tokens.seat_token(number, web().service.snapshot())
    session.permanent = True
    return redirect(url_for(back), 303)


def _join_page(token: str) -> str:
    table = web().service.snapshot().table
    places = common.all_seats(table, web().settings.seats)
    return _page(
        "join.html",
        token=token,
        seats=tuple(place for place in places if not place.taken),
        colours=common.free_colours(table),
        name=request.form.get("name", ""),
    )


def _held(refusal: Refusal) -> tuple[str, int]:
    flash(say(refusal.line), "bad")
    return _page("held.html"), 422


def _old_code() -> tuple[str, int]:
    flash(gettext("This code is no longer valid. Scan the one on the table's screen."), "bad")
    return _page("home.html"), 403


@bp.post("/seat")
@limiter.limit(JOIN_LIMIT)
def seat_code() -> BaseResponse | tuple[str, int]:
    """Take a seat one already has to a second device, by its short code.

    A device that keeps another seat is refused before the code is used up.
    """
    code = request.form.get("code", "").strip().upper()
    if held := context.other_seat(web().codes.seat_of(code)):
        return _held(held)
    found = web().codes.redeem(code)
    if isinstance(found, Refusal):
        flash(say(found.line), "bad")
        return _page("home.html"), 429 if found.code == "locked" else 403
    number = web().tokens.seat_of(found, web().service.snapshot())
    if number is None:
        flash(gettext("This seat was given up meanwhile."), "bad")
        return _page("home.html"), 403
    return _seated(number)


@bp.get("/join.svg")
def join_qr() -> Response:
    """The join address as a QR code; dark on white, for cameras want it so."""
    address = f"{web().base_url()}{url_for('entry.join')}?t={web().tokens.issue()}"
    return _code(address)


@bp.get("/wifi.svg")
def wifi_qr() -> Response:
    """The station's own network as a QR code; whoever can see this page is in it already."""
    wifi = web().wifi
    if wifi is None:
        abort(404)
    return _code(wifi.code())


def _code(text: str) -> Response:
    picture = io.BytesIO()
    segno.make(text, error="m").save(picture, kind="svg", scale=8, border=4, light="white")
    return Response(picture.getvalue(), mimetype="image/svg+xml")


def join_host() -> str:
    """The table's address without the scheme, as a person types it."""
    return web().base_url().partition("://")[2]


def _page(template: str, **values: object) -> str:
    snapshot = web().service.snapshot()
    name = web().table_name
    return render_template(template, table_name=name, version=snapshot.version, **values)
