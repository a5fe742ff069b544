"""Setting a station up from inside: its tray, its dice, its camera, against recorded pictures."""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from companion.auth import Refusal, SeatCodes
from companion.config import Settings
from companion.database import Database
from companion.rolls import RollDesk
from companion.setup.camera import Cameras, chosen_camera
from companion.setup.dice import Dice
from companion.setup.lookout import (
    HELD,
    HOLD_S,
    RESIZED,
    UNSET,
    UNTAUGHT,
    Lookout,
    Reader,
)
from companion.setup.model import FloorShape, SetupRefused
from companion.setup.table import TableNames
from companion.setup.tray import Stations, Trays
from companion.station_files import as_chosen
from hardware.camera import CameraError, Frame
from hardware.found import FoundCamera, cameras
from tests.recordings import RECORDING
from vision.enrolment import learn
from vision.patch import Image
from vision.reading import TrayState
from vision.station import Station, read_image
from vision.store import StationStore

COLOURS = ("red", "blue")


class Store(dict[str, str]):
    """Durable settings in memory."""

    def get_setting(self, name):
        return self.get(name)

    def set_setting(self, name, value):
        self[name] = value


class StillLookout:
    """A camera before which the test lays a picture; every frame shows it."""

    def __init__(self):
        self.picture: Image | None = None
        self.reads_with: Station | None = None
        self.held = 0

    def lay(self, name: str) -> None:
        self.picture = read_image(RECORDING / name)

    def newest(self):
        return [Frame(self.picture, n / 15, n) for n in range(6) if self.picture is not None]

    def fresh(self, count, patience_s=5.0):
        return self.newest()[:count]

    def hold(self):
        self.held += 1

    def read_with(self, station):
        self.reads_with = station


class Bench:
    """A station's folder with everything that sets it up."""

    def __init__(self, folder: Path):
        self.store = StationStore(folder / "station")
        self.lookout = StillLookout()
        self.settings = Store()
        first = self.store.load if self.store.exists() else lambda: None
        self.stations = Stations(self.store, self.lookout, first)
        self.tray = Trays(self.stations, self.lookout)
        self.dice = Dice(self.stations, self.lookout, self.settings)

    def calibrate(self) -> None:
        self.lookout.lay("empty/000.jpg")
        self.tray.keep(self.tray.take().corners, FloorShape.RECTANGLE, None)

    def show(self, face: str, name: str):
        self.lookout.lay(f"faces/cube/{name}.jpg")
        return self.dice.look(face)

    def teach(self, mm: int = 15) -> None:
        self.dice.begin("cube", "Red", COLOURS, mm)
        for face in COLOURS:
            for number in (1, 2):
                look = self.show(face, f"{face}_{number}")
                assert look.ready, look.lines
                self.dice.take(face, look.number)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture(scope="module")
def taught_folder(tmp_path_factory):
    """A station with cubes, made once; to be copied from, never written."""
    folder = tmp_path_factory.mktemp("taught")
    bench = Bench(folder)
    bench.calibrate()
    bench.teach()
    bench.dice.learn()
    bench.dice.save()
    return folder


@pytest.fixture
def taught(taught_folder, tmp_path):
    shutil.copytree(taught_folder / "station", tmp_path / "station")
    return Bench(tmp_path)


def test_a_size_that_was_told_wrong_is_said_and_mended(taught):
    taught.teach(mm=19)
    taught.dice.learn()
    draft = taught.dice.draft()
    assert (draft.dice_mm, draft.looks_mm) == (19, 15)
    taught.dice.learn(draft.looks_mm)
    draft = taught.dice.draft()
    assert (draft.dice_mm, draft.looks_mm) == (15, None)
    taught.dice.save()
    assert taught.stations.current.bodies["cube"].size_mm == 15
    with pytest.raises(SetupRefused, match="8 to 40"):
        taught.dice.learn(60)


# The tray


