"""Actions: the numbered, frozen decisions from which the whole table is folded.

Every game declares its own actions next to its rules with ``@action``; this
module holds the ones all games share and the JSON form that the log stores.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, StrEnum
from functools import cache
from typing import Any, ClassVar, TypeVar

from .dice import Roll
from .words import Line


@dataclass(frozen=True)
class Action:
    """Base of all actions.

    ``by_player``: a seated player may do it for the own seat (the dealer may do all).
    ``local``: leaves every other seat's choices as they were, so a phone that
    has not yet seen it is not out of date.
    """

    kind: ClassVar[str]
    by_player: ClassVar[bool] = False
    local: ClassVar[bool] = False


SPARE = "spare"  # a later field: unused it is not stored, so that older rows keep their hash
A = TypeVar("A", bound=type[Action])
_KINDS: dict[str, type[Action]] = {}


def action(kind: str) -> Callable[[A], A]:
    """Class decorator: freeze the action and give it its name in the log."""

    def register(cls: A) -> A:
        if kind in _KINDS:
            raise ValueError(f"two actions are called {kind}")
        cls.kind = kind
        _KINDS[kind] = cls
        return cls

    return register


def known_actions() -> tuple[type[Action], ...]:
    """Every kind of action that has been declared, by name."""
    return tuple(_KINDS[kind] for kind in sorted(_KINDS))


def fields_of(kind: str) -> Mapping[str, Any]:
    """The fields of the action called ``kind`` with their types; empty for an unknown kind."""
    cls = _KINDS.get(kind)
    hints = typing.get_type_hints(cls) if cls else {}
    return {spec.name: hints[spec.name] for spec in fields(cls)} if cls else {}


class How(StrEnum):
    """Who vouches for a roll's faces."""

    READ = "read"  # the reader, sure enough to be accepted unasked
    CONFIRMED = "confirmed"  # the reader's suggestion, confirmed by the dealer
    MANUAL = "manual"  # entered by the dealer


@action("join_seat")
@dataclass(frozen=True)
class JoinSeat(Action):
    """A player takes an empty seat; ``colour`` is the name of a seat colour."""

    seat: int
    name: str
    colour: str = ""


@action("leave_seat")
@dataclass(frozen=True)
class LeaveSeat(Action):
    """A player leaves; remaining credits are cashed out."""

    seat: int


@action("sit_out")
@dataclass(frozen=True)
class SitOut(Action):
    """A player stays seated but is not dealt in (``out=False`` brings them back)."""

    by_player: ClassVar[bool] = True
    seat: int
    out: bool = True


@action("buy_in")
@dataclass(frozen=True)
class BuyIn(Action):
    """Credits handed to a seat (first buy-in or rebuy)."""

    seat: int
    amount: int


@action("cash_out")
@dataclass(frozen=True)
class CashOut(Action):
    """Credits handed back by a seat."""

    seat: int
    amount: int


@action("fund_bank")
@dataclass(frozen=True)
class FundBank(Action):
    """The dealer adds to the bankroll."""

    amount: int


@action("draw_bank")
@dataclass(frozen=True)
class DrawBank(Action):
    """The dealer takes credits out of the bankroll."""

    amount: int


@action("choose_game")
@dataclass(frozen=True)
class ChooseGame(Action):
    """Start a game with its house rules; options not named keep their defaults."""

    game: str
    options: Mapping[str, Any] = field(default_factory=dict)


@action("end_game")
@dataclass(frozen=True)
class EndGame(Action):
    """Leave the present game; only between its rounds."""


@action("record_roll")
@dataclass(frozen=True)
class RecordRoll(Action):
    """The faces of a throw. ``evidence`` names the kept picture, if there is one.

    ``sets``: pairs (kind of die, name of the set the reader knew it by), for named sets.
    """

    roll: Roll
    how: How = How.MANUAL
    evidence: str | None = None
    sets: tuple[tuple[str, ...], ...] = field(default=(), metadata={SPARE: True})


@action("undo")
@dataclass(frozen=True)
class Undo(Action):
    """Put the table back exactly as it was after log entry ``to`` (0: the empty table)."""

    to: int


