"""What lies on a floor hides its texture, whatever its colour."""

import cv2
import numpy as np
import pytest

from tests.vision import film
from vision import finding, leftovers
from vision.pipeline import read_frame
from vision.reading import Reason, Verdict
from vision.segment import Floor
from vision.settings import SceneSettings
from vision.texture import hidden

SETTINGS = SceneSettings()
SHAPE = (300, 400)
FLOOR = np.full(SHAPE, 255, np.uint8)
THING = np.s_[100:150, 150:200]


def felt(contrast=6.0):
    """A floor (300, 400, 3) with a fine texture of so many grey levels, or a smooth one."""
    fibres = cv2.GaussianBlur(np.random.default_rng(1).normal(0, 1, SHAPE), (0, 0), 1.2)
    light = 90 + contrast * fibres / fibres.std()
    return np.stack([0.8 * light, light, 0.7 * light], axis=2)


def taken(picture, seed=2):
    """A picture as a camera takes it, with noise of two grey levels."""
    noise = np.random.default_rng(seed).normal(0, 2, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)


def covered(picture, light=1.0):
    """Something smooth of the floor's own mean colour on it."""
    with_thing = picture.copy()
    with_thing[THING] = light * picture.mean(axis=(0, 1))
    return with_thing


def hidden_share(picture, contrast=6.0):
    """How much of what lies beneath the thing is said to be hidden, and of all else."""
    found = hidden(Floor.of(taken(felt(contrast)), SETTINGS).beside(taken(picture, 3)), FLOOR) > 0
    inside = found[THING].mean()
    return inside, (found.sum() - found[THING].sum()) / (found.size - found[THING].size)


def test_a_thing_of_the_floors_own_colour_hides_its_texture():
    inside, beside = hidden_share(covered(felt()))
    assert inside > SETTINGS.texture_hidden
    assert beside < 0.01
    changed = Floor.of(taken(felt()), SETTINGS).changed(taken(covered(felt()), 3))
    assert changed[THING].mean() < 0.05 * 255, "by its colour nothing tells it"


@pytest.mark.parametrize("light", [1.0, 0.5, 1.3])
def test_floor_is_floor_in_any_light(light):
    assert hidden_share(light * felt()) == (0, 0)
    lit = felt()
    lit[:, 170:] *= light  # up to a sharp edge
    assert hidden_share(lit) == (0, 0)


def test_on_a_smooth_floor_nothing_is_said_to_be_hidden():
    assert hidden_share(covered(felt(0.5)), contrast=0.5) == (0, 0)


@pytest.mark.parametrize("part", [np.s_[:, :], np.s_[:, 130:], np.s_[75:, 100:]])
def test_where_the_camera_moved_nothing_is_said_to_be_hidden(part):
    """It may be turned a little, and move one corner of its picture alone."""
    moved = felt()
    moved[part] = np.roll(covered(felt()), 3, axis=1)[part]
    assert hidden_share(moved) == (0, 0)


def test_a_part_of_the_floor_too_small_to_tell_is_not_looked_at():
    beside = Floor.of(taken(felt()), SETTINGS).beside(taken(covered(felt()), 3))
    slit = np.zeros_like(FLOOR)
    slit[:, 170:180] = 255
    assert not hidden(beside, slit).any()
    assert not hidden(beside, np.zeros_like(FLOOR)).any()


@pytest.fixture(scope="module")
def throw():
    line = next(line for line in film.TRUTH if line["scene"] == "throw")
    return film.picture(line["image"]), line["expect"]


def with_token(station, frame):
    """The throw with a token on the floor, as bright and of the same colour, seen as large as a
    die; where the floor shows nothing but itself."""
    seen = finding.looked_at(frame, station)
    found, _ = finding.dice(seen)
    free = leftovers.untaken(found, ~cv2.dilate(seen.mask, np.ones((9, 9))), seen.outline)
    rim, side = round(2 * SETTINGS.rim * SETTINGS.scale), round(1.2 * np.sqrt(station.face))
    room = cv2.erode(free, np.ones((2 * side, 2 * side)))[rim:-rim, rim:-rim]
    y, x = np.argwhere(room)[0] + rim
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * side / 2 + (x, y)
    quad = np.rint(station.tray.to_frame(corners.astype(np.float32))).astype(np.int32)
    mask = cv2.fillConvexPoly(np.zeros(frame.shape[:2], np.uint8), quad, 1) > 0
    token = frame.copy()
    smooth = cv2.GaussianBlur(frame, (0, 0), 12)
    token[mask] = smooth[mask]
    return token


def test_a_throw_beside_a_token_like_the_floor_is_not_accepted(throw):
    frame, expect = throw
    station = film.station()
    assert read_frame(frame, station, expect).verdict is Verdict.ACCEPT
    reading = read_frame(with_token(station, frame), station, expect)
    assert reading.verdict is Verdict.REFUSE
    assert set(reading.reasons) == {Reason.FOREIGN}


def test_it_is_by_its_texture_alone_that_the_token_is_told(throw, monkeypatch):
    frame, expect = throw
    station = film.station()
    token = with_token(station, frame)
    monkeypatch.setattr(finding, "like_the_floor", lambda *_: False)
    assert read_frame(token, station, expect).verdict is Verdict.ACCEPT
