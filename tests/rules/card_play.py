"""A table for the card games' tests: short ways to play, and a player who plays anything."""

import pytest

from companion.games import GAMES
from companion.rules.actions import (
    BuyIn,
    ChooseGame,
    CorrectRoll,
    JoinSeat,
    RecordRoll,
    Redo,
    SitOut,
    Undo,
    from_json,
    to_json,
)
from companion.rules.betting import AllIn, Bet, CallBet, Check, Fold, Pot, RaiseBet, live, side_pots
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
from companion.rules.card_state import (
    Phase,
    dead,
    known_cards,
    on_turn,
    stacks_of,
    staying,
    visible,
)
from companion.rules.cards import DECK, written
from companion.rules.dice import Roll, Symbol
from companion.rules.engine import Engine
from companion.rules.errors import RuleError
from companion.rules.history import History
from companion.rules.model import Table
from companion.rules.transfers import HAND_POT, SABACC_POT, post
from tests.rules import ranks_reference as reference

ENGINE = Engine(GAMES)
MATCH = RecordRoll(Roll.of(["sun", "sun"]))
TWO_SPIKES = RecordRoll(Roll.of(["spike", "spike"]))
DIFFER = RecordRoll(Roll.of(["sun", "eye"]))


def seated(game, *credits, **options) -> History:
    """A table with seats 1, 2, ... holding ``credits`` and the game chosen."""
    actions = [ChooseGame(game, options)]
    for seat, amount in enumerate(credits, 1):
        actions += [JoinSeat(seat, f"Seat {seat}"), BuyIn(seat, amount)]
    return pushed(History(ENGINE, Table()), *actions)


def pushed(history, *actions) -> History:
    for action in actions:
        history, _, _ = history.push(action)
    return history


def code(history, action):
    refusal = history.why_not(action)
    return refusal.code if refusal else None


def checked(history) -> History:
    """Everyone checks until the betting is over."""
    while history.table.play.phase is Phase.BETTING:
        history = pushed(history, Check(on_turn(history.table.play)))
    return history


def stood(history) -> History:
    """Everyone on turn stands."""
    while history.table.play.to_act:
        history = pushed(history, Stand(on_turn(history.table.play)))
    return history


def credits(history):
    return [history.table.credits(seat.number) for seat in history.table.seats]


def free_cards(play, seat, chance, count):
    """``count`` cards that can be in a seat's hand, often a zero or a likeness of another hand."""
    left = list(DECK)
    for card in known_cards(play, besides=seat):
        left.remove(card)
    chance.shuffle(left)
    hand = left[:count]
    models = [other for other in play.hands.values() if len(other) == count]
    if models and chance.random() < 0.6:  # the same values in other suits: a tie
        hand = []
        for model in chance.choice(models):
            hand += [c for c in left if c.value == model.value and c not in hand][:1]
    elif count > 1 and chance.random() < 0.45:
        low = [card for card in left if abs(card.value) <= 2][: count - 1]
        last = [card for card in left if card.value == -sum(c.value for c in low)]
        hand = [*low, *[card for card in last if card not in low][:1]]
    return written(hand if len(hand) == count else left[:count])


def filled(offer, play, chance, pick=None):
    """An offer as an action; ``pick``: "least" or "most" instead of anything allowed."""
    asked = {}
    for ask in offer.asks:
        if ask.choices:
            asked[ask.name] = chance.choice(ask.choices)
        elif ask.least is None:
            count = play.held[offer.fields["seat"]] if ask.name == "cards" else 1
            seat = offer.fields["seat"] if ask.name == "cards" else 0
            asked[ask.name] = free_cards(play, seat, chance, count)
        elif pick:
            asked[ask.name] = getattr(ask, pick)
        else:
            asked[ask.name] = chance.randrange(ask.least, ask.most + 1, ask.step)
    return from_json({"kind": offer.kind, **offer.fields, **asked})


RARE = {
    "fold": 0.2,
    "void_hand": 0.006,
    "muck": 0.03,
    "all_in": 0.12,
    "name_array_card": 0.1,
    "keep_hidden": 0.3,
}


def random_offer(history, chance):
    offers = ENGINE.legal_actions(history.table, None)
    return chance.choices(offers, [RARE.get(offer.kind, 1) for offer in offers])[0]


def anything(history, chance, own):
    """An action that may well be refused."""
    seat, amount = chance.randint(1, 5), chance.randint(0, 60)
    count = chance.randint(1, 5)
    cards = written(chance.sample(DECK, count))
    actions = [
        OpenHand(),
        DealCards(),
        Check(seat),
        Bet(seat, amount),
        CallBet(seat),
        RaiseBet(seat, amount),
        AllIn(seat),
        Fold(seat),
        Stand(seat),
        EnterHand(seat, cards),
        Muck(seat),
        RevealHands(),
        KeepHidden(seat),
        BlindDraw(seat, written(chance.sample(DECK, 1))),
        VoidHand(),
        SitOut(seat),
        MATCH,
        RecordRoll(Roll((Symbol.SUN,) * 3)),
        *own(seat, amount, chance),
    ]
    return chance.choice(actions)


