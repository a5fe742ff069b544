"""A plain die that hides a side of another is found where its top shows all of it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from vision import finding
from vision.halo import filled
from vision.reading import DieReading, Reason
from vision.seen import Found
from vision.settings import SceneSettings
from vision.squares import Square

SETTINGS = SceneSettings()
SIDE = 48.0
BEHIND = Square(150.0, 80.0, SIDE, 0.0, 0.9)  # a printed die; its near side is seen below its top
HIDING = Square(150.0, 80.0 + SIDE, SIDE, 0.0, 0.9)  # a cube's top, over that side

NEAR_SIDE = np.array([[0, 0], [0, 0], [0, 24], [0, 24]], np.float32)


def read(square, kind="cube", face="blue", *reasons):
    corners = tuple((float(x), float(y)) for x, y in square.corners)
    return Found(square, DieReading(kind, face, corners, 0.99, ((face, 0.99),), reasons), 1.2, 1.0)


def hiding(monkeypatch, square, *reasons, left=(150, 120, 170, 12)):
    """The cube that is found about what is ``left`` (x, y, width, height) below a printed die."""
    mask = np.zeros((300, 300), np.uint8)
    mask[50:160, 120:180] = 255  # both dice
    x, y, width, height = left
    thing = np.zeros_like(mask)
    thing[y : y + height, x : x + width] = 255

    def squares(seen, mask, kinds):
        covered = filled(mask, square.corners, 0).share(mask) >= SETTINGS.inside
        return [(square, kind) for kind in kinds if covered]

    monkeypatch.setattr(finding, "_squares", squares)
    monkeypatch.setattr(finding, "in_shadow", lambda *_: False)
    seen = SimpleNamespace(
        settings=SETTINGS,
        mask=mask,
        face=SIDE**2,
        station=SimpleNamespace(bodies={"spike": None, "cube": None}),
        is_plain=lambda kind: kind == "cube",
        top=lambda item: filled(mask, item.square.corners, 1),
        outline=lambda item: filled(mask, BEHIND.corners + NEAR_SIDE, 1),
        judged=lambda square, kind: read(square, kind, "blue", *reasons),
    )
    found = [read(BEHIND, "spike", "sun")]
    without = finding.untaken(found, mask, seen.outline)
    assert not squares(seen, without, ["cube"])  # where the side is taken from it, it is not seen
    return finding._hiding_plain(seen, [thing], found)


def test_a_cube_that_hides_a_side_is_found(monkeypatch):
    assert hiding(monkeypatch, HIDING) == read(HIDING)


@pytest.mark.parametrize(
    ("square", "reasons"),
    [
        (replace(HIDING, edge=0.65), ()),
        (replace(HIDING, y=HIDING.y - 16), ()),  # half of it is the other die's top
        (HIDING, (Reason.COLOUR_UNSURE,)),
    ],
)
def test_one_in_any_doubt_is_not(monkeypatch, square, reasons):
    assert hiding(monkeypatch, square, *reasons) is None


def test_none_is_looked_for_under_a_hand(monkeypatch):
    assert hiding(monkeypatch, HIDING, left=(0, 0, 200, 200)) is None
