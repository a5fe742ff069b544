"""A printed die is found even where all of it passes for the light and shadow of other dice."""

import pytest

from tests.recordings import SESSIONS
from tests.vision import film
from tests.vision.taught import taught
from vision import finding
from vision.leftovers import full_of_edges
from vision.reading import Reason
from vision.station import read_image

THROWS = [line for line in film.TRUTH if line["scene"] == "throw"][:4]


def seen_in(line):
    return finding.looked_at(film.picture(line["image"]), film.station())


@pytest.mark.parametrize("line", THROWS, ids=lambda line: line["image"])
def test_a_die_that_passes_for_shadow_is_found_by_its_print(monkeypatch, line):
    whole, _ = finding.dice(seen_in(line))
    plainly = finding._plain_to_see
    monkeypatch.setattr(finding, "left_things", lambda seen, found: [])
    lost = next(item for item in whole if item.die.kind == "spike")

    def all_but_one(seen):
        found, reasons = plainly(seen)
        return [item for item in found if item.square.apart(lost.square) > 5], reasons

    monkeypatch.setattr(finding, "_plain_to_see", all_but_one)
    found, reasons = finding.dice(seen_in(line))
    assert not reasons
    assert faces(found) == faces(whole)


def faces(found):
    return sorted((item.die.kind, item.die.face) for item in found)


def test_a_place_full_of_edges_is_where_a_printed_die_lies_that_was_not_found():
    seen = seen_in(THROWS[0])
    found, _ = finding.dice(seen)
    lost = next(item for item in found if item.die.kind == "spike")
    spots = full_of_edges(seen, [item for item in found if item is not lost])
    assert len(spots) == 1
    assert spots[0][round(lost.square.y), round(lost.square.x)]


@pytest.mark.parametrize("folder", ["cantina-felt", "prop-leather"])
def test_shadows_of_dice_are_not_as_full_of_edges_as_prints(folder):
    known = taught(folder, per_face=1)
    for image in ("throws/000.jpg", "throws/001.jpg", "throws/002.jpg"):
        seen = finding.looked_at(read_image(SESSIONS / folder / image), known)
        found, reasons = finding.dice(seen)
        assert not reasons
        assert full_of_edges(seen, found) == []


def test_in_clutter_a_scene_is_refused_for_a_die_that_was_overlooked(monkeypatch):
    seen = seen_in(THROWS[0])
    found, _ = finding.dice(seen)
    monkeypatch.setattr(finding, "_plain_to_see", lambda seen: (found[1:], set()))
    monkeypatch.setattr(finding, "left_things", lambda seen, found: [])
    monkeypatch.setattr(finding, "_overlooked", lambda seen, found: found[0])
    monkeypatch.setattr(finding, "MOST_DICE", len(found) - 1)
    assert finding.dice(seen) == (found[1:], {Reason.FOREIGN})
