"""Thresholds of the search for the tray; all were chosen on stations marked ``dev``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Doubt(NamedTuple):
    """How far the lens of a fitted box is off at least."""

    line: float  # pixels by which its lines are told no better
    focal: float  # of a focal length's logarithm


WELL = Doubt(line=0.6, focal=0.08)
HARDLY = Doubt(line=1.25, focal=0.25)  # rounded walls look like deeper ones


@dataclass(frozen=True, slots=True)
class OutlineSettings:
    """How the tray is found in pictures of it empty. Pixels are those of a picture this wide."""

    longest: int = 960  # the picture's longer side is brought to this many pixels

    frames: int = 5  # pictures whose median is looked at
    night: float = 24.0  # brightest grey levels of a picture that is too dark

    # Light and lines
    light: float = 0.022  # of the longer side: reach of the local light that is taken out
    dark: float = 8.0  # grey levels added to the light: noise in blackness is not blown up
    short: float = 22.0  # shorter line segments tell too little about directions
    slope: float = 32.0  # degrees a side may deviate from the picture's own sides
    longest_pairs: int = 40  # longest segments that pairs are made of
    agrees: float = 0.8  # degrees within which a segment runs to a vanishing point
    vanishing: int = 2  # vanishing points kept for each direction

    # Camera
    focal: float = 1.9  # in image widths, until the tray tells more
    focal_range: tuple[float, float] = (0.6, 6.0)
    focal_told: tuple[float, float] = (0.9, 4.0)  # as far as directions alone are believed
    focal_sigma: float = 0.6  # of its logarithm
    focal_factors: tuple[float, ...] = (0.4, 0.6, 0.8, 1.0, 1.25, 1.6, 2.2)
    steepest: float = 40.0  # degrees of tilt; more is no dealer's camera
    barrel_sigma: float = 0.02  # part of its distance by which a picture's corner is bent

    # Straight edges of the rectified picture
    along: int = 25  # pixels of one edge that are averaged
    blur: float = 1.0
    noise: float = 2.0  # an edge this many times the median response counts half
    least_step: float = 0.6  # grey levels a pixel that count half at least
    stride: float = 2.0  # pixels between the places tried for a side
    middle: tuple[float, float] = (
        0.25,
        0.75,
    )  # part of the picture by which lines are first judged
    boxes: int = 400  # of the first judgement that are judged along their whole sides
    least_side: float = 0.30  # of the picture's side that the tray's side must be
    deepest: float = 0.85  # floor's over the rim's scale: a wall 15 % of the distance high
    shallowest: float = 0.995
    thinnest: float = 0.002  # wall over the camera's height
    expected: float = 0.35  # support of a line below which it speaks against the box
    # Floor's over the rim's scale: each range keeps its best, so that neither hides the other's.
    shrinks: tuple[tuple[float, float, int], ...] = ((0.935, 0.994, 40), (0.87, 0.935, 30))
    walls: tuple[float, float, int] = (0.012, 0.11, 36)  # thickness over the picture's width
    hypotheses: int = 18  # boxes that are refined
    differ: float = 4.0  # lines of different boxes are further apart
    apart: float = 3.0  # closer lines are one

    # Refinement
    samples: int = 48  # points on each line
    quick: tuple[float, ...] = (6.0, 4.0)  # pixels within which edges are sought, of all boxes
    best: int = 6  # boxes refined in full
    windows: tuple[float, ...] = (4.0, 3.0, 2.5, 2.5)
    plain: float = 20.0  # grey levels a pixel of a plain edge
    sharp: float = 1.0  # pixels by which an edge that supports a line is off
    nearest: float = 1.5  # preference for near edges
    steps: int = 4  # towards edges measured once
    lost: float = 0.6  # share of a line outside the picture from which it is not used
    tukey: float = 2.5
    exact: float = 0.3  # pixels by which the lines of a box are off whose lens is told well
    well: Doubt = WELL
    hardly: Doubt = HARDLY
    margin: float = 0.03  # of a side left out at each corner

    # Lines and edges
    beside: tuple[float, ...] = (3.0, 4.0, 5.0, 6.0)  # pixels from a line, what lies beside it
    parting: float = 0.1  # of the light: surfaces that differ so much are surely two

    # Walls' tops and floor
    inside: tuple[float, ...] = (0.03, 0.06, 0.09, 0.12, 0.15)  # of the way to the middle
    on_top: tuple[float, ...] = (0.2, 0.35, 0.5, 0.65, 0.8)  # of the way across a wall's top
    as_light: float = 0.22  # of a logarithm, by which light differs on floor and tops
    one_hue: float = 0.06  # of one, by which a colour's share of it differs on one surface

    # Rounded rims
    blurs: tuple[float, float] = (1.0, 6.0)  # half pixels of blur whose slopes are compared
    crisp: float = 2.4  # sharpness of a rim that is not rounded

    # Trust
    hidden: float = 2.0  # pixels by which hidden corners may be off in a clear tray
    looks: int = 3  # searches through the best camera so far
    better: float = 0.3  # gain for which another look is worth it
    plenty: float = 6.2  # score of a box that needs no further look
    side: float = 0.64  # support of the weakest side of a clear tray
    outermost: float = 0.4  # support of the worst outer edge of a clear tray: a frame has none
    lines: float = 0.78  # support of all lines of a clear tray
    near: float = 0.42  # pixels from the edges to a well fitted box
    tie: float = 0.85  # trust in the better of two boxes alike in score
    clear: float = 0.75  # quality below which the dealer must look


@dataclass(frozen=True, slots=True)
class SizeSettings:
    """How the floor's shape and size are told from its corners."""

    focal: float = 1.9  # in picture widths, where the view does not tell it
    focal_range: tuple[float, float] = (0.6, 6.0)
    leaning: float = 0.02  # depth per picture width below which the view does not tell the lens


@dataclass(frozen=True, slots=True)
class MovedSettings:
    """How a moved camera is told from dice, hands and light. Pixels of a picture this wide."""

    longest: int = 960
    reach: int = 12  # pixels a block is shifted to either side
    around: int = 20  # pixels to either side of the rim that are compared
    response: float = 0.10  # of the whole picture's phase correlation
    blocks: int = 16  # on each side of the floor
    block: int = 12  # points averaged in one block
    margin: float = 0.04  # of a side left out at each corner
    faint: float = 40.0  # squared slopes: blocks without a clear edge are like nothing
    likeness: float = 0.55  # of two blocks that show the same edges
    enough: float = 0.25  # share of the blocks that must agree
    tolerances: tuple[float, ...] = (6.0, 3.0, 1.5, 0.8)  # pixels within which blocks agree
