"""Every route, method and role against the table in docs/access.md."""

from __future__ import annotations

import itertools
import re
import types
import typing
from enum import Enum
from pathlib import Path

import pytest

from companion.auth import Actor, Role, may
from companion.rules.actions import (
    BuyIn,
    ChooseGame,
    FundBank,
    Undo,
    fields_of,
    from_json,
    known_actions,
)
from companion.rules.crown_and_spike import OpenRound
from companion.rules.dice import Roll
from companion.web.security import limiter
from tests.conftest import PIN
from tests.web.test_faults import do

FILE = Path(__file__).parents[2] / "docs" / "access.md"
ROLES = ("dealer", "own", "other", "viewer", "nobody")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
LINE = re.compile(r"^\| `(\S+)` \| ([A-Z]+) \| (.+) \|$", re.MULTILINE)
MATRIX = {
    (route, method): dict(zip(ROLES, cells.split(" | "), strict=True))
    for route, method, cells in LINE.findall(FILE.read_text(encoding="utf-8"))
}
BET = {"seat": 1, "on": "sun", "stake": 5}
_ids = itertools.count()


class House:
    """A table with an open round of Crown & Spike, and fresh clients in every role."""

    def __init__(self, app, services):
        self.app, self.services = app, services
        do(services, FundBank(900), BuyIn(1, 50), BuyIn(2, 50), ChooseGame("crown_and_spike"))
        do(services, OpenRound())
        self.base = services.service.version

    def client(self, role):
        client = self.app.test_client()
        with client.session_transaction() as session:
            if role == "dealer":
                session["dealer"] = self.services.pin.stamp()
            if role in ("own", "other"):
                seat = {"own": 1, "other": 2}[role]
                snapshot = self.services.service.snapshot()
                session["seat"] = self.services.tokens.seat_token(seat, snapshot)
        token = client.get("/api/session").get_json()["csrf_token"]
        return (self.app.test_client(), "") if role == "nobody" else (client, token)

    def send(self, role, method, path):
        limiter.reset()
        client, token = self.client(role)
        path = path.replace("{token}", self.services.tokens.issue())
        ticket = {
            "expected_version": self.services.service.version,
            "request_id": f"access-{next(_ids):06}",
        }
        if path.startswith("/api/"):
            body = {"json": {**ticket, **self.json(path)}, "headers": {"X-CSRFToken": token}}
        else:
            body = {"data": {**ticket, **self.form(path), "csrf_token": token}}
        given = body if method in ("POST", "PUT", "PATCH", "DELETE") else {}
        answer = client.open(path, method=method, buffered=False, **given)
        told = answer.get_json(silent=True) if answer.mimetype == "application/json" else None
        answer.close()
        return answer, told or {}

    def json(self, path):
        seat = {"seat": 3, "name": f"Guest {next(_ids)}"}
        bodies = {
            "/api/act": {"action": {"kind": "place_bet", **BET}},
            "/api/login": {"pin": PIN},
            "/api/join": {"token": self.services.tokens.issue(), "player": seat},
        }
        return bodies.get(path, {})

    def form(self, path):
        code = self.services.show_code(1, self.services.service.snapshot())
        seat = {"seat": "3", "name": f"Guest {next(_ids)}", "colour": "teal"}
        forms = {
            "/dealer/act": {"kind": "fund_bank", "fields": '{"amount": 5}'},
            "/dealer/choose": {"game": "sika"},
            "/language": {"language": "de"},
            "/dealer/roll": {"entry": "1", "spike-0": "sun"},
            "/dealer/login": {"pin": PIN},
            "/play/act": {"kind": "place_bet", "fields": str(BET).replace("'", '"')},
            "/join": {"token": self.services.tokens.issue(), **seat},
            "/seat": {"code": code},
        }
        return forms.get(path, {})

    def as_before(self):
        if self.services.service.version != self.base:
            do(self.services, Undo(self.base))


@pytest.fixture
def house(app, services, nova, rook):
    return House(app, services)


def verdict(answer, told):
    """What an answer comes to, in the table's words."""
    where = answer.headers.get("Location", "")
    match answer.status_code:
        case 302:
            return "pin" if where.endswith("/dealer/login") else "away"
        case 403:
            return "no"
        case 422 if told.get("code") == "not_allowed":
            return "no"
        case 422 if "not yours" in answer.get_data(as_text=True):
            return "no"
        case 400 if told.get("code") != "bad_form":
            return "token"
        case 200 | 204 | 303 | 400 | 404 | 409 | 422:
            return "yes"
    return str(answer.status_code)


