"""Thresholds of the look at light and focus before a table begins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LightSettings:
    """Brightness in grey levels 0 to 255, lengths in pixels of the camera's picture."""

    dark: float = 40.0  # brightest parts of the tray below this: noise hides the print
    bright: float = 248.0  # usual parts above this: the camera is dazzled
    uneven: float = 1.7  # one side of the tray over the side opposite
    clipped: float = 250.0  # a pixel that is white beyond telling
    glare: float = 0.0008  # share of the tray in one clipped patch that would hide a print
    spots: int = 4  # the largest patches of glare are marked
    blurred: float = 2.45  # width of the sharpest edges, as the sigma of a Gaussian
    edges: float = 99.0  # percentile of the slopes that counts as an edge


@dataclass(frozen=True, slots=True)
class TeachSettings:
    """When a die lies ready to be learnt. Lengths in faces of the die, angles in degrees."""

    width: int = 160  # pixels across of the small picture that is compared for stillness
    moving: float = 10.0  # grey levels by which a pixel of it moves
    few: float = 0.0015  # share of moving pixels that noise makes
    hand: float = 9.0  # of a face's area: what changed is a hand, not a die
    crumb: float = 0.25  # of a face's area: smaller changes are crumbs and noise
    slack: float = 0.2  # a die's visible face differs so much from its given size
    edge: float = 0.5  # outline strength from which a face is clear
    dark: float = 0.35  # of the empty floor's brightness: the die lies in a deep shadow
    glare: float = 0.06  # share of a face that is white beyond telling
    off_centre: float = 0.3  # print so far off the middle is two faces or a leaning die
    moved: float = 0.4  # a die moved by this has been taken up
    turned: float = 10.0
    same: float = 14.0  # grey levels by which two pictures of a face differ when it was turned
    alike: float = 0.80  # likeness to another face from which a person is asked
    one_colour: float = 0.15  # distance of opponent colours from which two sides look the same
