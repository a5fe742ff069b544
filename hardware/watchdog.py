"""Telling the service manager how the station is: ready, well, stopping.

The protocol is systemd's ``sd_notify(3)``: datagrams of ``NAME=value`` lines to the socket
named in ``NOTIFY_SOCKET``. Without that variable everything here does nothing.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping

log = logging.getLogger(__name__)
USUAL_S = 15.0  # between beats when the manager asks for none


class Notifier:
    """One end of the notification socket. Thread-safe; never raises."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._socket: socket.socket | None = None
        if address:
            kind = socket.SOCK_DGRAM | getattr(socket, "SOCK_CLOEXEC", 0)
            self._socket = socket.socket(socket.AF_UNIX, kind)
            self._socket.setblocking(False)  # a manager that is slow must not slow the table

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Notifier:
        """The socket the manager named, if there is a manager."""
        return cls((os.environ if environ is None else environ).get("NOTIFY_SOCKET"))

    def ready(self) -> None:
        """The pages can be reached."""
        self._send("READY=1")

    def stopping(self) -> None:
        """The station was asked to end."""
        self._send("STOPPING=1")

    def beat(self) -> None:
        """The station is well."""
        self._send("WATCHDOG=1")

    def status(self, text: str) -> None:
        """One line for ``systemctl status``."""
        self._send("STATUS=" + " ".join(text.split()))

    def close(self) -> None:
        """Let go of the socket."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _send(self, message: str) -> None:
        if self._socket is None or not self._address:
            return
        address = self._address
        name = "\0" + address[1:] if address.startswith("@") else address
        try:
            self._socket.sendto(message.encode(), name)
        except OSError as fault:
            log.debug("the service manager was not told %s: %s", message, fault)


def beat_interval(environ: Mapping[str, str] | None = None, pid: int | None = None) -> float:
    """Seconds between beats: a third of what the manager allows, as it may be late itself."""
    env = os.environ if environ is None else environ
    allowed, meant = env.get("WATCHDOG_USEC", ""), env.get("WATCHDOG_PID", "")
    if not allowed.isdigit() or int(allowed) == 0:
        return USUAL_S
    if meant and meant != str(os.getpid() if pid is None else pid):
        return USUAL_S  # the watchdog of another process, inherited
    return int(allowed) / 3e6


class Heart:
    """Beats for as long as somebody vouches that the station is well.

    The camera's thread vouches with every frame, and while it waits for an unplugged
    camera: that is known and shown, and a restart would not plug it in. When it hangs in
    a driver nobody vouches, the beats stop and the manager starts the station anew.
    """

    def __init__(
        self,
        notifier: Notifier,
        interval_s: float = USUAL_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._notifier = notifier
        self._interval_s = interval_s
        self._clock = clock
        self._well_until = float("inf")  # until a camera's thread takes over
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heart", daemon=True)

    def start(self) -> None:
        """Begin to beat."""
        self._thread.start()

    def vouch(self, seconds: float = float("inf")) -> None:
        """The station is well, and will be for so long unless told otherwise."""
        self._well_until = self._clock() + seconds

    def well(self) -> bool:
        """Whether somebody vouches now."""
        return self._clock() <= self._well_until

    def beat(self) -> bool:
        """Tell the manager, if the station is well."""
        well = self.well()
        if well:
            self._notifier.beat()
        return well

    def close(self) -> None:
        """Stop beating."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def _run(self) -> None:
        well = True
        while not self._closed.is_set():
            before, well = well, self.beat()
            if before and not well:
                log.error("nothing is heard of the camera; waiting to be started anew")
            self._closed.wait(self._interval_s)
