"""How surely prints are seen longer than wide: known squeezes of drawn faces, seen turned."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.test_symbols import FACES, SPOILT, seen
from vision.patch import PATCH
from vision.prints import Strokes
from vision.settings_faces import FaceSettings
from vision.stretch import Stretch
from vision.symbols import FaceBank

SETTINGS = FaceSettings()
LEVEL, PLAIN = 3.5, 5.0  # standard errors: at most, at least


@pytest.fixture(scope="module")
def bank():
    faces = {name: [seen(face)] for name, face in FACES.items()}
    return FaceBank.enrol(faces, SETTINGS, Strokes(SETTINGS))


def squeezed(patch, share, way):
    """``patch`` with the direction ``way`` (degrees) made shorter by ``share`` about its middle."""
    along = np.array([np.cos(np.deg2rad(way)), np.sin(np.deg2rad(way))])
    shape = np.eye(2) - share * np.outer(along, along)
    middle = np.full(2, (PATCH - 1) / 2)
    matrix = np.column_stack([shape, middle - shape @ middle])
    return cv2.warpAffine(patch, matrix, (PATCH, PATCH), borderMode=cv2.BORDER_REPLICATE)


@pytest.mark.parametrize("spoilt", SPOILT.values(), ids=SPOILT.keys())
def test_a_level_face_is_seen_square_however_the_picture_is_spoilt(bank, spoilt):
    told = [bank.stretch(seen(face, **spoilt), name).in_errors for name, face in FACES.items()]
    assert np.median(told) < 1.5
    assert max(told) < LEVEL


@pytest.mark.parametrize("way", [0, 30, 45, 90])
@pytest.mark.parametrize("turn", [0, 90, 180])
def test_a_face_shorter_one_way_by_a_twelfth_is_told_plainly(bank, way, turn):
    told = [
        bank.stretch(squeezed(seen(face, turn=turn), 1 / 12, way), name).in_errors
        for name, face in FACES.items()
    ]
    assert min(told) > PLAIN


@pytest.mark.parametrize("share", [1 / 12, 1 / 6, 1 / 4])
def test_a_squeeze_is_measured(bank, share):
    for name, face in FACES.items():
        found = bank.stretch(squeezed(seen(face), share, 30), name)
        assert found.log == pytest.approx(-np.log(1 - share), rel=0.15, abs=0.03)


def test_a_print_is_short_of_a_stretch_that_it_does_not_show():
    seen_so = Stretch(log=0.02, error=0.015)
    assert seen_so.short_of(0.01) == 0
    assert seen_so.short_of(0.03) < 1  # as likely as not
    assert seen_so.short_of(0.30) > 2.5  # a cube tipped by 42 degrees, seen from above
    rough = Stretch(log=0.02, error=0.15)
    assert rough.short_of(0.30) < seen_so.short_of(0.30)


def test_a_face_that_is_only_smaller_is_not_stretched(bank):
    told = [bank.stretch(seen(face, scale=0.93), name).in_errors for name, face in FACES.items()]
    assert max(told) < LEVEL


@pytest.mark.parametrize("name", FACES)
def test_the_same_squeeze_says_less_where_less_of_the_picture_is_explained(bank, name):
    face = squeezed(seen(FACES[name]), 1 / 12, 0)
    told = []
    for strength in (0, 60, 130):
        noise = np.random.default_rng(3).normal(0, strength, face.shape)
        grain = cv2.GaussianBlur(noise, (0, 0), 2.0)
        spoilt = np.clip(face + grain, 0, 255).astype(np.uint8)
        told.append(bank.stretch(spoilt, name).in_errors)
    assert told[0] > told[1] > told[2]
