"""Galaxy Series on the pages: the Array with its prices, draws, the Sabacc Shift."""

from __future__ import annotations

from collections.abc import Sequence

from companion.rules import galaxy_series as rules
from companion.rules.card_state import Phase, Play, matched
from companion.rules.cards import BY_TEXT
from companion.rules.model import Line, Offer, Table

from . import card_table as shared
from .card_table import CardButton, Kind, PlaceView
from .cards import card_view
from .common import key
from .offers import offer_view

_ROUND = (Phase.ARRAY, Phase.CARDS, Phase.BETTING)
NAMES = (key("Pilot"), key("Wing"), key("Gunner"))
DRAWS = ("gain", "discard_gain")


def buttons(table: Table, offers: Sequence[Offer]) -> tuple[CardButton, ...]:
    """The free draws; purchases lie at the Array's places."""
    return tuple(CardButton(o.label, offer_view(o), {}) for o in offers if o.kind in DRAWS)


def array(table: Table, offers: Sequence[Offer]) -> tuple[PlaceView, ...]:
    """The three places, laid or not, with what the seat on turn may do there."""
    play: Play = table.play
    return tuple(_place(table, play, n, offers) for n in range(1, len(NAMES) + 1))


def _place(table: Table, play: Play, number: int, offers: Sequence[Offer]) -> PlaceView:
    laid = number <= len(play.array)
    text = play.array[number - 1] if laid else ""
    here = {o.kind: offer_view(o) for o in offers if o.fields.get("place") == number}
    return PlaceView(
        number=number,
        name=NAMES[number - 1],
        price=rules.price(table, number),
        laid=laid,
        card=card_view(BY_TEXT[text]) if text else None,
        buy=here.get("buy_array"),
        swap=here.get("swap_array"),
    )


def banner(table: Table) -> Line | None:
    """The Sabacc Shift, until the last betting."""
    play: Play = table.play
    shifted = play.round_no == rules.ROUNDS and play.phase in (Phase.ARRAY, Phase.CARDS)
    if not shifted or play.last_roll is None or not matched(play.last_roll):
        return None
    return Line("Sabacc Shift! New hands, as many cards as before.")


KIND = Kind(
    game=rules.GALAXY_SERIES,
    rounds=(_ROUND, _ROUND, (Phase.DICE, *_ROUND)),
    buttons=buttons,
    array=array,
    banner=banner,
)

PAGES = shared.pages(KIND)
