"""Sheets of the card games: a hand on the card grid, a raise on the pad, names as they grow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from flask import Response, abort, jsonify, render_template, request, url_for
from flask_babel import gettext
from werkzeug.exceptions import BadRequest

from companion.rules.card_actions import BlindDraw, EnterHand, KeepHidden, Muck
from companion.rules.card_game import CardGame
from companion.rules.card_state import Play, on_turn, open_cards
from companion.rules.cards import Card, CardError
from companion.rules.galaxy_series import PLACES, NameArrayCard
from companion.rules.model import Seat, Table
from companion.table import Snapshot

from . import context, dealer, player
from .context import web
from .presenters import cards
from .presenters.card_bets import bet_view
from .presenters.common import seat_view
from .presenters.offers import OfferView, offer_view
from .text import say, word


def _game(snapshot: Snapshot) -> CardGame:
    """The card game being played, or 404."""
    game = snapshot.history.engine.game(snapshot.table)
    if not isinstance(game, CardGame):
        abort(404)
    return game


# The dealer's


@dealer.bp.get("/hand/<int:number>")
def dealer_hand(number: int) -> str:
    """Enter a seat's hand, or let it end the hand otherwise."""
    snapshot = web().service.snapshot()
    return _hand_sheet(snapshot, number, "dealer")


@dealer.bp.get("/hand/<int:number>/name")
def dealer_hand_name(number: int) -> Response:
    """What the cards picked so far make."""
    return _name(web().service.snapshot(), number)


@dealer.bp.get("/array/<int:place>")
def array_card(place: int) -> str:
    """Say which card lies at a place of the Array."""
    snapshot = web().service.snapshot()
    play = _play(snapshot)
    if not 1 <= place <= len(play.array):
        abort(404)
    title = gettext("Which card is the %(place)s?", place=word(PLACES[place - 1]))
    fields = {"place": place}
    taken = open_cards(_without(play, place), 0)
    return _grid_sheet(snapshot, "dealer", title, NameArrayCard.kind, fields, "card", 1, taken)


@dealer.bp.get("/draw/<int:number>")
def drawn_card(number: int) -> str:
    """The card a tied seat drew."""
    snapshot = web().service.snapshot()
    _game(snapshot)
    title = gettext("Which card did %(name)s draw?", name=_name_of(snapshot.table, number))
    taken = open_cards(_play(snapshot), 0)
    fields = {"seat": number}
    return _grid_sheet(snapshot, "dealer", title, BlindDraw.kind, fields, "card", 1, taken)


@dealer.bp.get("/raise")
def dealer_raise() -> str:
    """A bet or raise for the seat on turn."""
    snapshot = web().service.snapshot()
    _game(snapshot)
    seat = on_turn(_play(snapshot))
    if seat is None:
        abort(404)
    return _raise_sheet(snapshot, seat, "dealer")


# The phone's


@player.bp.get("/hand")
def my_hand() -> str:
    """Enter the own hand."""
    _, seat, snapshot = context.player()
    return _hand_sheet(snapshot, seat.number, "player")


@player.bp.get("/hand/name")
def my_hand_name() -> Response:
    """What the cards picked so far make."""
    _, seat, snapshot = context.player()
    return _name(snapshot, seat.number)


@player.bp.get("/raise")
def my_raise() -> str:
    """A bet or raise of the own seat."""
    _, seat, snapshot = context.player()
    return _raise_sheet(snapshot, seat.number, "player")


# Shared


def _hand_sheet(snapshot: Snapshot, number: int, side: str) -> str:
    """The grid for a seat's hand; never filled beforehand, for it may be someone else's."""
    game, play = _game(snapshot), _play(snapshot)
    offers = {o.kind: offer_view(o) for o in game.legal_actions(snapshot.table, number)}
    count = play.held.get(number, 0) if EnterHand.kind in offers else 0
    own = side == "player"
    name = _name_of(snapshot.table, number)
    return _grid_sheet(
        snapshot,
        side,
        gettext("Which cards do you hold?") if own else gettext("%(name)s's hand", name=name),
        EnterHand.kind,
        {"seat": number},
        "cards",
        count,
        open_cards(play, number),
        name_url=_at(side, "hand_name", number),
        spike=count > 0 and game.key == "yarith_bespin",
        others=_others(offers),
    )


def _others(offers: dict[str, OfferView]) -> list[OfferView]:
    return [offers[kind] for kind in (Muck.kind, KeepHidden.kind) if kind in offers]


def _grid_sheet(
    snapshot: Snapshot,
    side: str,
    title: str,
    kind: str,
    fields: dict[str, int],
    picks: str,
    count: int,
    taken: Iterable[Card],
    **more: Any,
) -> str:
    """``picks`` names the action's field that the ``count`` cards picked go into."""
    return render_template(
        "sheet_cards.html",
        title=title,
        kind=kind,
        fields=fields,
        picks=picks,
        count=count,
        deck=cards.deck(taken),
        **_frame(snapshot, side),
        **more,
    )


def _raise_sheet(snapshot: Snapshot, number: int, side: str) -> str:
    game, table = _game(snapshot), snapshot.table
    offers = {offer.kind: offer for offer in game.legal_actions(table, number)}
    found = bet_view(table, number, offers)
    return render_template(
        "sheet_raise.html",
        title=_name_of(table, number),
        bets=found,
        r=found.raise_ if found else None,
        s=seat_view(table, _seat(table, number)),
        **_frame(snapshot, side),
    )


def _frame(snapshot: Snapshot, side: str) -> dict[str, Any]:
    return {
        "style": side,
        "side": side,
        "version": snapshot.version,
        "back": url_for("dealer.station" if side == "dealer" else "player.seat_page"),
        "act": url_for(f"{side}.act"),
    }


def _at(side: str, page: str, number: int) -> str:
    if side == "player":
        return url_for(f"player.my_{page}")
    return url_for(f"dealer.dealer_{page}", number=number)


def _name(snapshot: Snapshot, number: int) -> Response:
    game = _game(snapshot)
    try:
        found = cards.hand_name(game, snapshot.table, number, request.args.get("cards", ""))
    except CardError as fault:
        raise BadRequest(say(fault.refusal.line)) from fault
    return jsonify(total=f"{found.total:+}" if found.total else "0", name=word(found.name))


def _play(snapshot: Snapshot) -> Play:
    _game(snapshot)
    play: Play = snapshot.table.play
    return play


def _without(play: Play, place: int) -> Play:
    """The play with one place of the Array unnamed, as it is when its name is put right."""
    named = tuple("" if n == place else text for n, text in enumerate(play.array, 1))
    return replace(play, array=named)


def _seat(table: Table, number: int) -> Seat:
    seat = table.seat(number)
    if seat is None:
        abort(404)
    return seat


def _name_of(table: Table, number: int) -> str:
    return _seat(table, number).name
