"""Plain sides of cubes, seen under lights the bank was not enrolled under."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.colours import CubeBank, opponent

SURFACES = {  # what share of blue, green, red each side throws back
    "red": (0.12, 0.10, 0.75),
    "blue": (0.75, 0.30, 0.10),
    "green": (0.20, 0.60, 0.15),
    "yellow": (0.10, 0.75, 0.85),
}
DAY = (250.0, 250.0, 250.0)


def side(surface, white=DAY, noise=4.0, size=40):
    """A patch of a plain side under a light that makes white paper look ``white``."""
    even = np.array(surface) * white + np.random.default_rng(5).normal(0, noise, (size, size, 3))
    return np.clip(even, 0, 255).astype(np.uint8)


def bank_of(*names):
    return CubeBank.enrol({name: [side(SURFACES[name])] for name in names}, DAY)


@pytest.mark.parametrize("white", [DAY, (120, 180, 250), (250, 200, 150), (60, 60, 60)])
@pytest.mark.parametrize("name", SURFACES)
def test_a_side_keeps_its_colour_under_another_light(name, white):
    scores = bank_of(*SURFACES).score(side(SURFACES[name], white), white)
    assert scores.colour == name
    assert scores.sure


@pytest.mark.parametrize("name", ["red", "blue"])
def test_glare_and_pips_do_not_count(name):
    patch = side(SURFACES[name], size=60)
    cv2.circle(patch, (24, 26), 12, (255, 255, 255), -1)
    cv2.circle(patch, (42, 42), 6, (5, 5, 5), -1)
    scores = bank_of("red", "blue").score(patch, DAY)
    assert scores.colour == name
    assert scores.sure


WARM = (159.0, 197.0, 255.0)  # the white of a cantina's lamps


@pytest.mark.parametrize("white", [DAY, WARM, (85, 86, 255), (250, 200, 150)])
@pytest.mark.parametrize("glare", [0.9, 1.0, 1.15, 1.3, 1.5, 2.0, 4.0])
def test_no_colour_is_sure_under_glare_whatever_it_is_tinted_with(white, glare):
    """A lamp mirrored all over a red side is white in the picture, and bluer than a warm white."""
    shining = side((glare, glare, glare), white)
    assert not bank_of("red", "blue").score(shining, white).sure
    assert not bank_of(*SURFACES).score(shining, white).sure


YELLOW_WALLS = (236.0, 255.0, 74.0)  # the brightest of a tray, and no lamp's colour


@pytest.mark.parametrize(
    ("light", "level", "sheen", "sure"),
    [
        (DAY, 1.0, 0.25, True),  # by those walls it lay between blue and red
        ((170.0, 215.0, 255.0), 0.6, 0.5, False),  # by those walls it was red, surely
    ],
)
def test_what_is_brightest_on_a_tray_may_be_no_light(light, level, sheen, sure):
    colours = {name: [side(SURFACES[name], light)] for name in ("red", "blue")}
    blue = np.clip(level * side(SURFACES["blue"], light) + sheen * np.array(light), 0, 255)
    scores = CubeBank.enrol(colours, YELLOW_WALLS).score(blue.astype(np.uint8), YELLOW_WALLS)
    assert (scores.sure, scores.sure and scores.colour) == (sure, sure and "blue")


@pytest.mark.parametrize("tint", [(1.08, 1.07, 1.0), (1.0, 1.07, 1.12), (0.56, 0.5, 0.5)])
def test_no_colour_is_sure_of_a_pale_tint(tint):
    assert not bank_of("red", "blue").score(side(tint, (200.0,) * 3), (200.0,) * 3).sure


@pytest.mark.parametrize("tint", [(0.09, 0.03, 0.03), (0.02, 0.02, 0.06)])
def test_no_colour_is_sure_in_the_dark(tint):
    assert not bank_of("red", "blue").score(side(tint, noise=1.0), DAY).sure


def test_a_black_and_a_white_cube_are_told_apart_surely():
    black, white = side((0.04, 0.04, 0.04), noise=1.0), side((0.9, 0.9, 0.9))
    bank = CubeBank.enrol({"black": [black], "white": [white], "red": [side(SURFACES["red"])]}, DAY)
    for name, level in (("black", 0.045), ("white", 0.8)):
        scores = bank.score(side((level,) * 3, noise=1.0), DAY)
        assert (scores.colour, scores.sure) == (name, True)


def test_washed_out_red_is_still_red():
    scores = bank_of(*SURFACES).score(side((0.62, 0.60, 1.0)), DAY)
    assert scores.colour == "red"


@pytest.mark.parametrize(
    "surface", [(0.45, 0.12, 0.45), (0.4, 0.4, 0.4), (0.95, 0.95, 0.95), (0.04, 0.04, 0.04)]
)
def test_purple_grey_white_and_black_are_never_surely_red_or_blue(surface):
    assert not bank_of("red", "blue").score(side(surface), DAY).sure


def test_a_half_and_half_patch_is_not_sure():
    patch = np.hstack([side(SURFACES["red"]), side(SURFACES["blue"])])
    assert not bank_of("red", "blue").score(patch, DAY).sure


def test_colours_without_colour_can_be_enrolled_too():
    black, white = side((0.08, 0.08, 0.08)), side((0.9, 0.9, 0.9))
    bank = CubeBank.enrol({"black": [black], "white": [white]}, DAY)
    assert bank.score(side((0.12, 0.12, 0.12)), DAY).colour == "black"
    assert bank.score(side((0.8, 0.8, 0.8)), DAY).colour == "white"


@settings(deadline=None)  # how long it takes says nothing
@given(st.floats(0, 1))
def test_from_red_to_blue_the_name_changes_once_and_only_through_doubt(share):
    mixed = share * np.array(SURFACES["red"]) + (1 - share) * np.array(SURFACES["blue"])
    scores = bank_of("red", "blue").score(side(mixed), DAY)
    if scores.sure:
        assert scores.colour == ("red" if share > 0.5 else "blue")
        assert abs(share - 0.5) > 0.1


def test_probabilities_make_one_whole():
    scores = bank_of(*SURFACES).score(side(SURFACES["green"]), DAY)
    assert sum(score.probability for score in scores.ranked) == pytest.approx(1)
    assert scores.confidence == scores.ranked[0].probability
    assert len(scores.alternatives) == 3


def test_a_bank_needs_two_colours_with_pictures_and_a_white():
    red = side(SURFACES["red"])
    with pytest.raises(ValueError, match="two different colours"):
        CubeBank.enrol({"red": [red]}, DAY)
    with pytest.raises(ValueError, match="'blue'"):
        CubeBank.enrol({"red": [red], "blue": []}, DAY)
    for white in ((0, 250, 250), (250, 250), (float("nan"), 250, 250)):
        with pytest.raises(ValueError, match="white"):
            opponent(red, white)
