"""The settle machine without pictures: whatever is seen, no throw is told twice."""

from hypothesis import given, settings
from hypothesis import strategies as st

from vision.reader import touched
from vision.reading import DieReading, Reading, Reason, TrayState, Verdict
from vision.settings_watch import SettleSettings
from vision.settle import Look, Outcome, Settle, Sight, judged, sight_of, step
from vision.touched import outcome_of

S = SettleSettings()
SIGHTS = ("dark", "repeated", "shifted", "moving", "covered", "empty", "vacant", "as_read")
PLACES = [(100.0 * n, 50.0) for n in range(4)]


def die(place, face="sun", slip=0.0):
    x, y = PLACES[place]
    x += slip
    return DieReading("spike", face, ((x, y), (x + 20, y), (x + 20, y + 20), (x, y + 20)), 0.9)


def reading(*dice, verdict=Verdict.ACCEPT, reasons=()):
    return Reading(verdict, dice, reasons)


def rest(settle, t, seconds=1.0, **seen):
    """Look at one still scene; the machine then, the time, and whether it must be judged."""
    due = False
    for _ in range(round(seconds * 15)):
        t += 1 / 15
        settle, due = step(settle, Look(t, **seen), S)
    return settle, t, due


# --- any sequence --------------------------------------------------------------------------------
looks = st.builds(
    lambda gap, flags: (gap, {name: name in flags for name in SIGHTS}),
    st.sampled_from([0.05, 0.067, 0.2, 0.9, 3.0]),
    st.sets(st.sampled_from(SIGHTS), max_size=4),
)
scenes = st.lists(
    st.tuples(
        looks, st.integers(1, 9), st.sampled_from(["none", "a", "b", "c", "hand", "cloth", "blind"])
    ),
    min_size=1,
    max_size=25,
)
TRAYS = {
    "none": reading(verdict=Verdict.REFUSE, reasons=(Reason.NO_DICE,)),
    "a": reading(die(0, "sun"), die(1, "eye")),
    "b": reading(die(2, "sun"), die(3, "eye")),
    "c": reading(die(0, "crown"), die(1, "eye")),
    "cloth": reading(verdict=Verdict.REFUSE, reasons=(Reason.FOREIGN,)),
    "blind": reading(verdict=Verdict.REFUSE, reasons=(Reason.LIGHT,)),
    "hand": reading(verdict=Verdict.REFUSE, reasons=(Reason.HAND,)),
}


def told(scenes):
    """What the machine tells of a film, as (state, dice read or None), with every state."""
    settle, said, t, story = Settle(), None, 0.0, []
    for (gap, flags), times, tray in scenes:
        for _ in range(times):
            t += gap
            settle, due = step(settle, Look(t, **flags), S)
            if not due:
                story.append((settle.state, None))
                continue
            if flags["empty"] and tray == "none":
                settle, said = judged(settle, Outcome.EMPTY, S), None
                story.append((settle.state, None))
                continue
            now = TRAYS[tray]
            outcome = outcome_of(said, now, gone=settle.latched is None, place=0.15)
            settle = judged(settle, outcome, S)
            if outcome in (Outcome.THROWN, Outcome.TOUCHED):
                said = touched(now, said) if outcome is Outcome.TOUCHED else now
                story.append((settle.state, now.dice))
            else:
                story.append((settle.state, None))
    return story


FILMS = settings(max_examples=400, deadline=None)


@FILMS
@given(scenes)
def test_between_two_throws_the_tray_was_empty(film):
    dice = ()
    empty = True
    for state, read in told(film):
        empty = empty or state is TrayState.EMPTY
        if state is TrayState.READ and read is not None:
            assert empty or not dice
            dice, empty = read, False


@FILMS
@given(scenes)
def test_dice_that_were_read_never_change_without_being_said_to_be_nudged(film):
    known = False
    for state, read in told(film):
        if read is not None and known:
            assert state is TrayState.NUDGED
        known = (known or bool(read)) and state is not TrayState.EMPTY


@given(scenes)
def test_nothing_is_judged_in_the_dark_or_elsewhere_or_while_it_moves(film):
    settle, t = Settle(), 0.0
    for (gap, flags), times, _ in film:
        for _ in range(times):
            t += gap
            settle, due = step(settle, Look(t, **flags), S)
            unfit = flags["dark"] or flags["shifted"] or flags["moving"]
            assert not (due and unfit)


# --- single rules --------------------------------------------------------------------------------
def test_stillness_takes_time_and_enough_frames():
    settle, _ = step(Settle(), Look(0.0), S)
    fast = slow = settle
    for n in range(1, 20):
        fast, due = step(fast, Look(n * 0.01), S)
        assert not due
    settle, due = step(slow, Look(0.4), S)
    assert not due  # long enough, but two frames are no burst
    for n in range(2, 5):
        settle, due = step(settle, Look(0.4 * n), S)
    assert due


def test_frames_far_apart_prove_no_stillness():
    settle, t = Settle(), 0.0
    for _ in range(20):
        t += S.gap + 0.1
        settle, due = step(settle, Look(t), S)
        assert not due


