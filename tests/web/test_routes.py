"""Who may call what, and what every post must bring."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

GET = {
    # path: (viewer, seated player, dealer)
    "/": (200, 302, 302),
    "/credits": (200, 200, 200),
    "/display": (200, 200, 200),
    "/join.svg": (200, 200, 200),
    "/wifi.svg": (404, 404, 404),  # no hotspot here
    "/api/table": (200, 200, 200),
    "/dealer/login": (200, 200, 200),
    "/join": (403, 302, 403),
    "/play": (302, 200, 302),
    "/play/stake/crown": (403, 404, 403),
    "/play/hand": (403, 404, 403),
    "/play/hand/name": (403, 404, 403),
    "/play/raise": (403, 404, 403),
    "/play/device": (403, 200, 403),
    "/dealer/hand/1": (302, 302, 404),
    "/dealer/hand/1/name": (302, 302, 404),
    "/dealer/array/1": (302, 302, 404),
    "/dealer/draw/1": (302, 302, 404),
    "/dealer/raise": (302, 302, 404),
    "/dealer": (302, 302, 200),
    "/dealer/seats": (302, 302, 200),
    "/dealer/seat/1": (302, 302, 200),
    "/dealer/seat/1/play": (302, 302, 200),
    "/dealer/seat/99": (302, 302, 404),
    "/dealer/game": (302, 302, 200),
    "/dealer/bank": (302, 302, 200),
    "/dealer/history": (302, 302, 200),
    "/dealer/more": (302, 302, 200),
    "/dealer/correct": (302, 302, 200),
    "/dealer/rolls": (302, 302, 200),
    "/dealer/roll/1": (302, 302, 404),
    "/dealer/seat/1/device": (302, 302, 200),
    "/dealer/setup": (302, 302, 200),
    "/dealer/setup/pin": (302, 302, 200),
    "/dealer/setup/name": (302, 302, 200),
    "/dealer/setup/camera": (302, 302, 200),
    "/dealer/setup/picture": (302, 302, 200),
    "/dealer/setup/light": (302, 302, 200),
    "/dealer/setup/tray": (302, 302, 200),
    "/dealer/setup/tray.jpg": (302, 302, 404),
    "/dealer/setup/dice": (302, 302, 200),
    "/dealer/setup/teach": (302, 302, 302),
    "/dealer/setup/teach/look": (302, 302, 422),
    "/dealer/setup/try": (302, 302, 302),
    "/dealer/setup/try/look": (302, 302, 422),
    "/dealer/setup/now.jpg": (302, 302, 404),
    "/dealer/setup/crop.jpg": (302, 302, 404),
    "/dealer/setup/taken/crown/0.jpg": (302, 302, 404),
    "/dealer/tray.jpg": (302, 302, 404),
    "/dealer/evidence/none.jpg": (302, 302, 404),
    "/dealer/statistics": (302, 302, 200),
    "/dealer/summary": (302, 302, 200),
    "/dealer/export/log.csv": (302, 302, 200),
    "/play/statistics": (403, 200, 403),
    "/api/session": (200, 200, 200),
    "/api/view": (200, 200, 200),
    "/api/statistics": (200, 200, 200),
    "/api/openapi.json": (200, 200, 200),
    "/api/log": (403, 403, 200),
    "/api/ledger": (403, 403, 200),
    "/api/rolls": (403, 403, 200),
}
POST_DEALER = ("/dealer/act", "/dealer/choose", "/dealer/confirm", "/dealer/roll")
POST_API = ("/api/act", "/api/confirm", "/api/dismiss")
POST_SETUP = (
    "/dealer/setup/done",
    "/dealer/setup/pin",
    "/dealer/setup/name",
    "/dealer/setup/camera",
    "/dealer/setup/tray/take",
    "/dealer/setup/tray/keep",
    "/dealer/setup/tray/drop",
    "/dealer/setup/tray/back",
    "/dealer/setup/dice",
    "/dealer/setup/dice/save",
    "/dealer/setup/dice/drop",
    "/dealer/setup/teach/take",
    "/dealer/setup/teach/remove",
    "/dealer/setup/teach/learn",
)
POST_ALL = (
    *POST_DEALER,
    *POST_SETUP,
    "/dealer/dismiss",
    "/dealer/code",
    "/dealer/seat/1/device",
    "/play/act",
    "/play/device",
    *POST_API,
)


@pytest.mark.parametrize(("path", "expected"), GET.items())
def test_get_by_role(path, expected, viewer, nova, dealer):
    found = tuple(client.get(path).status_code for client in (viewer, nova, dealer))
    assert found == expected


@pytest.mark.parametrize("path", [*POST_DEALER, *POST_SETUP, "/dealer/seat/1/device"])
def test_only_the_dealer_posts_to_the_station(path, viewer, nova, post):
    for client in (viewer, nova):
        assert post(client, path, kind="open_round").status_code == 403


def test_a_viewer_may_do_nothing(viewer, post):
    assert post(viewer, "/play/act", kind="sit_out", fields='{"seat": 1}').status_code == 403


def test_a_player_cannot_act_for_another_seat(nova, rook, dealer, post, services):
    before = services.service.snapshot().version
    answer = post(nova, "/play/act", kind="sit_out", fields='{"seat": 2, "out": true}')
    assert answer.status_code == 422
    assert services.service.snapshot().version == before


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("open_round", "{}"),
        ("buy_in", '{"seat": 1, "amount": 5}'),
        ("fund_bank", '{"amount": 5}'),
        ("record_roll", '{"roll": {"spike": ["crown", "crown", "crown"]}}'),
        ("undo", '{"to": 0}'),
        ("join_seat", '{"seat": 5, "name": "Imp"}'),
        ("leave_seat", '{"seat": 1}'),
    ],
)
def test_a_player_cannot_do_what_is_the_dealers(kind, fields, nova, post, services):
    before = services.service.snapshot().version
    assert post(nova, "/play/act", kind=kind, fields=fields).status_code == 422
    assert services.service.snapshot().version == before


@pytest.mark.parametrize("path", POST_ALL)
def test_every_post_needs_the_csrf_token(path, dealer, nova):
    for client in (dealer, nova):
        answer = client.post(path, data={"expected_version": "0", "request_id": "12345678"})
        assert answer.status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:81", "x"])
def test_a_foreign_origin_is_refused(origin, dealer, post, services):
    before = services.service.snapshot().version
    answer = post(
        dealer, "/dealer/act", kind="fund_bank", fields='{"amount": 5}', headers={"Origin": origin}
    )
    assert answer.status_code == 403
    assert services.service.snapshot().version == before


def test_the_own_origin_is_accepted(dealer, post):
    headers = {"Origin": "http://localhost"}
    answer = post(dealer, "/dealer/act", kind="fund_bank", fields='{"amount": 5}', headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("path", [*GET, "/events"])
def test_foreign_host_names_are_not_answered(path, viewer):
    assert viewer.get(path, headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("path", list(GET))
def test_security_headers_everywhere(path, dealer):
    headers = dealer.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", [p for p, codes in GET.items() if codes[2] == 200])
def test_pages_hold_nothing_inline_and_nothing_from_elsewhere(path, dealer):
    page = dealer.get(path).get_data(as_text=True)
    assert not re.search(r"<script(?![^>]*\bsrc=\"/static/)", page)
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style", page)
    outside = re.findall(r"(?:src|href)=\"(https?:[^\"]*)\"", page)
    assert set(outside) <= {"https://www.gamesofthegalaxy.com"}


def test_a_stale_post_gets_409_and_does_nothing(dealer, post, services):
    old = services.service.snapshot().version
    fund = {"kind": "fund_bank", "fields": '{"amount": 50}'}
    assert post(dealer, "/dealer/act", **fund).status_code == 200
    answer = post(dealer, "/dealer/act", expected_version=old, **fund)
    assert answer.status_code == 409
    assert answer.json["version"] == old + 1
    assert "moved on" in answer.json["sentence"]
    assert services.service.snapshot().version == old + 1


def test_a_stale_post_without_scripts_shows_the_fresh_page(dealer, post, services):
    old = services.service.snapshot().version
    fund = {"kind": "fund_bank", "fields": '{"amount": 50}', "script": False}
    assert post(dealer, "/dealer/act", **fund).status_code == 303
    answer = post(dealer, "/dealer/act", expected_version=old, **fund)
    assert answer.status_code == 409
    assert f'data-version="{old + 1}"' in answer.get_data(as_text=True)
    assert "moved on" in answer.get_data(as_text=True)


def test_a_repeated_request_is_answered_once_and_not_done_twice(dealer, post, services):
    bank = services.service.snapshot().table.balance("bank")
    fund = {"kind": "fund_bank", "fields": '{"amount": 50}', "request_id": "twice-12345"}
    first, second = post(dealer, "/dealer/act", **fund), post(dealer, "/dealer/act", **fund)
    assert (first.status_code, second.status_code) == (200, 200)
    assert (first.json["repeated"], second.json["repeated"]) == (False, True)
    assert first.json["version"] == second.json["version"]
    assert services.service.snapshot().table.balance("bank") == bank + 50


BROKEN = {
    "version": {"expected_version": "x"},
    "no version": {"expected_version": ""},
    "long version": {"expected_version": "9" * 40},
    "no id": {"request_id": ""},
    "short id": {"request_id": "1"},
    "odd id": {"request_id": "<script>alert(1)</script>"},
    "no kind": {"kind": ""},
    "odd kind": {"kind": "__class__"},
    "no fields": {"fields": ""},
    "deep fields": {"fields": "[" * 5000},
    "list": {"fields": "[]"},
    "float": {"fields": '{"amount": 1.5}'},
    "bool": {"fields": '{"amount": true}'},
    "nan": {"fields": '{"amount": NaN}'},
    "unknown field": {"fields": '{"amount": 5, "x": 1}'},
    "huge": {"fields": '{"amount": 1' + "0" * 400 + "}"},
    "surrogate": {"fields": '{"amount": "\\ud800"}'},
}


@pytest.mark.parametrize("case", BROKEN)
def test_malformed_posts_are_refused_without_a_fault(case, dealer, post, services):
    before = services.service.snapshot().version
    form = {"kind": "fund_bank", "fields": '{"amount": 5}', **BROKEN[case]}
    answer = post(dealer, "/dealer/act", **form)
    assert 400 <= answer.status_code < 500
    assert answer.json["sentence"]
    assert services.service.snapshot().version == before


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    path=st.sampled_from(POST_ALL),
    form=st.dictionaries(
        st.sampled_from(
            [
                *("kind", "fields", "ask-amount", "ask-seat", "entry", "spike-0", "cube-1", "game"),
                *("face", "number", "index", "corners", "camera", "name", "label", "mm"),
            ]
        ),
        st.text(max_size=30) | st.sampled_from(["undo", "buy_in", "{}", '{"to": -1}', "crown"]),
    ),
)
def test_no_post_causes_a_fault(path, form, dealer, post):
    assert post(dealer, path, **form).status_code < 500


@pytest.mark.parametrize("path", POST_ALL)
def test_an_empty_form_causes_no_fault(path, dealer, post):
    assert post(dealer, path, script=False).status_code < 500


def test_too_long_a_body_is_refused(dealer, post):
    assert post(dealer, "/dealer/act", fields="x" * 200_000).status_code == 413


def test_json_and_the_dealer(dealer, csrf):
    body = {
        "action": {"kind": "fund_bank", "amount": 7},
        "expected_version": 3,
        "request_id": "json-123456",
    }
    headers = {"X-CSRFToken": csrf(dealer)}
    version = dealer.get("/api/table").json["version"]
    body["expected_version"] = version
    answer = dealer.post("/api/act", json=body, headers=headers)
    assert (answer.status_code, answer.json["version"]) == (200, version + 1)
    deep = dealer.post(
        "/api/act", data="[" * 9000, headers=headers, content_type="application/json"
    )
    assert deep.status_code == 400
    for bad in ([], {}, {"action": []}, {**body, "request_id": "x", "action": 5}):
        assert dealer.post("/api/act", json=bad, headers=headers).status_code == 400


def test_wrong_pins_are_refused_and_then_locked(viewer, post, services):
    found = [
        post(viewer, "/dealer/login", pin="000000", script=False).status_code for _ in range(14)
    ]
    assert found[0] == 403
    assert found[-1] == 429
    assert viewer.get("/dealer").status_code == 302


def test_a_seat_outlives_a_reload_and_ends_with_its_player(nova, dealer, post):
    assert nova.get("/play").status_code == 200
    assert post(dealer, "/dealer/act", kind="leave_seat", fields='{"seat": 1}').status_code == 200
    assert nova.get("/play").status_code == 302
    form = {"kind": "join_seat", "fields": '{"seat": 1, "name": "Imp", "colour": ""}'}
    assert post(dealer, "/dealer/act", **form).status_code == 200
    assert nova.get("/play").status_code == 302


def test_a_new_join_code_ends_the_old_one(app, services, dealer, post):
    old = services.tokens.issue()
    assert post(dealer, "/dealer/code").status_code == 200
    assert app.test_client().get(f"/join?{urlencode({'t': old})}").status_code == 403
    fresh = services.tokens.issue()
    assert app.test_client().get(f"/join?{urlencode({'t': fresh})}").status_code == 200


def seat_code(client, path="/play/device"):
    """The code a device shows after its button was pressed; None when it shows none."""
    found = re.search(r'id="seat-code">(\w+)<', client.get(path).get_data(as_text=True))
    return found[1] if found else None


def test_a_second_device_comes_to_the_seat_by_a_code_that_works_once(app, nova, rook, post):
    assert seat_code(nova) is None
    assert post(nova, "/play/device", script=False).status_code == 303
    code = seat_code(nova)
    assert code not in rook.get("/play/device").get_data(as_text=True)
    second, third = app.test_client(), app.test_client()
    assert post(second, "/seat", code=code.lower(), script=False).status_code == 303
    assert "Nova" in second.get("/play").get_data(as_text=True)
    assert nova.get("/play").status_code == 200
    assert post(third, "/seat", code=code, script=False).status_code == 403
    assert seat_code(nova) is None


def test_the_dealer_shows_a_code_for_a_player_who_lost_the_phone(app, nova, dealer, post):
    assert post(dealer, "/dealer/seat/1/device", script=False).status_code == 303
    code = seat_code(dealer, "/dealer/seat/1/device")
    second = app.test_client()
    assert post(second, "/seat", code=code, script=False).status_code == 303
    assert "Nova" in second.get("/play").get_data(as_text=True)


def test_a_code_is_worthless_once_its_player_left(app, nova, dealer, post):
    post(nova, "/play/device", script=False)
    code = seat_code(nova)
    assert post(dealer, "/dealer/act", kind="leave_seat", fields='{"seat": 1}').status_code == 200
    assert post(app.test_client(), "/seat", code=code, script=False).status_code == 403


def test_guessed_codes_lock_all_codes_for_a_while(app, nova, post):
    post(nova, "/play/device", script=False)
    code = seat_code(nova)
    guesser = app.test_client()
    for number in range(10):
        assert post(guesser, "/seat", code=f"AAAA2{number}", script=False).status_code == 403
    assert post(app.test_client(), "/seat", code=code, script=False).status_code == 429


def test_names_are_shown_as_text(app, dealer, post, services):
    form = {"kind": "join_seat", "fields": '{"seat": 4, "name": "<b>x</b>", "colour": ""}'}
    assert post(dealer, "/dealer/act", **form).status_code == 200
    for path in ("/display", "/dealer", "/dealer/seat/4"):
        assert "<b>x" not in dealer.get(path).get_data(as_text=True)


def test_the_stream_tells_the_present_version_to_whoever_is_behind(viewer, nova, services):
    version = services.service.snapshot().version
    answer = viewer.get("/events?after=0", buffered=False)
    chunks = iter(answer.response)
    assert "retry:" in _text(next(chunks))
    assert _text(next(chunks)) == f"id: {version}\nevent: table\ndata: {version}\n\n"
    answer.close()


def test_last_event_id_counts_more_than_the_address(viewer, services, post, dealer):
    version = services.service.snapshot().version
    headers = {"Last-Event-ID": str(version)}
    answer = viewer.get("/events?after=0", headers=headers, buffered=False)
    chunks = iter(answer.response)
    next(chunks)
    assert post(dealer, "/dealer/act", kind="fund_bank", fields='{"amount": 5}').status_code == 200
    assert _text(next(chunks)).startswith(f"id: {version + 1}\n")
    answer.close()


def _text(chunk: bytes | str) -> str:
    return chunk.decode() if isinstance(chunk, bytes) else chunk


def test_too_many_streams_are_turned_away(app, services):
    open_streams = []
    for _ in range(1000):
        answer = app.test_client().get("/events", buffered=False)
        if answer.status_code == 503:
            break
        next(iter(answer.response))
        open_streams.append(answer)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
    for stream in open_streams:
        stream.close()
