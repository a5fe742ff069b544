"""The printable mat: as committed, true to its millimetres, and understood by `calibrate`."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion import cli

ROOT = Path(__file__).parents[1]
PX = 8  # a millimetre of the drawn sheet
FLOOR = (260.0, 180.0)  # the tray's, mm
CORNERS = np.float32([[150, 110], [1130, 90], [1190, 830], [95, 850]])


@pytest.fixture(scope="module")
def mat():
    spec = importlib.util.spec_from_file_location("mat", ROOT / "scripts" / "mat.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["mat"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["mat"]


def drawn(mat, sheet, px=PX):
    """The sheet as a picture, from the boxes alone; BGR."""
    width, height = mat.SHEETS[sheet]
    picture = np.full((round(height * px), round(width * px), 3), 255, np.uint8)
    for box in (thing for thing in mat.mat(sheet) if isinstance(thing, mat.Box)):
        ends = [box.x, box.y, box.x + box.width, box.y + box.height]
        left, top, right, bottom = (round(v * px) for v in ends)
        picture[top:bottom, left:right] = [round(255 * c) for c in box.colour[::-1]]
    return picture


@pytest.fixture
def photograph(mat, tmp_path):
    """The block lying askew in a tray, seen through a known perspective."""
    block = drawn(mat, "a4")
    left = (mat.SHEETS["a4"][0] - mat.BLOCK[0]) / 2
    (x, y), (w, h) = (left, mat.TOP), mat.BLOCK
    block = block[round(y * PX) : round((y + h) * PX), round(x * PX) : round((x + w) * PX)]
    turn = cv2.getRotationMatrix2D((0, 0), 7, 1 / PX)
    turn[:, 2] = 30, 40
    floor = np.float32([[0, 0], [FLOOR[0], 0], FLOOR, [0, FLOOR[1]]])
    seen = cv2.getPerspectiveTransform(floor, CORNERS) @ np.vstack([turn, [0, 0, 1]])
    picture = np.full((960, 1280, 3), 40, np.uint8)
    cv2.fillConvexPoly(picture, CORNERS.astype(np.int32), (60, 90, 50))
    paper = cv2.warpPerspective(np.full_like(block, 255), seen, (1280, 960))
    warped = cv2.warpPerspective(block, seen, (1280, 960), flags=cv2.INTER_AREA)
    picture = np.where(paper > 127, warped, picture)
    file = tmp_path / "mat.png"
    cv2.imwrite(str(file), cv2.GaussianBlur(picture, (0, 0), 0.8))
    return file


def test_calibrate_finds_the_markers_and_from_them_the_trays_size(
    mat, photograph, tmp_path, capsys
):
    corners = ",".join(str(v) for v in CORNERS.ravel())
    command = ["calibrate", "--station", str(tmp_path / "trial"), "--empty", str(photograph)]
    assert cli.main([*command, "--corners", corners, "--marker-mm", f"{mat.MARKER:g}"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["size_from"] == "markers"
    assert told["size_mm"] == pytest.approx(FLOOR, rel=0.01)


def test_all_four_markers_are_there_and_different(mat):
    numbers = [mat.bits(number) for number in range(len(mat.CORNERS))]
    assert len({marker.tobytes() for marker in numbers}) == 4
    for marker in numbers:
        inside = np.zeros_like(marker)
        inside[1:-1, 1:-1] = True
        assert (marker | inside).all()  # a black rim


@pytest.mark.parametrize("sheet", ["a4", "letter"])
def test_the_committed_sheet_is_the_scripts_and_fits_its_paper(mat, sheet):
    assert (ROOT / "docs" / f"mat-{sheet}.pdf").read_bytes() == mat.pdf(sheet)
    width, height = mat.SHEETS[sheet]
    for thing in mat.mat(sheet):
        reach = (thing.width, thing.height) if isinstance(thing, mat.Box) else (0.0, 0.0)
        assert 8 <= thing.x <= thing.x + reach[0] <= width - 8, thing  # printers leave a rim
        assert 8 <= thing.y <= thing.y + reach[1] <= height - 8, thing


def test_the_white_around_each_marker_is_a_module_wide(mat):
    picture = drawn(mat, "a4")
    left = (mat.SHEETS["a4"][0] - mat.BLOCK[0]) / 2
    module = mat.MARKER / 6
    for x, y in mat.CORNERS:
        ends = (x + left - module, y + mat.TOP - module, mat.MARKER + 2 * module)
        x0, y0, side = (round(v * PX) for v in ends)
        frame = picture[y0 : y0 + side, x0 : x0 + side].copy()
        rim = round(module * PX)
        frame[rim:-rim, rim:-rim] = 255
        assert (frame > 100).all(), (x, y)  # the grey cut line may run along the frame's edge


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="apt-get install poppler-utils")
@pytest.mark.parametrize("sheet", ["a4", "letter"])
def test_a_reader_of_pdf_shows_what_was_drawn(mat, sheet, tmp_path):
    file = ROOT / "docs" / f"mat-{sheet}.pdf"
    made = subprocess.run(
        ["pdftoppm", "-r", str(25.4 * 4), "-png", file, tmp_path / "page"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert made.stderr == ""
    (page,) = tmp_path.glob("page*.png")
    shown, wanted = cv2.imread(str(page)), drawn(mat, sheet, 4)
    height, width = (min(a, b) for a, b in zip(shown.shape[:2], wanted.shape[:2], strict=True))
    assert abs(shown.shape[0] - wanted.shape[0]) <= 4
    left = (mat.SHEETS[sheet][0] - mat.BLOCK[0]) / 2
    for x, y in mat.CORNERS:
        x0, y0, side = (round(v * 4) for v in (x + left, y + mat.TOP, mat.MARKER))
        assert x0 + side <= width
        assert y0 + side <= height
        part = np.s_[y0 : y0 + side, x0 : x0 + side]
        assert np.abs(shown[part].astype(int) - wanted[part]).mean() < 10


def test_its_words_name_flags_that_the_command_has(mat, capsys):
    with pytest.raises(SystemExit):
        cli.main(["calibrate", "--help"])
    known = capsys.readouterr().out
    text = " ".join(thing.text for thing in mat.mat("a4") if isinstance(thing, mat.Words))
    flags = set(re.findall(r"--[a-z-]+", text))
    assert {"--marker-mm", "--size-mm"} <= flags
    assert all(flag in known for flag in flags)
