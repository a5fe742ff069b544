"""Copies of a table's data: taken while it runs, checked before they count, never over another.

A copy is built in ``.partial`` inside the target and audited there. Only then its files
are moved into place, the database last: a folder with a ``table.db`` is a whole copy.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

DATABASE, EVIDENCE, PARTIAL = "table.db", "evidence", ".partial"
PAGES = 256  # copied at a time; the table may write in between
Audit = Callable[[Path], list[str]]


class ArchiveError(Exception):
    """No copy was made; the message says why, what is kept and what to do."""


def copy_table(source: Path, target: Path, audit: Audit) -> int:
    """Copy the data folder ``source`` to ``target``, a new or an empty folder; gives the pictures.

    ``audit`` gives the faults of a data folder. Raises ArchiveError; the source is never
    changed, and what lies at the target is neither changed nor overwritten.
    """
    if not (source / DATABASE).is_file():
        raise ArchiveError(f"{source} holds no table; name the folder that has {DATABASE}.")
    if target.resolve().is_relative_to(source.resolve()):
        raise ArchiveError(f"{target} lies inside {source}; name a folder elsewhere.")
    made = not target.exists()
    _claim(target)
    partial = target / PARTIAL
    try:
        pictures = _build(source, partial, audit)
        _settle(partial, target)
    except (OSError, sqlite3.Error) as fault:
        raise ArchiveError(f"No copy was made: {fault}. {source} is as it was.") from fault
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if made and not any(target.iterdir()):
            target.rmdir()
    return pictures


def _claim(target: Path) -> None:
    """Take the target for this copy alone."""
    try:
        target.mkdir(parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise ArchiveError(
                f"{target} is not empty, and nothing in it was changed. Name a new folder."
            )
        (target / PARTIAL).mkdir(mode=0o700)
    except OSError as fault:
        raise ArchiveError(f"{target} cannot be used: {fault.strerror}.") from fault


def _build(source: Path, partial: Path, audit: Audit) -> int:
    """The database before the pictures: every roll it knows had its picture by then."""
    _copy_database(source / DATABASE, partial / DATABASE)
    pictures = _copy_pictures(source / EVIDENCE, partial / EVIDENCE)
    _copy_rest(source, partial)
    if faults := audit(partial):
        raise ArchiveError(
            f"The data are not sound: {faults[0]}. No copy was made and {source} is as it was; "
            "keep it, and look at the disk."
        )
    _close_journal(partial / DATABASE)
    return pictures


def _close_journal(path: Path) -> None:
    """One file that can be read from anywhere; the station turns its own journal on again."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")


def _copy_database(source: Path, target: Path) -> None:
    """SQLite's own backup: one consistent moment, whatever is written meanwhile."""
    target.touch(mode=0o600)  # it holds the key that signs seats
    address = f"{source.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(address, uri=True)) as old,
        closing(sqlite3.connect(target)) as new,
    ):
        old.backup(new, pages=PAGES)


def _copy_pictures(source: Path, target: Path) -> int:
    """Pictures and readings; one the ring lets go of while we copy is left out."""
    target.mkdir()
    copied = 0
    for path in sorted(source.glob("*.j*")) if source.is_dir() else ():
        try:
            shutil.copy2(path, target / path.name)
        except FileNotFoundError:
            continue
        copied += path.suffix == ".jpg"
    return copied


def _copy_rest(source: Path, target: Path) -> None:
    """What else lies in the folder, such as the station's calibration and enrolled dice."""
    for path in source.iterdir():
        if path.name.startswith(DATABASE) or path.name in (EVIDENCE, PARTIAL):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.copytree(path, target / path.name, symlinks=True)
        elif path.is_file():
            shutil.copy2(path, target / path.name)


def _settle(partial: Path, target: Path) -> None:
    """Everything on disk, then into place, the database last."""
    for path in partial.rglob("*"):
        if path.is_file() and not path.is_symlink():
            _sync(path)
    for path in sorted(partial.iterdir(), key=lambda path: path.name == DATABASE):
        path.rename(target / path.name)
    _sync(target)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
