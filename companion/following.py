"""A thread that looks at the table anew whenever something changed there."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from companion.hub import Hub, Subscription

log = logging.getLogger(__name__)
CHANGES = ("table", "tray")


class Following:
    """Calls ``update`` at the start and after every change, until the hub closes."""

    def __init__(self, hub: Hub, name: str, update: Callable[[], None]) -> None:
        self._events: Subscription = hub.subscribe()
        self._name = name
        self._update = update
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Show the present state and follow it."""
        self._update()
        self._thread.start()

    def close(self) -> None:
        """Stop following. The hub's own closing ends the thread."""
        self._events.close()

    def _run(self) -> None:
        for event in self._events:
            if event.kind not in CHANGES:
                continue
            try:
                self._update()
            except Exception:  # a fault in showing the table must not cost it anything
                log.exception("%s: the table's state could not be shown", self._name)
