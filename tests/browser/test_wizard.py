"""A first run in real Chromium: from an empty folder to a throw that is read, nothing typed."""

from __future__ import annotations

import itertools
import json
import time

import numpy as np
import pytest

from companion import bootstrap
from companion.config import Settings
from companion.rules.actions import How, RecordRoll
from hardware.camera import Frame
from hardware.found import FoundCamera
from tests.recordings import RECORDING
from vision.station import read_image

from .conftest import Table
from .pages import Screen

pytestmark = pytest.mark.browser

PRINTED_PIN, OWN_PIN = "123456", "483920"
SLOW_MS = 90_000  # a busy machine finds a tray, learns dice
FPS = 15.0
SYMBOLS = ("spike", "flask", "crown", "compass", "eye", "sun")


class StagedTray:
    """A camera over a tray in which the test lays recorded scenes."""

    def __init__(self):
        self._scene = read_image(RECORDING / "empty" / "000.jpg")
        self._closed = False

    def lay(self, name: str) -> None:
        self._scene = read_image(RECORDING / name)

    def frames(self):
        self._closed = False
        for number in itertools.count():
            if self._closed:
                return
            # A camera never sends the very same picture twice.
            yield Frame(self._scene ^ np.uint8(number % 2), number / FPS, number)
            time.sleep(1 / FPS)

    def close(self):
        self._closed = True


@pytest.fixture
def tray(monkeypatch):
    staged = StagedTray()
    monkeypatch.setattr(
        bootstrap, "open_camera", lambda setting, *_: None if setting == "disabled" else staged
    )
    return staged


@pytest.fixture
def station(tmp_path, tray, monkeypatch):
    monkeypatch.setattr(bootstrap, "cameras", lambda: (FoundCamera("usb:7", "Staged tray"),))
    made = bootstrap.build(Settings(data_dir=tmp_path))
    made.services.pin.set(PRINTED_PIN)
    made.services.setup.table.begin()
    made.start()
    yield made
    made.close()


def throw_of_three() -> dict:
    lines = map(json.loads, (RECORDING / "truth.jsonl").read_text().splitlines())
    return next(t for t in lines if t["scene"] == "throw" and t["expect"] == {"spike": 3})


class SignedIn(Table):
    """A table whose dealer is at the station already."""

    def __init__(self, services, url, open_page, dealer):
        self.station = dealer
        super().__init__(services, url, open_page)

    def log_in(self):
        return self.station


class Wizard:
    """The dealer's hands on the set-up pages."""

    def __init__(self, page, tray):
        self.page = page
        self.tray = tray

    def heading(self, words: str) -> None:
        self.page.wait_for_selector(f".setup-head h1:has-text('{words}')", timeout=SLOW_MS)
        self.page.wait_for_load_state()  # the heading is there before the corners can be moved

    def go_on(self) -> None:
        self.page.click("[data-confirm]")

    def enter(self, name: str, digits: str) -> None:
        for digit in digits:
            self.page.click(f"[data-pad-for='{name}'] button[data-pad='{digit}']")

    def drag(self, handle: str, dx: int) -> None:
        box = self.page.locator(f"{handle} .ring").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y, steps=3)
        self.page.mouse.up()

    def log_in(self, pin: str) -> None:
        for digit in pin:
            self.page.click(f".pad button[data-pad='{digit}']")
        self.page.click("text=Open the station")

    def teach(self, kind: str, faces: tuple[str, ...]) -> None:
        """Lay each face twice; the station takes the pictures by itself."""
        self.heading("Show each face")
        for face in faces:
            for number in (1, 2):
                self.page.wait_for_selector(f"#teach[data-face='{face}']", timeout=SLOW_MS)
                self.tray.lay(f"faces/{kind}/{face}_{number}.jpg")
                self.page.wait_for_selector(
                    f".faces li:has(a[href$='face={face}']) .thumb >> nth={number - 1}",
                    timeout=SLOW_MS,
                )
        self.page.wait_for_selector("#teach[data-ready='1']", state="attached", timeout=SLOW_MS)


def test_from_an_empty_folder_to_a_throw_that_is_read(station, tray, serve, open_page):
    url = serve(station.web)
    page = open_page("dealer", f"{url}/dealer")
    wizard = Wizard(page, tray)
    wizard.log_in(PRINTED_PIN)

    wizard.heading("Welcome")
    wizard.go_on()
    wizard.heading("PIN")
    wizard.enter("pin", OWN_PIN)
    wizard.enter("again", OWN_PIN)
    wizard.go_on()
    wizard.heading("Name the table")
    for _ in range(20):
        page.click("[data-pad-for='name'] button[data-pad='back']")
    for letter in "BAY":
        page.click(f"[data-pad-for='name'] button[data-pad='{letter}']")
    wizard.go_on()
    wizard.heading("Choose the camera")
    page.check("input[value='usb:7']", force=True)
    wizard.go_on()
    wizard.heading("light and focus")
    page.wait_for_selector("#told .fine", timeout=SLOW_MS)
    wizard.go_on()

    wizard.heading("empty tray")
    wizard.go_on()
    wizard.heading("floor of the tray")
    page.click(".shapes a:has-text('Hexagon')")
    page.wait_for_url("**shape=hexagon")  # and its script, by which marks are moved
    assert len(page.input_value("#corners").split()) == 6
    page.focus("[data-corner='5']")
    waiting = page.input_value("#corners")
    page.keyboard.press("Shift+ArrowLeft")
    assert page.input_value("#corners") != waiting
    page.click(".shapes a:has-text('Rectangle')")
    page.wait_for_url("**shape=rectangle")
    before = page.input_value("#corners")
    page.focus("[data-corner='0']")
    page.keyboard.press("ArrowRight")
    assert page.input_value("#corners") != before
    page.keyboard.press("ArrowLeft")
    assert page.input_value("#corners").split() == before.split()
    wizard.drag("[data-corner='2']", -60)
    moved = float(page.input_value("#corners").split()[2].split(",")[0])
    assert 40 < float(before.split()[2].split(",")[0]) - moved < 200
    wizard.drag("[data-corner='2']", 60)
    wizard.go_on()

    wizard.heading("Teach the dice")
    wizard.go_on()
    wizard.teach("spike", SYMBOLS)
    wizard.go_on()
    wizard.heading("Throw them and see")
    throw = throw_of_three()
    tray.lay(throw["image"])
    shown = sorted(die["face"] for die in throw["dice"])
    page.wait_for_function(
        "want => document.querySelector('#read').dataset.read?.split(' ').sort().join() === want",
        arg=",".join(shown),
        timeout=SLOW_MS,
    )
    wizard.go_on()
    wizard.heading("All is ready")
    page.click("text=To the table")
    Screen(page).arrives("#tray")
    assert page.inner_text(".topbar h1") == "BAY"

    tray.lay("empty/000.jpg")
    table = SignedIn(station.services, url, open_page, page)
    table.begin()
    table.seat(1, "Nova")
    page.wait_for_selector("#tray-state:has-text('Tray empty')", timeout=SLOW_MS)
    table.key("NumpadAdd")
    table.status("ets")
    table.bet("Nova", "crown", 1)
    table.key("NumpadAdd")
    tray.lay(throw["image"])
    table.phones["Nova"].wait_for_selector(".result, [id^=run-]", timeout=SLOW_MS)
    rolls = [
        row.action for row in station.services.service.log() if isinstance(row.action, RecordRoll)
    ]
    assert [roll.how for roll in rolls] == [How.READ]
    assert sorted(symbol.value for symbol in rolls[0].roll.spikes) == shown
