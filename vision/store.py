"""A station's folder that is only ever replaced as a whole, with the one before kept.

Three names beside each other: ``station`` is in use, ``station.before`` the one before it,
``station.new`` one that is whole and about to be put in use. ``station.part`` is being
written. A power cut at any moment leaves the old station or the new one; `StationStore.mend`
finishes what was interrupted.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from vision.station import INDEX, Station, StationError


class StationStore:
    """Keeps a station in ``folder`` and the one before it at its side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before = folder.with_name(folder.name + ".before")
        self._new = folder.with_name(folder.name + ".new")
        self._part = folder.with_name(folder.name + ".part")

    def exists(self) -> bool:
        """Whether there is a station to load."""
        self.mend()
        return (self.folder / INDEX).exists()

    def can_step_back(self) -> bool:
        """Whether the station before the present one is still there."""
        return (self._before / INDEX).exists()

    def load(self) -> Station:
        """The station in use. Raises StationError."""
        self.mend()
        return Station.load(self.folder)

    def save(self, station: Station) -> None:
        """Put ``station`` in use once all of it is safely on the disk. Raises StationError."""
        try:
            shutil.rmtree(self._part, ignore_errors=True)
            station.save(self._part)
            _flush(self._part)
            shutil.rmtree(self._new, ignore_errors=True)
            self._part.rename(self._new)
            self._put_in_use()
        except OSError as fault:
            raise StationError(
                "{folder} cannot be written ({fault}); the station in use is kept. "
                "Free some space or make the folder writable, then save again",
                folder=self.folder,
                fault=fault.strerror,
            ) from fault

    def step_back(self) -> Station:
        """Exchange the present station and the one before it. Raises StationError."""
        if not self.can_step_back():
            raise StationError("there is no earlier calibration to go back to")
        earlier = Station.load(self._before)  # a damaged one is not put in use
        shutil.rmtree(self._new, ignore_errors=True)
        if self.folder.exists():
            self.folder.rename(self._new)
        self._before.rename(self.folder)
        if self._new.exists():
            self._new.rename(self._before)
        _flush_folder(self.folder.parent)
        return earlier

    def mend(self) -> None:
        """Finish an exchange that a power cut interrupted."""
        if not self.folder.exists():
            for whole in (self._new, self._before):
                if (whole / INDEX).exists():
                    whole.rename(self.folder)
                    break
        elif self._new.exists() and not self._before.exists():
            self._new.rename(self._before)

    def _put_in_use(self) -> None:
        if self.folder.exists():
            shutil.rmtree(self._before, ignore_errors=True)
            self.folder.rename(self._before)
        self._new.rename(self.folder)
        _flush_folder(self.folder.parent)


def _flush(folder: Path) -> None:
    """Every file and folder below ``folder`` on the disk, not only in memory."""
    for path in [*folder.rglob("*"), folder]:
        _flush_folder(path)


def _flush_folder(path: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
