"""How fast a table's news reach every phone: the real server, and a crowd on loopback."""

from __future__ import annotations

import os
import random
import socket
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from flask.sessions import SecureCookieSessionInterface

from companion import bootstrap, crowd
from companion.auth import Actor, Role
from companion.config import Settings
from companion.crowd import Heard, Ticket
from companion.hub import Hub
from companion.rules.actions import Action, BuyIn, ChooseGame, FundBank, JoinSeat, RecordRoll
from companion.rules.crown_and_spike import CloseBets, OpenRound, Phase, PlaceBet, SettleOffers
from companion.rules.dice import Roll, Symbol

DEALER = Actor(Role.DEALER, None, "dealer")
SEATS = 8
PACE_S, BURST, BURST_EVERY = 0.4, 8, 6  # an action each; every so many of them a burst
PATIENCE_S = 30.0  # for phones to connect, and for the last of them to hear


@dataclass(frozen=True, slots=True)
class Spread:
    """Milliseconds of ``n`` measurements."""

    n: int
    p50: float
    p95: float
    p99: float
    worst: float


@dataclass(frozen=True, slots=True)
class Found:
    """What was measured. ``lost`` and ``repeated`` events are counted within a connection;

    who connects again is told the newest version once, whatever was missed meanwhile.
    ``behind`` are phones that did not have the newest version at the end.
    """

    phones: int
    connected: int
    events: int
    heard: Spread
    lost: int
    repeated: int
    dropped: int
    reconnected: int
    refused: int
    behind: int
    shown: Spread | None  # from the news until the phone has the view with it
    view_requests: int
    view_kib: float
    cpu_ms: float  # the server's processor time for each event
    memory_mib: float
    memory_added_mib: float
    threads: int
    load: tuple[float, float]  # of the machine: before, afterwards


class NotedHub(Hub):
    """Notes when each version was told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[int, float] = {}

    def publish(self, kind: str, number: int) -> None:
        """Tell every subscriber, after noting the time."""
        if kind == "table":
            self.told[number] = time.monotonic()
        super().publish(kind, number)


def measure(phones: int, seconds: float, views: bool = False) -> Found:
    """Play for ``seconds`` at a scratch table with ``phones`` screens connected.

    With ``views`` each phone fetches its page's living part at every event, as pages do; two
    in each seat hold it, the others are room screens. A third is dropped half way.
    """
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="companion-bench-") as folder:
        hub = NotedHub()
        settings = Settings(Path(folder), host="127.0.0.1", port=_free_port())
        station = bootstrap.build(settings, hub=hub)
        with closing(station), _served(station):
            _set_table(station)
            before = _memory_mib()
            after = station.services.service.version
            with _crowd(settings.port, _tickets(station, phones), after, views) as pipe:
                connected = _until(pipe, "connected", lambda n: n == phones)
                spent = time.process_time()
                dropped = _play(station, pipe, seconds)
                newest = station.services.service.version
                _until(pipe, "newest", lambda all: all == [newest] * phones)
                spent = time.process_time() - spent
                sizes = _memory_mib(), threading.active_count()
                heard: list[Heard] = _ask(pipe, "stop")
    told = {version: at for version, at in hub.told.items() if version > after}
    return found(heard, told, connected, dropped, spent, (before, *sizes), load)


def found(
    heard: Sequence[Heard],
    told: dict[int, float],
    connected: int,
    dropped: int,
    spent: float,
    sizes: tuple[float, float, int],
    load: float,
) -> Found:
    before, memory, threads = sizes
    newest, views = max(told), [view for phone in heard for view in phone.views]
    return Found(
        phones=len(heard),
        connected=connected,
        events=len(told),
        heard=_spread(_delays(heard, told)),
        lost=sum(_lost(stream) for phone in heard for stream in phone.streams),
        repeated=sum(_repeated(stream) for phone in heard for stream in phone.streams),
        dropped=dropped,
        reconnected=sum(len(phone.streams) > 1 for phone in heard),
        refused=sum(phone.refused for phone in heard),
        behind=sum(phone.newest != newest for phone in heard),
        shown=_spread([(at - told[v]) * 1e3 for v, at in views if v in told]) if views else None,
        view_requests=len(views),
        view_kib=sum(phone.view_bytes for phone in heard) / 1024,
        cpu_ms=spent * 1e3 / len(told),
        memory_mib=memory,
        memory_added_mib=memory - before,
        threads=threads,
        load=(load, os.getloadavg()[0]),
    )


def _delays(heard: Sequence[Heard], told: dict[int, float]) -> list[float]:
    """Milliseconds from telling to hearing; what a phone was told on coming back is left out."""
    return [
        (at - told[version]) * 1e3
        for phone in heard
        for number, stream in enumerate(phone.streams)
        for version, at in (stream[1:] if number else stream)
        if version in told
    ]


def _lost(stream: Sequence[tuple[int, float]]) -> int:
    """Versions between the first and the last heard that did not come."""
    versions = {version for version, _ in stream}
    return max(versions) - min(versions) + 1 - len(versions) if versions else 0


def _repeated(stream: Sequence[tuple[int, float]]) -> int:
    return len(stream) - len({version for version, _ in stream})


def _spread(delays: Sequence[float]) -> Spread:
    ranked = sorted(delays) or [float("nan")]

    def at(share: float) -> float:
        return round(ranked[min(len(ranked) - 1, int(len(ranked) * share))], 1)

    return Spread(len(delays), at(0.5), at(0.95), at(0.99), round(ranked[-1], 1))


def _play(station: bootstrap.Station, pipe: Connection, seconds: float) -> int:
    """Rounds of Crown & Spike; half way a third is dropped. Gives how many those were."""
    actions = _rounds(station)
    _half(station, actions, seconds / 2)
    dropped = int(_ask(pipe, "drop"))
    _half(station, actions, seconds / 2)
    return dropped


def _half(station: bootstrap.Station, actions: Iterator[Action], seconds: float) -> None:
    """At a table's pace and in bursts; at least one action, however slow the machine is."""
    began = time.monotonic()
    for tick in range(1, max(1, round(seconds / PACE_S)) + 1):
        for _ in range(1 if tick % BURST_EVERY else BURST):
            station.services.service.submit(next(actions), DEALER)
        time.sleep(max(0.0, began + tick * PACE_S - time.monotonic()))


