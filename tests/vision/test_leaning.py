"""Which cube explains a die's edges: one that lies flat or one that is tipped."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.drawn_cubes import SIZE, neighbour, standing, tray
from vision.patch import MARGIN
from vision.seen import printed_at
from vision.settings_leaning import LeaningSettings
from vision.squares import Square
from vision.station import Body


def gain(tip, shown, beside, **where):
    """Of the held cube tipped the way that explains most; 0 where nothing may hold one."""
    ways = standing(tip, shown, beside, **where).explained()
    return next((way.gain for way in ways if way.held), 0.0)


def depth(way, other):
    """How far in mm the middle of the raised edge of a tipped cube is within another die."""
    x, y, yaw, tip = way.tipped
    out = SIZE * (np.cos(tip) - 0.5)
    edge = np.array([x + out * np.cos(yaw), y + out * np.sin(yaw)], np.float32)
    return cv2.pointPolygonTest(other.foot, (float(edge[0]), float(edge[1])), True)


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("shift", [(0, 0), (140, -90)])
@pytest.mark.parametrize("yaw", [0.0, 25.0, 70.0])
def test_a_flat_die_is_best_explained_flat(yaw, shift, shown):
    around = [neighbour(0.0, yaw, way=way) for way in (0.0, 90.0, 180.0, 270.0)]
    assert gain(0.0, shown, around, yaw=yaw, shift=shift) < 0.3


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize(
    ("tip", "yaw"), [(16.0, 25.0), (24.0, 115.0), (35.0, 200.0), (24.0, 290.0)]
)
def test_a_tipped_die_is_best_explained_tipped(tip, yaw, shown):
    assert gain(tip, shown, [neighbour(tip, yaw)], yaw=yaw) > 0.6


def crooked(die, turn):
    """``die`` with an outline found that is turned by ``turn`` degrees more than its face is."""
    way, middle = np.deg2rad(turn), die.face.mean(axis=0)
    spin = np.array([[np.cos(way), np.sin(way)], [-np.sin(way), np.cos(way)]])
    return replace(die, face=np.float32((die.face - middle) @ spin + middle))


@pytest.mark.parametrize("turn", [-16.0, 16.0])
def test_a_print_tells_how_a_die_is_turned_where_its_outline_takes_in_a_side(turn):
    """Begun so crooked, a tipped cube explains hardly more than a flat one."""
    tipped, flat = (
        standing(tip, True, [neighbour(24.0, way=way) for way in (0.0, 180.0)])
        for tip in (16.0, 0.0)
    )
    straight = tipped.explained()[0].gain
    assert crooked(tipped, turn).explained()[0].gain == pytest.approx(straight, abs=0.1)
    assert crooked(flat, turn).explained()[0].gain < 0.3


def test_a_steep_die_is_found_by_its_narrow_print_where_its_raised_side_is_left_out():
    """What is found then is the top alone, further from what holds the die than usual."""
    tip = 47.0
    narrow = 1 / np.cos(np.deg2rad(tip))
    held = [neighbour(tip, 0.0)]
    as_seen, as_wide = (gain(tip, True, held, stretch=s, yaw=0.0) for s in (narrow, 1.0))
    assert as_seen > as_wide + 1.0


def test_a_print_a_little_narrow_is_enough_to_try_the_top_alone():
    """From aslant a top that leans towards the camera is hardly narrower than wide."""
    assert gain(47.0, True, [neighbour(47.0, 0.0)], stretch=1.04, yaw=0.0) > 0.6


def test_a_die_is_held_only_where_something_is_under_its_raised_edge():
    assert gain(24.0, True, []) == 0.0
    assert gain(24.0, True, [neighbour(24.0, gap=9.0)]) == 0.0
    held, away = neighbour(24.0), neighbour(24.0, way=180.0)
    assert gain(24.0, True, [away]) < gain(24.0, True, [held]) / 2


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("tip", [12.0, 24.0])
def test_a_die_may_lean_with_its_top_against_another_and_something_small_under_it(tip, shown):
    leant = SIZE * np.sin(np.deg2rad(tip))
    against, away = (neighbour(tip, way=180.0, gap=leant + gap) for gap in (0.5, 9.0))
    assert gain(tip, shown, [against]) > 0.6
    assert gain(tip, shown, [away]) <= 0.0
    assert gain(0.0, shown, [neighbour(0.0, way=180.0)]) < 0.3
    found, held = (standing(tip, shown, [by]).explained()[0] for by in (against, neighbour(tip)))
    assert found.leant
    assert not held.leant


@pytest.mark.parametrize("tip", [16.0, 35.0])
def test_no_raised_edge_is_within_another_die(tip):
    """What holds a die is beside it: only as much of it is overlapped as feet are seen wrong."""
    near, within = (neighbour(tip, gap=-share * SIZE) for share in (0.1, 0.45))
    assert gain(tip, True, [near]) > 0.6
    ways = standing(tip, True, [within]).explained()
    most = LeaningSettings().within * SIZE
    assert all(depth(way, within) <= most + 0.01 for way in ways)
    assert ways[0].gain < gain(tip, True, [near]) - 0.3


def test_a_raised_edge_may_lie_upon_a_lower_die():
    """Tipped by 40 degrees, the edge is 10.3 mm high."""
    low, high = (neighbour(40.0, gap=-6.0, size=size) for size in (10.0, 16.0))
    upon, beside = (standing(40.0, True, [other]).explained()[0] for other in (low, high))
    assert upon.gain > beside.gain + 0.3
    assert depth(upon, low) > LeaningSettings().within * SIZE >= depth(beside, high) - 0.01


def test_other_dice_are_seen_as_high_as_they_are():
    low, high = (neighbour(24.0, size=size) for size in (10.0, 20.0))
    outlines = [np.ptp(outline, axis=0) for outline in standing(24.0, True, [low, high]).others()]
    per_mm = standing(24.0, True, []).tray.settings.scale
    widths = [outline.max() / per_mm for outline in outlines]
    assert widths[0] > 10.0
    assert widths[1] > 20.0
    assert widths[1] - widths[0] > 10.0


def test_the_cubes_that_explain_a_die_are_told():
    explained = standing(24.0, True, [neighbour(24.0)]).explained()[0]
    assert explained.flat[3] == 0
    assert np.rad2deg(explained.tipped[2:]) == pytest.approx([25.0, 24.0], abs=4.0)
    assert explained.held


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize(("tip", "yaw"), [(16.0, 25.0), (24.0, 115.0), (24.0, 290.0)])
def test_a_die_that_stands_alone_may_be_tipped_over_something_small_that_it_hides(tip, yaw, shown):
    ways = standing(tip, shown, [], yaw=yaw).explained()
    assert not any(way.held or way.leant for way in ways)
    assert ways[0].gain > 0.6
    assert np.rad2deg(ways[0].tipped[3]) == pytest.approx(tip, abs=LeaningSettings().tip_error)


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("yaw", [0.0, 25.0, 70.0])
def test_a_flat_die_that_stands_alone_is_best_explained_flat(yaw, shown):
    assert all(way.gain < 0.3 for way in standing(0.0, shown, [], yaw=yaw).explained())


def test_what_stands_beside_a_die_holds_it_only_the_way_it_is_tipped_towards_that():
    ways = standing(24.0, True, [neighbour(24.0, gap=1.5)]).explained()
    assert len(ways) == 4
    assert ways[0].held
    assert not all(way.held for way in ways)


def test_each_way_in_which_a_die_is_held_is_explained_the_likeliest_first():
    held = [neighbour(24.0, way=way) for way in (0.0, 90.0, 180.0)]
    ways = standing(24.0, True, held).explained()
    assert [way.gain for way in ways] == sorted((way.gain for way in ways), reverse=True)
    turned = np.rad2deg([way.tipped[2] for way in ways]) - 25.0
    assert turned[0] == pytest.approx(0.0, abs=4.0)
    quarters = list(np.rint(turned / 90) % 4)
    assert sorted(quarters) == [0, 1, 2, 3]
    assert {quarter for quarter, way in zip(quarters, ways, strict=True) if way.held} >= {0, 1, 2}


def test_ways_that_do_not_come_to_what_is_asked_for_are_left_out():
    die = standing(24.0, True, [neighbour(24.0, way=way) for way in (0.0, 90.0, 180.0)])
    best, second, *_ = [way.gain for way in die.explained()]
    assert [way.gain for way in die.explained((best + second) / 2)] == [best]


@pytest.mark.parametrize("tip", [16.0, 24.0, 35.0])
def test_a_tipped_top_under_the_camera_is_foretold_as_narrow_as_it_is_tipped(tip):
    die = standing(tip, True, [neighbour(tip)])
    tops, likely = die.foretold(die.explained()[0].tipped)
    size, *shape = tops[likely.argmax()]
    narrow = -np.log(np.cos(np.deg2rad(tip)))
    assert 2 * np.hypot(*shape) == pytest.approx(narrow, abs=0.07)
    assert size == pytest.approx(-narrow / 2, abs=0.04)


def test_a_flat_top_is_foretold_as_it_lies():
    die = standing(0.0, True, [neighbour(0.0)])
    flat = replace(die, settings=replace(die.settings, tip_error=0.0, least_tip=0.0))
    tops, _ = flat.foretold(die.explained()[0].flat)
    assert np.abs(tops).max() < 1e-4


def test_a_top_is_foretold_for_every_tip_and_turn_that_it_may_have():
    die = standing(24.0, True, [neighbour(24.0)])
    tops, likely = die.foretold(die.explained()[0].tipped)
    assert len(tops) == len(likely) == 15
    assert likely.max() == 1.0
    steeper = np.argsort(tops[:, 0])  # foreshortened more: less likely, as is what is hardly so
    assert likely[steeper[[0, -1]]].max() < 0.2


def test_the_faces_of_a_cube_are_those_the_camera_sees():
    die = standing(24.0, True, [neighbour(24.0)])
    explained = die.explained()[0]
    seen = dict(die.faces(explained.tipped))
    assert {0, 4} <= set(seen)  # the raised side and the top
    assert not {1, 5} & set(seen)  # the side it is turned away from, and the bottom
    for corners in seen.values():
        assert cv2.isContourConvex(corners)  # round the face, not across it


def test_a_wall_holds_a_die():
    at = (200 - SIZE * np.cos(np.deg2rad(24.0)) + SIZE / 2 - 0.5, 80.0)
    assert gain(24.0, True, [], yaw=0.0, at=at) > 0.6


def test_a_print_shows_the_corners_of_its_face():
    scene = tray(np.float32((0, 0)))
    sharp = SIZE * scene.enlargement(SIZE) * scene.settings.scale
    square = Square(300.0, 260.0, 44.0, 20.0, 1.0)
    body = Body(44.0, SIZE, 0.1)
    same = printed_at(square, np.eye(3), body, scene)
    assert same == pytest.approx(Square(300.0, 260.0, sharp, 20.0, 1.0).corners, abs=0.01)
    quarter = 0.25 / (1 + 2 * MARGIN)
    aside = printed_at(square, np.array([[1, 0, quarter], [0, 1, 0], [0, 0, 1]]), body, scene)
    moved = 0.25 * 22 * np.array([np.cos(np.deg2rad(20)), np.sin(np.deg2rad(20))])
    assert aside - same == pytest.approx(np.tile(moved, (4, 1)), abs=0.01)
