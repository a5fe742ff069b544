"""Crowded trays hold what they say: dice that lie flat, dice that lean, none in another."""

import numpy as np
import pytest

from fixtures.studio.leaning_scenes import crowded_scene
from fixtures.studio.placing import gap_mm
from fixtures.studio.variety import random_station

SEEDS = range(6)


def scenes(station):
    return [crowded_scene(station, np.random.default_rng([station.seed, n])) for n in range(12)]


@pytest.mark.parametrize("seed", SEEDS)
def test_dice_stand_on_the_floor_within_the_walls(seed):
    station = random_station(seed)
    half = np.array(station.tray.inner_mm) / 2 + 1.5
    for scene in scenes(station):
        for die in scene.dice:
            corners = die.corners()
            assert corners[:, 2].min() == pytest.approx(0, abs=0.01)
            assert (np.abs(corners[:, :2]) < half).all()


def test_some_lean_and_some_lie_flat_and_touch():
    dice = [scene.dice for seed in SEEDS for scene in scenes(random_station(seed))]
    tilts = np.array([die.tilt_deg for group in dice for die in group])
    leaning = tilts > 8.9
    assert (leaning | (tilts < 0.1)).all()
    assert 0.2 < leaning.mean() < 0.6
    flat = [[die for die in group if die.tilt_deg < 0.1] for group in dice]
    gaps = [gap_mm(a, b) for group in flat for i, a in enumerate(group) for b in group[i + 1 :]]
    assert min(gaps) > 0
    assert sum(gap < 1 for gap in gaps) > 10


def test_a_seed_gives_the_same_scene_again():
    station = random_station(3)
    one, again = (crowded_scene(station, np.random.default_rng(7)).dice for _ in range(2))
    assert [(die.kind, *die.corners().ravel()) for die in one] == [
        (die.kind, *die.corners().ravel()) for die in again
    ]


def test_dice_lean_by_no_more_than_told():
    station = random_station(3)
    scenes = [crowded_scene(station, np.random.default_rng(n), most_lean=20) for n in range(12)]
    tilts = [die.tilt_deg for scene in scenes for die in scene.dice]
    assert 10 < max(tilts) <= 20.01
