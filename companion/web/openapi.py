"""The JSON interface described: one table of routes, written out as OpenAPI 3.1."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion import __version__

from .openapi_schemas import SCHEMAS, ref

JSON = "application/json"
REFUSALS = {
    400: "The request could not be understood; nothing was changed.",
    403: "Not allowed for this client; nothing was changed.",
    409: "The table has moved on; nothing was done.",
    413: "Too much was sent.",
    415: "Send JSON.",
    421: "This address is not the table's own.",
    422: "The rules do not allow it now; nothing was changed.",
    429: "Too many tries.",
    503: "Too many streams are open.",
    507: "The disk refused; nothing was changed.",
}


@dataclass(frozen=True, slots=True)
class Route:
    """One operation. ``needs``: dealer, seat, dealer or seat; empty for everybody."""

    path: str
    method: str
    name: str
    summary: str
    answer: str  # a schema's name
    needs: str = ""
    body: str = ""  # a schema's name
    query: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()
    media: str = JSON


AFTER = {"after": {"type": "integer", "minimum": 0, "maximum": 999_999_999_999, "default": 0}}
POSTED = (403, 413, 415, 507)
DECIDED = (*POSTED, 409, 422)
ROUTES: tuple[Route, ...] = (
    Route("/api/openapi.json", "get", "description", "This description.", "Anything"),
    Route("/api/session", "get", "session", "Who this client is, and its token.", "Session"),
    Route(
        "/api/login",
        "post",
        "login",
        "Become the dealer. Five wrong PINs in a minute lock it for a minute.",
        "Session",
        body="Login",
        refusals=(*POSTED, 429),
    ),
    Route(
        "/api/logout", "post", "logout", "Forget the PIN; a seat stays.", "Session", refusals=POSTED
    ),
    Route(
        "/api/join",
        "post",
        "join",
        "Take an empty seat with the room's token, or one's own with its short code.",
        "Session",
        body="Join",
        refusals=(*POSTED, 422, 429),
    ),
    Route("/api/table", "get", "table", "What everybody in the room may see.", "Table"),
    Route("/api/view", "get", "view", "What this client may see and do besides.", "View"),
    Route(
        "/api/statistics",
        "get",
        "statistics",
        "The dice and the evening's best; one's own figures; for the dealer all.",
        "Statistics",
    ),
    Route(
        "/api/act",
        "post",
        "act",
        "Do one action. A player acts for the own seat only.",
        "Done",
        needs="dealer or seat",
        body="Act",
        refusals=DECIDED,
    ),
    Route(
        "/api/confirm",
        "post",
        "confirm",
        "Record the reading named, as read or with the faces given.",
        "Done",
        needs="dealer",
        body="Confirm",
        refusals=DECIDED,
    ),
    Route(
        "/api/dismiss",
        "post",
        "dismiss",
        "Void the reading named; the dice must be thrown again.",
        "Done",
        needs="dealer",
        body="Dismiss",
        refusals=DECIDED,
    ),
    *(
        Route(
            f"/api/{what}",
            "get",
            what,
            f"Rows of the {what} from entries above ``after``; hidden cards are left out.",
            rows,
            needs="dealer",
            query=AFTER,
            refusals=(403,),
        )
        for what, rows in (("log", "LogRows"), ("ledger", "LedgerRows"), ("rolls", "RollRows"))
    ),
    Route(
        "/events",
        "get",
        "events",
        "Server-sent events: `table` with the log's version as id and data, `beat` every ten "
        "seconds, `closing` at the end; `want=all` adds `tray` and the box's keys. Fetch the "
        "view after each; `Last-Event-ID` or `after` tells at once when something was missed.",
        "Text",
        query={"want": {"enum": ["table", "all"]}, **AFTER},
        refusals=(503,),
        media="text/event-stream",
    ),
)


def document() -> dict[str, Any]:
    """The whole description."""
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Spike Companion",
            "version": __version__,
            "summary": "A dealer's station for tables of Corellian Spike.",
            "description": "Keep the cookie that login or join sets, and send the csrf_token of "
            "/api/session as X-CSRFToken with every post.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "companion"},
                "csrf": {"type": "apiKey", "in": "header", "name": "X-CSRFToken"},
            },
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "responses": {"200": _answer("Done.", route.answer, route.media), **_refusals(route)},
    }
    if route.needs:
        made["description"] = f"Needs: {route.needs}."
    if route.method == "post":
        made["security"] = [{"cookie": [], "csrf": []}]
    elif route.needs:
        made["security"] = [{"cookie": []}]
    if route.query:
        made["parameters"] = [
            {"name": name, "in": "query", "schema": dict(schema)}
            for name, schema in route.query.items()
        ]
    if route.body:
        made["requestBody"] = {"required": True, "content": {JSON: {"schema": ref(route.body)}}}
    return made


def _refusals(route: Route) -> dict[str, Any]:
    codes = sorted({400, 421, *route.refusals})
    return {str(code): _answer(REFUSALS[code], "Refusal", JSON) for code in codes}


def _answer(text: str, schema: str, media: str) -> dict[str, Any]:
    return {"description": text, "content": {media: {"schema": ref(schema)}}}


def text() -> str:
    """What docs/openapi.json holds; ``make openapi`` writes it."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
