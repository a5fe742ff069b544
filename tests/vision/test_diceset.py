"""A dice set goes to disk and comes back, and says what is wrong when it cannot."""

from __future__ import annotations

import shutil

import cv2
import numpy as np
import pytest

from vision import diceset
from vision.diceset import DiceSet, DiceSetError, Kind
from vision.patch import PATCH

WHITE = (240.0, 250.0, 245.5)


def patch(draw):
    picture = np.full((PATCH, PATCH, 3), 210, np.uint8)
    draw(picture)
    return picture


DISC = patch(lambda p: cv2.circle(p, (32, 26), 14, (30, 30, 30), -1))
BAR = patch(lambda p: cv2.rectangle(p, (26, 12), (36, 52), (30, 30, 30), -1))
RED = np.full((PATCH, PATCH, 3), (30, 30, 200), np.uint8)
BLUE = np.full((PATCH, PATCH, 3), (200, 60, 30), np.uint8)


def both():
    spike = Kind.of_symbols("spike", {"disc": [DISC, np.rot90(DISC).copy()], "bar": [BAR]})
    cube = Kind.of_colours("cube", {"red": [RED], "blue": [BLUE]}, WHITE)
    return DiceSet({}).with_kind(spike).with_kind(cube)


@pytest.fixture
def station(tmp_path):
    both().save(tmp_path)
    return tmp_path


def test_a_set_comes_back_as_it_was(station):
    known, again = both(), DiceSet.load(station)
    assert list(again.kinds) == ["spike", "cube"]
    for name, kind in known.kinds.items():
        other = again.kinds[name]
        assert (other.reads, other.faces, other.white_bgr) == (
            kind.reads,
            kind.faces,
            kind.white_bgr,
        )
        for face, group in kind.exemplars.items():
            assert all((a == b).all() for a, b in zip(group, other.exemplars[face], strict=True))
    assert again.kinds["spike"].bank.score(BAR).face == "bar"
    assert again.kinds["cube"].bank.score(BLUE, WHITE).colour == "blue"


def test_a_station_can_be_moved(station, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("other") / "table two"
    shutil.copytree(station, elsewhere)
    shutil.rmtree(station)
    assert DiceSet.load(elsewhere).kinds["spike"].bank.score(DISC).face == "disc"


def test_face_names_may_hold_anything(tmp_path):
    names = ['say "spike"', "back\\slash", "Krone ♛ 𝄞", "del\x7f tab\t"]
    exemplars = dict(zip(names, ([DISC], [BAR], [RED], [BLUE]), strict=True))
    DiceSet({}).with_kind(Kind.of_symbols("odd", exemplars)).save(tmp_path)
    assert list(DiceSet.load(tmp_path).kinds["odd"].faces) == names


def test_saving_again_leaves_no_stray_patches(station):
    less = Kind.of_symbols("spike", {"disc": [DISC], "bar": [BAR]})
    both().with_kind(less).save(station)
    assert len(list((station / "dice" / "spike").iterdir())) == 2
    assert DiceSet.load(station).kinds["spike"].faces == ("disc", "bar")


def test_a_save_that_breaks_off_leaves_the_old_set(station, monkeypatch):
    def unplugged(file, content):
        if file.name == diceset.INDEX:
            raise OSError("no power")
        replace(file, content)

    replace = diceset._replace
    monkeypatch.setattr(diceset, "_replace", unplugged)
    other = Kind.of_symbols("spike", {"disc": [RED], "bar": [BLUE]})
    with pytest.raises(OSError, match="no power"):
        both().with_kind(other).save(station)
    assert (DiceSet.load(station).kinds["spike"].exemplars["bar"][0] == BAR).all()


def test_a_missing_set_says_what_to_do(tmp_path):
    with pytest.raises(DiceSetError, match=r"dice\.toml is missing; enrol"):
        DiceSet.load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("format = 1", "format = 99", "format 99, this program reads 1"),
        ("format = 1", "format = = 1", r"dice\.toml cannot be read"),
        ('reads = "symbol"', 'reads = "smell"', "'spike'.*smell.*enrol spike again"),
        ('name = "bar"', "nom = 1", "'spike'.*name"),
        ("white_bgr = [240.0, 250.0, 245.5]", "white_bgr = [1.0]", "'cube'.*enrol cube again"),
        ('patches = ["dice/spike/', 'patches = ["../../etc/', "outside the station"),
    ],
)
def test_a_damaged_index_is_named(station, old, new, told):
    index = station / "dice.toml"
    text = index.read_text()
    assert old in text
    index.write_text(text.replace(old, new, 1))
    with pytest.raises(DiceSetError, match=told):
        DiceSet.load(station)


@pytest.mark.parametrize("content", [None, b"", b"no picture", cv2.imencode(".png", RED[:9])[1]])
def test_a_damaged_patch_is_named(station, content):
    file = next((station / "dice" / "spike").iterdir())
    file.unlink()
    if content is not None:
        file.write_bytes(bytes(content))
    with pytest.raises(DiceSetError, match=file.name + ".*enrol the dice again"):
        DiceSet.load(station)


@pytest.mark.parametrize("name", ["", "Spike", "a/b", "..", "with space", "x" * 33])
def test_a_kind_needs_a_plain_name(name):
    with pytest.raises(ValueError, match="cannot name a kind"):
        Kind.of_symbols(name, {"disc": [DISC], "bar": [BAR]})


def test_patches_of_another_size_are_refused():
    with pytest.raises(ValueError, match="'disc'"):
        Kind.of_symbols("spike", {"disc": [DISC[:32]], "bar": [BAR]})
