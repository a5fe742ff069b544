"""Calibrating the tray: found on pictures of it empty, confirmed by a person, undone if wrong."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from companion.rules.model import Line
from companion.rules.words import key
from companion.setup.lookout import Lookout
from companion.setup.model import FloorShape, SetupRefused, TrayDraft, TrayState
from vision.calibration import Calibration, calibrate
from vision.faults import ToldError
from vision.floor_edge import floor_edge
from vision.outline import Outline, find_outline
from vision.patch import Image, Quad
from vision.reading import Point
from vision.station import Body, Station, StationError
from vision.store import StationStore

PICTURES = 5
INSET = 0.15  # of the picture: where the corners wait to be dragged when no tray was found
SIZE_MM = (50.0, 800.0)
MEASURE = key(
    "A tray of another shape: measure its floor from left to right and from far to near, and type"
    " both. By them the dice that you taught are known in it."
)
JPEG = [cv2.IMWRITE_JPEG_QUALITY, 88]


@dataclass(frozen=True)
class _Draft:
    frames: tuple[Image, ...]
    jpeg: bytes
    outline: Outline
    view: TrayDraft


class Stations:
    """The station in use, on disk and with the camera."""

    def __init__(
        self, store: StationStore, lookout: Lookout, started_with: Callable[[], Station | None]
    ) -> None:
        self._store = store
        self._lookout = lookout
        self.current: Station | None = started_with()
        lookout.read_with(self.current)

    def save(self, station: Station) -> None:
        """Keep ``station`` and read with it from now on. Raises SetupRefused."""
        try:
            self._store.save(station)
        except StationError as fault:
            raise SetupRefused("not_stored", fault.text, **fault.values) from fault
        self._take(station)

    def step_back(self) -> None:
        """Use the station before the present one. Raises SetupRefused."""
        try:
            self._take(self._store.step_back())
        except StationError as fault:
            raise SetupRefused("no_earlier", fault.text, **fault.values) from fault

    def can_step_back(self) -> bool:
        """Whether there is a station before the present one."""
        return self._store.can_step_back()

    def corners(self) -> Quad | None:
        """The tray's corners (4, 2) in the picture; None while it is not calibrated."""
        return self.current.tray.corners if self.current is not None else None

    def _take(self, station: Station) -> None:
        self.current = station
        self._lookout.read_with(station)


class Trays:
    """One draft at a time; the station in use stays until a draft is confirmed."""

    def __init__(self, stations: Stations, lookout: Lookout) -> None:
        self._stations = stations
        self._lookout = lookout
        self._numbers = itertools.count(1)
        self._draft: _Draft | None = None
        self._lock = threading.Lock()

    def state(self) -> TrayState:
        """What is known of the tray in use."""
        station = self._stations.current
        earlier = self._stations.can_step_back()
        if station is None:
            return TrayState(earlier=earlier)
        width, height = station.tray.size_mm
        size = (round(width), round(height)) if station.size_known else None
        return TrayState(True, _shape(station), size, tuple(station.dice.kinds), earlier)

    def take(self) -> TrayDraft:
        """Look for the tray in fresh pictures of it empty. Raises SetupRefused."""
        with self._lock:
            self._lookout.hold()
            frames = tuple(frame.bgr for frame in self._lookout.fresh(PICTURES))
            if not frames:
                raise SetupRefused("no_picture", "The camera sends no picture; check its cable.")
            self._draft = _draft(frames, next(self._numbers))
            return self._draft.view

    def draft(self) -> TrayDraft | None:
        """What was found and not confirmed yet."""
        return self._draft.view if self._draft else None

    def picture(self) -> bytes | None:
        """The draft's picture as JPEG."""
        return self._draft.jpeg if self._draft else None

    def keep(
        self, marks: Sequence[Point], shape: FloorShape, size_mm: tuple[float, float] | None
    ) -> None:
        """Use the draft with these marks; the dice taught stay. Raises SetupRefused."""
        with self._lock:
            if self._draft is None:
                raise SetupRefused("no_draft", "Take the pictures of the empty tray first.")
            before = self._stations.current
            size = size_mm or _known(before, shape)
            if size is None and before is not None and before.dice.kinds:
                raise SetupRefused("needs_size", MEASURE)
            made = _calibrated(self._draft, marks, shape, size).station
            self._stations.save(_with_dice(made, before))
            self._draft = None

    def drop(self) -> None:
        """Forget the draft."""
        self._draft = None

    def step_back(self) -> None:
        """Use the calibration before the present one. Raises SetupRefused."""
        self._stations.step_back()


