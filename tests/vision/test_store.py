"""A station's folder is the old one or the new one, whatever moment the power goes."""

import contextlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from vision.settings import SceneSettings
from vision.station import INDEX, Station, StationError
from vision.store import StationStore
from vision.tray import Tray

CORNERS = np.array([[5, 5], [75, 5], [75, 55], [5, 55]], np.float32)


def station(width: float) -> Station:
    tray = Tray(CORNERS, (width, 100.0), np.full((60, 80, 3), 99, np.uint8), SceneSettings())
    return Station.bare(tray)


def width(store: StationStore) -> float:
    return store.load().tray.size_mm[0]


@pytest.fixture
def store(tmp_path):
    made = StationStore(tmp_path / "station")
    made.save(station(150))
    return made


def test_nothing_is_there_before_the_first_save(tmp_path):
    store = StationStore(tmp_path / "station")
    assert not store.exists()
    assert not store.can_step_back()
    with pytest.raises(StationError):
        store.step_back()


def test_one_step_back_and_forth_again(store):
    store.save(station(200))
    assert width(store) == 200
    assert store.step_back().tray.size_mm[0] == 150
    assert width(store) == 150
    store.step_back()
    assert width(store) == 200


class Cut(BaseException):
    """The plug is pulled."""


@pytest.mark.parametrize("act", ["save", "step_back"])
@pytest.mark.parametrize("cut_at", range(6))
def test_a_power_cut_at_any_rename_or_removal_leaves_a_whole_station(
    act, cut_at, store, monkeypatch, tmp_path
):
    store.save(station(200))
    done = iter(range(100))

    def pulled(real):
        def call(*arguments, **named):
            if next(done) == cut_at:
                raise Cut
            return real(*arguments, **named)

        return call

    with monkeypatch.context() as patched:
        patched.setattr("vision.store.shutil.rmtree", pulled(shutil.rmtree))
        patched.setattr(Path, "rename", pulled(Path.rename))
        with contextlib.suppress(Cut):
            store.save(station(250)) if act == "save" else store.step_back()
    after = StationStore(tmp_path / "station")
    assert after.exists()
    assert width(after) in ({200, 250} if act == "save" else {150, 200})
    after.save(station(300))
    assert width(after) == 300


def test_a_station_half_written_is_never_used(store, tmp_path, monkeypatch):
    def full(self, folder):
        folder.mkdir(parents=True)
        (folder / INDEX).write_text("format = 2\n")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Station, "save", full)
        with pytest.raises(StationError, match="No space left"):
            store.save(station(200))
    assert width(StationStore(tmp_path / "station")) == 150


def test_faults_of_a_station_are_sentences_with_values():
    fault = StationError("{file} is missing or damaged; calibrate again", file="a.png")
    assert str(fault) == "a.png is missing or damaged; calibrate again"
    assert (fault.text, fault.values["file"]) == (
        "{file} is missing or damaged; calibrate again",
        "a.png",
    )
    assert (
        str(StationError("braces {are} kept without values")) == "braces {are} kept without values"
    )


def test_a_damaged_dice_set_is_told_through_the_station(tmp_path):
    station(200.0).save(tmp_path)
    (tmp_path / "dice.toml").write_text("format = 99\n")
    with pytest.raises(StationError, match="format 99, this program reads") as told:
        Station.load(tmp_path)
    assert told.value.values["found"] == "99"
