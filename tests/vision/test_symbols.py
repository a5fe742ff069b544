"""Faces drawn here by simple shapes: enrolled once, then seen turned, shifted, dim, blurred."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.patch import PATCH
from vision.symbols import FaceBank

BODY, INK = (205, 220, 228), (50, 42, 40)


def shape(points, hole=None):
    """A face with a filled polygon, in eighths of the face; ``hole`` is left in body colour."""
    face = np.full((256, 256, 3), BODY, np.uint8)
    for polygon, colour in ((points, INK), (hole, BODY)):
        if polygon is not None:
            corners = np.rint(np.array(polygon, float) * 32).astype(np.int32)
            cv2.fillPoly(face, [corners], colour, cv2.LINE_AA)
    return face


FACES = {
    "kite": shape([(4, 1), (6, 3), (4, 7), (2, 3)], [(4, 2), (5, 3), (4, 5), (3, 3)]),
    "large": shape([(1.6, 1.6), (6.4, 1.6), (6.4, 6.4), (1.6, 6.4)]),
    "small": shape([(2.9, 2.9), (5.1, 2.9), (5.1, 5.1), (2.9, 5.1)]),
    "notch": shape([(2, 2), (6, 2), (7, 6), (1, 6)], [(4, 2), (5, 4.5), (3, 4.5)]),
    "diamond": shape([(4, 1), (7, 4), (4, 7), (1, 4)], [(3, 3), (5, 3), (5, 5), (3, 5)]),
    "bolt": shape([(3, 1), (6, 1), (4.5, 3.5), (6, 3.5), (2.5, 7), (3.5, 4.5), (2, 4.5)]),
}


def seen(face, turn=0.0, scale=1.0, shift=(0.0, 0.0), blur=0.0, light=(1.0, 1.0, 1.0), noise=2.0):
    """A patch of ``face`` turned by degrees about its middle, on felt, and otherwise spoilt."""
    size = PATCH / 1.12 / 256 * scale
    matrix = cv2.getRotationMatrix2D((127.5, 127.5), turn, size)
    matrix[:, 2] += PATCH / 2 - 128 + np.array(shift) * PATCH
    patch = cv2.warpAffine(
        face, matrix, (PATCH, PATCH), flags=cv2.INTER_AREA, borderValue=(40, 60, 30)
    ).astype(np.float32)
    if blur:
        patch = cv2.GaussianBlur(patch, (0, 0), blur)
    patch = patch * light + np.random.default_rng(7).normal(0, noise, patch.shape)
    return np.clip(patch, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def bank():
    return FaceBank.enrol({name: [seen(face)] for name, face in FACES.items()})


SPOILT = {
    "as enrolled": {},
    "a quarter turn": {"turn": 90},
    "three quarters": {"turn": 270},
    "a little turned": {"turn": 187},
    "too large": {"scale": 1.08},
    "too small": {"scale": 0.92, "turn": 90},
    "shifted": {"shift": (0.05, -0.04), "turn": 180},
    "blurred": {"blur": 1.8, "turn": 90},
    "dim": {"light": (0.25, 0.25, 0.25)},
    "amber light": {"light": (0.3, 0.65, 1.0), "turn": 270},
    "noisy": {"noise": 18.0},
}


@pytest.mark.parametrize("spoilt", SPOILT.values(), ids=SPOILT.keys())
@pytest.mark.parametrize("name", FACES)
def test_a_face_is_read_from_one_exemplar(bank, name, spoilt):
    scores = bank.score(seen(FACES[name], **spoilt))
    assert scores.face == name
    assert scores.known
    assert scores.margin > 0


@pytest.mark.parametrize("name", ["kite", "notch", "bolt"])
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_the_rotation_is_told(bank, name, turn):
    rotation = bank.score(seen(FACES[name], turn=-turn)).rotation
    assert abs((rotation - turn + 180) % 360 - 180) < 6


def test_an_even_shadow_over_half_a_face_changes_nothing(bank):
    patch = seen(FACES["kite"]).astype(np.float32)
    patch[:, PATCH // 2 :] *= 0.5
    assert bank.score(patch.astype(np.uint8)).face == "kite"


def test_worn_print_is_still_read(bank):
    patch = seen(FACES["notch"]).astype(np.float32)
    body = np.array(BODY, np.float32)
    worn = body + (patch - body) * 0.25
    assert bank.score(np.clip(worn, 0, 255).astype(np.uint8)).face == "notch"


def test_what_was_never_enrolled_is_never_sure(bank):
    blank = np.full((256, 256, 3), BODY, np.uint8)
    pips = blank.copy()
    for x, y in ((64, 64), (192, 64), (128, 128), (64, 192), (192, 192)):
        cv2.circle(pips, (x, y), 22, INK, -1, cv2.LINE_AA)
    felt = np.random.default_rng(3).integers(30, 90, (256, 256, 3)).astype(np.uint8)
    for picture in (blank, pips, felt):
        assert not bank.score(seen(picture)).sure


def test_a_flat_patch_is_unknown(bank):
    scores = bank.score(np.zeros((PATCH, PATCH, 3), np.uint8))
    assert not scores.known
    assert not scores.sure
    assert np.isfinite([scores.margin, scores.confidence]).all()


def test_half_a_die_is_never_sure(bank):
    for name, face in FACES.items():
        assert not bank.score(seen(face, shift=(0.5, 0.0))).sure, name


def test_a_large_square_is_no_small_one_seen_near(bank):
    large, small = bank.score(seen(FACES["large"])), bank.score(seen(FACES["small"]))
    assert (large.face, small.face) == ("large", "small")


def test_probabilities_make_one_whole(bank):
    scores = bank.score(seen(FACES["bolt"], turn=33))
    assert sum(score.probability for score in scores.ranked) == pytest.approx(1)
    assert {score.face for score in scores.ranked} == set(FACES)
    assert scores.alternatives[0][0] == scores.ranked[1].face


def test_several_exemplars_at_any_rotation_are_merged():
    ways = [{}, {"turn": 90}, {"turn": 180, "blur": 1.0}, {"turn": 275, "light": (0.5, 0.6, 0.7)}]
    bank = FaceBank.enrol({n: [seen(f, **way) for way in ways] for n, f in FACES.items()})
    assert len(bank.owner) < len(FACES) * len(ways)
    for name, face in FACES.items():
        assert bank.score(seen(face, turn=90, noise=8)).face == name


def test_look_alikes_are_named():
    twin = FACES["kite"].copy()
    cv2.circle(twin, (128, 96), 10, INK, -1)
    bank = FaceBank.enrol(
        {"kite": [seen(FACES["kite"])], "twin": [seen(twin)], "bolt": [seen(FACES["bolt"])]}
    )
    pairs = bank.look_alikes()
    assert {pairs[0][0], pairs[0][1]} == {"kite", "twin"}
    assert all(set(pair[:2]) == {"kite", "twin"} for pair in pairs)


def test_two_faces_are_enough():
    bank = FaceBank.enrol({name: [seen(FACES[name])] for name in ("kite", "bolt")})
    assert bank.score(seen(FACES["bolt"], turn=90)).face == "bolt"


def test_a_bank_needs_two_faces_with_pictures():
    with pytest.raises(ValueError, match="two different faces"):
        FaceBank.enrol({"kite": [seen(FACES["kite"])]})
    with pytest.raises(ValueError, match="'bolt'"):
        FaceBank.enrol({"kite": [seen(FACES["kite"])], "bolt": []})
