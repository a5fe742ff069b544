"""Yarith Bespin Corellian Spike: two hand cards, a face-up spike card, three dice throws.

Mechanics after the Yarith Bespin Casino's rules (CC BY-SA 4.0, credited on the
rules page). House readings: a bought card always sends one card to the
discards, the bought one or the one it replaces; free swaps of hand and spike
card are limited to one between purchases, as a second would undo the first;
the last seat may show for the Sabacc pot once it has its spike card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar

from . import yarith_ranks
from .actions import Action, action
from .betting import Limits
from .card_actions import Stand
from .card_game import (
    DEALT,
    SHARED_PHASES,
    CardGame,
)
from .card_moves import pay, reshuffled, why_not_paid, why_not_turn
from .card_state import Phase, Play, Turn, matched, on_turn, staying
from .cards import Hand
from .dice import Roll, Symbol
from .errors import Refusal
from .model import Ask, Line, Offer, Step, Table
from .options import Toggle
from .showdown import Showdown
from .transfers import HAND_POT, SABACC_POT, Account
from .words import key

BETTINGS = 4  # the first before the spike cards are laid, each other one before a throw


class Place(StrEnum):
    """What becomes of a bought card."""

    DROP = "drop"  # it goes to the discards
    HAND = "hand"  # it takes the place of a hand card
    SPIKE = "spike"  # it takes the place of the spike card


class YarithEnd(StrEnum):
    """How a hand ends here: ties are never split."""

    UNSHOWN = "unshown"
    SHOWN = "shown"
    SHOWN_SABACC = "shown_sabacc"
    HAND_POT = "hand_pot"
    BOTH_POTS = "both_pots"
    SIDE_POTS = "side_pots"
    BLIND_DRAW = "blind_draw"
    VOID = "void"


@action("lay_spikes")
@dataclass(frozen=True)
class LaySpikes(Action):
    """A spike card lies face up in front of each seat."""


@action("buy_card")
@dataclass(frozen=True)
class BuyCard(Action):
    """Buy the top card of the deck, or of the discards where the house allows it."""

    by_player: ClassVar[bool] = True
    seat: int
    place: Place
    discards: bool = False


@action("swap_spike")
@dataclass(frozen=True)
class SwapSpike(Action):
    """Exchange a hand card with the own spike card."""

    by_player: ClassVar[bool] = True
    seat: int


TOGGLES = (
    Toggle("stakes", 1, "Multiplies the antes, and with them bets and prices.", least=1, most=1000),
    Toggle("swap_spike", False, "On its turn a seat may swap a hand card with its spike card."),
    Toggle("buy_discard", False, "The top discard may be bought for twice the price."),
    Toggle("unlimited_buys", False, "A seat may go on buying while it can pay."),
    *yarith_ranks.TOGGLES,
)

BUYING_ACTIONS = (BuyCard, SwapSpike, Stand)

_PHASES: Mapping[str, tuple[Phase, ...]] = {
    **SHARED_PHASES,
    LaySpikes.kind: (Phase.SPIKES,),
    **{kind.kind: (Phase.BUYING,) for kind in BUYING_ACTIONS},
}


_JUNK = key("Junk")  # inside the class ``key`` is the game's own


class YarithBespin(CardGame):
    """The game as the table's engine knows it."""

    key = "yarith_bespin"
    title = "Yarith Bespin Corellian Spike"
    toggles: tuple[Toggle, ...] = TOGGLES
    phases = _PHASES
    fold_word = _JUNK

    @property
    def ends(self) -> type[StrEnum]:
        """Every way a hand can end."""
        return YarithEnd

    def ended(self, table: Table) -> StrEnum | None:
        """How the last hand ended; None before the first and during one."""
        end = super().ended(table)
        return YarithEnd(end) if end else None

    def antes(self, options: Mapping[str, Any]) -> Mapping[Account, int]:
        """Two and one; one where there is no Sabacc pot."""
        if not options["sabacc_pot"]:
            return {HAND_POT: hand_ante(options)}
        return {HAND_POT: hand_ante(options), SABACC_POT: options["stakes"]}

    def limits(self, options: Mapping[str, Any]) -> Limits:
        """No limit, in multiples of the hand ante."""
        return Limits(hand_ante(options), hand_ante(options), free_raises=True)

    def compare(self, hands: Sequence[Hand], options: Mapping[str, Any]) -> Showdown:
        """By the casino's ranks."""
        return yarith_ranks.showdown(hands, options)

    def cannot_show(self, play: Play, seat: int) -> Refusal | None:
        """Two cards are no hand yet."""
        if play.held[seat] <= DEALT:
            return Refusal("no_spike_card", "There is no spike card yet, so no hand to show.")
        return None

    def after_deal(self, table: Table, play: Play) -> Step:
        """The first betting, on two cards."""
        return self.begin_betting(table, play)

    def after_betting(self, table: Table, play: Play) -> Step:
        """Spike cards after the first betting, the dice after the others."""
        phase = Phase.SPIKES if play.round_no == 1 else Phase.DICE
        return Step(replace(play, phase=phase))

    def rolled(self, table: Table, roll: Roll) -> Step:
        """Equal symbols cost the hand cards, two Spikes the spike cards too."""
        play: Play = table.play
        last = play.round_no == BETTINGS
        after = replace(play, last_roll=roll)
        after = replace(after, phase=Phase.SHOWDOWN) if last else _buying(after)
        lost = _cards_lost(roll)
        count = lost * len(staying(play))
        after = replace(after, piles=play.piles.discard(count).draw(count))
        return Step(after, (), (_DICE_LINES[lost], *reshuffled(play, after)))

    def own_status(self, table: Table) -> Line:
        """Spike cards, buying, dice."""
        play: Play = table.play
        match play.phase:
            case Phase.SPIKES:
                return Line("Lay a spike card in front of each seat.")
            case Phase.BUYING:
                return Line("Buying: {seat} is to act.", {"seat": on_turn(play)})
            case _:
                return Line("Throw the Spike dice.")

    def own_why_not(self, table: Table, action: Action) -> Refusal | None:
        """Buying and swapping."""
        play: Play = table.play
        match action:
            case LaySpikes():
                return None
            case BuyCard(seat=seat, discards=discards):
                return why_not_turn(play, seat) or _why_not_buy(table, seat, discards)
            case SwapSpike(seat=seat):
                return why_not_turn(play, seat) or _why_not_swap(table)
            case _:
                return Refusal(
                    "unknown_action",
                    "{game} has no {action}.",
                    {"game": self.title, "action": action.kind},
                )

    def own_apply(self, table: Table, action: Action) -> Step:
        """Buying and swapping."""
        play: Play = table.play
        match action:
            case LaySpikes():
                return _lay_spikes(play)
            case BuyCard():
                return self._buy(table, action)
            case SwapSpike(seat=seat):
                line = Line("{seat} swaps a hand card with the spike card.", {"seat": seat})
                return Step(replace(play, turn=replace(play.turn, swapped=True)), (), (line,))
            case Stand(seat=seat):
                return self._next(table, Step(play, (), (Line("{seat} stands.", {"seat": seat}),)))
            case _:
                raise TypeError(f"{action.kind} is no action of {self.title}")

    def own_dealer_offers(self, table: Table) -> Iterator[Offer]:
        """Lay the spike cards."""
        if table.play.phase is Phase.SPIKES:
            yield Offer(LaySpikes.kind, "Spike cards are laid", primary=True)

    def own_turn_offers(self, table: Table, seat: int) -> Iterator[Offer]:
        """What may be bought or swapped."""
        place = (Ask("place", choices=tuple(Place)),)
        for discards in (False, True):
            if _why_not_buy(table, seat, discards) is None:
                label = key("Buy the top discard") if discards else key("Buy a card")
                yield Offer(BuyCard.kind, label, {"seat": seat, "discards": discards}, place)
        if _why_not_swap(table) is None:
            yield Offer(SwapSpike.kind, "Swap with the spike card", {"seat": seat})

    def _buy(self, table: Table, wanted: BuyCard) -> Step:
        cost = card_price(table.options, wanted.discards)
        paid, move = pay(table.play, wanted.seat, HAND_POT, cost)
        piles = paid.piles.take_discard() if wanted.discards else paid.piles.draw(1)
        bought = replace(paid, piles=piles.discard(1), turn=Turn(bought=True))
        values = {"seat": wanted.seat, "amount": cost}
        line = Line(_BUY_LINES[wanted.place], values)
        step = Step(bought, (move,), (line, *reshuffled(table.play, bought)))
        goes_on = table.options["unlimited_buys"] or table.options["swap_spike"]
        return step if goes_on else self._next(table, step)

    def _next(self, table: Table, step: Step) -> Step:
        """The next seat's turn; after the last one the betting."""
        play: Play = step.play
        done = replace(play, to_act=play.to_act[1:], turn=Turn())
        if done.to_act:
            return Step(done, step.transfers, step.lines)
        begun = self.begin_betting(table, done)
        return Step(begun.play, (*step.transfers, *begun.transfers), (*step.lines, *begun.lines))


