"""A room full of phones, in a process of its own: what each of them hears, and when.

Plain sockets, so that two hundred of them cost little. Times are of the monotonic clock,
which all processes of a machine share.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import re
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

RECONNECT_S = 1.0  # as the stream's own retry tells browsers
HEAD_END = b"\r\n\r\n"
PACKED = b"content-encoding: gzip"
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
SHOWN = re.compile(rb'data-version="(\d+)"')


@dataclass(frozen=True, slots=True)
class Ticket:
    """How one phone comes: the path of its page, its cookie if it has a seat."""

    path: str
    cookie: str = ""


@dataclass(slots=True)
class Heard:
    """What one phone noted. Each connection's events are (version, seconds), in their order."""

    streams: list[list[tuple[int, float]]] = field(default_factory=list)
    views: list[tuple[int, float]] = field(default_factory=list)
    view_bytes: int = 0
    refused: int = 0  # connections that were not answered with a stream

    @property
    def newest(self) -> int:
        """The highest version heard of."""
        return max((version for stream in self.streams for version, _ in stream), default=0)


class Phone:
    """Keeps a stream open until told to go; fetches its view at each event if it shows one."""

    def __init__(self, port: int, ticket: Ticket, after: int, views: bool) -> None:
        self.heard = Heard()
        self._port = port
        self._ticket = ticket
        self._after = after
        self._due = asyncio.Event() if views else None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def newest(self) -> int:
        """The version it has: on its page, where it shows one."""
        if self._due is None:
            return self.heard.newest
        return max((version for version, _ in self.heard.views), default=0)

    def come(self, wait_s: float = 0.0) -> None:
        """Open the stream; with Last-Event-ID when there was one before."""
        self._tasks = [asyncio.create_task(self._listen(wait_s))]
        if self._due is not None:
            self._tasks.append(asyncio.create_task(self._show()))

    async def go(self) -> None:
        """Break off, as a phone does that falls asleep."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)
        while True:
            with contextlib.suppress(OSError, EOFError):
                await self._stream()
            await asyncio.sleep(RECONNECT_S)

    async def _stream(self) -> None:
        since = self.heard.newest or self._after
        path = f"/events?want=table&after={self._after}"
        async with self._ask(path, f"Last-Event-ID: {since}\r\n") as (reader, _):
            if b" 200 " not in (await reader.readuntil(HEAD_END)).split(b"\r\n")[0]:
                self.heard.refused += 1
                return
            events: list[tuple[int, float]] = []
            self.heard.streams.append(events)
            while line := await reader.readline():
                if line.startswith(b"id: "):
                    events.append((int(line[4:]), time.monotonic()))
                    if self._due is not None:
                        self._due.set()

    async def _show(self) -> None:
        """One fetch at a time; what is heard meanwhile asks for one more, as on the page."""
        assert self._due is not None
        while True:
            with contextlib.suppress(OSError, EOFError):
                async with self._ask("") as (reader, writer):
                    while True:
                        await self._due.wait()
                        self._due.clear()
                        writer.write(
                            self._request(
                                self._ticket.path, "X-Part: view\r\nAccept-Encoding: gzip\r\n"
                            )
                        )
                        await self._view(reader)
            await asyncio.sleep(RECONNECT_S)

    async def _view(self, reader: asyncio.StreamReader) -> None:
        head = await reader.readuntil(HEAD_END)
        length = LENGTH.search(head)
        body = await reader.readexactly(int(length[1]) if length else 0)
        self.heard.view_bytes += len(head) + len(body)
        if PACKED in head.lower():
            body = gzip.decompress(body)
        if shown := SHOWN.search(body):
            self.heard.views.append((int(shown[1]), time.monotonic()))

    @contextlib.asynccontextmanager
    async def _ask(
        self, path: str, headers: str = ""
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            if path:
                writer.write(self._request(path, headers))
            yield reader, writer
        finally:
            writer.transport.abort()

    def _request(self, path: str, headers: str) -> bytes:
        cookie = f"Cookie: companion={self._ticket.cookie}\r\n" if self._ticket.cookie else ""
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n{cookie}{headers}\r\n"
        return head.encode("ascii")


def run(pipe: Connection, port: int, tickets: Sequence[Ticket], after: int, views: bool) -> None:
    """The process: does what ``pipe`` says, and sends what was heard when it says stop."""
    asyncio.run(_crowd(pipe, [(port, ticket, after, views) for ticket in tickets]))


async def _crowd(pipe: Connection, wanted: Sequence[tuple[int, Ticket, int, bool]]) -> None:
    phones = [Phone(*each) for each in wanted]
    for number, phone in enumerate(phones):
        phone.come(number * 0.005)  # people do not open a page in the same instant
    loop = asyncio.get_running_loop()
    while True:
        match await loop.run_in_executor(None, pipe.recv):
            case "connected":
                pipe.send(sum(bool(phone.heard.streams) for phone in phones))
            case "newest":
                pipe.send([phone.newest for phone in phones])
            case "drop":
                third = phones[::3]
                for phone in third:
                    await phone.go()
                for phone in third:
                    phone.come(RECONNECT_S)
                pipe.send(len(third))
            case _:
                for phone in phones:
                    await phone.go()
                pipe.send([phone.heard for phone in phones])
                return
