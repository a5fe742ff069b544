"""What the network sees of a die that may lean, and what it says."""

import logging
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from tests.vision.drawn_cubes import neighbour, standing
from vision import leaning_sight
from vision.leaning_sight import MODEL, network, sight
from vision.leaning_view import CHANNELS, FACE, SIDE, view

FLAT_CUBE, TIPPED_CUBE, OTHERS, PRINT = 6, 7, 8, 9
KNOWN = [-1.6171, -1.2605, 0.4998]  # log odds for the waves that the test below draws


def leaning(yaw=25.0):
    return standing(24.0, True, [neighbour(24.0, yaw)], yaw=yaw)


def lying(yaw=25.0):
    return standing(0.0, True, [neighbour(0.0, yaw)], yaw=yaw)


def seen(die):
    return view(die, die.explained()[0])


@pytest.mark.parametrize("yaw", [0.0, 25.0, 130.0, 290.0])
def test_a_view_is_turned_so_that_the_raised_edge_points_to_the_right(yaw):
    planes = seen(leaning(yaw))
    assert planes.shape == (CHANNELS, SIDE, SIDE)
    columns = np.arange(SIDE)
    raised = np.isclose(planes[TIPPED_CUBE], 0.6)
    other = planes[OTHERS] > 0
    middle = (SIDE - 1) / 2
    assert columns @ raised.sum(axis=0) / raised.sum() > middle
    assert columns @ other.sum(axis=0) / other.sum() > middle + FACE / 3


def test_the_flat_cube_is_in_the_middle_and_as_large_as_a_face():
    plane = seen(lying())[FLAT_CUBE]
    rows, columns = np.nonzero(plane)
    for spots in (rows, columns):
        assert (spots.min() + spots.max()) / 2 == pytest.approx((SIDE - 1) / 2, abs=2)
    assert (plane == 1).sum() == pytest.approx(FACE**2, rel=0.12)


def test_the_picture_shows_the_die_where_its_cube_is_drawn():
    planes = seen(lying())
    top = planes[FLAT_CUBE] == 1
    assert planes[3][top].mean() > 0.8  # plainly brighter than the empty tray
    assert planes[4][top].mean() > 0.9  # changed
    assert abs(planes[:3].mean()) < 1e-3


def test_a_print_that_was_not_seen_is_not_drawn():
    shown, hidden = (seen(standing(24.0, told, [neighbour(24.0)])) for told in (True, False))
    assert shown[PRINT].any()
    assert not hidden[PRINT].any()


def test_brighter_light_hardly_changes_a_view():
    die = leaning()
    planes = seen(die)
    bright = np.clip(die.picture * 1.2, 0, 255).astype(np.uint8)
    empty = np.clip(die.tray.picture * 1.2, 0, 255).astype(np.uint8)
    tray = replace(die.tray, picture=empty)
    lit = view(replace(die, picture=bright, tray=tray), die.explained()[0])
    assert np.abs(lit[:4] - planes[:4]).max() < 0.1


def test_the_weights_are_small_enough_for_the_repository():
    assert MODEL.stat().st_size <= 1_000_000


def test_every_version_of_opencv_gives_the_same_numbers():
    """The numbers are those of OpenCV 4.14 and 5.0 alike; new weights give new ones."""
    down, across = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    waves = [
        [
            np.sin((plane + 1) * (across * (one + 1) + down * (plane - one)))
            for plane in range(CHANNELS)
        ]
        for one in range(3)
    ]
    seen = network().seen(np.array(waves, np.float32))
    assert seen[:, 0] == pytest.approx(KNOWN, abs=5e-3)


def test_the_network_tells_a_drawn_die_that_leans_from_one_that_lies_flat():
    tipped, flat = leaning(), lying()
    assert sight(tipped, tipped.explained()[0]) > 0 > sight(flat, flat.explained()[0])


def test_a_die_and_its_mirror_image_are_told_alike(monkeypatch):
    """The network is asked about both, whichever is seen."""
    asked = []
    net = SimpleNamespace(seen=lambda views: asked.append(views) or network().seen(views))
    monkeypatch.setattr(leaning_sight, "network", lambda: net)
    die = leaning()
    told = sight(die, die.explained()[0])
    seen, mirrored = asked[0]
    assert np.array_equal(mirrored, seen[:, ::-1])
    assert told == pytest.approx(
        float(network().seen(mirrored[None]).mean() + network().seen(seen[None]).mean()) / 2
    )


def test_without_its_weights_the_network_is_silent_and_the_log_says_so(
    monkeypatch, caplog, tmp_path
):
    monkeypatch.setattr(leaning_sight, "MODEL", tmp_path / "leaning.onnx")
    leaning_sight.network.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            die = leaning()
            assert sight(die, die.explained()[0]) is None
        assert "is missing" in caplog.text
        assert "install again" in caplog.text
    finally:
        leaning_sight.network.cache_clear()
