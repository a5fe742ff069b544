"""Floors that are no rectangles: what marks on their edge tell, and dice at their walls."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from fixtures.studio.camera_model import Shutter
from fixtures.studio.geometry import turn
from fixtures.studio.random_scenes import bad_scene, throw_scene
from fixtures.studio.series import record
from fixtures.studio.tray import Tray as DrawnTray
from fixtures.studio.tray import walls as walls_of
from fixtures.studio.variety import random_station, sketch, with_sides
from vision.calibration import calibrate
from vision.faults import ToldError
from vision.finding import dice, looked_at
from vision.floor_edge import floor_edge, polygon
from vision.lying import placed
from vision.moved import Rim
from vision.pipeline import read_burst
from vision.reading import Verdict
from vision.recording import from_recording
from vision.station import Station, StationError
from vision.tray import Tray
from vision.walls import Walls

FRAME = (1280, 960)
# A camera 400 mm above the floor, 15 degrees aslant; its lens 1.2 widths long.
ASLANT = turn("x", 15.0)


def seen_by_camera(points):
    """Points (n, 2) in mm of the floor around its middle, y down, in pixels."""
    space = np.insert(np.asarray(points, float), 2, 0.0, axis=1) @ ASLANT.T + [0, 0, 400]
    return 1.2 * FRAME[0] * space[:, :2] / space[:, 2:] + np.array(FRAME) / 2 - 0.5


def regular(sides, radius=110.0, turned=0.0):
    """Corners of a floor with sides alike, in mm, clockwise as seen in a picture."""
    steps = np.radians(turned) + 2 * np.pi * np.arange(sides) / sides
    return radius * np.stack([np.cos(steps), np.sin(steps)], axis=1)


def test_room_is_counted_from_the_nearest_wall_of_any_floor():
    box = Walls.rectangle(100, 80)
    assert box.room(np.array([[10, 40], [50, 75], [-2, 40]])) == pytest.approx([10, 5, -2])
    for corners in (regular(6), regular(6)[::-1]):
        assert Walls(corners).room(np.zeros(2)) == pytest.approx(110 * np.cos(np.pi / 6))
        assert Walls(corners).room(np.array([[110.0, 0], [115.0, 0]])) == pytest.approx(
            [0, -5 * np.cos(np.pi / 6)]
        )


@pytest.mark.parametrize("sides", [5, 6, 7, 8, 12])
@pytest.mark.parametrize("turned", [0.0, 17.0, 100.0])
def test_corners_alike_tell_the_plane_of_the_floor(sides, turned):
    floor = regular(sides, turned=turned)
    edge = polygon(seen_by_camera(floor))
    width, height = edge.ratio * 100.0, 100.0
    frames = [np.zeros((FRAME[1], FRAME[0], 3), np.uint8)]
    tray = Tray.calibrate(frames, edge.corners, (width, height), edge=edge.points)
    lengths = np.linalg.norm(np.roll(tray.walls.corners, -1, axis=0) - tray.walls.corners, axis=1)
    assert lengths == pytest.approx(np.full(sides, lengths.mean()), rel=1e-3)
    low, high = tray.walls.corners.min(axis=0), tray.walls.corners.max(axis=0)
    assert low == pytest.approx([0, 0], abs=0.1)
    assert high == pytest.approx([width, height], abs=0.1)
    # The rectangle around it stands upright in the picture, within half a side's turn.
    across = edge.corners[1] - edge.corners[0]
    assert abs(np.degrees(np.arctan2(across[1], across[0]))) < 180 / sides


def ring_seen(tilt, radius, height, way):
    """A circle ``height`` mm above the floor, seen ``tilt`` degrees aslant from ``way``, pixels."""
    space = np.insert(regular(90, radius), 2, -height, axis=1)
    space = space @ (turn("z", way) @ turn("x", tilt)).T + [0, 0, 400]
    return 1.2 * FRAME[0] * space[:, :2] / space[:, 2:] + np.array(FRAME) / 2 - 0.5


def bowl(tilt, way):
    """A round tray of 110 mm with walls of 20, seen through a lens 1.2 widths long."""
    picture = np.full((FRAME[1], FRAME[0], 3), 60, np.uint8)
    for radius, height, shade in ((118, 20, 150), (110, 20, 90), (110, 0, 110)):
        outline = np.rint(ring_seen(tilt, radius, height, way) * 16).astype(np.int32)
        cv2.fillPoly(picture, [outline], (shade, shade, shade), cv2.LINE_AA, 4)
    return cv2.GaussianBlur(picture, (0, 0), 1.0)


@pytest.mark.parametrize(
    ("tilt", "way"), [(0, 0), (8, 30), (15, 0), (15, 180), (15, 100), (22, -60)]
)
def test_a_round_floor_is_levelled_by_its_ellipse_and_the_rim_of_its_walls(tilt, way):
    marks = ring_seen(tilt, 110, 0, way)[::10]
    edge = floor_edge(marks, is_round=True, picture=bowl(tilt, way))
    frames = [np.zeros((FRAME[1], FRAME[0], 3), np.uint8)]
    tray = Tray.calibrate(frames, edge.corners, (220.0, 220.0), edge=edge.points)
    assert edge.ratio == 1
    assert tray.walls.room(np.array([110.0, 110.0])) == pytest.approx(110, rel=0.01)
    # The lens is taken for a longer one, so the floor is levelled by a sixth too little.
    inner = floor_points(tray, ring_seen(tilt, 55, 0, way))
    off = inner.mean(axis=0) - 110
    assert np.hypot(*off) < 1 + 0.25 * 110 * np.tan(np.radians(tilt)) * 110 / 400
    assert np.linalg.norm(inner - inner.mean(axis=0), axis=1) == pytest.approx(55, rel=0.02)


def floor_points(tray, pixels):
    """Pixels (n, 2) of the frame in millimetres of the floor."""
    across = cv2.getPerspectiveTransform(
        tray.corners, np.float32([[0, 0], [220, 0], [220, 220], [0, 220]])
    )
    return cv2.perspectiveTransform(pixels[None].astype(np.float64), across)[0]


def test_four_marks_are_a_rectangle():
    corners = np.array([[1, 2], [90, 3], [80, 70], [4, 60]], np.float32)
    assert np.array_equal(floor_edge(corners, is_round=False, picture=NOTHING), corners)


NOTHING = np.zeros((FRAME[1], FRAME[0], 3), np.uint8)
HEXAGON = regular(6) * 3 + [640, 480]


@pytest.mark.parametrize(
    ("marks", "is_round"),
    [
        (HEXAGON[::-1], False),  # the other way round
        (HEXAGON[[0, 2, 1, 3, 4, 5]], False),  # two exchanged
        (np.concatenate([HEXAGON, HEXAGON]), False),  # twice round
        (HEXAGON + np.eye(6, 2) * 40, False),  # one mark beside its corner
        (np.concatenate([HEXAGON, [[np.nan, 3]]]), False),
        (regular(25) * 3, False),
        (regular(9) * 3 - np.eye(9, 2) * 90, True),  # one mark off the edge
        (HEXAGON[:4], True),
        (np.tile([[5.0, 5.0]], (8, 1)), True),
    ],
)
def test_marks_of_no_such_floor_are_refused_in_words(marks, is_round):
    with pytest.raises(ToldError, match="floor"):
        floor_edge(marks, is_round, NOTHING)


@pytest.fixture(scope="module")
def drawn():
    """A station with a hexagonal tray."""
    station = with_sides(random_station(692), 6)
    assert len(walls_of(station.tray)) == 6
    return station


@pytest.fixture(scope="module")
def pen(drawn):
    """What draws pictures of it."""
    return sketch(drawn)


@pytest.fixture(scope="module")
def known(drawn, tmp_path_factory):
    """What is read with, from drawn pictures of the empty tray and of each face once."""
    folder = tmp_path_factory.mktemp("hexagon")
    record(folder, drawn, faces=1, throws=0, bad=0)
    return from_recording(folder)


def read(pen, scene, known):
    """A drawn scene, read as a throw of three."""
    picture = pen.picture(scene.dice, scene.others, Shutter(1))
    return read_burst([picture], known, {"spike": 3})


def test_drawn_walls_stand_where_the_floor_ends(drawn):
    tray = drawn.tray
    assert tray.room(tray.edge()) == pytest.approx(np.zeros(6), abs=1e-9)
    assert tray.room(tray.edge() * 1.1).max() < 0
    assert np.ptp(tray.edge(), axis=0) == pytest.approx(np.array(tray.inner_mm))
    assert DrawnTray((120, 80)).room(np.array([[50.0, 0], [0, 45]])) == pytest.approx([10, -5])


@pytest.mark.once
@pytest.mark.parametrize("seed", [1, 2])
def test_throws_in_a_hexagonal_tray_are_read(seed, drawn, pen, known):
    scene = throw_scene(drawn, np.random.default_rng(seed), "sss")
    seen = read(pen, scene, known)
    assert seen.verdict is Verdict.ACCEPT
    shown = [die.face for die in scene.dice]
    assert sorted(die.face for die in seen.dice) == sorted(shown)


@pytest.mark.once
def test_a_die_leaning_on_a_slanted_wall_is_asked_about(drawn, pen, known):
    for seed in (5, 9, 12):
        scene = bad_scene(drawn, np.random.default_rng(seed), "wall")
        assert read(pen, scene, known).verdict is not Verdict.ACCEPT


@pytest.mark.once
def test_a_slanted_wall_holds_the_die_that_leans_on_it(drawn, pen, known):
    """Were the floor taken for a rectangle's, its walls would be elsewhere."""
    box = replace(known, tray=replace(known.tray, edge=None))
    for seed in (5, 9, 12):
        scene = bad_scene(drawn, np.random.default_rng(seed), "wall")
        picture = pen.picture(scene.dice, scene.others, Shutter(1))
        held = [
            any(way.held for near in placed(seen, dice(seen)[0]) for way in ways(near))
            for seen in (looked_at(picture, station) for station in (known, box))
        ]
        assert held == [True, False]


