"""The views of a print: what a hard shadow does to each, and when others are asked."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vision import faces
from vision.cube_marks import CubeMarks
from vision.diceset import Kind
from vision.faces import read_symbol
from vision.patch import MARGIN, PATCH
from vision.prints import Relief, Strokes, UnlikeBody
from vision.reading import Reason
from vision.seen import read_at
from vision.settings import SceneSettings
from vision.settings_faces import FaceSettings
from vision.squares import Square

BODY, INK = (150, 140, 135), (40, 85, 190)  # grey and a rust that is a little darker
SETTINGS = FaceSettings()


def face(*lines, ink=INK):
    """A face with strokes on a body that is a little mottled, as bodies are."""
    picture = np.full((PATCH, PATCH, 3), BODY, np.uint8)
    for points in lines:
        cv2.polylines(picture, [np.array(points, np.int32)], False, ink, 4, cv2.LINE_AA)
    grain = np.random.default_rng(4).normal(0, 5, (PATCH, PATCH, 1))
    return np.clip(picture + cv2.GaussianBlur(grain, (0, 0), 2)[..., None], 0, 255).astype(np.uint8)


LINES = {
    "zigzag": [[(14, 18), (30, 30), (18, 40), (46, 48)]],
    "hook": [[(18, 14), (18, 46), (44, 46), (44, 34)]],
    "cross": [[(16, 32), (48, 32)], [(32, 14), (32, 50)]],
    "arrow": [[(16, 48), (46, 16)], [(28, 16), (46, 16), (46, 34)]],
}
FACES = {name: face(*lines) for name, lines in LINES.items()}


ROWS, COLUMNS = np.mgrid[:PATCH, :PATCH]


def dimmed(patch, inside, light):
    """A patch with ``light`` left where a sharp-rimmed shadow is: ``inside`` (P, P) above 0."""
    share = np.clip(inside, 0, 1)[..., None]
    return (patch * (1 - (1 - light) * share)).astype(np.uint8)


def barred(patch, light=0.6):
    """The shadow of a window bar across the patch, as sharp as the print."""
    return dimmed(patch, 9.5 - np.abs(0.8 * COLUMNS + 0.6 * ROWS - 38), light)


def spotted(patch, light=0.6):
    """The shadow of something round on the patch, as sharp as the print."""
    return dimmed(patch, 19.5 - np.hypot(COLUMNS - 24, ROWS - 38), light)


@pytest.fixture(scope="module")
def kind():
    return Kind.of_symbols("spike", {name: [patch] for name, patch in FACES.items()})


def mislabelled(pictures):
    """A kind of dice whose hook was enrolled as the cross, and the other way round."""
    swapped = {"hook": "cross", "cross": "hook"}
    return Kind.of_symbols("spike", {swapped.get(n, n): [p] for n, p in pictures.items()})


def share_of_print(view, patch):
    """Correlation of what a view shows with where the ink is."""
    plain, inner = face(), slice(8, -8)
    ink = np.abs(FACES["hook"].astype(float) - plain).sum(axis=2)[inner, inner]
    seen = np.abs(view(patch).astype(float))[inner, inner]
    return float(np.corrcoef(seen.ravel(), cv2.GaussianBlur(ink, (0, 0), 1).ravel())[0, 1])


def test_the_print_stands_out_by_colour_where_a_shadow_hides_it_from_brightness():
    by_colour = UnlikeBody.of(FACES.values(), SETTINGS)
    shaded = barred(FACES["hook"])
    assert share_of_print(by_colour, shaded) > 0.5
    assert share_of_print(Relief(SETTINGS), shaded) < 0.25


VIEWS = [Relief(SETTINGS), UnlikeBody.of(FACES.values(), SETTINGS), Strokes(SETTINGS)]


def half_shaded(patch, light=0.15):
    """A patch that a sharp shadow covers to the lower left of its middle."""
    return dimmed(patch, 0.7 * ROWS - 0.6 * COLUMNS - 2.0, light)


def test_strokes_stand_out_beside_the_edge_of_a_deep_shadow():
    shaded = half_shaded(FACES["hook"])
    assert share_of_print(Strokes(SETTINGS), shaded) > 0.6
    assert share_of_print(Relief(SETTINGS), shaded) < 0.4


def test_a_body_that_varies_in_brightness_makes_colour_count_more():
    mottled = [barred(patch, 0.8) for patch in FACES.values()]
    steady, mottled = (UnlikeBody.of(p, SETTINGS).weights for p in (FACES.values(), mottled))
    assert mottled[1] / mottled[0] > 1.2 * steady[1] / steady[0]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_patch_without_anything_on_it_shows_nothing(view, level):
    seen = view(np.full((PATCH, PATCH, 3), level, np.uint8))
    assert np.abs(seen).max() < 0.05


@pytest.mark.parametrize("name", ["hook", "cross", "arrow"])
def test_colours_tell_a_face_that_brightness_cannot(kind, name):
    shaded = np.ascontiguousarray(np.rot90(spotted(FACES[name])))
    deaf, _ = read_symbol(shaded, replace(kind, views=()), kind.bank)
    assert deaf.reasons, "brightness alone leaves a doubt"
    die, scores = read_symbol(shaded, kind, kind.bank)
    assert (die.face, die.reasons, scores.face) == (name, (), name)


def test_colours_are_not_believed_where_the_network_does_not_agree(kind):
    wrong = mislabelled(FACES)
    led_astray = replace(kind, bank=wrong.bank, views=wrong.views)
    die, _ = read_symbol(FACES["hook"], led_astray, wrong.bank)
    assert die.face == "cross", "both views name it so"
    assert Reason.DISAGREE in die.reasons


def test_colours_are_asked_only_where_brightness_leaves_a_doubt(kind, monkeypatch):
    asked = []
    told = faces._told
    monkeypatch.setattr(
        faces, "_told", lambda p, k, bank, o: asked.append(bank) or told(p, k, bank, o)
    )
    read_symbol(FACES["arrow"], kind, kind.bank)
    assert asked == [kind.bank]


def test_without_a_network_there_is_nothing_to_confirm_colours(kind):
    shaded = spotted(FACES["zigzag"])
    die, _ = read_symbol(shaded, replace(kind, opinion=None, hued=None), kind.bank)
    alone, _ = read_symbol(shaded, replace(kind, opinion=None, views=()), kind.bank)
    assert die == alone


def test_colours_overrule_brightness_only_firmly(kind):
    """Both views and the network are right, but the network not clearly enough to overrule."""
    wrong = mislabelled(FACES)
    die, _ = read_symbol(FACES["hook"], kind, wrong.bank)
    assert (die.face, die.reasons) == ("hook", ())
    lead = kind.opinion.lead(FACES["hook"])
    shy = replace(kind.opinion.settings, firm=lead + 0.01, sees_lead=lead + 0.01)
    wary = replace(kind.opinion, settings=shy)
    die, _ = read_symbol(FACES["hook"], replace(kind, opinion=wary, hued=None), wrong.bank)
    assert (die.face, die.reasons) == ("cross", (Reason.DISAGREE,))


DULL, BRIGHT = (95, 98, 196), (95, 109, 219)  # a red ink, darker than the body and as bright
FAINT = {name: face(*lines, ink=DULL) for name, lines in LINES.items()}


def in_bright_light(name):
    """The face where its ink is as bright as the body, not darker as when it was enrolled."""
    return face(*LINES[name], ink=BRIGHT)


@pytest.fixture(scope="module")
def faint():
    return Kind.of_symbols("spike", {name: [patch] for name, patch in FAINT.items()})


@pytest.mark.parametrize("name", sorted(LINES))
def test_the_network_sees_by_colour_print_that_brightness_hardly_shows(faint, name):
    patch = np.ascontiguousarray(np.rot90(in_bright_light(name)))
    deaf, _ = read_symbol(patch, replace(faint, hued=None), faint.bank)
    assert deaf.reasons, "by brightness there is nothing to see"
    die, scores = read_symbol(patch, faint, faint.bank)
    assert (die.face, die.reasons, scores.face) == (name, (), name)


def heard(kind, **settings):
    """The kind with other thresholds for what the network sees by colour."""
    return replace(kind, hued=replace(kind.hued, settings=replace(kind.hued.settings, **settings)))


def test_by_colour_the_network_must_see_a_face_clearly(faint):
    patch = in_bright_light("hook")
    lead = faint.hued.lead(patch)
    assert not read_symbol(patch, heard(faint, clear=lead - 0.01), faint.bank)[0].reasons
    assert read_symbol(patch, heard(faint, clear=lead + 0.01), faint.bank)[0].reasons


def test_by_colour_both_must_name_the_same_face(faint):
    wrong = mislabelled(FAINT)
    die, _ = read_symbol(in_bright_light("hook"), replace(faint, views=wrong.views), faint.bank)
    assert die.reasons


def test_by_colour_no_face_is_believed_that_brightness_plainly_denies(faint, kind):
    """To brightness the patch shows a plain hook, whatever its colours are made to say."""
    wrong = mislabelled(FACES)
    misled = replace(kind, views=wrong.views, hued=wrong.hued)
    die, _ = read_symbol(FACES["hook"], misled, wrong.bank)
    assert (die.face, die.reasons) == ("cross", (Reason.DISAGREE,))
    doubtful = replace(kind.opinion, settings=replace(kind.opinion.settings, plainly=2.0))
    die, _ = read_symbol(FACES["hook"], replace(misled, opinion=doubtful), wrong.bank)
    assert (die.face, die.reasons) == ("cross", ())


def test_by_colour_no_face_is_believed_that_brightness_shows_nowhere_near(kind):
    """Unless registration by brightness knows none, either: then there is nothing to see."""
    patch = np.ascontiguousarray(np.rot90(FACES["hook"]))
    strange = replace(kind.opinion.settings, near=1.1, exact=1.1, sees_near=1.1)
    misled = replace(kind, opinion=replace(kind.opinion, settings=strange))
    die, _ = read_symbol(patch, misled, kind.bank)
    assert (die.face, die.reasons) == ("hook", (Reason.DISAGREE,))
    blind = replace(kind.bank, settings=replace(kind.bank.settings, known=1.1))
    assert not blind.score(patch).known
    die, _ = read_symbol(patch, misled, blind)
    assert (die.face, die.reasons) == ("hook", ())


def seen_by(kind, patch, edge=0.5):
    """A die whose top ``patch`` shows, with an outline that is hardly seen, as it reads."""
    side = PATCH / (1 + 2 * MARGIN)
    square = Square((PATCH - 1) / 2, (PATCH - 1) / 2, side, 0.0, edge=edge)
    settings = SceneSettings()
    tray = SimpleNamespace(settings=settings, to_frame=lambda corners: corners)
    station = SimpleNamespace(
        tray=tray,
        plain=0.0,
        is_plain_body=lambda _: False,
        is_sheen=lambda *_: False,
        marks=CubeMarks({}, {}, (), settings),
        dice=SimpleNamespace(kinds={"spike": kind}),
    )
    seen = SimpleNamespace(
        frame=patch, settings=settings, station=station, is_plain=lambda _: False
    )
    return read_at(square, "spike", seen)[0].die


def mottled(patch, by=0.3):
    """The patch on a body of uneven brightness."""
    grain = cv2.GaussianBlur(np.random.default_rng(9).normal(0, by, (PATCH, PATCH, 1)), (0, 0), 2.5)
    return np.clip(patch * np.exp(grain)[..., None], 0, 255).astype(np.uint8)


def test_where_the_outline_is_faint_a_print_must_be_very_like_the_enrolled_one_in_some_view(kind):
    patch = mottled(FACES["hook"])
    die, scores = read_symbol(patch, kind, kind.bank)
    assert (die.face, die.reasons) == ("hook", ())
    assert scores.similarity < SceneSettings().surely_alike <= kind.views[0].score(patch).similarity
    assert seen_by(kind, patch).reasons == ()
    assert seen_by(replace(kind, views=()), patch).reasons == (Reason.AMBIGUOUS,)
    other = mislabelled(FACES)
    assert seen_by(replace(kind, views=other.views), patch).reasons == (Reason.AMBIGUOUS,)


def test_where_the_outline_shows_a_print_less_like_the_enrolled_one_will_do(kind):
    alone, settings = replace(kind, views=()), SceneSettings()
    patch = mottled(FACES["hook"])
    assert settings.alike < kind.bank.score(patch).similarity < settings.surely_alike
    assert seen_by(alone, patch, edge=settings.clear_edge).reasons == ()
    faint = seen_by(alone, patch, edge=settings.clear_edge - 0.01)
    assert faint.reasons == (Reason.AMBIGUOUS,)


@pytest.mark.parametrize("name", sorted(FACES))
def test_but_not_where_a_blur_may_be_why_it_shows_no_better(kind, name):
    alone, settings = replace(kind, views=()), SceneSettings()
    blurred = cv2.GaussianBlur(mottled(FACES[name], by=0.2), (0, 0), 2.0)
    assert settings.alike < kind.bank.score(blurred).similarity < settings.surely_alike
    assert seen_by(alone, blurred, edge=0.6).reasons == (Reason.AMBIGUOUS,)


def test_nor_where_the_print_is_hardly_like_the_enrolled_one(kind):
    alone, patch = replace(kind, views=()), mottled(FACES["hook"], by=0.5)
    die, scores = read_symbol(patch, alone, kind.bank)
    assert (die.face, die.reasons) == ("hook", ())
    assert scores.similarity < SceneSettings().alike
    assert seen_by(alone, patch, edge=0.6).reasons == (Reason.AMBIGUOUS,)
