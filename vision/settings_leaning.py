"""Thresholds of the search for leaning dice; all were chosen on stations marked ``dev``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LeaningSettings:
    """How flat and tipped cubes are tried. Lengths are in sides of the die, angles in degrees."""

    near: tuple[float, ...] = (-0.2, -0.1, 0.0, 0.1, 0.2)  # places tried about the found face
    left_out: tuple[float, ...] = (0.5, 1.0)  # of the raised side by the found face: usual, dark
    narrowed: float = 1.03  # stretch of its print from which the face may be the top alone
    tips: tuple[float, ...] = (10.0, 18.0, 26.0, 34.0, 42.0)
    tilts: tuple[float, float] = (9.0, 50.0)  # tipped by less, edges would count twice
    touch_mm: float = 3.0  # from the raised edge to what holds it: feet are not seen exactly
    within: float = 0.2  # of the side, that a raised edge may seem to be within another die
    kept: tuple[int, ...] = (3, 2, 1, 1, 1)  # poses of a way refined in each round, the best so far
    rises: tuple[float, ...] = (2.0, 0.9, 0.45, 0.35, 0.0)  # of the score, at most, after each
    shift: float = 0.06  # first step of the refinement
    turn: float = 4.0
    coarse: int = 6  # points on each edge, first and in the refinement
    fine: int = 9

    reach: float = 1.8  # of the picture around the face
    blur: float = 0.8  # pixels
    cap: float = 16.0  # gradient from which an edge is as good as any
    chance: float = 0.38  # strength from which an edge speaks for a pose
    grazing: float = 0.02  # a side seen at less than this does not count as seen
    low: float = 0.3  # edges lower than this lie in the die's own shadow
    low_weight: float = 0.5
    longest: float = 1.2
    aside: float = 0.07  # of the side, from a cube's outline, where it must be seen and not seen
    empty: float = 0.25  # against a pose whose rim shows the empty tray
    strange: float = 0.5  # against one beyond whose rim something solid is that is no die

    tip_error: float = 7.0  # of the likeliest tipped cube
    turn_error: float = 6.0
    least_tip: float = 6.0  # a die that is tipped by less is not meant

    print_sigma: float = 0.04  # by which a print shows its face beside where it lies
    print_weight: float = 0.5
    print_most: float = 3.0
