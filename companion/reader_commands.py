"""The commands that make and use a station: calibrate, enrol, read, replay, evaluate, bench.

JSON lines go to standard output, words to standard error. Exit status 0: every
picture was processed; 2: the command cannot be done as given; 3: an input could
not be read, each named in a line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from companion import __version__, bootstrap, crowd_bench, demo, selftest
from companion.hub import CAP
from vision import bench
from vision.calibration import calibrate
from vision.crops import learn_crops, read_crop
from vision.diceset import INDEX as DICE_INDEX
from vision.diceset import DiceSet, DiceSetError
from vision.enrolment import Flaw, learn
from vision.evaluate import evaluate
from vision.patch import Image
from vision.pipeline import read_frame
from vision.reader import Watcher
from vision.reading import Expect, Reading
from vision.report import Report
from vision.station import Station, StationError, read_image
from vision.symbols import FaceBank

UNREADABLE = 3
PICTURES = (".jpg", ".jpeg", ".png")
Flaws = Mapping[str, tuple[Flaw, ...]]
FLAWS = {
    Flaw.UNCLEAR: "an edge of the face hardly shows",
    Flaw.SHADOW: "a shadow or a bright patch lies across an edge of the face",
    Flaw.OFF_CENTRE: "the print lies off the middle of what was taken for the face",
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
    read = commands.add_parser("read", help="read pictures of a tray (JSON lines)")
    read.add_argument("--station", type=Path, required=True)
    read.add_argument("--expect", type=expectation, help="for example spike=3,cube=2")
    read.add_argument("--crops", action="store_true", help="pictures are crops of one die")
    read.add_argument("images", nargs="+", type=Path)
    read.set_defaults(run=_read)
    played = commands.add_parser("replay", help="follow a filmed throw (JSON lines)")
    played.add_argument("--station", type=Path, required=True)
    played.add_argument("--expect", type=expectation)
    played.add_argument("--fps", type=float, default=15.0)
    played.add_argument("clip", type=Path, help="folder of frames")
    played.set_defaults(run=_replay)
    judged = commands.add_parser("evaluate", help="judge the reader on recordings with truth")
    judged.add_argument("--station", type=Path, nargs="+", required=True, help="recording folders")
    judged.add_argument("--truth", action="store_true", help="judge by the recordings' own truth")
    judged.add_argument("--per-face", type=int, help="enrolment pictures of each face to use")
    judged.add_argument(
        "--variants", type=_variants, default=0, help="relit and noisy copies of each"
    )
    judged.add_argument("--jobs", type=_jobs, default=1, help="recordings read at a time")
    judged.add_argument("--json", type=Path, help="write the report here")
    judged.add_argument("--svg", type=Path, help="write the risk-coverage plot here")
    judged.set_defaults(run=_evaluate)
    timed = commands.add_parser("bench", help="what watching and reading cost on this machine")
    timed.add_argument("--station", type=Path, help="default: the recording of the demo")
    timed.add_argument("--phones", type=_phones, help="measure the screens of so many phones")
    timed.add_argument("--views", action="store_true", help="phones fetch their view each time")
    timed.add_argument("--seconds", type=_seconds, help="for each measurement")
    timed.add_argument("--json", action="store_true", help="print JSON")
    timed.set_defaults(run=_bench)


def expectation(text: str) -> dict[str, int]:
    """``spike=3,cube=2`` as kinds and counts."""
    try:
        pairs = [part.split("=") for part in text.split(",")]
        found = {kind.strip(): int(count) for kind, count in pairs}
    except ValueError:
        found = {}
    if not found or any(not kind or count < 0 for kind, count in found.items()):
        raise argparse.ArgumentTypeError("must look like spike=3,cube=2")
    return found


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError("must be a number of seconds, up to 3600")
    return seconds


def _variants(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 1000):
        raise argparse.ArgumentTypeError("must be 0 to 1000")
    return int(text)


def _jobs(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 64):
        raise argparse.ArgumentTypeError("must be 1 to 64")
    return int(text)


def _phones(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= CAP):
        raise argparse.ArgumentTypeError(f"must be 1 to {CAP}; the table takes no more screens")
    return int(text)


def _corners(text: str) -> np.ndarray:
    try:
        return np.array([float(v) for v in text.replace(" ", ",").split(",")]).reshape(4, 2)
    except ValueError:
        raise argparse.ArgumentTypeError("must be eight numbers: x,y of four corners") from None


def _say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def _complain(fault: object) -> int:
    print(f"companion: {fault}", file=sys.stderr)
    return UNREADABLE


def _pictures(paths: Sequence[Path]) -> Iterator[tuple[Path, Image | StationError]]:
    for path in paths:
        try:
            yield path, read_image(path)
        except StationError as fault:
            yield path, fault


def _calibrate(arguments: argparse.Namespace) -> int:
    frames, status = [], 0
    for _, picture in _pictures(arguments.empty):
        if isinstance(picture, StationError):
            status = _complain(picture)
        else:
            frames.append(picture)
    if status:
        return status
    size = tuple(arguments.size_mm) if arguments.size_mm else None
    try:
        made = calibrate(frames, arguments.corners, size, arguments.marker_mm)
    except (StationError, ValueError) as fault:
        return _complain(fault)
    made.station.save(arguments.station)
    for doubt in made.doubts:
        print(f"companion: calibrated, but {doubt} (--corners)", file=sys.stderr)
    tray = made.station.tray
    area = float(np.linalg.norm(tray.corners[1] - tray.corners[0]) / tray.size_mm[0])
    _say(
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
    faces: dict[str, list[Image]] = {}
    status = 0
    files = sorted(p for p in arguments.faces.glob("*") if p.suffix.lower() in PICTURES)
    for path, picture in _pictures(files):
        if isinstance(picture, StationError):
            status = _complain(picture)
        else:
            faces.setdefault(_face_of(path), []).append(picture)
    if not 2 <= len(faces) <= 6:
        print(
            f"companion: {arguments.faces} holds pictures of {len(faces)} faces, 2 to 6 are needed;"
            " name them <face>.jpg, <face>_2.jpg ...",
            file=sys.stderr,
        )
        return status or 2
    dice, flaws = _enrolled(arguments, faces)
    bank = dice.kinds[arguments.kind].bank
    alike = bank.look_alikes() if isinstance(bank, FaceBank) else []
    for one, other, likeness in alike:
        print(
            f"companion: {one} and {other} look alike ({likeness:.2f});"
            " add more pictures of both, turned a little each time",
            file=sys.stderr,
        )
    for face, why in flaws.items():
        told = "; ".join(FLAWS[flaw] for flaw in why)
        print(f"companion: {face} is in doubt: {told}; take its picture again", file=sys.stderr)
    _say(
        {
            "kind": arguments.kind,
            "faces": {face: len(group) for face, group in faces.items()},
            "look_alike": [[one, other, round(likeness, 3)] for one, other, likeness in alike],
            "take_again": {face: [flaw.value for flaw in why] for face, why in flaws.items()},
        }
    )
    return status


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
) -> tuple[DiceSet, Flaws]:
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
        return dice, dict.fromkeys(unclear, (Flaw.UNCLEAR,))
    station = Station.load(arguments.station)
    known = station.bodies.get(arguments.kind)
    size = arguments.dice_mm or (known.size_mm if known else DIE_MM)
    learnt = learn(station, arguments.kind, faces, size)
    learnt.station.save(arguments.station)
    return learnt.station.dice, learnt.flaws


def _read(arguments: argparse.Namespace) -> int:
    reader = _reader(arguments)
    status = 0
    for path, picture in _pictures(arguments.images):
        if isinstance(picture, StationError):
            status = _complain(picture)
            continue
        try:
            _say({"image": str(path), **_told(reader(picture))})
        except StationError as fault:
            status = _complain(f"{path}: {fault}")
    return status


def _reader(arguments: argparse.Namespace) -> Callable[[Image], Reading]:
    expect: Expect | None = arguments.expect
    if arguments.crops:
        try:
            dice = DiceSet.load(arguments.station)
        except DiceSetError as fault:
            raise StationError(str(fault)) from fault
        return lambda picture: read_crop(picture, dice, expect)
    station = bootstrap.load_station(arguments.station)
    return lambda picture: read_frame(picture, station, expect)


def _told(reading: Reading) -> dict[str, Any]:
    """A reading in the words of the command's contract."""
    said = asdict(reading)
    keys = ("kind", "face", "quad", "confidence", "alternatives")
    dice = [{name: die[name] for name in keys} for die in said["dice"]]
    whole = {"verdict": said["verdict"], "reasons": said["reasons"], "dice": dice}
    return {**whole, "ms": round(reading.ms, 1)}


