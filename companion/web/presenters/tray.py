"""What the camera saw: the tray picture with the read faces drawn on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from companion.rules.dice import CUBE_KIND, SPIKE_KIND, Colour, Symbol
from vision.reading import DieReading, Expect, Quad, Reading, TrayState, Verdict

from .common import key

Box = tuple[float, float, float, float]  # left, top, width, height

FACES: Mapping[str, tuple[str, ...]] = {
    SPIKE_KIND: tuple(Symbol),
    CUBE_KIND: (Colour.RED, Colour.BLUE),
}

STATE_LABELS: Mapping[TrayState, str] = {
    TrayState.EMPTY: key("Tray empty"),
    TrayState.HAND: key("Hand in view"),
    TrayState.ROLLING: key("Dice rolling"),
    TrayState.SETTLED: key("Settled, reading"),
    TrayState.READ: key("Read"),
    TrayState.NUDGED: key("Dice moved after reading"),
    TrayState.MOVED: key("Camera or tray moved"),
    TrayState.DARK: key("Too dark to see"),
    TrayState.FROZEN: key("Camera picture stands still"),
    TrayState.OFFLINE: key("No camera picture"),
}


STATE_HELP: Mapping[TrayState, str] = {
    TrayState.MOVED: key(
        "The camera or the tray is not where it was. Put it back, or calibrate again; nothing is "
        "read until then. Throws can be entered by hand: press Correct."
    ),
    TrayState.DARK: key("Nothing is read in the dark. Switch the lamp over the tray on."),
    TrayState.FROZEN: key(
        "The camera sends the same picture again and again, so nothing is read. Unplug it and "
        "plug it in again. Throws can be entered by hand: press Correct."
    ),
}  # what the dealer can do about it


@dataclass(frozen=True, slots=True)
class DieView:
    """One die on the picture: outline, face, and how sure the reader is."""

    kind: str
    face: str | None
    percent: int
    points: str  # the SVG polygon
    x: float  # left of the outline's box
    y: float
    width: float
    height: float
    sure: bool
    label: tuple[float, float] = (0.0, 0.0)  # where the face is written, clear of other dice


@dataclass(frozen=True, slots=True)
class FaceChoice:
    """One tile of the editor; ``percent`` is None for a face the reader did not think of."""

    face: str
    percent: int | None
    chosen: bool


@dataclass(frozen=True, slots=True)
class SlotView:
    """One die of the editor with its tiles, likeliest first."""

    name: str  # the form field, e.g. ``spike-0``
    kind: str
    number: int
    choices: tuple[FaceChoice, ...]
    die: DieView | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by address with its size in pixels."""

    url: str
    width: int
    height: int


def die_views(reading: Reading | None, size: tuple[int, int] = (0, 0)) -> tuple[DieView, ...]:
    """Every die of a reading, placed, its label inside a picture of ``size`` (width, height)."""
    dice = tuple(_die_view(die) for die in reading.dice) if reading else ()
    placed: list[DieView] = []
    for die in dice:
        taken = [_box(other) for other in dice if other is not die]
        taken += [(*other.label, *label_size(size)) for other in placed]
        placed.append(replace(die, label=_label_place(die, taken, size)))
    return tuple(placed)


def label_size(size: tuple[int, int]) -> tuple[float, float]:
    """Width and height of a face's label on a picture of ``size``: legible when shown small."""
    return size[0] * 0.15, size[0] * 0.048


def _label_place(die: DieView, taken: list[Box], size: tuple[int, int]) -> tuple[float, float]:
    """Below the die, else above, right or left of it: the first place that is free."""
    width, height = label_size(size)
    middle, gap = die.x + (die.width - width) / 2, height / 6
    level = die.y + (die.height - height) / 2
    places = (
        (middle, die.y + die.height + gap),
        (middle, die.y - height - gap),
        (die.x + die.width + gap, level),
        (die.x - width - gap, level),
    )
    for x, y in places:
        inside = 0 <= x <= size[0] - width and 0 <= y <= size[1] - height
        if inside and not any(_overlap((x, y, width, height), other) for other in taken):
            return x, y
    return places[0]


def _box(die: DieView) -> Box:
    return die.x, die.y, die.width, die.height


def _overlap(a: Box, b: Box) -> bool:
    """Whether two boxes (left, top, width, height) share any area.

    >>> _overlap((0, 0, 2, 2), (1, 1, 2, 2)), _overlap((0, 0, 2, 2), (2, 0, 2, 2))
    (True, False)
    """
    across = a[0] < b[0] + b[2] and b[0] < a[0] + a[2]
    return across and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def _die_view(die: DieReading) -> DieView:
    xs, ys = [p[0] for p in die.quad], [p[1] for p in die.quad]
    left, top = min(xs), min(ys)
    return DieView(
        kind=die.kind,
        face=die.face,
        percent=round(100 * die.confidence),
        points=outline(die.quad),
        x=left,
        y=top,
        width=max(xs) - left,
        height=max(ys) - top,
        sure=die.face is not None and not die.reasons,
    )


def outline(quad: Quad) -> str:
    """A quad as the ``points`` of an SVG polygon.

    >>> outline(((0, 0), (10, 0), (10, 9.5), (0, 9)))
    '0,0 10,0 10,9.5 0,9'
    """
    return " ".join(f"{x:g},{y:g}" for x, y in quad)


def tone(state: TrayState, verdict: Verdict | None) -> str:
    """The state's colour: ``good``, ``warn``, ``bad`` or ``calm``."""
    match state:
        case TrayState.READ:
            return "good" if verdict is Verdict.ACCEPT else "warn"
        case TrayState.NUDGED | TrayState.DARK:
            return "warn"
        case TrayState.MOVED | TrayState.FROZEN | TrayState.OFFLINE:
            return "bad"
        case TrayState.EMPTY | TrayState.HAND | TrayState.ROLLING | TrayState.SETTLED:
            return "calm"


def slots(
    expect: Expect, reading: Reading | None, faces: Mapping[str, Sequence[str]] | None = None
) -> tuple[SlotView, ...]:
    """The editor's dice: as many as ``expect`` says, filled from the reading or from ``faces``.

    Without ``faces`` a tile is chosen beforehand only where the reader was sure, so an
    unsure die cannot be confirmed by a thoughtless press.
    """
    found: list[SlotView] = []
    for kind in FACES:
        dice = [die for die in reading.dice if die.kind == kind] if reading else []
        known = list(faces.get(kind, ())) if faces else []
        for i in range(expect.get(kind, 0)):
            die = dice[i] if i < len(dice) else None
            face = known[i] if i < len(known) else _sure_face(die)
            found.append(_slot(kind, i, die, face))
    return tuple(found)


def _sure_face(die: DieReading | None) -> str | None:
    return die.face if die and not die.reasons else None


def _slot(kind: str, index: int, die: DieReading | None, face: str | None) -> SlotView:
    chances = dict(die.alternatives) if die else {}
    if die and die.face:
        chances[die.face] = max(die.confidence, chances.get(die.face, 0.0))
    order = sorted(FACES[kind], key=lambda name: -chances.get(name, -1.0))
    choices = tuple(
        FaceChoice(name, round(100 * chances[name]) if name in chances else None, name == face)
        for name in order
    )
    return SlotView(f"{kind}-{index}", kind, index + 1, choices, _die_view(die) if die else None)


def jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a JPEG from its frame header; None when there is none.

    >>> jpeg_size(b"no picture") is None
    True
    """
    at = 2
    while data[:2] == b"\xff\xd8" and at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return None