@action("redo")
@dataclass(frozen=True)
class Redo(Action):
    """Take the last undo back."""


@action("correct_roll")
@dataclass(frozen=True)
class CorrectRoll(Action):
    """Replace the faces of the roll recorded as log entry ``entry`` and replay what followed."""

    entry: int
    roll: Roll


class ActionFormatError(ValueError):
    """The JSON is not an action; ``line`` says what is wrong with it."""

    def __init__(self, text: str, **values: Any) -> None:
        self.line = Line(text, values)
        super().__init__(self.line.english)


def to_json(value: Action) -> dict[str, Any]:
    """The action as the log stores it: ``{"kind": ..., field: ...}``."""
    used = (f for f in fields(value) if getattr(value, f.name) or not f.metadata.get(SPARE))
    return {"kind": value.kind, **{f.name: _plain(getattr(value, f.name)) for f in used}}


def from_json(data: Mapping[str, Any]) -> Action:
    """The action ``data`` describes; raises ActionFormatError naming the fault."""
    if not isinstance(data, Mapping):
        raise ActionFormatError("An action must be an object.")
    cls = _KINDS.get(str(data.get("kind")))
    if cls is None:
        raise ActionFormatError("There is no action called {name}.", name=repr(data.get("kind")))
    hints = _hints(cls.kind)
    wanted = {f.name: f for f in fields(cls)}
    for name in data:
        if name != "kind" and name not in wanted:
            raise ActionFormatError("{kind} has no field {name}.", kind=cls.kind, name=repr(name))
    values = {}
    for name, spec in wanted.items():
        if name in data:
            values[name] = _typed(hints[name], data[name], f"{cls.kind}.{name}")
        elif spec.default is MISSING and spec.default_factory is MISSING:
            raise ActionFormatError("{kind} needs a {name}.", kind=cls.kind, name=name)
    return cls(**values)


@cache
def _hints(kind: str) -> dict[str, Any]:
    """The types of an action's fields; found once, for a log has thousands of actions."""
    return typing.get_type_hints(_KINDS[kind])


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Roll):
        return {"spike": [s.value for s in value.spikes], "cube": [c.value for c in value.cubes]}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return value


def _typed(hint: Any, value: Any, where: str) -> Any:
    """``value`` as the type ``hint`` wants it, strictly: no bool for int, no text for a number."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _typed_union(args, value, where)
    if origin is tuple:
        return _typed_tuple(args, value, where)
    if hint is Any or origin is Mapping or hint is Mapping:
        return value
    if hint is Roll:
        return _typed_roll(value, where)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _typed_enum(hint, value, where)
    if type(value) is hint:
        return value
    wanted = str(getattr(hint, "__name__", hint))
    raise ActionFormatError(
        "{where} must be of the type {wanted}, not {found}.",
        where=where,
        wanted=wanted,
        found=repr(value),
    )


def _typed_union(args: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in args:
        return None
    faults = []
    for arg in args:
        try:
            return _typed(arg, value, where)
        except ActionFormatError as fault:
            faults.append(fault)
    raise faults[0]


def _typed_tuple(args: tuple[Any, ...], value: Any, where: str) -> Any:
    if not isinstance(value, (list, tuple)):
        raise ActionFormatError("{where} must be a list.", where=where)
    return tuple(_typed(args[0], item, f"{where}[{i}]") for i, item in enumerate(value))


def _typed_enum(hint: type[Enum], value: Any, where: str) -> Any:
    try:
        return hint(value)
    except ValueError:
        names = ", ".join(str(member.value) for member in hint)
        raise ActionFormatError(
            "{where} must be one of {names}, not {found}.",
            where=where,
            names=names,
            found=repr(value),
        ) from None


def _typed_roll(value: Any, where: str) -> Roll:
    if isinstance(value, Roll):
        return value
    if not isinstance(value, Mapping) or set(value) - {"spike", "cube"}:
        raise ActionFormatError("{where} must hold lists named spike and cube.", where=where)
    try:
        return Roll.of(list(value.get("spike", [])), list(value.get("cube", [])))
    except (ValueError, TypeError) as fault:
        raise ActionFormatError("{where}: {fault}.", where=where, fault=str(fault)) from None
