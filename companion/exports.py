"""The log, the ledger and the rolls as rows for a spreadsheet or a program.

Cards of a hand that was not laid open stay out, for the dealer and for the disk's owner too,
and so do the log's hashes: from a row's hash the few cards it could hold are soon guessed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from companion.rounds import throws
from companion.rules.actions import Action, to_json
from companion.rules.card_actions import EnterHand, RevealHands
from companion.rules.card_state import Phase, Play, visible
from companion.rules.history import Done, History, Posted
from companion.rules.model import Line
from companion.table import LogRow, TableService

Row = Mapping[str, Any]
# What makes a spreadsheet take a text for a formula (OWASP, CSV injection).
FORMULA_SIGNS, FORMULA_BLANKS = frozenset("=+-@＝＋－＠"), frozenset("\t\r\n")
HIDDEN = "hidden"  # stands for the cards of a hand nobody was shown
BOM = "\ufeff"  # spreadsheets take a file without it for one of the old code pages


class What(StrEnum):
    """What can be taken along."""

    LOG = "log"
    LEDGER = "ledger"
    ROLLS = "rolls"


COLUMNS: Mapping[What, tuple[str, ...]] = {
    What.LOG: ("no", "at_utc", "actor", "kind", "in_force", "action", "text"),
    What.LEDGER: ("no", "entry", "at_utc", "source", "target", "amount", "reason", "reverses"),
    What.ROLLS: (
        "entry",
        "at_utc",
        "game",
        "how",
        "standing",
        "spike",
        "cube",
        "first_spike",
        "first_cube",
        "evidence",
        "sets",
    ),
}


def export(service: TableService, what: What, after: int = 0) -> list[Row]:
    """Rows of one kind, oldest first, from log entries above ``after``; values as in JSON."""
    snapshot = service.snapshot()
    rows = service.log()[: snapshot.version]
    match what:
        case What.LOG:
            made = log_rows(snapshot.history, rows)
        case What.LEDGER:
            made = ledger_rows(service.ledger(), rows)
        case What.ROLLS:
            made = roll_rows(snapshot.history, rows)
    number = "no" if what is What.LOG else "entry"
    return [row for row in made if row[number] > after]


def log_rows(history: History, rows: Iterable[LogRow]) -> list[Row]:
    """Every decision with what was done and said."""
    shown = shown_hands(history.in_force())
    return [_log_row(row, row.no in shown) for row in rows]


def _log_row(row: LogRow, shown: bool) -> Row:
    return {
        "no": row.no,
        "at_utc": row.at_utc,
        "actor": row.actor,
        "kind": row.action.kind,
        "in_force": row.in_force,
        "action": public_action(row.action, shown),
        "text": [line.english for line in _lines(row)],
    }


def public_action(action: Action, shown: bool) -> dict[str, Any]:
    """The action as the log stores it, without cards nobody was shown."""
    said = to_json(action)
    return {**said, "cards": HIDDEN} if isinstance(action, EnterHand) and not shown else said


def _lines(row: LogRow) -> Sequence[Line]:
    """What an undone reveal showed is hidden again, for the hand goes on."""
    return () if isinstance(row.action, RevealHands) and not row.in_force else row.lines


def shown_hands(done: Sequence[Done]) -> frozenset[int]:
    """Log entries of entered hands that everybody has been shown since.

    Of a hand entered twice only the second entry can be: the first was never shown.
    """
    entered: dict[int, int] = {}  # seat -> log entry, in the present hand
    shown: set[int] = set()
    for step in done:
        if isinstance(step.action, EnterHand):
            entered[step.action.seat] = step.no
        play = step.table.play
        if not isinstance(play, Play):
            entered = {}
            continue
        shown |= {
            entered[seat]
            for seat, cards in visible(play, None).items()
            if cards and seat in entered
        }
        if play.phase is Phase.IDLE:
            entered = {}
    return frozenset(shown)


def ledger_rows(posted: Iterable[Posted], rows: Iterable[LogRow]) -> list[Row]:
    """Every movement of credits, corrections as reversals."""
    times = {row.no: row.at_utc for row in rows}
    return [
        {
            "no": number,
            "entry": row.no,
            "at_utc": times[row.no],
            "source": row.transfer.source,
            "target": row.transfer.target,
            "amount": row.transfer.amount,
            "reason": row.transfer.reason,
            "reverses": row.reverses,
        }
        for number, row in enumerate(posted, 1)
        if row.no in times  # what was stored since the log was looked at comes next time
    ]


def roll_rows(history: History, rows: Iterable[LogRow]) -> list[Row]:
    """Every recorded roll: its faces in force and those first recorded."""
    return [
        {
            "entry": throw.entry,
            "at_utc": throw.at_utc,
            "game": throw.game,
            "how": throw.how.value,
            "standing": throw.standing.value,
            "spike": [face.value for face in throw.roll.spikes],
            "cube": [face.value for face in throw.roll.cubes],
            "first_spike": [face.value for face in throw.first.spikes],
            "first_cube": [face.value for face in throw.first.cubes],
            "evidence": throw.evidence,
            "sets": [f"{kind}: {name}" for kind, name in throw.sets.items()],
        }
        for throw in throws(history, rows)
    ]


def as_json(rows: Sequence[Row]) -> str:
    """A JSON list, one row a line."""
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{lines}\n]\n" if rows else "[]\n"


def as_csv(rows: Iterable[Row], columns: Sequence[str]) -> str:
    """RFC 4180 with a header and a byte-order mark; no cell is a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return BOM + out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return defused(json.dumps(value, ensure_ascii=False, sort_keys=True))
    if isinstance(value, list):
        return defused(" ".join(map(str, value)))
    return defused(value) if isinstance(value, str) else value


def defused(text: str) -> str:
    """The text with an apostrophe before it where a spreadsheet would compute it.

    >>> defused("=1+1"), defused("Nova")
    ("'=1+1", 'Nova')
    """
    return f"'{text}" if text.lstrip()[:1] in FORMULA_SIGNS or text[:1] in FORMULA_BLANKS else text
