"""What lies beside the dice: strangers are told, the dice's own light and shadow are not."""

from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vision import enrolment, leftovers
from vision.halo import Left, empty_halo, filled, learn_halo
from vision.segment import Floor
from vision.settings import SceneSettings
from vision.tray import Tray

SETTINGS = SceneSettings()
FELT = np.full((300, 400, 3), (60, 90, 40), np.uint8)
DIE = np.array([(110, 125), (150, 125), (150, 165), (110, 165)], np.float32)
CENTRE = (130.0, 145.0)


def tray_of(empty):
    """A tray whose rectified picture (300, 400) is the ``empty`` one."""
    corners = np.array([[42, 42], [358, 42], [358, 258], [42, 258]], np.float32)
    return Tray.calibrate([empty], corners, (400 / 3 - 28, 300 / 3 - 28), SETTINGS)


def beside_a_die(strength):
    """The felt with a soft patch beside the die, at most of ``strength`` times the red."""
    patch = np.zeros((300, 400), np.float32)
    patch[115:175, 185:255] = strength - 1
    seen = FELT.astype(np.float32)
    seen[..., 2] *= 1 + cv2.GaussianBlur(patch, (0, 0), 6)
    return Floor.of(FELT, SETTINGS).beside(np.clip(seen, 0, 255).astype(np.uint8))


def least(share):
    """The least strength that is told with ``share`` of the usual differences."""
    tried = np.arange(1.0, 2.5, 0.01)
    return next(s for s in tried if beside_a_die(s).changed_by(share).any())


def left_beside(strength, halo):
    """What is left in a throw of one die, were the patch of this strength."""
    return left_of(beside_a_die(strength), halo)


def left_of(beside, halo):
    """What is left in a picture of a die."""
    die = SimpleNamespace(square=SimpleNamespace(x=CENTRE[0], y=CENTRE[1]))
    seen = SimpleNamespace(
        settings=SETTINGS,
        face=40.0**2,
        mask=beside.changed,
        shadowy=beside.shadowy,
        beside=beside,
        outline=lambda item: filled(beside.changed, DIE, 2),
        station=SimpleNamespace(halo=halo, tray=tray_of(FELT)),
    )
    return leftovers.left_things(seen, [die])


def test_what_hardly_changed_at_enrolment_may_hardly_change_in_a_throw():
    hint, faint, strong = least(1 - SETTINGS.faint), least(1.0), least(1 + SETTINGS.faint)
    shot = beside_a_die((hint + faint) / 2)
    assert not shot.changed.any()
    hinted = shot.changed_by(1 - SETTINGS.faint)
    none = np.zeros_like(hinted)
    halo = learn_halo([Left(shot.changed, hinted, shot.shadowy, CENTRE, none)], SETTINGS)
    in_throw = (faint + strong) / 2
    assert left_beside(in_throw, halo) == []
    assert len(left_beside(in_throw, empty_halo(SETTINGS))) == 1  # nothing was seen there
    assert len(left_beside(1.3 * strong, halo)) == 1  # too much for it


BRIGHT = np.full((300, 400, 3), (120, 180, 100), np.uint8)


def shaded(light, blur, width=25, ink=0):
    """A bright floor with a shade beside the die, of so much of its ``light``, and ``ink`` on it.

    Soft it is no change, sharp it is one.
    """
    shade = np.ones((300, 400), np.float32)
    half = width // 2
    shade[145 - half : 145 + half, 200 - half : 200 + half] = light
    seen = BRIGHT * cv2.GaussianBlur(shade, (0, 0), blur)[..., None]
    seen[138:152, 194:206] += ink
    return Floor.of(BRIGHT, SETTINGS).beside(np.clip(seen, 0, 255).astype(np.uint8))


@pytest.mark.parametrize(
    ("light", "width", "ink", "strange"),
    [
        (0.6, 25, 0, False),  # where another lamp's light is missing, too
        (0.6, 25, 200, True),  # a dark die: nothing else than its print shows that it is no shade
        (0.27, 20, 0, True),  # darker than any shadow
        (0.6, 40, 0, True),  # as large as a die
    ],
)
def test_a_die_s_shade_may_be_a_change_where_other_light_is_missing(light, width, ink, strange):
    soft = shaded(0.75, blur=8, width=70)
    assert not soft.changed.any()
    none = np.zeros_like(soft.changed)
    halo = learn_halo([Left(none, none, soft.shadowy, CENTRE, soft.shade)], SETTINGS)
    thrown = shaded(light, blur=0.5, width=width, ink=ink)
    assert len(left_of(thrown, empty_halo(SETTINGS))) == 1
    assert len(left_of(thrown, halo)) == int(strange)


