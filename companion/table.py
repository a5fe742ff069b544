"""The table as a service: one lock, one log, and nobody hears of what is not on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from companion import action_log
from companion.action_log import GENESIS, Entry
from companion.auth import Actor, Role, may
from companion.database import Database, StorageError
from companion.hub import Hub
from companion.rules.actions import Action, CorrectRoll, Redo, Undo
from companion.rules.engine import Engine
from companion.rules.errors import Refusal, RuleError
from companion.rules.history import History, Posted
from companion.rules.model import Line, Offer, Table
from companion.rules.transfers import post

REQUEST_USED = Refusal(
    "request_used",
    "That request id stands for something else that was done; nothing was changed. Try again.",
)


class Refused(Exception):  # noqa: N818 - an answer, not a fault
    """The action may not be done; nothing was changed."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence)
        self.refusal = refusal


class Stale(Exception):  # noqa: N818 - an answer, not a fault
    """The asker saw an older table than the one that is; nothing was changed."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the table is at version {version} now")
        self.version = version


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The table at one version."""

    version: int
    history: History

    @property
    def table(self) -> Table:
        """The table itself."""
        return self.history.table


@dataclass(frozen=True, slots=True)
class Result:
    """What a submitted action did; ``repeated`` when this request was answered before."""

    version: int
    lines: tuple[Line, ...] = ()
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class LogRow:
    """A log entry for people. ``in_force`` is False for what an undo took back."""

    no: int
    at_utc: str
    actor: str
    action: Action
    lines: tuple[Line, ...]
    in_force: bool


def now_utc() -> str:
    """The time as the log writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class TableService:
    """Takes actions, one at a time. State is the fold of the stored log."""

    def __init__(
        self, database: Database, engine: Engine, hub: Hub, clock: Callable[[], str] = now_utc
    ) -> None:
        self._database = database
        self._hub = hub
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: list[Entry] = []
        self._lines: list[tuple[Line, ...]] = []
        self._answered: dict[str, tuple[Entry, Result]] = {}
        self._history = History(engine, Table())
        for entry, _ in action_log.entries(database):
            history, _, lines = self._history.push(entry.action)
            self._advance(entry, history, lines)

    @property
    def version(self) -> int:
        """The number of the last log entry."""
        return self._history.version

    def answered(self, request_id: str | None, actor: Actor) -> Result | None:
        """What this actor's request came to if it was done already.

        Raises Refused for an id that another's request has: nobody is told of what is not theirs.
        """
        with self._lock:
            return self._repeated(request_id, actor)

    def snapshot(self) -> Snapshot:
        """The present table; immutable, so no lock is held while a page is made from it."""
        history = self._history
        return Snapshot(history.version, history)

    def submit(
        self,
        action: Action,
        actor: Actor,
        *,
        expected_version: int | None = None,
        request_id: str | None = None,
    ) -> Result:
        """Do an action: stored first, then told to every screen.

        Raises Refused, Stale or StorageError; then nothing has changed.
        """
        with self._lock:
            if first := self._repeated(request_id, actor, action):
                return first
            if refusal := may(actor, action):
                raise Refused(refusal)
            if expected_version is not None and self._outdated(expected_version, actor):
                raise Stale(self.version)
            result = self._store(action, actor, request_id)
        self._hub.publish("table", result.version)
        return result

    def _repeated(
        self, request_id: str | None, actor: Actor, action: Action | None = None
    ) -> Result | None:
        """The answer to a request sent again, by the same actor and for the same action."""
        entry, first = self._answered.get(request_id or "", (None, None))
        if entry is None or first is None:
            return None
        same = (entry.role, entry.seat) == (actor.role.value, actor.seat)
        if not same or action not in (None, entry.action):
            raise Refused(REQUEST_USED)
        return replace(first, repeated=True)

    def offers(self, actor: Actor) -> tuple[Offer, ...]:
        """What this actor may do in the present game."""
        if actor.role is Role.VIEWER:
            return ()
        return self._history.engine.legal_actions(self._history.table, actor.seat)

    def log(self, after: int = 0) -> list[LogRow]:
        """Log entries with numbers above ``after``, oldest first."""
        with self._lock:
            history, entries, lines = self._history, list(self._entries), list(self._lines)
        standing = {done.no for done in history.in_force()}
        meta = (Undo, Redo, CorrectRoll)
        return [
            LogRow(
                entry.no,
                entry.at,
                entry.actor,
                entry.action,
                said,
                entry.no in standing or isinstance(entry.action, meta),
            )
            for entry, said in zip(entries[after:], lines[after:], strict=True)
        ]

    def ledger(self) -> list[Posted]:
        """Every movement of credits as stored, oldest first."""
        return action_log.ledger(self._database)

    def audit(self) -> list[str]:
        """Fold the stored log again; what does not add up, worst first. Empty when sound."""
        return audit(self._database, self._history.engine)

    def _outdated(self, seen: int, actor: Actor) -> bool:
        """Whether something this actor has not seen concerns it."""
        if not 0 <= seen <= self.version:
            return True
        return any(
            not (entry.action.local and getattr(entry.action, "seat", None) != actor.seat)
            for entry in self._entries[seen:]
        )

    def _store(self, action: Action, actor: Actor, request_id: str | None) -> Result:
        try:
            history, posted, lines = self._history.push(action)
        except RuleError as fault:
            raise Refused(fault.refusal) from fault
        entry = Entry(
            history.version,
            self._clock(),
            actor.role.value,
            actor.seat,
            actor.name,
            action,
            rules_version(history),
            request_id,
            self._entries[-1].hash if self._entries else GENESIS,
        )
        with self._database.transaction() as connection:
            action_log.append(connection, entry, posted)
        return self._advance(entry, history, lines)

    def _advance(self, entry: Entry, history: History, lines: tuple[Line, ...]) -> Result:
        result = Result(history.version, lines)
        self._entries.append(entry)
        self._lines.append(lines)
        if entry.request_id is not None:
            self._answered[entry.request_id] = (entry, result)
        self._history = history
        return result


def rules_version(history: History) -> str:
    """Which rules an entry was made under: the game's name and version."""
    game = history.engine.game(history.table)
    return f"{game.key}/{game.version}" if game else "table/1"


def audit(database: Database, engine: Engine) -> list[str]:
    """Check chain, fold and ledger of a stored table."""
    faults: list[str] = []
    history, previous = History(engine, Table()), GENESIS
    expected: list[Posted] = []
    try:
        for entry, stored in action_log.entries(database):
            if entry.no != history.version + 1:
                return [*faults, f"log entry {history.version + 1} is missing"]
            if entry.previous != previous or entry.hash != stored:
                faults.append(f"log entry {entry.no} is not what was written (hash chain)")
            previous = stored
            history, posted, _ = history.push(entry.action)
            expected += posted
        found = action_log.ledger(database)
    except (RuleError, ValueError, StorageError) as fault:
        return [*faults, f"the log cannot be folded after entry {history.version}: {fault}"]
    return faults + _ledger_faults(history, expected, found)


def _ledger_faults(history: History, expected: list[Posted], found: list[Posted]) -> list[str]:
    faults = []
    for number, (wanted, row) in enumerate(zip(expected, found, strict=False), 1):
        if wanted != row:
            faults.append(f"ledger row {number} (log entry {row.no}) differs from the log's")
            break
    if len(expected) != len(found):
        faults.append(f"the ledger has {len(found)} rows, the log makes {len(expected)}")
    accounts = post({}, (row.transfer for row in expected))
    if sum(accounts.values()) or accounts != dict(history.table.accounts):
        faults.append("the accounts do not add up to the table's")
    return faults
