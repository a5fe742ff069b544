"""What happens when a press is late and when the disk is full."""

from __future__ import annotations

import re

import pytest
from sqlalchemy.exc import OperationalError

from companion import bootstrap
from companion.auth import Actor, Role
from companion.config import Settings
from companion.database import Database, StorageError
from companion.rules.actions import BuyIn, ChooseGame, FundBank
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet
from vision.reading import DieReading, Reading, TrayEvent, TrayState, Verdict

DEALER = Actor(Role.DEALER, None, "dealer")
SQUARE = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
OPEN = (FundBank(1000), BuyIn(1, 100), ChooseGame("crown_and_spike"), OpenRound())


def do(services, *actions):
    for action in actions:
        services.service.submit(action, DEALER)


def read(services, *faces):
    dice = tuple(DieReading("spike", face, SQUARE, 0.8) for face in faces)
    reading = Reading(Verdict.ASK, dice, (), 5.0, {"spike": len(faces)})
    services.desk.on_event(TrayEvent(3, TrayState.READ, reading, b"jpeg"))


def shown_reading(client, path) -> str:
    found = re.search(r'name="reading" value="(\w+)"', client.get(path).get_data(as_text=True))
    assert found
    return found[1]


@pytest.fixture
def due(services, nova):
    do(services, *OPEN, PlaceBet(1, "sun", 10), CloseBets())
    return services


@pytest.mark.parametrize("path", ["/dealer", "/dealer/correct"])
@pytest.mark.parametrize("faces", [{}, {"spike-0": "sun", "spike-1": "sun", "spike-2": "sun"}])
def test_a_word_for_another_reading_is_not_recorded(path, faces, due, dealer, post):
    read(due, "sun", "eye", "eye")
    seen = shown_reading(dealer, path)
    read(due, "crown", "eye", "eye")
    before = due.service.version
    answer = post(dealer, "/dealer/confirm", reading=seen, **faces)
    assert (answer.status_code, answer.get_json()["code"]) == (409, "stale")
    assert due.service.version == before
    assert due.desk.state().pending.reading.faces("spike") == ("crown", "eye", "eye")
    fresh = post(dealer, "/dealer/confirm", reading=seen, script=False, **faces)
    assert fresh.status_code == 409
    assert "Crown · Eye · Eye" in fresh.get_data(as_text=True)


def test_a_confirmation_that_names_no_reading_is_not_taken(due, dealer, post):
    read(due, "sun", "eye", "eye")
    assert post(dealer, "/dealer/confirm").status_code == 409
    assert due.desk.expect() is not None


def test_the_reading_the_page_showed_is_recorded_once(due, dealer, post):
    read(due, "sun", "eye", "eye")
    form = {"reading": shown_reading(dealer, "/dealer"), "request_id": "finger-01"}
    version = str(due.service.version)
    assert post(dealer, "/dealer/confirm", expected_version=version, **form).status_code == 200
    again = post(dealer, "/dealer/confirm", expected_version=version, **form)
    assert again.get_json()["repeated"] is True


def test_faces_entered_before_the_camera_read_them_are_taken(due, dealer, post):
    read(due, "crown", "eye", "eye")
    faces = {"spike-0": "crown", "spike-1": "eye", "spike-2": "eye"}
    assert post(dealer, "/dealer/confirm", **faces).status_code == 200


def test_only_the_reading_the_page_showed_is_voided(due, dealer, post):
    read(due, "sun", "eye", "eye")
    seen = shown_reading(dealer, "/dealer")
    read(due, "crown", "eye", "eye")
    for named in (seen, ""):
        answer = post(dealer, "/dealer/dismiss", reading=named)
        assert (answer.status_code, answer.get_json()["code"]) == (409, "stale")
    fresh = post(dealer, "/dealer/dismiss", reading=seen, script=False)
    assert fresh.status_code == 409
    assert "Crown · Eye · Eye" in fresh.get_data(as_text=True)
    assert due.desk.state().pending.reading.faces("spike") == ("crown", "eye", "eye")


