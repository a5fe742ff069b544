"""Yarith Bespin Corellian Spike: four bettings, three purchases, three throws."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from companion.rules.actions import ChooseGame, CorrectRoll, RecordRoll
from companion.rules.betting import AllIn, Bet, CallBet, Check, Fold, RaiseBet
from companion.rules.card_actions import (
    BlindDraw,
    DealCards,
    EnterHand,
    KeepHidden,
    OpenHand,
    RevealHands,
    Stand,
    VoidHand,
)
from companion.rules.card_state import Phase, Piles, on_turn
from companion.rules.dice import Roll, Symbol
from companion.rules.transfers import HAND_POT, SABACC_POT
from companion.rules.yarith_bespin import BuyCard, LaySpikes, Place, SwapSpike, YarithEnd
from tests.rules.card_play import (
    DIFFER,
    ENGINE,
    MATCH,
    TWO_SPIKES,
    checked,
    code,
    credits,
    pushed,
    seated,
    stood,
)


def dealt(*stakes, **options):
    """A hand in its first betting; seat 2 is to act."""
    history = seated("yarith_bespin", *(stakes or (100, 100, 100)), **options)
    return pushed(history, OpenHand(), DealCards())


def buying(*stakes, **options):
    return pushed(checked(dealt(*stakes, **options)), LaySpikes())


def at_dice(*stakes, **options):
    return checked(stood(buying(*stakes, **options)))


def at_showdown(*stakes, **options):
    history = at_dice(*stakes, **options)
    for _ in range(2):
        history = checked(stood(pushed(history, DIFFER)))
    return pushed(history, DIFFER)


def shown(history, **hands):
    entries = [EnterHand(int(seat[1:]), cards) for seat, cards in hands.items()]
    return pushed(history, *entries, RevealHands())


def ended(history):
    return ENGINE.game(history.table).ended(history.table)


def test_four_bettings_three_purchases_three_throws():
    history = seated("yarith_bespin", 100, 100)
    seen = []

    def step(*actions):
        nonlocal history
        history = pushed(history, *actions)
        seen.append(str(history.table.play.phase))

    step(OpenHand())
    step(DealCards())
    step(Check(2), Check(1))
    step(LaySpikes())
    for _ in range(3):
        step(Stand(2), Stand(1))
        step(Check(2), Check(1))
        step(DIFFER)
    assert Counter(seen) == {
        "deal": 1,
        "betting": 4,
        "spikes": 1,
        "buying": 3,
        "dice": 3,
        "showdown": 1,
    }
    assert seen[-2:] == ["dice", "showdown"]


@pytest.mark.parametrize(
    ("options", "hand", "sabacc"),
    [({}, 6, 3), ({"stakes": 5}, 30, 15), ({"sabacc_pot": False}, 3, 0)],
)
def test_antes(options, hand, sabacc):
    history = dealt(**options)
    assert history.table.balance(HAND_POT) == hand
    assert history.table.balance(SABACC_POT) == sabacc


def test_bets_open_at_the_ante_and_rise_in_its_multiples():
    history = dealt()
    assert code(history, Bet(2, 1)) == "too_small"
    assert code(history, Bet(2, 5)) == "not_a_multiple"
    history = pushed(history, Bet(2, 10))
    assert code(history, RaiseBet(3, 12)) is None
    assert code(history, RaiseBet(3, 13)) == "not_a_multiple"
    assert "Junk" in [offer.label for offer in ENGINE.legal_actions(history.table, 3)]


def test_a_bought_card_costs_the_ante_and_ends_the_turn():
    history = pushed(buying(), BuyCard(2, Place.HAND))
    assert (credits(history), on_turn(history.table.play)) == ([97, 95, 97], 3)
    assert history.table.balance(HAND_POT) == 8
    assert history.table.play.piles == Piles(62 - 6 - 3 - 1, 1)
    assert code(history, SwapSpike(3)) == "no_swaps"
    assert code(history, BuyCard(3, Place.DROP, True)) == "no_discards"


def test_the_top_discard_costs_twice_where_it_is_sold():
    history = buying(buy_discard=True)
    assert code(history, BuyCard(2, Place.HAND, True)) == "no_discards"  # there are none yet
    history = pushed(history, BuyCard(2, Place.DROP), BuyCard(3, Place.SPIKE, True))
    assert credits(history) == [97, 95, 93]
    assert history.table.play.piles.discards == 1
    short = pushed(buying(6, 100, buy_discard=True), BuyCard(2, Place.DROP))
    assert code(short, BuyCard(1, Place.HAND, True)) == "not_enough"
    assert code(short, BuyCard(1, Place.HAND)) is None


def test_unlimited_buys_go_on_while_the_seat_can_pay():
    history = buying(100, 8, unlimited_buys=True)
    history = pushed(history, BuyCard(2, Place.DROP), BuyCard(2, Place.HAND))
    assert code(history, BuyCard(2, Place.HAND)) == "not_enough"
    assert on_turn(pushed(history, Stand(2)).table.play) == 1


def test_hand_and_spike_card_may_be_swapped_with_and_without_buying():
    history = pushed(buying(swap_spike=True), SwapSpike(2))
    assert code(history, SwapSpike(2)) == "swapped_already"
    history = pushed(history, BuyCard(2, Place.DROP), SwapSpike(2))
    assert code(history, BuyCard(2, Place.DROP)) == "bought_already"
    assert on_turn(pushed(history, Stand(2)).table.play) == 3


@pytest.mark.parametrize(("roll", "lost"), [(DIFFER, 0), (MATCH, 2), (TWO_SPIKES, 3)])
def test_what_the_dice_cost(roll, lost):
    history = at_dice()
    before = history.table.play.piles
    after = pushed(history, roll).table.play
    assert after.piles == Piles(before.deck - 3 * lost, before.discards + 3 * lost)
    assert (after.phase, after.round_no) == (Phase.BUYING, 3)


def test_chances_of_the_dice_over_all_throws():
    history = at_dice()
    before = history.table.play.piles.deck
    rolls = [RecordRoll(Roll(faces)) for faces in product(Symbol, repeat=2)]
    lost = Counter(before - pushed(history, roll).table.play.piles.deck for roll in rolls)
    assert Fraction(lost[6] + lost[9], 36) == Fraction(1, 6)
    assert Fraction(lost[9], 36) == Fraction(1, 36)


def test_a_corrected_roll_takes_a_match_back_and_the_rest_replays():
    history = at_dice()
    number = history.version + 1
    rest = [BuyCard(2, Place.SPIKE), Stand(3), Stand(1), Bet(2, 4), CallBet(3), Fold(1)]
    matched, straight = pushed(history, MATCH, *rest), pushed(history, DIFFER, *rest)
    assert matched.table != straight.table
    assert pushed(matched, CorrectRoll(number, DIFFER.roll)).table == straight.table


def test_a_correction_that_takes_a_bought_discard_away_is_refused_by_name():
    history = pushed(at_dice(buy_discard=True), MATCH)
    number = history.version
    history = pushed(history, BuyCard(2, Place.HAND, True))
    refusal = history.why_not(CorrectRoll(number, DIFFER.roll))
    assert refusal.code == "later_action"
    assert f"entry {number + 1} (buy card)" in refusal.sentence


def test_a_winning_zero_takes_both_pots():
    history = shown(at_showdown(), s1="+7c -7c 0", s2="+1c +2c +3c", s3="+2t -2c 0")
    assert credits(history) == [97, 97, 106]  # the pair closest to zero
    assert (ended(history), history.table.balance(SABACC_POT)) == (YarithEnd.BOTH_POTS, 0)


@pytest.mark.parametrize(
    ("options", "left", "end"),
    [
        ({}, 3, YarithEnd.HAND_POT),
        ({"idiots_array": "both_pots"}, 0, YarithEnd.BOTH_POTS),
    ],
)
def test_an_idiots_array_leaves_the_sabacc_pot_unless_the_house_says_else(options, left, end):
    history = at_showdown(**options)
    history = shown(history, s1="+7c -7c 0", s2="0 +2c -3c", s3="+5c +5t +5s")
    assert credits(history) == [97, 97 + 6 + 3 - left, 97]
    assert (history.table.balance(SABACC_POT), ended(history)) == (left, end)


def test_without_a_sabacc_pot_a_zero_wins_the_hand_pot_alone():
    history = shown(at_showdown(sabacc_pot=False), s1="+7c -7c 0", s2="+1c +2c +3c", s3="+4c +5c 0")
    assert (credits(history), ended(history)) == ([102, 99, 99], YarithEnd.HAND_POT)


def test_equal_hands_draw_until_one_is_closer():
    history = shown(at_showdown(100, 100), s1="+10c -10t 0", s2="+10t -10c 0")
    assert history.table.play.phase is Phase.BLIND_DRAW
    history = pushed(history, BlindDraw(2, "+4c"), BlindDraw(1, "-4c"))  # positive beats negative
    assert credits(history) == [97, 103]
    assert ended(history) is YarithEnd.BLIND_DRAW


def test_a_hand_has_three_cards_so_nobody_shows_before_the_spike_cards():
    history = pushed(dealt(100, 100), Fold(2))
    assert history.table.play.phase is Phase.LAST_SEAT
    assert code(history, EnterHand(1, "+1c -1c")) == "no_spike_card"
    kinds = [offer.kind for offer in ENGINE.legal_actions(history.table, 1)]
    assert kinds == ["keep_hidden"]
    history = pushed(history, KeepHidden(1))
    assert (credits(history), ended(history)) == ([101, 97], YarithEnd.UNSHOWN)
    assert history.table.balance(SABACC_POT) == 2


@pytest.mark.parametrize(
    ("cards", "end", "sabacc"),
    [("+1c -1t 0", YarithEnd.SHOWN_SABACC, 0), ("0 +2c +3c", YarithEnd.SHOWN, 2)],
)
def test_the_last_seat_may_show_for_the_sabacc_pot(cards, end, sabacc):
    history = pushed(stood(buying(100, 100)), Check(2), Bet(1, 2), Fold(2))
    history = shown(history, s1=cards)
    assert (ended(history), history.table.balance(SABACC_POT)) == (end, sabacc)


def test_side_pots():
    history = pushed(dealt(13, 100, 100), Bet(2, 20), CallBet(3), CallBet(1), LaySpikes())
    for _ in range(3):
        history = pushed(checked(stood(history)), DIFFER)
    history = shown(history, s1="+7c -7c 0", s2="+1c -1c +4c", s3="+5c +1t +4t")
    # main pot 6 antes and 3 x 10, side pot 2 x 10, Sabacc pot 3
    assert credits(history) == [36 + 3, 77 + 20, 77]
    assert ended(history) is YarithEnd.SIDE_POTS


def test_all_in_seats_see_the_dice_without_betting():
    history = pushed(dealt(10, 10), AllIn(2), CallBet(1), LaySpikes())
    assert code(history, BuyCard(2, Place.HAND)) == "not_enough"
    history = pushed(history, Stand(2), Stand(1))
    assert history.table.play.phase is Phase.DICE


def test_void_gives_bought_cards_back_too():
    history = pushed(buying(), BuyCard(2, Place.HAND), VoidHand())
    assert (credits(history), ended(history)) == ([100, 100, 100], YarithEnd.VOID)


def test_the_sabacc_pot_carries_over_to_the_next_game():
    history = shown(at_showdown(100, 100), s1="0 +2c +3c", s2="+5c +5t +5s")
    history = pushed(history, ChooseGame("galaxy_series"), OpenHand())
    assert history.table.balance(SABACC_POT) == 2 + 10
