"""Both card games' rankings: exact counts, a second implementation, every tie-break."""

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb

import pytest

from companion.rules import galaxy_ranks, yarith_ranks
from companion.rules.cards import DECK, CardError, deck_fault, parse, size_fault, written
from companion.rules.showdown import Tie
from tests.rules import ranks_reference as reference

GALAXY = {toggle.name: toggle.default for toggle in galaxy_ranks.TOGGLES}
YARITH = {toggle.name: toggle.default for toggle in yarith_ranks.TOGGLES}

COUNTS = {
    2: {1: 1, 14: 90, 15: 1_800},
    3: {10: 180, 13: 1_170, 15: 36_470},
    4: {5: 18, 7: 90, 8: 1_134, 9: 3_645, 10: 270, 12: 12_906, 15: 539_782},
    5: {
        2: 18,
        3: 18,
        4: 162,
        5: 486,
        6: 486,
        9: 15_714,
        10: 4_086,
        11: 168_426,
        15: 6_281_606,
    },
}


def pairs(cards):
    return [(card.value, card.suit) for card in cards]


def dense(keys, reverse=False):
    """Each key's place among the different ones, the best first."""
    places = {key: place for place, key in enumerate(sorted(set(keys), reverse=reverse))}
    return [places[key] for key in keys]


def galaxy_show(*hands, **toggles):
    return galaxy_ranks.showdown([parse(hand) for hand in hands], GALAXY | toggles)


def yarith_show(*hands, **toggles):
    return yarith_ranks.showdown([parse(hand) for hand in hands], YARITH | toggles)


def test_the_deck_has_62_cards_three_of_each_signed_value_and_two_sylops():
    assert len(DECK) == 62
    assert Counter(card.value for card in DECK) == {
        0: 2,
        **{value: 3 for value in range(-10, 11) if value},
    }
    assert parse(written(DECK)) == DECK


@pytest.mark.parametrize("text", ["7c", "+11c", "+0c", "-0", "0c", "+7", "+7x", "+07c", "−3t"])
def test_a_word_that_is_no_card_is_named(text):
    with pytest.raises(CardError, match="is no card") as caught:
        parse(f"+1c {text}")
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("+7c +7t +7s -7c 0 0", None),
        ("+7c -3t +7c", "card_twice"),
        ("+7c +7t +7s +7c", "fourth_of_value"),
        ("0 0 0", "third_sylop"),
    ],
)
def test_cards_that_one_deck_cannot_hold(text, code):
    fault = deck_fault(parse(text))
    assert (fault.code if fault else None) == code


def test_hand_sizes():
    assert size_fault(parse("+1c"), 2, 5).code == "too_few_cards"
    assert size_fault(parse("+1c +1t +1s 0 0 -1c"), 2, 5).code == "too_many_cards"
    assert size_fault(parse("+1c +1t"), 2, 5) is None


@pytest.mark.parametrize("size", [2, 3, 4, pytest.param(5, marks=pytest.mark.full)])
def test_galaxy_counts_over_every_hand(size):
    hands = combinations(DECK, size)
    assert Counter(galaxy_ranks.rank(hand, GALAXY).rank for hand in hands) == COUNTS[size]


def test_galaxy_five_card_counts_by_sets_of_values():
    """The rank does not hang on suits, so each set of values stands for all its hands."""
    counts = Counter()
    for values in combinations_with_replacement(range(-10, 11), 5):
        alike = Counter(values)
        ways = 1
        for value, count in alike.items():
            ways *= comb(3 if value else 2, count)
        if ways:
            fitting = []
            for value, count in alike.items():
                fitting += [card for card in DECK if card.value == value][:count]
            counts[galaxy_ranks.rank(fitting, GALAXY).rank] += ways
    assert counts == COUNTS[5]


def test_yarith_counts_over_every_hand():
    counts = Counter(yarith_ranks.rank(hand, YARITH).name for hand in combinations(DECK, 3))
    assert counts == {
        "Idiot's Array": 72,
        "Prime Sabacc": 18,
        "Yee-Haa": 162,
        "One Pair": 90,
        "Sabacc": 1_080,
        "Nulrhek": 36_398,
    }
    assert sum(not yarith_ranks.rank(hand, YARITH).total for hand in combinations(DECK, 3)) == 1_350


