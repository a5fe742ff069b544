"""The showdown on the pages: entering hands, the ranking, what is paid."""

from __future__ import annotations

import re

import pytest

from companion.rules.betting import Bet, Fold
from companion.rules.card_actions import (
    BlindDraw,
    EnterHand,
    KeepHidden,
    RevealHands,
    Stand,
    VoidHand,
)
from companion.rules.galaxy_series import LayArray, NameArrayCard
from companion.web.presenters.cards import deck
from companion.web.text import cards as written
from tests.web.card_evening import (
    DEALER,
    GALAXY,
    KINDS,
    YARITH,
    page,
)


def test_the_grid_has_every_card_once_and_two_sylops():
    found = deck(())
    cells = [cell for block in found.blocks for cell in block.cells]
    assert (len(cells), len(found.sylops)) == (60, 2)
    assert len({cell.name for cell in (*cells, *found.sylops)}) == 62
    assert all(cell.free for cell in cells)


def greyed(text: str) -> list[str]:
    return re.findall(r'name="card" value="([^"]+)"[^>]* disabled', text)


def test_open_cards_are_greyed_hidden_ones_are_not(evening, rook, dealer):
    evening.to_showdown(GALAXY)
    evening.do(NameArrayCard(1, "+5s"), NameArrayCard(2, "0"), EnterHand(1, "+7c -7t"))
    for client, path in ((rook, "/play/hand"), (dealer, "/dealer/hand/2")):
        assert greyed(page(client, path)) == ["+5s", "0"]
    assert greyed(page(dealer, "/dealer/array/1")) == ["0"]


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("", ("0", "")),
        ("+7c", ("+7", "")),
        ("+7c -7t", ("0", "Sabacc Pair")),
        ("+7c -5t", ("+2", "Nulrhek")),
        ("0 0", ("0", "Pure Sabacc")),
        ("+7c +7c", ("+14", "")),
        ("+7c -7t +1s", ("+1", "")),
    ],
)
def test_the_hand_is_named_while_it_is_entered(cards, expected, evening, rook, dealer):
    evening.to_showdown(GALAXY)
    for client, path in ((rook, "/play/hand/name"), (dealer, "/dealer/hand/2/name")):
        found = client.get(path, query_string={"cards": cards}).get_json()
        assert (found["total"], found["name"]) == expected


def test_a_word_that_is_no_card_is_refused_in_words(evening, rook):
    evening.to_showdown(GALAXY)
    answer = rook.get("/play/hand/name?cards=joker", headers={"Accept": "application/json"})
    assert answer.status_code == 400
    assert "is no card" in answer.get_json()["sentence"]


@pytest.mark.parametrize(("game", "count"), [(GALAXY, 2), (YARITH, 3)])
def test_a_phone_enters_its_hand_card_by_card_in_its_order(game, count, evening, rook, post):
    evening.to_showdown(game)
    assert f'data-count="{count}"' in page(rook, "/play/hand")
    picked = ["-7t", "+7c", "0"][:count]
    form = {"kind": "enter_hand", "fields": '{"seat": 2}', "picks": "cards", "card": picked}
    assert post(rook, "/play/act", **form).status_code == 200
    assert [str(card) for card in evening.play.hands[2]] == picked
    own = page(rook, "/play")
    assert "Nobody else sees these before the reveal." in own
    assert 'aria-label="−7 triangle"' in own


def test_two_phones_enter_their_hands_from_pages_of_the_same_moment(evening, nova, rook, post):
    evening.to_showdown(GALAXY)
    version = str(evening.services.service.version)
    for client, seat, cards in ((nova, 1, ["+1c", "-1c"]), (rook, 2, ["0", "0"])):
        form = {"kind": "enter_hand", "fields": f'{{"seat": {seat}}}', "picks": "cards"}
        sent = post(client, "/play/act", expected_version=version, card=cards, **form)
        assert sent.status_code == 200
    assert set(evening.play.hands) == {1, 2}


