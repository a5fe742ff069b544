"""How large dice of which nobody told it are taken to be, by pictures whose truth is known."""

from dataclasses import dataclass, replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from tests.recordings import RECORDING, SESSIONS
from tests.vision.taught import taught
from vision import enrolment
from vision.die_size import measured_tray, other_size
from vision.enrolment import USUAL_MM, likely_size
from vision.recording import facts_of
from vision.station import Body, Station, pictures_in, read_image

pytestmark = pytest.mark.once  # `test_recordings` has a whole station measured
NAMES = ("cantina-felt", "burnt-slate")  # their cubes are smaller than their spike dice
WITHIN = 0.11  # of a size


@pytest.fixture(scope="module", params=NAMES)
def session(request):
    """A recording's folder, its tray of known size and how large its dice are."""
    folder = SESSIONS / request.param
    return folder, taught(request.param, per_face=1).tray, facts_of(folder)["dice_mm"]


@cache
def shown(folder, kind):
    first = (path for path in pictures_in(folder / "faces" / kind) if path.stem.endswith("_1"))
    return {path.stem: [read_image(path)] for path in first}


FOUND = {}
find_anew = enrolment._found


def found_once(station, name, faces, dice_mm):
    """The dice found, as several tests look for the same ones of the same size."""
    pictures = tuple((face, *map(id, frames)) for face, frames in faces.items())
    looked = (id(station.tray), pictures, dice_mm)
    if looked not in FOUND:
        # What was looked at is kept, so that nothing else is ever known by its number.
        FOUND[looked] = find_anew(station, name, faces, dice_mm), station, faces
    return FOUND[looked][0]


@pytest.fixture(autouse=True)
def finding_once(monkeypatch):
    monkeypatch.setattr(enrolment, "_found", found_once)


def test_dice_are_measured_beside_a_tray_of_known_size(session):
    folder, tray, sizes = session
    for kind, size in sizes.items():
        found = likely_size(Station.bare(tray), kind, shown(folder, kind))
        assert found == pytest.approx(size, rel=WITHIN)


@pytest.mark.parametrize("seen", [0.83, 0.9, 1.1])
def test_dice_of_which_a_frame_or_a_foot_is_seen_are_measured_by_their_tops(
    session, seen, monkeypatch
):
    folder, tray, sizes = session
    monkeypatch.setattr(enrolment, "seen_size", lambda *_: seen * sizes["cube"])
    found = likely_size(Station.bare(tray), "cube", shown(folder, "cube"))
    assert found == pytest.approx(sizes["cube"], rel=WITHIN)


def test_dice_about_as_large_as_another_kind_are_of_its_size(session):
    folder, tray, sizes = session
    near = sizes["spike"] * 0.98
    station = replace(Station.bare(tray), bodies={"story": Body(50.0, near, 0.0)})
    assert likely_size(station, "spike", shown(folder, "spike")) == near


def test_dice_that_are_plainly_smaller_are_not(session):
    folder, tray, sizes = session
    station = replace(Station.bare(tray), bodies={"large": Body(60.0, sizes["cube"] * 1.25, 0.0)})
    assert likely_size(station, "cube", shown(folder, "cube")) < sizes["cube"] * 1.12


def test_what_was_said_of_the_dice_counts_where_they_look_so(session):
    folder, tray, sizes = session
    for told, meant in ((sizes["spike"] * 1.03, True), (sizes["spike"] * 1.3, False)):
        station = Station.bare(tray, told_mm=told)
        assert (likely_size(station, "spike", shown(folder, "spike")) == told) is meant


def test_a_size_that_was_told_wrong_is_noticed(session):
    folder, tray, sizes = session
    pictures, size = shown(folder, "cube"), sizes["cube"]
    assert other_size(Station.bare(tray), pictures, size) is None
    assert other_size(Station.bare(tray), pictures, size * 1.3) == pytest.approx(size, rel=WITHIN)
    assert other_size(Station.bare(tray, size_known=False), pictures, size * 1.3) is None


