"""What lies beside the dice: strangers are told, the dice's own light and shadow are not."""

from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vision import leftovers
from vision.halo import Left, empty_halo, filled, learn_halo
from vision.segment import Floor
from vision.settings import SceneSettings

SETTINGS = SceneSettings()
FELT = np.full((300, 400, 3), (60, 90, 40), np.uint8)
DIE = np.array([(110, 125), (150, 125), (150, 165), (110, 165)], np.float32)
CENTRE = (130.0, 145.0)


def beside_a_die(strength):
    """The felt with a soft patch beside the die, at most of ``strength`` times the red."""
    seen = FELT.astype(np.float32)
    seen[..., 2] *= 1 + (strength - 1) * soft_patch()
    return Floor.of(FELT, SETTINGS).beside(np.clip(seen, 0, 255).astype(np.uint8))


def in_shadow_of(light, size=60):
    """The felt with a soft patch beside the die, where but this much of the ``light`` falls."""
    left = 1 - (1 - light) * soft_patch(size)
    seen = FELT * (left ** (1 / 2.2))[..., None]
    return Floor.of(FELT, SETTINGS).beside(seen.astype(np.uint8))


def soft_patch(size=60):
    """1 beside the die, 0 elsewhere, (300, 400)."""
    patch = np.zeros((300, 400), np.float32)
    patch[145 - size // 2 : 145 + size // 2, 185 : 195 + size] = 1
    return cv2.GaussianBlur(patch, (0, 0), 6)


def least(share):
    """The least strength that is told with ``share`` of the usual differences."""
    tried = np.arange(1.0, 2.5, 0.01)
    return next(s for s in tried if beside_a_die(s).changed_by(share).any())


def left_beside(beside, halo, *dice):
    """What is left in a throw of ``dice`` in which the felt is seen so."""
    seen = SimpleNamespace(
        settings=SETTINGS,
        face=40.0**2,
        mask=beside.changed,
        shadowy=beside.shadowy,
        beside=beside,
        outline=lambda item: filled(beside.changed, DIE, 2),
        station=SimpleNamespace(halo=halo, tray=SimpleNamespace(empty=FELT)),
    )
    return leftovers.left_things(seen, dice)


def at(x, y):
    """A die there."""
    return SimpleNamespace(square=SimpleNamespace(x=x, y=y))


def test_what_hardly_changed_at_enrolment_may_hardly_change_in_a_throw():
    die = at(*CENTRE)
    hint, faint, strong = least(1 - SETTINGS.faint), least(1.0), least(1 + SETTINGS.faint)
    shot = beside_a_die((hint + faint) / 2)
    assert not shot.changed.any()
    hinted = shot.changed_by(1 - SETTINGS.faint)
    halo = learn_halo([Left(shot.changed, hinted, shot.shadowy, CENTRE, shot.lost)], SETTINGS)
    in_throw = (faint + strong) / 2
    seen = beside_a_die(in_throw)
    assert left_beside(seen, halo, die) == []
    assert len(left_beside(seen, empty_halo(SETTINGS), die)) == 1  # nothing was seen there
    assert len(left_beside(beside_a_die(1.3 * strong), halo, die)) == 1  # too much for it


def faint_shadow():
    """The halo of a die that takes half the light beside it, which is no change yet."""
    shot = in_shadow_of(0.51)
    assert not shot.changed.any()
    return learn_halo([Left(shot.changed, shot.changed, shot.shadowy, CENTRE, shot.lost)], SETTINGS)


def test_shadows_of_two_dice_that_cross_are_no_stranger():
    halo, die, other = faint_shadow(), at(*CENTRE), at(CENTRE[0] + 3, CENTRE[1] - 3)
    crossing = in_shadow_of(0.03, size=40)
    assert left_beside(crossing, halo, die, other) == []
    assert len(left_beside(crossing, halo, die)) == 1  # too dark for one
    assert len(left_beside(crossing, empty_halo(SETTINGS), die, other)) == 1


def test_what_is_as_dark_as_crossing_shadows_but_of_a_dies_size_is_a_stranger():
    halo, dice = faint_shadow(), (at(*CENTRE), at(CENTRE[0] + 3, CENTRE[1] - 3))
    assert len(left_beside(in_shadow_of(0.03), halo, *dice)) == 1


def test_something_coloured_where_a_shadow_may_fall_is_a_stranger():
    red = FELT.copy()
    red[135:155, 195:220] = (20, 20, 70)
    seen = Floor.of(FELT, SETTINGS).beside(red)
    assert len(left_beside(seen, faint_shadow(), at(*CENTRE), at(*CENTRE))) == 1


@pytest.mark.parametrize(
    ("box", "grey", "shade", "on_walls"),
    [
        ((150, 5, 60, 20), 20, 0.0, True),  # of the far wall
        ((10, 120, 12, 40), -18, 0.0, True),  # of the left one, darker
        ((150, 5, 60, 20), 60, 0.0, False),  # a finger, a coin
        ((150, 5, 60, 20), -60, 0.5, False),  # something black, half like a shadow
        ((150, 5, 60, 20), -60, 1.0, True),  # a hard shadow on the wall
        ((150, 5, 60, 90), -60, 1.0, False),  # it reaches the floor
        ((150, 5, 60, 90), 20, 0.0, False),
        ((200, 140, 60, 20), 20, 0.0, False),
        ((60, 2, 280, 20), -60, 1.0, False),  # more than a die's face
        ((60, 2, 280, 20), 20, 0.0, False),
    ],
)
def test_only_shade_and_faint_changes_beyond_the_floor_are_the_dices_light(
    box, grey, shade, on_walls
):
    empty = np.full((300, 400, 3), 80, np.uint8)
    x, y, width, height = box
    thing = np.zeros((300, 400), np.uint8)
    thing[y : y + height, x : x + width] = 255
    changed = (empty + np.int16(grey) * (thing > 0)[..., None]).astype(np.uint8)
    shadowy = np.zeros((300, 400), np.uint8)
    shadowy[y : y + height, x : x + round(width * shade)] = 1
    seen = SimpleNamespace(
        settings=SETTINGS,
        station=SimpleNamespace(tray=SimpleNamespace(empty=empty)),
        rectified=changed,
        shadowy=shadowy,
        face=48.0**2,
    )
    assert leftovers._on_walls(seen, thing) is on_walls


@pytest.mark.parametrize(("level", "said"), [(255, {"foreign", "glare"}), (200, {"foreign"})])
def test_a_stranger_white_beyond_telling_may_be_a_die_that_glares(level, said):
    thing = np.zeros(FELT.shape[:2], np.uint8)
    thing[100:140, 120:160] = 255
    shown = FELT.copy()
    shown[thing > 0] = level
    shown[100:140, 120:135] = 90  # a side that is turned away from the lamp
    seen = SimpleNamespace(settings=SETTINGS, face=40.0**2, rectified=shown)
    assert leftovers.strangers(seen, [thing]) == said
