"""What speaks for a die leaning, and how much of it is enough."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from vision import lying
from vision.foreshortening import PLAINLY, Foreshortening
from vision.leaning import Explained
from vision.lying import Placed
from vision.settings import SceneSettings
from vision.standing import SURELY, Clearance, Evidence

SETTINGS = SceneSettings()


def placed(standing, gap):
    """A die ``gap`` millimetres from the nearest wall."""
    return Placed(None, standing, Clearance(gap, np.inf))


def test_evidence_for_leaning_adds_up():
    flat = Evidence(gain=0.4, shown=-1.0, overlap=0.0)
    assert flat.lean(SETTINGS) < 0
    for worse in (replace(flat, gain=1.2), replace(flat, shown=3.0)):
        assert worse.lean(SETTINGS) > 0
    lying = replace(flat, gain=-0.2)
    for once in (replace(lying, shown=3.0), replace(lying, overlap=5.0)):
        assert once.lean(SETTINGS) < 0  # where a flat cube explains it better, one is not enough


def test_what_a_network_sees_counts_beside_the_other_evidence():
    doubtful = Evidence(gain=0.4, shown=0.0, overlap=0.0, sight=0.0)
    assert (
        replace(doubtful, sight=-6.0).lean(SETTINGS)
        < 0
        < replace(doubtful, sight=7.0).lean(SETTINGS)
    )
    assert replace(doubtful, sight=50.0).lean(SETTINGS) == replace(doubtful, sight=8.0).lean(
        SETTINGS
    )
    lying = Evidence(gain=-0.2, shown=-1.0, overlap=0.0, sight=7.0)
    assert lying.lean(SETTINGS) > 0  # where it is sure a low lean is asked about that no edge tells
    assert replace(lying, sight=0.5).lean(SETTINGS) < 0  # a mere hunch is not enough
    tipped = Evidence(gain=1.5, shown=3.0, overlap=0.0, sight=-1.0)
    assert tipped.lean(SETTINGS) > 0  # nor is it against what plainly leans


def test_where_no_print_is_measured_that_could_show_it_flat_a_hunch_is_enough():
    hunch = Evidence(gain=-0.1, shown=0.0, overlap=0.0, sight=-0.2)
    assert hunch.lean(SETTINGS) < 0 < replace(hunch, shown=None).lean(SETTINGS)
    assert replace(hunch, shown=None, sight=-1.0).lean(SETTINGS) < 0


@pytest.mark.parametrize("sight", [None, 0.6])
def test_it_takes_a_little_more_where_nothing_would_hold_the_raised_edge(sight):
    """Such a die falls back flat by itself, but for something small under it."""
    held = Evidence(gain=0.6 if sight is None else -0.2, shown=1.0, overlap=0.0, sight=sight)
    leant = replace(held, leant=True)
    assert held.lean(SETTINGS) - 1.0 < leant.lean(SETTINGS) < held.lean(SETTINGS) - 0.5
    assert leant.lacks(SETTINGS) > held.lacks(SETTINGS)


@pytest.mark.parametrize("sight", [None, 0.6])
def test_it_takes_more_the_further_it_is_from_what_may_hold_it(sight):
    """Dice that lean are seen near what holds them; flat ones lie anywhere."""
    near = Evidence(gain=0.9 if sight is None else 0.0, shown=1.0, overlap=0.0, sight=sight)
    told = [replace(near, apart=sides).lean(SETTINGS) for sides in (0.0, 0.25, 0.4, 0.8)]
    assert told[0] == told[1] > told[2] > told[3]
    assert told[0] > 0 > told[3]
    sure = replace(near, apart=0.6, sight=7.0)
    assert sure.lean(SETTINGS) > 0
    assert replace(near, apart=0.6).lacks(SETTINGS) > near.lacks(SETTINGS)


@pytest.mark.parametrize(("gap", "apart"), [(-2.0, 0.0), (0.0, 0.0), (4.0, 0.25), (8.0, 0.5)])
def test_how_far_dice_are_apart_is_told_in_sides(gap, apart):
    die = placed(SimpleNamespace(size_mm=16.0), gap)
    assert die.apart == apart
    assert die.evidence(0.3, 1.0) == Evidence(0.3, PLAINLY, max(0.0, -gap), 1.0, False, apart)


def test_how_far_a_die_is_from_others_says_nothing_where_they_do_not_hold_it():
    die = placed(SimpleNamespace(size_mm=16.0), 40.0)
    held, unheld = (die.evidence(0.3, 1.0, held=held) for held in (True, False))
    assert (held.apart, held.unheld) == (2.5, False)
    assert (unheld.apart, unheld.unheld) == (0.0, True)
    assert held.lean(SETTINGS) < unheld.lean(SETTINGS)


@pytest.mark.parametrize("sight", [None, 0.0])
def test_it_takes_more_where_nothing_is_seen_that_would_hold_it(sight):
    held = Evidence(gain=0.9 if sight is None else 0.0, shown=1.0, overlap=0.0, sight=sight)
    unheld = replace(held, unheld=True)
    assert held.lean(SETTINGS) > 0 > unheld.lean(SETTINGS)
    assert unheld.lean(SETTINGS) < replace(held, leant=True).lean(SETTINGS)
    assert replace(unheld, shown=PLAINLY).lean(SETTINGS) > 0


def test_dice_that_lean_with_their_top_are_told_as_the_cube_that_explains_them_does(monkeypatch):
    hunch = 0.3
    monkeypatch.setattr(lying, "sight", lambda *_: hunch - PLAINLY)
    monkeypatch.setattr(lying, "print_odds", lambda *_: PLAINLY)
    seen = SimpleNamespace(settings=SETTINGS)
    ways = [Explained(0.0, np.zeros(4), np.zeros(4), leant) for leant in (False, True)]
    near = placed(SimpleNamespace(size_mm=16.0), 0.5)
    assert [lying._leans_so(seen, near, way) for way in ways] == [True, False]


@pytest.mark.parametrize("sight", [None, 1.5])
def test_a_print_that_a_tipped_cube_does_not_foretell_outweighs_a_likely_gain(sight):
    tipped = Evidence(gain=0.9, shown=0.0, overlap=0.0, sight=sight)
    assert tipped.lean(SETTINGS) > 0
    assert replace(tipped, shown=-PLAINLY).lean(SETTINGS) < 0
    assert replace(tipped, shown=PLAINLY).lean(SETTINGS) > tipped.lean(SETTINGS)


@pytest.mark.parametrize(
    ("sight", "shown"), [(None, 2.0), (-0.5, 0.0), (-3.0, 2.5), (-4.5, PLAINLY)]
)
def test_the_gain_that_is_lacking_is_where_a_die_begins_to_lean(sight, shown):
    some = Evidence(gain=0.0, shown=shown, overlap=1.0, sight=sight)
    lacking = some.lacks(SETTINGS)
    assert -0.5 < lacking < 1.5
    assert replace(some, gain=lacking - 0.01).lean(SETTINGS) < 0
    assert replace(some, gain=lacking + 0.01).lean(SETTINGS) > 0


@pytest.mark.parametrize(("gain", "leans"), [(-0.7, False), (-0.4, True), (0.0, True)])
def test_no_network_is_heard_where_a_tipped_cube_explains_a_die_plainly_worse(
    monkeypatch, gain, leans
):
    monkeypatch.setattr(lying, "sight", lambda *_: SURELY)
    explained = Explained(gain, np.zeros(4), np.zeros(4))
    standing = SimpleNamespace(
        explained=lambda least: [explained] if gain >= least else [], size_mm=16.0
    )
    seen = SimpleNamespace(settings=SETTINGS, foreshortening=lambda item: None)
    assert lying._leans(seen, placed(standing, 0.5)) is leans


@pytest.mark.parametrize(("gain", "leans"), [(-0.1, False), (0.1, True)])
def test_where_nothing_holds_it_a_tipped_cube_has_to_explain_a_die_as_well_as_a_flat_one(
    monkeypatch, gain, leans
):
    monkeypatch.setattr(lying, "sight", lambda *_: SURELY)
    seen = SimpleNamespace(settings=SETTINGS, foreshortening=lambda item: None)
    near = placed(SimpleNamespace(size_mm=16.0), 40.0)
    unheld = Explained(gain, np.zeros(4), np.zeros(4), held=False)
    assert lying._leans_so(seen, near, unheld) is leans
    assert lying._leans_so(seen, placed(near.standing, 0.5), replace(unheld, held=True))


def test_a_die_leans_where_it_looks_tipped_any_way_that_it_may_be(monkeypatch):
    """The cube that explains most may be tipped towards what only touches the die."""
    ways = [Explained(gain, np.zeros(4), np.zeros(4)) for gain in (0.5, 0.4)]
    monkeypatch.setattr(lying, "sight", lambda _, way: SURELY if way is ways[1] else -SURELY)
    seen = SimpleNamespace(settings=SETTINGS, foreshortening=lambda item: None)

    def leans(ways):
        standing = SimpleNamespace(explained=lambda least: ways, size_mm=16.0)
        return lying._leans(seen, placed(standing, 0.5))

    assert leans(ways)
    assert not leans(ways[:1])
    assert not leans([])


RISE = np.log((400 - 16) / (400 - 16 - 16))  # of a print 16 mm nearer to a camera at 400 mm


@pytest.mark.parametrize(
    ("larger", "error", "raised"),
    [
        (RISE, 0.007, True),
        (0.0, 0.007, False),
        (RISE / 2, 0.007, False),  # as well the one as the other
        (RISE, 0.05, False),  # measured too badly to tell
        (-RISE, 0.007, False),
    ],
)
def test_a_die_lies_on_another_where_its_print_is_as_much_larger_as_that_is_high(
    larger, error, raised
):
    shown = Foreshortening(np.array([larger, 0.0, 0.0]), np.eye(3) * error**2)
    tray = SimpleNamespace(enlargement=lambda height: 400 / (400 - height))
    bodies = {kind: SimpleNamespace(size_mm=16) for kind in ("spike", "cube")}
    seen = SimpleNamespace(
        settings=SETTINGS,
        foreshortening=lambda item: shown,
        station=SimpleNamespace(tray=tray, bodies=bodies),
    )
    item = SimpleNamespace(die=SimpleNamespace(kind="spike"))
    assert lying._raised(seen, item) is raised


def test_of_a_die_without_print_nothing_tells_that_it_lies_on_another():
    seen = SimpleNamespace(settings=SETTINGS, foreshortening=lambda item: None)
    assert not lying._raised(seen, None)