def _told_of_roll(reading: Reading) -> dict[str, Any]:
    """A settled roll; one that was touched after it was read says what it was."""
    told = {**_told(reading), "faces": _by_kind((die.kind, die.face) for die in reading.dice)}
    return {**told, "before": _by_kind(reading.before)} if reading.before else told


def _by_kind(dice: Iterable[tuple[str, str | None]]) -> dict[str, list[str | None]]:
    faces: dict[str, list[str | None]] = {}
    for kind, face in dice:
        faces.setdefault(kind, []).append(face)
    return faces


def _replay(arguments: argparse.Namespace) -> int:
    watcher = Watcher(bootstrap.load_station(arguments.station))
    files = sorted(p for p in arguments.clip.glob("*") if p.suffix.lower() in PICTURES)
    if not files:
        return _complain(f"{arguments.clip} holds no frames (.jpg or .png)")
    status, states = 0, []
    for number, (path, picture) in enumerate(_pictures(files)):
        try:
            if isinstance(picture, StationError):
                raise picture
            events = watcher.feed(picture, number / arguments.fps, arguments.expect)
        except StationError as fault:
            status = _complain(fault if isinstance(picture, StationError) else f"{path}: {fault}")
            continue
        for event in events:
            states.append(event.state.value)
            if event.reading is not None:
                _say({"frame": number, **_told_of_roll(event.reading), "states": states})
                states = []
    if states:
        print(f"companion: afterwards {', '.join(states)}", file=sys.stderr)
    return status