def test_the_tray_is_found_but_only_used_once_it_is_confirmed(bench):
    bench.lookout.lay("empty/000.jpg")
    draft = bench.tray.take()
    assert draft.sure
    assert draft.quality > 70
    assert not bench.tray.state().calibrated
    assert bench.lookout.reads_with is None
    bench.tray.keep(draft.corners, FloorShape.RECTANGLE, (206, 152))
    assert bench.tray.state().size_mm == (206, 152)
    assert bench.tray.draft() is None
    assert bench.lookout.reads_with is bench.stations.current
    assert Bench(bench.store.folder.parent).tray.state().size_mm == (206, 152)


def test_the_dealer_who_confirms_the_corners_waits_for_no_second_search(bench, monkeypatch):
    bench.lookout.lay("empty/000.jpg")
    draft = bench.tray.take()

    def searched(frames):
        raise AssertionError("searched again")

    monkeypatch.setattr("vision.calibration.find_outline", searched)
    bench.tray.keep(draft.corners, FloorShape.RECTANGLE, (206, 152))
    assert bench.stations.current.tray.barrel != 0


def test_where_no_tray_is_found_the_corners_wait_to_be_dragged(bench):
    bench.lookout.picture = np.full((480, 640, 3), 110, np.uint8)
    draft = bench.tray.take()
    assert not draft.sure
    assert draft.doubts
    assert len(draft.corners) == 4


@pytest.mark.parametrize(
    ("corners", "size", "code"),
    [
        (((100, 100), (900, 700), (900, 100), (100, 700)), None, "bad_corners"),
        (((100, 100), (900, 100), (900, 700), (100, 700)), (20, 150), "bad_size"),
    ],
)
def test_a_calibration_that_cannot_be_is_refused_and_the_draft_kept(bench, corners, size, code):
    bench.lookout.lay("empty/000.jpg")
    bench.tray.take()
    with pytest.raises(SetupRefused) as refused:
        bench.tray.keep(corners, FloorShape.RECTANGLE, size)
    assert refused.value.code == code
    assert bench.tray.draft() is not None
    assert not bench.tray.state().calibrated


def test_calibrating_again_keeps_the_dice_and_goes_one_step_back(taught):
    tints = ((0.1, 0.3, 0.5),)  # of shadows, learnt with the dice
    known = taught.stations.current
    taught.store.save(replace(known, tray=replace(known.tray, tints=tints)))
    taught = Bench(taught.store.folder.parent)
    before = taught.stations.current.tray
    taught.lookout.lay("empty/001.jpg")
    corners = [(x + 4, y + 4) for x, y in taught.tray.take().corners]
    taught.tray.keep(corners, FloorShape.RECTANGLE, None)
    state = taught.tray.state()
    assert state.kinds == ("cube",)
    assert state.size_mm == tuple(round(side) for side in before.size_mm)
    assert taught.lookout.reads_with.dice.kinds
    assert taught.lookout.reads_with.tray.tints == tints
    taught.tray.step_back()
    assert np.allclose(taught.stations.current.tray.corners, before.corners, atol=0.1)


def test_a_tray_of_another_shape_is_marked_measured_and_read_with(taught):
    taught.lookout.lay("empty/001.jpg")
    draft = taught.tray.take()
    marks = draft.marks(FloorShape.OCTAGON)
    with pytest.raises(SetupRefused, match="measure its floor") as refused:
        taught.tray.keep(marks, FloorShape.OCTAGON, None)
    assert refused.value.code == "needs_size"
    with pytest.raises(SetupRefused, match="reload"):
        taught.tray.keep(marks[:6], FloorShape.OCTAGON, (150, 150))
    with pytest.raises(SetupRefused, match="once round"):
        taught.tray.keep([*marks[:7], (640, 480)], FloorShape.OCTAGON, (150, 150))
    wide = [(x, y * (1 + number / 20)) for number, (x, y) in enumerate(marks)]
    with pytest.raises(SetupRefused, match="no 8 corners"):
        taught.tray.keep(wide, FloorShape.OCTAGON, (150, 150))
    assert taught.tray.draft() is draft
    taught.tray.keep(marks, FloorShape.OCTAGON, (150, 150))
    state = taught.tray.state()
    assert (state.shape, state.size_mm, state.kinds) == (FloorShape.OCTAGON, (150, 150), ("cube",))
    assert Bench(taught.store.folder.parent).tray.state() == state
    assert taught.lookout.reads_with.tray.edge == pytest.approx(np.array(marks), abs=0.01)
    taught.tray.take()
    taught.tray.keep([(x + 3, y) for x, y in marks], FloorShape.OCTAGON, None)  # as before
    assert taught.tray.state().size_mm == (150, 150)
    taught.tray.take()
    round_ = draft.marks(FloorShape.ROUND)
    taught.tray.keep(round_, FloorShape.ROUND, (150, 150))
    assert taught.tray.state().shape is FloorShape.ROUND


