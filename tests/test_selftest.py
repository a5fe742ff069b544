"""The self-test must find what is wrong with a machine, not only praise a good one."""

from dataclasses import dataclass

import numpy as np
import pytest
from gpiozero.pins.mock import MockFactory, MockPin

from companion import cli, machine_check, selftest
from companion.box import ButtonSettings, LampSettings
from companion.config import Settings
from companion.machine_check import check_machine
from companion.selftest import Before, Outcome
from hardware.camera import CameraLost, Frame


@dataclass
class Shot:
    bgr: np.ndarray
    t: float


def tray(level=90, blur=False):
    rng = np.random.default_rng(4)
    noise = rng.integers(-20, 20, (90, 120, 1))
    if blur:
        noise = noise // 8
    return np.clip(level + np.repeat(noise, 3, axis=2), 0, 255).astype(np.uint8)


def shots(levels=(90,) * 30, fps=15.0, blur=False):
    return [Shot(tray(level, blur), n / fps) for n, level in enumerate(levels)]


BEFORE = Before(lambda picture: picture, tray())


def outcomes(found):
    return {check.name: check.outcome for check in found}


def test_a_good_camera_passes_every_check():
    found = selftest.camera_checks(shots(), BEFORE)
    assert set(outcomes(found).values()) == {Outcome.OK}
    assert not selftest.failed(found)


@pytest.mark.parametrize(
    ("taken", "name", "outcome"),
    [
        (shots(fps=2.0), "camera", Outcome.FAIL),
        ([Shot(tray(), 0.0)] * 3, "camera", Outcome.FAIL),
        (shots((90,) * 20 + (99,) * 10), "lock", Outcome.FAIL),
        (shots((90,) * 20 + (93,) * 10), "lock", Outcome.LOOK),
        (shots(blur=True), "focus", Outcome.FAIL),
        (shots((250,) * 30), "light", Outcome.LOOK),
    ],
)
def test_a_camera_fault_is_found_by_its_own_check(taken, name, outcome):
    found = outcomes(selftest.camera_checks(taken, BEFORE))
    assert found.pop(name) is outcome
    if name != "light":  # glare has no contrast to focus on
        assert set(found.values()) == {Outcome.OK}


def test_a_lamp_on_one_side_is_noticed():
    lit = tray()
    lit[:, 80:] = lit[:, 80:] // 3
    assert selftest.light(lit.mean(axis=2)).outcome is Outcome.LOOK


def test_without_a_station_sharpness_is_only_told():
    assert outcomes(selftest.camera_checks(shots(), None))["focus"] is Outcome.SKIP


def test_a_button_down_at_rest_fails_by_name():
    check = selftest.buttons_check({"confirm": False, "next": True})
    assert check.outcome is Outcome.FAIL
    assert check.said.startswith("next down at rest")


def hears(*presses):
    """What is heard after each question, None for silence; before it, nothing waits."""
    waiting = iter(presses)
    return lambda seconds: next(waiting) if seconds else None


@pytest.mark.parametrize(
    ("presses", "outcome", "words"),
    [
        (("confirm", "next"), Outcome.OK, "confirm, next heard"),
        (("confirm", None), Outcome.FAIL, "next was not heard; check its wire, pin and ground"),
        (("next", "confirm"), Outcome.FAIL, "next was heard when confirm was asked for"),
    ],
)
def test_each_button_is_asked_for_and_the_one_pressed_is_named(presses, outcome, words):
    asked = []
    check = selftest.presses_check(("confirm", "next"), hears(*presses), asked.append)
    assert check.outcome is outcome
    assert words in check.said
    assert [line.split()[1] for line in asked] == ["confirm", "next"]


def test_a_press_from_before_the_question_is_no_answer():
    waiting = ["confirm"]

    def heard(seconds):
        return waiting.pop() if waiting else None

    check = selftest.presses_check(("confirm",), heard, lambda line: None)
    assert "confirm was not heard" in check.said


def test_with_nobody_there_nothing_is_asked():
    check = selftest.presses_check(("confirm",), hears(), None)
    assert (check.outcome, check.said.split(":")[0]) == (Outcome.SKIP, "not asked")
    assert selftest.presses_check((), hears(), print).outcome is Outcome.SKIP


@pytest.mark.parametrize(
    ("mounts", "outcome"),
    [
        ("/dev/x / ext4 rw 0 0\ntmpfs {0} tmpfs rw 0 0", Outcome.FAIL),
        ("/dev/x / ext4 rw 0 0\ntmpfs /elsewhere tmpfs rw 0 0", Outcome.OK),
        ("tmpfs / tmpfs rw 0 0\n/dev/y {0} ext4 rw 0 0", Outcome.OK),
    ],
)
def test_books_kept_in_memory_fail(tmp_path, mounts, outcome):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/mounts").write_text(mounts.format(tmp_path.resolve()))
    data = tmp_path / "data"
    data.mkdir()
    assert selftest.memory_disk(data, tmp_path).outcome is outcome


