"""Galaxy Series: the hand from antes to pots, the Array, the shift, every way it ends."""

from dataclasses import replace

import pytest

from companion.rules.actions import (
    BuyIn,
    CashOut,
    CorrectRoll,
    EndGame,
    JoinSeat,
    LeaveSeat,
    SitOut,
    Undo,
)
from companion.rules.betting import AllIn, Bet, CallBet, Check, Fold
from companion.rules.card_actions import (
    BlindDraw,
    DealCards,
    EnterHand,
    KeepHidden,
    Muck,
    OpenHand,
    RevealHands,
    Stand,
    VoidHand,
)
from companion.rules.card_state import End, Phase, Piles, behind, on_turn, visible
from companion.rules.galaxy_series import (
    BuyArray,
    DiscardGain,
    Gain,
    LayArray,
    NameArrayCard,
    SwapArray,
)
from companion.rules.transfers import HAND_POT, SABACC_POT
from tests.rules.card_play import (
    DIFFER,
    ENGINE,
    MATCH,
    checked,
    code,
    credits,
    pushed,
    seated,
    stood,
)


def in_cards(*stakes, **options):
    """A hand whose first Array card is laid; the first seat is to act."""
    history = seated("galaxy_series", *(stakes or (500, 500, 500)), **options)
    return pushed(history, OpenHand(), DealCards(), LayArray())


def at_dice(*stakes, **options):
    history = checked(stood(in_cards(*stakes, **options)))
    return checked(stood(pushed(history, LayArray())))


def at_showdown(*stakes, **options):
    history = pushed(at_dice(*stakes, **options), DIFFER, LayArray())
    return checked(stood(history))


def shown(history, **hands):
    entries = [EnterHand(int(seat[1:]), cards) for seat, cards in hands.items()]
    return pushed(history, *entries, RevealHands())


def ended(history):
    return ENGINE.game(history.table).ended(history.table)


def test_the_phases_of_a_hand():
    history = seated("galaxy_series", 500, 500)
    seen = []

    def step(*actions):
        nonlocal history
        history = pushed(history, *actions)
        seen.append(str(history.table.play.phase))

    step(OpenHand())
    step(DealCards())
    for round_no in (1, 2, 3):
        if round_no == 3:
            step(DIFFER)
        step(LayArray())
        step(Stand(2), Stand(1))
        step(Check(2), Check(1))
    assert seen == [
        *("deal", "array", "cards", "betting", "array", "cards", "betting", "dice"),
        *("array", "cards", "betting", "showdown"),
    ]


def test_antes_go_to_both_pots_and_the_seat_left_of_the_dealer_begins():
    history = pushed(seated("galaxy_series", 500, 500, 500, ante=7, sabacc_ante=2), OpenHand())
    assert credits(history) == [491, 491, 491]
    assert history.table.balance(HAND_POT) == 21
    assert history.table.balance(SABACC_POT) == 6
    history = pushed(history, DealCards(), LayArray())
    assert (history.table.play.button, on_turn(history.table.play)) == (1, 2)
    assert code(history, Stand(1)) == "not_your_turn"


def test_dealer_and_first_player_move_left_but_not_after_a_void_hand():
    history = seated("galaxy_series", 500, 500, 500)
    buttons = []
    for close in ("fold", "void", "fold", "fold", "fold"):
        history = pushed(history, OpenHand())
        buttons.append(history.table.play.button)
        if close == "void":
            history = pushed(history, VoidHand())
            continue
        history = stood(pushed(history, DealCards(), LayArray()))
        for _ in range(2):
            history = pushed(history, Fold(on_turn(history.table.play)))
        last = history.table.play.button
        history = pushed(history, KeepHidden(last))
    assert buttons == [1, 2, 2, 3, 1]


def test_a_seat_that_sits_out_or_cannot_pay_the_antes_is_not_dealt_in():
    history = pushed(seated("galaxy_series", 500, 9, 500, 500), SitOut(3), OpenHand())
    assert [stack.seat for stack in history.table.play.stacks] == [4, 1]
    assert code(seated("galaxy_series", 500, 9), OpenHand()) == "too_few_players"


