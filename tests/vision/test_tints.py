"""Shadows in coloured light: their tints are learnt with dice, and told from things that lie."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.vision.test_leftovers import tray_of
from vision import enrolment
from vision.segment import Floor
from vision.settings import SceneSettings
from vision.squares import Square
from vision.station import INDEX, Body, Station, StationError
from vision.tints import learn_tints, taken
from vision.topface import Shot

SETTINGS = SceneSettings()
WARM, COLD = (0.1, 0.3, 0.55), (0.5, 0.25, 0.05)  # what shadows of such lamps take: BGR
GREY = np.full((300, 400, 3), (120, 110, 115), np.uint8)
RNG = np.random.default_rng(3)


def shades(tint, count, depth=(0.3, 1.0)):
    """Pixels (count, 3) in the shadow of a lamp, some of them in its rim."""
    deep = RNG.uniform(*depth, (count, 1)) * np.array(tint)
    return (deep + RNG.normal(0, 0.01, (count, 3))).astype(np.float32)


def way(tint):
    return np.array(tint) / np.linalg.norm(tint)


def learnt(seen, least=100.0, known=()):
    return learn_tints(seen, least, known, SETTINGS)


def test_the_tints_of_two_lamps_are_told_apart():
    found = learnt(RNG.permutation(np.concatenate([shades(WARM, 900), shades(COLD, 600)])))
    assert len(found) == 2
    for tint, truth in zip(found, (WARM, COLD), strict=True):
        assert way(tint) @ way(truth) > np.cos(np.deg2rad(3))
        assert np.linalg.norm(tint) == pytest.approx(np.linalg.norm(truth), rel=0.1)


@pytest.mark.parametrize("few", [0, 40])
def test_a_tint_that_hardly_anything_has_is_none(few):
    assert learnt(shades(WARM, few)) == ()


def test_shades_of_all_tints_have_none_in_common():
    scattered = np.abs(RNG.normal(0, 0.3, (1500, 3))).astype(np.float32)
    assert len(learnt(scattered, least=900)) == 0


def test_a_tint_that_is_known_is_not_learnt_again():
    [warm] = learnt(shades(WARM, 500))
    assert learnt(shades(WARM, 500), known=(warm,)) == (warm,)
    both = learnt(shades(COLD, 500), known=(warm,))
    assert both[0] == warm
    assert way(both[1]) @ way(COLD) > 0.998


def shaded(tint, depth=1.0, blur=0.5, empty=GREY):
    """The empty tray with a shadow of such a tint on it."""
    part = np.zeros((300, 400), np.float32)
    part[90:210, 150:250] = depth
    lost = cv2.GaussianBlur(part, (0, 0), blur)[..., None] * np.array(tint)
    return np.clip(empty * (1 - lost), 0, 255).astype(np.uint8)


INNER = np.s_[110:190, 170:230]


@pytest.mark.parametrize("tint", [WARM, COLD])
def test_a_coloured_lamp_s_shadow_is_one_where_its_tint_is_known(tint):
    seen = shaded(tint)
    assert not Floor.of(GREY, SETTINGS).shadowy(seen)[INNER].any()
    assert Floor.of(GREY, SETTINGS, (WARM, COLD)).shadowy(seen)[INNER].all()
    other = (COLD,) if tint == WARM else (WARM,)
    assert not Floor.of(GREY, SETTINGS, other).shadowy(seen)[INNER].any()


def test_what_is_darker_than_a_lamp_s_shadow_is_none():
    """A body of that tint: a shadow takes no more than its lamp's light."""
    floor = Floor.of(GREY, SETTINGS, (WARM,))
    assert floor.shadowy(shaded(WARM, 1.2))[INNER].all()
    assert not floor.shadowy(shaded(WARM, 1.6))[INNER].any()


def test_what_is_brighter_in_a_colour_is_no_shadow():
    seen = shaded(WARM)
    seen[..., 0] = 150
    assert not Floor.of(GREY, SETTINGS, (WARM,)).shadowy(seen)[INNER].any()


def test_somebody_s_soft_shadow_in_coloured_light_is_no_thing():
    soft = shaded(WARM, blur=12)
    assert Floor.of(GREY, SETTINGS).changed(soft).any()
    assert not Floor.of(GREY, SETTINGS, (WARM,)).changed(soft).any()


@pytest.mark.parametrize(
    "body",
    [(30, 60, 110), (105, 75, 50), (200, 190, 180), (35, 30, 90)],
    ids=["brown", "as a shadow, sharp", "white", "red"],
)
def test_things_are_seen_in_coloured_light(body):
    seen = GREY.copy()
    cv2.rectangle(seen, (170, 110), (218, 158), body, -1)
    changed = Floor.of(GREY, SETTINGS, (WARM, COLD)).changed(seen)
    assert (changed[112:156, 172:216] > 0).mean() > 0.9


def pictured(tint, depth=1.0, rim=0):
    """A white die with its shadow in a lamp's light beside it, and what of it outlines miss."""
    shown = tray_of(GREY)
    square = Square(200.0, 150.0, 46.0, 0.0, 0.9)
    part = np.zeros((300, 400), np.float32)
    part[130:170, 223 : 223 + 30] = depth
    seen = GREY * (1 - part[..., None] * np.array(tint))
    whole = np.rint(shown.body(square.corners, 15.0)).astype(np.int32)
    seen = np.clip(seen, 0, 255).astype(np.uint8)
    if rim:
        cv2.polylines(seen, [whole], True, (20, 30, 90), 2 * rim + 1)
    cv2.fillConvexPoly(seen, whole, (225, 230, 235))
    return shown, Shot.of(shown, "sun", seen, 46.0), square


def surroundings(*args, **more):
    shown, shot, square = pictured(*args, **more)
    body = Body(46.0, 15.0, 0.1)
    return enrolment._surroundings(shown, body, [shot], [square])[1]


def test_the_tint_is_learnt_from_what_a_die_shades():
    found = surroundings(WARM)
    assert len(found) > 600
    assert way(np.median(found, axis=0)) @ way(WARM) > 0.998


def test_nothing_is_learnt_of_shadows_without_a_tint():
    assert len(surroundings((0.4, 0.4, 0.4))) == 0


def test_the_rim_of_a_die_is_no_shade():
    """Outlines are off a little: a body is not to pass for shadow."""
    assert len(surroundings((0.0, 0.0, 0.0), rim=4)) == 0


def test_what_is_taken_is_told_by_colours():
    shares = tuple(np.full((2, 2), share, np.float32) for share in (0.9, 0.7, 1.1))
    part = np.array([[True, False], [False, True]])
    assert taken(shares, part) == pytest.approx(np.array([[0.1, 0.3, -0.1]] * 2), abs=1e-6)


def test_a_station_keeps_its_tints(tmp_path):
    station = Station.bare(replace(tray_of(GREY), tints=(WARM, COLD)))
    station.save(tmp_path)
    assert Station.load(tmp_path).tray.tints == (WARM, COLD)
    Station.bare(tray_of(GREY)).save(tmp_path)
    assert Station.load(tmp_path).tray.tints == ()


@pytest.mark.parametrize("tints", ["[[0.1, 0.2]]", "[[0, 0, 0]]", "[[1.5, 0, 0]]", "[1.0]"])
def test_a_tint_that_no_shadow_has_is_refused(tmp_path, tints):
    Station.bare(tray_of(GREY)).save(tmp_path)
    index = tmp_path / INDEX
    index.write_text(index.read_text() + f"tints = {tints}\n")
    with pytest.raises(StationError, match=r"station\.toml"):
        Station.load(tmp_path)