def sample_of_fives(size, seed):
    """Five-card hands, most of them zero: four at random and the card that balances them."""
    chance = random.Random(seed)
    hands = []
    while len(hands) < size:
        four = chance.sample(DECK, 4)
        wanted = -sum(card.value for card in four)
        fitting = [card for card in DECK if card.value == wanted]
        if fitting:
            hand = (*four, chance.choice(fitting))
            if deck_fault(hand) is None:
                hands.append(hand)
    return hands + [tuple(chance.sample(DECK, 5)) for _ in range(size // 10)]


def zeros(sizes):
    """Every hand whose total is zero: all but the last card, and each that balances them."""
    values = [card.value for card in DECK]
    places = {value: [i for i, at in enumerate(values) if at == value] for value in values}
    return [
        tuple(DECK[place] for place in (*held, last))
        for size in sizes
        for held in combinations(range(len(DECK)), size - 1)
        for last in places.get(-sum(values[place] for place in held), ())
        if last > held[-1]
    ]


@pytest.mark.parametrize("kinds", ["signed", "absolute"])
@pytest.mark.parametrize("pure", ["only_sylops", "both_sylops"])
def test_galaxy_agrees_with_a_second_reading(kinds, pure):
    options = GALAXY | {"kinds": kinds, "pure": pure}
    hands = zeros((2, 3, 4)) + sample_of_fives(8_000, 62) + list(combinations(DECK, 2))
    ours = [galaxy_ranks.rank(hand, options) for hand in hands]
    theirs = [reference.galaxy(pairs(hand), kinds, pure) for hand in hands]
    assert [ranked.rank for ranked in ours] == [other[0] for other in theirs]
    assert dense([ranked.key for ranked in ours], reverse=True) == dense(theirs)


@pytest.mark.full
def test_galaxy_agrees_with_a_second_reading_over_every_zero_five():
    hands = zeros((5,))
    ours = [galaxy_ranks.rank(hand, GALAXY) for hand in hands]
    theirs = [reference.galaxy(pairs(hand)) for hand in hands]
    assert [ranked.rank for ranked in ours] == [other[0] for other in theirs]
    assert dense([ranked.key for ranked in ours], reverse=True) == dense(theirs)


@pytest.mark.parametrize("array", ["hand_pot", "none"])
@pytest.mark.parametrize("cards", ["any_sign", "positive"])
@pytest.mark.parametrize("prime", [True, False])
@pytest.mark.parametrize("pairs", ["closest", "highest"])
def test_yarith_agrees_with_a_second_reading(array, cards, prime, pairs):
    options = YARITH | {"idiots_array": array, "idiots_cards": cards, "prime": prime}
    options["pair_ties"] = pairs
    hands = list(combinations_with_replacement(range(-10, 11), 3))
    possible = [values for values in hands if values.count(0) < 3]
    cards_of = {value: [card for card in DECK if card.value == value] for value in range(-10, 11)}
    ours, theirs = [], []
    for values in possible:
        hand = [cards_of[value][values[:i].count(value)] for i, value in enumerate(values)]
        ours.append(yarith_ranks.rank(hand, options))
        positive = cards == "positive"
        theirs.append(reference.yarith(values, array, positive, prime, pairs == "highest"))
    assert [ranked.rank for ranked in ours] == [other[0] for other in theirs]
    assert dense([ranked.key for ranked in ours], reverse=True) == dense(theirs)


@pytest.mark.parametrize(
    ("winner", "loser", "why"),
    [
        ("+2c +2t +2s -3c -3t", "0 +10c +10t -10c -10t", "Rhylet beats Full Sabacc"),
        ("-2c -2t -2s +3c +3t", "+2c +2t +2s -3c -3t", "highest positive card 3 beats 2"),
        ("0 +4c +4t -4c -4t", "0 +3c +3t -3c -3t", "positive cards of 8 beat 6"),
        ("+1c +1t +1s -1c -2c", "+3c +3t +3s -9c", "5 cards beat 4"),
        ("+3c +3t +3s -9c", "+2c +2t +2s -6c", "positive cards of 9 beat 6"),
        ("-3c -3t -3s +9t", "+3c +3t +3s -9c", "highest positive card 9 beats 3"),
        ("+1c +2c +3c +4c -10c", "-1t -2t -3t -4c +10t", "one suit beats mixed"),
        ("-1t -2t -3t -4t +10t", "+1c +2c +3c +4c -10c", "highest positive card 10 beats 4"),
        ("+5c +5t -5c -5t", "+4c +4t -4c -4t", "positive cards of 10 beat 8"),
        ("+2c -3t -4t +5c", "+1c -2t -3t +4c", "positive cards of 7 beat 5"),
        ("+1c -1c +2c -2t 0", "+9c -9c +10c -10c", "5 cards beat 4"),
        ("+1c -1c +2c -2c", "+9c -9c +10c -10t", "one suit"),
        ("+3c -3t +8c -8t", "+4c -4t +6c -6t", "positive cards of 11 beat 10"),
        ("+1c -1t +10c -10t", "+5c -5t +6c -6t", "highest positive card 10 beats 6"),
        ("+5c -5t 0", "+4c -4t 0", "positive cards of 5 beat 4"),
        ("+1c +2c +7c -10c", "0 +1t +9s -10t", "one suit"),
        ("0 +1t +9c -10t", "+1c +2s +7c -10c", "a Sylop beats none"),
        ("+9c -9t", "+8c -8t", "positive cards of 9 beat 8"),
        ("+9c -8t", "+9t -7t", "1 from zero is closer than 2"),
        ("+9c -8t", "+8c -9t", "a positive total beats a negative one"),
        ("+1c +1t -1c", "+9c -8t", "3 cards beat 2"),
        ("+9c -8t", "+8c -7t", "positive cards of 9 beat 8"),
        ("+9c +1c -9t", "+8c +2c -9s", "highest positive card 9 beats 8"),
    ],
)
def test_galaxy_says_what_decides(winner, loser, why):
    shown = galaxy_show(loser, winner)
    assert shown.winners == (1,)
    assert why in shown.whys[1].english
    assert shown.whys[0].english.startswith("Loses: ")


def test_yee_haa_ends_at_the_positive_total():
    """Two positive cards and one, adding up to the same: equal, for its list has no single card."""
    shown = galaxy_show("0 +2c +2t -4c", "0 +4t -2c -2t")
    assert (shown.winners, shown.tie) == ((0, 1), Tie.SPLIT)
    assert shown.takes_sabacc_pot
    assert galaxy_show("0 +2c +2t -4c", "0 +4t -2c -2t", ties="blind_draw").tie is Tie.BLIND_DRAW


def test_galaxy_toggles_change_the_rank():
    both = "0 0 +3c -3t"
    assert galaxy_show(both).hands[0].name == "Yee-Haa"
    assert galaxy_show(both, pure="both_sylops").hands[0].name == "Pure Sabacc"
    mixed = "+3c +3t -3c -1t -2t"
    assert galaxy_show(mixed).hands[0].name == "5-Card Sabacc"
    assert galaxy_show(mixed, kinds="absolute").hands[0].name == "Banthas Wild"


@pytest.mark.parametrize(
    ("winner", "loser", "why"),
    [
        ("0 +2c +3c", "0 -2c +3t", "positive cards of 5 beat 3"),
        ("0 -2c +3c", "0 +2c -3t", "a positive total"),
        ("0 +2c -3t", "+10c -10t 0", "Idiot's Array beats Prime Sabacc"),
        ("+2c -2t 0", "+7c -7t 0", "a pair of 2 is closer to zero than of 7"),
        ("+2c -1c -1t", "+1c +1t -2c", "highest positive card 2 beats 1"),
        ("+4c +6c -10c", "+4t +5c -9c", "positive cards of 10 beat 9"),
        ("+1c +8c -9c", "+4c +5c -9t", "highest positive card 8 beats 5"),
        ("+1c +3c -5c", "+3t +5c -10c", "1 from zero is closer than 2"),
        ("+1c +3c -3c", "+1t +2c -4c", "a positive total"),
        ("+4c +8c -6c", "+3c +4t -1c", "positive cards of 12 beat 7"),
        ("+2c +10c -6c", "+4c +8c -6t", "highest positive card 10 beats 8"),
    ],
)
def test_yarith_says_what_decides(winner, loser, why):
    shown = yarith_show(loser, winner)
    assert (shown.winners, why in shown.whys[1].english) == ((1,), True)


def test_yarith_ties_draw_blind_and_the_array_leaves_the_sabacc_pot():
    shown = yarith_show("+10c -10t 0", "+10t -10c 0")
    assert (shown.winners, shown.tie, shown.takes_sabacc_pot) == ((0, 1), Tie.BLIND_DRAW, True)
    assert not yarith_show("0 +2c -3c").takes_sabacc_pot
    assert yarith_show("0 +2c -3c", idiots_array="both_pots").takes_sabacc_pot
    assert not yarith_show("+10c -10t 0", sabacc_pot=False).takes_sabacc_pot


def test_yarith_toggles_change_the_rank():
    assert yarith_show("0 +2c -3c", idiots_cards="positive").hands[0].name == "Nulrhek"
    assert yarith_show("0 +2c +3c", idiots_array="none").hands[0].name == "Nulrhek"
    assert yarith_show("+10c -10t 0", prime=False).hands[0].name == "Yee-Haa"
    assert yarith_show("+2c -2t 0", "+7c -7t 0", pair_ties="highest").winners == (1,)
