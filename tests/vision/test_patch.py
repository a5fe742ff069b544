"""Cutting faces out of pictures: corners known, and corners to be found."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.patch import MARGIN, PATCH, clockwise, cut, find_face, nearest

FELT, BODY, SIDE, INK = (60, 90, 40), (200, 215, 225), (110, 125, 135), (40, 35, 30)


def picture(quad, side_quad=None, size=(120, 120), framed=False):
    """A die with its top face at ``quad``, drawn large and averaged down; ink off its centre."""
    big = np.full((size[1] * 4, size[0] * 4, 3), FELT, np.uint8)
    scaled = [None if q is None else np.rint((np.array(q) + 0.5) * 4) for q in (side_quad, quad)]
    for corners, colour in zip(scaled, (SIDE, BODY), strict=True):
        if corners is not None:
            cv2.fillPoly(big, [corners.astype(np.int32)], colour, cv2.LINE_AA)
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    to_face = cv2.getPerspectiveTransform(unit, scaled[1].astype(np.float32))
    ink = [[0.14, 0.14], [0.86, 0.14], [0.86, 0.86], [0.14, 0.86]] if framed else None
    for marks in (ink, [[0.25, 0.2], [0.6, 0.2], [0.6, 0.45], [0.25, 0.45]]):
        if marks is not None:
            spots = cv2.perspectiveTransform(np.array([marks], np.float32), to_face)
            colour = INK if marks is ink or not framed else BODY
            cv2.fillPoly(big, [np.rint(spots).astype(np.int32).reshape(-1, 2)], colour)
    return cv2.resize(big, size, interpolation=cv2.INTER_AREA)


def turned(side=60.0, degrees=0.0, centre=(60.0, 60.0)):
    angle = np.radians(degrees + np.array([225, 315, 45, 135]))
    return np.stack([np.cos(angle), np.sin(angle)], 1) * side / np.sqrt(2) + centre


def worst_corner(found, true):
    """Largest distance of matching corners, whichever corner comes first."""
    found, true = clockwise(found), clockwise(true)
    gaps = [np.abs(np.roll(found, k, 0) - true).max() for k in range(4)]
    return min(gaps)


def test_cut_shows_the_face_upright_with_its_margin():
    patch = cut(picture(turned(degrees=30)), turned(degrees=30))
    assert patch.shape == (PATCH, PATCH, 3)
    assert patch.dtype == np.uint8
    rim = MARGIN / (1 + 2 * MARGIN) * PATCH
    at = [int(rim + share * (PATCH - 2 * rim)) for share in (0.42, 0.32)]
    assert np.abs(patch[at[1], at[0]].astype(int) - INK).max() < 12
    assert np.abs(patch[PATCH * 3 // 4, PATCH * 3 // 4].astype(int) - BODY).max() < 12


def test_cut_follows_the_first_corner_by_quarter_turns():
    quad = turned(side=62)
    image = picture(quad)
    first, second = cut(image, quad), cut(image, np.roll(quad, -1, axis=0))
    assert np.abs(np.rot90(first).astype(int) - second).mean() < 3


def test_cut_takes_corners_in_either_direction_and_as_lists():
    quad = turned(degrees=20)
    back = [list(quad[i]) for i in (0, 3, 2, 1)]
    assert (cut(picture(quad), back) == cut(picture(quad), quad)).all()


def test_cut_averages_fine_print_down():
    stripes = np.zeros((400, 400, 3), np.uint8)
    stripes[:, ::2] = 255
    patch = cut(stripes, np.array([[10, 10], [390, 10], [390, 390], [10, 390]]))
    assert patch.std() < 40


@pytest.mark.parametrize(
    "quad", [[[5, 5]] * 4, [[0, 0], [9, 9], [18, 18], [27, 27]], [[np.nan] * 2] * 4]
)
def test_cut_refuses_corners_without_area(quad):
    with pytest.raises(ValueError, match="four corners"):
        cut(np.zeros((40, 40, 3), np.uint8), np.array(quad))


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


def test_a_spot_shows_the_nearest_pixel_and_beyond_the_rim_that_of_the_rim():
    picture = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    spots = np.array([[(1.4, 1.6), (2.6, 0.4)], [(-5, -5), (9, 1.2)]], np.float32)
    expected = picture[[[2, 0], [0, 1]], [[1, 3], [0, 3]]]
    assert (nearest(picture, spots) == expected).all()
