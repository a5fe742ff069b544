"""Webhooks against receivers on loopback that are well, slow, dead or broken."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from companion.bootstrap import build
from companion.config import ConfigError, Settings
from companion.hub import Hub
from companion.rules.actions import BuyIn, FundBank, JoinSeat
from companion.rules.card_actions import EnterHand
from companion.webhooks import QUEUED, Webhooks, WebhookSettings
from tests.settings_files import written
from tests.test_table import DEALER
from tests.web.card_evening import GALAXY, Evening

SECRET = "a secret of this table"
PATIENCE_S = 20.0  # nothing is judged by speed; a test that waits longer has failed


class Receiver:
    """A server that keeps what it gets; ``answers`` are used up one a post, the last one stays."""

    def __init__(self, *answers, hold=None):
        self.answers, self.hold, self.got = list(answers or (204,)), hold, []
        self.news = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with receiver.news:
                    receiver.got.append((dict(self.headers), body))
                    receiver.news.notify_all()
                if receiver.hold is not None:
                    receiver.hold.wait(PATIENCE_S)
                left = receiver.answers
                self.send_response(left.pop(0) if len(left) > 1 else left[0])
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/spike"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait(self, count):
        with self.news:
            assert self.news.wait_for(lambda: len(self.got) >= count, PATIENCE_S)
        return [json.loads(body) for _, body in self.got]

    def close(self):
        if self.hold is not None:
            self.hold.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver():
    made = []

    def start(*answers, hold=None):
        made.append(Receiver(*answers, hold=hold))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def station(tmp_path):
    made = []

    def start(*urls, **more):
        given = {"backoff_s": 0.01, "timeout_s": 2.0, **more}
        hooks = WebhookSettings(urls, SECRET, **given)
        made.append(build(Settings(data_dir=tmp_path / "data", webhooks=hooks)))
        made[-1].webhooks.start()
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_a_post_is_signed_and_says_what_the_room_sees(receiver, station):
    there = receiver()
    table = station(there.url)
    table.services.service.submit(FundBank(70), DEALER)
    (said,) = there.wait(1)
    assert (said["version"], said["bank"]) == (1, 70)
    assert said == table.web.test_client().get("/api/table").get_json()
    headers, body = there.got[0]
    parts = dict(part.split("=") for part in headers["X-Companion-Signature"].split(","))
    expected = hmac.new(SECRET.encode(), f"{parts['t']}.".encode() + body, hashlib.sha256)
    assert parts["v1"] == expected.hexdigest()
    assert headers["X-Companion-Delivery"] == "1"


def test_a_broken_receiver_is_tried_again_with_the_same_delivery(receiver, station):
    there = receiver(500, 302, 204)
    station(there.url).services.service.submit(FundBank(70), DEALER)
    there.wait(3)
    assert {headers["X-Companion-Delivery"] for headers, _ in there.got} == {"1"}
    assert len({body for _, body in there.got}) == 1


def test_tries_end(receiver, station):
    there = receiver(500)
    table = station(there.url, tries=2)
    table.services.service.submit(FundBank(70), DEALER)
    there.wait(2)
    table.services.service.submit(FundBank(1), DEALER)
    versions = [said["version"] for said in there.wait(4)]
    assert versions == [1, 1, 2, 2]


def test_a_dead_and_a_silent_receiver_delay_neither_the_table_nor_the_others(receiver, station):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{free.getsockname()[1]}/"
    silent, well = receiver(hold=threading.Event()), receiver()
    table = station(dead, silent.url, well.url, backoff_s=30.0, timeout_s=30.0)
    for amount in (1, 2, 3):
        table.services.service.submit(FundBank(amount), DEALER)
        well.wait(amount)  # while the silent one still holds the first
    silent.wait(1)  # on a busy machine it may come later
    assert len(silent.got) == 1
    assert table.services.service.version == 3


def test_a_full_queue_lets_the_oldest_go(receiver):
    hold = threading.Event()
    there = receiver(hold=hold)
    numbers = iter(range(1, 1000))
    hub = Hub()
    settings = WebhookSettings((there.url,), SECRET, timeout_s=PATIENCE_S)
    hooks = Webhooks(settings, hub, lambda: {"version": next(numbers)})
    hooks._receivers[0].start()
    hooks._tell()
    there.wait(1)
    for _ in range(QUEUED + 10):
        hooks._tell()
    hold.set()
    versions = [said["version"] for said in there.wait(1 + QUEUED)]
    assert versions == [1, *range(12, QUEUED + 12)]
    hooks.close()


def test_a_fault_in_the_words_is_no_end(receiver):
    there = receiver()
    hub = Hub()
    said = iter([ZeroDivisionError, {"version": 2}])

    def body():
        found = next(said)
        if found is ZeroDivisionError:
            raise found
        return found

    hooks = Webhooks(WebhookSettings((there.url,), SECRET), hub, body)
    hooks.start()
    hub.publish("table", 1)
    hub.publish("table", 2)
    assert there.wait(1) == [{"version": 2}]
    hooks.close()


def test_no_hidden_hand_is_ever_sent(receiver, station):
    there = receiver()
    services = station(there.url).services
    for seat, name in ((1, "Nova"), (2, "Rook")):
        services.service.submit(JoinSeat(seat, name), DEALER)
    evening = Evening(services)
    evening.to_showdown(GALAXY)
    evening.do(EnterHand(1, "+7c -7t"))
    services.service.submit(BuyIn(2, 1), DEALER)
    with there.news:
        last = services.service.version
        assert there.news.wait_for(
            lambda: any(json.loads(body)["version"] == last for _, body in there.got), PATIENCE_S
        )
    assert not any(b"+7c" in body or b"-7t" in body for _, body in there.got)


def test_they_are_off_by_default(services):
    hooks = Webhooks(WebhookSettings(), services.hub, dict)
    hooks.start()
    assert not hooks._listener.is_alive()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("webhooks = 5", "must be a table"),
        ("[webhooks]\nurls = 'http://a'", "webhooks.urls: must be a list"),
        ("[webhooks]\nurls = ['ftp://a']", "no http or https"),
        ("[webhooks]\nurls = ['http://a']", "webhooks.secret"),
        ("[webhooks]\nurl = ['http://a']", "did you mean urls"),
        ("[webhooks]\ntries = 0", "webhooks.tries"),
        ("[webhooks]\ntimeout_s = true", "webhooks.timeout_s"),
    ],
)
def test_settings_name_what_is_wrong(text, said, tmp_path):
    with pytest.raises(ConfigError, match=said):
        written(tmp_path, text)


def test_settings_from_a_file(tmp_path):
    text = f'[webhooks]\nurls = ["http://127.0.0.1:9/x"]\nsecret = "{SECRET}"\n'
    assert written(tmp_path, text).webhooks.urls == ("http://127.0.0.1:9/x",)
