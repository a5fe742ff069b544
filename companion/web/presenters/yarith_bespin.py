"""Yarith Bespin Corellian Spike on the pages: purchases, the spike card, matching dice."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules import yarith_bespin as rules
from companion.rules.card_state import Phase, Play, matched
from companion.rules.dice import Symbol
from companion.rules.model import Line, Offer, Table
from companion.rules.yarith_bespin import Place

from . import card_table as shared
from .card_table import CardButton, Kind, PlaceView
from .common import key
from .offers import offer_view

BUY, SWAP = rules.BuyCard.kind, rules.SwapSpike.kind
LABELS = {
    (Place.HAND, False): key("Buy for the hand"),
    (Place.SPIKE, False): key("Buy as spike"),
    (Place.DROP, False): key("Buy and drop"),
    (Place.HAND, True): key("Discard, for the hand"),
    (Place.SPIKE, True): key("Discard, as spike"),
    (Place.DROP, True): key("Discard, and drop"),
}


def buttons(table: Table, offers: Sequence[Offer]) -> tuple[CardButton, ...]:
    """Each purchase with each place for the card, and the free swap."""
    found: list[CardButton] = []
    for offer in offers:
        if offer.kind == BUY:
            found += [_purchase(table, offer, place) for place in (Place.HAND, Place.SPIKE)]
            found.append(_purchase(table, offer, Place.DROP))
        elif offer.kind == SWAP:
            found.append(CardButton(offer.label, offer_view(offer), {}))
    return tuple(found)


def _purchase(table: Table, offer: Offer, place: Place) -> CardButton:
    discards = bool(offer.fields["discards"])
    price = rules.card_price(table.options, discards)
    return CardButton(LABELS[place, discards], offer_view(offer), {"place": place.value}, price)


def array(_table: Table, _offers: Sequence[Offer]) -> tuple[PlaceView, ...]:
    """There is no Array."""
    return ()


def banner(table: Table) -> Line | None:
    """What matching dice cost, while the new cards are dealt and looked at."""
    play: Play = table.play
    thrown = play.phase is Phase.BUYING and play.round_no > 2  # the second round has no throw yet
    fresh = thrown or play.phase is Phase.SHOWDOWN
    if not fresh or play.last_roll is None or not matched(play.last_roll):
        return None
    if Symbol.SPIKE in play.last_roll.spikes:
        return Line("Two Spikes! Discard all three cards, draw three new ones.")
    return Line("The dice match! Discard both hand cards, draw two new ones.")


_ROUND = (Phase.BUYING, Phase.BETTING, Phase.DICE)
KIND = Kind(
    game=rules.YARITH_BESPIN,
    rounds=((Phase.BETTING,), (Phase.SPIKES, *_ROUND), _ROUND, _ROUND),
    buttons=buttons,
    array=array,
    banner=banner,
    spike=True,
)

PAGES = shared.pages(KIND)
