"""The watcher on films: what hands and dice do between, during and after a throw."""

from functools import partial

import numpy as np
import pytest

from vision import reader
from vision.reader import Watcher
from vision.reading import Reason, TrayState, Verdict
from vision.station import StationError

from . import film
from .film import EMPTY, Projector, states

once = partial(pytest.param, marks=pytest.mark.once)
A, DICE_A = film.throw(0)
B, DICE_B = film.throw(1)


@pytest.fixture
def felt():
    return film.station()


@pytest.fixture
def projector(felt):
    return Projector(Watcher(felt))


@pytest.fixture
def thrown(projector):
    """A throw that was read and accepted lies in the tray."""
    projector.show((EMPTY, 1.0), (A, 1.0))
    (roll,) = projector.rolls
    assert roll.reading.verdict is Verdict.ACCEPT
    assert sorted(roll.reading.faces("spike")) == film.faces(DICE_A)
    return projector


@pytest.mark.parametrize("name", ["first", "second", "colours"])
@pytest.mark.parametrize("fps", [once(5), once(15), 30, once(60)])
def test_a_filmed_throw_is_one_roll_at_every_rate(felt, name, fps):
    frames = film.clip(name)
    expect = {"spike": 3, "cube": 2} if name == "colours" else film.EXPECT
    projector = Projector(Watcher(felt), fps, expect)
    for frame in film.resampled(frames, fps):
        projector.frame(frame)
    assert len(projector.rolls) == 1
    assert TrayState.NUDGED not in states(projector.events)
    assert projector.rolls[0].reading.verdict is not Verdict.REFUSE


def test_uneven_times_and_dropped_frames_change_nothing(felt):
    projector = Projector(Watcher(felt))
    chance = np.random.default_rng(7)
    for number, frame in enumerate(film.resampled(film.clip("first"), 60)):
        if chance.random() < 0.4:
            projector.t += 1 / 60
            continue
        projector.frame(film.noisy(frame, number), after=float(chance.uniform(0.001, 0.032)))
    assert len(projector.rolls) == 1


def test_a_hand_over_dice_that_were_read_reads_nothing_anew(felt):
    frames = film.clip("first")
    projector = Projector(Watcher(felt))
    passing = [*frames[42:50], *frames[49:41:-1]]
    for frame in [*frames[:42], *passing, *[frames[41]] * 15]:
        projector.show((frame, 1 / 15))
    assert len(projector.rolls) == 1
    assert states(projector.events)[-2:] == [TrayState.HAND, TrayState.READ]
    assert projector.events[-1].reading is None


def test_a_pushed_die_is_said_and_asked_about_with_what_it_was(thrown):
    events = thrown.show((film.nudged(A, DICE_A[0], 40, 25), 1.0))
    assert states(events) == [TrayState.ROLLING, TrayState.NUDGED]
    reading = events[-1].reading
    assert reading.verdict is Verdict.ASK
    assert Reason.CHANGED in reading.reasons
    assert sorted(reading.before) == [("spike", face) for face in film.faces(DICE_A)]
    assert thrown.watcher.state is TrayState.NUDGED
    assert len(thrown.rolls) == 1


def test_a_die_that_shows_another_face_where_it_lies_is_noticed(thrown):
    seen = film.tipped(A, DICE_A[0], DICE_A[1])
    reading = thrown.show((seen, 1.0))[-1].reading
    wanted = [DICE_A[1]["face"], DICE_A[1]["face"], DICE_A[2]["face"]]
    assert sorted(map(str, reading.faces("spike"))) == sorted(wanted)
    assert reading.verdict is Verdict.ASK
    assert thrown.watcher.state is TrayState.NUDGED


def test_a_die_pushed_twice_still_says_what_was_read_first(thrown):
    thrown.show((film.nudged(A, DICE_A[0], 40, 25), 1.0))
    reading = thrown.show((film.nudged(A, DICE_A[0], -30, -20), 1.0))[-1].reading
    assert sorted(reading.before) == [("spike", face) for face in film.faces(DICE_A)]


