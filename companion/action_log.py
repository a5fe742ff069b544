"""The append-only log of actions and its double-entry ledger, hash-chained."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from companion.database import Database, ledger_table, log_table
from companion.rules.actions import Action, from_json, to_json
from companion.rules.history import Posted
from companion.rules.transfers import Transfer

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the log. ``rules`` names the rules version it was made under."""

    no: int
    at: str
    role: str
    seat: int | None
    actor: str
    action: Action
    rules: str
    request_id: str | None
    previous: str

    @property
    def body(self) -> str:
        """The action as canonical JSON."""
        return json.dumps(to_json(self.action), sort_keys=True, separators=(",", ":"))

    @property
    def hash(self) -> str:
        """Ties the row to everything before it."""
        said = [self.no, self.at, self.role, self.seat, self.actor, self.body, self.rules]
        text = json.dumps([*said, self.request_id, self.previous], separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def append(connection: Connection, entry: Entry, posted: Iterable[Posted]) -> None:
    """Write an entry and its ledger rows; the caller's transaction makes both land or neither."""
    connection.execute(
        insert(log_table).values(
            no=entry.no,
            at=entry.at,
            role=entry.role,
            seat=entry.seat,
            actor=entry.actor,
            kind=entry.action.kind,
            body=entry.body,
            rules=entry.rules,
            request_id=entry.request_id,
            previous=entry.previous,
            hash=entry.hash,
        )
    )
    rows = [_ledger_row(row) for row in posted]
    if rows:
        connection.execute(insert(ledger_table), rows)


def _ledger_row(posted: Posted) -> dict[str, Any]:
    move = posted.transfer
    return {
        "entry": posted.no,
        "source": move.source,
        "target": move.target,
        "amount": move.amount,
        "reason": move.reason,
        "reverses": posted.reverses,
    }


def entries(database: Database) -> Iterator[tuple[Entry, str]]:
    """Every entry in order with the hash stored beside it."""
    with database.transaction() as connection:
        rows = connection.execute(select(log_table).order_by(log_table.c.no)).all()
    for row in rows:
        action = from_json(json.loads(row.body))
        entry = Entry(
            row.no,
            row.at,
            row.role,
            row.seat,
            row.actor,
            action,
            row.rules,
            row.request_id,
            row.previous,
        )
        yield entry, row.hash


def ledger(database: Database) -> list[Posted]:
    """Every ledger row in order."""
    with database.transaction() as connection:
        rows = connection.execute(select(ledger_table).order_by(ledger_table.c.no)).all()
    return [
        Posted(Transfer(row.source, row.target, row.amount, row.reason), row.entry, row.reverses)
        for row in rows
    ]
