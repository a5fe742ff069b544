"""A whole round of Crown & Spike on the dealer's station, two phones and the room's screen."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from companion.rules.dice import Symbol
from tests.recordings import RECORDING
from vision.reading import DieReading, Reading, TrayEvent, TrayState, Verdict

pytestmark = pytest.mark.browser

SETTLED_MS = 600  # longer than the pages' guard against bouncing fingers


@dataclass(frozen=True)
class Throw:
    """A recorded throw with its truth."""

    jpeg: bytes
    dice: tuple[DieReading, ...]

    @property
    def faces(self) -> list[str]:
        return [die.face for die in self.dice if die.face]

    def event(self, frame: int, verdict: Verdict) -> TrayEvent:
        reading = Reading(verdict, self.dice, (), 12.0, {"spike": len(self.dice)})
        return TrayEvent(frame, TrayState.READ, reading, self.jpeg)


def recorded_throw(number: int) -> Throw:
    """The ``number``-th recorded throw of three Spike dice."""
    lines = map(json.loads, (RECORDING / "truth.jsonl").read_text().splitlines())
    throws = [t for t in lines if t["scene"] == "throw" and t["expect"] == {"spike": 3}]
    truth = throws[number]
    dice = tuple(
        DieReading(d["kind"], d["face"], tuple(map(tuple, d["quad"])), 0.99, ((d["face"], 0.99),))
        for d in truth["dice"]
    )
    return Throw((RECORDING / truth["image"]).read_bytes(), dice)


def test_a_round_is_read_confirmed_paid_corrected_and_undone(table, open_page):
    throw = recorded_throw(0)
    won = throw.faces[0]
    lost = next(s.value for s in Symbol if s.value not in throw.faces)
    times = throw.faces.count(won)
    open_page("display", f"{table.url}/display")

    table.begin()
    table.seat(1, "Nova")
    table.seat(2, "Rook")
    table.key("NumpadAdd")
    table.status("ets")
    table.bet("Nova", won, 2)
    table.bet("Rook", lost, 1)
    table.balance("Nova", 450)
    table.dealer.wait_for_selector(f"#spot-{lost} .bet")

    table.key("NumpadAdd")
    table.dealer.wait_for_selector("[data-key=next].waiting")
    before = table.credits()
    table.services.desk.on_event(throw.event(41, Verdict.ASK))
    table.dealer.wait_for_selector("#tray polygon.line >> nth=2")
    assert table.credits() == before, "a reading that asks must not move a credit"
    table.key("NumpadEnter")

    table.phones["Nova"].wait_for_selector(f"#run-{won}")
    table.phones["Rook"].wait_for_selector(".result .verdict.loss")
    paid = table.credits()
    assert paid["bank"] == before["bank"] - 50 * times + 25

    table.sheet("[data-key=correct]")
    for _ in throw.dice:
        table.dealer.keyboard.press(str(Symbol(lost).points))
    table.dealer.keyboard.press("Enter")
    table.phones["Rook"].wait_for_selector(f"#run-{lost}")
    table.phones["Nova"].wait_for_selector(".result .verdict.loss")
    assert table.credits()["bank"] == before["bank"] + 50 - 3 * 25

    table.key("Backspace")
    table.phones["Nova"].wait_for_selector(f"#run-{won}")
    assert table.credits() == paid, "undo restores the exact credits"

    table.phones["Nova"].wait_for_timeout(SETTLED_MS)
    table.phones["Nova"].click(f"#run-{won} button:has-text('Take')")
    table.balance("Nova", 500 + 50 * times)
    table.balance("Rook", 475)
    assert sum(table.credits().values()) == 0

    table.sheet("text=History")


def test_a_phone_keeps_its_seat_and_catches_up_after_sleep(table):
    table.begin()
    table.seat(1, "Nova")
    phone = table.phones["Nova"]
    phone.reload()
    phone.wait_for_selector("#balance")
    phone.context.set_offline(True)
    table.sheet("#seats a[href$='/seat/1']")
    table.dealer.click("#sheet .pad button[data-pad='7'] >> nth=0")
    table.dealer.click("text=Hand out credits")
    table.closed()
    phone.context.set_offline(False)
    table.balance("Nova", 507)


def test_a_bouncing_finger_buys_in_once(table):
    table.begin()
    table.seat(1, "Nova")
    table.sheet("#seats a[href$='/seat/1']")
    table.dealer.click("#sheet .pad button[data-pad='9'] >> nth=0")
    table.dealer.dblclick("text=Hand out credits")
    table.closed()
    table.balance("Nova", 509)
    table.ready()
    assert table.services.service.snapshot().table.credits(1) == 509


def test_a_half_typed_amount_outlives_what_others_do(table):
    table.begin()
    table.seat(1, "Nova")
    table.seat(2, "Rook")
    table.key("NumpadAdd")
    phone = table.phones["Nova"]
    phone.wait_for_selector("a#spot-crown")
    phone.click("a#spot-crown")
    phone.wait_for_selector("#sheet[open] #sheet-body")
    phone.click("#sheet [data-add='25']")
    table.bet("Rook", "eye", 1)
    phone.wait_for_selector("#spot-eye .others:has-text('25')")
    assert phone.input_value("#sheet input[data-field=number]") == "25"
    phone.click("text=Place bet")
    phone.wait_for_selector("#spot-crown .mine")


def test_a_long_press_voids_the_round_and_returns_the_stakes(table):
    table.begin()
    table.seat(1, "Nova")
    table.key("NumpadAdd")
    table.bet("Nova", "sun", 1)
    table.balance("Nova", 475)
    table.ready()
    button = table.dealer.locator("[data-key=next]").bounding_box()
    table.dealer.mouse.move(button["x"] + 40, button["y"] + 40)
    table.dealer.mouse.down()
    table.balance("Nova", 500)
    table.dealer.mouse.up()
