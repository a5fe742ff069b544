"""The committed recordings are complete, and their truth fits the pictures."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import cv2
import pytest

from tests.recordings import SESSIONS
from vision.reading import Reason

STATIONS = sorted(path.parent.name for path in SESSIONS.glob("*/recording.json"))
FACES = {"spike": {"spike", "flask", "crown", "compass", "eye", "sun"}, "cube": {"red", "blue"}}
MEGABYTE = 1_000_000

Line = dict[str, Any]
every_station = pytest.mark.parametrize("station", STATIONS)


@cache
def recording(station: str) -> Line:
    """The station's facts."""
    facts: Line = json.loads((SESSIONS / station / "recording.json").read_text())
    return facts


@cache
def truth(station: str) -> tuple[Line, ...]:
    """All lines of truth.jsonl."""
    return tuple(json.loads(line) for line in (SESSIONS / station / "truth.jsonl").open())


def lines(station: str, scene: str) -> list[Line]:
    """The truth of one kind of scene."""
    return [line for line in truth(station) if line["scene"] == scene]


def clips(station: str) -> dict[str, list[Line]]:
    """Frames of each clip, in order."""
    found: dict[str, list[Line]] = {}
    for line in lines(station, "clip"):
        found.setdefault(line["image"].split("/")[1], []).append(line)
    return found


def area(quad: list[list[float]]) -> float:
    """Signed area in px²; positive is clockwise, as y points down."""
    ends = zip(quad, quad[1:] + quad[:1], strict=True)
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in ends) / 2


def test_there_are_enough_stations_of_every_split() -> None:
    assert len(STATIONS) >= 4
    assert {recording(station)["split"] for station in STATIONS} == {"dev", "validation", "test"}


def test_all_recordings_together_stay_small() -> None:
    assert sum(path.stat().st_size for path in SESSIONS.rglob("*.jpg")) <= 55 * MEGABYTE


@every_station
def test_every_image_has_one_line_of_truth(station: str) -> None:
    files = {
        str(path.relative_to(SESSIONS / station)) for path in (SESSIONS / station).rglob("*.jpg")
    }
    named = Counter(line["image"] for line in truth(station))
    assert set(named) == files
    assert set(named.values()) == {1}


@every_station
def test_images_have_the_recorded_size(station: str) -> None:
    width, height = recording(station)["image_size"]
    for line in truth(station):
        picture = cv2.imread(
            str(SESSIONS / station / line["image"]), cv2.IMREAD_REDUCED_GRAYSCALE_8
        )
        assert picture is not None, line["image"]
        assert picture.shape == (height // 8, width // 8), line["image"]


@every_station
def test_a_station_is_complete(station: str) -> None:
    shown = Counter(
        (line["dice"][0]["kind"], line["dice"][0]["face"]) for line in lines(station, "face")
    )
    assert shown == {(kind, face): 2 for kind, faces in FACES.items() for face in faces}
    assert len(lines(station, "empty")) >= 2
    assert len(lines(station, "throw")) >= 14
    assert len(lines(station, "bad")) >= 5


@every_station
def test_quads_lie_in_the_image_clockwise_and_of_plausible_size(station: str) -> None:
    width, height = recording(station)["image_size"]
    for line in truth(station):
        for die in (die for die in line["dice"] if die.get("in_tray", True)):
            assert all(0 <= x <= width and 0 <= y <= height for x, y in die["quad"]), line["image"]
            side = recording(station)["dice_mm"][die["kind"]] * recording(station)["px_per_mm"]
            assert 0.45 * side**2 < area(die["quad"]) < 1.3 * side**2, line["image"]


@every_station
def test_readable_scenes_hold_exactly_what_they_expect(station: str) -> None:
    for line in lines(station, "throw") + lines(station, "face") + lines(station, "empty"):
        assert Counter(die["kind"] for die in line["dice"]) == line["expect"], line["image"]
        assert all(die["face"] in FACES[die["kind"]] for die in line["dice"]), line["image"]
        assert all(die["tilt_deg"] < 0.5 for die in line["dice"]), line["image"]
        assert not line["why_bad"], line["image"]


@every_station
def test_face_images_show_the_face_in_their_name(station: str) -> None:
    for line in lines(station, "face"):
        die = line["dice"][0]
        assert line["image"].startswith(f"faces/{die['kind']}/{die['face']}_")


@every_station
def test_bad_scenes_say_why_in_the_readers_words(station: str) -> None:
    for line in lines(station, "bad"):
        assert line["why_bad"], line["image"]
        assert all(Reason(why) for why in line["why_bad"])
        leaning = any(die["tilt_deg"] > 5 for die in line["dice"])
        assert leaning or "cocked" not in line["why_bad"], line["image"]
        assert not leaning or {"cocked", "blurred"} & set(line["why_bad"]), line["image"]


def test_bad_scenes_cover_the_ways_a_throw_goes_wrong() -> None:
    seen = {
        why for station in STATIONS for line in lines(station, "bad") for why in line["why_bad"]
    }
    assert seen >= {"cocked", "stacked", "hand", "foreign", "off_tray", "dark", "glare", "blurred"}


def test_clips_run_from_hand_to_rest() -> None:
    found = [frames for station in STATIONS for frames in clips(station).values()]
    assert len(found) >= 3
    for frames in found:
        states = [frame["state"] for frame in frames]
        assert len(frames) >= 40
        assert [frame["image"][-8:-4] for frame in frames] == [
            f"{i:04d}" for i in range(len(frames))
        ]
        assert states.index("empty") < states.index("hand") < states.index("settled")
        assert states.count("settled") >= 12
    assert sum(frames[-1]["state"] == "empty" for frames in found) >= 2


@every_station
def test_clips_tell_the_dice_exactly_while_they_rest(station: str) -> None:
    for frames in clips(station).values():
        for frame in frames:
            resting = Counter(die["kind"] for die in frame["dice"])
            assert resting == (frame["expect"] if frame["state"] == "settled" else {}), frame[
                "image"
            ]
        assert recording(station)["fps"] == 15