@pytest.mark.parametrize("game", [GALAXY, YARITH])
def test_house_rules_change_between_hands_only(game, evening, dealer, post):
    evening.open(game)
    assert "Play</button>" not in page(dealer, "/dealer/game")
    assert post(dealer, "/dealer/choose", game=game).status_code == 422
    evening.services.service.submit(VoidHand(), DEALER)
    sheet = page(dealer, "/dealer/game")
    assert sheet.count("Play</button>") == 5
    for toggle in KINDS[game].game.toggles:
        assert f'name="option-{toggle.name}"' in sheet
        assert toggle.meaning in sheet.replace("&#39;", "'")


def test_nothing_is_entered_before_the_showdown(evening, rook, dealer):
    evening.open(GALAXY)
    for client, path in ((rook, "/play/hand"), (dealer, "/dealer/hand/2")):
        assert "No cards are entered just now." in page(client, path)


def test_the_station_says_when_hands_clash_and_offers_no_reveal(evening, dealer):
    evening.to_showdown(GALAXY)
    evening.do(EnterHand(1, "+7c -7t"), EnterHand(2, "+7c -1t"))
    text = page(dealer, "/dealer")
    assert "Seats 1 and 2 have entered the same card; check both hands." in text
    assert "<b>Check the hands</b>" in text
    assert "+7" not in text.partition('id="holders"')[2].partition("</ul>")[0]


def test_the_ranking_says_who_won_what_and_why(evening, dealer, nova, viewer):
    evening.to_showdown(GALAXY)
    evening.do(EnterHand(1, "+7c -7t"), EnterHand(2, "+9c -8c"), RevealHands())
    for client, path in ((dealer, "/dealer"), (nova, "/play"), (viewer, "/display")):
        text = page(client, path)
        assert "Sabacc! Both pots are won" in text
        assert "Wins: Sabacc Pair beats Nulrhek." in text
        assert text.index('id="shown-1"') < text.index('id="shown-2"')
        assert "+7● −7▲" in text or path == "/display"
    assert "You won 20." in page(nova, "/play")
    assert "<i>5</i>×4" in page(nova, "/play")  # twenty credits as chips
    assert "+20" in page(dealer, "/dealer").partition('id="owed"')[2]


def test_equal_hands_share_their_place_and_the_pot(evening):
    evening.to_showdown(GALAXY)
    evening.do(EnterHand(1, "+7c -7t"), EnterHand(2, "+7t -7s"), RevealHands())
    assert [(row.place, row.won) for row in evening.view().end.shown] == [(1, 10), (1, 10)]


def test_the_last_one_in_may_take_the_pot_unshown(evening, rook, dealer):
    evening.open(GALAXY)
    evening.do(LayArray(), Stand(2), Stand(1), Bet(2, 20), Fold(1))
    assert "You are the last one in" in page(rook, "/play")
    assert 'id="keep"' in page(rook, "/play")
    assert 'id="keep"' in page(dealer, "/dealer")
    evening.do(KeepHidden(2))
    assert "Rook takes 10 unshown." in page(dealer, "/dealer")


def test_tied_hands_draw_a_card_on_the_station(evening, dealer, rook, post):
    evening.to_showdown(YARITH)
    evening.do(EnterHand(1, "+7c -6t +1s"), EnterHand(2, "+7t -6s +1c"), RevealHands())
    assert "A tie: draw a card." in page(rook, "/play")
    text = page(dealer, "/dealer/draw/2")
    assert {"+7c", "-6t", "+1s", "+7t", "-6s", "+1c"} == set(greyed(text))
    form = {"kind": "blind_draw", "fields": '{"seat": 2}', "picks": "card", "card": "+3c"}
    assert post(dealer, "/dealer/act", **form).status_code == 200
    evening.do(BlindDraw(1, "-9c"))
    assert [(row.place, row.seat.number) for row in evening.view().end.shown] == [(1, 2), (2, 1)]


def test_a_payout_names_what_no_chip_is_small_enough_for(evening, dealer):
    evening.to_showdown(YARITH)
    evening.do(EnterHand(1, "+7c -7t 0"), EnterHand(2, "+9c -8c +1s"), RevealHands())
    owed = page(dealer, "/dealer").partition('id="owed"')[2]
    assert "and 1 no chip is small enough for" in owed  # 4 and 2 credits, chips from 5


def test_cards_are_written_with_their_shapes():
    assert written("+7c -10t 0 +1s") == "+7● −10▲ 0 +1■"
