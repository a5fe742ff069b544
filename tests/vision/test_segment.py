"""What changed against the empty tray, on drawn pictures: objects, shadows, squares."""

import cv2
import numpy as np
import pytest

from vision.segment import Floor, objects
from vision.settings import SceneSettings
from vision.squares import Square, SquareSearch, turned_apart

SETTINGS = SceneSettings()
FELT = (60, 90, 40)


def felt(height=300, width=400):
    grain = np.random.default_rng(5).normal(0, 3, (height, width, 1))
    return np.clip(np.full((height, width, 3), FELT) + grain, 0, 255).astype(np.uint8)


def with_square(picture, square, colour=(210, 220, 230)):
    drawn = picture.copy()
    cv2.fillConvexPoly(drawn, np.rint(square.corners).astype(np.int32), colour, cv2.LINE_AA)
    return drawn


@pytest.mark.parametrize("turn", [0.0, 17.0, 44.0, 71.0])
def test_a_drawn_square_is_found_where_it_lies(turn):
    truth = Square(180.0, 140.0, 48.0, turn, 1.0)
    empty = felt()
    seen = with_square(empty, truth)
    things = objects(Floor.of(empty, SETTINGS).changed(seen), 100)
    assert len(things) == 1
    best = SquareSearch(seen, things[0], SETTINGS).find(48.0)[0]
    assert np.hypot(best.x - truth.x, best.y - truth.y) < 2
    assert abs((best.turn - turn + 45) % 90 - 45) < 2
    assert best.edge > 0.9


def test_squares_are_found_as_they_lie_whatever_their_size_place_and_turn():
    rng = np.random.default_rng(0)
    for _ in range(60):
        side, turn = rng.uniform(34, 58), rng.uniform(0, 90)
        truth = Square(*rng.uniform(60, 140, 2), side, turn, 1.0)
        seen, mask = np.full((201, 204, 3), 60, np.uint8), np.zeros((201, 204), np.uint8)
        fine = np.rint(truth.corners * 16).astype(np.int32)
        cv2.fillConvexPoly(seen, fine, (200, 190, 185), cv2.LINE_AA, 4)
        cv2.fillConvexPoly(mask, np.rint(truth.corners).astype(np.int32), 255)
        best = SquareSearch(seen, mask, SETTINGS).find(side)[0]
        assert best.apart(truth) < 0.03 * side
        assert turned_apart(best.turn, turn) < 3.5


def test_what_was_looked_for_is_not_looked_for_again(monkeypatch):
    truth = Square(180.0, 140.0, 48.0, 17.0, 1.0)
    seen = with_square(felt(), truth)
    search = SquareSearch(seen, objects(Floor.of(felt(), SETTINGS).changed(seen), 100)[0], SETTINGS)
    first, fewer = search.find(48.0), search.find(48.0, keep=1)
    assert len(first) > len(fewer) == 1
    monkeypatch.setattr(SquareSearch, "_peaks", lambda *_: pytest.fail("looked for again"))
    again = search.find(48.0)
    assert again == first
    again.clear()
    assert search.find(48.0) == first, "what is done with an answer does not change the next"


def test_a_soft_shadow_is_no_object():
    empty = felt()
    shade = np.ones(empty.shape[:2], np.float32)
    cv2.circle(shade, (200, 150), 60, 0.7, -1)
    dim = empty * cv2.GaussianBlur(shade, (0, 0), 15)[..., None]
    assert not Floor.of(empty, SETTINGS).changed(dim.astype(np.uint8)).any()


def test_a_change_may_be_told_from_more_or_less_than_usual():
    empty = felt()
    floor = Floor.of(empty, SETTINGS)
    stronger = np.arange(1.0, 1.8, 0.02)

    def first_told(share):
        seen = (floor.beside(lit(empty, (1.0, 1.0, strength))) for strength in stronger)
        return next(n for n, beside in enumerate(seen) if beside.changed_by(share)[120, 180])

    assert first_told(0.8) < first_told(1.0) < first_told(1.2)
    told = floor.beside(lit(empty, (1.0, 1.0, 1.5)))
    assert (told.changed_by(1.0) == told.changed).all()