def test_seats_in_the_hand_may_not_leave_others_may():
    history = pushed(seated("galaxy_series", 500, 500, 5), OpenHand())
    assert code(history, LeaveSeat(1)) == "in_play"
    assert code(history, CashOut(1, 10)) == "in_play"
    assert code(history, LeaveSeat(3)) is None
    assert code(pushed(history, JoinSeat(4, "Late")), Fold(4)) == "not_now"


def test_credits_bought_during_a_hand_do_not_play_in_it():
    history = pushed(stood(in_cards(30, 500)), BuyIn(1, 400))
    assert behind(history.table.play, 1) == 20
    history = pushed(history, Bet(2, 100), CallBet(1))
    assert credits(history) == [400, 470]


def test_array_prices_and_shifts():
    history = checked(stood(pushed(in_cards(), NameArrayCard(1, "+1c"))))
    history = checked(stood(pushed(history, LayArray("+2c"))))
    history = pushed(history, DIFFER, LayArray("+3c"))
    assert history.table.play.array == ("+3c", "+2c", "+1c")
    bought = pushed(history, BuyArray(2, 2))
    assert bought.table.play.array == ("", "+3c", "+1c")  # only the cards nearer the deck move
    assert (bought.table.credits(2), bought.table.play.held[2]) == (480, 3)
    swapped = pushed(history, SwapArray(2, 3))
    assert swapped.table.play.array == ("", "+3c", "+2c")
    assert (swapped.table.credits(2), swapped.table.play.held[2]) == (475, 2)
    assert swapped.table.balance(HAND_POT) == 15 + 15
    drawn = pushed(history, Gain(2))
    assert drawn.table.play.array == history.table.play.array
    assert code(history, BuyArray(2, 4)) == "no_such_place"
    assert code(in_cards(), BuyArray(2, 2)) == "no_such_place"


def test_the_array_is_offered_with_its_prices_as_far_as_the_seat_can_pay():
    history = pushed(at_dice(500, 500, 23), DIFFER, LayArray(), Stand(2))
    offers = ENGINE.legal_actions(history.table, 3)
    assert [offer.label for offer in offers if offer.kind == "buy_array"] == [
        "Buy Pilot: 1 chip",
        "Buy Wing: 2 chips",
    ]
    assert sum(offer.kind == "swap_array" for offer in offers) == 2


def test_a_swapped_card_may_fill_the_slot():
    history = pushed(in_cards(swap_to="slot"), NameArrayCard(1, "+1c"))
    before = history.table.play.piles
    history = pushed(history, SwapArray(2, 1))
    assert history.table.play.array == ("",)
    assert history.table.play.piles == before


def test_the_array_may_pay_the_sabacc_pot():
    history = pushed(in_cards(array_pays="sabacc_pot", chip=8), BuyArray(2, 1))
    assert history.table.balance(SABACC_POT) == 15 + 8
    assert credits(pushed(history, VoidHand())) == [500, 500, 500]


def test_a_card_costs_at_most_what_the_seat_has_left():
    history = in_cards(500, 14)
    assert code(history, BuyArray(2, 1)) == "not_enough"
    assert code(history, SwapArray(2, 1)) == "not_enough"
    kinds = {offer.kind for offer in ENGINE.legal_actions(history.table, 2)}
    assert kinds == {"gain", "discard_gain", "stand"}
    assert code(in_cards(500, 15), BuyArray(2, 1)) is None


def test_discards_are_drawn_only_where_the_house_allows_it():
    assert code(in_cards(), Gain(2, True)) == "no_discards"
    assert code(in_cards(), DiscardGain(2, True)) == "no_discards"
    history = in_cards(draw_discards=True)
    assert history.table.play.piles == Piles(deck=62 - 6 - 1 - 1, discards=1)
    taken = pushed(history, Gain(2, True))
    assert taken.table.play.piles == Piles(deck=54, discards=0)
    assert code(taken, Gain(3, True)) == "no_discards"
    exchanged = pushed(history, DiscardGain(2, True))
    assert exchanged.table.play.piles == Piles(deck=54, discards=1)


