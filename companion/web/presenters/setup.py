"""The steps of setting up, and what dice can be taught."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.rules.dice import CUBE_KIND, SPIKE_KIND, Colour, Symbol
from companion.setup.model import Setup

from .common import key

OTHER_KIND = "other"
KINDS: Mapping[str, str] = {
    SPIKE_KIND: key("Spike dice"),
    CUBE_KIND: key("Chance cubes"),
    OTHER_KIND: key("Other dice"),
}
# What people call a set, so that two sets can be told apart in the statistics.
LABELS = (
    key("Ivory"),
    key("Black"),
    key("Grey"),
    key("Blue"),
    key("Red"),
    key("Green"),
    key("Wood"),
    key("Brass"),
    key("Clear"),
)
OWN_FACES = (*Symbol, Colour.RED, Colour.BLUE, "green", "yellow", "black", "white", *"123456")


@dataclass(frozen=True, slots=True)
class StepView:
    """One step: ``page`` is its endpoint, ``said`` what is chosen now."""

    name: str
    page: str
    label: str
    done: bool
    now: bool
    said: str = ""


def steps(setup: Setup, now: str) -> tuple[StepView, ...]:
    """All steps in the order they are done in for the first time."""
    tray = setup.tray.state()
    camera = setup.camera.setting
    seen = camera != "disabled"
    light = setup.camera.light() if seen and not now else None
    good = light is not None and not light.lines
    size = f"{tray.size_mm[0]} × {tray.size_mm[1]} mm" if tray.size_mm else ""
    every = (
        ("pin", key("Dealer PIN"), setup.table.own_pin, ""),
        ("name", key("Table name"), True, setup.table.name),
        ("camera", key("Camera"), seen, camera if seen else ""),
        ("picture", key("Light and focus"), good, ""),
        ("tray", key("Tray"), tray.calibrated, size),
        ("dice", key("Dice"), SPIKE_KIND in tray.kinds, ""),
    )
    return tuple(
        StepView(name, f"setup.{name}", label, done, name == now, said)
        for name, label, done, said in every
    )
