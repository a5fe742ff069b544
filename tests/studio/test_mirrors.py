"""Lacquered walls and glossy dice mirror each other in quick pictures."""

from dataclasses import replace

import numpy as np
import pytest

from fixtures.studio.camera_model import Shutter
from fixtures.studio.dice import Die
from fixtures.studio.geometry import at
from fixtures.studio.mirrors import met, mirrored_share
from fixtures.studio.solids import Box, Points
from fixtures.studio.variety import polished, random_station, sketch

RED = (200, 20, 20)
STATION = random_station(102)
HALF = STATION.tray.inner_mm[0] / 2


def surface(place, normal, rough=0.1):
    """One point of a plain surface."""
    rows = [np.array([row], np.float32) for row in (place, normal, (0.5, 0.5, 0.5))]
    return Points(*rows, np.array([rough], np.float32), np.zeros(1, np.float32))


def box_at(x):
    size = np.full(3, 8.0)
    return Box(at(x, 0, 8.0), size, 1.0, flat=RED)


def ray(*way):
    return np.array([way], np.float32) / np.float32(np.linalg.norm(way))


def test_a_wall_beside_a_die_mirrors_the_die():
    near, found = met(
        STATION, surface((HALF, 0, 6), (-1, 0, 0)), ray(-1, 0, -0.1), [box_at(HALF - 30)]
    )
    assert near.all()
    assert found.at[0, 0] == pytest.approx(HALF - 22, abs=0.1)
    assert found.normal[0] == pytest.approx((1, 0, 0), abs=0.01)
    assert found.colour[0, 0] > 3 * found.colour[0, 1]


def test_the_nearer_of_two_dice_is_mirrored_whichever_comes_first():
    boxes = [box_at(0), box_at(20)]
    for solids in (boxes, boxes[::-1]):
        _, found = met(STATION, surface((HALF, 0, 6), (-1, 0, 0)), ray(-1, 0, -0.01), solids)
        assert found.at[0, 0] == pytest.approx(28.0, abs=0.1)


def test_beside_dice_the_floor_is_mirrored_and_above_them_the_room():
    wall = surface((HALF, 0, 6), (-1, 0, 0))
    near, found = met(STATION, wall, ray(-1, 0, -1), [box_at(-30)])
    assert near.all()
    assert found.at[0, 2] == pytest.approx(0, abs=0.01)
    near, _ = met(STATION, wall, ray(-1, 0, 1), [box_at(-30)])
    assert not near.any()


def test_a_mirror_shows_more_at_a_slant_and_nothing_where_it_is_rough():
    shine = np.full((1, 3), 0.04, np.float32)
    ahead, aslant = ray(0, 0, 1), ray(1, 0, 0.05)
    smooth, rough = (surface((0, 0, 0), (0, 0, 1), rough) for rough in (0.0, 1.0))
    assert mirrored_share(smooth, ahead, shine) == pytest.approx(shine)
    assert (mirrored_share(smooth, aslant, shine) > 0.7).all()
    assert (mirrored_share(rough, aslant, shine) == 0).all()


def wall_beside(body, gloss):
    """What the high wall behind a cube looks like just above it, seen aslant in even light."""
    looks = {**STATION.looks, "cube": replace(STATION.looks["cube"], body=body)}
    camera = replace(
        STATION.camera, width=640, height=480, tilt_deg=20.0, azimuth_deg=180.0, roll_deg=0.0
    )
    station = replace(
        STATION,
        looks=looks,
        camera=replace(camera, px_per_mm=camera.px_per_mm / 2),
        tray=replace(STATION.tray, wall_mm=(10.0, 30.0)),
        gloss=gloss,
        ambient=(2.0, 2.0, 2.0),
    )
    size = looks["cube"].size_mm
    cube = Die("cube", size, at(HALF - size / 2 - 2, 0, size / 2))
    picture = sketch(station).picture([cube], [], Shutter(1))
    x, y = station.camera.see(np.array([[HALF, 0.0, size]]))[0].round().astype(int)
    return picture[y - 1 : y + 2, x].astype(float).mean(axis=0)


def test_the_ghost_of_a_die_in_a_lacquered_wall_has_its_colour():
    lacquered, rough = (
        [wall_beside(colour, (0.9, wall)) for colour in (RED, (20, 20, 200))]
        for wall in (0.05, 0.9)
    )
    redder = [np.subtract(*[found[2] - found[0] for found in pair]) for pair in (lacquered, rough)]
    assert redder[0] > 8
    assert abs(redder[1]) < 4


def test_polished_changes_how_glossy_things_are_and_no_more():
    shiny = polished(STATION)
    assert shiny.name == f"{STATION.name}-polished"
    assert shiny == polished(STATION)
    assert all(0 < rough < 1 for rough in shiny.gloss)
    looks = {
        kind: replace(look, roughness=STATION.looks[kind].roughness)
        for kind, look in shiny.looks.items()
    }
    assert replace(shiny, name=STATION.name, gloss=None, looks=looks) == STATION
