"""The reader's commands as scripts use them: lines, exit status, words on standard error."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion import __version__
from companion.cli import main
from companion.station_commands import face_names
from tests.recordings import RECORDING, SESSIONS, copy_first_faces
from tests.station_commands import calibrate_and_enrol
from vision.recording import facts_of
from vision.station import Station


def said(capsys) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture(scope="module")
def station(tmp_path_factory) -> Path:
    """A station made by the commands alone: one picture a face, corners and size found."""
    folder = tmp_path_factory.mktemp("station")
    faces = tmp_path_factory.mktemp("faces")
    for kind in ("spike", "cube"):
        (faces / kind).mkdir()
        for path in (RECORDING / "faces" / kind).glob("*_1.jpg"):
            shutil.copy(path, faces / kind / path.name.replace("_1", ""))
    calibrate_and_enrol(folder, faces)
    return folder


def test_the_command_of_the_readme_runs_from_anywhere(tmp_path):
    command = Path(sys.executable).with_name("companion")
    told = subprocess.run([command, "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert (told.returncode, told.stdout.strip()) == (0, __version__)


@pytest.mark.parametrize(
    ("names", "faces"),
    [
        (["crown", "star"], ["crown", "star"]),
        (["crown_1", "crown_2", "red sun-03"], ["crown", "crown", "red sun"]),
        (["1", "2", "2_1", "3-02"], ["1", "2", "2", "3"]),
        (["crown_a", "crown_b", "star_a"], ["crown_a", "crown_b", "star_a"]),  # they may be three
        ([f"{n}_frame00{n}7_{n}" for n in range(7)], [str(n) for n in range(7)]),
        (
            [f"{face}_{side}" for face in ("crown", "star", "sun") for side in ("n", "e", "s")],
            ["crown"] * 3 + ["star"] * 3 + ["sun"] * 3,  # no die has nine
        ),
    ],
)
def test_the_names_of_pictures_tell_their_faces(names, faces):
    assert face_names(names) == dict(zip(names, faces, strict=True))


def test_a_station_made_by_commands_reads_throws(station, capsys):
    truth = [json.loads(line) for line in (RECORDING / "truth.jsonl").read_text().splitlines()]
    throws = [t for t in truth if t["scene"] == "throw" and t["expect"] == {"spike": 3}][:3]
    images = [str(RECORDING / throw["image"]) for throw in throws]
    assert main(["read", "--station", str(station), "--expect", "spike=3", *images]) == 0
    for line, throw in zip(said(capsys), throws, strict=True):
        assert set(line) == {"image", "verdict", "reasons", "dice", "ms"}
        assert {"kind", "face", "quad", "confidence", "alternatives"} == set(line["dice"][0])
        faces = sorted(die["face"] for die in line["dice"])
        assert faces == sorted(die["face"] for die in throw["dice"])
        assert line["verdict"] == "accept"


def test_the_trays_outline_and_size_are_found_without_being_told(station):
    made = tomllib.loads((station / "station.toml").read_text(encoding="utf-8"))
    facts = json.loads((RECORDING / "recording.json").read_text())["tray"]
    corners = np.array(made["corners"])
    assert np.abs(corners - (np.array(facts["corners_px"]) - 0.5)).max() < 4
    assert made["size_mm"] == pytest.approx(facts["inner_mm"], rel=0.1)


def test_a_picture_that_cannot_be_read_is_named_and_the_others_are_read(station, tmp_path, capsys):
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(b"no picture")
    good = str(RECORDING / "throws" / "000.jpg")
    assert main(["read", "--station", str(station), str(broken), good]) == 3
    out = capsys.readouterr()
    assert [json.loads(line)["image"] for line in out.out.splitlines()] == [good]
    assert "broken.jpg" in out.err


def test_a_picture_of_another_size_is_no_reading(station, tmp_path, capsys):
    small = tmp_path / "small.png"
    cv2.imwrite(str(small), np.zeros((100, 120, 3), np.uint8))
    assert main(["read", "--station", str(station), str(small)]) == 3
    assert "calibrate" in capsys.readouterr().err


def test_wrong_usage_and_missing_stations_exit_2(tmp_path, capsys):
    picture = str(RECORDING / "throws" / "000.jpg")
    with pytest.raises(SystemExit) as left:
        main(["read", "--station", str(tmp_path), "--expect", "three", picture])
    assert left.value.code == 2
    assert main(["read", "--station", str(tmp_path), picture]) == 2
    (tmp_path / "faces").mkdir()
    arguments = ["--kind", "x", "--faces", str(tmp_path / "faces")]
    assert main(["enrol", "--station", str(tmp_path), *arguments]) == 2
    assert "2 to 6" in capsys.readouterr().err


def test_a_station_without_dice_says_what_to_do(tmp_path, capsys):
    empty, thrown = (str(RECORDING / image) for image in ("empty/000.jpg", "throws/000.jpg"))
    assert main(["calibrate", "--station", str(tmp_path), "--empty", empty]) == 0
    assert main(["read", "--station", str(tmp_path), thrown]) == 2
    assert main(["replay", "--station", str(tmp_path), str(RECORDING / "throws")]) == 2
    assert capsys.readouterr().err.count("run companion enrol first") == 2


def test_dice_of_two_sizes_are_enrolled_without_a_word_about_them(tmp_path, capsys):
    slate = SESSIONS / "burnt-slate"
    corners = facts_of(slate)["tray"]["corners_px"]
    told = ["--corners", ",".join(str(number) for corner in corners for number in corner)]
    empty = ["--empty", str(slate / "empty" / "000.jpg")]
    assert main(["calibrate", "--station", str(tmp_path), *empty, *told, "--dice-mm", "18"]) == 0
    for kind in ("spike", "cube"):
        shown = tmp_path / "shown" / kind
        copy_first_faces(slate, kind, shown)
        faces = ["--kind", kind, "--faces", str(shown)]
        assert main(["enrol", "--station", str(tmp_path), *faces]) == 0
    _, spike, cube = said(capsys)
    assert spike["dice_mm"] == 18
    assert cube["dice_mm"] == pytest.approx(16, rel=0.09)
    assert main(["enrol", "--station", str(tmp_path), *faces, "--dice-mm", "20"]) == 0
    assert re.search("look about 1[567] mm large beside the tray, not 20", capsys.readouterr().err)


def test_a_floor_has_as_many_corners_as_are_marked(tmp_path, capsys):
    empty = str(RECORDING / "empty" / "000.jpg")
    command = ["calibrate", "--station", str(tmp_path), "--empty", empty]
    steps = np.pi * np.arange(6) / 3
    marks = np.stack([600 + 350 * np.cos(steps), 430 + 340 * np.sin(steps)], axis=1)
    corners = ["--corners", " ".join(f"{x:.1f},{y:.1f}" for x, y in marks)]
    assert main([*command, *corners]) == 0
    assert np.array(said(capsys)[0]["corners"]) == pytest.approx(marks, abs=0.1)
    walls = Station.load(tmp_path).tray.walls.corners
    lengths = np.linalg.norm(np.roll(walls, -1, axis=0) - walls, axis=1)
    assert lengths == pytest.approx(np.full(6, lengths.mean()), rel=0.01)
    assert main([*command, *corners, "--round"]) == 0
    assert len(said(capsys)[0]["corners"]) == 60
    assert main([*command, "--round"]) == 2
    assert "--corners" in capsys.readouterr().err
    assert main([*command, "--corners", "1,2,300,2,300,200,200,290,1,200"]) == 3
    assert "all of one length" in capsys.readouterr().err
    assert main([*command, "--corners", "1,200,200,290,300,200,300,2,1,2"]) == 3
    assert "once round" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main([*command, "--corners", "1,2,300,2,300,200"])
    assert left.value.code == 2


@pytest.mark.parametrize("size", ["0", "16mm", "nan", "60"])
def test_no_die_is_so_large(size, tmp_path, capsys):
    for command in (["calibrate", "--empty", "x.jpg"], ["enrol", "--kind", "x", "--faces", "x"]):
        with pytest.raises(SystemExit) as left:
            main([*command, "--station", str(tmp_path), "--dice-mm", size])
        assert left.value.code == 2
        assert "8 to 40" in capsys.readouterr().err


def test_no_tray_in_the_picture_is_said_in_words(tmp_path, capsys):
    black = tmp_path / "black.png"
    cv2.imwrite(str(black), np.zeros((400, 500, 3), np.uint8))
    arguments = ["--station", str(tmp_path / "s"), "--empty", str(black)]
    assert main(["calibrate", *arguments]) == 3
    assert "dark" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_a_clip_gives_one_line_for_its_roll(station, capsys):
    clip = str(RECORDING / "clips" / "first")
    assert main(["replay", "--station", str(station), "--expect", "spike=3", clip]) == 0
    (line,) = said(capsys)
    assert line["verdict"] in ("accept", "ask")
    assert line["states"][-1] == "read"
    assert len(line["faces"]["spike"]) == 3


def film(folder, *scenes):
    """A clip of pictures, each for so many frames; returns its folder as an argument."""
    folder.mkdir()
    numbers = iter(range(1000))
    for path, frames in scenes:
        for _ in range(frames):
            shutil.copy(path, folder / f"{next(numbers):04}{path.suffix}")
    return str(folder)


def test_dice_exchanged_without_clearing_are_told_with_what_they_were(station, tmp_path, capsys):
    empty, throws = RECORDING / "empty" / "000.jpg", RECORDING / "throws"
    clip = film(tmp_path / "clip", (empty, 12), (throws / "000.jpg", 12), (throws / "002.jpg", 12))
    assert main(["replay", "--station", str(station), "--expect", "spike=3", clip]) == 0
    first, second = said(capsys)
    assert "before" not in first
    assert second["states"] == ["rolling", "nudged"]
    assert second["verdict"] == "ask"
    assert "changed_after_read" in second["reasons"]
    assert second["before"] == first["faces"]


def test_a_frame_of_another_size_is_named_and_the_clip_goes_on(station, tmp_path, capsys):
    empty, thrown = RECORDING / "empty" / "000.jpg", RECORDING / "throws" / "000.jpg"
    small = tmp_path / "small.png"
    cv2.imwrite(str(small), np.zeros((100, 120, 3), np.uint8))
    clip = film(tmp_path / "clip", (empty, 12), (small, 1), (thrown, 12))
    assert main(["replay", "--station", str(station), "--expect", "spike=3", clip]) == 3
    out = capsys.readouterr()
    assert len(out.out.splitlines()) == 1
    assert "0012.png" in out.err


def test_crops_that_show_no_outline_are_said_to_be_asked_about(tmp_path, capsys):
    faces = tmp_path / "faces"
    faces.mkdir()
    for name, size in (("dot", 8), ("ring", 20)):
        crop = np.full((80, 80, 3), (200, 215, 220), np.uint8)  # the body fills the picture
        cv2.circle(crop, (40, 40), size, (30, 30, 40), 6, cv2.LINE_AA)
        cv2.imwrite(str(faces / f"{name}.png"), crop)
    arguments = ["--kind", "pips", "--faces", str(faces), "--crops"]
    assert main(["enrol", "--station", str(tmp_path / "station"), *arguments]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["take_again"] == {"dot": ["unclear"], "ring": ["unclear"]}
    assert "always asked about" in told.err


def test_crops_of_single_dice_are_read_without_a_tray(tmp_path, capsys):
    faces = tmp_path / "faces"
    faces.mkdir()
    crops = []
    for path in sorted((RECORDING / "faces" / "spike").glob("*.jpg")):
        truth = next(
            json.loads(line)
            for line in (RECORDING / "truth.jsonl").read_text().splitlines()
            if path.name in line
        )
        quad = np.array(truth["dice"][0]["quad"])
        (x0, y0), (x1, y1) = quad.min(0).astype(int) - 6, quad.max(0).astype(int) + 6
        crop = cv2.imread(str(path))[y0:y1, x0:x1]
        if path.stem.endswith("_1"):
            cv2.imwrite(str(faces / f"{path.stem[:-2]}.png"), crop)
        else:
            crops.append(str(tmp_path / f"{path.stem}.png"))
            cv2.imwrite(crops[-1], crop)
    station = tmp_path / "station"
    arguments = ["--kind", "spike", "--faces", str(faces), "--crops"]
    assert main(["enrol", "--station", str(station), *arguments]) == 0
    capsys.readouterr()
    assert main(["read", "--station", str(station), "--crops", *crops]) == 0
    lines = said(capsys)
    assert len(lines) == 6
    for line in lines:
        if line["verdict"] == "accept":
            assert line["dice"][0]["face"] == Path(line["image"]).stem.rsplit("_", 1)[0]
    assert sum(line["verdict"] == "accept" for line in lines) >= 4


def test_a_picture_without_a_die_is_named_and_left_out_where_the_face_has_others(
    station, tmp_path, capsys
):
    own, faces = tmp_path / "station", tmp_path / "faces"
    shutil.copytree(station, own)
    copy_first_faces(RECORDING, "cube", faces)
    shutil.copy(RECORDING / "empty" / "000.jpg", faces / "red_2.jpg")
    arguments = ["enrol", "--station", str(own), "--kind", "cube", "--faces", str(faces)]
    assert main(arguments) == 0
    told = capsys.readouterr()
    assert told.err.count("no single die") == 1
    assert "red_2.jpg shows no single die" in told.err
    line = json.loads(told.out)
    assert line["faces"] == {"blue": 1, "red": 1}
    assert line["take_again"] == {"red": ["no_die"]}
    for path in faces.glob("red*"):
        shutil.copy(RECORDING / "empty" / "000.jpg", path)
    assert main(arguments) == 2
    assert "in the pictures of red" in capsys.readouterr().err
    assert len(tomllib.loads((own / "dice.toml").read_text())["kinds"]["cube"]["faces"]) == 2
