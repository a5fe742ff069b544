"""The box's buttons together with the dealer's screen."""

from __future__ import annotations

import itertools
import time

import pytest

from companion.auth import Actor, Role
from companion.controls import Controls, Key
from companion.rules.actions import BuyIn, ChooseGame, FundBank, JoinSeat
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet
from companion.web import create_app
from vision.reading import DieReading, Reading, TrayEvent, TrayState, Verdict

from .conftest import DEALER_PIN
from .pages import Station

pytestmark = pytest.mark.browser
DEALER = Actor(Role.DEALER, None, "dealer")
SQUARE = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
DUE = (
    FundBank(1000), JoinSeat(1, "Ann"), BuyIn(1, 100), ChooseGame("crown_and_spike"),
    OpenRound(), PlaceBet(1, "sun", 10), CloseBets(),
)  # fmt: skip


@pytest.fixture
def controls(services):
    ticks = itertools.count(1)  # every press a second after the last, and after any reading

    def clock():
        return time.monotonic() + next(ticks)

    return Controls(services.service, services.desk, services.hub, clock=clock)


@pytest.fixture
def page(services, serve, open_page):
    for action in DUE:
        services.service.submit(action, DEALER)
    station = Station(open_page("dealer", f"{serve(create_app(services))}/dealer"))
    station.log_in(DEALER_PIN)
    station.linked()
    return station.page


def read(services, *faces):
    dice = tuple(DieReading("spike", face, SQUARE, 0.8) for face in faces)
    reading = Reading(Verdict.ASK, dice, (), 5.0, {"spike": len(faces)})
    services.desk.on_event(TrayEvent(3, TrayState.READ, reading, b"jpeg"))


def recorded(services):
    return [face.value for face in services.service.snapshot().table.play.last_roll.spikes]


def test_correct_opens_the_editor_and_confirm_sends_what_was_chosen_there(page, services, controls):
    read(services, "sun", "eye", "eye")
    page.wait_for_selector("button[data-key=confirm]:not(:disabled)")
    assert controls.press(Key.CORRECT) is None
    page.wait_for_selector("#sheet[open] fieldset[data-slot].now")
    for _ in range(3):
        page.keyboard.press("3")
    before = services.service.version
    assert controls.press(Key.CONFIRM) is None
    page.wait_for_selector("#sheet:not([open])", state="attached")
    page.wait_for_function("before => +document.querySelector('#view').dataset.version > before",
                           arg=before)  # fmt: skip
    assert recorded(services) == ["crown", "crown", "crown"]
    assert services.service.log()[-1].action.how == "manual"


def test_confirm_with_an_unknown_die_opens_the_editor_and_sends_nothing(page, services, controls):
    read(services, "sun", "eye", None)
    page.wait_for_selector("a[data-key=confirm]")
    before = services.service.version
    controls.press(Key.CONFIRM)
    page.wait_for_selector("#sheet[open] fieldset[data-slot]")
    controls.press(Key.CONFIRM)  # a face is still missing: the browser asks for it
    page.wait_for_timeout(700)
    assert page.locator("#sheet[open]").count() == 1
    assert services.service.version == before


def test_confirm_shows_on_the_screen_like_any_other(page, services, controls):
    read(services, "sun", "eye", "eye")
    page.wait_for_selector("button[data-key=confirm]:not(:disabled)")
    controls.press(Key.CONFIRM)
    page.wait_for_selector("button[data-key=confirm]:disabled")
    assert recorded(services) == ["sun", "eye", "eye"]
