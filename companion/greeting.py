"""What the station says at its start: all of it to a person, no secrets to a journal.

A journal is kept for months and read by every administrator, and the PIN opens the bank.
So where nobody sits at a terminal the PIN goes to a file that only the station's own user
and root can read, and the code to join is left to the room's screen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import segno

PIN_FILE = "dealer-pin"


def at_terminal() -> bool:
    """Whether a person reads what is printed."""
    return sys.stdout.isatty()


def pin_line(pin: str, folder: Path, seen: bool) -> str:
    """The sentence that tells the new PIN, or in which file of ``folder`` it was put."""
    if seen:
        return f"Dealer PIN: {pin}"
    file = _kept(pin, folder / PIN_FILE)
    return f"The dealer's PIN is in {file}; read it with sudo, then delete the file"


def _kept(pin: str, file: Path) -> Path:
    """Never readable by others, not even for a moment; a file that is there is replaced."""
    file.unlink(missing_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as written:
        written.write(f"{pin}\n")
    return file.absolute()


def lines(address: str, join: str, seen: bool) -> Iterator[str]:
    """Where the pages are; ``join`` is the address that gives a seat."""
    yield f"Dealer's station: {address}/dealer"
    yield f"Room screen:      {address}/display"
    if not seen:
        yield "Phones:           scan the code on the room screen"
        return
    yield f"Phones:           {join}"
    yield "Stop with Ctrl-C."


def draw_code(join: str) -> None:
    """The address as a code to scan, in the terminal."""
    segno.make(join, error="l").terminal(compact=True)