def test_a_shade_is_a_die_s_only_where_its_shade_was_seen():
    soft = shaded(0.75, blur=8, width=70)
    none = np.zeros_like(soft.changed)
    other = (CENTRE[0] + 60, CENTRE[1])  # seen from another place: so it fell elsewhere
    halo = learn_halo([Left(none, none, soft.shadowy, other, soft.shade)], SETTINGS)
    assert len(left_of(shaded(0.6, blur=0.5), halo)) == 1


@pytest.mark.parametrize(("long", "learnt"), [(60, True), (300, False)])
def test_where_a_lamp_was_turned_down_no_die_shades_the_tray(long, learnt):
    die = np.zeros((300, 400), np.uint8)
    die[125:165, 110:150] = 255
    shade = np.zeros_like(die)
    shade[: long // 2 + 145, 150 : 150 + long] = 255
    shade[:80] = 0
    light, shot = SimpleNamespace(shade=shade), SimpleNamespace(mask=die)
    found = enrolment._shade(shot, light, SETTINGS.shade_widest * 40**2)
    assert bool(found.any()) is learnt


def on_wall(box, grey, shade, dice):
    """Whether a change in a ``box`` is told to be light of ``dice``: an area and a grey each."""
    empty = np.full((300, 400, 3), 80, np.uint8)
    x, y, width, height = box
    thing = np.zeros((300, 400), np.uint8)
    thing[y : y + height, x : x + width] = 255
    changed = (empty + np.int16(grey) * (thing > 0)[..., None]).astype(np.uint8)
    for area, light in dice:
        changed[area.window.part] = light
    shadowy = np.zeros((300, 400), np.uint8)
    shadowy[y : y + height, x : x + round(width * shade)] = 1
    seen = SimpleNamespace(
        settings=SETTINGS,
        station=SimpleNamespace(tray=tray_of(empty)),
        rectified=changed,
        shadowy=shadowy,
        face=48.0**2,
        top=lambda item: item,
    )
    return leftovers._on_walls(seen, thing, [area for area, _ in dice])


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
        ((60, 2, 280, 20), -60, 1.0, True),  # somebody's shadow, larger than a die's face
        ((60, 2, 280, 20), -60, 0.5, False),
        ((60, 2, 280, 20), 20, 0.0, False),  # it is no light of dice either
    ],
)
def test_only_shade_and_faint_changes_beyond_the_floor_are_the_dices_light(
    box, grey, shade, on_walls
):
    assert on_wall(box, grey, shade, []) is on_walls


@pytest.mark.parametrize(
    ("box", "grey", "die", "light", "on_walls"),
    [
        ((150, 15, 50, 15), 50, (150, 35), 180, True),  # a bright die right beside it
        ((150, 15, 50, 15), -50, (150, 35), 180, True),  # it hides what the wall mirrored before
        ((150, 15, 50, 15), 50, (150, 60), 180, False),  # not beside it
        ((150, 15, 50, 15), 50, (150, 35), 90, False),  # a dark die gives no such light
        ((150, 15, 50, 15), 70, (150, 35), 180, False),  # nor any die so much
        ((150, 10, 60, 20), 50, (150, 35), 180, True),  # on half as much as its face, too
        ((150, 10, 60, 20), 50, (40, 35), 180, False),  # further off it catches less
        ((150, 15, 50, 45), 50, (150, 65), 180, False),  # it reaches the floor
    ],
)
def test_a_wall_catches_more_light_the_nearer_a_bright_die_is(box, grey, die, light, on_walls):
    x, y = die
    square = np.float32([(x, y), (x + 47, y), (x + 47, y + 47), (x, y + 47)])
    area = filled(np.zeros((300, 400), np.uint8), square, 0)
    assert on_wall(box, grey, 0.0, [(area, light)]) is on_walls


@pytest.mark.parametrize(("level", "said"), [(255, {"foreign", "glare"}), (200, {"foreign"})])
def test_a_stranger_white_beyond_telling_may_be_a_die_that_glares(level, said):
    thing = np.zeros(FELT.shape[:2], np.uint8)
    thing[100:140, 120:160] = 255
    shown = FELT.copy()
    shown[thing > 0] = level
    shown[100:140, 120:135] = 90  # a side that is turned away from the lamp
    station = SimpleNamespace(tray=tray_of(FELT))
    seen = SimpleNamespace(settings=SETTINGS, face=40.0**2, rectified=shown, station=station)
    assert leftovers.strangers(seen, [thing]) == said
