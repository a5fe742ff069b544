"""The commands that take data along: export, backup and restore.

Exit status 0: done; 1: the data are there but not sound; 2: it cannot be done as asked.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from companion.archive import DATABASE, ArchiveError, copy_table
from companion.database import Database, StorageError
from companion.exports import COLUMNS, What, as_csv, as_json, export
from companion.games import GAMES
from companion.hub import Hub
from companion.rules.engine import Engine
from companion.rules.errors import RuleError
from companion.table import TableService, audit

UNSOUND = 1


def add_commands(commands: Any) -> None:
    """Register the commands with argparse."""
    taken = commands.add_parser("export", help="write the log, ledger or rolls as CSV or JSON")
    taken.add_argument("data_dir", type=Path)
    taken.add_argument("--what", choices=[what.value for what in What], default=What.LOG.value)
    taken.add_argument("--format", choices=("csv", "json"), default="csv")
    taken.set_defaults(run=_export)
    saved = commands.add_parser("backup", help="copy a table's data, also while it runs")
    saved.add_argument("data_dir", type=Path)
    saved.add_argument("to", type=Path, help="a new or empty folder")
    saved.set_defaults(run=lambda given: _copy(given.data_dir, given.to))
    back = commands.add_parser("restore", help="bring a backup back; the table must not run")
    back.add_argument("backup", type=Path)
    back.add_argument("data_dir", type=Path, help="a new or empty folder")
    back.set_defaults(run=lambda given: _copy(given.backup, given.data_dir))


def _export(given: argparse.Namespace) -> int:
    if not (given.data_dir / DATABASE).is_file():
        raise StorageError(f"{given.data_dir} holds no table")
    what = What(given.what)
    with closing(Database.in_folder(given.data_dir)) as database:
        try:
            rows = export(TableService(database, Engine(GAMES), Hub()), what)
        except (RuleError, ValueError) as fault:
            text = f"The log cannot be folded: {fault}. Nothing was written; audit names the entry."
            print(f"companion: {text}", file=sys.stderr)
            return UNSOUND
    text = as_csv(rows, COLUMNS[what]) if given.format == "csv" else as_json(rows)
    sys.stdout.buffer.write(text.encode())
    return 0


def _copy(source: Path, target: Path) -> int:
    try:
        pictures = copy_table(source, target, faults_of)
    except ArchiveError as fault:
        raise StorageError(str(fault)) from fault
    print(f"Copied to {target} and found sound: the table and {pictures} pictures of rolls.")
    return 0


def faults_of(folder: Path) -> list[str]:
    """What the audit finds in a data folder."""
    with closing(Database.in_folder(folder)) as database:
        return audit(database, Engine(GAMES))
