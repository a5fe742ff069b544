"""The lens by a tray's outline: how far it may be off, what is made of it, and where it is kept."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.test_lens import pictured
from tests.vision.test_lens import tray as from_above
from tests.vision.test_outline import SETTINGS, drawn, tray
from tests.vision.test_tray_shape import LEANING, learnt, wrong_by
from tests.vision.test_tray_shape import pictured as shown
from tests.vision.test_tray_shape import tray as aslant
from vision import outline_fit
from vision.calibration import calibrate
from vision.lens import learnt_lens
from vision.outline import LOOK, find_outline
from vision.station import Station, StationError
from vision.viewpoint import EVERYDAY, Likely, likely_focal


def pictured_through(focal, tilt):
    """An empty tray as large in the picture through every lens."""
    camera, box = tray(tilt, 50, focal=focal)
    middle = np.tile((box.rim[:2] + box.rim[2:]) / 2, 2)
    far = replace(box, rim=middle + (box.rim - middle) * 1.6 / focal, wall=box.wall * 1.6 / focal)
    return drawn(camera, far)


@pytest.fixture(scope="module")
def empty():
    """A picture of an empty tray drawn through a long lens, and what its outline tells."""
    picture = pictured_through(2.6, 14)
    return picture, find_outline([picture])


@pytest.mark.parametrize(("tilt", "focal"), [(3, 1.1), (3, 3.2), (12, 2.0), (22, 1.1), (22, 3.2)])
def test_an_outline_tells_the_lens_as_well_as_it_says(tilt, focal):
    outline = find_outline([pictured_through(focal, tilt)])
    assert abs(np.log(outline.focal / focal)) < 2 * outline.doubt


def test_from_straight_above_an_outline_hardly_tells_the_lens():
    above, slanted = (find_outline([pictured_through(1.6, tilt)]) for tilt in (0, 12))
    off = SETTINGS.well.focal  # at least, however the camera stands
    own = [np.sqrt(outline.doubt**2 - off**2) for outline in (above, slanted)]
    assert own[1] < 0.1
    assert own[0] > 3 * own[1]


@pytest.mark.once
def test_a_box_that_fits_less_well_tells_its_lens_less(empty, monkeypatch):
    picture, outline = empty
    assert outline.doubt < 0.2
    monkeypatch.setattr(outline_fit, "_judged", judged_off(SETTINGS.exact + 0.01))
    assert find_outline([picture]).doubt > max(2 * outline.doubt, SETTINGS.hardly.focal)


def judged_off(residual):
    """Boxes are judged as they are, but for how far their lines are off."""
    judged = outline_fit._judged
    return lambda *args: [replace(fit, residual=residual) for fit in judged(*args)]


def test_the_lens_is_likely_by_the_outline_that_is_found(empty):
    picture, outline = empty
    likely = calibrate([picture], outline=outline).station.tray.likely
    assert likely == Likely(outline.focal, outline.doubt)
    assert likely.focal == pytest.approx(2.6, rel=0.1)


@pytest.mark.parametrize("quality", [0.6, 0.0])
def test_an_outline_that_is_not_clear_tells_it_as_well(empty, quality):
    """Of such outlines the lens was wrong by no more than of clear ones, be their corners wrong."""
    picture, outline = empty
    guess = replace(outline, reasons=(LOOK,), quality=quality)
    likely = calibrate([picture], outline=guess).station.tray.likely
    assert likely == Likely(outline.focal, outline.doubt)


def test_corners_that_a_person_marks_beside_the_outline_are_of_another_floor(empty):
    picture, outline = empty
    same = outline.corners + np.float32([3, -4])
    assert calibrate([picture], same, outline=outline).station.tray.likely.focal == outline.focal
    other = outline.corners + np.float32([30, 0])
    assert calibrate([picture], other, outline=outline).station.tray.likely == EVERYDAY
    unclear = replace(outline, reasons=(LOOK,))
    assert calibrate([picture], same, outline=unclear).station.tray.likely.focal == outline.focal
    assert calibrate([picture], other, outline=unclear).station.tray.likely == EVERYDAY


@pytest.mark.parametrize(("doubt", "counts"), [(0.1, True), (0.3, False)])
def test_where_a_size_is_told_only_an_outline_that_fits_to_a_hair_tells_the_lens(
    doubt, counts, empty
):
    """Dice beside a known size tell it, too: well, save where they lie below the camera."""
    picture, outline = empty
    seen = replace(outline, doubt=doubt)
    tray = calibrate([picture], outline.corners, (280.0, 200.0), outline=seen).station.tray
    assert tray.likely == (Likely(outline.focal, doubt) if counts else EVERYDAY)


@pytest.mark.parametrize("likely", [Likely(0.9, 0.1), Likely(3.1, 0.1)])
def test_where_the_view_says_nothing_the_lens_is_the_likely_one(likely):
    scene = from_above()
    assert likely_focal(scene._plane.view, scene.frame_size, likely) == pytest.approx(
        likely.focal, rel=0.03
    )


def test_dice_and_outline_tell_the_lens_together():
    told = learnt_lens(from_above(), *pictured(2.2)).focal
    both = [
        learnt_lens(replace(from_above(), likely=Likely(3.6, doubt)), *pictured(2.2)).focal
        for doubt in (0.1, 0.02)
    ]
    assert told < both[0] < both[1]
    assert both[1] == pytest.approx(3.6, rel=0.1)


@pytest.mark.once
def test_a_tray_of_a_lens_that_is_known_well_keeps_more_of_its_shape():
    true = aslant(LEANING)
    frames = shown(true)[0]
    outlined = [replace(true, lens=None, likely=Likely(1.6, doubt)) for doubt in (0.6, 0.05)]
    open_minded, sure = (
        wrong_by(learnt(replace(tray.strained(0.03, 0.0), likely=tray.likely), False, frames))
        for tray in outlined
    )
    assert open_minded < sure


def test_a_station_keeps_the_lens_its_outline_told(tmp_path):
    station = Station.bare(replace(from_above(), likely=Likely(2.25, 0.125)))
    station.save(tmp_path)
    assert Station.load(tmp_path).tray.likely == Likely(2.25, 0.125)
    index = tmp_path / "station.toml"
    lines = index.read_text().splitlines()
    before = [line for line in lines if not line.startswith("likely")]
    assert len(before) == len(lines) - 1
    index.write_text("\n".join(before))  # as stations were written before outlines told the lens
    assert Station.load(tmp_path).tray.likely == EVERYDAY


@pytest.mark.parametrize(
    ("whole", "broken"),
    [("focal = 2.25", "focal = 0"), ("doubt = 0.125", "doubt = -1"), ("doubt", "dubt")],
)
def test_a_damaged_likely_lens_is_said(tmp_path, whole, broken):
    Station.bare(replace(from_above(), likely=Likely(2.25, 0.125))).save(tmp_path)
    index = tmp_path / "station.toml"
    text = index.read_text()
    assert whole in text
    index.write_text(text.replace(whole, broken))
    with pytest.raises(StationError, match="cannot be used"):
        Station.load(tmp_path)
