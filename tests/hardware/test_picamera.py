"""The Pi camera's production class against a stand-in for its library."""

import importlib.util
import itertools
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from hardware.camera import open_camera
from hardware.exposure import CannotHold, ExposureLock, LockSettings, Phase
from hardware.frames import CameraError, CameraLost, CameraStuck
from hardware.picamera import PiCamera

_spec = importlib.util.spec_from_file_location(
    "fake_picamera2", Path(__file__).with_name("fake_picamera2.py")
)
fake = importlib.util.module_from_spec(_spec)
sys.modules["fake_picamera2"] = fake
_spec.loader.exec_module(fake)


@pytest.fixture
def hardware(monkeypatch):
    made = fake.Hardware()
    monkeypatch.setitem(sys.modules, "picamera2", made.module())
    full = SimpleNamespace(Sycc=lambda: "full range")
    monkeypatch.setitem(sys.modules, "libcamera", SimpleNamespace(ColorSpace=full))
    return made


def some(camera, count):
    """The first pictures; closing the generator lets go of the device."""
    running = camera.frames()
    frames = list(itertools.islice(running, count))
    running.close()
    return frames


def test_pictures_come_only_when_exposure_colours_and_focus_are_held(hardware):
    frames = some(PiCamera(), 3)
    (given,) = hardware.given
    assert given["AeEnable"] is False
    assert given["AwbEnable"] is False
    assert given["ExposureTime"] == pytest.approx(20_000, rel=0.05)
    assert given["ColourGains"] == (1.5, 2.0)
    assert (given["AfMode"], given["LensPosition"]) == (0, 3.0)
    settling = frames[0].seq
    assert settling >= LockSettings().steady + fake.LAG
    assert [frame.seq - settling for frame in frames] == [0, 1, 2]


def test_blue_is_first_and_the_grey_picture_is_of_the_same_request(hardware):
    frame = some(PiCamera(), 1)[0]
    assert frame.bgr.shape == (960, 1280, 3)
    assert frame.bgr[5, 5].tolist() == [fake.BLUE, fake.GREEN, fake.RED]
    assert frame.luma.shape == (480, 640)
    assert set(frame.luma.ravel().tolist()) == {97}


def test_a_small_picture_of_other_greys_is_not_used(hardware, caplog):
    hardware.grey = 16 + 97 * 219 // 255 - 20  # as a driver might squeeze it
    assert [frame.luma for frame in some(PiCamera(), 3)] == [None] * 3
    assert len(caplog.messages) == 1
    assert "small picture is off by" in caplog.messages[0]


def test_pictures_are_copies_and_every_request_goes_back(hardware):
    frames = some(PiCamera(), 12)  # three times the pool
    assert hardware.out == []
    assert all(frame.bgr.all() for frame in frames)  # the pool's memory is zero by now
    assert (hardware.opened, hardware.closed) == (1, 1)


def test_a_camera_without_a_lens_drive_is_not_told_to_focus(hardware):
    hardware.lens = False
    some(PiCamera(), 2)
    assert not {"AfMode", "LensPosition"} & set(hardware.given[0])
    assert "AfMode" not in hardware.configuration["controls"]


def test_drift_withholds_the_pictures_and_locks_again(hardware):
    running = PiCamera().frames()
    before = next(running).seq
    hardware.knocked = {"LensPosition": 5.0}
    after = next(running).seq
    running.close()
    assert after - before > LockSettings().misses
    assert len(hardware.given) == 2
    assert hardware.given[1] == hardware.given[0]


