"""A side that is seen as large as a top is no die beside the one it belongs to."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.vision.test_lens import tray
from vision.halo import filled
from vision.reading import DieReading, Reason
from vision.seen import Found
from vision.settings import SceneSettings
from vision.sides import missing, without_sides
from vision.squares import Square
from vision.station import Body
from vision.viewpoint import Lens

SIZE = 16.0
SCENE = tray(Lens(0.62))  # a camera 18 cm above the middle of 200 x 150 mm
SIDE = SCENE.top_side(SIZE)
BODIES = {"spike": Body(SIDE, SIZE, 0.1)}
BELOW = np.array([SCENE.viewpoint.x, SCENE.viewpoint.y])
FAR, NEAR = np.array([14.0, 14.0]), BELOW + 8.0


def item(seen_at, turn, *reasons):
    """A die whose top is seen about ``seen_at`` mm of the floor."""
    x, y = (seen_at + SCENE.settings.rim) * SCENE.settings.scale
    square = Square(float(x), float(y), SIDE, float(turn), 0.9)
    corners = tuple((float(x), float(y)) for x, y in square.corners)
    return Found(square, DieReading("spike", "2", corners, 1.0, (("2", 1.0),), reasons), 1.2, 1.0)


def towards_camera(seen_at):
    """The way (2,) from there to the floor right below the camera, and that in degrees."""
    way = (BELOW - seen_at) / np.linalg.norm(BELOW - seen_at)
    return way, np.degrees(np.arctan2(way[1], way[0])) % 90


def lying(at, *reasons):
    """A die of which one side is seen whole, and that side taken for the top of another."""
    way, turn = towards_camera(at)
    seen_at = BELOW + (at - BELOW) * SCENE.enlargement(SIZE)
    foot = at + way * SIZE / 2
    edge = seen_at + way * SIZE / 2 * SCENE.enlargement(SIZE)
    return item(seen_at, turn, *reasons), item((foot + edge) / 2, turn)


def scene(*dice):
    """Where just these ``dice`` changed what is seen."""
    mask = np.zeros(SCENE.empty.shape[:2], np.uint8)
    for die in dice:
        area = filled(mask, SCENE.body(die.square.corners, SIZE), 1.0)
        mask[area.window.part] |= area.mask
    station = SimpleNamespace(bodies=BODIES, tray=SCENE)
    return SimpleNamespace(settings=SceneSettings(), station=station, mask=mask)


def test_a_side_is_no_die():
    die, side = lying(FAR)
    assert without_sides(scene(die), [side, die]) == [die]


def test_a_die_that_hides_that_side_is_one():
    die, before = lying(FAR)
    assert without_sides(scene(die, before), [die, before]) == [die, before]


def test_what_lies_on_the_side_of_a_doubtful_die_is_kept():
    die, side = lying(FAR, Reason.COCKED)
    assert without_sides(scene(die), [die, side]) == [die, side]


def test_below_the_camera_no_side_is_as_large_as_a_top():
    die, side = lying(NEAR)
    assert without_sides(scene(die), [die, side]) == [die, side]


def test_a_die_of_which_little_changed_is_kept_where_it_lies_on_no_side():
    die, _ = lying(FAR)
    other, _ = lying(np.array([14.0, 100.0]))
    assert without_sides(scene(die), [die, other]) == [die, other]


@pytest.mark.parametrize("at", [FAR, NEAR])
def test_nothing_is_missing_of_a_die_that_lies_there(at):
    die, _ = lying(at)
    assert missing(scene(die), die.square, "spike") == pytest.approx(0, abs=0.01)
