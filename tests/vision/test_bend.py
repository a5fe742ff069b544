"""The bend of a lens: learnt from the tray's straight walls, and taken out of what is seen."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recordings import SESSIONS
from tests.vision.taught import outlined
from vision import plane
from vision.bend import Bend, bent, straightened
from vision.calibration import calibrate
from vision.glance import Glancer
from vision.patch import cut
from vision.plane import pixel_maps
from vision.settings_watch import GlanceSettings
from vision.station import Station, pictures_in, read_image
from vision.tray import Tray

SIZE = (960, 720)
CORNERS = np.array([[110, 95], [840, 70], [880, 640], [90, 650]], np.float32)
GREY = np.full((SIZE[1], SIZE[0], 3), 120, np.uint8)
CORNER = 0.625  # widths of a 4:3 picture from its middle to its corner


def bent_tray(barrel, picture=GREY):
    return Tray.calibrate([picture], CORNERS, (200.0, 150.0), barrel=barrel)


@given(
    st.floats(-0.2, 0.1),
    st.lists(st.tuples(st.floats(-0.5, 0.5), st.floats(-0.4, 0.4)), min_size=1, max_size=8),
)
def test_what_is_bent_is_straightened_again(barrel, points):
    spots = np.array(points)
    assert straightened(bent(spots, barrel), barrel) == pytest.approx(spots, abs=2e-5)


@pytest.mark.parametrize("barrel", [-0.12, 0.05])
def test_points_are_bent_as_opencv_bends_them(barrel):
    focal, (width, height) = 1.7, SIZE
    pixels = np.array([[40.0, 30.0], [479.5, 359.5], [900.0, 100.0], [500.0, 700.0]])
    middle = np.array([width - 1, height - 1]) / 2
    lens = np.array([[focal * width, 0, middle[0]], [0, focal * width, middle[1]], [0, 0, 1]])
    rays = np.column_stack([(pixels - middle) / (focal * width), np.ones(len(pixels))])
    first = barrel * focal**2  # OpenCV counts in focal lengths, not in widths
    seen, _ = cv2.projectPoints(rays, np.zeros(3), np.zeros(3), lens, np.array([first, 0, 0, 0.0]))
    assert Bend(barrel, SIZE).bent(pixels) == pytest.approx(seen[:, 0], abs=1e-6)


def test_a_barrel_bows_the_middle_of_a_wall_outward():
    wall = np.array([[100.0, 80.0], [480.0, 80.0], [860.0, 80.0]])
    left, middle, right = Bend(-0.1, SIZE).bent(wall)
    assert middle[1] < left[1] - 3
    assert left[1] == pytest.approx(right[1], abs=0.2)


@pytest.mark.parametrize("barrel", [-0.12, 0.0, 0.05])
def test_the_floors_corners_stay_where_they_were_marked(barrel):
    tray = bent_tray(barrel)
    rim, scale = tray.settings.rim, tray.settings.scale
    floor = (np.array([[0, 0], [200, 0], [200, 150], [0, 150]]) + rim) * scale
    assert tray.to_frame(floor) == pytest.approx(CORNERS, abs=0.02)


@pytest.mark.parametrize("barrel", [-0.12, 0.0, 0.05])
def test_where_a_spot_is_seen_leads_back_to_it(barrel):
    tray = bent_tray(barrel)
    spots = np.random.default_rng(2).uniform((20, 20), (900, 650), (20, 2))
    assert tray.to_rectified(tray.to_frame(spots)) == pytest.approx(spots, abs=0.02)


def test_a_square_of_the_floor_is_a_square_in_the_tray_seen_through_a_bent_lens():
    tray = bent_tray(-0.12)
    square = np.array([[300, 60], [360, 60], [360, 120], [300, 120]], np.float32)
    ways = np.roll(square, -1, axis=0) - square
    outline = (square[:, None] + np.linspace(0, 1, 50)[:, None] * ways[:, None]).reshape(-1, 2)
    frame = GREY.copy()
    spots = np.rint(tray.to_frame(outline) * 256).astype(int)
    cv2.fillPoly(frame, [spots.astype(np.int32)], (240, 240, 240), cv2.LINE_AA, 8)
    light = tray.rectify(frame)[..., 0] > 180
    rows, columns = np.flatnonzero(light.any(axis=1)), np.flatnonzero(light.any(axis=0))
    assert (rows[0], rows[-1], columns[0], columns[-1]) == pytest.approx((60, 119, 300, 359), abs=1)
    assert light[62:118, 302:358].all()
    assert cut(frame, tray.to_frame(square))[10:-10, 10:-10].min() > 230  # cut from the frame, too


def test_a_glance_shows_the_tray_as_it_is_rectified():
    grain = np.random.default_rng(5).integers(0, 255, (24, 32, 3)).astype(np.uint8)
    picture = cv2.resize(grain, SIZE, interpolation=cv2.INTER_CUBIC)
    tray = bent_tray(-0.12, picture)
    glance = Glancer(tray, GlanceSettings()).see(picture)
    height, width = glance.grey.shape
    shrunk = cv2.resize(
        cv2.cvtColor(tray.empty, cv2.COLOR_BGR2GRAY), (width, height), interpolation=cv2.INTER_AREA
    )
    middle = np.s_[15:-15, 15:-15]  # beyond the picture nothing is seen
    apart = np.abs(glance.grey - cv2.blur(shrunk.astype(np.float32), (3, 3)))[middle]
    assert float(apart.mean()) < 3


@pytest.mark.parametrize("name", sorted(path.name for path in SESSIONS.iterdir()))
@pytest.mark.parametrize("marked", [True, False], ids=["marked", "found"])
def test_the_trays_walls_tell_two_thirds_of_the_bend_and_more(name, marked):
    facts = json.loads((SESSIONS / name / "recording.json").read_text())
    frames = [read_image(path) for path in pictures_in(SESSIONS / name / "empty")]
    corners = np.array(facts["tray"]["corners_px"], np.float32) - 0.5 if marked else None
    tray = calibrate(frames, corners, outline=outlined(name)).station.tray
    true = facts["camera"]["barrel"] / CORNER**2
    assert tray.barrel == pytest.approx(true, rel=1 / 3)


def test_a_station_keeps_its_bend_and_one_from_before_has_none(tmp_path):
    Station.bare(bent_tray(-0.083)).save(tmp_path)
    assert Station.load(tmp_path).tray.barrel == -0.083
    index = tmp_path / "station.toml"
    kept = [line for line in index.read_text().splitlines() if not line.startswith("barrel")]
    index.write_text("\n".join(kept).replace("format = 3", "format = 2"))
    assert Station.load(tmp_path).tray.barrel == 0.0


def test_trays_in_other_light_share_what_rectifies_them(monkeypatch):
    """Making it takes longer than using it, and the light is followed all evening."""
    made = []
    monkeypatch.setattr(plane, "pixel_maps", lambda *a: made.append(a) or pixel_maps(*a))
    tray = bent_tray(-0.0431)  # a bend that no other test has, so that nothing is kept of it
    for each in (tray, replace(tray, picture=GREY // 2), tray.quiet):
        each.rectify(GREY)
    assert len(made) == 1
    tray.resized(1.1).rectify(GREY)
    assert len(made) == 2
