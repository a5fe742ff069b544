"""The one place that wires database, table, desk and pages together."""

from __future__ import annotations

import itertools
import queue
import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from flask import Flask

from companion import selftest as checks
from companion.address import lan_address
from companion.announce import Announcer
from companion.auth import JoinTokens, Pin
from companion.config import Settings
from companion.controls import Controls, Key
from companion.database import Database, StorageError
from companion.evidence import EvidenceStore
from companion.games import GAMES
from companion.hub import Hub
from companion.rolls import RollDesk
from companion.rules.engine import Engine
from companion.selftest import Before, Check, Outcome
from companion.serving import CannotListen, listening
from companion.setup.camera import Cameras, chosen_camera
from companion.setup.dice import Dice
from companion.setup.lookout import Lookout
from companion.setup.model import Setup
from companion.setup.table import TableNames
from companion.setup.tray import Stations, Trays
from companion.signals import Signals
from companion.status import StatusLine
from companion.table import TableService
from companion.web import create_app
from companion.web.api_views import table_view
from companion.web.services import WebServices
from companion.webhooks import Webhooks
from companion.wifi import WifiError, read_wifi
from hardware.buttons import Button, Buttons, Press, Timing
from hardware.camera import CameraError, open_camera
from hardware.found import cameras
from hardware.lamps import Beep, Lamp, Lamps, Signal
from hardware.pins import PinsError, board_factory, conflict
from hardware.watchdog import Heart, Notifier, beat_interval
from vision.reader import Watcher
from vision.recording import from_recording
from vision.station import Station as Calibrated
from vision.station import StationError
from vision.store import StationStore

__all__ = [
    "CameraError",
    "CannotListen",
    "PinsError",
    "Station",
    "StationError",
    "WifiError",
    "build",
    "load_station",
    "selftest",
]

MEGABYTE = 1_000_000
LOOK_S = 0.4  # each lamp is lit for so long in the self-test


@dataclass(frozen=True)
class Box:
    """The dealer's box, as far as there is one."""

    buttons: Buttons | None = None
    lamps: Lamps | None = None
    signals: Signals | None = None

    def start(self) -> None:
        """Begin to listen and to light."""
        for part in (self.signals, self.buttons):
            if part is not None:
                part.start()

    def close(self) -> None:
        """Give the pins back, lamps off."""
        for part in (self.buttons, self.signals, self.lamps):
            if part is not None:
                part.close()


@dataclass(frozen=True)
class Station:
    """A dealer's station: its data, its pages and what they share."""

    database: Database
    services: WebServices
    watching: Lookout
    box: Box
    notifier: Notifier
    heart: Heart
    webhooks: Webhooks
    pages: Callable[[], Flask]  # the same application every time

    @property
    def web(self) -> Flask:
        """The pages as an application; made when it is first asked for."""
        return self.pages()

    def start(self) -> None:
        """Begin to watch the tray and the box, where there are a camera and buttons."""
        self.pages()  # made here, before several threads ask for it
        self.heart.start()
        self.box.start()
        self.webhooks.start()
        self.watching.start()

    def server(self) -> Any:
        """The web server, listening; ``run`` answers screens until closed. Raises CannotListen."""
        return listening(self.web, self.services.settings.host, self.services.settings.port)

    def serve(self) -> None:
        """Answer screens until interrupted."""
        server = self.server()
        where = f"{self.services.table_name} is open on port {server.effective_port}"
        status = StatusLine(
            self.services.desk,
            self.services.hub,
            self.notifier.status,
            where,
            watched=lambda: self.watching.has_camera,
        )
        self.notifier.ready()
        status.start()
        named = self._announced(server.effective_port)
        try:
            server.run()
        finally:
            if named is not None:
                named.close()
            status.close()
            self.services.hub.close()
            server.close()

    def _announced(self, port: int) -> Announcer | None:
        """The station's name on the network, where it has one."""
        settings = self.services.settings
        if not settings.mdns_name:
            return None
        named = Announcer(settings.mdns_name, settings.table_name, port, lan_address)
        named.start()
        return named

    def close(self) -> None:
        """Stop the camera and the box, end the streams and let go of the data."""
        self.notifier.stopping()
        self.watching.close()
        self.webhooks.close()
        self.services.hub.close()
        self.box.close()
        self.heart.close()
        self.notifier.close()
        self.database.close()


