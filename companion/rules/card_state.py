"""What a card game's hand is at one moment. The cards are real; only counts are followed.

Identities are known where people entered them: hands at the showdown, cards of
the Array, cards drawn blind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from .betting import Betting, Stacks, live
from .cards import BY_TEXT, DECK, Hand
from .dice import Roll
from .transfers import HAND_POT, Account
from .words import Line, key


class Phase(StrEnum):
    """Where the hand stands; each game goes through its own of them."""

    IDLE = "idle"
    DEAL = "deal"  # antes are paid, cards are dealt
    ARRAY = "array"  # a card is laid beside the deck
    CARDS = "cards"  # seats change cards in turn
    SPIKES = "spikes"  # a spike card is laid in front of each seat
    BUYING = "buying"  # seats buy cards in turn
    BETTING = "betting"
    DICE = "dice"
    SHOWDOWN = "showdown"
    LAST_SEAT = "last_seat"  # everyone else folded
    BLIND_DRAW = "blind_draw"  # tied seats draw a card each


NOT_NOW: Mapping[Phase, str] = {
    Phase.IDLE: key("No hand is being played."),
    Phase.DEAL: key("The cards are being dealt."),
    Phase.ARRAY: key("A card is to be laid in the Array first."),
    Phase.CARDS: key("Seats are changing cards."),
    Phase.SPIKES: key("The spike cards are to be laid first."),
    Phase.BUYING: key("Seats are buying cards."),
    Phase.BETTING: key("The betting is not over."),
    Phase.DICE: key("The Spike dice are due."),
    Phase.SHOWDOWN: key("The hands are to be shown."),
    Phase.LAST_SEAT: key("Only one seat is left; it takes the pot or shows first."),
    Phase.BLIND_DRAW: key("Tied seats draw a card first."),
}


class End(StrEnum):
    """How a hand ended."""

    UNSHOWN = "unshown"  # the last seat took the hand pot and showed nothing
    SHOWN = "shown"  # the last seat showed; the Sabacc pot stays
    SHOWN_SABACC = "shown_sabacc"  # the last seat showed and took both pots
    HAND_POT = "hand_pot"  # a showdown; the Sabacc pot stays
    BOTH_POTS = "both_pots"
    SIDE_POTS = "side_pots"  # different seats won different pots
    SPLIT = "split"
    BLIND_DRAW = "blind_draw"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Piles:
    """How many cards the draw deck and the discards hold."""

    deck: int = len(DECK)
    discards: int = 0
    shuffles: int = 0  # times the discards became the deck in this hand

    def draw(self, count: int) -> Piles:
        """``count`` cards off the deck; the discards are shuffled in when it runs out."""
        if count <= self.deck:
            return replace(self, deck=self.deck - count)
        return Piles(self.deck + self.discards - count, 0, self.shuffles + 1)

    def discard(self, count: int) -> Piles:
        """``count`` cards onto the discards."""
        return replace(self, discards=self.discards + count)

    def take_discard(self) -> Piles:
        """The top discard goes to a hand."""
        return replace(self, discards=self.discards - 1)


@dataclass(frozen=True, slots=True)
class Due:
    """Credits a seat paid outside the betting: an ante or the price of a card."""

    seat: int
    account: Account
    amount: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A hand laid open: its name and why it won or lost."""

    seat: int
    cards: Hand
    name: str
    why: Line


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the last hand came to. ``won``: credits each winner took from the pots."""

    end: End
    won: Mapping[int, int] = field(default_factory=dict)
    shown: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What the seat on turn has done while buying."""

    bought: bool = False
    swapped: bool = False  # since it last bought


@dataclass(frozen=True, slots=True)
class Play:
    """The state of a card game.

    ``stacks`` are the seats dealt in, the first player first and the dealer
    last. ``hands`` hold entered cards that are nobody else's business until
    they are revealed: screens show what ``visible`` gives, never this field.
    """

    phase: Phase = Phase.IDLE
    hand_no: int = 0
    button: int = 0  # the seat that deals; 0 before the first hand
    button_before: int = 0  # the seat that dealt before, should the hand be void
    round_no: int = 0
    stacks: Stacks = ()
    betting: Betting | None = None
    dues: tuple[Due, ...] = ()
    to_act: tuple[int, ...] = ()  # seats still to change or buy cards, the one on turn first
    turn: Turn = Turn()
    held: Mapping[int, int] = field(default_factory=dict)  # cards each seat holds
    piles: Piles = Piles()
    array: tuple[str, ...] = ()  # the Pilot's place first; "" where nobody entered the card
    hands: Mapping[int, Hand] = field(default_factory=dict)
    drawing: tuple[int, ...] = ()  # seats that draw blind
    draws: Mapping[int, Hand] = field(default_factory=dict)
    last_roll: Roll | None = None
    outcome: Outcome | None = None


def stacks_of(play: Play) -> Stacks:
    """The stacks as they are now, in the midst of a betting round too."""
    return play.betting.stacks if play.betting else play.stacks


def staying(play: Play) -> tuple[int, ...]:
    """Seats that have not folded, the first player first."""
    return live(stacks_of(play))


def behind(play: Play, seat: int) -> int:
    """Credits a seat may still stake in this hand."""
    return next((stack.behind for stack in stacks_of(play) if stack.seat == seat), 0)


def on_turn(play: Play) -> int | None:
    """The seat that has to decide something now."""
    if play.phase is Phase.BETTING:
        return play.betting.turn if play.betting else None
    return play.to_act[0] if play.to_act else None


def dead(play: Play) -> int:
    """Antes and prices in the hand pot."""
    return sum(due.amount for due in play.dues if due.account == HAND_POT)


def matched(roll: Roll) -> bool:
    """Whether both dice show one symbol."""
    return len(set(roll.spikes)) == 1


def visible(play: Play, seat: int | None) -> Mapping[int, Hand | None]:
    """Entered hands as ``seat`` (None: anyone else, the dealer too) may see them.

    A hand that is entered but not revealed is None to all but its own seat.
    Between hands: what the last showdown laid open.
    """
    if play.phase is Phase.IDLE and play.outcome:
        return {shown.seat: shown.cards for shown in play.outcome.shown}
    revealed = play.phase is Phase.BLIND_DRAW
    return {
        owner: cards if revealed or owner == seat else None for owner, cards in play.hands.items()
    }


def known_cards(play: Play, besides: int) -> Hand:
    """Cards that cannot be in the hand of seat ``besides``."""
    hands: Sequence[Hand] = [cards for seat, cards in play.hands.items() if seat != besides]
    laid = tuple(BY_TEXT[text] for text in play.array if text)
    return tuple(card for cards in (*hands, *play.draws.values(), laid) for card in cards)


def open_cards(play: Play, besides: int) -> Hand:
    """Cards that everybody can see lie elsewhere than in the hand of seat ``besides``.

    Never an entered hand before it is revealed: refusing or greying one of its cards would
    tell who asks what another seat holds.
    """
    shown = [cards for seat, cards in visible(play, None).items() if cards and seat != besides]
    laid = tuple(BY_TEXT[text] for text in play.array if text)
    return tuple(card for cards in (*shown, *play.draws.values(), laid) for card in cards)


def yet_to_draw(play: Play) -> tuple[int, ...]:
    """Tied seats whose blind card is not entered yet, in turn order."""
    counts = {seat: len(play.draws.get(seat, ())) for seat in play.drawing}
    return tuple(seat for seat in play.drawing if counts[seat] == min(counts.values()))
