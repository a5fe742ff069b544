"""The commands that read with a station: read, replay, evaluate, bench.

JSON lines go to standard output, words to standard error. Exit status 0: every
picture was processed; 2: the command cannot be done as given; 3: an input could
not be read, each named in a line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from companion import __version__, crowd_bench, demo, selftest
from companion.command_lines import UNREADABLE, complain, pictures, say, warn
from companion.hub import CAP
from vision import bench
from vision.crops import read_crop
from vision.diceset import DiceSet, DiceSetError
from vision.evaluate import evaluate
from vision.patch import Image
from vision.pipeline import read_frame
from vision.reader import Watcher
from vision.reading import Expect, Reading
from vision.recording import load_station
from vision.report import Report
from vision.station import Station, StationError, pictures_in


def add_commands(commands: Any) -> None:
    """Register the commands with argparse."""
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
    judged.add_argument(
        "--station",
        type=Path,
        nargs="+",
        required=True,
        help="recordings, or stations with truth.jsonl",
    )
    judged.add_argument("--truth", action="store_true", help="judge by the recordings' own truth")
    judged.add_argument("--per-face", type=int, help="enrolment pictures of each face to use")
    judged.add_argument(
        "--variants", type=_variants, default=0, help="relit and noisy copies of each"
    )
    judged.add_argument(
        "--untold", action="store_true", help="find tray and sizes in the pictures of recordings"
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


def _read(arguments: argparse.Namespace) -> int:
    reader = _reader(arguments)
    status = 0
    for path, picture in pictures(arguments.images):
        if isinstance(picture, StationError):
            status = complain(picture)
            continue
        try:
            say({"image": str(path), **_told(reader(picture))})
        except StationError as fault:
            status = complain(f"{path}: {fault}")
    return status


def _reader(arguments: argparse.Namespace) -> Callable[[Image], Reading]:
    expect: Expect | None = arguments.expect
    if arguments.crops:
        try:
            dice = DiceSet.load(arguments.station)
        except DiceSetError as fault:
            raise StationError(str(fault)) from fault
        return lambda picture: read_crop(picture, dice, expect)
    station = _with_dice(arguments.station)
    return lambda picture: read_frame(picture, station, expect)


def _with_dice(folder: Path) -> Station:
    """The station in ``folder``. Raises StationError where no dice are enrolled yet."""
    station = load_station(folder)
    if not station.bodies:
        raise StationError("{folder} has no dice yet; run companion enrol first", folder=folder)
    return station


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
    watcher = Watcher(_with_dice(arguments.station))
    files = pictures_in(arguments.clip)
    if not files:
        return complain(f"{arguments.clip} holds no frames (.jpg or .png)")
    status, states = 0, []
    for number, (path, picture) in enumerate(pictures(files)):
        try:
            if isinstance(picture, StationError):
                raise picture
            events = watcher.feed(picture, number / arguments.fps, arguments.expect)
        except StationError as fault:
            status = complain(fault if isinstance(picture, StationError) else f"{path}: {fault}")
            continue
        for event in events:
            states.append(event.state.value)
            if event.reading is not None:
                say({"frame": number, **_told_of_roll(event.reading), "states": states})
                states = []
    if states:
        warn(f"afterwards {', '.join(states)}")
    return status


def _evaluate(arguments: argparse.Namespace) -> int:
    report: Report = evaluate(
        arguments.station,
        per_face=arguments.per_face,
        variants=arguments.variants,
        say=lambda text: print(text, file=sys.stderr, flush=True),
        jobs=arguments.jobs,
        told=not arguments.untold,
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
    station = load_station(folder)
    print("Measuring; leave this machine alone meanwhile ...", file=sys.stderr)
    found = bench.measure(folder, station, arguments.seconds or 10.0)
    told = {"machine": {**selftest.facts(__version__), **bench.machine()}, "station": folder.name}
    if arguments.json:
        say({**told, **asdict(found)})
    else:
        print("\n".join(_bench_lines(told, found)))
    return 0


def _bench_phones(arguments: argparse.Namespace) -> int:
    print("Measuring; leave this machine alone meanwhile ...", file=sys.stderr)
    found = crowd_bench.measure(arguments.phones, arguments.seconds or 20.0, arguments.views)
    machine = {**selftest.facts(__version__), **bench.machine()}
    if arguments.json:
        say({"machine": machine, **asdict(found)})
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