def test_dice_taken_away_one_by_one_are_no_new_throws(thrown):
    two = film.without(A, DICE_A[0], leaving=DICE_A[1:])
    one = film.without(two, DICE_A[1], leaving=DICE_A[2:])
    thrown.show((two, 1.0), (one, 1.0), (EMPTY, 1.0))
    assert [e for e in thrown.events if e.reading] == thrown.rolls
    assert len(thrown.rolls) == 1
    assert thrown.watcher.state is TrayState.EMPTY


def test_dice_under_a_shaking_camera_are_not_read_on_and_on(felt, monkeypatch):
    """They never look just as they were read, and a reading costs more than all the watching."""
    read_at = set()  # in a light the empty tray was not seen in, it takes two looks
    burst = reader.read_burst
    monkeypatch.setattr(reader, "read_burst", lambda *a: read_at.add(projector.t) or burst(*a))
    projector = Projector(Watcher(felt))
    projector.show((EMPTY, 1.0))
    bright = film.lit(A, 1.3)
    for step in range(90):
        projector.frame(film.noisy(film.shifted(bright, 0.5 * (step % 2), 0), step))
    assert len(projector.rolls) == 1
    assert [e for e in projector.events if e.reading] == projector.rolls
    assert len(read_at) <= 4  # the throw, and at most every other second again


def test_a_die_put_back_where_it_lay_changes_nothing(thrown):
    thrown.show((film.without(A, DICE_A[0], leaving=DICE_A[1:]), 1.0), (A, 1.0))
    assert [e for e in thrown.events if e.reading] == thrown.rolls
    assert thrown.watcher.state is TrayState.READ


def test_swept_and_thrown_again_at_once_is_a_second_roll(thrown):
    thrown.show((EMPTY, 0.2), (B, 1.0))
    first, second = thrown.rolls
    between = states(thrown.events)[thrown.events.index(first) + 1 :]
    assert between == [TrayState.ROLLING, TrayState.EMPTY, TrayState.ROLLING, TrayState.READ]
    assert second.reading.verdict is Verdict.ACCEPT
    assert sorted(second.reading.faces("spike")) == film.faces(DICE_B)


def test_dice_changed_for_others_unseen_are_asked_about_not_missed(thrown):
    events = thrown.show((B, 1.0))
    assert events[-1].state is TrayState.NUDGED
    assert sorted(map(str, events[-1].reading.faces("spike"))) == film.faces(DICE_B)
    assert events[-1].reading.verdict is Verdict.ASK


def test_a_glimpse_of_an_empty_tray_frees_no_die_that_still_lies_there(thrown):
    """A picture that came out wrong must not turn dice already paid into a new roll."""
    thrown.show((EMPTY, 0.2), (A, 1.5))
    assert len(thrown.rolls) == 1


def test_a_gap_in_the_film_keeps_what_was_read(thrown):
    thrown.t += 60
    thrown.show((A, 1.0))
    thrown.watcher.interrupted()
    assert thrown.watcher.state is TrayState.OFFLINE
    thrown.show((A, 1.0))
    assert len(thrown.rolls) == 1
    assert thrown.watcher.state is TrayState.READ


def test_something_laid_beside_the_dice_is_said(thrown):
    chip = film.mixed(A, np.full_like(A, 230), film.region({"quad": _spot(560, 420)}, 1.0))
    reading = thrown.show((chip, 1.0))[-1].reading
    assert reading.verdict is Verdict.REFUSE
    assert Reason.CHANGED in reading.reasons


def test_a_picture_of_another_size_is_told_at_once(felt):
    with pytest.raises(StationError, match="calibrate"):
        Watcher(felt).feed(EMPTY[:-2], 0.0)


def test_a_live_camera_that_repeats_its_picture_is_frozen_and_read_by_nobody(felt):
    projector = Projector(Watcher(felt, live=True))
    projector.show((EMPTY, 1.0))
    for _ in range(60):
        projector.frame(A)
    assert states(projector.events)[-1] is TrayState.FROZEN
    assert projector.rolls == []
    projector.show((A, 1.0))
    assert len(projector.rolls) == 1


def test_a_recording_may_repeat_its_picture(felt):
    projector = Projector(Watcher(felt))
    for seen in (EMPTY, A):
        for _ in range(60):
            projector.frame(seen)
    assert states(projector.events) == [TrayState.EMPTY, TrayState.ROLLING, TrayState.READ]


def _spot(x, y, half=30):
    return [[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]]
