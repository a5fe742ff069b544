"""What the JSON interface shows, made from the pages' own views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from companion.auth import Actor, Role
from companion.edge import EdgeRow
from companion.fairness import Fairness
from companion.rolls import Pending
from companion.rounds import Player
from companion.rules.card_state import Play, visible
from companion.rules.cards import written
from companion.rules.dice import Roll
from companion.rules.model import Line, Offer
from companion.statistics import Evening, Statistics
from companion.table import Snapshot

from .context import web
from .presenters import common
from .presenters.history import last_roll
from .presenters.registry import pages_of
from .text import say


def plain(value: Any) -> Any:
    """Any view as JSON has it: sentences said, fractions as decimals, enums by value."""
    match value:
        case Line():
            return say(value)
        case Enum():
            return value.value
        case Fraction():
            return float(value)
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case tuple() | list():
            return [plain(item) for item in value]
        case frozenset() | set():
            return sorted(plain(item) for item in value)
        case _ if is_dataclass(value):
            return {spec.name: plain(getattr(value, spec.name)) for spec in fields(value)}
    return value


def table_view(snapshot: Snapshot) -> dict[str, Any]:
    """What everybody in the room may see."""
    table = snapshot.table
    game = snapshot.history.engine.game(table)
    last = last_roll(snapshot.history)
    return {
        "version": snapshot.version,
        "name": web().table_name,
        "game": table.game,
        "options": dict(table.options),
        "status": say(common.named(game.status(table), table)) if game else "",
        "seats": [
            {"number": s.number, "name": s.name, "credits": s.credits, "out": s.out}
            for s in common.seat_views(table)
        ],
        "bank": common.bank(table).credits,
        "pots": {pot.account: pot.credits for pot in common.pots(table)},
        "roll": roll_view(last.roll) if last else None,
        "board": plain(pages_of(table).board(table)),
    }


def roll_view(roll: Roll) -> dict[str, list[str]]:
    """Faces by kind of die."""
    return {"spike": [s.value for s in roll.spikes], "cube": [c.value for c in roll.cubes]}


def role_view(actor: Actor) -> dict[str, Any]:
    """What one role may see and do besides."""
    snapshot = web().service.snapshot()
    expected = snapshot.history.engine.expects(snapshot.table)
    return {
        "version": snapshot.version,
        "role": actor.role.value,
        "seat": actor.seat,
        "offers": [_offer(offer) for offer in web().service.offers(actor)],
        "expects": dict(expected) if expected else None,
        "hands": _hands(snapshot, actor),
        "tray": _tray() if actor.role is Role.DEALER else None,
        "join_token": web().tokens.issue(),
    }


def _offer(offer: Offer) -> dict[str, Any]:
    asks = [
        {
            "name": ask.name,
            "choices": list(ask.choices),
            "least": ask.least,
            "most": ask.most,
            "step": ask.step,
        }
        for ask in offer.asks
    ]
    return {
        "kind": offer.kind,
        "label": say(offer.label),
        "fields": plain(offer.fields),
        "asks": asks,
        "primary": offer.primary,
    }


def _hands(snapshot: Snapshot, actor: Actor) -> dict[str, str | None]:
    """Entered hands by seat, as this role may see them; None is a hand still hidden."""
    play = snapshot.table.play
    if not isinstance(play, Play):
        return {}
    seat = actor.seat if actor.role is Role.PLAYER else None
    return {
        str(owner): None if cards is None else written(cards)
        for owner, cards in visible(play, seat).items()
    }


def _tray() -> dict[str, Any]:
    desk = web().desk.state()
    return {
        "state": desk.tray.value,
        "camera": desk.camera,
        "reading": _reading(desk.pending) if desk.pending else None,
    }


def _reading(pending: Pending) -> dict[str, Any]:
    found = pending.reading
    dice = [{"kind": d.kind, "face": d.face, "confidence": d.confidence} for d in found.dice]
    return {
        "id": pending.id,
        "verdict": found.verdict.value,
        "reasons": [reason.value for reason in found.reasons],
        "dice": dice,
        "evidence": pending.evidence_id,
    }


def figures_view(found: Statistics, actor: Actor) -> dict[str, Any]:
    """The statistics as this role's pages show them, without their sentences and charts.

    Everybody: the dice and the evening's best; a player: the own figures; the dealer: all.
    """
    full = actor.role is Role.DEALER
    shown = [p for p in found.players if full or (p.here and p.seat == actor.seat)]
    return {
        "version": found.version,
        "dice": [_dice(kind) for kind in found.dice],
        "dice_by_set": [{"set": s.name or None, **_dice(s.found)} for s in found.sets],
        "rolls": plain(found.rolls),
        "players": [_player(player) for player in shown],
        "bank": [_bank(row) for row in (found.edge if full else ())],
        "evening": _evening(found.evening, full),
    }


def _player(player: Player) -> dict[str, Any]:
    return {
        "seat": player.seat,
        "name": player.name,
        "here": player.here,
        "credits": player.credits,
        "bought": player.bought,
        "cashed": player.cashed,
        "rounds": player.rounds,
        "won": player.won,
        "result": player.result,
        "best_streak": player.best,
        "worst_streak": player.worst,
        "balances": [{"entry": no, "credits": held} for no, held in player.balances],
    }


def _bank(row: EdgeRow) -> dict[str, Any]:
    return {
        "on": row.wager.value if row.wager else "all",
        "throws": row.throws,
        "staked": row.staked,
        "seen": row.seen,
        "expected": float(row.expected),
        "spread": row.spread,
    }


def _evening(tonight: Evening, full: bool) -> dict[str, Any]:
    return {
        "begun_utc": tonight.begun_utc,
        "ended_utc": tonight.ended_utc,
        "rounds": tonight.rounds,
        "games": dict(tonight.games),
        "bank": tonight.bank if full else None,
        "biggest_pot": plain(tonight.biggest_pot),
        "biggest_win": plain(tonight.biggest_win),
        "best_streak": plain(tonight.best_streak),
        "rolls": plain(tonight.rolls),
    }


def _dice(found: Fairness) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "throws": found.throws,
        "dice": found.dice,
        "faces": [{"face": f.face, "read": f.read, "manual": f.manual} for f in found.faces],
        "expected": found.expected,
        "chi2": found.chi2,
        "p": found.p,
        "verdict": found.verdict.value,
        "detectable_excess": found.bias,
    }
