"""The reader judged on recordings with truth: right, asks, refuses, or silently wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.patch import Image
from vision.pipeline import read_frame
from vision.reading import DieReading, Reading
from vision.recording import facts_of, from_recording
from vision.report import Report, Trial
from vision.station import Station, StationError, read_image

NEAR = 0.5  # of a face's side within which a die read is the one that lies there


@dataclass(frozen=True, slots=True)
class Judged:
    """One recording: its trials, or why it could not be enrolled."""

    trials: tuple[Trial, ...]
    fault: str = ""


def evaluate(
    folders: Sequence[Path],
    per_face: int | None = None,
    variants: int = 0,
    say: Callable[[str], None] = lambda text: None,
    jobs: int = 1,
) -> Report:
    """Enrol every recording and read all its throws and bad scenes, with ``variants`` of each.

    ``jobs`` recordings are read at a time, each by a process of its own.
    """
    work = partial(judge, per_face=per_face, variants=variants)
    judged: list[Judged] = []
    for folder, found in zip(folders, _mapped(work, folders, jobs), strict=True):
        say(found.fault or f"{folder.name}: {len(found.trials)} pictures read")
        judged.append(found)
    trials = tuple(trial for found in judged for trial in found.trials)
    return Report(trials, tuple(found.fault for found in judged if found.fault))


def _mapped(work: Callable[[Path], Judged], folders: Sequence[Path], jobs: int) -> Iterator[Judged]:
    if jobs == 1:
        yield from map(work, folders)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, folders)


def judge(folder: Path, per_face: int | None, variants: int) -> Judged:
    """One recording enrolled and read."""
    try:
        station = from_recording(folder, per_face=per_face)
        facts = facts_of(folder)
    except (StationError, OSError, ValueError) as fault:
        return Judged((), f"{folder.name}: {fault}")
    return Judged(tuple(_trials(folder, station, conditions(facts), variants)))


def conditions(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Under what circumstances a recording was made, from its recording.json."""
    tilt, scale = float(facts["camera"]["tilt_deg"]), float(facts["px_per_mm"])
    size = float(facts["dice_mm"]["spike"])
    return (
        f"floor {facts['tray']['floor']}",
        f"camera {_span(tilt, (8, 16))} deg aslant",
        f"{_span(scale, (4.5, 6))} px per mm",
        f"dice {_span(size, (14, 17))} mm",
        "window bars" if facts.get("bars_mm") else "no window bars",
    )


def _span(value: float, steps: tuple[int | float, ...]) -> str:
    """Which part of a range a value lies in: ``under 8``, ``8 to 16``, ``over 16``."""
    if value < steps[0]:
        return f"under {steps[0]}"
    return f"over {steps[-1]}" if value >= steps[-1] else f"{steps[0]} to {steps[-1]}"


def _trials(
    folder: Path, station: Station, under: tuple[str, ...], variants: int
) -> Iterator[Trial]:
    for text in (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["scene"] not in ("throw", "bad"):
            continue
        touching = ("dice side by side",) if line.get("touching") else ()
        picture = read_image(folder / line["image"])
        for number in range(variants + 1):
            seen = picture if number == 0 else varied(picture, number)
            reading = read_frame(seen, station, line["expect"])
            yield _trial(folder.name, line, number, reading, (*under, *touching))


def _trial(
    station: str, line: Mapping[str, Any], number: int, reading: Reading, under: tuple[str, ...]
) -> Trial:
    lying = [die for die in line["dice"] if die.get("in_tray", True)]
    read = sorted((die.kind, str(die.face)) for die in reading.dice)
    return Trial(
        station,
        line["image"],
        number,
        line["scene"] == "throw",
        reading.verdict,
        sorted((die["kind"], die["face"]) for die in lying) == read,
        min((die.confidence for die in reading.dice), default=0.0),
        reading.ms,
        tuple(reason.value for reason in reading.reasons),
        tuple(line["why_bad"]),
        under,
        tuple(_told(reading.dice, lying)),
    )


def _told(
    dice: Sequence[DieReading], lying: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[float, bool]]:
    """The confidence of every named face that is where a die lies, and whether it is right."""
    for die in dice:
        middle = np.mean(die.quad, axis=0)
        for true in lying:
            quad = np.array(true["quad"], np.float64)
            side = float(np.linalg.norm(quad[1] - quad[0]))
            near = float(np.linalg.norm(quad.mean(axis=0) - middle)) <= NEAR * side
            if near and die.face is not None and die.kind == true["kind"]:
                yield die.confidence, die.face == true["face"]


def varied(picture: Image, seed: int) -> Image:
    """The picture as a camera might have taken it a moment later: light, white, noise, focus."""
    rng = np.random.default_rng([seed, int(picture[::97, ::89].sum())])
    light = picture.astype(np.float32) * np.exp(rng.normal(0, 0.05))
    light *= np.exp(rng.normal(0, 0.015, 3)).astype(np.float32)
    light = cv2.GaussianBlur(light, (0, 0), float(rng.uniform(0.3, 0.9)))
    light += rng.normal(0, rng.uniform(1.0, 4.0), picture.shape).astype(np.float32)
    done, coded = cv2.imencode(
        ".jpg", np.clip(light, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85]
    )
    assert done
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
