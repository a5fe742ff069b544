"""The network's opinion: its weights, its embedding, and what it does to a reading."""

from __future__ import annotations

import logging
from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from fixtures.studio.compare_opinions import drawn
from vision import opinion
from vision.diceset import Kind
from vision.faces import others_heard, read_symbol
from vision.opinion import (
    LENGTH,
    MODEL,
    PARTS,
    SIDE,
    Opinion,
    OpinionBank,
    by_brightness,
    embedding,
    levelled,
)
from vision.pale import PalePrint
from vision.patch import PATCH
from vision.reading import Reason
from vision.settings_faces import OpinionSettings
from vision.symbols import FaceScore

BODY, INK = (205, 220, 228), (50, 42, 40)


def face(draw):
    picture = np.full((PATCH, PATCH, 3), BODY, np.uint8)
    draw(picture)
    return picture


def ring(picture):
    cv2.ellipse(picture, (32, 32), (15, 15), 0, 0, 290, INK, 5, cv2.LINE_AA)


def star(picture):
    turn = np.arange(16) * np.pi / 8
    reach = np.where(np.arange(16) % 2, 13, 20)
    points = np.stack([32 + reach * np.cos(turn), 32 + reach * np.sin(turn)], 1)
    cv2.polylines(picture, [np.rint(points).astype(np.int32)], True, INK, 3, cv2.LINE_AA)


def bolt(picture):
    points = [(24, 8), (48, 8), (36, 28), (48, 28), (20, 56), (28, 36), (16, 36)]
    cv2.fillPoly(picture, [np.array(points)], INK, cv2.LINE_AA)


def bars(picture):
    for x in (16, 30, 44):
        cv2.rectangle(picture, (x, 14), (x + 5, 50), INK, -1)


FACES = {draw.__name__: face(draw) for draw in (ring, star, bolt, bars)}


def spoilt(patch, quarters=1, light=0.5, blur=1.0):
    """The patch turned, dimmed on one side and blurred."""
    turned = np.rot90(patch, quarters).astype(np.float32)
    slope = np.linspace(light, 1, PATCH)[None, :, None]
    return cv2.GaussianBlur((turned * slope).astype(np.uint8), (0, 0), blur)


def shrunk(patch, share):
    """The face with its print at ``share`` of its size."""
    smaller = cv2.getRotationMatrix2D((31.5, 31.5), 0, share)
    return cv2.warpAffine(patch, smaller, (PATCH, PATCH), flags=cv2.INTER_AREA, borderValue=BODY)


@pytest.fixture(scope="module")
def bank():
    made = OpinionBank.enrol({name: [patch] for name, patch in FACES.items()})
    assert made is not None, "the network's weights are in the repository"
    return made


@pytest.fixture
def unpaled(monkeypatch):
    """Views may name what they like: pale print is not looked at."""
    monkeypatch.setattr(PalePrint, "objects", lambda *_: False)


@pytest.fixture(scope="module")
def kind():
    return Kind.of_symbols("spike", {name: [patch] for name, patch in FACES.items()})


def test_the_weights_are_small_enough_for_the_repository():
    assert MODEL.stat().st_size <= 1_000_000


def test_an_embedding_has_unit_length():
    pictures = np.stack([by_brightness(patch) for patch in FACES.values()])
    seen = embedding().of(pictures)
    assert seen.shape == (len(FACES), PARTS * LENGTH)
    assert np.linalg.norm(seen, axis=1) == pytest.approx(1, abs=1e-5)


def test_every_version_of_opencv_gives_the_same_numbers():
    """The numbers are those of OpenCV 4.6, 4.14 and 5.0 alike; new weights give new ones."""
    (seen,) = embedding().of(by_brightness(FACES["bolt"])[None])
    whole = seen[:LENGTH] * np.sqrt(PARTS)
    known = [-0.0128, 0.0971, -0.0164, -0.0406, 0.0911, -0.1136]
    assert whole[: len(known)] == pytest.approx(known, abs=1e-3)