def test_a_hand_has_at_most_five_cards():
    history = in_cards()
    full = replace(history.table, play=replace(history.table.play, held={1: 5, 2: 5, 3: 5}))
    for action in (Gain(2), BuyArray(2, 1)):
        assert ENGINE.why_not(full, action).code == "hand_full"
    assert ENGINE.why_not(full, SwapArray(2, 1)) is None


def test_the_discards_are_shuffled_in_when_the_deck_runs_out():
    assert Piles(2, 10).draw(5) == Piles(7, 0, 1)
    history = at_dice(*[500] * 8)
    play = replace(history.table.play, piles=Piles(10, 34))
    step = ENGINE.game(history.table).apply(replace(history.table, play=play), MATCH)
    assert step.play.piles == Piles(10 + 34 + 16 - 16, 0, 1)
    assert any("shuffle" in line.text for line in step.lines)


def test_equal_dice_shift_every_hand_and_unequal_ones_none():
    history = at_dice()
    assert ENGINE.expects(history.table) == {"spike": 2}
    before = history.table.play.piles
    shifted = pushed(history, MATCH).table.play
    assert (shifted.piles.discards, shifted.piles.deck) == (before.discards + 6, before.deck - 6)
    assert shifted.phase is Phase.ARRAY
    assert pushed(history, DIFFER).table.play.piles == before


def test_a_corrected_roll_takes_a_shift_back_and_the_rest_replays():
    history = at_dice()
    roll_no = history.version + 1
    shifted = checked(stood(pushed(history, MATCH, LayArray())))
    shifted = shown(shifted, s1="0 0", s2="+1c -1c", s3="+2c +3c")
    straight = checked(stood(pushed(history, DIFFER, LayArray())))
    straight = shown(straight, s1="0 0", s2="+1c -1c", s3="+2c +3c")
    fixed = pushed(shifted, CorrectRoll(roll_no, DIFFER.roll))
    assert fixed.table == straight.table
    assert pushed(fixed, Undo(shifted.version)).table == shifted.table


def test_the_best_zero_takes_both_pots():
    history = shown(at_showdown(), s1="+1c -1c", s2="0 0", s3="+2c +3c")
    assert credits(history) == [490, 520, 490]
    assert (ended(history), history.table.balance(SABACC_POT)) == (End.BOTH_POTS, 0)
    assert [laid.name for laid in history.table.play.outcome.shown] == [
        "Pure Sabacc",
        "Nulrhek",
        "Sabacc Pair",
    ]


def test_without_a_zero_the_sabacc_pot_carries_over():
    history = shown(at_showdown(), s1="+1c -2c", s2="+4c -6c", s3="+2c +3c")
    assert credits(history) == [505, 490, 490]
    assert (ended(history), history.table.balance(SABACC_POT)) == (End.HAND_POT, 15)
    history = pushed(history, OpenHand())
    assert history.table.balance(SABACC_POT) == 30


def test_a_full_tie_splits_and_odd_credits_go_left_of_the_dealer():
    history = at_showdown(500, 500, 500, ante=5, sabacc_ante=1)
    history = shown(history, s1="+7c -7t", s2="+1c +2c", s3="+7t -7s")
    assert credits(history) == [494 + 7 + 1, 494, 494 + 8 + 2]  # 15 and 3 by two, seat 3 first
    assert ended(history) is End.SPLIT


