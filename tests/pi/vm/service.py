"""In the virtual machine: the hardened service, pressed, killed and hanging, keeps its table."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import station
from simulated import wait_for
from station import answers_to_a_press


def it_was_started_by_itself_and_reaches_the_pins():
    station.ready()
    assert station.restarts() == 0, station.journal()
    answers_to_a_press()


def it_is_shut_in():
    """What the unit forbids is really forbidden: outside its data nothing can be written."""
    for folder, outcome in (("/opt", 1), ("/etc", 1), ("/home", 1), (station.DATA, 0)):
        inside = ["nsenter", "-t", station.main_pid(), "-m", "sh", "-c", f"test -w {folder}"]
        assert subprocess.run(inside, check=False).returncode == outcome, folder
    status = Path(f"/proc/{station.main_pid()}/status").read_text()
    assert {"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000"} <= {*status.splitlines()}


def comes_back(what: str, strike) -> None:
    """While somebody presses, ``strike`` the station; what it had answered for is still there."""
    restarts, pid = station.restarts(), station.main_pid()
    with Pressing():
        time.sleep(3)
        kept = station.entries()
        strike()
        wait_for(what, lambda: station.restarts() == restarts + 1)
        station.ready()
    assert station.main_pid() != pid
    assert station.entries() >= kept
    station.sound()
    answers_to_a_press()


def killed_it_comes_back():
    comes_back("the restart", lambda: station.systemctl("kill", "-s", "KILL", station.UNIT))


def hanging_it_is_noticed_and_comes_back():
    comes_back("the watchdog", lambda: station.systemctl("kill", "-s", "STOP", station.UNIT))
    assert "Watchdog timeout" in station.journal()


def stopped_it_ends_in_order():
    station.systemctl("stop", station.UNIT)
    result = station.systemctl("show", "-P", "Result", station.UNIT).strip()
    assert result == "success", station.journal()
    station.sound()
    station.systemctl("start", station.UNIT)
    station.ready()


class Pressing:
    """Somebody who presses undo all the time."""

    def __enter__(self) -> None:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.is_set():
            station.press_undo()
            time.sleep(0.5)  # a second press too soon is not counted


def the_plug_is_pulled():
    """The last word of this part; `run` then ends the machine as a power cut does."""
    with Pressing():
        time.sleep(3)
        print(f"pull the plug; {station.entries()} decisions were kept", flush=True)
        time.sleep(60)
    sys.exit("nobody pulled the plug")


for check in (
    it_was_started_by_itself_and_reaches_the_pins,
    it_is_shut_in,
    killed_it_comes_back,
    hanging_it_is_noticed_and_comes_back,
    stopped_it_ends_in_order,
    the_plug_is_pulled,
):
    print("  ", check.__name__.replace("_", " "), flush=True)
    check()
