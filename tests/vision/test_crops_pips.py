"""Crops of single dice with pips: what the count says beside the print, kept and read back."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.drawn import worst_corner
from tests.vision.drawn_pips import RED, WHITE, enrolment, pip_die
from vision.crops import learn_crops, read_crop
from vision.diceset import INDEX, DiceSet, DiceSetError
from vision.pips import Pips, bear_pips
from vision.reading import Reason, Verdict

GLASS = {"floor": RED, "radius": 0.12}  # a die whose body blends into what lies around it
BLUE = {"body": (140, 50, 30)}


def few(**look):
    """Crops of two faces; more take longer to learn."""
    crops = enrolment(**look)
    return {face: crops[face] for face in "35"}


@pytest.fixture(scope="module")
def glass():
    """Dice without a visible outline, and the faces to take again."""
    return learn_crops(DiceSet({}), "glass", enrolment(**GLASS))


def test_dice_without_outlines_are_read_by_their_pips(glass):
    dice, unclear = glass
    assert dice.kinds["glass"].framing == "whole"
    assert unclear == ()
    for count in range(2, 7):
        shown, corners = pip_die(count, turn=23.0 * count, tilt=10, **GLASS)
        reading = read_crop(shown, dice)
        assert (reading.verdict, reading.dice[0].face) == (Verdict.ACCEPT, str(count))
        assert worst_corner(np.array(reading.dice[0].quad, np.float32), corners) < 8
        assert reading.dice[0].confidence + sum(p for _, p in reading.dice[0].alternatives) <= 1.001


def test_faces_may_be_named_by_words(glass):
    words = dict(zip("123456", ("one", "two", "three", "four", "five", "six"), strict=True))
    crops = enrolment(**GLASS)
    dice, _ = learn_crops(DiceSet({}), "glass", {words[face]: crops[face] for face in crops})
    shown, _ = pip_die(4, turn=92.0, tilt=10, **GLASS)
    reading = read_crop(shown, dice)
    assert (reading.verdict, reading.dice[0].face) == (Verdict.ACCEPT, "four")
    assert Pips.learn({"1": crops["1"], "one": crops["1"]}) is None


def test_a_doubted_count_is_asked_about_and_suggested(glass):
    shown, corners = pip_die(2, tilt=0, **GLASS)
    middle = tuple(np.rint(corners.mean(axis=0)).astype(int).tolist())
    cv2.ellipse(shown, middle, (13, 7), 0, 0, 360, WHITE, -1, cv2.LINE_AA)
    reading = read_crop(shown, glass[0])
    assert reading.verdict is Verdict.ASK
    assert reading.dice[0].reasons


@pytest.mark.once
def test_print_and_pips_must_not_both_be_certain_of_different_faces(monkeypatch):
    dice, _ = learn_crops(DiceSet({}), "plain", few())
    shown, _ = pip_die(5, turn=50, tilt=0)
    assert read_crop(shown, dice).verdict is Verdict.ACCEPT
    read = Pips.read
    monkeypatch.setattr(Pips, "read", lambda pips, crop: replace(read(pips, crop), count=4))
    reading = read_crop(shown, dice)
    assert (reading.verdict, reading.reasons) == (Verdict.ASK, (Reason.DISAGREE,))


def test_a_count_that_was_not_enrolled_is_not_believed():
    crops = enrolment(**GLASS)
    dice, _ = learn_crops(DiceSet({}), "glass", {face: crops[face] for face in "1234"})
    reading = read_crop(pip_die(6, turn=50, **GLASS)[0], dice)
    assert reading.verdict is not Verdict.ACCEPT


@pytest.mark.once
def test_kinds_with_the_same_pips_are_told_apart_by_their_colour():
    dice, _ = learn_crops(DiceSet({}), "red", few())
    dice, _ = learn_crops(dice, "blue", few(**BLUE))
    for name, look in (("red", {}), ("blue", BLUE)):
        reading = read_crop(pip_die(3, turn=77, **look)[0], dice)
        assert (reading.verdict, reading.dice[0].kind, reading.dice[0].face) == (
            Verdict.ACCEPT,
            name,
            "3",
        )


@pytest.mark.once
def test_kinds_that_look_the_same_are_asked_about():
    dice, _ = learn_crops(DiceSet({}), "mine", few())
    dice, _ = learn_crops(dice, "yours", few())
    reading = read_crop(pip_die(3, turn=77)[0], dice)
    assert (reading.verdict, reading.dice[0].face) == (Verdict.ASK, "3")


def test_how_pips_look_comes_back_from_disk(glass, tmp_path):
    glass[0].save(tmp_path)
    assert DiceSet.load(tmp_path).kinds["glass"].pips == glass[0].kinds["glass"].pips


@pytest.mark.parametrize(
    ("line", "damage"),
    [
        ("channel", 'channel = "red"'),
        ("spacing", "spacing = -1.0"),
        ("size", "size = nan"),
        ("body", "body = [1.0]"),
        ("dark", ""),
    ],
)
def test_damaged_pips_are_told_with_the_kind_to_enrol_again(glass, tmp_path, line, damage):
    glass[0].save(tmp_path)
    index = tmp_path / INDEX
    lines = index.read_text().splitlines()
    index.write_text("\n".join(damage if row.startswith(line) else row for row in lines))
    with pytest.raises(DiceSetError, match="enrol glass again"):
        DiceSet.load(tmp_path)


def test_dice_bear_pips_whatever_their_faces_are_called():
    pipped = [group[0] for group in enrolment(**GLASS).values()]
    assert bear_pips(pipped)
    signs = []
    for crop in pipped:
        sign = np.full_like(crop, RED)
        cv2.putText(sign, "K", (20, 70), 0, 2, WHITE, 5, cv2.LINE_AA)
        signs.append(sign)
    assert not bear_pips(signs)
    assert not bear_pips([*signs[:4], *pipped[-2:]])  # two of six happen to look so
