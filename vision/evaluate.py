"""The reader judged on recordings with truth: right, asks, refuses, or silently wrong."""

from __future__ import annotations

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
from vision.recording import fact, facts_of, is_recording, load_station
from vision.report import Report, Trial
from vision.station import Station, StationError, read_image
from vision.truth import TrueDie, Truth, truths

NEAR = 0.5  # of a face's side within which a die read is the one that lies there


@dataclass(frozen=True, slots=True)
class Judged:
    """One recording: its trials, and what of it could not be used."""

    trials: tuple[Trial, ...]
    faults: tuple[str, ...] = ()


def evaluate(
    folders: Sequence[Path],
    per_face: int | None = None,
    variants: int = 0,
    say: Callable[[str], None] = lambda text: None,
    jobs: int = 1,
    told: bool = True,
) -> Report:
    """Enrol every recording and read all its throws and bad scenes, with ``variants`` of each.

    ``jobs`` recordings are read at a time, each by a process of its own. Not ``told``, trays and
    sizes are found in their pictures, as they are where a person gives nothing but these.
    """
    work = partial(judge, per_face=per_face, variants=variants, told=told)
    judged: list[Judged] = []
    for folder, found in zip(folders, _mapped(work, folders, jobs), strict=True):
        for fault in found.faults:
            say(fault)
        if found.trials:
            say(f"{folder.name}: {len(found.trials)} pictures read")
        judged.append(found)
    trials = tuple(trial for found in judged for trial in found.trials)
    return Report(trials, tuple(fault for found in judged for fault in found.faults))


def _mapped(work: Callable[[Path], Judged], folders: Sequence[Path], jobs: int) -> Iterator[Judged]:
    if jobs == 1:
        yield from map(work, folders)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, folders)


def judge(folder: Path, per_face: int | None, variants: int, told: bool = True) -> Judged:
    """One recording enrolled and read, or a station with truth and pictures beside it."""
    try:
        under = conditions(facts_of(folder)) if is_recording(folder) else ()
        pictures = truths(folder)  # before dice are enrolled, which takes longer
        station = load_station(folder, per_face, told)
    except (StationError, OSError, ValueError) as fault:
        return Judged((), (f"{folder.name}: {fault}",))
    trials: list[Trial] = []
    faults: list[str] = []
    for truth in pictures:
        try:
            trials.extend(_trials(folder, truth, station, under, variants))
        except StationError as fault:
            faults.append(f"{folder.name}: {truth.image}: {fault}")
    return Judged(tuple(trials), tuple(faults))


def conditions(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """Under what circumstances a recording was made, as far as its recording.json tells."""
    floor = fact(facts, "tray", "floor")
    told = fact(facts, "dice_mm")
    sizes = told if isinstance(told, Mapping) else {}
    spans = (
        ("camera {} deg aslant", fact(facts, "camera", "tilt_deg"), (8, 16)),
        ("{} px per mm", fact(facts, "px_per_mm"), (4.5, 6)),
        ("dice {} mm", sizes.get("spike", min(sizes.values(), default=None)), (14, 17)),
    )
    return (
        *([f"floor {floor}"] if floor else []),
        *(
            text.format(_span(float(value), steps))
            for text, value, steps in spans
            if value is not None
        ),
        "window bars" if facts.get("bars_mm") else "no window bars",
    )


def _span(value: float, steps: tuple[int | float, ...]) -> str:
    """Which part of a range a value lies in: ``under 8``, ``8 to 16``, ``over 16``."""
    if value < steps[0]:
        return f"under {steps[0]}"
    return f"over {steps[-1]}" if value >= steps[-1] else f"{steps[0]} to {steps[-1]}"


def _trials(
    folder: Path, truth: Truth, station: Station, under: tuple[str, ...], variants: int
) -> Iterator[Trial]:
    """One picture read, and ``variants`` of it."""
    if truth.touching:
        under = (*under, "dice side by side")
    picture = read_image(folder / truth.image)
    for number in range(variants + 1):
        seen = picture if number == 0 else varied(picture, number)
        reading = read_frame(seen, station, truth.expect)
        yield _trial(folder.name, truth, number, reading, under)


def _trial(
    station: str, truth: Truth, number: int, reading: Reading, under: tuple[str, ...]
) -> Trial:
    read = sorted((die.kind, str(die.face)) for die in reading.dice)
    return Trial(
        station,
        truth.image,
        number,
        truth.good,
        reading.verdict,
        sorted((die.kind, die.face) for die in truth.dice) == read,
        min((die.confidence for die in reading.dice), default=0.0),
        reading.ms,
        tuple(reason.value for reason in reading.reasons),
        truth.why_bad,
        under,
        tuple(_told(reading.dice, truth.dice)),
    )


def _told(dice: Sequence[DieReading], lying: Sequence[TrueDie]) -> Iterator[tuple[float, bool]]:
    """The confidence of every named face that is where a die lies, and whether it is right."""
    for die in dice:
        middle = np.mean(die.quad, axis=0)
        for true in lying:
            if true.quad is None or die.face is None or die.kind != true.kind:
                continue
            side = float(np.linalg.norm(true.quad[1] - true.quad[0]))
            if float(np.linalg.norm(true.quad.mean(axis=0) - middle)) <= NEAR * side:
                yield die.confidence, die.face == true.face


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