YARITH_BESPIN = YarithBespin()

_DICE_LINES = {
    0: Line("The dice differ: the hands stay."),
    DEALT: Line("The dice match: every seat discards its hand cards and draws two."),
    DEALT + 1: Line("Two Spikes: every seat discards all three cards and draws as many."),
}

_BUY_LINES = {
    Place.DROP: key("{seat} buys a card for {amount} and drops it."),
    Place.HAND: key("{seat} buys a card for {amount} and takes it in hand."),
    Place.SPIKE: key("{seat} buys a card for {amount}: the new spike card."),
}


def hand_ante(options: Mapping[str, Any]) -> int:
    """Credits of the hand pot's ante, which is also the least bet and a card's price."""
    return int(options["stakes"]) * (2 if options["sabacc_pot"] else 1)


def card_price(options: Mapping[str, Any], discards: bool) -> int:
    """Credits for a card of the deck, or of the discards."""
    return hand_ante(options) * (2 if discards else 1)


def _cards_lost(roll: Roll) -> int:
    if not matched(roll):
        return 0
    return DEALT + 1 if Symbol.SPIKE in roll.spikes else DEALT


def _buying(play: Play) -> Play:
    """The next round's purchases."""
    seats = staying(play)
    return replace(play, phase=Phase.BUYING, to_act=seats, turn=Turn(), round_no=play.round_no + 1)


def _lay_spikes(play: Play) -> Step:
    seats = staying(play)
    held = {**play.held, **dict.fromkeys(seats, DEALT + 1)}
    laid = replace(_buying(play), held=held, piles=play.piles.draw(len(seats)))
    return Step(laid, (), (Line("The spike cards are laid."), *reshuffled(play, laid)))


def _why_not_buy(table: Table, seat: int, discards: bool) -> Refusal | None:
    play: Play = table.play
    if play.turn.bought and not table.options["unlimited_buys"]:
        return Refusal("bought_already", "One card a turn is bought at this table.")
    if discards and not table.options["buy_discard"]:
        return Refusal("no_discards", "At this table discards are not sold.")
    if discards and not play.piles.discards:
        return Refusal("no_discards", "There are no discards.")
    return why_not_paid(play, seat, card_price(table.options, discards))


def _why_not_swap(table: Table) -> Refusal | None:
    play: Play = table.play
    if not table.options["swap_spike"]:
        return Refusal("no_swaps", "At this table hand and spike cards are not swapped.")
    if play.turn.swapped:
        return Refusal("swapped_already", "Buy a card before swapping again.")
    return None
