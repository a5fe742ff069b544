"""A station on disk: plain files that say how one camera sees one tray and its dice."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from vision.diceset import DiceSet, DiceSetError, Kind
from vision.patch import Image, cut
from vision.segment import Outlines, Square, candidates, changed, objects
from vision.settings import SceneSettings
from vision.tray import Tray

FORMAT = 1
INDEX = "station.toml"
EMPTY = "empty.png"
COLOURS = frozenset({"red", "blue", "green", "yellow", "black", "white"})


class StationError(ValueError):
    """A station cannot be used; the message names the file and what to do."""


@dataclass(frozen=True)
class Station:
    """A calibrated tray with its enrolled dice. ``sides``: a face's side by kind, rectified px."""

    tray: Tray
    dice: DiceSet
    sides: Mapping[str, float]

    def with_kind(self, name: str, faces: Mapping[str, Sequence[Image]], dice_mm: float) -> Station:
        """Enrol a kind from tray pictures of one die each, that face up. Raises StationError."""
        guess = self.sides.get(name, dice_mm * 1.03 * self.tray.settings.scale)
        found = {
            face: [self._only_die(image, guess) for image in images]
            for face, images in faces.items()
        }
        missing = [face for face, squares in found.items() if None in squares]
        if missing:
            raise StationError(
                f"No single {name} die was found in a picture of {', '.join(missing)}; "
                "put one die near the middle of the tray and take it again"
            )
        squares = [square for group in found.values() for square in group if square]
        patches = {
            face: [
                cut(image, self.tray.to_frame(square.corners))
                for image, square in zip(images, found[face], strict=True)
                if square
            ]
            for face, images in faces.items()
        }
        plain = set(faces) <= COLOURS
        kind = (
            Kind.of_colours(name, patches, self.tray.white())
            if plain
            else Kind.of_symbols(name, patches)
        )
        sides = {**self.sides, name: float(np.median([square.side for square in squares]))}
        return replace(self, dice=self.dice.with_kind(kind), sides=sides)

    def _only_die(self, image: Image, side: float) -> Square | None:
        settings = self.tray.settings
        seen = self.tray.rectify(image)
        mask = changed(seen, self.tray.empty, settings)
        things = objects(mask, settings.least_area * side**2)
        if not things:
            return None
        found = candidates(Outlines(seen, settings), things[0], side, settings)
        return found[0] if found else None

    def save(self, folder: Path) -> None:
        """Write the station into ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        if not cv2.imwrite(str(folder / EMPTY), self.tray.empty):
            raise StationError(f"{folder / EMPTY} cannot be written; is the disk full?")
        self.dice.save(folder)
        corners = json.dumps([[float(x), float(y)] for x, y in self.tray.corners])
        text = [f"format = {FORMAT}", f"corners = {corners}"]
        text += [f"size_mm = {json.dumps([float(v) for v in self.tray.size_mm])}", "[sides]"]
        text += [f"{name} = {side!r}" for name, side in self.sides.items()]
        (folder / INDEX).write_text("\n".join(text) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Station:
        """Read a station; raises StationError naming the file and what to do."""
        index = folder / INDEX
        try:
            data = tomllib.loads(index.read_text(encoding="utf-8"))
            if data.get("format") != FORMAT:
                raise StationError(f"{index} has another format; calibrate and enrol again")
            width, height = (float(value) for value in data["size_mm"])
            corners = np.array(data["corners"], np.float32).reshape(4, 2)
            empty = cv2.imread(str(folder / EMPTY), cv2.IMREAD_COLOR)
            if empty is None:
                raise StationError(f"{folder / EMPTY} is missing or damaged; calibrate again")
            tray = Tray.restored(np.asarray(empty, np.uint8), corners, (width, height))
            sides = {str(name): float(side) for name, side in data["sides"].items()}
            return cls(tray, DiceSet.load(folder), sides)
        except FileNotFoundError:
            raise StationError(f"{index} is missing; run calibrate and enrol first") from None
        except DiceSetError as fault:
            raise StationError(str(fault)) from fault
        except (OSError, KeyError, TypeError, ValueError) as fault:
            if isinstance(fault, StationError):
                raise
            raise StationError(f"{index} cannot be used ({fault}); calibrate again") from fault


def from_recording(folder: Path, settings: SceneSettings | None = None) -> Station:
    """Calibrate and enrol from a recording folder; tray corners and sizes are in its facts."""
    facts = json.loads((folder / "recording.json").read_text(encoding="utf-8"))
    empty = [read_image(path) for path in sorted((folder / "empty").glob("*.jpg"))]
    width, height = facts["tray"]["inner_mm"]
    corners = np.array(facts["tray"]["corners_px"], np.float32)
    station = Station(Tray.calibrate(empty, corners, (width, height), settings), DiceSet({}), {})
    for kind in sorted(path.name for path in (folder / "faces").iterdir()):
        faces: dict[str, list[Image]] = {}
        for path in sorted((folder / "faces" / kind).glob("*.jpg")):
            faces.setdefault(path.stem.rsplit("_", 1)[0], []).append(read_image(path))
        station = station.with_kind(kind, faces, float(facts["dice_mm"][kind]))
    return station


def read_image(path: Path) -> Image:
    """A picture file as BGR; raises StationError naming it."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None:
        raise StationError(f"{path} is not a picture that can be read")
    return np.asarray(image, np.uint8)
