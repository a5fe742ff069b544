"""The tray found by itself: on drawn trays exactly, on recorded stations within a floor.

Corners are compared in the convention of `vision.patch`, where the centre of the
top left pixel is (0, 0); the studio's facts count from that pixel's corner.
"""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.recordings import SESSIONS
from tests.vision.taught import outlined
from vision.floor_size import (
    NO_MARKERS,
    Marker,
    find_markers,
    floor_size,
    ratio_of_sides,
    size_from_markers,
)
from vision.moved import Rim
from vision.outline import DARK, SHAPES, UNCLEAR, find_outline, quality
from vision.outline_box import (
    Box,
    Camera,
    Edge,
    best_focal,
    corners,
    orientation,
    refocused,
)
from vision.outline_boxes import SIDES, Boxes, Points
from vision.outline_edges import normals
from vision.outline_fit import Fit, refine
from vision.outline_lines import levelled
from vision.settings_outline import OutlineSettings

WITHIN = {"cantina-felt": 3.0, "engraved-wood": 6.0}  # px, worst corner
NAMES = sorted(path.name for path in SESSIONS.iterdir() if (path / "recording.json").exists())
SETTINGS = OutlineSettings()


def facts(name):
    return json.loads((SESSIONS / name / "recording.json").read_text())


def true_corners(name):
    return np.array(facts(name)["tray"]["corners_px"]) - 0.5


def pictures(name, folder="empty"):
    return [cv2.imread(str(path)) for path in sorted((SESSIONS / name / folder).glob("*.jpg"))]


def error(outline, truth):
    return float(np.linalg.norm(outline.corners - truth, axis=1).max())


# --- drawn trays ------------------------------------------------------------------------------
SIZE = (960, 720)
LOOKS = {"floor": (60, 110, 60), "inner": (40, 55, 80), "top": (90, 130, 175), "table": (120,) * 3}