def _rounds(station: bootstrap.Station) -> Iterator[Action]:
    chance = random.Random(1977)
    while True:
        yield OpenRound()
        for seat in range(1, SEATS + 1):
            yield PlaceBet(seat, chance.choice(list(Symbol)).value, 5)
        yield CloseBets()
        yield RecordRoll(Roll.of(chance.choices([symbol.value for symbol in Symbol], k=3)))
        if station.services.service.snapshot().table.play.phase is Phase.OFFERS:
            yield SettleOffers()


def _set_table(station: bootstrap.Station) -> None:
    people = [
        action
        for seat in range(1, SEATS + 1)
        for action in (JoinSeat(seat, f"Seat {seat}"), BuyIn(seat, 100_000))
    ]
    for action in (FundBank(1_000_000), *people, ChooseGame("crown_and_spike")):
        station.services.service.submit(action, DEALER)


def _tickets(station: bootstrap.Station, phones: int) -> list[Ticket]:
    """Two phones for each seat, as far as there are so many; the others watch."""
    seats = [1 + number % SEATS for number in range(min(phones, 2 * SEATS))]
    seated = [Ticket("/play", _cookie(station, seat)) for seat in seats]
    return [*seated, *[Ticket("/display")] * (phones - len(seated))]


def _cookie(station: bootstrap.Station, seat: int) -> str:
    """The signed session of a phone that has joined."""
    services = station.services
    signer = SecureCookieSessionInterface().get_signing_serializer(station.web)
    assert signer is not None  # the station has a secret key
    token = services.tokens.seat_token(seat, services.service.snapshot())
    return str(signer.dumps({"seat": token}))


@contextmanager
def _served(station: bootstrap.Station) -> Iterator[None]:
    server = station.server()
    thread = threading.Thread(target=server.run, name="server", daemon=True)
    thread.start()
    try:
        yield
    finally:
        station.services.hub.close()
        server.task_dispatcher.shutdown()  # streams say their last word before it is closed
        server.close()


@contextmanager
def _crowd(port: int, tickets: Sequence[Ticket], after: int, views: bool) -> Iterator[Connection]:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(
        target=crowd.run, args=(theirs, port, tickets, after, views), daemon=True
    )
    process.start()
    try:
        yield ours
        process.join(PATIENCE_S)
    finally:
        process.kill()
        process.join()


def _ask(pipe: Connection, what: str) -> Any:
    pipe.send(what)
    if not pipe.poll(PATIENCE_S):
        raise TimeoutError(f"the phones did not answer to {what!r} in {PATIENCE_S:.0f} s")
    return pipe.recv()


def _until(pipe: Connection, what: str, enough: Any) -> Any:
    """Ask until it is enough, or patience ends; gives the last answer."""
    until = time.monotonic() + PATIENCE_S
    while not enough(answer := _ask(pipe, what)) and time.monotonic() < until:
        time.sleep(0.05)
    return answer


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _memory_mib() -> float:
    """Resident memory of this process; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def told_lines(found: Found) -> Iterator[str]:
    """The measurements in words."""
    yield f"phones: {found.connected} of {found.phones} connected, {found.events} events"
    yield f"news heard: {_timing(found.heard)}"
    yield (
        f"lost {found.lost}, repeated {found.repeated}; {found.dropped} phones dropped,"
        f" {found.reconnected} came back, {found.behind} behind at the end,"
        f" {found.refused} refused"
    )
    if found.shown is not None:
        each = found.view_kib / max(found.view_requests, 1)
        yield f"view fetched: {_timing(found.shown)}"
        yield (
            f"views: {found.view_requests / found.events:.0f} requests and"
            f" {found.view_kib / found.events:.0f} KiB for each event, {each:.1f} KiB a view"
        )
    yield f"server: {found.cpu_ms:.0f} ms of processor time for each event"
    yield (
        f"server: {found.memory_mib:.0f} MiB ({found.memory_added_mib:+.0f} MiB for the phones),"
        f" {found.threads} threads"
    )
    yield f"load of the machine: {found.load[0]:.1f} before, {found.load[1]:.1f} afterwards"


def _timing(spread: Spread) -> str:
    return (
        f"{spread.p50:g} ms median, {spread.p95:g} ms p95, {spread.p99:g} ms p99,"
        f" {spread.worst:g} ms at worst (n = {spread.n})"
    )