def test_the_first_dice_on_a_tray_of_unknown_size_are_what_was_said_or_usual():
    tray = taught(RECORDING.name, per_face=1).tray
    assert likely_size(Station.bare(tray, size_known=False), "spike", {}) == USUAL_MM
    assert likely_size(Station.bare(tray, size_known=False, told_mm=13.0), "spike", {}) == 13.0


def test_where_no_die_is_seen_nothing_is_measured():
    tray = taught(RECORDING.name, per_face=1).tray
    empty = {"sun": [read_image(RECORDING / "empty" / "001.jpg")]}
    assert measured_tray(tray, empty, 16.0) is None
    assert likely_size(Station.bare(tray), "spike", empty) == USUAL_MM
    known = replace(Station.bare(tray), bodies={"cube": Body(40.0, 15.0, 0.0)})
    assert likely_size(known, "spike", empty) == 15.0


def test_a_die_of_which_the_top_is_seen_so_large_is_so_large(session):
    _, tray, _ = session
    for size in np.linspace(10.0, 20.0, 5):
        assert tray.size_of_top(tray.top_side(size)) == pytest.approx(size)


def test_what_was_said_is_kept_with_the_station(session, tmp_path):
    _, tray, _ = session
    for told in (None, 12.7):
        Station.bare(tray, told_mm=told).save(tmp_path)
        assert Station.load(tmp_path).told_mm == told


@dataclass(frozen=True)
class Sized:
    """A stand-in for a tray of some steps' size, and for the station that has it."""

    steps: int = 0

    @property
    def tray(self):
        return self

    def resized(self, factor):
        return Sized(self.steps + round(np.log(factor) / np.log(enrolment.SMALLER)))


def steps_taken(monkeypatch, shares, doubts):
    """How many steps smaller a tray is taken, on each of which dice are found so."""

    def found(station, name, faces, dice_mm, before):
        step = station.steps
        assert before is None if step == 0 else before.station.steps < step
        seen = {"share": shares[step], "doubt": doubts[step]}
        return SimpleNamespace(station=station, dice_mm=dice_mm, **seen)

    monkeypatch.setattr(enrolment, "_found", found)
    monkeypatch.setattr(enrolment, "replace", lambda station, tray: tray)
    faces = dict.fromkeys("abcdef")
    return enrolment._sized(Sized(), "spike", faces, 16.0, None).station.steps


@pytest.mark.parametrize(
    ("doubts", "steps"),
    [
        ([0.9, 0.87, 0.84, 0.83, 0.83, 0.83], 2),  # each step better, until they gain nothing
        ([0.55, 0.54, 0.45, 0.40, 0.1, 0.1, 0.1], 4),  # the first alone gains next to nothing
        ([0.55, 0.54, 0.52, 0.1], 0),  # nor two of them enough
        ([0.55, 0.56, 0.57, 0.1], 0),
    ],
)
def test_smaller_trays_are_tried_as_long_as_dice_fit_better(monkeypatch, doubts, steps):
    assert steps_taken(monkeypatch, [0.99] * len(doubts), doubts) == steps


def test_no_tray_is_taken_on_which_less_of_a_top_is_seen_than_of_most_dice(monkeypatch):
    """A larger body explains more of a hard shadow, and so would a smaller tray, every time."""
    assert steps_taken(monkeypatch, [0.95, 0.91, 0.86, 0.8], [0.55, 0.54, 0.4, 0.2]) == 0


@pytest.mark.parametrize(("share", "size"), [(0.88, 14.7), (0.92, 16.0), (0.99, 16.0)])
def test_dice_are_as_large_as_others_only_if_so_much_of_their_tops_is_seen(
    monkeypatch, share, size
):
    """Cubes of 0.92 of the other dice's size, which is as near as they are measured."""
    told = SimpleNamespace(size_known=True, told_mm=None, bodies={"spike": Body(60.0, 16.0, 0.0)})
    monkeypatch.setattr(enrolment, "seen_size", lambda station, faces: 14.5)
    monkeypatch.setattr(enrolment, "_by_tops", lambda *args: 14.7)
    monkeypatch.setattr(enrolment, "_found", lambda *args: SimpleNamespace(share=share, doubt=0.0))
    assert likely_size(told, "cube", {}) == size
