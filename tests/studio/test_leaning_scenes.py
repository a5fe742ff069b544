"""Crowded trays hold what they say: dice that lie flat, dice that lean, none in another."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from fixtures.studio.dice import Die
from fixtures.studio.geometry import at, turn
from fixtures.studio.leaning_scenes import LEAST, ROOM, ROUNDED, crowded_scene
from fixtures.studio.placing import gap_mm, moved
from fixtures.studio.random_scenes import LOW_LEAN, alone_scene, bad_scene, heading
from fixtures.studio.variety import random_station

SEEDS = range(6)


def scenes(station, **asked):
    rngs = (np.random.default_rng([station.seed, n]) for n in range(12))
    return [crowded_scene(station, rng, **asked) for rng in rngs]


def beside_leaning(**asked):
    """Of each flat die beside one that leans, how far it lies the way its top looks, -1 to 1."""
    found = []
    for scene in (scene for seed in SEEDS for scene in scenes(random_station(seed), **asked)):
        for die in (die for die in scene.dice if die.tilt_deg > 8.9):
            top = die.top_corners().mean(axis=0) - die.pose.position
            for other in (other for other in scene.dice if other.tilt_deg < 0.1):
                if gap_mm(die, other) < 1:
                    ways = [way[:2] for way in (top, other.pose.position - die.pose.position)]
                    lengths = [np.linalg.norm(way) for way in ways]
                    found.append(float(ways[0] @ ways[1] / np.prod(lengths)))
    return np.array(found)


@pytest.mark.parametrize("asked", [{}, {"wedged": True}, {"lone": True}])
@pytest.mark.parametrize("seed", SEEDS)
def test_dice_stand_on_the_floor_within_the_walls(seed, asked):
    station = random_station(seed)
    half = np.array(station.tray.inner_mm) / 2 + 1.5
    for scene in scenes(station, **asked):
        for die in scene.dice:
            corners = die.corners()
            assert corners[:, 2].min() == pytest.approx(0, abs=0.01)
            low = corners[corners[:, 2] < station.tray.wall_mm[1]]
            assert (np.abs(low[:, :2]) < half).all()


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


def test_flat_dice_stand_at_the_foot_and_sides_of_dice_that_are_wedged_in():
    alone, wedged = beside_leaning(), beside_leaning(wedged=True)
    assert (alone > -0.3).mean() < 0.05  # only those they lean on
    assert (wedged > 0.8).mean() > 0.2
    assert (abs(wedged) < 0.5).mean() > 0.1


def test_most_lone_dice_have_nothing_near_and_every_other_one_is_tipped():
    alone, tipped = [], []
    for seed in SEEDS:
        station = random_station(seed)
        for scene in scenes(station, lone=True, most_lean=20):
            for die in scene.dice:
                gaps = [gap_mm(die, other) for other in scene.dice if other is not die]
                alone.append(min([*gaps, station.tray.room(die.corners()[:, :2]).min()]) > ROOM)
                tipped.append(die.tilt_deg)
    lone = np.array(tipped)[alone]
    assert np.mean(alone) > 0.35
    assert 0.35 < np.mean(lone > LEAST - 0.1) < 0.65
    assert ((lone < 0.1) | (lone > LEAST - 0.1)).all()
    assert max(tipped) < 20.1


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


@pytest.mark.parametrize("wedged", [False, True])
def test_no_die_is_in_another_and_those_that_lean_touch_what_they_lean_on(wedged):
    touching = 0
    for seed in SEEDS:
        station = random_station(seed)
        half = np.array(station.tray.inner_mm) / 2
        for scene in scenes(station, wedged=wedged):
            for die in scene.dice:
                others = [other for other in scene.dice if other is not die]
                gaps = [gap_mm(die, other) for other in others]
                most = [ROUNDED * max(die.size, other.size) for other in others]
                assert all(gap > -deep - 0.01 for gap, deep in zip(gaps, most, strict=True))
                if die.tilt_deg > 1:
                    wall = float((half - np.abs(die.corners()[:, :2])).min())
                    assert min(wall, *gaps, 9.0) < 0.3
                    touching += min(gaps, default=9.0) < 0.01
    assert touching > 50


def test_how_dice_are_turned_to_each_other_does_not_tell_which_lean():
    square: dict[bool, list[bool]] = {True: [], False: []}
    for seed in SEEDS:
        for scene in scenes(random_station(seed)):
            for one, other in combinations(scene.dice, 2):
                if gap_mm(one, other) < 1:
                    turned = np.degrees(heading(one) - heading(other)) % 90
                    leans = max(one.tilt_deg, other.tilt_deg) > 8.9
                    square[leans].append(bool(min(turned, 90 - turned) < 1))
    assert min(len(turned) for turned in square.values()) > 40
    assert all(0.3 < np.mean(turned) < 0.75 for turned in square.values())


def test_dice_lean_at_walls_along_them_and_turned():
    turned = []
    for seed in SEEDS:
        station = random_station(seed)
        half = np.array(station.tray.inner_mm) / 2
        for scene in scenes(station):
            for die in scene.dice:
                wall = (half - np.abs(die.corners()[:, :2])).min()
                if die.tilt_deg > 8.9 and abs(wall) < 0.1:
                    turned.append(abs((np.degrees(heading(die)) + 45) % 90 - 45) > 2)
    assert len(turned) > 20
    assert 0.2 < np.mean(turned) < 0.8


@pytest.mark.parametrize("seed", range(40))
def test_a_cocked_die_touches_the_one_it_leans_on_and_is_not_in_it(seed):
    station = random_station(seed)
    scene = bad_scene(station, np.random.default_rng(seed), "cocked")
    base, leaning = scene.dice[:2]
    assert leaning.tilt_deg > 8.9
    assert leaning.corners()[:, 2].min() == pytest.approx(0, abs=0.01)
    assert gap_mm(base, leaning) == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("kind", ["cocked", "wall"])
def test_a_cocked_die_is_in_no_other(kind):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        dice = bad_scene(random_station(seed % 6), rng, kind).dice
        assert min(gap_mm(one, other) for one, other in combinations(dice, 2)) > -0.02


def test_two_dice_apart_by_edges_that_cross_are_told_apart():
    low = Die("spike", 10.0, at(0, 0, 5, turn("z", 45)))
    tipped = turn("y", 45) @ turn("x", 90)
    high = Die("spike", 10.0, at(0, 0, 10 + 5 * 2**0.5 + 0.1, tipped))
    assert gap_mm(low, high) == pytest.approx(0.1)
    assert gap_mm(low, moved(high, np.array([0, 0, -0.2]))) == pytest.approx(-0.1)
    edge = Die("spike", 10.0, at(0, 0, 5, turn("x", 45)))
    other = Die("spike", 10.0, at(0, 0, 5 + 2 * 5 * 2**0.5 - 0.1, turn("z", 90) @ turn("x", 45)))
    assert gap_mm(edge, other) == pytest.approx(-0.1)


@pytest.mark.parametrize("height", [4.0, 20.0])
def test_a_die_cocked_at_a_wall_rests_on_its_edge_or_against_it(height):
    station = random_station(3)
    tray = replace(station.tray, wall_mm=(10.0, height))
    station = replace(station, tray=tray)
    half = np.array(tray.inner_mm) / 2
    over = []
    for seed in range(30):
        die = bad_scene(station, np.random.default_rng(seed), "wall").dice[0]
        corners = die.corners()
        axis = int(np.argmax((np.abs(corners[:, :2]) - half).max(axis=0)))
        beyond = np.abs(corners[:, axis]) - half[axis]
        bottom = np.argsort(corners[:, 2])[:2], np.argsort(-beyond)[:2]
        low, raised = (corners[list(ends)] for ends in bottom)
        rise = raised[:, 2].min()
        over.append(rise > height)
        if rise <= height:
            assert beyond.max() == pytest.approx(0, abs=0.01)
        else:  # its foot passes the wall's edge as high as that is
            near, far = -(np.abs(low[:, axis]) - half[axis]).mean(), beyond[bottom[1]].mean()
            assert rise * near / (near + far) == pytest.approx(height, abs=0.01)
    assert any(over) == (height < 10)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_die_tipped_alone_has_nothing_near_and_stands_on_its_edge(seed):
    station = random_station(seed)
    for n in range(6):
        scene = alone_scene(station, np.random.default_rng([seed, n]))
        (tipped,) = (die for die in scene.dice if die.tilt_deg > 0.1)
        assert 8.9 < tipped.tilt_deg < LOW_LEAN + 0.1
        assert tipped.corners()[:, 2].min() == pytest.approx(0, abs=0.01)
        assert station.tray.room(tipped.corners()[:, :2]).min() > tipped.size
        assert all(gap_mm(tipped, other) > tipped.size for other in scene.dice if other != tipped)
        assert [die.kind for die in scene.dice] == ["spike", "spike", "cube"]
        assert scene.why_bad == ("cocked",)
