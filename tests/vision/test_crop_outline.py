"""Outlines of top faces in crops of one die."""

import cv2
import numpy as np
import pytest

from tests.vision.drawn import BODY, picture, pipped, turned, worst_corner
from vision.crop_outline import Faces, Outline
from vision.crop_search import FindSettings


def find_face(shown):
    """The corners of the likeliest outline, None where none is seen."""
    found = Faces(shown).every
    return found[0].corners if found else None


@pytest.mark.parametrize("degrees", [0, 13, 30, 45, 62, 80])
@pytest.mark.parametrize("framed", [False, True])
def test_find_face_finds_a_turned_square(degrees, framed):
    quad = turned(degrees=degrees)
    found = find_face(picture(quad, framed=framed))
    assert worst_corner(found, quad) < 60 * 0.10


def test_find_face_prefers_the_top_to_the_sides():
    top = np.array([[35, 28], [88, 30], [87, 82], [34, 80]], float)
    side = np.array([[35, 28], [88, 30], [90, 100], [32, 98]], float)
    found = find_face(picture(top, side))
    assert worst_corner(found, top) < 54 * 0.12


@pytest.mark.parametrize("degrees", [0, 17, 33, 50, 71])
def test_a_face_with_pips_near_its_rim_is_found_where_all_sizes_are_looked_at(degrees):
    shown, quad = pipped(degrees)
    faces = Faces(shown)
    assert worst_corner(faces.every[0].corners, quad) < 72 * 0.05
    assert worst_corner(faces.plain[0].corners, quad) > 72 * 0.2


def test_find_face_works_on_small_crops():
    quad = turned(side=60, degrees=25)
    small = cv2.resize(picture(quad), (44, 44), interpolation=cv2.INTER_AREA)
    found = (find_face(small) + 0.5) * 120 / 44 - 0.5
    assert worst_corner(found, quad) < 60 * 0.12


def test_find_face_takes_crops_that_are_not_square():
    quad = turned(side=50, degrees=10, centre=(70, 40))
    found = find_face(picture(quad, size=(140, 80)))
    assert worst_corner(found, quad) < 50 * 0.12


def test_find_face_sees_nothing_in_an_even_picture():
    assert find_face(np.full((60, 60, 3), 128, np.uint8)) is None


def test_a_crop_too_narrow_for_any_face_shows_none():
    faces = Faces(np.random.default_rng(1).integers(0, 255, (12, 200, 3), np.uint8))
    assert faces.plain == faces.every == []


def side_like_top():
    """A die whose side is hardly darker than its top: the picture, the top, both together."""
    top = np.array([[32, 40], [84, 40], [84, 92], [32, 92]], float)
    body = np.array([[32, 22], [84, 22], [84, 92], [32, 92]], float)
    return picture(top, body, side=tuple(int(0.93 * value) for value in BODY)), top, body


def test_a_side_lit_nearly_as_the_top_is_not_taken_for_a_part_of_it():
    shown, top, body = side_like_top()
    assert worst_corner(find_face(shown), top) < 52 * 0.1
    by_edges = FindSettings(shape_weight=0.0, aside_weight=0.0, print_weight=0.0)
    assert worst_corner(Faces(shown, by_edges).every[0].corners, body) < 52 * 0.1


def test_no_outline_reaches_beyond_the_crop():
    shown = picture(turned(side=64, degrees=40))
    cv2.line(shown, (0, 8), (119, 0), (230, 230, 230), 3)
    cv2.line(shown, (0, 119), (119, 112), (230, 230, 230), 3)
    corners = np.concatenate([outline.corners for outline in Faces(shown).every])
    assert corners.min() > -8
    assert corners.max() < 127
    assert worst_corner(find_face(shown), turned(side=64, degrees=40)) < 6


def test_outlines_come_likeliest_first_and_differ():
    found = Faces(side_like_top()[0]).every
    assert len(found) > 1
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for number, one in enumerate(found):
        assert all(one.apart(other) > 0.1 for other in found[:number])


def test_an_outline_lies_as_far_from_another_whichever_corner_comes_first():
    one, other = (Faces(picture(turned(degrees=d))).every[0] for d in (0, 12))
    assert one.apart(other) == pytest.approx(0.148, abs=0.03)  # 2 sin(6 deg) / sqrt(2)


def test_a_square_is_foreshortened_as_it_is_seen():
    square = np.array([(0, 0), (10, 0), (10, 10), (0, 10)], np.float32)
    turned = np.array([[0.6, 0.8], [-0.8, 0.6]])
    for narrow in (1.0, 0.7, 0.4):
        seen = square @ np.array([[0.6, -0.8], [0.8, 0.6]]) * (1, narrow) @ turned
        assert Outline(seen, 0.0).foreshortened == pytest.approx(narrow, abs=1e-6)
