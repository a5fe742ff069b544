"""Lamps on mock pins: what is lit, and that nothing changes while a read is armed."""

import threading

import pytest
from gpiozero.pins.mock import MockFactory

from hardware.lamps import BLINKS, Beep, Lamp, Lamps, Signal
from hardware.pins import PinsError

PINS = {Lamp.READY: 5, Lamp.ASK: 6, Lamp.TROUBLE: 13, Lamp.RING: 19, Lamp.BUZZER: 26}


@pytest.fixture
def factory():
    return MockFactory()


@pytest.fixture
def lamps(factory):
    made = Lamps(PINS, factory, blink_s=0.0)
    yield made
    made.close()


def lit(factory):
    return {lamp for lamp, pin in PINS.items() if factory.pin(pin).state}


def changes(factory, lamp):
    """How often the pin changed since it was last cleared."""
    return len(factory.pin(PINS[lamp]).states) - 1


def quiet():
    """Wait for the effect's thread; the test fails in pytest's time, not in ours."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and "_blink" in thread.name:
            thread.join(timeout=30)


@pytest.mark.parametrize(
    ("signal", "expected"),
    [
        (Signal.OFF, set()),
        (Signal.READY, {Lamp.READY}),
        (Signal.ASK, {Lamp.ASK}),
        (Signal.TROUBLE, {Lamp.TROUBLE}),
    ],
)
def test_a_signal_lights_its_lamp_and_the_tray_stays_lit(lamps, factory, signal, expected):
    lamps.show(Signal.ASK)
    lamps.show(signal)
    assert lit(factory) == expected | {Lamp.RING}


def test_nothing_changes_between_freeze_and_thaw(lamps, factory):
    lamps.show(Signal.READY)
    lamps.freeze()
    for lamp in PINS:
        factory.pin(PINS[lamp]).clear_states()
    lamps.show(Signal.ASK)
    lamps.celebrate()
    lamps.freeze()
    lamps.show(Signal.TROUBLE)
    quiet()
    assert {lamp: changes(factory, lamp) for lamp in PINS} == dict.fromkeys(PINS, 0)
    lamps.thaw()
    assert lit(factory) == {Lamp.TROUBLE, Lamp.RING}


def test_an_effect_blinks_and_ends_as_it_was_found(lamps, factory):
    lamps.show(Signal.READY)
    factory.pin(PINS[Lamp.ASK]).clear_states()
    factory.pin(PINS[Lamp.RING]).clear_states()
    lamps.celebrate()
    quiet()
    assert changes(factory, Lamp.ASK) == 2 * BLINKS
    assert changes(factory, Lamp.RING) == 0
    assert lit(factory) == {Lamp.READY, Lamp.RING}


def test_freezing_ends_an_effect_at_once(factory):
    lamps = Lamps(PINS, factory, blink_s=600)
    lamps.show(Signal.READY)
    lamps.celebrate()
    lamps.freeze()
    quiet()
    assert lit(factory) == {Lamp.READY, Lamp.RING}
    lamps.close()


def test_a_beep_is_allowed_while_frozen(lamps, factory):
    lamps.freeze()
    lamps.beep(Beep.TAKEN)
    quiet()
    assert changes(factory, Lamp.BUZZER) == 2


def test_a_table_without_some_lamps_shows_what_it_can(factory):
    lamps = Lamps({Lamp.ASK: 6}, factory)
    lamps.show(Signal.ASK)
    lamps.beep(Beep.REFUSED)
    lamps.celebrate()
    lamps.freeze()
    assert lit(factory) == {Lamp.ASK}
    lamps.close()
    lamps.show(Signal.READY)  # closed: nothing to light, nothing to fail


def test_a_lamp_on_a_taken_pin_is_refused_by_name(factory):
    with pytest.raises(PinsError, match=r"lamps.ready and lamps.ring are both on GPIO 5"):
        Lamps({Lamp.READY: 5, Lamp.RING: 5}, factory)
    held = Lamps({Lamp.ASK: 6}, factory)
    with pytest.raises(PinsError, match=r"lamps.ask: GPIO 6 cannot be used"):
        Lamps({Lamp.READY: 5, Lamp.ASK: 6}, factory)
    held.close()
    Lamps({Lamp.READY: 5, Lamp.ASK: 6}, factory).close()