def test_a_repeated_picture_counts_for_nothing_and_is_said():
    settle, t, _ = rest(Settle(), 0.0, 0.2)
    settle, t, due = rest(settle, t, 1.5, repeated=True)
    assert not due
    settle, t, due = rest(settle, t, 1.0, repeated=True)
    assert (settle.state, due) == (TrayState.FROZEN, False)


def test_a_hand_at_rest_is_not_read_again_at_every_frame():
    settle, t, due = rest(Settle(), 0.0)
    assert due
    settle = judged(settle, Outcome.HAND, S)
    assert settle.state is TrayState.HAND
    settle, t, due = rest(settle, t, S.again - 0.2)
    assert not due
    assert rest(settle, t, 0.4)[2]


def test_one_glimpse_of_an_empty_tray_is_a_flicker_and_two_are_a_sweep():
    read = judged(rest(Settle(), 0.0)[0], Outcome.THROWN, S)
    once, _ = step(read, Look(1.1, moving=True, vacant=True), S)
    assert once.latched is TrayState.READ
    again, _ = step(once, Look(1.2, moving=True), S)
    assert again.latched is TrayState.READ
    gone, _ = step(once, Look(1.2, moving=True, vacant=True), S)
    assert (gone.state, gone.latched, gone.unproven) == (TrayState.EMPTY, None, True)


def test_a_tray_empty_by_glimpses_is_looked_at_once_more():
    settle = Settle(state=TrayState.EMPTY, unproven=True)
    settle, t, due = rest(settle, 0.0, empty=True)
    assert due
    settle = judged(settle, Outcome.EMPTY, S)
    assert not rest(settle, t, empty=True)[2]


def test_every_sight_can_happen():
    still = Settle(t=1.0, since=0.0, stills=9, fresh=1.0)
    seen = {
        sight_of(Settle(t=9.0, fresh=1.0), Look(9.0), S),
        sight_of(still, Look(1.0, dark=True), S),
        sight_of(still, Look(1.0, shifted=True), S),
        sight_of(Settle(latched=TrayState.READ, glimpses=2), Look(0.0), S),
        sight_of(still, Look(1.0, moving=True, covered=True), S),
        sight_of(still, Look(1.0, moving=True), S),
        sight_of(still, Look(1.0, moving=True, as_read=True), S),
        sight_of(Settle(), Look(0.0), S),
        sight_of(still, Look(1.0, empty=True), S),
        sight_of(still, Look(1.0, as_read=True), S),
        sight_of(still, Look(1.0), S),
    }
    assert seen == set(Sight)


# --- what became of the dice ---------------------------------------------------------------------
def became(before, now, gone=False):
    return outcome_of(before, now, gone=gone, place=0.15)


def test_dice_taken_away_leave_the_others_as_they_were():
    before = reading(die(0), die(1, "eye"), die(2))
    assert became(before, reading(die(0), die(2))) is Outcome.SAME
    assert became(before, reading(die(1, "eye", slip=2.0))) is Outcome.SAME
    assert became(before, reading(die(1, "eye", slip=9.0))) is Outcome.TOUCHED
    assert became(before, reading(die(1, "sun"))) is Outcome.TOUCHED
    assert became(before, reading(*before.dice, die(3))) is Outcome.TOUCHED


def test_after_a_glimpse_of_the_empty_tray_other_dice_are_a_throw():
    before = reading(die(0), die(1))
    assert became(before, reading(die(2), die(3)), gone=True) is Outcome.THROWN
    assert became(before, reading(die(2), die(3))) is Outcome.TOUCHED
    assert became(before, reading(die(0), die(3)), gone=True) is Outcome.TOUCHED
    assert became(before, before, gone=True) is Outcome.SAME


def test_a_refused_scene_that_was_tidied_is_told_again_and_the_same_one_is_not():
    chip = reading(die(0), verdict=Verdict.REFUSE, reasons=(Reason.FOREIGN,))
    assert became(chip, chip) is Outcome.SAME
    assert became(chip, reading(die(0))) is Outcome.TOUCHED
    said = reading(die(0), verdict=Verdict.REFUSE, reasons=(Reason.CHANGED, Reason.FOREIGN))
    assert became(said, chip) is Outcome.SAME


def test_dice_that_were_covered_for_a_while_are_no_new_throw():
    covered = touched(TRAYS["cloth"], TRAYS["a"])
    assert became(TRAYS["a"], TRAYS["cloth"]) is Outcome.TOUCHED
    assert became(covered, TRAYS["a"]) is Outcome.TOUCHED
    assert became(covered, TRAYS["a"], gone=True) is Outcome.TOUCHED
    assert became(TRAYS["a"], TRAYS["blind"]) is Outcome.TOUCHED


def test_dice_after_a_reading_without_dice_are_a_throw():
    assert became(TRAYS["none"], TRAYS["a"]) is Outcome.THROWN
    assert became(TRAYS["a"], TRAYS["hand"]) is Outcome.HAND