def test_without_a_picture_the_tray_cannot_be_taken(bench):
    with pytest.raises(SetupRefused, match="no picture"):
        bench.tray.take()


# The dice


def test_dice_are_taught_tried_and_only_then_used(bench):
    bench.calibrate()
    bench.teach()
    assert bench.dice.draft().ready
    with pytest.raises(SetupRefused):
        bench.dice.save()
    bench.dice.learn()
    assert bench.tray.state().kinds == ()
    bench.lookout.lay("faces/cube/blue_2.jpg")
    tried = bench.dice.try_out()
    assert [die.face for die in tried.reading.dice] == ["blue"]
    bench.dice.save()
    assert bench.dice.draft() is None
    assert bench.dice.labels() == {"cube": "Red"}
    assert set(bench.lookout.reads_with.dice.kinds) == {"cube"}
    assert bench.lookout.held > 4


def test_a_die_that_was_not_turned_over_is_not_taken_unasked(bench):
    bench.calibrate()
    bench.dice.begin("cube", "Red", COLOURS, 15)
    bench.dice.take("red", bench.show("red", "red_1").number)
    again = bench.show("red", "red_1")
    assert (again.can_take, again.ready) == (False, False)
    bench.dice.take("red", bench.show("red", "red_2").number)
    same = bench.show("blue", "red_1")
    assert (same.can_take, same.ready, same.looks_like) == (True, False, "red")
    assert bench.show("blue", "blue_1").ready


def test_a_picture_is_taken_of_what_was_seen_and_can_be_removed(bench):
    bench.calibrate()
    bench.dice.begin("cube", "Red", COLOURS, 15)
    seen = bench.show("red", "red_1")
    bench.show("red", "red_2")
    with pytest.raises(SetupRefused) as refused:
        bench.dice.take("red", seen.number)
    assert refused.value.code == "gone"
    bench.dice.take("red", bench.show("red", "red_2").number)
    assert bench.dice.taken("red", 0)
    bench.dice.remove("red", 0)
    assert bench.dice.draft().faces[0].pictures == 0
    with pytest.raises(SetupRefused):
        bench.dice.learn()


def test_a_picture_that_learning_leaves_out_is_dropped_and_asked_for_again(bench, monkeypatch):
    learnt, empty = [], read_image(RECORDING / "empty/000.jpg")

    def learning(station, kind, faces, dice_mm):
        shown = {**faces, "red": [empty, *faces["red"][1:]]}
        learnt.append(learn(station, kind, shown, dice_mm))
        return learnt[-1]

    monkeypatch.setattr("companion.setup.dice.learn", learning)
    bench.calibrate()
    bench.teach()
    bench.dice.learn()
    assert [len(learnt[0].station.dice.kinds["cube"].exemplars[face]) for face in COLOURS] == [1, 2]
    assert [face.pictures for face in bench.dice.draft().faces] == [1, 2]
    assert bench.dice.taken("red", 0)
    assert bench.dice.taken("red", 1) is None


def test_moving_dice_are_waited_for(bench):
    bench.calibrate()
    bench.dice.begin("cube", "Red", COLOURS, 15)
    moving = [read_image(RECORDING / f"faces/cube/red_{n}.jpg") for n in (1, 2, 1, 2)]
    bench.lookout.newest = lambda: [Frame(p, n / 15, n) for n, p in enumerate(moving)]
    look = bench.dice.look("red")
    assert (look.can_take, look.ready, look.quad) == (False, False, None)


