"""Lamps and buzzer: what the table wants the dealer to see, and nothing the camera would.

A lamp that changes while the dice are being read changes the picture of the dice. While a
read is armed the lamps are therefore *frozen*: they hold still, and what was asked for
meanwhile is shown when they thaw. The ring that lights the tray is simply on, and takes
part in no effect: not blinking, since dice may lie under it, and not dimmed, since the
pins' pulse-width dimming is made by software and flickers in a picture.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from gpiozero import DigitalOutputDevice

from hardware.pins import PinsError, conflict, give_back

BLINK_S = 0.15
BLINKS = 4
BEEPS = {"taken": (0.05, 1), "refused": (0.08, 3)}  # seconds of sound and of silence, times


class Lamp(StrEnum):
    """What hangs on a pin."""

    READY = "ready"  # the camera watches the tray
    ASK = "ask"  # the dealer's word is needed
    TROUBLE = "trouble"  # no reading is possible
    RING = "ring"  # lights the tray
    BUZZER = "buzzer"


class Signal(StrEnum):
    """What the table says; steady lamps."""

    OFF = "off"
    READY = "ready"
    ASK = "ask"
    TROUBLE = "trouble"


class Beep(StrEnum):
    """An answer to a press; sound does not show in the picture."""

    TAKEN = "taken"
    REFUSED = "refused"


STATUS = (Lamp.READY, Lamp.ASK, Lamp.TROUBLE)


class Lamps:
    """Whatever lamps there are; those without a pin are silently not there. Thread-safe.

    Raises PinsError when a pin is named twice or cannot be used.
    """

    def __init__(self, pins: Mapping[Lamp, int], factory: Any, *, blink_s: float = BLINK_S) -> None:
        if problem := conflict({f"lamps.{lamp}": pin for lamp, pin in pins.items()}):
            raise PinsError(problem)
        self._lock = threading.Lock()
        self._signal = Signal.OFF
        self._frozen = False
        self._blink_s = blink_s
        self._effect = threading.Event()  # set when the running effect has to end
        self._outputs: dict[Lamp, Any] = {}
        try:
            for lamp, pin in pins.items():
                self._outputs[lamp] = DigitalOutputDevice(pin, pin_factory=factory)
        except Exception as fault:  # the library's faults are of many kinds
            self._release()
            raise PinsError(f"lamps.{lamp}: GPIO {pin} cannot be used ({fault})") from fault
        self._light()

    def show(self, signal: str) -> None:
        """Light the lamp of ``signal`` (a Signal), now or when the lamps thaw."""
        wanted = Signal(signal)
        with self._lock:
            if wanted is self._signal:
                return
            self._signal = wanted
            if not self._frozen:
                self._light()

    def celebrate(self) -> None:
        """Blink the status lamps a few times; not at all while frozen."""
        with self._lock:
            if self._frozen:
                return
            self._effect.set()
            self._effect = threading.Event()
            blinking = threading.Thread(
                target=self._blink, args=(self._effect,), daemon=True, name="_blink"
            )
        blinking.start()

    def beep(self, beep: Beep) -> None:
        """Sound the buzzer."""
        length, times = BEEPS[beep]
        with self._lock:
            if output := self._outputs.get(Lamp.BUZZER):
                output.blink(length, length, n=times)

    def freeze(self) -> None:
        """A read is armed: end every effect and hold still until `thaw`."""
        with self._lock:
            if not self._frozen:
                self._frozen = True
                self._light()

    def thaw(self) -> None:
        """The read is over; show what was asked for meanwhile."""
        with self._lock:
            if self._frozen:
                self._frozen = False
                self._light()

    def close(self) -> None:
        """Everything off, and the pins given back."""
        with self._lock:
            self._effect.set()
            self._release()
            self._outputs = {}

    def _blink(self, ended: threading.Event) -> None:
        for n in range(2 * BLINKS):
            with self._lock:
                if ended.is_set():
                    return
                for lamp in STATUS:
                    if output := self._outputs.get(lamp):
                        output.value = n % 2 == 0
            ended.wait(self._blink_s)
        with self._lock:
            if not ended.is_set():
                self._light()

    def _light(self) -> None:
        """Steady: the signal's lamp and the ring; ends an effect."""
        self._effect.set()
        for lamp, output in self._outputs.items():
            if lamp is not Lamp.BUZZER:
                output.value = lamp is Lamp.RING or lamp.value == self._signal.value

    def _release(self) -> None:
        give_back({f"lamps.{lamp}": output for lamp, output in self._outputs.items()})
