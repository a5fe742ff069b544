"""The commands that make a station: calibrate, enrol.

Output and exit status are those of `reader_commands`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from companion.command_lines import USAGE, complain, pictures, say, warn
from vision.calibration import Calibration, calibrate
from vision.crops import learn_crops
from vision.diceset import INDEX as DICE_INDEX
from vision.diceset import DiceSet
from vision.die_size import DICE_MM, other_size
from vision.enrolment import Flaw, learn, likely_size
from vision.floor_edge import floor_edge
from vision.patch import Image
from vision.station import Station, StationError, pictures_in
from vision.symbols import FaceBank

Flaws = Mapping[str, tuple[Flaw, ...]]
Alike = Sequence[tuple[str, str, float]]
LeftOut = Mapping[str, tuple[int, ...]]
FLAWS = {
    Flaw.UNCLEAR: "an edge of the face hardly shows",
    Flaw.SHADOW: "a shadow or a bright patch lies across an edge of the face",
    Flaw.GLARE: "a lamp is mirrored by the whole face; take it where it is not",
    Flaw.WASHED_OUT: "it is white nearly all over: turn lamp or exposure down, calibrate anew",
    Flaw.TWO_PLACES: "its outline may as well be another, body and floor being alike",
    Flaw.OFF_CENTRE: "the print lies off the middle of what was taken for the face",
}
FACES = range(2, 7)  # so many a die has


def add_commands(commands: Any) -> None:
    """Register the commands with argparse."""
    made = commands.add_parser("calibrate", help="make a station from pictures of the empty tray")
    made.add_argument("--station", type=Path, required=True, help="folder to make or update")
    made.add_argument("--empty", type=Path, nargs="+", required=True, metavar="IMAGE")
    made.add_argument(
        "--corners", type=_corners, help="x,y of each corner of the floor, clockwise: 4, or 5 to 24"
    )
    made.add_argument(
        "--round", action="store_true", help="the floor is round, and the corners lie on its edge"
    )
    made.add_argument("--size-mm", type=float, nargs=2, metavar=("WIDTH", "HEIGHT"))
    made.add_argument("--marker-mm", type=float, help="side of ArUco markers lying on the floor")
    made.add_argument("--dice-mm", type=_die_mm, help="size of the dice that will be enrolled")
    made.set_defaults(run=_calibrate)
    shown = commands.add_parser("enrol", help="teach a station a kind of dice")
    shown.add_argument("--station", type=Path, required=True)
    shown.add_argument("--kind", required=True, help="spike, cube or a name of your own")
    shown.add_argument("--faces", type=Path, required=True, help="folder of <face>*.jpg or .png")
    shown.add_argument("--dice-mm", type=_die_mm, help="their size; untold, it is measured")
    shown.add_argument("--crops", action="store_true", help="pictures are crops of one die")
    shown.set_defaults(run=_enrol)


def _corners(text: str) -> np.ndarray:
    try:
        found = np.array([float(v) for v in text.replace(" ", ",").split(",")]).reshape(-1, 2)
    except ValueError:
        found = np.zeros((0, 2))
    if len(found) < 4:
        raise argparse.ArgumentTypeError("must be numbers: x,y of four corners or more")
    return found


def _die_mm(text: str) -> float:
    low, high = DICE_MM
    try:
        if low <= (size := float(text)) <= high:
            return size
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be from {low:g} to {high:g}, in millimetres")


def _calibrate(arguments: argparse.Namespace) -> int:
    frames, status = [], 0
    for _, picture in pictures(arguments.empty):
        if isinstance(picture, StationError):
            status = complain(picture)
        else:
            frames.append(picture)
    if status:
        return status
    if arguments.round and arguments.corners is None:
        warn("--round needs --corners: five marks or more on the edge of the floor")
        return USAGE
    try:
        made = _calibrated(arguments, frames)
    except (StationError, ValueError) as fault:
        return complain(fault)
    made.station.save(arguments.station)
    for doubt in made.doubts:
        warn(f"calibrated, but {doubt} (--corners)")
    say({"station": str(arguments.station), **_found(made)})
    return 0


def _calibrated(arguments: argparse.Namespace, frames: Sequence[Image]) -> Calibration:
    """From what was told; raises StationError or ValueError where that cannot be."""
    size, corners = arguments.size_mm, arguments.corners
    if corners is not None:
        corners = floor_edge(corners, arguments.round, frames[0])
    told = None if size is None else (size[0], size[1])
    return calibrate(frames, corners, told, arguments.marker_mm, dice_mm=arguments.dice_mm)


def _found(made: Calibration) -> dict[str, object]:
    tray = made.station.tray
    area = float(np.linalg.norm(tray.corners[1] - tray.corners[0]) / tray.size_mm[0])
    return {
        "corners": [[round(float(x), 1), round(float(y), 1)] for x, y in tray.outline],
        "quality": round(made.quality, 3),
        "size_mm": [round(v, 1) for v in tray.size_mm],
        "size_from": made.source,
        "px_per_mm": round(area, 2),
        "barrel": round(tray.barrel, 4),
        "white_bgr": [round(v) for v in tray.white],
    }


def _enrol(arguments: argparse.Namespace) -> int:
    faces, files, status = _shown(arguments.faces)
    if len(faces) not in FACES:
        warn(
            f"{arguments.faces} holds pictures of {len(faces)} faces, 2 to 6 are needed;"
            " name them <face>.jpg, <face>_2.jpg ..."
        )
        return status or USAGE
    if any(_unnumbered(path.stem) != face for face in files for path in files[face]):
        told = ", ".join(f"{face} ({len(group)})" for face, group in faces.items())
        warn(f"by the names of the pictures the faces are {told}")
    made = _enrolled(arguments, faces)
    kind = made.dice.kinds[arguments.kind]
    alike = kind.bank.look_alikes() if isinstance(kind.bank, FaceBank) else []
    lost = [files[face][number] for face, numbers in made.left_out.items() for number in numbers]
    for sentence in _remarks(alike, lost, made.flaws):
        warn(sentence)
    say(
        {
            "kind": kind.name,
            "dice_mm": made.dice_mm and round(made.dice_mm, 1),
            "faces": {face: len(group) for face, group in kind.exemplars.items()},
            "look_alike": [[one, other, round(likeness, 3)] for one, other, likeness in alike],
            "take_again": {face: [flaw.value for flaw in why] for face, why in made.flaws.items()},
        }
    )
    return status


def _remarks(alike: Alike, lost: Sequence[Path], flaws: Flaws) -> Iterator[str]:
    """What to do better at the next enrolment."""
    for one, other, likeness in alike:
        yield (
            f"{one} and {other} look alike ({likeness:.2f});"
            " add more pictures of both, turned a little each time"
        )
    for file in lost:
        yield f"{file} shows no single die and was left out; take it again"
    for face, why in flaws.items():
        if told := "; ".join(FLAWS[flaw] for flaw in why if flaw in FLAWS):
            yield f"{face} is in doubt: {told}; take its picture again"


def _shown(folder: Path) -> tuple[dict[str, list[Image]], dict[str, list[Path]], int]:
    """The pictures of each face in a folder, their files, and the exit status so far."""
    faces: dict[str, list[Image]] = {}
    files: dict[str, list[Path]] = {}
    status = 0
    found = pictures_in(folder)
    named = face_names([path.stem for path in found])
    for path, picture in pictures(found):
        if isinstance(picture, StationError):
            status = complain(picture)
            continue
        faces.setdefault(named[path.stem], []).append(picture)
        files.setdefault(named[path.stem], []).append(path)
    return faces, files, status


def face_names(stems: Sequence[str]) -> dict[str, str]:
    """The face that each picture shows by its name: ``crown`` of ``crown_2``.

    That is the name up to its number; where so there are more faces than a die has, up to the
    first break in it (``crown_left``).
    """
    numbered = {stem: _unnumbered(stem) for stem in stems}
    if len({*numbered.values()}) <= max(FACES):
        return numbered
    return {stem: re.split(r"[-_. ]", stem)[0] or stem for stem in stems}


def _unnumbered(stem: str) -> str:
    if stem.isdigit() and len(stem) == 1:
        return stem
    return stem.rstrip("0123456789").rstrip("_- .") or stem


@dataclass(frozen=True)
class _Enrolled:
    """What came of an enrolment; ``dice_mm`` is None of crops, which tell no size."""

    dice: DiceSet
    flaws: Flaws
    left_out: LeftOut
    dice_mm: float | None


def _enrolled(arguments: argparse.Namespace, faces: dict[str, list[Image]]) -> _Enrolled:
    if arguments.crops:
        there = (arguments.station / DICE_INDEX).exists()
        arguments.station.mkdir(parents=True, exist_ok=True)
        dice = DiceSet.load(arguments.station) if there else DiceSet({})
        dice, unclear = learn_crops(dice, arguments.kind, faces)
        dice.save(arguments.station)
        if unclear:
            warn(
                "too few crops show the die's outline; its faces are read from the"
                " whole crop and always asked about"
            )
        return _Enrolled(dice, dict.fromkeys(unclear, (Flaw.UNCLEAR,)), {}, None)
    station = Station.load(arguments.station)
    size = arguments.dice_mm or likely_size(station, arguments.kind, faces)
    if looks := arguments.dice_mm and other_size(station, faces, size):
        warn(
            f"these dice look about {looks:.0f} mm large beside the tray, not {size:g};"
            f" if so, enrol them again with --dice-mm {looks:.0f}"
        )
    learnt = learn(station, arguments.kind, faces, size)
    learnt.station.save(arguments.station)
    return _Enrolled(learnt.station.dice, learnt.flaws, learnt.left_out, size)
