"""One phone keeps one seat: another one is refused until the phone was let go."""

from __future__ import annotations

import pytest

from companion.web.security import limiter


@pytest.fixture(autouse=True)
def no_limit(app):
    limiter.reset()


def names(services) -> list[str]:
    return [seat.name for seat in services.service.snapshot().table.seats]


def join(post, client, services, seat, name):
    form = {"token": services.tokens.issue(), "seat": str(seat), "name": name, "colour": "sky"}
    return post(client, "/join", script=False, **form)


def code(services, seat) -> str:
    return services.show_code(seat, services.service.snapshot())


def test_a_phone_with_a_seat_takes_no_second_one(services, post, nova):
    answer = join(post, nova, services, 2, "Nova again")
    assert answer.status_code == 422
    page = answer.get_data(as_text=True)
    assert "already keeps seat 1 for Nova" in page
    assert "/play/release" in page
    assert names(services) == ["Nova"]
    assert "Nova" in nova.get("/play").get_data(as_text=True), "the first seat is kept"


def test_a_code_for_another_seat_is_refused_and_not_used_up(app, services, post, nova, rook):
    given = code(services, 2)
    answer = post(nova, "/seat", script=False, code=given)
    assert answer.status_code == 422
    assert "already keeps seat 1" in answer.get_data(as_text=True)
    assert post(app.test_client(), "/seat", script=False, code=given).status_code == 303


def test_a_code_for_the_own_seat_changes_nothing(services, post, nova):
    assert post(nova, "/seat", script=False, code=code(services, 1)).status_code == 303
    assert "Nova" in nova.get("/play").get_data(as_text=True)


def test_a_wrong_code_is_told_apart_by_nobody_who_keeps_a_seat(services, post, nova, rook):
    right = post(nova, "/seat", script=False, code=code(services, 2)).get_data(as_text=True)
    wrong = post(nova, "/seat", script=False, code="ZZZZZZ").get_data(as_text=True)
    assert "already keeps seat 1" in right
    assert "already keeps seat 1" in wrong


def test_a_phone_that_was_let_go_may_sit_elsewhere(services, post, nova):
    assert post(nova, "/play/release", script=False).headers["Location"] == "/"
    assert nova.get("/play").status_code == 302, "no seat any more"
    assert names(services) == ["Nova"], "the player is still at the table"
    assert join(post, nova, services, 2, "Vex").status_code == 303
    assert names(services) == ["Nova", "Vex"]


def test_a_seat_that_was_given_up_at_the_table_holds_no_phone(services, post, dealer, nova):
    post(dealer, "/dealer/act", kind="leave_seat", fields='{"seat": 1}')
    assert join(post, nova, services, 2, "Nova").status_code == 303


def api(client, services, **body):
    token = client.get("/api/session").get_json()["csrf_token"]
    ticket = {"request_id": "one-seat-0001", "expected_version": services.service.version}
    return client.post("/api/join", json={**ticket, **body}, headers={"X-CSRFToken": token})


def test_the_interface_for_programs_says_the_same(services, nova, rook):
    player = {"seat": 3, "name": "Vex"}
    for body in (
        {"token": services.tokens.issue(), "player": player},
        {"code": code(services, 2)},
    ):
        answer = api(nova, services, **body)
        assert (answer.status_code, answer.get_json()["code"]) == (422, "seat_held")
    assert api(nova, services, code=code(services, 1)).status_code == 200
    assert len(names(services)) == 2