def check_state(history):
    """What holds in every state of a card game."""
    table, play = history.table, history.table.play
    stacks = stacks_of(play)
    assert sum(table.accounts.values()) == 0
    assert table.balance(HAND_POT) == dead(play) + sum(stack.staked for stack in stacks)
    for stack in stacks:
        assert 0 <= stack.behind <= table.credits(stack.seat)
        assert ENGINE.game(table).in_play(table, stack.seat)
    assert min(play.piles.deck, play.piles.discards) >= 0
    if play.phase is not Phase.IDLE and play.phase is not Phase.DEAL:
        held = sum(play.held[seat] for seat in staying(play))
        together = held + len(play.array) + play.piles.deck + play.piles.discards
        assert together == len(DECK) - sum(map(len, play.draws.values()))
    if play.phase is Phase.BETTING:
        assert play.betting.turn in staying(play)
    if stacks and not play.betting:
        pots = side_pots(stacks, dead(play))
        assert sum(pot.amount for pot in pots) == table.balance(HAND_POT)
    if play.phase in (Phase.SHOWDOWN, Phase.LAST_SEAT):
        for viewer in (None, *staying(play)):
            seen = [seat for seat, hand in visible(play, viewer).items() if hand is not None]
            assert seen in ([], [viewer])


def naive_pots(stacks, dead):
    """Credit by credit: who may win the nth credit of each seat that staked so much."""
    groups = [[dead, live(stacks)]]
    for n in range(1, max(stack.paid for stack in stacks) + 1):
        seats = tuple(s.seat for s in stacks if s.paid >= n and not s.folded) or groups[-1][1]
        amount = sum(stack.paid >= n for stack in stacks)
        if seats == groups[-1][1]:
            groups[-1][0] += amount
        else:
            groups.append([amount, seats])
    return tuple(Pot(amount, seats) for amount, seats in groups if amount)


def place_of(table, seat):
    """A shown hand in the second reading of the ranks; the smaller wins."""
    cards, house = table.play.hands[seat], table.options
    if table.game == "galaxy_series":
        pairs = [(card.value, card.suit) for card in cards]
        return reference.galaxy(pairs, house["kinds"], house["pure"])
    positive, highest = house["idiots_cards"] == "positive", house["pair_ties"] == "highest"
    values = [card.value for card in cards]
    return reference.yarith(values, house["idiots_array"], positive, house["prime"], highest)


def expected_wins(table):
    """What each seat takes at a reveal without blind draws, by the slow readings."""
    play, wins = table.play, {}

    def share(amount, winners):
        for number in range(amount):  # one credit at a time, from the dealer's left
            seat = winners[number % len(winners)]
            wins[seat] = wins.get(seat, 0) + 1

    places = {seat: place_of(table, seat) for seat in staying(play)}
    for number, pot in enumerate(naive_pots(play.stacks, dead(play))):
        best = min(places[seat] for seat in pot.seats)
        winners = [seat for seat in pot.seats if places[seat] == best]
        share(pot.amount, winners)
        zero = sum(card.value for card in play.hands[winners[0]]) == 0
        array = best[0] == 1 and table.options.get("idiots_array") == "both_pots"
        if number == 0 and table.options.get("sabacc_pot", True) and (zero or array):
            share(table.balance(SABACC_POT), winners)
    return wins


def check_offers(history, chance):
    """Every button may be pressed, at its least and at its most."""
    table = history.table
    for seat in (None, *(s.number for s in table.seats)):
        for offer in ENGINE.legal_actions(table, seat):
            for pick in ("least", "most"):
                action = filled(offer, table.play, chance, pick)
                assert ENGINE.why_not(table, action) is None, action
                assert seat is None or (action.by_player and action.seat == seat)


def next_action(history, chance):
    expected = ENGINE.expects(history.table)
    if expected is not None and chance.random() < 0.9:
        symbols = tuple(chance.choices([Symbol.SPIKE, Symbol.SUN, Symbol.EYE], k=2))
        return RecordRoll(Roll(symbols))
    if chance.random() < 0.03:
        return Redo()
    if chance.random() < 0.03:
        return Undo(max(9, history.version - chance.randint(1, 6)))
    if chance.random() < 0.05:
        rolls = [d.no for d in history.in_force() if isinstance(d.action, RecordRoll)]
        if rolls:
            faces = tuple(chance.choices([Symbol.SPIKE, Symbol.SUN], k=2))
            return CorrectRoll(chance.choice(rolls[-2:]), Roll(faces))
    if history.table.play.phase is Phase.IDLE and chance.random() < 0.3:
        seat = chance.choice(history.table.seats).number
        return BuyIn(seat, chance.randint(1, 40))
    return None


def random_evening(game, options, chance, steps, own):
    """Play ``steps`` legal steps, with illegal ones between that must change nothing."""
    history = seated(game, *(chance.randint(15, 90) for _ in range(4)), **options)
    accounts, done, ends = dict(history.table.accounts), 0, set()
    while done < steps:
        check_state(history)
        if done % 5 == 0:
            check_offers(history, chance)
        table = history.table
        wild = anything(history, chance, own)
        refused = ENGINE.why_not(table, wild)
        if refused is not None:
            with pytest.raises(RuleError) as caught:
                history.push(wild)
            assert caught.value.refusal == refused
            assert history.table is table
        action = next_action(history, chance)
        if action is None:
            offers = ENGINE.legal_actions(table, None)
            if not offers and ENGINE.expects(table) is None:
                action = BuyIn(1 + done % 4, 50)
            elif not offers:
                continue
            else:
                action = filled(random_offer(history, chance), table.play, chance)
        try:
            history, posted, _ = history.push(from_json(to_json(action)))
        except RuleError:
            assert isinstance(action, (Redo, Undo, CorrectRoll)), action
            continue
        done += 1
        revealed = isinstance(action, RevealHands) and table.play.phase is Phase.SHOWDOWN
        if revealed and history.table.play.phase is Phase.IDLE:
            assert history.table.play.outcome.won == expected_wins(table)
        accounts = post(accounts, (entry.transfer for entry in posted))
        assert accounts == history.table.accounts
        if (end := ENGINE.game(history.table).ended(history.table)) is not None:
            ends.add(end)
    return done, ends
