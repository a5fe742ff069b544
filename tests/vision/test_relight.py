"""Shadows across a face: taken away where they are, and nothing else with them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.vision.test_prints import FACES, barred, face
from vision.diceset import Kind
from vision.faces import read_symbol
from vision.patch import PATCH
from vision.relight import relit

INNER = np.s_[8:-8, 8:-8]


def shaded(patch, turn, shift=0.0, light=(0.35, 0.38, 0.33), soft=1.5):
    """A patch with the shadow of a straight edge: beyond it ``light`` (3,) is left."""
    y, x = np.mgrid[:PATCH, :PATCH] - (PATCH - 1) / 2
    across = np.cos(np.deg2rad(turn)) * x + np.sin(np.deg2rad(turn)) * y - shift
    dark = 1 / (1 + np.exp(-2 * across / soft))[..., None]
    return np.rint(patch * (1 - dark * (1 - np.array(light)))).astype(np.uint8)


def unlike(one, other):
    """Mean difference of two patches' inner logarithms, however bright each is as a whole."""
    apart = np.subtract(*(np.log(patch[INNER].astype(float) + 12) for patch in (one, other)))
    return float(np.abs(apart - np.median(apart)).mean())


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("turn", [0, 30, 75, 140, 200, 290])
@pytest.mark.parametrize("shift", [-8.0, 0.0, 10.0])
def test_a_shadow_is_taken_away(name, turn, shift):
    whole = FACES[name]
    dark = shaded(whole, turn, shift)
    assert unlike(relit(dark), whole) < 0.3 * unlike(dark, whole)


def test_the_shadow_of_a_bar_is_taken_away():
    whole = FACES["zigzag"]
    dark = barred(whole, 0.3)
    assert unlike(relit(dark), whole) < 0.3 * unlike(dark, whole)


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("turn", range(0, 90, 15))
def test_a_face_in_one_light_stays_as_it_is(name, turn):
    matrix = cv2.getRotationMatrix2D((PATCH / 2, PATCH / 2), turn, 1.0)
    body = tuple(int(v) for v in np.median(FACES[name].reshape(-1, 3), axis=0))
    turned = cv2.warpAffine(FACES[name], matrix, (PATCH, PATCH), borderValue=body)
    assert relit(turned) is turned


@pytest.mark.parametrize("level", [0, 1, 128, 255])
def test_a_patch_without_anything_on_it_stays_as_it_is(level):
    plain = np.full((PATCH, PATCH, 3), level, np.uint8)
    assert relit(plain) is plain


def test_print_that_ends_before_the_rim_is_no_shadow():
    half = face()
    cv2.rectangle(half, (14, 14), (32, 50), (40, 40, 40), cv2.FILLED)
    assert relit(half) is half


def test_a_slope_of_light_is_no_shadow():
    whole = FACES["arrow"].astype(float)
    slope = np.linspace(0.5, 1.0, PATCH)[None, :, None]
    sloping = np.rint(whole * slope).astype(np.uint8)
    assert unlike(relit(sloping), sloping) < 0.02


@pytest.mark.parametrize("turn", [20, 110, 250])
def test_faces_enrolled_and_seen_half_in_shadow_are_read(turn):
    enrolled = {name: [shaded(patch, 45 * n)] for n, (name, patch) in enumerate(FACES.items())}
    kind = Kind.of_symbols("spike", enrolled)
    for name, patch in FACES.items():
        die, _ = read_symbol(shaded(np.ascontiguousarray(np.rot90(patch)), turn), kind, kind.bank)
        assert (die.face, die.reasons) == (name, ())
