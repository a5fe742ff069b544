"""Small steps both card games are made of: paying, moving, entering cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from . import betting, cards
from .betting import AllIn, Bet, CallBet, Check, Fold, RaiseBet
from .card_state import (
    Due,
    Phase,
    Play,
    behind,
    known_cards,
    on_turn,
    open_cards,
    staying,
    yet_to_draw,
)
from .cards import CardError, Hand
from .errors import Refusal
from .model import Line, Step
from .transfers import HAND_POT, Account, Transfer, seat_account
from .words import key


def then(first: Step, second: Step) -> Step:
    """Two steps as one; ``second`` was made from the play that ``first`` left."""
    moves = (*first.transfers, *second.transfers)
    return Step(second.play, moves, (*first.lines, *second.lines))


def why_not_turn(play: Play, seat: int) -> Refusal | None:
    """Why it is not this seat's turn."""
    if on_turn(play) != seat:
        return Refusal("not_your_turn", "Seat {seat} is to act.", {"seat": on_turn(play)})
    return None


def pay(play: Play, seat: int, account: Account, amount: int) -> tuple[Play, Transfer]:
    """A seat pays ``amount`` credits for a card into a pot."""
    stacks = tuple(
        replace(stack, behind=stack.behind - amount) if stack.seat == seat else stack
        for stack in play.stacks
    )
    paid = replace(play, stacks=stacks, dues=(*play.dues, Due(seat, account, amount)))
    return paid, Transfer(seat_account(seat), account, amount, "card")


def why_not_paid(play: Play, seat: int, price: int) -> Refusal | None:
    """Why a seat cannot pay for a card."""
    if behind(play, seat) < price:
        return Refusal(
            "not_enough",
            "This costs {n} credits; the seat has {left} left in this hand.",
            {"n": price, "left": behind(play, seat)},
            "This costs {n} credit; the seat has {left} left in this hand.",
        )
    return None


def reshuffled(before: Play, after: Play) -> tuple[Line, ...]:
    """A word to the dealer when the deck ran out on the way."""
    if after.piles.shuffles == before.piles.shuffles:
        return ()
    return (Line("The deck is used up: shuffle the discards and go on."),)


def clockwise(seats: Sequence[int], after: int) -> list[int]:
    """Seats in turn order, the first one left of ``after``."""
    return [s for s in seats if s > after] + [s for s in seats if s <= after]


def staked(seat: int, amount: int) -> tuple[Transfer, ...]:
    """A stake on its way to the hand pot."""
    return (Transfer(seat_account(seat), HAND_POT, amount, "bet"),) if amount else ()


def move_line(move: betting.Move, amount: int, fold_word: str) -> Line:
    """A betting move in words."""
    values = {"seat": move.seat, "amount": amount}
    match move:
        case Check():
            return Line("{seat} checks.", values)
        case Bet():
            return Line("{seat} bets {amount}.", values)
        case CallBet():
            return Line("{seat} calls with {amount}.", values)
        case RaiseBet(to=to):
            return Line("{seat} raises to {to}.", {**values, "to": to})
        case AllIn():
            return Line("{seat} goes all in with {amount}.", values)
        case Fold():
            return Line("{seat} junks." if fold_word == "Junk" else "{seat} folds.", values)


def why_not_staying(play: Play, seat: int) -> Refusal | None:
    """Why a seat has no say in this hand any more."""
    if seat not in staying(play):
        return Refusal("not_in_hand", "Seat {seat} is not in this hand.", {"seat": seat})
    return None


def why_not_free(play: Play, seat: int, hand: Hand) -> Refusal | None:
    """Why these cards cannot be there beside those that lie open."""
    taken = open_cards(play, besides=seat)
    fault = cards.deck_fault((*taken, *hand))
    if fault is None:
        return None
    double = next((card for card in hand if card.value and card in taken), None)
    if double is None:
        return fault
    return Refusal(
        "card_twice", "{card} lies open elsewhere already; check both.", {"card": str(double)}
    )


def why_not_together(play: Play) -> Refusal | None:
    """Why the entered hands cannot all be right; names seats and no card, for all are hidden."""
    if cards.deck_fault(known_cards(play, besides=0)) is None:
        return None
    lies_open = open_cards(play, besides=0)
    for seat, hand in sorted(play.hands.items()):
        if cards.deck_fault((*hand, *lies_open)):
            text = key("Seat {seat} has entered a card that lies open in the Array; check both.")
            return Refusal("hands_clash", text, {"seat": seat})
    for one, other in combinations(sorted(play.hands), 2):
        if cards.deck_fault((*play.hands[one], *play.hands[other])):
            text = key("Seats {one} and {other} have entered the same card; check both hands.")
            return Refusal("hands_clash", text, {"one": one, "other": other})
    text = key("The entered hands hold more of a card than the deck has; check them all.")
    return Refusal("hands_clash", text)


def why_not_drawn(play: Play, seat: int, text: str) -> Refusal | None:
    """Why a card drawn blind cannot be entered."""
    if seat not in yet_to_draw(play):
        return Refusal("not_drawing", "Seat {seat} has no card to draw now.", {"seat": seat})
    try:
        drawn = cards.parse(text)
    except CardError as fault:
        return fault.refusal
    if len(drawn) != 1:
        return Refusal("wrong_count", "One card is drawn.")
    return cards.deck_fault((*known_cards(play, besides=0), *drawn))


def entered(play: Play, seat: int, hand: Hand) -> Step:
    """A seat's hand is entered; the history says so and no card of it."""
    line = Line("The hand of {seat} is entered.", {"seat": seat})
    return Step(replace(play, hands={**play.hands, seat: hand}), (), (line,))


def give_up(play: Play, seat: int) -> Step:
    """A seat leaves the showdown unseen."""
    stacks = tuple(replace(s, folded=True) if s.seat == seat else s for s in play.stacks)
    hands = {owner: cards for owner, cards in play.hands.items() if owner != seat}
    given = replace(play, stacks=stacks, hands=hands, piles=play.piles.discard(play.held[seat]))
    line = Line("{seat} gives up unseen.", {"seat": seat})
    last = len(staying(given)) == 1
    return Step(replace(given, phase=Phase.LAST_SEAT) if last else given, (), (line,))
