#!/usr/bin/env python3
"""Draws docs/wiring.svg from the pins that systemd/table.toml proposes.

    python scripts/wiring.py [FILE]

Every part sits in the row of its pin, between the pin and ground, as it is wired.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
# GPIO number by pin of the 40-pin header, the same on every Pi since the B+.
HEADER = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10,
    21: 9, 22: 25, 23: 11, 24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19,
    36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip
GROUND = {6, 9, 14, 20, 25, 30, 34, 39}
POWER = {1: "3V3", 2: "5V", 4: "5V", 17: "3V3"}
USED_GROUND = {"left": (9, 39), "right": (14,)}
WIDTH, ROW, TOP = 980, 36, 70
COLUMN = {"left": 560, "right": 596}  # of the header's odd and even pins
RAIL = {"left": 60, "right": 930}  # ground
PART = {"left": 250, "right": 790}  # middle of a part
HALF = 95  # of a part's width
NOTES = (
    "The ring has a 5 V supply of its own,",
    "which the MOSFET switches; join its ground",
    "to the Pi's. Pins give 3.3 V and 16 mA at most.",
    "Long leg of an LED: to the resistor.",
)
STYLE = (
    "text{font:14px sans-serif;fill:#111}.s{font-size:12px}.m{text-anchor:middle}"
    ".e{text-anchor:end}.w{stroke:#1f5fa8;stroke-width:2.5;fill:none}"
    ".g{stroke:#111;stroke-width:3;fill:none}.p{fill:#fff;stroke:#111;stroke-width:2}"
    ".used{fill:#1f5fa8}.gnd{fill:#111}.free{fill:#cfcfcf}.n{fill:#fff;font-size:11px}"
)


def proposed(file: Path = ROOT / "systemd" / "table.toml") -> dict[str, int]:
    """Pins by use, as in ``buttons.confirm``; they are comments there until somebody wants them."""
    text = file.read_text(encoding="utf-8")
    found = tomllib.loads("\n".join(re.findall(r"^# (\[.+|\w+ = .+)", text, re.MULTILINE)))
    sections = ((name, found[name]) for name in ("buttons", "lamps"))
    return {
        f"{s}.{use}": pin for s, uses in sections for use, pin in uses.items() if use[-2:] != "_s"
    }


def diagram(uses: Mapping[str, int]) -> str:
    """The drawing. Raises KeyError for a GPIO that the header does not have."""
    pin_of = {gpio: pin for pin, gpio in HEADER.items()}
    wired = {pin_of[gpio]: use for use, gpio in uses.items()}
    height = TOP + 20 * ROW + 20
    body = [
        *header(set(wired)),
        *notes(),
        *rails(wired),
        *(shape for p in wired for shape in part(p, wired[p])),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">\n'
        f"<title>Wiring of buttons and lamps to the 40-pin header</title>\n<style>{STYLE}</style>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def side(pin: int) -> str:
    """Odd pins are in the left column, looking at the board with the header at the top right."""
    return "left" if pin % 2 else "right"


def height_of(pin: int) -> int:
    """The middle of a pin's row."""
    return TOP + (pin - 1) // 2 * ROW + ROW // 2


def header(wired: set[int]) -> Iterator[str]:
    """The header with every pin's number; wired ones blue, grounds black."""
    x = COLUMN["left"] - 20
    yield f'<rect x="{x}" y="{TOP - 4}" width="76" height="{20 * ROW + 8}" rx="6" class="p"/>'
    yield f'<text x="{x + 38}" y="{TOP - 32}" class="m">40-pin header</text>'
    yield f'<text x="{x + 38}" y="{TOP - 14}" class="m s">pin 1 top left</text>'
    for pin in range(1, 41):
        kind = "used" if pin in wired else "gnd" if pin in GROUND else "free"
        y = height_of(pin)
        yield f'<circle cx="{COLUMN[side(pin)]}" cy="{y}" r="13" class="{kind}"/>'
        colour = "" if kind == "free" else " n"
        yield f'<text x="{COLUMN[side(pin)]}" y="{y + 4}" class="m s{colour}">{pin}</text>'


def notes() -> Iterator[str]:
    """What the drawing does not show."""
    for number, line in enumerate(NOTES):
        yield f'<text x="650" y="{height_of(29) + 22 * number}" class="s">{line}</text>'


def rails(wired: Mapping[int, str]) -> Iterator[str]:
    """Ground, from the header's ground pins past every part."""
    for where, grounds in USED_GROUND.items():
        rows = [height_of(pin) for pin in (*grounds, *(p for p in wired if side(p) == where))]
        x = RAIL[where]
        yield f'<path d="M{x} {min(rows)}V{max(rows)}" class="g"/>'
        yield f'<text x="{x}" y="{min(rows) - 12}" class="m">ground</text>'
        for pin in grounds:
            yield f'<path d="M{edge(where)} {height_of(pin)}H{x}" class="g"/>'


def edge(where: str) -> int:
    """Where wires leave the header."""
    return COLUMN[where] + (-14 if where == "left" else 14)


def part(pin: int, use: str) -> Iterator[str]:
    """A button or lamp between its pin and ground."""
    where, y, (group, name) = side(pin), height_of(pin), use.split(".")
    middle, outward = PART[where], -1 if where == "left" else 1
    yield f'<path d="M{edge(where)} {y}H{middle - outward * HALF}" class="w"/>'
    yield f'<path d="M{middle + outward * HALF} {y}H{RAIL[where]}" class="g"/>'
    label = f"GPIO{HEADER[pin]}"
    yield f'<text x="{edge(where) + outward * 50}" y="{y - 5}" class="m s">{label}</text>'
    size = f'width="{2 * HALF}" height="28" rx="5"'
    yield f'<rect x="{middle - HALF}" y="{y - 14}" {size} class="p"/>'
    said = f"{name}: {kind(group, name)}"
    yield f'<text x="{middle}" y="{y + 5}" class="m" data-use="{use}">{said}</text>'


def kind(group: str, name: str) -> str:
    """What has to be put there."""
    if group == "buttons":
        return "push button"
    return {"ring": "MOSFET gate", "buzzer": "active, 3.3 V"}.get(name, "LED + 330 Ω")


def main() -> None:
    """Write the drawing."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "wiring.svg"
    file.write_text(diagram(proposed()), encoding="utf-8")


if __name__ == "__main__":
    main()
