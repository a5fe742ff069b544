"""Thresholds of the scene reader. Lengths are in millimetres, angles in degrees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from vision.settings_leaning import LeaningSettings


class Lean(NamedTuple):
    """What each piece of `vision.standing.Evidence` counts; a die leans above 0 in all."""

    gain: float
    shown: float
    overlap: float
    apart: float  # for each side that it is further from all that may hold it than most
    sight: float
    unshown: float  # where no print is measured
    leant: float  # with its raised edge in the air: it would fall back, so few dice lie so
    unheld: float  # on nothing that is seen, but something small under it: fewer yet
    base: float


SIGHTED = Lean(0.7, 1.0, 0.3, -4.0, 1.0, 0.1, -0.75, -1.25, 0.2)
UNSIGHTED = Lean(3.6, 1.0, 0.3, -4.0, 0.0, 0.0, -0.75, -1.75, -2.5)  # without the network


@dataclass(frozen=True, slots=True)
class SceneSettings:
    """How dice are found on the rectified tray."""

    scale: float = 3.0  # pixels a millimetre of the rectified tray
    rim: float = 14.0  # beyond the floor that is still looked at: dice lean over the wall

    patch: float = 1.6  # neighbourhood in which a shadow is one factor
    brighter: float = 1.25  # local factor over the empty tray that no light change explains
    darker: float = 0.30  # local factor below which no shadow is that deep
    residual: float = 14.0  # grey levels a shadow cannot explain
    residual_least: float = 6.5  # but so little may be noise
    tint_drift: float = 0.09  # of the floor's brightness: the lamps' tint may drift this far
    tint_shadow: float = 0.50  # of the light that a shadow takes: so much may tint what is left
    edge: float = 9.0  # grey levels a pixel: a new edge sharper than a soft shadow's
    noise: float = 0.85  # grey levels of blotches of colour that are taken out before reading
    noisy_residual_least: float = 11.0  # what is left of such noise may differ by more
    noisy_edge: float = 11.0
    close: float = 4.0  # gaps inside one object
    least_area: float = 0.25  # of a die's face: smaller changes are crumbs and noise
    hand_area: float = 9.0  # of a die's face: a stranger this large is a hand or sleeve
    clump_area: float = 45.0  # of a die's face: no throw with its shadows covers so much at once

    turn: float = 4.0  # spacing of the tried rotations
    samples: int = 14  # points on each side of a tried square
    corner: float = 0.16  # of the side left out at each corner: real corners are round
    cap: float = 14.0  # gradient from which an edge is as good as any
    beyond: float = 2.5  # a body may blend with the floor: looked at beyond what changed
    keep: int = 4  # candidate squares a die is chosen from
    keep_doubtful: int = 10  # where none of them is clear
    keep_on_floor: int = 16  # where tops may be no other than the floor: sides are clearer
    most_read: int = 125  # squares read in one scene: one that needs more is too cluttered
    inside: float = 0.80  # of a square that must be covered by the change
    least_edge: float = 0.30  # outline strength below which there is no face
    clear_edge: float = 0.55  # outline strength of a face beyond doubt

    sure_edge: float = 0.70  # outline strength without which nothing is read for certain
    unchanged: float = 0.2  # of a face: the outline of a die that is there holds no more
    surely_print: float = 1.15  # likeness and outline from which a known face is a die's
    believable: float = 0.55  # likeness and outline from which something is taken for a die
    print_edges: float = 0.2  # of a face that new edges cover, at least, where it is printed
    print_changed: float = 0.5  # and that must have changed
    print_beside: float = 1.0  # so near to dice already found, edges are theirs
    halo: float = 56.0  # how far from a die its shadow is learnt
    faint: float = 0.2  # of what tells a change: by so much more or less, it hardly is one
    halo_slack: float = 2.0  # shadows differ a little from place to place
    body_slack: float = 0.7  # beyond the predicted outline of a die
    shade_widest: float = 9.0  # faces, with the die: light that fell on more is no shade of it
    shade_most: float = 0.5  # of a face: a larger change is not taken for crossing shades
    shade_share: float = 0.75  # of which lies where a die was seen to take light
    texture_fine: float = 4.0  # the floor's own texture is finer than this
    texture_window: float = 7.0  # within which it is looked for
    texture_told: float = 4.0  # times the noise: less is not told
    texture_seen: float = 0.3  # of it, and correlation, below which something hides it
    texture_hidden: float = 0.2  # of a die's face: a part of the floor as large as this is hidden
    speck: float = 2.5  # narrower leftovers are seams of the outline
    stranger: float = 0.12  # of a die's face: a leftover as large as this is something
    shadow_lit: float = 1.08  # a shadow is no brighter than this over the empty tray
    shadow_tint: float = 1.7  # nor differs more than this between the colours
    tint_alike: float = 12.0  # save where a lamp has a colour: degrees from its shadow's tint
    tint_deeper: float = 1.35  # and how much deeper than dice threw it
    tint_least: float = 1.35  # a shadow's colours differ by this, at least, where it has a tint
    tint_seen: float = 0.05  # of a face in each picture, at least, to learn the tint
    wall_light: float = 24.0  # grey levels by which dice may change the light beyond the floor
    wall_share: float = 0.2  # of a die's own light, that walls right beside it may catch more
    goes_on: float = 4.0  # beyond what a die's shadow was learnt to reach: it may go on so far
    same_light: float = 0.12  # where it does, the floor keeps the same light within this
    dimmed: float = 0.86  # darker than this over the empty tray: shadow, or a dark body
    shadow_share: float = 0.7  # of a square that must look like shadow to be nothing else
    size_slack: float = 0.06  # a flat face is as large as the enrolled ones, within this
    stretch: float = 1.30  # longer than wide by more than this is no flat face
    shift: float = 0.26  # of half a face: a print seen further from its place is no flat face's
    zoom: float = 1.16  # nor is one this much larger or smaller than enrolled
    stacked: float = 0.2  # sides by which flat dice cannot overlap; outlines are off by less
    raised: float = 3.0  # log odds of its print's size from which a die lies on one it hides
    surely_flat: float = -0.5  # gain of a tipped cube under which no die leans
    surely_alone: float = 0.0  # the same where nothing is seen that would hold it
    lean: Lean = SIGHTED
    lean_unseen: Lean = UNSIGHTED
    leaning: LeaningSettings = field(default_factory=LeaningSettings)

    off: float = 0.08  # of its side by which an outline may be beside the face its print shows
    crooked: float = 7.0  # and by which it may be turned
    hint: float = 0.3  # likeness from which a print may show where its face lies
    better: float = 0.05  # likeness and outline that a move to that face must gain
    same_place: float = 0.35  # sides between two squares within which both are one die's
    two_tops: float = 0.7  # and under which they are no tops of two dice: those are a side apart
    side_missing: float = 0.5  # of a die's sides where the empty tray is seen: it may be no die,
    side_alike: float = 0.35  # but a side of one that it lies on by so much: area in both of either
    mark_lead: float = 0.1  # likeness by which a cube's mark must be ahead of any print
    mark_hued: float = 0.65  # likeness from which its colour shows it, be its brightness as it may
    hued_lead: float = 0.2  # by which it must then be ahead of any print
    alike: float = 0.70  # likeness that a wrong outline hardly gives whose edges are clear
    as_sharp: float = 1.25  # times as soft as enrolled: no face in focus is seen softer
    blurred: float = 1.35  # nor are most of several so soft
    blurred_alone: float = 1.55  # nor one alone
    surely_alike: float = 0.85  # likeness that no wrong outline gives by chance

    plain: float = 0.14  # print that the grain and noise of any plain face may feign
    print_share: float = 0.5  # of the faintest face's usual print: what shows less is plain
    known_share: float = 0.8  # and less than this of the faintest print that was enrolled
    glare_share: float = 0.8  # what shows less than this of it may be glare on a cube's own body
    mottled: float = 0.4  # of its strength, flecks on a body may be of another hue, or of none
    even: float = 0.16  # variation of brightness that any plain face may show in one light
    hues: float = 0.2  # apart, bodies of two kinds can be told by their hue
    nearer: float = 0.5  # of the way to the other kind's body, a hue must be nearer its own
    purer: float = 2.5  # times as colourful as it was enrolled, a body may be seen
    uneven: float = 0.40  # variation that is never one light's, whatever was enrolled
    glare: float = 0.06  # share of a face that is white beyond telling: why it is in doubt
    dazzling: float = 0.5  # of something strange: it may be a die that the lamp hides
    dark: float = 0.35  # of the empty tray's brightness: below this, too dark
    flood: float = 0.45  # share of the tray changed at once: the camera or the light moved
    burst: int = 5  # still frames that must agree
