"""Blotches of colour, as cameras make them in little light, drawn over pictures that have none."""

import cv2
import numpy as np
import pytest

from tests.recordings import RECORDING, SESSIONS
from tests.vision import film
from vision import recording
from vision.daylight import is_clear
from vision.noise import noise, quiet
from vision.pipeline import read_frame
from vision.reading import Verdict
from vision.settings import SceneSettings
from vision.station import pictures_in, read_image
from vision.teaching import glimpse

PLAIN = np.full((240, 320, 3), (90, 120, 100), np.uint8)


def blotched(picture, seed, level=4.2, grain=3.0):
    """The picture with noise: ``grain`` of brightness a pixel, ``level`` of blotches of colour."""
    rng, (height, width) = np.random.default_rng(seed), picture.shape[:2]
    blotches = rng.normal(0, 1, (height, width, 3)).astype(np.float32)
    blotches = cv2.GaussianBlur(blotches, (0, 0), 2.2)
    blotches -= blotches.mean(axis=2, keepdims=True)
    noisy = picture + level * blotches / blotches.std()
    noisy += rng.normal(0, grain, (height, width, 1))
    return np.clip(noisy, 0, 255).astype(np.uint8)


def test_noise_is_told_by_blotches_of_colour_alone():
    told = [noise(blotched(PLAIN, 1, level)) for level in (0.0, 2.0, 4.0, 8.0)]
    assert told == sorted(told)
    assert told[0] < 0.3
    assert told[3] == pytest.approx(2 * told[2], rel=0.1)
    assert noise(blotched(PLAIN, 1, 0.0, grain=8.0)) < 0.5 * noise(blotched(PLAIN, 1, 4.0, 0.0))


@pytest.mark.parametrize("folder", sorted(path.name for path in SESSIONS.iterdir()))
def test_what_is_printed_and_what_lies_there_is_no_noise(folder):
    limit = SceneSettings().noise
    for image in ("empty/000.jpg", "throws/001.jpg"):
        picture = read_image(SESSIONS / folder / image)
        assert noise(picture) < 0.75 * limit
        assert noise(blotched(picture, 2)) > 1.3 * limit


def test_a_quiet_picture_keeps_its_brightness_and_the_edges_of_its_colours():
    picture = PLAIN.copy()
    picture[80:140, 100:160] = (40, 50, 190)
    noisy = blotched(picture, 3)
    clear = quiet(noisy)
    grey, before = (cv2.cvtColor(each, cv2.COLOR_BGR2GRAY).astype(int) for each in (clear, noisy))
    assert np.abs(grey - before).max() <= 2
    assert noise(clear) < 0.4 * noise(noisy)
    redness = clear[110, :, 2].astype(int) - clear[110, :, 0]
    assert np.flatnonzero(redness > 80).tolist() == pytest.approx(list(range(100, 160)), abs=2)


def noisy_picture(image):
    return blotched(film.picture(image), [ord(letter) for letter in str(image)])


@pytest.fixture(scope="module")
def noisy_station():
    """The demo's station from noisy pictures, one of each face."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            recording, "read_image", lambda path: noisy_picture(path.relative_to(RECORDING))
        )
        return recording.from_recording(RECORDING, per_face=1)


@pytest.mark.once
def test_a_noisy_camera_reads_throws_and_accepts_nothing_bad(noisy_station):
    accepted = 0
    for line in film.TRUTH:
        if line["scene"] not in ("throw", "bad"):
            continue
        reading = read_frame(noisy_picture(line["image"]), noisy_station, line["expect"])
        if reading.verdict is Verdict.ACCEPT:
            lying = sorted((die["kind"], die["face"]) for die in line["dice"])
            assert line["scene"] == "throw", line["image"]
            assert sorted((die.kind, die.face) for die in reading.dice) == lying, line["image"]
            accepted += 1
    assert accepted >= 14  # of 16


def test_noise_at_enrolment_leaves_the_tray_as_it_was_calibrated(noisy_station):
    empty = [noisy_picture(f"empty/{path.name}") for path in pictures_in(RECORDING / "empty")]
    tray = noisy_station.tray
    assert np.array_equal(tray.picture, np.median(np.stack(empty), axis=0).astype(np.uint8))
    assert tray.settings == SceneSettings()


def test_a_noisy_tray_is_seen_to_be_empty_and_a_single_die_on_it_to_be_one(noisy_station):
    tray, face = noisy_station.tray, noisy_station.face
    assert is_clear(tray, noisy_picture("empty/001.jpg"), face)
    shown = noisy_picture("faces/spike/crown_2.jpg")
    assert not is_clear(tray, shown, face)
    assert glimpse(tray, shown, noisy_station.bodies["spike"].size_mm).quad is not None
