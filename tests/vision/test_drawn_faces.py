"""The drawn faces that the network learns from: the same from the same seed, and of six kinds."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.studio.face_art import SIDE, drawings
from fixtures.studio.patches import make_faces, picture
from vision.patch import PATCH


def test_a_seed_gives_the_same_pictures_again():
    first, again = (picture(make_faces(rng), 3, rng) for rng in map(np.random.default_rng, (5, 5)))
    assert first.shape == (PATCH, PATCH, 3)
    assert (first == again).all()


def test_two_looks_at_a_face_differ():
    rng = np.random.default_rng(6)
    faces = make_faces(rng)
    assert (picture(faces, 0, rng) != picture(faces, 0, rng)).any()


@pytest.mark.parametrize("seed", range(8))
def test_a_set_has_six_drawings_none_of_them_blank_or_another(seed):
    masks = drawings(np.random.default_rng(seed))
    assert [mask.shape for mask in masks] == [(SIDE, SIDE)] * 6
    for number, mask in enumerate(masks):
        assert 0.005 < mask.mean() < 0.8
        assert all(np.abs(mask - other).mean() > 0.005 for other in masks[:number])
