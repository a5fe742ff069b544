"""Which station folder a table uses, and how it is read."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from companion.config import Settings
from companion.database import Database
from companion.setup.camera import chosen_camera
from vision.recording import from_recording, is_recording
from vision.station import Station
from vision.store import StationStore


def station_home(settings: Settings) -> Path:
    """Where the station's calibration is kept; a recording is only read, never written."""
    named = settings.station
    if named is None or is_recording(named):
        return settings.data_dir / "station"
    return named


def first_station(settings: Settings, store: StationStore) -> Station | None:
    """The station a table begins with; None before the set-up. Raises StationError."""
    named = settings.station
    if named is not None and is_recording(named):
        return from_recording(named)
    return store.load() if store.exists() else None


def as_chosen(settings: Settings) -> Settings:
    """The settings with the camera and the station that were set up on the screen."""
    home = station_home(settings)
    if settings.station is None and StationStore(home).exists():
        settings = replace(settings, station=home)
    if (settings.data_dir / "table.db").exists():
        with closing(Database.in_folder(settings.data_dir)) as database:
            settings = replace(settings, camera=chosen_camera(settings.camera, database))
    return settings