@pytest.mark.parametrize(
    ("faces", "mm"), [(["one"], 16), (["one", "one"], 16), ("abcdefg", 16), (COLOURS, 5)]
)
def test_impossible_dice_are_refused(taught, faces, mm):
    with pytest.raises(SetupRefused):
        taught.dice.begin("other", "Red", faces, mm)


def test_dice_need_a_tray_first(bench):
    with pytest.raises(SetupRefused, match="tray first"):
        bench.dice.begin("cube", "Red", COLOURS, 15)


# The camera and what reads its pictures


class Desk:
    """Notes what the station would show."""

    def __init__(self):
        self.said = []
        self.events = []

    def camera_trouble(self, message):
        self.said.append(message)

    def on_event(self, event):
        self.events.append(event.state)

    def expect(self):
        return None


def test_the_reader_says_why_it_reads_nothing_and_begins_without_a_restart(taught):
    desk, now = Desk(), [0.0]
    reader = Reader(desk, lambda: now[0])
    frame = taught.stations.current.tray.picture
    assert reader.feed(frame, 0.0) == []
    reader.use(Station.bare(taught.stations.current.tray))
    assert reader.feed(frame, 0.1) == []
    reader.use(taught.stations.current)
    seen = [e.state for n in range(30) for e in reader.feed(frame, 1 + n / 15)]
    assert seen[-1] is TrayState.EMPTY
    reader.hold()
    assert reader.feed(frame, 5.0) == []
    now[0] = HOLD_S
    seen = [e.state for n in range(30) for e in reader.feed(frame, 9 + n / 15)]
    assert seen[-1] is TrayState.EMPTY  # it looks anew
    assert desk.said == [UNSET, UNTAUGHT, "", HELD, ""]


def test_a_camera_of_another_size_is_said_and_reading_goes_on_once_it_is_back(taught):
    desk = Desk()
    reader = Reader(desk)
    reader.use(taught.stations.current)
    picture = taught.stations.current.tray.picture
    assert reader.feed(picture[::2, ::2], 0.0) == []
    seen = [e.state for n in range(30) for e in reader.feed(picture, 1 + n / 15)]
    assert seen[-1] is TrayState.EMPTY
    assert desk.said == [RESIZED, ""]
    taught.lookout.picture = picture[::2, ::2]
    taught.dice.begin("cube", "Red", COLOURS, 15)
    with pytest.raises(SetupRefused, match="calibrate"):
        taught.dice.look("red")


def test_the_self_test_looks_through_what_was_chosen_on_the_screen(taught, tmp_path):
    settings = Settings(data_dir=tmp_path)
    with closing(Database.in_folder(tmp_path)) as database:
        database.set_setting("camera", "usb:2")
    chosen = as_chosen(settings)
    assert (chosen.camera, chosen.station) == ("usb:2", tmp_path / "station")
    assert as_chosen(replace(settings, camera="usb:1")).camera == "usb:1"


class GreyCamera:
    """Sends grey pictures until it is closed."""

    def __init__(self):
        self.closed = threading.Event()

    def frames(self):
        for number in range(10_000):
            if self.closed.is_set():
                return
            yield Frame(np.full((48, 64, 3), 90, np.uint8), number / 15, number)
            time.sleep(0.002)

    def close(self):
        self.closed.set()


@pytest.fixture
def lookout():
    made = []

    def open_(setting):
        if setting == "broken":
            raise CameraError("camera: not there")
        if setting == "disabled":
            return None
        made.append(GreyCamera())
        return made[-1]

    lookout = Lookout(open_, Desk())
    lookout.opened = made
    lookout.start()
    yield lookout
    lookout.close()


def test_a_camera_is_exchanged_while_the_station_runs(lookout):
    assert lookout.fresh(2, 0.01) == []
    lookout.use("usb:0")
    assert len(lookout.fresh(3)) == 3
    lookout.use("usb:1")
    assert lookout.opened[0].closed.is_set()
    assert len(lookout.fresh(3)) == 3
    with pytest.raises(CameraError):
        lookout.use("broken")
    assert (lookout.setting, len(lookout.fresh(1))) == ("usb:1", 1)
    lookout.use("disabled")
    assert lookout.live_frame() is None
    assert lookout.newest() == []


