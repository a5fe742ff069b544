"""The commands that make a station: calibrate, enrol.

Output and exit status are those of `reader_commands`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from companion.command_lines import complain, files_in, pictures, say
from vision.calibration import calibrate
from vision.crops import learn_crops
from vision.diceset import INDEX as DICE_INDEX
from vision.diceset import DiceSet
from vision.enrolment import Flaw, learn
from vision.patch import Image
from vision.station import Station, StationError
from vision.symbols import FaceBank

Flaws = Mapping[str, tuple[Flaw, ...]]
LeftOut = Mapping[str, tuple[int, ...]]
FLAWS = {
    Flaw.UNCLEAR: "an edge of the face hardly shows",
    Flaw.SHADOW: "a shadow or a bright patch lies across an edge of the face",
    Flaw.OFF_CENTRE: "the print lies off the middle of what was taken for the face",
    Flaw.NO_DIE: "a picture that shows no single die was left out",
}
DIE_MM = 16.0  # a common size, where none is given


def add_commands(commands: Any) -> None:
    """Register the commands with argparse."""
    made = commands.add_parser("calibrate", help="make a station from pictures of the empty tray")
    made.add_argument("--station", type=Path, required=True, help="folder to make or update")
    made.add_argument("--empty", type=Path, nargs="+", required=True, metavar="IMAGE")
    made.add_argument("--corners", type=_corners, help="x,y of the floor's four corners, clockwise")
    made.add_argument("--size-mm", type=float, nargs=2, metavar=("WIDTH", "HEIGHT"))
    made.add_argument("--marker-mm", type=float, help="side of ArUco markers lying on the floor")
    made.add_argument("--dice-mm", type=float, help="size of the dice that will be enrolled")
    made.set_defaults(run=_calibrate)
    shown = commands.add_parser("enrol", help="teach a station a kind of dice")
    shown.add_argument("--station", type=Path, required=True)
    shown.add_argument("--kind", required=True, help="spike, cube or a name of your own")
    shown.add_argument("--faces", type=Path, required=True, help="folder of <face>*.jpg or .png")
    shown.add_argument("--dice-mm", type=float, default=None)
    shown.add_argument("--crops", action="store_true", help="pictures are crops of one die")
    shown.set_defaults(run=_enrol)


def _corners(text: str) -> np.ndarray:
    try:
        return np.array([float(v) for v in text.replace(" ", ",").split(",")]).reshape(4, 2)
    except ValueError:
        raise argparse.ArgumentTypeError("must be eight numbers: x,y of four corners") from None


def _calibrate(arguments: argparse.Namespace) -> int:
    frames, status = [], 0
    for _, picture in pictures(arguments.empty):
        if isinstance(picture, StationError):
            status = complain(picture)
        else:
            frames.append(picture)
    if status:
        return status
    size = tuple(arguments.size_mm) if arguments.size_mm else None
    try:
        made = calibrate(frames, arguments.corners, size, arguments.marker_mm)
    except (StationError, ValueError) as fault:
        return complain(fault)
    made.station.save(arguments.station)
    for doubt in made.doubts:
        print(f"companion: calibrated, but {doubt} (--corners)", file=sys.stderr)
    tray = made.station.tray
    area = float(np.linalg.norm(tray.corners[1] - tray.corners[0]) / tray.size_mm[0])
    say(
        {
            "station": str(arguments.station),
            "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in tray.corners],
            "quality": round(made.quality, 3),
            "size_mm": [round(v, 1) for v in tray.size_mm],
            "size_from": made.source,
            "px_per_mm": round(area, 2),
            "white_bgr": [round(v) for v in tray.white],
        }
    )
    return 0


def _enrol(arguments: argparse.Namespace) -> int:
    faces, files, status = _shown(arguments.faces)
    if not 2 <= len(faces) <= 6:
        print(
            f"companion: {arguments.faces} holds pictures of {len(faces)} faces, 2 to 6 are needed;"
            " name them <face>.jpg, <face>_2.jpg ...",
            file=sys.stderr,
        )
        return status or 2
    dice, flaws, left_out = _enrolled(arguments, faces)
    kind = dice.kinds[arguments.kind]
    alike = kind.bank.look_alikes() if isinstance(kind.bank, FaceBank) else []
    for one, other, likeness in alike:
        print(
            f"companion: {one} and {other} look alike ({likeness:.2f});"
            " add more pictures of both, turned a little each time",
            file=sys.stderr,
        )
    for file in (files[face][number] for face in left_out for number in left_out[face]):
        print(f"companion: {file} shows no single die and was left out", file=sys.stderr)
    for face, why in flaws.items():
        told = "; ".join(FLAWS[flaw] for flaw in why)
        print(f"companion: {face} is in doubt: {told}; take its picture again", file=sys.stderr)
    say(
        {
            "kind": kind.name,
            "faces": {face: len(group) for face, group in kind.exemplars.items()},
            "look_alike": [[one, other, round(likeness, 3)] for one, other, likeness in alike],
            "take_again": {face: [flaw.value for flaw in why] for face, why in flaws.items()},
        }
    )
    return status


def _shown(folder: Path) -> tuple[dict[str, list[Image]], dict[str, list[Path]], int]:
    """The pictures of each face in a folder, their files, and the exit status so far."""
    faces: dict[str, list[Image]] = {}
    files: dict[str, list[Path]] = {}
    status = 0
    for path, picture in pictures(files_in(folder)):
        if isinstance(picture, StationError):
            status = complain(picture)
            continue
        faces.setdefault(_face_of(path), []).append(picture)
        files.setdefault(_face_of(path), []).append(path)
    return faces, files, status


def _face_of(path: Path) -> str:
    """The face a picture shows: its name up to the number, as in ``crown_2.jpg``."""
    stem = path.stem
    if stem.isdigit() and len(stem) == 1:
        return stem
    head = stem.rstrip("0123456789")
    trimmed = head.rstrip("_- .")
    return trimmed or stem


def _enrolled(
    arguments: argparse.Namespace, faces: dict[str, list[Image]]
) -> tuple[DiceSet, Flaws, LeftOut]:
    if arguments.crops:
        there = (arguments.station / DICE_INDEX).exists()
        arguments.station.mkdir(parents=True, exist_ok=True)
        dice = DiceSet.load(arguments.station) if there else DiceSet({})
        dice, unclear = learn_crops(dice, arguments.kind, faces)
        dice.save(arguments.station)
        if unclear:
            print(
                "companion: too few crops show the die's outline; its faces are read from the"
                " whole crop and always asked about",
                file=sys.stderr,
            )
        return dice, dict.fromkeys(unclear, (Flaw.UNCLEAR,)), {}
    station = Station.load(arguments.station)
    known = station.bodies.get(arguments.kind)
    size = arguments.dice_mm or (known.size_mm if known else DIE_MM)
    learnt = learn(station, arguments.kind, faces, size)
    learnt.station.save(arguments.station)
    return learnt.station.dice, learnt.flaws, learnt.left_out
