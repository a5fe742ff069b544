"""Light and focus as the wizard judges them, on a recorded tray made dark, dazzling, soft."""

import json

import cv2
import numpy as np
import pytest

from tests.recordings import RECORDING, SESSIONS
from vision.light import Trouble, look
from vision.station import read_image

CORNERS = np.array(
    json.loads((RECORDING / "recording.json").read_text())["tray"]["corners_px"], np.float32
)


@pytest.fixture(scope="module")
def picture():
    return read_image(RECORDING / "empty" / "000.jpg")


def troubles(picture):
    return look(picture, CORNERS).troubles


def dimmed(picture, factor):
    return np.clip(picture * np.asarray(factor, np.float32), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("station", ["cantina-felt", "prop-leather", "engraved-wood"])
def test_recorded_trays_are_bright_and_sharp_enough(station):
    folder = SESSIONS / station
    corners = json.loads((folder / "recording.json").read_text())["tray"]["corners_px"]
    seen = look(read_image(folder / "empty" / "000.jpg"), np.array(corners, np.float32))
    assert not {Trouble.DARK, Trouble.BRIGHT, Trouble.BLURRED} & set(seen.troubles)


def test_too_dark_and_too_bright(picture):
    assert Trouble.DARK in troubles(dimmed(picture, 0.4))
    assert look(dimmed(picture, 0.4), CORNERS).level < 40
    assert Trouble.BRIGHT in troubles(dimmed(picture, 8))


@pytest.mark.parametrize("noise", [0, 3])
def test_blur_is_seen_through_noise_and_without_contrast_mattering(picture, noise):
    soft = cv2.GaussianBlur(picture, (0, 0), 2.5).astype(np.float32)
    soft += np.random.default_rng(3).normal(0, noise, soft.shape)
    assert Trouble.BLURRED in troubles(np.clip(soft, 0, 255).astype(np.uint8))
    assert Trouble.BLURRED not in troubles(dimmed(picture, 0.7))


def test_the_brighter_side_is_named(picture):
    ramp = np.linspace(1.6, 0.6, picture.shape[1])[None, :, None]
    seen = look(dimmed(picture, ramp), CORNERS)
    assert Trouble.UNEVEN in seen.troubles
    assert seen.brighter == "left"
    assert seen.ratio == pytest.approx(1.6 / 0.6, rel=0.35)


def test_glare_is_marked_where_it_lies_and_outside_the_tray_ignored(picture):
    shiny = picture.copy()
    cv2.circle(shiny, (600, 400), 30, (255, 255, 255), -1)
    cv2.circle(shiny, (20, 20), 15, (255, 255, 255), -1)
    seen = look(shiny, CORNERS)
    assert Trouble.GLARE in seen.troubles
    [(x, y, width, height)] = seen.spots
    assert (x + width / 2, y + height / 2) == pytest.approx((600, 400), abs=3)


def test_a_picture_without_an_edge_is_not_judged_for_focus():
    assert look(np.full((60, 80, 3), 120, np.uint8)).width is None