def ways(near):
    """In which a tipped cube explains a die much better than a flat one."""
    return near.standing.explained(0.5)


@pytest.mark.once
def test_a_die_in_a_corner_that_the_walls_leave_free_is_not_in_the_tray(drawn, pen, known):
    scene = bad_scene(drawn, np.random.default_rng(5), "outside")
    seen = read(pen, scene, known)
    assert seen.verdict is not Verdict.ACCEPT
    assert len(seen.dice) == 2


def test_what_is_beyond_the_rim_is_black_and_bounded(known):
    tray, settings = known.tray, known.tray.settings
    seen = tray.rectify(np.full((960, 1280, 3), 255, np.uint8)).max(axis=2)
    rows, columns = np.mgrid[: seen.shape[0], : seen.shape[1]]
    spots = np.stack([columns, rows], axis=-1) / settings.scale - settings.rim
    room = tray.walls.room(spots)
    assert (seen[room < -settings.rim - 1] == 0).all()
    assert (seen[room > 0] == 255).all()
    assert (tray.inside[room > 1] == 255).all()
    assert (tray.inside[room < -1] == 0).all()
    whole = (room < 1 - settings.rim) | (np.minimum(rows, columns) == 0)
    whole |= (rows == seen.shape[0] - 1) | (columns == seen.shape[1] - 1)
    assert whole[tray.bounds].all()
    assert tray.bounds.sum() > 2 * max(seen.shape)
    box = replace(tray, edge=None)
    assert box.bounds.sum() == 2 * sum(box.empty.shape[:2]) - 4


