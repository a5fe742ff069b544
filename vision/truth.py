"""What the pictures of a recording truly show, as the recording's truth.jsonl says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.patch import Floats
from vision.reading import Expect
from vision.station import StationError

TRUTH = "truth.jsonl"
JUDGED = {"throw": True, "bad": False}  # scenes that judge a reader: whether they are good


@dataclass(frozen=True, slots=True)
class TrueDie:
    """A die that lies in the tray; ``quad`` (4, 2) is its top in pixels, where that is told."""

    kind: str
    face: str
    quad: Floats | None


@dataclass(frozen=True, slots=True)
class Truth:
    """One picture. ``good`` ones may be accepted, others never; ``expect`` was told the reader."""

    image: str
    good: bool
    dice: tuple[TrueDie, ...]
    expect: Expect | None
    why_bad: tuple[str, ...]
    touching: bool


def truths(folder: Path) -> list[Truth]:
    """The throws and bad scenes of a recording.

    Raises StationError naming the line where the truth cannot be read.
    """
    try:
        text = (folder / TRUTH).read_text(encoding="utf-8")
    except (OSError, ValueError) as fault:
        raise StationError("{file} cannot be read: {fault}", file=TRUTH, fault=fault) from fault
    return list(_judging(text))


def _judging(text: str) -> Iterator[Truth]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
            if told["scene"] in JUDGED:
                yield _truth(told)
        except (AttributeError, KeyError, TypeError, ValueError) as fault:
            raise StationError(
                "line {number} of {file} is no truth of a picture: {fault}",
                number=number,
                file=TRUTH,
                fault=fault,
            ) from fault


def _truth(told: Mapping[str, Any]) -> Truth:
    """One line; only the picture, its scene and its dice must be told."""
    expect = told.get("expect")
    return Truth(
        str(told["image"]),
        JUDGED[told["scene"]],
        tuple(_die(die) for die in told["dice"] if die.get("in_tray", True)),
        None if expect is None else {str(kind): int(many) for kind, many in expect.items()},
        tuple(told.get("why_bad", ())),
        bool(told.get("touching")),
    )


def _die(told: Mapping[str, Any]) -> TrueDie:
    quad = told.get("quad")
    corners = None if quad is None else np.array(quad, np.float32).reshape(4, 2)
    return TrueDie(str(told["kind"]), str(told["face"]), corners)
