"""The phone's routes. Each acts for the one seat whose token the browser holds."""

from __future__ import annotations

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from flask_babel import gettext
from werkzeug.wrappers import Response as BaseResponse

from companion.table import Result

from . import context
from .context import Ticket, web
from .forms import action_from_form
from .presenters import common, crown_and_spike
from .presenters.caller import newest_call
from .presenters.player import player_view

bp = Blueprint("player", __name__, url_prefix="/play")


@bp.get("")
def seat_page() -> str | BaseResponse:
    """The phone's page."""
    if not context.has_seat() and not context.part():
        return redirect(url_for("entry.home"))
    actor, seat, snapshot = context.player()
    view = player_view(
        snapshot.history,
        seat,
        web().service.offers(actor),
        web().table_name,
        web().settings.chips,
    )
    return context.render(
        "player.html", v=view, version=snapshot.version, call=newest_call(snapshot.history)
    )


@bp.get("/stake/<on>")
def stake(on: str) -> str:
    """One place of the mat: how much to put on it."""
    actor, seat, snapshot = context.player()
    offers = web().service.offers(actor)
    spot = crown_and_spike.my_spot(snapshot.table, seat.number, on, offers)
    if spot is None:
        abort(404)
    return render_template(
        "sheet_stake.html",
        title=gettext(spot.label),
        style="player",
        back=url_for("player.seat_page"),
        version=snapshot.version,
        s=spot,
        place=crown_and_spike.bet_offer(offers, "change_bet" if spot.mine else "place_bet", on),
        take_back=crown_and_spike.bet_offer(offers, "take_back", on),
        note=crown_and_spike.payout_note(snapshot.table, on),
        why_not=crown_and_spike.why_no_bet(snapshot.table, seat.number, on),
        adds=common.quick_amounts(web().settings.chips),
    )


@bp.post("/act")
def act() -> Response:
    """An action for the own seat; the table service refuses any other."""
    actor, _, _ = context.player()

    def submit(ticket: Ticket) -> Result:
        return web().service.submit(
            action_from_form(request.form),
            actor,
            expected_version=ticket.expected_version,
            request_id=ticket.request_id,
        )

    def page() -> str:
        return str(seat_page())

    return context.carry_out(submit, back=url_for("player.seat_page"), page=page)
