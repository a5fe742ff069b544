"""The lens told by lying dice, drawn as a camera straight above sees them."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.recordings import SESSIONS
from vision.lens import learnt_lens
from vision.recording import from_recording
from vision.squares import Square
from vision.station import Body, Station, StationError
from vision.topface import Shot
from vision.tray import Tray
from vision.viewpoint import Lens

SIZE = 16.0
FINE = 4  # pixels drawn for one
PLACES = ((40.0, 40.0), (160.0, 40.0), (150.0, 110.0), (50.0, 115.0), (100.0, 30.0), (40.0, 75.0))
SHADES = (205, 120, 95, 140, 110)  # of the top and the sides


def tray(lens=None):
    """A tray of 200 x 150 mm under a camera straight above its middle, 4 px/mm."""
    corners = np.array([[176, 132], [976, 132], [976, 732], [176, 732]], np.float32)
    empty = np.full((864, 1152, 3), 60, np.uint8)
    return replace(Tray.calibrate([empty], corners, (200.0, 150.0)), lens=lens)


def lying(scene, at, yaw):
    """The rectified tray with a die flat at ``at`` mm, and the corners of its top in it."""
    view, s = scene.viewpoint, scene.settings
    eye = np.array([view.x, view.y, view.z])
    turn = np.deg2rad(yaw)
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    level = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * SIZE / 2 @ spin.T + at

    def seen(points, height):
        lifted = np.column_stack([points, np.full(len(points), height)])
        rays = eye + (lifted - eye) * (eye[2] / (eye[2] - height))
        return ((rays[:, :2] + s.rim) * s.scale).astype(np.float32)

    picture = cv2.resize(scene.empty, None, fx=FINE, fy=FINE)
    top, base = seen(level, SIZE), seen(level, 0.0)
    for k, shade in enumerate(SHADES[1:]):
        side = np.stack([base[k], base[k - 1], top[k - 1], top[k]])
        fill(picture, side, shade)
    fill(picture, top, SHADES[0])
    small = cv2.resize(picture, None, fx=1 / FINE, fy=1 / FINE, interpolation=cv2.INTER_AREA)
    return cv2.GaussianBlur(small, (0, 0), 0.8), top


def fill(picture, outline, shade):
    fine = np.rint((outline + 0.5) * FINE - 0.5)
    cv2.fillConvexPoly(picture, fine.astype(np.int32), (shade,) * 3)


def pictured(through):
    """What enrolment knows of six dice seen through a lens: their pictures and top faces."""
    scene = tray(Lens(through))
    shots, tops = [], []
    for number, at in enumerate(PLACES):
        picture, top = lying(scene, at, 25.0 * number)
        mask = np.uint8(np.abs(picture.astype(int) - scene.empty).max(axis=2) > 8) * np.uint8(255)
        shots.append(Shot("crown", picture, picture, mask, mask, mask, np.zeros_like(mask)))
        (x, y), along = top.mean(axis=0), top[1] - top[0]
        turn = float(np.rad2deg(np.arctan2(along[1], along[0])))
        tops.append(Square(float(x), float(y), float(np.linalg.norm(along)), turn, 1.0))
    return shots, tops, Body(float(np.median([top.side for top in tops])), SIZE, 0.1)


@pytest.mark.parametrize("through", [0.8, 1.4, 2.2, 3.6])
def test_lying_dice_tell_the_lens_of_a_camera_straight_above(through):
    assert tray().focal == pytest.approx(1.4, rel=0.05)  # all that the view of the floor says
    lens = learnt_lens(tray(), *pictured(through))
    assert lens.focal == pytest.approx(through, rel=0.25)
    assert lens.dice == len(PLACES)


def test_what_other_dice_told_before_counts_too():
    once = learnt_lens(tray(), *pictured(2.2))
    shots, tops, body = pictured(2.2)
    first = learnt_lens(tray(), shots[:1], tops[:1], body)
    both = learnt_lens(tray(first), shots[1:], tops[1:], body)
    assert both.dice == once.dice
    assert both.focal == pytest.approx(once.focal, rel=0.15)
    assert first.dice == 1


def test_a_lens_through_which_the_dice_are_lost_is_not_believed(monkeypatch):
    session = SESSIONS / "prop-leather"
    monkeypatch.setattr("vision.enrolment.learnt_lens", lambda *seen: Lens(0.1, (), 2))
    station = from_recording(session, per_face=1)
    assert set(station.bodies) == {"cube", "spike"}
    assert station.tray.lens is None


def test_a_station_keeps_its_lens(tmp_path):
    station = Station.bare(tray(Lens(2.5, (1.0, 2.5), 6)))
    station.save(tmp_path)
    assert Station.load(tmp_path).tray.lens == station.tray.lens
    Station.bare(tray()).save(tmp_path)
    assert Station.load(tmp_path).tray.lens is None


@pytest.mark.parametrize(
    ("whole", "broken"), [("= 2.5", "= -1"), ("= 2.5", "= 'long'"), ("focal", "length")]
)
def test_a_damaged_lens_is_said(tmp_path, whole, broken):
    Station.bare(tray(Lens(2.5, (1.0, 2.5), 6))).save(tmp_path)
    index = tmp_path / "station.toml"
    index.write_text(index.read_text().replace(whole, broken))
    with pytest.raises(StationError, match="cannot be used"):
        Station.load(tmp_path)
