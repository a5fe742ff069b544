"""How soft edges and prints are seen; a die that moves or is out of focus is asked about."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.recordings import SESSIONS
from tests.vision.taught import taught
from vision.diceset import Kind
from vision.focus import Edges, edge_width, softer
from vision.patch import PATCH
from vision.pipeline import read_frame
from vision.reading import Reason, Verdict
from vision.settings import SceneSettings
from vision.station import read_image

BODY, INK = (190, 205, 210), (60, 50, 40)
FLAT = np.eye(3)
SPIKES = {"spike": 3}


def face(sigma=0.6, turn=0.0, shade=None):
    """A face with a hook on it, seen through a blur of ``sigma``, part of it in the shade."""
    patch = np.full((PATCH, PATCH, 3), BODY, np.uint8)
    corners = np.array([[18, 20], [44, 20], [44, 44]], np.int32).reshape(-1, 1, 2)
    cv2.polylines(patch, [corners], False, INK, 5)
    middle = (PATCH - 1) / 2
    turned = cv2.getRotationMatrix2D((middle, middle), turn, 1.0)
    patch = cv2.warpAffine(patch, turned, (PATCH, PATCH), borderValue=BODY)
    light = patch.astype(np.float32)
    if shade is not None:
        light[:, shade:] *= 0.3
    return cv2.GaussianBlur(light, (0, 0), sigma).astype(np.uint8)


def times_as_soft(patch, pose=FLAT):
    return softer(patch, [Edges.of_face(face()).inner()], pose)


@pytest.mark.parametrize("sigma", [1.5, 2.0, 3.0])
def test_the_width_of_edges_is_the_blur_they_were_seen_through(sigma):
    picture = np.zeros((200, 200), np.float32)
    picture[:, 100:] = 200
    blurred = cv2.GaussianBlur(picture, (0, 0), sigma)
    # The noise is taken off by a blur of 0.8 first.
    assert edge_width(blurred, 99.0) == pytest.approx(np.hypot(sigma, 0.8), rel=0.12)
    assert edge_width(np.full((200, 200), 90.0, np.float32), 99.0) is None


def test_a_print_is_seen_softer_the_more_it_is_blurred():
    seen = [times_as_soft(face(sigma)) for sigma in (0.6, 1.2, 2.0, 3.0)]
    assert seen == sorted(seen)
    assert seen[0] == pytest.approx(1.0)
    assert seen[3] > SceneSettings().blurred_alone > SceneSettings().as_sharp > 1.0


@pytest.mark.parametrize("shade", [12, 24, 40, 52])
def test_the_edge_of_a_shadow_is_no_blur_of_the_print(shade):
    assert times_as_soft(face(shade=shade)) == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("turn", [35, 90, 200])
def test_a_print_is_compared_where_and_as_it_lies(turn):
    angle = np.deg2rad(-turn)
    cos, sin = np.cos(angle), np.sin(angle)
    pose = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    assert times_as_soft(face(turn=turn), pose) == pytest.approx(1.0, abs=0.2)
    assert times_as_soft(face(3.0, turn=turn), pose) > SceneSettings().blurred_alone


def test_of_several_pictures_the_one_counts_that_lies_as_the_print_does():
    enrolled = [Edges.of_face(face(turn=turn)).inner() for turn in (90, 0)]
    assert softer(face(2.0), enrolled, FLAT) == softer(face(2.0), enrolled[1:], FLAT)


def test_without_edges_in_common_nothing_is_told():
    assert times_as_soft(np.full((PATCH, PATCH, 3), 128, np.uint8)) == 0


def test_a_kind_of_dice_compares_with_its_own_pictures():
    kind = Kind.of_symbols("spike", {"hook": [face()], "cross": [face(turn=45)]})
    assert kind.blur(face(), "hook", FLAT) == pytest.approx(1.0)
    assert kind.blur(face(3.0), "hook", FLAT) > SceneSettings().blurred_alone


def throw(name, sigma):
    """The first throw of a recording, of three printed dice, out of focus by ``sigma`` pixels."""
    picture = read_image(SESSIONS / name / "throws" / "000.jpg")
    return cv2.GaussianBlur(picture, (0, 0), sigma) if sigma else picture


@pytest.mark.parametrize(
    ("name", "sigma"),
    [("prop-leather", 4.0), pytest.param("cantina-felt", 3.0, marks=pytest.mark.once)],
)
def test_what_is_read_through_a_blur_is_asked_about(name, sigma):
    sharp, soft = (
        read_frame(throw(name, by), taught(name, per_face=1), SPIKES) for by in (0, sigma)
    )
    assert sharp.verdict is Verdict.ACCEPT
    assert soft.verdict is Verdict.ASK
    assert soft.reasons == (Reason.BLURRED,)


def test_dice_that_move_while_the_picture_is_taken_are_said_to_be_blurred():
    picture = read_image(SESSIONS / "prop-leather" / "bad" / "005.jpg")
    reading = read_frame(picture, taught("prop-leather", per_face=1), SPIKES)
    assert reading.verdict is not Verdict.ACCEPT
    assert Reason.BLURRED in reading.reasons


def test_without_the_limit_a_blurred_throw_would_be_accepted():
    station = taught("prop-leather", per_face=1)
    loose = replace(station.tray.settings, blurred=9.0, blurred_alone=9.0)
    unguarded = replace(station, tray=replace(station.tray, settings=loose))
    assert read_frame(throw("prop-leather", 4.0), unguarded, SPIKES).verdict is Verdict.ACCEPT


def test_a_single_worn_print_among_sharp_ones_is_no_blur():
    """One die of three is out of focus: worn prints, and shadows at enrolment, look so."""
    picture, station = throw("prop-leather", 0), taught("prop-leather", per_face=1)
    sharp = read_frame(picture, station, SPIKES)
    soft = cv2.GaussianBlur(picture, (0, 0), 4.0)
    for count, reasons in ((1, ()), (2, (Reason.BLURRED,))):
        mixed = picture.copy()
        for die in sharp.dice[:count]:
            x, y, width, height = cv2.boundingRect(np.array(die.quad, np.float32))
            there = np.s_[y - 5 : y + height + 5, x - 5 : x + width + 5]
            mixed[there] = soft[there]
        assert read_frame(mixed, station, SPIKES).reasons == reasons
