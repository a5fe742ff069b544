"""Thresholds of the watcher. Times in seconds, differences in grey levels of a small picture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SettleSettings:
    """When the tray is still."""

    pause: float = 0.045  # frames closer in time than this are left out: 15 a second do
    still: float = 0.35  # stillness before a reading
    stills: int = 5  # frames that must show it
    gap: float = 1.0  # without a frame: what happened meanwhile is unknown
    glimpses: int = 2  # looks at an empty tray that tell a sweep of the hand from a flicker
    again: float = 2.0  # before a still tray that could not be read is tried again
    frozen: float = 2.0  # of one repeated picture: the camera is stuck


@dataclass(frozen=True, slots=True)
class GlanceSettings:
    """What the small picture shows. Shares are of the whole small picture."""

    width: int = 320  # of the small picture, in pixels
    wide: int = 27  # neighbourhood in coarse pixels (4 by 4) that has one light
    uneven: float = 1.35  # factor by which that light may differ from the tray's
    moving: float = 10.0  # a pixel changed by this between two looks moves
    few: float = 0.0006  # share of moving pixels that noise makes
    flicker: float = 0.10  # change of the whole light between two looks that lamps make
    differs: float = 12.0  # difference from the empty tray that counts
    empty: float = 0.0015  # share of such pixels when the tray is empty
    vacant: float = 0.0007  # share of such pixels when a glimpse is enough to say so
    many: float = 14.5  # dice's faces that such pixels cover when a hand is among them
    redrawn: float = 8.0  # difference from what was read that counts
    touched: float = 0.0003  # share of such pixels when a die was turned where it lies
    dark: float = 0.35  # of the empty tray's brightness: below this nothing can be told


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """When the station no longer fits what it was calibrated for."""

    check: float = 2.0  # between looks in full resolution while nobody is busy
    moved: float = 0.0020  # of the picture's longer side: the corners moved
    back: float = 0.0014  # likewise: they are where they were
    follow: float = 30.0  # between looks at the light of the empty tray
    drift: float = 1.5  # mean change in grey levels that is worth following
    smooth: float = 40.0  # millimetres within which light is even; dice and coins are smaller
    gain: tuple[float, float] = (0.5, 2.0)  # of the light, beyond which it is not followed
    usual: tuple[float, float] = (0.6, 1.6)  # of the light, beyond which a reading asks
    cast: float = 1.25  # of one colour over their mean, beyond which a reading asks
    place: float = 0.15  # of its side by which a die that was not touched may seem to move