def test_every_route_and_no_other_is_in_the_table(app):
    adapter = app.url_map.bind("localhost")
    listed = set()
    for route, method in MATRIX:
        rule, _ = adapter.match(route.partition("?")[0], method=method, return_rule=True)
        listed.add((rule.rule, method))
    served = {
        (rule.rule, method)
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert served - listed == set(), "a route without a line in docs/access.md"
    assert listed - served == set()


def test_every_role_gets_what_the_table_says(house):
    wrong = []
    for (route, method), cells in MATRIX.items():
        for role, expected in cells.items():
            before = house.services.service.version
            answer, told = house.send(role, method, route)
            found = verdict(answer, told)
            if found != expected:
                wrong.append(f"{role} {method} {route}: {found}, not {expected} ({answer.status})")
            if expected != "yes" and house.services.service.version != before:
                wrong.append(f"{role} {method} {route} changed the table")
            house.as_before()
            house.base = house.services.service.version
    assert wrong == []


def test_no_other_method_does_anything(house):
    wrong = []
    for route in sorted({route for route, _ in MATRIX}):
        bare = route.partition("?")[0]
        listed = {method for path, method in MATRIX if path.partition("?")[0] == bare}
        for method, role in itertools.product(METHODS, ROLES):
            if method in listed or (method == "HEAD" and "GET" in listed):
                continue
            answer, _ = house.send(role, method, route)
            if answer.status_code < 400 and method != "OPTIONS":
                wrong.append(f"{role} {method} {route}: {answer.status}")
    assert wrong == []
    assert house.services.service.version == house.base


def some(hint):
    """Any value of a field's type, as JSON has it."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return some(typing.get_args(hint)[0])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint)).value
    roll = {"spike": ["sun", "sun", "sun"], "cube": []}
    known = {int: 1, str: "sun", bool: True, Roll: roll}
    return known.get(hint, [] if typing.get_origin(hint) is tuple else {})


@pytest.mark.parametrize("cls", known_actions(), ids=lambda cls: cls.kind)
def test_a_seat_does_nothing_for_another_or_for_the_table(cls):
    """Whatever the game says: the refusal comes before the rules are asked."""
    fields = {name: some(hint) for name, hint in fields_of(cls.kind).items()}
    action = from_json({"kind": cls.kind, **fields, **({"seat": 2} if "seat" in fields else {})})
    for actor in (Actor(Role.PLAYER, 1, "Nova"), Actor(Role.VIEWER, None, "")):
        assert may(actor, action).code == "not_allowed"
    assert may(Actor(Role.DEALER, None, "dealer"), action) is None
    if cls.by_player:
        assert may(Actor(Role.PLAYER, 2, "Rook"), action) is None


HARMLESS = re.compile(r"'(none|self)'|data:")  # `data:` for pictures only, see below


def policy_of(answer) -> dict[str, list[str]]:
    """The Content-Security-Policy of an answer, directive by directive."""
    text = answer.headers.get("Content-Security-Policy", "")
    parts = (part.split() for part in text.split(";") if part.strip())
    return {name: sources for name, *sources in parts}


def loose(policy: dict[str, list[str]]) -> list[str]:
    """What a policy lets in that it should not."""
    found = [name for name in ("script-src", "style-src", "base-uri") if name not in policy]
    found += [] if policy.get("default-src") == ["'none'"] else ["default-src"]
    for name, sources in policy.items():
        if name != "img-src" and "data:" in sources:
            found.append(f"{name} data:")
        found += [f"{name} {one}" for one in sources if not HARMLESS.fullmatch(one)]
    return found


def test_every_answer_carries_a_policy_that_lets_nothing_foreign_in(house):
    """Errors, files and JSON too: all that any role gets from any route."""
    wrong = []
    for route, method in MATRIX:
        for role in ROLES:
            answer, _ = house.send(role, method, route)
            wrong += [f"{role} {method} {route}: {fault}" for fault in loose(policy_of(answer))]
            house.as_before()
            house.base = house.services.service.version
    missing, _ = house.send("viewer", "GET", "/no-such-page")
    assert loose(policy_of(missing)) == []
    assert wrong == []


@pytest.mark.parametrize(
    ("policy", "fault"),
    [
        ({}, "script-src"),
        ({"script-src": ["'self'", "'unsafe-inline'"]}, "script-src 'unsafe-inline'"),
        ({"script-src": ["data:"]}, "script-src data:"),
        ({"style-src": ["https:"]}, "style-src https:"),
        ({"img-src": ["*"]}, "img-src *"),
    ],
)
def test_a_loose_policy_is_noticed(policy, fault):
    assert fault in loose(policy)
