"""The pages of Galaxy Series and Yarith Bespin: what may be done, what is shown, to whom."""

from __future__ import annotations

import re

import pytest

from companion.auth import Actor, Role
from companion.rules.actions import BuyIn, ChooseGame, RecordRoll
from companion.rules.betting import AllIn, Bet, CallBet, Check, Fold, RaiseBet
from companion.rules.card_actions import (
    BlindDraw,
    DealCards,
    EnterHand,
    KeepHidden,
    OpenHand,
    RevealHands,
    Stand,
)
from companion.rules.card_state import Phase, on_turn
from companion.rules.dice import Roll
from companion.rules.galaxy_series import BuyArray, LayArray, NameArrayCard
from companion.rules.yarith_bespin import LaySpikes
from companion.web.presenters import galaxy_series, yarith_bespin
from companion.web.presenters.card_bets import quick_raises
from companion.web.presenters.card_table import my_view, view
from companion.web.presenters.cards import deck
from companion.web.presenters.offers import AskView
from companion.web.text import cards as written

DEALER = Actor(Role.DEALER, None, "dealer")
GALAXY, YARITH = "galaxy_series", "yarith_bespin"
KINDS = {GALAXY: galaxy_series.KIND, YARITH: yarith_bespin.KIND}
MATCH, DIFFER = RecordRoll(Roll.of(["sun", "sun"])), RecordRoll(Roll.of(["sun", "eye"]))
TWO_SPIKES = RecordRoll(Roll.of(["spike", "spike"]))


class Evening:
    """A table of two seats, played by the dealer."""

    def __init__(self, services):
        self.services = services

    def do(self, *actions):
        for action in actions:
            self.services.service.submit(action, DEALER)

    @property
    def table(self):
        return self.services.service.snapshot().table

    @property
    def play(self):
        return self.table.play

    def open(self, game, *, credits=(500, 500), **options):
        for seat, amount in enumerate(credits, 1):
            self.do(BuyIn(seat, amount))
        self.do(ChooseGame(game, options), OpenHand(), DealCards())

    def pass_round(self):
        """Everyone stands, then checks."""
        while self.play.to_act:
            self.do(Stand(on_turn(self.play)))
        while self.play.phase is Phase.BETTING:
            self.do(Check(on_turn(self.play)))

    def to_showdown(self, game, throw=DIFFER, **options):
        self.open(game, **options)
        if game == GALAXY:
            for before in ((), (), (throw,)):
                self.do(*before, LayArray())
                self.pass_round()
        else:
            self.pass_round()
            self.do(LaySpikes())
            for _ in range(3):
                self.pass_round()
                self.do(throw)

    def view(self, seat=None):
        return view(KINDS[self.table.game], self.table, seat)

    def phone(self, seat):
        game = self.services.service.snapshot().history.engine.game(self.table)
        return my_view(KINDS[game.key], self.table, seat, game.legal_actions(self.table, seat))


@pytest.fixture
def evening(services, nova, rook):
    return Evening(services)


def page(client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.get_data(as_text=True)


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


# The showdown


def test_the_grid_has_every_card_and_greys_only_what_lies_open(evening):
    evening.open(GALAXY)
    evening.do(LayArray("+5s"), Stand(2), Stand(1), Check(2), Check(1), LayArray("0"))
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
