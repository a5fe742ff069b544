"""Black dice, cubes with a coloured disc and printed ones, where a lamp's image turns them grey."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from tests.vision.test_foreshortening import shorter, squeezed
from vision.diceset import DiceSet, Kind
from vision.faces import read_face
from vision.foreshortening import logarithm
from vision.patch import MARGIN, PATCH
from vision.plain import printed
from vision.reading import DieReading, Reason
from vision.relight import relit
from vision.seen import Found, Seen
from vision.settings import SceneSettings
from vision.squares import Square
from vision.station import Body, Station
from vision.tray import Tray

WHITE = (240.0, 240.0, 240.0)
BLACK, GREY = (26, 26, 26), (82, 84, 84)
DISCS = {"red": (40, 38, 185), "blue": (215, 80, 30)}  # hardly darker or brighter than the grey
SILVER = (100, 104, 106)
PRINTS = ("bar", "wedge", "disc")
SETTINGS = SceneSettings()


def body(colour):
    grain = np.random.default_rng(3).normal(0, 3.0, (PATCH, PATCH, 3))
    return np.clip(np.array(colour, float) + grain, 0, 255).astype(np.uint8)


def disc(name, on=BLACK):
    """A cube's face."""
    return cv2.circle(body(on), (32, 32), 16, DISCS[name], -1, cv2.LINE_AA)


def drawn(name, on=BLACK, ink=SILVER):
    """A printed die's."""
    face = body(on)
    match name:
        case "bar":
            cv2.rectangle(face, (24, 14), (36, 50), ink, -1)
        case "wedge":
            cv2.fillPoly(face, [np.array([(14, 48), (32, 16), (44, 48)])], ink, cv2.LINE_AA)
        case "disc":
            cv2.circle(face, (32, 32), 16, ink, -1, cv2.LINE_AA)
    return face


@cache
def station(*prints):
    """Black cubes and dice with ``prints``."""
    empty = np.full((480, 640, 3), (60, 110, 50), np.uint8)
    corners = np.array([(80, 60), (560, 60), (560, 420), (80, 420)], np.float32)
    tray = Tray(corners, (160.0, 120.0), empty, SETTINGS)
    cubes = Kind.of_colours("cube", {name: [disc(name)] for name in DISCS}, WHITE)
    spikes = Kind.of_symbols("spike", {name: [drawn(name)] for name in prints})
    bodies = {"cube": Body(48.0, 16.0, 0.6), "spike": Body(48.0, 16.0, 0.6)}
    dice = DiceSet({}).with_kind(cubes).with_kind(spikes)
    return Station(tray, dice, bodies, Station.bare(tray).halo)


@pytest.mark.parametrize("on", [BLACK, GREY])
@pytest.mark.parametrize("name", sorted(DISCS))
def test_a_disc_is_a_cube_s_by_its_colour_where_brightness_hardly_shows_it(name, on):
    face, known = disc(name, on), station("bar", "wedge")
    likeness = known.dice.kinds["cube"].mark.score(relit(face)).similarity
    assert (likeness >= SETTINGS.surely_alike) == (on == BLACK)
    told = read_face(face, "cube", known).die
    assert (told.face, told.reasons) == (name, ())


@pytest.mark.parametrize("on", [BLACK, GREY])
@pytest.mark.parametrize("name", PRINTS)
def test_a_print_is_no_disc_whatever_lies_on_its_body(name, on):
    assert not station(*PRINTS).marks.shows(drawn(name, on), "cube")


def test_grey_where_no_mark_shows_is_asked_about():
    face = cv2.rectangle(body(GREY), (12, 20), (30, 50), BLACK, -1)
    assert read_face(face, "cube", station("bar", "wedge")).die.reasons == (Reason.COLOUR_UNSURE,)


@pytest.mark.parametrize("name", sorted(DISCS))
def test_a_disc_by_its_colour_is_no_cube_s_where_a_print_is_as_like_it(name):
    """Red print of the cube's own disc: by its colour, too, it may be either."""
    known, alike = station("bar", "wedge"), drawn("disc", ink=DISCS[name])
    spikes = Kind.of_symbols("spike", {"bar": [drawn("bar")], "disc": [alike]})
    either = Station(known.tray, known.dice.with_kind(spikes), known.bodies, known.halo)
    assert known.marks.shows(disc(name, GREY), "cube")
    assert not either.marks.shows(disc(name, GREY), "cube")


def framed(colour, frame, low=10):
    """A panel of ``colour`` in a square frame."""
    face = body(frame)
    cv2.rectangle(face, (low, low), (63 - low, 63 - low), colour, -1)
    return face


FRAME = (95, 97, 96)
PANELS = {"red": (60, 50, 170), "blue": (190, 90, 50)}


@cache
def station_with_frames():
    """Cubes of whose frame nothing was seen when they were enrolled."""
    known = station("bar", "wedge")
    faces = {name: [framed(colour, FRAME)] for name, colour in PANELS.items()}
    dice = known.dice.with_kind(Kind.of_colours("cube", faces, WHITE))
    pale = {name: [drawn(name, (170, 190, 190), (90, 120, 90))] for name in ("bar", "wedge")}
    return Station(
        known.tray, dice.with_kind(Kind.of_symbols("spike", pale)), known.bodies, known.halo
    )


@pytest.mark.parametrize("name", sorted(PANELS))
def test_a_frame_that_was_not_seen_at_first_is_no_print_where_it_shows(name):
    known, seen = station_with_frames(), framed(PANELS[name], FRAME, low=12)
    assert not known.marks.marked
    assert printed(seen) > known.plain
    told = read_face(seen, "cube", known).die
    assert (told.face, told.reasons) == (name, ())


@pytest.mark.parametrize("name", PRINTS)
def test_another_print_on_such_a_cube_s_colour_is_asked_about(name):
    known, seen = station_with_frames(), drawn(name, PANELS["red"], FRAME)
    assert printed(seen) > known.plain
    assert read_face(seen, "cube", known).die.reasons == (Reason.COLOUR_UNSURE,)


def seen_flat(face, known):
    """A cube's ``face`` (P, P, 3) in the middle of the tray, and where it lies."""
    frame = known.tray.picture.copy()
    wide = round(48 * (1 + 2 * MARGIN))
    shown = cv2.resize(face, (wide, wide), interpolation=cv2.INTER_AREA)
    frame[240 - wide // 2 : 240 + wide // 2, 320 - wide // 2 : 320 + wide // 2] = shown
    rectified = known.tray.rectify(frame)
    seen = Seen(frame, rectified, known.tray.floor.beside(rectified), known)
    rim = SETTINGS.scale * SETTINGS.rim  # the tray is seen in the scale it is rectified to
    die = DieReading("cube", "red", ((0.0, 0.0),) * 4, 1.0, ())
    return seen, Found(Square(240 + rim, 180 + rim, 48.0, 0.0, 1.0), die, 1.0, 1.0)


@pytest.mark.parametrize("share", [0.0, 0.15])
def test_a_mark_tells_how_a_cube_is_foreshortened(share):
    seen, item = seen_flat(squeezed(disc("red"), share, 0), station("bar", "wedge"))
    told = seen.foreshortening(item)
    assert told.log == pytest.approx(logarithm(shorter(share, 0)), abs=0.02)


def test_a_cube_without_a_mark_tells_nothing_of_that():
    seen, item = seen_flat(framed(PANELS["red"], FRAME), station_with_frames())
    assert seen.foreshortening(item) is None
