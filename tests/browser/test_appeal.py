"""An appeal against a roll, and one more device for a seat."""

from __future__ import annotations

import pytest

from companion.rules.dice import Symbol
from vision.reading import TrayEvent, TrayState, Verdict

from .pages import Phone
from .test_round import recorded_throw

pytestmark = pytest.mark.browser


def throw_read(table, number: int):
    """A round opened, bet on and thrown; the camera's certain word is taken."""
    throw = recorded_throw(number)
    table.key("NumpadAdd")
    table.status("ets")
    table.bet("Nova", "sun", 1)
    table.key("NumpadAdd")
    table.dealer.wait_for_selector("[data-key=next].waiting")
    table.services.desk.on_event(TrayEvent(40, TrayState.EMPTY))
    table.services.desk.on_event(throw.event(41, Verdict.ACCEPT))
    table.dealer.wait_for_selector("#reading .dice")
    return throw


def test_a_past_roll_is_looked_at_and_corrected_from_its_picture(table):
    table.begin()
    table.seat(1, "Nova")
    throw = throw_read(table, 0)
    lost = next(s for s in Symbol if s.value not in throw.faces)
    table.sheet("text=History")
    table.dealer.wait_for_selector("#sheet .steps .nobreak:has-text('Bank')")
    table.dealer.click("text=All rolls with their pictures")
    table.dealer.click("#sheet .rolls li >> nth=0 >> text=Look")
    table.dealer.wait_for_selector("#appeal-picture")
    assert len(table.dealer.query_selector_all("#sheet .appeal polygon.line")) == len(throw.dice)
    assert "the camera" in table.dealer.inner_text("#sheet")
    table.dealer.click("text=Correct this roll")
    table.dealer.wait_for_selector("#sheet [data-slot]")
    for _ in throw.dice:
        table.dealer.keyboard.press(str(lost.points))
    table.ready()
    table.dealer.keyboard.press("Enter")
    table.closed()
    table.sheet("text=look again")
    table.dealer.wait_for_selector("#sheet :text('corrected by the dealer to')")
    assert "recorded at first" in table.dealer.inner_text("#sheet")


def test_a_second_device_takes_the_same_seat(table, open_page):
    table.begin()
    table.seat(1, "Nova")
    phone = table.phones["Nova"]
    phone.click("text=Second device")
    phone.click("text=Show the code")
    code = phone.inner_text("#seat-code")
    other = Phone(open_page("phone", f"{table.url}/"), 1)
    other.take_seat_by(code)
    other.shows(".me h1:has-text('Nova')")
    phone.goto(f"{table.url}/play")
    phone.wait_for_selector(".me h1:has-text('Nova')")
