"""Plain faces and printed ones, both also with the edges of shadows across them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from vision.colours import body_hue
from vision.diceset import DiceSet, Kind
from vision.faces import read_face
from vision.patch import PATCH
from vision.plain import lit_part, printed, strays
from vision.reading import Reason
from vision.settings import SceneSettings
from vision.station import Body, Station
from vision.tray import Tray

WHITE = (240.0, 240.0, 240.0)
RED, BLUE, IVORY, LILAC = (40, 30, 170), (170, 70, 30), (205, 220, 228), (150, 110, 118)
FADED = (205, 152, 137)  # a blue of which little is left, little more unlike ivory than it need be
FLOOR = (60, 110, 50)


def plain(colour=RED, noise=3.0):
    grain = np.random.default_rng(3).normal(0, noise, (PATCH, PATCH, 3))
    return np.clip(np.array(colour, float) + grain, 0, 255).astype(np.uint8)


def shaded(patch, turn=25.0, at=0.0, left=0.45, blur=1.0, wide=PATCH, tint=(1.0, 1.0, 1.0)):
    """``patch`` with a shadow whose strip begins ``at`` pixels from the middle and is ``wide``."""
    y, x = np.mgrid[:PATCH, :PATCH] - (PATCH - 1) / 2
    across = np.cos(np.deg2rad(turn)) * x + np.sin(np.deg2rad(turn)) * y
    dark = ((across > at) & (across < at + wide)).astype(np.float32)
    depth = cv2.GaussianBlur(dark, (0, 0), blur)[..., None]
    light = 1 - depth * (1 - left * np.array(tint))
    return np.clip(patch * light, 0, 255).astype(np.uint8)


def marked(colour=LILAC, ink=(60, 40, 70), name="dot"):
    """A face with little print on it."""
    patch = plain(colour)
    match name:
        case "dot":
            cv2.rectangle(patch, (30, 18), (38, 26), ink, -1)
        case "line":
            cv2.line(patch, (20, 42), (44, 24), ink, 2, cv2.LINE_AA)
        case "star":
            for turn in (0, 60, 120):
                arm = 16 * np.array([np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))])
                ends = [tuple(np.rint(32 + sign * arm).astype(int).tolist()) for sign in (1, -1)]
                cv2.line(patch, ends[0], ends[1], ink, 3, cv2.LINE_AA)
    return patch


SHADOWS = [
    {},
    {"turn": 0.0, "blur": 0.6},
    {"turn": 73.0, "at": 12.0, "left": 0.3},
    {"turn": 141.0, "at": -14.0, "left": 0.7, "blur": 3.0},
    {"turn": 110.0, "at": -10.0, "wide": 22.0},
]
MARKS = ["dot", "line", "star"]


@pytest.mark.parametrize("shadow", SHADOWS)
@pytest.mark.parametrize("colour", [RED, BLUE, IVORY])
def test_a_shadow_s_edge_is_no_print(colour, shadow):
    assert printed(shaded(plain(colour), **shadow)) < 0.10


def test_a_slope_of_light_is_no_print():
    slope = plain() * np.linspace(0.6, 1.2, PATCH)[:, None, None]
    assert printed(np.clip(slope, 0, 255).astype(np.uint8)) < 0.10


@pytest.mark.parametrize("shadow", [None, *SHADOWS])
@pytest.mark.parametrize("name", MARKS)
def test_little_print_is_print_and_stays_so_in_shadow(name, shadow):
    face = marked(name=name)
    assert printed(face if shadow is None else shaded(face, **shadow)) > SceneSettings().plain


def test_ink_of_another_hue_but_no_darker_is_print():
    assert printed(marked(colour=(120, 120, 120), ink=(190, 90, 110))) > 0.20


def test_the_lit_part_is_the_brighter_side_of_the_edge():
    lit = lit_part(shaded(plain(IVORY), turn=0.0, blur=0.6))
    assert lit[:, :28].all()
    assert not lit[:, 36:].any()


@cache
def station(*marks, ink=(60, 40, 70)):
    """A station with red and blue cubes and dice printed with ``marks``."""
    empty = np.full((480, 640, 3), FLOOR, np.uint8)
    corners = np.array([(80, 60), (560, 60), (560, 420), (80, 420)], np.float32)
    tray = Tray(corners, (160.0, 120.0), empty, SceneSettings())
    dice = DiceSet({}).with_kind(
        Kind.of_colours("cube", {"red": [plain(RED)], "blue": [plain(BLUE)]}, WHITE)
    )
    bodies = {"cube": Body(48.0, 16.0, 0.04)}
    if marks:
        art = {name: [marked(ink=ink, name=name)] for name in marks}
        dice = dice.with_kind(Kind.of_symbols("spike", art))
        bodies["spike"] = Body(48.0, 16.0, 0.6)
    return Station(tray, dice, bodies, Station.bare(tray).halo)


@pytest.mark.parametrize("shadow", SHADOWS)
@pytest.mark.parametrize(("colour", "name"), [(RED, "red"), (BLUE, "blue")])
def test_a_cube_in_part_shadow_reads_as_its_colour(colour, name, shadow):
    reading = read_face(shaded(plain(colour), **shadow), "cube", station(*MARKS))
    assert (reading.die.face, reading.die.reasons) == (name, ())


@pytest.mark.parametrize("shadow", [None, *SHADOWS])
@pytest.mark.parametrize("name", MARKS)
def test_a_printed_die_of_a_cube_s_colour_is_never_surely_a_cube(name, shadow):
    face = marked(colour=BLUE, name=name)
    reading = read_face(face if shadow is None else shaded(face, **shadow), "cube", station(*MARKS))
    assert reading.die.reasons == (Reason.COLOUR_UNSURE,)


def test_where_prints_are_faint_faint_print_is_print():
    faint = (150, 92, 96)
    usual, fine = station(*MARKS), station(*MARKS, ink=faint)
    assert fine.plain < usual.plain <= station().plain
    face = marked(ink=faint, name="line")
    assert printed(face) > fine.plain


def test_of_several_pictures_a_faint_one_is_print_and_halves_nothing():
    """One picture a face does not tell how faint its print may come out; several do."""
    faint = (150, 92, 96)
    inks = ((60, 40, 70), (60, 40, 70), faint)
    art = {name: [marked(ink=ink, name=name) for ink in inks] for name in MARKS}
    usual, fine = station(*MARKS), station(*MARKS, ink=faint)
    several = replace(usual, dice=usual.dice.with_kind(Kind.of_symbols("spike", art)))
    assert several.faintest == fine.faintest
    assert fine.plain < several.plain <= usual.plain
    assert all(printed(marked(ink=faint, name=name)) > several.plain for name in MARKS)


@pytest.mark.parametrize("other", [BLUE, FLOOR, (25, 25, 25)])
def test_two_colours_that_meet_in_a_straight_line_are_no_shadow(other):
    face = plain(RED)
    face[:, 36:] = plain(other)[:, 36:]
    reading = read_face(face, "cube", station(*MARKS))
    assert reading.die.reasons == (Reason.COLOUR_UNSURE,)


def test_a_shadow_that_changes_the_hue_leaves_the_colour_unsure():
    purple = shaded(plain(RED), left=0.5, tint=(2.6, 1.0, 0.55))
    reading = read_face(purple, "cube", station(*MARKS))
    assert reading.die.reasons == (Reason.COLOUR_UNSURE,)


def glare(patch):
    """``patch`` with a small highlight on it."""
    spot = np.zeros((PATCH, PATCH, 1), np.float32)
    cv2.circle(spot, (40, 26), 5, 1.0, -1)
    light = cv2.GaussianBlur(spot, (0, 0), 1.5)[..., None] * 45
    return np.clip(patch + light, 0, 255).astype(np.uint8)


@cache
def printed_on(body):
    """The usual station with its marks on ``body``."""
    usual = station(*MARKS)
    art = {name: [marked(body, name=name)] for name in MARKS}
    return replace(usual, dice=usual.dice.with_kind(Kind.of_symbols("spike", art)))


def test_glare_on_a_cube_is_no_print_where_no_printed_die_has_its_body():
    shining = glare(plain(RED))
    assert printed_on(IVORY).plain < printed(shining) < 0.8 * printed_on(IVORY).faintest
    assert read_face(shining, "cube", printed_on(IVORY)).die.reasons == ()
    alike = read_face(shining, "cube", printed_on(RED))
    assert alike.die.reasons == (Reason.COLOUR_UNSURE,)


def mottled(colour):
    """A face all over flecks that are darker than ``colour``, or paler."""
    noise = np.random.default_rng(5).normal(0, 1, (2, PATCH, PATCH))
    flecks = [cv2.GaussianBlur(values, (0, 0), 2.5) for values in noise]
    dark, pale = (0.5 + np.clip(values / values.std(), -2, 2)[..., None] / 4 for values in flecks)
    base = np.array(colour, float)
    return plain((base + (base.mean() - base) * 0.3 * pale) * (1.15 - 0.5 * dark))


def mirroring(colour):
    """``colour`` where half of what is seen is a white panel above."""
    return tuple(0.5 * np.array(colour) + 0.25 * np.array(station(*MARKS).tray.white))


@pytest.mark.parametrize(("colour", "name"), [(RED, "red"), (BLUE, "blue")])
def test_flecks_of_its_own_hue_are_no_print_where_no_printed_die_has_its_body(colour, name):
    face = mottled(colour)
    assert printed(face) > printed_on(IVORY).plain
    told = read_face(face, "cube", printed_on(IVORY))
    assert (told.die.face, told.die.reasons) == (name, ())
    alike = read_face(face, "cube", printed_on(colour))
    assert alike.die.reasons == (Reason.COLOUR_UNSURE,)


@pytest.mark.parametrize("ink", [(235, 235, 235), (25, 25, 25), (40, 170, 200), (60, 120, 40)])
@pytest.mark.parametrize("name", MARKS)
@pytest.mark.parametrize("colour", [RED, BLUE])
def test_print_of_another_hue_or_none_is_no_fleck(colour, name, ink):
    face = marked(colour, ink=ink, name=name)
    assert strays(face, WHITE) > SceneSettings().mottled
    told = read_face(face, "cube", printed_on(IVORY))
    assert told.die.reasons == (Reason.COLOUR_UNSURE,)


def test_a_body_without_a_colour_has_no_flecks_of_its_hue():
    assert strays(np.zeros((PATCH, PATCH, 3), np.uint8), WHITE) == np.inf


@pytest.mark.parametrize(("colour", "name"), [(RED, "red"), (BLUE, "blue")])
def test_a_body_may_be_purer_than_it_was_enrolled_under_a_mirrored_lamp(colour, name):
    """What a body mirrors makes it pale, and it mirrors that in one place of the tray only."""
    pale = {"red": [plain(mirroring(RED))], "blue": [plain(mirroring(BLUE))]}
    known = with_cubes(printed_on(IVORY), pale)
    assert known.is_body(mottled(colour), "cube", name)
    told = read_face(mottled(colour), "cube", known)
    assert (told.die.face, told.die.reasons) == (name, ())


def test_a_printed_body_that_is_purer_than_a_cube_s_is_none_of_it():
    pale = {"red": [plain(mirroring(RED))], "blue": [plain(mirroring(BLUE))]}
    blue = with_cubes(printed_on(BLUE), pale)
    still_purer = marked((175, 68, 25), name="dot")
    assert not blue.is_body(still_purer, "cube", "blue")
    assert with_cubes(printed_on(IVORY), pale).is_body(still_purer, "cube", "blue")


@pytest.mark.parametrize("body", [IVORY, RED, LILAC, BLUE])
@pytest.mark.parametrize("name", MARKS)
def test_a_printed_face_is_no_cube_s_body_unless_that_is_alike(body, name):
    usual = printed_on(body)
    face = marked(body, name=name)
    assert not any(usual.is_body(face, "cube", colour) for colour in ("red", "blue"))


@pytest.mark.parametrize(("body", "apart"), [((70, 38, 172), True), ((60, 40, 170), False)])
@pytest.mark.parametrize("name", MARKS)
def test_a_cube_shows_no_print_where_printed_bodies_are_of_a_plainly_other_hue(body, apart, name):
    """Faint signs are seen in any grain or glare; a violet die's, on a red cube."""
    known = printed_on(body)
    assert read_face(marked(body, name=name), "spike", known).die.face == name
    glaring = marked(RED, ink=(40, 40, 110), name=name)
    assert (read_face(glaring, "spike", known).die.face is None) is apart


