"""When to read the tray and what it is doing: a state machine without pictures.

Each look at the tray is sorted into one `Sight`; `step` says what the tray does
then and whether it must be judged; `judged` takes the answer. Once a throw was
read the machine is latched: nothing is a new throw until the tray was empty.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from vision.reading import TrayState
from vision.settings_watch import SettleSettings


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at the tray shows, time ``t`` in seconds."""

    t: float
    dark: bool = False  # nothing can be told
    repeated: bool = False  # the very same picture as before, from a camera that moves
    shifted: bool = False  # the camera or the tray is not where it was
    moving: bool = False  # against the look before
    covered: bool = False  # by more than dice
    empty: bool = False  # nothing is seen in the tray
    vacant: bool = False  # surely nothing, and it is not how the dice that were read look
    as_read: bool = False  # what lies there looks as it was read


class Sight(StrEnum):
    """A look in the light of those before."""

    DARK = "dark"
    FROZEN = "frozen"
    SHIFTED = "shifted"
    GONE = "gone"  # the dice that were read are away
    HAND = "hand"
    STIRRED = "stirred"  # something moves that is no hand
    FLICKER = "flicker"  # something moves, the dice do not
    UNSETTLED = "unsettled"  # still, but not for long
    EMPTY = "empty"
    AS_READ = "as_read"
    OTHER = "other"  # something lies still


class Outcome(StrEnum):
    """What judging a still tray gave."""

    EMPTY = "empty"
    THROWN = "thrown"  # dice that were not seen before
    SAME = "same"  # the dice that were read, all or some of them, as they were
    TOUCHED = "touched"  # the dice that were read, changed
    HAND = "hand"
    SHIFTED = "shifted"


@dataclass(frozen=True, slots=True)
class Settle:
    """The machine's memory."""

    state: TrayState = TrayState.OFFLINE
    latched: TrayState | None = None  # READ or NUDGED since a throw was read
    t: float | None = None  # of the last look
    since: float = 0.0  # nothing moved
    stills: int = 0  # looks since then, the first of the stillness not counted
    fresh: float = 0.0  # when the camera's picture last changed
    glimpses: int = 0  # looks in a row that showed a vacant tray
    unproven: bool = False  # it was empty by glimpses alone

    def interrupted(self) -> Settle:
        """Nothing is seen for now. What was read stays read."""
        return Settle(latched=self.latched, unproven=self.unproven)


def step(was: Settle, look: Look, s: SettleSettings) -> tuple[Settle, bool]:
    """The machine after a look, and whether the still tray must be judged now."""
    now = _counted(was, look, s)
    sight = sight_of(now, look, s)
    if sight in (Sight.DARK, Sight.FROZEN, Sight.SHIFTED):
        now = replace(now, since=look.t, stills=0)
    return _next(now, sight)


def _counted(was: Settle, look: Look, s: SettleSettings) -> Settle:
    """The clocks and counters after a look."""
    glimpses = was.glimpses + 1 if look.vacant else 0
    if was.t is None or not 0 <= look.t - was.t <= s.gap:
        return replace(was, t=look.t, since=look.t, stills=0, fresh=look.t, glimpses=glimpses)
    now = replace(was, t=look.t, glimpses=glimpses)
    if look.moving:
        return replace(now, since=look.t, stills=0, fresh=look.t)
    if look.repeated:
        return now
    return replace(now, stills=now.stills + 1, fresh=look.t)


def sight_of(now: Settle, look: Look, s: SettleSettings) -> Sight:
    """The look in the light of those before; the first that applies."""
    rested = look.t - now.since >= s.still and now.stills + 1 >= s.stills
    cases = (
        (look.t - now.fresh >= s.frozen, Sight.FROZEN),
        (look.dark, Sight.DARK),
        (look.shifted, Sight.SHIFTED),
        (now.latched is not None and now.glimpses >= s.glimpses, Sight.GONE),
        (look.moving and look.as_read, Sight.FLICKER),
        (look.moving and look.covered, Sight.HAND),
        (look.moving, Sight.STIRRED),
        (not rested, Sight.UNSETTLED),
        (look.as_read, Sight.AS_READ),
        (look.empty, Sight.EMPTY),
    )
    return next((sight for holds, sight in cases if holds), Sight.OTHER)


def _next(now: Settle, sight: Sight) -> tuple[Settle, bool]:
    match sight:
        case Sight.DARK:
            return replace(now, state=TrayState.DARK), False
        case Sight.FROZEN:
            return replace(now, state=TrayState.FROZEN), False
        case Sight.SHIFTED:
            return replace(now, state=TrayState.MOVED), False
        case Sight.GONE:
            return replace(now, state=TrayState.EMPTY, latched=None, unproven=True), False
        case Sight.HAND:
            return replace(now, state=TrayState.HAND), False
        case Sight.STIRRED:
            return replace(now, state=TrayState.ROLLING), False
        case Sight.FLICKER:
            return replace(now, state=now.latched or now.state), False
        case Sight.UNSETTLED:
            return now, False
        case Sight.AS_READ:
            return replace(now, state=now.latched or now.state), now.latched is None
        case Sight.EMPTY:
            return now, now.unproven or now.state is not TrayState.EMPTY
        case Sight.OTHER:
            return now, True


def judged(was: Settle, outcome: Outcome, s: SettleSettings) -> Settle:
    """The machine after the still tray was judged."""
    match outcome:
        case Outcome.EMPTY:
            return replace(was, state=TrayState.EMPTY, latched=None, unproven=False)
        case Outcome.THROWN:
            return _latched(was, TrayState.READ)
        case Outcome.TOUCHED:
            return _latched(was, TrayState.NUDGED)
        case Outcome.SAME:
            # A camera that shakes never shows quite what was read: not to be read each frame.
            return replace(_latched(was, was.latched or TrayState.READ), since=_later(was, s))
        case Outcome.HAND:
            # Judged again after a while: a resting arm costs no reading each frame.
            return replace(was, state=TrayState.HAND, since=_later(was, s))
        case Outcome.SHIFTED:
            return replace(was, state=TrayState.MOVED, since=_now(was), stills=0)


def _latched(was: Settle, state: TrayState) -> Settle:
    return replace(was, state=state, latched=state, unproven=False)


def _later(was: Settle, s: SettleSettings) -> float:
    """Since when the tray must count as still to be judged again only after a while."""
    return _now(was) + s.again - s.still


def _now(settle: Settle) -> float:
    return settle.since if settle.t is None else settle.t
