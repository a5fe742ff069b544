"""Cutting faces out of pictures: corners known, and corners to be found."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.drawn import BODY, INK, picture, turned
from vision.patch import MARGIN, PATCH, between, cut, nearest, usual


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


def test_a_spot_shows_the_nearest_pixel_and_beyond_the_rim_that_of_the_rim():
    picture = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    spots = np.array([[(1.4, 1.6), (2.6, 0.4)], [(-5, -5), (9, 1.2)]], np.float32)
    expected = picture[[[2, 0], [0, 1]], [[1, 3], [0, 3]]]
    assert (nearest(picture, spots) == expected).all()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_what_most_pictures_show_is_their_median(count):
    shape = (count, 5, 7, 3)
    pictures = np.random.default_rng(count).integers(0, 256, shape).astype(np.uint8)
    assert np.array_equal(usual(list(pictures)), np.median(pictures, axis=0).astype(np.uint8))


def test_between_pixels_are_mixed_and_beyond_the_rim_is_as_the_rim():
    ramp = np.tile(np.arange(8, dtype=np.float32), (4, 1))
    spots = np.array([[[2.25, 1.0], [-3.0, 2.0], [9.0, 0.0]]], np.float32)
    assert between(ramp, spots) == pytest.approx(np.array([[2.25, 0.0, 7.0]]))
