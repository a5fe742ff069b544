"""A card game on every page: who holds what, whose turn it is, what may be done.

Both card games share these views; each says which rounds its hands go through and
which buttons its seats have for their cards. A view is made for one seat or, with seat
None, for everyone: entered hands come from ``visible`` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.betting import MOVES, Stack
from companion.rules.card_actions import (
    BlindDraw,
    EnterHand,
    KeepHidden,
    Muck,
    OpenHand,
    RevealHands,
    Stand,
    VoidHand,
)
from companion.rules.card_game import CardGame
from companion.rules.card_moves import why_not_together
from companion.rules.card_state import (
    Phase,
    Piles,
    Play,
    on_turn,
    stacks_of,
    staying,
    visible,
    yet_to_draw,
)
from companion.rules.galaxy_series import BuyArray, DiscardGain, Gain, SwapArray
from companion.rules.model import Line, Offer, Table
from companion.rules.yarith_bespin import BuyCard, SwapSpike

from . import pot
from .card_bets import BetView, SidePot, bet_view, figures, side_pots
from .card_rail import Group, Rounds, rail
from .card_show import EndView, end_view, owed, won
from .cards import CardView, card_views
from .common import SeatView, key, named
from .offers import OfferView, offer_view
from .pages import Missing, Pages

# What the boards themselves have buttons for.
SHOWN = frozenset(
    kind.kind
    for kind in (
        *MOVES, Stand, EnterHand, Muck, KeepHidden, BlindDraw,
        Gain, DiscardGain, BuyArray, SwapArray, BuyCard, SwapSpike,
    )
)  # fmt: skip
VOID = VoidHand.kind


@dataclass(frozen=True, slots=True)
class SeatLine:
    """One seat of the hand. ``hand`` is empty where this viewer may not see it."""

    seat: SeatView
    behind: int  # credits it may still stake in this hand
    bet: int  # staked in the present betting round
    held: int
    on_turn: bool
    folded: bool
    all_in: bool
    dealer: bool
    first: bool
    entered: bool
    spike: bool  # the last card lies face up
    draws: bool  # it has to draw a card blind
    hand: tuple[CardView, ...] = ()
    drawn: tuple[CardView, ...] = ()


@dataclass(frozen=True, slots=True)
class CardButton:
    """One thing to do with one's cards; ``asks`` are filled beforehand. ``credits``: its price."""

    label: str
    offer: OfferView
    asks: Mapping[str, str]
    credits: int = 0


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One place of the Array; ``card`` is None where nobody entered it."""

    number: int
    name: str
    price: int
    laid: bool
    card: CardView | None = None
    buy: OfferView | None = None
    swap: OfferView | None = None


@dataclass(frozen=True, slots=True)
class TurnView:
    """What the seat on turn may do now."""

    seat: SeatView
    bets: BetView | None
    buttons: tuple[CardButton, ...]
    stand: OfferView | None


@dataclass(frozen=True, slots=True)
class CardTable:
    """The whole hand, or how the last one ended."""

    game: str
    hand_no: int
    phase: Phase
    running: bool
    rail: tuple[Group, ...]
    seats: tuple[SeatLine, ...]
    turn: TurnView | None
    pots: tuple[SidePot, ...]
    array: tuple[PlaceView, ...]
    piles: Piles
    banner: Line | None
    end: EndView | None
    entering: bool  # hands are being entered
    clash: Line | str  # why the entered hands cannot all be right


@dataclass(frozen=True, slots=True)
class MyCards:
    """A phone's part: the table as this seat may see it, and its own buttons."""

    table: CardTable
    mine: SeatLine | None
    turn: TurnView | None
    enter: OfferView | None
    muck: OfferView | None
    keep: OfferView | None


@dataclass(frozen=True, slots=True)
class Kind:
    """What one card game adds to the shared views."""

    game: CardGame
    rounds: Rounds
    buttons: Callable[[Table, Sequence[Offer]], tuple[CardButton, ...]]
    array: Callable[[Table, Sequence[Offer]], tuple[PlaceView, ...]]
    banner: Callable[[Table], Line | None]
    spike: bool = False  # seats have a face-up spike card, their last


def view(kind: Kind, table: Table, seat: int | None = None) -> CardTable:
    """The hand as ``seat`` (None: everyone) may see it."""
    play: Play = table.play
    here = on_turn(play)
    offers = kind.game.legal_actions(table, here) if here is not None else ()
    return CardTable(
        game=kind.game.key,
        hand_no=play.hand_no,
        phase=play.phase,
        running=play.phase is not Phase.IDLE,
        rail=rail(play, kind.rounds),
        seats=tuple(_seat_line(kind, table, stack, seat) for stack in stacks_of(play)),
        turn=_turn(kind, table, here, offers) if here is not None else None,
        pots=side_pots(table),
        array=kind.array(table, offers),
        piles=play.piles,
        banner=kind.banner(table),
        end=end_view(table, kind.game),
        entering=play.phase in (Phase.SHOWDOWN, Phase.LAST_SEAT),
        clash=_clash(play),
    )


def _clash(play: Play) -> Line | str:
    refusal = why_not_together(play) if play.phase is Phase.SHOWDOWN else None
    return refusal.line if refusal and len(play.hands) == len(staying(play)) else ""


def my_view(kind: Kind, table: Table, seat: int, offers: Sequence[Offer]) -> MyCards:
    """The hand on the phone of ``seat``; ``offers`` are its own."""
    whole = view(kind, table, seat)
    found = {offer.kind: offer_view(offer) for offer in offers}
    mine = next((line for line in whole.seats if line.seat.number == seat), None)
    turn = whole.turn if whole.turn and whole.turn.seat.number == seat else None
    ends = (found.get(kind.kind) for kind in (EnterHand, Muck, KeepHidden))
    return MyCards(whole, mine, turn, *ends)


