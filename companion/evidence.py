"""The picture behind every roll, kept on disk until the ring is full."""

from __future__ import annotations

import json
import os
import re
import secrets
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from companion.database import file_fault
from vision.reading import DieReading, Reading, Reason, Verdict

ID = re.compile(r"[0-9]{10}-[0-9a-f]{8}")


class EvidenceStore:
    """JPEG and reading side by side; the oldest go when ``max_bytes`` is passed.

    Raises StorageError when its folder cannot be made.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise file_fault(fault) from fault
        self._number = max((int(path.stem[:10]) for path in folder.glob("*.jpg")), default=0)

    def save(self, jpeg: bytes, reading: Reading) -> str:
        """Keep a picture and what was read from it; on disk when this returns. Raises OSError."""
        with self._lock:
            self._number += 1
            name = f"{self._number:010}-{secrets.token_hex(4)}"
            self._write_both(name, jpeg, json.dumps(asdict(reading)).encode())
            self._trim(name)
        return name

    def _write_both(self, name: str, jpeg: bytes, reading: bytes) -> None:
        """Both or none: what a full disk cuts off is no evidence, and would stay for ever."""
        parts = {self._folder / f"{name}.json": reading, self._folder / f"{name}.jpg": jpeg}
        try:
            for path, content in parts.items():
                _write(path, content)
        except OSError:
            for path in parts:
                path.unlink(missing_ok=True)
            raise

    def load(self, name: str) -> tuple[bytes, Reading] | None:
        """The picture and its reading; None when it is unknown or the ring has let it go."""
        if not ID.fullmatch(name):
            return None
        try:
            jpeg = (self._folder / f"{name}.jpg").read_bytes()
            return jpeg, _reading(json.loads((self._folder / f"{name}.json").read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _trim(self, newest: str) -> None:
        pictures = sorted(self._folder.glob("*.jpg"))
        held = sum(path.stat().st_size for path in pictures)
        for path in pictures:
            if held <= self._max_bytes or path.stem == newest:
                return
            held -= path.stat().st_size
            path.with_suffix(".json").unlink(missing_ok=True)
            path.unlink()


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())


def _reading(data: dict[str, Any]) -> Reading:
    return Reading(
        Verdict(data["verdict"]),
        tuple(_die(die) for die in data["dice"]),
        tuple(Reason(code) for code in data["reasons"]),
        float(data["ms"]),
        dict(data["expect"]),
        tuple((kind, face) for kind, face in data.get("before", ())),
    )


def _die(data: dict[str, Any]) -> DieReading:
    a, b, c, d = ((float(x), float(y)) for x, y in data["quad"])
    ranked = tuple((str(face), float(p)) for face, p in data["alternatives"])
    reasons = tuple(Reason(code) for code in data["reasons"])
    return DieReading(
        data["kind"], data["face"], (a, b, c, d), float(data["confidence"]), ranked, reasons
    )