def build(
    settings: Settings,
    base_url: Callable[[], str] = lambda: "http://127.0.0.1",
    pin_factory: Any = None,
    hub: Hub | None = None,
) -> Station:
    """Open data, station, camera and box; nothing runs yet.

    ``pin_factory`` is gpiozero's; the board's own when it is None. ``hub`` may be one that
    measures. Raises StorageError, StationError, CameraError, PinsError or WifiError.
    """
    with ExitStack() as undo:  # what is open is closed again when a later part fails
        database = Database.in_folder(settings.data_dir, alone=True)
        undo.callback(database.close)
        station = _built(settings, database, base_url, pin_factory, hub or Hub())
        undo.pop_all()
    return station


def _built(
    settings: Settings,
    database: Database,
    base_url: Callable[[], str],
    pin_factory: Any,
    hub: Hub,
) -> Station:
    service = TableService(database, Engine(GAMES), hub)
    evidence = EvidenceStore(settings.data_dir / "evidence", settings.evidence_mb * MEGABYTE)
    key = _secret_key(database)
    desk = RollDesk(service, evidence, hub)
    notifier = Notifier.from_environment()
    heart = Heart(notifier, beat_interval())
    lookout = Lookout(
        lambda setting: open_camera(setting, desk.expect, desk.done), desk, heart.vouch, _watcher
    )
    setup = _setup(settings, database, lookout)
    desk.sets = setup.dice.labels
    lookout.use(chosen_camera(settings.camera, database))
    services = WebServices(
        service,
        desk,
        hub,
        Pin(database),
        JoinTokens(key, database),
        settings,
        key,
        base_url,
        setup,
        live_frame=lookout.live_frame,
        wifi=read_wifi(settings.wifi),
    )
    box = _box(settings, services, pin_factory)
    pages = cache(partial(create_app, services))
    webhooks = Webhooks(settings.webhooks, hub, _room_view(pages, service))
    return Station(database, services, lookout, box, notifier, heart, webhooks, pages)


def _room_view(pages: Callable[[], Flask], service: TableService) -> Callable[[], dict[str, Any]]:
    """What the room may see, in the table's own language, outside any request."""

    def view() -> dict[str, Any]:
        with pages().test_request_context():
            return table_view(service.snapshot())

    return view


def _watcher(station: Calibrated, camera: str) -> Watcher:
    """What watches a tray; a camera never sends the very same picture twice, a recording does."""
    return Watcher(station, live=not camera.startswith("replay:"))


def _setup(settings: Settings, database: Database, lookout: Lookout) -> Setup:
    """What the set-up pages work with. Raises StationError for a station that is damaged."""
    store = StationStore(station_home(settings))
    stations = Stations(store, lookout, lambda: _first_station(settings, store))
    return Setup(
        TableNames(database, settings.table_name),
        Cameras(lookout, database, settings.camera, cameras, stations.corners),
        Trays(stations, lookout),
        Dice(stations, lookout, database),
    )


def station_home(settings: Settings) -> Path:
    """Where the station's calibration is kept; a recording is only read, never written."""
    named = settings.station
    if named is None or _is_recording(named):
        return settings.data_dir / "station"
    return named


def _first_station(settings: Settings, store: StationStore) -> Calibrated | None:
    named = settings.station
    if named is not None and _is_recording(named):
        return from_recording(named)
    return store.load() if store.exists() else None


def selftest(
    settings: Settings, factory: Any = None, ask: Callable[[str], None] | None = None
) -> list[Check]:
    """Look at this machine's camera, box, disk and heat. Needs the table not to be running.

    ``ask`` shows a person what to press; None where there is nobody to press it.
    """
    with suppress(StorageError):  # the disk's own check will say it
        settings = as_chosen(settings)
    return [
        *_look_at_camera(settings),
        *_look_at_box(settings, factory, ask),
        *checks.disk_checks(settings.data_dir),
        checks.heat(),
        checks.power(),
    ]


