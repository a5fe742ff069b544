"""Galaxy Series: three rounds of draw, cards and betting around an Array, one dice throw.

Mechanics after the Galaxy Series sheet of the Games of the Galaxy Holodex
(www.gamesofthegalaxy.com). The cards are real; the station counts and prices
them. House readings: a card bought or swapped for is replaced at the Pilot's
place at once, so places count from the deck; the price of a place is its
number in chips; a Sabacc Shift comes before the Gunner is laid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from . import cards, galaxy_ranks
from .actions import Action, action
from .betting import Limits
from .card_actions import Stand
from .card_game import (
    SHARED_PHASES,
    CardGame,
)
from .card_moves import pay, reshuffled, why_not_paid, why_not_turn
from .card_state import Phase, Play, behind, matched, on_turn, open_cards, staying
from .cards import CardError, Hand
from .dice import Roll
from .errors import Refusal
from .model import Line, Offer, Step, Table
from .options import Toggle
from .showdown import Showdown
from .transfers import HAND_POT, SABACC_POT, Account
from .words import key

ROUNDS = 3
PLACES = (key("Pilot"), key("Wing"), key("Gunner"))
MOST_CARDS = galaxy_ranks.MOST


@action("lay_array")
@dataclass(frozen=True)
class LayArray(Action):
    """A card is laid beside the deck; the others move on. ``card`` may name it."""

    card: str = ""


@action("name_array_card")
@dataclass(frozen=True)
class NameArrayCard(Action):
    """Say which card lies at a place of the Array (1: the Pilot's)."""

    place: int
    card: str


@action("gain")
@dataclass(frozen=True)
class Gain(Action):
    """Draw a card; from the discards where the house allows it."""

    by_player: ClassVar[bool] = True
    seat: int
    discards: bool = False


@action("discard_gain")
@dataclass(frozen=True)
class DiscardGain(Action):
    """Discard a card, then draw one."""

    by_player: ClassVar[bool] = True
    seat: int
    discards: bool = False


@action("buy_array")
@dataclass(frozen=True)
class BuyArray(Action):
    """Buy the Array's card at ``place``."""

    by_player: ClassVar[bool] = True
    seat: int
    place: int


@action("swap_array")
@dataclass(frozen=True)
class SwapArray(Action):
    """Give a hand card for the Array's card at ``place``, at the same price."""

    by_player: ClassVar[bool] = True
    seat: int
    place: int


TOGGLES = (
    Toggle("ante", 5, "Ante to the hand pot, credits a seat a hand.", least=1, most=1000),
    Toggle("sabacc_ante", 5, "Ante to the Sabacc pot, credits a seat.", least=1, most=1000),
    Toggle(
        "chip", 5, "The lowest chip: least bet, and the unit of Array prices.", least=1, most=1000
    ),
    Toggle(
        "array_pays",
        "hand_pot",
        "The pot that prices of Array cards go to.",
        ("hand_pot", "sabacc_pot"),
    ),
    Toggle(
        "swap_to",
        "discard",
        "Where a swapped hand card goes: to the discards, or to the Array's empty place.",
        ("discard", "slot"),
    ),
    Toggle("draw_discards", False, "A free draw may take the top of the discards."),
    *galaxy_ranks.TOGGLES,
)

CARD_ACTIONS = (Gain, DiscardGain, BuyArray, SwapArray, Stand)

_PHASES: Mapping[str, tuple[Phase, ...]] = {
    **SHARED_PHASES,
    LayArray.kind: (Phase.ARRAY,),
    NameArrayCard.kind: (Phase.CARDS, Phase.BETTING, Phase.DICE, Phase.SHOWDOWN),
    **{kind.kind: (Phase.CARDS,) for kind in CARD_ACTIONS},
}


# Inside the class ``key`` is the game's own.
_DEAL = key("{seat} deals: two cards each, then one face up to begin the discards.")


class GalaxySeries(CardGame):
    """The game as the table's engine knows it."""

    key = "galaxy_series"
    title = "Galaxy Series"
    toggles: tuple[Toggle, ...] = TOGGLES
    phases = _PHASES
    deal_text = _DEAL

    def antes(self, options: Mapping[str, Any]) -> Mapping[Account, int]:
        """One ante to each pot."""
        return {HAND_POT: options["ante"], SABACC_POT: options["sabacc_ante"]}

    def limits(self, options: Mapping[str, Any]) -> Limits:
        """No limit; the least bet is the lowest chip."""
        return Limits(options["chip"])

    def compare(self, hands: Sequence[Hand], options: Mapping[str, Any]) -> Showdown:
        """By the fifteen ranks."""
        return galaxy_ranks.showdown(hands, options)

    def after_deal(self, table: Table, play: Play) -> Step:
        """The top card begins the discards; then the Pilot is laid."""
        piles = play.piles.draw(1).discard(1)
        return Step(replace(play, phase=Phase.ARRAY, piles=piles))

    def after_betting(self, table: Table, play: Play) -> Step:
        """The next round; the last begins with the dice."""
        if play.round_no == ROUNDS:
            return Step(replace(play, phase=Phase.SHOWDOWN))
        last = play.round_no + 1 == ROUNDS
        phase = Phase.DICE if last else Phase.ARRAY
        return Step(replace(play, phase=phase, round_no=play.round_no + 1))

    def rolled(self, table: Table, roll: Roll) -> Step:
        """Equal symbols are a Sabacc Shift: new hands, as many cards as before."""
        play: Play = table.play
        after = replace(play, phase=Phase.ARRAY, last_roll=roll)
        if not matched(roll):
            return Step(after, (), (Line("No shift: the hands stay."),))
        count = sum(play.held[seat] for seat in staying(play))
        after = replace(after, piles=play.piles.discard(count).draw(count))
        line = Line("Sabacc Shift: every hand is discarded for as many new cards.")
        return Step(after, (), (line, *reshuffled(play, after)))

    def own_status(self, table: Table) -> Line:
        """Array, cards, dice."""
        play: Play = table.play
        match play.phase:
            case Phase.ARRAY:
                return Line("Round {n}: lay a card in the Array.", {"n": play.round_no})
            case Phase.CARDS:
                return Line("Cards: {seat} is to act.", {"seat": on_turn(play)})
            case _:
                return Line("Throw the Spike dice.")

    def own_why_not(self, table: Table, action: Action) -> Refusal | None:
        """Array and hand cards."""
        play: Play = table.play
        match action:
            case LayArray(card=text):
                return _why_not_named(play, text) if text else None
            case NameArrayCard(place=place, card=text):
                renamed = replace(play, array=_named(play.array, place, ""))
                return _why_not_place(play, place) or _why_not_named(renamed, text)
            case Gain(seat=seat, discards=discards):
                refusal = why_not_turn(play, seat) or _why_not_more(play, seat)
                return refusal or _why_not_discards(table, discards)
            case DiscardGain(seat=seat, discards=discards):
                return why_not_turn(play, seat) or _why_not_discards(table, discards)
            case BuyArray(seat=seat, place=place):
                refusal = why_not_turn(play, seat) or _why_not_place(play, place)
                refusal = refusal or _why_not_more(play, seat)
                return refusal or why_not_paid(play, seat, price(table, place))
            case SwapArray(seat=seat, place=place):
                refusal = why_not_turn(play, seat) or _why_not_place(play, place)
                return refusal or why_not_paid(play, seat, price(table, place))
            case _:
                return Refusal(
                    "unknown_action",
                    "{game} has no {action}.",
                    {"game": self.title, "action": action.kind},
                )

    def own_apply(self, table: Table, action: Action) -> Step:
        """Array and hand cards; each card action ends the seat's turn."""
        play: Play = table.play
        match action:
            case LayArray(card=text):
                return _lay(play, text)
            case NameArrayCard(place=place, card=text):
                named = replace(play, array=_named(play.array, place, text.strip()))
                values = {"place": PLACES[place - 1], "card": text.strip()}
                return Step(named, (), (Line("The {place} is {card}.", values),))
            case Gain(seat=seat, discards=discards):
                line = Line("{seat} draws a card.", {"seat": seat})
                return self._next(table, Step(_gain(play, seat, discards), (), (line,)))
            case DiscardGain(seat=seat, discards=discards):
                line = Line("{seat} discards a card and draws one.", {"seat": seat})
                return self._next(table, Step(_exchange(play, discards), (), (line,)))
            case BuyArray(seat=seat, place=place):
                return self._next(table, _buy(table, seat, place))
            case SwapArray(seat=seat, place=place):
                return self._next(table, _swap(table, seat, place))
            case Stand(seat=seat):
                return self._next(table, Step(play, (), (Line("{seat} stands.", {"seat": seat}),)))
            case _:
                raise TypeError(f"{action.kind} is no action of {self.title}")

    def own_dealer_offers(self, table: Table) -> Iterator[Offer]:
        """Lay the Array."""
        if table.play.phase is Phase.ARRAY:
            yield Offer(LayArray.kind, "Card is laid", {"card": ""}, primary=True)

    def own_turn_offers(self, table: Table, seat: int) -> Iterator[Offer]:
        """Draws, and what the Array costs."""
        play: Play = table.play
        room = _why_not_more(play, seat) is None
        for discards in (False, True):
            if _why_not_discards(table, discards):
                continue
            where = {"seat": seat, "discards": discards}
            if room:
                yield Offer(Gain.kind, "Take the discard" if discards else "Draw", where)
            label = key("Discard and take the discard") if discards else key("Discard and draw")
            yield Offer(DiscardGain.kind, label, where)
        most = behind(play, seat) // table.options["chip"]
        for place in range(1, min(most, len(play.array)) + 1):
            at = {"seat": seat, "place": place}
            if room:
                yield Offer(BuyArray.kind, _BUY_LABELS[place - 1], at)
            yield Offer(SwapArray.kind, _SWAP_LABELS[place - 1], at)

    def _next(self, table: Table, step: Step) -> Step:
        """The next seat's turn; after the last one the betting."""
        play: Play = step.play
        lines = (*step.lines, *reshuffled(table.play, play))
        done = Step(replace(play, to_act=play.to_act[1:]), step.transfers, lines)
        if done.play.to_act:
            return done
        begun = self.begin_betting(table, done.play)
        return Step(begun.play, (*done.transfers, *begun.transfers), (*lines, *begun.lines))


GALAXY_SERIES = GalaxySeries()

_BUY_LABELS = (key("Buy Pilot: 1 chip"), key("Buy Wing: 2 chips"), key("Buy Gunner: 3 chips"))
_SWAP_LABELS = (
    key("Swap for Pilot: 1 chip"),
    key("Swap for Wing: 2 chips"),
    key("Swap for Gunner: 3 chips"),
)


def price(table: Table, place: int) -> int:
    """Credits for the Array's card at ``place``: one chip for the Pilot, one more each place on."""
    return place * int(table.options["chip"])


def _why_not_place(play: Play, place: int) -> Refusal | None:
    if not 1 <= place <= len(play.array):
        return Refusal(
            "no_such_place", "The Array has places 1 to {most}.", {"most": len(play.array)}
        )
    return None


def _why_not_more(play: Play, seat: int) -> Refusal | None:
    if play.held[seat] >= MOST_CARDS:
        return Refusal("hand_full", "A hand has at most {most} cards.", {"most": MOST_CARDS})
    return None


def _why_not_discards(table: Table, discards: bool) -> Refusal | None:
    if discards and not table.options["draw_discards"]:
        return Refusal("no_discards", "At this table discards are not drawn.")
    if discards and not table.play.piles.discards:
        return Refusal("no_discards", "There are no discards.")
    return None


def _why_not_named(play: Play, text: str) -> Refusal | None:
    try:
        named = cards.parse(text)
    except CardError as fault:
        return fault.refusal
    if len(named) != 1:
        return Refusal("wrong_count", "Name one card.")
    return cards.deck_fault((*open_cards(play, besides=0), *named))


def _named(array: tuple[str, ...], place: int, text: str) -> tuple[str, ...]:
    return tuple(text if at == place else card for at, card in enumerate(array, 1))


def _lay(play: Play, text: str) -> Step:
    laid = replace(
        play,
        phase=Phase.CARDS,
        array=(text.strip(), *play.array),
        piles=play.piles.draw(1),
        to_act=staying(play),
    )
    line = Line("The {place} is laid.", {"place": PLACES[len(laid.array) - 1]})
    return Step(laid, (), (line, *reshuffled(play, laid)))


def _gain(play: Play, seat: int, discards: bool) -> Play:
    piles = play.piles.take_discard() if discards else play.piles.draw(1)
    return replace(play, piles=piles, held={**play.held, seat: play.held[seat] + 1})


def _exchange(play: Play, discards: bool) -> Play:
    """The card drawn from the discards is the one that lay there before."""
    taken = play.piles.take_discard() if discards else play.piles
    dropped = taken.discard(1)
    return replace(play, piles=dropped if discards else dropped.draw(1))


def _buy(table: Table, seat: int, place: int) -> Step:
    cost = price(table, place)
    paid, move = pay(table.play, seat, table.options["array_pays"], cost)
    bought = replace(
        paid,
        array=_without(paid.array, place),
        piles=paid.piles.draw(1),
        held={**paid.held, seat: paid.held[seat] + 1},
    )
    values = {"seat": seat, "place": PLACES[place - 1], "amount": cost}
    return Step(bought, (move,), (Line("{seat} buys the {place} for {amount}.", values),))


def _swap(table: Table, seat: int, place: int) -> Step:
    cost = price(table, place)
    paid, move = pay(table.play, seat, table.options["array_pays"], cost)
    if table.options["swap_to"] == "slot":
        swapped = replace(paid, array=_named(paid.array, place, ""))
    else:
        piles = paid.piles.discard(1).draw(1)
        swapped = replace(paid, array=_without(paid.array, place), piles=piles)
    values = {"seat": seat, "place": PLACES[place - 1], "amount": cost}
    line = Line("{seat} swaps a card for the {place}, for {amount}.", values)
    return Step(swapped, (move,), (line,))


def _without(array: tuple[str, ...], place: int) -> tuple[str, ...]:
    """The cards nearer the deck move on and the Pilot's place is filled anew."""
    return ("", *array[: place - 1], *array[place:])
