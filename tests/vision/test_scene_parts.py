"""The parts of the scene reader on drawn pictures whose truth is known exactly."""

from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from vision import finding, lying
from vision.align import turned
from vision.halo import DARK, FAINT, OTHER, Left, empty_halo, explained, foretold, learn_halo
from vision.inks import InkBank
from vision.patch import MARGIN, PATCH, off_centre, uneven
from vision.reading import DieReading, Reason
from vision.seen import Found, recentred
from vision.settings import SceneSettings
from vision.squares import Outlines, Region, Square, Turned
from vision.standing import clearances, foot, gap
from vision.station import Body
from vision.tray import Tray
from vision.viewpoint import EVERYDAY, likely_focal, viewpoint

SETTINGS = SceneSettings()


SHADE = np.ones((200, 200), np.uint8)


def right_of_a_die(changed=(130, 150), hinted=(130, 150), shadowy=SHADE):
    """What a die at (100, 100) changes, from one column to another."""
    masks = []
    for left, right in (changed, hinted):
        mask = np.zeros((200, 200), np.uint8)
        mask[90:110, left:right] = 255
        masks.append(mask)
    none = np.zeros((200, 200), np.uint8)
    return learn_halo([Left(*masks, shadowy, (100.0, 100.0), none)], SETTINGS)


def test_a_halo_explains_only_the_change_it_was_learnt_from():
    bits = foretold(SHADE.shape, right_of_a_die(), [(50.0, 60.0)])
    assert set(np.unique(bits)) == {0, DARK}
    assert explained(SHADE, bits)[60, 90] == 255
    assert explained(SHADE, bits)[60, 10] == 0
    assert explained(np.zeros_like(SHADE), bits)[60, 90] == 0  # no shadow there
    glint = foretold(SHADE.shape, right_of_a_die(shadowy=1 - SHADE), [(50.0, 60.0)])
    assert glint.max() == OTHER
    assert explained(np.zeros_like(SHADE), glint)[60, 90] == 255


def test_what_hardly_changed_explains_nothing_by_itself():
    bits = foretold(SHADE.shape, right_of_a_die(hinted=(130, 180)), [(50.0, 60.0)])
    assert (bits[60, 90], bits[60, 120]) == (DARK, FAINT)
    assert explained(SHADE, bits)[60, 120] == 0


@pytest.mark.parametrize("centre", [(-3.0, 60.0), (203.4, 60.0), (50.0, -40.0), (50.0, 600.0)])
def test_a_die_cut_off_by_the_edge_of_the_picture_has_its_halo_too(centre):
    halo = right_of_a_die()
    reach = halo.shape[0] // 2
    beyond = np.zeros((1400, 1400), np.uint8)  # the picture and 600 pixels around it
    col, row = round(centre[0]) + 600, round(centre[1]) + 600
    beyond[row - reach : row + reach + 1, col - reach : col + reach + 1] = halo
    assert (foretold(SHADE.shape, halo, [centre]) == beyond[600:-600, 600:-600]).all()


def test_a_halo_is_learnt_from_a_die_at_the_edge_of_the_picture():
    changed = np.zeros((200, 200), np.uint8)
    changed[90:110, 30:50] = 255
    none = np.zeros_like(changed)
    halo = learn_halo([Left(changed, changed, SHADE, (-0.8, 100.0), none)], SETTINGS)
    assert foretold(SHADE.shape, halo, [(99.0, 100.0)])[100, 139:141].tolist() == [DARK, DARK]


def test_an_empty_halo_explains_nothing():
    bits = foretold((50, 60), empty_halo(SETTINGS), [(20.0, 20.0)])
    assert not explained(np.ones((50, 60), np.uint8), bits).any()


FRAME = (1152, 864)


def camera(focal, tilt, distance, size=FRAME):
    """Homography from floor millimetres to pixels, and the camera's place."""
    t = np.radians(tilt)
    place = distance * np.array([0, -np.sin(t), np.cos(t)]) + [100, 75, 0]
    forward = np.array([100, 75, 0]) - place
    forward = forward / np.linalg.norm(forward)
    right = np.array([1.0, 0, 0])
    down = np.cross(forward, right)
    world = np.stack([right, down, forward])
    inner = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1]])
    flat = np.column_stack([world[:, 0], world[:, 1], -world @ place])
    return inner @ flat, place


