"""Watches the tray: when it is still, reads it once, and says so until it is cleared."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.patch import Floats, Image
from vision.pipeline import read_burst
from vision.reading import Expect, Reading, Reason, TrayEvent, TrayState, Verdict
from vision.settings import SettleSettings
from vision.station import Station

JPEG_QUALITY = 88


class Watcher:
    """The settle state machine. Feed it every camera frame with its time in seconds."""

    def __init__(self, station: Station, settings: SettleSettings | None = None) -> None:
        self.state = TrayState.OFFLINE
        self._station = station
        self._settings = settings or SettleSettings()
        self._frame = -1
        self._before: Floats | None = None
        self._still_since = 0.0
        self._burst: deque[Image] = deque(maxlen=station.tray.settings.burst)
        self._read: Floats | None = None  # the small picture that was read; latched
        self._spoilt = False  # the dice were touched after a reading, without being cleared
        self._floor = _small(station.tray.empty, self._settings)

    def feed(self, frame: Image, t: float, expect: Expect | None = None) -> list[TrayEvent]:
        """Take one frame (BGR uint8) at time ``t``; what changed, usually nothing."""
        self._frame += 1
        now = _small(self._station.tray.rectify(frame), self._settings)
        before, self._before = self._before, now
        if before is None or self._moving(now, before):
            self._still_since = t
            self._burst.clear()
            return self._moved_to(self._on_motion(now))
        self._burst.append(frame)
        full = len(self._burst) == self._burst.maxlen
        if t - self._still_since < self._settings.still_s or not full:
            return []
        return self._on_still(now, expect)

    def interrupted(self) -> None:
        """Frames stopped coming: what lies in the tray is unknown until they come again."""
        self.state = TrayState.OFFLINE
        self._before = None
        self._burst.clear()

    def _moving(self, now: Floats, before: Floats) -> bool:
        s = self._settings
        return _share(np.abs(now - before) > s.moving) > s.few

    def _presence(self, now: Floats) -> float:
        """Share of the tray that does not look empty, overall brightness aside."""
        gain = float(np.median(now) / max(float(np.median(self._floor)), 1.0))
        return _share(np.abs(now - gain * self._floor) > self._settings.differs)

    def _on_motion(self, now: Floats) -> TrayState:
        if (
            self._read is not None
            and _share(np.abs(now - self._read) > self._settings.differs) < self._settings.empty
        ):
            return self.state  # a flicker over dice already read
        if self._presence(now) > self._settings.many:
            return TrayState.HAND
        return TrayState.ROLLING

    def _on_still(self, now: Floats, expect: Expect | None) -> list[TrayEvent]:
        if self._presence(now) < self._settings.empty:
            self._read, self._spoilt = None, False
            return self._moved_to(TrayState.EMPTY)
        if self._read is not None:
            if _share(np.abs(now - self._read) > self._settings.differs) < self._settings.empty:
                return self._moved_to(TrayState.READ)
            self._spoilt = True
            return [*self._moved_to(TrayState.NUDGED), *self._reads(now, expect)]
        return self._reads(now, expect)

    def _reads(self, now: Floats, expect: Expect | None) -> list[TrayEvent]:
        frames = list(self._burst)
        reading = read_burst(frames, self._station, expect)
        if Reason.HAND in reading.reasons:
            return self._moved_to(TrayState.HAND)
        self._read, self.state = now, TrayState.READ
        picture = frames[len(frames) // 2]
        ok, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        said = _spoilt(reading) if self._spoilt else reading
        return [TrayEvent(self._frame, TrayState.READ, said, jpeg.tobytes() if ok else None)]

    def _moved_to(self, state: TrayState) -> list[TrayEvent]:
        if state is self.state:
            return []
        self.state = state
        return [TrayEvent(self._frame, state)]


def _spoilt(reading: Reading) -> Reading:
    """A reading of dice that were touched after being read never moves money by itself."""
    verdict = Verdict.REFUSE if reading.verdict is Verdict.REFUSE else Verdict.ASK
    return replace(reading, verdict=verdict, reasons=(*reading.reasons, Reason.CHANGED))


def _small(image: Image, settings: SettleSettings) -> Floats:
    """The rectified tray as a small grey picture."""
    height = round(image.shape[0] * settings.width / image.shape[1])
    small = cv2.resize(image, (settings.width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.float32)


def _share(changed: NDArray[np.bool_]) -> float:
    return float(np.count_nonzero(changed)) / changed.size
