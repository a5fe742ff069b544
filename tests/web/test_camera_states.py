"""What the dealer's page says when the camera gives nothing, from the library's fault to the page.

A stand-in for picamera2 (tests/hardware) fails as the real one does.
"""

from __future__ import annotations

import html
import importlib.util
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.watching import Watching
from hardware.camera import CameraError
from hardware.picamera import PiCamera
from hardware.usb import UsbCamera

FAKE = Path(__file__).parents[1] / "hardware" / "fake_picamera2.py"
BY_HAND = "The table goes on; enter rolls by hand meanwhile."


@pytest.fixture
def hardware(monkeypatch):
    """The camera in front of the library."""
    spec = importlib.util.spec_from_file_location("fake_picamera2_for_pages", FAKE)
    fake = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, fake)
    spec.loader.exec_module(fake)
    made = fake.Hardware()
    monkeypatch.setitem(sys.modules, "picamera2", made.module())
    full = SimpleNamespace(Sycc=lambda: "full range")
    monkeypatch.setitem(sys.modules, "libcamera", SimpleNamespace(ColorSpace=full))
    return made


class Blind:
    """Reads nothing."""

    def feed(self, frame, t, expect, luma):
        return []

    def interrupted(self):
        pass


def watched(camera, desk):
    """The camera thread's work up to its first wait, and what it told the watchdog."""
    vouched = []

    def until_the_first_wait(seconds):
        watching.close()

    watching = Watching(camera, Blind(), desk, vouched.append, until_the_first_wait)
    watching._run()
    return vouched


def on_the_page(dealer):
    page = dealer.get("/dealer")
    assert page.status_code == 200
    return html.unescape(page.get_data(as_text=True))


@pytest.mark.parametrize(
    ("happens", "said"),
    [
        ({"cameras": 0}, "Camera picamera2:0 is not there (0 found); check its ribbon cable"),
        ({"busy": True}, "Camera picamera2:0 is used by another program; close that one"),
        ({"hang_at": 40}, "Camera picamera2:0 has sent no picture for 3 s; check its cable"),
        ({"silent": ("ColourGains",)}, "Camera picamera2:0: the pictures come without"),
    ],
)
def test_a_pi_camera_that_gives_nothing_is_a_state_on_the_page(
    hardware, services, dealer, happens, said
):
    for name, value in happens.items():
        setattr(hardware, name, value)
    watched(PiCamera(), services.desk)
    page = on_the_page(dealer)
    assert said in page
    assert BY_HAND in page
    assert "No picture from the camera." in page


def test_a_webcam_that_is_not_plugged_in_is_a_state_on_the_page_and_gone_when_it_is(
    services, dealer
):
    class Device:
        plugged = False

        def isOpened(self):  # noqa: N802 - OpenCV's name
            return self.plugged

        def release(self):
            pass

    watched(UsbCamera(0, lambda number: Device()), services.desk)
    assert "Camera usb:0 cannot be opened; check that it is plugged in" in on_the_page(dealer)
    services.desk.camera_trouble("")
    assert "cannot be opened" not in on_the_page(dealer)


def test_a_driver_that_does_not_let_go_is_said_and_left_to_the_watchdog(hardware, services, dealer):
    hardware.hang_at, hardware.stuck = 40, threading.Event()
    try:
        vouched = watched(PiCamera(shut_s=0.05), services.desk)
    finally:
        hardware.stuck.set()
    assert vouched[-1] == 0.0
    assert "Camera picamera2:0 hangs and cannot be closed; restart the station" in on_the_page(
        dealer
    )


def test_a_library_that_is_missing_is_a_state_on_the_page_too(services, dealer):
    class Missing:
        def frames(self):
            raise CameraError("camera: picamera2 is not installed")
            yield

        def close(self):
            pass

    watched(Missing(), services.desk)
    assert "picamera2 is not installed. The table goes on" in on_the_page(dealer)
