"""Every page and sheet against axe: three sizes, three themes, nothing serious or critical.

A page is opened once; size and theme are then changed in place, as a person would.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from companion.rules.actions import BuyIn, ChooseGame, FundBank, How, JoinSeat, RecordRoll
from companion.rules.betting import Check
from companion.rules.card_actions import DealCards, OpenHand, Stand
from companion.rules.card_state import Phase, on_turn
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet, SettleOffers
from companion.rules.dice import Colour, Roll
from companion.rules.galaxy_series import LayArray
from companion.rules.pot_game import OpenGame
from companion.rules.sika import CallColour
from companion.web.look import Theme

from .test_round import Verdict, recorded_throw

pytestmark = pytest.mark.browser
SIZES = ((390, 844), (1280, 800), (1920, 1080))
THEMED = ["color-contrast", "link-in-text-block"]  # what a change of theme alone can break
AXE = """async (rules) => {
  const only = rules.length ? { runOnly: { type: "rule", values: rules } } : {};
  const found = await axe.run(document, { ...only, resultTypes: ["violations"] });
  return found.violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => `${v.id}: ` + v.nodes.map((n) => n.target.join(" ") + " " +
      (n.any[0]?.message ?? "")).slice(0, 4).join(" | "));
}"""
WEAR = """async (theme) => {
  const loaded = [];
  for (const link of document.querySelectorAll("link[data-theme-sheet]")) {
    if (!link.sheet) loaded.push(new Promise((done) => (link.onload = done)));
    link.media = link.dataset.themeSheet === theme ? "all" : "not all";
  }
  await Promise.all(loaded);
  document.body.style.backgroundImage = "none"; // axe cannot judge text on a gradient
}"""


@dataclass
class Checker:
    """Runs axe on a page in every size and theme and collects what it finds."""

    script: str
    faults: list[str] = field(default_factory=list)

    def check(self, page, name: str, sizes=SIZES) -> None:
        """All rules in the cantina; in the other themes what their colours can break."""
        page.emulate_media(reduced_motion="reduce")
        # What was sent is dimmed, as nothing can be pressed, until the answer is there.
        page.wait_for_function("() => !document.querySelector('form[aria-busy]')")
        if not page.evaluate("!!globalThis.axe"):
            page.evaluate(self.script)  # by the debugger, so the page's own policy stays strict
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            for theme in Theme:
                page.evaluate(WEAR, theme.value)
                rules = [] if theme is Theme.CANTINA else THEMED
                for fault in page.evaluate(AXE, rules):
                    self.faults.append(f"{name} {width} {theme}: {fault}")

    def visit(self, page, url: str, *paths: str) -> None:
        for path in paths:
            page.goto(url + path)
            self.check(page, path)


@pytest.fixture
def axe():
    module = pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    from importlib.resources import files

    checker = Checker(files(module).joinpath("axe.min.js").read_text(encoding="utf-8"))
    yield checker
    assert not checker.faults, "\n".join(checker.faults)


@pytest.fixture
def people(do):
    """Two players with credits and a bank."""
    do(FundBank(3000), JoinSeat(1, "Nova"), JoinSeat(2, "Maximiliana Thunderbolt"))
    do(BuyIn(1, 500), BuyIn(2, 500))


def screens(table, open_page):
    """The station, a phone and the room's screen, each on its page."""
    display = open_page("display", f"{table.url}/display")
    return table.dealer, table.phone_of(1), display


def crown(do):
    do(ChooseGame("crown_and_spike"), OpenRound())
    do(PlaceBet(1, "sun", 25), PlaceBet(2, "crown", 50), PlaceBet(2, "eye", 50))


def crown_rolled(do):
    do(CloseBets(), RecordRoll(Roll.of(["sun", "sun", "crown"]), How.READ))


def point_five(do):
    do(ChooseGame("point_five"), OpenGame(), RecordRoll(Roll.of(["sun"])))


def sika(do):
    do(ChooseGame("sika"), OpenGame(), CallColour(1, Colour.RED), CallColour(2, Colour.BLUE))
    do(RecordRoll(Roll.of(cubes=["red", "red", "blue"])))


def galaxy(do):
    do(ChooseGame("galaxy_series"), OpenHand(), DealCards(), LayArray())


