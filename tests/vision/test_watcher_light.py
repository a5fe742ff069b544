"""The watcher when the light changes, the camera is pushed, or dice hardly show."""

import numpy as np
import pytest

from vision.daylight import is_clear, light_on, relit
from vision.reader import Watcher
from vision.reading import Reason, TrayState, Verdict
from vision.settings_watch import GuardSettings

from . import film
from .film import EMPTY, Projector, states

pytestmark = pytest.mark.once
A, DICE_A = film.throw(0)
B, DICE_B = film.throw(1)


@pytest.fixture
def felt():
    return film.station()


@pytest.fixture
def projector(felt):
    made = Projector(Watcher(felt))
    made.show((EMPTY, 1.0))
    assert made.watcher.state is TrayState.EMPTY
    return made


@pytest.mark.parametrize(("left", "right"), [(0.6, 0.6), (0.6, 1.0), (1.3, 1.3), (1.5, 0.9)])
def test_a_lamp_switched_over_the_empty_tray_is_no_throw(projector, left, right):
    projector.show((film.lit(EMPTY, left, right), 1.5), (EMPTY, 1.5))
    assert [e for e in projector.events if e.reading] == []
    assert projector.watcher.state is TrayState.EMPTY


@pytest.mark.parametrize("light", [0.7, 1.35])
def test_a_throw_in_another_light_is_read_once_the_empty_tray_was_seen_in_it(projector, light):
    projector.show((film.lit(EMPTY, light), 1.5), (film.lit(A, light), 1.0))
    (roll,) = projector.rolls
    assert sorted(map(str, roll.reading.faces("spike"))) == film.faces(DICE_A)
    assert roll.reading.verdict is Verdict.ACCEPT


@pytest.mark.parametrize("tint", [(0.5, 0.5, 0.5), (0.6, 0.8, 1.1)])
def test_a_throw_in_very_different_light_asks(projector, tint):
    empty, dice = (np.rint(seen * tint).clip(0, 255).astype(np.uint8) for seen in (EMPTY, A))
    projector.show((empty, 1.5), (dice, 1.0))
    (roll,) = projector.rolls
    assert roll.reading.verdict is not Verdict.ACCEPT
    assert Reason.LIGHT in roll.reading.reasons


def test_light_that_came_with_the_throw_is_not_taken_for_a_moved_camera(projector):
    projector.show((film.lit(A, 1.45), 1.0))
    (roll,) = projector.rolls
    assert roll.reading.verdict is not Verdict.ACCEPT
    assert Reason.MOVED not in roll.reading.reasons
    assert Reason.LIGHT in roll.reading.reasons


@pytest.mark.parametrize("light", [0.0, 0.2, 0.45, 0.6])
def test_a_lamp_switched_off_and_on_over_dice_makes_no_second_roll(projector, light):
    projector.show((A, 1.0), (film.lit(A, light), 1.5), (A, 1.5))
    assert [e for e in projector.events if e.reading] == projector.rolls
    assert len(projector.rolls) == 1
    assert TrayState.EMPTY not in states(projector.events)[1:]
    assert projector.watcher.state is TrayState.READ


@pytest.mark.parametrize(("before", "after"), [(0.8, 1.15), (1.0, 1.45)])
def test_a_die_that_slides_in_a_light_the_empty_tray_was_not_seen_in_is_said(
    projector, before, after
):
    projector.show((film.lit(EMPTY, before), 1.5), (film.lit(A, before), 1.0))
    switched = projector.show((film.lit(A, after), 3.0))
    assert [e for e in switched if e.reading] == []
    slid = film.nudged(A, DICE_A[0], 40, 25)
    told = projector.show((film.lit(slid, after), 1.0))[-1]
    assert told.state is TrayState.NUDGED
    assert {Reason.CHANGED, Reason.LIGHT} <= set(told.reading.reasons)
    assert len(told.reading.dice) == 3
    assert told.reading.verdict is Verdict.ASK
    assert len(projector.rolls) == 1


