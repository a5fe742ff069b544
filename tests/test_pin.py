"""The PIN's own lock, whichever way the tries come in."""

from __future__ import annotations

import pytest

from companion.auth import LOCK_S, TRIES, Pin

RIGHT, WRONG = "483920", "000000"


class Store(dict):
    def get_setting(self, name):
        return self.get(name)

    def set_setting(self, name, value):
        self[name] = value


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pin(clock):
    made = Pin(Store(), clock)
    made.set(RIGHT)
    return made


def code(pin, tried):
    refusal = pin.check(tried)
    return refusal.code if refusal else "open"


def test_five_wrong_pins_lock_out_the_right_one_for_a_minute(pin, clock):
    assert [code(pin, WRONG) for _ in range(TRIES)] == ["wrong_pin"] * TRIES
    assert [code(pin, RIGHT), code(pin, WRONG)] == ["locked", "locked"]
    clock.now += LOCK_S - 0.1
    assert code(pin, RIGHT) == "locked"
    clock.now += 0.2
    assert code(pin, RIGHT) == "open"


def test_the_right_pin_forgets_the_wrong_ones(pin):
    tries = [WRONG] * (TRIES - 1) + [RIGHT] + [WRONG] * (TRIES - 1) + [RIGHT]
    assert "locked" not in [code(pin, tried) for tried in tries]


def test_a_new_pin_ends_the_old_sessions(pin):
    before = pin.stamp()
    pin.set("5555")
    assert pin.stamp() != before
    assert code(pin, RIGHT) == "wrong_pin"


@pytest.mark.parametrize("bad", ["", "123", "1" * 13, "12a4", "١٢٣٤"])
def test_a_pin_is_four_to_twelve_digits(pin, bad):
    with pytest.raises(ValueError, match="4 to 12 digits"):
        pin.set(bad)