def choices(lookout, store, named="disabled"):
    return Cameras(lookout, store, named, lambda: [FoundCamera("usb:0", "Eye")], lambda: None)


def test_a_chosen_camera_is_kept_and_one_that_is_gone_is_refused(lookout):
    store = Store()
    made = choices(lookout, store)
    assert [c.setting for c in made.choices()] == ["usb:0", "disabled"]
    made.choose("usb:0")
    assert lookout.setting == "usb:0"
    assert chosen_camera("disabled", store) == "usb:0"
    assert chosen_camera("picamera2", store) == "picamera2"  # the settings file counts more
    with pytest.raises(SetupRefused):
        made.choose("usb:9")
    assert lookout.fresh(1)
    assert made.light().size == (64, 48)


def test_a_camera_named_in_the_settings_file_stays(lookout):
    fixed = choices(lookout, Store(), named="usb:3")
    assert fixed.fixed
    with pytest.raises(SetupRefused):
        fixed.choose("usb:0")


def test_cameras_are_listed_without_codecs_and_metadata(tmp_path):
    nodes = {
        "video0": ("HD Webcam", "0"),
        "video1": ("HD Webcam", "1"),
        "video10": ("bcm2835-codec-decode", "0"),
        "video2": ("Desk Cam", "0"),
    }
    for node, (name, index) in nodes.items():
        folder = tmp_path / "sys/class/video4linux" / node
        folder.mkdir(parents=True)
        (folder / "name").write_text(name + "\n")
        (folder / "index").write_text(index + "\n")
    found = cameras(tmp_path, lambda: [{"Model": "imx708"}, {"Model": "imx219"}])
    assert [camera.setting for camera in found] == ["picamera2", "picamera2:1", "usb:0", "usb:2"]
    assert [camera.name for camera in found][-2:] == ["HD Webcam", "Desk Cam"]


# Names and codes


def test_the_first_run_and_the_name_outlive_a_restart():
    store = Store()
    names = TableNames(store, "Spike table")
    assert (names.first_run, names.name) == (False, "Spike table")
    names.begin()
    names.rename("  Docking   Bay ")
    again = TableNames(store, "Spike table")
    assert (again.first_run, again.name) == (True, "Docking Bay")
    again.finish()
    assert not TableNames(store, "x").first_run


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "a\x00b"])
def test_a_name_nobody_could_read_is_refused(name):
    names = TableNames(Store(), "Spike table")
    with pytest.raises(SetupRefused):
        names.rename(name)
    assert names.name == "Spike table"


def test_a_seat_code_ends_by_use_by_time_and_by_a_fresh_one():
    now = [0.0]
    codes = SeatCodes(lambda: now[0])
    code = codes.issue(1, "token-1")
    assert codes.shown(1) == (code, 300)
    assert codes.shown(2) is None
    assert codes.redeem(code) == "token-1"
    assert isinstance(codes.redeem(code), Refusal)
    old, new = codes.issue(1, "token-1"), codes.issue(1, "token-1")
    assert isinstance(codes.redeem(old), Refusal)
    now[0] = 300.0
    assert codes.shown(1) is None
    assert isinstance(codes.redeem(new), Refusal)


def test_the_lock_after_wrong_codes_opens_again():
    now = [0.0]
    codes = SeatCodes(lambda: now[0])
    code = codes.issue(1, "token-1")
    for _ in range(10):
        assert codes.redeem("wrong").code == "wrong_code"
    assert codes.redeem(code).code == "locked"
    now[0] = 60.0
    assert codes.redeem(code) == "token-1"


def test_a_real_desk_shows_what_the_reader_says(services, taught):
    desk: RollDesk = services.desk
    Reader(desk).feed(taught.stations.current.tray.picture, 0.0)
    assert desk.state().camera == UNSET
