"""A recording folder as a station: calibrated and enrolled from its pictures and facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vision.calibration import calibrate
from vision.enrolment import enrol
from vision.patch import Floats, Image
from vision.station import Station, StationError, pictures_in, read_image

FACTS = "recording.json"  # what every recording folder has, and no station folder


def is_recording(folder: Path) -> bool:
    """Whether a folder is a recording, from which a station can be made."""
    return (folder / FACTS).exists()


def facts_of(folder: Path) -> dict[str, Any]:
    """What a recording says of its tray, camera, light and dice.

    Raises StationError where that cannot be read.
    """
    try:
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise StationError("{file} cannot be read: {fault}", file=FACTS, fault=fault) from fault
    if not isinstance(facts, dict):
        raise StationError("{file} holds no facts by name", file=FACTS)
    return facts


def fact(facts: Mapping[str, Any], *names: str) -> Any:
    """The fact ``names`` lead to, one within another; None where it is not told."""
    found: Any = facts
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def numbers(facts: Mapping[str, Any], *names: str, shape: tuple[int, ...] = ()) -> Floats:
    """A fact in numbers of ``shape``; raises StationError where it is not told or is none."""
    try:
        found = np.array(fact(facts, *names), np.float32).reshape(shape)  # None becomes NaN
        if np.isfinite(found).all():
            return found
    except (TypeError, ValueError):
        pass
    raise StationError(
        "{file} does not say {fact} in {many} numbers",
        file=FACTS,
        fact=".".join(names),
        many=int(np.prod(shape)),
    )


def load_station(folder: Path, per_face: int | None = None) -> Station:
    """A station folder, or a recording folder from which one is made, as `from_recording` does."""
    return from_recording(folder, per_face) if is_recording(folder) else Station.load(folder)


def from_recording(folder: Path, per_face: int | None = None) -> Station:
    """Calibrate and enrol from a recording folder; tray corners and sizes are in its facts.

    ``per_face`` limits the enrolment pictures of each face. Raises StationError where facts
    or pictures are missing or unfit.
    """
    facts = facts_of(folder)
    empty = [read_image(path) for path in pictures_in(folder / "empty")]
    width, height = (float(side) for side in numbers(facts, "tray", "inner_mm", shape=(2,)))
    # Recordings count pixels from the corner of the first one, pictures from its centre.
    corners = numbers(facts, "tray", "corners_px", shape=(4, 2)) - np.float32(0.5)
    try:
        station = calibrate(empty, corners, (width, height)).station
    except ValueError as fault:
        raise StationError(str(fault)) from fault
    for kind in sorted(path.name for path in (folder / "faces").glob("*") if path.is_dir()):
        faces: dict[str, list[Image]] = {}
        for path in pictures_in(folder / "faces" / kind):
            group = faces.setdefault(path.stem.rsplit("_", 1)[0], [])
            if per_face is None or len(group) < per_face:
                group.append(read_image(path))
        station = enrol(station, kind, faces, float(numbers(facts, "dice_mm", kind)))
    if not station.bodies:
        raise StationError("{folder} shows no dice to enrol", folder="faces/")
    return station
