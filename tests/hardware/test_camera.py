"""The camera setting, and webcams that come and go."""

import itertools

import cv2
import numpy as np
import pytest

from hardware.camera import CameraError, CameraLost, UsbCamera, open_camera

PICTURE = np.full((4, 6, 3), 7, np.uint8)


class FakeDevice:
    """What OpenCV's VideoCapture shows of a webcam; ``known`` are the controls it has."""

    def __init__(self, known=(), *, opened=True, pictures=10**6):
        self.values = dict(known)
        self.opened = opened
        self.pictures = pictures
        self.released = 0

    def isOpened(self):  # noqa: N802 - OpenCV's name
        return self.opened

    def read(self):
        self.pictures -= 1
        return (True, PICTURE) if self.pictures >= 0 else (False, None)

    def get(self, name):
        return self.values.get(name, -1)

    def set(self, name, value):
        if name not in self.values:
            return False
        self.values[name] = value
        return True

    def release(self):
        self.released += 1


AUTOMATIC = {
    cv2.CAP_PROP_AUTO_EXPOSURE: 3,
    cv2.CAP_PROP_EXPOSURE: 312,
    cv2.CAP_PROP_AUTO_WB: 1,
    cv2.CAP_PROP_WB_TEMPERATURE: 4200,
    cv2.CAP_PROP_AUTOFOCUS: 1,
    cv2.CAP_PROP_FOCUS: 35,
}


@pytest.mark.parametrize(
    "setting",
    ["", "usb", "usb:", "usb:x", "usb:-1", "usb:²", "usb:99999", "picamera2:", "picamera2:a",
     "replay:", "disabled:0", "webcam"],
)  # fmt: skip
def test_a_wrong_setting_is_refused_with_the_allowed_forms(setting):
    with pytest.raises(CameraError, match="replay:FOLDER, usb:NUMBER, picamera2"):
        open_camera(setting, lambda: None)


def test_disabled_is_no_camera():
    assert open_camera("disabled", lambda: None) is None


def test_a_missing_library_is_one_sentence_with_its_remedy():
    with pytest.raises(CameraError, match="apt install python3-picamera2") as caught:
        open_camera("picamera2", lambda: None)
    assert not isinstance(caught.value, CameraLost)  # trying again would not help


def test_a_webcam_is_locked_on_what_it_found_after_settling():
    device = FakeDevice(AUTOMATIC)
    camera = UsbCamera(0, lambda number: device, settle=5)
    frame = next(camera.frames())
    assert device.pictures == 10**6 - 6
    assert frame.seq == 5
    assert (device.get(cv2.CAP_PROP_AUTO_EXPOSURE), device.get(cv2.CAP_PROP_EXPOSURE)) == (1, 312)
    assert (device.get(cv2.CAP_PROP_AUTO_WB), device.get(cv2.CAP_PROP_WB_TEMPERATURE)) == (0, 4200)
    assert (device.get(cv2.CAP_PROP_AUTOFOCUS), device.get(cv2.CAP_PROP_FOCUS)) == (0, 35)
    assert camera.unlocked == ()


def test_automatisms_that_go_on_are_named():
    kept = {cv2.CAP_PROP_AUTO_EXPOSURE: 3, cv2.CAP_PROP_EXPOSURE: 312}
    camera = UsbCamera(0, lambda number: FakeDevice(kept), settle=0)
    next(camera.frames())
    assert camera.unlocked == ("white balance",)  # and no focus to be held


def test_a_webcam_that_only_says_yes_is_not_believed():
    class Liar(FakeDevice):
        def set(self, name, value):
            return True

    camera = UsbCamera(0, lambda number: Liar(AUTOMATIC), settle=0)
    next(camera.frames())
    assert camera.unlocked == ("exposure", "white balance", "focus")


def test_an_unplugged_webcam_is_let_go_and_opened_anew_with_the_count_going_on():
    first, gone, back = FakeDevice(pictures=3), FakeDevice(opened=False), FakeDevice()
    devices = iter([first, gone, back])
    ticks = itertools.count()
    camera = UsbCamera(0, lambda number: next(devices), settle=1, clock=lambda: float(next(ticks)))
    seen = []
    with pytest.raises(CameraLost, match="usb:0 is disconnected"):
        seen.extend(camera.frames())
    with pytest.raises(CameraLost, match="cannot be opened"):
        seen.extend(camera.frames())
    again = camera.frames()
    seen.append(next(again))
    assert [frame.seq for frame in seen] == [1, 2, 4]
    assert seen[-1].t > seen[-2].t
    assert (first.released, gone.released, back.released) == (1, 1, 0)
    camera.close()
    assert list(again) == []
    assert back.released == 1
    assert list(camera.frames()) == []  # closed is closed