def test_a_plain_face_that_cannot_be_read_is_a_cube_where_its_body_says_so():
    crossed = shaded(shaded(glare(plain(RED)), turn=20.0), turn=110.0)
    told, untold = (read_face(crossed, "cube", printed_on(body)) for body in (IVORY, RED))
    assert told.die.reasons == untold.die.reasons == (Reason.COLOUR_UNSURE,)
    assert told.likeness > 0.2 > untold.likeness  # 0.2: a printed die whose face is unknown


@cache
def marked_cubes(body):
    """Cubes with a mark on each colour, and printed dice with marks on ``body``."""
    return with_cubes(printed_on(body), {"red": [cube(RED)], "blue": [cube(BLUE)]})


def with_cubes(usual, cubes):
    return replace(usual, dice=usual.dice.with_kind(Kind.of_colours("cube", cubes, WHITE)))


def cube(colour):
    return marked(colour, ink=(230, 235, 235), name="star")


@pytest.mark.parametrize("shadow", [None, *SHADOWS])
@pytest.mark.parametrize(("colour", "name"), [(RED, "red"), (BLUE, "blue")])
def test_a_cube_with_a_mark_reads_as_its_colour(colour, name, shadow):
    face = cube(colour) if shadow is None else shaded(cube(colour), **shadow)
    reading = read_face(face, "cube", marked_cubes(IVORY))
    assert (reading.die.face, reading.die.reasons) == (name, ())