def test_a_full_tie_may_be_drawn_for():
    history = at_showdown(ties="blind_draw")
    history = shown(history, s1="+7c -7t", s2="+1c +2c", s3="+7t -7s")
    assert history.table.play.phase is Phase.BLIND_DRAW
    assert all(visible(history.table.play, None).values())  # they have been revealed
    assert code(history, BlindDraw(2, "+1s")) == "not_drawing"
    assert code(history, BlindDraw(1, "+7c")) == "card_twice"
    assert code(history, BlindDraw(1, "+7c -1c")) == "wrong_count"
    history = pushed(history, BlindDraw(1, "+4c"), BlindDraw(3, "+4t"))
    assert history.table.play.phase is Phase.BLIND_DRAW  # equal: again
    assert code(history, BlindDraw(1, "+4t")) == "card_twice"
    history = pushed(history, BlindDraw(3, "-4c"))
    assert code(history, BlindDraw(3, "0")) == "not_drawing"
    history = pushed(history, BlindDraw(1, "+4s"))
    assert credits(history) == [520, 490, 490]
    assert ended(history) is End.BLIND_DRAW


def test_side_pots_have_their_own_winners_and_the_main_winner_takes_the_sabacc_pot():
    history = stood(in_cards(30, 60, 500))  # antes 10 each
    history = pushed(history, Bet(2, 50), CallBet(3), CallBet(1))
    history = stood(pushed(history, LayArray()))
    history = stood(pushed(history, DIFFER, LayArray()))
    assert history.table.play.phase is Phase.SHOWDOWN
    history = shown(history, s1="0 0", s2="+2c -2t", s3="+3c +5t")
    # main pot 15 antes and 3 x 20, side pot 2 x 30, Sabacc pot 15
    assert credits(history) == [75 + 15, 60, 440]
    assert ended(history) is End.SIDE_POTS


def test_what_nobody_called_goes_back_before_the_showdown():
    history = stood(in_cards(500, 40))
    history = pushed(history, Check(2), Bet(1, 100), CallBet(2))
    assert credits(history) == [460, 0]
    assert history.table.balance(HAND_POT) == 10 + 60


def test_the_last_seat_takes_the_hand_pot_unseen():
    history = pushed(stood(in_cards()), Bet(2, 20), Fold(3), Fold(1))
    assert history.table.play.phase is Phase.LAST_SEAT
    assert code(history, KeepHidden(3)) == "not_in_hand"
    assert code(history, RevealHands()) == "hands_missing"
    history = pushed(history, KeepHidden(2))
    assert credits(history) == [490, 505, 490]
    assert (ended(history), history.table.balance(SABACC_POT)) == (End.UNSHOWN, 15)


@pytest.mark.parametrize(
    ("cards", "end", "sabacc"), [("+1c -1t", End.SHOWN_SABACC, 0), ("+1c -2t", End.SHOWN, 15)]
)
def test_the_last_seat_takes_the_sabacc_pot_only_by_showing_zero(cards, end, sabacc):
    history = pushed(stood(in_cards()), Fold(2), Fold(3))
    history = shown(history, s1=cards)
    assert (ended(history), history.table.balance(SABACC_POT)) == (end, sabacc)
    assert credits(history) == [490 + 15 + 15 - sabacc, 490, 490]


def test_a_seat_may_give_up_at_the_showdown():
    history = pushed(at_showdown(), EnterHand(1, "0 0"), Muck(1))
    assert visible(history.table.play, 1) == {}
    history = shown(history, s2="+1c -2c", s3="+5c +6c")
    assert credits(history) == [490, 505, 490]
    history = pushed(at_showdown(), Muck(1), Muck(3))
    assert history.table.play.phase is Phase.LAST_SEAT


def test_void_gives_everything_back():
    history = pushed(in_cards(), BuyArray(2, 1), Stand(3), Stand(1), Bet(2, 30), CallBet(3))
    history = pushed(history, VoidHand())
    assert credits(history) == [500, 500, 500]
    assert history.table.accounts.keys() == {"house", "seat:1", "seat:2", "seat:3"}
    assert ended(history) is End.VOID