def test_a_camera_that_never_holds_is_a_state_with_a_reason(hardware):
    hardware.wander = lambda picture: {"ExposureTime": 20_000 + 9_000 * (picture // 40 % 2)}
    with pytest.raises(CameraLost, match="does not keep ExposureTime"):
        list(itertools.islice(PiCamera().frames(), 2000))
    assert hardware.closed == 1


def test_a_hang_is_noticed_closed_and_opened_anew(hardware):
    hardware.hang_at = 40
    camera = PiCamera(hang_s=0.01)
    seen = []
    with pytest.raises(CameraLost, match="sent no picture for"):
        seen.extend(camera.frames())
    assert hardware.closed == 1
    hardware.hang_at = None
    seen.append(next(camera.frames()))
    assert hardware.opened == 2
    numbers = [frame.seq for frame in seen]
    assert numbers == sorted(set(numbers))


def test_a_driver_that_does_not_let_go_needs_a_restart(hardware):
    hardware.hang_at, hardware.stuck = 0, threading.Event()
    with pytest.raises(CameraStuck, match="restart the station"):
        next(PiCamera(hang_s=0.01, shut_s=0.05).frames())
    hardware.stuck.set()


def test_a_busy_camera_is_said_so_although_the_library_hides_it(hardware):
    hardware.busy = True
    with pytest.raises(CameraLost, match="used by another program"):
        next(PiCamera().frames())
    hardware.busy = False
    assert len(some(PiCamera(), 1)) == 1


def test_no_camera_is_a_state_not_a_crash(hardware):
    hardware.cameras = 1
    camera = open_camera("picamera2:1", lambda: None)
    with pytest.raises(CameraLost, match=r"picamera2:1 is not there \(1 found\)"):
        next(camera.frames())


def test_any_fault_of_the_library_is_a_state(hardware, monkeypatch):
    def broken(self, configuration):
        raise ValueError("no such format")

    monkeypatch.setattr(fake.FakePicamera2, "configure", broken)
    with pytest.raises(CameraLost, match="no such format"):
        next(PiCamera().frames())
    assert hardware.closed == 1


def test_pictures_without_colour_gains_cannot_be_held(hardware):
    hardware.silent = ("ColourGains",)
    with pytest.raises(CameraLost, match="without 'ColourGains'"):
        next(PiCamera().frames())


def test_closing_ends_the_frames(hardware):
    camera = PiCamera()
    running = camera.frames()
    next(running)
    camera.close()
    assert list(running) == []
    assert list(camera.frames()) == []
    assert (hardware.opened, hardware.closed) == (1, 1)


def test_a_missing_library_is_refused_at_once(monkeypatch):
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraError, match="apt install python3-picamera2"):
        PiCamera()


# The lock by itself

STEADY = {"ExposureTime": 10_000, "AnalogueGain": 2.0, "ColourGains": (1.5, 2.0)}


def locked(settings=None):
    lock = ExposureLock(False, settings)
    while lock.phase is not Phase.HELD:
        lock.feed(STEADY)
    return lock


def test_a_single_picture_off_the_lock_is_withheld_but_no_drift():
    lock = locked()
    assert lock.feed({**STEADY, "AnalogueGain": 3.0}) is None
    assert not lock.good
    lock.feed(STEADY)
    assert lock.good
    assert lock.relocks == 0


def test_steps_of_the_sensor_are_no_drift():
    lock = locked()
    for _ in range(50):
        lock.feed({"ExposureTime": 10_120, "AnalogueGain": 2.04, "ColourGains": (1.52, 2.03)})
        assert lock.good


def test_restless_light_is_locked_when_patience_ends():
    settings = LockSettings(patience=20)
    lock = ExposureLock(False, settings)
    fed = 0
    while lock.feed({**STEADY, "ExposureTime": 10_000 * (1 + fed % 2)}) is None:
        fed += 1
    assert fed + 1 == settings.patience


def test_drift_again_and_again_gives_up_but_seldom_drift_does_not():
    off = {**STEADY, "ColourGains": (1.9, 2.0)}

    def drift(lock):
        while lock.phase is Phase.HELD:
            lock.feed(off)
        while lock.phase is not Phase.HELD:
            lock.feed(STEADY)

    seldom, often = locked(), locked()
    for _ in range(12):
        drift(seldom)
        for _ in range(LockSettings().calm):
            seldom.feed(STEADY)
    assert seldom.relocks == 12
    for _ in range(LockSettings().relocks):
        drift(often)
    with pytest.raises(CannotHold, match="ColourGains"):
        drift(often)
