"""Sabacc cards: 62 of them, written as players say them.

``+7c`` is the positive seven of Circles, ``-3t`` the negative three of Triangles,
``+10s`` the positive ten of Squares and ``0`` a Sylop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .errors import Refusal
from .words import Line, key


class Suit(StrEnum):
    """The three suits by their letters."""

    CIRCLE = "c"
    TRIANGLE = "t"
    SQUARE = "s"


@dataclass(frozen=True, slots=True)
class Card:
    """``value`` -10 to +10; a Sylop has value 0 and no suit.

    >>> str(Card(-3, Suit.TRIANGLE)), str(SYLOP)
    ('-3t', '0')
    """

    value: int
    suit: Suit | None = None

    def __post_init__(self) -> None:
        if not -HIGHEST <= self.value <= HIGHEST or bool(self.value) != bool(self.suit):
            raise ValueError(f"no card has value {self.value} and suit {self.suit}")

    def __str__(self) -> str:
        return f"{self.value:+}{self.suit}" if self.suit else "0"


Hand = tuple[Card, ...]

HIGHEST = 10
SYLOPS = 2
SYLOP = Card(0)
DECK: Hand = (
    *(
        Card(sign * size, suit)
        for size in range(1, HIGHEST + 1)
        for sign in (1, -1)
        for suit in Suit
    ),
    *(SYLOP,) * SYLOPS,
)
BY_TEXT: Mapping[str, Card] = {str(card): card for card in DECK}


class CardError(ValueError):
    """Cards that cannot be; ``refusal`` has the stable code and the sentence."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal


def parse(text: str) -> Hand:
    """The cards of a hand in their order; raises CardError on a word that is no card.

    >>> parse("+7c -3t 0")[1].value
    -3
    """
    try:
        return tuple([BY_TEXT[word] for word in text.split()])
    except KeyError as fault:
        text = key("{word} is no card; cards look like +7c, -10t or, for a Sylop, 0.")
        raise CardError(Refusal("bad_card", text, {"word": repr(fault.args[0])})) from None


def written(cards: Iterable[Card]) -> str:
    """Cards as ``parse`` reads them."""
    return " ".join(map(str, cards))


def size_fault(cards: Sequence[Card], least: int, most: int) -> Refusal | None:
    """Why a hand of this many cards cannot be shown."""
    wanted: str | Line = str(least)
    if least != most:
        wanted = Line("{least} to {most}", {"least": least, "most": most})
    text, values = (
        key("A hand has {wanted} cards, this one {n}."),
        {"wanted": wanted, "n": len(cards)},
    )
    if len(cards) > most:
        return Refusal("too_many_cards", text, values)
    if len(cards) < least:
        return Refusal("too_few_cards", text, values)
    return None


def deck_fault(cards: Sequence[Card]) -> Refusal | None:
    """Why ``cards`` cannot all be on the table at once; None when one deck holds them.

    Four of a signed value always hold one card twice; the count is told, as it
    is what the players see first.
    """
    if len(set(cards)) == len(cards):
        return None
    for value, count in Counter(card.value for card in cards).items():
        if value == 0 and count > SYLOPS:
            return Refusal(
                "third_sylop", "There are {count} Sylops; the deck has only two.", {"count": count}
            )
        if value and count > len(Suit):
            text = key("There are {count} cards of {value}; the deck has only three, one a suit.")
            return Refusal("fourth_of_value", text, {"count": count, "value": f"{value:+}"})
    counts = Counter(card for card in cards if card.value)
    twice = next((card for card, count in counts.items() if count > 1), None)
    return Refusal("card_twice", "{card} is there twice.", {"card": str(twice)}) if twice else None
