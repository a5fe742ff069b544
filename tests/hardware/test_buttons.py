"""The dealer's buttons on mock pins: what is a press and what is not."""

import queue
from typing import ClassVar

import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from hardware.buttons import Button, Buttons, Press, Timing
from hardware.pins import PinsError, board_factory

PINS = {Button.CONFIRM: 17, Button.CORRECT: 27, Button.UNDO: 22, Button.NEXT: 23}


class WiredPin(MockPin):
    """A mock pin whose pull-up, as on a board, is weaker than a button held to ground."""

    grounded: ClassVar[set[int]] = set()

    def _set_pull(self, value):
        super()._set_pull(value)
        if self.info.name in {f"GPIO{number}" for number in self.grounded}:
            self._change_state(False)


class Box:
    """Four buttons, a hand and a clock that only the test moves."""

    def __init__(self, *, held=(), fails=False, **options):
        WiredPin.grounded = {PINS[button] for button in held}
        self.factory = MockFactory(pin_class=WiredPin)
        self.now = 0.0
        self.presses = []
        self.fails = fails
        self.buttons = Buttons(
            PINS, self.take, self.factory, clock=lambda: self.now, **options
        )  # fmt: skip

    def take(self, press):
        if self.fails:
            raise RuntimeError("a fault in the table")
        self.presses.append(press)

    def wire(self, button):
        return self.factory.pin(PINS[button])

    def down(self, *buttons):
        for button in buttons:
            self.wire(button).drive_low()

    def up(self, *buttons):
        for button in buttons:
            self.wire(button).drive_high()

    def wait(self, seconds):
        """Let time pass; the thread's work is done after each piece of it."""
        self.work()
        self.now += seconds
        self.work()

    def work(self):
        for _ in range(200):
            self.buttons.step(0)

    def press(self, button, seconds=0.2):
        self.down(button)
        self.wait(seconds)
        self.up(button)
        self.wait(0.2)


@pytest.mark.parametrize("button", Button)
def test_each_button_says_its_own_press_on_release(button):
    box = Box()
    box.down(button)
    box.wait(0.5)
    assert box.presses == []
    box.up(button)
    box.wait(0.2)
    assert box.presses == [Press(button.value)]


def test_only_next_has_a_long_press_and_it_acts_on_release():
    box = Box()
    box.down(Button.NEXT)
    box.wait(2)
    assert box.presses == []
    box.up(Button.NEXT)
    box.wait(0.2)
    box.press(Button.UNDO, 2)
    box.press(Button.NEXT, 0.85)
    assert box.presses == [Press.VOID, Press.UNDO, Press.NEXT]


def test_the_long_press_can_be_set():
    box = Box(timing=Timing(hold_s=3.0))
    box.press(Button.NEXT, 2.0)
    box.press(Button.NEXT, 3.5)
    assert box.presses == [Press.NEXT, Press.VOID]


def bounce(box, button):
    for _ in range(4):
        box.down(button)
        box.wait(0.003)
        box.up(button)
        box.wait(0.003)


def test_bounces_at_either_end_are_one_press():
    box = Box()
    bounce(box, Button.CONFIRM)
    box.down(Button.CONFIRM)
    box.wait(0.3)
    bounce(box, Button.CONFIRM)
    box.wait(0.3)
    assert box.presses == [Press.CONFIRM]


def test_a_flicker_in_a_long_press_does_not_make_it_short():
    box = Box()
    box.down(Button.NEXT)
    box.wait(0.5)
    box.up(Button.NEXT)
    box.wait(0.004)
    box.down(Button.NEXT)
    box.wait(0.6)
    box.up(Button.NEXT)
    box.wait(0.3)
    assert box.presses == [Press.VOID]


def test_a_spike_on_the_wire_is_no_press():
    box = Box()
    box.down(Button.CONFIRM)
    box.wait(0.01)
    box.up(Button.CONFIRM)
    box.wait(1)
    assert box.presses == []


def test_a_spike_is_no_press_even_when_the_thread_comes_late():
    box = Box()
    box.down(Button.CONFIRM)
    box.now += 0.01
    box.up(Button.CONFIRM)
    box.now += 5
    box.work()
    assert box.presses == []
    box.down(Button.CONFIRM)
    box.now += 0.2
    box.up(Button.CONFIRM)
    box.now += 5
    box.work()
    assert box.presses == [Press.CONFIRM]


def test_two_at_once_both_count_in_the_order_of_release():
    box = Box()
    box.down(Button.CONFIRM, Button.UNDO)
    box.wait(0.2)
    box.up(Button.UNDO)
    box.wait(0.1)
    box.up(Button.CONFIRM)
    box.wait(0.1)
    assert box.presses == [Press.UNDO, Press.CONFIRM]


