"""Watches the tray: when it is still, reads it once, and says so until it is cleared.

`glance` measures, `settle` decides, `touched` compares readings and `guard` knows whether
the station still fits; here they meet the pictures.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import cv2

from vision.glance import Glance, Glancer, drift, gain, motion, repeated, unlike
from vision.guard import Guard
from vision.patch import Image
from vision.pipeline import check_size, doubted, read_burst
from vision.reading import Expect, Reading, Reason, TrayEvent, TrayState
from vision.settings_watch import GlanceSettings, GuardSettings, SettleSettings
from vision.settle import Look, Outcome, Settle, judged, step
from vision.station import Station
from vision.touched import outcome_of

JPEG_QUALITY = 88
WATCHED = (TrayState.EMPTY, TrayState.READ, TrayState.NUDGED, TrayState.MOVED)  # nobody is busy


class Watcher:
    """Feed it every camera frame with its time in seconds.

    ``live``: the camera looks at something real, so that a picture which repeats is a
    fault; recordings may repeat theirs.
    """

    def __init__(
        self,
        station: Station,
        settings: SettleSettings | None = None,
        *,
        glances: GlanceSettings | None = None,
        guards: GuardSettings | None = None,
        live: bool = False,
    ) -> None:
        self._settings = settings or SettleSettings()
        self._glances = glances or GlanceSettings()
        self._guards = guards or GuardSettings()
        self._live = live
        self._guard = Guard(station, self._guards)
        self._glancer = Glancer(station.tray, self._glances)
        self._floor = self._calibrated = self._glancer.see(station.tray.picture)
        self._settle = Settle()
        self._frame = -1
        self._before: tuple[Image, Glance] | None = None
        self._anchor: Glance | None = None  # the first look of the present stillness
        self._burst: deque[Image] = deque(maxlen=station.tray.settings.burst)
        self._read: Glance | None = None  # the tray when it was read or compared last
        self._said: Reading | None = None  # of the dice there; None when they are known gone
        self._visible = False  # whether those dice show beside the empty tray at a glance
        self._hidden = False  # something lies there that does not show at a glance

    @property
    def state(self) -> TrayState:
        """What the tray is doing."""
        return self._settle.state

    def feed(
        self, frame: Image, t: float, expect: Expect | None = None, luma: Image | None = None
    ) -> list[TrayEvent]:
        """Take one frame (BGR uint8) at time ``t``; what changed, usually nothing.

        ``luma`` (h, w) uint8: the same moment small and grey, where the camera makes that
        itself; then motion is seen in it, and ``frame`` is only read. Raises StationError
        when the frame is not of the size the station was calibrated at.
        """
        check_size(frame, self._guard.station)
        self._frame += 1
        last = self._settle.t
        if last is not None and 0 <= t - last < self._settings.pause:
            return []
        was, now = self._settle.state, self._glancer.see(frame, luma)
        look = self._look(frame, now, t)
        self._settle, due = step(self._settle, look, self._settings)
        self._remember(frame, now, look)
        if due and len(self._burst) == self._burst.maxlen:
            return self._judge(was, look, now, expect)
        if self._settle.state is TrayState.EMPTY and look.empty and not look.moving:
            self._follow(frame, now, t)
        return self._event(was)

    def interrupted(self) -> None:
        """Frames stopped coming: what lies in the tray is unknown until they come again."""
        self._settle = self._settle.interrupted()
        self._before = None
        self._burst.clear()

    def _look(self, frame: Image, now: Glance, t: float) -> Look:
        """What this frame shows against those before."""
        s, before = self._glances, self._before
        moving = self._moves(now)
        lit = gain(now, self._calibrated)
        dark, bright = lit < s.dark, lit > self._guards.usual[0]
        if self._settle.state in WATCHED and not (moving or dark) and self._guard.may_check(t):
            self._check(frame, t)
        presence = unlike(now, self._floor, s.differs)
        as_read = self._read is not None and unlike(now, self._read, s.redrawn) < s.touched
        return Look(
            t,
            dark=dark,
            repeated=self._live and before is not None and repeated(frame, before[0]),
            shifted=self._guard.shifted,
            moving=moving,
            covered=presence > s.many * self._guard.face,
            empty=presence < s.empty and not self._hidden,
            vacant=self._visible and bright and presence < s.vacant and not as_read,
            as_read=as_read,
        )

    def _check(self, frame: Image, t: float) -> None:
        """What a glance does not show: a camera that moved, a dark die on a dark floor."""
        moved = self._guard.check(frame, t)
        if not moved and self._settle.state is TrayState.EMPTY:
            self._hidden = not self._guard.is_clear(frame)

    def _moves(self, now: Glance) -> bool:
        """Against the frame before, and the first still one until rested: creeping is moving."""
        settling = self._settle.stills <= 2 * self._settings.stills
        earlier = [self._before[1]] if self._before else []
        earlier += [self._anchor] if settling and self._anchor else []
        return any(motion(now, glance) > self._glances.few for glance in earlier)

    def _remember(self, frame: Image, now: Glance, look: Look) -> None:
        """The frame as the one before the next, and among the still ones where it is new."""
        self._before = frame, now
        if self._settle.stills == 0 and not look.repeated:
            self._burst.clear()
            self._anchor = now
        if not look.repeated:
            self._burst.append(frame)

    def _follow(self, frame: Image, now: Glance, t: float) -> None:
        """Let the empty tray have the light it has now."""
        if drift(now, self._floor) > self._guards.drift and self._guard.may_follow(t):
            self._lit(frame, t)

    def _judge(
        self, was: TrayState, look: Look, now: Glance, expect: Expect | None
    ) -> list[TrayEvent]:
        """Look at the still tray in full resolution."""
        frames = list(self._burst)
        middle = frames[len(frames) // 2]
        if self._guard.check(middle, look.t):
            return self._conclude(was, Outcome.SHIFTED)
        # What was read may only be invisible in poor light: then it is not believed to be gone.
        believed = self._said is None or not self._guard.is_unusual(middle)
        if look.empty and believed and self._guard.is_clear(middle):
            return self._emptied(was)
        reading = read_burst(frames, self._guard.station, expect)
        if not reading.dice and believed and self._seems_empty(reading, middle, look.t):
            return self._emptied(was)
        reading = self._guard.checked(reading, middle)
        if self._guard.shifted:
            return self._conclude(was, Outcome.SHIFTED)
        if not reading.dice and Reason.LIGHT in reading.reasons:
            reading = self._looked_again(reading, frames, expect, look)
        return self._compared(was, reading, now, middle)

    def _looked_again(
        self, blind: Reading, frames: list[Image], expect: Expect | None, look: Look
    ) -> Reading:
        """The tray in a light it was not seen empty in: to be asked about, but known.

        Where that does not explain it either, something large covers dice that lay there.
        """
        lit = self._guard.in_light_of(frames[len(frames) // 2])
        reading = read_burst(frames, lit, expect)
        if Reason.MOVED not in reading.reasons:
            return doubted(reading, Reason.LIGHT)
        return doubted(blind, Reason.HAND) if look.covered and self._said else blind

    def _seems_empty(self, reading: Reading, picture: Image, t: float) -> bool:
        """Whether a tray without dice is empty, as it was or in another light."""
        return self._lit(picture, t) or Reason.NO_DICE in reading.reasons

    def _lit(self, frame: Image, t: float) -> bool:
        """Let the empty tray have the light of ``frame``; whether that is all that differs."""
        followed = self._guard.follow(frame, t)
        if followed:
            self._floor = self._glancer.see(self._guard.station.tray.picture)
        return followed

    def _emptied(self, was: TrayState) -> list[TrayEvent]:
        self._read, self._said, self._visible, self._hidden = None, None, False, False
        return self._conclude(was, Outcome.EMPTY)

    def _compared(
        self, was: TrayState, reading: Reading, now: Glance, picture: Image
    ) -> list[TrayEvent]:
        """What a reading means after the one before it."""
        gone = self._settle.latched is None
        outcome = outcome_of(self._said, reading, gone=gone, place=self._guards.place)
        if outcome is Outcome.HAND:
            return self._conclude(was, outcome)
        self._read = now
        if outcome is Outcome.SAME:
            return self._conclude(was, outcome)
        if outcome is Outcome.TOUCHED and self._said is not None:
            reading = touched(reading, self._said)
        self._said, self._hidden = reading, False
        presence = unlike(now, self._floor, self._glances.differs)
        self._visible = presence >= 2 * self._glances.empty
        return self._conclude(was, outcome, reading, picture)

    def _conclude(
        self,
        was: TrayState,
        outcome: Outcome,
        reading: Reading | None = None,
        picture: Image | None = None,
    ) -> list[TrayEvent]:
        """The machine after the judgement, and what is to be told of it."""
        self._settle = judged(self._settle, outcome, self._settings)
        if reading is None or picture is None:
            return self._event(was)
        ok, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        kept = jpeg.tobytes() if ok else None
        return [TrayEvent(self._frame, self.state, reading, kept)]

    def _event(self, was: TrayState) -> list[TrayEvent]:
        return [] if self.state is was else [TrayEvent(self._frame, self.state)]


def touched(reading: Reading, said: Reading) -> Reading:
    """A reading of dice that were touched after ``said``: never moves money by itself."""
    before = said.before or tuple((die.kind, die.face) for die in said.dice)
    return replace(doubted(reading, Reason.CHANGED), before=before)
