"""The top face in pictures of one drawn die, whose place and size are known exactly."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vision import enrolment, topface
from vision.die_size import measured_tray
from vision.enrolment import Flaw, learn
from vision.facefit import Around
from vision.squares import Square
from vision.station import Station
from vision.topface import Choice, Shot, Weighed, covering, top_faces, visible_side
from vision.tray import Tray

MM = 16.0
FELT = np.array([96, 140, 70])
CORNERS = np.array([[60, 90], [1090, 90], [1000, 780], [150, 780]], np.float32)  # a slanted view


def grain(seed):
    noise = np.random.default_rng(seed).normal(0, 2, (864, 1152, 1))
    return np.clip(FELT + noise, 0, 255).astype(np.uint8)


TRAY = Tray.calibrate([grain(1)], CORNERS, (200.0, 150.0))
GUESS = MM * TRAY.enlargement(MM) * TRAY.settings.scale
SIDE = 0.94 * GUESS


def filled(picture, points, colour):
    cv2.fillConvexPoly(
        picture, np.rint(TRAY.to_frame(points)).astype(np.int32), colour, cv2.LINE_AA
    )


def drawn(square, body, side, ink, dim=None, offset=(0.0, 0.0)):
    """A frame with one die: its visible sides, its top face, and a ring printed on that.

    ``dim`` is a polygon of the rectified tray in which everything is half as bright;
    ``offset`` in sides of the face is where the ring lies off its middle.
    """
    picture = grain(2)
    filled(picture, TRAY.body(square.corners, MM), side)
    filled(picture, square.corners, body)
    right, down = square.corners[1] - square.corners[0], square.corners[3] - square.corners[0]
    spot = square.corners.mean(axis=0) + offset[0] * right + offset[1] * down
    middle = np.rint(TRAY.to_frame(spot[None])[0]).astype(int)
    cv2.circle(picture, (int(middle[0]), int(middle[1])), 16, ink, 5, cv2.LINE_AA)
    if dim is not None:
        shade = np.ones(picture.shape[:2], np.float32)
        filled(shade, np.asarray(dim, np.float32), 0.5)
        picture = (picture * cv2.GaussianBlur(shade, (0, 0), 0.7)[..., None]).astype(np.uint8)
    return cv2.GaussianBlur(picture, (0, 0), 1.0)


def found_in(frames):
    """The side that is chosen, and the top face in every frame."""
    shots = [Shot.of(TRAY, "sun", frame, GUESS) for frame in frames]
    choices = [Choice.of(TRAY, shot, GUESS, MM) for shot in shots]
    side = visible_side(choices, GUESS)
    return side, top_faces(choices, side)


def off(found, truth):
    """How far a square lies from where it should, in sides and in degrees."""
    away = np.hypot(found.x - truth.x, found.y - truth.y) / truth.side
    return away, abs((found.turn - truth.turn + 45) % 90 - 45)


LIGHT = ((215, 222, 230), (150, 156, 162), (30, 30, 40))
DARK = ((50, 70, 36), (38, 54, 27), (190, 200, 210))  # the felt's own colour in a shadow
FAINT = ((104, 140, 62), (38, 54, 27), (20, 20, 30))  # a top hardly unlike the felt
DEEP = ((190, 90, 60), (60, 25, 15), (230, 240, 90))  # its sides are nearly black
PLACES = [Square(330, 250, SIDE, 12, 1), Square(410, 300, SIDE, 40, 1)]


@pytest.mark.parametrize(
    ("doubts", "share"),
    [
        ({0.88: 0.0, 0.96: 0.0}, 0.92),  # as likely as each other
        ({0.88: 0.0, 0.96: 0.01}, 0.915),  # and nearly so: hardly another
        ({0.88: 0.0, 0.96: 0.3}, 0.88),
        ({}, 0.92),  # nothing tells
    ],
)
def test_sides_that_are_about_as_likely_are_all_heard(doubts, share):
    def of_side(side, near_by):
        doubt = doubts.get(round(side / GUESS, 2), 0.5 if doubts else 0.0)
        return [SimpleNamespace(doubt=doubt)]

    choices = [SimpleNamespace(of_side=of_side)] * 2
    assert visible_side(choices, GUESS) / GUESS == pytest.approx(share, abs=0.001)


@pytest.mark.parametrize(
    "colours",
    [LIGHT, DARK, FAINT, DEEP],
    ids=["light", "dark as its shadow", "nearly the floor's colour", "of dark sides"],
)
def test_the_top_face_and_its_visible_side_are_found(colours):
    side, tops = found_in([drawn(square, *colours) for square in PLACES])
    assert side == pytest.approx(SIDE, rel=TRAY.settings.size_slack)
    for top, truth in zip(tops, PLACES, strict=True):
        away, turned = off(top.square, truth)
        assert away < 0.05
        assert turned < 3


@pytest.mark.parametrize("turn", [5.0, 33.0, 58.0, 84.0])
def test_a_face_of_clear_edges_is_not_cut_askew(turn):
    truth = Square(300, 120, SIDE, turn, 1)
    _, tops = found_in([drawn(truth, *DEEP)])
    assert off(tops[0].square, truth)[1] < 2


@pytest.mark.parametrize("turn", [0.0, 27.0, 89.0])
def test_a_square_is_told_by_its_corners(turn):
    square = Square(310.0, 220.0, SIDE, turn, 0.7)
    told = Square.about(square.corners, square.edge)
    assert off(told, square) == pytest.approx((0, 0), abs=1e-4)
    assert (told.side, told.edge) == (pytest.approx(SIDE), 0.7)


def test_where_a_face_was_found_is_looked_at_again_unless_it_is_anyway():
    shot = Shot.of(TRAY, "sun", drawn(PLACES[0], *LIGHT), GUESS)
    found = Choice.of(TRAY, shot, GUESS, MM).squares
    aside = PLACES[0].moved(0.3 * SIDE, 0)
    assert Choice.of(TRAY, shot, GUESS, MM, aside).squares == (*found, aside)
    assert Choice.of(TRAY, shot, GUESS, MM, found[0].moved(1, 0)).squares == found


def test_a_face_that_was_found_is_not_lost_where_the_tray_is_seen_a_little_otherwise(monkeypatch):
    """Of many squares about as likely few are kept, and not always the same ones."""
    frames = {"sun": [drawn(PLACES[0], *LIGHT)], "eye": [drawn(PLACES[1], *LIGHT)]}
    station = Station.bare(TRAY)
    before = enrolment._found(station, "spike", frames, MM)
    smaller = replace(station, tray=TRAY.resized(0.97))
    aside = [replace(square, x=square.x + 0.5 * SIDE) for square in PLACES]
    monkeypatch.setattr(topface, "_distinct", lambda *_: aside[:1])
    lost, kept = (enrolment._found(smaller, "spike", frames, MM, seen) for seen in (None, before))
    for shot, one, other in zip(before.shots, lost.squares, kept.squares, strict=True):
        truth = TRAY.to_frame(PLACES[0 if shot.face == "sun" else 1].corners)
        gaps = [
            np.linalg.norm((smaller.tray.to_frame(each.corners) - truth).mean(axis=0))
            for each in (one, other)
        ]
        assert gaps[0] > 10
        assert gaps[1] < 3


def test_no_face_is_taken_for_larger_than_its_die():
    wide = [Square(square.x, square.y, 1.08 * GUESS, square.turn, 1) for square in PLACES]
    assert found_in([drawn(square, *LIGHT) for square in wide])[0] <= GUESS * 1.001


def test_a_side_face_within_a_square_speaks_against_it():
    truth = Square(300, 200, SIDE, 0, 1)
    frame = drawn(truth, *DEEP)
    around = Around.of(TRAY.rectify(frame), Shot.of(TRAY, "sun", frame, GUESS).wide, GUESS / 2)
    low = truth.y + 0.1 * SIDE  # the camera looks from below
    tried = np.array([(truth.x, y, SIDE, 0) for y in (truth.y, low)], np.float32)
    good, with_side = around.other(tried)
    assert good == 0
    assert with_side > 0.2


def test_a_hard_shadow_over_one_edge_is_no_other_body():
    truth = Square(300, 200, SIDE, 10, 1)
    strip = [(200, 200 + 0.32 * SIDE), (400, 200 + 0.32 * SIDE), (400, 320), (200, 320)]
    _, tops = found_in([drawn(truth, *LIGHT, dim=strip), drawn(PLACES[1], *LIGHT)])
    away, turned = off(tops[0].square, truth)
    assert away < 0.06
    assert turned < 3


@pytest.mark.parametrize(("x", "y", "turn"), [(300, 120, 20), (420, 300, 47), (200, 350, 88)])
def test_a_body_is_found_by_what_changed_where_its_top_shows_no_edges(x, y, turn):
    truth = Square(x, y, SIDE, turn, 1)
    body, _, ink = LIGHT
    shot = Shot.of(TRAY, "sun", drawn(replace(truth, side=GUESS), body, body, ink), GUESS)
    away, turned = off(covering(TRAY, shot, GUESS, MM)[4], truth)  # the middle one of nine
    assert away < 0.03
    assert turned < 3


def test_an_empty_tray_shows_no_die():
    assert Shot.of(TRAY, "sun", grain(3), 48.0) is None


def test_where_nothing_has_an_edge_nothing_is_steeper_than_anything():
    truth = Square(330, 250, SIDE, 12, 1)
    shot = Shot.of(TRAY, "sun", drawn(truth, *LIGHT), GUESS)
    even = Around.of(np.full_like(shot.seen, 90), shot.wide, GUESS / 2)
    (weighed,) = Choice(TRAY, shot, even, MM, (truth,)).of_side(SIDE)
    assert weighed.fit.steep == 0
    assert np.isfinite(weighed.doubt)


def enrolled(**flawed):
    """What is learnt from four faces, the first drawn as ``flawed``."""
    spots = {"sun": (330, 250, 12), "eye": (410, 300, 40), "moon": (250, 300, 70)}
    squares = {face: Square(x, y, SIDE, turn, 1) for face, (x, y, turn) in spots.items()}
    frames = {face: [drawn(square, *LIGHT)] for face, square in squares.items()}
    worst = Square(300, 200, SIDE, 10, 1)
    return learn(
        Station.bare(TRAY), "spike", {"flask": [drawn(worst, *LIGHT, **flawed)], **frames}, MM
    )


def test_good_pictures_are_not_asked_for_again():
    assert enrolled().flaws == {}


def test_a_face_half_in_shadow_is_asked_for_again():
    half = [(300 - 6, 100), (420, 100), (420, 320), (300 - 6, 320)]
    assert enrolled(dim=half).flaws == {"flask": (Flaw.SHADOW,)}


def test_a_print_off_the_middle_is_asked_for_again():
    assert enrolled(offset=(0.27, 0.0)).flaws == {"flask": (Flaw.OFF_CENTRE,)}


@pytest.mark.parametrize("wrong", [0.87, 1.15])
def test_dice_tell_how_large_a_tray_is(wrong):
    frames = [drawn(square, *LIGHT) for square in PLACES]
    known = measured_tray(TRAY.resized(wrong), {"sun": frames[:1], "eye": frames[1:]}, MM)
    assert known.size_mm == pytest.approx(TRAY.size_mm, rel=0.06)


def weighed(x, doubt):
    return Weighed(SimpleNamespace(square=Square(x, 200, SIDE, 12, 1)), doubt)


def test_a_face_is_ahead_of_what_may_be_it_elsewhere():
    there, beside, elsewhere = weighed(300, -0.6), weighed(303, -0.59), weighed(312, -0.52)
    best = topface._least_doubtful([elsewhere, beside, there], SIDE)
    assert best.square == there.square
    assert best.ahead == pytest.approx(0.08)
    assert topface._least_doubtful([beside, there], SIDE).ahead == np.inf
    assert topface._least_doubtful([], SIDE) is None


def test_a_face_that_may_as_well_lie_elsewhere_is_asked_for_again():
    shots = [SimpleNamespace(face=face) for face in ("sun", "eye", "moon")]
    tops = [replace(weighed(300, -0.6), ahead=ahead) for ahead in (0.3, 0.02, np.inf)]
    flaws = enrolment._flaws(shots, tops, [grain(1)[:64, :64]] * 3, plain=True)
    assert flaws == {"eye": (Flaw.TWO_PLACES,)}
