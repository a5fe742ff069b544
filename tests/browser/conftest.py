"""Real Chromium against a real server on loopback; skipped, saying why, where it is missing."""

from __future__ import annotations

import contextlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import waitress
from waitress.wasyncore import close_all

from companion.web import create_app
from tests.test_table import DEALER
from vision.reading import DieReading, Reading, TrayEvent, TrayState, Verdict

from .pages import SETTLED_MS, Phone, Station

BROWSERS = ("chromium-headless-shell", "chromium")  # the first is the same engine, and lighter
# Parts of the whole browser's own window: each page would start a process of its own for its
# address bar, two thirds of the time of opening one. The last five are Playwright's own choice.
WITHOUT = [
    "WebUIOmniboxPopup",
    "WebUIOmniboxFullPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "HttpsUpgrades",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PreconnectToSearch",
]
ARGS = [
    f"--disable-features={','.join(WITHOUT)}",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "docs" / "screenshots"
DEALER_PIN = "483920"
SQUARE = ((40.0, 40.0), (90.0, 40.0), (90.0, 90.0), (40.0, 90.0))
SHOWS = "least => Number(document.querySelector('#view').dataset.version) >= least"
SIZES = {"dealer": (1280, 800), "phone": (390, 844), "display": (1920, 1080)}


@pytest.fixture(scope="session")
def chromium() -> Iterator:
    """One browser for all tests."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("Chromium is missing: apt-get install chromium, or set CHROMIUM to its path")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def serve() -> Iterator[Callable]:
    """Serve a Flask application on a free loopback port; gives its address."""
    servers = []

    def start(app) -> str:
        server = waitress.create_server(app, host="127.0.0.1", port=0, threads=24)
        running = threading.Thread(target=server.run, daemon=True)
        running.start()
        servers.append((app, server, running))
        return f"http://127.0.0.1:{server.effective_port}"

    yield start
    for app, server, running in servers:
        app.extensions["companion"].hub.close()  # the streams end, and with them their threads
        server.task_dispatcher.shutdown()
        # By its own thread: closed from another one, its loop goes on with sockets that are gone.
        # If that thread is awake it may run this, and close the trigger, before the pull itself.
        with contextlib.suppress(OSError):
            server.trigger.pull_trigger(lambda server=server: close_all(server._map))
        running.join(timeout=30)
        assert not running.is_alive()


@pytest.fixture
def open_page(chromium) -> Iterator[Callable]:
    """Open a page of its own (own cookies) in one of the three sizes; faults fail the test.

    A fault is an error of a script, a breach of the page's own policy, or a request to any
    other host: a table needs no internet.
    """
    contexts, faults = [], []

    def start(kind: str, url: str):
        width, height = SIZES[kind]
        size = {"width": width, "height": height}
        context = chromium.new_context(viewport=size, color_scheme="dark")
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # of a busy machine; nothing waits that long otherwise
        page.on("pageerror", lambda error: faults.append(f"{kind}: {error}"))
        page.on(
            "console",
            lambda line: faults.append(f"{kind}: {line.text}") if "Policy" in line.text else None,
        )
        context.on("request", lambda sent: faults.extend(abroad(sent.url, url)))
        page.goto(url)
        return page

    yield start
    for context in contexts:
        context.close()
    assert faults == []


def abroad(url: str, home: str) -> list[str]:
    """The address of a request that left the host of ``home``, in words; nothing else does."""
    asked = urlsplit(url)
    local = asked.scheme in ("data", "blob", "about") or asked.netloc == urlsplit(home).netloc
    return [] if local else [f"a request left the host: {url}"]


class Table:
    """The people at the table and what they do."""

    def __init__(self, services, url, open_page):
        self.services = services
        self.url = url
        self.open_page = open_page
        self.dealer = self.log_in()
        self.phones = {}
        self.frame = 100

    def log_in(self):
        station = Station(self.open_page("dealer", f"{self.url}/dealer"))
        station.log_in(DEALER_PIN)
        return station.page

    def ready(self) -> None:
        """Look before pressing, as a person does: the table as it is, and no press just before."""
        self.shown(self.services.service.version)
        self.dealer.wait_for_timeout(SETTLED_MS)

    def shown(self, version: int) -> None:
        """Wait until the dealer's screen shows the table of ``version`` or a later one."""
        self.dealer.wait_for_function(SHOWS, arg=version)

    def key(self, key: str) -> None:
        self.ready()
        self.dealer.keyboard.press(key)

    def status(self, words: str) -> None:
        self.dealer.wait_for_selector(f"#status:has-text('{words}')")

    def sheet(self, control: str):
        self.ready()
        self.dealer.click(control)
        self.dealer.wait_for_selector("#sheet[open] #sheet-body")

    def closed(self) -> None:
        self.dealer.wait_for_selector("#sheet:not([open])", state="attached")

    def choose(self, game: str, board: str) -> None:
        self.sheet("[data-key=next]")
        self.dealer.click(f"#sheet form:has(input[value={game}]) button:has-text('Play')")
        self.dealer.wait_for_selector(board)

    def throw(self, *faces: str) -> None:
        """Dice the camera reads for certain, then an empty tray."""
        kind = "cube" if faces[0] in ("red", "blue") else "spike"
        dice = tuple(DieReading(kind, face, SQUARE, 0.99, ((face, 0.99),)) for face in faces)
        reading = Reading(Verdict.ACCEPT, dice, (), 12.0, {kind: len(dice)})
        self.frame += 2
        self.services.desk.on_event(TrayEvent(self.frame - 1, TrayState.EMPTY))
        self.services.desk.on_event(TrayEvent(self.frame, TrayState.READ, reading, b""))

    def begin(self) -> None:
        self.choose("crown_and_spike", "#mat")
        self.sheet("[data-key=next]")
        for digit in "3000":
            self.dealer.keyboard.press(digit)
        self.dealer.keyboard.press("Enter")
        self.closed()

    def seat(self, number: int, name: str) -> None:
        url = f"{self.url}/join?t={self.services.tokens.issue()}"
        phone = Phone(self.open_page("phone", url), number)
        phone.join(name)
        self.phones[name] = phone.page
        self.dealer.wait_for_selector(f"#seats a[href$='/seat/{number}']:has-text('{name}')")
        self.sheet(f"#seats a[href$='/seat/{number}']")
        for digit in "500":
            self.dealer.click(f"#sheet .pad button[data-pad='{digit}'] >> nth=0")
        self.dealer.click("text=Hand out credits")
        self.closed()
        self.balance(name, 500)

    def phone_of(self, seat: int):
        """The page of a phone that took a seat by its code."""
        phone = Phone(self.open_page("phone", self.url), seat)
        phone.take_seat_by(self.services.show_code(seat, self.services.service.snapshot()))
        return phone.page

    def bet(self, name: str, on: str, presses: int) -> None:
        phone = self.phones[name]
        phone.wait_for_selector(f"a#spot-{on}")
        phone.wait_for_timeout(SETTLED_MS)
        phone.click(f"a#spot-{on}")
        phone.wait_for_selector("#sheet[open] #sheet-body")
        for _ in range(presses):
            phone.click("#sheet [data-add='25']")
        phone.click("text=Place bet")
        phone.wait_for_selector(f"#spot-{on} .mine")

    def balance(self, name: str, credits: int) -> None:
        self.phones[name].wait_for_function(
            "want => document.querySelector('#balance').textContent.replace(/\\D/g, '') === want",
            arg=str(credits),
        )

    def credits(self) -> dict[str, int]:
        table = self.services.service.snapshot().table
        return {account: amount for account, amount in table.accounts.items() if amount}


@pytest.fixture
def table(services, serve, open_page):
    return Table(services, serve(create_app(services)), open_page)


@pytest.fixture
def do(services):
    """Actions done on the dealer's word, behind the screens' back."""

    def submit(*actions):
        for action in actions:
            services.service.submit(action, DEALER)

    return submit
