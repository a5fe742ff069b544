"""In the virtual machine: pins as a finger, a loose wire or a lamp has them."""

from __future__ import annotations

import queue
import time
from pathlib import Path


class Pin:
    """One simulated pin. A button is down when its pin is pulled to ground."""

    def __init__(self, number: int) -> None:
        found = Path("/sys/devices/platform").glob(f"gpio-sim.*/gpiochip*/sim_gpio{number}")
        self._folder = next(found)
        self.up()

    def down(self) -> None:
        """A finger presses."""
        (self._folder / "pull").write_text("pull-down")

    def up(self) -> None:
        """A finger lets go."""
        (self._folder / "pull").write_text("pull-up")

    def level(self) -> bool:
        """What a lamp on this pin would show."""
        return (self._folder / "value").read_text().strip() == "1"

    def press(self, seconds: float = 0.25) -> None:
        """Down for ``seconds``, then up."""
        self.down()
        time.sleep(seconds)
        self.up()


def heard(told: queue.Queue, count: int, quiet: float = 1.0) -> list:
    """The next ``count`` things told, after which nothing more is for ``quiet`` seconds."""
    found = [told.get(timeout=20) for _ in range(count)]
    try:
        found.append(told.get(timeout=quiet))
    except queue.Empty:
        return found
    raise AssertionError(f"told once too often: {found}")


def wait_for(what: str, true, seconds: float = 120.0):
    """The first true answer of ``true()``."""
    ends = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < ends, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(0.2)
    return found
