"""In the virtual machine: the installed station as a service, asked and pressed from outside."""

from __future__ import annotations

import sqlite3
import subprocess
import urllib.request
from contextlib import closing
from pathlib import Path

from simulated import Pin, wait_for

UNIT = USER = "spike-companion"
PYTHON = "/opt/spike-companion/.venv/bin/python"
DATA = Path("/var/lib/spike-companion")
SETTINGS = Path("/etc/spike-companion/table.toml")
UNDO = 22
BOX = """
[buttons]
confirm = 17
correct = 27
undo = 22
next = 23
[lamps]
ready = 5
ask = 6
trouble = 13
ring = 19
"""
FILL = f"""
from pathlib import Path
from companion.auth import Actor, Role
from companion.database import Database
from companion.games import GAMES
from companion.hub import Hub
from companion.rules.actions import FundBank
from companion.rules.engine import Engine
from companion.table import TableService
service = TableService(Database.in_folder(Path("{DATA}")), Engine(GAMES), Hub())
for _ in range(150):
    service.submit(FundBank(5), Actor(Role.DEALER, None, "check"))
"""


def systemctl(*arguments: str) -> str:
    command = ["systemctl", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def prepare() -> None:
    """Name the box's pins in the settings, and keep decisions that can be undone."""
    SETTINGS.write_text(SETTINGS.read_text() + BOX)
    as_user("-c", FILL)


def as_user(*arguments: str) -> str:
    command = ["runuser", "-u", USER, "--", PYTHON, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def ready() -> None:
    """Running, and its pages answer."""
    wait_for("the service", lambda: systemctl("show", "-P", "ActiveState", UNIT) == "active\n", 240)
    with urllib.request.urlopen("http://127.0.0.1:8080/display", timeout=60) as page:
        assert page.status == 200


def restarts() -> int:
    return int(systemctl("show", "-P", "NRestarts", UNIT))


def main_pid() -> str:
    return systemctl("show", "-P", "MainPID", UNIT).strip()


def journal() -> str:
    command = ["journalctl", "-b", "-u", UNIT, "--no-pager", "-o", "cat", "-n", "60"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def entries() -> int:
    """Decisions on the disk."""
    with closing(sqlite3.connect(f"file:{DATA}/table.db?mode=ro", uri=True, timeout=30)) as books:
        return int(books.execute("select count(*) from log").fetchone()[0])


def press_undo() -> None:
    Pin(UNDO).press(0.3)


def sound() -> None:
    """Chain, fold, ledger and balances agree."""
    said = as_user("-m", "companion", "audit", str(DATA))
    assert said.startswith("Sound"), said


def answers_to_a_press() -> None:
    """A press on the box's pin is one more decision on the disk."""
    before = entries()
    Pin(UNDO).press(0.3)
    wait_for("a press to be carried out", lambda: entries() == before + 1)
