"""Sabacc cards on the pages: faces, the grid a hand is entered on, its name while it grows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from companion.rules import cards
from companion.rules.card_game import CardGame
from companion.rules.cards import DECK, Card, Suit
from companion.rules.model import Table

from .common import key

SUITS = {Suit.CIRCLE: key("circle"), Suit.TRIANGLE: key("triangle"), Suit.SQUARE: key("square")}
SYLOP = key("Sylop")


@dataclass(frozen=True, slots=True)
class CardView:
    """A card's face. ``suit`` names its shape; ``sign`` is ``plus``, ``minus`` or ``zero``."""

    text: str  # as the rules write it, e.g. ``+7c``
    value: str  # as it is printed, e.g. ``+7``
    suit: str
    sign: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One card of the grid; ``free`` is False for a card that lies open elsewhere."""

    card: CardView
    free: bool
    name: str  # unlike the card's text unique: there are two Sylops


@dataclass(frozen=True, slots=True)
class Suited:
    """One block of the grid: a suit's cards of one sign, smallest first."""

    suit: str
    sign: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Deck:
    """The grid: six blocks of ten and the Sylops."""

    blocks: tuple[Suited, ...]
    sylops: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class HandName:
    """What the cards picked so far make; ``name`` is empty until the hand is complete."""

    total: int
    name: str = ""


def card_view(card: Card) -> CardView:
    """One card's face, with a minus sign of its own width.

    >>> card_view(cards.parse("-3t")[0]).value
    '−3'
    """
    if card.suit is None:
        return CardView(str(card), "0", SYLOP, "zero")
    sign = "plus" if card.value > 0 else "minus"
    return CardView(str(card), f"{card.value:+}".replace("-", "−"), SUITS[card.suit], sign)


def card_views(hand: Iterable[Card]) -> tuple[CardView, ...]:
    """The faces of several cards."""
    return tuple(card_view(card) for card in hand)


def deck(taken: Iterable[Card]) -> Deck:
    """Every card of the deck, those of ``taken`` not to be picked."""
    gone, cells = Counter(taken), []
    for number, card in enumerate(DECK):
        free = gone[card] == 0
        gone[card] -= 0 if free else 1
        cells.append((card, Cell(card_view(card), free, f"card-{number}")))
    blocks = tuple(
        Suited(name, sign, tuple(cell for card, cell in cells if _in_block(card, suit, sign)))
        for suit, name in SUITS.items()
        for sign in ("plus", "minus")
    )
    return Deck(blocks, tuple(cell for card, cell in cells if card.suit is None))


def _in_block(card: Card, suit: Suit, sign: str) -> bool:
    return card.suit is suit and (card.value > 0) == (sign == "plus")


def hand_name(game: CardGame, table: Table, seat: int, text: str) -> HandName:
    """Total and, once complete, the name of the cards ``text`` lists for ``seat``.

    Raises CardError for a word that is no card.
    """
    hand = cards.parse(text)
    total = sum(card.value for card in hand)
    wanted = table.play.held.get(seat, 0)
    if (
        len(hand) != wanted
        or wanted < 2
        or cards.deck_fault(hand)
        or cannot_name(game, table, seat)
    ):
        return HandName(total)
    return HandName(total, game.compare([hand], table.options).hands[0].name)


def cannot_name(game: CardGame, table: Table, seat: int) -> bool:
    """Whether the seat's cards are no hand yet."""
    return game.cannot_show(table.play, seat) is not None
