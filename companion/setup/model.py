"""What the set-up pages are given: plain values, and the services they talk to.

The pages know neither camera nor pictures; bootstrap gives them objects that do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import cos, sin, tau
from typing import Protocol

from companion.rules.model import Line
from vision.reading import Point, Quad, Reading

Box = tuple[float, float, float, float]  # left, top, width, height in pixels of the picture
PER_FACE = 2  # pictures of each face that a set is usually learnt from
MOST_PER_FACE = 5


class SetupRefused(Exception):  # noqa: N818 - an answer, not a fault
    """A step cannot be done; what was there before is kept. The sentence says what to do."""

    def __init__(self, code: str, text: str, **values: object) -> None:
        self.line = Line(text, values)
        super().__init__(self.line.english)
        self.code = code


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """A camera that was found: what names it in the settings, and what people call it."""

    setting: str
    label: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class LightView:
    """Light and focus of the picture now. ``spots`` are patches of glare."""

    size: tuple[int, int]
    level: int
    lines: tuple[Line, ...]  # what to mend; none when all is well
    spots: tuple[Box, ...] = ()
    focus: int | None = None  # 0 to 100, None without an edge to judge by


class FloorShape(StrEnum):
    """What the floor of a tray may look like from above."""

    RECTANGLE = "rectangle"
    HEXAGON = "hexagon"
    OCTAGON = "octagon"
    ROUND = "round"

    @property
    def marks(self) -> int:
        """By how many marks a person shows where it ends: its corners, or eight of a circle."""
        return {"rectangle": 4, "hexagon": 6}.get(self, 8)


@dataclass(frozen=True, slots=True)
class TrayDraft:
    """The tray as found on pictures of it empty, until a person confirms it.

    ``corners`` are a rectangular floor's, clockwise from top left, in pixels of the picture.
    """

    number: int  # changes with every new draft
    size: tuple[int, int]  # of the picture
    corners: tuple[Point, ...]
    quality: int  # percent
    doubts: tuple[Line, ...]
    sure: bool

    def marks(self, shape: FloorShape) -> tuple[Point, ...]:
        """Where the marks of a floor of this shape wait to be dragged, clockwise, in pixels."""
        if shape is FloorShape.RECTANGLE:
            return self.corners
        (left, top), (right, bottom) = (
            [pick(point[axis] for point in self.corners) for axis in (0, 1)] for pick in (min, max)
        )
        reach = min(right - left, bottom - top) / 2
        # A corner of a hexagon points to the right, sides of an octagon lie level.
        turns = [
            (at + (shape is FloorShape.OCTAGON) / 2) / shape.marks for at in range(shape.marks)
        ]
        return tuple(
            (
                (left + right) / 2 + reach * cos(tau * turn),
                (top + bottom) / 2 + reach * sin(tau * turn),
            )
            for turn in turns
        )


@dataclass(frozen=True, slots=True)
class TrayState:
    """What is known of the tray in use."""

    calibrated: bool = False
    shape: FloorShape = FloorShape.RECTANGLE
    size_mm: tuple[int, int] | None = None  # None until a die or a person told it
    kinds: tuple[str, ...] = ()  # dice that were taught
    earlier: bool = False  # one calibration back is still kept


@dataclass(frozen=True, slots=True)
class FaceState:
    """One face of the dice being taught."""

    name: str
    pictures: int
    wanted: int
    alike: tuple[str, ...] = ()  # faces it resembles, known once the set is learnt

    @property
    def done(self) -> bool:
        """Whether there are pictures enough."""
        return self.pictures >= self.wanted


@dataclass(frozen=True, slots=True)
class DiceDraft:
    """Dice being taught, until they are saved.

    ``looks_mm`` is how large they look once learnt, where that is not as was said.
    """

    kind: str
    label: str
    dice_mm: int
    faces: tuple[FaceState, ...]
    learnt: bool = False
    looks_mm: int | None = None

    @property
    def next_face(self) -> str:
        """The face to be shown next; empty when all have their pictures."""
        return next((face.name for face in self.faces if not face.done), "")

    @property
    def ready(self) -> bool:
        """Whether every face has its pictures."""
        return all(face.done for face in self.faces)


@dataclass(frozen=True, slots=True)
class DieLook:
    """What the camera makes of the die held to it now.

    ``can_take``: a picture may be taken; ``ready``: and nothing speaks against taking it
    unasked. ``looks_like`` names another face that was taken already and looks the same.
    """

    number: int  # of the look; a picture is taken of a look that was seen
    size: tuple[int, int]
    lines: tuple[Line, ...]
    quad: Quad | None = None
    can_take: bool = False
    ready: bool = False
    looks_like: str = ""


@dataclass(frozen=True, slots=True)
class TryOut:
    """A throw read with dice that are not saved yet; no reading while anything moves."""

    number: int
    size: tuple[int, int]
    lines: tuple[Line, ...]
    reading: Reading | None = None


class TableSetup(Protocol):
    """Whether the station was ever set up, and the table's name."""

    @property
    def first_run(self) -> bool:
        """Whether the station was never set up nor told to be left as it is."""

    def begin(self) -> None:
        """From now on it is the first run, until `finish`."""

    def finish(self) -> None:
        """The station is set up, or its people want to play as it is."""

    @property
    def own_pin(self) -> bool:
        """Whether the dealer chose the PIN, and it is not the printed one any more."""

    def own_pin_chosen(self) -> None:
        """The dealer has chosen a PIN."""

    @property
    def name(self) -> str:
        """The table's name."""

    def rename(self, name: str) -> None:
        """Call the table otherwise. Raises SetupRefused."""