def test_pictures_are_embedded_alike_alone_and_together():
    pictures = np.stack([by_brightness(patch) for patch in FACES.values()])
    net = embedding()
    alone = np.concatenate([net.of(picture[None]) for picture in pictures])
    assert np.allclose(net.of(pictures), alone, atol=1e-5)


def test_small_print_is_told_apart_more_clearly_by_the_middle_of_a_patch_too():
    small = {name: shrunk(patch, 0.45) for name, patch in FACES.items()}
    samples = {name: [patch] for name, patch in small.items()}
    both = OpinionBank.enrol(samples)
    whole = OpinionBank.enrol(samples, shown=lambda patch: np.stack([levelled(patch)] * PARTS))
    leads = [[lead(bank, spoilt(p), n) for n, p in small.items()] for bank in (both, whole)]
    assert np.mean(leads[0]) > np.mean(leads[1]) + 0.05


def test_a_flat_patch_gives_finite_numbers(bank):
    likeness = bank.likeness(np.zeros((PATCH, PATCH, 3), np.uint8))
    assert np.isfinite(list(likeness.values())).all()


def test_light_that_is_twice_as_strong_changes_little():
    dim = levelled((FACES["bolt"] * 0.5).astype(np.uint8))
    assert np.abs(dim - levelled(FACES["bolt"])).max() < 0.25
    assert dim.shape == (SIDE, SIDE)


def lead(bank, patch, name):
    likeness = bank.likeness(patch)
    own = likeness.pop(name)
    return own - max(likeness.values())


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("name", FACES)
def test_a_face_is_nearest_to_itself_at_every_quarter_turn(bank, name, quarters):
    assert lead(bank, spoilt(FACES[name], quarters), name) > 0.2


@pytest.mark.parametrize("name", FACES)
def test_a_planted_misread_is_objected_to(bank, name):
    for other in FACES.keys() - {name}:
        assert bank.on(spoilt(FACES[name]), other, np.eye(3)).objects


def test_a_misread_by_registration_is_asked_about(kind):
    """The bank is led astray: its faces have each other's names, the network's have not."""
    swapped = {"ring": "star", "star": "ring", "bolt": "bolt", "bars": "bars"}
    wrong = Kind.of_symbols("spike", {swapped[n]: [p] for n, p in FACES.items()})
    die, scores = read_symbol(FACES["ring"], replace(kind, views=()), wrong.bank)
    assert scores.sure, "registration alone would have been believed"
    assert die.face == "star"
    assert Reason.DISAGREE in die.reasons


def test_two_opinions_on_the_same_face_make_one_reading(kind):
    die, _ = read_symbol(spoilt(FACES["star"]), kind, kind.bank)
    assert (die.face, die.reasons) == ("star", ())


def test_a_crooked_cut_is_recognised_through_the_pose(kind):
    crooked = cv2.getRotationMatrix2D((31.5, 31.5), 35, 0.85)
    crooked[:, 2] += (7, -5)
    patch = cv2.warpAffine(FACES["bolt"], crooked, (PATCH, PATCH), borderValue=BODY)
    scores = kind.bank.score(patch)
    heard = kind.opinion.on(patch, "bolt", scores.pose)
    assert scores.face == "bolt"
    assert heard.lead > heard.plain + 0.1


def test_near_is_as_cut_and_through_the_pose_in_the_mean(bank):
    """A strange face that registration brings near is not near for that alone."""
    crooked = cv2.getRotationMatrix2D((31.5, 31.5), 35, 0.85)
    patch = cv2.warpAffine(FACES["bolt"], crooked, (PATCH, PATCH), borderValue=BODY)
    as_cut, straight = (bank.likeness(p)["bolt"] for p in (patch, FACES["bolt"]))
    right = np.vstack([crooked, [0, 0, 1]])
    right[:2, 2] = right[:2, :2] @ (31.5, 31.5) + right[:2, 2] - 31.5
    right[:2, 2] /= PATCH / 2
    heard = bank.on(patch, "bolt", right)
    assert straight > as_cut + 0.2
    assert as_cut + 0.1 < heard.near < straight - 0.1


