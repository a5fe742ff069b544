"""The dealer's four buttons: presses come out only when a hand surely made them.

The pin library calls back in a single thread, which dies of an exception and holds up
every other pin while it is busy. So what is called there only notes the edge in a
bounded queue; one thread of ours tells presses from bounces and hands them on.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gpiozero import DigitalInputDevice

from hardware.pins import PinsError, conflict, give_back

log = logging.getLogger(__name__)
QUEUED = 64  # edges; a hand makes a few a second, a loose wire thousands


class Button(StrEnum):
    """A button of the box."""

    CONFIRM = "confirm"
    CORRECT = "correct"
    UNDO = "undo"
    NEXT = "next"


class Press(StrEnum):
    """What the dealer meant."""

    CONFIRM = "confirm"
    CORRECT = "correct"
    UNDO = "undo"
    NEXT = "next"
    VOID = "void"  # next, held


@dataclass(frozen=True, slots=True)
class Timing:
    """In seconds."""

    bounce_s: float = 0.03  # a level counts when it has been still for so long
    hold_s: float = 0.9  # holding next for so long voids, on release; as on the screen
    jam_s: float = 10.0  # pressed for longer, it is jammed or something lies on it


class Contact:
    """One button's wire: levels in, presses out. Pressed at the start, it counts once released."""

    def __init__(self, button: Button, down: bool, timing: Timing) -> None:
        self._button = button
        self._timing = timing
        self.reset(down)

    def reset(self, down: bool) -> None:
        """Begin anew at a level of which nobody knows how it came about."""
        self._level = self._settled = down
        self._since = 0.0
        self._down_at: float | None = None

    def edge(self, down: bool, t: float) -> None:
        """The level changed at ``t``."""
        self._level, self._since = down, t

    def due(self) -> float | None:
        """When the present level will count; None when it counts already."""
        return None if self._level == self._settled else self._since + self._timing.bounce_s

    def settle(self, now: float) -> Press | None:
        """The press that has been completed by ``now``."""
        due = self.due()
        if due is None or now < due:
            return None
        self._settled = self._level
        if self._level:
            self._down_at = self._since
            return None
        began, self._down_at = self._down_at, None
        return self._meant(self._since - began) if began is not None else None

    def _meant(self, lasted: float) -> Press | None:
        if lasted >= self._timing.jam_s:
            log.warning("%s was down for %.0f s and is ignored", self._button, lasted)
            return None
        held = self._button is Button.NEXT and lasted >= self._timing.hold_s
        return Press.VOID if held else Press(self._button)


class Buttons:
    """Watches the pins until closed; ``on_press`` is called in a thread of its own.

    Buttons connect their pin to ground; the board's pull-up is used. Raises PinsError.
    """

    def __init__(
        self,
        pins: Mapping[Button, int],
        on_press: Callable[[Press], None],
        factory: Any,
        timing: Timing | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        queued: int = QUEUED,
    ) -> None:
        if problem := conflict({f"buttons.{button}": pin for button, pin in pins.items()}):
            raise PinsError(problem)
        self._on_press = on_press
        self._timing = timing or Timing()
        self._clock = clock
        self._edges: queue.Queue[tuple[Button, bool, float] | None] = queue.Queue(queued)
        self._lost = threading.Event()  # edges that found the queue full
        self._closed = False
        self._wires: dict[Button, Any] = {}
        try:
            for button, pin in pins.items():
                self._wires[button] = self._wire(button, pin, factory)
        except Exception as fault:  # the library's faults are of many kinds
            self._release()
            raise PinsError(f"buttons.{button}: GPIO {pin} cannot be used ({fault})") from fault
        self._contacts = {
            button: Contact(button, wire.is_active, self._timing)
            for button, wire in self._wires.items()
        }
        self._thread = threading.Thread(target=self._run, name="buttons", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def close(self) -> None:
        """Stop listening and give the pins back."""
        self._closed = True
        self._release()
        with contextlib.suppress(queue.Full):  # then it is awake
            self._edges.put_nowait(None)
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def held(self) -> dict[str, bool]:
        """Which buttons are down now."""
        return {str(button): bool(wire.is_active) for button, wire in self._wires.items()}

    def step(self, timeout: float | None) -> None:
        """Take at most one edge, then hand on what has become a press.

        While edges wait, their own times count: a bounce looked at late is still a bounce.
        """
        try:
            edge = self._edges.get(timeout=timeout) if timeout != 0 else self._edges.get_nowait()
        except queue.Empty:
            edge = None
        if edge is not None:
            button, down, t = edge
            self._settle(t)
            self._contacts[button].edge(down, t)
        if self._edges.empty():
            if self._lost.is_set():
                self._resume()
            self._settle(self._clock())

    def _settle(self, now: float) -> None:
        for contact in self._contacts.values():
            press = contact.settle(now)
            if press is not None:
                self._hand_on(press)

    def _run(self) -> None:
        while not self._closed:
            self.step(self._pause())

    def _pause(self) -> float | None:
        dues = [due for contact in self._contacts.values() if (due := contact.due()) is not None]
        return max(0.001, min(dues) - self._clock()) if dues else None

    def _hand_on(self, press: Press) -> None:
        try:
            self._on_press(press)
        except Exception:  # one press that fails must not cost the dealer the buttons
            log.exception("the press of %s failed", press)

    def _resume(self) -> None:
        """After lost edges: begin anew from the levels as they are, pressed ones not counting."""
        self._lost.clear()
        log.warning("a button's wire is unquiet; presses were ignored, check the contacts")
        for button, contact in self._contacts.items():
            contact.reset(self._wires[button].is_active)

    def _wire(self, button: Button, pin: int, factory: Any) -> Any:
        bounce = self._timing.bounce_s
        wire = DigitalInputDevice(pin, pull_up=True, bounce_time=bounce, pin_factory=factory)
        wire.when_activated = lambda: self._note(button, True)
        wire.when_deactivated = lambda: self._note(button, False)
        return wire

    def _note(self, button: Button, down: bool) -> None:
        """In the pin library's only thread: never wait, never raise."""
        try:
            self._edges.put_nowait((button, down, self._clock()))
        except queue.Full:
            self._lost.set()

    def _release(self) -> None:
        give_back({f"buttons.{button}": wire for button, wire in self._wires.items()})
