"""The tables on disk. SQLite by default, PostgreSQL by URL; no SQL of either alone."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
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
FULL_BYTES = 64 * 1024  # with less than that free SQLite cannot make the files beside its own
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


def not_stored(why: Line) -> StorageError:
    """Every refusal of the disk in the same words."""
    text = "Not stored, and all that was stored before is kept: {why}, then try again."
    return StorageError(key(text), why=why)


def file_fault(fault: OSError) -> StorageError:
    """What it means that a file of the data folder could not be written."""
    match fault.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return not_stored(FULL)
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return not_stored(UNWRITABLE)
        case _:
            return not_stored(Line("{fault}. Look at the disk", {"fault": str(fault)}))


FULL = Line("the disk is full. Free some space")
UNWRITABLE = Line("the data folder cannot be written to. Make it writable")
HELD = Line("another program holds the data. Close it")


class Database:
    """One connection pool with durable commits."""

    def __init__(self, url: str) -> None:
        self._held: int | None = None
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
    def in_folder(cls, folder: Path, *, alone: bool = False) -> Database:
        """The SQLite database of a data folder, made when missing.

        ``alone``: for a station. Two in one folder would each go on from a table that the
        other has changed, so the second is refused until the first is closed or has died.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            advice = "nothing was stored; name another data_dir, or make its disk writable"
            raise StorageError(
                "{folder} cannot be made: {fault}",
                folder=str(folder),
                fault=f"{fault.strerror}; {advice}",
            ) from fault
        held = _hold(folder) if alone else None
        try:
            database = cls(f"sqlite:///{folder / 'table.db'}")
        except StorageError:
            _let_go(held)
            raise
        database._held = held
        return database

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All of it or nothing; raises StorageError when the disk refuses."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except DBAPIError as fault:
            raise not_stored(_explained(fault, self.engine.url.database)) from fault

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
        _let_go(self._held)
        self._held = None


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


def _explained(fault: DBAPIError, file: str | None) -> Line:
    """SQLite's few words in ours; of a full disk it says so only where it writes rows."""
    said = str(fault.orig)
    folder = Path(file).parent if file else None
    match said:
        case _ if "full" in said or ("disk I/O" in said and _is_full(folder)):
            return FULL
        case _ if "readonly" in said or "read-only" in said:
            return UNWRITABLE
        case _ if folder is not None and not os.access(folder, os.W_OK):
            return UNWRITABLE
        case _ if "locked" in said:
            return HELD
        case _:
            return Line("{fault}. Look at the disk", {"fault": said})


def _is_full(folder: Path | None) -> bool:
    return folder is not None and shutil.disk_usage(folder).free < FULL_BYTES


def _hold(folder: Path) -> int:
    """A lock on the folder itself, which the system lets go of when its program ends."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as fault:
        os.close(handle)
        raise not_stored(HELD) from fault
    return handle


def _let_go(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)