@pytest.mark.parametrize(("between", "things"), [(1.16, 1), (1.0, 0)])
def test_pieces_are_one_thing_where_what_hardly_changed_joins_them(between, things):
    empty = felt()
    body = np.ones(empty.shape, np.float32)
    body[90:150, 150:242, 2] = between
    for left in (150, 190, 230):
        body[90:150, left : left + 12, 2] = 1.6
    beside = Floor.of(empty, SETTINGS).beside(np.clip(empty * body, 0, 255).astype(np.uint8))
    pieces = objects(beside.changed, 200)
    assert len(pieces) == 3
    least = 1.5 * cv2.countNonZero(pieces[0])
    found = beside.things(least)
    assert len(found) == things
    assert all(thing[120, 150:242].all() for thing in found)
    largest = beside.things(0.5 * least)
    assert len(largest) == 3
    assert all((thing == piece).all() for thing, piece in zip(largest, pieces, strict=True))


def lit(empty, factors):
    """``empty`` with a square of it in another light: ``factors`` of blue, green, red."""
    seen = empty.astype(np.float32)
    seen[90:150, 150:210] *= factors
    return np.clip(seen, 0, 255).astype(np.uint8)


def test_a_body_of_another_tint_shows_on_a_dark_floor():
    """It is no brighter than the floor, so only its tint tells: no light fell or rose there."""
    dark = (felt() * 0.4).astype(np.uint8)  # about (24, 36, 16)
    changed = Floor.of(dark, SETTINGS).changed(lit(dark, (1.0, 0.85, 1.9)))
    assert (changed[94:146, 154:206] == 255).mean() > 0.95


@pytest.mark.parametrize("factors", [(1.05, 1.0, 0.95), (0.93, 0.97, 1.02)])
@pytest.mark.parametrize("bright", [0.4, 1.0, 2.4])
def test_a_lamp_that_drifts_a_little_in_tint_changes_nothing(bright, factors):
    empty = np.clip(felt() * bright, 0, 255).astype(np.uint8)
    drifted = np.clip(empty * np.array(factors), 0, 255).astype(np.uint8)
    assert not Floor.of(empty, SETTINGS).changed(drifted).any()


def test_a_deeper_shadow_may_be_of_another_tint():
    floor = Floor.of(felt(), SETTINGS)
    near, deep = (floor.unsure(np.full((300, 400), value, np.float32)) for value in (1.0, 0.4))
    assert (near < deep).all()
    assert deep.max() <= SETTINGS.residual


def test_a_shadow_is_told_from_a_colour():
    empty = felt()
    seen = empty.copy()
    seen[:, :200] = (seen[:, :200] * 0.5).astype(np.uint8)
    seen[:, 200:, 2] = 200
    shadowy = Floor.of(empty, SETTINGS).shadowy(seen)
    assert shadowy[:, :190].mean() > 0.95
    assert shadowy[:, 210:].mean() < 0.05


@pytest.mark.parametrize(
    ("beyond", "goes_on"),
    [
        ((0.6, 0.6, 0.6), True),
        ((0.63, 0.6, 0.58), True),
        ((0.45, 0.45, 0.45), False),  # darker: it is no more of the same shadow
        ((0.6, 0.6, 0.75), False),  # of another tint
    ],
)
def test_a_shadow_goes_on_where_the_floor_keeps_its_light(beyond, goes_on):
    empty = felt()
    seen = empty.astype(np.float32)
    seen[100:160, 150:200] *= 0.6
    seen[100:160, 200:240] *= beyond
    known = np.zeros(empty.shape[:2], np.uint8)
    known[100:160, 150:200] = 255
    alike = Floor.of(empty, SETTINGS).beside(seen.astype(np.uint8)).lit_like(known)
    assert bool((alike[110:150, 203:210] == 255).mean() > 0.9) is goes_on
    assert not alike[110:150, 216:].any()  # a coin's width on it would be something else
