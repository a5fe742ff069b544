"""The self-test of this machine: its camera and its box as the station opens them."""

from __future__ import annotations

import itertools
import queue
import time
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

from companion import selftest as checks
from companion.box_wiring import open_pins
from companion.config import Settings
from companion.database import StorageError
from companion.selftest import Before, Check, Outcome
from companion.station_files import as_chosen
from hardware.camera import CameraError, open_camera
from hardware.lamps import Beep, Lamps, Signal
from hardware.pins import PinsError
from vision.recording import load_station
from vision.station import StationError

LOOK_S = 0.4  # each lamp is lit for so long


def check_machine(
    settings: Settings, factory: Any = None, ask: Callable[[str], None] | None = None
) -> list[Check]:
    """Look at this machine's camera, box, disk and heat. Needs the table not to be running.

    ``ask`` shows a person what to press; None where there is nobody to press it.
    """
    with suppress(StorageError):  # the disk's own check will say it
        settings = as_chosen(settings)
    return [
        *_look_at_camera(settings),
        *_look_at_box(settings, factory, ask),
        *checks.disk_checks(settings.data_dir),
        checks.heat(),
        checks.power(),
    ]


def _look_at_camera(settings: Settings) -> list[Check]:
    try:
        camera = open_camera(settings.camera, lambda: None)
        if camera is None:
            return [Check("camera", Outcome.SKIP, "disabled in the settings")]
        before = None
        if settings.station is not None:
            tray = load_station(settings.station).tray
            before = Before(tray.rectify, tray.empty)
        with closing(camera.frames()) as frames:
            shots = list(itertools.islice(frames, checks.FRAMES))
    except (CameraError, StationError) as fault:
        return [Check("camera", Outcome.FAIL, str(fault))]
    return checks.camera_checks(shots, before)


def _look_at_box(
    settings: Settings, factory: Any, ask: Callable[[str], None] | None
) -> list[Check]:
    """Open the pins as the station does, light every lamp for a moment, ask for presses."""
    told: queue.SimpleQueue[str] = queue.SimpleQueue()

    def heard(seconds: float) -> str | None:
        try:
            return told.get(timeout=seconds) if seconds else told.get_nowait()
        except queue.Empty:
            return None

    try:
        buttons, board = open_pins(settings, lambda press: told.put(press.value), factory)
    except PinsError as fault:
        return [Check("box", Outcome.FAIL, str(fault))]
    if buttons is None or board is None:
        return [checks.buttons_check({})]
    try:
        _light_each(board)
        lamps = ", ".join(settings.lamps.pins()) or "none in the settings"
        rest = checks.buttons_check(buttons.held())
        buttons.start()
        return [
            rest,
            checks.presses_check(settings.buttons.pins(), heard, ask),
            Check("lamps", Outcome.OK, f"{lamps}; did you see and hear them?"),
        ]
    finally:
        buttons.close()
        board.close()


def _light_each(board: Lamps) -> None:
    for signal in Signal:
        board.show(signal)
        time.sleep(LOOK_S)
    board.beep(Beep.TAKEN)