def _seat_line(kind: Kind, table: Table, stack: Stack, viewer: int | None) -> SeatLine:
    play: Play = table.play
    number = stack.seat
    held = 0 if stack.folded else play.held.get(number, 0)
    order = stacks_of(play)
    return SeatLine(
        seat=seat_of(table, number),
        behind=stack.behind,
        bet=stack.bet,
        held=held,
        on_turn=number == on_turn(play),
        folded=stack.folded,
        all_in=not stack.folded and not stack.behind,
        dealer=number == play.button,
        first=number == order[0].seat,
        entered=number in play.hands,
        spike=kind.spike and held > 2,
        draws=play.phase is Phase.BLIND_DRAW and number in yet_to_draw(play),
        hand=card_views(visible(play, viewer).get(number) or ()),
        drawn=card_views(play.draws.get(number, ())),
    )


def seat_of(table: Table, number: int) -> SeatView:
    """A seat of the hand."""
    found = pot.seat_of(table, number)
    assert found is not None
    return found


def _turn(kind: Kind, table: Table, seat: int, offers: Sequence[Offer]) -> TurnView:
    by_kind = {offer.kind: offer for offer in offers}
    stand = by_kind.get(Stand.kind)
    return TurnView(
        seat=seat_of(table, seat),
        bets=bet_view(table, seat, by_kind),
        buttons=kind.buttons(table, offers),
        stand=offer_view(stand) if stand else None,
    )


# Sentences.


def headline(table: Table, seat: int) -> Line | None:
    """What this player does or waits for; None where the game's own status says it."""
    play: Play = table.play
    stack = next((stack for stack in stacks_of(play) if stack.seat == seat), None)
    if play.phase is Phase.IDLE:
        taken = won(table, seat)
        return Line("You won {amount}.", {"amount": taken}) if taken else None
    if stack is None:
        return Line("You play in the next hand.")
    if stack.folded:
        return Line("You are out of this hand.")
    if on_turn(play) == seat:
        return _my_turn(play, stack)
    return _my_showdown(play, seat)


def _my_turn(play: Play, stack: Stack) -> Line:
    if play.betting is None:
        return Line("Your turn: change cards, or stand.")
    if owed := play.betting.level - stack.bet:
        return Line("Your turn: {amount} to call.", {"amount": min(owed, stack.behind)})
    return Line("Your turn: check, or bet.")


def _my_showdown(play: Play, seat: int) -> Line | None:
    match play.phase:
        case Phase.SHOWDOWN if seat in play.hands:
            return Line("Your hand is entered. Wait for the others.")
        case Phase.SHOWDOWN:
            return Line("Showdown: enter your hand.")
        case Phase.LAST_SEAT:
            return Line("You are the last one in: show, or take the pot unshown.")
        case Phase.BLIND_DRAW if seat in yet_to_draw(play):
            return Line("A tie: draw a card. The dealer enters it.")
        case _:
            return None


def next_hint(table: Table, kind: str) -> str | Line:
    """What the station's next step is about."""
    play: Play = table.play
    if (seat := on_turn(play)) is not None:
        return named(Line("for {seat}", {"seat": seat}), table)
    match kind:
        case OpenHand.kind:
            return key("the antes go into the pots")
        case RevealHands.kind:
            return key("all hands are entered")
        case _:
            return ""


def waiting(table: Table) -> str | Line:
    """What the table waits for where no single press goes on."""
    play: Play = table.play
    if (seat := on_turn(play)) is not None:
        return named(Line("{seat} is to act", {"seat": seat}), table)
    match play.phase:
        case Phase.SHOWDOWN:
            missing = sum(seat not in play.hands for seat in staying(play))
            return _to_enter(missing)
        case Phase.LAST_SEAT:
            return key("Show, or not?")
        case Phase.BLIND_DRAW:
            return key("Enter the cards drawn")
        case _:
            return ""


def _to_enter(hands: int) -> str | Line:
    match hands:
        case 0:
            return key("Check the hands")
        case _:
            return Line("Enter {n} hands", {"n": hands}, "Enter one more hand")


def room_headline(_table: Table) -> str:
    """What the room reads until dice are thrown."""
    return key("Closest to zero wins")


def missing(game: CardGame) -> Callable[[Table], Missing | None]:
    """Too few players for a hand."""

    def gap(table: Table) -> Missing | None:
        if table.play.phase is not Phase.IDLE or game.why_not(table, OpenHand()) is None:
            return None
        return Missing("seats", key("Seat players"), key("two who can pay the antes"))

    return gap


def board(kind: Kind) -> Callable[[Table], Any]:
    """The board everyone may see."""
    return lambda table: view(kind, table)


def my_board(kind: Kind) -> Callable[[Table, int, Sequence[Offer]], Any]:
    """The board of one phone."""
    return lambda table, seat, offers: my_view(kind, table, seat, offers)


def pages(kind: Kind) -> Pages:
    """The pages of a card game."""
    return Pages(
        folder="cards",
        shown=SHOWN,
        void=VOID,
        board=board(kind),
        my_board=my_board(kind),
        figures=figures,
        room_figures=figures,
        owed=owed,
        my_headline=headline,
        missing=missing(kind.game),
        next_hint=next_hint,
        waiting=waiting,
        room_headline=room_headline,
        won=won,
    )
