"""The pages of Galaxy Series and Yarith Bespin: what may be done, what is shown, to whom."""

from __future__ import annotations

import re

import pytest

from companion.rules.actions import ChooseGame
from companion.rules.betting import AllIn, Bet, CallBet, Check, RaiseBet
from companion.rules.card_actions import (
    Stand,
)
from companion.rules.card_state import on_turn
from companion.rules.galaxy_series import BuyArray, LayArray
from companion.rules.yarith_bespin import LaySpikes
from companion.web.presenters.card_bets import quick_raises
from companion.web.presenters.games import game_view
from companion.web.presenters.offers import AskView
from tests.web.card_evening import (
    DIFFER,
    GALAXY,
    MATCH,
    TWO_SPIKES,
    YARITH,
    page,
)


def now(rail) -> list[str]:
    """The stages the rail marks, and the round they are in."""
    return [
        f"{group.number}:{stage.label}"
        for group in rail
        for stage in group.stages
        if stage.state == "now"
    ]


# Turns and bets


@pytest.mark.parametrize("game", [GALAXY, YARITH])
def test_only_the_phone_on_turn_has_the_betting_bar(game, evening, nova, rook):
    evening.open(game)
    if game == GALAXY:
        evening.do(LayArray(), Stand(2), Stand(1))
    assert on_turn(evening.play) == 2  # left of the dealer
    assert 'id="check"' in page(rook, "/play")
    assert 'id="check"' not in page(nova, "/play")
    evening.do(Bet(2, 20))
    assert re.search(r'id="call">Call <span class="num">20<', page(nova, "/play"))
    assert 'id="call"' not in page(rook, "/play")
    assert "Your turn: 20 to call." in page(nova, "/play")


def test_a_short_seat_is_told_what_its_call_really_costs(evening, nova):
    evening.open(GALAXY, credits=(30, 500))
    evening.do(LayArray(), Stand(2), Stand(1), Bet(2, 100))
    assert evening.phone(1).turn.bets.to_call == 20  # 30 less the antes
    assert "Your turn: 20 to call." in page(nova, "/play")


def test_a_phone_cannot_bet_for_another_seat(evening, nova, post):
    evening.open(YARITH)
    before = evening.services.service.version
    for fields in ('{"seat": 2}', '{"seat": 1}'):  # not its seat; not its turn
        assert post(nova, "/play/act", kind="check", fields=fields).status_code == 422
    assert evening.services.service.version == before


def test_the_pad_offers_the_least_half_the_pot_the_pot_and_everything(evening, rook):
    evening.open(GALAXY)
    evening.do(LayArray(), Stand(2), Stand(1), Check(2), Bet(1, 40))
    sheet = page(rook, "/play/raise")
    amounts = [int(n) for n in re.findall(r'data-set="(\d+)"', sheet)]
    # level 40; the pot is 10 of antes and the 40, and 40 more once called: 90
    assert amounts == [80, 85, 130, 490]
    assert 'data-most="490"' in sheet


@pytest.mark.parametrize(
    ("least", "most", "step", "expected"),
    [(80, 490, 1, [80, 85, 130, 490]), (80, 84, 1, [80, 84]), (42, 490, 4, [44, 84, 128, 488])],
)
def test_quick_amounts_are_allowed_ones_and_none_is_there_twice(
    least, most, step, expected, evening
):
    evening.open(GALAXY)
    evening.do(LayArray(), Stand(2), Stand(1), Check(2), Bet(1, 40))
    ask = AskView("to", "number", "To", (), least, most, step)
    found = [quick.amount for quick in quick_raises(evening.table, 2, ask)]
    assert found[1:] == expected[1:]
    assert all(least <= amount <= most for amount in found)
    assert len(set(found)) == len(found)


def test_nobody_is_offered_a_raise_that_cannot_be_answered(evening, rook, nova):
    evening.open(GALAXY, credits=(60, 500))
    evening.do(LayArray(), Stand(2), Stand(1), Check(2), AllIn(1))
    assert 'id="raise"' not in page(rook, "/play")
    assert "cannot raise just now" in page(rook, "/play/raise")


