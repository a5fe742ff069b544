"""The one place that wires database, table, desk and pages together."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

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
from companion.web import create_app
from companion.web.services import WebServices, no_frame

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Station:
    """A dealer's station: its data, its pages and what they share."""

    database: Database
    services: WebServices
    web: Flask

    def close(self) -> None:
        """End the streams and let go of the data."""
        self.services.hub.close()
        self.database.close()


def build(
    settings: Settings,
    base_url: str = "http://127.0.0.1",
    live_frame: Callable[[], bytes | None] = no_frame,
) -> Station:
    """Open the data folder and make everything but the camera. Raises StorageError."""
    database = Database.in_folder(settings.data_dir)
    hub = Hub()
    service = TableService(database, Engine(GAMES), hub)
    evidence = EvidenceStore(settings.data_dir / "evidence", settings.evidence_mb * MEGABYTE)
    key = _secret_key(database)
    services = WebServices(
        service,
        RollDesk(service, evidence, hub),
        hub,
        Pin(database),
        JoinTokens(key, database),
        settings,
        key,
        base_url,
        live_frame,
    )
    return Station(database, services, create_app(services))


def _secret_key(database: Database) -> str:
    """Made once and kept, so that seats and sign-ins outlive a restart."""
    key = database.get_setting("secret_key")
    if key is None:
        key = secrets.token_hex(32)
        database.set_setting("secret_key", key)
    return key