def drawn(camera, box, looks=LOOKS):
    """A tray without texture, seen by ``camera``; near walls hide the floor behind them."""
    image = np.full((SIZE[1], SIZE[0], 3), looks["table"], np.uint8)
    quads = {edge: pixels(camera, box, edge) for edge in Edge}
    fill(image, quads[Edge.OUTER], looks["top"])
    fill(image, quads[Edge.RIM], looks["inner"])
    hole = np.zeros(SIZE[::-1], np.uint8)
    floor = np.zeros(SIZE[::-1], np.uint8)
    fill(hole, quads[Edge.RIM], 255)
    fill(floor, quads[Edge.FLOOR], 255)
    image[(hole > 127) & (floor > 127)] = looks["floor"]
    noise = np.random.default_rng(4).normal(0, 2, image.shape)
    return np.clip(cv2.GaussianBlur(image, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


def pixels(camera, box, edge):
    middle = [(SIZE[0] - 1) / 2, (SIZE[1] - 1) / 2]
    return camera.see(corners(box.rectangle(edge))) * SIZE[0] + middle


def fill(image, quad, colour):
    cv2.fillConvexPoly(image, np.rint(quad * 256).astype(int), colour, cv2.LINE_AA, 8)


def tray(tilt, azimuth, roll=0.0, focal=1.6):
    """A camera so tilted and a box in the middle of its picture."""
    away = np.deg2rad(azimuth)
    lean = cv2.Rodrigues(np.deg2rad(tilt) * np.array([np.sin(away), -np.cos(away), 0.0]))[0]
    spin = cv2.Rodrigues(np.deg2rad(roll) * np.array([0, 0, 1.0]))[0]
    camera = Camera(cv2.Rodrigues(spin @ lean)[0].ravel(), focal)
    middle = np.tile(camera.plane(np.zeros((1, 2)))[0], 2)
    return camera, Box(middle + np.array([-0.21, -0.15, 0.21, 0.15]), 0.975, 0.018)


@pytest.mark.parametrize(
    ("tilt", "azimuth", "roll"),
    [(0, 0, 0), (6, 70, 4), (15, -90, -6), (22, 90, 0), (22, 20, 8), (25, 200, -9)],
)
def test_a_drawn_tray_is_found_even_where_a_wall_hides_its_floor(tilt, azimuth, roll):
    camera, box = tray(tilt, azimuth, roll)
    outline = find_outline([drawn(camera, box)])
    assert outline.found, (outline.quality, outline.reasons)
    assert error(outline, pixels(camera, box, Edge.FLOOR)) < 2.0
    assert outline.ratio == pytest.approx(0.42 / 0.30, rel=0.01)


def test_a_steep_view_hides_floor_behind_the_near_wall():
    _, box = tray(25, 90)
    assert box.hidden().tolist().count(True) >= 1
    level = Box(np.array([-0.2, -0.15, 0.2, 0.15]), 0.975, 0.018)
    assert not level.hidden().any()


@pytest.mark.parametrize("light", [0.35, 1.25])
def test_light_changes_nothing(light):
    camera, box = tray(12, -50)
    shade = np.linspace(0.5, 1.0, SIZE[0])[None, :, None] * [1.0, 0.8, 0.6]
    picture = np.clip(drawn(camera, box) * shade * light, 0, 255).astype(np.uint8)
    assert error(find_outline([picture]), pixels(camera, box, Edge.FLOOR)) < 2.0


def test_a_large_picture_gives_corners_in_its_own_pixels():
    camera, box = tray(10, 40)
    large = cv2.resize(drawn(camera, box), None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    truth = (pixels(camera, box, Edge.FLOOR) + 0.5) * 2 - 0.5
    assert error(find_outline([large]), truth) < 4.0


@pytest.mark.parametrize(("outer", "clear"), [(0.1, False), (0.45, True), (np.nan, True)])
def test_an_outer_edge_that_is_not_seen_leaves_it_to_the_dealer(outer, clear):
    """Lines printed on a mat make a floor and a rim, but no wall; beyond the picture none shows."""
    camera, box = tray(0, 0)
    seen = {edge: np.ones(4) for edge in Edge}
    seen[Edge.OUTER] = np.array([1.0, 1.0, 1.0, outer])
    assert (quality([Fit(camera, box, seen, 0.1, 7.0, 7.0)], SETTINGS) >= SETTINGS.clear) is clear


# --- when there is no tray to find --------------------------------------------------------------
def test_no_picture_is_an_error_of_the_caller():
    with pytest.raises(ValueError, match="at least one picture"):
        find_outline([])


def test_darkness_is_named():
    camera, box = tray(10, 40)
    outline = find_outline([(drawn(camera, box) // 16).astype(np.uint8)])
    assert outline.corners is None
    assert outline.reasons == (DARK,)


def test_pictures_of_two_sizes_are_refused():
    outline = find_outline([np.zeros((72, 96, 3), np.uint8), np.zeros((90, 120, 3), np.uint8)])
    assert outline.reasons == (SHAPES,)


def noise():
    return np.random.default_rng(3).integers(0, 255, (720, 960, 3)).astype(np.uint8)


def sheet_of_paper():
    picture = np.full((720, 960, 3), 70, np.uint8)
    fill(picture, np.array([[200, 150], [760, 170], [740, 560], [190, 540]], float), (220,) * 3)
    return cv2.GaussianBlur(picture, (0, 0), 1.0)


def plain_table():
    return np.full((720, 960, 3), 120, np.uint8)


@pytest.mark.parametrize("scene", [noise, sheet_of_paper, plain_table])
def test_what_is_no_tray_is_never_found(scene):
    outline = find_outline([scene()])
    assert not outline.found
    assert outline.quality < 0.75


def test_a_wall_outside_the_picture_is_named():
    camera, box = tray(0, 0)
    shift = np.array([[1, 0, 0], [0, 1, -190]], np.float32)
    cut = cv2.warpAffine(drawn(camera, box), shift, SIZE, borderMode=cv2.BORDER_REPLICATE)
    outline = find_outline([cut])
    assert not outline.found
    assert outline.reasons[0] in (UNCLEAR, FAR_WALL)


FAR_WALL = "the far wall is not in the picture: turn or raise the camera"


# --- recorded stations --------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(WITHIN))
def test_recorded_trays_are_found(name):
    outline = outlined(name)
    assert outline.found, outline.reasons
    assert error(outline, true_corners(name)) <= WITHIN[name]
    width, height = facts(name)["tray"]["inner_mm"]
    assert outline.ratio == pytest.approx(width / height, rel=0.02)


@pytest.mark.once
@pytest.mark.parametrize("name", NAMES)
def test_no_recorded_tray_is_confidently_wrong(name):
    for picture in pictures(name):
        outline = find_outline([picture])
        assert not outline.found or error(outline, true_corners(name)) <= 12.0


# --- geometry -----------------------------------------------------------------------------------
def test_seeing_and_going_back_to_the_plane_are_inverse():
    camera = Camera(np.array([0.2, -0.1, 0.05]), 1.4, -0.04)
    plane = np.array([[-0.2, 0.1], [0.3, 0.2], [0.0, 0.0]])
    assert np.allclose(camera.plane(camera.see(plane)), plane, atol=1e-5)


def test_directions_give_the_camera_back():
    camera, _ = tray(20, 35, 5, focal=1.3)
    scale = np.array([1.3, 1.3, 1.0])
    across, down = camera.rotation[:, 0] * scale, camera.rotation[:, 1] * scale
    assert best_focal(across, down) == pytest.approx(1.3, rel=1e-6)
    assert np.allclose(orientation(across, down, 1.3).rotation, camera.rotation, atol=1e-9)


def test_a_box_looks_the_same_through_the_same_camera():
    camera, box = tray(20, 35)
    assert np.allclose(refocused(camera, box, camera).rim, box.rim, atol=1e-6)


@pytest.fixture
def boxes():
    """Two trays through lenses that bend: of one the near wall hides the floor behind it."""
    two = [tray(3, -60, 3), tray(25, 80, -4, focal=1.1)]
    return [(replace(camera, barrel=-0.03), box) for camera, box in two]


def test_boxes_that_are_fitted_together_are_seen_as_each_by_itself(boxes):
    together = Boxes.of(boxes)
    for row, (camera, box) in enumerate(boxes):
        for edge, seen in zip(Edge, together.corners[row], strict=True):
            assert np.allclose(seen, camera.see(corners(box.rectangle(edge))))
        assert np.array_equal(together.hidden[row], box.hidden())
    assert np.allclose(Boxes.of(together.each()).numbers, together.numbers)
    assert together.hidden.any(axis=1).tolist() == [False, True]


def test_points_lie_on_the_lines_they_are_counted_to(boxes):
    together, points = Boxes.of(boxes), Points.along(SETTINGS.samples, 0.0)
    ends = together.place(points).reshape(2, 3, 4, SETTINGS.samples, 2)[:, :, :, [0, -1]]
    assert np.allclose(ends, together.corners[:, :, np.array(SIDES)])


def test_the_fit_knows_how_its_lines_move(boxes):
    together, points = Boxes.of(boxes), Points.along(SETTINGS.samples, SETTINGS.margin)
    by_line = together.place(points).reshape(2, 12, SETTINGS.samples, 2)
    across = normals(by_line).reshape(2, -1, 2)
    told = together.slopes(points, across)
    for i, step in enumerate(np.eye(together.numbers.shape[1]) * 1e-6):
        moved = [Boxes(together.numbers + by).place(points) for by in (step, -step)]
        change = moved[0] - moved[1]
        assert np.allclose(told[..., i], (change * across).sum(axis=-1) / 2e-6, atol=1e-5)


def test_boxes_are_fitted_together_as_each_by_itself_and_those_out_of_sight_left_out():
    camera, box = tray(14, 50)
    level, floor = levelled(drawn(camera, box), SETTINGS), pixels(camera, box, Edge.FLOOR)
    near, beyond = (replace(box, rim=box.rim + by) for by in (0.001, 3.0))
    starts = [(camera, near), (camera, beyond), (camera, box)]
    together = refine(level, starts, SETTINGS, SETTINGS.windows)
    alone = [fit for s in starts for fit in refine(level, [s], SETTINGS, SETTINGS.windows)]
    assert len(together) == len(alone) == 2
    for one, other in zip(together, alone, strict=True):
        assert one.score == pytest.approx(other.score, abs=1e-6)
        assert np.allclose(one.box.rim, other.box.rim, atol=1e-6)
        assert np.allclose(pixels(one.camera, one.box, Edge.FLOOR), floor, atol=1.0)


# --- size -----------------------------------------------------------------------------------------
def seen_from(tilt, azimuth, points, focal=1.5, distance=600.0):
    """Points (n, 3) in mm seen by a camera so tilted, in px of a picture of `SIZE`."""
    lean, away = np.deg2rad(tilt), np.deg2rad(azimuth)
    back = np.array([np.sin(lean) * np.cos(away), np.sin(lean) * np.sin(away), np.cos(lean)])
    right = np.cross([0, 1.0, 0], back)
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(right, back), -back])
    local = (np.asarray(points, float) - distance * back) @ turn.T
    flat = focal * SIZE[0] * local[:, :2] / local[:, 2:]
    return flat + np.array([(SIZE[0] - 1) / 2, (SIZE[1] - 1) / 2])


def level_square(side, x, y, z, turn):
    angle = np.deg2rad(turn) + np.pi / 4 + np.pi / 2 * np.arange(4)
    reach = side / np.sqrt(2)
    return np.stack([x + reach * np.cos(angle), y + reach * np.sin(angle), np.full(4, z)], axis=1)


FLOOR = np.array([[-100, 70, 0], [100, 70, 0], [100, -70, 0], [-100, -70, 0.0]])


@pytest.mark.parametrize(("tilt", "azimuth"), [(12, 30), (20, -50), (25, 140)])
def test_a_tilted_view_tells_ratio_and_lens_exactly(tilt, azimuth):
    ratio, focal = ratio_of_sides(seen_from(tilt, azimuth, FLOOR), SIZE)
    assert ratio == pytest.approx(200 / 140, rel=1e-6)
    assert focal == pytest.approx(1.5, rel=1e-6)


def test_a_view_from_straight_above_tells_the_ratio_but_not_the_lens():
    ratio, focal = ratio_of_sides(seen_from(0, 0, FLOOR), SIZE)
    assert ratio == pytest.approx(200 / 140, rel=1e-6)
    assert focal is None


def test_a_lens_known_from_elsewhere_gives_the_ratio_the_corners_hide():
    quad = seen_from(20, 90, FLOOR)
    assert floor_size(quad, SIZE).ratio != pytest.approx(200 / 140, rel=0.005)
    assert floor_size(quad, SIZE, focal=1.5).ratio == pytest.approx(200 / 140, rel=1e-6)


def test_markers_on_the_floor_give_its_size_in_mm():
    quad = seen_from(18, 60, FLOOR)
    places = [(-60, 30, 10), (50, -40, 65)]
    seen = [
        Marker(seen_from(18, 60, level_square(25.0, x, y, 0.0, turn)), 25.0)
        for x, y, turn in places
    ]
    assert size_from_markers(quad, seen) == pytest.approx((200, 140), rel=1e-4)
    size = floor_size(quad, SIZE, markers=seen)
    assert (size.source, size.reason) == ("markers", None)


def test_a_size_that_is_known_is_believed():
    size = floor_size(seen_from(10, 10, FLOOR), SIZE, known_mm=(210.0, 150.0))
    assert (size.mm, size.source) == ((210.0, 150.0), "given")


def test_nothing_of_known_size_is_said_so():
    size = floor_size(seen_from(10, 10, FLOOR), SIZE)
    assert size.mm is None
    assert "die" in size.reason


def test_corners_in_the_wrong_order_are_refused():
    quad = seen_from(10, 10, FLOOR)
    with pytest.raises(ValueError, match="convex"):
        floor_size(quad[[0, 2, 1, 3]], SIZE)


def test_printed_markers_are_read_or_their_lack_is_explained():
    markers, reason = find_markers(with_marker(), 25.0)
    if not hasattr(cv2, "aruco"):
        assert (markers, reason) == ((), NO_MARKERS)
        return
    assert reason is None
    assert [marker.side for marker in markers] == [25.0]
    assert np.allclose(
        np.sort(markers[0].corners, axis=0)[[0, 3]], [[100, 100], [199, 199]], atol=2
    )


def with_marker():
    picture = np.full((300, 300, 3), 255, np.uint8)
    if hasattr(cv2, "aruco"):
        known = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        draw = getattr(cv2.aruco, "generateImageMarker", None) or cv2.aruco.drawMarker
        picture[100:200, 100:200] = draw(known, 3, 100)[..., None]
    return picture


def test_opencv_without_markers_is_no_crash(monkeypatch):
    monkeypatch.delattr(cv2, "aruco", raising=False)
    assert find_markers(plain_table(), 25.0) == ((), NO_MARKERS)


# --- the camera moved ----------------------------------------------------------------------------
DEV = ["cantina-felt", "engraved-wood", "prop-leather"]


@pytest.mark.parametrize("name", DEV)
def test_dice_and_hands_do_not_move_the_camera(name):
    empty = pictures(name)[0]
    seen = [*pictures(name)[1:], *pictures(name, "throws")[:6], *pictures(name, "bad")[:6]]
    rim = Rim(empty, true_corners(name))
    shifts = np.array([rim.moved(frame) for frame in seen])
    assert np.isnan(shifts).mean() <= 0.1
    assert np.nanmax(shifts) < 1.0


@pytest.mark.parametrize("name", DEV)
def test_another_light_does_not_move_the_camera(name):
    empty, other = pictures(name)[:2]
    shade = np.linspace(0.55, 1.0, other.shape[1])[None, :, None] * [0.8, 1.0, 1.15]
    relit = np.clip(other * shade, 0, 255).astype(np.uint8)
    assert Rim(empty, true_corners(name)).moved(relit) < 1.0


@pytest.mark.parametrize("name", DEV)
@pytest.mark.parametrize(
    ("right", "down", "turn"), [(3, 0, 0), (-2, 4, 0.3), (12, -9, 0), (25, 20, 0), (0, 0, 1.0)]
)
def test_a_moved_camera_is_measured_under_dice_and_in_another_light(name, right, down, turn):
    truth = true_corners(name)
    middle = tuple(float(v) for v in truth.mean(axis=0))
    motion = cv2.getRotationMatrix2D(middle, turn, 1.0)
    motion[:, 2] += (right, down)
    frame = (pictures(name, "throws")[1] * 0.85).astype(np.uint8)
    bumped = cv2.warpAffine(frame, motion, frame.shape[1::-1], borderMode=cv2.BORDER_REFLECT)
    shift = np.linalg.norm(cv2.transform(truth[None], motion)[0] - truth, axis=1).max()
    assert Rim(pictures(name)[0], truth).moved(bumped) == pytest.approx(shift, abs=1.0)


def test_a_covered_rim_tells_nothing_rather_than_something():
    empty = pictures("cantina-felt")[0]
    assert np.isnan(Rim(empty, true_corners("cantina-felt")).moved(np.full_like(empty, 90)))


def test_pictures_of_different_size_have_moved():
    empty = pictures("cantina-felt")[0]
    assert Rim(empty, true_corners("cantina-felt")).moved(empty[:-2]) == float("inf")