def test_entered_hands_are_hidden_until_they_are_revealed():
    history = pushed(at_showdown(), EnterHand(1, "+1c -1c"), EnterHand(2, "0 0"))
    play = history.table.play
    assert visible(play, None) == {1: None, 2: None}
    assert {s: bool(h) for s, h in visible(play, 1).items()} == {1: True, 2: False}
    _, _, lines = history.push(EnterHand(3, "+9c -8c"))
    assert not any("9c" in str(line) for line in lines)
    history = shown(history, s3="+9c -8c")
    assert all(visible(history.table.play, None).values())


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("+1c -1x", "bad_card"),
        ("+1c", "wrong_count"),
        ("+1c -1c 0", "wrong_count"),
        ("+2c +2c", "card_twice"),
        ("+7c -1c", None),  # seat 1 has the +7c, which nobody may learn before the reveal
        ("0 0", None),  # and a Sylop
        ("+5s -1c", "card_twice"),  # which lies in the Array
        ("+7t -7t", None),
    ],
)
def test_impossible_cards_are_refused(cards, expected):
    history = pushed(at_showdown(), EnterHand(1, "+7c 0"), NameArrayCard(2, "+5s"))
    assert code(history, EnterHand(2, cards)) == expected


@pytest.mark.parametrize(
    ("second", "third", "sentence"),
    [
        ("+7c -1c", "+2c -2c", "Seats 1 and 2 have entered the same card; check both hands."),
        ("0 +1c", "0 -1c", "The entered hands hold more of a card than the deck has; check"),
    ],
)
def test_hands_that_cannot_all_be_right_are_not_revealed(second, third, sentence):
    history = pushed(at_showdown(), EnterHand(1, "+7c 0"))
    assert code(history, EnterHand(2, second)) is None
    history = pushed(history, EnterHand(2, second))
    history = pushed(history, EnterHand(3, third))
    refusal = history.why_not(RevealHands())
    assert refusal.code == "hands_clash"
    assert refusal.sentence.startswith(sentence)
    assert not any(
        offer.kind == "reveal_hands" for offer in ENGINE.legal_actions(history.table, None)
    )
    corrected = pushed(history, EnterHand(1, "+10t -10t"))
    assert code(corrected, RevealHands()) is None


def test_naming_an_array_card_tells_no_hidden_hand():
    history = pushed(at_showdown(500, 500), EnterHand(1, "+7c 0"), EnterHand(2, "+2c -2c"))
    assert code(history, NameArrayCard(1, "+7c")) is None
    refusal = pushed(history, NameArrayCard(1, "+7c")).why_not(RevealHands())
    assert refusal.code == "hands_clash"
    assert refusal.sentence == "Seat 1 has entered a card that lies open in the Array; check both."


def test_entering_again_replaces_until_the_reveal():
    history = pushed(at_showdown(500, 500), EnterHand(1, "+7c 0"), EnterHand(1, "+7c -7c"))
    assert history.table.play.hands[1] != history.table.play.hands.get(2)
    history = shown(history, s2="0 +3c")
    assert credits(history) == [510, 490]
    assert code(history, EnterHand(1, "0 0")) == "not_now"


def test_an_array_card_is_named_once():
    history = pushed(in_cards(), NameArrayCard(1, "+5s"))
    assert code(history, NameArrayCard(1, "+5s")) is None
    assert code(history, NameArrayCard(2, "+5c")) == "no_such_place"
    assert code(history, NameArrayCard(1, "+5s +5c")) == "wrong_count"
    later = checked(stood(history))
    assert code(later, LayArray("+5s")) == "card_twice"


def test_all_in_seats_still_change_cards_and_are_asked_for_no_bets():
    history = pushed(stood(in_cards(20, 20)), AllIn(2), CallBet(1), LayArray())
    assert history.table.play.phase is Phase.CARDS
    history = pushed(history, Gain(2), DiscardGain(1))
    assert history.table.play.phase is Phase.DICE


def test_the_game_ends_only_between_hands():
    history = in_cards()
    assert code(history, EndGame()) == "not_now"
    history = pushed(history, VoidHand(), EndGame())
    assert history.table.game is None
