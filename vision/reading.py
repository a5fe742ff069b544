"""What the reader says about one picture: the only vision types the table knows.

Standard library only, so that the table can be tested, audited and replayed
on a machine without OpenCV.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
Expect = Mapping[str, int]  # dice kind -> how many, e.g. {"spike": 3, "cube": 2}


class Verdict(StrEnum):
    """What may be done with a reading."""

    ACCEPT = "accept"  # every die certain: may move money
    ASK = "ask"  # dice found, at least one uncertain: a person must confirm
    REFUSE = "refuse"  # the scene cannot be read: a person must tidy up or enter the faces


class Reason(StrEnum):
    """Why a reading was not accepted; `REASON_TEXT` says it to the dealer."""

    COCKED = "cocked"
    STACKED = "stacked"
    TOUCHING = "touching"
    HAND = "hand"
    FOREIGN = "foreign"
    TOO_FEW = "too_few"
    TOO_MANY = "too_many"
    DARK = "dark"
    GLARE = "glare"
    BLURRED = "blurred"
    MOVED = "camera_moved"
    EDGE = "off_tray"
    UNKNOWN_FACE = "unknown_face"
    AMBIGUOUS = "ambiguous_face"
    DISAGREE = "opinions_differ"
    COLOUR_UNSURE = "colour_unsure"
    UNSTABLE = "unstable"
    NO_DICE = "no_dice"
    CHANGED = "changed_after_read"
    LIGHT = "light_changed"


REASON_TEXT: Mapping[Reason, str] = {
    Reason.COCKED: "A die is leaning; lay it flat or throw again.",
    Reason.STACKED: "One die lies on another; throw again.",
    Reason.TOUCHING: "Dice touch and could not be told apart; nudge them apart.",
    Reason.HAND: "A hand or sleeve is over the tray.",
    Reason.FOREIGN: "Something that is not a die lies in the tray.",
    Reason.TOO_FEW: "Fewer dice than the game expects; is one off the tray?",
    Reason.TOO_MANY: "More dice than the game expects.",
    Reason.DARK: "The tray is too dark to read.",
    Reason.GLARE: "Glare hides part of a die.",
    Reason.BLURRED: "The picture is blurred; check the focus.",
    Reason.MOVED: "The camera or the tray has moved; calibrate again.",
    Reason.EDGE: "A die is at or beyond the edge of the tray.",
    Reason.UNKNOWN_FACE: "A face looks like none that was enrolled.",
    Reason.AMBIGUOUS: "A face could be one of two.",
    Reason.DISAGREE: "The two ways of reading a face disagree.",
    Reason.COLOUR_UNSURE: "The colour of a cube is not certain.",
    Reason.UNSTABLE: "The reading changed from frame to frame.",
    Reason.NO_DICE: "No dice in the tray.",
    Reason.CHANGED: "The dice changed after they were read.",
    Reason.LIGHT: "The light is not as it was at calibration; switch it back or calibrate again.",
}


class TrayState(StrEnum):
    """What the tray is doing; one step of the settle state machine."""

    EMPTY = "empty"
    HAND = "hand"
    ROLLING = "rolling"
    SETTLED = "settled"
    READ = "read"  # latched: this throw is reported once, until the tray is cleared
    NUDGED = "nudged"  # latched too: dice moved after being read, never a silent change
    MOVED = "moved"  # camera or tray moved: put back or calibrate before reading on
    DARK = "dark"  # too dark to tell what lies in the tray
    FROZEN = "frozen"  # the camera repeats one picture
    OFFLINE = "offline"  # no frames are arriving


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die: what it shows, where, and how sure the reader is.

    ``quad`` holds the corners of the top face in pixels of the camera frame,
    clockwise from any corner. ``confidence`` is in [0, 1]. ``alternatives``
    ranks other faces with their probabilities, likeliest first.
    """

    kind: str
    face: str | None
    quad: Quad
    confidence: float
    alternatives: tuple[tuple[str, float], ...] = ()
    reasons: tuple[Reason, ...] = ()

    def at(self, corners: Iterable[Iterable[float]]) -> DieReading:
        """The same reading of a top face whose four ``corners`` are (x, y) each."""
        quad: Quad = tuple((float(x), float(y)) for x, y in corners)  # type: ignore[assignment]
        return replace(self, quad=quad)

    def doubted(self, reason: Reason) -> DieReading:
        """The same reading with one more reason not to believe it."""
        return replace(self, reasons=tuple(sorted({*self.reasons, reason})))


@dataclass(frozen=True, slots=True)
class Reading:
    """The reader's word on one settled tray.

    ``before`` says, die by die, what kind and face were read before the dice were
    touched; it is empty for a throw that nobody touched.
    """

    verdict: Verdict
    dice: tuple[DieReading, ...] = ()
    reasons: tuple[Reason, ...] = ()
    ms: float = 0.0
    expect: Expect = field(default_factory=dict)
    before: tuple[tuple[str, str | None], ...] = ()

    def faces(self, kind: str) -> tuple[str | None, ...]:
        """Faces of all dice of ``kind`` in reading order (``None`` where unknown)."""
        return tuple(die.face for die in self.dice if die.kind == kind)

    def sentences(self) -> tuple[str, ...]:
        """The reasons as a dealer reads them."""
        return tuple(REASON_TEXT[reason] for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class TrayEvent:
    """One change of the tray as the watcher saw it.

    ``frame`` counts camera frames from 0. ``reading`` is set when a throw was read
    (``READ``) or was found changed after that (``NUDGED``), and not when such a state
    is only come back to; ``jpeg`` is then the picture kept as evidence, with the same
    pixel grid as the reading's quads.
    """

    frame: int
    state: TrayState
    reading: Reading | None = None
    jpeg: bytes | None = None