def yarith(do):
    do(ChooseGame("yarith_bespin"), OpenHand(), DealCards())


GAMES = {"point five": point_five, "sika": sika, "galaxy": galaxy, "yarith": yarith}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.usefixtures("people")
def test_the_boards_of_a_game(game, do, table, open_page, axe):
    GAMES[game](do)
    for page in screens(table, open_page):
        page.wait_for_selector(".game-board")
        axe.check(page, f"{game} {page.url}")


@pytest.mark.usefixtures("people")
def test_crown_and_spike_and_its_sheets(do, table, open_page, axe):
    crown(do)
    dealer, phone, display = screens(table, open_page)
    phone.wait_for_selector("a#spot-sun")
    axe.check(phone, "phone betting")
    phone.click("a#spot-sun")
    phone.wait_for_selector("#sheet[open] #sheet-body")
    axe.check(phone, "phone stake")
    phone.keyboard.press("Escape")
    throw = recorded_throw(0)
    do(CloseBets())
    table.services.desk.on_event(throw.event(41, Verdict.ASK))
    dealer.wait_for_selector("#tray polygon.line >> nth=2")
    axe.check(dealer, "station asking")
    dealer.click("[data-key=correct]")
    dealer.wait_for_selector("#sheet[open] #sheet-body")
    axe.check(dealer, "correct")
    dealer.keyboard.press("Escape")
    table.key("NumpadEnter")
    phone.wait_for_selector(".result")
    for page in (dealer, phone, display):
        axe.check(page, f"result {page.url}")
    axe.visit(dealer, table.url, "/overlay")
    last = table.services.service.version
    axe.visit(dealer, table.url, "/dealer/history", "/dealer/rolls", f"/dealer/roll/{last}")


@pytest.mark.usefixtures("people")
def test_sheets_pages_and_figures(do, table, open_page, axe):
    crown(do)
    do(CloseBets(), RecordRoll(Roll.of(["sun", "sun", "crown"]), How.READ), SettleOffers())
    crown(lambda *actions: do(*(a for a in actions if not isinstance(a, ChooseGame))))
    sheets = ("seats", "seat/1", "seat/1/play", "seat/1/device", "seat/3", "bank", "more")
    axe.visit(table.dealer, table.url, *(f"/dealer/{name}" for name in sheets))
    axe.visit(table.dealer, table.url, "/dealer/statistics", "/dealer/summary", "/look")
    phone = table.phone_of(1)
    axe.visit(phone, table.url, "/play/statistics", "/play/device")


def test_the_ways_in_and_the_set_up(table, open_page, axe):
    guest = open_page("phone", table.url)
    join = f"/join?t={table.services.tokens.issue()}"
    axe.visit(guest, table.url, "/", join, "/dealer/login", "/credits", "/no-such-page")
    axe.visit(guest, table.url, "/display", "/overlay")
    axe.check(table.dealer, "station before any game")
    steps = ("game", "setup", "setup/pin", "setup/name", "setup/camera", "setup/picture")
    more = ("setup/tray", "setup/dice", "setup/teach", "setup/try")
    axe.visit(table.dealer, table.url, *(f"/dealer/{step}" for step in (*steps, *more)))


@pytest.mark.usefixtures("people")
def test_the_card_sheets(do, services, table, axe):
    galaxy(do)
    axe.visit(table.dealer, table.url, "/dealer/array/1")
    while services.service.snapshot().table.play.to_act:
        do(Stand(on_turn(services.service.snapshot().table.play)))
    axe.visit(table.dealer, table.url, "/dealer/raise")
    while services.service.snapshot().table.play.phase is Phase.BETTING:
        do(Check(on_turn(services.service.snapshot().table.play)))
    axe.visit(table.dealer, table.url, "/dealer/hand/1")


def test_axe_tells_what_a_theme_breaks(table, open_page, axe):
    page = open_page("phone", f"{table.url}/credits")
    faint = "color-mix(in srgb, var(--text) 25%, var(--floor))"
    page.evaluate("faint => { document.querySelector('h1').style.color = faint }", faint)
    axe.check(page, "spoilt", sizes=SIZES[:1])
    told, axe.faults = axe.faults, []
    assert all(any(f" {theme}: color-contrast" in fault for fault in told) for theme in Theme)
