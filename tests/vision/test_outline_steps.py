"""A line drawn on the floor is no edge of the tray, however straight and clear it is."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.test_outline import LOOKS, SETTINGS, drawn, error, pixels, tray
from vision.outline import UNCLEAR, find_outline
from vision.outline_box import Edge
from vision.outline_steps import steps

SAMPLES = SETTINGS.samples
ROW = np.column_stack([np.linspace(40, 160, SAMPLES), np.full(SAMPLES, 60.0)])[None]
DOWN = np.tile([0.0, 1.0], (1, SAMPLES, 1))


def level(*bands):
    """A levelled picture whose rows from each (first, value) on have that value."""
    seen = np.full((120, 200, 3), 96.0, np.float32)
    for first, value in bands:
        seen[first:] = value
    return cv2.GaussianBlur(seen, (0, 0), 0.8)


@pytest.mark.parametrize(
    ("bands", "least", "most"),
    [
        ([(60, 86.4)], 0.09, 0.11),  # another surface, a tenth darker
        ([(60, (96.0, 96.0, 57.6))], 0.2, 0.26),  # another in one colour only
        ([(59, 30.0), (62, 96.0)], 0.0, 0.01),  # a dark line on one
        ([(59, 30.0), (62, 92.2)], 0.03, 0.05),  # a seam between two planks
    ],
)
def test_what_parts_two_surfaces_is_told_from_a_line_on_one(bands, least, most):
    (found,) = steps(level(*bands), ROW, DOWN, SETTINGS)
    assert least <= found <= most


def test_what_lies_across_a_part_of_a_line_is_not_what_is_usual_beside_it():
    seen = level()
    seen[:60, 40:90] = 20.0
    (found,) = steps(seen, ROW, DOWN, SETTINGS)
    assert found < 0.01


def test_each_line_is_told_by_itself():
    both = np.concatenate([ROW, ROW + np.array([0.0, 30.0])])
    found = steps(level((60, 72.0)), both, np.tile(DOWN, (2, 1, 1)), SETTINGS)
    assert found == pytest.approx([0.25, 0.0], abs=0.01)


# Walls much like the floor, as of a tray of one material.
ALIKE = {"floor": (60, 90, 120), "inner": (48, 74, 98), "top": (70, 104, 138), "table": (85,) * 3}


FRAMES = (0.2, 0.24, 0.3)  # of the way to the floor's middle: as clear as floor, rim and outside


def framed_tray(tilt, azimuth):
    """A picture of such a tray with frames printed on its floor, and the floor's corners."""
    camera, box = tray(tilt, azimuth)
    picture, floor = drawn(camera, box, ALIKE), pixels(camera, box, Edge.FLOOR)
    for share in FRAMES:
        inner = floor + (floor.mean(axis=0) - floor) * share
        cv2.polylines(picture, [np.rint(inner).astype(np.int32)], True, (150, 170, 190), 2)
    return picture, floor


@pytest.mark.parametrize(("tilt", "azimuth"), [(14, -50)])
def test_frames_printed_on_the_floor_are_not_taken_for_the_tray(tilt, azimuth):
    picture, floor = framed_tray(tilt, azimuth)
    outline = find_outline([picture])
    assert error(outline, floor) < 5  # the frames lie 60 to 120 pixels further in


@pytest.mark.parametrize(("tilt", "azimuth"), [(8, 70), (14, -50)])
def test_where_lines_alone_speak_for_a_frame_the_dealer_is_asked(tilt, azimuth):
    picture, _ = framed_tray(tilt, azimuth)
    assert not find_outline([picture]).found


def test_seen_from_straight_above_no_frame_is_found_for_certain():
    """OpenCV's releases propose different boxes there: the tray itself, or only frames."""
    picture, floor = framed_tray(0, 0)
    outline = find_outline([picture])
    assert not outline.found or error(outline, floor) < 5


LINES_ALONE = replace(SETTINGS, parting=1e-6)


def test_by_lines_alone_a_frame_is_the_tray():
    """What all of this is for: were each line an edge, a frame would be found for certain."""
    picture, floor = framed_tray(0, 0)
    outline = find_outline([picture], replace(LINES_ALONE, one_hue=0.0))
    assert outline.found
    assert error(outline, floor) > 50


def test_frames_are_told_by_the_floor_that_lies_between_them():
    picture, floor = framed_tray(0, 0)
    outline = find_outline([picture], LINES_ALONE)
    assert outline.reasons == (UNCLEAR,)
    assert error(outline, floor) > 50


@pytest.mark.parametrize(
    ("top", "found"),
    [((60, 110, 60), False), ((66, 121, 66), False), ((120, 220, 120), True), ((60, 95, 75), True)],
)
def test_a_tray_whose_walls_look_like_its_floor_is_left_to_the_dealer(top, found):
    camera, box = tray(8, 30)
    assert find_outline([drawn(camera, box, LOOKS | {"top": top})]).found is found