def test_a_moved_camera_is_seen_by_six_walls(known):
    tray = known.tray
    still = Rim(tray.picture, tray.outline)
    assert still.moved(tray.picture) == pytest.approx(0, abs=0.2)
    moved = cv2.warpAffine(tray.picture, np.array([[1, 0, 9], [0, 1, -4.0]]), tray.frame_size)
    assert still.moved(moved) == pytest.approx(np.hypot(9, 4), abs=1.0)


def test_a_stations_edge_is_kept_and_unknown_to_readers_before_it(known, tmp_path):
    known.save(tmp_path)
    text = (tmp_path / "station.toml").read_text()
    assert "format = 4" in text
    again = Station.load(tmp_path)
    assert again.tray.edge == pytest.approx(known.tray.edge)
    assert again.tray.walls.corners == pytest.approx(known.tray.walls.corners, abs=1e-3)
    (tmp_path / "station.toml").write_text(text.replace("edge = [", "edge = [7, "))
    with pytest.raises(StationError, match="calibrate again"):
        Station.load(tmp_path)
    rectangle = replace(known, tray=replace(known.tray, edge=None))
    rectangle.save(tmp_path)
    assert "format = 3" in (tmp_path / "station.toml").read_text()


def test_a_floors_size_is_that_of_the_rectangle_around_it():
    frames = [np.zeros((FRAME[1], FRAME[0], 3), np.uint8)]
    edge = polygon(seen_by_camera(regular(8)))
    made = calibrate(frames, edge, (240.0, 240.0)).station
    assert made.size_known
    assert made.tray.size_mm == (240.0, 240.0)
    assert made.tray.barrel == 0
    untold = calibrate(frames, edge).station.tray.size_mm
    assert untold[0] / untold[1] == pytest.approx(edge.ratio)
