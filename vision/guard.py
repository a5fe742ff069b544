"""Does the station still fit? Guards the reader against a moved camera and another light."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vision.daylight import is_clear, is_unusual, relit, relit_around
from vision.moved import Rim
from vision.patch import Image
from vision.pipeline import doubted
from vision.reading import Reading, Reason
from vision.settings_watch import GuardSettings
from vision.station import Station


class Guard:
    """The calibrated station as it looks today. ``station`` is to be read with."""

    def __init__(self, station: Station, settings: GuardSettings) -> None:
        self.station = station
        self.shifted = False  # camera or tray are not where they were
        self._calibrated = station
        self._settings = settings
        self._rim = Rim(station.tray.picture, station.tray.outline)
        self._checked = float("-inf")
        self._followed = float("-inf")
        self._unseen = False  # the rim could not be found at the last check

    @property
    def face(self) -> float:
        """Share of the rectified tray that the smallest die's face covers."""
        tray = self._calibrated.tray
        return float(self._calibrated.face / (tray.empty.shape[0] * tray.empty.shape[1]))

    def check(self, frame: Image, t: float) -> bool:
        """Look for the tray's rim in a still frame; whether it is elsewhere.

        Where too little of it is seen to tell, the last answer stands.
        """
        self._checked = t
        s = self._settings
        far = self._rim.moved(frame) / max(frame.shape)
        self._unseen = bool(np.isnan(far))
        if not self._unseen:
            self.shifted = far > (s.back if self.shifted else s.moved)
        return self.shifted

    def may_check(self, t: float) -> bool:
        """Whether that was not checked for a while."""
        return not 0 <= t - self._checked < self._settings.check

    def is_unusual(self, frame: Image) -> bool:
        """Whether the light is so far from the calibrated one that a reading must ask."""
        return is_unusual(self._calibrated.tray, frame, self._settings)

    def is_clear(self, frame: Image) -> bool:
        """Whether a still frame shows nothing in the tray, in full resolution."""
        return is_clear(self.station.tray, frame, self._calibrated.face)

    def follow(self, frame: Image, t: float) -> bool:
        """Put the empty tray into the light of a still frame, if that shows nothing else.

        Whether it does. The light always starts from the calibrated picture.
        """
        self._followed = t
        tray = relit(self._calibrated.tray, frame, self._settings)
        if not is_clear(tray, frame, self._calibrated.face):
            return False
        self.station = replace(self._calibrated, tray=tray)
        return True

    def in_light_of(self, frame: Image) -> Station:
        """The station in the light of a still frame with dice in it, to look once more with."""
        tray = relit_around(self._calibrated.tray, frame, self._settings)
        return replace(self._calibrated, tray=tray)

    def may_follow(self, t: float) -> bool:
        """Whether the light was not looked at for a while."""
        return not 0 <= t - self._followed < self._settings.follow

    def checked(self, reading: Reading, frame: Image) -> Reading:
        """The reading, with what the light has to do with it.

        A tray changed all over that is not known to be elsewhere is lit otherwise; where
        its rim is not seen at all, it is taken for moved.
        """
        reasons = set(reading.reasons)
        if Reason.MOVED in reasons and self._unseen:
            self.shifted = True
            return reading
        if Reason.MOVED in reasons:
            return replace(
                reading, reasons=tuple(sorted(reasons - {Reason.MOVED} | {Reason.LIGHT}))
            )
        if not reading.dice or not self.is_unusual(frame):
            return reading
        return doubted(reading, Reason.LIGHT)
