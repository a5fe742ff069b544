"""The one place that wires database, table, desk and pages together."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import waitress
from flask import Flask

from companion.auth import JoinTokens, Pin
from companion.config import Settings
from companion.database import Database
from companion.evidence import EvidenceStore
from companion.games import GAMES
from companion.hub import Hub
from companion.rolls import RollDesk
from companion.rules.engine import Engine
from companion.table import TableService
from companion.watching import Watching
from companion.web import create_app
from companion.web.services import WebServices, no_frame
from hardware.camera import CameraError, open_camera
from vision.pipeline import read_frame
from vision.reader import Watcher
from vision.reading import Expect, Reading
from vision.recording import from_recording
from vision.station import Station as Calibrated
from vision.station import StationError, read_image

__all__ = ["CameraError", "Station", "StationError", "build", "load_station", "read_picture"]

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Station:
    """A dealer's station: its data, its pages and what they share."""

    database: Database
    services: WebServices
    web: Flask
    watching: Watching | None

    def start_camera(self) -> None:
        """Begin to watch the tray, where there is a camera."""
        if self.watching is not None:
            self.watching.start()

    def serve(self) -> None:
        """Answer screens until interrupted."""
        settings = self.services.settings
        server = waitress.create_server(
            self.web,
            host=settings.host,
            port=settings.port,
            threads=256,  # a stream holds a thread for as long as its screen is on
            connection_limit=1000,
            asyncore_use_poll=True,  # select() fails near 1,016 sockets
        )
        try:
            server.run()
        finally:
            self.services.hub.close()
            server.close()

    def close(self) -> None:
        """Stop the camera, end the streams and let go of the data."""
        if self.watching is not None:
            self.watching.close()
        self.services.hub.close()
        self.database.close()


def build(
    settings: Settings,
    base_url: str = "http://127.0.0.1",
) -> Station:
    """Open data, station and camera; nothing runs yet.

    Raises StorageError, StationError or CameraError.
    """
    database = Database.in_folder(settings.data_dir)
    hub = Hub()
    service = TableService(database, Engine(GAMES), hub)
    evidence = EvidenceStore(settings.data_dir / "evidence", settings.evidence_mb * MEGABYTE)
    key = _secret_key(database)
    desk = RollDesk(service, evidence, hub)
    watching = _watching(settings, desk)
    services = WebServices(
        service,
        desk,
        hub,
        Pin(database),
        JoinTokens(key, database),
        settings,
        key,
        base_url,
        watching.live_frame if watching else no_frame,
    )
    return Station(database, services, create_app(services), watching)


def _watching(settings: Settings, desk: RollDesk) -> Watching | None:
    camera = open_camera(settings.camera, desk.expect)
    if camera is None:
        return None
    if settings.station is None:
        raise StationError("station: a camera needs a station folder; calibrate and enrol first")
    return Watching(camera, Watcher(load_station(settings.station)), desk)


def load_station(folder: Path) -> Calibrated:
    """A station folder, or a recording folder from which one is made."""
    made = (folder / "recording.json").exists()
    return from_recording(folder) if made else Calibrated.load(folder)


def read_picture(path: Path, station: Calibrated, expect: Expect | None) -> Reading:
    """Read one picture file. Raises StationError naming it when it is no picture."""
    return read_frame(read_image(path), station, expect)


def _secret_key(database: Database) -> str:
    """Made once and kept, so that seats and sign-ins outlive a restart."""
    key = database.get_setting("secret_key")
    if key is None:
        key = secrets.token_hex(32)
        database.set_setting("secret_key", key)
    return key
