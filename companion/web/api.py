"""The same table as JSON: what the room may see, and posting actions in their log form."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, request
from werkzeug.exceptions import BadRequest

from companion.auth import Actor
from companion.rules.actions import ActionFormatError, from_json
from companion.rules.dice import Roll
from companion.table import Result

from . import context
from .context import Ticket, web
from .presenters import common
from .presenters.history import last_roll
from .text import say

bp = Blueprint("api", __name__, url_prefix="/api")


@bp.get("/table")
def table() -> Response:
    """What the room's screen shows: version, game, seats, pots, last roll."""
    snapshot = web().service.snapshot()
    present = snapshot.history.engine.game(snapshot.table)
    last = last_roll(snapshot.history)
    return jsonify(
        version=snapshot.version,
        game=snapshot.table.game,
        status=say(common.named(present.status(snapshot.table), snapshot.table)) if present else "",
        seats=[
            {"number": s.number, "name": s.name, "credits": s.credits, "out": s.out}
            for s in common.seat_views(snapshot.table)
        ],
        bank=common.bank(snapshot.table).credits,
        pots={pot.account: pot.credits for pot in common.pots(snapshot.table)},
        roll=_roll(last.roll) if last else None,
    )


def _roll(roll: Roll) -> dict[str, list[str]]:
    return {"spike": [s.value for s in roll.spikes], "cube": [c.value for c in roll.cubes]}


@bp.post("/act")
def act() -> Response:
    """One action as the log stores it, for the dealer or for the seat this client holds."""
    if not request.is_json:
        raise BadRequest("Send the action as JSON.")
    actor = _actor()

    def submit(ticket: Ticket) -> Result:
        return web().service.submit(
            from_json(_action()),
            actor,
            expected_version=ticket.expected_version,
            request_id=ticket.request_id,
        )

    return context.carry_out(submit, back="/api/table", page=str)


def _action() -> dict[str, Any]:
    body = request.get_json()
    action = body.get("action") if isinstance(body, dict) else None
    if not isinstance(action, dict):
        raise ActionFormatError("The post needs an action.")
    return action


def _actor() -> Actor:
    return context.dealer() if context.is_dealer() else context.player()[0]
