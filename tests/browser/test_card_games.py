"""A whole hand of Galaxy Series and of Yarith Bespin: station, two phones, the room's screen."""

from __future__ import annotations

import pytest

from companion.auth import Actor, Role
from companion.rules.actions import BuyIn, ChooseGame, JoinSeat, RecordRoll
from companion.rules.betting import AllIn, Bet, Check
from companion.rules.card_actions import DealCards, EnterHand, OpenHand, RevealHands, Stand
from companion.rules.card_state import Phase, on_turn, staying
from companion.rules.dice import Roll
from companion.rules.galaxy_series import LayArray
from companion.rules.yarith_bespin import LaySpikes
from tests.browser.pages import SETTLED_MS

pytestmark = pytest.mark.browser
DEALER = Actor(Role.DEALER, None, "dealer")
GALAXY, YARITH = "galaxy_series", "yarith_bespin"


def press(page, selector: str) -> None:
    page.wait_for_selector(selector)
    page.wait_for_timeout(SETTLED_MS)
    page.click(selector)


def pick(page, *cards: str) -> None:
    """Pick cards on an open grid and send them."""
    page.wait_for_selector("#sheet[open] form[data-deck]")
    for card in cards:
        page.click(f"#sheet .pick:has(input[value='{card}']:not(:checked)) >> nth=0")
    press(page, "#sheet .deck-done:not([disabled])")
    page.wait_for_selector("#sheet:not([open])", state="attached")


def seated(table, game: str):
    table.choose(game, "#card-table")
    table.seat(1, "Nova")
    table.seat(2, "Rook")
    return table.phones["Nova"], table.phones["Rook"]


def step(table, then: str) -> None:
    """The station's one natural next step."""
    table.key("NumpadAdd")
    table.status(then)


def everyone_passes(table, verb: str) -> None:
    for name in ("Rook", "Nova"):
        table.status(f"{verb}: {name} is to act.")
        before = table.services.service.version
        table.key("NumpadAdd")
        table.shown(before + 1)  # a slow machine is pressed no sooner


def throw(table, *faces: str) -> None:
    """A throw before the table waits for it would only be asked about."""
    table.status("Throw the Spike dice.")
    table.throw(*faces)


def test_a_whole_hand_of_galaxy_series(table, open_page):
    display = open_page("display", f"{table.url}/display")
    nova, rook = seated(table, GALAXY)
    step(table, "Nova deals")
    step(table, "Round 1: lay a card in the Array.")
    step(table, "Cards: Rook is to act.")
    table.sheet("#place-1 .slot-card")
    pick(table.dealer, "+5s")
    rook.wait_for_selector("#place-1 [aria-label='+5 square']")
    nova.wait_for_selector("#turn", state="detached")
    press(rook, "#place-1 .trade button >> nth=0")
    table.balance("Rook", 485)
    press(nova, "#stand")

    press(rook, "#raise")
    rook.wait_for_selector("#sheet[open] [data-field=number]")
    rook.click("#sheet [data-set] >> nth=2")
    pot = int(rook.input_value("#sheet [data-field=number]"))
    assert pot == 15  # two antes and the Pilot
    press(rook, "#sheet button.primary")
    nova.wait_for_selector("#call:has-text('15')")
    table.dealer.wait_for_selector("[data-key=next] b:text-is('Nova is to act')")
    press(nova, "#call")

    table.status("Round 2: lay a card in the Array.")
    step(table, "Cards: Rook is to act.")
    everyone_passes(table, "Cards")
    everyone_passes(table, "Betting")
    throw(table, "sun", "sun")
    for page in (table.dealer, nova, rook, display):
        page.wait_for_selector("#banner:has-text('Sabacc Shift')")
    step(table, "Cards: Rook is to act.")
    everyone_passes(table, "Cards")
    everyone_passes(table, "Betting")

    press(rook, "#enter")
    pick_and_read(rook, ["+9c", "-4c", "-5t"], "3-Card Sabacc")
    table.dealer.wait_for_selector("#holder-2:has-text('entered')")
    nova.wait_for_selector("#holder-2:has-text('entered')")
    for page in (table.dealer, nova, display):
        assert page.query_selector("#holder-2 [aria-label='+9 circle']") is None
    table.sheet("#holder-1 a")
    pick(table.dealer, "+7c", "-7t")
    step(table, "Between hands.")
    for page in (table.dealer, nova, rook, display):
        page.wait_for_selector("#finished #shown-2.won:has-text('3-Card Sabacc beats Sabacc Pair')")
    # Rook paid 5 + 5 in antes, 5 for the Pilot and 15; both pots are 45 and 10.
    table.balance("Rook", 525)
    table.balance("Nova", 475)
    table.dealer.wait_for_selector("#owed:has-text('Rook'):has-text('+55')")
    rook.wait_for_selector("#phase:has-text('You won 55.')")