def _draft(frames: tuple[Image, ...], number: int) -> _Draft:
    height, width = frames[0].shape[:2]
    _, coded = cv2.imencode(".jpg", frames[-1], JPEG)
    outline = find_outline(frames)
    try:
        made = calibrate(frames, outline=outline)
    except (StationError, ValueError) as fault:
        x, y = INSET * width, INSET * height
        guess = ((x, y), (width - x, y), (width - x, height - y), (x, height - y))
        doubts: tuple[Line, ...] = (_told(fault),)
        view = TrayDraft(number, (width, height), guess, 0, doubts, False)
        return _Draft(frames, coded.tobytes(), outline, view)
    found = tuple((float(x), float(y)) for x, y in made.station.tray.corners)
    quality = round(100 * made.quality)
    doubts = tuple(Line(doubt) for doubt in made.doubts)
    view = TrayDraft(number, (width, height), found, quality, doubts, not doubts)
    return _Draft(frames, coded.tobytes(), outline, view)


def _calibrated(
    draft: _Draft,
    marks: Sequence[Point],
    shape: FloorShape,
    size_mm: tuple[float, float] | None,
) -> Calibration:
    if size_mm is not None and not all(SIZE_MM[0] <= side <= SIZE_MM[1] for side in size_mm):
        raise SetupRefused("bad_size", "A tray's floor measures 50 to 800 mm each way.")
    if len(marks) != shape.marks:
        raise SetupRefused("bad_corners", "The form is damaged; reload the page.")
    try:
        is_round = shape is FloorShape.ROUND
        edge = floor_edge(np.array(marks, np.float32), is_round, draft.frames[0])
        return calibrate(draft.frames, edge, size_mm, outline=draft.outline)
    except ToldError as fault:
        raise SetupRefused("bad_corners", fault.text, **fault.values) from fault
    except ValueError as fault:
        raise SetupRefused(
            "bad_corners", "The corners cross each other; put each on its own corner of the floor."
        ) from fault


def _shape(station: Station) -> FloorShape:
    if station.tray.edge is None:
        return FloorShape.RECTANGLE
    corners = {6: FloorShape.HEXAGON, 8: FloorShape.OCTAGON}
    return corners.get(len(station.tray.edge), FloorShape.ROUND)


def _known(station: Station | None, shape: FloorShape) -> tuple[float, float] | None:
    """The size of the tray in use, which is likely to be the same tray still."""
    if station is None or not station.size_known or _shape(station) is not shape:
        return None
    return station.tray.size_mm


def _with_dice(fresh: Station, before: Station | None) -> Station:
    """The fresh calibration with the dice taught before.

    Their faces look the same; how large they are seen follows the camera's new height.
    """
    if before is None or not before.dice.kinds or not fresh.size_known:
        return fresh
    bodies = {}
    for name, body in before.bodies.items():
        nearer = fresh.tray.enlargement(body.size_mm) / before.tray.enlargement(body.size_mm)
        bodies[name] = Body(body.side * nearer, body.size_mm, body.spread)
    tray = replace(fresh.tray, tints=before.tray.tints)  # the lamps are the same, as for the halo
    return replace(fresh, tray=tray, dice=before.dice, bodies=bodies, halo=before.halo)


def _told(fault: ValueError) -> Line:
    """The fault's sentence; texts in it are sentences too."""
    if not isinstance(fault, ToldError):
        return Line(str(fault))
    said = {name: Line(v) if isinstance(v, str) else v for name, v in fault.values.items()}
    return Line(fault.text, said)