def test_a_void_sent_twice_is_answered_and_voids_nothing_more(due, dealer, post):
    read(due, "sun", "eye", "eye")
    seen = shown_reading(dealer, "/dealer")
    assert post(dealer, "/dealer/dismiss", reading=seen).status_code == 200
    assert due.desk.state().pending is None
    read(due, "crown", "eye", "eye")
    assert post(dealer, "/dealer/dismiss", reading=seen).status_code == 200
    assert due.desk.state().pending is not None


def test_there_is_nothing_to_void_before_a_throw(due, dealer, post):
    answer = post(dealer, "/dealer/dismiss")
    assert (answer.status_code, answer.get_json()["code"]) == (422, "nothing_to_dismiss")


@pytest.fixture
def full_disk(services, monkeypatch):
    def refuse(*_args, **_kwargs):
        fault = OperationalError("INSERT", {}, Exception("database or disk is full"))
        raise fault

    monkeypatch.setattr("companion.action_log.append", refuse)
    monkeypatch.setattr("companion.database.delete", refuse)
    return services


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_told_with_what_is_kept_and_what_to_do(dealer, post, services):
    before = services.service.version
    form = {"kind": "fund_bank", "fields": '{"amount": 5}'}
    answer = post(dealer, "/dealer/act", **form)
    assert (answer.status_code, answer.get_json()["code"]) == (507, "storage")
    for part in ("Not stored", "is kept", "the disk is full", "Free some space", "try again"):
        assert part in answer.get_json()["sentence"]
    page = post(dealer, "/dealer/act", script=False, **form)
    assert page.status_code == 507
    assert "the disk is full" in page.get_data(as_text=True)
    assert services.service.version == before


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_told_by_the_api_too(dealer, csrf, services):
    body = {
        "action": {"kind": "fund_bank", "amount": 5},
        "expected_version": services.service.version,
        "request_id": "script-01",
    }
    answer = dealer.post("/api/act", json=body, headers={"X-CSRFToken": csrf(dealer)})
    assert (answer.status_code, answer.get_json()["code"]) == (507, "storage")


@pytest.mark.parametrize("script", [True, False])
def test_a_full_disk_is_told_on_routes_without_a_page_to_go_back_to(
    script, viewer, post, services, full_disk
):
    form = {"token": services.tokens.issue(), "seat": "5", "name": "Imp", "colour": "teal"}
    answer = post(viewer, "/join", script=script, **form)
    assert answer.status_code == 507
    assert "the disk is full" in answer.get_data(as_text=True)


def test_the_data_are_let_go_when_a_later_part_cannot_be_made(tmp_path, monkeypatch):
    closed = []
    close = Database.close
    monkeypatch.setattr(Database, "close", lambda self: (closed.append(self), close(self)))

    def fail(*_args):
        raise StorageError("no pins today")

    monkeypatch.setattr(bootstrap, "open_box", fail)
    with pytest.raises(StorageError, match="no pins today"):
        bootstrap.build(Settings(data_dir=tmp_path))
    assert len(closed) == 1


def test_a_phone_sits_out_and_in_between_rounds_and_only_then(services, nova, post):
    do(services, *OPEN)
    assert "Sit out" in nova.get("/play").get_data(as_text=True)
    do(services, PlaceBet(1, "sun", 10))
    assert "Sit out" not in nova.get("/play").get_data(as_text=True)
    do(services, CloseBets())
    assert post(nova, "/play/act", kind="sit_out", fields='{"seat": 1}').status_code == 422


def test_a_phone_that_sits_out_can_come_back(services, nova, post):
    assert post(nova, "/play/act", kind="sit_out", fields='{"seat": 1}').status_code == 200
    assert "Back in" in nova.get("/play").get_data(as_text=True)
    back = '{"seat": 1, "out": false}'
    assert post(nova, "/play/act", kind="sit_out", fields=back).status_code == 200
    assert services.service.snapshot().table.seat(1).out is False