def as_chosen(settings: Settings) -> Settings:
    """The settings with the camera and the station that were set up on the screen."""
    home = station_home(settings)
    if settings.station is None and StationStore(home).exists():
        settings = replace(settings, station=home)
    if (settings.data_dir / "table.db").exists():
        with closing(Database.in_folder(settings.data_dir)) as database:
            settings = replace(settings, camera=chosen_camera(settings.camera, database))
    return settings


def _look_at_camera(settings: Settings) -> list[Check]:
    try:
        camera = open_camera(settings.camera, lambda: None)
        if camera is None:
            return [Check("camera", Outcome.SKIP, "disabled in the settings")]
        before = None
        if settings.station is not None:
            tray = load_station(settings.station).tray
            before = Before(tray.rectify, tray.empty)
        with closing(camera.frames()) as frames:
            shots = list(itertools.islice(frames, checks.FRAMES))
    except (CameraError, StationError) as fault:
        return [Check("camera", Outcome.FAIL, str(fault))]
    return checks.camera_checks(shots, before)


def _look_at_box(
    settings: Settings, factory: Any, ask: Callable[[str], None] | None
) -> list[Check]:
    """Open the pins as the station does, light every lamp for a moment, ask for presses."""
    told: queue.SimpleQueue[str] = queue.SimpleQueue()

    def heard(seconds: float) -> str | None:
        try:
            return told.get(timeout=seconds) if seconds else told.get_nowait()
        except queue.Empty:
            return None

    try:
        buttons, board = _pins(settings, lambda press: told.put(press.value), factory)
    except PinsError as fault:
        return [Check("box", Outcome.FAIL, str(fault))]
    if buttons is None or board is None:
        return [checks.buttons_check({})]
    try:
        _light_each(board)
        lamps = ", ".join(settings.lamps.pins()) or "none in the settings"
        rest = checks.buttons_check(buttons.held())
        buttons.start()
        return [
            rest,
            checks.presses_check(settings.buttons.pins(), heard, ask),
            Check("lamps", Outcome.OK, f"{lamps}; did you see and hear them?"),
        ]
    finally:
        buttons.close()
        board.close()


def _light_each(board: Lamps) -> None:
    for signal in Signal:
        board.show(signal)
        time.sleep(LOOK_S)
    board.beep(Beep.TAKEN)


def _box(settings: Settings, services: WebServices, factory: Any) -> Box:
    """The buttons and lamps the settings name, at work. Raises PinsError."""

    def pressed(press: Press) -> None:
        controls.press(Key(press.value))

    buttons, board = _pins(settings, pressed, factory)
    if buttons is None or board is None:
        return Box()
    controls = Controls(services.service, services.desk, services.hub, _answer(board))
    return Box(buttons, board, Signals(services.desk, services.hub, board))


def _pins(
    settings: Settings, pressed: Callable[[Press], None], factory: Any
) -> tuple[Buttons | None, Lamps | None]:
    """The pins opened; nothing when none are named. Raises PinsError."""
    buttons, lamps = settings.buttons.pins(), settings.lamps.pins()
    named = {f"buttons.{name}": pin for name, pin in buttons.items()}
    named |= {f"lamps.{name}": pin for name, pin in lamps.items()}
    if not named:
        return None, None
    if problem := conflict(named):
        raise PinsError(problem)
    pins = board_factory() if factory is None else factory
    board = Lamps({Lamp(name): pin for name, pin in lamps.items()}, pins)
    timing = Timing(bounce_s=settings.buttons.bounce_s, hold_s=settings.buttons.hold_s)
    wired = {Button(name): pin for name, pin in buttons.items()}
    try:
        return Buttons(wired, pressed, pins, timing), board
    except PinsError:
        board.close()
        raise


def _answer(board: Lamps) -> Callable[[bool], None]:
    return lambda taken: board.beep(Beep.TAKEN if taken else Beep.REFUSED)


def load_station(folder: Path) -> Calibrated:
    """A station folder, or a recording folder from which one is made."""
    return from_recording(folder) if _is_recording(folder) else Calibrated.load(folder)


def _is_recording(folder: Path) -> bool:
    return (folder / "recording.json").exists()


def _secret_key(database: Database) -> str:
    """Made once and kept, so that seats and sign-ins outlive a restart."""
    key = database.get_setting("secret_key")
    if key is None:
        key = secrets.token_hex(32)
        database.set_setting("secret_key", key)
    return key
