"""The tables on disk. SQLite by default, PostgreSQL by URL; no SQL of either alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Integer,
    MetaData,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    select,
)
from sqlalchemy.exc import DBAPIError

from companion.rules.words import Line, key

SCHEMA = 1
metadata = MetaData()

settings_table = Table(
    "setting",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
log_table = Table(
    "log",
    metadata,
    Column("no", Integer, primary_key=True, autoincrement=False),
    Column("at", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("seat", Integer),
    Column("actor", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("rules", Text, nullable=False),
    Column("request_id", Text, unique=True),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False),
)
ledger_table = Table(
    "ledger",
    metadata,
    Column("no", Integer, primary_key=True),
    Column("entry", Integer, nullable=False, index=True),
    Column("source", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("amount", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("reverses", Integer),
)


class StorageError(Exception):
    """Nothing was stored; the message says why and what to do. ``line`` is for the screens."""

    def __init__(self, text: str, **values: object) -> None:
        self.line = Line(text, values)
        super().__init__(self.line.english)


class Database:
    """One connection pool with durable commits."""

    def __init__(self, url: str) -> None:
        self.engine = _opened(url)
        with self.transaction() as connection:
            metadata.create_all(connection)
            found = _setting(connection, "schema")
            if found is None:
                connection.execute(insert(settings_table).values(name="schema", value=str(SCHEMA)))
        if found not in (None, str(SCHEMA)):
            raise StorageError(
                "The data were written by another version (schema {found}, this one has {ours})."
                " Nothing was changed; start the version that wrote them.",
                found=found,
                ours=SCHEMA,
            )

    @classmethod
    def in_folder(cls, folder: Path) -> Database:
        """The SQLite database of a data folder, made when missing."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise StorageError(
                "{folder} cannot be made: {fault}", folder=str(folder), fault=fault.strerror
            ) from fault
        return cls(f"sqlite:///{folder / 'table.db'}")

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All of it or nothing; raises StorageError when the disk refuses."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except DBAPIError as fault:
            text = "Not stored, and all that was stored before is kept: {why}, then try again."
            raise StorageError(key(text), why=_explained(fault)) from fault

    def get_setting(self, name: str) -> str | None:
        """A small durable text."""
        with self.transaction() as connection:
            return _setting(connection, name)

    def set_setting(self, name: str, value: str) -> None:
        """Store a small text durably."""
        with self.transaction() as connection:
            connection.execute(delete(settings_table).where(settings_table.c.name == name))
            connection.execute(insert(settings_table).values(name=name, value=value))

    def close(self) -> None:
        """Let go of the files."""
        self.engine.dispose()


def _setting(connection: Connection, name: str) -> str | None:
    row = connection.execute(
        select(settings_table.c.value).where(settings_table.c.name == name)
    ).first()
    return None if row is None else str(row[0])


def _opened(url: str) -> Engine:
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _durable)
    return engine


def _durable(connection: Any, _record: Any) -> None:
    """FULL: with NORMAL a power cut can lose the last acknowledged bets."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _explained(fault: DBAPIError) -> Line:
    said = str(fault.orig)
    match said:
        case _ if "full" in said:
            return Line("the disk is full. Free some space")
        case _ if "readonly" in said or "read-only" in said:
            return Line("the data folder cannot be written to. Make it writable")
        case _ if "locked" in said:
            return Line("another program holds the data. Close it")
        case _:
            return Line("{fault}. Look at the disk", {"fault": said})
