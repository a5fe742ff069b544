"""In the virtual machine: the production buttons and lamps on the real lgpio and kernel.

Simulated pins follow the pull-up that opening them asks for, so a button that is down
before the start cannot be shown here; the mock pins of `make test` show it.
"""

from __future__ import annotations

import logging
import queue
import subprocess
import sys

import station
from simulated import Pin, heard

from hardware.buttons import Button, Buttons, Press, Timing
from hardware.lamps import Lamp, Lamps
from hardware.pins import PinsError, board_factory

PINS = {Button.CONFIRM: 17, Button.CORRECT: 27, Button.UNDO: 22, Button.NEXT: 23}
TIMING = Timing(bounce_s=0.2, hold_s=2.0)  # longer than life: this machine is slow
logging.getLogger("hardware.buttons").setLevel(logging.CRITICAL)  # presses here fail on purpose
fingers = {button: Pin(number) for button, number in PINS.items()}
factory = board_factory()


class Box:
    """The buttons at work; what a press meant is in ``told``."""

    def __init__(self, fails: frozenset[Press] = frozenset(), timing: Timing = TIMING) -> None:
        self.told: queue.Queue[Press] = queue.Queue()
        self._fails = fails
        self.buttons = Buttons(PINS, self._press, factory, timing)

    def _press(self, press: Press) -> None:
        self.told.put(press)
        if press in self._fails:
            raise RuntimeError("a fault in what a press does")

    def __enter__(self) -> Box:
        self.buttons.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.buttons.close()


def each_button_is_heard_once_with_the_usual_timing():
    with Box(timing=Timing()) as box:
        for button in (Button.CONFIRM, Button.CORRECT, Button.UNDO):
            fingers[button].press()
            assert heard(box.told, 1) == [Press(button.value)]


def a_bouncing_press_is_one_press_and_a_spike_is_none():
    with Box() as box:
        finger = fingers[Button.CONFIRM]
        for _ in range(4):
            finger.down()
            finger.up()
        assert heard(box.told, 0) == []
        for _ in range(4):
            finger.down()
            finger.up()
        finger.press(0.6)
        for _ in range(4):
            finger.down()
            finger.up()
        assert heard(box.told, 1) == [Press.CONFIRM]


def next_held_voids_when_it_is_let_go():
    with Box() as box:
        finger = fingers[Button.NEXT]
        finger.down()
        assert heard(box.told, 0, quiet=3.0) == []
        finger.up()
        assert heard(box.told, 1) == [Press.VOID]
        finger.press(0.6)
        assert heard(box.told, 1) == [Press.NEXT]


def two_presses_at_once_are_two():
    with Box() as box:
        for step in (Pin.down, Pin.up):
            step(fingers[Button.UNDO])
            step(fingers[Button.NEXT])
            if step is Pin.down:
                assert heard(box.told, 0, quiet=0.6) == []
        assert set(heard(box.told, 2)) == {Press.UNDO, Press.NEXT}


def a_press_that_fails_costs_neither_itself_nor_the_others():
    with Box(fails=frozenset({Press.CONFIRM})) as box:
        for button in (Button.CONFIRM, Button.UNDO, Button.CONFIRM):
            fingers[button].press(0.6)
            assert heard(box.told, 1) == [Press(button.value)]


def a_pin_in_use_elsewhere_is_refused_by_name():
    code = (
        "from gpiozero import DigitalInputDevice\nfrom hardware.pins import board_factory\n"
        "wire = DigitalInputDevice(24, pull_up=True, pin_factory=board_factory())\n"
        "print('taken', flush=True)\ninput()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline() == "taken\n"
    said = refusal()
    assert said.startswith("buttons.confirm: GPIO 24 cannot be used"), said
    other.communicate("\n")
    assert refusal() == "", "the other program has ended"


def refusal() -> str:
    try:
        Buttons({Button.CONFIRM: 24}, print, factory).close()
    except PinsError as fault:
        return str(fault)
    return ""


def lamps_drive_their_pins_and_give_them_back_dark():
    ready, ask, ring = Pin(5), Pin(6), Pin(19)
    lamps = Lamps({Lamp.READY: 5, Lamp.ASK: 6, Lamp.RING: 19}, factory)
    lamps.show("ready")
    assert (ready.level(), ask.level(), ring.level()) == (True, False, True)
    lamps.freeze()
    lamps.show("ask")
    assert (ready.level(), ask.level()) == (True, False)
    lamps.thaw()
    assert (ready.level(), ask.level()) == (False, True)
    lamps.close()


for check in (
    each_button_is_heard_once_with_the_usual_timing,
    a_bouncing_press_is_one_press_and_a_spike_is_none,
    next_held_voids_when_it_is_let_go,
    two_presses_at_once_are_two,
    a_press_that_fails_costs_neither_itself_nor_the_others,
    a_pin_in_use_elsewhere_is_refused_by_name,
    lamps_drive_their_pins_and_give_them_back_dark,
):
    print("  ", check.__name__.replace("_", " "), flush=True)
    check()
station.prepare()
