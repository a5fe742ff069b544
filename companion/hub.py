"""Tells every connected screen that something changed; screens then fetch their own view."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass

CAP = 240  # streams; each holds a server thread
QUEUED = 100  # events a slow screen may be behind
BEAT_S = 10.0  # a comment now and then finds phones that went away


class TooManySubscribers(Exception):  # noqa: N818 - a state of the house, not a fault
    """The hub is full; the screen should try again later."""


@dataclass(frozen=True, slots=True)
class Event:
    """``id`` is the log version of a ``table`` event, the frame of a ``tray`` event, or 0.

    ``key-confirm``, ``key-correct`` and ``key-next`` ask the dealer's page to open what
    one of the box's buttons needs; ``beat`` and ``closing`` are the stream's own.
    """

    kind: str
    id: int


class Subscription:
    """One screen's events; iterate it, and close it when the screen is gone."""

    def __init__(self, hub: Hub, beat_s: float) -> None:
        self._hub = hub
        self._beat_s = beat_s
        self._events: queue.Queue[Event] = queue.Queue(QUEUED)
        # What found the queue full: the newest table version, or the end.
        self._late: Event | None = None

    def __iter__(self) -> Iterator[Event]:
        while True:
            event = self._next()
            yield event
            if event.kind == "closing":
                return

    def _next(self) -> Event:
        """The next in the queue, what found it full once it is empty, or a beat in between."""
        if self._late and self._events.empty():
            late, self._late = self._late, None
            return late
        try:
            return self._events.get(timeout=self._beat_s)
        except queue.Empty:
            return Event("beat", 0)

    def close(self) -> None:
        """Stop receiving."""
        self._hub.drop(self)

    def push(self, event: Event) -> None:
        """Queue ``event``; when full, only the newest table version and the end matter."""
        try:
            self._events.put_nowait(event)
        except queue.Full:
            if event.kind in ("table", "closing"):
                self._late = event


class Hub:
    """Thread-safe broadcast."""

    def __init__(self, cap: int = CAP, beat_s: float = BEAT_S) -> None:
        self._cap = cap
        self._beat_s = beat_s
        self._lock = threading.Lock()
        self._subscriptions: set[Subscription] = set()
        self._closed = False

    def subscribe(self) -> Subscription:
        """A new subscription; raises TooManySubscribers at the cap."""
        with self._lock:
            if self._closed or len(self._subscriptions) >= self._cap:
                raise TooManySubscribers
            subscription = Subscription(self, self._beat_s)
            self._subscriptions.add(subscription)
        return subscription

    def publish(self, kind: str, number: int) -> None:
        """Tell every subscriber; after the end there is none."""
        with self._lock:
            self._tell(Event(kind, number))

    def drop(self, subscription: Subscription) -> None:
        """Forget a subscriber."""
        with self._lock:
            self._subscriptions.discard(subscription)

    def close(self) -> None:
        """End every stream, so that the server can stop."""
        with self._lock:
            self._closed = True
            self._tell(Event("closing", 0))
            self._subscriptions.clear()

    def _tell(self, event: Event) -> None:
        """Push ``event`` to all; the lock is held, so that nothing follows the end."""
        for subscription in self._subscriptions:
            subscription.push(event)