def test_an_agreeing_opinion_lifts_a_doubt_and_no_more():
    settings = OpinionSettings()
    near, far = (Opinion(lead, lead, 1.0, settings) for lead in (settings.most, 1.5))
    assert near.joint(0.9) > 0.98
    assert far.joint(0.9) == near.joint(0.9)
    assert near.joint(0.5) < 0.98, "a picture like none enrolled stays in doubt"


def test_agreement_through_the_pose_alone_lifts_nothing():
    assert Opinion(-0.1, 0.5, 1.0, OpinionSettings()).joint(0.9) == pytest.approx(0.9)


def test_an_objection_leaves_at_most_an_even_chance():
    against = Opinion(-0.2, -0.2, 1.0, OpinionSettings())
    assert against.objects
    assert (against.joint(0.99), against.joint(0.3)) == (0.5, 0.3)


@pytest.mark.parametrize(
    ("plain", "lead", "objects"),
    [(0.01, 0.01, True), (0.01, 0.1, False), (-0.1, 0.3, True), (-0.1, 0.5, False)],
)
def test_a_patch_that_looks_like_another_face_must_be_plain_through_the_pose(plain, lead, objects):
    assert Opinion(plain, lead, 1.0, OpinionSettings()).objects is objects


@pytest.mark.parametrize(
    ("lead", "seen", "objects"),
    [
        (0.05, ("star", "star"), True),  # two shapes alike, their insides not
        (0.05, ("star", "bolt"), False),
        (0.05, (), False),
        (0.1, ("star", "star"), False),
    ],
)
def test_where_the_network_is_undecided_all_other_views_may_object(kind, lead, seen, objects):
    views = tuple(
        SimpleNamespace(score=lambda _, face=face: SimpleNamespace(face=face)) for face in seen
    )
    heard = SimpleNamespace(on=lambda *_: Opinion(0.2, lead, 1.0, OpinionSettings()))
    asked = replace(kind, opinion=heard, views=views)
    scores = kind.bank.score(FACES["bolt"])
    assert others_heard(FACES["bolt"], asked, scores)[1] is objects


@pytest.mark.parametrize(("faded", "close"), [(0.0, False), (0.65, True), (1.0, False)])
def test_registration_says_where_another_face_is_nearly_as_like(faded, close):
    star, dotted = FACES["star"], FACES["star"].copy()
    cv2.circle(dotted, (50, 14), 4, (40, 40, 40), -1)
    bank = Kind.of_symbols("spike", {"star": [star], "dotted": [dotted]}).bank
    assert bank.score(cv2.addWeighted(star, faded, dotted, 1 - faded, 0)).close is close


@pytest.mark.parametrize(
    ("close", "lead", "chance"),
    [(True, 0.05, 0.5), (True, 0.1, 0.99), (False, 0.05, 0.99), (True, -0.1, 0.5)],
)
def test_where_both_see_another_face_nearly_as_near_the_chance_is_even(kind, close, lead, chance):
    """Worn faces are all alike to registration, however like one of them they are."""
    heard = SimpleNamespace(on=lambda *_: Opinion(0.05, lead, 1.0, OpinionSettings()))
    scores = replace(kind.bank.score(FACES["bolt"]), close=close, confidence=0.985)
    told, _ = others_heard(FACES["bolt"], replace(kind, opinion=heard, views=()), scores)
    assert told == pytest.approx(chance, abs=0.01)


@pytest.mark.parametrize(
    ("near", "plain", "likeness", "objects"),
    [
        (0.5, 0.3, 0.75, True),
        (0.5, 0.3, 0.95, False),
        (0.6, 0.2, 0.7, True),
        (0.6, 0.3, 0.7, False),
        (0.6, 0.2, 0.8, False),
        (0.65, 0.2, 0.7, False),
        (0.7, 0.3, 0.55, False),
    ],
)
def test_a_picture_far_from_all_enrolled_is_asked_about(kind, near, plain, likeness, objects):
    """Save where registration finds it so like one that only the light can be why.

    Where that is no witness against it, a little nearer is still far, but of the nearest by far.
    """
    heard = SimpleNamespace(on=lambda *_: Opinion(plain, 0.3, near, OpinionSettings()))
    scores = kind.bank.score(FACES["bolt"])
    first, *rest = scores.ranked
    scores = replace(scores, ranked=(replace(first, similarity=likeness), *rest))
    told = others_heard(FACES["bolt"], replace(kind, opinion=heard), scores)
    assert told[1] is objects


