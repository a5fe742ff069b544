"""The program is killed in the middle of a round: every screen finds back by itself."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time

import pytest

from companion import bootstrap
from companion.auth import Actor, Role
from companion.config import Settings
from companion.database import Database
from companion.games import GAMES
from companion.rules.actions import BuyIn, ChooseGame, FundBank, JoinSeat
from companion.rules.crown_and_spike import OpenRound
from companion.rules.engine import Engine
from companion.table import audit

from .conftest import DEALER_PIN, ROOT
from .pages import Phone, Room, Station

pytestmark = pytest.mark.browser

START_S = 60
DEALER = Actor(Role.DEALER, None, "dealer")
SET = (
    FundBank(3000), JoinSeat(1, "Nova"), BuyIn(1, 500), JoinSeat(2, "Rook"), BuyIn(2, 500),
    ChooseGame("crown_and_spike"), OpenRound(),
)  # fmt: skip


class Serving:
    """`companion serve` in a process of its own, on a folder and a port that stay."""

    def __init__(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._process = None

    def start(self) -> None:
        """Returns when it listens."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "companion", "serve", "--data-dir", str(self._folder),
             "--host", "127.0.0.1", "--port", str(self.port)],
            cwd=ROOT, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + START_S
        while not self._answers():
            assert self._process.poll() is None, "the station did not start"
            assert time.monotonic() < until, f"the station was not there after {START_S} s"
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def kill(self) -> None:
        """As a pulled plug: nothing is said, nothing is finished."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()


@pytest.fixture
def serving(tmp_path):
    made = Serving(tmp_path)
    yield made
    made.kill()


def set_table(folder) -> None:
    """A table in the middle of a round, as a station left it on disk."""
    station = bootstrap.build(Settings(data_dir=folder))
    station.services.pin.set(DEALER_PIN)
    for action in SET:
        station.services.service.submit(action, DEALER)
    station.close()


def test_all_screens_come_back_to_the_same_round_after_a_kill(serving, tmp_path, open_page):
    set_table(tmp_path)
    serving.start()
    station = Station(open_page("dealer", f"{serving.url}/dealer"))
    station.log_in(DEALER_PIN)
    room = Room(open_page("display", f"{serving.url}/display"))
    station.open("#seats a[href$='/seat/1']")
    station.page.click("#sheet a[href$='/seat/1/device']")
    station.page.click("form[action$='/seat/1/device'] button")
    phone = Phone(open_page("phone", f"{serving.url}/"), 1)
    phone.take_seat_by(station.page.inner_text("#seat-code"))
    station.page.click("[data-close]")
    screens = (station, room, phone)
    phone.bet("crown", 2)
    for screen in screens:
        screen.shows("#spot-crown .bet, #spot-crown .mine")
        screen.linked()
    before = phone.version

    serving.kill()
    for screen in screens:
        screen.linked("off")
    serving.start()
    for screen in screens:
        screen.linked()
        screen.shows("#spot-crown .bet, #spot-crown .mine")
        assert screen.version == before
    phone.bet("sun", 1)  # signed in as before, and playing on
    station.shows("#spot-sun .bet")
    room.shows("#spot-sun .bet")
    phone.balance(425)
    room.balances({1: 425, 2: 500})

    serving.kill()
    database = Database.in_folder(tmp_path)
    try:
        assert audit(database, Engine(GAMES)) == []
    finally:
        database.close()


CUT = """() => {
  globalThis.whole = globalThis.fetch;
  const broken = (answer) => answer.error(new TypeError("Failed to fetch"));
  globalThis.fetch = async () => new Response(new ReadableStream({ start: broken }));
  globalThis.dispatchEvent(new Event("online")); // asks for the view again
}"""


def test_an_answer_that_is_cut_off_in_the_middle_is_no_fault(serving, tmp_path, open_page):
    """The plug may be pulled while the station answers: the page says so and stays what it was."""
    set_table(tmp_path)
    serving.start()
    station = Station(open_page("dealer", f"{serving.url}/dealer"))
    station.log_in(DEALER_PIN)
    station.linked()
    page = station.page
    page.evaluate(CUT)
    page.click("#seats a[href$='/seat/1']")
    page.wait_for_selector("#toast[data-tone=bad]:not([hidden])")
    assert page.inner_text("#toast") == page.get_attribute("body", "data-offline")
    assert not page.is_visible("#sheet")
    page.evaluate("() => void (globalThis.fetch = globalThis.whole)")
    page.click("#seats a[href$='/seat/1']")
    page.wait_for_selector("#sheet[open]")
