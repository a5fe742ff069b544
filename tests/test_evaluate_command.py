"""``companion evaluate`` as scripts use it, on a few pictures of a recording."""

import json
import shutil

import pytest

from companion.cli import main
from tests.recordings import part_of_recording
from tests.station_commands import calibrate_and_enrol

THROWN = ("throws/000.jpg", "throws/001.jpg", "bad/000.jpg")


@pytest.fixture
def recording(tmp_path):
    """The demo's station with two throws and a bad scene, one picture a face."""
    return part_of_recording(tmp_path / "table", THROWN)


def evaluated(folder, *more) -> tuple[int, dict]:
    report = folder.parent / "report.json"
    status = main(["evaluate", "--station", str(folder), "--truth", "--json", str(report), *more])
    return status, json.loads(report.read_text())


def retold(folder, change):
    """The recording with every line of its truth changed."""
    lines = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    for line in lines:
        change(line)
    (folder / "truth.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def with_facts(folder, change):
    facts = json.loads((folder / "recording.json").read_text())
    change(facts)
    (folder / "recording.json").write_text(json.dumps(facts))


def test_a_recording_is_judged_as_table_numbers_and_plot(recording, tmp_path, capsys):
    plot = tmp_path / "plot.svg"
    status, report = evaluated(recording, "--variants", "1", "--svg", str(plot))
    assert status == 0
    all_of_it = report["stations"]["all"]
    assert (all_of_it["rolls"], all_of_it["distinct"], all_of_it["bad"]) == (4, 2, 2)
    assert (all_of_it["silent"], all_of_it["bad_accepted"]) == (0, 0)
    assert all_of_it["accepted"] == 4
    assert "4 rolls of 2 distinct throws; 100.0 % accepted." in capsys.readouterr().out
    assert "<svg" in plot.read_text()


def test_a_wrong_truth_is_a_silent_misread(recording):
    """The judge itself can fail: told another face, it says that the reader was wrong."""

    def change(line):
        for die in line["dice"]:
            die["face"] = {"crown": "sun"}.get(die["face"], "crown")

    retold(recording, change)
    status, report = evaluated(recording)
    assert status == 0
    assert report["silent"] == ["table/throws/000.jpg variant 0", "table/throws/001.jpg variant 0"]


def test_a_picture_that_is_missing_is_named_and_the_others_are_judged(recording, capsys):
    (recording / "throws" / "000.jpg").unlink()
    status, report = evaluated(recording)
    assert status == 3
    assert report["stations"]["all"]["rolls"] == 1
    assert len(report["failed"]) == 1
    assert "throws/000.jpg" in report["failed"][0]
    assert "throws/000.jpg" in capsys.readouterr().err


def test_little_need_be_told_of_a_recording_of_other_dice(recording):
    """No camera, no light, no spike dice; of a throw only what lies there."""
    (recording / "faces" / "spike").rename(recording / "faces" / "story")

    def of_facts(facts):
        tray = {name: facts["tray"][name] for name in ("inner_mm", "corners_px")}
        facts.clear()
        facts.update(tray=tray, dice_mm={"story": 16, "cube": 15})

    def of_truth(line):
        dice = [
            {"kind": {"spike": "story"}.get(die["kind"], die["kind"]), "face": die["face"]}
            for die in line["dice"]
        ]
        told = {"image": line["image"], "scene": line["scene"], "dice": dice}
        line.clear()
        line.update(told)

    with_facts(recording, of_facts)
    retold(recording, of_truth)
    status, report = evaluated(recording)
    assert status == 0
    assert report["stations"]["all"]["accepted"] == 2
    assert report["stations"]["all"]["silent"] == 0


def test_a_station_with_truth_beside_it_is_judged_too(recording):
    station = recording.parent / "station"
    calibrate_and_enrol(station, recording / "faces")
    for name in ("throws", "bad"):
        shutil.copytree(recording / name, station / name)
    shutil.copy(recording / "truth.jsonl", station)
    status, report = evaluated(station)
    assert status == 0
    assert report["stations"]["all"]["accepted"] == 2


def drop(*names):
    def change(folder):
        with_facts(folder, lambda facts: [facts.pop(name) for name in names])

    return change


def cross_the_corners(folder):
    def crossed(facts):
        first, second, *rest = facts["tray"]["corners_px"]
        facts["tray"]["corners_px"] = [second, first, *rest]

    with_facts(folder, crossed)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (cross_the_corners, "corners must be a convex quadrilateral, clockwise"),
        (drop("tray"), "recording.json does not say tray.inner_mm"),
        (drop("dice_mm"), "recording.json does not say dice_mm.cube"),
        (lambda f: (f / "recording.json").write_text("{"), "recording.json cannot be read"),
        (lambda f: (f / "recording.json").write_text("[]"), "recording.json holds no facts"),
        (lambda f: (f / "truth.jsonl").unlink(), "truth.jsonl cannot be read"),
        (lambda f: (f / "truth.jsonl").write_text('\n{"scene": "bad"}\n'), "line 2 of truth.jsonl"),
        (lambda f: shutil.rmtree(f / "empty"), "at least one picture of the empty tray"),
        (lambda f: shutil.rmtree(f / "faces"), "faces/ shows no dice"),
    ],
)
def test_a_recording_that_cannot_be_used_is_said_in_words(recording, capsys, change, said):
    change(recording)
    status, report = evaluated(recording)
    assert status == 3
    assert report["failed"][0].startswith("table: ")
    assert said in report["failed"][0]
    assert said in capsys.readouterr().err
