"""One more device for a seat: a short code is shown here and entered there."""

from __future__ import annotations

from flask import abort, redirect, render_template, session, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as BaseResponse

from companion.rules.model import Seat
from companion.table import Snapshot

from . import context, dealer, player
from .context import web
from .entry import join_host


@player.bp.get("/device")
def my_device() -> str:
    """The code of the own seat, once it was asked for."""
    _, seat, snapshot = context.player()
    return _page(seat, snapshot, "player", url_for("player.seat_page"), url_for("player.my_code"))


@player.bp.post("/device")
def my_code() -> BaseResponse:
    """A fresh code; the one before stops working."""
    _, seat, snapshot = context.player()
    web().show_code(seat.number, snapshot)
    return redirect(url_for("player.my_device"), 303)


@player.bp.post("/release")
def let_go() -> BaseResponse:
    """Forget the seat in this browser; at the table it stays taken, with its credits."""
    context.player()
    session.pop("seat", None)
    return redirect(url_for("entry.home"), 303)


@dealer.bp.get("/seat/<int:number>/device")
def device(number: int) -> str:
    """The code of any seat, for a player who lost the first device."""
    seat, snapshot = _seat(number)
    target = url_for("dealer.show_code", number=number)
    return _page(seat, snapshot, "dealer", url_for("dealer.station"), target)


@dealer.bp.post("/seat/<int:number>/device")
def show_code(number: int) -> BaseResponse:
    """A fresh code for a seat; the one before stops working."""
    seat, snapshot = _seat(number)
    web().show_code(seat.number, snapshot)
    return redirect(url_for("dealer.device", number=number), 303)


def _seat(number: int) -> tuple[Seat, Snapshot]:
    snapshot = web().service.snapshot()
    seat = snapshot.table.seat(number)
    if seat is None:
        abort(404)
    return seat, snapshot


def _page(seat: Seat, snapshot: Snapshot, style: str, back: str, target: str) -> str:
    return render_template(
        "sheet_device.html",
        title=gettext("Second device"),
        style=style,
        release=url_for("player.let_go") if style == "player" else "",
        back=back,
        version=snapshot.version,
        seat=seat,
        code=web().codes.shown(seat.number),
        target=target,
        host=join_host(),
    )