def test_a_cube_of_faded_blue_framed_in_white_is_no_printed_die_of_white():
    known = with_cubes(printed_on(IVORY), {"red": [framed(RED)], "blue": [framed(FADED)]})
    blue, ivory = (body_hue(face, known.tray.white) for face in (framed(FADED), plain(IVORY)))
    assert 0.26 < np.hypot(*(blue - ivory)) < 0.29
    seen = framed(FADED, shift=1)
    assert known.is_body(seen, "cube", "blue")
    assert read_face(seen, "spike", known).likeness == 0
    for name in MARKS:
        told = read_face(marked(IVORY, name=name), "cube", known)
        assert told.die.reasons == (Reason.COLOUR_UNSURE,)


def framed(colour, shift=0):
    """A round panel of ``colour`` on an ivory face."""
    patch = plain(IVORY)
    cv2.circle(patch, (32 + shift, 32), 22, colour, -1, cv2.LINE_AA)
    return patch


@pytest.mark.parametrize("body", [IVORY, RED, LILAC, BLUE])
def test_a_printed_die_is_no_marked_cube(body):
    for name in MARKS:
        reading = read_face(marked(body, name=name), "cube", marked_cubes(body))
        assert reading.die.reasons == (Reason.COLOUR_UNSURE,)


@pytest.mark.parametrize("shadow", [None, *SHADOWS[:3]])
def test_a_marked_cube_is_told_by_its_mark_where_a_printed_die_has_its_body(shadow):
    face = cube(RED) if shadow is None else shaded(cube(RED), **shadow)
    reading = read_face(face, "cube", marked_cubes(RED))
    assert (reading.die.face, reading.die.reasons) == ("red", ())


