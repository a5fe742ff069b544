"""Server-sent events: which version the table has now. Pages fetch their own view of it.

The stream carries numbers only, so it can be the same for every role: what a seat
may see is decided where the seat's page is made.
"""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Response, abort, request
from flask_babel import gettext

from companion.hub import Subscription, TooManySubscribers

from .context import web

bp = Blueprint("stream", __name__)
RETRY_MS = 1000
KEYS = frozenset({"key-confirm", "key-correct", "key-next"})
KINDS = {"table": frozenset({"table"}), "all": frozenset({"table", "tray"}) | KEYS}


@bp.get("/events")
def events() -> Response:
    """The event stream; ``want=all`` adds the tray's changes and the box's buttons."""
    wanted = KINDS.get(request.args.get("want", "table"), KINDS["table"])
    try:
        subscription = web().hub.subscribe()
    except TooManySubscribers:
        abort(503, description=gettext("Too many screens are connected; this one will try again."))
    # Read after subscribing, so that nothing is missed in between.
    missed = web().service.snapshot().version
    body = frames(subscription, wanted, missed if missed > _seen() else None)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    response = Response(body, mimetype="text/event-stream", headers=headers)
    response.call_on_close(subscription.close)
    return response


def _seen() -> int:
    """The newest version this browser has: from its last stream, or from its page."""
    text = request.headers.get("Last-Event-ID") or request.args.get("after", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def frames(subscription: Subscription, wanted: frozenset[str], missed: int | None) -> Iterator[str]:
    """The stream's text. Only table events carry an id, for it is the log's version.

    Versions only rise: one that was told, or that a newer one has overtaken, is left out.
    """
    yield f"retry: {RETRY_MS}\n\n"
    told = missed or 0
    if missed is not None:
        yield _frame("table", missed)
    for event in subscription:
        if event.kind == "table":
            if event.id <= told:
                continue
            told = event.id
        if event.kind in wanted or event.kind in ("beat", "closing"):
            yield _frame(event.kind, event.id)


def _frame(kind: str, number: int) -> str:
    head = f"id: {number}\n" if kind == "table" else ""
    return f"{head}event: {kind}\ndata: {number}\n\n"
