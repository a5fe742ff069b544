"""A die held to the camera before it is learnt."""

import cv2
import numpy as np
import pytest

from tests.recordings import RECORDING
from tests.vision.taught import taught
from vision.squares import SquareSearch
from vision.station import read_image
from vision.teaching import Doubt, glimpse, resembles, still, turned


@pytest.fixture(scope="module")
def tray():
    return taught(RECORDING.name, per_face=1).tray


def shown(name, kind="spike"):
    return read_image(RECORDING / "faces" / kind / f"{name}.jpg")


def seen(tray, name, kind="spike", mm=16.0):
    return glimpse(tray, shown(name, kind), mm)


def test_a_lone_die_is_seen_clearly_and_its_face_cut_out(tray):
    found = seen(tray, "crown_1")
    assert found.doubts == ()
    assert found.patch.shape == (64, 64, 3)
    assert cv2.contourArea(found.quad) > 2500


def test_an_empty_tray_a_hand_and_two_dice_are_told_apart(tray):
    empty = read_image(RECORDING / "empty" / "000.jpg")
    assert glimpse(tray, empty, 16).doubts == (Doubt.EMPTY,)
    hand = empty.copy()
    cv2.rectangle(hand, (300, 200), (700, 600), (150, 170, 220), -1)
    assert glimpse(tray, hand, 16).doubts == (Doubt.HAND,)
    throw = read_image(RECORDING / "throws" / "000.jpg")
    assert glimpse(tray, throw, 16).doubts == (Doubt.SEVERAL,)


def test_glare_on_the_die_is_said(tray):
    picture = shown("crown_1")
    middle = tuple(int(v) for v in seen(tray, "crown_1").quad.mean(axis=0))
    cv2.circle(picture, middle, 22, (255, 255, 255), -1)
    assert Doubt.GLARE in glimpse(tray, picture, 16).doubts


def test_a_face_that_light_washed_out_is_said_where_it_bears_a_print(tray):
    picture = shown("crown_1")
    quad = np.rint(seen(tray, "crown_1").quad).astype(np.int32)
    cv2.fillConvexPoly(picture, quad, (238, 240, 244))
    assert glimpse(tray, picture, 16).doubts == (Doubt.WASHED_OUT,)
    assert glimpse(tray, picture, 16, printed=False).doubts == ()


def test_a_die_found_by_what_changed_is_as_clear_as_its_outline(monkeypatch, tray):
    monkeypatch.setattr(SquareSearch, "find", lambda *_: [])  # so it is found in no other way
    found = seen(tray, "crown_1")
    assert found.doubts == ()
    assert found.square.edge > 0.8


def test_another_picture_of_the_die_where_it_lay_adds_nothing(tray):
    first, second = seen(tray, "crown_1"), seen(tray, "crown_2")
    noisy = glimpse(tray, np.clip(shown("crown_1") + np.int16(3), 0, 255).astype(np.uint8), 16)
    assert not turned(noisy.square, noisy.patch, first.square, first.patch)
    assert turned(second.square, second.patch, first.square, first.patch)


def test_a_face_shown_before_is_recognised_and_a_new_one_is_not(tray):
    taken = {"crown": [seen(tray, "crown_1").patch], "eye": []}
    assert resembles(seen(tray, "crown_2").patch, taken, "eye", tray.white) == "crown"
    assert resembles(seen(tray, "eye_1").patch, taken, "eye", tray.white) is None
    assert resembles(seen(tray, "crown_2").patch, taken, "crown", tray.white) is None


def test_a_cube_not_turned_over_is_recognised_by_its_colour(tray):
    taken = {"red": [seen(tray, "red_1", "cube", 15).patch], "blue": []}
    again, other = seen(tray, "red_2", "cube", 15), seen(tray, "blue_1", "cube", 15)
    assert resembles(again.patch, taken, "blue", tray.white) == "red"
    assert resembles(other.patch, taken, "blue", tray.white) is None


def test_stillness_bears_noise_and_sees_a_die_move():
    empty, die = read_image(RECORDING / "empty" / "000.jpg"), shown("crown_1")
    noise = np.random.default_rng(5).normal(0, 4, die.shape)
    noisy = np.clip(die + noise, 0, 255).astype(np.uint8)
    assert still([die, noisy, die])
    assert not still([empty, die])
    assert not still([die])
