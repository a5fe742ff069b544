"""The drawing of the wires: as committed, on the pins that are proposed, true to the board."""

from __future__ import annotations

import importlib.util
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory

from hardware.buttons import Button
from hardware.lamps import Lamp
from hardware.pins import conflict

ROOT = Path(__file__).parents[1]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def wiring():
    spec = importlib.util.spec_from_file_location("wiring", ROOT / "scripts" / "wiring.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_drawing_is_the_scripts(wiring):
    text = (ROOT / "docs" / "wiring.svg").read_text(encoding="utf-8")
    assert text == wiring.diagram(wiring.proposed())


def test_every_button_and_lamp_is_drawn_in_the_row_of_its_proposed_pin(wiring):
    uses = wiring.proposed()
    assert set(uses) == {f"buttons.{b}" for b in Button} | {f"lamps.{lamp}" for lamp in Lamp}
    assert conflict(uses) == ""
    drawing = ElementTree.parse(ROOT / "docs" / "wiring.svg").getroot()
    texts = [(float(t.get("y")), t) for t in drawing.iter(f"{SVG}text")]
    rows = {t.get("data-use"): y for y, t in texts if t.get("data-use")}
    assert set(rows) == set(uses)
    for use, y in rows.items():
        near = [t.text for at, t in texts if abs(at - y) < 14]
        assert f"GPIO{uses[use]}" in near


def test_the_header_is_the_one_that_the_pin_library_knows(wiring):
    known = MockFactory().board_info.headers["J8"].pins
    names = {pin: f"GPIO{gpio}" for pin, gpio in wiring.HEADER.items()}
    names |= dict.fromkeys(wiring.GROUND, "GND") | wiring.POWER
    assert {pin: info.name for pin, info in known.items()} == names


def test_the_documents_table_names_the_same_pins(wiring):
    text = (ROOT / "docs" / "hardware.md").read_text(encoding="utf-8")
    rows = re.findall(r"\| `((?:buttons|lamps)\.\w+)` \| (\d+) \| (\d+) ", text)
    assert {use: int(gpio) for use, gpio, _ in rows} == wiring.proposed()
    assert all(wiring.HEADER[int(pin)] == int(gpio) for _, gpio, pin in rows)
