"""The pins of the board: who uses which, and the library that reaches them."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Mapping
from typing import Any

log = logging.getLogger(__name__)
FIRST, LAST = 2, 27  # GPIO 0 and 1 are wired to the identity chip of add-on boards


class PinsError(Exception):
    """The pins cannot be used as they are named; the message says which and what to do."""


def conflict(uses: Mapping[str, int]) -> str:
    """What is wrong with a table of uses and GPIO numbers, in one sentence; empty when nothing.

    >>> conflict({"buttons.confirm": 17, "lamps.ask": 17})
    'buttons.confirm and lamps.ask are both on GPIO 17; give each a pin of its own'
    >>> conflict({"buttons.next": 40})
    'buttons.next: GPIO 40 cannot be used; choose one of 2 to 27'
    """
    owners: dict[int, str] = {}
    for use, pin in uses.items():
        if not FIRST <= pin <= LAST:
            return f"{use}: GPIO {pin} cannot be used; choose one of {FIRST} to {LAST}"
        if pin in owners:
            return f"{owners[pin]} and {use} are both on GPIO {pin}; give each a pin of its own"
        owners[pin] = use
    return ""


def give_back(wires: Mapping[str, Any]) -> None:
    """Close every wire, by use; one that fails keeps no other, for the program is ending.

    lgpio calls a pin busy for as long as its own thread still hands on an edge of it.
    """
    for use, wire in wires.items():
        try:
            wire.close()
        except Exception as fault:  # the library's faults are of many kinds
            log.warning("the pin of %s was not given back: %s", use, fault)


def board_factory() -> Any:
    """The pins of the Raspberry Pi this runs on. Raises PinsError where there are none."""
    # lgpio leaves a small file in its working directory, which may be read-only.
    os.environ.setdefault("LG_WD", tempfile.gettempdir())
    try:
        from gpiozero.pins.lgpio import LGPIOFactory  # needs lgpio, which is the Pi's own
    except ImportError as fault:
        raise PinsError(
            "buttons and lamps: lgpio is not installed; run `sudo apt install python3-lgpio` "
            "and make the environment with --system-site-packages, or leave out their pins"
        ) from fault
    try:
        return LGPIOFactory()
    except Exception as fault:  # the library's faults are of many kinds
        raise PinsError(
            f"buttons and lamps: the pins cannot be reached ({fault}); is this a Raspberry Pi, "
            "and is this user in the group gpio?"
        ) from fault
