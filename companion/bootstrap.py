"""The one place that wires database, table, desk and pages together."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from flask import Flask

from companion.address import lan_address
from companion.announce import Announcer
from companion.auth import JoinTokens, Pin
from companion.box_wiring import Box, open_box
from companion.config import Settings
from companion.database import Database
from companion.evidence import EvidenceStore
from companion.games import GAMES
from companion.hub import Hub
from companion.rolls import RollDesk
from companion.rules.engine import Engine
from companion.serving import CannotListen, listening
from companion.setup.camera import Cameras, chosen_camera
from companion.setup.dice import Dice
from companion.setup.lookout import Lookout
from companion.setup.model import Setup
from companion.setup.table import TableNames
from companion.setup.tray import Stations, Trays
from companion.station_files import first_station, station_home
from companion.status import StatusLine
from companion.table import TableService
from companion.web import create_app
from companion.web.api_views import table_view
from companion.web.services import WebServices
from companion.webhooks import Webhooks
from companion.wifi import WifiError, read_wifi
from hardware.camera import CameraError, open_camera
from hardware.found import cameras
from hardware.pins import PinsError
from hardware.watchdog import Heart, Notifier, beat_interval
from vision.reader import Watcher
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
]

MEGABYTE = 1_000_000


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
    box = open_box(settings, services, pin_factory)
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
    stations = Stations(store, lookout, lambda: first_station(settings, store))
    return Setup(
        TableNames(database, settings.table_name),
        Cameras(lookout, database, settings.camera, cameras, stations.corners),
        Trays(stations, lookout),
        Dice(stations, lookout, database),
    )


def _secret_key(database: Database) -> str:
    """Made once and kept, so that seats and sign-ins outlive a restart."""
    key = database.get_setting("secret_key")
    if key is None:
        key = secrets.token_hex(32)
        database.set_setting("secret_key", key)
    return key
