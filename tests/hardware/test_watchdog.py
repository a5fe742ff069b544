"""What the service manager hears, over a real socket."""

import contextlib
import logging
import os
import socket
import threading
import time

import pytest

from hardware.watchdog import USUAL_S, Heart, Notifier, beat_interval


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    """The manager's socket and the address a service is given."""
    address = str(tmp_path / "notify")
    if request.param == "abstract":
        address = f"@companion-test-{os.getpid()}-{threading.get_ident()}"
    heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    heard.bind(address.replace("@", "\0", 1))
    heard.settimeout(30)
    yield heard, address
    heard.close()


def test_the_manager_hears_ready_well_status_and_stopping(manager):
    heard, address = manager
    notifier = Notifier.from_environment({"NOTIFY_SOCKET": address})
    notifier.ready()
    notifier.beat()
    notifier.status("Camera usb:0\nis disconnected")
    notifier.stopping()
    said = [heard.recv(200).decode() for _ in range(4)]
    assert said == ["READY=1", "WATCHDOG=1", "STATUS=Camera usb:0 is disconnected", "STOPPING=1"]
    notifier.close()
    notifier.ready()
    heard.setblocking(False)
    with pytest.raises(BlockingIOError):
        heard.recv(200)


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "/none/here"}])
def test_without_a_manager_nothing_happens(environ):
    notifier = Notifier.from_environment(environ)
    notifier.ready()
    notifier.close()


def test_a_manager_that_does_not_listen_holds_nothing_up(manager):
    _, address = manager
    notifier = Notifier(address)
    for _ in range(10_000):  # more than any queue
        notifier.beat()
    notifier.close()


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({"WATCHDOG_USEC": "30000000"}, 10.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"}, 10.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"}, USUAL_S),
        ({"WATCHDOG_USEC": "0"}, USUAL_S),
        ({"WATCHDOG_USEC": "soon"}, USUAL_S),
        ({}, USUAL_S),
    ],
)
def test_the_heart_beats_thrice_in_the_time_allowed(environ, seconds):
    assert beat_interval(environ, 42) == seconds


class Counting(Notifier):
    def __init__(self):
        super().__init__(None)
        self.beats = 0

    def beat(self):
        self.beats += 1


def test_it_beats_only_while_somebody_vouches():
    now, notifier = [0.0], Counting()
    heart = Heart(notifier, clock=lambda: now[0])
    assert heart.beat()  # nobody has been asked to vouch yet
    heart.vouch(10)
    now[0] = 10.0
    assert heart.beat()
    now[0] = 10.1
    assert not heart.beat()
    heart.vouch(10)  # a frame at last
    assert heart.beat()
    heart.vouch()  # no camera: for ever
    now[0] = 1e9
    assert heart.beat()
    assert notifier.beats == 4


def test_the_thread_beats_over_the_socket_and_says_once_that_it_stopped(manager, caplog):
    heard, address = manager
    heart = Heart(Notifier(address), interval_s=0.001)
    heart.start()
    assert {heard.recv(200) for _ in range(20)} == {b"WATCHDOG=1"}
    with caplog.at_level(logging.ERROR):
        heart.vouch(-1)
        while not caplog.records:
            time.sleep(0.001)
    heard.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while heard.recv(200):
            pass
    heart.beat()
    with pytest.raises(BlockingIOError):
        heard.recv(200)
    heart.close()
    assert not heart._thread.is_alive()
    assert len(caplog.records) == 1
