"""Pips counted in crops of drawn dice, and when a count is doubted."""

import cv2
import numpy as np
import pytest

from tests.vision.drawn import worst_corner
from tests.vision.drawn_pips import FELT, RED, WHITE, enrolment, pip_die
from vision.marks import find_marks
from vision.pips import Pips


@pytest.fixture(scope="module")
def red():
    return Pips.learn(enrolment())


def test_touching_and_slanted_marks_are_found_where_and_as_large_as_they_are():
    plane = np.zeros((160, 160), np.uint8)
    ellipses = [((50.0, 60.0), (24.0, 20.0), 0.0), ((73.0, 60.0), (24.0, 20.0), 0.0)]
    ellipses.append(((110.0, 110.0), (30.0, 12.0), 30.0))
    for ellipse in ellipses:
        cv2.ellipse(plane, ellipse, 255, -1, cv2.LINE_AA)
    cv2.rectangle(plane, (20, 100), (50, 106), 255, -1)  # a bar is no mark
    found = sorted(find_marks(cv2.GaussianBlur(plane, (0, 0), 1).astype(np.float32)), key=by_place)
    assert len(found) == 3
    for mark, (middle, (wide, high), _) in zip(found, ellipses, strict=True):
        assert mark.at == pytest.approx(middle, abs=1)
        assert mark.area == pytest.approx(np.pi * wide * high / 4, rel=0.15)
        assert mark.roundness == pytest.approx(min(wide, high) / max(wide, high), abs=0.08)


def by_place(mark):
    return mark.at[0]


@pytest.mark.parametrize("count", range(1, 7))
@pytest.mark.parametrize("tilt", [0, 15, 25])
@pytest.mark.parametrize("size", [48, 120])
def test_pips_of_the_top_are_counted_and_not_those_of_the_sides(red, count, tilt, size):
    shown, corners = pip_die(count, turn=61.0 * count + tilt, tilt=tilt, size=size)
    reading = red.read(shown)
    assert (reading.count, reading.is_certain) == (count, True)
    if count > 1:  # one pip does not tell how its face is turned
        assert worst_corner(reading.corners, corners) < 0.1 * size
    assert reading.corners.mean(axis=0) == pytest.approx(corners.mean(axis=0), abs=0.03 * size)


LOOKS = {
    "dark pips": {"body": (210, 220, 225), "ink": (35, 30, 30)},
    "red pips": {"body": (225, 225, 225), "ink": (40, 30, 190)},
    "pips that touch": {"radius": 0.13},
    "small pips": {"radius": 0.07},
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
@pytest.mark.parametrize("count", [1, 3, 6])
def test_pips_of_any_colour_and_size_are_learnt(look, count):
    pips = Pips.learn(enrolment(**look))
    reading = pips.read(pip_die(count, turn=123.0, **look)[0])
    assert (reading.count, reading.is_certain) == (count, True)


def test_only_faces_that_show_the_number_they_are_named_have_pips():
    crops = enrolment()
    assert Pips.learn({"lone": crops["1"], "pair": crops["2"]}) is None
    assert Pips.learn({"one": crops["2"], "two": crops["3"], "three": crops["1"]}) is None
    assert Pips.learn({"1": crops["2"], "2": crops["3"], "3": crops["1"]}) is None
    assert Pips.learn({"1": [], "2": []}) is None
    assert Pips.learn({face: [numeral(face)] for face in crops}) is None


def numeral(text):
    shown = pip_die(1, ink=RED)[0]
    return cv2.putText(shown, text, (30, 58), cv2.FONT_HERSHEY_SIMPLEX, 1.2, WHITE, 4, cv2.LINE_AA)


def test_a_few_faces_without_pips_do_not_keep_the_others_from_being_counted():
    crops = enrolment()
    pips = Pips.learn({**crops, "1": [numeral("A")]})
    assert pips.read(numeral("A")) is None
    assert pips.read(pip_die(5)[0]).is_certain
    assert Pips.learn({**crops, "1": [numeral("A")], "2": [numeral("B")]}) is None


@pytest.mark.parametrize("colour", [WHITE, (255, 255, 255), (150, 150, 150)])
def test_what_could_hide_a_pip_is_doubted(red, colour):
    shown, corners = pip_die(2, tilt=0)
    middle = tuple(np.rint(corners.mean(axis=0)).astype(int).tolist())
    cv2.ellipse(shown, middle, (16, 7), 30, 0, 360, colour, -1, cv2.LINE_AA)
    reading = red.read(shown)
    assert reading is None or not reading.is_certain


@pytest.mark.once
def test_no_blot_of_glare_makes_another_count_certain(red):
    rng = np.random.default_rng(7)
    certain = []
    for _ in range(200):
        count = int(rng.integers(1, 7))
        shown, _ = pip_die(count, turn=rng.uniform(0, 360), tilt=rng.uniform(0, 25))
        x, y = rng.integers(10, 78, 2).tolist()
        wide, high = rng.integers(2, 12, 2).tolist()
        high += 8 if abs(wide - high) < 4 else 0  # no blot that looks like a pip
        cv2.ellipse(shown, (x, y), (wide, high), 0, 0, 360, WHITE, -1, cv2.LINE_AA)
        reading = red.read(cv2.GaussianBlur(shown, (0, 0), 1.0))
        if reading and reading.is_certain:
            certain.append((count, reading.count))
    assert len(certain) > 40
    assert all(told == count for count, told in certain)


def test_a_lone_pip_off_the_middle_is_not_a_one(red):
    shown, corners = pip_die(2, tilt=0)
    first = tuple(np.rint(corners.mean(axis=0) * 0.47 + corners[0] * 0.53).astype(int).tolist())
    cv2.circle(shown, first, 10, RED, -1)  # the other is left, as plainly as before
    assert red.read(shown) is None


@pytest.mark.parametrize("tilt", [0, 20])
def test_a_one_and_a_pip_beside_the_die_are_not_a_two(red, tilt):
    shown, corners = pip_die(1, turn=45, tilt=tilt)
    beside = np.rint(corners.mean(axis=0) + np.array([35, 0])).astype(int).tolist()
    cv2.circle(shown, beside, 5, WHITE, -1, cv2.LINE_AA)
    reading = red.read(shown)
    assert (reading.count, reading.is_certain) == (2, False)


def test_pips_of_another_size_or_of_two_dice_are_not_counted(red):
    far = cv2.copyMakeBorder(pip_die(4)[0], *[60] * 4, cv2.BORDER_CONSTANT, value=FELT)
    assert red.read(far) is None
    both = np.hstack([pip_die(3)[0], pip_die(3)[0]])
    reading = red.read(both)
    assert reading is None or not reading.is_certain


def test_a_body_of_another_colour_is_less_like(red):
    blue = Pips.learn(enrolment(body=(130, 40, 30)))
    shown, _ = pip_die(4)
    assert red.read(shown).likeness > 0.9
    assert blue.read(shown).likeness < 0.5


def test_nothing_is_counted_in_a_picture_without_pips(red):
    noise = np.random.default_rng(1).integers(0, 255, (60, 80, 3), np.uint8)
    assert red.read(noise) is None
    assert red.read(np.full((40, 40, 3), 90, np.uint8)) is None
    assert red.read(np.full((12, 200, 3), 90, np.uint8)) is None