def test_a_face_that_was_never_enrolled_is_not_taken_for_the_one_most_like_it():
    enrolled, queries = drawn(230_004)
    known = {face: group[:1] for face, group in enrolled.items() if face != "1"}
    strange = [patch for face, patch in queries if face == "1"]
    kind = Kind.of_symbols("spike", known)
    trusting = replace(kind.opinion, settings=replace(kind.opinion.settings, near=-1.0))
    taken = [read_symbol(p, replace(kind, opinion=trusting), kind.bank)[0] for p in strange]
    assert any(not die.reasons for die in taken), "the other checks let some pass"
    for patch in strange:
        assert read_symbol(patch, kind, kind.bank)[0].reasons


def test_the_network_sees_a_face_only_where_it_is_near_and_plainly_nearer(bank):
    patch, settings = spoilt(FACES["star"]), OpinionSettings()
    near, lead = bank.likeness(patch)["star"], bank.lead(patch)
    assert bank.seen(patch) == "star"
    for asked in ({"sees_near": near + 0.01}, {"sees_lead": lead + 0.01}):
        assert replace(bank, settings=replace(settings, **asked)).seen(patch) is None


def test_a_patch_is_shown_to_the_network_once_however_often_it_is_asked(bank):
    shown = []
    asked = OpinionBank.enrol(
        {name: [patch] for name, patch in FACES.items()},
        shown=lambda patch: shown.append(patch) or by_brightness(patch),
    )
    shown.clear()
    patches = [FACES["star"], spoilt(FACES["bolt"])]
    for patch in patches:
        told = [asked.likeness(patch.copy()) for _ in range(2)]
        assert told == [bank.likeness(patch)] * 2
    assert [patch.tolist() for patch in shown] == [patch.tolist() for patch in patches]
    named_anew = replace(asked, known={"comet": asked.known["bolt"], "hook": asked.known["star"]})
    assert named_anew.likeness(patches[-1]).keys() == {"comet", "hook"}


@pytest.mark.usefixtures("unpaled")
@pytest.mark.parametrize(
    ("named", "seen", "face"),
    [
        (("star", "star", "star"), "star", "star"),
        (("star", "star", "bolt"), "star", "star"),
        (("bolt", "star", "star"), "star", "star"),  # another than brightness names
        (("star", "bolt", "bars"), "star", None),
        (("star", "star", "star"), None, None),
        (("star", "star", "star"), "bolt", None),
    ],
)
@pytest.mark.parametrize("objection", [(), (Reason.COCKED,)])
@pytest.mark.parametrize(("posed", "close"), [(0.1, True), (0.05, True), (0.05, False)])
def test_what_the_network_sees_is_believed_where_most_views_name_it(
    kind, named, seen, face, objection, posed, close
):
    """However uncertain each view is; but not where the place of the print speaks against it.

    Where the network sees another face nearly as near through the pose that they name, all must,
    and not all of them see another nearly as like.
    """
    told = kind.bank.score(FACES["ring"])

    def view(name):
        ranked = (FaceScore(name, 0.6, 0.8), FaceScore("ring", 0.5, 0.2))
        scores = replace(told, ranked=ranked, confidence=0.8, close=close, sure=False)
        return SimpleNamespace(score=lambda _: scores, settings=kind.bank.settings)

    leads = iter((0.0, posed))  # beside brightness, which it denies; beside what most name
    heard = SimpleNamespace(
        on=lambda *_: Opinion(0.0, next(leads), 1.0, OpinionSettings()),
        lead=lambda _: 0.0,
        seen=lambda _: seen,
        settings=OpinionSettings(),
    )
    first, *others = (view(name) for name in named)
    asked = replace(kind, opinion=heard, hued=None, views=tuple(others))
    die, scores = read_symbol(FACES["ring"], asked, first, lambda _: objection)
    undecided = posed < OpinionSettings().undecided
    if face is None or (undecided and (close or set(named) != {face})):
        assert Reason.DISAGREE in die.reasons
    else:
        assert (die.face, scores.face, die.reasons) == (face, face, objection)
        assert die.confidence == kind.bank.settings.accept


