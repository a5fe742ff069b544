#!/usr/bin/env python3
"""Draws the calibration mat: docs/mat-a4.pdf and docs/mat-letter.pdf.

    python scripts/mat.py [FOLDER]

All lengths are millimetres from a sheet's top left corner. The PDF is written by hand
(ISO 32000-1): filled rectangles and lines of text need no library, and come out the same
on every machine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

SHEETS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
DICTIONARY = "DICT_4X4_50"  # the one that `companion calibrate --marker-mm` looks for
MARKER = 30.0  # side; six modules of 5 mm, and as much white around it
BLOCK = (170.0, 130.0)  # what has to lie in the tray; the rest may be cut away
TOP = 45.0  # of the block
CORNERS = ((5.0, 5.0), (135.0, 5.0), (135.0, 95.0), (5.0, 95.0))  # of the markers, in the block
BLACK, WHITE, GREY = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.5, 0.5, 0.5)
PATCHES = (WHITE, (0.75, 0.75, 0.75), GREY, BLACK, (0.8, 0.1, 0.1), (0.1, 0.2, 0.7))
PATCH = 14.0
POINTS = 72 / 25.4

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: Colour = BLACK


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text whose baseline begins at x, y; ``size`` in points."""

    x: float
    y: float
    text: str
    size: float = 9.0


def mat(sheet: str) -> list[Box | Words]:
    """Everything on one sheet, in the order of drawing."""
    left = (SHEETS[sheet][0] - BLOCK[0]) / 2
    inside = [*markers(), *rulers(), *patches(), *cut_line()]
    return [*heading(left), *(moved(thing, left, TOP) for thing in inside), *advice(left)]


def moved(thing: Box | Words, dx: float, dy: float) -> Box | Words:
    """The same thing elsewhere."""
    if isinstance(thing, Box):
        return Box(thing.x + dx, thing.y + dy, thing.width, thing.height, thing.colour)
    return Words(thing.x + dx, thing.y + dy, thing.text, thing.size)


def bits(number: int) -> np.ndarray:
    """The modules (6, 6) of a marker, its black border included; True is black."""
    aruco = cv2.aruco
    known = aruco.getPredefinedDictionary(getattr(aruco, DICTIONARY))
    draw = getattr(aruco, "generateImageMarker", None) or aruco.drawMarker
    return draw(known, number, 6) < 128


def markers() -> Iterator[Box]:
    """Markers 0 to 3, clockwise from the top left; each row's black runs as one rectangle."""
    module = MARKER / 6
    for number, (x, y) in enumerate(CORNERS):
        for row, line in enumerate(bits(number)):
            for start, length in runs(line):
                yield Box(x + start * module, y + row * module, length * module, module)


def runs(line: np.ndarray) -> Iterator[tuple[int, int]]:
    """Where black begins and how long it lasts."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(int), [0]])))
    for start, end in edges.reshape(-1, 2):
        yield int(start), int(end - start)


def rulers() -> Iterator[Box | Words]:
    """100 mm across and 40 mm down, from whose ends a person sees whether the print is true."""
    for mm in range(101):
        yield Box(35 + mm - 0.075, 45, 0.15, tick(mm))
        if mm % 10 == 0:
            yield Words(34 + mm, 52.5, str(mm), 6)
    for mm in range(41):
        yield Box(14, 45 + mm - 0.075, tick(mm), 0.15)
        if mm % 10 == 0:
            yield Words(19.5, 46 + mm, str(mm), 6)


def tick(mm: int) -> float:
    """How long a mark is."""
    return 4.0 if mm % 10 == 0 else 3.0 if mm % 5 == 0 else 2.0


def patches() -> Iterator[Box]:
    """Greys, and a red and a blue as of cubes, in thin black frames."""
    for number, colour in enumerate(PATCHES):
        x, y = 36 + number * (PATCH + 3), 60.0
        yield Box(x - 0.2, y - 0.2, PATCH + 0.4, PATCH + 0.4)
        yield Box(x, y, PATCH, PATCH, colour)


def cut_line() -> Iterator[Box]:
    """Dashes around the block."""
    width, height = BLOCK
    for at in np.arange(0, width, 4):
        for y in (0.0, height):
            yield Box(float(at), y, 2, 0.2, GREY)
    for at in np.arange(0, height, 4):
        for x in (0.0, width):
            yield Box(x, float(at), 0.2, 2, GREY)


def heading(left: float) -> Iterator[Words]:
    """What this is, and how to print it."""
    yield Words(left, 25, "Spike Companion: calibration mat", 16)
    yield Words(
        left, 33, "Print at 100 %, never fitted to the page. The rulers must be 100 and 40 mm.", 10
    )
    yield Words(left, 38.5, "Cut along the dashes where the tray is smaller than the sheet.", 10)


def advice(left: float) -> Iterator[Words]:
    """What to do with it."""
    lines = (
        "1. Lay it flat on the tray's floor, under the light of the game, without any shine on it.",
        "2. Take a picture;",
        f"   companion calibrate --station trial --empty IT --marker-mm {MARKER:.0f}",
        '   prints "size_mm" and "corners"; where it does not find these, give it --corners.',
        "3. Take the mat away, take three pictures of the empty tray;",
        "   companion calibrate --station STATION --empty THEM --size-mm WIDTH HEIGHT",
        "On the dealer's screen the red and the blue patch must look as different as they do to",
        "you, and the white one white: else put another lamp over the tray.",
    )
    for number, line in enumerate(lines):
        yield Words(left, TOP + BLOCK[1] + 12 + 6 * number, line)


def operators(things: list[Box | Words], height: float) -> Iterator[str]:
    """The things as a PDF page's content; its origin is the bottom left, its unit a point."""
    yield f"{POINTS:.6f} 0 0 {POINTS:.6f} 0 0 cm"
    for thing in things:
        if isinstance(thing, Box):
            red, green, blue = thing.colour
            bottom = height - thing.y - thing.height
            yield f"{red:g} {green:g} {blue:g} rg"
            yield f"{thing.x:.3f} {bottom:.3f} {thing.width:.3f} {thing.height:.3f} re f"
        else:
            said = thing.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            place = f"1 0 0 1 {thing.x:.3f} {height - thing.y:.3f} Tm"
            yield f"0 g BT /F {thing.size / POINTS:.4f} Tf {place} ({said}) Tj ET"


def pdf(sheet: str) -> bytes:
    """One page, with one of the fonts that every reader has."""
    width, height = SHEETS[sheet]
    content = "\n".join(operators(mat(sheet), height))
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width * POINTS:.2f} {height * POINTS:.2f}]"
        " /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
    )
    objects = (
        # Readers that print are asked not to fit the page.
        "<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    )
    return whole(objects)


def whole(objects: tuple[str, ...]) -> bytes:
    """A PDF file of these objects, numbered from 1."""
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    tail = f"xref\n0 {count}\n0000000000 65535 f \n{rows}trailer\n<< /Size {count} /Root 1 0 R >>\n"
    return written + f"{tail}startxref\n{len(written)}\n%%EOF\n".encode()


def main() -> None:
    """Write both sheets."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs")
    for sheet in SHEETS:
        (folder / f"mat-{sheet}.pdf").write_bytes(pdf(sheet))


if __name__ == "__main__":
    main()
