"""Crops of single drawn dice: outlines that are there, and outlines that glare makes up."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from tests.vision.drawn import pipped, worst_corner
from vision.crop_outline import Faces, Outline
from vision.crops import Crop, learn_crops, read_crop
from vision.diceset import DiceSet
from vision.faces import read_symbol
from vision.patch import cut
from vision.reading import Reason, Verdict
from vision.station import StationError

FACES = {"lone": [(0, 0)], "pair": [(-1, -1), (1, 1)], "row": [(-1, -1), (0, 0), (1, 1)]}


def crop(face, turn, body=(205, 215, 225), floor=(60, 90, 40), edge=True):
    """A die of 56 px on an 88 px crop; without ``edge`` the body blends into the floor."""
    picture = np.full((88, 88, 3), floor, np.uint8)
    angle = np.radians(turn)
    cos, sin = np.cos(angle), np.sin(angle)
    arms = 28 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    corners = arms @ np.array([[cos, sin], [-sin, cos]]) + 44
    if edge:
        cv2.fillConvexPoly(picture, np.rint(corners).astype(np.int32), body, cv2.LINE_AA)
    else:
        picture[:] = body
    for x, y in FACES[face]:
        spot = np.rint(np.array([x, y]) * 13 @ np.array([[cos, sin], [-sin, cos]]) + 44)
        cv2.circle(picture, (int(spot[0]), int(spot[1])), 6, (30, 30, 40), -1, cv2.LINE_AA)
    noise = np.random.default_rng(int(turn)).normal(0, 2, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) + noise, 0, 255).astype(np.uint8)


def test_a_true_outline_turns_with_the_die():
    shown = Crop(crop("pair", 20))
    corners = shown.outlines[0].corners
    side = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    assert shown.is_clear
    assert side == pytest.approx([56] * 4, abs=4)


def enrolled(shown):
    return learn_crops(DiceSet({}), "pips", shown)[0]


@pytest.fixture(scope="module")
def clear_dice():
    """Dice with outlines, learnt from one crop a face."""
    return enrolled({face: [crop(face, 15)] for face in FACES})


def test_an_even_crop_has_no_clear_outline():
    assert not Crop(crop("pair", 20, edge=False)).is_clear


@pytest.mark.parametrize("degrees", [17, 50, 71])
def test_outlines_that_no_plain_rim_shows_are_not_clear(degrees):
    shown, quad = pipped(degrees, radius=0.12)
    assert any(worst_corner(outline.corners, quad) < 8 for outline in Faces(shown).every)
    assert not Crop(shown).is_clear


def test_dice_with_outlines_are_read_by_them_at_any_place(clear_dice):
    assert clear_dice.kinds["pips"].framing == "outline"
    moved = np.roll(crop("row", 40), 9, axis=1)
    reading = read_crop(moved, clear_dice)
    assert (reading.verdict, reading.dice[0].face) == (Verdict.ACCEPT, "row")


def test_a_crop_is_learnt_from_the_outline_that_turns_along(monkeypatch):
    true = Faces(crop("row", 40)).every[0]
    glare = Outline(true.corners * 0.6 + 20, 99.0)
    monkeypatch.setattr(Crop, "outlines", [glare, true])
    shown = Crop(crop("row", 40))
    assert shown.shown("outline") is true


def sees(monkeypatch, outlines):
    """Let those ``outlines`` be seen that it gives for a picture, and no others."""
    monkeypatch.setattr(
        "vision.crops.Faces", lambda picture: SimpleNamespace(every=outlines(picture))
    )


def test_a_face_is_read_in_the_next_outline_where_the_likeliest_shows_none(monkeypatch, clear_dice):
    def misled(picture):
        found = Faces(picture).every
        return [Outline(found[0].corners * 0.4, 99.0), *found]

    sees(monkeypatch, misled)
    reading = read_crop(crop("row", 40), clear_dice)
    assert (reading.verdict, reading.dice[0].face) == (Verdict.ACCEPT, "row")
    assert np.array(reading.dice[0].quad).mean(axis=0) == pytest.approx((44, 44), abs=2)


@pytest.mark.once
def test_a_face_is_believed_in_any_outline_that_shows_it_and_turns_along(monkeypatch, clear_dice):
    shown = crop("row", 40)
    true = Faces(shown).every[0]
    aslant = Outline(true.corners + np.array([(0, 0), (0, 0), (14, 0), (0, 0)]), 99.0)
    monkeypatch.setattr(Crop, "outlines", [aslant, true])
    monkeypatch.setattr("vision.crops.read_symbol", told_of(shown, true))
    reading = read_crop(shown, clear_dice)
    assert (reading.dice[0].face, reading.verdict) == ("row", Verdict.ACCEPT)
    assert np.array(reading.dice[0].quad) == pytest.approx(true.corners)


def told_of(shown, outline):
    """A reader that sees in every outline of a crop what it sees in this one."""
    patch = cut(shown, outline.corners)
    return lambda _, kind, bank, objects: read_symbol(patch, kind, bank, objects)


@pytest.mark.once
def test_an_outline_that_does_not_turn_with_the_crop_is_not_believed(monkeypatch, clear_dice):
    shown = crop("row", 40)
    sees(monkeypatch, lambda picture: Faces(picture).every if picture is shown else [])
    reading = read_crop(shown, clear_dice)
    assert (reading.dice[0].face, reading.verdict) == ("row", Verdict.ASK)


@pytest.mark.once
def test_a_crop_read_without_an_outline_of_its_own_is_not_believed(monkeypatch, clear_dice):
    shown = crop("row", 0)[16:72, 16:72].copy()  # the die and nothing else
    wide = [Outline(Crop(shown).whole.corners, 1.0)]
    sees(monkeypatch, lambda picture: [] if picture is shown else wide)
    monkeypatch.setattr("vision.crops.TURNS", (0.0,))
    reading = read_crop(shown, clear_dice)
    assert (reading.dice[0].face, reading.verdict) == ("row", Verdict.ASK)


def named_lone(likeness):
    """A reader that takes a patch for a lone pip, for certain and so much like it."""

    def told(patch, kind, bank, objects):
        die, scores = read_symbol(patch, kind, bank, objects)
        first = replace(scores.ranked[0], similarity=likeness)
        return replace(die, face="lone", reasons=()), replace(
            scores, ranked=(first, *scores.ranked[1:])
        )

    return told


def read_twice(monkeypatch, dice, readers, size):
    """A row read in its outline and in one of another ``size``, by a reader each."""
    shown = crop("row", 40)
    exact = Faces(shown).every[0]
    other = Outline((exact.corners - 44) * size + 44, 0.0)
    turn = iter(readers)
    monkeypatch.setattr("vision.crops.read_symbol", lambda *seen: next(turn)(*seen))
    monkeypatch.setattr(Crop, "outlines", [exact, other])
    return read_crop(shown, dice)


@pytest.mark.once
def test_a_face_that_is_less_like_than_a_doubted_one_elsewhere_is_asked_about(
    monkeypatch, clear_dice
):
    def told(patch, kind, bank, objects):
        die, scores = read_symbol(patch, kind, bank, objects)
        return replace(die, face="lone", reasons=(Reason.AMBIGUOUS,)), scores

    reading = read_twice(monkeypatch, clear_dice, (told, read_symbol), 1.12)
    assert (reading.dice[0].face, reading.dice[0].reasons) == ("row", (Reason.AMBIGUOUS,))


@pytest.mark.once
@pytest.mark.parametrize(("likeness", "verdict"), [(0.9, Verdict.ASK), (0.5, Verdict.ACCEPT)])
def test_another_face_for_certain_is_a_rival_only_where_it_is_about_as_like(
    monkeypatch, likeness, verdict, clear_dice
):
    reading = read_twice(monkeypatch, clear_dice, (read_symbol, named_lone(likeness)), 0.5)
    assert (reading.dice[0].face, reading.verdict) == ("row", verdict)


def test_two_faces_in_one_crop_are_asked_about(clear_dice):
    both = np.hstack([crop("lone", 10), crop("row", 50)])
    reading = read_crop(both, clear_dice)
    assert reading.verdict is Verdict.ASK


def test_dice_without_outlines_are_read_from_the_whole_crop_and_asked_about():
    shown = {face: [crop(face, 15, edge=False)] for face in FACES}
    dice = enrolled(shown)
    assert dice.kinds["pips"].framing == "whole"
    reading = read_crop(crop("pair", 15, edge=False), dice)  # the very crop that was enrolled
    assert (reading.dice[0].face, reading.verdict) == ("pair", Verdict.ASK)
    assert read_crop(crop("pair", 50, edge=False), dice).dice[0].face == "pair"


@pytest.mark.once
@pytest.mark.parametrize(
    ("blended", "unclear"),
    [((), ()), (("lone", "pair"), ("lone", "pair")), (tuple(FACES), tuple(FACES))],
)
def test_the_faces_that_show_no_outline_are_named_where_that_matters(blended, unclear):
    shown = {face: [crop(face, 15, edge=face not in blended)] for face in FACES}
    assert learn_crops(DiceSet({}), "pips", shown)[1] == unclear


@pytest.mark.once
@pytest.mark.parametrize(
    ("margin", "pips", "framing"),
    [
        (0, False, "outline"),
        (40, False, "whole"),  # one face is a much smaller part of its crop
        (0, True, "whole"),  # squares between pips may be taken for faces
    ],
)
def test_where_few_rims_are_plain_faces_of_one_size_will_do(monkeypatch, margin, pips, framing):
    shown = {face: [crop(face, 15)] for face in FACES}
    shown["lone"] = [cv2.copyMakeBorder(shown["lone"][0], *[margin] * 4, cv2.BORDER_REPLICATE)]
    unclear = shown["row"][0]
    monkeypatch.setattr(Crop, "is_clear", property(lambda crop: crop.picture is not unclear))
    monkeypatch.setattr("vision.crops.bear_pips", lambda crops: pips and len(crops) == 3)
    dice, again = learn_crops(DiceSet({}), "signs", shown)
    assert dice.kinds["signs"].framing == framing
    assert again == (() if framing == "outline" else ("row",))


@pytest.mark.once
@pytest.mark.parametrize(
    ("clear", "margin", "again"),
    [(5, 0, ()), (4, 0, ("row",)), (5, 40, ("lone", "pair", "row"))],
)
def test_pips_that_are_not_counted_want_faces_all_clear_and_of_one_size(
    monkeypatch, clear, margin, again
):
    shown = {face: [crop(face, 15), crop(face, 40)] for face in ("lone", "pair")}
    shown["row"] = [cv2.copyMakeBorder(crop("row", 15), *[margin] * 4, cv2.BORDER_REPLICATE)]
    unclear = [shown["row"][0]][: 5 - clear]
    monkeypatch.setattr(
        Crop, "is_clear", property(lambda crop: all(crop.picture is not one for one in unclear))
    )
    dice, found = learn_crops(DiceSet({}), "pips", shown)
    assert found == again
    assert dice.kinds["pips"].framing == ("whole" if again else "outline")


def test_a_crop_whose_outline_is_not_seen_is_asked_about(clear_dice):
    reading = read_crop(crop("pair", 15, edge=False), clear_dice)
    assert reading.verdict is Verdict.ASK
    assert set(reading.reasons) <= {Reason.AMBIGUOUS, Reason.UNKNOWN_FACE, Reason.DISAGREE}


def test_the_framing_comes_back_from_disk(tmp_path):
    shown = {face: [crop(face, 15, edge=False)] for face in FACES}
    enrolled(shown).save(tmp_path)
    assert DiceSet.load(tmp_path).kinds["pips"].framing == "whole"


def test_a_crop_too_small_to_tell_anything_is_refused():
    with pytest.raises(StationError, match="smaller than 12 pixels"):
        enrolled({"lone": [np.zeros((8, 8, 3), np.uint8)], "pair": []})


@pytest.mark.once
@pytest.mark.parametrize(("slant", "seen"), [(0.62, ("row", Verdict.ACCEPT)), (0.9, None)])
def test_a_side_is_not_the_top_however_plainly_it_shows_a_face(
    monkeypatch, slant, seen, clear_dice
):
    top = Faces(crop("row", 0)).every[0]
    side = Outline(np.asarray((top.corners - 44) * (slant, 1) + 44, np.float32), -5.0)
    readers = {0: read_symbol, 1: named_lone(0.99)}
    turn = iter(range(2))
    monkeypatch.setattr("vision.crops.read_symbol", lambda *seen: readers[next(turn)](*seen))
    sees(monkeypatch, lambda _: [top, side])
    monkeypatch.setattr("vision.crops.TURNS", (0.0,))
    reading = read_crop(crop("row", 0), clear_dice)
    told = (reading.dice[0].face, reading.verdict)
    assert told == seen if seen else told[1] is Verdict.ASK


@pytest.mark.once
def test_two_faces_that_both_turn_along_are_asked_about_however_like_one_is(
    monkeypatch, clear_dice
):
    monkeypatch.setattr(Crop, "is_steady", lambda *_: True)
    reading = read_twice(monkeypatch, clear_dice, (read_symbol, named_lone(0.5)), 0.5)
    assert (reading.dice[0].face, reading.verdict) == ("row", Verdict.ASK)