def _evaluate(arguments: argparse.Namespace) -> int:
    report: Report = evaluate(
        arguments.station,
        per_face=arguments.per_face,
        variants=arguments.variants,
        say=lambda text: print(text, file=sys.stderr, flush=True),
        jobs=arguments.jobs,
    )
    print(report.table())
    if arguments.json:
        arguments.json.write_text(json.dumps(report.facts(), indent=2) + "\n", encoding="utf-8")
    if arguments.svg:
        arguments.svg.write_text(report.plot(), encoding="utf-8")
    return 0 if report.readable else UNREADABLE


def _bench(arguments: argparse.Namespace) -> int:
    if arguments.phones is not None:
        return _bench_phones(arguments)
    folder = arguments.station or demo.RECORDING
    station = bootstrap.load_station(folder)
    print("Measuring; leave this machine alone meanwhile ...", file=sys.stderr)
    found = bench.measure(folder, station, arguments.seconds or 10.0)
    told = {"machine": {**selftest.facts(__version__), **bench.machine()}, "station": folder.name}
    if arguments.json:
        _say({**told, **asdict(found)})
    else:
        print("\n".join(_bench_lines(told, found)))
    return 0


def _bench_phones(arguments: argparse.Namespace) -> int:
    print("Measuring; leave this machine alone meanwhile ...", file=sys.stderr)
    found = crowd_bench.measure(arguments.phones, arguments.seconds or 20.0, arguments.views)
    machine = {**selftest.facts(__version__), **bench.machine()}
    if arguments.json:
        _say({"machine": machine, **asdict(found)})
    else:
        print("\n".join(f"{name + ':':16}{value}" for name, value in machine.items()))
        print("\n".join(crowd_bench.told_lines(found)))
    return 0


def _bench_lines(told: dict[str, Any], found: bench.Bench) -> Iterator[str]:
    """The measurements as a table."""
    yield from (f"{name + ':':16}{value}" for name, value in told["machine"].items())
    across, down = found.size
    yield f"{'camera:':16}{across}x{down} at {found.fps:g} a second, {told['station']}"
    for name, watch in (("empty tray", found.watch_empty), ("dice read", found.watch_read)):
        if watch is not None:
            yield f"watching, {name}: {watch.cpu_percent} % of one core ({watch.seconds} s)"
    for dice, timing in found.bursts.items():
        yield f"reading {dice} dice, {found.frames} pictures: {_timing(timing)}"
    if not found.bursts:
        yield "reading: not measured, the station has no recorded throws"
    if found.enrol is not None:
        yield f"enrolment: {_timing(found.enrol)}"
    yield f"decoding a picture: {_timing(found.decode)}"
    yield f"picture for the dealer's page: {_timing(found.live_picture)}"


def _timing(timing: bench.Timing) -> str:
    return (
        f"{timing.median:g} ms median, {timing.p95:g} ms in 95 of 100"
        f" ({timing.n} times, {timing.cpu:g} ms of processor time)"
    )
