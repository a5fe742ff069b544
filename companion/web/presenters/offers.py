"""Any game's offers as buttons and small forms."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.rules.model import Ask, Offer

# Done on the seats, bank and game sheets, which show more than an offer could.
TABLE_KINDS = frozenset(
    {
        "join_seat",
        "leave_seat",
        "sit_out",
        "buy_in",
        "cash_out",
        "fund_bank",
        "draw_bank",
        "choose_game",
        "end_game",
        "undo",
        "redo",
        "correct_roll",
        "record_roll",
    }
)


@dataclass(frozen=True, slots=True)
class AskView:
    """One thing to fill in. ``kind`` is ``choice``, ``number`` or ``text``."""

    name: str
    kind: str
    label: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    step: int = 1


@dataclass(frozen=True, slots=True)
class OfferView:
    """A button, with a form behind it when ``asks`` is not empty."""

    kind: str
    label: str
    fields: str  # the decided fields as JSON, carried through the form
    seat: int | None
    asks: tuple[AskView, ...] = ()
    primary: bool = False
    on: str = ""  # the place of the mat it concerns


def offer_view(offer: Offer) -> OfferView:
    """One offer as the page shows it."""
    fields = json.dumps(dict(offer.fields), sort_keys=True, default=str)
    seat = offer.fields.get("seat")
    asks = tuple(_ask_view(ask) for ask in offer.asks)
    on = str(offer.fields.get("on", ""))
    return OfferView(offer.kind, offer.label, fields, seat, asks, offer.primary, on)


def _ask_view(ask: Ask) -> AskView:
    numeric = ask.least is not None or ask.most is not None
    kind = "choice" if ask.choices else "number" if numeric else "text"
    label = ask.name.replace("_", " ").capitalize()
    return AskView(ask.name, kind, label, ask.choices, ask.least, ask.most, ask.step)


def game_offers(offers: Iterable[Offer], handled: Iterable[str] = ()) -> tuple[OfferView, ...]:
    """Offers of the game itself, without the kinds a page has its own controls for."""
    skip = TABLE_KINDS | set(handled)
    return tuple(offer_view(offer) for offer in offers if offer.kind not in skip)


def primary(offers: Sequence[Offer]) -> OfferView | None:
    """The natural next step that can be done with one press."""
    for offer in offers:
        if offer.primary and not offer.asks and offer.kind != "record_roll":
            return offer_view(offer)
    return None
