"""What undo would take back, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from companion.rules.actions import RecordRoll
from companion.rules.dice import Roll
from companion.rules.history import Done, History
from companion.rules.model import Line, Table
from companion.rules.transfers import BANK, FELT, seat_account

from .common import POTS, action_title, key, named


@dataclass(frozen=True, slots=True)
class Moved:
    """Credits that go back with a step: what its owner gains (or loses) by the undo."""

    name: str
    amount: int


@dataclass(frozen=True, slots=True)
class UndoStep:
    """Pressing this step takes back everything down to and including it."""

    to: int  # for the Undo action
    entry: int  # the log entry it takes back
    title: str
    lines: tuple[Line, ...]
    roll: Roll | None = None
    changes: tuple[Moved, ...] = ()


def undo_steps(history: History, limit: int = 20) -> tuple[UndoStep, ...]:
    """The newest steps in force, newest first.

    A corrected chain is one step: taking it back brings the uncorrected roll back first.
    """
    built = _first_built(history)
    steps: list[UndoStep] = []
    head = history.heads[-1]
    while head is not None and len(steps) < limit:
        entry = built[id(head)]
        after, head = head, history.heads[entry - 1]
        before = head.table if head else history.start
        step = _step(after, entry)
        steps.append(replace(step, changes=moved_back(after.table, before)))
    return tuple(steps)


def moved_back(now: Table, then: Table) -> tuple[Moved, ...]:
    """What seats, bank and pots gain or lose when the table goes from ``now`` back to ``then``.

    The outside world's account is left out: it only mirrors the others.
    """
    names = {seat_account(seat.number): seat.name for seat in (*now.seats, *then.seats)}
    names |= {BANK: key("Bank"), FELT: key("On the mat"), **POTS}
    found = (
        Moved(name, then.balance(account) - now.balance(account)) for account, name in names.items()
    )
    return tuple(change for change in found if change.amount)


def _first_built(history: History) -> Mapping[int, int]:
    """The log entry that first made each head."""
    built: dict[int, int] = {}
    for entry, head in enumerate(history.heads):
        built.setdefault(id(head), entry)
    return built


def _step(head: Done, entry: int) -> UndoStep:
    if head.no != entry:  # only a correction makes a head of older actions
        line = Line("Roll corrected; what followed was replayed.", {})
        return UndoStep(entry - 1, entry, key("Correct roll"), (line,))
    before = head.previous.table if head.previous else head.table
    lines = tuple(named(line, _with_names(before, head.table)) for line in head.lines)
    return UndoStep(entry - 1, entry, action_title(head.action), lines, roll_of(head))


def _with_names(before: Table, after: Table) -> Table:
    """The table that knows the names of those who came and those who left."""
    return after if len(after.seats) >= len(before.seats) else before


def roll_of(done: Done) -> Roll | None:
    """The dice of a recorded roll."""
    return done.action.roll if isinstance(done.action, RecordRoll) else None
