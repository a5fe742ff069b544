"""Undo, redo and corrected rolls: the log's numbered actions folded into a table.

Each log entry leaves a *head*: the newest action in force, linked to the one
before it. Undo goes back to an earlier head, so it restores the exact state,
whatever came between; a correction builds a new chain from the corrected roll.
Nothing is ever removed from the log itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .actions import Action, CorrectRoll, How, RecordRoll, Redo, Undo
from .engine import Engine
from .errors import Refusal, RuleError
from .model import Line, Table
from .transfers import Transfer
from .words import key


@dataclass(frozen=True, eq=False)
class Done:
    """One action in force: its log number, what it did, and the one before it."""

    no: int
    action: Action
    table: Table  # after the action
    transfers: tuple[Transfer, ...]
    lines: tuple[Line, ...]
    previous: Done | None
    depth: int  # how many actions are in force, this one included

    def __repr__(self) -> str:  # the chain below would be printed whole
        return f"Done({self.no}, {self.action!r})"


@dataclass(frozen=True)
class Posted:
    """A ledger entry caused by log entry ``no``; ``reverses`` names the entry it takes back."""

    transfer: Transfer
    no: int
    reverses: int | None = None


@dataclass(frozen=True)
class History:
    """The table over time. ``heads[n]`` is the chain in force after log entry n."""

    engine: Engine
    start: Table
    heads: tuple[Done | None, ...] = (None,)
    redo_to: tuple[int, ...] = ()  # versions that Redo would go back to, newest last

    @property
    def version(self) -> int:
        """The number of the last log entry."""
        return len(self.heads) - 1

    @property
    def table(self) -> Table:
        """The table now."""
        head = self.heads[-1]
        return head.table if head else self.start

    def in_force(self) -> list[Done]:
        """The actions that make up the present table, oldest first."""
        return list(_walk(self.heads[-1]))[::-1]

    def why_not(self, action: Action) -> Refusal | None:
        """Why ``action`` is refused now; None when ``push`` will take it."""
        try:
            self._next_head(action)
        except RuleError as fault:
            return fault.refusal
        return None

    def push(self, action: Action) -> tuple[History, tuple[Posted, ...], tuple[Line, ...]]:
        """The history with one more log entry, its ledger entries and its sentences.

        Raises RuleError, leaving this history as it is.
        """
        head, redo_to, lines = self._next_head(action)
        posted = _postings(self.heads[-1], head, self.version + 1)
        grown = replace(self, heads=(*self.heads, head), redo_to=redo_to)
        return grown, posted, lines

    def _next_head(self, action: Action) -> tuple[Done | None, tuple[int, ...], tuple[Line, ...]]:
        match action:
            case Undo(to=to):
                if not 0 <= to < self.version:
                    raise RuleError(
                        Refusal("no_such_entry", "There is no log entry {to}.", {"to": to})
                    )
                line = Line("Taken back to entry {entry}.", {"entry": to})
                return self.heads[to], (*self.redo_to, self.version), (line,)
            case Redo():
                if not self.redo_to:
                    raise RuleError(Refusal("nothing_undone", "There is no undo to take back."))
                back = self.redo_to[-1]
                line = Line("The undo is taken back.", {})
                return self.heads[back], self.redo_to[:-1], (line,)
            case CorrectRoll():
                head, line = self._corrected(action)
                return head, (), (line,)
            case _:
                head = self._extend(self.heads[-1], action, self.version + 1)
                return head, (), head.lines

    def _extend(self, head: Done | None, action: Action, no: int) -> Done:
        table = head.table if head else self.start
        applied = self.engine.apply(table, action)
        depth = head.depth + 1 if head else 1
        return Done(no, action, applied.table, applied.transfers, applied.lines, head, depth)

    def _corrected(self, action: CorrectRoll) -> tuple[Done, Line]:
        """Replay with other faces; refuses, naming the action, when a later one no longer holds."""
        later: list[Done] = []
        for done in _walk(self.heads[-1]):
            if done.no == action.entry:
                break
            later.append(done)
        else:
            raise RuleError(
                Refusal("no_such_roll", "Entry {entry} is not in force.", {"entry": action.entry})
            )
        if not isinstance(done.action, RecordRoll):
            raise RuleError(
                Refusal("no_such_roll", "Entry {entry} is not a roll.", {"entry": action.entry})
            )
        faces = replace(done.action, roll=action.roll, how=How.MANUAL)
        head = self._extend(done.previous, faces, done.no)
        for entry in reversed(later):
            head = self._replayed(head, entry)
        return head, Line("Roll {entry} is corrected.", {"entry": action.entry})

    def _replayed(self, head: Done, entry: Done) -> Done:
        try:
            return self._extend(head, entry.action, entry.no)
        except RuleError as fault:
            text = key(
                "Not changed: entry {no} ({action}) would not be possible any more: {why} "
                "Undo back to before it first."
            )
            done = Line(entry.action.kind.replace("_", " "))
            values = {"no": entry.no, "action": done, "why": fault.refusal.line}
            refusal = Refusal("later_action", text, values)
            raise RuleError(refusal) from fault


def _walk(head: Done | None) -> Iterator[Done]:
    while head is not None:
        yield head
        head = head.previous


def _postings(old: Done | None, new: Done | None, no: int) -> tuple[Posted, ...]:
    """Ledger entries that lead from ``old`` to ``new``: reversals newest first, then the new."""
    gone: list[Done] = []
    fresh: list[Done] = []
    while old is not new:  # step back the longer chain until both meet
        if new is None or (old is not None and old.depth >= new.depth):
            assert old is not None
            gone.append(old)
            old = old.previous
        else:
            fresh.append(new)
            new = new.previous
    reversals = [
        Posted(move.reversed(), no, done.no) for done in gone for move in reversed(done.transfers)
    ]
    entries = [Posted(move, no) for done in reversed(fresh) for move in done.transfers]
    return (*reversals, *entries)
