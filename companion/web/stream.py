"""Server-sent events: which version the table has now. Pages fetch their own view of it.

The stream carries numbers only, so it can be the same for every role: what a seat
may see is decided where the seat's page is made.
"""

from __future__ import annotations

from collections.abc import Iterator

from flask import Blueprint, Response, abort, request

from companion.hub import Subscription, TooManySubscribers

from .context import web

bp = Blueprint("stream", __name__)
RETRY_MS = 1000
KINDS = {"table": frozenset({"table"}), "all": frozenset({"table", "tray"})}


@bp.get("/events")
def events() -> Response:
    """The event stream; ``want=all`` adds the tray's changes to the table's."""
    return Response()