@pytest.mark.parametrize("name", ["dot", "line"])
def test_a_cube_with_another_mark_is_asked_about_where_a_printed_die_has_its_body(name):
    other = marked(RED, ink=(230, 235, 235), name=name)
    assert read_face(other, "cube", marked_cubes(RED)).die.reasons == (Reason.COLOUR_UNSURE,)


def test_a_marked_cube_is_asked_about_where_a_printed_die_has_its_body_and_mark():
    art = {"dot": [marked(RED)], "star": [cube(RED)]}
    usual = marked_cubes(RED)
    alike = replace(usual, dice=usual.dice.with_kind(Kind.of_symbols("spike", art)))
    assert read_face(cube(RED), "cube", alike).die.reasons == (Reason.COLOUR_UNSURE,)


def ring(shift=0, size=1.0):
    """A blue ring with a needle on an ivory face."""
    patch = plain(IVORY)
    cv2.circle(patch, (32 + shift, 32), round(15 * size), BLUE, 4, cv2.LINE_AA)
    cv2.line(patch, (32 + shift, 24), (32 + shift, 40), BLUE, 3, cv2.LINE_AA)
    return patch


def disc(colour, shift=0, size=1.0):
    """A disc of ``colour`` on an ivory face."""
    patch = plain(IVORY)
    cv2.circle(patch, (32 + shift, 32), round(16 * size), colour, -1, cv2.LINE_AA)
    return patch


@cache
def discs_and_ring():
    """Ivory cubes with discs, and printed dice of the same body one face of which is a ring."""
    art = {name: [marked(IVORY, name=name)] for name in ("line", "star")} | {"ring": [ring()]}
    usual = with_cubes(station(*MARKS), {"red": [disc(RED)], "blue": [disc(BLUE)]})
    return replace(usual, dice=usual.dice.with_kind(Kind.of_symbols("spike", art)))


PLACES = [(0, 1.0), (2, 1.06), (-2, 0.97)]


@pytest.mark.parametrize(("shift", "size"), PLACES)
@pytest.mark.parametrize(("colour", "name"), [(RED, "red"), (BLUE, "blue")])
def test_a_disc_is_a_cube_s_and_no_ring(colour, name, shift, size):
    seen, known = disc(colour, shift, size), discs_and_ring()
    told = read_face(seen, "cube", known)
    assert (told.die.face, told.die.reasons) == (name, ())
    assert read_face(seen, "spike", known).die.face is None


@pytest.mark.parametrize(("shift", "size"), PLACES)
def test_a_ring_is_a_printed_die_s_and_no_disc(shift, size):
    seen, known = ring(shift, size), discs_and_ring()
    told = read_face(seen, "spike", known)
    assert (told.die.face, told.die.reasons) == ("ring", ())
    assert read_face(seen, "cube", known).die.reasons == (Reason.COLOUR_UNSURE,)


def test_a_cube_s_mark_that_a_printed_face_is_more_like_is_asked_about():
    known = discs_and_ring()
    kind = Kind.of_symbols("spike", {"ring": [ring()], "disc": [disc(RED)]})
    alike = replace(known, dice=known.dice.with_kind(kind))
    assert read_face(disc(BLUE), "cube", alike).die.reasons == (Reason.COLOUR_UNSURE,)