def test_a_button_held_at_the_start_counts_from_its_release_on():
    box = Box(held=(Button.NEXT,))
    assert box.buttons.held() == {"confirm": False, "correct": False, "undo": False, "next": True}
    box.wait(2)
    box.press(Button.CONFIRM)
    box.up(Button.NEXT)
    box.wait(0.2)
    assert box.presses == [Press.CONFIRM]
    box.press(Button.NEXT)
    assert box.presses == [Press.CONFIRM, Press.NEXT]


def test_a_jammed_button_is_ignored():
    box = Box()
    box.press(Button.NEXT, 60)
    assert box.presses == []


def test_a_failing_press_costs_nothing_but_itself():
    box = Box(fails=True)
    box.press(Button.CONFIRM)
    box.fails = False
    box.press(Button.UNDO)
    assert box.presses == [Press.UNDO]


def test_a_wire_gone_wild_fills_the_queue_and_makes_no_press():
    box = Box(queued=8)
    for _ in range(100):
        box.down(Button.CONFIRM)
        box.now += 0.05
        box.up(Button.CONFIRM)
        box.now += 0.05
    box.down(Button.UNDO)  # lost: the queue is full
    before = len(box.presses)
    box.wait(1)
    assert len(box.presses) - before <= 4  # what the queue held, no more
    box.presses.clear()
    box.up(Button.UNDO)
    box.wait(1)
    assert box.presses == []  # its beginning was lost
    box.press(Button.UNDO)
    assert box.presses == [Press.UNDO]


def test_a_lost_release_does_not_make_the_next_press_a_long_one():
    box = Box(queued=1)
    box.down(Button.NEXT)
    box.up(Button.NEXT)  # finds the queue full
    box.wait(3)
    box.presses.clear()
    box.press(Button.NEXT)
    assert box.presses == [Press.NEXT]


def test_the_pins_thread_never_waits_and_never_fails():
    """The mock calls back in the driving thread: a fault or a wait would be ours."""
    box = Box(queued=1, fails=True)
    for _ in range(50):
        box.press(Button.NEXT)


def test_the_thread_hands_presses_on_and_ends():
    factory, heard = MockFactory(), queue.Queue()
    timing = Timing(bounce_s=0.0, hold_s=600)
    buttons = Buttons({Button.NEXT: 23}, heard.put, factory, timing)
    buttons.start()
    for _ in range(3):
        factory.pin(23).drive_low()
        factory.pin(23).drive_high()
        assert heard.get(timeout=30) is Press.NEXT
    buttons.close()
    assert not buttons._thread.is_alive()
    Buttons({Button.NEXT: 23}, heard.put, factory).close()  # the pin was given back


@pytest.mark.parametrize(
    ("pins", "sentence"),
    [
        ({Button.CONFIRM: 17, Button.UNDO: 17}, "buttons.confirm and buttons.undo are both on"),
        ({Button.NEXT: 28}, "buttons.next: GPIO 28 cannot be used"),
        ({Button.NEXT: 1}, "buttons.next: GPIO 1 cannot be used"),
    ],
)
def test_a_mapping_that_cannot_work_is_refused_by_name(pins, sentence):
    with pytest.raises(PinsError, match=sentence):
        Buttons(pins, print, MockFactory())


def test_a_pin_in_use_is_refused_and_the_others_are_given_back():
    factory = MockFactory()
    taken = Buttons({Button.UNDO: 22}, print, factory)
    with pytest.raises(PinsError, match=r"buttons.undo: GPIO 22 cannot be used"):
        Buttons(PINS, print, factory)
    taken.close()
    Buttons(PINS, print, factory).close()


def test_a_machine_without_pins_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "lgpio", None)
    monkeypatch.delitem(__import__("sys").modules, "gpiozero.pins.lgpio", raising=False)
    with pytest.raises(PinsError, match="apt install python3-lgpio"):
        board_factory()


class BusyPin(MockPin):
    """GPIO 17 cannot be closed at first, as while lgpio still hands an edge of it on."""

    busy = True

    def close(self):
        if self.info.name == "GPIO17" and self.busy:
            self.busy = False  # by the time gpiozero tidies up
            raise RuntimeError("GPIO busy")
        super().close()


def test_a_pin_that_cannot_be_given_back_keeps_neither_the_others_nor_the_end(caplog):
    factory = MockFactory(pin_class=BusyPin)
    buttons = Buttons(PINS, print, factory)
    buttons.start()
    buttons.close()
    assert caplog.messages == ["the pin of buttons.confirm was not given back: GPIO busy"]
    other = Buttons({Button.NEXT: PINS[Button.NEXT]}, print, factory)  # free again
    other.close()
