"""Pips that a lamp washes out: they are seen however pale, and nothing else is taken for them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.diceset import Kind
from vision.faces import read_symbol
from vision.pale import Contrast, PalePrint
from vision.patch import PATCH
from vision.pip_patterns import LAYOUTS
from vision.reading import Reason
from vision.settings_faces import PaleSettings
from vision.symbols import FaceBank

BODY, INK = (238, 250, 253), (130, 48, 38)
PIP = 4.5  # radius in patch pixels
SETTINGS = PaleSettings()
WASHED = (0.8, 0.85, 0.9, 0.93)  # of a pip's contrast, that is gone


def pips(count, washed=(), light=0.9, noise=1.5, seed=3):
    """A white face with blue pips, of which those numbered in ``washed`` are hardly seen."""
    large = np.full((PATCH * 8, PATCH * 8, 3), BODY, np.uint8)
    for number, place in enumerate(LAYOUTS[count]):
        gone = light if number in washed else 0.0
        colour = np.array(INK) * (1 - gone) + np.array(BODY) * gone
        spot = [int((31.5 + 15 * part + 0.5) * 8) for part in (place.real, place.imag)]
        cv2.circle(large, spot, int(PIP * 8), colour.tolist(), -1, cv2.LINE_AA)
    seen = cv2.resize(large, (PATCH, PATCH), interpolation=cv2.INTER_AREA).astype(float)
    grain = np.random.default_rng(seed).normal(0, noise, seen.shape)
    return np.clip(np.rint(cv2.GaussianBlur(seen, (0, 0), 1.0) + grain), 0, 255).astype(np.uint8)


def enrolled(light):
    """Three pictures of each face; in the last one of the two a lamp washes a pip out."""
    faces = {str(count): [pips(count, seed=n) for n in range(3)] for count in LAYOUTS}
    faces["2"][2] = pips(2, washed=(1,), light=light)
    return Kind.of_symbols("spike", faces)


@pytest.fixture(scope="module", params=WASHED)
def washed(request):
    """The light of a lamp, and dice learnt partly under it."""
    return request.param, enrolled(request.param)


@pytest.mark.parametrize("seed", [5, 6])
def test_a_four_with_one_dark_pip_is_not_taken_for_such_a_two(washed, seed):
    light, kind = washed
    four = pips(4, washed=(1, 2, 3), light=light, seed=seed)
    die, _ = read_symbol(four, kind, kind.bank)
    assert die.reasons or die.face == "4"


def test_nor_where_pale_print_is_not_looked_at(monkeypatch):
    """Colour is sure of the two, strokes of the four: neither is believed."""
    kind, four = enrolled(light=0.9), pips(4, washed=(1, 2, 3))
    monkeypatch.setattr(PalePrint, "objects", lambda *_: False)
    colour, strokes = (view.score(four) for view in kind.views)
    assert colour.names_another("4")
    assert strokes.names_another("2")
    die, _ = read_symbol(four, kind, kind.bank)
    assert Reason.DISAGREE in die.reasons


@pytest.mark.parametrize("count", LAYOUTS)
def test_a_face_without_a_lamp_is_read_as_ever(washed, count):
    die, _ = read_symbol(pips(count, seed=8), washed[1], washed[1].bank)
    assert (die.face, die.reasons) == (str(count), ())


@pytest.mark.parametrize(("count", "pale"), [(4, (3,)), (5, (1, 2)), (6, (0, 4, 5))])
def test_pale_print_speaks_against_a_face_that_does_not_explain_it(washed, count, pale):
    light, kind = washed
    shown = pips(count, washed=pale, light=light, seed=7)
    assert not kind.pale.objects(shown, str(count))
    assert all(kind.pale.objects(shown, str(other)) for other in LAYOUTS if other != count)


def test_a_certain_face_is_doubted_where_pale_print_shows_another(washed, monkeypatch):
    kind = washed[1]
    monkeypatch.setattr(PalePrint, "objects", lambda _, __, face: face == "3")
    die, _ = read_symbol(pips(3), kind, kind.bank)
    assert (die.face, die.confidence, die.reasons) == ("3", 0.5, (Reason.DISAGREE,))
    assert read_symbol(pips(5), kind, kind.bank)[0].reasons == ()


def test_faces_without_pale_print_are_not_compared_again(washed, monkeypatch):
    kind, compared = washed[1], []
    monkeypatch.setattr(FaceBank, "score", lambda *_: compared.append(1))
    assert not any(kind.pale.objects(pips(count), "2") for count in LAYOUTS)
    assert not compared


@pytest.mark.parametrize("light", WASHED)
@pytest.mark.parametrize("number", range(3))
def test_pale_print_is_about_as_much_as_is_washed_out(light, number):
    pale = Contrast.of(pips(4, washed=range(number), light=light), SETTINGS).pale
    whole = number * np.pi * PIP**2 / (PATCH * 3 / 4) ** 2
    assert 0.4 * whole <= pale <= 1.3 * whole + SETTINGS.share


@pytest.mark.parametrize("light", WASHED)
def test_pale_print_counts_nearly_as_much_as_dark(light):
    shown = Contrast.of(pips(4, washed=(0,), light=light), SETTINGS).evened
    pale, dark = (shown[round(31.5 + y), round(31.5 + x)] for x, y in ((-15, -15), (15, 15)))
    assert -2 <= dark < -1.9
    assert dark < pale < -1.0
    assert np.abs(shown[26:38, 26:38]).max() < 0.6


@pytest.mark.parametrize("noise", [0.0, 1.5, 12.0])
def test_neither_grain_nor_a_bare_face_is_pale_print(noise):
    bare = np.full((PATCH, PATCH, 3), BODY, np.uint8)
    assert Contrast.of(bare, SETTINGS).pale == 0
    assert Contrast.of(pips(5, noise=noise), SETTINGS).pale <= SETTINGS.share
