"""How prints are seen foreshortened: known squeezes of drawn faces, seen turned."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.test_symbols import FACES, SPOILT, seen
from vision.foreshortening import PLAINLY, Foreshortening, logarithm
from vision.patch import PATCH
from vision.prints import Relief, Strokes
from vision.settings_faces import FaceSettings
from vision.symbols import FaceBank

SETTINGS = FaceSettings()
ONCE, LEVEL = np.ones(1), np.eye(2)
angles = st.floats(0, 2 * np.pi)


def shorter(share, way):
    """The map (2, 2) that makes the direction ``way`` (degrees) shorter by ``share``."""
    along = np.array([np.cos(np.deg2rad(way)), np.sin(np.deg2rad(way))])
    return np.eye(2) - share * np.outer(along, along)


def squeezed(patch, share, way):
    """``patch`` seen through that map about its middle."""
    shape, middle = shorter(share, way), np.full(2, (PATCH - 1) / 2)
    matrix = np.column_stack([shape, middle - shape @ middle])
    return cv2.warpAffine(patch, matrix, (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE)


def errors(told):
    return np.sqrt(np.diag(told.spread))


def spun(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def foretold(share, way):
    return logarithm(shorter(share, way))[None]


@given(st.floats(0.3, 2), st.floats(0.3, 2))
def test_the_logarithm_of_two_lengths_is_their_mean_and_half_their_difference(x, y):
    found = logarithm(np.diag([x, y]))
    size, shape = np.log(x * y) / 2, np.log(x / y) / 2
    assert found == pytest.approx([size, shape, 0.0], abs=1e-9)


@given(st.floats(0.5, 1.5), st.floats(0, 0.6), angles, angles)
def test_a_turn_before_changes_nothing_and_a_turn_after_turns_the_shape(size, share, way, turn):
    pose = size * shorter(share, np.rad2deg(way))
    plain = logarithm(pose)
    assert logarithm(pose @ spun(turn)) == pytest.approx(plain, abs=1e-6)
    after = logarithm(spun(turn) @ pose)
    assert after[0] == pytest.approx(plain[0], abs=1e-6)
    assert after[1:] == pytest.approx(spun(2 * turn) @ plain[1:], abs=1e-6)


def test_of_many_maps_each_has_its_own_logarithm():
    maps = np.stack([np.eye(2), 1.1 * np.eye(2), shorter(0.2, 30)])
    assert logarithm(maps)[1] == pytest.approx([np.log(1.1), 0, 0])
    assert logarithm(maps) == pytest.approx(np.stack([logarithm(one) for one in maps]))


@pytest.fixture(scope="module")
def measure():
    """How a face is seen by all of its print and by its strokes, as the reader takes them."""
    faces = {name: [seen(face)] for name, face in FACES.items()}
    banks = [
        FaceBank.enrol(faces, SETTINGS, view) for view in (Relief(SETTINGS), Strokes(SETTINGS))
    ]

    def told(patch, name, onto=LEVEL):
        return Foreshortening.agreed([one.foreshortening(patch, name, onto) for one in banks])

    return told


@pytest.mark.parametrize("spoilt", SPOILT.values(), ids=SPOILT.keys())
def test_a_level_face_is_as_long_as_wide_however_the_picture_is_spoilt(measure, spoilt):
    for name, face in FACES.items():
        told = measure(seen(face, **spoilt), name)
        assert np.hypot(*told.log[1:] / errors(told)[1:]) < 3.5


SAME_SIZE = {name: how for name, how in SPOILT.items() if "scale" not in how}


@pytest.mark.parametrize("spoilt", SAME_SIZE.values(), ids=SAME_SIZE.keys())
def test_a_level_face_is_a_flat_die_s_however_the_picture_is_spoilt(measure, spoilt):
    for name, face in FACES.items():
        assert measure(seen(face, **spoilt), name).odds(foretold(1 / 6, 40), ONCE) < -1.5


@pytest.mark.parametrize("way", [0, 30, 45, 90])
@pytest.mark.parametrize("turn", [0, 90, 180])
def test_a_face_shorter_one_way_by_a_twelfth_is_told_plainly(measure, way, turn):
    for name, face in FACES.items():
        told = measure(squeezed(seen(face, turn=turn), 1 / 12, way), name)
        assert told.odds(foretold(1 / 12, way), ONCE) > 2.5
        assert told.odds(foretold(1 / 12, way + 90), ONCE) < 1


@pytest.mark.parametrize("share", [1 / 12, 1 / 6, 1 / 4])
def test_a_squeeze_is_measured(measure, share):
    for name, face in FACES.items():
        found = measure(squeezed(seen(face), share, 30), name).log
        assert found == pytest.approx(logarithm(shorter(share, 30)), rel=0.15, abs=0.015)


def test_a_face_that_is_only_smaller_is_smaller_and_as_long_as_wide(measure):
    for name, face in FACES.items():
        told = measure(seen(face, scale=0.93), name)
        assert told.log[0] == pytest.approx(np.log(0.93), abs=0.02 + errors(told)[0])
        assert np.hypot(*told.log[1:] / errors(told)[1:]) < 3.5


@pytest.mark.parametrize("name", FACES)
def test_the_same_squeeze_says_less_where_less_of_the_picture_is_explained(measure, name):
    face = squeezed(seen(FACES[name]), 1 / 12, 0)
    told = []
    for strength in (0, 60, 130):
        noise = np.random.default_rng(3).normal(0, strength, face.shape)
        grain = cv2.GaussianBlur(noise, (0, 0), 2.0)
        spoilt = np.clip(face + grain, 0, 255).astype(np.uint8)
        told.append(float(np.linalg.norm(errors(measure(spoilt, name)))))
    assert told[0] < told[1] < told[2]


def worn(patch, seed, wide, strength=40.0):
    """``patch`` with spots ``wide`` pixels in sigma, whose strength is the same however wide."""
    noise = np.random.default_rng(seed).normal(0, 1, (*patch.shape[:2], 1))
    spots = cv2.GaussianBlur(noise, (0, 0), wide) if wide else noise[..., 0]
    spots = spots / spots.std() * strength
    return np.clip(patch + spots[..., None], 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", FACES)
def test_wear_in_spots_makes_the_shape_less_sure_than_as_much_fine_grain(measure, name):
    fine, coarse = (
        np.median([errors(measure(worn(seen(FACES[name]), k, wide), name)) for k in range(5)], 0)
        for wide in (0.0, 2.5)
    )
    assert (coarse > fine)[1:].all()


@pytest.mark.parametrize("name", FACES)
def test_worn_faces_are_off_by_about_as_much_as_is_said(measure, name):
    told = [measure(worn(seen(FACES[name]), k, 2.5), name) for k in range(40)]
    off = np.array([one.log / errors(one) for one in told])
    assert (np.abs(off) < 1).mean() > 0.5
    assert (np.abs(off) < 3).mean() > 0.9
    assert np.median(np.abs(off)) > 0.2


def test_what_is_measured_in_a_patch_is_told_of_the_picture_it_was_cut_from(measure):
    face = squeezed(seen(FACES["bolt"]), 1 / 6, 50)
    in_patch = measure(face, "bolt").log
    told = measure(face, "bolt", 1.1 * spun(0.4)).log
    assert told[0] == pytest.approx(in_patch[0] + np.log(1.1))
    assert told[1:] == pytest.approx(spun(0.8) @ in_patch[1:])


def measured(way, error=0.01):
    return Foreshortening(logarithm(way), error**2 * np.eye(3))


def test_by_how_much_two_views_of_a_print_differ_they_are_wrong():
    one, other = measured(np.eye(2)), measured(0.9 * np.eye(2))
    both = Foreshortening.agreed([one, other])
    assert both.log == pytest.approx([np.log(0.9) / 2, 0, 0])
    assert errors(both) == pytest.approx([np.hypot(0.01, np.log(0.9) / 2), 0.01, 0.01])
    assert Foreshortening.agreed([one, one]).spread == pytest.approx(one.spread)


def test_a_print_is_as_a_tipped_cube_foretells_or_as_a_flat_one():
    tipped, flat = measured(shorter(0.12, 20)), measured(LEVEL)
    told = foretold(0.12, 20)
    assert tipped.odds(told, ONCE) == pytest.approx(-flat.odds(told, ONCE))
    assert tipped.odds(told, ONCE) > 3
    rough = measured(shorter(0.12, 20), error=0.1)
    assert 0 < rough.odds(told, ONCE) < 1
    halfway = measured(shorter(0.0618, 20))
    assert abs(halfway.odds(told, ONCE)) < 0.3


def test_a_cube_tipped_towards_a_camera_aslant_foretells_a_longer_print():
    longer = measured(shorter(-0.06, 20))
    assert longer.odds(foretold(-0.06, 20), ONCE) > 1.5
    assert longer.odds(foretold(0.06, 20), ONCE) < -0.5


def test_a_print_of_another_size_is_no_flat_die_s_though_it_is_as_long_as_wide():
    smaller = measured(0.93 * np.eye(2))
    assert smaller.odds(logarithm(0.93 * np.eye(2))[None], ONCE) > 3


def test_where_a_cube_foretells_hardly_anything_a_print_hardly_tells():
    assert abs(measured(np.eye(2)).odds(foretold(0.005, 20), ONCE)) < 0.3


def test_of_several_ways_the_likely_ones_count():
    seen_so = measured(shorter(0.12, 20), error=0.04)
    ways = np.concatenate([foretold(0.12, 20), foretold(0.12, 110)])
    both = seen_so.odds(ways, np.ones(2))
    assert seen_so.odds(ways, np.array([1.0, 0.1])) > both > seen_so.odds(ways, np.array([0.1, 1]))
    assert both == pytest.approx(seen_so.odds(ways[:1], ONCE) - np.log(2), abs=0.1)


def test_however_far_it_is_off_a_print_says_no_more_than_is_believed_of_one():
    absurd = measured(shorter(0.6, 20), error=0.001)
    assert absurd.odds(foretold(0.6, 20), ONCE) == PLAINLY
    assert measured(np.eye(2), error=0.001).odds(foretold(0.6, 20), ONCE) == -PLAINLY