@pytest.mark.parametrize(("focal", "tilt"), [(1500.0, 15.0), (2600.0, 22.0), (1100.0, 25.0)])
def test_the_viewpoint_of_a_leaning_camera_is_found(focal, tilt):
    homography, place = camera(focal, tilt, 600.0)
    found = viewpoint(homography, FRAME, likely_focal(homography, FRAME, EVERYDAY))
    assert (found.x, found.y) == pytest.approx(place[:2], abs=8)
    assert found.z == pytest.approx(place[2], rel=0.05)


def test_a_box_under_a_leaning_camera_hides_what_lies_behind_it():
    homography, place = camera(1500.0, 20.0, 600.0)
    found = viewpoint(homography, FRAME, likely_focal(homography, FRAME, EVERYDAY))
    top = np.array([[92, 67], [108, 67], [108, 83], [92, 83]], np.float32)
    outline = found.outline(top, 16.0)
    toward = np.sign(place[1] - 75)
    reach = (outline[:, 1] * toward).max() - (top[:, 1] * toward).max()
    assert reach == pytest.approx(16 * np.tan(np.radians(20)), rel=0.2)


def test_gaps_between_squares():
    one = np.array([[10, 10], [26, 10], [26, 26], [10, 26]], np.float32)
    assert gap(one, one + np.float32([20, 0])) == pytest.approx(4)
    assert gap(one, one + np.float32([14, 0])) == pytest.approx(-2)


def seen_from_above():
    """A tray of 200 by 150 mm whose sides are level in the picture."""
    corners = np.array([[100, 100], [1000, 100], [1000, 775], [100, 775]], np.float32)
    return Tray.calibrate([np.zeros((864, 1152, 3), np.uint8)], corners, (200.0, 150.0))


def test_a_die_alone_in_the_middle_is_far_from_everything():
    tray = seen_from_above()
    body = Body(45.0, 16.0, 0.1)
    middle = Square((100 + 14) * 3, (75 + 14) * 3, 45.0, 20.0, 1.0)
    [room] = clearances([foot(middle, body, tray)], tray.walls)
    assert room.nearest > 50
    assert room.die == np.inf  # there is no other


def lie_flat(monkeypatch):
    """Let no die be looked at for whether it leans."""
    monkeypatch.setattr(lying, "_stands", lambda *_: SimpleNamespace(size_mm=16.0))
    monkeypatch.setattr(lying, "_leans", lambda *_: False)


def in_a_row(*sides):
    """What is seen of dice that many ``sides`` to the right of the tray's middle, and the dice."""
    tray = seen_from_above()
    body = Body(tray.top_side(16.0), 16.0, 0.1)
    x, y = (100 + 14) * 3.0, (75 + 14) * 3.0
    found = [
        replace(read_as("sun", 1.3), square=Square(x + far * body.side, y, body.side, 0.0, 1.0))
        for far in sides
    ]
    station = SimpleNamespace(bodies={"spike": body}, tray=tray)
    return SimpleNamespace(settings=SETTINGS, station=station), found


@pytest.mark.parametrize(
    ("across", "stacked"),
    [(0.67, True), (0.75, True), (0.85, False), (1.0, False), (3.0, False)],  # sides apart
)
def test_dice_that_cannot_both_lie_flat_are_stacked(monkeypatch, across, stacked):
    lie_flat(monkeypatch)
    dice = lying.as_standing(*in_a_row(0, across, -3), counted=True)
    told = [Reason.STACKED in item.die.reasons for item in dice]
    assert told == [stacked, stacked, False]


def test_every_die_is_looked_at_for_whether_it_leans_also_one_that_nothing_is_near(monkeypatch):
    lie_flat(monkeypatch)
    monkeypatch.setattr(lying, "_leans", lambda _, near: near.apart > 2)
    dice = lying.as_standing(*in_a_row(-3.5, 0, 1.1), counted=True)
    told = [item.die.reasons for item in dice]
    assert told == [(Reason.COCKED,), (), ()]


