"""The camera in use: it and what it knows of the tray can be exchanged without a restart."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing

from companion.rolls import RollDesk
from companion.watching import Watching
from companion.web.presenters.common import key
from hardware.camera import Camera, Frame
from vision.patch import Image
from vision.reader import Watcher
from vision.reading import Expect, TrayEvent, TrayState
from vision.station import Station

HOLD_S = 5.0  # a set-up page asks several times a second; without it throws are read again
KEPT = 6  # frames, for stillness and for a calibration
UNSET = key("The tray is not set up yet: More, Set up. Until then enter rolls by hand.")
UNTAUGHT = key("No dice were taught yet: More, Set up. Until then enter rolls by hand.")
RESIZED = key("This camera's picture has another size: More, Set up; calibrate the tray anew.")
HELD = key("The station is being set up; no throw is read meanwhile.")


class Reader:
    """A watcher that can be exchanged, and that rests while the station is being set up."""

    def __init__(
        self,
        desk: RollDesk,
        clock: Callable[[], float] = time.monotonic,
        watch: Callable[[Station], Watcher] = Watcher,
    ) -> None:
        self._desk = desk
        self._watch = watch
        self._clock = clock
        self._station: Station | None = None
        self._watcher: Watcher | None = None
        self._held_until = float("-inf")
        self._said: str | None = None

    def use(self, station: Station | None) -> None:
        """Read with ``station`` from the next frame on."""
        able = station is not None and station.dice.kinds
        self._station, self._watcher = station, self._watch(station) if station and able else None
        self._said = None

    def begin_anew(self) -> None:
        """Another camera: nothing it shows follows from what the one before showed."""
        self.use(self._station)

    def hold(self) -> None:
        """Read no throws for the next moments: what lies in the tray is shown, not thrown."""
        self._held_until = self._clock() + HOLD_S

    def feed(
        self, frame: Image, t: float, expect: Expect | None = None, luma: Image | None = None
    ) -> list[TrayEvent]:
        """As `Watcher.feed`; nothing while there is nothing to read with."""
        watcher, silent = self._watcher, self._silent(frame)
        if silent != self._said:
            self._said = silent
            if watcher is not None:
                watcher.interrupted()
            self._desk.camera_trouble(silent)
        return watcher.feed(frame, t, expect, luma) if watcher is not None and not silent else []

    def interrupted(self) -> None:
        """Frames stopped coming; what is wrong is said anew when they come again."""
        self._said = None
        if self._watcher is not None:
            self._watcher.interrupted()

    def _silent(self, frame: Image) -> str:
        """Why no throw is read; empty when throws are read."""
        station = self._station
        if self._clock() < self._held_until:
            return HELD
        if station is None:
            return UNSET
        if station.tray.frame_size != (frame.shape[1], frame.shape[0]):
            return RESIZED
        return "" if self._watcher is not None else UNTAUGHT


class Tapped:
    """A camera whose last frames can be looked at by others than its reader."""

    def __init__(self, camera: Camera) -> None:
        self._camera = camera
        self._kept: deque[Frame] = deque(maxlen=KEPT)
        self._count = 0
        self._arrived = threading.Condition()

    def frames(self) -> Generator[Frame, None, None]:
        """The camera's frames."""
        with closing(self._camera.frames()) as frames:
            for frame in frames:
                with self._arrived:
                    self._kept.append(frame)
                    self._count += 1
                    self._arrived.notify_all()
                yield frame

    def close(self) -> None:
        """Stop the camera."""
        self._camera.close()

    def newest(self) -> list[Frame]:
        """The last frames, oldest first."""
        with self._arrived:
            return list(self._kept)

    def fresh(self, count: int, patience_s: float) -> list[Frame]:
        """``count`` frames that come from now on; fewer when they do not come in time."""
        until = time.monotonic() + patience_s
        with self._arrived:
            start = self._count
            while self._count < start + count and (left := until - time.monotonic()) > 0:
                self._arrived.wait(left)
            new = min(self._count - start, count)
            return list(self._kept)[-new:] if new else []


def usual_watcher(station: Station, setting: str) -> Watcher:
    """The watcher for a station seen through the camera of this setting."""
    return Watcher(station)


class Lookout:
    """Opens cameras by their setting; ``open_`` raises CameraError for one that cannot be.

    ``watch`` makes the watcher for a station and a camera's setting.
    """

    def __init__(
        self,
        open_: Callable[[str], Camera | None],
        desk: RollDesk,
        vouch: Callable[[float], None] = lambda seconds: None,
        watch: Callable[[Station, str], Watcher] = usual_watcher,
    ) -> None:
        self._open = open_
        self._desk = desk
        self._vouch = vouch
        self._reader = Reader(desk, watch=lambda station: watch(station, self.setting))
        self._tapped: Tapped | None = None
        self._watching: Watching | None = None
        self._running = False
        self.setting = "disabled"

    def use(self, setting: str) -> None:
        """Watch through this camera from now on. Raises CameraError; the present one is kept."""
        camera = self._open(setting)
        self._stop()
        self.setting = setting
        self._tapped = Tapped(camera) if camera is not None else None
        self._watching = None
        if self._tapped is not None:
            self._watching = Watching(self._tapped, self._reader, self._desk, self._vouch)
            self._reader.begin_anew()
        if self._running:
            self.start()

    def read_with(self, station: Station | None) -> None:
        """Read throws with ``station`` from the next picture on."""
        self._reader.use(station)

    def hold(self) -> None:
        """Read no throws for the next moments."""
        self._reader.hold()

    def start(self) -> None:
        """Begin to watch."""
        self._running = True
        if self._watching is not None:
            self._watching.start()

    def close(self) -> None:
        """Stop watching."""
        self._running = False
        self._stop()

    @property
    def has_camera(self) -> bool:
        """Whether there is a camera to watch with, whether or not it works just now."""
        return self._watching is not None

    def live_frame(self) -> bytes | None:
        """The newest picture as JPEG; None when no camera sends any."""
        return self._watching.live_frame() if self._watching is not None else None

    def newest(self) -> list[Frame]:
        """The last frames, oldest first; none without a camera."""
        return self._tapped.newest() if self._tapped is not None else []

    def fresh(self, count: int, patience_s: float = 5.0) -> list[Frame]:
        """Up to ``count`` frames that come from now on."""
        return self._tapped.fresh(count, patience_s) if self._tapped is not None else []

    def _stop(self) -> None:
        if self._watching is None:
            return
        self._watching.close()
        self._watching = None
        self._vouch(float("inf"))  # nobody hears of a camera that is not there
        self._desk.on_event(TrayEvent(0, TrayState.OFFLINE))
        self._desk.camera_trouble("")
