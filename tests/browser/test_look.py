"""A screen's own theme and caller, the overlay, and what a dialog does with the focus."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.rules.actions import BuyIn, ChooseGame, FundBank, How, JoinSeat, RecordRoll, Undo
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet
from companion.rules.dice import Roll

pytestmark = pytest.mark.browser
FLOORS = {
    "cantina": "rgb(16, 14, 12)",
    "bright": "rgb(244, 239, 230)",
    "contrast": "rgb(0, 0, 0)",
}
LISTEN = """
globalThis.spoken = [];
globalThis.tones = 0;
speechSynthesis.speak = (words) => spoken.push([words.text, words.lang, words.volume]);
const Plain = OscillatorNode;
globalThis.OscillatorNode = class extends Plain {
  start(...at) { tones += 1; super.start(...at); }
};
"""


def floor(page) -> str:
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


@pytest.fixture
def people(do):
    do(FundBank(3000), JoinSeat(1, "Ann"), JoinSeat(2, "Rook"), BuyIn(1, 500), BuyIn(2, 500))
    do(ChooseGame("crown_and_spike"))


def open_look(page) -> None:
    page.click("[href*='/look']")
    page.wait_for_selector("#sheet[open] [data-caller-set]")


def test_each_screen_keeps_its_own_theme(table, open_page):
    display = open_page("display", f"{table.url}/display")
    assert floor(display) == FLOORS["cantina"]
    open_look(display)
    for theme in ("contrast", "bright"):
        display.check(f"#sheet input[value={theme}]", force=True)
        display.wait_for_function(
            "want => getComputedStyle(document.documentElement).backgroundColor === want",
            arg=FLOORS[theme],
        )
    display.reload()
    assert floor(display) == FLOORS["bright"]
    assert floor(table.dealer) == FLOORS["cantina"], "another screen keeps its own"
    display.goto(f"{table.url}/display?theme=contrast")
    assert floor(display) == FLOORS["contrast"]


@pytest.mark.parametrize(
    ("wish", "theme"),
    [
        ({"color_scheme": "dark"}, "cantina"),
        ({"color_scheme": "light"}, "bright"),
        ({"color_scheme": "light", "contrast": "more"}, "contrast"),
        ({"color_scheme": "dark", "contrast": "more"}, "contrast"),
    ],
)
def test_where_nothing_is_chosen_the_browser_decides(wish, theme, table):
    page = table.dealer
    page.emulate_media(**wish)
    page.goto(f"{table.url}/credits")
    assert floor(page) == FLOORS[theme]


def test_between_games_the_room_still_sees_who_has_what(do, table, open_page):
    for seat in range(1, 9):
        do(JoinSeat(seat, f"Quartermaster Number {seat}"), BuyIn(seat, 100 * seat))
    display = open_page("display", f"{table.url}/display")
    display.wait_for_selector(".attract .code img")
    rows = display.query_selector_all(".attract .rank li")
    assert "Number 8" in rows[0].inner_text()
    aside = display.locator(".attract aside")
    assert aside.evaluate("box => box.scrollHeight - box.clientHeight") <= 0
    assert len(rows) == 8


@pytest.mark.parametrize("theme", FLOORS)
@pytest.mark.usefixtures("people")
def test_every_kind_of_screen_wears_each_theme(theme, table, open_page, do):
    do(OpenRound(), PlaceBet(1, "sun", 25), PlaceBet(2, "eye", 50), CloseBets())
    do(RecordRoll(Roll.of(["sun", "sun", "crown"]), How.READ))
    phone = table.phone_of(1)
    phone.wait_for_selector(".run")
    display = open_page("display", f"{table.url}/display")
    for kind, page in (("dealer", table.dealer), ("phone", phone), ("display", display)):
        page.context.add_cookies([{"name": "theme", "value": theme, "url": table.url}])
        page.reload()
        page.wait_for_selector(".die")
        assert floor(page) == FLOORS[theme], kind


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720)])
@pytest.mark.usefixtures("people")
def test_the_overlay_is_plates_on_nothing(size, table, open_page, do):
    do(OpenRound(), PlaceBet(1, "sun", 25), CloseBets())
    page = open_page("display", f"{table.url}/overlay")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(reduced_motion="reduce")  # the dice lie still at once
    do(RecordRoll(Roll.of(["sun", "sun", "crown"]), How.READ))
    page.wait_for_selector("#overlay-roll .die >> nth=2")
    png = page.screenshot(omit_background=True)
    alpha = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_UNCHANGED)[:, :, 3]
    assert alpha[size[1] // 3, size[0] // 2] == 0
    die = page.locator("#overlay-roll .die").first.bounding_box()
    assert alpha[int(die["y"] + die["height"] / 2), int(die["x"] + 9)] == 255
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0


def spoken(page) -> list[str]:
    return [text for text, *_ in page.evaluate("spoken")]


@pytest.mark.usefixtures("people")
def test_the_caller_says_each_thing_once_and_only_where_asked(table, open_page, do, services):
    page = open_page("display", f"{table.url}/credits")
    page.add_init_script(LISTEN)
    do(OpenRound(), PlaceBet(1, "crown", 20), PlaceBet(2, "eye", 5))
    page.goto(f"{table.url}/display")

    do(CloseBets())
    page.wait_for_selector("#caller-line:has-text('closed')", state="attached")
    assert spoken(page) == [], "off until somebody wants it"
    open_look(page)
    page.check("#sheet [name=voice]")
    page.check("#sheet [name=sounds]")
    page.fill("#sheet [name=volume]", "40")
    page.click("#sheet [data-close]")

    closed = services.service.version
    do(RecordRoll(Roll.of(["crown", "crown", "sun"]), How.READ))
    page.wait_for_function("() => spoken.length === 1")
    assert page.evaluate("spoken[0]") == [
        "Crown, Crown, Sun. Ann wins 40.",
        "en",
        pytest.approx(0.4),
    ]
    assert page.evaluate("tones") == 3, "the three notes of a win"

    do(Undo(closed))
    page.wait_for_selector("#caller-line:has-text('closed')", state="attached")
    assert len(spoken(page)) == 1, "what was said before is not said again"
    page.reload()
    page.wait_for_selector("#caller-line", state="attached")
    assert spoken(page) == [], "a reload repeats nothing"

    page.context.set_offline(True)
    do(RecordRoll(Roll.of(["crown", "eye", "sun"]), How.READ), Undo(closed))
    do(RecordRoll(Roll.of(["sun", "sun", "sun"]), How.READ))
    page.context.set_offline(False)
    page.wait_for_function("() => spoken.length > 0")
    assert spoken(page) == ["Sun, Sun, Sun. Nobody wins."], "only the newest after sleep"


def test_a_dialog_holds_the_focus_and_gives_it_back(table):
    page = table.dealer
    page.focus("nav a[href$='/seats']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#sheet[open] #sheet-body")
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('#sheet')"
        ), "nothing behind the dialog is reached"
    page.keyboard.press("Escape")
    page.wait_for_selector("#sheet:not([open])", state="attached")
    assert page.evaluate("document.activeElement.getAttribute('href')").endswith("/seats")


def test_a_refusal_is_told_in_front_of_the_open_sheet(do, table):
    do(JoinSeat(1, "Nova"))
    page = table.dealer
    table.sheet("#seats a[href$='/seat/6']")
    page.fill("#sheet [data-field=text]", "Nova")
    page.click("#sheet button.primary")
    page.wait_for_selector("#toast:has-text('Nova already sits at this table')")
    top = """() => {
      const { left, top, width, height } = document.querySelector("#toast").getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2).id;
    }"""
    assert page.evaluate(top) == "toast"