def face(colour, body=(230, 228, 225)):
    patch = np.full((PATCH, PATCH, 3), body, np.uint8)
    cv2.circle(patch, (PATCH // 2, PATCH // 2), 14, colour, 5, cv2.LINE_AA)
    return patch


def test_ink_objects_to_a_face_of_another_colour_only():
    red, blue, green = (40, 40, 190), (180, 60, 40), (60, 140, 50)
    bank = InkBank.enrol({"crown": [face(red)], "flask": [face(blue)], "sun": [face(green)]})
    assert bank.objects(face(blue), "crown")
    assert not bank.objects(face(blue), "flask")
    dim = (face(blue) * 0.7).astype(np.uint8)
    assert not bank.objects(dim, "flask")


def test_ink_of_one_colour_never_objects():
    black = (20, 20, 20)
    bank = InkBank.enrol({"crown": [face(black)], "flask": [face(black)]})
    assert not bank.objects(face(black), "crown")
    assert not bank.objects(face((90, 20, 20)), "flask")


def test_a_slope_of_light_does_not_make_a_plain_face_uneven():
    plain = np.full((PATCH, PATCH, 3), 120, np.uint8)
    slope = np.clip(plain + np.linspace(-40, 40, PATCH)[None, :, None], 0, 255).astype(np.uint8)
    assert uneven(slope) < 0.03 < 0.3 < uneven(face((20, 20, 20)))


def test_a_print_off_its_middle_is_noticed():
    moved = np.roll(face((20, 20, 20)), 12, axis=1)
    assert off_centre(face((20, 20, 20))) < 0.05 < 0.2 < off_centre(moved)


@pytest.mark.parametrize(
    ("dx", "dy", "turn"), [(0.0, 0.0, 0.0), (6.0, -4.0, 25.0), (-5.0, 7.0, 70.0)]
)
def test_a_print_shows_where_its_face_lies(dx, dy, turn):
    """A pose as registration finds it, made from a square that is off by a known amount."""
    truth = Square(150.0, 120.0, 48.0, 30.0, 1.0)
    off = Square(truth.x - dx, truth.y - dy, truth.side, (truth.turn - turn) % 90, 1.0)
    angle, half = np.radians(off.turn), 24.0 * (1 + 2 * MARGIN)
    back = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    shift = back @ (dx, dy) / half
    pose = turned(np.radians(truth.turn - off.turn), 1.0, *shift)
    found = recentred(off, pose)
    assert (found.x, found.y) == pytest.approx((truth.x, truth.y), abs=1e-6)
    assert (found.turn - truth.turn) % 90 == pytest.approx(0, abs=1e-6)


def read_as(face, fit, *reasons, x=150.0):
    """A square of 48 pixels read as ``face``, as believable as ``fit``."""
    where = Square(x, 120.0, 48.0, 30.0, 0.9)
    corners = tuple((float(across), float(down)) for across, down in where.corners)
    die = DieReading("spike", face, corners, 0.99, ((face, 0.99),), reasons)
    return Found(where, die, fit, 1.0)


DOUBT = read_as("sun", 1.36, Reason.DISAGREE)


@pytest.mark.parametrize(
    ("tried", "clear"),
    [
        ([read_as("sun", 1.2)], 0),
        ([DOUBT, read_as("eye", 1.28)], None),  # a poorer outline is no witness against the better
        ([DOUBT, read_as("eye", 1.38)], None),  # nor is one that is about as good
        ([DOUBT, read_as("eye", 1.45)], 1),
        ([DOUBT, read_as("eye", 1.2, x=190.0)], 1),  # another die
        ([DOUBT, read_as("eye", 1.45, x=160.0), read_as("sun", 1.2)], 1),
        ([replace(DOUBT, die=replace(DOUBT.die, face=None)), read_as("eye", 1.28)], 1),
    ],
)
def test_a_doubt_in_a_place_is_settled_only_by_what_is_more_believable(monkeypatch, tried, clear):
    monkeypatch.setattr(finding, "_printed", lambda seen, mask, found: iter(tried))
    seen = SimpleNamespace(settings=SETTINGS)
    found = finding._clear_print(seen, np.zeros((2, 2), np.uint8), [])
    assert found is (None if clear is None else tried[clear])


def seen_faintly(face, fit, *reasons, x=150.0, edge=0.6):
    item = read_as(face, fit, *reasons, x=x)
    return replace(item, square=replace(item.square, edge=edge))


FAINT_SUN = seen_faintly("sun", 1.1)


@pytest.mark.parametrize(
    ("item", "others", "face", "reasons"),
    [
        (FAINT_SUN, [], "sun", ()),
        (FAINT_SUN, [read_as("eye", 1.3, x=160.0)], "eye", ()),  # as the floor shows it, too
        (FAINT_SUN, [read_as("eye", 1.13, x=160.0)], "eye", (Reason.AMBIGUOUS,)),  # about as good
        (FAINT_SUN, [read_as("eye", 1.07, x=160.0)], "sun", (Reason.AMBIGUOUS,)),
        (FAINT_SUN, [read_as("eye", 1.0, x=160.0)], "sun", ()),
        (FAINT_SUN, [read_as("sun", 1.13, x=160.0)], "sun", ()),
        (FAINT_SUN, [read_as("eye", 1.3, Reason.DISAGREE, x=160.0)], "eye", (Reason.DISAGREE,)),
        (FAINT_SUN, [read_as("eye", 1.3, x=190.0)], "sun", ()),  # another die
        (FAINT_SUN, [read_as("eye", 1.3, x=140.0)], "sun", ()),  # the floor's own print
        (FAINT_SUN, [read_as(None, 1.3, Reason.UNKNOWN_FACE)], "sun", ()),  # what it cuts
        (seen_faintly("sun", 1.1, edge=0.7), [read_as("eye", 1.3)], "sun", ()),  # beyond doubt
    ],
)
def test_a_die_of_faint_outline_is_looked_for_on_the_floor_about_it(
    monkeypatch, item, others, face, reasons
):
    judged = {other.square: other for other in others}
    edges = np.zeros((240, 300), np.uint8)
    edges[:, 155:] = 255
    monkeypatch.setattr(
        finding, "_squares", lambda seen, mask, kinds, keep: [(s, "spike") for s in judged]
    )
    seen = SimpleNamespace(
        settings=SETTINGS,
        mask=np.zeros_like(edges),
        beside=SimpleNamespace(new_edges=edges),
        outline=None,
        station=SimpleNamespace(bodies={"spike": None}),
        is_plain=lambda kind: False,
        judged=lambda square, kind: judged[square],
    )
    best = finding._seen_best(seen, item, [])
    assert (best.die.face, best.die.reasons) == (face, reasons)


def test_a_plain_die_of_faint_outline_is_no_print():
    seen = SimpleNamespace(settings=SETTINGS, is_plain=lambda kind: True)
    assert finding._seen_best(seen, FAINT_SUN, []) is FAINT_SUN


@pytest.mark.parametrize(
    ("found", "read"),
    [
        ([], 3),
        ([read_as("sun", 1.3)], 1),  # on it: its own side or shadow; a side apart: another die
        ([read_as("sun", 1.3, Reason.AMBIGUOUS)], 3),  # its own place is not certain
    ],
)
def test_no_other_die_is_read_in_the_place_of_one_read_for_certain(monkeypatch, found, read):
    near = [read_as("eye", 1.2, x=150.0 + apart) for apart in (0.0, 30.0, 47.0)]
    squares = [(item.square, "spike") for item in near]
    judged = {item.square: item for item in near}
    monkeypatch.setattr(finding, "_squares", lambda seen, mask, kinds: squares)
    seen = SimpleNamespace(
        settings=SETTINGS,
        station=SimpleNamespace(bodies={"spike": None}),
        is_plain=lambda kind: False,
        judged=lambda square, kind: judged[square],
    )
    assert list(finding._printed(seen, np.zeros((2, 2), np.uint8), found)) == near[-read:]


PART = 0.4  # of a face, that a square on a part of a die holds of the unchanged floor


@pytest.mark.parametrize(
    ("on_change", "in_shade", "off", "face", "reasons"),
    [
        # On the part of a dark body that changed, a square cuts another face for certain.
        (read_as("eye", 1.11), read_as("sun", 1.24), PART, "sun", ()),
        (read_as("eye", 1.2), read_as("sun", 1.24), PART, "sun", (Reason.AMBIGUOUS,)),
        (read_as("sun", 1.22), read_as("sun", 1.24), PART, "sun", ()),
        (DOUBT, read_as("eye", 1.38), PART, "eye", (Reason.AMBIGUOUS,)),
        (read_as("eye", 1.38), DOUBT, PART, "eye", (Reason.AMBIGUOUS,)),
        (DOUBT, read_as("sun", 1.2), PART, "sun", (Reason.DISAGREE,)),  # the better is the die
        (read_as("eye", 1.2, x=190.0), read_as("sun", 1.24), PART, "sun", ()),  # another die
        (read_as(None, 1.36, Reason.UNKNOWN_FACE), read_as("sun", 1.38), 0.0, "sun", ()),
        (read_as("eye", 1.11), None, PART, "eye", ()),
        (read_as("eye", 1.11), read_as("sun", 1.24), 0.0, "eye", ()),  # a whole die: no more looks
        (None, None, 0.0, None, None),
    ],
)
@pytest.mark.parametrize("looks", [("_on_change", "_on_darker"), ("_on_darker", "_on_floor")])
def test_a_die_that_is_not_clear_is_looked_for_in_its_shade_and_on_the_floor_too(
    monkeypatch, on_change, in_shade, off, face, reasons, looks
):
    for look in ("_on_change", "_on_darker", "_on_floor"):
        monkeypatch.setattr(finding, look, lambda *_: iter(()))
    for look, item in zip(looks, (on_change, in_shade), strict=True):
        monkeypatch.setattr(finding, look, lambda *_, item=item: filter(None, [item]))
    monkeypatch.setattr(finding, "missing", lambda seen, square, kind: off)
    best = finding._doubtful(SimpleNamespace(settings=SETTINGS), [SHADE], [])
    assert (best and best.die.face) == face
    assert (best and best.die.reasons) == reasons


@pytest.mark.parametrize(("share", "found"), [(0.25, True), (0.1, False)])
def test_on_the_floor_only_a_print_that_is_new_is_looked_for(monkeypatch, share, found):
    """The floor may be printed, too; but of that the empty tray shows the edges."""
    item, grounds = read_as("sun", 1.24), []
    edges = np.zeros((200, 200), np.uint8)
    edges[:: round(1 / share)] = 255

    def explaining(seen, left, free, kinds, keep):
        grounds.append((free.all(), kinds))
        return iter([item])

    monkeypatch.setattr(finding, "_explaining", explaining)
    seen = SimpleNamespace(
        settings=SETTINGS,
        mask=np.zeros_like(edges),
        outline=None,
        beside=SimpleNamespace(new_edges=edges),
        station=SimpleNamespace(bodies={"spike": None, "cube": None}),
        is_plain=lambda kind: kind == "cube",
    )
    assert list(finding._on_floor(seen, [], [])) == ([item] if found else [])
    assert grounds == [(True, ["spike"])]


@pytest.mark.parametrize(("counted", "reasons"), [(True, ()), (False, (Reason.STACKED,))])
def test_only_where_nobody_counted_the_dice_it_is_asked_whether_one_hides_another(
    monkeypatch, counted, reasons
):
    tray = seen_from_above()
    station = SimpleNamespace(bodies={"spike": Body(48.0, 16.0, 0.1)}, tray=tray)
    found, seen = [read_as("sun", 1.3)], SimpleNamespace(settings=SETTINGS, station=station)
    monkeypatch.setattr(finding, "looked_at", lambda *_: seen)
    monkeypatch.setattr(finding, "dice", lambda _: (found, set()))
    lie_flat(monkeypatch)
    monkeypatch.setattr(finding, "_off_floor", lambda *_: False)
    monkeypatch.setattr(finding, "like_the_floor", lambda *_: False)
    monkeypatch.setattr(lying, "_raised", lambda *_: True)
    ((item,), said) = finding.scene(None, None, counted)
    assert (item.die.reasons, said) == (reasons, set())


@pytest.mark.parametrize(
    ("die", "reasons", "asked"),
    [
        (read_as("sun", 1.3), set(), True),
        (read_as("sun", 1.3, Reason.AMBIGUOUS), set(), False),
        (read_as("sun", 1.3), {Reason.HAND}, False),
    ],
)
def test_what_is_like_the_floor_is_looked_for_where_nothing_else_is_in_doubt(
    monkeypatch, die, reasons, asked
):
    looks = []
    monkeypatch.setattr(finding, "looked_at", lambda *_: SimpleNamespace(settings=SETTINGS))
    monkeypatch.setattr(finding, "dice", lambda _: ([die], set(reasons)))
    monkeypatch.setattr(finding, "as_standing", lambda seen, found, counted: found)
    monkeypatch.setattr(finding, "_off_floor", lambda *_: False)
    monkeypatch.setattr(finding, "like_the_floor", lambda *_: looks.append(1) or True)
    _, said = finding.scene(None, None, True)
    assert (len(looks), said) == (asked, reasons | ({Reason.FOREIGN} if asked else set()))


def turned_centres(right):
    """Centres of 40 pixel squares on a light one, looked at from column 36 to ``right``."""
    picture = np.full((120, 140, 3), 60, np.uint8)
    cv2.rectangle(picture, (40, 30), (79, 69), (200, 200, 200), -1)
    mask = np.zeros((120, 140), np.uint8)
    mask[26:74, 36:right] = 255
    slopes = Outlines(picture, SETTINGS).slopes
    turned = Turned.of(Region.of(slopes, mask, SETTINGS), 0.0)
    return turned, turned.centres(40.0, SETTINGS)


def test_a_square_scores_best_where_edges_run_along_all_its_sides():
    turned, centres = turned_centres(right=84)
    scores, window = turned.scores(centres, 40.0, SETTINGS), centres.window
    row, column = np.argwhere(scores > 0.999).mean(axis=0)
    x, y = turned.back @ (column + window.left, row + window.top, 1.0)
    assert (x, y) == pytest.approx((59.5, 49.5), abs=1.0)


def test_faint_edges_of_two_colours_that_slope_to_opposite_ways_do_not_cancel_each_other():
    picture, mask = np.full((120, 140, 3), (140, 130, 120), "f4"), np.zeros((120, 140), np.uint8)
    corners = np.rint(Square(60.0, 50.0, 40.0, 20.0, 1.0).corners).astype(np.int32)
    cv2.fillConvexPoly(picture, corners, (120, 130, 140))
    cv2.fillConvexPoly(mask, corners, 255)
    noise = np.random.default_rng(1).normal(0, 1, picture.shape)
    slopes = Outlines(cv2.GaussianBlur(picture, (0, 0), 1.0) + noise, SETTINGS).slopes
    turned = Turned.of(Region.of(slopes, cv2.dilate(mask, np.ones((9, 9))), SETTINGS), 20.0)
    scores = turned.scores(turned.centres(40.0, SETTINGS), 40.0, SETTINGS)
    assert scores.max() > 0.9


def test_a_square_that_the_region_does_not_cover_has_no_centre():
    _, centres = turned_centres(right=58)
    assert centres.window.empty


def test_what_lies_beside_all_centres_does_not_score():
    turned, centres = turned_centres(right=84)
    whole = replace(centres, mask=np.full_like(centres.mask, 255))
    few = replace(centres, mask=np.zeros_like(centres.mask))
    scores, none = (turned.scores(each, 40.0, SETTINGS) for each in (whole, few))
    assert scores.any()
    assert not none.any()
