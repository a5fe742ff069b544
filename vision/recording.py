"""A recording folder as a station: calibrated and enrolled from its pictures and facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vision.calibration import calibrate
from vision.enrolment import enrol, likely_size
from vision.floor_edge import FloorEdge
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


def load_station(folder: Path, per_face: int | None = None, told: bool = True) -> Station:
    """A station folder, or a recording folder from which one is made, as `from_recording` does."""
    return from_recording(folder, per_face, told) if is_recording(folder) else Station.load(folder)


def from_recording(folder: Path, per_face: int | None = None, told: bool = True) -> Station:
    """Calibrate and enrol from a recording folder; tray corners and sizes are in its facts.

    ``per_face`` limits the enrolment pictures of each face. Not ``told``, corners and sizes are
    what the pictures tell. Raises StationError where facts or pictures are missing or unfit.
    """
    facts = facts_of(folder)
    station = _bare(folder, facts if told else None)
    kinds = sorted(path.name for path in (folder / "faces").glob("*") if path.is_dir())
    shown = {kind: _faces(folder / "faces" / kind, per_face) for kind in kinds}
    # The kind of most faces first: where nothing is told, by it the tray is known best.
    for kind in kinds if told else sorted(kinds, key=lambda each: -len(shown[each])):
        faces = shown[kind]
        size = float(numbers(facts, "dice_mm", kind)) if told else likely_size(station, kind, faces)
        station = enrol(station, kind, faces, size)
    if not station.bodies:
        raise StationError("{folder} shows no dice to enrol", folder="faces/")
    return station


def _bare(folder: Path, facts: Mapping[str, Any] | None) -> Station:
    """The tray as the ``facts`` tell it, or as its pictures do without."""
    empty = [read_image(path) for path in pictures_in(folder / "empty")]
    corners: Floats | FloorEdge | None = None
    size = None
    if facts is not None:
        width, height = (float(side) for side in numbers(facts, "tray", "inner_mm", shape=(2,)))
        size = (width, height)
        # Recordings count pixels from the corner of the first one, pictures from its centre.
        corners = numbers(facts, "tray", "corners_px", shape=(4, 2)) - np.float32(0.5)
        if (edge := fact(facts, "tray", "edge_px")) is not None:
            edge = numbers(facts, "tray", "edge_px", shape=(len(edge), 2)) - np.float32(0.5)
            corners = FloorEdge(edge, corners, width / height)
    try:
        return calibrate(empty, corners, size).station
    except ValueError as fault:
        raise StationError(str(fault)) from fault


def _faces(folder: Path, per_face: int | None) -> dict[str, list[Image]]:
    """The pictures of each face of a kind, ``per_face`` of each at most."""
    faces: dict[str, list[Image]] = {}
    for path in pictures_in(folder):
        group = faces.setdefault(path.stem.rsplit("_", 1)[0], [])
        if per_face is None or len(group) < per_face:
            group.append(read_image(path))
    return faces