@pytest.mark.usefixtures("unpaled")
@pytest.mark.parametrize("sure", ["colour", "strokes"])
def test_but_not_where_another_view_is_sure_of_another_face(kind, sure):
    told = kind.bank.score(FACES["ring"])

    def view(name, by):
        ranked = (FaceScore(name, 0.6, 0.8), FaceScore("ring", 0.5, 0.2))
        scores = replace(told, ranked=ranked, confidence=0.8, close=False, sure=by == sure)
        return SimpleNamespace(score=lambda _: scores, settings=kind.bank.settings)

    named = {"brightness": "star", "colour": "star", "strokes": "star", sure: "bolt"}
    first, *others = (view(name, by) for by, name in named.items())
    heard = SimpleNamespace(
        on=lambda *_: Opinion(0.0, 0.1, 1.0, OpinionSettings()),
        lead=lambda _: 0.0,
        seen=lambda _: "star",
        settings=OpinionSettings(),
    )
    asked = replace(kind, opinion=heard, hued=None, views=tuple(others))
    die, _ = read_symbol(FACES["ring"], asked, first)
    assert die.reasons


@pytest.mark.parametrize("chance", [0.0, 0.5, 1.0])
def test_without_a_lead_of_its_own_the_chance_stays(chance):
    assert Opinion(0.0, 0.1, 1.0, OpinionSettings()).joint(chance) == pytest.approx(
        chance, abs=1e-6
    )


def test_inks_are_not_asked_where_the_network_is_clear(kind):
    tinted = FACES["bolt"].copy()
    tinted[(tinted < 120).all(axis=2)] = (40, 40, 200)
    other = FACES["star"].copy()
    other[(other < 120).all(axis=2)] = (40, 40, 200)
    inked = Kind.of_symbols("spike", {**kind.exemplars, "star": (other,)})
    die, _ = read_symbol(tinted, inked, inked.bank)
    assert Reason.DISAGREE not in die.reasons
    deaf, _ = read_symbol(tinted, replace(inked, opinion=None), inked.bank)
    assert Reason.DISAGREE in deaf.reasons, "the ink is the other face's"


@pytest.mark.parametrize(("plain", "asked"), [(0.07, True), (0.14, True), (0.2, False)])
def test_the_ink_is_heard_where_the_network_sees_a_face_but_not_plainly(kind, plain, asked):
    """Two prints of the body's own brightness are faint to both; only their colours differ."""
    heard = SimpleNamespace(on=lambda *_: Opinion(plain, plain, 1.0, OpinionSettings()))
    against = SimpleNamespace(objects=lambda *_: True)
    scores = kind.bank.score(FACES["bolt"])
    chance, objection = others_heard(
        FACES["bolt"], replace(kind, opinion=heard, inks=against), scores
    )
    assert objection is asked
    assert chance > 0.98


@pytest.mark.parametrize("content", [None, b"", b"no network", MODEL.read_bytes()[:1000]])
def test_without_usable_weights_faces_are_read_and_the_log_says_so_once(
    content, tmp_path, monkeypatch, caplog
):
    model = tmp_path / "opinion.onnx"
    if content is not None:
        model.write_bytes(content)
    monkeypatch.setattr(opinion, "MODEL", model)
    opinion.embedding.cache_clear()
    try:
        with caplog.at_level(logging.WARNING):
            kinds = [Kind.of_symbols("spike", {n: [p] for n, p in FACES.items()}) for _ in "ab"]
    finally:
        opinion.embedding.cache_clear()
    assert [kind.opinion for kind in kinds] == [None, None]
    die, _ = read_symbol(FACES["bolt"], kinds[0], kinds[0].bank)
    assert (die.face, die.reasons) == ("bolt", ())
    (said,) = [record.getMessage() for record in caplog.records]
    assert "opinion.onnx" in said
    assert "without the second opinion" in said
