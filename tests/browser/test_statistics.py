"""The pages of figures in a real browser: at every size, on paper, and from a phone."""

from __future__ import annotations

import pytest

from companion.rules.actions import BuyIn, ChooseGame, FundBank, How, JoinSeat, RecordRoll
from companion.rules.crown_and_spike import CloseBets, OpenRound, PlaceBet, SettleOffers
from companion.rules.crown_state import Phase
from companion.rules.dice import Roll, Symbol
from tests.test_table import DEALER

pytestmark = pytest.mark.browser
WIDTHS = ((320, 640), (390, 844), (1280, 800), (1920, 1080))
LEAST_PX = 9  # of a chart's lettering, from the top of a digit to its foot and a little more


@pytest.fixture
def evening(services):
    """Two players and a dozen rounds, faces in their order."""

    def do(*actions):
        for action in actions:
            services.service.submit(action, DEALER)

    do(FundBank(3000), JoinSeat(1, "Nova"), JoinSeat(2, "Maximiliana Thunderbolt"))
    do(BuyIn(1, 500), BuyIn(2, 500), ChooseGame("crown_and_spike"))
    symbols = list(Symbol)
    for n in range(12):
        do(OpenRound(), PlaceBet(1, "sun", 25), PlaceBet(2, "crown", 50), CloseBets())
        faces = [symbols[(n * k) % 6] for k in (1, 2, 5)]
        do(RecordRoll(Roll.of(faces), How.MANUAL if n % 4 == 0 else How.READ))
        if services.service.snapshot().table.play.phase is Phase.OFFERS:
            do(SettleOffers())
    return services


def sound(page) -> None:
    """Nothing runs out of the page sideways, and the charts can be read."""
    page.wait_for_load_state()  # the charts are there before the styles that hold them
    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    heights = page.evaluate(
        "[...document.querySelectorAll('.chart text')].map(t => t.getBoundingClientRect().height)"
    )
    assert all(height >= LEAST_PX for height in heights)


@pytest.mark.usefixtures("evening")
def test_the_dealers_figures_fit_every_screen_and_a_sheet_of_paper(table):
    page = table.dealer
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        for path in ("statistics", "summary"):
            page.goto(f"{table.url}/dealer/{path}")
            page.wait_for_selector("#stats .card")
            sound(page)
    page.evaluate("window.print = () => { document.title = 'printed' }")
    page.click("[data-print]")
    assert page.title() == "printed"
    page.emulate_media(media="print")
    assert page.is_hidden("[data-print]")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.usefixtures("evening")
def test_a_phone_finds_its_own_figures(table):
    phone = table.phone_of(1)
    phone.click("text=My figures")
    phone.wait_for_selector("#stats .chart")
    sound(phone)
    phone.set_viewport_size({"width": 320, "height": 640})
    sound(phone)
    phone.click("text=Back")
    phone.wait_for_selector("#balance")


@pytest.mark.usefixtures("evening")
def test_files_are_handed_over_as_downloads(table):
    table.dealer.goto(f"{table.url}/dealer/statistics")
    with table.dealer.expect_download() as waiting:
        table.dealer.click("a[href$='/export/log.csv']")
    assert waiting.value.suggested_filename == "log.csv"