def pick_and_read(page, cards: list[str], name: str) -> None:
    """The hand's name appears while it is entered, before it is sent."""
    page.wait_for_selector("#sheet[open] form[data-deck]")
    for card in cards:
        page.click(f"#sheet .pick:has(input[value='{card}'])")
    page.wait_for_selector(f"#sheet [data-hand-name]:has-text('{name}')")
    press(page, "#sheet .deck-done:not([disabled])")
    page.wait_for_selector("#sheet:not([open])", state="attached")


def test_a_whole_hand_of_yarith_bespin_to_the_blind_draw(table, open_page):
    display = open_page("display", f"{table.url}/display")
    nova, rook = seated(table, YARITH)
    step(table, "Nova deals")
    step(table, "Betting: Rook is to act.")
    everyone_passes(table, "Betting")
    step(table, "Buying: Rook is to act.")
    press(rook, "#turn button:has-text('Buy as spike')")
    table.balance("Rook", 475)  # antes of 10 and 5 in chips of 5, and 10 for a card
    press(nova, "#stand")
    everyone_passes(table, "Betting")
    throw(table, "spike", "spike")
    for page in (table.dealer, nova, rook, display):
        page.wait_for_selector("#banner:has-text('Two Spikes')")
    for _ in range(2):
        everyone_passes(table, "Buying")
        everyone_passes(table, "Betting")
        throw(table, "sun", "eye")
    table.status("Enter the hands, then reveal them.")
    press(nova, "#enter")
    pick_and_read(nova, ["+7c", "-6t", "+1s"], "Nulrhek")
    press(rook, "#enter")
    pick_and_read(rook, ["+7t", "-6s", "+1c"], "Nulrhek")
    step(table, "draws a card.")
    for name, card in (("Rook", "+3c"), ("Nova", "-9c")):
        table.sheet(f".holders li:has-text('{name}') a")
        pick(table.dealer, card)
    for page in (table.dealer, nova, rook, display):
        page.wait_for_selector("#finished:has-text('The blind draw decides') #shown-2.won")
    table.balance("Rook", 505)


def test_folding_asks_twice_and_the_last_one_in_keeps_the_cards(table):
    nova, rook = seated(table, YARITH)
    step(table, "Nova deals")
    step(table, "Betting: Rook is to act.")
    press(rook, "#turn .fold summary")
    assert table.services.service.snapshot().table.play.betting.turn == 2
    press(rook, "#turn .fold button:has-text('Yes, junk')")
    press(nova, "#keep")
    table.status("Between hands.")
    table.balance("Nova", 505)  # antes of 10 and 5, the hand pot of 20
    rook.wait_for_selector("#finished:has-text('Nova takes 20 unshown.')")


def test_a_pick_too_many_takes_the_first_one_back(table):
    nova, _ = seated(table, GALAXY)
    table.services.service.submit(OpenHand(), DEALER)
    deal(table.services, GALAXY)
    press(nova, "#enter")
    nova.wait_for_selector("#sheet[open] form[data-deck]")
    for card in ("+1c", "+2c", "+3c"):
        nova.click(f"#sheet .pick:has(input[value='{card}'])")
    fields = nova.eval_on_selector_all("#sheet [name=card]", "all => all.map(one => one.value)")
    assert fields == ["+2c", "+3c"]
    assert nova.query_selector("#sheet input[value='+1c']:checked") is None


