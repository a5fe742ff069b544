"""`companion bench`: it runs and says what it measured. Nothing here depends on how fast."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from companion.cli import main
from tests.recordings import RECORDING, part_of_recording
from vision.bench import scaled
from vision.calibration import calibrate
from vision.station import Station, read_image
from vision.tray import Tray

TINY = ["--seconds", "0.01"]
THROWN = ("throws/000.jpg", "throws/001.jpg")  # of three dice and of five


def test_a_recording_is_measured_whole(tmp_path, capsys):
    folder = part_of_recording(tmp_path / "table", THROWN)
    assert main(["bench", "--station", str(folder), "--json", *TINY]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"cpu", "cores", "python", "opencv", "opencv_threads", "load"} <= set(told["machine"])
    assert (told["size"], told["fps"], told["frames"]) == ([1280, 960], 30.0, 5)
    for watch in (told["watch_empty"], told["watch_read"]):
        assert watch["seconds"] > 0
        assert watch["cpu_percent"] >= 0
    assert set(told["bursts"]) == {"3", "5"}
    for timing in (*told["bursts"].values(), told["enrol"], told["decode"], told["live_picture"]):
        assert timing["n"] >= 1
        assert 0 < timing["median"] <= timing["p95"]


def test_a_station_without_throws_is_watched_and_says_what_is_missing(tmp_path, capsys):
    empty = [read_image(path) for path in sorted((RECORDING / "empty").glob("*.jpg"))]
    corners = json.loads((RECORDING / "recording.json").read_text())["tray"]["corners_px"]
    calibrate(empty, corners, (206.0, 152.0), None).station.save(tmp_path)
    assert main(["bench", "--station", str(tmp_path), *TINY]) == 0
    told = capsys.readouterr().out
    assert "watching, empty tray" in told
    assert "not measured" in told


def test_a_station_seen_larger_is_seen_so_all_over():
    frames = [np.zeros((300, 400, 3), np.uint8)]
    corners = np.array([[50, 40], [350, 40], [350, 260], [50, 260]], np.float32)
    edge = np.array(
        [[60, 150], [130, 50], [270, 50], [340, 150], [270, 250], [130, 250]], np.float32
    )
    tray = Tray.calibrate(frames, corners, (150.0, 110.0), edge=edge)
    larger = scaled(Station.bare(tray), (2.0, 1.5)).tray
    assert larger.frame_size == (800, 450)
    assert larger.walls.corners == pytest.approx(tray.walls.corners, abs=1e-3)
    box = replace(tray, edge=None)
    assert scaled(Station.bare(box), (2.0, 1.5)).tray.walls.corners == pytest.approx(
        box.walls.corners
    )


def test_wrong_use_is_told(tmp_path, capsys):
    assert main(["bench", "--station", str(tmp_path)]) == 2
    assert "calibrate" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["bench", "--seconds", "none"])
    assert left.value.code == 2


THREADS = ("OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM")


def printed_by(code, said):
    """What a fresh Python prints of ``code`` where nobody but ``said`` speaks of threads."""
    env = {name: value for name, value in os.environ.items() if name not in THREADS} | said
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    return ran.stdout.strip()


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize(("set_before", "found"), [(None, "1"), ("3", "3")])
def test_numpy_and_opencv_keep_to_one_thread_unless_a_person_said_otherwise(
    threads, set_before, found
):
    said = {} if set_before is None else {threads: set_before}
    assert printed_by(f"import companion.cli, os; print(os.environ[{threads!r}])", said) == found


def test_opencv_does_as_it_is_told():
    assert printed_by("import companion, cv2; print(cv2.getNumThreads())", {}) == "1"


def test_the_threads_are_told_before_numpy_comes():
    loaded = printed_by("import sys, companion; print({'numpy', 'cv2'} & set(sys.modules))", {})
    assert loaded == "set()"