def test_the_station_acts_for_whoever_is_on_turn(evening, dealer, post):
    evening.open(GALAXY)
    evening.do(LayArray(), Stand(2), Stand(1))
    assert "<b>Check</b><small>for Rook</small>" in page(dealer, "/dealer")
    evening.do(Bet(2, 20))
    assert "<b>Nova is to act</b>" in page(dealer, "/dealer")
    assert 'name="ask-to"' in page(dealer, "/dealer/raise")
    form = {"kind": "raise_bet", "fields": '{"seat": 1}', "ask-to": "60"}
    assert post(dealer, "/dealer/act", **form).status_code == 200
    assert evening.view().turn.bets.to_call == 40


def test_fold_and_all_in_ask_twice(evening, rook):
    evening.open(GALAXY)
    evening.do(LayArray(), Stand(2), Stand(1))
    text = page(rook, "/play")
    for kind in ("fold", "all_in"):
        assert re.search(rf'<details class="sure [^"]*" id="sure-{kind}-\d+">', text)
        assert text.count(f'name="kind" value="{kind}"') == 1


def test_a_call_that_takes_everything_asks_twice_too(evening, nova):
    evening.open(GALAXY, credits=(30, 500))
    evening.do(LayArray(), Stand(2), Stand(1), Bet(2, 100))
    text = page(nova, "/play")
    assert re.search(r'<details class="sure call-all" id="sure-call_bet-\d+">', text)
    assert 'id="call"' not in text


def test_side_pots_are_shown_with_those_who_can_win_them(services, evening, app, post):
    client = app.test_client()
    form = {"token": services.tokens.issue(), "seat": "3", "name": "Dusty", "colour": "lime"}
    assert post(client, "/join", script=False, **form).status_code == 303
    evening.open(GALAXY, credits=(500, 500, 60))
    evening.do(LayArray(), Stand(2), Stand(3), Stand(1))
    evening.do(Bet(2, 20), AllIn(3), RaiseBet(1, 120), CallBet(2))
    pots = evening.view().pots
    assert [(pot.amount, sorted(s.number for s in pot.seats)) for pot in pots] == [
        (15 + 150, [1, 2, 3]),
        (140, [1, 2]),
    ]
    assert sum(pot.amount for pot in pots) == evening.table.balance("hand_pot")


# Cards, places, dice


def test_the_array_has_prices_and_buttons_for_the_seat_on_turn_only(evening, nova, rook):
    evening.open(GALAXY, chip=10)
    evening.do(LayArray("+5s"))
    place, empty, _ = evening.view().array
    assert (place.price, place.card.value, place.card.suit) == (10, "+5", "square")
    assert not empty.laid
    assert page(rook, "/play").count('<button class="button">Buy</button>') == 1
    assert "Buy</button>" not in page(nova, "/play")
    evening.do(BuyArray(2, 1))
    assert evening.view().array[0].card is None  # its successor is not named yet
    assert [line.held for line in evening.view().seats] == [3, 2]


def test_a_card_of_the_array_is_named_on_the_grid(evening, dealer, post):
    evening.open(GALAXY)
    evening.do(LayArray("+5s"))
    assert 'name="picks" value="card"' in page(dealer, "/dealer/array/1")
    form = {"kind": "name_array_card", "fields": '{"place": 1}', "picks": "card", "card": "-3t"}
    assert post(dealer, "/dealer/act", **form).status_code == 200
    assert evening.play.array == ("-3t",)
    assert dealer.get("/dealer/array/2").status_code == 404


def test_a_purchase_carries_the_place_the_button_names(evening, rook, post):
    evening.open(YARITH)
    evening.pass_round()
    evening.do(LaySpikes())
    buttons = evening.phone(2).turn.buttons
    assert [(b.asks["place"], b.credits) for b in buttons] == [
        ("hand", 2),
        ("spike", 2),
        ("drop", 2),
    ]
    form = {"kind": "buy_card", "fields": buttons[1].offer.fields, "ask-place": "spike"}
    assert post(rook, "/play/act", **form).status_code == 200
    assert "the new spike card" in page(rook, "/play")


