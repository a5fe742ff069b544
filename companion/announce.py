"""``spike.local``: the station's name, told to whoever asks on the local network.

By multicast DNS (RFC 6762) through the library zeroconf, in this process: the name is the
table's and not the machine's, so nobody's computer has to be renamed, and it goes when the
station goes. Not every phone resolves such names, so the code to join carries the address.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)
KIND = "_http._tcp.local."
LOOK_S = 30.0  # between looks whether the address is still the same
ALONE = "127."


class Announcer:
    """Answers for ``name`` until closed. ``address()`` is where the pages are now.

    Without the library, or when the network refuses, the station goes on without a name.
    """

    def __init__(
        self,
        name: str,
        title: str,
        port: int,
        address: Callable[[], str],
        library: Any = None,
    ) -> None:
        self._name = name
        self._title = title
        self._port = port
        self._address = address
        self._library = library
        self._told = ""
        self._refused = False
        self._zeroconf: Any = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="announce", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Tell the network that the name is gone."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def look(self) -> None:
        """Tell the address, if it is another than the one told."""
        address = self._address()
        if address == self._told or address.startswith(ALONE):
            return
        self._silence()
        self._zeroconf = self._library.Zeroconf(interfaces=[address])
        self._zeroconf.register_service(self._service(address), allow_name_change=True)
        self._told = address

    def _service(self, address: str) -> Any:
        return self._library.ServiceInfo(
            KIND,
            f"{self._title.replace('.', ' ')}.{KIND}",
            addresses=[socket.inet_aton(address)],
            port=self._port,
            properties={"path": "/"},
            server=f"{self._name}.local.",
        )

    def _silence(self) -> None:
        if self._zeroconf is not None:
            self._zeroconf.close()  # unregisters
        self._zeroconf, self._told = None, ""

    def _run(self) -> None:
        if self._library is None and not self._loaded():
            return
        while not self._closed.is_set():
            self._try()
            self._closed.wait(LOOK_S)
        self._silence()

    def _try(self) -> None:
        try:
            self.look()
        except Exception as fault:  # a name is a convenience; the table goes on
            if not self._refused:
                log.warning("%s.local cannot be announced: %s", self._name, fault)
            self._refused = True

    def _loaded(self) -> bool:
        try:
            import zeroconf
        except ImportError:
            log.warning("%s.local is not announced: the package zeroconf is missing", self._name)
            return False
        self._library = zeroconf
        return True
