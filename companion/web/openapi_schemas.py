"""Schemas of the JSON interface; those of the actions come from the actions themselves."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import Enum
from typing import Any

from companion.fairness import Verdict
from companion.games import GAMES
from companion.rules.actions import Action, known_actions
from companion.rules.dice import Colour, Roll, Symbol

INT: Mapping[str, Any] = {"type": "integer"}
TEXT: Mapping[str, Any] = {"type": "string"}
FLAG: Mapping[str, Any] = {"type": "boolean"}
NUMBER: Mapping[str, Any] = {"type": "number"}
ANY: Mapping[str, Any] = {}


def ref(name: str) -> dict[str, str]:
    """A reference to a schema."""
    return {"$ref": f"#/components/schemas/{name}"}


def _object(
    required: Mapping[str, Any], optional: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _list(of: Any) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _maybe(of: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [of, {"type": "null"}]}


def _map(of: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": of}


def _rows(columns: Mapping[str, Any]) -> dict[str, Any]:
    return _object({"rows": _list(_object(columns))})


def action_schema(cls: type[Action]) -> dict[str, Any]:
    """What the log stores of one kind of action."""
    hints = typing.get_type_hints(cls)
    needed: dict[str, Any] = {"kind": {"const": cls.kind}}
    free: dict[str, Any] = {}
    for spec in fields(cls):
        given = spec.default is MISSING and spec.default_factory is MISSING
        (needed if given else free)[spec.name] = typed(hints[spec.name])
    made = _object(needed, free)
    return {**made, "description": (cls.__doc__ or "").strip().partition("\n\n")[0]}


def typed(hint: Any) -> dict[str, Any]:
    """The schema of a field's type.

    >>> typed(int | None)
    {'anyOf': [{'type': 'integer'}, {'type': 'null'}]}
    """
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [typed(arg) for arg in args]}
    if origin is tuple:
        return _list(typed(args[0]))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if hint is Roll:
        return ref("Roll")
    simple = {int: INT, str: TEXT, bool: FLAG, float: NUMBER, type(None): {"type": "null"}}
    return dict(simple.get(hint, {"type": "object"}))


FACES = {
    "spike": _list({"enum": [symbol.value for symbol in Symbol]}),
    "cube": _list({"enum": [Colour.RED.value, Colour.BLUE.value]}),
}
TICKET: Mapping[str, Any] = {
    "expected_version": {"type": "integer", "minimum": 0, "maximum": 999_999_999_999},
    "request_id": {
        "type": "string",
        "pattern": "^[A-Za-z0-9_-]{8,64}$",
        "description": "Chosen by the client; sent again, the first answer is given again.",
    },
}
SEAT = {"type": "integer", "minimum": 1, "maximum": 8}
GAME = {"enum": [*GAMES, None]}
BEST = _maybe(_object({"value": INT, "names": _list(TEXT), "game": TEXT, "entry": INT}))
ROLLS = _object(dict.fromkeys(("read", "confirmed", "manual", "corrected", "undone"), INT))
LOG: Mapping[str, Any] = {
    "no": INT,
    "at_utc": TEXT,
    "actor": TEXT,
    "kind": TEXT,
    "in_force": FLAG,
    "action": _object({"kind": TEXT}) | {"additionalProperties": True},
    "text": _list(TEXT),
}
LEDGER: Mapping[str, Any] = {
    "no": INT,
    "entry": INT,
    "at_utc": TEXT,
    "source": TEXT,
    "target": TEXT,
    "amount": {"type": "integer", "minimum": 1},
    "reason": TEXT,
    "reverses": _maybe(INT),
}
ROLL_ROWS: Mapping[str, Any] = {
    "entry": INT,
    "at_utc": TEXT,
    "game": TEXT,
    "how": {"enum": ["read", "confirmed", "manual"]},
    "standing": {"enum": ["in_force", "corrected", "undone"]},
    "spike": FACES["spike"],
    "cube": FACES["cube"],
    "first_spike": FACES["spike"],
    "first_cube": FACES["cube"],
    "evidence": _maybe(TEXT),
    "sets": _list(TEXT),
}

OFFER = _object(
    {
        "kind": TEXT,
        "label": TEXT,
        "fields": _map(ANY),
        "asks": _list(
            _object(
                {
                    "name": TEXT,
                    "choices": _list(TEXT),
                    "least": _maybe(INT),
                    "most": _maybe(INT),
                    "step": INT,
                }
            )
        ),
        "primary": FLAG,
    }
)
READING = _object(
    {
        "id": TEXT,
        "verdict": TEXT,
        "reasons": _list(TEXT),
        "dice": _list(_object({"kind": TEXT, "face": _maybe(TEXT), "confidence": NUMBER})),
        "evidence": _maybe(TEXT),
    }
)
DICE_FACTS = {
    "kind": TEXT,
    "throws": INT,
    "dice": INT,
    "faces": _list(_object({"face": TEXT, "read": INT, "manual": INT})),
    "expected": NUMBER,
    "chi2": _maybe(NUMBER),
    "p": _maybe(NUMBER),
    "verdict": {"enum": [verdict.value for verdict in Verdict]},
    "detectable_excess": _maybe(NUMBER),
}
DICE = _object(DICE_FACTS)
SET_DICE = _object({"set": _maybe(TEXT), **DICE_FACTS})
FIGURES = ("credits", "bought", "cashed", "rounds", "won", "result", "best_streak", "worst_streak")
PLAYER = _object(
    {
        "seat": SEAT,
        "name": TEXT,
        "here": FLAG,
        **dict.fromkeys(
            (
                "credits",
                "bought",
                "cashed",
                "rounds",
                "won",
                "result",
                "best_streak",
                "worst_streak",
            ),
            INT,
        ),
        "balances": _list(_object({"entry": INT, "credits": INT})),
    }
)
BANK = _object(
    {
        "on": {"enum": ["symbol", "colour", "double", "all"]},
        "throws": INT,
        "staked": INT,
        "seen": INT,
        "expected": NUMBER,
        "spread": NUMBER,
    }
)
SCHEMAS: Mapping[str, Any] = {
    "Anything": {"type": "object"},
    "Text": dict(TEXT),
    "Refusal": _object({"sentence": TEXT}, {"code": TEXT, "version": INT}),
    "Done": _object({"sentence": TEXT, "version": INT, "repeated": FLAG}),
    "Session": _object(
        {
            "role": {"enum": ["dealer", "player", "viewer"]},
            "seat": _maybe(SEAT),
            "csrf_token": TEXT,
        }
    ),
    "Login": _object({"pin": {"type": "string", "pattern": "^[0-9]{4,12}$"}}),
    "Join": {
        "oneOf": [
            _object({"code": TEXT}),
            _object(
                {
                    "token": TEXT,
                    "player": _object({"seat": SEAT, "name": TEXT}, {"colour": TEXT}),
                    **TICKET,
                }
            ),
        ]
    },
    "Act": _object({"action": ref("Action"), **TICKET}),
    "Confirm": _object(dict(TICKET), {"reading": TEXT, "faces": _maybe(_object({}, FACES))}),
    "Dismiss": _object({"reading": TEXT, **TICKET}),
    "Roll": _object({}, FACES),
    "Action": {"oneOf": [ref(f"Action_{cls.kind}") for cls in known_actions()]},
    **{f"Action_{cls.kind}": action_schema(cls) for cls in known_actions()},
    "Table": _object(
        {
            "version": INT,
            "name": TEXT,
            "game": GAME,
            "options": _map(ANY),
            "status": TEXT,
            "seats": _list(_object({"number": SEAT, "name": TEXT, "credits": INT, "out": FLAG})),
            "bank": INT,
            "pots": _map(INT),
            "roll": _maybe(_object(FACES)),
            "board": {"description": "The game's own board, as the room's screen shows it."},
        }
    ),
    "View": _object(
        {
            "version": INT,
            "role": {"enum": ["dealer", "player", "viewer"]},
            "seat": _maybe(SEAT),
            "offers": _list(OFFER),
            "expects": _maybe(_map(INT)),
            "hands": _map(_maybe(TEXT)),
            "tray": _maybe(_object({"state": TEXT, "camera": TEXT, "reading": _maybe(READING)})),
            "join_token": TEXT,
        }
    ),
    "Statistics": _object(
        {
            "version": INT,
            "dice": _list(DICE),
            "dice_by_set": _list(SET_DICE),
            "rolls": ROLLS,
            "players": _list(PLAYER),
            "bank": _list(BANK),
            "evening": _object(
                {
                    "begun_utc": TEXT,
                    "ended_utc": TEXT,
                    "rounds": INT,
                    "games": _map(INT),
                    "bank": _maybe(INT),
                    "biggest_pot": BEST,
                    "biggest_win": BEST,
                    "best_streak": BEST,
                    "rolls": ROLLS,
                }
            ),
        }
    ),
    "LogRows": _rows(LOG),
    "LedgerRows": _rows(LEDGER),
    "RollRows": _rows(ROLL_ROWS),
}
