"""Areas in their windows say what masks of the whole picture would."""

import cv2
import numpy as np
import pytest

from vision.halo import filled
from vision.segment import disc, objects
from vision.window import Area, Window, widened

PICTURE = np.zeros((90, 120), np.uint8)
MIDDLES = [(60, 45), (3, 45), (60, 88), (119, 0), (-30, 40), (300, 300)]  # some beyond the picture


def whole(area):
    mask = np.zeros_like(PICTURE)
    mask[area.window.part] = area.mask
    return mask


def diamond(middle, reach=14.3):
    arms = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)], np.float32)
    return np.asarray(middle, np.float32) + reach * arms


@pytest.mark.parametrize("middle", MIDDLES)
@pytest.mark.parametrize("grow", [0.5, 2.1, 12.0])
def test_an_outline_is_filled_as_on_the_whole_picture(middle, grow):
    expected = PICTURE.copy()
    cv2.fillConvexPoly(expected, np.rint(diamond(middle)).astype(np.int32), (255.0,))
    expected = cv2.dilate(expected, disc(2 * grow))
    assert np.array_equal(whole(filled(PICTURE, diamond(middle), grow)), expected)


@pytest.mark.parametrize("middle", MIDDLES)
def test_an_area_counts_and_clears_as_a_mask_of_the_whole_picture(middle):
    mask = PICTURE.copy()
    mask[20:70, 40:100] = 255
    area = filled(PICTURE, diamond(middle), 2.0)
    inside = whole(area) > 0
    assert area.common(mask) == np.count_nonzero(mask[inside])
    assert area.beyond(mask) == np.count_nonzero(mask[inside] == 0)
    assert area.share(mask) == pytest.approx(np.count_nonzero(mask[inside]) / max(inside.sum(), 1))
    assert np.array_equal(area.taken_off(mask), np.where(inside, 0, mask))


def test_what_is_true_in_a_window_becomes_the_least_area():
    true = np.zeros((10, 20), bool)
    true[4:6, 7:11] = True
    area = Area.where(true, Window(30, 50, 20, 10))
    assert area.window == Window(37, 54, 4, 2)
    assert area.mask.all()
    assert Area.where(np.zeros((10, 20), bool), Window(30, 50, 20, 10)).window.empty


def test_windows_that_do_not_meet_share_nothing():
    assert Window(0, 0, 10, 10).within(Window(10, 0, 5, 5)).empty
    assert Window(0, 0, 10, 10).grown(-5, -5).empty


def test_objects_lie_where_they_lay_in_the_picture():
    mask = PICTURE.copy()
    mask[30:40, 50:60] = 255
    mask[60:64, 100:104] = 255
    large, small = objects(mask, 10)
    assert np.array_equal(large | small, mask)
    assert large[35, 55] == 255
    assert not objects(PICTURE, 0)


@pytest.mark.parametrize("middle", MIDDLES)
@pytest.mark.parametrize("diameter", [1, 6, 41, 150])
def test_a_mask_is_widened_as_on_the_whole_picture(middle, diameter):
    mask = PICTURE.copy()
    cv2.fillConvexPoly(mask, np.rint(diamond(middle)).astype(np.int32), (255.0,))
    brush = disc(diameter)
    assert np.array_equal(widened(mask, brush), cv2.dilate(mask, brush))