def test_dice_that_are_covered_by_far_too_much_are_not_said_to_lie_as_they_were(projector):
    """So much that no light of now can be told: an arm in the sun, or a blind's shadows."""
    projector.show((A, 1.0))
    through_blinds = A.copy()
    through_blinds[:, np.arange(A.shape[1]) // 12 % 2 == 1] //= 3
    assert states(projector.show((through_blinds, 1.0)))[-1] is TrayState.HAND
    projector.show((A, 1.0))
    assert projector.watcher.state is TrayState.READ
    assert [e for e in projector.events if e.reading] == projector.rolls
    assert len(projector.rolls) == 1


def test_darkness_is_said(projector):
    assert states(projector.show((film.lit(EMPTY, 0.1), 1.0)))[-1] is TrayState.DARK


def test_dice_cleared_in_the_dark_are_gone_when_there_is_light(projector):
    projector.show((A, 1.0), (film.lit(A, 0.1), 0.5), (film.lit(EMPTY, 0.1), 1.0), (EMPTY, 1.0))
    assert projector.watcher.state is TrayState.EMPTY
    assert len(projector.rolls) == 1


# --- the camera moved ----------------------------------------------------------------------------
@pytest.mark.parametrize("push", [(5, 3), (-14, 8), (40, -25)])
def test_a_pushed_camera_is_said_and_reads_nothing_until_it_is_back(projector, push):
    away = projector.show((film.shifted(EMPTY, *push), 3.0), (film.shifted(A, *push), 3.0))
    assert states(away)[-1] is TrayState.MOVED
    assert [e for e in away if e.reading] == []
    projector.show((A, 3.5))
    (roll,) = projector.rolls
    assert roll.reading.verdict is Verdict.ACCEPT


def test_a_camera_pushed_over_dice_that_were_read_reads_nothing_anew(projector):
    projector.show((A, 1.0), (film.shifted(A, 9, -6), 3.0))
    assert projector.watcher.state is TrayState.MOVED
    projector.show((A, 3.5))
    assert projector.watcher.state is TrayState.READ
    assert [e for e in projector.events if e.reading] == projector.rolls
    assert len(projector.rolls) == 1


def test_a_camera_that_sinks_slowly_is_found_while_nobody_plays(projector):
    for step in range(150):
        projector.frame(film.noisy(film.shifted(EMPTY, 0, 0.04 * step), step))
    assert projector.watcher.state is TrayState.MOVED
    assert projector.rolls == []


# --- hours ---------------------------------------------------------------------------------------
QUICK = GuardSettings(follow=2.0)  # an hour of daylight in a minute of film


def test_slow_daylight_is_followed_and_the_next_throw_is_read(felt):
    projector = Projector(Watcher(felt, guards=QUICK))
    for step in range(150):
        projector.frame(film.noisy(film.lit(EMPTY, 1 - step / 400, 1 + step / 600), step), 0.4)
    assert states(projector.events) == [TrayState.EMPTY]
    last = (1 - 150 / 400, 1 + 150 / 600)
    projector.show((film.lit(A, *last), 1.0))
    (roll,) = projector.rolls
    assert sorted(map(str, roll.reading.faces("spike"))) == film.faces(DICE_A)
    assert roll.reading.verdict is Verdict.ACCEPT


def test_a_coin_that_appears_ever_so_slowly_never_becomes_floor(felt):
    projector = Projector(Watcher(felt, guards=QUICK))
    spot = {"quad": [[520, 400], [600, 400], [600, 480], [520, 480]]}
    mask = film.region(spot, 1.0)
    coin = np.full_like(EMPTY, (60, 150, 190))
    for step in range(150):
        projector.frame(film.noisy(film.mixed(EMPTY, coin, mask * step / 150), step), 0.4)
    assert projector.watcher.state is not TrayState.EMPTY
    assert projector.rolls
    assert all(e.reading.verdict is Verdict.REFUSE for e in projector.events if e.reading)


@pytest.mark.parametrize("name", [t["image"] for t in film.TRUTH if t["scene"] == "face"][::5])
def test_no_die_is_explained_by_light(felt, name):
    seen = film.picture(name)
    assert not is_clear(relit(felt.tray, seen, GuardSettings()), seen, felt.face)


def test_the_light_that_is_followed_is_bounded_and_smooth(felt):
    wild = np.clip(EMPTY.astype(np.int16) * np.random.default_rng(3).integers(0, 9), 0, 255)
    light = light_on(felt.tray, wild.astype(np.uint8), GuardSettings())
    low, high = GuardSettings().gain
    assert low <= light.min()
    assert light.max() <= high
    across = light_on(felt.tray, film.lit(EMPTY, 0.6, 1.4), GuardSettings())
    assert np.abs(np.diff(across, axis=1)).max() < 0.03


def test_a_die_that_a_glance_misses_is_found_in_full_resolution(felt):
    """Dark dice on dark floors: nothing moves at a glance, the empty tray is looked at again."""
    blind = Watcher(felt)
    blind._glances = blind._glances.__class__(moving=300, differs=300, redrawn=300)
    projector = Projector(blind)
    projector.show((EMPTY, 1.0), (A, 4.0))
    (roll,) = projector.rolls
    assert sorted(roll.reading.faces("spike")) == film.faces(DICE_A)