@pytest.mark.parametrize(
    ("game", "throw", "words"),
    [
        (GALAXY, MATCH, "Sabacc Shift"),
        (GALAXY, DIFFER, None),
        (YARITH, MATCH, "The dice match"),
        (YARITH, TWO_SPIKES, "Two Spikes"),
        (YARITH, DIFFER, None),
    ],
)
def test_matching_dice_are_announced_everywhere_until_the_next_bets(
    game, throw, words, evening, nova, viewer, dealer
):
    evening.open(game)
    if game == GALAXY:
        for _ in range(2):
            evening.do(LayArray())
            evening.pass_round()
    else:
        evening.pass_round()
        evening.do(LaySpikes())
        evening.pass_round()
    assert evening.view().banner is None
    evening.do(throw)
    shown = [
        'id="banner"' in page(client, path)
        for client, path in ((nova, "/play"), (viewer, "/display"), (dealer, "/dealer"))
    ]
    assert shown == [words is not None] * 3
    if words:
        assert words in evening.view().banner.text
    if game == GALAXY:
        evening.do(LayArray())
    while evening.play.to_act:
        evening.do(Stand(on_turn(evening.play)))
    assert evening.view().banner is None


def test_the_rail_follows_a_hand_of_galaxy_series(evening):
    evening.open(GALAXY)
    seen = [*now(evening.view().rail)]
    for throw in ((), (), (DIFFER,)):
        if throw:
            seen += now(evening.view().rail)
        evening.do(*throw, LayArray())
        seen += now(evening.view().rail)
        evening.pass_round()
    seen += now(evening.view().rail)
    assert seen == ["1:Draw", "1:Cards", "2:Cards", "3:Dice", "3:Cards", "0:Show"]


def test_the_rail_follows_a_hand_of_yarith_bespin(evening):
    evening.open(YARITH)
    seen = [*now(evening.view().rail)]
    evening.pass_round()
    seen += now(evening.view().rail)
    evening.do(LaySpikes())
    for _ in range(3):
        seen += now(evening.view().rail)
        evening.pass_round()
        seen += now(evening.view().rail)
        evening.do(DIFFER)
    seen += now(evening.view().rail)
    assert seen == [
        "1:Bets", "2:Spike", "2:Buy", "2:Dice", "3:Buy", "3:Dice", "4:Buy", "4:Dice", "0:Show",
    ]  # fmt: skip


def test_dealer_and_first_player_are_marked(evening):
    evening.open(GALAXY)
    marks = {s.seat.number: (s.dealer, s.first) for s in evening.view().seats}
    assert marks == {1: (True, False), 2: (False, True)}


CHIPS = {
    "fives": ((("Bronzium", 5), ("Argentium", 25)), 5),
    "ones": ((("Wood", 1), ("Bronzium", 5)), 1),
    "twos": ((("Two", 2),), 2),
    "none": ((), 1),
    "too large": ((("Ingot", 5000),), 1),
}


@pytest.mark.parametrize(("chips", "stakes"), CHIPS.values(), ids=CHIPS)
def test_stakes_are_proposed_that_the_tables_chips_can_pay(chips, stakes, evening):
    game = evening.services.service.snapshot().history.engine.games[YARITH]
    shown = {t.name: t for t in game_view(game, evening.table, chips).toggles}["stakes"]
    assert (shown.value, shown.default, shown.note is None) == (stakes, 1, stakes == 1)


def test_the_stakes_a_table_plays_for_are_shown_as_they_are(evening, dealer):
    assert 'name="option-stakes" value="5"' in page(dealer, "/dealer/game")
    evening.do(ChooseGame(YARITH, {"stakes": 3}))
    assert 'name="option-stakes" value="3"' in page(dealer, "/dealer/game")
