"""A recording folder as a station: calibrated and enrolled from its pictures and facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from vision.enrolment import enrol
from vision.patch import Image
from vision.settings import SceneSettings
from vision.station import Station, read_image
from vision.tray import Tray

FACTS = "recording.json"  # what every recording folder has, and no station folder


def is_recording(folder: Path) -> bool:
    """Whether a folder is a recording, from which a station can be made."""
    return (folder / FACTS).exists()


def facts_of(folder: Path) -> dict[str, Any]:
    """What a recording says of its tray, camera, light and dice."""
    facts: dict[str, Any] = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    return facts


def from_recording(
    folder: Path, settings: SceneSettings | None = None, per_face: int | None = None
) -> Station:
    """Calibrate and enrol from a recording folder; tray corners and sizes are in its facts.

    ``per_face`` limits the enrolment pictures of each face.
    """
    facts = facts_of(folder)
    empty = [read_image(path) for path in sorted((folder / "empty").glob("*.jpg"))]
    width, height = facts["tray"]["inner_mm"]
    # Recordings count pixels from the corner of the first one, pictures from its centre.
    corners = np.array(facts["tray"]["corners_px"], np.float32) - 0.5
    station = Station.bare(Tray.calibrate(empty, corners, (width, height), settings))
    for kind in sorted(path.name for path in (folder / "faces").iterdir()):
        faces: dict[str, list[Image]] = {}
        for path in sorted((folder / "faces" / kind).glob("*.jpg")):
            group = faces.setdefault(path.stem.rsplit("_", 1)[0], [])
            if per_face is None or len(group) < per_face:
                group.append(read_image(path))
        station = enrol(station, kind, faces, float(facts["dice_mm"][kind]))
    return station