@pytest.mark.parametrize(
    ("times", "outcome"),
    [([4.0] * 9, Outcome.OK), ([0.004] * 9, Outcome.LOOK), ([90.0] * 9, Outcome.LOOK)],
)
def test_a_flush_takes_the_time_of_a_real_one(times, outcome):
    assert selftest.flushing(times).outcome is outcome


def test_the_disk_is_really_written_and_left_clean(tmp_path):
    found = selftest.disk_checks(tmp_path / "data")
    assert [check.name for check in found] == ["disk", "flush", "latency"]
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize(
    ("millidegrees", "outcome"),
    [("51234", Outcome.OK), ("72000", Outcome.LOOK), ("80000", Outcome.FAIL), ("", Outcome.SKIP)],
)
def test_heat(tmp_path, millidegrees, outcome):
    sensor = tmp_path / "sys/class/thermal/thermal_zone0/temp"
    sensor.parent.mkdir(parents=True)
    sensor.write_text(f"{millidegrees}\n")
    assert selftest.heat(tmp_path).outcome is outcome


@pytest.mark.parametrize(
    ("bits", "outcome", "words"),
    [
        ("0", Outcome.OK, "no complaints"),
        ("50000", Outcome.LOOK, "too little voltage, throttled since the start"),
        ("50005", Outcome.FAIL, "too little voltage, throttled now"),
    ],
)
def test_power(tmp_path, bits, outcome, words):
    firmware = tmp_path / "sys/devices/platform/soc/soc:firmware/get_throttled"
    firmware.parent.mkdir(parents=True)
    firmware.write_text(f"{bits}\n")
    check = selftest.power(tmp_path)
    assert check.outcome is outcome
    assert words in check.said


def test_what_the_machine_does_not_tell_is_skipped(tmp_path):
    assert selftest.heat(tmp_path).outcome is Outcome.SKIP
    assert selftest.power(tmp_path).outcome is Outcome.SKIP
    assert selftest.facts("1.0", tmp_path)["companion"] == "1.0"


class Camera:
    def __init__(self, fault=None):
        self.fault = fault

    def frames(self):
        for n, shot in enumerate(shots()):
            yield Frame(shot.bgr, shot.t, n)
            if self.fault:
                raise self.fault


def test_the_box_is_opened_lit_and_given_back(tmp_path, monkeypatch):
    monkeypatch.setattr(machine_check, "LOOK_S", 0.0)
    settings = Settings(
        data_dir=tmp_path,
        buttons=ButtonSettings(undo=22, next=23),
        lamps=LampSettings(ask=6),
    )

    class Grounded(MockPin):
        """GPIO 23 as a jammed button holds it, against the weak pull-up."""

        def _set_pull(self, value):
            super()._set_pull(value)
            if self.info.name == "GPIO23":
                self._change_state(False)

    factory = MockFactory(pin_class=Grounded)
    for _ in range(2):  # twice: the pins are free again
        found = outcomes(check_machine(settings, factory))
        assert (found["buttons"], found["lamps"]) == (Outcome.FAIL, Outcome.OK)
    assert len(factory.pin(6).states) > 2


def test_a_press_on_the_pin_that_was_asked_for_is_heard(tmp_path, monkeypatch):
    monkeypatch.setattr(machine_check, "LOOK_S", 0.0)
    monkeypatch.setattr(selftest, "PRESS_S", 30.0)
    factory = MockFactory()
    pins = {"undo": 22, "next": 23}
    settings = Settings(data_dir=tmp_path, buttons=ButtonSettings(**pins, bounce_s=0.0))

    def ask(sentence):
        pin = factory.pin(pins[sentence.split()[1]])
        pin.drive_low()
        pin.drive_high()

    (presses,) = [c for c in check_machine(settings, factory, ask) if c.name == "presses"]
    assert (presses.outcome, presses.said) == (Outcome.OK, "undo, next heard")


@pytest.mark.parametrize(
    ("camera", "status", "words"),
    [
        (Camera(), 0, "15.0 pictures a second"),
        (Camera(CameraLost("Camera usb:0 is disconnected")), 1, "usb:0 is disconnected"),
        (None, 0, "disabled in the settings"),
    ],
)
def test_the_command_prints_a_report_and_fails_with_the_machine(
    tmp_path, monkeypatch, capsys, camera, status, words
):
    monkeypatch.setattr(machine_check, "open_camera", lambda setting, *_: camera)
    monkeypatch.setattr(
        machine_check.checks, "heat", lambda: selftest.Check("heat", Outcome.OK, "")
    )
    monkeypatch.setattr(
        machine_check.checks, "power", lambda: selftest.Check("power", Outcome.OK, "")
    )
    monkeypatch.setattr(
        selftest, "memory_disk", lambda *_: selftest.Check("disk", Outcome.OK, "")
    )  # fmt: skip
    assert cli.main(["selftest", "--data-dir", str(tmp_path)]) == status
    assert words in capsys.readouterr().out
