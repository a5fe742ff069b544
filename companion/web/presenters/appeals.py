"""Any roll of the evening looked at again: its picture, its scores, and who answered for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from companion.rules.actions import Action, CorrectRoll, RecordRoll
from companion.rules.dice import Roll
from companion.rules.history import History
from vision.reading import REASON_TEXT, Reading

from .common import key
from .dealer import HOW_LABELS
from .history import roll_at
from .tray import DieView, die_views

ACTORS = {
    "camera": key("the camera"),
    "dealer": key("the dealer"),
    "box": key("the dealer, on the box"),
}


class Row(Protocol):
    """What is needed of a log row."""

    @property
    def no(self) -> int: ...
    @property
    def at_utc(self) -> str: ...
    @property
    def actor(self) -> str: ...
    @property
    def action(self) -> Action: ...
    @property
    def in_force(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Change:
    """One correction of a roll: when, by whom, to what."""

    time: str
    actor: str
    roll: Roll


@dataclass(frozen=True, slots=True)
class RollView:
    """A recorded roll. ``roll`` is what counts now, ``first`` what was recorded at first."""

    entry: int
    time: str
    how: str
    from_box: bool
    roll: Roll
    first: Roll
    evidence: str | None
    in_force: bool
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class DieScores:
    """One die as the reader saw it: its likeliest faces in percent, and its doubts."""

    die: DieView
    ranked: tuple[tuple[str, int], ...]
    doubts: tuple[str, ...]


def clock_time(at_utc: str) -> str:
    """Hours and minutes of the log's time where the station stands."""
    return datetime.fromisoformat(at_utc).astimezone().strftime("%H:%M:%S")


def roll_views(history: History, rows: Iterable[Row]) -> tuple[RollView, ...]:
    """Every roll that was ever recorded, newest first; those taken back are marked."""
    kept = list(rows)
    changes: dict[int, tuple[Change, ...]] = {}
    for row in kept:
        if isinstance(row.action, CorrectRoll):
            change = Change(clock_time(row.at_utc), _actor(row), row.action.roll)
            changes[row.action.entry] = (*changes.get(row.action.entry, ()), change)
    views = [
        _view(history, row, row.action, changes.get(row.no, ()))
        for row in kept
        if isinstance(row.action, RecordRoll)
    ]
    return tuple(views[::-1])


def _view(history: History, row: Row, action: RecordRoll, changes: tuple[Change, ...]) -> RollView:
    now = roll_at(history, row.no)
    return RollView(
        row.no,
        clock_time(row.at_utc),
        HOW_LABELS[action.how],
        row.actor == "box",
        now.roll if now else action.roll,
        action.roll,
        action.evidence,
        now is not None,
        changes,
    )


def _actor(row: Row) -> str:
    return ACTORS.get(row.actor, row.actor)


def die_scores(reading: Reading | None, size: tuple[int, int]) -> tuple[DieScores, ...]:
    """What the reader thought of each die of a kept picture of ``size``."""
    if reading is None:
        return ()
    return tuple(
        DieScores(view, _ranked(die.face, die.confidence, die.alternatives), _said(die.reasons))
        for view, die in zip(die_views(reading, size), reading.dice, strict=True)
    )


def _ranked(
    face: str | None, confidence: float, others: Sequence[tuple[str, float]]
) -> tuple[tuple[str, int], ...]:
    first = [(face, round(100 * confidence))] if face else []
    rest = [(name, round(100 * chance)) for name, chance in others if name != face]
    return (*first, *rest)[:3]


def _said(reasons: Iterable[object]) -> tuple[str, ...]:
    return tuple(text for reason, text in REASON_TEXT.items() if reason in set(reasons))