# Eight players fit on every screen


NAMES = [f"Quartermaster Number {n}" for n in range(1, 9)]
HANDS = ["+1c -1c", "+7c -7t", "+2c -2t", "0 +4s", "+9c -8c", "+10s -10t", "+3s -5s", "+6c -6c"]
THIRDS = ["-1t", "-1s", "+1s", "-4c", "+9s", "+10c", "+2s", "+5c"]


def do(services, *actions) -> None:
    for action in actions:
        services.service.submit(action, DEALER)


def play(services):
    return services.service.snapshot().table.play


def stand(services) -> None:
    while play(services).to_act:
        do(services, Stand(on_turn(play(services))))


def check(services) -> None:
    while play(services).phase is Phase.BETTING:
        do(services, Check(on_turn(play(services))))


def deal(services, game: str) -> None:
    """From an open hand to the showdown; the last throw shifts the hands."""
    do(services, DealCards())
    shift = RecordRoll(Roll.of(["spike", "spike"]))
    if game == GALAXY:
        for n in range(3):
            do(services, *([shift] if n == 2 else []), LayArray("+5s" if n == 0 else ""))
            stand(services)
            check(services)
        return
    check(services)
    do(services, LaySpikes())
    for _ in range(3):
        stand(services)
        check(services)
        do(services, shift)


def in_cards(services, game: str) -> None:
    do(services, DealCards())
    if game == GALAXY:
        for n in range(3):
            do(services, *([RecordRoll(Roll.of(["sun", "sun"]))] if n == 2 else []), LayArray())
            if n < 2:
                stand(services)
                check(services)
        return
    check(services)
    do(services, LaySpikes())


def in_bets(services, game: str) -> None:
    do(services, DealCards(), *([LayArray("+5s")] if game == GALAXY else []))
    stand(services)
    do(services, Bet(2, 20), AllIn(3), AllIn(4))


def entering(services, game: str) -> None:
    deal(services, game)
    for seat, hand, third in zip(range(1, 9), HANDS, THIRDS, strict=True):
        if seat in staying(play(services)):
            do(services, EnterHand(seat, hand if game == GALAXY else f"{hand} {third}"))


def revealed(services, game: str) -> None:
    entering(services, game)
    do(services, RevealHands())


STATES = {"cards": in_cards, "bets": in_bets, "entering": entering, "revealed": revealed}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("game", [GALAXY, YARITH])
def test_eight_players_fit_on_every_screen(game, state, table, open_page):
    services = table.services
    for seat, name in enumerate(NAMES, 1):
        do(services, JoinSeat(seat, name), BuyIn(seat, 500 if seat == 3 else 90_000))
    do(services, ChooseGame(game), OpenHand())
    STATES[state](services, game)
    phone = table.phone_of(2)
    display = open_page("display", f"{table.url}/display")
    for kind, page in (("dealer", table.dealer), ("phone", phone), ("display", display)):
        page.wait_for_selector(".game-board:has-text('Quartermaster')")
        if kind == "phone":
            page.set_viewport_size({"width": 320, "height": 640})
            assert page.evaluate("document.documentElement.scrollWidth") <= 320
        for board in page.query_selector_all(".game-board"):
            assert board.evaluate("box => box.scrollWidth - box.clientWidth") <= 0, kind
            if kind == "display" or (kind == "dealer" and state != "revealed"):
                assert board.evaluate("box => box.scrollHeight - box.clientHeight") <= 0, kind
        over = page.evaluate(CROSSING)
        assert over == [], kind


# Texts that run out of their own box: nothing on these boards may be cut off unseen.
CROSSING = """() => [...document.querySelectorAll('.rail li, .card-board .button, .card-board h2')]
  .filter(box => box.scrollWidth > box.clientWidth + 1)
  .map(box => box.textContent.trim())"""
