"""The JSON interface: what it answers is what docs/openapi.json says."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from companion.exports import COLUMNS, What
from companion.rules.actions import BuyIn, ChooseGame, FundBank, known_actions
from companion.rules.card_actions import EnterHand
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet
from companion.web.openapi import ROUTES, document, text
from companion.web.openapi_schemas import LEDGER, LOG, ROLL_ROWS
from tests.conftest import PIN
from tests.web.card_evening import GALAXY, YARITH
from tests.web.test_faults import do, read

FILE = Path(__file__).parents[2] / "docs" / "openapi.json"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
GETS = [route.path for route in ROUTES if route.method == "get" and route.path != "/events"]


OPEN = (
    FundBank(1000),
    BuyIn(1, 100),
    ChooseGame("crown_and_spike"),
    OpenRound(),
    PlaceBet(1, "sun", 10),
    CloseBets(),
)


class Client:
    """A program that uses the interface."""

    ids = itertools.count()

    def __init__(self, app):
        self.http = app.test_client()

    def get(self, path):
        return conforming("get", path, self.http.get(path))

    def post(self, path, body, **headers):
        token = self.http.get("/api/session").get_json()["csrf_token"]
        headers = {"X-CSRFToken": token, **headers}
        return conforming("post", path, self.http.post(path, json=body, headers=headers))

    def ticket(self):
        version = self.http.get("/api/table").get_json()["version"]
        return {"expected_version": version, "request_id": f"script-{next(self.ids):06}"}

    def act(self, kind, **fields):
        return self.post("/api/act", {"action": {"kind": kind, **fields}, **self.ticket()})


def conforming(method, path, answer):
    """The answer, having been held against the description."""
    described = document()
    operation = described["paths"][path.partition("?")[0]][method]
    assert str(answer.status_code) in operation["responses"], (answer.status_code, answer.text)
    found = operation["responses"][str(answer.status_code)]
    assert answer.mimetype in found["content"]
    schema = {**found["content"][answer.mimetype]["schema"], "components": described["components"]}
    Draft202012Validator(schema).validate(answer.get_json())
    return answer


@pytest.fixture
def robot(app):
    return Client(app)


@pytest.fixture
def dealer_robot(app):
    client = Client(app)
    assert client.post("/api/login", {"pin": PIN}).get_json()["role"] == "dealer"
    return client


def test_the_file_is_what_the_table_of_routes_makes():
    assert FILE.read_text(encoding="utf-8") == text(), "run make openapi"


def test_the_description_is_openapi():
    validate(document())


def test_every_route_is_described_and_no_other(app):
    served = set()
    for rule in app.url_map.iter_rules():
        if not rule.rule.startswith(("/api/", "/events")):
            continue
        choices = re.search(r"<any\(([^)]*)\):\w+>", rule.rule)
        names = choices[1].split(", ") if choices else [""]
        for name in names:
            path = rule.rule.replace(choices[0], name) if choices else rule.rule
            served |= {(path, m.lower()) for m in rule.methods - {"HEAD", "OPTIONS"}}
    assert served == {(route.path, route.method) for route in ROUTES}


def test_every_action_is_described():
    schemas = document()["components"]["schemas"]
    for cls in known_actions():
        assert schemas[f"Action_{cls.kind}"]["description"]
    rows = (LOG, LEDGER, ROLL_ROWS)
    assert [tuple(row) for row in rows] == [COLUMNS[what] for what in What]


@pytest.mark.parametrize("path", GETS)
def test_an_empty_table_conforms(path, robot, dealer_robot):
    robot.get(path)
    assert dealer_robot.get(path).status_code == 200


def test_a_round_played_through_the_interface(services, dealer_robot, app):
    dealer = dealer_robot
    phone = Client(app)
    join = {
        "token": phone.get("/api/view").get_json()["join_token"],
        "player": {"seat": 1, "name": "Nova"},
    }
    assert phone.post("/api/join", {**join, **phone.ticket()}).get_json()["role"] == "player"
    assert phone.post("/api/join", {**join, **phone.ticket()}).status_code == 422
    for kind, fields in (
        ("fund_bank", {"amount": 900}),
        ("buy_in", {"seat": 1, "amount": 100}),
        ("choose_game", {"game": "crown_and_spike", "options": {}}),
        ("open_round", {}),
    ):
        assert dealer.act(kind, **fields).status_code == 200
    offers = {offer["kind"] for offer in phone.get("/api/view").get_json()["offers"]}
    assert "place_bet" in offers
    assert phone.act("place_bet", seat=1, on="sun", stake=10).status_code == 200
    assert phone.act("close_bets").status_code == 422
    assert phone.act("place_bet", seat=2, on="sun", stake=10).status_code == 422
    assert dealer.act("close_bets").status_code == 200
    read(services, "sun", "eye", "eye")
    tray = dealer.get("/api/view").get_json()["tray"]
    assert [die["face"] for die in tray["reading"]["dice"]] == ["sun", "eye", "eye"]
    assert phone.get("/api/view").get_json()["tray"] is None
    named = {"reading": tray["reading"]["id"]}
    assert phone.post("/api/confirm", {**named, **phone.ticket()}).status_code == 403
    other = {"reading": "0123456789abcdef"}
    for path in ("/api/confirm", "/api/dismiss"):
        assert dealer.post(path, {**other, **dealer.ticket()}).status_code == 409
    assert dealer.post("/api/confirm", {**named, **dealer.ticket()}).status_code == 200
    assert dealer.act("settle_offers").status_code == 200
    for path in GETS:
        dealer.get(path)
    assert phone.get("/api/table").get_json()["seats"][0]["credits"] == 110
    phones = phone.get("/api/statistics").get_json()
    assert [(p["name"], p["result"]) for p in phones["players"]] == [("Nova", 10)]
    assert (phones["bank"], phones["evening"]["bank"]) == ([], None)
    rooms = Client(app).get("/api/statistics").get_json()
    assert rooms == {**phones, "players": []}
    assert dealer.get("/api/statistics").get_json()["evening"]["bank"] == -10
    assert [r["spike"] for r in dealer.get("/api/rolls").get_json()["rows"]] == [
        ["sun", "eye", "eye"]
    ]


def test_a_void_and_faces_by_hand(services, dealer_robot, nova):
    do(services, *OPEN)
    read(services, "sun", "eye", "eye")
    seen = dealer_robot.get("/api/view").get_json()["tray"]["reading"]["id"]
    body = {"reading": seen, **dealer_robot.ticket()}
    assert dealer_robot.post("/api/dismiss", body).status_code == 200
    for faces, status in (
        ({"spike": ["sun"]}, 422),
        ({"spike": "sun"}, 400),
        ({"dice": []}, 400),
        ([], 400),
        ({"spike": ["sun", "sun", "crown"]}, 200),
    ):
        body = {"faces": faces, **dealer_robot.ticket()}
        assert dealer_robot.post("/api/confirm", body).status_code == status


def test_the_own_hand_is_seen_and_no_others(evening, services, app, dealer_robot):
    evening.to_showdown(GALAXY)
    evening.do(EnterHand(1, "+7c -7t"), EnterHand(2, "+9c -8c"))
    phone = Client(app)
    code = services.show_code(2, services.service.snapshot())
    assert phone.post("/api/join", {"code": code}).get_json()["seat"] == 2
    assert phone.get("/api/view").get_json()["hands"] == {"1": None, "2": "+9c -8c"}
    assert dealer_robot.get("/api/view").get_json()["hands"] == {"1": None, "2": None}


@pytest.mark.parametrize("game", ["point_five", "sika", GALAXY, YARITH])
def test_every_games_board_conforms(game, evening, dealer_robot, app):
    if game in (GALAXY, YARITH):
        evening.to_showdown(game)
    else:
        evening.do(BuyIn(1, 50), BuyIn(2, 50), ChooseGame(game))
        assert dealer_robot.act("open_game").status_code == 200
    for path in GETS:
        assert dealer_robot.get(path).status_code == 200
    assert dealer_robot.get("/api/table").get_json()["board"]


def test_rows_after_an_entry_and_bad_ones(dealer_robot, nova):
    rows = dealer_robot.get("/api/log").get_json()["rows"]
    after = dealer_robot.get(f"/api/log?after={rows[0]['no']}").get_json()["rows"]
    assert after == rows[1:]
    for bad in ("-1", "x", "9" * 30, ""):
        assert dealer_robot.get(f"/api/log?after={bad}").status_code == 400


def test_wrong_pins_lock(robot):
    found = [robot.post("/api/login", {"pin": "0000"}).status_code for _ in range(12)]
    assert (found[0], found[-1]) == (403, 429)
    assert robot.get("/api/session").get_json()["role"] == "viewer"


@pytest.mark.parametrize("path", [r.path for r in ROUTES if r.method == "post"])
def test_every_post_needs_its_token_and_an_object(path, app, dealer_robot):
    assert app.test_client().post(path, json={}).status_code == 400
    if path == "/api/logout":
        return
    for body in ([], "x", None):
        assert dealer_robot.post(path, body).status_code == 400


def test_signing_out(dealer_robot):
    assert dealer_robot.post("/api/logout", {}).get_json()["role"] == "viewer"
    assert dealer_robot.get("/api/log").status_code == 403


@pytest.mark.parametrize("role", ["dealer", "player", "viewer"])
def test_nothing_generated_from_the_description_causes_a_fault(role, app, services, nova):
    """Schemathesis: a fixed seed and few examples; every answer must be a described one."""
    do(services, *OPEN[:2])
    client = app.test_client()
    token = client.get("/api/session").get_json()["csrf_token"]
    headers = {"X-CSRFToken": token}
    if role == "dealer":
        client.post("/api/login", json={"pin": PIN}, headers=headers)
    if role == "player":
        code = services.show_code(1, services.service.snapshot())
        client.post("/api/join", json={"code": code}, headers=headers)
    token = client.get("/api/session").get_json()["csrf_token"]
    cookie = client.get_cookie("companion")
    headers = {"X-CSRFToken": token, "Cookie": f"companion={cookie.value}"}
    schema = schemathesis.openapi.from_wsgi("/api/openapi.json", app)
    tried = set()
    for found in schema.exclude(path="/events").get_all_operations():
        operation = found.ok()

        @hypothesis.settings(
            max_examples=12 if operation.method == "post" else 3,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @hypothesis.given(case=operation.as_strategy())
        def send(case):
            answer = case.call(headers=headers)
            case.validate_response(answer, checks=CHECKS)

        send()
        tried.add(operation.path)
    # It leaves out the description itself, which it has fetched.
    assert tried == {route.path for route in ROUTES} - {"/events", "/api/openapi.json"}
    assert services.service.audit() == []
