"""Thresholds of the reader of pips, chosen on drawn dice; lengths are in pip radii or as said."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MarkSettings:
    """What counts as a round mark in a plane of a crop."""

    levels: int = 24  # brightness levels the plane is cut at
    darkest: float = 2.0  # percentile the lowest level lies above
    brightest: float = 99.5  # and the highest below
    erosions: tuple[int, ...] = (0, 3, 5)  # pixels taken off, so that touching pips part
    least_area: float = 0.0025  # of the plane
    most_area: float = 0.06
    seed_area: float = 40.0  # pixels that must be left of a mark to tell its shape
    oval: float = 0.965  # of an ellipse with the same moments, that a mark must cover
    full: float = 0.88  # of a mark, that must be as bright
    stay: int = 4  # levels through which a mark must keep its place and size
    drift: float = 0.25  # of its side, that it may move from level to level
    shrink: float = 0.6  # of its area, that must be left from level to level
    apart: float = 0.6  # of the larger radius: marks nearer are one


@dataclass(frozen=True, slots=True)
class PipSettings:
    """How patterns of pips are recognised and when they are doubted."""

    size: int = 160  # a crop's longer side is brought to this many pixels
    blur: float = 1.0  # of these pixels
    round: float = 0.5  # narrow over wide: a flatter mark is on a side of the die or none
    top: float = 0.7  # which a top face's pips keep when seen from 45 degrees
    alike: float = 2.0  # ratio of spreads up to which marks may lie on one face
    tolerance: float = 0.3  # that a pip may lie off its place
    spacings: tuple[float, float] = (1.7, 4.5)  # from the middle to a corner pip, along a side
    slack: float = 0.14  # of the kind's own spacing
    reach: float = 1.75  # spacings: no other mark may lie within this square
    alone: float = 3.2  # spacings from a face's middle that are free of other pips
    off: float = 0.25  # of the crop's longer side: a face's middle lies nearer to the crop's
    lone: float = 1.0  # spacings from a one's pip to the crop's middle; a two's are 1.4 off theirs
    central: float = 0.9  # spacings: one of two pips so near to the crop's middle may be a one
    rival_off: float = 0.15  # of the longer side: a face's of which a one may be a part
    nearly: float = 0.75  # of the largest pips' area: patterns of smaller ones are of a side
    sizes: float = 1.5  # ratio to the enrolled size of pips, of the longer side
    unexplained: float = 0.6  # of a pip's area: such a round mark near the face is a doubt
    inside: float = 1.35  # spacings: the square of the pips
    foreign: float = 0.4  # of a pip's area: any such mark inside is a doubt
    hidden: float = 0.3  # of a pip's brightness, where one may be hidden
    surely: float = 0.6  # the same beyond the face, where sides and floor are seen
    washed: float = 0.35  # of a pip's brightness, that the body may be the other way
    face: float = 1.3  # spacings: the square in which further pips may be hidden
    round_face: float = 1.5  # spacings: the circle, where a one does not tell how it is turned
    between: float = 1.3  # pip radii from the seen ones at least
    some: float = 0.4  # of the crops must show several pips, for dice that bear any
    mostly: float = 0.75  # of the enrolled crops must show as many pips as they are named
    unlike: float = 100.0  # in CIE L*a*b*: bodies so far apart in colour are not alike at all