class CameraSetup(Protocol):
    """Which camera, and what it shows."""

    @property
    def setting(self) -> str:
        """The camera in use, ``disabled`` for none."""

    @property
    def fixed(self) -> bool:
        """Whether the settings file names the camera, so that no other can be chosen here."""

    def choices(self) -> Sequence[CameraChoice]:
        """What was found now, and none."""

    def choose(self, setting: str) -> None:
        """Use another camera from now on. Raises SetupRefused; the present one is kept."""

    def light(self) -> LightView | None:
        """Light and focus of the newest picture; None without one."""


class TraySetup(Protocol):
    """Where the tray is."""

    def state(self) -> TrayState:
        """What is known of the tray in use."""

    def take(self) -> TrayDraft:
        """Look for the tray in fresh pictures of it empty. Raises SetupRefused."""

    def draft(self) -> TrayDraft | None:
        """What was found and not confirmed yet."""

    def picture(self) -> bytes | None:
        """The draft's picture as JPEG."""

    def keep(
        self, marks: Sequence[Point], shape: FloorShape, size_mm: tuple[float, float] | None
    ) -> None:
        """Use the draft with these marks; the dice taught stay. Raises SetupRefused."""

    def drop(self) -> None:
        """Forget the draft."""

    def step_back(self) -> None:
        """Use the calibration before the present one. Raises SetupRefused."""


class DiceSetup(Protocol):
    """What the dice look like."""

    def begin(self, kind: str, label: str, faces: Sequence[str], dice_mm: int) -> None:
        """Begin to teach a kind of dice. Raises SetupRefused."""

    def draft(self) -> DiceDraft | None:
        """What is being taught."""

    def look(self, face: str) -> DieLook:
        """What the camera makes of the die now, as a picture of ``face``. Raises SetupRefused."""

    def now(self) -> bytes | None:
        """The picture that was looked at last, as JPEG."""

    def crop(self) -> bytes | None:
        """The die's face in it as it would be learnt, as JPEG."""

    def take(self, face: str, number: int) -> None:
        """Take the picture of look ``number``. Raises SetupRefused."""

    def remove(self, face: str, index: int) -> None:
        """Take a picture out again. Raises SetupRefused."""

    def taken(self, face: str, index: int) -> bytes | None:
        """A picture that was taken, as learnt, as JPEG."""

    def learn(self, dice_mm: int | None = None) -> None:
        """Learn the faces from their pictures, as dice of another size if it is told.

        Raises SetupRefused.
        """

    def try_out(self) -> TryOut:
        """Read what lies in the tray with what was learnt. Raises SetupRefused."""

    def save(self) -> None:
        """Use the dice from now on. Raises SetupRefused."""

    def drop(self) -> None:
        """Forget what was taught and not saved."""

    def labels(self) -> Mapping[str, str]:
        """What people call the dice in use, by kind."""


@dataclass(frozen=True, slots=True)
class Setup:
    """All of it, as the pages use it."""

    table: TableSetup
    camera: CameraSetup
    tray: TraySetup
    dice: DiceSetup
