"""Outgoing webhooks: what the room may see, sent to addresses the settings name.

Each address has a thread and a short queue of its own, off every request: a receiver that is
slow or dead delays nobody, and misses no more than it could not take in. A post carries

    X-Companion-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">
    X-Companion-Delivery: <log version>, the same for every try

so that a receiver can tell ours from others', old from new, and a second try from news.
"""

from __future__ import annotations

import difflib
import hashlib
import hmac
import json
import logging
import queue
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import urlsplit

from companion.hub import Hub, Subscription, TooManySubscribers

log = logging.getLogger(__name__)
QUEUED = 50  # posts a receiver may be behind; then the oldest go
LEAST_SECRET = 16  # characters
Body = Callable[[], Mapping[str, Any]]


class WebhookError(ValueError):
    """A setting of the webhooks cannot be used; the message names the key."""


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """Off unless addresses are named. ``backoff_s`` doubles from one try to the next."""

    urls: tuple[str, ...] = ()
    secret: str = ""
    timeout_s: float = 5.0
    tries: int = 4
    backoff_s: float = 2.0


def webhook_settings(value: Any) -> WebhookSettings:
    """The table ``[webhooks]`` of the settings file. Raises WebhookError."""
    if isinstance(value, WebhookSettings):
        return value
    if not isinstance(value, Mapping):
        raise WebhookError(f"webhooks: must be a table like [webhooks], not {value!r}")
    known = [spec.name for spec in fields(WebhookSettings)]
    for name in value:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
            raise WebhookError(f"webhooks.{name}: there is no such setting; {hint}")
    made = WebhookSettings(**{**value, "urls": _urls(value.get("urls", ()))})
    _check(made)
    return made


def _urls(value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(url, str) for url in value):
        raise WebhookError('webhooks.urls: must be a list like ["http://192.168.1.9/spike"]')
    for url in value:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise WebhookError(f"webhooks.urls: {url!r} is no http or https address")
    return tuple(value)


def _check(made: WebhookSettings) -> None:
    if not isinstance(made.secret, str) or (made.urls and len(made.secret) < LEAST_SECRET):
        raise WebhookError(
            f"webhooks.secret: needs at least {LEAST_SECRET} characters, for the signature"
        )
    if type(made.tries) is not int or not 1 <= made.tries <= 10:
        raise WebhookError(f"webhooks.tries: must be 1 to 10, not {made.tries!r}")
    for name, least, most in (("timeout_s", 0.1, 30), ("backoff_s", 0, 60)):
        number = getattr(made, name)
        if type(number) not in (int, float) or not least <= number <= most:
            raise WebhookError(f"webhooks.{name}: must be {least} to {most}, not {number!r}")


def signature(secret: str, body: bytes, at: int) -> str:
    """The header by which a receiver knows that a post is ours and how old it is.

    >>> signature("key", b"{}", 7)[:13]
    't=7,v1=77bc83'
    """
    said = f"{at}.".encode() + body
    return f"t={at},v1={hmac.new(secret.encode(), said, hashlib.sha256).hexdigest()}"


class Webhooks:
    """Posts ``body()`` to every address whenever the table moves on.

    ``body`` is called on a thread of ours and must give what the room may see.
    """

    def __init__(self, settings: WebhookSettings, hub: Hub, body: Body) -> None:
        self._hub = hub
        self._body = body
        self._events: Subscription | None = None
        self._told = -1  # the newest version sent: of two quick events the first may tell both
        self._receivers = [_Receiver(url, settings) for url in settings.urls]
        self._listener = threading.Thread(target=self._listen, name="webhooks", daemon=True)

    def start(self) -> None:
        """Begin to listen; nothing happens where no address is named."""
        if not self._receivers:
            return
        try:
            self._events = self._hub.subscribe()
        except TooManySubscribers:
            log.error("webhooks: the house is full; none will be sent")
            return
        for receiver in self._receivers:
            receiver.start()
        self._listener.start()

    def close(self) -> None:
        """Stop listening; what is still queued is dropped."""
        if self._events is not None:
            self._events.close()
        for receiver in self._receivers:
            receiver.close()

    def _listen(self) -> None:
        assert self._events is not None
        for event in self._events:
            if event.kind == "table":
                self._tell()
            if all(receiver.stopped for receiver in self._receivers):
                return

    def _tell(self) -> None:
        try:
            said = self._body()
        except Exception:  # a fault in a view must not end the listener
            log.exception("webhooks: the table could not be put into words")
            return
        version = int(said.get("version", 0))
        if version == self._told:
            return
        self._told = version
        body = json.dumps(said, ensure_ascii=False, sort_keys=True).encode()
        for receiver in self._receivers:
            receiver.put(version, body)


class _Receiver:
    """One address with its queue and its thread."""

    def __init__(self, url: str, settings: WebhookSettings) -> None:
        self._url = url
        self._settings = settings
        self._queue: queue.Queue[tuple[int, bytes]] = queue.Queue(QUEUED)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        # No proxies from the environment, and no redirects: only the address that was named.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())

    @property
    def stopped(self) -> bool:
        """Whether it was told to stop."""
        return self._stop.is_set()

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def close(self) -> None:
        """Stop after the post that is on its way."""
        self._stop.set()

    def put(self, version: int, body: bytes) -> None:
        """Queue a post; where the queue is full the oldest goes, for newer ones say more."""
        while True:
            try:
                return self._queue.put_nowait((version, body))
            except queue.Full:
                try:
                    dropped, _ = self._queue.get_nowait()
                    log.warning("webhook %s is too slow; version %d is dropped", self._url, dropped)
                except queue.Empty:
                    continue

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                version, body = self._queue.get(timeout=0.5)
            except queue.Empty:
                continue
            self._deliver(version, body)

    def _deliver(self, version: int, body: bytes) -> None:
        wait = self._settings.backoff_s
        for number in range(1, self._settings.tries + 1):
            problem = self._post(version, body)
            if problem is None:
                return
            log.warning("webhook %s, version %d, try %d: %s", self._url, version, number, problem)
            if number < self._settings.tries and self._stop.wait(wait):
                return
            wait *= 2

    def _post(self, version: int, body: bytes) -> str | None:
        """One try; what was wrong with it, None when the receiver took it."""
        headers = {
            "Content-Type": "application/json",
            "X-Companion-Delivery": str(version),
            "X-Companion-Signature": signature(self._settings.secret, body, int(time.time())),
        }
        request = urllib.request.Request(self._url, data=body, headers=headers, method="POST")
        try:
            with self._opener.open(request, timeout=self._settings.timeout_s):
                return None
        except urllib.error.HTTPError as answer:
            answer.close()
            return f"answered {answer.code}"
        except Exception as fault:  # whatever a receiver does must not end its thread
            return str(fault) or type(fault).__name__


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect counts as a refusal."""

    def redirect_request(self, *_: Any) -> None:
        return None
